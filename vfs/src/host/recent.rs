//! Directories that paths have led through a moment ago.
//!
//! A path from a distant directory costs a system call for each name of it where this program checks permissions
//! itself, and a long walk in the host's kernel in any case. Programs that go through a tree ask for the same
//! directories again and again, so some of those on the way are kept open for a moment: until the clock's next tick
//! (some milliseconds) or, where finding them took long, for ten times as long as that took. What is renamed, removed
//! or given another mode through this program counts at once. A directory that another program of the host renames
//! meanwhile is found under its old path until then.
//!
//! Of a long path directories are kept at distances from its end that double each time, so that going up again finds
//! one nearby at each level.

use super::permission;
use crate::{Context, Node};
use std::mem;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// So many directories are kept.
const KEPT: usize = 32;

/// How much longer than it took to find it a directory counts as found.
const WORTH: u64 = 10;

/// Directories that were moved or removed so far, in all directories of the host.
static MOVES: AtomicU64 = AtomicU64::new(0);

#[derive(Default)]
pub(super) struct Recent(Mutex<State>);

#[derive(Default)]
struct State {
    /// The directories, those used last at the end.
    entries: Vec<Entry>,
    /// How many of the [`MOVES`] were made here. Entries that they concern were dropped.
    own: u64,
}

struct Entry {
    /// The directory that the path begins at: inode and device.
    from: (u64, u64),
    /// User and group whose search permission was checked on the way.
    user: (u32, u32),
    /// Where other filesystems are mounted, which is not on the way.
    mountpoints: Box<[u64]>,
    era: Era,
    /// The tick that it counts until.
    until: u64,
    path: Box<[u8]>,
    names: usize,
    node: Node,
}

/// What is as it was while this is: changes of modes, and moves made elsewhere in this program.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Era {
    modes: u64,
    moves: u64,
}

/// A walk that may use what is kept, and keeps more.
pub(super) struct Trip<'a> {
    recent: &'a Recent,
    from: (u64, u64),
    user: (u32, u32),
    mountpoints: &'a [u64],
    path: &'a [u8],
    era: Era,
    own: u64,
    tick: u64,
    began: Instant,
    /// Until when the directory counts that this walk goes on from.
    until: Option<u64>,
}

impl Recent {
    /// Begins a walk along `path` (names with single slashes between them) from a directory.
    pub(super) fn trip<'a>(
        &'a self,
        cx: &Context,
        from: (u64, u64),
        path: &'a [u8],
        mountpoints: &'a [u64],
    ) -> Trip<'a> {
        // Before anything is looked at: what a change meanwhile makes old is then not believed.
        let tick = permission::tick();
        let state = self.state();
        let (era, own) = (state.era(), state.own);
        drop(state);
        let user = (cx.uid, cx.gid);
        Trip {
            recent: self,
            from,
            user,
            mountpoints,
            path,
            era,
            own,
            tick,
            began: Instant::now(),
            until: None,
        }
    }

    /// Call after removing a directory, which was empty: only paths that end in it led there.
    pub(super) fn removed(&self, name: &[u8]) {
        self.forget(|path| path.rsplit(|byte| *byte == b'/').next() == Some(name));
    }

    /// Call after moving a directory.
    pub(super) fn moved(&self) {
        self.forget(|_| true);
    }

    fn forget(&self, concerned: impl Fn(&[u8]) -> bool) {
        let mut state = self.state();
        let gone: Vec<Entry> = state.entries.extract_if(.., |entry| concerned(&entry.path)).collect();
        state.own += 1;
        MOVES.fetch_add(1, Ordering::AcqRel);
        drop(state);
        // Descriptors are closed without the lock.
        drop(gone);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// The era now. Own moves are counted in both numbers under the lock.
    fn era(&self) -> Era {
        let moves = MOVES.load(Ordering::Acquire).wrapping_sub(self.own);
        Era { modes: permission::changes(), moves }
    }
}

impl Trip<'_> {
    /// The farthest directory on the path that is kept, how many names lead to it, and in how many bytes.
    pub(super) fn farthest(&mut self) -> Option<(Node, usize, usize)> {
        let mut state = self.recent.state();
        let mut best: Option<(usize, usize)> = None;
        for (at, entry) in state.entries.iter().enumerate().rev() {
            let length = entry.path.len();
            let farther = best.is_none_or(|(_, known)| known < length);
            if farther && matches!(self.path.get(length), None | Some(b'/')) && self.fits(entry) {
                best = Some((at, length));
            }
        }
        let (at, length) = best?;
        let entry = state.entries.remove(at);
        let answer = (entry.node.clone(), entry.names, length);
        self.until = Some(entry.until);
        state.entries.push(entry);
        Some(answer)
    }

    fn fits(&self, entry: &Entry) -> bool {
        entry.era == self.era
            && self.tick <= entry.until
            && entry.from == self.from
            && entry.user == self.user
            && *entry.mountpoints == *self.mountpoints
            && self.path.starts_with(&entry.path)
    }

    /// Keeps the directory that the first `names` names of the path, `length` bytes, lead to, all permissions on the
    /// way checked.
    pub(super) fn keep(&self, names: usize, length: usize, node: &Node) {
        let Some(path) = self.path.get(..length) else { return };
        let took = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX);
        // What is found from a kept one counts no longer than that.
        let until = self.until.unwrap_or_else(|| self.tick.saturating_add(took.saturating_mul(WORTH)));
        let entry = Entry {
            from: self.from,
            user: self.user,
            mountpoints: self.mountpoints.into(),
            era: self.era,
            until,
            path: path.into(),
            names,
            node: node.clone(),
        };
        let mut state = self.recent.state();
        if state.own != self.own {
            // What was moved or removed meanwhile may be on this path.
            return;
        }
        // What does not count any more is of no use, and neither should its descriptors stay open.
        let era = state.era();
        let old = |old: &mut Entry| old.era != era || old.until < self.tick;
        let mut gone: Vec<Entry> = state.entries.extract_if(.., old).collect();
        let same = |old: &Entry| old.names == names && self.fits(old) && old.path.len() == length;
        match state.entries.iter_mut().find(|old| same(old)) {
            Some(old) => gone.push(mem::replace(old, entry)),
            None => {
                if state.entries.len() >= KEPT {
                    gone.push(state.entries.remove(0));
                }
                state.entries.push(entry);
            }
        }
        drop(state);
        drop(gone);
    }
}
