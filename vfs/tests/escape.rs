//! Nothing outside of a host directory can be reached. These tests run with the feature `escape-check`, which checks
//! every host handle a second time against the kernel's path of it.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{View, view};
use sandshell_vfs::{
    Context, Errno, FileKind, HostAccess, HostBudget, HostDir, MemoryFs, MountOptions, OpenError,
    OpenOptions, Opened, Overlay,
};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A host directory beside a secret, mounted at `/workspace`.
struct Jail {
    _temporary: tempfile::TempDir,
    inside: PathBuf,
    outside: PathBuf,
    user: View,
}

fn jail() -> Jail {
    let temporary = tempfile::tempdir().unwrap();
    let (inside, outside) = (temporary.path().join("inside"), temporary.path().join("outside"));
    fs::create_dir_all(&inside).unwrap();
    fs::create_dir_all(&outside).unwrap();
    fs::write(outside.join("secret"), "host secret").unwrap();
    fs::write(inside.join("file"), "inside").unwrap();
    let user = view(Arc::new(MemoryFs::new()), Context::USER);
    let host = Arc::new(HostDir::open(&inside, HostAccess::ReadWrite).unwrap());
    user.namespace.mount(b"/workspace", host, MountOptions::default()).unwrap();
    Jail { _temporary: temporary, inside, outside, user }
}

#[test]
fn dots_stop_at_the_sandboxs_root() {
    let jail = jail();
    let user = &jail.user;
    assert_eq!(user.read("/workspace/../outside/secret"), Err(Errno::NoEnt));
    assert_eq!(user.read("/workspace/../../../../workspace/file").as_deref(), Ok("inside"));
    assert_eq!(user.write("/workspace/../escaped", "x"), Ok(()));
    assert!(!jail.inside.parent().unwrap().join("escaped").exists());
    assert_eq!(user.rename("/workspace/file", "/workspace/../moved"), Err(Errno::XDev));
    assert_eq!(user.unlink("/workspace/../outside/secret"), Err(Errno::NoEnt));
}

#[test]
fn a_path_without_links_is_opened_without_links() {
    let temporary = tempfile::tempdir().unwrap();
    let top = fs::canonicalize(temporary.path()).unwrap();
    fs::create_dir_all(top.join("real/d")).unwrap();
    symlink("real", top.join("link")).unwrap();
    symlink("d", top.join("real/last")).unwrap();
    let open = |path: &str| {
        let path = top.join(path);
        HostDir::open_real(path, HostAccess::ReadWrite, &Arc::default(), HostBudget::default())
    };
    assert!(open("real/d").is_ok());
    for path in ["link/d", "real/last", "link"] {
        let OpenError::Host(error) = open(path).map(drop).unwrap_err() else { panic!("{path}") };
        assert!(error.to_string().contains("links lead from there to"), "{path}: {error}");
    }
}

#[test]
fn links_are_resolved_inside_the_sandbox() {
    let jail = jail();
    let (user, inside) = (&jail.user, &jail.inside);
    symlink(&jail.outside, inside.join("absolute")).unwrap();
    symlink("../outside", inside.join("relative")).unwrap();
    symlink("/etc/passwd", inside.join("passwd")).unwrap();
    symlink("/proc/self/root", inside.join("magic")).unwrap();
    fs::create_dir(inside.join("d")).unwrap();
    symlink("../../outside", inside.join("d/up")).unwrap();
    for path in ["absolute/secret", "relative/secret", "passwd", "magic/etc/passwd", "d/up/secret"] {
        let path = format!("/workspace/{path}");
        assert_eq!(user.read(&path), Err(Errno::NoEnt), "{path}");
        assert_eq!(user.stat(&path).map(drop), Err(Errno::NoEnt), "{path}");
        assert_eq!(user.chmod(&path, 0o777), Err(Errno::NoEnt), "{path}");
        assert_eq!(user.unlink(&format!("{path}/x")), Err(Errno::NoEnt), "{path}");
    }
    // They lead to the sandbox's own files, if those exist.
    user.mkdir("/etc").unwrap();
    user.write("/etc/passwd", "the sandbox's").unwrap();
    assert_eq!(user.read("/workspace/passwd").as_deref(), Ok("the sandbox's"));
    user.write("/workspace/passwd", "written").unwrap();
    assert_eq!(user.read("/etc/passwd").as_deref(), Ok("written"));
    user.mkdir("/outside").unwrap();
    user.write("/workspace/relative/new", "x").unwrap();
    assert_eq!(user.read("/outside/new").as_deref(), Ok("x"));
    assert!(!jail.outside.join("new").exists());
    assert_eq!(user.lstat("/workspace/absolute").unwrap().kind, FileKind::Symlink);
    // Links that the sandbox creates keep their text, and lead to the same files.
    user.symlink("/outside/new", "/workspace/made").unwrap();
    assert_eq!(fs::read_link(inside.join("made")).unwrap(), PathBuf::from("/outside/new"));
    assert_eq!(user.read("/workspace/made").as_deref(), Ok("x"));
}

#[test]
fn special_files_of_the_host_are_never_opened() {
    let jail = jail();
    let (user, inside) = (&jail.user, &jail.inside);
    let fifo = rustix::fs::Mode::from_raw_mode(0o666);
    rustix::fs::mknodat(rustix::fs::CWD, inside.join("fifo"), rustix::fs::FileType::Fifo, fifo, 0).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(inside.join("socket")).unwrap();
    let overlay = Overlay::new(Arc::new(HostDir::open(inside, HostAccess::ReadOnly).unwrap())).unwrap();
    user.namespace.mount(b"/overlay", Arc::new(overlay), MountOptions::default()).unwrap();
    let root = user.with(Context::ROOT);
    for view in [user, &root] {
        for path in ["/workspace/fifo", "/workspace/socket", "/overlay/fifo", "/overlay/socket"] {
            for how in [OpenOptions::READ, OpenOptions::WRITE] {
                let opened = view.namespace.open(&view.cx, &view.namespace.root(), path.as_bytes(), &how);
                assert_eq!(opened.map(drop), Err(Errno::NxIo), "{path}");
            }
        }
    }
    assert_eq!(user.stat("/workspace/fifo").unwrap().kind, FileKind::Fifo);
    assert_eq!(user.stat("/workspace/socket").unwrap().kind, FileKind::Socket);
    let device =
        root.namespace.make_device(&root.cx, &root.namespace.root(), b"/workspace/null", 0x103, 0o666);
    assert_eq!(device, Err(Errno::Perm));
}

#[test]
fn a_read_only_directory_is_not_changed() {
    let jail = jail();
    let host = Arc::new(HostDir::open(&jail.inside, HostAccess::ReadOnly).unwrap());
    let root = view(host, Context::ROOT);
    let time = Some(sandshell_vfs::SetTime::Now);
    for result in [
        root.write("/file", "x"),
        root.write("/new", "x"),
        root.mkdir("/d"),
        root.unlink("/file"),
        root.rename("/file", "/g"),
        root.link("/file", "/g"),
        root.symlink("x", "/l"),
        root.chmod("/file", 0o777),
        root.set("/file", sandshell_vfs::SetAttributes { mtime: time, ..Default::default() }),
    ] {
        assert_eq!(result, Err(Errno::RoFs));
    }
    let file = root.open("/file", OpenOptions::READ).unwrap();
    let mode = sandshell_vfs::SetAttributes { mode: Some(0), ..Default::default() };
    assert_eq!(file.set_attributes(&root.cx, &mode), Err(Errno::RoFs));
    assert_eq!(fs::read_to_string(jail.inside.join("file")).unwrap(), "inside");
}

/// One thread keeps replacing a directory with a link to the outside and back, while others use it in every possible
/// way.
#[test]
fn a_link_swapped_in_during_resolution_leads_nowhere() {
    let jail = jail();
    let (user, inside) = (&jail.user, &jail.inside);
    fs::create_dir(inside.join("d")).unwrap();
    fs::write(inside.join("d/secret"), "decoy").unwrap();
    symlink(&jail.outside, inside.join("link")).unwrap();
    // The number of running workers. A worker that panics is also counted down, so that the swapping ends.
    let workers = AtomicUsize::new(2);
    struct Leaves<'a>(&'a AtomicUsize);
    impl Drop for Leaves<'_> {
        fn drop(&mut self) {
            self.0.fetch_sub(1, Ordering::Relaxed);
        }
    }
    let (swaps, reads) = (AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while workers.load(Ordering::Relaxed) > 0 {
                // Exchanges the two names atomically.
                let (one, two) = (inside.join("d"), inside.join("link"));
                let exchange = rustix::fs::RenameFlags::EXCHANGE;
                rustix::fs::renameat_with(rustix::fs::CWD, &one, rustix::fs::CWD, &two, exchange).unwrap();
                swaps.fetch_add(1, Ordering::Relaxed);
            }
        });
        for worker in 0..2 {
            let (user, reads) = (user.with(if worker == 0 { Context::USER } else { Context::ROOT }), &reads);
            let leaves = Leaves(&workers);
            scope.spawn(move || {
                let _leaves = leaves;
                for round in 0..2000 {
                    match user.read("/workspace/d/secret") {
                        Ok(text) => {
                            assert_eq!(text, "decoy");
                            reads.fetch_add(1, Ordering::Relaxed);
                        }
                        Err(errno) => assert_eq!(errno, Errno::NoEnt),
                    }
                    let _ = user.stat("/workspace/d/../d/secret");
                    let _ = user.write(&format!("/workspace/d/new{worker}"), "x");
                    let _ = user.mkdir(&format!("/workspace/d/dir{worker}"));
                    let _ = user.list("/workspace/d");
                    let _ = user.chmod("/workspace/d/secret", 0o640 + round % 8);
                    let _ = user.rename("/workspace/file", "/workspace/d/file");
                    let _ = user.rename("/workspace/d/file", "/workspace/file");
                    let _ = user.rmdir(&format!("/workspace/d/dir{worker}"));
                }
            });
        }
    });
    assert!(reads.into_inner() > 0 && swaps.into_inner() > 100, "both sides had their turns");
    let outside: Vec<_> =
        fs::read_dir(&jail.outside).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(outside, ["secret"]);
    assert_eq!(fs::read_to_string(jail.outside.join("secret")).unwrap(), "host secret");
    let mode = std::os::unix::fs::PermissionsExt::mode(
        &fs::metadata(jail.outside.join("secret")).unwrap().permissions(),
    );
    assert_eq!(mode & 0o777, 0o644);
}

#[test]
#[should_panic(expected = "escape from")]
fn the_second_check_sees_a_file_outside() {
    let jail = jail();
    fs::create_dir(jail.inside.join("d")).unwrap();
    fs::write(jail.inside.join("d/f"), "").unwrap();
    let root = jail.user.namespace.root();
    let cx = Context::ROOT;
    let held = jail.user.namespace.resolve(&cx, &root, b"/workspace/d", sandshell_vfs::Follow::Yes).unwrap();
    // Moving a directory out of the root on the host gives its holder access to the outside. This shows that the check
    // works.
    fs::rename(jail.inside.join("d"), jail.outside.join("d")).unwrap();
    let opened: Result<Opened, Errno> = jail.user.namespace.open(&cx, &held, b"f", &OpenOptions::READ);
    drop(opened);
}
