//! Locks at the host: what a sandbox locks of a mounted file, programs of the host see, and the other way round.
// Elsewhere locks are the sandbox's own.
#![cfg(all(target_os = "linux", not(feature = "portable-host")))]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{View, view};
use nix::fcntl::{FcntlArg, fcntl};
use rustix::fs::{FlockOperation, fcntl_lock, flock};
use sandshell_vfs::{
    Context, Errno, HostAccess, HostBudget, HostDir, HostLock, HostLocks, MemoryFs, MountOptions,
    OpenOptions, Overlay, Withheld,
};
use std::fs::{File, OpenOptions as StdOptions};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use tempfile::TempDir;

const BOTH: OpenOptions = OpenOptions { write: true, ..OpenOptions::READ };

fn directory() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("f"), "contents").unwrap();
    directory
}

fn mounted(directory: &Path, access: HostAccess) -> View {
    view(Arc::new(HostDir::open(directory, access).unwrap()), Context::ROOT)
}

fn locks(view: &View, how: OpenOptions) -> Box<dyn HostLocks> {
    view.open("/f", how).unwrap().host_locks().unwrap().unwrap()
}

/// An open file of a program of the host's own.
fn native(directory: &Path) -> File {
    StdOptions::new().read(true).write(true).open(directory.join("f")).unwrap()
}

/// Whether this lock of a program's open file is granted.
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

#[test]
fn ranges_exclude_each_other() {
    let directory = directory();
    let user = mounted(directory.path(), HostAccess::ReadWrite);
    let (guest, native) = (locks(&user, BOTH), native(directory.path()));
    guest.lock(10..20, true).unwrap();
    assert!(!native_range(&native, libc::F_RDLCK, 19, 1));
    assert!(native_range(&native, libc::F_WRLCK, 20, 5));
    assert_eq!(guest.lock(15..25, true), Err(Errno::Again));
    assert_eq!(guest.conflict(0..u64::MAX, false), Ok(Some(HostLock { bytes: 20..25, exclusive: true })));
    // What was had before is kept.
    assert!(!native_range(&native, libc::F_RDLCK, 10, 1));
    // A weaker kind, then less of it.
    guest.lock(10..20, false).unwrap();
    assert!(native_range(&native, libc::F_RDLCK, 10, 1));
    guest.unlock(12..14).unwrap();
    assert!(native_range(&native, libc::F_WRLCK, 12, 2));
    assert!(!native_range(&native, libc::F_WRLCK, 14, 1));
    assert!(native_range(&native, libc::F_UNLCK, 0, 0));
    // To the end, wherever it is, and beyond the largest offset, where there is nothing.
    guest.lock(100..u64::MAX, true).unwrap();
    assert!(!native_range(&native, libc::F_RDLCK, i64::MAX - 1, 1));
    guest.lock(1 << 63..u64::MAX, true).unwrap();
    assert_eq!(guest.conflict(1 << 63..u64::MAX, true), Ok(None));
    drop(guest);
    assert!(native_range(&native, libc::F_WRLCK, 0, 0));
}

/// Another process's locks of the kind that belongs to processes, which SQLite and Python's `lockf` use.
#[test]
fn the_locks_of_processes_count() {
    if Command::new("python3").arg("--version").output().is_err() {
        return;
    }
    let directory = directory();
    let user = mounted(directory.path(), HostAccess::ReadWrite);
    let guest = locks(&user, BOTH);
    guest.lock(0..u64::MAX, true).unwrap();
    let script = "import fcntl; f = open('f', 'r+'); fcntl.lockf(f, fcntl.LOCK_EX | fcntl.LOCK_NB)";
    let program = || {
        let mut program = Command::new("python3");
        program.args(["-c", script]).current_dir(directory.path());
        program.output().unwrap()
    };
    let refused = program();
    assert!(String::from_utf8_lossy(&refused.stderr).contains("BlockingIOError"), "{refused:?}");
    // To open and close the file elsewhere in this program takes nothing away.
    drop(native(directory.path()));
    drop(user.open("/f", BOTH).unwrap());
    assert!(!program().status.success());
    guest.unlock(0..u64::MAX).unwrap();
    assert!(program().status.success());
    // The other way round; the lock of this process is not the guest's.
    let native = native(directory.path());
    fcntl_lock(&native, FlockOperation::NonBlockingLockExclusive).unwrap();
    assert_eq!(guest.lock(0..1, false), Err(Errno::Again));
}

#[test]
fn whole_files_exclude_each_other() {
    let directory = directory();
    let user = mounted(directory.path(), HostAccess::ReadWrite);
    let (guest, native) = (locks(&user, BOTH), native(directory.path()));
    guest.lock_whole(true).unwrap();
    assert!(flock(&native, FlockOperation::NonBlockingLockShared).is_err());
    // Two sandboxes of one program are two.
    let second = mounted(directory.path(), HostAccess::ReadWrite);
    assert_eq!(locks(&second, BOTH).lock_whole(false), Err(Errno::Again));
    guest.unlock_whole().unwrap();
    flock(&native, FlockOperation::NonBlockingLockShared).unwrap();
    assert_eq!(guest.lock_whole(true), Err(Errno::Again));
    guest.lock_whole(false).unwrap();
    assert!(flock(&native, FlockOperation::NonBlockingLockExclusive).is_err());
    drop(guest);
    flock(&native, FlockOperation::NonBlockingLockExclusive).unwrap();
}

/// Who may only read keeps nobody else from reading.
#[test]
fn a_directory_to_be_read_gives_shared_locks() {
    let directory = directory();
    let user = mounted(directory.path(), HostAccess::ReadOnly);
    let (guest, native) = (locks(&user, OpenOptions::READ), native(directory.path()));
    guest.lock(0..10, true).unwrap();
    guest.lock_whole(true).unwrap();
    assert!(native_range(&native, libc::F_RDLCK, 0, 0));
    assert!(!native_range(&native, libc::F_WRLCK, 0, 0));
    flock(&native, FlockOperation::NonBlockingLockShared).unwrap();
    assert!(flock(&native, FlockOperation::NonBlockingLockExclusive).is_err());
}

/// A file that cannot be opened for writing again is locked through the open file that the guest has.
#[test]
fn a_mode_does_not_matter_to_who_has_the_file_open() {
    let directory = directory();
    let user = mounted(directory.path(), HostAccess::ReadWrite);
    let how = OpenOptions { create: true, mode: 0o400, ..BOTH };
    let file = user.open("/new", how).unwrap();
    let guest = file.host_locks().unwrap().unwrap();
    guest.lock(0..10, true).unwrap();
    let native = File::open(directory.path().join("new")).unwrap();
    assert!(!native_range(&native, libc::F_RDLCK, 0, 0));
    drop(guest);
    assert!(native_range(&native, libc::F_RDLCK, 0, 0), "although the guest has its file still open");
    drop(file);
}

#[test]
fn each_locked_file_counts_in_the_budget() {
    let directory = directory();
    let budget = HostBudget::default();
    let withheld = Arc::new(Withheld::default());
    let host = HostDir::open_withholding(directory.path(), HostAccess::ReadWrite, &withheld, budget.clone())
        .unwrap();
    let user = view(Arc::new(host), Context::ROOT);
    let file = user.open("/f", BOTH).unwrap();
    let before = budget.descriptors();
    let held: Vec<_> = std::iter::from_fn(|| file.host_locks().ok()).take(5000).map(Option::unwrap).collect();
    assert_eq!(budget.descriptors(), before + held.len() as u64);
    assert_eq!(file.host_locks().err(), Some(Errno::NFile));
    drop(held);
    assert_eq!(budget.descriptors(), before);
}

/// This program locks its own files: a sandbox that sees them keeps it from nothing.
#[test]
fn what_this_program_trusts_is_not_locked() {
    let directory = directory();
    std::fs::create_dir(directory.path().join("own")).unwrap();
    std::fs::write(directory.path().join("own/f"), "").unwrap();
    std::fs::create_dir(directory.path().join("beside")).unwrap();
    std::fs::write(directory.path().join("beside/f"), "").unwrap();
    let withheld = Arc::new(Withheld { places: vec![directory.path().join("own")], ..Withheld::default() });
    for (below, locked) in [("", false), ("own", false), ("beside", true)] {
        let place = directory.path().join(below);
        let budget = HostBudget::default();
        let host = HostDir::open_withholding(place, HostAccess::ReadOnly, &withheld, budget).unwrap();
        let user = view(Arc::new(host), Context::ROOT);
        let locks = user.open("/f", OpenOptions::READ).unwrap().host_locks().unwrap();
        assert_eq!(locks.is_some(), locked, "{below}");
    }
}

/// The files of an overlay are the sandbox's own from its first change on, and nobody else sees those changes.
#[test]
fn only_files_that_others_see_have_locks_there() {
    let directory = directory();
    let lower = Arc::new(HostDir::open(directory.path(), HostAccess::ReadOnly).unwrap());
    let overlay = view(Arc::new(Overlay::new(lower).unwrap()), Context::ROOT);
    for how in [OpenOptions::READ, BOTH] {
        assert!(overlay.open("/f", how).unwrap().host_locks().unwrap().is_none());
    }
    let memory = view(Arc::new(MemoryFs::new()), Context::ROOT);
    memory.write("/f", "").unwrap();
    assert!(memory.open("/f", BOTH).unwrap().host_locks().unwrap().is_none());
    let host = Arc::new(HostDir::open(directory.path(), HostAccess::ReadWrite).unwrap());
    memory.mkdir("/mnt").unwrap();
    memory.namespace.mount(b"/mnt", host, MountOptions::default()).unwrap();
    assert!(memory.open("/mnt/f", BOTH).unwrap().host_locks().unwrap().is_some());
}
