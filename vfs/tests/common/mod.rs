//! Helpers of the tests: short names for operations, and every kind of filesystem.
#![allow(dead_code, unreachable_pub, reason = "each test file uses its part")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use sandshell_vfs::{
    Context, Errno, File, FileSystem, Follow, HostAccess, HostDir, MemoryFs, Metadata, MountOptions,
    Namespace, OpenOptions, Opened, Overlay, SetAttributes,
};
use std::sync::Arc;

/// A namespace with an identity. Paths start at the root.
pub struct View {
    pub namespace: Namespace,
    pub cx: Context,
}

pub fn view(fs: Arc<dyn FileSystem>, cx: Context) -> View {
    View { namespace: Namespace::new(fs, MountOptions::default()), cx }
}

impl View {
    pub fn with(&self, cx: Context) -> Self {
        Self { namespace: self.namespace.clone(), cx }
    }

    pub fn open(&self, path: &str, how: OpenOptions) -> Result<Arc<dyn File>, Errno> {
        match self.namespace.open(&self.cx, &self.namespace.root(), path.as_bytes(), &how)? {
            Opened::File { file, .. } | Opened::Directory { file, .. } => Ok(file),
            _ => Err(Errno::NxIo),
        }
    }

    pub fn read(&self, path: &str) -> Result<String, Errno> {
        let file = self.open(path, OpenOptions::READ)?;
        let size = usize::try_from(file.metadata()?.size).unwrap();
        let mut bytes = vec![0; size];
        let count = file.read_at(&mut bytes, 0)?;
        assert_eq!(count, size);
        Ok(String::from_utf8(bytes).unwrap())
    }

    pub fn write(&self, path: &str, text: &str) -> Result<(), Errno> {
        let file = self.open(path, OpenOptions { mode: 0o644, ..OpenOptions::WRITE })?;
        let mut done = 0;
        while done < text.len() {
            done += file.write_at(&text.as_bytes()[done..], done as u64)?;
        }
        Ok(())
    }

    pub fn mkdir(&self, path: &str) -> Result<(), Errno> {
        self.namespace.create_dir(&self.cx, &self.namespace.root(), path.as_bytes(), 0o755)
    }

    pub fn symlink(&self, target: &str, path: &str) -> Result<(), Errno> {
        self.namespace.symlink(&self.cx, target.as_bytes(), &self.namespace.root(), path.as_bytes())
    }

    pub fn link(&self, old: &str, new: &str) -> Result<(), Errno> {
        let root = self.namespace.root();
        self.namespace.hard_link(&self.cx, &root, old.as_bytes(), Follow::No, &root, new.as_bytes())
    }

    pub fn unlink(&self, path: &str) -> Result<(), Errno> {
        self.namespace.unlink(&self.cx, &self.namespace.root(), path.as_bytes())
    }

    pub fn rmdir(&self, path: &str) -> Result<(), Errno> {
        self.namespace.remove_dir(&self.cx, &self.namespace.root(), path.as_bytes())
    }

    pub fn rename(&self, old: &str, new: &str) -> Result<(), Errno> {
        let root = self.namespace.root();
        self.namespace.rename(&self.cx, &root, old.as_bytes(), &root, new.as_bytes())
    }

    pub fn chmod(&self, path: &str, mode: u32) -> Result<(), Errno> {
        self.set(path, SetAttributes { mode: Some(mode), ..Default::default() })
    }

    pub fn set(&self, path: &str, attributes: SetAttributes) -> Result<(), Errno> {
        let root = self.namespace.root();
        self.namespace.set_attributes(&self.cx, &root, path.as_bytes(), Follow::Yes, &attributes)
    }

    pub fn stat(&self, path: &str) -> Result<Metadata, Errno> {
        self.namespace.metadata(&self.cx, &self.namespace.root(), path.as_bytes(), Follow::Yes)
    }

    pub fn lstat(&self, path: &str) -> Result<Metadata, Errno> {
        self.namespace.metadata(&self.cx, &self.namespace.root(), path.as_bytes(), Follow::No)
    }

    pub fn access(&self, path: &str, mask: u32) -> Result<(), Errno> {
        self.namespace.access(&self.cx, &self.namespace.root(), path.as_bytes(), Follow::Yes, mask)
    }

    pub fn list(&self, path: &str) -> Result<Vec<String>, Errno> {
        let file = self.open(path, OpenOptions { directory: true, ..OpenOptions::READ })?;
        let mut names = Vec::new();
        let mut cursor = 0;
        loop {
            let batch = file.read_dir(&self.cx, cursor)?;
            let Some(last) = batch.last() else {
                return Ok(names);
            };
            cursor = last.next;
            names.extend(batch.iter().map(|entry| String::from_utf8(entry.name.to_vec()).unwrap()));
        }
    }
}

/// One kind of filesystem, empty and writable, and its features.
pub struct Kind {
    pub name: &'static str,
    pub fs: Arc<dyn FileSystem>,
    /// Modes, links, times and open files are those of POSIX: not in a directory of a Windows host (`windows.rs`).
    pub posix: bool,
    /// Files can belong to others than user 1000.
    pub owners: bool,
    pub fifos: bool,
    pub keep: Option<tempfile::TempDir>,
}

pub fn every_kind() -> Vec<Kind> {
    let memory = Arc::new(MemoryFs::new());
    let host_directory = tempfile::tempdir().unwrap();
    let host = Arc::new(HostDir::open(host_directory.path(), HostAccess::ReadWrite).unwrap());
    let below = Arc::new(MemoryFs::new());
    let over_memory = Arc::new(Overlay::new(below).unwrap());
    let below_directory = tempfile::tempdir().unwrap();
    let below = Arc::new(HostDir::open(below_directory.path(), HostAccess::ReadOnly).unwrap());
    let over_host = Arc::new(Overlay::new(below).unwrap());
    vec![
        Kind { name: "memory", fs: memory, posix: true, owners: true, fifos: true, keep: None },
        Kind {
            name: "host",
            fs: host,
            posix: !cfg!(windows),
            owners: false,
            fifos: false,
            keep: Some(host_directory),
        },
        Kind {
            name: "overlay over memory",
            fs: over_memory,
            posix: true,
            owners: true,
            fifos: true,
            keep: None,
        },
        Kind {
            name: "overlay over host",
            fs: over_host,
            posix: true,
            owners: true,
            fifos: true,
            keep: Some(below_directory),
        },
    ]
}
