//! Compares the cost of the utilities on much data with the native tools in the same run.
//!
//! `cargo bench --bench throughput [NAME]` writes 100 MB of log, CSV and JSON lines, a tree of 100,000 files and a
//! project of 6,000 files in 1,500 nested directories to a temporary directory. `SANDSHELL_BENCH_MB` and
//! `SANDSHELL_BENCH_FILES` change the sizes. Then it runs each line in native bash and in `sandshell exec` on the
//! same directory, mounted read-only. It is worth running both as root and as another user, because permissions of
//! a mounted directory are then checked in different places. It compares the user and system time of all processes
//! and threads together, because a sandbox may use several processors. Both sides take turns, twice or, for runs
//! that are short compared with the clock's resolution of a hundredth of a second, up to ten times; it shows the
//! mean. The goal is 1.5 times the native time, and for awk the time of gawk. Lines on the project do their work
//! ten times, because one run is short compared with the program's start. For searches in the project, wall time
//! counts too.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "the table is what a bench is for")]

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

macro_rules! TIMES {
    ($command:literal) => {
        concat!("for i in 0 1 2 3 4 5 6 7 8 9; do ", $command, "; done")
    };
}

/// Name, command, and the goal as a multiple of the native time.
const LINES: &[(&str, &str, f64)] = &[
    ("sort, text", "LC_ALL=C.UTF-8 sort log | tail -1", 1.5),
    ("sort -n", "sort -t, -k3,3n csv | tail -1", 1.5),
    ("sort -u", "cut -d' ' -f3,4 log | sort -u | wc -l", 1.5),
    ("uniq -c of sorted words", "cut -d, -f2 csv | sort | uniq -c | sort -rn | head -3", 1.5),
    ("grep, a word", "grep -c needle log", 1.5),
    ("grep -i", "grep -ic NEEDLE log", 1.5),
    ("grep -E", "grep -cE 'user=(4|7)[0-9]+ .*status=50[0-9]' log", 1.5),
    ("grep -v", "grep -v DEBUG log | tail -1", 1.5),
    ("grep -o", "grep -o 'user=[0-9]*' log | tail -1", 1.5),
    ("sed, substitution", "sed 's/worker-\\([0-9]*\\)/w\\1/g' log | tail -1", 1.5),
    ("sed -n, address", "sed -n '/needle/p' log | wc -l", 1.5),
    ("awk, sum of a column", "awk -F, '{ s += $3 } END { print s }' csv", 1.0),
    (
        "awk, counts by key",
        "awk -F, '{ n[$2]++ } END { for (k in n) print k, n[k] }' csv | sort | head -3",
        1.0,
    ),
    ("awk, condition and print", "awk '/needle/ { print $1, $NF }' log | wc -l", 1.0),
    ("jq, a field", "jq -r .user json | tail -1", 1.5),
    ("jq, select and count", "jq -c 'select(.status >= 500)' json | wc -l", 1.5),
    ("cut", "cut -d, -f1,3 csv | tail -1", 1.5),
    ("tr", "tr a-z A-Z < log | tail -1", 1.5),
    ("wc", "wc log", 1.5),
    ("sha256sum", "sha256sum log", 1.5),
    ("find, names", "find tree -name '*7.txt' | wc -l", 1.5),
    ("find, types and sizes", "find tree -type f -size +0 | wc -l", 1.5),
    ("ls -lR", "ls -lR tree | wc -l", 1.5),
    ("project: ls -R", TIMES!("ls -R project | wc -l"), 1.5),
    ("project: ls -R | head", TIMES!("ls -R project | head -3"), 1.5),
    ("project: find", TIMES!("find project | wc -l"), 1.5),
    ("project: find -name", TIMES!("find project -name '*.rs' | wc -l"), 1.5),
    ("project: du", TIMES!("du -a project | wc -l"), 1.5),
    ("project: grep -r", TIMES!("grep -rn needle project | wc -l"), 1.5),
];

/// Like [`LINES`], for wall time.
const WALL: &[(&str, &str, f64)] = &[("project: grep -rn", TIMES!("grep -rn needle project | wc -l"), 0.8)];

fn main() {
    let only: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let dir = tempfile::tempdir().expect("a temporary directory");
    let megabytes = number("SANDSHELL_BENCH_MB", 100);
    let files = number("SANDSHELL_BENCH_FILES", 100_000);
    eprintln!("writing {megabytes} MB and {files} files");
    texts(dir.path(), megabytes << 20);
    tree(dir.path(), files);
    project(dir.path());
    compare("CPU time", LINES, &only, dir.path(), |time| time.0);
    compare("time on the wall", WALL, &only, dir.path(), |time| time.1);
}

fn compare(
    title: &str,
    lines: &[(&str, &str, f64)],
    only: &[String],
    dir: &Path,
    which: impl Fn((Duration, Duration)) -> Duration,
) {
    println!("{title:<30} {:>11} {:>11} {:>7}  goal", "sandshell", "native", "ratio");
    for (name, line, goal) in lines {
        if !only.is_empty() && !only.iter().any(|o| name.contains(o.as_str())) {
            continue;
        }
        let (mut ours, mut native, mut runs) = (0.0, 0.0, 0);
        while runs < 2 || (native < 0.5 && runs < 10) {
            let (expected, time) = run(Command::new("bash").args(["-c", line]).current_dir(dir));
            native += which(time).as_secs_f64();
            let mount = format!("{}:/workspace:ro", dir.display());
            let program = env!("CARGO_BIN_EXE_sandshell");
            let (answer, time) = run(Command::new(program).args(["exec", "--mount", &mount, line]));
            ours += which(time).as_secs_f64();
            runs += 1;
            // Owners and sizes of directories differ, but the number of lines must not.
            assert_eq!(answer, expected, "{line}");
        }
        (ours, native) = (ours / f64::from(runs), native / f64::from(runs));
        let met = if ours <= goal * native { "met" } else { "missed" };
        println!("{name:<30} {ours:>9.3} s {native:>9.3} s {:>7.2}  {goal}: {met}", ours / native);
    }
}

fn number(variable: &str, default: usize) -> usize {
    std::env::var(variable).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

/// A command's output, the processor time of all its processes, and its wall time.
fn run(command: &mut Command) -> (Vec<u8>, (Duration, Duration)) {
    let (before, start) = (children(), Instant::now());
    let output = command.stderr(Stdio::inherit()).output().expect("a command");
    assert!(output.status.success(), "{command:?}");
    (output.stdout, (children().saturating_sub(before), start.elapsed()))
}

/// The processor time of all children that have ended, from Linux's hundredths of a second (`proc(5)`, cutime and
/// cstime).
fn children() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("Linux's /proc");
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks: u64 = fields[13..15].iter().map(|f| f.parse::<u64>().expect("a number")).sum();
    Duration::from_millis(ticks * 10)
}

fn texts(dir: &Path, size: usize) {
    let mut state = 1u64;
    let mut random = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 33
    };
    let (mut log, mut csv, mut json) =
        (String::with_capacity(size), String::with_capacity(size), String::with_capacity(size));
    let mut i = 0u64;
    while log.len() < size {
        i += 1;
        let (user, status, r) =
            (random() % 10_000, [200, 200, 200, 404, 500, 503][(random() % 6) as usize], random());
        let level = ["INFO", "WARN", "ERROR", "DEBUG"][(r % 4) as usize];
        let note = if r % 1000 == 0 { " needle" } else { "" };
        let _ = writeln!(
            log,
            "2026-01-{:02}T{:02}:{:02}:{:02} {level} worker-{} user={user} took {}ms status={status}{note} done",
            r % 28 + 1,
            r / 7 % 24,
            r / 11 % 60,
            r / 13 % 60,
            r % 17,
            r % 5000
        );
        if csv.len() < size {
            let _ = writeln!(csv, "{i},group-{},{}.{:02},{level},text {r}", r % 500, r % 100_000, r % 100);
        }
        if json.len() < size {
            let _ = writeln!(
                json,
                r#"{{"id":{i},"user":"u{user}","status":{status},"level":"{level}","tags":["a","b{}"],"ms":{}.5}}"#,
                r % 9,
                r % 5000
            );
        }
    }
    for (name, text) in [("log", &log), ("csv", &csv), ("json", &json)] {
        std::fs::write(dir.join(name), text).expect("a file");
    }
}

fn tree(dir: &Path, files: usize) {
    for i in 0..files {
        let folder = dir.join(format!("tree/d{}/e{}", i % 50, i / 50 % 20));
        if i < 1000 {
            std::fs::create_dir_all(&folder).expect("a directory");
        }
        std::fs::write(folder.join(format!("f{i}.txt")), if i % 3 == 0 { "" } else { "text\n" })
            .expect("a file");
    }
}

/// Nested directories, as in a checkout with its dependencies: most have a few files, some have many directories.
fn project(dir: &Path) {
    let mut folders = vec![dir.join("project")];
    for i in 1..1500usize {
        let above = if i % 4 == 0 { i / 40 } else { i.saturating_sub(1 + i % 4) };
        let above = folders.get(above).cloned().unwrap_or_default();
        let deep = above.components().count() > dir.components().count() + 12;
        let above = if deep { folders.get(i / 8).cloned().unwrap_or_default() } else { above };
        folders.push(above.join(format!("part{i}")));
    }
    for folder in &folders {
        std::fs::create_dir_all(folder).expect("a directory");
    }
    for i in 0..6000usize {
        let folder = folders.get(i * 7 % folders.len()).cloned().unwrap_or_default();
        let kind = ["rs", "md", "json"].get(i % 3).copied().unwrap_or_default();
        let line = if i % 50 == 0 { "let needle = 1;\n" } else { "let value = another(thing);\n" };
        std::fs::write(folder.join(format!("file{i}.{kind}")), line.repeat(i % 60 + 1)).expect("a file");
    }
}
