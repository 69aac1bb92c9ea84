//! Files by path: attributes and other operations that WASI lacks.

use std::sync::atomic::Ordering;

use sandshell_vfs::{Context, File, FileKind, Follow, Location, Metadata, SetAttributes, SetTime, Time};
use wasmtime::{Caller, Linker};

use super::{MODULE, async_host_fn, host_fn};
use crate::error::{Errno, Result};
use crate::fd::table::ROOT_FD;
use crate::fd::{Description, Object};
use crate::guest::{Guest, Mem, split};
use crate::io::check_file_size;
use crate::io::open;
use crate::offload::{At, by_file, by_path};

/// Flag: do not follow a symbolic link in the last component.
const NOFOLLOW: u32 = 1;
const KEEP: u32 = u32::MAX;
const UTIME_NOW: u32 = 0x3fff_ffff;
const UTIME_OMIT: u32 = 0x3fff_fffe;

pub(super) fn add_to_linker(linker: &mut Linker<Guest>) -> wasmtime::Result<()> {
    host_fn!(linker, MODULE, "stat", stat, (dirfd: i32, path: u32, len: u32, flags: u32, out: u32));
    host_fn!(linker, MODULE, "fstat", fstat, (fd: u32, out: u32));
    async_host_fn!(linker, MODULE, "chmod", chmod, (dirfd: i32, path: u32, len: u32, mode: u32, flags: u32));
    async_host_fn!(linker, MODULE, "fchmod", fchmod, (fd: u32, mode: u32));
    async_host_fn!(linker, MODULE, "chown", chown,
        (dirfd: i32, path: u32, len: u32, uid: u32, gid: u32, flags: u32));
    host_fn!(linker, MODULE, "access", access, (dirfd: i32, path: u32, len: u32, mask: u32, flags: u32));
    host_fn!(linker, MODULE, "mkdir", mkdir, (dirfd: i32, path: u32, len: u32, mode: u32));
    host_fn!(linker, MODULE, "mknod", mknod, (dirfd: i32, path: u32, len: u32, mode: u32));
    host_fn!(linker, MODULE, "statfs", statfs, (path: u32, len: u32, out: u32));
    async_host_fn!(linker, MODULE, "truncate", truncate, (dirfd: i32, path: u32, len: u32, size: u64));
    async_host_fn!(linker, MODULE, "unlink", unlink, (dirfd: i32, path: u32, len: u32, flags: u32));
    async_host_fn!(linker, MODULE, "rename", rename, (d1: i32, p1: u32, l1: u32, d2: i32, p2: u32, l2: u32));
    async_host_fn!(linker, MODULE, "link", link,
        (d1: i32, p1: u32, l1: u32, d2: i32, p2: u32, l2: u32, flags: u32));
    host_fn!(linker, MODULE, "symlink", symlink, (target: u32, target_len: u32, dirfd: i32, path: u32, len: u32));
    host_fn!(linker, MODULE, "readlink", readlink,
        (dirfd: i32, path: u32, len: u32, buf: u32, buf_len: u32, out: u32));
    async_host_fn!(linker, MODULE, "utimens", utimens,
        (dirfd: i32, path: u32, len: u32, flags: u32,
         atime: i64, atime_nanos: u32, mtime: i64, mtime_nanos: u32));
    host_fn!(linker, MODULE, "chdir", chdir, (dirfd: i32, path: u32, len: u32));
    host_fn!(linker, MODULE, "getcwd", getcwd, (buf: u32, len: u32, out: u32));
    Ok(())
}

/// The directory that a path is relative to.
fn base(guest: &Guest, dirfd: u32) -> Result<Location> {
    open::base(&guest.kernel, &guest.process, dirfd)
}

fn follow(flags: u32) -> Follow {
    if flags & NOFOLLOW != 0 { Follow::No } else { Follow::Yes }
}

/// The description of a descriptor. The caller handles [`ROOT_FD`], which is not in the table (`EBADF`).
fn description(guest: &Guest, fd: u32) -> Result<std::sync::Arc<Description>> {
    Ok(guest.process.files.lock().get(fd)?.description.clone())
}

fn write_stat(mem: &mut Mem<'_>, out: u32, metadata: &Metadata) -> Result<()> {
    let mut bytes = Vec::with_capacity(96);
    let wide = [metadata.dev, metadata.ino, metadata.nlink, metadata.size, metadata.blocks, metadata.rdev];
    for value in wide {
        bytes.extend_from_slice(&value.to_le_bytes());
    }
    let times = [metadata.atime, metadata.mtime, metadata.ctime];
    for time in times {
        bytes.extend_from_slice(&time.secs.to_le_bytes());
    }
    for time in times {
        bytes.extend_from_slice(&time.nanos.to_le_bytes());
    }
    for value in [metadata.kind.format_bits() | metadata.mode, metadata.uid, metadata.gid] {
        bytes.extend_from_slice(&value.to_le_bytes());
    }
    mem.write(out, &bytes)
}

fn stat(caller: &mut Caller<'_, Guest>, dirfd: i32, path: u32, len: u32, flags: u32, out: u32) -> Result<()> {
    let (mut mem, guest) = split(caller)?;
    let metadata = {
        let path = mem.path(path, len)?;
        let fd = dirfd.cast_unsigned();
        if path.is_empty() && dirfd >= 0 && fd != ROOT_FD {
            description(guest, fd)?.metadata((guest.process.uid, guest.process.gid))?
        } else {
            let base = base(guest, fd)?;
            let path = if path.is_empty() && fd == ROOT_FD { b"." } else { path };
            guest.kernel.namespace.metadata(&guest.context(), &base, path, follow(flags))?
        }
    };
    write_stat(&mut mem, out, &metadata)
}

fn fstat(caller: &mut Caller<'_, Guest>, fd: u32, out: u32) -> Result<()> {
    let (mut mem, guest) = split(caller)?;
    let metadata = if fd == ROOT_FD {
        guest.kernel.namespace.root().metadata()?
    } else {
        description(guest, fd)?.metadata((guest.process.uid, guest.process.gid))?
    };
    write_stat(&mut mem, out, &metadata)
}

/// Changes attributes of the file at (dirfd, path). An empty path means the descriptor itself.
async fn set_attributes(
    guest: &Guest,
    mem: &Mem<'_>,
    at: (i32, u32, u32),
    flags: u32,
    attributes: SetAttributes,
) -> Result<()> {
    let (dirfd, path, len) = at;
    let path = mem.path(path, len)?;
    let fd = dirfd.cast_unsigned();
    if path.is_empty() && dirfd >= 0 && fd != ROOT_FD {
        return set_attributes_open(guest, fd, attributes).await;
    }
    let base = base(guest, fd)?;
    let follow = follow(flags);
    let places = [At { base: &base, path }];
    let changed = by_path(&guest.kernel, &guest.process, &places, move |namespace, cx, at| {
        namespace.set_attributes(cx, at[0].base, at[0].path, follow, &attributes)
    });
    changed.await
}

async fn set_attributes_open(guest: &Guest, fd: u32, attributes: SetAttributes) -> Result<()> {
    let description = description(guest, fd)?;
    match &description.object {
        Object::File { .. } | Object::Directory { .. } => {
            let work = move |file: &dyn File, cx: &Context| file.set_attributes(cx, &attributes);
            by_file(&guest.kernel, &guest.process, &description, work).await
        }
        _ => match description.location() {
            Some(location) => Ok(location.set_attributes(&guest.context(), &attributes)?),
            // As on Linux, changing the mode of an anonymous pipe succeeds without any effect.
            None => Ok(()),
        },
    }
}

async fn chmod(
    caller: &mut Caller<'_, Guest>,
    dirfd: i32,
    path: u32,
    len: u32,
    mode: u32,
    flags: u32,
) -> Result<()> {
    let (mem, guest) = split(caller)?;
    let attributes = SetAttributes { mode: Some(mode & 0o7777), ..SetAttributes::default() };
    set_attributes(guest, &mem, (dirfd, path, len), flags, attributes).await
}

async fn fchmod(caller: &mut Caller<'_, Guest>, fd: u32, mode: u32) -> Result<()> {
    let attributes = SetAttributes { mode: Some(mode & 0o7777), ..SetAttributes::default() };
    set_attributes_open(caller.data(), fd, attributes).await
}

async fn chown(
    caller: &mut Caller<'_, Guest>,
    dirfd: i32,
    path: u32,
    len: u32,
    uid: u32,
    gid: u32,
    flags: u32,
) -> Result<()> {
    let (mem, guest) = split(caller)?;
    let attributes = SetAttributes {
        uid: (uid != KEEP).then_some(uid),
        gid: (gid != KEEP).then_some(gid),
        ..SetAttributes::default()
    };
    set_attributes(guest, &mem, (dirfd, path, len), flags, attributes).await
}

fn access(
    caller: &mut Caller<'_, Guest>,
    dirfd: i32,
    path: u32,
    len: u32,
    mask: u32,
    flags: u32,
) -> Result<()> {
    let (mem, guest) = split(caller)?;
    let base = base(guest, dirfd.cast_unsigned())?;
    let path = mem.path(path, len)?;
    Ok(guest.kernel.namespace.access(&guest.context(), &base, path, follow(flags), mask)?)
}

fn apply_umask(guest: &Guest, mode: u32) -> u32 {
    mode & 0o7777 & !guest.process.umask.load(Ordering::Relaxed)
}

fn mkdir(caller: &mut Caller<'_, Guest>, dirfd: i32, path: u32, len: u32, mode: u32) -> Result<()> {
    let (mem, guest) = split(caller)?;
    let base = base(guest, dirfd.cast_unsigned())?;
    let path = mem.path(path, len)?;
    Ok(guest.kernel.namespace.create_dir(&guest.context(), &base, path, apply_umask(guest, mode))?)
}

fn mknod(caller: &mut Caller<'_, Guest>, dirfd: i32, path: u32, len: u32, mode: u32) -> Result<()> {
    let (mem, guest) = split(caller)?;
    let kind = match FileKind::from_mode(mode) {
        Some(kind @ (FileKind::Fifo | FileKind::Socket | FileKind::Regular)) => kind,
        Some(FileKind::CharDevice | FileKind::BlockDevice) => return Err(Errno::PERM),
        _ => return Err(Errno::INVAL),
    };
    let base = base(guest, dirfd.cast_unsigned())?;
    let path = mem.path(path, len)?;
    Ok(guest.kernel.namespace.make_node(&guest.context(), &base, path, kind, apply_umask(guest, mode))?)
}

fn statfs(caller: &mut Caller<'_, Guest>, path: u32, len: u32, out: u32) -> Result<()> {
    let (mut mem, guest) = split(caller)?;
    let namespace = &guest.kernel.namespace;
    let at = namespace.resolve(&guest.context(), &guest.process.cwd(), mem.path(path, len)?, Follow::Yes)?;
    let stat = namespace.stat_fs(&at)?;
    let fields = [
        stat.block_size,
        stat.blocks,
        stat.blocks_free,
        stat.blocks_available,
        stat.files,
        stat.files_free,
        stat.kind,
        stat.name_length,
    ];
    let bytes: Vec<u8> = fields.iter().flat_map(|field| field.to_le_bytes()).collect();
    mem.write(out, &bytes)
}

async fn truncate(caller: &mut Caller<'_, Guest>, dirfd: i32, path: u32, len: u32, size: u64) -> Result<()> {
    let (mem, guest) = split(caller)?;
    if i64::try_from(size).is_err() {
        return Err(Errno::INVAL);
    }
    if guest.process.limits_files() && size > 0 && len > 0 {
        let name = mem.path(path, len)?;
        let base = base(guest, dirfd.cast_unsigned())?;
        let known = guest.kernel.namespace.metadata(&guest.context(), &base, name, Follow::Yes)?;
        if size > known.size {
            check_file_size(&guest.kernel, &guest.process, size - 1, 1)?;
        }
    }
    let attributes = SetAttributes { size: Some(size), ..SetAttributes::default() };
    set_attributes(guest, &mem, (dirfd, path, len), 0, attributes).await
}

async fn unlink(caller: &mut Caller<'_, Guest>, dirfd: i32, path: u32, len: u32, flags: u32) -> Result<()> {
    let (mem, guest) = split(caller)?;
    let base = base(guest, dirfd.cast_unsigned())?;
    let path = mem.path(path, len)?;
    let places = [At { base: &base, path }];
    let removed = by_path(&guest.kernel, &guest.process, &places, move |namespace, cx, at| {
        if flags & 1 != 0 {
            namespace.remove_dir(cx, at[0].base, at[0].path)
        } else {
            namespace.unlink(cx, at[0].base, at[0].path)
        }
    });
    removed.await
}

async fn rename(
    caller: &mut Caller<'_, Guest>,
    d1: i32,
    p1: u32,
    l1: u32,
    d2: i32,
    p2: u32,
    l2: u32,
) -> Result<()> {
    let (mem, guest) = split(caller)?;
    let (old_base, new_base) = (base(guest, d1.cast_unsigned())?, base(guest, d2.cast_unsigned())?);
    let (old, new) = (mem.path(p1, l1)?, mem.path(p2, l2)?);
    let places = [At { base: &old_base, path: old }, At { base: &new_base, path: new }];
    by_path(&guest.kernel, &guest.process, &places, |namespace, cx, at| {
        namespace.rename(cx, at[0].base, at[0].path, at[1].base, at[1].path)
    })
    .await
}

#[allow(clippy::too_many_arguments, reason = "the guest ABI has as many")]
async fn link(
    caller: &mut Caller<'_, Guest>,
    d1: i32,
    p1: u32,
    l1: u32,
    d2: i32,
    p2: u32,
    l2: u32,
    flags: u32,
) -> Result<()> {
    let (mem, guest) = split(caller)?;
    let (old_base, new_base) = (base(guest, d1.cast_unsigned())?, base(guest, d2.cast_unsigned())?);
    let (old, new) = (mem.path(p1, l1)?, mem.path(p2, l2)?);
    let follow = if flags & 1 != 0 { Follow::Yes } else { Follow::No };
    let places = [At { base: &old_base, path: old }, At { base: &new_base, path: new }];
    by_path(&guest.kernel, &guest.process, &places, move |namespace, cx, at| {
        namespace.hard_link(cx, at[0].base, at[0].path, follow, at[1].base, at[1].path)
    })
    .await
}

fn symlink(
    caller: &mut Caller<'_, Guest>,
    target: u32,
    target_len: u32,
    dirfd: i32,
    path: u32,
    len: u32,
) -> Result<()> {
    let (mem, guest) = split(caller)?;
    let base = base(guest, dirfd.cast_unsigned())?;
    let (target, path) = (mem.path(target, target_len)?, mem.path(path, len)?);
    Ok(guest.kernel.namespace.symlink(&guest.context(), target, &base, path)?)
}

fn readlink(
    caller: &mut Caller<'_, Guest>,
    dirfd: i32,
    path: u32,
    len: u32,
    buf: u32,
    buf_len: u32,
    out: u32,
) -> Result<()> {
    let (mut mem, guest) = split(caller)?;
    let base = base(guest, dirfd.cast_unsigned())?;
    let target = guest.kernel.namespace.read_link(&guest.context(), &base, mem.path(path, len)?)?;
    mem.write_buffer(buf, buf_len, out, &target, false)
}

#[allow(clippy::too_many_arguments, reason = "the guest ABI has as many")]
async fn utimens(
    caller: &mut Caller<'_, Guest>,
    dirfd: i32,
    path: u32,
    len: u32,
    flags: u32,
    atime: i64,
    atime_nanos: u32,
    mtime: i64,
    mtime_nanos: u32,
) -> Result<()> {
    let (mem, guest) = split(caller)?;
    let time = |secs, nanos| match nanos {
        UTIME_NOW => Ok(Some(SetTime::Now)),
        UTIME_OMIT => Ok(None),
        0..1_000_000_000 => Ok(Some(SetTime::At(Time { secs, nanos }))),
        _ => Err(Errno::INVAL),
    };
    let attributes = SetAttributes {
        atime: time(atime, atime_nanos)?,
        mtime: time(mtime, mtime_nanos)?,
        ..SetAttributes::default()
    };
    set_attributes(guest, &mem, (dirfd, path, len), flags, attributes).await
}

fn chdir(caller: &mut Caller<'_, Guest>, dirfd: i32, path: u32, len: u32) -> Result<()> {
    let (mem, guest) = split(caller)?;
    let path = mem.path(path, len)?;
    let from: Location = base(guest, dirfd.cast_unsigned())?;
    let cwd = if path.is_empty() && dirfd >= 0 {
        super::process::directory(&guest.kernel, &guest.context(), &from, b".")?
    } else {
        super::process::directory(&guest.kernel, &guest.context(), &from, path)?
    };
    *guest.process.cwd.lock() = cwd;
    Ok(())
}

fn getcwd(caller: &mut Caller<'_, Guest>, buf: u32, len: u32, out: u32) -> Result<()> {
    let (mut mem, guest) = split(caller)?;
    let path = guest.kernel.namespace.absolute_path(&guest.process.cwd())?;
    mem.write_buffer(buf, len, out, &path, true)
}
