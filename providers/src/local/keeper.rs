//! What keeps a sandbox on disk: its lock, and the commits of its files.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Mutex, RwLock, RwLockReadGuard};
use sandshell_store::{OpenCall, Record, SandboxLock, Store, StoreError};
use sandshell_vfs::MemoryFs;
use tokio::sync::{Notify, OwnedRwLockReadGuard, OwnedRwLockWriteGuard, RwLock as Gate};

use crate::{Error, ErrorKind, Result};

/// A sandbox's place in the store.
pub(super) struct Keeper {
    pub(super) store: Store,
    /// The last state that is stored.
    record: Mutex<Record>,
    /// The right to change it, unless it is parked.
    lock: Mutex<Option<SandboxLock>>,
    /// Whether that was lost, so that the files in memory are no state of the sandbox.
    lost: AtomicBool,
    /// Commits happen one after another: one that waited finds nothing left to do.
    committing: Mutex<()>,
    /// Held for reading while a whole file is replaced: no commit sees half of it.
    changing: RwLock<()>,
    /// Held for reading by calls, and for writing while the files are exchanged.
    gate: Arc<Gate<()>>,
    /// One call wakes the sandbox, others wait for that.
    pub(super) waking: tokio::sync::Mutex<()>,
    /// How many calls are going on.
    calls: AtomicUsize,
    used: Mutex<Instant>,
    /// Told when it is awake, for whoever watches the times.
    awake: Arc<Notify>,
}

/// A call that is going on. It keeps the sandbox from being parked.
pub(super) struct CallGuard {
    keeper: Arc<Keeper>,
    _gate: OwnedRwLockReadGuard<()>,
}

impl Keeper {
    /// Takes the right to change the sandbox.
    pub(super) fn open(store: &Store, record: Record, awake: &Arc<Notify>) -> Result<Arc<Self>> {
        let lock = store.lock(&record).map_err(error)?;
        // Another process may have changed it before it gave the lock back.
        let record = store.sandbox(&record.id).map_err(error)?;
        Ok(Arc::new(Self {
            store: store.clone(),
            record: Mutex::new(record),
            lock: Mutex::new(Some(lock)),
            lost: AtomicBool::new(false),
            committing: Mutex::default(),
            changing: RwLock::default(),
            gate: Arc::default(),
            waking: tokio::sync::Mutex::default(),
            calls: AtomicUsize::new(0),
            used: Mutex::new(Instant::now()),
            awake: awake.clone(),
        }))
    }

    pub(super) fn record(&self) -> Record {
        self.record.lock().clone()
    }

    /// The lock of a parked sandbox, and whether its files are other ones now. It is awake once it [holds](Self::hold)
    /// the lock.
    pub(super) fn wake(&self) -> Result<(SandboxLock, bool)> {
        let before = self.record();
        let taken = self.store.lock(&before).map_err(error)?;
        let woken = self.store.change(&before.id, |record| {
            record.paused = false;
            record.used = std::time::SystemTime::now();
        });
        let record = woken.map_err(ended)?;
        let other = self.lost.swap(false, Ordering::SeqCst) || record.head != before.head;
        *self.record.lock() = record;
        Ok((taken, other))
    }

    pub(super) fn hold(&self, lock: SandboxLock) {
        *self.lock.lock() = Some(lock);
        self.awake.notify_one();
    }

    pub(super) fn is_parked(&self) -> bool {
        self.lock.lock().is_none()
    }

    /// Gives the lock back.
    pub(super) fn park(&self) {
        *self.lock.lock() = None;
    }

    /// Begins a call, when no files are being exchanged.
    pub(super) async fn call(self: &Arc<Self>) -> CallGuard {
        let gate = self.gate.clone().read_owned().await;
        self.calls.fetch_add(1, Ordering::SeqCst);
        *self.used.lock() = Instant::now();
        CallGuard { keeper: self.clone(), _gate: gate }
    }

    /// Waits until no call is going on; new ones wait.
    pub(super) async fn exchange(&self) -> OwnedRwLockWriteGuard<()> {
        self.gate.clone().write_owned().await
    }

    /// As [`exchange`](Self::exchange), if no call is going on.
    pub(super) fn exchange_now(&self) -> Option<OwnedRwLockWriteGuard<()>> {
        self.gate.clone().try_write_owned().ok()
    }

    /// Since when nobody has used it; `None` if it is in use.
    pub(super) fn idle_since(&self) -> Option<Instant> {
        (self.calls.load(Ordering::SeqCst) == 0).then(|| *self.used.lock())
    }

    /// Held while a file is replaced.
    pub(super) fn changing(&self) -> RwLockReadGuard<'_, ()> {
        self.changing.read_recursive()
    }

    /// Stores the files as they are now. Returns when they are on the disk, with the number of the state if there is a
    /// new one.
    pub(super) fn commit(&self, files: &MemoryFs, what: &str) -> Result<Option<u64>> {
        let _one = self.committing.lock();
        let snapshot = {
            let _whole = self.changing.write();
            files.snapshot()
        };
        if snapshot.is_stored() {
            return Ok(None);
        }
        let last = self.record();
        let committed = self.store.commit(&last, files, &snapshot, what).map_err(|failed| match failed {
            StoreError::Deleted(_) => error(failed),
            StoreError::LeaseLost { .. } => {
                self.lost.store(true, Ordering::SeqCst);
                self.park();
                error(failed)
            }
            failed => {
                let why = format!(
                    "what was done is not kept, and will be tried again with the next call: {failed}"
                );
                Error::new(error(failed).kind(), why)
            }
        })?;
        Ok(committed.map(|record| {
            let state = record.state;
            *self.record.lock() = record;
            state
        }))
    }

    /// Notes in the journal that a call begins.
    pub(super) fn begin_call(&self, session: Option<&str>, command: &str) -> OpenCall {
        self.store.begin_call(&self.record.lock(), session, command)
    }

    /// Makes another state the sandbox's newest one.
    pub(super) fn put_back(&self, root: sandshell_vfs::BlobId, what: &str) -> Result<()> {
        let _one = self.committing.lock();
        let id = self.record().id;
        *self.record.lock() = self.store.put_back(&id, root, what).map_err(ended)?;
        Ok(())
    }

    /// Changes the record.
    pub(super) fn change(&self, change: impl Fn(&mut Record) + Send + Sync + 'static) -> Result<()> {
        let _one = self.committing.lock();
        let id = self.record().id;
        *self.record.lock() = self.store.change(&id, change).map_err(ended)?;
        Ok(())
    }
}

impl Drop for CallGuard {
    fn drop(&mut self) {
        *self.keeper.used.lock() = Instant::now();
        self.keeper.calls.fetch_sub(1, Ordering::SeqCst);
    }
}

/// The error for a sandbox that existed.
fn ended(failed: StoreError) -> Error {
    match failed {
        StoreError::NoSandbox(id) => error(StoreError::Deleted(id)),
        failed => error(failed),
    }
}

/// What a caller can do about an error of the store.
pub(super) fn error(failed: StoreError) -> Error {
    use StoreError as E;
    let kind = match &failed {
        E::NoSandbox(_) | E::NoSnapshot(_) | E::NoState(..) => ErrorKind::NotFound,
        E::Deleted(_) => ErrorKind::SandboxEnded,
        E::NameTaken(_)
        | E::InUse { .. }
        | E::Claimed { .. }
        | E::Leased { .. }
        | E::LeaseLost { .. }
        | E::Collecting { .. } => ErrorKind::Conflict,
        E::BadName(..) | E::BadCursor(_) | E::Newer { .. } | E::Refused { .. } => ErrorKind::InvalidRequest,
        E::Full(_) => ErrorKind::QuotaExceeded,
        E::Damaged { .. } | E::Files(_) => ErrorKind::Unexpected,
        _ => ErrorKind::Unavailable,
    };
    /// How often it makes sense to ask another machine.
    const SELDOM: Duration = Duration::from_millis(500);
    let later = match failed {
        E::InUse { .. } => Some(None),
        E::Leased { .. } | E::Claimed { .. } | E::Collecting { .. } => Some(Some(SELDOM)),
        _ => None,
    };
    let error = Error::new(kind, failed.to_string()).with_source(failed);
    match later {
        Some(pause) => error.retry_after(pause),
        None => error,
    }
}
