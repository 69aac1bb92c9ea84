//! A sandbox with the provider that it came from.

use crate::{Mount, Options};
use sandshell::vfs::{ApplyError, FileSystem, HostAccess, HostDir};
use sandshell::{
    CreateOptions, Error, ErrorKind, HostOverlay, LocalProvider, LocalSandbox, Result, Sandbox,
    SandboxProvider,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A sandbox. Clones are the same one.
#[derive(Clone, Debug)]
pub struct Handle {
    id: String,
    family: u64,
    provider: LocalProvider,
    sandbox: Arc<LocalSandbox>,
}

/// The files of a sandbox as they were; removed with the last handle on it.
#[derive(Clone, Debug)]
pub struct Snapshot(Arc<Kept>);

#[derive(Debug)]
struct Kept {
    family: u64,
    provider: LocalProvider,
    id: String,
}

impl Handle {
    /// A new sandbox.
    ///
    /// # Errors
    /// `InvalidRequest` for options that cannot be met.
    pub fn create(options: &Options) -> Result<Self> {
        let provider = options.provider()?;
        let sandbox = provider.create(CreateOptions::default())?;
        Ok(Self::new(next(), provider, sandbox))
    }

    /// A new sandbox with the files of a snapshot, and the options of the sandbox that it was taken of.
    ///
    /// # Errors
    /// The provider's.
    pub fn from_snapshot(snapshot: &Snapshot) -> Result<Self> {
        let provider = snapshot.0.provider.clone();
        let sandbox = provider.create(CreateOptions::default().snapshot(&snapshot.0.id))?;
        Ok(Self::new(snapshot.0.family, provider, sandbox))
    }

    fn new(family: u64, provider: LocalProvider, sandbox: Arc<LocalSandbox>) -> Self {
        Self { id: format!("sandshell-{}", next()), family, provider, sandbox }
    }

    /// Its id; unlike the one that its provider gave it, no other sandbox of the process has it.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The sandbox, for everything that every sandbox can do.
    pub fn sandbox(&self) -> &dyn Sandbox {
        &*self.sandbox
    }

    /// The directory that commands start in.
    pub fn workdir(&self) -> &str {
        &self.sandbox.options().workdir
    }

    /// Keeps the files as they are now.
    ///
    /// # Errors
    /// `NotFound` if the sandbox has ended.
    pub async fn snapshot(&self) -> Result<Snapshot> {
        let info = self.provider.snapshot(self.sandbox.id(), None).await?;
        Ok(Snapshot(Arc::new(Kept { family: self.family, provider: self.provider.clone(), id: info.id })))
    }

    /// Goes back to a snapshot of this sandbox, of one it was forked from, or of a fork; ends what runs.
    ///
    /// # Errors
    /// `InvalidRequest` for a snapshot of another family of sandboxes.
    pub async fn restore(&self, snapshot: &Snapshot) -> Result<()> {
        if self.family != snapshot.0.family {
            return Err(Error::invalid_request("the snapshot is of another sandbox"));
        }
        self.provider.restore(self.sandbox.id(), &snapshot.0.id).await
    }

    /// A new sandbox with the same files, which then go separate ways.
    ///
    /// # Errors
    /// `NotFound` if the sandbox has ended.
    pub async fn fork(&self) -> Result<Self> {
        let fork = self.provider.fork(self.sandbox.id()).await?;
        Ok(Self::new(self.family, self.provider.clone(), self.provider.get(fork.id())?))
    }

    /// Mounts a directory.
    ///
    /// # Errors
    /// `InvalidRequest` if it cannot be opened or put there.
    pub fn mount(&self, mount: &Mount) -> Result<()> {
        self.sandbox.mount(&mount.local())
    }

    /// What was changed in overlays, as a patch that `git apply` takes.
    ///
    /// # Errors
    /// `Unexpected` if a file below cannot be read.
    pub fn diff(&self) -> Result<Vec<u8>> {
        let overlays = self.sandbox.overlays();
        let mut patch = Vec::new();
        for one in &overlays {
            let part = one.overlay.patch().map_err(|errno| failed(one, errno))?;
            if overlays.len() > 1 && !part.is_empty() {
                // Tools that read patches pass over lines that are none.
                patch.extend_from_slice(format!("# {}\n", one.at).as_bytes());
            }
            patch.extend_from_slice(&part);
        }
        Ok(patch)
    }

    /// Makes the changes of overlays in the host's directories; says how many there were. If a directory is not as it was
    /// when the overlay first changed it, nothing is written to any.
    ///
    /// # Errors
    /// `Conflict` for such a directory, `Unexpected` if the host refuses.
    pub fn apply(&self) -> Result<usize> {
        let overlays = self.sandbox.overlays();
        let mut targets: Vec<Arc<dyn FileSystem>> = Vec::new();
        for one in &overlays {
            let target: Arc<dyn FileSystem> = Arc::new(
                HostDir::open(&one.host, HostAccess::ReadWrite).map_err(|error| failed(one, error))?,
            );
            one.overlay.check(target.clone()).map_err(|error| refused(one, &error))?;
            targets.push(target);
        }
        let mut count = 0;
        for (one, target) in overlays.iter().zip(targets) {
            count += one.overlay.apply(target).map_err(|error| refused(one, &error))?.len();
        }
        Ok(count)
    }

    /// Ends the sandbox: its processes are killed, its files are forgotten.
    ///
    /// # Errors
    /// The provider's.
    pub async fn close(&self) -> Result<()> {
        self.provider.delete(self.sandbox.id()).await
    }
}

/// A number that was not given before.
fn next() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    LAST.fetch_add(1, Ordering::Relaxed) + 1
}

impl Drop for Kept {
    fn drop(&mut self) {
        self.provider.remove_snapshot(&self.id);
    }
}

fn failed(one: &HostOverlay, why: impl std::fmt::Display) -> Error {
    Error::new(ErrorKind::Unexpected, format!("{}: {why}", one.host.display()))
}

fn refused(one: &HostOverlay, error: &ApplyError) -> Error {
    let kind = match error {
        ApplyError::Conflicts(_) => ErrorKind::Conflict,
        _ => ErrorKind::Unexpected,
    };
    Error::new(kind, format!("{}: not applied: {error}", one.host.display()))
}
