//! The directory of a store: who may use it, and locks that end with their process.

#[cfg(not(unix))]
#[path = "portable.rs"]
mod host;
#[cfg(unix)]
#[path = "unix.rs"]
mod host;

pub(crate) use host::{own_file, private_database};

use crate::error::{Result, StoreError};
use host::{Key, own_directory};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Makes the directory, or checks that it is this user's alone.
pub(crate) fn prepare(at: &Path) -> Result<()> {
    if let Some(above) = at.parent() {
        fs::create_dir_all(above).map_err(failed(above))?;
    }
    for directory in [at, &at.join("locks")] {
        match host::create_directory(directory) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                return Err(failed(directory)(error));
            }
            _ => own_directory(directory)?,
        }
    }
    Ok(())
}

/// Checks a directory without making it. `false`: there is none.
pub(crate) fn exists(at: &Path) -> Result<bool> {
    match fs::symlink_metadata(at) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(failed(at)(error)),
        Ok(_) => own_directory(at).map(|()| true),
    }
}

fn refused(at: &Path, why: &str) -> StoreError {
    StoreError::Refused { at: at.to_owned(), why: why.to_owned() }
}

pub(crate) fn failed(at: &Path) -> impl Fn(io::Error) -> StoreError {
    move |source| StoreError::Io { at: at.to_owned(), source }
}

/// A lock of this process on a file. The system ends it when the process ends, in whatever way.
///
/// Where there is `fork`, it is a lock of the process, so that a child does not keep it; what one process does with the
/// file in two places is told apart by a list.
#[derive(Debug)]
pub(crate) struct Lock {
    /// Closing any descriptor of the file ends the lock, so there is only this one.
    file: Option<File>,
    key: Key,
}

/// The locked files of this process.
static HELD: Mutex<BTreeSet<Key>> = Mutex::new(BTreeSet::new());

/// Who holds a lock: another process, or somebody in this one; also `None` if the system does not tell.
pub(crate) type Holder = Option<u32>;

impl Lock {
    /// The lock on a file, which is created if it is missing; or who holds it.
    pub(crate) fn take(at: &Path) -> Result<std::result::Result<Self, Holder>> {
        let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
        // The file must not even be opened if this process has it locked.
        if host::key(at).is_some_and(|key| held.contains(&key)) {
            return Ok(Err(None));
        }
        let file = host::open_lock(at).map_err(failed(at))?;
        if !host::try_lock(&file, at).map_err(failed(at))? {
            return Ok(Err(host::holder(&file, at)));
        }
        let gone = || failed(at)(io::ErrorKind::NotFound.into());
        let key = host::key_of(&file, at).ok_or_else(gone)?;
        held.insert(key.clone());
        Ok(Ok(Self { file: Some(file), key }))
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.file.take());
        held.remove(&self.key);
    }
}

impl Lock {
    /// Who has the lock on a file.
    pub(crate) fn user(at: &Path) -> Result<User> {
        // As long as nobody in this process can lock it: closing the file would end such a lock.
        let held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
        match fs::symlink_metadata(at) {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(User::Nobody),
            Err(error) => return Err(failed(at)(error)),
        }
        if host::key(at).is_some_and(|key| held.contains(&key)) {
            return Ok(User::ThisProcess);
        }
        host::user(at).map_err(failed(at))
    }
}

/// Who may change a sandbox at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum User {
    /// Nobody: whoever comes next may.
    Nobody,
    /// Somebody in this process.
    ThisProcess,
    /// The process of this number.
    Process(u32),
}

/// The files of a store.
#[derive(Clone, Debug)]
pub(crate) struct Place(pub(crate) PathBuf);

impl Place {
    pub(crate) fn database(&self) -> PathBuf {
        self.0.join("store.db")
    }

    /// What was executed.
    pub(crate) fn journal(&self) -> PathBuf {
        self.0.join("journal.db")
    }

    pub(crate) fn lock(&self, number: i64) -> PathBuf {
        self.0.join("locks").join(number.to_string())
    }

    /// Held by whoever collects garbage.
    pub(crate) fn collecting(&self) -> PathBuf {
        self.0.join("locks").join("gc")
    }
}
