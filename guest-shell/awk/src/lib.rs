//! awk for sandshell's guests, with the behaviour of gawk 5.2.
//!
//! A program is parsed to a tree in which names are already resolved ([`ast`], [`parser`]), and the tree is interpreted
//! ([`interp`]). The behaviour follows gawk's manual and observations of gawk 5.2.1.

mod args;
mod arith;
mod array;
mod ast;
mod builtin;
mod diag;
mod escape;
mod float;
mod interp;
mod lexer;
mod number;
mod parser;
mod pattern;
mod printf;
mod random;
mod reader;
mod record;
mod source;
mod special;
mod streams;
mod text;
mod time;
mod usage;
mod value;

pub use args::awk_main;
