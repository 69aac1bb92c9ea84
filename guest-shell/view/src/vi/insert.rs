//! Typing text.

use super::{At, Mode, Vi};
use sandshell_terminal::Key;

impl Vi {
    /// Takes text until Escape. With `count`, it is inserted that often.
    pub(super) fn insert(&mut self, mode: Mode, count: usize) {
        self.mode = mode;
        let start = self.cursor;
        // What `R` has written over, to be put back by Backspace.
        let mut written_over: Vec<Vec<u8>> = Vec::new();
        loop {
            self.draw(None);
            let Some(key) = self.next_key() else { break };
            match key {
                Key::Escape | Key::Control(b'C' | b'[') => break,
                Key::Text(text) => {
                    if mode == Mode::Replace {
                        let to = self.buffer.right(self.cursor).unwrap_or(self.cursor);
                        written_over.push(self.buffer.between(self.cursor, to));
                        self.cursor = self.buffer.splice(self.cursor, to, &text);
                    } else {
                        self.type_text(&text);
                    }
                }
                Key::Paste(text) => self.type_text(&text),
                Key::Tab => self.type_text(b"\t"),
                Key::Enter => self.new_line(),
                Key::Backspace if mode == Mode::Replace => {
                    let (Some(before), Some(text)) = (self.buffer.left(self.cursor), written_over.pop())
                    else {
                        self.canvas.bell();
                        continue;
                    };
                    self.buffer.splice(before, self.cursor, &text);
                    self.cursor = before;
                }
                Key::Backspace => self.backspace(),
                Key::Control(b'W') => {
                    let from = super::motion::word_back(&self.buffer, self.cursor, false);
                    let from = from.filter(|from| from.line == self.cursor.line);
                    self.remove_from(from.unwrap_or(At { byte: 0, ..self.cursor }));
                }
                Key::Control(b'U') => self.remove_from(At { byte: 0, ..self.cursor }),
                Key::Control(b'V' | b'Q') => {
                    if let Ok(byte) = self.keys.byte() {
                        self.type_text(&[byte]);
                    }
                }
                Key::Delete => {
                    if let Some(to) = self.buffer.right(self.cursor) {
                        self.buffer.splice(self.cursor, to, b"");
                    }
                }
                Key::Left => self.cursor = self.buffer.left(self.cursor).unwrap_or(self.cursor),
                Key::Right => self.cursor = self.buffer.right(self.cursor).unwrap_or(self.cursor),
                Key::Home => self.cursor.byte = 0,
                Key::End => self.cursor.byte = self.buffer.line(self.cursor.line).len(),
                Key::Up => self.vertical(self.cursor.line.checked_sub(1)),
                Key::Down => {
                    self.vertical(Some(self.cursor.line + 1).filter(|line| *line <= self.buffer.last()))
                }
                _ => self.canvas.bell(),
            }
        }
        if count > 1 && start < self.cursor {
            let text = self.buffer.between(start, self.cursor);
            for _ in 1..count.min(10_000) {
                self.type_text(&text);
            }
        }
        self.mode = Mode::Normal;
        // The cursor is on the last character that was typed.
        if let Some(left) = self.buffer.left(self.cursor) {
            self.cursor = left;
        }
        self.go(self.cursor);
    }

    fn type_text(&mut self, text: &[u8]) {
        self.cursor = self.buffer.splice(self.cursor, self.cursor, text);
    }

    fn new_line(&mut self) {
        let indent = if self.indents { self.indent_of(self.cursor.line) } else { Vec::new() };
        self.type_text(&[b"\n", &*indent].concat());
    }

    /// The blanks at the start of a line.
    pub(super) fn indent_of(&self, line: usize) -> Vec<u8> {
        self.buffer.line(line).iter().copied().take_while(|b| matches!(b, b' ' | b'\t')).collect()
    }

    fn backspace(&mut self) {
        let from = self.buffer.left(self.cursor).or_else(|| {
            let line = self.cursor.line.checked_sub(1)?;
            Some(At { line, byte: self.buffer.line(line).len() })
        });
        match from {
            Some(from) => self.remove_from(from),
            None => self.canvas.bell(),
        }
    }

    fn remove_from(&mut self, from: At) {
        self.buffer.splice(from, self.cursor, b"");
        self.cursor = from;
    }

    fn vertical(&mut self, line: Option<usize>) {
        if let Some(line) = line {
            let column = self.buffer.column(self.cursor, self.tab);
            self.cursor = self.buffer.at_column(line, column, self.tab);
        }
    }
}
