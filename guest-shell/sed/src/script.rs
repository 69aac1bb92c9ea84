//! The parsed form of a script.

use crate::address::Condition;
use crate::output::Output;
use crate::pattern::Pattern;
use crate::replace::Replacement;

/// A parsed script: commands in order, in which blocks and branches are indices.
#[derive(Debug, Default)]
pub(crate) struct Script {
    pub(crate) commands: Vec<Command>,
    /// The files that `R` reads line by line.
    pub(crate) readers: Vec<Vec<u8>>,
}

/// A command with its addresses.
#[derive(Debug)]
pub(crate) struct Command {
    pub(crate) condition: Condition,
    pub(crate) action: Action,
}

#[derive(Debug)]
pub(crate) enum Action {
    /// `{`: continue at this index if the condition is false.
    Block(usize),
    /// `a`.
    Append(Vec<u8>),
    /// `i`.
    Insert(Vec<u8>),
    /// `c`.
    Change(Vec<u8>),
    /// `b`: continue at this index.
    Branch(usize),
    /// `t`.
    BranchIfReplaced(usize),
    /// `T`.
    BranchUnlessReplaced(usize),
    /// `d`.
    Delete,
    /// `D`.
    DeleteFirstLine,
    /// `e`, with its command; without one, the pattern space is the command.
    Execute(Vec<u8>),
    /// `F`.
    FileName,
    /// `g`.
    Get,
    /// `G`.
    GetAppend,
    /// `h`.
    Hold,
    /// `H`.
    HoldAppend,
    /// `x`.
    Exchange,
    /// `l`, with its width.
    List(Option<usize>),
    /// `n`.
    Next,
    /// `N`.
    NextAppend,
    /// `p`.
    Print,
    /// `P`.
    PrintFirstLine,
    /// `q`, with the exit status.
    Quit(i32),
    /// `Q`, with the exit status.
    QuitSilently(i32),
    /// `r`.
    ReadFile(Vec<u8>),
    /// `0r`: the file is printed before the first line.
    ReadFileFirst(Vec<u8>),
    /// `R`: the index of the open file.
    ReadLine(usize),
    /// `s`.
    Substitute(Box<Substitution>),
    /// `w`.
    Write(Output),
    /// `W`.
    WriteFirstLine(Output),
    /// `y`.
    Translate(Box<Translation>),
    /// `z`.
    Zap,
    /// `=`.
    LineNumber,
}

impl Action {
    /// The text of a command that takes one up to the end of a line.
    pub(crate) fn text(&mut self) -> Option<&mut Vec<u8>> {
        match self {
            Self::Append(text) | Self::Insert(text) | Self::Change(text) | Self::Execute(text) => Some(text),
            _ => None,
        }
    }
}

#[derive(Debug)]
pub(crate) struct Substitution {
    pub(crate) pattern: Pattern,
    pub(crate) replacement: Replacement,
    /// Replace from this match on, counted from 1.
    pub(crate) number: usize,
    pub(crate) global: bool,
    /// `e`: the result is a command, whose output replaces it.
    pub(crate) execute: bool,
    /// `p`, which is done before `e` if it is written before it.
    pub(crate) print: Option<Print>,
    pub(crate) file: Option<Output>,
}

/// When `s` prints its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Print {
    BeforeExecution,
    Result,
}

/// `y`: the mapping of characters.
#[derive(Debug)]
pub(crate) struct Translation {
    pub(crate) bytes: [u8; 256],
    /// Pairs in which either character has more than one byte.
    pub(crate) wide: Vec<(Vec<u8>, Vec<u8>)>,
}
