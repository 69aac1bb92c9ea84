//! A directory in the user's profile, which the host lets nobody else enter.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use sandshell_vfs::host_private as private;

use super::{Listed, UNFINISHED};

/// A directory that only this user can enter.
pub(crate) struct Directory(PathBuf);

impl Directory {
    /// Opens the directory, and creates it if it does not exist.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn open(path: &Path) -> Result<Directory, String> {
        private::create_directory(path).map_err(|error| error.to_string())?;
        Self::existing(path)
    }

    /// Opens the directory.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn existing(path: &Path) -> Result<Directory, String> {
        let metadata = path.symlink_metadata().map_err(|error| error.to_string())?;
        if !metadata.is_dir() {
            return Err("it is not a directory".to_owned());
        }
        if !private::in_profile(path).map_err(|error| error.to_string())? {
            return Err("it is not in the user's profile, where others cannot write".to_owned());
        }
        Ok(Directory(path.to_owned()))
    }

    /// Opens a regular file for reading; returns it with its length.
    pub(crate) fn read(&self, name: &str) -> Option<(File, u64)> {
        let path = self.0.join(name);
        if !path.symlink_metadata().ok()?.is_file() {
            return None;
        }
        let file = File::open(path).ok()?;
        let length = file.metadata().ok()?.len();
        Some((file, length))
    }

    /// Writes a file atomically: its name has the old contents or the new ones.
    pub(crate) fn write(
        &self,
        name: &str,
        contents: impl FnOnce(&mut File) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut random = [0; 8];
        getrandom::fill(&mut random).map_err(io::Error::from)?;
        let unique = format!("{UNFINISHED}{:016x}", u64::from_le_bytes(random));
        let mut file = private::file_options().write(true).create_new(true).open(self.0.join(&unique))?;
        let written = contents(&mut file).and_then(|()| file.sync_all());
        drop(file);
        let renamed = written.and_then(|()| fs::rename(self.0.join(&unique), self.0.join(name)));
        if renamed.is_err() {
            self.remove(&unique);
        }
        renamed
    }

    /// Removes a file. A failure is ignored: a leftover file in a cache is harmless.
    pub(crate) fn remove(&self, name: &str) {
        let _ = fs::remove_file(self.0.join(name));
    }

    /// What is in it, but for directories.
    pub(crate) fn list(&self) -> Vec<Listed> {
        let Ok(listing) = fs::read_dir(&self.0) else { return Vec::new() };
        let listed = |entry: fs::DirEntry| {
            let name = entry.file_name().into_string().ok()?;
            let metadata = entry.metadata().ok().filter(|metadata| !metadata.is_dir())?;
            let since = metadata.modified().ok()?.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
            let modified = (since.as_secs().cast_signed(), i64::from(since.subsec_nanos()));
            Some(Listed { name, size: metadata.len(), modified })
        };
        listing.flatten().filter_map(listed).collect()
    }
}

/// Fills `bytes` from an offset.
#[cfg(windows)]
pub(crate) fn read_exact_at(file: &File, mut bytes: &mut [u8], mut offset: u64) -> io::Result<()> {
    use std::os::windows::fs::FileExt;
    while !bytes.is_empty() {
        match file.seek_read(bytes, offset)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            count => {
                bytes = bytes.get_mut(count..).unwrap_or_default();
                offset += count as u64;
            }
        }
    }
    Ok(())
}
