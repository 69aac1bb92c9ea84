//! Buffered reading of operands. `-` is standard input, and errors are reported in the form that all utilities use.

use crate::quote::quotef;
use crate::warn;
use sandshell_sys::{self as sys, Errno, Fd, open_flags::READ};

const CHUNK: usize = 128 * 1024;

/// A file that is being read.
pub struct Input {
    fd: Fd,
    buffer: Vec<u8>,
    at: usize,
    end: usize,
    /// Holds a record that was not in the buffer as a whole.
    spilled: Vec<u8>,
}

impl Input {
    /// Opens `path`; `-` is standard input.
    ///
    /// # Errors
    /// As `open(2)`.
    pub fn open(path: &[u8]) -> sys::Result<Self> {
        Ok(Self::of(if path == b"-" { 0 } else { sys::open(path, READ, 0)? }))
    }

    /// Reads from a descriptor. It is closed at the end, unless it is standard input.
    pub fn of(fd: Fd) -> Self {
        Self { fd, buffer: Vec::new(), at: 0, end: 0, spilled: Vec::new() }
    }

    /// The descriptor.
    pub fn fd(&self) -> Fd {
        self.fd
    }

    /// How many bytes are in the buffer.
    pub fn pending(&self) -> usize {
        self.end - self.at
    }

    /// The buffered bytes. Reads if there are none; empty at the end of the file.
    ///
    /// # Errors
    /// As `read(2)`.
    pub fn fill(&mut self) -> sys::Result<&[u8]> {
        if self.at == self.end {
            if self.buffer.is_empty() {
                self.buffer = vec![0; CHUNK];
            }
            (self.at, self.end) = (0, 0);
            self.end = loop {
                match sys::read(self.fd, &mut self.buffer) {
                    Err(Errno::INTR) => {}
                    other => break other?,
                }
            };
        }
        Ok(&self.buffer[self.at..self.end])
    }

    /// Removes `n` of the bytes that [`fill`](Self::fill) returned.
    pub fn consume(&mut self, n: usize) {
        self.at = (self.at + n).min(self.end);
    }

    /// Passes the next record, without its `delimiter`, to `take` in one or more pieces. Returns false at the end.
    ///
    /// # Errors
    /// As `read(2)`.
    pub fn pieces(&mut self, delimiter: u8, mut take: impl FnMut(&[u8])) -> sys::Result<bool> {
        let mut any = false;
        loop {
            let there = self.fill()?;
            if there.is_empty() {
                return Ok(any);
            }
            any = true;
            let end = memchr::memchr(delimiter, there);
            let length = end.unwrap_or(there.len());
            take(&there[..length]);
            self.consume(length + usize::from(end.is_some()));
            if end.is_some() || crate::out::failure().is_some() {
                return Ok(true);
            }
        }
    }

    /// Reads the next record with its `delimiter` (which the last one may lack) into `record`. Returns false at the
    /// end.
    ///
    /// # Errors
    /// As `read(2)`.
    pub fn record(&mut self, delimiter: u8, record: &mut Vec<u8>) -> sys::Result<bool> {
        record.clear();
        loop {
            let there = self.fill()?;
            if there.is_empty() {
                return Ok(!record.is_empty());
            }
            match memchr::memchr(delimiter, there) {
                Some(i) => {
                    record.extend_from_slice(&there[..=i]);
                    self.consume(i + 1);
                    return Ok(true);
                }
                None => {
                    let n = there.len();
                    record.extend_from_slice(there);
                    self.consume(n);
                }
            }
        }
    }

    /// The next record with its `delimiter` (which the last one may lack), in the buffer if possible. `None` at the
    /// end.
    ///
    /// # Errors
    /// As `read(2)`.
    pub fn next_record(&mut self, delimiter: u8) -> sys::Result<Option<&[u8]>> {
        let from = self.at;
        if let Some(i) = memchr::memchr(delimiter, &self.buffer[from..self.end]) {
            self.at = from + i + 1;
            return Ok(Some(&self.buffer[from..self.at]));
        }
        let mut record = std::mem::take(&mut self.spilled);
        let found = self.record(delimiter, &mut record);
        self.spilled = record;
        Ok(found?.then_some(&self.spilled))
    }

    /// The next byte; `None` at the end.
    ///
    /// # Errors
    /// As `read(2)`.
    pub fn byte(&mut self) -> sys::Result<Option<u8>> {
        if self.at < self.end {
            self.at += 1;
            return Ok(Some(self.buffer[self.at - 1]));
        }
        let first = self.fill()?.first().copied();
        self.consume(1);
        Ok(first)
    }

    /// Everything up to the end.
    ///
    /// # Errors
    /// As `read(2)`.
    pub fn rest(&mut self) -> sys::Result<Vec<u8>> {
        let mut all = Vec::new();
        loop {
            let there = self.fill()?;
            if there.is_empty() {
                return Ok(all);
            }
            all.extend_from_slice(there);
            let n = there.len();
            self.consume(n);
        }
    }
}

impl Drop for Input {
    fn drop(&mut self) {
        if self.fd > 2 {
            let _ = sys::close(self.fd);
        }
    }
}

/// Opens each operand (or standard input if there are none) and passes it to `each`. Errors of either are printed as
/// `NAME: FILE: reason`. Returns the exit status.
pub fn each(
    name: &str,
    operands: &[Vec<u8>],
    mut each: impl FnMut(&[u8], &mut Input) -> sys::Result<()>,
) -> i32 {
    let stdin = [b"-".to_vec()];
    let mut code = 0;
    for path in if operands.is_empty() { &stdin[..] } else { operands } {
        if let Err(e) = Input::open(path).and_then(|mut input| each(path, &mut input)) {
            warn!(name, quotef(path), ": ", e);
            code = 1;
        }
    }
    code
}

/// The whole content of a file. `-` is standard input.
///
/// # Errors
/// As `open(2)` and `read(2)`.
pub fn contents(path: &[u8]) -> sys::Result<Vec<u8>> {
    if path == b"-" { sys::read_to_end(0) } else { sys::read_file(path) }
}

/// Splits a record from its delimiter. Returns whether it had one.
pub fn chomp(record: &[u8], delimiter: u8) -> (&[u8], bool) {
    match record.split_last() {
        Some((last, text)) if *last == delimiter => (text, true),
        _ => (record, false),
    }
}
