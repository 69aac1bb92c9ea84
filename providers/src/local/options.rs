//! Options of local sandboxes.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use sandshell_runtime::{Clock, Limits, Random};
use sandshell_store::SharedOptions;
use sandshell_vfs::FileSystem;

/// The options of every sandbox of a [`LocalProvider`](super::LocalProvider), unless a sandbox is created with
/// other ones.
///
/// The defaults are:
///
/// * no host directory, an empty `/workspace` as the working directory
/// * `PATH`, `HOME`, `USER`, `LOGNAME`, `LANG` and `SHELL` for the user `user`, and `PWD`; no variable of the host
/// * the host's clock and random numbers
/// * no timeout; 10 MiB of output kept of each command; the kernel's own [`Limits`]
/// * sandboxes in memory only
/// * 4 GiB and 200,000 files in memory; 16 GiB written to directories of the host
#[derive(Clone, Debug)]
pub struct LocalOptions {
    /// Filesystems in addition to the standard tree, mounted in this order.
    pub mounts: Vec<Mount>,
    /// Commands in `/usr/bin` in addition to the engine's: each has a name and the file's contents.
    pub commands: Arc<Vec<(String, Vec<u8>)>>,
    /// Variables added to the default ones. Of two with the same name, the later one wins.
    pub env: Vec<(String, String)>,
    /// The absolute working directory. If it is missing, it is created, provided that it lies in a filesystem in
    /// memory.
    pub workdir: String,
    /// The name of the machine.
    pub hostname: String,
    /// The kernel's limits. `wall_time` is not used: see `timeout`.
    pub limits: Limits,
    /// The default time limit for a command and all processes that it leaves in the background, in wall time;
    /// `None`: no limit. A request can set another one.
    pub timeout: Option<Duration>,
    /// How many bytes of a command's output are kept by default. A request can set another limit.
    pub max_output: u64,
    /// The limits of each filesystem in memory: the standard tree, mounted ones, and the changes in each overlay.
    /// Default: 4 GiB and 200,000 inodes, so that no command can use up the host's memory.
    pub disk: sandshell_vfs::Limits,
    /// How many bytes a sandbox may write in its whole life to directories of the host that are mounted read-write;
    /// see [`HostBudget`](sandshell_vfs::HostBudget). Default: 16 GiB.
    pub host_disk: Option<u64>,
    /// The sandbox's clock. [`Clock::Virtual`] makes execution deterministic.
    pub clock: Clock,
    /// Keeps sandboxes in this directory, which is made if it is missing: they outlive the process. `None`, the
    /// default: they are only in memory.
    pub data_dir: Option<PathBuf>,
    /// With `data_dir`: the sandboxes are in this object store, where other machines use them, too, and the directory
    /// is only a cache. Needs the feature `object-store`. `None`, the default: they are in the directory.
    pub shared: Option<SharedOptions>,
    /// With `data_dir`: whether sandboxes that are created keep the mounts of directories of the host. Default: false.
    pub keep_mounts: bool,
    /// With `data_dir`, and not in an object store: whether the mounts that sandboxes keep are used when they are
    /// opened, unless something else is mounted there. They can be any directory of the host, so this is only for a
    /// `data_dir` that nobody else can have written, or given to the user. Default: false.
    pub trust_mounts: bool,
    /// With `data_dir`: after how long without use a sandbox is only on disk, until it is used again; its processes are
    /// ended. `None`: never. Default: an hour.
    pub ttl: Option<Duration>,
    /// With `data_dir`: how long a sandbox exists at most. `None`: for ever. Default: 30 days.
    pub hard_ttl: Option<Duration>,
    /// The source of random numbers. [`Random::Seeded`] makes execution deterministic.
    pub random: Random,
}

/// A filesystem mounted at a path of a sandbox.
#[derive(Clone, Debug)]
pub struct Mount {
    /// Absolute path in the sandbox.
    pub at: String,
    /// What is mounted.
    pub source: MountSource,
}

/// What can be mounted.
#[derive(Clone)]
#[non_exhaustive]
pub enum MountSource {
    /// An empty directory in memory.
    Memory,
    /// A directory of the host, read-only.
    HostReadOnly(PathBuf),
    /// A directory of the host, read-write: changes are made on the host at once. It is refused if the sandbox
    /// could change something through it that the engine [withholds](sandshell_runtime::Engine::withheld).
    HostReadWrite(PathBuf),
    /// A directory of the host; changes stay in memory; see
    /// [`LocalSandbox::overlays`](super::LocalSandbox::overlays).
    Overlay(PathBuf),
    /// Any filesystem, shared by all sandboxes of the provider and their forks.
    FileSystem(Arc<dyn FileSystem>),
}

impl Default for LocalOptions {
    fn default() -> Self {
        Self {
            mounts: Vec::new(),
            commands: Arc::default(),
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
            data_dir: None,
            shared: None,
            keep_mounts: false,
            trust_mounts: false,
            ttl: Some(Duration::from_secs(3600)),
            hard_ttl: Some(Duration::from_secs(30 * 24 * 3600)),
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

    /// Keeps sandboxes in this directory.
    #[must_use]
    pub fn data_dir(mut self, directory: impl Into<PathBuf>) -> Self {
        self.data_dir = Some(directory.into());
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
