//! Shortcuts for opening single names must behave as the normal way.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{View, view};
use sandshell_vfs::{
    Context, Errno, File, HostAccess, HostDir, MemoryFs, MountOptions, OpenOptions, Overlay,
};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::sync::Arc;

const LISTED: OpenOptions = OpenOptions { directory: true, ..OpenOptions::READ };

fn tree() -> tempfile::TempDir {
    let tree = tempfile::tempdir().unwrap();
    fs::create_dir_all(tree.path().join("a/b")).unwrap();
    fs::write(tree.path().join("a/b/one"), "1").unwrap();
    fs::write(tree.path().join("a/b/two"), "2").unwrap();
    fs::hard_link(tree.path().join("a/b/two"), tree.path().join("a/again")).unwrap();
    symlink("b", tree.path().join("a/link")).unwrap();
    tree
}

fn host(path: &Path) -> Arc<HostDir> {
    Arc::new(HostDir::open(path, HostAccess::ReadOnly).unwrap())
}

/// The directory itself, and an overlay over it.
fn views(path: &Path) -> [View; 2] {
    [view(host(path), Context::ROOT), view(Arc::new(Overlay::new(host(path)).unwrap()), Context::ROOT)]
}

fn names(file: &dyn File) -> Vec<String> {
    let entries = file.read_dir(&Context::ROOT, 0).unwrap();
    entries.iter().map(|entry| String::from_utf8(entry.name.to_vec()).unwrap()).collect()
}

#[test]
fn a_directory_is_listed_from_its_start_each_time() {
    let tree = tree();
    for view in views(tree.path()) {
        let file = view.open("/a/b", LISTED).unwrap();
        assert_eq!(names(&*file), ["one", "two"]);
        fs::write(tree.path().join("a/b/three"), "3").unwrap();
        assert_eq!(names(&*file), ["one", "three", "two"]);
        fs::remove_file(tree.path().join("a/b/three")).unwrap();
        assert_eq!(names(&*file), ["one", "two"]);
    }
}

#[test]
fn other_files_are_refused_and_links_are_followed_inside() {
    let tree = tree();
    for view in views(tree.path()) {
        assert_eq!(view.open("/a/b/one", LISTED).err(), Some(Errno::NotDir));
        assert_eq!(view.open("/a/b/none", LISTED).err(), Some(Errno::NoEnt));
        assert_eq!(view.list("/a/link").unwrap(), ["one", "two"]);
        let nofollow = OpenOptions { nofollow: true, ..LISTED };
        assert!(view.open("/a/link", nofollow).is_err());
    }
}

#[test]
fn a_mount_covers_the_directory_below_it() {
    let tree = tree();
    for view in views(tree.path()) {
        let above = Arc::new(MemoryFs::new());
        view.namespace.mount(b"/a/b", above, MountOptions::default()).unwrap();
        view.write("/a/b/above", "text").unwrap();
        assert_eq!(view.list("/a/b").unwrap(), ["above"]);
        assert_eq!(view.open("/a/b/one", OpenOptions::READ).err(), Some(Errno::NoEnt));
        view.namespace.unmount(b"/a/b").unwrap();
        assert_eq!(view.list("/a/b").unwrap(), ["one", "two"]);
    }
}

#[test]
fn permissions_are_those_of_the_sandbox() {
    let tree = tree();
    fs::set_permissions(tree.path().join("a/b"), fs::Permissions::from_mode(0o311)).unwrap();
    for view in views(tree.path()) {
        let view = view.with(Context::USER);
        assert_eq!(view.open("/a/b", LISTED).err(), Some(Errno::Acces));
        assert_eq!(view.read("/a/b/one").unwrap(), "1");
    }
    fs::set_permissions(tree.path().join("a/b"), fs::Permissions::from_mode(0o755)).unwrap();
    let [_, over] = views(tree.path());
    let user = over.with(Context::USER);
    user.chmod("/a/b", 0o311).unwrap();
    assert_eq!(user.open("/a/b", LISTED).err(), Some(Errno::Acces));
    user.chmod("/a", 0o600).unwrap();
    assert_eq!(user.read("/a/again").err(), Some(Errno::Acces));
    assert_eq!(user.lstat("/a/again").err(), Some(Errno::Acces));
}

#[test]
fn upper_changes_are_visible_under_every_name() {
    let tree = tree();
    let [_, view] = views(tree.path());
    let opened = view.open("/a/b", LISTED).unwrap();
    let read = view.open("/a/again", OpenOptions::READ).unwrap();
    view.write("/a/b/two", "changed").unwrap();
    assert_eq!(view.read("/a/again").unwrap(), "changed");
    assert_eq!(view.lstat("/a/again").unwrap().size, 7);
    let mut bytes = [0; 10];
    assert_eq!(read.read_at(&mut bytes, 0), Ok(7));
    view.unlink("/a/b/one").unwrap();
    view.write("/a/b/new", "").unwrap();
    assert_eq!(names(&*opened), ["new", "two"]);
    assert_eq!(view.lstat("/a/b/one").err(), Some(Errno::NoEnt));
    assert_eq!(view.read("/a/b/one").err(), Some(Errno::NoEnt));
    view.rmdir("/a/b").err().unwrap();
    view.rename("/a/b", "/moved").unwrap();
    assert_eq!(view.open("/a/b", LISTED).err(), Some(Errno::NoEnt));
    assert_eq!(view.list("/moved").unwrap(), ["new", "two"]);
    // The upper files have the inode numbers of the lower ones.
    assert_eq!(view.lstat("/a/again").unwrap().ino, view.lstat("/moved/two").unwrap().ino);
}
