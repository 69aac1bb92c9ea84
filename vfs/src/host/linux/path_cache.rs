//! A short-lived cache of directories on recently used paths.
//!
//! A long path costs a system call for each name if this program checks permissions itself, and a long walk in the
//! host's kernel in any case. Programs that traverse a tree use the same directories again and again. So some
//! directories on a path are kept open for a moment: until the clock's next tick (some milliseconds), or, if finding
//! them took long, for ten times that duration. What is renamed, removed or given another mode through this program
//! takes effect at once. If another program of the host renames a directory meanwhile, it is still found under its old
//! path until then.
//!
//! A directory that was opened for listing is kept in the same way, because the files in it are mostly used next.
//!
//! On a long path, directories are kept at distances from the end that double each time, so that a program that goes up
//! again finds a kept directory nearby at each level.

use super::permission;
use crate::{Context, Node};
use std::collections::VecDeque;
use std::mem;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// The most directories that are kept.
const MAX_ENTRIES: usize = 32;

/// The most directories that are kept because they were opened for listing.
const MAX_OPENED: usize = 32;

/// A directory is kept for this many times the duration that finding it took.
const VALIDITY_FACTOR: u64 = 10;

/// Counts directories that were moved or removed, in all directories of the host.
static MOVES: AtomicU64 = AtomicU64::new(0);

/// How often [`moved`](PathCache::moved) and [`removed`](PathCache::removed) were called, of all caches.
fn moves() -> u64 {
    MOVES.load(Ordering::Acquire)
}

#[derive(Default)]
pub(super) struct PathCache(Mutex<State>);

#[derive(Default)]
struct State {
    /// The directories, the most recently used last.
    entries: Vec<Entry>,
    /// The directories that were opened for listing, the newest last.
    opened: VecDeque<Opened>,
    /// How many of the [`MOVES`] were made through this [`HostDir`](super::HostDir). Their entries were dropped.
    own: u64,
}

struct Entry {
    /// The directory where the path starts: inode and device.
    from: (u64, u64),
    /// The user and group whose search permission was checked along the path.
    user: (u32, u32),
    /// Inode numbers of mount points; none of them is on the path.
    mountpoints: Box<[u64]>,
    era: Era,
    /// The last tick at which it is valid.
    until: u64,
    /// The [`tail`] of the path.
    tail: Option<u64>,
    path: Box<[u8]>,
    names: usize,
    node: Node,
}

/// A directory that was opened for listing.
struct Opened {
    /// The directory that it is in: inode and device.
    above: (u64, u64),
    name: Box<[u8]>,
    moment: Moment,
    node: Node,
}

/// The clock's tick, and how many directories had been moved. Take it before a look at the host, so that a change
/// meanwhile makes the answer useless.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Moment {
    pub(super) tick: u64,
    pub(super) moves: u64,
}

/// Counters of mode changes and of moves elsewhere in this program. An entry is valid only while they are unchanged.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Era {
    modes: u64,
    moves: u64,
}

/// A walk that uses kept directories and may keep more.
pub(super) struct CachedWalk<'a> {
    cache: &'a PathCache,
    from: (u64, u64),
    user: (u32, u32),
    mountpoints: &'a [u64],
    path: &'a [u8],
    era: Era,
    own: u64,
    tick: u64,
    /// When the directories that are not kept began to be looked up.
    began: Option<Instant>,
    /// If the walk started at a kept directory: the last tick at which that one is valid.
    until: Option<u64>,
}

impl Moment {
    pub(super) fn now() -> Self {
        Self { tick: permission::tick(), moves: moves() }
    }
}

impl PathCache {
    /// Starts a walk along `path` (names with single slashes between them) from a directory.
    pub(super) fn walk<'a>(
        &'a self,
        cx: &Context,
        from: (u64, u64),
        path: &'a [u8],
        mountpoints: &'a [u64],
    ) -> CachedWalk<'a> {
        // Read this first, so that a change during the walk makes the new entries stale.
        let tick = permission::tick();
        CachedWalk::new(self, &self.state(), cx, from, path, mountpoints, tick)
    }

    /// The kept directory at the end of this path. A path in another form than [`walk`](Self::walk) has is never kept.
    pub(super) fn whole(
        &self,
        cx: &Context,
        from: (u64, u64),
        path: &[u8],
        mountpoints: &[u64],
    ) -> Option<Node> {
        let tick = permission::tick();
        let mut state = self.state();
        let walk = CachedWalk::new(self, &state, cx, from, path, mountpoints, tick);
        let is_it = |entry: &Entry| entry.path.len() == path.len() && walk.fits(entry);
        let at = state.entries.iter().rposition(is_it)?;
        Some(state.use_entry(at).node.clone())
    }

    /// Keeps a directory that was opened for listing, after `moment`.
    pub(super) fn keep_opened(&self, above: (u64, u64), name: &[u8], moment: Moment, node: &Node) {
        let opened = Opened { above, name: name.into(), moment, node: node.clone() };
        let mut state = self.state();
        let oldest = if state.opened.len() >= MAX_OPENED { state.opened.pop_front() } else { None };
        state.opened.push_back(opened);
        drop(state);
        drop(oldest);
    }

    /// A directory that was opened for listing at this moment.
    pub(super) fn opened(&self, above: (u64, u64), name: &[u8], moment: Moment) -> Option<Node> {
        let state = self.state();
        let is_it =
            |opened: &&Opened| opened.above == above && opened.moment == moment && *opened.name == *name;
        state.opened.iter().rev().find(is_it).map(|opened| opened.node.clone())
    }

    /// Call this after removing a directory. It was empty, so only paths that end in its name are concerned.
    pub(super) fn removed(&self, name: &[u8]) {
        self.forget(|path| path.rsplit(|byte| *byte == b'/').next() == Some(name));
    }

    /// Call this after moving a file or directory.
    pub(super) fn moved(&self) {
        self.forget(|_| true);
    }

    fn forget(&self, concerned: impl Fn(&[u8]) -> bool) {
        let mut state = self.state();
        let gone: Vec<Entry> = state.entries.extract_if(.., |entry| concerned(&entry.path)).collect();
        let opened = mem::take(&mut state.opened);
        state.own += 1;
        MOVES.fetch_add(1, Ordering::AcqRel);
        drop(state);
        // Close descriptors without holding the lock.
        drop((gone, opened));
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// The current era. Own moves cancel out: both numbers count them, under the lock.
    fn era(&self) -> Era {
        let moves = moves().wrapping_sub(self.own);
        Era { modes: permission::changes(), moves }
    }

    /// Makes an entry the most recently used one.
    fn use_entry(&mut self, at: usize) -> &Entry {
        self.entries[at..].rotate_left(1);
        &self.entries[self.entries.len() - 1]
    }
}

impl<'a> CachedWalk<'a> {
    fn new(
        cache: &'a PathCache,
        state: &State,
        cx: &Context,
        from: (u64, u64),
        path: &'a [u8],
        mountpoints: &'a [u64],
        tick: u64,
    ) -> Self {
        let (era, own, user) = (state.era(), state.own, (cx.uid, cx.gid));
        CachedWalk { cache, from, user, mountpoints, path, era, own, tick, began: None, until: None }
    }

    /// The kept directory that is farthest along the path, with the number of names and of bytes that lead to it.
    pub(super) fn farthest(&mut self) -> Option<(Node, usize, usize)> {
        let mut state = self.cache.state();
        let mut best: Option<(usize, usize)> = None;
        for (at, entry) in state.entries.iter().enumerate().rev() {
            let length = entry.path.len();
            let farther = best.is_none_or(|(_, known)| known < length);
            if farther && matches!(self.path.get(length), None | Some(b'/')) && self.fits(entry) {
                best = Some((at, length));
            }
        }
        if best.is_none_or(|(_, length)| length < self.path.len()) {
            self.began = Some(Instant::now());
        }
        let (at, length) = best?;
        let entry = state.use_entry(at);
        self.until = Some(entry.until);
        Some((entry.node.clone(), entry.names, length))
    }

    fn fits(&self, entry: &Entry) -> bool {
        self.may_begin_with(entry)
            && entry.era == self.era
            && self.tick <= entry.until
            && entry.from == self.from
            && entry.user == self.user
            && *entry.mountpoints == *self.mountpoints
            && self.path.starts_with(&entry.path)
    }

    /// Whether the last bytes of the entry's path are at their place in the path. Directories next to each other differ
    /// only there, so this saves most comparisons of whole paths.
    fn may_begin_with(&self, entry: &Entry) -> bool {
        self.path.get(..entry.path.len()).is_some_and(|start| tail(start) == entry.tail)
    }

    /// Keeps a directory to which the first `names` names of the path lead, which are `length` bytes. All permissions
    /// on the way were checked.
    pub(super) fn keep(&self, names: usize, length: usize, node: &Node) {
        let Some(path) = self.path.get(..length) else { return };
        let took =
            self.began.map_or(0, |began| u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX));
        // A directory that was found through a kept one is valid no longer than that one.
        let until =
            self.until.unwrap_or_else(|| self.tick.saturating_add(took.saturating_mul(VALIDITY_FACTOR)));
        let entry = Entry {
            from: self.from,
            user: self.user,
            mountpoints: self.mountpoints.into(),
            era: self.era,
            until,
            tail: tail(path),
            path: path.into(),
            names,
            node: node.clone(),
        };
        let mut state = self.cache.state();
        if state.own != self.own {
            // Something was moved or removed meanwhile, and may be on this path.
            return;
        }
        // Remove invalid entries, so that their descriptors are closed.
        let era = state.era();
        let old = |old: &mut Entry| old.era != era || old.until < self.tick;
        let mut gone: Vec<Entry> = state.entries.extract_if(.., old).collect();
        let is_old = |opened: &Opened| opened.moment.tick < self.tick;
        let old = state.opened.iter().take_while(|opened| is_old(opened)).count();
        let closed: Vec<Opened> = state.opened.drain(..old).collect();
        let same = |old: &Entry| old.names == names && self.fits(old) && old.path.len() == length;
        match state.entries.iter_mut().find(|old| same(old)) {
            Some(old) => gone.push(mem::replace(old, entry)),
            None => {
                if state.entries.len() >= MAX_ENTRIES {
                    gone.push(state.entries.remove(0));
                }
                state.entries.push(entry);
            }
        }
        drop(state);
        drop((gone, closed));
    }
}

/// The last bytes of a path; `None` of a shorter one.
fn tail(path: &[u8]) -> Option<u64> {
    path.last_chunk().copied().map(u64::from_ne_bytes)
}
