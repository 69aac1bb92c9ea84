//! Brace expansion: `a{b,c}d` and `{1..5}`.

use std::ops::ControlFlow;

use crate::ast::Word;
use crate::parser::{ParseOptions, PlainHost};

/// At most this many words are stored.
const STORED: usize = 64;
/// How deeply braces may be nested. Deeper ones are literal.
const MAX_DEPTH: u32 = 100;
/// How many unmatched opening braces are searched for, since each costs a search. All braces after that are literal.
const MAX_UNCLOSED: u32 = 1000;

/// The words that a word with braces expands to. Many words are generated one by one instead of stored.
#[derive(Debug, Clone)]
pub struct Braces {
    tree: Vec<Piece>,
    stored: Option<Vec<Word>>,
    options: ParseOptions,
    line: u32,
}

/// A part of a word's text.
#[derive(Debug, Clone)]
enum Piece {
    Text(Vec<u8>),
    /// `{a,b}`
    Choice(Vec<Vec<Piece>>),
    /// `{1..10..2}`: start, last, step, and the width for padding.
    Numbers {
        start: i64,
        end: i64,
        step: i64,
        width: usize,
    },
    /// `{a..z}`
    Letters {
        start: u8,
        end: u8,
        step: i64,
    },
}

impl Braces {
    /// The brace expansions of a word's text; `None` if it has none.
    pub(crate) fn parse(text: &[u8], options: ParseOptions, line: u32, depth: u32) -> Option<Braces> {
        let tree = pieces(text, 0);
        if !tree.iter().any(|piece| !matches!(piece, Piece::Text(_))) {
            return None;
        }
        let mut braces = Braces { tree, stored: None, options, line };
        if depth < crate::parser::MAX_DEPTH / 2 && count(&braces.tree) <= STORED {
            let mut words = Vec::new();
            let _ = braces.make(|word| -> ControlFlow<()> {
                words.push(word.clone());
                ControlFlow::Continue(())
            });
            braces.stored = Some(words);
        }
        Some(braces)
    }

    /// Calls `each` with every word in order, until it breaks.
    pub fn for_each<B>(&self, mut each: impl FnMut(&Word) -> ControlFlow<B>) -> ControlFlow<B> {
        if let Some(words) = &self.stored {
            for word in words {
                each(word)?;
            }
            return ControlFlow::Continue(());
        }
        self.make(each)
    }

    fn make<B>(&self, mut each: impl FnMut(&Word) -> ControlFlow<B>) -> ControlFlow<B> {
        let mut host = PlainHost(self.options);
        let mut text = Vec::new();
        let mut emit = |text: &[u8]| -> ControlFlow<B> {
            match crate::parser::parse_brace_word(text, self.line, &mut host) {
                Some(word) => each(&word),
                None => ControlFlow::Continue(()),
            }
        };
        expand(&Chain { pieces: &self.tree, rest: None }, &mut text, &mut emit)
    }
}

/// The rest of an expansion: pieces, and the chain of pieces after the enclosing choice.
struct Chain<'a> {
    pieces: &'a [Piece],
    rest: Option<&'a Chain<'a>>,
}

impl Chain<'_> {
    fn is_end(&self) -> bool {
        self.pieces.is_empty() && self.rest.is_none_or(Chain::is_end)
    }
}

fn expand<B>(
    chain: &Chain<'_>,
    text: &mut Vec<u8>,
    emit: &mut dyn FnMut(&[u8]) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let Some((piece, rest)) = chain.pieces.split_first() else {
        return match chain.rest {
            Some(rest) => expand(rest, text, emit),
            // Empty words are dropped: `{,}`.
            None if text.is_empty() => ControlFlow::Continue(()),
            None => emit(text),
        };
    };
    let after = Chain { pieces: rest, rest: chain.rest };
    let length = text.len();
    match piece {
        Piece::Text(bytes) => {
            text.extend_from_slice(bytes);
            expand(&after, text, emit)?;
            text.truncate(length);
        }
        Piece::Choice(choices) => {
            for choice in choices {
                expand(&Chain { pieces: choice, rest: Some(&after) }, text, emit)?;
                text.truncate(length);
            }
        }
        Piece::Numbers { start, end, step, width } => {
            let mut value = *start;
            loop {
                push_number(value, *width, text);
                expand(&after, text, emit)?;
                text.truncate(length);
                match next(value, *end, *step) {
                    Some(following) => value = following,
                    None => break,
                }
            }
        }
        Piece::Letters { start, end, step } => {
            let mut value = i64::from(*start);
            loop {
                push_letter(value as u8, after.is_end(), text);
                expand(&after, text, emit)?;
                text.truncate(length);
                match next(value, i64::from(*end), *step) {
                    Some(following) => value = following,
                    None => break,
                }
            }
        }
    }
    ControlFlow::Continue(())
}

// Appends a letter of a sequence such as `{Z..a}`. It may be a backslash or a backquote, which keep their special
// meaning.
fn push_letter(letter: u8, last: bool, text: &mut Vec<u8>) {
    match letter {
        // An empty pair of quotes, because no character follows that the backslash could quote.
        b'\\' if last => text.extend_from_slice(b"''"),
        b'\\' | b'`' if !last => text.push(letter),
        _ if letter.is_ascii_alphanumeric() => text.push(letter),
        _ => text.extend_from_slice(&[b'\\', letter]),
    }
}

fn next(value: i64, end: i64, step: i64) -> Option<i64> {
    let following = value.checked_add(step)?;
    let inside = if step > 0 { following <= end } else { following >= end };
    inside.then_some(following)
}

fn push_number(value: i64, width: usize, text: &mut Vec<u8>) {
    let digits = value.unsigned_abs().to_string();
    let sign = usize::from(value < 0);
    if value < 0 {
        text.push(b'-');
    }
    for _ in digits.len() + sign..width {
        text.push(b'0');
    }
    text.extend_from_slice(digits.as_bytes());
}

/// How many words there are, at most `usize::MAX`.
fn count(pieces: &[Piece]) -> usize {
    pieces.iter().fold(1, |total: usize, piece| {
        total.saturating_mul(match piece {
            Piece::Text(_) => 1,
            Piece::Choice(choices) => {
                choices.iter().fold(0, |sum: usize, choice| sum.saturating_add(count(choice)))
            }
            Piece::Numbers { start, end, step, .. } => {
                (end.abs_diff(*start) / step.unsigned_abs().max(1)).saturating_add(1) as usize
            }
            Piece::Letters { .. } => 64,
        })
    })
}

fn pieces(text: &[u8], depth: u32) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut literal = Vec::new();
    let mut at = 0;
    let mut unclosed = 0;
    while let Some(&byte) = text.get(at) {
        if byte == b'{' && unclosed < MAX_UNCLOSED && depth < MAX_DEPTH {
            match close(text, at) {
                Some((end, commas)) => {
                    let inside = text.get(at + 1..end).unwrap_or_default();
                    let found = if commas.is_empty() && !has_comma(inside) {
                        sequence(inside)
                    } else {
                        let mut choices = Vec::new();
                        let mut from = at + 1;
                        for comma in commas.into_iter().chain([end]) {
                            choices.push(self::pieces(text.get(from..comma).unwrap_or_default(), depth + 1));
                            from = comma + 1;
                        }
                        Some(Piece::Choice(choices))
                    };
                    if let Some(piece) = found {
                        if !literal.is_empty() {
                            pieces.push(Piece::Text(std::mem::take(&mut literal)));
                        }
                        pieces.push(piece);
                        at = end + 1;
                        continue;
                    }
                    // `{}` and other braces without a choice are literal, but braces inside them are expanded.
                }
                None => unclosed += 1,
            }
        }
        let next = skip(text, at);
        literal.extend_from_slice(text.get(at..next).unwrap_or_default());
        at = next;
    }
    if !literal.is_empty() {
        pieces.push(Piece::Text(literal));
    }
    pieces
}

/// The end of the brace at `open`, and the commas directly inside it.
fn close(text: &[u8], open: usize) -> Option<(usize, Vec<usize>)> {
    let mut depth = 0usize;
    let mut commas = Vec::new();
    let mut dots = false;
    let mut at = open;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'{' => depth += 1,
            b'}' if depth > 1 => depth -= 1,
            b'}' if dots || !commas.is_empty() => return Some((at, commas)),
            // bash ignores a closing brace as long as there is nothing to expand before it: `{a},}`.
            b'}' => {}
            b',' if depth == 1 => commas.push(at),
            b'.' if depth == 1 && text.get(at + 1) == Some(&b'.') => dots = true,
            _ => {
                at = skip(text, at);
                continue;
            }
        }
        at += 1;
    }
    None
}

/// Whether there is a comma anywhere, even in inner braces. The text is then not a sequence.
fn has_comma(text: &[u8]) -> bool {
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        if byte == b',' {
            return true;
        }
        at = skip(text, at);
    }
    false
}

/// The position after the character, quote or expansion at `at`.
fn skip(text: &[u8], at: usize) -> usize {
    let byte = |at: usize| text.get(at).copied();
    match byte(at) {
        Some(b'\\') => at + 2,
        Some(quote @ (b'\'' | b'"' | b'`')) => {
            let mut end = at + 1;
            while let Some(next) = byte(end)
                && next != quote
            {
                end = match next {
                    b'\\' if quote != b'\'' => end + 2,
                    b'$' if quote == b'"' && matches!(byte(end + 1), Some(b'(' | b'{')) => skip(text, end),
                    _ => end + 1,
                };
            }
            end + 1
        }
        Some(b'$' | b'<' | b'>') if matches!(byte(at + 1), Some(b'(' | b'{')) => {
            let (open, shut) = if byte(at + 1) == Some(b'(') { (b'(', b')') } else { (b'{', b'}') };
            let mut depth = 1;
            let mut end = at + 2;
            while depth > 0 {
                match byte(end) {
                    None => break,
                    Some(next) if next == open => depth += 1,
                    Some(next) if next == shut => depth -= 1,
                    Some(b'\\' | b'\'' | b'"' | b'`') => {
                        end = skip(text, end);
                        continue;
                    }
                    Some(_) => {}
                }
                end += 1;
            }
            end
        }
        _ => at + 1,
    }
}

/// Parses `1..10` or `a..z`, with an optional step.
fn sequence(inside: &[u8]) -> Option<Piece> {
    let text = std::str::from_utf8(inside).ok()?;
    let mut fields = text.split("..");
    let (first, last, step) = (fields.next()?, fields.next()?, fields.next());
    if fields.next().is_some() {
        return None;
    }
    let step: i64 = match step {
        Some(step) => number(step).filter(|step| *step != i64::MIN)?,
        None => 1,
    };
    if let (Some(start), Some(end)) = (number(first), number(last)) {
        let padded = |text: &str| {
            let digits = text.trim_start_matches(['-', '+']);
            digits.len() > 1 && digits.starts_with('0')
        };
        let width = if padded(first) || padded(last) { first.len().max(last.len()) } else { 0 };
        let step = direction(start, end, step);
        return is_countable(start, end, step).then_some(Piece::Numbers { start, end, step, width });
    }
    if let ([start], [end]) = (first.as_bytes(), last.as_bytes())
        && start.is_ascii_alphabetic()
        && end.is_ascii_alphabetic()
    {
        let step = direction(i64::from(*start), i64::from(*end), step);
        return Some(Piece::Letters { start: *start, end: *end, step });
    }
    None
}

/// Whether bash generates a sequence of this length. If an `int` cannot hold the count, or the span comes close to the
/// range of 64 bits, the braces are literal.
fn is_countable(start: i64, end: i64, step: i64) -> bool {
    let spans = match start.signum() {
        1 => end >= i64::MIN + 3 + start,
        -1 => end <= i64::MAX - 2 + start,
        _ => true,
    };
    spans && end.abs_diff(start) / step.unsigned_abs().max(1) < i32::MAX as u64 - 2
}

fn number(text: &str) -> Option<i64> {
    text.parse().ok()
}

/// The step with the sign that leads from start to end. A step of 0 becomes 1.
fn direction(start: i64, end: i64, step: i64) -> i64 {
    let size = step.saturating_abs().max(1);
    if end >= start { size } else { -size }
}
