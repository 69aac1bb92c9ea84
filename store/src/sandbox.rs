//! The sandboxes of a store: creating, finding, changing and deleting them.

use crate::error::{Result, StoreError};
use crate::names::random_name;
use crate::records::sandbox::{COLUMNS, NewSandbox, Page, Record, SealedRow, find, load, update};
use crate::records::state::add;
use crate::store::{Store, shared};
use crate::time::{now, time};
use rusqlite::{Connection, OptionalExtension, params};
use sandshell_vfs::BlobId;
use std::path::Path;
use std::time::SystemTime;

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
    add(connection, &record, what).map_err(failed)?;
    Ok(record)
}

fn remove(connection: &Connection, number: i64) -> rusqlite::Result<()> {
    connection.execute("DELETE FROM sandboxes WHERE number = ?1", [number])?;
    connection.execute("DELETE FROM labels WHERE sandbox = ?1", [number])?;
    connection.execute("DELETE FROM states WHERE sandbox = ?1", [number])?;
    Ok(())
}
