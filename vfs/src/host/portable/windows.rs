//! What differs between hosts: Windows.

use super::windows_names;
use crate::{Access, Errno, FileKind, Metadata, RenameHow, Result, SetAttributes, SetTime, Time};
use cap_fs_ext::{DirExt, FollowSymlinks, MetadataExt, OpenOptionsFollowExt};
use cap_std::fs::{Dir, DirBuilder, OpenOptions, OpenOptionsExt};
use std::ffi::OsStr;
use std::fs::{File, FileTimes};
use std::io;
use std::ops::Range;
use std::os::windows::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Set-user-ID and set-group-ID.
pub(super) const PRIVILEGES: u32 = 0o6000;

/// Whether the host has mode bits.
pub(super) const HAS_MODES: bool = false;

/// Whether a directory is opened when it is found. An open directory can be neither renamed nor removed.
pub(super) const OPENS_EARLY: bool = false;

/// The modes that are shown.
const WRITABLE: u32 = 0o755;
const READ_ONLY: u32 = 0o555;

/// What a handle may be used for.
const GENERIC_READ: u32 = 1 << 31;
const READ_ATTRIBUTES: u32 = 0x80;
const WRITE_ATTRIBUTES: u32 = 0x100;

/// Opens directories too (`FILE_FLAG_BACKUP_SEMANTICS`), and a link itself (`FILE_FLAG_OPEN_REPARSE_POINT`).
const ANY_KIND: u32 = 0x0200_0000 | 0x0020_0000;

/// The mode that a file can have and that is nearest to this one: what nobody may write is read-only.
pub(super) fn nearest_mode(kind: FileKind, mode: u32) -> u32 {
    if kind == FileKind::Regular && mode & 0o222 == 0 { READ_ONLY } else { WRITABLE }
}

/// Who runs this program.
#[derive(Clone)]
pub(super) struct User;

impl User {
    pub(super) fn current() -> Self {
        Self
    }

    pub(super) fn is_superuser(&self) -> bool {
        false
    }
}

/// The host's name for a guest's.
pub(super) fn host_name(name: &[u8]) -> Result<&OsStr> {
    windows_names::check(name).map(OsStr::new)
}

/// The guest's name for a host's. `None` if it is not Unicode.
pub(super) fn guest_name(name: &OsStr) -> Option<Vec<u8>> {
    name.to_str().map(|name| name.as_bytes().to_vec())
}

/// Whether the host can hold this name.
pub(super) fn creatable(name: &[u8]) -> Result<()> {
    windows_names::check(name).map(drop)
}

/// The text of a link, with slashes.
pub(super) fn link_text(target: PathBuf) -> Result<Vec<u8>> {
    let text = target.into_os_string().into_string().map_err(|_| Errno::IlSeq)?;
    Ok(text.replace('\\', "/").into_bytes())
}

/// Links are relative, and say whether they lead to a directory.
pub(super) fn symlink(dir: &Dir, target: &[u8], name: &OsStr) -> Result<()> {
    let target = std::str::from_utf8(target).map_err(|_| Errno::Inval)?;
    if target.starts_with('/') || target.contains(['\\', ':']) {
        return Err(Errno::Perm);
    }
    Ok(DirExt::symlink(dir, target.replace('/', "\\"), name)?)
}

/// File and volume.
pub(super) fn identity(found: &cap_std::fs::Metadata) -> (u64, u64) {
    (found.ino(), found.dev())
}

/// When a file was created, zero if unknown.
pub(super) fn born(found: &cap_std::fs::Metadata) -> (i64, u32) {
    found.created().ok().map_or((0, 0), |created| {
        let time = shown(created.into_std());
        (time.secs, time.nanos)
    })
}

/// The attributes, but for the number.
pub(super) fn attributes(found: &cap_std::fs::Metadata, _user: &User) -> Metadata {
    let time = |time: std::io::Result<cap_std::time::SystemTime>| {
        time.map_or_else(|_| Time::default(), |time| shown(time.into_std()))
    };
    let kind = if found.is_symlink() {
        FileKind::Symlink
    } else if found.is_dir() {
        FileKind::Directory
    } else {
        FileKind::Regular
    };
    let fixed = kind == FileKind::Regular && found.permissions().readonly();
    let mtime = time(found.modified());
    Metadata {
        dev: 0,
        ino: 0,
        kind,
        mode: if fixed { READ_ONLY } else { WRITABLE },
        nlink: found.nlink(),
        uid: super::super::OWN,
        gid: super::super::OWN,
        rdev: 0,
        size: if kind == FileKind::Directory { 0 } else { found.len() },
        blocks: found.len().div_ceil(512),
        atime: time(found.accessed()),
        mtime,
        // The host does not tell when attributes changed.
        ctime: mtime,
    }
}

fn shown(time: SystemTime) -> Time {
    match time.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(since) => Time { secs: since.as_secs().cast_signed(), nanos: since.subsec_nanos() },
        Err(before) => {
            let before = before.duration();
            let (secs, nanos) = (before.as_secs().cast_signed(), before.subsec_nanos());
            let part = u32::from(nanos > 0);
            Time { secs: -secs - i64::from(part), nanos: part * (1_000_000_000 - nanos) % 1_000_000_000 }
        }
    }
}

pub(super) fn with_mode(_options: &mut OpenOptions, _mode: u32) {}

pub(super) fn directory_with_mode(_builder: &mut DirBuilder, _mode: u32) {}

/// Opens a regular file. Whoever may read a file may set its times through that handle, if its owner allows it.
pub(super) fn open(dir: &Dir, name: &OsStr, options: &OpenOptions, access: Access) -> Result<File> {
    if !access.write {
        let mut more = options.clone();
        more.access_mode(GENERIC_READ | WRITE_ATTRIBUTES);
        match dir.open_with(name, &more) {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {}
            opened => return Ok(opened?.into_std()),
        }
    }
    Ok(dir.open_with(name, options)?.into_std())
}

/// Opens whatever has this name for changing its attributes, which needs no right to write to it.
fn open_attributes(dir: &Dir, name: &OsStr) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.access_mode(READ_ATTRIBUTES | WRITE_ATTRIBUTES).custom_flags(ANY_KIND);
    Ok(dir.open_with(name, options.follow(FollowSymlinks::No))?.into_std())
}

/// Does something to a name. A read-only file can be replaced and removed by whoever may change its directory, which
/// this host refuses: then it is made writable first, and read-only again if that did not help.
fn even_if_read_only(dir: &Dir, name: &OsStr, act: impl Fn() -> io::Result<()>) -> io::Result<()> {
    let refused = match act() {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => error,
        done => return done,
    };
    let set = |read_only: bool| {
        let file = open_attributes(dir, name)?;
        let mut permissions = file.metadata()?.permissions();
        if permissions.readonly() == read_only {
            return Err(io::Error::from(io::ErrorKind::PermissionDenied));
        }
        permissions.set_readonly(read_only);
        file.set_permissions(permissions)
    };
    if set(false).is_err() {
        return Err(refused);
    }
    act().inspect_err(|_| drop(set(true)))
}

pub(super) fn rename(old: (&Dir, &Path), new: (&Dir, &Path)) -> Result<()> {
    Ok(even_if_read_only(new.0, new.1.as_os_str(), || old.0.rename(old.1, new.0, new.1))?)
}

pub(super) fn unlink(dir: &Dir, name: &OsStr) -> Result<()> {
    Ok(even_if_read_only(dir, name, || dir.remove_file_or_symlink(name))?)
}

pub(super) fn read_at(file: &File, buf: &mut [u8], offset: u64) -> Result<usize> {
    Ok(file.seek_read(buf, offset)?)
}

pub(super) fn write_at(file: &File, buf: &[u8], offset: u64) -> Result<usize> {
    Ok(file.seek_write(buf, offset)?)
}

pub(super) fn next_data(_file: &File, _offset: u64) -> Result<Option<Range<u64>>> {
    Err(Errno::NotSup)
}

pub(super) fn set_length(file: &File, size: u64) -> Result<()> {
    if size > i64::MAX as u64 {
        return Err(Errno::FBig);
    }
    Ok(file.set_len(size)?)
}

pub(super) fn set_file_mode(file: &File, mode: u32) -> Result<()> {
    let mut permissions = file.metadata()?.permissions();
    match mode {
        #[allow(clippy::permissions_set_readonly_false, reason = "that is a danger on Unix only")]
        WRITABLE => permissions.set_readonly(false),
        READ_ONLY => permissions.set_readonly(true),
        _ => return Err(Errno::Perm),
    }
    Ok(file.set_permissions(permissions)?)
}

pub(super) fn set_directory_mode(_dir: &Dir, _mode: u32) -> Result<()> {
    Err(Errno::Perm)
}

/// Changes the mode by name, without following a link. `false` if the host cannot do that.
pub(super) fn set_mode_of_name(dir: &Dir, name: &OsStr, mode: u32) -> Result<bool> {
    let file = open_attributes(dir, name)?;
    if file.metadata()?.is_dir() {
        return Err(Errno::Perm);
    }
    set_file_mode(&file, mode)?;
    Ok(true)
}

/// There are no set-id bits.
pub(super) fn clear_privileges(_file: &File) -> Result<()> {
    Ok(())
}

/// Sets the times of a name in a directory, without following a link, or of the directory itself.
pub(super) fn set_times(dir: &Dir, name: Option<&OsStr>, wanted: &SetAttributes) -> Result<()> {
    set_file_times(&open_attributes(dir, name.unwrap_or(OsStr::new(".")))?, wanted)
}

pub(super) fn set_file_times(file: &File, wanted: &SetAttributes) -> Result<()> {
    let at = |time| match time {
        SetTime::Now => Ok(SystemTime::now()),
        SetTime::At(time) => absolute(time),
    };
    let mut times = FileTimes::new();
    if let Some(time) = wanted.atime {
        times = times.set_accessed(at(time)?);
    }
    if let Some(time) = wanted.mtime {
        times = times.set_modified(at(time)?);
    }
    Ok(file.set_times(times)?)
}

/// A time from 1970 on that this host can represent, in steps of 100 ns; `EINVAL` for another one.
fn absolute(time: Time) -> Result<SystemTime> {
    let since = Duration::new(u64::try_from(time.secs).map_err(|_| Errno::Inval)?, time.nanos);
    SystemTime::UNIX_EPOCH.checked_add(since).ok_or(Errno::Inval)
}

/// Renames without replacing what is there when it begins. `EINVAL` for an exchange.
pub(super) fn rename_as(old: (&Dir, &Path), new: (&Dir, &Path), how: RenameHow) -> Result<()> {
    match how {
        RenameHow::Exchange => Err(Errno::Inval),
        RenameHow::Vacant if new.0.symlink_metadata(new.1).is_ok() => Err(Errno::Exist),
        RenameHow::Vacant => Ok(old.0.rename(old.1, new.0, new.1)?),
    }
}

/// The host keeps its directories durable itself.
pub(super) fn sync(_dir: &Dir) -> Result<()> {
    Ok(())
}

/// The second check of `escape-check` is the tests' on Unix.
pub(super) fn assert_confined(_root: &Dir, _file: &File) {}
