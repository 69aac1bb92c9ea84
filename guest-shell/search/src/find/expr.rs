//! The parts of an expression.

use super::sink::Sink;
use crate::clock::Time;
use sandshell_regex::Regex;

/// How numbers are compared: `+n`, `-n`, `n`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compare {
    More,
    Less,
    Equal,
}

impl Compare {
    pub(crate) fn holds<T: PartialOrd>(self, have: &T, want: &T) -> bool {
        match self {
            Self::More => have > want,
            Self::Less => have < want,
            Self::Equal => have == want,
        }
    }
}

/// Which timestamp of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Which {
    Access,
    Change,
    Modification,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PermTest {
    Exact,
    All,
    Any,
}

pub(crate) enum Node {
    And(Box<Node>, Box<Node>),
    Or(Box<Node>, Box<Node>),
    Comma(Box<Node>, Box<Node>),
    Not(Box<Node>),
    Leaf(Leaf),
}

pub(crate) enum Leaf {
    True,
    False,
    Name(Vec<u8>, bool),
    Path(Vec<u8>, bool),
    LinkName(Vec<u8>, bool),
    Regex(Box<Regex>),
    /// Type letters, and whether links are treated the opposite way (`-xtype`).
    Type(Vec<u8>, bool),
    /// The number of units, and the size of a unit in bytes.
    Size(Compare, u64, u64),
    Empty,
    /// The mode for files, and the mode for directories.
    Perm(PermTest, u32, u32),
    Uid(Compare, u64),
    Gid(Compare, u64),
    NoUser,
    NoGroup,
    Links(Compare, u64),
    Inode(Compare, u64),
    SameFile(u64, u64),
    Newer(Which, Time),
    /// Compares a timestamp with a point in time. `Equal` means within this many seconds after it.
    Age(Which, Compare, Time, i64),
    /// Days between status change and access.
    Used(Compare, f64),
    Access(u32),
    FsType(Vec<u8>),
    Prune,
    Quit,
    Print(Sink, u8),
    Printf(Sink, Vec<super::printf::Piece>),
    Ls(Sink),
    Delete,
    Exec(super::exec::Exec),
}
