//! One local sandbox.

use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use bytes::Bytes;
use parking_lot::RwLock;
use sandshell_runtime::{ClockSource, Command, Engine, Kernel};
use sandshell_store::{Excerpt, OpenCall, Store};
use sandshell_vfs::{Context, Namespace};

use super::execute::{error, prepare};
use super::files::NamespaceFiles;
use super::keeper::{CallGuard, Keeper, error as stored};
use super::options::{LocalOptions, Mount};
use super::queue::{Queue, Turn};
use super::session::Sessions;
use super::tree::{HostOverlay, Tree};
use crate::{
    Capabilities, EditOutcome, EditRequest, Error, ErrorKind, ExecuteRequest, ExecuteResponse,
    FileDownloadResponse, FileInfo, FileOperations, FileResult, FileUpload, FileUploadResponse, GlobRequest,
    GlobResult, GrepRequest, GrepResult, LineRange, OutputSender, ReadResult, Result, Sandbox, SessionInfo,
    SessionResponse, TerminalRequest, TerminalScreen, WriteMode,
};

/// A sandbox in this process.
///
/// [`execute`](Sandbox::execute) may be called any number of times at once. One command for each eight processes of
/// the limit (32 by default) runs at a time, and the others wait for their turn in the order of the calls;
/// `queue.rs` has the exact rule. The wait counts as a part of the command's time: if the timeout passes before the
/// command's turn, the answer is that of a stopped command, and names both limits.
pub struct LocalSandbox {
    id: String,
    engine: Engine,
    options: LocalOptions,
    queue: Queue,
    /// Replaced when a snapshot is restored.
    state: RwLock<State>,
    /// Keeps it on disk, if it is kept.
    keeper: Option<Arc<Keeper>>,
    sessions: Sessions,
}

struct State {
    kernel: Kernel,
    tree: Tree,
    ended: bool,
}

impl LocalSandbox {
    /// What every local sandbox can do.
    pub const CAPABILITIES: Capabilities = Capabilities {
        separate_streams: true,
        streaming: true,
        stdin: true,
        cwd: true,
        env: true,
        timeout: true,
        partial_output: true,
        max_output: true,
        background_processes: true,
        concurrent_execute: true,
        enforces_permissions: true,
        bash: true,
        sessions: true,
    };

    pub(super) fn new(id: String, engine: Engine, options: LocalOptions, tree: Tree) -> Result<Self> {
        let state = RwLock::new(State { kernel: boot(&engine, &options, &tree)?, tree, ended: false });
        let queue = Queue::new(options.limits.processes);
        let sessions = Sessions::default();
        Ok(Self { id, engine, options, queue, state, keeper: None, sessions })
    }

    /// A sandbox that is kept on disk.
    pub(super) fn stored(
        id: String,
        engine: Engine,
        options: LocalOptions,
        tree: Tree,
        keeper: Arc<Keeper>,
    ) -> Result<Self> {
        Ok(Self { keeper: Some(keeper), ..Self::new(id, engine, options, tree)? })
    }

    /// Stores the files as they are now, if the sandbox is kept on disk, and returns when they are there. Every method
    /// of [`Sandbox`] and [`FileOperations`] that changes files does this by itself; it is for what a caller does with
    /// the [kernel](Self::kernel), and for what processes in the background did. `what` is shown in the history.
    ///
    /// # Errors
    ///
    /// `SandboxEnded` if the sandbox was deleted, `QuotaExceeded` if the disk is full. What was not stored is tried
    /// again with the next call.
    pub async fn commit(&self, what: &str) -> Result<()> {
        self.commit_state(what).await.map(drop)
    }

    /// As [`commit`](Self::commit); the number of the state, if there is a new one.
    pub(super) async fn commit_state(&self, what: &str) -> Result<Option<u64>> {
        let Some(keeper) = self.keeper.clone() else { return Ok(None) };
        let root = self.state.read().tree.root().clone();
        if keeper.is_parked() || root.snapshot().is_stored() {
            return Ok(None);
        }
        let what = what.to_owned();
        let commit = tokio::task::spawn_blocking(move || keeper.commit(&root, &what));
        commit.await.map_err(|failed| Error::new(ErrorKind::Unexpected, failed.to_string()))?
    }

    /// Notes in the journal that a call begins, if the sandbox is kept on disk. [`execute`](Sandbox::execute) and
    /// sessions do this by themselves; it is for what a caller does with the [kernel](Self::kernel).
    pub fn begin_call(&self, command: &str) -> Option<KeptCall> {
        let keeper = self.keeper.as_ref()?;
        Some(KeptCall { call: keeper.begin_call(None, command), store: keeper.store.clone() })
    }

    pub(super) fn begin_own_call(&self, session: Option<&str>, command: &str) -> Option<OpenCall> {
        self.keeper.as_ref().map(|keeper| keeper.begin_call(session, command))
    }

    /// Makes a parked sandbox usable.
    pub(super) async fn wake(&self) -> Result<()> {
        let Some(keeper) = &self.keeper else { return Ok(()) };
        if self.has_ended() {
            return Err(self.ended());
        }
        if !keeper.is_parked() {
            return Ok(());
        }
        let _one = keeper.waking.lock().await;
        if keeper.is_parked() {
            let (lock, other) = keeper.wake()?;
            if other {
                // Another process has changed it meanwhile.
                self.reopen(keeper).await?;
            }
            keeper.hold(lock);
        }
        Ok(())
    }

    /// Ends all processes, stores the files, and lets other processes use the sandbox. The next call wakes it.
    pub(super) async fn park(&self) -> Result<()> {
        let Some(keeper) = self.keeper.as_ref().filter(|_| !self.has_ended()) else { return Ok(()) };
        // This ends the calls that are going on.
        self.kernel().shutdown().await;
        let _alone = keeper.exchange().await;
        self.park_alone(keeper).await
    }

    /// As [`park`](Self::park), unless a call is going on.
    pub(super) async fn park_if_idle(&self) -> Result<()> {
        let Some(keeper) = self.keeper.as_ref().filter(|_| !self.has_ended()) else { return Ok(()) };
        let Some(_alone) = keeper.exchange_now() else { return Ok(()) };
        self.kernel().shutdown().await;
        self.park_alone(keeper).await
    }

    async fn park_alone(&self, keeper: &Keeper) -> Result<()> {
        if !keeper.is_parked() {
            let stored = self.commit("in the background").await;
            if stored.is_err() {
                // It stays awake, with what could not be stored.
                let tree = self.state.read().tree.clone();
                self.replace(tree).await?;
                return stored;
            }
        }
        self.reopen(keeper).await?;
        keeper.park();
        Ok(())
    }

    /// Goes on with the last state that is stored, which is read from the disk as it is needed.
    async fn reopen(&self, keeper: &Keeper) -> Result<()> {
        let files = keeper.store.files(&keeper.record().head).map_err(stored)?;
        let tree = self.state.read().tree.replanted(files, self.options.disk);
        self.replace(tree).await
    }

    /// Whether it is kept on disk.
    pub fn is_kept(&self) -> bool {
        self.keeper.is_some()
    }

    /// Whether it lies on disk, with no process, and others may use it. The next call wakes it.
    pub fn is_parked(&self) -> bool {
        self.keeper.as_ref().is_some_and(|keeper| keeper.is_parked())
    }

    /// How long until the sandbox is deleted, and until it is parked; `None` if it is not kept or parked already.
    pub(super) fn times(&self) -> Option<(Option<Duration>, Option<Duration>)> {
        let keeper = self.keeper.as_ref().filter(|_| !self.has_ended())?;
        let record = keeper.record();
        let ends =
            record.ends.map(|ends| ends.duration_since(std::time::SystemTime::now()).unwrap_or_default());
        let idle = record.ttl.filter(|_| !keeper.is_parked());
        let idle =
            idle.map(|ttl| keeper.idle_since().map_or(ttl, |since| ttl.saturating_sub(since.elapsed())));
        Some((ends, idle))
    }

    pub(super) fn change_record(
        &self,
        change: impl Fn(&mut sandshell_store::Record) + Send + Sync + 'static,
    ) -> Result<()> {
        self.keeper.as_ref().map_or(Ok(()), |keeper| keeper.change(change))
    }

    /// Continues with the files of another state, which becomes the newest one.
    pub(super) async fn put_back(&self, tree: Tree, root: sandshell_vfs::BlobId, what: &str) -> Result<()> {
        let Some(keeper) = &self.keeper else { return self.replace(tree).await };
        self.kernel().shutdown().await;
        let _alone = keeper.exchange().await;
        self.wake().await?;
        self.commit("in the background").await?;
        keeper.put_back(root, what)?;
        self.replace(tree).await
    }

    pub(super) fn shells(&self) -> &Sessions {
        &self.sessions
    }

    /// Begins a call: a parked sandbox is woken, and stays awake until the guard is dropped.
    pub(super) async fn begin(&self) -> Result<Option<CallGuard>> {
        let Some(keeper) = &self.keeper else { return Ok(None) };
        let guard = keeper.call().await;
        self.wake().await?;
        Ok(Some(guard))
    }

    /// Changes whole files, which no commit sees half of, and stores them.
    async fn changed<T>(&self, what: &str, changed: impl Future<Output = T>) -> Result<T> {
        let _call = self.begin().await?;
        let done = match &self.keeper {
            None => changed.await,
            Some(keeper) => {
                let mut changed = pin!(changed);
                poll_fn(|cx| {
                    let _whole = keeper.changing();
                    changed.as_mut().poll(cx)
                })
                .await
            }
        };
        self.commit(what).await?;
        Ok(done)
    }

    /// The kernel, for what the trait does not offer: terminals, modules, usage. Restoring a snapshot replaces it.
    pub fn kernel(&self) -> Kernel {
        self.state.read().kernel.clone()
    }

    /// The sandbox's files.
    pub fn namespace(&self) -> Namespace {
        self.state.read().kernel.namespace().clone()
    }

    /// The mounted overlays, to list, show or apply their changes.
    pub fn overlays(&self) -> Vec<HostOverlay> {
        self.state.read().tree.overlays()
    }

    /// Whether some writes go beyond memory: to a directory of the host, or to a filesystem of the caller. A
    /// command that writes or syncs such a file may wait for a disk.
    pub fn writes_through(&self) -> bool {
        self.state.read().tree.writes_through()
    }

    /// Mounts a filesystem in the running sandbox. Later snapshots and forks have it too; restoring a snapshot
    /// brings back the mounts of the time when it was taken.
    ///
    /// # Errors
    ///
    /// `InvalidRequest` if the filesystem cannot be opened, or if the sandbox has no such directory.
    pub fn mount(&self, mount: &Mount) -> Result<()> {
        let mut state = self.state.write();
        if state.ended {
            return Err(self.ended());
        }
        let namespace = state.kernel.namespace().clone();
        state.tree.mount(&namespace, mount, self.options.disk)
    }

    /// Whether the sandbox was deleted. The changes in its overlays are then lost.
    pub fn has_ended(&self) -> bool {
        self.state.read().ended
    }

    /// The options that the sandbox was created with.
    pub fn options(&self) -> &LocalOptions {
        &self.options
    }

    /// The file operations as user 1000.
    pub fn files(&self) -> NamespaceFiles {
        NamespaceFiles::new(self.namespace(), Context::USER)
    }

    /// Translates `request` for the kernel, with the sandbox's defaults. The caller can add arguments, streams or a
    /// terminal and then [`spawn`](Kernel::spawn) it.
    ///
    /// # Errors
    ///
    /// `InvalidRequest`, as for [`execute`](Sandbox::execute).
    pub fn command(&self, request: ExecuteRequest) -> Result<Command> {
        Ok(prepare(&self.options, request, None)?.split().0)
    }

    /// A copy of the files, in constant time for those in memory.
    pub(super) fn fork_tree(&self) -> Tree {
        self.state.read().tree.fork()
    }

    /// Continues with other files, and ends all processes.
    pub(super) async fn replace(&self, tree: Tree) -> Result<()> {
        let kernel = boot(&self.engine, &self.options, &tree)?;
        let old = {
            let mut state = self.state.write();
            if state.ended {
                return Err(self.ended());
            }
            std::mem::replace(&mut *state, State { kernel, tree, ended: false })
        };
        old.kernel.shutdown().await;
        Ok(())
    }

    /// Kills every process and refuses further use.
    pub(super) async fn end(&self) {
        let kernel = {
            let mut state = self.state.write();
            state.ended = true;
            state.kernel.clone()
        };
        kernel.shutdown().await;
    }

    fn ended(&self) -> Error {
        Error::new(ErrorKind::SandboxEnded, format!("the sandbox {} has been deleted", self.id))
    }

    fn usable_files(&self) -> Result<NamespaceFiles> {
        if self.has_ended() { Err(self.ended()) } else { Ok(self.files()) }
    }

    async fn start(&self, request: ExecuteRequest, stream: Option<OutputSender>) -> Result<ExecuteResponse> {
        let _call = self.begin().await?;
        let what = if self.keeper.is_some() { request.command.clone() } else { String::new() };
        let noted = self.begin_own_call(None, &what);
        let (mut command, applied) = prepare(&self.options, request, stream)?.split();
        let mut kernel = self.running()?;
        let turn = match self.queue.at_once(kernel.processes()) {
            Some(turn) => turn,
            None => {
                let asked = Instant::now();
                let Some(turn) = self.turn(command.timeout).await else {
                    return Ok(applied.timed_out_waiting(self.queue.size(), asked.elapsed()));
                };
                command.timeout = command.timeout.map(|timeout| timeout.saturating_sub(asked.elapsed()));
                kernel = self.running()?;
                turn
            }
        };
        let job = kernel.spawn(command).await.map_err(error)?;
        let response = applied.response(job.wait().await);
        drop(turn);
        let state = self.commit_state(&what).await?;
        if let Some(call) = noted {
            call.end(response.exit_code, &Excerpt::of(&response.output), state);
        }
        Ok(response)
    }

    /// Waits for a turn, at most for `patience`; `None` if the turn did not come in time.
    async fn turn(&self, patience: Option<Duration>) -> Option<Turn> {
        let turn = self.queue.turn(|| self.state.read().kernel.processes());
        match patience {
            Some(patience) => tokio::time::timeout(patience, turn).await.ok(),
            None => Some(turn.await),
        }
    }

    pub(super) fn running(&self) -> Result<Kernel> {
        let state = self.state.read();
        if state.ended { Err(self.ended()) } else { Ok(state.kernel.clone()) }
    }
}

fn boot(engine: &Engine, options: &LocalOptions, tree: &Tree) -> Result<Kernel> {
    let clock = ClockSource::new(options.clock);
    let mut limits = options.limits.clone();
    // Each command brings its own timeout, so that a request can remove it.
    limits.wall_time = None;
    Kernel::builder(engine, tree.namespace(&options.workdir)?)
        .clock(clock)
        .random(options.random)
        .limits(limits)
        .hostname(options.hostname.as_bytes())
        .build()
        .map_err(error)
}

#[async_trait]
impl Sandbox for LocalSandbox {
    fn id(&self) -> &str {
        &self.id
    }

    fn capabilities(&self) -> Capabilities {
        Self::CAPABILITIES
    }

    async fn execute(&self, request: ExecuteRequest) -> Result<ExecuteResponse> {
        self.start(request, None).await
    }

    async fn execute_streaming(
        &self,
        request: ExecuteRequest,
        output: OutputSender,
    ) -> Result<ExecuteResponse> {
        self.start(request, Some(output)).await
    }

    async fn execute_in_session(&self, session: &str, request: ExecuteRequest) -> Result<SessionResponse> {
        self.run_in_session(session, request).await
    }

    async fn session_output(&self, session: &str) -> Result<Bytes> {
        self.read_session(session)
    }

    async fn end_session(&self, session: &str) -> Result<()> {
        self.close_session(session).await
    }

    async fn use_terminal(&self, session: &str, request: TerminalRequest) -> Result<TerminalScreen> {
        self.on_terminal(session, request).await
    }

    async fn sessions(&self) -> Result<Vec<SessionInfo>> {
        Ok(self.sessions.list())
    }

    async fn upload_files(&self, files: Vec<FileUpload>) -> Result<Vec<FileUploadResponse>> {
        let what = format!("upload of {} files", files.len());
        self.changed(&what, async { self.usable_files()?.upload_all(files).await }).await?
    }

    async fn download_files(&self, paths: Vec<String>) -> Result<Vec<FileDownloadResponse>> {
        let _call = self.begin().await?;
        self.usable_files()?.download_all(paths).await
    }

    fn file_operations(&self) -> Option<&dyn FileOperations> {
        Some(self)
    }
}

#[async_trait]
impl FileOperations for LocalSandbox {
    async fn read(&self, path: &str, range: LineRange) -> FileResult<ReadResult> {
        let _call = self.begin().await?;
        self.usable_files()?.read(path, range).await
    }

    async fn write(&self, path: &str, content: Bytes, mode: WriteMode) -> FileResult<()> {
        let write = async { self.usable_files()?.write(path, content, mode).await };
        self.changed(&format!("write {path}"), write).await?
    }

    async fn edit(&self, path: &str, edit: &EditRequest) -> FileResult<EditOutcome> {
        let edit = async { self.usable_files()?.edit(path, edit).await };
        self.changed(&format!("edit {path}"), edit).await?
    }

    async fn ls(&self, path: &str) -> FileResult<Vec<FileInfo>> {
        let _call = self.begin().await?;
        self.usable_files()?.ls(path).await
    }

    async fn grep(&self, request: &GrepRequest) -> FileResult<GrepResult> {
        let _call = self.begin().await?;
        self.usable_files()?.grep(request).await
    }

    async fn glob(&self, request: &GlobRequest) -> FileResult<GlobResult> {
        let _call = self.begin().await?;
        self.usable_files()?.glob(request).await
    }

    async fn delete(&self, path: &str) -> FileResult<()> {
        let delete = async { self.usable_files()?.delete(path).await };
        self.changed(&format!("delete {path}"), delete).await?
    }
}

/// A call that was begun with [`LocalSandbox::begin_call`]. One that is dropped was given up.
#[derive(Debug)]
pub struct KeptCall {
    call: OpenCall,
    store: Store,
}

impl KeptCall {
    /// Stores the files, and notes that the call has ended, with its status and what it wrote. Returns when both are
    /// there.
    ///
    /// # Errors
    ///
    /// Those of [`LocalSandbox::commit`].
    pub async fn end(
        self,
        sandbox: &LocalSandbox,
        what: &str,
        status: Option<i32>,
        output: &Excerpt,
    ) -> Result<()> {
        let state = sandbox.commit_state(what).await?;
        self.call.end(status, output, state);
        let store = self.store;
        // A journal that cannot be written to is no error.
        let _ = tokio::task::spawn_blocking(move || store.settle_journal()).await;
        Ok(())
    }
}

impl fmt::Debug for LocalSandbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalSandbox").field("id", &self.id).finish_non_exhaustive()
    }
}
