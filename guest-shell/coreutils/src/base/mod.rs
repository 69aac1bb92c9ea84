//! What every applet needs: output, messages, options, quoting, users, time.

pub(crate) mod ask;
pub(crate) mod attribute_walk;
pub mod copyname;
pub(crate) mod directories;
pub mod getopt;
pub mod glob;
pub mod human;
pub(crate) mod id_names;
pub mod input;
pub mod locale;
pub mod number;
pub(crate) mod one_line;
pub mod out;
pub mod path;
pub mod process;
pub mod quote;
pub(crate) mod random;
pub mod ranges;
pub(crate) mod resolve;
pub(crate) mod tab_stops;
pub mod users;
pub mod vercmp;
pub mod width;
pub mod xstrtol;
