//! `diff`: compares files and directories line by line.

mod context;
mod directory;
mod ed;
mod file;
mod format;
mod formats;
mod function;
mod header;
mod help;
mod hunk;
mod line;
mod normal;
mod options;
mod pair;
mod regexps;
mod screen;
mod side;
mod unified;

use sandshell_cli::out;

/// Runs `diff` on its arguments (its own name first) and returns the exit status: 0 without differences, 1 with
/// differences, 2 on trouble.
pub fn diff_main(args: Vec<Vec<u8>>) -> i32 {
    crate::say::set_program(&args, "diff");
    let status = match options::read(&args) {
        Ok(job) => job.pairs.iter().map(|pair| pair::compare_operands(&job.options, pair)).max().unwrap_or(0),
        Err(status) => status,
    };
    out::flush();
    match out::failure() {
        Some(sandshell_sys::Errno::PIPE) => 2,
        Some(e) => {
            crate::say::failed(b"standard output", e);
            2
        }
        None => status,
    }
}
