//! `-x`: extracts members.

use super::archive;
use super::header::Entry;
use super::links::Prefixes;
use super::list::{Lines, total_read, verbose_fd};
use super::log::{self, Fatal};
use super::members::{Members, changed};
use super::names::trim;
use super::options::{Old, Options};
use super::reader::Archive;
use super::restore::Later;
use super::transform::Of;
use sandshell_cli::{out, quote::quote};
use sandshell_posix::users;
use sandshell_sys::{self as sys, Errno, open_flags as o};

pub(crate) fn extract(options: &Options) -> Result<(), Fatal> {
    let began = sys::monotonic();
    let mut members = Members::of(options)?;
    let mut archive = archive::open(options, &options.file)?;
    let umask = sys::umask(0);
    sys::umask(umask);
    let root = sys::getids().0 == 0;
    let mut x = Extraction {
        options,
        lines: Lines::new(options, options.verbose, verbose_fd(options)),
        prefixes: Prefixes::default(),
        later: Later::default(),
        umask: if options.permissions.unwrap_or(root) { 0 } else { umask },
        real_umask: umask,
        same_owner: options.same_owner.unwrap_or(root),
        dir: 0,
    };
    let ended = x.all(&mut members, &mut archive);
    x.later.apply(&mut members.places, x.umask)?;
    ended?;
    members.report();
    total_read(options, &mut archive, began)?;
    Ok(())
}

struct Extraction<'o> {
    options: &'o Options,
    lines: Lines<'o>,
    prefixes: Prefixes,
    later: Later,
    umask: u32,
    real_umask: u32,
    same_owner: bool,
    dir: usize,
}

impl Extraction<'_> {
    fn all(&mut self, members: &mut Members<'_>, archive: &mut Archive<'_>) -> Result<(), Fatal> {
        while let Some(entry) = archive.next()? {
            let Some(dir) = members.place(&entry) else { continue };
            members.places.enter(dir)?;
            self.dir = dir;
            self.member(entry, archive)?;
            if members.all_found() {
                break;
            }
        }
        Ok(())
    }

    fn member(&mut self, entry: Entry, archive: &mut Archive<'_>) -> Result<(), Fatal> {
        let Some(name) = changed(self.options, &entry.name, Of::Member) else { return Ok(()) };
        let dotted = name.split(|b| *b == b'/').any(|part| part == b"..");
        let mut name = self.prefixes.safe(self.options, &name, false);
        if dotted && !self.options.absolute {
            log::error([&log::colon(&entry.name)[..], b": Member name contains '..'"].concat());
            return Ok(());
        }
        if let Some(top) = &self.options.one_top {
            let plain = name.strip_prefix(b"./").unwrap_or(&name);
            if trim(&name) == b"." || trim(plain) == &top[..] || plain.starts_with(&[top, &b"/"[..]].concat())
            {
                if trim(&name) == b"." {
                    name = top.clone();
                }
            } else {
                name = [top, &b"/"[..], plain].concat();
            }
        }
        let is_dir = entry.is_dir();
        let path = trim(&name).to_vec();
        if self.options.old == Old::KeepNewer
            && !is_dir
            && let Ok(stat) = sys::stat(&path, false)
            && (stat.mtime, stat.mtime_nsec) >= entry.mtime
        {
            log::warn([&b"Current "[..], &quote(&path), b" is newer or same age"].concat());
            return Ok(());
        }
        let mut shown = entry.clone();
        if self.options.show_transformed {
            shown.name.clone_from(&name);
        }
        self.lines.show(&shown, archive.start / 512);
        if self.options.to_stdout {
            if entry.is_file() && !is_dir {
                out::flush();
                self.data(&entry, archive, 1, &path)?;
            }
            return Ok(());
        }
        match entry.kind {
            _ if is_dir => self.directory(&path, &entry),
            b'0' | 0 | b'7' | b'S' => self.regular(&path, &entry, archive)?,
            b'1' => self.hard_link(&path, &entry),
            b'2' => self.symlink(&path, &entry),
            b'6' => {
                let mode = self.mode(&entry);
                if self.make(&path, "mkfifo", |p| sys::mkfifo(p, mode)) {
                    self.attributes(&path, &entry);
                }
            }
            b'3' | b'4' => {
                let text = b": Cannot mknod: Operation not permitted";
                log::error([&log::colon(&path)[..], text].concat());
            }
            b'V' | b'M' => {}
            other => {
                let text = format!(": Unknown file type '{}', extracted as normal file", char::from(other));
                log::warn([&log::colon(&path)[..], text.as_bytes()].concat());
                self.regular(&path, &entry, archive)?;
            }
        }
        Ok(())
    }

    fn mode(&self, entry: &Entry) -> u32 {
        entry.mode & !self.umask & if self.umask == 0 { 0o7777 } else { 0o777 }
    }

    /// Makes something at `path`. If a file is in the way, the options decide what happens to it.
    fn make(&mut self, path: &[u8], what: &str, mut attempt: impl FnMut(&[u8]) -> sys::Result<()>) -> bool {
        if self.options.old == Old::UnlinkFirst {
            let _ = remove(path);
        }
        let mut dirs_made = false;
        let mut removed = false;
        loop {
            let e = match attempt(path) {
                Ok(()) => return true,
                Err(e) => e,
            };
            match e {
                Errno::NOENT if !dirs_made => {
                    dirs_made = true;
                    if self.parents(path) {
                        continue;
                    }
                }
                Errno::EXIST if self.options.old == Old::Skip => {
                    if self.options.verbose > 0 {
                        log::warn([&log::colon(path)[..], b": skipping existing file"].concat());
                    }
                    return false;
                }
                Errno::EXIST if self.options.old != Old::Keep && !removed => {
                    removed = true;
                    if remove(path).is_ok() {
                        continue;
                    }
                }
                _ => {}
            }
            log::error([&log::colon(path)[..], format!(": Cannot {what}: {e}").as_bytes()].concat());
            return false;
        }
    }

    /// Makes the directories above `path`. Returns whether any had to be made.
    fn parents(&self, path: &[u8]) -> bool {
        let mut made = false;
        for (at, _) in path.iter().enumerate().filter(|(at, b)| **b == b'/' && *at > 0) {
            let dir = path.get(..at).unwrap_or_default();
            if dir.ends_with(b"/") || dir == b"." || dir.ends_with(b"/.") {
                continue;
            }
            match sys::mkdir(dir, 0o777) {
                Ok(()) => made = true,
                Err(Errno::EXIST | Errno::NOTDIR) => {}
                Err(e) => {
                    log::error([&log::colon(dir)[..], format!(": Cannot mkdir: {e}").as_bytes()].concat());
                    return made;
                }
            }
        }
        made
    }

    fn directory(&mut self, path: &[u8], entry: &Entry) {
        let mode = self.mode(entry);
        let mut dirs_made = false;
        let mut removed = false;
        loop {
            match sys::mkdir(path, (mode | 0o700) & !0o077) {
                Ok(()) => break,
                Err(Errno::NOENT) if !dirs_made => {
                    dirs_made = true;
                    if self.parents(path) {
                        continue;
                    }
                }
                Err(Errno::EXIST | Errno::ISDIR) => {
                    if let Ok(stat) = sys::stat(path, false) {
                        if stat.is_dir() || (stat.is_symlink() && path == b".") {
                            if self.options.keep_dirs || matches!(self.options.old, Old::Keep | Old::Skip) {
                                if self.options.old == Old::Skip && self.options.verbose > 0 {
                                    log::warn([&log::colon(path)[..], b": skipping existing file"].concat());
                                }
                                return;
                            }
                            break;
                        }
                        if !removed && !matches!(self.options.old, Old::Keep | Old::Skip) {
                            removed = true;
                            if sys::unlink(path).is_ok() {
                                continue;
                            }
                        }
                    }
                }
                Err(_) => {}
            }
            let e = sys::mkdir(path, mode).err().unwrap_or(Errno::EXIST);
            log::error([&log::colon(path)[..], format!(": Cannot mkdir: {e}").as_bytes()].concat());
            return;
        }
        if self.same_owner {
            self.chown(path, entry);
        }
        let mtime = (!self.options.no_mtime).then_some(entry.mtime);
        self.later.directory(self.dir, path, mode, mtime);
    }

    fn regular(&mut self, path: &[u8], entry: &Entry, archive: &mut Archive<'_>) -> Result<(), Fatal> {
        let mode = self.mode(entry) & 0o777 & !if self.umask == 0 && self.same_owner { 0o077 } else { 0 };
        let mut fd = -1;
        let overwrite = self.options.old == Old::Overwrite;
        let flags = o::WRITE | o::CREATE | o::CLOEXEC | if overwrite { o::TRUNC } else { o::EXCL };
        let made = self.make(path, "open", |p| {
            fd = sys::open(p, flags, mode | 0o200)?;
            Ok(())
        });
        if !made {
            return Ok(());
        }
        let done = self.data(entry, archive, fd, path);
        let _ = sys::close(fd);
        done?;
        self.attributes(path, entry);
        Ok(())
    }

    /// Copies the member's data, including holes.
    fn data(&self, entry: &Entry, archive: &mut Archive<'_>, fd: sys::Fd, path: &[u8]) -> Result<(), Fatal> {
        let whole = [(0, entry.stored)];
        let pieces = entry.sparse.as_deref().unwrap_or(&whole);
        let mut buf = vec![0; 64 * 1024];
        let mut at = 0;
        let failed = |e: Errno| {
            log::error([&log::colon(path)[..], format!(": Cannot write: {e}").as_bytes()].concat());
        };
        for (offset, length) in pieces {
            if *offset > at
                && let Err(e) = hole(fd, *offset - at)
            {
                failed(e);
                return Ok(());
            }
            at = offset + length;
            let mut left = *length;
            while left > 0 {
                let n = usize::try_from(left).unwrap_or(usize::MAX).min(buf.len());
                let Some(part) = buf.get_mut(..n) else { break };
                let got = archive.read_wanted(part)?;
                if got == 0 {
                    return Ok(());
                }
                left -= got as u64;
                if let Err(e) = sys::write_all(fd, part.get(..got).unwrap_or_default()) {
                    failed(e);
                    return Ok(());
                }
            }
        }
        if entry.sparse.is_some() && entry.size > at {
            let done = if fd == 1 { hole(fd, entry.size - at) } else { sys::ftruncate(fd, entry.size) };
            if let Err(e) = done {
                failed(e);
            }
        }
        Ok(())
    }

    fn hard_link(&mut self, path: &[u8], entry: &Entry) {
        let link = changed(self.options, &entry.link, Of::Hardlink).unwrap_or_default();
        let mut target = self.prefixes.safe(self.options, &link, true);
        if let Some(top) = &self.options.one_top {
            target = [top, &b"/"[..], &target].concat();
        }
        if !self.options.absolute && link.split(|b| *b == b'/').any(|part| part == b"..") {
            log::error([&log::colon(path)[..], b": Link target contains '..'"].concat());
            return;
        }
        if let Some(delayed) = self.later.symlink_at(self.dir, &target) {
            // This is another name of a symbolic link that is made later.
            self.later.symlink(self.dir, path, &delayed, entry.mtime);
        }
        let same = |a: &[u8], b: &[u8]| match (sys::stat(a, false), sys::stat(b, false)) {
            (Ok(a), Ok(b)) => a.dev == b.dev && a.ino == b.ino,
            _ => false,
        };
        if same(&target, path) {
            return;
        }
        let what = format!("hard link to {}", String::from_utf8_lossy(&quote(&target)));
        self.make(path, &what, |p| sys::link(&target, p, false));
    }

    fn symlink(&mut self, path: &[u8], entry: &Entry) {
        let target = changed(self.options, &entry.link, Of::Symlink).unwrap_or_default();
        let leads_out = target.starts_with(b"/") || target.split(|b| *b == b'/').any(|part| part == b"..");
        if leads_out && !self.options.absolute {
            // Later members must not be written through this link. An empty file takes its place until the end.
            let made = self.make(path, "open", |p| {
                let fd = sys::open(p, o::WRITE | o::CREATE | o::EXCL | o::CLOEXEC, 0)?;
                sys::close(fd)
            });
            if made {
                self.later.symlink(self.dir, path, &target, entry.mtime);
            }
            return;
        }
        let what = format!("create symlink to {}", String::from_utf8_lossy(&quote(&target)));
        if self.make(path, &what, |p| sys::symlink(&target, p)) {
            if self.same_owner {
                self.chown(path, entry);
            }
            if !self.options.no_mtime {
                let time = sys::SetTime::At(entry.mtime.0, entry.mtime.1);
                let _ = sys::utimens(path, sys::SetTime::Omit, time, false);
            }
        }
    }

    fn attributes(&self, path: &[u8], entry: &Entry) {
        if !self.options.no_mtime {
            let time = sys::SetTime::At(entry.mtime.0, entry.mtime.1);
            if let Err(e) = sys::utimens(path, sys::SetTime::Now, time, false) {
                log::error([&log::colon(path)[..], format!(": Cannot utime: {e}").as_bytes()].concat());
            }
        }
        if self.same_owner {
            self.chown(path, entry);
        }
        let mode = self.mode(entry);
        if let Ok(stat) = sys::stat(path, false)
            && stat.mode & 0o7777 != mode & if self.umask == 0 { 0o7777 } else { 0o777 & !self.real_umask }
            && let Err(e) = sys::chmod(path, mode)
        {
            log::error([&log::colon(path)[..], format!(": Cannot change mode: {e}").as_bytes()].concat());
        }
    }

    fn chown(&self, path: &[u8], entry: &Entry) {
        let numeric = self.options.numeric;
        let named = |name: &[u8]| (!numeric && !name.is_empty()).then_some(name.to_vec());
        let uid = named(&entry.user).and_then(|n| users::user_named(&n)).map(|u| u.uid);
        let gid = named(&entry.group).and_then(|n| users::group_named(&n)).map(|g| g.gid);
        let uid = uid.unwrap_or(u32::try_from(entry.uid).unwrap_or(u32::MAX - 1));
        let gid = gid.unwrap_or(u32::try_from(entry.gid).unwrap_or(u32::MAX - 1));
        if let Err(e) = sys::chown(path, Some(uid), Some(gid), false) {
            let text = format!(": Cannot change ownership to uid {uid}, gid {gid}: {e}");
            log::error([&log::colon(path)[..], text.as_bytes()].concat());
        }
    }
}

/// Removes a file or an empty directory.
fn remove(path: &[u8]) -> sys::Result<()> {
    match sys::stat(path, false)?.is_dir() {
        true => sys::rmdir(path),
        false => sys::unlink(path),
    }
}

/// Makes a hole, or writes zeros if the file cannot seek.
fn hole(fd: sys::Fd, size: u64) -> sys::Result<()> {
    if fd != 1 {
        sys::lseek(fd, i64::try_from(size).map_err(|_| Errno::FBIG)?, 1)?;
        return Ok(());
    }
    let zeros = vec![0; 64 * 1024];
    let mut left = size;
    while left > 0 {
        let n = left.min(zeros.len() as u64) as usize;
        sys::write_all(fd, zeros.get(..n).unwrap_or_default())?;
        left -= n as u64;
    }
    Ok(())
}
