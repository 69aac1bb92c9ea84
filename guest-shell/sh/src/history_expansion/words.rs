//! The words of an event, and word designators.

use std::ops::Range;

/// What a word designator selects.
pub(super) enum Designated {
    /// There is none.
    None,
    Words(Vec<u8>),
    Bad,
}

/// The words that the designator at `at` selects. Moves `at` to the designator's end.
pub(super) fn designated(line: &[u8], at: &mut usize, event: &[u8], found: &[u8]) -> Designated {
    let colon = usize::from(line.get(*at) == Some(&b':'));
    let mut i = *at + colon;
    let byte = |i: usize| line.get(i).copied();
    let number = |i: &mut usize| {
        let digits = line.get(*i..).unwrap_or_default().iter().take_while(|b| b.is_ascii_digit()).count();
        let value = line.get(*i..*i + digits).and_then(crate::text::parse_integer);
        *i += digits;
        usize::try_from(value?).ok()
    };
    let first = match byte(i) {
        Some(b'%') => {
            *at = i + 1;
            return Designated::Words(found.to_vec());
        }
        Some(b'*') => {
            *at = i + 1;
            return Designated::Words(extract(event, 1, Last::End).unwrap_or_default());
        }
        Some(b'$') => {
            *at = i + 1;
            return extract(event, usize::MAX, Last::End).map_or(Designated::Bad, Designated::Words);
        }
        Some(b'-') => Some(0),
        Some(b'^') => {
            i += 1;
            Some(1)
        }
        Some(b'0'..=b'9') if colon > 0 => number(&mut i),
        _ => return Designated::None,
    };
    let last = match byte(i) {
        Some(b'^') => {
            i += 1;
            Some(Last::Word(1))
        }
        Some(b'*') => {
            i += 1;
            Some(Last::End)
        }
        Some(b'-') => {
            i += 1;
            match byte(i) {
                Some(b'0'..=b'9') => number(&mut i).map(Last::Word),
                Some(b'$') => {
                    i += 1;
                    Some(Last::End)
                }
                Some(b'^') => {
                    i += 1;
                    Some(Last::Word(1))
                }
                _ => Some(Last::BeforeEnd),
            }
        }
        _ => first.map(Last::Word),
    };
    *at = i;
    let words = first.zip(last).and_then(|(first, last)| extract(event, first, last));
    words.map_or(Designated::Bad, Designated::Words)
}

#[derive(Clone, Copy)]
enum Last {
    Word(usize),
    End,
    BeforeEnd,
}

/// The selected words, joined with blanks. `usize::MAX` as the first means the last word.
fn extract(event: &[u8], first: usize, last: Last) -> Option<Vec<u8>> {
    let words = tokens(event);
    let first = if first == usize::MAX { words.len().checked_sub(1)? } else { first };
    let end = match last {
        Last::Word(last) => last.checked_add(1)?,
        Last::End => words.len(),
        Last::BeforeEnd => words.len().checked_sub(1)?,
    };
    let chosen = words.get(first..end)?;
    let chosen: Vec<&[u8]> = chosen.iter().filter_map(|word| event.get(word.clone())).collect();
    Some(chosen.join(&b' '))
}

/// Whether a byte ends a word of the shell's grammar.
pub(super) fn ends_word(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b';' | b'&' | b'(' | b')' | b'|' | b'<' | b'>')
}

/// The words and operators of a line, split as by the shell's grammar.
pub(crate) fn tokens(line: &[u8]) -> Vec<Range<usize>> {
    let mut tokens = Vec::new();
    let mut at = 0;
    loop {
        at += line
            .get(at..)
            .unwrap_or_default()
            .iter()
            .take_while(|b| matches!(b, b' ' | b'\t' | b'\n'))
            .count();
        if at >= line.len() {
            return tokens;
        }
        let end = token(line, at).max(at + 1);
        tokens.push(at..end);
        at = end;
    }
}

fn token(line: &[u8], start: usize) -> usize {
    let byte = |i: usize| line.get(i).copied().unwrap_or_default();
    let digits =
        |i: usize| i + line.get(i..).unwrap_or_default().iter().take_while(|b| b.is_ascii_digit()).count();
    if matches!(byte(start), b'(' | b')') {
        return start + 1;
    }
    let mut at = start;
    let after_number = digits(start);
    if after_number > start && matches!(byte(after_number), b'<' | b'>') {
        at = after_number;
    }
    let (here, next) = (byte(at), byte(at + 1));
    if matches!(here, b'<' | b'>' | b';' | b'&' | b'|') {
        return match (here, next) {
            (b'<', b'<') if matches!(byte(at + 2), b'-' | b'<') => at + 3,
            _ if here == next => at + 2,
            (b'<' | b'>', b'&') => {
                let end = digits(at + 2);
                end + usize::from(byte(end) == b'-')
            }
            (b'&', b'>') | (b'>', b'|') => at + 2,
            (b'<' | b'>', b'(') => word(line, at),
            _ => at + 1,
        };
    }
    word(line, at)
}

fn word(line: &[u8], start: usize) -> usize {
    let mut at = start;
    while let Some(&byte) = line.get(at) {
        let rest = line.get(at + 1..).unwrap_or_default();
        at += match byte {
            b'\\' => 2,
            b'"' | b'\'' | b'`' => 1 + quoted(rest, byte, byte != b'\''),
            // Substitutions and extended patterns.
            b'$' | b'<' | b'>' | b'!' | b'@' | b'?' | b'+' | b'*' if rest.first() == Some(&b'(') => {
                2 + nested(rest.get(1..).unwrap_or_default())
            }
            _ if ends_word(byte) => break,
            _ => 1,
        };
    }
    at.min(line.len())
}

/// The length of the text after a quote, including the closing quote. `escapes`: a backslash escapes the next
/// character.
pub(super) fn quoted(text: &[u8], quote: u8, escapes: bool) -> usize {
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'\\' if escapes => at += 1,
            _ if byte == quote => return at + 1,
            _ => {}
        }
        at += 1;
    }
    text.len()
}

/// The length of the text after a parenthesis, including the closing one.
fn nested(text: &[u8]) -> usize {
    let (mut depth, mut at) = (1, 0);
    while let Some(&byte) = text.get(at) {
        at += 1;
        match byte {
            b'(' => depth += 1,
            b')' if depth == 1 => return at,
            b')' => depth -= 1,
            b'\\' => at += 1,
            _ => {}
        }
    }
    text.len()
}
