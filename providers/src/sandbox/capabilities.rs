//! What a sandbox declares that it can do.

/// One row for each capability: what it means, and its name.
macro_rules! capabilities {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// What a [`Sandbox`](crate::Sandbox) can do. Everything is off by default.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        #[non_exhaustive]
        pub struct Capabilities {
            $($(#[$doc])* pub $name: bool,)*
        }

        impl Capabilities {
            /// All off.
            pub const NONE: Self = Self { $($name: false,)* };

            /// Every capability by name, in a fixed order.
            pub fn flags(&self) -> impl Iterator<Item = (&'static str, bool)> + use<> {
                [$((stringify!($name), self.$name),)*].into_iter()
            }

            /// Sets a capability by name; false if there is none of this name.
            pub fn set(&mut self, name: &str, value: bool) -> bool {
                match name {
                    $(stringify!($name) => self.$name = value,)*
                    _ => return false,
                }
                true
            }
        }
    };
}

capabilities! {
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
