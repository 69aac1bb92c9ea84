//! Names that are compared exactly, whatever the host takes for the same name.

use super::system;
use crate::{Errno, Result};
use cap_std::fs::{Dir, Metadata};
use std::collections::HashSet;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A file of the host: inode and device.
pub(super) type Id = (u64, u64);

/// The most names of a directory that are remembered. Beyond, a directory is listed for each name.
const MAX_NAMES: usize = 1 << 16;

/// Names that a directory was seen to hold, spelled exactly so. Another program of the host may have respelled one
/// since: that is noticed when the directory is used for another name, or opened anew.
#[derive(Default)]
pub(super) struct Names {
    seen: Mutex<HashSet<u64>>,
    /// Chosen at random, so that nobody can choose names with the same hash.
    hasher: RandomState,
}

impl Names {
    /// The attributes of the file of exactly this name, without following a link.
    pub(super) fn lookup(&self, dir: &Dir, name: &[u8]) -> Result<Metadata> {
        // What the host cannot hold is not there.
        let path = system::host_name(name).map_err(|_| Errno::NoEnt)?;
        let metadata = dir.symlink_metadata(path).inspect_err(|_| self.forget(name))?;
        match self.hold(dir, name) {
            Ok(true) => Ok(metadata),
            Ok(false) => Err(Errno::NoEnt),
            // A directory that may be searched but not listed: the host's answer has to do.
            Err(Errno::Acces) => Ok(metadata),
            Err(errno) => Err(errno),
        }
    }

    pub(super) fn forget(&self, name: &[u8]) {
        let hash = self.hasher.hash_one(name);
        self.seen().remove(&hash);
    }

    /// Whether the directory holds exactly this name.
    fn hold(&self, dir: &Dir, name: &[u8]) -> Result<bool> {
        let wanted = self.hasher.hash_one(name);
        if self.seen().contains(&wanted) {
            return Ok(true);
        }
        let mut seen = HashSet::new();
        let mut found = false;
        for entry in dir.entries()? {
            let Some(listed) = system::guest_name(&entry?.file_name()) else { continue };
            found |= listed == name;
            if seen.len() < MAX_NAMES {
                seen.insert(self.hasher.hash_one(&*listed));
            }
        }
        *self.seen() = seen;
        Ok(found)
    }

    fn seen(&self) -> MutexGuard<'_, HashSet<u64>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The file that the host finds by this name.
pub(super) fn identity(dir: &Dir, name: &[u8]) -> Result<Id> {
    Ok(system::identity(&dir.symlink_metadata(system::host_name(name)?)?))
}

/// Whether the host finds the same file by both names.
pub(super) fn same_file(dir: &Dir, one: &[u8], other: &[u8]) -> Result<bool> {
    match identity(dir, other) {
        Ok(found) => Ok(found == identity(dir, one)?),
        Err(_) => Ok(false),
    }
}
