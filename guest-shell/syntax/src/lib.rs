//! The syntax of bash 5.2: parser, abstract syntax, arithmetic, patterns, and printing of commands.
//!
//! This crate neither runs commands nor accesses the system. The shell (`sh`) does, and builds on [`ast`]. All text is
//! bytes, because scripts need not be valid UTF-8.

pub mod arith;
pub mod ast;
pub mod braces;
mod bytes;
pub mod locale;
pub mod name;
pub mod parser;
pub mod pattern;
pub mod print;
