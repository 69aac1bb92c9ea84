//! The directory of a store: who may use it, and locks that end with their process.

use crate::error::{Result, StoreError};
use rustix::fs::{FlockOperation, Mode, OFlags, fcntl_lock};
use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Makes the directory, or checks that it is this user's alone.
pub(crate) fn prepare(at: &Path) -> Result<()> {
    if let Some(above) = at.parent() {
        fs::create_dir_all(above).map_err(failed(above))?;
    }
    match fs::DirBuilder::new().mode(0o700).create(at) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(failed(at)(error)),
    }
    own(at)?;
    match fs::DirBuilder::new().mode(0o700).create(at.join("locks")) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(failed(at)(error)),
        _ => own(&at.join("locks")),
    }
}

/// Checks a directory without making it. `false`: there is none.
pub(crate) fn exists(at: &Path) -> Result<bool> {
    match fs::symlink_metadata(at) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(failed(at)(error)),
        Ok(_) => own(at).map(|()| true),
    }
}

/// Refuses a directory that is a link, belongs to somebody else, or that others may write to.
fn own(at: &Path) -> Result<()> {
    let refused = |why: &str| StoreError::Refused { at: at.to_owned(), why: why.to_owned() };
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::RDONLY;
    let directory = match rustix::fs::open(at, flags, Mode::empty()) {
        Ok(directory) => File::from(directory),
        Err(rustix::io::Errno::NOTDIR | rustix::io::Errno::LOOP) => {
            return Err(refused("it is not a directory, and a link is not followed"));
        }
        Err(errno) => return Err(failed(at)(errno.into())),
    };
    owned(&directory, at)
}

/// Refuses a file of somebody else, or that others may write to.
pub(crate) fn owned(file: &File, at: &Path) -> Result<()> {
    let metadata = file.metadata().map_err(failed(at))?;
    let refused = |why: &str| StoreError::Refused { at: at.to_owned(), why: why.to_owned() };
    if metadata.uid() != rustix::process::geteuid().as_raw() {
        return Err(refused("it belongs to another user"));
    }
    if metadata.mode() & 0o022 != 0 {
        return Err(refused("other users may write to it"));
    }
    Ok(())
}

pub(crate) fn failed(at: &Path) -> impl Fn(io::Error) -> StoreError {
    move |source| StoreError::Io { at: at.to_owned(), source }
}

/// A lock of this process on a file. The system ends it when the process ends, in whatever way.
///
/// It is a lock of the process, so that a child made by `fork` does not keep it; what one process does with the file in
/// two places is told apart by a list.
#[derive(Debug)]
pub(crate) struct Lock {
    /// Closing any descriptor of the file ends the lock, so there is only this one.
    file: Option<File>,
    key: (u64, u64),
}

/// The locked files of this process, by device and inode.
static HELD: Mutex<BTreeSet<(u64, u64)>> = Mutex::new(BTreeSet::new());

/// Who holds a lock: another process, or somebody in this one.
pub(crate) type Holder = Option<u32>;

impl Lock {
    /// The lock on a file, which is created if it is missing; or who holds it.
    pub(crate) fn take(at: &Path) -> Result<std::result::Result<Self, Holder>> {
        let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
        // The file must not even be opened if this process has it locked.
        if let Ok(metadata) = fs::metadata(at)
            && held.contains(&(metadata.dev(), metadata.ino()))
        {
            return Ok(Err(None));
        }
        let flags = i32::try_from((OFlags::NOFOLLOW | OFlags::CLOEXEC).bits()).unwrap_or_default();
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .custom_flags(flags)
            .open(at)
            .map_err(failed(at))?;
        let metadata = file.metadata().map_err(failed(at))?;
        let key = (metadata.dev(), metadata.ino());
        match fcntl_lock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {
                held.insert(key);
                Ok(Ok(Self { file: Some(file), key }))
            }
            Err(rustix::io::Errno::AGAIN | rustix::io::Errno::ACCESS) => Ok(Err(holder(&file))),
            Err(errno) => Err(failed(at)(errno.into())),
        }
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
        let metadata = match fs::symlink_metadata(at) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(User::Nobody),
            Err(error) => return Err(failed(at)(error)),
        };
        if held.contains(&(metadata.dev(), metadata.ino())) {
            return Ok(User::ThisProcess);
        }
        let flags = i32::try_from((OFlags::NOFOLLOW | OFlags::CLOEXEC).bits()).unwrap_or_default();
        let file = OpenOptions::new().read(true).custom_flags(flags).open(at).map_err(failed(at))?;
        Ok(holder(&file).map_or(User::Nobody, User::Process))
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

fn holder(file: &File) -> Holder {
    use rustix::process::{Flock, FlockType, fcntl_getlk};
    let found = fcntl_getlk(file, &Flock::from(FlockType::WriteLock)).ok()??;
    found.pid.and_then(|pid| u32::try_from(pid.as_raw_nonzero().get()).ok())
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
