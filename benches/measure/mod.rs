//! Measures medians in turns, and prints the table of results.
#![allow(clippy::print_stdout, reason = "the table is what a bench is for")]

use std::time::{Duration, Instant};

/// The goal of a measurement.
#[derive(Clone, Copy)]
pub(crate) enum Goal {
    /// At most this long.
    Time(Duration),
    /// At most this many times the native program.
    Ratio(f64),
    /// At most this many bytes.
    Bytes(u64),
    /// None.
    None,
}

pub(crate) struct Row {
    name: String,
    ours: f64,
    native: Option<f64>,
    goal: Goal,
}

impl Row {
    pub(crate) fn new(name: impl Into<String>, ours: Duration, native: Option<Duration>, goal: Goal) -> Row {
        Row { name: name.into(), ours: ours.as_secs_f64(), native: native.map(|n| n.as_secs_f64()), goal }
    }

    pub(crate) fn memory(name: impl Into<String>, bytes: u64, goal: u64) -> Row {
        Row { name: name.into(), ours: bytes as f64, native: None, goal: Goal::Bytes(goal) }
    }

    /// Whether the goal is met, if there is one.
    fn met(&self) -> Option<bool> {
        match (self.goal, self.native) {
            (Goal::Time(t), _) => Some(self.ours <= t.as_secs_f64()),
            (Goal::Bytes(b), _) => Some(self.ours <= b as f64),
            (Goal::Ratio(r), Some(native)) => Some(self.ours <= r * native),
            (Goal::Ratio(_), None) => Some(false),
            (Goal::None, _) => None,
        }
    }
}

/// The median duration of `times` calls; the first call is not counted.
pub(crate) fn median_of(times: usize, mut call: impl FnMut() -> Duration) -> Duration {
    call();
    let mut all: Vec<Duration> = (0..times).map(|_| call()).collect();
    all.sort();
    all[all.len() / 2]
}

/// The medians of two calls made in turns, so that a busy machine slows both.
pub(crate) fn alternate(
    times: usize,
    mut ours: impl FnMut(),
    mut native: impl FnMut(),
) -> (Duration, Duration) {
    let time = |call: &mut dyn FnMut()| {
        let start = Instant::now();
        call();
        start.elapsed()
    };
    time(&mut ours);
    time(&mut native);
    let (mut a, mut b): (Vec<_>, Vec<_>) = (0..times).map(|_| (time(&mut ours), time(&mut native))).unzip();
    a.sort();
    b.sort();
    (a[times / 2], b[times / 2])
}

/// How many bytes of the machine's memory this process uses. Pages that are mapped several times count once.
pub(crate) fn resident() -> u64 {
    let text = std::fs::read_to_string("/proc/self/smaps_rollup").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("Pss:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) * 1024
}

/// Prints the table. `native_name` is the program of the native column.
pub(crate) fn report(native_name: &str, rows: &[Row]) {
    println!("{:<44} {:>11} {:>11} {:>7}  goal", "what", "sandshell", native_name, "ratio");
    for row in rows {
        let bytes = matches!(row.goal, Goal::Bytes(_));
        let show = |v: f64| if bytes { format!("{:.1} KiB", v / 1024.0) } else { seconds(v) };
        let goal = match row.goal {
            Goal::Time(t) => seconds(t.as_secs_f64()),
            Goal::Ratio(r) => format!("{r} x {native_name}"),
            Goal::Bytes(b) => format!("{} KiB", b / 1024),
            Goal::None => String::new(),
        };
        let native = row.native.map_or_else(|| "-".to_owned(), show);
        let ratio = row.native.map_or_else(|| "-".to_owned(), |n| format!("{:.2}", row.ours / n));
        let met = row.met().map_or("-", |met| if met { ": met" } else { ": missed" });
        println!("{:<44} {:>11} {native:>11} {ratio:>7}  {goal}{met}", row.name, show(row.ours));
    }
}

fn seconds(v: f64) -> String {
    match v {
        v if v < 1e-3 => format!("{:.1} µs", v * 1e6),
        v if v < 1.0 => format!("{:.2} ms", v * 1e3),
        v => format!("{v:.2} s"),
    }
}
