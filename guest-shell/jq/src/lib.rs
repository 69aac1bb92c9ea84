//! jq 1.7 for sandshell's guests, with its own interpreter.
//!
//! jq's paths, order of evaluation, backtracking and messages are observable nearly everywhere. The interpreters on the
//! crate registry differ from jq in too many places to be adapted.
//!
//! * `reader`, `stream`: parse JSON text; `dump`: writes values as JSON text; `number`: numbers that keep their text.
//! * `lang`: parses programs; `compile`: compiles the tree to instructions; `machine`: runs them by backtracking, as jq
//!   does. All state is on explicit stacks, so recursion in programs is limited by memory only.
//! * `builtins`: the functions of values. Functions of filters are compiled in place, in `compile`.
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
