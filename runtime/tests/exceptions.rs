//! Guests that throw: what is caught goes on, what is not ends the process, and the heap of exceptions is memory like
//! any other.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{builder, command, engine, kernel};
use sandshell_runtime::{ExitStatus, Kernel, Limit, Limits, Outcome};

const EXIT: &str = r#"(import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))"#;

async fn run(kernel: &Kernel, body: &str) -> Outcome {
    let text = format!(r#"(module {EXIT} (memory (export "memory") 1) (tag $jump (param i32)) {body})"#);
    kernel.spawn(command(&text)).await.unwrap().wait().await
}

#[tokio::test]
async fn what_is_caught_goes_on() {
    let body = r#"(func $deep (param i32)
          (if (i32.eqz (local.get 0)) (then (throw $jump (i32.const 7))))
          (call $deep (i32.sub (local.get 0) (i32.const 1))))
        (func (export "_start")
          (block $caught (result i32)
            (try_table (catch $jump $caught) (call $deep (i32.const 1000)))
            (i32.const 1))
          (call $exit))"#;
    assert_eq!(run(&kernel(), body).await.status, ExitStatus::Exited(7));
}

#[tokio::test]
async fn what_is_not_caught_is_an_abort() {
    let body = r#"(func (export "_start") (throw $jump (i32.const 7)))"#;
    assert_eq!(run(&kernel(), body).await.status, ExitStatus::Signaled(6));
}

/// Those that are over do not count: a hundred million bytes of them pass through a heap that is not allowed to have as
/// many.
#[tokio::test]
async fn exceptions_that_are_over_take_no_memory() {
    let kernel = builder(&engine(&[]), &[])
        .limits(Limits { process_memory: 16 << 20, ..Limits::default() })
        .build()
        .unwrap();
    let body = r#"(func (export "_start") (local $n i32)
        (loop $again
          (block $caught (result i32 exnref)
            (try_table (catch_ref $jump $caught) (throw $jump (local.get $n)))
            unreachable)
          (drop) (drop)
          (local.set $n (i32.add (local.get $n) (i32.const 1)))
          (br_if $again (i32.lt_u (local.get $n) (i32.const 3000000))))
        (call $exit (i32.const 3)))"#;
    let outcome = run(&kernel, body).await;
    assert_eq!((outcome.status, outcome.limit), (ExitStatus::Exited(3), None));
    assert_eq!(kernel.usage().memory, 0);
}

/// A guest that keeps each exception that it throws.
#[tokio::test]
async fn exceptions_that_are_kept_count_as_memory() {
    let kernel = builder(&engine(&[]), &[])
        .limits(Limits { process_memory: 16 << 20, ..Limits::default() })
        .build()
        .unwrap();
    let body = r#"(tag $chain (param i32 exnref))
        (func (export "_start") (local $last exnref)
        (loop $again
          (block $caught (result i32 exnref exnref)
            (try_table (catch_ref $chain $caught) (throw $chain (i32.const 1) (local.get $last)))
            unreachable)
          (local.set $last) (drop) (drop)
          (br $again)))"#;
    let outcome = run(&kernel, body).await;
    assert!(matches!(outcome.status, ExitStatus::Signaled(_)), "{:?}", outcome.status);
    assert_eq!(outcome.limit, Some(Limit::ProcessMemory(16 << 20)));
    assert_eq!(kernel.usage().memory, 0);
}

/// External references have the same heap.
#[tokio::test]
async fn a_table_of_external_references_is_allowed_and_limited() {
    let body = r#"(table $refs 10 externref)
        (func (export "_start")
          (loop $again (br_if $again (i32.ge_s (table.grow $refs (ref.null extern) (i32.const 10000)) (i32.const 0))))
          (call $exit (i32.const 4)))"#;
    assert_eq!(run(&kernel(), body).await.status, ExitStatus::Exited(4));
}
