//! What local sandboxes are made of.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use sandshell_runtime::{Clock, Limits, Random};
use sandshell_vfs::FileSystem;

/// What every sandbox of a [`LocalProvider`](super::LocalProvider) gets, unless it is created with something else.
///
/// The defaults are:
///
/// * no host directory, an empty `/workspace` as the working directory
/// * `PATH`, `HOME`, `USER`, `LOGNAME`, `LANG` and `SHELL` for the user `user`, and `PWD`; no variable of the host
/// * the host's clock and random numbers
/// * no timeout; 10 MiB of output kept of each command; the kernel's own [`Limits`]
/// * 4 GiB and 200,000 files in memory; 16 GiB written to directories of the host
#[derive(Clone, Debug)]
pub struct LocalOptions {
    /// Filesystems beside the standard tree, mounted in this order.
    pub mounts: Vec<Mount>,
    /// Commands in `/usr/bin` besides the engine's: the name and the file's contents.
    pub commands: Vec<(String, Vec<u8>)>,
    /// Variables added to the default ones, the later of two with one name winning.
    pub env: Vec<(String, String)>,
    /// Absolute working directory; created where it is missing and in memory.
    pub workdir: String,
    /// The name of the machine.
    pub hostname: String,
    /// The kernel's budgets. `wall_time` is not used: see `timeout`.
    pub limits: Limits,
    /// Wall time of a command, with all that it leaves in the background, whose request names none; `None`: no limit.
    pub timeout: Option<Duration>,
    /// Bytes of output kept of a command whose request names none.
    pub max_output: u64,
    /// Budgets of each filesystem in memory: the standard tree, those that are mounted, and what overlays keep.
    /// Default: 4 GiB and 200,000 inodes, so that no command can use up the host's memory.
    pub disk: sandshell_vfs::Limits,
    /// Bytes that a sandbox may write, over its life, to directories of the host that are mounted read-write; see
    /// [`HostBudget`](sandshell_vfs::HostBudget). Default: 16 GiB.
    pub host_disk: Option<u64>,
    /// What the clocks show. [`Clock::Virtual`] makes execution deterministic.
    pub clock: Clock,
    /// Where random numbers come from. [`Random::Seeded`] makes execution deterministic.
    pub random: Random,
}

/// A filesystem at a place of a sandbox.
#[derive(Clone, Debug)]
pub struct Mount {
    /// Absolute path in the sandbox.
    pub at: String,
    /// What is there.
    pub source: MountSource,
}

/// What can be mounted.
#[derive(Clone)]
#[non_exhaustive]
pub enum MountSource {
    /// An empty directory in memory.
    Memory,
    /// A directory of the host, to be looked at.
    HostReadOnly(PathBuf),
    /// A directory of the host, whose changes are made on the host at once. One through which something could be changed that
    /// the engine [withholds](sandshell_runtime::Engine::withheld) is refused.
    HostReadWrite(PathBuf),
    /// A directory of the host, whose changes stay in memory; see
    /// [`LocalSandbox::overlays`](super::LocalSandbox::overlays).
    Overlay(PathBuf),
    /// Any filesystem; shared by all sandboxes and their forks.
    FileSystem(Arc<dyn FileSystem>),
}

impl Default for LocalOptions {
    fn default() -> Self {
        Self {
            mounts: Vec::new(),
            commands: Vec::new(),
            env: Vec::new(),
            workdir: "/workspace".to_owned(),
            hostname: "sandbox".to_owned(),
            limits: Limits::default(),
            timeout: None,
            max_output: 10 << 20,
            disk: sandshell_vfs::Limits {
                bytes: Some(4 << 30),
                inodes: Some(200_000),
                ..sandshell_vfs::Limits::default()
            },
            host_disk: Some(16 << 30),
            clock: Clock::default(),
            random: Random::default(),
        }
    }
}

impl LocalOptions {
    /// Adds a mount.
    #[must_use]
    pub fn mount(mut self, at: impl Into<String>, source: MountSource) -> Self {
        self.mounts.push(Mount { at: at.into(), source });
        self
    }

    /// Adds a variable.
    #[must_use]
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }
}

impl fmt::Debug for MountSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memory => f.write_str("Memory"),
            Self::HostReadOnly(path) => f.debug_tuple("HostReadOnly").field(path).finish(),
            Self::HostReadWrite(path) => f.debug_tuple("HostReadWrite").field(path).finish(),
            Self::Overlay(path) => f.debug_tuple("Overlay").field(path).finish(),
            Self::FileSystem(_) => f.write_str("FileSystem"),
        }
    }
}
