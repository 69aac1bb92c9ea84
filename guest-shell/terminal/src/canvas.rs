//! A whole screen, of which only what differs is drawn.

use crate::{Raw, size};
use sandshell_sys::{self as sys, Fd, Result};

/// The screen of a program that has the terminal for itself. What was on it comes back at the end.
#[derive(Debug)]
pub struct Canvas {
    fd: Fd,
    rows: usize,
    columns: usize,
    shown: Vec<Option<Vec<u8>>>,
    other_screen: bool,
    raw: Option<Raw>,
}

impl Canvas {
    /// Takes the screen of `fd`, and the keys of `keys`. Ctrl-C still interrupts if `signals`. With `other_screen`,
    /// what is on the screen comes back afterwards.
    ///
    /// # Errors
    /// `ENOTTY` if there is no terminal.
    pub fn enter(fd: Fd, keys: Fd, signals: bool, other_screen: bool) -> Result<Canvas> {
        let raw = Raw::enter(keys, signals)?;
        let (rows, columns) = size(fd);
        let canvas = Canvas { fd, rows, columns, shown: vec![None; rows], other_screen, raw: Some(raw) };
        canvas.put(if other_screen { b"\x1b[?1049h" } else { b"" });
        Ok(canvas)
    }

    /// Rows and columns.
    pub fn size(&self) -> (usize, usize) {
        (self.rows, self.columns)
    }

    /// Looks for another size, and draws everything anew next time. Returns whether the size has changed.
    pub fn refresh(&mut self) -> bool {
        let before = (self.rows, self.columns);
        (self.rows, self.columns) = size(self.fd);
        self.shown = vec![None; self.rows];
        before != (self.rows, self.columns)
    }

    /// Draws rows from the top, each no wider than the screen, and puts the cursor at a row and a column.
    pub fn draw(&mut self, rows: &[Vec<u8>], cursor: (usize, usize)) {
        let mut out = b"\x1b[?25l".to_vec();
        let empty = Vec::new();
        for (number, shown) in self.shown.iter_mut().enumerate() {
            let row = rows.get(number).unwrap_or(&empty);
            if shown.as_ref() == Some(row) {
                continue;
            }
            out.extend(format!("\x1b[{};1H\x1b[K", number + 1).bytes());
            out.extend_from_slice(row);
            *shown = Some(row.clone());
        }
        out.extend(format!("\x1b[{};{}H\x1b[?25h", cursor.0 + 1, cursor.1 + 1).bytes());
        self.put(&out);
    }

    pub fn bell(&self) {
        self.put(b"\x07");
    }

    /// Gives the terminal back for a while; [`resume`](Self::resume) takes it again.
    pub fn suspend(&mut self) {
        self.put(format!("\x1b[{};1H\x1b[K", self.rows).as_bytes());
        self.put(if self.other_screen { b"\x1b[?1049l" } else { b"" });
        self.raw = None;
    }

    /// # Errors
    /// As [`enter`](Self::enter).
    pub fn resume(&mut self, keys: Fd, signals: bool) -> Result<()> {
        self.raw = Some(Raw::enter(keys, signals)?);
        self.put(if self.other_screen { b"\x1b[?1049h" } else { b"" });
        self.refresh();
        Ok(())
    }

    fn put(&self, text: &[u8]) {
        // A terminal that is gone shows itself when keys are read.
        let _ = sys::write_all(self.fd, text);
    }
}

impl Drop for Canvas {
    fn drop(&mut self) {
        if self.raw.is_some() {
            self.suspend();
        }
    }
}

/// A text as far as it fits: columns `from` to `from + width`, with tabs as spaces. `mark` says which bytes are shown
/// in reverse.
pub fn fit(text: &[u8], from: usize, width: usize, tab: usize, mark: impl Fn(usize) -> bool) -> Vec<u8> {
    let (mut out, mut column, mut at, mut reverse) = (Vec::new(), 0, 0, false);
    let tab = tab.max(1);
    for glyph in crate::glyphs(text) {
        let (shown, columns) = match glyph.text.as_slice() {
            b"\t" => {
                let columns = tab - column % tab;
                (vec![b' '; columns], columns)
            }
            _ => (glyph.text, glyph.columns),
        };
        if column >= from + width || column + columns > from + width && columns <= 2 {
            break;
        }
        if mark(at) != reverse {
            reverse = !reverse;
            out.extend_from_slice(if reverse { b"\x1b[7m" } else { b"\x1b[27m" });
        }
        if column >= from {
            let room = from + width - column;
            out.extend_from_slice(
                shown.get(..room.min(shown.len())).filter(|_| columns > room).unwrap_or(&shown),
            );
        } else if column + columns > from {
            out.extend(std::iter::repeat_n(b' ', column + columns - from));
        }
        column += columns;
        at += glyph.bytes;
    }
    if reverse {
        out.extend_from_slice(b"\x1b[27m");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_line_fits() {
        assert_eq!(fit(b"a\tb", 0, 80, 8, |_| false), b"a       b");
        assert_eq!(fit("漢字x".as_bytes(), 1, 3, 8, |_| false), " 字".as_bytes());
        assert_eq!(fit(b"abc", 0, 2, 8, |at| at == 1), b"a\x1b[7mb\x1b[27m");
    }
}
