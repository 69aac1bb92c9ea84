//! The calculators `bc` (GNU 1.07.1) and `dc` (GNU 1.4.1), based on exact decimal arithmetic.
//!
//! Each `…_main` takes all arguments, beginning with the name by which it was called. It uses the descriptors 0 to 2
//! and returns the exit status. It does not call `exit`, and may be called once per process.

mod bc;
mod dc;
mod num;
mod out;
mod source;

pub use bc::bc_main;
pub use dc::dc_main;
