//! [Daytona](https://daytona.io), version 0 of the platform: a REST API, and a toolbox in each sandbox.
//!
//! * Variables: `DAYTONA_API_KEY`; `DAYTONA_API_URL` for another address, `DAYTONA_TARGET` for a region.
//! * Each command has a session of its own, which separates both streams. The session ends with the command, and so
//!   do processes that the command left in the background. Sessions are not reused: if a process still held the
//!   output open, the next command would wait for it. Output is text: bytes that are not UTF-8 become U+FFFD.
//! * The service answers when the command has ended. If that answer is lost or late, the client asks for the
//!   command's state.
//! * Times to live are whole minutes, rounded up. A working directory of one's own is kept as a label.

mod api;
mod execute;
mod files;
mod options;
mod provider;
mod sandbox;

pub use options::DaytonaOptions;
pub use provider::DaytonaProvider;
pub use sandbox::DaytonaSandbox;
