//! Checks that a target is still the state to which the changes were made.

use super::super::diff::Delta;
use super::super::error::{Conflict, ConflictReason};
use super::super::layers::{Extra, Layers, split};
use super::ApplyError;
use super::target::Target;
use crate::{FileKind, Metadata};

impl Delta {
    /// Whether the change replaces or removes the file of this name.
    pub(super) fn replaces(&self) -> bool {
        match (&self.before, &self.after) {
            (Some(old), Some((_, new))) => old.kind != new.kind || old.kind != FileKind::Directory,
            _ => true,
        }
    }
}

impl Layers {
    /// Compares every path with its state when it was first changed. Returns what the target has there.
    pub(super) fn compare_target(
        &self,
        extra: &Extra,
        deltas: &[Delta],
        target: &Target,
    ) -> Result<Vec<Option<Metadata>>, ApplyError> {
        let mut conflicts = Vec::new();
        let mut seen = Vec::with_capacity(deltas.len());
        for delta in deltas {
            let now = target
                .metadata(&delta.path)
                .map_err(|errno| ApplyError::Failed { path: delta.path.to_vec(), errno })?;
            let reason = self.conflict(extra, delta, now.as_ref());
            conflicts.extend(reason.map(|reason| Conflict { path: delta.path.to_vec(), reason }));
            seen.push(now);
        }
        if conflicts.is_empty() { Ok(seen) } else { Err(ApplyError::Conflicts(conflicts)) }
    }

    fn conflict(&self, extra: &Extra, delta: &Delta, now: Option<&Metadata>) -> Option<ConflictReason> {
        if delta.after.as_ref().is_some_and(|(_, metadata)| {
            !matches!(metadata.kind, FileKind::Regular | FileKind::Directory | FileKind::Symlink)
        }) {
            return Some(ConflictReason::Unsupported);
        }
        match (self.expected(extra, delta), now) {
            (None, None) => None,
            (None, Some(_)) => Some(ConflictReason::Exists),
            (Some(_), None) => Some(ConflictReason::Missing),
            (Some(old), Some(now)) => {
                let directory = old.kind == FileKind::Directory;
                let same = old.kind == now.kind
                    && (directory || (old.size, old.mtime, old.mode) == (now.size, now.mtime, now.mode));
                (!same).then_some(ConflictReason::Modified)
            }
        }
    }

    /// The attributes of the lower file at a path when it was first changed.
    fn expected(&self, extra: &Extra, delta: &Delta) -> Option<Metadata> {
        let path = &*delta.path;
        if let Some(removed) = extra.removed.get(path) {
            return Some(*removed);
        }
        // It may be another name of a file that was copied up.
        let linked = delta
            .before
            .filter(|before| before.nlink > 1)
            .and_then(|before| extra.linked.get(before.ino).ok().flatten());
        let store = self.live.read();
        if let Some(ino) = extra.promoted.get(path).or(linked) {
            return store.get(*ino).ok()?.origin.as_ref().map(|origin| origin.metadata);
        }
        // Inside a directory that was moved as a whole there are no records, so the current lower file is what was
        // moved. Inside a directory that was removed, every name was removed separately, so a file without a record was
        // created later.
        let mut above = split(path).0;
        while !above.is_empty() {
            if extra.removed.get(above).is_some() {
                let moved = extra
                    .promoted
                    .get(above)
                    .is_some_and(|ino| store.get(*ino).is_ok_and(|inode| inode.nlink > 0));
                return delta.before.filter(|_| moved);
            }
            above = split(above).0;
        }
        None
    }
}
