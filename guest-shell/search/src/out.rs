//! Buffered standard output, and messages.

use sandshell_sys as sys;

/// Standard output. What is written after an error is dropped; the error is kept.
pub(crate) struct Out {
    buf: Vec<u8>,
    sink: Sink,
    error: Option<sys::Errno>,
    line_buffered: bool,
    /// How much is held back now.
    limit: usize,
}

/// Where output goes.
enum Sink {
    /// A descriptor; messages go to standard error.
    Plain(sys::Fd),
    /// A pipe to a process that writes it later: see [`frame`].
    Framed(sys::Fd),
    /// Memory, from which it is written later: see [`Out::replay`].
    Kept(Vec<u8>),
}

/// The kind of a frame that ends an answer. Others are of the descriptor's number that their bytes are for, 1 or 2.
pub(crate) const END: u8 = 0;

/// The bytes before what is in a frame: the first byte, and how much follows.
pub(crate) const HEAD: usize = 5;

/// A part of the output: its kind, its length in four bytes, itself.
pub(crate) fn frame(kind: u8, bytes: &[u8]) -> Vec<u8> {
    let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
    [&[kind][..], &length.to_le_bytes(), bytes].concat()
}

/// How much is held back at first: whoever reads it, and may want no more than that, is not kept waiting.
const FIRST: usize = 4 * 1024;
/// How much is held back at most; it doubles with each time.
const MOST: usize = 64 * 1024;

impl Out {
    pub(crate) fn stdout() -> Self {
        Self::to(1)
    }

    /// Buffered output to a descriptor, which stays open.
    pub(crate) fn to(fd: sys::Fd) -> Self {
        Self::with(Sink::Plain(fd))
    }

    /// Output and messages in frames to a descriptor.
    pub(crate) fn framed(fd: sys::Fd) -> Self {
        Self::with(Sink::Framed(fd))
    }

    /// Output and messages that are kept.
    pub(crate) fn kept() -> Self {
        Self::with(Sink::Kept(Vec::new()))
    }

    fn with(sink: Sink) -> Self {
        Self { buf: Vec::new(), sink, error: None, line_buffered: false, limit: FIRST }
    }

    /// The frames of output that was kept.
    pub(crate) fn into_frames(mut self) -> Vec<u8> {
        self.flush();
        match self.sink {
            Sink::Kept(frames) => frames,
            Sink::Plain(_) | Sink::Framed(_) => Vec::new(),
        }
    }

    /// Writes the next of these frames, if it is whole; what kind it is, and how long with its head.
    pub(crate) fn replay(&mut self, frames: &[u8]) -> Option<(u8, usize)> {
        let (&kind, rest) = frames.split_first()?;
        let (length, rest) = rest.split_first_chunk::<4>()?;
        let length = u32::from_le_bytes(*length) as usize;
        let bytes = rest.get(..length)?;
        match kind {
            1 => self.put(bytes),
            2 => self.error(bytes),
            _ => {}
        }
        Some((kind, HEAD + length))
    }

    /// Writes `program: text` and a newline to standard error, after what was put before.
    pub(crate) fn message(&mut self, program: &str, text: &[u8]) {
        self.error(&[program.as_bytes(), b": ", text, b"\n"].concat());
    }

    fn error(&mut self, line: &[u8]) {
        self.flush();
        let _ = match &mut self.sink {
            Sink::Plain(_) => sys::write_all(2, line),
            Sink::Framed(fd) => sys::write_all(*fd, &frame(2, line)),
            Sink::Kept(frames) => {
                frames.extend(frame(2, line));
                Ok(())
            }
        };
    }

    pub(crate) fn set_line_buffered(&mut self) {
        self.line_buffered = true;
    }

    pub(crate) fn put(&mut self, bytes: &[u8]) {
        self.buf.extend_from_slice(bytes);
        if self.buf.len() >= self.limit {
            self.flush();
            self.limit = (self.limit * 2).min(MOST);
        }
    }

    /// Ends a line: flushes it if lines are not to be held back.
    pub(crate) fn end_line(&mut self) {
        if self.line_buffered {
            self.flush();
        }
    }

    pub(crate) fn number(&mut self, mut n: u64, width: usize) {
        let mut digits = [b' '; 24];
        let mut at = digits.len();
        loop {
            at -= 1;
            digits[at] = b'0' + (n % 10) as u8;
            n /= 10;
            if n == 0 {
                break;
            }
        }
        let start = at.min(digits.len() - width.min(digits.len()));
        self.put(&digits[start..]);
    }

    pub(crate) fn flush(&mut self) {
        if self.error.is_none() && !self.buf.is_empty() {
            let written = match &mut self.sink {
                Sink::Plain(fd) => sys::write_all(*fd, &self.buf),
                Sink::Framed(fd) => sys::write_all(*fd, &frame(1, &self.buf)),
                Sink::Kept(frames) => {
                    frames.extend(frame(1, &self.buf));
                    Ok(())
                }
            };
            self.error = written.err();
        }
        self.buf.clear();
    }

    /// Flushes and tells the first error there was.
    pub(crate) fn finish(&mut self) -> Result<(), sys::Errno> {
        self.flush();
        self.error.map_or(Ok(()), Err)
    }
}

/// Writes `program: text` and a newline to standard error.
pub(crate) fn message(program: &str, text: &[u8]) {
    let line = [program.as_bytes(), b": ", text, b"\n"].concat();
    let _ = sys::write_all(2, &line);
}
