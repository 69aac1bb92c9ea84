//! Where an unfinished command stands when its next line is requested. bash keeps a command of several lines as one
//! entry of its history. What it puts between the joined lines depends on the tokens around them.

use super::token::{Mode, Op, Token};

/// The place in a command where another line follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unfinished {
    /// Inside these quotes; `(` stands for a substitution.
    Quoted(u8),
    /// In the bodies of here-documents.
    HereDocument {
        /// Whether it is the first line of the first body.
        first: bool,
    },
    /// In `name=(...)`.
    Array,
    /// Between words and operators.
    Between(Joint),
}

/// How a line can be joined to the next one, by the tokens before its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Joint {
    /// The head of a function or of a `case` arm ends.
    Head,
    /// A subshell ends.
    Subshell,
    /// `for name`
    For,
    /// No command ends, as after `&&` or `do`.
    Open,
    /// A command ends.
    Closed,
}

/// The kinds of tokens that matter for joining lines.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Kind {
    #[default]
    Other,
    Word,
    Open,
    Close,
    Function,
    For,
    Case,
    /// A token after which no command ends.
    Unended,
}

/// The last tokens that were accepted, from which [`Joint`] is determined.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Recent {
    /// The kind of the current token, which has not been accepted yet.
    next: Kind,
    last: [Kind; 3],
    /// Whether the position is between `case` and `esac`.
    in_case: bool,
}

impl Recent {
    /// Notes a token that was read in `mode`.
    pub(super) fn read(&mut self, token: &Token, mode: Mode) {
        self.next = match token {
            Token::Newline => Kind::Unended,
            Token::Op(Op::Open) => Kind::Open,
            Token::Op(Op::Close) => Kind::Close,
            Token::Op(
                Op::Sequence
                | Op::Background
                | Op::Pipe
                | Op::CaseBreak
                | Op::CaseFallThrough
                | Op::CaseTestNext
                | Op::AndThen
                | Op::OrElse,
            ) => Kind::Unended,
            Token::Word(word) if matches!(mode, Mode::Command | Mode::Plain | Mode::Pattern) => {
                match &*word.source {
                    b"function" => Kind::Function,
                    b"for" => Kind::For,
                    b"case" => {
                        self.in_case = true;
                        Kind::Case
                    }
                    b"esac" => {
                        self.in_case = false;
                        Kind::Other
                    }
                    b"{" | b"do" | b"else" | b"if" | b"then" | b"until" | b"while" | b"in" => Kind::Unended,
                    _ => Kind::Word,
                }
            }
            Token::Word(_) => Kind::Word,
            Token::Op(_) | Token::Fd(..) | Token::End => Kind::Other,
        };
    }

    /// Notes that the current token has been accepted.
    pub(super) fn accepted(&mut self) {
        let [_, before, last] = self.last;
        self.last = [before, last, std::mem::take(&mut self.next)];
    }

    /// How the line that ends here can be joined to the next.
    pub(super) fn joint(&self) -> Joint {
        let [two_ago, before, _] = self.last;
        match (two_ago, before) {
            (Kind::Open, Kind::Close) | (Kind::Function, Kind::Word) => Joint::Head,
            (_, Kind::Close) if self.in_case => Joint::Head,
            (_, Kind::Close) => Joint::Subshell,
            (Kind::For, Kind::Word) => Joint::For,
            (Kind::Case, Kind::Word) | (_, Kind::Unended | Kind::Open | Kind::Case) => Joint::Open,
            _ => Joint::Closed,
        }
    }
}
