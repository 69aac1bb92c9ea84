//! Reads bytes of a descriptor one at a time.

use sandshell_sys as sys;

/// A buffered reader to which one byte can be given back.
pub(crate) struct Source {
    fd: sys::Fd,
    buf: Vec<u8>,
    at: usize,
    ended: bool,
}

impl Source {
    pub(crate) fn new(fd: sys::Fd) -> Self {
        Self { fd, buf: Vec::new(), at: 0, ended: false }
    }

    /// The next byte. If nothing is buffered, `before` runs before the read.
    pub(crate) fn next(&mut self, before: impl FnOnce()) -> Option<u8> {
        if self.at >= self.buf.len() {
            if self.ended {
                return None;
            }
            before();
            self.fill();
        }
        let byte = self.buf.get(self.at).copied();
        self.at += usize::from(byte.is_some());
        byte
    }

    /// Gives back the byte that [`next`](Self::next) last returned.
    pub(crate) fn back(&mut self) {
        self.at = self.at.saturating_sub(1);
    }

    /// Whether the end has been reached. Reads if nothing is buffered.
    pub(crate) fn at_end(&mut self) -> bool {
        if self.at >= self.buf.len() && !self.ended {
            self.fill();
        }
        self.at >= self.buf.len()
    }

    pub(crate) fn close(&self) {
        if self.fd > 2 {
            let _ = sys::close(self.fd);
        }
    }

    fn fill(&mut self) {
        self.buf.resize(8192, 0);
        self.at = 0;
        let got = loop {
            match sys::read(self.fd, &mut self.buf) {
                Err(sys::Errno::INTR) => {}
                other => break other.unwrap_or(0),
            }
        };
        self.buf.truncate(got);
        self.ended = got == 0;
    }
}
