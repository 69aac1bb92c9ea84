//! GNU `tar` 1.34.

mod archive;
mod create;
mod diff;
mod extract;
mod header;
mod links;
mod list;
mod log;
mod members;
mod names;
mod options;
mod parse;
mod pax;
mod places;
mod reader;
mod restore;
mod sparse;
mod transform;
mod update;
mod writer;

use log::Fatal;
use options::{Op, Options};
use sandshell_coreutils::base::out;

/// `tar`: the exit status.
pub fn tar_main(args: Vec<Vec<u8>>) -> i32 {
    let options = match parse::parse(&args) {
        Ok(options) => options,
        Err(code) => return code,
    };
    let ended = run(&options);
    let code = out::finish("tar", log::status(), 2);
    if ended.is_ok() && code == 2 {
        log::warn("Exiting with failure status due to previous errors");
    }
    code
}

fn run(options: &Options) -> Result<(), Fatal> {
    match options.op {
        Op::Create => create::create(options),
        Op::Extract => extract::extract(options),
        Op::List => list::list(options),
        Op::Diff => diff::diff(options),
        Op::Append | Op::Update => update::append(options),
        Op::Concatenate => update::concatenate(options),
        Op::Delete => update::delete(options),
    }
}
