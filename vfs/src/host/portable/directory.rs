//! The directories that are in use, each once, with the path by which it was found.

use super::super::budget::DescriptorPermit;
use super::exact::{Id, Names};
use super::owner::Owner;
use super::system;
use crate::{Access, Errno, Result};
use cap_fs_ext::{DirExt, FollowSymlinks, OpenOptionsFollowExt};
use cap_std::fs::{Dir, OpenOptions};
use std::collections::HashMap;
use std::fs::File;
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

/// A file by its name in an open directory.
#[derive(Clone)]
pub(super) struct Entry {
    pub(super) parent: Arc<Directory>,
    pub(super) name: Box<[u8]>,
    /// The file that had this name.
    pub(super) id: Id,
}

impl Entry {
    /// The path from the root.
    pub(super) fn path(&self) -> Vec<u8> {
        let mut path = self.parent.path();
        if !path.is_empty() {
            path.push(b'/');
        }
        path.extend_from_slice(&self.name);
        path
    }

    /// Its attributes. `ESTALE` if another file has its name now.
    pub(super) fn attributes(&self, owner: &Owner) -> Result<cap_std::fs::Metadata> {
        let dir = self.parent.open(owner)?;
        let metadata = dir.symlink_metadata(system::host_name(&self.name)?)?;
        if system::identity(&metadata) == self.id { Ok(metadata) } else { Err(Errno::Stale) }
    }

    /// Opens it. `ESTALE` if another file has its name now.
    pub(super) fn open(&self, owner: &Owner, access: Access) -> Result<File> {
        let dir = self.parent.open(owner)?;
        let mut options = OpenOptions::new();
        options.read(access.read || !access.write).write(access.write).follow(FollowSymlinks::No);
        let file = system::open(&dir, system::host_name(&self.name)?, &options, access)?;
        if system::identity(&cap_std::fs::Metadata::from_file(&file)?) == self.id {
            Ok(file)
        } else {
            Err(Errno::Stale)
        }
    }
}

struct State {
    handle: Handle,
    /// From the root, empty for the root.
    path: Vec<u8>,
}

enum Handle {
    /// To be opened by its name.
    Found(Entry),
    /// Open; with its name if it can be closed again.
    Open(Arc<OpenDir>, Option<Entry>),
}

impl Handle {
    /// The name by which it is opened changed.
    fn rename(&mut self, new: Entry) {
        if let Self::Found(entry) | Self::Open(_, Some(entry)) = self {
            *entry = new;
        }
    }
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
        let state = State { handle: Handle::Open(Arc::new(OpenDir(dir, held)), None), path: Vec::new() };
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
            state.handle.rename(entry);
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
        moved.state().handle.rename(new);
    }

    /// Closes a directory and those below it, but for those that are used at this moment, before it is renamed or
    /// removed: some hosts refuse that for what is open.
    pub(super) fn close(&self, id: Id) {
        if system::OPENS_EARLY {
            return;
        }
        let all: Vec<_> = self.lock().values().filter_map(Weak::upgrade).collect();
        let Some(top) = all.iter().find(|directory| directory.id == id) else { return };
        let top = top.path();
        for directory in &all {
            let mut state = directory.state();
            let within = state.path.strip_prefix(top.as_slice());
            if within.is_some_and(|below| below.is_empty() || below.starts_with(b"/"))
                && let Handle::Open(open, Some(entry)) = &state.handle
                && Arc::strong_count(open) == 1
            {
                state.handle = Handle::Found(entry.clone());
            }
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

    /// The open directory. Those above it that were closed are opened, too.
    pub(super) fn open(&self, owner: &Owner) -> Result<Arc<OpenDir>> {
        let mut closed = match &self.state().handle {
            Handle::Open(open, _) => return Ok(open.clone()),
            Handle::Found(entry) => vec![entry.clone()],
        };
        let mut dir = loop {
            let Some(lowest) = closed.last() else { return Err(Errno::Stale) };
            let above = match &lowest.parent.state().handle {
                Handle::Open(open, _) => break open.clone(),
                Handle::Found(entry) => entry.clone(),
            };
            closed.push(above);
        };
        while let Some(entry) = closed.pop() {
            let held = owner.budget.descriptor()?;
            let open = dir.open_dir_nofollow(system::host_name(&entry.name)?)?;
            if system::identity(&open.dir_metadata()?) != entry.id {
                return Err(Errno::Stale);
            }
            let open = Arc::new(OpenDir(open, held));
            let directory = closed.last().map_or(self, |below| &below.parent);
            dir = directory.opened_as(open, entry);
        }
        Ok(dir)
    }

    /// Notes that it was opened by this name. If it was opened meanwhile, that stays.
    fn opened_as(&self, open: Arc<OpenDir>, entry: Entry) -> Arc<OpenDir> {
        let mut state = self.state();
        if let Handle::Open(open, _) = &state.handle {
            return open.clone();
        }
        state.handle = Handle::Open(open.clone(), (!system::OPENS_EARLY).then_some(entry));
        open
    }

    /// The name by which it is to be opened, if it is not open.
    pub(super) fn unopened(&self) -> Option<Entry> {
        match &self.state().handle {
            Handle::Found(entry) => Some(entry.clone()),
            Handle::Open(..) => None,
        }
    }

    pub(super) fn attributes(&self, owner: &Owner) -> Result<cap_std::fs::Metadata> {
        match self.unopened() {
            Some(entry) => entry.attributes(owner),
            None => Ok(self.open(owner)?.dir_metadata()?),
        }
    }

    /// Without opening it.
    pub(super) fn opened(&self) -> Option<Arc<OpenDir>> {
        match &self.state().handle {
            Handle::Open(open, _) => Some(open.clone()),
            Handle::Found(_) => None,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
