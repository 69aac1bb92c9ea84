//! Compiles tokens to code, one line at a time.
//!
//! After an error, tokens are skipped as in GNU bc's table-driven parser: a new error is reported only after three
//! valid tokens, and parsing continues at the next statement.

mod expression;
mod function;
mod statement;

use super::code::Code;
use super::lexer::{Lexer, Stop, Token, Word};
use super::names::Names;
use crate::out::Out;

/// Why a rule could not be parsed.
pub(crate) enum Fail {
    /// Unexpected token.
    Syntax,
    /// The program ends.
    Stop(Stop),
}

impl From<Stop> for Fail {
    fn from(stop: Stop) -> Self {
        Self::Stop(stop)
    }
}

/// The result of parsing a line.
pub(crate) enum Line {
    /// Code to be run.
    Run(Code),
    /// Nothing to run.
    Nothing,
    /// The end of the text.
    End,
}

/// The maximum nesting of statements and expressions.
const DEEPEST: usize = 600;

pub(crate) struct Parser {
    pub(crate) lexer: Lexer,
    pub(crate) names: Names,
    token: Option<Token>,
    // How many valid tokens are needed before errors are reported again.
    quiet: u8,
    code: Code,
    loops: Vec<Loop>,
    function: Option<Inside>,
    depth: usize,
}

/// Labels of a loop. In a `while`, `continue` jumps to the label `next` at its start.
struct Loop {
    end: usize,
    next: usize,
}

/// The function being defined.
struct Inside {
    void: bool,
}

impl Parser {
    pub(crate) fn new(lexer: Lexer, names: Names) -> Self {
        Self {
            lexer,
            names,
            token: None,
            quiet: 0,
            code: Code::default(),
            loops: Vec::new(),
            function: None,
            depth: 0,
        }
    }

    /// Parses a line or the definition of a function.
    ///
    /// # Errors
    /// The program ends here.
    pub(crate) fn line(&mut self, out: &mut Out) -> Result<Line, Stop> {
        match self.line_or_fail(out) {
            Ok(line) => Ok(line),
            Err(Fail::Stop(stop)) => Err(stop),
            Err(Fail::Syntax) => Ok(Line::End),
        }
    }

    fn line_or_fail(&mut self, out: &mut Out) -> Result<Line, Fail> {
        let result = match self.peek(out)? {
            Token::Eof => return Ok(Line::End),
            Token::Word(Word::Define) => match self.define(out) {
                Ok(()) => return Ok(self.finish_line()),
                Err(Fail::Syntax) => self.recover(true, out).map(|newline| (newline, true)),
                Err(stop) => return Err(stop),
            },
            _ => Ok((false, false)),
        };
        let (done, after_statement) = result?;
        if !done {
            self.statements(None, after_statement, out)?;
        }
        Ok(self.finish_line())
    }

    fn finish_line(&mut self) -> Line {
        let code = std::mem::take(&mut self.code);
        self.loops.clear();
        self.depth = 0;
        if std::mem::take(&mut self.lexer.place.had_error) {
            return Line::Nothing;
        }
        Line::Run(code)
    }

    /// Parses statements up to the end of the line, or up to the closing brace of a block.
    fn statements(&mut self, close: Option<Token>, mut after: bool, out: &mut Out) -> Result<(), Fail> {
        // Whether an error at this point is skipped up to the newline.
        let mut fresh = true;
        loop {
            let result = match self.peek(out)? {
                Token::Newline if close.is_none() => return self.shift(out),
                Token::Newline | Token::Op(b';') => {
                    fresh = false;
                    after = false;
                    self.shift(out)
                }
                t if Some(t) == close.as_ref() => return self.shift(out),
                _ if after => {
                    fresh = true;
                    Err(Fail::Syntax)
                }
                t if starts_statement(t) => {
                    after = true;
                    self.statement(out)
                }
                _ => Err(Fail::Syntax),
            };
            match result {
                Ok(()) => {}
                Err(Fail::Syntax) => {
                    if self.recover(fresh && close.is_none(), out)? {
                        return Ok(());
                    }
                    after = true;
                }
                Err(stop) => return Err(stop),
            }
        }
    }

    // Skips tokens up to the next statement and parses that. If `newline` is set, it may instead skip to the end of the
    // line, and returns true.
    fn recover(&mut self, newline: bool, out: &mut Out) -> Result<bool, Fail> {
        loop {
            if self.quiet == 0 {
                self.lexer.place.error(b"syntax error", out);
            } else if self.quiet == 3 {
                if *self.peek(out)? == Token::Eof {
                    return Err(Fail::Syntax);
                }
                self.token = None;
            }
            self.quiet = 3;
            match self.peek(out)? {
                Token::Newline if newline => {
                    self.shift(out)?;
                    self.quiet = 0;
                    return Ok(true);
                }
                t if starts_statement(t) => match self.statement(out) {
                    Ok(()) => return Ok(false),
                    Err(Fail::Syntax) => {}
                    Err(stop) => return Err(stop),
                },
                _ => {}
            }
        }
    }

    fn peek(&mut self, out: &mut Out) -> Result<&Token, Fail> {
        if self.token.is_none() {
            self.token = Some(self.lexer.token(out)?);
        }
        Ok(self.token.get_or_insert(Token::Eof))
    }

    // Consumes the next token.
    fn shift(&mut self, out: &mut Out) -> Result<(), Fail> {
        self.peek(out)?;
        self.token = None;
        self.quiet = self.quiet.saturating_sub(1);
        Ok(())
    }

    fn eat(&mut self, token: &Token, out: &mut Out) -> Result<bool, Fail> {
        if self.peek(out)? != token {
            return Ok(false);
        }
        self.shift(out)?;
        Ok(true)
    }

    fn expect(&mut self, op: u8, out: &mut Out) -> Result<(), Fail> {
        if self.eat(&Token::Op(op), out)? { Ok(()) } else { Err(Fail::Syntax) }
    }

    // Parses a newline where POSIX does not allow one.
    fn optional_newline(&mut self, out: &mut Out) -> Result<(), Fail> {
        if self.eat(&Token::Newline, out)? {
            self.lexer.place.warn(b"newline not allowed", out);
        }
        Ok(())
    }

    fn error(&mut self, text: &str, out: &mut Out) {
        self.lexer.place.error(text.as_bytes(), out);
    }

    fn warn(&mut self, text: &str, out: &mut Out) {
        self.lexer.place.warn(text.as_bytes(), out);
    }

    // In POSIX, names have only one letter.
    fn check_name(&mut self, name: &[u8], out: &mut Out) {
        if name.len() > 1 {
            self.lexer.place.warn(&[b"multiple letter name - ", name].concat(), out);
        }
    }

    fn nested(&mut self) -> Result<(), Fail> {
        self.depth += 1;
        if self.depth > DEEPEST {
            self.depth = 0;
            return Err(Fail::Syntax);
        }
        Ok(())
    }
}

fn starts_statement(token: &Token) -> bool {
    match token {
        Token::Number(_) | Token::Str(_) | Token::Name(_) | Token::Increment | Token::Decrement => true,
        Token::Op(c) => matches!(c, b'(' | b'{' | b'-' | b'!'),
        Token::Word(w) => !matches!(w, Word::Auto | Word::Define | Word::Else | Word::Void),
        _ => false,
    }
}
