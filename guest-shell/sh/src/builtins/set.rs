//! `set`

use super::{args, declare};
use crate::field::Field;
use crate::options::{self, SET_OPTIONS, Shopt, flag};
use crate::shell::{Run, Shell};
use crate::variables::Name;
use std::rc::Rc;

pub(super) fn set(shell: &mut Shell, args: &[Field]) -> Run<i32> {
    let words = args.get(1..).unwrap_or_default();
    if words.is_empty() {
        declare::set_listing(shell);
        if !shell.posix() {
            for (_, f) in shell.all_functions() {
                let text = sandshell_syntax::print::function(&f.function);
                shell.put(&text);
                shell.put(b"\n");
            }
        }
        return Ok(0);
    }
    if words.first().is_some_and(|w| &**w == b"--help") {
        super::help::print_help(shell, b"set");
        return Ok(2);
    }
    if let Some(option) = first_invalid(words) {
        return Ok(args::invalid_option(shell, args, &option));
    }
    let mut at = 0;
    let mut status = 0;
    while let Some(word) = words.get(at) {
        match &**word {
            b"--" => {
                shell.args_set = true;
                shell.args = Rc::new(words.get(at + 1..).unwrap_or_default().to_vec());
                return Ok(status);
            }
            b"-" => {
                change(shell, flag::XTRACE, false);
                change(shell, flag::VERBOSE, false);
                let rest = words.get(at + 1..).unwrap_or_default();
                if !rest.is_empty() {
                    shell.args_set = true;
                    shell.args = Rc::new(rest.to_vec());
                }
                return Ok(status);
            }
            // A single `+` is neither an argument nor the end of the options.
            b"+" => at += 1,
            w if w.len() > 1 && matches!(w.first(), Some(b'-' | b'+')) => {
                let on = w.first() == Some(&b'-');
                let mut next = at + 1;
                for letter in w.iter().skip(1) {
                    if *letter == b'r' {
                        if !on {
                            args::invalid_option(shell, args, b"+r");
                            return Ok(1);
                        }
                        shell.restrict();
                        continue;
                    }
                    if *letter != b'o' {
                        change(shell, letter_flag(*letter), on);
                        continue;
                    }
                    match words.get(next) {
                        Some(name) if !matches!(name.first(), Some(b'-' | b'+')) => {
                            next += 1;
                            match options::set_option(name) {
                                Some(flag) => change(shell, flag, on),
                                None => {
                                    args::fail(
                                        shell,
                                        args,
                                        [name, b": invalid option name".as_slice()].concat(),
                                    );
                                    shell.usage_error = true;
                                    return Ok(2);
                                }
                            }
                        }
                        _ => {
                            list(shell, on);
                            status = 0;
                        }
                    }
                }
                at = next;
            }
            _ => break,
        }
    }
    let rest = words.get(at..).unwrap_or_default();
    if !rest.is_empty() {
        shell.args_set = true;
        shell.args = Rc::new(rest.to_vec());
    }
    Ok(status)
}

// bash checks all options before it sets any.
fn first_invalid(words: &[Field]) -> Option<Vec<u8>> {
    let mut at = 0;
    while let Some(word) = words.get(at) {
        at += 1;
        if &**word == b"+" {
            continue;
        }
        if word.len() < 2 || !matches!(word.first(), Some(b'-' | b'+')) || &**word == b"--" {
            return None;
        }
        for letter in word.iter().skip(1) {
            if *letter == b'o' {
                if words.get(at).is_some_and(|n| !matches!(n.first(), Some(b'-' | b'+'))) {
                    at += 1;
                }
            } else if letter_flag(*letter) == 0 && *letter != b'r' {
                return Some(vec![word.first().copied().unwrap_or(b'-'), *letter]);
            }
        }
    }
    None
}

fn letter_flag(letter: u8) -> u32 {
    SET_OPTIONS.iter().find(|o| o.1 == letter && letter != 0).map_or(0, |o| o.2)
}

/// Switches the options with these letters. Returns false at the first unknown letter; options before it have been
/// switched.
pub(crate) fn apply_option_letters(shell: &mut Shell, letters: &[u8], on: bool) -> bool {
    letters.iter().all(|l| {
        let flag = letter_flag(*l);
        if flag != 0 {
            change(shell, flag, on);
        }
        flag != 0
    })
}

/// Switches one option of `set`.
pub(crate) fn change(shell: &mut Shell, flag: u32, on: bool) {
    shell.opts.set(flag, on);
    match flag {
        flag::HASHALL if !on => shell.hash.clear(),
        flag::HISTORY => {
            shell.record.adding = on;
            if on && shell.record.unsaved == 0 {
                shell.load_history();
            }
        }
        // Variables show these options too.
        flag::POSIX => {
            if on {
                shell.opts.set_shopt(Shopt::expand_aliases, true);
                shell.opts.set_shopt(Shopt::inherit_errexit, true);
                shell.opts.set_shopt(Shopt::shift_verbose, true);
                if shell.vars.get(Name::new(b"POSIXLY_CORRECT")).is_none() {
                    let _ = shell.set(b"POSIXLY_CORRECT", b"y");
                }
            } else {
                shell.opts.set_shopt(Shopt::expand_aliases, shell.opts.interactive);
                shell.opts.set_shopt(Shopt::shift_verbose, false);
                shell.unset_variable(Name::new(b"POSIXLY_CORRECT"));
            }
        }
        flag::IGNOREEOF => follow_ignoreeof(shell),
        flag::EMACS | flag::VI if on => {
            shell.editor.prefers_vi = flag == flag::VI;
            if let Some(config) = &mut shell.editor.config {
                config.set_mode(flag == flag::VI);
            }
        }
        _ => {}
    }
    shell.show_options();
}

/// Sets `IGNOREEOF` to the value that stands for the state of the option.
pub(super) fn follow_ignoreeof(shell: &mut Shell) {
    if shell.opts.has(flag::IGNOREEOF) {
        let _ = shell.set(b"IGNOREEOF", b"10");
    } else {
        shell.unset_variable(Name::new(b"IGNOREEOF"));
    }
}

/// Lists the options: `set -o` (`readable`) or `set +o`.
pub(crate) fn list(shell: &mut Shell, readable: bool) {
    for (name, _, flag) in SET_OPTIONS {
        let on = shell.opts.is_on(*flag);
        let line = if readable {
            format!("{name:<15}\t{}\n", if on { "on" } else { "off" })
        } else {
            format!("set {}o {name}\n", if on { '-' } else { '+' })
        };
        shell.put(line.as_bytes());
    }
}
