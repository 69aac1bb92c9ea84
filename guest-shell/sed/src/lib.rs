//! GNU sed 4.9 for sandshell's guests.
//!
//! A script is parsed into a flat list of commands ([`parse`]), which [`run`] executes over the lines that [`input`]
//! delivers. The behaviour is that of the manual of GNU sed and of the program itself; what GNU sed does and this one
//! refuses is running commands (`e`, `s///e`) and `--debug`.

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

/// `sed`: runs a script over files. Returns the exit status: 0; 1 for a wrong use or script; 2 if an input file could not
/// be read; 4 for other failures; or what `q` and `Q` say.
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
    /// What GNU calls a panic: status 4.
    pub(crate) fn panic(parts: &[&[u8]]) -> Self {
        Self { status: 4, text: parts.concat() }
    }

    /// A wrong use or script: status 1.
    pub(crate) fn usage(parts: &[&[u8]]) -> Self {
        Self { status: 1, text: parts.concat() }
    }
}

pub(crate) type Result<T> = std::result::Result<T, Failure>;

/// Prints `sed: TEXT` on standard error.
pub(crate) fn message(text: &[u8]) {
    let line = [b"sed: ", text, b"\n"].concat();
    // There is nobody to tell if standard error is closed.
    let _ = sandshell_sys::write_all(2, &line);
}
