//! Lines of the history with their times, and how both are stored in a file.

use crate::history::Record;
use sandshell_sys as sys;
use std::ops::{Deref, DerefMut};

/// A line and when it was added.
#[derive(Debug, Clone, Default)]
pub(crate) struct Entry {
    pub(crate) line: Vec<u8>,
    /// Seconds since 1970, in the form of the file; `None` if no time was kept.
    pub(crate) time: Option<Box<[u8]>>,
}

impl Entry {
    /// A line with the current time.
    pub(crate) fn now(line: Vec<u8>, timed: bool) -> Self {
        let seconds = || Box::from((sys::realtime() / 1_000_000_000).to_string().as_bytes());
        Self { line, time: timed.then(seconds) }
    }

    /// Writes the entry as lines of a file. The time comes before the line, if there is one and it is wanted.
    pub(super) fn write(&self, timed: bool, out: &mut Vec<u8>) {
        if let Some(time) = self.time.as_ref().filter(|_| timed) {
            out.extend([b"#", &**time, b"\n"].concat());
        }
        out.extend_from_slice(&self.line);
        out.push(b'\n');
    }
}

impl Deref for Entry {
    type Target = Vec<u8>;

    fn deref(&self) -> &Vec<u8> {
        &self.line
    }
}

impl DerefMut for Entry {
    fn deref_mut(&mut self) -> &mut Vec<u8> {
        &mut self.line
    }
}

/// How to read a file.
pub(super) struct Reading {
    /// Whether times are kept even if the file does not begin with one.
    pub(super) timed: bool,
    /// Whether `HISTTIMEFORMAT` is set. If so and the file begins with a time, the lines between two times are one
    /// entry.
    pub(super) formatted: bool,
}

/// Reads the entries of a file after its first `skip` lines, and returns them with the number of its lines. Times do
/// not count as lines.
pub(super) fn read(data: &[u8], skip: usize, how: &Reading) -> (Vec<Entry>, usize) {
    let begins_timed = time_of(data).is_some();
    let timed = how.timed || begins_timed;
    let joined = how.formatted && begins_timed;
    let (mut entries, mut count, mut time) = (Vec::<Entry>::new(), 0, None);
    for line in data.strip_suffix(b"\n").unwrap_or(data).split(|b| *b == b'\n') {
        if let Some(found) = time_of(line).filter(|_| timed) {
            time = Some(Box::from(found));
            continue;
        }
        count += 1;
        if count <= skip {
            time = None;
            continue;
        }
        match entries.last_mut() {
            Some(entry) if joined && time.is_none() => {
                entry.line.push(b'\n');
                entry.line.extend_from_slice(line);
            }
            _ if line.is_empty() => {}
            _ if time.is_some() => entries.push(Entry { line: line.to_vec(), time: time.take() }),
            _ => entries.push(Entry::now(line.to_vec(), timed)),
        }
    }
    (entries, if data.is_empty() { 0 } else { count })
}

// The time in a line of a file, if the line is one.
fn time_of(line: &[u8]) -> Option<&[u8]> {
    let time = line.strip_prefix(b"#").filter(|t| t.first().is_some_and(u8::is_ascii_digit))?;
    time.split(|b| *b == b'\n').next()
}

/// Whether lines were added before a nested text was begun.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OuterText(bool);

impl Record {
    /// Begins a nested text (of `eval`, a sourced file, a trap). Its lines are not added unless it runs `set -o
    /// history`.
    pub(crate) fn enter_text(&mut self) -> OuterText {
        self.texts += 1;
        OuterText(std::mem::take(&mut self.adding))
    }

    /// Ends it. `kept` tells whether `set -o history` is on, which counts only for the outermost text.
    pub(crate) fn leave_text(&mut self, OuterText(adding): OuterText, kept: bool) {
        self.texts = self.texts.saturating_sub(1);
        self.adding = if self.texts == 0 { kept } else { adding };
    }
}
