//! What a sandbox held goes back to the system when it is deleted or closed.

use sandshell::{CreateOptions, LocalOptions, Sandbox, SandboxExt, SandboxProvider};
use std::time::{Duration, Instant};

/// Resident memory of this program, in bytes.
fn resident() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    statm.split(' ').nth(1).unwrap().parse::<u64>().unwrap() * 4096
}

/// Memory goes back soon, not at once: waits until it is below.
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

/// More than what the runtime, its allocator and the pool of memories keep for the next command.
const KEPT: u64 = 100 << 20;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_that_are_removed_and_sandboxes_that_are_closed_leave_nothing() {
    let provider = sandshell::local(LocalOptions::default()).unwrap();
    let warm = provider.create(CreateOptions::default()).unwrap();
    warm.run("echo | cat | wc").await.unwrap();
    let before = resident();
    // A large file, many small ones, and a large one that is cut; removed, or closed with the sandbox.
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
