//! The records of the states that a sandbox had.

use super::sandbox::{Record, update};
use super::{bad_row, blob};
use crate::error::{Result, StoreError};
use crate::seal::seal;
use crate::time::now;
use rusqlite::{Connection, Row, params};
use sandshell_vfs::BlobId;
use std::path::Path;
use std::time::SystemTime;

/// A state that a sandbox had.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct State {
    /// Its number: 1 for the first.
    pub number: u64,
    /// The root of the files.
    pub root: BlobId,
    /// When it was stored.
    pub at: SystemTime,
    /// What led to it.
    pub what: String,
}

/// The newest states, which are all kept.
const KEPT: i64 = 200;

/// Older ones: the last of each hour is kept for this long.
const HOURLY: i64 = 7 * 24 * HOUR;

const HOUR: i64 = 3_600_000;

/// How often old states are removed, in states.
const EVERY: i64 = 32;

/// The most bytes of a comment.
const MAX_COMMENT: usize = 200;

/// Makes `root` the newest state of a sandbox.
pub(crate) fn advance(
    connection: &Connection,
    at: &Path,
    mut record: Record,
    root: BlobId,
    what: &str,
) -> Result<Record> {
    record.head = root;
    record.state += 1;
    record.used = crate::time::system(now());
    update(connection, &record)
        .and_then(|()| add(connection, &record, what))
        .map_err(|error| StoreError::database(at, error))?;
    Ok(record)
}

/// Adds the record's state to the history, and removes old ones now and then.
pub(crate) fn add(connection: &Connection, record: &Record, what: &str) -> rusqlite::Result<()> {
    let what = comment(what);
    let (state, at) = (i64::try_from(record.state).unwrap_or(i64::MAX), now());
    let sealed = sealed(record.number, state, &record.head.0, at, what);
    connection.prepare_cached("INSERT INTO states VALUES(?1, ?2, ?3, ?4, ?5, ?6)")?.execute(params![
        record.number,
        state,
        &record.head.0[..],
        at,
        what,
        sealed
    ])?;
    if state % EVERY == 0 {
        // The primary key finds the later states of the same hour.
        connection.execute(
            "DELETE FROM states WHERE sandbox = ?1 AND state <= ?2 AND (at < ?3 OR EXISTS( \
               SELECT 1 FROM states AS later WHERE later.sandbox = ?1 AND later.state > states.state \
               AND later.state <= ?2 AND later.at / ?4 = states.at / ?4))",
            params![record.number, state - KEPT, at - HOURLY, HOUR],
        )?;
    }
    Ok(())
}

/// As much of a comment as is kept.
pub(crate) fn comment(what: &str) -> &str {
    let mut end = what.len().min(MAX_COMMENT);
    while !what.is_char_boundary(end) {
        end -= 1;
    }
    what.get(..end).unwrap_or_default()
}

fn sealed(sandbox: i64, state: i64, root: &[u8], at: i64, what: &str) -> Vec<u8> {
    seal(&[&sandbox.to_le_bytes(), &state.to_le_bytes(), root, &at.to_le_bytes(), what.as_bytes()])
}

/// A row as it is in the table.
pub(crate) struct SealedState {
    sandbox: i64,
    state: i64,
    root: Vec<u8>,
    at: i64,
    what: String,
    seal: Vec<u8>,
}

impl SealedState {
    pub(crate) fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            sandbox: row.get(0)?,
            state: row.get(1)?,
            root: row.get(2)?,
            at: row.get(3)?,
            what: row.get(4)?,
            seal: row.get(5)?,
        })
    }

    pub(crate) fn check(self, at: &Path) -> Result<State> {
        if self.seal != sealed(self.sandbox, self.state, &self.root, self.at, &self.what) {
            return Err(bad_row(at, &format!("the record of the state {} of a sandbox", self.state)));
        }
        Ok(State {
            number: u64::try_from(self.state).unwrap_or_default(),
            root: blob(at, &self.root)?,
            at: crate::time::system(self.at),
            what: self.what,
        })
    }
}
