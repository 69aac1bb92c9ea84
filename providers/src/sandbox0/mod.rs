//! [Sandbox0](https://sandbox0.ai): a REST API; each command is a context.
//!
//! * Variables: `SANDBOX0_TOKEN` or `SANDBOX0_API_KEY`; `SANDBOX0_BASE_URL` for another address.
//! * A command's context has an id in the variable `SANDSHELL_EXECUTION`, so that it can be found and killed when
//!   its time is up or its future is dropped. Output is text: bytes that are not UTF-8 become U+FFFD. The service
//!   decides the order in which the two streams are joined.
//! * The service has no labels. A working directory that is not the default is stored in the variable
//!   `SANDSHELL_WORKDIR`.
//! * The time to live is the service's hard limit, after which the sandbox is deleted. The soft limit, after which
//!   the service pauses an unused sandbox, stays the service's default. A paused sandbox resumes when it is used.

mod api;
mod execute;
mod files;
mod options;
mod provider;
mod sandbox;

pub use options::Sandbox0Options;
pub use provider::Sandbox0Provider;
pub use sandbox::Sandbox0Sandbox;
