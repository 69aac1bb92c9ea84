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

impl Capabilities {
    /// Every capability by name, in a fixed order.
    pub fn flags(&self) -> [(&'static str, bool); 12] {
        [
            ("separate_streams", self.separate_streams),
            ("streaming", self.streaming),
            ("stdin", self.stdin),
            ("cwd", self.cwd),
            ("env", self.env),
            ("timeout", self.timeout),
            ("partial_output", self.partial_output),
            ("max_output", self.max_output),
            ("background_processes", self.background_processes),
            ("concurrent_execute", self.concurrent_execute),
            ("enforces_permissions", self.enforces_permissions),
            ("bash", self.bash),
        ]
    }

    /// Sets a capability by name; false if there is none of this name.
    pub fn set(&mut self, name: &str, value: bool) -> bool {
        let flag = match name {
            "separate_streams" => &mut self.separate_streams,
            "streaming" => &mut self.streaming,
            "stdin" => &mut self.stdin,
            "cwd" => &mut self.cwd,
            "env" => &mut self.env,
            "timeout" => &mut self.timeout,
            "partial_output" => &mut self.partial_output,
            "max_output" => &mut self.max_output,
            "background_processes" => &mut self.background_processes,
            "concurrent_execute" => &mut self.concurrent_execute,
            "enforces_permissions" => &mut self.enforces_permissions,
            "bash" => &mut self.bash,
            _ => return false,
        };
        *flag = value;
        true
    }
}
