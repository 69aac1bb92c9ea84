//! The jq language: text to syntax tree.

pub(crate) mod ast;
mod lexer;
pub(crate) mod parser;
