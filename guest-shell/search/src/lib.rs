//! The searching utilities: `grep`, `egrep`, `fgrep`, `rg`, `find` and `xargs`.
//!
//! Each `…_main` takes the whole argument list, beginning with the name it was called by. It reads and writes
//! descriptors 0 to 2 and returns the exit status. It does not call `exit` and may be called once per process.

mod clock;
mod find;
mod grep;
mod lines;
mod out;
mod rg;
mod xargs;

pub use find::find_main;
pub use grep::grep_main;
pub use rg::rg_main;
pub use xargs::xargs_main;
