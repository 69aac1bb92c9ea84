//! The text that is edited, in lines, with what is needed to take changes back.

use sandshell_terminal::glyphs;

/// How many steps can be taken back.
const STEPS: usize = 1000;

/// A line and a byte in it, at the start of a character.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct At {
    pub(super) line: usize,
    pub(super) byte: usize,
}

/// A change of whole lines: from `line` on, these lines were there before.
#[derive(Debug)]
struct Change {
    line: usize,
    before: Vec<Vec<u8>>,
    /// How many lines are there now.
    after: usize,
}

/// The changes of one command, and where the cursor was.
#[derive(Debug, Default)]
struct Step {
    changes: Vec<Change>,
    cursor: At,
}

/// The text. It has at least one line.
#[derive(Debug)]
pub(super) struct Buffer {
    lines: Vec<Vec<u8>>,
    done: Vec<Step>,
    undone: Vec<Step>,
    step: Step,
    pub(super) changed: bool,
    /// The last line has no end in the file.
    pub(super) unended: bool,
    /// There is no line in the file: the one that is shown stands for none.
    no_lines: bool,
}

impl Buffer {
    pub(super) fn new(content: &[u8]) -> Buffer {
        let text = content.strip_suffix(b"\n").unwrap_or(content);
        Buffer {
            lines: text.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect(),
            done: Vec::new(),
            undone: Vec::new(),
            step: Step::default(),
            changed: false,
            unended: !content.is_empty() && !content.ends_with(b"\n"),
            no_lines: content.is_empty(),
        }
    }

    pub(super) fn content(&self) -> Vec<u8> {
        if self.no_lines && self.lines.len() == 1 && self.line(0).is_empty() {
            return Vec::new();
        }
        let mut content = self.lines.join(&b'\n');
        if !self.unended {
            content.push(b'\n');
        }
        content
    }

    pub(super) fn count(&self) -> usize {
        self.lines.len()
    }

    /// Number of the last line.
    pub(super) fn last(&self) -> usize {
        self.lines.len() - 1
    }

    pub(super) fn line(&self, number: usize) -> &[u8] {
        self.lines.get(number).map_or(&[], Vec::as_slice)
    }

    pub(super) fn lines(&self, from: usize, to: usize) -> Vec<Vec<u8>> {
        self.lines.get(from..to.min(self.lines.len())).unwrap_or_default().to_vec()
    }

    /// Replaces the lines `from..to`.
    pub(super) fn replace(&mut self, from: usize, to: usize, with: Vec<Vec<u8>>) {
        let to = to.min(self.lines.len());
        let from = from.min(to);
        let after = with.len();
        let before: Vec<Vec<u8>> = self.lines.splice(from..to, with).collect();
        self.step.changes.push(Change { line: from, before, after });
        self.no_lines = self.lines.is_empty();
        if self.no_lines {
            self.lines.push(Vec::new());
            self.step.changes.push(Change { line: 0, before: Vec::new(), after: 1 });
        }
        self.changed = true;
    }

    /// Replaces the text between two places, the second not included.
    pub(super) fn splice(&mut self, from: At, to: At, with: &[u8]) -> At {
        let head = self.line(from.line).get(..from.byte).unwrap_or_default().to_vec();
        let tail = self.line(to.line).get(to.byte..).unwrap_or_default().to_vec();
        let mut lines: Vec<Vec<u8>> = with.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
        if let Some(first) = lines.first_mut() {
            *first = [&*head, first].concat();
        }
        let added = lines.len() - 1;
        let end = At { line: from.line + added, byte: lines.last().map_or(0, Vec::len) };
        if let Some(last) = lines.last_mut() {
            last.extend(tail);
        }
        self.replace(from.line, to.line + 1, lines);
        end
    }

    /// The text between two places, the second not included.
    pub(super) fn between(&self, from: At, to: At) -> Vec<u8> {
        if from.line == to.line {
            return self.line(from.line).get(from.byte..to.byte).unwrap_or_default().to_vec();
        }
        let mut text = self.line(from.line).get(from.byte..).unwrap_or_default().to_vec();
        for line in from.line + 1..to.line {
            text.push(b'\n');
            text.extend_from_slice(self.line(line));
        }
        text.push(b'\n');
        text.extend_from_slice(self.line(to.line).get(..to.byte).unwrap_or_default());
        text
    }

    /// Ends a step that can be taken back; it began with the cursor at `cursor`.
    pub(super) fn end_step(&mut self, cursor: At) {
        if self.step.changes.is_empty() {
            return;
        }
        let mut step = std::mem::take(&mut self.step);
        step.cursor = cursor;
        self.done.push(step);
        if self.done.len() > STEPS {
            self.done.remove(0);
        }
        self.undone.clear();
    }

    /// Takes the last step back. Returns where the cursor was.
    pub(super) fn undo(&mut self) -> Option<At> {
        let step = self.done.pop()?;
        let back = self.reverse(step);
        let cursor = back.cursor;
        self.undone.push(back);
        Some(cursor)
    }

    pub(super) fn redo(&mut self) -> Option<At> {
        let step = self.undone.pop()?;
        let back = self.reverse(step);
        let cursor = back.cursor;
        self.done.push(back);
        Some(cursor)
    }

    /// Applies the opposite of a step, and returns the opposite of that.
    fn reverse(&mut self, step: Step) -> Step {
        let mut changes = Vec::with_capacity(step.changes.len());
        for change in step.changes.into_iter().rev() {
            let end = (change.line + change.after).min(self.lines.len());
            let after = change.before.len();
            let before: Vec<Vec<u8>> = self.lines.splice(change.line.min(end)..end, change.before).collect();
            changes.push(Change { line: change.line, before, after });
        }
        self.changed = true;
        Step { changes, cursor: step.cursor }
    }

    /// The start of the character before `byte`.
    pub(super) fn left(&self, at: At) -> Option<At> {
        let before = self.line(at.line).get(..at.byte)?;
        let last = glyphs(before).pop()?;
        Some(At { byte: at.byte - last.bytes, ..at })
    }

    /// The place after the character at `byte`.
    pub(super) fn right(&self, at: At) -> Option<At> {
        let after = self.line(at.line).get(at.byte..)?;
        let piece = after.get(..64).unwrap_or(after);
        let first = glyphs(piece).into_iter().next()?;
        Some(At { byte: at.byte + first.bytes, ..at })
    }

    /// The place of the last character of a line.
    pub(super) fn line_end(&self, line: usize) -> At {
        let end = At { line, byte: self.line(line).len() };
        self.left(end).unwrap_or(end)
    }

    /// The first place of a line that is not blank.
    pub(super) fn indent(&self, line: usize) -> At {
        let text = self.line(line);
        let byte = text.iter().position(|b| !matches!(b, b' ' | b'\t'));
        match byte {
            Some(byte) => At { line, byte },
            None => self.line_end(line),
        }
    }

    /// The column at which a place is shown.
    pub(super) fn column(&self, at: At, tab: usize) -> usize {
        let mut column = 0;
        for glyph in glyphs(self.line(at.line).get(..at.byte).unwrap_or_default()) {
            column += if glyph.text == b"\t" { tab - column % tab } else { glyph.columns };
        }
        column
    }

    /// The character of a line that is shown at a column, or the last one.
    pub(super) fn at_column(&self, line: usize, wanted: usize, tab: usize) -> At {
        let (mut column, mut byte) = (0, 0);
        for glyph in glyphs(self.line(line)) {
            let columns = if glyph.text == b"\t" { tab - column % tab } else { glyph.columns };
            if column + columns > wanted {
                return At { line, byte };
            }
            column += columns;
            byte += glyph.bytes;
        }
        self.line_end(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_taken_back_and_made_again() {
        let mut b = Buffer::new(b"one\ntwo\nthree\n");
        let end = b.splice(At { line: 0, byte: 1 }, At { line: 2, byte: 2 }, b"X\nY");
        assert_eq!((b.content(), end), (b"oX\nYree\n".to_vec(), At { line: 1, byte: 1 }));
        b.end_step(At::default());
        b.replace(0, 2, Vec::new());
        b.end_step(At::default());
        assert_eq!(b.content(), b"");
        b.undo();
        assert_eq!(b.content(), b"oX\nYree\n");
        b.undo();
        assert_eq!(b.content(), b"one\ntwo\nthree\n");
        b.redo();
        b.redo();
        assert_eq!((b.content(), b.count()), (Vec::new(), 1));
    }
}
