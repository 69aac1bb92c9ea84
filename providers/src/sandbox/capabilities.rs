//! What a sandbox declares that it can do.

/// What a [`Sandbox`](crate::Sandbox) can do. Everything is off by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Capabilities {
    /// `stdout` and `stderr` of an answer are kept apart.
    pub separate_streams: bool,
    /// `execute_streaming` delivers output while the command runs.
    pub streaming: bool,
    /// `ExecuteRequest::stdin` is honoured.
    pub stdin: bool,
    /// `ExecuteRequest::cwd` is honoured.
    pub cwd: bool,
    /// `ExecuteRequest::env` is honoured.
    pub env: bool,
    /// `ExecuteRequest::timeout` is honoured.
    pub timeout: bool,
    /// After a timeout the answer holds what the command had written.
    pub partial_output: bool,
    /// `ExecuteRequest::max_output` is honoured.
    pub max_output: bool,
    /// Processes started with `&` live on after the `execute` that started them.
    pub background_processes: bool,
    /// Calls of `execute` that overlap run at the same time.
    pub concurrent_execute: bool,
    /// The sandbox's user is not root, so that mode bits bind it.
    pub enforces_permissions: bool,
    /// The shell is bash.
    pub bash: bool,
}
