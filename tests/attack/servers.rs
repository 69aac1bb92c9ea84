//! Web pages and other local users attack the servers that sandshell runs on a machine: the emulator and `sandshell
//! mcp --http`.

#[cfg(feature = "mcp")]
use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
#[cfg(feature = "mcp")]
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use sandshell::emulator::{Options, Vendor};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::clients::serve;

/// Sends a request exactly as given; returns the whole answer.
async fn send(address: SocketAddr, request: &str) -> String {
    let mut connection = TcpStream::connect(address).await.unwrap();
    connection.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    drop(connection.read_to_end(&mut answer).await);
    String::from_utf8_lossy(&answer).into_owned()
}

fn status(answer: &str) -> &str {
    answer.split(' ').nth(1).unwrap_or_default()
}

/// A path that each vendor's service answers, even if only with an error of its own.
const PATHS: &[&str] = &[
    "/v2/sandboxes",
    "/api/sandbox",
    "/files?path=/etc/passwd",
    "/langsmith/api/v2/sandboxes/boxes",
    "/vercel/v1/sandboxes",
    "/v1/devboxes",
    "/api/v1/sandboxes",
    "/api/v3/sandboxes",
    "/code-interpreters/x/sessions/list",
    "/modal.client.ModalClient/SandboxListV2",
    "/nothing",
];

#[tokio::test(flavor = "multi_thread")]
async fn the_emulator_answers_no_web_page() {
    let address = serve(Vendor::ALL.iter().copied(), &Options::default()).await;
    let port = address.port();
    for path in PATHS {
        let ask = |head: String| async move {
            send(address, &format!("GET {path} HTTP/1.1\r\n{head}connection: close\r\n\r\n")).await
        };
        let refused = [
            "host: evil.example\r\n".to_owned(),
            format!("host: evil.example:{port}\r\n"),
            format!("host: localhost.evil.example:{port}\r\n"),
            format!("host: 127.0.0.1.evil.example:{port}\r\n"),
            format!("host: 10.0.0.1:{port}\r\n"),
            format!("host: {address}\r\norigin: http://evil.example\r\n"),
            format!("host: {address}\r\norigin: http://{address}\r\n"),
            format!("host: {address}\r\norigin: null\r\n"),
            format!("host: {address}\r\nhost: evil.example\r\n"),
        ];
        for head in refused {
            let answer = ask(head.clone()).await;
            assert!(matches!(status(&answer), "403" | "400"), "{path} {head}: {answer}");
        }
        for head in [
            format!("host: {address}\r\n"),
            format!("host: localhost:{port}\r\n"),
            "host: localhost\r\n".into(),
        ] {
            let answer = ask(head.clone()).await;
            // Some services refuse unsigned requests with the same status.
            assert!(!answer.contains("this server "), "{path} {head}: {answer}");
        }
    }
    // The host is in the request's target instead of its head.
    let absolute = format!(
        "GET http://evil.example/v2/sandboxes HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n"
    );
    assert_eq!(status(&send(address, &absolute).await), "403");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sandbox_s_token_is_not_computed_from_its_id() {
    let address = serve([Vendor::E2b], &Options::default().api_key("right")).await;
    let create = || async {
        let body = r#"{"templateID":"base"}"#;
        let answer = send(
            address,
            &format!(
                "POST /v2/sandboxes HTTP/1.1\r\nhost: {address}\r\nx-api-key: right\r\ncontent-type: application/json\r\n\
                 content-length: {}\r\nconnection: close\r\n\r\n{body}",
                body.len()
            ),
        )
        .await;
        let body = answer.split_once("\r\n\r\n").map(|(_, body)| body.to_owned()).unwrap_or_default();
        let created: Value = serde_json::from_str(&body).expect(&answer);
        let text = |name: &str| created[name].as_str().unwrap_or_default().to_owned();
        (text("sandboxID"), text("envdAccessToken"))
    };
    let ((id, token), (other, others)) = (create().await, create().await);
    let read = |id: String, token: String| async move {
        let head = format!(
            "host: {address}\r\ne2b-sandbox-id: {id}\r\nx-access-token: {token}\r\nconnection: close\r\n\r\n"
        );
        let answer = send(address, &format!("GET /files?path=/etc/passwd HTTP/1.1\r\n{head}")).await;
        status(&answer).to_owned()
    };
    assert_eq!(read(id.clone(), token.clone()).await, "200");
    for guess in
        [format!("ea_{id}"), id.clone(), "right".to_owned(), others, String::new(), token.to_uppercase()]
    {
        assert_eq!(read(id.clone(), guess.clone()).await, "401", "{guess}");
    }
    assert!(!token.contains(&id) && !token.contains(&other));
}

/// Clients that send nothing, a part of a head, a line now and then, or nothing after an answer.
#[tokio::test(flavor = "multi_thread")]
async fn a_head_that_does_not_end_is_not_waited_for() {
    let address = serve([Vendor::E2b], &Options::default()).await;
    let slow = |first: &'static [u8], then: &'static [u8]| async move {
        let mut connection = TcpStream::connect(address).await.unwrap();
        connection.write_all(first).await.unwrap();
        let begun = Instant::now();
        let mut answer = [0; 1024];
        loop {
            if connection.write_all(then).await.is_err() {
                break;
            }
            let read = tokio::time::timeout(Duration::from_millis(500), connection.read(&mut answer)).await;
            if matches!(read, Ok(Ok(0) | Err(_))) {
                break;
            }
            assert!(begun.elapsed() < Duration::from_secs(60), "{first:?} is waited for");
        }
    };
    tokio::join!(
        slow(b"", b""),
        slow(b"GET / HTTP/1.1\r\nhost: localhost\r\n", b"x: y\r\n"),
        slow(b"PRI * HTTP/2.0\r\n", b""),
        slow(b"GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n", b""),
    );
}

/// `sandshell mcp --http`, which ends on drop.
#[cfg(feature = "mcp")]
struct Mcp(Child, SocketAddr);

#[cfg(feature = "mcp")]
impl Mcp {
    fn start(home: &std::path::Path) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_sandshell"))
            .args(["mcp", "--no-mount", "--http=127.0.0.1:0"])
            .env_clear()
            .env("HOME", home)
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
        let line = lines.find(|line| line.contains("listening on")).expect("it listens");
        std::thread::spawn(move || lines.for_each(drop));
        let address = line.split("http://").nth(1).and_then(|rest| rest.split('/').next()).unwrap();
        let address = address.parse().unwrap();
        Self(child, address)
    }
}

#[cfg(feature = "mcp")]
impl Drop for Mcp {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

#[cfg(feature = "mcp")]
const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}"#;

#[cfg(feature = "mcp")]
fn initialize(head: &str) -> String {
    format!(
        "POST /mcp HTTP/1.1\r\n{head}content-type: application/json\r\naccept: application/json, text/event-stream\r\n\
         content-length: {}\r\nconnection: close\r\n\r\n{INITIALIZE}",
        INITIALIZE.len()
    )
}

#[cfg(feature = "mcp")]
#[tokio::test(flavor = "multi_thread")]
async fn mcp_answers_no_web_page_and_bounds_its_sessions() {
    let home = tempfile::tempdir().unwrap();
    let mcp = Mcp::start(home.path());
    let address = mcp.1;
    for head in [
        "host: evil.example\r\n".to_owned(),
        format!("host: evil.example:{}\r\n", address.port()),
        format!("host: {address}\r\norigin: http://evil.example\r\n"),
        format!("host: {address}\r\norigin: http://{address}\r\n"),
        format!("host: {address}\r\norigin: null\r\n"),
    ] {
        let answer = send(address, &initialize(&head)).await;
        assert_eq!(status(&answer), "403", "{head}: {answer}");
    }
    let right = initialize(&format!("host: {address}\r\n"));
    for number in 0..64 {
        let answer = send(address, &right).await;
        assert_eq!(status(&answer), "200", "session {number}: {answer}");
    }
    let answer = send(address, &right).await;
    assert!(status(&answer) == "503" && answer.contains("the limit is 64"), "{answer}");
}

/// Sessions that begin at the same time, after each was found to be one that may.
#[cfg(feature = "mcp")]
#[tokio::test(flavor = "multi_thread")]
async fn mcp_bounds_its_sessions_when_they_begin_together() {
    let home = tempfile::tempdir().unwrap();
    let mcp = Mcp::start(home.path());
    let request = initialize(&format!("host: {}\r\n", mcp.1));
    let (last, first) = request.as_bytes().split_last().unwrap();
    let mut connections = Vec::new();
    for _ in 0..200 {
        let mut connection = TcpStream::connect(mcp.1).await.unwrap();
        connection.write_all(first).await.unwrap();
        connections.push(connection);
    }
    for connection in &mut connections {
        connection.write_all(&[*last]).await.unwrap();
    }
    let mut begun = 0;
    for mut connection in connections {
        let mut answer = [0; 12];
        connection.read_exact(&mut answer).await.unwrap();
        begun += usize::from(answer.ends_with(b"200"));
    }
    assert_eq!(begun, 64);
}

/// A message of some megabytes would take a hundred times as many, and many messages together all memory.
#[cfg(all(feature = "mcp", target_os = "linux"))]
#[tokio::test(flavor = "multi_thread")]
async fn requests_of_mcp_have_a_budget() {
    let home = tempfile::tempdir().unwrap();
    let mcp = Mcp::start(home.path());
    let head = |length: usize| {
        format!(
            "POST /mcp HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\n\
             content-length: {length}\r\nconnection: close\r\n\r\n",
            mcp.1
        )
    };
    let bomb =
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"x","params":{{"x":[{}0]}}}}"#, "0,".repeat(8 << 20));
    let answer = send(mcp.1, &(head(bomb.len()) + &bomb)).await;
    assert!(status(&answer) == "413" && answer.contains("values: the limit is"), "{answer}");
    // Together they would have a gigabyte.
    let long = 120 << 20;
    let mut begun = Vec::new();
    for _ in 0..8 {
        let mut connection = TcpStream::connect(mcp.1).await.unwrap();
        connection.write_all(head(long).as_bytes()).await.unwrap();
        let piece = vec![b' '; 1 << 20];
        for _ in 0..119 {
            if connection.write_all(&piece).await.is_err() {
                break;
            }
        }
        begun.push(connection);
    }
    let highest = std::fs::read_to_string(format!("/proc/{}/status", mcp.0.id())).unwrap();
    let highest = highest.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap().trim().to_owned();
    let highest: u64 = highest.strip_suffix(" kB").unwrap().parse().unwrap();
    assert!(highest < 1100 << 10, "{highest} KiB");
    drop(begun);
    // What was held is given back.
    let until = Instant::now() + Duration::from_secs(60);
    let some = format!("{INITIALIZE}{}", " ".repeat(1 << 20));
    while status(&send(mcp.1, &(head(some.len()) + &some)).await) != "200" {
        assert!(Instant::now() < until, "the budget is not given back");
    }
}
