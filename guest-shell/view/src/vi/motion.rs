//! Where keys move the cursor.

use super::buffer::{At, Buffer};

/// What a motion means for an operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Up to the place.
    Exclusive,
    /// With the character at the place.
    Inclusive,
    /// Whole lines.
    Lines,
}

/// The kind of a character: words consist of one kind.
fn class(text: &[u8], byte: usize, big: bool) -> u8 {
    match text.get(byte) {
        None | Some(b' ' | b'\t') => 0,
        Some(_) if big => 1,
        Some(byte) if byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80 => 1,
        Some(_) => 2,
    }
}

/// `w` and `W`: the start of the next word.
pub(super) fn word(buffer: &Buffer, mut at: At, big: bool) -> Option<At> {
    let text = buffer.line(at.line);
    let kind = class(text, at.byte, big);
    while at.byte < text.len() && kind != 0 && class(text, at.byte, big) == kind {
        at.byte += 1;
    }
    loop {
        let text = buffer.line(at.line);
        while at.byte < text.len() && class(text, at.byte, big) == 0 {
            at.byte += 1;
        }
        if at.byte < text.len() {
            return Some(at);
        }
        if at.line == buffer.last() {
            return None;
        }
        at = At { line: at.line + 1, byte: 0 };
        if buffer.line(at.line).is_empty() {
            return Some(at);
        }
    }
}

/// `e` and `E`: the end of the word.
pub(super) fn word_end(buffer: &Buffer, at: At, big: bool) -> Option<At> {
    let mut at = At { byte: at.byte + 1, ..at };
    loop {
        let text = buffer.line(at.line);
        while at.byte < text.len() && class(text, at.byte, big) == 0 {
            at.byte += 1;
        }
        if at.byte < text.len() {
            let kind = class(text, at.byte, big);
            while at.byte + 1 < text.len() && class(text, at.byte + 1, big) == kind {
                at.byte += 1;
            }
            // The start of the character, if it has several bytes.
            return buffer.left(At { byte: at.byte + 1, ..at });
        }
        if at.line == buffer.last() {
            return None;
        }
        at = At { line: at.line + 1, byte: 0 };
    }
}

/// `b` and `B`: the start of the word, or of the one before.
pub(super) fn word_back(buffer: &Buffer, mut at: At, big: bool) -> Option<At> {
    loop {
        let text = buffer.line(at.line);
        while at.byte > 0 && class(text, at.byte - 1, big) == 0 {
            at.byte -= 1;
        }
        if at.byte > 0 {
            let kind = class(text, at.byte - 1, big);
            while at.byte > 0 && class(text, at.byte - 1, big) == kind {
                at.byte -= 1;
            }
            return Some(at);
        }
        let line = at.line.checked_sub(1)?;
        at = At { line, byte: buffer.line(line).len() };
        if at.byte == 0 {
            return Some(at);
        }
    }
}

/// `f`, `t`, `F` and `T`: a character of the line.
pub(super) fn find(buffer: &Buffer, at: At, letter: u8, wanted: &[u8], count: usize) -> Option<At> {
    let text = buffer.line(at.line);
    let is = |byte: &usize| text.get(*byte..).is_some_and(|rest| rest.starts_with(wanted));
    let found = match letter {
        b'f' | b't' => (at.byte + 1..text.len()).filter(is).nth(count - 1)?,
        _ => (0..at.byte).rev().filter(is).nth(count - 1)?,
    };
    let found = At { byte: found, ..at };
    match letter {
        b't' => buffer.left(found),
        b'T' => buffer.right(found),
        _ => Some(found),
    }
}

/// `%`: the bracket that belongs to the next one on the line.
pub(super) fn bracket(buffer: &Buffer, at: At) -> Option<At> {
    const PAIRS: &[u8] = b"()[]{}";
    let text = buffer.line(at.line);
    let start = (at.byte..text.len()).find(|byte| PAIRS.contains(&text[*byte]))?;
    let index = PAIRS.iter().position(|pair| *pair == text[start])?;
    let (own, other) = (PAIRS[index], PAIRS[index ^ 1]);
    let forward = index % 2 == 0;
    let mut depth = 0_usize;
    let (mut line, mut byte) = (at.line, start);
    loop {
        match buffer.line(line).get(byte) {
            Some(b) if *b == own => depth += 1,
            Some(b) if *b == other => {
                depth -= 1;
                if depth == 0 {
                    return Some(At { line, byte });
                }
            }
            _ => {}
        }
        if forward {
            byte += 1;
            while byte >= buffer.line(line).len() {
                if line == buffer.last() {
                    return None;
                }
                (line, byte) = (line + 1, 0);
            }
        } else {
            while byte == 0 {
                line = line.checked_sub(1)?;
                byte = buffer.line(line).len();
            }
            byte -= 1;
        }
    }
}

/// `}` and `{`: the next empty line.
pub(super) fn paragraph(buffer: &Buffer, at: At, forward: bool) -> At {
    let mut line = at.line;
    let mut text_seen = false;
    loop {
        let empty = buffer.line(line).is_empty();
        if empty && text_seen {
            return At { line, byte: 0 };
        }
        text_seen |= !empty;
        if forward && line == buffer.last() {
            return At { line, byte: buffer.line(line).len() };
        }
        match if forward { Some(line + 1) } else { line.checked_sub(1) } {
            Some(next) => line = next,
            None => return At::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: usize, byte: usize) -> At {
        At { line, byte }
    }

    #[test]
    fn words_are_walked() {
        let b = Buffer::new("foo.bar  é\n\nlast".as_bytes());
        assert_eq!(word(&b, at(0, 0), false), Some(at(0, 3)));
        assert_eq!(word(&b, at(0, 0), true), Some(at(0, 9)));
        assert_eq!(word(&b, at(0, 9), false), Some(at(1, 0)));
        assert_eq!(word_end(&b, at(0, 4), false), Some(at(0, 6)));
        assert_eq!(word_end(&b, at(0, 6), false), Some(at(0, 9)));
        assert_eq!(word_back(&b, at(2, 0), false), Some(at(1, 0)));
        assert_eq!(word_back(&b, at(0, 4), false), Some(at(0, 3)));
        assert_eq!(word(&b, at(2, 0), false), None);
    }

    #[test]
    fn brackets_and_letters_are_found() {
        let b = Buffer::new(b"f(a(b)\n) x");
        assert_eq!(bracket(&b, at(0, 0)), Some(at(1, 0)));
        assert_eq!(bracket(&b, at(1, 0)), Some(at(0, 1)));
        assert_eq!(find(&b, at(0, 0), b'f', b"(", 2), Some(at(0, 3)));
        assert_eq!(find(&b, at(0, 4), b'T', b"(", 1), Some(at(0, 4)));
    }
}
