//! `sandshell mcp`: sandboxes for agents that speak the Model Context Protocol.

mod answers;
mod execute;
mod globs;
mod http;
mod listing;
mod moving;
mod pages;
mod parameters;
mod reading;
mod resources;
mod server;
mod stdio;
mod workspace;

use super::args::Mcp;
use super::failure::{Failure, reason};
use super::mount::{MountMode, MountSpec};
use super::{session, state, variables};
use rmcp::ServiceExt;
use server::Server;
use std::sync::Arc;
use workspace::Workspaces;

/// Where the current directory is, if nothing else is mounted.
const WORKSPACE: &str = "/workspace";

pub(crate) async fn mcp(mut args: Mcp) -> Result<u8, Failure> {
    if args.sandbox.mounts.is_empty() && !args.no_mount {
        let here = std::env::current_dir().map_err(|error| Failure::about(".", reason(&error)))?;
        let mount = MountSpec { host: here, guest: WORKSPACE.to_owned(), mode: MountMode::Overlay };
        args.sandbox.mounts.push(mount);
    }
    let workspaces = Arc::new(Workspaces {
        provider: session::provider(&args.sandbox)?,
        env: variables::texts(&args.sandbox.env)?,
        max_output: args.max_output,
    });
    match args.http {
        Some(address) => http::serve(workspaces, address, args.public).await,
        None => serve(&args, &workspaces).await,
    }
}

/// One session, on standard input and output, until the client closes them.
async fn serve(args: &Mcp, workspaces: &Arc<Workspaces>) -> Result<u8, Failure> {
    let workspace = workspaces.create()?;
    if let Some(file) = &args.sandbox.state {
        state::load(&workspace.sandbox, file)?;
    }
    let server = Server::with(workspaces.clone(), workspace.clone());
    let failed = |error: &dyn std::fmt::Display| Failure::about("the session", error);
    let session = server.serve(stdio::transport()).await.map_err(|error| failed(&error))?;
    session.waiting().await.map_err(|error| failed(&error))?;
    workspace.sandbox.kernel().shutdown().await;
    if let Some(file) = &args.diff {
        let patch = workspace.diff()?;
        std::fs::write(file, patch).map_err(|error| Failure::about(file.display(), reason(&error)))?;
    }
    if let Some(file) = &args.sandbox.state {
        state::save(&workspace.sandbox, file)?;
    }
    Ok(0)
}
