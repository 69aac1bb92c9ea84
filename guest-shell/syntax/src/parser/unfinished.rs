//! What an unfinished command ends in where its next line is asked for: bash keeps commands of several lines as one entry of
//! its history, and joins the lines by what stands between them.

use super::command::{Mode, Op, Token};

/// Where a command goes on in another line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unfinished {
    /// Inside of these quotes; `(` stands for a substitution.
    Quoted(u8),
    /// In the bodies of a line's here-documents.
    HereDocument {
        /// It is the first line of the first body.
        first: bool,
    },
    /// In `name=(...)`.
    Array,
    /// Between words and operators.
    Between(Joint),
}

/// What words and operators before the end of a line mean for the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Joint {
    /// The head of a function or of an arm of `case` ends.
    Head,
    /// A subshell ends.
    Subshell,
    /// `for name`
    For,
    /// No command ends: after `&&`, `do` and the like.
    Open,
    /// A command ends.
    Closed,
}

/// The kinds of tokens that make a difference.
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
    /// No command ends here.
    Unended,
}

/// The last tokens that were accepted, for [`Joint`].
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Recent {
    /// Of the token that is looked at.
    next: Kind,
    last: [Kind; 3],
    /// Between `case` and `esac`.
    in_case: bool,
}

impl Recent {
    /// A token has been read, as `mode` says.
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

    /// The token that was read is accepted.
    pub(super) fn accepted(&mut self) {
        let [_, before, last] = self.last;
        self.last = [before, last, std::mem::take(&mut self.next)];
    }

    /// What the tokens before the newline ask for.
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
