//! Draws the prompt and the line, and changes no more of the screen than differs.

use sandshell_sys as sys;
use sandshell_terminal::{glyphs, size};

/// A column of a row. The second column of a wide character is empty.
type Cell = Vec<u8>;

/// A row of the screen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Row {
    cells: Vec<Cell>,
    /// The next row continues this one, because it is full.
    continues: bool,
}

/// What is drawn.
#[derive(Debug)]
pub(super) struct Screen {
    height: usize,
    width: usize,
    rows: Vec<Row>,
    /// Row and column.
    cursor: (usize, usize),
    /// Cells of the prompt, which are only drawn together.
    prompt: Vec<u8>,
    out: Vec<u8>,
}

impl Screen {
    pub(super) fn new() -> Screen {
        let (height, width) = size(2);
        Screen { height, width, rows: Vec::new(), cursor: (0, 0), prompt: Vec::new(), out: Vec::new() }
    }

    /// Draws the last line of a prompt, and a text. The cursor is at `point` of the text. Lines of the prompt before
    /// its last are written as they are when it is new.
    pub(super) fn draw(&mut self, prompt: &[u8], text: &[u8], point: usize) {
        let (first, last) = match prompt.iter().rposition(|byte| *byte == b'\n') {
            Some(at) => prompt.split_at(at + 1),
            None => prompt.split_at(0),
        };
        if self.rows.is_empty() {
            self.out.extend(first.iter().filter(|byte| !matches!(byte, 1 | 2)));
            self.rows.push(Row::default());
        }
        let whole = self.prompt != last;
        if whole {
            self.prompt = last.to_vec();
        }
        let (rows, cursor) = self.layout(text, point);
        self.change(rows, whole);
        self.go(cursor);
        self.flush();
    }

    /// Leaves the line: the cursor is then below it.
    pub(super) fn leave(&mut self) {
        let last = self.rows.len().saturating_sub(1);
        let width = self.rows.last().map_or(0, |row| row.cells.len());
        self.go((last, width));
        // On an empty row, what follows can begin there.
        self.out.extend(if last > 0 && width == 0 { &b"\r"[..] } else { b"\r\n" });
        self.forget();
        self.flush();
    }

    /// The screen is empty, or shows something else; the line is drawn where the cursor is.
    pub(super) fn forget(&mut self) {
        self.rows.clear();
        self.cursor = (0, 0);
        self.prompt.clear();
    }

    /// Clears the screen, and what has scrolled away if `all`.
    pub(super) fn clear(&mut self, all: bool) {
        self.out.extend(b"\x1b[H\x1b[2J");
        if all {
            self.out.extend(b"\x1b[3J");
        }
        self.forget();
    }

    /// Removes the line; what follows is written in its place.
    pub(super) fn erase(&mut self) {
        self.go((0, 0));
        self.out.extend(b"\r\x1b[J");
        self.forget();
        self.flush();
    }

    /// The size has changed. What is drawn is drawn anew from the row where the line began, as far as that is known.
    pub(super) fn resize(&mut self) {
        self.go((0, 0));
        (self.height, self.width) = size(2);
        self.out.extend(b"\x1b[J");
        // The lines of the prompt before its last stay as they are.
        self.rows = vec![Row::default()];
        self.cursor = (0, 0);
        self.prompt.clear();
    }

    pub(super) fn bell(&mut self) {
        self.out.push(7);
        self.flush();
    }

    pub(super) fn width(&self) -> usize {
        self.width
    }

    pub(super) fn height(&self) -> usize {
        self.height
    }

    /// Writes text as it is.
    pub(super) fn put(&mut self, text: &[u8]) {
        self.out.extend_from_slice(text);
        self.flush();
    }

    fn flush(&mut self) {
        // A terminal that is gone shows itself when keys are read.
        let _ = sys::write_all(2, &self.out);
        self.out.clear();
    }

    /// Rows and the place of the cursor. Only as many rows as the screen has, with that of the cursor.
    fn layout(&self, text: &[u8], point: usize) -> (Vec<Row>, (usize, usize)) {
        let mut rows = Rows { width: self.width.max(2), all: vec![Row::default()] };
        let (lead, cells) = prompt_cells(&self.prompt);
        for (cell, columns) in cells {
            rows.add(&cell, columns);
        }
        if let (false, Some(row)) = (lead.is_empty(), rows.all.last_mut()) {
            // Escape sequences without a character: they are shown before the text.
            match row.cells.last_mut() {
                Some(last) => last.extend_from_slice(&lead),
                None => row.cells.push(lead),
            }
        }
        let height = self.height.max(1);
        let mut cursor = rows.end();
        let mut at = 0;
        let mut seen = false;
        'text: for piece in pieces(text) {
            for glyph in glyphs(piece) {
                if !seen && at >= point {
                    // The cursor goes where the character is, also if it does not fit into the row.
                    let columns = if text.get(at) == Some(&b'\n') { 0 } else { glyph.columns };
                    cursor = rows.place_of(columns);
                    seen = true;
                }
                match glyph.text.as_slice() {
                    b"\t" => rows.tab(),
                    b"^J" if glyph.bytes == 1 && text.get(at) == Some(&b'\n') => {
                        rows.all.push(Row::default())
                    }
                    shown => rows.add(shown, glyph.columns),
                }
                at += glyph.bytes;
                // Of a long text, only the rows around the point are kept.
                if !seen && rows.all.len() > 2 * height {
                    rows.all.drain(..rows.all.len() - height);
                }
                if seen && rows.all.len() > cursor.0 + height {
                    break 'text;
                }
            }
        }
        if !seen {
            cursor = rows.end();
        }
        let top = (cursor.0 + 1).saturating_sub(height);
        let bottom = rows.all.len().min(top + height);
        let shown = rows.all.get(top..bottom).unwrap_or_default().to_vec();
        (shown, (cursor.0 - top, cursor.1))
    }

    /// Changes the screen to these rows.
    fn change(&mut self, rows: Vec<Row>, whole: bool) {
        let same = |row: &usize| self.rows.get(*row) == rows.get(*row);
        let first = if whole { 0 } else { (0..rows.len()).find(|row| !same(row)).unwrap_or(rows.len()) };
        if first == rows.len() && rows.len() == self.rows.len() {
            return;
        }
        // A row that is only longer than before, or of which less is left, is changed from there.
        let (row, column) = if first < self.rows.len() {
            let (old, new) = (self.rows.get(first), rows.get(first));
            let prefix = match (old, new) {
                (Some(old), Some(new)) if !whole => {
                    old.cells.iter().zip(&new.cells).take_while(|(a, b)| a == b).count()
                }
                _ => 0,
            };
            (first, self.boundary(first, prefix))
        } else {
            let last = self.rows.len() - 1;
            (last, self.rows.get(last).map_or(0, |row| row.cells.len()))
        };
        self.go((row, column));
        let old_rows = std::mem::take(&mut self.rows);
        let mut at = (row, column);
        while let Some(new) = rows.get(at.0) {
            for cell in new.cells.get(at.1..).unwrap_or_default() {
                self.out.extend_from_slice(cell);
            }
            let old = old_rows.get(at.0).map_or(0, |row| row.cells.len());
            // At the right edge there is nothing to clear, and clearing would take the last character.
            if old > new.cells.len() && new.cells.len() < self.width {
                self.out.extend(b"\x1b[K");
            }
            self.cursor = (at.0, new.cells.len());
            if at.0 + 1 >= rows.len() {
                break;
            }
            let next_is_empty = rows.get(at.0 + 1).is_none_or(|row| row.cells.is_empty());
            if new.continues && !next_is_empty {
                // The terminal goes on in the next row by itself.
            } else if new.continues {
                // The cursor must leave the right edge.
                self.out.extend(b" \r");
            } else {
                self.out.extend(b"\r\n");
            }
            at = (at.0 + 1, 0);
            self.cursor = at;
        }
        if old_rows.len() > rows.len() {
            if self.cursor.1 >= self.width {
                // Nothing is written beyond the right edge.
                self.out.extend(b"\r\n\x1b[J\x1b[A");
                self.cursor.1 = 0;
            } else {
                self.out.extend(b"\x1b[J");
            }
        }
        self.rows = rows;
    }

    /// The start of the cell at `column`, which is not within a wide character.
    fn boundary(&self, row: usize, mut column: usize) -> usize {
        let Some(row) = self.rows.get(row) else { return 0 };
        while column > 0 && row.cells.get(column).is_some_and(Vec::is_empty) {
            column -= 1;
        }
        column
    }

    fn go(&mut self, to: (usize, usize)) {
        let (row, column) = self.cursor;
        match to.0.cmp(&row) {
            std::cmp::Ordering::Less => self.out.extend(format!("\x1b[{}A", row - to.0).bytes()),
            std::cmp::Ordering::Greater => self.out.extend(format!("\x1b[{}B", to.0 - row).bytes()),
            std::cmp::Ordering::Equal => {}
        }
        // At the right edge, it is not known in which column the terminal believes to be.
        if to.1 != column || column >= self.width {
            let back = column.saturating_sub(to.1);
            if column < self.width && to.1 < column && back <= 4 && to.1 > 0 {
                self.out.extend(std::iter::repeat_n(8, back));
            } else {
                self.out.push(b'\r');
                if to.1 > 0 {
                    self.out.extend(format!("\x1b[{}C", to.1.min(self.width - 1)).bytes());
                }
            }
        }
        self.cursor = to;
    }
}

/// Pieces of a text, which end between characters.
fn pieces(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let tail = rest.get(4096..).unwrap_or_default();
        // Nothing before an ASCII character belongs to it.
        let end = tail.iter().position(u8::is_ascii).map_or(rest.len(), |at| 4096 + at);
        let (piece, after) = rest.split_at(end.min(rest.len()));
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

/// Rows that are being filled.
struct Rows {
    width: usize,
    all: Vec<Row>,
}

impl Rows {
    fn add(&mut self, text: &[u8], columns: usize) {
        if self.end().1 + columns > self.width {
            self.wrap();
        }
        let Some(row) = self.all.last_mut() else { return };
        row.cells.push(text.to_vec());
        row.cells.extend((1..columns).map(|_| Cell::new()));
        if row.cells.len() >= self.width {
            self.wrap();
        }
    }

    fn tab(&mut self) {
        let column = self.end().1;
        for _ in 0..8 - column % 8 {
            self.add(b" ", 1);
        }
    }

    fn wrap(&mut self) {
        if let Some(row) = self.all.last_mut() {
            // A wide character that does not fit leaves a column free.
            while row.cells.len() < self.width {
                row.cells.push(b" ".to_vec());
            }
            row.continues = true;
        }
        self.all.push(Row::default());
    }

    /// Where a character of that many columns would be.
    fn place_of(&self, columns: usize) -> (usize, usize) {
        let (row, column) = self.end();
        if column + columns > self.width { (row + 1, 0) } else { (row, column) }
    }

    fn end(&self) -> (usize, usize) {
        (self.all.len() - 1, self.all.last().map_or(0, |row| row.cells.len()))
    }
}

/// The cells of a prompt with their columns, and escape sequences that belong to none. What is between the bytes 1 and
/// 2 takes no column, nor do escape sequences.
fn prompt_cells(prompt: &[u8]) -> (Vec<u8>, Vec<(Cell, usize)>) {
    let mut cells: Vec<(Cell, usize)> = Vec::new();
    let mut invisible = Vec::new();
    let mut rest = prompt;
    loop {
        let length = hidden(rest);
        if length > 0 {
            let (hidden, after) = rest.split_at(length);
            invisible.extend(hidden.iter().filter(|byte| !matches!(byte, 1 | 2)));
            rest = after;
            continue;
        }
        let end = rest.iter().position(|byte| matches!(byte, 1 | 0x1b)).unwrap_or(rest.len());
        let (visible, after) = rest.split_at(end.max(usize::from(!rest.is_empty())));
        if visible.is_empty() {
            break;
        }
        for glyph in glyphs(visible) {
            let text = [&*std::mem::take(&mut invisible), &glyph.text].concat();
            cells.push((text, glyph.columns.max(1)));
        }
        rest = after;
    }
    if let Some((last, _)) = cells.last_mut() {
        last.append(&mut invisible);
    }
    (invisible, cells)
}

/// The length of what is invisible at the start of `text`.
fn hidden(text: &[u8]) -> usize {
    let up_to = |is_end: &dyn Fn(&u8) -> bool, from: usize| {
        let rest = text.get(from..).unwrap_or_default();
        rest.iter().position(is_end).map_or(text.len(), |at| from + at + 1)
    };
    match text {
        [1, ..] => up_to(&|byte| *byte == 2, 1),
        [0x1b, b'[', ..] => up_to(&|byte| (0x40..0x7f).contains(byte), 2),
        [0x1b, b']', ..] => up_to(&|byte| matches!(byte, 7 | b'\\'), 2),
        [0x1b, _, ..] => 2,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn screen(width: usize) -> Screen {
        Screen { height: 5, width, rows: Vec::new(), cursor: (0, 0), prompt: b"$ ".to_vec(), out: Vec::new() }
    }

    #[test]
    fn long_lines_are_wrapped() {
        let (rows, cursor) = screen(5).layout(b"abcdef", 3);
        assert_eq!(rows.len(), 2);
        assert!(rows[0].continues);
        assert_eq!(cursor, (1, 0));
        let (rows, cursor) = screen(5).layout("a\n漢字漢".as_bytes(), 2);
        assert_eq!(rows.len(), 3);
        assert_eq!(cursor, (1, 0));
        assert_eq!(rows[1].cells.len(), 5);
    }

    #[test]
    fn the_cursor_is_where_the_next_character_fits() {
        let text = "abc漢d".as_bytes();
        // The wide character does not fit into the last column, so the cursor is in the next row.
        let mut narrow = screen(6);
        narrow.prompt = b"$ ".to_vec();
        assert_eq!(narrow.layout(text, 3).1, (1, 0));
        assert_eq!(narrow.layout(text, 6).1, (1, 2));
        assert_eq!(narrow.layout(text, text.len()).1, (1, 3));
        assert_eq!(narrow.layout(b"", 0).1, (0, 2));
    }

    #[test]
    fn only_a_part_of_a_long_text_is_shown() {
        let text = [b'x'; 100];
        let (rows, cursor) = screen(5).layout(&text, 100);
        assert_eq!(rows.len(), 5);
        assert_eq!(cursor.0, 4);
    }

    #[test]
    fn escape_sequences_of_a_prompt_take_no_room() {
        let (lead, cells) = prompt_cells(b"\x01\x1b[1m\x02a\x1b]0;title\x07b\x1b[0m");
        assert!(lead.is_empty());
        let texts: Vec<&[u8]> = cells.iter().map(|cell| &*cell.0).collect();
        assert_eq!(texts, [&b"\x1b[1ma"[..], b"\x1b]0;title\x07b\x1b[0m"]);
    }

    #[test]
    fn only_what_differs_is_written() {
        let mut s = screen(20);
        s.rows.push(Row::default());
        let (rows, _) = s.layout(b"echo a", 6);
        s.change(rows, false);
        s.out.clear();
        let (rows, _) = s.layout(b"echo ab", 7);
        s.change(rows, false);
        assert_eq!(s.out, b"b");
        s.out.clear();
        let (rows, cursor) = s.layout(b"echo", 4);
        s.change(rows, false);
        s.go(cursor);
        assert_eq!(s.out, b"\x08\x08\x08\x1b[K");
    }
}
