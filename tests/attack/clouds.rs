//! A hostile or compromised service attacks its client: it wants keys, other sandboxes and the client's memory.
//! Each of the nine clients passes the same tests.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use sandshell::cloud::ClientOptions;
use sandshell::emulator::{Options, Vendor};
use sandshell::{
    CreateOptions, Error, ErrorKind, ExecuteRequest, FileUpload, ListOptions, Result, SandboxExt,
    SandboxProvider,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::clients::{CLIENTS, Client, Wire, serve};

/// Strings that are not ids, and how a URL would interpret them.
const NO_IDS: &[&str] = &[
    "",
    ".",
    "..",
    "...",
    "../..",
    "/",
    "a/b",
    "a/../b",
    "a\\b",
    "%2e%2e",
    "a%2fb",
    "%2F",
    "a?b=c",
    "?",
    "a#b",
    "#",
    "..;x",
    "a\nb",
    "a\r\nx-api-key: b",
    "a\0b",
    "\u{7f}",
    "\t",
];

/// A server that handles every connection with this function.
async fn server<F>(treat: impl Fn(TcpStream) -> F + Send + 'static) -> SocketAddr
where
    F: Future<Output = ()> + Send + 'static,
{
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((connection, _)) = listener.accept().await {
            tokio::spawn(treat(connection));
        }
    });
    address
}

/// A server that counts its connections and never answers.
async fn counting() -> (SocketAddr, Arc<AtomicUsize>) {
    let count = Arc::new(AtomicUsize::new(0));
    let counted = count.clone();
    let address = server(move |_| {
        counted.fetch_add(1, Ordering::SeqCst);
        async {}
    });
    (address.await, count)
}

fn hasty() -> ClientOptions {
    let mut options = ClientOptions::default();
    options.deadline = Duration::from_secs(20);
    options.idle_timeout = Duration::from_secs(5);
    options.ready_timeout = Duration::from_secs(20);
    options.retries = 0;
    options
}

fn connect(client: &Client, address: SocketAddr, options: ClientOptions) -> Arc<dyn SandboxProvider> {
    client.connect(address, client.vendor.example_key(), options)
}

/// Every kind of call that does not need a sandbox.
async fn all_calls(provider: &dyn SandboxProvider) -> Vec<(&'static str, Error)> {
    let mut errors = Vec::new();
    let mut note = |call, done: Result<()>| errors.push((call, done.expect_err(call)));
    note("list", provider.list(ListOptions::default()).await.map(drop));
    note("create", provider.get_or_create(CreateOptions::default()).await.map(drop));
    note("attach", provider.get_or_create(CreateOptions::existing("sbx_ord_x")).await.map(drop));
    note("delete", provider.delete("sbx_ord_x").await);
    errors
}

async fn read_head(connection: &mut TcpStream) -> String {
    let mut head = Vec::new();
    while !head.windows(4).any(|window| window == b"\r\n\r\n") {
        if connection.read_buf(&mut head).await.unwrap_or(0) == 0 {
            break;
        }
    }
    String::from_utf8_lossy(&head).into_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_redirect_to_another_origin_gets_nothing() {
    let (thief, visits) = counting().await;
    for status in [301, 302, 303, 307, 308] {
        let address = server(move |mut connection| async move {
            read_head(&mut connection).await;
            let answer = format!(
                "HTTP/1.1 {status} Moved\r\nlocation: http://{thief}/api\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
            );
            drop(connection.write_all(answer.as_bytes()).await);
            drop(connection.shutdown().await);
        })
        .await;
        for client in CLIENTS {
            for (call, error) in all_calls(&*connect(client, address, hasty())).await {
                let is_named = client.wire == Wire::Grpc || error.to_string().contains(&thief.to_string());
                assert!(is_named, "{} {call} {status}: {error}", client.vendor);
            }
            assert_eq!(visits.load(Ordering::SeqCst), 0, "{} followed a {status}", client.vendor);
        }
    }
}

/// A redirect within the same origin is followed with the key, because the origin already has the key.
#[tokio::test(flavor = "multi_thread")]
async fn a_redirect_within_the_origin_is_followed() {
    let upstream = serve([Vendor::E2b], &Options::default()).await;
    let address = server(move |mut connection| async move {
        let head = read_head(&mut connection).await;
        let path = head.split(' ').nth(1).unwrap_or_default();
        let Some(path) = path.strip_prefix("/again") else {
            let answer = format!(
                "HTTP/1.1 307 x\r\nlocation: /again{path}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
            );
            drop(connection.write_all(answer.as_bytes()).await);
            return;
        };
        let mut service = TcpStream::connect(upstream).await.unwrap();
        let asked = head.replacen(&format!("/again{path}"), path, 1);
        let asked = asked.replacen("\r\n", "\r\nconnection: close\r\n", 1);
        drop(service.write_all(asked.as_bytes()).await);
        drop(tokio::io::copy(&mut service, &mut connection).await);
    })
    .await;
    let client = CLIENTS.iter().find(|client| client.vendor == Vendor::E2b).unwrap();
    let page = connect(client, address, hasty()).list(ListOptions::default()).await.unwrap();
    assert!(page.sandboxes.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn redirects_that_go_round_have_an_end() {
    let address = server(|mut connection| async move {
        read_head(&mut connection).await;
        let answer = "HTTP/1.1 307 x\r\nlocation: /round\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
        drop(connection.write_all(answer.as_bytes()).await);
    })
    .await;
    for client in CLIENTS.iter().filter(|client| client.wire == Wire::Http) {
        let error =
            connect(client, address, hasty()).list(ListOptions::default()).await.map(drop).unwrap_err();
        assert!(error.to_string().contains("redirected more than"), "{}: {error}", client.vendor);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_request_is_made_for_what_is_no_id() {
    let (address, visits) = counting().await;
    let ttl = Some(Duration::from_secs(60));
    for client in CLIENTS {
        let provider = connect(client, address, hasty());
        for id in NO_IDS {
            let mut done = vec![
                ("attach", provider.get_or_create(CreateOptions::existing(*id)).await.map(drop)),
                ("delete", provider.delete(id).await),
                ("snapshot", provider.snapshot(id, Some("name")).await.map(drop)),
                ("restore", provider.restore(id, "snapshot").await),
                ("fork", provider.fork(id).await.map(drop)),
                ("pause", provider.pause(id).await),
                ("resume", provider.resume(id).await),
                ("set_ttl", provider.set_ttl(id, ttl).await),
            ];
            // The names of E2B's snapshots contain a slash, which is encoded.
            if client.vendor != Vendor::E2b || *id != "a/b" {
                done.push(("delete_snapshot", provider.delete_snapshot(id).await));
            }
            for (call, done) in done {
                let kind = done.expect_err(call).kind();
                let known = [ErrorKind::InvalidRequest, ErrorKind::Unsupported];
                assert!(known.contains(&kind), "{} {call} {id:?}: {kind:?}", client.vendor);
            }
            assert_eq!(visits.load(Ordering::SeqCst), 0, "{} asked for {id:?}", client.vendor);
        }
    }
}

/// Answers every request with a head, followed by the same bytes for ever. Returns how much it could send.
async fn endless(head: &'static str, piece: &'static [u8]) -> (SocketAddr, Arc<AtomicU64>) {
    let sent = Arc::new(AtomicU64::new(0));
    let counted = sent.clone();
    let address = server(move |mut connection| {
        let counted = counted.clone();
        async move {
            read_head(&mut connection).await;
            let mut more = connection.write_all(head.as_bytes()).await;
            while more.is_ok() {
                counted.fetch_add(piece.len() as u64, Ordering::Relaxed);
                more = connection.write_all(piece).await;
            }
        }
    });
    (address.await, sent)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endless_answer_is_an_error_that_names_the_limit() {
    const PIECE: &[u8] = &[b'a'; 1 << 16];
    let heads = [
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n\"",
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 1000000000000\r\n\r\n\"",
        "HTTP/1.1 404 Not Found\r\n\r\n\"",
    ];
    let mut options = hasty();
    options.max_answer = 1 << 20;
    options.max_download = 2 << 20;
    for head in heads {
        for client in CLIENTS.iter().filter(|client| client.wire == Wire::Http) {
            let (address, sent) = endless(head, PIECE).await;
            for (call, error) in all_calls(&*connect(client, address, options.clone())).await {
                let text = error.to_string();
                assert!(
                    text.contains("max_answer") || text.contains("max_download"),
                    "{} {call}: {text}",
                    client.vendor
                );
            }
            // Minus what was buffered in the sockets.
            let sent = sent.load(Ordering::Relaxed);
            assert!(sent < 256 << 20, "{}: {sent} bytes were taken", client.vendor);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endless_head_is_an_error() {
    const LONG: &[u8] = &[b'a'; 1 << 12];
    for (head, piece) in [
        ("HTTP/1.1 200 OK\r\nx-long: ", LONG),
        ("HTTP/1.1 200 OK\r\n", &b"x-many: a\r\n"[..]),
        ("HTTP/1.1 200 ", LONG),
    ] {
        for client in CLIENTS.iter().filter(|client| client.wire != Wire::Grpc) {
            let (address, sent) = endless(head, piece).await;
            drop(all_calls(&*connect(client, address, hasty())).await);
            assert!(sent.load(Ordering::Relaxed) < 128 << 20, "{}", client.vendor);
        }
    }
}

/// A small body stays small, even if it claims to be compressed.
#[tokio::test(flavor = "multi_thread")]
async fn a_compressed_answer_is_not_unpacked() {
    let address = server(|mut connection| async move {
        read_head(&mut connection).await;
        let head =
            "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 20\r\nconnection: close\r\n\r\n";
        drop(connection.write_all(head.as_bytes()).await);
        // An empty file, compressed.
        drop(connection.write_all(b"\x1f\x8b\x08\0\0\0\0\0\0\x03\x03\0\0\0\0\0\0\0\0\0").await);
    })
    .await;
    for client in CLIENTS.iter().filter(|client| client.wire == Wire::Http) {
        let error =
            connect(client, address, hasty()).list(ListOptions::default()).await.map(drop).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unexpected, "{}: {error}", client.vendor);
    }
}

/// Seven million bytes that would take a hundred times as many.
#[tokio::test(flavor = "multi_thread")]
async fn a_short_answer_of_very_many_values_is_not_parsed() {
    let address = server(|mut connection| async move {
        read_head(&mut connection).await;
        let body = format!("[{}0]", r#"{"":0},"#.repeat(1_000_000));
        let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len());
        drop(connection.write_all((head + &body).as_bytes()).await);
    })
    .await;
    for client in CLIENTS.iter().filter(|client| client.wire == Wire::Http) {
        let error =
            connect(client, address, hasty()).list(ListOptions::default()).await.map(drop).unwrap_err();
        assert!(error.to_string().contains("values: the limit is"), "{}: {error}", client.vendor);
    }
}

/// Modal's service announces a message of a gigabyte, and sends it.
#[tokio::test(flavor = "multi_thread")]
async fn an_endless_message_is_an_error() {
    let address = server(|connection| async move {
        let Ok(mut server) = h2::server::handshake(connection).await else { return };
        // Dropping a body would reset its stream.
        let mut bodies = Vec::new();
        while let Some(Ok((_, mut answer))) = server.accept().await {
            let head = http::Response::builder().header("content-type", "application/grpc").body(()).unwrap();
            let Ok(mut body) = answer.send_response(head, false) else { continue };
            drop(body.send_data(Bytes::from_static(&[0, 0x40, 0, 0, 0]), false));
            drop(body.send_data(Bytes::from_static(&[0; 1 << 16]), false));
            bodies.push(body);
        }
    })
    .await;
    let client = CLIENTS.iter().find(|client| client.wire == Wire::Grpc).unwrap();
    for (call, error) in all_calls(&*connect(client, address, hasty())).await {
        assert!(error.to_string().contains("limit"), "{call}: {error}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_held_as_a_whole_has_a_limit() {
    for client in CLIENTS {
        let address = serve([client.vendor], &Options::default()).await;
        let mut options = hasty();
        options.max_download = 4 << 20;
        let sandbox =
            connect(client, address, options).get_or_create(CreateOptions::default()).await.unwrap();
        let small = Bytes::from(vec![b'x'; 1 << 19]);
        for done in sandbox.upload_files(vec![FileUpload::new("/tmp/small", small.clone())]).await.unwrap() {
            done.result.unwrap();
        }
        let downloaded = sandbox.download_files(vec!["/tmp/small".to_owned()]).await.unwrap();
        assert_eq!(downloaded[0].result, Ok(small), "{}", client.vendor);
        assert!(sandbox.run("yes | head -c 9000000 > /tmp/large").await.unwrap().success());
        let why = match sandbox.download_files(vec!["/tmp/large".to_owned()]).await {
            Ok(answers) => answers[0].result.clone().map(|_| ()).expect_err("too long").to_string(),
            Err(error) => error.to_string(),
        };
        assert!(why.contains("max_download"), "{}: {why}", client.vendor);
        // A download in pieces has no limit.
        let (sender, mut pieces) = tokio::sync::mpsc::channel::<Bytes>(1);
        let count = async {
            let mut length = 0;
            while let Some(piece) = pieces.recv().await {
                length += piece.len();
            }
            length
        };
        let (done, length) = tokio::join!(sandbox.download_to("/tmp/large", sender), count);
        assert_eq!((done.unwrap(), length), (Ok(()), 9_000_000), "{}", client.vendor);
        // A command's long output is cut, not an error.
        let request = ExecuteRequest::new("head -c 300000 /dev/zero | tr '\\0' y").max_output(1000);
        let answer = sandbox.execute(request).await.unwrap();
        assert!(answer.truncated && answer.output.len() == 1000, "{}", client.vendor);
    }
}
