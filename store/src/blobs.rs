//! Reading blobs, with a cache.

use crate::error::{Result, StoreError};
use crate::names::name;
use crate::schema;
use rusqlite::{Connection, OptionalExtension};
use sandshell_vfs::{BlobId, BlobSource, Errno};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// The most bytes of blobs that are kept in memory.
const CACHE: usize = 64 << 20;

/// Reads blobs. Connections are made as they are needed, and kept.
pub(crate) struct Blobs {
    database: PathBuf,
    connections: Mutex<Vec<Connection>>,
    cache: Mutex<Cache>,
    /// Where blobs come from that are not in the database, and what puts them there.
    #[cfg(feature = "object-store")]
    far: Option<(Arc<crate::shared::Shared>, Arc<crate::writer::LazyWriter>)>,
}

impl Blobs {
    pub(crate) fn new(
        database: PathBuf,
        #[cfg(feature = "object-store")] far: Option<(
            Arc<crate::shared::Shared>,
            Arc<crate::writer::LazyWriter>,
        )>,
    ) -> Self {
        Self {
            database,
            connections: Mutex::default(),
            cache: Mutex::default(),
            #[cfg(feature = "object-store")]
            far,
        }
    }

    /// Calls `read` with a connection.
    pub(crate) fn reading<T>(&self, read: impl FnOnce(&mut Connection) -> rusqlite::Result<T>) -> Result<T> {
        let idle = self.connections.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut connection = match idle {
            Some(connection) => connection,
            None => schema::open(&self.database)?,
        };
        let done = read(&mut connection).map_err(|error| StoreError::database(&self.database, error));
        self.connections.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
        done
    }

    /// A blob, which is checked against its name.
    pub(crate) fn get(&self, id: &BlobId) -> Result<Arc<Vec<u8>>> {
        if let Some(bytes) = self.recent().get(id) {
            return Ok(bytes);
        }
        #[cfg(feature = "object-store")]
        if let Some((shared, _)) = &self.far {
            // What is wrong with a cache does not matter.
            let cached = self.reading(|connection| read(connection, id)).ok().flatten();
            if let Some(bytes) = cached.filter(|bytes| name(bytes) == *id).map(Arc::new) {
                self.recent().put(*id, &bytes);
                return Ok(bytes);
            }
            let bytes = Arc::new(shared.fetch(id)?);
            if name(&bytes) != *id {
                return Err(shared.damaged(&format!("blob {id} has other bytes than its name says")));
            }
            self.recent().put(*id, &bytes);
            self.cache(*id, &bytes);
            return Ok(bytes);
        }
        let bytes = self.reading(|connection| read(connection, id))?;
        let damaged =
            |what: &str| StoreError::Damaged { at: self.database.clone(), what: format!("blob {id} {what}") };
        let bytes = Arc::new(bytes.ok_or_else(|| damaged("is missing"))?);
        if name(&bytes) != *id {
            return Err(damaged("has other bytes than its name says"));
        }
        self.recent().put(*id, &bytes);
        Ok(bytes)
    }

    /// Whether a blob is here.
    #[cfg(feature = "object-store")]
    pub(crate) fn has(&self, id: &BlobId) -> bool {
        let there = |connection: &mut Connection| {
            connection.prepare_cached("SELECT 1 FROM blobs WHERE id = ?1")?.exists([&id.0[..]])
        };
        self.reading(there).unwrap_or(false)
    }

    /// Puts a blob into the database some time, if that works.
    #[cfg(feature = "object-store")]
    pub(crate) fn cache(&self, id: BlobId, bytes: &Arc<Vec<u8>>) {
        let Some(writer) = self.far.as_ref().and_then(|(_, writer)| writer.get().ok()) else { return };
        let bytes = Arc::clone(bytes);
        writer.write_later(move |connection| {
            // One that is damaged is replaced.
            let mut statement = connection.prepare_cached("INSERT OR REPLACE INTO blobs VALUES(?1, ?2)")?;
            statement.execute(rusqlite::params![&id.0[..], &bytes[..]]).map(drop)
        });
    }

    pub(crate) fn keep(&self, id: BlobId, bytes: &Arc<Vec<u8>>) {
        self.recent().put(id, bytes);
    }

    fn recent(&self) -> std::sync::MutexGuard<'_, Cache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The bytes that are stored under a name, unchecked.
pub(crate) fn read(connection: &Connection, id: &BlobId) -> rusqlite::Result<Option<Vec<u8>>> {
    let mut statement = connection.prepare_cached("SELECT bytes FROM blobs WHERE id = ?1")?;
    statement.query_row([&id.0[..]], |row| row.get(0)).optional()
}

impl BlobSource for Blobs {
    fn load(&self, id: &BlobId) -> sandshell_vfs::Result<Arc<Vec<u8>>> {
        self.get(id).map_err(|error| match error {
            // It has to wait, or does not wait any more.
            StoreError::Files(errno) => errno,
            _ => Errno::Io,
        })
    }
}

/// Two generations: when the younger one is half of the cache, the older one is forgotten.
#[derive(Default)]
struct Cache {
    young: HashMap<BlobId, Arc<Vec<u8>>>,
    old: HashMap<BlobId, Arc<Vec<u8>>>,
    size: usize,
}

impl Cache {
    fn get(&mut self, id: &BlobId) -> Option<Arc<Vec<u8>>> {
        if let Some(bytes) = self.young.get(id) {
            return Some(Arc::clone(bytes));
        }
        let bytes = self.old.get(id).cloned()?;
        self.put(*id, &bytes);
        Some(bytes)
    }

    fn put(&mut self, id: BlobId, bytes: &Arc<Vec<u8>>) {
        if self.young.insert(id, Arc::clone(bytes)).is_none() {
            // About as much as the entry takes besides its bytes.
            self.size += bytes.len() + 128;
        }
        if self.size > CACHE / 2 {
            self.old = std::mem::take(&mut self.young);
            self.size = 0;
        }
    }
}
