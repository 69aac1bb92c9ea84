//! Byte strings that are cheap to copy: short ones are stored inline, long ones are shared.

use sandshell_posix::characters;
use std::fmt;
use std::rc::Rc;

const INLINE: usize = 22;

/// An immutable byte string, or a shared one that can grow while it has a single owner.
#[derive(Clone)]
pub(crate) enum Text {
    Inline(u8, [u8; INLINE]),
    Shared(Rc<Vec<u8>>),
}

impl Text {
    pub(crate) const EMPTY: Self = Self::Inline(0, [0; INLINE]);

    pub(crate) fn new(bytes: &[u8]) -> Self {
        if bytes.len() <= INLINE {
            let mut data = [0; INLINE];
            data[..bytes.len()].copy_from_slice(bytes);
            Self::Inline(bytes.len() as u8, data)
        } else {
            Self::Shared(Rc::new(bytes.to_vec()))
        }
    }

    pub(crate) fn from_vec(bytes: Vec<u8>) -> Self {
        if bytes.len() <= INLINE { Self::new(&bytes) } else { Self::Shared(Rc::new(bytes)) }
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Inline(n, data) => data.get(..usize::from(*n)).unwrap_or_default(),
            Self::Shared(v) => v,
        }
    }

    /// Appends in place. Copies only if the string has other owners.
    pub(crate) fn push(&mut self, more: &[u8]) {
        if let Self::Shared(v) = self {
            Rc::make_mut(v).extend_from_slice(more);
            return;
        }
        let mut all = Vec::with_capacity((self.as_bytes().len() + more.len()) * 2);
        all.extend_from_slice(self.as_bytes());
        all.extend_from_slice(more);
        *self = Self::from_vec(all);
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", String::from_utf8_lossy(self.as_bytes()))
    }
}

/// The number of characters. As in C.UTF-8, a byte that is not part of valid UTF-8 counts as one.
pub(crate) fn count_chars(bytes: &[u8]) -> usize {
    if bytes.is_ascii() {
        return bytes.len();
    }
    bytes.utf8_chunks().map(|c| c.valid().chars().count() + c.invalid().len()).sum()
}

/// The length in bytes of the character at `at`.
pub(crate) fn char_len(bytes: &[u8], at: usize) -> usize {
    characters::length(bytes.get(at..).unwrap_or_default())
}

/// The byte offset of character `n` (from 0). If there are fewer characters, the length of the text.
pub(crate) fn char_offset(bytes: &[u8], n: usize) -> usize {
    let mut at = 0;
    for _ in 0..n {
        if at >= bytes.len() {
            break;
        }
        at += char_len(bytes, at);
    }
    at
}
