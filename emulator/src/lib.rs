//! The sandbox clouds' own protocols on localhost, over any [`SandboxProvider`]: code for a vendor's official SDK
//! runs offline and unmodified.
//!
//! [`Emulator::serve`] serves all chosen vendors on one port. [`Vendor::variables`] returns the environment
//! variables that point a vendor's SDK there.
//!
//! # How it works
//!
//! The emulator stores what a service knows about a sandbox (labels, time to live, whether it is paused) and its
//! processes. Commands and files go to the provider's sandboxes. While a sandbox is paused, the data plane refuses
//! calls; its processes go on running. Standard input that is written in pieces goes through a FIFO in the sandbox.
//! Features that are not emulated return the vendor's error; each vendor's module lists them.

#![allow(
    clippy::result_large_err,
    reason = "what refuses a request is an answer as well, and there is one of it a request"
)]

mod agentcore;
mod contexts;
mod daytona;
mod deno;
mod e2b;
mod entry;
mod fields;
mod http;
mod ids;
mod kernel;
mod langsmith;
mod log;
mod modal;
mod options;
mod process;
mod records;
mod room;
mod runloop;
mod sandbox0;
mod text;
mod time;
mod vendor;
mod vercel;
mod web_socket;
mod world;

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::Response;
use sandshell_providers::SandboxProvider;
use sandshell_server::{Arrivals, Limits, no_pages, own_hosts_only};
use serde_json::json;

use records::{Claim, Directory, Records};
use world::World;

pub use fields::{Field, Fields, Known, Treatment};
pub use options::Options;
pub use records::RecordKeeper;
pub use vendor::Vendor;

/// The most streams of one connection. Modal's clients use one connection with several streams for each running
/// command; with fewer streams, commands would wait for each other.
const STREAMS: u32 = 8192;

/// Services that behave like the vendors'.
#[derive(Debug)]
pub struct Emulator {
    router: Router,
    traffic: Arc<Traffic>,
    claims: Vec<Claim>,
}

/// Requests to the services.
#[derive(Debug, Default)]
pub struct Traffic {
    /// Those that are being answered.
    active: AtomicUsize,
    /// Those that were answered, by the first digit of the status, which begins with 1.
    answered: [AtomicU64; 5],
}

impl Traffic {
    /// How many requests are being answered.
    pub fn active(&self) -> usize {
        self.active.load(Ordering::SeqCst)
    }

    /// How many requests were answered with a status of `class` hundred and something.
    pub fn answered(&self, class: u16) -> u64 {
        let class = usize::from(class).checked_sub(1).and_then(|class| self.answered.get(class));
        class.map_or(0, |count| count.load(Ordering::Relaxed))
    }
}

/// A request that is being answered, also if whoever asked does not wait any more.
struct Active(Arc<Traffic>);

impl Drop for Active {
    fn drop(&mut self) {
        self.0.active.fetch_sub(1, Ordering::SeqCst);
    }
}

async fn counted(State(traffic): State<Arc<Traffic>>, request: Request, next: Next) -> Response {
    traffic.active.fetch_add(1, Ordering::SeqCst);
    let _active = Active(traffic.clone());
    let response = next.run(request).await;
    let class = usize::from(response.status().as_u16() / 100);
    if let Some(count) = class.checked_sub(1).and_then(|class| traffic.answered.get(class)) {
        count.fetch_add(1, Ordering::Relaxed);
    }
    response
}

impl Emulator {
    /// The services of these vendors over one provider. Each has sandboxes of its own.
    pub fn new(
        provider: Arc<dyn SandboxProvider>,
        vendors: impl IntoIterator<Item = Vendor>,
        options: &Options,
    ) -> Self {
        let worlds = vendors.into_iter().map(|vendor| (vendor, World::new(provider.clone())));
        Self::of(worlds.collect(), options)
    }

    /// As [`new`](Self::new), but what the services know is kept in a directory, and they begin with what is known
    /// there: if the provider's sandboxes outlive the process, so do the services' sandboxes and snapshots. What runs
    /// in the sandboxes does not. One emulator uses a service's records at a time.
    ///
    /// # Errors
    ///
    /// `Conflict` if another emulator uses them; those of reading and making the directory, and the provider's, except
    /// that a sandbox is gone.
    pub async fn open(
        provider: Arc<dyn SandboxProvider>,
        vendors: impl IntoIterator<Item = Vendor>,
        options: &Options,
        directory: &Path,
    ) -> sandshell_providers::Result<Self> {
        let vendors: Vec<Vendor> = vendors.into_iter().collect();
        let place = |vendor: Vendor| directory.join(vendor.name());
        let mut claims = Vec::new();
        for vendor in &vendors {
            Directory::open(place(*vendor))?;
            claims.push(Claim::on(&place(*vendor))?);
        }
        let keeper = |vendor| -> sandshell_providers::Result<Box<dyn RecordKeeper>> {
            Ok(Box::new(Directory::open(place(vendor))?))
        };
        let emulator = Self::with_records(provider, vendors, options, keeper).await?;
        Ok(Self { claims, ..emulator })
    }

    /// As [`open`](Self::open), but the records are wherever `keeper` says.
    ///
    /// # Errors
    ///
    /// Those of `keeper`, and as for `open`.
    pub async fn with_records(
        provider: Arc<dyn SandboxProvider>,
        vendors: impl IntoIterator<Item = Vendor>,
        options: &Options,
        keeper: impl Fn(Vendor) -> sandshell_providers::Result<Box<dyn RecordKeeper>>,
    ) -> sandshell_providers::Result<Self> {
        let mut worlds = BTreeMap::new();
        for vendor in vendors {
            let records = Records::new(keeper(vendor)?);
            worlds.insert(vendor, World::open(provider.clone(), records).await?);
        }
        Ok(Self::of(worlds, options))
    }

    /// How many requests there were and are, for whoever watches the server.
    pub fn traffic(&self) -> Arc<Traffic> {
        self.traffic.clone()
    }

    fn of(worlds: BTreeMap<Vendor, Arc<World>>, options: &Options) -> Self {
        let mut router = Router::new();
        let mut others: Vec<(&'static Fields, http::Refusal)> = Vec::new();
        for (vendor, world) in worlds {
            let (service, refusal) = vendor.service(world, options);
            others.push((vendor.fields(), refusal));
            router = router.merge(http::with_refusals(service, refusal));
        }
        let others: Arc<[_]> = others.into();
        let router = router.fallback(move |request: Request| {
            let others = others.clone();
            async move { not_found(&others, &request) }
        });
        let router = router.layer(from_fn(http::prepared)).layer(DefaultBodyLimit::max(http::PLAIN_BODY));
        // The layer that is added last runs first.
        let router = router.layer(from_fn(no_pages));
        let router = if options.any_host { router } else { router.layer(from_fn(own_hosts_only)) };
        let traffic = Arc::<Traffic>::default();
        let router = router.layer(from_fn_with_state(traffic.clone(), counted));
        Self { router, traffic, claims: Vec::new() }
    }

    /// Serves connections, of a `TcpListener` or of a channel, until the future is dropped; open ones then end by
    /// themselves.
    ///
    /// At most 512 connections are open at the same time; further ones get status 503. A request's head must arrive
    /// within 20 seconds, and its body may pause for at most a minute.
    ///
    /// # Errors
    ///
    /// None at present: if accepting a connection fails, it is tried again.
    pub async fn serve(self, arrivals: impl Arrivals) -> io::Result<()> {
        let mut limits = Limits::default();
        limits.streams = STREAMS;
        let Self { router, traffic: _, claims } = self;
        sandshell_server::serve(arrivals, router, limits).await;
        // Connections may live on for a moment, and with them what they know.
        drop(claims);
        Ok(())
    }
}

/// The answer for a path that no service has. If a vendor has it but it is not emulated, the error has that
/// vendor's form; otherwise it has a form that every vendor's SDK understands.
fn not_found(others: &[(&'static Fields, http::Refusal)], request: &Request) -> http::HttpAnswer {
    let (method, path) = (request.method(), request.uri().path());
    for (fields, refusal) in others {
        if let Some(what) = fields.at(method.as_str(), path).and_then(|known| known.refused.as_ref()) {
            return refusal(501, &format!("{what}: not emulated by sandshell"));
        }
    }
    let message = format!("{method} {path} is not emulated by sandshell");
    let body = json!({
        "statusCode": 404,
        "code": "not_found",
        "message": message,
        "detail": {"error": "NotFound", "message": message},
        "error": {"code": "not_found", "message": message},
        "success": false,
    });
    http::json(404, &body)
}
