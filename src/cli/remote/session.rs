//! The sandbox of one run.

use crate::cli::args::{ChangeArgs, ProviderArgs, SandboxArgs};
use crate::cli::choice::Choice;
use crate::cli::clock::ClockSpec;
use crate::cli::failure::{Failure, note};
use crate::cli::interrupt::Signals;
use crate::cli::setup::Setup;
use crate::cli::variables;
use sandshell::registry::SandboxHandle;
use sandshell::{
    Clock, CreateOptions, ErrorKind, ExecuteRequest, ExecuteResponse, OutputSender, Result as SandboxResult,
    Sandbox, SandboxProvider,
};
use std::sync::Arc;

/// A sandbox that is deleted at the end if it was created for this run.
pub(super) struct Session {
    handle: SandboxHandle,
    /// The settings that all commands share.
    request: ExecuteRequest,
}

impl Session {
    pub(super) async fn open(
        choice: &Choice,
        args: &SandboxArgs,
        changes: &ChangeArgs,
    ) -> Result<Session, Failure> {
        refuse_local(choice, args, changes)?;
        let request = request(args)?;
        let provider = if choice.is_local() { choice.lasting().await? } else { choice.provider().await? };
        Session::of(provider, &args.provider, options(args), request).await
    }

    /// Opens a sandbox of this provider; all commands get the settings of `request`.
    pub(super) async fn of(
        provider: Arc<dyn SandboxProvider>,
        args: &ProviderArgs,
        options: CreateOptions,
        request: ExecuteRequest,
    ) -> Result<Session, Failure> {
        let setup = Setup::read(&args.setup)?;
        let handle = match (&args.id, &args.snapshot_name) {
            (Some(id), _) => {
                let handle = SandboxHandle::create(provider, CreateOptions::existing(id)).await?;
                set_up(handle, setup.as_ref()).await?
            }
            (None, Some(name)) => from_snapshot(provider, options, name, setup.as_ref()).await?,
            (None, None) => set_up(SandboxHandle::create(provider, options).await?, setup.as_ref()).await?,
        };
        Ok(Session { handle, request })
    }

    pub(super) fn sandbox(&self) -> &Arc<dyn Sandbox> {
        self.handle.sandbox()
    }

    /// A request with the run's directory, variables and timeout.
    pub(super) fn request(&self, command: String) -> ExecuteRequest {
        let mut request = self.request.clone();
        request.command = command;
        request
    }

    /// Runs a command. If a signal stops it, returns the signal's number.
    pub(super) async fn execute(
        &self,
        request: ExecuteRequest,
        output: Option<OutputSender>,
        signals: &mut Signals,
    ) -> SandboxResult<Result<ExecuteResponse, u8>> {
        let running = async {
            match output {
                Some(output) => self.sandbox().execute_streaming(request, output).await,
                None => self.sandbox().execute(request).await,
            }
        };
        // Dropping the future stops the command if the protocol allows it.
        tokio::select! {
            answer = running => Ok(Ok(answer?)),
            Some(()) = signals.interrupt.recv() => Ok(Err(2)),
            Some(()) = signals.terminate.recv() => Ok(Err(15)),
            Some(()) = signals.hangup.recv() => Ok(Err(1)),
        }
    }

    /// Deletes the sandbox if it was created for this run.
    pub(super) async fn close(self) {
        close(self.handle).await;
    }
}

async fn close(handle: SandboxHandle) {
    let id = handle.sandbox().id().to_owned();
    if let Err(error) = handle.close().await {
        note(&format!("the sandbox {id} could not be deleted: {error}"));
    }
}

/// Runs the setup script in the sandbox. If the script fails, a sandbox that was created for this run is deleted.
async fn set_up(handle: SandboxHandle, setup: Option<&Setup>) -> Result<SandboxHandle, Failure> {
    let Some(setup) = setup else { return Ok(handle) };
    match setup.run(&**handle.sandbox()).await {
        Ok(()) => Ok(handle),
        Err(failure) => {
            close(handle).await;
            Err(failure)
        }
    }
}

/// Creates a sandbox from the snapshot of this name. If there is none, a new sandbox is set up and the snapshot is
/// made from it.
async fn from_snapshot(
    provider: Arc<dyn SandboxProvider>,
    options: CreateOptions,
    name: &str,
    setup: Option<&Setup>,
) -> Result<SandboxHandle, Failure> {
    let metadata = provider.metadata();
    if !metadata.capabilities.snapshot {
        return Err(Failure::about(metadata.name, "has no snapshots"));
    }
    match SandboxHandle::create(provider.clone(), options.clone().snapshot(name)).await {
        Ok(handle) => return Ok(handle),
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(error.into()),
    }
    let handle = set_up(SandboxHandle::create(provider.clone(), options).await?, setup).await?;
    match provider.snapshot(handle.sandbox().id(), Some(name)).await {
        Ok(made) if made.id == name => note(&format!("the snapshot {name} was made")),
        Ok(made) => {
            note(&format!("the snapshot {name} was made; {} finds it by its id: {}", metadata.name, made.id));
        }
        Err(error) => {
            close(handle).await;
            return Err(Failure::about(format!("the snapshot {name} could not be made"), error));
        }
    }
    Ok(handle)
}

fn options(args: &SandboxArgs) -> CreateOptions {
    let mut options = CreateOptions::default();
    options.workdir.clone_from(&args.workdir);
    options.limits.memory = args.memory;
    options.limits.disk = args.disk;
    options
}

fn request(args: &SandboxArgs) -> Result<ExecuteRequest, Failure> {
    let mut request = ExecuteRequest::new("");
    request.timeout = args.timeout;
    request.env = variables::texts(&args.env)?;
    if args.provider.id.is_some() {
        // An existing sandbox already has its own working directory.
        request.cwd.clone_from(&args.workdir);
    }
    Ok(request)
}

/// Refuses options that only local sandboxes have, rather than ignoring them.
fn refuse_local(choice: &Choice, args: &SandboxArgs, changes: &ChangeArgs) -> Result<(), Failure> {
    let given = [
        ("--mount", !args.mounts.is_empty()),
        ("--pack", !args.packs.is_empty()),
        ("--no-packs", args.no_packs),
        ("--inodes", args.inodes.is_some()),
        ("--host-disk", args.host_disk.is_some()),
        ("--seed", args.seed.is_some()),
        ("--clock", args.clock != ClockSpec(Clock::Real)),
        ("--state", args.state.is_some()),
        ("--diff", changes.diff.is_some()),
        ("--apply", changes.apply),
        ("--memory", args.memory.is_some() && args.provider.id.is_some()),
        ("--disk", args.disk.is_some() && args.provider.id.is_some()),
    ];
    match given.iter().find(|(_, given)| *given) {
        Some((option @ ("--memory" | "--disk"), _)) => {
            Err(Failure::about(option, "a sandbox that is there has its own"))
        }
        Some((option, _)) => {
            Err(Failure::about(option, format!("for local sandboxes only, not for {}", choice.name)))
        }
        None => Ok(()),
    }
}
