//! The directories that are in use, each once, with the path by which it was found.

use super::super::budget::DescriptorPermit;
use super::exact::Names;
use super::node::{Entry, Id};
use super::owner::Owner;
use super::system;
use crate::{Errno, Result};
use cap_fs_ext::DirExt;
use cap_std::fs::Dir;
use std::collections::HashMap;
use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// All directories of one root that are in use.
#[derive(Clone, Default)]
pub(super) struct Directories(Arc<Mutex<HashMap<Id, Weak<Directory>>>>);

/// A directory of the host.
pub(super) struct Directory {
    id: Id,
    state: Mutex<State>,
    names: Names,
    all: Directories,
}

struct State {
    handle: Handle,
    /// From the root, empty for the root.
    path: Vec<u8>,
}

enum Handle {
    /// To be opened by its name.
    Found(Entry),
    Open(Arc<OpenDir>),
}

/// An open directory, counted.
pub(super) struct OpenDir(Dir, #[allow(dead_code, reason = "held as long as the handle")] DescriptorPermit);

impl Deref for OpenDir {
    type Target = Dir;

    fn deref(&self) -> &Dir {
        &self.0
    }
}

impl Directories {
    /// The root itself.
    pub(super) fn root(&self, id: Id, dir: Dir, held: DescriptorPermit) -> Arc<Directory> {
        let state = State { handle: Handle::Open(Arc::new(OpenDir(dir, held))), path: Vec::new() };
        self.keep(Directory { id, state: Mutex::new(state), names: Names::default(), all: self.clone() })
    }

    /// The directory of this name.
    pub(super) fn found(&self, entry: Entry) -> Arc<Directory> {
        let path = entry.path();
        let known = self.lock().get(&entry.id).and_then(Weak::upgrade);
        if let Some(known) = known {
            let mut state = known.state();
            // The root can be found below itself, where the host mounted it again.
            if !state.path.is_empty() {
                state.path = path;
            }
            if let Handle::Found(_) = state.handle {
                state.handle = Handle::Found(entry);
            }
            drop(state);
            return known;
        }
        let id = entry.id;
        let state = State { handle: Handle::Found(entry), path };
        self.keep(Directory { id, state: Mutex::new(state), names: Names::default(), all: self.clone() })
    }

    /// A file has a new name: if it is a directory in use, its path and those below it change.
    pub(super) fn moved(&self, id: Id, parent: &Arc<Directory>, name: &[u8]) {
        let all: Vec<_> = self.lock().values().filter_map(Weak::upgrade).collect();
        let Some(moved) = all.iter().find(|directory| directory.id == id) else { return };
        let new = Entry { parent: parent.clone(), name: name.into(), id };
        let (old, path) = (moved.path(), new.path());
        for directory in &all {
            let mut state = directory.state();
            let Some(below) = state.path.strip_prefix(old.as_slice()) else { continue };
            if below.is_empty() || below.starts_with(b"/") {
                state.path = [path.as_slice(), below].concat();
            }
        }
        let mut state = moved.state();
        if let Handle::Found(_) = state.handle {
            state.handle = Handle::Found(new);
        }
    }

    fn keep(&self, directory: Directory) -> Arc<Directory> {
        let directory = Arc::new(directory);
        self.lock().insert(directory.id, Arc::downgrade(&directory));
        directory
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Id, Weak<Directory>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let mut all = self.all.lock();
        if all.get(&self.id).is_some_and(|known| known.strong_count() == 0) {
            all.remove(&self.id);
        }
    }
}

impl Directory {
    pub(super) fn identity(&self) -> Id {
        self.id
    }

    /// Names that are known to exist exactly so.
    pub(super) fn names(&self) -> &Names {
        &self.names
    }

    /// The path by which it was found, from the root.
    pub(super) fn path(&self) -> Vec<u8> {
        self.state().path.clone()
    }

    /// The open directory.
    pub(super) fn open(&self, owner: &Owner) -> Result<Arc<OpenDir>> {
        let entry = match &self.state().handle {
            Handle::Open(open) => return Ok(open.clone()),
            Handle::Found(entry) => entry.clone(),
        };
        let held = owner.budget.descriptor()?;
        let above = entry.parent.opened().ok_or(Errno::Acces)?;
        let dir = above.open_dir_nofollow(system::host_name(&entry.name)?)?;
        if system::identity(&dir.dir_metadata()?) != self.id {
            return Err(Errno::Stale);
        }
        let open = Arc::new(OpenDir(dir, held));
        self.state().handle = Handle::Open(open.clone());
        Ok(open)
    }

    /// The name by which it is to be opened, if it is not open.
    pub(super) fn unopened(&self) -> Option<Entry> {
        match &self.state().handle {
            Handle::Found(entry) => Some(entry.clone()),
            Handle::Open(_) => None,
        }
    }

    pub(super) fn attributes(&self) -> Result<cap_std::fs::Metadata> {
        match self.unopened() {
            Some(entry) => entry.attributes(),
            None => Ok(self.opened().ok_or(Errno::Stale)?.dir_metadata()?),
        }
    }

    /// Without opening it.
    pub(super) fn opened(&self) -> Option<Arc<OpenDir>> {
        match &self.state().handle {
            Handle::Open(open) => Some(open.clone()),
            Handle::Found(_) => None,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
