//! The states that a sandbox had.

use crate::error::{Result, StoreError};
use crate::records::sandbox::{Record, load};
use crate::records::state::{SealedState, State, advance};
use crate::store::{Store, shared};
use rusqlite::{OptionalExtension, params};
use sandshell_vfs::BlobId;

impl Store {
    /// The states of a sandbox that were kept, newest first.
    ///
    /// # Errors
    /// [`StoreError::NoSandbox`].
    pub fn log(&self, id: &str) -> Result<Vec<State>> {
        shared!(self, |shared| shared.log(id));
        let record = self.sandbox(id)?;
        let at = self.database();
        let rows: Vec<SealedState> = self.reading(|connection| {
            connection
                .prepare_cached("SELECT sandbox, state, root, at, what, seal FROM states WHERE sandbox = ?1 ORDER BY state DESC")?
                .query_map([record.number], SealedState::read)?
                .collect()
        })?;
        rows.into_iter().map(|row| row.check(&at)).collect()
    }

    /// One state of a sandbox.
    ///
    /// # Errors
    /// [`StoreError::NoSandbox`], [`StoreError::NoState`].
    pub fn state(&self, id: &str, state: u64) -> Result<State> {
        shared!(self, |shared| shared.state(id, state));
        let record = self.sandbox(id)?;
        let at = self.database();
        let number = i64::try_from(state).unwrap_or(-1);
        let row = self.reading(|connection| {
            connection
                .prepare_cached("SELECT sandbox, state, root, at, what, seal FROM states WHERE sandbox = ?1 AND state = ?2")?
                .query_row(params![record.number, number], SealedState::read)
                .optional()
        })?;
        row.ok_or_else(|| StoreError::NoState(id.to_owned(), state))?.check(&at)
    }

    /// The files that `asked` names: a state of the sandbox, which is a number, or a snapshot.
    ///
    /// # Errors
    /// [`StoreError::NoSandbox`], [`StoreError::NoState`], [`StoreError::NoSnapshot`].
    pub fn root(&self, id: &str, asked: &str) -> Result<BlobId> {
        match asked.parse() {
            Ok(state) => Ok(self.state(id, state)?.root),
            Err(_) => Ok(self.find_snapshot(asked)?.root),
        }
    }

    /// Gives a sandbox the files of another state. The caller has its [lock](Store::lock).
    ///
    /// # Errors
    /// [`StoreError::NoSandbox`].
    pub fn put_back(&self, id: &str, root: BlobId, what: &str) -> Result<Record> {
        shared!(self, |shared| shared.commit(id, root, None, what));
        let (at, id, what) = (self.database(), id.to_owned(), what.to_owned());
        self.write(move |connection| {
            let record = load(connection, &at, &id)?.ok_or_else(|| StoreError::NoSandbox(id.clone()))?;
            advance(connection, &at, record, root, &what)
        })
    }
}
