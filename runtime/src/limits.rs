//! Budgets, and the errors that name them.

use std::time::Duration;

/// What a sandbox may use. Every budget has its own [`Limit`] error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Wall time of a command that gives no timeout of its own. Default: none.
    pub wall_time: Option<Duration>,
    /// Instructions (wasmtime fuel) of one command and everything it started. Default: none. Setting it selects metered code.
    pub fuel: Option<u64>,
    /// Linear memory and tables of one process, in bytes. Default 1 GiB; at most 4 GiB.
    pub process_memory: u64,
    /// Linear memory and tables of all processes of the sandbox together, in bytes. Default 4 GiB.
    pub sandbox_memory: u64,
    /// Processes that exist at once. Default 256.
    pub processes: u32,
    /// Descriptors of one process (`RLIMIT_NOFILE`). Default 1024.
    pub descriptors: u32,
    /// Pipes that exist at once, 64 KiB each. Default 1024.
    pub pipes: u32,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            wall_time: None,
            fuel: None,
            process_memory: 1 << 30,
            sandbox_memory: 4 << 30,
            processes: 256,
            descriptors: 1024,
            pipes: 1024,
        }
    }
}

/// A budget that was used up, with its configured value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Limit {
    /// The command ran longer than this.
    #[error("wall time limit of {0:?} exceeded")]
    WallTime(Duration),
    /// The command executed more instructions than this.
    #[error("fuel limit of {0} instructions exceeded")]
    Fuel(u64),
    /// A process asked for more memory than this.
    #[error("process memory limit of {0} bytes exceeded")]
    ProcessMemory(u64),
    /// The sandbox's processes together asked for more memory than this.
    #[error("sandbox memory limit of {0} bytes exceeded")]
    SandboxMemory(u64),
    /// A process recursed so deeply that its stack became larger than this; it ended by SIGSEGV.
    #[error("stack limit of {0} bytes exceeded")]
    Stack(u64),
    /// More processes than this were asked for.
    #[error("process limit of {0} exceeded")]
    Processes(u32),
    /// All sandboxes of the engine together have room for this many processes, and what was left is kept for the others.
    #[error("no room for another process: all sandboxes of this program together have {0}")]
    AllProcesses(u32),
    /// The engine's pool of memories, tables and stacks was used up.
    #[error("the pool of memories and tables of this program is used up")]
    Pool,
    /// More files of the host's directories were opened than the sandbox may hold.
    #[error("limit of open files in mounted directories exceeded")]
    HostDescriptors,
    /// A process asked for more descriptors than this.
    #[error("descriptor limit of {0} exceeded")]
    Descriptors(u32),
    /// More pipes than this were asked for.
    #[error("pipe limit of {0} exceeded")]
    Pipes(u32),
    /// More output than this was written.
    #[error("output limit of {0} bytes exceeded")]
    Output(u64),
    /// A filesystem's space was used up.
    #[error("no space left on a filesystem of the sandbox")]
    DiskBytes,
    /// A filesystem's quota was used up.
    #[error("disk quota of a filesystem of the sandbox exceeded")]
    DiskQuota,
}
