//! The jq language: parses text to a syntax tree.

pub(crate) mod ast;
mod lexer;
pub(crate) mod parser;
