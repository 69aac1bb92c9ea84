//! This process as a host of leases: a record that says until when its leases last, and is renewed.

use super::objects::Objects;
use super::record::{Holder, HostObject, host_name, millis, read};
use super::sealed;
use crate::error::{Result, StoreError};
use crate::names::random_name;
use crate::time::{now, system};
use object_store::PutMode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// A process that uses the store. It is a new one each time that the store is opened.
pub(crate) struct Host {
    session: String,
    name: String,
    /// How long leases last without being renewed.
    term: Duration,
    /// When the record was last written; `None`: there is none yet.
    renewed: Mutex<Option<Instant>>,
    /// Whether it is renewed in the background.
    renewing: AtomicBool,
    ended: AtomicBool,
    /// Where others reach this process, if it is a server.
    address: Mutex<Option<String>>,
    /// Whether it takes no more work as a server.
    leaves: AtomicBool,
}

impl Host {
    pub(crate) fn new(term: Duration) -> Result<Arc<Self>> {
        // Only for people, and so not worth a library where there is no such file.
        let machine = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        let machine = Some(machine.trim()).filter(|name| !name.is_empty()).unwrap_or("another machine");
        let name = format!("{machine} (process {})", std::process::id());
        // A record that is renewed more often than this is only work.
        let term = term.max(Duration::from_millis(300));
        Ok(Arc::new(Self {
            session: random_name()?,
            name,
            term,
            renewed: Mutex::default(),
            renewing: AtomicBool::new(false),
            ended: AtomicBool::new(false),
            address: Mutex::default(),
            leaves: AtomicBool::new(false),
        }))
    }

    pub(crate) fn session(&self) -> &str {
        &self.session
    }

    /// This host, as the holder of another lease.
    pub(crate) fn holder(&self) -> Result<Holder> {
        Ok(Holder { session: self.session.clone(), lease: random_name()?, name: self.name.clone() })
    }

    /// When leases end that are renewed now.
    pub(crate) fn until(&self) -> i64 {
        now().saturating_add(millis(self.term))
    }

    pub(crate) fn record(&self) -> Result<HostObject> {
        let address = self.address.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let leaves = self.leaves.load(Ordering::SeqCst);
        Ok(HostObject {
            nonce: random_name()?,
            name: self.name.clone(),
            until: self.until(),
            address,
            leaves,
        })
    }

    /// Makes sure that leases last for a while. The first call begins to renew them in the background.
    pub(crate) async fn keep(self: &Arc<Self>, objects: &Arc<Objects>) -> Result<()> {
        let fresh = self.renewed().is_some_and(|at| at.elapsed() < self.term / 2);
        if fresh {
            return Ok(());
        }
        self.renew(objects).await?;
        if !self.renewing.swap(true, Ordering::SeqCst) {
            let (host, objects) = (Arc::clone(self), Arc::clone(objects));
            objects.handle().clone().spawn(async move {
                while !host.ended.load(Ordering::SeqCst) {
                    tokio::time::sleep(host.term / 3).await;
                    // It is tried again; if that takes too long, others may take the sandboxes.
                    let _ = host.renew(&objects).await;
                }
            });
        }
        Ok(())
    }

    pub(crate) fn set_address(&self, address: String, leaves: bool) {
        *self.address.lock().unwrap_or_else(PoisonError::into_inner) = Some(address);
        self.leaves.store(leaves, Ordering::SeqCst);
    }

    /// Writes the record anew.
    pub(crate) async fn renew(&self, objects: &Objects) -> Result<()> {
        if self.ended.load(Ordering::SeqCst) {
            return Err(StoreError::Closed);
        }
        let asked = Instant::now();
        let bytes = sealed::seal(&self.record()?, &[])?;
        objects.put(&host_name(&self.session), bytes, PutMode::Overwrite).await?;
        *self.renewed.lock().unwrap_or_else(PoisonError::into_inner) = Some(asked);
        Ok(())
    }

    fn renewed(&self) -> Option<Instant> {
        *self.renewed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends all leases of this process.
    pub(crate) async fn end(&self, objects: &Objects) -> Result<()> {
        self.ended.store(true, Ordering::SeqCst);
        if self.renewed().is_some() { objects.delete(&host_name(&self.session)).await } else { Ok(()) }
    }
}

/// Until when a lease lasts; `None` if it is over.
pub(crate) async fn lasts(objects: &Objects, holder: &Holder) -> Result<Option<SystemTime>> {
    let found = read::<HostObject>(objects, &host_name(&holder.session)).await?;
    Ok(found.filter(|(host, _)| host.until > now()).map(|(host, _)| system(host.until)))
}
