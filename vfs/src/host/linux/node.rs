//! Handles on host files.

use super::super::Withheld;
use super::super::budget::{DescriptorPermit, HostBudget};
use super::super::number::Numbers;
use super::super::{HostAccess, OTHERS, OWN};
use super::controls::Controls;
use super::permission::{self, PermissionCache};
use super::retry::retry;
use crate::{Access, Errno, FileKind, Metadata, Node, Result, Time};
use cap_std::fs::Dir;
use rustix::fs::{AtFlags, CWD, Mode, OFlags, Stat, StatxFlags};
use std::fs::File;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::sync::{Arc, OnceLock};

/// How the host's files are shown: the user who runs this program corresponds to the sandbox's user. Also holds the
/// sandbox's budget and whether it may change them, and knows which files are the kernel's.
#[derive(Clone)]
pub(super) struct Owner {
    uid: u32,
    gid: u32,
    /// Whether the kernel checks no permissions of this user.
    pub(super) superuser: bool,
    numbers: Numbers,
    pub(super) access: HostAccess,
    /// What this program trusts, if it may be seen through the directory.
    pub(super) trusted: Option<Arc<Trusted>>,
    pub(super) budget: HostBudget,
    controls: Controls,
}

/// A host file that was found. Clones share one descriptor.
#[derive(Clone)]
pub(super) struct HostNode {
    handle: Arc<(Handle, DescriptorPermit)>,
    ino: u64,
    kind: FileKind,
    /// The attributes when it was found.
    first: Metadata,
    /// Inode and device on the host.
    identity: (u64, u64),
}

enum Handle {
    Directory(Dir, PermissionCache),
    Other(File),
    /// A new file, open for reading and writing whatever its mode is.
    Created(File),
    /// A regular file that is open for reading.
    Opened(File),
}

/// A directory that may show places that this program trusts.
pub(super) struct Trusted {
    root: HostNode,
    withheld: Arc<Withheld>,
    shown: OnceLock<bool>,
}

impl Trusted {
    pub(super) fn new(root: &HostNode, withheld: &Arc<Withheld>) -> Self {
        Self { root: root.clone(), withheld: withheld.clone(), shown: OnceLock::new() }
    }

    /// Whether it does; asked for once, as it takes many system calls.
    pub(super) fn is_shown(&self) -> bool {
        // If that cannot be determined, it may.
        *self.shown.get_or_init(|| !matches!(self.withheld.given_away_by(&self.root), Ok(None)))
    }
}

/// The mode bits of everybody but the owner.
const FOR_OTHERS: u32 = 0o077;

impl Owner {
    pub(super) fn current(root: BorrowedFd<'_>, access: HostAccess, budget: HostBudget) -> Result<Self> {
        let uid = rustix::process::geteuid();
        Ok(Self {
            uid: uid.as_raw(),
            gid: rustix::process::getegid().as_raw(),
            superuser: uid.is_root(),
            numbers: numbers(root)?,
            access,
            trusted: None,
            budget,
            controls: Controls::at(root)?,
        })
    }

    /// Refuses to change a control of the kernel's.
    pub(super) fn permit_change(&self, node: &HostNode) -> Result<()> {
        if self.is_control(node)? { Err(Errno::Acces) } else { Ok(()) }
    }

    /// Refuses to read a control that is for its owner alone, such as the memory and the variables of a process.
    pub(super) fn permit_reading(&self, node: &HostNode) -> Result<()> {
        if node.first.mode & FOR_OTHERS == 0 && self.is_control(node)? { Err(Errno::Acces) } else { Ok(()) }
    }

    fn is_control(&self, node: &HostNode) -> Result<bool> {
        self.controls.include(node.device(), node.as_fd())
    }

    pub(super) fn metadata(&self, stat: &Stat) -> Metadata {
        let time = |secs: i64, nanos: u64| Time { secs, nanos: u32::try_from(nanos).unwrap_or_default() };
        Metadata {
            dev: 0,
            ino: self.numbers.of(stat.st_ino, stat.st_dev),
            kind: FileKind::from_mode(stat.st_mode).unwrap_or(FileKind::Socket),
            mode: stat.st_mode & 0o7777,
            #[allow(clippy::unnecessary_cast, reason = "the type differs between architectures")]
            nlink: stat.st_nlink as u64,
            uid: if stat.st_uid == self.uid { OWN } else { OTHERS },
            gid: if stat.st_gid == self.gid { OWN } else { OTHERS },
            rdev: stat.st_rdev,
            size: u64::try_from(stat.st_size).unwrap_or_default(),
            blocks: u64::try_from(stat.st_blocks).unwrap_or_default(),
            #[allow(clippy::unnecessary_cast, reason = "the type differs between architectures")]
            atime: time(stat.st_atime as i64, stat.st_atime_nsec as u64),
            #[allow(clippy::unnecessary_cast, reason = "the type differs between architectures")]
            mtime: time(stat.st_mtime as i64, stat.st_mtime_nsec as u64),
            #[allow(clippy::unnecessary_cast, reason = "the type differs between architectures")]
            ctime: time(stat.st_ctime as i64, stat.st_ctime_nsec as u64),
        }
    }

    /// The shown inode number of a file of the host.
    pub(super) fn number(&self, ino: u64, dev: u64) -> u64 {
        self.numbers.of(ino, dev)
    }
}

impl HostNode {
    /// Takes a descriptor on a file below `root` (`None` for the root itself).
    pub(super) fn new(fd: OwnedFd, root: Option<&Self>, owner: &Owner) -> Result<Self> {
        Self::adopt(fd, root, owner, Handle::Other)
    }

    /// As [`new`](Self::new) for a descriptor that is open for reading.
    pub(super) fn opened(fd: OwnedFd, root: &Self, owner: &Owner) -> Result<Self> {
        Self::adopt(fd, Some(root), owner, Handle::Opened)
    }

    /// As [`new`](Self::new) for the descriptor of a new regular file, open for reading and writing.
    pub(super) fn created(fd: OwnedFd, root: &Self, owner: &Owner) -> Result<Self> {
        Self::adopt(fd, Some(root), owner, Handle::Created)
    }

    fn adopt(fd: OwnedFd, root: Option<&Self>, owner: &Owner, handle: fn(File) -> Handle) -> Result<Self> {
        let held = owner.budget.descriptor()?;
        let moment = owner.superuser.then(permission::moment);
        let stat = retry(|| rustix::fs::fstat(&fd))?;
        let kind = FileKind::from_mode(stat.st_mode).ok_or(Errno::Io)?;
        if cfg!(feature = "escape-check")
            && let Some(root) = root
        {
            assert_confined(root, fd.as_fd());
        }
        let first = owner.metadata(&stat);
        let handle = match kind {
            FileKind::Directory => {
                let known = PermissionCache::default();
                if let Some(moment) = moment {
                    known.set(moment, &first);
                }
                Handle::Directory(Dir::from_std_file(File::from(fd)), known)
            }
            _ => handle(File::from(fd)),
        };
        let identity = (stat.st_ino, stat.st_dev);
        Ok(Self { handle: Arc::new((handle, held)), ino: first.ino, kind, first, identity })
    }

    pub(super) fn into_node(self) -> Node {
        Node::new(self.ino, self.kind, self)
    }

    pub(super) fn ino(&self) -> u64 {
        self.ino
    }

    pub(super) fn kind(&self) -> FileKind {
        self.kind
    }

    /// The attributes that the handle was made with.
    pub(super) fn first_metadata(&self) -> Metadata {
        self.first
    }

    pub(super) fn metadata(&self, owner: &Owner) -> Result<Metadata> {
        Ok(owner.metadata(&retry(|| rustix::fs::fstat(self.as_fd()))?))
    }

    /// The attributes that decide who may search this directory: mode and owner. They are never older than the last
    /// change through this program and the last tick of the clock. The other attributes are those from when it was
    /// found.
    pub(super) fn permission(&self, owner: &Owner) -> Result<Metadata> {
        let Handle::Directory(_, known) = &self.handle.0 else {
            return Err(Errno::NotDir);
        };
        let moment = permission::moment();
        if let Some((mode, uid, gid)) = known.get(moment) {
            return Ok(Metadata { mode, uid, gid, ..self.first });
        }
        let metadata = self.metadata(owner)?;
        known.set(moment, &metadata);
        Ok(metadata)
    }

    /// Call this after changing the permissions of a directory that nobody else has found yet.
    pub(super) fn forget_permission(&self) {
        if let Handle::Directory(_, known) = &self.handle.0 {
            known.forget();
        }
    }

    /// The parent directory. Must only be used for comparison, because it can be outside of the root.
    pub(super) fn above(directory: BorrowedFd<'_>) -> Result<(OwnedFd, (u64, u64))> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let above = retry(|| rustix::fs::openat(directory, c"..", flags, Mode::empty()))?;
        let stat = retry(|| rustix::fs::fstat(&above))?;
        Ok((above, (stat.st_ino, stat.st_dev)))
    }

    /// Inode and device on the host.
    pub(super) fn identity(&self) -> (u64, u64) {
        self.identity
    }

    /// Whether its contents are withheld from sandboxes.
    pub(super) fn is_secret(&self, withheld: &Withheld) -> bool {
        withheld.is_secret(self.identity, self.first.mode)
    }

    pub(super) fn is(&self, other: &Self) -> bool {
        self.identity == other.identity
    }

    /// Its device on the host.
    pub(super) fn device(&self) -> u64 {
        self.identity.1
    }

    pub(super) fn directory(&self) -> Result<&Dir> {
        match &self.handle.0 {
            Handle::Directory(dir, _) => Ok(dir),
            _ => Err(Errno::NotDir),
        }
    }

    /// A descriptor for reading or writing this file. Only for regular files, where opening does not block or have
    /// effects.
    pub(super) fn reopen(&self, access: Access) -> Result<OwnedFd> {
        if let Handle::Created(file) = &self.handle.0 {
            return Ok(file.try_clone()?.into());
        }
        let mode = match (access.read, access.write) {
            (_, false) => OFlags::RDONLY,
            (false, true) => OFlags::WRONLY,
            (true, true) => OFlags::RDWR,
        };
        open_again(self.as_fd(), mode | OFlags::CLOEXEC | OFlags::NOCTTY)
    }

    /// A descriptor for listing this directory.
    pub(super) fn listing(&self) -> Result<OwnedFd> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        match retry(|| rustix::fs::openat(self.as_fd(), c".", flags, Mode::empty())) {
            // Opening `.` needs search permission, but listing does not.
            Err(Errno::Acces) => open_again(self.as_fd(), flags),
            opened => opened,
        }
    }

    /// The current path from `root` to here, from the kernel. `ENOENT` if there is none.
    pub(super) fn path_below(&self, root: &Self) -> Result<Vec<u8>> {
        if retry(|| rustix::fs::fstat(self.as_fd()))?.st_nlink == 0 {
            return Err(Errno::NoEnt);
        }
        let (whole, prefix) = (kernel_path(self.as_fd())?, kernel_path(root.as_fd())?);
        let below = below(&whole, &prefix).ok_or(Errno::NoEnt)?.to_vec();
        // The kernel appends this to a removed name, even if the file has other links.
        if below.ends_with(b" (deleted)")
            && rustix::fs::statat(root.as_fd(), below.as_slice(), NOFOLLOW).is_err()
        {
            return Err(Errno::NoEnt);
        }
        Ok(below)
    }
}

impl AsFd for HostNode {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match &self.handle.0 {
            Handle::Directory(dir, _) => dir.as_fd(),
            Handle::Other(file) | Handle::Created(file) | Handle::Opened(file) => file.as_fd(),
        }
    }
}

const NOFOLLOW: AtFlags = AtFlags::SYMLINK_NOFOLLOW;

/// The path in `/proc` that leads to a descriptor's file.
pub(super) fn proc_path(fd: BorrowedFd<'_>) -> String {
    format!("/proc/self/fd/{}", fd.as_raw_fd())
}

/// Opens the file of a descriptor again.
fn open_again(fd: BorrowedFd<'_>, flags: OFlags) -> Result<OwnedFd> {
    let path = proc_path(fd);
    retry(|| rustix::fs::openat(CWD, path.as_str(), flags, Mode::empty()))
}

/// The numbers of files below this directory.
fn numbers(root: BorrowedFd<'_>) -> Result<Numbers> {
    let stat = retry(|| rustix::fs::fstat(root))?;
    // Without support by the kernel or filesystem this is zero.
    let born = rustix::fs::statx(root, c"", AtFlags::EMPTY_PATH, StatxFlags::BTIME)
        .map(|found| (found.stx_btime.tv_sec, found.stx_btime.tv_nsec))
        .unwrap_or_default();
    Ok(Numbers::new(stat.st_ino, stat.st_dev, born))
}

fn kernel_path(fd: BorrowedFd<'_>) -> Result<Vec<u8>> {
    let path = proc_path(fd);
    // Large enough for most paths: each further attempt makes the kernel compose the path again.
    Ok(retry(|| rustix::fs::readlinkat(CWD, path.as_str(), Vec::with_capacity(4096)))?.into_bytes())
}

fn below<'a>(whole: &'a [u8], root: &[u8]) -> Option<&'a [u8]> {
    if root == b"/" {
        return whole.strip_prefix(b"/");
    }
    whole.strip_prefix(root)?.strip_prefix(b"/")
}

/// A second check, independent of how the file was reached: the kernel's path of the file must begin with the root's.
///
/// # Panics
/// If it does not. Only called with the feature `escape-check`.
fn assert_confined(root: &HostNode, fd: BorrowedFd<'_>) {
    let (Ok(whole), Ok(prefix)) = (kernel_path(fd), kernel_path(root.as_fd())) else {
        return;
    };
    assert!(
        whole == prefix || below(&whole, &prefix).is_some(),
        "escape from {}: {}",
        prefix.escape_ascii(),
        whole.escape_ascii()
    );
}
