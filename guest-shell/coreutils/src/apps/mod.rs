//! The applets.

pub mod ls;
