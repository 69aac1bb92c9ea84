//! The backend for native test builds: libc's calls.

mod socket;

pub use socket::*;

use crate::{
    AT_FDCWD, DirEntry, Disposition, Errno, Fd, Flock, Pid, PollFd, Program, Result, SetTime, Stat, StatFs,
    Termios, Times, WaitStatus, Waited, When, open_flags,
};
use std::ffi::CString;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

fn cstr(bytes: &[u8]) -> Result<CString> {
    CString::new(bytes).map_err(|_| Errno::INVAL)
}

fn last() -> Errno {
    Errno::from_raw_os(std::io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO))
}

fn check<T: Into<i64> + Copy>(n: T) -> Result<T> {
    if n.into() < 0 { Err(last()) } else { Ok(n) }
}

/// Prepares the process; call it first in `main`.
pub fn init() {
    // Rust ignores SIGPIPE. The guests need the default action, like every Unix tool.
    // SAFETY: setting a default disposition.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
}

/// Lets `std::fs` work, as it does here without it. A program that uses it calls this after [`init`].
pub fn init_std_fs() {}

/// `open(2)`; `dirfd` may be [`AT_FDCWD`].
pub fn openat(dirfd: Fd, path: &[u8], flags: u32, mode: u32) -> Result<Fd> {
    use open_flags as o;
    let mut f = match (flags & o::READ != 0, flags & o::WRITE != 0) {
        (_, false) => libc::O_RDONLY,
        (false, true) => libc::O_WRONLY,
        (true, true) => libc::O_RDWR,
    };
    for (ours, theirs) in [
        (o::APPEND, libc::O_APPEND),
        (o::CREATE, libc::O_CREAT),
        (o::EXCL, libc::O_EXCL),
        (o::TRUNC, libc::O_TRUNC),
        (o::DIRECTORY, libc::O_DIRECTORY),
        (o::NOFOLLOW, libc::O_NOFOLLOW),
        (o::CLOEXEC, libc::O_CLOEXEC),
        (o::NONBLOCK, libc::O_NONBLOCK),
    ] {
        if flags & ours != 0 {
            f |= theirs;
        }
    }
    let path = cstr(path)?;
    // SAFETY: a NUL-terminated path.
    check(unsafe { libc::openat(dirfd, path.as_ptr(), f, mode) })
}

/// `close(2)`.
pub fn close(fd: Fd) -> Result<()> {
    // SAFETY: plain numbers.
    check(unsafe { libc::close(fd) }).map(drop)
}

/// `read(2)`.
pub fn read(fd: Fd, buf: &mut [u8]) -> Result<usize> {
    // SAFETY: pointer and length are of a live exclusive borrow.
    check(unsafe { libc::read(fd, buf.as_mut_ptr().cast(), buf.len()) } as i64).map(|n| n as usize)
}

/// `write(2)`.
pub fn write(fd: Fd, buf: &[u8]) -> Result<usize> {
    // SAFETY: pointer and length are of a live borrow.
    check(unsafe { libc::write(fd, buf.as_ptr().cast(), buf.len()) } as i64).map(|n| n as usize)
}

/// `lseek(2)`; `whence` 0 start, 1 current, 2 end.
pub fn lseek(fd: Fd, offset: i64, whence: u32) -> Result<u64> {
    // SAFETY: plain numbers.
    check(unsafe { libc::lseek(fd, offset, whence.cast_signed()) }).map(i64::cast_unsigned)
}

/// `ftruncate(2)`.
pub fn ftruncate(fd: Fd, size: u64) -> Result<()> {
    // SAFETY: plain numbers.
    check(unsafe { libc::ftruncate(fd, size.cast_signed()) }).map(drop)
}

/// `posix_fallocate(3)`.
pub fn fallocate(fd: Fd, offset: u64, length: u64) -> Result<()> {
    // SAFETY: plain numbers.
    check(unsafe { libc::fallocate(fd, 0, offset.cast_signed(), length.cast_signed()) }).map(drop)
}

/// `pipe2(2)`: read end, write end.
pub fn pipe(cloexec: bool) -> Result<(Fd, Fd)> {
    let mut out = [0; 2];
    // SAFETY: `out` has room for two.
    check(unsafe { libc::pipe2(out.as_mut_ptr(), if cloexec { libc::O_CLOEXEC } else { 0 }) })?;
    Ok((out[0], out[1]))
}

/// `fcntl(F_DUPFD)`: the lowest free number that is at least `min`.
pub fn dup(fd: Fd, min: Fd, cloexec: bool) -> Result<Fd> {
    let op = if cloexec { libc::F_DUPFD_CLOEXEC } else { libc::F_DUPFD };
    // SAFETY: plain numbers.
    check(unsafe { libc::fcntl(fd, op, min) })
}

/// `dup3(2)`, but `from == to` is allowed and only sets the flag.
pub fn dup2(from: Fd, to: Fd, cloexec: bool) -> Result<()> {
    if from == to {
        return set_cloexec(from, cloexec);
    }
    // SAFETY: plain numbers.
    check(unsafe { libc::dup3(from, to, if cloexec { libc::O_CLOEXEC } else { 0 }) }).map(drop)
}

/// Whether the descriptor is closed on exec; `EBADF` if it is not open.
pub fn cloexec(fd: Fd) -> Result<bool> {
    // SAFETY: plain numbers.
    check(unsafe { libc::fcntl(fd, libc::F_GETFD) }).map(|f| f & libc::FD_CLOEXEC != 0)
}

/// Sets close-on-exec.
pub fn set_cloexec(fd: Fd, on: bool) -> Result<()> {
    // SAFETY: plain numbers.
    check(unsafe { libc::fcntl(fd, libc::F_SETFD, if on { libc::FD_CLOEXEC } else { 0 }) }).map(drop)
}

/// `flock(2)`: a lock for all of a file, which belongs to the open file. Without `waits`, `EAGAIN` while others have
/// it.
pub fn flock(fd: Fd, operation: Flock, waits: bool) -> Result<()> {
    let at_once = if waits { 0 } else { libc::LOCK_NB };
    // SAFETY: plain numbers.
    check(unsafe { libc::flock(fd, operation as i32 | at_once) }).map(drop)
}

/// Whether the descriptor is a terminal.
pub fn isatty(fd: Fd) -> bool {
    // SAFETY: plain numbers.
    unsafe { libc::isatty(fd) == 1 }
}

/// Rows and columns of a terminal.
pub fn tty_size(fd: Fd) -> Result<(u32, u32)> {
    // SAFETY: all-zero is a valid winsize.
    let mut w: libc::winsize = unsafe { std::mem::zeroed() };
    // SAFETY: `w` is a live winsize.
    check(unsafe { libc::ioctl(fd, libc::TIOCGWINSZ, &mut w) })?;
    Ok((w.ws_row.into(), w.ws_col.into()))
}

/// Sets the rows and columns that a terminal has for programs.
pub fn set_tty_size(fd: Fd, rows: u32, columns: u32) -> Result<()> {
    // SAFETY: all-zero is a valid winsize.
    let mut w: libc::winsize = unsafe { std::mem::zeroed() };
    (w.ws_row, w.ws_col) = (rows as u16, columns as u16);
    // SAFETY: `w` is a live winsize.
    check(unsafe { libc::ioctl(fd, libc::TIOCSWINSZ, &w) }).map(drop)
}

/// `tcgetattr(3)`.
pub fn tcgetattr(fd: Fd) -> Result<Termios> {
    let t = termios(fd)?;
    let mut cc = [0; 19];
    for (to, from) in cc.iter_mut().zip(t.c_cc) {
        *to = from;
    }
    Ok(Termios { iflag: t.c_iflag, oflag: t.c_oflag, cflag: t.c_cflag, lflag: t.c_lflag, line: t.c_line, cc })
}

fn termios(fd: Fd) -> Result<libc::termios> {
    // SAFETY: all-zero is a valid termios.
    let mut t: libc::termios = unsafe { std::mem::zeroed() };
    // SAFETY: `t` is live.
    check(unsafe { libc::tcgetattr(fd, &mut t) })?;
    Ok(t)
}

/// `tcsetattr(3)`.
pub fn tcsetattr(fd: Fd, when: When, modes: &Termios) -> Result<()> {
    let mut t = termios(fd)?;
    (t.c_iflag, t.c_oflag, t.c_cflag, t.c_lflag, t.c_line) =
        (modes.iflag, modes.oflag, modes.cflag, modes.lflag, modes.line);
    for (to, from) in t.c_cc.iter_mut().zip(modes.cc) {
        *to = from;
    }
    // SAFETY: `t` is live.
    check(unsafe { libc::tcsetattr(fd, when as i32, &t) }).map(drop)
}

/// `tcgetpgrp(3)`.
pub fn tcgetpgrp(fd: Fd) -> Result<Pid> {
    // SAFETY: plain numbers.
    check(unsafe { libc::tcgetpgrp(fd) })
}

/// `tcsetpgrp(3)`.
pub fn tcsetpgrp(fd: Fd, pgid: Pid) -> Result<()> {
    // SAFETY: plain numbers.
    check(unsafe { libc::tcsetpgrp(fd, pgid) }).map(drop)
}

fn convert(s: &libc::stat) -> Stat {
    Stat {
        dev: s.st_dev,
        ino: s.st_ino,
        nlink: s.st_nlink,
        size: s.st_size.cast_unsigned(),
        blocks: s.st_blocks.cast_unsigned(),
        rdev: s.st_rdev,
        atime: s.st_atime,
        mtime: s.st_mtime,
        ctime: s.st_ctime,
        atime_nsec: s.st_atime_nsec as u32,
        mtime_nsec: s.st_mtime_nsec as u32,
        ctime_nsec: s.st_ctime_nsec as u32,
        mode: s.st_mode,
        uid: s.st_uid,
        gid: s.st_gid,
    }
}

/// `fstatat(2)`.
pub fn statat(dirfd: Fd, path: &[u8], follow: bool) -> Result<Stat> {
    let path = cstr(path)?;
    let flags = if follow { 0 } else { libc::AT_SYMLINK_NOFOLLOW };
    // SAFETY: all-zero is a valid stat.
    let mut s: libc::stat = unsafe { std::mem::zeroed() };
    // SAFETY: a NUL-terminated path and a live stat.
    check(unsafe { libc::fstatat(dirfd, path.as_ptr(), &mut s, flags) })?;
    Ok(convert(&s))
}

/// `fstat(2)`.
pub fn fstat(fd: Fd) -> Result<Stat> {
    // SAFETY: all-zero is a valid stat.
    let mut s: libc::stat = unsafe { std::mem::zeroed() };
    // SAFETY: a live stat.
    check(unsafe { libc::fstat(fd, &mut s) })?;
    Ok(convert(&s))
}

/// `chmod(2)`; follows symbolic links.
pub fn chmod(path: &[u8], mode: u32) -> Result<()> {
    let path = cstr(path)?;
    // SAFETY: a NUL-terminated path.
    check(unsafe { libc::chmod(path.as_ptr(), mode) }).map(drop)
}

/// `fchmod(2)`.
pub fn fchmod(fd: Fd, mode: u32) -> Result<()> {
    // SAFETY: plain numbers.
    check(unsafe { libc::fchmod(fd, mode) }).map(drop)
}

/// `fchownat(2)`; `None` keeps the owner or group.
pub fn chown(path: &[u8], uid: Option<u32>, gid: Option<u32>, follow: bool) -> Result<()> {
    let path = cstr(path)?;
    let flags = if follow { 0 } else { libc::AT_SYMLINK_NOFOLLOW };
    let (uid, gid) = (uid.unwrap_or(u32::MAX), gid.unwrap_or(u32::MAX));
    // SAFETY: a NUL-terminated path.
    check(unsafe { libc::fchownat(AT_FDCWD, path.as_ptr(), uid, gid, flags) }).map(drop)
}

/// `faccessat(2)`; mask: 4 read, 2 write, 1 execute, 0 existence.
pub fn accessat(dirfd: Fd, path: &[u8], mask: u32) -> Result<()> {
    let path = cstr(path)?;
    // SAFETY: a NUL-terminated path.
    check(unsafe { libc::faccessat(dirfd, path.as_ptr(), mask.cast_signed(), 0) }).map(drop)
}

/// `mkdir(2)`.
pub fn mkdir(path: &[u8], mode: u32) -> Result<()> {
    let path = cstr(path)?;
    // SAFETY: a NUL-terminated path.
    check(unsafe { libc::mkdir(path.as_ptr(), mode) }).map(drop)
}

/// `mkfifo(3)`.
pub fn mkfifo(path: &[u8], mode: u32) -> Result<()> {
    let path = cstr(path)?;
    // SAFETY: a NUL-terminated path.
    check(unsafe { libc::mkfifo(path.as_ptr(), mode) }).map(drop)
}

/// Makes the name of a socket, to which nobody is bound: `mknod(2)`.
pub fn make_socket(path: &[u8], mode: u32) -> Result<()> {
    let path = cstr(path)?;
    // SAFETY: a NUL-terminated path.
    check(unsafe { libc::mknod(path.as_ptr(), libc::S_IFSOCK | mode, 0) }).map(drop)
}

/// `statfs(2)`.
pub fn statfs(path: &[u8]) -> Result<StatFs> {
    let path = cstr(path)?;
    // SAFETY: all-zero is a valid statfs.
    let mut s: libc::statfs = unsafe { std::mem::zeroed() };
    // SAFETY: a NUL-terminated path and a live statfs.
    check(unsafe { libc::statfs(path.as_ptr(), &mut s) })?;
    Ok(StatFs {
        bsize: s.f_bsize.cast_unsigned(),
        blocks: s.f_blocks,
        bfree: s.f_bfree,
        bavail: s.f_bavail,
        files: s.f_files,
        ffree: s.f_ffree,
        kind: s.f_type.cast_unsigned(),
        namelen: s.f_namelen.cast_unsigned(),
    })
}

/// `unlinkat(2)`; `directory`: as `rmdir(2)`.
pub fn unlinkat(dirfd: Fd, path: &[u8], directory: bool) -> Result<()> {
    let path = cstr(path)?;
    let flags = if directory { libc::AT_REMOVEDIR } else { 0 };
    // SAFETY: a NUL-terminated path.
    check(unsafe { libc::unlinkat(dirfd, path.as_ptr(), flags) }).map(drop)
}

/// `rename(2)`.
pub fn rename(old: &[u8], new: &[u8]) -> Result<()> {
    let (old, new) = (cstr(old)?, cstr(new)?);
    // SAFETY: NUL-terminated paths.
    check(unsafe { libc::rename(old.as_ptr(), new.as_ptr()) }).map(drop)
}

/// `linkat(2)`.
pub fn link(old: &[u8], new: &[u8], follow: bool) -> Result<()> {
    let (old, new) = (cstr(old)?, cstr(new)?);
    let flags = if follow { libc::AT_SYMLINK_FOLLOW } else { 0 };
    // SAFETY: NUL-terminated paths.
    check(unsafe { libc::linkat(AT_FDCWD, old.as_ptr(), AT_FDCWD, new.as_ptr(), flags) }).map(drop)
}

/// `symlink(2)`.
pub fn symlink(target: &[u8], path: &[u8]) -> Result<()> {
    let (target, path) = (cstr(target)?, cstr(path)?);
    // SAFETY: NUL-terminated paths.
    check(unsafe { libc::symlink(target.as_ptr(), path.as_ptr()) }).map(drop)
}

/// `readlink(2)`: the whole target.
pub fn readlink(path: &[u8]) -> Result<Vec<u8>> {
    let path = cstr(path)?;
    let mut buf = vec![0u8; 4096];
    // SAFETY: a NUL-terminated path; the buffer is live.
    let n = check(unsafe { libc::readlink(path.as_ptr(), buf.as_mut_ptr().cast(), buf.len()) } as i64)?;
    buf.truncate(n as usize);
    Ok(buf)
}

/// `utimensat(2)`.
pub fn utimens(path: &[u8], atime: SetTime, mtime: SetTime, follow: bool) -> Result<()> {
    let path = cstr(path)?;
    let raw = |t| match t {
        SetTime::Now => libc::timespec { tv_sec: 0, tv_nsec: libc::UTIME_NOW },
        SetTime::Omit => libc::timespec { tv_sec: 0, tv_nsec: libc::UTIME_OMIT },
        SetTime::At(s, n) => libc::timespec { tv_sec: s, tv_nsec: n.into() },
    };
    let times = [raw(atime), raw(mtime)];
    let flags = if follow { 0 } else { libc::AT_SYMLINK_NOFOLLOW };
    // SAFETY: a NUL-terminated path and two timespecs.
    check(unsafe { libc::utimensat(AT_FDCWD, path.as_ptr(), times.as_ptr(), flags) }).map(drop)
}

/// All entries of a directory except `.` and `..`, sorted by bytes.
pub fn read_dir(path: &[u8]) -> Result<Vec<DirEntry>> {
    let fd = openat(AT_FDCWD, path, open_flags::READ | open_flags::DIRECTORY | open_flags::CLOEXEC, 0)?;
    let result = read_dir_fd(fd);
    let _ = close(fd);
    result
}

/// All entries of an open directory except `.` and `..`, sorted by bytes.
pub fn read_dir_fd(fd: Fd) -> Result<Vec<DirEntry>> {
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::DirEntryExt;
    let path = format!("/proc/self/fd/{fd}");
    let mut out = Vec::new();
    for e in std::fs::read_dir(path).map_err(|e| Errno::from(&e))? {
        let e = e.map_err(|e| Errno::from(&e))?;
        let kind = e.file_type().map_or(0, |t| {
            if t.is_dir() {
                crate::S_IFDIR
            } else if t.is_symlink() {
                crate::S_IFLNK
            } else if t.is_file() {
                crate::S_IFREG
            } else {
                0
            }
        });
        out.push(DirEntry { name: e.file_name().as_bytes().to_vec(), ino: e.ino(), kind });
    }
    out.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(out)
}

/// `chdir(2)`.
pub fn chdir(path: &[u8]) -> Result<()> {
    let path = cstr(path)?;
    // SAFETY: a NUL-terminated path.
    check(unsafe { libc::chdir(path.as_ptr()) }).map(drop)
}

/// `getcwd(3)`.
pub fn getcwd() -> Result<Vec<u8>> {
    use std::os::unix::ffi::OsStringExt;
    std::env::current_dir().map(|p| p.into_os_string().into_vec()).map_err(|e| Errno::from(&e))
}

// What the child needs, prepared before the fork: in the child, only async-signal-safe calls are certain to work.
struct Prepared {
    path: CString,
    argv: Vec<CString>,
    env: Vec<CString>,
    cwd: Option<CString>,
}

impl Prepared {
    fn new(p: &Program<'_>) -> Result<Self> {
        Ok(Self {
            path: cstr(p.path)?,
            argv: p.argv.iter().map(|s| cstr(s)).collect::<Result<_>>()?,
            env: p.env.iter().map(|s| cstr(s)).collect::<Result<_>>()?,
            cwd: if p.cwd.is_empty() { None } else { Some(cstr(p.cwd)?) },
        })
    }

    fn exec(&self, p: &Program<'_>) -> Errno {
        let mut sources = Vec::new();
        for (child, parent) in p.fds {
            match parent {
                None => sources.push((*child, -1)),
                Some(fd) => match dup(*fd, 200, true) {
                    Ok(copy) => sources.push((*child, copy)),
                    Err(e) => return e,
                },
            }
        }
        for (child, copy) in sources {
            // SAFETY: plain numbers.
            unsafe { if copy < 0 { libc::close(child) } else { libc::dup2(copy, child) } };
        }
        forget_ignored_here();
        if p.reset_signals {
            for s in 1..32 {
                // SAFETY: setting default dispositions.
                unsafe { libc::signal(s, libc::SIG_DFL) };
            }
        }
        if let Some(cwd) = &self.cwd {
            // SAFETY: a NUL-terminated path.
            if unsafe { libc::chdir(cwd.as_ptr()) } < 0 {
                return last();
            }
        }
        let list = |v: &[CString]| -> Vec<*const libc::c_char> {
            v.iter().map(|s| s.as_ptr()).chain(std::iter::once(std::ptr::null())).collect()
        };
        let (argv, env) = (list(&self.argv), list(&self.env));
        // SAFETY: NUL-terminated strings in null-terminated lists.
        unsafe { libc::execve(self.path.as_ptr(), argv.as_ptr(), env.as_ptr()) };
        last()
    }
}

/// Starts a program as a child.
pub fn spawn(program: &Program<'_>) -> Result<Pid> {
    let prepared = Prepared::new(program)?;
    // The child reports a failed exec through a pipe, which a successful exec closes.
    let (r, w) = pipe(true)?;
    let child = clone_with(program.pgid, program.foreground, || {
        let e = prepared.exec(program);
        let _ = write(w, &e.0.to_le_bytes());
        127
    });
    let _ = close(w);
    let mut buf = [0; 2];
    let got = read(r, &mut buf);
    let _ = close(r);
    let child = child?;
    if got == Ok(2) {
        let _ = wait(child, 0);
        return Err(Errno(u16::from_le_bytes(buf)));
    }
    Ok(child)
}

/// Replaces this process. Returns only on an error.
pub fn exec(program: &Program<'_>) -> Errno {
    match Prepared::new(program) {
        Ok(p) => p.exec(program),
        Err(e) => e,
    }
}

/// Runs `f` in a child that is a copy of this process. The result of `f` is the child's exit status. In the child, this
/// call never returns.
pub fn clone<'a>(pgid: Option<Pid>, f: impl FnOnce() -> u8 + 'a) -> Result<Pid> {
    clone_with(pgid, false, f)
}

/// As [`clone`]; the child's process group gets the terminal before the child runs.
pub fn clone_foreground<'a>(pgid: Pid, f: impl FnOnce() -> u8 + 'a) -> Result<Pid> {
    clone_with(Some(pgid), true, f)
}

fn clone_with<'a>(pgid: Option<Pid>, foreground: bool, f: impl FnOnce() -> u8 + 'a) -> Result<Pid> {
    // SAFETY: the guests are single-threaded programs.
    let child = check(unsafe { libc::fork() })?;
    if child == 0 {
        PENDING.store(0, Ordering::Relaxed);
        if let Some(p) = pgid {
            let _ = setpgid(0, p);
        }
        // The shell ignores SIGTTOU, and the child does so until here.
        if foreground && let Ok(group) = getpgid(0) {
            let _ = tcsetpgrp(2, group);
        }
        forget_ignored_here();
        exit(f())
    }
    if let Some(p) = pgid {
        let _ = setpgid(child, p);
    }
    Ok(child)
}

/// As [`clone`], for a process substitution. In this backend, whoever reads the command's output waits for its end.
pub fn clone_substitution<'a>(f: impl FnOnce() -> u8 + 'a) -> Result<Pid> {
    clone(None, f)
}

/// `waitpid(2)`. `Ok(None)` if there is nothing to report and [`WNOHANG`](crate::WNOHANG) is given.
pub fn wait(target: Pid, flags: u32) -> Result<Option<Waited>> {
    let mut status = 0;
    let mut options = 0;
    for (ours, theirs) in [
        (crate::WNOHANG, libc::WNOHANG),
        (crate::WUNTRACED, libc::WUNTRACED),
        (crate::WCONTINUED, libc::WCONTINUED),
    ] {
        if flags & ours != 0 {
            options |= theirs;
        }
    }
    // SAFETY: all-zero is a valid rusage.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: live out-parameters.
    let pid = check(unsafe { libc::wait4(target, &mut status, options, &mut usage) })?;
    if pid == 0 {
        return Ok(None);
    }
    let ns = |t: libc::timeval| t.tv_sec.cast_unsigned() * 1_000_000_000 + t.tv_usec.cast_unsigned() * 1000;
    let status = if libc::WIFEXITED(status) {
        WaitStatus::Exited(libc::WEXITSTATUS(status) as u8)
    } else if libc::WIFSIGNALED(status) {
        WaitStatus::Signaled(libc::WTERMSIG(status) as u8)
    } else if libc::WIFSTOPPED(status) {
        WaitStatus::Stopped(libc::WSTOPSIG(status) as u8)
    } else {
        WaitStatus::Continued
    };
    Ok(Some(Waited { pid, status, utime: ns(usage.ru_utime), stime: ns(usage.ru_stime) }))
}

/// `kill(2)`.
pub fn kill(target: Pid, sig: u8) -> Result<()> {
    // SAFETY: plain numbers.
    check(unsafe { libc::kill(target, sig.into()) }).map(drop)
}

/// `getpid(2)`.
pub fn getpid() -> Pid {
    // SAFETY: no arguments.
    unsafe { libc::getpid() }
}

/// `getppid(2)`.
pub fn getppid() -> Pid {
    // SAFETY: no arguments.
    unsafe { libc::getppid() }
}

/// `getpgid(2)`.
pub fn getpgid(target: Pid) -> Result<Pid> {
    // SAFETY: plain numbers.
    check(unsafe { libc::getpgid(target) })
}

/// `setpgid(2)`.
pub fn setpgid(target: Pid, pgid: Pid) -> Result<()> {
    // SAFETY: plain numbers.
    check(unsafe { libc::setpgid(target, pgid) }).map(drop)
}

/// `setsid(2)`.
pub fn setsid() -> Result<Pid> {
    // SAFETY: no arguments.
    check(unsafe { libc::setsid() })
}

/// User and group ID.
pub fn getids() -> (u32, u32) {
    // SAFETY: no arguments.
    unsafe { (libc::geteuid(), libc::getegid()) }
}

/// `umask(2)`.
pub fn umask(mask: u32) -> u32 {
    // SAFETY: plain numbers.
    unsafe { libc::umask(mask) }
}

/// `times(2)`.
pub fn times() -> Times {
    let get = |who| {
        // SAFETY: all-zero is a valid rusage.
        let mut u: libc::rusage = unsafe { std::mem::zeroed() };
        // SAFETY: a live out-parameter.
        unsafe { libc::getrusage(who, &mut u) };
        let ns =
            |t: libc::timeval| t.tv_sec.cast_unsigned() * 1_000_000_000 + t.tv_usec.cast_unsigned() * 1000;
        (ns(u.ru_utime), ns(u.ru_stime))
    };
    let (own, kids) = (get(libc::RUSAGE_SELF), get(libc::RUSAGE_CHILDREN));
    Times { utime: own.0, stime: own.1, cutime: kids.0, cstime: kids.1 }
}

/// `getrlimit(2)`: soft and hard; `u64::MAX` is unlimited.
pub fn getrlimit(resource: u32) -> Result<(u64, u64)> {
    let mut r = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: a live out-parameter.
    check(unsafe { libc::getrlimit(resource, &mut r) })?;
    Ok((r.rlim_cur, r.rlim_max))
}

/// `setrlimit(2)`.
pub fn setrlimit(resource: u32, soft: u64, hard: u64) -> Result<()> {
    let r = libc::rlimit { rlim_cur: soft, rlim_max: hard };
    // SAFETY: a live parameter.
    check(unsafe { libc::setrlimit(resource, &r) }).map(drop)
}

static PENDING: AtomicU64 = AtomicU64::new(0);

/// Signals that only this process ignores.
static IGNORED_HERE: AtomicU64 = AtomicU64::new(0);

// Resets the signals that only the original process ignores. A copy and a new program call this first.
fn forget_ignored_here() {
    let here = IGNORED_HERE.swap(0, Ordering::Relaxed);
    for s in (1..32).filter(|s| here >> s & 1 == 1) {
        // SAFETY: setting default dispositions.
        unsafe { libc::signal(s, libc::SIG_DFL) };
    }
}

extern "C" fn note(sig: libc::c_int) {
    PENDING.fetch_or(1 << sig, Ordering::Relaxed);
}

/// Sets the action for a signal. Returns the former one.
pub fn sigaction(sig: u8, disposition: Disposition) -> Result<Disposition> {
    // SAFETY: all-zero is a valid sigaction.
    let mut new: libc::sigaction = unsafe { std::mem::zeroed() };
    // SAFETY: all-zero is a valid sigaction.
    let mut old: libc::sigaction = unsafe { std::mem::zeroed() };
    let handler: extern "C" fn(libc::c_int) = note;
    new.sa_sigaction = match disposition {
        Disposition::Default => libc::SIG_DFL,
        Disposition::Ignore | Disposition::IgnoreHere => libc::SIG_IGN,
        Disposition::Catch => handler as libc::sighandler_t,
    };
    // SAFETY: the handler only sets an atomic.
    check(unsafe { libc::sigaction(sig.into(), &new, &mut old) })?;
    let bit = 1u64.checked_shl(u32::from(sig)).unwrap_or(0);
    let was_here = IGNORED_HERE.load(Ordering::Relaxed) & bit != 0;
    if disposition == Disposition::IgnoreHere {
        IGNORED_HERE.fetch_or(bit, Ordering::Relaxed);
    } else {
        IGNORED_HERE.fetch_and(!bit, Ordering::Relaxed);
    }
    Ok(match old.sa_sigaction {
        libc::SIG_IGN if was_here => Disposition::IgnoreHere,
        libc::SIG_DFL => Disposition::Default,
        libc::SIG_IGN => Disposition::Ignore,
        _ => Disposition::Catch,
    })
}

/// Takes a caught signal that has arrived, if any.
pub fn sigtake() -> Option<u8> {
    let pending = PENDING.load(Ordering::Relaxed);
    if pending == 0 {
        return None;
    }
    let sig = pending.trailing_zeros();
    PENDING.fetch_and(!(1 << sig), Ordering::Relaxed);
    u8::try_from(sig).ok()
}

/// Sends `SIGALRM` after this time; `None` cancels. Returns the remaining time of the former alarm.
pub fn alarm(after: Option<Duration>) -> Duration {
    let d = after.unwrap_or_default();
    let new = libc::itimerval {
        it_interval: libc::timeval { tv_sec: 0, tv_usec: 0 },
        it_value: libc::timeval { tv_sec: d.as_secs().cast_signed(), tv_usec: d.subsec_micros().into() },
    };
    let mut old = new;
    // SAFETY: live parameters.
    unsafe { libc::setitimer(libc::ITIMER_REAL, &new, &mut old) };
    Duration::from_secs(old.it_value.tv_sec.cast_unsigned())
        + Duration::from_micros(old.it_value.tv_usec.cast_unsigned())
}

/// `poll(2)`: waits until a descriptor is ready, the timeout expires (`Ok(0)`), or a caught signal arrives (`EINTR`).
/// Returns how many descriptors are ready.
pub fn poll(fds: &mut [PollFd], timeout: Option<Duration>) -> Result<usize> {
    let mut raw: Vec<libc::pollfd> = fds
        .iter()
        .map(|f| libc::pollfd {
            fd: f.fd,
            events: if f.read { libc::POLLIN } else { 0 } | if f.write { libc::POLLOUT } else { 0 },
            revents: 0,
        })
        .collect();
    let ts = timeout
        .map(|t| libc::timespec { tv_sec: t.as_secs().cast_signed(), tv_nsec: t.subsec_nanos().into() });
    let ts = ts.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
    // SAFETY: `raw` holds `raw.len()` records; a null mask keeps the signal mask.
    check(unsafe { libc::ppoll(raw.as_mut_ptr(), raw.len() as libc::nfds_t, ts, std::ptr::null()) })?;
    for (f, r) in fds.iter_mut().zip(&raw) {
        f.ready = r.revents != 0;
    }
    Ok(fds.iter().filter(|f| f.ready).count())
}

/// Sleeps. `EINTR` if a caught signal arrives.
pub fn sleep(time: Duration) -> Result<()> {
    poll(&mut [], Some(time)).map(drop)
}

fn clock(id: libc::clockid_t) -> u64 {
    let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a live out-parameter.
    unsafe { libc::clock_gettime(id, &mut t) };
    t.tv_sec.cast_unsigned() * 1_000_000_000 + t.tv_nsec.cast_unsigned()
}

/// The wall clock, in nanoseconds since the epoch.
pub fn realtime() -> u64 {
    clock(libc::CLOCK_REALTIME)
}

/// The monotonic clock, in nanoseconds.
pub fn monotonic() -> u64 {
    clock(libc::CLOCK_MONOTONIC)
}

/// Fills the buffer with random bytes.
pub fn random(buf: &mut [u8]) {
    // SAFETY: pointer and length are of a live exclusive borrow.
    unsafe { libc::getrandom(buf.as_mut_ptr().cast(), buf.len(), 0) };
}

/// The applet. In native builds, the program's own name.
pub fn applet() -> Vec<u8> {
    use std::os::unix::ffi::OsStringExt;
    let argv0 = std::env::args_os().next().unwrap_or_default().into_vec();
    argv0.rsplit(|b| *b == b'/').next().unwrap_or_default().to_vec()
}

/// The environment as `NAME=VALUE`.
pub fn environment() -> Vec<Vec<u8>> {
    use std::os::unix::ffi::OsStringExt;
    std::env::vars_os().map(|(name, value)| [name.into_vec(), value.into_vec()].join(&b'=')).collect()
}

/// The number of processors.
pub fn nproc() -> u32 {
    std::thread::available_parallelism().map_or(1, |n| u32::try_from(n.get()).unwrap_or(1))
}

/// The host name.
pub fn hostname() -> Vec<u8> {
    let mut buf = vec![0u8; 255];
    // SAFETY: pointer and length are of a live exclusive borrow.
    unsafe { libc::gethostname(buf.as_mut_ptr().cast(), buf.len()) };
    let end = buf.iter().position(|b| *b == 0).unwrap_or(buf.len());
    buf.truncate(end);
    buf
}

/// No host gives commands here.
pub fn session_read(_: &mut [u8]) -> Result<usize> {
    Err(Errno::PERM)
}

/// No host gives commands here.
pub fn session_answer(_: u8) -> Result<()> {
    Err(Errno::PERM)
}

/// Ends the process at once, without flushing anything.
pub fn exit(code: u8) -> ! {
    // SAFETY: never returns.
    unsafe { libc::_exit(code.into()) }
}
