//! Selects the lines of a file.

use super::matcher::Matcher;
use super::options::{Binary, List, Options};
use super::print::{Line, Printer};
use crate::out::Out;
use memchr::{memchr, memchr_iter, memrchr};
use sandshell_cli::bytes;
use sandshell_sys as sys;

/// How many bytes are read at once. As in GNU grep, a file is binary from the first block with a NUL on.
const BLOCK: usize = 96 * 1024;

pub(crate) struct Scan<'a> {
    pub(crate) p: Printer<'a>,
    o: &'a Options,
    matcher: &'a Matcher,
    /// Whether a read error was reported.
    pub(crate) failed: bool,
    buf: Vec<u8>,
    /// What the first read of the file returned, if it was made before the search.
    pub(crate) ahead: Option<sys::Result<usize>>,
    /// Whether anything was printed, for any file.
    used: bool,
    // The following fields are about the current file:
    /// The offset of the buffer's first byte in the file.
    base: u64,
    /// The number of lines before `counted`.
    lines: u64,
    counted: usize,
    /// The position after the last printed line; `None` before the first.
    printed: Option<usize>,
    /// The number of lines of trailing context that must still be printed.
    pending: u64,
    selected: u64,
    left: u64,
    silent: bool,
    binary: bool,
    not_text: bool,
    done: bool,
    after_last: u64,
}

/// The result for a file.
pub(crate) enum Outcome {
    /// The number of selected lines.
    Selected(u64),
    Directory,
    Error(sys::Errno),
}

impl<'a> Scan<'a> {
    pub(crate) fn new(o: &'a Options, matcher: &'a Matcher, out: Out) -> Self {
        Self {
            p: Printer { o, matcher, out, name: None, width: 0 },
            o,
            matcher,
            failed: false,
            buf: Vec::new(),
            ahead: None,
            used: false,
            base: 0,
            lines: 0,
            counted: 0,
            printed: None,
            pending: 0,
            selected: 0,
            left: 0,
            silent: false,
            binary: false,
            not_text: false,
            done: false,
            after_last: 0,
        }
    }

    /// Reads the first block of the file that is searched next. Returns whether it may have more.
    pub(crate) fn read_ahead(&mut self, fd: sys::Fd) -> bool {
        if self.buf.len() < BLOCK {
            self.buf.resize(BLOCK, 0);
        }
        let got = sys::read(fd, self.buf.get_mut(..BLOCK).unwrap_or_default());
        self.ahead = Some(got);
        got.map_or(true, |got| got == BLOCK)
    }

    /// Searches an open file. `name` is for messages. A regular file is at its end when a read returns less than asked
    /// for, so no further read is made to find that out.
    pub(crate) fn file(&mut self, fd: sys::Fd, name: &[u8], regular: bool) -> Outcome {
        self.base = 0;
        self.lines = 0;
        self.counted = 0;
        self.printed = None;
        self.pending = 0;
        self.selected = 0;
        self.left = self.o.max.unwrap_or(u64::MAX);
        self.silent = self.o.no_lines();
        self.binary = false;
        self.not_text = false;
        self.done = self.left == 0;
        self.after_last = 0;
        if self.o.tab {
            self.p.width = offset_width(fd);
        }
        let mut len = 0;
        // Lines before this position have been processed.
        let mut at = 0;
        loop {
            if self.buf.len() < len + BLOCK {
                self.buf.resize((len + BLOCK).max(len * 2), 0);
            }
            let read = match self.ahead.take() {
                Some(read) => read,
                None => sys::read(fd, self.buf.get_mut(len..len + BLOCK).unwrap_or_default()),
            };
            let got = match read {
                Ok(n) => n,
                Err(sys::Errno::INTR) => continue,
                Err(sys::Errno::ISDIR) if self.base == 0 && len == 0 => return Outcome::Directory,
                Err(e) => return Outcome::Error(e),
            };
            let fresh = len;
            len += got;
            let eof = got == 0 || (regular && got < BLOCK);
            if !self.binary && self.o.binary != Binary::Text && self.has_nul(fresh, len) {
                if self.o.binary == Binary::WithoutMatch {
                    return Outcome::Selected(0);
                }
                self.binary = true;
                // With `-c`, all lines of binary files are counted too.
                if !self.o.count {
                    self.silent = true;
                }
            }
            if self.binary {
                // Like GNU grep, treat the NULs of binary files as line ends.
                self.end_lines_at_nul(fresh, len);
            }
            let mut limit = memrchr(self.o.terminator, self.buf.get(fresh..len).unwrap_or_default())
                .map_or(at, |i| fresh + i + 1);
            if eof
                && len > limit
                && let Some(b) = self.buf.get_mut(len)
            {
                // The last line is incomplete.
                *b = self.o.terminator;
                limit = len + 1;
            }
            let buf = std::mem::take(&mut self.buf);
            let text = buf.get(..limit).unwrap_or_default();
            self.lines_of(text, at);
            at = limit;
            self.print_pending(text, limit);
            self.buf = buf;
            if eof || (self.done && (self.pending == 0 || self.silent)) {
                break;
            }
            let keep = self.keep_from(at);
            self.forget(keep, len);
            len -= keep;
            at -= keep;
        }
        if fd == 0 && self.done && self.left == 0 {
            // The next process that reads this descriptor continues after the last selected line.
            let _ = sys::lseek(0, self.after_last.cast_signed(), 0);
        }
        let told = self.o.binary == Binary::Message && !self.o.no_lines();
        if told && (self.not_text || (self.binary && self.selected > 0)) {
            self.p.out.message("grep", &bytes!(name, ": binary file matches"));
        }
        Outcome::Selected(self.selected)
    }

    fn has_nul(&self, from: usize, to: usize) -> bool {
        // With -z, NULs end lines, so only invalid text makes a file binary.
        self.o.terminator != 0 && memchr(0, self.buf.get(from..to).unwrap_or_default()).is_some()
    }

    fn end_lines_at_nul(&mut self, from: usize, to: usize) {
        for b in self.buf.get_mut(from..to).unwrap_or_default() {
            if *b == 0 {
                *b = self.o.terminator;
            }
        }
    }

    // Processes the complete lines of `text` from `at` on.
    fn lines_of(&mut self, text: &[u8], mut at: usize) {
        while at < text.len() && !self.done {
            let hit = self.matcher.matching_line(text, at);
            let Some(hit) = hit else {
                if self.o.invert {
                    self.select_all(text, at, text.len());
                }
                return;
            };
            let start =
                text.get(at..hit).and_then(|t| memrchr(self.o.terminator, t)).map_or(at, |i| at + i + 1);
            let end = self.line_end(text, hit);
            if self.o.invert {
                self.select_all(text, at, start);
            } else {
                self.select(text, start, end);
            }
            at = end;
        }
    }

    // The position after the terminator of the line that contains `at`.
    fn line_end(&self, text: &[u8], at: usize) -> usize {
        text.get(at..).and_then(|t| memchr(self.o.terminator, t)).map_or(text.len(), |i| at + i + 1)
    }

    fn select_all(&mut self, text: &[u8], mut at: usize, end: usize) {
        if self.silent && !self.o.first_only() && !self.binary && self.o.max.is_none() {
            self.selected +=
                memchr_iter(self.o.terminator, text.get(at..end).unwrap_or_default()).count() as u64;
            return;
        }
        let block = text.get(at..end).unwrap_or_default();
        if self.lines_as_they_are() && (self.o.bytes || std::str::from_utf8(block).is_ok()) {
            self.selected += memchr_iter(self.o.terminator, block).count() as u64;
            self.p.out.put(block);
            return;
        }
        while at < end && !self.done {
            let stop = self.line_end(text, at);
            self.select(text, at, stop);
            at = stop;
        }
    }

    // Whether selected lines are printed unchanged and nothing else is printed.
    fn lines_as_they_are(&self) -> bool {
        let o = self.o;
        let added = self.p.name.is_some() || o.numbers || o.offset || o.colors.is_some();
        let chosen = self.silent || self.binary || o.first_only() || o.only || o.max.is_some();
        !(added || chosen || o.before.is_some() || o.after.is_some() || o.line_buffered)
    }

    fn select(&mut self, text: &[u8], start: usize, end: usize) {
        self.selected += 1;
        self.left -= 1;
        self.after_last = self.base + end as u64;
        if self.o.first_only() || (self.binary && !self.o.count) {
            self.done = true;
            return;
        }
        if !self.silent {
            self.print_selected(text, start, end);
        }
        if self.left == 0 {
            self.done = true;
        }
    }

    fn print_selected(&mut self, text: &[u8], start: usize, end: usize) {
        self.print_pending(text, start);
        let context = self.o.before.is_some() || self.o.after.is_some();
        let floor = self.printed.unwrap_or(0);
        let mut first = start;
        for _ in 0..self.o.before.unwrap_or(0) {
            if first <= floor {
                break;
            }
            first = text
                .get(..first - 1)
                .and_then(|t| memrchr(self.o.terminator, t))
                .map_or(0, |i| i + 1)
                .max(floor);
        }
        if context && self.used && self.printed != Some(first) {
            self.p.group_separator();
        }
        while first < start {
            let stop = self.line_end(text, first);
            self.print(text, first, stop, b'-');
            first = stop;
        }
        self.print(text, start, end, b':');
        self.pending = self.o.after.unwrap_or(0);
        self.used = true;
    }

    // Prints trailing context up to `limit`.
    fn print_pending(&mut self, text: &[u8], limit: usize) {
        while self.pending > 0 && !self.silent {
            let Some(at) = self.printed.filter(|p| *p < limit) else { return };
            let stop = self.line_end(text, at);
            self.pending -= 1;
            self.print(text, at, stop, b'-');
        }
    }

    fn print(&mut self, text: &[u8], start: usize, end: usize, separator: u8) {
        if self.o.numbers {
            let before = text.get(self.counted..start).unwrap_or_default();
            self.lines += memchr_iter(self.o.terminator, before).count() as u64;
            self.counted = self.counted.max(start);
        }
        let line = Line {
            text: text.get(start..end - 1).unwrap_or_default(),
            number: self.lines + 1,
            offset: self.base + start as u64,
        };
        if !self.p.line(line, separator) {
            self.not_text = true;
        }
        self.printed = Some(end);
    }

    // The first byte that later lines may need, for leading context or because it is not printed yet.
    fn keep_from(&self, at: usize) -> usize {
        let mut keep = at;
        let floor = self.printed.unwrap_or(0).min(at);
        let text = &self.buf;
        for _ in 0..self.o.before.unwrap_or(0) {
            if keep <= floor {
                break;
            }
            keep = text.get(..keep - 1).and_then(|t| memrchr(self.o.terminator, t)).map_or(0, |i| i + 1);
        }
        keep
    }

    fn forget(&mut self, keep: usize, len: usize) {
        if keep == 0 {
            return;
        }
        if self.o.numbers && self.counted < keep {
            let gone = self.buf.get(self.counted..keep).unwrap_or_default();
            self.lines += memchr_iter(self.o.terminator, gone).count() as u64;
            self.counted = keep;
        }
        self.counted = self.counted.saturating_sub(keep);
        self.buf.copy_within(keep..len, 0);
        self.base += keep as u64;
        // If the last printed line ends before the kept part, it is not adjacent to anything that follows.
        self.printed = self.printed.and_then(|p| p.checked_sub(keep));
    }

    /// Whether the file's name is listed.
    pub(crate) fn lists(&self, selected: u64) -> bool {
        match self.o.list {
            List::No => false,
            List::Matching => selected > 0,
            List::NotMatching => selected == 0,
        }
    }
}

// The width of the numbers with -T: that of the file's size, or of the largest number if the size is not known.
fn offset_width(fd: sys::Fd) -> usize {
    match sys::fstat(fd) {
        Ok(s) if s.is_file() => s.size.to_string().len(),
        _ => i64::MAX.to_string().len(),
    }
}
