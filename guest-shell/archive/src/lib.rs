//! The archivers and compressors: GNU `tar` 1.34, `ar` as of binutils 2.40, `gzip` 1.12, `bzip2`, `xz`,
//! `zstd`, `zgrep` and `zdiff` with the like, and Info-ZIP's `zip` 3.0 and `unzip` 6.0.
//!
//! Each `…_main` takes the whole argument list, beginning with the name it was called by. It reads and writes
//! descriptors 0 to 2 and returns the exit status. It does not call `exit` and may be called once per process.
//! Compression happens in the process. Archives are read as streams, and no size in a header is trusted for allocating
//! memory.

mod ar;
mod bzip2;
mod codec;
mod compare;
mod gzip;
#[cfg(test)]
mod hostile;
mod io;
mod search;
mod single;
mod sink;
mod tar;
mod xz;
mod xz_list;
mod zip;
mod zstd;

pub use ar::ar_main;
pub use bzip2::bzip2_main;
pub use compare::zdiff_main;
pub use gzip::gzip_main;
pub use search::zgrep_main;
pub use tar::tar_main;
pub use xz::xz_main;
pub use zip::unzip_main;
pub use zip::zip_main;
pub use zstd::zstd_main;
