//! `less`.

mod commands;
mod options;
mod prompt;
mod search;

use crate::text::Text;
use options::Options;
use sandshell_cli::out;
use sandshell_sys::{self as sys, Fd, open_flags};
use sandshell_terminal::{Canvas, Keys, fit, glyphs};
use search::Search;
use std::collections::HashMap;

/// Runs `less` on its arguments (its own name first) and returns the exit status. Without a terminal it copies.
pub fn less_main(args: Vec<Vec<u8>>) -> i32 {
    let wanted = match options::read(args.get(1..).unwrap_or_default()) {
        Ok(wanted) => wanted,
        Err(code) => {
            out::flush();
            return code;
        }
    };
    if wanted.files.is_empty() && sys::isatty(0) {
        let _ = sys::write_all(2, b"Missing filename (\"less --help\" for help)\n");
        return 1;
    }
    if !sys::isatty(1) {
        return copy(&wanted.files);
    }
    out::flush();
    match keyboard() {
        Some(keys) => page(wanted, keys),
        None => copy(&wanted.files),
    }
}

/// Where keys come from: the terminal, although standard input may be a pipe.
pub(crate) fn keyboard() -> Option<Fd> {
    sys::open(b"/dev/tty", open_flags::READ | open_flags::CLOEXEC, 0)
        .ok()
        .or_else(|| sys::isatty(2).then_some(2))
        .or_else(|| sys::isatty(0).then_some(0))
}

/// Without a terminal, an error with a file is printed in its place and does not change the exit status.
fn copy(files: &[Vec<u8>]) -> i32 {
    let standard = [b"-".to_vec()];
    for name in if files.is_empty() { &standard } else { files } {
        match open(name) {
            Err(problem) => out::put([problem.as_bytes(), b"\n"].concat()),
            Ok(fd) => {
                let mut piece = vec![0; 64 << 10];
                while let Ok(count @ 1..) = sys::read(fd, &mut piece) {
                    out::put(piece.get(..count).unwrap_or_default());
                }
            }
        }
    }
    out::flush();
    0
}

fn open(name: &[u8]) -> Result<Fd, String> {
    if name == b"-" {
        return Ok(0);
    }
    let shown = String::from_utf8_lossy(name);
    if sys::stat(name, true).is_ok_and(|s| s.is_dir()) {
        return Err(format!("{shown} is a directory"));
    }
    sys::open(name, open_flags::READ | open_flags::CLOEXEC, 0).map_err(|e| format!("{shown}: {e}"))
}

/// A place in the text: a line, and a row of it when it is longer than the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    line: usize,
    row: usize,
}

/// What is shown.
struct Less {
    options: Options,
    files: Vec<Vec<u8>>,
    /// Which of the files is shown.
    file: usize,
    text: Text,
    top: Place,
    /// The first column, when long lines are cut.
    left: usize,
    canvas: Canvas,
    keys: Keys,
    search: Option<Search>,
    /// Places by letter; `'` is where the last jump began.
    marks: HashMap<u8, Place>,
    /// Shown once instead of the prompt.
    message: Option<String>,
    /// The name is shown with the first prompt.
    is_new: bool,
    /// How many lines `d` and `u` scroll, and `z` and `w`.
    half: Option<usize>,
    window: Option<usize>,
    /// The end was shown before.
    at_end: bool,
}

fn page(wanted: options::Wanted, keys: Fd) -> i32 {
    let options::Wanted { options, files, start } = wanted;
    let files = if files.is_empty() { vec![b"-".to_vec()] } else { files };
    let mut problems = Vec::new();
    let mut opened = None;
    for (number, name) in files.iter().enumerate() {
        match open(name) {
            Ok(fd) => {
                opened = Some((number, Text::of(fd)));
                break;
            }
            Err(problem) => problems.push(problem),
        }
    }
    let Some((file, mut text)) = opened else {
        for problem in problems {
            let _ = sys::write_all(2, format!("{problem}\n").as_bytes());
        }
        return 1;
    };
    let (rows, columns) = sandshell_terminal::size(1);
    if options.quit_if_one_screen && fits(&mut text, rows, columns, &options) {
        for line in 0..text.known() {
            out::put([text.line(line).unwrap_or_default(), b"\n"].concat());
        }
        return out::finish("less", 0, 1);
    }
    let canvas = match Canvas::enter(1, keys, true, !options.keep_screen) {
        Ok(canvas) => canvas,
        Err(error) => {
            let _ = sys::write_all(2, format!("less: {error}\n").as_bytes());
            return 1;
        }
    };
    // Ctrl-C ends what takes long, and not the program.
    let _ = sys::sigaction(sys::signal::SIGINT, sys::Disposition::Catch);
    let _ = sys::sigaction(sys::signal::SIGWINCH, sys::Disposition::Catch);
    let mut less = Less {
        options,
        files,
        file,
        text,
        top: Place::default(),
        left: 0,
        canvas,
        keys: Keys::new(keys),
        search: None,
        marks: HashMap::new(),
        message: (!problems.is_empty()).then(|| problems.join("; ")),
        is_new: true,
        half: None,
        window: None,
        at_end: false,
    };
    less.begin(start);
    less.run()
}

/// Whether all of the text fits on the screen.
fn fits(text: &mut Text, rows: usize, columns: usize, options: &Options) -> bool {
    let mut used = 0;
    let mut line = 0;
    while let Some(content) = text.line(line) {
        used += height(content, columns, options);
        if used >= rows {
            return false;
        }
        line += 1;
    }
    true
}

/// How many rows a line takes.
fn height(line: &[u8], columns: usize, options: &Options) -> usize {
    if options.chop {
        return 1;
    }
    width(line, options).div_ceil(columns.max(1)).max(1)
}

fn width(line: &[u8], options: &Options) -> usize {
    let line = plain(line, options);
    let mut column = 0;
    for glyph in glyphs(&line) {
        column += if glyph.text == b"\t" { options.tab - column % options.tab } else { glyph.columns };
    }
    column
}

/// A line without what is not shown: a carriage return at its end, and what was overstruck.
fn plain(line: &[u8], options: &Options) -> Vec<u8> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let mut out: Vec<u8> = Vec::with_capacity(line.len());
    let mut rest = line;
    while let Some((&byte, after)) = rest.split_first() {
        if byte == 8 && !options.raw {
            // `a\ba` and `_\ba` are bold and underlined in manuals.
            if let Some(start) = out.iter().rposition(|b| !(0x80..0xc0).contains(b)) {
                out.truncate(start);
            }
        } else if byte == 0x1b && options.colours && after.first() == Some(&b'[') {
            let end =
                after.iter().skip(1).position(|b| (0x40..0x7f).contains(b)).map_or(after.len(), |at| at + 2);
            rest = after.get(end..).unwrap_or_default();
            continue;
        } else {
            out.push(byte);
        }
        rest = after;
    }
    out
}

impl Less {
    /// How many rows show text.
    fn page(&self) -> usize {
        self.canvas.size().0.saturating_sub(1).max(1)
    }

    fn columns(&self) -> usize {
        let numbers = if self.options.numbers { 8 } else { 0 };
        self.canvas.size().1.saturating_sub(numbers).max(1)
    }

    /// The place one row further; `None` at the end.
    fn next(&mut self, place: Place) -> Option<Place> {
        let columns = self.columns();
        let line = self.text.line(place.line)?;
        if place.row + 1 < height(line, columns, &self.options) {
            return Some(Place { line: place.line, row: place.row + 1 });
        }
        let mut next = place.line + 1;
        let blank = |line: Option<&[u8]>| line.is_some_and(<[u8]>::is_empty);
        while self.options.squeeze && blank(self.text.line(next)) && blank(self.text.line(next - 1)) {
            next += 1;
        }
        self.text.line(next).map(|_| Place { line: next, row: 0 })
    }

    /// The place one row back; `None` at the start.
    fn previous(&mut self, place: Place) -> Option<Place> {
        if place.row > 0 {
            return Some(Place { row: place.row - 1, ..place });
        }
        let columns = self.columns();
        let mut line = place.line.checked_sub(1)?;
        let blank = |line: Option<&[u8]>| line.is_some_and(<[u8]>::is_empty);
        while self.options.squeeze
            && line > 0
            && blank(self.text.line(line))
            && blank(self.text.line(line - 1))
        {
            line -= 1;
        }
        let content = self.text.line(line)?;
        let row = height(content, columns, &self.options) - 1;
        Some(Place { line, row })
    }

    /// The place after `rows` rows, at most the end.
    fn further(&mut self, mut place: Place, rows: usize) -> Place {
        for _ in 0..rows {
            let Some(next) = self.next(place) else { break };
            place = next;
        }
        place
    }

    fn earlier(&mut self, mut place: Place, rows: usize) -> Place {
        for _ in 0..rows {
            let Some(previous) = self.previous(place) else { break };
            place = previous;
        }
        place
    }

    /// The top of the last page.
    fn last_top(&mut self) -> Place {
        let lines = self.text.count();
        let columns = self.columns();
        let Some(line) = lines.checked_sub(1) else { return Place::default() };
        let row = self.text.line(line).map_or(0, |text| height(text, columns, &self.options) - 1);
        let page = self.page();
        self.earlier(Place { line, row }, page - 1)
    }

    /// The place after the last row that is shown; `None` if the end is shown.
    fn bottom(&mut self) -> Option<Place> {
        let mut place = self.top;
        for _ in 0..self.page() {
            place = self.next(place)?;
        }
        Some(place)
    }

    fn draw(&mut self, prompt: &[u8]) {
        let page = self.page();
        let (columns, wrap) = (self.columns(), !self.options.chop);
        let mut rows = Vec::with_capacity(page + 1);
        let mut place = Some(self.top);
        while rows.len() < page {
            let Some(at) = place else {
                rows.push(b"~".to_vec());
                continue;
            };
            let options = self.options.clone();
            let Some(line) = self.text.line(at.line) else {
                rows.push(b"~".to_vec());
                place = None;
                continue;
            };
            let from = if wrap { at.row * columns } else { self.left };
            let shown = row(line, from, columns, &options, self.search.as_ref());
            let number = match (options.numbers, at.row) {
                (true, 0) => format!("{:>7} ", at.line + 1),
                (true, _) => " ".repeat(8),
                (false, _) => String::new(),
            };
            rows.push([number.as_bytes(), &shown].concat());
            place = self.next(at);
        }
        let width = sandshell_posix::characters::columns(&crate::without_escapes(prompt));
        rows.push(prompt.to_vec());
        self.canvas.draw(&rows, (page, width.min(self.canvas.size().1 - 1)));
    }
}

/// A row of a line, with what is searched for in reverse.
fn row(line: &[u8], from: usize, columns: usize, options: &Options, search: Option<&Search>) -> Vec<u8> {
    if options.colours && line.contains(&0x1b) {
        return crate::coloured(line, from, columns, options.tab);
    }
    let text = plain(line, options);
    let found = search.filter(|_| options.highlight).map(|search| search.places(&text)).unwrap_or_default();
    fit(&text, from, columns, options.tab, |at| found.iter().any(|place| place.contains(&at)))
}
