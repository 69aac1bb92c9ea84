//! `--apply` when the program is killed, and on directories that others prepare or change.

use crate::program::{refused, run, sandshell, stderr, succeed};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

const MOUNT: &str = "tree:/workspace:overlay";

/// How many files there are. Half are changed and half are removed, and as many new ones are created.
const FILES: usize = 400;
const CHANGE: &str = "for i in {1..200}; do echo new > $i; done; rm old/*; rmdir old; mkdir new; \
                      for i in {1..200}; do echo new > new/$i; done";

fn prepare(tree: &Path) {
    fs::create_dir_all(tree.join("old")).unwrap();
    for number in 1..=FILES / 2 {
        fs::write(tree.join(number.to_string()), "old\n").unwrap();
        fs::write(tree.join("old").join(number.to_string()), "old\n").unwrap();
    }
}

fn contents(tree: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut pending = vec![tree.to_owned()];
    while let Some(at) = pending.pop() {
        for entry in fs::read_dir(&at).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                pending.push(path);
            } else {
                let name = path.strip_prefix(tree).unwrap().display().to_string();
                found.insert(name, fs::read_to_string(&path).unwrap());
            }
        }
    }
    found
}

#[test]
fn a_run_that_was_killed_is_undone_or_finished_by_the_next_one() {
    let mut outcomes = BTreeMap::new();
    let mut recovered = 0;
    for attempt in 0..40_u64 {
        let home = tempfile::tempdir().unwrap();
        let home = home.path();
        let tree = home.join("tree");
        prepare(&tree);
        let before = contents(&tree);
        let mut child = sandshell(home)
            .args(["exec", "--mount", MOUNT, "--apply", CHANGE])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Wait until something happens in the directory.
        let state = home.join(".local/share/sandshell/apply");
        while child.try_wait().unwrap().is_none() && fs::read_dir(&state).map_or(0, Iterator::count) == 0 {
            std::thread::sleep(Duration::from_micros(100));
        }
        std::thread::sleep(Duration::from_micros(attempt * 1500));
        // Kill it without warning.
        drop(child.kill());
        child.wait().unwrap();
        let output = run(home, &["exec", "--mount", "tree:/workspace", "true"]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        recovered += usize::from(stderr(&output).contains("an earlier run had"));
        let now = contents(&tree);
        let whole = now.len() == FILES && now.values().all(|text| text == "new\n");
        assert!(now == before || whole, "attempt {attempt}: {} files, {}", now.len(), stderr(&output));
        *outcomes.entry(whole).or_insert(0) += 1;
        assert_eq!(fs::read_dir(&state).map_or(0, Iterator::count), 0, "journals are left");
        assert!(
            fs::read_dir(&tree).unwrap().all(|entry| {
                !entry.unwrap().file_name().to_string_lossy().starts_with(".sandshell-apply")
            })
        );
    }
    assert!(recovered > 0, "{outcomes:?}");
}

/// A repository may contain files with the names that an earlier version used for its own files in the target.
#[test]
fn directories_and_journals_of_a_repository_mean_nothing() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    let tree = home.join("tree");
    fs::create_dir_all(tree.join(".sandshell-apply/deep")).unwrap();
    fs::write(tree.join(".sandshell-apply/deep/mine"), "mine\n").unwrap();
    fs::write(home.join("victim"), "v\n").unwrap();
    let forged = format!(
        "sandshell-apply 1\nready\nroot ={} =tree\nstep =victim - 1:100000:1:0:0\nend\n",
        home.canonicalize().unwrap().display()
    );
    for place in ["0.journal", ".sandshell-apply/0.journal", ".sandshell/apply/0.journal"] {
        fs::create_dir_all(tree.join(place).parent().unwrap()).unwrap();
        fs::write(tree.join(place), &forged).unwrap();
    }
    let before = contents(&tree);
    let text = stderr(&run(home, &["exec", "--mount", MOUNT, "--apply", "true"]));
    assert_eq!(text, "");
    assert_eq!(contents(&tree), before);
    succeed(
        home,
        &["exec", "--mount", MOUNT, "--apply", "echo x > x; echo guest > .sandshell-apply/deep/theirs"],
    );
    assert_eq!(fs::read_to_string(tree.join(".sandshell-apply/deep/mine")).unwrap(), "mine\n");
    assert_eq!(fs::read_to_string(tree.join(".sandshell-apply/deep/theirs")).unwrap(), "guest\n");
    assert!(home.join("victim").exists());
}

#[test]
fn a_guest_cannot_apply_to_what_sandshell_trusts() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    for script in [
        "mkdir -p .local/share/sandshell/apply; echo x > .local/share/sandshell/apply/0.journal",
        "mkdir -p .config/sandshell; echo x > .config/sandshell/config.toml",
        "ln -s /tmp .cache",
    ] {
        let output = run(home, &["exec", "--mount", ".:/workspace:overlay", "--apply", script]);
        refused(&output, &["sandshell"]);
    }
    assert!(!home.join(".config").exists() && !home.join(".cache").is_symlink());
}

/// A guest that may write above the overlay's directory puts a link to another directory in its place.
#[test]
fn changes_are_not_applied_where_a_guest_s_link_leads() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    fs::create_dir_all(home.join("work/data")).unwrap();
    fs::create_dir(home.join("private")).unwrap();
    let script =
        format!("echo x > /d/planted; cd /p; mv data old; ln -s {} data", home.join("private").display());
    let mounts = ["--mount", "work:/p:rw", "--mount", "work/data:/d:overlay", "--apply", &script];
    let output = run(home, &[&["exec"], &mounts[..]].concat());
    assert!(!output.status.success(), "{}", stderr(&output));
    assert!(stderr(&output).contains("links lead from there to"), "{}", stderr(&output));
    assert!(!home.join("private/planted").exists());
}

#[test]
fn set_id_bits_and_devices_stay_in_the_sandbox() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path();
    let tree = home.join("tree");
    fs::create_dir(&tree).unwrap();
    fs::write(tree.join("tool"), "#!/bin/sh\n").unwrap();
    fs::set_permissions(tree.join("tool"), fs::Permissions::from_mode(0o644)).unwrap();
    let make = "chmod 4755 tool; cp tool new; chmod 6755 new; ln new link; mv new renamed; umask 0; \
                mkdir -m 3777 d; install -m 2755 tool installed";
    let list = succeed(home, &["exec", "--mount", MOUNT, "--diff=list", make]);
    assert!(list.contains("M\ttool\tmode 0644 -> 4755\n"), "{list}");
    assert!(list.contains("A\trenamed\tmode 6755\n"), "{list}");
    let patch = succeed(home, &["exec", "--mount", MOUNT, "--diff", make]);
    assert!(
        patch.contains("# mode 0644 -> 4755: tool\n") && patch.contains("# mode 6755: renamed\n"),
        "{patch}"
    );
    let output = run(home, &["exec", "--mount", MOUNT, "--apply", make]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stderr(&output).contains("bits are not applied"), "{}", stderr(&output));
    let mode = |name: &str| fs::symlink_metadata(tree.join(name)).unwrap().mode() & 0o7777;
    for (name, expected) in
        [("tool", 0o755), ("renamed", 0o755), ("link", 0o755), ("d", 0o1777), ("installed", 0o755)]
    {
        assert_eq!(mode(name), expected, "{name}");
    }
    let direct = "for m in 4755 2755 u+s g+s; do chmod $m tool && echo given; done 2>/dev/null; mkdir -m 2777 e; \
                  (umask 0; cp tool copy); ln tool hard; mknod dev c 1 3 2>/dev/null; mkfifo pipe 2>/dev/null; ls";
    let seen = succeed(home, &["exec", "--mount", "tree:/workspace:rw", direct]);
    assert!(!seen.contains("given") && !seen.contains("dev\n") && !seen.contains("pipe\n"), "{seen}");
    for entry in fs::read_dir(&tree).unwrap() {
        let entry = entry.unwrap();
        assert_eq!(entry.metadata().unwrap().mode() & 0o6000, 0, "{:?}", entry.file_name());
    }
    let output = run(home, &["exec", "--mount", MOUNT, "--apply", "mkfifo pipe; echo x > x"]);
    refused(&output, &["pipe is a kind of file that cannot be made"]);
    assert!(!tree.join("x").exists());
    // The name of a socket is of no use without its server, so that it is left out. One in the place of a file is not.
    let listen = |name: &str| format!("timeout .1 nc -lU {name}; test -S {name} || exit 1");
    let beside = format!("{}; mkdir served; cd served; {}; echo y > y", listen("sock"), listen("sock"));
    let output = run(home, &["exec", "--mount", MOUNT, "--diff", "--apply", &beside]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(!String::from_utf8_lossy(&output.stdout).contains("sock"), "{output:?}");
    assert!(tree.join("served/y").exists());
    assert!(!tree.join("sock").exists() && !tree.join("served/sock").exists());
    let instead = format!("rm served/y; {}; echo x > x", listen("served/y"));
    let output = run(home, &["exec", "--mount", MOUNT, "--apply", &instead]);
    refused(&output, &["served/y is a kind of file that cannot be made"]);
    assert!(tree.join("served/y").is_file() && !tree.join("x").exists());
}
