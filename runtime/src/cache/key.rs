//! The key of the cache's tags: 32 random bytes in a file that only this user can read, made at first use.
//!
//! No mount shows its contents to a sandbox, and none exposes its place for writing: it is among what an engine
//! [withholds](crate::Engine::withheld). A file that is not as it was made (another length, readable by others, with a
//! second name, a link) is never used: a new key replaces it, which makes all entries worthless.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Mode, OFlags};

pub(super) struct Key([u8; SIZE]);

const SIZE: usize = 32;

/// How often creating the file is tried again because another process did something to it.
const TRIES: usize = 8;

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Key")
    }
}

impl Key {
    /// Reads the key from a file, which is created if there is none.
    ///
    /// # Errors
    /// What is wrong with the file.
    pub(super) fn at(path: &Path) -> Result<Key, String> {
        for _ in 0..TRIES {
            match read(path)? {
                Some(key) => return Ok(key),
                // Read the file again: another process may have made a key at the same time.
                None => create(path).map_err(|error| error.to_string())?,
            }
        }
        Err("it changes all the time".into())
    }

    pub(super) fn hasher(&self) -> blake3::Hasher {
        blake3::Hasher::new_keyed(&self.0)
    }
}

/// The key, if there is one that nobody else can know. A key that others could have read is removed.
fn read(path: &Path) -> Result<Option<Key>, String> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let mut file = match rustix::fs::openat(CWD, path, flags, Mode::empty()) {
        Ok(file) => File::from(file),
        Err(rustix::io::Errno::NOENT) => return Ok(None),
        Err(rustix::io::Errno::LOOP) => return remove(path).map(|()| None),
        Err(errno) => return Err(io::Error::from(errno).to_string()),
    };
    let metadata = file.metadata().map_err(|error| error.to_string())?;
    if metadata.uid() != rustix::process::geteuid().as_raw() {
        return Err("it belongs to another user".into());
    }
    let alone = metadata.is_file() && metadata.mode() & 0o077 == 0 && metadata.nlink() == 1;
    let mut key = [0; SIZE];
    if alone && metadata.len() == SIZE as u64 && file.read_exact(&mut key).is_ok() {
        return Ok(Some(Key(key)));
    }
    remove(path).map(|()| None)
}

fn remove(path: &Path) -> Result<(), String> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error.to_string()),
        _ => Ok(()),
    }
}

/// Makes a new key, unless there is one already.
fn create(path: &Path) -> io::Result<()> {
    let mut key = [0; SIZE];
    getrandom::fill(&mut key).map_err(io::Error::from)?;
    let directory = path.parent().unwrap_or(Path::new("/"));
    let mode = Mode::RUSR | Mode::WUSR;
    // The file has no name until it is complete, so that nobody else sees a part of it.
    let flags = OFlags::WRONLY | OFlags::TMPFILE | OFlags::CLOEXEC;
    let linked = rustix::fs::openat(CWD, directory, flags, mode).and_then(|file| {
        let mut file = File::from(file);
        file.write_all(&key).and_then(|()| file.sync_all()).map_err(|_| rustix::io::Errno::IO)?;
        let unnamed = format!("/proc/self/fd/{}", file.as_raw_fd());
        rustix::fs::linkat(CWD, unnamed.as_str(), CWD, path, AtFlags::SYMLINK_FOLLOW)
    });
    match linked {
        Ok(()) | Err(rustix::io::Errno::EXIST) => return Ok(()),
        Err(_) => {}
    }
    // Not every filesystem has unnamed files. An unfinished file is recognised by its length.
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    match rustix::fs::openat(CWD, path, flags, mode) {
        Ok(file) => {
            let mut file = File::from(file);
            file.write_all(&key)?;
            file.sync_all()
        }
        Err(rustix::io::Errno::EXIST) => Ok(()),
        Err(errno) => Err(errno.into()),
    }
}
