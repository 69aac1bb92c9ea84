//! procfs: what the sandbox knows of itself.

use std::sync::Arc;

use crate::error::Error;
use crate::kernel::KernelInner;

/// Mounts procfs.
pub(crate) fn mount(_kernel: &Arc<KernelInner>) -> Result<(), Error> {
    Ok(())
}
