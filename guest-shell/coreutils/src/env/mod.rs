//! `env`.

mod signals;
mod split;

use crate::env::signals::Handling;
use sandshell_cli::options::{self, Order, Spec, named, option};
use sandshell_cli::out;
use sandshell_cli::quote::{quote, quoteaf};
use sandshell_cli::{bytes, warn};
use sandshell_posix::process;
use sandshell_sys::{self as sys, Errno};
use std::ffi::OsString;

const SPEC: Spec = Spec {
    name: "env",
    order: Order::First,
    usage: "\
Usage: env [OPTION]... [-] [NAME=VALUE]... [COMMAND [ARG]...]
Runs a command with a changed environment; without COMMAND, prints the environment. A lone - means -i.

",
    options: &[
        option("-i, --ignore-environment", "begin with nothing"),
        option("-0, --null", "lines end with NUL"),
        option("-u, --unset=NAME", "without the variable NAME"),
        option("-C, --chdir=DIR", "in the directory DIR"),
        option("-S, --split-string=S", "take S apart into arguments, for #! lines"),
        named("block", "--block-signal[=SIG]", "block SIG in the command"),
        named("default", "--default-signal[=SIG]", "SIG does in the command what it does by default"),
        named("ignore", "--ignore-signal[=SIG]", "ignore SIG in the command"),
        named("list", "--list-signal-handling", "tell of signals that are not handled by default"),
        option("-v, --debug", "tell of each step"),
    ],
    ties: &["debug", "default-signal"],
    failure: 125,
    unwritten: 125,
    ..Spec::DEFAULT
};

/// Runs `env` and returns its exit status.
pub fn env_main(args: Vec<OsString>) -> i32 {
    let args = match unsplit(options::operands(args)) {
        Ok(args) => args,
        Err(code) => return code,
    };
    let parsed = match SPEC.parse_with_hint(&args, |text| {
        // The kernel passes `-i cat` in `#!/usr/bin/env -i cat` as one argument.
        let blank = text.strip_prefix(b"invalid option -- '").and_then(|t| t.first());
        let shebang = blank.is_some_and(|b| matches!(*b, b' ' | b'\t'..=b'\r'));
        if shebang { Some("use -[v]S to pass options in shebang lines") } else { None }
    }) {
        Ok(p) => p,
        Err(code) => return code,
    };
    let mut env = process::environment();
    let (mut null, mut dir) = (false, None);
    let mut handling = Handling::default();
    let debug = parsed.options.iter().any(|g| g.id == "v");
    let trace = |text: Vec<u8>| {
        if debug {
            let _ = sys::write_all(2, &bytes!(text, "\n"));
        }
    };
    let unset = |env: &mut Vec<Vec<u8>>, name: &[u8]| {
        env.retain(|e| e.strip_prefix(name).is_none_or(|rest| rest.first() != Some(&b'=')));
    };
    let ignore =
        parsed.options.iter().any(|g| g.id == "i") || parsed.operands.first().is_some_and(|o| o == b"-");
    if ignore {
        trace(b"cleaning environ".to_vec());
        env.clear();
    }
    for g in &parsed.options {
        match g.id {
            "default" | "ignore" | "block" => {
                if let Err(text) = handling.read(g.id, g.value.as_deref()) {
                    return SPEC.usage(text);
                }
            }
            "list" => handling.listed = true,
            "u" => {
                trace(bytes!("unset:    ", g.text()));
                if g.text().is_empty() || g.text().contains(&b'=') {
                    warn!("env", "cannot unset ", quote(g.text()), ": ", Errno::INVAL);
                    return 125;
                }
                unset(&mut env, g.text());
            }
            "0" => null = true,
            "C" => dir = Some(g.text().to_vec()),
            _ => {}
        }
    }
    let mut operands = parsed.operands.iter().peekable();
    if operands.peek().is_some_and(|o| *o == b"-") {
        operands.next();
    }
    while let Some(assignment) = operands.next_if(|o| o.contains(&b'=')) {
        let name = assignment.split(|b| *b == b'=').next().unwrap_or_default().to_vec();
        trace(bytes!("setenv:   ", assignment));
        unset(&mut env, &name);
        env.push(assignment.clone());
    }
    let command: Vec<Vec<u8>> = operands.cloned().collect();
    if command.is_empty() {
        if dir.is_some() {
            return SPEC.usage("must specify command with --chdir (-C)");
        }
        for entry in &env {
            out::put(entry);
            out::put(if null { b"\0" } else { b"\n" });
        }
        return out::finish("env", 0, 125);
    }
    if null {
        return SPEC.usage("cannot specify --null (-0) with command");
    }
    if let Err(n) = handling.apply() {
        warn!("env", "failed to set signal action for signal ", n, ": ", Errno::INVAL);
        return 125;
    }
    if let Some(dir) = dir {
        trace(bytes!("chdir:    ", quoteaf(&dir)));
        if let Err(e) = sys::chdir(&dir) {
            warn!("env", "cannot change directory to ", quoteaf(&dir), ": ", e);
            return 125;
        }
    }
    trace(bytes!("executing: ", &command[0]));
    for (i, word) in command.iter().enumerate() {
        trace(bytes!("   arg[", i, "]= ", quote(word)));
    }
    let path = env
        .iter()
        .find_map(|e| e.strip_prefix(b"PATH="))
        .map_or_else(|| b"/bin:/usr/bin".to_vec(), <[u8]>::to_vec);
    let e = process::exec_with(&command, &env, &path);
    warn!("env", quote(&command[0]), ": ", e);
    if e == Errno::NOENT && command[0].contains(&b' ') {
        warn!("env", "use -[v]S to pass options in shebang lines");
    }
    process::failure_status(e)
}

/// Replaces each `-S` and its string by the arguments in the string.
fn unsplit(args: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, i32> {
    let mut out = Vec::new();
    let mut rest = args.into_iter();
    let mut debug = false;
    while let Some(arg) = rest.next() {
        if !arg.starts_with(b"-") || arg.len() < 2 || arg == b"--" {
            out.push(arg);
            break;
        }
        let text = if arg == b"--split-string" {
            rest.next()
        } else if let Some(text) = arg.strip_prefix(b"--split-string=") {
            Some(text.to_vec())
        } else if arg.starts_with(b"--") {
            debug |= arg == b"--debug";
            out.push(arg);
            continue;
        } else {
            // The letters that may precede `S` take no values.
            let flags = arg[1..].iter().take_while(|b| b"i0v".contains(b)).count();
            debug |= arg[1..=flags].contains(&b'v');
            match arg.get(1 + flags) {
                Some(b'S') => {
                    if flags > 0 {
                        out.push(arg[..=flags].to_vec());
                    }
                    if arg.len() > flags + 2 { Some(arg[flags + 2..].to_vec()) } else { rest.next() }
                }
                Some(b'u' | b'C') if arg.len() == flags + 2 => {
                    out.push(arg);
                    out.extend(rest.next());
                    continue;
                }
                _ => {
                    out.push(arg);
                    continue;
                }
            }
        };
        let Some(text) = text else {
            out.push(arg);
            break;
        };
        let words = crate::env::split::split(&text)?;
        if debug {
            let mut told = bytes!("split -S:  ", quote(&text), "\n");
            for (i, word) in words.iter().enumerate() {
                told.extend(bytes!(if i == 0 { " into:    " } else { "     &    " }, quote(word), "\n"));
            }
            let _ = sys::write_all(2, &told);
        }
        out.extend(words);
        out.extend(rest);
        return Ok(out);
    }
    out.extend(rest);
    Ok(out)
}
