//! Descriptors as readers and writers.

use sandshell_sys::{self as sys, Errno, Fd, open_flags as o};
use std::io::{Error, ErrorKind, Read, Result, Write};

/// Reads a descriptor. Dropping it closes the descriptor, unless that is standard input.
pub(crate) struct FdReader(pub(crate) Fd);

impl FdReader {
    /// Opens a file.
    pub(crate) fn open(path: &[u8]) -> sys::Result<Self> {
        sys::open(path, o::READ | o::CLOEXEC, 0).map(Self)
    }
}

impl Read for FdReader {
    fn read(&mut self, buf: &mut [u8]) -> Result<usize> {
        loop {
            match sys::read(self.0, buf) {
                Err(Errno::INTR) => {}
                other => return Ok(other?),
            }
        }
    }
}

impl Drop for FdReader {
    fn drop(&mut self) {
        if self.0 > 2 {
            let _ = sys::close(self.0);
        }
    }
}

/// Writes a descriptor. Dropping it closes the descriptor, unless that is a standard one.
pub(crate) struct FdWriter(pub(crate) Fd);

impl Write for FdWriter {
    fn write(&mut self, buf: &[u8]) -> Result<usize> {
        sys::write_all(self.0, buf)?;
        Ok(buf.len())
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}

impl Drop for FdWriter {
    fn drop(&mut self) {
        if self.0 > 2 {
            let _ = sys::close(self.0);
        }
    }
}

/// Discards what is written.
pub(crate) struct Nowhere;

impl Write for Nowhere {
    fn write(&mut self, buf: &[u8]) -> Result<usize> {
        Ok(buf.len())
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}

/// Counts the bytes that pass through.
pub(crate) struct Counted<T> {
    pub(crate) inner: T,
    pub(crate) bytes: u64,
}

impl<T> Counted<T> {
    pub(crate) fn new(inner: T) -> Self {
        Self { inner, bytes: 0 }
    }
}

impl<T: Read> Read for Counted<T> {
    fn read(&mut self, buf: &mut [u8]) -> Result<usize> {
        let n = self.inner.read(buf)?;
        self.bytes += n as u64;
        Ok(n)
    }
}

impl<T: Write> Write for Counted<T> {
    fn write(&mut self, buf: &[u8]) -> Result<usize> {
        let n = self.inner.write(buf)?;
        self.bytes += n as u64;
        Ok(n)
    }

    fn flush(&mut self) -> Result<()> {
        self.inner.flush()
    }
}

/// Which side of a copy failed.
pub(crate) enum Failure {
    Reading(Error),
    Writing(Error),
}

/// Copies everything up to the end.
pub(crate) fn copy(from: &mut dyn Read, to: &mut dyn Write) -> std::result::Result<u64, Failure> {
    let mut buf = vec![0; 64 * 1024];
    let mut total = 0;
    loop {
        match from.read(&mut buf) {
            Ok(0) => return Ok(total),
            Ok(n) => {
                to.write_all(buf.get(..n).unwrap_or_default()).map_err(Failure::Writing)?;
                total += n as u64;
            }
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(e) => return Err(Failure::Reading(e)),
        }
    }
}

/// Reads until `buf` is full or the input ends. Returns the number of bytes.
pub(crate) fn read_full(from: &mut dyn Read, buf: &mut [u8]) -> Result<usize> {
    let mut at = 0;
    while let Some(rest) = buf.get_mut(at..).filter(|r| !r.is_empty()) {
        match from.read(rest) {
            Ok(0) => break,
            Ok(n) => at += n,
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(at)
}

/// The system error in `e`, or a general one.
pub(crate) fn errno(e: &Error) -> Errno {
    Errno::from(e)
}
