//! Locks of files of the host, as guests and programs of the host see each other's.
// Elsewhere locks are the sandbox's own.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::fs::{File, OpenOptions};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use common::guest::errno::*;
use common::guest::{Arg, At, Guest, I, L};
use common::{check, engine, namespace, run};
use nix::fcntl::{FcntlArg, fcntl};
use sandshell_runtime::{Clock, Engine, ExitStatus, Kernel, Limit, Outcome, Random};
use sandshell_vfs::{Context, HostAccess, HostBudget, HostDir, MountOptions, Time, Withheld};
use tempfile::TempDir;

const CWD: Arg = I(-100);
/// Commands of `lock`.
const GET: Arg = I(0);
const SET: Arg = I(1);
const SET_WAITING: Arg = I(2);
/// Kinds of locks.
const READING: Arg = I(0);
const WRITING: Arg = I(1);
const NONE: Arg = I(2);
/// Operations of `flock`.
const SHARED: i32 = 1;
const EXCLUSIVE: i32 = 2;
const AT_ONCE: i32 = 4;

/// Where guests keep the descriptor of the file.
const FD: u32 = 16;
const SIGALRM: u8 = 14;
/// Longer than anything takes that works correctly.
const HANGS: Duration = Duration::from_secs(60);

fn directory() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    File::create(directory.path().join("f")).unwrap();
    directory
}

/// A sandbox with the directory at `/mnt`.
fn mounted(engine: &Engine, directory: &Path, budget: HostBudget) -> Kernel {
    let (namespace, withheld) = (namespace(), Arc::new(Withheld::default()));
    let host = HostDir::open_withholding(directory, HostAccess::ReadWrite, &withheld, budget).unwrap();
    namespace.create_dir(&Context::ROOT, &namespace.root(), b"/mnt", 0o777).unwrap();
    namespace.mount(b"/mnt", Arc::new(host), MountOptions::default()).unwrap();
    Kernel::builder(engine, namespace).build().unwrap()
}

fn kernel(directory: &Path) -> Kernel {
    mounted(&engine(&[]), directory, HostBudget::default())
}

/// A guest that has the file open for reading and writing.
fn guest() -> Guest {
    let mut guest = Guest::new();
    let (at, length) = guest.text("/mnt/f");
    guest.call("open", &[CWD, I(at), I(length), I(3), I(0), I(FD as i32)], OK);
    guest
}

/// Sleeps for ever.
fn sleep(guest: &mut Guest) {
    let mut subscription = [0; 48];
    subscription[16] = 1;
    subscription[24..32].copy_from_slice(&u64::to_le_bytes(1 << 60));
    guest.bytes(600, &subscription).ignore("poll_oneoff", &[I(600), I(700), I(1), I(800)]);
}

fn lock(guest: &mut Guest, command: Arg, kind: Arg, start: i64, end: i64, expected: i32) {
    guest.call("lock", &[At(FD), command, kind, L(start), L(end), I(200)], expected);
}

/// An open file of a program of the host's own.
fn native(directory: &Path) -> File {
    OpenOptions::new().read(true).write(true).open(directory.join("f")).unwrap()
}

/// Whether such a lock is granted.
fn native_range(file: &File, kind: libc::c_int, start: i64, length: i64) -> bool {
    let lock = libc::flock {
        l_type: kind as libc::c_short,
        l_whence: libc::SEEK_SET as libc::c_short,
        l_start: start,
        l_len: length,
        l_pid: 0,
    };
    fcntl(file, FcntlArg::F_OFD_SETLK(&lock)).is_ok()
}

/// Waits until something is so.
async fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < HANGS, "{what}");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

fn alarmed(outcome: &Outcome) -> bool {
    outcome.status == ExitStatus::Signaled(SIGALRM)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_host_sees_what_guests_lock() {
    let directory = directory();
    let (kernel, native) = (kernel(directory.path()), native(directory.path()));
    let mut guest = guest();
    lock(&mut guest, SET, WRITING, 0, 100, OK);
    // Less of it, and a weaker kind.
    lock(&mut guest, SET, NONE, 10, 20, OK);
    lock(&mut guest, SET, READING, 50, 100, OK);
    guest.call("flock", &[At(FD), I(EXCLUSIVE)], OK);
    sleep(&mut guest);
    for way in 0..3 {
        let job = kernel.spawn(common::command(&guest.wat())).await.unwrap();
        until("locked", || native.try_lock().is_err() || native.unlock().is_err()).await;
        assert!(!native_range(&native, libc::F_RDLCK, 0, 1));
        assert!(native_range(&native, libc::F_WRLCK, 10, 10));
        assert!(!native_range(&native, libc::F_RDLCK, 20, 1));
        assert!(native_range(&native, libc::F_RDLCK, 50, 50));
        assert!(!native_range(&native, libc::F_WRLCK, 50, 1));
        assert!(native_range(&native, libc::F_WRLCK, 100, 0));
        assert!(native_range(&native, libc::F_UNLCK, 0, 0));
        // However it ends, nothing stays locked.
        match way {
            0 => job.kill(),
            1 => job.signal(15),
            _ => kernel.shutdown().await,
        }
        until("nothing is locked", || native_range(&native, libc::F_WRLCK, 0, 0)).await;
        until("nothing is locked", || native.try_lock().is_ok()).await;
        native.unlock().unwrap();
        assert!(native_range(&native, libc::F_UNLCK, 0, 0));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn guests_see_what_the_host_locks() {
    let directory = directory();
    let (kernel, native) = (kernel(directory.path()), native(directory.path()));
    assert!(native_range(&native, libc::F_WRLCK, 10, 10));
    assert!(native_range(&native, libc::F_RDLCK, 30, 0));
    native.lock_shared().unwrap();
    let mut first = guest();
    lock(&mut first, SET, READING, 0, 11, AGAIN);
    lock(&mut first, SET, WRITING, 0, 10, OK);
    lock(&mut first, SET, READING, 25, 40, OK);
    lock(&mut first, SET, WRITING, 25, 31, AGAIN);
    // Who has it: nobody who could be named.
    lock(&mut first, GET, READING, 5, 15, OK);
    first.word(200, 1).word(204, 0).word(208, 10).word(216, 20);
    lock(&mut first, GET, WRITING, 20, -1, OK);
    first.word(200, 0).word(204, 0).word(208, 30).word(216, -1);
    lock(&mut first, GET, WRITING, 0, 10, OK);
    first.word(200, 2);
    first.call("flock", &[At(FD), I(EXCLUSIVE | AT_ONCE)], AGAIN);
    first.call("flock", &[At(FD), I(SHARED | AT_ONCE)], OK);
    check(&kernel, &first).await;
    // A wait ends with a signal, and nothing is locked by it later.
    let waits: [fn(&mut Guest); 2] = [
        |guest| lock(guest, SET_WAITING, READING, 0, 15, OK),
        |guest| {
            guest.call("flock", &[At(FD), I(EXCLUSIVE)], OK);
        },
    ];
    for wait in waits {
        let mut waiting = guest();
        waiting.call("alarm", &[L(150_000_000), I(0)], OK);
        wait(&mut waiting);
        let outcome = run(&kernel, &waiting.wat()).await;
        assert!(alarmed(&outcome), "{:?}", outcome.status);
        // A command's time does as well.
        let mut command = common::command(&waiting.wat().replace("150000000", "1000000000000"));
        command.timeout = Some(Duration::from_millis(100));
        let outcome = kernel.spawn(command).await.unwrap().wait().await;
        assert!(matches!(outcome.limit, Some(Limit::WallTime(_))), "{outcome:?}");
    }
    // It also ends when the lock is free.
    let mut waiting = guest();
    for wait in waits {
        wait(&mut waiting);
    }
    let job = kernel.spawn(common::command(&waiting.wat())).await.unwrap();
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(!job.has_ended());
    assert!(native_range(&native, libc::F_UNLCK, 0, 0));
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(!job.has_ended());
    native.unlock().unwrap();
    assert_eq!(tokio::time::timeout(HANGS, job.wait()).await.unwrap().status, ExitStatus::Exited(0));
    assert!(native.try_lock().is_ok() && native_range(&native, libc::F_WRLCK, 0, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_sandboxes_exclude_each_other() {
    let directory = directory();
    let engine = engine(&[]);
    let [first, second] = [(); 2].map(|()| mounted(&engine, directory.path(), HostBudget::default()));
    let mut holder = guest();
    lock(&mut holder, SET, WRITING, 0, 10, OK);
    holder.call("flock", &[At(FD), I(SHARED)], OK);
    sleep(&mut holder);
    let job = first.spawn(common::command(&holder.wat())).await.unwrap();
    let native = native(directory.path());
    until("locked", || native.try_lock().is_err() || native.unlock().is_err()).await;
    let mut other = guest();
    lock(&mut other, SET, READING, 0, 1, AGAIN);
    lock(&mut other, SET, WRITING, 10, 20, OK);
    other.call("flock", &[At(FD), I(EXCLUSIVE | AT_ONCE)], AGAIN);
    other.call("flock", &[At(FD), I(SHARED | AT_ONCE)], OK);
    check(&second, &other).await;
    // In the same sandbox, it is that one's own table that says so.
    lock(&mut other, GET, WRITING, 0, 10, OK);
    other.word(200, 1).word(204, 0);
    check(&second, &other).await;
    let mut same = guest();
    lock(&mut same, SET, READING, 0, 1, AGAIN);
    lock(&mut same, GET, READING, 0, 1, OK);
    same.word(204, job.pid().cast_signed());
    check(&first, &same).await;
    // What is dropped is gone.
    drop((first, job));
    until("nothing is locked", || native_range(&native, libc::F_WRLCK, 0, 0)).await;
    native.try_lock().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn processes_of_a_sandbox_are_one_at_the_host() {
    let directory = directory();
    let (kernel, native) = (kernel(directory.path()), native(directory.path()));
    let mut one = guest();
    lock(&mut one, SET, READING, 0, 10, OK);
    sleep(&mut one);
    let first = kernel.spawn(common::command(&one.wat())).await.unwrap();
    let second = kernel.spawn(common::command(&one.wat())).await.unwrap();
    let mut table = guest();
    lock(&mut table, SET, READING, 5, 6, OK);
    lock(&mut table, SET, NONE, 0, -1, OK);
    let is_free = || {
        let free = native_range(&native, libc::F_WRLCK, 0, 10);
        assert!(native_range(&native, libc::F_UNLCK, 0, 0));
        free
    };
    until("locked", || !is_free()).await;
    check(&kernel, &table).await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    // What one gives up, the other still has.
    first.kill();
    first.wait().await;
    assert!(!is_free());
    check(&kernel, &table).await;
    assert!(!is_free());
    second.kill();
    second.wait().await;
    until("nothing is locked", is_free).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn locks_at_the_host_are_limited() {
    let directory = directory();
    let budget = HostBudget::default();
    let kernel = mounted(&engine(&[]), directory.path(), budget.clone());
    // Every other byte, as many as may be locked.
    let (at, length) = (1024, 1022);
    let mut many = guest();
    many.raw(&format!(
        "(i32.store (i32.const {at}) (i32.const 0))
         (loop $next
           (if (call $lock (i32.load (i32.const {FD})) (i32.const 1) (i32.const 1)
                 (i64.extend_i32_u (i32.mul (i32.const 2) (i32.load (i32.const {at}))))
                 (i64.extend_i32_u (i32.add (i32.const 1) (i32.mul (i32.const 2) (i32.load (i32.const {at})))))
                 (i32.const 200))
             (then (call $proc_exit (i32.const 250))))
           (i32.store (i32.const {at}) (i32.add (i32.const 1) (i32.load (i32.const {at}))))
           (br_if $next (i32.lt_u (i32.load (i32.const {at})) (i32.const {length}))))"
    ));
    lock(&mut many, SET, WRITING, 5000, 5001, OK);
    lock(&mut many, SET, WRITING, 6000, 6001, OK);
    lock(&mut many, SET, WRITING, 7000, 7001, NOLCK);
    let native = native(directory.path());
    check(&kernel, &many).await;
    assert!(native_range(&native, libc::F_WRLCK, 0, 0), "all of them are gone");
    assert!(native_range(&native, libc::F_UNLCK, 0, 0));
    // A file that is locked takes one more descriptor.
    let mut one = guest();
    lock(&mut one, SET, WRITING, 0, 1, OK);
    one.call("flock", &[At(FD), I(EXCLUSIVE)], OK);
    sleep(&mut one);
    let before = budget.descriptors();
    let job = kernel.spawn(common::command(&one.wat())).await.unwrap();
    until("locked", || native.try_lock().is_err() || native.unlock().is_err()).await;
    let with = budget.descriptors();
    job.kill();
    job.wait().await;
    let mut open = guest();
    sleep(&mut open);
    let job = kernel.spawn(common::command(&open.wat())).await.unwrap();
    until("one descriptor less", || budget.descriptors() == with - 1).await;
    job.kill();
    job.wait().await;
    until("all come back", || budget.descriptors() == before).await;
}

/// With a virtual clock only the host's programs make a process wait in the host's time.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_virtual_clock_does_not_wait_for_the_host() {
    let directory = directory();
    let native = native(directory.path());
    let namespace = namespace();
    let host = HostDir::open(directory.path(), HostAccess::ReadWrite).unwrap();
    namespace.create_dir(&Context::ROOT, &namespace.root(), b"/mnt", 0o777).unwrap();
    namespace.mount(b"/mnt", Arc::new(host), MountOptions::default()).unwrap();
    let kernel = Kernel::builder(&engine(&[]), namespace)
        .random(Random::Seeded(7))
        .clock(Clock::Virtual(Time::default()))
        .build()
        .unwrap();
    native.lock().unwrap();
    let mut waiting = guest();
    waiting.call("flock", &[At(FD), I(EXCLUSIVE)], OK);
    let job = kernel.spawn(common::command(&waiting.wat())).await.unwrap();
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(!job.has_ended());
    native.unlock().unwrap();
    assert_eq!(tokio::time::timeout(HANGS, job.wait()).await.unwrap().status, ExitStatus::Exited(0));
    // An hour of its own time is over at once.
    native.lock().unwrap();
    let mut alarm = guest();
    alarm.call("alarm", &[L(3_600_000_000_000), I(0)], OK).call("flock", &[At(FD), I(EXCLUSIVE)], OK);
    assert!(alarmed(&tokio::time::timeout(HANGS, run(&kernel, &alarm.wat())).await.unwrap()));
}
