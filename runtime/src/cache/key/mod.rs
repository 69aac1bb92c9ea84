//! The key of the cache's tags: 32 random bytes in a file that only this user can read, made at first use.
//!
//! No mount shows its contents to a sandbox, and none exposes its place for writing: it is among what an engine
//! [withholds](crate::Engine::withheld). A file that is not as it was made (another length, readable by others, with a
//! second name, a link) is never used: a new key replaces it, which makes all entries worthless.

#[cfg_attr(unix, path = "unix.rs")]
#[cfg_attr(not(unix), path = "portable.rs")]
mod file;

use std::io;
use std::path::Path;

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
            match file::read(path)? {
                Some(key) => return Ok(key),
                // Read the file again: another process may have made a key at the same time.
                None => file::create(path).map_err(|error| error.to_string())?,
            }
        }
        Err("it changes all the time".into())
    }

    pub(super) fn hasher(&self) -> blake3::Hasher {
        blake3::Hasher::new_keyed(&self.0)
    }
}

fn remove(path: &Path) -> Result<(), String> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error.to_string()),
        _ => Ok(()),
    }
}

/// A new key.
fn random() -> io::Result<[u8; SIZE]> {
    let mut key = [0; SIZE];
    getrandom::fill(&mut key).map_err(io::Error::from)?;
    Ok(key)
}
