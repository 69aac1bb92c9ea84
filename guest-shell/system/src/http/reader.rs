//! Buffered reading of a connection.

use crate::net::{Deadline, Stream};
use sandshell_sys as sys;

/// As much as is read at once.
const ROOM: usize = 64 * 1024;

/// A connection and what has been read of it, but not used yet: at most 64 KiB.
pub(crate) struct Reader {
    pub(crate) stream: Stream,
    buffer: Vec<u8>,
    at: usize,
    end: usize,
}

impl Reader {
    pub(crate) fn new(stream: Stream) -> Self {
        Self { stream, buffer: vec![0; ROOM], at: 0, end: 0 }
    }

    /// What is there without reading.
    pub(crate) fn there(&self) -> &[u8] {
        self.buffer.get(self.at..self.end).unwrap_or_default()
    }

    /// Uses `n` of the bytes that are there.
    pub(crate) fn consume(&mut self, n: usize) {
        self.at = (self.at + n).min(self.end);
    }

    /// Reads more, if there is room. Returns how much; 0 is the end, or a full buffer.
    ///
    /// # Errors
    /// As [`Stream::read`].
    pub(crate) fn fill(&mut self, until: Deadline) -> sys::Result<usize> {
        if self.at > 0 {
            self.buffer.copy_within(self.at..self.end, 0);
            (self.at, self.end) = (0, self.end - self.at);
        }
        let free = self.buffer.get_mut(self.end..).unwrap_or_default();
        if free.is_empty() {
            return Ok(0);
        }
        let n = self.stream.read(free, until)?;
        self.end += n;
        Ok(n)
    }
}
