//! Files by path.

use std::sync::atomic::Ordering;

use sandshell_vfs::{FileKind, Follow, Location, OpenOptions};
use wasmtime::{Caller, Linker};

use super::MODULE;
use super::file::{note_space, set_times, write_filestat};
use super::rights;
use crate::abi::{async_host_fn, host_fn};
use crate::error::{Errno, Result};
use crate::fd::confine::confine;
use crate::fd::table::{CWD_FD, Descriptor, ROOT_FD};
use crate::fd::{APPEND, Object, READ, WRITE};
use crate::guest::{Guest, Mem, split};
use crate::io::open;
use crate::offload::{At, by_path};

/// lookupflags: follow a symbolic link in the last component.
const SYMLINK_FOLLOW: u32 = 1;

const CREAT: u32 = 1;
const DIRECTORY: u32 = 2;
const EXCL: u32 = 4;
const TRUNC: u32 = 8;

pub(super) fn add_to_linker(linker: &mut Linker<Guest>) -> wasmtime::Result<()> {
    async_host_fn!(linker, MODULE, "path_open", path_open,
        (dirfd: u32, lookup: u32, path: u32, len: u32, oflags: u32,
         base: u64, inheriting: u64, fdflags: u32, out: u32));
    host_fn!(linker, MODULE, "path_create_directory", path_create_directory, (dirfd: u32, path: u32, len: u32));
    host_fn!(linker, MODULE, "path_filestat_get", path_filestat_get,
        (dirfd: u32, lookup: u32, path: u32, len: u32, out: u32));
    async_host_fn!(linker, MODULE, "path_filestat_set_times", path_filestat_set_times,
        (dirfd: u32, lookup: u32, path: u32, len: u32, atime: u64, mtime: u64, flags: u32));
    async_host_fn!(linker, MODULE, "path_link", path_link,
        (old_fd: u32, lookup: u32, old: u32, old_len: u32, new_fd: u32, new: u32, new_len: u32));
    host_fn!(linker, MODULE, "path_readlink", path_readlink,
        (dirfd: u32, path: u32, len: u32, buf: u32, buf_len: u32, out: u32));
    async_host_fn!(linker, MODULE, "path_remove_directory", path_remove_directory, (dirfd: u32, path: u32, len: u32));
    async_host_fn!(linker, MODULE, "path_rename", path_rename,
        (old_fd: u32, old: u32, old_len: u32, new_fd: u32, new: u32, new_len: u32));
    host_fn!(linker, MODULE, "path_symlink", path_symlink,
        (target: u32, target_len: u32, dirfd: u32, path: u32, len: u32));
    async_host_fn!(linker, MODULE, "path_unlink_file", path_unlink_file, (dirfd: u32, path: u32, len: u32));
    Ok(())
}

/// A directory and a path relative to it, checked against the descriptor's rights and confinement.
struct Place<'a> {
    base: Location,
    path: &'a [u8],
    inheriting: u64,
    confined: bool,
}

impl Place<'_> {
    fn at(&self) -> At<'_> {
        At { base: &self.base, path: self.path }
    }
}

fn place<'a>(
    guest: &Guest,
    mem: &'a Mem<'_>,
    (dirfd, path, len): (u32, u32, u32),
    needed: u64,
    follow: Follow,
) -> Result<Place<'a>> {
    let path = mem.path(path, len)?;
    if std::str::from_utf8(path).is_err() && !guest.program.native {
        return Err(Errno::ILSEQ);
    }
    if matches!(dirfd, ROOT_FD | CWD_FD) && guest.program.native {
        let base = open::base(&guest.kernel, &guest.process, dirfd)?;
        return Ok(Place { base, path, inheriting: u64::MAX, confined: false });
    }
    let (base, inheriting, confined) = {
        let files = guest.process.files.lock();
        let descriptor = files.get(dirfd)?;
        let Object::Directory { location, .. } = &descriptor.description.object else {
            return Err(Errno::NOTDIR);
        };
        if descriptor.rights & needed != needed {
            return Err(Errno::NOTCAPABLE);
        }
        (location.clone(), descriptor.inheriting, descriptor.confined)
    };
    if confined {
        confine(&guest.kernel.namespace, &guest.context(), &base, path, follow)?;
    }
    Ok(Place { base, path, inheriting, confined })
}

fn following(lookup: u32) -> Result<Follow> {
    match lookup {
        0 => Ok(Follow::No),
        SYMLINK_FOLLOW => Ok(Follow::Yes),
        _ => Err(Errno::INVAL),
    }
}

#[allow(clippy::too_many_arguments, reason = "WASI's path_open has as many")]
async fn path_open(
    caller: &mut Caller<'_, Guest>,
    dirfd: u32,
    lookup: u32,
    path: u32,
    len: u32,
    oflags: u32,
    base_rights: u64,
    inheriting: u64,
    fdflags: u32,
    out: u32,
) -> Result<()> {
    let (mem, guest) = split(caller)?;
    mem.slice(out, 4)?;
    if oflags & !15 != 0 || fdflags & !rights::ALL_FLAGS != 0 {
        return Err(Errno::INVAL);
    }
    let needed = rights::PATH_OPEN
        | if oflags & CREAT != 0 { rights::PATH_CREATE_FILE } else { 0 }
        | if oflags & TRUNC != 0 { rights::PATH_FILESTAT_SET_SIZE } else { 0 };
    let follow = following(lookup)?;
    let place = place(guest, &mem, (dirfd, path, len), needed, follow)?;
    if place.inheriting != u64::MAX
        && base_rights & (rights::FD_READ | rights::FD_WRITE) & !place.inheriting != 0
    {
        return Err(Errno::NOTCAPABLE);
    }
    let read = base_rights & (rights::FD_READ | rights::FD_READDIR) != 0;
    let write = base_rights & (rights::FD_WRITE | rights::FD_ALLOCATE | rights::FD_FILESTAT_SET_SIZE) != 0;
    let how = OpenOptions {
        read,
        write,
        append: false,
        create: oflags & CREAT != 0,
        exclusive: oflags & EXCL != 0,
        truncate: oflags & TRUNC != 0,
        directory: oflags & DIRECTORY != 0,
        nofollow: follow == Follow::No,
        mode: 0o666 & !guest.process.umask.load(Ordering::Relaxed),
    };
    // A caller that asks for a right of directories besides the right to write data asks for every right there is, and
    // may mean a directory.
    let writes = base_rights & rights::FD_WRITE != 0 && base_rights & rights::FD_READDIR == 0;
    let how = if writes { how } else { directory_aware(guest, &place, how) };
    let mut status = if how.read { READ } else { 0 } | if how.write { WRITE } else { 0 };
    status |= rights::status_flags(fdflags);
    debug_assert!(status & APPEND == 0 || fdflags & 1 != 0);
    let opened = open::open(&guest.kernel, &guest.process, &place.base, place.path, &how, status).await;
    let description = note_space(guest, opened)?;
    let mut descriptor = Descriptor::new(description, false);
    descriptor.confined = place.confined;
    if place.inheriting != u64::MAX {
        descriptor.rights = base_rights & place.inheriting;
        descriptor.inheriting = inheriting & place.inheriting;
    }
    let inserted = guest.process.files.lock().insert(descriptor, 0);
    let fd = inserted.map_err(|errno| crate::abi::note_limit(guest, errno))?;
    split(caller)?.0.write_u32(out, fd)
}

/// Drops write access when a directory is opened. Programs ask for every right there is, or for some that only files
/// have, and on a directory those mean nothing. (A caller that asks for the right to write data alone, or to read and
/// write it, gets `EISDIR`.)
fn directory_aware(guest: &Guest, place: &Place<'_>, how: OpenOptions) -> OpenOptions {
    if !how.write || how.create || how.truncate || !how.directory {
        return how;
    }
    let follow = if how.nofollow { Follow::No } else { Follow::Yes };
    let found = guest.kernel.namespace.resolve(&guest.context(), &place.base, place.path, follow);
    match found {
        Ok(location) if location.kind() == FileKind::Directory => OpenOptions { write: false, ..how },
        _ => how,
    }
}

fn path_create_directory(caller: &mut Caller<'_, Guest>, dirfd: u32, path: u32, len: u32) -> Result<()> {
    let (mem, guest) = split(caller)?;
    let place = place(guest, &mem, (dirfd, path, len), rights::PATH_CREATE_DIRECTORY, Follow::No)?;
    let mode = 0o777 & !guest.process.umask.load(Ordering::Relaxed);
    let created = guest.kernel.namespace.create_dir(&guest.context(), &place.base, place.path, mode);
    note_space(guest, created.map_err(Errno::from))
}

fn path_filestat_get(
    caller: &mut Caller<'_, Guest>,
    dirfd: u32,
    lookup: u32,
    path: u32,
    len: u32,
    out: u32,
) -> Result<()> {
    let (mut mem, guest) = split(caller)?;
    let metadata = {
        let follow = following(lookup)?;
        let place = place(guest, &mem, (dirfd, path, len), rights::PATH_FILESTAT_GET, follow)?;
        guest.kernel.namespace.metadata(&guest.context(), &place.base, place.path, follow)?
    };
    write_filestat(&mut mem, out, &metadata)
}

#[allow(clippy::too_many_arguments, reason = "WASI's function has as many")]
async fn path_filestat_set_times(
    caller: &mut Caller<'_, Guest>,
    dirfd: u32,
    lookup: u32,
    path: u32,
    len: u32,
    atime: u64,
    mtime: u64,
    flags: u32,
) -> Result<()> {
    let (mem, guest) = split(caller)?;
    let follow = following(lookup)?;
    let place = place(guest, &mem, (dirfd, path, len), rights::PATH_FILESTAT_SET_TIMES, follow)?;
    let attributes = set_times(atime, mtime, flags)?;
    by_path(&guest.kernel, &guest.process, &[place.at()], move |namespace, cx, at| {
        namespace.set_attributes(cx, at[0].base, at[0].path, follow, &attributes)
    })
    .await
}

#[allow(clippy::too_many_arguments, reason = "WASI's function has as many")]
async fn path_link(
    caller: &mut Caller<'_, Guest>,
    old_fd: u32,
    lookup: u32,
    old: u32,
    old_len: u32,
    new_fd: u32,
    new: u32,
    new_len: u32,
) -> Result<()> {
    let (mem, guest) = split(caller)?;
    let follow = following(lookup)?;
    let old = place(guest, &mem, (old_fd, old, old_len), rights::PATH_LINK_SOURCE, follow)?;
    let new = place(guest, &mem, (new_fd, new, new_len), rights::PATH_LINK_TARGET, Follow::No)?;
    by_path(&guest.kernel, &guest.process, &[old.at(), new.at()], move |namespace, cx, at| {
        namespace.hard_link(cx, at[0].base, at[0].path, follow, at[1].base, at[1].path)
    })
    .await
}

fn path_readlink(
    caller: &mut Caller<'_, Guest>,
    dirfd: u32,
    path: u32,
    len: u32,
    buf: u32,
    buf_len: u32,
    out: u32,
) -> Result<()> {
    let (mut mem, guest) = split(caller)?;
    let target = {
        let place = place(guest, &mem, (dirfd, path, len), rights::PATH_READLINK, Follow::No)?;
        guest.kernel.namespace.read_link(&guest.context(), &place.base, place.path)?
    };
    mem.write_buffer(buf, buf_len, out, &target, false)
}

async fn path_remove_directory(
    caller: &mut Caller<'_, Guest>,
    dirfd: u32,
    path: u32,
    len: u32,
) -> Result<()> {
    let (mem, guest) = split(caller)?;
    let place = place(guest, &mem, (dirfd, path, len), rights::PATH_REMOVE_DIRECTORY, Follow::No)?;
    by_path(&guest.kernel, &guest.process, &[place.at()], |namespace, cx, at| {
        namespace.remove_dir(cx, at[0].base, at[0].path)
    })
    .await
}

async fn path_rename(
    caller: &mut Caller<'_, Guest>,
    old_fd: u32,
    old: u32,
    old_len: u32,
    new_fd: u32,
    new: u32,
    new_len: u32,
) -> Result<()> {
    let (mem, guest) = split(caller)?;
    let old = place(guest, &mem, (old_fd, old, old_len), rights::PATH_RENAME_SOURCE, Follow::No)?;
    let new = place(guest, &mem, (new_fd, new, new_len), rights::PATH_RENAME_TARGET, Follow::No)?;
    by_path(&guest.kernel, &guest.process, &[old.at(), new.at()], |namespace, cx, at| {
        namespace.rename(cx, at[0].base, at[0].path, at[1].base, at[1].path)
    })
    .await
}

fn path_symlink(
    caller: &mut Caller<'_, Guest>,
    target: u32,
    target_len: u32,
    dirfd: u32,
    path: u32,
    len: u32,
) -> Result<()> {
    let (mem, guest) = split(caller)?;
    let place = place(guest, &mem, (dirfd, path, len), rights::PATH_SYMLINK, Follow::No)?;
    let target = mem.path(target, target_len)?;
    if place.confined && target.starts_with(b"/") {
        return Err(Errno::PERM);
    }
    Ok(guest.kernel.namespace.symlink(&guest.context(), target, &place.base, place.path)?)
}

async fn path_unlink_file(caller: &mut Caller<'_, Guest>, dirfd: u32, path: u32, len: u32) -> Result<()> {
    let (mem, guest) = split(caller)?;
    let place = place(guest, &mem, (dirfd, path, len), rights::PATH_UNLINK_FILE, Follow::No)?;
    by_path(&guest.kernel, &guest.process, &[place.at()], |namespace, cx, at| {
        namespace.unlink(cx, at[0].base, at[0].path)
    })
    .await
}
