//! The priority of threads.

/// Lowers the calling thread's priority for the rest of its life, if the host has one for each thread. With 10, the
/// thread gets a tenth of a processor beside one of usual priority.
#[cfg(target_os = "linux")]
pub(crate) fn lower(by: i32) {
    // On Linux this is the priority of the calling thread. A failure is harmless.
    if let Ok(own) = rustix::process::getpriority_process(None) {
        let _ = rustix::process::setpriority_process(None, own + by);
    }
}

/// Elsewhere a program's priority is that of all its threads.
#[cfg(not(target_os = "linux"))]
pub(crate) fn lower(_by: i32) {}
