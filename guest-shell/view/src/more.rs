//! `more`.

use crate::less::keyboard;
use crate::text::Text;
use sandshell_cli::options::{Spec, hidden, listed};
use sandshell_cli::out;
use sandshell_regex::{Flags, Regex, Syntax};
use sandshell_sys::{self as sys, Errno, Fd};
use sandshell_terminal::{Key, Keys, Raw, fit, glyphs, size};

const MORE: Spec = Spec {
    name: "more",
    options: &[
        listed(HELP),
        hidden("none", "-d, --silent, -f, --logical, -l, --no-pause, -p, --print-over, -c, --clean-print"),
        hidden("none", "-u, --plain, -e, --exit-on-eof"),
    ],
    version: "from util-linux 2.38.1",
    ..Spec::DEFAULT
};

/// Where to begin.
#[derive(Clone, Default)]
struct Start {
    line: usize,
    pattern: Option<Vec<u8>>,
}

/// Runs `more` on its arguments (its own name first) and returns the exit status. Without a terminal it copies.
pub fn more_main(args: Vec<Vec<u8>>) -> i32 {
    // `-20`, `+3` and `+/PATTERN` are not options.
    let is_number =
        |a: &Vec<u8>| a.len() > 1 && a.starts_with(b"-") && a.iter().skip(1).all(u8::is_ascii_digit);
    let called = args.first().cloned().unwrap_or_else(|| b"more".to_vec());
    let short = called.rsplit(|byte| *byte == b'/').next().unwrap_or_default().to_vec();
    let number = |a: &[u8]| std::str::from_utf8(a).ok().and_then(|a| a.parse::<usize>().ok());
    let (mut given, mut start, mut lines) = (Vec::new(), Start::default(), None);
    for arg in args.iter().skip(1) {
        match arg.as_slice() {
            [b'+', b'/', pattern @ ..] => start.pattern = Some(pattern.to_vec()),
            [b'+', line @ ..] if !line.is_empty() => start.line = number(line).unwrap_or(1).saturating_sub(1),
            [_, count @ ..] if is_number(arg) => lines = number(count),
            _ => given.push(arg.clone()),
        }
    }
    let parsed = match MORE.parse_all(&given) {
        Ok(parsed) => parsed,
        Err(code) => return code,
    };
    if let Some(g) = parsed.options.iter().find(|g| matches!(g.id, "?" | "h" | "V")) {
        let code = match g.id {
            "h" => {
                out::put(MORE.help());
                0
            }
            "V" => {
                out::put("more from util-linux 2.38.1\n");
                0
            }
            _ => {
                say(&[&*called, b": ", g.text(), b"\nTry '", &*short, b" --help' for more information.\n"]
                    .concat());
                MORE.failure
            }
        };
        return out::finish("more", code, 1);
    }
    if let Some(g) = parsed.options.iter().find(|g| g.id == "n") {
        lines = number(g.text());
    }
    if parsed.operands.is_empty() && sys::isatty(0) {
        say(&[&*short, b": bad usage\nTry '", &*short, b" --help' for more information.\n"].concat());
        return 1;
    }
    let standard = [b"-".to_vec()];
    let files = if parsed.operands.is_empty() { &standard[..] } else { &parsed.operands };
    let keys = if sys::isatty(1) { keyboard() } else { None };
    let mut pager = keys.and_then(|fd| Pager::new(fd, lines, parsed.options.iter().any(|g| g.id == "s")));
    for name in files {
        if name != b"-" && sys::stat(name, true).is_ok_and(|s| s.is_dir()) {
            out::put([b"\n*** ", name.as_slice(), b": directory ***\n\n"].concat());
            continue;
        }
        let fd = if name == b"-" { Ok(0) } else { sys::open(name, sys::open_flags::READ, 0) };
        let fd = match fd {
            Ok(fd) => fd,
            Err(error) => {
                out::flush();
                say(&[
                    &*short,
                    b": cannot open ",
                    name.as_slice(),
                    b": ",
                    error.to_string().as_bytes(),
                    b"\n",
                ]
                .concat());
                continue;
            }
        };
        if pager.is_none() && name != b"-" || files.len() > 1 {
            out::put([b"::::::::::::::\n", name.as_slice(), b"\n::::::::::::::\n"].concat());
        }
        match &mut pager {
            Some(pager) => {
                out::flush();
                if !pager.page(Text::of(fd), &start) {
                    break;
                }
            }
            None => copy(fd),
        }
    }
    out::finish("more", 0, 1)
}

fn say(text: &[u8]) {
    let _ = sys::write_all(2, text);
}

fn copy(fd: Fd) {
    let mut piece = vec![0; 64 << 10];
    while let Ok(count @ 1..) = sys::read(fd, &mut piece) {
        out::put(piece.get(..count).unwrap_or_default());
    }
}

/// Pages on a terminal.
struct Pager {
    keys: Keys,
    _raw: Raw,
    rows: usize,
    columns: usize,
    squeeze: bool,
    pattern: Option<Regex>,
    half: usize,
}

impl Pager {
    fn new(keys: Fd, lines: Option<usize>, squeeze: bool) -> Option<Pager> {
        let raw = Raw::enter(keys, true).ok()?;
        let (rows, columns) = size(1);
        let rows = lines.filter(|lines| *lines > 0).unwrap_or(rows.saturating_sub(1)).max(1);
        Some(Pager { keys: Keys::new(keys), _raw: raw, rows, columns, squeeze, pattern: None, half: 11 })
    }

    /// Shows a text. False if the user has seen enough.
    fn page(&mut self, mut text: Text, start: &Start) -> bool {
        let mut line = start.line;
        if let Some(pattern) = &start.pattern {
            match self.find(&mut text, line, pattern) {
                Ok(found) => {
                    self.put(b"...skipping\n");
                    line = found.saturating_sub(2);
                }
                Err(problem) => self.put(format!("{problem}\n").as_bytes()),
            }
        }
        let mut left = self.rows;
        loop {
            while left > 0 {
                let Some(content) = text.line(line) else { return true };
                let content = content.to_vec();
                let blank = self.squeeze && content.is_empty() && line > 0;
                if !(blank && text.line(line - 1).is_some_and(<[u8]>::is_empty)) {
                    left = left.saturating_sub(self.show(&content));
                }
                line += 1;
            }
            if text.line(line).is_none() {
                return true;
            }
            match self.ask(&mut text, &mut line) {
                Some(rows) => left = rows,
                None => return false,
            }
        }
    }

    /// Shows a line; returns how many rows it takes.
    fn show(&self, line: &[u8]) -> usize {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let shown = fit(line, 0, usize::MAX / 2, 8, |_| false);
        let columns: usize = glyphs(&shown).iter().map(|glyph| glyph.columns).sum();
        self.put(&[&*shown, b"\n"].concat());
        columns.div_ceil(self.columns.max(1)).max(1)
    }

    /// Asks what to do next: how many rows to show, or `None` to end.
    fn ask(&mut self, text: &mut Text, line: &mut usize) -> Option<usize> {
        let mut count: Option<usize> = None;
        let mut message: Option<String> = None;
        loop {
            let shown = match (message.take(), text.size.filter(|size| *size > 0)) {
                (Some(message), _) => message,
                (None, Some(size)) => format!("--More--({}%)", text.offset(*line) as u64 * 100 / size),
                (None, None) => "--More--".to_owned(),
            };
            self.put(format!("\r\x1b[K\x1b[7m{shown}\x1b[27m").as_bytes());
            let key = match self.keys.next_key() {
                Ok(key) => key,
                Err(Errno::INTR) => continue,
                Err(_) => return None,
            };
            if let Key::Text(digit) = &key
                && let [digit @ b'0'..=b'9'] = digit.as_slice()
            {
                count = Some((count.unwrap_or(0) * 10 + usize::from(digit - b'0')).min(1_000_000));
                continue;
            }
            let rows = match key {
                Key::Enter | Key::Down => Some(count.unwrap_or(1)),
                Key::PageDown => Some(self.rows),
                Key::PageUp | Key::Control(b'B') => Some(self.back(line, count)),
                Key::Control(b'D') => {
                    self.half = count.unwrap_or(self.half);
                    Some(self.half)
                }
                Key::Control(b'L') => {
                    *line = line.saturating_sub(self.rows);
                    Some(self.rows)
                }
                Key::Text(letter) => match letter.as_slice() {
                    b" " => Some(count.unwrap_or(self.rows)),
                    b"z" => {
                        self.rows = count.unwrap_or(self.rows);
                        Some(self.rows)
                    }
                    b"d" => {
                        self.half = count.unwrap_or(self.half);
                        Some(self.half)
                    }
                    b"b" => Some(self.back(line, count)),
                    b"s" | b"f" => {
                        let skipped =
                            count.unwrap_or(1).saturating_mul(if letter == b"f" { self.rows } else { 1 });
                        self.put(format!("\r\x1b[K\n...skipping {skipped} lines\n\n").as_bytes());
                        *line = line.saturating_add(skipped);
                        Some(self.rows)
                    }
                    b"q" | b"Q" => {
                        self.put(b"\r\x1b[K");
                        return None;
                    }
                    b"=" => {
                        message = Some(line.to_string());
                        None
                    }
                    b"/" | b"n" => {
                        let found = if letter == b"n" {
                            self.again(text, *line)
                        } else {
                            self.put(b"\r\x1b[K/");
                            let Some(pattern) = self.read_pattern() else { continue };
                            self.find(text, *line, &pattern)
                        };
                        match found {
                            Ok(found) => {
                                self.put(b"\r\x1b[K\n...skipping\n");
                                *line = found.saturating_sub(2);
                                Some(self.rows)
                            }
                            Err(problem) => {
                                message = Some(problem);
                                None
                            }
                        }
                    }
                    b"h" | b"?" => {
                        self.put(format!("\r\x1b[K{KEYS}").as_bytes());
                        None
                    }
                    _ => {
                        message = Some("[Press 'h' for instructions.]".to_owned());
                        None
                    }
                },
                _ => {
                    message = Some("[Press 'h' for instructions.]".to_owned());
                    None
                }
            };
            if let Some(rows) = rows {
                self.put(b"\r\x1b[K");
                return Some(rows);
            }
            count = None;
        }
    }

    fn back(&self, line: &mut usize, count: Option<usize>) -> usize {
        let pages = count.unwrap_or(1);
        self.put(format!("\r\x1b[K...back {pages} page{}\n", if pages == 1 { "" } else { "s" }).as_bytes());
        *line = line.saturating_sub(self.rows.saturating_mul(pages + 1));
        self.rows
    }

    fn read_pattern(&mut self) -> Option<Vec<u8>> {
        let mut pattern = Vec::new();
        loop {
            match self.keys.next_key().ok()? {
                Key::Enter => return Some(pattern),
                Key::Text(text) | Key::Paste(text) => {
                    self.put(&text);
                    pattern.extend(text);
                }
                Key::Backspace => {
                    pattern.truncate(pattern.len() - glyphs(&pattern).pop()?.bytes);
                    self.put(&[b"\r\x1b[K/", &*pattern].concat());
                }
                _ => return None,
            }
        }
    }

    fn find(&mut self, text: &mut Text, from: usize, pattern: &[u8]) -> Result<usize, String> {
        if !pattern.is_empty() {
            let regex = Regex::new(pattern, Syntax::POSIX_BASIC, Flags::default());
            self.pattern = Some(regex.map_err(|error| error.to_string())?);
        }
        self.again(text, from)
    }

    /// The line with the pattern after `from`.
    fn again(&self, text: &mut Text, from: usize) -> Result<usize, String> {
        let Some(pattern) = &self.pattern else { return Err("No previous regular expression".to_owned()) };
        let mut line = from;
        while let Some(content) = text.line(line) {
            if pattern.is_match(content) {
                return Ok(line);
            }
            line += 1;
        }
        Err("Pattern not found".to_owned())
    }

    fn put(&self, text: &[u8]) {
        let _ = sys::write_all(1, text);
    }
}

const KEYS: &str = "\
Most commands may be preceded by a number.
  Space            a page
  z                a page of as many lines from now on
  Enter            a line
  d, Ctrl-D        half a page
  q                quit
  s, f             skip lines, pages
  b, Ctrl-B        a page back
  =                the number of the line
  /PATTERN, n      search for a regular expression, once more
  Ctrl-L           draw the page again
";

const HELP: &str = "
Usage:
 more [options] <file>...

Shows files page by page. Without a terminal it copies them.

 -n, --lines <number>  pages of so many lines, as -<number>
 -s, --squeeze         one blank line for several
 +<number>             begin at this line
 +/<text>              begin where this is found
 -h, --help            this text
 -V, --version         the version

Accepted without effect: -c, --clean-print, -d, --silent, -e, --exit-on-eof, -f, --logical, -l, --no-pause,
-p, --print-over, -u, --plain.
";
