//! A directory of a host that takes names for the same that differ in case only, as on macOS and Windows.
//! `vfs/tests/folding/run.py` makes one on Linux and runs this test in it.
#![cfg(any(target_os = "linux", windows))]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::view;
use sandshell_vfs::{Context, Errno, HostAccess, HostDir, OpenOptions};
use std::fs;
use std::path::Path;
use std::sync::Arc;

#[cfg(target_os = "linux")]
#[test]
#[ignore = "needs a directory of such a host: run.py makes one"]
fn names_that_fall_together_are_one_name() {
    one_name(Path::new(&std::env::var_os("SANDSHELL_FOLDING").unwrap()));
}

#[cfg(windows)]
#[test]
fn names_that_fall_together_are_one_name() {
    one_name(tempfile::tempdir().unwrap().path());
}

fn one_name(top: &Path) {
    fs::write(top.join("Probe"), "").unwrap();
    assert!(top.join("pROBE").exists(), "the directory folds names");
    fs::remove_file(top.join("Probe")).unwrap();

    let user = view(Arc::new(HostDir::open(top, HostAccess::ReadWrite).unwrap()), Context::USER);
    user.write("/Foo", "first").unwrap();
    user.mkdir("/Dir").unwrap();
    user.write("/bar", "other").unwrap();
    for name in ["/foo", "/FOO", "/dir", "/DIR/x", "/Dir/../foo"] {
        assert_eq!(user.read(name), Err(Errno::NoEnt), "{name}");
        assert_eq!(user.stat(name).map(drop), Err(Errno::NoEnt), "{name}");
    }
    let exclusive = OpenOptions { exclusive: true, ..OpenOptions::WRITE };
    assert_eq!(user.open("/foo", exclusive).map(drop), Err(Errno::Exist));
    for result in [
        user.write("/foo", "second"),
        user.mkdir("/foo"),
        user.symlink("x", "/FOO"),
        user.link("/bar", "/foo"),
        user.rename("/bar", "/foo"),
        user.mkdir("/dir"),
        user.rename("/Dir", "/BAR"),
    ] {
        assert_eq!(result, Err(Errno::Exist));
    }
    for result in
        [user.unlink("/foo"), user.rmdir("/dir"), user.rename("/FOO", "/x"), user.link("/foo", "/x")]
    {
        assert_eq!(result, Err(Errno::NoEnt));
    }
    assert_eq!(user.read("/Foo").as_deref(), Ok("first"));
    // A name can be respelled.
    user.rename("/Foo", "/fOO").unwrap();
    assert_eq!(user.read("/fOO").as_deref(), Ok("first"));
    assert_eq!(user.read("/Foo"), Err(Errno::NoEnt));
    user.rename("/Dir", "/dir").unwrap();
    user.write("/dir/f", "inside").unwrap();
    assert_eq!(user.list("/").unwrap(), ["bar", "dir", "fOO"]);
    user.unlink("/fOO").unwrap();
    user.write("/Foo", "again").unwrap();
    assert_eq!(user.read("/Foo").as_deref(), Ok("again"));
}
