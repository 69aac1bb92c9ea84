//! `sandshell exec`.

use super::args::{ChangeArgs, DiffForm, Exec};
use super::changes;
use super::choice::Choice;
use super::failure::{Failure, note, reason};
use super::interrupt::{self, Signals};
use super::json::{Changed, Report};
use super::output::{HostOutput, Said};
use super::print::print;
use super::remote;
use super::session::Session;
use super::shells;
use super::status::status;
use super::stdin::stdin;
use sandshell::runtime::{Outcome, Output, Until};
use sandshell::store::Excerpt;
use sandshell::{HostOverlay, LocalOptions};
use std::ffi::OsString;
use std::time::Duration;

/// How long writing the output may still take after a command was killed at its deadline.
pub(crate) const PATIENCE: Duration = Duration::from_secs(1);

pub(crate) async fn exec(args: Exec) -> Result<u8, Failure> {
    if let Some(status) = shells::exec(&args).await? {
        return Ok(status);
    }
    let choice = Choice::new(args.sandbox.provider.sandbox.as_deref())?;
    if !choice.is_local() || args.sandbox.provider.snapshot_name.is_some() {
        return remote::exec(choice, args).await;
    }
    let session = Session::open(&args.sandbox, &choice).await?;
    let overlays = changes::overlays(&session.sandbox, &args.changes)?;
    if args.changes.apply {
        changes::applicable(&overlays)?;
    }
    let what = args.command.to_string_lossy().into_owned();
    let mut argv = vec![b"bash".to_vec(), b"-c".to_vec(), args.command.into_encoded_bytes()];
    argv.extend(args.args.into_iter().map(OsString::into_encoded_bytes));
    let mut command = session.command(argv)?;
    command.stdin = stdin();
    // The sandbox ends with the command, so wait for all output: a reader of a pipe would also wait for its end.
    command.until = Until::Output;
    let host = HostOutput::new();
    let said = Said::default();
    command.output = match args.json {
        true => Output {
            limit: args.max_output.unwrap_or(LocalOptions::default().max_output),
            ..Output::default()
        },
        false => Output {
            limit: args.max_output.unwrap_or(u64::MAX),
            capture: false,
            stream: Some(Box::new(said.beside(host.clone()))),
        },
    };
    let call = session.sandbox.begin_call(&what);
    let signals = Signals::catch()?;
    let job = session.sandbox.kernel().spawn(command).await?;
    let (outcome, after) = interrupt::wait(job, signals).await;
    let written = host.finish((outcome.timed_out || after.interrupted).then_some(PATIENCE));
    let said = if args.json { Excerpt::of(&outcome.output) } else { said.excerpt() };
    let stored = session.end_call(call, &what, &outcome, &said).await;
    let kept = stored.and_then(|()| after.run_interruptibly(|| session.keep()));

    let status = status(&outcome);
    let reported = after.run_interruptibly(|| match args.json {
        true => report_json(&outcome, status, &args.changes, &overlays),
        false => report(&outcome, status, &args.changes, &overlays),
    });
    kept?;
    reported?;
    written.map_err(|error| Failure::about("cannot write output", reason(&error)))?;
    Ok(status)
}

/// Reports the limit that was hit, if any, then shows and applies changes.
pub(crate) fn report(
    outcome: &Outcome,
    status: u8,
    args: &ChangeArgs,
    overlays: &[HostOverlay],
) -> Result<(), Failure> {
    if let Some(limit) = &outcome.limit {
        note(&limit.to_string());
    }
    if let Some(form) = args.diff {
        print(&changes::text(overlays, form)?)?;
    }
    if args.apply {
        apply(status, overlays)?;
    }
    Ok(())
}

fn report_json(
    outcome: &Outcome,
    status: u8,
    args: &ChangeArgs,
    overlays: &[HostOverlay],
) -> Result<(), Failure> {
    let mut report = Report::new(outcome, status);
    if args.apply || args.diff.is_some() {
        report.changes = Some(changes::changes(overlays)?.iter().map(Changed::new).collect());
    }
    if args.diff == Some(DiffForm::Patch) {
        let patch = changes::text(overlays, DiffForm::Patch)?;
        report.patch = Some(String::from_utf8_lossy(&patch).into_owned());
    }
    let applied = if args.apply { apply(status, overlays).map(Some) } else { Ok(None) };
    report.applied = match &applied {
        Ok(applied) => *applied,
        Err(_) => Some(false),
    };
    print(report.text().map_err(Failure::new)?.as_bytes())?;
    applied.map(drop)
}

/// Applies the changes, unless the command failed; returns whether they were applied.
fn apply(status: u8, overlays: &[HostOverlay]) -> Result<bool, Failure> {
    if status != 0 {
        note(&format!("not applied: the command's status is {status}"));
        return Ok(false);
    }
    changes::apply(overlays).map(|_| true)
}
