//! The parser: from lines of text to commands, one at a time, exactly as bash reads them.

mod command;
mod conditional;
mod expansion;
mod heredoc;
mod input;
mod matched;
mod unfinished;
mod word;

use std::collections::HashSet;
use std::rc::Rc;

use crate::ast::{Bytes, List, Word};
use input::Input;
pub use unfinished::{Joint, Unfinished};
use word::Context;

/// How deeply commands, words and expressions may be nested in each other.
pub const MAX_DEPTH: u32 = 100;

/// What the shell supplies while a parser reads.
pub trait Host {
    /// The next line with its newline (the last may lack it), `None` at the end of input. Only called for
    /// parsers made by [`Parser::from_lines`]. `unfinished` says that a command is incomplete: an
    /// interactive shell prompts with PS2 then.
    fn next_line(&mut self, unfinished: Option<Unfinished>) -> Option<Vec<u8>>;
    /// Whether [`text_line`](Self::text_line) is to be called.
    fn sees_text_lines(&self) -> bool {
        false
    }
    /// Looks at a line of a text before it is parsed; the line that is given back is parsed in its place. `number` is the
    /// line's.
    fn text_line(&mut self, line: &[u8], number: u32, unfinished: Option<Unfinished>) -> Option<Vec<u8>> {
        let _ = (line, number, unfinished);
        None
    }
    /// The value of an alias. `None` if there is none or aliases are not expanded.
    fn alias(&mut self, name: &[u8]) -> Option<Bytes>;
    /// The options as they are now.
    fn options(&self) -> ParseOptions;
    /// A warning, to be printed as `bash: line N: warning: TEXT`.
    fn warning(&mut self, line: u32, text: &[u8]);
}

/// A host without lines and aliases, for text that is parsed on its own. Warnings are dropped.
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
    /// Lines are typed: none is asked for before it is needed.
    pub interactive: bool,
}

/// A syntax error. The shell prints every line of it as `bash: [-c:] line N: TEXT`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    /// Line numbers with texts.
    pub lines: Vec<(u32, Vec<u8>)>,
    /// The input ended inside a command: more input could have completed it.
    pub incomplete: bool,
    /// What the error means for the exit status.
    pub kind: SyntaxErrorKind,
}

/// How bash goes on after a syntax error. In every case it reads no more of a script or `-c` text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SyntaxErrorKind {
    /// Status 2.
    Syntax,
    /// A quote or bracket was not closed: status 2, unless the last command already failed (then its status).
    Unterminated,
    /// An error in `[[ ]]`: the input ends here, the status stays that of the last command (as bash 5.2
    /// does it; `eval` and `source` give 2).
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
    /// Positions of `((` that were found to begin nested parentheses, not arithmetic.
    not_arithmetic: HashSet<usize>,
    /// Replacements to make in the source text of the word being read: ranges of the buffer.
    patches: Vec<(usize, usize, Bytes)>,
    due_documents: Vec<Rc<crate::ast::HereDoc>>,
    token: Option<command::Token>,
    /// The last tokens, if the text comes in lines.
    recent: unfinished::Recent,
    /// The innermost quotes around the position, `(` for a substitution; 0 outside of all.
    quote: u8,
    /// In the bodies of here-documents, at their first line if true.
    in_body: Option<bool>,
    /// A token of the current command has been read.
    started: bool,
    /// The token looked at is a newline that has been passed already.
    newline_passed: bool,
    /// In text whose errors bash reports only when it expands it: commands that do not parse are kept as text.
    lenient: bool,
    /// As `lenient`, and the error of `${` with an operator but no end names the brace that is missing.
    unclosed_told: bool,
    /// In double quotes of an operand that itself is in double quotes: every backslash is removed there.
    inner_quotes: bool,
    /// A `/`, `#` or `%` stands before the pattern about to be read: it does not begin with a tilde.
    after_anchor: bool,
    /// In the value of an assignment or a here-string: a tilde counts after a colon, in default words too.
    in_value: bool,
    /// Inside `name=(...)`, for the kind of errors.
    array_depth: u32,
    /// The text is what `print` made of commands: line numbers need no more care.
    normalised: bool,
    substitution_depth: u32,
    /// Aliases whose text is being read, the innermost last.
    aliases: Vec<AliasText>,
    /// The next word can be an alias wherever it stands: the text of an alias has ended whose value ends in a blank.
    alias_anywhere: bool,
    /// The texts of `$"..."` with their lines, if they are asked for.
    translatable: Option<Vec<(u32, Bytes)>>,
}

impl Parser {
    fn new(input: Input, depth: u32) -> Parser {
        Parser {
            input,
            options: ParseOptions::default(),
            depth,
            not_arithmetic: HashSet::new(),
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

    /// The next complete command: what stands up to the end of a line (and the lines it needs). `None` at
    /// the end of input. After an error the rest of the line is skipped; parsing can go on.
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

    /// Keeps the texts of `$"..."` from now on.
    pub fn keep_translatable(&mut self) {
        self.translatable.get_or_insert_default();
    }

    /// The texts of `$"..."` read since the last call, as they are written, with their lines.
    pub fn take_translatable(&mut self) -> Vec<(u32, Bytes)> {
        self.translatable.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Counts the next line to be read as line `line`.
    pub fn set_line(&mut self, line: u32) {
        self.input.set_line(line);
    }

    /// The number of the line being read.
    pub fn line(&self) -> u32 {
        self.input.line()
    }

    /// For `from_text`: whether all of the text has been parsed.
    pub fn at_end(&self) -> bool {
        self.rest().is_empty() && self.token.is_none() && self.input.needs_line()
    }

    /// For `from_text`: the text not yet parsed. What a shell reading a script from a pipe must leave alone.
    pub fn rest(&self) -> &[u8] {
        self.input.rest()
    }
}

/// Parses text as the inside of double quotes, except that `"` is an ordinary character: prompts, `PS4`,
/// here-documents made at run time.
pub fn parse_quoted_text(
    text: &[u8],
    line: u32,
    host: &mut dyn Host,
) -> std::result::Result<Word, SyntaxError> {
    let mut parser = Parser::new(Input::exact(text.into(), line), 0);
    Reader::new(&mut parser, host).whole_text(Context::HereDoc).map_err(|error| *error)
}

/// Parses a prompt, as [`parse_quoted_text`] does; but `${` and a backquote without end are errors of the expansion.
pub fn parse_prompt(text: &[u8], line: u32, host: &mut dyn Host) -> std::result::Result<Word, SyntaxError> {
    if let Ok(word) = parse_quoted_text(text, line, host) {
        return Ok(word);
    }
    let mut parser = Parser::new(Input::exact(text.into(), line), 0);
    parser.lenient = true;
    Reader::new(&mut parser, host).whole_text(Context::HereDoc).map_err(|error| *error)
}

/// Parses arithmetic text that may have expansions in it: `let` arguments, subscripts in `unset 'a[i]'`,
/// text of variables.
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

/// Parses any bytes with every entry of this crate that takes text; for fuzzing. Must return.
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

/// A parser at work: with the shell it asks.
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

    /// One line of the error at the current line.
    fn error<T>(&self, text: impl Into<Vec<u8>>) -> Result<T> {
        Err(Box::new(SyntaxError {
            lines: vec![(self.p.input.line(), text.into())],
            incomplete: false,
            kind: self.kind(),
        }))
    }

    /// `unexpected EOF while looking for matching`
    fn unmatched<T>(&self, line: u32, close: u8) -> Result<T> {
        let text = [b"unexpected EOF while looking for matching `".as_slice(), &[close], b"'"].concat();
        let kind =
            if self.p.array_depth > 0 { SyntaxErrorKind::Array } else { SyntaxErrorKind::Unterminated };
        Err(Box::new(SyntaxError { lines: vec![(line, text)], incomplete: true, kind }))
    }

    /// Counts a level of nesting; every success must be paired with [`Reader::leave`] unless an error ends
    /// the parse.
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

    /// Reads something inside of quotes.
    fn in_quotes<T>(&mut self, quote: u8, read: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.p.quote, quote);
        let done = read(self);
        self.p.quote = outer;
        done
    }

    /// The source text of a range of the buffer, with the patches made in it since `patches_from`.
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

/// A word that brace expansion made; `None` if it does not parse.
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
    // A backquote of a sequence (`{Z..a}`) begins a substitution that ends nowhere: that is an error of the expansion.
    let read = [false, true].into_iter().find_map(|lenient| {
        let mut parser = Parser::new(Input::exact(source.clone(), line), MAX_DEPTH / 2);
        parser.lenient = lenient;
        Reader::new(&mut parser, host).brace_word().ok()
    });
    let mut word = read?;
    word.source = source;
    Some(word)
}
