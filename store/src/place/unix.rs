//! Owners, modes, and `fcntl`'s locks.

use super::{Holder, User, failed, refused};
use crate::error::Result;
use rustix::fs::{FlockOperation, Mode, OFlags, fcntl_lock};
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

/// What tells files apart: device and inode.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key(u64, u64);

pub(super) fn create_directory(at: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).create(at)
}

/// Refuses a directory that is a link, belongs to somebody else, or that others may write to.
pub(super) fn own_directory(at: &Path) -> Result<()> {
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::RDONLY;
    let directory = match rustix::fs::open(at, flags, Mode::empty()) {
        Ok(directory) => File::from(directory),
        Err(rustix::io::Errno::NOTDIR | rustix::io::Errno::LOOP) => {
            return Err(refused(at, "it is not a directory, and a link is not followed"));
        }
        Err(errno) => return Err(failed(at)(errno.into())),
    };
    let metadata = directory.metadata().map_err(failed(at))?;
    if metadata.uid() != rustix::process::geteuid().as_raw() {
        return Err(refused(at, "it belongs to another user"));
    }
    if metadata.mode() & 0o022 != 0 {
        return Err(refused(at, "other users may write to it"));
    }
    Ok(())
}

/// Refuses a file of somebody else, if there is one.
pub(crate) fn own_file(at: &Path) -> Result<()> {
    match fs::symlink_metadata(at) {
        Ok(file) if file.uid() != rustix::process::geteuid().as_raw() => {
            Err(refused(at, "it belongs to another user"))
        }
        _ => Ok(()),
    }
}

/// Makes a database's file for its user alone, or keeps others from one that there is, whatever the directory's mode
/// is. The files beside it get its mode.
pub(crate) fn private_database(at: &Path) -> io::Result<()> {
    let mut new = OpenOptions::new();
    new.write(true).create_new(true).mode(0o600).custom_flags(flags());
    match new.open(at) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        made => return made.map(drop),
    }
    for beside in ["", "-wal", "-shm"] {
        let mut file = at.as_os_str().to_owned();
        file.push(beside);
        let loose = fs::symlink_metadata(&file)
            .is_ok_and(|metadata| metadata.is_file() && metadata.mode() & 0o077 != 0);
        if loose {
            // Not on a disk that cannot be written.
            let _ = fs::set_permissions(&file, fs::Permissions::from_mode(0o600));
        }
    }
    Ok(())
}

pub(super) fn key(at: &Path) -> Option<Key> {
    fs::metadata(at).ok().map(|metadata| Key(metadata.dev(), metadata.ino()))
}

pub(super) fn key_of(file: &File, _: &Path) -> Option<Key> {
    file.metadata().ok().map(|metadata| Key(metadata.dev(), metadata.ino()))
}

/// Opens a file of locks, which is created if it is missing.
pub(super) fn open_lock(at: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false).mode(0o600).custom_flags(flags()).open(at)
}

/// `false`: another process has it.
pub(super) fn try_lock(file: &File, _: &Path) -> io::Result<bool> {
    match fcntl_lock(file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(true),
        Err(rustix::io::Errno::AGAIN | rustix::io::Errno::ACCESS) => Ok(false),
        Err(errno) => Err(errno.into()),
    }
}

/// The process that has a lock.
pub(super) fn holder(file: &File, _: &Path) -> Holder {
    use rustix::process::{Flock, FlockType, fcntl_getlk};
    let found = fcntl_getlk(file, &Flock::from(FlockType::WriteLock)).ok()??;
    found.pid.and_then(|pid| u32::try_from(pid.as_raw_nonzero().get()).ok())
}

/// Who has the lock on a file that this process has not locked.
pub(super) fn user(at: &Path) -> io::Result<User> {
    let file = OpenOptions::new().read(true).custom_flags(flags()).open(at)?;
    Ok(holder(&file, at).map_or(User::Nobody, User::Process))
}

fn flags() -> i32 {
    i32::try_from((OFlags::NOFOLLOW | OFlags::CLOEXEC).bits()).unwrap_or_default()
}
