//! `cp`, `mv` and `install`.

mod cp;
mod engine;
mod install;
mod mv;
mod target;

pub use cp::cp_main;
pub use install::install_main;
pub use mv::mv_main;
