//! The key's file by its owner, mode and links.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags};

use super::{Key, SIZE, random, remove};

/// The key, if there is one that nobody else can know. A key that others could have read is removed.
pub(super) fn read(path: &Path) -> Result<Option<Key>, String> {
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

/// Makes a new key, unless there is one already.
pub(super) fn create(path: &Path) -> io::Result<()> {
    let key = random()?;
    if create_at_once(path, &key) {
        return Ok(());
    }
    let mode = Mode::RUSR | Mode::WUSR;
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

/// Makes a file that has no name until it is complete, so that nobody else sees a part of it. Whether there is a key
/// now.
#[cfg(target_os = "linux")]
fn create_at_once(path: &Path, key: &[u8; SIZE]) -> bool {
    use rustix::fs::AtFlags;
    use std::os::fd::AsRawFd;
    let directory = path.parent().unwrap_or(Path::new("/"));
    let flags = OFlags::WRONLY | OFlags::TMPFILE | OFlags::CLOEXEC;
    let linked = rustix::fs::openat(CWD, directory, flags, Mode::RUSR | Mode::WUSR).and_then(|file| {
        let mut file = File::from(file);
        file.write_all(key).and_then(|()| file.sync_all()).map_err(|_| rustix::io::Errno::IO)?;
        let unnamed = format!("/proc/self/fd/{}", file.as_raw_fd());
        rustix::fs::linkat(CWD, unnamed.as_str(), CWD, path, AtFlags::SYMLINK_FOLLOW)
    });
    matches!(linked, Ok(()) | Err(rustix::io::Errno::EXIST))
}

#[cfg(not(target_os = "linux"))]
fn create_at_once(_path: &Path, _key: &[u8; SIZE]) -> bool {
    false
}
