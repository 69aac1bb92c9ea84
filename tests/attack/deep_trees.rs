//! Directories nested more deeply than any path can say, made by moving trees into each other.

use crate::program::{refused, run, succeed};
use std::fs;
use std::path::Path;

/// 5,700 levels.
const DEEP: &str =
    "p=$(printf 'd/%.0s' {1..1900}); mkdir -p c/$p; for k in 1 2; do mkdir -p n/$p; mv c n/$p/; mv n c; done";

#[test]
fn showing_and_applying_them_is_refused() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    fs::create_dir(home.join("tree")).unwrap();
    let mount = "tree:/workspace:overlay";
    for option in ["--diff", "--diff=list", "--apply"] {
        let output = run(home, &["exec", "--mount", mount, option, DEEP]);
        refused(&output, &["nested too deeply", "4095 bytes"]);
    }
    assert_eq!(fs::read_dir(home.join("tree")).unwrap().count(), 0);
    let output = run(home, &["exec", "--json", "--mount", mount, "--diff", DEEP]);
    refused(&output, &["nested too deeply"]);
}

#[test]
fn keeping_them_is_refused_and_what_was_kept_stays() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    succeed(home, &["exec", "--state", "box.tar", "echo kept > note"]);
    let before = fs::read(home.join("box.tar")).unwrap();
    refused(&run(home, &["exec", "--state", "box.tar", DEEP]), &["box.tar", "File name too long"]);
    assert!(fs::read(home.join("box.tar")).unwrap() == before);
}

/// Nearly as deep as a path can say: all of it comes out, and in again.
#[test]
fn what_a_path_can_say_is_kept_shown_and_applied() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    fs::create_dir(home.join("tree")).unwrap();
    let make = "p=$(printf 'd/%.0s' {1..900}); mkdir -p $p; echo deep > ${p}f";
    let mount = "tree:/workspace:overlay";
    let list = succeed(home, &["exec", "--mount", mount, "--diff=list", make]);
    assert_eq!(list.lines().count(), 901);
    succeed(home, &["exec", "--mount", mount, "--apply", make]);
    let levels = || levels(&home.join("tree"));
    assert_eq!(levels(), 900);
    succeed(home, &["exec", "--mount", mount, "--apply", "rm -r d"]);
    assert_eq!(levels(), 0);
    succeed(home, &["exec", "--state", "box.tar", make]);
    let count = "find . -type d | wc -l; cat $(printf 'd/%.0s' {1..900})f";
    assert_eq!(succeed(home, &["exec", "--state", "box.tar", count]), "901\ndeep\n");
    succeed(home, &["cp", "--state", "box.tar", ":/workspace/d", "tree"]);
    assert_eq!(levels(), 900);
    succeed(home, &["cp", "--state", "other.tar", "tree/d", ":/workspace/"]);
    assert_eq!(succeed(home, &["exec", "--state", "other.tar", count]), "901\ndeep\n");
    clear(&home.join("tree"));
}

/// Not as `TempDir` does it, which keeps a descriptor open for each level.
fn clear(tree: &Path) {
    assert!(std::process::Command::new("rm").arg("-rf").arg(tree).status().unwrap().success());
}

/// How many directories `d` are in each other.
fn levels(top: &Path) -> usize {
    let mut at = top.to_owned();
    (0..)
        .find(|_| {
            at.push("d");
            !at.is_dir()
        })
        .unwrap()
}

#[test]
fn deep_directories_of_the_host_are_no_danger() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    fs::create_dir(home.join("tree")).unwrap();
    let mount = |mode: &str| format!("tree:/workspace:{mode}");
    // Fewer levels with longer names: it is the path that counts. Each mode lives on what the one before has made.
    let deep = "p=$(printf 'dddddddd/%.0s' {1..200}); mkdir -p c/$p; \
                for k in 1 2; do mkdir -p n/$p; mv c n/$p/; mv n c; done";
    succeed(home, &["exec", "--mount", &mount("rw"), deep]);
    let inside = "cd c; for i in 1 2 3; do cd dddddddd || break; done; ls | wc -l";
    for mode in ["ro", "rw", "overlay"] {
        assert_eq!(succeed(home, &["exec", "--mount", &mount(mode), inside]), "1\n", "{mode}");
    }
    let output = run(home, &["exec", "--mount", &mount("overlay"), "--diff=list", "mv c e"]);
    refused(&output, &["nested too deeply"]);
    clear(&home.join("tree"));
}
