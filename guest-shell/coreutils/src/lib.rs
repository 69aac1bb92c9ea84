//! GNU coreutils' behaviour (version 9.1) where a utility needs what WASI's standard library cannot see: modes,
//! owners, inode numbers, processes. Each applet is a function from its arguments (its own name first) to its exit
//! status.

pub mod apps;
pub mod base;
pub mod fmt;
pub mod text;
