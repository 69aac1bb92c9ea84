//! Measures how much a hostile neighbour in the same process slows a quiet sandbox.
//!
//! `cargo bench --bench neighbours [NAME]` runs each attacker repeatedly for some seconds with a deadline of one
//! second, and at the same time another sandbox that runs `echo hi` every few milliseconds. It prints the median
//! and the 99th percentile of the quiet sandbox's answer times alone (measured just before, in the same run) and
//! with the attacker, and the ratio of the percentiles; the goal is at most 5. Then it allocates and frees much
//! memory a hundred times, and prints the resident memory after every tenth round. Nothing is asserted.

#![allow(clippy::print_stdout, reason = "the table is what a bench is for")]

use sandshell::runtime::{Command, CommandProgram};
use sandshell::{
    CreateOptions, Engine, ExecuteRequest, LocalOptions, LocalProvider, LocalSandbox, MountSource, Sandbox,
    SandboxExt,
};
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// How long the quiet sandbox is measured alone, and with each attacker.
const ALONE: Duration = Duration::from_secs(3);
const BESIDE: Duration = Duration::from_secs(6);
/// The attacker's own deadline.
const DEADLINE: Duration = Duration::from_secs(1);
const GOAL: f64 = 5.0;

enum Attack {
    /// A command for bash, in an overlay over a directory with `huge` (a hole of 3 GiB), `real0` and `real1` (1 GiB
    /// each) and `many` (50,000 names).
    Shell(&'static str),
    /// A module's text.
    Module(&'static str),
    /// Large modules, all different, one after another.
    Compile,
    /// The host computes a diff of the attacker's large changes.
    Diff,
}

use Attack::{Compile, Diff, Module, Shell};

const ATTACKERS: &[(&str, Attack)] = &[
    ("endless loops (200)", Shell("for i in {1..200}; do (while :; do :; done) & done; wait")),
    ("loops left behind", Shell("for i in {1..20}; do while :; do :; done & done; sleep 1")),
    (
        "fd_allocate in a loop",
        Module(
            r#"(module
            (import "wasi_snapshot_preview1" "path_open"
                (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
            (import "wasi_snapshot_preview1" "fd_allocate" (func $allocate (param i32 i64 i64) (result i32)))
            (import "wasi_snapshot_preview1" "fd_filestat_set_size" (func $size (param i32 i64) (result i32)))
            (memory (export "memory") 1) (data (i32.const 0) "tmp/big")
            (func (export "_start")
                (drop (call $open (i32.const 3) (i32.const 0) (i32.const 0) (i32.const 7) (i32.const 9)
                    (i64.const -1) (i64.const -1) (i32.const 0) (i32.const 100)))
                (loop $l
                    (drop (call $allocate (i32.load (i32.const 100)) (i64.const 0) (i64.const 2147483648)))
                    (drop (call $size (i32.load (i32.const 100)) (i64.const 0)))
                    (br $l))))"#,
        ),
    ),
    ("modules to be compiled", Compile),
    ("copy-up of 2 GiB", Shell("while :; do chmod 600 real0; touch real1; done")),
    ("writes of 16 MiB", Shell("while :; do dd if=/dev/zero of=/tmp/f bs=16M count=60 2>/dev/null; done")),
    ("reads of 16 MiB", Shell("while :; do dd if=huge of=/dev/null bs=16M count=200 2>/dev/null; done")),
    ("a file of 1 GiB made and removed", Shell("while :; do head -c 1G /dev/zero > /tmp/f; rm /tmp/f; done")),
    ("a file of 1 GiB made and cut", Shell("while :; do head -c 1G /dev/zero > /tmp/f; : > /tmp/f; done")),
    ("a directory of 50,000 names", Shell("while :; do echo many/*1 > /dev/null; done")),
    (
        "names made and removed",
        Shell("cd /tmp; while :; do i=0; while ((i++ < 20000)); do : > f$i; done; rm -f f*; done"),
    ),
    (
        "paths of 2,000 names",
        Shell("p=$(printf 'd/%.0s' {1..1900}); mkdir -p /tmp/$p; while :; do cd /tmp/$p; cd /; done"),
    ),
    ("diff of 1 GiB", Diff),
    (
        "strings that double (800 MiB)",
        Shell("while :; do (x=xxxxxxxxxxxxxxxx; while :; do x=$x$x; done) 2>/dev/null; done"),
    ),
    (
        "1 GiB filled, and given back",
        Module(
            r#"(module (memory (export "memory") 1) (func (export "_start")
            (drop (memory.grow (i32.const 16000)))
            (memory.fill (i32.const 0) (i32.const 7) (i32.const 1048576000))))"#,
        ),
    ),
    ("fork bomb", Shell("(:(){ :|:& }; :) 2>/dev/null; while :; do :; done")),
    (
        "200 files open on a mount",
        Shell(
            "while :; do for i in {1..200}; do exec {fd}<huge; eval \"fds+=($fd)\"; done; for fd in ${fds[@]}; do exec {fd}<&-; done; fds=(); done",
        ),
    ),
    (
        "regular expression",
        Shell("s=$(printf 'a%.0s' {1..5000}); while :; do [[ $s =~ (a|aa)*(a|aa)*(a|aa)*b ]]; done"),
    ),
    ("output flood", Shell("yes")),
    ("pipeline flood", Shell("yes | cat | cat | tail -n 1")),
];

fn main() {
    table(std::env::args().skip(1).find(|a| !a.starts_with('-')));
}

/// Prints the rows whose name contains `filter`.
pub(crate) fn table(filter: Option<String>) {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a tokio runtime");
    let host = tempfile::tempdir().expect("a directory");
    prepare(host.path());
    let engine = sandshell::engine(None).expect("the engine");
    println!(
        "{:<36} {:>9} {:>9} {:>9} {:>9} {:>7}",
        "attacker", "alone p50", "alone p99", "p50", "p99", "ratio"
    );
    for (name, attack) in ATTACKERS {
        if filter.as_deref().is_none_or(|f| name.contains(f)) {
            runtime.block_on(measure(&engine, host.path(), name, attack));
        }
    }
    if filter.as_deref().is_none_or(|f| "memory".contains(f)) {
        runtime.block_on(memory(&engine));
    }
}

fn prepare(host: &Path) {
    std::fs::File::create(host.join("huge")).and_then(|file| file.set_len(3 << 30)).expect("a file");
    let piece = vec![b'x'; 1 << 20];
    for name in ["real0", "real1"] {
        let mut file = std::fs::File::create(host.join(name)).expect("a file");
        (0..1024).for_each(|_| file.write_all(&piece).expect("space"));
    }
    std::fs::create_dir(host.join("many")).expect("a directory");
    for number in 0..50_000 {
        std::fs::File::create(host.join(format!("many/{number}"))).expect("a file");
    }
}

fn provider(engine: &Engine, host: Option<&Path>) -> LocalProvider {
    let mut options = LocalOptions::default();
    if let Some(host) = host {
        options = options.mount("/work", MountSource::Overlay(host.to_owned()));
        options.workdir = "/work".to_owned();
    }
    LocalProvider::new(engine.clone(), options).expect("the local provider")
}

async fn measure(engine: &Engine, host: &Path, name: &str, attack: &Attack) {
    let quiet = provider(engine, None).create(CreateOptions::default()).expect("a sandbox");
    let alone = answers(&quiet, ALONE).await;
    let attackers = provider(engine, Some(host));
    let over = Arc::new(AtomicBool::new(false));
    let attacking = async {
        while !over.load(Ordering::Relaxed) {
            let sandbox = attackers.create(CreateOptions::default()).expect("a sandbox");
            once(&sandbox, attack, &over).await;
            sandbox.kernel().shutdown().await;
        }
    };
    let quiet_task = tokio::spawn({
        let over = over.clone();
        async move {
            let answers = answers(&quiet, BESIDE).await;
            over.store(true, Ordering::Relaxed);
            answers
        }
    });
    attacking.await;
    let beside = quiet_task.await.expect("the neighbour");
    let ratio = beside.1.as_secs_f64() / alone.1.as_secs_f64();
    let mark = if ratio > GOAL { "  missed" } else { "" };
    println!(
        "{name:<36} {:>9.1?} {:>9.1?} {:>9.1?} {:>9.1?} {ratio:>7.1}{mark}",
        alone.0, alone.1, beside.0, beside.1
    );
}

async fn once(sandbox: &Arc<LocalSandbox>, attack: &Attack, over: &AtomicBool) {
    match attack {
        Shell(script) => {
            let _ = sandbox.execute(ExecuteRequest::new(*script).timeout(DEADLINE)).await.expect("an answer");
        }
        Module(text) => module(sandbox, wat::parse_str(text).expect("a module")).await,
        Compile => {
            for seed in 0.. {
                if over.load(Ordering::Relaxed) {
                    return;
                }
                module(sandbox, large_module(seed)).await;
            }
        }
        Diff => {
            let made = "head -c 500M /dev/zero | tr '\\0' '\\n' > a; head -c 500M /dev/zero > b";
            sandbox.run(made).await.expect("an answer");
            while !over.load(Ordering::Relaxed) {
                let sandbox = sandbox.clone();
                let diff = move || sandbox.overlays().iter().filter(|one| one.overlay.diff().is_ok()).count();
                tokio::task::spawn_blocking(diff).await.expect("a diff");
            }
        }
    }
}

async fn module(sandbox: &Arc<LocalSandbox>, wasm: Vec<u8>) {
    let mut command = Command::new("", vec![b"attack".to_vec()]);
    command.program = CommandProgram::Module(wasm);
    command.timeout = Some(DEADLINE);
    sandbox.kernel().spawn(command).await.expect("a job").wait().await;
}

/// A module of 2,000 functions. Each seed gives a different module.
fn large_module(seed: u32) -> Vec<u8> {
    static MODULE: OnceLock<Vec<u8>> = OnceLock::new();
    let module = MODULE.get_or_init(|| {
        let step = "(local.set 0 (i32.xor (i32.mul (local.get 0) (i32.const 7)) (i32.shr_u (local.get 0) (i32.const 3))))";
        let function = format!("(func (param i32) (result i32) {} (local.get 0))", step.repeat(40));
        let text =
            format!(r#"(module {} (memory (export "memory") 1) (func (export "_start")))"#, function.repeat(2000));
        wat::parse_str(text).expect("a module")
    });
    // A custom section named `n`.
    [&module[..], &[0, 6, 1, b'n'], &seed.to_le_bytes()].concat()
}

/// The median and 99th percentile of the time for one command.
async fn answers(sandbox: &Arc<LocalSandbox>, time: Duration) -> (Duration, Duration) {
    let sandbox = sandbox.clone();
    let task = tokio::spawn(async move {
        let (until, mut all) = (Instant::now() + time, Vec::new());
        while Instant::now() < until {
            let started = Instant::now();
            sandbox.run("echo hi").await.expect("an answer");
            all.push(started.elapsed());
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        all.sort_unstable();
        (all[all.len() / 2], all[all.len() * 99 / 100])
    });
    task.await.expect("the neighbour")
}

/// Memory that stays resident after files are removed and sandboxes are closed.
async fn memory(engine: &Engine) {
    let provider = provider(engine, None);
    println!("\nresident, MiB, after rounds 0, 10, …, 100");
    for (name, script) in [
        ("a file of 500 MiB, removed", "head -c 500M /dev/zero > f; rm f"),
        ("a file of 500 MiB, closed", "head -c 500M /dev/zero > f"),
        (
            "20,000 files of 5 KiB, removed",
            "x=$(printf %05000d 1); i=0; while ((i++ < 20000)); do echo $x > f$i; done; rm -f f*",
        ),
        (
            "100 processes of 30 MiB",
            "for i in {1..100}; do (x=$(head -c 8M /dev/zero | tr '\\0' x); y=$x$x; sleep 1) & done; wait",
        ),
    ] {
        let mut line = vec![resident()];
        for round in 1..=100 {
            let sandbox = provider.create(CreateOptions::default()).expect("a sandbox");
            sandbox.run(script).await.expect("an answer");
            let id = sandbox.id().to_owned();
            drop(sandbox);
            sandshell::SandboxProvider::delete(&provider, &id).await.expect("deleted");
            tokio::time::sleep(Duration::from_millis(50)).await;
            if round % 10 == 0 {
                line.push(resident());
            }
        }
        let line: Vec<String> = line.iter().map(u64::to_string).collect();
        println!("{name:<36} {}", line.join(" "));
    }
}

fn resident() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    statm.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok()).unwrap_or(0) / 256
}
