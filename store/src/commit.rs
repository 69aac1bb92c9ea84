//! Storing the files of a sandbox.

use crate::error::{Result, StoreError};
use crate::names::name;
use crate::records::sandbox::{Record, load};
use crate::records::state::advance;
use crate::records::{bad_row, blob};
use crate::seal::seal;
#[cfg(feature = "object-store")]
use crate::shared::Upload;
use crate::store::{Store, shared};
use rusqlite::{Connection, OptionalExtension, params};
use sandshell_vfs::{BlobId, BlobSink, Errno, MemoryFs, Persisted, Snapshot};
use std::collections::HashSet;
use std::sync::Arc;

/// When a commit has this many bytes, they are written in a transaction of their own: it need not fit into memory a
/// second time.
const PIECE: usize = 16 << 20;

/// How often a commit begins again after garbage was collected between its pieces.
const TRIES: usize = 5;

impl Store {
    /// Stores `snapshot` of `files` as the newest state of a sandbox, whose last one is `last`. Only what changed since
    /// then is written. Returns the new record; `None` if nothing changed. The caller has the sandbox's
    /// [lock](Self::lock).
    ///
    /// # Errors
    /// [`StoreError::Deleted`] if the sandbox is gone, [`StoreError::Full`], and others of the database. The files in
    /// memory are as before, and the next commit contains these changes, too.
    pub fn commit(
        &self,
        last: &Record,
        files: &MemoryFs,
        snapshot: &Snapshot,
        what: &str,
    ) -> Result<Option<Record>> {
        if snapshot.is_stored() {
            return Ok(None);
        }
        shared!(self, |shared| {
            let mut upload = Upload::new(self, shared);
            let persisted = snapshot
                .persist(self.source(), &mut upload)
                .map_err(|errno| upload.failed.take().unwrap_or(StoreError::Files(errno)))?;
            if persisted.root() == last.head {
                return Ok(None);
            }
            let record = shared.commit(&last.id, persisted.root(), Some(upload), what)?;
            files.settle(persisted);
            Ok(Some(record))
        });
        let at = self.database();
        let (id, head, what) = (last.id.clone(), last.head, what.to_owned());
        let stored = self.storing(snapshot, Some(head), move |connection, root| {
            let record = load(connection, &at, &id)?.ok_or_else(|| StoreError::Deleted(id.clone()))?;
            if record.head != head {
                return Err(StoreError::InUse { id: id.clone(), by: None });
            }
            advance(connection, &at, record, root, &what)
        })?;
        Ok(stored.map(|(persisted, record)| {
            files.settle(persisted);
            record
        }))
    }

    /// The files that new sandboxes begin with. `key` says what they depend on; they are made and stored if there are
    /// none with this key.
    ///
    /// # Errors
    /// Those of the database, and of `make`.
    pub fn template(&self, key: &str, make: impl FnOnce() -> Snapshot) -> Result<BlobId> {
        shared!(self, |shared| {
            if let Some(root) = shared.template(key)? {
                return Ok(root);
            }
            let mut upload = Upload::new(self, shared);
            let persisted = make()
                .persist(self.source(), &mut upload)
                .map_err(|errno| upload.failed.take().unwrap_or(StoreError::Files(errno)))?;
            shared.keep_template(key, persisted.root(), upload)
        });
        let at = self.database();
        let found: Option<(Vec<u8>, Vec<u8>)> = self.reading(|connection| {
            connection
                .prepare_cached("SELECT root, seal FROM templates WHERE key = ?1")?
                .query_row([key], |row| Ok((row.get(0)?, row.get(1)?)))
                .optional()
        })?;
        if let Some((root, sealed)) = found {
            if sealed != seal(&[key.as_bytes(), &root]) {
                return Err(bad_row(&at, "the record of a template"));
            }
            return blob(&at, &root);
        }
        let key = key.to_owned();
        let stored = self.storing(&make(), None, move |connection, root| {
            let seal = seal(&[key.as_bytes(), &root.0]);
            connection
                .execute(
                    "INSERT OR REPLACE INTO templates VALUES(?1, ?2, ?3)",
                    params![key, &root.0[..], seal],
                )
                .map_err(|error| StoreError::database(&at, error))?;
            Ok(root)
        })?;
        stored.map(|(_, root)| root).ok_or(StoreError::Closed)
    }

    /// Stores a snapshot and, in the same transaction, what refers to it. `None` if its root is `known`: an open file
    /// without a name can make files look changed that are the same.
    fn storing<T: Send + 'static>(
        &self,
        snapshot: &Snapshot,
        known: Option<BlobId>,
        refer: impl Fn(&Connection, BlobId) -> Result<T> + Send + Clone + 'static,
    ) -> Result<Option<(Persisted, T)>> {
        let mut tries = 0;
        loop {
            let mut batch =
                Batch { store: self, blobs: Vec::new(), size: 0, written: HashSet::new(), failed: None };
            let persisted = snapshot
                .persist(self.source(), &mut batch)
                .map_err(|errno| batch.failed.take().unwrap_or(StoreError::Files(errno)))?;
            if known == Some(persisted.root()) {
                return Ok(None);
            }
            let (root, refer, at) = (persisted.root(), refer.clone(), self.database());
            let Batch { blobs, written, .. } = batch;
            let done = self.write(move |connection| {
                let database = |error| StoreError::database(&at, error);
                insert(connection, &blobs).map_err(database)?;
                for id in &written {
                    // What was written before this transaction may have been collected as garbage.
                    let there = connection
                        .prepare_cached("SELECT 1 FROM blobs WHERE id = ?1")
                        .and_then(|mut statement| statement.exists([&id.0[..]]))
                        .map_err(database)?;
                    if !there {
                        return Err(StoreError::Collected);
                    }
                }
                refer(connection, root)
            });
            match done {
                Err(StoreError::Collected) if tries < TRIES => tries += 1,
                done => return done.map(|done| Some((persisted, done))),
            }
        }
    }
}

/// Collects blobs. Many are written in pieces.
struct Batch<'a> {
    store: &'a Store,
    blobs: Vec<(BlobId, Arc<Vec<u8>>)>,
    size: usize,
    /// What was written before the last piece.
    written: HashSet<BlobId>,
    failed: Option<StoreError>,
}

impl BlobSink for Batch<'_> {
    fn store(&mut self, bytes: Arc<Vec<u8>>) -> sandshell_vfs::Result<BlobId> {
        let id = name(&bytes);
        self.store.blobs().keep(id, &bytes);
        self.size += bytes.len();
        self.blobs.push((id, bytes));
        if self.size > PIECE {
            let blobs = std::mem::take(&mut self.blobs);
            self.size = 0;
            self.written.extend(blobs.iter().map(|(id, _)| *id));
            let at = self.store.database();
            let done = self.store.write(move |connection| {
                insert(connection, &blobs).map_err(|error| StoreError::database(&at, error))
            });
            if let Err(error) = done {
                self.failed = Some(error);
                return Err(Errno::Io);
            }
        }
        Ok(id)
    }
}

fn insert(connection: &Connection, blobs: &[(BlobId, Arc<Vec<u8>>)]) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached("INSERT OR IGNORE INTO blobs VALUES(?1, ?2)")?;
    for (id, bytes) in blobs {
        statement.execute(params![&id.0[..], &bytes[..]])?;
    }
    Ok(())
}
