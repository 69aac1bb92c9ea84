//! `time`.

use crate::shell::{Run, Shell};
use crate::variables::Name;
use sandshell_syntax::ast::{Command, CommandKind, Pipeline, TimeFormat};
use sandshell_sys as sys;

const BASH_FORMAT: &[u8] = b"\nreal\t%3lR\nuser\t%3lU\nsys\t%3lS";
const POSIX_FORMAT: &[u8] = b"real %2R\nuser %2U\nsys %2S";
/// The format for `time` alone in POSIX mode, which shows what the shell has used.
const SHELL_FORMAT: &[u8] = b"user\t%2lU\nsys\t%2lS";

impl Shell {
    pub(crate) fn run_timed(&mut self, p: &Pipeline, format: TimeFormat) -> Run {
        if self.posix() && p.commands.iter().all(|c| is_nothing(c)) {
            let used = sys::times();
            let line = self.format_times(SHELL_FORMAT, 0, used.utime + used.cutime, used.stime + used.cstime);
            self.write_error(&line);
            self.status = i32::from(p.negated);
            return Ok(());
        }
        let (start, before) = (sys::monotonic(), sys::times());
        let plain = Pipeline { negated: p.negated, time: None, commands: p.commands.clone() };
        let result = self.run_pipeline(&plain);
        let real = sys::monotonic().saturating_sub(start);
        let after = sys::times();
        let user = (after.utime + after.cutime).saturating_sub(before.utime + before.cutime);
        let system = (after.stime + after.cstime).saturating_sub(before.stime + before.cstime);
        let custom = self.value(Name::new(b"TIMEFORMAT")).map(|v| v.into_owned());
        let text = match (format, custom) {
            (TimeFormat::Posix, _) => POSIX_FORMAT.to_vec(),
            (TimeFormat::Bash, Some(f)) => f,
            (TimeFormat::Bash, None) => BASH_FORMAT.to_vec(),
        };
        if !text.is_empty() {
            let line = self.format_times(&text, real, user, system);
            self.write_error(&line);
        }
        result
    }

    fn format_times(&mut self, format: &[u8], real: u64, user: u64, system: u64) -> Vec<u8> {
        let mut out = Vec::new();
        let mut i = 0;
        let at = |i: usize| format.get(i).copied();
        while let Some(b) = at(i) {
            i += 1;
            if b != b'%' {
                out.push(b);
                continue;
            }
            let start = i;
            match at(i) {
                None => {
                    out.push(b'%');
                    break;
                }
                Some(b'%') => {
                    out.push(b'%');
                    i += 1;
                    continue;
                }
                Some(b'P') => {
                    i += 1;
                    let percent = if real == 0 { 0.0 } else { (user + system) as f64 * 100.0 / real as f64 };
                    out.extend_from_slice(format!("{percent:.2}").as_bytes());
                    continue;
                }
                Some(_) => {}
            }
            let mut precision = 3;
            if let Some(d) = at(i).filter(u8::is_ascii_digit) {
                precision = usize::from(d - b'0').min(3);
                i += 1;
            }
            let long = at(i) == Some(b'l');
            if long {
                i += 1;
            }
            let ns = match at(i) {
                Some(b'R') => real,
                Some(b'U') => user,
                Some(b'S') => system,
                other => {
                    let shown = other.map(|c| vec![c]).unwrap_or_default();
                    let mut message = b"TIMEFORMAT: `".to_vec();
                    message.extend_from_slice(&shown);
                    message.extend_from_slice(b"': invalid format character");
                    self.error(message);
                    let _ = start;
                    return Vec::new();
                }
            };
            i += 1;
            let (secs, millis) = (ns / 1_000_000_000, ns / 1_000_000 % 1000);
            let (minutes, shown) = if long { (secs / 60, secs % 60) } else { (0, secs) };
            if long {
                out.extend_from_slice(format!("{minutes}m").as_bytes());
            }
            out.extend_from_slice(shown.to_string().as_bytes());
            if precision > 0 {
                let digits = format!("{millis:03}");
                out.push(b'.');
                out.extend_from_slice(digits.as_bytes().get(..precision).unwrap_or_default());
            }
            if long {
                out.push(b's');
            }
        }
        out.push(b'\n');
        out
    }
}

fn is_nothing(command: &Command) -> bool {
    let CommandKind::Simple(s) = &command.kind else { return false };
    s.words.is_empty() && s.assignments.is_empty() && command.redirects.is_empty()
}
