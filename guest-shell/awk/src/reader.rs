//! Reads records from a descriptor.

use crate::pattern::Pattern;
use crate::text::char_len;
use memchr::memchr;
use sandshell_sys as sys;
use std::rc::Rc;
use std::time::Duration;

/// How a record ends.
#[derive(Clone)]
pub(crate) enum Terminator {
    Byte(u8),
    /// Empty lines.
    Paragraph,
    Regex(Rc<Pattern>, bool),
}

/// A buffered reader of records.
pub(crate) struct Reader {
    fd: sys::Fd,
    buf: Vec<u8>,
    start: usize,
    end: usize,
    eof: bool,
    /// Whether `close` closes the descriptor.
    owned: bool,
    /// Whether a record has already been read.
    begun: bool,
    /// The time limit of a read.
    pub(crate) timeout: Option<Duration>,
}

/// The positions of a record and its terminator in the buffer.
#[derive(Clone, Copy)]
pub(crate) struct RecordSpan {
    text: (usize, usize),
    terminator: (usize, usize),
}

const CHUNK: usize = 64 * 1024;

impl Reader {
    pub(crate) fn new(fd: sys::Fd, owned: bool) -> Self {
        Self { fd, buf: Vec::new(), start: 0, end: 0, eof: false, owned, begun: false, timeout: None }
    }

    pub(crate) fn text(&self, found: RecordSpan) -> &[u8] {
        self.buf.get(found.text.0..found.text.1).unwrap_or_default()
    }

    pub(crate) fn terminator(&self, found: RecordSpan) -> &[u8] {
        self.buf.get(found.terminator.0..found.terminator.1).unwrap_or_default()
    }

    /// The next record.
    pub(crate) fn next(&mut self, terminator: &Terminator) -> sys::Result<Option<RecordSpan>> {
        match terminator {
            Terminator::Byte(b) => self.until_byte(*b),
            Terminator::Paragraph => self.paragraph(),
            Terminator::Regex(p, icase) => self.until_match(p, *icase),
        }
    }

    fn until_byte(&mut self, b: u8) -> sys::Result<Option<RecordSpan>> {
        let mut searched = 0;
        loop {
            let data = self.buf.get(self.start..self.end).unwrap_or_default();
            if let Some(n) = memchr(b, data.get(searched..).unwrap_or_default()) {
                let end = self.start + searched + n;
                return Ok(Some(self.found(self.start, end, end + 1)));
            }
            searched = data.len();
            if !self.fill()? {
                return Ok(self.last());
            }
        }
    }

    fn paragraph(&mut self) -> sys::Result<Option<RecordSpan>> {
        // Newlines at the start are skipped.
        loop {
            while self.start < self.end && self.buf[self.start] == b'\n' {
                self.start += 1;
            }
            if self.start < self.end || !self.fill()? {
                break;
            }
        }
        let mut searched = 0;
        loop {
            let data = self.buf.get(self.start..self.end).unwrap_or_default();
            if let Some(n) = memchr::memmem::find(data.get(searched..).unwrap_or_default(), b"\n\n") {
                let text_end = searched + n;
                let newlines =
                    data.get(text_end..).unwrap_or_default().iter().take_while(|b| **b == b'\n').count();
                if text_end + newlines < data.len() || !self.fill()? {
                    let (a, b) = (self.start + text_end, self.start + text_end + newlines);
                    return Ok(Some(self.found(self.start, a, b)));
                }
                continue;
            }
            searched = data.len().saturating_sub(1);
            if !self.fill()? {
                let Some(mut last) = self.last() else { return Ok(None) };
                if self.text(last).ends_with(b"\n") {
                    last.text.1 -= 1;
                    last.terminator.0 -= 1;
                }
                return Ok(Some(last));
            }
        }
    }

    fn until_match(&mut self, pattern: &Pattern, icase: bool) -> sys::Result<Option<RecordSpan>> {
        let re = pattern.regex(icase);
        let mut searched = 0;
        loop {
            let data = self.buf.get(self.start..self.end).unwrap_or_default();
            let mut from = searched;
            let mut hit = None;
            while let Some((a, b)) = re.find_at(data, from, self.begun) {
                if a < b {
                    hit = Some((a, b));
                    break;
                }
                from = a + char_len(data, a).max(1);
                if from > data.len() {
                    break;
                }
            }
            match hit {
                // More data could make the match longer.
                Some((a, b)) if b < data.len() || self.eof => {
                    let (a, b) = (self.start + a, self.start + b);
                    return Ok(Some(self.found(self.start, a, b)));
                }
                Some((a, _)) => searched = a,
                // A match may begin in the data that is there and end in later data. It is assumed to be no longer than
                // this.
                None => searched = data.len().saturating_sub(4096),
            }
            if !self.fill()? && hit.is_none() {
                return Ok(self.last());
            }
        }
    }

    fn found(&mut self, start: usize, end: usize, next: usize) -> RecordSpan {
        self.start = next;
        self.begun = true;
        RecordSpan { text: (start, end), terminator: (end, next) }
    }

    fn last(&mut self) -> Option<RecordSpan> {
        (self.start < self.end).then(|| self.found(self.start, self.end, self.end))
    }

    // Reads more data. Returns false at the end. Positions that were found before are no longer valid.
    fn fill(&mut self) -> sys::Result<bool> {
        if self.eof {
            return Ok(false);
        }
        if self.start > 0 {
            self.buf.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        if self.buf.len() < self.end + CHUNK {
            let size = (self.end + CHUNK).max(self.buf.len() * 2);
            self.buf.resize(size, 0);
        }
        if let Some(timeout) = self.timeout {
            let mut fds = [sys::PollFd { fd: self.fd, read: true, write: false, ready: false }];
            if sys::poll(&mut fds, Some(timeout)) == Ok(0) {
                return Err(sys::Errno::TIMEDOUT);
            }
        }
        loop {
            match sys::read(self.fd, &mut self.buf[self.end..]) {
                Ok(0) => {
                    self.eof = true;
                    return Ok(false);
                }
                Ok(n) => {
                    self.end += n;
                    return Ok(true);
                }
                Err(sys::Errno::INTR) => {}
                Err(e) => {
                    self.eof = true;
                    return Err(e);
                }
            }
        }
    }

    pub(crate) fn close(&mut self) {
        if self.owned {
            self.owned = false;
            let _ = sys::close(self.fd);
        }
    }
}
