//! Hostile guests: each is stopped soon and with the right error, and does not affect its neighbours.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(clippy::print_stdout, reason = "the times are shown with --nocapture")]

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use common::guest::errno::*;
use common::guest::{FUNCTIONS, Guest, I};
use common::{builder, check, command, engine, kernel, read, run, write};
use sandshell_runtime::{Engine, Error, ExitStatus, Kernel, Limit, Limits, Outcome};

/// A guest that runs this long after its limit is considered hung. The bench `stop_latency` measures the real time.
const HANGS: Duration = Duration::from_secs(60);

fn limited(engine: &Engine, limits: Limits) -> Kernel {
    builder(engine, &[]).limits(limits).build().unwrap()
}

/// Runs WAT with a deadline and checks that it held.
async fn deadline(kernel: &Kernel, text: &str, timeout: Duration) -> Outcome {
    let mut command = command(text);
    command.timeout = Some(timeout);
    let started = Instant::now();
    let outcome = kernel.spawn(command).await.unwrap().wait().await;
    let taken = started.elapsed();
    println!("gone {:?} after its limit", taken.saturating_sub(timeout));
    assert!(taken < timeout + HANGS, "took {taken:?}");
    outcome
}

const SPIN: &str =
    r#"(module (memory (export "memory") 1) (func (export "_start") (loop $ever (br $ever))))"#;

#[tokio::test]
async fn an_endless_loop_ends_at_its_deadline() {
    let timeout = Duration::from_millis(50);
    let outcome = deadline(&kernel(), SPIN, timeout).await;
    assert_eq!((outcome.status, outcome.timed_out), (ExitStatus::Signaled(9), true));
    assert_eq!(outcome.limit, Some(Limit::WallTime(timeout)));
    assert_eq!(outcome.limit.unwrap().to_string(), "wall time limit of 50ms exceeded");
}

#[tokio::test]
async fn an_endless_loop_in_a_start_function_ends_too() {
    let text = r#"(module (memory (export "memory") 1) (func $spin (loop $ever (br $ever)))
        (start $spin) (func (export "_start")))"#;
    assert!(deadline(&kernel(), text, Duration::from_millis(50)).await.timed_out);
}

#[tokio::test]
async fn a_blocked_guest_ends_at_its_deadline_with_what_it_wrote() {
    let mut guest = Guest::new();
    guest.print(I(1), "partial");
    guest.call("pipe", &[I(32), I(0)], OK).words(144, &[300, 1]);
    guest.ignore("fd_read", &[common::guest::At(32), I(144), I(1), I(152)]);
    // Long enough for it to begin on a busy machine.
    let outcome = deadline(&kernel(), &guest.wat(), Duration::from_secs(1)).await;
    assert!(outcome.timed_out);
    assert_eq!(outcome.output, b"partial");
}

#[tokio::test]
async fn fuel_runs_out() {
    let kernel = limited(&engine(&[]), Limits { fuel: Some(5_000_000), ..Limits::default() });
    let outcome = deadline(&kernel, SPIN, Duration::from_secs(20)).await;
    assert_eq!(outcome.status, ExitStatus::Signaled(9));
    assert_eq!(outcome.limit, Some(Limit::Fuel(5_000_000)));
    assert!(!outcome.timed_out);
    let used = outcome.fuel.unwrap();
    assert!((5_000_000..6_000_000).contains(&used), "{used}");
}

#[tokio::test]
async fn a_fork_bomb_stays_within_the_process_limit() {
    let kernel = limited(&engine(&[]), Limits { processes: 20, ..Limits::default() });
    let mut guest = Guest::new();
    let child = guest.function();
    guest.raw("(loop $ever");
    guest.ignore("clone", &[I(child), I(0), I(0), I(16)]);
    guest.raw("(br $ever))");
    guest.end(0);
    guest.raw("(loop $ever").ignore("clone", &[I(child), I(0), I(0), I(16)]).raw("(br $ever))");
    let outcome = deadline(&kernel, &guest.wat(), Duration::from_millis(200)).await;
    assert!(outcome.timed_out);
    assert_eq!(outcome.limit, Some(Limit::Processes(20)));
    kernel.shutdown().await;
    assert_eq!((kernel.usage().processes, kernel.usage().memory), (0, 0));
}

#[tokio::test]
async fn a_clone_that_is_killed_while_copying_leaves_nothing_behind() {
    // The copy is instantiated inside the parent's call, and its start function never ends.
    let text = r#"(module (import "sandshell" "clone" (func $clone (param i32 i32 i32 i32) (result i32)))
        (import "sandshell" "getpid" (func $getpid (result i32)))
        (memory (export "memory") 1)
        (global (export "__stack_pointer") (mut i32) (i32.const 65536))
        (table (export "__indirect_function_table") 1 funcref)
        (func $begin (if (i32.ne (call $getpid) (i32.const 2)) (then (loop $ever (br $ever)))))
        (start $begin)
        (func (export "_start") (drop (call $clone (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 16)))))"#;
    let kernel = kernel();
    assert!(deadline(&kernel, text, Duration::from_millis(50)).await.timed_out);
    tokio::time::timeout(HANGS, kernel.shutdown()).await.expect("no process is left");
    assert_eq!(kernel.usage().processes, 0);
    // Its memory is given back by whoever drops the last part of it.
    let freed = async {
        while kernel.usage().memory != 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(HANGS, freed).await.expect("its memory is given back");
}

#[tokio::test]
async fn large_fills_copies_and_clones_end_at_their_deadline() {
    let work = [
        "(memory.fill (i32.const 0) (i32.const 7) (i32.const 1048576000))",
        "(memory.copy (i32.const 1) (i32.const 0) (i32.const 1048575000))",
        "(drop (call $clone (i32.const 1) (i32.const 0) (i32.const 0) (i32.const 0)))",
        "(drop (call $random (i32.const 0) (i32.const 1048576000)))",
    ];
    for work in work {
        let text = format!(
            r#"(module (import "sandshell" "clone" (func $clone (param i32 i32 i32 i32) (result i32)))
            (import "wasi_snapshot_preview1" "random_get" (func $random (param i32 i32) (result i32)))
            (memory (export "memory") 1)
            (global (export "__stack_pointer") (mut i32) (i32.const 65536))
            (table (export "__indirect_function_table") 2 funcref)
            (func $child (param i32) (result i32) (i32.const 0))
            (elem (i32.const 1) $child)
            (func (export "_start") (drop (memory.grow (i32.const 16000)))
                (loop $ever {work} (br $ever))))"#
        );
        assert!(deadline(&kernel(), &text, Duration::from_millis(50)).await.timed_out, "{work}");
    }
}

#[tokio::test]
async fn loops_that_share_one_processor_all_get_their_turn() {
    // Plain code and metered code.
    for fuel in [None, Some(1 << 40)] {
        let limits = Limits { fuel, ..Limits::default() };
        share(&builder(&engine(&[]), &[]).cpus(1).limits(limits).build().unwrap()).await;
    }
}

async fn share(kernel: &Kernel) {
    let mut guest = Guest::new();
    let child = guest.function();
    guest.raw("(local.set $n (i32.const 100000000))");
    guest.raw("(loop $more (br_if $more (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))");
    guest.end(0);
    for at in [16, 20, 24] {
        guest.call("clone", &[I(child), I(0), I(0), I(at)], OK);
    }
    // A process that waits for its turn is stopped and continued.
    guest.words(1000, &[1, 0, 0, 0, 1, 0]).raw("(i64.store (i32.const 1024) (i64.const 10000000))");
    let nap = [I(1000), I(2000), I(1), I(64)];
    guest.call("poll_oneoff", &nap, OK);
    for at in [16, 20, 24] {
        guest.call("kill", &[common::guest::At(at), I(19)], OK);
    }
    guest.call("poll_oneoff", &nap, OK);
    for at in [24, 16, 20] {
        guest.call("kill", &[common::guest::At(at), I(18)], OK);
    }
    for _ in 0..3 {
        guest.call("wait", &[I(-1), I(0), I(128)], OK).word(132, 0).word(136, 0);
    }
    let mut command = command(&guest.wat());
    command.timeout = Some(Duration::from_secs(60));
    common::explain(&guest, &kernel.spawn(command).await.unwrap().wait().await);
}

#[tokio::test]
async fn a_memory_bomb_is_refused_by_process_and_by_sandbox() {
    let grow = r#"(module (memory (export "memory") 1) (func (export "_start")
        (loop $more (br_if $more (i32.ne (memory.grow (i32.const 16)) (i32.const -1)))) unreachable))"#;
    let own = limited(&engine(&[]), Limits { process_memory: 8 << 20, ..Limits::default() });
    let outcome = run(&own, grow).await;
    assert_eq!((outcome.status.code(), outcome.limit), (134, Some(Limit::ProcessMemory(8 << 20))));
    let all = limited(&engine(&[]), Limits { sandbox_memory: 8 << 20, ..Limits::default() });
    let outcome = run(&all, grow).await;
    assert_eq!((outcome.status.code(), outcome.limit), (134, Some(Limit::SandboxMemory(8 << 20))));
    let initial = r#"(module (memory (export "memory") 1000) (func (export "_start")))"#;
    let outcome = run(&own, initial).await;
    assert_eq!((outcome.status.code(), outcome.limit), (137, Some(Limit::ProcessMemory(8 << 20))));
    assert_eq!(own.usage().memory, 0);
}

#[tokio::test]
async fn instance_state_counts_as_memory() {
    // Each instance has the values of its passive segments: 16 bytes for a byte of the file.
    let elements = "$f ".repeat(1_000_000);
    let module = format!(
        r#"(module (memory (export "memory") 1) (func $f) (elem func {elements}) (func (export "_start")))"#
    );
    let engine = engine(&[]);
    // The limits include the module's code. The first would be enough if the instance did not count.
    for (sandbox_memory, fits) in [(48 << 20, false), (64 << 20, true)] {
        let kernel = limited(&engine, Limits { sandbox_memory, ..Limits::default() });
        match kernel.spawn(command(&module)).await {
            Ok(job) => assert!(fits && job.wait().await.status == ExitStatus::Exited(0)),
            Err(Error::Limit(limit)) => assert!(!fits && limit == Limit::SandboxMemory(sandbox_memory)),
            Err(error) => panic!("{error}"),
        }
        assert_eq!(kernel.usage().memory, 0);
    }
}

/// Resident memory of this program, in bytes.
#[cfg(target_os = "linux")]
fn resident() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    statm.split(' ').nth(1).unwrap().parse::<u64>().unwrap() * 4096
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn memory_of_many_processes_is_returned_when_they_end() {
    const SIZE: u64 = 7 << 20;
    const PROCESSES: u64 = 60;
    let kernel = kernel();
    let mut guest = Guest::new();
    guest.raw(&format!("(drop (memory.grow (i32.const {})))", SIZE >> 16));
    guest.raw(&format!("(memory.fill (i32.const 65536) (i32.const 7) (i32.const {SIZE}))"));
    // Runs until it is killed.
    guest.raw("(loop $ever (br $ever))");
    let text = guest.wat();
    let before = resident();
    let mut jobs = Vec::new();
    for _ in 0..PROCESSES {
        jobs.push(kernel.spawn(command(&text)).await.unwrap());
    }
    let started = Instant::now();
    while resident() < before + PROCESSES * SIZE * 9 / 10 {
        assert!(started.elapsed() < HANGS, "{} MiB", resident() >> 20);
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    drop(jobs);
    kernel.shutdown().await;
    // Memory is returned soon, but not at once. Some is kept for the next processes.
    let started = Instant::now();
    while resident() > before + (80 << 20) {
        assert!(started.elapsed() < HANGS, "{} MiB of {}", resident() >> 20, before >> 20);
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn an_output_flood_is_cut() {
    let mut guest = Guest::new();
    let (text, len) = guest.text("x".repeat(1000));
    guest.words(128, &[text, len]);
    guest.raw("(loop $again");
    guest.call("fd_write", &[I(1), I(128), I(1), I(140)], OK);
    guest.raw("(i32.store (i32.const 144) (i32.add (i32.load (i32.const 144)) (i32.const 1)))");
    guest.raw("(br_if $again (i32.lt_u (i32.load (i32.const 144)) (i32.const 50))))");
    let mut command = command(&guest.wat());
    command.output.limit = 2500;
    let outcome = kernel().spawn(command).await.unwrap().wait().await;
    assert_eq!(outcome.status, ExitStatus::Exited(0));
    assert!(outcome.truncated);
    assert_eq!(outcome.limit, Some(Limit::Output(2500)));
    assert_eq!(outcome.output, [b'x'; 2500]);
}

#[tokio::test]
async fn a_descriptor_leak_ends_at_the_limit() {
    let kernel = limited(&engine(&[]), Limits { descriptors: 100, ..Limits::default() });
    let mut guest = Guest::new();
    guest.raw(
        "(loop $more (br_if $more (i32.eqz (call $dup (i32.const 1) (i32.const 0) (i32.const 0) \
         (i32.const 64)))))",
    );
    guest.call("dup", &[I(1), I(0), I(0), I(64)], MFILE).word(64, 99);
    assert_eq!(check(&kernel, &guest).await.limit, Some(Limit::Descriptors(100)));
    let kernel = limited(&engine(&[]), Limits { pipes: 3, ..Limits::default() });
    let mut guest = Guest::new();
    for _ in 0..3 {
        guest.call("pipe", &[I(64), I(0)], OK);
    }
    guest.call("pipe", &[I(64), I(0)], MFILE);
    assert_eq!(check(&kernel, &guest).await.limit, Some(Limit::Pipes(3)));
    assert_eq!(kernel.usage().pipes, 0);
}

#[tokio::test]
async fn malformed_modules_are_not_executable() {
    let kernel = kernel();
    let valid = wat::parse_str(SPIN).unwrap();
    let mut cases: Vec<Vec<u8>> = (0..valid.len()).map(|end| valid[..end].to_vec()).collect();
    for index in 8..valid.len() {
        let mut broken = valid.clone();
        broken[index] ^= 0x55;
        cases.push(broken);
    }
    cases.push(wat::parse_str("(module)").unwrap());
    cases.push(wat::parse_str(r#"(module (import "env" "x" (func)) (func (export "_start")))"#).unwrap());
    cases.push(wat::parse_str(r#"(module (func (export "_start") (param i32)))"#).unwrap());
    cases.push(wat::parse_str("(component)").unwrap());
    let mut refused = 0;
    for case in cases {
        write(kernel.namespace(), "/workspace/case", &case, 0o755);
        let command = sandshell_runtime::Command::new("/workspace/case", vec![b"case".to_vec()]);
        match kernel.spawn(command).await {
            Ok(job) => {
                job.kill();
                drop(job.wait().await);
            }
            Err(error) => {
                assert_eq!(error.to_string(), "/workspace/case: Exec format error");
                refused += 1;
            }
        }
        let root = kernel.namespace().root();
        kernel.namespace().unlink(&sandshell_vfs::Context::ROOT, &root, b"/workspace/case").unwrap();
    }
    assert!(refused > valid.len(), "only {refused} refused");
}

/// Addresses outside of the memory, at its end, or that overflow.
const WILD: [i32; 6] = [0, 262_140, 262_143, 0x7fff_ffff, -1, -8];

/// Calls every host function with many combinations of these values, in a memory of 256 KiB.
#[tokio::test]
async fn wild_pointers_never_trap_or_hurt() {
    let kernel = kernel();
    for (module, name, params, result) in FUNCTIONS {
        // These end the program or wait; they have their own tests.
        if ["proc_exit", "proc_raise", "kill", "exec", "alarm"].contains(name) {
            continue;
        }
        let declared: String =
            params.chars().map(|letter| if letter == 'i' { " i32" } else { " i64" }).collect();
        let mut calls = String::new();
        let mut seed = 7usize;
        for round in 0..60usize {
            let args: String = params
                .chars()
                .map(|letter| {
                    seed =
                        seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    let value = WILD[(seed >> 33) % WILD.len()];
                    // The first rounds use the same value for all arguments.
                    let value = WILD.get(round).copied().unwrap_or(value);
                    if letter == 'i' {
                        format!("(i32.const {value})")
                    } else {
                        format!("(i64.const {value})")
                    }
                })
                .collect();
            calls.push_str(&format!("(drop (call $f {args}))\n"));
        }
        assert!(*result);
        let text = format!(
            "(module (import \"{module}\" \"{name}\" (func $f (param{declared}) (result i32)))
             (memory (export \"memory\") 4 4)
             (global (export \"__stack_pointer\") (mut i32) (i32.const -1))
             (global (export \"__heap_base\") i32 (i32.const -1))
             (global (export \"__data_end\") i32 (i32.const 0x7fffffff))
             (table (export \"__indirect_function_table\") 1 funcref)
             (func (export \"_start\") {calls}))"
        );
        let mut command = command(&text);
        command.timeout = Some(Duration::from_secs(5));
        let outcome = kernel.spawn(command).await.unwrap().wait().await;
        // Only an endless poll may fail to return.
        let fine = outcome.status == ExitStatus::Exited(0) || (*name == "poll_oneoff" && outcome.timed_out);
        assert!(fine, "{name}: {:?} {:?}", outcome.status, outcome.limit);
    }
    // A module without memory has nothing to point into.
    let text = r#"(module (import "wasi_snapshot_preview1" "args_get" (func $f (param i32 i32) (result i32)))
        (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
        (func (export "_start") (call $exit (call $f (i32.const 0) (i32.const 0)))))"#;
    assert_eq!(run(&kernel, text).await.status, ExitStatus::Exited(u8::try_from(FAULT).unwrap()));
}

/// The list of functions in the test above is complete.
#[tokio::test]
async fn every_import_is_known_to_the_tests() {
    let kernel = kernel();
    let wasi = FUNCTIONS.iter().filter(|known| known.0 == "wasi_snapshot_preview1").count();
    assert_eq!(wasi, 46);
    for (module, name, params, result) in FUNCTIONS {
        let declared: String =
            params.chars().map(|letter| if letter == 'i' { " i32" } else { " i64" }).collect();
        let result = if *result { "(result i32)" } else { "" };
        let text = format!(
            "(module (import \"{module}\" \"{name}\" (func (param{declared}) {result}))
             (memory (export \"memory\") 1) (func (export \"_start\")))"
        );
        assert_eq!(run(&kernel, &text).await.status, ExitStatus::Exited(0), "{name}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn neighbours_still_make_progress() {
    let engine = engine(&[]);
    let hostile = limited(&engine, Limits { processes: 30, ..Limits::default() });
    let mut spinners = Vec::new();
    for _ in 0..6 {
        spinners.push(hostile.spawn(command(SPIN)).await.unwrap());
    }
    let neighbour = limited(&engine, Limits::default());
    let mut guest = Guest::new();
    guest.print(I(1), "hi\n");
    let module = guest.wat();
    run(&neighbour, &module).await;
    // None of the spinners ends, so a neighbour that had to wait for them would never finish.
    for _ in 0..10 {
        assert_eq!(run(&neighbour, &module).await.output, b"hi\n");
    }
    drop(spinners);
}

#[tokio::test]
async fn exact_preopens_cannot_be_escaped() {
    use sandshell_runtime::Preopens;
    let kernel = kernel();
    let (namespace, cx) = (kernel.namespace(), sandshell_vfs::Context::ROOT);
    let root = namespace.root();
    namespace.create_dir(&cx, &root, b"/workspace/jail", 0o777).unwrap();
    write(namespace, "/workspace/secret", b"secret", 0o666);
    write(namespace, "/workspace/jail/inside", b"inside", 0o666);
    for (link, target) in
        [("up", "../secret"), ("absolute", "/workspace/secret"), ("parent", ".."), ("fine", "inside")]
    {
        namespace
            .symlink(&cx, target.as_bytes(), &root, format!("/workspace/jail/{link}").as_bytes())
            .unwrap();
    }
    let mut guest = Guest::new();
    for (path, expected) in [
        ("inside", OK),
        ("fine", OK),
        ("x/../inside", NOENT),
        ("../secret", PERM),
        ("/workspace/secret", PERM),
        ("up", PERM),
        ("absolute", PERM),
        ("parent/secret", PERM),
        ("./../jail/inside", PERM),
    ] {
        let (at, len) = guest.text(path);
        let read = common::guest::L(2);
        guest.call(
            "path_open",
            &[I(3), I(1), I(at), I(len), I(0), read, common::guest::L(0), I(0), I(64)],
            expected,
        );
    }
    let (new, new_len) = guest.text("link");
    let (target, target_len) = guest.text("/workspace/secret");
    guest.call("path_symlink", &[I(target), I(target_len), I(3), I(new), I(new_len)], PERM);
    let mut command = command(&guest.wat());
    command.preopens = Preopens::Exact(vec![(b"/jail".to_vec(), b"/workspace/jail".to_vec())]);
    let outcome = kernel.spawn(command).await.unwrap().wait().await;
    common::explain(&guest, &outcome);
    assert_eq!(read(namespace, "/workspace/secret"), b"secret");
}

/// Not a tail call: the multiplication after the call keeps each frame alive.
const RECURSE: &str = r#"(module (memory (export "memory") 1)
    (func $down (param i32) (result i32) (i32.mul (call $down (i32.add (local.get 0) (i32.const 1))) (i32.const 3)))
    (func (export "_start") (drop (call $down (i32.const 0)))))"#;

#[tokio::test]
async fn endless_recursion_ends_the_process_and_names_the_limit() {
    for limits in [Limits::default(), Limits { fuel: Some(1 << 40), ..Limits::default() }] {
        let kernel = limited(&engine(&[]), limits);
        let outcome = deadline(&kernel, RECURSE, Duration::from_secs(60)).await;
        assert_eq!(outcome.status, ExitStatus::Signaled(11));
        assert_eq!(outcome.limit, Some(Limit::Stack(4 << 20)));
        assert_eq!(outcome.limit.unwrap().to_string(), "stack limit of 4194304 bytes exceeded");
        let after = deadline(&kernel, EMPTY, Duration::from_secs(60)).await;
        assert_eq!((after.status, after.limit), (ExitStatus::Exited(0), None));
    }
}

const EMPTY: &str = r#"(module (memory (export "memory") 1) (func (export "_start")))"#;

/// Each alarm once was a task of the host's: they piled up to hundreds of megabytes that no limit counted.
#[tokio::test]
async fn alarms_in_a_loop_are_one_task() {
    let text = r#"(module (import "sandshell" "alarm" (func $alarm (param i64 i32) (result i32)))
        (memory (export "memory") 1) (func (export "_start") (local $n i32)
            (loop $again
                (drop (call $alarm (i64.const 1000000000000) (i32.const 0)))
                (local.set $n (i32.add (local.get $n) (i32.const 1)))
                (br_if $again (i32.lt_u (local.get $n) (i32.const 100000))))))"#;
    let metrics = tokio::runtime::Handle::current().metrics();
    let over = Arc::new(AtomicBool::new(false));
    let watcher = std::thread::spawn({
        let over = over.clone();
        move || {
            let mut most = 0;
            while !over.load(Ordering::Relaxed) {
                most = most.max(metrics.num_alive_tasks());
            }
            most
        }
    });
    let outcome = run(&kernel(), text).await;
    over.store(true, Ordering::Relaxed);
    assert_eq!(outcome.status, ExitStatus::Exited(0));
    let most = watcher.join().unwrap();
    assert!(most < 50, "{most} tasks");
}

#[tokio::test]
async fn an_alarm_can_be_replaced_and_taken_back() {
    // Caught; then one that is far away, one that is near, none, and at last one that rings.
    let text = r#"(module (import "sandshell" "alarm" (func $alarm (param i64 i32) (result i32)))
        (import "sandshell" "sigaction" (func $action (param i32 i32 i32) (result i32)))
        (import "sandshell" "sigtake" (func $take (result i32)))
        (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
        (memory (export "memory") 1) (func (export "_start")
            (drop (call $action (i32.const 14) (i32.const 2) (i32.const 0)))
            (drop (call $alarm (i64.const 1000000000000) (i32.const 0)))
            (drop (call $alarm (i64.const 1) (i32.const 0)))
            (drop (call $alarm (i64.const 0) (i32.const 8)))
            (drop (call $alarm (i64.const 1000000) (i32.const 16)))
            (if (i64.ne (i64.load (i32.const 16)) (i64.const 0)) (then (call $exit (i32.const 3))))
            (loop $wait (br_if $wait (i32.ne (call $take) (i32.const 14))))
            (call $exit (i32.const 7))))"#;
    let outcome = run(&kernel(), text).await;
    assert_eq!(outcome.status, ExitStatus::Exited(7));
}
