//! The backend for the sandshell kernel: its imports.

mod socket;

pub use socket::*;

use crate::{
    AT_FDCWD, DirEntry, Disposition, Errno, Fd, Flock, Pid, PollFd, Program, Result, S_IFBLK, S_IFCHR,
    S_IFDIR, S_IFIFO, S_IFLNK, S_IFREG, S_IFSOCK, SetTime, Stat, StatFs, Termios, Times, WaitStatus, Waited,
    When,
};
use std::cell::Cell;
use std::time::Duration;

/// A descriptor number that always refers to the root directory.
const AT_ROOT: u32 = 0x0010_0000;

#[repr(C)]
struct SpawnRequest {
    path: *const u8,
    path_len: usize,
    argv: *const u8,
    argv_len: usize,
    env: *const u8,
    env_len: usize,
    fds: *const [u32; 2],
    fds_len: usize,
    cwd: *const u8,
    cwd_len: usize,
    flags: u32,
    pgid: u32,
}

#[repr(C)]
#[derive(Default)]
struct WaitResult {
    pid: u32,
    kind: u32,
    value: u32,
    pad: u32,
    utime: u64,
    stime: u64,
}

#[repr(C)]
struct Iovec {
    buf: *const u8,
    len: usize,
}

mod k {
    use super::{SpawnRequest, Stat, StatFs, Termios, WaitResult};

    #[link(wasm_import_module = "sandshell")]
    unsafe extern "C" {
        pub(super) fn spawn(req: *const SpawnRequest, pid: *mut u32) -> i32;
        pub(super) fn clone(entry: u32, arg: u32, flags: u32, pid: *mut u32) -> i32;
        pub(super) fn exec(req: *const SpawnRequest) -> i32;
        pub(super) fn wait(pid: i32, flags: u32, out: *mut WaitResult) -> i32;
        pub(super) fn kill(pid: i32, sig: u32) -> i32;
        pub(super) fn getpid() -> u32;
        pub(super) fn getppid() -> u32;
        pub(super) fn getpgid(pid: i32, out: *mut u32) -> i32;
        pub(super) fn setpgid(pid: i32, pgid: i32) -> i32;
        pub(super) fn setsid(out: *mut u32) -> i32;
        pub(super) fn getids(out: *mut [u32; 2]) -> i32;
        pub(super) fn umask(mask: u32) -> u32;
        pub(super) fn times(out: *mut [u64; 4]) -> i32;
        pub(super) fn getrlimit(resource: u32, out: *mut [u64; 2]) -> i32;
        pub(super) fn setrlimit(resource: u32, soft: u64, hard: u64) -> i32;
        pub(super) fn sigaction(sig: u32, disposition: u32, old: *mut u32) -> i32;
        pub(super) fn sigtake() -> u32;
        pub(super) fn alarm(ns: u64, old: *mut u64) -> i32;
        pub(super) fn pipe(out: *mut [u32; 2], flags: u32) -> i32;
        pub(super) fn dup(fd: u32, min: u32, flags: u32, out: *mut u32) -> i32;
        pub(super) fn dup2(from: u32, to: u32, flags: u32) -> i32;
        pub(super) fn getfd(fd: u32, out: *mut u32) -> i32;
        pub(super) fn setfd(fd: u32, bits: u32) -> i32;
        pub(super) fn open(
            dirfd: i32,
            path: *const u8,
            len: usize,
            flags: u32,
            mode: u32,
            out: *mut u32,
        ) -> i32;
        pub(super) fn stat(dirfd: i32, path: *const u8, len: usize, flags: u32, out: *mut Stat) -> i32;
        pub(super) fn fstat(fd: u32, out: *mut Stat) -> i32;
        pub(super) fn chmod(dirfd: i32, path: *const u8, len: usize, mode: u32, flags: u32) -> i32;
        pub(super) fn fchmod(fd: u32, mode: u32) -> i32;
        pub(super) fn chown(dirfd: i32, path: *const u8, len: usize, uid: u32, gid: u32, flags: u32) -> i32;
        pub(super) fn access(dirfd: i32, path: *const u8, len: usize, mask: u32, flags: u32) -> i32;
        pub(super) fn mkdir(dirfd: i32, path: *const u8, len: usize, mode: u32) -> i32;
        pub(super) fn mknod(dirfd: i32, path: *const u8, len: usize, mode: u32) -> i32;
        pub(super) fn statfs(path: *const u8, len: usize, out: *mut StatFs) -> i32;
        pub(super) fn unlink(dirfd: i32, path: *const u8, len: usize, flags: u32) -> i32;
        pub(super) fn rename(d1: i32, p1: *const u8, l1: usize, d2: i32, p2: *const u8, l2: usize) -> i32;
        pub(super) fn link(
            d1: i32,
            p1: *const u8,
            l1: usize,
            d2: i32,
            p2: *const u8,
            l2: usize,
            flags: u32,
        ) -> i32;
        pub(super) fn symlink(target: *const u8, tlen: usize, dirfd: i32, path: *const u8, len: usize)
        -> i32;
        pub(super) fn readlink(
            dirfd: i32,
            path: *const u8,
            len: usize,
            buf: *mut u8,
            buflen: usize,
            out: *mut usize,
        ) -> i32;
        pub(super) fn utimens(
            dirfd: i32,
            path: *const u8,
            len: usize,
            flags: u32,
            atime_s: i64,
            atime_n: u32,
            mtime_s: i64,
            mtime_n: u32,
        ) -> i32;
        pub(super) fn chdir(dirfd: i32, path: *const u8, len: usize) -> i32;
        pub(super) fn getcwd(buf: *mut u8, len: usize, out: *mut usize) -> i32;
        pub(super) fn isatty(fd: u32) -> u32;
        pub(super) fn tty_size(fd: u32, out: *mut [u32; 2]) -> i32;
        pub(super) fn tty_set_size(fd: u32, rows: u32, columns: u32) -> i32;
        pub(super) fn tcgetattr(fd: u32, out: *mut Termios) -> i32;
        pub(super) fn tcsetattr(fd: u32, when: u32, modes: *const Termios) -> i32;
        pub(super) fn tcgetpgrp(fd: u32, out: *mut u32) -> i32;
        pub(super) fn tcsetpgrp(fd: u32, pgid: u32) -> i32;
        pub(super) fn applet(buf: *mut u8, len: usize, out: *mut usize) -> i32;
        pub(super) fn flock(fd: u32, operation: u32) -> i32;
        pub(super) fn nproc() -> u32;
        pub(super) fn hostname(buf: *mut u8, len: usize, out: *mut usize) -> i32;
        pub(super) fn session_read(buf: *mut u8, len: usize, out: *mut usize) -> i32;
        pub(super) fn session_answer(status: u32) -> i32;
    }
}

mod p1 {
    use super::Iovec;

    #[link(wasm_import_module = "wasi_snapshot_preview1")]
    unsafe extern "C" {
        pub(super) fn fd_read(fd: u32, iovs: *const Iovec, n: usize, out: *mut usize) -> i32;
        pub(super) fn fd_write(fd: u32, iovs: *const Iovec, n: usize, out: *mut usize) -> i32;
        pub(super) fn fd_close(fd: u32) -> i32;
        pub(super) fn fd_seek(fd: u32, offset: i64, whence: u32, out: *mut u64) -> i32;
        pub(super) fn fd_filestat_set_size(fd: u32, size: u64) -> i32;
        pub(super) fn fd_allocate(fd: u32, offset: u64, len: u64) -> i32;
        pub(super) fn fd_readdir(fd: u32, buf: *mut u8, len: usize, cookie: u64, out: *mut usize) -> i32;
        pub(super) fn poll_oneoff(
            subs: *const [u64; 6],
            events: *mut [u64; 4],
            n: usize,
            out: *mut usize,
        ) -> i32;
        pub(super) fn clock_time_get(id: u32, precision: u64, out: *mut u64) -> i32;
        pub(super) fn random_get(buf: *mut u8, len: usize) -> i32;
        pub(super) fn environ_sizes_get(count: *mut usize, size: *mut usize) -> i32;
        pub(super) fn environ_get(pointers: *mut *const u8, text: *mut u8) -> i32;
        pub(super) fn proc_exit(code: u32) -> !;
    }
}

unsafe extern "C" {
    // wasi-libc: uses `fd` for paths that begin with `prefix`.
    fn __wasilibc_register_preopened_fd(fd: i32, prefix: *const core::ffi::c_char) -> i32;
}

// The kernel returns WASI error numbers; 0 is success.
fn check(code: i32) -> Result<()> {
    match u16::try_from(code) {
        Ok(0) => Ok(()),
        Ok(n) => Err(Errno(n)),
        Err(_) => Err(Errno::IO),
    }
}

fn pid(n: u32) -> Pid {
    n.cast_signed()
}

/// Prepares the process; call it first in `main`.
pub fn init() {}

/// Lets `std::fs` work on the whole tree, also with paths relative to the working directory. A program that uses it
/// calls this after [`init`]; doing it again changes nothing.
pub fn init_std_fs() {
    static DONE: std::sync::Once = std::sync::Once::new();
    DONE.call_once(|| {
        // SAFETY: the prefix is a NUL-terminated static string.
        unsafe { __wasilibc_register_preopened_fd(AT_ROOT.cast_signed(), c"/".as_ptr()) };
        sync_cwd();
    });
}

// For relative paths, std uses the working directory that libc keeps.
fn sync_cwd() {
    if let Ok(cwd) = getcwd() {
        use std::os::wasi::ffi::OsStrExt;
        let _ = std::env::set_current_dir(std::ffi::OsStr::from_bytes(&cwd));
    }
}

/// `open(2)`; `dirfd` may be [`AT_FDCWD`].
pub fn openat(dirfd: Fd, path: &[u8], flags: u32, mode: u32) -> Result<Fd> {
    let mut out = 0;
    // SAFETY: pointers and lengths are of live borrows.
    check(unsafe { k::open(dirfd, path.as_ptr(), path.len(), flags, mode, &mut out) })?;
    Ok(out.cast_signed())
}

/// `close(2)`.
pub fn close(fd: Fd) -> Result<()> {
    // SAFETY: plain numbers.
    check(unsafe { p1::fd_close(fd.cast_unsigned()) })
}

/// `read(2)`.
pub fn read(fd: Fd, buf: &mut [u8]) -> Result<usize> {
    let iov = Iovec { buf: buf.as_mut_ptr(), len: buf.len() };
    let mut out = 0;
    // SAFETY: one iovec over a live exclusive borrow.
    check(unsafe { p1::fd_read(fd.cast_unsigned(), &iov, 1, &mut out) })?;
    Ok(out)
}

/// `write(2)`.
pub fn write(fd: Fd, buf: &[u8]) -> Result<usize> {
    let iov = Iovec { buf: buf.as_ptr(), len: buf.len() };
    let mut out = 0;
    // SAFETY: one iovec over a live borrow.
    check(unsafe { p1::fd_write(fd.cast_unsigned(), &iov, 1, &mut out) })?;
    Ok(out)
}

/// `lseek(2)`; `whence` 0 start, 1 current, 2 end.
pub fn lseek(fd: Fd, offset: i64, whence: u32) -> Result<u64> {
    let mut out = 0;
    // SAFETY: `out` is live.
    check(unsafe { p1::fd_seek(fd.cast_unsigned(), offset, whence, &mut out) })?;
    Ok(out)
}

/// `ftruncate(2)`.
pub fn ftruncate(fd: Fd, size: u64) -> Result<()> {
    // SAFETY: plain numbers.
    check(unsafe { p1::fd_filestat_set_size(fd.cast_unsigned(), size) })
}

/// `posix_fallocate(3)`.
pub fn fallocate(fd: Fd, offset: u64, length: u64) -> Result<()> {
    // SAFETY: plain numbers.
    check(unsafe { p1::fd_allocate(fd.cast_unsigned(), offset, length) })
}

/// `pipe2(2)`: read end, write end.
pub fn pipe(cloexec: bool) -> Result<(Fd, Fd)> {
    let mut out = [0; 2];
    // SAFETY: `out` is live.
    check(unsafe { k::pipe(&mut out, cloexec.into()) })?;
    Ok((out[0].cast_signed(), out[1].cast_signed()))
}

/// `fcntl(F_DUPFD)`: the lowest free number that is at least `min`.
pub fn dup(fd: Fd, min: Fd, cloexec: bool) -> Result<Fd> {
    let mut out = 0;
    // SAFETY: `out` is live.
    check(unsafe { k::dup(fd.cast_unsigned(), min.cast_unsigned(), cloexec.into(), &mut out) })?;
    Ok(out.cast_signed())
}

/// `dup3(2)`, but `from == to` is allowed and only sets the flag.
pub fn dup2(from: Fd, to: Fd, cloexec: bool) -> Result<()> {
    // SAFETY: plain numbers.
    check(unsafe { k::dup2(from.cast_unsigned(), to.cast_unsigned(), cloexec.into()) })
}

/// Whether the descriptor is closed on exec; `EBADF` if it is not open.
pub fn cloexec(fd: Fd) -> Result<bool> {
    let mut out = 0;
    // SAFETY: `out` is live.
    check(unsafe { k::getfd(fd.cast_unsigned(), &mut out) })?;
    Ok(out & 1 != 0)
}

/// Sets close-on-exec.
pub fn set_cloexec(fd: Fd, on: bool) -> Result<()> {
    // SAFETY: plain numbers.
    check(unsafe { k::setfd(fd.cast_unsigned(), on.into()) })
}

/// `flock(2)`: a lock for all of a file, which belongs to the open file. Without `waits`, `EAGAIN` while others have
/// it.
pub fn flock(fd: Fd, operation: Flock, waits: bool) -> Result<()> {
    let at_once = if waits { 0 } else { 4 };
    // SAFETY: plain numbers.
    check(unsafe { k::flock(fd.cast_unsigned(), operation as u32 | at_once) })
}

/// Whether the descriptor is a terminal.
pub fn isatty(fd: Fd) -> bool {
    // SAFETY: plain numbers.
    unsafe { k::isatty(fd.cast_unsigned()) != 0 }
}

/// Rows and columns of a terminal.
pub fn tty_size(fd: Fd) -> Result<(u32, u32)> {
    let mut out = [0; 2];
    // SAFETY: `out` is live.
    check(unsafe { k::tty_size(fd.cast_unsigned(), &mut out) })?;
    Ok((out[0], out[1]))
}

/// Sets the rows and columns that a terminal has for programs.
pub fn set_tty_size(fd: Fd, rows: u32, columns: u32) -> Result<()> {
    // SAFETY: plain numbers.
    check(unsafe { k::tty_set_size(fd.cast_unsigned(), rows, columns) })
}

/// `tcgetattr(3)`.
pub fn tcgetattr(fd: Fd) -> Result<Termios> {
    let mut out = Termios::default();
    // SAFETY: `out` is live.
    check(unsafe { k::tcgetattr(fd.cast_unsigned(), &mut out) })?;
    Ok(out)
}

/// `tcsetattr(3)`.
pub fn tcsetattr(fd: Fd, when: When, modes: &Termios) -> Result<()> {
    // SAFETY: `modes` is live.
    check(unsafe { k::tcsetattr(fd.cast_unsigned(), when as u32, modes) })
}

/// `tcgetpgrp(3)`.
pub fn tcgetpgrp(fd: Fd) -> Result<Pid> {
    let mut out = 0;
    // SAFETY: `out` is live.
    check(unsafe { k::tcgetpgrp(fd.cast_unsigned(), &mut out) })?;
    Ok(pid(out))
}

/// `tcsetpgrp(3)`.
pub fn tcsetpgrp(fd: Fd, pgid: Pid) -> Result<()> {
    // SAFETY: plain numbers.
    check(unsafe { k::tcsetpgrp(fd.cast_unsigned(), pgid.cast_unsigned()) })
}

/// `fstatat(2)`.
pub fn statat(dirfd: Fd, path: &[u8], follow: bool) -> Result<Stat> {
    let mut out = Stat::default();
    // SAFETY: pointers and lengths are of live borrows.
    check(unsafe { k::stat(dirfd, path.as_ptr(), path.len(), (!follow).into(), &mut out) })?;
    Ok(out)
}

/// `fstat(2)`.
pub fn fstat(fd: Fd) -> Result<Stat> {
    let mut out = Stat::default();
    // SAFETY: `out` is live.
    check(unsafe { k::fstat(fd.cast_unsigned(), &mut out) })?;
    Ok(out)
}

/// `chmod(2)`; follows symbolic links.
pub fn chmod(path: &[u8], mode: u32) -> Result<()> {
    // SAFETY: pointer and length are of a live borrow.
    check(unsafe { k::chmod(AT_FDCWD, path.as_ptr(), path.len(), mode, 0) })
}

/// `fchmod(2)`.
pub fn fchmod(fd: Fd, mode: u32) -> Result<()> {
    // SAFETY: plain numbers.
    check(unsafe { k::fchmod(fd.cast_unsigned(), mode) })
}

/// `fchownat(2)`; `None` keeps the owner or group.
pub fn chown(path: &[u8], uid: Option<u32>, gid: Option<u32>, follow: bool) -> Result<()> {
    let (uid, gid) = (uid.unwrap_or(u32::MAX), gid.unwrap_or(u32::MAX));
    // SAFETY: pointer and length are of a live borrow.
    check(unsafe { k::chown(AT_FDCWD, path.as_ptr(), path.len(), uid, gid, (!follow).into()) })
}

/// `faccessat(2)`; mask: 4 read, 2 write, 1 execute, 0 existence.
pub fn accessat(dirfd: Fd, path: &[u8], mask: u32) -> Result<()> {
    // SAFETY: pointer and length are of a live borrow.
    check(unsafe { k::access(dirfd, path.as_ptr(), path.len(), mask, 0) })
}

/// `mkdir(2)`.
pub fn mkdir(path: &[u8], mode: u32) -> Result<()> {
    // SAFETY: pointer and length are of a live borrow.
    check(unsafe { k::mkdir(AT_FDCWD, path.as_ptr(), path.len(), mode) })
}

/// `mkfifo(3)`.
pub fn mkfifo(path: &[u8], mode: u32) -> Result<()> {
    // SAFETY: pointer and length are of a live borrow.
    check(unsafe { k::mknod(AT_FDCWD, path.as_ptr(), path.len(), S_IFIFO | mode) })
}

/// Makes the name of a socket, to which nobody is bound: `mknod(2)`.
pub fn make_socket(path: &[u8], mode: u32) -> Result<()> {
    // SAFETY: pointer and length are of a live borrow.
    check(unsafe { k::mknod(AT_FDCWD, path.as_ptr(), path.len(), S_IFSOCK | mode) })
}

/// `statfs(2)`.
pub fn statfs(path: &[u8]) -> Result<StatFs> {
    let mut out = StatFs::default();
    // SAFETY: pointers and lengths are of live borrows.
    check(unsafe { k::statfs(path.as_ptr(), path.len(), &mut out) })?;
    Ok(out)
}

/// `unlinkat(2)`; `directory`: as `rmdir(2)`.
pub fn unlinkat(dirfd: Fd, path: &[u8], directory: bool) -> Result<()> {
    // SAFETY: pointer and length are of a live borrow.
    check(unsafe { k::unlink(dirfd, path.as_ptr(), path.len(), directory.into()) })
}

/// `rename(2)`.
pub fn rename(old: &[u8], new: &[u8]) -> Result<()> {
    // SAFETY: pointers and lengths are of live borrows.
    check(unsafe { k::rename(AT_FDCWD, old.as_ptr(), old.len(), AT_FDCWD, new.as_ptr(), new.len()) })
}

/// `linkat(2)`.
pub fn link(old: &[u8], new: &[u8], follow: bool) -> Result<()> {
    // SAFETY: pointers and lengths are of live borrows.
    check(unsafe {
        k::link(AT_FDCWD, old.as_ptr(), old.len(), AT_FDCWD, new.as_ptr(), new.len(), follow.into())
    })
}

/// `symlink(2)`.
pub fn symlink(target: &[u8], path: &[u8]) -> Result<()> {
    // SAFETY: pointers and lengths are of live borrows.
    check(unsafe { k::symlink(target.as_ptr(), target.len(), AT_FDCWD, path.as_ptr(), path.len()) })
}

/// `readlink(2)`: the whole target.
pub fn readlink(path: &[u8]) -> Result<Vec<u8>> {
    let mut buf = vec![0; 4096];
    let mut out = 0;
    // SAFETY: pointers and lengths are of live borrows.
    check(unsafe {
        k::readlink(AT_FDCWD, path.as_ptr(), path.len(), buf.as_mut_ptr(), buf.len(), &mut out)
    })?;
    buf.truncate(out);
    Ok(buf)
}

/// `utimensat(2)`.
pub fn utimens(path: &[u8], atime: SetTime, mtime: SetTime, follow: bool) -> Result<()> {
    let raw = |t| match t {
        SetTime::Now => (0, 0x3fff_ffff),
        SetTime::Omit => (0, 0x3fff_fffe),
        SetTime::At(s, n) => (s, n),
    };
    let (a, m) = (raw(atime), raw(mtime));
    // SAFETY: pointer and length are of a live borrow.
    check(unsafe { k::utimens(AT_FDCWD, path.as_ptr(), path.len(), (!follow).into(), a.0, a.1, m.0, m.1) })
}

/// All entries of a directory except `.` and `..`, in the kernel's order, which is sorted.
pub fn read_dir(path: &[u8]) -> Result<Vec<DirEntry>> {
    use crate::open_flags::{CLOEXEC, DIRECTORY, READ};
    let fd = openat(AT_FDCWD, path, READ | DIRECTORY | CLOEXEC, 0)?;
    let result = read_dir_fd(fd);
    let _ = close(fd);
    result
}

/// All entries of an open directory except `.` and `..`.
pub fn read_dir_fd(fd: Fd) -> Result<Vec<DirEntry>> {
    thread_local! {
        /// Kept, as clearing it takes longer than reading a small directory.
        static BUFFER: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
    }
    // A dirent: next cookie u64, inode u64, name length u32, type u8, then the name.
    const HEAD: usize = 24;
    let mut entries = Vec::new();
    let mut buf = BUFFER.take();
    buf.resize(buf.len().max(16 * 1024), 0);
    let mut cookie = 0u64;
    loop {
        let mut used = 0;
        // SAFETY: pointers and lengths are of live borrows.
        check(unsafe { p1::fd_readdir(fd.cast_unsigned(), buf.as_mut_ptr(), buf.len(), cookie, &mut used) })?;
        let full = used == buf.len();
        let mut rest = &buf[..used.min(buf.len())];
        let mut seen = false;
        while let Some((head, tail)) = rest.split_at_checked(HEAD) {
            let u64_at = |i: usize| head[i..].first_chunk().copied().map_or(0, u64::from_le_bytes);
            let len = head[16..].first_chunk().copied().map_or(0, u32::from_le_bytes) as usize;
            let Some((name, tail)) = tail.split_at_checked(len) else { break };
            cookie = u64_at(0);
            seen = true;
            rest = tail;
            if name != b"." && name != b".." {
                let kind = match head[20] {
                    1 => S_IFBLK,
                    2 => S_IFCHR,
                    3 => S_IFDIR,
                    4 => S_IFREG,
                    5 | 6 => S_IFSOCK,
                    7 => S_IFLNK,
                    _ => 0,
                };
                entries.push(DirEntry { name: name.to_vec(), ino: u64_at(8), kind });
            }
        }
        if !full {
            BUFFER.set(buf);
            return Ok(entries);
        }
        if !seen {
            // A name is longer than the buffer.
            buf.resize(buf.len() * 2, 0);
        }
    }
}

/// `chdir(2)`.
pub fn chdir(path: &[u8]) -> Result<()> {
    // SAFETY: pointer and length are of a live borrow.
    check(unsafe { k::chdir(AT_FDCWD, path.as_ptr(), path.len()) })
}

/// `getcwd(3)`.
pub fn getcwd() -> Result<Vec<u8>> {
    match getcwd_within::<256>() {
        Err(Errno::RANGE) => getcwd_within::<4096>(),
        result => result,
    }
}

fn getcwd_within<const SIZE: usize>() -> Result<Vec<u8>> {
    let mut buf = [0; SIZE];
    let mut out = 0;
    // SAFETY: pointers and lengths are of live borrows.
    check(unsafe { k::getcwd(buf.as_mut_ptr(), buf.len(), &mut out) })?;
    Ok(buf.get(..out).unwrap_or_default().to_vec())
}

/// The environment as `NAME=VALUE`.
pub fn environment() -> Vec<Vec<u8>> {
    let (mut count, mut size) = (0, 0);
    // SAFETY: the pointers are of live exclusive borrows.
    if check(unsafe { p1::environ_sizes_get(&mut count, &mut size) }).is_err() {
        return Vec::new();
    }
    let (mut pointers, mut text) = (vec![std::ptr::null::<u8>(); count], vec![0; size]);
    // SAFETY: the buffers have room for `count` pointers and `size` bytes, which is what the call writes.
    if check(unsafe { p1::environ_get(pointers.as_mut_ptr(), text.as_mut_ptr()) }).is_err() {
        return Vec::new();
    }
    text.split(|byte| *byte == 0).take(count).map(<[u8]>::to_vec).collect()
}

fn strings(list: &[Vec<u8>]) -> Vec<u8> {
    let mut out = Vec::with_capacity(list.iter().map(|s| s.len() + 1).sum());
    for s in list {
        out.extend_from_slice(s);
        out.push(0);
    }
    out
}

fn with_request<R>(p: &Program<'_>, call: impl FnOnce(&SpawnRequest) -> R) -> R {
    let argv = strings(p.argv);
    let env = strings(p.env);
    let fds: Vec<[u32; 2]> =
        p.fds.iter().map(|(c, f)| [c.cast_unsigned(), f.map_or(u32::MAX, i32::cast_unsigned)]).collect();
    call(&SpawnRequest {
        path: p.path.as_ptr(),
        path_len: p.path.len(),
        argv: argv.as_ptr(),
        argv_len: argv.len(),
        env: env.as_ptr(),
        env_len: env.len(),
        fds: fds.as_ptr(),
        fds_len: fds.len(),
        cwd: p.cwd.as_ptr(),
        cwd_len: p.cwd.len(),
        flags: u32::from(p.pgid.is_some()) | u32::from(p.reset_signals) << 1 | u32::from(p.foreground) << 3,
        pgid: p.pgid.unwrap_or(0).cast_unsigned(),
    })
}

/// Starts a program as a child.
pub fn spawn(program: &Program<'_>) -> Result<Pid> {
    let mut out = 0;
    // SAFETY: the request and all it points to live through the call.
    check(with_request(program, |r| unsafe { k::spawn(r, &mut out) }))?;
    Ok(pid(out))
}

/// Replaces this process. Returns only on an error.
pub fn exec(program: &Program<'_>) -> Errno {
    // SAFETY: the request and all it points to live through the call.
    match check(with_request(program, |r| unsafe { k::exec(r) })) {
        Ok(()) => Errno::IO,
        Err(e) => e,
    }
}

type Entry<'a> = Box<dyn FnOnce() -> u8 + 'a>;

extern "C" fn clone_entry(arg: u32) -> u32 {
    // SAFETY: `arg` is the pointer that `clone` made; this is the child's own copy of it, used once.
    let f = unsafe { Box::from_raw(std::ptr::with_exposed_provenance_mut::<Entry<'_>>(arg as usize)) };
    u32::from(f())
}

/// Runs `f` in a child that is a copy of this process. The result of `f` is the child's exit status. In the child, this
/// call never returns. Flush buffered output first, because buffers are copied too.
pub fn clone<'a>(pgid: Option<Pid>, f: impl FnOnce() -> u8 + 'a) -> Result<Pid> {
    clone_with(pgid.map_or(0, |p| 1 | p.cast_unsigned() << 8), f)
}

/// As [`clone`]; the child's process group gets the terminal before the child runs. Does nothing more than `clone` if
/// the caller is not in the foreground itself.
pub fn clone_foreground<'a>(pgid: Pid, f: impl FnOnce() -> u8 + 'a) -> Result<Pid> {
    clone_with(9 | pgid.cast_unsigned() << 8, f)
}

/// As [`clone`], for a process substitution. A command ends only after the process substitutions of its shells have
/// ended.
pub fn clone_substitution<'a>(f: impl FnOnce() -> u8 + 'a) -> Result<Pid> {
    clone_with(4, f)
}

fn clone_with<'a>(flags: u32, f: impl FnOnce() -> u8 + 'a) -> Result<Pid> {
    let boxed: Box<Entry<'a>> = Box::new(Box::new(f));
    let arg = Box::into_raw(boxed);
    let mut out = 0;
    let entry: extern "C" fn(u32) -> u32 = clone_entry;
    // SAFETY: `entry` is a table index on wasm; the child works on a copy of memory in which `arg` is valid.
    let code = unsafe { k::clone(entry as usize as u32, arg.expose_provenance() as u32, flags, &mut out) };
    // SAFETY: the pointer came from `Box::into_raw` above; in the parent nobody else uses it.
    drop(unsafe { Box::from_raw(arg) });
    check(code)?;
    Ok(pid(out))
}

/// `waitpid(2)`. `Ok(None)` if there is nothing to report and [`WNOHANG`](crate::WNOHANG) is given.
pub fn wait(target: Pid, flags: u32) -> Result<Option<Waited>> {
    let mut r = WaitResult::default();
    // SAFETY: `r` is live.
    check(unsafe { k::wait(target, flags, &mut r) })?;
    if r.pid == 0 {
        return Ok(None);
    }
    let value = (r.value & 0xff) as u8;
    let status = match r.kind {
        0 => WaitStatus::Exited(value),
        1 => WaitStatus::Signaled(value),
        2 => WaitStatus::Stopped(value),
        _ => WaitStatus::Continued,
    };
    Ok(Some(Waited { pid: pid(r.pid), status, utime: r.utime, stime: r.stime }))
}

/// `kill(2)`.
pub fn kill(target: Pid, sig: u8) -> Result<()> {
    // SAFETY: plain numbers.
    check(unsafe { k::kill(target, sig.into()) })
}

/// `getpid(2)`.
pub fn getpid() -> Pid {
    // SAFETY: no arguments.
    pid(unsafe { k::getpid() })
}

/// `getppid(2)`.
pub fn getppid() -> Pid {
    // SAFETY: no arguments.
    pid(unsafe { k::getppid() })
}

/// `getpgid(2)`.
pub fn getpgid(target: Pid) -> Result<Pid> {
    let mut out = 0;
    // SAFETY: `out` is live.
    check(unsafe { k::getpgid(target, &mut out) })?;
    Ok(pid(out))
}

/// `setpgid(2)`.
pub fn setpgid(target: Pid, pgid: Pid) -> Result<()> {
    // SAFETY: plain numbers.
    check(unsafe { k::setpgid(target, pgid) })
}

/// `setsid(2)`.
pub fn setsid() -> Result<Pid> {
    let mut out = 0;
    // SAFETY: `out` is live.
    check(unsafe { k::setsid(&mut out) })?;
    Ok(pid(out))
}

/// User and group ID.
pub fn getids() -> (u32, u32) {
    let mut out = [0; 2];
    // SAFETY: `out` is live.
    let _ = check(unsafe { k::getids(&mut out) });
    (out[0], out[1])
}

/// `umask(2)`.
pub fn umask(mask: u32) -> u32 {
    // SAFETY: plain numbers.
    unsafe { k::umask(mask) }
}

/// `times(2)`.
pub fn times() -> Times {
    let mut out = [0; 4];
    // SAFETY: `out` is live.
    let _ = check(unsafe { k::times(&mut out) });
    Times { utime: out[0], stime: out[1], cutime: out[2], cstime: out[3] }
}

/// `getrlimit(2)`: soft and hard limit; `u64::MAX` is unlimited. Resources have Linux's numbers.
pub fn getrlimit(resource: u32) -> Result<(u64, u64)> {
    let mut out = [0; 2];
    // SAFETY: `out` is live.
    check(unsafe { k::getrlimit(resource, &mut out) })?;
    Ok((out[0], out[1]))
}

/// `setrlimit(2)`.
pub fn setrlimit(resource: u32, soft: u64, hard: u64) -> Result<()> {
    // SAFETY: plain numbers.
    check(unsafe { k::setrlimit(resource, soft, hard) })
}

/// Sets the action for a signal. Returns the former one.
pub fn sigaction(sig: u8, disposition: Disposition) -> Result<Disposition> {
    let number = match disposition {
        Disposition::Default => 0,
        Disposition::Ignore => 1,
        Disposition::Catch => 2,
        Disposition::IgnoreHere => 3,
    };
    let mut old = 0;
    // SAFETY: `old` is live.
    check(unsafe { k::sigaction(sig.into(), number, &mut old) })?;
    Ok(match old {
        0 => Disposition::Default,
        1 => Disposition::Ignore,
        3 => Disposition::IgnoreHere,
        _ => Disposition::Catch,
    })
}

/// Takes a caught signal that has arrived, if any.
pub fn sigtake() -> Option<u8> {
    // SAFETY: no arguments.
    match unsafe { k::sigtake() } {
        0 => None,
        n => u8::try_from(n).ok(),
    }
}

/// Sends `SIGALRM` after this time; `None` cancels. Returns the remaining time of the former alarm.
pub fn alarm(after: Option<Duration>) -> Duration {
    let ns = after.map_or(0, |d| u64::try_from(d.as_nanos()).unwrap_or(u64::MAX).max(1));
    let mut old = 0;
    // SAFETY: `old` is live.
    let _ = check(unsafe { k::alarm(ns, &mut old) });
    Duration::from_nanos(old)
}

/// `poll(2)`: waits until a descriptor is ready, the timeout expires (`Ok(0)`), or a caught signal arrives (`EINTR`).
/// Returns how many descriptors are ready.
pub fn poll(fds: &mut [PollFd], timeout: Option<Duration>) -> Result<usize> {
    // subscription: userdata u64; tag u8 at 8; clock: id u32 at 16, timeout u64 at 24, precision u64 at 32,
    // flags u16 at 40; descriptor: u32 at 16. event: userdata u64; errno u16 at 8, type u8 at 10.
    const CLOCK: u64 = u64::MAX;
    let mut subs: Vec<[u64; 6]> = Vec::new();
    for (i, f) in fds.iter_mut().enumerate() {
        f.ready = false;
        let fd = u64::from(f.fd.cast_unsigned());
        if f.read {
            subs.push([i as u64, 1, fd, 0, 0, 0]);
        }
        if f.write {
            subs.push([i as u64, 2, fd, 0, 0, 0]);
        }
    }
    if let Some(t) = timeout {
        subs.push([CLOCK, 0, 1, u64::try_from(t.as_nanos()).unwrap_or(u64::MAX), 0, 0]);
    }
    let mut events = vec![[0u64; 4]; subs.len()];
    let mut n = 0;
    // SAFETY: both buffers hold `subs.len()` records of WASI's layout.
    check(unsafe { p1::poll_oneoff(subs.as_ptr(), events.as_mut_ptr(), subs.len(), &mut n) })?;
    for e in events.iter().take(n) {
        if let Some(f) = usize::try_from(e[0]).ok().and_then(|i| fds.get_mut(i)) {
            f.ready = true;
        }
    }
    Ok(fds.iter().filter(|f| f.ready).count())
}

/// Sleeps. `EINTR` if a caught signal arrives.
pub fn sleep(time: Duration) -> Result<()> {
    poll(&mut [], Some(time)).map(drop)
}

fn clock(id: u32) -> u64 {
    let mut out = 0;
    // SAFETY: `out` is live.
    let _ = check(unsafe { p1::clock_time_get(id, 1, &mut out) });
    out
}

/// The wall clock, in nanoseconds since the epoch.
pub fn realtime() -> u64 {
    clock(0)
}

/// The monotonic clock, in nanoseconds.
pub fn monotonic() -> u64 {
    clock(1)
}

/// Fills the buffer with random bytes.
pub fn random(buf: &mut [u8]) {
    // SAFETY: pointer and length are of a live exclusive borrow.
    let _ = check(unsafe { p1::random_get(buf.as_mut_ptr(), buf.len()) });
}

/// The applet that the executed file names.
pub fn applet() -> Vec<u8> {
    let mut buf = vec![0; 255];
    let mut out = 0;
    // SAFETY: pointers and lengths are of live borrows.
    let got = check(unsafe { k::applet(buf.as_mut_ptr(), buf.len(), &mut out) });
    buf.truncate(if got.is_ok() { out } else { 0 });
    buf
}

/// The number of processors that the sandbox reports.
pub fn nproc() -> u32 {
    // SAFETY: no arguments.
    unsafe { k::nproc() }
}

/// The sandbox's host name.
pub fn hostname() -> Vec<u8> {
    let mut buf = vec![0; 255];
    let mut out = 0;
    // SAFETY: pointers and lengths are of live borrows.
    let got = check(unsafe { k::hostname(buf.as_mut_ptr(), buf.len(), &mut out) });
    buf.truncate(if got.is_ok() { out } else { 0 });
    buf
}

/// Reads a piece of the next command of a shell that lives; each command ends with NUL. With an empty buffer it only
/// tells whether there is a host that gives commands: `EPERM` otherwise.
pub fn session_read(buf: &mut [u8]) -> Result<usize> {
    let mut out = 0;
    // SAFETY: pointers and lengths are of live borrows.
    check(unsafe { k::session_read(buf.as_mut_ptr(), buf.len(), &mut out) })?;
    Ok(out.min(buf.len()))
}

/// Tells the host how its command ended.
pub fn session_answer(status: u8) -> Result<()> {
    // SAFETY: no pointers.
    check(unsafe { k::session_answer(status.into()) })
}

/// Ends the process at once.
pub fn exit(code: u8) -> ! {
    // SAFETY: never returns.
    unsafe { p1::proc_exit(code.into()) }
}
