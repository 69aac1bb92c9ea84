//! The line that is being edited: its text, the point in it, and what was removed.

use sandshell_terminal::glyphs;

/// How many changes can be undone.
const UNDO: usize = 1000;
/// How many removed texts are kept.
const KILLS: usize = 60;

/// A text and a point in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct State {
    pub(super) text: Vec<u8>,
    pub(super) point: usize,
}

/// What the last change was, as changes of a kind are undone together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Change {
    #[default]
    Other,
    Typed,
}

/// The line.
#[derive(Debug, Default)]
pub(super) struct Buffer {
    pub(super) now: State,
    undo: Vec<State>,
    last: Change,
}

/// Texts that were removed, the newest last.
#[derive(Debug, Default)]
pub(crate) struct Kills {
    texts: Vec<Vec<u8>>,
    /// The last key removed text, so the next text belongs to the same piece.
    pub(super) joins: bool,
}

impl Kills {
    fn add(&mut self, text: &[u8], before: bool) {
        match self.texts.last_mut().filter(|_| self.joins) {
            Some(last) if before => *last = [text, last].concat(),
            Some(last) => last.extend_from_slice(text),
            None => self.texts.push(text.to_vec()),
        }
        let excess = self.texts.len().saturating_sub(KILLS);
        self.texts.drain(..excess);
    }

    pub(super) fn newest(&self) -> Vec<u8> {
        self.texts.last().cloned().unwrap_or_default()
    }

    /// Makes the text before the newest one the newest.
    pub(super) fn rotate(&mut self) {
        if let Some(last) = self.texts.pop() {
            self.texts.insert(0, last);
        }
    }
}

impl Buffer {
    pub(super) fn text(&self) -> &[u8] {
        &self.now.text
    }

    pub(super) fn point(&self) -> usize {
        self.now.point
    }

    pub(super) fn before(&self) -> &[u8] {
        self.now.text.get(..self.now.point).unwrap_or(&self.now.text)
    }

    pub(super) fn after(&self) -> &[u8] {
        self.now.text.get(self.now.point..).unwrap_or_default()
    }

    pub(super) fn move_to(&mut self, point: usize) {
        self.now.point = point.min(self.now.text.len());
        self.last = Change::Other;
    }

    /// Another text, which cannot be undone. The point is at its end.
    pub(super) fn replace(&mut self, text: Vec<u8>) {
        self.now = State { point: text.len(), text };
        self.undo.clear();
        self.last = Change::Other;
    }

    /// Inserts a typed character.
    pub(super) fn type_text(&mut self, text: &[u8]) {
        if self.last != Change::Typed {
            self.keep();
        }
        self.splice(self.now.point, self.now.point, text);
        self.last = Change::Typed;
    }

    pub(super) fn insert(&mut self, text: &[u8]) {
        self.change(self.now.point, self.now.point, text);
    }

    /// Replaces a part; the point is then after it.
    pub(super) fn change(&mut self, from: usize, to: usize, text: &[u8]) {
        self.keep();
        self.splice(from, to, text);
        self.last = Change::Other;
    }

    /// Removes a part and keeps it in `kills`.
    pub(super) fn kill(&mut self, from: usize, to: usize, kills: &mut Kills) {
        let before = to <= self.now.point;
        let part = self.now.text.get(from..to).unwrap_or_default().to_vec();
        if !part.is_empty() {
            kills.add(&part, before);
            self.change(from, to, b"");
        }
    }

    pub(super) fn undo(&mut self) -> bool {
        self.last = Change::Other;
        match self.undo.pop() {
            Some(state) => {
                self.now = state;
                true
            }
            None => false,
        }
    }

    pub(super) fn undo_all(&mut self) {
        while self.undo() {}
    }

    fn keep(&mut self) {
        if self.undo.len() >= UNDO {
            self.undo.remove(0);
        }
        self.undo.push(self.now.clone());
    }

    fn splice(&mut self, from: usize, to: usize, text: &[u8]) {
        let to = to.min(self.now.text.len());
        self.now.text.splice(from.min(to)..to, text.iter().copied());
        self.now.point = from.min(to) + text.len();
    }

    /// The place one character before `at`.
    pub(super) fn left(&self, at: usize) -> usize {
        let before = self.now.text.get(..at).unwrap_or_default();
        // A character has some bytes, and marks that belong to it; no more are looked at.
        let start = before.len().saturating_sub(64);
        let start = (start..before.len()).find(|i| !(0x80..0xc0).contains(&before[*i])).unwrap_or(start);
        let last = glyphs(before.get(start..).unwrap_or_default()).pop();
        at - last.map_or(0, |glyph| glyph.bytes)
    }

    /// The place one character after `at`.
    pub(super) fn right(&self, at: usize) -> usize {
        let after = self.now.text.get(at..).unwrap_or_default();
        let piece = after.get(..64).unwrap_or(after);
        at + glyphs(piece).first().map_or(0, |glyph| glyph.bytes)
    }

    /// The start of the word before `at`.
    pub(super) fn word_left(&self, mut at: usize) -> usize {
        while at > 0 && !self.is_word(at - 1) {
            at -= 1;
        }
        while at > 0 && self.is_word(at - 1) {
            at -= 1;
        }
        at
    }

    /// The end of the word after `at`.
    pub(super) fn word_right(&self, mut at: usize) -> usize {
        let end = self.now.text.len();
        while at < end && !self.is_word(at) {
            at += 1;
        }
        while at < end && self.is_word(at) {
            at += 1;
        }
        at
    }

    /// The start of the word before `at`, where only blanks end words.
    pub(super) fn blank_left(&self, mut at: usize) -> usize {
        let is_blank = |i: usize| self.now.text.get(i).is_some_and(u8::is_ascii_whitespace);
        while at > 0 && is_blank(at - 1) {
            at -= 1;
        }
        while at > 0 && !is_blank(at - 1) {
            at -= 1;
        }
        at
    }

    fn is_word(&self, at: usize) -> bool {
        self.now.text.get(at).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte >= 0x80)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_move_as_a_whole() {
        let mut b = Buffer::default();
        b.insert("aé漢e\u{301}".as_bytes());
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
    fn removed_text_is_joined_and_comes_back() {
        let (mut b, mut kills) = (Buffer::default(), Kills::default());
        b.insert(b"one two three");
        b.kill(8, 13, &mut kills);
        kills.joins = true;
        b.kill(4, 8, &mut kills);
        assert_eq!(kills.newest(), b"two three");
        b.undo();
        assert_eq!(b.text(), b"one two ");
        b.undo_all();
        assert_eq!(b.text(), b"");
    }
}
