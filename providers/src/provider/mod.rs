//! Creates, lists and deletes sandboxes.

mod options;

use std::fmt::Debug;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;

pub use options::{CreateOptions, ListOptions, NetworkPolicy, ResourceLimits};

use crate::capabilities::capability_table;
use crate::{Error, Result, Sandbox};

/// A service, or a library, that sandboxes come from.
///
/// # Contract
///
/// * Making a provider needs no credentials and touches no network: its metadata can be shown without. What is
///   missing is said by the first call that needs it ([`ErrorKind::Unauthenticated`](crate::ErrorKind)).
/// * A sandbox is ready for `execute` when it is returned.
/// * Methods may be called from many tasks at once.
/// * An operation whose [`ProviderCapabilities`] flag is off returns
///   [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported), which is what the defaults do.
#[async_trait]
pub trait SandboxProvider: Debug + Send + Sync + 'static {
    /// Name, working directory and capabilities. Constant.
    fn metadata(&self) -> ProviderMetadata;

    /// Creates a sandbox; with [`CreateOptions::id`], returns the one that has this id instead, unchanged.
    ///
    /// # Errors
    ///
    /// `NotFound` for an id or a snapshot that does not exist (an id is never taken for a new sandbox),
    /// `InvalidRequest` for options that exclude each other, `Unsupported` for an option that this provider
    /// lacks: no option is ignored.
    async fn get_or_create(&self, options: CreateOptions) -> Result<Arc<dyn Sandbox>>;

    /// One page of the sandboxes there are, oldest first as far as the service sorts.
    ///
    /// # Errors
    ///
    /// `InvalidRequest` for a cursor that this provider did not give out.
    async fn list(&self, options: ListOptions) -> Result<SandboxPage> {
        let _ = options;
        Err(self.unsupported("list"))
    }

    /// Ends a sandbox and forgets its files. A sandbox that is not there counts as deleted.
    async fn delete(&self, id: &str) -> Result<()>;

    /// Keeps the state of a sandbox, which runs on. The snapshot lives until
    /// [`delete_snapshot`](Self::delete_snapshot).
    async fn snapshot(&self, id: &str, name: Option<&str>) -> Result<SnapshotInfo> {
        let _ = (id, name);
        Err(self.unsupported("snapshot"))
    }

    /// Puts a sandbox back to a snapshot of its own, keeping its id; what happened since is lost.
    /// (For a new sandbox from a snapshot: [`CreateOptions::snapshot`].)
    async fn restore(&self, id: &str, snapshot: &str) -> Result<()> {
        let _ = (id, snapshot);
        Err(self.unsupported("restore"))
    }

    /// Removes a snapshot. One that is not there counts as removed.
    async fn delete_snapshot(&self, snapshot: &str) -> Result<()> {
        let _ = snapshot;
        Err(self.unsupported("delete_snapshot"))
    }

    /// A new sandbox with the files of this one, which then go separate ways.
    async fn fork(&self, id: &str) -> Result<Arc<dyn Sandbox>> {
        let _ = id;
        Err(self.unsupported("fork"))
    }

    /// Stops a sandbox, keeping what is in it, until [`resume`](Self::resume).
    async fn pause(&self, id: &str) -> Result<()> {
        let _ = id;
        Err(self.unsupported("pause"))
    }

    /// Lets a paused sandbox go on. One that is running stays so.
    async fn resume(&self, id: &str) -> Result<()> {
        let _ = id;
        Err(self.unsupported("resume"))
    }

    /// Lets a sandbox end by itself after `ttl` from now; `None`: never.
    async fn set_ttl(&self, id: &str, ttl: Option<Duration>) -> Result<()> {
        let _ = (id, ttl);
        Err(self.unsupported("set_ttl"))
    }

    /// The error for a missing capability.
    fn unsupported(&self, capability: &str) -> Error {
        Error::unsupported(&format!("provider {}", self.metadata().name), capability)
    }
}

/// What is known of a provider before it is used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProviderMetadata {
    /// The name it is chosen by: `local`, `daytona`.
    pub name: String,
    /// The working directory of a sandbox that was created without one; absolute.
    pub working_dir: String,
    /// What the provider can do.
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
        /// Labels are kept and can be filtered by.
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
        /// [`CreateOptions::ttl`] alone: it cannot be changed later.
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
    /// Whether it is running.
    pub state: SandboxState,
    /// Its labels, sorted by name.
    pub labels: Vec<(String, String)>,
    /// When it was created.
    pub created_at: Option<SystemTime>,
}

/// What a sandbox is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SandboxState {
    /// It is being made ready.
    Starting,
    /// It takes commands.
    Running,
    /// It keeps its files and waits for `resume`.
    Paused,
    /// It has ended.
    Ended,
    /// The service has another word for it.
    Unknown,
}

/// A kept state.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SnapshotInfo {
    /// For [`CreateOptions::snapshot`] and [`SandboxProvider::restore`].
    pub id: String,
    /// The name it was given.
    pub name: Option<String>,
}

impl SandboxState {
    /// All of them.
    pub const ALL: &'static [Self] =
        &[Self::Starting, Self::Running, Self::Paused, Self::Ended, Self::Unknown];

    /// The state as a word: `running`.
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
    /// A provider of this name.
    pub fn new(
        name: impl Into<String>,
        working_dir: impl Into<String>,
        capabilities: ProviderCapabilities,
    ) -> Self {
        Self { name: name.into(), working_dir: working_dir.into(), capabilities }
    }
}

impl SandboxPage {
    /// A page with what comes after it.
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
