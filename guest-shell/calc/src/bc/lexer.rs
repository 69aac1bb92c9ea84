//! Tokens of the language.

use super::diag::Place;
use crate::out::{Out, say};
use crate::source::Source;
use sandshell_sys as sys;

/// A token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    Newline,
    Number(Vec<u8>),
    Str(Vec<u8>),
    Name(Vec<u8>),
    Word(Word),
    /// A single character: `( ) [ ] { } , ; + - * / % ^ ! &`.
    Op(u8),
    /// `=`, or the operator of a compound assignment such as `+=`.
    Assign(u8),
    /// `==`, `<=` and others, by the machine's names: `= # < > { }`.
    Relation(u8),
    And,
    Or,
    Increment,
    Decrement,
    Eof,
}

/// A reserved word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    Auto,
    Break,
    Continue,
    Define,
    Else,
    For,
    Halt,
    History,
    Ibase,
    If,
    Last,
    Length,
    Limits,
    Obase,
    Print,
    Quit,
    Random,
    Read,
    Return,
    Scale,
    Sqrt,
    Void,
    Warranty,
    While,
}

const WORDS: &[(&[u8], Word)] = &[
    (b"auto", Word::Auto),
    (b"break", Word::Break),
    (b"continue", Word::Continue),
    (b"define", Word::Define),
    (b"else", Word::Else),
    (b"for", Word::For),
    (b"halt", Word::Halt),
    (b"history", Word::History),
    (b"ibase", Word::Ibase),
    (b"if", Word::If),
    (b"last", Word::Last),
    (b"length", Word::Length),
    (b"limits", Word::Limits),
    (b"obase", Word::Obase),
    (b"print", Word::Print),
    (b"quit", Word::Quit),
    (b"random", Word::Random),
    (b"read", Word::Read),
    (b"return", Word::Return),
    (b"scale", Word::Scale),
    (b"sqrt", Word::Sqrt),
    (b"void", Word::Void),
    (b"warranty", Word::Warranty),
    (b"while", Word::While),
];

/// Reads the program's files one after the other, and then standard input.
pub(crate) struct Lexer {
    files: std::vec::IntoIter<Vec<u8>>,
    source: Option<Source>,
    on_stdin: bool,
    /// Standard input as a source of program text.
    stdin: Source,
    /// Standard input for `read()`, with a buffer of its own.
    numbers: Source,
    /// Characters that were given back, the next one last.
    pushed: Vec<u8>,
    /// Copies every line of standard input to standard output, as a line editor would.
    pub(crate) echo: bool,
    pub(crate) place: Place,
}

/// The program ends early, with this exit status.
pub(crate) struct Stop(pub(crate) i32);

impl Lexer {
    pub(crate) fn new(files: Vec<Vec<u8>>, place: Place) -> Self {
        Self {
            files: files.into_iter(),
            source: None,
            on_stdin: false,
            stdin: Source::new(0),
            numbers: Source::new(0),
            pushed: Vec::new(),
            echo: false,
            place,
        }
    }

    /// The input of `read()`. If the program itself comes from standard input, this is the text after the current
    /// position.
    pub(crate) fn numbers(&mut self) -> &mut Source {
        if self.on_stdin && self.numbers.at_end() { &mut self.stdin } else { &mut self.numbers }
    }

    /// The next token.
    ///
    /// # Errors
    /// If a file cannot be read, or a comment does not end.
    pub(crate) fn token(&mut self, out: &mut Out) -> Result<Token, Stop> {
        loop {
            let Some(c) = self.next(out)? else { return Ok(Token::Eof) };
            return Ok(match c {
                b' ' | b'\t' => continue,
                b'\n' => {
                    self.place.line += 1;
                    Token::Newline
                }
                b'\\' => {
                    if self.eat(b'\n', out)? {
                        self.place.line += 1;
                    } else {
                        self.place.illegal(c, out);
                    }
                    continue;
                }
                b'#' if !self.place.standard => {
                    while let Some(c) = self.next(out)? {
                        if c == b'\n' {
                            self.pushed.push(c);
                            break;
                        }
                    }
                    continue;
                }
                b'"' => match self.string(out)? {
                    Some(text) => Token::Str(text),
                    None => {
                        self.place.illegal(c, out);
                        continue;
                    }
                },
                b'0'..=b'9' | b'A'..=b'Z' => self.number(c, out)?,
                b'.' => match self.peek(out)? {
                    Some(b'0'..=b'9' | b'A'..=b'Z') => self.number(c, out)?,
                    _ => Token::Word(Word::Last),
                },
                b'a'..=b'z' => self.word(c, out)?,
                b'/' if self.eat(b'*', out)? => {
                    self.comment(out)?;
                    continue;
                }
                b'+' if self.eat(b'+', out)? => Token::Increment,
                b'-' if self.eat(b'-', out)? => Token::Decrement,
                b'+' | b'-' | b'*' | b'/' | b'%' | b'^' => {
                    if self.eat(b'=', out)? {
                        Token::Assign(c)
                    } else {
                        Token::Op(c)
                    }
                }
                b'=' => {
                    if self.eat(b'=', out)? {
                        Token::Relation(b'=')
                    } else {
                        Token::Assign(b'=')
                    }
                }
                b'!' => {
                    if self.eat(b'=', out)? {
                        Token::Relation(b'#')
                    } else {
                        Token::Op(b'!')
                    }
                }
                b'<' => Token::Relation(if self.eat(b'=', out)? { b'{' } else { b'<' }),
                b'>' => Token::Relation(if self.eat(b'=', out)? { b'}' } else { b'>' }),
                b'&' => {
                    if self.eat(b'&', out)? {
                        Token::And
                    } else {
                        Token::Op(b'&')
                    }
                }
                b'|' if self.eat(b'|', out)? => Token::Or,
                b'(' | b')' | b'[' | b']' | b'{' | b'}' | b',' | b';' => Token::Op(c),
                _ => {
                    self.place.illegal(c, out);
                    continue;
                }
            });
        }
    }

    fn number(&mut self, first: u8, out: &mut Out) -> Result<Token, Stop> {
        let mut text = vec![first];
        let mut point = first == b'.';
        while let Some(c) = self.next(out)? {
            match c {
                b'0'..=b'9' | b'A'..=b'Z' => text.push(c),
                b'.' if !point => {
                    point = true;
                    text.push(c);
                }
                b'\\' if self.eat(b'\n', out)? => self.place.line += 1,
                _ => {
                    self.pushed.push(c);
                    break;
                }
            }
        }
        if text.last() == Some(&b'.') {
            text.pop();
        }
        let zeros = text.iter().take_while(|b| **b == b'0').count();
        text.drain(..if zeros == text.len() { zeros - 1 } else { zeros });
        Ok(Token::Number(text))
    }

    fn word(&mut self, first: u8, out: &mut Out) -> Result<Token, Stop> {
        let mut text = vec![first];
        while let Some(c) = self.next(out)? {
            match c {
                b'0'..=b'9' | b'a'..=b'z' | b'_' => text.push(c),
                _ => {
                    self.pushed.push(c);
                    break;
                }
            }
        }
        if let Some((_, word)) = WORDS.iter().find(|w| w.0 == text) {
            return Ok(Token::Word(*word));
        }
        Ok(Token::Name(text))
    }

    // Reads a string up to the closing quote. `None` if it is missing.
    fn string(&mut self, out: &mut Out) -> Result<Option<Vec<u8>>, Stop> {
        let mut text = Vec::new();
        while let Some(c) = self.next(out)? {
            if c == b'"' {
                self.place.line += text.iter().filter(|b| **b == b'\n').count();
                return Ok(Some(text));
            }
            text.push(c);
        }
        self.pushed.extend(text.iter().rev());
        Ok(None)
    }

    fn comment(&mut self, out: &mut Out) -> Result<(), Stop> {
        let mut star = false;
        while let Some(c) = self.next(out)? {
            match c {
                b'/' if star => return Ok(()),
                b'\n' => self.place.line += 1,
                _ => {}
            }
            star = c == b'*';
        }
        out.flush();
        say(b"EOF encountered in a comment.\n");
        Err(Stop(0))
    }

    fn peek(&mut self, out: &mut Out) -> Result<Option<u8>, Stop> {
        let c = self.next(out)?;
        self.pushed.extend(c);
        Ok(c)
    }

    fn eat(&mut self, wanted: u8, out: &mut Out) -> Result<bool, Stop> {
        match self.next(out)? {
            Some(c) if c == wanted => Ok(true),
            c => {
                self.pushed.extend(c);
                Ok(false)
            }
        }
    }

    fn next(&mut self, out: &mut Out) -> Result<Option<u8>, Stop> {
        if let Some(c) = self.pushed.pop() {
            return Ok(Some(c));
        }
        loop {
            if let Some(source) = &mut self.source {
                if let Some(c) = source.next(|| {}) {
                    return Ok(Some(c));
                }
                source.close();
                self.source = None;
                // The end of a file also ends a token.
                return Ok(Some(b' '));
            }
            if self.on_stdin {
                let c = self.stdin.next(|| out.flush());
                if c.is_none() {
                    // GNU bc reports the end of input as line 1.
                    self.place.line = 1;
                }
                if self.echo {
                    out.raw(c.as_slice());
                }
                return Ok(c);
            }
            self.place.line = 1;
            match self.files.next() {
                Some(name) => {
                    let flags = sys::open_flags::READ | sys::open_flags::CLOEXEC;
                    match sys::open(&name, flags, 0) {
                        Ok(fd) => self.source = Some(Source::new(fd)),
                        Err(_) => {
                            out.flush();
                            say(&[b"File ", name.as_slice(), b" is unavailable.\n"].concat());
                            return Err(Stop(1));
                        }
                    }
                    self.place.file = name;
                }
                None => {
                    self.on_stdin = true;
                    self.place.file = b"(standard_in)".to_vec();
                }
            }
        }
    }
}
