//! A provider whose sandboxes run on all servers of a store. Each sandbox runs on one of them at a time.

use super::greeting::{self, Purpose};
use super::transfer::Pace;
use super::trouble::Trouble;
use async_trait::async_trait;
use bytes::Bytes;
use sandshell::command::RemoteProvider;
use sandshell::store::{Secret, Server, StoreError};
use sandshell::{
    Capabilities, CreateOptions, Error, ErrorKind, ExecuteRequest, ExecuteResponse, FileDownloadResponse,
    FileError, FileSink, FileSource, FileUpload, FileUploadResponse, ListOptions, LocalProvider,
    LocalSandbox, OutputSender, ProviderMetadata, Result, Retry, Sandbox, SandboxPage, SandboxProvider,
    SnapshotInfo,
};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until, timeout};

/// How long an answer of another server may take, except to calls that take their time.
const DEADLINE: Duration = Duration::from_secs(60);

/// How long another server may take to say what it can, after its greeting.
const HELLO: Duration = Duration::from_secs(10);

/// How long another server may take to create a sandbox, or to find one.
const READY: Duration = Duration::from_secs(20);

/// How many other servers are asked to create one sandbox.
const ASKED: usize = 2;

/// How long a sandbox is waited for that a server had which is gone.
const PATIENCE: Duration = Duration::from_secs(90);

/// Files that together have more bytes than this come in pieces.
const WHOLE: usize = 1 << 20;

/// The most bytes of a file that is read as a whole.
const LARGEST: usize = 1 << 30;

/// How long files may take as a whole: a minute, and a second for each mebibyte.
const PACE: Pace = Pace::new(Duration::from_secs(60), 1 << 20);

/// The pause between two tries, unless the error says another one.
const PAUSE: Duration = Duration::from_millis(500);

/// The servers of a store as one provider, which this server gives work to.
pub(super) struct Fleet {
    local: LocalProvider,
    session: String,
    secret: Secret,
    /// Other servers, by their sessions.
    links: Mutex<BTreeMap<String, Link>>,
    calls: Mutex<Calls>,
    trouble: Trouble,
    /// Where sandboxes are, by their ids.
    places: Mutex<HashMap<String, Arc<Placing>>>,
}

/// Calls to other servers that are no links yet.
#[derive(Default)]
struct Calls {
    /// The sessions of those that are called.
    called: HashSet<String>,
    tasks: JoinSet<()>,
}

/// The way to another server.
struct Link {
    remote: RemoteProvider,
    /// Whether it takes no more work.
    leaves: bool,
}

/// Where a sandbox is; `None`: nowhere yet. Locked while a place is found for it.
type Placing = tokio::sync::Mutex<Option<Place>>;

/// A server.
#[derive(Clone, Debug)]
enum At {
    Here,
    There { session: String, link: RemoteProvider },
}

#[derive(Debug)]
struct Place {
    at: At,
    sandbox: Arc<dyn Sandbox>,
}

impl Fleet {
    pub(super) fn new(local: LocalProvider, session: String, secret: Secret) -> Arc<Self> {
        let (links, calls, places) = (Mutex::default(), Mutex::default(), Mutex::default());
        let trouble = Trouble::default();
        Arc::new(Self { local, session, secret, links, calls, trouble, places })
    }

    /// Begins to connect to these servers, and lets go of those that are not among them.
    pub(super) fn work_with(self: &Arc<Self>, servers: &[Server]) {
        // Also while it is found out which are known: otherwise one that answers meanwhile would be called again.
        let mut calls = lock(&self.calls);
        let known: Vec<String> = {
            let mut links = lock(&self.links);
            links.retain(|session, link| {
                let server = servers.iter().find(|server| server.session == *session);
                match server {
                    Some(server) => link.leaves = server.leaves,
                    None => link.remote.close("it is not heard of any more"),
                }
                !link.remote.is_closed()
            });
            links.keys().cloned().collect()
        };
        while calls.tasks.try_join_next().is_some() {}
        self.trouble.forget(|session| servers.iter().any(|server| server.session == session));
        for server in servers.iter().filter(|server| !server.leaves && !known.contains(&server.session)) {
            // Nobody waits for one that does not answer. It is called again later.
            if calls.called.insert(server.session.clone()) {
                calls.tasks.spawn(self.clone().call(server.clone()));
            }
        }
    }

    async fn call(self: Arc<Self>, server: Server) {
        let remote = self.link(&server).await;
        let mut calls = lock(&self.calls);
        if let Some(remote) = remote {
            self.join(server.session.clone(), remote);
        }
        calls.called.remove(&server.session);
    }

    /// Gives work to the server of this session from now on.
    pub(super) fn join(&self, session: String, remote: RemoteProvider) {
        lock(&self.links).insert(session, Link { remote, leaves: false });
    }

    /// The way to this server; `None` if it does not answer now.
    async fn link(&self, server: &Server) -> Option<RemoteProvider> {
        let stream = greeting::call(server, Purpose::Work, &self.session, &self.secret).await.ok()?;
        let (answers, requests) = stream.into_split();
        let name = format!("the server {}", server.name);
        let hello = timeout(HELLO, RemoteProvider::over(name, answers, requests, DEADLINE)).await;
        hello.ok()?.ok()
    }

    /// How many other servers there are.
    pub(super) fn others(&self) -> usize {
        lock(&self.links).values().filter(|link| link.takes_work()).count()
    }

    /// Lets go of all other servers: they end what runs, and store it.
    pub(super) fn close(&self) {
        lock(&self.calls).tasks.abort_all();
        for link in std::mem::take(&mut *lock(&self.links)).values() {
            link.remote.close("this server ends");
        }
    }

    /// All servers, those with the fewest sandboxes first, and those with trouble last.
    fn by_load(&self) -> Vec<At> {
        let mut loads = BTreeMap::<Option<String>, usize>::new();
        for placing in lock(&self.places).values() {
            // One that a place is being found for counts a moment later.
            if let Ok(place) = placing.try_lock()
                && let Some(place) = &*place
            {
                *loads.entry(place.at.session().map(str::to_owned)).or_default() += 1;
            }
        }
        let load = |at: &At| loads.get(&at.session().map(str::to_owned)).copied().unwrap_or_default();
        let links = lock(&self.links);
        let there = links
            .iter()
            .filter(|(_, link)| link.takes_work())
            .map(|(session, link)| At::There { session: session.clone(), link: link.remote.clone() });
        let mut all: Vec<At> = std::iter::once(At::Here).chain(there).collect();
        let now = Instant::now();
        let trouble = |at: &At| at.session().is_some_and(|session| self.trouble.is_with(session, now));
        all.sort_by_cached_key(|at| (trouble(at), load(at)));
        all
    }

    fn provider(&self, at: &At) -> Arc<dyn SandboxProvider> {
        match at {
            At::Here => Arc::new(self.local.clone()),
            At::There { link, .. } => link.provider().clone(),
        }
    }

    /// Asks this server for a sandbox. Another one must answer in time.
    async fn ask(&self, at: &At, options: CreateOptions) -> Result<Arc<dyn Sandbox>> {
        let (id, provider) = (options.id.clone(), self.provider(at));
        let asking = provider.get_or_create(options);
        let sandbox = match at {
            At::Here => asking.await?,
            At::There { .. } => timeout(READY, asking).await.unwrap_or_else(|_| {
                let why = format!("another server had no sandbox within {} seconds", READY.as_secs());
                Err(Error::new(ErrorKind::DeadlineExceeded, why))
            })?,
        };
        if id.is_some_and(|id| id != sandbox.id()) {
            return Err(Error::new(
                ErrorKind::Unexpected,
                "another sandbox was given than the one asked for",
            ));
        }
        Ok(sandbox)
    }

    /// The provider of the server that has this sandbox; this one if none has it.
    async fn having(&self, id: &str) -> Arc<dyn SandboxProvider> {
        let placing = lock(&self.places).get(id).cloned();
        if let Some(placing) = placing
            && let Some(place) = &*placing.lock().await
            && place.at.is_there()
        {
            return self.provider(&place.at);
        }
        Arc::new(self.local.clone())
    }

    fn placing(&self, id: &str) -> Arc<Placing> {
        lock(&self.places).entry(id.to_owned()).or_default().clone()
    }

    /// The sandbox where it runs; a place is found for it if it has none.
    async fn found(&self, id: &str, placing: &Placing) -> Result<Arc<dyn Sandbox>> {
        let mut place = placing.lock().await;
        if let Some(place) = &*place
            && place.at.is_there()
        {
            return Ok(place.sandbox.clone());
        }
        *place = None;
        let until = Instant::now() + PATIENCE;
        // One that could not find it. This one is asked then, and knows.
        let mut failed = None::<String>;
        loop {
            let first = if failed.is_some() { None } else { self.by_load().into_iter().next() };
            let at = first.unwrap_or(At::Here);
            let found = self.ask(&at, CreateOptions::existing(id)).await;
            match found {
                Ok(sandbox) => {
                    if let Some(session) = failed.as_deref() {
                        self.trouble.failed(session, Instant::now());
                    }
                    *place = Some(Place { at, sandbox: sandbox.clone() });
                    return Ok(sandbox);
                }
                Err(error) if Instant::now() < until => match (error.retry(), at.session()) {
                    // The server that had it may not be known to be gone yet.
                    (Retry::Later(pause), _) => {
                        let again = Instant::now() + pause.unwrap_or(PAUSE).min(PATIENCE);
                        sleep_until(again.min(until)).await;
                    }
                    (Retry::Never, Some(session)) => {
                        if at.is_there() {
                            failed = Some(session.to_owned());
                        }
                    }
                    (Retry::Never, None) => return Err(error),
                },
                Err(error) => {
                    at.session().into_iter().for_each(|session| self.trouble.failed(session, Instant::now()));
                    return Err(error);
                }
            }
        }
    }

    /// A sandbox that a server has just made. One that has a place already is another.
    async fn placed(self: &Arc<Self>, at: At, sandbox: Arc<dyn Sandbox>) -> Result<Arc<dyn Sandbox>> {
        let id = sandbox.id().to_owned();
        let placing = self.placing(&id);
        let mut place = placing.lock().await;
        if place.is_some() {
            return Err(Error::new(
                ErrorKind::Unexpected,
                "a server has made a sandbox that there was already",
            ));
        }
        *place = Some(Place { at, sandbox });
        drop(place);
        Ok(Arc::new(PlacedSandbox { fleet: self.clone(), id, placing }))
    }
}

impl Link {
    fn takes_work(&self) -> bool {
        !self.leaves && !self.remote.is_closed()
    }
}

impl At {
    fn session(&self) -> Option<&str> {
        match self {
            Self::Here => None,
            Self::There { session, .. } => Some(session),
        }
    }

    fn is_there(&self) -> bool {
        match self {
            Self::Here => true,
            Self::There { link, .. } => !link.is_closed(),
        }
    }
}

/// The fleet as a provider.
#[derive(Clone, Debug)]
pub(super) struct FleetProvider(pub(super) Arc<Fleet>);

#[async_trait]
impl SandboxProvider for FleetProvider {
    fn metadata(&self) -> ProviderMetadata {
        self.0.local.metadata()
    }

    /// An existing sandbox gets its place when it is used.
    async fn get_or_create(&self, options: CreateOptions) -> Result<Arc<dyn Sandbox>> {
        if let Some(id) = &options.id {
            if options != CreateOptions::existing(id) {
                return Err(Error::invalid_request("an id excludes every other option"));
            }
            if let Some(store) = self.0.local.store()? {
                store.sandbox(id).map_err(error)?;
            }
            let placing = self.0.placing(id);
            return Ok(Arc::new(PlacedSandbox { fleet: self.0.clone(), id: id.clone(), placing }));
        }
        let (mut failed, mut last) = (Vec::new(), None);
        let there = |at: &At| at.session().is_some();
        let others = self.0.by_load();
        let before = others.iter().position(|at| !there(at)).unwrap_or_default().min(ASKED);
        for at in others.into_iter().filter(there).take(before).chain([At::Here]) {
            let made = match self.0.ask(&at, options.clone()).await {
                Ok(sandbox) => self.0.placed(at.clone(), sandbox).await,
                Err(error) => Err(error),
            };
            // What a server has made that is gone meanwhile is deleted when its time is up.
            match (made, at.session()) {
                (Ok(sandbox), session) => {
                    session.into_iter().for_each(|session| self.0.trouble.worked(session));
                    failed.iter().for_each(|session: &String| self.0.trouble.failed(session, Instant::now()));
                    return Ok(sandbox);
                }
                (Err(error), session) => {
                    failed.extend(session.map(str::to_owned));
                    last = Some(error);
                }
            }
        }
        Err(last.unwrap_or_else(|| Error::new(ErrorKind::Unavailable, "no server could create the sandbox")))
    }

    async fn list(&self, options: ListOptions) -> Result<SandboxPage> {
        self.0.local.list(options).await
    }

    async fn delete(&self, id: &str) -> Result<()> {
        let provider = self.0.having(id).await;
        lock(&self.0.places).remove(id);
        provider.delete(id).await
    }

    async fn snapshot(&self, id: &str, name: Option<&str>) -> Result<SnapshotInfo> {
        self.0.having(id).await.snapshot(id, name).await
    }

    async fn restore(&self, id: &str, snapshot: &str) -> Result<()> {
        // It is put back where it runs.
        let placing = self.0.placing(id);
        self.0.found(id, &placing).await?;
        self.0.having(id).await.restore(id, snapshot).await
    }

    async fn delete_snapshot(&self, snapshot: &str) -> Result<()> {
        self.0.local.delete_snapshot(snapshot).await
    }

    async fn fork(&self, id: &str) -> Result<Arc<dyn Sandbox>> {
        let placing = self.0.placing(id);
        self.0.found(id, &placing).await?;
        let at = match &*placing.lock().await {
            Some(place) => place.at.clone(),
            None => At::Here,
        };
        let copy = self.0.provider(&at).fork(id).await?;
        self.0.placed(at, copy).await
    }

    async fn pause(&self, id: &str) -> Result<()> {
        self.0.having(id).await.pause(id).await
    }

    async fn resume(&self, id: &str) -> Result<()> {
        self.0.having(id).await.resume(id).await
    }

    async fn set_ttl(&self, id: &str, ttl: Option<Duration>) -> Result<()> {
        self.0.having(id).await.set_ttl(id, ttl).await
    }
}

/// A sandbox wherever it is. After the end of the server that had it, its next call finds another one.
#[derive(Debug)]
struct PlacedSandbox {
    fleet: Arc<Fleet>,
    id: String,
    placing: Arc<Placing>,
}

impl PlacedSandbox {
    async fn found(&self) -> Result<Arc<dyn Sandbox>> {
        self.fleet.found(&self.id, &self.placing).await
    }
}

#[async_trait]
impl Sandbox for PlacedSandbox {
    fn id(&self) -> &str {
        &self.id
    }

    fn capabilities(&self) -> Capabilities {
        // Sessions are where the sandbox is, and it may move.
        let mut all = LocalSandbox::CAPABILITIES;
        all.sessions = false;
        all
    }

    async fn execute(&self, request: ExecuteRequest) -> Result<ExecuteResponse> {
        self.found().await?.execute(request).await
    }

    async fn execute_streaming(
        &self,
        request: ExecuteRequest,
        output: OutputSender,
    ) -> Result<ExecuteResponse> {
        self.found().await?.execute_streaming(request, output).await
    }

    async fn upload_files(&self, files: Vec<FileUpload>) -> Result<Vec<FileUploadResponse>> {
        let sandbox = self.found().await?;
        let bytes = files.iter().map(|file| file.content.len()).sum();
        if bytes <= WHOLE {
            return PACE.within(bytes, sandbox.upload_files(files)).await;
        }
        let mut responses = Vec::new();
        for FileUpload { path, content, .. } in files {
            let (pieces, source) = mpsc::channel(1);
            let bytes = content.len();
            // If it is not wanted, the answer says why.
            let feeding = async move { drop(pieces.send(Ok(content)).await) };
            let uploading = async { tokio::join!(sandbox.upload_from(&path, source), feeding).0 };
            let result = PACE.within(bytes, uploading).await?;
            responses.push(FileUploadResponse { path, result });
        }
        Ok(responses)
    }

    async fn download_files(&self, paths: Vec<String>) -> Result<Vec<FileDownloadResponse>> {
        let sandbox = self.found().await?;
        let mut responses = Vec::new();
        for path in paths {
            let (sink, pieces) = mpsc::channel::<Bytes>(1);
            let result = PACE.whole(sandbox.download_to(&path, sink), pieces, LARGEST).await?;
            responses.push(FileDownloadResponse { path, result });
        }
        Ok(responses)
    }

    async fn upload_from(&self, path: &str, content: FileSource) -> Result<Result<(), FileError>> {
        self.found().await?.upload_from(path, content).await
    }

    async fn download_to(&self, path: &str, content: FileSink) -> Result<Result<(), FileError>> {
        self.found().await?.download_to(path, content).await
    }
}

/// What a caller can do about an error of the store.
fn error(failed: StoreError) -> Error {
    let kind = match failed {
        StoreError::NoSandbox(_) => ErrorKind::NotFound,
        StoreError::Deleted(_) => ErrorKind::SandboxEnded,
        _ => ErrorKind::Unavailable,
    };
    Error::new(kind, failed.to_string()).with_source(failed)
}

fn lock<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

impl fmt::Debug for Fleet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fleet").field("others", &self.others()).finish_non_exhaustive()
    }
}
