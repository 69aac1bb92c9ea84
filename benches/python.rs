//! Compares Python in a sandbox with the machine's own CPython, in the same run.
//!
//! `cargo bench --bench python [NAME]` needs the pack (`sandshell pack build python`). It prints one line for each
//! measurement: the medians of both, which take turns, their ratio, the goal, and whether it is met. Nothing is
//! asserted.
#![allow(clippy::print_stderr, reason = "what is missing is said")]

#[allow(dead_code, reason = "each bench uses a part")]
mod measure;

use measure::{Goal, Row, alternate, report, resident};
use sandshell::{
    CreateOptions, LocalOptions, LocalProvider, LocalSandbox, MountSource, Sandbox, SandboxExt,
    SandboxProvider, pack,
};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

const IMPORTS: &str = "import json, re, pathlib, argparse, dataclasses, subprocess, unittest";
const LOOP: &str = "x = 0\nfor i in range(3000000): x += i * i % 7";
const CALLS: &str = "def f(n): return n if n < 2 else f(n - 1) + f(n - 2)\nf(25)";
const LINES: &str = "n = 0\nfor line in open('big'): n += len(line)\nassert n == 100 << 20";
const CHILDREN: &str = "import subprocess\nfor _ in range(100): subprocess.run(['true'])";

/// These programs print their own time, which does not include the start.
const OPENING: &str = "for d in range(40):
 for f in range(100):
  with open(f'TREE/d{d}/f{f}') as s: s.read()";
const WALKING: &str = "import os
for _ in range(5):
 for _ in os.walk('TREE'): pass";
const SIZES: &str = "import os
for base, _, names in os.walk('TREE'):
 for name in names: os.path.getsize(os.path.join(base, name))";
const SHA256: &str = "import hashlib
h, data = hashlib.sha256(), bytes(1 << 20)
for _ in range(256): h.update(data)";
const SHA512: &str = "import hashlib
h, data = hashlib.sha512(), bytes(1 << 20)
for _ in range(128): h.update(data)";
const SHORT: &str = "import hashlib
for n in range(100000): hashlib.sha256(b'%d' % n).hexdigest()";
const PBKDF2: &str = "import hashlib; hashlib.pbkdf2_hmac('sha256', b'password', b'salt', 1000000)";
const SCRYPT: &str =
    "import hashlib; hashlib.scrypt(b'password', salt=b'salt', n=1 << 15, r=8, p=1, maxmem=1 << 26)";
/// A server that sends back what it gets, in a process of its own, and its client.
const CONNECTIONS: &str = "import socket, subprocess, sys
serve = '''
import socket
s = socket.create_server(('127.0.0.1', 0)); print(s.getsockname()[1], flush=True)
while True:
 c, _ = s.accept()
 while d := c.recv(65536): c.sendall(d)
 c.close()
'''
p = subprocess.Popen([sys.executable, '-c', serve], stdout=subprocess.PIPE)
port = int(p.stdout.readline())
for _ in range(1000):
 with socket.create_connection(('127.0.0.1', port)) as c: c.sendall(b'x' * 100); c.recv(100)
with socket.create_connection(('127.0.0.1', port)) as c:
 for _ in range(PIECES):
  c.sendall(bytes(65536)); left = 65536
  while left: left -= len(c.recv(left))
p.kill(); p.wait()";

fn main() {
    let installed = pack::user_packs().map(|directory| pack::installed(&directory)).unwrap_or_default();
    if installed.iter().all(|pack| pack.manifest().name != "python") {
        eprintln!("there is no pack: sandshell pack build python");
        return;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a tokio runtime");
    let filter = std::env::args().skip(1).find(|a| !a.starts_with('-'));
    let host = tempfile::tempdir().expect("a temporary directory");
    std::fs::write(host.path().join("big"), format!("{}\n", "x".repeat(63)).repeat(100 << 14))
        .expect("a file");
    tree(host.path());
    let options = LocalOptions::default().mount("/work", MountSource::HostReadOnly(host.path().to_owned()));
    let provider = sandshell::local(options).expect("the local provider");
    let context = Context { runtime, provider, native: interpreter(), host: host.path() };
    let mut rows = Vec::new();
    for (name, bench) in BENCHES {
        if filter.as_deref().is_none_or(|f| name.contains(f)) {
            rows.push(bench(&context, name));
        }
    }
    report("CPython", &rows);
}

type Bench = fn(&Context<'_>, &'static str) -> Row;

const BENCHES: &[(&str, Bench)] = &[
    ("-c pass, warm: each of ten in a row", warm),
    ("-c pass, each after a native one", |c, n| script(c, n, 51, "pass", Goal::Ratio(1.0))),
    ("-c pass in a fresh process", fresh),
    ("seven imports", |c, n| script(c, n, 51, IMPORTS, Goal::Time(Duration::from_millis(4)))),
    ("a loop of 3 million", |c, n| script(c, n, 5, LOOP, Goal::Ratio(2.5))),
    ("calls: fib(25)", |c, n| script(c, n, 5, CALLS, Goal::Ratio(2.5))),
    ("100 MB by lines", |c, n| script(c, n, 5, LINES, Goal::Ratio(3.0))),
    ("100 x subprocess.run(['true'])", |c, n| {
        script(c, n, 5, CHILDREN, Goal::Time(Duration::from_millis(100)))
    }),
    ("opening 4,000 files of a mount", |c, n| inside(c, n, OPENING, "tree")),
    ("opening 4,000 files in memory", |c, n| inside(c, n, OPENING, "/tmp/tree")),
    ("os.walk, a mount", |c, n| inside(c, n, WALKING, "tree")),
    ("os.walk, in memory", |c, n| inside(c, n, WALKING, "/tmp/tree")),
    ("os.walk and os.path.getsize, a mount", |c, n| inside(c, n, SIZES, "tree")),
    ("os.walk and os.path.getsize, in memory", |c, n| inside(c, n, SIZES, "/tmp/tree")),
    ("SHA-256 of 256 MB", |c, n| inside(c, n, SHA256, "tree")),
    ("SHA-512 of 128 MB", |c, n| inside(c, n, SHA512, "tree")),
    ("SHA-256 of 100,000 numbers", |c, n| inside(c, n, SHORT, "tree")),
    ("a million rounds of PBKDF2", |c, n| script(c, n, 5, PBKDF2, Goal::Ratio(2.0))),
    ("scrypt with 32 MB", |c, n| script(c, n, 5, SCRYPT, Goal::Ratio(2.0))),
    ("1,000 connections to a server", |c, n| inside(c, n, &CONNECTIONS.replace("PIECES", "0"), "tree")),
    ("the same, and 64 MB there and back", |c, n| {
        inside(c, n, &CONNECTIONS.replace("PIECES", "1000"), "tree")
    }),
    ("memory of 100 sandboxes with Python", hundred),
];

struct Context<'a> {
    runtime: tokio::runtime::Runtime,
    provider: LocalProvider,
    /// The machine's own CPython.
    native: String,
    host: &'a Path,
}

/// The real program behind `python3`, which may be a wrapper script.
fn interpreter() -> String {
    let asked = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output();
    let asked = asked.expect("the machine's own CPython");
    String::from_utf8_lossy(&asked.stdout).trim().to_owned()
}

impl Context<'_> {
    fn sandbox(&self) -> Arc<LocalSandbox> {
        self.provider.create(CreateOptions::default()).expect("a sandbox")
    }

    fn run(&self, sandbox: &LocalSandbox, command: &str) {
        let answer = self.runtime.block_on(sandbox.run(command)).expect("an answer");
        assert_eq!(answer.exit_code, Some(0), "{command}: {}", String::from_utf8_lossy(&answer.output));
    }
}

/// Runs a program in an existing sandbox and natively, both with `python3 -c`.
fn script(context: &Context<'_>, name: &'static str, times: usize, program: &str, goal: Goal) -> Row {
    let command = format!("cd /work; exec python3 -c \"{program}\"");
    in_rows(context, name, (times, 1), &command, program, goal)
}

/// Measures without the effect of other programs on the processor's caches.
fn warm(context: &Context<'_>, name: &'static str) -> Row {
    in_rows(context, name, (11, 10), "python3 -c pass", "pass", Goal::Time(Duration::from_millis(2)))
}

/// A command in a sandbox and a native program take turns. Each runs several times in a row, and the mean counts.
fn in_rows(
    context: &Context<'_>,
    name: &'static str,
    (turns, runs): (usize, u32),
    command: &str,
    program: &str,
    goal: Goal,
) -> Row {
    let sandbox = context.sandbox();
    let native = || {
        let status = Command::new(&context.native).args(["-c", program]).current_dir(context.host).status();
        assert!(status.is_ok_and(|status| status.success()));
    };
    let ours = || (0..runs).for_each(|_| context.run(&sandbox, command));
    let (ours, native) = alternate(turns, ours, || (0..runs).for_each(|_| native()));
    context.runtime.block_on(context.provider.delete(sandbox.id())).expect("the sandbox goes");
    Row::new(name, ours / runs, Some(native / runs), goal)
}

/// A tree of 4,000 files of 1 to 5 KB.
fn tree(host: &Path) {
    for directory in 0..40 {
        let directory = host.join(format!("tree/d{directory}"));
        std::fs::create_dir_all(&directory).expect("a directory");
        for file in 0..100 {
            let line = format!("{}\n", "x".repeat(9 + file % 5 * 10));
            std::fs::write(directory.join(format!("f{file}")), line.repeat(100)).expect("a file");
        }
    }
}

/// Runs a program that measures itself, in a sandbox and natively; the goal is at most twice the time. `tree` is
/// the mounted tree, which the native program always uses, or a copy elsewhere in the sandbox.
fn inside(context: &Context<'_>, name: &'static str, program: &str, tree: &str) -> Row {
    let timed = |tree: &str| {
        let program = program.replace("TREE", tree);
        format!("import time\nbegun = time.perf_counter()\n{program}\nprint(time.perf_counter() - begun)")
    };
    let sandbox = context.sandbox();
    context.run(&sandbox, "cp -r /work/tree /tmp/tree");
    let command = format!("cd /work; exec python3 -c \"{}\"", timed(tree));
    let ours = || {
        let answer = context.runtime.block_on(sandbox.run(&command)).expect("an answer");
        seconds(&answer.output)
    };
    let native = || {
        let program = ["-c", &timed("tree")];
        let output = Command::new(&context.native).args(program).current_dir(context.host).output();
        seconds(&output.expect("CPython").stdout)
    };
    ours();
    native();
    let (mut a, mut b): (Vec<_>, Vec<_>) = (0..11).map(|_| (ours(), native())).unzip();
    a.sort();
    b.sort();
    context.runtime.block_on(context.provider.delete(sandbox.id())).expect("the sandbox goes");
    Row::new(name, a[a.len() / 2], Some(b[b.len() / 2]), Goal::Ratio(2.0))
}

/// Parses the time that a program printed.
fn seconds(output: &[u8]) -> Duration {
    let text = String::from_utf8_lossy(output);
    Duration::from_secs_f64(text.trim().parse().unwrap_or_else(|_| panic!("no time: {text}")))
}

fn fresh(context: &Context<'_>, name: &'static str) -> Row {
    let run = |program: &str, arguments: &[&str]| {
        assert!(Command::new(program).args(arguments).status().is_ok_and(|status| status.success()));
    };
    let ours = || run(env!("CARGO_BIN_EXE_sandshell"), &["exec", "exec python3 -c pass"]);
    let (ours, native) = alternate(31, ours, || run(&context.native, &["-c", "pass"]));
    Row::new(name, ours, Some(native), Goal::Ratio(1.0))
}

/// A hundred programs that have imported something and wait, all at the same time.
fn hundred(context: &Context<'_>, name: &'static str) -> Row {
    let before = resident();
    let sandboxes: Vec<_> = (0..100).map(|_| context.sandbox()).collect();
    let peak = context.runtime.block_on(async {
        let start = Instant::now();
        let program = format!("python3 -c '{IMPORTS}, time; x = list(range(10000)); time.sleep(20)'");
        let tasks: Vec<_> = sandboxes
            .iter()
            .map(|sandbox| {
                let (sandbox, program) = (sandbox.clone(), program.clone());
                tokio::spawn(async move { sandbox.run(&program).await })
            })
            .collect();
        let mut peak = 0;
        while start.elapsed() < Duration::from_secs(15) {
            tokio::time::sleep(Duration::from_millis(500)).await;
            peak = peak.max(resident());
        }
        for task in tasks {
            drop(task.await);
        }
        peak
    });
    for sandbox in sandboxes {
        context.runtime.block_on(context.provider.delete(sandbox.id())).expect("the sandbox goes");
    }
    Row::memory(name, peak.saturating_sub(before), 2 << 30)
}
