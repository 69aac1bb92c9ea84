//! What a pager shows: the lines of a file or of a pipe, read as far as they are needed.

use memchr::memchr_iter;
use sandshell_sys::{self as sys, Errno, Fd, open_flags};

/// How much is read at once.
const PIECE: usize = 64 << 10;

/// A text that grows while it is read.
#[derive(Debug)]
pub(crate) struct Text {
    fd: Option<Fd>,
    bytes: Vec<u8>,
    /// Where each line begins; the last may be incomplete.
    starts: Vec<usize>,
    /// How long the file is, if that is known.
    pub(crate) size: Option<u64>,
    /// Why no more can be read.
    pub(crate) problem: Option<Errno>,
}

impl Text {
    pub(crate) fn open(path: &[u8]) -> sys::Result<Text> {
        let fd = sys::open(path, open_flags::READ | open_flags::CLOEXEC, 0)?;
        Ok(Text::of(fd))
    }

    pub(crate) fn of(fd: Fd) -> Text {
        let stat = sys::fstat(fd).ok().filter(sys::Stat::is_file);
        let size = stat.map(|stat| stat.size);
        Text { fd: Some(fd), bytes: Vec::new(), starts: vec![0], size, problem: None }
    }

    /// A text that is there already.
    pub(crate) fn from_bytes(bytes: Vec<u8>) -> Text {
        let mut text = Text {
            fd: None,
            bytes: Vec::new(),
            starts: vec![0],
            size: Some(bytes.len() as u64),
            problem: None,
        };
        text.append(&bytes);
        text
    }

    /// A line without its end; `None` after the last one.
    pub(crate) fn line(&mut self, number: usize) -> Option<&[u8]> {
        while self.starts.len() <= number + 1 && self.read_more() {}
        let start = *self.starts.get(number)?;
        let end = self.starts.get(number + 1).map_or(self.bytes.len(), |next| next - 1);
        if start == self.bytes.len() && self.starts.len() == number + 1 {
            return None;
        }
        self.bytes.get(start..end)
    }

    /// How many lines there are, after reading all of them.
    pub(crate) fn count(&mut self) -> usize {
        while self.read_more() {}
        self.known()
    }

    /// How many lines have been read.
    pub(crate) fn known(&self) -> usize {
        let open = self.starts.last().is_some_and(|start| *start < self.bytes.len());
        self.starts.len() - usize::from(!open)
    }

    /// Whether everything has been read.
    pub(crate) fn is_complete(&self) -> bool {
        self.fd.is_none()
    }

    /// Where a line begins.
    pub(crate) fn offset(&self, number: usize) -> usize {
        self.starts.get(number).copied().unwrap_or(self.bytes.len())
    }

    /// The line that contains a byte.
    pub(crate) fn line_at(&mut self, offset: usize) -> usize {
        while self.bytes.len() <= offset && self.read_more() {}
        self.starts.partition_point(|start| *start <= offset).saturating_sub(1)
    }

    pub(crate) fn bytes_read(&self) -> usize {
        self.bytes.len()
    }

    /// Reads what a file has grown by. Returns whether it has.
    pub(crate) fn follow(&mut self, fd: Fd) -> bool {
        let before = self.bytes.len();
        self.fd = Some(fd);
        while self.read_more() {}
        self.bytes.len() > before
    }

    /// Reads a piece; false at the end.
    pub(crate) fn read_more(&mut self) -> bool {
        let Some(fd) = self.fd else { return false };
        if self.bytes.try_reserve(PIECE).is_err() {
            return self.end(Some(Errno::NOMEM));
        }
        let mut piece = vec![0; PIECE];
        match sys::read(fd, &mut piece) {
            Ok(0) => self.end(None),
            Ok(count) => {
                let piece = piece.get(..count).unwrap_or_default();
                self.append(piece);
                true
            }
            Err(Errno::INTR) => false,
            Err(error) => self.end(Some(error)),
        }
    }

    fn append(&mut self, piece: &[u8]) {
        let base = self.bytes.len();
        self.bytes.extend_from_slice(piece);
        self.starts.extend(memchr_iter(b'\n', piece).map(|at| base + at + 1));
    }

    fn end(&mut self, problem: Option<Errno>) -> bool {
        self.problem = problem;
        if let Some(fd) = self.fd.take()
            && fd > 2
        {
            let _ = sys::close(fd);
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_found() {
        let mut text = Text::from_bytes(b"a\n\nbc".to_vec());
        assert_eq!(text.line(0), Some(&b"a"[..]));
        assert_eq!(text.line(1), Some(&b""[..]));
        assert_eq!(text.line(2), Some(&b"bc"[..]));
        assert_eq!(text.line(3), None);
        assert_eq!((text.count(), text.line_at(3)), (3, 2));
        let mut text = Text::from_bytes(b"a\n".to_vec());
        assert_eq!(text.line(1), None);
        assert_eq!(text.count(), 1);
    }
}
