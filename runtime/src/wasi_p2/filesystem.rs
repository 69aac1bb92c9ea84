//! `wasi:filesystem` over the namespace and the process's descriptors.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use sandshell_vfs::{
    Context, File, FileKind, Follow, Location, Metadata, Namespace, OpenOptions, SetAttributes, SetTime, Time,
};
use wasmtime::component::Resource;
use wasmtime_wasi::p2::bindings::clocks::wall_clock::Datetime;
use wasmtime_wasi::p2::bindings::filesystem::preopens;
use wasmtime_wasi::p2::bindings::filesystem::types::{
    self, Advice, Descriptor, DescriptorFlags, DescriptorStat, DescriptorType, DirectoryEntry,
    DirectoryEntryStream, ErrorCode, HostDescriptor, HostDirectoryEntryStream, MetadataHashValue,
    NewTimestamp, OpenFlags, PathFlags,
};
use wasmtime_wasi::p2::{FsError, FsResult};
use wasmtime_wasi_io::streams::{DynInputStream, DynOutputStream};

use super::streams::{Input, Output, StreamErrno};
use super::{State, recast};
use crate::error::Errno;
use crate::execution::preopen;
use crate::fd::confine::confine;
use crate::fd::{APPEND, Description, Object, READ, WRITE, table};
use crate::io::{check_file_size, note_space, open, transfer};
use crate::offload::{At, by_file, by_path};

/// The resource of a descriptor handle.
struct OpenFile {
    backing: Backing,
    /// The flags with which it was opened.
    flags: DescriptorFlags,
}

/// How a component holds an open file.
#[derive(Clone)]
enum Backing {
    /// A descriptor of the process, closed with the handle.
    Descriptor(u32),
    /// Only by the handle, without a descriptor number: in native programs.
    Handle(table::Descriptor),
}

/// The entries of a directory that have not been read yet.
struct Listing(std::vec::IntoIter<DirectoryEntry>);

/// The most bytes that one read returns.
const MAX_READ: u64 = 1 << 20;

impl preopens::Host for &mut State {
    fn get_directories(&mut self) -> wasmtime::Result<Vec<(Resource<Descriptor>, String)>> {
        let preopened: Vec<(Backing, String)> = if self.native {
            let root = preopen::root(&self.kernel, &self.process);
            root.into_iter().map(|root| (Backing::Handle(root), "/".to_owned())).collect()
        } else {
            let files = self.process.files.lock();
            let named = files.iter().filter_map(|(fd, descriptor)| Some((fd, descriptor.preopen.as_ref()?)));
            named
                .map(|(fd, name)| (Backing::Descriptor(fd), String::from_utf8_lossy(name).into_owned()))
                .collect()
        };
        let flags = DescriptorFlags::READ | DescriptorFlags::MUTATE_DIRECTORY;
        let mut directories = Vec::new();
        for (backing, name) in preopened {
            directories.push((recast(&self.table.push(OpenFile { backing, flags })?), name));
        }
        Ok(directories)
    }
}

impl State {
    /// The descriptor of a handle.
    fn descriptor(&self, handle: &Resource<Descriptor>) -> FsResult<table::Descriptor> {
        match &self.table.get::<OpenFile>(&recast(handle))?.backing {
            Backing::Handle(descriptor) => Ok(descriptor.clone()),
            Backing::Descriptor(fd) => Ok(self.process.files.lock().get(*fd).map_err(code)?.clone()),
        }
    }

    fn description(&self, handle: &Resource<Descriptor>) -> FsResult<Arc<Description>> {
        Ok(self.descriptor(handle)?.description)
    }

    /// The directory of a handle, after checking that `path` may be used with it.
    fn place(&self, handle: &Resource<Descriptor>, path: &str, follow: Follow) -> FsResult<Location> {
        if path.starts_with('/') {
            return Err(ErrorCode::NotPermitted.into());
        }
        let descriptor = self.descriptor(handle)?;
        let Object::Directory { location, .. } = &descriptor.description.object else {
            return Err(ErrorCode::NotDirectory.into());
        };
        let (location, confined) = (location.clone(), descriptor.confined);
        if confined {
            let cx = self.process.context();
            confine(&self.kernel.namespace, &cx, &location, path.as_bytes(), follow).map_err(code)?;
        }
        Ok(location)
    }

    fn metadata(&self, handle: &Resource<Descriptor>) -> FsResult<Metadata> {
        let owner = (self.process.uid, self.process.gid);
        Ok(self.description(handle)?.metadata(owner).map_err(code)?)
    }

    fn metadata_at(&self, handle: &Resource<Descriptor>, flags: PathFlags, path: &str) -> FsResult<Metadata> {
        let follow = following(flags);
        let base = self.place(handle, path, follow)?;
        let (namespace, cx) = (&self.kernel.namespace, self.process.context());
        Ok(namespace.metadata(&cx, &base, path.as_bytes(), follow).map_err(vfs_code)?)
    }

    async fn set_attributes(
        &mut self,
        handle: &Resource<Descriptor>,
        attributes: SetAttributes,
    ) -> FsResult<()> {
        let description = self.description(handle)?;
        match &description.object {
            Object::File { .. } | Object::Directory { .. } => {
                let work = move |file: &dyn File, cx: &Context| file.set_attributes(cx, &attributes);
                Ok(by_file(&self.kernel, &self.process, &description, work).await.map_err(code)?)
            }
            _ => Err(ErrorCode::Invalid.into()),
        }
    }

    fn writable(&self, handle: &Resource<Descriptor>) -> FsResult<Arc<Description>> {
        let description = self.description(handle)?;
        if description.is_directory() {
            return Err(ErrorCode::IsDirectory.into());
        }
        if description.flags() & WRITE == 0 {
            return Err(ErrorCode::NotPermitted.into());
        }
        Ok(description)
    }

    async fn synchronise(&mut self, handle: &Resource<Descriptor>) -> FsResult<()> {
        let description = self.description(handle)?;
        match &description.object {
            Object::File { .. } | Object::Directory { .. } => {
                let sync = by_file(&self.kernel, &self.process, &description, |file, _| file.sync());
                Ok(sync.await.map_err(code)?)
            }
            _ => Err(ErrorCode::Invalid.into()),
        }
    }
}

impl State {
    /// Changes something by path.
    async fn change(
        &mut self,
        places: &[At<'_>],
        work: impl Fn(&Namespace, &Context, &[At<'_>]) -> sandshell_vfs::Result<()> + Send + 'static,
    ) -> FsResult<()> {
        Ok(by_path(&self.kernel, &self.process, places, work).await.map_err(code)?)
    }
}

impl types::Host for &mut State {
    fn convert_error_code(&mut self, error: FsError) -> wasmtime::Result<ErrorCode> {
        error.downcast()
    }

    fn filesystem_error_code(
        &mut self,
        error: Resource<wasmtime::Error>,
    ) -> wasmtime::Result<Option<ErrorCode>> {
        Ok(self.table.get(&error)?.downcast_ref::<StreamErrno>().map(|StreamErrno(errno)| code(*errno)))
    }
}

impl HostDescriptor for &mut State {
    fn read_via_stream(
        &mut self,
        fd: Resource<Descriptor>,
        offset: u64,
    ) -> FsResult<Resource<DynInputStream>> {
        let description = self.description(&fd)?;
        if description.is_directory() {
            return Err(ErrorCode::IsDirectory.into());
        }
        if description.flags() & READ == 0 {
            return Err(ErrorCode::NotPermitted.into());
        }
        let stream: DynInputStream = Box::new(Input::at(&self.process, description, offset));
        Ok(self.table.push(stream)?)
    }

    fn write_via_stream(
        &mut self,
        fd: Resource<Descriptor>,
        offset: u64,
    ) -> FsResult<Resource<DynOutputStream>> {
        let description = self.writable(&fd)?;
        let stream: DynOutputStream = Box::new(Output::at(&self.kernel, &self.process, description, offset));
        Ok(self.table.push(stream)?)
    }

    fn append_via_stream(&mut self, fd: Resource<Descriptor>) -> FsResult<Resource<DynOutputStream>> {
        let description = self.writable(&fd)?;
        let Object::File { file, location } = &description.object else {
            return Err(ErrorCode::Invalid.into());
        };
        let object = Object::File { file: file.clone(), location: location.clone() };
        let appending = Description::new(object, WRITE | APPEND);
        let stream: DynOutputStream = Box::new(Output::append(&self.kernel, &self.process, appending));
        Ok(self.table.push(stream)?)
    }

    async fn advise(&mut self, fd: Resource<Descriptor>, _: u64, _: u64, _: Advice) -> FsResult<()> {
        // Advice may be ignored, but not a bad handle.
        if self.description(&fd)?.is_directory() { Err(ErrorCode::BadDescriptor.into()) } else { Ok(()) }
    }

    async fn sync_data(&mut self, fd: Resource<Descriptor>) -> FsResult<()> {
        self.synchronise(&fd).await
    }

    async fn get_flags(&mut self, fd: Resource<Descriptor>) -> FsResult<DescriptorFlags> {
        Ok(self.table.get::<OpenFile>(&recast(&fd))?.flags)
    }

    async fn get_type(&mut self, fd: Resource<Descriptor>) -> FsResult<DescriptorType> {
        Ok(kind(self.metadata(&fd)?.kind))
    }

    async fn set_size(&mut self, fd: Resource<Descriptor>, size: u64) -> FsResult<()> {
        let description = self.writable(&fd)?;
        let Object::File { file, .. } = &description.object else { return Err(ErrorCode::Invalid.into()) };
        if size > file.metadata().map_err(vfs_code)?.size {
            check_file_size(&self.kernel, &self.process, size - 1, 1).map_err(code)?;
        }
        let attributes = SetAttributes { size: Some(size), ..SetAttributes::default() };
        let work = move |file: &dyn File, cx: &Context| file.set_attributes(cx, &attributes);
        let set = by_file(&self.kernel, &self.process, &description, work).await;
        Ok(note_space(&self.process, set).map_err(code)?)
    }

    async fn set_times(
        &mut self,
        fd: Resource<Descriptor>,
        atime: NewTimestamp,
        mtime: NewTimestamp,
    ) -> FsResult<()> {
        self.set_attributes(&fd, times(atime, mtime)?).await
    }

    async fn read(&mut self, fd: Resource<Descriptor>, len: u64, offset: u64) -> FsResult<(Vec<u8>, bool)> {
        let description = self.description(&fd)?;
        let mut buf = vec![0; usize::try_from(len.min(MAX_READ)).unwrap_or(0)];
        let count = description.read_at(&mut buf, offset).map_err(code)?;
        buf.truncate(count);
        Ok((buf, count == 0 && len > 0))
    }

    async fn write(&mut self, fd: Resource<Descriptor>, bytes: Vec<u8>, offset: u64) -> FsResult<u64> {
        let description = self.writable(&fd)?;
        let written = transfer::write_at(&self.kernel, &self.process, &description, &bytes, offset).await;
        Ok(written.map_err(code)? as u64)
    }

    async fn read_directory(&mut self, fd: Resource<Descriptor>) -> FsResult<Resource<DirectoryEntryStream>> {
        let description = self.description(&fd)?;
        if !description.is_directory() {
            return Err(ErrorCode::NotDirectory.into());
        }
        let mut entries = Vec::new();
        let mut cursor = 0;
        loop {
            let work = move |file: &dyn File, cx: &Context| file.read_dir(cx, cursor);
            let batch = by_file(&self.kernel, &self.process, &description, work).await.map_err(code)?;
            let Some(last) = batch.last() else { break };
            cursor = last.next;
            for entry in batch {
                let name =
                    String::from_utf8(entry.name.to_vec()).map_err(|_| ErrorCode::IllegalByteSequence)?;
                entries.push(DirectoryEntry { type_: kind(entry.kind), name });
            }
        }
        Ok(recast(&self.table.push(Listing(entries.into_iter()))?))
    }

    async fn sync(&mut self, fd: Resource<Descriptor>) -> FsResult<()> {
        self.synchronise(&fd).await
    }

    async fn create_directory_at(&mut self, fd: Resource<Descriptor>, path: String) -> FsResult<()> {
        let base = self.place(&fd, &path, Follow::No)?;
        let mode = 0o777 & !self.process.umask.load(Ordering::Relaxed);
        let cx = self.process.context();
        let created =
            self.kernel.namespace.create_dir(&cx, &base, path.as_bytes(), mode).map_err(Errno::from);
        Ok(note_space(&self.process, created).map_err(code)?)
    }

    async fn stat(&mut self, fd: Resource<Descriptor>) -> FsResult<DescriptorStat> {
        Ok(stat(&self.metadata(&fd)?))
    }

    async fn stat_at(
        &mut self,
        fd: Resource<Descriptor>,
        flags: PathFlags,
        path: String,
    ) -> FsResult<DescriptorStat> {
        Ok(stat(&self.metadata_at(&fd, flags, &path)?))
    }

    async fn set_times_at(
        &mut self,
        fd: Resource<Descriptor>,
        flags: PathFlags,
        path: String,
        atime: NewTimestamp,
        mtime: NewTimestamp,
    ) -> FsResult<()> {
        let follow = following(flags);
        let base = self.place(&fd, &path, follow)?;
        let attributes = times(atime, mtime)?;
        self.change(&[At { base: &base, path: path.as_bytes() }], move |namespace, cx, at| {
            namespace.set_attributes(cx, at[0].base, at[0].path, follow, &attributes)
        })
        .await
    }

    async fn link_at(
        &mut self,
        fd: Resource<Descriptor>,
        flags: PathFlags,
        old: String,
        new_fd: Resource<Descriptor>,
        new: String,
    ) -> FsResult<()> {
        let follow = following(flags);
        let old_base = self.place(&fd, &old, follow)?;
        let new_base = self.place(&new_fd, &new, Follow::No)?;
        let places =
            [At { base: &old_base, path: old.as_bytes() }, At { base: &new_base, path: new.as_bytes() }];
        self.change(&places, move |namespace, cx, at| {
            namespace.hard_link(cx, at[0].base, at[0].path, follow, at[1].base, at[1].path)
        })
        .await
    }

    async fn open_at(
        &mut self,
        fd: Resource<Descriptor>,
        path_flags: PathFlags,
        path: String,
        open_flags: OpenFlags,
        flags: DescriptorFlags,
    ) -> FsResult<Resource<Descriptor>> {
        let follow = following(path_flags);
        let base = self.place(&fd, &path, follow)?;
        let write = flags.contains(DescriptorFlags::WRITE);
        let how = OpenOptions {
            // A handle without any access still gives the file's attributes.
            read: flags.contains(DescriptorFlags::READ),
            write,
            create: open_flags.contains(OpenFlags::CREATE),
            exclusive: open_flags.contains(OpenFlags::EXCLUSIVE),
            truncate: open_flags.contains(OpenFlags::TRUNCATE),
            directory: open_flags.contains(OpenFlags::DIRECTORY),
            nofollow: follow == Follow::No,
            mode: 0o666 & !self.process.umask.load(Ordering::Relaxed),
            ..OpenOptions::READ
        };
        let status = if how.read { READ } else { 0 } | if write { WRITE } else { 0 };
        let (kernel, process) = (self.kernel.clone(), self.process.clone());
        let opened = open::open(&kernel, &process, &base, path.as_bytes(), &how, status).await;
        let description = note_space(&process, opened).map_err(code)?;
        let mut descriptor = table::Descriptor::new(description, true);
        descriptor.confined = self.descriptor(&fd)?.confined;
        let backing = if self.native {
            Backing::Handle(descriptor)
        } else {
            Backing::Descriptor(process.files.lock().insert(descriptor, 3).map_err(code)?)
        };
        Ok(recast(&self.table.push(OpenFile { backing, flags })?))
    }

    async fn readlink_at(&mut self, fd: Resource<Descriptor>, path: String) -> FsResult<String> {
        let base = self.place(&fd, &path, Follow::No)?;
        let cx = self.process.context();
        let target = self.kernel.namespace.read_link(&cx, &base, path.as_bytes()).map_err(vfs_code)?;
        Ok(String::from_utf8(target).map_err(|_| ErrorCode::IllegalByteSequence)?)
    }

    async fn remove_directory_at(&mut self, fd: Resource<Descriptor>, path: String) -> FsResult<()> {
        let base = self.place(&fd, &path, Follow::No)?;
        self.change(&[At { base: &base, path: path.as_bytes() }], |namespace, cx, at| {
            namespace.remove_dir(cx, at[0].base, at[0].path)
        })
        .await
    }

    async fn rename_at(
        &mut self,
        fd: Resource<Descriptor>,
        old: String,
        new_fd: Resource<Descriptor>,
        new: String,
    ) -> FsResult<()> {
        let old_base = self.place(&fd, &old, Follow::No)?;
        let new_base = self.place(&new_fd, &new, Follow::No)?;
        let places =
            [At { base: &old_base, path: old.as_bytes() }, At { base: &new_base, path: new.as_bytes() }];
        self.change(&places, |namespace, cx, at| {
            namespace.rename(cx, at[0].base, at[0].path, at[1].base, at[1].path)
        })
        .await
    }

    async fn symlink_at(&mut self, fd: Resource<Descriptor>, target: String, path: String) -> FsResult<()> {
        let base = self.place(&fd, &path, Follow::No)?;
        if target.starts_with('/') {
            return Err(ErrorCode::NotPermitted.into());
        }
        let cx = self.process.context();
        let linked = self.kernel.namespace.symlink(&cx, target.as_bytes(), &base, path.as_bytes());
        Ok(linked.map_err(vfs_code)?)
    }

    async fn unlink_file_at(&mut self, fd: Resource<Descriptor>, path: String) -> FsResult<()> {
        let base = self.place(&fd, &path, Follow::No)?;
        self.change(&[At { base: &base, path: path.as_bytes() }], |namespace, cx, at| {
            namespace.unlink(cx, at[0].base, at[0].path)
        })
        .await
    }

    async fn is_same_object(
        &mut self,
        a: Resource<Descriptor>,
        b: Resource<Descriptor>,
    ) -> wasmtime::Result<bool> {
        let identity = |handle: &Resource<Descriptor>| {
            self.metadata(handle).map(|metadata| (metadata.dev, metadata.ino)).map_err(wasmtime::Error::from)
        };
        Ok(identity(&a)? == identity(&b)?)
    }

    async fn metadata_hash(&mut self, fd: Resource<Descriptor>) -> FsResult<MetadataHashValue> {
        Ok(hash(&self.metadata(&fd)?))
    }

    async fn metadata_hash_at(
        &mut self,
        fd: Resource<Descriptor>,
        flags: PathFlags,
        path: String,
    ) -> FsResult<MetadataHashValue> {
        Ok(hash(&self.metadata_at(&fd, flags, &path)?))
    }

    fn drop(&mut self, fd: Resource<Descriptor>) -> wasmtime::Result<()> {
        let OpenFile { backing, .. } = self.table.delete::<OpenFile>(recast(&fd))?;
        let Backing::Descriptor(fd) = backing else { return Ok(()) };
        let mut files = self.process.files.lock();
        // Preopened directories stay open: the component may ask for them again.
        let closed = match files.get(fd) {
            Ok(descriptor) if descriptor.preopen.is_none() => files.remove(fd).ok(),
            _ => None,
        };
        drop(files);
        drop(closed);
        Ok(())
    }
}

impl HostDirectoryEntryStream for &mut State {
    async fn read_directory_entry(
        &mut self,
        stream: Resource<DirectoryEntryStream>,
    ) -> FsResult<Option<DirectoryEntry>> {
        Ok(self.table.get_mut::<Listing>(&recast(&stream))?.0.next())
    }

    fn drop(&mut self, stream: Resource<DirectoryEntryStream>) -> wasmtime::Result<()> {
        self.table.delete::<Listing>(recast(&stream))?;
        Ok(())
    }
}

fn following(flags: PathFlags) -> Follow {
    if flags.contains(PathFlags::SYMLINK_FOLLOW) { Follow::Yes } else { Follow::No }
}

fn kind(kind: FileKind) -> DescriptorType {
    match kind {
        FileKind::Regular => DescriptorType::RegularFile,
        FileKind::Directory => DescriptorType::Directory,
        FileKind::Symlink => DescriptorType::SymbolicLink,
        FileKind::Fifo => DescriptorType::Fifo,
        FileKind::CharDevice => DescriptorType::CharacterDevice,
        FileKind::BlockDevice => DescriptorType::BlockDevice,
        FileKind::Socket => DescriptorType::Socket,
    }
}

fn stat(metadata: &Metadata) -> DescriptorStat {
    let time = |time: Time| {
        let seconds = u64::try_from(time.secs).ok()?;
        Some(Datetime { seconds, nanoseconds: time.nanos })
    };
    DescriptorStat {
        type_: kind(metadata.kind),
        link_count: metadata.nlink,
        size: metadata.size,
        data_access_timestamp: time(metadata.atime),
        data_modification_timestamp: time(metadata.mtime),
        status_change_timestamp: time(metadata.ctime),
    }
}

/// Differs between files and between versions of a file.
fn hash(metadata: &Metadata) -> MetadataHashValue {
    let half = |salt: u64| {
        let mut hasher = DefaultHasher::new();
        let (mtime, ctime) = (metadata.mtime, metadata.ctime);
        let key =
            (metadata.dev, metadata.ino, metadata.size, mtime.secs, mtime.nanos, ctime.secs, ctime.nanos);
        (salt, key).hash(&mut hasher);
        hasher.finish()
    };
    MetadataHashValue { lower: half(0), upper: half(1) }
}

fn times(atime: NewTimestamp, mtime: NewTimestamp) -> FsResult<SetAttributes> {
    let time = |new: NewTimestamp| match new {
        NewTimestamp::NoChange => Ok(None),
        NewTimestamp::Now => Ok(Some(SetTime::Now)),
        NewTimestamp::Timestamp(at) => match i64::try_from(at.seconds) {
            Ok(secs) if at.nanoseconds < 1_000_000_000 => {
                Ok(Some(SetTime::At(Time { secs, nanos: at.nanoseconds })))
            }
            _ => Err(ErrorCode::Invalid),
        },
    };
    Ok(SetAttributes { atime: time(atime)?, mtime: time(mtime)?, ..SetAttributes::default() })
}

fn vfs_code(errno: sandshell_vfs::Errno) -> ErrorCode {
    code(Errno::from(errno))
}

fn code(errno: Errno) -> ErrorCode {
    use sandshell_vfs::Errno as E;
    let is = |other: E| errno == Errno::from(other);
    const TABLE: &[(E, ErrorCode)] = &[
        (E::Acces, ErrorCode::Access),
        (E::Again, ErrorCode::WouldBlock),
        (E::Already, ErrorCode::Already),
        (E::BadF, ErrorCode::BadDescriptor),
        (E::Busy, ErrorCode::Busy),
        (E::DeadLk, ErrorCode::Deadlock),
        (E::DQuot, ErrorCode::Quota),
        (E::Exist, ErrorCode::Exist),
        (E::FBig, ErrorCode::FileTooLarge),
        (E::IlSeq, ErrorCode::IllegalByteSequence),
        (E::InProgress, ErrorCode::InProgress),
        (E::Intr, ErrorCode::Interrupted),
        (E::Inval, ErrorCode::Invalid),
        (E::IsDir, ErrorCode::IsDirectory),
        (E::Loop, ErrorCode::Loop),
        (E::MLink, ErrorCode::TooManyLinks),
        (E::MsgSize, ErrorCode::MessageSize),
        (E::NameTooLong, ErrorCode::NameTooLong),
        (E::NoDev, ErrorCode::NoDevice),
        (E::NoEnt, ErrorCode::NoEntry),
        (E::NoLck, ErrorCode::NoLock),
        (E::NoMem, ErrorCode::InsufficientMemory),
        (E::MFile, ErrorCode::InsufficientMemory),
        (E::NoSpc, ErrorCode::InsufficientSpace),
        (E::NotDir, ErrorCode::NotDirectory),
        (E::NotEmpty, ErrorCode::NotEmpty),
        (E::NotSup, ErrorCode::Unsupported),
        (E::NoTty, ErrorCode::NoTty),
        (E::NxIo, ErrorCode::NoSuchDevice),
        (E::Overflow, ErrorCode::Overflow),
        (E::Perm, ErrorCode::NotPermitted),
        (E::Pipe, ErrorCode::Pipe),
        (E::RoFs, ErrorCode::ReadOnly),
        (E::SPipe, ErrorCode::InvalidSeek),
        (E::TxtBsy, ErrorCode::TextFileBusy),
        (E::XDev, ErrorCode::CrossDevice),
    ];
    TABLE.iter().find(|(number, _)| is(*number)).map_or(ErrorCode::Io, |(_, code)| *code)
}
