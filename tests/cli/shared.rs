//! Sandboxes in an object store: every home directory is another machine.

use super::{check, check_refused, home, sandshell};
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// Machines that share a directory.
struct Machines {
    shared: TempDir,
}

impl Machines {
    fn new() -> Self {
        Self { shared: home() }
    }

    fn command(&self, machine: &TempDir, args: &[&str]) -> Command {
        let mut command = sandshell(machine.path());
        let url = format!("file://{}/sandboxes", self.shared.path().display());
        command.env("SANDSHELL_DATA_DIR", url).env("SANDSHELL_LEASE", "2").args(args);
        command
    }

    fn run(&self, machine: &TempDir, args: &[&str]) -> Output {
        self.command(machine, args).output().unwrap()
    }

    #[track_caller]
    fn text(&self, machine: &TempDir, args: &[&str]) -> String {
        let output = self.run(machine, args);
        assert_eq!(output.status.code(), Some(0), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }
}

#[test]
fn another_machine_goes_on() {
    let machines = Machines::new();
    let (one, other) = (&home(), &home());
    let id = &machines.text(one, &["create", "--label", "job=7"]);
    check(&machines.run(one, &["exec", "--sandbox-id", id, "seq 50000 > numbers; echo one > note"]), 0, "");
    check(
        &machines.run(other, &["exec", "--sandbox-id", id, "cat note; wc -l < numbers"]),
        0,
        "one\n50000\n",
    );
    assert!(machines.text(other, &["list", "--label", "job=7"]).contains(id.as_str()));
    machines.text(other, &["snapshot", id, "--name", "prepared"]);
    check(&machines.run(other, &["exec", "--sandbox-id", id, "echo other > note"]), 0, "");
    check(&machines.run(one, &["diff", id]), 0, "M /workspace/note\n");
    assert_eq!(machines.text(one, &["log", id]).lines().count(), 3);
    let fork = &machines.text(one, &["fork", id]);
    let new = &machines.text(one, &["create", "--snapshot", "prepared"]);
    check(&machines.run(other, &["exec", "--sandbox-id", fork, "cat note"]), 0, "other\n");
    check(&machines.run(other, &["exec", "--sandbox-id", new, "cat note"]), 0, "one\n");
    check(&machines.run(one, &["restore", id, "prepared"]), 0, "");
    check(&machines.run(one, &["exec", "--sandbox-id", id, "cat note"]), 0, "one\n");
    machines.text(one, &["export", id, "box.tar"]);
    fs::rename(one.path().join("box.tar"), other.path().join("box.tar")).unwrap();
    let imported = &machines.text(other, &["import", "box.tar"]);
    check(&machines.run(one, &["exec", "--sandbox-id", imported, "cat note"]), 0, "one\n");
    machines.text(one, &["pause", id]);
    check(&machines.run(other, &["delete", id, fork, new]), 0, "");
    check_refused(&machines.run(one, &["exec", "--sandbox-id", id, "true"]), &["there is no sandbox"]);
    assert!(machines.text(one, &["gc", "--check"]).ends_with(" 0 damaged"));
    assert!(machines.text(other, &["gc"]).contains("removed"));
}

#[test]
fn a_killed_machine_is_waited_for() {
    let machines = Machines::new();
    let (one, other) = (&home(), &home());
    let id = &machines.text(one, &["create"]);
    check(&machines.run(one, &["exec", "--sandbox-id", id, "echo stored > note"]), 0, "");
    let mut shell =
        machines.command(one, &["exec", "--sandbox-id", id, "echo lost > note; echo ready; sleep 100"]);
    let mut running = shell.stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(running.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "ready\n");
    check_refused(&machines.run(other, &["pause", id]), &["is in use on", "process"]);
    running.kill().unwrap();
    running.wait().unwrap();
    let output = machines.run(other, &["exec", "--sandbox-id", id, "cat note"]);
    check(&output, 0, "stored\n");
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains("is in use on") && said.ends_with("waiting\n") && said.lines().count() == 1,
        "{said}"
    );
}

#[test]
fn bad_input() {
    let machines = Machines::new();
    let one = &home();
    machines.text(one, &["create"]);
    let at = |url: &str| sandshell(one.path()).args(["--data-dir", url, "create"]).output().unwrap();
    check_refused(&at("s3://"), &["s3://: it names no bucket"]);
    check_refused(&at("ftp://a"), &["begins with none of"]);
    check_refused(&at("file://relative"), &["absolute path"]);
    let lease = machines.command(one, &["list"]).env("SANDSHELL_LEASE", "soon").output().unwrap();
    assert!(String::from_utf8_lossy(&lease.stderr).contains("not a number of seconds"), "{lease:?}");
    let homeless = machines.command(one, &["create"]).env_remove("HOME").output().unwrap();
    check_refused(&homeless, &["where the cache of an object store is"]);
    // A directory of others' cannot be mounted for writing.
    let mount = format!("{}:/mnt:rw", machines.shared.path().display());
    check_refused(&machines.run(one, &["exec", "--mount", &mount, "true"]), &["mount"]);
}
