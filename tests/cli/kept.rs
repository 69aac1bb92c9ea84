//! Sandboxes that outlive their process.

use super::{check, home, run, sandshell};
use std::fs;
use std::process::Stdio;
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
