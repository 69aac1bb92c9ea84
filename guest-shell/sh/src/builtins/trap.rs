//! `trap` and `kill`

use super::args;
use crate::expand::transform::quote_plainly;
use crate::field::Field;
use crate::jobs::JobSpec;
use crate::shell::{Run, Shell};
use crate::text;
use crate::traps::{RETURN, name_of_signal, real_name, signal_number};
use sandshell_sys as sys;
use std::rc::Rc;

// The table of `trap -l` and `kill -l`.
fn list_signals(shell: &mut Shell) {
    let mut column = 0;
    for n in 1..=64 {
        let Some(name) = real_name(n) else { continue };
        shell.put(format!("{n:2}) SIG{name}").as_bytes());
        column += 1;
        if column == 5 {
            shell.put(b"\n");
            column = 0;
        } else {
            shell.put(b"\t");
        }
    }
    if column != 0 {
        shell.put(b"\n");
    }
}

pub(super) fn trap(shell: &mut Shell, args: &[Field]) -> Run<i32> {
    let (options, at) = match args::parse(shell, args, "lp") {
        Ok(p) => p,
        Err(status) => return Ok(status),
    };
    if options.iter().any(|o| o.letter == b'l') {
        list_signals(shell);
        return Ok(0);
    }
    let words = args.get(at..).unwrap_or_default();
    let print = options.iter().any(|o| o.letter == b'p');
    if print || words.is_empty() {
        // In POSIX mode `-p` also shows signals without a trap.
        let unset = print && shell.posix();
        return Ok(show(shell, args, words, unset));
    }
    let Some((first, rest)) = words.split_first() else { return Ok(0) };
    let is_signal = signal_number(first, true).is_some();
    let (action, signals): (Option<&[u8]>, &[Field]) =
        if is_signal && (text::is_digits(first) || rest.is_empty() && !shell.posix()) {
            (None, words)
        } else if rest.is_empty() {
            return Ok(args::usage(shell, args));
        } else if &**first == b"-" {
            (None, rest)
        } else {
            (Some(first), rest)
        };
    let mut status = 0;
    for word in signals {
        match signal_number(word, true) {
            Some(n) => shell.set_trap(n, action.map(Rc::from)),
            None => {
                args::fail(shell, args, [word, b": invalid signal specification".as_slice()].concat());
                status = 1;
            }
        }
    }
    Ok(status)
}

fn show(shell: &mut Shell, args: &[Field], words: &[Field], unset: bool) -> i32 {
    shell.find_ignored();
    let list = shell.traps.list();
    let mut status = 0;
    let one = |shell: &mut Shell, number: usize| {
        let action = match list.iter().find(|e| e.0 == number) {
            Some((_, action)) => quote_plainly(action),
            None if unset => b"-".to_vec(),
            None => return,
        };
        let full = name_of_signal(number);
        let name = if shell.posix() { full.strip_prefix("SIG").unwrap_or(&full) } else { &full };
        let line = [b"trap -- ", &*action, b" ", name.as_bytes(), b"\n"].concat();
        shell.put(&line);
    };
    if words.is_empty() {
        for number in 0..=RETURN {
            one(shell, number);
        }
        return 0;
    }
    for word in words {
        match signal_number(word, true) {
            Some(n) => one(shell, n),
            None => {
                args::fail(shell, args, [word, b": invalid signal specification".as_slice()].concat());
                status = 1;
            }
        }
    }
    status
}

pub(super) fn kill(shell: &mut Shell, args: &[Field]) -> Run<i32> {
    let words = args.get(1..).unwrap_or_default();
    if words.first().is_some_and(|w| &**w == b"--help") {
        super::help::print_help(shell, b"kill");
        return Ok(2);
    }
    let mut signal = usize::from(sys::signal::SIGTERM);
    let mut chosen = false;
    let mut list = false;
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let next = words.get(at + 1);
        match &**word {
            b"-l" | b"-L" => {
                list = true;
                at += 1;
            }
            b"-s" | b"-n" => {
                let Some(name) = next else {
                    let message = [word, b": option requires an argument".as_slice()].concat();
                    args::fail(shell, args, message);
                    return Ok(1);
                };
                match signal_number(name, true) {
                    Some(n) => signal = n,
                    None => return Ok(invalid_signal(shell, args, name)),
                }
                chosen = true;
                at += 2;
            }
            b"--" => {
                at += 1;
                break;
            }
            b"-?" => return Ok(args::usage(shell, args)),
            w if (w.starts_with(b"-s") || w.starts_with(b"-n")) && w.len() > 2 => {
                let name = w.get(2..).unwrap_or_default();
                match signal_number(name, true) {
                    Some(n) => signal = n,
                    None => return Ok(invalid_signal(shell, args, name)),
                }
                chosen = true;
                at += 1;
            }
            w if w.len() > 1 && w.first() == Some(&b'-') && !chosen => {
                let name = w.get(1..).unwrap_or_default();
                match signal_number(name, true).filter(|_| !(shell.posix() && name.starts_with(b"SIG"))) {
                    Some(n) => signal = n,
                    None => return Ok(invalid_signal(shell, args, name)),
                }
                chosen = true;
                at += 1;
            }
            _ => break,
        }
    }
    let operands = words.get(at..).unwrap_or_default();
    if list {
        return Ok(translate(shell, args, operands));
    }
    if operands.is_empty() {
        return Ok(args::usage(shell, args));
    }
    let signal = match u8::try_from(signal) {
        Ok(n) if n <= 64 => n,
        _ => return Ok(invalid_signal(shell, args, words.first().map_or(b"", |w| w))),
    };
    // bash succeeds if at least one operand worked.
    let mut any = false;
    for word in operands {
        any |= send(shell, args, word, signal);
    }
    Ok(i32::from(!any))
}

fn invalid_signal(shell: &mut Shell, args: &[Field], name: &[u8]) -> i32 {
    args::fail(shell, args, [name, b": invalid signal specification"].concat())
}

fn translate(shell: &mut Shell, args: &[Field], words: &[Field]) -> i32 {
    if words.is_empty() {
        if shell.posix() {
            let names: Vec<String> = (1..=64).filter_map(real_name).collect();
            shell.put(names.join(" ").as_bytes());
            shell.put(b"\n");
        } else {
            list_signals(shell);
        }
        return 0;
    }
    let mut status = 0;
    for word in words {
        if text::is_digits(word) {
            // The exit status of a killed program stands for its signal.
            let n = text::parse_integer(word).and_then(|n| usize::try_from(n).ok()).unwrap_or(usize::MAX);
            let n = if n > 128 { n - 128 } else { n };
            let name = if n == 0 { Some("EXIT".to_string()) } else { real_name(n) };
            match name {
                Some(name) => {
                    shell.put(name.as_bytes());
                    shell.put(b"\n");
                }
                None => status = invalid_signal(shell, args, word),
            }
            continue;
        }
        match signal_number(word, true) {
            Some(n) => {
                shell.put(n.to_string().as_bytes());
                shell.put(b"\n");
            }
            None => status = invalid_signal(shell, args, word),
        }
    }
    status
}

fn send(shell: &mut Shell, args: &[Field], word: &[u8], signal: u8) -> bool {
    let digits = word.strip_prefix(b"-").unwrap_or(word);
    if text::is_digits(digits) {
        let target = text::parse_integer(word).and_then(|n| i32::try_from(n).ok());
        let result = match target {
            Some(pid) => sys::kill(pid, signal),
            None => Err(sys::Errno::SRCH),
        };
        return match result {
            Ok(()) => true,
            Err(e) => {
                args::fail(shell, args, [b"(", word, b") - ", e.to_string().as_bytes()].concat());
                false
            }
        };
    }
    if word.is_empty() {
        args::fail(shell, args, "`': not a pid or valid job spec");
        return false;
    }
    if word.first() != Some(&b'%') {
        args::fail(shell, args, [word, b": arguments must be process or job IDs"].concat());
        return false;
    }
    let number = match shell.find_job(word) {
        JobSpec::Found(number) => number,
        JobSpec::Ambiguous => {
            let name = word.get(1..).unwrap_or_default();
            args::fail(shell, args, [name, b": ambiguous job spec"].concat());
            return false;
        }
        JobSpec::Missing => {
            args::fail(shell, args, [word, b": no such job"].concat());
            return false;
        }
    };
    let Some(job) = shell.jobs.get(number) else { return false };
    let result = match job.pgid {
        Some(pgid) => sys::kill(-pgid, signal),
        None => {
            let mut result = Err(sys::Errno::SRCH);
            for p in job.processes.iter().filter(|p| p.status.is_none()) {
                let sent = sys::kill(p.pid, signal);
                if result.is_err() {
                    result = sent;
                }
            }
            result
        }
    };
    match result {
        Ok(()) => {
            if job.stopped() && matches!(signal, sys::signal::SIGHUP | sys::signal::SIGTERM) {
                let leader = job.pgid.map_or_else(|| job.pid(), |p| -p);
                let _ = sys::kill(leader, sys::signal::SIGCONT);
            }
            if job.stopped() && signal == sys::signal::SIGCONT {
                shell.jobs.set_running(number);
            }
            true
        }
        Err(e) => {
            let pid = job.leader();
            args::fail(shell, args, format!("({pid}) - {e}"));
            false
        }
    }
}
