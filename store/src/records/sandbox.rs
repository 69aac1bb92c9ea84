//! The record of a sandbox.

use super::{bad_row, blob};
use crate::error::{Result, StoreError};
use crate::seal::{number, seal};
use crate::time::time;
use rusqlite::{Connection, OptionalExtension, Row, params};
use sandshell_vfs::BlobId;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// A stored sandbox.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Record {
    /// Its number in the store, which no other sandbox ever gets.
    pub number: i64,
    /// Its id.
    pub id: String,
    /// The root of its files.
    pub head: BlobId,
    /// The number of that state.
    pub state: u64,
    /// When it was created.
    pub created: SystemTime,
    /// When it was last used.
    pub used: SystemTime,
    /// After how long without use it is parked; `None`: never.
    pub ttl: Option<Duration>,
    /// When it is deleted; `None`: never.
    pub ends: Option<SystemTime>,
    /// Whether somebody paused it.
    pub paused: bool,
    /// Names and values to find it by, sorted.
    pub labels: Vec<(String, String)>,
    /// The caller's own options.
    pub options: String,
}

impl Record {
    /// Whether it is only on disk: somebody paused it, or it was not used for its `ttl`.
    pub fn is_parked(&self) -> bool {
        self.paused || self.ttl.is_some_and(|ttl| self.used.elapsed().is_ok_and(|idle| idle >= ttl))
    }
}

/// A sandbox to be created.
#[derive(Clone, Debug, Default)]
pub struct NewSandbox {
    /// Names and values to find it by.
    pub labels: Vec<(String, String)>,
    /// See [`Record::ttl`].
    pub ttl: Option<Duration>,
    /// How long it exists at most; `None`: for ever.
    pub hard_ttl: Option<Duration>,
    /// The caller's own options.
    pub options: String,
}

/// One page of a listing.
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// The sandboxes, oldest first.
    pub sandboxes: Vec<Record>,
    /// Where the next page begins; `None` at the end.
    pub next: Option<i64>,
}

/// The columns of [`SealedRow`].
pub(crate) const COLUMNS: &str =
    "number, id, head, state, created, used, ttl, ends, paused, sandboxes.labels, options, seal";

/// A row as it is in the table.
pub(crate) struct SealedRow {
    number: i64,
    id: String,
    head: Vec<u8>,
    state: i64,
    created: i64,
    used: i64,
    ttl: Option<i64>,
    ends: Option<i64>,
    paused: bool,
    labels: String,
    options: String,
    seal: Vec<u8>,
}

impl SealedRow {
    pub(crate) fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            number: row.get(0)?,
            id: row.get(1)?,
            head: row.get(2)?,
            state: row.get(3)?,
            created: row.get(4)?,
            used: row.get(5)?,
            ttl: row.get(6)?,
            ends: row.get(7)?,
            paused: row.get(8)?,
            labels: row.get(9)?,
            options: row.get(10)?,
            seal: row.get(11)?,
        })
    }

    pub(crate) fn labels(&self) -> Vec<(String, String)> {
        serde_json::from_str(&self.labels).unwrap_or_default()
    }

    fn of(record: &Record) -> Self {
        let mut row = Self {
            number: record.number,
            id: record.id.clone(),
            head: record.head.0.to_vec(),
            state: i64::try_from(record.state).unwrap_or(i64::MAX),
            created: time(record.created),
            used: time(record.used),
            ttl: record.ttl.map(|ttl| i64::try_from(ttl.as_millis()).unwrap_or(i64::MAX)),
            ends: record.ends.map(time),
            paused: record.paused,
            labels: serde_json::to_string(&record.labels).unwrap_or_default(),
            options: record.options.clone(),
            seal: Vec::new(),
        };
        row.seal = row.expected();
        row
    }

    fn expected(&self) -> Vec<u8> {
        seal(&[
            &self.number.to_le_bytes(),
            self.id.as_bytes(),
            &self.head,
            &self.state.to_le_bytes(),
            &self.created.to_le_bytes(),
            &self.used.to_le_bytes(),
            &number(self.ttl),
            &number(self.ends),
            &[u8::from(self.paused)],
            self.labels.as_bytes(),
            self.options.as_bytes(),
        ])
    }

    pub(crate) fn check(self, at: &Path) -> Result<Record> {
        if self.seal != self.expected() {
            return Err(bad_row(at, &format!("the record of the sandbox {}", self.id)));
        }
        let labels = self.labels();
        Ok(Record {
            number: self.number,
            head: blob(at, &self.head)?,
            state: u64::try_from(self.state).unwrap_or_default(),
            created: crate::time::system(self.created),
            used: crate::time::system(self.used),
            ttl: self.ttl.map(|ttl| Duration::from_millis(u64::try_from(ttl).unwrap_or_default())),
            ends: self.ends.map(crate::time::system),
            paused: self.paused,
            labels,
            options: self.options,
            id: self.id,
        })
    }
}

/// The row of the sandbox with this id.
pub(crate) fn find(connection: &Connection, id: &str) -> rusqlite::Result<Option<SealedRow>> {
    let sql = format!("SELECT {COLUMNS} FROM sandboxes WHERE id = ?1");
    connection.prepare_cached(&sql)?.query_row([id], SealedRow::read).optional()
}

pub(crate) fn load(connection: &Connection, at: &Path, id: &str) -> Result<Option<Record>> {
    let found = find(connection, id).map_err(|error| StoreError::database(at, error))?;
    found.map(|row| row.check(at)).transpose()
}

pub(crate) fn update(connection: &Connection, record: &Record) -> rusqlite::Result<()> {
    let row = SealedRow::of(record);
    let mut statement = connection.prepare_cached(
        "UPDATE sandboxes SET head = ?2, state = ?3, created = ?4, used = ?5, ttl = ?6, ends = ?7, paused = ?8, \
         labels = ?9, options = ?10, seal = ?11 WHERE number = ?1",
    )?;
    statement.execute(params![
        row.number,
        row.head,
        row.state,
        row.created,
        row.used,
        row.ttl,
        row.ends,
        row.paused,
        row.labels,
        row.options,
        row.seal
    ])?;
    Ok(())
}
