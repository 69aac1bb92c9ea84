//! Clients that do not read their answers, or hardly.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::routing::post;
use http_body::{Frame, SizeHint};
use sandshell_server::{Limits, serve};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Longer than any limit in these tests, even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

const IDLE: Duration = Duration::from_millis(500);

/// An answer that lies ready, in one piece or bit by bit, and is counted as long as it does.
struct Ready {
    left: usize,
    piece: usize,
    is_file: bool,
    all: Arc<Answers>,
}

/// How many answers there were, and how many are held.
#[derive(Default)]
struct Answers {
    made: AtomicUsize,
    held: AtomicUsize,
}

impl Ready {
    fn body(left: usize, piece: usize, is_file: bool, all: &Arc<Answers>) -> Body {
        all.held.fetch_add(1, Ordering::SeqCst);
        all.made.fetch_add(1, Ordering::SeqCst);
        Body::new(Self { left, piece, is_file, all: all.clone() })
    }
}

impl Drop for Ready {
    fn drop(&mut self) {
        self.all.held.fetch_sub(1, Ordering::SeqCst);
    }
}

impl http_body::Body for Ready {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let length = self.piece.min(self.left);
        self.left -= length;
        Poll::Ready((length > 0).then(|| Ok(Frame::data(vec![b'x'; length].into()))))
    }

    fn is_end_stream(&self) -> bool {
        self.is_file && self.left == 0
    }

    fn size_hint(&self) -> SizeHint {
        if self.is_file { SizeHint::with_exact(self.left as u64) } else { SizeHint::default() }
    }
}

/// A server with answers of 64 MiB or 60 KB, and one that is short; and the former.
async fn start() -> (SocketAddr, Arc<Answers>) {
    let all = Arc::<Answers>::default();
    let answer = |left: usize, piece: usize, is_file: bool| {
        let all = all.clone();
        move || async move { Ready::body(left, piece, is_file, &all) }
    };
    let router = Router::new()
        .route("/", post(async || "done").get(answer(64 << 20, 64 << 20, true)))
        .route("/b", axum::routing::get(answer(60_000, 60_000, true)))
        .route("/s", axum::routing::get(answer(64 << 20, 100, false)));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let mut limits = Limits::default();
    (limits.idle, limits.head) = (IDLE, IDLE);
    tokio::spawn(serve(listener, router, limits));
    (address, all)
}

/// The frame that asks for this, on this stream.
fn ask(stream: u32, path: &str, method: u8) -> Vec<u8> {
    let mut head = vec![method, 0x86, 0x44, path.len() as u8];
    head.extend_from_slice(path.as_bytes());
    head.extend_from_slice(b"\x41\x09localhost");
    let mut frame = vec![0, 0, head.len() as u8, 1, 5];
    frame.extend(stream.to_be_bytes());
    [frame, head].concat()
}

/// A client over HTTP/2 whose window has this many bytes for each stream. It asks for the long answers, and then for a
/// short one again and again, which it reads.
async fn uses_one_connection(window: u32, paths: &[&str]) {
    let (address, all) = start().await;
    let mut connection = TcpStream::connect(address).await.unwrap();
    let mut first = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\x06\x04\0\0\0\0\0\0\x04".to_vec();
    first.extend(window.to_be_bytes());
    // The connection as a whole has room.
    first.extend(b"\0\0\x04\x08\0\0\0\0\0\x10\0\0\0");
    let mut stream = 1;
    for path in paths {
        first.extend(ask(stream, path, 0x82));
        stream += 2;
    }
    connection.write_all(&first).await.unwrap();
    let (mut answers, mut requests) = connection.into_split();
    let count = Arc::<AtomicUsize>::default();
    let done = count.clone();
    let reading = tokio::spawn(async move {
        let (mut frame, mut said) = ([0; 9], Vec::new());
        while answers.read_exact(&mut frame).await.is_ok() {
            let [a, b, c, kind, ..] = frame;
            said.resize(u32::from_be_bytes([0, a, b, c]) as usize, 0);
            answers.read_exact(&mut said).await.unwrap();
            // It may come letter by letter.
            if kind == 0 && said.ends_with(b"e") {
                done.fetch_add(1, Ordering::SeqCst);
            }
        }
    });
    let begun = Instant::now();
    while all.made.load(Ordering::SeqCst) < paths.len() || all.held.load(Ordering::SeqCst) > 0 {
        let held = all.held.load(Ordering::SeqCst);
        assert!(begun.elapsed() < PATIENCE, "{held} answers are held for ever");
        let mut more = ask(stream, "/", 0x83);
        more.extend([0, 0, 4, 8, 0]);
        more.extend(stream.to_be_bytes());
        more.extend(100_u32.to_be_bytes());
        requests.write_all(&more).await.expect("the connection is of use");
        stream += 2;
        tokio::time::sleep(IDLE / 10).await;
    }
    // The other answers of the connection go on.
    let before = count.load(Ordering::SeqCst);
    let more = [ask(stream, "/", 0x83), vec![0, 0, 4, 8, 0], stream.to_be_bytes().into(), vec![0, 0, 0, 9]];
    requests.write_all(&more.concat()).await.expect("the connection is of use");
    while count.load(Ordering::SeqCst) <= before {
        assert!(begun.elapsed() < PATIENCE, "the short answers are not sent");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    reading.abort();
}

#[tokio::test]
async fn an_answer_is_not_held_for_a_window_that_stays_closed() {
    tokio::join!(
        uses_one_connection(0, &["/", "/b", "/s"]),
        uses_one_connection(1, &["/", "/b", "/s", "/b"]),
        uses_one_connection(40_000, &["/", "/b", "/s"]),
    );
}

/// Reads some bytes now and then; returns whether the server gave up.
async fn reads_slowly(path: &str, bytes: usize, time: Duration) -> bool {
    let (address, all) = start().await;
    let mut connection = TcpStream::connect(address).await.unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n");
    connection.write_all(request.as_bytes()).await.unwrap();
    let (begun, mut some) = (Instant::now(), vec![0; bytes]);
    while begun.elapsed() < time {
        connection.read_exact(&mut some).await.unwrap();
        tokio::time::sleep(IDLE / 50).await;
        if all.held.load(Ordering::SeqCst) == 0 {
            return true;
        }
    }
    false
}

#[tokio::test]
async fn a_file_that_is_read_drop_by_drop_is_given_up() {
    // What lies in the system's buffers is read all the same.
    let slow = reads_slowly("/", 256, PATIENCE);
    let steady = reads_slowly("/", 256 << 10, IDLE * 4);
    // What comes bit by bit may be read as slowly as the client likes.
    let stream = reads_slowly("/s", 64 << 10, IDLE * 6);
    assert_eq!(tokio::join!(slow, steady, stream), (true, false, false));
}
