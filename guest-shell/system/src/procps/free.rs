//! `free`: amounts of free and used memory.

use super::memory::Memory;
use crate::base::options::{Spec, listed};
use crate::base::say;
use sandshell_cli::out;
use sandshell_sys as sys;
use std::time::Duration;

const SPEC: Spec = Spec { name: "free", options: &[listed(USAGE)], ..Spec::DEFAULT };

/// Runs `free` on its arguments (its own name first) and returns the exit status.
pub fn free_main(args: Vec<Vec<u8>>) -> i32 {
    let code = run(&args).unwrap_or_else(|code| code);
    out::finish("free", code, 1)
}

struct Format {
    /// The exponent of the unit.
    power: u32,
    base: u64,
    human: bool,
    wide: bool,
    low_high: bool,
    total: bool,
    committed: bool,
}

fn run(args: &[Vec<u8>]) -> Result<i32, i32> {
    let parsed = SPEC.parse_all(args.get(1..).unwrap_or_default())?;
    let mut f = Format {
        power: 1,
        base: 1024,
        human: false,
        wide: false,
        low_high: false,
        total: false,
        committed: false,
    };
    let (mut si, mut seconds, mut count) = (false, None, None);
    for g in &parsed.options {
        let text = String::from_utf8_lossy(g.text());
        let mut unit = |base, power| (f.base, f.power) = (base, power);
        match g.id {
            "b" => unit(1024, 0),
            "k" => unit(1024, 1),
            "m" => unit(1024, 2),
            "g" => unit(1024, 3),
            "tebi" => unit(1024, 4),
            "pebi" => unit(1024, 5),
            "kilo" => unit(1000, 1),
            "mega" => unit(1000, 2),
            "giga" => unit(1000, 3),
            "tera" => unit(1000, 4),
            "peta" => unit(1000, 5),
            "h" => f.human = true,
            "si" => si = true,
            "l" => f.low_high = true,
            "t" => f.total = true,
            "v" => f.committed = true,
            "w" => f.wide = true,
            "s" => {
                let time = text
                    .parse::<f64>()
                    .ok()
                    .filter(|t| *t > 0.0)
                    .and_then(|t| Duration::try_from_secs_f64(t).ok());
                let Some(time) = time else {
                    say::error(args, format!("seconds argument failed: '{text}': Invalid argument"));
                    return Err(1);
                };
                seconds = Some(time);
            }
            "c" => {
                let Some(n) = text.parse::<u64>().ok().filter(|n| *n > 0) else {
                    say::error(
                        args,
                        format!(
                            "failed to parse count argument: '{text}'{}",
                            if text.parse::<i64>().is_ok() { ": Numerical result out of range" } else { "" }
                        ),
                    );
                    return Err(1);
                };
                count = Some(n);
            }
            _ => return Err(super::usual(USAGE, args, g)),
        }
    }
    if si {
        f.base = 1000;
    }
    let delay = seconds.unwrap_or(Duration::from_secs(1));
    let mut left = count.unwrap_or(if seconds.is_some() { u64::MAX } else { 1 });
    loop {
        f.print();
        left -= 1;
        if left == 0 || out::failure().is_some() {
            return Ok(0);
        }
        out::put("\n");
        out::flush();
        let _ = sys::sleep(delay);
    }
}

impl Format {
    fn print(&self) {
        let m = Memory::read();
        let used = m.used();
        out::put(if self.wide {
            "               total        used        free      shared     buffers       cache   available\n"
        } else {
            "               total        used        free      shared  buff/cache   available\n"
        });
        let caches: &[u64] = if self.wide { &[m.buffers, m.cache] } else { &[m.buffers + m.cache] };
        self.line("Mem:", &[&[m.total, used, m.free, m.shared][..], caches, &[m.available]].concat());
        if self.low_high {
            self.line("Low:", &[m.total, m.total.saturating_sub(m.free), m.free]);
            self.line("High:", &[0, 0, 0]);
        }
        self.line("Swap:", &[m.swap_total, m.swap_used(), m.swap_free]);
        if self.total {
            self.line("Total:", &[m.total + m.swap_total, used + m.swap_used(), m.free + m.swap_free]);
        }
        if self.committed {
            self.line("Comm:", &[m.commit_limit, m.committed, m.commit_limit.saturating_sub(m.committed)]);
        }
    }

    fn line(&self, label: &str, amounts: &[u64]) {
        let texts: Vec<String> = amounts.iter().map(|a| format!("{:>11}", self.amount(*a))).collect();
        out::put(format!("{label:<9}{}\n", texts.join(" ")));
    }

    fn amount(&self, kib: u64) -> String {
        let bytes = u128::from(kib) * 1024;
        if !self.human {
            return (bytes / u128::from(self.base).pow(self.power)).to_string();
        }
        // Chooses the smallest unit in which the number fits.
        let (letters, suffix, room) = if self.base == 1000 { ("KMGTPE", "", 4) } else { ("KMGTPE", "i", 5) };
        let text = format!("{bytes}B");
        if text.len() <= 4 {
            return text;
        }
        let mut unit = 1.0;
        let mut last = text;
        for letter in letters.chars() {
            unit *= self.base as f64;
            let scaled = bytes as f64 / unit;
            let text = format!("{scaled:.1}{letter}{suffix}");
            if text.len() <= room {
                return text;
            }
            last = format!("{}{letter}{suffix}", scaled as u64);
            if last.len() <= room {
                return last;
            }
        }
        last
    }
}

const USAGE: &str = "
Usage:
 free [options]

Shows how much memory there is, and how much of it is in use.

 -b, --bytes         in bytes
 -k, --kibi          in units of 1024, as without options
 -m, --mebi          in units of 1024 * 1024
 -g, --gibi          and so on
     --tebi
     --pebi
     --kilo          in units of 1000
     --mega          in units of 1000 * 1000
     --giga          and so on
     --tera
     --peta
     --si            1000 instead of 1024
 -h, --human         in the unit that fits
 -w, --wide          buffers and cache apart
 -l, --lohi          also low and high memory
 -t, --total         also memory and swap together
 -v, --committed     also what was promised
 -s, --seconds N     again every N seconds
 -c, --count N       N times
     --help          this text
 -V, --version       the version
";
