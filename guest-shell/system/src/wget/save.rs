//! The file that a document is saved in.

use super::options::Job;
use super::place::Place;
use sandshell_cli::out;
use sandshell_sys::{self as sys, Fd, open_flags};

/// An open file for a document, or standard output.
pub(super) struct File {
    fd: Option<Fd>,
    /// Its name in messages.
    pub(super) name: Vec<u8>,
    pub(super) is_stdout: bool,
    /// Whether it is the file of `-O`, which all documents share.
    is_shared: bool,
}

/// The name of the file for a document, before it is made sure that there is none of that name.
pub(super) fn name(job: &Job, place: &Place, given: Option<Vec<u8>>) -> Vec<u8> {
    if let Some(document) = &job.document {
        return document.clone();
    }
    let base = given.unwrap_or_else(|| place.file_name());
    match &job.prefix {
        Some(dir) => [dir.as_slice(), b"/", &base].concat(),
        None => base,
    }
}

/// The first of `NAME`, `NAME.1`, `NAME.2` … that is not there.
pub(super) fn free(name: &[u8]) -> Vec<u8> {
    let exists = |path: &[u8]| sys::stat(path, true).is_ok();
    if !exists(name) {
        return name.to_vec();
    }
    let numbered = |n| [name, format!(".{n}").as_bytes()].concat();
    (1..10_000u32).map(numbered).find(|path| !exists(path)).unwrap_or_else(|| name.to_vec())
}

/// The last part of the name in `Content-Disposition`: no server chooses a directory.
pub(super) fn given(value: &[u8]) -> Option<Vec<u8>> {
    crate::curl::file_name(value)
}

impl File {
    /// No file, for what has no content.
    pub(super) fn none(name: Vec<u8>) -> Self {
        Self { fd: None, name, is_stdout: false, is_shared: true }
    }

    /// Opens the file; with `appends` what is in it stays.
    ///
    /// # Errors
    /// As `open(2)`.
    pub(super) fn open(job: &Job, name: Vec<u8>, appends: bool) -> sys::Result<Self> {
        let is_shared = job.document.is_some();
        if is_shared && name == b"-" {
            return Ok(Self { fd: None, name, is_stdout: true, is_shared });
        }
        if let Some(dir) = job.prefix.as_ref().filter(|_| !is_shared) {
            for (at, _) in dir.iter().enumerate().filter(|(at, b)| **b == b'/' && *at > 0) {
                let _ = sys::mkdir(dir.get(..at).unwrap_or_default(), 0o777);
            }
            let _ = sys::mkdir(dir, 0o777);
        }
        // The file of `-O` was emptied at the beginning; each document goes to its end.
        let mode = if is_shared || appends { open_flags::APPEND } else { open_flags::TRUNC };
        let fd = sys::open(&name, open_flags::WRITE | open_flags::CREATE | mode, 0o666)?;
        Ok(Self { fd: Some(fd), name, is_stdout: false, is_shared })
    }

    /// Writes a piece.
    ///
    /// # Errors
    /// As `write(2)`.
    pub(super) fn write(&self, data: &[u8]) -> sys::Result<()> {
        match self.fd {
            Some(fd) => sys::write_all(fd, data),
            None => {
                out::put(data);
                out::flush();
                out::failure().map_or(Ok(()), Err)
            }
        }
    }

    /// Closes the file, and gives it the time that the document has.
    pub(super) fn close(self, modified: Option<i64>) {
        let Some(fd) = self.fd else { return };
        let _ = sys::close(fd);
        if let Some(time) = modified.filter(|_| !self.is_shared) {
            let _ = sys::utimens(&self.name, sys::SetTime::At(time, 0), sys::SetTime::At(time, 0), true);
        }
    }
}
