//! Overlays: `--diff`, `--apply`.

use super::{check, check_refused, home, run, sandshell};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Stdio;

const MOUNT: &str = "tree:/workspace:overlay";
const EDIT: &str = "echo two > a; echo new > b; rm c";

fn tree() -> tempfile::TempDir {
    let home = home();
    fs::create_dir(home.path().join("tree")).unwrap();
    fs::write(home.path().join("tree/a"), "one\n").unwrap();
    fs::write(home.path().join("tree/c"), "gone\n").unwrap();
    home
}

fn contents(home: &Path) -> Vec<(String, String)> {
    let entries = fs::read_dir(home.join("tree")).unwrap().map(|entry| entry.unwrap());
    let mut all: Vec<_> = entries
        .map(|entry| (entry.file_name().into_string().unwrap(), fs::read_to_string(entry.path()).unwrap()))
        .collect();
    all.sort();
    all
}

#[test]
fn the_host_is_untouched_until_apply() {
    let home = tree();
    let before = contents(home.path());
    check(&run(&home, ["exec", "--mount", MOUNT, "--diff=list", EDIT]), 0, "M\ta\nA\tb\nD\tc\n");
    assert_eq!(contents(home.path()), before);

    let output = run(&home, ["exec", "--mount", MOUNT, "--diff", EDIT]);
    let patch = String::from_utf8(output.stdout).unwrap();
    for line in ["--- a/a", "+++ b/a", "-one", "+two", "+new", "-gone"] {
        assert!(patch.lines().any(|l| l == line), "{line:?} is not in {patch}");
    }
    assert_eq!(contents(home.path()), before);

    check(&run(&home, ["exec", "--mount", MOUNT, "--apply", EDIT]), 0, "");
    let pair = |name: &str, text: &str| (name.to_owned(), text.to_owned());
    assert_eq!(contents(home.path()), [pair("a", "two\n"), pair("b", "new\n")]);
}

#[test]
fn a_command_that_failed_applies_nothing() {
    let home = tree();
    let before = contents(home.path());
    let output = run(&home, ["exec", "--mount", MOUNT, "--apply", &format!("{EDIT}; exit 3")]);
    check(&output, 3, "");
    assert_eq!(output.stderr, b"sandshell: not applied: the command's status is 3\n");
    assert_eq!(contents(home.path()), before);
}

#[test]
fn a_conflict_in_one_overlay_applies_none_and_loses_nothing() {
    let home = tree();
    fs::create_dir(home.path().join("other")).unwrap();
    let script = "echo x > /other/x; echo two > a; echo ready; read go";
    let mut child = sandshell(home.path())
        .args(["exec", "--mount", "other:/other:overlay", "--mount", MOUNT, "--apply", script])
        .env("TMPDIR", home.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut ready = [0; 6];
    std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut ready).unwrap();
    fs::write(home.path().join("tree/a"), "changed by somebody else\n").unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), b"go\n").unwrap();
    let output = child.wait_with_output().unwrap();
    check_refused(&output, &["tree", "not applied", "a was modified meanwhile", ".patch"]);
    assert!(!home.path().join("other/x").exists());
    let text = String::from_utf8(output.stderr).unwrap();
    let patch = fs::read_to_string(text.trim_end().rsplit(' ').next().unwrap()).unwrap();
    assert!(patch.contains("+two\n") && patch.contains("+x\n"), "{patch}");
}

#[test]
fn json_lists_the_changes() {
    let home = tree();
    let output = run(&home, ["exec", "--json", "--mount", MOUNT, "--diff", "--apply", EDIT]);
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["applied"], true);
    assert_eq!(json["changes"][0]["path"], "a");
    assert_eq!((&json["changes"][1]["change"], &json["changes"][1]["mode"]), (&"A".into(), &"0644".into()));
    assert!(json["patch"].as_str().unwrap().contains("+two"));
    assert_eq!(contents(home.path()).len(), 2);
}

#[test]
fn read_only_is_the_default_and_rw_writes_at_once() {
    let home = tree();
    let before = contents(home.path());
    let output = run(&home, ["exec", "--mount", "tree:/workspace", "echo two > a"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("Read-only file system"));
    assert_eq!(contents(home.path()), before);
    check(&run(&home, ["exec", "--mount", "tree:/workspace:rw", "echo two > a; exit 9"]), 9, "");
    assert_eq!(fs::read(home.path().join("tree/a")).unwrap(), b"two\n");
}
