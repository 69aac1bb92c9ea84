//! Preopened directories, for modules without the kernel's own imports.

use std::sync::Arc;

use sandshell_vfs::{Context, FileKind, Follow, Location, Namespace, OpenOptions, Opened};

use crate::command::Preopens;
use crate::error::{Errno, Result};
use crate::fd::table::Descriptor;
use crate::fd::{Description, Object, READ};
use crate::kernel::KernelInner;
use crate::process::Process;

/// WASI's right to list a directory.
const FD_READDIR: u64 = 1 << 14;
/// The first descriptor at which wasi-libc looks for preopened directories.
const FIRST: u32 = 3;

/// Opens the command's preopened directories at the lowest free descriptors from 3 on.
///
/// A directory that cannot be opened is left out. The module then finds no files there, which would be the same with
/// the directory open.
pub(crate) fn install(kernel: &KernelInner, process: &Process) {
    let confined = matches!(process.job.preopens, Preopens::Exact(_));
    let directories: Vec<(Vec<u8>, Result<Location>)> = match &process.job.preopens {
        Preopens::Default => default(kernel, process),
        Preopens::Exact(list) => {
            let resolve = |path: &[u8]| {
                let (namespace, cx) = (&kernel.namespace, process.context());
                namespace.resolve(&cx, &process.cwd(), path, Follow::Yes).map_err(Errno::from)
            };
            list.iter().map(|(name, path)| (name.clone(), resolve(path))).collect()
        }
    };
    for (name, location) in directories {
        let Ok(mut descriptor) = location.and_then(|location| open(kernel, process, &location)) else {
            continue;
        };
        descriptor.preopen = Some(Arc::from(name));
        descriptor.confined = confined;
        // If all descriptors are in use, the directory is left out.
        let _ = process.files.lock().insert(descriptor, FIRST);
    }
}

/// The root directory alone: for a native component, whose C library keeps a working directory of its own.
pub(crate) fn root(kernel: &KernelInner, process: &Process) -> Option<Descriptor> {
    open(kernel, process, &kernel.namespace.root()).ok()
}

/// `/`, the directories in it, and the working directory as `.`.
///
/// wasi-libc has no working directory: to it `/a/b` and `a/b` are the same path. It looks the path up in the preopened
/// directory whose name matches the longest prefix, and in the last one of several with the same name. So `.` comes
/// last and serves relative paths, and absolute paths are found by the name of their first directory. If the working
/// directory has an entry of that name too, the name is not preopened and means that entry.
fn default(kernel: &KernelInner, process: &Process) -> Vec<(Vec<u8>, Result<Location>)> {
    let (namespace, cx, cwd) = (&kernel.namespace, process.context(), process.cwd());
    let root = namespace.root();
    let mut directories = vec![(b"/".to_vec(), Ok(root.clone()))];
    if cwd.key() != root.key() {
        for name in names(namespace, &cx, &root) {
            let shadowed = namespace.resolve(&cx, &cwd, &name, Follow::No).is_ok();
            let location = namespace.resolve(&cx, &root, &name, Follow::Yes);
            if let (false, Ok(location)) = (shadowed, location)
                && location.kind() == FileKind::Directory
            {
                directories.push(([b"/", &name[..]].concat(), Ok(location)));
            }
        }
    }
    directories.push((b".".to_vec(), Ok(cwd)));
    directories
}

/// The names in a directory, as far as it can be read.
fn names(namespace: &Namespace, cx: &Context, directory: &Location) -> Vec<Vec<u8>> {
    let how = OpenOptions { directory: true, ..OpenOptions::READ };
    let Ok(Opened::Directory { file, .. }) = namespace.open_location(cx, directory, &how) else {
        return Vec::new();
    };
    let mut names = Vec::new();
    let mut cursor = 0;
    while let Ok(batch) = file.read_dir(cx, cursor)
        && let Some(last) = batch.last()
        && names.len() < MAX_TOP_LEVEL
    {
        cursor = last.next;
        names.extend(batch.into_iter().map(|entry| entry.name.to_vec()));
    }
    names
}

/// More directories in `/` than this are not preopened: each takes a descriptor.
const MAX_TOP_LEVEL: usize = 64;

fn open(kernel: &KernelInner, process: &Process, location: &Location) -> Result<Descriptor> {
    let cx = process.context();
    let read = OpenOptions { directory: true, ..OpenOptions::READ };
    let (opened, unlisted) = match kernel.namespace.open_location(&cx, location, &read) {
        Err(sandshell_vfs::Errno::Acces) => {
            let search = OpenOptions { read: false, ..read };
            (kernel.namespace.open_location(&cx, location, &search)?, true)
        }
        opened => (opened?, false),
    };
    let Opened::Directory { file, location } = opened else { return Err(Errno::NOTDIR) };
    let mut descriptor = Descriptor::new(Description::new(Object::Directory { file, location }, READ), true);
    if unlisted {
        descriptor.rights &= !FD_READDIR;
    }
    Ok(descriptor)
}
