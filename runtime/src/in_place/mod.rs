//! Loading code that is embedded in the program.

#[cfg_attr(not(target_os = "linux"), path = "portable.rs")]
#[cfg_attr(target_os = "linux", path = "linux.rs")]
mod system;

pub(crate) use system::{code_memory, load};
