//! The same commands in sandboxes that are not this process's own: through the provider's trait alone.

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
