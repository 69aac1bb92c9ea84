//! Splits a file into lines and pages.

use sandshell_cli::input::Input;
use sandshell_sys as sys;

const FORM_FEED: u8 = 12;

/// What ended a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum End {
    Newline,
    PageBreak,
    File,
}

/// Whether more of a file may be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Flow {
    Open,
    /// Only after the next page begins.
    Paused,
    Exhausted,
}

/// A file that is read line by line.
pub(super) struct Source {
    pub(super) name: Vec<u8>,
    pub(super) flow: Flow,
    /// The last page that was full when this file was read.
    pub(super) filled: u64,
    input: Input,
    unread: Option<u8>,
}

impl Source {
    pub(super) fn new(name: &[u8], input: Input) -> Self {
        Self { name: name.to_vec(), flow: Flow::Open, filled: 0, input, unread: None }
    }

    pub(super) fn fd(&self) -> sys::Fd {
        self.input.fd()
    }

    /// Reads a line and passes its bytes to `take`. Returns whether there was a line (an empty line counts, but nothing
    /// between two page breaks does), and how it ended. This also sets `flow`.
    ///
    /// With `after_full`, a form feed at the start of the line is skipped, as a full page has just ended.
    pub(super) fn line(&mut self, after_full: bool, mut take: impl FnMut(u8)) -> sys::Result<(bool, End)> {
        let mut byte = self.byte()?;
        if after_full && byte == Some(FORM_FEED) {
            self.skip_newline()?;
            byte = self.byte()?;
        }
        let mut text = false;
        let end = loop {
            match byte {
                None => break End::File,
                Some(b'\n') => {
                    text = true;
                    break End::Newline;
                }
                Some(FORM_FEED) => {
                    self.skip_newline()?;
                    break End::PageBreak;
                }
                Some(other) => take(other),
            }
            text = true;
            byte = self.byte()?;
        };
        self.flow = match end {
            End::Newline => Flow::Open,
            End::PageBreak => Flow::Paused,
            End::File => Flow::Exhausted,
        };
        Ok((text, end))
    }

    /// Begins a new page.
    pub(super) fn resume(&mut self) {
        if self.flow == Flow::Paused {
            self.flow = Flow::Open;
        }
    }

    /// A newline directly after a form feed belongs to it.
    fn skip_newline(&mut self) -> sys::Result<()> {
        let byte = self.byte()?;
        self.unread = byte.filter(|b| *b != b'\n');
        Ok(())
    }

    fn byte(&mut self) -> sys::Result<Option<u8>> {
        match self.unread.take() {
            Some(byte) => Ok(Some(byte)),
            None => self.input.byte(),
        }
    }
}
