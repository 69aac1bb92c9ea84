//! How programs are loaded and executed as processes.

pub(crate) mod clone;
pub(crate) mod exec;
pub(crate) mod gated;
pub(crate) mod held;
pub(crate) mod here;
pub(crate) mod launch;
pub(crate) mod metering;
pub(crate) mod preopen;
pub(crate) mod run;
mod spawn;
pub(crate) mod written;
