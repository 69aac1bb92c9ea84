//! Numbers in binary data.

/// Data with numbers at offsets. Reading after the end gives `None`.
#[derive(Clone, Copy)]
pub(super) struct Bytes<'a>(pub(super) &'a [u8]);

impl<'a> Bytes<'a> {
    pub(super) fn at(self, from: usize, len: usize) -> Option<&'a [u8]> {
        self.0.get(from..from.checked_add(len)?)
    }

    pub(super) fn has(self, from: usize, what: &[u8]) -> bool {
        self.at(from, what.len()) == Some(what)
    }

    pub(super) fn u8(self, at: usize) -> Option<u8> {
        self.0.get(at).copied()
    }

    /// A number of `len` bytes (at most eight).
    pub(super) fn number(self, at: usize, len: usize, big: bool) -> Option<u64> {
        let bytes = self.at(at, len)?;
        let join = |value: u64, byte: &u8| value << 8 | u64::from(*byte);
        Some(if big { bytes.iter().fold(0, join) } else { bytes.iter().rev().fold(0, join) })
    }

    pub(super) fn le16(self, at: usize) -> Option<u64> {
        self.number(at, 2, false)
    }

    pub(super) fn le32(self, at: usize) -> Option<u64> {
        self.number(at, 4, false)
    }

    pub(super) fn be16(self, at: usize) -> Option<u64> {
        self.number(at, 2, true)
    }

    pub(super) fn be32(self, at: usize) -> Option<u64> {
        self.number(at, 4, true)
    }

    /// A string that ends at a NUL or at the end of the line.
    pub(super) fn string(self, at: usize) -> &'a [u8] {
        let rest = self.0.get(at..).unwrap_or_default();
        rest.split(|b| matches!(b, 0 | b'\n' | b'\r')).next().unwrap_or_default()
    }
}
