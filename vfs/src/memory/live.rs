//! A store in use: its lock, its clock, and handles on its inodes.

use super::store::{Limits, ROOT, Store};
use crate::{FileKind, HostClock, Result, Time, TimeSource};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// A filesystem in memory that is in use.
///
/// Locks are taken in the order `store`, `pins`.
pub(crate) struct Live {
    store: RwLock<Store>,
    /// For inodes with handles: how many, and whether the inode is freed with the last one.
    pins: Mutex<HashMap<u64, Pin>>,
    time: RwLock<Arc<dyn TimeSource>>,
}

#[derive(Default)]
struct Pin {
    handles: u64,
    orphan: bool,
}

/// A handle on an inode, which keeps it alive even without a name.
pub(crate) struct Handle {
    pub(crate) live: Arc<Live>,
    pub(crate) ino: u64,
}

impl Live {
    pub(crate) fn new(limits: Limits, mode: u32, uid: u32, gid: u32, time: Arc<dyn TimeSource>) -> Arc<Self> {
        Self::from_store(Store::new(limits, mode, uid, gid, time.now()), time)
    }

    fn from_store(store: Store, time: Arc<dyn TimeSource>) -> Arc<Self> {
        Arc::new(Self { store: RwLock::new(store), pins: Mutex::default(), time: RwLock::new(time) })
    }

    /// A snapshot of the store, without inodes that only handles keep alive.
    pub(crate) fn snapshot(&self) -> Store {
        let store = self.read();
        let pins = self.pins.lock().unwrap_or_else(PoisonError::into_inner);
        let mut copy = store.clone();
        for (ino, _) in pins.iter().filter(|(_, pin)| pin.orphan) {
            copy.free(*ino);
        }
        copy
    }

    pub(crate) fn fork(&self) -> Arc<Self> {
        Self::from_store(self.snapshot(), self.time_source())
    }

    /// Creates a filesystem with this store, which has no handles.
    pub(crate) fn resume(store: Store) -> Arc<Self> {
        Self::from_store(store, Arc::new(HostClock))
    }

    // Poisoning is ignored: the store is consistent after each step of a change.
    pub(crate) fn read(&self) -> RwLockReadGuard<'_, Store> {
        self.store.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn write(&self) -> RwLockWriteGuard<'_, Store> {
        self.store.write().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn now(&self) -> Time {
        self.time.read().unwrap_or_else(PoisonError::into_inner).now()
    }

    pub(crate) fn time_source(&self) -> Arc<dyn TimeSource> {
        Arc::clone(&self.time.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn set_time_source(&self, time: Arc<dyn TimeSource>) {
        *self.time.write().unwrap_or_else(PoisonError::into_inner) = time;
    }

    /// Frees an inode that lost its last name: at once, or with its last handle. The caller holds the store's lock.
    pub(crate) fn release(&self, store: &mut Store, gone: Option<u64>) {
        let Some(ino) = gone else { return };
        let mut pins = self.pins.lock().unwrap_or_else(PoisonError::into_inner);
        match pins.get_mut(&ino) {
            Some(pin) => pin.orphan = true,
            None => store.free(ino),
        }
    }

    fn unpin(&self, ino: u64) {
        let orphan = {
            let mut pins = self.pins.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(pin) = pins.get_mut(&ino) else {
                return;
            };
            pin.handles -= 1;
            if pin.handles > 0 {
                return;
            }
            let orphan = pin.orphan;
            pins.remove(&ino);
            orphan
        };
        if orphan {
            self.write().free(ino);
        }
    }
}

impl Handle {
    /// A handle on an inode. The caller holds the store's lock and has checked that the inode exists.
    pub(crate) fn new(live: &Arc<Live>, ino: u64) -> Self {
        live.pins.lock().unwrap_or_else(PoisonError::into_inner).entry(ino).or_default().handles += 1;
        Self { live: Arc::clone(live), ino }
    }

    pub(crate) fn root(live: &Arc<Live>) -> Self {
        Self::new(live, ROOT)
    }

    pub(crate) fn kind(&self) -> Result<FileKind> {
        self.live.read().get(self.ino).map(super::inode::Inode::kind)
    }
}

impl Clone for Handle {
    fn clone(&self) -> Self {
        Self::new(&self.live, self.ino)
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.live.unpin(self.ino);
    }
}
