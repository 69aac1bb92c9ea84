//! The pages of `pr`: what is read goes into columns, and these into lines.
//!
//! Positions are counted twice: those of the input within a column, for what is cut off, and those of the output, for
//! the blanks that lead to the next column. Blanks are printed only when something follows them.

use crate::base::input::Input;
use crate::base::quote::quotef;
use crate::base::strftime::{self, Moment};
use crate::base::zone::Zone;
use crate::base::{out, width};
use crate::pr::Options;
use crate::{bytes, warn};
use sandshell_sys as sys;

/// How far a column's file is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Status {
    Open,
    /// A form feed was found, whose page is not yet printed.
    FormFeed,
    /// Waits for the next page.
    OnHold,
    Closed,
}

struct Column {
    /// Its file among the open ones.
    file: usize,
    status: Status,
    numbered: bool,
    start: i64,
    full_page_printed: bool,
    lines_stored: i64,
    lines_to_print: i64,
    current_line: usize,
}

/// A line kept until its page is printed.
struct Stored {
    text: Vec<u8>,
    /// The input position at its end.
    end: i64,
}

struct File {
    input: Input,
    name: Vec<u8>,
    /// A byte read too early.
    back: Option<u8>,
}

/// The printing of one file, or of several in parallel.
pub(crate) struct Pages<'a> {
    o: &'a Options,
    files: Vec<File>,
    columns: Vec<Column>,
    stored: Vec<Stored>,
    /// The line being stored.
    line: Vec<u8>,
    parallel: bool,
    storing: bool,
    truncate: bool,
    expand: bool,
    tabify: bool,
    extremities: bool,
    keep_form_feeds: bool,
    separated: bool,
    separator: Vec<u8>,
    lines_per_body: i64,
    chars_per_column: i64,
    number_width: i64,
    date: Vec<u8>,
    title: Vec<u8>,
    ready: i64,
    page: u64,
    number: i64,
    output_position: i64,
    input_position: i64,
    spaces: i64,
    separators: i64,
    padding: i64,
    align_empty: bool,
    empty_line: bool,
    form_feed_only: bool,
    pad_vertically: bool,
    form_feed_due: bool,
    header_due: bool,
}

/// Columns to the next stop of a tab of so many.
fn to_stop(tab: i64, position: i64) -> i64 {
    tab - position % tab
}

fn blanks(count: i64) -> Vec<u8> {
    vec![b' '; usize::try_from(count).unwrap_or(0)]
}

impl<'a> Pages<'a> {
    /// Opens the files and goes to the first page; `None` if there is nothing to print.
    pub(crate) fn new(o: &'a Options, names: &[Vec<u8>], failed: &mut bool) -> Result<Option<Self>, i32> {
        let parallel = o.parallel && !names.is_empty();
        let mut columns = if parallel { names.len() } else { o.columns };
        let (mut extremities, mut keep_form_feeds) = (o.extremities, o.keep_form_feeds);
        let mut lines_per_body = o.length - 10;
        if lines_per_body <= 0 {
            (extremities, keep_form_feeds) = (false, true);
        }
        if !extremities {
            lines_per_body = o.length;
        }
        if o.double_space {
            lines_per_body = (lines_per_body / 2).max(1);
        }
        let (mut truncate, mut expand, mut tabify) = (o.truncate, o.expand, o.tabify);
        let (mut separated, mut separator) = (o.separated, o.separator.clone());
        if columns > 1 {
            if !separated {
                separator = if o.join { b"\t".to_vec() } else { b" ".to_vec() };
                separated = true;
            } else if !o.join && separator == b"\t" {
                separator = b" ".to_vec();
            }
            truncate = true;
            expand |= separator != b"\t";
            tabify = true;
        }
        truncate &= !o.join;
        let number_width = match o.number {
            _ if !o.numbered => 0,
            (b'\t', digits) => digits + to_stop(8, digits),
            (_, digits) => digits + 1,
        };
        let for_number = if parallel { number_width } else { 0 };
        let separators = (columns as i64 - 1).saturating_mul(separator.len() as i64);
        let chars_per_column = (o.width - for_number).saturating_sub(separators) / columns.max(1) as i64;
        if chars_per_column < 1 {
            warn!("pr", "page width too narrow");
            return Err(1);
        }
        let files = open_all(names, o.quiet, failed);
        if files.is_empty() {
            return Ok(None);
        }
        if parallel {
            columns = files.len();
        }
        let (date, title) = header_texts(o, (!parallel && !names.is_empty()).then(|| &files[0]));
        let column = |i: usize| Column {
            file: if parallel { i } else { 0 },
            status: Status::Open,
            numbered: o.numbered && (!parallel || i == 0),
            start: 0,
            full_page_printed: false,
            lines_stored: 0,
            lines_to_print: 0,
            current_line: 0,
        };
        let mut pages = Self {
            o,
            ready: files.len() as i64,
            files,
            columns: (0..columns).map(column).collect(),
            stored: Vec::new(),
            line: Vec::new(),
            parallel,
            storing: !o.across && !o.parallel && columns > 1,
            truncate,
            expand,
            tabify,
            extremities,
            keep_form_feeds,
            separated,
            separator,
            lines_per_body,
            chars_per_column,
            number_width,
            date,
            title,
            page: o.first_page,
            number: o.first_number.unwrap_or(1),
            output_position: 0,
            input_position: 0,
            spaces: 0,
            separators: 0,
            padding: 0,
            align_empty: false,
            empty_line: true,
            form_feed_only: false,
            pad_vertically: false,
            form_feed_due: false,
            header_due: false,
        };
        if o.first_page > 1 && !pages.skip_to(o.first_page)? {
            return Ok(None);
        }
        pages.lay_out();
        Ok(Some(pages))
    }

    /// Prints all pages.
    pub(crate) fn print(&mut self) -> Result<(), i32> {
        while out::failure().is_none() && self.print_page()? {}
        Ok(())
    }

    fn gap(&self) -> i64 {
        self.separator.len() as i64
    }

    /// Settles where columns begin.
    fn lay_out(&mut self) {
        let (wide, gap) = (self.chars_per_column, self.gap());
        let mut here = self.o.margin;
        let first = if self.parallel && self.o.numbered { wide + self.number_width } else { wide };
        let mut next = if self.truncate { here + first } else { 0 };
        here += gap;
        for column in &mut self.columns {
            column.start = here;
            if self.truncate {
                here = next + gap;
                next = here + wide;
            } else {
                here = 0;
            }
        }
    }

    fn get(&mut self, column: usize) -> Result<Option<u8>, i32> {
        let file = &mut self.files[self.columns[column].file];
        if let Some(byte) = file.back.take() {
            return Ok(Some(byte));
        }
        file.input.byte().map_err(|e| {
            warn!("pr", quotef(&file.name), ": ", e);
            1
        })
    }

    /// The newline behind a form feed belongs to it.
    fn after_form_feed(&mut self, column: usize) -> Result<(), i32> {
        let next = self.get(column)?;
        if next != Some(b'\n') {
            self.files[self.columns[column].file].back = next;
        }
        Ok(())
    }

    fn close(&mut self, column: usize) {
        if self.columns[column].status == Status::Closed {
            return;
        }
        if self.parallel {
            self.columns[column].status = Status::Closed;
            self.columns[column].lines_to_print = 0;
        } else {
            for c in &mut self.columns {
                c.status = Status::Closed;
                if c.lines_stored == 0 {
                    c.lines_to_print = 0;
                }
            }
        }
        self.ready -= 1;
    }

    /// The file waits for the next page.
    fn hold(&mut self, column: usize) {
        if self.parallel {
            self.columns[column].status = Status::OnHold;
        } else {
            let status = if self.storing { Status::FormFeed } else { Status::OnHold };
            self.columns.iter_mut().for_each(|c| c.status = status);
        }
        self.columns[column].lines_to_print = 0;
        self.ready -= 1;
    }

    /// Files that waited go on.
    fn resume(&mut self) {
        for column in &mut self.columns {
            if column.status == Status::OnHold {
                column.status = Status::Open;
                self.ready += 1;
            }
        }
        if self.storing {
            self.ready = i64::from(self.columns[0].status != Status::Closed);
        }
    }

    fn skip_to(&mut self, page: u64) -> Result<bool, i32> {
        for n in 1..page {
            for line in 1..=self.lines_per_body.max(1) {
                let last = line >= self.lines_per_body;
                for i in 0..self.columns.len() {
                    if self.columns[i].status == Status::Open {
                        self.skip_line(i, last)?;
                    }
                }
            }
            if self.storing {
                for column in self.columns.iter_mut().filter(|c| c.status != Status::Closed) {
                    column.status = Status::OnHold;
                }
            }
            self.resume();
            if self.ready < 1 {
                warn!("pr", "starting page number ", page, " exceeds page count ", n);
                break;
            }
        }
        Ok(self.ready > 0)
    }

    fn skip_line(&mut self, i: usize, last: bool) -> Result<(), i32> {
        let mut c = self.first_of_line(i)?;
        self.columns[i].full_page_printed = last;
        let alone = c == Some(12);
        while c != Some(b'\n') {
            match c {
                Some(12) => {
                    if last && !self.parallel {
                        self.columns.iter_mut().for_each(|c| c.full_page_printed = false);
                    }
                    self.columns[i].full_page_printed = false;
                    self.after_form_feed(i)?;
                    self.hold(i);
                    break;
                }
                None => {
                    self.close(i);
                    break;
                }
                Some(_) => c = self.get(i)?,
            }
        }
        if self.o.first_number.is_none() && (!self.parallel || i == 0) && !alone {
            self.number += 1;
        }
        Ok(())
    }

    /// The first byte of a line; a form feed where a page was full is none.
    fn first_of_line(&mut self, i: usize) -> Result<Option<u8>, i32> {
        let mut c = self.get(i)?;
        if c == Some(12) && self.columns[i].full_page_printed {
            c = self.get(i)?;
            if c == Some(b'\n') {
                c = self.get(i)?;
            }
        }
        Ok(c)
    }

    fn columns_ready(&self) -> bool {
        self.columns.iter().any(|c| {
            matches!(c.status, Status::Open | Status::FormFeed)
                || self.storing && c.lines_stored > 0 && c.lines_to_print > 0
        })
    }

    fn begin_page(&mut self) -> Result<(), i32> {
        if self.storing {
            self.store_columns()?;
            self.columns.iter_mut().for_each(|c| c.lines_to_print = c.lines_stored);
        } else {
            for c in &mut self.columns {
                c.lines_to_print = if c.status == Status::Open { self.lines_per_body } else { 0 };
            }
        }
        Ok(())
    }

    fn print_page(&mut self) -> Result<bool, i32> {
        self.begin_page()?;
        if !self.columns_ready() {
            return Ok(false);
        }
        self.header_due |= self.extremities;
        self.pad_vertically = false;
        let mut printed = false;
        let mut left = self.lines_per_body * if self.o.double_space { 2 } else { 1 };
        while left > 0 && self.columns_ready() {
            printed |= self.print_line()?;
            if self.pad_vertically {
                out::put("\n");
                left -= 1;
            }
            if !self.columns_ready() && !self.extremities {
                break;
            }
            if self.o.double_space && printed {
                out::put("\n");
                left -= 1;
            }
        }
        if left == 0 {
            for column in self.columns.iter_mut().filter(|c| c.status == Status::Open) {
                column.full_page_printed = true;
            }
        }
        self.pad_vertically = printed;
        if printed && self.extremities {
            let lines = usize::try_from(left + 5).unwrap_or(0);
            out::put(if self.o.form_feed { vec![12] } else { vec![b'\n'; lines] });
        } else if self.keep_form_feeds && self.form_feed_due {
            out::put([12]);
            self.form_feed_due = false;
        }
        self.page = self.page.saturating_add(1);
        if self.page > self.o.last_page {
            return Ok(false);
        }
        self.resume();
        Ok(true)
    }

    /// Prints a line of all columns, without its newline; whether there was something.
    fn print_line(&mut self) -> Result<bool, i32> {
        (self.output_position, self.spaces, self.separators) = (0, 0, 0);
        (self.pad_vertically, self.align_empty, self.empty_line) = (false, false, true);
        let mut printed = false;
        for i in 0..self.columns.len() {
            self.input_position = 0;
            if self.columns[i].lines_to_print > 0 || self.columns[i].status == Status::FormFeed {
                self.form_feed_only = false;
                self.padding = self.columns[i].start;
                if self.storing {
                    self.print_stored(i);
                } else if !self.read_line(i)? {
                    self.rest_of_line(i)?;
                }
                printed |= self.pad_vertically;
                self.columns[i].lines_to_print -= 1;
                if self.columns[i].lines_to_print <= 0 && !self.columns_ready() {
                    break;
                }
                let status = self.columns[i].status;
                if self.parallel && status != Status::Open {
                    if self.empty_line {
                        self.align_empty = true;
                    } else if status == Status::Closed || status == Status::OnHold && self.form_feed_only {
                        self.align(i);
                    }
                }
            } else if self.parallel {
                if self.empty_line {
                    self.align_empty = true;
                } else {
                    self.align(i);
                }
            }
            self.separators += i64::from(self.separated);
        }
        Ok(printed)
    }

    /// Leads the output to where a column begins.
    fn align(&mut self, i: usize) {
        self.padding = self.columns[i].start;
        self.pad_to_column();
        if self.columns[i].numbered {
            self.put_number();
        }
    }

    fn pad_to_column(&mut self) {
        let gap = self.gap();
        if gap < self.padding {
            self.pad_across(self.padding - gap);
            self.padding = 0;
        }
        if self.separated {
            self.put_separator();
        }
    }

    fn pad_across(&mut self, position: i64) {
        if self.tabify {
            self.spaces = position - self.output_position;
        } else {
            out::put(blanks(position - self.output_position));
            self.output_position = position;
        }
    }

    /// Prints the blanks that are due.
    fn put_spaces(&mut self) {
        let mut at = self.output_position;
        let goal = at + self.spaces;
        let (tab, wide) = self.o.output_tab;
        let mut text = Vec::new();
        while goal - at > 1 && at + to_stop(wide, at) <= goal {
            text.push(tab);
            at += to_stop(wide, at);
        }
        text.extend_from_slice(&blanks(goal - at));
        out::put(text);
        self.output_position = goal;
        self.spaces = 0;
    }

    fn put_separator(&mut self) {
        if self.separators > 0 {
            // Of several that are due only the first has its characters.
            for byte in self.separator.clone() {
                if byte == b' ' {
                    self.spaces += 1;
                    continue;
                }
                if self.spaces > 0 {
                    self.put_spaces();
                }
                out::put([byte]);
                self.output_position += 1;
            }
            self.separators = 0;
        }
        if self.spaces > 0 {
            self.put_spaces();
        }
    }

    fn put_char(&mut self, byte: u8) {
        if self.tabify {
            if byte == b' ' {
                self.spaces += 1;
                return;
            }
            if self.spaces > 0 {
                self.put_spaces();
            }
            match byte {
                8 => self.output_position -= 1,
                b' '..=b'~' => self.output_position += 1,
                _ => {}
            }
        }
        out::put([byte]);
    }

    /// Puts text of a column where its lines go: into the store, or out.
    fn emit(&mut self, text: &[u8]) {
        if self.storing {
            self.line.extend_from_slice(text);
        } else {
            text.iter().for_each(|b| self.put_char(*b));
        }
    }

    fn put_number(&mut self) {
        let (separator, digits) = self.o.number;
        let wide = usize::try_from(digits).unwrap_or(0);
        let text = format!("{:>wide$}", self.number).into_bytes();
        self.number = self.number.wrapping_add(1);
        self.emit(&text[text.len() - wide..]);
        if self.columns.len() > 1 {
            let fill = if separator == b'\t' { blanks(self.number_width - digits) } else { vec![separator] };
            self.emit(&fill);
        } else {
            self.emit(&[separator]);
            if separator == b'\t' {
                self.output_position += to_stop(self.o.output_tab.1, self.output_position);
            }
        }
        if self.truncate && !self.parallel {
            self.input_position += self.number_width;
        }
    }

    fn put_header(&mut self) {
        self.output_position = 0;
        self.pad_across(self.o.margin);
        self.put_spaces();
        let page = format!("Page {}", self.page);
        let used = width::columns(&self.date) + width::columns(&self.title) + page.len();
        let room = (self.o.width - used as i64).max(0);
        let (before, after) = (blanks((room / 2).max(1)), blanks((room - room / 2).max(1)));
        let margin = blanks(self.o.margin);
        out::put(bytes!("\n\n", margin, &self.date, before, &self.title, after, page, "\n\n\n"));
        self.header_due = false;
        self.output_position = 0;
    }

    /// Reads a line into the output or the store; false if it is longer than the column.
    fn read_line(&mut self, i: usize) -> Result<bool, i32> {
        let first = self.first_of_line(i)?;
        let before = self.input_position;
        self.columns[i].full_page_printed = false;
        let clump = match first {
            Some(12) => {
                self.after_form_feed(i)?;
                self.form_feed_only = true;
                if self.header_due && !self.storing {
                    self.pad_vertically = true;
                    self.put_header();
                } else if self.keep_form_feeds {
                    self.form_feed_due = true;
                }
                self.hold(i);
                return Ok(true);
            }
            None => {
                self.close(i);
                return Ok(true);
            }
            Some(b'\n') => Vec::new(),
            Some(c) => self.clump(c),
        };
        if self.truncate && self.input_position > self.chars_per_column {
            self.input_position = before;
            return Ok(false);
        }
        if !self.storing {
            self.begin_line(i);
        }
        if self.columns[i].numbered {
            self.put_number();
        }
        self.empty_line = false;
        if first == Some(b'\n') {
            return Ok(true);
        }
        self.emit(&clump);
        loop {
            match self.get(i)? {
                Some(c) if c != b'\n' && c != 12 => {
                    let before = self.input_position;
                    let clump = self.clump(c);
                    if self.truncate && self.input_position > self.chars_per_column {
                        self.input_position = before;
                        return Ok(false);
                    }
                    self.emit(&clump);
                }
                end => {
                    self.end_of_line(i, end)?;
                    return Ok(true);
                }
            }
        }
    }

    fn begin_line(&mut self, i: usize) {
        self.pad_vertically = true;
        if self.header_due {
            self.put_header();
        }
        if self.parallel && self.align_empty {
            let passed = std::mem::take(&mut self.separators);
            for j in 0..usize::try_from(passed).unwrap_or(0) {
                self.align(j);
                self.separators += 1;
            }
            self.padding = self.columns[i].start;
            self.spaces = if self.truncate { self.chars_per_column } else { 0 };
            self.align_empty = false;
        }
        self.pad_to_column();
    }

    fn end_of_line(&mut self, i: usize, end: Option<u8>) -> Result<(), i32> {
        match end {
            Some(12) => {
                self.after_form_feed(i)?;
                self.form_feed_due |= self.keep_form_feeds;
                self.hold(i);
            }
            None => self.close(i),
            Some(_) => {}
        }
        Ok(())
    }

    /// Passes over what a column has no room for.
    fn rest_of_line(&mut self, i: usize) -> Result<(), i32> {
        loop {
            match self.get(i)? {
                Some(c) if c != b'\n' && c != 12 => {}
                end => return self.end_of_line(i, end),
            }
        }
    }

    /// What stands for a byte; the input's position goes on.
    fn clump(&mut self, c: u8) -> Vec<u8> {
        let (tab, wide) = self.o.input_tab;
        let (text, width) = match c {
            _ if c == tab || c == b'\t' => {
                let width = to_stop(if c == tab { wide } else { 8 }, self.input_position);
                (if self.expand { blanks(width) } else { vec![c] }, width)
            }
            b' '..=b'~' => (vec![c], 1),
            _ if self.o.octal || self.o.hat && c >= 0x80 => (format!("\\{c:03o}").into_bytes(), 4),
            _ if self.o.hat => (vec![b'^', c ^ 0o100], 2),
            8 if self.input_position == 0 => return Vec::new(),
            8 => (vec![c], -1),
            _ => (vec![c], 0),
        };
        self.input_position += width;
        text
    }

    fn store_columns(&mut self) -> Result<(), i32> {
        self.stored.clear();
        self.columns.iter_mut().for_each(|c| c.lines_stored = 0);
        for i in 0..self.columns.len() {
            for _ in 0..self.lines_per_body {
                if self.ready <= 0 {
                    break;
                }
                if self.columns[i].status != Status::Open {
                    continue;
                }
                self.input_position = 0;
                self.line.clear();
                if !self.read_line(i)? {
                    self.rest_of_line(i)?;
                }
                if self.columns[i].status == Status::Open || !self.line.is_empty() {
                    let text = std::mem::take(&mut self.line);
                    self.columns[i].lines_stored += 1;
                    self.stored.push(Stored { text, end: self.input_position });
                }
            }
        }
        // The lines are shared out evenly among the columns.
        let (total, count) = (self.stored.len(), self.columns.len());
        let mut first = 0;
        for (i, column) in self.columns.iter_mut().enumerate() {
            let lines = total / count + usize::from(i < total % count);
            column.lines_stored = lines as i64;
            column.current_line = first;
            first += lines;
        }
        Ok(())
    }

    fn print_stored(&mut self, i: usize) {
        let line = self.columns[i].current_line;
        self.columns[i].current_line += 1;
        self.pad_vertically = true;
        if self.header_due {
            self.put_header();
        }
        if self.columns[i].status == Status::FormFeed {
            self.columns.iter_mut().for_each(|c| c.status = Status::OnHold);
            if self.columns[0].lines_to_print <= 0 {
                self.pad_vertically &= self.extremities;
                return;
            }
        }
        self.pad_to_column();
        let Some(stored) = self.stored.get_mut(line) else { return };
        let (text, end) = (std::mem::take(&mut stored.text), stored.end);
        text.iter().for_each(|b| self.put_char(*b));
        if self.spaces == 0 {
            let start = self.columns[i].start;
            self.output_position = start + end;
            if start - self.gap() == self.o.margin {
                self.output_position -= self.gap();
            }
        }
    }
}

fn open_all(names: &[Vec<u8>], quiet: bool, failed: &mut bool) -> Vec<File> {
    if names.is_empty() {
        return vec![File { input: Input::of(0), name: b"standard input".to_vec(), back: None }];
    }
    let mut files = Vec::new();
    for name in names {
        match Input::open(name) {
            Ok(input) => files.push(File { input, name: name.clone(), back: None }),
            Err(e) => {
                *failed = true;
                if !quiet {
                    warn!("pr", quotef(name), ": ", e);
                }
            }
        }
    }
    files
}

/// Date and title of the header: those of the file, if there is one by itself.
fn header_texts(o: &Options, file: Option<&File>) -> (Vec<u8>, Vec<u8>) {
    let file = file.filter(|f| f.name != b"-");
    let stat = file.and_then(|f| sys::fstat(f.input.fd()).ok());
    let now = sys::realtime();
    let (seconds, nanos) = match stat {
        Some(stat) => (stat.mtime, stat.mtime_nsec),
        None => ((now / 1_000_000_000) as i64, (now % 1_000_000_000) as u32),
    };
    let local = Zone::system().local(seconds);
    let date = strftime::format(&o.date_format, &Moment { local: &local, seconds, nanos });
    let title = o.header.clone().or_else(|| file.map(|f| f.name.clone())).unwrap_or_default();
    (date, title)
}
