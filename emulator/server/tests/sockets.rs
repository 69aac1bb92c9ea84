//! WebSockets whose clients read nothing, or never end what they say.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use axum::extract::Extension;
use axum::extract::ws::{Message, WebSocketUpgrade};
use axum::routing::any;
use sandshell_server::{Incoming, Limits, serve};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Longer than any limit in these tests, even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// A server with room for a megabyte of messages, which answers each with its length.
async fn start(idle: Duration) -> SocketAddr {
    let upgrade = async |Extension(incoming): Extension<Incoming>, upgrade: WebSocketUpgrade| {
        upgrade.on_upgrade(async move |mut socket| {
            while let Some(Ok(message)) = socket.recv().await {
                if let Message::Ping(data) | Message::Pong(data) = &message {
                    incoming.taken(data.len() + 6);
                    continue;
                }
                incoming.all_taken();
                let length = message.into_data().len();
                if socket.send(Message::text(length.to_string())).await.is_err() {
                    return;
                }
            }
        })
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let mut limits = Limits::default();
    (limits.idle, limits.messages) = (idle, 1 << 20);
    tokio::spawn(serve(listener, Router::new().route("/", any(upgrade)), limits));
    address
}

async fn connect(address: SocketAddr) -> TcpStream {
    let mut socket = TcpStream::connect(address).await.unwrap();
    let head = "GET / HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\n\
                sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    socket.write_all(head.as_bytes()).await.unwrap();
    let mut said = Vec::new();
    while !said.ends_with(b"\r\n\r\n") {
        said.push(socket.read_u8().await.unwrap());
    }
    assert!(said.starts_with(b"HTTP/1.1 101"));
    socket
}

/// A frame of a client, and whether it ends its message.
fn frame(kind: u8, ends: bool, data: &[u8]) -> Vec<u8> {
    let mut frame = vec![kind | if ends { 0x80 } else { 0 }];
    match u16::try_from(data.len()) {
        Ok(length @ ..=125) => frame.push(0x80 | length as u8),
        Ok(length) => {
            frame.push(0x80 | 126);
            frame.extend(length.to_be_bytes());
        }
        Err(_) => {
            frame.push(0x80 | 127);
            frame.extend((data.len() as u64).to_be_bytes());
        }
    }
    frame.extend([0; 4]);
    frame.extend_from_slice(data);
    frame
}

/// What the server says next; nothing when it closes the connection.
async fn said(socket: &mut TcpStream) -> Vec<u8> {
    let mut said = vec![0; 1000];
    let read = tokio::time::timeout(PATIENCE, socket.read(&mut said)).await.expect("it says something");
    said.truncate(read.unwrap_or(0));
    said
}

#[tokio::test]
async fn pings_are_not_read_while_their_answers_are_not() {
    let mut socket = connect(start(PATIENCE).await).await;
    let pings = frame(9, true, &[b'x'; 125]).repeat(8000);
    let mut sent = 0;
    // What the system holds is some megabytes.
    while sent < 200 << 20 {
        let more = tokio::time::timeout(Duration::from_secs(3), socket.write_all(&pings)).await;
        if !matches!(more, Ok(Ok(()))) {
            return;
        }
        sent += pings.len();
    }
    panic!("the server holds the answers to {sent} bytes of pings");
}

#[tokio::test]
async fn messages_that_do_not_end_have_a_budget() {
    let address = start(PATIENCE).await;
    let (long, short) = (vec![b'x'; 600 << 10], [b'x'; 1000]);
    let mut first = connect(address).await;
    first.write_all(&frame(2, false, &long)).await.unwrap();
    // Pings between its parts do not make it another message.
    first.write_all(&frame(9, true, b"ping")).await.unwrap();
    assert!(said(&mut first).await.ends_with(b"ping"));
    let mut second = connect(address).await;
    // It may not be sent as a whole.
    drop(second.write_all(&frame(2, false, &long)).await);
    assert!(said(&mut second).await.is_empty(), "there is room for it");
    // Short ones are not counted, and all pings are none.
    let mut third = connect(address).await;
    for _ in 0..1000 {
        third.write_all(&frame(9, true, &[b'x'; 125])).await.unwrap();
        said(&mut third).await;
    }
    third.write_all(&frame(2, true, &short)).await.unwrap();
    assert!(said(&mut third).await.ends_with(b"1000"));
    // One that ends gives its room back.
    first.write_all(&frame(0, true, &short)).await.unwrap();
    assert!(said(&mut first).await.ends_with(b"615400"));
    for _ in 0..5 {
        third.write_all(&frame(2, true, &long)).await.unwrap();
        assert!(said(&mut third).await.ends_with(b"614400"));
    }
}

#[tokio::test]
async fn a_long_message_has_its_time() {
    let mut socket = connect(start(Duration::from_millis(300)).await).await;
    socket.write_all(&frame(2, false, &[b'x'; 100 << 10])).await.unwrap();
    assert!(said(&mut socket).await.is_empty(), "it is waited for");
}
