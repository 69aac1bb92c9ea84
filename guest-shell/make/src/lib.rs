//! GNU `make` 4.3.
//!
//! [`make_main`] takes the whole argument list, the name it was called by first, reads and writes descriptors 0 to 2 and
//! returns the exit status. It does not call `exit` and may be called once per process.

mod auto;
mod builtin;
mod expand;
mod functions;
mod glob;
mod implicit;
mod job;
mod main_loop;
mod options;
mod reader;
mod remake;
mod say;
mod state;
mod text;
mod usage;
mod vars;

pub use main_loop::make_main;
