//! Files and commands of the shell.

use super::Editor;
use super::address::Addresses;
use super::buffer::Line;
use super::error::{Error, NO_FILE_NAME, Result};
use sandshell_cli::out;
use sandshell_posix::process;
use sandshell_sys::{self as sys, Errno, Fd, Pid, Program, WaitStatus, open_flags};
use std::rc::Rc;

const CANNOT_OPEN: &str = "Cannot open input file";
const CANNOT_READ: &str = "Cannot read input file";
const CANNOT_WRITE: &str = "Cannot open output file";
const CANNOT_CLOSE: &str = "Cannot close output file";

/// What a command reads or writes.
pub(super) enum Name {
    File(Vec<u8>),
    Shell(Vec<u8>),
}

impl Editor {
    /// Reads the name behind a command's letter. Without one, it is that of the file.
    pub(super) fn name(&mut self) -> Result<Option<Name>> {
        match self.text.peek() {
            None | Some(b' ' | b'\t' | b'\n') => {}
            Some(b'\\') if self.text.is_list => {}
            _ => return Err("Unexpected command suffix".into()),
        }
        self.text.pass_blanks();
        if self.text.take(b'!') {
            return self.shell_line().map(|line| Some(Name::Shell(line)));
        }
        let name = self.text.rest_of_line();
        self.may_use(&name)?;
        Ok((!name.is_empty()).then_some(Name::File(name)))
    }

    /// Refuses files that are not in the working directory, if the editor is restricted.
    pub(super) fn may_use(&self, name: &[u8]) -> Result<()> {
        let is_elsewhere = name.contains(&b'/') || name == b"..";
        if self.options.restricted && is_elsewhere {
            return Err("Directory access restricted".into());
        }
        Ok(())
    }

    /// The rest of the line as a command of the shell: `%` is the file's name, and `!` at the beginning the last
    /// command.
    pub(super) fn shell_line(&mut self) -> Result<Vec<u8>> {
        let written = self.text.rest_of_line();
        if self.options.restricted {
            return Err("Shell access restricted".into());
        }
        let (mut line, mut rest, mut changed) = (Vec::new(), &*written, false);
        if let Some(more) = rest.strip_prefix(b"!") {
            line = self.shell.clone().ok_or(Error::from("No previous command"))?;
            (rest, changed) = (more, true);
        }
        while let Some((&byte, more)) = rest.split_first() {
            rest = more;
            match byte {
                b'\\' if rest.first() == Some(&b'%') => {
                    line.push(b'%');
                    rest = rest.get(1..).unwrap_or_default();
                }
                b'%' => {
                    line.extend_from_slice(self.file.as_ref().ok_or(NO_FILE_NAME)?);
                    changed = true;
                }
                _ => line.push(byte),
            }
        }
        if changed {
            out::put([&*line, b"\n"].concat());
        }
        self.shell = Some(line.clone());
        Ok(line)
    }

    /// `!`.
    pub(super) fn run_shell(&mut self) -> Result<()> {
        let line = self.shell_line()?;
        out::flush();
        let started = start(&line, &[]);
        if let Ok(child) = started {
            let _ = process::wait(child);
        }
        if !self.options.scripted {
            out::put("!\n");
        }
        Ok(())
    }

    /// `e` and `E`: another text, without a look at changes.
    pub(super) fn edit(&mut self, name: Option<Name>) -> Result<()> {
        let name = self.or_own(name)?;
        if let Name::File(file) = &name {
            self.file = Some(file.clone());
        }
        let last = self.buffer.last();
        self.buffer.replace(0, last, Vec::new());
        self.buffer.current = 0;
        (self.is_binary, self.unterminated) = (false, None);
        let read = self.read(&name, 0);
        self.buffer.is_modified = false;
        self.buffer.forget();
        read
    }

    /// `r`.
    pub(super) fn read_in(&mut self, at: usize, name: Option<Name>) -> Result<()> {
        let name = self.or_own(name)?;
        if let (None, Name::File(file)) = (&self.file, &name) {
            self.file = Some(file.clone());
        }
        self.read(&name, at)
    }

    fn or_own(&self, name: Option<Name>) -> Result<Name> {
        name.or_else(|| self.file.clone().map(Name::File)).ok_or(NO_FILE_NAME)
    }

    /// Reads lines in behind line `at`.
    fn read(&mut self, name: &Name, at: usize) -> Result<()> {
        let (bytes, ended) = match name {
            Name::File(path) => {
                let failed = |text| move |errno| Error::File(path.clone(), Some(errno), text);
                let fd = sys::open(path, open_flags::READ | open_flags::CLOEXEC, 0);
                let fd = fd.map_err(failed(CANNOT_OPEN))?;
                let bytes = sys::read_to_end(fd);
                let _ = sys::close(fd);
                (bytes.map_err(failed(CANNOT_READ))?, Ok(()))
            }
            Name::Shell(line) => output_of(line)?,
        };
        let count = self.insert(at, &bytes);
        if !self.options.scripted {
            out::put(format!("{count}\n"));
        }
        ended
    }

    /// Inserts a file's lines; returns how many bytes they have.
    fn insert(&mut self, at: usize, bytes: &[u8]) -> usize {
        self.is_binary |= bytes.contains(&0);
        let is_whole = bytes.is_empty() || bytes.ends_with(b"\n");
        let text = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        let mut lines: Vec<Rc<Line>> = Vec::new();
        if !bytes.is_empty() {
            let is_last_whole = is_whole;
            let mut pieces = text.split(|b| *b == b'\n').peekable();
            while let Some(piece) = pieces.next() {
                let has_end = is_last_whole || pieces.peek().is_some();
                let stripped = piece.strip_suffix(b"\r").filter(|_| self.options.strip_cr && has_end);
                lines.push(Line::new(stripped.unwrap_or(piece)));
            }
        }
        let mut count = bytes.len();
        if self.options.strip_cr {
            count -=
                text.len() - lines.iter().map(|line| line.text.len() + 1).sum::<usize>().saturating_sub(1);
        }
        self.buffer.current = at + lines.len();
        if at == self.buffer.last() && at > 0 && !lines.is_empty() && self.unterminated.take().is_some() {
            out::put("Newline inserted\n");
        }
        if is_whole {
            // Nothing is missing.
        } else if self.is_binary {
            self.unterminated = lines.last().cloned();
        } else {
            out::put("Newline appended\n");
            count += 1;
        }
        if !lines.is_empty() {
            self.buffer.replace(at, 0, lines);
        }
        count
    }

    /// `w`, `W` and `wq`. `true`: the whole text is in a file now.
    pub(super) fn write(&mut self, given: Addresses, appends: bool, name: Option<Name>) -> Result<()> {
        let name = self.or_own(name)?;
        let last = self.buffer.last();
        let (from, to) =
            if given.range.is_none() && last == 0 { (1, 0) } else { self.range(given, (1, last))? };
        let mut bytes = Vec::new();
        for line in self.buffer.lines(from, to) {
            bytes.extend_from_slice(&line.text);
            let is_whole = self.unterminated.as_ref().is_none_or(|last| !Rc::ptr_eq(last, &line));
            if is_whole || !self.is_binary {
                bytes.push(b'\n');
            }
        }
        match &name {
            Name::File(path) => {
                let failed = |text| move |errno| Error::File(path.clone(), Some(errno), text);
                let how = if appends { open_flags::APPEND } else { open_flags::TRUNC };
                let flags = open_flags::WRITE | open_flags::CREATE | open_flags::CLOEXEC | how;
                let fd = sys::open(path, flags, 0o666).map_err(failed(CANNOT_WRITE))?;
                let written = sys::write_all(fd, &bytes);
                let closed = sys::close(fd);
                written.and(closed).map_err(failed(CANNOT_CLOSE))?;
                if self.file.is_none() {
                    self.file = Some(path.clone());
                }
                if (from, to) == (1, last) || last == 0 {
                    self.buffer.is_modified = false;
                }
            }
            Name::Shell(line) => input_of(line, &bytes)?,
        }
        if !self.options.scripted {
            out::put(format!("{}\n", bytes.len()));
        }
        Ok(())
    }
}

/// What a command of the shell writes, and whether it fails.
fn output_of(line: &[u8]) -> Result<(Vec<u8>, Result<()>)> {
    let failed = |text| move |errno| Error::File([b"!", line].concat(), Some(errno), text);
    out::flush();
    let (reader, writer) = sys::pipe(true).map_err(failed(CANNOT_OPEN))?;
    let child = start(line, &[(1, Some(writer))]);
    let _ = sys::close(writer);
    let bytes = sys::read_to_end(reader);
    let _ = sys::close(reader);
    let status = child.and_then(process::wait).map_err(failed(CANNOT_OPEN))?;
    Ok((bytes.map_err(failed(CANNOT_READ))?, succeeded(line, status, "Cannot close input file")))
}

/// Writes to a command of the shell.
fn input_of(line: &[u8], bytes: &[u8]) -> Result<()> {
    let failed = |text| move |errno| Error::File([b"!", line].concat(), Some(errno), text);
    out::flush();
    let (reader, writer) = sys::pipe(true).map_err(failed(CANNOT_WRITE))?;
    let child = start(line, &[(0, Some(reader))]);
    let _ = sys::close(reader);
    let written = sys::write_all(writer, bytes);
    let _ = sys::close(writer);
    let status = child.and_then(process::wait).map_err(failed(CANNOT_WRITE))?;
    written.map_err(failed(CANNOT_CLOSE))?;
    succeeded(line, status, CANNOT_CLOSE)
}

fn start(line: &[u8], fds: &[(Fd, Option<Fd>)]) -> sys::Result<Pid> {
    let argv = [b"sh".to_vec(), b"-c".to_vec(), line.to_vec()];
    let environment = process::environment();
    sys::spawn(&Program { path: b"/bin/sh", argv: &argv, env: &environment, fds, ..Program::default() })
}

fn succeeded(line: &[u8], status: WaitStatus, text: &'static str) -> Result<()> {
    match status {
        WaitStatus::Exited(0) => Ok(()),
        _ => Err(Error::File([b"!", line].concat(), None::<Errno>, text)),
    }
}
