//! WASI's rights, flags and file types.

use sandshell_vfs::FileKind;

use crate::fd::table::Descriptor;
use crate::fd::{APPEND, Description, NONBLOCK, Object, READ, SYNC_FLAGS, WRITE};

pub(super) const FD_DATASYNC: u64 = 1;
pub(super) const FD_READ: u64 = 1 << 1;
pub(super) const FD_SEEK: u64 = 1 << 2;
pub(super) const FD_FDSTAT_SET_FLAGS: u64 = 1 << 3;
pub(super) const FD_SYNC: u64 = 1 << 4;
pub(super) const FD_TELL: u64 = 1 << 5;
pub(super) const FD_WRITE: u64 = 1 << 6;
pub(super) const FD_ADVISE: u64 = 1 << 7;
pub(super) const FD_ALLOCATE: u64 = 1 << 8;
pub(super) const PATH_CREATE_DIRECTORY: u64 = 1 << 9;
pub(super) const PATH_CREATE_FILE: u64 = 1 << 10;
pub(super) const PATH_LINK_SOURCE: u64 = 1 << 11;
pub(super) const PATH_LINK_TARGET: u64 = 1 << 12;
pub(super) const PATH_OPEN: u64 = 1 << 13;
pub(super) const FD_READDIR: u64 = 1 << 14;
pub(super) const PATH_READLINK: u64 = 1 << 15;
pub(super) const PATH_RENAME_SOURCE: u64 = 1 << 16;
pub(super) const PATH_RENAME_TARGET: u64 = 1 << 17;
pub(super) const PATH_FILESTAT_GET: u64 = 1 << 18;
pub(super) const PATH_FILESTAT_SET_SIZE: u64 = 1 << 19;
pub(super) const PATH_FILESTAT_SET_TIMES: u64 = 1 << 20;
pub(super) const FD_FILESTAT_GET: u64 = 1 << 21;
pub(super) const FD_FILESTAT_SET_SIZE: u64 = 1 << 22;
pub(super) const FD_FILESTAT_SET_TIMES: u64 = 1 << 23;
pub(super) const PATH_SYMLINK: u64 = 1 << 24;
pub(super) const PATH_REMOVE_DIRECTORY: u64 = 1 << 25;
pub(super) const PATH_UNLINK_FILE: u64 = 1 << 26;
pub(super) const POLL_FD_READWRITE: u64 = 1 << 27;

const FILE: u64 = FD_DATASYNC
    | FD_READ
    | FD_SEEK
    | FD_FDSTAT_SET_FLAGS
    | FD_SYNC
    | FD_TELL
    | FD_WRITE
    | FD_ADVISE
    | FD_ALLOCATE
    | FD_FILESTAT_GET
    | FD_FILESTAT_SET_SIZE
    | FD_FILESTAT_SET_TIMES
    | POLL_FD_READWRITE;
const DIRECTORY: u64 = FD_FDSTAT_SET_FLAGS
    | FD_SYNC
    | FD_ADVISE
    | PATH_CREATE_DIRECTORY
    | PATH_CREATE_FILE
    | PATH_LINK_SOURCE
    | PATH_LINK_TARGET
    | PATH_OPEN
    | FD_READDIR
    | PATH_READLINK
    | PATH_RENAME_SOURCE
    | PATH_RENAME_TARGET
    | PATH_FILESTAT_GET
    | PATH_FILESTAT_SET_SIZE
    | PATH_FILESTAT_SET_TIMES
    | FD_FILESTAT_GET
    | FD_FILESTAT_SET_TIMES
    | PATH_SYMLINK
    | PATH_REMOVE_DIRECTORY
    | PATH_UNLINK_FILE
    | POLL_FD_READWRITE;
const STREAM: u64 =
    FD_READ | FD_WRITE | FD_FDSTAT_SET_FLAGS | FD_FILESTAT_GET | POLL_FD_READWRITE | FD_SYNC | FD_DATASYNC;
/// Rights that need write access.
const WRITING: u64 = FD_WRITE | FD_ALLOCATE | FD_FILESTAT_SET_SIZE | FD_DATASYNC;

/// The rights that a descriptor has: (base, inheriting).
pub(super) fn effective(descriptor: &Descriptor) -> (u64, u64) {
    let description = &descriptor.description;
    let (kind, inheriting) = match description.object {
        Object::Directory { .. } => (DIRECTORY, DIRECTORY | FILE),
        Object::File { .. } | Object::Device { .. } => (FILE, 0),
        // wasi-libc regards a character device that cannot seek as a terminal.
        _ => (STREAM, 0),
    };
    let flags = description.flags();
    let mut base = kind;
    if !description.is_directory() {
        if flags & READ == 0 {
            base &= !FD_READ;
        }
        if flags & WRITE == 0 {
            base &= !WRITING;
        }
    }
    (base & descriptor.rights, inheriting & descriptor.inheriting)
}

/// WASI's number of a file type. Pipes have none and get 0, unknown.
pub(super) fn file_type(kind: FileKind) -> u8 {
    match kind {
        FileKind::BlockDevice => 1,
        FileKind::CharDevice => 2,
        FileKind::Directory => 3,
        FileKind::Regular => 4,
        FileKind::Socket => 6,
        FileKind::Symlink => 7,
        FileKind::Fifo => 0,
    }
}

/// WASI's type of an open file.
pub(super) fn open_type(description: &Description) -> u8 {
    match &description.object {
        Object::File { .. } => 4,
        Object::Directory { .. } => 3,
        Object::Terminal(_) | Object::Device { .. } => 2,
        Object::Source(source) if source.is_device() => 2,
        Object::Socket(_) => 6,
        Object::Pipe { .. } | Object::Input { .. } | Object::Source(_) | Object::Output { .. } => 0,
    }
}

const WASI_APPEND: u32 = 1;
const WASI_DSYNC: u32 = 2;
const WASI_NONBLOCK: u32 = 4;
const WASI_RSYNC: u32 = 8;
const WASI_SYNC: u32 = 16;
/// All fdflags.
pub(super) const ALL_FLAGS: u32 = 31;

/// Status flags of a description from WASI's fdflags.
pub(super) fn status_flags(fdflags: u32) -> u32 {
    let pairs = [
        (WASI_APPEND, APPEND),
        (WASI_NONBLOCK, NONBLOCK),
        (WASI_DSYNC, SYNC_FLAGS & 0x1000),
        (WASI_RSYNC, SYNC_FLAGS & 0x2000),
        (WASI_SYNC, SYNC_FLAGS & 0x4000),
    ];
    pairs.iter().filter(|(wasi, _)| fdflags & wasi != 0).fold(0, |all, (_, own)| all | own)
}

/// WASI's fdflags of a description.
pub(super) fn fdflags(status: u32) -> u16 {
    (0..5)
        .map(|bit| 1u16 << bit)
        .filter(|wasi| status & status_flags(u32::from(*wasi)) != 0)
        .fold(0, |all, wasi| all | wasi)
}
