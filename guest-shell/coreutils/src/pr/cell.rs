//! The text of one line in one column.

use crate::pr::Options;
use crate::pr::layout::Layout;

/// A line as it will be printed, without the blanks that lead to it.
#[derive(Clone, Debug, Default)]
pub(super) struct Cell {
    pub(super) number: Option<i64>,
    pub(super) text: Vec<u8>,
    /// The positions of the text, counted as the input has them.
    pub(super) width: i64,
}

/// How bytes become text.
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
        // Of merged files, the first column is wider by the number.
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

    /// A byte's text and how far it leads on from a position.
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
    /// The next byte had no room: the rest of the line is passed over.
    Full,
    /// As `Full`, from the first byte on.
    Dropped,
}

impl<'a> Builder<'a> {
    /// With the number that the line would get.
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

    /// The cell; `None` if not even the line's first byte had room.
    pub(super) fn finish(mut self) -> Option<Cell> {
        if self.state == Progress::Dropped {
            return None;
        }
        self.begin();
        Some(self.cell)
    }

    // The number takes its room once it is known that the line has any; the first byte is measured without it.
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
