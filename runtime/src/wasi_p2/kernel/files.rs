//! `sandshell:kernel/files`: files by path and by descriptor.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use sandshell_vfs::{
    Context, DirEntry, File, FileKind, Follow, Location, Metadata, Namespace, OpenOptions, SetAttributes,
    SetTime, Time,
};

use super::descriptors::{O_APPEND, O_NONBLOCK};
use super::files_interface::{Attributes, HeldLock, Host, Name, Space};
use super::status::nanoseconds;
use super::{KernelResult, State, answer, as_waiting_call, descriptors, poll, status};
use crate::abi::lock;
use crate::error::{Errno, Result};
use crate::fd::{APPEND, Description, NONBLOCK, Object, READ, WRITE};
use crate::io::transfer::{MAX_TRANSFER, write_all};
use crate::io::{check_file_size, note_space, open, sockets, transfer};
use crate::offload::{At, by_file, by_path};

const O_ACCMODE: u32 = 0o3;
const O_WRONLY: u32 = 0o1;
const O_RDWR: u32 = 0o2;
const O_CREAT: u32 = 0o100;
const O_EXCL: u32 = 0o200;
const O_TRUNC: u32 = 0o1000;
const O_DIRECTORY: u32 = 0o200_000;
const O_NOFOLLOW: u32 = 0o400_000;
const O_CLOEXEC: u32 = 0o2_000_000;

/// Linux's PATH_MAX without the final NUL.
const MAX_PATH: usize = 4095;
const NANOS: i64 = 1_000_000_000;

fn following(follow: bool) -> Follow {
    if follow { Follow::Yes } else { Follow::No }
}

fn set_time(nanos: Option<i64>) -> Option<SetTime> {
    Some(match nanos {
        None => SetTime::Now,
        Some(nanos) => SetTime::At(Time {
            secs: nanos.div_euclid(NANOS),
            nanos: u32::try_from(nanos.rem_euclid(NANOS)).unwrap_or(0),
        }),
    })
}

fn attributes(metadata: &Metadata) -> Attributes {
    Attributes {
        dev: metadata.dev,
        ino: metadata.ino,
        nlink: metadata.nlink,
        size: metadata.size,
        blocks: metadata.blocks,
        rdev: metadata.rdev,
        mode: metadata.kind.format_bits() | metadata.mode,
        uid: metadata.uid,
        gid: metadata.gid,
        atime: nanoseconds(metadata.atime),
        mtime: nanoseconds(metadata.mtime),
        ctime: nanoseconds(metadata.ctime),
    }
}

/// The directory that a path is relative to, after checking the path.
fn place(state: &State, dirfd: i32, path: &[u8]) -> Result<Location> {
    if path.len() > MAX_PATH {
        return Err(Errno::NAMETOOLONG);
    }
    if path.contains(&0) {
        return Err(Errno::INVAL);
    }
    open::base(&state.kernel, &state.process, dirfd.cast_unsigned())
}

impl State {
    pub(super) fn description_of(&self, fd: u32) -> Result<Arc<Description>> {
        Ok(self.process.files.lock().get(fd)?.description.clone())
    }

    fn apply_umask(&self, mode: u32) -> u32 {
        mode & 0o7777 & !self.process.umask.load(Ordering::Relaxed)
    }

    async fn open_fd(&mut self, dirfd: i32, path: &[u8], flags: u32, mode: u32) -> Result<u32> {
        let description = self.open_description(dirfd, path, flags, mode).await?;
        descriptors::insert(self, description, 0, flags & O_CLOEXEC != 0)
    }

    /// As [`open_fd`](Self::open_fd), also returning the type bits of the file's mode and its size. `EISDIR`
    /// for directories.
    async fn open_with_type(
        &mut self,
        dirfd: i32,
        path: &[u8],
        flags: u32,
        mode: u32,
    ) -> Result<(u32, u32, u64)> {
        let description = self.open_description(dirfd, path, flags, mode).await?;
        let metadata = match &description.object {
            Object::File { file, .. } => file.metadata_when_opened()?,
            _ => description.metadata((self.process.uid, self.process.gid))?,
        };
        if metadata.kind == FileKind::Directory {
            return Err(Errno::ISDIR);
        }
        let fd = descriptors::insert(self, description, 0, flags & O_CLOEXEC != 0)?;
        Ok((fd, metadata.kind.format_bits(), metadata.size))
    }

    async fn open_description(
        &mut self,
        dirfd: i32,
        path: &[u8],
        flags: u32,
        mode: u32,
    ) -> Result<Arc<Description>> {
        let base = place(self, dirfd, path)?;
        let access = match flags & O_ACCMODE {
            0 => READ,
            O_WRONLY => WRITE,
            O_RDWR => READ | WRITE,
            _ => return Err(Errno::INVAL),
        };
        let how = OpenOptions {
            read: access & READ != 0,
            write: access & WRITE != 0,
            append: flags & O_APPEND != 0 && access & WRITE != 0,
            create: flags & O_CREAT != 0,
            exclusive: flags & O_EXCL != 0,
            truncate: flags & O_TRUNC != 0,
            directory: flags & O_DIRECTORY != 0,
            nofollow: flags & O_NOFOLLOW != 0,
            mode: self.apply_umask(mode),
        };
        let append = if flags & O_APPEND != 0 { APPEND } else { 0 };
        let nonblock = if flags & O_NONBLOCK != 0 { NONBLOCK } else { 0 };
        let opened = open::open(&self.kernel, &self.process, &base, path, &how, access | append | nonblock);
        note_space(&self.process, opened.await)
    }

    async fn set_attributes_at(
        &mut self,
        dirfd: i32,
        path: &[u8],
        follow: bool,
        attributes: SetAttributes,
    ) -> Result<()> {
        let base = place(self, dirfd, path)?;
        let follow = following(follow);
        let places = [At { base: &base, path }];
        let set = by_path(&self.kernel, &self.process, &places, move |namespace, cx, at| {
            namespace.set_attributes(cx, at[0].base, at[0].path, follow, &attributes)
        });
        as_waiting_call(&self.process, set).await
    }

    async fn set_attributes_open(&mut self, fd: u32, attributes: SetAttributes) -> Result<()> {
        let description = self.description_of(fd)?;
        match &description.object {
            Object::File { .. } | Object::Directory { .. } => {
                let work = move |file: &dyn File, cx: &Context| file.set_attributes(cx, &attributes);
                as_waiting_call(&self.process, by_file(&self.kernel, &self.process, &description, work)).await
            }
            _ => match description.location() {
                Some(location) => Ok(location.set_attributes(&self.process.context(), &attributes)?),
                // As on Linux, changing the mode of an anonymous pipe succeeds without any effect.
                None => Ok(()),
            },
        }
    }

    async fn truncate_open(&mut self, fd: u32, size: u64) -> Result<()> {
        let description = self.description_of(fd)?;
        let Object::File { file, .. } = &description.object else { return Err(Errno::INVAL) };
        if description.flags() & WRITE == 0 || i64::try_from(size).is_err() {
            return Err(Errno::INVAL);
        }
        if size > file.metadata()?.size {
            check_file_size(&self.kernel, &self.process, size - 1, 1)?;
        }
        let attributes = SetAttributes { size: Some(size), ..SetAttributes::default() };
        let work = move |file: &dyn File, cx: &Context| file.set_attributes(cx, &attributes);
        let set = by_file(&self.kernel, &self.process, &description, work);
        note_space(&self.process, as_waiting_call(&self.process, set).await)
    }

    async fn read_names(&mut self, dirfd: i32, path: &[u8]) -> Result<Vec<DirEntry>> {
        let base = place(self, dirfd, path)?;
        let how = OpenOptions { directory: true, ..OpenOptions::READ };
        let (kernel, process) = (&self.kernel, &self.process);
        let directory = open::open(kernel, process, &base, path, &how, READ).await?;
        if !directory.is_directory() {
            return Err(Errno::NOTDIR);
        }
        let mut names = Vec::new();
        let mut cursor = 0;
        loop {
            let work = move |file: &dyn File, cx: &Context| file.read_dir(cx, cursor);
            let batch = by_file(kernel, process, &directory, work).await?;
            let Some(last) = batch.last() else { return Ok(names) };
            cursor = last.next;
            names.extend(batch);
        }
    }

    fn make_node(&self, dirfd: i32, path: &[u8], mode: u32) -> Result<()> {
        let kind = match FileKind::from_mode(mode) {
            Some(kind @ (FileKind::Fifo | FileKind::Socket | FileKind::Regular)) => kind,
            Some(FileKind::CharDevice | FileKind::BlockDevice) => return Err(Errno::PERM),
            _ => return Err(Errno::INVAL),
        };
        let base = place(self, dirfd, path)?;
        let (namespace, cx) = (&self.kernel.namespace, self.process.context());
        Ok(namespace.make_node(&cx, &base, path, kind, self.apply_umask(mode))?)
    }

    fn space(&self, dirfd: i32, path: &[u8]) -> Result<Space> {
        let base = place(self, dirfd, path)?;
        let namespace = &self.kernel.namespace;
        let at = namespace.resolve(&self.process.context(), &base, path, Follow::Yes)?;
        let stat = namespace.stat_fs(&at)?;
        Ok(Space {
            block_size: stat.block_size,
            blocks: stat.blocks,
            blocks_free: stat.blocks_free,
            blocks_available: stat.blocks_available,
            files: stat.files,
            files_free: stat.files_free,
            name_length: stat.name_length,
        })
    }

    /// Calls `work` with the namespace, the process's identity and the directory that `path` is relative to.
    fn with_base<T>(
        &self,
        dirfd: i32,
        path: &[u8],
        work: impl FnOnce(
            &sandshell_vfs::Namespace,
            &sandshell_vfs::Context,
            &Location,
        ) -> sandshell_vfs::Result<T>,
    ) -> KernelResult<T> {
        let done = place(self, dirfd, path).and_then(|base| {
            let done = work(&self.kernel.namespace, &self.process.context(), &base).map_err(Errno::from);
            note_space(&self.process, done)
        });
        answer(done)
    }
}

impl State {
    /// Changes something by one or more paths.
    async fn change_paths<const N: usize>(
        &mut self,
        paths: [(i32, &[u8]); N],
        work: impl Fn(&Namespace, &Context, &[At<'_>]) -> sandshell_vfs::Result<()> + Send + 'static,
    ) -> KernelResult<()> {
        let mut bases = Vec::with_capacity(N);
        for (dirfd, path) in paths {
            bases.push((place(self, dirfd, path).map_err(super::number)?, path));
        }
        let places: Vec<At<'_>> = bases.iter().map(|(base, path)| At { base, path }).collect();
        let done = as_waiting_call(&self.process, by_path(&self.kernel, &self.process, &places, work)).await;
        answer(note_space(&self.process, done))
    }
}

impl Host for &mut State {
    async fn open(&mut self, dirfd: i32, path: Vec<u8>, flags: u32, mode: u32) -> KernelResult<u32> {
        let process = self.process.clone();
        answer(as_waiting_call(&process, self.open_fd(dirfd, &path, flags, mode)).await)
    }

    fn close(&mut self, fd: u32) -> KernelResult<()> {
        let closed = self.process.files.lock().remove(fd);
        answer(closed.map(drop))
    }

    async fn open_file(&mut self, dirfd: i32, path: Vec<u8>, flags: u32, mode: u32) -> (i32, u32, u64) {
        let process = self.process.clone();
        let opened = as_waiting_call(&process, self.open_with_type(dirfd, &path, flags, mode)).await;
        match opened.map(|(fd, kind, size)| Some((i32::try_from(fd).ok()?, kind, size))) {
            Ok(Some(found)) => found,
            // Cannot happen: tables of descriptors are far smaller.
            Ok(None) => (-super::signed(Errno::BADF), 0, 0),
            Err(errno) => (-super::signed(errno), 0, 0),
        }
    }

    async fn read_file(&mut self, fd: u32, count: u32) -> (u32, Vec<u8>) {
        match self.read(fd, count).await {
            Ok(bytes) => (0, bytes),
            Err(number) => (number, Vec::new()),
        }
    }

    fn close_file(&mut self, fd: u32) -> u32 {
        self.close(fd).err().unwrap_or(0)
    }

    fn status(&mut self, dirfd: i32, path: Vec<u8>, follow: bool) -> Vec<u8> {
        let found = self.with_base(dirfd, &path, |namespace, cx, base| {
            namespace.metadata(cx, base, &path, following(follow))
        });
        match found {
            Ok(metadata) => status::encode(&metadata),
            Err(number) => vec![u8::try_from(number).unwrap_or(u8::MAX)],
        }
    }

    async fn entries(&mut self, dirfd: i32, path: Vec<u8>) -> (u32, Vec<u8>, Vec<u8>, Vec<u8>) {
        let process = self.process.clone();
        match answer(as_waiting_call(&process, self.read_names(dirfd, &path)).await) {
            Ok(names) => {
                let (names, kinds, inodes) = status::encode_names(&names);
                (0, names, kinds, inodes)
            }
            Err(number) => (number, Vec::new(), Vec::new(), Vec::new()),
        }
    }

    async fn read(&mut self, fd: u32, count: u32) -> KernelResult<Vec<u8>> {
        let description = self.description_of(fd).map_err(super::number)?;
        let mut bytes = vec![0; (count as usize).min(MAX_TRANSFER)];
        let process = &self.process;
        let read =
            as_waiting_call(process, transfer::read(&self.kernel, process, &description, &mut bytes)).await;
        bytes.truncate(answer(read)?);
        Ok(bytes)
    }

    async fn write(&mut self, fd: u32, bytes: Vec<u8>) -> KernelResult<u32> {
        let description = self.description_of(fd).map_err(super::number)?;
        let process = &self.process;
        let written = as_waiting_call(process, write_all(&self.kernel, process, &description, &bytes)).await;
        answer(written.map(|count| u32::try_from(count).unwrap_or(u32::MAX)))
    }

    async fn pread(&mut self, fd: u32, count: u32, offset: u64) -> KernelResult<Vec<u8>> {
        let description = self.description_of(fd).map_err(super::number)?;
        let mut bytes = vec![0; (count as usize).min(MAX_TRANSFER)];
        let process = &self.process;
        let read =
            as_waiting_call(process, transfer::read_at(process, &description, &mut bytes, offset)).await;
        bytes.truncate(answer(read)?);
        Ok(bytes)
    }

    async fn pwrite(&mut self, fd: u32, bytes: Vec<u8>, offset: u64) -> KernelResult<u32> {
        let description = self.description_of(fd).map_err(super::number)?;
        let (kernel, process) = (&self.kernel, &self.process);
        let write = transfer::write_at(kernel, process, &description, &bytes, offset);
        let written = as_waiting_call(process, write).await;
        answer(written.map(|count| u32::try_from(count).unwrap_or(u32::MAX)))
    }

    fn lseek(&mut self, fd: u32, offset: i64, whence: u32) -> KernelResult<u64> {
        answer(self.description_of(fd).and_then(|description| description.seek(offset, whence)))
    }

    async fn ftruncate(&mut self, fd: u32, size: u64) -> KernelResult<()> {
        answer(self.truncate_open(fd, size).await)
    }

    async fn fsync(&mut self, fd: u32) -> KernelResult<()> {
        let description = self.description_of(fd).map_err(super::number)?;
        if !matches!(description.object, Object::File { .. } | Object::Directory { .. }) {
            return Err(super::number(Errno::INVAL));
        }
        let sync = by_file(&self.kernel, &self.process, &description, |file, _| file.sync());
        answer(as_waiting_call(&self.process, sync).await)
    }

    fn stat(&mut self, dirfd: i32, path: Vec<u8>, follow: bool) -> KernelResult<Attributes> {
        self.with_base(dirfd, &path, |namespace, cx, base| {
            Ok(attributes(&namespace.metadata(cx, base, &path, following(follow))?))
        })
    }

    fn fstat(&mut self, fd: u32) -> KernelResult<Attributes> {
        let owner = (self.process.uid, self.process.gid);
        let metadata = self.description_of(fd).and_then(|description| description.metadata(owner));
        answer(metadata.map(|metadata| attributes(&metadata)))
    }

    async fn chmod(&mut self, dirfd: i32, path: Vec<u8>, mode: u32, follow: bool) -> KernelResult<()> {
        let attributes = SetAttributes { mode: Some(mode & 0o7777), ..SetAttributes::default() };
        answer(self.set_attributes_at(dirfd, &path, follow, attributes).await)
    }

    async fn fchmod(&mut self, fd: u32, mode: u32) -> KernelResult<()> {
        let attributes = SetAttributes { mode: Some(mode & 0o7777), ..SetAttributes::default() };
        answer(self.set_attributes_open(fd, attributes).await)
    }

    async fn chown(
        &mut self,
        dirfd: i32,
        path: Vec<u8>,
        uid: Option<u32>,
        gid: Option<u32>,
        follow: bool,
    ) -> KernelResult<()> {
        let attributes = SetAttributes { uid, gid, ..SetAttributes::default() };
        answer(self.set_attributes_at(dirfd, &path, follow, attributes).await)
    }

    async fn fchown(&mut self, fd: u32, uid: Option<u32>, gid: Option<u32>) -> KernelResult<()> {
        answer(self.set_attributes_open(fd, SetAttributes { uid, gid, ..SetAttributes::default() }).await)
    }

    async fn utime(
        &mut self,
        dirfd: i32,
        path: Vec<u8>,
        atime: Option<i64>,
        mtime: Option<i64>,
        follow: bool,
    ) -> KernelResult<()> {
        let (atime, mtime) = (set_time(atime), set_time(mtime));
        let attributes = SetAttributes { atime, mtime, ..SetAttributes::default() };
        answer(self.set_attributes_at(dirfd, &path, follow, attributes).await)
    }

    async fn futime(&mut self, fd: u32, atime: Option<i64>, mtime: Option<i64>) -> KernelResult<()> {
        let (atime, mtime) = (set_time(atime), set_time(mtime));
        answer(self.set_attributes_open(fd, SetAttributes { atime, mtime, ..SetAttributes::default() }).await)
    }

    fn access(&mut self, dirfd: i32, path: Vec<u8>, mask: u32, follow: bool) -> KernelResult<()> {
        self.with_base(dirfd, &path, |namespace, cx, base| {
            namespace.access(cx, base, &path, following(follow), mask)
        })
    }

    fn mkdir(&mut self, dirfd: i32, path: Vec<u8>, mode: u32) -> KernelResult<()> {
        let mode = self.apply_umask(mode);
        self.with_base(dirfd, &path, |namespace, cx, base| namespace.create_dir(cx, base, &path, mode))
    }

    fn mknod(&mut self, dirfd: i32, path: Vec<u8>, mode: u32) -> KernelResult<()> {
        answer(self.make_node(dirfd, &path, mode))
    }

    async fn unlink(&mut self, dirfd: i32, path: Vec<u8>) -> KernelResult<()> {
        let changed = self
            .change_paths([(dirfd, &path)], |namespace, cx, at| namespace.unlink(cx, at[0].base, at[0].path));
        changed.await
    }

    async fn rmdir(&mut self, dirfd: i32, path: Vec<u8>) -> KernelResult<()> {
        let changed = self.change_paths([(dirfd, &path)], |namespace, cx, at| {
            namespace.remove_dir(cx, at[0].base, at[0].path)
        });
        changed.await
    }

    async fn rename(
        &mut self,
        old_dirfd: i32,
        old: Vec<u8>,
        new_dirfd: i32,
        new: Vec<u8>,
    ) -> KernelResult<()> {
        let changed = self.change_paths([(old_dirfd, &old), (new_dirfd, &new)], |namespace, cx, at| {
            namespace.rename(cx, at[0].base, at[0].path, at[1].base, at[1].path)
        });
        changed.await
    }

    async fn link(
        &mut self,
        old_dirfd: i32,
        old: Vec<u8>,
        new_dirfd: i32,
        new: Vec<u8>,
        follow: bool,
    ) -> KernelResult<()> {
        let follow = following(follow);
        let changed = self.change_paths([(old_dirfd, &old), (new_dirfd, &new)], move |namespace, cx, at| {
            namespace.hard_link(cx, at[0].base, at[0].path, follow, at[1].base, at[1].path)
        });
        changed.await
    }

    fn symlink(&mut self, target: Vec<u8>, dirfd: i32, path: Vec<u8>) -> KernelResult<()> {
        if target.len() > MAX_PATH || target.contains(&0) {
            return Err(super::number(Errno::NAMETOOLONG));
        }
        self.with_base(dirfd, &path, |namespace, cx, base| namespace.symlink(cx, &target, base, &path))
    }

    fn readlink(&mut self, dirfd: i32, path: Vec<u8>) -> KernelResult<Vec<u8>> {
        self.with_base(dirfd, &path, |namespace, cx, base| namespace.read_link(cx, base, &path))
    }

    async fn names(&mut self, dirfd: i32, path: Vec<u8>) -> KernelResult<Vec<Name>> {
        let process = self.process.clone();
        let entries = as_waiting_call(&process, self.read_names(dirfd, &path)).await;
        let name = |entry: DirEntry| Name {
            name: entry.name.to_vec(),
            ino: entry.ino,
            kind: entry.kind.format_bits(),
        };
        answer(entries.map(|entries| entries.into_iter().map(name).collect()))
    }

    fn statvfs(&mut self, dirfd: i32, path: Vec<u8>) -> KernelResult<Space> {
        answer(self.space(dirfd, &path))
    }

    fn chdir(&mut self, dirfd: i32, path: Vec<u8>) -> KernelResult<()> {
        let moved = place(self, dirfd, &path).and_then(|base| {
            crate::abi::process::directory(&self.kernel, &self.process.context(), &base, &path)
        });
        *self.process.cwd.lock() = answer(moved)?;
        Ok(())
    }

    fn getcwd(&mut self) -> KernelResult<Vec<u8>> {
        answer(self.kernel.namespace.absolute_path(&self.process.cwd()).map_err(Errno::from))
    }

    fn pipe(&mut self, cloexec: bool) -> KernelResult<(u32, u32)> {
        answer(descriptors::pipe(self, cloexec))
    }

    fn socketpair(&mut self, cloexec: bool) -> KernelResult<(u32, u32)> {
        answer(descriptors::socketpair(self, cloexec))
    }

    fn shutdown(&mut self, fd: u32, how: u32) -> KernelResult<()> {
        self.with_socket(fd, |socket| sockets::shutdown(socket, how))
    }

    fn available(&mut self, fd: u32) -> KernelResult<u64> {
        answer(descriptors::available(self, fd))
    }

    fn dup(&mut self, fd: u32, min: u32, cloexec: bool) -> KernelResult<u32> {
        answer(descriptors::dup(self, fd, min, cloexec))
    }

    fn dup2(&mut self, fd: u32, to: u32, cloexec: bool) -> KernelResult<()> {
        answer(descriptors::dup2(self, fd, to, cloexec))
    }

    fn get_cloexec(&mut self, fd: u32) -> KernelResult<bool> {
        let files = self.process.files.lock();
        answer(files.get(fd).map(|descriptor| descriptor.close_on_exec))
    }

    fn set_cloexec(&mut self, fd: u32, cloexec: bool) -> KernelResult<()> {
        let mut files = self.process.files.lock();
        answer(files.get_mut(fd).map(|descriptor| descriptor.close_on_exec = cloexec))
    }

    fn get_flags(&mut self, fd: u32) -> KernelResult<u32> {
        answer(self.description_of(fd).map(|description| descriptors::linux_flags(&description)))
    }

    fn set_flags(&mut self, fd: u32, flags: u32) -> KernelResult<()> {
        let description = self.description_of(fd);
        answer(description.map(|description| descriptors::set_linux_flags(&description, flags)))
    }

    fn isatty(&mut self, fd: u32) -> bool {
        self.description_of(fd).is_ok_and(|description| description.is_terminal())
    }

    fn terminal_size(&mut self, fd: u32) -> KernelResult<(u32, u32)> {
        let size = self.description_of(fd).and_then(|description| match &description.object {
            Object::Terminal(terminal) => Ok(terminal.size()),
            _ => Err(Errno::NOTTY),
        });
        answer(size)
    }

    async fn poll(&mut self, fds: Vec<(i32, u32)>, timeout: Option<u64>) -> KernelResult<Vec<u32>> {
        let process = self.process.clone();
        answer(as_waiting_call(&process, poll::poll(&self.kernel, &process, &fds, timeout)).await)
    }

    async fn flock(&mut self, fd: u32, operation: u32) -> KernelResult<()> {
        let work = lock::lock_whole(&self.kernel, &self.process, fd, operation);
        answer(as_waiting_call(&self.process, work).await)
    }

    async fn lock(&mut self, fd: u32, kind: u32, start: u64, end: u64, waits: bool) -> KernelResult<()> {
        let work = lock::lock_range(&self.kernel, &self.process, fd, kind, start, end, waits);
        answer(as_waiting_call(&self.process, work).await)
    }

    fn find_lock(&mut self, fd: u32, kind: u32, start: u64, end: u64) -> KernelResult<Option<HeldLock>> {
        let found = answer(lock::find_lock(&self.kernel, &self.process, fd, kind, start, end))?;
        Ok(found.map(|lock| HeldLock {
            pid: lock.owner,
            exclusive: lock.exclusive,
            start: lock.start,
            end: lock.end,
        }))
    }
}
