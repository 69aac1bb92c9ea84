//! `nl`.

use sandshell_cli::input::{self, Input, chomp};
use sandshell_cli::message;
use sandshell_cli::number::{self, Fault};
use sandshell_cli::options::{self, Spec, option};
use sandshell_cli::out;
use sandshell_cli::quote::quote;
use sandshell_cli::{bytes, warn};
use sandshell_regex::{Flags, Regex, Syntax};
use sandshell_sys as sys;
use std::ffi::OsString;

const SPEC: Spec = Spec {
    name: "nl",
    usage: "\
Usage: nl [OPTION]... [FILE]...
Prints the files with numbered lines. A page has a header, a body and a footer.

",
    options: &[
        option("-b, --body-numbering=STYLE", "which lines of bodies have numbers"),
        option("-d, --section-delimiter=CC", "lines of CC once, twice, thrice begin footer, body, header"),
        option("-f, --footer-numbering=STYLE", "which lines of footers have numbers"),
        option("-h, --header-numbering=STYLE", "which lines of headers have numbers"),
        option("-i, --line-increment=NUMBER", "count by NUMBER"),
        option("-l, --join-blank-lines=NUMBER", "only each NUMBERth of empty lines in a row counts"),
        option("-n, --number-format=FORMAT", "ln: left, rn: right, rz: right with zeros"),
        option("-p, --no-renumber", "do not begin anew with each page"),
        option("-s, --number-separator=STRING", "STRING stands after the number"),
        option("-v, --starting-line-number=NUMBER", "the first number"),
        option("-w, --number-width=NUMBER", "how many columns a number has"),
    ],
    ties: &[
        "starting-line-number",
        "no-renumber",
        "number-separator",
        "number-width",
        "number-format",
        "section-delimiter",
    ],
    notes: "\n\
STYLE: a all lines, t lines that are not empty, n none, pBRE lines that match.
The defaults: -bt -d'\\:' -fn -hn -i1 -l1 -n'rn' -s<TAB> -v1 -w6
",
    ..Spec::DEFAULT
};

enum Style {
    All,
    Nonempty,
    None,
    Matching(Box<Regex>),
}

struct Nl {
    /// For header, body and footer.
    styles: [Style; 3],
    section: usize,
    start: i64,
    step: i64,
    renumber: bool,
    join: u64,
    blanks: u64,
    separator: Vec<u8>,
    width: usize,
    format: u8,
    delimiter: Vec<u8>,
    /// The next number; `None` after the largest possible number.
    number: Option<i64>,
}

/// Runs `nl` and returns its exit status.
pub fn nl_main(args: Vec<OsString>) -> i32 {
    run(args).unwrap_or_else(|code| code)
}

fn run(args: Vec<OsString>) -> Result<i32, i32> {
    let parsed = SPEC.parse(&options::operands(args))?;
    let mut nl = Nl {
        styles: [Style::None, Style::Nonempty, Style::None],
        section: 1,
        start: 1,
        step: 1,
        renumber: true,
        join: 1,
        blanks: 0,
        separator: b"\t".to_vec(),
        width: 6,
        format: b'r',
        delimiter: b"\\:".to_vec(),
        number: None,
    };
    let mut wrong = false;
    for g in &parsed.options {
        let text = g.text();
        match g.id {
            "h" | "b" | "f" => {
                let (i, what) = match g.id {
                    "h" => (0, "header"),
                    "b" => (1, "body"),
                    _ => (2, "footer"),
                };
                match style(text)? {
                    Some(style) => nl.styles[i] = style,
                    None => {
                        warn!("nl", "invalid ", what, " numbering style: ", quote(text));
                        wrong = true;
                    }
                }
            }
            "v" => nl.start = signed("invalid starting line number", text)?,
            "i" => nl.step = signed("invalid line number increment", text)?,
            "p" => nl.renumber = false,
            "l" => {
                let what = "invalid line number of blank lines";
                nl.join = number::in_range("nl", what, text, "", 1, i64::MAX as u64)?;
            }
            "s" => nl.separator = text.to_vec(),
            "w" => {
                let what = "invalid line number field width";
                nl.width = number::in_range("nl", what, text, "", 1, i32::MAX as u64)? as usize;
            }
            "n" => match text {
                b"ln" => nl.format = b'l',
                b"rn" => nl.format = b'r',
                b"rz" => nl.format = b'z',
                _ => {
                    warn!("nl", "invalid line numbering format: ", quote(text));
                    wrong = true;
                }
            },
            _ => match text {
                [one] => nl.delimiter = vec![*one, b':'],
                other => nl.delimiter = other.to_vec(),
            },
        }
    }
    if wrong {
        message::try_help("nl");
        return Err(1);
    }
    nl.number = Some(nl.start);
    let mut overflow = false;
    let code = input::each("nl", &parsed.operands, |_, input| nl.file(input, &mut overflow));
    if overflow {
        warn!("nl", "line number overflow");
        return Err(1);
    }
    Ok(out::finish("nl", code, 1))
}

fn signed(what: &str, text: &[u8]) -> Result<i64, i32> {
    number::signed(text, "").map_err(|bad| {
        let why = if bad == Fault::Overflow { ": Value too large for defined data type" } else { "" };
        warn!("nl", bytes!(what, ": ", quote(text), why));
        1
    })
}

fn style(text: &[u8]) -> Result<Option<Style>, i32> {
    Ok(match text {
        [b'a', ..] => Some(Style::All),
        [b't', ..] => Some(Style::Nonempty),
        [b'n', ..] => Some(Style::None),
        [b'p', pattern @ ..] => {
            let regex = Regex::new(pattern, Syntax::POSIX_BASIC, Flags::default()).map_err(|e| {
                warn!("nl", e.to_string());
                1
            })?;
            Some(Style::Matching(Box::new(regex)))
        }
        _ => None,
    })
}

impl Nl {
    fn file(&mut self, input: &mut Input, overflow: &mut bool) -> sys::Result<()> {
        let mut record = Vec::new();
        while input.record(b'\n', &mut record)? && out::failure().is_none() {
            let line = chomp(&record, b'\n').0;
            if let Some(section) = self.section_of(line) {
                self.section = section;
                self.blanks = 0;
                if self.renumber {
                    self.number = Some(self.start);
                }
                out::put("\n");
                continue;
            }
            if self.is_numbered(line) {
                let Some(number) = self.number else {
                    *overflow = true;
                    return Ok(());
                };
                self.put_number(number);
                out::put(&self.separator);
                self.number = number.checked_add(self.step);
            } else {
                fill(b' ', self.width.saturating_add(self.separator.len()));
            }
            out::put(line);
            out::put("\n");
        }
        Ok(())
    }

    /// A number in its column, which may be of any width: Rust's own formatting ends at 65535.
    fn put_number(&self, number: i64) {
        let text = number.to_string();
        let room = self.width.saturating_sub(text.len());
        let (sign, digits) = if number < 0 { text.split_at(1) } else { ("", text.as_str()) };
        match self.format {
            b'l' => {
                out::put(&text);
                fill(b' ', room);
            }
            b'z' => {
                out::put(sign);
                fill(b'0', room);
                out::put(digits);
            }
            _ => {
                fill(b' ', room);
                out::put(&text);
            }
        }
    }

    /// The section that a delimiter line begins.
    fn section_of(&self, line: &[u8]) -> Option<usize> {
        let d = &self.delimiter;
        if d.is_empty() || line.is_empty() || !line.len().is_multiple_of(d.len()) || line.len() < 2 {
            return None;
        }
        let times = line.len() / d.len();
        if times > 3 || line.chunks(d.len()).any(|c| c != d.as_slice()) {
            return None;
        }
        Some(3 - times)
    }

    fn is_numbered(&mut self, line: &[u8]) -> bool {
        match &self.styles[self.section] {
            Style::None => false,
            Style::Nonempty => !line.is_empty(),
            Style::Matching(regex) => regex.is_match(line),
            Style::All if self.join <= 1 || !line.is_empty() => {
                self.blanks = 0;
                true
            }
            Style::All => {
                self.blanks += 1;
                let last = self.blanks == self.join;
                if last {
                    self.blanks = 0;
                }
                last
            }
        }
    }
}

/// Writes a byte many times.
fn fill(byte: u8, mut count: usize) {
    let block = [byte; 256];
    while count > 0 {
        let part = &block[..count.min(block.len())];
        out::put(part);
        count -= part.len();
    }
}
