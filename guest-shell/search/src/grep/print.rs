//! Prints lines.

use super::matcher::Matcher;
use super::options::Options;
use crate::out::Out;

/// Prints lines with their prefixes.
pub(crate) struct Printer<'a> {
    pub(crate) o: &'a Options,
    pub(crate) matcher: &'a Matcher,
    pub(crate) out: Out,
    /// The file's name, if names are printed.
    pub(crate) name: Option<Vec<u8>>,
    /// The minimum width of numbers, for -T.
    pub(crate) width: usize,
}

/// A line and its position.
#[derive(Clone, Copy)]
pub(crate) struct Line<'a> {
    /// Without its terminator.
    pub(crate) text: &'a [u8],
    pub(crate) number: u64,
    /// The offset of its first byte in the file.
    pub(crate) offset: u64,
}

impl Printer<'_> {
    /// Prints a line; `separator` is `:` for selected lines and `-` for context. If the line is not valid text, prints
    /// nothing and returns false.
    pub(crate) fn line(&mut self, line: Line<'_>, separator: u8) -> bool {
        let o = self.o;
        let selected = separator == b':';
        if !o.only && !self.head(line, line.text, 0, separator) {
            return false;
        }
        let matching = selected != o.invert;
        let mut rest = line.text;
        if o.only {
            return !matching || self.matches(line, separator, true).is_some();
        }
        if o.colors.is_some() {
            match self.colored(line, separator, matching) {
                Some(from) => rest = line.text.get(from..).unwrap_or_default(),
                None => return false,
            }
        }
        self.out.put(rest);
        self.out.put(&[o.terminator]);
        self.out.end_line();
        true
    }

    // Prints the coloured part of a line and returns its length.
    fn colored(&mut self, line: Line<'_>, separator: u8, matching: bool) -> Option<usize> {
        let (line_color, match_color) = self.line_colors(separator);
        if line_color.is_empty() && match_color.is_empty() {
            return Some(0);
        }
        let mut from = 0;
        if matching && !match_color.is_empty() {
            from = self.matches(line, separator, false)?;
        }
        if !line_color.is_empty() {
            let rest = line.text.get(from..).unwrap_or_default();
            let tail = rest.strip_suffix(b"\r").unwrap_or(rest);
            if !tail.is_empty() {
                self.paint(&line_color, tail);
                from += tail.len();
            }
        }
        Some(from)
    }

    fn line_colors(&self, separator: u8) -> (Vec<u8>, Vec<u8>) {
        let Some(c) = &self.o.colors else { return Default::default() };
        let selected = separator == b':';
        let as_selected = selected != (self.o.invert && c.reverse);
        let line = if as_selected { &c.selected_line } else { &c.context_line };
        let matched = if selected { &c.selected_match } else { &c.context_match };
        (line.clone(), matched.clone())
    }

    // Prints the matches: with `only` each on its own line, otherwise coloured, with the text between them. Returns the
    // position after the printed part; `None` if a match is not valid text.
    fn matches(&mut self, line: Line<'_>, separator: u8, only: bool) -> Option<usize> {
        let (line_color, match_color) = self.line_colors(separator);
        let mut at = 0;
        let mut written = 0;
        while at <= line.text.len() {
            let Some((a, b)) = self.matcher.find(line.text, at) else { break };
            if a >= line.text.len() {
                break;
            }
            if a == b {
                at = a + 1;
                while !self.o.bytes && line.text.get(at).is_some_and(|c| c & 0xc0 == 0x80) {
                    at += 1;
                }
                continue;
            }
            let matched = line.text.get(a..b).unwrap_or_default();
            if only {
                if !self.head(line, matched, a, separator) {
                    return None;
                }
                self.paint(&match_color, matched);
                self.out.put(&[self.o.terminator]);
                self.out.end_line();
            } else {
                let between = line.text.get(written..a).unwrap_or_default();
                self.start(&line_color);
                self.out.put(between);
                self.paint(&match_color, matched);
            }
            at = b;
            written = b;
        }
        Some(written)
    }

    fn head(&mut self, line: Line<'_>, text: &[u8], at: usize, separator: u8) -> bool {
        let o = self.o;
        if o.binary != super::options::Binary::Text && !o.bytes && std::str::from_utf8(text).is_err() {
            return false;
        }
        if o.binary == super::options::Binary::WithoutMatch && !o.bytes && std::str::from_utf8(text).is_err()
        {
            return false;
        }
        let names = self.name.is_some();
        if names {
            self.file_name();
            if o.null_names { self.out.put(b"\0") } else { self.separator(separator) }
        }
        let width = self.width;
        if o.numbers {
            self.counter(line.number, width, true);
            self.separator(separator);
        }
        if o.offset {
            self.counter(line.offset + at as u64, width, false);
            self.separator(separator);
        }
        if o.tab && (names || o.numbers || o.offset) && !text.is_empty() {
            self.out.put(b"\t");
        }
        true
    }

    pub(crate) fn file_name(&mut self) {
        let name = self.name.clone().unwrap_or_default();
        let color = self.o.colors.as_ref().map(|c| c.file.clone()).unwrap_or_default();
        self.paint(&color, &name);
    }

    pub(crate) fn separator(&mut self, byte: u8) {
        let color = self.o.colors.as_ref().map(|c| c.separator.clone()).unwrap_or_default();
        self.paint(&color, &[byte]);
    }

    /// Prints the line that separates groups of context.
    pub(crate) fn group_separator(&mut self) {
        let Some(text) = &self.o.separator else { return };
        let color = self.o.colors.as_ref().map(|c| c.separator.clone()).unwrap_or_default();
        self.paint(&color, text);
        self.out.put(b"\n");
        self.out.end_line();
    }

    fn counter(&mut self, n: u64, width: usize, line: bool) {
        let color = self.o.colors.as_ref().map(|c| if line { c.line.clone() } else { c.byte.clone() });
        self.start(color.as_deref().unwrap_or_default());
        self.out.number(n, width);
        self.end(color.as_deref().unwrap_or_default());
    }

    fn paint(&mut self, color: &[u8], text: &[u8]) {
        self.start(color);
        self.out.put(text);
        self.end(color);
    }

    fn start(&mut self, color: &[u8]) {
        if color.is_empty() {
            return;
        }
        self.out.put(b"\x1b[");
        self.out.put(color);
        self.out.put(b"m");
        self.erase();
    }

    fn end(&mut self, color: &[u8]) {
        if !color.is_empty() {
            self.out.put(b"\x1b[m");
            self.erase();
        }
    }

    fn erase(&mut self) {
        if self.o.colors.as_ref().is_some_and(|c| !c.no_erase) {
            self.out.put(b"\x1b[K");
        }
    }
}
