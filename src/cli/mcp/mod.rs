//! `sandshell mcp`: sandboxes for agents that speak the Model Context Protocol.

mod answers;
mod arrival;
mod execute;
mod globs;
mod http;
mod keeping;
mod listing;
mod moving;
mod pages;
mod parameters;
mod reading;
mod resources;
mod server;
mod sessions;
mod stdio;
mod workspace;

use super::args::Mcp;
use super::choice::Choice;
use super::failure::{Failure, reason};
use super::mount::{MountMode, MountSpec};
use super::setup::Setup;
use super::{on_disk, session, state, variables};
use rmcp::ServiceExt;
use sandshell::CreateOptions;
use server::Server;
use std::sync::{Arc, Mutex};
use workspace::Workspaces;

/// Where the current directory is, if nothing else is mounted.
const WORKSPACE: &str = "/workspace";

pub(crate) async fn mcp(mut args: Mcp) -> Result<u8, Failure> {
    let asked = &args.sandbox.provider;
    let choice = Choice::new(asked.sandbox.as_deref())?;
    if !choice.is_local() {
        return Err(Failure::about(&choice.name, "agents get local sandboxes only"));
    }
    if asked.snapshot_name.is_some() {
        return Err(Failure::new(
            "--sandbox-snapshot-name is not for mcp: create a sandbox from it, and name its --sandbox-id",
        ));
    }
    if args.sandbox.state.is_some() && asked.id.is_some() {
        return Err(Failure::new("--state cannot be used with --sandbox-id: its files are kept already"));
    }
    let kept = args.keep || asked.id.is_some();
    if args.sandbox.mounts.is_empty() && !args.no_mount && !kept {
        let here = std::env::current_dir().map_err(|error| Failure::about(".", reason(&error)))?;
        let mount = MountSpec { host: here, guest: WORKSPACE.to_owned(), mode: MountMode::Overlay };
        args.sandbox.mounts.push(mount);
    }
    let workspaces = Arc::new(Workspaces {
        provider: session::provider(&args.sandbox, kept)?,
        env: variables::texts(&args.sandbox.env)?,
        max_output: args.max_output,
        keeps: args.keep,
        setup: Setup::read(&args.sandbox.provider.setup)?,
        users: Mutex::default(),
    });
    let served = match args.http {
        Some(address) => http::serve(workspaces.clone(), address, args.public).await,
        None => serve(&args, &workspaces).await,
    };
    // What processes in the background did is stored, too.
    workspaces.provider.park_all().await?;
    served
}

/// One session, on standard input and output, until the client closes them.
async fn serve(args: &Mcp, workspaces: &Arc<Workspaces>) -> Result<u8, Failure> {
    let workspace = match &args.sandbox.provider.id {
        Some(id) => workspaces.workspace(on_disk::open(&workspaces.provider, id).await?),
        None => workspaces.create(CreateOptions::default()).await?,
    };
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
