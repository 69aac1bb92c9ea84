//! System calls for the guest programs, as safe functions with POSIX semantics.
//!
//! Two backends offer the same API. On `wasm32-wasip1` the calls are imports of the sandshell kernel (modules
//! `sandshell` and `wasi_snapshot_preview1`). On Unix they are libc's, so that guests can be unit-tested, fuzzed and
//! compared with other shells natively. The Unix backend is never shipped.
//!
//! Paths and names are bytes. Descriptors are plain numbers as in C, because the shell must name and move them.

mod applets;
mod errno;
pub mod signal;
mod socket;
mod types;

#[cfg(unix)]
mod unix;
#[cfg(unix)]
use unix as backend;

#[cfg(target_os = "wasi")]
mod compare;
#[cfg(target_os = "wasi")]
mod wasi;
#[cfg(target_os = "wasi")]
use wasi as backend;

pub use backend::*;
pub use errno::Errno;
pub use socket::{Address, Family, Half, SocketKind, message_flags, socket_flags};
pub use types::*;

/// The result of a system call.
pub type Result<T> = std::result::Result<T, Errno>;

/// A file descriptor number.
pub type Fd = i32;

/// A process ID.
pub type Pid = i32;

/// Stands for the working directory of the process in calls that resolve a relative path.
pub const AT_FDCWD: Fd = -100;

/// Writes all of `buf`, retrying short writes and interruptions.
///
/// # Errors
/// The first error of `write(2)` other than `EINTR`.
pub fn write_all(fd: Fd, mut buf: &[u8]) -> Result<()> {
    while !buf.is_empty() {
        match write(fd, buf) {
            Ok(n) => buf = buf.get(n..).unwrap_or_default(),
            Err(Errno::INTR) => {}
            Err(e) => return Err(e),
        }
    }
    Ok(())
}

/// Reads `fd` to its end.
///
/// # Errors
/// The first error of `read(2)` other than `EINTR`.
pub fn read_to_end(fd: Fd) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    let mut buf = vec![0u8; 64 * 1024];
    loop {
        match read(fd, &mut buf) {
            Ok(0) => return Ok(out),
            Ok(n) => out.extend_from_slice(&buf[..n]),
            Err(Errno::INTR) => {}
            Err(e) => return Err(e),
        }
    }
}

/// The whole content of a file.
///
/// # Errors
/// As `open(2)` and `read(2)`.
pub fn read_file(path: &[u8]) -> Result<Vec<u8>> {
    let fd = open(path, open_flags::READ | open_flags::CLOEXEC, 0)?;
    let content = read_to_end(fd);
    let _ = close(fd);
    content
}

/// [`openat`] relative to the working directory.
///
/// # Errors
/// As `open(2)`.
pub fn open(path: &[u8], flags: u32, mode: u32) -> Result<Fd> {
    openat(AT_FDCWD, path, flags, mode)
}

/// [`statat`] relative to the working directory.
///
/// # Errors
/// As `stat(2)`; `lstat(2)` without `follow`.
pub fn stat(path: &[u8], follow: bool) -> Result<Stat> {
    statat(AT_FDCWD, path, follow)
}

/// `access(2)`; mask: 4 read, 2 write, 1 execute, 0 existence.
pub fn access(path: &[u8], mask: u32) -> Result<()> {
    accessat(AT_FDCWD, path, mask)
}

/// `unlink(2)`.
pub fn unlink(path: &[u8]) -> Result<()> {
    unlinkat(AT_FDCWD, path, false)
}

/// `rmdir(2)`.
pub fn rmdir(path: &[u8]) -> Result<()> {
    unlinkat(AT_FDCWD, path, true)
}
