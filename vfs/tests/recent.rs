//! The cache of recently used host directories: changes by the sandbox take effect at once, changes by others soon, and
//! nothing outside can be reached.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{View, view};
use sandshell_vfs::{
    Context, Errno, FileKind, Follow, HostAccess, HostDir, MemoryFs, MountOptions, OpenOptions, Opened,
};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Longer than any tick of the clock.
const TICKS: Duration = Duration::from_millis(50);

fn mounted() -> (tempfile::TempDir, PathBuf, View) {
    let temporary = tempfile::tempdir().unwrap();
    let inside = temporary.path().join("inside");
    fs::create_dir_all(inside.join("a/b/c")).unwrap();
    fs::write(inside.join("a/b/c/file"), "deep").unwrap();
    fs::create_dir(temporary.path().join("outside")).unwrap();
    fs::write(temporary.path().join("outside/file"), "host secret").unwrap();
    let user = view(Arc::new(MemoryFs::new()), Context::USER);
    let host = Arc::new(HostDir::open(&inside, HostAccess::ReadWrite).unwrap());
    user.namespace.mount(b"/workspace", host, MountOptions::default()).unwrap();
    (temporary, inside, user)
}

#[test]
fn own_changes_take_effect_at_once() {
    let (_temporary, _inside, user) = mounted();
    for _ in 0..50 {
        assert_eq!(user.read("/workspace/a/b/c/file").as_deref(), Ok("deep"));
        user.rename("/workspace/a/b", "/workspace/a/x").unwrap();
        assert_eq!(user.read("/workspace/a/b/c/file"), Err(Errno::NoEnt));
        assert_eq!(user.stat("/workspace/a/b/c").map(drop), Err(Errno::NoEnt));
        assert_eq!(user.read("/workspace/a/x/c/file").as_deref(), Ok("deep"));
        user.rename("/workspace/a/x", "/workspace/a/b").unwrap();
    }
    user.mkdir("/workspace/a/e").unwrap();
    assert_eq!(user.stat("/workspace/a/e").unwrap().kind, FileKind::Directory);
    assert_eq!(user.read("/workspace/a/e/file"), Err(Errno::NoEnt));
    user.namespace.remove_dir(&user.cx, &user.namespace.root(), b"/workspace/a/e").unwrap();
    user.write("/workspace/a/e", "now a file").unwrap();
    assert_eq!(user.read("/workspace/a/e/file"), Err(Errno::NotDir));
    assert_eq!(user.read("/workspace/a/e").as_deref(), Ok("now a file"));
}

#[test]
fn a_relative_path_is_as_current_as_an_absolute_one() {
    let (_temporary, inside, user) = mounted();
    let (namespace, root) = (&user.namespace, user.namespace.root());
    let base = namespace.resolve(&user.cx, &root, b"/workspace", Follow::Yes).unwrap();
    let read_as =
        |cx: &Context, path: &str| match namespace.open(cx, &base, path.as_bytes(), &OpenOptions::READ)? {
            Opened::File { file, .. } => {
                let mut text = [0; 16];
                let length = file.read_at(&mut text, 0)?;
                Ok(String::from_utf8_lossy(&text[..length]).into_owned())
            }
            _ => Err(Errno::IsDir),
        };
    let read = |path: &str| read_as(&user.cx, path);
    for _ in 0..50 {
        for path in ["a/b/c/file", "a/b/c/file", "a/b//c/file", "a/./b/c/file", "a/b/c/../c/file"] {
            assert_eq!(read(path).as_deref(), Ok("deep"), "{path}");
        }
        assert_eq!(read("a/b/c/file/x"), Err(Errno::NotDir));
        assert_eq!(read("a/b/d/file"), Err(Errno::NoEnt));
        user.rename("/workspace/a/b", "/workspace/a/x").unwrap();
        assert_eq!(read("a/b/c/file"), Err(Errno::NoEnt));
        assert_eq!(read("a/x/c/file").as_deref(), Ok("deep"));
        user.rename("/workspace/a/x", "/workspace/a/b").unwrap();
        assert_eq!(read("a/b/c/file").as_deref(), Ok("deep"));
        user.chmod("/workspace/a", 0o600).unwrap();
        assert_eq!(read("a/b/c/file"), Err(Errno::Acces));
        user.chmod("/workspace/a", 0o700).unwrap();
        assert_eq!(read("a/b/c/file").as_deref(), Ok("deep"));
        assert_eq!(read_as(&Context { uid: 7, gid: 7, pid: 0 }, "a/b/c/file"), Err(Errno::Acces));
    }
    assert_eq!(read("a/b/c/file").as_deref(), Ok("deep"));
    let other = Arc::new(MemoryFs::new());
    namespace.mount(b"/workspace/a/b/c", other, MountOptions::default()).unwrap();
    assert_eq!(read("a/b/c/file"), Err(Errno::NoEnt), "something is mounted there now");
    namespace.unmount(b"/workspace/a/b/c").unwrap();
    assert_eq!(read("a/b/c/file").as_deref(), Ok("deep"));
    fs::rename(inside.join("a/b"), inside.join("a/x")).unwrap();
    sleep(TICKS);
    assert_eq!(read("a/b/c/file"), Err(Errno::NoEnt));
}

#[test]
fn one_name_before_a_file_is_as_current_as_many() {
    let (_temporary, inside, user) = mounted();
    let (namespace, root) = (&user.namespace, user.namespace.root());
    let base = namespace.resolve(&user.cx, &root, b"/workspace/a/b", Follow::Yes).unwrap();
    let stat_as = |cx: &Context, path: &str| {
        namespace.metadata(cx, &base, path.as_bytes(), Follow::No).map(|metadata| metadata.kind)
    };
    let stat = |path: &str| stat_as(&user.cx, path);
    for _ in 0..50 {
        for path in ["c/file", "c/file", "c//file", "./c/file", "c/../c/file"] {
            assert_eq!(stat(path), Ok(FileKind::Regular), "{path}");
        }
        assert_eq!(stat("c/"), Ok(FileKind::Directory));
        assert_eq!(stat("c/file/x"), Err(Errno::NotDir));
        user.rename("/workspace/a/b/c", "/workspace/a/b/x").unwrap();
        assert_eq!(stat("c/file"), Err(Errno::NoEnt));
        assert_eq!(stat("x/file"), Ok(FileKind::Regular));
        user.rename("/workspace/a/b/x", "/workspace/a/b/c").unwrap();
        assert_eq!(stat("c/file"), Ok(FileKind::Regular));
        user.chmod("/workspace/a/b", 0o600).unwrap();
        assert_eq!(stat("c/file"), Err(Errno::Acces));
        user.chmod("/workspace/a/b", 0o700).unwrap();
        assert_eq!(stat("c/file"), Ok(FileKind::Regular));
        assert_eq!(stat_as(&Context { uid: 7, gid: 7, pid: 0 }, "c/file"), Err(Errno::Acces));
        user.mkdir("/workspace/a/b/e").unwrap();
        assert_eq!(stat("e/file"), Err(Errno::NoEnt));
        namespace.remove_dir(&user.cx, &base, b"e").unwrap();
        user.write("/workspace/a/b/e", "now a file").unwrap();
        assert_eq!(stat("e/file"), Err(Errno::NotDir));
        namespace.unlink(&user.cx, &base, b"e").unwrap();
    }
    namespace.mount(b"/workspace/a/b/c", Arc::new(MemoryFs::new()), MountOptions::default()).unwrap();
    assert_eq!(stat("c/file"), Err(Errno::NoEnt), "something is mounted there now");
    namespace.unmount(b"/workspace/a/b/c").unwrap();
    assert_eq!(stat("c/file"), Ok(FileKind::Regular));
    fs::rename(inside.join("a/b/c"), inside.join("a/b/x")).unwrap();
    sleep(TICKS);
    assert_eq!(stat("c/file"), Err(Errno::NoEnt));
}

#[test]
fn a_removed_permission_takes_effect_at_once() {
    let (_temporary, inside, user) = mounted();
    for _ in 0..20 {
        assert_eq!(user.read("/workspace/a/b/c/file").as_deref(), Ok("deep"));
        user.chmod("/workspace/a", 0o600).unwrap();
        assert_eq!(user.read("/workspace/a/b/c/file"), Err(Errno::Acces));
        assert_eq!(user.stat("/workspace/a/b/c/file").map(drop), Err(Errno::Acces));
        user.chmod("/workspace/a", 0o755).unwrap();
    }
    // A change by another program of the host takes effect from the next tick on.
    assert_eq!(user.read("/workspace/a/b/c/file").as_deref(), Ok("deep"));
    fs::set_permissions(inside.join("a/b"), fs::Permissions::from_mode(0o600)).unwrap();
    sleep(TICKS);
    assert_eq!(user.read("/workspace/a/b/c/file"), Err(Errno::Acces));
    fs::set_permissions(inside.join("a/b"), fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn renames_by_others_take_effect_soon() {
    let (_temporary, inside, user) = mounted();
    assert_eq!(user.read("/workspace/a/b/c/file").as_deref(), Ok("deep"));
    fs::rename(inside.join("a/b"), inside.join("a/x")).unwrap();
    sleep(TICKS);
    assert_eq!(user.read("/workspace/a/b/c/file"), Err(Errno::NoEnt));
    assert_eq!(user.read("/workspace/a/x/c/file").as_deref(), Ok("deep"));
}

#[test]
fn a_link_in_the_place_of_a_directory_leads_nowhere() {
    let (temporary, inside, user) = mounted();
    let end = Instant::now() + Duration::from_millis(300);
    while Instant::now() < end {
        let _ = user.read("/workspace/a/b/c/file");
        fs::rename(inside.join("a/b/c"), inside.join("a/b/kept")).unwrap();
        symlink(temporary.path().join("outside"), inside.join("a/b/c")).unwrap();
        for _ in 0..5 {
            let found = user.read("/workspace/a/b/c/file");
            assert!(matches!(found.as_deref(), Err(Errno::NoEnt) | Ok("deep")), "{found:?}");
        }
        fs::remove_file(inside.join("a/b/c")).unwrap();
        fs::rename(inside.join("a/b/kept"), inside.join("a/b/c")).unwrap();
    }
}

#[test]
fn only_regular_files_are_opened_directly() {
    let (_temporary, inside, user) = mounted();
    symlink("c/file", inside.join("a/b/link")).unwrap();
    symlink("nowhere", inside.join("a/b/dangling")).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        inside.join("a/b/pipe"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o644),
        0,
    )
    .unwrap();
    assert_eq!(user.read("/workspace/a/b/link").as_deref(), Ok("deep"));
    assert_eq!(user.read("/workspace/a/b/dangling"), Err(Errno::NoEnt));
    assert_eq!(user.read("/workspace/a/b/pipe"), Err(Errno::NxIo));
    assert_eq!(user.read("/workspace/a/b/c").map(drop), Err(Errno::IsDir));
    assert_eq!(user.read("/workspace/a/b/c/file/x"), Err(Errno::NotDir));
    assert_eq!(user.read("/workspace/a/b/c/file/"), Err(Errno::NotDir));
    user.chmod("/workspace/a/b/c/file", 0o200).unwrap();
    assert_eq!(user.read("/workspace/a/b/c/file"), Err(Errno::Acces));
}

#[test]
fn what_was_listed_is_looked_at_again_when_it_is_opened() {
    let (temporary, inside, user) = mounted();
    let file = inside.join("a/b/c/file");
    let outside = temporary.path().join("outside/file");
    let pipe = |path: &PathBuf| {
        let mode = rustix::fs::Mode::from_raw_mode(0o644);
        rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    };
    let renew = || {
        let _ = fs::remove_dir(&file);
        let _ = fs::remove_file(&file);
        fs::write(&file, "deep").unwrap();
        assert_eq!(user.list("/workspace/a/b/c").unwrap(), ["file"]);
        assert_eq!(user.read("/workspace/a/b/c/file").as_deref(), Ok("deep"));
    };
    let read = || user.read("/workspace/a/b/c/file");
    for _ in 0..20 {
        renew();
        fs::remove_file(&file).unwrap();
        assert_eq!(read(), Err(Errno::NoEnt));
        fs::write(&file, "new").unwrap();
        assert_eq!(read().as_deref(), Ok("new"));
        fs::set_permissions(&file, fs::Permissions::from_mode(0o200)).unwrap();
        assert_eq!(read(), Err(Errno::Acces));

        renew();
        fs::remove_file(&file).unwrap();
        symlink(&outside, &file).unwrap();
        assert_eq!(read(), Err(Errno::NoEnt));

        renew();
        fs::remove_file(&file).unwrap();
        pipe(&file);
        assert_eq!(read(), Err(Errno::NxIo));

        renew();
        fs::remove_file(&file).unwrap();
        fs::create_dir(&file).unwrap();
        assert_eq!(read(), Err(Errno::IsDir));
        fs::remove_dir(&file).unwrap();

        // What the sandbox itself puts there.
        renew();
        pipe(&inside.join("a/pipe"));
        user.rename("/workspace/a/pipe", "/workspace/a/b/c/file").unwrap();
        assert_eq!(read(), Err(Errno::NxIo));
    }
}

#[test]
fn a_directory_that_was_listed_has_its_present_attributes() {
    let (_temporary, inside, user) = mounted();
    for count in 3..20 {
        user.list("/workspace/a/b").unwrap();
        assert_eq!(user.read("/workspace/a/b/c/file").as_deref(), Ok("deep"));
        assert_eq!(user.stat("/workspace/a/b").unwrap().nlink, count);
        user.list("/workspace/a/b").unwrap();
        fs::create_dir(inside.join(format!("a/b/n{count}"))).unwrap();
        assert_eq!(user.stat("/workspace/a/b").unwrap().nlink, count + 1);
    }
}
