//! Behaviour that all filesystems share. The random comparison with the kernel (`property.rs`) covers the ordinary
//! rules; these tests cover permissions, open files, unusual paths and mounts.
#![cfg(any(target_os = "linux", windows))]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{Kind, View, every_kind, view};
use sandshell_vfs::{
    Context, Errno, FileKind, Follow, MemoryFs, MountOptions, OpenOptions, Opened, SetAttributes, SetTime,
    Time,
};
#[cfg(unix)]
use sandshell_vfs::{FileSystem, HostAccess, HostDir};
#[cfg(unix)]
use std::fs::Permissions;
#[cfg(unix)]
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;

const OTHER: Context = Context { uid: 2000, gid: 2000, pid: 0 };

/// Every kind that follows POSIX in all respects.
fn each_posix(test: impl Fn(&Kind, View)) {
    each(|kind, user| {
        if kind.posix {
            test(kind, user);
        }
    });
}

#[allow(clippy::print_stdout, reason = "the kind at hand, where a test fails")]
fn each(test: impl Fn(&Kind, View)) {
    for kind in every_kind() {
        println!("{}", kind.name);
        let user = view(Arc::clone(&kind.fs), Context::USER);
        test(&kind, user);
    }
}

#[test]
fn mode_bits_hold_for_a_user_and_not_for_the_superuser() {
    each_posix(|_, user| {
        let (root, other) = (user.with(Context::ROOT), user.with(OTHER));
        user.mkdir("/d").unwrap();
        user.write("/d/f", "text").unwrap();
        for (mode, read, write) in
            [(0o644, true, true), (0o444, true, false), (0o200, false, true), (0, false, false)]
        {
            user.chmod("/d/f", mode).unwrap();
            let expected = |allowed| if allowed { Ok(()) } else { Err(Errno::Acces) };
            assert_eq!(user.read("/d/f").map(drop), expected(read), "{mode:o}");
            assert_eq!(user.access("/d/f", 4), expected(read));
            assert_eq!(user.access("/d/f", 2), expected(write));
            let how = OpenOptions { read: false, write: true, ..OpenOptions::READ };
            assert_eq!(user.open("/d/f", how).map(drop), expected(write), "{mode:o}");
            assert_eq!(root.read("/d/f").as_deref(), Ok("text"));
        }
        user.chmod("/d/f", 0o704).unwrap();
        assert_eq!(other.read("/d/f").as_deref(), Ok("text"), "others have their own bits");
        assert_eq!(other.access("/d/f", 2), Err(Errno::Acces));
        assert_eq!(other.chmod("/d/f", 0o777), Err(Errno::Perm));
        user.chmod("/d/f", 0o644).unwrap();
        // A directory without search permission hides what is in it; without read permission only its names.
        user.chmod("/d", 0o600).unwrap();
        for result in
            [user.stat("/d/f").map(drop), user.stat("/d/./f").map(drop), user.stat("/d/missing").map(drop)]
        {
            assert_eq!(result, Err(Errno::Acces));
        }
        assert_eq!(user.stat("/d/..").map(drop), Err(Errno::Acces));
        user.list("/d").unwrap();
        user.chmod("/d", 0o300).unwrap();
        assert_eq!(user.list("/d").map(drop), Err(Errno::Acces));
        user.read("/d/f").unwrap();
        user.write("/d/new", "").unwrap();
        // Without write permission no name can be added or removed.
        user.chmod("/d", 0o500).unwrap();
        assert_eq!(user.write("/d/newer", ""), Err(Errno::Acces));
        assert_eq!(user.unlink("/d/f"), Err(Errno::Acces));
        assert_eq!(user.rename("/d/f", "/d/g"), Err(Errno::Acces));
        assert_eq!(user.mkdir("/d/sub"), Err(Errno::Acces));
        assert_eq!(user.mkdir("/d/f"), Err(Errno::Exist), "existence is found first");
        assert_eq!(user.write("/d/f", "changed"), Ok(()), "contents are the file's own affair");
        assert_eq!(root.unlink("/d/new"), Ok(()));
        assert_eq!(root.access("/d/f", 1), Err(Errno::Acces), "nobody executes what is executable for none");
    });
}

#[test]
fn a_new_mode_of_a_directory_takes_effect_at_once() {
    each_posix(|kind, user| {
        user.mkdir("/d").unwrap();
        user.write("/d/f", "").unwrap();
        let directory = kind.fs.walk(&Context::USER, &kind.fs.root(), &[b"d"], &[]).unwrap().node;
        let find = || kind.fs.walk(&Context::USER, &directory, &[b"f"], &[]).map(drop);
        for _ in 0..200 {
            user.chmod("/d", 0o600).unwrap();
            assert_eq!(find(), Err(Errno::Acces));
            user.chmod("/d", 0o700).unwrap();
            assert_eq!(find(), Ok(()));
        }
    });
}

#[cfg(unix)]
#[test]
fn mode_changes_by_the_host_take_effect_by_the_next_tick() {
    let host = tempfile::tempdir().unwrap();
    std::fs::write(host.path().join("f"), "").unwrap();
    let fs = HostDir::open(host.path(), HostAccess::ReadOnly).unwrap();
    let (root, set) =
        (fs.root(), |mode| std::fs::set_permissions(host.path(), Permissions::from_mode(mode)).unwrap());
    let find = || fs.walk(&Context::USER, &root, &[b"f"], &[]).map(drop);
    for (mode, expected) in [(0o600, Err(Errno::Acces)), (0o700, Ok(())), (0o600, Err(Errno::Acces))] {
        set(mode);
        // Wait until it takes effect, at the latest at the next tick of the clock. Otherwise the test does not end.
        while find() != expected {}
    }
    set(0o700);
}

#[test]
fn a_created_file_is_open_whatever_its_mode() {
    each_posix(|_, user| {
        let how = OpenOptions { read: true, mode: 0, exclusive: true, ..OpenOptions::WRITE };
        let file = user.open("/f", how).unwrap();
        assert_eq!(file.write_at(b"abc", 0), Ok(3));
        let mut buf = [0; 4];
        assert_eq!(file.read_at(&mut buf, 1), Ok(2));
        assert_eq!(user.read("/f"), Err(Errno::Acces));
        assert_eq!(user.stat("/f").unwrap().mode, 0);
    });
}

#[test]
fn the_sticky_bit_protects_others_files() {
    each(|kind, user| {
        if !kind.owners {
            return;
        }
        let (root, other) = (user.with(Context::ROOT), user.with(OTHER));
        root.mkdir("/tmp").unwrap();
        root.chmod("/tmp", 0o1777).unwrap();
        other.write("/tmp/f", "").unwrap();
        other.mkdir("/tmp/d").unwrap();
        user.write("/tmp/mine", "").unwrap();
        assert_eq!(user.unlink("/tmp/f"), Err(Errno::Perm));
        assert_eq!(user.rmdir("/tmp/d"), Err(Errno::Perm));
        assert_eq!(user.rename("/tmp/f", "/tmp/g"), Err(Errno::Perm));
        assert_eq!(user.rename("/tmp/mine", "/tmp/f"), Err(Errno::Perm));
        assert_eq!(other.unlink("/tmp/f"), Ok(()));
        assert_eq!(root.rmdir("/tmp/d"), Ok(()));
    });
}

#[test]
fn owners_and_set_id_bits_follow_posix() {
    each(|kind, user| {
        if !kind.owners {
            let uid = Some(5);
            user.write("/f", "").unwrap();
            let root = user.with(Context::ROOT);
            assert_eq!(root.set("/f", SetAttributes { uid, ..Default::default() }), Err(Errno::Perm));
            assert_eq!(user.stat("/f").unwrap().uid, 1000);
            return;
        }
        let root = user.with(Context::ROOT);
        user.write("/f", "abc").unwrap();
        let uid = Some(5);
        assert_eq!(user.set("/f", SetAttributes { uid, ..Default::default() }), Err(Errno::Perm));
        user.chmod("/f", 0o6755).unwrap();
        root.set("/f", SetAttributes { uid, ..Default::default() }).unwrap();
        let found = user.stat("/f").unwrap();
        assert_eq!((found.uid, found.mode), (5, 0o755), "chown takes the set-id bits away");
        root.set("/f", SetAttributes { uid: Some(1000), mode: Some(0o4777), ..Default::default() }).unwrap();
        let file = user.open("/f", OpenOptions { read: false, write: true, ..OpenOptions::READ }).unwrap();
        file.write_at(b"x", 0).unwrap();
        assert_eq!(user.stat("/f").unwrap().mode, 0o777, "writing too");
        user.mkdir("/shared").unwrap();
        root.set("/shared", SetAttributes { gid: Some(50), mode: Some(0o2777), ..Default::default() })
            .unwrap();
        user.mkdir("/shared/sub").unwrap();
        let sub = user.stat("/shared/sub").unwrap();
        assert_eq!(
            (sub.gid, sub.mode & 0o2000),
            (50, 0o2000),
            "a set-group-ID directory hands its group down"
        );
    });
}

#[test]
fn times_are_set_by_their_owner() {
    each_posix(|_, user| {
        user.write("/f", "").unwrap();
        user.chmod("/f", 0o666).unwrap();
        let at = |secs| Some(SetTime::At(Time { secs, nanos: 123_456_789 }));
        user.set("/f", SetAttributes { atime: at(-5), mtime: at(7), ..Default::default() }).unwrap();
        let found = user.stat("/f").unwrap();
        assert_eq!(found.atime, Time { secs: -5, nanos: 123_456_789 });
        assert_eq!(found.mtime, Time { secs: 7, nanos: 123_456_789 });
        assert!(found.ctime.secs > 1_000_000);
        let other = user.with(OTHER);
        assert_eq!(other.set("/f", SetAttributes { mtime: at(9), ..Default::default() }), Err(Errno::Perm));
        let now = Some(SetTime::Now);
        assert_eq!(other.set("/f", SetAttributes { atime: now, mtime: now, ..Default::default() }), Ok(()));
        assert!(user.stat("/f").unwrap().mtime.secs > 1_000_000);
        user.chmod("/f", 0o644).unwrap();
        assert_eq!(
            other.set("/f", SetAttributes { atime: now, mtime: now, ..Default::default() }),
            Err(Errno::Acces)
        );
    });
}

#[test]
fn a_removed_file_lives_while_it_is_open() {
    each_posix(|_, user| {
        user.write("/f", "old").unwrap();
        let file = user.open("/f", OpenOptions { write: true, ..OpenOptions::READ }).unwrap();
        user.write("/g", "new").unwrap();
        user.rename("/g", "/f").unwrap();
        assert_eq!(user.read("/f").as_deref(), Ok("new"));
        assert_eq!(file.write_at(b"!", 3), Ok(1));
        let mut buf = [0; 9];
        assert_eq!(file.read_at(&mut buf, 0), Ok(4));
        assert_eq!(&buf[..4], b"old!");
        assert_eq!(file.metadata().unwrap().nlink, 0);
        user.unlink("/f").unwrap();
        assert_eq!(user.stat("/f").map(drop), Err(Errno::NoEnt));
        assert_eq!(file.append(b"??"), Ok(6));
    });
}

#[test]
fn a_location_stays_with_its_directory() {
    each_posix(|_, user| {
        user.mkdir("/a").unwrap();
        user.mkdir("/a/cwd").unwrap();
        let root = user.namespace.root();
        let cwd = user.namespace.resolve(&user.cx, &root, b"/a/cwd", Follow::Yes).unwrap();
        user.rename("/a", "/b").unwrap();
        assert_eq!(user.namespace.absolute_path(&cwd).as_deref(), Ok(b"/b/cwd".as_slice()));
        user.namespace.create_dir(&user.cx, &cwd, b"../sibling", 0o755).unwrap();
        assert_eq!(user.list("/b").unwrap(), ["cwd", "sibling"]);
        user.rmdir("/b/cwd").unwrap();
        assert_eq!(user.namespace.absolute_path(&cwd), Err(Errno::NoEnt));
        assert_eq!(user.namespace.create_dir(&user.cx, &cwd, b"x", 0o755), Err(Errno::NoEnt));
        assert_eq!(user.namespace.absolute_path(&root).as_deref(), Ok(b"/".as_slice()));
        user.write("/b/file", "").unwrap();
        let file = user.namespace.resolve(&user.cx, &root, b"/b/file", Follow::Yes).unwrap();
        assert_eq!(user.namespace.absolute_path(&file).as_deref(), Ok(b"/b/file".as_slice()));
    });
}

#[test]
fn odd_paths_have_the_kernels_answers() {
    each_posix(|_, user| {
        user.mkdir("/d").unwrap();
        user.write("/f", "").unwrap();
        user.symlink("d", "/to-d").unwrap();
        user.symlink("f", "/to-f").unwrap();
        user.symlink("nowhere", "/dangling").unwrap();
        user.symlink("self", "/self").unwrap();
        let long = "n".repeat(256);
        assert_eq!(user.stat("").map(drop), Err(Errno::NoEnt));
        assert_eq!(user.stat("/f\0").map(drop), Err(Errno::Inval));
        assert_eq!(user.stat(&long).map(drop), Err(Errno::NameTooLong));
        assert_eq!(user.mkdir(&long), Err(Errno::NameTooLong));
        assert_eq!(user.stat(&format!("/f/{long}")).map(drop), Err(Errno::NotDir));
        assert_eq!(user.stat(&"/".repeat(4096)).map(drop), Err(Errno::NameTooLong));
        assert_eq!(user.stat(&"/".repeat(4095)).map(|found| found.kind), Ok(FileKind::Directory));
        assert_eq!(user.mkdir(&long[..255]), Ok(()));
        for path in ["/f/", "/to-f/", "/f/.", "/f/..", "/f/x"] {
            assert_eq!(user.stat(path).map(drop), Err(Errno::NotDir), "{path}");
        }
        assert_eq!(user.stat("/nowhere/..").map(drop), Err(Errno::NoEnt));
        assert_eq!(user.lstat("/to-d/").map(|found| found.kind), Ok(FileKind::Directory));
        assert_eq!(user.lstat("/to-d").map(|found| found.kind), Ok(FileKind::Symlink));
        assert_eq!(user.stat("/self").map(drop), Err(Errno::Loop));
        assert_eq!(user.stat("/../../d/../d").map(|found| found.kind), Ok(FileKind::Directory));
        // Creation through links, and with nofollow.
        assert_eq!(user.mkdir("/dangling"), Err(Errno::Exist));
        let exclusive = OpenOptions { exclusive: true, ..OpenOptions::WRITE };
        assert_eq!(user.open("/dangling", exclusive).map(drop), Err(Errno::Exist));
        let nofollow = OpenOptions { nofollow: true, ..OpenOptions::READ };
        assert_eq!(user.open("/to-f", nofollow).map(drop), Err(Errno::Loop));
        assert_eq!(
            user.open("/to-d", OpenOptions { directory: true, ..nofollow }).map(drop),
            Err(Errno::NotDir)
        );
        assert_eq!(user.open("/d", OpenOptions::WRITE).map(drop), Err(Errno::IsDir));
        assert_eq!(user.open("/new/", OpenOptions::WRITE).map(drop), Err(Errno::IsDir));
        user.write("/dangling", "made").unwrap();
        assert_eq!(user.read("/nowhere").as_deref(), Ok("made"));
        // The root and dots.
        assert_eq!(user.rmdir("/"), Err(Errno::Busy));
        assert_eq!(user.rmdir("/d/."), Err(Errno::Inval));
        assert_eq!(user.rmdir("/d/.."), Err(Errno::NotEmpty));
        assert_eq!(user.unlink("/"), Err(Errno::IsDir));
        assert_eq!(user.rename("/d", "/d/.."), Err(Errno::Busy));
        assert_eq!(user.rename("/d", "/d/x"), Err(Errno::Inval));
        assert_eq!(user.mkdir("/"), Err(Errno::Exist));
    });
}

#[test]
fn forty_links_are_followed_and_no_more() {
    each_posix(|_, user| {
        user.write("/f", "end").unwrap();
        user.symlink("f", "/1").unwrap();
        for number in 2..=41 {
            user.symlink(&(number - 1).to_string(), &format!("/{number}")).unwrap();
        }
        assert_eq!(user.read("/40").as_deref(), Ok("end"));
        assert_eq!(user.read("/41"), Err(Errno::Loop));
        assert_eq!(user.write("/41", ""), Err(Errno::Loop));
    });
}

#[test]
fn a_scan_is_sorted_and_stable() {
    each(|_, user| {
        user.mkdir("/d").unwrap();
        let mut names: Vec<String> = (0..1000).map(|number| format!("n{number}")).collect();
        for name in &names {
            user.write(&format!("/d/{name}"), "").unwrap();
        }
        names.sort();
        assert_eq!(user.list("/d").unwrap(), names);
        let directory = user.open("/d", OpenOptions { directory: true, ..OpenOptions::READ }).unwrap();
        let mut seen = Vec::new();
        let mut cursor = 0;
        loop {
            let batch = directory.read_dir(&user.cx, cursor).unwrap();
            let Some(last) = batch.last() else { break };
            cursor = last.next;
            for entry in batch {
                let name = String::from_utf8(entry.name.to_vec()).unwrap();
                user.unlink(&format!("/d/{name}")).unwrap();
                seen.push(name);
            }
        }
        assert_eq!(seen, names, "removing while scanning misses nothing");
        assert_eq!(directory.read_dir(&user.cx, 0).unwrap(), [], "from the start again, it is empty");
        user.rmdir("/d").unwrap();
    });
}

#[test]
fn large_and_sparse_files_read_back() {
    each(|kind, user| {
        let file = user.open("/f", OpenOptions { read: true, ..OpenOptions::WRITE }).unwrap();
        let piece: Vec<u8> = (0..100_000_u32).map(|number| (number % 251) as u8).collect();
        let mut end = 0;
        for _ in 0..20 {
            end = file.append(&piece).unwrap();
        }
        assert_eq!(end, 2_000_000);
        file.write_at(b"far", 10_000_000).unwrap();
        let mut all = vec![1; 10_000_010];
        assert_eq!(file.read_at(&mut all, 0), Ok(10_000_003));
        assert!(all[..2_000_000].chunks(100_000).all(|part| part == piece));
        assert!(all[2_000_000..10_000_000].iter().all(|byte| *byte == 0));
        let found = file.metadata().unwrap();
        assert_eq!(found.size, 10_000_003);
        assert!(!kind.posix || found.blocks * 512 < 4_000_000, "the hole takes no space: {}", found.blocks);
        assert_eq!(file.read_at(&mut all, 10_000_003), Ok(0));
    });
}

#[test]
fn fifos_are_named_or_refused() {
    each(|kind, user| {
        let root = user.namespace.root();
        let made = user.namespace.make_node(&user.cx, &root, b"/fifo", FileKind::Fifo, 0o600);
        if !kind.fifos {
            assert_eq!(made, Err(Errno::Perm));
            return;
        }
        made.unwrap();
        let opened = user.namespace.open(&user.cx, &root, b"/fifo", &OpenOptions::READ).unwrap();
        let Opened::Fifo { key, .. } = opened else { panic!("a FIFO") };
        assert_eq!(key, user.stat("/fifo").unwrap().key());
        assert_eq!(user.namespace.make_device(&user.cx, &root, b"/null", 0x103, 0o666), Err(Errno::Perm));
        user.namespace.make_device(&Context::ROOT, &root, b"/null", 0x103, 0o666).unwrap();
        let opened = user.namespace.open(&user.cx, &root, b"/null", &OpenOptions::READ).unwrap();
        assert!(matches!(opened, Opened::Device { rdev: 0x103, .. }));
    });
}

#[test]
fn mounts_join_and_separate() {
    each(|kind, user| {
        user.mkdir("/mnt").unwrap();
        user.mkdir("/mnt/deep").unwrap();
        user.write("/outside", "outside").unwrap();
        let inner = Arc::new(MemoryFs::new());
        user.namespace.mount(b"/mnt/deep", inner.clone(), MountOptions::default()).unwrap();
        user.write("/mnt/deep/f", "inner").unwrap();
        assert_eq!(user.read("/mnt/deep/../../outside").as_deref(), Ok("outside"));
        assert_ne!(user.stat("/mnt/deep").unwrap().dev, user.stat("/mnt").unwrap().dev);
        assert_eq!(user.rename("/outside", "/mnt/deep/x"), Err(Errno::XDev));
        assert_eq!(user.link("/outside", "/mnt/deep/x"), Err(Errno::XDev));
        assert_eq!(user.rmdir("/mnt/deep"), Err(Errno::Busy));
        assert_eq!(user.rename("/mnt/deep", "/moved"), Err(Errno::Busy));
        assert_eq!(user.rename("/mnt", "/moved"), Ok(()), "a directory above a mount moves with it");
        assert_eq!(user.read("/moved/deep/f").as_deref(), Ok("inner"));
        let root = user.namespace.root();
        let cwd = user.namespace.resolve(&user.cx, &root, b"/moved/deep", Follow::Yes).unwrap();
        assert_eq!(user.namespace.absolute_path(&cwd).as_deref(), Ok(b"/moved/deep".as_slice()));
        user.symlink("/outside", "/moved/deep/absolute").unwrap();
        assert_eq!(
            user.read("/moved/deep/absolute").as_deref(),
            Ok("outside"),
            "absolute means the namespace's root"
        );
        let read_only = MountOptions { read_only: true };
        user.mkdir("/ro").unwrap();
        user.namespace.mount(b"/ro", inner, read_only).unwrap();
        assert_eq!(user.read("/ro/f").as_deref(), Ok("inner"));
        assert_eq!(user.stat("/ro/f").unwrap().key(), user.stat("/moved/deep/f").unwrap().key());
        for result in [
            user.write("/ro/f", ""),
            user.write("/ro/new", ""),
            user.mkdir("/ro/d"),
            user.unlink("/ro/f"),
            user.chmod("/ro/f", 0o600),
            user.access("/ro/f", 2),
        ] {
            assert_eq!(result, Err(Errno::RoFs));
        }
        // A fork has its own copy of what is in memory.
        let fork = View { namespace: user.namespace.fork().unwrap(), cx: user.cx };
        fork.write("/moved/deep/f", "forked").unwrap();
        assert_eq!(user.read("/moved/deep/f").as_deref(), Ok("inner"));
        assert_eq!(fork.read("/ro/f").as_deref(), Ok("forked"), "one filesystem stays one");
        fork.write("/outside", "changed").unwrap();
        let shared = kind.name == "host";
        assert_eq!(user.read("/outside").as_deref(), Ok(if shared { "changed" } else { "outside" }));
        assert_eq!(user.namespace.unmount(b"/ro"), Ok(()));
        assert_eq!(user.list("/ro").unwrap().len(), 0);
        assert_eq!(user.namespace.unmount(b"/ro"), Err(Errno::Inval));
    });
}
