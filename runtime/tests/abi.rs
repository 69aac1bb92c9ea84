//! The kernel's own imports for files and the terminal, and how programs are loaded.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::io;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use common::guest::errno::*;
use common::guest::{Arg, At, Guest, I, L};
use common::{builder, check, command, engine, explain, kernel, read, run, write};
use sandshell_runtime::engine_config::{Metering, config, pack};
use sandshell_runtime::{
    Clock, Code, Command, Conversation, Engine, EngineOptions, ExitStatus, Kernel, PackedCode, Random, Stdin,
    SystemImage, SystemProgram, Terminal,
};

const CWD: Arg = I(-100);
const ROOT: Arg = I(0x10_0000);
const STAT: i32 = 1000;
/// Offsets in a Stat.
const SIZE: u32 = 1024;
const MODE: u32 = 1084;

fn path(guest: &mut Guest, text: &str) -> [Arg; 2] {
    let (at, len) = guest.text(text);
    [I(at), I(len)]
}

#[tokio::test]
async fn files_have_modes_and_owners() {
    let mut guest = Guest::new();
    let [file, dir, link, none, empty, root] =
        ["file", "/tmp/dir", "link", "none", "", "tmp"].map(|name| path(&mut guest, name));
    guest.call("open", &[CWD, file[0], file[1], I(0x10b), I(0o600), I(16)], OK).word(16, 3);
    guest.print(At(16), "hello");
    guest.call("fstat", &[At(16), I(STAT)], OK).word(SIZE, 5).word(MODE, 0o100_600).word(MODE + 4, 1000);
    guest.call("getfd", &[At(16), I(64)], OK).word(64, 1);
    guest.call("chmod", &[CWD, file[0], file[1], I(0o4755), I(0)], OK);
    guest.call("stat", &[CWD, file[0], file[1], I(0), I(STAT)], OK).word(MODE, 0o104_755);
    guest.call("fchmod", &[At(16), I(0o644)], OK);
    guest.call("stat", &[At(16), empty[0], empty[1], I(0), I(STAT)], OK).word(MODE, 0o100_644);
    guest.call("stat", &[ROOT, root[0], root[1], I(0), I(STAT)], OK).word(MODE, 0o40_777);
    guest.call("stat", &[CWD, none[0], none[1], I(0), I(STAT)], NOENT).call(
        "stat",
        &[CWD, file[0], file[1], I(0), I(-9)],
        FAULT,
    );
    guest.call("chown", &[CWD, file[0], file[1], I(-1), I(-1), I(0)], OK);
    guest.call("chown", &[CWD, file[0], file[1], I(0), I(-1), I(0)], PERM);
    guest.call("access", &[CWD, file[0], file[1], I(4), I(0)], OK).call(
        "access",
        &[CWD, file[0], file[1], I(1), I(0)],
        ACCES,
    );
    guest.call("access", &[CWD, file[0], file[1], I(8), I(0)], INVAL);
    guest.call("mkdir", &[CWD, dir[0], dir[1], I(0o777)], OK).call(
        "mkdir",
        &[CWD, dir[0], dir[1], I(0o777)],
        EXIST,
    );
    guest.call("stat", &[CWD, dir[0], dir[1], I(0), I(STAT)], OK).word(MODE, 0o40_755);
    guest.call("symlink", &[file[0], file[1], CWD, link[0], link[1]], OK);
    guest.call("stat", &[CWD, link[0], link[1], I(1), I(STAT)], OK).word(MODE, 0o120_777);
    guest.call("stat", &[CWD, link[0], link[1], I(0), I(STAT)], OK).word(SIZE, 5);
    guest.call("readlink", &[CWD, link[0], link[1], I(300), I(3), I(64)], OK).word(64, 3).byte(302, b'l');
    guest
        .call("truncate", &[CWD, link[0], link[1], L(2)], OK)
        .call("fstat", &[At(16), I(STAT)], OK)
        .word(SIZE, 2);
    guest.call("truncate", &[CWD, link[0], link[1], L(-1)], INVAL);
    guest.call("utimens", &[CWD, file[0], file[1], I(0), L(7), I(8), L(9), I(0x3fff_fffe)], OK);
    guest.call("fstat", &[At(16), I(STAT)], OK).word(1048, 7).word(1072, 8);
    guest.call("utimens", &[CWD, file[0], file[1], I(0), L(7), I(2_000_000_000), L(9), I(0)], INVAL);
    let [hard, fifo, block, socket] = ["hard", "fifo", "block", "socket"].map(|name| path(&mut guest, name));
    guest.call("link", &[CWD, file[0], file[1], CWD, hard[0], hard[1], I(0)], OK);
    guest.call("fstat", &[At(16), I(STAT)], OK).word(1016, 2);
    guest.call("mknod", &[CWD, fifo[0], fifo[1], I(0o10_644)], OK);
    guest.call("stat", &[CWD, fifo[0], fifo[1], I(0), I(STAT)], OK).word(MODE, 0o10_644);
    guest.call("mknod", &[CWD, block[0], block[1], I(0o60_644)], PERM);
    guest.call("mknod", &[CWD, socket[0], socket[1], I(0o140_644)], OK);
    guest.call("stat", &[CWD, socket[0], socket[1], I(0), I(STAT)], OK).word(MODE, 0o140_644);
    guest.call("mknod", &[CWD, block[0], block[1], I(0o120_644)], INVAL);
    guest.call("rename", &[CWD, hard[0], hard[1], CWD, none[0], none[1]], OK);
    guest.call("unlink", &[CWD, none[0], none[1], I(0)], OK).call(
        "unlink",
        &[CWD, dir[0], dir[1], I(0)],
        ISDIR,
    );
    guest.call("unlink", &[CWD, dir[0], dir[1], I(1)], OK).call(
        "unlink",
        &[CWD, dir[0], dir[1], I(1)],
        NOENT,
    );
    guest.call("statfs", &[root[0], root[1], I(STAT)], NOENT);
    let kernel = kernel();
    check(&kernel, &guest).await;
    assert_eq!(read(kernel.namespace(), "/workspace/file"), b"he");
}

#[tokio::test]
async fn a_process_has_a_working_directory_and_a_name() {
    let mut guest = Guest::new();
    let [tmp, none, empty, dot] = ["../tmp", "none", "", "."].map(|name| path(&mut guest, name));
    guest.call("getcwd", &[I(300), I(99), I(64)], OK).word(64, 10).byte(301, b'w');
    guest.call("getcwd", &[I(300), I(3), I(64)], 68);
    guest.call("chdir", &[CWD, none[0], none[1]], NOENT).call("chdir", &[CWD, tmp[0], tmp[1]], OK);
    guest.call("getcwd", &[I(300), I(99), I(64)], OK).word(64, 4).byte(301, b't');
    guest.call("open", &[ROOT, dot[0], dot[1], I(1), I(0), I(16)], OK);
    guest
        .call("chdir", &[At(16), empty[0], empty[1]], OK)
        .call("getcwd", &[I(300), I(99), I(64)], OK)
        .word(64, 1);
    guest.call("hostname", &[I(300), I(99), I(64)], OK).word(64, 7).byte(300, b's');
    guest.call("applet", &[I(300), I(99), I(64)], OK).word(64, 0);
    guest.call("times", &[I(STAT)], OK).call("times", &[I(-1)], FAULT);
    guest.call("isatty", &[I(0)], 0).call("tty_size", &[I(0), I(64)], NOTTY).call(
        "tcgetpgrp",
        &[I(9), I(64)],
        BADF,
    );
    check(&kernel(), &guest).await;
}

/// Gives one command, and remembers the answers.
#[derive(Default)]
struct Told(std::sync::Mutex<(Vec<u8>, Vec<u8>)>);

impl Conversation for Told {
    fn poll_read(&self, _: &mut Context<'_>, buf: &mut [u8]) -> Poll<usize> {
        let mut told = self.0.lock().unwrap();
        let count = buf.len().min(told.0.len());
        for (to, byte) in buf.iter_mut().zip(told.0.drain(..count)) {
            *to = byte;
        }
        if count == 0 { Poll::Pending } else { Poll::Ready(count) }
    }

    fn answer(&self, status: u8) {
        self.0.lock().unwrap().1.push(status);
    }
}

#[tokio::test]
async fn commands_are_for_the_first_process_alone() {
    // Nobody gives commands to this one.
    let mut guest = Guest::new();
    guest.call("session_read", &[I(300), I(0), I(64)], PERM).call("session_answer", &[I(0)], PERM);
    check(&kernel(), &guest).await;
    let mut guest = Guest::new();
    let child = guest.function();
    guest.call("session_read", &[I(300), I(0), I(64)], PERM).call("session_answer", &[I(0)], PERM);
    guest.end(0);
    guest.call("session_read", &[I(300), I(0), I(64)], OK).word(64, 0);
    guest.call("session_read", &[I(-4), I(99), I(64)], FAULT);
    guest.call("session_read", &[I(300), I(99), I(-1)], FAULT);
    guest.call("session_read", &[I(300), I(-1), I(64)], FAULT);
    guest.call("session_read", &[I(300), I(3), I(64)], OK).word(64, 3).byte(302, b'c');
    guest.call("session_read", &[I(300), I(99), I(64)], OK).word(64, 2).byte(301, 0);
    guest.call("session_answer", &[I(0x107)], OK).call("session_answer", &[I(-1)], OK);
    guest.call("clone", &[I(child), I(0), I(0), I(16)], OK).call("wait", &[At(16), I(0), I(512)], OK);
    guest.word(516, 0).word(520, 0);
    let kernel = kernel();
    let told = Arc::new(Told(std::sync::Mutex::new((b"abcd\0".to_vec(), Vec::new()))));
    let mut command = common::command(&guest.wat());
    command.conversation = Some(told.clone());
    let outcome = kernel.spawn(command).await.unwrap().wait().await;
    explain(&guest, &outcome);
    assert_eq!(told.0.lock().unwrap().1, [7, 255]);
    // Another program in its place is not told anything.
    let mut guest = Guest::new();
    guest.call("session_read", &[I(300), I(0), I(64)], PERM);
    write(kernel.namespace(), "/workspace/other", &wat::parse_str(guest.wat()).unwrap(), 0o755);
    let mut first = Guest::new();
    let [at, len] = path(&mut first, "/workspace/other");
    let [argv, argv_len] = path(&mut first, "other\0");
    let words = [at, len, argv, argv_len].map(|arg| if let I(value) = arg { value } else { 0 });
    first.words(600, &[words[0], words[1], words[2], words[3], 0, 0, 0, 0, 0, 0, 0, 0]);
    first.ignore("exec", &[I(600)]);
    let mut command = common::command(&first.wat());
    command.conversation = Some(Arc::new(Told::default()));
    let outcome = kernel.spawn(command).await.unwrap().wait().await;
    explain(&guest, &outcome);
}

#[tokio::test]
async fn files_are_locked() {
    const WRITING: Arg = I(1);
    let mut guest = Guest::new();
    let file = path(&mut guest, "file");
    let again = I(64);
    guest.call("open", &[CWD, file[0], file[1], I(0xb), I(0o600), I(16)], OK);
    guest.call("open", &[CWD, file[0], file[1], I(1), I(0), again], OK);
    // Of an open file: another one of the same process is in its way.
    guest.call("flock", &[At(16), I(2)], OK).call("flock", &[At(64), I(1 | 4)], AGAIN);
    guest.call("flock", &[At(16), I(1)], OK).call("flock", &[At(64), I(1 | 4)], OK);
    guest.call("flock", &[At(64), I(2 | 4)], AGAIN).call("flock", &[At(16), I(8)], OK);
    guest.call("flock", &[At(64), I(2 | 4)], OK).call("flock", &[At(64), I(8)], OK);
    for wrong in [0, 3, 16, -1] {
        guest.call("flock", &[At(16), I(wrong)], INVAL);
    }
    guest.call("flock", &[I(99), I(1)], BADF).call("flock", &[I(-1), I(1)], BADF);
    // Of a process: its own locks are not in its way.
    guest.call("lock", &[At(16), I(1), WRITING, L(0), L(10), I(0)], OK);
    guest.call("lock", &[At(16), I(0), WRITING, L(0), L(-1), I(200)], OK).word(200, 2);
    guest.call("lock", &[At(16), I(0), WRITING, L(0), L(-1), I(-8)], FAULT);
    guest.call("lock", &[At(64), I(2), WRITING, L(0), L(10), I(0)], BADF);
    for [command, kind, start, end] in [[3, 1, 0, 1], [1, 3, 0, 1], [1, 1, 5, 5], [1, 1, -1, 0], [0, 2, 0, 1]]
    {
        guest.call("lock", &[At(16), I(command), I(kind), L(start.into()), L(end.into()), I(200)], INVAL);
    }
    guest.call("lock", &[I(99), I(1), WRITING, L(0), L(1), I(0)], BADF);
    guest.call("lock", &[At(16), I(1), I(2), L(0), L(-1), I(0)], OK);
    check(&kernel(), &guest).await;
}

#[tokio::test]
async fn a_native_module_finds_no_preopens() {
    let mut guest = Guest::new();
    guest.ignore("getpid", &[]).call("fd_prestat_get", &[I(3), I(64)], BADF);
    guest.call("fd_prestat_get", &[I(0x10_0000), I(64)], OK);
    let tmp = path(&mut guest, "tmp");
    guest.call("path_filestat_get", &[ROOT, I(1), tmp[0], tmp[1], I(STAT)], OK).byte(1016, 3);
    guest.call("fd_fdstat_get", &[ROOT, I(STAT)], OK).byte(1000, 3);
    check(&kernel(), &guest).await;
}

/// A terminal on which some keys are typed.
struct Keys {
    keys: parking_lot::Mutex<&'static [u8]>,
    /// The keys are typed after the first output, and the end of input never comes.
    answers: bool,
    waiting: parking_lot::Mutex<Option<std::task::Waker>>,
    written: parking_lot::Mutex<Vec<u8>>,
}

impl Terminal for Keys {
    fn poll_read(&self, cx: &mut Context<'_>, buf: &mut [u8]) -> Poll<io::Result<usize>> {
        *self.waiting.lock() = Some(cx.waker().clone());
        if self.answers && self.written.lock().is_empty() {
            return Poll::Pending;
        }
        let keys = std::mem::take(&mut *self.keys.lock());
        if self.answers && keys.is_empty() {
            return Poll::Pending;
        }
        buf[..keys.len()].copy_from_slice(keys);
        Poll::Ready(Ok(keys.len()))
    }

    fn poll_write(&self, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.written.lock().extend_from_slice(bytes);
        self.waiting.lock().take().into_iter().for_each(std::task::Waker::wake);
        Poll::Ready(Ok(bytes.len()))
    }

    fn size(&self) -> (u32, u32) {
        (24, 80)
    }
}

fn keys(keys: &'static [u8], answers: bool) -> Arc<Keys> {
    let (waiting, written) = (parking_lot::Mutex::default(), parking_lot::Mutex::default());
    Arc::new(Keys { keys: parking_lot::Mutex::new(keys), answers, waiting, written })
}

#[tokio::test]
async fn only_the_foreground_reads_the_terminal() {
    let mut guest = Guest::new();
    // A background process that reads the terminal is stopped until it is in the foreground.
    let background = guest.function();
    guest.words(144, &[300, 99]).call("fd_read", &[I(0), I(144), I(1), I(64)], OK).word(64, 6);
    guest.end(0);
    guest.call("clone", &[I(background), I(0), I(1), I(16)], OK);
    guest.call("wait", &[At(16), I(2), I(512)], OK).word(516, 2).word(520, 21);
    // As a shell does, which gives the terminal away and takes it back.
    guest.call("sigaction", &[I(22), I(1), I(64)], OK);
    guest.call("tcsetpgrp", &[I(0), At(16)], OK).call("kill", &[At(16), I(18)], OK);
    guest.call("wait", &[At(16), I(0), I(512)], OK).word(516, 0).word(520, 0);
    guest.store("getpid", &[], 48).call("tcsetpgrp", &[I(0), At(48)], OK);
    let mut command = command(&guest.wat());
    command.stdin = Stdin::Terminal(keys(b"input\n", false));
    explain(&guest, &kernel().spawn(command).await.unwrap().wait().await);
}

#[tokio::test]
async fn a_terminal_is_lent_to_a_command() {
    let terminal = keys(b"input\r", false);
    let mut guest = Guest::new();
    guest.call("isatty", &[I(0)], 1).call("isatty", &[I(2)], 1).call("isatty", &[I(9)], 0);
    guest.call("tty_size", &[I(1), I(64)], OK).word(64, 24).word(68, 80);
    guest
        .words(144, &[300, 99])
        .call("fd_read", &[I(0), I(144), I(1), I(64)], OK)
        .word(64, 6)
        .byte(300, b'i');
    guest.call("fd_read", &[I(0), I(144), I(1), I(64)], OK).word(64, 0);
    guest.store("getpid", &[], 48).call("tcgetpgrp", &[I(0), I(64)], OK);
    guest.raw(
        "(if (i32.ne (i32.load (i32.const 48)) (i32.load (i32.const 64))) \
         (then (call $proc_exit (i32.const 249))))",
    );
    guest.call("tcsetpgrp", &[I(0), I(777)], PERM).call("tcsetpgrp", &[I(0), At(48)], OK);
    guest.print(I(1), "out").print(I(2), "err");
    guest.call("sigaction", &[I(2), I(2), I(0)], OK);
    guest.words(160, &[0; 12]).raw("(i64.store (i32.const 184) (i64.const 60000000000))");
    guest.call("poll_oneoff", &[I(160), I(240), I(1), I(280)], INTR).call("sigtake", &[], 2);
    let mut command = command(&guest.wat());
    command.stdin = Stdin::Terminal(terminal.clone());
    let kernel = kernel();
    let job = kernel.spawn(command).await.unwrap();
    tokio::time::sleep(Duration::from_millis(30)).await;
    job.signal_foreground(2);
    explain(&guest, &job.wait().await);
    assert_eq!(*terminal.written.lock(), b"input\r\nouterr");
}

#[tokio::test]
async fn a_program_sets_how_keys_are_read() {
    let terminal = keys(b"ab\x03", true);
    let mut guest = Guest::new();
    guest.call("tcgetattr", &[I(0), I(800)], OK).word(812, 0o105073);
    guest.call("tcgetattr", &[I(0), I(-4)], FAULT).call("tcgetattr", &[I(9), I(800)], BADF);
    // Without line editing, echo and signals; two keys at least.
    guest.raw("(i32.store (i32.const 812) (i32.const 0)) (i32.store8 (i32.const 823) (i32.const 2))");
    guest.call("tcsetattr", &[I(0), I(3), I(800)], INVAL).call("tcsetattr", &[I(0), I(0), I(-4)], FAULT);
    guest.call("tcsetattr", &[I(0), I(0), I(800)], OK).print(I(1), "type");
    guest.words(144, &[300, 2]).call("fd_read", &[I(0), I(144), I(1), I(64)], OK).word(64, 2);
    // One key within a tenth of a second, then none.
    guest.raw("(i32.store8 (i32.const 822) (i32.const 1)) (i32.store8 (i32.const 823) (i32.const 0))");
    guest.call("tcsetattr", &[I(0), I(0), I(800)], OK);
    guest.call("fd_read", &[I(0), I(144), I(1), I(64)], OK).word(64, 1).byte(300, 3);
    guest.call("fd_read", &[I(0), I(144), I(1), I(64)], OK).word(64, 0);
    guest.call("tcflush", &[I(0), I(2)], OK).call("tcflush", &[I(0), I(3)], INVAL);
    guest.call("tty_set_size", &[I(0), I(10), I(20)], OK).call("tty_size", &[I(0), I(64)], OK).word(64, 10);
    let mut command = command(&guest.wat());
    command.stdin = Stdin::Terminal(terminal.clone());
    explain(&guest, &kernel().spawn(command).await.unwrap().wait().await);
    assert_eq!(*terminal.written.lock(), b"type");
}

#[tokio::test]
async fn keys_are_signals_for_the_foreground() {
    let mut guest = Guest::new();
    guest.call("sigaction", &[I(2), I(2), I(64)], OK);
    guest.print(I(1), "type").words(144, &[300, 9]);
    guest.call("fd_read", &[I(0), I(144), I(1), I(64)], INTR).call("sigtake", &[], 2);
    let mut command = command(&guest.wat());
    let terminal = keys(b"ab\x03", true);
    command.stdin = Stdin::Terminal(terminal.clone());
    explain(&guest, &kernel().spawn(command).await.unwrap().wait().await);
    assert_eq!(*terminal.written.lock(), b"type^C");
}

/// Static bytes, with the alignment that code needs plus `misaligned`.
fn embed(bytes: &[u8], misaligned: usize) -> &'static [u8] {
    let room = vec![0u8; bytes.len() + 2 * 65536].leak();
    let start = room.as_ptr().align_offset(65536) + misaligned;
    room[start..start + bytes.len()].copy_from_slice(bytes);
    &room[start..start + bytes.len()]
}

#[tokio::test]
async fn code_compiled_ahead_of_time_runs_where_it_lies() {
    let mut guest = Guest::new();
    guest.print(I(1), "ahead\n").call("applet", &[I(300), I(99), I(64)], OK).word(64, 5);
    let wasm = wat::parse_str(guest.wat()).unwrap();
    let compile =
        |metering| wasmtime::Engine::new(&config(metering)).unwrap().precompile_module(&wasm).unwrap();
    let plain = compile(Metering::Plain);
    let packed = pack(&compile(Metering::Metered)).unwrap().leak();
    let cache = tempfile::tempdir().unwrap();
    // The third one finds the unpacked code in the cache.
    for (misaligned, cached) in [(0, false), (16, true), (0, true)] {
        let metered = PackedCode { packed, hash: [9; 32] };
        let code = Code::Embedded { plain: embed(&plain, misaligned), metered };
        let image = SystemImage {
            programs: vec![SystemProgram { name: "early", code }],
            commands: vec![("early", "early")],
            ..SystemImage::default()
        };
        let mut options = EngineOptions::new(image);
        options.cache_dir = cached.then(|| cache.path().join("modules"));
        let engine = Engine::new(options).unwrap();
        let start = sandshell_vfs::Time { secs: 1, nanos: 0 };
        for kernel in [
            builder(&engine, &["early"]).build().unwrap(),
            builder(&engine, &["early"])
                .random(Random::Seeded(1))
                .clock(Clock::Virtual(start))
                .build()
                .unwrap(),
        ] {
            let outcome =
                kernel.spawn(Command::new("/bin/early", vec![b"early".to_vec()])).await.unwrap().wait().await;
            explain(&guest, &outcome);
            assert_eq!(outcome.output, b"ahead\n");
        }
    }
}

#[tokio::test]
async fn a_users_module_is_compiled_once_and_cached() {
    let directory = tempfile::tempdir().unwrap();
    let cache = directory.path().join("cache");
    let mut guest = Guest::new();
    guest.print(I(1), "cached\n");
    let files =
        || -> Vec<_> { std::fs::read_dir(&cache).unwrap().map(|entry| entry.unwrap().path()).collect() };
    for _ in 0..2 {
        let mut options = EngineOptions::new(SystemImage::default());
        options.cache_dir = Some(cache.clone());
        let kernel: Kernel = builder(&Engine::new(options).unwrap(), &[]).build().unwrap();
        assert_eq!(run(&kernel, &guest.wat()).await.output, b"cached\n");
        assert_eq!(files().len(), 1);
    }
    // Garbage in the cache is not run.
    std::fs::write(&files()[0], b"garbage").unwrap();
    let mut options = EngineOptions::new(SystemImage::default());
    options.cache_dir = Some(cache.clone());
    let kernel: Kernel = builder(&Engine::new(options).unwrap(), &[]).build().unwrap();
    assert_eq!(run(&kernel, &guest.wat()).await.output, b"cached\n");
}

#[tokio::test]
async fn a_fork_has_the_files_and_its_own_processes() {
    let kernel = builder(&engine(&[]), &[]).build().unwrap();
    write(kernel.namespace(), "/workspace/file", b"before", 0o644);
    let spin = r#"(module (memory (export "memory") 1) (func (export "_start") (loop $ever (br $ever))))"#;
    let job = kernel.spawn(command(spin)).await.unwrap();
    assert!(kernel.fork().is_err());
    job.kill();
    assert_eq!(job.wait().await.status, ExitStatus::Signaled(9));
    let fork = kernel.fork().unwrap();
    write(kernel.namespace(), "/workspace/file", b"after!", 0o644);
    assert_eq!(read(fork.namespace(), "/workspace/file"), b"before");
    // The fork has a procfs of its own.
    let mut guest = Guest::new();
    let own = path(&mut guest, "/proc/2/comm");
    guest.call("path_filestat_get", &[I(3), I(1), own[0], own[1], I(STAT)], OK);
    check(&fork, &guest).await;
}
