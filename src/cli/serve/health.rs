//! What whoever runs the server asks it, at an address of its own: whether it lives, whether it is ready, and numbers.

use crate::cli::failure::{Failure, reason};
use axum::Router;
use axum::http::{StatusCode, header};
use axum::middleware::from_fn;
use axum::routing::get;
use sandshell::LocalProvider;
use sandshell::emulator::Traffic;
use sandshell_server::{Limits, no_pages, own_hosts_only};
use std::fmt::Write as _;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::net::TcpListener;

/// How long the answer about the store is believed.
const FRESH: Duration = Duration::from_secs(2);

/// The state of the server.
pub(super) struct Health {
    provider: LocalProvider,
    started: SystemTime,
    /// Why it cannot serve now.
    waiting: Mutex<Option<String>>,
    traffic: OnceLock<Arc<Traffic>>,
    #[cfg(feature = "object-store")]
    together: OnceLock<Arc<super::together::Together>>,
    /// When the store was asked last, and why it could not answer.
    store: tokio::sync::Mutex<Option<(tokio::time::Instant, Option<String>)>>,
}

impl Health {
    pub(super) fn new(provider: LocalProvider) -> Arc<Self> {
        let waiting = Mutex::new(Some("it starts".to_owned()));
        Arc::new(Self {
            provider,
            started: SystemTime::now(),
            waiting,
            traffic: OnceLock::new(),
            #[cfg(feature = "object-store")]
            together: OnceLock::new(),
            store: tokio::sync::Mutex::default(),
        })
    }

    /// Why it is not ready; `None`: it is. Returns whether that is new.
    pub(super) fn set_waiting(&self, why: Option<String>) -> bool {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let new = *waiting != why;
        *waiting = why;
        new
    }

    pub(super) fn watch(&self, traffic: Arc<Traffic>) {
        // It is said once, when the services begin.
        let _ = self.traffic.set(traffic);
    }

    #[cfg(feature = "object-store")]
    pub(super) fn join(&self, together: Arc<super::together::Together>) {
        // It is said once, when the server starts.
        let _ = self.together.set(together);
    }

    /// Answers at this address until the process ends: no web pages, and under names of other machines only if
    /// `any_host`.
    pub(super) async fn serve(
        self: Arc<Self>,
        at: SocketAddr,
        any_host: bool,
    ) -> Result<SocketAddr, Failure> {
        let listener = TcpListener::bind(at).await.map_err(|error| Failure::about(at, reason(&error)))?;
        let address = listener.local_addr().map_err(|error| Failure::about(at, reason(&error)))?;
        let (ready, metrics) = (self.clone(), self);
        let router = Router::new()
            .route("/healthz", get(async || "ok\n"))
            .route("/readyz", get(async move || ready.readiness().await))
            .route(
                "/metrics",
                get(async move || {
                    let kind = "text/plain; version=0.0.4; charset=utf-8";
                    ([(header::CONTENT_TYPE, kind)], metrics.metrics().await)
                }),
            )
            .layer(from_fn(no_pages));
        let router = if any_host { router } else { router.layer(from_fn(own_hosts_only)) };
        tokio::spawn(async move {
            sandshell_server::serve(listener, router, Limits::default()).await;
        });
        Ok(address)
    }

    async fn readiness(&self) -> (StatusCode, String) {
        match self.unready().await {
            None => (StatusCode::OK, "ready\n".to_owned()),
            Some(why) => (StatusCode::SERVICE_UNAVAILABLE, format!("{why}\n")),
        }
    }

    async fn unready(&self) -> Option<String> {
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if waiting.is_some() {
            return waiting;
        }
        let mut store = self.store.lock().await;
        if let Some((at, why)) = &*store
            && at.elapsed() < FRESH
        {
            return why.clone();
        }
        let provider = self.provider.clone();
        let asked = tokio::task::spawn_blocking(move || match provider.store() {
            Ok(Some(store)) => store.snapshots().err().map(|error| error.to_string()),
            Ok(None) => None,
            Err(error) => Some(error.to_string()),
        });
        let why = asked.await.unwrap_or_else(|error| Some(error.to_string()));
        *store = Some((tokio::time::Instant::now(), why.clone()));
        why
    }

    async fn metrics(&self) -> String {
        let mut text = String::new();
        let mut metric = |name: &str, kind: &str, help: &str, values: &[(String, f64)]| {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "# HELP sandshell_{name} {help}\n# TYPE sandshell_{name} {kind}");
            for (labels, value) in values {
                let _ = writeln!(text, "sandshell_{name}{labels} {value}");
            }
        };
        let one = |value: f64| vec![(String::new(), value)];
        let version = format!("{{version=\"{}\"}}", env!("CARGO_PKG_VERSION"));
        metric("info", "gauge", "The program.", &[(version, 1.0)]);
        let started = self.started.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64();
        metric("start_time_seconds", "gauge", "When the server started, since 1970.", &one(started));
        let ready = f64::from(u8::from(self.unready().await.is_none()));
        metric("ready", "gauge", "Whether the server can serve.", &one(ready));
        #[expect(clippy::cast_precision_loss, reason = "all numbers here are floating-point ones")]
        let number = |count: u64| count as f64;
        let open = self.provider.open_sandboxes() as u64;
        metric("sandboxes_open", "gauge", "Sandboxes in memory.", &one(number(open)));
        #[cfg(feature = "object-store")]
        if let Some(together) = self.together.get() {
            metric(
                "servers",
                "gauge",
                "Servers that run sandboxes for this one, with itself; 0 if another one has the services.",
                &one(number(together.size() as u64)),
            );
        }
        if let Some(traffic) = self.traffic.get() {
            let answered: Vec<_> = (1..=5)
                .map(|class| (format!("{{status=\"{class}xx\"}}"), number(traffic.answered(class))))
                .collect();
            metric("requests_total", "counter", "Answered requests.", &answered);
            metric(
                "requests_active",
                "gauge",
                "Requests that are being answered.",
                &one(number(traffic.active() as u64)),
            );
        }
        if let Some((requests, failures)) =
            self.provider.store().ok().flatten().and_then(|store| store.requests())
        {
            metric(
                "store_requests_total",
                "counter",
                "Requests to the object store.",
                &one(number(requests)),
            );
            metric(
                "store_failures_total",
                "counter",
                "Requests to the object store that failed.",
                &one(number(failures)),
            );
        }
        text
    }
}
