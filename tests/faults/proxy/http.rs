//! HTTP/1.1: each connection has one request, or becomes a WebSocket.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::{Proxy, reset, socket};
use crate::HANG;
use crate::fault::Fault;

/// An error in the forms of all vendors at once.
const INJECTED: &str = r#"{"message": "injected: the security token has expired", "detail": "injected", "code": "injected", "error": {"code": "injected", "message": "injected"}}"#;

const NONSENSE: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 12\r\nconnection: close\r\n\r\n<html>\0\xff{[,]";

/// Written bytes must arrive before the reset.
const ARRIVAL: Duration = Duration::from_millis(20);

pub(super) async fn pass(proxy: &Proxy, mut client: TcpStream) -> std::io::Result<()> {
    let Some(request) = read_request(&mut client).await? else { return Ok(()) };
    let fault = proxy.next();
    match fault {
        Some(Fault::Reset) => return reset(&client),
        Some(Fault::Stall) => {
            tokio::time::sleep(HANG).await;
            return Ok(());
        }
        Some(Fault::Status(status, retry_after)) => {
            let retry = retry_after.map_or_else(String::new, |after| format!("retry-after: {after}\r\n"));
            let answer = format!(
                "HTTP/1.1 {status} Injected\r\n{retry}content-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{INJECTED}",
                INJECTED.len()
            );
            return client.write_all(answer.as_bytes()).await;
        }
        _ => {}
    }
    let mut service = TcpStream::connect(proxy.upstream).await?;
    service.set_nodelay(true)?;
    service.write_all(&request.bytes).await?;
    let Some(fault) = fault else {
        if request.socket {
            return socket::pass(proxy, client, service).await;
        }
        tokio::io::copy(&mut service, &mut client).await?;
        return client.shutdown().await;
    };
    let answer = answer(&mut service, request.socket).await?;
    let body = find(&answer, b"\r\n\r\n").map_or(answer.len(), |at| at + 4);
    // The answer to an upgrade request has only a head.
    let half = if request.socket { body / 2 } else { body + (answer.len() - body) / 2 };
    match fault {
        Fault::Cut => {
            client.write_all(&answer[..half]).await?;
            tokio::time::sleep(ARRIVAL).await;
            reset(&client)
        }
        Fault::Short => {
            client.write_all(&answer[..half]).await?;
            client.shutdown().await
        }
        Fault::Garbage => {
            client.write_all(NONSENSE).await?;
            client.shutdown().await
        }
        Fault::Hang => {
            client.write_all(&answer[..half]).await?;
            tokio::time::sleep(HANG).await;
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Reads the whole answer; only the head if the connection becomes a WebSocket.
async fn answer(service: &mut TcpStream, socket: bool) -> std::io::Result<Vec<u8>> {
    let mut answer = Vec::new();
    while !(socket && find(&answer, b"\r\n\r\n").is_some()) {
        if service.read_buf(&mut answer).await? == 0 {
            break;
        }
    }
    Ok(answer)
}

struct Request {
    bytes: Vec<u8>,
    socket: bool,
}

/// Reads a request. Unless it is an upgrade, it is changed to ask for closing the connection afterwards.
async fn read_request(client: &mut TcpStream) -> std::io::Result<Option<Request>> {
    let mut bytes = Vec::new();
    let head = loop {
        if let Some(at) = find(&bytes, b"\r\n\r\n") {
            break at + 4;
        }
        if client.read_buf(&mut bytes).await? == 0 {
            return Ok(None);
        }
    };
    let text = String::from_utf8_lossy(&bytes[..head]).to_ascii_lowercase();
    let header = |name: &str| {
        text.lines().find_map(|line| line.strip_prefix(name)).map(|value| value.trim().to_owned())
    };
    if header("upgrade:").is_some() {
        return Ok(Some(Request { bytes, socket: true }));
    }
    let chunked = header("transfer-encoding:").is_some_and(|coding| coding.contains("chunked"));
    let length: usize = header("content-length:").and_then(|length| length.parse().ok()).unwrap_or(0);
    loop {
        let whole = if chunked { bytes.ends_with(b"0\r\n\r\n") } else { bytes.len() >= head + length };
        if whole || client.read_buf(&mut bytes).await? == 0 {
            break;
        }
    }
    let line = find(&bytes, b"\r\n").map_or(0, |at| at + 2);
    let asked = [&bytes[..line], b"connection: close\r\n", &bytes[line..]].concat();
    Ok(Some(Request { bytes: asked, socket: false }))
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|window| window == what)
}
