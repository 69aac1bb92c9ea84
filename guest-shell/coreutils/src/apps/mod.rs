//! The applets.

mod ask;
pub mod cat;
pub mod change;
pub mod copy;
pub mod date;
pub mod dd;
mod dd_charsets;
pub mod df;
pub mod du;
mod env_split;
pub mod identity;
pub mod kill;
pub mod launch;
pub mod ln;
pub mod ls;
pub mod make;
pub mod mknod;
pub mod pathchk;
pub mod realpath;
pub mod rm;
pub mod run;
pub mod sessions;
pub mod shred;
mod shred_passes;
pub mod stat;
pub mod touch;
