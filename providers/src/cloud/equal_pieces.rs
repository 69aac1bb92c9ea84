//! Splits a file's content into pieces of equal size.

use std::io;

use bytes::{Bytes, BytesMut};

use crate::FileSource;

/// The content of a file that is being uploaded, in pieces of the same length; the last may be shorter. There is
/// always at least one piece.
pub(crate) struct EqualPieces {
    source: Option<FileSource>,
    rest: Bytes,
    length: usize,
    begun: bool,
}

impl EqualPieces {
    /// Pieces of what `source` sends.
    pub(crate) fn of(source: FileSource, length: usize) -> Self {
        Self { source: Some(source), rest: Bytes::new(), length: length.max(1), begun: false }
    }

    /// Pieces of content that is already in memory.
    pub(crate) fn whole(content: Bytes, length: usize) -> Self {
        Self { source: None, rest: content, length: length.max(1), begun: false }
    }

    /// The next piece. Errors come from the source.
    pub(crate) async fn next(&mut self) -> io::Result<Option<Bytes>> {
        let mut piece = BytesMut::new();
        while piece.len() + self.rest.len() < self.length {
            let Some(source) = &mut self.source else { break };
            piece.extend_from_slice(&self.rest);
            self.rest = Bytes::new();
            match source.recv().await {
                Some(more) => self.rest = more?,
                None => self.source = None,
            }
        }
        let missing = (self.length - piece.len()).min(self.rest.len());
        let last = self.rest.split_to(missing);
        if piece.is_empty() && last.is_empty() && self.begun {
            return Ok(None);
        }
        self.begun = true;
        if piece.is_empty() {
            return Ok(Some(last));
        }
        piece.extend_from_slice(&last);
        Ok(Some(piece.freeze()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn cut(pieces: &[&'static [u8]], length: usize) -> Vec<Bytes> {
        let (sender, source) = tokio::sync::mpsc::channel(100);
        for piece in pieces {
            sender.send(Ok(Bytes::from_static(piece))).await.expect("room");
        }
        drop(sender);
        let (mut equal, mut all) = (EqualPieces::of(source, length), Vec::new());
        while let Some(piece) = equal.next().await.expect("no error") {
            all.push(piece);
        }
        let mut again = EqualPieces::whole(pieces.concat().into(), length);
        for piece in &all {
            assert_eq!(again.next().await.expect("no error").as_ref(), Some(piece));
        }
        assert_eq!(again.next().await.expect("no error"), None);
        all
    }

    #[tokio::test]
    async fn all_but_the_last_have_one_length() {
        assert_eq!(cut(&[b"ab", b"", b"cdefg", b"h"], 3).await, ["abc", "def", "gh"]);
        assert_eq!(cut(&[b"abcdef"], 3).await, ["abc", "def"]);
        assert_eq!(cut(&[b"a"], 3).await, ["a"]);
        assert_eq!(cut(&[], 3).await, [""]);
        assert_eq!(cut(&[b""], 3).await, [""]);
    }

    #[tokio::test]
    async fn an_error_is_passed_on() {
        let (sender, source) = tokio::sync::mpsc::channel(2);
        sender.send(Ok(Bytes::from_static(b"abcd"))).await.expect("room");
        sender.send(Err(io::Error::other("gone"))).await.expect("room");
        let mut pieces = EqualPieces::of(source, 4);
        assert_eq!(pieces.next().await.expect("a piece").as_deref(), Some(&b"abcd"[..]));
        pieces.next().await.expect_err("the error");
    }
}
