//! Reads the input files one after the other as values.

use crate::reader::{Flags, ParseError, Reader};
use crate::text::Text;
use crate::value::Val;
use sandshell_sys as sys;
use std::collections::VecDeque;

/// The source of input values.
pub(crate) struct Input {
    source: Source,
    mode: Mode,
    slurp: bool,
    /// Whether the slurped value has been returned.
    slurped: bool,
}

enum Mode {
    Json(Box<Reader>),
    /// `-R`: the buffer and the position in it.
    Raw(Vec<u8>, usize),
}

/// The input files. An empty list means standard input.
struct Source {
    files: VecDeque<Vec<u8>>,
    fd: Option<sys::Fd>,
    name: Option<Vec<u8>>,
    failures: u32,
    /// An error that is reported when the next file is opened.
    error: Option<sys::Errno>,
    /// The number of newlines in earlier buffers, and the number of bytes after the last of them.
    before: (u64, usize),
    ended: bool,
    /// A text that replaces standard input.
    given: Option<Vec<u8>>,
}

const CHUNK: usize = 64 * 1024;
/// jq reads lines in pieces of at most this many bytes. The line numbers in messages depend on that.
const PIECE: usize = 4095;

impl Input {
    pub(crate) fn new(files: Vec<Vec<u8>>, raw: bool, slurp: bool, flags: Flags) -> Self {
        let files = if files.is_empty() { vec![b"-".to_vec()] } else { files };
        let source = Source {
            files: files.into(),
            fd: None,
            name: None,
            failures: 0,
            error: None,
            before: (0, 0),
            ended: false,
            given: None,
        };
        let mode = if raw { Mode::Raw(Vec::new(), 0) } else { Mode::Json(Box::new(Reader::new(flags))) };
        Self { source, mode, slurp, slurped: false }
    }

    /// Uses this text instead of standard input.
    pub(crate) fn give(&mut self, text: Vec<u8>) {
        self.source.given = Some(text);
    }

    /// The number of files that could not be read.
    pub(crate) fn failures(&self) -> u32 {
        self.source.failures
    }

    /// The next input value.
    pub(crate) fn next(&mut self) -> Result<Option<Val>, ParseError> {
        if self.slurped || self.source.ended && !self.slurp && self.is_drained() {
            self.source.close();
            return Ok(None);
        }
        let Self { source, mode, slurp, slurped } = self;
        match mode {
            Mode::Json(reader) if *slurp => {
                let mut all = Vec::new();
                while let Some(v) = reader.next(&mut |buf| source.fill(buf))? {
                    all.push(v);
                }
                *slurped = true;
                Ok(Some(Val::arr(all)))
            }
            Mode::Json(reader) => reader.next(&mut |buf| source.fill(buf)),
            Mode::Raw(buf, _) if *slurp => {
                let mut all = Vec::new();
                loop {
                    buf.clear();
                    if !source.fill(buf) {
                        break;
                    }
                    all.append(buf);
                }
                *slurped = true;
                Ok(Some(Val::Str(Text::lossy(&all))))
            }
            Mode::Raw(buf, pos) => Ok(raw_line(source, buf, pos).map(Val::Str)),
        }
    }

    /// The name of the file being read.
    pub(crate) fn file_name(&self) -> Option<&[u8]> {
        self.source.name.as_deref()
    }

    /// `FILE:LINE`, for messages.
    pub(crate) fn position(&mut self) -> String {
        match self.source.name.clone() {
            None => "<unknown>".to_owned(),
            Some(name) => format!("{}:{}", String::from_utf8_lossy(&name), self.line()),
        }
    }

    /// The number of lines that jq would have read so far.
    pub(crate) fn line(&mut self) -> u64 {
        let Self { source, mode, .. } = self;
        let (buf, pos) = match mode {
            Mode::Json(reader) => reader.buffer(),
            Mode::Raw(buf, pos) => (buf, *pos),
        };
        source.line(buf, pos)
    }

    fn is_drained(&mut self) -> bool {
        match &mut self.mode {
            Mode::Json(reader) => {
                let (buf, pos) = reader.buffer();
                pos >= buf.len()
            }
            Mode::Raw(buf, pos) => *pos >= buf.len(),
        }
    }
}

fn raw_line(source: &mut Source, buf: &mut Vec<u8>, pos: &mut usize) -> Option<Text> {
    let mut line: Option<Vec<u8>> = None;
    loop {
        let rest = buf.get(*pos..).unwrap_or_default();
        if rest.is_empty() {
            *pos = 0;
            source.account(buf);
            buf.clear();
            if !source.fill(buf) {
                return line.map(|l| Text::lossy(&l));
            }
            continue;
        }
        let end = rest.iter().position(|b| *b == b'\n');
        let piece = &rest[..end.unwrap_or(rest.len())];
        *pos += piece.len() + usize::from(end.is_some());
        match (&mut line, end) {
            (None, Some(_)) => return Some(Text::lossy(piece)),
            (Some(l), _) => l.extend_from_slice(piece),
            (None, None) => line = Some(piece.to_vec()),
        }
        if end.is_some() {
            return line.map(|l| Text::lossy(&l));
        }
    }
}

impl Source {
    /// Replaces the contents of the buffer by the next bytes. Returns false at the end of all files.
    fn fill(&mut self, buf: &mut Vec<u8>) -> bool {
        self.account(buf);
        buf.clear();
        loop {
            let Some(fd) = self.fd else {
                if !self.open_next() {
                    self.ended = true;
                    return false;
                }
                continue;
            };
            match self.read(fd, buf) {
                Some(0) if self.files.is_empty() => {
                    self.ended = true;
                    return false;
                }
                Some(0) | None => self.close(),
                Some(_) => return true,
            }
        }
    }

    /// Appends the result of one read. `None` after an error.
    fn read(&mut self, fd: sys::Fd, buf: &mut Vec<u8>) -> Option<usize> {
        if fd == 0
            && let Some(text) = &mut self.given
        {
            let n = text.len();
            buf.append(text);
            return Some(n);
        }
        let old = buf.len();
        buf.resize(old + CHUNK, 0);
        let result = loop {
            match sys::read(fd, &mut buf[old..]) {
                Err(sys::Errno::INTR) => {}
                other => break other,
            }
        };
        buf.truncate(old + *result.as_ref().unwrap_or(&0));
        result
            .map_err(|e| {
                self.failures += 1;
                self.error = Some(e);
            })
            .ok()
    }

    fn open_next(&mut self) -> bool {
        let Some(name) = self.files.pop_front() else { return false };
        if let Some(e) = self.error.take() {
            message(&format!("jq: error: {e}"));
        }
        self.before = (0, 0);
        if name == b"-" {
            self.fd = Some(0);
            self.name = Some(b"<stdin>".to_vec());
            return true;
        }
        match sys::open(&name, sys::open_flags::READ, 0) {
            Ok(fd) => {
                self.fd = Some(fd);
                self.name = Some(name);
            }
            Err(e) => {
                self.failures += 1;
                message(&format!("jq: error: Could not open file {}: {e}", String::from_utf8_lossy(&name)));
                self.name = Some(name);
            }
        }
        true
    }

    fn close(&mut self) {
        if let Some(fd) = self.fd.take()
            && fd > 0
        {
            let _ = sys::close(fd);
        }
        self.name = None;
    }

    fn account(&mut self, buf: &[u8]) {
        let newlines = buf.iter().filter(|b| **b == b'\n').count() as u64;
        let tail = buf.iter().rposition(|b| *b == b'\n');
        self.before = match tail {
            Some(at) => (self.before.0 + newlines, buf.len() - at - 1),
            None => (self.before.0, self.before.1 + buf.len()),
        };
    }

    /// The number of lines up to `pos`. The current line counts if its end is in the same piece.
    fn line(&mut self, buf: &mut Vec<u8>, pos: usize) -> u64 {
        let read = buf.get(..pos).unwrap_or_default();
        let newlines = self.before.0 + read.iter().filter(|b| **b == b'\n').count() as u64;
        let column = match read.iter().rposition(|b| *b == b'\n') {
            Some(at) => pos - at - 1,
            None => self.before.1 + pos,
        };
        if column == 0 {
            return newlines;
        }
        let piece_end = column.div_ceil(PIECE) * PIECE;
        let limit = pos + piece_end - column;
        while buf.len() < limit
            && !buf.get(pos..).unwrap_or_default().contains(&b'\n')
            && let Some(fd) = self.fd
            && self.read(fd, buf).is_some_and(|n| n > 0)
        {}
        let ahead = buf.get(pos..limit.min(buf.len())).unwrap_or_default();
        newlines + u64::from(ahead.contains(&b'\n'))
    }
}

/// Writes a line to standard error.
pub(crate) fn message(text: &str) {
    let _ = sys::write_all(2, format!("{text}\n").as_bytes());
}

/// A name as a path.
pub(crate) fn path(bytes: &[u8]) -> std::path::PathBuf {
    String::from_utf8_lossy(bytes).into_owned().into()
}

/// The system's text for an error, without what Rust adds.
pub(crate) fn reason(e: &std::io::Error) -> String {
    let text = e.to_string();
    match text.find(" (os error") {
        Some(at) => text[..at].to_owned(),
        None => text,
    }
}
