//! HTTP for the servers that sandshell runs on a machine: the emulator and `sandshell mcp --http`.
//!
//! Anyone who can reach the port can connect: every local user and, through a browser, every web page. So the
//! number of connections is limited, silent connections are closed ([`Limits`]), requests that stop arriving are
//! given up ([`patient`]), and requests from web pages are refused ([`own_hosts_only`], [`no_pages`]).

mod arrivals;
mod body;
mod connection;
mod incoming;
mod origin;
mod reading;
mod uses;

use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::Router;
use axum::http::{Method, Request, StatusCode};
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::TokioTimer;
use hyper_util::server::conn::auto::Builder;
use hyper_util::service::TowerToHyperService;
use tokio::sync::Semaphore;

pub use arrivals::Arrivals;
pub use body::{patient, steady};
pub use incoming::Incoming;
pub use origin::{no_pages, own_hosts_only};

use reading::{Attended, Reading};
use uses::Uses;

/// The most bytes of a request's head.
const LONGEST_HEAD: usize = 64 << 10;

/// The most bytes that wait to be sent for each request over HTTP/2.
const LONGEST_QUEUE: usize = 32 << 10;

/// After this time without traffic on a connection over HTTP/2, a ping checks whether it still works.
const KEEP_ALIVE: Duration = Duration::from_secs(30);

/// The limits of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The most connections at the same time. Further ones get status 503 and are closed. Default: 512.
    pub connections: usize,
    /// The time for the whole head of a request, from the start of the connection or the end of the previous
    /// answer. Default: 20 seconds.
    pub head: Duration,
    /// How long a connection over HTTP/2 may have no request, and how long a client may read nothing of what is sent to
    /// it. After that the connection is closed. Default: 5 minutes.
    pub idle: Duration,
    /// The most requests at the same time on one connection over HTTP/2. Default: 256.
    pub streams: u32,
    /// The most requests at the same time on all connections, each until its answer was sent. Further ones get
    /// status 503. Default: 16,384.
    pub requests: usize,
    /// The most bytes of WebSockets' messages that are not there as a whole, on all connections; they may take twice as
    /// much memory. Connections that send more are closed. Default: 1 GiB.
    pub messages: usize,
}

impl Default for Limits {
    fn default() -> Self {
        let (head, idle) = (Duration::from_secs(20), Duration::from_secs(300));
        Self { connections: 512, head, idle, streams: 256, requests: 16_384, messages: 1 << 30 }
    }
}

/// Serves connections as they arrive until the future is dropped; open connections then end by themselves.
pub async fn serve(mut arrivals: impl Arrivals, router: Router, limits: Limits) {
    let mut server = Builder::new(Attended(limits.idle));
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
        .max_send_buf_size(LONGEST_QUEUE)
        .enable_connect_protocol();
    let places = Arc::new(Semaphore::new(limits.connections));
    let requests = Arc::new(Semaphore::new(limits.requests));
    let room = incoming::room(limits.messages);
    let service = TowerToHyperService::new(router);
    loop {
        let connection = arrivals.next().await;
        let Ok(place) = places.clone().try_acquire_owned() else {
            connection::refuse(&connection, limits.connections);
            continue;
        };
        // Short pieces of a stream are sent at once, without waiting for earlier ones to be acknowledged.
        drop(connection.set_nodelay(true));
        let (server, service, requests, room) =
            (server.clone(), service.clone(), requests.clone(), room.clone());
        tokio::spawn(async move {
            let incoming = Incoming::default();
            let (connection, asked) = connection::begin(connection, place, &limits, incoming.clone(), room);
            let (uses, reading) = (Uses::default(), Reading::new(limits.idle));
            let service = service_fn(|mut request: Request<_>| {
                request.extensions_mut().insert(incoming.clone());
                asked.store(true, Ordering::Relaxed);
                let used = uses.one();
                let place = requests.clone().try_acquire_owned();
                let connects = request.method() == Method::CONNECT;
                let answer = place.is_ok().then(|| service.call(request));
                let (reading, incoming) = (reading.clone(), incoming.clone());
                async move {
                    let (Some(answer), Ok(place)) = (answer, place) else {
                        return Ok::<_, Infallible>(connection::crowded(limits.requests));
                    };
                    let answer = answer.await?;
                    if answer.status() == StatusCode::SWITCHING_PROTOCOLS {
                        incoming.begins();
                    }
                    let reading = Reading::here(&reading);
                    if connects && answer.status().is_success() {
                        used.stays();
                        return Ok(answer.map(|body| body::read_by_client(body, reading, place)));
                    }
                    Ok(answer.map(|body| body::read_by_client(body, reading, (place, used))))
                }
            });
            let mut serving = pin!(server.serve_connection_with_upgrades(connection, service));
            tokio::select! {
                _ = serving.as_mut() => return,
                () = reading.timed_out() => return,
                () = uses.none_for(limits.idle) => serving.as_mut().graceful_shutdown(),
            }
            // It ends when the client knows; requests that are on their way are answered.
            tokio::select! {
                _ = serving => {}
                () = reading.timed_out() => {}
                () = uses.none_for(limits.head) => {}
            }
        });
    }
}
