//! Prints pages: reads rows from the files, and prints them under a header.

use crate::pr::Options;
use crate::pr::cell::{Builder, Cell, Style};
use crate::pr::heading::Heading;
use crate::pr::layout::{Layout, Order};
use crate::pr::pen::Pen;
use crate::pr::source::{End, Flow, Source};
use sandshell_cli::out;
use sandshell_cli::quote::quotef;
use sandshell_cli::warn;

/// The content of a column in one row.
enum Slot {
    Text(Cell),
    /// The last line of a file, without a newline, while other files have more lines.
    Last(Cell),
    /// The file has no more lines on this page, but its column may stay empty.
    Blank,
    /// Not even the first byte of the line fits.
    Dropped,
}

/// Prints one file, or several side by side.
pub(super) struct Sheets<'a> {
    o: &'a Options,
    layout: &'a Layout,
    style: &'a Style,
    heading: Heading,
    sources: Vec<Source>,
    columns: usize,
    /// The number of the current page.
    page: u64,
    /// How many pages were begun, including those that are skipped.
    begun: u64,
    /// For each column, the last page for which it read a line. Pages are counted as in `begun`.
    read_for: Vec<u64>,
    number: i64,
    pen: Pen,
    header_due: bool,
    form_feed_due: bool,
}

impl<'a> Sheets<'a> {
    /// `sources` are open: either a single one, or one for each column.
    pub(super) fn new(
        o: &'a Options,
        layout: &'a Layout,
        style: &'a Style,
        heading: Heading,
        sources: Vec<Source>,
    ) -> Self {
        Self {
            o,
            layout,
            style,
            heading,
            columns: if layout.order == Order::Merged { sources.len() } else { layout.columns },
            sources,
            page: 1,
            begun: 0,
            read_for: Vec::new(),
            number: o.first_number.unwrap_or(1),
            pen: Pen::new(layout.compress, o.output_tab),
            header_due: false,
            form_feed_due: false,
        }
    }

    /// Prints the pages that the options select.
    pub(super) fn print(&mut self) -> Result<(), i32> {
        // If several columns are filled row by row, GNU pr does not report after a page break that there are too few
        // pages.
        let quiet_after_break = self.layout.order == Order::Across && self.columns > 1;
        let mut quiet = false;
        while self.page < self.o.first_page {
            self.pass_over_page()?;
            quiet |= quiet_after_break && self.sources.iter().any(|s| s.flow == Flow::Paused);
            self.turn();
            if !self.any_open() {
                let (first, there) = (self.o.first_page, self.page - 1);
                if !quiet {
                    warn!("pr", "starting page number ", first, " exceeds page count ", there);
                }
                return Ok(());
            }
        }
        while self.any_open() && self.page <= self.o.last_page && out::failure().is_none() {
            self.print_page()?;
            self.turn();
        }
        Ok(())
    }

    /// Goes to the next page.
    fn turn(&mut self) {
        self.page = self.page.saturating_add(1);
        self.sources.iter_mut().for_each(Source::resume);
    }

    fn any_open(&self) -> bool {
        self.sources.iter().any(|s| s.flow == Flow::Open)
    }

    /// The source of a column.
    fn source(&mut self, column: usize) -> Option<&mut Source> {
        let merged = self.layout.order == Order::Merged;
        self.sources.get_mut(if merged { column } else { 0 })
    }

    /// Marks the page as full: form feeds that follow directly only end this page.
    fn page_is_full(&mut self) {
        let page = self.begun;
        for source in self.sources.iter_mut().filter(|s| s.flow == Flow::Open) {
            source.filled = page;
        }
    }

    fn pass_over_page(&mut self) -> Result<(), i32> {
        self.begun += 1;
        for _ in 0..self.layout.rows {
            for column in 0..self.columns {
                if !self.any_open() {
                    return Ok(());
                }
                let Some((text, end)) = self.read(column, |_| ())? else { continue };
                let counts = self.o.first_number.is_none()
                    && (self.layout.order != Order::Merged || column == 0)
                    && (text || end == End::File);
                self.number += i64::from(counts);
            }
        }
        self.page_is_full();
        Ok(())
    }

    /// Reads a line for a column; `None` if its file has no more lines for this page.
    fn read(&mut self, column: usize, take: impl FnMut(u8)) -> Result<Option<(bool, End)>, i32> {
        if self.read_for.len() <= column {
            self.read_for.resize(column + 1, 0);
        }
        let (page, last) = (self.begun, self.read_for[column]);
        let Some(source) = self.source(column).filter(|s| s.flow == Flow::Open) else { return Ok(None) };
        let after_full = source.filled > 0 && source.filled >= last;
        match source.line(after_full, take) {
            Ok(line) => {
                self.read_for[column] = page;
                Ok(Some(line))
            }
            Err(e) => {
                warn!("pr", quotef(&source.name), ": ", e);
                Err(1)
            }
        }
    }

    /// Reads a line into a cell. Returns the cell, if there was a line, and how the line ended.
    fn read_cell(&mut self, column: usize) -> Result<Option<(Option<Slot>, End)>, i32> {
        let number = self.layout.numbers(column).then_some(self.number);
        let mut builder = Builder::new(self.style, number);
        let read = self.read(column, |byte| builder.push(byte));
        let cell = builder.finish();
        let Some((text, end)) = read? else { return Ok(None) };
        if end == End::PageBreak && self.layout.echo_form_feeds {
            self.form_feed_due = true;
        }
        let slot = text.then(|| cell.map_or(Slot::Dropped, Slot::Text));
        if let Some(Slot::Text(Cell { number: Some(_), .. })) = slot {
            self.number = self.number.wrapping_add(1);
        }
        Ok(Some((slot, end)))
    }

    fn print_page(&mut self) -> Result<(), i32> {
        self.begun += 1;
        self.header_due |= self.layout.decorated;
        let per_row = if self.o.double_space { 2 } else { 1 };
        let mut left = self.layout.rows.saturating_mul(per_row);
        let mut stack = match self.layout.order {
            Order::Down => Some(self.read_columns()?),
            Order::Across | Order::Merged => None,
        };
        let mut printed = false;
        let mut more = true;
        let mut read = 0;
        while left > 0 && more {
            let there = match &mut stack {
                Some(stack) => self.print_stacked(stack),
                // Rows that were read count even if nothing of them was printed.
                None if read >= self.layout.rows => false,
                None => self.print_row()?,
            };
            read += 1;
            printed |= there;
            if there {
                out::put("\n");
                left -= 1;
            }
            more = self.any_open() || stack.as_ref().is_some_and(|s| !s.is_done());
            if !more && !self.layout.decorated {
                break;
            }
            if self.o.double_space && printed {
                out::put("\n");
                left -= 1;
            }
            if !there && (stack.is_some() || read > self.layout.rows && !(self.o.double_space && printed)) {
                break;
            }
        }
        if left == 0 {
            self.page_is_full();
        }
        if printed && self.layout.decorated {
            if self.o.form_feed {
                out::put([12]);
            } else {
                put_newlines(left + 5);
            }
        } else if std::mem::take(&mut self.form_feed_due) {
            out::put([12]);
        }
        Ok(())
    }

    /// Reads and prints a row, without its newline. Returns whether there was one.
    fn print_row(&mut self) -> Result<bool, i32> {
        let merged = self.layout.order == Order::Merged;
        let mut row: Vec<Slot> = Vec::new();
        let mut broken = false;
        for column in 0..self.columns {
            let slot = match self.read_cell(column)? {
                Some((Some(Slot::Text(cell)), End::File)) if merged && self.any_open() => Slot::Last(cell),
                Some((Some(slot), _)) => slot,
                Some((None, end)) => {
                    broken |= end == End::PageBreak;
                    Slot::Blank
                }
                None => Slot::Blank,
            };
            let over = !self.any_open();
            if !over || !matches!(slot, Slot::Blank) {
                row.push(slot);
            }
            if over {
                break;
            }
        }
        let Some(text) = row.iter().position(|s| matches!(s, Slot::Text(_) | Slot::Last(_))) else {
            // An empty page is a page too.
            let empty_page = broken && self.header_due;
            if empty_page {
                self.put_header();
            }
            return Ok(empty_page);
        };
        self.begin_row();
        // From the first blank column on, columns keep their place. Before any text, so do columns whose line did not
        // fit.
        let kept = row[..text].iter().any(|s| matches!(s, Slot::Blank));
        for (column, slot) in row.iter().enumerate() {
            match slot {
                Slot::Text(cell) | Slot::Last(cell) => {
                    if column == text && kept && !self.layout.aligned {
                        self.pen.forget();
                    }
                    self.approach(column);
                    self.put_number(cell.number);
                    self.pen.text(&cell.text);
                    // If a file ends inside a line, the next place follows directly, without a separator.
                    if matches!(slot, Slot::Last(_)) {
                        self.lead_to(column);
                        self.renumber(column);
                    }
                }
                Slot::Blank if merged => self.keep_place(column),
                Slot::Dropped if merged && kept && column < text => self.keep_place(column),
                Slot::Blank | Slot::Dropped => {}
            }
        }
        Ok(true)
    }

    /// Reads the lines of a page whose columns are filled downwards.
    fn read_columns(&mut self) -> Result<Stack, i32> {
        let mut lines = Vec::new();
        let mut broken = false;
        'page: for column in 0..self.columns {
            for _ in 0..self.layout.rows {
                let Some((slot, end)) = self.read_cell(column)? else { break 'page };
                broken |= end == End::PageBreak;
                let cell = match slot {
                    Some(Slot::Text(cell)) => cell,
                    _ => Cell::default(),
                };
                if end == End::Newline || cell.number.is_some() || !cell.text.is_empty() {
                    lines.push(cell);
                }
            }
        }
        Ok(Stack { columns: self.columns, lines, row: 0, broken })
    }

    /// Prints the next row of columns that are filled downwards. Returns whether there was one.
    fn print_stacked(&mut self, stack: &mut Stack) -> bool {
        if stack.is_done() {
            let empty_page = stack.broken && stack.lines.is_empty() && self.header_due;
            if empty_page {
                self.put_header();
            }
            return empty_page;
        }
        self.begin_row();
        for column in 0..stack.columns {
            let Some(cell) = stack.cell(column) else { break };
            self.approach(column);
            self.put_number(cell.number);
            self.pen.text(&cell.text);
            self.pen.is_at(self.layout.start(column) + cell.width);
        }
        stack.row += 1;
        true
    }

    fn begin_row(&mut self) {
        if self.header_due {
            self.put_header();
        }
        self.pen.home();
    }

    /// Moves to where a column's text begins, and prints the separator before it.
    fn approach(&mut self, column: usize) {
        if let Some(position) = self.layout.approach(column) {
            self.pen.go_to(position);
        }
        if let Some(separator) = &self.layout.separator {
            self.pen.separator(if column > 0 { separator } else { b"" });
        }
    }

    /// Prints a column that is empty in this row.
    fn keep_place(&mut self, column: usize) {
        self.approach(column);
        self.renumber(column);
    }

    fn lead_to(&mut self, column: usize) {
        if let Some(position) = self.layout.approach(column) {
            self.pen.go_to(position);
        }
        self.pen.release();
    }

    /// Numbers a row in which the first column is empty.
    fn renumber(&mut self, column: usize) {
        if self.layout.numbers(column) {
            self.put_number(Some(self.number));
            self.number = self.number.wrapping_add(1);
        }
    }

    /// Prints a number with a fixed number of digits. If it has more, only its last digits are printed.
    fn put_number(&mut self, number: Option<i64>) {
        let Some(number) = number else { return };
        let (after, digits) = self.o.number;
        let text = number.to_string().into_bytes();
        let room = usize::try_from(digits).unwrap_or(0);
        self.pen.blanks(digits - text.len() as i64);
        self.pen.text(&text[text.len().saturating_sub(room)..]);
        match (after, self.columns > 1) {
            (b'\t', true) => self.pen.blanks(self.layout.number_width - digits),
            (b'\t', false) => {
                self.pen.text(b"\t");
                self.pen.tab_after_number();
            }
            _ => self.pen.text(&[after]),
        }
    }

    fn put_header(&mut self) {
        self.heading.print(self.o, self.page, &mut self.pen);
        self.header_due = false;
    }
}

/// The lines of a page, distributed over the columns. The first columns have one line more if there is a remainder.
struct Stack {
    columns: usize,
    lines: Vec<Cell>,
    row: usize,
    /// Whether a form feed ended the page.
    broken: bool,
}

impl Stack {
    fn is_done(&self) -> bool {
        self.row >= self.lines.len().div_ceil(self.columns.max(1))
    }

    /// The cell of a column in the current row.
    fn cell(&self, column: usize) -> Option<&Cell> {
        let (each, longer) = (self.lines.len() / self.columns, self.lines.len() % self.columns);
        let length = each + usize::from(column < longer);
        let first = each * column + column.min(longer);
        (self.row < length).then(|| self.lines.get(first + self.row)).flatten()
    }
}

fn put_newlines(count: i64) {
    for _ in 0..count {
        out::put("\n");
    }
}
