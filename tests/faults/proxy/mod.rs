//! A proxy between a client and a service that injects faults.

mod grpc;
mod http;
mod socket;

use std::net::{Ipv4Addr, SocketAddr};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use tokio::net::{TcpListener, TcpStream};

use crate::fault::Fault;

pub(crate) struct Proxy {
    pub(crate) address: SocketAddr,
    upstream: SocketAddr,
    /// The fault, and the numbers of the requests that get it, counted since it was armed.
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

    /// Injects the fault into the requests with these numbers, counted from now on.
    pub(crate) fn arm(&self, fault: Fault, numbers: Range<usize>) {
        *self.plan.lock().expect("a plan") = Some((fault, numbers));
        self.seen.store(0, Ordering::SeqCst);
    }

    /// Stops injecting faults; returns how many requests there were meanwhile.
    pub(crate) fn disarm(&self) -> usize {
        *self.plan.lock().expect("a plan") = None;
        self.seen.swap(0, Ordering::SeqCst)
    }

    async fn pass(self: Arc<Self>, client: TcpStream) -> std::io::Result<()> {
        client.set_nodelay(true)?;
        let mut first = [0; 4];
        // The beginning of HTTP/2 without negotiation.
        if client.peek(&mut first).await? == 4 && &first == b"PRI " {
            return grpc::pass(self, client).await.map_err(std::io::Error::other);
        }
        http::pass(&self, client).await
    }

    /// The fault of the next request, if it has one.
    fn next(&self) -> Option<Fault> {
        let number = self.seen.fetch_add(1, Ordering::SeqCst);
        let plan = self.plan.lock().expect("a plan").clone();
        plan.filter(|(_, numbers)| numbers.contains(&number)).map(|(fault, _)| fault)
    }
}

/// Resets a connection, as when a service crashes.
fn reset(client: &TcpStream) -> std::io::Result<()> {
    client.set_zero_linger()
}
