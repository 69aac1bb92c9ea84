//! The deterministic mode: every run has the same output.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::time::Duration;

use common::guest::errno::*;
use common::guest::{At, Guest, I, L};
use common::{builder, check, command, engine, explain};
use sandshell_runtime::{Clock, Kernel, Random};
use sandshell_vfs::Time;

fn seeded(seed: u64) -> Kernel {
    let start = Time { secs: 1_000_000, nanos: 0 };
    builder(&engine(&[]), &[]).random(Random::Seeded(seed)).clock(Clock::Virtual(start)).build().unwrap()
}

/// Children that race: each writes its letter many times, spinning in between, with random bytes and the time at the
/// end.
fn race() -> Guest {
    let mut guest = Guest::new();
    let mut children = Vec::new();
    for letter in ["a", "b", "c"] {
        let child = guest.function();
        children.push(child);
        let (at, len) = guest.text(letter);
        guest.words(1024 + 16 * u32::try_from(child).unwrap(), &[at, len]);
        let vector = 1024 + 16 * child;
        guest.raw("(local.set $n (i32.const 0)) (loop $spin");
        guest.raw("(if (i32.eqz (i32.rem_u (local.get $n) (i32.const 100000))) (then");
        guest.call("fd_write", &[I(1), I(vector), I(1), I(900)], OK);
        guest.raw("))");
        guest.raw("(local.set $n (i32.add (local.get $n) (i32.const 1)))");
        guest.raw("(br_if $spin (i32.lt_u (local.get $n) (i32.const 1000000))))");
        guest
            .call("random_get", &[I(2000), I(16)], OK)
            .words(960 + 8 * u32::try_from(child).unwrap(), &[2000, 16]);
        guest.call("fd_write", &[I(1), I(960 + 8 * child), I(1), I(900)], OK);
        guest.end(0);
    }
    for child in &children {
        guest.call("clone", &[I(*child), I(0), I(0), I(16)], OK);
    }
    for _ in &children {
        guest.call("wait", &[I(-1), I(0), I(512)], OK).word(516, 0).word(520, 0);
    }
    guest.words(880, &[512, 4, 512, 4]).call("fd_write", &[I(1), I(880), I(1), I(900)], OK);
    guest
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_same_seed_gives_the_same_bytes() {
    let guest = race();
    let first = check(&seeded(1), &guest).await;
    for _ in 0..3 {
        let again = check(&seeded(1), &guest).await;
        assert_eq!(again.output, first.output);
        assert_eq!(again.fuel, first.fuel);
    }
    let other = check(&seeded(2), &guest).await;
    assert_ne!(other.output, first.output);
    // The letters are interleaved, so the children took turns.
    let letters: Vec<u8> = first.output.iter().copied().filter(|byte| b"abc".contains(byte)).collect();
    assert!(!letters.starts_with(b"aaaaaaaaaa"), "{}", String::from_utf8_lossy(&letters));
}

#[tokio::test]
async fn virtual_time_passes_at_once() {
    let mut guest = Guest::new();
    // Sleeps an hour on the monotonic clock.
    guest.words(160, &[0, 0, 0, 0, 1, 0]).raw("(i64.store (i32.const 184) (i64.const 3600000000000))");
    guest.call("poll_oneoff", &[I(160), I(240), I(1), I(280)], OK).word(280, 1);
    guest.call("clock_time_get", &[I(1), L(0), I(64)], OK);
    guest
        .raw("(i64.store (i32.const 64) (i64.div_u (i64.load (i32.const 64)) (i64.const 1000000000)))")
        .word(64, 3600);
    guest.call("clock_time_get", &[I(0), L(0), I(64)], OK);
    guest
        .raw("(i64.store (i32.const 64) (i64.div_u (i64.load (i32.const 64)) (i64.const 1000000000)))")
        .word(64, 1_003_600);
    // An alarm that is due earlier comes first.
    guest.call("sigaction", &[I(14), I(2), I(0)], OK).call("alarm", &[L(1_000_000_000), I(0)], OK);
    guest.call("poll_oneoff", &[I(160), I(240), I(1), I(280)], INTR);
    guest.call("clock_time_get", &[I(1), L(0), I(64)], OK);
    guest
        .raw("(i64.store (i32.const 64) (i64.div_u (i64.load (i32.const 64)) (i64.const 1000000000)))")
        .word(64, 3601);
    check(&seeded(1), &guest).await;
}

#[tokio::test]
async fn deadlines_use_the_hosts_time() {
    let mut guest = Guest::new();
    // Sleeping for a virtual hour does not use up the deadline.
    guest.words(160, &[0, 0, 0, 0, 1, 0]).raw("(i64.store (i32.const 184) (i64.const 3600000000000))");
    guest.call("poll_oneoff", &[I(160), I(240), I(1), I(280)], OK);
    let mut sleeping = command(&guest.wat());
    sleeping.timeout = Some(Duration::from_secs(60));
    let outcome = seeded(1).spawn(sleeping).await.unwrap().wait().await;
    explain(&guest, &outcome);
    assert!(!outcome.timed_out);
    // An endless computation is ended by it.
    let endless = r#"(module (memory (export "memory") 1) (func (export "_start") (loop (br 0))))"#;
    let mut endless = command(endless);
    endless.timeout = Some(Duration::from_millis(100));
    assert!(seeded(1).spawn(endless).await.unwrap().wait().await.timed_out);
}

/// Reads the monotonic clock, divided by `unit`, to address 64.
fn clock(guest: &mut Guest, unit: u64) {
    guest.call("clock_time_get", &[I(1), L(0), I(64)], OK);
    guest
        .raw(&format!("(i64.store (i32.const 64) (i64.div_u (i64.load (i32.const 64)) (i64.const {unit})))"));
}

#[tokio::test]
async fn virtual_time_counts_instructions() {
    let mut guest = Guest::new();
    clock(&mut guest, 1_000_000);
    guest.word(64, 0);
    // Ten million iterations of a loop of a few instructions.
    guest.raw("(loop $spin (i32.store (i32.const 100) (i32.add (i32.load (i32.const 100)) (i32.const 1)))");
    guest.raw("(br_if $spin (i32.lt_u (i32.load (i32.const 100)) (i32.const 10000000))))");
    clock(&mut guest, 10_000_000);
    guest.raw("(i32.store (i32.const 64) (i32.gt_u (i32.load (i32.const 64)) (i32.const 1)))").word(64, 1);
    // CPU time is counted in the same way.
    guest.call("clock_time_get", &[I(2), L(0), I(72)], OK).call("clock_time_get", &[I(1), L(0), I(64)], OK);
    guest.raw("(i64.store (i32.const 64) (i64.sub (i64.load (i32.const 64)) (i64.load (i32.const 72))))");
    guest.raw("(i32.store (i32.const 64) (i64.lt_u (i64.load (i32.const 64)) (i64.const 1000)))");
    guest.word(64, 1);
    let first = check(&seeded(1), &guest).await;
    assert_eq!(check(&seeded(1), &guest).await.fuel, first.fuel);
}

#[tokio::test]
async fn a_timer_rings_while_others_compute() {
    let mut guest = Guest::new();
    let busy = guest.function();
    guest.raw("(loop (br 0))");
    guest.end(0);
    guest.words(160, &[0, 0, 0, 0, 1, 0]).raw("(i64.store (i32.const 184) (i64.const 20000000))");
    guest.call("clone", &[I(busy), I(0), I(0), I(16)], OK);
    guest.call("poll_oneoff", &[I(160), I(240), I(1), I(280)], OK).word(280, 1);
    clock(&mut guest, 1_000_000);
    // Not before it is due, and at most one turn of the other process later.
    guest.word(64, 20);
    guest.call("kill", &[At(16), I(9)], OK);
    guest.call("wait", &[I(-1), I(0), I(512)], OK).word(516, 1).word(520, 9);
    check(&seeded(1), &guest).await;
}

#[tokio::test]
async fn background_processes_pause_between_commands() {
    let kernel = seeded(1);
    let mut guest = Guest::new();
    let sleeper = guest.function();
    guest.words(160, &[0, 0, 0, 0, 1, 0]).raw("(i64.store (i32.const 184) (i64.const 5000000000))");
    guest.ignore("poll_oneoff", &[I(160), I(240), I(1), I(280)]);
    guest.end(0);
    guest.call("clone", &[I(sleeper), I(0), I(0), I(16)], OK);
    check(&kernel, &guest).await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(kernel.usage().processes, 1);
    let mut later = Guest::new();
    clock(&mut later, 1_000_000_000);
    later.word(64, 0);
    later.words(160, &[0, 0, 0, 0, 1, 0]).raw("(i64.store (i32.const 184) (i64.const 6000000000))");
    later.call("poll_oneoff", &[I(160), I(240), I(1), I(280)], OK);
    check(&kernel, &later).await;
    assert_eq!(kernel.usage().processes, 0);
    // Background processes can be killed nevertheless.
    check(&kernel, &guest).await;
    kernel.shutdown().await;
    assert_eq!(kernel.usage().processes, 0);
}

#[tokio::test]
async fn pids_are_given_out_in_order() {
    let kernel = seeded(3);
    let mut guest = Guest::new();
    let child = guest.function();
    guest.end(0);
    for pid in [3, 4, 5] {
        guest.call("clone", &[I(child), I(0), I(0), I(16)], OK).word(16, pid);
        guest.call("wait", &[At(16), I(0), I(512)], OK);
    }
    explain(&guest, &check(&kernel, &guest).await);
}
