//! Stands between a client and a service, and spoils requests.

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

    async fn pass(self: Arc<Self>, client: TcpStream) -> std::io::Result<()> {
        client.set_nodelay(true)?;
        let mut first = [0; 4];
        // How HTTP/2 begins where nobody asks.
        if client.peek(&mut first).await? == 4 && &first == b"PRI " {
            return grpc::pass(self, client).await.map_err(std::io::Error::other);
        }
        http::pass(&self, client).await
    }

    /// What happens to the next request.
    fn next(&self) -> Option<Fault> {
        let number = self.seen.fetch_add(1, Ordering::SeqCst);
        let plan = self.plan.lock().expect("a plan").clone();
        plan.filter(|(_, numbers)| numbers.contains(&number)).map(|(fault, _)| fault)
    }
}

/// Ends a connection as a service does that has crashed.
fn reset(client: &TcpStream) -> std::io::Result<()> {
    client.set_zero_linger()
}
