//! Buffered standard output, and messages.

use sandshell_sys as sys;

/// Standard output. What is written after an error is dropped; the error is kept.
pub(crate) struct Out {
    buf: Vec<u8>,
    fd: sys::Fd,
    error: Option<sys::Errno>,
    line_buffered: bool,
    /// How much is held back now.
    limit: usize,
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
        Self { buf: Vec::new(), fd, error: None, line_buffered: false, limit: FIRST }
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
        if self.error.is_none()
            && let Err(e) = sys::write_all(self.fd, &self.buf)
        {
            self.error = Some(e);
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

/// Concatenates what messages are made of.
#[macro_export]
#[doc(hidden)]
macro_rules! bytes {
    ($($part:expr),* $(,)?) => {{
        let mut all: Vec<u8> = Vec::new();
        $( all.extend_from_slice(AsRef::<[u8]>::as_ref(&$part)); )*
        all
    }};
}
