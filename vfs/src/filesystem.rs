//! The implementor's side: what a filesystem must offer to be mounted.

use crate::{
    Context, Errno, File, FileKind, Location, Metadata, Result, SetAttributes, Snapshot, StatFs, TimeSource,
};
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// A filesystem that can be mounted in a [`Namespace`](crate::Namespace).
///
/// # Contract
/// * A filesystem knows nodes and single names. Paths, `.` and `..`, following of symbolic links, mounts, trailing
///   slashes and permissions are the namespace's; it calls these methods only with valid names (not empty, not `.` or
///   `..`, at most 255 bytes, without `/` and NUL), with nodes of this filesystem, and after it has checked what the
///   caller may do. The exception is search permission on the directories inside [`walk`](Self::walk).
/// * What a name refers to may change between two calls: each method checks types and existence itself and is atomic.
/// * Methods are called from many threads and do not call back into a namespace.
/// * [`Metadata::dev`] is left 0.
pub trait FileSystem: Send + Sync {
    /// The root directory.
    fn root(&self) -> Node;

    /// Follows `names` down from the directory `from`, one or more at a time.
    ///
    /// Stops after a symbolic link, after a directory whose inode number is in `mountpoints` (sorted), or at the last
    /// name. Each directory searched needs search permission for `cx` (`EACCES`), a missing name is `ENOENT`, going
    /// through something that is neither directory nor link is `ENOTDIR`. `names` is not empty.
    fn walk(&self, cx: &Context, from: &Node, names: &[&[u8]], mountpoints: &[u64]) -> Result<Walk>;

    /// Attributes of one name in a directory, its last name not followed, where that costs less than a
    /// [`walk`](Self::walk); `None`, the default, means that a walk is to be made. Permissions and errors as there.
    fn lookup_metadata(&self, cx: &Context, directory: &Node, name: &[u8]) -> Option<Result<Metadata>> {
        let _ = (cx, directory, name);
        None
    }

    /// Opens the regular file of this name for reading, where that costs less than a [`walk`](Self::walk) and
    /// [`open`](Self::open); `None`, the default, means that these are to be made, as for what is no regular file.
    /// Search permission on the directory and read permission on the file are checked (`EACCES`).
    fn open_regular(
        &self,
        cx: &Context,
        directory: &Node,
        name: &[u8],
    ) -> Option<Result<(Node, Arc<dyn File>)>> {
        let _ = (cx, directory, name);
        None
    }

    /// As [`open_regular`](Self::open_regular) for the directory of this name, to list it.
    fn open_directory(
        &self,
        cx: &Context,
        directory: &Node,
        name: &[u8],
    ) -> Option<Result<(Node, Arc<dyn File>)>> {
        let _ = (cx, directory, name);
        None
    }

    /// The directory that holds the directory `node`; the root is its own parent. `ENOENT` once removed.
    fn parent(&self, node: &Node) -> Result<Node>;

    /// A path to the node from this filesystem's root, without a leading slash, empty for the root. `ENOENT` when it
    /// has been removed or no name of it is known.
    fn path(&self, node: &Node) -> Result<Vec<u8>>;

    /// The node's attributes.
    fn metadata(&self, node: &Node) -> Result<Metadata>;

    /// Whether the directory `inner` is `outer` or lies below it.
    fn is_inside(&self, inner: &Node, outer: &Node) -> Result<bool> {
        let (mut at, root) = (inner.clone(), self.root());
        while at.ino() != outer.ino() {
            if at.ino() == root.ino() {
                return Ok(false);
            }
            crate::patience::spend(LEVEL)?;
            at = self.parent(&at)?;
        }
        Ok(true)
    }

    /// Changes attributes. The caller has checked who may. A new size sets the modification time, any change the change
    /// time.
    fn set_attributes(&self, node: &Node, attributes: &SetAttributes) -> Result<()>;

    /// The text of a symbolic link; `EINVAL` for another kind.
    fn read_link(&self, cx: &Context, node: &Node) -> Result<Vec<u8>>;

    /// Where a symbolic link leads. Only a filesystem with magic links (procfs) answers other than with the text.
    fn follow_link(&self, cx: &Context, node: &Node) -> Result<LinkTarget> {
        self.read_link(cx, node).map(LinkTarget::Path)
    }

    /// The attributes of what a magic link ([`LinkTarget::Descriptor`] without a location) stands for.
    fn descriptor_metadata(&self, cx: &Context, node: &Node) -> Result<Metadata> {
        let _ = cx;
        self.metadata(node)
    }

    /// Opens a regular file or a directory. The caller has checked that `cx` may.
    fn open(&self, cx: &Context, node: &Node, access: Access) -> Result<Arc<dyn File>>;

    /// Creates `name` in the directory. `EEXIST` when there is such a name, `ENOENT` when the directory has been
    /// removed.
    ///
    /// A regular file's node can be opened for reading and writing whatever its mode.
    fn create(&self, directory: &Node, name: &[u8], new: &NewNode<'_>) -> Result<Node>;

    /// Gives `node` (not a directory) one more name.
    fn link(&self, node: &Node, directory: &Node, name: &[u8]) -> Result<()>;

    /// Removes a name that is not a directory's (`EISDIR`).
    fn unlink(&self, directory: &Node, name: &[u8]) -> Result<()>;

    /// Removes an empty directory.
    fn remove_dir(&self, directory: &Node, name: &[u8]) -> Result<()>;

    /// Renames by the rules of `rename(2)`, replacing atomically: nothing happens when both are names of one file;
    /// `EINVAL` into itself; `ENOTEMPTY`, `EISDIR`, `ENOTDIR` by what is replaced.
    fn rename(&self, old: (&Node, &[u8]), new: (&Node, &[u8])) -> Result<()>;

    /// Renames without replacing anything, atomically where the filesystem can: see [`RenameHow`]. The default looks
    /// for a vacant name first, and cannot exchange (`EINVAL`, which is also the answer of a filesystem of the host's
    /// that cannot).
    fn rename_as(&self, old: (&Node, &[u8]), new: (&Node, &[u8]), how: RenameHow) -> Result<()> {
        match how {
            RenameHow::Vacant => match self.walk(&Context::ROOT, new.0, &[new.1], &[]) {
                Ok(_) => Err(Errno::Exist),
                Err(Errno::NoEnt) => self.rename(old, new),
                Err(errno) => Err(errno),
            },
            RenameHow::Exchange => Err(Errno::Inval),
        }
    }

    /// Makes everything durable that was written, where there is something durable.
    fn sync(&self) -> Result<()> {
        Ok(())
    }

    /// Sizes and limits.
    fn stat_fs(&self) -> Result<StatFs>;

    /// A copy for a forked namespace, made in constant time; `None` when the copy shares this filesystem.
    fn fork(&self) -> Option<Arc<dyn FileSystem>> {
        None
    }

    /// The node of this filesystem that corresponds to `node` of the filesystem it was forked from.
    fn adopt(&self, node: &Node) -> Result<Node> {
        Ok(node.clone())
    }

    /// Everything as it is now, with the same inode numbers, where all of it is in memory and taking it costs nothing:
    /// a search then needs no handle for each file. `None`, the default, elsewhere.
    fn frozen(&self) -> Option<Snapshot> {
        None
    }

    /// Whether a mount may create its mount point here (true only where that touches nothing but memory).
    fn in_memory(&self) -> bool {
        false
    }

    /// Whether every change is refused; a mount of it is then read-only.
    fn read_only(&self) -> bool {
        false
    }

    /// Whether a FIFO or device that is found here may be opened; else `ENXIO`.
    fn may_open_special(&self, node: &Node) -> bool {
        let _ = node;
        true
    }

    /// Takes timestamps from `time` from now on, where the filesystem makes any.
    fn set_time_source(&self, time: Arc<dyn TimeSource>) {
        let _ = time;
    }
}

/// What going up one directory counts as, in bytes of work: it can be a walk of its own.
const LEVEL: u64 = 16 << 10;

/// What [`FileSystem::walk`] reached.
#[derive(Debug)]
pub struct Walk {
    /// Where it stopped.
    pub node: Node,
    /// How many names it went, at least 1.
    pub consumed: usize,
    /// The directory that holds `node`; required when `node` is a symbolic link, else it may be left out.
    pub directory: Option<Node>,
    /// The node's attributes where they came with the walk.
    pub metadata: Option<Metadata>,
}

/// Where following a symbolic link leads.
#[derive(Clone)]
pub enum LinkTarget {
    /// To a path, relative to the link's own directory or absolute.
    Path(Vec<u8>),
    /// To a place that needs no name (`/proc/PID/cwd`).
    Location(Location),
    /// To a process's open descriptor (`/proc/PID/fd/N`); the location is known when it is a file of a filesystem.
    Descriptor {
        /// The process.
        pid: u32,
        /// Its descriptor.
        fd: u32,
        /// The open file's place.
        location: Option<Location>,
    },
}

/// What [`FileSystem::rename_as`] does about the new name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RenameHow {
    /// There must be no such name (`EEXIST`).
    Vacant,
    /// The two names change places.
    Exchange,
}

/// What an open file is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Access {
    /// Reading.
    pub read: bool,
    /// Writing.
    pub write: bool,
}

/// What [`FileSystem::create`] makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewNode<'a> {
    /// What it is.
    pub body: NewBody<'a>,
    /// Permission bits (0o7777); links always have 0o777.
    pub mode: u32,
    /// Owner.
    pub uid: u32,
    /// Group.
    pub gid: u32,
}

/// The kinds of node there are to create.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewBody<'a> {
    /// An empty regular file.
    File,
    /// An empty directory.
    Directory,
    /// A symbolic link to this path.
    Symlink(&'a [u8]),
    /// A named pipe.
    Fifo,
    /// A character device with Linux's number.
    CharDevice(u32),
}

/// A filesystem's own reference to one of its inodes. It keeps the inode alive; clones are the same inode.
#[derive(Clone)]
pub struct Node {
    ino: u64,
    kind: FileKind,
    inner: Arc<dyn Any + Send + Sync>,
}

impl Node {
    /// A node with this inode number and kind (both constant), and whatever the filesystem wants to find again.
    pub fn new<T: Any + Send + Sync>(ino: u64, kind: FileKind, inner: T) -> Self {
        Self { ino, kind, inner: Arc::new(inner) }
    }

    /// Inode number, as in [`Metadata::ino`].
    pub fn ino(&self) -> u64 {
        self.ino
    }

    /// Type of file.
    pub fn kind(&self) -> FileKind {
        self.kind
    }

    /// What the filesystem put in; `None` for another type.
    pub fn get<T: Any>(&self) -> Option<&T> {
        self.inner.downcast_ref()
    }
}

impl fmt::Debug for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Node({}, {:?})", self.ino, self.kind)
    }
}
