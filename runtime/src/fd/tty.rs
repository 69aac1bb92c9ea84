//! The terminal that a host lends to a sandbox.

use std::io;
use std::task::{Context, Poll};

/// A terminal, seen from the sandbox. The host turns Ctrl-C into
/// [`Job::signal_foreground`](crate::Job::signal_foreground) while the terminal is not raw.
pub trait Terminal: Send + Sync {
    /// Reads input into `buf` and returns the number of bytes, 0 at its end. If there is none yet, returns `Pending`
    /// and wakes `cx` when there is some.
    fn poll_read(&self, cx: &mut Context<'_>, buf: &mut [u8]) -> Poll<io::Result<usize>>;
    /// Whether [`poll_read`](Self::poll_read) would return at once; wakes `cx` otherwise.
    fn poll_readable(&self, cx: &mut Context<'_>) -> Poll<()>;
    /// Shows output; returns how much of `bytes` was taken.
    fn write(&self, bytes: &[u8]) -> io::Result<usize>;
    /// Rows and columns.
    fn size(&self) -> (u32, u32);
    /// Turns line editing, echo and signal keys off (true) or on (false).
    fn set_raw(&self, raw: bool) -> io::Result<()>;
}
