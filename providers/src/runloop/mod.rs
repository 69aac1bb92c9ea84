//! [Runloop](https://runloop.ai): devboxes behind a REST API.
//!
//! * Variables: `RUNLOOP_API_KEY`; `RUNLOOP_BASE_URL` for another address.
//! * A command is sent with an id of its own, so that it runs once even if it has to be sent again; it is killed when
//!   its time is up or its future is dropped. Output is text: bytes that are not UTF-8 become U+FFFD, and the two
//!   streams come without their order.
//! * A devbox that names no time to live has the service's own. It is deleted by being shut down.
//!   A working directory of one's own is kept in the metadata.

mod api;
mod execute;
mod files;
mod options;
mod provider;
mod sandbox;

pub use options::RunloopOptions;
pub use provider::RunloopProvider;
pub use sandbox::RunloopSandbox;
