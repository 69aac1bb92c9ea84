//! System calls that a signal interrupts.

use crate::{Errno, Result};

/// Repeats a system call that a signal interrupted.
pub(super) fn retry<T>(mut call: impl FnMut() -> rustix::io::Result<T>) -> Result<T> {
    loop {
        match call() {
            Err(rustix::io::Errno::INTR) => {}
            other => return other.map_err(|errno| Errno::from_raw(errno.raw_os_error())),
        }
    }
}
