//! The command line of a utility: arguments, options and help; messages and quoting in GNU's form; reading of operands;
//! output with reports of errors.

mod abbreviation;
pub mod arguments;
pub mod ask;
pub mod input;
pub mod message;
pub mod number;
pub mod options;
pub mod out;
pub mod quote;
pub mod size;
