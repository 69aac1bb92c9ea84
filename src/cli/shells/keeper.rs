//! The process that keeps a sandbox's sessions: it has the right to change the sandbox, and runs what other processes
//! ask for.

use super::message::{self, Answer, Done, Hello, Listed, Request};
use super::socket;
use crate::cli::failure::Failure;
use crate::cli::interrupt::Signals;
use crate::cli::on_disk;
use sandshell::{ExecuteRequest, LocalSandbox, Sandbox, SessionResponse};
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::BufReader;
use tokio::net::UnixStream;
use tokio::sync::{Notify, Semaphore};

/// How many requests are heard at once; others wait.
const AT_ONCE: usize = 64;

/// How long a request may take to arrive.
const PATIENCE: Duration = Duration::from_secs(30);

/// How often it is looked whether there still is something to keep.
const LOOK: Duration = Duration::from_secs(2);

/// What it says on standard output once it listens, or instead of listening.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Started {
    Ready,
    /// Another process has the right to change the sandbox.
    Busy(String),
    Failed(String),
}

/// Keeps the sessions of a sandbox until the last one has ended. It was started by `exec`, and lives on without it.
pub(crate) async fn keep(id: &str) -> Result<u8, Failure> {
    // Its own group of processes: the terminal's signals are for whoever asks.
    let _ = rustix::process::setsid();
    let provider = match on_disk::plain_provider() {
        Ok(provider) => provider,
        Err(failure) => return tell(&Started::Failed(failure.to_string())),
    };
    let sandbox = match provider.open(sandshell::CreateOptions::existing(id)).await {
        Ok(sandbox) => sandbox,
        Err(error) if error.kind() == sandshell::ErrorKind::Conflict => {
            return tell(&Started::Busy(error.to_string()));
        }
        Err(error) => return tell(&Started::Failed(error.to_string())),
    };
    let listener = match socket::listen(id) {
        Ok(listener) => listener,
        Err(failure) => return tell(&Started::Failed(failure.to_string())),
    };
    let mut signals = Signals::catch()?;
    tell(&Started::Ready)?;

    let keeper = Arc::new(Keeper { sandbox, calls: Semaphore::new(AT_ONCE), over: Notify::new() });
    let mut look = tokio::time::interval(LOOK);
    // The first look is now, before anybody has asked for anything.
    look.tick().await;
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                // Too many descriptors: the next look may find some again.
                let Ok((stream, _)) = accepted else { tokio::time::sleep(LOOK).await; continue };
                tokio::spawn(keeper.clone().answer(stream));
            }
            _ = look.tick() => if keeper.is_idle().await { break },
            () = keeper.over.notified() => break,
            _ = signals.next() => break,
        }
    }
    // From here on a new process may take over.
    socket::remove(id);
    drop(listener);
    for session in keeper.sandbox.sessions().await.unwrap_or_default() {
        let _ = keeper.sandbox.end_session(&session.name).await;
    }
    keeper.sandbox.kernel().shutdown().await;
    if keeper.sandbox.has_ended() {
        return Ok(0);
    }
    Ok(keeper.sandbox.commit("sessions").await.map(|()| 0)?)
}

/// Says how the start went, and lets go of the streams of whoever started this process.
fn tell(what: &Started) -> Result<u8, Failure> {
    let line = serde_json::to_string(what).unwrap_or_default();
    // Nobody may be waiting any more.
    let _ = writeln!(std::io::stdout(), "{line}");
    if let Ok(null) = std::fs::OpenOptions::new().read(true).write(true).open("/dev/null") {
        let _ = rustix::stdio::dup2_stdout(&null);
        let _ = rustix::stdio::dup2_stderr(&null);
    }
    Ok(0)
}

struct Keeper {
    sandbox: Arc<LocalSandbox>,
    calls: Semaphore,
    over: Notify,
}

impl Keeper {
    /// There is nothing left to keep, and nobody asks for anything. A sandbox that nobody used for as long as its `ttl`
    /// says has been parked, and its shells have ended; one whose `hard_ttl` is over has been deleted.
    async fn is_idle(&self) -> bool {
        let over = self.sandbox.has_ended() || self.sandbox.is_parked();
        let none = over || self.sandbox.sessions().await.is_ok_and(|sessions| sessions.is_empty());
        none && self.calls.available_permits() == AT_ONCE
    }

    async fn answer(self: Arc<Self>, stream: UnixStream) {
        if socket::same_user(&stream).is_err() {
            return;
        }
        let Ok(_call) = self.calls.acquire().await else { return };
        let (from, mut to) = stream.into_split();
        let mut from = BufReader::new(from);
        let hello = Hello { version: message::VERSION, pid: std::process::id() };
        if message::write(&mut to, &hello).await.is_err() {
            return;
        }
        let Ok(Ok(Some(request))) = tokio::time::timeout(PATIENCE, message::read(&mut from)).await else {
            return;
        };
        let all = matches!(request, Request::End { session: None });
        let answer = tokio::select! {
            answer = self.run(request) => answer,
            // Whoever asked went away. A command in a session is interrupted, as its call is dropped.
            _ = message::read::<Request>(&mut from) => return,
        };
        // An answer that nobody reads is lost.
        let _ = message::write(&mut to, &answer).await;
        if all {
            self.over.notify_one();
            // Whoever asked waits for the end of the stream. The system closes it with this process, after the lock on
            // the sandbox, which was opened before.
            std::mem::forget((from, to));
        }
    }

    async fn run(&self, request: Request) -> Answer {
        let done = match request {
            Request::Execute { session, command } => match command.request() {
                Err(why) => return Answer::Failed(why),
                Ok(request) => match session {
                    Some(name) => self.execute(&name, request).await,
                    None => self.sandbox.execute(request).await.map(SessionResponse::new),
                }
                .map(|done| Answer::Done(Done::new(&done))),
            },
            Request::List => self.sandbox.sessions().await.map(|sessions| {
                let listed = sessions.into_iter().map(|session| Listed {
                    name: session.name,
                    busy: session.busy,
                    terminal: session.terminal,
                });
                Answer::Sessions(listed.collect())
            }),
            Request::Output { session } => self
                .sandbox
                .session_output(&session)
                .await
                .map(|bytes| Answer::Output(message::encode(&bytes))),
            Request::End { session: Some(name) } => {
                self.sandbox.end_session(&name).await.map(|()| Answer::Ended)
            }
            Request::End { session: None } => Ok(Answer::Ended),
        };
        done.unwrap_or_else(|error| Answer::Failed(error.to_string()))
    }

    /// A session whose shell ends with the command, as by `exit`, is over.
    async fn execute(&self, name: &str, request: ExecuteRequest) -> sandshell::Result<SessionResponse> {
        let done = self.sandbox.execute_in_session(name, request).await?;
        if done.ended {
            self.sandbox.end_session(name).await?;
        }
        Ok(done)
    }
}
