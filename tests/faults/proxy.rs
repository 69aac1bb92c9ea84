//! Stands between a client and a service, and spoils requests.

use std::net::{Ipv4Addr, SocketAddr};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use std::sync::Mutex;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// What happens to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The connection is reset before the service sees the request.
    Reset,
    /// The service acts, and the connection is closed without an answer.
    Silenced,
    /// The service acts, and the connection is reset in the middle of the answer.
    Cut,
    /// The service acts, and the answer ends too early.
    Short,
    /// The service acts, and the answer is nonsense.
    Garbage,
    /// Answered with this status, and `Retry-After` if that is given; the service sees nothing.
    Status(u16, Option<&'static str>),
    /// Nothing comes, ever.
    Stall,
}

impl Fault {
    pub(crate) const ALL: [Self; 11] = [
        Self::Reset,
        Self::Silenced,
        Self::Cut,
        Self::Short,
        Self::Garbage,
        Self::Status(500, None),
        Self::Status(503, Some("0")),
        Self::Status(429, None),
        Self::Status(429, Some("0")),
        Self::Status(401, None),
        Self::Stall,
    ];
}

pub(crate) struct Proxy {
    pub(crate) address: SocketAddr,
    upstream: SocketAddr,
    /// What is spoiled: requests with these numbers, counted from when it was armed.
    plan: Mutex<Option<(Fault, Range<usize>)>>,
    seen: AtomicUsize,
}

impl Proxy {
    pub(crate) async fn start(upstream: SocketAddr) -> Arc<Self> {
        let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let proxy = Arc::new(Self { address, upstream, plan: Mutex::default(), seen: AtomicUsize::new(0) });
        let serving = proxy.clone();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let proxy = serving.clone();
                tokio::spawn(async move { drop(proxy.pass(client).await) });
            }
        });
        proxy
    }

    /// Spoils the requests with these numbers from now on.
    pub(crate) fn arm(&self, fault: Fault, numbers: Range<usize>) {
        *self.plan.lock().expect("a plan") = Some((fault, numbers));
        self.seen.store(0, Ordering::SeqCst);
    }

    /// Passes everything on again; how many requests there were meanwhile.
    pub(crate) fn disarm(&self) -> usize {
        *self.plan.lock().expect("a plan") = None;
        self.seen.swap(0, Ordering::SeqCst)
    }

    /// One request and its answer; each connection has only one.
    async fn pass(&self, mut client: TcpStream) -> std::io::Result<()> {
        let Some(request) = read_request(&mut client).await? else { return Ok(()) };
        let number = self.seen.fetch_add(1, Ordering::SeqCst);
        let plan = self.plan.lock().expect("a plan").clone();
        let fault = plan.filter(|(_, numbers)| numbers.contains(&number)).map(|(fault, _)| fault);
        match fault {
            Some(Fault::Reset) => return reset(client),
            Some(Fault::Stall) => {
                tokio::time::sleep(Duration::from_secs(60)).await;
                return Ok(());
            }
            Some(Fault::Status(status, retry_after)) => {
                let retry = retry_after.map_or_else(String::new, |after| format!("retry-after: {after}\r\n"));
                let body = r#"{"message": "injected", "code": "injected"}"#;
                let answer = format!(
                    "HTTP/1.1 {status} Injected\r\n{retry}content-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                    body.len()
                );
                return client.write_all(answer.as_bytes()).await;
            }
            _ => {}
        }
        let mut service = TcpStream::connect(self.upstream).await?;
        service.write_all(&request).await?;
        if fault.is_none() {
            tokio::io::copy(&mut service, &mut client).await?;
            return client.shutdown().await;
        }
        let mut answer = Vec::new();
        service.read_to_end(&mut answer).await?;
        let body = find(&answer, b"\r\n\r\n").map_or(answer.len(), |at| at + 4);
        match fault {
            Some(Fault::Cut) => {
                client.write_all(&answer[..body + (answer.len() - body) / 2]).await?;
                // What was written is to arrive before the reset does.
                tokio::time::sleep(Duration::from_millis(20)).await;
                reset(client)
            }
            Some(Fault::Short) => {
                client.write_all(&answer[..body + (answer.len() - body) / 2]).await?;
                client.shutdown().await
            }
            Some(Fault::Garbage) => {
                let nonsense =
                    b"HTTP/1.1 200 OK\r\ncontent-length: 12\r\nconnection: close\r\n\r\n<html>\0\xff{[,]";
                client.write_all(nonsense).await?;
                client.shutdown().await
            }
            _ => Ok(()),
        }
    }
}

fn reset(client: TcpStream) -> std::io::Result<()> {
    client.set_zero_linger()
}

/// The request, asking that the connection is closed after it.
async fn read_request(client: &mut TcpStream) -> std::io::Result<Option<Vec<u8>>> {
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
    Ok(Some(asked))
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|window| window == what)
}
