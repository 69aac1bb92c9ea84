//! Directories that are nested more deeply than any path can express, made by moving trees into each other.

use crate::program::{refused, run, sandshell, succeed};
use sandshell::{CreateOptions, LocalOptions, LocalProvider, MountSource, SandboxExt};
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

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

/// Nearly as deep as a path can express: the whole tree can be copied out and in again.
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

/// Unlike `TempDir`, this does not keep a descriptor open for each level.
fn clear(tree: &Path) {
    assert!(std::process::Command::new("rm").arg("-rf").arg(tree).status().unwrap().success());
}

/// How many directories `d` are nested.
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
    // Fewer levels with longer names, because the length of the path matters. Each mode uses the results of the
    // previous one.
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

/// Many of the longest possible paths: each step must cost about as much as in a shallow tree.
#[test]
fn working_in_them_takes_no_longer_the_deeper_they_are() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    fs::create_dir(home.join("tree")).unwrap();
    let make = "p=$(printf 'd/%.0s' {1..1900}); mkdir -p $p; echo x > ${p}f; find . | wc -l; \
                mv ${p}f ${p}g; chmod -R g-w d; cat ${p}g; rm -r d; ls";
    let seen = succeed(home, &["exec", "--timeout", "100s", "--mount", "tree:/workspace:rw", make]);
    assert_eq!(seen, "1902\nx\n");
    let make = "p=$(printf 'd/%.0s' {1..1900}); mkdir -p $p; echo x > ${p}f";
    succeed(home, &["exec", "--mount", "tree:/workspace:overlay", "--apply", make]);
    assert_eq!(levels(&home.join("tree")), 1900);
    succeed(home, &["exec", "--mount", "tree:/workspace:overlay", "--apply", "rm -r d"]);
    assert_eq!(levels(&home.join("tree")), 0);
}

/// The longest names: fewer levels, but when they are staged the paths are too long for the host's calls.
#[test]
fn paths_as_long_as_they_can_be_are_applied() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    fs::create_dir(home.join("tree")).unwrap();
    let make = "n=$(printf 'x%.0s' {1..255}); p=a/; for i in {1..15}; do p=$p$n/; done; mkdir -p $p; echo deep > ${p}f; \
                echo last > $p$(printf 'y%.0s' {1..250})";
    let mount = "tree:/workspace:overlay";
    succeed(home, &["exec", "--mount", mount, "--apply", make]);
    let show = "find . -type f | wc -l; find . -name f -exec cat {} +";
    assert_eq!(succeed(home, &["exec", "--mount", "tree:/workspace:ro", show]), "2\ndeep\n");
    succeed(home, &["exec", "--mount", mount, "--apply", "rm -r a"]);
    assert_eq!(fs::read_dir(home.join("tree")).unwrap().count(), 0);
}

#[test]
fn rm_removes_what_no_path_can_name() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    fs::create_dir(home.join("tree")).unwrap();
    let remove = format!("{DEEP}; touch c/d/f; rm -r c; echo $?; ls");
    assert_eq!(succeed(home, &["exec", &remove]), "0\n");
    for mode in ["rw", "overlay"] {
        let mount = format!("tree:/workspace:{mode}");
        assert_eq!(succeed(home, &["exec", "--mount", &mount, &remove]), "0\n", "{mode}");
    }
    assert_eq!(fs::read_dir(home.join("tree")).unwrap().count(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_file_operation_removes_what_no_path_can_name() {
    let home = tempfile::tempdir().unwrap();
    let source = |name: &str| {
        fs::create_dir_all(home.path().join(name)).unwrap();
        home.path().join(name)
    };
    let options = LocalOptions::default()
        .mount("/rw", MountSource::HostReadWrite(source("rw")))
        .mount("/over", MountSource::Overlay(source("over")));
    let provider = LocalProvider::new(sandshell::engine(None).unwrap(), options).unwrap();
    let sandbox = provider.create(CreateOptions::default()).unwrap();
    for place in ["/workspace", "/rw", "/over"] {
        let made =
            sandbox.run(&format!("cd {place}; {DEEP}; ln -s / c/d/link; touch c/d/f; ls")).await.unwrap();
        assert_eq!(&*made.text(), "c\n", "{place}");
        sandbox.delete(&format!("{place}/c")).await.unwrap();
        let left = sandbox.run(&format!("ls -A {place}; [ -e /usr/bin/ls ] && echo intact")).await.unwrap();
        assert_eq!(&*left.text(), "intact\n", "{place}");
    }
    assert_eq!(fs::read_dir(home.path().join("rw")).unwrap().count(), 0);
}

/// Longer than anything takes that works correctly.
const HANGS: Duration = Duration::from_secs(60);

/// Commands that spend nearly all of their time in the host's functions, as a script and as one program.
const BUSY: &[&str] = &[
    "p=$(printf 'd/%.0s' {1..1900}); while :; do mkdir -p $p; rm -r d; done",
    "p=$(printf 'd/%.0s' {1..1900}); mkdir -p $p; while :; do ls -R; find .; done > /dev/null",
    "p=$(printf 'd/%.0s' {1..900}); mkdir -p $p a; while :; do mv a $p/b; mv $p/b a; done",
    "while :; do truncate -s 200M f; fallocate -l 200M f; cp f g; rm f g; done",
    "(while :; do mkdir -p d/e/f; rm -r d; done) & wait",
];

#[test]
fn a_signal_or_the_time_limit_ends_what_is_busy_with_files() {
    for mode in ["rw", "overlay"] {
        for (number, script) in BUSY.iter().enumerate() {
            let home = tempfile::tempdir().unwrap();
            fs::create_dir(home.path().join("tree")).unwrap();
            let mount = format!("tree:/workspace:{mode}");
            let what = format!("{mode}: {script}");
            let timeout: &[&str] = if number % 2 == 0 { &[] } else { &["--timeout", "1s"] };
            let mut command = sandshell(home.path());
            command.args(["exec", "--no-packs", "--mount", &mount]).args(timeout).args([script]);
            let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            std::thread::sleep(Duration::from_secs(1));
            if timeout.is_empty() {
                assert!(child.try_wait().unwrap().is_none(), "{what}");
                rustix::process::kill_process(
                    rustix::process::Pid::from_child(&child),
                    rustix::process::Signal::TERM,
                )
                .unwrap();
            }
            let status = wait(&mut child, &what);
            let expected = if timeout.is_empty() { 143 } else { 124 };
            assert_eq!((status.code(), status.signal()), (Some(expected), None), "{what}");
            clear(&home.path().join("tree"));
        }
    }
}

/// A signal while changes are being applied: either none or all of them were made.
#[test]
fn a_signal_ends_applying() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    let mut interrupted = 0;
    for attempt in 0..8 {
        fs::create_dir(home.join("tree")).unwrap();
        let make = "for i in {1..40}; do mkdir -p $i/{1..50}; done; for d in */*; do : > $d/f; done";
        let mount = "tree:/workspace:overlay";
        let mut command = sandshell(home);
        command.args(["exec", "--no-packs", "--mount", mount, "--apply", make]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let journals = home.join(".local/share/sandshell/apply");
        let journals = || fs::read_dir(&journals).map_or(0, Iterator::count);
        while child.try_wait().unwrap().is_none() && journals() == 0 {
            std::thread::sleep(Duration::from_micros(200));
        }
        std::thread::sleep(Duration::from_millis(attempt * 10));
        let pid = rustix::process::Pid::from_child(&child);
        // The process may already have ended.
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::INT);
        let status = wait(&mut child, "applying");
        let files = succeed(
            home,
            &["exec", "--mount", "tree:/workspace:ro", "find . -type f | wc -l; ls -A | wc -l"],
        );
        match status.code() {
            Some(0) => assert_eq!(files, "2000\n40\n"),
            _ => {
                interrupted += 1;
                assert_eq!(files, "0\n0\n", "{status:?}");
            }
        }
        assert_eq!(journals(), 0);
        clear(&home.join("tree"));
    }
    assert!(interrupted > 0);
}

fn wait(child: &mut std::process::Child, what: &str) -> std::process::ExitStatus {
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        if started.elapsed() > HANGS {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("it goes on and on: {what}");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}
