//! Sessions on a terminal: an interactive shell whose screen is in memory.

use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, Instant};

use sandshell_runtime::{Job, Kernel, Output, Stdin};

use super::screen::Screen;
use super::shell::why_it_ended;
use crate::local::LocalOptions;
use crate::local::execute::{error, prepare};
use crate::{ExecuteRequest, Result, TerminalRequest, TerminalScreen};

/// When nothing was written for this long, the screen is looked at.
const QUIET: Duration = Duration::from_millis(100);

/// How long a program in the foreground that computes is given to write something.
const COMPUTES: Duration = Duration::from_secs(1);

/// How often it is looked at meanwhile.
const LOOK: Duration = Duration::from_millis(10);

/// How long the first output after a key is waited for.
const ECHO: Duration = Duration::from_millis(300);

/// A shell on a terminal.
pub(super) struct OnTerminal {
    job: Job,
    screen: Arc<Screen>,
}

/// While it lives, somebody waits for the terminal's processes: they are not in the background.
struct Attended<'a>(&'a Job);

impl<'a> Attended<'a> {
    fn new(job: &'a Job) -> Self {
        job.set_background(false);
        Self(job)
    }
}

impl Drop for Attended<'_> {
    fn drop(&mut self) {
        self.0.set_background(true);
    }
}

impl OnTerminal {
    pub(super) async fn start(
        kernel: &Kernel,
        options: &LocalOptions,
        request: &TerminalRequest,
    ) -> Result<Self> {
        let screen = Arc::new(Screen::new(request.size.unwrap_or_default())?);
        let (mut command, _) = prepare(options, ExecuteRequest::new(""), None)?.split();
        command.argv = vec![b"bash".to_vec(), b"-i".to_vec()];
        if !command.env.iter().any(|(name, _)| name == b"TERM") {
            command.env.push((b"TERM".to_vec(), b"xterm-256color".to_vec()));
        }
        command.timeout = None;
        command.stdin = Stdin::Terminal(screen.clone());
        command.output = Output { limit: u64::MAX, capture: false, stream: None };
        let job = kernel.spawn(command).await.map_err(error)?;
        Ok(Self { job, screen })
    }

    pub(super) fn has_ended(&self) -> bool {
        self.job.has_ended()
    }

    /// Resizes the terminal, types, waits and looks. `closing` completes if the session is to end meanwhile.
    pub(super) async fn run(
        &mut self,
        request: TerminalRequest,
        begun: bool,
        closing: impl Future<Output = ()>,
    ) -> Result<TerminalScreen> {
        let _attended = Attended::new(&self.job);
        let before = self.screen.count();
        let resized = match request.size {
            Some(size) => self.screen.set_size(size)?,
            None => false,
        };
        if resized {
            self.job.resize();
        }
        if !request.input.is_empty() {
            self.screen.press(&request.input)?;
        }
        let expects = begun || resized || !request.input.is_empty();
        let wanted = async {
            if expects {
                // Not what was there before.
                let _ = tokio::time::timeout(ECHO, self.screen.more_than(before)).await;
            }
            match &request.until {
                Some(text) => self.shows(text).await,
                None => self.rests().await,
            }
        };
        let settled = tokio::select! {
            biased;
            () = wanted => true,
            // What it wrote last is shown by then.
            _ = self.job.first_ended() => {
                self.screen.quiet(QUIET).await;
                request.until.is_none()
            }
            () = closing => {
                self.job.kill();
                self.job.first_ended().await;
                request.until.is_none()
            }
            () = tokio::time::sleep(request.wait) => false,
        };
        let mut screen = self.screen.look();
        screen.settled = settled || request.until.as_ref().is_some_and(|text| screen.text.contains(text));
        if self.has_ended() {
            screen.ended = Some(self.job.first_ended().await.code());
        }
        Ok(screen)
    }

    /// Waits until nothing is written and the program waits: a slow one, or a busy machine, would else show half of
    /// what comes.
    async fn rests(&self) {
        let begun = Instant::now();
        loop {
            self.screen.quiet(QUIET).await;
            let waits = !self.job.is_computing() && self.screen.is_read();
            if waits || self.has_ended() || begun.elapsed() > COMPUTES {
                return;
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Waits until the screen shows a text.
    async fn shows(&self, text: &str) {
        loop {
            let count = self.screen.count();
            if self.screen.look().text.contains(text) {
                return;
            }
            self.screen.more_than(count).await;
            // Not for each piece.
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Ends it with all that it started.
    pub(super) async fn end(self) {
        self.job.kill();
        self.job.wait().await;
    }

    pub(super) async fn why_it_ended(self) -> String {
        let why = why_it_ended(&self.job).await;
        self.end().await;
        why
    }
}
