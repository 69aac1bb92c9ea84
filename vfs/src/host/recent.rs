//! Directories that paths have led through a moment ago.
//!
//! A path from a distant directory costs a system call for each name of it where this program checks permissions itself,
//! and a long walk in the host's kernel in any case. Programs that go through a tree ask for the same directories again
//! and again, so the last few are kept open for a moment: until the clock's next tick (some milliseconds), or until
//! something is renamed, removed or given another mode through this program. A directory that another program of the host
//! renames meanwhile is found under its old path until then.

use super::permission;
use crate::{Context, Node};
use std::sync::{Mutex, PoisonError};

/// So many directories are kept.
const KEPT: usize = 32;

/// The directories, those used last at the end.
#[derive(Default)]
pub(super) struct Recent(Mutex<Vec<Entry>>);

struct Entry {
    /// The directory that the path begins at: inode and device.
    from: (u64, u64),
    /// User and group whose search permission was checked on the way.
    user: (u32, u32),
    moment: u64,
    path: Box<[u8]>,
    node: Node,
}

/// A walk that may use what is kept, and keeps more.
pub(super) struct Trip<'a> {
    recent: &'a Recent,
    from: (u64, u64),
    user: (u32, u32),
    moment: u64,
    path: &'a [u8],
}

impl Recent {
    /// Begins a walk along `path` (names with single slashes between them) from a directory.
    pub(super) fn trip<'a>(&'a self, cx: &Context, from: (u64, u64), path: &'a [u8]) -> Trip<'a> {
        Trip { recent: self, from, user: (cx.uid, cx.gid), moment: permission::moment(), path }
    }
}

impl Trip<'_> {
    /// The farthest directory on the path that is kept, and how many bytes of the path lead to it.
    pub(super) fn farthest(&self) -> Option<(Node, usize)> {
        let mut kept = self.recent.0.lock().unwrap_or_else(PoisonError::into_inner);
        let fits = |entry: &Entry| {
            let length = entry.path.len();
            let ends = matches!(self.path.get(length), None | Some(b'/'));
            entry.moment == self.moment
                && entry.from == self.from
                && entry.user == self.user
                && ends
                && self.path.starts_with(&entry.path)
        };
        let found = kept.iter().enumerate().filter(|(_, entry)| fits(entry));
        let at = found.max_by_key(|(_, entry)| entry.path.len())?.0;
        let entry = kept.remove(at);
        let answer = (entry.node.clone(), entry.path.len());
        kept.push(entry);
        Some(answer)
    }

    /// Keeps the directory that the first `length` bytes of the path lead to, all permissions on the way checked.
    pub(super) fn keep(&self, length: usize, node: &Node) {
        let Some(path) = self.path.get(..length) else { return };
        let entry = Entry {
            from: self.from,
            user: self.user,
            moment: self.moment,
            path: path.into(),
            node: node.clone(),
        };
        let mut kept = self.recent.0.lock().unwrap_or_else(PoisonError::into_inner);
        // What is of another moment is of no use any more, and neither should its descriptors stay open.
        let gone: Vec<Entry> = kept.extract_if(.., |old| old.moment != self.moment).collect();
        let oldest = (kept.len() >= KEPT).then(|| kept.remove(0));
        kept.push(entry);
        drop(kept);
        drop((gone, oldest));
    }
}
