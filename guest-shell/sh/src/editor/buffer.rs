//! The line that is being edited: its text, the point in it, and what was removed.

use sandshell_terminal::glyphs;
use std::collections::VecDeque;

/// How many changes can be undone, and how many removed bytes are kept for it.
const UNDO: usize = 1000;
const UNDO_BYTES: usize = 8 << 20;
/// How many typed bytes are undone together.
const TYPED: usize = 20;
/// How many removed texts are kept.
const KILLS: usize = 10;
/// The longest line.
pub(super) const LONGEST: usize = 1 << 20;

/// A change, as it is needed to undo it.
#[derive(Clone, Debug)]
struct Change {
    at: usize,
    removed: Vec<u8>,
    inserted: usize,
    /// Changes of a group are undone together.
    group: u32,
    /// Typed characters, to which more can be added.
    typed: bool,
    /// Characters were typed over; undone, the point is before them.
    replaces: bool,
    /// It was made in a group that was asked for.
    grouped: bool,
}

/// The line.
#[derive(Clone, Debug, Default)]
pub(super) struct Buffer {
    text: Vec<u8>,
    point: usize,
    undo: VecDeque<Change>,
    undo_bytes: usize,
    group: u32,
    /// How many callers want their changes in one group.
    open: u32,
}

/// Texts that were removed, the newest last.
#[derive(Debug, Default)]
pub(crate) struct Kills {
    texts: Vec<Vec<u8>>,
}

impl Kills {
    /// Adds a text, or joins it with the newest one.
    pub(super) fn add(&mut self, text: &[u8], joins: bool, before: bool) {
        match self.texts.last_mut().filter(|last| joins && last.len() + text.len() <= LONGEST) {
            Some(last) if before => *last = [text, last].concat(),
            Some(last) => last.extend_from_slice(text),
            None => self.texts.push(text.to_vec()),
        }
        let excess = self.texts.len().saturating_sub(KILLS);
        self.texts.drain(..excess);
    }

    pub(super) fn newest(&self) -> Option<Vec<u8>> {
        self.texts.last().cloned()
    }

    /// Makes the text before the newest one the newest.
    pub(super) fn rotate(&mut self) {
        if let Some(last) = self.texts.pop() {
            self.texts.insert(0, last);
        }
    }
}

impl Buffer {
    pub(super) fn new(text: Vec<u8>) -> Buffer {
        Buffer { point: text.len(), text, ..Buffer::default() }
    }

    pub(super) fn text(&self) -> &[u8] {
        &self.text
    }

    pub(super) fn end(&self) -> usize {
        self.text.len()
    }

    pub(super) fn point(&self) -> usize {
        self.point
    }

    pub(super) fn before(&self) -> &[u8] {
        self.text.get(..self.point).unwrap_or(&self.text)
    }

    pub(super) fn after(&self) -> &[u8] {
        self.text.get(self.point..).unwrap_or_default()
    }

    pub(super) fn part(&self, from: usize, to: usize) -> &[u8] {
        self.text.get(from..to.min(self.text.len())).unwrap_or_default()
    }

    pub(super) fn move_to(&mut self, point: usize) {
        self.point = point.min(self.text.len());
    }

    /// Inserts typed characters.
    pub(super) fn type_text(&mut self, text: &[u8]) -> bool {
        if !self.has_room(text.len()) {
            return false;
        }
        let point = self.point;
        let group = self.group;
        let open = self.open > 0;
        let together = |last: &Change| if open { last.group == group } else { !last.grouped };
        let joins = |last: &&mut Change| {
            together(last) && last.typed && last.at + last.inserted == point && last.inserted < TYPED
        };
        match self.undo.back_mut().filter(joins) {
            Some(last) if text.len() == 1 => {
                last.inserted += 1;
                self.splice(point, point, text);
            }
            _ => {
                self.change(point, point, text);
                if let Some(last) = self.undo.back_mut() {
                    last.typed = true;
                }
            }
        }
        true
    }

    /// Replaces a part by typed characters, to which more can be added.
    pub(super) fn overstrike(&mut self, from: usize, to: usize, text: &[u8]) -> bool {
        let done = self.change(from, to, text);
        if let (true, Some(last)) = (done, self.undo.back_mut()) {
            last.typed = true;
            last.replaces = true;
        }
        done
    }

    pub(super) fn insert(&mut self, text: &[u8]) -> bool {
        self.change(self.point, self.point, text)
    }

    fn has_room(&self, further: usize) -> bool {
        self.text.len().saturating_add(further) <= LONGEST
    }

    /// Replaces a part; the point is then after it. False if the line becomes too long, and then nothing has changed.
    pub(super) fn change(&mut self, from: usize, to: usize, text: &[u8]) -> bool {
        let to = to.min(self.text.len());
        let from = from.min(to);
        if !self.has_room(text.len()) {
            return false;
        }
        if self.open == 0 {
            self.group = self.group.wrapping_add(1);
        }
        let removed = self.part(from, to).to_vec();
        self.undo_bytes += removed.len();
        self.undo.push_back(Change {
            at: from,
            removed,
            inserted: text.len(),
            group: self.group,
            typed: false,
            replaces: false,
            grouped: self.open > 0,
        });
        while self.undo.len() > UNDO || self.undo_bytes > UNDO_BYTES && self.undo.len() > 1 {
            self.undo_bytes -= self.undo.pop_front().map_or(0, |change| change.removed.len());
        }
        self.splice(from, to, text);
        true
    }

    /// What changes until [`ungroup`](Self::ungroup) is undone together.
    pub(super) fn group(&mut self) {
        if self.open == 0 {
            self.group = self.group.wrapping_add(1);
        }
        self.open += 1;
    }

    pub(super) fn ungroup(&mut self) {
        self.open = self.open.saturating_sub(1);
    }

    pub(super) fn undo(&mut self) -> bool {
        let Some(last) = self.undo.back() else { return false };
        let group = last.group;
        while let Some(change) = self.undo.pop_back_if(|change| change.group == group) {
            self.undo_bytes -= change.removed.len();
            self.splice(change.at, change.at + change.inserted, &change.removed);
            if change.replaces {
                self.point = change.at;
            }
        }
        true
    }

    /// What is there cannot be undone any more.
    pub(super) fn forget_changes(&mut self) {
        self.undo.clear();
        self.undo_bytes = 0;
    }

    /// Whether there was something to undo.
    pub(super) fn undo_all(&mut self) -> bool {
        let any = self.undo();
        while self.undo() {}
        any
    }

    fn splice(&mut self, from: usize, to: usize, text: &[u8]) {
        let to = to.min(self.text.len());
        self.text.splice(from.min(to)..to, text.iter().copied());
        self.point = from.min(to) + text.len();
    }

    /// The place one character before `at`.
    pub(super) fn left(&self, at: usize) -> usize {
        let before = self.text.get(..at).unwrap_or_default();
        // A character has some bytes, and marks that belong to it; no more are looked at.
        let start = before.len().saturating_sub(64);
        let start = (start..before.len()).find(|i| !(0x80..0xc0).contains(&before[*i])).unwrap_or(start);
        let last = glyphs(before.get(start..).unwrap_or_default()).pop();
        at - last.map_or(0, |glyph| glyph.bytes)
    }

    /// The place one character after `at`.
    pub(super) fn right(&self, at: usize) -> usize {
        let after = self.text.get(at..).unwrap_or_default();
        let piece = after.get(..64).unwrap_or(after);
        at + glyphs(piece).first().map_or(0, |glyph| glyph.bytes)
    }

    /// The start of the word before `at`.
    pub(super) fn word_left(&self, at: usize) -> usize {
        let at = self.back_while(at, |byte| !is_word(byte));
        self.back_while(at, is_word)
    }

    /// The end of the word after `at`.
    pub(super) fn word_right(&self, at: usize) -> usize {
        let at = self.on_while(at, |byte| !is_word(byte));
        self.on_while(at, is_word)
    }

    /// The start of the word before `at`, where only blanks end words.
    pub(super) fn blank_left(&self, at: usize) -> usize {
        let at = self.back_while(at, |byte| byte.is_ascii_whitespace());
        self.back_while(at, |byte| !byte.is_ascii_whitespace())
    }

    pub(super) fn on_while(&self, mut at: usize, holds: impl Fn(u8) -> bool) -> usize {
        while self.text.get(at).is_some_and(|byte| holds(*byte)) {
            at += 1;
        }
        at
    }

    pub(super) fn back_while(&self, mut at: usize, holds: impl Fn(u8) -> bool) -> usize {
        while at > 0 && self.text.get(at - 1).is_some_and(|byte| holds(*byte)) {
            at -= 1;
        }
        at
    }
}

pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte >= 0x80
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_move_as_a_whole() {
        let b = Buffer::new("aé漢e\u{301}".as_bytes().to_vec());
        let mut at = b.point();
        let mut places = Vec::new();
        while at > 0 {
            at = b.left(at);
            places.push(at);
        }
        assert_eq!(places, [6, 3, 1, 0]);
        assert_eq!(b.right(6), 9);
    }

    #[test]
    fn changes_are_undone_in_groups() {
        let mut b = Buffer::default();
        for byte in b"echo aaaaaaaaaabbbbbbbbbbccccccccccdddd" {
            b.type_text(&[*byte]);
        }
        b.undo();
        assert_eq!(b.text(), b"echo aaaaaaaaaabbbbb");
        b.group();
        b.change(0, 4, b"printf");
        b.insert(b" x");
        b.ungroup();
        b.undo();
        assert_eq!((b.text(), b.point()), (&b"echo aaaaaaaaaabbbbb"[..], 4));
        b.undo_all();
        assert_eq!(b.text(), b"");
    }

    #[test]
    fn what_was_typed_over_comes_back_after_the_point() {
        let mut b = Buffer::new(b"abc".to_vec());
        assert!(b.overstrike(0, 1, b"x"));
        b.type_text(b"y");
        b.undo();
        assert_eq!((b.text(), b.point()), (&b"abc"[..], 0));
    }

    #[test]
    fn lines_have_a_longest_length() {
        let mut b = Buffer::new(vec![b'x'; LONGEST - 1]);
        assert!(b.insert(b"y"));
        assert!(!b.insert(b"y"));
        assert_eq!(b.end(), LONGEST);
    }
}
