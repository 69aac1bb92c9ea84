//! `sandshell shell`.

use super::args::Shell;
use super::changes;
use super::choice::Choice;
use super::exec::{PATIENCE, report};
use super::failure::{Failure, reason};
use super::interrupt::{self, FollowUp, Resizes, Signals};
use super::output::HostOutput;
use super::remote;
use super::session::Session;
use super::status::status;
use super::stdin::stdin;
use super::terminal::HostTerminal;
use sandshell::runtime::{Job, Outcome, Output, Stdin, Until};
use std::io::IsTerminal;
use std::sync::Arc;

const SIGINT: u32 = 2;

pub(crate) async fn shell(args: Shell) -> Result<u8, Failure> {
    let choice = Choice::new(args.sandbox.provider.sandbox.as_deref())?;
    if !choice.is_local() || args.sandbox.provider.snapshot_name.is_some() {
        return remote::shell(choice, args).await;
    }
    let session = Session::open(&args.sandbox, &choice).await?;
    let overlays = changes::overlays(&session.sandbox, &args.changes)?;
    let interactive = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    let (outcome, after) =
        if interactive { on_terminal(&session).await? } else { on_streams(&session).await? };
    let stored = session.end("shell").await;
    let kept = stored.and_then(|()| after.run_interruptibly(|| session.keep()));
    let status = status(&outcome);
    let reported = after.run_interruptibly(|| report(&outcome, status, &args.changes, &overlays));
    kept?;
    reported?;
    Ok(status)
}

async fn on_terminal(session: &Session) -> Result<(Outcome, FollowUp), Failure> {
    let mut command = session.command(vec![b"bash".to_vec(), b"-i".to_vec()])?;
    // TERM describes the terminal that the sandbox borrows.
    if let Some(kind) = std::env::var_os("TERM")
        && !command.env.iter().any(|(name, _)| name == b"TERM")
    {
        command.env.push((b"TERM".to_vec(), kind.into_encoded_bytes()));
    }
    let terminal = HostTerminal::new().map_err(|error| Failure::about("the terminal", reason(&error)))?;
    let terminal = Arc::new(terminal);
    command.stdin = Stdin::Terminal(terminal.clone());
    command.output = Output { limit: u64::MAX, capture: false, stream: None };
    let signals = Signals::catch()?;
    let job = session.sandbox.kernel().spawn(command).await?;
    let outcome = attend(job, signals, &terminal).await;
    terminal.restore();
    outcome
}

/// Waits for the end of the shell. SIGINT, as another program sends it, goes to the foreground processes; Ctrl-C is the
/// sandbox's own.
async fn attend(
    mut job: Job,
    mut signals: Signals,
    terminal: &HostTerminal,
) -> Result<(Outcome, FollowUp), Failure> {
    let mut resizes =
        Resizes::watch().map_err(|error| Failure::about("cannot catch signals", reason(&error)))?;
    loop {
        tokio::select! {
            () = job.ended() => return Ok((job.wait().await, signals.follow_up(false))),
            Some(()) = signals.interrupt.recv() => job.signal_foreground(SIGINT),
            Some(()) = resizes.next() => job.resize(),
            // An interactive shell would ignore SIGTERM, but its sender wants the program to end.
            Some(()) = signals.terminate.recv() => end(&job, terminal),
            Some(()) = signals.hangup.recv() => end(&job, terminal),
        }
    }
}

/// Ends the shell without waiting for the terminal.
fn end(job: &Job, terminal: &HostTerminal) {
    job.kill();
    terminal.close();
}

/// Without a terminal, runs commands from standard input, as `bash` does.
async fn on_streams(session: &Session) -> Result<(Outcome, FollowUp), Failure> {
    let mut command = session.command(vec![b"bash".to_vec()])?;
    command.stdin = stdin();
    command.until = Until::Output;
    let host = HostOutput::new();
    command.output = Output { limit: u64::MAX, capture: false, stream: Some(Box::new(host.clone())) };
    let signals = Signals::catch()?;
    let job = session.sandbox.kernel().spawn(command).await?;
    let (outcome, after) = interrupt::wait(job, signals).await;
    let written = host.finish((outcome.timed_out || after.interrupted).then_some(PATIENCE));
    written.map_err(|error| Failure::about("cannot write output", reason(&error)))?;
    Ok((outcome, after))
}
