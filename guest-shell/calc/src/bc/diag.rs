//! Errors and warnings about the program's text.

use crate::out::{Out, say};

/// The position in the program, and the handling of POSIX extensions.
pub(crate) struct Place {
    pub(crate) file: Vec<u8>,
    pub(crate) line: usize,
    /// `-s`: extensions are errors.
    pub(crate) standard: bool,
    /// `-w`: extensions are warned about.
    pub(crate) warn: bool,
    /// There was an error, so the code read so far must not run.
    pub(crate) had_error: bool,
}

impl Place {
    pub(crate) fn error(&mut self, text: &[u8], out: &mut Out) {
        self.had_error = true;
        self.report(b"", text, out);
    }

    /// Reports the use of a POSIX extension.
    pub(crate) fn warn(&mut self, text: &[u8], out: &mut Out) {
        if self.standard {
            self.had_error = true;
            self.report(b"Error: ", text, out);
        } else if self.warn {
            self.report(b"(Warning) ", text, out);
        }
    }

    pub(crate) fn illegal(&mut self, c: u8, out: &mut Out) {
        let shown = match c {
            0..32 => vec![b'^', c + b'@'],
            127.. => format!("\\{c:03o}").into_bytes(),
            _ => vec![c],
        };
        self.error(&[b"illegal character: ", shown.as_slice()].concat(), out);
    }

    fn report(&self, kind: &[u8], text: &[u8], out: &mut Out) {
        out.flush();
        let line = self.line.to_string();
        say(&[self.file.as_slice(), b" ", line.as_bytes(), b": ", kind, text, b"\n"].concat());
    }
}
