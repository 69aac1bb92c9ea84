//! The tokens of commands.

use crate::ast::{Bytes, RedirectFd, Word};

/// An operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Op {
    AndThen,
    OrElse,
    Sequence,
    CaseBreak,
    CaseFallThrough,
    CaseTestNext,
    Background,
    Pipe,
    PipeBoth,
    Open,
    Close,
    Input,
    Output,
    Append,
    HereDoc,
    HereDocNoTabs,
    HereString,
    CopyInput,
    CopyOutput,
    OutputBoth,
    AppendBoth,
    Overwrite,
    InputOutput,
}

pub(super) const OPERATORS: &[(&[u8], Op)] = &[
    (b"<<<", Op::HereString),
    (b"<<-", Op::HereDocNoTabs),
    (b";;&", Op::CaseTestNext),
    (b"&>>", Op::AppendBoth),
    (b"&&", Op::AndThen),
    (b"||", Op::OrElse),
    (b";;", Op::CaseBreak),
    (b";&", Op::CaseFallThrough),
    (b"|&", Op::PipeBoth),
    (b">>", Op::Append),
    (b"<<", Op::HereDoc),
    (b"<&", Op::CopyInput),
    (b">&", Op::CopyOutput),
    (b"&>", Op::OutputBoth),
    (b">|", Op::Overwrite),
    (b"<>", Op::InputOutput),
    (b";", Op::Sequence),
    (b"&", Op::Background),
    (b"|", Op::Pipe),
    (b"(", Op::Open),
    (b")", Op::Close),
    (b"<", Op::Input),
    (b">", Op::Output),
];

impl Op {
    pub(super) fn text(self) -> &'static [u8] {
        OPERATORS.iter().find(|(_, op)| *op == self).map_or(b"", |(text, _)| *text)
    }

    pub(super) fn is_redirection(self) -> bool {
        use Op::*;
        matches!(
            self,
            Input
                | Output
                | Append
                | HereDoc
                | HereDocNoTabs
                | HereString
                | CopyInput
                | CopyOutput
                | OutputBoth
                | AppendBoth
                | Overwrite
                | InputOutput
        )
    }
}

/// A token. A newline is not consumed until the token is accepted.
#[derive(Debug, Clone)]
pub(super) enum Token {
    Word(Box<Word>),
    Op(Op),
    /// A descriptor directly before a redirection operator, with its text.
    Fd(RedirectFd, Bytes),
    Newline,
    End,
}

/// How a word at the current position is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// In the position of a command's name: aliases and assignments are recognised.
    Command,
    /// An argument.
    Argument,
    /// An argument of a command that makes assignments.
    Declaration,
    /// A `case` pattern.
    Pattern,
    /// A word without special meaning.
    Plain,
}
