//! Every file is opened relative to one open handle, whose owner and mode were checked.

use std::fs::{DirBuilder, File};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt};
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags};

use super::{Listed, UNFINISHED};

/// An open directory that only this user can enter.
pub(crate) struct Directory(OwnedFd);

impl Directory {
    /// Opens the directory, and creates it if it does not exist.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn open(path: &Path) -> Result<Directory, String> {
        DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(|error| error.to_string())?;
        Self::existing(path)
    }

    /// Opens the directory.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn existing(path: &Path) -> Result<Directory, String> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let opened = rustix::fs::openat(CWD, path, flags, Mode::empty()).map_err(|errno| match errno {
            rustix::io::Errno::NOTDIR | rustix::io::Errno::LOOP => "it is not a directory".to_owned(),
            errno => io::Error::from(errno).to_string(),
        })?;
        let stat = rustix::fs::fstat(&opened).map_err(|errno| io::Error::from(errno).to_string())?;
        if stat.st_uid != rustix::process::geteuid().as_raw() {
            return Err("it belongs to another user".into());
        }
        if stat.st_mode & 0o077 != 0 {
            return Err(format!("its mode is {:04o}, it must be 0700", stat.st_mode & 0o7777));
        }
        Ok(Directory(opened))
    }

    /// Opens a regular file of this user's for reading; returns it with its length.
    pub(crate) fn read(&self, name: &str) -> Option<(File, u64)> {
        // Without `NONBLOCK`, opening a FIFO would wait for a writer.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = File::from(rustix::fs::openat(&self.0, name, flags, Mode::empty()).ok()?);
        let metadata = file.metadata().ok()?;
        let own = metadata.is_file() && metadata.uid() == rustix::process::geteuid().as_raw();
        own.then_some((file, metadata.len()))
    }

    /// Writes a file atomically: its name has the old contents or the new ones, even after a power failure.
    pub(crate) fn write(
        &self,
        name: &str,
        contents: impl FnOnce(&mut File) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut random = [0; 8];
        getrandom::fill(&mut random).map_err(io::Error::from)?;
        let unique = format!("{UNFINISHED}{:016x}", u64::from_le_bytes(random));
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = Mode::RUSR | Mode::WUSR;
        let mut file = File::from(rustix::fs::openat(&self.0, unique.as_str(), flags, mode)?);
        let written = contents(&mut file).and_then(|()| file.sync_all());
        let renamed =
            written.and_then(|()| Ok(rustix::fs::renameat(&self.0, unique.as_str(), &self.0, name)?));
        if renamed.is_err() {
            self.remove(&unique);
        }
        renamed
    }

    /// Removes a file. A failure is ignored: a leftover file in a cache is harmless.
    pub(crate) fn remove(&self, name: &str) {
        let _ = rustix::fs::unlinkat(&self.0, name, AtFlags::empty());
    }

    /// What is in it, but for directories.
    pub(crate) fn list(&self) -> Vec<Listed> {
        let Ok(listing) = Dir::read_from(&self.0) else { return Vec::new() };
        let listed = |entry: rustix::fs::DirEntry| {
            let name = entry.file_name().to_str().ok()?.to_owned();
            let stat = rustix::fs::statat(&self.0, name.as_str(), AtFlags::SYMLINK_NOFOLLOW).ok()?;
            if FileType::from_raw_mode(stat.st_mode) == FileType::Directory {
                return None;
            }
            let size = u64::try_from(stat.st_size).unwrap_or_default();
            #[allow(clippy::unnecessary_cast, reason = "the types differ between hosts")]
            let modified = (stat.st_mtime as i64, stat.st_mtime_nsec as i64);
            Some(Listed { name, size, modified })
        };
        listing.flatten().filter_map(listed).collect()
    }
}

/// Fills `bytes` from an offset.
pub(crate) fn read_exact_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    file.read_exact_at(bytes, offset)
}
