//! `tee`.

use sandshell_cli::input::Input;
use sandshell_cli::options::{self, Spec, choose, named, option};
use sandshell_cli::quote::quotef;
use sandshell_cli::warn;
use sandshell_sys::{self as sys, Disposition, Errno, Fd, open_flags, signal};
use std::ffi::OsString;

const SPEC: Spec = Spec {
    name: "tee",
    usage: "\
Usage: tee [OPTION]... [FILE]...
Copies standard input to files and to standard output.

",
    options: &[
        option("-a, --append", "add to the files"),
        option("-i, --ignore-interrupts", "go on at SIGINT"),
        option("-p", "say what happens at write errors, as --output-error=warn-nopipe"),
        named("p", "--output-error[=MODE]", "at write errors: warn, warn-nopipe, exit or exit-nopipe"),
    ],
    ..Spec::DEFAULT
};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct OnError {
    exit: bool,
    ignore_pipes: bool,
}

/// Runs `tee` and returns its exit status.
pub fn tee_main(args: Vec<OsString>) -> i32 {
    run(args).unwrap_or_else(|code| code)
}

fn run(args: Vec<OsString>) -> Result<i32, i32> {
    let parsed = SPEC.parse(&options::operands(args))?;
    let (mut append, mut mode) = (false, None);
    for g in &parsed.options {
        match g.id {
            "a" => append = true,
            "i" => {
                let _ = sys::sigaction(signal::SIGINT, Disposition::Ignore);
            }
            _ => {
                let of = |exit, ignore_pipes| OnError { exit, ignore_pipes };
                let words = [
                    ("warn", of(false, false)),
                    ("warn-nopipe", of(false, true)),
                    ("exit", of(true, false)),
                    ("exit-nopipe", of(true, true)),
                ];
                mode = Some(match &g.value {
                    Some(word) => choose(&SPEC, "--output-error", word, &words)?,
                    None => of(false, true),
                });
            }
        }
    }
    if mode.is_some() {
        let _ = sys::sigaction(signal::SIGPIPE, Disposition::Ignore);
    }
    let mut code = 0;
    let how = if append { open_flags::APPEND } else { open_flags::TRUNC };
    let mut outputs: Vec<(Vec<u8>, Fd)> = vec![(b"'standard output'".to_vec(), 1)];
    for path in &parsed.operands {
        match sys::open(path, open_flags::WRITE | open_flags::CREATE | how, 0o666) {
            Ok(fd) => outputs.push((quotef(path), fd)),
            Err(e) => {
                warn!("tee", quotef(path), ": ", e);
                code = 1;
                if mode.is_some_and(|m| m.exit) {
                    return Err(1);
                }
            }
        }
    }
    let mut input = Input::of(0);
    loop {
        let there = match input.fill() {
            Ok([]) => break,
            Ok(there) => there,
            Err(e) => {
                warn!("tee", "read error: ", e);
                code = 1;
                break;
            }
        };
        let mut stop = false;
        outputs.retain(|(shown, fd)| {
            let Err(e) = sys::write_all(*fd, there) else { return true };
            let told = e != Errno::PIPE || mode.is_some_and(|m| !m.ignore_pipes);
            if told {
                warn!("tee", shown, ": ", e);
                code = 1;
            }
            stop |= told && mode.is_some_and(|m| m.exit);
            false
        });
        let n = there.len();
        input.consume(n);
        if stop || outputs.is_empty() {
            break;
        }
    }
    for (shown, fd) in outputs.iter().filter(|o| o.1 > 2) {
        if let Err(e) = sys::close(*fd) {
            warn!("tee", shown, ": ", e);
            code = 1;
        }
    }
    Ok(code)
}
