//! Snapshots: states with a name, which outlive their sandbox.

use crate::error::{Result, StoreError};
use crate::names::random_name;
use crate::records::sandbox::{NewSandbox, Record, load};
use crate::records::snapshot::{self, SealedSnapshot, SnapshotRecord};
use crate::sandbox::insert;
use crate::store::{Store, shared};
use crate::time::now;
use rusqlite::OptionalExtension;

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
            snapshot::insert(connection, &snapshot).map_err(failed)?;
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
        let found = self.reading(|connection| snapshot::find(connection, snapshot))?;
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
