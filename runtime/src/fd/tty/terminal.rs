//! The terminal that a host lends to a sandbox.

use std::io;
use std::task::{Context, Poll};

/// A terminal's screen and keyboard. Nothing more: lines are edited, keys shown and signal keys recognised by the
/// kernel, as each guest asks for. A host that lends a real terminal therefore puts it in raw mode.
pub trait Terminal: Send + Sync {
    /// Reads keys into `buf` as they are typed, and returns the number of bytes, 0 when there will be no more. If there
    /// are none yet, returns `Pending` and wakes `cx` when there are some. Only one task calls this.
    fn poll_read(&self, cx: &mut Context<'_>, buf: &mut [u8]) -> Poll<io::Result<usize>>;
    /// Shows output; returns how much of `bytes` was taken. If nothing can be taken now, returns `Pending` and wakes
    /// `cx` when it can.
    fn poll_write(&self, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>>;
    /// Rows and columns. [`Job::resize`](crate::Job::resize) announces a change.
    fn size(&self) -> (u32, u32);
}
