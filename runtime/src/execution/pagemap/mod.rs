//! Which pages of a process's memory were written to, from the host instead of comparing their contents.

#[cfg_attr(not(target_os = "linux"), path = "portable.rs")]
#[cfg_attr(target_os = "linux", path = "linux.rs")]
mod system;

pub(crate) use system::Pagemap;

/// The supported page size. On hosts with another one the pagemap is not used.
pub(crate) const PAGE: usize = 4096;
