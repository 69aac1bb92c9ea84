//! A file as lines and page breaks.

use sandshell_cli::input::Input;
use sandshell_sys as sys;

const FORM_FEED: u8 = 12;

/// What came after a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum End {
    Newline,
    PageBreak,
    File,
}

/// What may be read of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Flow {
    Open,
    /// Nothing until the next page.
    Paused,
    Exhausted,
}

/// A file that is read line by line.
pub(super) struct Source {
    pub(super) name: Vec<u8>,
    pub(super) flow: Flow,
    /// The last page that this file has filled to its last row.
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

    /// Reads a line, whose bytes are given to `take`. Answers whether there was one (an empty one counts, but nothing
    /// between two page breaks does) and how it ended; `flow` follows from that.
    ///
    /// With `after_full` a form feed at the line's begin is passed over: the page has ended there already.
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

    /// A new page begins.
    pub(super) fn resume(&mut self) {
        if self.flow == Flow::Paused {
            self.flow = Flow::Open;
        }
    }

    /// The newline directly after a form feed belongs to it.
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
