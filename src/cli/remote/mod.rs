//! The same commands for sandboxes of other providers, only through the provider's trait.

#[cfg(feature = "wrappers")]
mod cassette;
mod cp;
mod exec;
mod feed;
mod session;
mod shell;

#[cfg(feature = "wrappers")]
pub(crate) use cassette::{record, replay};
pub(crate) use cp::cp;
pub(crate) use exec::exec;
pub(crate) use shell::shell;
#[cfg(unix)]
pub(crate) use {exec::command, feed::stdin_up_to};
