//! The command line of a utility: its arguments, options and help; messages in GNU's form and quoting; operands that are
//! read, and output whose errors are told.

pub mod arguments;
pub mod ask;
pub mod input;
pub mod message;
pub mod number;
pub mod options;
pub mod out;
pub mod quote;
pub mod size;
