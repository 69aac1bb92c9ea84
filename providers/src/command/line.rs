//! Reads lines of limited length.

use std::io;

use tokio::io::{AsyncBufRead, AsyncBufReadExt};

/// The longest line, in bytes. A line may hold a file in base64.
const LONGEST: usize = 1 << 30;

/// The next line without its end; `None` at the end.
pub(super) async fn next(reader: &mut (impl AsyncBufRead + Unpin)) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    loop {
        let buffer = reader.fill_buf().await?;
        if buffer.is_empty() {
            return Ok((!line.is_empty()).then_some(line));
        }
        let end = memchr::memchr(b'\n', buffer);
        let taken = end.unwrap_or(buffer.len());
        line.extend_from_slice(buffer.get(..taken).unwrap_or_default());
        let used = end.map_or(taken, |end| end + 1);
        reader.consume(used);
        if line.len() > LONGEST {
            return Err(io::Error::other(format!("a line is longer than {LONGEST} bytes")));
        }
        if end.is_some() {
            return Ok(Some(line));
        }
    }
}
