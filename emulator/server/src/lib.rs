//! HTTP for the servers that sandshell opens on a machine: the emulator and `sandshell mcp --http`.
//!
//! Whoever reaches the port can connect: every local user and, by its browser, every web page. So a connection that says nothing is
//! closed, their number has a bound ([`Limits`]), a request that breaks off is given up ([`patient`]), and a request that a
//! web page sends is refused ([`own_hosts_only`], [`no_pages`]).

mod body;
mod connection;
mod origin;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::Router;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

pub use body::patient;
pub use origin::{no_pages, own_hosts_only};

/// Bytes of a request's head.
const LONGEST_HEAD: usize = 64 << 10;

/// A connection over HTTP/2 that carries nothing is asked after this time whether it lives.
const KEEP_ALIVE: Duration = Duration::from_secs(30);

/// What a server puts up with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Connections at the same time. One more is answered with status 503, and closed. Default: 512.
    pub connections: usize,
    /// Time for the whole head of a request, from its connection or the answer before it on. Default: 20 seconds.
    pub head: Duration,
    /// Requests at the same time on one connection over HTTP/2. Default: 256.
    pub streams: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { connections: 512, head: Duration::from_secs(20), streams: 256 }
    }
}

/// Answers on `listener` until the future is dropped; connections that are open then end by themselves.
///
/// What the listener cannot do now, as when the process has no descriptors left, it tries again.
pub async fn serve(mut listener: TcpListener, router: Router, limits: Limits) {
    let mut server = Builder::new(TokioExecutor::new());
    server
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head)
        .max_buf_size(LONGEST_HEAD)
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(KEEP_ALIVE)
        .max_header_list_size(LONGEST_HEAD as u32)
        .max_concurrent_streams(limits.streams)
        .enable_connect_protocol();
    let places = Arc::new(Semaphore::new(limits.connections));
    let service = TowerToHyperService::new(router);
    loop {
        let (connection, _) = axum::serve::Listener::accept(&mut listener).await;
        let Ok(place) = places.clone().try_acquire_owned() else {
            connection::refuse(&connection, limits.connections);
            continue;
        };
        // A stream's short pieces do not wait for what was sent before them to arrive.
        drop(connection.set_nodelay(true));
        let (server, service) = (server.clone(), service.clone());
        tokio::spawn(async move {
            let (connection, asked) = connection::begin(connection, limits.head);
            let service = service_fn(|request| {
                asked.store(true, Ordering::Relaxed);
                service.call(request)
            });
            drop(server.serve_connection_with_upgrades(connection, service).await);
            drop(place);
        });
    }
}
