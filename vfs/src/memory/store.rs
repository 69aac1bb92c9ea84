//! All inodes of a filesystem in memory as one persistent value. A clone is a snapshot.

use super::directory::Entry;
use super::inode::{Inode, metadata};
use super::reaper;
use super::tree::Tree;
use crate::{
    BlobSource, Errno, FileKind, Metadata, NewBody, NewNode, Result, SetAttributes, SetTime, StatFs, Time,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The inode number of the root directory.
pub(crate) const ROOT: u64 = 1;

/// Limits of a filesystem in memory. `None`, the default: unlimited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of contents of all files and of the targets of symbolic links (`ENOSPC`). Holes take nothing.
    pub bytes: Option<u64>,
    /// Inodes, including the root (`ENOSPC`). Hard links can add as many further names.
    pub inodes: Option<u64>,
    /// Bytes of the files that one user owns (`EDQUOT`); user 0 is exempt.
    pub user_bytes: Option<u64>,
    /// Inodes that one user owns (`EDQUOT`); user 0 is exempt.
    pub user_inodes: Option<u64>,
}

/// What a filesystem in memory uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Bytes of contents.
    pub bytes: u64,
    /// Inodes, including the root.
    pub inodes: u64,
}

#[derive(Clone)]
pub(crate) struct Store {
    pub(super) inodes: Tree<Arc<Inode>>,
    pub(super) next: u64,
    pub(crate) limits: Limits,
    pub(super) usage: Usage,
    /// Names that hard links added to each inode's first one.
    pub(super) links: u64,
    pub(super) users: Arc<BTreeMap<u32, Usage>>,
    /// Where parts of it are stored.
    pub(super) source: Option<Arc<dyn BlobSource>>,
}

/// Estimated memory of an inode with its name, besides its contents.
const INODE_SIZE: u64 = 512;

impl Drop for Store {
    fn drop(&mut self) {
        if self.inodes.is_unshared() {
            let size = self.usage.bytes.saturating_add(self.usage.inodes.saturating_mul(INODE_SIZE));
            reaper::free(size, std::mem::take(&mut self.inodes));
        }
    }
}

/// A directory and a name in it.
pub(crate) type At<'a> = (u64, &'a [u8]);

impl Store {
    pub(crate) fn new(limits: Limits, mode: u32, uid: u32, gid: u32, now: Time) -> Self {
        let mut store = Self {
            inodes: Tree::default(),
            next: ROOT + 1,
            limits,
            usage: Usage { bytes: 0, inodes: 1 },
            links: 0,
            users: Arc::new(BTreeMap::from([(uid, Usage { bytes: 0, inodes: 1 })])),
            source: None,
        };
        let new = NewNode { body: NewBody::Directory, mode, uid, gid };
        let root = Arc::new(Inode::new(&new, ROOT, Arc::from(&b""[..]), now));
        let inserted = store.inodes.insert(ROOT, root);
        debug_assert_eq!(inserted, Ok(()), "nothing of it is stored");
        store
    }

    pub(crate) fn usage(&self) -> Usage {
        self.usage
    }

    pub(crate) fn get(&self, ino: u64) -> Result<&Inode> {
        self.inodes.get(ino)?.map(|inode| &**inode).ok_or(Errno::NoEnt)
    }

    pub(crate) fn get_mut(&mut self, ino: u64) -> Result<&mut Inode> {
        self.inodes.get_mut(ino)?.map(Arc::make_mut).ok_or(Errno::NoEnt)
    }

    pub(crate) fn metadata(&self, ino: u64) -> Result<Metadata> {
        self.get(ino).map(|inode| metadata(ino, inode))
    }

    /// The entry of a name. `ENOENT` for a whiteout.
    pub(crate) fn lookup(&self, (directory, name): At<'_>) -> Result<Entry> {
        let entry = self.get(directory)?.names()?.get(name).filter(|entry| !entry.is_whiteout());
        entry.copied().ok_or(Errno::NoEnt)
    }

    /// A path from the root, made of the names that were given last.
    pub(crate) fn path(&self, ino: u64) -> Result<Vec<u8>> {
        let mut names = Vec::new();
        let mut at = ino;
        while at != ROOT {
            let inode = self.get(at)?;
            if self.lookup((inode.parent, &inode.name))?.ino != at {
                return Err(Errno::NoEnt);
            }
            names.push(Arc::clone(&inode.name));
            at = inode.parent;
        }
        names.reverse();
        Ok(names.join(&b'/'))
    }

    /// Adds a new inode.
    pub(crate) fn create(&mut self, at: At<'_>, new: &NewNode<'_>, now: Time) -> Result<u64> {
        self.vacant(at)?;
        let name: Arc<[u8]> = Arc::from(at.1);
        let inode = Inode::new(new, at.0, Arc::clone(&name), now);
        self.charge(new.uid, inode.stored(), 1)?;
        let ino = self.next;
        self.next += 1;
        let entry = Entry { ino, kind: Some(inode.kind()) };
        self.inodes.insert(ino, Arc::new(inode))?;
        self.enter(at.0, name, entry, now)?;
        Ok(ino)
    }

    /// Adds a hard link to an inode.
    pub(crate) fn link(&mut self, ino: u64, at: At<'_>, now: Time) -> Result<()> {
        self.vacant(at)?;
        let full = self.limits.inodes.is_some_and(|limit| self.links >= limit);
        let name: Arc<[u8]> = Arc::from(at.1);
        let inode = self.get_mut(ino)?;
        if inode.nlink == 0 {
            return Err(Errno::NoEnt);
        }
        if inode.nlink == u32::MAX {
            return Err(Errno::MLink);
        }
        if inode.kind() == FileKind::Directory {
            return Err(Errno::Perm);
        }
        if full {
            return Err(Errno::NoSpc);
        }
        inode.nlink += 1;
        inode.ctime = now;
        inode.parent = at.0;
        inode.name = Arc::clone(&name);
        let entry = Entry { ino, kind: Some(inode.kind()) };
        self.links += 1;
        self.enter(at.0, name, entry, now)
    }

    /// Removes a name. Returns its inode if that was the last name; the caller must [free](Self::free) the inode when
    /// it is unused.
    pub(crate) fn unlink(&mut self, at: At<'_>, now: Time) -> Result<Option<u64>> {
        if self.lookup(at)?.kind == Some(FileKind::Directory) {
            return Err(Errno::IsDir);
        }
        self.detach(at, now)
    }

    /// As [`unlink`](Self::unlink), for an empty directory.
    pub(crate) fn remove_dir(&mut self, at: At<'_>, now: Time) -> Result<Option<u64>> {
        self.removable(self.lookup(at)?)?;
        self.detach(at, now)
    }

    /// Renames. Returns an inode that lost its last name, as [`unlink`](Self::unlink).
    pub(crate) fn rename(&mut self, old: At<'_>, new: At<'_>, now: Time) -> Result<Option<u64>> {
        let source = self.lookup(old)?;
        let directory = source.kind == Some(FileKind::Directory);
        let victim = match self.lookup(new) {
            Ok(victim) => Some(victim),
            Err(Errno::NoEnt) => None,
            Err(errno) => return Err(errno),
        };
        if victim.is_some_and(|victim| victim.ino == source.ino) {
            return Ok(None);
        }
        if directory && self.is_inside(new.0, source.ino)? {
            return Err(Errno::Inval);
        }
        self.alive(new.0)?;
        let gone = match victim {
            None => None,
            Some(victim) => {
                match (directory, victim.kind == Some(FileKind::Directory)) {
                    (true, false) => return Err(Errno::NotDir),
                    (false, true) => return Err(Errno::IsDir),
                    (true, true) => self.removable(victim)?,
                    (false, false) => {}
                }
                self.detach(new, now)?
            }
        };
        let name: Arc<[u8]> = Arc::from(new.1);
        self.leave(old, now)?;
        let inode = self.get_mut(source.ino)?;
        inode.parent = new.0;
        inode.name = Arc::clone(&name);
        inode.ctime = now;
        self.enter(new.0, name, source, now)?;
        Ok(gone)
    }

    /// Frees an inode without a name.
    pub(crate) fn free(&mut self, ino: u64) {
        // An inode that cannot be read stays, without a name.
        if let Ok(Some(inode)) = self.inodes.remove(ino) {
            self.refund(inode.uid, inode.stored(), 1);
        }
    }

    pub(crate) fn read(&self, ino: u64, buf: &mut [u8], offset: u64) -> Result<usize> {
        self.get(ino)?.content()?.read(buf, offset)
    }

    /// All bytes of a regular file. A large file is copied to `buffer`. `EFBIG` for more than `max` bytes.
    pub(crate) fn content<'a>(&'a self, ino: u64, max: u64, buffer: &'a mut Vec<u8>) -> Result<&'a [u8]> {
        let content = self.get(ino)?.content()?;
        if content.len() > max {
            return Err(Errno::FBig);
        }
        content.whole(buffer)
    }

    /// Writes at an offset, or at the end for `None`. Returns the written bytes and the offset after them.
    pub(crate) fn write(
        &mut self,
        ino: u64,
        buf: &[u8],
        offset: Option<u64>,
        drop_privileges: bool,
        now: Time,
    ) -> Result<(usize, u64)> {
        let inode = self.get(ino)?;
        let (budget, full) = self.available(inode.uid);
        let inode = self.get_mut(ino)?;
        let uid = inode.uid;
        let content = inode.content_mut()?;
        let offset = offset.unwrap_or_else(|| content.len());
        if buf.is_empty() {
            return Ok((0, offset));
        }
        let room = (i64::MAX as u64).checked_sub(offset).filter(|room| *room > 0).ok_or(Errno::FBig)?;
        let buf = buf.get(..usize::try_from(room).unwrap_or(usize::MAX)).unwrap_or(buf);
        let before = content.stored();
        let count = content.write(buf, offset, budget)?;
        let grown = content.stored() - before;
        if count == 0 {
            return Err(full);
        }
        if drop_privileges && inode.mode & 0o6000 != 0 {
            inode.mode &= if inode.mode & 0o010 == 0 { !0o4000 } else { !0o6000 };
        }
        inode.mtime = now;
        inode.ctime = now;
        self.spend(uid, grown, 0);
        Ok((count, offset + count as u64))
    }

    /// The error of [allocating](Self::allocate) a range, if it does not fit.
    pub(crate) fn can_allocate(&self, ino: u64, offset: u64, len: u64) -> Result<()> {
        let inode = self.get(ino)?;
        let (budget, full) = self.available(inode.uid);
        if inode.content()?.missing(offset, len, budget)? > budget { Err(full) } else { Ok(()) }
    }

    pub(crate) fn allocate(&mut self, ino: u64, offset: u64, len: u64, now: Time) -> Result<()> {
        let inode = self.get(ino)?;
        let (budget, full) = self.available(inode.uid);
        let uid = inode.uid;
        // Work on a copy, which shares all chunks, so that a range that does not fit changes nothing.
        let mut content = inode.content()?.clone();
        let before = content.stored();
        if !content.allocate(offset, len, budget)? {
            return Err(full);
        }
        let grown = content.stored() - before;
        let inode = self.get_mut(ino)?;
        *inode.content_mut()? = content;
        inode.mtime = now;
        inode.ctime = now;
        self.spend(uid, grown, 0);
        Ok(())
    }

    pub(crate) fn set_attributes(&mut self, ino: u64, wanted: &SetAttributes, now: Time) -> Result<()> {
        let inode = self.get(ino)?;
        let (uid, stored) = (inode.uid, inode.stored());
        if let Some(new) = wanted.uid.filter(|new| *new != uid) {
            self.transfer(uid, new, stored)?;
        }
        let inode = self.get_mut(ino)?;
        let pick = |time: SetTime| match time {
            SetTime::Now => now,
            SetTime::At(time) => time,
        };
        if let Some(size) = wanted.size {
            inode.content_mut()?.resize(size)?;
            inode.mtime = now;
        }
        inode.mode = wanted.mode.map_or(inode.mode, |mode| mode & 0o7777);
        inode.uid = wanted.uid.unwrap_or(inode.uid);
        inode.gid = wanted.gid.unwrap_or(inode.gid);
        inode.atime = wanted.atime.map_or(inode.atime, pick);
        inode.mtime = wanted.mtime.map_or(inode.mtime, pick);
        if *wanted != SetAttributes::default() {
            inode.ctime = now;
        }
        let (uid, freed) = (inode.uid, stored - inode.stored());
        self.refund(uid, freed, 0);
        Ok(())
    }

    /// Adds a complete inode under its own name, without changing the directory's times.
    pub(crate) fn insert_copy(&mut self, parent: u64, inode: Inode) -> Result<u64> {
        self.charge(inode.uid, inode.stored(), 1)?;
        let ino = self.next;
        self.next += 1;
        let entry = Entry { ino, kind: Some(inode.kind()) };
        self.get_mut(parent)?.names_mut()?.insert(Arc::clone(&inode.name), entry);
        self.inodes.insert(ino, Arc::new(inode))?;
        Ok(ino)
    }

    /// Bytes that can still be stored.
    pub(crate) fn room(&self) -> u64 {
        self.limits.bytes.map_or(u64::MAX, |limit| limit.saturating_sub(self.usage.bytes))
    }

    /// Hides a name of the lower filesystem. Whiteouts do not count in the limits: there are at most as many as lower
    /// names.
    pub(crate) fn white_out(&mut self, at: At<'_>, now: Time) -> Result<()> {
        let directory = self.get_mut(at.0)?;
        directory.names_mut()?.insert(Arc::from(at.1), Entry::WHITEOUT);
        directory.mtime = now;
        directory.ctime = now;
        Ok(())
    }

    pub(crate) fn stat_fs(&self) -> StatFs {
        const BLOCK: u64 = 4096;
        // Without a limit: the largest signed offset.
        let blocks = self.limits.bytes.unwrap_or(i64::MAX as u64) / BLOCK;
        let free = blocks.saturating_sub(self.usage.bytes.div_ceil(BLOCK));
        let files = self.limits.inodes.unwrap_or(u64::from(u32::MAX));
        StatFs {
            block_size: BLOCK,
            blocks,
            blocks_free: free,
            blocks_available: free,
            files,
            files_free: files.saturating_sub(self.usage.inodes),
            // TMPFS_MAGIC
            kind: 0x0102_1994,
            name_length: 255,
        }
    }

    /// Whether both share their inodes in memory.
    #[cfg(test)]
    pub(crate) fn shares_inodes(&self, other: &Self) -> bool {
        self.inodes.shares_root(&other.inodes)
    }

    /// Whether `inner` is the directory `outer` or below it.
    fn is_inside(&self, inner: u64, outer: u64) -> Result<bool> {
        let mut at = inner;
        loop {
            if at == outer {
                return Ok(true);
            }
            if at == ROOT {
                return Ok(false);
            }
            at = self.get(at)?.parent;
        }
    }

    fn removable(&self, entry: Entry) -> Result<()> {
        let names = self.get(entry.ino)?.names()?;
        if names.iter().all(|(_, entry)| entry.is_whiteout()) { Ok(()) } else { Err(Errno::NotEmpty) }
    }

    /// Checks that the directory was not removed, and has no such name.
    fn vacant(&self, at: At<'_>) -> Result<()> {
        self.alive(at.0)?;
        match self.lookup(at) {
            Ok(_) => Err(Errno::Exist),
            Err(Errno::NoEnt) => Ok(()),
            Err(errno) => Err(errno),
        }
    }

    fn alive(&self, directory: u64) -> Result<()> {
        if self.get(directory)?.nlink == 0 { Err(Errno::NoEnt) } else { Ok(()) }
    }

    fn enter(&mut self, directory: u64, name: Arc<[u8]>, entry: Entry, now: Time) -> Result<()> {
        let directory = self.get_mut(directory)?;
        directory.names_mut()?.insert(name, entry);
        if entry.kind == Some(FileKind::Directory) {
            directory.nlink = directory.nlink.saturating_add(1);
        }
        directory.mtime = now;
        directory.ctime = now;
        Ok(())
    }

    fn leave(&mut self, at: At<'_>, now: Time) -> Result<Entry> {
        let directory = self.get_mut(at.0)?;
        let entry = directory.names_mut()?.remove(at.1).ok_or(Errno::NoEnt)?;
        if entry.kind == Some(FileKind::Directory) {
            directory.nlink = directory.nlink.saturating_sub(1).max(2);
        }
        directory.mtime = now;
        directory.ctime = now;
        Ok(entry)
    }

    fn detach(&mut self, at: At<'_>, now: Time) -> Result<Option<u64>> {
        let entry = self.leave(at, now)?;
        let inode = self.get_mut(entry.ino)?;
        inode.nlink = if inode.kind() == FileKind::Directory { 0 } else { inode.nlink - 1 };
        inode.ctime = now;
        if inode.nlink > 0 {
            // Names that an overlay's file has from the lower filesystem were not counted.
            self.links = self.links.saturating_sub(1);
            return Ok(None);
        }
        Ok(Some(entry.ino))
    }

    /// Bytes that a user may still store, and the error if there are none.
    fn available(&self, uid: u32) -> (u64, Errno) {
        let left = self.limits.bytes.map_or(u64::MAX, |limit| limit.saturating_sub(self.usage.bytes));
        match self.limits.user_bytes {
            Some(limit) if uid != 0 => {
                let own = limit.saturating_sub(self.user(uid).bytes);
                if own < left { (own, Errno::DQuot) } else { (left, Errno::NoSpc) }
            }
            _ => (left, Errno::NoSpc),
        }
    }

    fn user(&self, uid: u32) -> Usage {
        self.users.get(&uid).copied().unwrap_or_default()
    }

    fn charge(&mut self, uid: u32, bytes: u64, inodes: u64) -> Result<()> {
        let over = |limit: Option<u64>, used: u64, more: u64| {
            limit.is_some_and(|limit| more > 0 && used + more > limit)
        };
        if over(self.limits.bytes, self.usage.bytes, bytes)
            || over(self.limits.inodes, self.usage.inodes, inodes)
        {
            return Err(Errno::NoSpc);
        }
        self.charge_user(uid, bytes, inodes)?;
        self.spend(uid, bytes, inodes);
        Ok(())
    }

    fn charge_user(&self, uid: u32, bytes: u64, inodes: u64) -> Result<()> {
        let own = self.user(uid);
        let over = |limit: Option<u64>, used: u64, more: u64| {
            limit.is_some_and(|limit| more > 0 && used + more > limit)
        };
        let full = over(self.limits.user_bytes, own.bytes, bytes)
            || over(self.limits.user_inodes, own.inodes, inodes);
        if uid != 0 && full { Err(Errno::DQuot) } else { Ok(()) }
    }

    fn transfer(&mut self, from: u32, to: u32, bytes: u64) -> Result<()> {
        self.charge_user(to, bytes, 1)?;
        self.refund(from, bytes, 1);
        self.spend(to, bytes, 1);
        Ok(())
    }

    fn spend(&mut self, uid: u32, bytes: u64, inodes: u64) {
        if bytes == 0 && inodes == 0 {
            return;
        }
        self.usage.bytes += bytes;
        self.usage.inodes += inodes;
        let user = Arc::make_mut(&mut self.users).entry(uid).or_default();
        user.bytes += bytes;
        user.inodes += inodes;
    }

    fn refund(&mut self, uid: u32, bytes: u64, inodes: u64) {
        if bytes == 0 && inodes == 0 {
            return;
        }
        self.usage.bytes = self.usage.bytes.saturating_sub(bytes);
        self.usage.inodes = self.usage.inodes.saturating_sub(inodes);
        let user = Arc::make_mut(&mut self.users).entry(uid).or_default();
        user.bytes = user.bytes.saturating_sub(bytes);
        user.inodes = user.inodes.saturating_sub(inodes);
    }
}
