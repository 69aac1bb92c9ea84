//! Data types of the operations.

use crate::{HostLocks, Name, Result};
use std::ops::Range;
use std::sync::Arc;

/// The longest path that any operation accepts, in bytes: `PATH_MAX` without the NUL.
pub const MAX_PATH: usize = 4095;

/// The identity of the caller. User 0 passes every check of mode bits and ownership, as the superuser does on Linux.
///
/// There are no supplementary groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Context {
    /// Effective user.
    pub uid: u32,
    /// Effective group.
    pub gid: u32,
    /// The process, for paths that depend on the caller (`/proc/self`); 0 for none.
    pub pid: u32,
}

impl Context {
    /// The superuser without a process, for a host program's access to a sandbox.
    pub const ROOT: Self = Self { uid: 0, gid: 0, pid: 0 };

    /// The ordinary user of a sandbox, 1000:1000, without a process.
    pub const USER: Self = Self { uid: 1000, gid: 1000, pid: 0 };
}

/// A point in time: seconds since 1970-01-01 00:00:00 UTC and nanoseconds below 1,000,000,000.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time {
    /// Whole seconds, negative before 1970.
    pub secs: i64,
    /// Nanoseconds after `secs`.
    pub nanos: u32,
}

/// A source of timestamps.
pub trait TimeSource: Send + Sync {
    /// The current time.
    fn now(&self) -> Time;
}

/// The clock of the host.
#[derive(Clone, Copy, Debug, Default)]
pub struct HostClock;

impl TimeSource for HostClock {
    fn now(&self) -> Time {
        use std::time::{SystemTime, UNIX_EPOCH};
        match SystemTime::now().duration_since(UNIX_EPOCH) {
            Ok(since) => {
                Time { secs: i64::try_from(since.as_secs()).unwrap_or(i64::MAX), nanos: since.subsec_nanos() }
            }
            Err(_) => Time::default(),
        }
    }
}

/// A clock that always shows the same time.
#[derive(Clone, Copy, Debug, Default)]
pub struct FixedClock(
    /// The time it shows.
    pub Time,
);

impl TimeSource for FixedClock {
    fn now(&self) -> Time {
        self.0
    }
}

impl<T: TimeSource + ?Sized> TimeSource for Arc<T> {
    fn now(&self) -> Time {
        (**self).now()
    }
}

/// The types of file of POSIX.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileKind {
    /// A file with contents.
    Regular,
    /// A directory.
    Directory,
    /// A symbolic link.
    Symlink,
    /// A named pipe.
    Fifo,
    /// A character device.
    CharDevice,
    /// A socket's name.
    Socket,
    /// A block device.
    BlockDevice,
}

impl FileKind {
    /// The bits of `S_IFMT` in Linux's `st_mode`.
    pub const fn format_bits(self) -> u32 {
        match self {
            Self::Fifo => 0o010_000,
            Self::CharDevice => 0o020_000,
            Self::Directory => 0o040_000,
            Self::BlockDevice => 0o060_000,
            Self::Regular => 0o100_000,
            Self::Symlink => 0o120_000,
            Self::Socket => 0o140_000,
        }
    }

    /// The kind from a Linux `st_mode`; `None` for unknown bits.
    pub const fn from_mode(mode: u32) -> Option<Self> {
        Some(match mode & 0o170_000 {
            0o010_000 => Self::Fifo,
            0o020_000 => Self::CharDevice,
            0o040_000 => Self::Directory,
            0o060_000 => Self::BlockDevice,
            0o100_000 => Self::Regular,
            0o120_000 => Self::Symlink,
            0o140_000 => Self::Socket,
            _ => return None,
        })
    }
}

/// Identifies a file while it exists. Two names with the same key are hard links of one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileKey {
    /// Device: one number for each mounted filesystem of a namespace.
    pub dev: u64,
    /// Inode number, unique on the device.
    pub ino: u64,
}

/// The attributes of a file, as in `stat`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metadata {
    /// Device number of the mount. A [`FileSystem`](crate::FileSystem) leaves 0; the namespace fills it in.
    pub dev: u64,
    /// Inode number, unique on the device.
    pub ino: u64,
    /// Type of file.
    pub kind: FileKind,
    /// Permission bits, at most 0o7777 (without the type).
    pub mode: u32,
    /// Number of names.
    pub nlink: u64,
    /// Owner.
    pub uid: u32,
    /// Group.
    pub gid: u32,
    /// For devices: Linux's number, major << 8 | minor.
    pub rdev: u64,
    /// Bytes; for a symbolic link the length of its target.
    pub size: u64,
    /// Storage used, in units of 512 bytes.
    pub blocks: u64,
    /// Last access (see each filesystem for when it is updated).
    pub atime: Time,
    /// Last change of the contents.
    pub mtime: Time,
    /// Last change of the contents or of these attributes.
    pub ctime: Time,
}

impl Metadata {
    /// The file's identity.
    pub const fn key(&self) -> FileKey {
        FileKey { dev: self.dev, ino: self.ino }
    }
}

/// A timestamp to set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetTime {
    /// The filesystem's own clock.
    Now,
    /// This time.
    At(Time),
}

/// Attributes to change. `None` leaves one unchanged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SetAttributes {
    /// Permission bits (0o7777); other bits are ignored.
    pub mode: Option<u32>,
    /// Owner.
    pub uid: Option<u32>,
    /// Group.
    pub gid: Option<u32>,
    /// Length in bytes: truncates, or extends with zeros.
    pub size: Option<u64>,
    /// Access time.
    pub atime: Option<SetTime>,
    /// Modification time.
    pub mtime: Option<SetTime>,
}

/// Sizes and limits of a filesystem, as in `statvfs`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StatFs {
    /// Unit of the block counts, in bytes.
    pub block_size: u64,
    /// Size of the filesystem in blocks.
    pub blocks: u64,
    /// Free blocks.
    pub blocks_free: u64,
    /// Free blocks for an ordinary user.
    pub blocks_available: u64,
    /// Inodes that can exist.
    pub files: u64,
    /// Inodes still free.
    pub files_free: u64,
    /// Linux's magic number of the filesystem's type (`f_type`).
    pub kind: u64,
    /// Longest name, in bytes.
    pub name_length: u64,
}

/// Whether a symbolic link is followed if it is the last component of a path. Links in other components are always
/// followed, and so is the last one if a slash follows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Follow {
    /// Go where it points.
    Yes,
    /// Take the link itself.
    No,
}

/// How [`Namespace::open`](crate::Namespace::open) opens a file: the flags of `open(2)`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpenOptions {
    /// Allow reading.
    pub read: bool,
    /// Allow writing.
    pub write: bool,
    /// Allow writing at the end only (implies `write`).
    pub append: bool,
    /// Create a missing file (`O_CREAT`).
    pub create: bool,
    /// With `create`: the file must not exist, not even as a dangling link (`O_EXCL`).
    pub exclusive: bool,
    /// Truncate an existing file to length 0 (`O_TRUNC`); needs write permission.
    pub truncate: bool,
    /// Fail with `ENOTDIR` if it is no directory (`O_DIRECTORY`).
    pub directory: bool,
    /// Fail with `ELOOP` if the last component is a symbolic link (`O_NOFOLLOW`).
    pub nofollow: bool,
    /// Permission bits of a created file. The caller has applied its umask.
    pub mode: u32,
}

impl OpenOptions {
    /// Reading only.
    pub const READ: Self = Self {
        read: true,
        write: false,
        append: false,
        create: false,
        exclusive: false,
        truncate: false,
        directory: false,
        nofollow: false,
        mode: 0,
    };

    /// Create with mode 0666 (before the umask) or truncate, and write: as the shell's `>`.
    pub const WRITE: Self =
        Self { read: false, write: true, create: true, truncate: true, mode: 0o666, ..Self::READ };
}

/// How a filesystem is mounted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MountOptions {
    /// Every change fails with `EROFS`.
    pub read_only: bool,
}

/// One name in a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirEntry {
    /// The name: not empty, not `.` or `..`, without `/` and NUL.
    pub name: Name,
    /// Inode number of the file on the directory's own filesystem.
    pub ino: u64,
    /// Type of the file.
    pub kind: FileKind,
    /// Cursor that continues after this entry.
    pub next: u64,
}

/// An open file or directory. Access is by offset: cursors, flags and locks are up to the caller.
///
/// It keeps the file alive: an unlinked file can be read and written until the last handle is dropped.
///
/// The files that [`Namespace::open`](crate::Namespace::open) returns check everything that is said below. A file that
/// a [`FileSystem`](crate::FileSystem) returns need not check access mode or permissions, because the namespace wraps
/// it.
pub trait File: Send + Sync {
    /// Reads at `offset` into `buf`, and returns the number of bytes: less than `buf` holds only at the end of the
    /// file, 0 at or after it.
    ///
    /// `EBADF` if not opened for reading, `EISDIR` for a directory.
    fn read_at(&self, buf: &mut [u8], offset: u64) -> Result<usize>;

    /// The first range of stored bytes at or after `offset`; `None` if there is none. Between such ranges are holes:
    /// zeros that take no space, such as `truncate` creates. A filesystem without holes reports all bytes as one range,
    /// the default. `EBADF` and `EISDIR` as for reading.
    fn next_data(&self, offset: u64) -> Result<Option<Range<u64>>> {
        let size = self.metadata()?.size;
        Ok((offset < size).then_some(offset..size))
    }

    /// Writes `buf` at `offset`, and fills a gap before it with zeros. Returns the number of written bytes: fewer if
    /// space ran out.
    ///
    /// `EBADF` if not opened for writing, `ENOSPC` or `EDQUOT` if nothing fits, `EFBIG` beyond the largest offset.
    fn write_at(&self, buf: &[u8], offset: u64) -> Result<usize>;

    /// Writes `buf` at the end of the file, atomically with respect to other appends, and returns the offset after the
    /// written bytes. As with [`write_at`](Self::write_at), these can be fewer than `buf` has;
    /// [`append_counted`](Self::append_counted) also returns their number.
    fn append(&self, buf: &[u8]) -> Result<u64> {
        self.append_counted(buf).map(|(_, end)| end)
    }

    /// As [`append`](Self::append), but returns the number of written bytes and the offset after them.
    fn append_counted(&self, buf: &[u8]) -> Result<(usize, u64)>;

    /// The file's attributes.
    fn metadata(&self) -> Result<Metadata>;

    /// As [`metadata`](Self::metadata), for who has just opened the file: they may be as old as that.
    fn metadata_when_opened(&self) -> Result<Metadata> {
        self.metadata()
    }

    /// Changes attributes, by POSIX's rules for `fchmod`, `fchown`, `ftruncate` and `futimens`; `EINVAL` for a new size
    /// if the file was not opened for writing.
    fn set_attributes(&self, cx: &Context, attributes: &SetAttributes) -> Result<()>;

    /// Makes the contents durable, if the filesystem is.
    fn sync(&self) -> Result<()>;

    /// Reserves storage for the range and extends the file to cover it, as `posix_fallocate`.
    fn allocate(&self, offset: u64, len: u64) -> Result<()>;

    /// A batch of a directory's entries after `cursor` (0 at the start), sorted by the bytes of their names, without
    /// `.` and `..`. Empty at the end. Each entry's `next` is the cursor after it.
    ///
    /// A scan shows the directory as it was when it was read from cursor 0. A name that is removed during the scan may
    /// still be listed, and a name that stays is listed exactly once. `ENOTDIR` for other files.
    fn read_dir(&self, cx: &Context, cursor: u64) -> Result<Vec<DirEntry>>;

    /// Opens the file once more, for locks that others beside this program's sandboxes see. `None`, the default, if
    /// nobody else sees the file, or the host has no such locks. A file of the host that may only be read gets shared
    /// locks instead of exclusive ones: they keep nobody else from reading.
    fn host_locks(&self) -> Result<Option<Box<dyn HostLocks>>> {
        Ok(None)
    }
}
