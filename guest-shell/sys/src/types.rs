//! Plain data that system calls take and return.

use crate::{Fd, Pid};

/// Flags of [`open`](crate::open), or-ed together.
pub mod open_flags {
    /// Open for reading.
    pub const READ: u32 = 1;
    /// Open for writing.
    pub const WRITE: u32 = 2;
    /// Every write appends to the end of the file.
    pub const APPEND: u32 = 4;
    /// Create the file if it is missing.
    pub const CREATE: u32 = 8;
    /// With `CREATE`: fail with `EEXIST` if the name exists.
    pub const EXCL: u32 = 0x10;
    /// Truncate a regular file to length zero.
    pub const TRUNC: u32 = 0x20;
    /// Fail with `ENOTDIR` unless it is a directory.
    pub const DIRECTORY: u32 = 0x40;
    /// Fail with `ELOOP` if the last component is a symbolic link.
    pub const NOFOLLOW: u32 = 0x80;
    /// Close the descriptor on exec and spawn.
    pub const CLOEXEC: u32 = 0x100;
    /// Return `EAGAIN` instead of waiting in reads and writes.
    pub const NONBLOCK: u32 = 0x200;
}

/// Mask of the file type in [`Stat::mode`].
pub const S_IFMT: u32 = 0o170_000;
/// Directory.
pub const S_IFDIR: u32 = 0o040_000;
/// Regular file.
pub const S_IFREG: u32 = 0o100_000;
/// Symbolic link.
pub const S_IFLNK: u32 = 0o120_000;
/// FIFO.
pub const S_IFIFO: u32 = 0o010_000;
/// Character device.
pub const S_IFCHR: u32 = 0o020_000;
/// Block device.
pub const S_IFBLK: u32 = 0o060_000;
/// Socket.
pub const S_IFSOCK: u32 = 0o140_000;

/// The result of `stat(2)`. The layout is defined by the kernel.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stat {
    /// Device of the filesystem.
    pub dev: u64,
    /// Inode number.
    pub ino: u64,
    /// Hard links.
    pub nlink: u64,
    /// Bytes.
    pub size: u64,
    /// Allocated blocks of 512 bytes.
    pub blocks: u64,
    /// Device number of a device file.
    pub rdev: u64,
    /// Access time, seconds since the epoch.
    pub atime: i64,
    /// Modification time, seconds since the epoch.
    pub mtime: i64,
    /// Status change time, seconds since the epoch.
    pub ctime: i64,
    /// Nanoseconds of the access time.
    pub atime_nsec: u32,
    /// Nanoseconds of the modification time.
    pub mtime_nsec: u32,
    /// Nanoseconds of the status change time.
    pub ctime_nsec: u32,
    /// Type and permission bits, Linux octal.
    pub mode: u32,
    /// Owner.
    pub uid: u32,
    /// Group.
    pub gid: u32,
}

impl Stat {
    fn is(&self, kind: u32) -> bool {
        self.mode & S_IFMT == kind
    }
    /// Whether this is a directory.
    pub fn is_dir(&self) -> bool {
        self.is(S_IFDIR)
    }
    /// Whether this is a regular file.
    pub fn is_file(&self) -> bool {
        self.is(S_IFREG)
    }
    /// Whether this is a symbolic link.
    pub fn is_symlink(&self) -> bool {
        self.is(S_IFLNK)
    }
}

/// An entry of a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirEntry {
    /// The name, without the directory.
    pub name: Vec<u8>,
    /// Inode number.
    pub ino: u64,
    /// Type bits (`S_IFDIR`…), 0 if unknown.
    pub kind: u32,
}

/// The size and use of a filesystem, as from `statfs(2)`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StatFs {
    /// Block size in bytes.
    pub bsize: u64,
    /// Total blocks.
    pub blocks: u64,
    /// Free blocks.
    pub bfree: u64,
    /// Free blocks available to the user.
    pub bavail: u64,
    /// Total inodes.
    pub files: u64,
    /// Free inodes.
    pub ffree: u64,
    /// Magic number of the filesystem's type.
    pub kind: u64,
    /// Maximum length of a name.
    pub namelen: u64,
}

/// A time to set with [`utimens`](crate::utimens).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetTime {
    /// Leave the time unchanged.
    Omit,
    /// The current time.
    Now,
    /// Seconds and nanoseconds since the epoch.
    At(i64, u32),
}

/// How a child ended or changed its state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitStatus {
    /// Exited with this status.
    Exited(u8),
    /// Killed by this signal.
    Signaled(u8),
    /// Stopped by this signal.
    Stopped(u8),
    /// Continued.
    Continued,
}

impl WaitStatus {
    /// The value for a shell's `$?`: the status, or 128 plus the signal.
    pub fn code(self) -> i32 {
        match self {
            Self::Exited(n) => i32::from(n),
            Self::Signaled(n) | Self::Stopped(n) => 128 + i32::from(n),
            Self::Continued => 0,
        }
    }
}

/// A child that [`wait`](crate::wait) reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waited {
    /// The child's process ID.
    pub pid: Pid,
    /// What happened to it.
    pub status: WaitStatus,
    /// Its user time in nanoseconds.
    pub utime: u64,
    /// Its system time in nanoseconds.
    pub stime: u64,
}

/// Flag of [`wait`](crate::wait): do not wait.
pub const WNOHANG: u32 = 1;
/// Flag of [`wait`](crate::wait): report stopped children too.
pub const WUNTRACED: u32 = 2;
/// Flag of [`wait`](crate::wait): report continued children too.
pub const WCONTINUED: u32 = 4;

/// A program to start, for [`spawn`](crate::spawn) and [`exec`](crate::exec).
#[derive(Clone, Copy, Debug, Default)]
pub struct Program<'a> {
    /// The file. `PATH` is not searched. A relative path starts at the working directory.
    pub path: &'a [u8],
    /// The arguments, beginning with the program's name.
    pub argv: &'a [Vec<u8>],
    /// The environment as `NAME=VALUE`.
    pub env: &'a [Vec<u8>],
    /// `(child, parent)`: the child's descriptor becomes a copy of the parent's; `None` closes it. The parent's numbers
    /// are those before the call. All other descriptors without close-on-exec are inherited.
    pub fds: &'a [(Fd, Option<Fd>)],
    /// The working directory. If empty, the caller's is kept.
    pub cwd: &'a [u8],
    /// The process group of the child; `Some(0)` makes a new one.
    pub pgid: Option<Pid>,
    /// The child's new process group gets the caller's terminal before the child runs, as if by `tcsetpgrp(3)`. Does
    /// nothing if the caller is not in the foreground itself.
    pub foreground: bool,
    /// Reset ignored signals to their default actions.
    pub reset_signals: bool,
}

/// A descriptor to watch with [`poll`](crate::poll).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PollFd {
    /// The descriptor.
    pub fd: Fd,
    /// Wait until there is data or the end of the file.
    pub read: bool,
    /// Wait until there is room for data.
    pub write: bool,
    /// Result: a call would not block, or would fail at once.
    pub ready: bool,
}

/// Times of this process and of the children that it has waited for, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// User time.
    pub utime: u64,
    /// System time.
    pub stime: u64,
    /// User time of children.
    pub cutime: u64,
    /// System time of children.
    pub cstime: u64,
}

/// The action for a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disposition {
    /// The signal's default action.
    Default,
    /// Ignore it.
    Ignore,
    /// Ignore it in this process only. Copies of the process and programs that it starts or becomes have the default
    /// action.
    IgnoreHere,
    /// Record it for [`sigtake`](crate::sigtake). Blocking calls return `EINTR`.
    Catch,
}

/// What [`flock`](crate::flock) does. The numbers are Linux's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flock {
    /// A lock that several open files can have at once.
    Shared = 1,
    /// A lock that one open file has alone.
    Exclusive = 2,
    /// None.
    Unlock = 8,
}

/// The settings of a terminal (`struct termios` of Linux's kernel).
#[repr(C)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Termios {
    /// `c_iflag`.
    pub iflag: u32,
    /// `c_oflag`.
    pub oflag: u32,
    /// `c_cflag`.
    pub cflag: u32,
    /// `c_lflag`.
    pub lflag: u32,
    /// `c_line`.
    pub line: u8,
    /// `c_cc`.
    pub cc: [u8; 19],
}

/// When [`tcsetattr`](crate::tcsetattr) takes effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// At once.
    Now,
    /// When all output is shown.
    Drain,
    /// Then, and what was typed and not read is forgotten.
    Flush,
}
