//! Opening, reading and writing on behalf of a process: with waiting, interruption and limits.

pub(crate) mod once;
pub(crate) mod open;
pub(crate) mod sockets;
pub(crate) mod terminal;
pub(crate) mod transfer;

use std::sync::Arc;

use crate::error::{Errno, Result};
use crate::fd::{APPEND, Description, Object};
use crate::kernel::KernelInner;
use crate::limits::Limit;
use crate::process::Process;
use crate::process::signal::SIGXFSZ;

/// How many of `count` bytes `process` may write at `offset`, or at the description's own offset. `EFBIG` and SIGXFSZ
/// if RLIMIT_FSIZE allows none.
pub(crate) fn within_file_size(
    kernel: &KernelInner,
    process: &Arc<Process>,
    description: &Description,
    offset: Option<u64>,
    count: usize,
) -> Result<usize> {
    if !process.limits_files() || count == 0 {
        return Ok(count);
    }
    let Object::File { file, .. } = &description.object else { return Ok(count) };
    let offset = match offset {
        _ if description.flags() & APPEND != 0 => file.metadata()?.size,
        Some(offset) => offset,
        None => description.offset(),
    };
    check_file_size(kernel, process, offset, count)
}

/// As [`within_file_size`], for a file that is to become `offset + count` bytes long.
pub(crate) fn check_file_size(
    kernel: &KernelInner,
    process: &Arc<Process>,
    offset: u64,
    count: usize,
) -> Result<usize> {
    process.writable(offset, count).ok_or_else(|| {
        kernel.deliver(process, SIGXFSZ);
        Errno::FBIG
    })
}

/// Records that a disk limit was hit.
pub(crate) fn note_space<T>(process: &Process, result: Result<T>) -> Result<T> {
    match &result {
        Err(errno) if *errno == Errno::NOSPC => process.job.record_limit(Limit::DiskBytes),
        Err(errno) if *errno == Errno::from(sandshell_vfs::Errno::DQuot) => {
            process.job.record_limit(Limit::DiskQuota)
        }
        _ => {}
    }
    result
}
