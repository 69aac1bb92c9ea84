//! The text of a line in a column.

use crate::pr::Options;
use crate::pr::layout::Layout;

/// A line in its printed form, without the blanks before it.
#[derive(Clone, Debug, Default)]
pub(super) struct Cell {
    pub(super) number: Option<i64>,
    pub(super) text: Vec<u8>,
    /// The width of the text, computed from the positions in the input.
    pub(super) width: i64,
}

/// How the bytes of a line are printed.
pub(super) struct Style {
    tab: (u8, i64),
    expand: bool,
    hat: bool,
    octal: bool,
    limit: i64,
    indent: i64,
}

impl Style {
    pub(super) fn new(o: &Options, layout: &Layout) -> Self {
        // With merged files, the number makes the first column wider instead of taking space from its text.
        let counted = layout.aligned && layout.order != super::layout::Order::Merged;
        Self {
            tab: o.input_tab,
            expand: layout.expand,
            hat: o.hat,
            octal: o.octal,
            limit: if layout.aligned { layout.width } else { i64::MAX },
            indent: if counted { layout.number_width } else { 0 },
        }
    }

    /// Appends the text for a byte at the position `at`, and returns by how much it moves the position.
    fn glyph(&self, byte: u8, at: i64, to: &mut Vec<u8>) -> i64 {
        let (tab, stop) = self.tab;
        if byte == tab || byte == b'\t' {
            let stop = if byte == tab { stop } else { 8 };
            let width = stop - at % stop;
            match usize::try_from(width) {
                Ok(blanks) if self.expand => to.resize(to.len() + blanks, b' '),
                _ => to.push(byte),
            }
            return width;
        }
        let printable = (b' '..=b'~').contains(&byte);
        if !printable && (self.octal || self.hat && !byte.is_ascii()) {
            to.extend_from_slice(format!("\\{byte:03o}").as_bytes());
            return 4;
        }
        if !printable && self.hat {
            to.extend([b'^', byte ^ 0x40]);
            return 2;
        }
        match byte {
            8 if at == 0 => return 0,
            _ => to.push(byte),
        }
        match byte {
            8 => -1,
            _ => printable.into(),
        }
    }
}

/// Builds a cell from the bytes of a line.
pub(super) struct Builder<'a> {
    style: &'a Style,
    cell: Cell,
    number: Option<i64>,
    state: Progress,
}

#[derive(PartialEq, Eq)]
enum Progress {
    Fresh,
    Begun,
    /// A byte did not fit, so the rest of the line is skipped.
    Full,
    /// The first byte did not fit, so the whole line is skipped.
    Dropped,
}

impl<'a> Builder<'a> {
    /// `number` is the number that the line will get.
    pub(super) fn new(style: &'a Style, number: Option<i64>) -> Self {
        Self { style, cell: Cell::default(), number, state: Progress::Fresh }
    }

    pub(super) fn push(&mut self, byte: u8) {
        if matches!(self.state, Progress::Full | Progress::Dropped) {
            return;
        }
        let (length, at) = (self.cell.text.len(), self.cell.width);
        let width = self.style.glyph(byte, at, &mut self.cell.text);
        if at + width > self.style.limit {
            self.cell.text.truncate(length);
            self.state = if self.state == Progress::Fresh { Progress::Dropped } else { Progress::Full };
            return;
        }
        self.cell.width += width;
        self.begin();
    }

    /// The cell; `None` if not even the first byte of the line fits.
    pub(super) fn finish(mut self) -> Option<Cell> {
        if self.state == Progress::Dropped {
            return None;
        }
        self.begin();
        Some(self.cell)
    }

    // The number only takes space after the first byte was found to fit, so that byte is measured without the number.
    fn begin(&mut self) {
        if self.state == Progress::Fresh {
            self.state = Progress::Begun;
            self.cell.number = self.number;
            if self.number.is_some() {
                self.cell.width += self.style.indent;
            }
        }
    }
}
