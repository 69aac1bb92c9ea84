//! GNU `make` 4.3.
//!
//! [`make_main`] takes the whole argument list, the name it was called by first, reads and writes descriptors 0 to 2
//! and returns the exit status. It does not call `exit` and may be called once per process.
//!
//! Three parts follow each other. Makefiles are read (`reader`) into variables (`vars`, `expand`, `functions`), pattern
//! rules (`rule_book`) and a graph of targets and prerequisites (`graph`). The walk (`schedule`) goes through the
//! graph; where it comes, a node is completed (`resolve`, `pattern_search`, `directories`) and its age compared
//! (`freshness`). Recipes are run by `job`, and `settle` notes what came of them.

mod auto;
mod builtin;
mod data_base;
mod directories;
mod expand;
mod freshness;
mod functions;
mod glob;
mod graph;
mod job;
mod makefiles;
mod node;
mod options;
mod patsubst;
mod pattern_search;
mod reader;
mod resolve;
mod rule_book;
mod say;
mod schedule;
mod session;
mod settle;
mod start;
mod text;
mod usage;
mod vars;

pub use start::make_main;
