//! What POSIX defines once for many utilities.

pub mod mode;
