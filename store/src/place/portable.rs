//! Where the host has no owners and modes: only what lies in the user's own directory is the user's alone. Locks are
//! those of the standard library, which say nothing about who has them, so a file beside each one does.

use super::{Holder, User, failed, refused};
use crate::error::Result;
use sandshell_vfs::host_private as private;
use std::fs::{self, DirBuilder, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// What tells files apart: the path, which is that of a directory without links.
pub(super) type Key = PathBuf;

pub(super) fn create_directory(at: &Path) -> io::Result<()> {
    DirBuilder::new().create(at)
}

/// Refuses a directory that is a link, or that others may write to.
pub(super) fn own_directory(at: &Path) -> Result<()> {
    let metadata = fs::symlink_metadata(at).map_err(failed(at))?;
    if !metadata.is_dir() {
        return Err(refused(at, "it is not a directory, and a link is not followed"));
    }
    if !private::in_profile(at).map_err(failed(at))? {
        return Err(refused(
            at,
            "other users may write to it: only what is below your own directory is yours alone",
        ));
    }
    Ok(())
}

/// Refuses a file of somebody else. In a directory of this user's there is none.
#[expect(clippy::unnecessary_wraps, reason = "other systems can refuse")]
pub(crate) fn own_file(_: &Path) -> Result<()> {
    Ok(())
}

/// What lies in the user's own directory is the user's alone.
#[expect(clippy::unnecessary_wraps, reason = "other systems can fail")]
pub(crate) fn private_database(_: &Path) -> io::Result<()> {
    Ok(())
}

pub(super) fn key(at: &Path) -> Option<Key> {
    Some(at.to_owned())
}

pub(super) fn key_of(_: &File, at: &Path) -> Option<Key> {
    Some(at.to_owned())
}

/// Opens a file of locks, which is created if it is missing.
pub(super) fn open_lock(at: &Path) -> io::Result<File> {
    private::file_options().read(true).write(true).create(true).truncate(false).open(at)
}

/// `false`: somebody else has it.
pub(super) fn try_lock(file: &File, at: &Path) -> io::Result<bool> {
    match file.try_lock() {
        Ok(()) => {
            // It is only for messages, so it may be missing.
            let _ = fs::write(holders(at), std::process::id().to_string());
            Ok(true)
        }
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// The process that has a lock.
pub(super) fn holder(_: &File, at: &Path) -> Holder {
    fs::read_to_string(holders(at)).ok()?.parse().ok()
}

/// Who has the lock on a file that this process has not locked.
pub(super) fn user(at: &Path) -> io::Result<User> {
    let file = private::file_options().read(true).write(true).open(at)?;
    match file.try_lock() {
        // It ends with the file.
        Ok(()) => Ok(User::Nobody),
        Err(TryLockError::WouldBlock) => Ok(User::Process(holder(&file, at).unwrap_or(0))),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// The file that says who has a lock.
fn holders(at: &Path) -> PathBuf {
    at.with_extension("by")
}
