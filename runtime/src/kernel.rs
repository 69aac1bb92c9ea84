//! The kernel: one sandbox's processes, files, clock and budgets.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use sandshell_codegen::Metering;
use sandshell_vfs::{Context, FileKey, FileKind, Follow, Namespace, Time};
use tokio::sync::{Notify, Semaphore};

use crate::aside;
use crate::clock::{Clock, ClockSource};
use crate::compile::{Account, Failure};
use crate::engine::Engine;
use crate::error::{Errno, Error};
use crate::fd::device::Device;
use crate::fd::pipe::{Counted, Pipe, PipeEnd};
use crate::fd::sink::{OutputKind, Sink};
use crate::fd::table::{Descriptor, FdTable};
use crate::fd::{Description, Object, READ, WRITE};
use crate::job::{Command, CommandProgram, Job, JobState, Outlet, Stdin};
use crate::limits::{Limit, Limits};
use crate::process::code::Holdings;
use crate::process::exec::{self, Image, Request, Waiter};
use crate::process::gate::Gated;
use crate::process::here;
use crate::process::run::{Start, run};
use crate::process::signal::{self, Action, Disposition, Signals};
use crate::process::table::{Entry, INIT, News, ProcessTable, State};
use crate::process::turns::Turns;
use crate::process::{ExitStatus, Identity, Process, Rlimits, Setup};
use crate::random::{Random, RandomStream};
use crate::scheduler::{Background, Scheduler};
use crate::share::{Share, Slot};

/// A sandbox. Cheap to clone; used from many tasks at once. When the last clone is dropped all processes are killed.
#[derive(Clone)]
pub struct Kernel {
    handle: Arc<Handle>,
}

struct Handle(Arc<KernelInner>);

impl Drop for Handle {
    fn drop(&mut self) {
        self.0.close();
    }
}

impl std::fmt::Debug for Kernel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Kernel").field("usage", &self.usage()).finish_non_exhaustive()
    }
}

/// A file as it was: when it or its contents last changed, and its size.
type Stamp = (FileKey, Time, Time, u64);

/// What a sandbox uses just now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Processes, zombies included.
    pub processes: usize,
    /// Linear memory of all processes and the code of guests' own modules that they execute, in bytes.
    pub memory: u64,
    /// Pipes.
    pub pipes: u32,
}

pub(crate) struct KernelInner {
    pub(crate) engine: Engine,
    pub(crate) namespace: Namespace,
    pub(crate) clock: ClockSource,
    pub(crate) random: Random,
    pub(crate) limits: Limits,
    pub(crate) hostname: Vec<u8>,
    pub(crate) owner: (u32, u32),
    pub(crate) cpus: u32,
    pub(crate) metering: Metering,
    pub(crate) scheduler: Option<Arc<Scheduler>>,
    pub(crate) turns: Turns,
    pub(crate) table: Mutex<ProcessTable>,
    /// Processes of commands that are over.
    pub(crate) background: Arc<AtomicU32>,
    /// Memory in use: linear memories, what is being compiled, and code.
    pub(crate) memory: AtomicU64,
    pub(crate) holdings: Holdings,
    pipes: Arc<AtomicU32>,
    next_pipe: AtomicU64,
    fifos: Mutex<HashMap<FileKey, Weak<Pipe>>>,
    /// Modules in files as they were when last executed, by their hashes.
    pub(crate) executables: Mutex<HashMap<Stamp, [u8; 32]>>,
    /// One permit, for the compilation of guests' own modules.
    pub(crate) compiling: Arc<Semaphore>,
    /// What that has cost.
    pub(crate) account: Account,
    /// What it may have done aside at once.
    pub(crate) aside: Arc<Semaphore>,
    pub(crate) freeing: Arc<Semaphore>,
    /// Its share of the engine's room, from the first process on.
    share: OnceLock<Arc<Share>>,
    emptied: Notify,
}

/// Builds a [`Kernel`].
pub struct KernelBuilder {
    engine: Engine,
    namespace: Option<Namespace>,
    clock: ClockSource,
    random: Random,
    limits: Limits,
    hostname: Vec<u8>,
    owner: (u32, u32),
    cpus: u32,
}

impl KernelBuilder {
    /// The files. Required.
    #[must_use]
    pub fn namespace(mut self, namespace: Namespace) -> Self {
        self.namespace = Some(namespace);
        self
    }

    /// The clock. Default [`Clock::Real`]. It becomes the time source of the namespace's filesystems.
    #[must_use]
    pub fn clock(mut self, clock: impl Into<ClockSource>) -> Self {
        self.clock = clock.into();
        self
    }

    /// The source of random bytes. Default [`Random::Os`].
    #[must_use]
    pub fn random(mut self, random: Random) -> Self {
        self.random = random;
        self
    }

    /// The budgets.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The host name that processes see. Default `sandbox`.
    #[must_use]
    pub fn hostname(mut self, hostname: impl Into<Vec<u8>>) -> Self {
        self.hostname = hostname.into();
        self
    }

    /// User and group of all processes. Default 1000, 1000.
    #[must_use]
    pub fn owner(mut self, uid: u32, gid: u32) -> Self {
        self.owner = (uid, gid);
        self
    }

    /// The number of processors that processes are told of. Default: the host's, or 1 with the deterministic scheduler.
    #[must_use]
    pub fn cpus(mut self, cpus: u32) -> Self {
        self.cpus = cpus;
        self
    }

    /// The kernel, with procfs mounted at `/proc` where the namespace has (or can be given) such a directory.
    ///
    /// # Errors
    /// [`Error::Filesystem`] with `EINVAL` without a namespace.
    pub fn build(self) -> Result<Kernel, Error> {
        let namespace = self.namespace.ok_or(sandshell_vfs::Errno::Inval)?;
        let deterministic =
            matches!(self.random, Random::Seeded(_)) || matches!(self.clock.kind(), Clock::Virtual(_));
        let metering =
            if deterministic || self.limits.fuel.is_some() { Metering::Metered } else { Metering::Plain };
        let cpus = match self.cpus {
            0 if deterministic => 1,
            0 => processors(),
            cpus => cpus,
        };
        namespace.set_time_source(Arc::new(self.clock.clone()));
        let inner = Arc::new(KernelInner {
            engine: self.engine,
            namespace,
            scheduler: deterministic.then(|| Scheduler::new(self.clock.clone())),
            clock: self.clock,
            random: self.random,
            limits: self.limits,
            hostname: self.hostname,
            owner: self.owner,
            cpus,
            turns: Turns::new(cpus),
            metering,
            table: Mutex::new(ProcessTable::new()),
            background: Arc::default(),
            memory: AtomicU64::new(0),
            holdings: Holdings::default(),
            pipes: Arc::default(),
            // Lower numbers are those of standard input and the outputs.
            next_pipe: AtomicU64::new(16),
            fifos: Mutex::default(),
            executables: Mutex::default(),
            compiling: Arc::new(Semaphore::new(1)),
            account: Account::default(),
            aside: Arc::new(Semaphore::new(aside::EACH)),
            freeing: Arc::new(Semaphore::new(aside::EACH)),
            share: OnceLock::new(),
            emptied: Notify::new(),
        });
        crate::procfs::mount(&inner)?;
        Ok(Kernel { handle: Arc::new(Handle(inner)) })
    }
}

impl Kernel {
    /// Starts building a kernel on `engine`.
    pub fn builder(engine: &Engine) -> KernelBuilder {
        KernelBuilder {
            engine: engine.clone(),
            namespace: None,
            clock: Clock::Real.into(),
            random: Random::Os,
            limits: Limits::default(),
            hostname: b"sandbox".to_vec(),
            owner: (1000, 1000),
            cpus: 0,
        }
    }

    /// Starts a command in a session of its own. Must be called inside a tokio runtime with timers.
    ///
    /// # Errors
    /// [`Error::Start`], [`Error::WorkingDirectory`], [`Error::Limit`], [`Error::ShutDown`], [`Error::Engine`].
    pub async fn spawn(&self, command: Command) -> Result<Job, Error> {
        self.inner().spawn(command).await
    }

    /// The sandbox's files.
    pub fn namespace(&self) -> &Namespace {
        &self.inner().namespace
    }

    /// The sandbox's clock.
    pub fn clock(&self) -> &ClockSource {
        &self.inner().clock
    }

    /// What the sandbox uses just now.
    pub fn usage(&self) -> Usage {
        let inner = self.inner();
        Usage {
            processes: inner.table.lock().len(),
            memory: inner.memory.load(Ordering::Relaxed),
            pipes: inner.pipes.load(Ordering::Relaxed),
        }
    }

    /// How many processes there are, zombies included.
    pub fn processes(&self) -> usize {
        self.inner().table.lock().len()
    }

    /// Kills all processes and waits until they are gone. Nothing can be started any more.
    pub async fn shutdown(&self) {
        let inner = self.inner();
        inner.close();
        loop {
            let emptied = inner.emptied.notified();
            if inner.table.lock().len() == 0 {
                return;
            }
            emptied.await;
        }
    }

    /// A sandbox with a copy of this one's files (in constant time where they are in memory), the same configuration and no
    /// processes. A virtual clock starts again.
    ///
    /// # Errors
    /// [`Error::Busy`] while processes run, [`Error::Filesystem`].
    pub fn fork(&self) -> Result<Kernel, Error> {
        let inner = self.inner();
        let running = inner.table.lock().len();
        if running > 0 {
            return Err(Error::Busy(running));
        }
        KernelBuilder {
            engine: inner.engine.clone(),
            namespace: Some(inner.namespace.fork()?),
            clock: inner.clock.kind().into(),
            random: inner.random,
            limits: inner.limits.clone(),
            hostname: inner.hostname.clone(),
            owner: inner.owner,
            cpus: inner.cpus,
        }
        .build()
    }

    fn inner(&self) -> &Arc<KernelInner> {
        &self.handle.0
    }
}

/// Where a new process stands in the table.
pub(crate) struct Family {
    pub(crate) parent: u32,
    /// `None`: a group of its own.
    pub(crate) group: Option<u32>,
    /// `None`: a session of its own.
    pub(crate) session: Option<u32>,
}

/// Why no process could be created.
pub(crate) enum Refused {
    Limit(Limit),
    Errno(Errno),
}

impl KernelInner {
    /// Counts so many bytes more as the sandbox's.
    ///
    /// # Errors
    /// [`Limit::SandboxMemory`]: there is no room for them.
    pub(crate) fn take_memory(&self, bytes: u64) -> Result<(), Limit> {
        let limit = self.limits.sandbox_memory;
        let more = |used: u64| used.checked_add(bytes).filter(|total| *total <= limit);
        let taken = self.memory.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
        taken.map(drop).map_err(|_| Limit::SandboxMemory(limit))
    }

    async fn spawn(self: &Arc<Self>, command: Command) -> Result<Job, Error> {
        let started = Instant::now();
        let cx = Context { uid: self.owner.0, gid: self.owner.1, pid: 0 };
        let bad_cwd = |errno| Error::WorkingDirectory { path: command.cwd.clone(), errno };
        let root = self.namespace.root();
        let cwd = self.namespace.resolve(&cx, &root, &command.cwd, Follow::Yes).map_err(bad_cwd)?;
        if cwd.kind() != FileKind::Directory {
            return Err(bad_cwd(sandshell_vfs::Errno::NotDir));
        }
        self.engine.metered(self.metering)?;
        let env: Vec<Vec<u8>> =
            command.env.into_iter().map(|(name, value)| [&name[..], b"=", &value].concat()).collect();
        let limit = command.timeout.or(self.limits.wall_time);
        let waiter = Waiter::Host(limit);
        let mut waited = Duration::ZERO;
        let (name, loaded) = match command.program {
            CommandProgram::Path(path) => {
                let request = Request { path: path.clone(), argv: command.argv, env };
                (path, exec::load(self, &cx, &cwd, request, &waiter).await)
            }
            CommandProgram::Module(wasm) => {
                let name = command.argv.first().cloned().unwrap_or_default();
                let program = exec::module(self, wasm, &waiter).await;
                // It is compiled within the limit.
                waited = started.elapsed();
                let identity =
                    Arc::new(Identity { exe: Vec::new(), applet: Vec::new(), argv: command.argv, env });
                (name, program.and_then(|program| Image::new(self, program, identity)))
            }
        };
        let (image, run_out) = match loaded {
            Ok(image) => (Some(image), None),
            Err(Failure::Limit(limit @ Limit::WallTime(_))) => (None, Some(limit)),
            Err(Failure::Limit(limit)) => return Err(limit.into()),
            Err(Failure::Errno(errno)) => return Err(Error::Start { path: name, errno: errno.into() }),
        };
        let terminal = match &command.stdin {
            Stdin::Terminal(terminal) => Some(terminal.clone()),
            _ => None,
        };
        let sink = Arc::new(Sink::new(command.output.limit, command.output.capture, command.output.stream));
        let (job, done) = JobState::new(self, sink, terminal, command.preopens, command.until);
        let Some(mut image) = image else {
            // Its program was still being compiled.
            job.run_out(run_out);
            let status = Some(ExitStatus::Signaled(9));
            return Ok(Job { kernel: self.clone(), state: job, done: None, status, started });
        };
        let mut files = FdTable::new(self.limits.descriptors);
        for (fd, description) in self.standard(command.stdin, &job).into_iter().enumerate() {
            let fd = u32::try_from(fd).unwrap_or(u32::MAX);
            files
                .replace(fd, Descriptor::new(description, false))
                .map_err(|_| Limit::Descriptors(self.limits.descriptors))?;
        }
        let slot = self.slot(1)?;
        image.reserve(self)?;
        let setup = Setup {
            pid: 0,
            owner: self.owner,
            job: job.clone(),
            signals: Signals::default(),
            files,
            cwd,
            umask: 0o022,
            identity: image.identity.clone(),
            rlimits: Rlimits::new(&self.limits),
            started: self.clock.monotonic(),
            substitution_of: None,
        };
        let process = match self.create(Family { parent: INIT, group: None, session: None }, setup) {
            Ok(process) => process,
            Err(Refused::Limit(limit)) => return Err(limit.into()),
            Err(Refused::Errno(_)) => return Err(Error::ShutDown),
        };
        job.leader.store(process.pid, Ordering::Relaxed);
        job.foreground.store(process.pid, Ordering::Relaxed);
        if let Some(scheduler) = &self.scheduler {
            scheduler.call_begins();
        }
        if let Some(limit) = limit {
            job.set_deadline(limit, waited);
        }
        self.launch_here(process, Start::Image(image), slot);
        Ok(Job { kernel: self.clone(), state: job, done: Some(done), status: None, started })
    }

    /// Descriptions 0, 1 and 2 of a command.
    fn standard(&self, stdin: Stdin, job: &Arc<JobState>) -> [Arc<Description>; 3] {
        let outlet = Outlet::new(job);
        let output = |kind| Description::new(Object::Output { outlet: outlet.clone(), kind }, WRITE);
        let input = match stdin {
            Stdin::Empty => self.null_device(),
            Stdin::Bytes(bytes) => Description::new(Object::Input { bytes }, READ),
            Stdin::Stream(receiver) => {
                let pipe = Pipe::new(1, None);
                let reader = pipe.open(true, false);
                tokio::spawn(feed(receiver, pipe.open(false, true)));
                Description::new(Object::Pipe { end: reader, location: None }, READ)
            }
            Stdin::Source(source) => Description::new(Object::Source(source), READ),
            Stdin::Terminal(terminal) => {
                let terminal = Description::new(Object::Terminal(terminal), READ | WRITE);
                return [terminal.clone(), terminal.clone(), terminal];
            }
        };
        [input, output(OutputKind::Stdout), output(OutputKind::Stderr)]
    }

    /// `/dev/null`, read: a command without input is told so by its kind, as programs that would rather search files than
    /// standard input look at it.
    fn null_device(&self) -> Arc<Description> {
        let cx = Context { uid: self.owner.0, gid: self.owner.1, pid: 0 };
        let found = self.namespace.resolve(&cx, &self.namespace.root(), b"/dev/null", Follow::Yes).ok();
        let location = found.filter(|found| found.kind() == FileKind::CharDevice);
        let random = Mutex::new(RandomStream::new(self.random, 0));
        Description::new(Object::Device { device: Device::Null, location, random }, READ)
    }

    /// Reserves places for processes in the engine's pool.
    pub(crate) fn slot(&self, places: u32) -> Result<Slot, Error> {
        let room = &self.engine.metered(self.metering)?.room;
        Ok(self.share.get_or_init(|| room.share()).take(places)?)
    }

    /// Enters a new process in the table, within the limit.
    pub(crate) fn create(&self, family: Family, mut setup: Setup) -> Result<Arc<Process>, Refused> {
        let mut table = self.table.lock();
        if table.closed {
            return Err(Refused::Errno(Errno::AGAIN));
        }
        if table.len() >= self.limits.processes as usize {
            let limit = Limit::Processes(self.limits.processes);
            setup.job.hit(limit.clone());
            return Err(Refused::Limit(limit));
        }
        let pid = table.allocate().map_err(Refused::Errno)?;
        setup.job.begin().map_err(|refused| match refused {
            Some(limit) => {
                setup.job.hit(limit.clone());
                Refused::Limit(limit)
            }
            None => Refused::Errno(Errno::AGAIN),
        })?;
        setup.pid = pid;
        let process = Process::new(setup);
        let entry = Entry {
            process: process.clone(),
            parent: family.parent,
            group: family.group.unwrap_or(pid),
            session: family.session.unwrap_or(pid),
            state: State::Running,
            news: None,
        };
        table.insert(pid, entry);
        Ok(process)
    }

    /// Starts executing a process.
    pub(crate) fn launch(self: &Arc<Self>, process: Arc<Process>, start: Start, slot: Slot) {
        let task = self.clone().execute(process, start, slot);
        match &self.scheduler {
            Some(scheduler) => {
                scheduler.spawn(task);
            }
            None => here::start(Box::pin(task)),
        }
    }

    /// As [`launch`](Self::launch), but executes the process and what it starts in the calling task until all wait for
    /// something or a time slice is over: a short command costs no change of threads.
    fn launch_here(self: &Arc<Self>, process: Arc<Process>, start: Start, slot: Slot) {
        if self.scheduler.is_some() {
            return self.launch(process, start, slot);
        }
        here::execute(Box::pin(self.clone().execute(process, start, slot)));
    }

    async fn execute(self: Arc<Self>, process: Arc<Process>, start: Start, slot: Slot) {
        let execution = run(self.clone(), process.clone(), start);
        let mut gated = Gated::new(self.clone(), process.clone(), execution);
        let ended = (&mut gated).await;
        if ended.is_err()
            && let Some(rest) = gated.into_rest()
            && process.memory.load(Ordering::Relaxed) > LARGE_MEMORY
        {
            aside::free(&self, &process, rest).await;
        }
        drop(slot);
        self.finish(&process, ended.unwrap_or_else(ExitStatus::Signaled));
    }

    /// Runs a task beside the processes, in the sandbox's own order where it has one.
    pub(crate) fn background(&self, task: impl Future<Output = ()> + Send + 'static) -> Background {
        match &self.scheduler {
            Some(scheduler) => Background::Scheduled(Arc::downgrade(scheduler), scheduler.spawn(task)),
            None => Background::Tokio(tokio::spawn(task).abort_handle()),
        }
    }

    /// Forgets a process that never executed anything.
    pub(crate) fn abandon(&self, process: &Process) {
        let mut table = self.table.lock();
        table.remove(process.pid);
        let empty = table.len() == 0;
        let ended = process.job.end(None, table.awaits_substitution(&process.job));
        drop(table);
        process.job.tell(ended);
        if empty {
            self.emptied.notify_waiters();
        }
    }

    /// A command is over.
    pub(crate) fn call_ends(&self) {
        if let Some(scheduler) = &self.scheduler {
            scheduler.call_ends();
        }
    }

    /// A process has ended: its descriptors close, its children get another parent, its own parent learns of it.
    ///
    /// As POSIX says under `_exit`, the end of a session's leader hangs up the foreground group of its terminal, and process
    /// groups that nobody is left to continue, but are stopped, are hung up and continued.
    pub(crate) fn finish(&self, process: &Arc<Process>, status: ExitStatus) {
        let files = std::mem::take(&mut *process.files.lock());
        drop(files);
        drop(process.alarm.lock().take());
        let mut table = self.table.lock();
        let mut orphans = Vec::new();
        let mut groups = table.groups_held_by(process.pid);
        for (pid, entry) in table.iter_mut() {
            if entry.parent == process.pid {
                entry.parent = INIT;
                if matches!(entry.state, State::Zombie(_)) {
                    orphans.push(pid);
                }
            }
        }
        for pid in orphans {
            table.remove(pid);
        }
        let own = table.get(process.pid);
        let leads_session = own.is_some_and(|entry| entry.session == process.pid);
        let parent_id = own.map_or(INIT, |entry| entry.parent);
        let parent = table.get(parent_id).map(|entry| entry.process.clone());
        let waited_for = parent
            .as_ref()
            .is_some_and(|parent| parent.signals.disposition(signal::SIGCHLD) != Disposition::Ignore);
        if waited_for {
            if let Some(entry) = table.get_mut(process.pid) {
                entry.state = State::Zombie(status);
                entry.news = None;
            }
        } else {
            table.remove(process.pid);
        }
        groups.retain(|group| table.is_orphaned_and_stopped(*group));
        let empty = table.len() == 0;
        process.ended.store(true, Ordering::Relaxed);
        let first = process.job.leader.load(Ordering::Relaxed) == process.pid;
        let ended = process.job.end(first.then_some(status), table.awaits_substitution(&process.job));
        drop(table);
        if leads_session && process.job.terminal.is_some() {
            groups.push(process.job.foreground.load(Ordering::Relaxed));
        }
        for group in groups {
            self.signal_group(group, signal::SIGHUP);
            self.signal_group(group, signal::SIGCONT);
        }
        if let Some(parent) = parent {
            self.deliver(&parent, signal::SIGCHLD);
            parent.gate.wake();
        }
        process.job.tell(ended);
        if empty {
            self.emptied.notify_waiters();
        }
    }

    /// Sends a signal to a process.
    pub(crate) fn deliver(&self, process: &Arc<Process>, number: u32) {
        let gate = &process.gate;
        let mut action = process.signals.send(number, gate.is_stopped(), gate.is_waiting());
        if number == signal::SIGKILL {
            action = Action::Terminate;
        }
        if number == signal::SIGCONT && gate.is_stopped() {
            gate.resume();
            self.report(process, State::Running, News::Continued);
            if let Some(held) = process.signals.release() {
                gate.kill(u8::try_from(held).unwrap_or(0));
            }
        }
        match action {
            Action::Nothing => {}
            Action::Pend => gate.wake(),
            Action::Terminate => gate.kill(u8::try_from(number).unwrap_or(0)),
            Action::Stop => {
                gate.stop();
                self.report(process, State::Stopped, News::Stopped(number));
            }
        }
    }

    fn report(&self, process: &Process, state: State, news: News) {
        let mut table = self.table.lock();
        let Some(entry) = table.get_mut(process.pid) else { return };
        if matches!(entry.state, State::Zombie(_)) {
            return;
        }
        entry.state = state;
        entry.news = Some(news);
        let parent = entry.parent;
        let parent = table.get(parent).map(|entry| entry.process.clone());
        drop(table);
        if let Some(parent) = parent {
            self.deliver(&parent, signal::SIGCHLD);
            parent.gate.wake();
        }
    }

    /// Sends a signal by process id; false if there is no such process.
    pub(crate) fn signal_process(&self, pid: u32, number: u32) -> bool {
        let process = self.table.lock().get(pid).map(|entry| entry.process.clone());
        process.is_some_and(|process| {
            if number != 0 {
                self.deliver(&process, number);
            }
            true
        })
    }

    /// Sends a signal to a process group; false if it is empty.
    pub(crate) fn signal_group(&self, group: u32, number: u32) -> bool {
        self.signal_where(number, |_, entry| entry.group == group)
    }

    /// Sends a signal to the processes that `select` picks; false if there are none.
    pub(crate) fn signal_where(&self, number: u32, select: impl Fn(u32, &Entry) -> bool) -> bool {
        let table = self.table.lock();
        let selected: Vec<Arc<Process>> = table
            .iter()
            .filter(|(pid, entry)| select(*pid, entry))
            .map(|(_, entry)| entry.process.clone())
            .collect();
        drop(table);
        if number != 0 {
            // The newest first: in a pipeline, who reads gets the signal before who writes is gone.
            for process in selected.iter().rev() {
                self.deliver(process, number);
            }
        }
        !selected.is_empty()
    }

    /// Kills every process of a command, and lets none begin that one of them is just starting.
    pub(crate) fn kill_job(&self, job: &Arc<JobState>) {
        {
            let _table = self.table.lock();
            job.set_killed();
        }
        self.signal_where(signal::SIGKILL, |_, entry| Arc::ptr_eq(&entry.process.job, job));
        self.let_go();
    }

    /// Gives others a turn: the sandbox's processes in their order where it has one, all tasks of the host otherwise.
    pub(crate) async fn yield_turn(&self) {
        match &self.scheduler {
            Some(_) => crate::wasi_p1::yield_now().await,
            None => tokio::task::yield_now().await,
        }
    }

    /// Says whether the process that is executing waits for the host, for the deterministic scheduler.
    pub(crate) fn hold(&self, holds: bool) {
        if let Some(scheduler) = &self.scheduler {
            scheduler.hold(holds);
        }
    }

    /// Lets processes that were killed end, also while no command runs.
    fn let_go(&self) {
        if let Some(scheduler) = &self.scheduler {
            scheduler.drain();
        }
    }

    /// A new pipe within the limit.
    pub(crate) fn new_pipe(&self, job: &JobState) -> crate::error::Result<Arc<Pipe>> {
        match Counted::take(&self.pipes, self.limits.pipes) {
            Ok(counted) => Ok(Pipe::new(self.next_pipe.fetch_add(1, Ordering::Relaxed), Some(counted))),
            Err(limit) => {
                job.hit(limit);
                Err(Errno::MFILE)
            }
        }
    }

    /// The pipe behind a FIFO, one while anybody has it open.
    pub(crate) fn fifo(&self, key: FileKey, job: &JobState) -> crate::error::Result<Arc<Pipe>> {
        let mut fifos = self.fifos.lock();
        if let Some(pipe) = fifos.get(&key).and_then(Weak::upgrade) {
            return Ok(pipe);
        }
        fifos.retain(|_, pipe| pipe.strong_count() > 0);
        let pipe = self.new_pipe(job)?;
        fifos.insert(key, Arc::downgrade(&pipe));
        Ok(pipe)
    }

    fn close(&self) {
        self.table.lock().closed = true;
        self.signal_where(signal::SIGKILL, |_, _| true);
        self.let_go();
    }
}

/// Unmapping less memory than this takes no longer than a time slice.
pub(crate) const LARGE_MEMORY: u64 = 8 << 20;

/// The host's processors. To count them takes as long as all else of a new kernel, so that is done once.
fn processors() -> u32 {
    static COUNTED: OnceLock<u32> = OnceLock::new();
    *COUNTED.get_or_init(|| {
        std::thread::available_parallelism().map_or(1, |cpus| u32::try_from(cpus.get()).unwrap_or(1))
    })
}

/// Passes what the host sends on to a pipe.
async fn feed(mut receiver: tokio::sync::mpsc::Receiver<bytes::Bytes>, writer: PipeEnd) {
    while let Some(bytes) = receiver.recv().await {
        let mut rest = &bytes[..];
        while !rest.is_empty() {
            match std::future::poll_fn(|cx| writer.poll_write(cx, rest)).await {
                Ok(count) => rest = rest.get(count..).unwrap_or_default(),
                // Nobody reads any more.
                Err(_) => return,
            }
        }
    }
}
