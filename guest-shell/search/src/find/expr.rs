//! What an expression is made of.

use crate::clock::Time;
use crate::out::Out;
use sandshell_regex::Regex;
use std::cell::RefCell;
use std::rc::Rc;

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

/// Which of a file's times.
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

/// Where an action writes: standard output or a file; shared by all actions that name the same file.
pub(crate) type Sink = Rc<RefCell<Out>>;

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
    /// Letters; whether the other way of links is asked (`-xtype`).
    Type(Vec<u8>, bool),
    /// Units of so many bytes.
    Size(Compare, u64, u64),
    Empty,
    /// Mode for files and for directories.
    Perm(PermTest, u32, u32),
    Uid(Compare, u64),
    Gid(Compare, u64),
    NoUser,
    NoGroup,
    Links(Compare, u64),
    Inode(Compare, u64),
    SameFile(u64, u64),
    Newer(Which, Time),
    /// The time compared to a point; `Equal`: in the window of so many seconds behind it.
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
