//! The text being parsed: the lines of the current command that have been read.

use crate::ast::Bytes;

/// A position to return to.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Mark {
    pub(super) pos: usize,
    pub(super) line: u32,
    pub(super) line_start: usize,
}

#[derive(Debug)]
enum Source {
    /// A complete text, and how much of it has been taken.
    Text(Bytes, usize),
    /// Lines are requested from the host.
    Lines,
}

/// A buffer of the current command's lines, which is filled on demand.
#[derive(Debug)]
pub(super) struct Input {
    source: Source,
    buffer: Vec<u8>,
    at: Mark,
    ended: bool,
    /// Whether the text is taken as it is, without a newline added at its end.
    exact: bool,
    /// The position of a newline that was added because the text lacked it.
    added_newline: Option<usize>,
    /// The start of a line in which an alias was replaced, and the original line.
    written: Option<(usize, Vec<u8>)>,
    /// The ranges of inserted alias texts. Their newlines are not counted.
    inserted: Vec<(usize, usize)>,
}

impl Input {
    pub(super) fn text(text: Bytes, line: u32) -> Input {
        Input::new(Source::Text(text, 0), line, false)
    }

    /// Input from text that does not consist of lines: nothing is added to it.
    pub(super) fn exact(text: Bytes, line: u32) -> Input {
        Input::new(Source::Text(text, 0), line, true)
    }

    /// Whether the input is a complete text, as opposed to lines from the host.
    pub(super) fn is_text(&self) -> bool {
        matches!(self.source, Source::Text(..))
    }

    pub(super) fn lines(line: u32) -> Input {
        Input::new(Source::Lines, line, false)
    }

    fn new(source: Source, line: u32, exact: bool) -> Input {
        Input {
            source,
            buffer: Vec::new(),
            at: Mark { pos: 0, line, line_start: 0 },
            ended: false,
            exact,
            added_newline: None,
            written: None,
            inserted: Vec::new(),
        }
    }

    pub(super) fn line(&self) -> u32 {
        self.at.line
    }

    pub(super) fn set_line(&mut self, line: u32) {
        self.at.line = line;
    }

    pub(super) fn pos(&self) -> usize {
        self.at.pos
    }

    pub(super) fn mark(&self) -> Mark {
        self.at
    }

    pub(super) fn reset(&mut self, mark: Mark) {
        self.at = mark;
    }

    pub(super) fn slice(&self, from: usize, to: usize) -> &[u8] {
        self.buffer.get(from..to).unwrap_or_default()
    }

    /// How many bytes after the position have been read.
    pub(super) fn unread(&self) -> usize {
        self.buffer.len().saturating_sub(self.at.pos)
    }

    pub(super) fn rest(&self) -> &[u8] {
        match &self.source {
            Source::Text(text, taken) => text.get(*taken..).unwrap_or_default(),
            Source::Lines => &[],
        }
    }

    /// The line that contains the position, without its newline, for error messages.
    pub(super) fn current_line(&self) -> &[u8] {
        if let Some((start, line)) = &self.written
            && *start == self.at.line_start
        {
            return line;
        }
        let line = self.buffer.get(self.at.line_start..).unwrap_or_default();
        line.split(|&byte| byte == b'\n').next().unwrap_or_default()
    }

    /// Drops the text that has been parsed.
    pub(super) fn discard_consumed(&mut self) {
        if self.at.line_start == 0 && self.at.pos < self.buffer.len() {
            return;
        }
        // The current line stays complete, because error messages show it.
        let start = if self.at.pos >= self.buffer.len() { self.buffer.len() } else { self.at.line_start };
        self.buffer.drain(..start);
        self.at.pos = self.at.pos.saturating_sub(start);
        self.at.line_start = self.at.line_start.saturating_sub(start);
        self.added_newline = self.added_newline.and_then(|at| at.checked_sub(start));
        self.inserted.retain_mut(|(from, to)| {
            *from = from.saturating_sub(start);
            *to = to.saturating_sub(start);
            *from < *to
        });
        self.written = self.written.take().and_then(|(at, line)| Some((at.checked_sub(start)?, line)));
    }

    /// Skips to the start of the next line.
    pub(super) fn skip_line(&mut self) {
        while let Some(&byte) = self.buffer.get(self.at.pos) {
            self.bump();
            if byte == b'\n' {
                break;
            }
        }
    }

    pub(super) fn needs_line(&self) -> bool {
        self.at.pos >= self.buffer.len()
    }

    pub(super) fn wants_host(&self) -> bool {
        matches!(self.source, Source::Lines) && !self.ended
    }

    /// Adds a line from the host. Returns false at the end.
    pub(super) fn push_line(&mut self, line: Option<Vec<u8>>) -> bool {
        match line {
            Some(mut line) if !line.is_empty() => {
                if line.contains(&0) {
                    line.retain(|&byte| byte != 0);
                }
                self.buffer.extend_from_slice(&line);
                if !self.buffer.ends_with(b"\n") {
                    // A backslash at the end of a file is kept, so its newline does not count as added.
                    if !self.buffer.ends_with(b"\\") {
                        self.added_newline = Some(self.buffer.len());
                    }
                    self.buffer.push(b'\n');
                }
            }
            _ => self.ended = true,
        }
        !self.ended
    }

    /// The next line of a text. `None` at its end, and for text that does not consist of lines.
    pub(super) fn next_text_line(&self) -> Option<&[u8]> {
        let Source::Text(text, taken) = &self.source else { return None };
        let rest = text.get(*taken..).filter(|rest| !rest.is_empty() && !self.exact)?;
        rest.split_inclusive(|&byte| byte == b'\n').next()
    }

    /// Takes the next line of a text, or `other` in its place.
    pub(super) fn fill_from_text_with(&mut self, other: Option<Vec<u8>>) -> bool {
        let Some(other) = other else { return self.fill_from_text() };
        let length = self.next_text_line().map_or(0, <[u8]>::len);
        if let Source::Text(_, taken) = &mut self.source {
            *taken += length;
        }
        self.buffer.extend_from_slice(&other);
        true
    }

    /// Takes the next line of a text. Returns false at the end.
    pub(super) fn fill_from_text(&mut self) -> bool {
        let Source::Text(text, taken) = &mut self.source else { return false };
        let rest = text.get(*taken..).unwrap_or_default();
        if rest.is_empty() {
            self.ended = true;
            return false;
        }
        if self.exact {
            self.buffer.extend_from_slice(rest);
            *taken = text.len();
            return true;
        }
        let length = rest.iter().position(|&byte| byte == b'\n').map_or(rest.len(), |at| at + 1);
        let line = rest.get(..length).unwrap_or_default();
        // As in bash, NUL bytes of scripts are dropped.
        if line.contains(&0) {
            self.buffer.extend(line.iter().filter(|&&byte| byte != 0));
        } else {
            self.buffer.extend_from_slice(line);
        }
        *taken += length;
        if !self.buffer.ends_with(b"\n") {
            self.added_newline = Some(self.buffer.len());
            self.buffer.push(b'\n');
        }
        true
    }

    /// The byte at the position, if its line has been read.
    pub(super) fn byte(&self) -> Option<u8> {
        self.buffer.get(self.at.pos).copied()
    }

    /// The byte `offset` after the position, if its line has been read.
    pub(super) fn byte_at(&self, offset: usize) -> Option<u8> {
        self.buffer.get(self.at.pos + offset).copied()
    }

    /// Whether there is a line continuation at the position. A newline that was added does not count.
    pub(super) fn at_continuation(&self) -> bool {
        self.continuation_at(0)
    }

    /// Whether there is a line continuation `offset` after the position.
    pub(super) fn continuation_at(&self, offset: usize) -> bool {
        self.byte_at(offset) == Some(b'\\')
            && self.byte_at(offset + 1) == Some(b'\n')
            && self.added_newline != Some(self.at.pos + offset + 1)
    }

    /// Whether the newline at the position was added at the end of the text.
    pub(super) fn at_added_newline(&self) -> bool {
        self.added_newline == Some(self.at.pos)
    }

    /// Skips the byte at the position.
    pub(super) fn bump(&mut self) {
        if self.byte() == Some(b'\n') {
            let at = self.at.pos;
            if !self.inserted.iter().any(|(start, end)| (*start..*end).contains(&at)) {
                self.at.line += 1;
            }
            self.at.line_start = self.at.pos + 1;
        }
        self.at.pos += 1;
    }

    /// Skips bytes that contain no newline.
    pub(super) fn advance(&mut self, count: usize) {
        self.at.pos += count;
    }

    /// Replaces the text from `from` to the position by `text`, and moves the position to its start.
    pub(super) fn replace(&mut self, from: Mark, text: &[u8]) {
        let end = self.at.pos.min(self.buffer.len());
        let start = from.pos.min(end);
        if self.written.as_ref().is_none_or(|w| w.0 != self.at.line_start) {
            self.written = Some((self.at.line_start, self.current_line().to_vec()));
        }
        self.added_newline = self.added_newline.map(|at| at - (end - start) + text.len());
        self.inserted.retain(|(from, to)| *to <= start || *from >= end || *from <= start && end <= *to);
        for (from, to) in &mut self.inserted {
            if *from >= end && *from > start {
                *from = *from - (end - start) + text.len();
            }
            if *to >= end && *to > start {
                *to = *to - (end - start) + text.len();
            }
        }
        self.inserted.push((start, start + text.len()));
        self.buffer.splice(start..end, text.iter().copied());
        self.at = from;
    }
}
