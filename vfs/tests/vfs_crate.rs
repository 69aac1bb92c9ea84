//! Interoperation with the crate `vfs`, both ways.
#![cfg(feature = "vfs-crate")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(clippy::useless_vec, reason = "in the macros of the crate")]

mod common;

use common::view;
use sandshell_vfs::{Context, Errno, ImportedFs, MemoryFs};
use std::io::{Read, Seek, SeekFrom, Write};
use std::sync::Arc;
use vfs::{MemoryFS, VfsPath};

#[test]
fn a_filesystem_of_the_crate_can_be_mounted() {
    let theirs = VfsPath::new(MemoryFS::new());
    theirs.join("d/e").unwrap().create_dir_all().unwrap();
    theirs.join("d/f").unwrap().create_file().unwrap().write_all(b"fixture").unwrap();
    let user = view(Arc::new(ImportedFs::new(theirs.clone())), Context::USER);
    assert_eq!(user.read("/d/f").as_deref(), Ok("fixture"));
    assert_eq!(user.list("/d").unwrap(), ["e", "f"]);
    assert_eq!(user.read("/d/missing"), Err(Errno::NoEnt));
    assert_eq!(user.read("/d/f/x"), Err(Errno::NotDir));
    assert_eq!(user.read("/d/e/../f").as_deref(), Ok("fixture"));
    user.write("/d/f", "changed").unwrap();
    user.write("/d/new", "new").unwrap();
    user.open("/d/new", sandshell_vfs::OpenOptions { write: true, ..sandshell_vfs::OpenOptions::READ })
        .unwrap()
        .write_at(b"E", 1)
        .unwrap();
    user.rename("/d/e", "/moved").unwrap();
    assert_eq!(user.rmdir("/d"), Err(Errno::NotEmpty));
    assert_eq!(user.symlink("x", "/l"), Err(Errno::Perm));
    assert_eq!(user.chmod("/d/f", 0o600), Err(Errno::Perm));
    assert_eq!(theirs.join("d/f").unwrap().read_to_string().unwrap(), "changed");
    assert_eq!(theirs.join("d/new").unwrap().read_to_string().unwrap(), "nEw");
    assert!(theirs.join("moved").unwrap().is_dir().unwrap());
    user.unlink("/d/f").unwrap();
    assert!(!theirs.join("d/f").unwrap().exists().unwrap());
}

#[test]
fn ours_can_be_used_through_the_crate() {
    let fs = Arc::new(MemoryFs::new());
    let user = view(fs.clone(), Context::USER);
    user.mkdir("/d").unwrap();
    user.write("/d/f", "inside").unwrap();
    let outside = VfsPath::new(user.namespace.clone());
    let file = outside.join("d/f").unwrap();
    assert_eq!(file.read_to_string().unwrap(), "inside");
    assert_eq!(file.metadata().unwrap().len, 6);
    file.append_file().unwrap().write_all(b", and more").unwrap();
    assert_eq!(user.read("/d/f").as_deref(), Ok("inside, and more"));
    outside.join("x/y").unwrap().create_dir_all().unwrap();
    file.move_file(&outside.join("x/y/g").unwrap()).unwrap();
    let mut reader = outside.join("x/y/g").unwrap().open_file().unwrap();
    reader.seek(SeekFrom::End(-4)).unwrap();
    let mut rest = String::new();
    reader.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "more");
    let names: Vec<String> = outside.read_dir().unwrap().map(|path| path.filename()).collect();
    assert_eq!(names, ["d", "x"]);
    outside.join("x").unwrap().remove_dir_all().unwrap();
    assert_eq!(user.list("/").unwrap(), ["d"]);
    let missing = outside.join("missing").unwrap().open_file().map(drop).unwrap_err();
    assert!(matches!(missing.kind(), vfs::error::VfsErrorKind::FileNotFound));
}

mod memory_as_the_crate_expects {
    use sandshell_vfs::MemoryFs;
    vfs::test_vfs!(MemoryFs::new());
}

mod namespace_as_the_crate_expects {
    use sandshell_vfs::{MemoryFs, MountOptions, Namespace};
    vfs::test_vfs!(Namespace::new(std::sync::Arc::new(MemoryFs::new()), MountOptions::default()));
}
