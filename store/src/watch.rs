//! Noticing what other processes do with a store.

use crate::error::{Result, StoreError};
use crate::store::Store;
use crate::{journal, schema};
use rusqlite::Connection;
use std::path::Path;

/// Tells whether something was stored or noted since it was asked last, by whomever. To ask costs microseconds.
#[derive(Debug)]
pub struct Watch {
    store: Store,
    states: Watched,
    /// Once there is a journal.
    calls: Option<Watched>,
}

#[derive(Debug)]
struct Watched {
    connection: Connection,
    version: i64,
}

impl Store {
    /// Watches it from now on.
    ///
    /// # Errors
    /// Those of the database.
    pub fn watch(&self) -> Result<Watch> {
        let states = Watched::new(schema::open(&self.database())?, &self.database())?;
        let mut watch = Watch { store: self.clone(), states, calls: None };
        watch.look_for_journal()?;
        Ok(watch)
    }
}

impl Watch {
    /// Whether something has changed since the last call.
    ///
    /// # Errors
    /// Those of the database.
    pub fn changed(&mut self) -> Result<bool> {
        let stored = self.states.changed(&self.store.database())?;
        let noted = match &mut self.calls {
            Some(calls) => calls.changed(&self.store.place().journal())?,
            None => self.look_for_journal()?,
        };
        Ok(stored || noted)
    }

    fn look_for_journal(&mut self) -> Result<bool> {
        let at = self.store.place().journal();
        if !at.exists() {
            return Ok(false);
        }
        self.calls = Some(Watched::new(journal::open(&at)?, &at)?);
        Ok(true)
    }
}

impl Watched {
    fn new(connection: Connection, at: &Path) -> Result<Self> {
        let version = version(&connection, at)?;
        Ok(Self { connection, version })
    }

    fn changed(&mut self, at: &Path) -> Result<bool> {
        let now = version(&self.connection, at)?;
        Ok(std::mem::replace(&mut self.version, now) != now)
    }
}

/// Changes when another connection writes.
fn version(connection: &Connection, at: &Path) -> Result<i64> {
    connection
        .pragma_query_value(None, "data_version", |row| row.get(0))
        .map_err(|error| StoreError::database(at, error))
}
