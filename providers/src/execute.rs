//! Running a command: the request, the answer, and output while it runs.

use std::borrow::Cow;
use std::time::Duration;

use bytes::Bytes;

/// A shell command to run.
///
/// Fields left at their default (`None`, empty) take the sandbox's own default, which its provider documents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExecuteRequest {
    /// The text for `bash -c`, or for a POSIX `sh -c` if the sandbox has no bash. It must not contain NUL.
    pub command: String,
    /// How long the command may take, in wall time. `None`: the sandbox's default. Zero: no limit. When the time is
    /// up, local sandboxes kill everything that the command started, even processes that it left in the background
    /// when it ended earlier.
    pub timeout: Option<Duration>,
    /// Absolute working directory. `None`: the sandbox's working directory.
    pub cwd: Option<String>,
    /// Variables added to the sandbox's environment. Of two with the same name, the later one wins.
    pub env: Vec<(String, String)>,
    /// Bytes on standard input, then end of file. `None`: end of file at once.
    pub stdin: Option<Bytes>,
    /// How many bytes of output are kept, counted over both streams together. If the streams are separate, a stream
    /// that floods leaves half of the bytes to the other. `None`: the sandbox's default.
    pub max_output: Option<u64>,
}

/// The result of a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExecuteResponse {
    /// The exit status as a shell reports it: 0 to 255, 128 + n after signal n, 124 after a timeout. `None` if the
    /// backend does not know it.
    pub exit_code: Option<i32>,
    /// Standard output and standard error together, in the order in which they were written, as far as the backend
    /// knows it. Exactly the command's bytes, with nothing added.
    pub output: Bytes,
    /// Standard output alone; all output if the backend cannot separate the streams (see
    /// [`Capabilities::separate_streams`](crate::Capabilities)).
    pub stdout: Bytes,
    /// Standard error alone; empty if the backend cannot separate the streams.
    pub stderr: Bytes,
    /// The command wrote more than was kept. The kept part is the beginning.
    pub truncated: bool,
    /// The command was stopped because its time was up. `exit_code` is then 124 and `output` holds what was
    /// written until then.
    pub timed_out: bool,
    /// Every limit that affected this answer, in the order in which they were reached.
    pub limits: Vec<LimitReached>,
    /// Wall time from the start of the command to its end.
    pub duration: Duration,
}

/// A limit that stopped a command or cut its output.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LimitReached {
    /// The kind of the limit.
    pub kind: LimitKind,
    /// One line for the user, naming the limit and its configured value.
    pub message: String,
}

/// The kind of a [`LimitReached`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LimitKind {
    /// The request's timeout, or the sandbox's default one.
    WallTime,
    /// Processor time (fuel).
    CpuTime,
    /// Memory of one process or of the sandbox.
    Memory,
    /// Number of processes.
    Processes,
    /// Number of open files.
    OpenFiles,
    /// Bytes of output.
    Output,
    /// Bytes or inodes of the filesystem.
    Disk,
    /// Another one; the message says which.
    Other,
}

/// A stream of a command's output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OutputStream {
    /// Standard output (all output, if the backend cannot separate the streams).
    Stdout,
    /// Standard error.
    Stderr,
}

/// A piece of output, as it arrives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputChunk {
    /// The stream that the command wrote to.
    pub stream: OutputStream,
    /// The bytes. A chunk may end anywhere, even inside a character.
    pub data: Bytes,
}

/// Receives streamed output. The channel is bounded, so that a slow reader slows the command down. If the reader
/// goes away, streaming stops but the command goes on.
pub type OutputSender = tokio::sync::mpsc::Sender<OutputChunk>;

impl ExecuteRequest {
    /// Runs `command` with every default.
    pub fn new(command: impl Into<String>) -> Self {
        Self { command: command.into(), ..Self::default() }
    }

    /// Sets the wall time; zero means no limit.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sets the working directory, an absolute path.
    #[must_use]
    pub fn cwd(mut self, cwd: impl Into<String>) -> Self {
        self.cwd = Some(cwd.into());
        self
    }

    /// Adds an environment variable.
    #[must_use]
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    /// Sets standard input.
    #[must_use]
    pub fn stdin(mut self, stdin: impl Into<Bytes>) -> Self {
        self.stdin = Some(stdin.into());
        self
    }

    /// Sets the number of output bytes to keep.
    #[must_use]
    pub fn max_output(mut self, bytes: u64) -> Self {
        self.max_output = Some(bytes);
        self
    }
}

impl ExecuteResponse {
    /// The exit status after a timeout, the same as that of `timeout(1)`.
    pub const TIMEOUT_EXIT_CODE: i32 = 124;

    /// Whether the command ended by itself with status 0.
    pub fn success(&self) -> bool {
        self.exit_code == Some(0)
    }

    /// The output as text for a person or a language model. Invalid UTF-8 becomes U+FFFD. After the output comes a
    /// line for each limit that was reached, such as `Command timed out after 2 seconds`.
    pub fn text(&self) -> Cow<'_, str> {
        let text = String::from_utf8_lossy(&self.output);
        if self.limits.is_empty() {
            return text;
        }
        let mut text = text.into_owned();
        for limit in &self.limits {
            if !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
            text.push_str(&limit.message);
        }
        Cow::Owned(text)
    }
}

impl LimitKind {
    /// All kinds.
    pub const ALL: &'static [Self] = &[
        Self::WallTime,
        Self::CpuTime,
        Self::Memory,
        Self::Processes,
        Self::OpenFiles,
        Self::Output,
        Self::Disk,
        Self::Other,
    ];

    /// The kind's name, such as `wall_time`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::WallTime => "wall_time",
            Self::CpuTime => "cpu_time",
            Self::Memory => "memory",
            Self::Processes => "processes",
            Self::OpenFiles => "open_files",
            Self::Output => "output",
            Self::Disk => "disk",
            Self::Other => "other",
        }
    }
}

impl LimitReached {
    /// A limit of this kind with its message for the user.
    pub fn new(kind: LimitKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    /// The limit for a command that was stopped at its timeout `after`.
    pub fn timeout(after: Duration) -> Self {
        let seconds = after.as_secs_f64();
        Self::new(LimitKind::WallTime, format!("Command timed out after {seconds} seconds"))
    }

    /// The limit for output of which only `bytes` were kept.
    pub fn output(bytes: u64) -> Self {
        Self::new(LimitKind::Output, format!("... Output truncated at {bytes} bytes."))
    }
}

/// Refuses requests that no sandbox accepts.
#[cfg(any(feature = "cloud", feature = "command"))]
pub(crate) fn check(request: &ExecuteRequest) -> crate::Result<()> {
    if request.command.contains('\0') {
        return Err(crate::Error::invalid_request("a command cannot contain NUL"));
    }
    if let Some(cwd) = request.cwd.as_ref().filter(|cwd| !cwd.starts_with('/') || cwd.contains('\0')) {
        return Err(crate::Error::invalid_request(format!(
            "the working directory {cwd:?} is not an absolute path"
        )));
    }
    request.env.iter().try_for_each(check_variable)
}

/// Refuses what no process can have as a variable.
#[cfg(any(feature = "cloud", feature = "command", feature = "local"))]
pub(crate) fn check_variable((name, value): &(String, String)) -> crate::Result<()> {
    if name.is_empty() || name.contains(['=', '\0']) || value.contains('\0') {
        return Err(crate::Error::invalid_request(format!("{name:?} cannot be a variable with this value")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partial_output_comes_before_the_timeout_line() {
        let response = ExecuteResponse {
            exit_code: Some(ExecuteResponse::TIMEOUT_EXIT_CODE),
            output: Bytes::from_static(b"working"),
            timed_out: true,
            limits: vec![LimitReached::timeout(Duration::from_secs(2))],
            ..ExecuteResponse::default()
        };
        assert_eq!(response.text(), "working\nCommand timed out after 2 seconds");
    }

    #[test]
    fn fractions_of_a_second_are_not_rounded_away() {
        assert_eq!(
            LimitReached::timeout(Duration::from_millis(500)).message,
            "Command timed out after 0.5 seconds"
        );
    }
}
