//! Stores a command's output in little more memory than its bytes, even if a program writes byte by byte.

use bytes::Bytes;
use sandshell_providers::{OutputChunk, OutputStream};

/// The longest piece that is returned. Each of thousands of clients may wait with one or two.
const PIECE: usize = 16 << 10;

/// The least memory that a switch from one stream to the other takes.
const CHANGE: usize = size_of::<(OutputStream, usize)>();

/// The output of both streams in order of arrival.
#[derive(Default)]
pub(crate) struct Log {
    bytes: Vec<u8>,
    /// Where each run of output of one stream ends, in order.
    ends: Vec<(OutputStream, usize)>,
}

impl Log {
    pub(crate) fn push(&mut self, stream: OutputStream, data: &[u8]) {
        if data.is_empty() {
            return;
        }
        self.bytes.extend_from_slice(data);
        match self.ends.last_mut() {
            Some((last, end)) if *last == stream => *end = self.bytes.len(),
            _ => self.ends.push((stream, self.bytes.len())),
        }
    }

    /// The next output after `position`, from one stream.
    pub(crate) fn after(&self, position: usize) -> Option<OutputChunk> {
        let stretch = self.ends.partition_point(|(_, end)| *end <= position);
        let (stream, end) = self.ends.get(stretch)?;
        let data = self.bytes.get(position..(*end).min(position.saturating_add(PIECE)))?;
        Some(OutputChunk { stream: *stream, data: Bytes::copy_from_slice(data) })
    }

    /// All output.
    pub(crate) fn chunks(&self) -> Vec<OutputChunk> {
        let mut begin = 0;
        let mut chunks = Vec::with_capacity(self.ends.len());
        for (stream, end) in &self.ends {
            let data = self.bytes.get(begin..*end).unwrap_or_default();
            chunks.push(OutputChunk { stream: *stream, data: Bytes::copy_from_slice(data) });
            begin = *end;
        }
        chunks
    }

    /// How many bytes of memory it takes.
    pub(crate) fn held(&self) -> usize {
        self.bytes.len() + self.ends.len() * CHANGE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_comes_back_as_it_was_written() {
        let mut log = Log::default();
        for (stream, data) in [
            (OutputStream::Stdout, "a"),
            (OutputStream::Stdout, ""),
            (OutputStream::Stdout, "b"),
            (OutputStream::Stderr, "c"),
            (OutputStream::Stdout, "d"),
        ] {
            log.push(stream, data.as_bytes());
        }
        let (mut position, mut seen) = (0, Vec::new());
        while let Some(chunk) = log.after(position) {
            position += chunk.data.len();
            seen.push((chunk.stream, chunk.data));
        }
        let all: Vec<_> = log.chunks().into_iter().map(|chunk| (chunk.stream, chunk.data)).collect();
        assert_eq!(seen, all);
        assert_eq!(all.len(), 3);
        assert_eq!(all[0].1, "ab");
        assert!(log.after(usize::MAX).is_none());
    }

    #[test]
    fn long_output_comes_in_pieces_and_costs_its_length() {
        let mut log = Log::default();
        for _ in 0..200_000 {
            log.push(OutputStream::Stdout, b"x");
        }
        assert!(log.held() < 200_000 + 100);
        assert_eq!(log.after(0).map(|chunk| chunk.data.len()), Some(PIECE));
        assert_eq!(log.after(199_999).map(|chunk| chunk.data.len()), Some(1));
    }
}
