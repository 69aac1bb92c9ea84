//! What has arrived of a command's output and was not taken yet.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::mpsc;

use crate::OutputChunk;

/// The most bytes that wait to be taken, if more than one piece does.
const MOST: usize = 256 << 20;

/// What each piece takes besides its bytes.
const EACH: usize = 128;

/// Where pieces of output arrive. Nobody waits there: the other calls of the connection go on.
#[derive(Debug)]
pub(super) struct Arrived {
    pieces: mpsc::UnboundedSender<OutputChunk>,
    bytes: Arc<AtomicUsize>,
}

/// Where they are taken.
#[derive(Debug)]
pub(super) struct Untaken {
    pieces: mpsc::UnboundedReceiver<OutputChunk>,
    bytes: Arc<AtomicUsize>,
}

/// Too much waits to be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Full;

pub(super) fn untaken() -> (Arrived, Untaken) {
    let (sender, pieces) = mpsc::unbounded_channel();
    let bytes = Arc::<AtomicUsize>::default();
    (Arrived { pieces: sender, bytes: bytes.clone() }, Untaken { pieces, bytes })
}

impl Arrived {
    pub(super) fn push(&self, chunk: OutputChunk) -> Result<(), Full> {
        let bytes = chunk.data.len() + EACH;
        let before = self.bytes.fetch_add(bytes, Ordering::SeqCst);
        if before > 0 && before + bytes > MOST {
            return Err(Full);
        }
        // If nobody takes it, nobody needs it.
        drop(self.pieces.send(chunk));
        Ok(())
    }
}

impl Untaken {
    /// The next piece; `None` when there will be no more.
    pub(super) async fn next(&mut self) -> Option<OutputChunk> {
        let chunk = self.pieces.recv().await?;
        self.bytes.fetch_sub(chunk.data.len() + EACH, Ordering::SeqCst);
        Some(chunk)
    }
}

impl fmt::Display for Full {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "more than {MOST} bytes of output wait to be taken")
    }
}
