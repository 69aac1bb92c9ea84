//! Where clients connect: to the services here, or through this server to the one that has them.

use super::greeting::{self, Purpose};
use sandshell::store::{Secret, Server};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::io::{AsyncWriteExt as _, copy};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, mpsc, watch};
use tokio::time::{Instant, sleep, timeout_at};

/// The most connections at a time that are passed on, or wait for that.
const MOST: usize = 512;

/// How long a client waits for a server to take over from one that is gone.
const PATIENCE: Duration = Duration::from_secs(90);

/// How soon another server is asked again.
const PAUSE: Duration = Duration::from_millis(200);

/// Who has the services.
#[derive(Clone, Debug)]
pub(super) enum Role {
    /// Nobody that is known.
    Unknown,
    /// This server: it takes connections.
    Here(mpsc::Sender<TcpStream>),
    /// Another one.
    There(Server),
}

/// What passes connections on.
#[derive(Debug)]
pub(super) struct Forwarder {
    pub(super) role: watch::Sender<Role>,
    pub(super) session: String,
    pub(super) secret: Secret,
    passing: AtomicUsize,
}

impl Forwarder {
    pub(super) fn new(session: String, secret: Secret) -> Arc<Self> {
        Arc::new(Self {
            role: watch::Sender::new(Role::Unknown),
            session,
            secret,
            passing: AtomicUsize::new(0),
        })
    }

    /// How many connections are being passed on.
    pub(super) fn passing(&self) -> usize {
        self.passing.load(Ordering::SeqCst)
    }

    /// Takes connections until the future is dropped.
    pub(super) async fn listen(self: Arc<Self>, listener: TcpListener) {
        let places = Arc::new(Semaphore::new(MOST));
        loop {
            let Ok((client, _)) = listener.accept().await else {
                // For example because the process has no descriptors left.
                sleep(PAUSE).await;
                continue;
            };
            // The services here have a limit of their own.
            let here = match &*self.role.borrow() {
                Role::Here(taken) => Some(taken.clone()),
                _ => None,
            };
            if let Some(here) = here {
                drop(here.send(client).await);
                continue;
            }
            let Ok(place) = places.clone().try_acquire_owned() else {
                refuse(&client, &format!("too many connections: the limit is {MOST}"));
                continue;
            };
            let forwarder = self.clone();
            tokio::spawn(async move {
                forwarder.enter(client).await;
                drop(place);
            });
        }
    }

    async fn enter(&self, mut client: TcpStream) {
        let mut role = self.role.subscribe();
        let until = Instant::now() + PATIENCE;
        loop {
            let now = role.borrow_and_update().clone();
            match now {
                Role::Here(taken) => return drop(taken.send(client).await),
                Role::There(server) => {
                    let call = greeting::call(&server, Purpose::Client, &self.session, &self.secret);
                    if let Ok(other) = call.await {
                        self.passing.fetch_add(1, Ordering::SeqCst);
                        tokio::select! {
                            () = pass_on(&mut client, other) => {}
                            // It may never say anything more, not even that it ends.
                            () = replaced(&mut role, &server.session) => {}
                        }
                        self.passing.fetch_sub(1, Ordering::SeqCst);
                        return;
                    }
                }
                Role::Unknown => {}
            }
            if Instant::now() >= until {
                return refuse(&client, "no server has the services now");
            }
            // If the other one does not answer, there may soon be a third one.
            let again = until.min(Instant::now() + PAUSE);
            drop(timeout_at(again, role.changed()).await);
        }
    }
}

/// Ends when another server has the services than that of this session.
async fn replaced(role: &mut watch::Receiver<Role>, session: &str) {
    let other = |role: &Role| match role {
        // The store cannot be asked now.
        Role::Unknown => false,
        Role::Here(_) => true,
        Role::There(server) => server.session != session,
    };
    if role.wait_for(other).await.is_err() {
        // This server ends, and its connections with it.
        std::future::pending().await
    }
}

/// Copies what client and server say, until the server has said everything or one of them is gone.
async fn pass_on(client: &mut TcpStream, mut server: TcpStream) {
    drop(client.set_nodelay(true));
    let (mut asked, mut answered) = client.split();
    let (mut answers, mut asks) = server.split();
    let up = async {
        copy(&mut asked, &mut asks).await?;
        asks.shutdown().await?;
        // A client that says no more may still wait for an answer.
        std::future::pending::<std::io::Result<()>>().await
    };
    let down = async {
        copy(&mut answers, &mut answered).await?;
        answered.shutdown().await
    };
    // A connection that breaks is over for both.
    drop(tokio::select! { done = up => done, done = down => done });
}

/// Tells a client why there is no answer, if that can be sent without waiting.
fn refuse(client: &TcpStream, why: &str) {
    let body = format!("{why}\n");
    let answer = format!(
        "HTTP/1.1 503 Service Unavailable\r\ncontent-length: {}\r\nretry-after: 1\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
    drop(client.try_write(answer.as_bytes()));
}
