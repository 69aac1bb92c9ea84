#![allow(dead_code)]
mod codec; mod gzip; mod io; mod tar;
pub use tar::tar_main;
