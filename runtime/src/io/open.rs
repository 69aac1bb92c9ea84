//! Opens paths of files, directories, FIFOs, devices and other processes' descriptors.

use std::future::poll_fn;
use std::sync::Arc;

use parking_lot::Mutex;
use sandshell_vfs::{Location, OpenOptions, Opened};

use crate::error::{Errno, Result};
use crate::fd::device::Device;
use crate::fd::{Description, NONBLOCK, Object, READ, WRITE};
use crate::kernel::KernelInner;
use crate::offload::{At, by_path};
use crate::process::Process;
use crate::random::RandomStream;

/// Opens `path`, and waits for the other end of a FIFO as POSIX says. `flags` are the access and status flags of the
/// description.
pub(crate) async fn open(
    kernel: &Arc<KernelInner>,
    process: &Arc<Process>,
    base: &Location,
    path: &[u8],
    how: &OpenOptions,
    flags: u32,
) -> Result<Arc<Description>> {
    let how = *how;
    let places = [At { base, path }];
    let opened = by_path(kernel, process, &places, move |namespace, cx, at| {
        namespace.open(cx, at[0].base, at[0].path, &how)
    });
    match opened.await? {
        Opened::File { file, location } => Ok(Description::new(Object::File { file, location }, flags)),
        Opened::Directory { file, location } => {
            Ok(Description::new(Object::Directory { file, location }, flags))
        }
        Opened::Fifo { location, key } => fifo(kernel, process, location, key, flags).await,
        Opened::Device { location, rdev } => device(kernel, process, location, rdev, flags),
        Opened::Descriptor { pid, fd } => reopen(kernel, process, pid, fd, how, flags).await,
    }
}

async fn fifo(
    kernel: &KernelInner,
    process: &Arc<Process>,
    location: Location,
    key: sandshell_vfs::FileKey,
    flags: u32,
) -> Result<Arc<Description>> {
    let (read, write) = (flags & READ != 0, flags & WRITE != 0);
    let pipe = kernel.fifo(key, &process.job)?;
    if flags & NONBLOCK != 0 && write && !read && !pipe.has_readers() {
        return Err(Errno::NXIO);
    }
    let end = pipe.open(read, write);
    if flags & NONBLOCK == 0 && read != write {
        let seen = end.peer_opens();
        process.interruptible(poll_fn(|cx| end.poll_peer(cx, seen).map(Ok))).await?;
    }
    Ok(Description::new(Object::Pipe { end, location: Some(location) }, flags))
}

fn device(
    kernel: &KernelInner,
    process: &Process,
    location: Location,
    rdev: u32,
    flags: u32,
) -> Result<Arc<Description>> {
    let device = Device::from_number(rdev).ok_or(Errno::NXIO)?;
    if device == Device::Tty {
        let terminal = process.job.terminal.clone().ok_or(Errno::NXIO)?;
        return Ok(Description::new(Object::Terminal(terminal), flags));
    }
    // A device's bytes must not repeat those that the process gets by random_get.
    let random = Mutex::new(RandomStream::new(kernel.random, process.pid ^ 0x8000_0000));
    Ok(Description::new(Object::Device { device, location: Some(location), random }, flags))
}

/// Opens `/proc/PID/fd/N`: a file is opened again, a pipe gets another end, and any other object's description is
/// shared.
async fn reopen(
    kernel: &Arc<KernelInner>,
    process: &Arc<Process>,
    pid: u32,
    fd: u32,
    how: OpenOptions,
    flags: u32,
) -> Result<Arc<Description>> {
    let owner = kernel.table.lock().get(pid).map(|entry| entry.process.clone());
    let description =
        owner.ok_or(Errno::NOENT)?.files.lock().get(fd).map_err(|_| Errno::NOENT)?.description.clone();
    match &description.object {
        Object::File { location, .. } | Object::Directory { location, .. } => {
            let places = [At { base: location, path: b"" }];
            let opened = by_path(kernel, process, &places, move |namespace, cx, at| {
                namespace.open_location(cx, at[0].base, &how)
            });
            match opened.await? {
                Opened::File { file, location } => {
                    Ok(Description::new(Object::File { file, location }, flags))
                }
                Opened::Directory { file, location } => {
                    Ok(Description::new(Object::Directory { file, location }, flags))
                }
                _ => Err(Errno::NXIO),
            }
        }
        Object::Pipe { end, location } => {
            let end = end.reopen(flags & READ != 0, flags & WRITE != 0);
            Ok(Description::new(Object::Pipe { end, location: location.clone() }, flags))
        }
        Object::Socket(_) => Err(Errno::NXIO),
        _ if flags & (READ | WRITE) & !description.flags() != 0 => Err(Errno::ACCES),
        _ => Ok(description.clone()),
    }
}

/// The directory that a path is relative to.
pub(crate) fn base(kernel: &KernelInner, process: &Process, dirfd: u32) -> Result<Location> {
    use crate::fd::table::{CWD_FD, ROOT_FD};
    match dirfd {
        CWD_FD => Ok(process.cwd()),
        ROOT_FD => Ok(kernel.namespace.root()),
        fd => {
            let description = process.files.lock().get(fd)?.description.clone();
            match &description.object {
                Object::Directory { location, .. } => Ok(location.clone()),
                _ => Err(Errno::NOTDIR),
            }
        }
    }
}
