//! What the bindings of all languages share: the options as data, one handle on a sandbox, and the runtime below both.
//!
//! A binding translates values and waits in its language's way; it decides nothing.

mod engines;
mod handle;
mod names;
mod options;
mod runtime;
mod seconds;

pub use handle::{Handle, Snapshot};
pub use names::{failure_name, kind_name, limit_name};
pub use options::{Mode, Mount, Options};
pub use runtime::{build_runtime, runtime};
pub use seconds::duration;

pub use sandshell;
