//! WASI 0.2 functions that wasi-libc does not call, on components written by hand.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::time::Duration;

use common::{builder, command, engine, run};
use sandshell_runtime::{Clock, ExitStatus, Kernel, Limit, Limits, Random};

/// A component whose `wasi:cli/run` is `body`. Each import (instance, function, its type, its core type) can be called
/// by its function's name. Results that need memory are stored where the core function's last argument points.
fn component(imports: &[(&str, &str, &str, &str)], body: &str) -> String {
    let mut text = String::from(
        r#"(component
        (core module $libc (memory (export "memory") 1)
            (func (export "realloc") (param i32 i32 i32 i32) (result i32) (i32.const 1024)))
        (core instance $libc (instantiate $libc))
        (alias core export $libc "memory" (core memory $memory))
        (alias core export $libc "realloc" (core func $realloc))"#,
    );
    let (mut lowered, mut declared) = (String::new(), String::new());
    for (instance, name, kind, core) in imports {
        text.push_str(&format!(
            r#"(import "{instance}" (instance ${name} (export "{name}" (func {kind}))))
            (core func ${name}-core (canon lower (func ${name} "{name}") (memory $memory) (realloc $realloc)))"#
        ));
        lowered.push_str(&format!("(export \"{name}\" (func ${name}-core))"));
        declared.push_str(&format!("(import \"host\" \"{name}\" (func ${name} {core}))"));
    }
    text + &format!(
        r#"(core module $main {declared} (import "libc" "memory" (memory 1))
            (func (export "run") (result i32) {body}))
        (core instance $main (instantiate $main
            (with "host" (instance {lowered})) (with "libc" (instance $libc))))
        (func $run (result (result)) (canon lift (core func $main "run")))
        (instance $exported (export "run" (func $run)))
        (export "wasi:cli/run@0.2.0" (instance $exported)))"#
    )
}

const EXIT: (&str, &str, &str, &str) =
    ("wasi:cli/exit@0.2.0", "exit-with-code", "(param \"status-code\" u8)", "(param i32)");

/// A component that exits with the value that the instructions leave on the stack.
fn exits(imports: &[(&str, &str, &str, &str)], value: &str) -> String {
    component(&[&[EXIT], imports].concat(), &format!("{value} (call $exit-with-code) (i32.const 0)"))
}

async fn code(kernel: &Kernel, text: &str) -> u8 {
    match run(kernel, text).await.status {
        ExitStatus::Exited(code) => code,
        signaled => panic!("{signaled:?}"),
    }
}

fn kernel(
    change: impl FnOnce(sandshell_runtime::KernelBuilder) -> sandshell_runtime::KernelBuilder,
) -> Kernel {
    change(builder(&engine(&[]), &[])).build().unwrap()
}

#[tokio::test]
async fn results_and_exits_become_codes() {
    let kernel = kernel(|builder| builder);
    assert_eq!(code(&kernel, &component(&[], "(i32.const 0)")).await, 0);
    assert_eq!(code(&kernel, &component(&[], "(i32.const 1)")).await, 1);
    assert_eq!(code(&kernel, &exits(&[], "(i32.const 42)")).await, 42);
    let result = ("wasi:cli/exit@0.2.0", "exit", "(param \"status\" (result))", "(param i32)");
    for (status, expected) in [(0, 0), (1, 1)] {
        let body = format!("(call $exit (i32.const {status})) unreachable");
        assert_eq!(code(&kernel, &component(&[result], &body)).await, expected);
    }
    let trapped = run(&kernel, &component(&[], "unreachable")).await;
    assert_eq!(trapped.status, ExitStatus::Signaled(6));
}

#[tokio::test]
async fn arguments_environment_and_directory_come_from_the_command() {
    let kernel = kernel(|builder| builder);
    let environment = |name, kind| ("wasi:cli/environment@0.2.0", name, kind, "(param i32)");
    // Checks the length of the list.
    for (name, kind, expected) in [
        ("get-arguments", "(result (list string))", 3),
        ("get-environment", "(result (list (tuple string string)))", 2),
        ("initial-cwd", "(result (option string))", 10),
    ] {
        // An option's text follows its discriminant.
        let length = if name == "initial-cwd" { 8 } else { 4 };
        let value = format!("(call ${name} (i32.const 64)) (i32.load (i32.const {}))", 64 + length);
        let text = component(
            &[EXIT, environment(name, kind)],
            &format!("{value} call $exit-with-code (i32.const 0)"),
        );
        let mut command = command(&text);
        command.argv = vec![b"a".to_vec(), b"b".to_vec(), b"c".to_vec()];
        command.env = vec![(b"A".to_vec(), b"1".to_vec()), (b"B".to_vec(), b"2".to_vec())];
        let outcome = kernel.spawn(command).await.unwrap().wait().await;
        assert_eq!(outcome.status, ExitStatus::Exited(expected), "{name}");
    }
}

#[tokio::test]
async fn random_bytes_come_from_the_sandbox() {
    for (instance, name) in [
        ("wasi:random/random@0.2.0", "get-random-u64"),
        ("wasi:random/insecure@0.2.0", "get-insecure-random-u64"),
    ] {
        let import = (instance, name, "(result u64)", "(result i64)");
        let text = exits(&[import], &format!("(i32.wrap_i64 (i64.and (call ${name}) (i64.const 255)))"));
        let mut seen = Vec::new();
        for seed in [1, 1, 2, 3] {
            seen.push(code(&kernel(|builder| builder.random(Random::Seeded(seed))), &text).await);
        }
        assert_eq!(seen[0], seen[1], "{name}");
        assert!(seen[1] != seen[2] || seen[2] != seen[3], "{name}: {seen:?}");
    }
    let seed =
        ("wasi:random/insecure-seed@0.2.0", "insecure-seed", "(result (tuple u64 u64))", "(param i32)");
    let text = component(
        &[seed],
        "(call $insecure-seed (i32.const 64)) (i64.eq (i64.load (i32.const 64)) (i64.load (i32.const 72)))",
    );
    assert_eq!(code(&kernel(|builder| builder), &text).await, 0);
}

#[tokio::test]
async fn clocks_come_from_the_sandbox() {
    let frozen = sandshell_vfs::Time { secs: 1_000_000_007, nanos: 250 };
    let kernel = kernel(|builder| builder.clock(Clock::Fixed(frozen)));
    let wall = r#"(component
        (import "wasi:clocks/wall-clock@0.2.0" (instance $clock
            (type $record (record (field "seconds" u64) (field "nanoseconds" u32)))
            (export "datetime" (type $datetime (eq $record)))
            (export "now" (func (result $datetime)))))
        (core module $libc (memory (export "memory") 1))
        (core instance $libc (instantiate $libc))
        (alias core export $libc "memory" (core memory $memory))
        (core func $now (canon lower (func $clock "now") (memory $memory)))
        (core module $main (import "host" "now" (func $now (param i32))) (import "libc" "memory" (memory 1))
            (func (export "run") (result i32) (call $now (i32.const 64))
                (i32.or (i64.ne (i64.load (i32.const 64)) (i64.const 1000000007))
                    (i32.ne (i32.load (i32.const 72)) (i32.const 250)))))
        (core instance $main (instantiate $main
            (with "host" (instance (export "now" (func $now)))) (with "libc" (instance $libc))))
        (func $run (result (result)) (canon lift (core func $main "run")))
        (instance $exported (export "run" (func $run)))
        (export "wasi:cli/run@0.2.0" (instance $exported)))"#;
    assert_eq!(code(&kernel, wall).await, 0);
    let resolution = ("wasi:clocks/monotonic-clock@0.2.0", "resolution", "(result u64)", "(result i64)");
    assert_eq!(code(&kernel, &exits(&[resolution], "(i32.wrap_i64 (call $resolution))")).await, 1);
    let now = ("wasi:clocks/monotonic-clock@0.2.0", "now", "(result u64)", "(result i64)");
    let text = exits(&[now], "(i64.gt_u (call $now) (call $now))");
    assert_eq!(code(&kernel, &text).await, 0);
}

#[tokio::test]
async fn components_keep_to_limits_and_deadlines() {
    let kernel = kernel(|builder| builder.limits(Limits { process_memory: 4 << 20, ..Limits::default() }));
    let mut command = command(&component(&[], "(loop $ever (br $ever)) (i32.const 0)"));
    command.timeout = Some(Duration::from_millis(50));
    assert!(kernel.spawn(command).await.unwrap().wait().await.timed_out);
    let bytes = (
        "wasi:random/random@0.2.0",
        "get-random-bytes",
        "(param \"len\" u64) (result (list u8))",
        "(param i64 i32)",
    );
    let ended = run(
        &kernel,
        &component(&[bytes], "(call $get-random-bytes (i64.const -1) (i32.const 64)) (i32.const 0)"),
    )
    .await;
    assert_ne!(ended.status, ExitStatus::Exited(0));
    let grow = r#"(component (core module $m (memory 1) (func (export "run") (result i32)
        (i32.eq (memory.grow (i32.const 1000)) (i32.const -1))))
        (core instance $i (instantiate $m)) (func $run (result (result)) (canon lift (core func $i "run")))
        (instance $r (export "run" (func $run))) (export "wasi:cli/run@0.2.0" (instance $r)))"#;
    let refused = run(&kernel, grow).await;
    assert_eq!((refused.status, refused.limit), (ExitStatus::Exited(1), Some(Limit::ProcessMemory(4 << 20))));
}

#[tokio::test]
async fn native_components_have_the_kernels_calls() {
    const PROCESSES: &str = "sandshell:kernel/processes@0.1.0";
    const FILES: &str = "sandshell:kernel/files@0.1.0";
    let kernel = kernel(|builder| builder);
    let exit = (PROCESSES, "exit", "(param \"status\" u8)", "(param i32)");
    let exited = component(&[exit], "(call $exit (i32.const 200)) unreachable");
    assert_eq!(code(&kernel, &exited).await, 200);

    // Error numbers are Linux's.
    let close = (FILES, "close", "(param \"fd\" u32) (result (result (error u32)))", "(param i32 i32)");
    let take = "(i32.load offset=4 (i32.const 64))";
    let closed = exits(&[close], &format!("(call $close (i32.const 99) (i32.const 64)) {take}"));
    assert_eq!(code(&kernel, &closed).await, 9);

    // The first free number is 3, because no preopened directory has one.
    let dup = (
        FILES,
        "dup",
        "(param \"fd\" u32) (param \"min\" u32) (param \"cloexec\" bool) (result (result u32 (error u32)))",
        "(param i32 i32 i32 i32)",
    );
    let call = "(call $dup (i32.const 1) (i32.const 0) (i32.const 0) (i32.const 64))";
    assert_eq!(code(&kernel, &exits(&[dup], &format!("{call} {take}"))).await, 3);
}
