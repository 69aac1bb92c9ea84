//! Stores in an object store, which several machines use at the same time.
//!
//! The records of sandboxes are objects that are only ever replaced on the condition that nobody else replaced them
//! before. Who wants to change a sandbox's files first writes into its record that he holds its lease. That is a new
//! version of the record, so whoever held it before can commit nothing any more, whatever his clock says: times only
//! decide when others may try.
//!
//! Blobs are objects with the names of their hashes. Small ones stay in the record until they are many, so that a small
//! commit is one request.
//!
//! The database in the cache's directory has the blobs that were read or written here. It is nothing but a cache.

mod address;
mod collect;
mod commit;
mod directory;
mod host;
mod lease;
mod notes;
mod objects;
mod record;
mod sandboxes;
mod sealed;
mod servers;
mod snapshots;
mod warm;

pub(crate) use address::open as open_address;
pub(crate) use commit::Upload;
pub(crate) use lease::SharedLock;
pub use notes::Notes;
pub use servers::{Secret, Server, Servers};

use crate::error::{Result, StoreError};
use crate::time::now;
use host::Host;
use object_store::path::Path;
use object_store::{ObjectStore, PutMode};
use objects::Objects;
use record::{COLLECTING, Full, HostObject, MARK, blob_name, read};
use sandshell_vfs::BlobId;
use sealed::Blob;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::runtime::Runtime;

/// How often a change begins again because others change the same record.
const TRIES: u32 = 20;

/// A shared store in use.
pub(crate) struct Shared {
    objects: Arc<Objects>,
    host: Arc<Host>,
    /// The sandboxes whose leases are held, or being taken.
    held: Mutex<HashMap<String, Option<Full>>>,
    /// Small blobs by the sandbox whose record has them.
    small: Mutex<HashMap<String, Vec<Blob>>>,
    /// Ends with the store.
    runtime: Option<Runtime>,
}

/// The object that says that this is a store.
#[derive(Serialize, Deserialize)]
struct Mark {
    store: String,
}

impl Shared {
    /// Looks whether there is a store, and makes one if there is none.
    pub(crate) fn open(
        store: Arc<dyn ObjectStore>,
        prefix: Path,
        at: PathBuf,
        term: Duration,
    ) -> Result<Arc<Self>> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("sandshell-objects")
            .enable_all()
            .build()
            .map_err(|source| StoreError::Io { at: at.clone(), source })?;
        let objects = Objects::new(store, prefix, at, runtime.handle().clone());
        let shared = Self {
            host: Host::new(term)?,
            held: Mutex::default(),
            small: Mutex::default(),
            runtime: Some(runtime),
            objects: objects.clone(),
        };
        let waiting = objects.clone();
        waiting.wait(async move {
            let found = read::<Mark>(&objects, MARK).await.map_err(|failed| match failed {
                StoreError::Damaged { .. } => objects.refused("it is not a store of sandshell"),
                failed => failed,
            })?;
            if found.is_none() {
                let mark = sealed::seal(&Mark { store: "sandshell".to_owned() }, &[])?;
                objects.put(MARK, mark, PutMode::Create).await?;
            }
            Ok(())
        })?;
        Ok(Arc::new(shared))
    }

    /// A blob that is not in the cache. On a thread that must not wait, the error is `ERESTART`.
    pub(crate) fn fetch(&self, id: &BlobId) -> Result<Vec<u8>> {
        let here =
            self.small().values().flatten().find(|(known, _)| known == id).map(|(_, bytes)| bytes.to_vec());
        if let Some(bytes) = here {
            return Ok(bytes);
        }
        sandshell_vfs::may_wait().map_err(StoreError::Files)?;
        let (objects, name) = (self.objects.clone(), blob_name(id));
        let missing = objects.damaged(&format!("blob {id} is missing"));
        let found = self.objects.wait(async move { objects.get(&name).await })?;
        found.map(|(bytes, _)| bytes.to_vec()).ok_or(missing)
    }

    /// Requests to the object store until now, and those that failed.
    pub(crate) fn counts(&self) -> (u64, u64) {
        self.objects.counts()
    }

    pub(crate) fn damaged(&self, what: &str) -> StoreError {
        self.objects.damaged(what)
    }

    fn small(&self) -> std::sync::MutexGuard<'_, HashMap<String, Vec<Blob>>> {
        self.small.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn held(&self) -> std::sync::MutexGuard<'_, HashMap<String, Option<Full>>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps the small blobs of a record that somebody is about to use.
    fn know(&self, full: &Full) {
        /// Of sandboxes that are not in use, no more are remembered.
        const MOST: usize = 1024;
        let mut small = self.small();
        if small.len() > MOST {
            let held = self.held();
            small.retain(|id, _| held.contains_key(id));
        }
        small.insert(full.object.id.clone(), full.blobs.clone());
    }

    /// The record of a sandbox: of one whose lease is held here as it was written last.
    fn full(&self, id: &str) -> Result<Option<Full>> {
        if record::number(id, record::SANDBOX).is_none() {
            return Ok(None);
        }
        if let Some(Some(full)) = self.held().get(id) {
            return Ok(Some(full.clone()));
        }
        let (objects, wanted) = (self.objects.clone(), id.to_owned());
        let full = self.objects.wait(async move { Full::read(&objects, &wanted).await })?;
        if let Some(full) = &full {
            self.know(full);
        }
        Ok(full)
    }
}

/// Lets others finish what they do with the same record: longer after each try, and not all for as long.
async fn give_way(tries: u32) {
    let mut random = [0; 2];
    // Without random numbers all wait for as long.
    let _ = getrandom::fill(&mut random);
    let most = 2_000_u64 << tries.min(8);
    let part = most * u64::from(u16::from_le_bytes(random)) / u64::from(u16::MAX);
    tokio::time::sleep(Duration::from_micros(part)).await;
}

/// Fails while somebody collects garbage. What was written before is then seen by that, or this call sees that.
async fn not_collecting(objects: &Objects) -> Result<()> {
    match read::<HostObject>(objects, COLLECTING).await? {
        Some((claim, _)) if claim.until > now() => Err(StoreError::Collecting { at: objects.at(), by: None }),
        _ => Ok(()),
    }
}

impl Shared {
    /// Ends the leases, so that others need not wait for that.
    pub(crate) fn leave(&self) {
        let (objects, host) = (self.objects.clone(), self.host.clone());
        // If it does not work, they run out.
        let _ = self.objects.wait(async move {
            let ended = tokio::time::timeout(Duration::from_secs(5), host.end(&objects)).await;
            ended.unwrap_or(Ok(()))
        });
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.leave();
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
