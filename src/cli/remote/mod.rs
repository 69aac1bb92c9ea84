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
pub(crate) use exec::{command, exec};
pub(crate) use feed::stdin;
pub(crate) use shell::shell;
