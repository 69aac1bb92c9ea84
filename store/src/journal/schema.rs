//! The table of the journal, and the version of its format.

use crate::error::{Result, StoreError};
use crate::schema::connect;
use rusqlite::{Connection, TransactionBehavior};
use std::path::Path;
use std::time::Duration;

/// The newest format of the journal that this program writes and reads.
const FORMAT: i64 = 1;

/// "sanj" in ASCII.
const APPLICATION: i64 = 0x7361_6e6a;

/// How long another process that writes is waited for.
const PATIENCE: Duration = Duration::from_secs(1);

/// How often making it is tried again, and the pause before that.
const TRIES: u32 = 200;
const PAUSE: Duration = Duration::from_millis(10);

const TABLES: &str = "
CREATE TABLE calls(
    number INTEGER PRIMARY KEY AUTOINCREMENT, sandbox INTEGER NOT NULL, at INTEGER NOT NULL, process INTEGER NOT NULL,
    session TEXT, command TEXT NOT NULL, took INTEGER, status INTEGER, head BLOB NOT NULL DEFAULT x'',
    tail BLOB NOT NULL DEFAULT x'', written INTEGER NOT NULL DEFAULT 0, state INTEGER);
CREATE INDEX calls_of ON calls(sandbox, number);
";

/// Opens the journal, and makes it if it is new.
pub(crate) fn open(at: &Path) -> Result<Connection> {
    let failed = |error| StoreError::database(at, error);
    let mut connection = connect(at)?;
    connection.busy_timeout(PATIENCE).map_err(failed)?;
    // What a killed process wrote is there; only a power failure costs the last seconds.
    connection
        .execute_batch("PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = 4194304;")
        .map_err(failed)?;
    let mut tries = 0;
    while format(&connection, at)? == 0 {
        match create(&mut connection, at) {
            // Another process makes or reads it, and the database does not wait for everything.
            Err(StoreError::Busy(_)) if tries < TRIES => {
                tries += 1;
                std::thread::sleep(PAUSE);
            }
            made => made?,
        }
    }
    Ok(connection)
}

fn create(connection: &mut Connection, at: &Path) -> Result<()> {
    let failed = |error| StoreError::database(at, error);
    connection.execute_batch("PRAGMA journal_mode = WAL;").map_err(failed)?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
    // Another process may have made the table meanwhile.
    if format(&transaction, at)? == 0 {
        transaction.execute_batch(TABLES).map_err(failed)?;
        transaction.pragma_update(None, "application_id", APPLICATION).map_err(failed)?;
        transaction.pragma_update(None, "user_version", FORMAT).map_err(failed)?;
    }
    transaction.commit().map_err(failed)
}

/// The format, 0 for a new journal.
fn format(connection: &Connection, at: &Path) -> Result<i64> {
    let number = |name: &str| {
        connection
            .pragma_query_value(None, name, |row| row.get::<_, i64>(0))
            .map_err(|error| StoreError::database(at, error))
    };
    match (number("application_id")?, number("user_version")?) {
        (0, 0) => Ok(0),
        (APPLICATION, FORMAT) => Ok(FORMAT),
        (APPLICATION, found) if found > FORMAT => {
            Err(StoreError::Newer { at: at.to_owned(), found, known: FORMAT })
        }
        _ => {
            Err(StoreError::Refused { at: at.to_owned(), why: "it is not a journal of sandshell".to_owned() })
        }
    }
}
