//! `shopt`

use super::{args, set};
use crate::field::Field;
use crate::options::{self, SET_OPTIONS, SHOPTS, Shopt};
use crate::shell::{Run, Shell};

pub(crate) fn shopt(shell: &mut Shell, args: &[Field]) -> Run<i32> {
    let (found, at) = match args::parse(shell, args, "psuoq") {
        Ok(p) => p,
        Err(status) => return Ok(status),
    };
    let has = |l: u8| found.iter().any(|o| o.letter == l);
    let (on, off, quiet, print, of_set) = (has(b's'), has(b'u'), has(b'q'), has(b'p'), has(b'o'));
    let names = args.get(at..).unwrap_or_default();
    if on && off {
        return Ok(args::fail(shell, args, "cannot set and unset shell options simultaneously"));
    }
    if names.is_empty() {
        if !quiet {
            list_all(shell, of_set, print, on || off, on);
        }
        return Ok(0);
    }
    let mut status = 0;
    for name in names {
        let state = if of_set {
            options::set_option(name).map(|f| shell.opts.is_on(f))
        } else {
            options::shopt_option(name).map(|o| shell.opts.shopt(o))
        };
        let Some(state) = state else {
            let what: &[u8] = if of_set { b": invalid option name" } else { b": invalid shell option name" };
            args::fail(shell, args, [name, what].concat());
            // `shopt -so` reports an unknown name and prints nothing else.
            if !(of_set && (on || off)) {
                status = 1;
            }
            continue;
        };
        if on || off {
            if of_set {
                if let Some(f) = options::set_option(name) {
                    set::change(shell, f, on);
                }
            } else if let Some(o) = options::shopt_option(name) {
                switch(shell, o, on);
            }
            continue;
        }
        if !state {
            status = 1;
        }
        if !quiet {
            show(shell, name, state, of_set, print);
        }
    }
    Ok(status)
}

/// Switches an option and updates what depends on it.
pub(crate) fn switch(shell: &mut Shell, option: Shopt, on: bool) {
    // These report what the shell is and cannot be switched.
    if matches!(option, Shopt::login_shell | Shopt::restricted_shell) {
        return;
    }
    if (Shopt::compat31 as u8..=Shopt::compat44 as u8).contains(&(option as u8)) && on {
        for (other, name) in SHOPTS {
            if name.starts_with("compat") {
                shell.opts.set_shopt(*other, false);
            }
        }
    }
    shell.opts.set_shopt(option, on);
    if let Some(level) = SHOPTS.iter().find(|o| o.0 == option).and_then(|o| o.1.strip_prefix("compat")) {
        let level: &[u8] = if on { level.as_bytes() } else { b"" };
        let _ = shell.set(b"BASH_COMPAT", level);
    }
    if option == Shopt::extdebug {
        shell.opts.set(options::flag::FUNCTRACE, on);
        shell.opts.set(options::flag::ERRTRACE, on);
    }
    shell.show_options();
}

fn show(shell: &mut Shell, name: &[u8], on: bool, of_set: bool, print: bool) {
    let name = String::from_utf8_lossy(name);
    let line = match (print, of_set) {
        (true, true) => format!("set {}o {name}\n", if on { '-' } else { '+' }),
        (true, false) => format!("shopt -{} {name}\n", if on { 's' } else { 'u' }),
        (false, true) => format!("{name:<15}\t{}\n", if on { "on" } else { "off" }),
        (false, false) => format!("{name:<15}\t{}\n", if on { "on" } else { "off" }),
    };
    shell.put(line.as_bytes());
}

fn list_all(shell: &mut Shell, of_set: bool, print: bool, only: bool, wanted: bool) {
    if of_set {
        for (name, _, flag) in SET_OPTIONS {
            let state = shell.opts.is_on(*flag);
            if !only || state == wanted {
                show(shell, name.as_bytes(), state, true, print);
            }
        }
        return;
    }
    for (option, name) in SHOPTS {
        let state = shell.opts.shopt(*option);
        if !only || state == wanted {
            show(shell, name.as_bytes(), state, false, print);
        }
    }
}
