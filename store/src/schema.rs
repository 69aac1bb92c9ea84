//! The tables, and the version of the format.

use crate::error::{Result, StoreError};
use crate::place::private_database;
use rusqlite::{Connection, OpenFlags, TransactionBehavior};
use std::path::Path;
use std::time::Duration;

/// The newest format that this program writes and reads; `docs/store-format.md` lists them.
pub(crate) const FORMAT: i64 = 1;

/// "sand" in ASCII: tells a store from other databases.
const APPLICATION: i64 = 0x7361_6e64;

/// How long a process waits for another one that writes.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

const TABLES: &str = "
CREATE TABLE blobs(id BLOB NOT NULL PRIMARY KEY, bytes BLOB NOT NULL);
CREATE TABLE sandboxes(
    number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, head BLOB NOT NULL, state INTEGER NOT NULL,
    created INTEGER NOT NULL, used INTEGER NOT NULL, ttl INTEGER, ends INTEGER, paused INTEGER NOT NULL,
    labels TEXT NOT NULL, options TEXT NOT NULL, seal BLOB NOT NULL);
CREATE INDEX sandboxes_end ON sandboxes(ends) WHERE ends IS NOT NULL;
CREATE TABLE labels(
    name TEXT NOT NULL, value TEXT NOT NULL, sandbox INTEGER NOT NULL, PRIMARY KEY(name, value, sandbox)) WITHOUT ROWID;
CREATE TABLE states(
    sandbox INTEGER NOT NULL, state INTEGER NOT NULL, root BLOB NOT NULL, at INTEGER NOT NULL, what TEXT NOT NULL,
    seal BLOB NOT NULL, PRIMARY KEY(sandbox, state)) WITHOUT ROWID;
CREATE TABLE snapshots(
    number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, name TEXT UNIQUE, root BLOB NOT NULL,
    created INTEGER NOT NULL, options TEXT NOT NULL, seal BLOB NOT NULL);
CREATE TABLE templates(key TEXT NOT NULL PRIMARY KEY, root BLOB NOT NULL, seal BLOB NOT NULL) WITHOUT ROWID;
";

/// Opens a database, and makes an empty file if there is none. Only this user may read it.
pub(crate) fn connect(at: &Path) -> Result<Connection> {
    // The database says better why it cannot be made.
    let _ = private_database(at);
    let failed = |error| StoreError::database(at, error);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let connection = Connection::open_with_flags(at, flags).map_err(failed)?;
    connection.busy_timeout(PATIENCE).map_err(failed)?;
    Ok(connection)
}

/// Opens the database, and makes it if it is new.
pub(crate) fn open(at: &Path) -> Result<Connection> {
    let failed = |error| StoreError::database(at, error);
    let mut connection = connect(at)?;
    let mut tries = 0;
    while version(&connection, at)? == 0 {
        match create(&mut connection, at) {
            // Another process makes the tables, and the database does not wait for everything.
            Err(StoreError::Busy(_)) if tries < 500 => {
                tries += 1;
                std::thread::sleep(Duration::from_millis(10));
            }
            made => made?,
        }
    }
    // Every commit is on the disk before it is acknowledged.
    connection.execute_batch("PRAGMA synchronous = FULL;").map_err(failed)?;
    Ok(connection)
}

/// The format of the database, 0 for a new one.
fn version(connection: &Connection, at: &Path) -> Result<i64> {
    let failed = |error| StoreError::database(at, error);
    let number = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let (application, version) =
        (number("application_id").map_err(failed)?, number("user_version").map_err(failed)?);
    let tables: i64 =
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).map_err(failed)?;
    match (application, version) {
        (0, 0) if tables == 0 => Ok(0),
        (APPLICATION, found) if found > FORMAT => {
            Err(StoreError::Newer { at: at.to_owned(), found, known: FORMAT })
        }
        (APPLICATION, found) if found > 0 => Ok(found),
        _ => Err(StoreError::Refused { at: at.to_owned(), why: "it is not a store of sandshell".to_owned() }),
    }
}

fn create(connection: &mut Connection, at: &Path) -> Result<()> {
    let failed = |error| StoreError::database(at, error);
    // These are kept in the file; the first two only have an effect while it is empty.
    connection
        .execute_batch(
            "PRAGMA page_size = 4096; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL;",
        )
        .map_err(failed)?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
    // Another process may have made the tables meanwhile.
    if version(&transaction, at)? == 0 {
        transaction.execute_batch(TABLES).map_err(failed)?;
        transaction.pragma_update(None, "application_id", APPLICATION).map_err(failed)?;
        transaction.pragma_update(None, "user_version", FORMAT).map_err(failed)?;
    }
    transaction.commit().map_err(failed)
}
