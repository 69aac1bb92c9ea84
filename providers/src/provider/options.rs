//! Options for creating and listing sandboxes.

use std::time::Duration;

/// How to create a sandbox, or which one to return. The default is a new one with the provider's defaults.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CreateOptions {
    /// Returns the sandbox with this id; excludes every other option.
    pub id: Option<String>,
    /// Starts from this snapshot (image, template, blueprint: the provider's word).
    pub snapshot: Option<String>,
    /// Names and values to find it by.
    pub labels: Vec<(String, String)>,
    /// The time after which it ends by itself; `None`: the provider's default. A local sandbox that is kept on disk is
    /// then only there until it is used again, and the time counts from its last use.
    pub ttl: Option<Duration>,
    /// Environment variables for every command.
    pub env: Vec<(String, String)>,
    /// The absolute working directory, created if it is missing; `None`: the provider's default.
    pub workdir: Option<String>,
    /// Limits of its resources.
    pub limits: ResourceLimits,
    /// Its access to the network.
    pub network: NetworkPolicy,
}

/// Limits of a sandbox's resources. `None` means the provider's default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ResourceLimits {
    /// Memory of the whole sandbox, in bytes.
    pub memory: Option<u64>,
    /// Processors, in thousandths of one.
    pub milli_cpus: Option<u32>,
    /// Space for files, in bytes.
    pub disk: Option<u64>,
    /// The number of processes at a time.
    pub processes: Option<u32>,
    /// The default time limit of a command, in wall time. A request can set another one.
    pub timeout: Option<Duration>,
    /// How many bytes of a command's output are kept by default. A request can set another limit.
    pub max_output: Option<u64>,
    /// How long the sandbox exists at most, in use or not.
    pub hard_ttl: Option<Duration>,
}

/// A sandbox's access to the network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NetworkPolicy {
    /// The provider's default. For the local provider, this is no access.
    #[default]
    ProviderDefault,
    /// No access.
    Blocked,
    /// Access to everything.
    Open,
}

/// Which sandboxes to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListOptions {
    /// Where to continue: the [`SandboxPage::next_cursor`](crate::SandboxPage::next_cursor) of the previous page.
    pub cursor: Option<String>,
    /// The most sandboxes on a page; `None`: the provider's default.
    pub limit: Option<usize>,
    /// Only those that have all of these labels.
    pub labels: Vec<(String, String)>,
}

impl NetworkPolicy {
    /// The policy's name, such as `blocked`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ProviderDefault => "default",
            Self::Blocked => "blocked",
            Self::Open => "open",
        }
    }
}

impl CreateOptions {
    /// Options that return the existing sandbox with this id.
    pub fn existing(id: impl Into<String>) -> Self {
        Self { id: Some(id.into()), ..Self::default() }
    }

    /// Starts from a snapshot.
    #[must_use]
    pub fn snapshot(mut self, snapshot: impl Into<String>) -> Self {
        self.snapshot = Some(snapshot.into());
        self
    }

    /// Adds a label.
    #[must_use]
    pub fn label(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.labels.push((name.into(), value.into()));
        self
    }

    /// Adds a variable.
    #[must_use]
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    /// Sets the working directory.
    #[must_use]
    pub fn workdir(mut self, workdir: impl Into<String>) -> Self {
        self.workdir = Some(workdir.into());
        self
    }

    /// Makes the sandbox end by itself after this time.
    #[must_use]
    pub fn ttl(mut self, ttl: Duration) -> Self {
        self.ttl = Some(ttl);
        self
    }
}

impl ListOptions {
    /// Sets the most sandboxes on a page.
    #[must_use]
    pub fn limit(mut self, limit: usize) -> Self {
        self.limit = Some(limit);
        self
    }

    /// Continues after the page with this `next_cursor`.
    #[must_use]
    pub fn cursor(mut self, cursor: impl Into<String>) -> Self {
        self.cursor = Some(cursor.into());
        self
    }

    /// Only sandboxes with this label.
    #[must_use]
    pub fn label(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.labels.push((name.into(), value.into()));
        self
    }
}
