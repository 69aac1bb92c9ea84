//! Words after expansion.

use std::ops::Deref;
use std::rc::Rc;

/// A field. Constant words are shared with the script; others are owned.
#[derive(Clone, Debug)]
pub(crate) enum Field {
    Shared(Rc<[u8]>),
    Owned(Vec<u8>),
}

impl Deref for Field {
    type Target = [u8];
    #[inline]
    fn deref(&self) -> &[u8] {
        match self {
            Self::Shared(s) => s,
            Self::Owned(s) => s,
        }
    }
}

impl Field {
    pub(crate) fn into_vec(self) -> Vec<u8> {
        match self {
            Self::Shared(s) => s.to_vec(),
            Self::Owned(s) => s,
        }
    }
}

impl From<Vec<u8>> for Field {
    fn from(v: Vec<u8>) -> Self {
        Self::Owned(v)
    }
}

impl From<&[u8]> for Field {
    fn from(v: &[u8]) -> Self {
        Self::Owned(v.to_vec())
    }
}
