//! The table of `column -t`: splits lines into cells, computes widths, prints.

use crate::column_options::{Mode, Names, Options};
use sandshell_cli::out;
use sandshell_cli::warn;
use sandshell_posix::characters;

/// A column of the table.
#[derive(Clone, Debug, Default)]
pub(crate) struct Column {
    pub(crate) name: Option<Vec<u8>>,
    pub(crate) right: bool,
    truncate: bool,
    wrap: bool,
    pub(crate) hidden: bool,
    width: usize,
}

/// Rows of cells. Cells that a line lacks are `None`.
pub(crate) struct Table {
    pub(crate) columns: Vec<Column>,
    /// The columns in the order in which they are printed.
    pub(crate) order: Vec<usize>,
    pub(crate) rows: Vec<Vec<Option<Vec<u8>>>>,
}

impl Table {
    pub(crate) fn new(o: &Options, lines: &[Vec<u8>]) -> Result<Self, i32> {
        let names = o.names.as_deref().unwrap_or_default();
        let mut columns: Vec<Column> =
            names.iter().map(|n| Column { name: Some(n.clone()), ..Column::default() }).collect();
        let mut rows = Vec::with_capacity(lines.len());
        for line in lines {
            let cells = split(o, line);
            if cells.len() > columns.len() {
                if o.mode == Mode::Json {
                    warn!(
                        "column",
                        "line ",
                        rows.len() + 2,
                        ": for JSON the name of the column ",
                        columns.len() + 1,
                        " is required"
                    );
                    return Err(1);
                }
                columns.resize(cells.len(), Column::default());
            }
            rows.push(cells.into_iter().map(Some).collect());
        }
        let order = (0..columns.len()).collect();
        Ok(Self { columns, order, rows })
    }

    /// Applies the options about single columns.
    pub(crate) fn arrange(&mut self, o: &Options) -> Result<(), i32> {
        if self.rows.is_empty() {
            return Ok(());
        }
        self.mark(&o.truncate, |c| c.truncate = true)?;
        self.mark(&o.wrap, |c| c.wrap = true)?;
        self.mark(&o.right, |c| c.right = true)?;
        if let Some(hide) = &o.hide {
            if hide.iter().any(|n| n == b"-") {
                self.columns.iter_mut().filter(|c| c.name.is_none()).for_each(|c| c.hidden = true);
            }
            let rest = hide.iter().filter(|n| *n != b"-").cloned().collect();
            self.mark(&Some(rest), |c| c.hidden = true)?;
        }
        if let Some(order) = &o.order {
            let mut first: Vec<usize> = Vec::new();
            for name in order {
                if let Some(i) = self.find(name)?
                    && !first.contains(&i)
                {
                    first.push(i);
                }
            }
            let rest: Vec<usize> = self.order.iter().copied().filter(|i| !first.contains(i)).collect();
            self.order = [first, rest].concat();
        }
        Ok(())
    }

    fn mark(&mut self, names: &Option<Names>, mark: impl Fn(&mut Column)) -> Result<(), i32> {
        for name in names.iter().flatten() {
            if name == b"0" {
                self.columns.iter_mut().for_each(&mark);
                continue;
            }
            if let Some(i) = self.find(name)?
                && let Some(column) = self.columns.get_mut(i)
            {
                mark(column);
            }
        }
        Ok(())
    }

    /// The column with this number or name; `None` for a number that is out of range.
    pub(crate) fn find(&self, name: &[u8]) -> Result<Option<usize>, i32> {
        if !name.is_empty() && name.iter().all(u8::is_ascii_digit) {
            let number = std::str::from_utf8(name).ok().and_then(|n| n.parse::<usize>().ok()).unwrap_or(0);
            return Ok(number.checked_sub(1).filter(|i| *i < self.columns.len()));
        }
        match self.columns.iter().position(|c| c.name.as_deref() == Some(name)) {
            Some(i) => Ok(Some(i)),
            None => {
                warn!("column", "undefined column name '", name, "'");
                Err(1)
            }
        }
    }

    /// The columns that are shown, in order.
    pub(crate) fn shown(&self) -> Vec<usize> {
        self.order.iter().copied().filter(|i| !self.columns[*i].hidden).collect()
    }

    pub(crate) fn print(&mut self, o: &Options) {
        let headings = o.headings && o.names.is_some();
        let shown = self.shown();
        self.set_widths(o, &shown);
        if headings {
            let names: Vec<Option<Vec<u8>>> = self.columns.iter().map(|c| c.name.clone()).collect();
            self.print_row(&names, &shown, &o.output_separator);
        }
        for row in &self.rows {
            self.print_row(row, &shown, &o.output_separator);
            if out::failure().is_some() {
                return;
            }
        }
    }

    fn set_widths(&mut self, o: &Options, shown: &[usize]) {
        for (i, column) in self.columns.iter_mut().enumerate() {
            let name = column.name.as_deref().map_or(0, characters::columns);
            let cells = self.rows.iter().filter_map(|row| row.get(i)?.as_deref()).map(characters::columns);
            column.width = cells.max().unwrap_or(0).max(name);
        }
        let gaps = characters::columns(&o.output_separator) * shown.len().saturating_sub(1);
        let mut total = gaps + shown.iter().map(|i| self.columns[*i].width).sum::<usize>();
        // Columns that may shrink do so in turn until the line fits.
        while total > o.width {
            let mut shrunk = false;
            for i in shown {
                let column = &mut self.columns[*i];
                if (column.truncate || column.wrap) && column.width > 1 && total > o.width {
                    column.width -= 1;
                    total -= 1;
                    shrunk = true;
                }
            }
            if !shrunk {
                return;
            }
        }
    }

    fn print_row(&self, row: &[Option<Vec<u8>>], shown: &[usize], separator: &[u8]) {
        // What remains of each cell for the next output line.
        let mut left: Vec<&[u8]> = self
            .columns
            .iter()
            .enumerate()
            .map(|(i, _)| row.get(i).and_then(Option::as_deref).unwrap_or_default())
            .collect();
        loop {
            let mut text = Vec::new();
            for (place, i) in shown.iter().enumerate() {
                let column = &self.columns[*i];
                let cell = left[*i];
                let cut =
                    if column.truncate || column.wrap { fitting(cell, column.width) } else { cell.len() };
                let (now, later) = cell.split_at(cut);
                left[*i] = if column.wrap { later } else { b"" };
                let fill = column.width.saturating_sub(characters::columns(now));
                let last = place + 1 == shown.len();
                if column.right && !(last && cell.is_empty()) {
                    text.resize(text.len() + fill, b' ');
                }
                text.extend_from_slice(now);
                if !column.right && !last {
                    text.resize(text.len() + fill, b' ');
                }
                if !last {
                    text.extend_from_slice(separator);
                }
            }
            text.push(b'\n');
            out::put(text);
            if left.iter().zip(&self.columns).all(|(cell, c)| cell.is_empty() || c.hidden) {
                return;
            }
        }
    }
}

/// The number of bytes of `text` that take at most `columns` columns, but at least one character.
fn fitting(text: &[u8], columns: usize) -> usize {
    let (mut used, mut bytes) = (0, 0);
    for (character, c) in characters::characters(text) {
        used += c.and_then(characters::char_width).unwrap_or(0);
        if used > columns && bytes > 0 {
            break;
        }
        bytes += character.len();
    }
    bytes
}

/// Splits a line into cells.
fn split(o: &Options, line: &[u8]) -> Vec<Vec<u8>> {
    let mut cells = Vec::new();
    if line.is_empty() {
        return cells;
    }
    let mut rest = line;
    loop {
        if o.limit > 0 && cells.len() + 1 == o.limit {
            if !rest.is_empty() {
                cells.push(rest.to_vec());
            }
            return cells;
        }
        let (cell, after) = match &o.separators {
            // Each separator counts, but there is no cell after a trailing separator.
            Some(separators) => {
                if rest.is_empty() && !cells.is_empty() {
                    return cells;
                }
                cut(rest, separators)
            }
            None => {
                let blanks = rest.iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
                if blanks == rest.len() {
                    return cells;
                }
                cut(&rest[blanks..], b" \t")
            }
        };
        cells.push(cell.to_vec());
        match after {
            Some(after) => rest = after,
            None => return cells,
        }
    }
}

/// What precedes the first separator (a character), and what follows it.
fn cut<'a>(text: &'a [u8], separators: &[u8]) -> (&'a [u8], Option<&'a [u8]>) {
    let mut at = 0;
    for (character, _) in characters::characters(text) {
        if characters::characters(separators).any(|(s, _)| s == character) {
            return (&text[..at], Some(&text[at + character.len()..]));
        }
        at += character.len();
    }
    (text, None)
}
