//! The lines of the text, and how the last change is taken back.

use std::cell::Cell;
use std::rc::Rc;

/// A line, without its newline. A changed line is another one.
pub(super) struct Line {
    pub(super) text: Rc<[u8]>,
    is_in_buffer: Cell<bool>,
}

impl Line {
    pub(super) fn new(text: &[u8]) -> Rc<Line> {
        Rc::new(Line { text: text.into(), is_in_buffer: Cell::new(false) })
    }

    /// Another line with the same text.
    pub(super) fn copy(&self) -> Rc<Line> {
        Rc::new(Line { text: self.text.clone(), is_in_buffer: Cell::new(false) })
    }
}

/// Lines were replaced by others.
struct Change {
    at: usize,
    removed: Vec<Rc<Line>>,
    inserted: usize,
}

/// What `u` brings back.
struct Undo {
    changes: Vec<Change>,
    current: usize,
    is_modified: bool,
}

/// The text. Lines have the numbers from 1 on.
///
/// Lines before the last change are in order, those after it in reverse order: changes that follow each other cost
/// nothing for the lines around them.
#[derive(Default)]
pub(super) struct Buffer {
    before: Vec<Rc<Line>>,
    after: Vec<Rc<Line>>,
    /// The number of the current line, 0 before the first.
    pub(super) current: usize,
    /// Whether there are changes that are in no file.
    pub(super) is_modified: bool,
    undo: Option<Undo>,
    /// The current line when the command began, if it has changed nothing yet.
    begun: Option<usize>,
    is_undone: bool,
}

impl Buffer {
    /// The number of the last line.
    pub(super) fn last(&self) -> usize {
        self.before.len() + self.after.len()
    }

    pub(super) fn line(&self, number: usize) -> Option<&Rc<Line>> {
        let index = number.checked_sub(1)?;
        match index.checked_sub(self.before.len()) {
            None => self.before.get(index),
            Some(behind) => self.after.len().checked_sub(behind + 1).and_then(|index| self.after.get(index)),
        }
    }

    /// The lines of a range, both ends included.
    pub(super) fn lines(&self, first: usize, last: usize) -> Vec<Rc<Line>> {
        (first..=last).filter_map(|number| self.line(number)).cloned().collect()
    }

    /// The number of a line that is in the buffer. It is looked for from `hint` on.
    pub(super) fn number_of(&self, line: &Rc<Line>, hint: usize) -> Option<usize> {
        let is_it = |number: &usize| self.line(*number).is_some_and(|other| Rc::ptr_eq(other, line));
        let hint = hint.clamp(1, self.last().max(1));
        line.is_in_buffer.get().then(|| (hint..=self.last()).chain(1..hint).find(is_it)).flatten()
    }

    /// From now on, changes are those of a new command.
    pub(super) fn begin(&mut self) {
        (self.begun, self.is_undone) = (Some(self.current), false);
    }

    /// The last command's changes stay.
    pub(super) fn forget(&mut self) {
        self.undo = None;
    }

    /// Whether this command has taken changes back.
    pub(super) fn was_undone(&self) -> bool {
        self.is_undone
    }

    /// Replaces `count` lines behind line `at` by others; returns those that were there.
    pub(super) fn replace(&mut self, at: usize, count: usize, lines: Vec<Rc<Line>>) -> Vec<Rc<Line>> {
        let inserted = lines.len();
        let removed = self.splice(at, count, lines);
        if let Some(current) = self.begun.take() {
            let is_modified = self.is_modified;
            self.undo = Some(Undo { changes: Vec::new(), current, is_modified });
        }
        if let Some(undo) = &mut self.undo {
            undo.changes.push(Change { at, removed: removed.clone(), inserted });
        }
        self.is_modified = true;
        removed
    }

    /// Takes back the last command's changes; doing so is a change, too. `false` if there is none.
    pub(super) fn undo(&mut self) -> bool {
        let Some(undo) = self.undo.take() else { return false };
        (self.begun, self.is_undone) = (None, true);
        let (current, is_modified) = (self.current, self.is_modified);
        let mut changes = Vec::with_capacity(undo.changes.len());
        for change in undo.changes.into_iter().rev() {
            let inserted = change.removed.len();
            let removed = self.splice(change.at, change.inserted, change.removed);
            changes.push(Change { at: change.at, removed, inserted });
        }
        (self.current, self.is_modified) = (undo.current, undo.is_modified);
        self.undo = Some(Undo { changes, current, is_modified });
        true
    }

    fn splice(&mut self, at: usize, count: usize, lines: Vec<Rc<Line>>) -> Vec<Rc<Line>> {
        self.move_gap(at);
        let left = self.after.len().saturating_sub(count);
        let mut removed = self.after.split_off(left);
        removed.reverse();
        for line in &removed {
            line.is_in_buffer.set(false);
        }
        for line in &lines {
            line.is_in_buffer.set(true);
        }
        self.before.extend(lines);
        removed
    }

    fn move_gap(&mut self, at: usize) {
        while self.before.len() > at
            && let Some(line) = self.before.pop()
        {
            self.after.push(line);
        }
        while self.before.len() < at
            && let Some(line) = self.after.pop()
        {
            self.before.push(line);
        }
    }
}
