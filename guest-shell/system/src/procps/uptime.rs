//! `uptime`: the time since the system started.

use super::process;
use crate::base::options::{Spec, listed};
use crate::base::say;
use sandshell_cli::out;
use sandshell_sys as sys;
use sandshell_time::{Zone, strftime};

const SPEC: Spec = Spec { name: "uptime", options: &[listed(USAGE)], ..Spec::DEFAULT };

/// Runs `uptime` on its arguments (its own name first) and returns the exit status.
pub fn uptime_main(args: Vec<Vec<u8>>) -> i32 {
    let code = run(&args).unwrap_or_else(|code| code);
    out::finish("uptime", code, 1)
}

fn run(args: &[Vec<u8>]) -> Result<i32, i32> {
    let parsed = SPEC.parse_all(args.get(1..).unwrap_or_default())?;
    let mut pretty = false;
    for g in &parsed.options {
        match g.id {
            "p" => pretty = true,
            "s" => {
                let since = now().saturating_sub(i64::try_from(process::uptime() / 100).unwrap_or(0));
                out::put(format(b"%Y-%m-%d %H:%M:%S\n", since));
                return Ok(0);
            }
            _ => return Err(super::usual(USAGE, args, g)),
        }
    }
    if !parsed.operands.is_empty() {
        say::raw(USAGE);
        return Err(1);
    }
    if pretty {
        out::put(pretty_text(process::uptime() / 100));
    } else {
        out::put(line() + "\n");
    }
    Ok(0)
}

/// A line with the time, the uptime, the number of users and the load.
pub(super) fn line() -> String {
    let up = process::uptime() / 100;
    let (days, hours, minutes) = (up / 86400, up / 3600 % 24, up / 60 % 60);
    let mut text = format!(" {} up ", String::from_utf8_lossy(&format(b"%H:%M:%S", now())));
    if days > 0 {
        text += &format!("{days} day{}, ", if days == 1 { "" } else { "s" });
    }
    text += &if hours > 0 { format!("{hours:2}:{minutes:02}, ") } else { format!("{minutes} min, ") };
    let [one, five, fifteen] = process::load();
    text + &format!(" 0 user,  load average: {one}, {five}, {fifteen}")
}

fn pretty_text(up: u64) -> String {
    let units = [
        (up / 31_536_000, "year"),
        (up / 604_800 % 52, "week"),
        (up / 86400 % 7, "day"),
        (up / 3600 % 24, "hour"),
        (up / 60 % 60, "minute"),
    ];
    let parts: Vec<String> = units
        .iter()
        .filter(|(n, unit)| *n > 0 || *unit == "minute" && up < 60)
        .map(|(n, unit)| format!("{n} {unit}{}", if *n == 1 { "" } else { "s" }))
        .collect();
    format!("up {}\n", parts.join(", "))
}

pub(super) fn now() -> i64 {
    i64::try_from(sys::realtime() / 1_000_000_000).unwrap_or(0)
}

/// Formats a time in the local zone.
pub(super) fn format(pattern: &[u8], seconds: i64) -> Vec<u8> {
    let local = Zone::system().local(seconds);
    strftime::format(pattern, &strftime::Moment { local: &local, seconds, nanos: 0 })
}

const USAGE: &str = "
Usage:
 uptime [options]

Shows the time, and the time since the system was started.

 -p, --pretty   only for how long, in words
 -s, --since    only since when
 -h, --help     this text
 -V, --version  the version
";
