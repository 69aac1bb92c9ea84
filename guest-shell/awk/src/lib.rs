//! awk, as gawk 5.2 answers, for sandshell's guests.
//!
//! A program is read into a tree whose names are places already ([`ast`], [`parser`]) and run from there ([`interp`]).
//! The source of behaviour is gawk's manual and gawk 5.2.1 itself.

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
