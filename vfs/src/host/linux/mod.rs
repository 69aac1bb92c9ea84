//! A directory of the host by Linux's own system calls.

mod controls;
mod file;
mod known_kinds;
mod lock;
mod node;
mod path_cache;
mod permission;
mod retry;
mod withheld;

use super::{HostAccess, HostBudget, LARGE, OpenError, Withheld, budget, check_leads_to, open_between_looks};
use crate::permit::permit;
use crate::time_budget;
use crate::{
    Access, Context, Errno, File, FileKind, FileSystem, Metadata, NewBody, NewNode, Node, RenameHow, Result,
    SetAttributes, SetTime, StatFs, Walk,
};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, DirBuilder, DirBuilderExt, OpenOptions, OpenOptionsExt};
use file::{HostDirectory, HostFile, PRIVILEGES, clear_privileges};
use known_kinds::KnownKinds;
use node::{HostNode, Owner, Trusted, proc_path};
use path_cache::{CachedWalk, Moment, PathCache};
use retry::retry;
use rustix::fs::{AtFlags, CWD, Mode, OFlags, RenameFlags, ResolveFlags, Timespec, Timestamps};
use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

/// A filesystem that shows a directory of the host with everything below it, and nothing else.
///
/// # Confinement
/// Each file is reached from the open root directory by names that are not `..` and without following links: by one
/// `openat2` with `RESOLVE_BENEATH` and `RESOLVE_NO_SYMLINKS` for a whole path, or by one `openat` with `O_NOFOLLOW`
/// for each name. Changes are made through `cap-std` on such a handle with a single name. The
/// [`Namespace`](crate::Namespace) resolves symbolic links inside the sandbox, so an absolute link is relative to the
/// sandbox's root. If somebody on the host moves a directory out of the root while the sandbox has it open, the sandbox
/// keeps access to it.
///
/// A link that the sandbox creates is an ordinary link on the host, and host programs follow it. So check what a
/// sandbox wrote before you trust it.
///
/// # Owners, modes and times
/// Files of the user who runs this program appear to belong to user 1000, files of that user's group to group 1000, and
/// all others to `nobody`, 65534. An owner cannot be changed (`EPERM`). Mode bits and times are the host's, and times
/// of changes come from the host's clock. Set-user-ID and set-group-ID bits cannot be set (`EPERM`), and are cleared
/// when a file's contents change, even for the superuser; but a new directory inherits the host's set-group-ID. New
/// files belong to the user who runs this program. The host's kernel checks search permission along a path, except if
/// that user is the superuser, whom the kernel never refuses. Then the bits are checked here, and changes to them by
/// other programs of the host take effect with the delay that is described below.
///
/// # Special files
/// Devices, FIFOs and sockets of the host are visible but cannot be opened (`ENXIO`), and none can be created
/// (`EPERM`). Should another program of the host put one in the place of a regular file that a sandbox listed within
/// the last 50 ms, it may be opened for reading, without waiting, and closed again at once.
///
/// # Files that the host's kernel makes
/// In filesystems such as `proc` and `sysfs`, the root of one or mounted somewhere below the directory, nothing is
/// changed (`EACCES`), and files that only their owner may read are not read: `/proc/self/mem` would be the memory of
/// this program.
///
/// # What a sandbox learns about the host
/// Nothing about its disk. Inode numbers are derived from the host's: they are stable but reveal nothing. Size, free
/// space and type of the filesystem come from the [`HostBudget`].
///
/// # Cached directories
/// Some of the directories on recently used paths are cached for a moment. If another program of the host renames such
/// a directory, or removes its search permission, that takes effect at the clock's next tick, or, if walking the path
/// took long, after ten times that duration. Changes that are made through this program take effect at once.
///
/// An open file holds one or two descriptors of this program, and up to 64 directories are cached. All of them count in
/// the budget.
pub struct HostDir {
    root: Node,
    access: HostAccess,
    owner: Owner,
    path_cache: PathCache,
    known_kinds: Arc<KnownKinds>,
    withheld: Arc<Withheld>,
}

/// The most names that are walked in one step. `MAX_CHECKED_STEP` applies if permissions are checked here, because each
/// name then costs a walk from the start of the step.
const MAX_CHECKED_STEP: usize = 8;
const MAX_STEP: usize = 32;

/// The longest path in one step, in bytes: well below the kernel's limit.
const MAX_STEP_PATH: usize = 2048;

/// The cost of walking a name, in bytes of work.
const NAME: u64 = 128;

/// How often `openat2` is tried again if a race prevented an answer.
const RETRIES: usize = 16;

impl HostDir {
    /// Opens a directory of the host. This path, unlike all others here, is resolved by the host, and symbolic links in
    /// it are followed.
    pub fn open(path: impl AsRef<Path>, access: HostAccess) -> io::Result<Self> {
        Self::opened(Dir::open_ambient_dir(path, ambient_authority())?, access, HostBudget::default())
    }

    /// As [`open`](Self::open), but exposes nothing that is [`Withheld`], and uses no more of the host than `budget`
    /// allows. Directories of one sandbox can share a budget.
    ///
    /// # Errors
    /// [`OpenError::GivesAway`] for a directory through which a withheld place could be changed, if it is to be
    /// writable.
    pub fn open_withholding(
        path: impl AsRef<Path>,
        access: HostAccess,
        withheld: &Arc<Withheld>,
        budget: HostBudget,
    ) -> std::result::Result<Self, OpenError> {
        Self::withholding(Dir::open_ambient_dir(path, ambient_authority())?, access, withheld, budget)
    }

    /// As [`open_withholding`](Self::open_withholding), of an absolute path without links.
    ///
    /// # Errors
    /// As there, and that the path has links, as [`check_leads_to`](crate::check_leads_to) tells: somebody may have put
    /// them there. Where `openat2` is missing, the path is looked at before and after.
    pub fn open_real(
        path: impl AsRef<Path>,
        access: HostAccess,
        withheld: &Arc<Withheld>,
        budget: HostBudget,
    ) -> std::result::Result<Self, OpenError> {
        Self::withholding(open_unlinked(path.as_ref())?, access, withheld, budget)
    }

    fn withholding(
        dir: Dir,
        access: HostAccess,
        withheld: &Arc<Withheld>,
        budget: HostBudget,
    ) -> std::result::Result<Self, OpenError> {
        // Check the directory that was opened: its path may lead to another one by now.
        if access == HostAccess::ReadWrite
            && let Some(place) = withheld.given_away_by(&dir).map_err(io::Error::from)?
        {
            return Err(OpenError::GivesAway(place.to_owned()));
        }
        let mut opened = Self { withheld: withheld.clone(), ..Self::opened(dir, access, budget)? };
        if access == HostAccess::ReadOnly {
            let trusted = Trusted::new(opened.host(&opened.root).map_err(io::Error::from)?, withheld);
            opened.owner.trusted = Some(Arc::new(trusted));
        }
        Ok(opened)
    }

    fn opened(dir: Dir, access: HostAccess, budget: HostBudget) -> io::Result<Self> {
        let owner = Owner::current(dir.as_fd(), access, budget)?;
        let root = HostNode::new(dir.into_std_file().into(), None, &owner)?.into_node();
        Ok(Self {
            root,
            access,
            owner,
            path_cache: PathCache::default(),
            known_kinds: Arc::default(),
            withheld: Arc::default(),
        })
    }

    fn host<'a>(&self, node: &'a Node) -> Result<&'a HostNode> {
        node.get::<HostNode>().ok_or(Errno::Stale)
    }

    fn directory<'a>(&self, node: &'a Node) -> Result<&'a Dir> {
        self.host(node)?.directory()
    }

    /// Refuses to change a file, or the names of a directory.
    fn writable(&self, node: &Node) -> Result<()> {
        if self.access != HostAccess::ReadWrite {
            return Err(Errno::RoFs);
        }
        self.owner.permit_change(self.host(node)?)
    }

    fn adopt_fd(&self, fd: OwnedFd) -> Result<HostNode> {
        HostNode::new(fd, Some(self.host(&self.root)?), &self.owner)
    }

    /// The file of one name, without following a link.
    fn step(&self, directory: &HostNode, name: &[u8]) -> Result<HostNode> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let fd = retry(|| rustix::fs::openat(directory.as_fd(), name, flags, Mode::empty()))?;
        self.adopt_fd(fd)
    }

    /// Walks several names in one system call. `None` if there is a link on the way or the kernel does not support it.
    fn walk_many(&self, from: &HostNode, names: &[&[u8]]) -> Result<Option<HostNode>> {
        let path = names.join(&b'/');
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let confined = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        for _ in 0..RETRIES {
            match rustix::fs::openat2(from.as_fd(), path.as_slice(), flags, Mode::empty(), confined) {
                Ok(fd) => return self.adopt_fd(fd).map(Some),
                Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => {}
                Err(rustix::io::Errno::LOOP | rustix::io::Errno::NOSYS | rustix::io::Errno::PERM) => break,
                Err(errno) => return Err(Errno::from_raw(errno.raw_os_error())),
            }
        }
        Ok(None)
    }

    /// Checks search permission on the directories that `names` are looked up in, if the kernel does not check it.
    fn searchable(&self, cx: &Context, from: &HostNode, names: &[&[u8]]) -> Result<()> {
        if cx.uid == 0 || !self.owner.superuser {
            return Ok(());
        }
        permit(cx, &from.permission(&self.owner)?, 1)?;
        for upto in 1..names.len() {
            let path = names.get(..upto).unwrap_or_default().join(&b'/');
            let stat =
                retry(|| rustix::fs::statat(from.as_fd(), path.as_slice(), AtFlags::SYMLINK_NOFOLLOW))?;
            permit(cx, &self.owner.metadata(&stat), 1)?;
        }
        Ok(())
    }

    /// Accounts for the time of a removal, which is long if the name may be the last one of a large file.
    fn spend_on_removal(&self, directory: &Node, name: &[u8]) -> Result<()> {
        match rustix::fs::statat(self.host(directory)?.as_fd(), name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) if stat.st_blocks > LARGE.cast_signed() / 512 => time_budget::spend(u64::MAX),
            _ => Ok(()),
        }
    }

    /// Whether files of this program on which it has locks may be seen in this directory.
    fn shows_locked(&self) -> bool {
        !self.withheld.locked.is_empty()
            && self.owner.trusted.as_ref().is_some_and(|trusted| trusted.is_shown())
    }

    /// Opens a regular file for reading, without a walk. `None` if it is no regular file, or was replaced meanwhile.
    fn open_regular_directly(
        &self,
        cx: &Context,
        directory: &Node,
        name: &[u8],
    ) -> Result<Option<(Node, Arc<dyn File>)>> {
        if self.shows_locked() {
            // Some files there must not be opened, not even to look at them.
            return Ok(None);
        }
        let here = self.host(directory)?;
        here.directory()?;
        self.searchable(cx, here, &[name])?;
        // The type must be known first, because opening a device or a pipe has effects.
        if !self.known_kinds.is_regular(here.identity(), name) {
            let seen = retry(|| rustix::fs::statat(here.as_fd(), name, AtFlags::SYMLINK_NOFOLLOW))?;
            if FileKind::from_mode(seen.st_mode) != Some(FileKind::Regular) {
                return Ok(None);
            }
            permit(cx, &self.owner.metadata(&seen), 4)?;
        }
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let opened = retry(|| rustix::fs::openat(here.as_fd(), name, flags, Mode::empty()));
        let Ok(fd) = opened else { return Ok(None) };
        let node = HostNode::opened(fd, self.host(&self.root)?, &self.owner)?;
        let shown = !node.is_secret(&self.withheld) && self.owner.permit_reading(&node).is_ok();
        if node.kind() != FileKind::Regular || !shown {
            return Ok(None);
        }
        // Whatever was looked at, this is what was opened.
        permit(cx, &node.first_metadata(), 4)?;
        let file = HostFile::reading(node.clone(), self.owner.clone());
        Ok(Some((node.into_node(), Arc::new(file))))
    }

    /// Opens a directory for listing, without a walk. `None` if it is no directory or cannot be opened in this way.
    fn open_directory_directly(
        &self,
        cx: &Context,
        directory: &Node,
        name: &[u8],
    ) -> Result<Option<(Node, Arc<dyn File>)>> {
        let here = self.host(directory)?;
        here.directory()?;
        self.searchable(cx, here, &[name])?;
        let moment = Moment::now();
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let opened = retry(|| rustix::fs::openat(here.as_fd(), name, flags, Mode::empty()));
        let Ok(fd) = opened else { return Ok(None) };
        let node = HostNode::new(fd, Some(self.host(&self.root)?), &self.owner)?;
        permit(cx, &node.first_metadata(), 4)?;
        let file =
            HostDirectory::opened(node.clone(), self.owner.clone(), self.access, self.known_kinds.clone());
        let node = node.into_node();
        self.path_cache.keep_opened(here.identity(), name, moment, &node);
        Ok(Some((node, Arc::new(file))))
    }

    /// The current path from the root, from the kernel.
    fn relative(&self, node: &HostNode) -> Result<Vec<u8>> {
        if node.is(self.host(&self.root)?) {
            return Ok(Vec::new());
        }
        node.path_below(self.host(&self.root)?)
    }
}

/// Opens a directory by a path without links.
fn open_unlinked(path: &Path) -> io::Result<Dir> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    for _ in 0..RETRIES {
        match rustix::fs::openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
            Ok(fd) => return Ok(Dir::from_std_file(fd.into())),
            Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => {}
            Err(rustix::io::Errno::NOSYS | rustix::io::Errno::PERM) => {
                return open_between_looks(path, || Dir::open_ambient_dir(path, ambient_authority()));
            }
            Err(errno) => {
                // A link, which this error does not tell of.
                check_leads_to(path, path)?;
                return Err(errno.into());
            }
        }
    }
    Err(rustix::io::Errno::AGAIN.into())
}

impl FileSystem for HostDir {
    fn root(&self) -> Node {
        self.root.clone()
    }

    fn read_only(&self) -> bool {
        self.access == HostAccess::ReadOnly
    }

    fn walk(&self, cx: &Context, from: &Node, names: &[&[u8]], mountpoints: &[u64]) -> Result<Walk> {
        let start = self.host(from)?;
        start.directory()?;
        let moment = Moment::now();
        // A single name is looked up: only `known_directory` uses what is kept of it, for a path that goes on.
        let single = names.len() == 1;
        let joined = if single { Vec::new() } else { names.join(&b'/') };
        let path = if single { names.first().copied().unwrap_or_default() } else { joined.as_slice() };
        let mut cached =
            (!path.is_empty()).then(|| self.path_cache.walk(cx, start.identity(), path, mountpoints));
        let kept = cached.as_mut().filter(|_| !single).and_then(CachedWalk::farthest);
        let (mut directory, mut done, mut length) = kept.unwrap_or_else(|| (from.clone(), 0, 0));
        if done > 0 && done == names.len() {
            return Ok(Walk { node: directory, consumed: done, directory: None, metadata: None });
        }
        let checked_here = cx.uid != 0 && self.owner.superuser;
        let last = names.len().saturating_sub(1);
        // Names before this index are walked one by one, because a faster step has failed there or there are mount
        // points.
        let mut one_by_one_until = if mountpoints.is_empty() { 0 } else { names.len() };
        while let Some(name) = names.get(done) {
            let here = self.host(&directory)?;
            here.directory()?;
            let ahead = names.get(done..last).unwrap_or_default();
            let ahead = ahead.get(..step_length(ahead, checked_here)).unwrap_or_default();
            time_budget::spend(ahead.len().max(1) as u64 * NAME)?;
            let mut gone = 1;
            let mut found = None;
            if ahead.len() > 1 && done >= one_by_one_until {
                match self.walk_many(here, ahead) {
                    Ok(Some(end)) if end.kind() == FileKind::Directory => {
                        self.searchable(cx, here, ahead)?;
                        (found, gone) = (Some(end), ahead.len());
                    }
                    // A missing permission is reported before a missing name, so walk step by step.
                    Err(errno) if !checked_here => return Err(errno),
                    _ => one_by_one_until = done + ahead.len(),
                }
            }
            let mut up_to_date = true;
            let found = match found {
                Some(found) => found,
                None => {
                    self.searchable(cx, here, &[name])?;
                    match self.path_cache.opened(here.identity(), name, moment) {
                        Some(opened) => {
                            up_to_date = false;
                            self.host(&opened)?.clone()
                        }
                        None => self.step(here, name)?,
                    }
                }
            };
            let passed = names.get(done..done + gone).unwrap_or_default();
            length += passed.iter().map(|name| name.len() + 1).sum::<usize>() - usize::from(done == 0);
            done += gone;
            let (kind, metadata) = (found.kind(), up_to_date.then(|| found.first_metadata()));
            let stop = kind == FileKind::Symlink || mountpoints.binary_search(&found.ino()).is_ok();
            let node = found.into_node();
            let left = last.checked_sub(done);
            if kind == FileKind::Directory
                && !stop
                && left.is_none_or(|left| left == 0 || left >= MAX_CHECKED_STEP && left.is_power_of_two())
                && let Some(cached) = &cached
            {
                cached.keep(done, length, &node);
            }
            if stop || left.is_none() {
                let directory = (kind == FileKind::Symlink).then_some(directory);
                return Ok(Walk { node, consumed: done, directory, metadata });
            }
            directory = node;
        }
        Err(Errno::Inval)
    }

    fn known_directory(&self, cx: &Context, from: &Node, path: &[u8], mountpoints: &[u64]) -> Option<Node> {
        self.path_cache.whole(cx, self.host(from).ok()?.identity(), path, mountpoints)
    }

    fn lookup_metadata(&self, cx: &Context, directory: &Node, name: &[u8]) -> Option<Result<Metadata>> {
        let here = self.host(directory).ok()?;
        here.directory().ok()?;
        let look = || {
            self.searchable(cx, here, &[name])?;
            let stat = retry(|| rustix::fs::statat(here.as_fd(), name, AtFlags::SYMLINK_NOFOLLOW))?;
            Ok(self.owner.metadata(&stat))
        };
        Some(look())
    }

    fn open_regular(
        &self,
        cx: &Context,
        directory: &Node,
        name: &[u8],
    ) -> Option<Result<(Node, Arc<dyn File>)>> {
        self.open_regular_directly(cx, directory, name).transpose()
    }

    fn open_directory(
        &self,
        cx: &Context,
        directory: &Node,
        name: &[u8],
    ) -> Option<Result<(Node, Arc<dyn File>)>> {
        self.open_directory_directly(cx, directory, name).transpose()
    }

    fn parent(&self, node: &Node) -> Result<Node> {
        super::above(self, &self.relative(self.host(node)?)?)
    }

    fn path(&self, node: &Node) -> Result<Vec<u8>> {
        self.relative(self.host(node)?)
    }

    fn is_inside(&self, inner: &Node, outer: &Node) -> Result<bool> {
        let (inner, outer) = (self.host(inner)?, self.host(outer)?.identity());
        let root = self.host(&self.root)?.identity();
        inner.directory()?;
        let (mut at, mut here) = (inner.identity(), None);
        // Go up by handles: the path may be longer than system calls accept.
        while at != outer && at != root {
            time_budget::spend(NAME)?;
            let (above, found) = HostNode::above(here.as_ref().map_or(inner.as_fd(), OwnedFd::as_fd))?;
            if found == at {
                break;
            }
            (at, here) = (found, Some(above));
        }
        Ok(at == outer)
    }

    fn metadata(&self, node: &Node) -> Result<Metadata> {
        self.host(node)?.metadata(&self.owner)
    }

    fn set_attributes(&self, node: &Node, attributes: &SetAttributes) -> Result<()> {
        self.writable(node)?;
        let node = self.host(node)?;
        set_attributes(node, &self.owner, attributes)
    }

    fn read_link(&self, _cx: &Context, node: &Node) -> Result<Vec<u8>> {
        if node.kind() != FileKind::Symlink {
            return Err(Errno::Inval);
        }
        let node = self.host(node)?;
        Ok(retry(|| rustix::fs::readlinkat(node.as_fd(), c"", Vec::new()))?.into_bytes())
    }

    fn may_open_special(&self, _node: &Node) -> bool {
        false
    }

    fn open(&self, _cx: &Context, node: &Node, access: Access) -> Result<Arc<dyn File>> {
        if access.write {
            self.writable(node)?;
        }
        let host = self.host(node)?;
        match node.kind() {
            FileKind::Directory => Ok(Arc::new(HostDirectory::new(
                host.clone(),
                self.owner.clone(),
                self.access,
                self.known_kinds.clone(),
            ))),
            FileKind::Regular => {
                if host.is_secret(&self.withheld)
                    || self.shows_locked() && self.withheld.has_locks(host.as_fd())
                {
                    return Err(Errno::Acces);
                }
                self.owner.permit_reading(host)?;
                let held = self.owner.budget.descriptor()?;
                let fd = host.reopen(access)?;
                Ok(Arc::new(HostFile::new(fd, held, host.clone(), self.owner.clone(), access)?))
            }
            _ => Err(Errno::NxIo),
        }
    }

    fn create(&self, directory: &Node, name: &[u8], new: &NewNode<'_>) -> Result<Node> {
        self.writable(directory)?;
        let parent = self.host(directory)?;
        let dir = parent.directory()?;
        let path = OsStr::from_bytes(name);
        self.owner.budget.write_whole(budget::NODE)?;
        let node = match new.body {
            NewBody::File => {
                let mut options = OpenOptions::new();
                options.read(true).write(true).create_new(true).mode(new.mode & 0o777);
                let file = dir.open_with(path, &options)?.into_std();
                HostNode::created(file.into(), self.host(&self.root)?, &self.owner)?
            }
            NewBody::Directory => {
                let mut builder = DirBuilder::new();
                builder.mode(new.mode & 0o1777);
                dir.create_dir_with(path, &builder)?;
                self.step(parent, name)?
            }
            NewBody::Symlink(target) => {
                dir.symlink_contents(OsStr::from_bytes(target), path)?;
                self.step(parent, name)?
            }
            NewBody::Fifo | NewBody::Socket | NewBody::CharDevice(_) => return Err(Errno::Perm),
        };
        // Undo the effect of this program's umask on the mode. Bits that a directory inherits on the host stay.
        let wanted = new.mode & 0o7777 & !PRIVILEGES | node.first_metadata().mode & PRIVILEGES;
        let expected = if new.body == NewBody::Directory { FileKind::Directory } else { FileKind::Regular };
        if node.kind() == expected && node.first_metadata().mode != wanted {
            set_mode(&node, wanted)?;
            node.forget_permission();
        }
        Ok(node.into_node())
    }

    fn link(&self, node: &Node, directory: &Node, name: &[u8]) -> Result<()> {
        self.writable(directory)?;
        self.owner.budget.write_whole(budget::NODE)?;
        let source = proc_path(self.host(node)?.as_fd());
        let directory = self.host(directory)?;
        // Link the handle: the name under which it was found may be another file by now.
        let follow = AtFlags::SYMLINK_FOLLOW;
        retry(|| rustix::fs::linkat(CWD, source.as_str(), directory.as_fd(), name, follow))
    }

    fn unlink(&self, directory: &Node, name: &[u8]) -> Result<()> {
        self.writable(directory)?;
        self.spend_on_removal(directory, name)?;
        Ok(self.directory(directory)?.remove_file(OsStr::from_bytes(name))?)
    }

    fn remove_dir(&self, directory: &Node, name: &[u8]) -> Result<()> {
        self.writable(directory)?;
        let removed = self.directory(directory)?.remove_dir(OsStr::from_bytes(name));
        self.path_cache.removed(name);
        Ok(removed?)
    }

    fn rename(&self, old: (&Node, &[u8]), new: (&Node, &[u8])) -> Result<()> {
        self.writable(old.0)?;
        self.writable(new.0)?;
        self.spend_on_removal(new.0, new.1)?;
        let (from, to) = (self.directory(old.0)?, self.directory(new.0)?);
        let renamed = from.rename(OsStr::from_bytes(old.1), to, OsStr::from_bytes(new.1));
        self.path_cache.moved();
        Ok(renamed?)
    }

    fn rename_as(&self, old: (&Node, &[u8]), new: (&Node, &[u8]), how: RenameHow) -> Result<()> {
        self.writable(old.0)?;
        self.writable(new.0)?;
        let (from, to) = (self.directory(old.0)?, self.directory(new.0)?);
        let flags = match how {
            RenameHow::Vacant => RenameFlags::NOREPLACE,
            RenameHow::Exchange => RenameFlags::EXCHANGE,
        };
        let renamed = retry(|| rustix::fs::renameat_with(from, old.1, to, new.1, flags));
        self.path_cache.moved();
        renamed
    }

    fn sync(&self) -> Result<()> {
        let path = proc_path(self.host(&self.root)?.as_fd());
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let fd = retry(|| rustix::fs::openat(CWD, path.as_str(), flags, Mode::empty()))?;
        retry(|| rustix::fs::syncfs(&fd))
    }

    fn stat_fs(&self) -> Result<StatFs> {
        Ok(self.owner.budget.stat_fs(self.access))
    }
}

/// How many of these names are walked in one step. Of a long path a power of two remains, because directories at those
/// distances are cached (see [`path_cache`]).
fn step_length(names: &[&[u8]], checked_here: bool) -> usize {
    let count = names.len();
    let most = if checked_here { MAX_CHECKED_STEP } else { MAX_STEP };
    let wanted = match count {
        near if near <= most => near,
        far if checked_here => (far - far.next_power_of_two() / 2).min(MAX_CHECKED_STEP),
        far => far - far.next_power_of_two() / 2,
    };
    let mut bytes = 0;
    let fits = |name: &&&[u8]| {
        bytes += name.len() + 1;
        bytes <= MAX_STEP_PATH
    };
    names.iter().take(wanted).take_while(fits).count().max(1).min(count)
}

/// Applies checked attributes to a host file by its handle.
fn set_attributes(node: &HostNode, owner: &Owner, wanted: &SetAttributes) -> Result<()> {
    owner.permit_change(node)?;
    let current = node.metadata(owner)?;
    if wanted.uid.is_some_and(|uid| uid != current.uid) || wanted.gid.is_some_and(|gid| gid != current.gid) {
        return Err(Errno::Perm);
    }
    // A sandbox must not set set-id bits: what it wrote must not run with other rights.
    if wanted.mode.is_some_and(|mode| mode & PRIVILEGES & !current.mode != 0) {
        return Err(Errno::Perm);
    }
    let path = proc_path(node.as_fd());
    if let Some(size) = wanted.size {
        if current.blocks > LARGE / 512 && size < current.size {
            time_budget::spend(u64::MAX)?;
        }
        let fd = node.reopen(Access { read: false, write: true })?;
        clear_privileges(&fd)?;
        retry(|| rustix::fs::ftruncate(&fd, size))?;
    }
    if let Some(mode) = wanted.mode {
        set_mode(node, mode)?;
        if node.kind() == FileKind::Directory && (mode ^ current.mode) & SEARCH != 0 {
            permission::changed();
        }
    }
    if wanted.atime.is_some() || wanted.mtime.is_some() {
        let times =
            Timestamps { last_access: timespec(wanted.atime), last_modification: timespec(wanted.mtime) };
        retry(|| rustix::fs::utimensat(CWD, path.as_str(), &times, AtFlags::empty()))?;
    }
    Ok(())
}

/// The mode bits that grant search permission.
const SEARCH: u32 = 0o111;

fn set_mode(node: &HostNode, mode: u32) -> Result<()> {
    let path = proc_path(node.as_fd());
    let mode = Mode::from_raw_mode(mode & 0o7777);
    retry(|| rustix::fs::chmodat(CWD, path.as_str(), mode, AtFlags::empty()))
}

fn timespec(time: Option<SetTime>) -> Timespec {
    match time {
        None => Timespec { tv_sec: 0, tv_nsec: rustix::fs::UTIME_OMIT },
        Some(SetTime::Now) => Timespec { tv_sec: 0, tv_nsec: rustix::fs::UTIME_NOW },
        Some(SetTime::At(time)) => Timespec { tv_sec: time.secs, tv_nsec: i64::from(time.nanos) },
    }
}
