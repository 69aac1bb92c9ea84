//! `col`: text with reverse line feeds and overstrikes as lines from top to bottom.

use crate::text;
use sandshell_cli::input::Input;
use sandshell_cli::options::{Parsed, Spec, hidden, listed};
use sandshell_cli::{out, warn};
use sandshell_posix::{characters, locale};
use std::collections::BTreeMap;

const HELP: &str = "
Usage:
 col [options]

Reads lines in which later text may be above or on earlier text, and writes them from top to bottom.

 -b, --no-backspaces  only the last character of each place
 -f, --fine           half lines stay half lines
 -p, --pass           escape sequences and control characters stay
 -h, --tabs           blanks become tabs; so it is by default
 -x, --spaces         tabs become blanks
 -l, --lines NUM      accepted without effect: all lines are kept until the end
 -H, --help           this text
 -v, --version        the version

Example: man ls | col -b
";

const SPEC: Spec = Spec { name: "col", options: &[listed(HELP), hidden("v", "-V")], ..Spec::DEFAULT };

const ESCAPE: u8 = 0x1b;
/// Half a line up or down, after an escape character.
const HALF_UP: u8 = 8;
const HALF_DOWN: u8 = 9;
const REVERSE: u8 = 7;
/// A line up.
const VERTICAL_TAB: u8 = 0x0b;
const FORM_FEED: u8 = 0x0c;
/// Characters of the other set begin, and end.
const SHIFT_OUT: u8 = 0x0e;
const SHIFT_IN: u8 = 0x0f;
const TAB: usize = 8;

/// Runs `col` and returns its exit status.
pub fn col_main(args: Vec<Vec<u8>>) -> i32 {
    run(&args).unwrap_or_else(|code| code)
}

#[derive(Default)]
struct Options {
    last_only: bool,
    fine: bool,
    pass: bool,
    spaces: bool,
}

fn run(args: &[Vec<u8>]) -> Result<i32, i32> {
    let Parsed { options: given, operands } = SPEC.parse(args.get(1..).unwrap_or_default())?;
    let mut options = Options::default();
    let mut tabs = false;
    for g in &given {
        match g.id {
            "b" => options.last_only = true,
            "f" => options.fine = true,
            "p" => options.pass = true,
            "h" => tabs = true,
            "x" => options.spaces = true,
            "l" => lines(g.text())?,
            "H" => return Err(text::print("col", HELP)),
            "v" => return Err(text::version("col")),
            _ => {}
        }
        if tabs && options.spaces {
            warn!("col", "mutually exclusive arguments: --tabs --spaces");
            return Err(1);
        }
    }
    if !operands.is_empty() {
        return Err(SPEC.usage("bad usage"));
    }
    let text = match Input::of(0).rest() {
        Ok(text) => text,
        Err(e) => {
            warn!("col", "read error: ", e);
            return Err(1);
        }
    };
    let page = Page::read(&text, &options);
    page.write(&options);
    Ok(out::finish("col", 0, 1))
}

/// Checks the number of `-l`, which has no other effect.
fn lines(number: &[u8]) -> Result<(), i32> {
    let digits = number.strip_prefix(b"-").or(number.strip_prefix(b"+")).unwrap_or(number);
    let is_number = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    let fits = || std::str::from_utf8(number).is_ok_and(|text| text.parse::<u32>().is_ok());
    if is_number && fits() {
        return Ok(());
    }
    let why = if is_number { ": Numerical result out of range" } else { "" };
    warn!("col", "bad -l argument: '", number, "'", why);
    Err(1)
}

/// A character at a column. Those that were written later come later.
struct Cell<'a> {
    column: usize,
    bytes: &'a [u8],
    width: usize,
    /// Whether it is of the other set of characters.
    shifted: bool,
}

/// Lines by their distance from the first one, in halves of a line.
#[derive(Default)]
struct Page<'a> {
    lines: BTreeMap<i64, Vec<Cell<'a>>>,
    last: i64,
}

impl<'a> Page<'a> {
    fn read(text: &'a [u8], options: &Options) -> Self {
        let mut page = Self::default();
        let (mut row, mut column, mut shifted) = (0_i64, 0_usize, false);
        let mut rest = text;
        while let Some(first) = rest.first() {
            let length = if locale::is_bytes() { 1 } else { characters::length(rest) };
            let (character, after) = rest.split_at(length);
            rest = after;
            match *first {
                b'\n' => (row, column) = (row + 2, 0),
                b'\r' => column = 0,
                b'\t' => column = (column / TAB + 1) * TAB,
                8 => column = column.saturating_sub(1),
                b' ' => column += 1,
                VERTICAL_TAB => row -= 2,
                SHIFT_OUT => shifted = true,
                SHIFT_IN => shifted = false,
                ESCAPE => {
                    let moves = match rest.first() {
                        Some(&REVERSE) => Some(-2),
                        Some(&HALF_UP) => Some(-1),
                        Some(&HALF_DOWN) => Some(1),
                        _ => None,
                    };
                    if let Some(moves) = moves {
                        row += moves;
                    }
                    rest = rest.get(1..).unwrap_or_default();
                }
                0 => {}
                FORM_FEED => {}
                1..=31 | 127 if !options.pass => {}
                0x80.. if length == 1 => {
                    for bytes in [&b"\\"[..], b"x", digit(first >> 4), digit(first & 15)] {
                        page.lines.entry(row).or_default().push(Cell { column, bytes, width: 1, shifted });
                        column += 1;
                    }
                }
                _ => {
                    let width = characters::columns(character);
                    page.lines.entry(row).or_default().push(Cell {
                        column,
                        bytes: character,
                        width,
                        shifted,
                    });
                    column += width;
                }
            }
            page.last = page.last.max(row);
        }
        page
    }

    fn write(mut self, options: &Options) {
        if !options.fine {
            // What is between two lines goes to the lower one.
            let between: Vec<i64> = self.lines.keys().copied().filter(|row| row.rem_euclid(2) == 1).collect();
            for row in between {
                let cells = self.lines.remove(&row).unwrap_or_default();
                self.lines.entry(row + 1).or_default().extend(cells);
            }
            self.last += self.last.rem_euclid(2);
        }
        let mut shifted = false;
        let mut row = self.lines.keys().next().map_or(0, |first| *first.min(&0));
        for (at, cells) in &mut self.lines {
            if row < *at {
                feed(*at - row);
                row = *at;
            }
            line(cells, options, &mut shifted);
        }
        if shifted {
            out::put([SHIFT_IN]);
        }
        feed(self.last - row);
        // A text without a newline at its end gets one.
        if self.lines.last_key_value().is_some_and(|(at, _)| *at == self.last) {
            out::put("\n");
        }
    }
}

/// A digit of a byte that is no character, which is shown as four characters.
fn digit(value: u8) -> &'static [u8] {
    let at = usize::from(value);
    b"0123456789abcdef".get(at..=at).unwrap_or_default()
}

/// Goes down by so many halves of a line.
fn feed(halves: i64) {
    for _ in 0..halves / 2 {
        out::put("\n");
    }
    if halves % 2 == 1 {
        out::put([ESCAPE, b'9', b'\r']);
    }
}

/// Writes a line. `shifted` is the set of characters before it, and after it.
fn line(cells: &mut [Cell<'_>], options: &Options, shifted: &mut bool) {
    // The order among characters of one place stays.
    cells.sort_by_key(|cell| cell.column);
    let mut column = 0;
    for place in cells.chunk_by(|a, b| a.column == b.column) {
        let Some(last) = place.last() else { continue };
        if last.column > column {
            blanks(column, last.column, options);
        }
        column = last.column;
        let shown = if options.last_only { place.get(place.len() - 1..).unwrap_or_default() } else { place };
        for (i, cell) in shown.iter().enumerate() {
            if i > 0 {
                let width = shown.get(i - 1).map_or(1, |before| before.width);
                out::put(vec![8; width]);
            }
            if cell.shifted != *shifted {
                out::put([if cell.shifted { SHIFT_OUT } else { SHIFT_IN }]);
                *shifted = cell.shifted;
            }
            out::put(cell.bytes);
        }
        column += last.width;
    }
}

/// Goes to a column with tabs, as far as one saves something, and blanks.
fn blanks(from: usize, to: usize, options: &Options) {
    let mut at = from;
    if !options.spaces && to - from > 1 {
        while (at / TAB + 1) * TAB <= to {
            out::put("\t");
            at = (at / TAB + 1) * TAB;
        }
    }
    out::put(vec![b' '; to - at]);
}
