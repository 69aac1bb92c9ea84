//! Making an overlay's changes in a real directory.

use super::Overlay;
use super::diff::{Change, Delta};
use super::layers::{Extra, Layers, split};
use crate::{
    Context, Errno, FileKind, FileSystem, Follow, Location, Metadata, MountOptions, Namespace,
    OpenOptions, Opened, Result, SetAttributes, SetTime,
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
    /// An operation failed. What was applied before stays; applying again goes on.
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
    /// Makes all changes in `target`, which is the directory below opened for writing; returns them.
    ///
    /// Before anything is done, every path is compared with what it was when the overlay first changed it; if one
    /// differs, all is refused. Each file is replaced atomically (a new file renamed over the old one), and keeps the
    /// overlay's modification time. Hard links become files of their own, owners are the target's.
    ///
    /// The overlay then shows no difference, and may be used and applied further.
    pub fn apply(
        &self,
        target: Arc<dyn FileSystem>,
    ) -> std::result::Result<Vec<Change>, ApplyError> {
        let failed = |path: &[u8]| {
            let path = path.to_vec();
            move |errno| ApplyError::Failed { path, errno }
        };
        let deltas = self.layers.deltas().map_err(failed(b""))?;
        let mut extra = self.layers.extra_mut();
        let target = Target::new(target);
        let mut conflicts = Vec::new();
        for delta in &deltas {
            let reason = self
                .layers
                .conflict(&extra, delta, &target)
                .map_err(failed(&delta.path))?;
            conflicts.extend(reason.map(|reason| Conflict {
                path: delta.path.to_vec(),
                reason,
            }));
        }
        if !conflicts.is_empty() {
            return Err(ApplyError::Conflicts(conflicts));
        }
        for delta in deltas.iter().rev().filter(|delta| delta.is_removal()) {
            target.remove(delta).map_err(failed(&delta.path))?;
            extra.applied.insert(Arc::clone(&delta.path), None);
        }
        for delta in &deltas {
            let Some((place, metadata)) = &delta.after else {
                continue;
            };
            let made = match metadata.kind {
                FileKind::Directory => target.directory(delta, metadata),
                FileKind::Symlink => self
                    .layers
                    .bytes_above(&extra, place)
                    .and_then(|text| target.link(delta, &text)),
                _ => self
                    .layers
                    .bytes_above(&extra, place)
                    .and_then(|bytes| target.file(delta, metadata, &bytes)),
            };
            made.map_err(failed(&delta.path))?;
            let now = target.metadata(&delta.path).map_err(failed(&delta.path))?;
            extra.applied.insert(Arc::clone(&delta.path), now);
        }
        Ok(deltas.iter().flat_map(Delta::changes).collect())
    }
}

impl Delta {
    /// Whether what was there has to go first: it is removed, or another kind takes its place.
    fn is_removal(&self) -> bool {
        match (&self.before, &self.after) {
            (Some(_), None) => true,
            (Some((_, old)), Some((_, new))) => old.kind != new.kind,
            (None, _) => false,
        }
    }
}

impl Layers {
    fn conflict(
        &self,
        extra: &Extra,
        delta: &Delta,
        target: &Target,
    ) -> Result<Option<ConflictReason>> {
        if delta.after.as_ref().is_some_and(|(_, metadata)| {
            !matches!(
                metadata.kind,
                FileKind::Regular | FileKind::Directory | FileKind::Symlink
            )
        }) {
            return Ok(Some(ConflictReason::Unsupported));
        }
        let expected = self.expected(extra, &delta.path);
        Ok(match (expected, target.metadata(&delta.path)?) {
            (None, None) => None,
            (None, Some(_)) => Some(ConflictReason::Exists),
            (Some(_), None) => Some(ConflictReason::Missing),
            (Some(old), Some(now)) => {
                let directory = old.kind == FileKind::Directory;
                let same = old.kind == now.kind
                    && (directory
                        || (old.size, old.mtime, old.mode) == (now.size, now.mtime, now.mode));
                (!same).then_some(ConflictReason::Modified)
            }
        })
    }

    /// What was below at a path when it was first changed.
    fn expected(&self, extra: &Extra, path: &[u8]) -> Option<Metadata> {
        if let Some(applied) = extra.applied.get(path) {
            return *applied;
        }
        if let Some(removed) = extra.removed.get(path) {
            return Some(*removed);
        }
        let ino = extra.promoted.get(path)?;
        let store = self.live.read();
        store
            .get(*ino)
            .ok()?
            .origin
            .as_ref()
            .map(|origin| origin.metadata)
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
        for name in above
            .split(|byte| *byte == b'/')
            .filter(|name| !name.is_empty())
        {
            at = self.namespace.resolve(CX, &at, name, Follow::No)?;
            if at.kind() != FileKind::Directory {
                return Err(Errno::NotDir);
            }
        }
        Ok((at, if name.is_empty() { b"." } else { name }))
    }

    fn metadata(&self, path: &[u8]) -> Result<Option<Metadata>> {
        let found = self
            .place(path)
            .and_then(|(at, name)| self.namespace.metadata(CX, &at, name, Follow::No));
        match found {
            Ok(metadata) => Ok(Some(metadata)),
            Err(Errno::NoEnt | Errno::NotDir) => Ok(None),
            Err(errno) => Err(errno),
        }
    }

    fn remove(&self, delta: &Delta) -> Result<()> {
        let (at, name) = self.place(&delta.path)?;
        match &delta.before {
            Some((_, old)) if old.kind == FileKind::Directory => {
                self.namespace.remove_dir(CX, &at, name)
            }
            _ => self.namespace.unlink(CX, &at, name),
        }
    }

    fn directory(&self, delta: &Delta, metadata: &Metadata) -> Result<()> {
        let (at, name) = self.place(&delta.path)?;
        if delta.before.is_none() || delta.is_removal() {
            return self.namespace.create_dir(CX, &at, name, metadata.mode);
        }
        let mode = SetAttributes {
            mode: Some(metadata.mode),
            ..Default::default()
        };
        self.namespace
            .set_attributes(CX, &at, name, Follow::No, &mode)
    }

    fn link(&self, delta: &Delta, text: &[u8]) -> Result<()> {
        let (at, name) = self.place(&delta.path)?;
        let temporary = fresh(|temporary| self.namespace.symlink(CX, text, &at, temporary))?;
        self.replace(&at, &temporary, name)
    }

    fn file(&self, delta: &Delta, metadata: &Metadata, bytes: &[u8]) -> Result<()> {
        let (at, name) = self.place(&delta.path)?;
        let how = OpenOptions {
            exclusive: true,
            mode: 0o600,
            ..OpenOptions::WRITE
        };
        let mut opened = None;
        let temporary = fresh(|temporary| {
            opened = Some(self.namespace.open(CX, &at, temporary, &how)?);
            Ok(())
        })?;
        let Some(Opened::File { file, .. }) = opened else {
            return Err(Errno::Io);
        };
        let write = || {
            let mut done = 0;
            while done < bytes.len() {
                match file.write_at(&bytes[done..], done as u64)? {
                    0 => return Err(Errno::Io),
                    count => done += count,
                }
            }
            let mode = Some(metadata.mode);
            let mtime = Some(SetTime::At(metadata.mtime));
            file.set_attributes(
                CX,
                &SetAttributes {
                    mode,
                    mtime,
                    ..Default::default()
                },
            )
        };
        if let Err(errno) = write() {
            let _ = self.namespace.unlink(CX, &at, &temporary);
            return Err(errno);
        }
        self.replace(&at, &temporary, name)
    }

    fn replace(&self, at: &Location, temporary: &[u8], name: &[u8]) -> Result<()> {
        let renamed = self.namespace.rename(CX, at, temporary, at, name);
        if renamed.is_err() {
            let _ = self.namespace.unlink(CX, at, temporary);
        }
        renamed
    }
}

/// Makes something under a name that was free.
fn fresh(mut make: impl FnMut(&[u8]) -> Result<()>) -> Result<Vec<u8>> {
    for number in 0..1000 {
        let name = format!(".sandshell-apply-{number}").into_bytes();
        match make(&name) {
            Err(Errno::Exist) => {}
            Ok(()) => return Ok(name),
            Err(errno) => return Err(errno),
        }
    }
    Err(Errno::Exist)
}
