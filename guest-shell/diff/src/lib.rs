//! `cmp`, `diff`, `diff3`, `sdiff` and `patch` for sandshell's guests, with the behaviour of GNU diffutils 3.8 and
//! GNU patch 2.7.6.
//!
//! Each `…_main` takes the whole argument list, beginning with the name it was called by. It reads and writes
//! descriptors 0 to 2 and returns the exit status. It does not call `exit` and may be called once per process.

mod cmp;
mod diff;
mod diff3;
mod engine;
mod number;
mod patch;
mod say;
mod sdiff;
mod text;
mod version;

pub use cmp::cmp_main;
pub use diff::diff_main;
pub use diff3::diff3_main;
pub use patch::patch_main;
pub use sdiff::sdiff_main;
