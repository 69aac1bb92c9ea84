//! The applets.

mod ask;
pub mod change;
pub mod ln;
pub mod ls;
pub mod make;
pub mod realpath;
