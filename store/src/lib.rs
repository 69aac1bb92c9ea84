//! Keeps sandboxes on disk: their files as content-addressed blobs, and an index of sandboxes, their states and
//! snapshots, in one SQLite database.
//!
//! A file of a stored sandbox is read when it is needed. A commit writes only what changed, in one transaction, and is
//! on the disk when it returns. Snapshots, forks and old states share everything that is equal. Every blob is checked
//! against its name, and every row against its checksum: damage is an error, and never half-read.
//!
//! Any number of processes may use a store. A sandbox has one [writer](Store::lock) at a time. Beside the states there
//! is a [journal](Store::begin_call) of what was executed.
//!
//! With the feature `object-store` a store can also be [shared](Store::shared) by several machines.
#![cfg_attr(test, allow(clippy::unwrap_used, reason = "a test fails by panicking"))]

mod blobs;
mod commit;
mod error;
mod gc;
mod history;
mod journal;
mod names;
mod place;
mod records;
mod sandbox;
mod schema;
mod seal;
#[cfg(feature = "object-store")]
mod shared;
mod snapshot;
mod store;
mod time;
mod watch;
mod writer;

pub use error::{Result, StoreError};
pub use gc::{Checked, Collected};
pub use journal::{Call, CallEnd, Excerpt, OpenCall};
pub use place::User;
pub use records::sandbox::{NewSandbox, Page, Record};
pub use records::snapshot::SnapshotRecord;
pub use records::state::State;
pub use seal::fingerprint;
#[cfg(feature = "object-store")]
pub use shared::{Notes, Secret, Server, Servers};
pub use store::{SandboxLock, SharedOptions, Store};
pub use watch::Watch;
