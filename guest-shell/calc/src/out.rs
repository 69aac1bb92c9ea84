//! Buffered standard output, in which long numbers are wrapped.

use sandshell_sys as sys;

const LIMIT: usize = 64 * 1024;

/// Standard output of a calculator.
pub(crate) struct Out {
    buf: Vec<u8>,
    column: usize,
    /// The length of a line including its newline. 0 disables wrapping.
    width: usize,
    failed: bool,
    terminal: bool,
}

impl Out {
    /// `width` is the value of `BC_LINE_LENGTH` or `DC_LINE_LENGTH`.
    pub(crate) fn new(width: usize) -> Self {
        Self { buf: Vec::new(), column: 0, width, failed: false, terminal: sys::isatty(1) }
    }

    /// Writes text as it is, without counting columns.
    pub(crate) fn raw(&mut self, text: &[u8]) {
        self.buf.extend_from_slice(text);
        if self.buf.len() >= LIMIT || (self.terminal && text.contains(&b'\n')) {
            self.flush();
        }
    }

    /// Writes text. At the width, lines are broken with a backslash.
    pub(crate) fn wrapped(&mut self, text: &[u8]) {
        for b in text {
            if *b == b'\n' {
                self.column = 0;
            } else {
                self.column += 1;
                if self.width > 0 && self.column == self.width - 1 {
                    self.buf.extend_from_slice(b"\\\n");
                    self.column = 1;
                }
            }
            self.buf.push(*b);
        }
        if self.buf.len() >= LIMIT || (self.terminal && text.contains(&b'\n')) {
            self.flush();
        }
    }

    /// Restarts the column count.
    pub(crate) fn reset_column(&mut self) {
        self.column = 0;
    }

    pub(crate) fn flush(&mut self) {
        if !self.failed && sys::write_all(1, &self.buf).is_err() {
            self.failed = true;
        }
        self.buf.clear();
    }

    /// Flushes the output. Returns whether everything could be written.
    pub(crate) fn finish(&mut self) -> bool {
        self.flush();
        !self.failed
    }
}

/// Writes to standard error.
pub(crate) fn say(text: &[u8]) {
    let _ = sys::write_all(2, text);
}

/// The line length in an environment variable: 70 if it is not set, and `other` if it is not a number.
pub(crate) fn line_length(variable: &str, other: usize) -> usize {
    let Some(value) = std::env::var_os(variable) else { return 70 };
    let text = value.to_string_lossy();
    let text = text.trim_start();
    if text.starts_with('-') {
        return 70;
    }
    let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap_or(other)
}
