//! `sandshell list`.

use super::table::table;
use crate::cli::args::List;
use crate::cli::choice::{Choice, registry};
use crate::cli::failure::{Failure, note};
use crate::cli::print::print;
use crate::cli::{on_disk, places};
use sandshell::{ListOptions, SandboxInfo, SandboxProvider};
use serde_json::{Value, json};
use std::sync::Arc;

pub(crate) async fn list(args: List) -> Result<u8, Failure> {
    let mut found = Vec::new();
    let mut status = 0;
    if args.sandbox.is_some() {
        let provider = Choice::new(args.sandbox.as_deref())?.lasting().await?;
        found = all(&provider, &args.labels).await?;
    } else {
        let (registry, _) = registry()?;
        let mut local = false;
        for known in registry.known() {
            // The local sandboxes are the same under every name.
            let again = known.kind == "local" && std::mem::replace(&mut local, true);
            if known.missing.is_some() || again {
                continue;
            }
            let listed = async {
                // Somebody said where they are, and it cannot be used.
                if known.kind == "local" && std::env::var_os("SANDSHELL_DATA_DIR").is_some() {
                    places::sandboxes()?;
                }
                let provider: Arc<dyn SandboxProvider> = match known.kind == "local" {
                    false => registry.provider(&known.name).await?,
                    // Looking must not make the directory.
                    true if places::sandboxes()
                        .is_ok_and(|at| at.shared.is_some() || at.directory.exists()) =>
                    {
                        Arc::new(on_disk::plain_provider()?)
                    }
                    true => return Ok(Vec::new()),
                };
                let can = provider.metadata().capabilities;
                // Some services cannot list.
                let lists = can.list && !can.ephemeral && (can.labels || args.labels.is_empty());
                if lists { all(&provider, &args.labels).await } else { Ok(Vec::new()) }
            };
            let listed: Result<_, Failure> = listed.await;
            match listed {
                Ok(sandboxes) => found.extend(sandboxes),
                // The other providers are still listed.
                Err(failure) => {
                    note(&format!("{}: {failure}", known.name));
                    status = 1;
                }
            }
        }
    }
    print(if args.json { as_json(&found) } else { as_table(&found) }.as_bytes())?;
    Ok(status)
}

type ListedSandbox = (String, SandboxInfo);

async fn all(
    provider: &Arc<dyn SandboxProvider>,
    labels: &[(String, String)],
) -> Result<Vec<ListedSandbox>, Failure> {
    let name = provider.metadata().name;
    let mut options = ListOptions::default();
    options.labels = labels.to_vec();
    let mut found = Vec::new();
    loop {
        let page = provider.list(options.clone()).await?;
        found.extend(page.sandboxes.into_iter().map(|info| (name.clone(), info)));
        match page.next_cursor {
            // A service that returns the same page again would make this loop endless.
            Some(next) if options.cursor.as_ref() != Some(&next) => options.cursor = Some(next),
            _ => return Ok(found),
        }
    }
}

fn created(info: &SandboxInfo) -> Option<String> {
    info.created_at.map(|at| humantime::format_rfc3339_seconds(at).to_string())
}

fn as_table(found: &[ListedSandbox]) -> String {
    let row = |(provider, info): &ListedSandbox| {
        let labels: Vec<String> = info.labels.iter().map(|(name, value)| format!("{name}={value}")).collect();
        vec![
            provider.clone(),
            info.id.clone(),
            info.state.name().to_owned(),
            created(info).unwrap_or_else(|| "-".to_owned()),
            labels.join(","),
        ]
    };
    table(&found.iter().map(row).collect::<Vec<_>>())
}

fn as_json(found: &[ListedSandbox]) -> String {
    let object = |(provider, info): &ListedSandbox| {
        let labels: serde_json::Map<String, Value> =
            info.labels.iter().map(|(name, value)| (name.clone(), Value::from(value.as_str()))).collect();
        json!({
            "provider": provider,
            "id": info.id,
            "state": info.state.name(),
            "created_at": created(info),
            "labels": labels,
        })
    };
    format!("{}\n", found.iter().map(object).collect::<Value>())
}
