//! Where keys move the point, and which part of the line that is.

use super::buffer::Buffer;

/// vi's kinds of characters: blank, word and others.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Blank,
    Word,
    Other,
}

fn class(byte: u8, big: bool) -> Class {
    match byte {
        b' ' | b'\t' | b'\n' => Class::Blank,
        // As in readline, letters that are not ASCII are no part of words.
        _ if big || byte == b'_' || byte.is_ascii_alphanumeric() => Class::Word,
        _ => Class::Other,
    }
}

impl Buffer {
    fn class_at(&self, at: usize, big: bool) -> Option<Class> {
        self.text().get(at).map(|byte| class(*byte, big))
    }

    /// vi's `w` and `W`: the start of the next word.
    pub(super) fn next_word(&self, at: usize, big: bool) -> usize {
        let Some(here) = self.class_at(at, big) else { return at };
        let after = match here {
            Class::Blank => at,
            here => self.on_while(at, |byte| class(byte, big) == here),
        };
        self.on_while(after, |byte| class(byte, big) == Class::Blank)
    }

    /// The start of the word before.
    pub(super) fn previous_word(&self, at: usize, big: bool) -> usize {
        let at = self.back_while(at, |byte| class(byte, big) == Class::Blank);
        match at.checked_sub(1).and_then(|before| self.class_at(before, big)) {
            Some(here) => self.back_while(at, |byte| class(byte, big) == here),
            None => at,
        }
    }

    /// vi's `b` and `B`: the start of the word before. As in readline, that is never the second character.
    pub(super) fn word_before(&self, at: usize, big: bool) -> usize {
        let start = self.previous_word(at, big);
        if start == 1 { 0 } else { start }
    }

    /// vi's `e` and `E`: after the end of the word that ends next.
    pub(super) fn word_end(&self, at: usize, big: bool) -> usize {
        let at = self.on_while(self.right(at), |byte| class(byte, big) == Class::Blank);
        match self.class_at(at, big) {
            Some(here) => self.on_while(at, |byte| class(byte, big) == here),
            None => at,
        }
    }

    /// The first character that is not blank.
    pub(super) fn first_print(&self) -> usize {
        self.on_while(0, |byte| byte == b' ' || byte == b'\t')
    }

    /// The place of the nth `wanted` after `at`, or before it.
    pub(super) fn find_character(&self, at: usize, wanted: &[u8], count: usize, back: bool) -> Option<usize> {
        let mut at = at;
        for _ in 0..count {
            loop {
                let next = if back { self.left(at) } else { self.right(at) };
                if next == at || next >= self.end() {
                    return None;
                }
                at = next;
                if self.text().get(at..).is_some_and(|rest| rest.starts_with(wanted)) {
                    break;
                }
            }
        }
        Some(at)
    }

    /// vi's `%`: the bracket that belongs to the first one from `at` on.
    pub(super) fn matching_bracket(&self, at: usize) -> Option<usize> {
        const PAIRS: [(u8, u8); 3] = [(b'(', b')'), (b'[', b']'), (b'{', b'}')];
        let text = self.text();
        let is_bracket = |byte: u8| PAIRS.iter().any(|(open, close)| byte == *open || byte == *close);
        let start = self.on_while(at, |byte| !is_bracket(byte));
        let byte = *text.get(start)?;
        let (open, close) = PAIRS.iter().find(|(open, close)| byte == *open || byte == *close)?;
        let mut depth = 0_usize;
        let mut step = |here: u8| {
            if here == byte {
                depth += 1;
            } else if here == *open || here == *close {
                depth -= 1;
            }
            depth == 0
        };
        if byte == *open {
            text.iter().skip(start).position(|here| step(*here)).map(|at| start + at)
        } else {
            text.iter().take(start + 1).rposition(|here| step(*here))
        }
    }

    /// The words of the shell: where they begin and end. Blanks and operators end them; quotes hold them together.
    pub(super) fn shell_words(&self) -> Vec<(usize, usize)> {
        let mut words: Vec<(usize, usize)> = Vec::new();
        let (mut start, mut quote, mut i) = (None, 0, 0);
        while let Some(&byte) = self.text().get(i) {
            match (quote, byte) {
                (0, b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')') => {
                    words.extend(start.take().map(|start| (start, i)));
                }
                (0, b'\'' | b'"') => {
                    start.get_or_insert(i);
                    quote = byte;
                }
                (0 | b'"', b'\\') => {
                    start.get_or_insert(i);
                    i += 1;
                }
                (0, _) => {
                    start.get_or_insert(i);
                }
                (_, _) if byte == quote => quote = 0,
                _ => {}
            }
            i += 1;
        }
        words.extend(start.map(|start| (start, self.end())));
        words
    }

    /// Where the word after `at` ends, or the one before it begins.
    pub(super) fn shell_word(&self, words: &[(usize, usize)], at: usize, back: bool) -> usize {
        if back {
            words
                .get(..words.partition_point(|(start, _)| *start < at))
                .and_then(<[_]>::last)
                .map_or(0, |w| w.0)
        } else {
            words.get(words.partition_point(|(_, end)| *end <= at)).map_or(self.end(), |w| w.1)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_vi_have_kinds() {
        let b = Buffer::new(b"foo-bar  b_z".to_vec());
        assert_eq!([0, 3, 4].map(|at| b.next_word(at, false)), [3, 4, 9]);
        assert_eq!(b.next_word(0, true), 9);
        assert_eq!([12, 9, 4].map(|at| b.previous_word(at, false)), [9, 4, 3]);
        assert_eq!(Buffer::new(b" ab".to_vec()).word_before(2, false), 0);
        assert_eq!([0, 2, 4].map(|at| b.word_end(at, false)), [3, 4, 7]);
    }

    #[test]
    fn brackets_match() {
        let b = Buffer::new(b"a (b (c) d)".to_vec());
        assert_eq!(b.matching_bracket(0), Some(10));
        assert_eq!(b.matching_bracket(10), Some(2));
        assert_eq!(b.matching_bracket(5), Some(7));
        assert_eq!(Buffer::new(b"((".to_vec()).matching_bracket(0), None);
    }

    #[test]
    fn words_of_the_shell_have_quotes() {
        let b = Buffer::new(b"ls 'a b'c; d\\ e".to_vec());
        let words = b.shell_words();
        assert_eq!([0, 2, 9].map(|at| b.shell_word(&words, at, false)), [2, 9, 15]);
        assert_eq!([15, 11, 3].map(|at| b.shell_word(&words, at, true)), [11, 3, 0]);
    }
}
