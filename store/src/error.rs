//! What can go wrong with a store.

use std::path::PathBuf;
use std::time::SystemTime;

/// The result of a call to the store.
pub type Result<T, E = StoreError> = std::result::Result<T, E>;

/// A call to the store failed. Nothing of it happened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// There is no such sandbox.
    #[error("there is no sandbox {0}")]
    NoSandbox(String),
    /// There is no such snapshot.
    #[error("there is no snapshot {0}")]
    NoSnapshot(String),
    /// The sandbox has no such state.
    #[error("the sandbox {0} has no state {1}: `log` lists those that were kept")]
    NoState(String, u64),
    /// The sandbox was deleted while it was used.
    #[error("the sandbox {0} has been deleted")]
    Deleted(String),
    /// A snapshot of this name exists.
    #[error("there is a snapshot {0} already")]
    NameTaken(String),
    /// A name that cannot be used.
    #[error("{0:?} cannot be the name of a snapshot: {1}")]
    BadName(String, &'static str),
    /// Somebody else uses the sandbox.
    #[error("the sandbox {id} is in use{}", .by.map(|pid| format!(" by process {pid}")).unwrap_or_default())]
    InUse {
        /// The sandbox.
        id: String,
        /// The process that uses it, if it is another one.
        by: Option<u32>,
    },
    /// Another host has the sandbox's lease.
    #[error("the sandbox {id} is in use on {holder}, until that ends or for at most {} more seconds if it is not renewed", seconds(.until))]
    Leased {
        /// The sandbox.
        id: String,
        /// The machine and the process.
        holder: String,
        /// When the lease ends if it is not renewed.
        until: SystemTime,
    },
    /// Another process has the notes of this name.
    #[error("{holder} has {name}, until it ends or for at most {} more seconds if it is not heard of", seconds(.until))]
    Claimed {
        /// The name of the notes.
        name: String,
        /// The machine and the process.
        holder: String,
        /// When the claim ends if it is not renewed.
        until: SystemTime,
    },
    /// This host had the sandbox's lease, but did not renew it in time.
    #[error(
        "the lease of the sandbox {id} was lost{}: what was not stored before is lost",
        .by.as_ref().map(|by| format!(" to {by}")).unwrap_or_default()
    )]
    LeaseLost {
        /// The sandbox.
        id: String,
        /// Who has it now, if somebody has.
        by: Option<String>,
    },
    /// The object store does not answer.
    #[error("{}: the object store cannot be reached: {why}", .at.display())]
    Unreachable {
        /// The store's address.
        at: PathBuf,
        /// Why.
        why: String,
    },
    /// A cursor that no listing returned.
    #[error("unknown cursor {0}")]
    BadCursor(String),
    /// A newer program made the store.
    #[error("{}: the store has format {found}, and this program knows formats up to {known}: use a newer sandshell", .at.display())]
    Newer {
        /// The store.
        at: PathBuf,
        /// Its format.
        found: i64,
        /// The newest format that is known.
        known: i64,
    },
    /// The directory holds something else.
    #[error("{}: {why}", .at.display())]
    Refused {
        /// The directory or file.
        at: PathBuf,
        /// Why it is not used.
        why: String,
    },
    /// Another process writes all the time.
    #[error("{}: another process writes to the store for too long", .0.display())]
    Busy(PathBuf),
    /// The disk is full.
    #[error("{}: the disk is full", .0.display())]
    Full(PathBuf),
    /// What is stored is damaged.
    #[error("{}: the store is damaged: {what}; `sandshell gc --check` tells what is affected", .at.display())]
    Damaged {
        /// The store.
        at: PathBuf,
        /// What was found.
        what: String,
    },
    /// The host's system refused something.
    #[error("{}: {source}", .at.display())]
    Io {
        /// The file.
        at: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The database refused something.
    #[error("{}: {source}", .at.display())]
    Database {
        /// The store.
        at: PathBuf,
        /// Why.
        source: rusqlite::Error,
    },
    /// Garbage is being collected by somebody else.
    #[error("{}: garbage is being collected{}", .at.display(), .by.map(|pid| format!(" by process {pid}")).unwrap_or_default())]
    Collecting {
        /// The store.
        at: PathBuf,
        /// The process that does it, if it is another one.
        by: Option<u32>,
    },
    /// Garbage was collected between two parts of a commit; it begins again.
    #[error("what a commit needs was removed again and again")]
    Collected,
    /// A filesystem could not be read or stored.
    #[error("the files could not be stored: {0}")]
    Files(sandshell_vfs::Errno),
    /// The thread that writes is gone.
    #[error("the store has been closed")]
    Closed,
    /// Another call of the same transaction could not be made durable.
    #[error("{0}")]
    Together(String),
}

/// Seconds until then, rounded up.
fn seconds(until: &SystemTime) -> u64 {
    until
        .duration_since(SystemTime::now())
        .map_or(0, |left| left.as_millis().div_ceil(1000).try_into().unwrap_or(u64::MAX))
}

impl StoreError {
    /// The error for something that the database reported.
    pub(crate) fn database(at: &std::path::Path, source: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode as Code;
        let at = at.to_owned();
        match source.sqlite_error_code() {
            Some(Code::DiskFull) => Self::Full(at),
            Some(Code::DatabaseCorrupt | Code::NotADatabase) => {
                Self::Damaged { at, what: source.to_string() }
            }
            Some(Code::CannotOpen) => {
                Self::Refused { at, why: "it cannot be opened; is the disk read-only or full?".to_owned() }
            }
            Some(Code::DatabaseBusy) => Self::Busy(at),
            Some(Code::ReadOnly) => Self::Refused { at, why: "it cannot be written to".to_owned() },
            _ => Self::Database { at, source },
        }
    }

    /// The same error for another call that was in the same transaction.
    pub(crate) fn again(&self) -> Self {
        match self {
            Self::Full(at) => Self::Full(at.clone()),
            other => Self::Together(other.to_string()),
        }
    }
}
