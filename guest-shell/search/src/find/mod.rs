//! GNU `find` 4.9.

mod entry;
mod eval;
mod exec;
mod expr;
mod parse;
mod printf;
mod sink;
mod state;
mod tree;
mod walk;

use crate::out::{Out, message};
use sandshell_cli::bytes;
use sandshell_cli::quote::quote;

/// Runs `find`. Returns 0, or 1 if there was any error.
///
/// Files are visited in the order in which the filesystem returns them.
pub fn find_main(args: Vec<Vec<u8>>) -> i32 {
    let mut parser = parse::Parser::new(args.get(1..).unwrap_or_default());
    let expression = match parser.run() {
        Ok(parse::Outcome::Run(e)) => e,
        Ok(parse::Outcome::Text(text)) => {
            let mut out = Out::stdout();
            out.put(text.as_bytes());
            return i32::from(out.finish().is_err());
        }
        Err(lines) => {
            for line in lines {
                message("find", &line);
            }
            return 1;
        }
    };
    let (state, starts) = parser.finish();
    let walk = walk::Walk::new(&state, &expression);
    for (index, start) in starts.names.iter().enumerate() {
        if state.quit.get() {
            break;
        }
        if let (true, Some(list)) = (start.is_empty(), &starts.list) {
            state.flush();
            let number = (index + 1).to_string();
            message("find", &bytes!(list, ":", number, ": invalid zero-length file name"));
            state.failed.set(true);
            continue;
        }
        walk.start(start);
    }
    eval::finish(&expression, &state);
    let mut failed = state.failed.get();
    for (file, sink) in state.sinks.borrow().iter() {
        if let Err(e) = sink.borrow_mut().finish() {
            let is_stdout = file == b"/dev/stdout";
            let name = if is_stdout { b"standard output" } else { file.as_slice() };
            message("find", &bytes!(quote(name), ": ", e.to_string()));
            if is_stdout {
                message("find", b"write error");
            }
            failed = true;
        }
    }
    i32::from(failed)
}
