//! Sandboxes that outlive their process.

use super::{check, home, run, sandshell};
use std::fs;
use std::process::{Command, Stdio};
use tempfile::TempDir;

fn create(home: &TempDir, args: &[&str]) -> String {
    let output = run(home, [&["create"], args].concat());
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn text(home: &TempDir, args: &[&str]) -> String {
    let output = run(home, args);
    assert_eq!(output.status.code(), Some(0), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[track_caller]
fn refused(home: &TempDir, args: &[&str], why: &str) {
    let output = run(home, args);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{error}");
    assert!(error.contains(why) && error.lines().count() == 1, "{error}");
}

#[test]
fn what_was_done_is_there_again() {
    let home = home();
    let id = &create(&home, &["--label", "job=7", "--env", "WHO=me"]);
    check(&run(&home, ["exec", "--sandbox-id", id, "echo $WHO > note; exit 3"]), 3, "");
    check(&run(&home, ["exec", "--sandbox-id", id, "cat note; pwd"]), 0, "me\n/workspace\n");
    let listed = text(&home, &["list", "--label", "job=7"]);
    assert!(listed.contains(id) && listed.contains("job=7"), "{listed}");
    assert_eq!(text(&home, &["list", "--label", "job=8"]), "");
    check(&run(&home, ["exec", "ls"]), 0, "");
    check(&run(&home, ["delete", id]), 0, "");
    check(&run(&home, ["delete", id]), 0, "");
    refused(&home, &["exec", "--sandbox-id", id, "true"], "there is no sandbox");
}

#[test]
fn states_snapshots_and_forks() {
    let home = home();
    let id = &create(&home, &[]);
    check(&run(&home, ["exec", "--sandbox-id", id, "echo one > f; echo a > a"]), 0, "");
    text(&home, &["snapshot", id, "--name", "prepared"]);
    check(&run(&home, ["exec", "--sandbox-id", id, "echo two > f; rm a; echo b > b"]), 0, "");
    check(&run(&home, ["diff", id]), 0, "D /workspace/a\nA /workspace/b\nM /workspace/f\n");
    check(&run(&home, ["diff", id, "prepared"]), 0, "D /workspace/a\nA /workspace/b\nM /workspace/f\n");
    let log = text(&home, &["log", id]);
    let lines: Vec<_> = log.lines().collect();
    assert!(lines.len() == 3 && lines[0].starts_with('3') && lines[0].contains("echo two > f"), "{log}");
    let fork = &text(&home, &["fork", id]).trim().to_owned();
    check(&run(&home, ["exec", "--sandbox-id", fork, "cat f; echo of the fork > f"]), 0, "two\n");
    check(&run(&home, ["exec", "--sandbox-id", id, "cat f"]), 0, "two\n");
    check(&run(&home, ["restore", id, "prepared"]), 0, "");
    check(&run(&home, ["exec", "--sandbox-id", id, "cat f; ls"]), 0, "one\na\nf\n");
    check(&run(&home, ["restore", id, "3"]), 0, "");
    check(&run(&home, ["exec", "--sandbox-id", id, "cat f"]), 0, "two\n");
    let copy = &create(&home, &["--snapshot", "prepared"]);
    check(&run(&home, ["exec", "--sandbox-id", copy, "cat f"]), 0, "one\n");
    refused(&home, &["snapshot", id, "--name", "prepared"], "there is a snapshot prepared already");
    refused(&home, &["create", "--snapshot", "other"], "there is no snapshot other");
    refused(&home, &["restore", id, "99"], "has no state 99");
    refused(
        &home,
        &["exec", "--sandbox-id", id, "--sandbox-snapshot-name", "x", "ls"],
        "cannot be used with",
    );
    refused(&home, &["exec", "--sandbox-id", id, "--state", "f", "ls"], "--state");
}

#[test]
fn pausing_moving_and_collecting() {
    let home = home();
    let id = &create(&home, &[]);
    check(&run(&home, ["exec", "--sandbox-id", id, "seq 100000 > numbers; truncate -s 1G sparse"]), 0, "");
    check(&run(&home, ["pause", id]), 0, "");
    assert!(text(&home, &["list"]).contains("paused"));
    check(&run(&home, ["resume", id]), 0, "");
    assert!(text(&home, &["list"]).contains("running"));
    check(&run(&home, ["export", id, "box.tar"]), 0, "");
    let copy = &text(&home, &["import", "box.tar"]).trim().to_owned();
    let look = "tail -n 1 numbers; stat -c '%s %b' sparse";
    check(&run(&home, ["exec", "--sandbox-id", copy, look]), 0, "100000\n1073741824 0\n");
    fs::write(home.path().join("in"), "from the host\n").unwrap();
    check(&run(&home, ["cp", "--sandbox-id", copy, "in", ":/workspace/in"]), 0, "");
    check(&run(&home, ["cp", "--sandbox-id", copy, ":/workspace/in", "out"]), 0, "");
    assert_eq!(fs::read_to_string(home.path().join("out")).unwrap(), "from the host\n");
    check(&run(&home, ["delete", id, copy]), 0, "");
    let would = text(&home, &["gc", "--dry-run"]);
    assert!(would.contains("would be removed") && !would.starts_with("0 "), "{would}");
    text(&home, &["gc"]);
    assert!(text(&home, &["gc", "--dry-run"]).starts_with("0 "));
    assert!(text(&home, &["gc", "--check"]).ends_with(" 0 damaged\n"));
    refused(&home, &["import", "none.tar"], "no such file");
}

#[test]
fn a_killed_process_keeps_nobody_out() {
    let home = home();
    let id = &create(&home, &[]);
    check(&run(&home, ["exec", "--sandbox-id", id, "echo kept > note"]), 0, "");
    let mut child = sandshell(home.path())
        .args(["exec", "--sandbox-id", id, "echo lost > note; echo ready; sleep 1000"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut ready = [0; 6];
    std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut ready).unwrap();
    // Others read what was stored last.
    assert!(text(&home, &["list"]).contains(id.as_str()));
    child.kill().unwrap();
    child.wait().unwrap();
    check(&run(&home, ["exec", "--sandbox-id", id, "cat note"]), 0, "kept\n");
}

#[test]
fn a_second_process_waits_and_says_so() {
    let home = home();
    let id = &create(&home, &[]);
    let mut first = sandshell(home.path())
        .args(["exec", "--sandbox-id", id, "echo ready; read; echo first >> note"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut ready = [0; 6];
    std::io::Read::read_exact(first.stdout.as_mut().unwrap(), &mut ready).unwrap();
    let mut second = sandshell(home.path())
        .args(["exec", "--sandbox-id", id, "echo second >> note; cat note"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(second.stderr.take().unwrap()), &mut said)
        .unwrap();
    assert!(said.contains(&format!("in use by process {}: waiting", first.id())), "{said}");
    drop(first.stdin.take());
    assert!(first.wait().unwrap().success());
    check(&second.wait_with_output().unwrap(), 0, "first\nsecond\n");
}

#[test]
fn the_directory_is_chosen_and_looking_makes_none() {
    let home = home();
    assert_eq!(text(&home, &["list"]), "");
    assert!(!home.path().join(".local").exists());
    let id = &create(&home, &["--data-dir", "elsewhere"]);
    assert!(home.path().join("elsewhere/store.db").exists());
    assert_eq!(text(&home, &["list"]), "");
    let output = sandshell(home.path())
        .env("SANDSHELL_DATA_DIR", home.path().join("elsewhere"))
        .args(["exec", "--sandbox-id", id, "echo there"])
        .output()
        .unwrap();
    check(&output, 0, "there\n");
    refused(&home, &["exec", "--data-dir", "elsewhere", "--mount", "elsewhere:/mnt:rw", "true"], "elsewhere");
    std::os::unix::fs::symlink("elsewhere", home.path().join("link")).unwrap();
    refused(&home, &["create", "--data-dir", "link"], "a link is not followed");
}

#[test]
fn a_time_limit_deletes() {
    let home = home();
    let id = &create(&home, &["--hard-ttl", "1s"]);
    std::thread::sleep(std::time::Duration::from_millis(1100));
    refused(&home, &["exec", "--sandbox-id", id, "true"], "there is no sandbox");
    let id = &create(&home, &["--ttl", "1s"]);
    std::thread::sleep(std::time::Duration::from_millis(1100));
    assert!(text(&home, &["list"]).contains("paused"));
    check(&run(&home, ["exec", "--sandbox-id", id, "echo woken"]), 0, "woken\n");
}

#[test]
fn changes_as_a_patch() {
    let home = home();
    let id = &create(&home, &[]);
    check(
        &run(&home, ["exec", "--sandbox-id", id, "printf 'a\\nb\\n' > 'f 1'; echo x > gone; ln -s f link"]),
        0,
        "",
    );
    check(
        &run(
            &home,
            [
                "exec",
                "--sandbox-id",
                id,
                "echo c >> 'f 1'; rm gone; printf '\\0\\1' > bin; mkdir d; chmod +x 'f 1'",
            ],
        ),
        0,
        "",
    );
    let patch = text(&home, &["diff", id, "2", "3", "--patch"]);
    assert!(patch.contains("\n+c\n") && patch.contains("GIT binary patch"), "{patch}");
    let tree = home.path().join("workspace");
    fs::create_dir(&tree).unwrap();
    fs::write(tree.join("f 1"), "a\nb\n").unwrap();
    fs::write(tree.join("gone"), "x\n").unwrap();
    fs::write(home.path().join("patch"), &patch).unwrap();
    let applied = Command::new("git").args(["apply", "patch"]).current_dir(home.path()).output().unwrap();
    assert!(applied.status.success(), "{applied:?}\n{patch}");
    assert_eq!(fs::read_to_string(tree.join("f 1")).unwrap(), "a\nb\nc\n");
    assert_eq!(fs::read(tree.join("bin")).unwrap(), b"\0\x01");
    assert!(!tree.join("gone").exists());
    assert_eq!(text(&home, &["diff", id, "3", "3", "--patch"]), "");
    // The first state and back: a link, and a file of many lines.
    let forward = text(&home, &["diff", id, "1", "2", "--patch"]);
    assert!(forward.contains("new file mode 120000"), "{forward}");
}

#[test]
fn exported_sandboxes_say_what_they_were() {
    let home = home();
    let options = [
        "--label",
        "a=b",
        "--label",
        "c=d",
        "--env",
        "GREETING=hello",
        "--workdir",
        "/data",
        "--memory",
        "64M",
        "--ttl",
        "2h",
    ];
    let id = &create(&home, &options);
    check(&run(&home, ["exec", "--sandbox-id", id, "seq 100000 > numbers; truncate -s 1G sparse"]), 0, "");
    for file in ["box.tar", "box.tar.gz", "box.sandbox"] {
        check(&run(&home, ["export", id, file]), 0, "");
    }
    let size = |file: &str| fs::metadata(home.path().join(file)).unwrap().len();
    assert!(size("box.tar") > 500_000 && size("box.tar.gz") < 300_000 && size("box.sandbox") < 300_000);
    let listed = Command::new("tar").args(["-tzf", "box.tar.gz"]).current_dir(home.path()).output().unwrap();
    assert!(String::from_utf8_lossy(&listed.stdout).contains("data/numbers\n"), "{listed:?}");
    let look = "pwd; echo $GREETING; tail -n 1 /data/numbers; stat -c '%s %b' /data/sparse";
    for (file, wd, greeting) in
        [("box.tar", "/workspace", ""), ("box.tar.gz", "/workspace", ""), ("box.sandbox", "/data", "hello")]
    {
        let copy = &text(&home, &["import", file, "--label", "c=other"]).trim().to_owned();
        let expected = format!("{wd}\n{greeting}\n100000\n1073741824 0\n");
        check(&run(&home, ["exec", "--sandbox-id", copy, look]), 0, &expected);
        let found = text(&home, &["list", "--label", "c=other"]);
        let line = found.lines().find(|line| line.contains(copy.as_str())).unwrap();
        assert_eq!(line.contains("a=b"), file == "box.sandbox", "{line}");
    }
    // Memory of the file, which is narrower than a new sandbox's.
    let last = &text(&home, &["import", "box.sandbox"]).trim().to_owned();
    let much = run(&home, ["exec", "--sandbox-id", last, "head -c 200M /dev/zero | tail -c 150M | wc -c"]);
    assert!(String::from_utf8_lossy(&much.stderr).contains("67108864 bytes exceeded"), "{much:?}");

    let whole = fs::read(home.path().join("box.sandbox")).unwrap();
    let broken = |bytes: &[u8], why: &str| {
        fs::write(home.path().join("broken.sandbox"), bytes).unwrap();
        let before = text(&home, &["list"]);
        refused(&home, &["import", "broken.sandbox"], why);
        assert_eq!(text(&home, &["list"]), before);
    };
    broken(&[b"sandshell sandbox 2\n", &whole[20..]].concat(), "use a newer sandshell");
    broken(&whole[..whole.len() / 2], "broken.sandbox");
    broken(&whole[..25], "broken.sandbox");
    let mut changed = whole.clone();
    let middle = changed.len() / 2;
    changed[middle] ^= 0x55;
    broken(&changed, "broken.sandbox");
    // What could be no sandbox's is none after it was imported.
    for (description, why) in [
        (r#"{"own": {"env": [["A=B", "x"]]}}"#, "cannot be a variable"),
        (r#"{"own": {"workdir": "../.."}}"#, "is relative"),
        (r#"{"own": {"memory": -1}}"#, "description"),
        ("[[[[", "description"),
    ] {
        let packed = Command::new("sh")
            .arg("-c")
            .arg("{ printf 'sandshell sandbox 1\n'; { printf \"\\\\$(printf %o ${#0})\\\\0\\\\0\\\\0\"; printf %s \"$0\"; tar -c -T /dev/null; } | gzip; }")
            .arg(description)
            .output()
            .unwrap();
        broken(&packed.stdout, why);
    }
    // A gigabyte of nothing is no description.
    let long = Command::new("sh")
        .args(["-c", "{ printf 'sandshell sandbox 1\\n'; { printf '\\377\\377\\377\\177'; head -c 3000000 /dev/zero; } | gzip; } > long.sandbox"])
        .current_dir(home.path())
        .status();
    assert!(long.unwrap().success());
    refused(&home, &["import", "long.sandbox"], "description");
}

#[test]
fn mounts_that_a_sandbox_keeps() {
    let home = home();
    let project = home.path().join("project");
    fs::create_dir(&project).unwrap();
    fs::write(project.join("file"), "on the host\n").unwrap();
    let id = &create(&home, &["--mount", "project:/workspace:rw", "--mount", "project:/mnt:overlay"]);
    check(
        &run(&home, ["exec", "--sandbox-id", id, "cat file; echo more > new; echo lost > /mnt/other"]),
        0,
        "on the host\n",
    );
    assert_eq!(fs::read_to_string(project.join("new")).unwrap(), "more\n");
    assert!(!project.join("other").exists());
    check(&run(&home, ["exec", "--sandbox-id", id, "--diff=list", "echo x > /mnt/file"]), 0, "M\tfile\n");
    // Another directory at the same place is the one of this run.
    let other = home.path().join("elsewhere");
    fs::create_dir(&other).unwrap();
    check(
        &run(&home, ["exec", "--sandbox-id", id, "--mount", "elsewhere:/workspace", "ls; pwd"]),
        0,
        "/workspace\n",
    );
    let copy = &text(&home, &["fork", id]).trim().to_owned();
    check(&run(&home, ["exec", "--sandbox-id", copy, "cat new"]), 0, "more\n");
    check(&run(&home, ["export", id, "box.sandbox"]), 0, "");
    let imported = &text(&home, &["import", "box.sandbox"]).trim().to_owned();
    check(&run(&home, ["exec", "--sandbox-id", imported, "ls /workspace /mnt 2>&1 | grep -c new"]), 1, "0\n");
    refused(&home, &["create", "--mount", "missing:/x"], "no such directory");
    // Through it a sandbox could change what this program executes.
    refused(&home, &["create", "--mount", ".:/h:rw"], "");
    let url = format!("file://{}/shared", home.path().display());
    refused(&home, &["--data-dir", &url, "create", "--mount", "project:/x"], "cannot keep mounts");
    // A store that somebody else has made, for example in a repository, names no directories of this user.
    let store = home.path().join(".local/share/sandshell/sandboxes");
    let moved = home.path().join("boxes");
    fs::rename(&store, &moved).unwrap();
    refused(&home, &["--data-dir", "boxes", "create", "--mount", "project:/x"], "cannot keep mounts");
    check(
        &run(
            &home,
            ["--data-dir", "boxes", "exec", "--sandbox-id", id, "ls -A /workspace /mnt | grep -c file"],
        ),
        1,
        "0\n",
    );
    fs::rename(&moved, &store).unwrap();
    fs::remove_dir_all(&project).unwrap();
    let gone = run(&home, ["exec", "--sandbox-id", id, "true"]);
    assert_eq!(gone.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&gone.stderr).contains("project"), "{gone:?}");
}

/// A guest puts a link in the place of a directory that is mounted by itself as well.
#[test]
fn a_kept_mount_is_no_link_of_a_guest() {
    let home = home();
    let (data, private) = (home.path().join("project/data"), home.path().join("private"));
    fs::create_dir_all(&data).unwrap();
    fs::create_dir(&private).unwrap();
    fs::write(private.join("key"), "secret\n").unwrap();
    std::os::unix::fs::symlink("project", home.path().join("link")).unwrap();
    let id = &create(&home, &["--mount", "link:/p:rw", "--mount", "link/data:/d:rw"]);
    check(&run(&home, ["exec", "--sandbox-id", id, "echo 1 > /d/file; cat /p/data/file"]), 0, "1\n");
    let script = format!("cd /p; mv data old; ln -s {} data", private.display());
    check(&run(&home, ["exec", "--sandbox-id", id, &script]), 0, "");
    let away = "echo gone > /d/key; cat /d/key";
    for arguments in [&["exec", "--sandbox-id", id, away][..], &["restore", id, "1"]] {
        refused(&home, arguments, "but links lead from there to");
    }
    assert_eq!(fs::read_to_string(private.join("key")).unwrap(), "secret\n");
    // What is mounted by this run is what its user says.
    check(&run(&home, ["exec", "--sandbox-id", id, "--mount", "private:/d", "cat /d/key"]), 0, "secret\n");
    fs::remove_file(&data).unwrap();
    fs::rename(home.path().join("project/old"), &data).unwrap();
    check(&run(&home, ["exec", "--sandbox-id", id, "cat /d/file"]), 0, "1\n");
}

/// The system takes a process's locks away when it closes any descriptor of the file: a sandbox must not make it do
/// that.
#[test]
fn the_store_cannot_be_opened_through_a_mount() {
    let home = home();
    let id = &create(&home, &[]);
    for mode in ["ro", "overlay"] {
        let mount = format!("{}:/m:{mode}", home.path().display());
        let mut first = sandshell(home.path())
            .args(["exec", "--sandbox-id", id, "--mount", &mount])
            .arg("find /m -type f -exec cat {} + > /dev/null; echo ready; read; echo first >> note")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut ready = [0; 6];
        std::io::Read::read_exact(first.stdout.as_mut().unwrap(), &mut ready).unwrap();
        let second = sandshell(home.path())
            .args(["exec", "--sandbox-id", id, "echo second >> note; cat note; rm note"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        std::thread::sleep(std::time::Duration::from_millis(500));
        std::io::Write::write_all(first.stdin.as_mut().unwrap(), b"\n").unwrap();
        assert!(first.wait().unwrap().success());
        let second = second.wait_with_output().unwrap();
        assert_eq!(String::from_utf8_lossy(&second.stdout), "first\nsecond\n", "{second:?}");
    }
    // What is beside it can be read.
    fs::write(home.path().join("file"), "mine\n").unwrap();
    let mount = format!("{}:/m", home.path().display());
    check(&run(&home, ["exec", "--sandbox-id", id, "--mount", &mount, "cat /m/file"]), 0, "mine\n");
}
