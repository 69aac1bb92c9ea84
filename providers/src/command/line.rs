//! Reads lines of limited length, and writes some.

use std::io;

use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;

/// The longest line, in bytes. A line may hold a file in base64.
pub(super) const LONGEST: usize = 1 << 30;

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

/// Writes lines, each with its end, until there are no more or nobody reads them.
pub(super) async fn write_all(mut writer: impl AsyncWrite + Unpin, mut lines: mpsc::Receiver<Vec<u8>>) {
    while let Some(line) = lines.recv().await {
        if writer.write_all(&line).await.is_err() || writer.flush().await.is_err() {
            return;
        }
    }
    // Whoever reads then knows that there are no more.
    let _ = writer.shutdown().await;
}
