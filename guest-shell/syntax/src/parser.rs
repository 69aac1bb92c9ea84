//! The parser: turns lines of text into commands, one at a time, exactly as bash does.

mod command;
mod conditional;
mod expansion;
mod heredoc;
mod input;
mod matched;
mod token;
mod unfinished;
mod word;

use rustc_hash::FxBuildHasher;
use std::collections::HashSet;
use std::rc::Rc;

use crate::ast::{Bytes, List, Word};
use input::Input;
pub use unfinished::{Joint, Unfinished};
use word::Context;

/// How deeply commands, words and expressions may be nested.
pub const MAX_DEPTH: u32 = 100;

/// What the shell provides to a parser.
pub trait Host {
    /// The next line with its newline (the last line may lack it), or `None` at the end of input. Called only for
    /// parsers made by [`Parser::from_lines`]. `unfinished` tells that the command is incomplete; an interactive shell
    /// then prompts with PS2.
    fn next_line(&mut self, unfinished: Option<Unfinished>) -> Option<Vec<u8>>;
    /// Whether the parser should call [`text_line`](Self::text_line).
    fn sees_text_lines(&self) -> bool {
        false
    }
    /// Receives each line of a text before it is parsed. If this returns a line, that one is parsed instead. `number`
    /// is the number of the line.
    fn text_line(&mut self, line: &[u8], number: u32, unfinished: Option<Unfinished>) -> Option<Vec<u8>> {
        let _ = (line, number, unfinished);
        None
    }
    /// The value of an alias. `None` if there is none or aliases are not expanded.
    fn alias(&mut self, name: &[u8]) -> Option<Bytes>;
    /// The current options.
    fn options(&self) -> ParseOptions;
    /// A warning, to be printed as `bash: line N: warning: TEXT`.
    fn warning(&mut self, line: u32, text: &[u8]);
}

/// A host without lines and aliases, for separate pieces of text. Warnings are dropped.
#[derive(Debug, Clone, Copy, Default)]
pub struct PlainHost(pub ParseOptions);

impl Host for PlainHost {
    fn next_line(&mut self, _unfinished: Option<Unfinished>) -> Option<Vec<u8>> {
        None
    }
    fn alias(&mut self, _name: &[u8]) -> Option<Bytes> {
        None
    }
    fn options(&self) -> ParseOptions {
        self.0
    }
    fn warning(&mut self, _line: u32, _text: &[u8]) {}
}

/// Options that change how text is parsed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ParseOptions {
    /// POSIX mode.
    pub posix: bool,
    /// `shopt -s extglob`
    pub extglob: bool,
    /// `#` does not begin a comment (only interactively with `shopt -u interactive_comments`).
    pub no_comments: bool,
    /// Lines are typed: the parser asks for a line only when it needs one.
    pub interactive: bool,
}

/// A syntax error. The shell prints each of its lines as `bash: [-c:] line N: TEXT`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    /// Line numbers and texts.
    pub lines: Vec<(u32, Vec<u8>)>,
    /// The input ended inside a command, so more input could have completed it.
    pub incomplete: bool,
    /// Determines the exit status.
    pub kind: SyntaxErrorKind,
}

/// How bash continues after a syntax error. In every case it reads nothing more of a script or `-c` text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SyntaxErrorKind {
    /// Status 2.
    Syntax,
    /// A quote or bracket was not closed. The status is 2, or that of the last command if it failed.
    Unterminated,
    /// An error in `[[ ]]`. The input ends here, and as in bash 5.2 the status stays that of the last command. (For
    /// `eval` and `source` it is 2.)
    Conditional,
    /// An error inside `$(...)`: status 127 for `bash -c` text, 2 in scripts.
    Substitution,
    /// An error inside `name=(...)`: status 1.
    Array,
}

type Result<T> = std::result::Result<T, Box<SyntaxError>>;

/// The text of an alias that is being read.
#[derive(Debug)]
struct AliasText {
    name: Bytes,
    /// The position where it ends.
    end: usize,
    ends_in_blank: bool,
}

/// Reads commands.
#[derive(Debug)]
pub struct Parser {
    input: Input,
    options: ParseOptions,
    depth: u32,
    /// Positions of `((` that turned out to begin nested subshells instead of arithmetic.
    not_arithmetic: HashSet<usize, FxBuildHasher>,
    /// Replacements to apply to the source text of the current word: ranges of the buffer with their new text.
    patches: Vec<(usize, usize, Bytes)>,
    due_documents: Vec<Rc<crate::ast::HereDoc>>,
    token: Option<token::Token>,
    /// The last tokens, if the text comes in lines.
    recent: unfinished::Recent,
    /// The innermost quote around the position, or `(` for a substitution; 0 outside of all.
    quote: u8,
    /// Set while the bodies of here-documents are read; true at their first line.
    in_body: Option<bool>,
    /// A token of the current command has been read.
    started: bool,
    /// The current token is a newline that has already been consumed.
    newline_passed: bool,
    /// bash reports errors of this text only when it expands it. Until then, commands that do not parse are kept as
    /// text.
    lenient: bool,
    /// As `lenient`. For a `${` with an operator but without an end, the error also names the missing brace.
    unclosed_told: bool,
    /// In double quotes inside an operand that is itself in double quotes. There, every backslash is removed.
    inner_quotes: bool,
    /// A `/`, `#` or `%` precedes the next pattern, which therefore cannot begin with a tilde prefix.
    after_anchor: bool,
    /// In the value of an assignment or in a here-string, where tilde prefixes are recognised after a colon, even in
    /// the word of `${x-word}`.
    in_value: bool,
    /// The nesting of `name=(...)`, which determines the kind of an error.
    array_depth: u32,
    /// The text was printed from parsed commands, so its line numbers need no further correction.
    normalised: bool,
    substitution_depth: u32,
    /// Aliases whose text is being read, the innermost last.
    aliases: Vec<AliasText>,
    /// The next word can be an alias in any position, because an alias whose value ends in a blank has just ended.
    alias_anywhere: bool,
    /// The texts of `$"..."` with their lines, if they are collected.
    translatable: Option<Vec<(u32, Bytes)>>,
}

impl Parser {
    fn new(input: Input, depth: u32) -> Parser {
        Parser {
            input,
            options: ParseOptions::default(),
            depth,
            not_arithmetic: HashSet::default(),
            patches: Vec::new(),
            due_documents: Vec::new(),
            token: None,
            recent: unfinished::Recent::default(),
            quote: 0,
            in_body: None,
            started: false,
            newline_passed: false,
            lenient: false,
            unclosed_told: false,
            inner_quotes: false,
            after_anchor: false,
            in_value: false,
            array_depth: 0,
            substitution_depth: 0,
            normalised: false,
            aliases: Vec::new(),
            alias_anywhere: false,
            translatable: None,
        }
    }

    /// Parses `text`; `first_line` is the number of its first line.
    pub fn from_text(text: &[u8], first_line: u32) -> Parser {
        Parser::new(Input::text(text.into(), first_line), 0)
    }

    /// Parses the lines of [`Host::next_line`].
    pub fn from_lines(first_line: u32) -> Parser {
        Parser::new(Input::lines(first_line), 0)
    }

    /// The next complete command: everything up to the end of a line, and the further lines that it needs. `None` at
    /// the end of input. After an error the rest of the line is skipped, and parsing can continue.
    pub fn next_command(&mut self, host: &mut dyn Host) -> std::result::Result<Option<List>, SyntaxError> {
        let depth = self.depth;
        let result = Reader::new(self, host).unit();
        self.depth = depth;
        self.patches.clear();
        self.not_arithmetic.clear();
        if result.is_err() {
            self.token = None;
            self.newline_passed = false;
            self.recent = unfinished::Recent::default();
            self.due_documents.clear();
            self.array_depth = 0;
            self.substitution_depth = 0;
            self.input.skip_line();
        }
        result.map_err(|error| *error)
    }

    /// Collects the texts of `$"..."` from now on.
    pub fn keep_translatable(&mut self) {
        self.translatable.get_or_insert_default();
    }

    /// The texts of `$"..."` read since the last call, as they are written, with their lines.
    pub fn take_translatable(&mut self) -> Vec<(u32, Bytes)> {
        self.translatable.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Sets the number of the next line to be read.
    pub fn set_line(&mut self, line: u32) {
        self.input.set_line(line);
    }

    /// The number of the line being read.
    pub fn line(&self) -> u32 {
        self.input.line()
    }

    /// For `from_text`: whether the whole text has been parsed.
    pub fn at_end(&self) -> bool {
        self.rest().is_empty() && self.token.is_none() && self.input.needs_line()
    }

    /// For `from_text`: the text that has not been parsed yet.
    pub fn rest(&self) -> &[u8] {
        self.input.rest()
    }
}

/// Parses text as the inside of double quotes, in which `"` is an ordinary character: prompts, `PS4`, here-documents
/// that are made at run time.
pub fn parse_quoted_text(
    text: &[u8],
    line: u32,
    host: &mut dyn Host,
) -> std::result::Result<Word, SyntaxError> {
    let mut parser = Parser::new(Input::exact(text.into(), line), 0);
    Reader::new(&mut parser, host).whole_text(Context::HereDoc).map_err(|error| *error)
}

/// Parses a prompt as [`parse_quoted_text`] does. However, an unclosed `${` or backquote is an error of the expansion.
pub fn parse_prompt(text: &[u8], line: u32, host: &mut dyn Host) -> std::result::Result<Word, SyntaxError> {
    if let Ok(word) = parse_quoted_text(text, line, host) {
        return Ok(word);
    }
    let mut parser = Parser::new(Input::exact(text.into(), line), 0);
    parser.lenient = true;
    Reader::new(&mut parser, host).whole_text(Context::HereDoc).map_err(|error| *error)
}

/// Parses arithmetic text that may contain expansions: `let` arguments, subscripts in `unset 'a[i]'`, the text of
/// variables.
pub fn parse_arith(
    text: &[u8],
    line: u32,
    host: &mut dyn Host,
) -> std::result::Result<crate::ast::Arith, SyntaxError> {
    let mut parser = Parser::new(Input::exact(text.into(), line), 0);
    let word = Reader::new(&mut parser, host).whole_text(Context::Arith).map_err(|error| *error)?;
    Ok(expansion::make_arith(word))
}

/// Parses text as one word in which blanks and operators are ordinary characters.
pub fn parse_word_text(
    text: &[u8],
    line: u32,
    host: &mut dyn Host,
) -> std::result::Result<Word, SyntaxError> {
    let mut parser = Parser::new(Input::exact(text.into(), line), 0);
    Reader::new(&mut parser, host).whole_text(Context::Text).map_err(|error| *error)
}

/// For fuzzing: passes any bytes to each function of this crate that parses text. It must return.
pub fn fuzz_parse(text: &[u8]) {
    for extglob in [false, true] {
        let mut host = PlainHost(ParseOptions { extglob, ..ParseOptions::default() });
        let mut parser = Parser::from_text(text, 1);
        while let Ok(Some(list)) = parser.next_command(&mut host) {
            let _ = crate::print::list(&list);
        }
        let _ = parse_quoted_text(text, 1, &mut host);
        let _ = parse_arith(text, 1, &mut host);
    }
}

/// A parser while it reads, together with the shell that it asks.
struct Reader<'a> {
    p: &'a mut Parser,
    host: &'a mut dyn Host,
}

impl<'a> Reader<'a> {
    fn new(p: &'a mut Parser, host: &'a mut dyn Host) -> Reader<'a> {
        p.options = host.options();
        Reader { p, host }
    }

    fn kind(&self) -> SyntaxErrorKind {
        if self.p.array_depth > 0 {
            SyntaxErrorKind::Array
        } else if self.p.substitution_depth > 0 {
            SyntaxErrorKind::Substitution
        } else {
            SyntaxErrorKind::Syntax
        }
    }

    /// Makes an error with one line of text, at the current line.
    fn error<T>(&self, text: impl Into<Vec<u8>>) -> Result<T> {
        Err(Box::new(SyntaxError {
            lines: vec![(self.p.input.line(), text.into())],
            incomplete: false,
            kind: self.kind(),
        }))
    }

    /// Makes the error `unexpected EOF while looking for matching`.
    fn unmatched<T>(&self, line: u32, close: u8) -> Result<T> {
        let text = [b"unexpected EOF while looking for matching `".as_slice(), &[close], b"'"].concat();
        let kind =
            if self.p.array_depth > 0 { SyntaxErrorKind::Array } else { SyntaxErrorKind::Unterminated };
        Err(Box::new(SyntaxError { lines: vec![(line, text)], incomplete: true, kind }))
    }

    /// Enters a level of nesting. Each success must be paired with [`Reader::leave`], unless an error ends the parse.
    fn enter(&mut self) -> Result<()> {
        if self.p.depth >= MAX_DEPTH {
            return self.error("syntax error: nested too deeply");
        }
        self.p.depth += 1;
        Ok(())
    }

    fn leave(&mut self) {
        self.p.depth = self.p.depth.saturating_sub(1);
    }

    /// Reads something inside quotes.
    fn in_quotes<T>(&mut self, quote: u8, read: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.p.quote, quote);
        let done = read(self);
        self.p.quote = outer;
        done
    }

    /// The source text of a range of the buffer, with the patches that were made since `patches_from`.
    fn source(&mut self, start: usize, patches_from: usize) -> Bytes {
        let end = self.p.input.pos();
        let source = self.p.input.slice(start, end);
        if self.p.patches.len() == patches_from {
            return Rc::from(source);
        }
        let mut text = Vec::with_capacity(source.len());
        let mut at = start;
        for (from, to, by) in &self.p.patches[patches_from.min(self.p.patches.len())..] {
            if *from < at || *to > end {
                continue;
            }
            text.extend_from_slice(self.p.input.slice(at, *from));
            text.extend_from_slice(by);
            at = *to;
        }
        text.extend_from_slice(self.p.input.slice(at, end));
        text.into()
    }
}

/// Parses a word that brace expansion generated. `None` if it does not parse.
pub(crate) fn parse_brace_word(text: &[u8], line: u32, host: &mut dyn Host) -> Option<Word> {
    let plain = |byte: &u8| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/' | b',' | b'+' | b'%')
    };
    let source: Bytes = text.into();
    if text.iter().all(plain) {
        return Some(word::finish_word(
            vec![crate::ast::WordPart::Literal(source.clone())],
            source,
            line,
            Context::Word,
        ));
    }
    // A backquote from a sequence (`{Z..a}`) begins an unclosed substitution, which is an error of the expansion.
    let read = [false, true].into_iter().find_map(|lenient| {
        let mut parser = Parser::new(Input::exact(source.clone(), line), MAX_DEPTH / 2);
        parser.lenient = lenient;
        Reader::new(&mut parser, host).brace_word().ok()
    });
    let mut word = read?;
    word.source = source;
    Some(word)
}
