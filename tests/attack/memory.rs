//! A sandbox's memory returns to the system when files are deleted or the sandbox is closed.

use sandshell::{CreateOptions, LocalOptions, Sandbox, SandboxExt, SandboxProvider, WriteMode};
use std::time::{Duration, Instant};

/// Resident memory of this program, in bytes.
fn resident() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    statm.split(' ').nth(1).unwrap().parse::<u64>().unwrap() * 4096
}

/// Waits until memory is below a limit: it is returned soon, but not at once.
async fn falls_below(bytes: u64) -> bool {
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(30) {
        if resident() < bytes {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    false
}

/// More than the runtime, its allocator and the pool of memories keep for the next command.
const KEPT: u64 = 100 << 20;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_that_are_removed_and_sandboxes_that_are_closed_leave_nothing() {
    let provider = sandshell::local(LocalOptions::default()).unwrap();
    let warm = provider.create(CreateOptions::default()).unwrap();
    warm.run("echo | cat | wc").await.unwrap();
    let before = resident();
    // A large file, many small ones, and a large one that is truncated; they are removed, or the sandbox is closed.
    let makes = [
        "head -c 300M /dev/zero > big",
        "mkdir d; cd d; for i in {1..3000}; do echo ${x:=$(printf %05000d 1)} > f$i; done",
        "head -c 300M /dev/zero > big; truncate -s 10 big",
    ];
    for round in 0..24 {
        let sandbox = provider.create(CreateOptions::default()).unwrap();
        let make = makes[round % makes.len()];
        let remove = if round % 2 == 0 { "; cd /workspace; rm -rf big d" } else { "" };
        let answer = sandbox.run(&format!("{make}{remove}")).await.unwrap();
        assert_eq!(answer.exit_code, Some(0), "{answer:?}");
        if round % 2 == 0 {
            assert!(falls_below(before + KEPT).await, "round {round}: {} MiB", resident() >> 20);
        }
        let id = sandbox.id().to_owned();
        drop(sandbox);
        provider.delete(&id).await.unwrap();
        assert!(falls_below(before + KEPT).await, "round {round}: {} MiB", resident() >> 20);
    }
}

/// A process that clones itself: its initial memory is kept for that, but not that of users' own modules.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn modules_that_copy_themselves_leave_nothing() {
    let module = |number: u32| {
        let text = format!(
            r#"(module
                (import "sandshell" "clone" (func $clone (param i32 i32 i32 i32) (result i32)))
                (memory (export "memory") 4096)
                (table (export "__indirect_function_table") 1 funcref)
                (elem (i32.const 0) $child)
                (global (export "__stack_pointer") (mut i32) (i32.const 65536))
                (global (export "__heap_base") i32 (i32.const 268435456))
                (data (i32.const 268435000) "{number}")
                (func $child (param i32) (result i32) (i32.load8_u (i32.const 268435000)))
                (func (export "_start")
                    (if (call $clone (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 16)) (then unreachable))))"#
        );
        wat::parse_str(text).unwrap()
    };
    let sandbox =
        sandshell::local(LocalOptions::default()).unwrap().create(CreateOptions::default()).unwrap();
    sandbox.run("true | cat").await.unwrap();
    let before = resident();
    for number in 1..=4 {
        sandbox.write("/workspace/m", module(number).into(), WriteMode::Overwrite).await.unwrap();
        let answer = sandbox.run("chmod +x m; ./m; echo $?").await.unwrap();
        assert_eq!(&*answer.text(), "0\n", "{answer:?}");
    }
    assert!(falls_below(before + KEPT).await, "{} MiB", resident() >> 20);
}

/// The contents of an open file of `/proc` are kept in memory, and a program may open it as often as it has descriptors.
#[tokio::test]
async fn what_is_open_of_proc_has_a_budget() {
    let sandbox =
        sandshell::local(LocalOptions::default()).unwrap().create(CreateOptions::default()).unwrap();
    let fill = "for i in {1..15}; do printf -v v$i %0100000d 1; export v$i; done";
    let open = "while exec {fd}</proc/self/environ; do opened=$fd; done; ((opened < 100)); echo $?";
    // The environment of a shell is what it was started with.
    let answer = sandbox.run(&format!("{fill}; exec bash -c '{open}'")).await.unwrap();
    let text = answer.text();
    assert!(text.contains("/proc/self/environ: Cannot allocate memory"), "{text}");
    assert!(text.ends_with("\n0\n"), "{text}");
    // It comes back with the process.
    let answer = sandbox
        .run("exec 3</proc/self/environ; wc -c <&3 >/dev/null; echo $?; ls /proc | wc -l")
        .await
        .unwrap();
    assert!(answer.text().starts_with("0\n"), "{answer:?}");
}
