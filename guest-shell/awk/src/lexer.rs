//! Converts program text to tokens.

use crate::builtin::Builtin;
use crate::diag::{self, Pos, bytes};
use crate::number;
use crate::source::Source;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Tok {
    Eof,
    Newline,
    /// An operator or a punctuation mark, as written.
    Op(&'static str),
    Number(f64),
    Str(Vec<u8>),
    Name(Vec<u8>),
    /// A name directly followed by an opening parenthesis.
    FuncName(Vec<u8>),
    Key(Key),
    /// A built-in function.
    Builtin(Builtin),
    /// A character that cannot begin a token.
    Bad(u8),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    Begin,
    End,
    BeginFile,
    EndFile,
    Function,
    If,
    Else,
    While,
    For,
    Do,
    Break,
    Continue,
    Next,
    NextFile,
    Exit,
    Return,
    Delete,
    In,
    Getline,
    Print,
    Printf,
    Switch,
    Case,
    Default,
}

const KEYS: &[(&str, Key)] = &[
    ("BEGIN", Key::Begin),
    ("END", Key::End),
    ("BEGINFILE", Key::BeginFile),
    ("ENDFILE", Key::EndFile),
    ("function", Key::Function),
    ("func", Key::Function),
    ("if", Key::If),
    ("else", Key::Else),
    ("while", Key::While),
    ("for", Key::For),
    ("do", Key::Do),
    ("break", Key::Break),
    ("continue", Key::Continue),
    ("next", Key::Next),
    ("nextfile", Key::NextFile),
    ("exit", Key::Exit),
    ("return", Key::Return),
    ("delete", Key::Delete),
    ("in", Key::In),
    ("getline", Key::Getline),
    ("print", Key::Print),
    ("printf", Key::Printf),
    ("switch", Key::Switch),
    ("case", Key::Case),
    ("default", Key::Default),
];

/// Keywords that POSIX or traditional awk do not have.
const EXTENSIONS: &[&str] = &["BEGINFILE", "ENDFILE", "func", "switch", "case", "default"];

/// Operators, the longest first.
const OPS: &[&str] = &[
    "**=", "||", "&&", "**", "^=", "+=", "-=", "*=", "/=", "%=", "==", "<=", ">=", "!=", "!~", "++", "--",
    ">>", "|&", "{", "}", "(", ")", "[", "]", ";", ",", "+", "-", "*", "/", "%", "^", "!", ">", "<", "|",
    "?", ":", "~", "$", "=", "@",
];

/// The message for a source that ends in the middle of a rule.
pub(crate) const UNEXPECTED: &str = "unexpected newline or end of string";
const INCOMPLETE: &str = "source files / command-line arguments must contain complete functions or rules";

/// Whether a name is a keyword or a built-in function.
pub(crate) fn is_reserved(name: &[u8]) -> bool {
    let text = std::str::from_utf8(name).unwrap_or_default();
    KEYS.iter().any(|k| k.0 == text) || Builtin::find(text, false).is_some()
}

/// Whether a name is reserved even inside namespaces. gawk extensions are not.
pub(crate) fn is_standard(name: &[u8]) -> bool {
    let text = std::str::from_utf8(name).unwrap_or_default();
    KEYS.iter().any(|k| k.0 == text) || Builtin::find(text, true).is_some()
}

/// An error in the program's text.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Printed with the line and a caret below the position.
    Syntax(usize, Vec<u8>),
    /// Printed with the line number only.
    Bare(Vec<u8>),
    /// The source ends too early: the text to show as its line, the column, and the message.
    EndOfFile(Vec<u8>, usize, &'static str),
    /// Printed after `error: `.
    Plain(Vec<u8>),
    /// The message has been written. This is the exit status.
    Said(i32),
    /// Printed after `fatal: `, with the line if the flag is set.
    Fatal(Vec<u8>, bool),
}

pub(crate) struct Lexer {
    pub(crate) text: Vec<u8>,
    pub(crate) name: Vec<u8>,
    pub(crate) source: u16,
    pub(crate) at: usize,
    pub(crate) line: u32,
    /// Where the current token begins.
    pub(crate) start: usize,
    pub(crate) posix: bool,
    pub(crate) traditional: bool,
    /// The namespace of unqualified names. Empty for `awk`.
    pub(crate) namespace: Vec<u8>,
    ended: bool,
    /// The position of the first zero byte.
    nul: usize,
    /// The start of a comment that reaches to the end of the text.
    pub(crate) last_comment: Option<usize>,
    warned: Vec<Vec<u8>>,
}

impl Lexer {
    pub(crate) fn new(source: Source, number: u16) -> Self {
        Self {
            nul: memchr::memchr(0, &source.text).unwrap_or(usize::MAX),
            text: source.text,
            name: source.name,
            source: number,
            at: 0,
            line: 1,
            start: 0,
            posix: false,
            traditional: false,
            namespace: Vec::new(),
            ended: false,
            last_comment: None,
            warned: Vec::new(),
        }
    }

    pub(crate) fn pos(&self) -> Pos {
        Pos { source: self.source, line: self.line }
    }

    pub(crate) fn warn(&self, text: &[u8]) {
        let mut line = Vec::new();
        number::push_int(&mut line, self.line.into());
        diag::say(&bytes!(self.name, ":", line, ": warning: ", text));
    }

    pub(crate) fn peek(&self, n: usize) -> u8 {
        self.text.get(self.at + n).copied().unwrap_or(0)
    }

    /// The next token.
    pub(crate) fn next(&mut self) -> Result<Tok, Failure> {
        let tok = self.token()?;
        self.refuse_nul()?;
        Ok(tok)
    }

    fn token(&mut self) -> Result<Tok, Failure> {
        loop {
            match self.peek(0) {
                b' ' | b'\t' | b'\r' => self.at += 1,
                b'\\' if self.peek(1) == b'\n' => {
                    self.at += 2;
                    self.line += 1;
                }
                b'\\' if self.peek(1) == b'\r' && self.peek(2) == b'\n' => {
                    self.at += 3;
                    self.line += 1;
                }
                b'#' => {
                    let begin = self.at;
                    while self.at < self.text.len() && self.peek(0) != b'\n' {
                        self.at += 1;
                    }
                    if self.at + 1 >= self.text.len() {
                        self.last_comment = Some(begin);
                    }
                }
                _ => break,
            }
        }
        self.start = self.at;
        if self.at >= self.text.len() {
            if self.ended {
                return Ok(Tok::Eof);
            }
            self.ended = true;
            return Ok(Tok::Newline);
        }
        let b = self.peek(0);
        match b {
            b'\n' => {
                self.at += 1;
                self.line += 1;
                Ok(Tok::Newline)
            }
            b'"' => self.string(),
            b'0'..=b'9' => Ok(self.number()),
            b'.' if self.peek(1).is_ascii_digit() => Ok(self.number()),
            b'A'..=b'Z' | b'a'..=b'z' | b'_' => self.word(),
            b'\\' => Err(Failure::Syntax(self.at, b"backslash not last character on line".to_vec())),
            _ => {
                let rest = self.text.get(self.at..).unwrap_or_default();
                let known =
                    |op: &&&str| rest.starts_with(op.as_bytes()) && !(self.posix && op.starts_with("**"));
                match OPS.iter().find(known) {
                    Some(op) => {
                        self.at += op.len();
                        Ok(Tok::Op(match *op {
                            "**" => "^",
                            "**=" => "^=",
                            op => op,
                        }))
                    }
                    None => {
                        self.at += 1;
                        Ok(Tok::Bad(b))
                    }
                }
            }
        }
    }

    fn number(&mut self) -> Tok {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let (n, len) =
            if self.posix || self.traditional { number::scan(rest) } else { number::scan_any_base(rest) };
        self.at += len.max(1);
        Tok::Number(n)
    }

    fn word(&mut self) -> Result<Tok, Failure> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let len = rest.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
        let word = rest.get(..len).unwrap_or_default().to_vec();
        self.at += len;
        let text = std::str::from_utf8(&word).unwrap_or_default();
        let plain = self.posix || self.traditional;
        if let Some((name, key)) = KEYS.iter().find(|k| k.0 == text)
            && !(plain && EXTENSIONS.contains(name))
            && !self.is_qualified()
        {
            return Ok(Tok::Key(*key));
        }
        if let Some(b) = Builtin::find(text, plain)
            && !self.is_qualified()
            && (self.namespace.is_empty() || !b.is_extension())
        {
            return Ok(Tok::Builtin(b));
        }
        let word = if plain { word } else { self.qualified(word)? };
        let text = std::str::from_utf8(&word).unwrap_or_default();
        // `awk::` before the name of a gawk extension.
        if let Some(b) = Builtin::find(text, plain).filter(|b| b.is_extension()) {
            return Ok(Tok::Builtin(b));
        }
        Ok(if self.peek(0) == b'(' { Tok::FuncName(word) } else { Tok::Name(word) })
    }

    // Whether `::` and a name follow.
    fn is_qualified(&self) -> bool {
        let b = self.peek(2);
        !(self.posix || self.traditional)
            && self.peek(0) == b':'
            && self.peek(1) == b':'
            && (b.is_ascii_alphabetic() || b == b'_')
    }

    // The qualified name, unless its namespace is `awk`. Names in capitals always belong to `awk`.
    fn qualified(&mut self, word: Vec<u8>) -> Result<Vec<u8>, Failure> {
        if !self.is_qualified() {
            if self.namespace.is_empty() || word.iter().all(u8::is_ascii_uppercase) {
                return Ok(word);
            }
            return Ok(bytes!(self.namespace, "::", word));
        }
        self.at += 2;
        let rest = self.text.get(self.at..).unwrap_or_default();
        let len = rest.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
        let second = rest.get(..len).unwrap_or_default().to_vec();
        self.at += len;
        let mut error = Vec::new();
        if is_standard(&second) {
            error = bytes!(
                "using reserved identifier `",
                second,
                "' as second component of a qualified name is not allowed"
            );
        } else if is_standard(&word) {
            error = bytes!("using reserved identifier `", word, "' as a namespace is not allowed");
        }
        if !error.is_empty() {
            let mut line = Vec::new();
            number::push_int(&mut line, self.line.into());
            diag::say(&bytes!(self.name, ":", line, ": error: ", error));
            let blanks = self.text.get(self.at..).unwrap_or_default();
            let blanks = blanks.iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
            return Err(Failure::Syntax(self.at + blanks, b"syntax error".to_vec()));
        }
        Ok(if word == b"awk" { second } else { bytes!(word, "::", second) })
    }

    fn string(&mut self) -> Result<Tok, Failure> {
        let open = self.at;
        self.at += 1;
        let mut raw = Vec::new();
        loop {
            match self.text.get(self.at).copied() {
                None | Some(b'\n') => return Err(Failure::Syntax(open, b"unterminated string".to_vec())),
                Some(b'"') => break,
                Some(b'\\') => {
                    match self.text.get(self.at + 1).copied() {
                        // A backslash continues the string on the next line.
                        Some(b'\n') => self.line += 1,
                        Some(b'\r') if self.text.get(self.at + 2) == Some(&b'\n') => {
                            self.at += 1;
                            self.line += 1;
                        }
                        Some(b) => raw.extend([b'\\', b]),
                        None => return Err(Failure::Syntax(open, b"unterminated string".to_vec())),
                    }
                    self.at += 2;
                }
                Some(b) => {
                    raw.push(b);
                    self.at += 1;
                }
            }
        }
        self.at += 1;
        let mut warnings = Vec::new();
        let text = crate::escape::string(&raw, self.posix, &mut warnings);
        for w in warnings {
            // Each unknown escape sequence is reported once.
            let unknown = w.starts_with(b"escape sequence");
            if !unknown || !self.warned.contains(&w) {
                self.warn(&w);
                self.warned.push(w);
            }
        }
        Ok(Tok::Str(text))
    }

    /// Reads a regular expression. The current token is its opening slash, possibly as `/=`.
    pub(crate) fn regex(&mut self) -> Result<Vec<u8>, Failure> {
        let source = self.slashed();
        self.refuse_nul()?;
        source
    }

    fn refuse_nul(&self) -> Result<(), Failure> {
        if self.at > self.nul {
            return Err(Failure::Fatal(b"error: invalid character '\\000' in source code".to_vec(), true));
        }
        Ok(())
    }

    fn slashed(&mut self) -> Result<Vec<u8>, Failure> {
        self.at = self.start + 1;
        let begin = self.at;
        let mut out = Vec::new();
        let mut in_brackets = false;
        let mut bracket_start = 0;
        loop {
            let Some(b) = self.text.get(self.at).copied() else {
                return Err(Failure::Syntax(begin, b"unterminated regexp".to_vec()));
            };
            match b {
                b'\n' => return Err(Failure::Syntax(begin, b"unterminated regexp".to_vec())),
                b'\\' => match self.text.get(self.at + 1).copied() {
                    Some(b'\n') => {
                        self.line += 1;
                        self.at += 2;
                        continue;
                    }
                    Some(b'\r') if self.text.get(self.at + 2) == Some(&b'\n') => {
                        self.line += 1;
                        self.at += 3;
                        continue;
                    }
                    Some(next) => {
                        out.extend([b, next]);
                        self.at += 2;
                        continue;
                    }
                    None => {
                        return Err(Failure::Syntax(begin, b"unterminated regexp at end of file".to_vec()));
                    }
                },
                b'[' if !in_brackets => {
                    in_brackets = true;
                    bracket_start = out.len() + 1;
                    out.push(b);
                    self.at += 1;
                    if self.peek(0) == b'^' {
                        out.push(b'^');
                        self.at += 1;
                        bracket_start += 1;
                    }
                    continue;
                }
                b'[' if in_brackets && matches!(self.peek(1), b':' | b'.' | b'=') => {
                    // `[:alpha:]` inside brackets.
                    let kind = self.peek(1);
                    let rest = self.text.get(self.at + 2..).unwrap_or_default();
                    let close = rest.windows(2).position(|w| w == [kind, b']']);
                    let line_end = rest.iter().position(|b| matches!(b, b'\n' | b'/')).unwrap_or(rest.len());
                    if let Some(n) = close.filter(|n| *n < line_end) {
                        let len = n + 4;
                        out.extend_from_slice(self.text.get(self.at..self.at + len).unwrap_or_default());
                        self.at += len;
                        continue;
                    }
                }
                b']' if in_brackets && out.len() > bracket_start => in_brackets = false,
                b'/' if !in_brackets => {
                    self.at += 1;
                    return Ok(out);
                }
                _ => {}
            }
            out.push(b);
            self.at += 1;
        }
    }

    /// The number of lines.
    pub(crate) fn lines(&self) -> i64 {
        let newlines = self.text.iter().filter(|b| **b == b'\n').count();
        (newlines + usize::from(!self.text.ends_with(b"\n"))) as i64
    }

    /// The error for a source that ends in the middle of a rule, where gawk does not show the last line.
    pub(crate) fn early_end(&self) -> Option<Failure> {
        let incomplete = |column| Failure::EndOfFile(b"(END OF FILE)".to_vec(), column, INCOMPLETE);
        if let Some(at) = self.last_comment {
            return Some(incomplete(self.line_at(at).1));
        }
        if self.start < self.text.len() || self.name == b"cmd. line" {
            return None;
        }
        if !self.text.ends_with(b"\n") {
            return Some(incomplete(self.line_at(self.text.len()).1.saturating_sub(1)));
        }
        // If a file begins with an empty line, gawk shows the next character.
        Some(match self.text.strip_prefix(b"\n") {
            Some(rest) => Failure::EndOfFile(rest.iter().take(1).copied().collect(), 0, UNEXPECTED),
            None => incomplete(0),
        })
    }

    /// The text of the line that contains a position, and the offset of the position in it.
    pub(crate) fn line_at(&self, at: usize) -> (Vec<u8>, usize) {
        let at = at.min(self.text.len());
        let before = self.text.get(..at).unwrap_or_default();
        let begin = before.iter().rposition(|b| *b == b'\n').map_or(0, |i| i + 1);
        let rest = self.text.get(begin..).unwrap_or_default();
        let end = rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
        (rest.get(..end).unwrap_or_default().to_vec(), at - begin)
    }
}
