//! Limits, forks and snapshots of the memory filesystem.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::view;
use sandshell_vfs::{
    Context, Errno, FixedClock, Limits, MemoryFs, OpenOptions, SetAttributes, StatFs, Time, Usage,
};
use std::sync::Arc;

fn limited(limits: Limits) -> (Arc<MemoryFs>, common::View) {
    let fs = Arc::new(MemoryFs::builder().root(0o777, 0, 0).limits(limits).build());
    (fs.clone(), view(fs, Context::USER))
}

#[test]
fn bytes_are_limited_to_the_last_one() {
    let (fs, user) = limited(Limits { bytes: Some(100_000), ..Limits::default() });
    let file = user.open("/f", OpenOptions { read: true, ..OpenOptions::WRITE }).unwrap();
    assert_eq!(file.write_at(&[1; 90_000], 0), Ok(90_000));
    assert_eq!(file.append_counted(&[2; 20_000]), Ok((10_000, 100_000)), "what fits is written");
    assert_eq!(file.append(&[2; 1]), Err(Errno::NoSpc));
    assert_eq!(user.write("/g", "x"), Err(Errno::NoSpc));
    assert_eq!(file.write_at(&[3; 50_000], 0), Ok(50_000), "overwriting takes nothing");
    assert_eq!(file.allocate(0, 100_001), Err(Errno::NoSpc));
    assert_eq!(file.metadata().unwrap().size, 100_000);
    let size = |size| SetAttributes { size: Some(size), ..Default::default() };
    assert_eq!(user.set("/f", size(1 << 40)), Ok(()), "a hole takes nothing");
    assert_eq!(user.set("/f", size(10)), Ok(()));
    assert_eq!(fs.usage(), Usage { bytes: 10, inodes: 3 });
    assert_eq!(user.write("/g", &"x".repeat(99_990)), Ok(()));
    let StatFs { blocks, blocks_free, .. } = user.namespace.stat_fs(&user.namespace.root()).unwrap();
    assert_eq!((blocks, blocks_free), (24, 0));
    // An unlinked file counts until it is closed.
    user.unlink("/f").unwrap();
    assert_eq!(user.write("/h", "x"), Err(Errno::NoSpc));
    drop(file);
    assert_eq!(user.write("/h", "0123456789"), Ok(()));
    user.unlink("/g").unwrap();
    user.unlink("/h").unwrap();
    assert_eq!(fs.usage(), Usage { bytes: 0, inodes: 1 });
}

#[test]
fn inodes_are_limited() {
    let (fs, user) = limited(Limits { inodes: Some(4), ..Limits::default() });
    user.mkdir("/d").unwrap();
    user.write("/d/f", "").unwrap();
    user.symlink("x", "/l").unwrap();
    assert_eq!(user.write("/g", ""), Err(Errno::NoSpc));
    assert_eq!(user.mkdir("/e"), Err(Errno::NoSpc));
    assert_eq!(user.link("/d/f", "/name"), Ok(()), "a name is not an inode");
    user.unlink("/d/f").unwrap();
    user.unlink("/name").unwrap();
    user.write("/g", "").unwrap();
    assert_eq!(fs.usage().inodes, 4);
}

#[test]
fn names_cannot_cheat_the_limit() {
    let (_, user) = limited(Limits { inodes: Some(4), ..Limits::default() });
    user.write("/f", "").unwrap();
    for name in ["/1", "/2", "/3", "/4"] {
        user.link("/f", name).unwrap();
    }
    assert_eq!(user.link("/f", "/5"), Err(Errno::NoSpc));
    user.unlink("/f").unwrap();
    user.link("/1", "/5").unwrap();
    assert_eq!(user.link("/1", "/6"), Err(Errno::NoSpc));
}

#[test]
fn targets_of_links_cannot_cheat_the_limit() {
    let (fs, user) = limited(Limits { bytes: Some(1000), ..Limits::default() });
    let target = "x".repeat(600);
    user.symlink(&target, "/one").unwrap();
    assert_eq!(user.symlink(&target, "/two"), Err(Errno::NoSpc));
    user.unlink("/one").unwrap();
    user.symlink(&target, "/two").unwrap();
    assert_eq!(fs.usage(), Usage { bytes: 600, inodes: 2 });
}

#[test]
fn a_user_has_a_quota() {
    let limits =
        Limits { bytes: Some(1000), user_bytes: Some(100), user_inodes: Some(3), ..Limits::default() };
    let (_, user) = limited(limits);
    let (root, other) = (user.with(Context::ROOT), user.with(Context { uid: 5, gid: 5, pid: 0 }));
    let file = user.open("/a", OpenOptions::WRITE).unwrap();
    assert_eq!(file.write_at(&[0; 200], 0), Ok(100));
    assert_eq!(file.write_at(&[0; 1], 100), Err(Errno::DQuot));
    user.write("/b", "").unwrap();
    user.write("/c", "").unwrap();
    assert_eq!(user.write("/d", ""), Err(Errno::DQuot));
    other.write("/e", &"x".repeat(100)).unwrap();
    root.write("/f", &"x".repeat(800)).unwrap();
    assert_eq!(other.write("/e", "x"), Ok(()));
    root.write("/f", &"x".repeat(899)).unwrap();
    assert_eq!(root.write("/g", "x"), Err(Errno::NoSpc), "the superuser is bound by the whole");
    let uid = Some(1000);
    assert_eq!(root.set("/e", SetAttributes { uid, ..Default::default() }), Err(Errno::DQuot));
    user.unlink("/a").unwrap();
    drop(file);
    assert_eq!(root.set("/e", SetAttributes { uid, ..Default::default() }), Ok(()));
}

#[test]
fn sparse_writes_cannot_cheat_the_limit() {
    let (fs, user) = limited(Limits { bytes: Some(1 << 20), ..Limits::default() });
    let file = user.open("/f", OpenOptions::WRITE).unwrap();
    let mut written = 0;
    while file.write_at(b"x", written << 20).is_ok() {
        written += 1;
        assert!(written <= 256, "each piece takes a page at least");
    }
    assert!(fs.usage().bytes <= 1 << 20);
}

#[test]
fn forks_and_snapshots_are_independent() {
    let fs = Arc::new(MemoryFs::builder().time(Arc::new(FixedClock(Time { secs: 5, nanos: 0 }))).build());
    let user = view(fs.clone(), Context::USER);
    user.mkdir("/d").unwrap();
    user.write("/d/f", "common").unwrap();
    let open = user.open("/d/f", OpenOptions { write: true, ..OpenOptions::READ }).unwrap();
    user.write("/gone", "x").unwrap();
    let gone = user.open("/gone", OpenOptions::READ).unwrap();
    user.unlink("/gone").unwrap();
    let snapshot = fs.snapshot();
    assert_eq!(snapshot.usage(), Usage { bytes: 6, inodes: 3 }, "what only a handle keeps is not copied");
    let fork = view(Arc::new(fs.fork()), Context::USER);
    open.write_at(b"first!", 0).unwrap();
    fork.rename("/d", "/e").unwrap();
    fork.write("/e/f", "second").unwrap();
    assert_eq!(user.read("/d/f").as_deref(), Ok("first!"));
    assert_eq!(fork.read("/e/f").as_deref(), Ok("second"));
    let restored = view(Arc::new(snapshot.restore()), Context::USER);
    assert_eq!(restored.read("/d/f").as_deref(), Ok("common"));
    assert_eq!(restored.list("/").unwrap(), ["d"]);
    assert_eq!(gone.metadata().unwrap().nlink, 0);
    assert_eq!(
        user.stat("/d/f").unwrap().ino,
        fork.stat("/e/f").unwrap().ino,
        "numbers are the same in a fork"
    );
    assert_eq!(fork.stat("/e").unwrap().ctime, Time { secs: 5, nanos: 0 });
}

#[test]
fn a_node_of_one_fork_is_refused_by_the_other() {
    let fs = MemoryFs::new();
    let fork = fs.fork();
    let node = sandshell_vfs::FileSystem::root(&fs);
    assert_eq!(sandshell_vfs::FileSystem::metadata(&fork, &node).map(drop), Err(Errno::Stale));
}
