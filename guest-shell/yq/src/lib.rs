//! yq for sandshell's guests: YAML to JSON, jq's filter on it, and back to YAML if asked for.
//!
//! The source of behaviour is kislyuk's yq 3.1, which Debian ships: a wrapper of jq that reads with libyaml, resolves plain
//! scalars by YAML 1.2's core schema, and writes as PyYAML's emitter does. The Go program of the same name has another
//! language; calls that only it understands are refused by name (`args`).
//!
//! * `args`: the command line as Python's argparse takes it apart, with its oddities.
//! * `tree`, `construct`: events to nodes, nodes to values; `resolve`: what plain scalars are.
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
