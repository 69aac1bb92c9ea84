//! Floating point numbers of the precision that C's long double has on x86 (80 bits), read as `strtold` reads them and
//! written as `printf` writes them. WASI's own long double is another one, and Rust has none.

pub mod directive;
pub mod extended;
pub mod notation;
