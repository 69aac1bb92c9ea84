//! `fmt`: fills paragraphs so that lines have similar widths and break at good places.

mod break_points;
mod input_line;
mod options;
mod output;
mod paragraph;
mod reader;
mod words;

use sandshell_cli::input::Input;
use sandshell_cli::options::operands;
use sandshell_cli::out;
use sandshell_cli::quote::quoteaf;
use sandshell_cli::warn;
use std::ffi::OsString;

/// Runs `fmt` and returns its exit status.
pub fn fmt_main(args: Vec<OsString>) -> i32 {
    let (style, files) = match options::parse(operands(args)) {
        Ok(parsed) => parsed,
        Err(code) => return code,
    };
    let mut code = 0;
    for name in &files {
        match Input::open(name) {
            Ok(mut input) => {
                if reader::fill_paragraphs(&style, &mut input).is_err() {
                    warn!("fmt", "read error");
                    code = 1;
                }
            }
            Err(e) => {
                warn!("fmt", "cannot open ", quoteaf(name), " for reading: ", e);
                code = 1;
            }
        }
    }
    out::finish("fmt", code, 1)
}
