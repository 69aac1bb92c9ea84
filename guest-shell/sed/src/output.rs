//! Destinations of lines: standard output, files of `w`, the file that is edited in place.

use crate::{Failure, Result};
use sandshell_sys::{self as sys, open_flags};
use std::cell::RefCell;
use std::rc::Rc;

const LIMIT: usize = 64 * 1024;

/// All open files, and standard output.
pub(crate) struct Sinks {
    standard: Output,
    files: RefCell<Vec<(Vec<u8>, Output)>>,
    unbuffered: bool,
}

/// One destination, shared by the commands that name it.
#[derive(Clone, Debug)]
pub(crate) struct Output {
    sink: Rc<RefCell<Sink>>,
    // Whether the last line was written without a newline. It is written before the next line.
    missing_newline: Rc<RefCell<bool>>,
}

#[derive(Debug)]
struct Sink {
    name: Vec<u8>,
    fd: sys::Fd,
    buffer: Vec<u8>,
    unbuffered: bool,
    failed: Option<sys::Errno>,
}

impl Sinks {
    pub(crate) fn new(unbuffered: bool) -> Self {
        Self { standard: Output::to(b"stdout", 1, unbuffered), files: RefCell::default(), unbuffered }
    }

    pub(crate) fn standard(&self) -> Output {
        self.standard.clone()
    }

    /// The file of a `w` command, which is truncated when it is first opened. `/dev/stdout` and `/dev/stderr` are the
    /// program's own streams.
    pub(crate) fn open(&self, name: &[u8]) -> Result<Output> {
        let mut files = self.files.borrow_mut();
        if let Some((_, output)) = files.iter().find(|(known, _)| known == name) {
            return Ok(output.clone());
        }
        let output = match name {
            b"/dev/stdout" => Output { sink: self.standard.sink.clone(), missing_newline: Rc::default() },
            b"/dev/stderr" => Output::to(b"stderr", 2, true),
            // GNU sed no longer knows the name in messages about this file.
            _ => Output::to(b"<unknown>", create(name)?, self.unbuffered),
        };
        files.push((name.to_vec(), output.clone()));
        Ok(output)
    }

    /// Writes the buffered output. Errors are reported at the end.
    pub(crate) fn flush(&self) {
        self.standard.sink.borrow_mut().flush();
        for (_, output) in self.files.borrow().iter() {
            output.sink.borrow_mut().flush();
        }
    }

    /// As [`flush`](Self::flush), and returns the first error.
    pub(crate) fn flush_all(&self) -> Result<()> {
        self.flush();
        self.standard.check()?;
        self.files.borrow().iter().try_for_each(|(_, output)| output.check())
    }
}

fn create(name: &[u8]) -> Result<sys::Fd> {
    let flags = open_flags::WRITE | open_flags::CREATE | open_flags::TRUNC | open_flags::CLOEXEC;
    sys::open(name, flags, 0o666)
        .map_err(|e| Failure::panic(&[b"couldn't open file ", name, b": ", e.to_string().as_bytes()]))
}

impl Output {
    /// Buffered output to a descriptor. It stays open.
    pub(crate) fn to(name: &[u8], fd: sys::Fd, unbuffered: bool) -> Self {
        let sink = Sink { name: name.to_vec(), fd, buffer: Vec::new(), unbuffered, failed: None };
        Self { sink: Rc::new(RefCell::new(sink)), missing_newline: Rc::default() }
    }

    /// Writes a line. If it had no newline in the input, none is written until another line follows.
    pub(crate) fn line(&self, text: &[u8], end: Option<u8>, delimiter: u8) {
        self.finish_line(delimiter);
        let mut sink = self.sink.borrow_mut();
        sink.buffer.extend_from_slice(text);
        match end {
            Some(end) => sink.buffer.push(end),
            None => *self.missing_newline.borrow_mut() = true,
        }
        sink.written();
    }

    /// Writes text that contains its own newlines.
    pub(crate) fn text(&self, text: &[u8], delimiter: u8) {
        self.finish_line(delimiter);
        let mut sink = self.sink.borrow_mut();
        sink.buffer.extend_from_slice(text);
        sink.written();
    }

    /// Writes the newline that the last line lacks, if any.
    pub(crate) fn finish_line(&self, delimiter: u8) {
        if std::mem::take(&mut *self.missing_newline.borrow_mut()) {
            self.sink.borrow_mut().buffer.push(delimiter);
        }
    }

    /// Writes the buffered output.
    pub(crate) fn flush(&self) -> Result<()> {
        self.sink.borrow_mut().flush();
        self.check()
    }

    /// Returns the first error.
    pub(crate) fn check(&self) -> Result<()> {
        let sink = self.sink.borrow();
        match sink.failed {
            None => Ok(()),
            Some(e) => {
                Err(Failure::panic(&[b"couldn't flush ", &sink.name, b": ", e.to_string().as_bytes()]))
            }
        }
    }
}

impl Sink {
    fn written(&mut self) {
        if self.unbuffered || self.buffer.len() >= LIMIT {
            self.flush();
        }
    }

    fn flush(&mut self) {
        if self.failed.is_none()
            && !self.buffer.is_empty()
            && let Err(e) = sys::write_all(self.fd, &self.buffer)
        {
            self.failed = Some(e);
        }
        self.buffer.clear();
    }
}

impl std::fmt::Debug for Sinks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sinks").finish_non_exhaustive()
    }
}
