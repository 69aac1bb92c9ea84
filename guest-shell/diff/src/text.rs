//! A file's content as lines.

use std::ops::Range;

/// Content and the offsets where its lines begin.
pub(crate) struct Text {
    data: Vec<u8>,
    // One more entry than there are lines: the last one is the end of the content.
    starts: Vec<usize>,
}

impl Text {
    pub(crate) fn new(data: Vec<u8>) -> Self {
        let mut starts = vec![0];
        starts.extend(memchr::memchr_iter(b'\n', &data).map(|i| i + 1));
        if starts.last() != Some(&data.len()) {
            starts.push(data.len());
        }
        Self { data, starts }
    }

    pub(crate) const fn empty() -> Self {
        Self { data: Vec::new(), starts: Vec::new() }
    }

    /// The same text with a newline at the end.
    pub(crate) fn completed(mut self) -> Self {
        if self.is_incomplete() {
            self.data.push(b'\n');
        }
        Self::new(self.data)
    }

    /// The number of lines. An incomplete last line counts.
    pub(crate) fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    pub(crate) fn data(&self) -> &[u8] {
        &self.data
    }

    /// A line with its newline, if it has one. Empty after the end.
    pub(crate) fn line(&self, i: usize) -> &[u8] {
        self.lines(i..i.saturating_add(1))
    }

    /// A line without its newline.
    pub(crate) fn body(&self, i: usize) -> &[u8] {
        let line = self.line(i);
        line.strip_suffix(b"\n").unwrap_or(line)
    }

    /// Several lines as they are in the file.
    pub(crate) fn lines(&self, range: Range<usize>) -> &[u8] {
        let at = |i: usize| self.starts.get(i).copied().unwrap_or(self.data.len());
        self.data.get(at(range.start)..at(range.end)).unwrap_or_default()
    }

    /// Whether the last line lacks its newline.
    pub(crate) fn is_incomplete(&self) -> bool {
        self.data.last().is_some_and(|b| *b != b'\n')
    }
}

/// Whether the content is binary: whether there is a NUL byte near its beginning.
pub(crate) fn is_binary(data: &[u8]) -> bool {
    const LOOK: usize = 4096;
    memchr::memchr(0, data.get(..LOOK).unwrap_or(data)).is_some()
}

/// Removes carriage returns before newlines.
pub(crate) fn without_cr(data: Vec<u8>) -> Vec<u8> {
    let mut out = Vec::with_capacity(data.len());
    let mut rest = data.as_slice();
    while let Some(i) = memchr::memmem::find(rest, b"\r\n") {
        out.extend_from_slice(&rest[..i]);
        rest = &rest[i + 1..];
    }
    out.extend_from_slice(rest);
    out
}
