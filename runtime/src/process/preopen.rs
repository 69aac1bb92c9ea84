//! The directories that a module without the kernel's own imports finds open.

use std::sync::Arc;

use sandshell_vfs::{Follow, Location, OpenOptions, Opened};

use crate::error::{Errno, Result};
use crate::fd::table::Descriptor;
use crate::fd::{Description, Object, READ};
use crate::job::Preopens;
use crate::kernel::KernelInner;
use crate::process::Process;

/// WASI's right to list a directory.
const FD_READDIR: u64 = 1 << 14;
/// wasi-libc looks for preopened directories from here on.
const FIRST: u32 = 3;

/// Opens the command's preopened directories at the lowest free descriptors from 3 on.
///
/// A directory that cannot be opened is left out: the module finds no file there, as it would not with the directory open.
pub(crate) fn install(kernel: &KernelInner, process: &Process) {
    let confined = matches!(process.job.preopens, Preopens::Exact(_));
    let directories: Vec<(Vec<u8>, Result<Location>)> = match &process.job.preopens {
        Preopens::Default => {
            vec![(b"/".to_vec(), Ok(kernel.namespace.root())), (b".".to_vec(), Ok(process.cwd()))]
        }
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
        // With all descriptors in use there is none for this directory.
        let _ = process.files.lock().insert(descriptor, FIRST);
    }
}

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
