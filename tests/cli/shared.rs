//! Sandboxes in an object store: every home directory is another machine.

use super::{check, check_refused, home, sandshell};
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// Machines that share a directory.
pub(super) struct Machines {
    shared: TempDir,
}

impl Machines {
    pub(super) fn new() -> Self {
        Self { shared: home() }
    }

    pub(super) fn url(&self) -> String {
        format!("file://{}/sandboxes", self.shared.path().display())
    }

    pub(super) fn command(&self, machine: &TempDir, args: &[&str]) -> Command {
        let mut command = sandshell(machine.path());
        command.env("SANDSHELL_DATA_DIR", self.url()).env("SANDSHELL_LEASE", "2").args(args);
        command
    }

    pub(super) fn run(&self, machine: &TempDir, args: &[&str]) -> Output {
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

#[cfg(feature = "serve")]
pub(super) mod serving {
    use super::*;
    use std::io::{Read, Write};
    use std::net::TcpStream;
    use std::process::Child;
    use std::time::{Duration, Instant};

    /// A server, which ends with the test.
    pub(crate) struct Server {
        pub(crate) process: Child,
        home: TempDir,
        pub(crate) health: String,
    }

    impl Drop for Server {
        fn drop(&mut self) {
            let _ = self.process.kill();
            let _ = self.process.wait();
        }
    }

    impl Server {
        fn start(machines: &Machines) -> Self {
            Self::start_with(machines, "e2b", &[])
        }

        pub(crate) fn start_with(machines: &Machines, vendor: &str, more: &[&str]) -> Self {
            let home = home();
            // A server keeps its state only where an option says so.
            let url = machines.url();
            let arguments = [
                "--data-dir",
                &url,
                "serve",
                "--emulate",
                vendor,
                "--port",
                "0",
                "--health",
                "127.0.0.1:0",
                "--env-file",
                "variables",
            ];
            let mut command = machines.command(&home, &arguments);
            if !more.is_empty() {
                // Those that work together must not take each other for gone on a busy machine.
                command.env("SANDSHELL_LEASE", "6");
            }
            let mut process = command.args(more).stderr(Stdio::piped()).spawn().unwrap();
            let mut said = BufReader::new(process.stderr.take().unwrap()).lines();
            let line = said.next().unwrap().unwrap();
            let health = line.split("http://").nth(1).unwrap().to_owned();
            std::thread::spawn(move || said.for_each(drop));
            Self { process, home, health }
        }

        /// Waits until it serves; returns its address.
        pub(crate) fn address(&self) -> String {
            let until = Instant::now() + Duration::from_secs(60);
            loop {
                let text = fs::read_to_string(self.home.path().join("variables")).unwrap_or_default();
                if text.ends_with('\n') && ask(&self.health, "GET /readyz", "").starts_with("HTTP/1.1 200 ") {
                    let line = text.lines().find_map(|line| line.split_once("http://")).unwrap();
                    return line.1.trim_matches('\'').to_owned();
                }
                assert!(Instant::now() < until, "it does not serve");
                std::thread::sleep(Duration::from_millis(50));
            }
        }
    }

    pub(crate) fn ask(address: &str, request: &str, body: &str) -> String {
        let length = body.len();
        send(
            address,
            &format!(
                "{request} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\nx-api-key: e2b_key\r\n\
                 authorization: Bearer key\r\n\
                 content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
            ),
        )
    }

    pub(crate) fn send(address: &str, request: &str) -> String {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    fn create(address: &str) -> String {
        let made = ask(address, "POST /sandboxes", r#"{"templateID": "base", "timeout": 3600}"#);
        assert!(made.starts_with("HTTP/1.1 201 "), "{made}");
        made.split("\"sandboxID\":\"").nth(1).unwrap().split('"').next().unwrap().to_owned()
    }

    pub(crate) fn signal(server: &Server, signal: &str) {
        let process = server.process.id().to_string();
        assert!(Command::new("/bin/kill").args([signal, &process]).status().unwrap().success());
    }

    #[test]
    fn one_server_serves_and_another_stands_by() {
        let machines = Machines::new();
        let mut first = Server::start(&machines);
        let address = first.address();
        let mut second = Server::start(&machines);
        assert!(ask(&second.health, "GET /healthz", "").starts_with("HTTP/1.1 200 "));
        let until = Instant::now() + Duration::from_secs(60);
        while !ask(&second.health, "GET /readyz", "").contains("standing by: ") {
            assert!(Instant::now() < until);
            std::thread::sleep(Duration::from_millis(50));
        }
        let killed = create(&address);
        first.process.kill().unwrap();
        first.process.wait().unwrap();

        // What was acknowledged is there, as soon as the lease has run out.
        let address = second.address();
        let listed = ask(&address, "GET /v2/sandboxes", "");
        assert!(listed.contains(&killed), "{listed}");
        let made = create(&address);
        for stranger in ["host: evil.example", "host: localhost\r\norigin: https://evil.example"] {
            let refused = send(
                &second.health,
                &format!("GET /metrics HTTP/1.1\r\n{stranger}\r\nconnection: close\r\n\r\n"),
            );
            assert!(refused.starts_with("HTTP/1.1 403 "), "{refused}");
        }
        let metrics = ask(&second.health, "GET /metrics", "");
        for expected in [
            "\nsandshell_ready 1\n",
            "\nsandshell_sandboxes_open 2\n",
            "\nsandshell_requests_total{status=\"2xx\"} 2\n",
            "\nsandshell_store_failures_total 0\n",
            "# TYPE sandshell_store_requests_total counter\n",
        ] {
            assert!(metrics.contains(expected), "{expected:?} is not in {metrics}");
        }

        // One that ends by itself needs no waiting for.
        signal(&second, "-TERM");
        assert_eq!(second.process.wait().unwrap().code(), Some(0));
        let third = Server::start(&machines);
        let listed = ask(&third.address(), "GET /v2/sandboxes", "");
        assert!(listed.contains(&killed) && listed.contains(&made), "{listed}");
    }
}
