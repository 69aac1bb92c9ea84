//! One shell that lives, from its start to its end.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use sandshell_runtime::{
    Capture, Captured, Conversation, ExitStatus, InputStream, Job, Kernel, Limit, Output, Stdin,
};

use super::dialogue::{CallInput, Dialogue};
use crate::local::LocalOptions;
use crate::local::execute::{error, prepare};
use crate::{ExecuteRequest, Result, names};

/// The most bytes of each output that are kept of what processes write between two commands.
pub(super) const BACKGROUND: u64 = 1 << 20;

/// How long a command may take to end after its time was up, before its shell is killed, and how long what a shell has
/// left may take to write its last output.
const GRACE: Duration = Duration::from_secs(1);

const SIGINT: u32 = 2;

/// A shell that was started.
pub(super) struct Live {
    job: Job,
    dialogue: Arc<Dialogue>,
    stdin: Arc<CallInput>,
    capture: Arc<Capture>,
    /// How many commands it got.
    sent: u64,
}

/// How a command ended.
pub(super) struct Ended {
    pub(super) status: i32,
    pub(super) timed_out: bool,
    /// Whether the shell ended with it.
    pub(super) shell: bool,
    pub(super) limit: Option<Limit>,
}

/// Interrupts a command whose caller does not wait any more.
struct Interrupt<'a>(Option<&'a Job>);

impl Drop for Interrupt<'_> {
    fn drop(&mut self) {
        if let Some(job) = self.0 {
            job.signal_foreground(SIGINT);
        }
    }
}

impl Live {
    /// Starts a shell in the sandbox's working directory, with these variables besides the sandbox's.
    pub(super) async fn start(
        kernel: &Kernel,
        options: &LocalOptions,
        env: Vec<(String, String)>,
    ) -> Result<Self> {
        let (dialogue, stdin) = (Arc::<Dialogue>::default(), Arc::<CallInput>::default());
        let capture = Arc::new(Capture::new(BACKGROUND));
        let request = ExecuteRequest { env, ..ExecuteRequest::new("") };
        let (mut command, _) = prepare(options, request, None)?.split();
        command.argv = vec![b"bash".to_vec()];
        command.timeout = None;
        command.stdin = Stdin::Source(stdin.clone() as Arc<dyn InputStream>);
        command.output = Output { limit: u64::MAX, capture: false, stream: Some(Box::new(capture.clone())) };
        command.conversation = Some(dialogue.clone() as Arc<dyn Conversation>);
        let job = kernel.spawn(command).await.map_err(error)?;
        Ok(Self { job, dialogue, stdin, capture, sent: 0 })
    }

    /// Runs a command. `closing` completes if the session is to end meanwhile.
    pub(super) async fn run(
        &mut self,
        request: &ExecuteRequest,
        timeout: Option<Duration>,
        closing: impl Future<Output = ()>,
    ) -> Ended {
        // One that processes in the background reached before.
        let _ = self.job.take_limit();
        self.stdin.set(request.stdin.clone().unwrap_or_default());
        self.sent += 1;
        self.dialogue.ask(&names::bytes(&request.command));
        let time_is_up = async {
            match timeout {
                Some(time) => tokio::time::sleep(time).await,
                None => std::future::pending().await,
            }
        };
        let ending = self.job.first_ended();
        let mut guard = Interrupt(Some(&self.job));
        let first = tokio::select! {
            status = self.dialogue.answered(self.sent) => Some((status, false)),
            status = ending => Some((status.code(), true)),
            () = closing => {
                self.job.kill();
                Some((self.job.first_ended().await.code(), true))
            }
            () = time_is_up => None,
        };
        guard.0 = None;
        drop(guard);
        let timed_out = first.is_none();
        let (status, shell) = match first {
            Some(first) => first,
            None => self.interrupt().await,
        };
        if shell {
            self.wind_up().await;
        }
        Ended { status, timed_out, shell, limit: self.job.take_limit() }
    }

    /// Ends the command that runs: as Ctrl-C does, and with its shell if it goes on. The status, and whether the shell
    /// has ended.
    async fn interrupt(&mut self) -> (i32, bool) {
        // The first one may come before the shell has begun the command.
        for _ in 0..2 {
            self.job.signal_foreground(SIGINT);
            let ending = self.job.first_ended();
            tokio::select! {
                status = self.dialogue.answered(self.sent) => return (status, false),
                status = ending => return (status.code(), true),
                () = tokio::time::sleep(GRACE / 2) => {}
            }
        }
        self.job.kill();
        (self.job.first_ended().await.code(), true)
    }

    /// Waits for what the ended shell's process substitutions still write, and ends all that the shell has left.
    async fn wind_up(&mut self) {
        let _ = tokio::time::timeout(GRACE, self.job.ended()).await;
        self.job.kill();
    }

    /// Waits for the end of a command that nobody waited for.
    pub(super) async fn settle(&mut self) {
        if self.dialogue.answers() < self.sent && !self.has_ended() {
            self.interrupt().await;
        }
    }

    /// Whether it ended before it had the last command, so that nothing of that was done.
    pub(super) fn missed_the_last(&self) -> bool {
        self.has_ended() && self.dialogue.is_unread()
    }

    pub(super) fn has_ended(&self) -> bool {
        self.job.has_ended()
    }

    /// What was written since the last piece; of the next one, `limit` bytes of each output are kept.
    pub(super) fn said(&self, limit: u64) -> Vec<u8> {
        self.capture.take(limit).interleaved
    }

    /// What a command has written.
    pub(super) fn take_output(&self) -> Captured {
        self.capture.take(BACKGROUND)
    }

    /// Ends it with all that it started.
    pub(super) async fn end(self) {
        self.job.kill();
        self.job.wait().await;
    }

    /// Ends what is left; why it is there no more, in one line.
    pub(super) async fn why_it_ended(self) -> String {
        let why = why_it_ended(&self.job).await;
        self.end().await;
        why
    }
}

/// Why a shell that has ended is there no more, in one line.
pub(super) async fn why_it_ended(job: &Job) -> String {
    let how = if job.was_shut_down() {
        "the sandbox was paused or got other files".to_owned()
    } else {
        match (job.take_limit(), job.first_ended().await) {
            (Some(limit), _) => limit.to_string(),
            (None, ExitStatus::Signaled(signal)) => format!("killed by signal {signal}"),
            (None, ExitStatus::Exited(code)) => format!("status {code}"),
        }
    };
    format!("the session's shell had ended ({how}): a new one was started, without its variables and jobs")
}
