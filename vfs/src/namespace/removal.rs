//! Removes a directory with everything in it, at any depth.

use super::resolve::{LastName, Resolver};
use super::{Location, Namespace, Opened, change};
use crate::permit::permit;
use crate::{Context, DirEntry, Errno, FileKind, Follow, Name, OpenOptions, Result};

/// The most levels whose directories are kept open. A tree can have more levels than a process may have open files.
const MAX_HANDLES: usize = 64;

/// A directory on the way down.
struct Level {
    name: Name,
    /// `None` if its handle was released.
    at: Option<Location>,
    /// Its subdirectories that are still to be removed.
    directories: Vec<Name>,
    /// The error of listing it. An empty directory can be removed nevertheless.
    unread: Option<Errno>,
}

/// See [`Namespace::remove_tree`].
pub(super) fn remove_tree(namespace: &Namespace, cx: &Context, base: &Location, path: &[u8]) -> Result<()> {
    let last = Resolver::new(namespace, cx).parent(base, path)?;
    let LastName::Normal(name) = last.name else { return Err(Errno::Inval) };
    let mut removal =
        Removal { namespace, cx, top: last.directory, levels: Vec::new(), kept: 0, failure: None };
    removal.enter(name.into(), None)?;
    while let Some(level) = removal.levels.last_mut() {
        match level.directories.pop() {
            Some(name) => {
                let entered = removal.enter(name, removal.levels.len().checked_sub(1));
                removal.record(entered);
            }
            None => removal.leave(),
        }
    }
    removal.failure.map_or(Ok(()), Err)
}

struct Removal<'a> {
    namespace: &'a Namespace,
    cx: &'a Context,
    /// The parent directory of the tree.
    top: Location,
    levels: Vec<Level>,
    /// How many levels have a handle.
    kept: usize,
    /// The first error.
    failure: Option<Errno>,
}

impl Removal<'_> {
    fn record(&mut self, done: Result<()>) {
        if let Err(errno) = done {
            self.failure.get_or_insert(errno);
        }
    }

    /// Pushes a subdirectory of the level `above`, after removing everything in it except directories.
    fn enter(&mut self, name: Name, above: Option<usize>) -> Result<()> {
        let parent = self.at(above)?;
        let at = self.namespace.resolve(self.cx, &parent, &name, Follow::No)?;
        if at.kind() != FileKind::Directory {
            // Somebody else has replaced the directory meanwhile.
            return change::unlink(self.namespace, self.cx, &parent, &name);
        }
        let (entries, unread) = match self.list(&at) {
            Ok(entries) => (entries, None),
            Err(errno) => (Vec::new(), Some(errno)),
        };
        let mut directories = Vec::new();
        for entry in entries.into_iter().rev() {
            if entry.kind == FileKind::Directory {
                directories.push(entry.name);
            } else {
                self.record(change::unlink(self.namespace, self.cx, &at, &entry.name));
            }
        }
        self.levels.push(Level { name, at: Some(at), directories, unread });
        self.kept += 1;
        self.thin_out();
        Ok(())
    }

    /// Pops the last level and removes its directory, which should be empty.
    fn leave(&mut self) {
        let Some(level) = self.levels.pop() else { return };
        self.kept -= usize::from(level.at.is_some());
        let parent = self.at(self.levels.len().checked_sub(1));
        let removed = parent
            .and_then(|parent| change::remove_dir(self.namespace, self.cx, &parent, &level.name))
            .map_err(|errno| level.unread.unwrap_or(errno));
        self.record(removed);
    }

    fn list(&self, at: &Location) -> Result<Vec<DirEntry>> {
        permit(self.cx, &at.metadata()?, 5)?;
        let how = OpenOptions { directory: true, ..OpenOptions::READ };
        let Opened::Directory { file, .. } = self.namespace.open_location(self.cx, at, &how)? else {
            return Err(Errno::NotDir);
        };
        let mut entries: Vec<DirEntry> = Vec::new();
        loop {
            let batch = file.read_dir(self.cx, entries.last().map_or(0, |last| last.next))?;
            if batch.is_empty() {
                return Ok(entries);
            }
            entries.extend(batch);
        }
    }

    /// The directory of a level, or the tree's parent for `None`. A directory without a handle is resolved again from
    /// the nearest level with one.
    fn at(&mut self, level: Option<usize>) -> Result<Location> {
        let Some(level) = level else { return Ok(self.top.clone()) };
        let known = self.levels.iter().take(level + 1).rposition(|level| level.at.is_some());
        let mut at = known.and_then(|known| self.levels.get(known)?.at.clone());
        let first = known.map_or(0, |known| known + 1);
        for number in first..=level {
            let from = at.as_ref().unwrap_or(&self.top);
            let Some(missing) = self.levels.get(number) else { break };
            let found = self.namespace.resolve(self.cx, from, &missing.name, Follow::No)?;
            if found.kind() != FileKind::Directory {
                return Err(Errno::NotDir);
            }
            if let Some(missing) = self.levels.get_mut(number) {
                missing.at = Some(found.clone());
            }
            self.kept += 1;
            self.thin_out();
            at = Some(found);
        }
        at.ok_or(Errno::NoEnt)
    }

    /// Releases every second handle if there are too many. So the higher levels have fewer.
    fn thin_out(&mut self) {
        if self.kept <= MAX_HANDLES {
            return;
        }
        let mut keep = true;
        for level in self.levels.iter_mut().rev().filter(|level| level.at.is_some()) {
            if !keep {
                level.at = None;
                self.kept -= 1;
            }
            keep = !keep;
        }
    }
}
