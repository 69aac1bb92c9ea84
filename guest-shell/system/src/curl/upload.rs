//! What is sent as the body of a request.

use super::job::{Job, Resume};
use super::request::Length;
use super::{Failure, form};
use sandshell_sys::{self as sys, Errno, open_flags};

/// As much as is sent at once.
const ROOM: usize = 64 * 1024;

/// The body of a request. It can be sent again, unless it comes from a pipe.
pub(super) struct Body {
    source: Source,
    /// The type that it has by itself.
    pub(super) kind: Option<Vec<u8>>,
    /// How it is sent, before headers of the user's change it.
    pub(super) length: Length,
    /// For `Content-Range`: where the file begins that is sent, and its whole size.
    pub(super) part: Option<(u64, u64)>,
    sent: u64,
}

enum Source {
    Nothing,
    Text(Vec<u8>),
    File { fd: sys::Fd, from: u64 },
    Pipe,
}

const UNREAD: (i32, &[u8]) = (26, b"Failed to open/read local data from file/application");

impl Body {
    pub(super) fn none() -> Self {
        Self { source: Source::Nothing, kind: None, length: Length::None, part: None, sent: 0 }
    }

    /// The body that a job has for a URL.
    pub(super) fn of(job: &Job, upload: Option<&[u8]>) -> Result<Self, Failure> {
        if let Some(path) = upload {
            return Self::of_file(job, path);
        }
        if job.form_is_bad {
            return Err((UNREAD.0, UNREAD.1.to_vec()));
        }
        if !job.form.is_empty() {
            let (text, boundary) = form::body(&job.form);
            let kind = [b"multipart/form-data; boundary=", boundary.as_slice()].concat();
            return Ok(Self::of_text(text, Some(kind)));
        }
        match &job.data {
            Some(data) if !job.get => {
                Ok(Self::of_text(data.clone(), Some(b"application/x-www-form-urlencoded".to_vec())))
            }
            _ => Ok(Self::none()),
        }
    }

    fn of_text(text: Vec<u8>, kind: Option<Vec<u8>>) -> Self {
        let length = Length::Known(text.len() as u64);
        Self { source: Source::Text(text), kind, length, part: None, sent: 0 }
    }

    fn of_file(job: &Job, path: &[u8]) -> Result<Self, Failure> {
        let unread = |_| (UNREAD.0, UNREAD.1.to_vec());
        let fd = if matches!(path, b"-" | b".") {
            0
        } else {
            sys::open(path, open_flags::READ, 0).map_err(unread)?
        };
        let status = sys::fstat(fd).map_err(unread)?;
        if fd == 0 || !status.is_file() {
            return Ok(Self {
                source: Source::Pipe,
                kind: None,
                length: Length::Chunked,
                part: None,
                sent: 0,
            });
        }
        let from = match job.resume {
            Some(Resume::At(from)) => from.min(status.size),
            _ => 0,
        };
        let part = (from > 0).then_some((from, status.size));
        let length = Length::Known(status.size - from);
        let mut body = Self { source: Source::File { fd, from }, kind: None, length, part, sent: 0 };
        body.rewind()?;
        Ok(body)
    }

    /// How many bytes there are, as far as it is known.
    pub(super) fn size(&self) -> u64 {
        match self.length {
            Length::Known(size) => size,
            Length::None | Length::Chunked => 0,
        }
    }

    /// Whether it is sent together with the head: short texts are.
    pub(super) fn is_text(&self) -> bool {
        matches!(self.source, Source::Text(_))
    }

    pub(super) fn is_form(&self) -> bool {
        self.kind.as_ref().is_some_and(|kind| kind.starts_with(b"multipart/"))
    }

    /// Begins again.
    ///
    /// # Errors
    /// If it came from a pipe and was begun.
    pub(super) fn rewind(&mut self) -> Result<(), Failure> {
        let again = || (65, b"necessary data rewind wasn't possible".to_vec());
        match &self.source {
            Source::Pipe if self.sent > 0 => return Err(again()),
            Source::File { fd, from } => {
                let from = i64::try_from(*from).unwrap_or(i64::MAX);
                sys::lseek(*fd, from, 0).map_err(|_| again())?;
            }
            _ => {}
        }
        self.sent = 0;
        Ok(())
    }

    /// The next piece; empty at the end.
    pub(super) fn next(&mut self) -> Result<Vec<u8>, Failure> {
        let piece = match &self.source {
            Source::Nothing => Vec::new(),
            Source::Text(text) => {
                let from = usize::try_from(self.sent).unwrap_or(usize::MAX).min(text.len());
                let rest = text.get(from..).unwrap_or_default();
                rest.get(..ROOM).unwrap_or(rest).to_vec()
            }
            Source::File { fd, .. } => {
                // The file may have grown meanwhile; no more is sent than was said.
                let left = self.size().saturating_sub(self.sent);
                let mut piece = vec![0; usize::try_from(left).unwrap_or(ROOM).min(ROOM)];
                let count = read(*fd, &mut piece)?;
                piece.truncate(count);
                piece
            }
            Source::Pipe => {
                let mut piece = vec![0; ROOM];
                let count = read(0, &mut piece)?;
                piece.truncate(count);
                piece
            }
        };
        self.sent += piece.len() as u64;
        Ok(piece)
    }
}

fn read(fd: sys::Fd, buffer: &mut [u8]) -> Result<usize, Failure> {
    loop {
        match sys::read(fd, buffer) {
            Err(Errno::INTR) => {}
            other => return other.map_err(|_| (UNREAD.0, UNREAD.1.to_vec())),
        }
    }
}
