//! What every applet needs: output, messages, options, quoting, users, time.

pub mod copyname;
pub mod datetime;
pub mod getopt;
pub mod glob;
pub mod human;
pub mod input;
pub mod locale;
pub mod number;
pub mod out;
pub mod path;
pub mod process;
pub mod quote;
pub(crate) mod random;
pub mod ranges;
pub mod strftime;
pub mod users;
pub mod vercmp;
pub mod width;
pub mod xstrtol;
pub mod zone;
