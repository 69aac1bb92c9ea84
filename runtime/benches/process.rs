//! Measures the cost of a process: a whole command, a spawn by a guest, a clone.

#![allow(clippy::unwrap_used, missing_docs, reason = "a benchmark fails by panicking")]

#[path = "../tests/common/mod.rs"]
mod common;

use std::time::Duration;

use common::guest::{At, Guest, I};
use common::{builder, engine};
use criterion::{Criterion, criterion_group, criterion_main};
use sandshell_runtime::{Command, Kernel};

/// Writes a line and exits.
fn hello() -> String {
    let mut guest = Guest::new();
    guest.print(I(1), "hello\n");
    guest.wat()
}

const ROUNDS: i32 = 100;

/// Makes [`ROUNDS`] children one after the other, by clone or by spawning `/bin/hello`.
fn children(clone: bool) -> String {
    let mut guest = Guest::new();
    let child = guest.function();
    guest.end(0);
    let (path, path_len) = guest.text("/bin/hello");
    let (argv, argv_len) = guest.text("hello\0");
    guest.words(1024, &[path, path_len, argv, argv_len, 0, 0, 0, 0, 0, 0, 0, 0]);
    guest.raw("(loop $again");
    if clone {
        guest.call("clone", &[I(child), I(0), I(0), I(16)], 0);
    } else {
        guest.call("spawn", &[I(1024), I(16)], 0);
    }
    guest.call("wait", &[At(16), I(0), I(512)], 0);
    guest.raw("(i32.store (i32.const 24) (i32.add (i32.load (i32.const 24)) (i32.const 1)))");
    guest.raw(&format!("(br_if $again (i32.lt_u (i32.load (i32.const 24)) (i32.const {ROUNDS}))))"));
    guest.wat()
}

async fn execute(kernel: &Kernel, name: &str) {
    let command = Command::new(format!("/bin/{name}"), vec![name.into()]);
    let outcome = kernel.spawn(command).await.unwrap().wait().await;
    assert_eq!(outcome.status.code(), 0);
}

fn benches(criterion: &mut Criterion) {
    let engine = engine(&[("hello", &hello()), ("spawns", &children(false)), ("clones", &children(true))]);
    let names = ["hello", "spawns", "clones"];
    for (kind, runtime) in [
        ("one thread", tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap()),
        (
            "two threads",
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_time().build().unwrap(),
        ),
    ] {
        let mut group = criterion.benchmark_group(kind);
        group
            .sample_size(20)
            .measurement_time(Duration::from_secs(2))
            .warm_up_time(Duration::from_millis(500));
        let kernel = builder(&engine, &names).build().unwrap();
        group.bench_function("command: spawn, write, exit", |bench| {
            bench.iter(|| runtime.block_on(execute(&kernel, "hello")));
        });
        group.bench_function("command with 100 spawns", |bench| {
            bench.iter(|| runtime.block_on(execute(&kernel, "spawns")));
        });
        group.bench_function("command with 100 clones", |bench| {
            bench.iter(|| runtime.block_on(execute(&kernel, "clones")));
        });
        group.bench_function("create a kernel", |bench| {
            let namespace = kernel.namespace();
            bench.iter(|| Kernel::builder(&engine, namespace.fork().unwrap()).build().unwrap());
        });
        group.finish();
    }
}

criterion_group!(process, benches);
criterion_main!(process);
