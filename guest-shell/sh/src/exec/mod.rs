//! Running commands.

pub(crate) mod child;
mod compound;
pub(crate) mod conditional;
pub(crate) mod coproc;
pub(crate) mod function;
pub(crate) mod input;
pub(crate) mod list;
mod network;
mod pipeline;
pub(crate) mod redirect;
pub(crate) mod simple;
mod timing;
pub(crate) mod xtrace;

/// How deeply functions, `eval` and sourced files may be nested. The stack would overflow soon after.
pub(crate) const MAX_NESTING: u32 = if cfg!(target_os = "wasi") { 900 } else { 1500 };
