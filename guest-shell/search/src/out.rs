//! Buffered standard output, and messages.

use sandshell_sys as sys;

/// Buffered standard output. After an error, the error is kept and all further output is dropped.
pub(crate) struct Out {
    buf: Vec<u8>,
    sink: Sink,
    error: Option<sys::Errno>,
    line_buffered: bool,
    /// How many bytes are buffered before they are written.
    limit: usize,
}

/// Where output goes.
enum Sink {
    /// A descriptor. Messages go to standard error.
    Plain(sys::Fd),
    /// A pipe to a process that writes the output later: see [`frame`].
    Framed(sys::Fd),
    /// A buffer whose content is written later: see [`Out::replay`].
    Kept(Vec<u8>),
}

/// The kind of the frame that ends an answer. The kind of all other frames is the descriptor that their bytes are for,
/// 1 or 2.
pub(crate) const END: u8 = 0;

/// The size of a frame's header: one byte for the kind, four for the length.
pub(crate) const HEAD: usize = 5;

/// Builds a frame: its kind, its length in four bytes, and the bytes.
pub(crate) fn frame(kind: u8, bytes: &[u8]) -> Vec<u8> {
    let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
    [&[kind][..], &length.to_le_bytes(), bytes].concat()
}

/// The first buffer size. It is small, so that a reader who only wants the first lines need not wait.
const FIRST: usize = 4 * 1024;
/// The largest buffer size. The size doubles with each write.
const MOST: usize = 64 * 1024;

impl Out {
    pub(crate) fn stdout() -> Self {
        Self::to(1)
    }

    /// Buffered output to a descriptor, which is not closed.
    pub(crate) fn to(fd: sys::Fd) -> Self {
        Self::with(Sink::Plain(fd))
    }

    /// Output and messages as frames to a descriptor.
    pub(crate) fn framed(fd: sys::Fd) -> Self {
        Self::with(Sink::Framed(fd))
    }

    /// Output and messages kept in memory.
    pub(crate) fn buffered() -> Self {
        Self::with(Sink::Kept(Vec::new()))
    }

    fn with(sink: Sink) -> Self {
        Self { buf: Vec::new(), sink, error: None, line_buffered: false, limit: FIRST }
    }

    /// The frames kept in memory.
    pub(crate) fn into_frames(mut self) -> Vec<u8> {
        self.flush();
        match self.sink {
            Sink::Kept(frames) => frames,
            Sink::Plain(_) | Sink::Framed(_) => Vec::new(),
        }
    }

    /// Writes the first of these frames, if it is complete. Returns its kind, and its length with the header.
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

    /// Writes `program: text` and a newline to standard error, after flushing the output.
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

    /// Ends a line. Flushes it if output is line-buffered.
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

    /// Flushes, and returns the first error that occurred.
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
