//! jq 1.7 for sandshell's guests: an interpreter of its own.
//!
//! Why not an existing one: jq's paths, its order of evaluation, its backtracking and its messages are observable nearly
//! everywhere, and the interpreters on the crate registry answer differently in too many places to bend them.
//!
//! * `reader`, `stream`: JSON text to values; `dump`: values to JSON text; `number`: literals keep what was written.
//! * `lang`: program text to syntax tree; `compile`: tree to instructions; `machine`: runs them by backtracking, as jq
//!   does, with all state on explicit stacks, so recursion in programs is limited by memory only.
//! * `builtins`: the functions of values; those of filters are compiled in place, in `compile`.
//! * `cli`: options, inputs, outputs, exit statuses.

mod builtins;
mod cli;
mod code;
mod compile;
mod dump;
mod input;
mod lang;
mod machine;
mod modules;
mod number;
mod object;
mod options;
mod reader;
mod stream;
mod text;
mod value;

pub use cli::{jq_filter, jq_main};
