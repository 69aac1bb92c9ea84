//! What lasts from one transfer to the next: connections, cookies, files of heads.

use super::cookies::Jar;
use super::job::Job;
use super::pool::Pool;
use crate::base::say;
use sandshell_sys::{self as sys, open_flags};
use std::cell::Cell;

/// What the transfers of a run share.
#[derive(Default)]
pub(super) struct Session {
    pub(super) pool: Pool,
    pub(super) jar: Jar,
    /// Files of `-D` that were begun.
    dumps: Vec<(Vec<u8>, sys::Fd)>,
}

impl Session {
    /// The descriptor of a file for heads, which is emptied when it is opened first.
    ///
    /// # Errors
    /// As `open(2)`.
    pub(super) fn dump(&mut self, path: &[u8]) -> sys::Result<sys::Fd> {
        if let Some((_, fd)) = self.dumps.iter().find(|(known, _)| known == path) {
            return Ok(*fd);
        }
        let flags = open_flags::WRITE | open_flags::CREATE | open_flags::TRUNC;
        let fd = sys::open(path, flags, 0o666)?;
        self.dumps.push((path.to_vec(), fd));
        Ok(fd)
    }
}

/// What `-v` says.
pub(super) struct Trace {
    on: bool,
    /// Whether amounts of data are told.
    amounts: bool,
    /// The direction of the data that was told last, if nothing else was said since then.
    last: Cell<Option<u8>>,
}

impl Trace {
    pub(super) fn new(job: &Job, to_terminal: bool) -> Self {
        Self { on: job.verbose, amounts: !to_terminal, last: Cell::new(None) }
    }

    fn line(&self, mark: u8, text: &[u8]) {
        if self.on {
            self.last.set(None);
            say::beside([&[mark, b' '], text, b"\n"].concat());
        }
    }

    /// What is done.
    pub(super) fn note(&self, text: impl AsRef<[u8]>) {
        self.line(b'*', text.as_ref());
    }

    /// The head of a request.
    pub(super) fn request(&self, head: &[u8]) {
        if !self.on {
            return;
        }
        self.last.set(None);
        let mut text = Vec::new();
        for line in head.split_inclusive(|b| *b == b'\n') {
            text.extend_from_slice(b"> ");
            text.extend_from_slice(line);
        }
        say::beside(text);
    }

    /// A line of an answer's head.
    pub(super) fn answer(&self, line: &[u8]) {
        self.line(b'<', line.strip_suffix(b"\n").unwrap_or(line));
    }

    fn data(&self, mark: u8, count: usize) {
        if self.on && self.amounts && count > 0 && self.last.get() != Some(mark) {
            say::beside(format!("{} [{count} bytes data]\n", char::from(mark)));
            self.last.set(Some(mark));
        }
    }

    /// Data was sent.
    pub(super) fn sent(&self, count: usize) {
        self.data(b'}', count);
    }

    /// Data was received.
    pub(super) fn received(&self, count: usize) {
        self.data(b'{', count);
    }
}
