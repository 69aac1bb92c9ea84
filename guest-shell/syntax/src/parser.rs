//! The parser: from lines of text to commands, one at a time, exactly as bash reads them.

use crate::ast::{Bytes, List, Word};

/// What the shell supplies while a parser reads.
pub trait Host {
    /// The next line with its newline (the last may lack it), `None` at the end of input. Only called for
    /// parsers made by [`Parser::from_lines`]. `continued` says that a command is incomplete: an
    /// interactive shell prompts with PS2 then.
    fn next_line(&mut self, continued: bool) -> Option<Vec<u8>>;
    /// The value of an alias. `None` if there is none or aliases are not expanded.
    fn alias(&mut self, name: &[u8]) -> Option<Bytes>;
    /// The options as they are now.
    fn options(&self) -> ParseOptions;
    /// A warning, to be printed as `bash: line N: warning: TEXT`.
    fn warning(&mut self, line: u32, text: &[u8]);
}

/// Options that change how text is parsed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ParseOptions {
    /// POSIX mode.
    pub posix: bool,
    /// `shopt -s extglob`
    pub extglob: bool,
    /// Comments are recognised (always, except interactively with `shopt -u interactive_comments`).
    pub no_comments: bool,
}

/// A syntax error. The shell prints every line of it as `bash: [-c:] line N: TEXT` and has status 2.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    /// Line numbers with texts.
    pub lines: Vec<(u32, Vec<u8>)>,
    /// The input ended inside a command: more input could have completed it.
    pub incomplete: bool,
}

/// Reads commands.
#[derive(Debug)]
pub struct Parser {
    line: u32,
}

impl Parser {
    /// Parses `text`; `first_line` is the number of its first line.
    pub fn from_text(_text: &[u8], first_line: u32) -> Parser {
        Parser { line: first_line }
    }

    /// Parses the lines of [`Host::next_line`].
    pub fn from_lines(first_line: u32) -> Parser {
        Parser { line: first_line }
    }

    /// The next complete command: what stands up to the end of a line (and the lines it needs). `None` at
    /// the end of input. After an error the rest of the line is skipped; parsing can go on.
    pub fn next_command(&mut self, _host: &mut dyn Host) -> Result<Option<List>, SyntaxError> {
        Ok(None)
    }

    /// The number of the line read last.
    pub fn line(&self) -> u32 {
        self.line
    }
}

/// Parses text as the inside of double quotes (prompts, here-documents of run-time text).
pub fn parse_quoted_text(_text: &[u8], _line: u32, _host: &mut dyn Host) -> Result<Word, SyntaxError> {
    Ok(Word::default())
}
