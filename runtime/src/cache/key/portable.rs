//! The key's file in the user's profile, which the host lets nobody else read.

use std::io::{self, Read, Write};
use std::path::Path;

use sandshell_vfs::host_private as private;

use super::{Key, SIZE, random, remove};

/// The key, if there is one. What is no key is removed.
pub(super) fn read(path: &Path) -> Result<Option<Key>, String> {
    let metadata = match path.symlink_metadata() {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    if !private::in_profile(path).map_err(|error| error.to_string())? {
        return Err("it is not in the user's profile, where others cannot read it".into());
    }
    let mut key = [0; SIZE];
    if metadata.is_file() && metadata.len() == SIZE as u64 {
        let read = std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut key));
        if read.is_ok() {
            return Ok(Some(Key(key)));
        }
    }
    remove(path).map(|()| None)
}

/// Makes a new key, unless there is one already. An unfinished file is recognised by its length.
pub(super) fn create(path: &Path) -> io::Result<()> {
    let key = random()?;
    match private::file_options().write(true).create_new(true).open(path) {
        Ok(mut file) => {
            file.write_all(&key)?;
            file.sync_all()
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}
