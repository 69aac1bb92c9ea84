//! `sandshell doctor`.

use super::table::table;
use crate::cli::args::Doctor;
use crate::cli::choice::registry;
use crate::cli::failure::Failure;
use crate::cli::print::print;
use sandshell::registry::Registry;
use sandshell::{CreateOptions, Error, ErrorKind, ListOptions};
use std::time::Duration;

/// How long a provider may take to answer.
const PATIENCE: Duration = Duration::from_secs(30);

/// An id that no sandbox has.
const UNKNOWN_ID: &str = "sandshell-doctor-no-such-sandbox";

pub(crate) async fn doctor(args: Doctor) -> Result<u8, Failure> {
    let (registry, _) = registry()?;
    let known = registry.known();
    if let Some(unknown) = args.providers.iter().find(|name| !known.iter().any(|known| known.name == **name))
    {
        // The error lists the known providers.
        return Err(registry
            .provider(unknown)
            .await
            .err()
            .map_or_else(|| Failure::about(unknown, "no such provider"), Failure::from));
    }
    let mut rows = Vec::new();
    let mut status = 0;
    for known in known {
        let named = args.providers.contains(&known.name);
        if !named && !args.providers.is_empty() {
            continue;
        }
        let (state, what) = match &known.missing {
            Some(missing) => {
                status = status.max(u8::from(named));
                ("not configured", missing.clone())
            }
            None => match examine(&registry, &known.name).await {
                Ok(detail) => ("ok", detail),
                Err(error) => {
                    status = 1;
                    ("failed", advice(&error))
                }
            },
        };
        rows.push(vec![known.name.clone(), state.to_owned(), what]);
    }
    print(table(&rows).as_bytes())?;
    Ok(status)
}

/// Makes a request that changes nothing and that a service answers only if it accepts the credentials.
async fn examine(registry: &Registry, name: &str) -> Result<String, Error> {
    let provider = registry.provider(name).await?;
    let can = provider.metadata().capabilities;
    if can.ephemeral {
        return Ok("its sandboxes are in this process".to_owned());
    }
    let asking = async {
        if can.list {
            return provider.list(ListOptions::default().limit(1)).await.map(drop);
        }
        if !can.reattach {
            return Ok(());
        }
        match provider.get_or_create(CreateOptions::existing(UNKNOWN_ID)).await {
            Err(error) if !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::InvalidRequest) => {
                Err(error)
            }
            _ => Ok(()),
        }
    };
    match tokio::time::timeout(PATIENCE, asking).await {
        Ok(Ok(())) if can.list || can.reattach => Ok("it answers and accepts the credentials".to_owned()),
        Ok(Ok(())) => {
            Ok("it is configured; it has nothing that could be asked without creating a sandbox".to_owned())
        }
        Ok(Err(error)) => Err(error),
        Err(_) => {
            let why = format!("{name}: no answer within {} seconds", PATIENCE.as_secs());
            Err(Error::new(ErrorKind::DeadlineExceeded, why))
        }
    }
}

/// The error and what to do about it.
fn advice(error: &Error) -> String {
    let advice = match error.kind() {
        ErrorKind::Unauthenticated => "check the credential, or get another one from the service",
        ErrorKind::PermissionDenied => "ask for the right, or use another credential",
        ErrorKind::QuotaExceeded => {
            "delete what is not needed (`sandshell list`), or raise the account's limit"
        }
        ErrorKind::RateLimited => "wait, then try again",
        ErrorKind::Unavailable | ErrorKind::DeadlineExceeded => {
            "check the network and the address, or the service's own status page"
        }
        ErrorKind::InvalidRequest => "correct the configuration",
        _ => return error.to_string(),
    };
    format!("{error}: {advice}")
}
