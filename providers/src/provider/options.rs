//! What a sandbox is asked to be.

use std::time::Duration;

/// How to create a sandbox, or which one to return. The default is a new one with the provider's defaults.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CreateOptions {
    /// Returns the sandbox with this id; excludes every other option.
    pub id: Option<String>,
    /// Starts from this snapshot (image, template, blueprint: the provider's word).
    pub snapshot: Option<String>,
    /// Names to find it by.
    pub labels: Vec<(String, String)>,
    /// Ends by itself after this time; `None`: the provider's default.
    pub ttl: Option<Duration>,
    /// Variables that every command sees.
    pub env: Vec<(String, String)>,
    /// Absolute working directory, created if it is missing; `None`: the provider's.
    pub workdir: Option<String>,
    /// Resources.
    pub limits: ResourceLimits,
    /// What it may connect to.
    pub network: NetworkPolicy,
}

/// Resources of a sandbox. `None`: the provider's default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ResourceLimits {
    /// Memory of the whole sandbox, in bytes.
    pub memory: Option<u64>,
    /// Processors, in thousandths.
    pub milli_cpus: Option<u32>,
    /// Space for files, in bytes.
    pub disk: Option<u64>,
    /// Processes at one time.
    pub processes: Option<u32>,
    /// Wall time of a command whose request names none.
    pub timeout: Option<Duration>,
    /// Bytes of output kept of a command whose request names none.
    pub max_output: Option<u64>,
}

/// What a sandbox may connect to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NetworkPolicy {
    /// What the provider does by default (the local one: nothing).
    #[default]
    ProviderDefault,
    /// Nothing.
    Blocked,
    /// Everything.
    Open,
}

/// Which sandboxes to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListOptions {
    /// Where to go on: [`SandboxPage::next_cursor`](crate::SandboxPage::next_cursor).
    pub cursor: Option<String>,
    /// Sandboxes a page at most; `None`: as the provider likes.
    pub limit: Option<usize>,
    /// Only those that have all of these labels.
    pub labels: Vec<(String, String)>,
}

impl NetworkPolicy {
    /// The policy as a word: `blocked`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ProviderDefault => "default",
            Self::Blocked => "blocked",
            Self::Open => "open",
        }
    }
}

impl CreateOptions {
    /// The sandbox with this id.
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

    /// Lets the sandbox end by itself.
    #[must_use]
    pub fn ttl(mut self, ttl: Duration) -> Self {
        self.ttl = Some(ttl);
        self
    }
}

impl ListOptions {
    /// At most this many a page.
    #[must_use]
    pub fn limit(mut self, limit: usize) -> Self {
        self.limit = Some(limit);
        self
    }

    /// Goes on after a page.
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
