//! Creates, lists and deletes local sandboxes.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use parking_lot::Mutex;
use sandshell_runtime::Engine;
use sandshell_store::Store;
use sandshell_vfs::Withheld;
use tokio::runtime::Handle;

use super::options::LocalOptions;
use super::sandbox::LocalSandbox;
use super::stored::{Parts, Stored};
use super::tree::{Template, Tree};
use crate::execute::check_variable;
use crate::{
    CreateOptions, Error, ErrorKind, ListOptions, NetworkPolicy, ProviderCapabilities, ProviderMetadata,
    Result, Sandbox, SandboxInfo, SandboxPage, SandboxProvider, SandboxState, SnapshotInfo,
};

/// A provider of sandboxes in this process. They end when the last handles on the provider and on them are dropped;
/// those that are [kept on disk](LocalOptions::data_dir) can be opened again.
#[derive(Clone)]
pub struct LocalProvider(Arc<Inner>);

struct Inner {
    engine: Engine,
    options: LocalOptions,
    /// Created once and forked for each sandbox.
    template: Arc<Template>,
    state: Mutex<State>,
    /// What no mount may give away.
    withheld: Arc<Withheld>,
    /// The store, once it is needed.
    stored: OnceLock<Stored>,
}

#[derive(Default)]
struct State {
    /// The number in the last id that was given to a sandbox or snapshot.
    last: u64,
    /// Sorted by number, so that a listing can continue after a sandbox that was deleted meanwhile.
    sandboxes: BTreeMap<u64, Entry>,
    snapshots: BTreeMap<String, StoredSnapshot>,
}

struct Entry {
    sandbox: Arc<LocalSandbox>,
    labels: Vec<(String, String)>,
    created_at: SystemTime,
}

struct StoredSnapshot {
    tree: Tree,
    options: LocalOptions,
}

impl LocalProvider {
    /// A provider whose sandboxes run on `engine` with these options.
    ///
    /// # Errors
    ///
    /// `Unexpected` if the engine's commands cannot be put into a filesystem.
    pub fn new(engine: Engine, options: LocalOptions) -> Result<Self> {
        let template = Arc::new(Template::new(engine.commands(), &options)?);
        Ok(Self::of(engine, options, template))
    }

    /// A provider on the same engine whose sandboxes have other options. The two providers do not know each other's
    /// sandboxes. If `commands`, `hostname` and `clock` are the same, they share the standard tree, which is most
    /// of what a provider costs.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn with_options(&self, options: LocalOptions) -> Result<Self> {
        let ours = &self.0.options;
        let alike = (&ours.commands, &ours.hostname, ours.clock)
            == (&options.commands, &options.hostname, options.clock);
        let engine = self.0.engine.clone();
        if !alike {
            return Self::new(engine, options);
        }
        Ok(Self::of(engine, options, self.0.template.clone()))
    }

    fn of(engine: Engine, options: LocalOptions, template: Arc<Template>) -> Self {
        let mut withheld = engine.withheld().clone();
        if let Some(directory) = &options.data_dir {
            let directory = std::path::absolute(directory).unwrap_or_else(|_| directory.clone());
            let withheld = Arc::make_mut(&mut withheld);
            withheld.places.push(directory.clone());
            withheld.locked.push(directory);
        }
        // A shared store can be a directory, too.
        if let Some(directory) = options.shared.as_ref().and_then(|shared| shared.url.strip_prefix("file://"))
        {
            let withheld = Arc::make_mut(&mut withheld);
            withheld.places.push(directory.into());
            withheld.locked.push(directory.into());
        }
        let (state, stored) = (Mutex::default(), OnceLock::new());
        Self(Arc::new(Inner { engine, options, template, state, withheld, stored }))
    }

    /// The store, if sandboxes are kept on disk: for its history, and for collecting garbage.
    ///
    /// # Errors
    ///
    /// `InvalidRequest` for a directory that cannot be used.
    pub fn store(&self) -> Result<Option<&Store>> {
        Ok(self.stored()?.map(Stored::store))
    }

    /// How many sandboxes are in memory here: of those that are kept, the ones that are not parked.
    pub fn open_sandboxes(&self) -> usize {
        match self.0.stored.get() {
            Some(stored) => stored.awake(),
            None => self.0.state.lock().sandboxes.len(),
        }
    }

    /// Ends what runs in the sandboxes that are kept on disk, and lets other processes use them. Each of them is woken
    /// by its next call.
    ///
    /// # Errors
    ///
    /// Those of storing what processes in the background did.
    pub async fn park_all(&self) -> Result<()> {
        match self.0.stored.get() {
            Some(stored) => stored.park_all().await,
            None => Ok(()),
        }
    }

    /// Lets other processes use a sandbox that is kept on disk, unless a call is going on in it: what still runs there
    /// ends, and its next call wakes it.
    ///
    /// # Errors
    ///
    /// Those of storing what processes in the background did.
    pub async fn release(&self, id: &str) -> Result<()> {
        match self.0.stored.get() {
            Some(stored) => stored.release(id).await,
            None => Ok(()),
        }
    }

    fn stored(&self) -> Result<Option<&Stored>> {
        let Some(directory) = &self.0.options.data_dir else { return Ok(None) };
        let stored = match self.0.stored.get() {
            Some(stored) => stored,
            None => {
                let stored = Stored::new(directory, self.0.options.shared.as_ref())?;
                self.0.stored.get_or_init(|| stored)
            }
        };
        self.watch(stored);
        Ok(Some(stored))
    }

    /// Parks sandboxes that nobody uses, as long as the provider lives and if there is a runtime to do it on.
    fn watch(&self, stored: &Stored) {
        let Ok(runtime) = Handle::try_current() else { return };
        let Some(times) = stored.begin_watching() else { return };
        let provider = Arc::downgrade(&self.0);
        runtime.spawn(async move {
            loop {
                let next = match provider.upgrade() {
                    Some(inner) => match inner.stored.get() {
                        Some(stored) => stored.look().await,
                        None => return,
                    },
                    None => return,
                };
                // Until then, or until there is something else to wait for.
                let _ = tokio::time::timeout(next, times.notified()).await;
            }
        });
    }

    fn parts(&self) -> Parts<'_> {
        let Inner { engine, options, template, withheld, .. } = &*self.0;
        Parts { engine, options, template, withheld }
    }

    /// Like [`get_or_create`](SandboxProvider::get_or_create), but returns the concrete type.
    ///
    /// # Errors
    ///
    /// Those of `get_or_create`.
    pub fn create(&self, options: CreateOptions) -> Result<Arc<LocalSandbox>> {
        if let Some(id) = options.id.clone() {
            if options != CreateOptions::existing(&id) {
                return Err(Error::invalid_request("an id excludes every other option"));
            }
            return self.get(&id);
        }
        self.check(&options)?;
        if let Some(stored) = self.stored()? {
            return stored.create(&self.parts(), &options);
        }
        let (tree, mut local) = match &options.snapshot {
            None => (None, self.0.options.clone()),
            Some(id) => {
                let state = self.0.state.lock();
                let snapshot = state.snapshots.get(id).ok_or_else(|| not_found("snapshot", id))?;
                (Some(snapshot.tree.fork()), snapshot.options.clone())
            }
        };
        adapt(&mut local, &options);
        let tree = match tree {
            Some(tree) => tree,
            None => Tree::new(&self.0.template, &local, &self.0.withheld)?,
        };
        self.add(tree, local, options.labels)
    }

    /// Like [`get_or_create`](SandboxProvider::get_or_create), but returns the concrete type. A sandbox that is kept on
    /// disk is woken.
    ///
    /// # Errors
    ///
    /// Those of `get_or_create`.
    pub async fn open(&self, options: CreateOptions) -> Result<Arc<LocalSandbox>> {
        let sandbox = self.create(options)?;
        sandbox.wake().await?;
        Ok(sandbox)
    }

    /// The options of its sandboxes, unless they are created with other ones.
    pub fn options(&self) -> &LocalOptions {
        &self.0.options
    }

    /// The options that a sandbox of the [store](Self::store) has when it is opened here.
    ///
    /// # Errors
    ///
    /// `Unexpected` if what is stored cannot be read.
    pub fn options_of(&self, record: &sandshell_store::Record) -> Result<LocalOptions> {
        Stored::options(&self.0.options, record)
    }

    /// The sandbox with this id.
    ///
    /// # Errors
    ///
    /// `NotFound` if there is none.
    pub fn get(&self, id: &str) -> Result<Arc<LocalSandbox>> {
        if let Some(stored) = self.stored()? {
            return stored.get_now(&self.parts(), id);
        }
        let state = self.0.state.lock();
        let entry = number(id).and_then(|number| state.sandboxes.get(&number));
        entry.map(|entry| entry.sandbox.clone()).ok_or_else(|| not_found("sandbox", id))
    }

    /// Like [`delete_snapshot`](SandboxProvider::delete_snapshot) for sandboxes in memory, but not async.
    pub fn remove_snapshot(&self, snapshot: &str) {
        self.0.state.lock().snapshots.remove(snapshot);
    }

    /// Refuses what it cannot do.
    fn check(&self, options: &CreateOptions) -> Result<()> {
        let kept = self.0.options.data_dir.is_some();
        if !kept && (options.ttl.is_some() || options.limits.hard_ttl.is_some()) {
            return Err(self.unsupported("ttl"));
        }
        if options.network == NetworkPolicy::Open {
            return Err(self.unsupported("network"));
        }
        if options.limits.milli_cpus.is_some() {
            return Err(self.unsupported("a limit of processors"));
        }
        options.env.iter().try_for_each(check_variable)
    }

    fn add(
        &self,
        tree: Tree,
        options: LocalOptions,
        mut labels: Vec<(String, String)>,
    ) -> Result<Arc<LocalSandbox>> {
        let number = self.next();
        let sandbox =
            Arc::new(LocalSandbox::new(format!("local-{number}"), self.0.engine.clone(), options, tree)?);
        labels.sort();
        let entry = Entry { sandbox: sandbox.clone(), labels, created_at: SystemTime::now() };
        self.0.state.lock().sandboxes.insert(number, entry);
        Ok(sandbox)
    }

    fn next(&self) -> u64 {
        let mut state = self.0.state.lock();
        state.last += 1;
        state.last
    }
}

#[async_trait]
impl SandboxProvider for LocalProvider {
    fn metadata(&self) -> ProviderMetadata {
        let capabilities = ProviderCapabilities {
            ephemeral: self.0.options.data_dir.is_none(),
            pause: self.0.options.data_dir.is_some(),
            ttl: self.0.options.data_dir.is_some(),
            reattach: true,
            list: true,
            labels: true,
            snapshot: true,
            restore: true,
            fork: true,
            env: true,
            workdir: true,
            limits: true,
            ..ProviderCapabilities::NONE
        };
        ProviderMetadata::new("local", &self.0.options.workdir, capabilities)
    }

    async fn get_or_create(&self, options: CreateOptions) -> Result<Arc<dyn Sandbox>> {
        Ok(self.open(options).await?)
    }

    async fn list(&self, options: ListOptions) -> Result<SandboxPage> {
        if let Some(stored) = self.stored()? {
            return stored.list(&options);
        }
        let after = match &options.cursor {
            None => 0,
            Some(cursor) => {
                number(cursor).ok_or_else(|| Error::invalid_request(format!("unknown cursor {cursor}")))?
            }
        };
        let state = self.0.state.lock();
        let mut listed = state
            .sandboxes
            .range(after.saturating_add(1)..)
            .filter(|(_, entry)| options.labels.iter().all(|label| entry.labels.contains(label)));
        let mut page = Vec::new();
        let mut next_cursor = None;
        for (_, entry) in listed.by_ref() {
            if options.limit.is_some_and(|limit| page.len() >= limit.max(1)) {
                next_cursor = page.last().map(|info: &SandboxInfo| info.id.clone());
                break;
            }
            let mut info = SandboxInfo::new(entry.sandbox.id(), SandboxState::Running);
            info.labels.clone_from(&entry.labels);
            info.created_at = Some(entry.created_at);
            page.push(info);
        }
        Ok(SandboxPage::new(page, next_cursor))
    }

    async fn delete(&self, id: &str) -> Result<()> {
        if let Some(stored) = self.stored()? {
            return stored.delete(id).await;
        }
        let entry = number(id).and_then(|number| self.0.state.lock().sandboxes.remove(&number));
        if let Some(entry) = entry {
            entry.sandbox.end().await;
        }
        Ok(())
    }

    async fn snapshot(&self, id: &str, name: Option<&str>) -> Result<SnapshotInfo> {
        if let Some(stored) = self.stored()? {
            return stored.snapshot(id, name).await;
        }
        let sandbox = self.get(id)?;
        let mut info = SnapshotInfo::new(format!("snapshot-{}", self.next()));
        info.name = name.map(str::to_owned);
        let snapshot = StoredSnapshot { tree: sandbox.fork_tree(), options: sandbox.options().clone() };
        self.0.state.lock().snapshots.insert(info.id.clone(), snapshot);
        Ok(info)
    }

    async fn restore(&self, id: &str, snapshot: &str) -> Result<()> {
        if let Some(stored) = self.stored()? {
            return stored.restore(&self.parts(), id, snapshot).await;
        }
        let sandbox = self.get(id)?;
        let tree = {
            let state = self.0.state.lock();
            state.snapshots.get(snapshot).ok_or_else(|| not_found("snapshot", snapshot))?.tree.fork()
        };
        sandbox.replace(tree).await
    }

    async fn delete_snapshot(&self, snapshot: &str) -> Result<()> {
        if let Some(stored) = self.stored()? {
            return stored.delete_snapshot(snapshot);
        }
        self.remove_snapshot(snapshot);
        Ok(())
    }

    async fn fork(&self, id: &str) -> Result<Arc<dyn Sandbox>> {
        if let Some(stored) = self.stored()? {
            return Ok(stored.fork(&self.parts(), id).await?);
        }
        let sandbox = self.get(id)?;
        Ok(self.add(sandbox.fork_tree(), sandbox.options().clone(), Vec::new())?)
    }

    async fn pause(&self, id: &str) -> Result<()> {
        match self.stored()? {
            Some(stored) => stored.pause(id).await,
            None => Err(self.unsupported("pause")),
        }
    }

    async fn resume(&self, id: &str) -> Result<()> {
        match self.stored()? {
            Some(stored) => stored.resume(id).await,
            None => Err(self.unsupported("resume")),
        }
    }

    async fn set_ttl(&self, id: &str, ttl: Option<Duration>) -> Result<()> {
        match self.stored()? {
            Some(stored) => stored.set_ttl(id, ttl),
            None => Err(self.unsupported("set_ttl")),
        }
    }
}

fn adapt(local: &mut LocalOptions, options: &CreateOptions) {
    local.env.extend(options.env.iter().cloned());
    if let Some(workdir) = &options.workdir {
        local.workdir.clone_from(workdir);
    }
    let limits = &options.limits;
    local.limits.sandbox_memory = limits.memory.unwrap_or(local.limits.sandbox_memory);
    local.limits.processes = limits.processes.unwrap_or(local.limits.processes);
    local.disk.bytes = limits.disk.or(local.disk.bytes);
    local.timeout = limits.timeout.or(local.timeout);
    local.max_output = limits.max_output.unwrap_or(local.max_output);
}

fn number(id: &str) -> Option<u64> {
    id.strip_prefix("local-")?.parse().ok()
}

fn not_found(what: &str, id: &str) -> Error {
    Error::new(ErrorKind::NotFound, format!("there is no {what} {id}"))
}

impl fmt::Debug for LocalProvider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalProvider").field("options", &self.0.options).finish_non_exhaustive()
    }
}
