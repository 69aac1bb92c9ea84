//! Definitions of POSIX and GNU that many utilities share.

pub mod characters;
pub mod hosts;
pub mod locale;
pub mod mode;
pub mod path;
pub mod pattern;
pub mod place;
pub mod process;
pub mod signals;
pub mod users;
pub mod version_order;
