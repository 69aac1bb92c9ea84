//! `umask`, `ulimit` and `times`

use super::args;
use crate::field::Field;
use crate::shell::{Run, Shell};
use crate::text;
use sandshell_posix::mode::{Expected, ModeExpression, Unexpected};
use sandshell_sys as sys;

pub(super) fn times(shell: &mut Shell, args: &[Field]) -> Run<i32> {
    if let Err(status) = args::none(shell, args) {
        return Ok(status);
    }
    let t = sys::times();
    let show = |ns: u64| {
        let ms = ns / 1_000_000;
        format!("{}m{}.{:03}s", ms / 60_000, ms / 1000 % 60, ms % 1000)
    };
    let lines = format!("{} {}\n{} {}\n", show(t.utime), show(t.stime), show(t.cutime), show(t.cstime));
    shell.put(lines.as_bytes());
    Ok(0)
}

pub(super) fn umask(shell: &mut Shell, args: &[Field]) -> Run<i32> {
    let (options, at) = match args::parse(shell, args, "Sp") {
        Ok(p) => p,
        Err(status) => return Ok(status),
    };
    let symbolic = options.iter().any(|o| o.letter == b'S');
    let print = options.iter().any(|o| o.letter == b'p');
    let present = sys::umask(0);
    sys::umask(present);
    let mask = match args.get(at) {
        None => {
            let text = match (symbolic, print) {
                (true, true) => format!("umask -S {}\n", symbols(present)),
                (true, false) => format!("{}\n", symbols(present)),
                (false, true) => format!("umask {present:04o}\n"),
                (false, false) => format!("{present:04o}\n"),
            };
            shell.put(text.as_bytes());
            return Ok(0);
        }
        Some(word) if word.first().is_some_and(u8::is_ascii_digit) => {
            let value = std::str::from_utf8(word).ok().and_then(|w| u32::from_str_radix(w, 8).ok());
            match value.filter(|v| *v <= 0o7777) {
                Some(v) => v & 0o777,
                None => {
                    return Ok(args::fail(
                        shell,
                        args,
                        [word, b": octal number out of range".as_slice()].concat(),
                    ));
                }
            }
        }
        Some(word) => match parse_symbols(word, present) {
            Ok(v) => v,
            Err((byte, what)) => {
                let message =
                    [b"`".as_slice(), &[byte], b"': invalid symbolic mode ", what.as_bytes()].concat();
                return Ok(args::fail(shell, args, message));
            }
        },
    };
    sys::umask(mask);
    shell.umask = Some(mask);
    if symbolic {
        shell.put(format!("{}\n", symbols(mask)).as_bytes());
    }
    Ok(0)
}

fn symbols(mask: u32) -> String {
    let part = |shift: u32| {
        let allowed = !(mask >> shift) & 7;
        [(4, 'r'), (2, 'w'), (1, 'x')]
            .iter()
            .filter(|(bit, _)| allowed & bit != 0)
            .map(|e| e.1)
            .collect::<String>()
    };
    format!("u={},g={},o={}", part(6), part(3), part(0))
}

/// The mask after a symbolic mode, which names the permissions that are allowed. The error contains the byte that does
/// not fit.
fn parse_symbols(word: &[u8], mask: u32) -> Result<u32, (u8, &'static str)> {
    let allowed = !mask & 0o777;
    match ModeExpression::parse_umask(word) {
        Ok(expression) => Ok(!expression.apply(allowed, false, 0) & 0o777),
        // At the end of the text, bash's message contains the terminating NUL byte.
        Err(Unexpected { at, expected: Expected::Operator }) => Err((byte_at(word, at), "operator")),
        Err(Unexpected { at, .. }) => Err((byte_at(word, at), "character")),
    }
}

fn byte_at(word: &[u8], at: usize) -> u8 {
    word.get(at).copied().unwrap_or(0)
}

/// A limit: option letter, description, unit name, unit size in bytes (or 1 for counts), Linux's resource number.
struct Limit {
    letter: u8,
    name: &'static str,
    unit: &'static str,
    factor: u64,
    resource: Option<u32>,
}

const fn limit(
    letter: u8,
    name: &'static str,
    unit: &'static str,
    factor: u64,
    resource: Option<u32>,
) -> Limit {
    Limit { letter, name, unit, factor, resource }
}

const LIMITS: &[Limit] = &[
    limit(b'R', "real-time non-blocking time", "microseconds", 1, Some(15)),
    limit(b'c', "core file size", "blocks", 1024, Some(4)),
    limit(b'd', "data seg size", "kbytes", 1024, Some(2)),
    limit(b'e', "scheduling priority", "", 1, Some(13)),
    limit(b'f', "file size", "blocks", 1024, Some(1)),
    limit(b'i', "pending signals", "", 1, Some(11)),
    limit(b'l', "max locked memory", "kbytes", 1024, Some(8)),
    limit(b'm', "max memory size", "kbytes", 1024, Some(5)),
    limit(b'n', "open files", "", 1, Some(7)),
    limit(b'p', "pipe size", "512 bytes", 512, None),
    limit(b'q', "POSIX message queues", "bytes", 1, Some(12)),
    limit(b'r', "real-time priority", "", 1, Some(14)),
    limit(b's', "stack size", "kbytes", 1024, Some(3)),
    limit(b't', "cpu time", "seconds", 1, Some(0)),
    limit(b'u', "max user processes", "", 1, Some(6)),
    limit(b'v', "virtual memory", "kbytes", 1024, Some(9)),
    limit(b'x', "file locks", "", 1, Some(10)),
];

pub(super) fn ulimit(shell: &mut Shell, args: &[Field]) -> Run<i32> {
    // The value for an option may follow it directly or be the next word.
    let mut wanted: Vec<(&Limit, Option<Vec<u8>>)> = Vec::new();
    let (mut soft, mut hard, mut all) = (false, false, false);
    let mut at = 1;
    while let Some(word) = args.get(at) {
        if &**word == b"--" {
            at += 1;
            break;
        }
        if &**word == b"--help" {
            super::help::print_help(shell, b"ulimit");
            return Ok(2);
        }
        let Some(letters) = word.strip_prefix(b"-").filter(|l| !l.is_empty()) else { break };
        at += 1;
        for (i, letter) in letters.iter().enumerate() {
            match letter {
                b'S' => soft = true,
                b'H' => hard = true,
                b'a' => all = true,
                l => match LIMITS.iter().find(|e| e.letter == *l) {
                    Some(found) => {
                        let rest = letters.get(i + 1..).unwrap_or_default();
                        let attached = !rest.is_empty();
                        let value = if attached {
                            Some(rest.to_vec())
                        } else if args.get(at).is_some_and(|n| n.first() != Some(&b'-')) {
                            at += 1;
                            args.get(at - 1).map(|n| n.to_vec())
                        } else {
                            None
                        };
                        wanted.push((found, value));
                        if attached {
                            break;
                        }
                    }
                    None => return Ok(args::invalid_option(shell, args, &[b'-', *l])),
                },
            }
        }
    }
    if all {
        for l in LIMITS {
            if let Some(value) = get(l, hard && !soft) {
                show(shell, l, value, true);
            }
        }
        return Ok(0);
    }
    if wanted.is_empty() {
        let file_size = LIMITS.iter().find(|l| l.letter == b'f');
        wanted.extend(file_size.map(|l| (l, args.get(at).map(|a| a.to_vec()))));
    }
    let several = wanted.len() > 1;
    for (l, value) in wanted {
        match value {
            None => match get(l, hard && !soft) {
                Some(value) => show(shell, l, value, several),
                None => {
                    return Ok(args::fail(
                        shell,
                        args,
                        format!("{}: cannot get limit: Invalid argument", l.name),
                    ));
                }
            },
            Some(value) => {
                let status = change(shell, args, l, &value, soft, hard);
                if status != 0 {
                    return Ok(status);
                }
            }
        }
    }
    Ok(0)
}

fn get(l: &Limit, hard: bool) -> Option<u64> {
    match l.resource {
        // The size of a write to a pipe that is atomic: 8 blocks of 512 bytes.
        None => Some(8 * 512),
        Some(r) => sys::getrlimit(r).ok().map(|(s, h)| if hard { h } else { s }),
    }
}

fn show(shell: &mut Shell, l: &Limit, value: u64, named: bool) {
    let mut line = String::new();
    if named {
        let unit = if l.unit.is_empty() {
            format!("(-{})", char::from(l.letter))
        } else {
            format!("({}, -{})", l.unit, char::from(l.letter))
        };
        line = format!("{:<20}{unit:>20} ", l.name);
    }
    if value == u64::MAX {
        line.push_str("unlimited\n");
    } else {
        line.push_str(&format!("{}\n", value / l.factor));
    }
    shell.put(line.as_bytes());
}

fn change(shell: &mut Shell, args: &[Field], l: &Limit, value: &[u8], soft: bool, hard: bool) -> i32 {
    let Some(resource) = l.resource else {
        return args::fail(shell, args, format!("{}: cannot modify limit: Invalid argument", l.name));
    };
    let (now_soft, now_hard) = match sys::getrlimit(resource) {
        Ok(limits) => limits,
        Err(e) => return args::fail(shell, args, format!("{}: cannot get limit: {e}", l.name)),
    };
    let (soft, hard) = if soft || hard { (soft, hard) } else { (true, true) };
    let new = match value {
        b"unlimited" => u64::MAX,
        b"hard" => now_hard,
        b"soft" => now_soft,
        b"" => 0,
        _ if text::is_digits(value) => {
            let n = std::str::from_utf8(value).ok().and_then(|v| v.parse::<u64>().ok());
            match n.and_then(|n| n.checked_mul(l.factor)) {
                Some(n) => n,
                None => {
                    return args::fail(shell, args, [value, b": limit out of range"].concat());
                }
            }
        }
        _ => return args::fail(shell, args, [value, b": invalid number"].concat()),
    };
    let result =
        sys::setrlimit(resource, if soft { new } else { now_soft }, if hard { new } else { now_hard });
    match result {
        Ok(()) => 0,
        Err(e) => args::fail(shell, args, format!("{}: cannot modify limit: {e}", l.name)),
    }
}
