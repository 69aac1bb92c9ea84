//! [Runloop](https://runloop.ai): devboxes behind a REST API.
//!
//! * Variables: `RUNLOOP_API_KEY`; `RUNLOOP_BASE_URL` for another address.
//! * A command is sent with an id of its own, so that it runs only once even if it is sent again. It is killed when
//!   its time is up or its future is dropped. Output is text: bytes that are not UTF-8 become U+FFFD, and the order
//!   between the two streams is lost.
//! * A devbox without a time to live gets the service's default. Deleting it means shutting it down. A working
//!   directory that is not the default is stored in the metadata.

mod api;
mod execute;
mod files;
mod options;
mod provider;
mod sandbox;

pub use options::RunloopOptions;
pub use provider::RunloopProvider;
pub use sandbox::RunloopSandbox;
