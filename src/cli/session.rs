//! The sandbox of one run, created from the options.

use super::args::SandboxArgs;
use super::choice::Choice;
use super::failure::{Failure, path};
use super::mount::{MountMode, MountSpec};
use super::setup::Setup;
use super::status::status;
use super::{changes, engine, on_disk, pack, state, variables};
use sandshell::pack::{self as pack_files, Pack};
use sandshell::runtime::{Command, Limit, Outcome};
use sandshell::store::Excerpt;
use sandshell::{
    CreateOptions, ExecuteRequest, KeptCall, LocalOptions, LocalProvider, LocalSandbox, MountSource, Random,
};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// A sandbox and where its files are kept.
pub(crate) struct Session {
    pub(crate) sandbox: Arc<LocalSandbox>,
    env: Vec<(Vec<u8>, Vec<u8>)>,
    state: Option<PathBuf>,
    timeout: Option<Duration>,
    /// Where commands start, if not in the sandbox's own directory.
    workdir: Option<String>,
}

impl Session {
    /// Creates a sandbox in this process and runs its setup script.
    pub(crate) async fn open(args: &SandboxArgs, choice: &Choice) -> Result<Session, Failure> {
        let setup = Setup::read(&args.provider.setup)?;
        let session = match &args.provider.id {
            Some(id) => Self::existing(args, id).await?,
            None => Self::create(args, choice.working_dir())?,
        };
        if let Some(setup) = setup {
            let run = setup.run(&*session.sandbox);
            match session.timeout {
                None => run.await?,
                // Only the script itself has the time limit: processes that it leaves in the background are for the
                // command that follows.
                Some(time) => tokio::time::timeout(time, run)
                    .await
                    .map_err(|_| Failure::about("the setup script", Limit::WallTime(time)))??,
            }
        }
        Ok(session)
    }

    fn create(args: &SandboxArgs, working_dir: Option<&str>) -> Result<Session, Failure> {
        changes::recover(&hosts(&args.mounts));
        let env = variables::variables(&args.env)?;
        let packs = pack::chosen(&args.packs, args.no_packs)?;
        let mut options = options(args, working_dir)?;
        let timeout = options.timeout.take();
        let sandbox = create(options, &packs)?;
        if let Some(file) = &args.state {
            state::load(&sandbox, file)?;
        }
        Ok(Session { sandbox, env, state: args.state.clone(), timeout, workdir: None })
    }

    /// The sandbox with this id, with this run's mounts and limits.
    async fn existing(args: &SandboxArgs, id: &str) -> Result<Session, Failure> {
        if args.state.is_some() {
            return Err(Failure::new("--state cannot be used with --sandbox-id: its files are kept already"));
        }
        let env = variables::variables(&args.env)?;
        let packs = pack::chosen(&args.packs, args.no_packs)?;
        let mut options = options(args, None)?;
        let timeout = options.timeout.take();
        let provider = on_disk::provider(options, &packs)?;
        changes::recover(&on_disk::mounted(&provider, id)?);
        let sandbox = on_disk::open(&provider, id).await?;
        Ok(Session { sandbox, env, state: None, timeout, workdir: args.workdir.clone() })
    }

    /// A command with the sandbox's environment and working directory.
    pub(crate) fn command(&self, argv: Vec<Vec<u8>>) -> Result<Command, Failure> {
        let mut request = ExecuteRequest::new("");
        request.cwd.clone_from(&self.workdir);
        let mut command = self.sandbox.command(request)?;
        command.argv = argv;
        command.timeout = self.timeout;
        variables::set(&mut command.env, self.env.clone());
        Ok(command)
    }

    /// Ends what still runs in the sandbox, and stores its files if it is kept on disk. `what` is for its history.
    pub(crate) async fn end(&self, what: &str) -> Result<(), Failure> {
        self.sandbox.kernel().shutdown().await;
        Ok(self.sandbox.commit(what).await?)
    }

    /// As [`end`](Self::end), after a call that was noted.
    pub(crate) async fn end_call(
        &self,
        call: Option<KeptCall>,
        what: &str,
        outcome: &Outcome,
        output: &Excerpt,
    ) -> Result<(), Failure> {
        self.sandbox.kernel().shutdown().await;
        match call {
            Some(call) => Ok(call.end(&self.sandbox, what, Some(status(outcome).into()), output).await?),
            None => Ok(self.sandbox.commit(what).await?),
        }
    }

    /// Writes the sandbox's files to the state file, if there is one. Nothing may still run in the sandbox.
    pub(crate) fn keep(&self) -> Result<(), Failure> {
        match &self.state {
            Some(file) => state::save(&self.sandbox, file),
            None => Ok(()),
        }
    }
}

/// A sandbox with these options.
pub(crate) fn create(options: LocalOptions, packs: &[Pack]) -> Result<Arc<LocalSandbox>, Failure> {
    let provider = LocalProvider::new(engine::for_one(packs)?, pack_files::add(options, packs))?;
    Ok(provider.create(CreateOptions::default())?)
}

/// A provider of sandboxes with these options, for several sessions. They may be `kept` on disk.
#[cfg(feature = "mcp")]
pub(crate) fn provider(args: &SandboxArgs, kept: bool) -> Result<LocalProvider, Failure> {
    changes::recover(&hosts(&args.mounts));
    let packs = pack::chosen(&args.packs, args.no_packs)?;
    let options = options(args, None)?;
    let options = if kept { on_disk::options(options)? } else { options };
    Ok(LocalProvider::new(engine::with(&packs, |_| {})?, pack_files::add(options, &packs))?)
}

fn options(args: &SandboxArgs, working_dir: Option<&str>) -> Result<LocalOptions, Failure> {
    let mut options = LocalOptions { clock: args.clock.0, timeout: args.timeout, ..LocalOptions::default() };
    if let Some(workdir) = args.workdir.as_deref().or(working_dir) {
        workdir.clone_into(&mut options.workdir);
    }
    if let Some(memory) = args.memory {
        options.limits.sandbox_memory = memory;
        options.limits.process_memory = options.limits.process_memory.min(memory);
    }
    options.disk.bytes = args.disk.or(options.disk.bytes);
    options.disk.inodes = args.inodes.or(options.disk.inodes);
    options.host_disk = args.host_disk.or(options.host_disk);
    if let Some(seed) = args.seed {
        options.random = Random::Seeded(seed);
    }
    mounted(options, &args.mounts)
}

/// The directories of the host that are mounted.
fn hosts(mounts: &[MountSpec]) -> Vec<PathBuf> {
    mounts.iter().map(|mount| mount.host.clone()).collect()
}

/// The options with these mounts.
pub(crate) fn mounted(mut options: LocalOptions, mounts: &[MountSpec]) -> Result<LocalOptions, Failure> {
    for mount in mounts {
        if !mount.host.is_dir() {
            let why = if mount.host.exists() { "not a directory" } else { "no such directory" };
            return Err(Failure::about(path(&mount.host), why));
        }
        let source = match mount.mode {
            MountMode::ReadOnly => MountSource::HostReadOnly(mount.host.clone()),
            MountMode::ReadWrite => MountSource::HostReadWrite(mount.host.clone()),
            MountMode::Overlay => MountSource::Overlay(mount.host.clone()),
        };
        options = options.mount(&mount.guest, source);
    }
    Ok(options)
}
