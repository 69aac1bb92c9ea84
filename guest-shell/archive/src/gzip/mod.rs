//! `gzip` 1.12, `gunzip` and `zcat`.

mod list;
pub(crate) mod member;
mod options;
mod run;
pub(crate) mod writer;

/// Runs `gzip`, or the program that the first argument names, and returns the exit status.
pub fn gzip_main(args: Vec<Vec<u8>>) -> i32 {
    match options::parse(&args) {
        Ok((options, files)) => run::run(&options, files),
        Err(code) => code,
    }
}
