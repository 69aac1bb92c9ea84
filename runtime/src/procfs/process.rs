//! The files of one process.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};

use sandshell_vfs::{
    Context, Errno, LinkTarget, Location, MagicLink, Metadata, Result, SyntheticBody, SyntheticDirectory,
    SyntheticNode,
};

use super::PER_PROCESS;
use crate::fd::{READ, WRITE};
use crate::kernel::KernelInner;
use crate::process::Process;
use crate::process::table::State;

/// The directory of the process `pid`.
pub(super) fn directory(kernel: &Arc<KernelInner>, pid: u32) -> SyntheticNode {
    let contents = ProcessDirectory { kernel: Arc::downgrade(kernel), pid };
    super::directory(inode(pid, 0), 0o555, kernel.owner, contents)
}

fn inode(pid: u32, file: u64) -> u64 {
    u64::from(pid) * PER_PROCESS + file
}

/// Where the descriptors' inode numbers begin.
const DESCRIPTORS: u64 = 1 << 16;

struct ProcessDirectory {
    kernel: Weak<KernelInner>,
    pid: u32,
}

const NAMES: [&[u8]; 11] = [
    b"cmdline", b"comm", b"cwd", b"environ", b"exe", b"fd", b"mounts", b"root", b"stat", b"statm", b"status",
];

type Contents = fn(&KernelInner, &Process) -> Result<Vec<u8>>;

impl ProcessDirectory {
    fn file(&self, owner: (u32, u32), ino: u64, mode: u32, contents: Contents) -> SyntheticNode {
        let (kernel, pid) = (self.kernel.clone(), self.pid);
        super::file(ino, mode, owner, move |_| {
            let (kernel, process) = find(&kernel, pid)?;
            contents(&kernel, &process)
        })
    }

    fn link(&self, owner: (u32, u32), ino: u64, place: Place) -> SyntheticNode {
        let magic = PlaceLink { kernel: self.kernel.clone(), pid: self.pid, place };
        let body = SyntheticBody::Magic(Arc::new(magic));
        SyntheticNode { ino, mode: 0o777, uid: owner.0, gid: owner.1, body }
    }
}

impl SyntheticDirectory for ProcessDirectory {
    fn lookup(&self, _: &Context, name: &[u8]) -> Result<SyntheticNode> {
        let (_, process) = find(&self.kernel, self.pid)?;
        let owner = (process.uid, process.gid);
        let index = NAMES.iter().position(|known| *known == name).ok_or(Errno::NoEnt)?;
        let ino = inode(self.pid, 1 + index as u64);
        Ok(match name {
            b"cmdline" => self.file(owner, ino, 0o444, |_, process| Ok(joined(&process.identity().argv))),
            b"environ" => self.file(owner, ino, 0o400, |_, process| Ok(joined(&process.identity().env))),
            b"comm" => {
                self.file(owner, ino, 0o644, |_, process| Ok([process.identity().comm(), b"\n"].concat()))
            }
            b"mounts" => self.file(owner, ino, 0o444, |kernel, _| Ok(mounts(kernel))),
            b"stat" => self.file(owner, ino, 0o444, stat),
            b"statm" => self.file(owner, ino, 0o444, |_, process| {
                let pages = process.memory.load(Ordering::Relaxed) / 4096;
                Ok(format!("{pages} {pages} 0 0 0 {pages} 0\n").into_bytes())
            }),
            b"status" => self.file(owner, ino, 0o444, status),
            b"cwd" => self.link(owner, ino, Place::Cwd),
            b"exe" => self.link(owner, ino, Place::Exe),
            b"root" => self.link(owner, ino, Place::Root),
            b"fd" => {
                let contents = Descriptors { kernel: self.kernel.clone(), pid: self.pid };
                super::directory(ino, 0o500, owner, contents)
            }
            _ => return Err(Errno::NoEnt),
        })
    }

    fn list(&self, cx: &Context) -> Result<Vec<(Box<[u8]>, SyntheticNode)>> {
        NAMES.iter().map(|name| Ok((Box::from(*name), self.lookup(cx, name)?))).collect()
    }
}

fn find(kernel: &Weak<KernelInner>, pid: u32) -> Result<(Arc<KernelInner>, Arc<Process>)> {
    let kernel = kernel.upgrade().ok_or(Errno::NoEnt)?;
    let process = kernel.table.lock().get(pid).map(|entry| entry.process.clone());
    Ok((kernel, process.ok_or(Errno::NoEnt)?))
}

fn joined(strings: &[Vec<u8>]) -> Vec<u8> {
    strings.iter().flat_map(|text| text.iter().copied().chain([0])).collect()
}

fn mounts(kernel: &KernelInner) -> Vec<u8> {
    let mut text = Vec::new();
    for mount in kernel.namespace.mounts() {
        let options: &[u8] = if mount.read_only { b" sandshell ro 0 0\n" } else { b" sandshell rw 0 0\n" };
        text.extend_from_slice(b"sandshell ");
        for byte in &mount.path {
            match byte {
                // Linux escapes these, because they would end a field.
                b' ' | b'\t' | b'\n' | b'\\' => text.extend_from_slice(format!("\\{byte:03o}").as_bytes()),
                _ => text.push(*byte),
            }
        }
        text.extend_from_slice(options);
    }
    text
}

/// Parent, group, session, and the state's letter with its name.
fn family(kernel: &KernelInner, pid: u32) -> Result<(u32, u32, u32, &'static str)> {
    let table = kernel.table.lock();
    let entry = table.get(pid).ok_or(Errno::NoEnt)?;
    let state = match entry.state {
        State::Zombie(_) => "Z (zombie)",
        State::Stopped => "T (stopped)",
        State::Running if entry.process.gate.is_waiting() => "S (sleeping)",
        State::Running => "R (running)",
    };
    Ok((entry.parent, entry.group, entry.session, state))
}

/// Linux's clock ticks per second, the unit of times in `stat`.
const TICKS: u64 = 100;

fn stat(kernel: &KernelInner, process: &Process) -> Result<Vec<u8>> {
    let (parent, group, session, state) = family(kernel, process.pid)?;
    let ticks = |nanos: u64| nanos / (1_000_000_000 / TICKS);
    let identity = process.identity();
    let memory = process.memory.load(Ordering::Relaxed);
    let children = process.children_cpu.load(Ordering::Relaxed);
    let foreground = process.job.foreground.load(Ordering::Relaxed);
    let (tty, foreground) =
        if process.job.terminal.is_some() { (0x8800, i64::from(foreground)) } else { (0, -1) };
    let text = format!(
        "{} ({}) {} {parent} {group} {session} {tty} {foreground} 0 0 0 0 0 {} 0 {} 0 20 0 1 0 {} {memory} {} \
         18446744073709551615 0 0 0 0 0 {} {} {} 0 0 0 17 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n",
        process.pid,
        String::from_utf8_lossy(identity.comm()),
        &state[..1],
        ticks(process.cpu()),
        ticks(children),
        ticks(process.started),
        memory / 4096,
        process.signals.pending_mask(),
        process.signals.ignored_mask(),
        process.signals.caught_mask(),
    );
    Ok(text.into_bytes())
}

fn status(kernel: &KernelInner, process: &Process) -> Result<Vec<u8>> {
    let (parent, _, _, state) = family(kernel, process.pid)?;
    let identity = process.identity();
    let kib = process.memory.load(Ordering::Relaxed) / 1024;
    let (uid, gid) = (process.uid, process.gid);
    let text = format!(
        "Name:\t{}\nUmask:\t{:04o}\nState:\t{state}\nTgid:\t{pid}\nPid:\t{pid}\nPPid:\t{parent}\nTracerPid:\t0\n\
         Uid:\t{uid}\t{uid}\t{uid}\t{uid}\nGid:\t{gid}\t{gid}\t{gid}\t{gid}\nFDSize:\t64\nVmSize:\t{kib:8} kB\n\
         VmRSS:\t{kib:8} kB\nThreads:\t1\nShdPnd:\t{:016x}\nSigIgn:\t{:016x}\nSigCgt:\t{:016x}\n",
        String::from_utf8_lossy(identity.comm()),
        process.umask.load(Ordering::Relaxed),
        process.signals.pending_mask(),
        process.signals.ignored_mask(),
        process.signals.caught_mask(),
        pid = process.pid,
    );
    Ok(text.into_bytes())
}

#[derive(Clone, Copy)]
enum Place {
    Cwd,
    Exe,
    Root,
}

/// `cwd`, `exe` and `root`.
struct PlaceLink {
    kernel: Weak<KernelInner>,
    pid: u32,
    place: Place,
}

impl PlaceLink {
    fn location(&self, cx: &Context) -> Result<Location> {
        let (kernel, process) = find(&self.kernel, self.pid)?;
        match self.place {
            Place::Cwd => Ok(process.cwd()),
            Place::Root => Ok(kernel.namespace.root()),
            Place::Exe => {
                let exe = process.identity().exe.clone();
                let root = kernel.namespace.root();
                kernel.namespace.resolve(cx, &root, &exe, sandshell_vfs::Follow::Yes)
            }
        }
    }
}

impl MagicLink for PlaceLink {
    fn text(&self, cx: &Context) -> Result<Vec<u8>> {
        let (kernel, process) = find(&self.kernel, self.pid)?;
        if let Place::Exe = self.place {
            return Ok(process.identity().exe.clone());
        }
        kernel.namespace.absolute_path(&self.location(cx)?)
    }

    fn target(&self, cx: &Context) -> Result<LinkTarget> {
        self.location(cx).map(LinkTarget::Location)
    }

    fn metadata(&self, cx: &Context) -> Result<Metadata> {
        self.location(cx)?.metadata()
    }
}

/// `/proc/PID/fd`.
struct Descriptors {
    kernel: Weak<KernelInner>,
    pid: u32,
}

impl Descriptors {
    fn node(&self, process: &Process, fd: u32) -> SyntheticNode {
        let body =
            SyntheticBody::Magic(Arc::new(DescriptorLink { kernel: self.kernel.clone(), pid: self.pid, fd }));
        let ino = inode(self.pid, DESCRIPTORS + u64::from(fd));
        // As on Linux, they tell what the descriptor was opened for.
        let flags = process.files.lock().get(fd).map_or(0, |descriptor| descriptor.description.flags());
        let read = if flags & READ == 0 { 0 } else { 0o400 };
        let write = if flags & WRITE == 0 { 0 } else { 0o200 };
        SyntheticNode { ino, mode: 0o100 | read | write, uid: process.uid, gid: process.gid, body }
    }
}

impl SyntheticDirectory for Descriptors {
    fn lookup(&self, _: &Context, name: &[u8]) -> Result<SyntheticNode> {
        let (_, process) = find(&self.kernel, self.pid)?;
        let text = std::str::from_utf8(name).map_err(|_| Errno::NoEnt)?;
        let fd: u32 = text.parse().map_err(|_| Errno::NoEnt)?;
        if fd.to_string() != text || process.files.lock().get(fd).is_err() {
            return Err(Errno::NoEnt);
        }
        Ok(self.node(&process, fd))
    }

    fn list(&self, _: &Context) -> Result<Vec<(Box<[u8]>, SyntheticNode)>> {
        let (_, process) = find(&self.kernel, self.pid)?;
        let open: Vec<u32> = process.files.lock().iter().map(|(fd, _)| fd).collect();
        let node = |fd: u32| (fd.to_string().into_bytes().into_boxed_slice(), self.node(&process, fd));
        Ok(open.into_iter().map(node).collect())
    }
}

/// `/proc/PID/fd/N`.
struct DescriptorLink {
    kernel: Weak<KernelInner>,
    pid: u32,
    fd: u32,
}

impl MagicLink for DescriptorLink {
    fn text(&self, _: &Context) -> Result<Vec<u8>> {
        let (kernel, process) = find(&self.kernel, self.pid)?;
        let description = process.files.lock().get(self.fd).map_err(|_| Errno::NoEnt)?.description.clone();
        match description.location() {
            Some(location) => match kernel.namespace.absolute_path(location) {
                Err(Errno::NoEnt) => Ok(b"(deleted)".to_vec()),
                path => path,
            },
            None => Ok(description.anonymous_name().into_bytes()),
        }
    }

    fn target(&self, _: &Context) -> Result<LinkTarget> {
        let (_, process) = find(&self.kernel, self.pid)?;
        let files = process.files.lock();
        let descriptor = files.get(self.fd).map_err(|_| Errno::NoEnt)?;
        let location = descriptor.description.location().cloned();
        Ok(LinkTarget::Descriptor { pid: self.pid, fd: self.fd, location })
    }

    fn metadata(&self, _: &Context) -> Result<Metadata> {
        let (_, process) = find(&self.kernel, self.pid)?;
        let description = process.files.lock().get(self.fd).map_err(|_| Errno::NoEnt)?.description.clone();
        Ok(description.metadata((process.uid, process.gid))?)
    }
}
