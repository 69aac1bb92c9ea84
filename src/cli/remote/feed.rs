//! The host's streams for a command that runs elsewhere.

use crate::cli::characters::Characters;
use crate::cli::failure::{Failure, reason};
use crate::cli::host_file;
use sandshell::{OutputChunk, OutputStream};
use std::io::{Read, Write};
use tokio::sync::mpsc;

/// All of standard input; `None` if it is a terminal or another device.
pub(super) async fn stdin() -> Result<Option<Vec<u8>>, Failure> {
    stdin_up_to(u64::MAX).await
}

/// As [`stdin`], but not more than the first `most` bytes.
pub(crate) async fn stdin_up_to(most: u64) -> Result<Option<Vec<u8>>, Failure> {
    if host_file::is_device(std::io::stdin()) {
        return Ok(None);
    }
    let read = tokio::task::spawn_blocking(move || {
        let mut bytes = Vec::new();
        std::io::stdin().lock().take(most).read_to_end(&mut bytes).map(|_| bytes)
    });
    match read.await {
        Ok(Ok(bytes)) => Ok(Some(bytes)),
        // Standard input was closed when the program started.
        Ok(Err(error)) if error.raw_os_error() == Some(9) => Ok(None),
        Ok(Err(error)) => Err(Failure::about("standard input", reason(&error))),
        Err(_) => Err(Failure::new("standard input could not be read")),
    }
}

/// Writes output as it arrives, until it ends or its reader goes away.
pub(super) async fn show(mut chunks: mpsc::Receiver<OutputChunk>) -> Result<(), Failure> {
    let (mut out, mut err) = (Characters::of(&std::io::stdout()), Characters::of(&std::io::stderr()));
    while let Some(chunk) = chunks.recv().await {
        let written = match chunk.stream {
            OutputStream::Stdout => {
                let mut stdout = std::io::stdout().lock();
                stdout.write_all(&out.show(&chunk.data)).and_then(|()| stdout.flush())
            }
            OutputStream::Stderr => std::io::stderr().lock().write_all(&err.show(&chunk.data)),
        };
        match written {
            Ok(()) => {}
            Err(error) if host_file::nobody_reads(&error) => return Ok(()),
            Err(error) => return Err(Failure::about("cannot write output", reason(&error))),
        }
    }
    Ok(())
}
