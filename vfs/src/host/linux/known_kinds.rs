//! What directories that were listed a moment ago contain.
//!
//! Before a file is opened, its type must be known, because opening a device or a pipe has effects. A program that
//! searches a tree opens what it has just listed, and the listing told the types. So a directory's last listing saves a
//! system call for each file in it. What was opened is checked again; an entry that is out of date costs time and
//! nothing else, unless another program of the host has put a device or a pipe in the place of a regular file within
//! the last [`VALIDITY`] milliseconds.

use super::{path_cache, permission};
use crate::{DirEntry, FileKind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The most listings that are kept.
const MAX_LISTINGS: usize = 16;

/// The most names in a listing that is kept: reading a larger one takes longer than it is valid.
const MAX_NAMES: usize = 4096;

/// How long a listing is used, in milliseconds.
const VALIDITY: u64 = 50;

/// The last listings, the newest last.
#[derive(Default)]
pub(super) struct KnownKinds(Mutex<Vec<Listing>>);

/// Take this before reading a directory, so that a change meanwhile makes the listing useless.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Before {
    tick: u64,
    moves: u64,
}

struct Listing {
    /// Inode and device of the directory.
    directory: (u64, u64),
    before: Before,
    /// Sorted by name.
    entries: Arc<Vec<DirEntry>>,
}

impl KnownKinds {
    pub(super) fn before() -> Before {
        Before { tick: permission::tick(), moves: path_cache::moves() }
    }

    /// Keeps a listing, sorted by name, that was read after `before`.
    pub(super) fn listed(&self, directory: (u64, u64), before: Before, entries: &Arc<Vec<DirEntry>>) {
        if entries.len() > MAX_NAMES {
            return;
        }
        let mut listings = self.listings();
        listings.retain(|known| known.directory != directory && known.is_valid());
        if listings.len() >= MAX_LISTINGS {
            listings.remove(0);
        }
        listings.push(Listing { directory, before, entries: Arc::clone(entries) });
    }

    /// Whether a directory had a regular file of this name a moment ago.
    pub(super) fn is_regular(&self, directory: (u64, u64), name: &[u8]) -> bool {
        let listings = self.listings();
        let Some(listing) = listings.iter().rfind(|known| known.directory == directory) else {
            return false;
        };
        let found = listing.entries.binary_search_by(|entry| (*entry.name).cmp(name));
        let entry = found.ok().and_then(|at| listing.entries.get(at));
        listing.is_valid() && entry.is_some_and(|entry| entry.kind == FileKind::Regular)
    }

    fn listings(&self) -> MutexGuard<'_, Vec<Listing>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Listing {
    /// A file that was moved through this program may have been a device or a pipe.
    fn is_valid(&self) -> bool {
        let now = KnownKinds::before();
        now.moves == self.before.moves && now.tick.saturating_sub(self.before.tick) <= VALIDITY
    }
}
