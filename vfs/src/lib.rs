//! The virtual filesystem of sandshell: the files that a sandbox sees.
//!
//! A [`Namespace`] is a tree of mounted [`FileSystem`]s with one resolver of paths, which follows Linux to the error
//! number: symbolic links, `..`, mode bits, the sticky bit, trailing slashes. Paths are bytes.
//!
//! This crate depends on no WebAssembly and no async runtime. Nothing of the host is visible except directories that
//! were mounted.
#![cfg_attr(test, allow(clippy::unwrap_used, reason = "a test fails by panicking"))]

mod blob;
mod change;
mod errno;
mod filesystem;
mod host;
mod locks;
mod memory;
mod name;
mod namespace;
mod overlay;
mod patch;
mod permit;
mod quote;
mod synthetic;
mod template;
mod time_budget;
mod types;
#[cfg(feature = "vfs-crate")]
mod vfs_crate;

pub use blob::{BlobId, BlobSink, BlobSource};
pub use change::{Change, ChangeKind};
pub use errno::{Errno, Result};
pub use filesystem::{Access, FileSystem, LinkTarget, NewBody, NewNode, Node, RenameHow, Walk};
pub use host::{HostAccess, HostBudget, HostDir, OpenError, Withheld, check_leads_to};
pub use host::{names as host_names, private as host_private};
pub use locks::{HostLock, HostLocks};
pub use memory::{BlobKind, Limits, MemoryFs, MemoryFsBuilder, Persisted, Snapshot, Usage, references};
pub use name::Name;
pub use namespace::{Location, MountInfo, Namespace, Opened, Surveyed, Surveyor};
pub use overlay::{
    Application, ApplyError, Conflict, ConflictReason, DiffError, Journals, Overlay, Recovered, Recovery,
    Safeguards, apply_together,
};
pub use patch::{MAX_SHOWN, patch_between, text_diff};
pub use quote::quoted;
pub use synthetic::{Generator, MagicLink, SyntheticBody, SyntheticDirectory, SyntheticFs, SyntheticNode};
pub use template::{StandardTree, device_tree, standard_tree};
pub use time_budget::{GivenUp, briefly, is_given_up, may_wait, until};
pub use types::{
    Context, DirEntry, File, FileKey, FileKind, FixedClock, Follow, HostClock, MAX_PATH, Metadata,
    MountOptions, OpenOptions, SetAttributes, SetTime, StatFs, Time, TimeSource,
};
#[cfg(feature = "vfs-crate")]
pub use vfs_crate::ImportedFs;
