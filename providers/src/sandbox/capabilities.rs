//! The capabilities that a sandbox declares.

use crate::capabilities::capability_table;

capability_table! {
    /// What a [`Sandbox`](crate::Sandbox) can do. Everything is off by default.
    Capabilities {
        /// `stdout` and `stderr` of an answer are kept apart.
        separate_streams,
        /// `execute_streaming` delivers output while the command runs.
        streaming,
        /// `ExecuteRequest::stdin` is supported.
        stdin,
        /// `ExecuteRequest::cwd` is supported.
        cwd,
        /// `ExecuteRequest::env` is supported.
        env,
        /// `ExecuteRequest::timeout` is supported.
        timeout,
        /// After a timeout, the answer holds the output that the command had written.
        partial_output,
        /// `ExecuteRequest::max_output` is supported.
        max_output,
        /// Processes started with `&` live on after the `execute` that started them.
        background_processes,
        /// Overlapping calls of `execute` run at the same time.
        concurrent_execute,
        /// The sandbox's user is not root, so mode bits apply to it.
        enforces_permissions,
        /// The shell is bash.
        bash,
        /// [`Sandbox::execute_in_session`](crate::Sandbox::execute_in_session): shells that live.
        sessions,
    }
}
