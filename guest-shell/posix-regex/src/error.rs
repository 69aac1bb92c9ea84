//! Errors in patterns.

use std::fmt;

/// Why a pattern was refused. `Display` prints the text of glibc's `regerror`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The pattern is malformed, without a more specific reason.
    BadPattern,
    /// A collating element of more than one character.
    Collate,
    /// `[[:name:]]` with an unknown name.
    ClassName,
    /// The last character is a backslash.
    Escape,
    /// A back-reference to a group that does not exist or is not closed yet.
    BackReference,
    /// A bracket expression is not closed.
    Bracket,
    /// A group is not closed.
    Paren,
    /// An interval is not closed.
    Brace,
    /// The content of an interval is not valid.
    BadBrace,
    /// The end of a range is before its start, or is not a character.
    Range,
    /// A repetition operator without an operand.
    BadRepeat,
    /// The compiled pattern would be too large.
    Size,
    /// A closing parenthesis without an opening one.
    CloseParen,
    /// `[:name:]` outside of a bracket expression. As in GNU grep, only with [`Syntax::GREP`](crate::Syntax::GREP) and
    /// [`Syntax::EGREP`](crate::Syntax::EGREP).
    ClassSyntax,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::BadPattern => "Invalid regular expression",
            Self::Collate => "Invalid collation character",
            Self::ClassName => "Invalid character class name",
            Self::Escape => "Trailing backslash",
            Self::BackReference => "Invalid back reference",
            Self::Bracket => "Unmatched [, [^, [:, [., or [=",
            Self::Paren => "Unmatched ( or \\(",
            Self::Brace => "Unmatched \\{",
            Self::BadBrace => "Invalid content of \\{\\}",
            Self::Range => "Invalid range end",
            Self::BadRepeat => "Invalid preceding regular expression",
            Self::Size => "Regular expression too big",
            Self::CloseParen => "Unmatched ) or \\)",
            Self::ClassSyntax => "character class syntax is [[:space:]], not [:space:]",
        })
    }
}

impl std::error::Error for Error {}
