//! The progress of a transfer in dots: one for each KiB, 50 in a line.

use sandshell_sys as sys;

const DOT: u64 = 1024;
const LINE: u64 = 50;

/// The dots of a transfer.
pub(super) struct Dots {
    begun: u64,
    /// When the line that is written now was begun.
    line_begun: u64,
    total: Option<u64>,
    /// What was there before.
    skipped: u64,
    received: u64,
    dots: u64,
    line: String,
}

impl Dots {
    pub(super) fn new(total: Option<u64>, skipped: u64) -> Self {
        let now = sys::monotonic();
        let mut dots =
            Self { begun: now, line_begun: now, total, skipped, received: 0, dots: 0, line: String::new() };
        if skipped > 0 {
            let lines = skipped / (DOT * LINE);
            if lines > 0 {
                dots.line = format!("\n{:>7}[ skipping {}K ]", "", lines * LINE);
                dots.dots = lines * LINE;
            }
            dots.line.push_str(&format!("\n{:6}K", dots.dots));
            for _ in 0..skipped / DOT - dots.dots {
                dots.dot(',');
            }
        }
        dots
    }

    /// What is to be written after more was received.
    pub(super) fn advance(&mut self, count: u64) -> String {
        self.received += count;
        let mut out = std::mem::take(&mut self.line);
        let whole = (self.skipped + self.received) / DOT;
        // Dots are not drawn one by one for what no terminal could show.
        while self.dots < whole {
            self.dot('.');
            if self.dots.is_multiple_of(LINE) {
                let rate = self.rate();
                let left = match self.total {
                    Some(total) if total > 0 => self.left(total),
                    _ => String::new(),
                };
                let percent = self.percent(self.dots * DOT);
                self.line.push_str(&format!("{percent} {rate}{left}"));
                self.line_begun = sys::monotonic();
            }
            out.push_str(&std::mem::take(&mut self.line));
        }
        out
    }

    fn dot(&mut self, mark: char) {
        if self.dots.is_multiple_of(LINE) {
            self.line.push_str(&format!("\n{:6}K", self.dots));
        }
        if self.dots.is_multiple_of(10) {
            self.line.push(' ');
        }
        self.line.push(mark);
        self.dots += 1;
    }

    /// The last line.
    pub(super) fn end(&mut self) -> String {
        let mut out = std::mem::take(&mut self.line);
        let at = self.dots % LINE;
        if at == 0 {
            out.push_str(&format!("\n{:6}K", self.dots));
        }
        for dot in at..LINE {
            if dot.is_multiple_of(10) {
                out.push(' ');
            }
            out.push(' ');
        }
        let percent = self.percent(self.skipped + self.received);
        out + &format!("{percent} {}={}\n\n", self.rate(), duration(self.seconds()))
    }

    fn percent(&self, there: u64) -> String {
        match self.total {
            Some(total) if total > 0 => format!("{:3}%", there.saturating_mul(100) / total),
            _ => String::new(),
        }
    }

    fn seconds(&self) -> f64 {
        sys::monotonic().saturating_sub(self.begun) as f64 / 1e9
    }

    fn left(&self, total: u64) -> String {
        let speed = self.received as f64 / self.seconds().max(1e-9);
        let left = total.saturating_sub(self.skipped + self.received) as f64 / speed.max(1.0);
        format!(" {}s", left as u64)
    }

    fn rate(&self) -> String {
        let (number, unit) = scaled(self.received, self.seconds());
        let unit = if unit.is_empty() { " " } else { unit };
        format!("{number:>4}{unit}")
    }

    /// Bytes per second, for the message at the end.
    pub(super) fn speed(&self) -> String {
        speed(self.received, self.seconds())
    }

    pub(super) fn received(&self) -> u64 {
        self.received
    }

    /// How long it took, in seconds.
    pub(super) fn time(&self) -> f64 {
        self.seconds()
    }
}

/// Bytes per second, such as `1.46 MB/s`.
pub(super) fn speed(bytes: u64, seconds: f64) -> String {
    let (number, unit) = scaled(bytes, seconds);
    format!("{number} {unit}B/s")
}

fn scaled(bytes: u64, seconds: f64) -> (String, &'static str) {
    let mut speed = bytes as f64 / seconds.max(1e-9);
    let mut unit = "";
    for next in ["K", "M", "G"] {
        if speed < 1024.0 {
            break;
        }
        speed /= 1024.0;
        unit = next;
    }
    let places = if speed >= 99.95 {
        0
    } else if speed >= 9.995 {
        1
    } else {
        2
    };
    (format!("{speed:.places$}"), unit)
}

/// Seconds with three significant digits at most.
pub(super) fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 0.0005 => "0s".to_owned(),
        s if s < 1.0 => format!("{}s", trimmed(&format!("{s:.3}"))),
        s if s < 10.0 => format!("{}s", trimmed(&format!("{s:.1}"))),
        s if s < 100.0 => format!("{s:.0}s"),
        s => {
            let s = s as u64;
            if s < 3600 {
                format!("{}m {}s", s / 60, s % 60)
            } else {
                format!("{}h {}m", s / 3600, s / 60 % 60)
            }
        }
    }
}

fn trimmed(number: &str) -> &str {
    number.trim_end_matches('0').trim_end_matches('.')
}

/// A size for people, such as `293K`.
pub(super) fn size(bytes: u64) -> String {
    let mut number = bytes as f64;
    for unit in ["K", "M", "G", "T"] {
        number /= 1024.0;
        if number < 1000.0 || unit == "T" {
            let places = usize::from(number < 10.0);
            return format!("{number:.places$}{unit}");
        }
    }
    bytes.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        assert_eq!(size(300_000), "293K");
        assert_eq!(size(5 * 1024 * 1024 + 300_000), "5.3M");
        assert_eq!(speed(0, 0.1), "0.00 B/s");
        assert_eq!(speed(1024 * 1024, 1.0), "1.00 MB/s");
        assert_eq!(duration(0.0001), "0s");
        assert_eq!(duration(0.02), "0.02s");
        assert_eq!(duration(75.0), "75s");
    }

    #[test]
    fn lines_have_fifty_dots() {
        let mut dots = Dots::new(Some(102_400), 0);
        let text = dots.advance(102_400) + &dots.end();
        assert!(text.matches('.').count() >= 100, "{text}");
        assert!(text.starts_with("\n     0K .......... .........."), "{text}");
        assert!(text.contains("\n    50K .........."), "{text}");
    }
}
