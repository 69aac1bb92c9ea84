//! The descriptors' end of a command's output.

use std::sync::{Arc, Weak};
use std::task::{Context, Poll};

use super::sink::{OutputKind, Sink};
use crate::error::Result;

/// A command's output, shared by its processes' descriptors. When the last of them is closed, it is dropped and
/// notifies the command.
pub(crate) struct OutputHandle {
    sink: Arc<Sink>,
    owner: Weak<dyn OutputOwner>,
}

/// The command that an output is of.
pub(crate) trait OutputOwner: Send + Sync {
    /// No process can write to the output any more.
    fn output_closed(self: Arc<Self>);
}

impl OutputHandle {
    pub(crate) fn new(sink: Arc<Sink>, owner: Weak<dyn OutputOwner>) -> Arc<OutputHandle> {
        Arc::new(OutputHandle { sink, owner })
    }

    pub(crate) fn poll_write(
        &self,
        cx: &mut Context<'_>,
        kind: OutputKind,
        bytes: &[u8],
    ) -> Poll<Result<usize>> {
        self.sink.poll_write(cx, kind, bytes)
    }
}

impl Drop for OutputHandle {
    fn drop(&mut self) {
        if let Some(owner) = self.owner.upgrade() {
            owner.output_closed();
        }
    }
}
