//! The record of a snapshot.

use super::{bad_row, blob};
use crate::error::Result;
use crate::seal::seal;
use crate::time::time;
use rusqlite::{Connection, OptionalExtension, Row, params};
use sandshell_vfs::BlobId;
use std::path::Path;
use std::time::SystemTime;

/// A stored snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SnapshotRecord {
    /// Its id.
    pub id: String,
    /// Its name, if it has one.
    pub name: Option<String>,
    /// The root of the files.
    pub root: BlobId,
    /// When it was taken.
    pub created: SystemTime,
    /// The options of the sandbox.
    pub options: String,
}

/// The row of the snapshot with this id or name.
pub(crate) fn find(connection: &Connection, snapshot: &str) -> rusqlite::Result<Option<SealedSnapshot>> {
    connection
        .prepare_cached(
            "SELECT id, name, root, created, options, seal FROM snapshots WHERE id = ?1 OR name = ?1",
        )?
        .query_row([snapshot], SealedSnapshot::read)
        .optional()
}

pub(crate) fn insert(connection: &Connection, snapshot: &SnapshotRecord) -> rusqlite::Result<()> {
    let created = time(snapshot.created);
    let seal = sealed(&snapshot.id, snapshot.name.as_deref(), &snapshot.root.0, created, &snapshot.options);
    let sql = "INSERT INTO snapshots(id, name, root, created, options, seal) VALUES(?1, ?2, ?3, ?4, ?5, ?6)";
    let values = params![snapshot.id, snapshot.name, &snapshot.root.0[..], created, snapshot.options, seal];
    connection.execute(sql, values).map(drop)
}

fn sealed(id: &str, name: Option<&str>, root: &[u8], created: i64, options: &str) -> Vec<u8> {
    let named = [u8::from(name.is_some())];
    let name = name.unwrap_or_default();
    seal(&[id.as_bytes(), &named, name.as_bytes(), root, &created.to_le_bytes(), options.as_bytes()])
}

/// A row as it is in the table.
pub(crate) struct SealedSnapshot {
    id: String,
    name: Option<String>,
    root: Vec<u8>,
    created: i64,
    options: String,
    seal: Vec<u8>,
}

impl SealedSnapshot {
    pub(crate) fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            id: row.get(0)?,
            name: row.get(1)?,
            root: row.get(2)?,
            created: row.get(3)?,
            options: row.get(4)?,
            seal: row.get(5)?,
        })
    }

    pub(crate) fn check(self, at: &Path) -> Result<SnapshotRecord> {
        if self.seal != sealed(&self.id, self.name.as_deref(), &self.root, self.created, &self.options) {
            return Err(bad_row(at, &format!("the record of the snapshot {}", self.id)));
        }
        Ok(SnapshotRecord {
            root: blob(at, &self.root)?,
            created: crate::time::system(self.created),
            id: self.id,
            name: self.name,
            options: self.options,
        })
    }
}
