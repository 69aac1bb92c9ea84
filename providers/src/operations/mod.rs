//! The file operations as functions on bytes, without a sandbox.
//!
//! Every implementation of [`FileOperations`](crate::FileOperations) gets bytes and listings in its own way and
//! uses these functions for the rest, so that all implementations give the same answers.

mod edit;
mod glob;
mod glob_result;
mod grep;
mod path;
mod read;
mod time;

pub use edit::{MAX_RESULT, replace, replace_each};
pub use glob::{Dots, Glob};
pub use glob_result::finish_glob;
pub use grep::{Matches, Needle};
pub use path::{clean_path, join_path};
pub use read::{MAX_BINARY_BYTES, MAX_PAGE_BYTES, page};
pub use time::whole_seconds;
