//! The descriptors that a process in the background must not have: whoever waits for their end would wait for it.

use rustix::fd::{BorrowedFd, RawFd};
use rustix::io::{FdFlags, fcntl_setfd};

/// Keeps all descriptors but the standard ones from programs that this one starts, also those that it was given by who
/// started it: a lock of a shell, a pipe that a script reads to its end.
#[allow(unsafe_code, reason = "the system lists descriptors as numbers; the proof is below")]
pub(super) fn keep_from_children() {
    // Linux and macOS have the list of the own ones there.
    let Ok(list) = std::fs::read_dir("/dev/fd") else { return };
    let numbers: Vec<RawFd> =
        list.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    for number in numbers.into_iter().filter(|number| *number > 2) {
        // SAFETY: nothing is read, written or closed through this borrow, and it ends with the call. If another thread
        // has closed the descriptor since it was listed, the call fails, or it marks a newer one of this program:
        // Rust's library marks those itself.
        let descriptor = unsafe { BorrowedFd::borrow_raw(number) };
        let _ = fcntl_setfd(descriptor, FdFlags::CLOEXEC);
    }
}
