//! Snapshots: states with a name, which outlive their sandbox.

use crate::error::{Result, StoreError};
use crate::sandbox::{NewSandbox, Record, insert, load, random_name};
use crate::seal::seal;
use crate::store::{Store, bad_row, blob, shared};
use crate::time::now;
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

/// What the id of every snapshot begins with.
const PREFIX: &str = "snapshot-";

impl Store {
    /// Takes a snapshot of a sandbox's last state.
    ///
    /// # Errors
    /// [`StoreError::NoSandbox`], [`StoreError::NameTaken`], [`StoreError::BadName`].
    pub fn snapshot(&self, id: &str, name: Option<&str>) -> Result<SnapshotRecord> {
        if let Some(name) = name {
            check_name(name)?;
        }
        shared!(self, |shared| shared.snapshot(id, name));
        let (at, id, name) = (self.database(), id.to_owned(), name.map(str::to_owned));
        self.write(move |connection| {
            let failed = |error| StoreError::database(&at, error);
            let record = load(connection, &at, &id)?.ok_or_else(|| StoreError::NoSandbox(id.clone()))?;
            if let Some(name) = &name {
                let taken = connection
                    .query_row("SELECT 1 FROM snapshots WHERE name = ?1", [name], |_| Ok(()))
                    .optional()
                    .map_err(failed)?;
                if taken.is_some() {
                    return Err(StoreError::NameTaken(name.clone()));
                }
            }
            let snapshot = SnapshotRecord {
                id: format!("{PREFIX}{}", random_name()?),
                name,
                root: record.head,
                created: crate::time::system(now()),
                options: record.options,
            };
            let created = crate::time::time(snapshot.created);
            let seal = sealed(&snapshot.id, snapshot.name.as_deref(), &snapshot.root.0, created, &snapshot.options);
            connection
                .execute(
                    "INSERT INTO snapshots(id, name, root, created, options, seal) VALUES(?1, ?2, ?3, ?4, ?5, ?6)",
                    params![snapshot.id, snapshot.name, &snapshot.root.0[..], created, snapshot.options, seal],
                )
                .map_err(failed)?;
            Ok(snapshot)
        })
    }

    /// The snapshot with this id or name.
    ///
    /// # Errors
    /// [`StoreError::NoSnapshot`].
    pub fn find_snapshot(&self, snapshot: &str) -> Result<SnapshotRecord> {
        shared!(self, |shared| shared.find_snapshot(snapshot));
        let at = self.database();
        let found = self.reading(|connection| find(connection, snapshot))?;
        found.ok_or_else(|| StoreError::NoSnapshot(snapshot.to_owned()))?.check(&at)
    }

    /// All snapshots, oldest first.
    ///
    /// # Errors
    /// Those of the database.
    pub fn snapshots(&self) -> Result<Vec<SnapshotRecord>> {
        shared!(self, |shared| shared.snapshots());
        let at = self.database();
        let rows: Vec<SealedSnapshot> = self.reading(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT id, name, root, created, options, seal FROM snapshots ORDER BY number",
            )?;
            statement.query_map([], SealedSnapshot::read)?.collect()
        })?;
        rows.into_iter().map(|row| row.check(&at)).collect()
    }

    /// Deletes a snapshot, by its id or name. It is no error if there is none.
    ///
    /// # Errors
    /// Those of the database.
    pub fn delete_snapshot(&self, snapshot: &str) -> Result<()> {
        shared!(self, |shared| shared.delete_snapshot(snapshot));
        let (at, snapshot) = (self.database(), snapshot.to_owned());
        self.write(move |connection| {
            connection
                .execute("DELETE FROM snapshots WHERE id = ?1 OR name = ?1", [&snapshot])
                .map_err(|error| StoreError::database(&at, error))?;
            Ok(())
        })
    }

    /// Creates a sandbox with the files of another one's last state.
    ///
    /// # Errors
    /// [`StoreError::NoSandbox`].
    pub fn fork(&self, id: &str, hard_ttl: Option<std::time::Duration>) -> Result<Record> {
        shared!(self, |shared| shared.fork(id, hard_ttl));
        let (at, id) = (self.database(), id.to_owned());
        self.write(move |connection| {
            let from = load(connection, &at, &id)?.ok_or_else(|| StoreError::NoSandbox(id.clone()))?;
            let new = NewSandbox { labels: Vec::new(), ttl: from.ttl, hard_ttl, options: from.options };
            insert(connection, &at, from.head, &new, &format!("fork of {id}"))
        })
    }
}

fn check_name(name: &str) -> Result<()> {
    let why = match name {
        "" => "it is empty",
        _ if name.len() > 128 => "it has more than 128 bytes",
        _ if name.chars().any(char::is_control) => "it has a control character",
        _ if name.starts_with(PREFIX) => "ids of snapshots begin like this",
        _ => return Ok(()),
    };
    Err(StoreError::BadName(name.to_owned(), why))
}

fn find(connection: &Connection, snapshot: &str) -> rusqlite::Result<Option<SealedSnapshot>> {
    connection
        .prepare_cached(
            "SELECT id, name, root, created, options, seal FROM snapshots WHERE id = ?1 OR name = ?1",
        )?
        .query_row([snapshot], SealedSnapshot::read)
        .optional()
}

fn sealed(id: &str, name: Option<&str>, root: &[u8], created: i64, options: &str) -> Vec<u8> {
    let named = [u8::from(name.is_some())];
    let name = name.unwrap_or_default();
    seal(&[id.as_bytes(), &named, name.as_bytes(), root, &created.to_le_bytes(), options.as_bytes()])
}

/// A row as it is in the table.
struct SealedSnapshot {
    id: String,
    name: Option<String>,
    root: Vec<u8>,
    created: i64,
    options: String,
    seal: Vec<u8>,
}

impl SealedSnapshot {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            id: row.get(0)?,
            name: row.get(1)?,
            root: row.get(2)?,
            created: row.get(3)?,
            options: row.get(4)?,
            seal: row.get(5)?,
        })
    }

    fn check(self, at: &Path) -> Result<SnapshotRecord> {
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
