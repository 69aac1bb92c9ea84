//! Reads lines of limited length, and writes some.

use std::io;

use serde_json::Value;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;

use crate::json_size::values;

/// The longest line, in bytes. A line may hold a file in base64.
pub(super) const LONGEST: usize = 1 << 30;

/// The most values in a line. Each may take a hundred times the memory of its text.
const MOST_VALUES: usize = 1 << 20;

/// Why this cannot be a line; `None` if it can.
pub(super) fn excess(line: &[u8]) -> Option<String> {
    if line.len() >= LONGEST {
        return Some(format!("{} bytes: the limit is {LONGEST}", line.len()));
    }
    // Each value has at least two letters, or there is no other.
    let values = if line.len() > MOST_VALUES { values(line) } else { 0 };
    (values > MOST_VALUES).then(|| format!("{values} values: the limit is {MOST_VALUES}"))
}

/// What a line says. The error says what is wrong with it.
pub(super) fn parse(line: &[u8]) -> Result<Value, String> {
    if let Some(excess) = excess(line) {
        return Err(excess);
    }
    serde_json::from_slice(line).map_err(|error| format!("not JSON: {error}"))
}

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
