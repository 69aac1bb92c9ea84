//! The applets.

mod ask;
pub mod cat;
pub mod change;
pub mod copy;
pub mod identity;
pub mod ln;
pub mod ls;
pub mod make;
pub mod realpath;
pub mod rm;
pub mod run;
pub mod stat;
