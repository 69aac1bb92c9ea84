//! `-c`: creates an archive.

use super::archive;
use super::header::{self, Entry, Layout};
use super::links::Prefixes;
use super::list::{Lines, verbose_fd};
use super::log::{self, Fatal};
use super::members::{changed, excluded};
use super::names::{Pattern, trim};
use super::options::Options;
use super::places::Places;
use super::reader::padding;
use super::transform::Of;
use super::writer;
use crate::io::{FdReader, read_full};
use crate::sink::Sink;
use sandshell_posix::users::Names;
use sandshell_sys::{self as sys, Errno, Stat};
use std::collections::HashMap;

pub(crate) fn create(options: &Options) -> Result<(), Fatal> {
    // The archive is created first: it exists, empty, even if a file of names cannot be read.
    let (to, archive) = archive::create(options)?;
    let mut places = Places::of(options)?;
    let mut dump = Dump::new(options, to, archive);
    dump.label()?;
    dump.operands(&mut places)?;
    dump.finish()
}

/// Device and inode of a file.
type Id = (u64, u64);

/// An archive being written.
pub(crate) struct Dump<'o> {
    options: &'o Options,
    to: Box<dyn Sink>,
    archive: Option<Id>,
    lines: Lines<'o>,
    names: Names,
    prefixes: Prefixes,
    /// The names of archived files that may occur again, under this or another name.
    linked: HashMap<Id, Vec<u8>>,
    /// Whether even files with only one link may occur again.
    again: bool,
    written: u64,
    /// The times of existing members, for `-u`.
    pub(crate) newest: HashMap<Vec<u8>, (i64, u32)>,
    remove: Vec<(Vec<u8>, bool)>,
    /// Whether to add what is below the current operand.
    recursive: bool,
    /// The exclusions in files of names that apply to the current operand.
    excludes: Vec<Pattern>,
    began: u64,
}

impl<'o> Dump<'o> {
    pub(crate) fn new(options: &'o Options, to: Box<dyn Sink>, archive: Option<Id>) -> Self {
        Self {
            options,
            to,
            archive,
            lines: Lines::new(options, options.verbose, verbose_fd(options)),
            names: Names::default(),
            prefixes: Prefixes::default(),
            linked: HashMap::new(),
            again: options.dereference || options.remove_files,
            written: 0,
            newest: HashMap::new(),
            remove: Vec::new(),
            recursive: true,
            excludes: Vec::new(),
            began: sys::monotonic(),
        }
    }

    /// Writes the volume label, which must be the first header.
    fn label(&mut self) -> Result<(), Fatal> {
        let Some(label) = &self.options.label else { return Ok(()) };
        let now = (sys::realtime() / 1_000_000_000) as i64;
        let entry = Entry { name: label.clone(), kind: b'V', mtime: (now, 0), ..Entry::default() };
        self.lines.show(&entry, 0);
        let written = self.to.write_all(&header::label(&entry));
        self.written += header::BLOCK as u64;
        written.map_err(|e| archive::cannot_write(&self.options.file, &e))
    }

    /// Adds all operands to the archive.
    pub(crate) fn operands(&mut self, places: &mut Places<'_>) -> Result<(), Fatal> {
        self.again |= places.many;
        for place in std::mem::take(&mut places.names) {
            places.enter(place.dir)?;
            self.recursive = place.recursive;
            self.excludes = places.excludes.get(..place.excludes).unwrap_or_default().to_vec();
            if !excluded(self.options, &self.excludes, &place.name) {
                self.file(&place.name, true)?;
            }
            for (path, dir) in std::mem::take(&mut self.remove) {
                let done = if dir { sys::rmdir(&path) } else { sys::unlink(&path) };
                if let Err(e) = done {
                    let what = if dir { "rmdir" } else { "unlink" };
                    log::error([&log::colon(&path)[..], format!(": Cannot {what}: {e}").as_bytes()].concat());
                }
            }
        }
        Ok(())
    }

    /// Writes the end of the archive.
    pub(crate) fn finish(mut self) -> Result<(), Fatal> {
        let ended = writer::end(&mut self.to).and_then(|()| self.to.finish());
        ended.map_err(|e| archive::cannot_write(&self.options.file, &e))?;
        if self.options.totals {
            let bytes = (self.written + 1024).next_multiple_of(self.options.record as u64);
            log::total("written", bytes, self.began);
        }
        Ok(())
    }

    fn file(&mut self, path: &[u8], top: bool) -> Result<(), Fatal> {
        if top {
            // This is reported even for names that do not exist.
            self.prefixes.safe(self.options, path, false);
        }
        let stat = match sys::stat(path, self.options.dereference) {
            Ok(stat) => stat,
            Err(e) => {
                if e == Errno::NOENT && !top {
                    log::warn([&log::colon(path)[..], b": File removed before we read it"].concat());
                    log::set_status(1);
                } else {
                    self.cannot("stat", path, e);
                }
                return Ok(());
            }
        };
        let newer = |t: (i64, u32)| (stat.mtime, stat.mtime_nsec) >= t;
        if self.options.newer.is_some_and(|t| !newer(t)) && !stat.is_dir() {
            if top {
                log::warn([&log::colon(path)[..], b": file is unchanged; not dumped"].concat());
            }
            return Ok(());
        }
        if self.archive == Some((stat.dev, stat.ino)) {
            log::warn([&log::colon(path)[..], b": file is the archive; not dumped"].concat());
            return Ok(());
        }
        match stat.mode & sys::S_IFMT {
            sys::S_IFDIR => self.directory(path, &stat),
            sys::S_IFSOCK => {
                log::warn([&log::colon(path)[..], b": socket ignored"].concat());
                Ok(())
            }
            _ => self.single(path, &stat),
        }
    }

    fn directory(&mut self, path: &[u8], stat: &Stat) -> Result<(), Fatal> {
        let below = match path.ends_with(b"/") {
            true => path.to_vec(),
            false => [path, b"/"].concat(),
        };
        let names = match sys::read_dir(path) {
            Ok(names) => names,
            Err(e) => {
                self.cannot("open", path, e);
                return Ok(());
            }
        };
        if let Some(mut entry) = self.entry(&below, stat) {
            if !entry.name.ends_with(b"/") {
                entry.name.push(b'/');
            }
            entry.kind = b'5';
            let old = self.newest.get(trim(&entry.name)).is_some_and(|t| entry.mtime <= *t);
            if !old && !self.header(&entry)? {
                return Ok(());
            }
        }
        if self.recursive {
            for name in names {
                let path = [&below[..], &name.name].concat();
                if !excluded(self.options, &self.excludes, &path) {
                    self.file(&path, false)?;
                }
            }
        }
        if self.options.remove_files {
            self.remove.push((path.to_vec(), true));
        }
        Ok(())
    }

    fn single(&mut self, path: &[u8], stat: &Stat) -> Result<(), Fatal> {
        let Some(mut entry) = self.entry(path, stat) else { return Ok(()) };
        if self.newest.get(&entry.name).is_some_and(|t| (entry.mtime.0, 0) <= (t.0, 0)) {
            return Ok(());
        }
        let id = (stat.dev, stat.ino);
        let may_come_again = (self.again || stat.nlink > 1) && !self.options.hard_dereference;
        if may_come_again && let Some(first) = self.linked.get(&id) {
            entry.link.clone_from(first);
            entry.kind = b'1';
            self.header(&entry)?;
            return self.done(path);
        }
        if self.put(path, entry, stat)? && may_come_again {
            let safe = self.prefixes.safe(self.options, path, true);
            let link = changed(self.options, &safe, Of::Hardlink).unwrap_or(safe);
            self.linked.insert(id, link);
        }
        Ok(())
    }

    /// Adds a file that is neither a directory nor another link to an archived file. Returns whether it was added.
    fn put(&mut self, path: &[u8], mut entry: Entry, stat: &Stat) -> Result<bool, Fatal> {
        match stat.mode & sys::S_IFMT {
            sys::S_IFREG => return self.regular(path, entry, stat.size),
            sys::S_IFLNK => match sys::readlink(path) {
                Ok(target) => {
                    entry.link = changed(self.options, &target, Of::Symlink).unwrap_or_default();
                    entry.kind = b'2';
                }
                Err(e) => {
                    self.cannot("readlink", path, e);
                    return Ok(false);
                }
            },
            sys::S_IFIFO if o_is_v7(self.options) => {
                log::error([&log::colon(path)[..], b": Unknown file type; file ignored"].concat());
                return Ok(false);
            }
            sys::S_IFIFO => entry.kind = b'6',
            kind => {
                entry.kind = if kind == sys::S_IFCHR { b'3' } else { b'4' };
                let (major, minor) =
                    ((stat.rdev >> 8) & 0xfff, (stat.rdev & 0xff) | ((stat.rdev >> 12) & 0xfff00));
                entry.device = (major, minor);
            }
        }
        let done = self.header(&entry)?;
        self.done(path)?;
        Ok(done)
    }

    fn regular(&mut self, path: &[u8], mut entry: Entry, size: u64) -> Result<bool, Fatal> {
        let mut file = match FdReader::open(path) {
            Ok(file) => file,
            Err(e) => {
                self.cannot("open", path, e);
                return Ok(false);
            }
        };
        entry.kind = b'0';
        entry.stored = size;
        entry.size = size;
        if !self.header(&entry)? {
            return Ok(false);
        }
        let mut buf = vec![0; 64 * 1024];
        let mut left = size;
        while left > 0 {
            let n = usize::try_from(left).unwrap_or(usize::MAX).min(buf.len());
            let Some(part) = buf.get_mut(..n) else { break };
            let got = match read_full(&mut file, part) {
                Ok(got) => got,
                Err(e) => {
                    let text = format!(": Read error at byte {}, while reading {n} bytes: ", size - left);
                    let e = crate::io::errno(&e).to_string();
                    log::error([&log::colon(path)[..], text.as_bytes(), e.as_bytes()].concat());
                    0
                }
            };
            if got < n {
                let missing = left - got as u64;
                if log::status() < 2 {
                    let text = format!(": File shrank by {missing} bytes; padding with zeros");
                    log::warn([&log::colon(path)[..], text.as_bytes()].concat());
                    log::set_status(1);
                }
                part.iter_mut().skip(got).for_each(|b| *b = 0);
            }
            let written = self.to.write_all(part);
            self.written += n as u64;
            written.map_err(|e| archive::cannot_write(&self.options.file, &e))?;
            left -= n as u64;
        }
        let zeros = vec![0; padding(size) as usize];
        self.written += zeros.len() as u64;
        self.to.write_all(&zeros).map_err(|e| archive::cannot_write(&self.options.file, &e))?;
        self.done(path)?;
        Ok(true)
    }

    fn done(&mut self, path: &[u8]) -> Result<(), Fatal> {
        if self.options.remove_files {
            self.remove.push((path.to_vec(), false));
        }
        Ok(())
    }

    fn user_name(&mut self, uid: u64) -> Vec<u8> {
        let name = u32::try_from(uid).ok().and_then(|uid| self.names.user(uid));
        name.map(<[u8]>::to_vec).unwrap_or_default()
    }

    fn group_name(&mut self, gid: u64) -> Vec<u8> {
        let name = u32::try_from(gid).ok().and_then(|gid| self.names.group(gid));
        name.map(<[u8]>::to_vec).unwrap_or_default()
    }

    /// The header for a file; `None` if nothing is left of its name.
    fn entry(&mut self, path: &[u8], stat: &Stat) -> Option<Entry> {
        let o = self.options;
        let name = changed(o, path, Of::Member)?;
        let mut mtime = (stat.mtime, stat.mtime_nsec);
        if let Some(set) = o.mtime
            && (!o.clamp_mtime || mtime > set)
        {
            mtime = set;
        }
        let mut entry = Entry {
            name: self.prefixes.safe(o, &name, false),
            mode: stat.mode & 0o7777,
            uid: stat.uid.into(),
            gid: stat.gid.into(),
            mtime,
            ..Entry::default()
        };
        if let Some(mode) = &o.mode {
            entry.mode = mode.apply(entry.mode, stat.is_dir(), 0);
        }
        if let Some((_, id)) = &o.owner {
            entry.uid = id.unwrap_or(entry.uid);
        }
        if let Some((_, id)) = &o.group {
            entry.gid = id.unwrap_or(entry.gid);
        }
        if !o.numeric {
            entry.user = match &o.owner {
                Some((name, _)) if !name.is_empty() => name.clone(),
                _ => self.user_name(entry.uid),
            };
            entry.group = match &o.group {
                Some((name, _)) if !name.is_empty() => name.clone(),
                _ => self.group_name(entry.gid),
            };
        }
        if o.layout == Layout::Pax {
            entry.atime = Some((stat.atime, stat.atime_nsec));
            entry.ctime = Some((stat.ctime, stat.ctime_nsec));
        }
        Some(entry)
    }

    fn header(&mut self, entry: &Entry) -> Result<bool, Fatal> {
        let o = self.options;
        let how = writer::How { layout: o.layout, deleted: &o.pax_delete, numeric: o.numeric };
        let done = writer::header(&mut self.to, entry, how);
        let done = done.map_err(|e| archive::cannot_write(&self.options.file, &e))?;
        if done {
            self.lines.show(entry, self.written / 512);
            self.written += 512;
        }
        Ok(done)
    }

    fn cannot(&self, what: &str, path: &[u8], e: Errno) {
        let text = [&log::colon(path)[..], format!(": Cannot {what}: {e}").as_bytes()].concat();
        if self.options.ignore_failed && what != "stat" {
            log::warn([&log::colon(path)[..], format!(": Warning: Cannot {what}: {e}").as_bytes()].concat());
        } else {
            log::error(text);
        }
    }
}

fn o_is_v7(options: &Options) -> bool {
    options.layout == Layout::V7
}
