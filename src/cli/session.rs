//! The sandbox of one run, created from the options.

use super::args::SandboxArgs;
use super::choice::Choice;
use super::exec::status;
use super::failure::{Failure, path};
use super::mount::{MountMode, MountSpec};
use super::progress::Progress;
use super::setup::Setup;
use super::{changes, kept, pack, places, state, variables};
use sandshell::pack::{self as pack_files, Pack};
#[cfg(feature = "serve")]
use sandshell::runtime::engine_config::Metering;
use sandshell::runtime::{Announce, Command, EngineOptions, Limit, Outcome, SystemImage};
use sandshell::store::Excerpt;
use sandshell::{
    CreateOptions, Engine, ExecuteRequest, KeptCall, Limits, LocalOptions, LocalProvider, LocalSandbox,
    MountSource, Random,
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
        let provider = kept::provider(options, &packs)?;
        changes::recover(&kept::mounted(&provider, id)?);
        let sandbox = kept::open(&provider, id).await?;
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
    let provider = LocalProvider::new(engine(packs)?, pack_files::add(options, packs))?;
    Ok(provider.create(CreateOptions::default())?)
}

/// A provider of sandboxes with these options, for several sessions. They may be `kept` on disk.
#[cfg(feature = "mcp")]
pub(crate) fn provider(args: &SandboxArgs, kept: bool) -> Result<LocalProvider, Failure> {
    changes::recover(&hosts(&args.mounts));
    let packs = pack::chosen(&args.packs, args.no_packs)?;
    let options = options(args, None)?;
    let options = if kept { kept::on_disk(options)? } else { options };
    Ok(LocalProvider::new(engine_with(&packs, |_| {})?, pack_files::add(options, &packs))?)
}

/// How many processes an engine reserves for other sandboxes.
const RESERVED_PROCESSES: u32 = 8;

/// An engine with room for one sandbox's processes: setting up more room takes longer.
fn engine(packs: &[Pack]) -> Result<Engine, Failure> {
    engine_with(packs, |options| {
        options.max_processes = Limits::default().processes + RESERVED_PROCESSES;
        options.exclusive = true;
    })
}

/// Compiles the programs of these packs, one after another, unless they are in the cache.
#[cfg(feature = "serve")]
pub(crate) async fn prepare(engine: &Engine, packs: &[Pack]) -> Result<(), Failure> {
    for pack in packs {
        let (engine, program) = (engine.clone(), pack.program().clone());
        let prepared = tokio::task::spawn_blocking(move || engine.prepare(&program, Metering::Plain));
        prepared.await.map_err(|error| Failure::new(error.to_string()))??;
    }
    Ok(())
}

/// An engine with these packs.
pub(crate) fn engine_with(packs: &[Pack], adjust: impl Fn(&mut EngineOptions)) -> Result<Engine, Failure> {
    let options = |cache_dir: Option<PathBuf>, what_follows: String| {
        let mut options = EngineOptions {
            packs: packs.iter().map(|pack| pack.program().clone()).collect(),
            cache_dir,
            announce: Some(Announce::new(move |pack| {
                Box::new(Progress::logged(format!("compiling {pack}; {what_follows}")))
            })),
            ..EngineOptions::new(SystemImage { reserved: places::reserved(), ..sandshell::image() })
        };
        adjust(&mut options);
        options
    };
    let Some(cache) = places::cache() else {
        let why = "it cannot be kept, as there is no home directory";
        return Ok(Engine::new(options(None, why.to_owned()))?);
    };
    Ok(Engine::new(options(Some(cache), "it is kept for the next time".to_owned()))
        // If the cache cannot be used, modules are compiled again.
        .or_else(|why| Engine::new(options(None, format!("it cannot be kept: {why}"))))?)
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
