//! Processes: exit, traps, spawn, clone, wait, pipes, signals.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use common::guest::errno::*;
use common::guest::{At, Guest, I, L, Parameter};
use common::{builder, check, command, engine, explain, kernel, run, write};
use sandshell_runtime::{Command, ExitStatus, Kernel, Limit, Limits, Stdin};

fn exit(code: u32) -> String {
    format!(
        r#"(module (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
        (memory (export "memory") 1) (func (export "_start") (call $exit (i32.const {code}))))"#
    )
}

fn body(text: &str) -> String {
    format!(r#"(module (memory (export "memory") 1) (func $f (export "_start") {text}))"#)
}

#[tokio::test]
async fn exit_codes_and_traps_become_statuses() {
    let kernel = kernel();
    assert_eq!(run(&kernel, &exit(7)).await.status, ExitStatus::Exited(7));
    assert_eq!(run(&kernel, &exit(256)).await.status, ExitStatus::Exited(0));
    assert_eq!(run(&kernel, &body("")).await.status, ExitStatus::Exited(0));
    assert_eq!(run(&kernel, &body("unreachable")).await.status.code(), 134);
    assert_eq!(run(&kernel, &body("(drop (i32.load (i32.const -1)))")).await.status.code(), 139);
    assert_eq!(run(&kernel, &body("(call $f)")).await.status.code(), 139);
    assert_eq!(
        run(&kernel, &body("(drop (i32.div_u (i32.const 1) (i32.const 0)))")).await.status.code(),
        136
    );
}

#[tokio::test]
async fn output_is_kept_apart_and_interleaved() {
    let mut guest = Guest::new();
    guest.print(I(1), "one\n").print(I(2), "two\n").print(I(1), "three\n");
    let outcome = check(&kernel(), &guest).await;
    assert_eq!(outcome.output, b"one\ntwo\nthree\n");
    assert_eq!(outcome.stdout, b"one\nthree\n");
    assert_eq!(outcome.stderr, b"two\n");
    assert_eq!(outcome.limit, None);
}

#[tokio::test]
async fn clone_copies_memory_and_wait_reports_the_result() {
    let mut guest = Guest::new();
    let child = guest.function();
    // The child sees a copy of the parent's memory, and its changes do not affect the parent.
    guest.word(64, 1234).raw("(i32.store (i32.const 64) (i32.const 1))");
    guest.raw("(local.get 0) (i32.const 30) (i32.add) (return)");
    guest.end(0);
    guest.raw("(i32.store (i32.const 64) (i32.const 1234))");
    guest.call("clone", &[I(child), I(12), I(0), I(16)], OK);
    guest.call("wait", &[At(16), I(0), I(512)], OK);
    guest.word(516, 0).word(520, 42).word(64, 1234);
    guest.call("wait", &[I(-1), I(0), I(512)], CHILD);
    guest.call("clone", &[I(99), I(0), I(0), I(16)], INVAL);
    guest.call("clone", &[I(child), I(0), I(0), I(-2)], FAULT);
    check(&kernel(), &guest).await;
}

#[tokio::test]
async fn pipes_connect_processes_with_back_pressure() {
    let mut guest = Guest::new();
    // The child writes 1 MiB in pieces; the parent counts until the end.
    let (big, _) = guest.text(vec![b'x'; 8192]);
    guest.words(128, &[big, 8192]);
    let writer = guest.function();
    guest.call("fd_close", &[At(32)], OK);
    guest.raw("(local.set $n (i32.const 128)) (loop $again");
    guest.call("fd_write", &[At(36), I(128), I(1), I(140)], OK).word(140, 8192);
    guest.raw("(local.set $n (i32.sub (local.get $n) (i32.const 1))) (br_if $again (local.get $n)))");
    guest.end(0);
    guest.call("pipe", &[I(32), I(0)], OK);
    guest.call("clone", &[I(writer), I(0), I(0), I(16)], OK);
    guest.call("fd_close", &[At(36)], OK);
    guest.words(144, &[65536, 65536]);
    guest.raw("(loop $again");
    guest.call("fd_read", &[At(32), I(144), I(1), I(152)], OK);
    guest.raw("(i32.store (i32.const 156) (i32.add (i32.load (i32.const 156)) (i32.load (i32.const 152))))");
    guest.raw("(br_if $again (i32.load (i32.const 152))))");
    guest.word(156, 128 * 8192);
    guest.call("wait", &[At(16), I(0), I(512)], OK).word(516, 0).word(520, 0);
    check(&kernel(), &guest).await;
}

#[tokio::test]
async fn a_writer_without_reader_gets_sigpipe() {
    let mut guest = Guest::new();
    let (text, len) = guest.text("x");
    guest.words(128, &[text, len]);
    let dies = guest.function();
    guest.raw(
        "(drop (call $fd_write (i32.load (i32.const 36)) (i32.const 128) (i32.const 1) (i32.const 140)))",
    );
    guest.end(9);
    let survives = guest.function();
    guest.call("sigaction", &[I(13), I(1), I(0)], OK);
    guest.call("fd_write", &[At(36), I(128), I(1), I(140)], PIPE);
    guest.end(5);
    guest.call("pipe", &[I(32), I(0)], OK).call("fd_close", &[At(32)], OK);
    guest.call("clone", &[I(dies), I(0), I(0), I(16)], OK);
    guest.call("wait", &[At(16), I(0), I(512)], OK).word(516, 1).word(520, 13);
    guest.call("clone", &[I(survives), I(0), I(0), I(16)], OK);
    guest.call("wait", &[At(16), I(0), I(512)], OK).word(516, 0).word(520, 5);
    check(&kernel(), &guest).await;
}

#[tokio::test]
async fn signals_are_caught_ignored_stopped_and_continued() {
    let mut guest = Guest::new();
    let waits = guest.function();
    guest.call("sigaction", &[I(10), I(2), I(0)], OK);
    guest.print(At(36), "r");
    // The caught signal interrupts this.
    guest.words(160, &[0; 12]).raw("(i64.store (i32.const 184) (i64.const 60000000000))");
    guest.call("poll_oneoff", &[I(160), I(240), I(1), I(280)], INTR);
    guest.call("sigtake", &[], 10).call("sigtake", &[], 0);
    guest.end(3);
    guest.call("pipe", &[I(32), I(0)], OK);
    guest.call("clone", &[I(waits), I(0), I(0), I(16)], OK);
    guest.words(144, &[300, 1]).call("fd_read", &[At(32), I(144), I(1), I(152)], OK);
    guest.call("wait", &[At(16), I(1), I(512)], OK).word(512, 0);
    guest.call("kill", &[At(16), I(19)], OK);
    guest.call("wait", &[At(16), I(2), I(512)], OK).word(516, 2).word(520, 19);
    guest.call("kill", &[At(16), I(10)], OK);
    guest.call("kill", &[At(16), I(18)], OK);
    guest.call("wait", &[At(16), I(4), I(512)], OK).word(516, 3).word(520, 18);
    guest.call("wait", &[At(16), I(0), I(512)], OK).word(516, 0).word(520, 3);
    guest.call("kill", &[At(16), I(0)], SRCH).call("kill", &[I(1), I(9)], PERM);
    guest.call("kill", &[I(0), I(65)], INVAL);
    guest.call("sigaction", &[I(9), I(1), I(0)], INVAL);
    check(&kernel(), &guest).await;
}

#[tokio::test]
async fn a_spinning_child_can_be_killed() {
    let mut guest = Guest::new();
    let spins = guest.function();
    guest.raw("(loop $ever (br $ever))");
    guest.end(0);
    guest.call("clone", &[I(spins), I(0), I(0), I(16)], OK);
    guest.call("kill", &[At(16), I(9)], OK);
    guest.call("wait", &[At(16), I(0), I(512)], OK).word(516, 1).word(520, 9);
    check(&kernel(), &guest).await;
}

#[tokio::test]
async fn alarms_ring() {
    let mut guest = Guest::new();
    guest.call("sigaction", &[I(14), I(2), I(0)], OK);
    guest.call("alarm", &[L(5_000_000), I(0)], OK);
    guest.words(160, &[0; 12]).raw("(i64.store (i32.const 184) (i64.const 60000000000))");
    guest.call("poll_oneoff", &[I(160), I(240), I(1), I(280)], INTR);
    guest.call("sigtake", &[], 14);
    check(&kernel(), &guest).await;
    let mut dies = Guest::new();
    dies.call("alarm", &[L(1_000_000), I(0)], OK).raw("(loop $ever (br $ever))");
    assert_eq!(run(&kernel(), &dies.wat()).await.status, ExitStatus::Signaled(14));
}

/// A SpawnRequest at 1024 for this path and arguments.
fn request(guest: &mut Guest, path: &str, argv: &[&str], fds: &[[i32; 2]]) {
    let strings: String = argv.iter().map(|arg| format!("{arg}\0")).collect();
    let (path, path_len) = guest.text(path);
    let (argv, argv_len) = guest.text(&strings);
    let map: Vec<u8> = fds.iter().flatten().flat_map(|fd| fd.to_le_bytes()).collect();
    let (map, _) = guest.text(map);
    let count = i32::try_from(fds.len()).unwrap();
    guest.words(1024, &[path, path_len, argv, argv_len, 0, 0, map, count, 0, 0, 0, 0]);
}

/// Prints its NUL-terminated arguments, then exits with their number.
const SHOW: &str = r#"(module
  (import "wasi_snapshot_preview1" "args_sizes_get" (func $sizes (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "args_get" (func $args (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
  (memory (export "memory") 1)
  (func (export "_start")
    (drop (call $sizes (i32.const 0) (i32.const 4)))
    (drop (call $args (i32.const 1024) (i32.const 4096)))
    (i32.store (i32.const 8) (i32.const 4096))
    (i32.store (i32.const 12) (i32.load (i32.const 4)))
    (drop (call $write (i32.const 1) (i32.const 8) (i32.const 1) (i32.const 16)))
    (call $exit (i32.load (i32.const 0)))))"#;

fn shower() -> Kernel {
    let kernel = builder(&engine(&[("show", SHOW)]), &["show"]).build().unwrap();
    let namespace = kernel.namespace();
    write(namespace, "/workspace/script", b"#!/bin/show -x y\nignored\n", 0o755);
    write(namespace, "/workspace/plain", b"echo hi\n", 0o755);
    write(namespace, "/workspace/closed", b"echo hi\n", 0o644);
    write(namespace, "/workspace/user.wasm", &wat::parse_str(SHOW).unwrap(), 0o755);
    write(namespace, "/workspace/bad.wasm", b"\0asm\x01\0\0\0garbage", 0o755);
    kernel
}

#[tokio::test]
async fn spawn_runs_commands_scripts_and_modules() {
    let kernel = shower();
    for (path, argv, output, code) in [
        ("/bin/show", &["show", "a", "b"][..], &b"show\0a\0b\0"[..], 3),
        ("script", &["script", "z"], b"/bin/show\0-x y\0script\0z\0", 4),
        ("./user.wasm", &["user"], b"user\0", 1),
    ] {
        let mut guest = Guest::new();
        request(&mut guest, path, argv, &[]);
        guest.call("spawn", &[I(1024), I(16)], OK);
        guest.call("wait", &[At(16), I(0), I(512)], OK).word(516, 0).word(520, code);
        let outcome = check(&kernel, &guest).await;
        assert_eq!(outcome.stdout, output, "{path}");
    }
    for (path, expected) in [
        ("/bin/none", NOENT),
        ("/workspace", ACCES),
        ("closed", ACCES),
        ("plain", NOEXEC),
        ("bad.wasm", NOEXEC),
        ("plain/x", NOTDIR),
    ] {
        let mut guest = Guest::new();
        request(&mut guest, path, &["x"], &[]);
        guest.call("spawn", &[I(1024), I(16)], expected).call("exec", &[I(1024)], expected);
        check(&kernel, &guest).await;
    }
}

#[tokio::test]
async fn spawn_maps_descriptors_and_exec_replaces() {
    let kernel = shower();
    let mut guest = Guest::new();
    guest.call("pipe", &[I(32), I(1)], OK).word(32, 3).word(36, 4);
    request(&mut guest, "/bin/show", &["piped"], &[[1, 4]]);
    guest.call("spawn", &[I(1024), I(16)], OK).call("fd_close", &[I(4)], OK);
    guest.words(144, &[300, 64]).call("fd_read", &[I(3), I(144), I(1), I(152)], OK).word(152, 6);
    // The pipe ends when the child does: the child did not inherit the parent's own write end.
    guest.call("fd_read", &[I(3), I(144), I(1), I(152)], OK).word(152, 0);
    guest.call("wait", &[At(16), I(0), I(512)], OK);
    guest.call("exec", &[I(1024)], BADF);
    guest.call("dup2", &[I(1), I(4), I(0)], OK);
    guest.ignore("exec", &[I(1024)]);
    let outcome = kernel.spawn(command(&guest.wat())).await.unwrap().wait().await;
    assert_eq!((outcome.status, &outcome.stdout[..]), (ExitStatus::Exited(1), &b"piped\0"[..]));
}

#[tokio::test]
async fn the_host_starts_commands_by_path() {
    let kernel = shower();
    let mut by_path = Command::new("/bin/show", vec![b"show".to_vec(), b"x".to_vec()]);
    by_path.env = vec![(b"A".to_vec(), b"1".to_vec())];
    let outcome = kernel.spawn(by_path).await.unwrap().wait().await;
    assert_eq!((outcome.status, &outcome.output[..]), (ExitStatus::Exited(2), &b"show\0x\0"[..]));
    let missing = kernel.spawn(Command::new("/bin/none", vec![])).await.unwrap_err();
    assert_eq!(missing.to_string(), "/bin/none: No such file or directory");
    let mut nowhere = Command::new("/bin/show", vec![]);
    nowhere.cwd = b"/none".to_vec();
    assert_eq!(kernel.spawn(nowhere).await.unwrap_err().to_string(), "/none: No such file or directory");
}

#[tokio::test]
async fn groups_sessions_and_ids_follow_posix() {
    let mut guest = Guest::new();
    let child = guest.function();
    guest.store("getpid", &[], 48).store("getppid", &[], 52);
    guest.raw(
        "(if (i32.ne (i32.load (i32.const 52)) (i32.load (i32.const 56))) \
         (then (call $proc_exit (i32.const 200))))",
    );
    guest.call("getpgid", &[I(0), I(60)], OK);
    guest.raw(
        "(if (i32.ne (i32.load (i32.const 60)) (i32.load (i32.const 48))) \
         (then (call $proc_exit (i32.const 201))))",
    );
    guest.call("setsid", &[I(64)], PERM);
    guest.end(0);
    guest.store("getpid", &[], 56);
    guest.call("getppid", &[], 1);
    guest.call("setsid", &[I(64)], PERM);
    guest.call("clone", &[I(child), I(0), I(1), I(16)], OK);
    guest.call("wait", &[I(0), I(0), I(512)], CHILD);
    guest.call("wait", &[I(-1), I(0), I(512)], OK).word(516, 0).word(520, 0);
    guest.call("setpgid", &[I(0), I(0)], PERM).call("setpgid", &[I(77), I(0)], SRCH);
    guest.call("getids", &[I(64)], OK).word(64, 1000).word(68, 1000);
    guest.call("umask", &[I(0o77)], 0o22).call("umask", &[I(0o22)], 0o77);
    check(&kernel(), &guest).await;
}

#[tokio::test]
async fn orphans_belong_to_init_and_background_work_survives_its_command() {
    let kernel = kernel();
    let mut guest = Guest::new();
    let sleeper = guest.function();
    guest.words(160, &[0; 12]).raw("(i64.store (i32.const 184) (i64.const 60000000000))");
    guest.ignore("poll_oneoff", &[I(160), I(240), I(1), I(280)]);
    guest.end(0);
    guest.call("clone", &[I(sleeper), I(0), I(0), I(16)], OK);
    check(&kernel, &guest).await;
    assert_eq!(kernel.usage().processes, 1);
    kernel.shutdown().await;
    assert_eq!(kernel.usage().processes, 0);
    assert_eq!(kernel.usage().memory, 0);
    assert!(kernel.spawn(command(&exit(0))).await.is_err());
}

#[tokio::test]
async fn stopped_groups_that_nobody_can_continue_are_hung_up() {
    let kernel = kernel();
    let mut guest = Guest::new();
    let child = guest.function();
    guest.store("getpid", &[], 20).call("kill", &[At(20), I(19)], OK);
    guest.end(0);
    guest.call("clone", &[I(child), I(0), I(1), I(16)], OK);
    guest.call("wait", &[At(16), I(2), I(512)], OK).word(516, 2).word(520, 19);
    check(&kernel, &guest).await;
    gone(&kernel).await;
}

#[tokio::test]
async fn the_end_of_a_terminals_session_hangs_up_its_foreground_group_alone() {
    let kernel = kernel();
    let mut guest = Guest::new();
    let sleeper = guest.function();
    guest.words(160, &[0; 12]).raw("(i64.store (i32.const 184) (i64.const 60000000000))");
    guest.ignore("poll_oneoff", &[I(160), I(240), I(1), I(280)]);
    guest.end(0);
    guest.call("clone", &[I(sleeper), I(0), I(1), I(16)], OK);
    guest.call("clone", &[I(sleeper), I(0), I(1), I(20)], OK);
    guest.call("tcsetpgrp", &[I(0), At(20)], OK);
    let mut command = command(&guest.wat());
    command.stdin = Stdin::Terminal(Arc::new(Silent));
    explain(&guest, &kernel.spawn(command).await.unwrap().wait().await);
    for _ in 0..1000 {
        if kernel.usage().processes == 1 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    panic!("{} are left", kernel.usage().processes);
}

#[tokio::test]
async fn files_grow_no_larger_than_their_limit() {
    let kernel = kernel();
    let root = kernel.namespace().root();
    let mut guest = Guest::new();
    let (name, len) = guest.text("f");
    guest.call("setrlimit", &[I(1), L(10), L(20)], OK).call("sigaction", &[I(25), I(1), I(64)], OK);
    let (read, write) = (1 << 1, 1 << 6 | 1 << 5 | 1 << 2 | 1 << 22 | 1 << 8 | 1 << 23);
    guest.call("path_open", &[I(-100), I(0), I(name), I(len), I(1), L(read | write), L(0), I(0), I(16)], OK);
    guest.words(144, &[300, 8]);
    guest.call("fd_write", &[At(16), I(144), I(1), I(64)], OK).word(64, 8);
    guest.call("fd_write", &[At(16), I(144), I(1), I(64)], OK).word(64, 2);
    guest.call("fd_write", &[At(16), I(144), I(1), I(64)], FBIG);
    guest.call("fd_pwrite", &[At(16), I(144), I(1), L(5), I(64)], OK).word(64, 5);
    guest.call("fd_pwrite", &[At(16), I(144), I(1), L(10), I(64)], FBIG);
    guest.call("fd_filestat_set_size", &[At(16), L(11)], FBIG).call(
        "fd_allocate",
        &[At(16), L(9), L(2)],
        FBIG,
    );
    guest.call("truncate", &[I(-100), I(name), I(len), L(11)], FBIG);
    guest.call("fd_filestat_set_size", &[At(16), L(9)], OK).call("setrlimit", &[I(1), L(20), L(21)], PERM);
    check(&kernel, &guest).await;
    let follow = sandshell_vfs::Follow::Yes;
    let metadata = kernel.namespace().metadata(&sandshell_vfs::Context::USER, &root, b"/workspace/f", follow);
    assert_eq!(metadata.unwrap().size, 9);

    let mut killed = Guest::new();
    killed.call("setrlimit", &[I(1), L(1), L(1)], OK);
    let (name, len) = killed.text("g");
    killed.call("path_open", &[I(-100), I(0), I(name), I(len), I(1), L(write), L(0), I(0), I(16)], OK);
    killed.words(144, &[300, 8]).ignore("fd_write", &[At(16), I(144), I(1), I(64)]);
    killed.ignore("fd_write", &[At(16), I(144), I(1), I(64)]);
    assert_eq!(common::run(&kernel, &killed.wat()).await.status, ExitStatus::Signaled(25));
}

#[tokio::test]
async fn descriptors_above_a_lowered_limit_stay_and_pass_to_children() {
    let kernel = shower();
    let mut guest = Guest::new();
    guest.call("dup", &[I(1), I(50), I(0), I(16)], OK).word(16, 50);
    guest.call("setrlimit", &[I(7), L(10), L(10)], OK).call("dup", &[I(1), I(0), I(0), I(64)], OK);
    guest.call("dup", &[I(1), I(20), I(0), I(64)], INVAL).print(I(50), "still open\n");
    request(&mut guest, "/bin/show", &["show"], &[[1, 50]]);
    guest.call("spawn", &[I(1024), I(20)], OK);
    guest.call("wait", &[At(20), I(0), I(512)], OK).word(516, 0).word(520, 1);
    check(&kernel, &guest).await;
}

/// A terminal whose input has ended.
struct Silent;

impl sandshell_runtime::Terminal for Silent {
    fn poll_read(&self, _: &mut Context<'_>, _: &mut [u8]) -> Poll<std::io::Result<usize>> {
        Poll::Ready(Ok(0))
    }

    fn poll_write(&self, _: &mut Context<'_>, bytes: &[u8]) -> Poll<std::io::Result<usize>> {
        Poll::Ready(Ok(bytes.len()))
    }

    fn size(&self) -> (u32, u32) {
        (24, 80)
    }
}

/// Waits until no process is left.
async fn gone(kernel: &Kernel) {
    for _ in 0..1000 {
        if kernel.usage().processes == 0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    panic!("{} are left", kernel.usage().processes);
}

#[tokio::test]
async fn dropping_a_job_kills_its_processes() {
    let kernel = kernel();
    let job = kernel.spawn(command(&body("(loop $ever (br $ever))"))).await.unwrap();
    tokio::time::sleep(Duration::from_millis(5)).await;
    drop(job);
    for _ in 0..100 {
        if kernel.usage().processes == 0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    panic!("still running");
}

#[tokio::test]
async fn standard_input_comes_as_bytes_or_as_a_stream() {
    let mut guest = Guest::new();
    guest.words(144, &[300, 64]);
    guest.call("fd_read", &[I(0), I(144), I(1), I(152)], OK).word(152, 3).byte(300, b'a');
    guest.call("fd_read", &[I(0), I(144), I(1), I(152)], OK).word(152, 0);
    guest.call("fd_write", &[I(0), I(144), I(1), I(152)], BADF).call("fd_tell", &[I(0), I(64)], SPIPE);
    guest.call("fd_pread", &[I(0), I(144), I(1), L(0), I(152)], SPIPE);
    let mut bytes = command(&guest.wat());
    bytes.stdin = Stdin::Bytes("abc".into());
    explain(&guest, &kernel().spawn(bytes).await.unwrap().wait().await);
    let (sender, receiver) = tokio::sync::mpsc::channel(1);
    let mut stream = command(&guest.wat());
    stream.stdin = Stdin::Stream(receiver);
    let kernel = kernel();
    let job = kernel.spawn(stream).await.unwrap();
    sender.send("abc".into()).await.unwrap();
    drop(sender);
    explain(&guest, &job.wait().await);
}

#[tokio::test]
async fn sockets_carry_bytes_in_both_directions() {
    let kernel = builder(&engine(&[]), &[]).build().unwrap();
    let mut guest = Guest::new();
    guest.call("socketpair", &[I(-4), I(0)], FAULT).call("socketpair", &[I(-8), I(0)], FAULT);
    guest.call("socketpair", &[I(32), I(1)], OK).word(32, 3).word(36, 4);
    guest.call("getfd", &[I(3), I(64)], OK).word(64, 1);
    guest.print(I(3), "question").print(I(4), "answer").words(144, &[300, 64]);
    guest.call("fd_read", &[I(4), I(144), I(1), I(152)], OK).word(152, 8).byte(300, b'q');
    guest.call("fd_read", &[I(3), I(144), I(1), I(152)], OK).word(152, 6).byte(300, b'a');
    guest.call("fd_close", &[I(4)], OK).call("fd_read", &[I(3), I(144), I(1), I(152)], OK).word(152, 0);
    explain(&guest, &kernel.spawn(command(&guest.wat())).await.unwrap().wait().await);
    let limits = Limits { descriptors: 4, pipes: 4, ..Limits::default() };
    let kernel = builder(&engine(&[]), &[]).limits(limits).build().unwrap();
    let mut guest = Guest::new();
    // Both descriptors or none.
    guest.call("socketpair", &[I(64), I(0)], MFILE).call("dup", &[I(1), I(0), I(0), I(64)], OK).word(64, 3);
    explain(&guest, &kernel.spawn(command(&guest.wat())).await.unwrap().wait().await);
    assert_eq!(kernel.usage().pipes, 0);
}

#[tokio::test]
async fn descriptors_are_duplicated_and_limited() {
    let engine = engine(&[]);
    let limits = Limits { descriptors: 8, ..Limits::default() };
    let kernel = builder(&engine, &[]).limits(limits).build().unwrap();
    let mut guest = Guest::new();
    guest.call("dup", &[I(1), I(5), I(1), I(64)], OK).word(64, 5);
    guest.call("getfd", &[I(5), I(64)], OK).word(64, 1);
    guest.call("setfd", &[I(5), I(0)], OK).call("getfd", &[I(5), I(64)], OK).word(64, 0);
    guest.call("dup2", &[I(1), I(7), I(0)], OK).call("dup2", &[I(1), I(8), I(0)], BADF);
    guest.call("dup", &[I(1), I(0), I(0), I(64)], OK).word(64, 3);
    guest.call("pipe", &[I(64), I(0)], OK).word(64, 4).word(68, 6);
    guest.call("dup", &[I(1), I(0), I(0), I(64)], MFILE).call("pipe", &[I(64), I(0)], MFILE);
    guest.call("getrlimit", &[I(7), I(64)], OK).word(64, 8);
    guest.call("setrlimit", &[I(7), L(4), L(8)], OK).call("fd_close", &[I(3)], OK);
    guest.call("dup", &[I(1), I(0), I(0), I(64)], OK).word(64, 3);
    guest.call("setrlimit", &[I(7), L(4), L(9)], PERM).call("setrlimit", &[I(7), L(5), L(4)], INVAL);
    let outcome = check(&kernel, &guest).await;
    assert_eq!(outcome.limit, Some(Limit::Descriptors(8)));
}

#[tokio::test]
async fn concurrent_commands_run_concurrently() {
    let kernel = kernel();
    let mut guest = Guest::new();
    guest.words(160, &[0; 12]).raw("(i64.store (i32.const 184) (i64.const 50000000))");
    guest.call("poll_oneoff", &[I(160), I(240), I(1), I(280)], OK);
    let mut endless = Guest::new();
    endless.call("pipe", &[I(32), I(0)], OK).words(144, &[300, 1]);
    endless.ignore("fd_read", &[At(32), I(144), I(1), I(152)]);
    // The first never ends: if commands ran one after the other, the later ones would wait for ever.
    let first = kernel.spawn(command(&endless.wat())).await.unwrap();
    let mut jobs = Vec::new();
    for _ in 0..20 {
        jobs.push(kernel.spawn(command(&guest.wat())).await.unwrap());
    }
    for job in jobs {
        explain(&guest, &job.wait().await);
    }
    drop(first);
}

#[tokio::test]
async fn the_argument_reaches_a_clone() {
    let mut guest = Guest::new();
    let child = guest.function();
    guest.call("kill", &[Parameter, I(0)], OK);
    guest.end(0);
    guest.raw("(i32.store (i32.const 48) (call $getpid))").ignore("getpid", &[]);
    guest.call("clone", &[I(child), At(48), I(0), I(16)], OK);
    guest.call("wait", &[At(16), I(0), I(512)], OK).word(520, 0);
    check(&kernel(), &guest).await;
}
