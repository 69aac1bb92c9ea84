//! The tree of mounts and the operations by path.

mod change;
mod mount;
mod open;
mod permission;
mod removal;
mod resolve;
mod survey;

pub use mount::{Location, MountInfo};
pub use survey::{Surveyed, Surveyor};

use crate::permit::permit;
use crate::{
    Context, Errno, File, FileKey, FileKind, FileSystem, Follow, Metadata, MountOptions, NewBody,
    OpenOptions, Result, SetAttributes, StatFs, TimeSource,
};
use mount::Table;
use resolve::Target;
use std::fmt;
use std::sync::Arc;

/// A tree of mounted filesystems with a path resolver. Clones refer to the same namespace.
///
/// Operations take the base of relative paths, as `openat` does, and the identity of the caller. The caller applies its
/// umask to modes. All operations follow Linux: paths have at most 4095 bytes and names at most 255 (`ENAMETOOLONG`),
/// at most 40 symbolic links are followed (`ELOOP`), the empty path is `ENOENT`, and a NUL byte is `EINVAL`.
#[derive(Clone)]
pub struct Namespace {
    table: Arc<Table>,
}

/// What [`Namespace::open`] opened.
pub enum Opened {
    /// A regular file.
    File {
        /// The open file.
        file: Arc<dyn File>,
        /// Its place.
        location: Location,
    },
    /// A directory: [`File::read_dir`] works.
    Directory {
        /// The open directory.
        file: Arc<dyn File>,
        /// Its place.
        location: Location,
    },
    /// A named pipe. The caller supplies the pipe, one for each key.
    Fifo {
        /// Its place.
        location: Location,
        /// Its identity.
        key: FileKey,
    },
    /// A character device. The caller supplies the driver.
    Device {
        /// Its place.
        location: Location,
        /// Linux's number: major << 8 | minor.
        rdev: u32,
    },
    /// A magic link to an open descriptor (`/proc/PID/fd/N`). The caller opens that again.
    Descriptor {
        /// The process.
        pid: u32,
        /// Its descriptor.
        fd: u32,
    },
}

impl Namespace {
    /// A namespace with this filesystem as its root.
    pub fn new(root: Arc<dyn FileSystem>, options: MountOptions) -> Self {
        Self { table: Arc::new(Table::new(root, options)) }
    }

    /// The root directory.
    pub fn root(&self) -> Location {
        self.table.root()
    }

    /// Mounts a filesystem over the directory at the absolute path `at`.
    ///
    /// Missing directories are created (mode 0755, user 1000) only if the filesystem there is in memory
    /// ([`FileSystem::in_memory`]); otherwise they are `ENOENT`. A later mount at the same path covers the earlier one.
    /// `EBUSY` for the root, `ENOTDIR` for other kinds of files. One filesystem can be mounted at several paths; all of
    /// them have the same device number.
    pub fn mount(&self, at: &[u8], fs: Arc<dyn FileSystem>, options: MountOptions) -> Result<()> {
        self.table.mount(self, at, fs, options)
    }

    /// Removes the mount whose root is at `at`. `EINVAL` if there is none, `EBUSY` if others are mounted inside.
    ///
    /// Open files and [`Location`]s in it stay usable.
    pub fn unmount(&self, at: &[u8]) -> Result<()> {
        self.table.unmount(self, at)
    }

    /// All mounts: the root first, the others in the order of mounting.
    pub fn mounts(&self) -> Vec<MountInfo> {
        self.table.list(self)
    }

    /// A copy of the namespace, in constant time for each mount. Filesystems in memory and the upper layers of overlays
    /// are forked, so that neither side sees the other's later changes; other filesystems are shared.
    ///
    /// A [`Location`] stays in the namespace that it comes from.
    pub fn fork(&self) -> Result<Self> {
        Ok(Self { table: Arc::new(self.table.fork()?) })
    }

    /// Makes every filesystem, including those mounted later, take its timestamps from `time`.
    pub fn set_time_source(&self, time: Arc<dyn TimeSource>) {
        self.table.set_time_source(time);
    }

    /// The file that `path` names.
    ///
    /// A magic link to a descriptor outside of filesystems, such as a pipe, is `ENXIO`.
    pub fn resolve(&self, cx: &Context, base: &Location, path: &[u8], follow: Follow) -> Result<Location> {
        self.find(cx, base, path, follow)?.location()
    }

    /// The absolute path of a file, as `getcwd` gives it: without links, `.` and `..`.
    ///
    /// `ENOENT` if it was removed. For a file that is not a directory, the path ends with the name that was given last;
    /// if that name was removed, it is `ENOENT` even if other names remain.
    pub fn absolute_path(&self, at: &Location) -> Result<Vec<u8>> {
        self.table.absolute_path(at)
    }

    /// Opens a file by the rules of `open(2)`.
    ///
    /// Never blocks. A FIFO, device or descriptor is not opened but returned to the caller: see [`Opened`]. A socket or
    /// block device is `ENXIO`. `EINVAL` for `create` with `directory`, as on Linux 6.4 and later.
    pub fn open(&self, cx: &Context, base: &Location, path: &[u8], how: &OpenOptions) -> Result<Opened> {
        open::open(self, cx, base, path, how)
    }

    /// Opens a file that was resolved already, by the rules of `open(2)`: its mode bits are checked.
    pub fn open_location(&self, cx: &Context, at: &Location, how: &OpenOptions) -> Result<Opened> {
        open::open_location(cx, at, how)
    }

    /// Attributes of the file that `path` names. If a magic link to a descriptor is followed, the descriptor's.
    pub fn metadata(&self, cx: &Context, base: &Location, path: &[u8], follow: Follow) -> Result<Metadata> {
        let mut resolver = resolve::Resolver::new(self, cx);
        let target = match resolver.split(base, path)? {
            Some((directory, name)) => match resolve::lookup_metadata(cx, &directory, name, follow)? {
                Some(metadata) => return Ok(metadata),
                None => resolver.finish(&directory, name, follow)?,
            },
            None => resolver.resolve(base, path, follow)?,
        };
        match target {
            Target::Found { at, metadata: Some(metadata) } => Ok(at.with_device(metadata)),
            target => match target.location_or_link()? {
                Ok(at) => at.metadata(),
                Err(link) => link.fs().descriptor_metadata(cx, link.node()),
            },
        }
    }

    /// Changes attributes by the rules of `chmod`, `chown`, `truncate` and `utimensat`.
    ///
    /// `EPERM` for a mode, owner or explicit time that the caller may not set; `EACCES` for a size or the current time
    /// without write permission; `EISDIR` for a directory's size; `EINVAL` for the size of anything else without one;
    /// `EROFS` on a read-only mount.
    pub fn set_attributes(
        &self,
        cx: &Context,
        base: &Location,
        path: &[u8],
        follow: Follow,
        attributes: &SetAttributes,
    ) -> Result<()> {
        self.resolve(cx, base, path, follow)?.set_attributes(cx, attributes)
    }

    /// Checks whether `cx` has all permissions of `mask`: read (4), write (2), execute or search (1). With 0, checks
    /// whether the file exists. `EACCES`, `EROFS`, or `EINVAL` for other bits.
    pub fn access(
        &self,
        cx: &Context,
        base: &Location,
        path: &[u8],
        follow: Follow,
        mask: u32,
    ) -> Result<()> {
        if mask & !7 != 0 {
            return Err(Errno::Inval);
        }
        match self.find(cx, base, path, follow)?.location_or_link()? {
            Ok(at) => {
                let metadata = at.metadata()?;
                if mask & 2 != 0 {
                    at.permit_write()?;
                }
                permit(cx, &metadata, mask)
            }
            Err(link) => permit(cx, &link.fs().descriptor_metadata(cx, link.node())?, mask),
        }
    }

    /// Creates a directory. `EEXIST` if the name exists, even as a dangling link.
    pub fn create_dir(&self, cx: &Context, base: &Location, path: &[u8], mode: u32) -> Result<()> {
        change::create(self, cx, base, path, NewBody::Directory, mode)
    }

    /// Creates a named pipe, a socket's name or an empty regular file; `EINVAL` for other kinds.
    pub fn make_node(
        &self,
        cx: &Context,
        base: &Location,
        path: &[u8],
        kind: FileKind,
        mode: u32,
    ) -> Result<()> {
        let body = match kind {
            FileKind::Fifo => NewBody::Fifo,
            FileKind::Regular => NewBody::File,
            FileKind::Socket => NewBody::Socket,
            _ => return Err(Errno::Inval),
        };
        change::create(self, cx, base, path, body, mode)
    }

    /// Creates a character device with Linux's number; `EPERM` for all but user 0.
    pub fn make_device(
        &self,
        cx: &Context,
        base: &Location,
        path: &[u8],
        rdev: u32,
        mode: u32,
    ) -> Result<()> {
        if cx.uid != 0 {
            return Err(Errno::Perm);
        }
        change::create(self, cx, base, path, NewBody::CharDevice(rdev), mode)
    }

    /// Creates a symbolic link with any text as target; `ENOENT` for an empty one, `ENAMETOOLONG` above 4095 bytes.
    pub fn symlink(&self, cx: &Context, target: &[u8], base: &Location, path: &[u8]) -> Result<()> {
        change::symlink(self, cx, target, base, path)
    }

    /// The text of a symbolic link; `EINVAL` for another kind.
    pub fn read_link(&self, cx: &Context, base: &Location, path: &[u8]) -> Result<Vec<u8>> {
        let at = self.resolve(cx, base, path, Follow::No)?;
        if at.kind() != FileKind::Symlink {
            return Err(Errno::Inval);
        }
        at.fs().read_link(cx, at.node())
    }

    /// Creates a hard link to a file. `EPERM` for a directory, `EXDEV` across mounts.
    pub fn hard_link(
        &self,
        cx: &Context,
        old_base: &Location,
        old: &[u8],
        follow: Follow,
        new_base: &Location,
        new: &[u8],
    ) -> Result<()> {
        let target = self.resolve(cx, old_base, old, follow)?;
        change::hard_link(self, cx, &target, new_base, new)
    }

    /// Removes a name that is not a directory's (`EISDIR`).
    pub fn unlink(&self, cx: &Context, base: &Location, path: &[u8]) -> Result<()> {
        change::unlink(self, cx, base, path)
    }

    /// Removes an empty directory; `EBUSY` for a mount point.
    pub fn remove_dir(&self, cx: &Context, base: &Location, path: &[u8]) -> Result<()> {
        change::remove_dir(self, cx, base, path)
    }

    /// Removes a directory with everything in it, as far as possible; the first error is returned. Links are not
    /// followed. The tree may be deeper than any path can be long.
    pub fn remove_tree(&self, cx: &Context, base: &Location, path: &[u8]) -> Result<()> {
        removal::remove_tree(self, cx, base, path)
    }

    /// Renames by the rules of `rename(2)`; `EXDEV` across mounts, `EBUSY` for a mount point.
    pub fn rename(
        &self,
        cx: &Context,
        old_base: &Location,
        old: &[u8],
        new_base: &Location,
        new: &[u8],
    ) -> Result<()> {
        change::rename(self, cx, (old_base, old), (new_base, new))
    }

    /// Shows everything below the directory `start` to `surveyor`, including mounts. Links are shown but not followed.
    ///
    /// Regular files come in the order of their paths' bytes, and a directory comes right before its contents.
    /// Filesystems in memory are shown as a snapshot; in others, each directory is shown as it was when it was opened.
    /// A directory that `cx` may not both read and search is left out.
    pub fn survey(&self, cx: &Context, start: &Location, surveyor: &mut dyn Surveyor) {
        survey::survey(self, cx, start, surveyor);
    }

    /// Sizes and limits of the filesystem that holds the file.
    pub fn stat_fs(&self, at: &Location) -> Result<StatFs> {
        at.fs().stat_fs()
    }

    fn find(&self, cx: &Context, base: &Location, path: &[u8], follow: Follow) -> Result<Target> {
        resolve::Resolver::new(self, cx).resolve(base, path, follow)
    }
}

impl fmt::Debug for Namespace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.mounts()).finish()
    }
}
