//! `nohup`.

use sandshell_cli::options::{self, Order, Spec};
use sandshell_cli::quote::quoteaf;
use sandshell_cli::warn;
use sandshell_posix::process;
use sandshell_sys::{self as sys, Disposition, open_flags, signal};
use std::ffi::OsString;

/// Runs `nohup` and returns its exit status.
pub fn nohup_main(args: Vec<OsString>) -> i32 {
    let spec = Spec {
        name: "nohup",
        order: Order::First,
        usage: "\
Usage: nohup COMMAND [ARG]...
  or:  nohup OPTION
Runs a command that goes on when the terminal is closed. What it would write to a terminal goes to nohup.out.
",
        failure: if std::env::var_os("POSIXLY_CORRECT").is_some() { 127 } else { 125 },
        unwritten: 125,
        ..Spec::DEFAULT
    };
    let parsed = match spec.parse(&options::operands(args)) {
        Ok(p) => p,
        Err(code) => return code,
    };
    if parsed.operands.is_empty() {
        return spec.missing_operand();
    }
    let (input, output, errors) = (sys::isatty(0), sys::isatty(1), sys::isatty(2));
    if input {
        let opened = sys::open(b"/dev/null", open_flags::WRITE, 0).and_then(|fd| sys::dup2(fd, 0, false));
        if let Err(e) = opened {
            warn!("nohup", "failed to render standard input unusable: ", e);
            return spec.failure;
        }
        if !output {
            let text =
                if errors { "ignoring input and redirecting stderr to stdout" } else { "ignoring input" };
            warn!("nohup", text);
        }
    }
    if output {
        let flags = open_flags::WRITE | open_flags::CREATE | open_flags::APPEND;
        let here = sys::open(b"nohup.out", flags, 0o600).map(|fd| (fd, b"nohup.out".to_vec()));
        let opened = here.or_else(|e| {
            let home = std::env::var_os("HOME").ok_or(e)?.into_encoded_bytes();
            let path = sandshell_posix::path::join(&home, b"nohup.out");
            sys::open(&path, flags, 0o600).map(|fd| (fd, path))
        });
        match opened.and_then(|(fd, path)| sys::dup2(fd, 1, false).map(|()| path)) {
            Ok(path) => {
                let text =
                    if input { "ignoring input and appending output to " } else { "appending output to " };
                warn!("nohup", text, quoteaf(&path));
            }
            Err(e) => {
                warn!("nohup", "failed to open ", quoteaf(b"nohup.out"), ": ", e);
                return spec.failure;
            }
        }
    }
    if errors {
        if !input && !output {
            warn!("nohup", "redirecting stderr to stdout");
        }
        let _ = sys::dup2(1, 2, false);
    }
    let _ = sys::sigaction(signal::SIGHUP, Disposition::Ignore);
    let e = process::exec(&parsed.operands);
    warn!("nohup", "failed to run command ", quoteaf(&parsed.operands[0]), ": ", e);
    process::failure_status(e)
}
