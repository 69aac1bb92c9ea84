//! Limits, and the errors that name them.

use std::time::Duration;

/// What a sandbox may use. Every limit has its own [`Limit`] error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Wall time of a command without a timeout of its own, including the processes that it leaves in the background.
    /// Default: no limit.
    pub wall_time: Option<Duration>,
    /// Instructions (wasmtime fuel) of one command and everything that it starts. Default: no limit. Setting it selects
    /// metered code, which is slower.
    pub fuel: Option<u64>,
    /// Linear memory and tables of one process, in bytes. Default 1 GiB; at most 4 GiB.
    pub process_memory: u64,
    /// Linear memory and tables of all processes of the sandbox together, in bytes, plus the code of guests' own
    /// modules that are executed. Default 4 GiB.
    pub sandbox_memory: u64,
    /// Processes that exist at once. Default 256.
    pub processes: u32,
    /// Processes in the background, whose command is over, that exist at once. A command that leaves more is killed at
    /// its end, and a process in the background that asks for more gets `EAGAIN`. Default 64.
    pub background_processes: u32,
    /// Processor time of one command's processes together after the command is over; with metered code it is computed
    /// from the instructions, see [`Clock::Virtual`](crate::Clock::Virtual). When it is used up, they are killed.
    /// Default 10 minutes; `None`: no limit.
    pub background_cpu: Option<Duration>,
    /// Descriptors of one process (`RLIMIT_NOFILE`). Default 1024.
    pub descriptors: u32,
    /// Pipes that exist at once, 64 KiB each. Default 1024.
    pub pipes: u32,
    /// Guests' own modules that have to be compiled, over the sandbox's life. Default 1000.
    pub modules: u32,
    /// Processor time for compiling guests' own modules, over the sandbox's life. A compilation that has started is
    /// always finished. Default 5 minutes. The memory of a compilation counts in `sandbox_memory`.
    pub compile_time: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            wall_time: None,
            fuel: None,
            process_memory: 1 << 30,
            sandbox_memory: 4 << 30,
            processes: 256,
            background_processes: 64,
            background_cpu: Some(Duration::from_secs(600)),
            descriptors: 1024,
            pipes: 1024,
            modules: 1000,
            compile_time: Duration::from_secs(300),
        }
    }
}

/// A limit that was reached, with its configured value.
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
    /// All sandboxes of the engine together can have this many processes, and the remaining ones are reserved for other
    /// sandboxes.
    #[error("no room for another process: all sandboxes of this program together have {0}")]
    AllProcesses(u32),
    /// The engine's pool of memories, tables and stacks was used up.
    #[error("the pool of memories and tables of this program is used up")]
    Pool,
    /// More files of the host's directories were opened than the sandbox may hold.
    #[error("limit of open files in mounted directories exceeded")]
    HostDescriptors,
    /// A command left more processes than this in the background, or started more there.
    #[error("limit of {0} background processes exceeded")]
    BackgroundProcesses(u32),
    /// A command's processes in the background executed longer than this.
    #[error("processor time limit of {0:?} for background processes exceeded")]
    BackgroundCpu(Duration),
    /// A process asked for more descriptors than this.
    #[error("descriptor limit of {0} exceeded")]
    Descriptors(u32),
    /// More pipes than this were asked for.
    #[error("pipe limit of {0} exceeded")]
    Pipes(u32),
    /// More sockets than this were asked for.
    #[error("socket limit of {0} exceeded")]
    Sockets(u32),
    /// More output than this was written.
    #[error("output limit of {0} bytes exceeded")]
    Output(u64),
    /// Guests brought more modules than this that had to be compiled.
    #[error("limit of {0} compiled modules exceeded")]
    Modules(u32),
    /// Compiling modules that guests brought took longer than this.
    #[error("compile time limit of {0:?} exceeded")]
    CompileTime(Duration),
    /// A filesystem is full.
    #[error("no space left on a filesystem of the sandbox")]
    DiskBytes,
    /// A filesystem's quota was used up.
    #[error("disk quota of a filesystem of the sandbox exceeded")]
    DiskQuota,
}
