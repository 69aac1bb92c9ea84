//! GNU sed 4.9 for sandshell's guests.
//!
//! A script is parsed to a flat list of commands ([`parse`]), which [`run`] executes for each line from [`input`]. The
//! behaviour follows the manual of GNU sed and observations of the program. Unlike GNU sed, this one does not run
//! commands (`e`, `s///e`) and has no `--debug`.

mod address;
mod input;
mod options;
mod output;
mod parse;
mod pattern;
mod replace;
mod run;
mod script;
mod text;

/// `sed`: runs a script on files. Returns the exit status: 0; 1 for an error in usage or script; 2 if an input file
/// could not be read; 4 for other failures; or the status given to `q` or `Q`.
pub fn sed_main(args: Vec<Vec<u8>>) -> i32 {
    let (mut options, operands) = match options::read(&args) {
        Ok(read) => read,
        Err(status) => return status,
    };
    let sinks = output::Sinks::new(options.unbuffered);
    let parsed =
        parse::script(&mut options, &sinks).and_then(|script| run::run(script, &options, operands, &sinks));
    let status = match parsed {
        Ok(status) => status,
        Err(failure) => {
            sinks.flush();
            message(&failure.text);
            return failure.status;
        }
    };
    match sinks.flush_all() {
        Ok(()) => status,
        Err(failure) => {
            message(&failure.text);
            failure.status
        }
    }
}

/// Why sed stops.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) status: i32,
    pub(crate) text: Vec<u8>,
}

impl Failure {
    /// An error that GNU sed calls a panic: status 4.
    pub(crate) fn panic(parts: &[&[u8]]) -> Self {
        Self { status: 4, text: parts.concat() }
    }

    /// An error in usage or script: status 1.
    pub(crate) fn usage(parts: &[&[u8]]) -> Self {
        Self { status: 1, text: parts.concat() }
    }
}

pub(crate) type Result<T> = std::result::Result<T, Failure>;

/// Prints `sed: TEXT` on standard error.
pub(crate) fn message(text: &[u8]) {
    let line = [b"sed: ", text, b"\n"].concat();
    // If standard error is closed, nobody can be told.
    let _ = sandshell_sys::write_all(2, &line);
}
