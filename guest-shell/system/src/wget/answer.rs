//! One exchange: a request is sent, and the head of the answer read.

use crate::http::Reader;
use crate::http::body::Chunks;
use crate::http::head::{self, Lines, Status};
use crate::net::Deadline;
use sandshell_sys::{self as sys, Errno};

/// The most interim heads before the answer.
const MANY: usize = 100;

/// The head of an answer.
pub(super) struct Answer {
    pub(super) status: Status,
    /// All lines, without their ends.
    pub(super) lines: Vec<Vec<u8>>,
    pub(super) keeps: bool,
    framing: Framing,
}

enum Framing {
    Unknown,
    Length(u64),
    Chunked,
}

/// Why there is no answer.
pub(super) enum Lost {
    /// The connection ended before the first byte.
    Nothing,
    Read(Errno),
    /// What came is no answer, or one without bounds.
    Malformed,
}

impl Answer {
    /// The value of the first field of this name.
    pub(super) fn value(&self, name: &str) -> Option<&[u8]> {
        self.values(name).next()
    }

    pub(super) fn values(&self, name: &str) -> impl Iterator<Item = &[u8]> {
        self.lines.iter().skip(1).filter_map(move |line| {
            let (found, value) = head::field(line).ok()?;
            found.eq_ignore_ascii_case(name.as_bytes()).then_some(value)
        })
    }

    /// How long the body is, if it is said.
    pub(super) fn length(&self) -> Option<u64> {
        match self.framing {
            Framing::Length(size) => Some(size),
            _ => None,
        }
    }

    pub(super) fn has_body(&self, method: &[u8]) -> bool {
        method != b"HEAD" && !matches!(self.status.code, 100..=199 | 204 | 304)
    }
}

/// Reads a head. What does not begin as one is a document without one.
pub(super) fn read(reader: &mut Reader, until: Deadline) -> Result<Answer, Lost> {
    for _ in 0..MANY {
        let answer = one(reader, until)?;
        if !(100..200).contains(&answer.status.code) {
            return Ok(answer);
        }
    }
    Err(Lost::Malformed)
}

fn one(reader: &mut Reader, until: Deadline) -> Result<Answer, Lost> {
    let mut lines = Lines::default();
    let mut all: Vec<Vec<u8>> = Vec::new();
    loop {
        if reader.there().is_empty() {
            match reader.fill(until) {
                Ok(0) if all.is_empty() && lines.begun().is_empty() => return Err(Lost::Nothing),
                Ok(0) => break,
                Ok(_) => {}
                Err(e) => return Err(Lost::Read(e)),
            }
        }
        if all.is_empty() && lines.begun().is_empty() && !head::may_begin(reader.there()) {
            let reason = b"No headers, assuming HTTP/0.9".to_vec();
            let status = Status { version: (0, 9), code: 200, reason };
            return Ok(Answer { status, lines: Vec::new(), keeps: false, framing: Framing::Unknown });
        }
        let (taken, line) = lines.feed(reader.there()).map_err(|_| Lost::Malformed)?;
        reader.consume(taken);
        let Some(mut line) = line else { continue };
        lines.check().map_err(|_| Lost::Malformed)?;
        line.pop();
        if line.ends_with(b"\r") {
            line.pop();
        }
        if line.is_empty() {
            break;
        }
        all.push(line);
    }
    let first = all.first().ok_or(Lost::Malformed)?;
    let status = head::status(first).map_err(|_| Lost::Malformed)?;
    let mut answer = Answer { status, lines: all, keeps: false, framing: Framing::Unknown };
    answer.framing = framing(&answer);
    let is_old = answer.status.version < (1, 1);
    let says = |word: &str| answer.values("Connection").any(|value| head::lists(value, word));
    answer.keeps = if is_old { says("keep-alive") } else { !says("close") };
    Ok(answer)
}

fn framing(answer: &Answer) -> Framing {
    if answer.values("Transfer-Encoding").any(|value| head::lists(value, "chunked")) {
        return Framing::Chunked;
    }
    match answer.value("Content-Length").map(head::content_length) {
        Some(Ok(Some(size))) => Framing::Length(size),
        _ => Framing::Unknown,
    }
}

/// Reads the body of an answer, piece by piece.
pub(super) struct Body {
    left: Option<u64>,
    chunks: Option<Chunks>,
}

/// How a body ended before its end.
pub(super) enum Cut {
    Closed,
    Failed(Errno),
}

impl Body {
    pub(super) fn of(answer: &Answer) -> Self {
        let chunks = matches!(answer.framing, Framing::Chunked).then(Chunks::new);
        Self { left: answer.length(), chunks }
    }

    /// Passes the next piece on. False at the end.
    pub(super) fn next(
        &mut self,
        reader: &mut Reader,
        until: Deadline,
        take: impl FnOnce(&[u8]) -> sys::Result<()>,
    ) -> Result<bool, Cut> {
        if self.left == Some(0) || self.chunks.as_ref().is_some_and(Chunks::is_done) {
            return Ok(false);
        }
        if reader.there().is_empty() {
            match reader.fill(until) {
                // Only a length tells that something is missing: wget takes chunks as they come.
                Ok(0) if self.left.is_none() => return Ok(false),
                Ok(0) => return Err(Cut::Closed),
                Ok(_) => {}
                Err(e) => return Err(Cut::Failed(e)),
            }
        }
        let there = reader.there();
        let (taken, content) = match (&mut self.chunks, self.left) {
            (Some(chunks), _) => match chunks.feed(there) {
                Ok(found) => found,
                Err(_) => return Ok(false),
            },
            (None, left) => {
                let most = left.map_or(usize::MAX, |left| usize::try_from(left).unwrap_or(usize::MAX));
                let take = most.min(there.len());
                (take, 0..take)
            }
        };
        take(there.get(content).unwrap_or_default()).map_err(Cut::Failed)?;
        self.left = self.left.map(|left| left - taken as u64);
        reader.consume(taken);
        Ok(true)
    }
}
