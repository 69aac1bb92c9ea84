//! The sandboxes of a store: creating, finding, changing and deleting them.

use crate::error::{Result, StoreError};
use crate::seal::{number, seal};
use crate::store::{Store, bad_row, blob, shared};
use crate::time::{now, time};
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

impl Store {
    /// Creates a sandbox with these files. `what` is the comment of its first state.
    ///
    /// # Errors
    /// Those of the database.
    pub fn create(&self, root: BlobId, new: NewSandbox, what: &str) -> Result<Record> {
        shared!(self, |shared| shared.create(root, new, what));
        let (at, what) = (self.database(), what.to_owned());
        self.write(move |connection| insert(connection, &at, root, &new, &what))
    }

    /// The sandbox with this id.
    ///
    /// # Errors
    /// [`StoreError::NoSandbox`].
    pub fn sandbox(&self, id: &str) -> Result<Record> {
        shared!(self, |shared| shared.sandbox(id));
        self.expire()?;
        let at = self.database();
        let found = self.reading(|connection| find(connection, id))?;
        found.ok_or_else(|| StoreError::NoSandbox(id.to_owned())).and_then(|row| row.check(&at))
    }

    /// At most `limit` sandboxes that have all of these labels, those after number `after`.
    ///
    /// # Errors
    /// Those of the database.
    pub fn list(&self, labels: &[(String, String)], after: i64, limit: usize) -> Result<Page> {
        shared!(self, |shared| shared.list(labels, after, limit));
        self.expire()?;
        let at = self.database();
        let most = i64::try_from(limit.max(1)).unwrap_or(i64::MAX - 1);
        let rows = self.reading(|connection| match labels {
            [] => {
                let sql =
                    format!("SELECT {COLUMNS} FROM sandboxes WHERE number > ?1 ORDER BY number LIMIT ?2");
                let mut statement = connection.prepare_cached(&sql)?;
                statement.query_map(params![after, most + 1], SealedRow::read)?.collect::<Result<Vec<_>, _>>()
            }
            [first, rest @ ..] => {
                let sql = format!(
                    "SELECT {COLUMNS} FROM labels JOIN sandboxes ON number = labels.sandbox \
                     WHERE name = ?1 AND value = ?2 AND labels.sandbox > ?3 ORDER BY labels.sandbox"
                );
                let mut statement = connection.prepare_cached(&sql)?;
                let mut rows = statement.query(params![first.0, first.1, after])?;
                let mut found = Vec::new();
                while let Some(row) = rows.next()? {
                    let row = SealedRow::read(row)?;
                    let all = rest.iter().all(|label| row.labels().contains(label));
                    if all {
                        found.push(row);
                    }
                    if found.len() > limit.max(1) {
                        break;
                    }
                }
                Ok(found)
            }
        })?;
        let more = rows.len() > limit.max(1);
        let sandboxes: Vec<Record> =
            rows.into_iter().take(limit.max(1)).map(|row| row.check(&at)).collect::<Result<_>>()?;
        let next = if more { sandboxes.last().map(|last| last.number) } else { None };
        Ok(Page { sandboxes, next })
    }

    /// Deletes a sandbox. It is no error if there is none.
    ///
    /// # Errors
    /// Those of the database.
    pub fn delete(&self, id: &str) -> Result<()> {
        shared!(self, |shared| shared.delete(id));
        let (at, id) = (self.database(), id.to_owned());
        self.write(move |connection| {
            let failed = |error| StoreError::database(&at, error);
            let number: Option<i64> = connection
                .query_row("SELECT number FROM sandboxes WHERE id = ?1", [&id], |row| row.get(0))
                .optional()
                .map_err(failed)?;
            if let Some(number) = number {
                remove(connection, number).map_err(failed)?;
            }
            Ok(number)
        })
        .map(|number| self.forget_calls(number.into_iter().collect()))
    }

    /// Changes a sandbox's record: what does not say which files it has. If others change it at the same time, `change`
    /// may be called again.
    ///
    /// # Errors
    /// [`StoreError::NoSandbox`].
    pub fn change(&self, id: &str, change: impl Fn(&mut Record) + Send + Sync + 'static) -> Result<Record> {
        shared!(self, |shared| shared.change(id, change));
        let (at, id) = (self.database(), id.to_owned());
        self.write(move |connection| {
            let mut record = load(connection, &at, &id)?.ok_or_else(|| StoreError::NoSandbox(id.clone()))?;
            change(&mut record);
            update(connection, &record).map_err(|error| StoreError::database(&at, error))?;
            Ok(record)
        })
    }

    /// Deletes the sandboxes whose time is over.
    ///
    /// # Errors
    /// Those of the database.
    pub fn expire(&self) -> Result<()> {
        shared!(self, |shared| shared.expire());
        let now = now();
        let sql = "SELECT count(*) FROM sandboxes WHERE ends IS NOT NULL AND ends <= ?1";
        let over: i64 =
            self.reading(|connection| connection.prepare_cached(sql)?.query_row([now], |row| row.get(0)))?;
        if over == 0 {
            return Ok(());
        }
        let at = self.database();
        self.write(move |connection| {
            let failed = |error| StoreError::database(&at, error);
            let numbers: Vec<i64> = connection
                .prepare("SELECT number FROM sandboxes WHERE ends IS NOT NULL AND ends <= ?1")
                .and_then(|mut statement| statement.query_map([now], |row| row.get(0))?.collect())
                .map_err(failed)?;
            numbers.iter().try_for_each(|number| remove(connection, *number)).map_err(failed)?;
            Ok(numbers)
        })
        .map(|numbers| self.forget_calls(numbers))
    }
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

    fn labels(&self) -> Vec<(String, String)> {
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

fn find(connection: &Connection, id: &str) -> rusqlite::Result<Option<SealedRow>> {
    let sql = format!("SELECT {COLUMNS} FROM sandboxes WHERE id = ?1");
    connection.prepare_cached(&sql)?.query_row([id], SealedRow::read).optional()
}

pub(crate) fn load(connection: &Connection, at: &Path, id: &str) -> Result<Option<Record>> {
    let found = find(connection, id).map_err(|error| StoreError::database(at, error))?;
    found.map(|row| row.check(at)).transpose()
}

/// Creates a sandbox within a transaction.
pub(crate) fn insert(
    connection: &Connection,
    at: &Path,
    root: BlobId,
    new: &NewSandbox,
    what: &str,
) -> Result<Record> {
    let failed = |error| StoreError::database(at, error);
    let id = format!("sandbox-{}", random_name()?);
    let created = now();
    // The row gets its number first: the seal covers it.
    connection
        .execute(
            "INSERT INTO sandboxes(id, head, state, created, used, paused, labels, options, seal) \
             VALUES(?1, x'', 0, 0, 0, 0, '', '', x'')",
            [&id],
        )
        .map_err(failed)?;
    let mut labels = new.labels.clone();
    labels.sort();
    labels.dedup();
    let ends = new.hard_ttl.and_then(|ttl| SystemTime::now().checked_add(ttl));
    let record = Record {
        number: connection.last_insert_rowid(),
        id,
        head: root,
        state: 1,
        created: crate::time::system(created),
        used: crate::time::system(created),
        ttl: new.ttl,
        // As exact as what is stored.
        ends: ends.map(|ends| crate::time::system(time(ends))),
        paused: false,
        labels,
        options: new.options.clone(),
    };
    update(connection, &record).map_err(failed)?;
    for (name, value) in &record.labels {
        connection
            .execute("INSERT INTO labels VALUES(?1, ?2, ?3)", params![name, value, record.number])
            .map_err(failed)?;
    }
    crate::history::add(connection, &record, what).map_err(failed)?;
    Ok(record)
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

fn remove(connection: &Connection, number: i64) -> rusqlite::Result<()> {
    connection.execute("DELETE FROM sandboxes WHERE number = ?1", [number])?;
    connection.execute("DELETE FROM labels WHERE sandbox = ?1", [number])?;
    connection.execute("DELETE FROM states WHERE sandbox = ?1", [number])?;
    Ok(())
}

/// Twelve random letters and digits.
pub(crate) fn random_name() -> Result<String> {
    const DIGITS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
    let mut bytes = [0; 12];
    getrandom::fill(&mut bytes).map_err(|error| StoreError::Io {
        at: "random numbers".into(),
        source: std::io::Error::other(error.to_string()),
    })?;
    Ok(bytes.iter().map(|byte| char::from(DIGITS[usize::from(byte % 32)])).collect())
}
