//! The parsed pattern.

use regex_syntax::hir::ClassUnicode;

/// A character of a pattern: a scalar value, or [`RAW`] plus a byte that is not valid UTF-8.
pub(crate) type Code = u32;

/// See [`Code`].
pub(crate) const RAW: Code = 0x11_0000;

/// Conditions that match without consuming text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    LineStart,
    LineEnd,
    TextStart,
    TextEnd,
    WordStart,
    WordEnd,
    Boundary,
    NotBoundary,
    /// Not preceded by a word character.
    NotAfterWord,
    /// Not followed by a word character.
    NotBeforeWord,
}

#[derive(Clone, Debug)]
pub(crate) enum Node {
    Empty,
    Char(Code),
    Set(ClassUnicode),
    Anchor(Anchor),
    Group(usize, Box<Node>),
    Repeat(Box<Node>, u32, Option<u32>),
    Concat(Vec<Node>),
    Alternate(Vec<Node>),
    Back(usize),
}

impl Node {
    /// Whether `test` is true for this node or a part of it.
    pub(crate) fn any(&self, test: &mut dyn FnMut(&Self) -> bool) -> bool {
        test(self)
            || match self {
                Self::Group(_, n) | Self::Repeat(n, ..) => n.any(test),
                Self::Concat(v) | Self::Alternate(v) => v.iter().any(|n| n.any(test)),
                _ => false,
            }
    }

    /// An estimate of the number of states in the compiled pattern.
    pub(crate) fn cost(&self) -> u64 {
        match self {
            Self::Set(c) => 1 + 2 * c.ranges().len() as u64,
            Self::Group(_, n) => 2 + n.cost(),
            Self::Repeat(n, min, max) => {
                n.cost().saturating_add(1).saturating_mul(u64::from(max.unwrap_or(min + 1).max(1)))
            }
            Self::Concat(v) | Self::Alternate(v) => v.iter().map(Self::cost).fold(1, u64::saturating_add),
            _ => 1,
        }
    }

    /// Whether the node can match the empty string. Back-references count as empty.
    pub(crate) fn nullable(&self) -> bool {
        match self {
            Self::Empty | Self::Anchor(_) | Self::Back(_) => true,
            Self::Char(_) | Self::Set(_) => false,
            Self::Group(_, n) => n.nullable(),
            Self::Repeat(n, min, _) => *min == 0 || n.nullable(),
            Self::Concat(v) => v.iter().all(Self::nullable),
            Self::Alternate(v) => v.iter().any(Self::nullable),
        }
    }
}
