//! Creates, lists and deletes local sandboxes.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use async_trait::async_trait;
use parking_lot::Mutex;
use sandshell_runtime::Engine;

use super::options::LocalOptions;
use super::sandbox::LocalSandbox;
use super::tree::{Template, Tree};
use crate::{
    CreateOptions, Error, ErrorKind, ListOptions, NetworkPolicy, ProviderCapabilities, ProviderMetadata,
    Result, Sandbox, SandboxInfo, SandboxPage, SandboxProvider, SandboxState, SnapshotInfo,
};

/// A provider of sandboxes in this process. They end when the last handles on the provider and on them are dropped.
#[derive(Clone)]
pub struct LocalProvider(Arc<Inner>);

struct Inner {
    engine: Engine,
    options: LocalOptions,
    /// Created once and forked for each sandbox.
    template: Arc<Template>,
    state: Mutex<State>,
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
        Ok(Self(Arc::new(Inner { engine, options, template, state: Mutex::default() })))
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
        let template = self.0.template.clone();
        Ok(Self(Arc::new(Inner { engine, options, template, state: Mutex::default() })))
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
        let (tree, mut local) = match &options.snapshot {
            None => (None, self.0.options.clone()),
            Some(id) => {
                let state = self.0.state.lock();
                let snapshot = state.snapshots.get(id).ok_or_else(|| not_found("snapshot", id))?;
                (Some(snapshot.tree.fork()), snapshot.options.clone())
            }
        };
        self.adapt(&mut local, &options)?;
        let tree = match tree {
            Some(tree) => tree,
            None => Tree::new(&self.0.template, &local, self.0.engine.withheld())?,
        };
        self.add(tree, local, options.labels)
    }

    /// The options of its sandboxes, unless they are created with other ones.
    pub fn options(&self) -> &LocalOptions {
        &self.0.options
    }

    /// The sandbox with this id.
    ///
    /// # Errors
    ///
    /// `NotFound` if there is none.
    pub fn get(&self, id: &str) -> Result<Arc<LocalSandbox>> {
        let state = self.0.state.lock();
        let entry = number(id).and_then(|number| state.sandboxes.get(&number));
        entry.map(|entry| entry.sandbox.clone()).ok_or_else(|| not_found("sandbox", id))
    }

    /// Like [`delete_snapshot`](SandboxProvider::delete_snapshot), but not async.
    pub fn remove_snapshot(&self, snapshot: &str) {
        self.0.state.lock().snapshots.remove(snapshot);
    }

    fn adapt(&self, local: &mut LocalOptions, options: &CreateOptions) -> Result<()> {
        if options.ttl.is_some() {
            return Err(self.unsupported("ttl"));
        }
        if options.network == NetworkPolicy::Open {
            return Err(self.unsupported("network"));
        }
        if options.limits.milli_cpus.is_some() {
            return Err(self.unsupported("a limit of processors"));
        }
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
        Ok(())
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
            ephemeral: true,
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
        Ok(self.create(options)?)
    }

    async fn list(&self, options: ListOptions) -> Result<SandboxPage> {
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
        let entry = number(id).and_then(|number| self.0.state.lock().sandboxes.remove(&number));
        if let Some(entry) = entry {
            entry.sandbox.end().await;
        }
        Ok(())
    }

    async fn snapshot(&self, id: &str, name: Option<&str>) -> Result<SnapshotInfo> {
        let sandbox = self.get(id)?;
        let mut info = SnapshotInfo::new(format!("snapshot-{}", self.next()));
        info.name = name.map(str::to_owned);
        let snapshot = StoredSnapshot { tree: sandbox.fork_tree(), options: sandbox.options().clone() };
        self.0.state.lock().snapshots.insert(info.id.clone(), snapshot);
        Ok(info)
    }

    async fn restore(&self, id: &str, snapshot: &str) -> Result<()> {
        let sandbox = self.get(id)?;
        let tree = {
            let state = self.0.state.lock();
            state.snapshots.get(snapshot).ok_or_else(|| not_found("snapshot", snapshot))?.tree.fork()
        };
        sandbox.replace(tree).await
    }

    async fn delete_snapshot(&self, snapshot: &str) -> Result<()> {
        self.remove_snapshot(snapshot);
        Ok(())
    }

    async fn fork(&self, id: &str) -> Result<Arc<dyn Sandbox>> {
        let sandbox = self.get(id)?;
        Ok(self.add(sandbox.fork_tree(), sandbox.options().clone(), Vec::new())?)
    }
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
