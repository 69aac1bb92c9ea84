//! procfs: what the sandbox shows of itself. It shows nothing of the host.

mod net;
mod process;
mod system;

use std::sync::{Arc, Weak};

use sandshell_vfs::{
    Context, Errno, MountOptions, Result, SyntheticBody, SyntheticDirectory, SyntheticFs, SyntheticNode,
};

use crate::error::Error;
use crate::kernel::KernelInner;

/// Mounts procfs at `/proc`, in place of the procfs that a forked namespace has from its parent. If the namespace has
/// no such directory and none can be created, nothing is mounted.
pub(crate) fn mount(kernel: &Arc<KernelInner>) -> std::result::Result<(), Error> {
    let root = directory(ROOT, 0o555, (0, 0), Root(Arc::downgrade(kernel)));
    // Fails in a new namespace, where nothing is mounted there.
    let _ = kernel.namespace.unmount(b"/proc");
    match kernel.namespace.mount(b"/proc", Arc::new(SyntheticFs::new(root)?), MountOptions::default()) {
        Ok(()) | Err(Errno::NoEnt | Errno::NotDir | Errno::RoFs) => Ok(()),
        Err(errno) => Err(errno.into()),
    }
}

/// Inode numbers: the root, then the system's files, then blocks of a million for each process.
const ROOT: u64 = 1;
const SELF_LINK: u64 = 2;
const MOUNTS_LINK: u64 = 3;
const PER_PROCESS: u64 = 1 << 20;

struct Root(Weak<KernelInner>);

impl SyntheticDirectory for Root {
    fn lookup(&self, _: &Context, name: &[u8]) -> Result<SyntheticNode> {
        let kernel = self.0.upgrade().ok_or(Errno::NoEnt)?;
        if let Some(node) = fixed(&self.0).into_iter().find(|(known, _)| *known == name) {
            return Ok(node.1);
        }
        let text = std::str::from_utf8(name).map_err(|_| Errno::NoEnt)?;
        let pid: u32 = text.parse().map_err(|_| Errno::NoEnt)?;
        if text.starts_with('0') || text.starts_with('+') || kernel.table.lock().get(pid).is_none() {
            return Err(Errno::NoEnt);
        }
        Ok(process::directory(&kernel, pid))
    }

    fn list(&self, _: &Context) -> Result<Vec<(Box<[u8]>, SyntheticNode)>> {
        let kernel = self.0.upgrade().ok_or(Errno::NoEnt)?;
        let pids: Vec<u32> = kernel.table.lock().iter().map(|(pid, _)| pid).collect();
        let processes = pids
            .into_iter()
            .map(|pid| (pid.to_string().into_bytes().into_boxed_slice(), process::directory(&kernel, pid)));
        let fixed = fixed(&self.0).into_iter().map(|(name, node)| (Box::from(name), node));
        Ok(fixed.chain(processes).collect())
    }
}

/// The entries that do not depend on processes.
fn fixed(kernel: &Weak<KernelInner>) -> Vec<(&'static [u8], SyntheticNode)> {
    let mut nodes = system::files(kernel);
    nodes.push((b"self", link(SELF_LINK, |cx| Ok(cx.pid.to_string().into_bytes()))));
    nodes.push((b"net", net::net(kernel)));
    nodes.push((b"mounts", link(MOUNTS_LINK, |_| Ok(b"self/mounts".to_vec()))));
    nodes
}

fn directory(
    ino: u64,
    mode: u32,
    owner: (u32, u32),
    contents: impl SyntheticDirectory + 'static,
) -> SyntheticNode {
    let body = SyntheticBody::Directory(Arc::new(contents));
    SyntheticNode { ino, mode, uid: owner.0, gid: owner.1, body }
}

fn file(
    ino: u64,
    mode: u32,
    owner: (u32, u32),
    contents: impl Fn(&Context) -> Result<Vec<u8>> + Send + Sync + 'static,
) -> SyntheticNode {
    SyntheticNode { ino, mode, uid: owner.0, gid: owner.1, body: SyntheticBody::File(Arc::new(contents)) }
}

fn link(ino: u64, text: impl Fn(&Context) -> Result<Vec<u8>> + Send + Sync + 'static) -> SyntheticNode {
    SyntheticNode { ino, mode: 0o777, uid: 0, gid: 0, body: SyntheticBody::Symlink(Arc::new(text)) }
}
