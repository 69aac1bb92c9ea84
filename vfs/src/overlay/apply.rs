//! Making an overlay's changes in a real directory.

use super::Overlay;
use super::diff::{Change, Delta};
use super::layers::{Extra, Layers, join, shown_ino, split};
use crate::memory::{Origin, ROOT};
use crate::{
    Context, Errno, FileKind, FileSystem, Follow, Location, Metadata, MountOptions, Namespace, OpenOptions,
    Opened, Result, SetAttributes, SetTime,
};
use std::fmt;
use std::sync::Arc;

/// Why a change cannot be applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConflictReason {
    /// Something is there now that was not when the overlay added it.
    Exists,
    /// It is gone.
    Missing,
    /// Its kind, size, mode or modification time is not what it was when the overlay first changed it.
    Modified,
    /// A FIFO or device cannot be made.
    Unsupported,
}

/// A path whose change cannot be applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The path from the root.
    pub path: Vec<u8>,
    /// Why.
    pub reason: ConflictReason,
}

/// Why [`Overlay::apply`] failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ApplyError {
    /// The target is not what the changes were made to. Nothing was done.
    #[error("{} conflicting path(s), the first: {}", .0.len(), .0.first().map(ToString::to_string).unwrap_or_default())]
    Conflicts(Vec<Conflict>),
    /// An operation failed. When it was one that moves finished files into place, what was done before stays, and
    /// applying again goes on.
    #[error("{}: {errno}", path.escape_ascii())]
    Failed {
        /// The path from the root.
        path: Vec<u8>,
        /// The error.
        #[source]
        errno: Errno,
    },
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reason = match self.reason {
            ConflictReason::Exists => "exists now",
            ConflictReason::Missing => "is missing now",
            ConflictReason::Modified => "was modified meanwhile",
            ConflictReason::Unsupported => "is a kind of file that cannot be made",
        };
        write!(f, "{} {reason}", self.path.escape_ascii())
    }
}

impl Overlay {
    /// Whether [`apply`](Self::apply) would be refused: the comparison alone, with nothing done.
    pub fn check(&self, target: Arc<dyn FileSystem>) -> std::result::Result<(), ApplyError> {
        let deltas = self.layers.deltas().map_err(|errno| ApplyError::Failed { path: Vec::new(), errno })?;
        let extra = self.layers.extra();
        self.layers.compare_target(&extra, &deltas, &Target::new(target))
    }

    /// Makes all changes in `target`, which is the directory below opened for writing; returns them.
    ///
    /// Before anything is done, every path is compared with what it was when the overlay first changed it; if one
    /// differs, all is refused. New contents are then written into the directory `.sandshell-apply` of the target, so that
    /// running out of space changes nothing, and renamed over the old files one by one; they keep the overlay's
    /// modification times. Hard links become files of their own, owners are the target's.
    ///
    /// The overlay then shows no difference, and may be used and applied further.
    pub fn apply(&self, target: Arc<dyn FileSystem>) -> std::result::Result<Vec<Change>, ApplyError> {
        let failed = |path: &[u8]| {
            let path = path.to_vec();
            move |errno| ApplyError::Failed { path, errno }
        };
        let deltas = self.layers.deltas().map_err(failed(b""))?;
        let mut extra = self.layers.extra_mut();
        let target = Target::new(target);
        self.layers.compare_target(&extra, &deltas, &target)?;
        let staged = target.stage(&self.layers, &deltas)?;
        for delta in deltas.iter().rev().filter(|delta| delta.is_removal()) {
            target.remove(delta).map_err(failed(&delta.path))?;
            extra.applied.insert(Arc::clone(&delta.path), None);
        }
        for (delta, staged) in deltas.iter().zip(&staged) {
            let Some((_, metadata)) = &delta.after else {
                continue;
            };
            let made = match staged {
                Some(staged) => target.move_in(staged, delta),
                None => target.directory(delta, metadata),
            };
            made.map_err(failed(&delta.path))?;
            let now = target.metadata(&delta.path).map_err(failed(&delta.path))?;
            extra.applied.insert(Arc::clone(&delta.path), now);
        }
        target.unstage();
        self.layers.rebase(&mut extra).map_err(failed(b""))?;
        Ok(deltas.iter().flat_map(Delta::changes).collect())
    }
}

impl Delta {
    /// Whether what was there has to go first: it is removed, or another kind takes its place.
    fn is_removal(&self) -> bool {
        match (&self.before, &self.after) {
            (Some(_), None) => true,
            (Some(old), Some((_, new))) => old.kind != new.kind,
            (None, _) => false,
        }
    }
}

impl Layers {
    /// Compares every path with what it was when it was first changed.
    fn compare_target(
        &self,
        extra: &Extra,
        deltas: &[Delta],
        target: &Target,
    ) -> std::result::Result<(), ApplyError> {
        let mut conflicts = Vec::new();
        for delta in deltas {
            let reason = self
                .conflict(extra, delta, target)
                .map_err(|errno| ApplyError::Failed { path: delta.path.to_vec(), errno })?;
            conflicts.extend(reason.map(|reason| Conflict { path: delta.path.to_vec(), reason }));
        }
        if conflicts.is_empty() { Ok(()) } else { Err(ApplyError::Conflicts(conflicts)) }
    }

    fn conflict(&self, extra: &Extra, delta: &Delta, target: &Target) -> Result<Option<ConflictReason>> {
        if delta.after.as_ref().is_some_and(|(_, metadata)| {
            !matches!(metadata.kind, FileKind::Regular | FileKind::Directory | FileKind::Symlink)
        }) {
            return Ok(Some(ConflictReason::Unsupported));
        }
        let expected = self.expected(extra, delta);
        Ok(match (expected, target.metadata(&delta.path)?) {
            (None, None) => None,
            (None, Some(_)) => Some(ConflictReason::Exists),
            (Some(_), None) => Some(ConflictReason::Missing),
            (Some(old), Some(now)) => {
                let directory = old.kind == FileKind::Directory;
                let same = old.kind == now.kind
                    && (directory || (old.size, old.mtime, old.mode) == (now.size, now.mtime, now.mode));
                (!same).then_some(ConflictReason::Modified)
            }
        })
    }

    /// What was below at a path when it was first changed.
    fn expected(&self, extra: &Extra, delta: &Delta) -> Option<Metadata> {
        let path = &*delta.path;
        if let Some(applied) = extra.applied.get(path) {
            return *applied;
        }
        if let Some(removed) = extra.removed.get(path) {
            return Some(*removed);
        }
        // Another name of a file that was copied up has the same past.
        let linked =
            delta.before.filter(|before| before.nlink > 1).and_then(|before| extra.linked.get(before.ino));
        if let Some(ino) = extra.promoted.get(path).or(linked) {
            let store = self.live.read();
            return store.get(*ino).ok()?.origin.as_ref().map(|origin| origin.metadata);
        }
        // Inside a directory that was moved away as a whole there is no record: what is there now moves.
        let mut above = split(path).0;
        while !above.is_empty() {
            if extra.removed.get(above).is_some() {
                return delta.before;
            }
            above = split(above).0;
        }
        None
    }
}

/// The directory that is written to.
struct Target {
    namespace: Namespace,
    root: Location,
}

const CX: &Context = &Context::ROOT;

impl Target {
    fn new(fs: Arc<dyn FileSystem>) -> Self {
        let namespace = Namespace::new(fs, MountOptions::default());
        let root = namespace.root();
        Self { namespace, root }
    }

    /// The directory of a path, reached without following a link, and the last name.
    fn place<'p>(&self, path: &'p [u8]) -> Result<(Location, &'p [u8])> {
        let (above, name) = split(path);
        let mut at = self.root.clone();
        for name in above.split(|byte| *byte == b'/').filter(|name| !name.is_empty()) {
            at = self.namespace.resolve(CX, &at, name, Follow::No)?;
            if at.kind() != FileKind::Directory {
                return Err(Errno::NotDir);
            }
        }
        Ok((at, if name.is_empty() { b"." } else { name }))
    }

    fn metadata(&self, path: &[u8]) -> Result<Option<Metadata>> {
        let found =
            self.place(path).and_then(|(at, name)| self.namespace.metadata(CX, &at, name, Follow::No));
        match found {
            Ok(metadata) => Ok(Some(metadata)),
            Err(Errno::NoEnt | Errno::NotDir) => Ok(None),
            Err(errno) => Err(errno),
        }
    }

    fn remove(&self, delta: &Delta) -> Result<()> {
        let (at, name) = self.place(&delta.path)?;
        match &delta.before {
            Some(old) if old.kind == FileKind::Directory => self.namespace.remove_dir(CX, &at, name),
            _ => self.namespace.unlink(CX, &at, name),
        }
    }

    fn directory(&self, delta: &Delta, metadata: &Metadata) -> Result<()> {
        let (at, name) = self.place(&delta.path)?;
        if delta.before.is_none() || delta.is_removal() {
            return self.namespace.create_dir(CX, &at, name, metadata.mode);
        }
        let mode = SetAttributes { mode: Some(metadata.mode), ..Default::default() };
        self.namespace.set_attributes(CX, &at, name, Follow::No, &mode)
    }

    /// Makes the new contents of all files and links in a directory of their own, before anything else is touched. Gives
    /// the name there, for what is not a directory.
    fn stage(
        &self,
        layers: &Layers,
        deltas: &[Delta],
    ) -> std::result::Result<Vec<Option<Vec<u8>>>, ApplyError> {
        let stage = |(number, delta): (usize, &Delta)| {
            let Some((source, metadata)) = &delta.after else {
                return Ok(None);
            };
            if metadata.kind == FileKind::Directory {
                return Ok(None);
            }
            let name = [STAGE, b"/", number.to_string().as_bytes()].concat();
            let bytes = layers.bytes_above(source)?;
            match metadata.kind {
                FileKind::Symlink => self.namespace.symlink(CX, &bytes, &self.root, &name)?,
                _ => self.write(&name, metadata, &bytes)?,
            }
            Ok(Some(name))
        };
        self.unstage();
        if deltas.iter().any(|delta| delta.after.is_some())
            && let Err(errno) = self.namespace.create_dir(CX, &self.root, STAGE, 0o700)
        {
            return Err(ApplyError::Failed { path: STAGE.to_vec(), errno });
        }
        let mut staged = Vec::with_capacity(deltas.len());
        for (number, delta) in deltas.iter().enumerate() {
            match stage((number, delta)) {
                Ok(name) => staged.push(name),
                Err(errno) => {
                    self.unstage();
                    return Err(ApplyError::Failed { path: delta.path.to_vec(), errno });
                }
            }
        }
        Ok(staged)
    }

    /// Removes the staging directory with what is left in it, also from an earlier attempt that was cut off.
    fn unstage(&self) {
        let how = OpenOptions { directory: true, nofollow: true, ..OpenOptions::READ };
        let Ok(Opened::Directory { file, location }) = self.namespace.open(CX, &self.root, STAGE, &how)
        else {
            return;
        };
        while let Ok(names) = file.read_dir(CX, 0)
            && !names.is_empty()
        {
            for entry in names {
                if self.namespace.unlink(CX, &location, &entry.name).is_err() {
                    return;
                }
            }
        }
        let _ = self.namespace.remove_dir(CX, &self.root, STAGE);
    }

    fn write(&self, name: &[u8], metadata: &Metadata, bytes: &[u8]) -> Result<()> {
        let how = OpenOptions { exclusive: true, mode: 0o600, ..OpenOptions::WRITE };
        let Opened::File { file, .. } = self.namespace.open(CX, &self.root, name, &how)? else {
            return Err(Errno::Io);
        };
        let mut done = 0;
        while done < bytes.len() {
            match file.write_at(bytes.get(done..).unwrap_or_default(), done as u64)? {
                0 => return Err(Errno::Io),
                count => done += count,
            }
        }
        let mode = Some(metadata.mode);
        let mtime = Some(SetTime::At(metadata.mtime));
        file.set_attributes(CX, &SetAttributes { mode, mtime, ..Default::default() })
    }

    fn move_in(&self, staged: &[u8], delta: &Delta) -> Result<()> {
        let (at, name) = self.place(&delta.path)?;
        self.namespace.rename(CX, &self.root, staged, &at, name)
    }
}

/// Where new contents wait, in the root of the target.
const STAGE: &[u8] = b".sandshell-apply";

impl Layers {
    /// After the filesystem below has become what the overlay shows: everything above continues the file at its path
    /// there, and no name is hidden.
    fn rebase(&self, extra: &mut Extra) -> Result<()> {
        *extra = Extra::default();
        let mut rest: Vec<(Arc<[u8]>, u64)> = vec![(Arc::from(&b""[..]), ROOT)];
        while let Some((path, ino)) = rest.pop() {
            let below = self.lower_at(&path).and_then(|node| self.lower.metadata(&node));
            let mut store = self.live.write();
            let shown = shown_ino(&store, ino);
            let inode = store.get_mut(ino)?;
            inode.origin = match below {
                Ok(metadata) if metadata.kind == inode.kind() => {
                    extra.promoted.insert(Arc::clone(&path), ino);
                    // The number shown stays.
                    let metadata = Metadata { ino: shown, ..metadata };
                    Some(Arc::new(Origin { path: Box::from(&*path), metadata }))
                }
                _ => None,
            };
            if let Ok(names) = inode.names_mut() {
                let all: Vec<_> = names.iter().map(|(name, entry)| (Arc::clone(name), *entry)).collect();
                for (name, entry) in all {
                    if entry.is_whiteout() {
                        names.remove(&name);
                    } else {
                        rest.push((join(&path, &name), entry.ino));
                    }
                }
            }
        }
        Ok(())
    }
}
