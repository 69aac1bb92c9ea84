//! Code that the bindings of all languages share: options as data, providers by name, a handle on a sandbox, and
//! the runtime.
//!
//! A binding only translates values and waits in its language's way; it makes no decisions.

mod announce;
mod carried;
mod cassette;
mod create;
mod eager;
mod engines;
mod handle;
mod known;
mod lease;
mod names;
mod options;
mod places;
mod process;
mod provider;
mod runtime;
mod seconds;
mod snapshot;

pub use cassette::Secrets;
pub use create::Create;
pub use eager::Work;
pub use handle::Handle;
pub use known::{KnownProvider, Params, Variables, known};
pub use names::{capability_names, failure_name, kind_name, limit_name};
pub use options::{Mode, Mount, Options};
pub use process::{PerProcess, generation};
pub use provider::{Listed, Provider};
pub use runtime::{adopt, lasting_runtime, runtime};
pub use seconds::duration;
pub use snapshot::Snapshot;

pub use sandshell;
