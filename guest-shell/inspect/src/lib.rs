//! Utilities that show the contents of files: `xxd`, `hexdump` (`hd`), `strings`, `rev`, `col`, `colrm`, `column`,
//! `tree`, and `uuencode`.
//!
//! Each `…_main` takes the whole argument list, beginning with the name it was called by. It reads and writes
//! descriptors 0 to 2 and returns the exit status. It does not call `exit` and may be called once per process.

mod col;
mod colrm;
mod column;
mod column_json;
mod column_options;
mod column_table;
mod column_tree;
mod hexdump;
mod hexdump_format;
mod hexdump_input;
mod rev;
mod strings;
mod text;
mod tree;
mod tree_entry;
mod tree_file;
mod tree_ignore;
mod tree_options;
mod tree_print;
mod uu;
mod xxd;
mod xxd_revert;

pub use col::col_main;
pub use colrm::colrm_main;
pub use column::column_main;
pub use hexdump::hexdump_main;
pub use rev::rev_main;
pub use strings::strings_main;
pub use tree::tree_main;
pub use uu::{uudecode_main, uuencode_main};
pub use xxd::xxd_main;
