//! Keys that show lines of the history.

use super::buffer::Buffer;
use super::{Editor, Step, Typed};
use crate::history_expansion::tokens;

/// A word of the history that was inserted, for the key that takes it from the line before.
#[derive(Clone, Copy, Debug)]
pub(super) struct Argument {
    /// The line of the history.
    place: usize,
    /// Which word, if one was asked for by number.
    word: Option<i64>,
    /// Where it is in the text.
    from: usize,
    to: usize,
    newer: bool,
}

impl Editor<'_> {
    /// Shows a line of the history, or the new line.
    pub(super) fn show_history(&mut self, place: usize) {
        let place = place.min(self.shell.history.len());
        let left = std::mem::take(&mut self.buffer);
        let stored = self.shell.history.get(self.place).map(|entry| &*entry.line);
        if stored != Some(left.text()) {
            self.changed.insert(self.place, left);
        } else {
            self.changed.remove(&self.place);
        }
        self.place = place;
        let stored = || self.shell.history.get(place).map(|entry| Buffer::new(entry.line.clone()));
        let mut shown = self.changed.remove(&place).or_else(stored).unwrap_or_default();
        let is_new = place == self.shell.history.len();
        shown.move_to(if self.command && !is_new { 0 } else { shown.end() });
        self.buffer = shown;
    }

    /// Lines of the history that were changed, but not run, stay so.
    pub(super) fn keep_changes(&mut self) {
        let reverts = self.shell.editor_config().settings.is_on("revert-all-at-newline");
        for (place, buffer) in std::mem::take(&mut self.changed) {
            if let Some(entry) = self.shell.history.get_mut(place).filter(|_| !reverts) {
                entry.line = buffer.text().to_vec();
            }
        }
    }

    /// Goes on by some lines. As many as there are, with a bell if that is none.
    pub(super) fn history_by(&mut self, by: i64) {
        let wanted = i64::try_from(self.place).unwrap_or(i64::MAX).saturating_add(by);
        let last = i64::try_from(self.shell.history.len()).unwrap_or(i64::MAX);
        let place = usize::try_from(wanted.clamp(0, last)).unwrap_or(0);
        if place == self.place {
            self.bell();
        } else {
            self.show_history(place);
        }
    }

    /// Shows a line by its number. As in readline, later ones than the present line are not found.
    pub(super) fn fetch_history(&mut self, number: i64) {
        let here = i64::try_from(self.shell.record.dropped + self.place + 1).unwrap_or(i64::MAX);
        let by = if number < 0 { number.saturating_neg() } else { here - number };
        match by > 0 && by < here {
            true => self.history_by(-by),
            false if self.command => self.bell(),
            false => self.show_history(0),
        }
    }

    /// Shows the next line of the history that begins with what is before the point, or contains it.
    pub(super) fn search_start(&mut self, newer: bool, within: bool) {
        // Further searches look for the same text.
        let text = match self.shell.editor.start.take().filter(|_| self.searches_on()) {
            Some(text) => text,
            None => self.buffer.before().to_vec(),
        };
        if text.is_empty() {
            self.history_by(if newer { 1 } else { -1 });
            self.shell.editor.start = Some(text);
            return;
        }
        let shown = self.buffer.text().to_vec();
        let fits = |place: &usize| {
            self.shell.history.get(*place).is_some_and(|entry| {
                let found = if within { position(&entry.line, &text, false) } else { None };
                (entry.line.starts_with(&text) || found.is_some()) && *entry.line != *shown
            })
        };
        let found = match newer {
            true => (self.place + 1..self.shell.history.len()).find(fits),
            false => (0..self.place).rev().find(fits),
        };
        let point = self.buffer.point();
        match found {
            Some(place) => {
                self.show_history(place);
                self.buffer.move_to(if within { self.buffer.end() } else { point });
            }
            None => self.bell(),
        }
        self.shell.editor.start = Some(text);
    }

    /// Inserts the last word of the line before, or the one with this number; repeated, that of the line before that.
    pub(super) fn last_argument(&mut self, count: Option<i64>, before: Option<Argument>) {
        let point = self.buffer.point();
        let (place, word, from, to, newer) = match before {
            // A negative number turns round.
            Some(a) => (a.place, a.word, a.from, a.to, a.newer != count.is_some_and(|count| count < 0)),
            None => (self.shell.history.len(), count, point, point, false),
        };
        let place = if newer { Some(place + 1) } else { place.checked_sub(1) };
        let line = place.and_then(|place| self.shell.history.get(place)).map(|entry| entry.line.clone());
        let (Some(place), Some(line)) = (place, line) else {
            // What was inserted goes away.
            self.buffer.change(from, to, b"");
            self.argument = before.map(|before| Argument { from, to: from, ..before });
            return self.bell();
        };
        let Some(text) = word_of(&line, word) else {
            self.bell();
            self.argument = Some(Argument { place, word, from, to: from, newer });
            self.buffer.change(from, to, b"");
            return;
        };
        if !self.buffer.change(from, to, &text) {
            return self.bell();
        }
        self.argument = Some(Argument { place, word, from, to: from + text.len(), newer });
    }

    /// Inserts a word of the line before: the second one, or the one with this number.
    pub(super) fn yank_nth_argument(&mut self, count: Option<i64>) {
        let line = self.shell.history.last().map(|entry| entry.line.clone()).unwrap_or_default();
        match word_of(&line, Some(count.unwrap_or(1))) {
            Some(text) => {
                self.insert(&text);
            }
            None => self.bell(),
        }
    }

    /// In vi: appends a word of the line before, and goes on with inserting.
    pub(super) fn vi_yank_argument(&mut self, count: Option<i64>) {
        let line = self.shell.history.last().map(|entry| entry.line.clone()).unwrap_or_default();
        // vi counts words from 1.
        match word_of(&line, count.map(|count| count - 1)) {
            Some(text) => {
                self.vi_insert(true);
                let point = self.buffer.point();
                self.buffer.move_to(self.buffer.right(point));
                self.insert(&[b" ", &*text].concat());
            }
            None => self.bell(),
        }
    }

    /// Asks for a text, and shows the next line that contains it.
    pub(super) fn ask_and_search(&mut self, newer: bool, sign: u8) -> Step {
        let Some(text) = self.ask(sign)? else { return Ok(()) };
        if !text.is_empty() {
            self.shell.editor.searched_once = text;
        }
        if self.shell.editor.searched_once.is_empty() {
            self.bell();
            return Ok(());
        }
        self.search_again(newer)
    }

    /// Shows the next line with what was asked for. In vi, `^` binds it to the start of the line.
    pub(super) fn search_again(&mut self, newer: bool) -> Step {
        let text = self.shell.editor.searched_once.clone();
        if text.is_empty() {
            self.bell();
            return Ok(());
        }
        let fits = |place: &usize| {
            let Some(entry) = self.shell.history.get(*place) else { return false };
            match text.strip_prefix(b"^") {
                Some(start) => entry.line.starts_with(start),
                None => position(&entry.line, &text, false).is_some(),
            }
        };
        let found = match newer {
            true => (self.place + 1..self.shell.history.len()).find(fits),
            false => (0..self.place).rev().find(fits),
        };
        match found {
            Some(place) => {
                self.show_history(place);
                let at = position(self.buffer.text(), &text, false).unwrap_or(0);
                self.buffer.move_to(if newer && self.command { 0 } else { at });
            }
            None => self.bell(),
        }
        Ok(())
    }

    /// Lets the user type a text in place of the line. `None` if it was given up.
    fn ask(&mut self, sign: u8) -> Result<Option<Vec<u8>>, Typed> {
        let mut text: Vec<u8> = Vec::new();
        let prompt = [&*self.prompt, &[sign]].concat();
        loop {
            self.screen.draw(&prompt, &text, text.len());
            match self.byte()? {
                b'\r' | b'\n' => return Ok(Some(text)),
                0x07 | 0x1b => {
                    self.bell();
                    return Ok(None);
                }
                0x7f | 8 => match text.is_empty() {
                    true => return Ok(None),
                    false => text.truncate(Buffer::new(text.clone()).left(text.len())),
                },
                0x15 => text.clear(),
                0x17 => text.truncate(Buffer::new(text.clone()).blank_left(text.len())),
                0x16 => text.push(self.byte()?),
                byte if text.len() < super::LONGEST_SEARCH => text.push(byte),
                _ => self.bell(),
            }
        }
    }
}

/// Where a text first occurs, or last.
pub(super) fn position(line: &[u8], text: &[u8], last: bool) -> Option<usize> {
    if text.is_empty() {
        return Some(if last { line.len() } else { 0 });
    }
    let mut windows = line.windows(text.len());
    if last { windows.rposition(|window| window == text) } else { windows.position(|window| window == text) }
}

/// A word of a line: the last one, or by its number; negative ones are counted from the end.
fn word_of(line: &[u8], number: Option<i64>) -> Option<Vec<u8>> {
    let words = tokens(line);
    let at = match number {
        None => words.len().checked_sub(1)?,
        Some(number) if number < 0 => {
            words.len().checked_sub(1)?.checked_sub(usize::try_from(number.unsigned_abs()).ok()?)?
        }
        Some(number) => usize::try_from(number).ok()?,
    };
    words.get(at).cloned().and_then(|word| line.get(word)).map(<[u8]>::to_vec)
}
