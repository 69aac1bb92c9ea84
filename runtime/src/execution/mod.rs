//! How programs are loaded and executed as processes.

pub(crate) mod clone;
pub(crate) mod component;
pub(crate) mod exec;
pub(crate) mod gated;
pub(crate) mod inline;
pub(crate) mod launch;
pub(crate) mod metering;
pub(crate) mod pagemap;
pub(crate) mod preopen;
pub(crate) mod run;
mod spawn;
pub(crate) mod store;
pub(crate) mod unwind;
