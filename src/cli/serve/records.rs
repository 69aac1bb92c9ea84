//! What the services know, as notes in the object store: the server that has them serves, others stand by.

use sandshell::emulator::{RecordKeeper, Vendor};
use sandshell::store::{Notes, Store, StoreError};
use sandshell::{Error, ErrorKind, Result};
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::sync::Notify;

/// The records of one service.
#[derive(Debug)]
pub(super) struct NotedRecords {
    notes: Arc<Notes>,
    /// What their names begin with.
    prefix: String,
    /// Told when another server has taken them.
    lost: Arc<Notify>,
}

impl NotedRecords {
    pub(super) fn of(notes: &Arc<Notes>, vendor: Vendor, lost: &Arc<Notify>) -> Box<dyn RecordKeeper> {
        let prefix = format!("{}/", vendor.name());
        Box::new(Self { notes: notes.clone(), prefix, lost: lost.clone() })
    }

    fn done<T>(&self, done: sandshell::store::Result<T>) -> Result<T> {
        if matches!(done, Err(StoreError::Claimed { .. })) {
            self.lost.notify_one();
        }
        done.map_err(error)
    }
}

impl RecordKeeper for NotedRecords {
    fn all(&self) -> Result<BTreeMap<String, String>> {
        let all = self.done(self.notes.all())?;
        let own = |(name, text): (String, String)| Some((name.strip_prefix(&self.prefix)?.to_owned(), text));
        Ok(all.into_iter().filter_map(own).collect())
    }

    fn write(&self, name: &str, text: &str) -> Result<()> {
        self.done(self.notes.write(&format!("{}{name}", self.prefix), text))
    }

    fn remove(&self, name: &str) -> Result<()> {
        self.done(self.notes.remove(&format!("{}{name}", self.prefix)))
    }
}

/// The name of the notes.
pub(super) const NAME: &str = "emulator";

/// What the services of all servers on this store know. `Conflict` if another server has it.
pub(super) fn claim(store: &Store) -> Result<Arc<Notes>> {
    match store.notes(NAME) {
        Some(notes) => Ok(Arc::new(notes.map_err(error)?)),
        None => Err(Error::invalid_request("the store is not in an object store")),
    }
}

fn error(failed: StoreError) -> Error {
    let kind = match failed {
        StoreError::Claimed { .. } => ErrorKind::Conflict,
        _ => ErrorKind::Unavailable,
    };
    Error::new(kind, failed.to_string()).with_source(failed)
}
