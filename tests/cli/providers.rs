//! Choosing a provider, and remote sandboxes: at a service that `sandshell serve` emulates, through the example
//! provider in Python.

use super::{check, check_refused, home, run, sandshell};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use tempfile::TempDir;

/// A service, and a home directory whose configuration declares the provider `devboxes` for it.
struct Place {
    home: TempDir,
    service: Child,
}

impl Place {
    fn new() -> Place {
        let home = home();
        let mut service = sandshell(home.path())
            .args(["serve", "--emulate", "runloop", "--port", "0"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let lines = BufReader::new(service.stdout.take().unwrap()).lines();
        let values: Vec<String> = lines
            .take(2)
            .map(|line| line.unwrap().split_once('=').unwrap().1.trim_matches('\'').to_owned())
            .collect();
        let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/command-provider/provider.py");
        let config = format!(
            "[sandboxes]\ndefault = \"devboxes\"\n[sandboxes.providers.devboxes]\nkind = \"command\"\nparams = {{ command = [\"python3\", {:?}], url = {:?}, key = {:?} }}\n",
            program.display().to_string(),
            values[0],
            values[1],
        );
        fs::write(home.path().join("config.toml"), config).unwrap();
        Place { home, service }
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = sandshell(self.home.path());
        command.env("SANDSHELL_CONFIG", self.home.path().join("config.toml")).args(args);
        command
    }

    fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    fn run_with_input(&self, args: &[&str], input: &[u8]) -> Output {
        let mut command = self.command(args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        child.wait_with_output().unwrap()
    }

    /// The ids of the existing sandboxes.
    fn ids(&self) -> Vec<String> {
        let output = self.run(&["list"]);
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines().map(|line| line.split_whitespace().nth(1).unwrap().to_owned()).collect()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        drop(self.service.kill());
        drop(self.service.wait());
    }
}

#[test]
fn commands_run_elsewhere_and_leave_nothing_behind() {
    let place = Place::new();
    check(&place.run(&["exec", "echo out; pwd; exit 3"]), 3, "out\n/home/user\n");
    check(&place.run(&["exec", "echo \"$0 $1\"", "a b", "c"]), 0, "a b c\n");
    check(&place.run(&["exec", "--env", "A=1", "echo $A"]), 0, "1\n");
    check_refused(&place.run(&["exec", "--workdir", "/tmp", "pwd"]), &["do not support workdir"]);
    check_refused(&place.run(&["exec", "--seed", "1", "pwd"]), &["--seed", "local"]);
    check(&place.run_with_input(&["exec", "sort"], b"b\na\n"), 0, "a\nb\n");
    check(&place.run_with_input(&["shell"], b"x=1\necho $x\n"), 0, "1\n");
    let output = place.run(&["exec", "--timeout", "2s", "echo begun; sleep 60"]);
    check(&output, 124, "begun\n");
    assert!(String::from_utf8_lossy(&output.stderr).contains("timed out"));
    let json = place.run(&["exec", "--json", "echo out; echo err >&2; exit 4"]);
    let report: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(
        (&report["status"], &report["stdout"], &report["stderr"]),
        (&4.into(), &"out\n".into(), &"err\n".into())
    );
    assert!(place.ids().is_empty());
}

#[test]
fn the_option_wins_over_the_variable_and_that_over_the_configuration() {
    let place = Place::new();
    check(&place.run(&["exec", "pwd"]), 0, "/home/user\n");
    let output = place.command(&["exec", "pwd"]).env("SANDSHELL_SANDBOX", "local").output().unwrap();
    check(&output, 0, "/workspace\n");
    let output = place
        .command(&["exec", "--sandbox", "devboxes", "pwd"])
        .env("SANDSHELL_SANDBOX", "local")
        .output()
        .unwrap();
    check(&output, 0, "/home/user\n");
}

#[test]
fn a_sandbox_that_stays() {
    let place = Place::new();
    let created = place.run(&["create", "--env", "A=of the sandbox"]);
    let id = String::from_utf8(created.stdout).unwrap().trim().to_owned();
    assert_eq!(place.ids(), [id.as_str()]);
    let at = ["exec", "--sandbox-id", &id];
    check(&place.run(&[&at[..], &["echo $A > kept; mkdir -p d/e; echo x > d/e/f"]].concat()), 0, "");
    check(
        &place.run(
            &[&at[..], &["--workdir", "/home/user/d", "--env", "B=2", "cat ../kept; pwd; echo $B"]].concat(),
        ),
        0,
        "of the sandbox\n/home/user/d\n2\n",
    );

    let home = place.home.path();
    check(&place.run(&["cp", "--sandbox-id", &id, ":/home/user/kept", ":/home/user/d", "."]), 0, "");
    assert_eq!(fs::read_to_string(home.join("kept")).unwrap(), "of the sandbox\n");
    assert_eq!(fs::read_to_string(home.join("d/e/f")).unwrap(), "x\n");
    fs::write(home.join("d/new"), [0, 255]).unwrap();
    check(&place.run(&["cp", "--sandbox-id", &id, "d", ":/home/user/copy"]), 0, "");
    check(&place.run(&[&at[..], &["cat copy/e/f; wc -c < copy/new"]].concat()), 0, "x\n2\n");

    let listed = place.run(&["list", "--json"]);
    let listed: serde_json::Value = serde_json::from_slice(&listed.stdout).unwrap();
    assert_eq!(
        (&listed[0]["id"], &listed[0]["provider"], &listed[0]["state"]),
        (&id.as_str().into(), &"devboxes".into(), &"running".into())
    );
    check_refused(&place.run(&["pause", &id]), &["not support pause"]);
    check_refused(&place.run(&["fork", &id]), &["not support fork"]);
    check_refused(
        &place.run(&["exec", "--sandbox-snapshot-name", "x", "true"]),
        &["devboxes", "no snapshots"],
    );
    check(&place.run(&["delete", &id, &id]), 0, "");
    assert!(place.ids().is_empty());
    check_refused(&place.run(&[&at[..], &["true"]].concat()), &[]);
}

#[test]
fn setup_scripts() {
    let place = Place::new();
    let home = place.home.path();
    fs::write(home.join("setup.sh"), "echo \"$ALLOWED ${FILE} $$HOME $DENIED\" > made\n").unwrap();
    fs::write(home.join("vars"), "FILE='of the file'\n").unwrap();
    let options = ["--sandbox-setup", "setup.sh", "--setup-env", "ALLOWED", "--setup-env-file", "vars"];
    for (sandbox, home) in [("devboxes", "/home/user"), ("local", "/home/user")] {
        let output = place
            .command(&[&["exec", "--sandbox", sandbox], &options[..], &["cat made"]].concat())
            .env("ALLOWED", "of the host")
            .env("DENIED", "secret")
            .output()
            .unwrap();
        check(&output, 0, &format!("of the host of the file {home} \n"));
    }
    // A value is only data, also for programs that the script starts.
    let hostile = "$(echo injected) `echo injected` '; echo injected; '\" ${HOME} *";
    fs::write(home.join("setup.sh"), "printf '%s\\n' \"$ALLOWED\" > made; env | grep ^ALLOWED= >> made\n")
        .unwrap();
    for sandbox in ["devboxes", "local"] {
        let command = [
            "exec",
            "--sandbox",
            sandbox,
            "--sandbox-setup",
            "setup.sh",
            "--setup-env",
            "ALLOWED",
            "cat made",
        ];
        let output = place.command(&command).env("ALLOWED", hostile).output().unwrap();
        check(&output, 0, &format!("{hostile}\nALLOWED={hostile}\n"));
    }
    let unset =
        ["exec", "--sandbox-setup", "setup.sh", "--setup-env", "NOT_SET_HERE", "--sandbox", "local", "true"];
    let stderr = String::from_utf8(place.run(&unset).stderr).unwrap();
    assert!(stderr.contains("--setup-env NOT_SET_HERE") && stderr.contains("not set"), "{stderr}");
    fs::write(home.join("setup.sh"), "echo working; echo broken >&2; exit 7\n").unwrap();
    for command in
        [&["exec", "--sandbox-setup", "setup.sh", "true"][..], &["create", "--sandbox-setup", "setup.sh"]]
    {
        let output = place.run(command);
        check(&output, 2, "");
        let stderr = String::from_utf8(output.stderr).unwrap();
        for words in ["working\n", "broken\n", "setup.sh: the setup script failed with status 7"] {
            assert!(stderr.contains(words), "{stderr}");
        }
        assert!(place.ids().is_empty(), "what was created for it is gone");
    }
    // An existing sandbox is not deleted.
    let id = String::from_utf8(place.run(&["create"]).stdout).unwrap().trim().to_owned();
    check(&place.run(&["exec", "--sandbox-id", &id, "--sandbox-setup", "setup.sh", "true"]), 2, "");
    assert_eq!(place.ids(), [id.as_str()]);
}

#[test]
#[cfg(feature = "wrappers")]
fn calls_are_recorded_and_replayed() {
    let home = home();
    let secret =
        |args: &[&str]| sandshell(home.path()).args(args).env("TOKEN", "s3cr3t-value").output().unwrap();
    let commands = ["echo \"$TOKEN\" > note; echo one", "cat note >&2; exit 3", "echo never"];
    let how = ["--env", "TOKEN", "--secret-env", "TOKEN", "calls.jsonl"];
    let recorded = secret(&[&["record"], &how[..], &commands[..]].concat());
    check(&recorded, 3, "one\n");
    assert_eq!(String::from_utf8_lossy(&recorded.stderr), "s3cr3t-value\n");
    let cassette = fs::read_to_string(home.path().join("calls.jsonl")).unwrap();
    assert!(!cassette.contains("s3cr3t") && cassette.lines().count() >= 4, "{cassette}");
    let replayed = secret(&[&["replay", "--in-order"], &how[..], &commands[..]].concat());
    check(&replayed, 3, "one\n");
    let other = run(&home, ["replay", "calls.jsonl", "echo two"]);
    check_refused(&other, &["not in the cassette calls.jsonl", "echo two"]);
    check_refused(&run(&home, ["replay", "none.jsonl", "true"]), &["none.jsonl"]);
    check_refused(&run(&home, ["record", "no/such/dir.jsonl", "true"]), &["no/such/dir.jsonl"]);
}

#[test]
fn a_cloud_that_is_missing_says_the_command_that_adds_it() {
    if cfg!(feature = "runloop") {
        return;
    }
    let home = home();
    check_refused(
        &run(&home, ["exec", "--sandbox", "runloop", "true"]),
        &["cargo install", "--features runloop"],
    );
}

#[test]
fn a_file_that_is_no_toml_is_told_of_once() {
    let home = home();
    let command = |args: &[&str]| {
        let mut command = sandshell(home.path());
        command.args(args).env("SANDSHELL_CONFIG", "config.toml").output().unwrap()
    };
    fs::write(home.path().join("config.toml"), "[sandboxes\ndefault = 'e2b'\n").unwrap();
    for args in [&["exec", "--sandbox", "local", "echo hi"][..], &["exec", "echo hi"]] {
        let output = command(args);
        check(&output, 0, "hi\n");
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(stderr.matches("config.toml").count(), 1, "{stderr}");
        assert!(stderr.contains("line 1"), "{stderr}");
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let home = home();
    let refused: &[(&[&str], &[&str])] = &[
        (&["exec", "--sandbox", "nowhere", "true"], &["nowhere", "known are", "local", "e2b"]),
        (
            &["exec", "--sandbox-id", "x", "--sandbox-snapshot-name", "y", "true"],
            &["--sandbox-id", "--sandbox-snapshot-name"],
        ),
        (&["exec", "--sandbox-id", "x", "true"], &["there is no sandbox x"]),
        (&["snapshot", "x"], &["there is no sandbox x"]),
        (&["log", "--sandbox", "e2b", "x"], &["e2b", "only local sandboxes"]),
        (&["exec", "--setup-env", "A", "true"], &["--sandbox-setup"]),
        (&["exec", "--sandbox-setup", "missing.sh", "true"], &["missing.sh", "No such file"]),
        (&["create", "--label", "x"], &["--label", "NAME=VALUE"]),
        (&["cp", "a", ":/b"], &["--state"]),
        (&["doctor", "nowhere"], &["nowhere", "known are"]),
    ];
    for (args, words) in refused {
        check_refused(&run(&home, *args), words);
    }
    let missing = sandshell(home.path()).args(["exec", "true"]).env("SANDSHELL_CONFIG", "gone.toml").output();
    check_refused(&missing.unwrap(), &["gone.toml", "No such file"]);
    check(&run(&home, ["list"]), 0, "");
}

#[test]
fn malformed_entries_of_the_configuration_are_skipped() {
    let home = home();
    let directory = home.path().join(".config/sandshell");
    fs::create_dir_all(&directory).unwrap();
    let config = "[sandboxes.providers.bad]\nkind = 1\n[sandboxes.providers.odd]\nkind = \"none\"\n[sandboxes.providers.mine]\nkind = \"local\"\nworking_dir = \"/home/user/project\"\n";
    fs::write(directory.join("config.toml"), config).unwrap();
    let output = run(&home, ["exec", "--sandbox", "mine", "pwd"]);
    check(&output, 0, "/home/user/project\n");
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(stderr.lines().count(), 2, "{stderr}");
    assert!(stderr.contains("bad") && stderr.contains("odd") && stderr.contains("warning"), "{stderr}");
}

#[test]
fn providers_and_doctor() {
    let place = Place::new();
    let table = String::from_utf8(place.run(&["providers"]).stdout).unwrap();
    assert!(table.starts_with("NAME"), "{table}");
    for words in ["devboxes", "command", "declared", "reattach list env", "ephemeral"] {
        assert!(table.contains(words), "{words}: {table}");
    }
    let json: serde_json::Value =
        serde_json::from_slice(&place.run(&["providers", "--json"]).stdout).unwrap();
    let devboxes = json.as_array().unwrap().iter().find(|one| one["name"] == "devboxes").unwrap();
    assert_eq!(devboxes["configured"], true);

    let output = place.run(&["doctor"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{text}");
    let line = text.lines().find(|line| line.starts_with("devboxes")).unwrap();
    assert!(line.contains("ok"), "{line}");
    let config = place.home.path().join("config.toml");
    let broken = fs::read_to_string(&config).unwrap().replace("http://127.0.0.1:", "http://127.0.0.1:1");
    fs::write(&config, broken).unwrap();
    let output = place.run(&["doctor", "devboxes"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("failed"), "{text}");
}
