//! The same commands in sandboxes that are not this process's own: through the provider's trait alone.

mod cp;
mod exec;
mod feed;
mod session;
mod shell;

pub(crate) use cp::cp;
pub(crate) use exec::exec;
pub(crate) use shell::shell;
