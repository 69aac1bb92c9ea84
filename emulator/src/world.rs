//! A service's records of its sandboxes.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, SystemTime};

use parking_lot::Mutex;
use sandshell_providers::{
    CreateOptions, Error, ErrorKind, ExecuteRequest, FileDownloadResponse, Result, Sandbox, SandboxProvider,
};
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use crate::contexts::Contexts;
use crate::http::strings;
use crate::ids::random_id;
use crate::process::{Input, Process};
use crate::records::{Kept, Record, Records};
use crate::room::held;
use crate::time::{milliseconds, since_1970};

/// How many commands of a sandbox are remembered, and how many bytes of their output. Running ones are never
/// forgotten, so there may be more.
const MOST_PROCESSES: usize = 1000;
const MOST_OUTPUT: usize = 256 << 20;

/// How many commands of a sandbox run or wait for their turn. The provider runs as many at the same time as it can.
const MOST_RUNNING: usize = 4096;

/// How many files are read at the same time, over all sandboxes.
static READING: Semaphore = Semaphore::const_new(4);

/// How many of one sandbox: whoever asks for its long files again and again keeps no other sandbox waiting.
const READING_OF_ONE: usize = 2;

/// The records of sandboxes begin with this.
const MACHINE: &str = "machine-";

/// After all names that begin with [`MACHINE`].
const MACHINES_END: &str = "machine.";

/// The record of what is not about one sandbox.
const WORLD: &str = "world";

/// How many bytes of names, labels, variables and other data a service keeps for a sandbox. They are there as long as
/// it is, and are written again with each change.
const MOST_STATUS: usize = 1 << 20;

/// How often lifetimes are checked in the background.
const SWEEP: Duration = Duration::from_millis(500);

/// The sandboxes and snapshots of one vendor's service.
pub(crate) struct World {
    provider: Arc<dyn SandboxProvider>,
    state: Mutex<State>,
    last: AtomicU64,
    sweeps: AtomicBool,
    /// Commands of sandboxes that have ended, as far as somebody still has them.
    ended: Mutex<VecDeque<Weak<Process>>>,
    records: Records,
    /// What the records said when the service started.
    loaded: BTreeMap<String, Value>,
}

#[derive(Default)]
struct State {
    machines: BTreeMap<u64, Arc<Machine>>,
    snapshots: BTreeMap<String, Snapshot>,
    /// Ids of snapshots that were deleted.
    deleted_snapshots: HashSet<String>,
}

/// A sandbox as the service sees it.
pub(crate) struct Machine {
    /// The service's id for it.
    pub(crate) id: String,
    pub(crate) number: u64,
    /// A random secret from which tokens for this sandbox are derived.
    pub(crate) secret: String,
    /// The template that it was created from, in the service's terms.
    pub(crate) template: String,
    pub(crate) created: SystemTime,
    pub(crate) sandbox: Arc<dyn Sandbox>,
    /// Its Python interpreters.
    pub(crate) contexts: Contexts,
    status: Mutex<Status>,
    records: Records,
    processes: Mutex<HashMap<u64, Arc<Process>>>,
    pids: AtomicU64,
    reading: Semaphore,
}

/// The changing state of a sandbox.
#[derive(Clone, Debug)]
pub(crate) struct Status {
    pub(crate) paused: bool,
    /// When it ends by itself.
    pub(crate) deadline: Option<SystemTime>,
    /// Whether it is paused at the deadline instead of ended.
    pub(crate) pauses_at_deadline: bool,
    pub(crate) labels: BTreeMap<String, String>,
    /// A name by which it can be found, in addition to its id.
    pub(crate) name: Option<String>,
    /// Other data that this service stores for a sandbox.
    pub(crate) extra: Value,
}

/// A snapshot of a sandbox.
#[derive(Clone)]
pub(crate) struct Snapshot {
    pub(crate) names: Vec<String>,
    pub(crate) source: String,
    pub(crate) created: SystemTime,
    provider_id: String,
}

/// The options for creating a sandbox.
pub(crate) struct Plan {
    pub(crate) id: String,
    pub(crate) template: String,
    pub(crate) options: CreateOptions,
    pub(crate) status: Status,
}

impl World {
    /// A service without sandboxes. As long as it exists, it ends sandboxes whose time is up.
    pub(crate) fn new(provider: Arc<dyn SandboxProvider>) -> Arc<Self> {
        Arc::new(Self::with(provider, Records::default(), BTreeMap::new()))
    }

    fn with(provider: Arc<dyn SandboxProvider>, records: Records, loaded: BTreeMap<String, Value>) -> Self {
        let (state, last, sweeps) = (Mutex::default(), AtomicU64::new(0), AtomicBool::new(false));
        Self { provider, state, last, sweeps, ended: Mutex::default(), records, loaded }
    }

    /// A service with the sandboxes that the records tell of, as far as the provider still has them.
    pub(crate) async fn open(provider: Arc<dyn SandboxProvider>, records: Records) -> Result<Arc<Self>> {
        let mut loaded = records.all()?;
        let machines: Vec<_> =
            loaded.extract_if(MACHINE.to_owned()..MACHINES_END.to_owned(), |_, _| true).collect();
        let world = Arc::new(Self::with(provider, records, loaded));
        if let Some(known) = world.loaded.get(WORLD) {
            world.last.store(known["last"].as_u64().unwrap_or_default(), Ordering::Relaxed);
            let mut state = world.state.lock();
            let snapshots = known["snapshots"].as_object().into_iter().flatten();
            state.snapshots = snapshots.map(|(id, known)| (id.clone(), Snapshot::read(known))).collect();
            let deleted = known["deleted"].as_array().into_iter().flatten().filter_map(Value::as_str);
            state.deleted_snapshots = deleted.map(str::to_owned).collect();
        }
        for (name, record) in machines {
            let id = record["sandbox"].as_str().unwrap_or_default();
            match world.provider.get_or_create(CreateOptions::existing(id)).await {
                Ok(sandbox) => world.restore_machine(&record, sandbox),
                Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::SandboxEnded) => {
                    world.records.remove(&name);
                }
                Err(error) => return Err(error),
            }
        }
        world.sweep();
        Ok(world)
    }

    /// What this service keeps beside its sandboxes.
    pub(crate) fn persistent<T: Record>(&self, name: &'static str) -> Kept<T> {
        Kept::new(&self.records, name, self.loaded.get(name).cloned())
    }

    fn restore_machine(&self, record: &Value, sandbox: Arc<dyn Sandbox>) {
        let text = |name: &str| record[name].as_str().unwrap_or_default().to_owned();
        let number = record["number"].as_u64().unwrap_or_default();
        let machine = Machine {
            id: text("id"),
            number,
            secret: text("secret"),
            template: text("template"),
            created: time(&record["created"]).unwrap_or(SystemTime::UNIX_EPOCH),
            sandbox,
            contexts: Contexts::default(),
            status: Mutex::new(Status::read(&record["status"])),
            records: self.records.clone(),
            processes: Mutex::default(),
            pids: AtomicU64::new(1000),
            reading: Semaphore::new(READING_OF_ONE),
        };
        self.last.fetch_max(number, Ordering::Relaxed);
        self.state.lock().machines.insert(number, Arc::new(machine));
    }

    /// Writes what is not about one sandbox.
    fn record(&self) {
        if !self.records.are_kept() {
            return;
        }
        let state = self.state.lock();
        let snapshots: serde_json::Map<_, _> =
            state.snapshots.iter().map(|(id, snapshot)| (id.clone(), snapshot.write())).collect();
        let record = json!({
            "last": self.last.load(Ordering::Relaxed),
            "snapshots": snapshots,
            "deleted": state.deleted_snapshots,
        });
        self.records.write(WORLD, &record);
    }

    /// Starts the background check of lifetimes, which needs a runtime.
    fn sweep(self: &Arc<Self>) {
        if !self.sweeps.swap(true, Ordering::Relaxed) {
            tokio::spawn(sweep(Arc::downgrade(self)));
        }
    }

    /// Creates a sandbox, from a snapshot if its template is one of this service's snapshots.
    pub(crate) async fn create(self: &Arc<Self>, mut plan: Plan) -> Result<Arc<Machine>> {
        let snapshot = self.state.lock().snapshots.get(&plan.template).map(|kept| kept.provider_id.clone());
        plan.options.snapshot = snapshot;
        plan.status.check()?;
        self.records.check()?;
        let world = self.clone();
        whole(async move {
            let sandbox = world.provider.get_or_create(plan.options).await?;
            let machine = world.add(plan.id, plan.template, sandbox, plan.status);
            world.acknowledge(machine).await
        })
        .await
    }

    /// The sandbox, if it would survive this process as the service promises; it is deleted otherwise.
    async fn acknowledge(&self, machine: Arc<Machine>) -> Result<Arc<Machine>> {
        if let Err(error) = self.records.check() {
            self.end(&machine).await?;
            return Err(error);
        }
        Ok(machine)
    }

    /// A copy of a sandbox, with its labels.
    pub(crate) async fn fork(
        self: &Arc<Self>,
        machine: &Machine,
        id: String,
        name: Option<String>,
        deadline: Option<SystemTime>,
    ) -> Result<Arc<Machine>> {
        let (world, original, template) = (self.clone(), machine.sandbox.clone(), machine.template.clone());
        let status = Status { deadline, name, paused: false, ..machine.status() };
        whole(async move {
            let sandbox = world.provider.fork(original.id()).await?;
            let copy = world.add(id, template, sandbox, status);
            world.acknowledge(copy).await
        })
        .await
    }

    fn add(
        self: &Arc<Self>,
        id: String,
        template: String,
        sandbox: Arc<dyn Sandbox>,
        status: Status,
    ) -> Arc<Machine> {
        let number = self.last.fetch_add(1, Ordering::Relaxed) + 1;
        let machine = Arc::new(Machine {
            id,
            number,
            secret: random_id(40),
            template,
            created: SystemTime::now(),
            sandbox,
            contexts: Contexts::default(),
            status: Mutex::new(status),
            records: self.records.clone(),
            processes: Mutex::default(),
            pids: AtomicU64::new(1000),
            reading: Semaphore::new(READING_OF_ONE),
        });
        self.state.lock().machines.insert(number, machine.clone());
        machine.record();
        self.record();
        self.sweep();
        machine
    }

    /// The sandbox with this id or name, if its time is not up.
    pub(crate) fn get(&self, id: &str) -> Option<Arc<Machine>> {
        let machine = {
            let state = self.state.lock();
            let named = |machine: &&Arc<Machine>| {
                machine.id == id || machine.status.lock().name.as_deref() == Some(id)
            };
            state.machines.values().find(named)?.clone()
        };
        let expired = machine.expired();
        let mut status = machine.status.lock();
        let pauses = expired && status.pauses_at_deadline && !status.paused;
        status.paused |= pauses;
        let gone = expired && !status.pauses_at_deadline;
        drop(status);
        if pauses {
            machine.record();
        }
        (!gone).then_some(machine)
    }

    /// The sandboxes after number `after` for which `chosen` is true, oldest first, and whether there are more than
    /// `limit`.
    pub(crate) fn list(
        &self,
        after: u64,
        limit: usize,
        chosen: impl Fn(&Machine) -> bool,
    ) -> (Vec<Arc<Machine>>, bool) {
        let state = self.state.lock();
        let later = state.machines.range(after.saturating_add(1)..).map(|(_, machine)| machine);
        let fits = |machine: &&Arc<Machine>| {
            (!machine.expired() || machine.status.lock().pauses_at_deadline) && chosen(machine)
        };
        let mut page: Vec<_> = later.filter(fits).take(limit.saturating_add(1)).cloned().collect();
        let more = page.len() > limit;
        page.truncate(limit);
        (page, more)
    }

    /// Deletes a sandbox; returns whether it existed.
    pub(crate) async fn delete(&self, id: &str) -> Result<bool> {
        let Some(machine) = self.get(id) else { return Ok(false) };
        self.end(&machine).await?;
        Ok(true)
    }

    async fn end(&self, machine: &Machine) -> Result<()> {
        self.state.lock().machines.remove(&machine.number);
        let processes = machine.processes();
        for process in &processes {
            process.kill(9);
        }
        forget_ended(&mut self.ended.lock(), &processes);
        drop(processes);
        let (provider, records) = (self.provider.clone(), self.records.clone());
        let (sandbox, record) = (machine.sandbox.clone(), machine.record_name());
        whole(async move {
            provider.delete(sandbox.id()).await?;
            records.remove(&record);
            Ok(())
        })
        .await
    }

    /// Takes a snapshot of a sandbox with a new id.
    pub(crate) async fn snapshot(
        self: &Arc<Self>,
        machine: &Machine,
        id: String,
        names: Vec<String>,
    ) -> Result<()> {
        let (world, sandbox, source) = (self.clone(), machine.sandbox.clone(), machine.id.clone());
        whole(async move {
            let taken = world.provider.snapshot(sandbox.id(), Some(&id)).await?;
            let snapshot = Snapshot { names, source, created: SystemTime::now(), provider_id: taken.id };
            world.state.lock().snapshots.insert(id, snapshot);
            world.record();
            world.records.check()
        })
        .await
    }

    /// Puts a sandbox back to a snapshot; returns whether the snapshot existed.
    pub(crate) async fn restore(&self, machine: &Machine, id: &str) -> Result<bool> {
        let Some(snapshot) = self.state.lock().snapshots.get(id).cloned() else { return Ok(false) };
        let (provider, sandbox) = (self.provider.clone(), machine.sandbox.clone());
        whole(async move { provider.restore(sandbox.id(), &snapshot.provider_id).await }).await?;
        Ok(true)
    }

    pub(crate) fn snapshots(&self) -> Vec<(String, Snapshot)> {
        self.state.lock().snapshots.iter().map(|(id, snapshot)| (id.clone(), snapshot.clone())).collect()
    }

    /// Whether this is the id of a deleted snapshot.
    pub(crate) fn was_deleted(&self, id: &str) -> bool {
        let state = self.state.lock();
        state.deleted_snapshots.contains(id) && !state.snapshots.contains_key(id)
    }

    /// Deletes a snapshot; returns whether it existed.
    pub(crate) async fn delete_snapshot(&self, id: &str) -> Result<bool> {
        let snapshot = {
            let mut state = self.state.lock();
            let Some(snapshot) = state.snapshots.remove(id) else { return Ok(false) };
            state.deleted_snapshots.insert(id.to_owned());
            snapshot
        };
        self.record();
        let provider = self.provider.clone();
        whole(async move { provider.delete_snapshot(&snapshot.provider_id).await }).await?;
        Ok(true)
    }
}

/// Does all of a change of the provider's sandboxes, also if the client that asked for it goes away on the way: what
/// the provider has and the service does not know would be there for ever.
async fn whole<T: Send + 'static>(work: impl Future<Output = Result<T>> + Send + 'static) -> Result<T> {
    let stopped = |error: tokio::task::JoinError| Error::new(ErrorKind::Unexpected, error.to_string());
    tokio::spawn(work).await.unwrap_or_else(|error| Err(stopped(error)))
}

/// Ends sandboxes whose time is up, until the world is dropped.
async fn sweep(world: Weak<World>) {
    loop {
        tokio::time::sleep(SWEEP).await;
        let Some(world) = world.upgrade() else { return };
        let expired: Vec<_> =
            world.state.lock().machines.values().filter(|machine| machine.expired()).cloned().collect();
        for machine in expired {
            let pauses = {
                let mut status = machine.status.lock();
                let (paused, pauses) = (status.paused, status.pauses_at_deadline);
                status.paused |= pauses;
                drop(status);
                if pauses && !paused {
                    machine.record();
                }
                pauses
            };
            if !pauses {
                // If the provider cannot delete it, the service still forgets it.
                drop(world.end(&machine).await);
            }
        }
    }
}

impl Machine {
    pub(crate) fn status(&self) -> Status {
        self.status.lock().clone()
    }

    pub(crate) fn change(&self, change: impl FnOnce(&mut Status)) {
        change(&mut self.status.lock());
        self.record();
    }

    /// Changes what clients choose, unless it then is too much.
    pub(crate) fn set(&self, change: impl FnOnce(&mut Status)) -> Result<()> {
        let mut status = self.status.lock();
        let mut changed = status.clone();
        change(&mut changed);
        changed.check()?;
        *status = changed;
        drop(status);
        self.record();
        Ok(())
    }

    fn record_name(&self) -> String {
        format!("{MACHINE}{}", self.number)
    }

    /// Writes what the service knows of it.
    fn record(&self) {
        if !self.records.are_kept() {
            return;
        }
        let status = self.status.lock();
        let record = json!({
            "id": self.id,
            "number": self.number,
            "secret": self.secret,
            "template": self.template,
            "created": milliseconds(self.created),
            "sandbox": self.sandbox.id(),
            "status": status.write(),
        });
        self.records.write(&self.record_name(), &record);
    }

    fn expired(&self) -> bool {
        self.status.lock().deadline.is_some_and(|deadline| deadline <= SystemTime::now())
    }

    /// Reads files, one after the other. Their content counts as an answer as long as somebody has it.
    pub(crate) async fn download(&self, paths: Vec<String>) -> Result<Vec<FileDownloadResponse>> {
        let mut files = Vec::with_capacity(paths.len());
        for path in paths {
            // While a file is read, its size is not known.
            let _turn = (self.reading.acquire().await, READING.acquire().await);
            for mut file in self.sandbox.download_files(vec![path]).await? {
                if let Ok(content) = file.result {
                    file.result = Ok(held(content)?);
                }
                files.push(file);
            }
        }
        Ok(files)
    }

    /// Starts a command. It can still be found by its number after its end.
    pub(crate) fn start(&self, request: ExecuteRequest, input: Input) -> Arc<Process> {
        let pid = self.pids.fetch_add(1, Ordering::Relaxed);
        let mut processes = self.processes.lock();
        let running = processes.values().filter(|process| process.end().is_none()).count();
        if running >= MOST_RUNNING {
            let why =
                format!("more than {MOST_RUNNING} commands of one sandbox run or wait at the same time");
            // It is not remembered, as it would be the first to be forgotten.
            return Process::refused(pid, self.sandbox.clone(), Error::new(ErrorKind::QuotaExceeded, why));
        }
        let process = Process::start(pid, self.sandbox.clone(), request, input);
        processes.insert(pid, process.clone());
        forget(&mut processes);
        process
    }

    /// A command by its number, even after its end.
    pub(crate) fn process(&self, pid: u64) -> Option<Arc<Process>> {
        self.processes.lock().get(&pid).cloned()
    }

    /// All commands, oldest first.
    pub(crate) fn processes(&self) -> Vec<Arc<Process>> {
        let mut all: Vec<_> = self.processes.lock().values().cloned().collect();
        all.sort_by_key(|process| process.pid);
        all
    }

    /// The running commands.
    pub(crate) fn running(&self) -> Vec<Arc<Process>> {
        let mut running: Vec<_> =
            self.processes.lock().values().filter(|process| process.end().is_none()).cloned().collect();
        running.sort_by_key(|process| process.pid);
        running
    }
}

/// Forgets the oldest commands that have ended, while there are too many or they hold too much output.
fn forget(processes: &mut HashMap<u64, Arc<Process>>) {
    let held = |processes: &HashMap<u64, Arc<Process>>| -> usize {
        processes.values().map(|process| process.held()).sum()
    };
    while processes.len() > MOST_PROCESSES || held(&*processes) > MOST_OUTPUT {
        let ended = processes.values().filter(|process| process.end().is_some()).map(|process| process.pid);
        let Some(oldest) = ended.min() else { return };
        // The service may have it in records of its own.
        if let Some(process) = processes.remove(&oldest) {
            process.forget();
        }
    }
}

/// Adds commands of a sandbox that ends, and forgets the output of the oldest while there is too much of it.
fn forget_ended(ended: &mut VecDeque<Weak<Process>>, more: &[Arc<Process>]) {
    ended.extend(more.iter().map(Arc::downgrade));
    ended.retain(|process| process.strong_count() > 0);
    let mut held: usize = ended.iter().filter_map(Weak::upgrade).map(|process| process.held()).sum();
    while held > MOST_OUTPUT {
        let Some(oldest) = ended.pop_front() else { return };
        if let Some(process) = oldest.upgrade() {
            held -= process.held();
            process.forget();
        }
    }
}

impl Status {
    /// Running, until `deadline`.
    pub(crate) fn running(deadline: Option<SystemTime>, labels: BTreeMap<String, String>) -> Self {
        Self { paused: false, deadline, pauses_at_deadline: false, labels, name: None, extra: Value::Null }
    }

    fn check(&self) -> Result<()> {
        let bytes = self.write().to_string().len();
        if bytes > MOST_STATUS {
            let why = format!(
                "the names, labels and variables of a sandbox have at most {MOST_STATUS} bytes, not {bytes}"
            );
            return Err(Error::new(ErrorKind::InvalidRequest, why));
        }
        Ok(())
    }

    fn write(&self) -> Value {
        json!({
            "paused": self.paused,
            "deadline": self.deadline.map(milliseconds),
            "pauses_at_deadline": self.pauses_at_deadline,
            "labels": self.labels,
            "name": self.name,
            "extra": self.extra,
        })
    }

    fn read(record: &Value) -> Self {
        Self {
            paused: record["paused"] == json!(true),
            deadline: time(&record["deadline"]),
            pauses_at_deadline: record["pauses_at_deadline"] == json!(true),
            labels: strings(&record["labels"]),
            name: record["name"].as_str().map(str::to_owned),
            extra: record["extra"].clone(),
        }
    }
}

impl Snapshot {
    fn write(&self) -> Value {
        json!({
            "names": self.names,
            "source": self.source,
            "created": milliseconds(self.created),
            "snapshot": self.provider_id,
        })
    }

    fn read(record: &Value) -> Self {
        let names = record["names"].as_array().into_iter().flatten().filter_map(Value::as_str);
        Self {
            names: names.map(str::to_owned).collect(),
            source: record["source"].as_str().unwrap_or_default().to_owned(),
            created: time(&record["created"]).unwrap_or(SystemTime::UNIX_EPOCH),
            provider_id: record["snapshot"].as_str().unwrap_or_default().to_owned(),
        }
    }
}

/// A time in a record: milliseconds since 1970.
fn time(record: &Value) -> Option<SystemTime> {
    Some(since_1970(Duration::from_millis(record.as_u64()?)))
}

/// The HTTP status that most services use for an error of the provider.
pub(crate) fn status(error: &Error) -> u16 {
    match error.kind() {
        ErrorKind::NotFound | ErrorKind::SandboxEnded => 404,
        ErrorKind::InvalidRequest => 400,
        ErrorKind::Unsupported => 501,
        ErrorKind::Unauthenticated => 401,
        ErrorKind::PermissionDenied => 403,
        ErrorKind::Conflict => 409,
        ErrorKind::QuotaExceeded | ErrorKind::RateLimited => 429,
        ErrorKind::DeadlineExceeded => 504,
        ErrorKind::Unavailable => 503,
        _ => 500,
    }
}

#[cfg(test)]
mod tests {
    use sandshell_providers::{
        Capabilities, ExecuteResponse, FileUpload, FileUploadResponse, OutputSender, ProviderCapabilities,
        ProviderMetadata,
    };

    use super::*;

    /// A provider that takes its time, and counts its sandboxes.
    #[derive(Debug, Default)]
    struct Slow(Arc<AtomicU64>);

    #[derive(Debug)]
    struct Nothing;

    const TIME: Duration = Duration::from_millis(50);

    #[async_trait::async_trait]
    impl SandboxProvider for Slow {
        fn metadata(&self) -> ProviderMetadata {
            ProviderMetadata::new("slow", "/", ProviderCapabilities::default())
        }

        async fn get_or_create(&self, _: CreateOptions) -> Result<Arc<dyn Sandbox>> {
            self.0.fetch_add(1, Ordering::SeqCst);
            tokio::time::sleep(TIME).await;
            Ok(Arc::new(Nothing))
        }

        async fn delete(&self, _: &str) -> Result<()> {
            tokio::time::sleep(TIME).await;
            self.0.fetch_sub(1, Ordering::SeqCst);
            Ok(())
        }
    }

    #[async_trait::async_trait]
    impl Sandbox for Nothing {
        fn id(&self) -> &str {
            "nothing"
        }

        fn capabilities(&self) -> Capabilities {
            Capabilities::default()
        }

        async fn execute(&self, _: ExecuteRequest) -> Result<ExecuteResponse> {
            std::future::pending().await
        }

        async fn execute_streaming(&self, _: ExecuteRequest, _: OutputSender) -> Result<ExecuteResponse> {
            std::future::pending().await
        }

        async fn upload_files(&self, _: Vec<FileUpload>) -> Result<Vec<FileUploadResponse>> {
            Ok(Vec::new())
        }

        async fn download_files(&self, paths: Vec<String>) -> Result<Vec<FileDownloadResponse>> {
            if paths.iter().any(|path| path == "/endless") {
                return std::future::pending().await;
            }
            Ok(Vec::new())
        }
    }

    fn plan() -> Plan {
        let status = Status::running(None, BTreeMap::new());
        Plan { id: "id".to_owned(), template: String::new(), options: CreateOptions::default(), status }
    }

    #[tokio::test]
    async fn a_client_that_goes_away_leaves_no_sandbox_that_nobody_knows() {
        let sandboxes = Arc::new(AtomicU64::new(0));
        let world = World::new(Arc::new(Slow(sandboxes.clone())));
        let gone = tokio::time::timeout(TIME / 10, world.create(plan())).await;
        assert!(gone.is_err(), "it did not take its time");
        tokio::time::sleep(4 * TIME).await;
        assert_eq!(sandboxes.load(Ordering::SeqCst), 1);
        assert!(world.get("id").is_some(), "nobody knows the sandbox");
        let gone = tokio::time::timeout(TIME / 10, world.delete("id")).await;
        assert!(gone.is_err() && world.get("id").is_none());
        tokio::time::sleep(4 * TIME).await;
        assert_eq!(sandboxes.load(Ordering::SeqCst), 0, "the sandbox is there for ever");
    }

    #[tokio::test]
    async fn one_sandbox_s_files_keep_no_other_waiting() {
        let world = World::new(Arc::new(Slow::default()));
        let machine = world.create(plan()).await.expect("a sandbox");
        let other = world.create(Plan { id: "other".to_owned(), ..plan() }).await.expect("a sandbox");
        let reading: Vec<_> = (0..10)
            .map(|_| {
                let machine = machine.clone();
                tokio::spawn(async move { machine.download(vec!["/endless".to_owned()]).await })
            })
            .collect();
        tokio::time::sleep(TIME).await;
        let read = tokio::time::timeout(100 * TIME, other.download(vec!["/short".to_owned()])).await;
        assert!(read.is_ok_and(|read| read.is_ok()), "it waits for another sandbox's");
        reading.iter().for_each(tokio::task::JoinHandle::abort);
    }

    #[tokio::test]
    async fn commands_and_names_of_a_sandbox_have_limits() {
        let world = World::new(Arc::new(Slow::default()));
        let mut large = plan();
        large.status.labels.insert("label".to_owned(), "x".repeat(MOST_STATUS));
        let why = world.create(large).await.err().map(|error| error.to_string());
        assert!(why.is_some_and(|why| why.contains("at most 1048576 bytes")));
        let machine = world.create(plan()).await.expect("a sandbox");
        let value = "x".repeat(MOST_STATUS);
        assert!(machine.set(|status| status.name = Some(value)).is_err());
        assert_eq!(machine.status().name, None);
        for _ in 0..MOST_RUNNING {
            machine.start(ExecuteRequest::new("sleep"), Input::Given);
        }
        assert_eq!(machine.running().len(), MOST_RUNNING);
        let refused = machine.start(ExecuteRequest::new("sleep"), Input::Given);
        assert!(matches!(refused.end(), Some(crate::process::End::Failed(_))));
        assert!(crate::text::output(&refused, sandshell_providers::OutputStream::Stderr).contains("4096"));
    }
}
