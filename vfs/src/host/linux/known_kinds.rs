//! What directories that were listed a moment ago contain.
//!
//! Before a file is opened, its type must be known, because opening a device or a pipe has effects. A program that
//! searches a tree opens what it has just listed, and the listing told the types. So a directory's last listing saves a
//! system call for each file in it. What was opened is checked again; an entry that is out of date costs time and
//! nothing else, unless another program of the host has put a device or a pipe in the place of a regular file within
//! the last [`VALIDITY`] milliseconds.

use super::path_cache::Moment;
use crate::{DirEntry, FileKind};
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The most listings that are kept: a program that walks a tree lists directories before it comes back to the files
/// beside them.
const MAX_LISTINGS: usize = 256;

/// The most names in all listings that are kept.
const MAX_NAMES: usize = 8192;

/// How long a listing is used, in milliseconds.
const VALIDITY: u64 = 50;

#[derive(Default)]
pub(super) struct KnownKinds(Mutex<Listings>);

#[derive(Default)]
struct Listings {
    of: HashMap<Directory, Listing>,
    /// In the order in which they were kept. A directory may be here more than once.
    order: VecDeque<Directory>,
    names: usize,
}

/// Inode and device.
type Directory = (u64, u64);

struct Listing {
    /// From before it was read, so that a change meanwhile makes it useless.
    before: Moment,
    /// Sorted by name.
    entries: Arc<Vec<DirEntry>>,
}

impl KnownKinds {
    /// Keeps a listing, sorted by name, that was read after `before`.
    pub(super) fn listed(&self, directory: Directory, before: Moment, entries: &Arc<Vec<DirEntry>>) {
        if entries.len() > MAX_NAMES {
            return;
        }
        let mut listings = self.listings();
        listings.forget(directory);
        while let Some(oldest) = listings.order.front().copied() {
            let room = listings.order.len() < MAX_LISTINGS && listings.names + entries.len() <= MAX_NAMES;
            let known = listings.of.get(&oldest);
            if room && known.is_some_and(|listing| listing.is_recent(before)) {
                break;
            }
            listings.order.pop_front();
            listings.forget(oldest);
        }
        listings.names += entries.len();
        listings.order.push_back(directory);
        listings.of.insert(directory, Listing { before, entries: Arc::clone(entries) });
    }

    /// Whether a directory had a regular file of this name a moment ago.
    pub(super) fn is_regular(&self, directory: Directory, name: &[u8]) -> bool {
        let listings = self.listings();
        let Some(listing) = listings.of.get(&directory) else {
            return false;
        };
        let found = listing.entries.binary_search_by(|entry| (*entry.name).cmp(name));
        let entry = found.ok().and_then(|at| listing.entries.get(at));
        entry.is_some_and(|entry| entry.kind == FileKind::Regular) && listing.is_recent(Moment::now())
    }

    fn listings(&self) -> MutexGuard<'_, Listings> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Listings {
    fn forget(&mut self, directory: Directory) {
        if let Some(listing) = self.of.remove(&directory) {
            self.names -= listing.entries.len();
        }
    }
}

impl Listing {
    /// Whether it is still used. A file that was moved through this program meanwhile may have been a device or a pipe.
    fn is_recent(&self, now: Moment) -> bool {
        now.moves == self.before.moves && now.tick.saturating_sub(self.before.tick) <= VALIDITY
    }
}
