//! `taskset` of util-linux 2.38. A sandbox gives its processes all of its processors, so a mask is only checked, and
//! the command runs as usual.

use crate::base::options::{self, Order, Spec, listed};
use crate::base::say;
use sandshell_cli::out;
use sandshell_sys as sys;

const SPEC: Spec =
    Spec { name: "taskset", options: &[listed(USAGE)], order: Order::First, ..options::UTIL_LINUX };

/// Runs `taskset` on its arguments (its own name first) and returns the exit status.
pub fn taskset_main(args: Vec<Vec<u8>>) -> i32 {
    let code = taskset(&args).unwrap_or_else(|code| code);
    out::finish("taskset", code, 1)
}

fn taskset(args: &[Vec<u8>]) -> Result<i32, i32> {
    let parsed = SPEC.parse_all(args.get(1..).unwrap_or_default())?;
    let (mut by_pid, mut lists) = (false, false);
    for g in &parsed.options {
        match g.id {
            "p" => by_pid = true,
            "c" => lists = true,
            "?" | "h" | "V" => return Err(options::usual(&SPEC, args, g)),
            _ => {}
        }
    }
    let all = all_processors();
    if by_pid {
        return existing(args, &parsed.operands, lists, all);
    }
    let [mask, command @ ..] = parsed.operands.as_slice() else { return Err(bad_usage(args)) };
    if command.is_empty() {
        return Err(bad_usage(args));
    }
    if wanted(args, mask, lists)? & all == 0 {
        return Err(fail(args, format!("failed to set pid {}'s affinity: Invalid argument", sys::getpid())));
    }
    Ok(super::replace(args, command))
}

// -p: shows or sets the processors of an existing process.
fn existing(args: &[Vec<u8>], operands: &[Vec<u8>], lists: bool, all: u128) -> Result<i32, i32> {
    let (mask, pid) = match operands {
        [pid] => (None, pid),
        [mask, pid] => (Some(mask), pid),
        // Without a process ID, the option itself is taken for one.
        [] => return Err(fail(args, "invalid PID argument: '-p'")),
        _ => return Err(bad_usage(args)),
    };
    let shown = String::from_utf8_lossy(pid).into_owned();
    let Ok(pid) = shown.trim_start().parse::<i32>() else {
        return Err(fail(args, format!("invalid PID argument: '{shown}'")));
    };
    let own = if pid == 0 { sys::getpid() } else { pid };
    if pid < 0 || sys::kill(own, 0) == Err(sys::Errno::SRCH) {
        return Err(fail(args, format!("failed to get pid {pid}'s affinity: No such process")));
    }
    let say_it = |when: &str, mask: u128| {
        let (what, text) = if lists { ("list", list(mask)) } else { ("mask", format!("{mask:x}")) };
        out::put(format!("pid {own}'s {when} affinity {what}: {text}\n"));
    };
    say_it("current", all);
    let Some(mask) = mask else { return Ok(0) };
    let mask = wanted(args, mask, lists)? & all;
    if mask == 0 {
        return Err(fail(args, format!("failed to set pid {pid}'s affinity: Invalid argument")));
    }
    if mask != all {
        return Err(fail(args, format!("failed to set pid {pid}'s affinity: Operation not supported")));
    }
    say_it("new", mask);
    Ok(0)
}

fn all_processors() -> u128 {
    let count = u32::from(u16::try_from(sys::nproc()).unwrap_or(u16::MAX)).clamp(1, 127);
    (1 << count) - 1
}

// The processors in a mask or a list.
fn wanted(args: &[Vec<u8>], text: &[u8], list: bool) -> Result<u128, i32> {
    let parsed = if list { parse_list(text) } else { parse_mask(text) };
    parsed.ok_or_else(|| {
        let what = if list { "list" } else { "mask" };
        fail(args, [format!("failed to parse CPU {what}: ").as_bytes(), text].concat())
    })
}

fn parse_mask(text: &[u8]) -> Option<u128> {
    let text = std::str::from_utf8(text).ok()?;
    let digits = text.strip_prefix("0x").unwrap_or(text);
    // Commas may separate groups of digits.
    let digits: String = digits.split(',').collect();
    u128::from_str_radix(&digits, 16).ok().filter(|_| !digits.starts_with('+'))
}

fn parse_list(text: &[u8]) -> Option<u128> {
    let mut mask = 0u128;
    for part in std::str::from_utf8(text).ok()?.split(',') {
        let (range, stride) = match part.split_once(':') {
            Some((range, stride)) => (range, stride.parse::<usize>().ok().filter(|n| *n > 0)?),
            None => (part, 1),
        };
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last) = (first.parse::<usize>().ok()?, last.parse::<usize>().ok()?);
        if first > last {
            return None;
        }
        for processor in (first..=last).step_by(stride).take_while(|n| *n < 128) {
            mask |= 1 << processor;
        }
    }
    Some(mask)
}

fn list(mask: u128) -> String {
    let mut parts = Vec::new();
    let mut at = 0;
    while at < 128 {
        if mask >> at & 1 == 0 {
            at += 1;
            continue;
        }
        let first = at;
        while at < 128 && mask >> at & 1 == 1 {
            at += 1;
        }
        parts.push(match at - first {
            1 => first.to_string(),
            2 => format!("{first},{}", at - 1),
            _ => format!("{first}-{}", at - 1),
        });
    }
    parts.join(",")
}

fn fail(args: &[Vec<u8>], text: impl AsRef<[u8]>) -> i32 {
    say::error(args, text);
    1
}

fn bad_usage(args: &[Vec<u8>]) -> i32 {
    say::error(args, "bad usage");
    options::try_help(&SPEC, args)
}

const USAGE: &str = "\
Usage: taskset [options] [mask | cpu-list] [pid|cmd [args...]]

Shows on which processors a process may run, or runs a command on some of them. In a sandbox every process may run on
all that the sandbox has; a command is run whatever its mask says, if that has one of them.

 -p, --pid               show an existing process
 -c, --cpu-list          lists (0,2-3) instead of masks (d)
 -a, --all-tasks         the same as without it
 -h, --help              this text
 -V, --version           the version

Examples:
 taskset -c 0 make
 taskset -cp $$
";

#[cfg(test)]
mod tests {
    use super::{list, parse_list, parse_mask};

    #[test]
    fn masks_and_lists() {
        assert_eq!(parse_mask(b"0x3"), Some(3));
        assert_eq!(parse_mask(b"zz"), None);
        assert_eq!(parse_list(b"0-7:2,9"), Some(0b10_0101_0101));
        assert_eq!(parse_list(b""), None);
        assert_eq!(parse_list(b"3-1"), None);
        assert_eq!(parse_list(b"0-99999999999"), Some(u128::MAX));
        assert_eq!((list(0b1011).as_str(), list(0b111).as_str()), ("0,1,3", "0-2"));
    }
}
