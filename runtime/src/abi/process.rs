//! Processes: spawn, clone, exec, wait, ids, limits, times.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use wasmtime::{Caller, Linker};

use super::{MODULE, async_host_fn, host_fn};
use crate::error::{Errno, Error, Result};
use crate::execution::clone;
use crate::execution::exec::Waiter;
use crate::execution::exec::{self, Request};
use crate::execution::run::Start;
use crate::execution::unwind::Unwind;
use crate::fd::table::{Descriptor, FdTable};
use crate::guest::image::Image;
use crate::guest::{Guest, Mem, split};
use crate::kernel::wait;
use crate::kernel::{Family, KernelInner, Refused};
use crate::process::table::INIT;
use crate::process::{Process, Setup};

pub(crate) const SETPGID: u32 = 1;
pub(crate) const RESET_SIGNALS: u32 = 2;
/// For `clone`: the child is a process substitution of the caller, whose output the command waits for.
pub(crate) const SUBSTITUTION: u32 = 4;
/// The new process group gets the terminal.
const FOREGROUND: u32 = 8;
/// In a descriptor map, in place of the parent's descriptor: close the child's.
pub(crate) const CLOSE: u32 = u32::MAX;

pub(super) fn add_to_linker(linker: &mut Linker<Guest>) -> wasmtime::Result<()> {
    async_host_fn!(linker, MODULE, "spawn", spawn, (request: u32, out: u32));
    async_host_fn!(linker, MODULE, "clone", clone_process, (entry: u32, argument: u32, flags: u32, out: u32));
    async_host_fn!(linker, MODULE, "wait", wait_child, (pid: i32, flags: u32, out: u32));
    linker.func_wrap_async(MODULE, "exec", |mut caller: Caller<'_, Guest>, (request,): (u32,)| {
        Box::new(async move {
            caller.data().process.gate.set_in_host(true);
            let result = exec_program(&mut caller, request).await;
            let process = &caller.data().process;
            process.checkpoint().await;
            process.gate.set_in_host(false);
            match result {
                Ok(()) => Err(wasmtime::Error::from(Unwind::Exec)),
                Err(errno) => Ok(i32::from(errno.0)),
            }
        })
    })?;
    linker.func_wrap(MODULE, "getpid", |caller: Caller<'_, Guest>| caller.data().process.pid)?;
    linker.func_wrap(MODULE, "getppid", |caller: Caller<'_, Guest>| {
        let guest = caller.data();
        guest.kernel.table.lock().get(guest.process.pid).map_or(INIT, |entry| entry.parent)
    })?;
    host_fn!(linker, MODULE, "getpgid", getpgid, (pid: i32, out: u32));
    host_fn!(linker, MODULE, "setpgid", setpgid, (pid: i32, pgid: i32));
    host_fn!(linker, MODULE, "setsid", setsid, (out: u32));
    host_fn!(linker, MODULE, "getids", getids, (out: u32));
    linker.func_wrap(MODULE, "umask", |caller: Caller<'_, Guest>, mask: u32| {
        caller.data().process.umask.swap(mask & 0o777, Ordering::Relaxed)
    })?;
    host_fn!(linker, MODULE, "times", times, (out: u32));
    host_fn!(linker, MODULE, "getrlimit", getrlimit, (resource: u32, out: u32));
    host_fn!(linker, MODULE, "setrlimit", setrlimit, (resource: u32, soft: u64, hard: u64));
    host_fn!(linker, MODULE, "applet", applet, (buf: u32, len: u32, out: u32));
    linker.func_wrap(MODULE, "nproc", |caller: Caller<'_, Guest>| caller.data().kernel.cpus)?;
    host_fn!(linker, MODULE, "hostname", hostname, (buf: u32, len: u32, out: u32));
    Ok(())
}

/// A program to be started, as its parent asks for it.
pub(crate) struct SpawnRequest {
    pub(crate) request: Request,
    /// (child's descriptor, parent's descriptor or [`CLOSE`])
    pub(crate) fds: Vec<(u32, u32)>,
    /// Empty: the parent's.
    pub(crate) cwd: Vec<u8>,
    pub(crate) flags: u32,
    pub(crate) pgid: u32,
    /// Whether it becomes the leader of a new session.
    pub(crate) session: bool,
    /// `None`: the parent's.
    pub(crate) umask: Option<u32>,
}

fn read_request(mem: &Mem<'_>, at: u32) -> Result<SpawnRequest> {
    let raw: [u8; 48] = mem.array(at)?;
    let mut words = raw.chunks_exact(4).map(|word| word.try_into().map(u32::from_le_bytes).unwrap_or(0));
    let mut next = || words.next().unwrap_or(0);
    let path = mem.path(next(), next())?.to_vec();
    let argv = mem.slice(next(), next())?;
    let env = mem.slice(next(), next())?;
    if argv.len().saturating_add(env.len()) > MAX_STRINGS {
        return Err(Errno::TOO_BIG);
    }
    let fds = pairs(mem, next(), next())?;
    let cwd = mem.path(next(), next())?.to_vec();
    let request = Request { path, argv: strings(argv), env: strings(env) };
    Ok(SpawnRequest { request, fds, cwd, flags: next(), pgid: next(), session: false, umask: None })
}

/// The same limit as exec's, so that nothing is copied that exec would refuse.
const MAX_STRINGS: usize = 2 << 20;
/// Far more than any caller needs; bounds the host's work.
const MAX_PAIRS: u32 = 4096;

fn pairs(mem: &Mem<'_>, at: u32, count: u32) -> Result<Vec<(u32, u32)>> {
    if count > MAX_PAIRS {
        return Err(Errno::INVAL);
    }
    let table = mem.slice(at, count * 8)?;
    let word = |bytes: &[u8]| bytes.try_into().map(u32::from_le_bytes).map_err(|_| Errno::FAULT);
    table.chunks_exact(8).map(|pair| Ok((word(&pair[..4])?, word(&pair[4..])?))).collect()
}

/// Splits consecutive NUL-terminated strings.
fn strings(block: &[u8]) -> Vec<Vec<u8>> {
    block
        .split_inclusive(|byte| *byte == 0)
        .map(|text| text.strip_suffix(b"\0").unwrap_or(text).to_vec())
        .collect()
}

async fn spawn(caller: &mut Caller<'_, Guest>, request: u32, out: u32) -> Result<()> {
    let (mem, guest) = split(caller)?;
    let request = read_request(&mem, request)?;
    mem.slice(out, 4)?;
    let (kernel, parent) = (guest.kernel.clone(), guest.process.clone());
    let pid = start(&kernel, &parent, request).await?;
    split(caller)?.0.write_u32(out, pid)
}

/// Starts a program as a child of `parent`.
pub(crate) async fn start(
    kernel: &Arc<KernelInner>,
    parent: &Arc<Process>,
    request: SpawnRequest,
) -> Result<u32> {
    let SpawnRequest { request, fds, cwd, flags, pgid, session, umask } = request;
    let cx = parent.context();
    let cwd = if cwd.is_empty() { parent.cwd() } else { directory(kernel, &cx, &parent.cwd(), &cwd)? };
    let waiter = Waiter::Process(&parent.job);
    let mut image =
        exec::load(kernel, &cx, &cwd, request, &waiter).await.map_err(|failure| waiter.record(failure))?;
    let files = child_descriptors(&parent.files.lock(), &fds)?;
    let signals = parent.signals.for_exec(flags & RESET_SIGNALS != 0);
    let slots = note_pool_limit(parent, kernel.take_slots(1))?;
    note_pool_limit(parent, image.reserve(kernel))?;
    let group = if session { Group::Session } else { Group::requested(flags, pgid) };
    let process = child(kernel, parent, group, |started| Setup {
        pid: 0,
        owner: (parent.uid, parent.gid),
        job: parent.job.clone(),
        signals,
        files,
        cwd,
        umask: umask.unwrap_or_else(|| parent.umask.load(Ordering::Relaxed)) & 0o777,
        identity: image.identity.clone(),
        rlimits: parent.rlimits.lock().clone(),
        started,
        substitution_of: None,
    })?;
    process.has_executed.store(true, Ordering::Relaxed);
    give_terminal(kernel, parent, &process, flags);
    let pid = process.pid;
    kernel.launch(process, Start::Image(image), slots);
    Ok(pid)
}

async fn clone_process(
    caller: &mut Caller<'_, Guest>,
    entry: u32,
    argument: u32,
    flags: u32,
    out: u32,
) -> Result<()> {
    let (mem, guest) = split(caller)?;
    mem.slice(out, 4)?;
    let (kernel, parent) = (guest.kernel.clone(), guest.process.clone());
    let slots = note_pool_limit(&parent, kernel.take_slots(1))?;
    let group = Group::requested(flags & 0xff, flags >> 8);
    let process = child(&kernel, &parent, group, |started| Setup {
        pid: 0,
        owner: (parent.uid, parent.gid),
        job: parent.job.clone(),
        signals: parent.signals.for_clone(),
        files: parent.files.lock().clone(),
        cwd: parent.cwd(),
        umask: parent.umask.load(Ordering::Relaxed),
        identity: parent.identity(),
        rlimits: parent.rlimits.lock().clone(),
        started,
        substitution_of: (flags & SUBSTITUTION != 0).then(|| Arc::downgrade(&parent)),
    })?;
    let pending = PendingProcess { kernel: &kernel, process: Some(process) };
    let cloned = clone::copy(caller, pending.process()?, entry, argument).await?;
    let process = pending.commit()?;
    give_terminal(&kernel, &parent, &process, flags);
    let pid = process.pid;
    kernel.launch(process, Start::Clone(Box::new(cloned)), slots);
    split(caller)?.0.write_u32(out, pid)
}

/// Makes the child's process group the foreground, if that was asked for and the parent is in the foreground. A child
/// that reads at once would otherwise be stopped before a shell could do this.
fn give_terminal(kernel: &KernelInner, parent: &Process, child: &Process, flags: u32) {
    if flags & (SETPGID | FOREGROUND) != SETPGID | FOREGROUND {
        return;
    }
    let table = kernel.table.lock();
    let group = |pid| table.get(pid).map(|entry| entry.group);
    let foreground = &parent.job.foreground;
    if let (Some(own), Some(new)) = (group(parent.pid), group(child.pid))
        && foreground.load(Ordering::Relaxed) == own
    {
        foreground.store(new, Ordering::Relaxed);
    }
}

/// A process that executes nothing yet. If the copy fails or the parent is killed meanwhile, it is removed from the
/// table again.
struct PendingProcess<'a> {
    kernel: &'a crate::kernel::KernelInner,
    process: Option<Arc<Process>>,
}

impl PendingProcess<'_> {
    fn process(&self) -> Result<&Arc<Process>> {
        self.process.as_ref().ok_or(Errno::SRCH)
    }

    fn commit(mut self) -> Result<Arc<Process>> {
        self.process.take().ok_or(Errno::SRCH)
    }
}

impl Drop for PendingProcess<'_> {
    fn drop(&mut self) {
        if let Some(process) = &self.process {
            self.kernel.abandon(process);
        }
    }
}

/// Turns a refusal by the engine into `EAGAIN`, and records the limit in the command's outcome.
fn note_pool_limit<T>(process: &Process, taken: std::result::Result<T, Error>) -> Result<T> {
    taken.map_err(|error| {
        if let Error::Limit(limit) = error {
            process.job.record_limit(limit);
        }
        Errno::AGAIN
    })
}

/// The process group of a child.
enum Group {
    Parents,
    Own,
    Existing(u32),
    /// A new group in a new session.
    Session,
}

impl Group {
    fn requested(flags: u32, pgid: u32) -> Group {
        match (flags & SETPGID != 0, pgid) {
            (false, _) => Group::Parents,
            (true, 0) => Group::Own,
            (true, group) => Group::Existing(group),
        }
    }
}

fn child(
    kernel: &KernelInner,
    parent: &Process,
    group: Group,
    setup: impl FnOnce(u64) -> Setup,
) -> Result<Arc<Process>> {
    use crate::process::RLIMIT_NPROC;
    let (group, session) = {
        let table = kernel.table.lock();
        let entry = table.get(parent.pid).ok_or(Errno::SRCH)?;
        let (soft, _) = parent.rlimits.lock().get(RLIMIT_NPROC)?;
        // A lower limit that the process has set itself is not reported to the host.
        if soft < u64::from(kernel.limits.processes) && table.len() as u64 >= soft {
            return Err(Errno::AGAIN);
        }
        match group {
            Group::Parents => (Some(entry.group), Some(entry.session)),
            Group::Own => (None, Some(entry.session)),
            Group::Existing(group) if table.group_exists(group, entry.session) => {
                (Some(group), Some(entry.session))
            }
            Group::Existing(_) => return Err(Errno::PERM),
            Group::Session => (None, None),
        }
    };
    let family = Family { parent: parent.pid, group, session };
    kernel.create(family, setup(kernel.clock.monotonic())).map_err(|refused| match refused {
        Refused::Limit(_) => Errno::AGAIN,
        Refused::Errno(errno) => errno,
    })
}

/// The child's descriptors: the parent's that are not close-on-exec, changed by the map.
fn child_descriptors(parent: &FdTable, fds: &[(u32, u32)]) -> Result<FdTable> {
    let mut files = parent.for_exec();
    for (child, from) in fds {
        if *from == CLOSE {
            // Closing a descriptor that is not open is no error here, as in a shell's `>&-`.
            let _ = files.remove(*child);
        } else {
            let mut descriptor: Descriptor = parent.get(*from)?.clone();
            descriptor.close_on_exec = false;
            files.replace(*child, descriptor)?;
        }
    }
    Ok(files)
}

pub(crate) fn directory(
    kernel: &KernelInner,
    cx: &sandshell_vfs::Context,
    base: &sandshell_vfs::Location,
    path: &[u8],
) -> Result<sandshell_vfs::Location> {
    let location = kernel.namespace.resolve(cx, base, path, sandshell_vfs::Follow::Yes)?;
    if location.kind() != sandshell_vfs::FileKind::Directory {
        return Err(Errno::NOTDIR);
    }
    kernel.namespace.access(cx, &location, b".", sandshell_vfs::Follow::Yes, 1)?;
    Ok(location)
}

async fn exec_program(caller: &mut Caller<'_, Guest>, request: u32) -> Result<()> {
    let (mem, guest) = split(caller)?;
    let request = read_request(&mem, request)?;
    let (kernel, process) = (guest.kernel.clone(), guest.process.clone());
    let image = replace(&kernel, &process, request).await?;
    caller.data_mut().exec = Some(image);
    Ok(())
}

/// Prepares `process` to execute another program, and returns its image.
pub(crate) async fn replace(
    kernel: &Arc<KernelInner>,
    process: &Arc<Process>,
    request: SpawnRequest,
) -> Result<Image> {
    let SpawnRequest { request, fds, cwd, flags, pgid, session, umask } = request;
    let cx = process.context();
    let cwd = if cwd.is_empty() { process.cwd() } else { directory(kernel, &cx, &process.cwd(), &cwd)? };
    let waiter = Waiter::Process(&process.job);
    let mut image =
        exec::load(kernel, &cx, &cwd, request, &waiter).await.map_err(|failure| waiter.record(failure))?;
    note_pool_limit(process, image.reserve(kernel))?;
    let files = child_descriptors(&process.files.lock(), &fds)?;
    if flags & SETPGID != 0 {
        set_group(kernel, process.pid, process.pid, pgid)?;
    }
    if session {
        new_session(kernel, process.pid)?;
    }
    if let Some(umask) = umask {
        process.umask.store(umask & 0o777, Ordering::Relaxed);
    }
    let old = files.succeed(&mut process.files.lock());
    drop(old);
    *process.cwd.lock() = cwd;
    *process.identity.lock() = image.identity.clone();
    process.signals.exec(flags & RESET_SIGNALS != 0);
    process.has_executed.store(true, Ordering::Relaxed);
    Ok(image)
}

async fn wait_child(caller: &mut Caller<'_, Guest>, pid: i32, flags: u32, out: u32) -> Result<()> {
    let known = wait::NOHANG | wait::UNTRACED | wait::CONTINUED;
    if flags & !known != 0 {
        return Err(Errno::INVAL);
    }
    let (mem, guest) = split(caller)?;
    mem.slice(out, 32)?;
    let (kernel, process) = (guest.kernel.clone(), guest.process.clone());
    let report = wait::wait(&kernel, &process, pid, flags).await?.unwrap_or_default();
    let mut bytes = [0; 32];
    bytes[..4].copy_from_slice(&report.pid.to_le_bytes());
    bytes[4..8].copy_from_slice(&report.kind.to_le_bytes());
    bytes[8..12].copy_from_slice(&report.value.to_le_bytes());
    bytes[16..24].copy_from_slice(&report.cpu.to_le_bytes());
    split(caller)?.0.write(out, &bytes)
}

/// Resolves a pid argument (0: the caller).
fn target(guest: &Guest, pid: i32) -> Result<u32> {
    match pid {
        0 => Ok(guest.process.pid),
        1.. => Ok(pid.unsigned_abs()),
        _ => Err(Errno::INVAL),
    }
}

fn getpgid(caller: &mut Caller<'_, Guest>, pid: i32, out: u32) -> Result<()> {
    let (mut mem, guest) = split(caller)?;
    let pid = target(guest, pid)?;
    let group = guest.kernel.table.lock().get(pid).ok_or(Errno::SRCH)?.group;
    mem.write_u32(out, group)
}

fn setpgid(caller: &mut Caller<'_, Guest>, pid: i32, pgid: i32) -> Result<()> {
    let guest = caller.data();
    let pid = target(guest, pid)?;
    let pgid = u32::try_from(pgid).map_err(|_| Errno::INVAL)?;
    set_group(&guest.kernel, guest.process.pid, pid, pgid)
}

/// `setpgid(2)`: moves the caller, or one of its children that has not called exec, to a group of the same session.
pub(crate) fn set_group(kernel: &KernelInner, caller: u32, pid: u32, pgid: u32) -> Result<()> {
    let mut table = kernel.table.lock();
    let session = table.get(caller).ok_or(Errno::SRCH)?.session;
    let entry = table.get(pid).ok_or(Errno::SRCH)?;
    if pid != caller && entry.parent != caller {
        return Err(Errno::SRCH);
    }
    if pid != caller && entry.process.has_executed.load(Ordering::Relaxed) {
        return Err(Errno::ACCES);
    }
    if entry.session != session || entry.session == pid {
        return Err(Errno::PERM);
    }
    let group = if pgid == 0 { pid } else { pgid };
    if group != pid && !table.group_exists(group, session) {
        return Err(Errno::PERM);
    }
    if let Some(entry) = table.get_mut(pid) {
        entry.group = group;
    }
    Ok(())
}

fn setsid(caller: &mut Caller<'_, Guest>, out: u32) -> Result<()> {
    let (mut mem, guest) = split(caller)?;
    mem.slice(out, 4)?;
    new_session(&guest.kernel, guest.process.pid)?;
    mem.write_u32(out, guest.process.pid)
}

/// `setsid(2)`. `EPERM` for the leader of a process group.
pub(crate) fn new_session(kernel: &KernelInner, pid: u32) -> Result<()> {
    let mut table = kernel.table.lock();
    if table.iter().any(|(_, entry)| entry.group == pid) {
        return Err(Errno::PERM);
    }
    let entry = table.get_mut(pid).ok_or(Errno::SRCH)?;
    (entry.group, entry.session) = (pid, pid);
    Ok(())
}

fn getids(caller: &mut Caller<'_, Guest>, out: u32) -> Result<()> {
    let (mut mem, guest) = split(caller)?;
    mem.slice(out, 8)?;
    mem.write_u32(out, guest.process.uid)?;
    mem.write_u32(out.wrapping_add(4), guest.process.gid)
}

fn times(caller: &mut Caller<'_, Guest>, out: u32) -> Result<()> {
    let (mut mem, guest) = split(caller)?;
    let own = guest.process.cpu();
    let children = guest.process.children_cpu.load(Ordering::Relaxed);
    mem.slice(out, 32)?;
    for (offset, value) in [(0, own), (8, 0), (16, children), (24, 0)] {
        mem.write_u64(out.wrapping_add(offset), value)?;
    }
    Ok(())
}

fn getrlimit(caller: &mut Caller<'_, Guest>, resource: u32, out: u32) -> Result<()> {
    let (mut mem, guest) = split(caller)?;
    mem.slice(out, 16)?;
    let (soft, hard) = guest.process.rlimits.lock().get(resource)?;
    mem.write_u64(out, soft)?;
    mem.write_u64(out.wrapping_add(8), hard)
}

fn setrlimit(caller: &mut Caller<'_, Guest>, resource: u32, soft: u64, hard: u64) -> Result<()> {
    let process = &caller.data().process;
    process.rlimits.lock().set(resource, soft, hard)?;
    process.apply_limits();
    Ok(())
}

fn applet(caller: &mut Caller<'_, Guest>, buf: u32, len: u32, out: u32) -> Result<()> {
    let (mut mem, guest) = split(caller)?;
    let identity = guest.process.identity();
    mem.write_buffer(buf, len, out, &identity.applet, true)
}

fn hostname(caller: &mut Caller<'_, Guest>, buf: u32, len: u32, out: u32) -> Result<()> {
    let (mut mem, guest) = split(caller)?;
    mem.write_buffer(buf, len, out, &guest.kernel.hostname, true)
}
