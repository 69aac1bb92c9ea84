//! Compresses and decompresses files in place, or to standard output.

use super::list::{Line, Totals, ratio};
use super::member::GzipReader;
use super::options::Options;
use super::writer::GzipWriter;
use crate::io::{Counted, Failure, FdReader, Nowhere, copy, errno, read_full};
use crate::single;
use crate::sink::Sink;
use sandshell_cli::message;
use sandshell_cli::out;
use sandshell_sys::{self as sys, Errno, Fd, Stat, open_flags as o};
use std::io::{BufReader, Cursor, Error, ErrorKind, Read, Write};

/// Processes each file and returns the exit status.
pub(crate) fn run(options: &Options, files: Vec<Vec<u8>>) -> i32 {
    let mut run = Run { o: options, status: 0, totals: Totals::default() };
    if files.is_empty() {
        run.stdin();
    }
    for file in files {
        if file == b"-" {
            run.stdin();
        } else {
            run.file(&file);
        }
    }
    if options.list && !options.quiet {
        run.totals.end(options);
    }
    out::finish("gzip", run.status, 1)
}

struct Run<'o> {
    o: &'o Options,
    status: i32,
    totals: Totals,
}

/// The result for one file.
struct Done {
    read: u64,
    written: u64,
    header: u64,
    mtime: Option<i64>,
}

const SUFFIXES: [&[u8]; 5] = [b".gz", b".z", b"-gz", b"-z", b"_z"];

impl Run<'_> {
    fn warn(&mut self, text: &[u8]) {
        if !self.o.quiet {
            message::say(&self.o.name, text);
        }
        if self.status == 0 {
            self.status = 2;
        }
    }

    fn error(&mut self, text: &[u8]) {
        message::say(&self.o.name, text);
        self.status = 1;
    }

    /// Reports an error in a file's data; gzip prints an empty line before it.
    fn broken(&mut self, file: &[u8], text: &str) {
        out::flush();
        if text.ends_with("not supported") {
            let colon: &[u8] = if text.starts_with("is ") { b" " } else { b": " };
            return self.error(&[file, colon, text.as_bytes()].concat());
        }
        let _ = sys::write_all(2, &[b"\ngzip: ", file, b": ", text.as_bytes(), b"\n"].concat());
        self.status = 1;
    }

    fn stdin(&mut self) {
        if self.o.list {
            self.list(b"stdout", FdReader(0), None);
            return;
        }
        let stat = sys::fstat(0).ok();
        if !self.o.decompress && sys::isatty(1) && !self.o.force {
            self.error(b"compressed data not written to a terminal. Use -f to force compression.\nFor help, type: gzip -h");
            return;
        }
        out::flush();
        let stat = stat.filter(Stat::is_file).unwrap_or_default();
        let fd: Fd = 1;
        if let Some(done) = self.transform(b"stdin", FdReader(0), None, &stat, fd)
            && self.o.verbose > 0
        {
            let text = match (self.o.test, self.o.decompress) {
                (true, _) => " OK\n".to_owned(),
                (_, decompress) => format!("{}\n", percent(&done, decompress)),
            };
            let _ = sys::write_all(2, text.as_bytes());
        }
    }

    fn file(&mut self, given: &[u8]) {
        let Some((path, from)) = self.open(given) else { return };
        let Ok(stat) = sys::fstat(from.0) else { return };
        if stat.is_dir() {
            drop(from);
            return self.directory(&path);
        }
        if self.o.list {
            return self.list(&path, from, Some(&stat));
        }
        let stdout = self.o.stdout || self.o.test;
        if !stdout && !self.o.force {
            if !stat.is_file() {
                return self.warn(&[&path[..], b" is not a directory or a regular file - ignored"].concat());
            }
            if stat.nlink > 1 && !self.o.keep {
                let n = stat.nlink - 1;
                let s = if n == 1 { "" } else { "s" };
                return self.warn(
                    &[&path[..], format!(" has {n} other link{s} -- file ignored").as_bytes()].concat(),
                );
            }
            if !self.o.decompress && stat.mode & 0o7000 != 0 && stat.mode & 0o6000 != 0 {
                let bit = if stat.mode & 0o4000 != 0 { "setuid" } else { "setgid" };
                return self
                    .warn(&[&path[..], b" is ", bit.as_bytes(), b" on executable file - ignored"].concat());
            }
        }
        let Some(target) = self.target(&path, &from) else { return };
        if stdout {
            out::flush();
            let fd: Fd = 1;
            if let Some(done) = self.transform(&path, from, base(&path), &stat, fd) {
                self.say(&path, &done, None);
            }
            return;
        }
        let to = match single::create(&target, self.o.force) {
            Ok(to) => to,
            Err(Errno::EXIST) => {
                // This is reported even with -q.
                self.status = self.status.max(if self.status == 0 { 2 } else { 0 });
                return message::say("gzip", &[&target[..], b" already exists;\tnot overwritten"].concat());
            }
            Err(e) => return self.error(&[&target[..], b": ", e.to_string().as_bytes()].concat()),
        };
        match self.transform(&path, from, base(&path), &stat, to.0) {
            Some(done) => {
                drop(to);
                single::keep_attributes(&target, &stat, done.mtime);
                if !self.o.keep
                    && let Err(e) = sys::unlink(&path)
                {
                    self.warn(&[&path[..], b": ", e.to_string().as_bytes()].concat());
                }
                self.say(&path, &done, Some(&target));
            }
            None => {
                drop(to);
                let _ = sys::unlink(&target);
            }
        }
    }

    /// Opens the file. When decompressing, names with a suffix are tried too.
    fn open(&mut self, given: &[u8]) -> Option<(Vec<u8>, FdReader)> {
        let follow = self.o.stdout || self.o.test || self.o.list || self.o.force;
        let flags = o::READ | o::CLOEXEC | o::NONBLOCK | if follow { 0 } else { o::NOFOLLOW };
        let mut tried = given.to_vec();
        let mut result = sys::open(given, flags, 0);
        let has_suffix = SUFFIXES.iter().chain([&&b".Z"[..]]).any(|s| given.ends_with(s));
        if result == Err(Errno::NOENT) && self.o.decompress && !has_suffix {
            for suffix in [self.o.suffix.as_slice(), b".gz", b".z", b"-z", b".Z"] {
                let path = [given, suffix].concat();
                result = sys::open(&path, flags, 0);
                if result != Err(Errno::NOENT) {
                    tried = path;
                    break;
                }
            }
            if result.is_err() {
                tried = [given, &self.o.suffix].concat();
            }
        }
        match result {
            Ok(fd) => Some((tried, FdReader(fd))),
            Err(e) => {
                let name = if tried.is_empty() { tried } else { [&tried[..], b": "].concat() };
                self.error(&[&name[..], e.to_string().as_bytes()].concat());
                None
            }
        }
    }

    fn directory(&mut self, path: &[u8]) {
        if !self.o.recursive {
            return self.warn(&[path, b" is a directory -- ignored"].concat());
        }
        match single::entries(path) {
            Ok(files) => files.iter().for_each(|f| self.file(f)),
            Err(e) => self.error(&[path, b": ", e.to_string().as_bytes()].concat()),
        }
    }

    /// The name of the output file.
    fn target(&mut self, path: &[u8], from: &FdReader) -> Option<Vec<u8>> {
        let stdout = self.o.stdout || self.o.test;
        if !self.o.decompress {
            let lower = path.to_ascii_lowercase();
            let known = [&b".gz"[..], b".z", b".taz", b".tgz", b"-gz", b"-z", b"_z"];
            if let Some(suffix) = known.iter().find(|s| lower.ends_with(s))
                && !stdout
                && self.o.suffix == b".gz"
            {
                let suffix = path.get(path.len() - suffix.len()..).unwrap_or_default();
                // This is only a message: the exit status does not change.
                if !self.o.quiet {
                    message::say(
                        &self.o.name,
                        &[path, b" already has ", suffix, b" suffix -- unchanged"].concat(),
                    );
                }
                return None;
            }
            return Some([path, &self.o.suffix].concat());
        }
        if stdout {
            return Some(Vec::new());
        }
        let lower = path.to_ascii_lowercase();
        let known = SUFFIXES.iter().copied().chain([self.o.suffix.as_slice()]);
        let stem = known.into_iter().find_map(|s| {
            lower
                .strip_suffix(s.to_ascii_lowercase().as_slice())
                .filter(|p| !p.is_empty() && !p.ends_with(b"/"))
        });
        let mut target = match stem {
            Some(stem) => path.get(..stem.len()).unwrap_or_default().to_vec(),
            None if lower.ends_with(b".tgz") || lower.ends_with(b".taz") => {
                [path.get(..path.len() - 4).unwrap_or_default(), b".tar"].concat()
            }
            None => {
                if !self.o.recursive {
                    self.warn(&[path, b": unknown suffix -- ignored"].concat());
                }
                return None;
            }
        };
        if self.o.names == Some(true) {
            let mut reader = GzipReader::new(BufReader::new(Borrowed(from.0)));
            let name = reader.start().ok().and_then(|_| reader.header.take()).and_then(|h| h.name);
            let _ = sys::lseek(from.0, 0, 0);
            if let Some(name) = name.as_deref().and_then(base).filter(|n| !n.is_empty()) {
                let dir = target.len() - base(&target).map_or(0, <[u8]>::len);
                target.truncate(dir);
                target.extend_from_slice(name);
            }
        }
        Some(target)
    }

    /// Compresses or decompresses the file. Returns `None` after reporting an error.
    fn transform(
        &mut self,
        path: &[u8],
        from: FdReader,
        name: Option<&[u8]>,
        stat: &Stat,
        to: Fd,
    ) -> Option<Done> {
        match self.o.decompress {
            true => self.decompress(path, from, to),
            false => self.compress(path, from, name, stat, to),
        }
    }

    fn compress(
        &mut self,
        path: &[u8],
        from: FdReader,
        name: Option<&[u8]>,
        stat: &Stat,
        to: Fd,
    ) -> Option<Done> {
        let keep = self.o.names != Some(false);
        let name = name.filter(|_| keep);
        let mtime = if keep && stat.is_file() { u32::try_from(stat.mtime).unwrap_or(0) } else { 0 };
        if keep && stat.is_file() && mtime == 0 {
            self.warn(&[path, b": warning: file timestamp out of range for gzip format"].concat());
        }
        let mut counted = Counted::new(Borrowed(to));
        let mut from = Counted::new(from);
        let result = GzipWriter::new(&mut counted, self.o.level, name, mtime).map_err(Failure::Writing);
        let result = result.and_then(|mut writer| {
            copy(&mut from, &mut writer)?;
            Box::new(writer).finish().map_err(Failure::Writing)
        });
        self.told(path, result)?;
        let header = 18 + name.map_or(0, |n| n.len() as u64 + 1);
        Some(Done { read: from.bytes, written: counted.bytes, header, mtime: None })
    }

    fn decompress(&mut self, path: &[u8], mut from: FdReader, to: Fd) -> Option<Done> {
        let mut start = [0; 2];
        let n = match read_full(&mut from, &mut start) {
            Ok(n) => n,
            Err(e) => return self.told(path, Err(Failure::Reading(e))),
        };
        let start = start.get(..n).unwrap_or_default().to_vec();
        let mut to: Box<dyn Write> = if self.o.test { Box::new(Nowhere) } else { Box::new(Borrowed(to)) };
        let mut from = Counted::new(Cursor::new(start.clone()).chain(from));
        if start == [0x1f, 0x9d] {
            self.broken(path, "the format of compress is not supported");
            return None;
        }
        if start != [0x1f, 0x8b] && self.o.force && self.o.stdout {
            let result = copy(&mut from, &mut to).map(|_| ());
            self.told(path, result)?;
            return Some(Done { read: from.bytes, written: from.bytes, header: 0, mtime: None });
        }
        let mut to = Counted::new(to);
        let mut reader = GzipReader::new(BufReader::new(&mut from));
        reader.pass = self.o.force && self.o.stdout;
        let result = copy(&mut reader, &mut to).map(|_| ());
        self.told(path, result)?;
        if reader.garbage && !self.o.quiet {
            let _ = sys::write_all(
                2,
                &[b"\ngzip: ", path, b": decompression OK, trailing garbage ignored\n"].concat(),
            );
        }
        if reader.garbage && self.status == 0 {
            self.status = 2;
        }
        let header = reader.header.take().unwrap_or_default();
        let size = 18 + header.name.as_ref().map_or(0, |n| n.len() as u64 + 1);
        let keep = self.o.names == Some(true) && header.mtime != 0;
        let mtime = keep.then_some(i64::from(header.mtime));
        Some(Done { read: from.bytes, written: to.bytes, header: size, mtime })
    }

    fn told(&mut self, path: &[u8], result: Result<(), Failure>) -> Option<Done> {
        const NOTHING: Done = Done { read: 0, written: 0, header: 0, mtime: None };
        match result {
            Ok(()) => return Some(NOTHING),
            Err(Failure::Writing(e)) => {
                let e = errno(&e);
                if e == Errno::PIPE {
                    self.status = 1;
                } else {
                    self.broken(b"stdout", &e.to_string());
                }
            }
            Err(Failure::Reading(e)) => self.broken(path, &reason(&e)),
        }
        None
    }

    fn list(&mut self, path: &[u8], from: FdReader, stat: Option<&Stat>) {
        let mut from = Counted::new(from);
        let mut reader = GzipReader::new(BufReader::new(&mut from));
        let result = copy(&mut reader, &mut Nowhere);
        let (header, crc, garbage) =
            (reader.header.take().unwrap_or_default(), reader.last_crc, reader.garbage);
        let (members, last_size) = (reader.members, reader.last_size);
        let unpacked = match result {
            Ok(n) => n,
            Err(e) => {
                self.told(path, Err(e));
                return;
            }
        };
        if garbage {
            let _ = sys::write_all(
                2,
                &[b"\ngzip: ", path, b": decompression OK, trailing garbage ignored\n"].concat(),
            );
            self.status = self.status.max(2);
        }
        let plain = SUFFIXES.iter().find_map(|s| path.strip_suffix(*s)).unwrap_or(path);
        let name = match (&header.name, self.o.names) {
            (Some(name), Some(true)) => name.as_slice(),
            _ => plain,
        };
        let time = match (header.mtime, stat) {
            (0, Some(stat)) => stat.mtime,
            (t, _) => i64::from(t),
        };
        // If there are several members, only the trailer of the last one is used.
        let (unpacked, size) = match members {
            0 | 1 => (unpacked, 18 + header.name.as_ref().map_or(0, |n| n.len() as u64 + 1)),
            _ => (u64::from(last_size), 0),
        };
        self.totals.line(self.o, &Line { name, packed: from.bytes, unpacked, header: size, crc, time });
    }

    fn say(&self, path: &[u8], done: &Done, target: Option<&[u8]>) {
        if self.o.verbose == 0 {
            return;
        }
        let mut line = [path, b":\t"].concat();
        if self.o.test {
            line.extend_from_slice(b" OK");
        } else {
            line.extend_from_slice(percent(done, self.o.decompress).as_bytes());
            let verb: &[u8] =
                if self.o.keep && target.is_some() { b" -- created " } else { b" -- replaced with " };
            line.extend_from_slice(verb);
            line.extend_from_slice(target.unwrap_or(b"stdout"));
        }
        line.push(b'\n');
        let _ = sys::write_all(2, &line);
    }
}

fn percent(done: &Done, decompress: bool) -> String {
    let (plain, packed) = if decompress { (done.written, done.read) } else { (done.read, done.written) };
    ratio(plain as f64 - (packed as f64 - done.header as f64), plain)
}

fn base(path: &[u8]) -> Option<&[u8]> {
    path.rsplit(|b| *b == b'/').next()
}

fn reason(e: &Error) -> String {
    match (e.kind(), e.raw_os_error()) {
        (_, Some(_)) => errno(e).to_string(),
        (ErrorKind::UnexpectedEof, _) => "unexpected end of file".into(),
        _ => e.to_string(),
    }
}

/// A descriptor that is not closed here.
struct Borrowed(Fd);

impl Read for Borrowed {
    fn read(&mut self, buf: &mut [u8]) -> std::io::Result<usize> {
        Ok(sys::read(self.0, buf)?)
    }
}

impl Write for Borrowed {
    fn write(&mut self, buf: &[u8]) -> std::io::Result<usize> {
        sys::write_all(self.0, buf)?;
        Ok(buf.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
