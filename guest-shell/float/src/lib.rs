//! Floating point numbers with the precision of C's long double on x86 (80 bits). They are parsed like `strtold` and
//! printed like `printf`. The long double of WASI is a different type, and Rust has none.

pub mod directive;
pub mod extended;
pub mod notation;
