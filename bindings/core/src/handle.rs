//! A sandbox with its provider.

use crate::create::Defaults;
use crate::eager::{Work, begin};
use crate::lease::Lease;
use crate::process::ProcessOwned;
use crate::runtime::spawn;
use crate::{Mount, Options, Provider, Snapshot};
use sandshell::apply;
use sandshell::{
    CreateOptions, Error, ErrorKind, ExecuteRequest, ExecuteResponse, HostOverlay, LocalProvider,
    LocalSandbox, Result, Sandbox, SandboxProvider, SessionResponse, names,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// A handle on a sandbox. Clones refer to the same sandbox. If the handle created it, it ends when the last clone
/// is dropped.
#[derive(Clone, Debug)]
pub struct Handle(Arc<ProcessOwned<Inner>>);

#[derive(Debug)]
struct Inner {
    id: String,
    workdir: String,
    /// Identifies local sandboxes that may restore each other's snapshots; zero for other providers.
    family: u64,
    provider: Provider,
    sandbox: Arc<dyn Sandbox>,
    local: Option<Arc<LocalSandbox>>,
    /// Of a local sandbox that is kept on disk.
    lease: Option<Lease>,
    defaults: Defaults,
    /// Whether the sandbox is deleted at the end.
    owned: AtomicBool,
}

impl Handle {
    /// Creates a local sandbox.
    ///
    /// # Errors
    /// `InvalidRequest` for options that are not possible.
    pub fn create(options: &Options) -> Result<Self> {
        let provider = options.provider()?;
        let sandbox = provider.create(CreateOptions::default())?;
        Ok(Self::local(provider, sandbox, true, Defaults::default(), 0))
    }

    pub(crate) fn local(
        provider: LocalProvider,
        sandbox: Arc<LocalSandbox>,
        owned: bool,
        defaults: Defaults,
        family: u64,
    ) -> Self {
        let lease = Lease::of(&provider, &sandbox);
        // The id of a sandbox in memory is not unique, because each has a provider of its own. Snapshots of those on
        // disk are for all of them.
        let (id, family) = match (&lease, family) {
            (Some(_), _) => (sandbox.id().to_owned(), 0),
            (None, 0) => (format!("sandshell-{}", next()), next()),
            (None, family) => (format!("sandshell-{}", next()), family),
        };
        Self(Arc::new(ProcessOwned::new(Inner {
            id,
            workdir: sandbox.options().workdir.clone(),
            family,
            provider: provider.into(),
            sandbox: sandbox.clone(),
            local: Some(sandbox),
            lease,
            defaults,
            owned: AtomicBool::new(owned),
        })))
    }

    pub(crate) async fn other(
        provider: Arc<dyn SandboxProvider>,
        options: CreateOptions,
        defaults: Defaults,
    ) -> Result<Self> {
        let owned = options.id.is_none();
        let workdir = options.workdir.clone().unwrap_or_else(|| provider.metadata().working_dir);
        let sandbox = provider.get_or_create(options).await?;
        Ok(Self::of_other(Provider::other(provider), sandbox, workdir, defaults, owned))
    }

    fn of_other(
        provider: Provider,
        sandbox: Arc<dyn Sandbox>,
        workdir: String,
        defaults: Defaults,
        owned: bool,
    ) -> Self {
        let (id, owned) = (sandbox.id().to_owned(), AtomicBool::new(owned));
        let (family, local, lease) = (0, None, None);
        let inner = Inner { id, workdir, family, provider, sandbox, local, lease, defaults, owned };
        Self(Arc::new(ProcessOwned::new(inner)))
    }

    /// The sandbox's id. For a local sandbox, it is unique in this process; other sandboxes can be found by theirs.
    pub fn id(&self) -> &str {
        &self.0.id
    }

    /// Whether it is a local sandbox that is kept on disk.
    pub fn is_kept(&self) -> bool {
        self.0.lease.is_some()
    }

    /// The sandbox, for the operations that all sandboxes have.
    ///
    /// # Errors
    /// `SandboxEnded` in a forked child of the process that created it. This is also an error of all methods below.
    pub fn sandbox(&self) -> Result<&dyn Sandbox> {
        Ok(&*self.here()?.sandbox)
    }

    /// The working directory of commands.
    pub fn workdir(&self) -> &str {
        &self.0.workdir
    }

    /// The sandbox, for operations on files with these names.
    ///
    /// # Errors
    /// Those of [`sandbox`](Self::sandbox); `InvalidRequest` for a name that is not UTF-8 if the sandbox is not
    /// local.
    pub fn at<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> Result<&dyn Sandbox> {
        let inner = self.here()?;
        if inner.local.is_none() && names.into_iter().any(names::is_escaped) {
            return Err(Error::invalid_request("only local sandboxes know names that are not UTF-8"));
        }
        Ok(&*inner.sandbox)
    }

    /// Runs a command. Limits that it lacks are the sandbox's defaults. A relative working directory starts at the
    /// sandbox's.
    ///
    /// # Errors
    /// Those of the sandbox; `InvalidRequest` for text that is not UTF-8 if the sandbox is not local.
    pub async fn execute(&self, mut request: ExecuteRequest) -> Result<ExecuteResponse> {
        let inner = self.here()?;
        inner.defaults.apply(&mut request);
        if let Some(cwd) = request.cwd.as_mut().filter(|cwd| !cwd.starts_with('/')) {
            *cwd = format!("{}/{cwd}", inner.workdir.trim_end_matches('/'));
        }
        let texts = [Some(&request.command), request.cwd.as_ref()].into_iter().flatten();
        let texts = texts.chain(request.env.iter().flat_map(|(name, value)| [name, value]));
        let sandbox = self.at(texts.map(String::as_str))?;
        sandbox.execute(request).await
    }

    /// Runs a command in a shell that lives. Limits that it lacks are the sandbox's defaults.
    ///
    /// # Errors
    /// Those of the sandbox; `InvalidRequest` for text that is not UTF-8 if the sandbox is not local.
    pub async fn execute_in_session(
        &self,
        session: &str,
        mut request: ExecuteRequest,
    ) -> Result<SessionResponse> {
        self.here()?.defaults.apply(&mut request);
        let sandbox = self.at([request.command.as_str()])?;
        sandbox.execute_in_session(session, request).await
    }

    /// Starts work on this sandbox on the current thread, but only if the sandbox is local and only in memory, so that
    /// the work never blocks. If it does not complete at once, the caller must pass it to the runtime's threads.
    ///
    /// # Errors
    /// The work, if it is not complete.
    pub fn begin<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> std::result::Result<T, Work<T>> {
        let local = self.here().ok().and_then(|inner| inner.local.as_ref());
        let waits = local.is_none_or(|local| local.writes_through() || local.is_kept());
        if waits { Err(Box::pin(work)) } else { begin(work) }
    }

    /// Takes a snapshot of the files. Not every provider supports a `name`.
    ///
    /// # Errors
    /// `NotFound` if the sandbox has ended, `Unsupported` if the provider has no snapshots.
    pub async fn snapshot(&self, name: Option<&str>) -> Result<Snapshot> {
        let inner = self.here()?;
        let info = inner.provider.shared()?.snapshot(inner.sandbox.id(), name).await?;
        Ok(Snapshot::new(inner.family, inner.provider.clone(), info.id))
    }

    /// Restores a snapshot and ends all processes. A local snapshot must be of this sandbox, of one that it was
    /// forked from, or of a fork.
    ///
    /// # Errors
    /// `InvalidRequest` for a snapshot of an unrelated sandbox, `Unsupported` if the provider cannot restore
    /// snapshots.
    pub async fn restore(&self, snapshot: &Snapshot) -> Result<()> {
        let inner = self.here()?;
        if inner.family != snapshot.family() {
            return Err(Error::invalid_request("the snapshot is of another sandbox"));
        }
        inner.provider.shared()?.restore(inner.sandbox.id(), snapshot.id()).await
    }

    /// As [`restore`](Self::restore), for a snapshot's id or name at the provider. A local sandbox that is kept on disk
    /// can also be put back to one of its own states, which is a number.
    ///
    /// # Errors
    /// `NotFound` for an unknown snapshot, `Unsupported` if the provider cannot restore snapshots.
    pub async fn restore_named(&self, snapshot: &str) -> Result<()> {
        let inner = self.here()?;
        inner.provider.shared()?.restore(inner.sandbox.id(), snapshot).await
    }

    /// Stops the sandbox until [`resume`](Self::resume), and keeps its files.
    ///
    /// # Errors
    /// `Unsupported` if the provider cannot pause sandboxes.
    pub async fn pause(&self) -> Result<()> {
        let inner = self.here()?;
        inner.provider.pause(inner.sandbox.id()).await
    }

    /// Lets the sandbox run again. It is no error if it does.
    ///
    /// # Errors
    /// `Unsupported` if the provider cannot pause sandboxes.
    pub async fn resume(&self) -> Result<()> {
        let inner = self.here()?;
        inner.provider.resume(inner.sandbox.id()).await
    }

    /// Sets the seconds after which the sandbox ends by itself; `None`: never. A local sandbox is then only on disk.
    ///
    /// # Errors
    /// `Unsupported` if the provider cannot change this.
    pub async fn set_ttl(&self, seconds: Option<f64>) -> Result<()> {
        let inner = self.here()?;
        inner.provider.set_ttl(inner.sandbox.id(), seconds).await
    }

    /// Creates a sandbox with a copy of the files. Later changes to either do not affect the other.
    ///
    /// # Errors
    /// `NotFound` if the sandbox has ended, `Unsupported` if the provider cannot fork.
    pub async fn fork(&self) -> Result<Self> {
        let Inner { provider, sandbox, workdir, defaults, family, .. } = self.here()?;
        if let Some(local) = provider.as_local() {
            let fork = local.fork(sandbox.id()).await?;
            let fork = local.get(fork.id())?;
            return Ok(Self::local(local.clone(), fork, true, *defaults, *family));
        }
        let fork = provider.shared()?.fork(sandbox.id()).await?;
        Ok(Self::of_other(provider.clone(), fork, workdir.clone(), *defaults, true))
    }

    /// Mounts a directory.
    ///
    /// # Errors
    /// `InvalidRequest` if the directory cannot be opened or mounted there, `Unsupported` if the sandbox is not
    /// local, `SandboxEnded`.
    pub fn mount(&self, mount: &Mount) -> Result<()> {
        let sandbox = self.as_local("mount")?;
        mount.recover();
        sandbox.mount(&mount.local())
    }

    /// The changes in overlays, as a patch for `git apply`.
    ///
    /// # Errors
    /// `Unexpected` if a file of the host cannot be read, `Unsupported` if the sandbox is not local,
    /// `SandboxEnded`.
    pub fn diff(&self) -> Result<Vec<u8>> {
        let overlays = self.as_local("diff")?.overlays();
        let mut patch = Vec::new();
        for one in &overlays {
            let part = one.overlay.patch().map_err(|errno| failed(one, errno))?;
            if overlays.len() > 1 && !part.is_empty() {
                // Tools that read patches skip lines that are not part of one.
                patch.extend_from_slice(format!("# {}\n", one.at).as_bytes());
            }
            patch.extend_from_slice(&part);
        }
        Ok(patch)
    }

    /// Applies the changes in overlays to the host's directories; returns how many there were. If a directory is no
    /// longer as it was when the overlay first changed it, nothing is written to any of them. If the process is
    /// killed meanwhile, the next one that mounts such a directory undoes what was done.
    ///
    /// # Errors
    /// `Conflict` for such a directory, `Unexpected` if the host refuses, `Unsupported` if the sandbox is not
    /// local, `SandboxEnded`.
    pub fn apply(&self) -> Result<usize> {
        let overlays = self.as_local("apply")?.overlays();
        Ok(apply::apply(&overlays, apply::user_journals().as_deref())?.changes)
    }

    /// Lets the sandbox outlive this handle: anyone who knows its id can end it.
    pub fn keep(&self) {
        self.0.owned.store(false, Ordering::Release);
    }

    /// Ends the sandbox if this handle created it: its processes are killed and its files are deleted. A local sandbox
    /// that is kept on disk, and that this handle does not end, can be used by other processes after its last handle.
    ///
    /// # Errors
    /// Those of the provider; the sandbox may then still exist.
    pub async fn close(&self) -> Result<()> {
        // In a forked child this does nothing, because the sandbox belongs to the parent.
        let Ok(inner) = self.here() else { return Ok(()) };
        if inner.owned.swap(false, Ordering::AcqRel) {
            return inner.provider.delete(inner.sandbox.id()).await;
        }
        match &inner.lease {
            Some(lease) => lease.close().await,
            None => Ok(()),
        }
    }

    fn here(&self) -> Result<&Inner> {
        self.0.here(|| format!("sandbox {}", self.0.id))
    }

    fn as_local(&self, operation: &str) -> Result<&Arc<LocalSandbox>> {
        let Inner { local, provider, .. } = self.here()?;
        let local = local.as_ref().ok_or_else(|| {
            Error::unsupported(&format!("a sandbox of the provider {}", provider.metadata().name), operation)
        })?;
        if local.has_ended() {
            return Err(Error::new(ErrorKind::SandboxEnded, format!("the sandbox {} has ended", self.id())));
        }
        Ok(local)
    }
}

/// A number that is unique in this process.
fn next() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    LAST.fetch_add(1, Ordering::Relaxed) + 1
}

impl Drop for Inner {
    fn drop(&mut self) {
        if !*self.owned.get_mut() {
            return;
        }
        let (provider, id) = (self.provider.clone(), self.sandbox.id().to_owned());
        // Errors are lost here; callers who need them use `close`.
        spawn(async move { drop(provider.delete(&id).await) });
    }
}

fn failed(one: &HostOverlay, why: impl std::fmt::Display) -> Error {
    Error::new(ErrorKind::Unexpected, format!("{}: {why}", one.host.display()))
}
