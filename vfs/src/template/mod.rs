//! The initial file trees of a sandbox.

mod devices;
mod standard;

pub use devices::device_tree;
pub use standard::{StandardTree, standard_tree};

use crate::{Context, Errno, Location, MemoryFs, MountOptions, Namespace, OpenOptions, Opened, Result};
use std::sync::Arc;

/// Fills a new filesystem as the superuser, and sets owners.
struct Builder {
    namespace: Namespace,
    root: Location,
}

const SYSTEM: Context = Context::ROOT;

impl Builder {
    fn new(fs: &MemoryFs) -> Self {
        let namespace = Namespace::new(Arc::new(fs.share()), MountOptions::default());
        let root = namespace.root();
        Self { namespace, root }
    }

    fn directory(&self, owner: &Context, path: &str, mode: u32) -> Result<()> {
        self.namespace.create_dir(&SYSTEM, &self.root, path.as_bytes(), mode)?;
        self.own(owner, path)
    }

    fn file(&self, path: &str, mode: u32, contents: &[u8]) -> Result<()> {
        let how = OpenOptions { exclusive: true, mode, ..OpenOptions::WRITE };
        match self.namespace.open(&SYSTEM, &self.root, path.as_bytes(), &how)? {
            Opened::File { file, .. } => match file.write_at(contents, 0)? {
                count if count == contents.len() => Ok(()),
                _ => Err(Errno::NoSpc),
            },
            _ => Err(Errno::Inval),
        }
    }

    fn link(&self, path: &str, target: &str) -> Result<()> {
        self.namespace.symlink(&SYSTEM, target.as_bytes(), &self.root, path.as_bytes())
    }

    fn device(&self, path: &str, major: u32, minor: u32) -> Result<()> {
        self.namespace.make_device(&SYSTEM, &self.root, path.as_bytes(), major << 8 | minor, 0o666)
    }

    fn own(&self, owner: &Context, path: &str) -> Result<()> {
        let owner = crate::SetAttributes { uid: Some(owner.uid), gid: Some(owner.gid), ..Default::default() };
        self.namespace.set_attributes(&SYSTEM, &self.root, path.as_bytes(), crate::Follow::No, &owner)
    }
}
