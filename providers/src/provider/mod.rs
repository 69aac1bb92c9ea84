//! Creates, lists and deletes sandboxes.

mod options;

use std::fmt::Debug;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;

pub use options::{CreateOptions, ListOptions, NetworkPolicy, ResourceLimits};

use crate::capabilities::capability_table;
use crate::{Error, Result, Sandbox};

/// A service or library that creates sandboxes.
///
/// # Contract
///
/// * Making a provider needs no credentials and does not use the network, so its metadata can always be shown. The
///   first call that needs missing credentials returns [`ErrorKind::Unauthenticated`](crate::ErrorKind).
/// * A sandbox is ready for `execute` when it is returned.
/// * Methods may be called from many tasks at once.
/// * An operation whose [`ProviderCapabilities`] flag is off returns
///   [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported). The default implementations do this.
#[async_trait]
pub trait SandboxProvider: Debug + Send + Sync + 'static {
    /// The provider's name, working directory and capabilities. They never change.
    fn metadata(&self) -> ProviderMetadata;

    /// Creates a sandbox. With [`CreateOptions::id`], returns the existing one with this id instead, unchanged.
    ///
    /// # Errors
    ///
    /// `NotFound` for an id or a snapshot that does not exist (a new sandbox never gets a given id),
    /// `InvalidRequest` for options that exclude each other, `Unsupported` for an option that this provider lacks.
    /// No option is ignored.
    async fn get_or_create(&self, options: CreateOptions) -> Result<Arc<dyn Sandbox>>;

    /// One page of the existing sandboxes, oldest first if the service sorts them.
    ///
    /// # Errors
    ///
    /// `InvalidRequest` for a cursor that did not come from this provider.
    async fn list(&self, options: ListOptions) -> Result<SandboxPage> {
        let _ = options;
        Err(self.unsupported("list"))
    }

    /// Ends a sandbox and deletes its files. It is no error if the sandbox does not exist.
    async fn delete(&self, id: &str) -> Result<()>;

    /// Takes a snapshot of a sandbox, which goes on running. The snapshot exists until
    /// [`delete_snapshot`](Self::delete_snapshot).
    async fn snapshot(&self, id: &str, name: Option<&str>) -> Result<SnapshotInfo> {
        let _ = (id, name);
        Err(self.unsupported("snapshot"))
    }

    /// Puts a sandbox back to one of its own snapshots. It keeps its id; later changes are lost. (For a new sandbox
    /// from a snapshot, use [`CreateOptions::snapshot`].)
    async fn restore(&self, id: &str, snapshot: &str) -> Result<()> {
        let _ = (id, snapshot);
        Err(self.unsupported("restore"))
    }

    /// Deletes a snapshot. It is no error if the snapshot does not exist.
    async fn delete_snapshot(&self, snapshot: &str) -> Result<()> {
        let _ = snapshot;
        Err(self.unsupported("delete_snapshot"))
    }

    /// Creates a sandbox with a copy of the files of this one. Later changes to either do not affect the other.
    async fn fork(&self, id: &str) -> Result<Arc<dyn Sandbox>> {
        let _ = id;
        Err(self.unsupported("fork"))
    }

    /// Stops a sandbox until [`resume`](Self::resume), and keeps what is in it.
    async fn pause(&self, id: &str) -> Result<()> {
        let _ = id;
        Err(self.unsupported("pause"))
    }

    /// Resumes a paused sandbox. It is no error if it is already running.
    async fn resume(&self, id: &str) -> Result<()> {
        let _ = id;
        Err(self.unsupported("resume"))
    }

    /// Makes a sandbox end by itself when `ttl` from now has passed; `None`: never.
    async fn set_ttl(&self, id: &str, ttl: Option<Duration>) -> Result<()> {
        let _ = (id, ttl);
        Err(self.unsupported("set_ttl"))
    }

    /// The error for a missing capability.
    fn unsupported(&self, capability: &str) -> Error {
        Error::unsupported(&format!("provider {}", self.metadata().name), capability)
    }
}

/// Facts about a provider that are known before it is used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProviderMetadata {
    /// The name by which it is chosen, such as `local` or `daytona`.
    pub name: String,
    /// The working directory of a sandbox that was created without one; absolute.
    pub working_dir: String,
    /// The provider's capabilities.
    pub capabilities: ProviderCapabilities,
}

capability_table! {
    /// What a [`SandboxProvider`] can do. Everything is off by default.
    ProviderCapabilities {
        /// Sandboxes and snapshots end with the process that made them.
        ephemeral,
        /// A sandbox can be found again by its id.
        reattach,
        /// [`SandboxProvider::list`].
        list,
        /// Labels are stored, and lists can be filtered by them.
        labels,
        /// [`SandboxProvider::snapshot`], and creating from one.
        snapshot,
        /// [`SandboxProvider::restore`].
        restore,
        /// [`SandboxProvider::fork`].
        fork,
        /// [`SandboxProvider::pause`] and [`SandboxProvider::resume`].
        pause,
        /// [`SandboxProvider::set_ttl`] and [`CreateOptions::ttl`].
        ttl,
        /// [`CreateOptions::ttl`] only: it cannot be changed later.
        create_ttl,
        /// [`CreateOptions::env`].
        env,
        /// [`CreateOptions::workdir`].
        workdir,
        /// [`CreateOptions::limits`].
        limits,
        /// [`CreateOptions::network`] other than the default.
        network,
    }
}

/// One page of a listing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SandboxPage {
    /// The sandboxes of this page.
    pub sandboxes: Vec<SandboxInfo>,
    /// For [`ListOptions::cursor`], to get the next page; `None` at the end.
    pub next_cursor: Option<String>,
}

/// A sandbox in a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SandboxInfo {
    /// Its id.
    pub id: String,
    /// Its state.
    pub state: SandboxState,
    /// Its labels, sorted by name.
    pub labels: Vec<(String, String)>,
    /// When it was created.
    pub created_at: Option<SystemTime>,
}

/// The state of a sandbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SandboxState {
    /// It is starting and not ready yet.
    Starting,
    /// It accepts commands.
    Running,
    /// It keeps its files and waits for `resume`.
    Paused,
    /// It has ended.
    Ended,
    /// The service reports a state that is none of these.
    Unknown,
}

/// A snapshot of a sandbox.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SnapshotInfo {
    /// The id, for [`CreateOptions::snapshot`] and [`SandboxProvider::restore`].
    pub id: String,
    /// The name that was given to it, if any.
    pub name: Option<String>,
}

impl SandboxState {
    /// All states.
    pub const ALL: &'static [Self] =
        &[Self::Starting, Self::Running, Self::Paused, Self::Ended, Self::Unknown];

    /// The state's name, such as `running`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Starting => "starting",
            Self::Running => "running",
            Self::Paused => "paused",
            Self::Ended => "ended",
            Self::Unknown => "unknown",
        }
    }
}

impl ProviderMetadata {
    /// The metadata of a provider.
    pub fn new(
        name: impl Into<String>,
        working_dir: impl Into<String>,
        capabilities: ProviderCapabilities,
    ) -> Self {
        Self { name: name.into(), working_dir: working_dir.into(), capabilities }
    }
}

impl SandboxPage {
    /// A page, and the cursor of the next one.
    pub fn new(sandboxes: Vec<SandboxInfo>, next_cursor: Option<String>) -> Self {
        Self { sandboxes, next_cursor }
    }
}

impl SandboxInfo {
    /// A sandbox without labels, created at an unknown time.
    pub fn new(id: impl Into<String>, state: SandboxState) -> Self {
        Self { id: id.into(), state, labels: Vec::new(), created_at: None }
    }
}

impl SnapshotInfo {
    /// A snapshot without a name.
    pub fn new(id: impl Into<String>) -> Self {
        Self { id: id.into(), name: None }
    }
}
