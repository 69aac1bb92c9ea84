//! The journal: what was executed in sandboxes, when, for how long, and what it wrote.
//!
//! It is a database of its own beside the store, and it is no part of what the store promises: a call is neither
//! delayed by it nor does it fail because of it. What a killed process had noted is there; a power failure may cost the
//! last seconds.

mod excerpt;
mod schema;

pub use excerpt::Excerpt;
pub(crate) use schema::open;

use crate::error::{Result, StoreError};
use crate::records::sandbox::Record;
use crate::store::Store;
use crate::time::{now, system};
use rusqlite::{Connection, OptionalExtension, Row, params};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant, SystemTime};

/// The newest calls of a sandbox, which are kept.
const KEPT: i64 = 200;

/// How often older ones are removed, in calls.
const EVERY: i64 = 16;

/// The most bytes of a command that are kept.
const MAX_COMMAND: usize = 4 << 10;

/// A call that was made in a sandbox.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Call {
    /// Its number: later calls have greater ones.
    pub number: u64,
    /// When it began.
    pub at: SystemTime,
    /// The process that made it.
    pub process: u32,
    /// The session that it was made in, if it was.
    pub session: Option<String>,
    /// The command; one of more than 4 KiB is cut.
    pub command: String,
    /// How it ended; `None`: it goes on, or its process was killed.
    pub end: Option<CallEnd>,
}

/// How a call ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallEnd {
    /// How long it took.
    pub took: Duration,
    /// Its status; `None`: whoever had asked did not wait for it.
    pub status: Option<i32>,
    /// How much it wrote.
    pub written: u64,
    /// The state of the sandbox that was stored with it, if there is one.
    pub state: Option<u64>,
}

/// A call that goes on. One that is dropped was given up.
#[derive(Debug)]
pub struct OpenCall {
    store: Store,
    /// Known once the call is in the journal.
    number: Arc<OnceLock<i64>>,
    begun: Instant,
    ended: bool,
}

impl Store {
    /// Notes that a call begins in a sandbox. Does not wait, and does not fail.
    pub fn begin_call(&self, record: &Record, session: Option<&str>, command: &str) -> OpenCall {
        let number = Arc::new(OnceLock::new());
        let (sandbox, known) = (record.number, number.clone());
        let (session, command) = (session.map(str::to_owned), beginning(command).to_owned());
        self.note(move |connection| {
            connection
                .prepare_cached(
                    "INSERT INTO calls(sandbox, at, process, session, command) VALUES(?1, ?2, ?3, ?4, ?5)",
                )?
                .execute(params![sandbox, now(), std::process::id(), session, command])?;
            let number = connection.last_insert_rowid();
            if number % EVERY == 0 {
                remove_old(connection, sandbox)?;
            }
            // The only one that sets it.
            let _ = known.set(number);
            Ok(())
        });
        OpenCall { store: self.clone(), number, begun: Instant::now(), ended: false }
    }

    /// The newest calls of a sandbox that were kept, newest first, at most `limit`.
    ///
    /// # Errors
    /// [`StoreError::NoSandbox`], and those of the journal.
    pub fn calls(&self, id: &str, limit: usize) -> Result<Vec<Call>> {
        let record = self.sandbox(id)?;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let found = self.reading_journal(|connection| {
            let sql = format!("SELECT {COLUMNS} FROM calls WHERE sandbox = ?1 ORDER BY number DESC LIMIT ?2");
            connection.prepare_cached(&sql)?.query_map(params![record.number, limit], read)?.collect()
        })?;
        Ok(found.unwrap_or_default())
    }

    /// What a call of a sandbox wrote, both streams as they came; `None` if the call is not in the journal.
    ///
    /// # Errors
    /// [`StoreError::NoSandbox`], and those of the journal.
    pub fn call_output(&self, id: &str, call: u64) -> Result<Option<Excerpt>> {
        let record = self.sandbox(id)?;
        let number = i64::try_from(call).unwrap_or(-1);
        let found = self.reading_journal(|connection| {
            connection
                .prepare_cached("SELECT head, tail, written FROM calls WHERE sandbox = ?1 AND number = ?2")?
                .query_row(params![record.number, number], |row| {
                    Ok(Excerpt::from_parts(row.get(0)?, row.get(1)?, unsigned(row.get(2)?)))
                })
                .optional()
        })?;
        Ok(found.flatten())
    }

    /// Waits until what was noted is in the journal: for a process that is about to end.
    pub fn settle_journal(&self) {
        if let Some(journal) = self.journal_if_begun() {
            // A journal that cannot be written to delays nobody.
            let _ = journal.write(|_| Ok(()));
        }
    }

    /// Forgets the calls of sandboxes that are gone.
    pub(crate) fn forget_calls(&self, numbers: Vec<i64>) {
        if numbers.is_empty() || !self.place().journal().exists() {
            return;
        }
        self.note(move |connection| {
            let mut statement = connection.prepare_cached("DELETE FROM calls WHERE sandbox = ?1")?;
            numbers.iter().try_for_each(|number| statement.execute([number]).map(drop))
        });
    }

    /// Forgets the calls of all sandboxes but these (sorted), and but later ones: whose number is greater.
    pub(crate) fn forget_calls_but(&self, numbers: Vec<i64>) {
        let Some(last) = numbers.last().copied().filter(|_| self.place().journal().exists()) else {
            return;
        };
        self.note(move |connection| {
            let known: Vec<i64> = connection
                .prepare("SELECT DISTINCT sandbox FROM calls WHERE sandbox < ?1")?
                .query_map([last], |row| row.get(0))?
                .collect::<rusqlite::Result<_>>()?;
            let mut statement = connection.prepare("DELETE FROM calls WHERE sandbox = ?1")?;
            let gone = known.iter().filter(|number| numbers.binary_search(number).is_err());
            gone.copied().try_for_each(|number| statement.execute([number]).map(drop))
        });
    }

    fn note(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<()> + Send + 'static) {
        let at = self.place().journal();
        // Without a journal, nothing is noted.
        if let Ok(journal) = self.journal() {
            journal
                .post(move |connection| work(connection).map_err(|error| StoreError::database(&at, error)));
        }
    }

    fn reading_journal<T>(&self, read: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<Option<T>> {
        let at = self.place().journal();
        if !at.exists() {
            return Ok(None);
        }
        let connection = open(&at)?;
        read(&connection).map(Some).map_err(|error| StoreError::database(&at, error))
    }
}

impl OpenCall {
    /// Notes that the call has ended. Does not wait, and does not fail. `state` is the state that was stored with it.
    pub fn end(mut self, status: Option<i32>, output: &Excerpt, state: Option<u64>) {
        self.note_end(status, output, state);
    }

    fn note_end(&mut self, status: Option<i32>, output: &Excerpt, state: Option<u64>) {
        self.ended = true;
        let (number, output) = (self.number.clone(), output.clone());
        let took = i64::try_from(self.begun.elapsed().as_micros()).unwrap_or(i64::MAX);
        let state = state.and_then(|state| i64::try_from(state).ok());
        self.store.note(move |connection| {
            // Work is done in order: if it is not known, it is not in the journal.
            let Some(number) = number.get() else { return Ok(()) };
            connection
                .prepare_cached(
                    "UPDATE calls SET took = ?2, status = ?3, head = ?4, tail = ?5, written = ?6, state = ?7 \
                     WHERE number = ?1",
                )?
                .execute(params![
                    number,
                    took,
                    status,
                    output.head(),
                    output.tail(),
                    i64::try_from(output.written()).unwrap_or(i64::MAX),
                    state
                ])?;
            Ok(())
        });
    }
}

impl Drop for OpenCall {
    fn drop(&mut self) {
        if !self.ended {
            self.note_end(None, &Excerpt::default(), None);
        }
    }
}

const COLUMNS: &str = "number, at, process, session, command, took, status, written, state";

fn read(row: &Row<'_>) -> rusqlite::Result<Call> {
    let took: Option<i64> = row.get(5)?;
    let (status, written, state): (_, i64, Option<i64>) = (row.get(6)?, row.get(7)?, row.get(8)?);
    Ok(Call {
        number: unsigned(row.get(0)?),
        at: system(row.get(1)?),
        process: row.get(2)?,
        session: row.get(3)?,
        command: row.get(4)?,
        end: took.map(|took| CallEnd {
            took: Duration::from_micros(unsigned(took)),
            status,
            written: unsigned(written),
            state: state.map(unsigned),
        }),
    })
}

fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or_default()
}

fn remove_old(connection: &Connection, sandbox: i64) -> rusqlite::Result<()> {
    connection.execute(
        "DELETE FROM calls WHERE sandbox = ?1 AND number <= ( \
           SELECT number FROM calls WHERE sandbox = ?1 ORDER BY number DESC LIMIT 1 OFFSET ?2)",
        params![sandbox, KEPT],
    )?;
    Ok(())
}

fn beginning(command: &str) -> &str {
    let mut end = command.len().min(MAX_COMMAND);
    while !command.is_char_boundary(end) {
        end -= 1;
    }
    command.get(..end).unwrap_or_default()
}
