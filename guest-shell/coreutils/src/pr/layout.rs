//! The geometry of a page, which is computed before anything is read.

use crate::pr::Options;

/// The order in which lines fill the columns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Order {
    /// Row by row. This also applies to a single column.
    Across,
    /// Column by column. All columns have the same length.
    Down,
    /// One column for each file.
    Merged,
}

/// The positions of everything on a page. They are counted from 0 at the left edge of the paper.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub(super) order: Order,
    pub(super) columns: usize,
    /// The number of rows between header and trailer. With `-d`, an empty line belongs to the row before it.
    pub(super) rows: i64,
    /// Whether pages have headers and trailers.
    pub(super) decorated: bool,
    /// Whether form feeds in the input are printed.
    pub(super) echo_form_feeds: bool,
    /// Whether lines are cut to the column's width, and columns begin at fixed positions.
    pub(super) aligned: bool,
    /// Whether tabs in the input become blanks.
    pub(super) expand: bool,
    /// Whether blanks in the output become tabs.
    pub(super) compress: bool,
    /// The text between columns, if there is any.
    pub(super) separator: Option<Vec<u8>>,
    /// The width of a column's text.
    pub(super) width: i64,
    /// The width of a line number and what follows it; 0 without numbers.
    pub(super) number_width: i64,
    margin: i64,
    /// The width of the separator. It also counts where the separator is not printed.
    gap: i64,
}

impl Layout {
    /// The layout for this number of file operands; `None` if the page is too narrow for its columns.
    pub(super) fn new(o: &Options, files: usize) -> Option<Self> {
        let order = match () {
            () if o.parallel && files > 0 => Order::Merged,
            () if o.across || o.parallel || o.columns == 1 => Order::Across,
            () => Order::Down,
        };
        let columns = if order == Order::Merged { files } else { o.columns };
        let several = columns > 1;
        // A page of up to ten lines has no space for a header and a trailer.
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

    /// The position where the text of a column begins. A column that is not aligned directly follows the one before it.
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

    /// The position to which a row moves before a column; `None` if it does not move.
    pub(super) fn approach(&self, column: usize) -> Option<i64> {
        // There is a separator before each column except the first.
        let gap = if column > 0 { self.gap } else { 0 };
        let at = self.start(column) - gap;
        (at > 0).then_some(at)
    }

    /// Whether the lines of a column are numbered. With merged files, only those of the first column are.
    pub(super) fn numbers(&self, column: usize) -> bool {
        self.number_width > 0 && (self.order != Order::Merged || column == 0)
    }
}
