//! What several of these utilities share, but other programs do not need.

pub(crate) mod attribute_walk;
pub(crate) mod backup;
pub(crate) mod directories;
pub(crate) mod one_line;
pub(crate) mod random;
pub(crate) mod ranges;
pub(crate) mod resolve;
pub(crate) mod tab_stops;
