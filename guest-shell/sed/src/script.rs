//! What a script is made of.

use crate::address::Condition;
use crate::output::Output;
use crate::pattern::Pattern;
use crate::replace::Replacement;

/// A parsed script: commands in order; blocks and branches are indices.
#[derive(Debug, Default)]
pub(crate) struct Script {
    pub(crate) commands: Vec<Command>,
    /// The files that `R` reads line by line.
    pub(crate) readers: Vec<Vec<u8>>,
}

/// A command with the lines that it is for.
#[derive(Debug)]
pub(crate) struct Command {
    pub(crate) condition: Condition,
    pub(crate) action: Action,
}

#[derive(Debug)]
pub(crate) enum Action {
    /// `{`: if the condition does not hold, go on at this index.
    Block(usize),
    /// `a`.
    Append(Vec<u8>),
    /// `i`.
    Insert(Vec<u8>),
    /// `c`.
    Change(Vec<u8>),
    /// `b`: go on at this index.
    Branch(usize),
    /// `t`.
    BranchIfReplaced(usize),
    /// `T`.
    BranchUnlessReplaced(usize),
    /// `d`.
    Delete,
    /// `D`.
    DeleteFirstLine,
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
    /// `0r`: the file comes before the first line.
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

#[derive(Debug)]
pub(crate) struct Substitution {
    pub(crate) pattern: Pattern,
    pub(crate) replacement: Replacement,
    /// Replace from this match on, counted from 1.
    pub(crate) number: usize,
    pub(crate) global: bool,
    pub(crate) print: bool,
    pub(crate) file: Option<Output>,
}

/// `y`: what each character becomes.
#[derive(Debug)]
pub(crate) struct Translation {
    pub(crate) bytes: [u8; 256],
    /// Characters of more than one byte, or that become such.
    pub(crate) wide: Vec<(Vec<u8>, Vec<u8>)>,
}
