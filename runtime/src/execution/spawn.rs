//! Starting a command: its program, its descriptors, its first process.

use std::future::poll_fn;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::task::Poll;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use sandshell_codegen::Metering;
use sandshell_vfs::{Context, FileKind, Follow};

use super::exec::{self, Request, Waiter};
use super::run::Start;
use crate::command::{Command, CommandProgram, Stdin};
use crate::compile::failure::Failure;
use crate::error::{Errno, Error};
use crate::fd::device::Device;
use crate::fd::output::OutputHandle;
use crate::fd::pipe::{Pipe, PipeEnd};
use crate::fd::sink::{OutputKind, Sink};
use crate::fd::table::{Descriptor, FdTable};
use crate::fd::tty::Tty;
use crate::fd::{Description, Object, READ, WRITE};
use crate::guest::image::Image;
use crate::job::Job;
use crate::kernel::{Family, Kernel, KernelInner, Refused};
use crate::limits::Limit;
use crate::process::job::{JobSetup, JobState};
use crate::process::signal::Signals;
use crate::process::table::INIT;
use crate::process::{ExitStatus, Identity, Rlimits, Setup};
use crate::random::RandomStream;

impl Kernel {
    /// Starts a command in a session of its own. Must be called inside a tokio runtime with timers.
    ///
    /// # Errors
    /// [`Error::Start`], [`Error::WorkingDirectory`], [`Error::Limit`], [`Error::ShutDown`], [`Error::Engine`].
    pub async fn spawn(&self, command: Command) -> Result<Job, Error> {
        self.inner().spawn(command).await
    }
}

impl KernelInner {
    async fn spawn(self: &Arc<Self>, command: Command) -> Result<Job, Error> {
        let started = Instant::now();
        let cx = Context { uid: self.owner.0, gid: self.owner.1, pid: 0 };
        let bad_cwd = |errno| Error::WorkingDirectory { path: command.cwd.clone(), errno };
        let root = self.namespace.root();
        let cwd = self.namespace.resolve(&cx, &root, &command.cwd, Follow::Yes).map_err(bad_cwd)?;
        if cwd.kind() != FileKind::Directory {
            return Err(bad_cwd(sandshell_vfs::Errno::NotDir));
        }
        self.engine.guest_engine(self.metering)?;
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
                // Compilation counts against the time limit.
                waited = started.elapsed();
                let identity =
                    Arc::new(Identity { exe: Vec::new(), applet: Vec::new(), argv: command.argv, env });
                (name, program.and_then(|program| Image::new(self, program, identity)))
            }
        };
        let (image, time_out) = match loaded {
            Ok(image) => (Some(image), None),
            Err(Failure::Limit(limit @ Limit::WallTime(_))) => (None, Some(limit)),
            Err(Failure::Limit(limit)) => return Err(limit.into()),
            Err(Failure::Errno(errno)) => return Err(Error::Start { path: name, errno: errno.into() }),
            Err(Failure::Invalid(_)) => {
                return Err(Error::Start { path: name, errno: Errno::NOEXEC.into() });
            }
        };
        let terminal = match &command.stdin {
            Stdin::Terminal(terminal) => Some(Tty::new(terminal.clone())),
            _ => None,
        };
        let sink = Arc::new(Sink::new(command.output.limit, command.output.capture, command.output.stream));
        let setup = JobSetup {
            sink,
            terminal,
            preopens: command.preopens,
            until: command.until,
            conversation: command.conversation,
            metered: self.metering == Metering::Metered,
            background: self.background.clone(),
        };
        let keeper = Arc::downgrade(self);
        let (job, done) = JobState::new(setup, keeper, &self.limits);
        let Some(mut image) = image else {
            // The time limit was reached during compilation.
            job.time_out(time_out);
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
        let slots = self.take_slots(1)?;
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
            scheduler.command_begins();
        }
        if let Some(limit) = limit {
            job.set_deadline(limit, waited);
        }
        self.launch_inline(process, Start::Image(image), slots);
        Ok(Job { kernel: self.clone(), state: job, done: Some(done), status: None, started })
    }

    /// Standard input, output and error of a command.
    fn standard(self: &Arc<Self>, stdin: Stdin, job: &Arc<JobState>) -> [Arc<Description>; 3] {
        let owner = Arc::downgrade(job);
        let handle = OutputHandle::new(job.sink.clone(), owner);
        let output = |kind| Description::new(Object::Output { handle: handle.clone(), kind }, WRITE);
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
                let tty = job.terminal.clone().unwrap_or_else(|| Tty::new(terminal));
                tokio::spawn(attend(Arc::downgrade(self), Arc::downgrade(&tty), Arc::downgrade(job)));
                let terminal = Description::new(Object::Terminal(tty), READ | WRITE);
                return [terminal.clone(), terminal.clone(), terminal];
            }
        };
        [input, output(OutputKind::Stdout), output(OutputKind::Stderr)]
    }

    /// `/dev/null` for reading, with its real device number. Some programs check the kind of standard input, and search
    /// files instead of reading it if it is `/dev/null`.
    fn null_device(&self) -> Arc<Description> {
        let cx = Context { uid: self.owner.0, gid: self.owner.1, pid: 0 };
        let found = self.namespace.resolve(&cx, &self.namespace.root(), b"/dev/null", Follow::Yes).ok();
        let location = found.filter(|found| found.kind() == FileKind::CharDevice);
        let random = Mutex::new(RandomStream::new(self.random, 0));
        Description::new(Object::Device { device: Device::Null, location, random }, READ)
    }
}

/// Serves a terminal as long as somebody has it open: keys become input, and signals for the foreground. When its
/// session has ended, no more keys are taken.
async fn attend(kernel: Weak<KernelInner>, tty: Weak<Tty>, job: Weak<JobState>) {
    poll_fn(|cx| {
        // What is typed faster than it can be taken is left for the next turn.
        for _ in 0..64 {
            let Some(tty) = tty.upgrade() else { return Poll::Ready(()) };
            let job = job.upgrade();
            let Poll::Ready(signals) = tty.serve(cx, job.as_ref().is_some_and(|job| !job.has_ended())) else {
                return Poll::Pending;
            };
            let Some((job, kernel)) = job.and_then(|job| Some((job, kernel.upgrade()?))) else {
                continue;
            };
            for signal in signals {
                kernel.signal_group(job.foreground.load(Ordering::Relaxed), signal);
            }
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// Writes to a pipe what the host sends.
async fn feed(mut receiver: tokio::sync::mpsc::Receiver<bytes::Bytes>, writer: PipeEnd) {
    while let Some(bytes) = receiver.recv().await {
        let mut rest = &bytes[..];
        while !rest.is_empty() {
            match poll_fn(|cx| writer.poll_write(cx, rest)).await {
                Ok(count) => rest = rest.get(count..).unwrap_or_default(),
                // There is no reader any more.
                Err(_) => return,
            }
        }
    }
}
