//! `sandshell exec --sandbox TYPE`.

use super::feed::{show, stdin};
use super::session::Session;
use crate::cli::args::Exec;
use crate::cli::choice::Choice;
use crate::cli::failure::{Failure, note};
use crate::cli::interrupt::Signals;
use crate::cli::json::Report;
use crate::cli::print::print;
use crate::cli::status::TIMED_OUT;
use sandshell::posix::quote;
use sandshell::{ExecuteRequest, ExecuteResponse};
use std::ffi::OsString;
use tokio::sync::mpsc;

pub(crate) async fn exec(choice: Choice, args: Exec) -> Result<u8, Failure> {
    let command = command(&args)?;
    let mut signals = Signals::catch()?;
    let session = Session::open(&choice, &args.sandbox, &args.changes).await?;
    let done = async {
        let mut request = session.request(command);
        request.stdin = stdin().await?.map(Into::into);
        request.max_output = args.max_output.or(request.max_output);
        run(&session, request, args.json, &mut signals).await
    };
    let done = done.await;
    session.close().await;
    done
}

async fn run(
    session: &Session,
    request: ExecuteRequest,
    json: bool,
    signals: &mut Signals,
) -> Result<u8, Failure> {
    if json {
        return Ok(match session.execute(request, None, signals).await? {
            Ok(response) => {
                let status = status(&response);
                print(Report::of_response(&response, status).text().map_err(Failure::new)?.as_bytes())?;
                status
            }
            Err(signal) => 128 + signal,
        });
    }
    stream(session, request, signals).await
}

/// Runs a command with its output on the host's streams.
pub(super) async fn stream(
    session: &Session,
    request: ExecuteRequest,
    signals: &mut Signals,
) -> Result<u8, Failure> {
    let (sender, receiver) = mpsc::channel(16);
    let (answer, shown) = tokio::join!(session.execute(request, Some(sender), signals), show(receiver));
    let status = match answer? {
        Ok(response) => {
            for limit in &response.limits {
                note(&limit.message);
            }
            status(&response)
        }
        Err(signal) => 128 + signal,
    };
    shown?;
    Ok(status)
}

fn status(response: &ExecuteResponse) -> u8 {
    if response.timed_out {
        return TIMED_OUT;
    }
    match response.exit_code {
        Some(code) => u8::try_from(code).unwrap_or(u8::MAX),
        None => {
            note("the provider could not tell the command's status");
            u8::MAX
        }
    }
}

/// The command with its positional parameters as one line.
pub(crate) fn command(args: &Exec) -> Result<String, Failure> {
    let text = |text: &OsString| match text.to_str() {
        Some(text) => Ok(text.to_owned()),
        None => Err(Failure::about(text.display(), "not UTF-8")),
    };
    let command = text(&args.command)?;
    if args.args.is_empty() {
        return Ok(command);
    }
    let mut line = format!("exec bash -c {}", quote(&command));
    for arg in &args.args {
        line.push(' ');
        line.push_str(&quote(&text(arg)?));
    }
    Ok(line)
}
