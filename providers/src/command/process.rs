//! The command as a process.

use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use tokio::process::Command;
use tokio::sync::Mutex;

use super::CommandOptions;
use super::connection::Connection;
use crate::{Error, ErrorKind, Result};

/// How long the process may take to exit by itself when it is no longer needed.
const PARTING: Duration = Duration::from_secs(5);

/// Starts the command. It is killed if it does not exit by itself after the connection.
pub(super) fn start(options: &CommandOptions) -> Result<Connection> {
    let Some((program, args)) = options.command.split_first() else {
        return Err(Error::invalid_request("the provider's command is empty"));
    };
    let mut command = Command::new(program);
    command.args(args).envs(options.env.iter().map(|(name, value)| (name, value)));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
    let mut child = command.spawn().map_err(|error| {
        Error::invalid_request(format!("the provider's command {program} cannot be started: {error}"))
            .with_source(error)
    })?;
    let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(Error::new(ErrorKind::Unexpected, "the provider's command has no pipes"));
    };
    let child = Arc::new(Mutex::new(child));
    let ending = child.clone();
    let parting =
        async move || match tokio::time::timeout(PARTING, async { ending.lock().await.wait().await }).await {
            Ok(Ok(status)) => format!("it has ended ({status})"),
            _ => "it has closed its output".to_owned(),
        };
    let name = format!("the provider's command {program}");
    let (connection, attending) = Connection::over(name, stdout, stdin, parting);
    tokio::spawn(async move {
        attending.await;
        // A process that does not exit by itself is killed.
        let mut child = child.lock().await;
        drop(child.start_kill());
        drop(child.wait().await);
    });
    Ok(connection)
}
