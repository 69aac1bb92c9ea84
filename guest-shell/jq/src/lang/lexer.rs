//! Splits program text into tokens.

use crate::reader;
use crate::text::Text;
use crate::value::Val;

/// A token and its position.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) start: usize,
}

/// The kind of a token.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    /// Keywords, operators, brackets.
    Op(&'static str),
    Ident(String),
    Field(String),
    Binding(String),
    Format(String),
    Literal(Constant),
    StringStart,
    StringText(Constant),
    InterpolationStart,
    InterpolationEnd,
    StringEnd,
    Invalid,
    End,
}

/// The value of a constant, or the error in it.
#[derive(Clone)]
pub(super) struct Constant(pub(super) Result<Val, String>);

impl PartialEq for Constant {
    fn eq(&self, _: &Self) -> bool {
        false
    }
}

impl std::fmt::Debug for Constant {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("constant")
    }
}

impl Kind {
    /// The name of the kind in syntax errors.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Op(op) if op.len() == 1 => format!("'{op}'"),
            Self::Op(op) => (*op).to_owned(),
            Self::Ident(_) => "IDENT".to_owned(),
            Self::Field(_) => "FIELD".to_owned(),
            Self::Binding(_) => "BINDING".to_owned(),
            Self::Format(_) => "FORMAT".to_owned(),
            Self::Literal(_) => "LITERAL".to_owned(),
            Self::StringStart => "QQSTRING_START".to_owned(),
            Self::StringText(_) => "QQSTRING_TEXT".to_owned(),
            Self::InterpolationStart => "QQSTRING_INTERP_START".to_owned(),
            Self::InterpolationEnd => "QQSTRING_INTERP_END".to_owned(),
            Self::StringEnd => "QQSTRING_END".to_owned(),
            Self::Invalid => "INVALID_CHARACTER".to_owned(),
            Self::End => "end of file".to_owned(),
        }
    }
}

/// Words that cannot be identifiers.
pub(super) const KEYWORDS: [&str; 18] = [
    "as", "import", "include", "module", "def", "if", "then", "else", "elif", "and", "or", "end", "reduce",
    "foreach", "try", "catch", "label", "break",
];

/// The operators, the longest first.
const OPERATORS: [&str; 29] = [
    "?//", "//=", "!=", "==", "//", "|=", "+=", "-=", "*=", "/=", "%=", "<=", ">=", "..", ".", "?", "=", ";",
    ",", ":", "|", "+", "-", "*", "/", "%", "$", "<", ">",
];

/// Splits a program. The last token is [`Kind::End`]. As in jq's messages, its position is that of the token before it.
pub(super) fn tokens(text: &[u8]) -> Vec<Token> {
    let mut lexer = Lexer { text, at: 0, nest: Vec::new(), last: 0 };
    let mut all = Vec::new();
    while lexer.at < text.len() {
        let start = lexer.at;
        lexer.last = start;
        if let Some(kind) = lexer.token() {
            all.push(Token { kind, start });
        }
    }
    all.push(Token { kind: Kind::End, start: lexer.last });
    all
}

/// An open bracket, string, or interpolation in a string.
#[derive(PartialEq)]
enum Nest {
    Bracket(u8),
    String,
    Interpolation,
}

struct Lexer<'a> {
    text: &'a [u8],
    at: usize,
    nest: Vec<Nest>,
    last: usize,
}

impl Lexer<'_> {
    fn token(&mut self) -> Option<Kind> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        if self.nest.last() == Some(&Nest::String) {
            return Some(self.in_string(rest));
        }
        let c = rest.first().copied()?;
        match c {
            b' ' | b'\n' | b'\t' => {
                self.at += count(rest, |b| matches!(b, b' ' | b'\n' | b'\t'));
                return None;
            }
            b'#' => {
                self.at += count(rest, |b| b != b'\n');
                return None;
            }
            b'"' => {
                self.at += 1;
                self.nest.push(Nest::String);
                return Some(Kind::StringStart);
            }
            b'(' | b'[' | b'{' => {
                self.at += 1;
                self.nest.push(Nest::Bracket(c));
                return Some(Kind::Op(match c {
                    b'(' => "(",
                    b'[' => "[",
                    _ => "{",
                }));
            }
            b')' | b']' | b'}' => {
                self.at += 1;
                return Some(self.close(c));
            }
            _ => {}
        }
        if let Some(n) = number_length(rest) {
            self.at += n;
            return Some(Kind::Literal(Constant(reader::parse_text(&rest[..n]))));
        }
        self.word(rest).or_else(|| self.operator(rest)).or_else(|| {
            self.at += 1;
            Some(Kind::Invalid)
        })
    }

    fn close(&mut self, c: u8) -> Kind {
        let (kind, matches) = match self.nest.last() {
            Some(Nest::Bracket(b'(')) => (Kind::Op(")"), c == b')'),
            Some(Nest::Bracket(b'[')) => (Kind::Op("]"), c == b']'),
            Some(Nest::Bracket(_)) => (Kind::Op("}"), c == b'}'),
            Some(Nest::Interpolation) => (Kind::InterpolationEnd, c == b')'),
            _ => (Kind::Invalid, false),
        };
        if !matches {
            return Kind::Invalid;
        }
        self.nest.pop();
        kind
    }

    fn in_string(&mut self, rest: &[u8]) -> Kind {
        match rest {
            [b'\\', b'(', ..] => {
                self.at += 2;
                self.nest.push(Nest::Interpolation);
                Kind::InterpolationStart
            }
            [b'"', ..] => {
                self.at += 1;
                self.nest.pop();
                Kind::StringEnd
            }
            [b'\\'] => {
                self.at += 1;
                Kind::Invalid
            }
            [b'\\', ..] => {
                let n = escapes_length(rest);
                self.at += n;
                let quoted = [b"\"", &rest[..n], b"\""].concat();
                Kind::StringText(Constant(reader::parse_text(&quoted)))
            }
            _ => {
                let n = count(rest, |b| b != b'\\' && b != b'"');
                self.at += n;
                Kind::StringText(Constant(Ok(Val::Str(Text::lossy(&rest[..n])))))
            }
        }
    }

    fn word(&mut self, rest: &[u8]) -> Option<Kind> {
        let (sigil, name) = match rest {
            [c @ (b'.' | b'$' | b'@'), name @ ..] => (*c, name),
            name => (b' ', name),
        };
        let n = match sigil {
            b'@' => count(name, is_word),
            b'.' => word_length(name),
            _ => path_length(name),
        };
        if n == 0 {
            return None;
        }
        let text = String::from_utf8_lossy(&name[..n]).into_owned();
        self.at += n + usize::from(sigil != b' ');
        Some(match sigil {
            b'.' => Kind::Field(text),
            b'@' => Kind::Format(text),
            b'$' if text == "__loc__" => Kind::Op("$__loc__"),
            b'$' => Kind::Binding(text),
            _ => match KEYWORDS.iter().find(|k| **k == text) {
                Some(keyword) => Kind::Op(keyword),
                None => Kind::Ident(text),
            },
        })
    }

    fn operator(&mut self, rest: &[u8]) -> Option<Kind> {
        let op = OPERATORS.iter().find(|op| rest.starts_with(op.as_bytes()))?;
        self.at += op.len();
        Some(Kind::Op(op))
    }
}

fn count(text: &[u8], f: impl Fn(u8) -> bool) -> usize {
    text.iter().take_while(|b| f(**b)).count()
}

fn is_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_'
}

fn word_length(text: &[u8]) -> usize {
    if text.first().is_some_and(|b| is_word(*b) && !b.is_ascii_digit()) { count(text, is_word) } else { 0 }
}

/// The length of words joined by `::`.
fn path_length(text: &[u8]) -> usize {
    let mut n = word_length(text);
    while n > 0 && text[n..].starts_with(b"::") {
        match word_length(&text[n + 2..]) {
            0 => break,
            more => n += 2 + more,
        }
    }
    n
}

fn number_length(text: &[u8]) -> Option<usize> {
    let digits = |from: usize| count(text.get(from..).unwrap_or_default(), |b| b.is_ascii_digit());
    let whole = digits(0);
    let mut n = whole;
    if text.get(n) == Some(&b'.') {
        let fraction = digits(n + 1);
        if whole == 0 && fraction == 0 {
            return None;
        }
        n += 1 + fraction;
    } else if whole == 0 {
        return None;
    }
    if matches!(text.get(n), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(text.get(n + 1), Some(b'+' | b'-')));
        match digits(n + 1 + sign) {
            0 => {}
            exponent => n += 1 + sign + exponent,
        }
    }
    Some(n)
}

/// The length of a run of escapes: `\` and any byte except `(`, or `\u` and up to four letters or digits.
fn escapes_length(text: &[u8]) -> usize {
    let mut n = 0;
    loop {
        match text.get(n..) {
            Some([b'\\', b'u', more @ ..]) => n += 2 + count(more, |b| b.is_ascii_alphanumeric()).min(4),
            Some([b'\\', c, ..]) if *c != b'(' => n += 2,
            _ => return n,
        }
    }
}
