//! The patch, line by line.

/// The patch and the current place in it.
pub(super) struct Lines {
    data: Vec<u8>,
    pos: usize,
    /// The number of the line that was read last.
    pub(super) number: usize,
}

impl Lines {
    pub(super) fn new(data: Vec<u8>) -> Self {
        Self { data, pos: 0, number: 0 }
    }

    /// The line at the current place, with its newline if it has one.
    pub(super) fn peek(&self) -> Option<&[u8]> {
        let rest = self.data.get(self.pos..).filter(|r| !r.is_empty())?;
        let end = memchr::memchr(b'\n', rest).map_or(rest.len(), |i| i + 1);
        rest.get(..end)
    }

    /// Reads a line.
    pub(super) fn next(&mut self) -> Option<Vec<u8>> {
        let line = self.peek()?.to_vec();
        self.pos += line.len();
        self.number += 1;
        Some(line)
    }

    /// The current place, for coming back to it.
    pub(super) fn mark(&self) -> (usize, usize) {
        (self.pos, self.number)
    }

    /// Goes back to a marked place.
    pub(super) fn rewind(&mut self, mark: (usize, usize)) {
        (self.pos, self.number) = mark;
    }

    /// The text between two places.
    pub(super) fn between(&self, from: (usize, usize), to: (usize, usize)) -> &[u8] {
        self.data.get(from.0..to.0).unwrap_or_default()
    }

    pub(super) fn is_at_start(&self) -> bool {
        self.pos == 0
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.pos >= self.data.len()
    }
}
