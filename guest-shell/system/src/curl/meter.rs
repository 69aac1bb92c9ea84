//! The progress meter on standard error.

use super::job::Job;
use crate::base::say;
use sandshell_sys as sys;

const HEAD: &str = "  % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current\n                                 Dload  Upload   Total   Spent    Left  Speed\n";
const NOTHING: &str = "\r  0     0    0     0    0     0      0      0 --:--:-- --:--:-- --:--:--     0";

/// The progress meter of a transfer. It is drawn at the beginning and at the end.
pub(super) struct Meter {
    shown: bool,
    bar: bool,
    begun: Option<u64>,
    ended: bool,
}

/// What was transferred.
#[derive(Clone, Copy, Default)]
pub(super) struct Amounts {
    pub(super) received: u64,
    pub(super) to_receive: u64,
    pub(super) sent: u64,
    pub(super) to_send: u64,
}

impl Meter {
    pub(super) fn new(job: &Job, to_terminal: bool) -> Self {
        let shown = !job.silent && !job.no_meter && !to_terminal;
        Self { shown, bar: job.bar, begun: None, ended: false }
    }

    pub(super) fn begin(&mut self) {
        if self.begun.is_some() {
            return;
        }
        self.begun = Some(sys::monotonic());
        if self.shown && !self.bar {
            say::beside([HEAD, NOTHING].concat());
        }
    }

    pub(super) fn end(&mut self, done: Amounts) {
        if !self.shown || self.ended || self.begun.is_none() {
            return;
        }
        self.ended = true;
        let total = done.to_receive.max(done.received) + done.to_send.max(done.sent);
        let percent = |part: u64, of: u64| (part * 100).checked_div(of.max(part)).unwrap_or(0);
        let moved = done.received + done.sent;
        if self.bar {
            if moved > 0 {
                let share = percent(moved, total);
                let width = usize::try_from(share * 72 / 100).unwrap_or_default();
                say::beside(format!("\r{:<72} {share:>3}.0%\n", "#".repeat(width)));
            }
            return;
        }
        let nanoseconds = sys::monotonic().saturating_sub(self.begun.unwrap_or_default()).max(1);
        let seconds = nanoseconds / 1_000_000_000;
        let speed = |bytes: u64| {
            let speed = u128::from(bytes) * 1_000_000_000 / u128::from(nanoseconds);
            u64::try_from(speed).unwrap_or(u64::MAX)
        };
        let spent = if seconds == 0 { "--:--:--".to_owned() } else { clock(seconds) };
        let whole = if moved == 0 { "--:--:--" } else { &spent };
        say::beside(format!(
            "\r{:3} {:>5}  {:3} {:>5}  {:3} {:>5}  {:>5}  {:>5} {whole:>8} {spent:>8} --:--:-- {:>5}\n",
            percent(moved, total),
            short(total),
            percent(done.received, done.to_receive),
            short(done.received),
            percent(done.sent, done.to_send),
            short(done.sent),
            short(speed(done.received)),
            short(speed(done.sent)),
            short(speed(moved)),
        ));
    }
}

fn clock(seconds: u64) -> String {
    format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

/// Five places for a number of bytes.
fn short(n: u64) -> String {
    const UNITS: [char; 5] = ['k', 'M', 'G', 'T', 'P'];
    if n < 100_000 {
        return n.to_string();
    }
    let mut number = n / 1024;
    for unit in UNITS {
        if number < 10_000 {
            return format!("{number}{unit}");
        }
        number /= 1024;
    }
    n.to_string()
}
