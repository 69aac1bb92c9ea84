//! [Sandbox0](https://sandbox0.ai): a REST API; each command is a context.
//!
//! * Variables: `SANDBOX0_TOKEN` or `SANDBOX0_API_KEY`; `SANDBOX0_BASE_URL` for another address.
//! * A command's context carries an id of its own in the variable `SANDSHELL_EXECUTION`, so that it can be found and
//!   killed when its time is up or its future is dropped. Output is text: bytes that are not UTF-8 become U+FFFD, and
//!   output that came on both streams is joined in the service's order.
//! * The service keeps no labels. A working directory of one's own is kept in the variable `SANDSHELL_WORKDIR`.
//! * A time to live is the hard one, after which the sandbox is deleted. The soft one, after which the service pauses a
//!   sandbox that nobody uses, is the service's default; a paused sandbox goes on when it is used.

mod api;
mod execute;
mod files;
mod options;
mod provider;
mod sandbox;

pub use options::Sandbox0Options;
pub use provider::Sandbox0Provider;
pub use sandbox::Sandbox0Sandbox;
