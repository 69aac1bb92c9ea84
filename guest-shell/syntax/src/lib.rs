//! The syntax of bash 5.2: parser, abstract syntax, arithmetic, patterns and the printing of commands.
//!
//! Nothing here runs anything or touches the system; the shell (`sh`) does that on top of [`ast`].
//! All text is bytes: scripts need not be valid UTF-8.

pub mod arith;
pub mod ast;
pub mod braces;
pub mod locale;
pub mod name;
pub mod parser;
pub mod pattern;
pub mod print;
