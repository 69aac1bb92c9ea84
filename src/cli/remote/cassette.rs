//! `sandshell record` and `sandshell replay`.

use super::exec::stream;
use super::session::Session;
use crate::cli::args::{CallArgs, ProviderArgs, Record, Replay};
use crate::cli::choice::Choice;
use crate::cli::failure::Failure;
use crate::cli::interrupt::Signals;
use crate::cli::variables;
use sandshell::wrappers::{self, Redactor, ReplayOptions};
use sandshell::{CreateOptions, ExecuteRequest, SandboxProvider};
use std::sync::Arc;

pub(crate) async fn record(args: Record) -> Result<u8, Failure> {
    let choice = Choice::new(args.provider.sandbox.as_deref())?;
    let provider = choice.provider().await?;
    let provider = wrappers::record(provider, &args.calls.cassette, secrets(&args.calls))?;
    run(provider, &args.provider, &args.calls).await
}

pub(crate) async fn replay(args: Replay) -> Result<u8, Failure> {
    let mut options = ReplayOptions::default().secrets(secrets(&args.calls));
    options.in_order = args.in_order;
    let provider = wrappers::replay(&args.calls.cassette, options)?;
    run(provider, &ProviderArgs::default(), &args.calls).await
}

/// Runs the commands in order and stops at the first that fails.
async fn run(
    provider: Arc<dyn SandboxProvider>,
    sandbox: &ProviderArgs,
    calls: &CallArgs,
) -> Result<u8, Failure> {
    let mut signals = Signals::catch()?;
    let mut request = ExecuteRequest::new("");
    request.timeout = calls.timeout;
    request.cwd.clone_from(&calls.workdir);
    request.env = variables::texts(&calls.env)?;
    let session = Session::of(provider, sandbox, CreateOptions::default(), request).await?;
    let mut done = Ok(0);
    for command in &calls.commands {
        done = stream(&session, session.request(command.clone()), &mut signals).await;
        if done != Ok(0) {
            break;
        }
    }
    session.close().await;
    done
}

/// The values of the host's variables that the file must not hold.
fn secrets(calls: &CallArgs) -> Redactor {
    let values = calls.secrets.iter().filter_map(|name| std::env::var(name).ok());
    values.filter(|value| !value.is_empty()).fold(Redactor::new(), |secrets, value| secrets.value(value))
}
