//! Clients that send nothing, too little or too much.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::middleware::from_fn;
use axum::routing::post;
use sandshell_server::{Limits, no_pages, own_hosts_only, patient, serve, steady};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Longer than any limit in these tests, even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

async fn start(connections: usize, head: Duration) -> SocketAddr {
    let read = async |body: Body| match axum::body::to_bytes(body, 1 << 20).await {
        Ok(body) => format!("{} bytes", body.len()),
        Err(_) => "it broke off".to_owned(),
    };
    let pause = Duration::from_millis(300);
    let router = Router::new()
        .route("/", post(async move |request: Request| read(patient(request.into_body(), pause)).await))
        .route("/steady", post(async move |request: Request| read(steady(request.into_body(), pause)).await));
    let router = router.layer(from_fn(no_pages)).layer(from_fn(own_hosts_only));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let mut limits = Limits::default();
    (limits.connections, limits.head) = (connections, head);
    tokio::spawn(serve(listener, router, limits));
    address
}

async fn connect(address: SocketAddr, first: &[u8]) -> TcpStream {
    let mut connection = TcpStream::connect(address).await.unwrap();
    connection.write_all(first).await.unwrap();
    connection
}

/// Reads what the server sends until it closes the connection.
async fn rest(mut connection: TcpStream) -> String {
    let mut said = Vec::new();
    let read = tokio::time::timeout(PATIENCE, connection.read_to_end(&mut said)).await;
    // How it is closed does not matter.
    drop(read.expect("it is closed"));
    String::from_utf8_lossy(&said).into_owned()
}

const HEAD: &str = "POST / HTTP/1.1\r\nhost: localhost\r\n";
const STEADY: &str = "POST /steady HTTP/1.1\r\nhost: localhost\r\n";

#[tokio::test]
async fn a_head_has_its_time() {
    let address = start(16, Duration::from_millis(300)).await;
    for first in
        ["", "P", "POST / HTTP/1.1\r\nhost:", "PRI * HTTP/2.0\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"]
    {
        let begun = Instant::now();
        rest(connect(address, first.as_bytes()).await).await;
        assert!(begun.elapsed() >= Duration::from_millis(250), "{first:?} was not waited for");
    }
}

#[tokio::test]
async fn the_head_after_an_answer_has_its_time() {
    let address = start(16, Duration::from_millis(300)).await;
    let said = rest(connect(address, format!("{HEAD}content-length: 2\r\n\r\nok").as_bytes()).await).await;
    assert!(said.contains("2 bytes"), "{said}");
}

#[tokio::test]
async fn a_drop_now_and_then_is_no_head() {
    let address = start(16, Duration::from_millis(500)).await;
    let mut connection = connect(address, HEAD.as_bytes()).await;
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE {
        tokio::time::sleep(Duration::from_millis(50)).await;
        if connection.write_all(b"x: y\r\n").await.is_err() {
            return;
        }
    }
    panic!("it is still read");
}

#[tokio::test]
async fn a_body_that_falls_silent_is_given_up() {
    let address = start(16, Duration::from_secs(20)).await;
    let request = format!("{HEAD}content-length: 1000\r\nconnection: close\r\n\r\nbegun");
    let said = rest(connect(address, request.as_bytes()).await).await;
    assert!(said.contains("it broke off"), "{said}");
}

/// One byte at a time is no pause, but a body that takes for ever.
#[tokio::test]
async fn a_body_that_drips_is_given_up() {
    let address = start(16, Duration::from_secs(20)).await;
    let request = format!("{STEADY}content-length: 100000\r\nconnection: close\r\n\r\n");
    let (mut read, mut write) = connect(address, request.as_bytes()).await.into_split();
    let dripping = async {
        while write.write_all(b"x").await.is_ok() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    let mut said = [0; 4096];
    let answer = tokio::select! {
        answer = tokio::time::timeout(PATIENCE, read.read(&mut said)) => answer.expect("it is given up"),
        () = dripping => panic!("it is closed without an answer"),
    };
    let said = String::from_utf8_lossy(&said[..answer.unwrap()]);
    assert!(said.contains("it broke off"), "{said}");
}

#[tokio::test]
async fn a_large_body_in_small_pieces_is_read() {
    let address = start(16, Duration::from_secs(20)).await;
    let request = format!("{STEADY}content-length: 1000000\r\nconnection: close\r\n\r\n");
    let mut connection = connect(address, request.as_bytes()).await;
    for _ in 0..1000 {
        connection.write_all(&[b'x'; 1000]).await.unwrap();
        tokio::task::yield_now().await;
    }
    let said = rest(connection).await;
    assert!(said.contains("1000000 bytes"), "{said}");
}

/// A server with a short limit for what is idle, whose answers are long, except to `POST`.
async fn idle(connections: usize) -> SocketAddr {
    let long = async || vec![b'x'; 64 << 20];
    let router = Router::new().route("/", post(async || "done").get(long));
    let upgrade = async |upgrade: axum::extract::ws::WebSocketUpgrade| {
        upgrade.on_upgrade(async |mut socket| while socket.recv().await.is_some() {})
    };
    let router = router.route("/socket", axum::routing::any(upgrade));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let mut limits = Limits::default();
    (limits.connections, limits.idle, limits.head) =
        (connections, Duration::from_millis(300), Duration::from_millis(300));
    tokio::spawn(serve(listener, router, limits));
    address
}

/// Clients that ask once and then for nothing more, and answer all pings, or none.
#[tokio::test]
async fn a_connection_without_requests_is_closed_over_http_2() {
    tokio::join!(asks_once(true), asks_once(false));
}

async fn asks_once(answers: bool) {
    let address = idle(1).await;
    let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";
    let head = b"\0\0\x0e\x01\x05\0\0\0\x01\x83\x84\x86\x41\x09localhost";
    let mut connection = connect(address, &[&preface[..], &head[..]].concat()).await;
    let closed = async {
        let (mut frame, mut said) = ([0; 9], Vec::new());
        let mut answered = false;
        while connection.read_exact(&mut frame).await.is_ok() {
            let [a, b, c, kind, flags, ..] = frame;
            said.resize(u32::from_be_bytes([0, a, b, c]) as usize, 0);
            connection.read_exact(&mut said).await.unwrap();
            answered |= kind == 0 && said == b"done";
            if answers && kind == 6 && flags & 1 == 0 {
                frame[4] = 1;
                drop(connection.write_all(&[&frame[..], &said].concat()).await);
            }
        }
        answered
    };
    assert!(tokio::time::timeout(PATIENCE, closed).await.expect("it is closed"), "there was no answer");
}

#[tokio::test]
async fn an_answer_that_is_not_read_is_given_up() {
    let address = idle(1).await;
    let unread = connect(address, b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n").await;
    let begun = Instant::now();
    loop {
        let request = format!("{HEAD}content-length: 0\r\nconnection: close\r\n\r\n");
        let said = rest(connect(address, request.as_bytes()).await).await;
        if said.contains("done") {
            break;
        }
        assert!(begun.elapsed() < PATIENCE, "it has its place for ever: {said}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    drop(unread);
}

#[tokio::test]
async fn web_sockets_are_connections() {
    let address = idle(2).await;
    let head = "GET /socket HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\n\
                sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    let mut sockets = Vec::new();
    for _ in 0..2 {
        let mut socket = connect(address, head.as_bytes()).await;
        let mut said = [0; 12];
        socket.read_exact(&mut said).await.unwrap();
        assert_eq!(&said, b"HTTP/1.1 101");
        sockets.push(socket);
    }
    // They are no requests any more.
    tokio::time::sleep(Duration::from_millis(100)).await;
    let said = rest(connect(address, b"").await).await;
    assert!(said.starts_with("HTTP/1.1 503 ") && said.contains("the limit is 2"), "{said}");
    drop(sockets);
}

#[tokio::test]
async fn connections_are_counted() {
    let address = start(2, Duration::from_secs(20)).await;
    let first = connect(address, b"").await;
    let second = connect(address, b"P").await;
    let said = rest(connect(address, b"").await).await;
    assert!(said.starts_with("HTTP/1.1 503 ") && said.contains("the limit is 2"), "{said}");
    drop((first, second));
    let request = format!("{HEAD}content-length: 2\r\nconnection: close\r\n\r\nok");
    let begun = Instant::now();
    while !rest(connect(address, request.as_bytes()).await).await.contains("2 bytes") {
        assert!(begun.elapsed() < PATIENCE, "they still count");
    }
}

#[tokio::test]
async fn a_head_has_its_length() {
    let address = start(16, Duration::from_secs(20)).await;
    let mut connection = connect(address, HEAD.as_bytes()).await;
    let mut sent = 0;
    let line = format!("x: {}\r\n", "y".repeat(1000));
    while connection.write_all(line.as_bytes()).await.is_ok() {
        sent += line.len();
        assert!(sent < 64 << 20, "it is all read");
    }
}

#[tokio::test]
async fn pages_are_refused() {
    let address = start(16, Duration::from_secs(20)).await;
    for head in ["host: evil.example", "host: localhost\r\norigin: http://localhost", "x: y"] {
        let request = format!("POST / HTTP/1.1\r\n{head}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
        let said = rest(connect(address, request.as_bytes()).await).await;
        assert!(said.starts_with("HTTP/1.1 403 "), "{head}: {said}");
    }
}

#[tokio::test]
async fn requests_have_a_limit_over_all_connections() {
    let read = async |request: Request| match axum::body::to_bytes(request.into_body(), 1 << 20).await {
        Ok(body) => format!("{} bytes", body.len()),
        Err(_) => "it broke off".to_owned(),
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let mut limits = Limits::default();
    limits.requests = 1;
    tokio::spawn(serve(listener, Router::new().route("/", post(read)), limits));
    let ask = |body: &'static str| async move {
        let head = format!("{HEAD}connection: close\r\ncontent-length: 2\r\n\r\n{body}");
        connect(address, head.as_bytes()).await
    };
    let mut half = ask("o").await;
    let mut said = String::new();
    for _ in 0..100 {
        said = rest(ask("ok").await).await;
        if said.contains("503") {
            break;
        }
        // The first one may not have arrived.
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(
        said.contains("503") && said.contains("too many requests at the same time: the limit is 1"),
        "{said}"
    );
    half.write_all(b"k").await.unwrap();
    assert!(rest(half).await.contains("2 bytes"));
    assert!(rest(ask("ok").await).await.contains("2 bytes"));
}
