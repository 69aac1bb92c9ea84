//! yq for sandshell's guests: converts YAML to JSON, applies jq's filter, and converts the result back to YAML if
//! requested.
//!
//! The behaviour is that of kislyuk's yq 3.1, which Debian ships. It is a wrapper of jq that parses with libyaml,
//! resolves plain scalars by YAML 1.2's core schema, and writes like PyYAML's emitter. The Go program of the same name
//! has another language. Calls that only the Go program understands are refused with a message that names it (`args`).
//!
//! * `args`: parses the command line as Python's argparse does, including its oddities.
//! * `tree`, `construct`: convert events to nodes, and nodes to values; `resolve`: the types of plain scalars.
//! * `json`: values as JSON text for jq, and jq's output as values; `emit`: values as YAML.

mod args;
mod cli;
mod construct;
mod emit;
mod fault;
mod json;
mod resolve;
mod scalar;
mod style;
mod tree;
mod value;

pub use cli::yq_main;
