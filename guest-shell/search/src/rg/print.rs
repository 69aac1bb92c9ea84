//! The standard output format, and counts and names.

use super::options::{Mode, Options};
use super::pattern::Pattern;
use super::search::{Block, Sink, matches};
use crate::out::Out;

/// Numbers over all files.
#[derive(Clone, Copy, Default)]
pub(crate) struct Stats {
    pub(crate) matches: u64,
    pub(crate) matched_lines: u64,
    pub(crate) files: u64,
    pub(crate) files_matched: u64,
    pub(crate) bytes_printed: u64,
    pub(crate) bytes_searched: u64,
    pub(crate) nanos: u64,
}

pub(crate) struct Printer<'a> {
    pub(crate) o: &'a Options,
    pub(crate) pattern: &'a Pattern,
    pub(crate) out: Out,
    /// Names are shown.
    pub(crate) names: bool,
    /// Something was printed for an earlier file.
    pub(crate) used: bool,
    pub(crate) stats: Stats,
}

/// Prints the lines of one file.
pub(crate) struct Lines<'p, 'a> {
    pub(crate) p: &'p mut Printer<'a>,
    pub(crate) path: &'p [u8],
    pub(crate) selected: u64,
    pub(crate) matches: u64,
    /// The file is binary from this offset on: the first match there ends the search.
    pub(crate) binary: Option<usize>,
    pub(crate) binary_hit: bool,
    pub(crate) begun: bool,
}

impl Lines<'_, '_> {
    fn begin(&mut self) {
        if self.begun {
            return;
        }
        self.begun = true;
        let o = self.p.o;
        if o.heading {
            if self.p.used {
                self.p.put(b"\n");
            }
            if self.p.names {
                let path = self.path.to_vec();
                self.p.path(&path);
                self.p.put(if o.null { b"\0" } else { b"\n" });
            }
        } else if self.p.used && o.before + o.after > 0 && !o.passthru {
            self.gap();
        }
        self.p.used = true;
    }

    fn head(&mut self, number: u64, column: Option<usize>, offset: usize, separator: &[u8]) {
        let o = self.p.o;
        let sep = separator.to_vec();
        if self.p.names && !o.heading {
            let path = self.path.to_vec();
            self.p.path(&path);
            if o.null { self.p.put(b"\0") } else { self.p.put(&sep) }
        }
        if o.numbers {
            self.p.colored("32", number.to_string().as_bytes());
            self.p.put(&sep);
        }
        if let Some(c) = column
            && o.column
        {
            self.p.colored("", c.to_string().as_bytes());
            self.p.put(&sep);
        }
        if o.offset {
            self.p.colored("", offset.to_string().as_bytes());
            self.p.put(&sep);
        }
    }

    // A line without its terminator, with the matches in it marked.
    fn body(&mut self, line: &[u8], found: &[(usize, usize)]) {
        let o = self.p.o;
        if !o.color || found.is_empty() {
            self.p.put(line);
            return;
        }
        let mut at = 0;
        for &(a, b) in found {
            let (a, b) = (a.max(at).min(line.len()), b.min(line.len()));
            if a >= b {
                continue;
            }
            self.p.put(line.get(at..a).unwrap_or_default());
            self.p.colored("1m\x1b[31", line.get(a..b).unwrap_or_default());
            at = b;
        }
        self.p.put(line.get(at..).unwrap_or_default());
    }

    // Whether the line is too long to be shown; then what is shown instead is written.
    fn too_long(&mut self, line: &[u8], found: usize, context: bool) -> bool {
        let Some(max) = self.p.o.max_columns.filter(|m| line.len() > *m) else { return false };
        if self.p.o.preview {
            let text = String::from_utf8_lossy(line);
            let mut end = max.min(text.len());
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            self.p.put(text.get(..end).unwrap_or_default().as_bytes());
            self.p.put(b" [... omitted end of long line]");
        } else if context {
            self.p.put(b"[Omitted long context line]");
        } else if found == 0 || self.p.o.only {
            self.p.put(b"[Omitted long matching line]");
        } else {
            self.p.put(format!("[Omitted long line with {found} matches]").as_bytes());
        }
        true
    }

    fn line(&mut self, text: &[u8], found: &[(usize, usize)], granular: usize, context: bool) {
        let o = self.p.o;
        let mut line = text;
        let mut cut = 0;
        if o.trim {
            cut = line.iter().take_while(|b| matches!(b, b' ' | b'\t' | 11 | 12 | b'\r')).count();
            line = line.get(cut..).unwrap_or_default();
        }
        if !self.too_long(line, granular, context) {
            let found: Vec<(usize, usize)> =
                found.iter().map(|(a, b)| (a.saturating_sub(cut), b.saturating_sub(cut))).collect();
            self.body(line, &found);
        }
        self.p.end_line();
    }

    fn granular(&self) -> bool {
        let o = self.p.o;
        o.color
            || o.column
            || o.only
            || o.replace.is_some()
            || o.vimgrep
            || o.stats
            || o.mode == Mode::CountMatches
    }

    fn print_match(&mut self, text: &[u8], block: Block, found: &[(usize, usize)]) {
        let o = self.p.o;
        let separator = o.match_separator.clone();
        if o.only && !o.invert {
            return self.print_only(text, block, found, &separator);
        }
        let (shown, spans) = self.replaced(text, block, found);
        let offset = block.start;
        if o.vimgrep && !found.is_empty() {
            for (start, _) in spans.iter().copied() {
                // The line of the match.
                let line_start =
                    shown.get(..start).and_then(|t| memchr::memrchr(o.terminator(), t)).map_or(0, |i| i + 1);
                let before = shown.get(..line_start).unwrap_or_default();
                let number = block.number + memchr::memchr_iter(o.terminator(), before).count() as u64;
                self.head(number, Some(start - line_start + 1), offset + line_start, &separator);
                let line = line_at(&shown, line_start, o.terminator());
                self.line(&line, &[], found.len(), false);
            }
            return;
        }
        let mut at = 0;
        let mut number = block.number;
        while at < shown.len() || (at == 0 && shown.is_empty()) {
            let line = line_at(&shown, at, o.terminator());
            let end = at + line.len();
            let here: Vec<(usize, usize)> = spans
                .iter()
                .filter(|(a, b)| *a <= end && *b >= at)
                .map(|(a, b)| (a.saturating_sub(at), b.saturating_sub(at)))
                .collect();
            // That of the first match, on each line of the block.
            let column = spans.first().filter(|_| !o.invert).map(|(a, _)| a + 1);
            self.head(number, column, offset + at, &separator);
            self.line(&line, &here, spans.len(), false);
            at = end + 1;
            number += 1;
            if shown.is_empty() {
                break;
            }
        }
    }

    fn print_only(&mut self, text: &[u8], block: Block, found: &[(usize, usize)], separator: &[u8]) {
        let o = self.p.o;
        for &(a, b) in found {
            let mut out = Vec::new();
            match &o.replace {
                Some(r) => self.expand(text, block, (a, b), r, &mut out),
                None => out.extend_from_slice(text.get(a..b).unwrap_or_default()),
            }
            let mut at = a;
            let pieces: Vec<&[u8]> = out.split(|c| *c == o.terminator()).collect();
            let last = pieces.len();
            for (i, piece) in pieces.into_iter().enumerate() {
                if i + 1 == last && i > 0 && piece.is_empty() {
                    break;
                }
                let before = text.get(block.start..at).unwrap_or_default();
                let number = block.number + memchr::memchr_iter(o.terminator(), before).count() as u64;
                let line_start = memchr::memrchr(o.terminator(), before).map_or(0, |i| i + 1) + block.start;
                self.head(number, Some(at - line_start + 1), at, separator);
                let all = [(0, piece.len())];
                self.line(piece, &all, found.len(), false);
                at += piece.len() + 1;
            }
        }
    }

    fn expand(&self, text: &[u8], block: Block, m: (usize, usize), r: &[u8], out: &mut Vec<u8>) {
        let o = self.p.o;
        if o.multiline {
            self.p.pattern.expand(text, m.0, text.len(), r, out);
        } else {
            let mut end = block.end;
            if text.get(end - 1) == Some(&o.terminator()) {
                end -= 1;
            }
            let line = text.get(block.start..end).unwrap_or_default();
            self.p.pattern.expand(line, m.0 - block.start, line.len(), r, out);
        }
    }

    // The block without its last terminator, with replacements made, and where the matches are in it.
    fn replaced(
        &self,
        text: &[u8],
        block: Block,
        found: &[(usize, usize)],
    ) -> (Vec<u8>, Vec<(usize, usize)>) {
        let o = self.p.o;
        let mut end = block.end;
        if text.get(block.start..end).is_some_and(|t| t.last() == Some(&o.terminator())) {
            end -= 1;
        }
        let spans = || found.iter().map(|(a, b)| (a - block.start, b - block.start)).collect();
        let Some(r) = o.replace.as_ref().filter(|_| !o.invert) else {
            return (text.get(block.start..end).unwrap_or_default().to_vec(), spans());
        };
        let mut out = Vec::new();
        let mut new = Vec::new();
        let mut at = block.start;
        for &(a, b) in found {
            out.extend_from_slice(text.get(at..a).unwrap_or_default());
            let start = out.len();
            self.expand(text, block, (a, b), r, &mut out);
            new.push((start, out.len()));
            at = b;
        }
        out.extend_from_slice(text.get(at..end).unwrap_or_default());
        (out, new)
    }
}

impl Sink for Lines<'_, '_> {
    fn matched(&mut self, text: &[u8], block: Block) -> bool {
        let o = self.p.o;
        if self.binary.is_some_and(|b| b < text.len()) {
            self.binary_hit = true;
            self.selected += 1;
            if matches!(o.mode, Mode::Lines) {
                return false;
            }
        } else {
            self.selected += 1;
        }
        let found =
            if o.invert || !self.granular() { Vec::new() } else { matches(text, block, self.p.pattern, o) };
        self.matches += found.len() as u64;
        match o.mode {
            Mode::Lines if !o.quiet => {
                self.begin();
                self.print_match(text, block, &found);
                true
            }
            Mode::Lines | Mode::Names | Mode::NamesWithout => o.stats,
            _ => true,
        }
    }

    fn context(&mut self, text: &[u8], block: Block) {
        if self.p.o.mode != Mode::Lines || self.p.o.quiet {
            return;
        }
        self.begin();
        let separator = self.p.o.context_field_separator.clone();
        self.head(block.number, None, block.start, &separator);
        let line = line_at(text, block.start, self.p.o.terminator());
        self.line(&line, &[], 0, true);
    }

    fn gap(&mut self) {
        let o = self.p.o;
        if o.mode == Mode::Lines
            && !o.quiet
            && let Some(s) = &o.context_separator
        {
            self.p.put(s);
            self.p.end_line();
        }
    }
}

fn line_at(text: &[u8], at: usize, terminator: u8) -> Vec<u8> {
    let rest = text.get(at..).unwrap_or_default();
    let end = memchr::memchr(terminator, rest).unwrap_or(rest.len());
    rest.get(..end).unwrap_or_default().to_vec()
}

impl Printer<'_> {
    pub(crate) fn put(&mut self, bytes: &[u8]) {
        self.stats.bytes_printed += bytes.len() as u64;
        self.out.put(bytes);
    }

    pub(crate) fn end_line(&mut self) {
        let t = self.o.terminator();
        self.put(&[t]);
        self.out.end_line();
    }

    pub(crate) fn path(&mut self, path: &[u8]) {
        let shown = self.shown_path(path);
        self.colored("35", &shown);
    }

    /// The path with the separator that was asked for.
    pub(crate) fn shown_path(&self, path: &[u8]) -> Vec<u8> {
        match self.o.path_separator {
            Some(s) => path.iter().map(|b| if *b == b'/' { s } else { *b }).collect(),
            None => path.to_vec(),
        }
    }

    fn colored(&mut self, sgr: &str, text: &[u8]) {
        if !self.o.color {
            return self.put(text);
        }
        self.out.put(b"\x1b[0m");
        if !sgr.is_empty() {
            self.out.put(b"\x1b[");
            self.out.put(sgr.as_bytes());
            self.out.put(b"m");
        }
        self.put(text);
        self.out.put(b"\x1b[0m");
    }
}
