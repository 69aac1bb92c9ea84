//! A directory of the host through `cap-std`, for every host.

mod directory;
mod exact;
mod file;
mod node;
mod owner;
#[cfg_attr(unix, path = "unix.rs")]
#[cfg_attr(windows, path = "windows.rs")]
mod system;
mod windows_names;
mod withheld;

use super::{HostAccess, HostBudget, LARGE, OpenError, Withheld, budget, open_between_looks};
use crate::permit::permit;
use crate::time_budget;
use crate::{
    Access, Context, Errno, File, FileKind, FileSystem, Metadata, NewBody, NewNode, Node, RenameHow, Result,
    SetAttributes, StatFs, Walk,
};
use cap_fs_ext::{DirExt, FollowSymlinks, OpenOptionsFollowExt};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, DirBuilder, OpenOptions};
use directory::{Directories, Directory, Entry, OpenDir};
use file::{HostDirectory, HostFile};
use node::HostNode;
use owner::Owner;
use std::io;
use std::path::Path;
use std::sync::Arc;
use system::PRIVILEGES;

/// A filesystem that shows a directory of the host with everything below it, and nothing else.
///
/// # Confinement
/// Each file is reached from the open root directory by one name at a time, without following links: `cap-std` never
/// sees `..`, a link or a path of several names. The [`Namespace`](crate::Namespace) resolves symbolic links inside the
/// sandbox, so an absolute link is relative to the sandbox's root. A file that was found is opened by its name in the
/// open directory, and refused (`ESTALE`) if another file has that name by then. If somebody on the host moves a
/// directory out of the root while the sandbox has it open, the sandbox keeps access to it.
///
/// A link that the sandbox creates is an ordinary link on the host, and host programs follow it. So check what a
/// sandbox wrote before you trust it.
///
/// # Names
/// Names are compared exactly. A host that treats two names as one (`a` and `A`, or two encodings of `é`) holds the
/// first: the other is not found (`ENOENT`), and cannot be created (`EEXIST`). A name that the host cannot hold, or
/// would change, is `EINVAL`: on Windows the devices' names (`CON`, `aux.txt`), characters such as `:` and `*`, a point
/// or space at the end, and bytes that are not UTF-8. Names on the host that are not Unicode are not shown there.
///
/// # Owners, modes and times
/// Files of the user who runs this program appear to belong to user 1000, files of that user's group to group 1000, and
/// all others to `nobody`, 65534. An owner cannot be changed (`EPERM`). Mode bits and times are the host's. Windows has
/// no mode bits: everything is 0755, or 0555 if it is read-only, and another mode is `EPERM`; links need a right that
/// ordinary users lack (`EPERM`). Set-user-ID and set-group-ID bits cannot be set (`EPERM`), and are cleared when a
/// file's contents change. An overlay keeps all modes and owners itself.
///
/// # Less exact than on Linux
/// Appending is atomic among the sandboxes of this program, not beside other programs of the host. Reserved space
/// extends a file, but the host may still run out of space. The path of a directory is the one by which it was found or
/// moved through this filesystem: if another program of the host moves it, it has none (`ENOENT`) until it is found
/// again. A directory that is in use can be neither renamed nor removed on Windows (`EBUSY` or `EACCES`).
///
/// # Special files
/// Devices, FIFOs and sockets of the host are visible but cannot be opened (`ENXIO`), and none can be created
/// (`EPERM`).
///
/// # What a sandbox learns about the host
/// Nothing about its disk. Inode numbers are derived from the host's: they are stable but reveal nothing. Size, free
/// space and type of the filesystem come from the [`HostBudget`].
pub struct HostDir {
    root: Node,
    access: HostAccess,
    owner: Owner,
    directories: Directories,
    withheld: Arc<Withheld>,
}

/// The cost of walking a name, in bytes of work.
const NAME: u64 = 512;

/// How often a name is looked up again that another program replaces at the same moment.
const RETRIES: usize = 64;

impl HostDir {
    /// Opens a directory of the host. This path, unlike all others here, is resolved by the host, and symbolic links in
    /// it are followed.
    pub fn open(path: impl AsRef<Path>, access: HostAccess) -> io::Result<Self> {
        let dir = Dir::open_ambient_dir(path, ambient_authority())?;
        Ok(Self::opened(dir, access, HostBudget::default(), Arc::default())?)
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
        let path = path.as_ref();
        let dir = Dir::open_ambient_dir(path, ambient_authority())?;
        if access == HostAccess::ReadWrite
            && let Some(place) = withheld.given_away_by(&dir, path)?
        {
            return Err(OpenError::GivesAway(place.to_owned()));
        }
        Ok(Self::opened(dir, access, budget, withheld.clone()).map_err(io::Error::from)?)
    }

    /// As [`open_withholding`](Self::open_withholding), of an absolute path without links.
    ///
    /// # Errors
    /// As there, and that the path has links, as [`check_leads_to`](crate::check_leads_to) tells: somebody may have put
    /// them there. The path is looked at before and after.
    pub fn open_real(
        path: impl AsRef<Path>,
        access: HostAccess,
        withheld: &Arc<Withheld>,
        budget: HostBudget,
    ) -> std::result::Result<Self, OpenError> {
        let path = path.as_ref();
        open_between_looks(path, || Self::open_withholding(path, access, withheld, budget))
    }

    fn opened(dir: Dir, access: HostAccess, budget: HostBudget, withheld: Arc<Withheld>) -> Result<Self> {
        let metadata = dir.dir_metadata()?;
        let owner = Owner::current(&metadata, budget);
        let directories = Directories::default();
        let first = owner.metadata(&metadata);
        let held = owner.budget.descriptor()?;
        let root = directories.root(system::identity(&metadata), dir, held);
        let root = HostNode::directory(root, first).into_node();
        Ok(Self { root, access, owner, directories, withheld })
    }

    fn host<'a>(&self, node: &'a Node) -> Result<&'a HostNode> {
        node.get::<HostNode>().ok_or(Errno::Stale)
    }

    fn directory<'a>(&self, node: &'a Node) -> Result<&'a Arc<Directory>> {
        self.host(node)?.as_directory()
    }

    fn writable(&self) -> Result<()> {
        if self.access == HostAccess::ReadWrite { Ok(()) } else { Err(Errno::RoFs) }
    }

    /// Checks search permission, if the host's kernel does not check it.
    fn searchable(&self, cx: &Context, directory: &Directory) -> Result<()> {
        if cx.uid == 0 || !self.owner.superuser {
            return Ok(());
        }
        permit(cx, &self.owner.metadata(&directory.attributes(&self.owner)?), 1)
    }

    /// The file of one name. What is replaced while it is looked at is looked up again.
    fn find(&self, directory: &Arc<Directory>, name: &[u8]) -> Result<HostNode> {
        for _ in 0..RETRIES {
            match self.find_once(directory, name) {
                Err(Errno::Stale) => {}
                found => return found,
            }
        }
        Err(Errno::Stale)
    }

    fn find_once(&self, directory: &Arc<Directory>, name: &[u8]) -> Result<HostNode> {
        let dir = directory.open(&self.owner)?;
        let metadata = directory.names().lookup(&dir, name)?;
        let first = self.owner.metadata(&metadata);
        let entry = Entry { parent: directory.clone(), name: name.into(), id: system::identity(&metadata) };
        match first.kind {
            FileKind::Directory => {
                let found = self.directories.found(entry);
                if system::OPENS_EARLY {
                    match found.open(&self.owner) {
                        // What may not be read can still be looked at.
                        Ok(_) | Err(Errno::Acces) => {}
                        Err(Errno::NotDir | Errno::Loop | Errno::NoEnt) => return Err(Errno::Stale),
                        Err(errno) => return Err(errno),
                    }
                }
                Ok(HostNode::directory(found, first))
            }
            FileKind::Symlink => {
                let target = dir.read_link_contents(system::host_name(name)?).map_err(|_| Errno::Stale)?;
                Ok(HostNode::link(entry, system::link_text(target)?.into(), first))
            }
            _ => Ok(HostNode::entry(entry, first)),
        }
    }

    /// Accounts for the time of a removal, which is long if the name may be the last one of a large file.
    fn spend_on_removal(&self, dir: &Dir, name: &[u8]) -> Result<()> {
        match system::host_name(name).map(|name| dir.symlink_metadata(name)) {
            Ok(Ok(found)) if found.len() > LARGE => time_budget::spend(u64::MAX),
            _ => Ok(()),
        }
    }

    /// The directory, open, that holds a name which must exist exactly so.
    fn holding(&self, node: &Node, name: &[u8]) -> Result<(Arc<Directory>, Arc<OpenDir>)> {
        let directory = self.directory(node)?.clone();
        let dir = directory.open(&self.owner)?;
        directory.names().lookup(&dir, name)?;
        Ok((directory, dir))
    }

    /// Whether a new name may be used: it is free, or exists exactly so.
    fn usable(&self, directory: &Directory, dir: &Dir, name: &[u8]) -> Result<()> {
        system::creatable(name)?;
        match directory.names().lookup(dir, name) {
            Ok(_) => Ok(()),
            Err(Errno::NoEnt) if dir.symlink_metadata(system::host_name(name)?).is_ok() => Err(Errno::Exist),
            Err(Errno::NoEnt) => Ok(()),
            Err(errno) => Err(errno),
        }
    }

    /// After a name was created: the host holds exactly this name. Otherwise `remove` takes it back, and it is
    /// `EINVAL`.
    fn created(&self, directory: &Directory, dir: &Dir, name: &[u8], remove: impl FnOnce()) -> Result<()> {
        match directory.names().lookup(dir, name) {
            Err(Errno::NoEnt) => {
                remove();
                Err(Errno::Inval)
            }
            other => other.map(drop),
        }
    }

    fn rename_by(
        &self,
        old: (&Node, &[u8]),
        new: (&Node, &[u8]),
        rename: impl FnOnce(&Dir, &Path, &Dir, &Path) -> Result<()>,
    ) -> Result<()> {
        self.writable()?;
        let (from, from_dir) = self.holding(old.0, old.1)?;
        let to = self.directory(new.0)?;
        let to_dir = to.open(&self.owner)?;
        let respelled = from.identity() == to.identity() && exact::same_file(&from_dir, old.1, new.1)?;
        if !respelled {
            self.usable(to, &to_dir, new.1)?;
        }
        system::creatable(new.1)?;
        self.spend_on_removal(&to_dir, new.1)?;
        let (old_name, new_name) = (system::host_name(old.1)?, system::host_name(new.1)?);
        let moved = exact::identity(&from_dir, old.1)?;
        let replaced = exact::identity(&to_dir, new.1).ok();
        [Some(moved), replaced].into_iter().flatten().for_each(|id| self.directories.close(id));
        rename(&from_dir, Path::new(old_name), &to_dir, Path::new(new_name))?;
        from.names().forget(old.1);
        if respelled && matches!(to.names().lookup(&to_dir, new.1), Err(Errno::NoEnt)) {
            respell(&to_dir, Path::new(old_name), Path::new(new_name))?;
        }
        // The new name is the old file's, unless both were names of one file.
        if exact::identity(&to_dir, new.1).ok() == Some(moved) {
            self.directories.moved(moved, to, new.1);
        }
        if let Some(replaced) = replaced
            && exact::identity(&from_dir, old.1).ok() == Some(replaced)
        {
            // They were exchanged.
            self.directories.moved(replaced, &from, old.1);
        }
        Ok(())
    }
}

/// Spells a name otherwise on a host that takes both spellings for the same name, and so has nothing to rename: through
/// a name that only this program knows.
fn respell(dir: &Dir, old: &Path, new: &Path) -> Result<()> {
    let random = getrandom::u64().map_err(io::Error::from)?;
    let between = format!(".sandshell-{random:016x}");
    let (between, step) = (Path::new(&between), |one, other| system::rename((dir, one), (dir, other)));
    step(old, between)?;
    step(between, new).inspect_err(|_| {
        // It was told already that this failed.
        let _ = step(between, old);
    })
}

impl FileSystem for HostDir {
    fn root(&self) -> Node {
        self.root.clone()
    }

    fn read_only(&self) -> bool {
        self.access == HostAccess::ReadOnly
    }

    fn walk(&self, cx: &Context, from: &Node, names: &[&[u8]], mountpoints: &[u64]) -> Result<Walk> {
        let mut directory = from.clone();
        for (done, name) in (1..).zip(names) {
            time_budget::spend(NAME)?;
            let here = self.directory(&directory)?;
            self.searchable(cx, here)?;
            let found = self.find(here, name)?;
            let first = found.first_metadata();
            let node = found.into_node();
            let stop = first.kind == FileKind::Symlink || mountpoints.binary_search(&first.ino).is_ok();
            if stop || done == names.len() {
                let directory = (first.kind == FileKind::Symlink).then_some(directory);
                return Ok(Walk { node, consumed: done, directory, metadata: Some(first) });
            }
            directory = node;
        }
        Err(Errno::Inval)
    }

    fn parent(&self, node: &Node) -> Result<Node> {
        super::above(self, &self.path(node)?)
    }

    fn path(&self, node: &Node) -> Result<Vec<u8>> {
        let host = self.host(node)?;
        if host.identity() == self.host(&self.root)?.identity() {
            return Ok(Vec::new());
        }
        let path = host.path()?;
        let names: Vec<&[u8]> = path.split(|byte| *byte == b'/').collect();
        // It is still there.
        let walk = self.walk(&Context::ROOT, &self.root, &names, &[])?;
        if walk.consumed == names.len() && self.host(&walk.node)?.identity() == host.identity() {
            Ok(path)
        } else {
            Err(Errno::NoEnt)
        }
    }

    fn is_inside(&self, inner: &Node, outer: &Node) -> Result<bool> {
        let outer = self.host(outer)?.identity();
        if outer == self.host(&self.root)?.identity() {
            return Ok(true);
        }
        let path = self.path(inner)?;
        let mut at = self.root();
        for name in path.split(|byte| *byte == b'/').filter(|name| !name.is_empty()) {
            at = self.walk(&Context::ROOT, &at, &[name], &[])?.node;
            if self.host(&at)?.identity() == outer {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn metadata(&self, node: &Node) -> Result<Metadata> {
        self.host(node)?.metadata(&self.owner)
    }

    fn set_attributes(&self, node: &Node, attributes: &SetAttributes) -> Result<()> {
        self.writable()?;
        self.host(node)?.set_attributes(&self.owner, attributes)
    }

    fn read_link(&self, _cx: &Context, node: &Node) -> Result<Vec<u8>> {
        self.host(node)?.link_text().map(<[u8]>::to_vec)
    }

    fn may_open_special(&self, _node: &Node) -> bool {
        false
    }

    fn nearest_mode(&self, kind: FileKind, mode: u32) -> u32 {
        system::nearest_mode(kind, mode)
    }

    fn open(&self, _cx: &Context, node: &Node, access: Access) -> Result<Arc<dyn File>> {
        if access.write {
            self.writable()?;
        }
        let host = self.host(node)?;
        match node.kind() {
            FileKind::Directory => {
                let directory = host.as_directory()?.clone();
                Ok(Arc::new(HostDirectory::new(directory, self.owner.clone(), self.access)?))
            }
            FileKind::Regular => {
                if self.withheld.is_secret(host.identity(), host.first_metadata().mode) {
                    return Err(Errno::Acces);
                }
                let held = self.owner.budget.descriptor()?;
                let file = host.open_file(&self.owner, access)?;
                let root = self.directory(&self.root)?.open(&self.owner)?;
                system::assert_confined(&root, &file);
                Ok(Arc::new(HostFile::new(file, held, self.owner.clone(), access)?))
            }
            _ => Err(Errno::NxIo),
        }
    }

    fn create(&self, directory: &Node, name: &[u8], new: &NewNode<'_>) -> Result<Node> {
        self.writable()?;
        let parent = self.directory(directory)?;
        let dir = parent.open(&self.owner)?;
        system::creatable(name)?;
        let path = system::host_name(name)?;
        self.owner.budget.write_whole(budget::NODE)?;
        let node = match new.body {
            NewBody::File => {
                let mut options = OpenOptions::new();
                options.read(true).write(true).create_new(true).follow(FollowSymlinks::No);
                system::with_mode(&mut options, new.mode & 0o777);
                let file = dir.open_with(path, &options)?.into_std();
                self.created(parent, &dir, name, || drop(dir.remove_file(path)))?;
                let held = self.owner.budget.descriptor()?;
                HostNode::created(file, held, &self.owner, (parent.clone(), name))?
            }
            NewBody::Directory => {
                let mut builder = DirBuilder::new();
                system::directory_with_mode(&mut builder, new.mode & 0o1777);
                dir.create_dir_with(path, &builder)?;
                self.created(parent, &dir, name, || drop(dir.remove_dir(path)))?;
                self.find(parent, name)?
            }
            NewBody::Symlink(target) => {
                // A host that lacks the right for links would say only that.
                self.usable(parent, &dir, name)?;
                system::symlink(&dir, target, path)?;
                self.created(parent, &dir, name, || drop(dir.remove_file_or_symlink(path)))?;
                self.find(parent, name)?
            }
            NewBody::Fifo | NewBody::Socket | NewBody::CharDevice(_) => return Err(Errno::Perm),
        };
        // Undo the effect of this program's umask on the mode. Bits that a directory inherits on the host stay.
        let first = node.first_metadata();
        let wanted = new.mode & 0o7777 & !PRIVILEGES | first.mode & PRIVILEGES;
        let expected = if new.body == NewBody::Directory { FileKind::Directory } else { FileKind::Regular };
        if system::HAS_MODES && first.kind == expected && first.mode != wanted {
            node.set_mode(&self.owner, wanted)?;
        }
        Ok(node.into_node())
    }

    fn link(&self, node: &Node, directory: &Node, name: &[u8]) -> Result<()> {
        self.writable()?;
        self.owner.budget.write_whole(budget::NODE)?;
        let host = self.host(node)?;
        let source = host.as_entry()?;
        let from = source.parent.open(&self.owner)?;
        let to = self.directory(directory)?;
        let dir = to.open(&self.owner)?;
        self.usable(to, &dir, name)?;
        let (old, new) = (system::host_name(&source.name)?, system::host_name(name)?);
        from.hard_link(old, &dir, new)?;
        // The name under which it was found may have been another file's by then.
        if exact::identity(&dir, name)? != source.id {
            drop(dir.remove_file_or_symlink(new));
            return Err(Errno::Stale);
        }
        self.created(to, &dir, name, || drop(dir.remove_file_or_symlink(new)))
    }

    fn unlink(&self, directory: &Node, name: &[u8]) -> Result<()> {
        self.writable()?;
        let (parent, dir) = self.holding(directory, name)?;
        let path = system::host_name(name)?;
        self.spend_on_removal(&dir, name)?;
        if dir.symlink_metadata(path)?.is_dir() {
            return Err(Errno::IsDir);
        }
        system::unlink(&dir, path)?;
        parent.names().forget(name);
        Ok(())
    }

    fn remove_dir(&self, directory: &Node, name: &[u8]) -> Result<()> {
        self.writable()?;
        let (parent, dir) = self.holding(directory, name)?;
        let path = system::host_name(name)?;
        let found = dir.symlink_metadata(path)?;
        if !found.is_dir() {
            return Err(Errno::NotDir);
        }
        self.directories.close(system::identity(&found));
        dir.remove_dir(path)?;
        parent.names().forget(name);
        Ok(())
    }

    fn rename(&self, old: (&Node, &[u8]), new: (&Node, &[u8])) -> Result<()> {
        self.rename_by(old, new, |from, old, to, new| system::rename((from, old), (to, new)))
    }

    fn rename_as(&self, old: (&Node, &[u8]), new: (&Node, &[u8]), how: RenameHow) -> Result<()> {
        self.rename_by(old, new, |from, old, to, new| system::rename_as((from, old), (to, new), how))
    }

    fn sync(&self) -> Result<()> {
        let root = self.directory(&self.root)?.open(&self.owner)?;
        system::sync(&root)
    }

    fn stat_fs(&self) -> Result<StatFs> {
        Ok(self.owner.budget.stat_fs(self.access))
    }
}
