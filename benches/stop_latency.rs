//! Measures how soon a hostile guest ends after its time limit, and how much it slows its neighbours.
//!
//! `cargo bench --bench stop_latency [NAME]` runs each guest several times with a limit of 200 ms. It prints the
//! median and the worst time from the limit to the answer, the worst further time until no process of the guest is
//! left, and the worst answer time of another sandbox that runs `echo hi` meanwhile. The goal is 100 ms. Nothing is
//! asserted.

#![allow(clippy::print_stdout, reason = "the table is what a bench is for")]

use sandshell::runtime::{Command, CommandProgram};
use sandshell::{
    CreateOptions, Engine, ExecuteRequest, Limits, LocalOptions, LocalProvider, LocalSandbox, Sandbox,
    SandboxExt,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The time limit of every guest.
const LIMIT: Duration = Duration::from_millis(200);
/// How long a guest may live after its limit.
const GOAL: Duration = Duration::from_millis(100);
const ROUNDS: usize = 7;

enum Guest {
    /// A command for bash.
    Shell(&'static str),
    /// A module's text.
    Module(&'static str),
}

use Guest::{Module, Shell};

const GUESTS: &[(&str, Guest)] = &[
    (
        "endless loop in wasm",
        Module(r#"(module (memory (export "memory") 1) (func (export "_start") (loop $l (br $l))))"#),
    ),
    ("endless loop in bash", Shell("while :; do :; done")),
    ("a wait without end", Shell("mkfifo f; cat f")),
    ("fork bomb", Shell("(:(){ :|:& }; :); while :; do :; done")),
    ("processes without end", Shell("while :; do /usr/bin/true; done")),
    (
        "processes that ignore signals",
        Shell("trap '' TERM INT HUP; for i in {1..100}; do (while :; do :; done) & done; wait"),
    ),
    ("output flood", Shell("yes")),
    ("pipeline flood", Shell("yes | cat | cat | tail -n 1")),
    ("file that grows", Shell("cat /dev/zero > big")),
    ("string that doubles", Shell("x=xxxxxxxxxxxxxxxx; while :; do x=$x$x; done")),
    ("a million files", Shell("i=0; while :; do : > $((i++)); done")),
    ("deep recursion in bash", Shell("f() { f; }; while :; do (f); done")),
    (
        "regular expression without end",
        Shell("s=$(printf 'a%.0s' {1..5000}); while :; do [[ $s =~ (a|aa)*(a|aa)*(a|aa)*b ]]; done"),
    ),
    (
        "1 GiB filled again and again",
        Module(
            r#"(module (memory (export "memory") 1) (func (export "_start")
            (drop (memory.grow (i32.const 16000)))
            (loop $l (memory.fill (i32.const 0) (i32.const 7) (i32.const 1048576000)) (br $l))))"#,
        ),
    ),
    (
        "1 GiB copied again and again",
        Module(
            r#"(module (memory (export "memory") 1) (func (export "_start")
            (drop (memory.grow (i32.const 16000)))
            (memory.fill (i32.const 0) (i32.const 7) (i32.const 524288000))
            (loop $l (memory.copy (i32.const 524288000) (i32.const 0) (i32.const 524288000)) (br $l))))"#,
        ),
    ),
    (
        "1 GiB of random bytes",
        Module(
            r#"(module (import "wasi_snapshot_preview1" "random_get" (func $random (param i32 i32) (result i32)))
            (memory (export "memory") 1) (func (export "_start")
            (drop (memory.grow (i32.const 16000)))
            (loop $l (drop (call $random (i32.const 0) (i32.const 1048576000))) (br $l))))"#,
        ),
    ),
    (
        "clones of 500 MiB",
        Module(
            r#"(module (import "sandshell" "clone" (func $clone (param i32 i32 i32 i32) (result i32)))
            (memory (export "memory") 1)
            (global (export "__stack_pointer") (mut i32) (i32.const 65536))
            (table (export "__indirect_function_table") 2 funcref)
            (func $child (param i32) (result i32) (loop $l (br $l)) (unreachable))
            (elem (i32.const 1) $child)
            (func (export "_start")
            (drop (memory.grow (i32.const 8000)))
            (memory.fill (i32.const 65536) (i32.const 7) (i32.const 524288000))
            (loop $l (drop (call $clone (i32.const 1) (i32.const 0) (i32.const 0) (i32.const 0))) (br $l))))"#,
        ),
    ),
    (
        "65,536 subscriptions polled",
        Module(
            r#"(module (import "wasi_snapshot_preview1" "poll_oneoff" (func $poll (param i32 i32 i32 i32) (result i32)))
            (memory (export "memory") 200) (func (export "_start") (local $i i32)
            (loop $fill
              (i64.store offset=24 (i32.mul (local.get $i) (i32.const 48)) (i64.const 1000))
              (i32.store offset=16 (i32.mul (local.get $i) (i32.const 48)) (i32.const 1))
              (local.set $i (i32.add (local.get $i) (i32.const 1)))
              (br_if $fill (i32.lt_u (local.get $i) (i32.const 65536))))
            (loop $l (drop (call $poll (i32.const 0) (i32.const 6000000) (i32.const 65536) (i32.const 10000000))) (br $l))))"#,
        ),
    ),
    (
        "recursion until the stack ends",
        Module(
            r#"(module (import "sandshell" "clone" (func $clone (param i32 i32 i32 i32) (result i32)))
            (memory (export "memory") 1)
            (global (export "__stack_pointer") (mut i32) (i32.const 65536))
            (table (export "__indirect_function_table") 2 funcref)
            (func $deep (param i32) (result i32) (i32.add (i32.const 1) (call $deep (local.get 0))))
            (elem (i32.const 1) $deep)
            (func (export "_start")
            (loop $l (drop (call $clone (i32.const 1) (i32.const 0) (i32.const 0) (i32.const 0))) (br $l))))"#,
        ),
    ),
];

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a tokio runtime");
    let filter = std::env::args().skip(1).find(|a| !a.starts_with('-'));
    let engine = sandshell::engine(None).expect("the engine");
    println!("{:<36} {:>9} {:>9} {:>9} {:>16}", "guest", "median", "worst", "all gone", "neighbour, worst");
    for (name, guest) in GUESTS {
        if filter.as_deref().is_none_or(|f| name.contains(f)) {
            runtime.block_on(measure(&engine, name, guest));
        }
    }
}

async fn measure(engine: &Engine, name: &str, guest: &Guest) {
    let provider = provider(engine);
    let mut late = Vec::new();
    let mut gone = Duration::ZERO;
    let neighbour = Neighbour::start(provider.create(CreateOptions::default()).expect("a sandbox"));
    for _ in 0..ROUNDS {
        let sandbox = provider.create(CreateOptions::default()).expect("a sandbox");
        let Some(overrun) = overrun(&sandbox, guest).await else {
            println!("{name:<36} ended by itself");
            return;
        };
        late.push(overrun);
        let started = Instant::now();
        sandbox.kernel().shutdown().await;
        gone = gone.max(started.elapsed());
    }
    let neighbour = neighbour.stop().await;
    late.sort();
    let (median, worst) = (late[ROUNDS / 2], late[ROUNDS - 1]);
    let mark = if worst > GOAL { "  missed" } else { "" };
    println!("{name:<36} {median:>9.1?} {worst:>9.1?} {gone:>9.1?} {neighbour:>16.1?}{mark}");
}

fn provider(engine: &Engine) -> LocalProvider {
    let options = LocalOptions {
        limits: Limits { processes: 128, ..Limits::default() },
        disk: sandshell::vfs::Limits { bytes: Some(1 << 30), ..sandshell::vfs::Limits::default() },
        ..LocalOptions::default()
    };
    LocalProvider::new(engine.clone(), options).expect("the local provider")
}

/// The time from the limit to the answer; `None` if the guest ended by itself.
async fn overrun(sandbox: &LocalSandbox, guest: &Guest) -> Option<Duration> {
    let (started, timed_out) = match guest {
        Shell(script) => {
            let started = Instant::now();
            let answer = sandbox.execute(ExecuteRequest::new(*script).timeout(LIMIT)).await;
            (started, answer.expect("an answer").timed_out)
        }
        Module(text) => {
            let mut command = Command::new("", vec![b"guest".to_vec()]);
            command.program = CommandProgram::Module(wat::parse_str(text).expect("a module"));
            command.timeout = Some(LIMIT);
            let job = sandbox.kernel().spawn(command).await.expect("a job");
            let started = Instant::now();
            (started, job.wait().await.timed_out)
        }
    };
    timed_out.then(|| started.elapsed().saturating_sub(LIMIT))
}

/// Another sandbox, which runs a small command repeatedly.
struct Neighbour {
    ended: Arc<AtomicBool>,
    task: tokio::task::JoinHandle<Duration>,
}

impl Neighbour {
    fn start(sandbox: Arc<LocalSandbox>) -> Neighbour {
        let ended = Arc::new(AtomicBool::new(false));
        let stop = ended.clone();
        let task = tokio::spawn(async move {
            let mut worst = Duration::ZERO;
            while !stop.load(Ordering::Relaxed) {
                let started = Instant::now();
                sandbox.run("echo hi").await.expect("an answer");
                worst = worst.max(started.elapsed());
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            worst
        });
        Neighbour { ended, task }
    }

    /// Stops it; returns the longest time of a command.
    async fn stop(self) -> Duration {
        self.ended.store(true, Ordering::Relaxed);
        self.task.await.expect("the neighbour")
    }
}
