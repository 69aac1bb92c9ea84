//! What differs between hosts: Unix.

use crate::{Access, Errno, FileKind, Metadata, RenameHow, Result, SetAttributes, SetTime, Time};
use cap_fs_ext::DirExt;
use cap_std::fs::{Dir, DirBuilder, DirBuilderExt, MetadataExt, OpenOptions, OpenOptionsExt};
use rustix::fs::{AtFlags, Mode, OFlags, Timespec, Timestamps, UTIME_NOW, UTIME_OMIT};
use std::ffi::{OsStr, OsString};
use std::fs::{File, Permissions};
use std::ops::Range;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Set-user-ID and set-group-ID.
pub(super) const PRIVILEGES: u32 = 0o6000;

/// Whether the host has mode bits.
pub(super) const HAS_MODES: bool = true;

/// Whether a directory is opened when it is found. An open directory can be renamed and removed.
pub(super) const OPENS_EARLY: bool = true;

/// The mode that a file can have and that is nearest to this one.
pub(super) fn nearest_mode(_kind: FileKind, mode: u32) -> u32 {
    mode
}

/// Who runs this program.
#[derive(Clone)]
pub(super) struct User {
    uid: u32,
    gid: u32,
}

impl User {
    pub(super) fn current() -> Self {
        Self { uid: rustix::process::geteuid().as_raw(), gid: rustix::process::getegid().as_raw() }
    }

    pub(super) fn is_superuser(&self) -> bool {
        self.uid == 0
    }
}

/// The host's name for a guest's.
pub(super) fn host_name(name: &[u8]) -> Result<&OsStr> {
    Ok(OsStr::from_bytes(name))
}

/// The guest's name for a host's.
pub(super) fn guest_name(name: &OsStr) -> Option<Vec<u8>> {
    Some(name.as_bytes().to_vec())
}

/// Whether the host can hold this name.
pub(super) fn creatable(_name: &[u8]) -> Result<()> {
    Ok(())
}

/// The text of a link.
pub(super) fn link_text(target: PathBuf) -> Result<Vec<u8>> {
    Ok(target.into_os_string().into_vec())
}

pub(super) fn symlink(dir: &Dir, target: &[u8], name: &OsStr) -> Result<()> {
    Ok(dir.symlink_contents(OsString::from_vec(target.to_vec()), name)?)
}

/// Inode and device.
pub(super) fn identity(found: &cap_std::fs::Metadata) -> (u64, u64) {
    (found.ino(), found.dev())
}

/// When a file was created, zero if unknown.
pub(super) fn born(found: &cap_std::fs::Metadata) -> (i64, u32) {
    let created =
        found.created().ok().and_then(|time| time.into_std().duration_since(SystemTime::UNIX_EPOCH).ok());
    created.map_or((0, 0), |since| (since.as_secs().cast_signed(), since.subsec_nanos()))
}

/// The attributes, but for the number.
pub(super) fn attributes(found: &cap_std::fs::Metadata, user: &User) -> Metadata {
    let time = |secs: i64, nanos: i64| Time { secs, nanos: u32::try_from(nanos).unwrap_or_default() };
    let shown = |own| if own { super::super::OWN } else { super::super::OTHERS };
    Metadata {
        dev: 0,
        ino: 0,
        kind: FileKind::from_mode(found.mode()).unwrap_or(FileKind::Socket),
        mode: found.mode() & 0o7777,
        nlink: found.nlink(),
        uid: shown(found.uid() == user.uid),
        gid: shown(found.gid() == user.gid),
        rdev: found.rdev(),
        size: found.size(),
        blocks: found.blocks(),
        atime: time(found.atime(), found.atime_nsec()),
        mtime: time(found.mtime(), found.mtime_nsec()),
        ctime: time(found.ctime(), found.ctime_nsec()),
    }
}

pub(super) fn with_mode(options: &mut OpenOptions, mode: u32) {
    options.mode(mode);
}

pub(super) fn directory_with_mode(builder: &mut DirBuilder, mode: u32) {
    builder.mode(mode);
}

/// Opens a regular file. Opening a device or a pipe, if one has this name by now, neither waits nor takes a terminal.
pub(super) fn open(dir: &Dir, name: &OsStr, options: &OpenOptions, _access: Access) -> Result<File> {
    let mut options = options.clone();
    options.custom_flags((OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed());
    Ok(dir.open_with(name, &options)?.into_std())
}

pub(super) fn rename(old: (&Dir, &Path), new: (&Dir, &Path)) -> Result<()> {
    Ok(old.0.rename(old.1, new.0, new.1)?)
}

pub(super) fn unlink(dir: &Dir, name: &OsStr) -> Result<()> {
    Ok(dir.remove_file_or_symlink(name)?)
}

pub(super) fn read_at(file: &File, buf: &mut [u8], offset: u64) -> Result<usize> {
    Ok(again(|| file.read_at(buf, offset))?)
}

pub(super) fn write_at(file: &File, buf: &[u8], offset: u64) -> Result<usize> {
    Ok(again(|| file.write_at(buf, offset))?)
}

fn again<T>(mut call: impl FnMut() -> std::io::Result<T>) -> std::io::Result<T> {
    loop {
        match call() {
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}

/// The next stored range. The descriptor's offset is used for nothing else.
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
pub(super) fn next_data(file: &File, offset: u64) -> Result<Option<Range<u64>>> {
    use rustix::fs::SeekFrom;
    match rustix::fs::seek(file, SeekFrom::Data(offset)) {
        Ok(start) => Ok(Some(start..rustix::fs::seek(file, SeekFrom::Hole(start)).map_err(errno)?)),
        Err(rustix::io::Errno::NXIO) => Ok(None),
        Err(error) => Err(errno(error)),
    }
}

#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
pub(super) fn next_data(_file: &File, _offset: u64) -> Result<Option<Range<u64>>> {
    Err(Errno::NotSup)
}

pub(super) fn set_length(file: &File, size: u64) -> Result<()> {
    if size > i64::MAX as u64 {
        return Err(Errno::FBig);
    }
    Ok(again(|| file.set_len(size))?)
}

pub(super) fn set_file_mode(file: &File, mode: u32) -> Result<()> {
    Ok(file.set_permissions(Permissions::from_mode(mode))?)
}

pub(super) fn set_directory_mode(dir: &Dir, mode: u32) -> Result<()> {
    Ok(dir.set_permissions(".", cap_std::fs::Permissions::from_std(Permissions::from_mode(mode)))?)
}

/// Changes the mode by name, without following a link. `false` if the host cannot do that.
pub(super) fn set_mode_of_name(dir: &Dir, name: &OsStr, mode: u32) -> Result<bool> {
    // The type of the bits differs between hosts.
    #[allow(clippy::useless_conversion, reason = "the type differs between hosts")]
    let mode = Mode::from_bits_truncate(mode.try_into().map_err(|_| Errno::Inval)?);
    match rustix::fs::chmodat(dir, name, mode, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(()) => Ok(true),
        Err(rustix::io::Errno::OPNOTSUPP | rustix::io::Errno::NOSYS) => Ok(false),
        Err(error) => Err(errno(error)),
    }
}

/// Clears a file's set-id bits.
pub(super) fn clear_privileges(file: &File) -> Result<()> {
    let mode = file.metadata()?.permissions().mode() & 0o7777;
    if mode & PRIVILEGES == 0 { Ok(()) } else { set_file_mode(file, mode & !PRIVILEGES) }
}

/// Sets the times of a name in a directory, without following a link, or of the directory itself.
pub(super) fn set_times(dir: &Dir, name: Option<&OsStr>, wanted: &SetAttributes) -> Result<()> {
    let name = name.unwrap_or(OsStr::new("."));
    rustix::fs::utimensat(dir, name, &times(wanted), AtFlags::SYMLINK_NOFOLLOW).map_err(errno)
}

pub(super) fn set_file_times(file: &File, wanted: &SetAttributes) -> Result<()> {
    rustix::fs::futimens(file, &times(wanted)).map_err(errno)
}

fn times(wanted: &SetAttributes) -> Timestamps {
    Timestamps { last_access: timespec(wanted.atime), last_modification: timespec(wanted.mtime) }
}

fn timespec(time: Option<SetTime>) -> Timespec {
    match time {
        None => Timespec { tv_sec: 0, tv_nsec: UTIME_OMIT },
        Some(SetTime::Now) => Timespec { tv_sec: 0, tv_nsec: UTIME_NOW },
        Some(SetTime::At(time)) => Timespec { tv_sec: time.secs, tv_nsec: time.nanos.into() },
    }
}

/// Renames without replacing, or exchanges. `EINVAL` where the host cannot do that in one step.
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
pub(super) fn rename_as(old: (&Dir, &Path), new: (&Dir, &Path), how: RenameHow) -> Result<()> {
    use rustix::fs::RenameFlags;
    let flags = match how {
        RenameHow::Vacant => RenameFlags::NOREPLACE,
        RenameHow::Exchange => RenameFlags::EXCHANGE,
    };
    rustix::fs::renameat_with(old.0, old.1, new.0, new.1, flags).map_err(errno)
}

#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
pub(super) fn rename_as(_old: (&Dir, &Path), _new: (&Dir, &Path), _how: RenameHow) -> Result<()> {
    Err(Errno::Inval)
}

/// Makes a directory's changes durable, as far as the host does that for one directory.
pub(super) fn sync(dir: &Dir) -> Result<()> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let open = rustix::fs::openat(dir, c".", flags, Mode::empty()).map_err(errno)?;
    rustix::fs::fsync(&open).map_err(errno)
}

fn errno(error: rustix::io::Errno) -> Errno {
    Errno::from(std::io::Error::from(error))
}

/// A second check, independent of how the file was reached: the kernel's path of the file must begin with the root's.
///
/// # Panics
/// If it does not. Only with the feature `escape-check`, and where the kernel tells paths.
pub(super) fn assert_confined(root: &Dir, file: &File) {
    use std::os::fd::{AsRawFd, RawFd};
    if !cfg!(all(feature = "escape-check", target_os = "linux")) {
        return;
    }
    let path = |fd: RawFd| std::fs::read_link(format!("/proc/self/fd/{fd}"));
    let (Ok(whole), Ok(prefix)) = (path(file.as_raw_fd()), path(root.as_raw_fd())) else { return };
    assert!(whole.starts_with(&prefix), "escape from {}: {}", prefix.display(), whole.display());
}
