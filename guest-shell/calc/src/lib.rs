//! The calculators `bc` (GNU 1.07.1) and `dc` (GNU 1.4.1), on exact decimal arithmetic of their own.
//!
//! Each `…_main` takes the whole argument list, the name it was called by first, reads and writes descriptors 0 to 2 and
//! returns the exit status. They do not call `exit` and may be called once per process.

mod bc;
mod dc;
mod num;
mod out;
mod source;

pub use bc::bc_main;
pub use dc::dc_main;
