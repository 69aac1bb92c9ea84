//! What a sandbox declares that it can do.

use crate::capabilities::capability_table;

capability_table! {
    /// What a [`Sandbox`](crate::Sandbox) can do. Everything is off by default.
    Capabilities {
        /// `stdout` and `stderr` of an answer are kept apart.
        separate_streams,
        /// `execute_streaming` delivers output while the command runs.
        streaming,
        /// `ExecuteRequest::stdin` is honoured.
        stdin,
        /// `ExecuteRequest::cwd` is honoured.
        cwd,
        /// `ExecuteRequest::env` is honoured.
        env,
        /// `ExecuteRequest::timeout` is honoured.
        timeout,
        /// After a timeout the answer holds what the command had written.
        partial_output,
        /// `ExecuteRequest::max_output` is honoured.
        max_output,
        /// Processes started with `&` live on after the `execute` that started them.
        background_processes,
        /// Calls of `execute` that overlap run at the same time.
        concurrent_execute,
        /// The sandbox's user is not root, so that mode bits bind it.
        enforces_permissions,
        /// The shell is bash.
        bash,
    }
}
