//! A command as the host asks for it.

use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::mpsc;

use crate::fd::sink::{InputStream, OutputStream};
use crate::fd::tty::Terminal;

/// A command to start with [`Kernel::spawn`](crate::Kernel::spawn).
pub struct Command {
    /// The arguments, the program's name first.
    pub argv: Vec<Vec<u8>>,
    /// What to execute.
    pub program: CommandProgram,
    /// The whole environment.
    pub env: Vec<(Vec<u8>, Vec<u8>)>,
    /// The working directory, absolute.
    pub cwd: Vec<u8>,
    /// Standard input.
    pub stdin: Stdin,
    /// Standard output and error.
    pub output: Output,
    /// Wall time of the host after which every process of the command is killed, including those that it has left in
    /// the background. Compiling the modules that the command or its processes execute counts; compiling a pack does
    /// not. `None`: the kernel's limit.
    pub timeout: Option<Duration>,
    /// When the command is over.
    pub until: Until,
    /// The preopened directories of WASI modules that do not use the kernel's own imports.
    pub preopens: Preopens,
    /// Commands for the first process, if it is a shell that lives.
    pub conversation: Option<Arc<dyn Conversation>>,
}

impl Command {
    /// Runs `path` with `argv`, without environment, in `/`, with `/dev/null` as input. All output is captured, up to
    /// [`Output::DEFAULT_LIMIT`].
    pub fn new(path: impl Into<Vec<u8>>, argv: Vec<Vec<u8>>) -> Command {
        Command {
            argv,
            program: CommandProgram::Path(path.into()),
            env: Vec::new(),
            cwd: b"/".to_vec(),
            stdin: Stdin::Empty,
            output: Output::default(),
            timeout: None,
            until: Until::default(),
            preopens: Preopens::Default,
            conversation: None,
        }
    }
}

/// Commands for a shell that lives, which reads one after another and answers each with its status. They are no
/// descriptors: only the command's first process takes part, and only until it executes another program. Its children
/// cannot read a command or forge an answer.
pub trait Conversation: Send + Sync {
    /// Reads a piece of a command into `buf`, which is not empty, and returns the number of bytes. A command ends with
    /// NUL. If there is none, returns `Pending` and wakes `cx` when there is.
    fn poll_read(&self, cx: &mut Context<'_>, buf: &mut [u8]) -> Poll<usize>;
    /// The command has ended with this status. What it wrote before has arrived.
    fn answer(&self, status: u8);
}

/// What a [`Command`] executes.
#[derive(Clone, Debug)]
pub enum CommandProgram {
    /// A file of the sandbox, as exec finds it (no PATH search).
    Path(Vec<u8>),
    /// The bytes of a wasm module.
    Module(Vec<u8>),
}

/// Where a command's standard input comes from.
pub enum Stdin {
    /// `/dev/null`.
    Empty,
    /// These bytes.
    Bytes(Bytes),
    /// What is sent through the channel. Dropping the sender ends the input.
    Stream(mpsc::Receiver<Bytes>),
    /// A source that is read on demand.
    Source(Arc<dyn InputStream>),
    /// A terminal, which is also standard output and error.
    Terminal(Arc<dyn Terminal>),
}

/// When a command is over, after its first process has ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Until {
    /// When the process substitutions of shells that have ended have ended too, so that their output is not lost.
    /// Process substitutions of shells that still run in the background are not waited for. The command is over earlier
    /// if no process can write to its output any more.
    #[default]
    Substitutions,
    /// When no process can write to its output any more, like a reader of a pipe that waits for its end.
    Output,
}

/// What happens with a command's output.
pub struct Output {
    /// How many bytes of standard output and error together the [`Outcome`](crate::Outcome) holds. If there are more,
    /// each of the two gets half of the limit, and what the other does not use. The stream receives up to this many
    /// bytes of each of the two, and then a marker that names the limit; the rest is discarded. The command is not
    /// stopped.
    pub limit: u64,
    /// Whether the [`Outcome`](crate::Outcome) holds the output.
    pub capture: bool,
    /// Receives output while the command runs.
    pub stream: Option<Box<dyn OutputStream>>,
}

impl Output {
    /// The default of [`limit`](Self::limit): 64 MiB.
    pub const DEFAULT_LIMIT: u64 = 64 << 20;
}

impl Default for Output {
    fn default() -> Output {
        Output { limit: Output::DEFAULT_LIMIT, capture: true, stream: None }
    }
}

/// The preopened directories of WASI modules that do not use the kernel's own imports.
#[derive(Clone, Debug, Default)]
pub enum Preopens {
    /// `/`, the directories in it, and the working directory as `.`.
    #[default]
    Default,
    /// Exactly these: (name the guest sees, directory of the sandbox). No path leads out of them.
    Exact(Vec<(Vec<u8>, Vec<u8>)>),
}
