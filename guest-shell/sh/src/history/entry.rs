//! Lines of the history, the times they were added at, and both as a file has them.

use crate::history::Record;
use sandshell_sys as sys;
use std::ops::{Deref, DerefMut};

/// A line and when it was added.
#[derive(Debug, Clone, Default)]
pub(crate) struct Entry {
    pub(crate) line: Vec<u8>,
    /// Seconds since 1970, as a file may have them; `None` where no times were kept.
    pub(crate) time: Option<Box<[u8]>>,
}

impl Entry {
    /// A line of this moment.
    pub(crate) fn now(line: Vec<u8>, timed: bool) -> Self {
        let seconds = || Box::from((sys::realtime() / 1_000_000_000).to_string().as_bytes());
        Self { line, time: timed.then(seconds) }
    }

    /// As the lines of a file, the time (if any, and wanted) before the line.
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

/// How a file is read.
pub(super) struct Reading {
    /// Times are kept, whatever the file begins with.
    pub(super) timed: bool,
    /// `HISTTIMEFORMAT` is set: in a file that begins with a time, what stands between two times is one entry.
    pub(super) formatted: bool,
}

/// The entries of a file but those of its first `skip` lines, and how many lines it has. Times are not counted as lines.
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

// The time that a line of a file is.
fn time_of(line: &[u8]) -> Option<&[u8]> {
    let time = line.strip_prefix(b"#").filter(|t| t.first().is_some_and(u8::is_ascii_digit))?;
    time.split(|b| *b == b'\n').next()
}

/// What was so before a text is read whose lines are no part of the history.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Outside(bool);

impl Record {
    /// Begins a text (of `eval`, of a sourced file, of a trap): its lines are not added unless it says `set -o history`.
    pub(crate) fn enter_text(&mut self) -> Outside {
        self.texts += 1;
        Outside(std::mem::take(&mut self.adding))
    }

    /// Ends it; `kept` says whether `set -o history` is on. A text that stands in another one changes nothing for that.
    pub(crate) fn leave_text(&mut self, Outside(adding): Outside, kept: bool) {
        self.texts = self.texts.saturating_sub(1);
        self.adding = if self.texts == 0 { kept } else { adding };
    }
}
