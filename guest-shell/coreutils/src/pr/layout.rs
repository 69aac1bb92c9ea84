//! The geometry of a page, settled before anything is read.

use crate::pr::Options;

/// In which order lines are put into columns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Order {
    /// Row by row; with a single column, line by line.
    Across,
    /// Column by column, all columns equally long.
    Down,
    /// Each column has a file of its own.
    Merged,
}

/// Where everything on a page goes. Positions count from 0, at the left edge of the paper.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub(super) order: Order,
    pub(super) columns: usize,
    /// Rows between header and trailer; an empty line of `-d` belongs to the row before it.
    pub(super) rows: i64,
    /// Pages have headers and trailers.
    pub(super) decorated: bool,
    /// Form feeds of the input are passed on.
    pub(super) echo_form_feeds: bool,
    /// Lines are cut to the column's width, and columns begin at fixed positions.
    pub(super) aligned: bool,
    /// Tabs of the input become blanks.
    pub(super) expand: bool,
    /// Blanks of the output become tabs.
    pub(super) compress: bool,
    /// What stands between columns, if anything does.
    pub(super) separator: Option<Vec<u8>>,
    /// Positions that a column's text has.
    pub(super) width: i64,
    /// Positions that a line's number has with what follows it; 0 without numbers.
    pub(super) number_width: i64,
    margin: i64,
    /// As `separator`, but also where it is only respected, not printed.
    gap: i64,
}

impl Layout {
    /// For so many file operands; `None` if the page is too narrow for its columns.
    pub(super) fn new(o: &Options, files: usize) -> Option<Self> {
        let order = match () {
            () if o.parallel && files > 0 => Order::Merged,
            () if o.across || o.parallel || o.columns == 1 => Order::Across,
            () => Order::Down,
        };
        let columns = if order == Order::Merged { files } else { o.columns };
        let several = columns > 1;
        // A page of up to ten lines has no room for a header and a trailer.
        let roomy = o.length > 10;
        let decorated = o.extremities && roomy;
        let lines = if decorated { o.length - 10 } else { o.length };
        let separator = match (several, o.separated) {
            (false, _) => o.separator.clone(),
            (true, false) if o.join => b"\t".to_vec(),
            (true, false) => b" ".to_vec(),
            (true, true) if !o.join && o.separator == b"\t" => b" ".to_vec(),
            (true, true) => o.separator.clone(),
        };
        let number_width = match o.number {
            _ if !o.numbered => 0,
            (b'\t', digits) => (digits / 8 + 1) * 8,
            (_, digits) => digits + 1,
        };
        let gap = separator.len() as i64;
        let beside = if order == Order::Merged { number_width } else { 0 };
        let gaps = (columns as i64 - 1).saturating_mul(gap);
        let width = (o.width - beside).saturating_sub(gaps) / columns.max(1) as i64;
        (width > 0).then(|| Self {
            order,
            columns,
            rows: if o.double_space { (lines / 2).max(1) } else { lines },
            decorated,
            echo_form_feeds: o.keep_form_feeds || !roomy,
            aligned: (several || o.truncate) && !o.join,
            expand: o.expand || several && separator != b"\t",
            compress: o.tabify || several,
            separator: (several || o.separated).then_some(separator),
            width,
            number_width,
            margin: o.margin,
            gap,
        })
    }

    /// Where the text of a column begins. Columns that are not aligned follow the one before them.
    pub(super) fn start(&self, column: usize) -> i64 {
        match column {
            0 => self.margin,
            _ if !self.aligned => 0,
            _ => {
                let beside = if self.order == Order::Merged { self.number_width } else { 0 };
                let pitch = (self.width + self.gap).saturating_mul(column as i64);
                (self.margin + beside).saturating_add(pitch)
            }
        }
    }

    /// Where a row goes on to reach a column; `None` if it stays where it is.
    pub(super) fn approach(&self, column: usize) -> Option<i64> {
        // The separator stands before a column, except before the first.
        let gap = if column > 0 { self.gap } else { 0 };
        let at = self.start(column) - gap;
        (at > 0).then_some(at)
    }

    /// Whether lines of a column have numbers: of merged files only the first.
    pub(super) fn numbers(&self, column: usize) -> bool {
        self.number_width > 0 && (self.order != Order::Merged || column == 0)
    }
}
