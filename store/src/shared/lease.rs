//! Leases: the right to change the files of a sandbox, of one host at a time.

use super::host::lasts;
use super::record::Full;
use super::{Shared, TRIES, give_way, not_collecting};
use crate::error::{Result, StoreError};
use std::collections::hash_map::Entry;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// A lease that is held. It is given back when this is dropped.
pub(crate) struct SharedLock {
    shared: Arc<Shared>,
    id: String,
}

impl Shared {
    /// Takes the lease of a sandbox.
    pub(crate) fn lock(self: &Arc<Self>, id: &str) -> Result<SharedLock> {
        match self.held().entry(id.to_owned()) {
            Entry::Occupied(_) => return Err(StoreError::InUse { id: id.to_owned(), by: None }),
            Entry::Vacant(free) => free.insert(None),
        };
        // From here on it is given back, also after an error.
        let lock = SharedLock { shared: Arc::clone(self), id: id.to_owned() };
        let (objects, host, wanted) = (self.objects.clone(), self.host.clone(), id.to_owned());
        let full = self.objects.wait(async move {
            host.keep(&objects).await?;
            for tries in 0..TRIES {
                let found = Full::read(&objects, &wanted).await?;
                let full = found.ok_or_else(|| StoreError::NoSandbox(wanted.clone()))?;
                if let Some(holder) =
                    full.object.holder.as_ref().filter(|holder| holder.session != host.session())
                    && let Some(until) = lasts(&objects, holder).await?
                {
                    return Err(StoreError::Leased { id: wanted, holder: holder.name.clone(), until });
                }
                let mut next = full.object.clone();
                next.holder = Some(host.holder()?);
                if let Some(taken) = full.replace(&objects, next, full.blobs.clone()).await? {
                    if let Err(collecting) = not_collecting(&objects).await {
                        release(&objects, taken).await?;
                        return Err(collecting);
                    }
                    return Ok(taken);
                }
                give_way(tries).await;
            }
            Err(StoreError::Busy(objects.at()))
        })?;
        self.know(&full);
        self.held().insert(id.to_owned(), Some(full));
        Ok(lock)
    }
}

/// Gives a lease back, if it is still the one that `held` has.
async fn release(objects: &super::objects::Objects, held: Full) -> Result<()> {
    let lease = held.object.holder.clone();
    let mut full = held;
    for tries in 0..TRIES {
        let mut next = full.object.clone();
        next.holder = None;
        if full.replace(objects, next, full.blobs.clone()).await?.is_some() {
            return Ok(());
        }
        give_way(tries).await;
        match Full::read(objects, &full.object.id).await? {
            Some(found) if found.object.holder == lease => full = found,
            _ => return Ok(()),
        }
    }
    Err(StoreError::Busy(objects.at()))
}

impl Drop for SharedLock {
    fn drop(&mut self) {
        let held = self.shared.held().remove(&self.id).flatten();
        self.shared.small().remove(&self.id);
        let Some(held) = held else { return };
        let objects = self.shared.objects.clone();
        let released = async move {
            let mut pause = Duration::from_millis(100);
            // Others wait for it as long as this process lives, so it is tried for as long.
            while release(&objects, held.clone()).await.is_err() {
                tokio::time::sleep(pause).await;
                pause = (2 * pause).min(Duration::from_secs(60));
            }
        };
        let task = self.shared.objects.handle().spawn(released);
        let _ = self.shared.objects.wait(async move {
            // It goes on in the background if it takes long.
            let _ = tokio::time::timeout(Duration::from_secs(5), task).await;
            Ok(())
        });
    }
}

impl fmt::Debug for SharedLock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedLock").field("id", &self.id).finish_non_exhaustive()
    }
}
