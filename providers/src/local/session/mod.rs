//! Shells that live: each is a process of the sandbox that gets one command after another, or has a terminal.

mod dialogue;
mod screen;
mod shell;
mod terminal;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use parking_lot::Mutex;
use sandshell_store::Excerpt;
use tokio::sync::{OwnedMutexGuard, watch};

use super::execute::limit_reached;
use super::sandbox::LocalSandbox;
use crate::{
    Error, ErrorKind, ExecuteRequest, ExecuteResponse, LimitKind, LimitReached, Result, SessionInfo,
    SessionResponse, TerminalRequest, TerminalScreen,
};
use shell::{BACKGROUND, Ended, Live};
use terminal::OnTerminal;

/// The most shells of a sandbox.
const MOST: usize = 16;

/// The shells of a sandbox by name.
#[derive(Default)]
pub(super) struct Sessions(Mutex<BTreeMap<String, Arc<Shell>>>);

/// A shell's place: it may be started again.
#[derive(Default)]
struct Shell {
    /// Held by the call that goes on.
    live: Arc<tokio::sync::Mutex<Option<Kind>>>,
    /// Whether it has a terminal; settled by the first call.
    terminal: bool,
    /// Becomes true when the session is ended, which does not wait for its command.
    closed: watch::Sender<bool>,
}

/// A shell that was started.
enum Kind {
    Commands(Live),
    Terminal(OnTerminal),
}

impl Sessions {
    /// The shell of this name, which is started with its first call.
    fn shell(&self, name: &str, terminal: bool) -> Result<Arc<Shell>> {
        let mut all = self.0.lock();
        if let Some(shell) = all.get(name) {
            if shell.terminal == terminal {
                return Ok(shell.clone());
            }
            let what = if shell.terminal { "has a terminal: type into it" } else { "has no terminal" };
            return Err(Error::new(ErrorKind::Conflict, format!("the session {name:?} {what}")));
        }
        if all.len() >= MOST {
            let why = format!("a sandbox has at most {MOST} sessions: end one that is not needed");
            return Err(Error::new(ErrorKind::QuotaExceeded, why));
        }
        let shell = Arc::new(Shell { terminal, ..Shell::default() });
        all.insert(name.to_owned(), shell.clone());
        Ok(shell)
    }

    fn known(&self, name: &str) -> Option<Arc<Shell>> {
        self.0.lock().get(name).cloned()
    }

    fn remove(&self, name: &str) -> Option<Arc<Shell>> {
        self.0.lock().remove(name)
    }

    pub(super) fn list(&self) -> Vec<SessionInfo> {
        let all = self.0.lock();
        let info = |(name, shell): (&String, &Arc<Shell>)| {
            SessionInfo::new(name, shell.live.try_lock().is_err(), shell.terminal)
        };
        all.iter().map(info).collect()
    }
}

impl Shell {
    /// Waits for its turn. `None` if the session was ended meanwhile.
    async fn turn(&self) -> Option<OwnedMutexGuard<Option<Kind>>> {
        let live = self.live.clone().lock_owned().await;
        (!self.is_closed()).then_some(live)
    }

    fn is_closed(&self) -> bool {
        *self.closed.borrow()
    }

    /// Waits until the session is ended.
    async fn closing(&self) {
        // The sender lives as long as this shell.
        let _ = self.closed.subscribe().wait_for(|closed| *closed).await;
    }
}

fn check_name(name: &str) -> Result<()> {
    let why = match name {
        "" => "it is empty",
        _ if name.len() > 128 => "it has more than 128 bytes",
        _ if name.chars().any(char::is_control) => "it has a control character",
        _ => return Ok(()),
    };
    Err(Error::invalid_request(format!("{name:?} cannot be a session's name: {why}")))
}

impl LocalSandbox {
    pub(super) async fn run_in_session(
        &self,
        name: &str,
        request: ExecuteRequest,
    ) -> Result<SessionResponse> {
        check_name(name)?;
        if request.cwd.is_some() {
            return Err(Error::invalid_request("a session has a directory of its own: `cd` changes it"));
        }
        if request.command.contains('\0') {
            return Err(Error::invalid_request("a command cannot contain NUL"));
        }
        let _call = self.begin().await?;
        let begun = Instant::now();
        let timeout = match request.timeout {
            Some(Duration::ZERO) => None,
            Some(time) => Some(time),
            None => self.options().timeout,
        };
        // Waiting for the session's other commands counts.
        let turn = self.turn_in_session(name, false);
        let (shell, mut place) = match timeout {
            None => turn.await?,
            Some(time) => match tokio::time::timeout(time, turn).await {
                Ok(turn) => turn?,
                Err(_) => return Ok(SessionResponse::new(never_began(time, begun.elapsed()))),
            },
        };
        let mut restarted = None;
        let mut background = Vec::new();
        let what = request.command.clone();
        let noted = self.begin_own_call(Some(name), &what);
        let max_output = request.max_output.unwrap_or(self.options().max_output);
        let (mut response, shell_ended) = loop {
            if let Some(Kind::Commands(running)) = place.as_mut() {
                // A command that was given up may still be ending.
                running.settle().await;
            }
            let mut live = None;
            if let Some(Kind::Commands(running)) = place.take() {
                if running.has_ended() {
                    background.extend(running.said(BACKGROUND));
                    restarted = Some(running.why_it_ended().await);
                } else {
                    live = Some(running);
                }
            }
            let new = live.is_none();
            let live = match live {
                Some(live) => live,
                None => Live::start(&self.running()?, self.options(), request.env.clone()).await?,
            };
            let Kind::Commands(running) = place.insert(Kind::Commands(live)) else {
                return Err(Error::new(ErrorKind::Unexpected, "the session has a terminal"));
            };
            background.extend(running.said(max_output));
            let left = timeout.map(|time| time.saturating_sub(begun.elapsed()));
            let ended = running.run(&request, left, shell.closing()).await;
            if !new && !ended.timed_out && running.missed_the_last() && !shell.is_closed() {
                // It was being killed when the command came.
                continue;
            }
            break (answer(running, &ended, timeout, max_output), ended.shell);
        };
        if shell_ended {
            // The next command gets a new shell, as this answer says.
            *place = None;
        }
        drop(place);
        response.duration = begun.elapsed();
        let state = self.commit_state(&what).await?;
        if let Some(call) = noted {
            call.end(response.exit_code, &Excerpt::of(&response.output), state);
        }
        let mut answer = SessionResponse::new(response);
        (answer.background, answer.restarted, answer.ended) = (background.into(), restarted, shell_ended);
        Ok(answer)
    }

    /// What processes in the background wrote since the last answer. While a command runs, all is a part of its output.
    pub(super) fn read_session(&self, name: &str) -> Result<Bytes> {
        check_name(name)?;
        let Some(shell) = self.shells().known(name) else { return Ok(Bytes::new()) };
        let Ok(live) = shell.live.try_lock() else { return Ok(Bytes::new()) };
        Ok(match live.as_ref() {
            Some(Kind::Commands(live)) => live.said(BACKGROUND).into(),
            _ => Bytes::new(),
        })
    }

    /// Waits for the session's other calls.
    async fn turn_in_session(
        &self,
        name: &str,
        terminal: bool,
    ) -> Result<(Arc<Shell>, OwnedMutexGuard<Option<Kind>>)> {
        loop {
            let shell = self.shells().shell(name, terminal)?;
            if let Some(place) = shell.turn().await {
                return Ok((shell, place));
            }
        }
    }

    pub(super) async fn on_terminal(&self, name: &str, request: TerminalRequest) -> Result<TerminalScreen> {
        check_name(name)?;
        screen::checked(request.size.unwrap_or_default())?;
        let _call = self.begin().await?;
        let (shell, mut place) = self.turn_in_session(name, true).await?;
        let mut restarted = None;
        let mut live = None;
        if let Some(Kind::Terminal(running)) = place.take() {
            if running.has_ended() {
                restarted = Some(running.why_it_ended().await);
            } else {
                live = Some(running);
            }
        }
        let begun = live.is_none();
        let live = match live {
            Some(live) => live,
            None => OnTerminal::start(&self.running()?, self.options(), &request).await?,
        };
        let Kind::Terminal(running) = place.insert(Kind::Terminal(live)) else {
            return Err(Error::new(ErrorKind::Unexpected, "the session has no terminal"));
        };
        let mut screen = running.run(request, begun, shell.closing()).await?;
        screen.restarted = restarted;
        if screen.ended.is_some() {
            // The next request gets a new shell, as this answer says.
            *place = None;
        }
        drop(place);
        self.commit(&format!("terminal {name}")).await?;
        Ok(screen)
    }

    /// Ends a shell and all that it started, also in the middle of a command. It is no error if there is none.
    pub(super) async fn close_session(&self, name: &str) -> Result<()> {
        check_name(name)?;
        let _call = self.begin().await?;
        let Some(shell) = self.shells().remove(name) else { return Ok(()) };
        shell.closed.send_replace(true);
        let live = shell.live.lock().await.take();
        match live {
            Some(Kind::Commands(live)) => live.end().await,
            Some(Kind::Terminal(live)) => live.end().await,
            None => {}
        }
        self.commit(&format!("end of the session {name}")).await
    }
}

/// The answer to a command that has ended.
fn answer(running: &Live, ended: &Ended, timeout: Option<Duration>, max_output: u64) -> ExecuteResponse {
    let said = running.take_output();
    let mut limits = Vec::new();
    if ended.timed_out {
        limits.push(LimitReached::timeout(timeout.unwrap_or_default()));
    }
    limits.extend(ended.limit.as_ref().and_then(limit_reached));
    if said.truncated {
        limits.push(LimitReached::output(max_output));
    }
    ExecuteResponse {
        exit_code: Some(if ended.timed_out { ExecuteResponse::TIMEOUT_EXIT_CODE } else { ended.status }),
        output: said.interleaved.into(),
        stdout: said.stdout.into(),
        stderr: said.stderr.into(),
        truncated: said.truncated,
        timed_out: ended.timed_out,
        limits,
        ..ExecuteResponse::default()
    }
}

fn never_began(limit: Duration, waited: Duration) -> ExecuteResponse {
    let why = "the command did not begin: a session runs one command at a time";
    ExecuteResponse {
        exit_code: Some(ExecuteResponse::TIMEOUT_EXIT_CODE),
        timed_out: true,
        limits: vec![LimitReached::timeout(limit), LimitReached::new(LimitKind::Processes, why)],
        duration: waited,
        ..ExecuteResponse::default()
    }
}

impl fmt::Debug for Sessions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.lock().keys()).finish()
    }
}
