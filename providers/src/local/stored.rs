//! Sandboxes that are kept on disk.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use parking_lot::Mutex;
use sandshell_runtime::Engine;
use sandshell_store::{NewSandbox, Record, SharedOptions, Store};
use sandshell_vfs::{BlobId, Withheld};
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

use super::keeper::{Keeper, error};
use super::mounts::{self, KeptMount};
use super::options::LocalOptions;
use super::sandbox::LocalSandbox;
use super::tree::{Template, Tree};
use crate::{
    CreateOptions, Error, ErrorKind, ListOptions, Result, SandboxInfo, SandboxPage, SandboxState,
    SnapshotInfo,
};

/// The store of a provider, and the sandboxes that it has open.
pub(super) struct Stored {
    store: Store,
    open: Mutex<HashMap<String, Arc<LocalSandbox>>>,
    /// Whether somebody looks for sandboxes that nobody uses.
    watched: Mutex<bool>,
    /// Told when there are other times to wait for.
    times: Arc<Notify>,
}

/// What sandboxes are made of.
pub(super) struct Parts<'a> {
    pub(super) engine: &'a Engine,
    pub(super) options: &'a LocalOptions,
    pub(super) template: &'a Template,
    pub(super) withheld: &'a Arc<Withheld>,
}

/// The options that a sandbox was created with and that stay the same wherever it is opened.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Own {
    #[serde(default)]
    pub(super) env: Vec<(String, String)>,
    #[serde(default)]
    pub(super) workdir: Option<String>,
    #[serde(default)]
    pub(super) memory: Option<u64>,
    #[serde(default)]
    pub(super) processes: Option<u32>,
    #[serde(default)]
    pub(super) disk: Option<u64>,
    #[serde(default)]
    pub(super) timeout: Option<Duration>,
    #[serde(default)]
    pub(super) max_output: Option<u64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) mounts: Vec<KeptMount>,
}

/// The most sandboxes on a page, unless a listing asks for fewer or more.
const PAGE: usize = 1000;

impl Stored {
    pub(super) fn new(directory: &Path, shared: Option<&SharedOptions>) -> Result<Self> {
        let opened = match shared {
            Some(shared) => Store::shared(shared, directory),
            None => Store::open(directory),
        };
        let store = opened.map_err(error)?;
        Ok(Self { store, open: Mutex::default(), watched: Mutex::default(), times: Arc::default() })
    }

    pub(super) fn store(&self) -> &Store {
        &self.store
    }

    pub(super) fn create(&self, parts: &Parts<'_>, options: &CreateOptions) -> Result<Arc<LocalSandbox>> {
        let limits = &options.limits;
        let mounts = match parts.options.keep_mounts {
            true => mounts::stored_mounts(parts.options)?,
            false => Vec::new(),
        };
        let mut own = Own {
            mounts,
            env: options.env.clone(),
            workdir: options.workdir.clone(),
            memory: limits.memory,
            processes: limits.processes,
            disk: limits.disk,
            timeout: limits.timeout,
            max_output: limits.max_output,
        };
        let (root, what) = match &options.snapshot {
            None => (self.template(parts.template)?, "created".to_owned()),
            Some(name) => {
                let snapshot = self.store.find_snapshot(name).map_err(error)?;
                own = Own::read(&snapshot.options)?.or(own);
                (snapshot.root, format!("created from {name}"))
            }
        };
        let new = NewSandbox {
            labels: options.labels.clone(),
            ttl: options.ttl.or(parts.options.ttl),
            hard_ttl: limits.hard_ttl.or(parts.options.hard_ttl),
            options: own.text()?,
        };
        let record = self.store.create(root, new, &what).map_err(error)?;
        let id = record.id.clone();
        let adopted = self.adopt(parts, record);
        if adopted.is_err() {
            // One that cannot be used is not there. If it cannot be deleted, that happens when its time is up.
            drop(self.store.delete(&id));
        }
        adopted
    }

    /// The options that a sandbox has when it is opened.
    pub(super) fn options(options: &LocalOptions, record: &Record) -> Result<LocalOptions> {
        let mut options = options.clone();
        Own::read(&record.options)?.apply(&mut options);
        Ok(options)
    }

    /// The root of the files that new sandboxes have.
    fn template(&self, template: &Template) -> Result<BlobId> {
        self.store.template(template.key(), || template.snapshot()).map_err(error)
    }

    /// The sandbox with this id, which is opened if it is not open. It may be parked.
    pub(super) fn get_now(&self, parts: &Parts<'_>, id: &str) -> Result<Arc<LocalSandbox>> {
        let record = self.store.sandbox(id).map_err(error)?;
        let known = self.open.lock().get(id).cloned();
        match known {
            Some(sandbox) => Ok(sandbox),
            None => self.adopt(parts, record),
        }
    }

    fn adopt(&self, parts: &Parts<'_>, record: Record) -> Result<Arc<LocalSandbox>> {
        let options = Self::options(parts.options, &record)?;
        let id = record.id.clone();
        let keeper = Keeper::open(&self.store, record, &self.times)?;
        let tree = self.tree(parts, &options, &keeper.record(), keeper.record().head)?;
        let sandbox = LocalSandbox::stored(id.clone(), parts.engine.clone(), options, tree, keeper)?;
        let sandbox = Arc::new(sandbox);
        self.open.lock().insert(id, sandbox.clone());
        self.times.notify_one();
        Ok(sandbox)
    }

    fn tree(&self, parts: &Parts<'_>, options: &LocalOptions, record: &Record, root: BlobId) -> Result<Tree> {
        let files = self.store.files(&root).map_err(error)?;
        let kept = Own::read(&record.options)?.mounts;
        mounts::check(&kept, parts.options)?;
        let tree = Tree::with_root(files, parts.template, options, parts.withheld)?;
        mounts::check(&kept, parts.options)?;
        Ok(tree)
    }

    pub(super) fn list(&self, options: &ListOptions) -> Result<SandboxPage> {
        let after = match &options.cursor {
            None => 0,
            Some(cursor) => {
                cursor.parse().map_err(|_| Error::invalid_request(format!("unknown cursor {cursor}")))?
            }
        };
        let limit = options.limit.unwrap_or(PAGE);
        let page = self.store.list(&options.labels, after, limit).map_err(error)?;
        let open = self.open.lock();
        let infos = page.sandboxes.into_iter().map(|record| {
            let awake = open.get(&record.id).is_some_and(|sandbox| !sandbox.is_parked());
            let parked = !awake && record.is_parked();
            let state = if parked { SandboxState::Paused } else { SandboxState::Running };
            let mut info = SandboxInfo::new(record.id, state);
            info.labels = record.labels;
            info.created_at = Some(record.created);
            info
        });
        Ok(SandboxPage::new(infos.collect(), page.next.map(|next| next.to_string())))
    }

    pub(super) async fn delete(&self, id: &str) -> Result<()> {
        self.forget(id).await;
        self.store.delete(id).map_err(error)
    }

    pub(super) async fn snapshot(&self, id: &str, name: Option<&str>) -> Result<SnapshotInfo> {
        self.settle(id).await?;
        let snapshot = self.store.snapshot(id, name).map_err(error)?;
        let mut info = SnapshotInfo::new(snapshot.id);
        info.name = snapshot.name;
        Ok(info)
    }

    pub(super) fn delete_snapshot(&self, snapshot: &str) -> Result<()> {
        self.store.delete_snapshot(snapshot).map_err(error)
    }

    /// Puts a sandbox back to a snapshot, or to one of its states, which is a number.
    pub(super) async fn restore(&self, parts: &Parts<'_>, id: &str, to: &str) -> Result<()> {
        let sandbox = self.get_now(parts, id)?;
        sandbox.wake().await?;
        let (root, record) =
            (self.store.root(id, to).map_err(error)?, self.store.sandbox(id).map_err(error)?);
        let tree = self.tree(parts, sandbox.options(), &record, root)?;
        sandbox.put_back(tree, root, &format!("restored {to}")).await
    }

    pub(super) async fn fork(&self, parts: &Parts<'_>, id: &str) -> Result<Arc<LocalSandbox>> {
        self.settle(id).await?;
        let record = self.store.fork(id, parts.options.hard_ttl).map_err(error)?;
        self.adopt(parts, record)
    }

    pub(super) async fn pause(&self, id: &str) -> Result<()> {
        let known = self.open.lock().get(id).cloned();
        match known {
            Some(sandbox) => sandbox.park().await?,
            None => {
                // Nobody else may be using it.
                let record = self.store.sandbox(id).map_err(error)?;
                drop(self.store.lock(&record).map_err(error)?);
            }
        }
        self.store.change(id, |record| record.paused = true).map(drop).map_err(error)
    }

    pub(super) async fn resume(&self, id: &str) -> Result<()> {
        let known = self.open.lock().get(id).cloned();
        match known {
            Some(sandbox) => sandbox.wake().await,
            None => {
                let awake = |record: &mut Record| (record.paused, record.used) = (false, SystemTime::now());
                self.store.change(id, awake).map(drop).map_err(error)
            }
        }
    }

    pub(super) fn set_ttl(&self, id: &str, ttl: Option<Duration>) -> Result<()> {
        let known = self.open.lock().get(id).cloned();
        let set = match known {
            Some(sandbox) => sandbox.change_record(move |record| record.ttl = ttl),
            None => self.store.change(id, move |record| record.ttl = ttl).map(drop).map_err(error),
        };
        self.times.notify_one();
        set
    }

    pub(super) fn awake(&self) -> usize {
        self.open.lock().values().filter(|sandbox| !sandbox.is_parked()).count()
    }

    /// Parks a sandbox that is open here, unless a call is going on.
    pub(super) async fn release(&self, id: &str) -> Result<()> {
        let known = self.open.lock().get(id).cloned();
        match known {
            Some(sandbox) => sandbox.park_if_idle().await,
            None => Ok(()),
        }
    }

    /// Parks every sandbox: nothing that they did is lost, and other processes can use them.
    pub(super) async fn park_all(&self) -> Result<()> {
        let open: Vec<_> = self.open.lock().drain().map(|(_, sandbox)| sandbox).collect();
        let mut failed = None;
        for sandbox in open {
            failed = sandbox.park().await.err().or(failed);
        }
        failed.map_or(Ok(()), Err)
    }

    /// Stores what was not stored yet, if the sandbox is open here.
    async fn settle(&self, id: &str) -> Result<()> {
        let known = self.open.lock().get(id).cloned();
        match known {
            Some(sandbox) => sandbox.commit("in the background").await,
            None => Ok(()),
        }
    }

    async fn forget(&self, id: &str) {
        let known = self.open.lock().remove(id);
        if let Some(sandbox) = known {
            sandbox.end().await;
        }
    }

    /// If nobody watched until now: what is told when there are other times to wait for.
    pub(super) fn begin_watching(&self) -> Option<Arc<Notify>> {
        (!std::mem::replace(&mut *self.watched.lock(), true)).then(|| self.times.clone())
    }

    /// Parks what nobody uses, and ends what is over. Returns when to look again.
    pub(super) async fn look(&self) -> Duration {
        /// At least this often, as another process may change the times.
        const SELDOM: Duration = Duration::from_secs(60);
        /// At most this often.
        const OFTEN: Duration = Duration::from_millis(20);
        let mut next = SELDOM;
        let open: Vec<_> =
            self.open.lock().iter().map(|(id, sandbox)| (id.clone(), sandbox.clone())).collect();
        for (id, sandbox) in open {
            let Some((ends, idle)) = sandbox.times() else { continue };
            if ends == Some(Duration::ZERO) {
                // What was wrong is found by whoever comes next.
                let _ = self.delete(&id).await;
            } else if idle == Some(Duration::ZERO) {
                // A sandbox that cannot be stored now stays open; its next call says why.
                let _ = sandbox.park_if_idle().await;
            } else {
                next = [ends, idle].into_iter().flatten().fold(next, Duration::min);
            }
        }
        next.max(OFTEN)
    }
}

impl Own {
    pub(super) fn read(text: &str) -> Result<Self> {
        serde_json::from_str(text).map_err(|failed| {
            Error::new(ErrorKind::Unexpected, format!("the stored options cannot be read: {failed}"))
        })
    }

    fn text(&self) -> Result<String> {
        serde_json::to_string(self).map_err(|failed| {
            Error::new(ErrorKind::Unexpected, format!("the options cannot be stored: {failed}"))
        })
    }

    /// These options, with those of `over` where it has some.
    fn or(mut self, over: Self) -> Self {
        self.env.extend(over.env);
        Self {
            env: self.env,
            workdir: over.workdir.or(self.workdir),
            memory: over.memory.or(self.memory),
            processes: over.processes.or(self.processes),
            disk: over.disk.or(self.disk),
            timeout: over.timeout.or(self.timeout),
            max_output: over.max_output.or(self.max_output),
            mounts: if over.mounts.is_empty() { self.mounts } else { over.mounts },
        }
    }

    fn apply(self, options: &mut LocalOptions) {
        options.env.extend(self.env);
        if let Some(workdir) = self.workdir {
            options.workdir = workdir;
        }
        options.limits.sandbox_memory = self.memory.unwrap_or(options.limits.sandbox_memory);
        options.limits.processes = self.processes.unwrap_or(options.limits.processes);
        options.disk.bytes = self.disk.or(options.disk.bytes);
        options.timeout = self.timeout.or(options.timeout);
        options.max_output = self.max_output.unwrap_or(options.max_output);
        mounts::apply(self.mounts, options);
    }
}
