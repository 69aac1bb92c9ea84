//! `patch`: makes the changes that a diff describes.

mod ed;
mod header;
mod hunk;
mod lines;
mod locate;
mod one;
mod options;
mod queue;
mod read;
mod reject;
mod say;
mod target;

use header::{Patch, Wanted};
use lines::Lines;
use one::Session;
use options::{Options, Verbosity};
use sandshell_cli::out;
use sandshell_sys as sys;
use say::{Fatal, say};

/// Runs `patch` on its arguments (its own name first) and returns the exit status: 0 if all hunks were applied, 1 if
/// some were not, 2 on trouble.
pub fn patch_main(args: Vec<Vec<u8>>) -> i32 {
    crate::say::set_program(&args, "patch");
    let status = match options::read(&args) {
        Ok(options) => run(&options).unwrap_or_else(|fatal| fatal.report()),
        Err(status) => status,
    };
    out::flush();
    match out::failure() {
        Some(_) => 2,
        None => status,
    }
}

fn run(options: &Options) -> Result<i32, Fatal> {
    let to_stdout = options.output.as_deref() == Some(b"-");
    if to_stdout {
        say::to_stderr();
    }
    if let Some(dir) = &options.directory {
        sys::chdir(dir).map_err(|e| Fatal::file("Can't change to directory", dir, e))?;
    }
    let data = match options.input.as_deref() {
        None | Some(b"-") => sys::read_to_end(0).map_err(|e| Fatal::text(format!("read error : {e}")))?,
        Some(name) => target::read(name).map_err(|e| Fatal::file("Can't open patch file", name, e))?,
    };
    let is_empty = data.is_empty();
    let mut lines = Lines::new(data);
    let wanted = Wanted {
        format: options.form,
        strip: options.strip,
        binary: options.binary,
        has_name: options.file.is_some(),
    };
    let mut session = Session::new(options);
    let mut applied = false;
    loop {
        let first = lines.is_at_start();
        if !first && lines.is_at_end() {
            break;
        }
        if options.verbosity == Verbosity::Verbose {
            say("Hmm...");
        }
        match header::find(&mut lines, &wanted)? {
            Some(patch) => {
                if let Err(fatal) = session.apply(&patch, &mut lines, first) {
                    session.put_waiting()?;
                    return Err(fatal);
                }
                applied = true;
            }
            None => {
                if options.verbosity == Verbosity::Verbose {
                    say(if first {
                        "  I can't seem to find a patch in there anywhere.\n"
                    } else {
                        "  Ignoring the trailing garbage.\n"
                    });
                }
                if first && !is_empty {
                    return Err(Fatal::text("Only garbage was found in the patch input."));
                }
                break;
            }
        }
    }
    // With `-o`, a file is copied even if the patch is empty.
    if !applied && options.file.is_some() && options.output.is_some() {
        session.apply(&Patch::empty(), &mut lines, false)?;
    }
    if options.verbosity == Verbosity::Verbose && !is_empty {
        say("done\n");
    }
    session.finish()
}
