//! A process: its state, signals, turn, and entry in the table.

pub(crate) mod gate;
pub(crate) mod job;
pub(crate) mod meter;
pub(crate) mod signal;
pub(crate) mod table;
pub(crate) mod turns;

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::task::Poll;
use std::time::Duration;

use parking_lot::Mutex;
use sandshell_vfs::{Context, Location};
use tokio::sync::Notify;

use crate::error::{Errno, Result};
use crate::fd::table::FdTable;
use crate::limits::Limits;
use crate::scheduler::Background;
use gate::Gate;
use job::JobState;
use meter::Meter;
use signal::Signals;
use turns::Turn;

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitStatus {
    /// It exited with this code.
    Exited(u8),
    /// It was ended by this signal.
    Signaled(u8),
}

impl ExitStatus {
    /// The status as a shell shows it: the code, or 128 + the signal.
    pub fn code(self) -> i32 {
        match self {
            ExitStatus::Exited(code) => i32::from(code),
            ExitStatus::Signaled(signal) => 128 + i32::from(signal),
        }
    }
}

/// A process. Its parent, group and session are in the process table.
pub(crate) struct Process {
    pub(crate) pid: u32,
    pub(crate) uid: u32,
    pub(crate) gid: u32,
    /// The host's command that it belongs to.
    pub(crate) job: Arc<JobState>,
    pub(crate) gate: Gate,
    pub(crate) turn: Turn,
    pub(crate) signals: Signals,
    pub(crate) files: Mutex<FdTable>,
    pub(crate) cwd: Mutex<Location>,
    pub(crate) umask: AtomicU32,
    pub(crate) identity: Mutex<Arc<Identity>>,
    pub(crate) rlimits: Mutex<Rlimits>,
    pub(crate) alarm: Mutex<Alarm>,
    /// Bytes of linear memory.
    pub(crate) memory: AtomicU64,
    /// When it started, in nanoseconds of the monotonic clock.
    pub(crate) started: u64,
    cpu: AtomicU64,
    cpu_limit: AtomicU64,
    /// The largest size to which it may extend a file (RLIMIT_FSIZE).
    file_size_limit: AtomicU64,
    pub(crate) meter: Meter,
    /// CPU time of children that were waited for.
    pub(crate) children_cpu: AtomicU64,
    /// If it is a process substitution: the shell that started it.
    pub(crate) substitution_of: Option<Weak<Process>>,
    /// Changed under the lock of the process table.
    pub(crate) ended: AtomicBool,
    /// Whether it has called exec since its parent started it. Then its parent's setpgid is refused.
    pub(crate) has_executed: AtomicBool,
}

/// What a process executes.
#[derive(Debug, Default)]
pub(crate) struct Identity {
    /// The path of the executed file.
    pub(crate) exe: Vec<u8>,
    pub(crate) applet: Vec<u8>,
    pub(crate) argv: Vec<Vec<u8>>,
    /// `NAME=value` strings.
    pub(crate) env: Vec<Vec<u8>>,
}

impl Identity {
    /// The short name: the last component of the executed file's path, at most 15 bytes as on Linux.
    pub(crate) fn comm(&self) -> &[u8] {
        let path = if self.exe.is_empty() { self.argv.first().map_or(&[][..], |arg| arg) } else { &self.exe };
        let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
        &name[..name.len().min(15)]
    }
}

/// When SIGALRM is sent.
#[derive(Default)]
pub(crate) struct Alarm {
    /// `None`: not at all.
    pub(crate) due: Option<u64>,
    pub(crate) ringer: Option<Ringer>,
}

/// What sends SIGALRM.
pub(crate) struct Ringer {
    /// Told when there is another alarm.
    pub(crate) changed: Arc<Notify>,
    pub(crate) _task: Background,
}

/// Resource limits by Linux's numbers: (soft, hard).
#[derive(Clone, Debug)]
pub(crate) struct Rlimits([(u64, u64); 16]);

pub(crate) const RLIMIT_CPU: u32 = 0;
pub(crate) const RLIMIT_FSIZE: u32 = 1;
pub(crate) const RLIMIT_STACK: u32 = 3;
pub(crate) const RLIMIT_CORE: u32 = 4;
pub(crate) const RLIMIT_NPROC: u32 = 6;
pub(crate) const RLIMIT_NOFILE: u32 = 7;
pub(crate) const RLIMIT_AS: u32 = 9;

impl Rlimits {
    pub(crate) fn new(limits: &Limits) -> Rlimits {
        let mut all = [(u64::MAX, u64::MAX); 16];
        let mut set = |resource: u32, value: u64| {
            if let Some(slot) = all.get_mut(resource as usize) {
                *slot = (value, value);
            }
        };
        set(RLIMIT_STACK, sandshell_codegen::WASM_STACK as u64);
        set(RLIMIT_CORE, 0);
        set(RLIMIT_NPROC, u64::from(limits.processes));
        set(RLIMIT_NOFILE, u64::from(limits.descriptors.min(crate::fd::table::MAX_DESCRIPTORS)));
        Rlimits(all)
    }

    pub(crate) fn get(&self, resource: u32) -> Result<(u64, u64)> {
        self.0.get(resource as usize).copied().ok_or(Errno::INVAL)
    }

    /// Sets a limit. `EINVAL` if the soft limit is above the hard limit, `EPERM` to raise the hard limit, `ENOTSUP` to
    /// change a limit that the kernel does not enforce.
    pub(crate) fn set(&mut self, resource: u32, soft: u64, hard: u64) -> Result<()> {
        let slot = self.0.get_mut(resource as usize).ok_or(Errno::INVAL)?;
        if soft > hard {
            return Err(Errno::INVAL);
        }
        if hard > slot.1 {
            return Err(Errno::PERM);
        }
        let kept = matches!(
            resource,
            RLIMIT_CPU | RLIMIT_FSIZE | RLIMIT_CORE | RLIMIT_NPROC | RLIMIT_NOFILE | RLIMIT_AS
        );
        if !kept && soft != slot.0 {
            return Err(Errno::NOTSUP);
        }
        *slot = (soft, hard);
        Ok(())
    }
}

/// The initial state of a new process.
pub(crate) struct Setup {
    pub(crate) pid: u32,
    pub(crate) owner: (u32, u32),
    pub(crate) job: Arc<JobState>,
    pub(crate) signals: Signals,
    pub(crate) files: FdTable,
    pub(crate) cwd: Location,
    pub(crate) umask: u32,
    pub(crate) identity: Arc<Identity>,
    pub(crate) rlimits: Rlimits,
    pub(crate) started: u64,
    pub(crate) substitution_of: Option<Weak<Process>>,
}

impl Process {
    pub(crate) fn new(setup: Setup) -> Arc<Process> {
        let process = Process {
            pid: setup.pid,
            uid: setup.owner.0,
            gid: setup.owner.1,
            job: setup.job,
            gate: Gate::default(),
            turn: Turn::default(),
            signals: setup.signals,
            files: Mutex::new(setup.files),
            cwd: Mutex::new(setup.cwd),
            umask: AtomicU32::new(setup.umask),
            identity: Mutex::new(setup.identity),
            rlimits: Mutex::new(setup.rlimits),
            alarm: Mutex::default(),
            memory: AtomicU64::new(0),
            started: setup.started,
            cpu: AtomicU64::new(0),
            cpu_limit: AtomicU64::new(u64::MAX),
            file_size_limit: AtomicU64::new(u64::MAX),
            meter: Meter::default(),
            children_cpu: AtomicU64::new(0),
            substitution_of: setup.substitution_of,
            ended: AtomicBool::new(false),
            has_executed: AtomicBool::new(false),
        };
        process.apply_limits();
        Arc::new(process)
    }

    pub(crate) fn context(&self) -> Context {
        Context { uid: self.uid, gid: self.gid, pid: self.pid }
    }

    pub(crate) fn cwd(&self) -> Location {
        self.cwd.lock().clone()
    }

    pub(crate) fn identity(&self) -> Arc<Identity> {
        self.identity.lock().clone()
    }

    /// Applies changed resource limits.
    pub(crate) fn apply_limits(&self) {
        let rlimits = self.rlimits.lock();
        let soft = |resource| rlimits.get(resource).map_or(u64::MAX, |(soft, _)| soft);
        self.cpu_limit.store(soft(RLIMIT_CPU).saturating_mul(1_000_000_000), Ordering::Relaxed);
        self.file_size_limit.store(soft(RLIMIT_FSIZE), Ordering::Relaxed);
        let descriptors = u32::try_from(soft(RLIMIT_NOFILE)).unwrap_or(u32::MAX);
        drop(rlimits);
        self.files.lock().set_limit(descriptors);
    }

    /// The most linear memory that RLIMIT_AS allows, in bytes.
    pub(crate) fn address_space(&self) -> u64 {
        self.rlimits.lock().get(RLIMIT_AS).map_or(u64::MAX, |(soft, _)| soft)
    }

    /// Whether RLIMIT_FSIZE is set.
    pub(crate) fn limits_files(&self) -> bool {
        self.file_size_limit.load(Ordering::Relaxed) != u64::MAX
    }

    /// How many of `count` bytes RLIMIT_FSIZE allows to be written at an offset of a file. `None`: not one.
    pub(crate) fn writable(&self, offset: u64, count: usize) -> Option<usize> {
        let room = self.file_size_limit.load(Ordering::Relaxed).saturating_sub(offset);
        let count = count.min(usize::try_from(room).unwrap_or(usize::MAX));
        (count > 0 || room > 0).then_some(count)
    }

    /// CPU time in nanoseconds. In metered code it is computed from the instructions.
    pub(crate) fn cpu(&self) -> u64 {
        if self.job.is_metered() {
            crate::clock::of_fuel(self.meter.settled())
        } else {
            self.cpu.load(Ordering::Relaxed)
        }
    }

    pub(crate) fn charge_time(&self, time: Duration) {
        let nanos = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        self.cpu.fetch_add(nanos, Ordering::Relaxed);
        self.job.charge_time(nanos);
        self.check_cpu_limit();
    }

    /// Ends the process when RLIMIT_CPU is exceeded.
    pub(crate) fn check_cpu_limit(&self) {
        if self.cpu() > self.cpu_limit.load(Ordering::Relaxed)
            && let Ok(signal) = u8::try_from(signal::CPU_EXHAUSTED)
        {
            self.gate.kill(signal);
        }
    }

    /// Waits for `future`. `EINTR` if a caught signal is pending first.
    pub(crate) async fn interruptible<T>(&self, future: impl Future<Output = Result<T>>) -> Result<T> {
        let mut future = pin!(future);
        poll_fn(|cx| match future.as_mut().poll(cx) {
            Poll::Ready(result) => Poll::Ready(result),
            // Whoever sends the signal wakes this task: the gate has its waker.
            Poll::Pending if self.signals.is_pending() => Poll::Ready(Err(Errno::INTR)),
            Poll::Pending => Poll::Pending,
        })
        .await
    }

    /// Ends the time slice within a long host function, so that other processes get their turn and this one can be
    /// stopped.
    pub(crate) async fn yield_in_host(&self) {
        self.gate.preempt();
        self.in_host(crate::scheduler::yield_now()).await;
    }

    /// Awaits `future` in a host function. Meanwhile the process counts as waiting.
    pub(crate) async fn in_host<T>(&self, future: impl Future<Output = T>) -> T {
        let before = self.gate.is_waiting();
        self.gate.set_in_host(true);
        let done = future.await;
        self.gate.set_in_host(before);
        done
    }

    /// Waits until the gate is open. A process that was just stopped or killed executes nothing more.
    pub(crate) async fn checkpoint(&self) {
        poll_fn(|_| if self.gate.is_closed() { Poll::Pending } else { Poll::Ready(()) }).await;
    }
}
