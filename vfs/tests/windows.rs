//! What is different about a directory of a Windows host: what `docs/platforms.md` says of it.
#![cfg(windows)]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{View, view};
use sandshell_vfs::{
    Application, Context, Errno, FileKind, FileSystem, HostAccess, HostDir, Journals, OpenOptions, Overlay,
    RenameHow, Safeguards, SetAttributes, SetTime, Time, apply_together,
};
use std::fs;
use std::os::windows::fs::OpenOptionsExt;
use std::sync::Arc;

/// Names that mean something else than a file of that name.
const RESERVED: [&str; 16] = [
    "CON", "nul", "aux.txt", "Com1", "lpt9.x", "a:b", "a::$DATA", "a.", "a ", "a*", "a?", "a|b", "a<b",
    "a\"b", "a\\b", "C:",
];

/// A directory `inside` beside a file `outside`, and a sandbox that sees `inside`.
fn mounted() -> (tempfile::TempDir, View) {
    let top = tempfile::tempdir().unwrap();
    fs::create_dir(top.path().join("inside")).unwrap();
    fs::write(top.path().join("outside"), "host secret").unwrap();
    let host = HostDir::open(top.path().join("inside"), HostAccess::ReadWrite).unwrap();
    (top, view(Arc::new(host), Context::USER))
}

#[test]
fn reserved_names_do_not_exist_and_cannot_be_created() {
    let (top, user) = mounted();
    user.write("/a", "text").unwrap();
    user.mkdir("/d").unwrap();
    for name in RESERVED {
        for path in [format!("/{name}"), format!("/d/{name}")] {
            assert_eq!(user.stat(&path).map(drop), Err(Errno::NoEnt), "{path}");
            assert_eq!(user.read(&path), Err(Errno::NoEnt), "{path}");
            assert_eq!(user.unlink(&path), Err(Errno::NoEnt), "{path}");
            assert_eq!(user.write(&path, "x"), Err(Errno::Inval), "{path}");
            assert_eq!(user.mkdir(&path), Err(Errno::Inval), "{path}");
            assert_eq!(user.link("/a", &path), Err(Errno::Inval), "{path}");
            assert_eq!(user.rename("/a", &path), Err(Errno::Inval), "{path}");
        }
    }
    assert_eq!(user.list("/").unwrap(), ["a", "d"]);
    assert_eq!(fs::read_dir(top.path().join("inside/d")).unwrap().count(), 0);
    assert_eq!(user.read("/a").as_deref(), Ok("text"));
}

#[test]
fn no_spelling_of_a_path_leads_out() {
    let (top, user) = mounted();
    user.mkdir("/d").unwrap();
    let whole = top.path().join("outside").display().to_string();
    let spelled = [
        "/../outside".to_owned(),
        "/..\\outside".to_owned(),
        "/d/..\\..\\outside".to_owned(),
        "/d\\..\\..\\outside".to_owned(),
        "/.. /outside".to_owned(),
        "/.../outside".to_owned(),
        format!("/{whole}"),
        format!("/d/{}", whole.replace('\\', "/")),
        format!("/\\\\?\\{whole}"),
        format!("/\\??\\{whole}"),
    ];
    for path in &spelled {
        assert_eq!(user.read(path), Err(Errno::NoEnt), "{path}");
        assert!(user.write(path, "changed").is_err() || path == "/../outside", "{path}");
    }
    assert_eq!(fs::read_to_string(top.path().join("outside")).unwrap(), "host secret");
}

#[test]
fn everything_is_0755_or_read_only() {
    let (top, user) = mounted();
    user.write("/f", "text").unwrap();
    user.mkdir("/d").unwrap();
    for path in ["/f", "/d"] {
        let found = user.stat(path).unwrap();
        assert_eq!((found.mode, found.uid, found.gid), (0o755, 1000, 1000), "{path}");
        assert_eq!(user.chmod(path, 0o755), Ok(()));
        for mode in [0o644, 0o700, 0o1755, 0o4755, 0] {
            assert_eq!(user.chmod(path, mode), Err(Errno::Perm), "{path} {mode:o}");
        }
        let uid = Some(5);
        assert_eq!(
            user.with(Context::ROOT).set(path, SetAttributes { uid, ..Default::default() }),
            Err(Errno::Perm)
        );
    }
    user.chmod("/f", 0o555).unwrap();
    assert_eq!(user.stat("/f").unwrap().mode, 0o555);
    assert!(fs::metadata(top.path().join("inside/f")).unwrap().permissions().readonly());
    assert_eq!(user.write("/f", "changed"), Err(Errno::Acces));
    assert_eq!(user.read("/f").as_deref(), Ok("text"));
    user.chmod("/f", 0o755).unwrap();
    user.write("/f", "changed").unwrap();
    // A directory cannot be made read-only.
    assert_eq!(user.chmod("/d", 0o555), Err(Errno::Perm));
}

#[test]
fn a_read_only_file_can_be_replaced_and_removed() {
    let (_top, user) = mounted();
    for name in ["/f", "/g"] {
        user.write(name, "text").unwrap();
        user.chmod(name, 0o555).unwrap();
    }
    user.write("/new", "new").unwrap();
    user.rename("/new", "/g").unwrap();
    assert_eq!(user.read("/g").as_deref(), Ok("new"));
    user.unlink("/f").unwrap();
    assert_eq!(user.list("/").unwrap(), ["g"]);
}

#[test]
fn links_need_a_right_and_a_relative_target() {
    let (_top, user) = mounted();
    user.write("/f", "text").unwrap();
    user.mkdir("/d").unwrap();
    for target in ["/f", "C:\\f", "..\\outside", "a:b"] {
        assert_eq!(user.symlink(target, "/l"), Err(Errno::Perm), "{target}");
    }
    match user.symlink("d/../f", "/l") {
        Ok(()) => {
            assert_eq!(user.lstat("/l").unwrap().kind, FileKind::Symlink);
            assert_eq!(user.read("/l").as_deref(), Ok("text"));
            let root = user.namespace.root();
            assert_eq!(user.namespace.read_link(&user.cx, &root, b"/l").unwrap(), b"d/../f");
            user.symlink("../outside", "/out").unwrap();
            assert_eq!(user.read("/out"), Err(Errno::NoEnt), "a link does not lead out");
            user.unlink("/out").unwrap();
            user.unlink("/l").unwrap();
        }
        // This user lacks the right, or the host claims to have made the link (Wine).
        Err(errno) => assert!(matches!(errno, Errno::Perm | Errno::Inval), "{errno:?}"),
    }
    assert_eq!(user.list("/").unwrap(), ["d", "f"]);
    user.link("/f", "/second").unwrap();
    assert_eq!(user.stat("/f").unwrap().nlink, 2);
    assert_eq!(user.stat("/f").unwrap().key(), user.stat("/second").unwrap().key());
}

#[test]
fn times_are_steps_of_100_ns_from_1970_on() {
    let (_top, user) = mounted();
    user.write("/f", "").unwrap();
    user.mkdir("/d").unwrap();
    let at = |secs, nanos| SetAttributes {
        atime: Some(SetTime::At(Time { secs, nanos })),
        mtime: Some(SetTime::At(Time { secs, nanos })),
        ..Default::default()
    };
    let time = Time { secs: 1_234_567_890, nanos: 123_456_700 };
    for path in ["/f", "/d"] {
        user.set(path, at(time.secs, 123_456_789)).unwrap();
        let found = user.stat(path).unwrap();
        assert_eq!((found.atime, found.mtime), (time, time), "{path}");
        assert_eq!(user.set(path, at(-5, 0)), Err(Errno::Inval), "{path}");
    }
    let reading = user.open("/f", OpenOptions::READ).unwrap();
    reading.set_attributes(&user.cx, &at(7, 0)).unwrap();
    assert_eq!(user.stat("/f").unwrap().mtime, Time { secs: 7, nanos: 0 }, "an open file is enough");
    user.set("/f", SetAttributes { mtime: Some(SetTime::Now), ..Default::default() }).unwrap();
    assert!(user.stat("/f").unwrap().mtime.secs > time.secs);
}

#[test]
fn what_a_sandbox_has_open_can_be_renamed_and_removed_or_is_busy() {
    let (_top, user) = mounted();
    let allowed = |result: Result<(), Errno>| match result {
        Ok(()) => true,
        Err(Errno::Busy | Errno::Acces) => false,
        Err(errno) => panic!("{errno:?}"),
    };
    user.write("/f", "text").unwrap();
    user.mkdir("/d").unwrap();
    user.write("/d/inner", "inner").unwrap();
    let file = user.open("/f", OpenOptions { write: true, ..OpenOptions::READ }).unwrap();
    let moved = allowed(user.rename("/f", "/g"));
    assert_eq!(user.read(if moved { "/g" } else { "/f" }).as_deref(), Ok("text"));
    let at = if moved { "/g" } else { "/f" };
    user.write("/new", "new").unwrap();
    let replaced = allowed(user.rename("/new", at));
    assert_eq!(user.read(at).as_deref(), Ok(if replaced { "new" } else { "text" }));
    let mut bytes = [0; 9];
    assert_eq!(file.read_at(&mut bytes, 0), Ok(4), "the open file is the old one");
    assert_eq!(&bytes[..4], b"text");
    assert!(replaced || user.unlink("/new").is_ok());
    let gone = allowed(user.unlink(at));
    drop(file);
    assert!(gone || user.unlink(at).is_ok());
    assert_eq!(user.stat(at).map(drop), Err(Errno::NoEnt));
    let inner = user.open("/d/inner", OpenOptions::READ).unwrap();
    let directory = user.open("/d", OpenOptions { directory: true, ..OpenOptions::READ }).unwrap();
    let moved = allowed(user.rename("/d", "/e"));
    assert_eq!(user.read(if moved { "/e/inner" } else { "/d/inner" }).as_deref(), Ok("inner"));
    drop((inner, directory));
    let at = if moved { "/e" } else { "/d" };
    user.rename(at, "/last").unwrap();
    user.unlink("/last/inner").unwrap();
    user.rmdir("/last").unwrap();
    assert_eq!(user.list("/").unwrap(), [""; 0]);
}

#[test]
fn what_another_program_holds_is_busy() {
    let (top, user) = mounted();
    user.write("/f", "text").unwrap();
    user.write("/new", "new").unwrap();
    let path = top.path().join("inside/f");
    let held = fs::OpenOptions::new().read(true).share_mode(0).open(&path).unwrap();
    for result in [
        user.read("/f").map(drop),
        user.write("/f", "changed"),
        user.rename("/f", "/g"),
        user.rename("/new", "/f"),
        user.unlink("/f"),
    ] {
        assert!(matches!(result, Err(Errno::Busy | Errno::Acces)), "{result:?}");
    }
    assert_eq!(user.list("/").unwrap(), ["f", "new"], "it is still listed");
    drop(held);
    assert_eq!(user.read("/f").as_deref(), Ok("text"));
    user.rename("/new", "/f").unwrap();
    assert_eq!(user.read("/f").as_deref(), Ok("new"));
}

#[test]
fn names_cannot_be_exchanged() {
    let top = tempfile::tempdir().unwrap();
    let fs = HostDir::open(top.path(), HostAccess::ReadWrite).unwrap();
    for name in ["a", "b"] {
        fs::write(top.path().join(name), name).unwrap();
    }
    let root = fs.root();
    let as_how = |old: &[u8], new: &[u8], how| fs.rename_as((&root, old), (&root, new), how);
    assert_eq!(as_how(b"a", b"b", RenameHow::Exchange), Err(Errno::Inval));
    assert_eq!(as_how(b"a", b"b", RenameHow::Vacant), Err(Errno::Exist));
    assert_eq!(as_how(b"a", b"c", RenameHow::Vacant), Ok(()));
    assert_eq!(fs::read_to_string(top.path().join("c")).unwrap(), "a");
}

#[test]
fn an_overlay_has_none_of_these_limits() {
    let top = tempfile::tempdir().unwrap();
    fs::write(top.path().join("a"), "text").unwrap();
    let host = Arc::new(HostDir::open(top.path(), HostAccess::ReadOnly).unwrap());
    let overlay = Arc::new(Overlay::new(host).unwrap());
    let user = view(overlay, Context::USER);
    for name in RESERVED {
        user.write(&format!("/{name}"), name).unwrap();
        assert_eq!(user.read(&format!("/{name}")).as_deref(), Ok(name));
    }
    user.write("/A", "another").unwrap();
    assert_eq!(user.read("/a").as_deref(), Ok("text"));
    assert_eq!(user.read("/A").as_deref(), Ok("another"));
    user.chmod("/a", 0o640).unwrap();
    assert_eq!(user.stat("/a").unwrap().mode, 0o640);
    user.symlink("/a", "/l").unwrap();
    assert_eq!(user.read("/l").as_deref(), Ok("text"));
    let mtime = Some(SetTime::At(Time { secs: -5, nanos: 1 }));
    user.set("/a", SetAttributes { mtime, ..Default::default() }).unwrap();
    assert_eq!(user.stat("/a").unwrap().mtime, Time { secs: -5, nanos: 1 });
    assert_eq!(fs::read_dir(top.path()).unwrap().count(), 1, "nothing of it is on the host");
}

#[test]
fn changes_are_applied_or_refused_as_a_whole() {
    let top = tempfile::tempdir().unwrap();
    let path = top.path();
    fs::create_dir(path.join("gone")).unwrap();
    for name in ["edit", "remove", "gone/a"] {
        fs::write(path.join(name), "old").unwrap();
    }
    let over = || {
        let host = Arc::new(HostDir::open(path, HostAccess::ReadOnly).unwrap());
        let overlay = Arc::new(Overlay::new(host).unwrap());
        (overlay.clone(), view(overlay, Context::USER))
    };
    let state = tempfile::tempdir().unwrap();
    let journals = Journals::open(state.path().join("apply")).unwrap();
    let apply = |overlay: &Overlay| {
        let target = Arc::new(HostDir::open(path, HostAccess::ReadWrite).unwrap());
        let one = Application { overlay, target, root: path.canonicalize().unwrap() };
        let applied = apply_together(&[one], Safeguards { journals: Some(&journals) });
        assert_eq!(fs::read_dir(journals.directory()).unwrap().count(), 0, "no journal is left");
        applied.map(drop).map_err(|(_, error)| error)
    };
    let change = |user: &View| {
        user.write("/edit", "new").unwrap();
        user.unlink("/remove").unwrap();
        user.unlink("/gone/a").unwrap();
        user.rmdir("/gone").unwrap();
        user.mkdir("/fresh").unwrap();
        user.write("/fresh/f", "fresh").unwrap();
    };
    let (overlay, user) = over();
    change(&user);
    user.write("/fresh/aux.txt", "").unwrap();
    apply(&overlay).unwrap_err();
    drop((overlay, user));
    assert_eq!(fs::read_to_string(path.join("edit")).unwrap(), "old");
    let mut names: Vec<_> = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["edit", "gone", "remove"], "nothing was applied");
    let (overlay, user) = over();
    change(&user);
    apply(&overlay).unwrap();
    assert_eq!(overlay.diff().unwrap(), []);
    assert_eq!(fs::read_to_string(path.join("edit")).unwrap(), "new");
    assert_eq!(fs::read_to_string(path.join("fresh/f")).unwrap(), "fresh");
    assert!(!path.join("gone").exists() && !path.join("remove").exists());
}
