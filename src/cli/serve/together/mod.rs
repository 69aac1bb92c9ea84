//! Servers on one object store that share its work: clients may connect to any of them.
//!
//! One has what the services know and answers for them ([the records](super::records)). The others pass clients on to
//! it ([`forwarder`]) and run sandboxes for it ([`fleet`]). They reach each other at the addresses that they announce in
//! the store, and know each other by its secret ([`greeting`]).

mod callers;
mod fleet;
mod forwarder;
mod greeting;
#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests;
mod transfer;
mod trouble;

use crate::cli::failure::{Failure, reason};
use callers::{Callers, Patience};
use fleet::{Fleet, FleetProvider};
use forwarder::{Forwarder, Role};
use greeting::{Caller, Purpose};
use sandshell::store::{Server, Servers};
use sandshell::{LocalProvider, SandboxProvider};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

/// How often a server looks which others there are.
const LOOK: Duration = Duration::from_secs(1);

/// How long cancelled calls may take to end.
const ENDING: Duration = Duration::from_secs(5);

/// Connections that wait to be answered here.
const WAITING: usize = 64;

/// This server among the others.
pub(super) struct Together {
    provider: LocalProvider,
    servers: Servers,
    /// Where others reach it.
    at: SocketAddr,
    forwarder: Arc<Forwarder>,
    fleet: Arc<Fleet>,
    /// Whether this one has the services.
    serves: AtomicBool,
    /// The sessions of all others.
    others: watch::Sender<Vec<String>>,
    /// How many calls of others are going on.
    calls: Arc<AtomicUsize>,
    ends: watch::Sender<bool>,
    tasks: Mutex<JoinSet<()>>,
}

impl Together {
    /// Takes clients at `listener`, and other servers `at` this address.
    pub(super) async fn start(
        provider: &LocalProvider,
        listener: TcpListener,
        at: SocketAddr,
    ) -> Result<Arc<Self>, Failure> {
        let store = provider.store()?.and_then(sandshell::store::Store::servers);
        let servers = store.ok_or_else(|| Failure::new("--join needs an object store: --data-dir s3://…"))?;
        if at.ip().is_unspecified() {
            return Err(Failure::about(at, "--join: other servers need an address of this machine"));
        }
        let peers = TcpListener::bind(at).await.map_err(|error| Failure::about(at, reason(&error)))?;
        let at = peers.local_addr().map_err(|error| Failure::about(at, reason(&error)))?;
        let session = servers.session().to_owned();
        let secret = servers.secret()?;
        let together = Arc::new(Self {
            provider: provider.clone(),
            forwarder: Forwarder::new(session.clone(), secret.clone()),
            fleet: Fleet::new(provider.clone(), session, secret),
            serves: AtomicBool::new(false),
            others: watch::Sender::new(Vec::new()),
            tasks: Mutex::default(),
            at,
            calls: Arc::default(),
            ends: watch::Sender::new(false),
            servers,
        });
        together.servers.announce(at.to_string(), false)?;
        {
            let mut tasks = together.tasks();
            tasks.spawn(together.forwarder.clone().listen(listener));
            tasks.spawn(together.clone().answer(peers));
            tasks.spawn(together.clone().watch());
        }
        Ok(together)
    }

    /// The sandboxes of all servers.
    pub(super) fn provider(&self) -> Arc<dyn SandboxProvider> {
        Arc::new(FleetProvider(self.fleet.clone()))
    }

    /// Passes clients on to the server that has the services; returns whether there is one.
    pub(super) fn stand_by(&self) -> bool {
        // If the store cannot be asked, clients wait.
        let role = match self.servers.with_notes(super::records::NAME) {
            Ok(Some(server)) if server.session != self.forwarder.session => Role::There(server),
            _ => Role::Unknown,
        };
        let known = matches!(role, Role::There(_));
        self.forwarder.role.send_replace(role);
        known
    }

    /// Takes clients here from now on.
    pub(super) async fn serve(&self) -> mpsc::Receiver<TcpStream> {
        self.serves.store(true, Ordering::SeqCst);
        self.look().await;
        let (sender, arrivals) = mpsc::channel(WAITING);
        self.forwarder.role.send_replace(Role::Here(sender));
        arrivals
    }

    /// How many connections of clients are being passed on, and calls of others are going on.
    pub(super) fn active(&self) -> usize {
        self.forwarder.passing() + self.calls.load(Ordering::SeqCst)
    }

    /// How many servers this one gives work to, with itself; none if it does not have the services.
    pub(super) fn size(&self) -> usize {
        if self.serves.load(Ordering::SeqCst) { 1 + self.fleet.others() } else { 0 }
    }

    /// Takes no more work: other servers go on with what this one had as soon as it ends.
    pub(super) fn withdraw(&self) {
        self.forwarder.role.send_replace(Role::Unknown);
        // If it cannot be told, it is found out.
        drop(self.servers.announce(self.at.to_string(), true));
    }

    /// Ends what was done for others and by others.
    pub(super) async fn end(&self) {
        self.fleet.close();
        self.ends.send_replace(true);
        // What others do here is cancelled, and that is stored.
        let ended = async {
            while self.calls.load(Ordering::SeqCst) > 0 {
                sleep(Duration::from_millis(20)).await;
            }
        };
        drop(timeout(ENDING, ended).await);
        let mut tasks = std::mem::take(&mut *self.tasks());
        tasks.shutdown().await;
    }

    fn tasks(&self) -> MutexGuard<'_, JoinSet<()>> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn watch(self: Arc<Self>) {
        loop {
            self.look().await;
            sleep(LOOK).await;
        }
    }

    async fn look(&self) {
        // If the store cannot be asked, nothing is known to have changed.
        let Ok(others) = self.servers.others() else { return };
        self.others.send_replace(others.iter().map(|server: &Server| server.session.clone()).collect());
        if self.serves.load(Ordering::SeqCst) {
            self.fleet.work_with(&others);
        }
    }

    /// Answers other servers.
    async fn answer(self: Arc<Self>, listener: TcpListener) {
        let mut callers = Callers::default();
        let mut calls = JoinSet::new();
        loop {
            tokio::select! {
                accepted = listener.accept() => {
                    let Ok((stream, _)) = accepted else {
                        // For example because the process has no descriptors left.
                        sleep(LOOK).await;
                        continue;
                    };
                    let (together, patience) = (self.clone(), callers.next());
                    calls.spawn(async move { together.called(stream, patience).await });
                }
                Some(_) = calls.join_next() => {}
            }
        }
    }

    async fn called(&self, mut stream: TcpStream, patience: Patience) {
        let greeting = greeting::answer(&mut stream, &self.forwarder.session, &self.forwarder.secret);
        // A stranger learns nothing, not even why.
        let Some(Ok(Caller { purpose, session })) = patience.with(greeting).await else { return };
        match purpose {
            Purpose::Client => {
                let here = match &*self.forwarder.role.borrow() {
                    Role::Here(taken) => Some(taken.clone()),
                    _ => None,
                };
                if let Some(here) = here {
                    drop(here.send(stream).await);
                }
            }
            Purpose::Work => self.work(stream, &session).await,
        }
    }

    /// Runs sandboxes for another server, as long as it is there.
    async fn work(&self, stream: TcpStream, session: &str) {
        let (requests, answers) = stream.into_split();
        let provider: Arc<dyn SandboxProvider> = Arc::new(self.provider.clone());
        let over = self.over(session);
        let served = sandshell::command::serve(provider, requests, answers, over, self.calls.clone());
        for id in served.await {
            // Another server may go on with it. What could not be stored was not acknowledged.
            drop(self.provider.release(&id).await);
        }
    }

    /// Ends when the server of this session is not heard of any more, or this one ends.
    async fn over(&self, session: &str) {
        let (mut others, mut ends) = (self.others.subscribe(), self.ends.subscribe());
        let gone = async {
            // It may have called before it was looked for.
            let seen = others.wait_for(|others| others.iter().any(|other| other == session));
            drop(timeout(LOOK * 5, seen).await);
            drop(others.wait_for(|others| others.iter().all(|other| other != session)).await);
        };
        tokio::select! {
            () = gone => {}
            _ = ends.wait_for(|ends| *ends) => {}
        }
    }
}
