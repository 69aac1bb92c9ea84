//! The trait that a filesystem implements to be mounted.

use crate::{
    Context, Errno, File, FileKind, Location, Metadata, Result, SetAttributes, Snapshot, StatFs, TimeSource,
};
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// A filesystem that can be mounted in a [`Namespace`](crate::Namespace).
///
/// # Contract
/// * A filesystem deals with nodes and single names. The namespace handles paths, `.` and `..`, symbolic links, mounts,
///   trailing slashes and permissions. It calls these methods only with valid names (not empty, not `.` or `..`, at
///   most 255 bytes, without `/` and NUL), with nodes of this filesystem, and after it has checked the caller's
///   permissions. The exception is search permission on the directories that [`walk`](Self::walk) passes through.
/// * What a name refers to may change between two calls: each method checks types and existence itself and is atomic.
/// * Methods are called from many threads and do not call back into a namespace.
/// * [`Metadata::dev`] is left 0.
pub trait FileSystem: Send + Sync {
    /// The root directory.
    fn root(&self) -> Node;

    /// Walks down from the directory `from` along `names`, by at least one name.
    ///
    /// Stops after a symbolic link, after a directory whose inode number is in `mountpoints` (sorted), or at the last
    /// name. Each directory that is searched needs search permission for `cx` (`EACCES`). A missing name is `ENOENT`,
    /// and passing through something that is neither a directory nor a link is `ENOTDIR`. `names` is not empty.
    fn walk(&self, cx: &Context, from: &Node, names: &[&[u8]], mountpoints: &[u64]) -> Result<Walk>;

    /// The directory to which a [`walk`](Self::walk) from `from` along `path`, plain names with single slashes between
    /// them, would lead at this moment, if that is known without one. `None`, the default, otherwise, and for every
    /// other form of a path.
    fn known_directory(&self, cx: &Context, from: &Node, path: &[u8], mountpoints: &[u64]) -> Option<Node> {
        let _ = (cx, from, path, mountpoints);
        None
    }

    /// Attributes of one name in a directory, without following a link, if that costs less than a [`walk`](Self::walk).
    /// `None`, the default, means that the caller must walk instead. Permissions and errors are those of `walk`.
    fn lookup_metadata(&self, cx: &Context, directory: &Node, name: &[u8]) -> Option<Result<Metadata>> {
        let _ = (cx, directory, name);
        None
    }

    /// Opens the regular file of this name for reading, if that costs less than a [`walk`](Self::walk) and an
    /// [`open`](Self::open). `None`, the default, means that the caller must use those instead; it is also the answer
    /// for other kinds of files. Checks search permission on the directory and read permission on the file (`EACCES`).
    fn open_regular(
        &self,
        cx: &Context,
        directory: &Node,
        name: &[u8],
    ) -> Option<Result<(Node, Arc<dyn File>)>> {
        let _ = (cx, directory, name);
        None
    }

    /// As [`open_regular`](Self::open_regular), for a directory that is to be listed.
    fn open_directory(
        &self,
        cx: &Context,
        directory: &Node,
        name: &[u8],
    ) -> Option<Result<(Node, Arc<dyn File>)>> {
        let _ = (cx, directory, name);
        None
    }

    /// The parent of the directory `node`. The root is its own parent. `ENOENT` if `node` has been removed.
    fn parent(&self, node: &Node) -> Result<Node>;

    /// A path to the node from this filesystem's root, without a leading slash, empty for the root. `ENOENT` if it has
    /// been removed or no name of it is known.
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
            crate::time_budget::spend(LEVEL)?;
            at = self.parent(&at)?;
        }
        Ok(true)
    }

    /// Changes attributes. The caller has checked the permissions. A new size updates the modification time, and any
    /// change updates the change time.
    fn set_attributes(&self, node: &Node, attributes: &SetAttributes) -> Result<()>;

    /// The text of a symbolic link; `EINVAL` for another kind.
    fn read_link(&self, cx: &Context, node: &Node) -> Result<Vec<u8>>;

    /// Where a symbolic link leads: to its text, except for magic links as in procfs.
    fn follow_link(&self, cx: &Context, node: &Node) -> Result<LinkTarget> {
        self.read_link(cx, node).map(LinkTarget::Path)
    }

    /// The attributes of a magic link's target, for a [`LinkTarget::Descriptor`] without a location.
    fn descriptor_metadata(&self, cx: &Context, node: &Node) -> Result<Metadata> {
        let _ = cx;
        self.metadata(node)
    }

    /// Opens a regular file or a directory. The caller has checked the permissions.
    fn open(&self, cx: &Context, node: &Node, access: Access) -> Result<Arc<dyn File>>;

    /// Creates `name` in the directory. `EEXIST` if the name exists, `ENOENT` if the directory has been removed.
    ///
    /// The node of a new regular file can be opened for reading and writing, whatever its mode is.
    fn create(&self, directory: &Node, name: &[u8], new: &NewNode<'_>) -> Result<Node>;

    /// Creates a hard link to `node`, which is not a directory.
    fn link(&self, node: &Node, directory: &Node, name: &[u8]) -> Result<()>;

    /// Removes a name that is not a directory's (`EISDIR`).
    fn unlink(&self, directory: &Node, name: &[u8]) -> Result<()>;

    /// Removes an empty directory.
    fn remove_dir(&self, directory: &Node, name: &[u8]) -> Result<()>;

    /// Renames by the rules of `rename(2)` and replaces atomically. Nothing happens if both names are links of one
    /// file. `EINVAL` if a directory would be moved into itself; `ENOTEMPTY`, `EISDIR` or `ENOTDIR` if the new name
    /// cannot be replaced.
    fn rename(&self, old: (&Node, &[u8]), new: (&Node, &[u8])) -> Result<()>;

    /// Renames without replacing anything, as `how` says, and atomically if the filesystem can. The default first
    /// checks that the new name is free, and cannot exchange (`EINVAL`). `EINVAL` is also the error of a filesystem of
    /// the host that cannot do this.
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

    /// Makes everything that was written durable, if the filesystem is.
    fn sync(&self) -> Result<()> {
        Ok(())
    }

    /// Sizes and limits.
    fn stat_fs(&self) -> Result<StatFs>;

    /// A copy for a forked namespace, made in constant time. `None`, the default: the forked namespace shares this
    /// filesystem.
    fn fork(&self) -> Option<Arc<dyn FileSystem>> {
        None
    }

    /// The node that corresponds to `node` of the filesystem that this one was forked from.
    fn adopt(&self, node: &Node) -> Result<Node> {
        Ok(node.clone())
    }

    /// A snapshot with the same inode numbers, if everything is in memory and a snapshot is free; a search then needs
    /// no handle for each file. `None`, the default, otherwise.
    fn frozen(&self) -> Option<Snapshot> {
        None
    }

    /// Whether a mount may create its mount point here. True only if that changes nothing but memory.
    fn in_memory(&self) -> bool {
        false
    }

    /// Whether every change is refused. Then its mounts are read-only.
    fn read_only(&self) -> bool {
        false
    }

    /// Whether this FIFO or device may be opened; otherwise opening it is `ENXIO`.
    fn may_open_special(&self, node: &Node) -> bool {
        let _ = node;
        true
    }

    /// The mode that a file of this kind can have here and that is nearest to `mode`: another one only where the host
    /// has no mode bits.
    fn nearest_mode(&self, kind: FileKind, mode: u32) -> u32 {
        let _ = kind;
        mode
    }

    /// Takes timestamps from `time` from now on, if the filesystem creates any.
    fn set_time_source(&self, time: Arc<dyn TimeSource>) {
        let _ = time;
    }
}

/// The cost of going up one directory, in bytes of work. It can be a walk of its own.
const LEVEL: u64 = 16 << 10;

/// What [`FileSystem::walk`] reached.
#[derive(Debug)]
pub struct Walk {
    /// The node where it stopped.
    pub node: Node,
    /// How many names were walked, at least 1.
    pub consumed: usize,
    /// The directory that holds `node`. Required if `node` is a symbolic link, otherwise optional.
    pub directory: Option<Node>,
    /// The node's attributes, if the walk determined them.
    pub metadata: Option<Metadata>,
}

/// Where following a symbolic link leads.
#[derive(Clone)]
pub enum LinkTarget {
    /// To a path, relative to the link's own directory or absolute.
    Path(Vec<u8>),
    /// To a file directly, without a path (`/proc/PID/cwd`).
    Location(Location),
    /// To a process's open descriptor (`/proc/PID/fd/N`).
    Descriptor {
        /// The process.
        pid: u32,
        /// Its descriptor.
        fd: u32,
        /// The location of the open file, if it is in a filesystem.
        location: Option<Location>,
    },
}

/// How [`FileSystem::rename_as`] treats the new name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RenameHow {
    /// The new name must not exist (`EEXIST`).
    Vacant,
    /// The two names are exchanged.
    Exchange,
}

/// The access with which a file is opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Access {
    /// Reading.
    pub read: bool,
    /// Writing.
    pub write: bool,
}

/// What [`FileSystem::create`] creates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewNode<'a> {
    /// The kind of node.
    pub body: NewBody<'a>,
    /// Permission bits (0o7777); links always have 0o777.
    pub mode: u32,
    /// Owner.
    pub uid: u32,
    /// Group.
    pub gid: u32,
}

/// The kinds of nodes that can be created.
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
    /// The name of a socket.
    Socket,
    /// A character device with Linux's number.
    CharDevice(u32),
}

/// A filesystem's own reference to one of its inodes. It keeps the inode alive. Clones refer to the same inode.
#[derive(Clone)]
pub struct Node {
    ino: u64,
    kind: FileKind,
    inner: Arc<dyn Any + Send + Sync>,
}

impl Node {
    /// A node with this inode number and kind, which must not change, and the filesystem's own data.
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

    /// The filesystem's own data; `None` if it has another type.
    pub fn get<T: Any>(&self) -> Option<&T> {
        self.inner.downcast_ref()
    }
}

impl fmt::Debug for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Node({}, {:?})", self.ino, self.kind)
    }
}
