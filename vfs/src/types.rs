//! The plain data that operations take and return.

use crate::Result;
use std::ops::Range;
use std::sync::Arc;

/// Who acts. User 0 passes every check of mode bits and ownership, as the superuser does on Linux.
///
/// There are no supplementary groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Context {
    /// Effective user.
    pub uid: u32,
    /// Effective group.
    pub gid: u32,
    /// The process, for names that depend on who looks (`/proc/self`); 0 for none.
    pub pid: u32,
}

impl Context {
    /// The superuser without a process: what a host program uses to look into a sandbox.
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

/// Where a filesystem's timestamps come from.
pub trait TimeSource: Send + Sync {
    /// The time to record now.
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

/// A clock that stands still: always the same time.
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

    /// The kind that a Linux `st_mode` says; `None` for bits that name none.
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

/// What identifies a file while it exists: two names with the same key are hard links of one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileKey {
    /// Device: one number for each mounted filesystem of a namespace.
    pub dev: u64,
    /// Inode number, unique on the device.
    pub ino: u64,
}

/// What `stat` tells about a file.
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
    /// What identifies the file.
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

/// Attributes to change; `None` keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SetAttributes {
    /// Permission bits (0o7777); other bits are ignored.
    pub mode: Option<u32>,
    /// Owner.
    pub uid: Option<u32>,
    /// Group.
    pub gid: Option<u32>,
    /// Length in bytes: cuts off, or extends with zeros.
    pub size: Option<u64>,
    /// Access time.
    pub atime: Option<SetTime>,
    /// Modification time.
    pub mtime: Option<SetTime>,
}

/// What `statvfs` tells about a filesystem.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StatFs {
    /// Unit of the block counts, in bytes.
    pub block_size: u64,
    /// Size of the filesystem.
    pub blocks: u64,
    /// Free blocks.
    pub blocks_free: u64,
    /// Free blocks for an ordinary user.
    pub blocks_available: u64,
    /// Inodes that can exist.
    pub files: u64,
    /// Inodes still free.
    pub files_free: u64,
    /// Linux's magic number of the kind (`f_type`).
    pub kind: u64,
    /// Longest name, in bytes.
    pub name_length: u64,
}

/// Whether a symbolic link in the last place of a path is followed. (Others always are, and so is the last one when
/// a slash comes after it.)
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
    /// Cut an existing file to length 0 (`O_TRUNC`); needs write permission.
    pub truncate: bool,
    /// Only a directory will do (`O_DIRECTORY`).
    pub directory: bool,
    /// Fail with `ELOOP` where the last component is a symbolic link (`O_NOFOLLOW`).
    pub nofollow: bool,
    /// Permission bits of a created file; the caller has applied its umask.
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

    /// Writing from the start, creating with mode 0666 or cutting: what the shell's `>` does, before the umask.
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
    /// The name: neither empty nor `.` nor `..`, without `/` and NUL.
    pub name: Box<[u8]>,
    /// Inode number of the file on the directory's own filesystem.
    pub ino: u64,
    /// Type of the file.
    pub kind: FileKind,
    /// Cursor that continues after this entry.
    pub next: u64,
}

/// An open file or directory: positional, without a cursor, flags or locks of its own (those are the opener's).
///
/// It keeps the file alive: an unlinked file can be read and written until the last handle goes.
///
/// What [`Namespace::open`](crate::Namespace::open) returns checks everything said below. A file that a
/// [`FileSystem`](crate::FileSystem) returns needs no check of access mode or permission: the namespace wraps it.
pub trait File: Send + Sync {
    /// Reads at `offset` into `buf`; fewer bytes only before the end of the file, 0 at or after it.
    ///
    /// `EBADF` when not opened for reading, `EISDIR` for a directory.
    fn read_at(&self, buf: &mut [u8], offset: u64) -> Result<usize>;

    /// The first stretch of bytes at or after `offset` that takes space; `None` when none comes. What lies between
    /// stretches is holes: zeros that take no space, such as `truncate` leaves. A filesystem that does not know them
    /// says that all is one stretch, the default. `EBADF` and `EISDIR` as for reading.
    fn next_data(&self, offset: u64) -> Result<Option<Range<u64>>> {
        let size = self.metadata()?.size;
        Ok((offset < size).then_some(offset..size))
    }

    /// Writes `buf` at `offset`, filling a gap before it with zeros. Returns how much was written: fewer bytes when
    /// space ran out half way.
    ///
    /// `EBADF` when not opened for writing, `ENOSPC` and `EDQUOT` when nothing fits, `EFBIG` beyond the largest offset.
    fn write_at(&self, buf: &[u8], offset: u64) -> Result<usize>;

    /// Writes `buf` at the end of the file, atomically with respect to other appends, and returns the offset after what
    /// was written. That can be less than all of `buf`, as in [`write_at`](Self::write_at); the caller learns how much
    /// was written with [`append_counted`](Self::append_counted).
    fn append(&self, buf: &[u8]) -> Result<u64> {
        self.append_counted(buf).map(|(_, end)| end)
    }

    /// [`append`](Self::append) that returns the bytes written and the offset after them.
    fn append_counted(&self, buf: &[u8]) -> Result<(usize, u64)>;

    /// The file's attributes.
    fn metadata(&self) -> Result<Metadata>;

    /// Changes attributes, by POSIX's rules for `fchmod`, `fchown`, `ftruncate` and `futimens`; `EINVAL` when the size
    /// is to be set and the file was not opened for writing.
    fn set_attributes(&self, cx: &Context, attributes: &SetAttributes) -> Result<()>;

    /// Makes the contents durable where the filesystem has something durable.
    fn sync(&self) -> Result<()>;

    /// Reserves storage for the range and extends the file to cover it, as `posix_fallocate`.
    fn allocate(&self, offset: u64, len: u64) -> Result<()>;

    /// Names of a directory after `cursor` (0 at the start): sorted by bytes, without `.` and `..`, a batch at a time,
    /// empty at the end. Each entry's `next` is a cursor.
    ///
    /// A scan sees the directory as it was when it read from cursor 0: a name removed during the scan may still be
    /// listed, a name that stays is listed exactly once. `ENOTDIR` for other files.
    fn read_dir(&self, cx: &Context, cursor: u64) -> Result<Vec<DirEntry>>;
}
