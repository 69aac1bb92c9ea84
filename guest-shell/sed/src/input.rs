//! The input files, as one stream of lines or separately. Also edits files in place.

use crate::options::Options;
use crate::output::{Output, Sinks};
use crate::{Failure, Result, message};
use memchr::memchr;
use sandshell_sys::{self as sys, open_flags};
use std::collections::VecDeque;

const CHUNK: usize = 64 * 1024;

/// The input, line by line.
pub(crate) struct Input<'a> {
    options: &'a Options,
    sinks: &'a Sinks,
    files: VecDeque<Vec<u8>>,
    current: Option<Reader>,
    edited: Option<Edited>,
    /// The number of the last line that was read.
    pub(crate) number: u64,
    /// The exit status that results from files which could not be read.
    pub(crate) status: i32,
    /// Where lines are printed.
    pub(crate) output: Output,
    /// Whether the last line that was read is the first of a separate file (`-s`).
    pub(crate) new_file: bool,
}

/// A file that is edited in place.
struct Edited {
    target: Vec<u8>,
    temporary: Vec<u8>,
    fd: sys::Fd,
    stat: sys::Stat,
}

impl<'a> Input<'a> {
    pub(crate) fn new(options: &'a Options, sinks: &'a Sinks, files: Vec<Vec<u8>>) -> Result<Self> {
        let mut files = VecDeque::from(files);
        if files.is_empty() {
            if options.in_place.is_some() {
                return Err(Failure::panic(&[b"no input files"]));
            }
            files.push_back(b"-".to_vec());
        }
        Ok(Self {
            options,
            sinks,
            files,
            current: None,
            edited: None,
            number: 0,
            status: 0,
            output: sinks.standard(),
            new_file: false,
        })
    }

    /// The file that contained the last line, `-` for standard input.
    pub(crate) fn file_name(&self) -> &[u8] {
        self.current.as_ref().map_or(b"-", |reader| &reader.name)
    }

    /// Reads the next line into `line`, without its newline. Returns `None` at the end of all input, else whether the
    /// line had a newline.
    pub(crate) fn next_line(&mut self, line: &mut Vec<u8>) -> Result<Option<bool>> {
        line.clear();
        loop {
            if let Some(reader) = &mut self.current
                && let Some(ended) = reader.line(line, self.options.delimiter())?
            {
                self.number += 1;
                return Ok(Some(ended));
            }
            self.close_current()?;
            if self.current.is_some() {
                continue;
            }
            let Some(name) = self.files.pop_front() else { return Ok(None) };
            self.open(name)?;
        }
    }

    /// Whether this is the last line (with `-s`, of this file).
    pub(crate) fn at_end(&mut self) -> Result<bool> {
        if let Some(reader) = &mut self.current
            && !reader.at_end()?
        {
            return Ok(false);
        }
        if self.options.separate {
            return Ok(true);
        }
        // The files that follow may be empty or missing.
        while let Some(name) = self.files.front() {
            match Reader::open(name) {
                Ok(mut reader) => {
                    if !reader.at_end()? {
                        // Standard input cannot be opened a second time, so its reader is kept.
                        let name = std::mem::take(&mut reader.name);
                        self.files.pop_front();
                        self.ahead(reader, name);
                        return Ok(false);
                    }
                    self.files.pop_front();
                }
                Err(e) => {
                    self.unreadable(&name.clone(), &e.to_string());
                    self.files.pop_front();
                }
            }
        }
        Ok(true)
    }

    /// Ends reading. The edited file gets its name with what has been printed so far. Unused bytes of standard input
    /// are given back.
    pub(crate) fn close(&mut self) -> Result<()> {
        if let Some(reader) = &self.current {
            reader.give_back();
        }
        self.close_current()
    }

    // Appends a reader that was opened to look ahead to the current stream.
    fn ahead(&mut self, mut reader: Reader, name: Vec<u8>) {
        reader.name = name;
        match &mut self.current {
            Some(current) => current.next = Some(Box::new(reader)),
            None => self.current = Some(reader),
        }
    }

    fn open(&mut self, name: Vec<u8>) -> Result<()> {
        if self.options.in_place.is_some() {
            return self.open_in_place(name);
        }
        let name = if self.options.follow_symlinks && name != b"-" { followed(&name)? } else { name };
        match Reader::open(&name) {
            Ok(reader) => {
                self.current = Some(reader);
                self.begin_file();
            }
            Err(e) => self.unreadable(&name, &e.to_string()),
        }
        Ok(())
    }

    fn begin_file(&mut self) {
        if self.options.separate {
            self.number = 0;
            self.new_file = true;
            if self.options.in_place.is_none() {
                self.output.finish_line(self.options.delimiter());
            }
        }
    }

    fn open_in_place(&mut self, name: Vec<u8>) -> Result<()> {
        // For in-place editing, `-` is not standard input but a file of that name.
        let name = if name == b"-" { b"./-".to_vec() } else { name };
        let target = if self.options.follow_symlinks { followed(&name)? } else { name.clone() };
        let failed = |what: &[u8], e: sys::Errno| {
            Failure::panic(&[b"couldn't open ", what, b": ", e.to_string().as_bytes()])
        };
        let stat = match sys::stat(&target, true) {
            Ok(stat) => stat,
            Err(e) => {
                self.unreadable(&name, &e.to_string());
                return Ok(());
            }
        };
        if stat.mode & 0o170_000 != 0o100_000 {
            message(&[b"couldn't edit ", name.as_slice(), b": not a regular file"].concat());
            self.status = 4;
            return Ok(());
        }
        let reader = match Reader::open(&target) {
            Ok(reader) => Reader { name, ..reader },
            Err(e) => {
                self.unreadable(&name, &e.to_string());
                return Ok(());
            }
        };
        let directory = directory(&target);
        let (fd, temporary) = temporary(directory)
            .map_err(|(path, e)| failed(&[b"temporary file ", path.as_slice()].concat(), e))?;
        self.output = Output::to(&temporary, fd, false);
        self.edited = Some(Edited { target, temporary, fd, stat });
        self.current = Some(reader);
        self.begin_file();
        Ok(())
    }

    // Closes the current file after its end or after `q`.
    fn close_current(&mut self) -> Result<()> {
        if let Some(reader) = self.current.take() {
            match reader.next {
                Some(next) => {
                    reader_close(reader.fd);
                    self.current = Some(*next);
                    return Ok(());
                }
                None => reader_close(reader.fd),
            }
        }
        let Some(edited) = self.edited.take() else { return Ok(()) };
        let output = std::mem::replace(&mut self.output, self.sinks.standard());
        let kept = output
            .flush()
            .and_then(|()| edited.replace(self.options.in_place.as_deref().unwrap_or_default()));
        if kept.is_err() {
            let _ = sys::unlink(&edited.temporary);
        }
        kept
    }

    fn unreadable(&mut self, name: &[u8], why: &str) {
        message(&[b"can't read ", name, b": ", why.as_bytes()].concat());
        self.status = 2;
    }
}

impl Drop for Input<'_> {
    fn drop(&mut self) {
        // After a failure, the original stays as it is.
        if let Some(edited) = &self.edited {
            let _ = sys::unlink(&edited.temporary);
        }
    }
}

impl Edited {
    fn replace(&self, suffix: &[u8]) -> Result<()> {
        let _ = sys::chown(&self.temporary, Some(self.stat.uid), Some(self.stat.gid), false);
        let _ = sys::fchmod(self.fd, self.stat.mode & 0o7777);
        let _ = sys::close(self.fd);
        let renamed = |from: &[u8], to: &[u8]| {
            sys::rename(from, to)
                .map_err(|e| Failure::panic(&[b"cannot rename ", from, b": ", e.to_string().as_bytes()]))
        };
        if !suffix.is_empty() {
            renamed(&self.target, &backup_name(&self.target, suffix))?;
        }
        renamed(&self.temporary, &self.target)
    }
}

// The name of the backup. `*` in the suffix stands for the file's name as it was given, including directories.
fn backup_name(target: &[u8], suffix: &[u8]) -> Vec<u8> {
    if suffix.contains(&b'*') {
        suffix.split(|b| *b == b'*').collect::<Vec<_>>().join(target)
    } else {
        [target, suffix].concat()
    }
}

fn directory(path: &[u8]) -> &[u8] {
    match path.iter().rposition(|b| *b == b'/') {
        Some(0) => b"/",
        Some(at) => &path[..at],
        None => b".",
    }
}

// Follows a chain of symbolic links to the file.
fn followed(name: &[u8]) -> Result<Vec<u8>> {
    let failed = |at: &[u8], e: sys::Errno| {
        let what: &[u8] =
            if e == sys::Errno::LOOP { b"couldn't follow symlink " } else { b"couldn't readlink " };
        Failure::panic(&[what, at, b": ", e.to_string().as_bytes()])
    };
    let mut at = name.to_vec();
    for _ in 0..40 {
        let target = match sys::readlink(&at) {
            Ok(target) => target,
            Err(sys::Errno::INVAL) => return Ok(at),
            Err(e) => return Err(failed(&at, e)),
        };
        let base = at.iter().rposition(|b| *b == b'/').map_or(0, |i| i + 1);
        at = if target.starts_with(b"/") { target } else { [&at[..base], &target].concat() };
    }
    Err(failed(name, sys::Errno::LOOP))
}

fn temporary(directory: &[u8]) -> std::result::Result<(sys::Fd, Vec<u8>), (Vec<u8>, sys::Errno)> {
    const LETTERS: &[u8; 62] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    let flags = open_flags::WRITE | open_flags::CREATE | open_flags::EXCL | open_flags::CLOEXEC;
    loop {
        let mut random = [0; 6];
        sys::random(&mut random);
        let letters = random.map(|b| LETTERS[usize::from(b) % LETTERS.len()]);
        let path = [directory, b"/sed", &letters].concat();
        match sys::open(&path, flags, 0o600) {
            Ok(fd) => return Ok((fd, path)),
            Err(sys::Errno::EXIST) => {}
            Err(e) => return Err((path, e)),
        }
    }
}

fn reader_close(fd: sys::Fd) {
    if fd != 0 {
        let _ = sys::close(fd);
    }
}

/// Reads lines from one descriptor.
pub(crate) struct Reader {
    name: Vec<u8>,
    fd: sys::Fd,
    buffer: Vec<u8>,
    at: usize,
    ended: bool,
    // The reader of the next file, if it was opened to look ahead.
    next: Option<Box<Reader>>,
}

impl Reader {
    /// Opens a file; `-` is standard input.
    pub(crate) fn open(name: &[u8]) -> sys::Result<Self> {
        let fd = if name == b"-" { 0 } else { sys::open(name, open_flags::READ | open_flags::CLOEXEC, 0)? };
        Ok(Self { name: name.to_vec(), fd, buffer: Vec::new(), at: 0, ended: false, next: None })
    }

    /// Appends the next line without its newline. Returns `None` at the end of the file, else whether the line had a
    /// newline.
    pub(crate) fn line(&mut self, line: &mut Vec<u8>, delimiter: u8) -> Result<Option<bool>> {
        let mut found = false;
        loop {
            let rest = self.buffer.get(self.at..).unwrap_or_default();
            if let Some(len) = memchr(delimiter, rest) {
                line.extend_from_slice(&rest[..len]);
                self.at += len + 1;
                return Ok(Some(true));
            }
            found |= !rest.is_empty();
            line.extend_from_slice(rest);
            self.at = self.buffer.len();
            if !self.fill()? {
                return Ok(found.then_some(false));
            }
        }
    }

    fn at_end(&mut self) -> Result<bool> {
        Ok(self.at >= self.buffer.len() && !self.fill()?)
    }

    // Reads more. Returns false at the end.
    fn fill(&mut self) -> Result<bool> {
        if self.ended {
            return Ok(false);
        }
        self.at = 0;
        self.buffer.resize(CHUNK, 0);
        loop {
            match sys::read(self.fd, &mut self.buffer) {
                Ok(n) => {
                    self.buffer.truncate(n);
                    self.ended = n == 0;
                    return Ok(n > 0);
                }
                Err(sys::Errno::INTR) => {}
                Err(e) => {
                    self.buffer.clear();
                    self.ended = true;
                    let e = e.to_string();
                    return Err(Failure::panic(&[b"read error on ", shown(&self.name), b": ", e.as_bytes()]));
                }
            }
        }
    }

    // Moves the offset of standard input back to the first unused byte, if it is a file.
    fn give_back(&self) {
        let unused = self.buffer.len().saturating_sub(self.at);
        if self.fd == 0
            && unused > 0
            && let Ok(back) = i64::try_from(unused)
        {
            let _ = sys::lseek(0, -back, 1);
        }
    }
}

fn shown(name: &[u8]) -> &[u8] {
    if name == b"-" { b"stdin" } else { name }
}
