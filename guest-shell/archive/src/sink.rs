//! Writers that must be finished.

use std::io::{Result, Write};

/// A writer that must be finished.
pub(crate) trait Sink: Write {
    /// Writes what is still buffered.
    fn finish(self: Box<Self>) -> Result<()>;
}
