//! `cp`, `mv` and `install`.

mod attributes;
mod cp;
mod engine;
mod install;
mod mv;
mod options;
mod overwrite;
mod regular;
mod same_file;
mod target;

pub use cp::cp_main;
pub use install::install_main;
pub use mv::mv_main;
