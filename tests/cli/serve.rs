//! `sandshell serve`, and the variables that it prints.

use super::{check, home, run, sandshell};
use sandshell::emulator::Vendor;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command};
use std::time::Duration;

/// Ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn variables_for_eval() {
    let home = home();
    for vendor in Vendor::ALL {
        let printed =
            run(&home, ["serve", "--print-env", vendor.name(), "--port", "1234", "--api-key", "it's $k"]);
        assert!(printed.status.success());
        let script = format!("{}env", String::from_utf8(printed.stdout).unwrap());
        let seen = Command::new("/bin/sh").args(["-c", &script]).env_clear().output().unwrap();
        let seen = String::from_utf8(seen.stdout).unwrap();
        for (name, value) in vendor.variables("http://127.0.0.1:1234", "it's $k") {
            assert!(seen.lines().any(|line| line == format!("{name}={value}")), "{name}: {seen}");
        }
    }
}

#[test]
fn a_file_of_variables_and_one_key() {
    let home = home();
    let file = home.path().join("variables");
    let mut serve = sandshell(home.path());
    serve
        .args(["serve", "--emulate", "e2b,runloop", "--port", "0", "--api-key", "right", "--env-file"])
        .arg(&file);
    let _running = Running(serve.spawn().unwrap());
    let mut text = String::new();
    while !text.ends_with('\n') {
        std::thread::sleep(Duration::from_millis(20));
        text = std::fs::read_to_string(&file).unwrap_or_default();
    }
    let value = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(&format!("{name}=")));
        line.unwrap().trim_matches('\'').to_owned()
    };
    assert_eq!((value("E2B_API_KEY"), value("RUNLOOP_API_KEY")), ("right".to_owned(), "right".to_owned()));
    let address = value("E2B_API_URL").strip_prefix("http://").unwrap().to_owned();
    assert_eq!(value("RUNLOOP_BASE_URL"), format!("http://{address}"));
    let ask = |path: &str, header: &str| {
        let mut stream = TcpStream::connect(&address).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{header}\r\n\r\n")
            .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    };
    for (path, header) in [("/v2/sandboxes", "x-api-key: "), ("/v1/devboxes", "authorization: Bearer ")] {
        let right = ask(path, &format!("{header}right"));
        assert!(right.starts_with("HTTP/1.1 200 "), "{right}");
        let wrong = ask(path, &format!("{header}wrong"));
        assert!(wrong.starts_with("HTTP/1.1 401 ") && wrong.contains("\"message\""), "{wrong}");
    }
}

#[test]
fn what_is_refused() {
    let home = home();
    let public = run(&home, ["serve", "--emulate", "e2b", "--host", "0.0.0.0", "--port", "0"]);
    assert!(!public.status.success());
    assert!(String::from_utf8_lossy(&public.stderr).contains("--public"));
    let health = run(&home, ["serve", "--emulate", "e2b", "--port", "0", "--health", "0.0.0.0:0"]);
    assert!(!health.status.success());
    assert!(String::from_utf8_lossy(&health.stderr).contains("--public"));
    let unknown = run(&home, ["serve", "--emulate", "nobody"]);
    check(&unknown, 2, "");
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("known are agentcore, daytona"));
    check(&run(&home, ["serve", "--emulate", "e2b", "--print-env", "e2b"]), 2, "");
    check(&run(&home, ["serve"]), 2, "");
}

/// Starts a service that prints its variables to a file; returns it with its address.
fn start(home: &tempfile::TempDir, file: &std::path::Path) -> (Running, String) {
    let _ = std::fs::remove_file(file);
    let mut serve = sandshell(home.path());
    serve.args(["--data-dir", "clouds", "serve", "--emulate", "e2b", "--port", "0", "--env-file"]).arg(file);
    let running = Running(serve.spawn().unwrap());
    let mut text = String::new();
    while !text.ends_with('\n') {
        std::thread::sleep(Duration::from_millis(20));
        text = std::fs::read_to_string(file).unwrap_or_default();
    }
    let line = text.lines().find_map(|line| line.strip_prefix("E2B_API_URL="));
    (running, line.unwrap().trim_matches('\'').strip_prefix("http://").unwrap().to_owned())
}

fn ask(address: &str, request: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    let length = body.len();
    write!(
        stream,
        "{request} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\nx-api-key: e2b_key\r\n\
         content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn a_killed_service_is_there_again() {
    let home = home();
    let file = home.path().join("variables");
    let (mut first, address) = start(&home, &file);
    let body = r#"{"templateID": "base", "timeout": 3600, "metadata": {"thread": "7"}}"#;
    let made = ask(&address, "POST /sandboxes", body);
    assert!(made.starts_with("HTTP/1.1 201 "), "{made}");
    let id = made.split("\"sandboxID\":\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    first.0.kill().unwrap();
    first.0.wait().unwrap();
    let (_second, address) = start(&home, &file);
    let found = ask(&address, "GET /v2/sandboxes?metadata=thread%3D7", "");
    assert!(found.starts_with("HTTP/1.1 200 ") && found.contains(&id), "{found}");
    let deleted = ask(&address, &format!("DELETE /sandboxes/{id}"), "");
    assert!(deleted.starts_with("HTTP/1.1 204 "), "{deleted}");
    // The local sandboxes of the user are others.
    check(&run(&home, ["list"]), 0, "");
}
