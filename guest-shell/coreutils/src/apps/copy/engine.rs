//! Copying one file or tree, for `cp`, `mv` across filesystems and `install`.

use crate::base::copyname::{self, Backup};
use crate::base::quote::{quoteaf, quotef};
use crate::base::{mode, out, path};
use crate::{bytes, warn};
use sandshell_sys::{self as sys, Errno, Fd, SetTime, Stat, open_flags as f};
use std::collections::{HashMap, HashSet};

/// When links are followed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Follow {
    Never,
    CommandLine,
    Always,
}

/// What to do about files that are there already.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Existing {
    /// Ask only where `mv` does by itself.
    Default,
    Overwrite,
    Ask,
    Skip,
}

/// How files are copied.
#[derive(Clone, Debug)]
pub(super) struct Options {
    pub(super) name: &'static str,
    pub(super) recursive: bool,
    pub(super) follow: Follow,
    pub(super) existing: Existing,
    pub(super) force: bool,
    pub(super) update: bool,
    pub(super) remove_destination: bool,
    pub(super) hard_link: bool,
    pub(super) symbolic_link: bool,
    pub(super) attributes_only: bool,
    pub(super) copy_contents: bool,
    pub(super) one_file_system: bool,
    pub(super) preserve_mode: bool,
    pub(super) preserve_owner: bool,
    pub(super) preserve_times: bool,
    pub(super) preserve_links: bool,
    /// `--no-preserve=mode`: new files get default modes.
    pub(super) default_mode: bool,
    pub(super) verbose: bool,
    pub(super) moving: bool,
    pub(super) reflink_only: bool,
    pub(super) backup: Backup,
    pub(super) suffix: Vec<u8>,
}

impl Options {
    /// Nothing but the copy itself.
    pub(super) fn plain(name: &'static str) -> Self {
        Self {
            name,
            recursive: false,
            follow: Follow::Always,
            existing: Existing::Default,
            force: false,
            update: false,
            remove_destination: false,
            hard_link: false,
            symbolic_link: false,
            attributes_only: false,
            copy_contents: false,
            one_file_system: false,
            preserve_mode: false,
            preserve_owner: false,
            preserve_times: false,
            preserve_links: false,
            default_mode: false,
            verbose: false,
            moving: false,
            reflink_only: false,
            backup: Backup::Off,
            suffix: b"~".to_vec(),
        }
    }

    /// Keep everything that can be kept.
    pub(super) fn preserve_all(&mut self) {
        self.preserve_mode = true;
        self.preserve_owner = true;
        self.preserve_times = true;
        self.preserve_links = true;
    }
}

type Id = (u64, u64);

/// What a run of copies remembers.
pub(super) struct Engine<'a> {
    pub(super) o: &'a Options,
    /// Where files with several names went.
    links: HashMap<Id, Vec<u8>>,
    /// Files made for command line arguments.
    created: HashSet<Id>,
    seen_sources: HashSet<(Vec<u8>, Id)>,
    /// The first directory made for the present argument, and the argument.
    top: Option<(Id, Vec<u8>, Vec<u8>)>,
    umask: u32,
    /// Whether several sources share a target directory.
    pub(super) several: bool,
}

impl<'a> Engine<'a> {
    pub(super) fn new(o: &'a Options) -> Self {
        Self {
            o,
            links: HashMap::new(),
            created: HashSet::new(),
            seen_sources: HashSet::new(),
            top: None,
            umask: crate::apps::make::umask(),
            several: false,
        }
    }

    /// Copies a command line argument to `to`; false if anything failed (it has been said).
    pub(super) fn copy_argument(&mut self, from: &[u8], to: &[u8]) -> bool {
        self.top = None;
        self.copy(from, to, true, None)
    }

    fn fail(&self, text: Vec<u8>) -> bool {
        warn!(self.o.name, text);
        false
    }

    fn copy(&mut self, from: &[u8], to: &[u8], argument: bool, device: Option<u64>) -> bool {
        let o = self.o;
        let follow = match o.follow {
            Follow::Always => true,
            Follow::CommandLine => argument,
            Follow::Never => false,
        };
        let source = match sys::stat(from, follow) {
            Ok(s) => s,
            Err(e) => return self.fail(bytes!("cannot stat ", quoteaf(from), ": ", e)),
        };
        let id = (source.dev, source.ino);
        if source.is_dir() && !o.recursive {
            return self.fail(bytes!("-r not specified; omitting directory ", quoteaf(from)));
        }
        if argument
            && self.several
            && !self.seen_sources.insert((path::base_name(from).to_vec(), id))
            && !source.is_dir()
            && o.backup == Backup::Off
        {
            warn!(o.name, "warning: source file ", quoteaf(from), " specified more than once");
            return true;
        }
        // Look through a link at the target only when its contents will be written.
        let as_data = source.is_file() || o.copy_contents || !o.recursive && !source.is_symlink();
        let through = as_data
            && !(o.moving
                || o.symbolic_link
                || o.hard_link
                || o.backup != Backup::Off
                || o.remove_destination);
        let old = match sys::stat(to, through) {
            Ok(s) => Some(s),
            Err(Errno::NOTDIR) => return self.fail(bytes!("cannot stat ", quoteaf(to), ": ", Errno::NOTDIR)),
            Err(Errno::NOENT) if sys::stat(to, false).is_err() => None,
            Err(Errno::LOOP) if o.force => sys::stat(to, false).ok(),
            Err(Errno::NOENT) => {
                if through && !o.force {
                    return self.fail(bytes!("not writing through dangling symlink ", quoteaf(to)));
                }
                sys::stat(to, false).ok()
            }
            Err(e) => return self.fail(bytes!("cannot stat ", quoteaf(to), ": ", e)),
        };
        let mut old = old;
        let mut backup = None;
        if let Some(present) = old {
            match self.replace(from, &source, to, &present, argument, follow) {
                Replace::Done(ok) => return ok,
                Replace::Write => {}
                Replace::Removed => old = None,
                Replace::BackedUp(name) => {
                    old = None;
                    backup = Some(name);
                }
            }
        }
        if o.verbose && !source.is_dir() && !o.moving {
            self.tell(from, to, backup.as_deref());
        }
        // A second name of a file copied before.
        if o.preserve_links && !source.is_dir() && source.nlink > 1 {
            if let Some(earlier) = self.links.get(&id) {
                let earlier = earlier.clone();
                if old.is_some() {
                    let _ = sys::unlink(to);
                }
                return match sys::link(&earlier, to, false) {
                    Ok(()) => true,
                    Err(e) => self.fail(bytes!(
                        "cannot create hard link ",
                        quoteaf(to),
                        " to ",
                        quoteaf(&earlier),
                        ": ",
                        e
                    )),
                };
            }
            self.links.insert(id, to.to_vec());
        }
        if source.is_dir() {
            return self.directory(from, &source, to, old, argument, device);
        }
        let made = if o.symbolic_link {
            self.symbolic(from, to)
        } else if o.hard_link {
            self.hard(from, to, follow)
        } else if source.is_symlink() && !follow {
            self.link_itself(from, &source, to)
        } else if source.is_file() || o.copy_contents || !o.recursive {
            self.regular(from, &source, to, old)
        } else {
            self.special(from, &source, to)
        };
        if made
            && argument
            && self.several
            && let Ok(s) = sys::stat(to, false)
        {
            self.created.insert((s.dev, s.ino));
        }
        made
    }

    fn tell(&self, from: &[u8], to: &[u8], backup: Option<&[u8]>) {
        let mut line = bytes!(quoteaf(from), " -> ", quoteaf(to));
        if let Some(b) = backup {
            line.extend_from_slice(&bytes!(" (backup: ", quoteaf(b), ")"));
        }
        line.push(b'\n');
        out::put(line);
    }

    /// Decides about a target that exists.
    fn replace(
        &mut self,
        from: &[u8],
        source: &Stat,
        to: &[u8],
        old: &Stat,
        argument: bool,
        follow: bool,
    ) -> Replace {
        let o = self.o;
        let same = (source.dev, source.ino) == (old.dev, old.ino)
            || follow
                && sys::stat(to, true).is_ok_and(|s| (s.dev, s.ino) == (source.dev, source.ino))
                && !o.remove_destination
                && o.backup == Backup::Off;
        if same && !source.is_dir() {
            if o.hard_link {
                return Replace::Done(true);
            }
            let same_name = same_entry(from, to);
            let may = !same_name
                && (o.backup != Backup::Off
                    || o.remove_destination
                    || o.force && old.nlink > 1 && !source.is_symlink());
            if !may {
                return Replace::Done(self.fail(bytes!(
                    quoteaf(from),
                    " and ",
                    quoteaf(to),
                    " are the same file"
                )));
            }
            if o.backup == Backup::Off {
                return self.remove_old(to);
            }
        } else if same {
            return Replace::Done(self.fail(bytes!(
                quoteaf(from),
                " and ",
                quoteaf(to),
                " are the same file"
            )));
        }
        if !source.is_dir() {
            if o.update && newer_or_same(old, source) {
                return Replace::Done(true);
            }
            match o.existing {
                Existing::Skip => return Replace::Done(true),
                Existing::Ask if !ask(o, to, old) => return Replace::Done(true),
                _ => {}
            }
        }
        if source.is_dir() && !old.is_dir() && !(o.backup != Backup::Off && o.moving) {
            return Replace::Done(self.fail(bytes!(
                "cannot overwrite non-directory ",
                quoteaf(to),
                " with directory ",
                quoteaf(from)
            )));
        }
        if !source.is_dir() && old.is_dir() {
            return Replace::Done(self.fail(bytes!(
                "cannot overwrite directory ",
                quoteaf(to),
                " with non-directory"
            )));
        }
        if argument && self.several && !old.is_dir() && o.backup != Backup::Numbered {
            let entry = sys::stat(to, false).map_or((old.dev, old.ino), |s| (s.dev, s.ino));
            if self.created.contains(&entry) {
                return Replace::Done(self.fail(bytes!(
                    "will not overwrite just-created ",
                    quoteaf(to),
                    " with ",
                    quoteaf(from)
                )));
            }
        }
        if old.is_dir() {
            return Replace::Write;
        }
        if o.backup != Backup::Off {
            let kept = copyname::backup_name(to, o.backup, &o.suffix);
            if (o.backup == Backup::Simple || o.backup == Backup::Existing)
                && sys::stat(&kept, false).is_ok_and(|s| (s.dev, s.ino) == (source.dev, source.ino))
            {
                let verb = if o.moving { "moved" } else { "copied" };
                return Replace::Done(self.fail(bytes!(
                    "backing up ",
                    quoteaf(to),
                    " might destroy source;  ",
                    quoteaf(from),
                    " not ",
                    verb
                )));
            }
            return match sys::rename(to, &kept) {
                Ok(()) => Replace::BackedUp(kept),
                Err(Errno::NOENT) => Replace::Removed,
                Err(e) => Replace::Done(self.fail(bytes!("cannot backup ", quoteaf(to), ": ", e))),
            };
        }
        let replace_entry = o.remove_destination
            || o.preserve_links && old.nlink > 1
            || source.is_symlink() && !follow
            || (o.hard_link || o.symbolic_link) && o.force;
        if replace_entry { self.remove_old(to) } else { Replace::Write }
    }

    fn remove_old(&self, to: &[u8]) -> Replace {
        match sys::unlink(to) {
            Ok(()) | Err(Errno::NOENT) => {
                if self.o.verbose && self.o.name != "ln" {
                    out::put(bytes!("removed ", quoteaf(to), "\n"));
                }
                Replace::Removed
            }
            Err(e) => Replace::Done(self.fail(bytes!("cannot remove ", quoteaf(to), ": ", e))),
        }
    }

    fn symbolic(&self, from: &[u8], to: &[u8]) -> bool {
        if !from.starts_with(b"/") && to.contains(&b'/') && path::dir_name(to) != b"." {
            return self
                .fail(bytes!(quotef(to), ": can make relative symbolic links only in current directory"));
        }
        match sys::symlink(from, to) {
            Ok(()) => true,
            Err(e) => {
                self.fail(bytes!("cannot create symbolic link ", quoteaf(to), " to ", quoteaf(from), ": ", e))
            }
        }
    }

    fn hard(&self, from: &[u8], to: &[u8], follow: bool) -> bool {
        match sys::link(from, to, follow) {
            Ok(()) => true,
            Err(e) => {
                self.fail(bytes!("cannot create hard link ", quoteaf(to), " to ", quoteaf(from), ": ", e))
            }
        }
    }

    fn link_itself(&self, from: &[u8], source: &Stat, to: &[u8]) -> bool {
        let target = match sys::readlink(from) {
            Ok(t) => t,
            Err(e) => return self.fail(bytes!("cannot read symbolic link ", quoteaf(from), ": ", e)),
        };
        match sys::symlink(&target, to) {
            Ok(()) => {}
            Err(e) => return self.fail(bytes!("cannot create symbolic link ", quoteaf(to), ": ", e)),
        }
        if self.o.preserve_owner {
            let _ = sys::chown(to, Some(source.uid), Some(source.gid), false);
        }
        if self.o.preserve_times {
            let _ = set_times(to, source, false);
        }
        true
    }

    fn special(&self, from: &[u8], source: &Stat, to: &[u8]) -> bool {
        if source.mode & sys::S_IFMT != sys::S_IFIFO {
            return self.fail(bytes!("cannot create special file ", quoteaf(to), ": ", Errno::PERM));
        }
        let _ = sys::unlink(to);
        match sys::mkfifo(to, source.mode & 0o777) {
            Ok(()) => self.attributes(from, source, to, true),
            Err(e) => self.fail(bytes!("cannot create fifo ", quoteaf(to), ": ", e)),
        }
    }

    fn regular(&self, from: &[u8], source: &Stat, to: &[u8], old: Option<Stat>) -> bool {
        let o = self.o;
        if o.reflink_only {
            return self.fail(bytes!(
                "failed to clone ",
                quoteaf(to),
                " from ",
                quoteaf(from),
                ": ",
                Errno::NOTSUP
            ));
        }
        let input = match sys::open(from, f::READ | f::CLOEXEC, 0) {
            Ok(fd) => fd,
            Err(e) => return self.fail(bytes!("cannot open ", quoteaf(from), " for reading: ", e)),
        };
        let ok = self.regular_from(input, from, source, to, old);
        let _ = sys::close(input);
        ok
    }

    fn regular_from(&self, input: Fd, from: &[u8], source: &Stat, to: &[u8], old: Option<Stat>) -> bool {
        let o = self.o;
        let base = if o.default_mode { 0o666 } else { source.mode & 0o777 };
        // Not readable by others before owner and mode are right.
        let first_mode = if o.preserve_owner { base & 0o700 } else { base };
        let mut new = old.is_none();
        let opened = if old.is_some() {
            let trunc = if o.attributes_only { 0 } else { f::TRUNC };
            match sys::open(to, f::WRITE | trunc | f::CLOEXEC, 0) {
                Err(_) if o.force => match sys::unlink(to) {
                    Ok(()) | Err(Errno::NOENT) => {
                        if o.verbose {
                            out::put(bytes!("removed ", quoteaf(to), "\n"));
                        }
                        new = true;
                        sys::open(to, f::WRITE | f::CREATE | f::EXCL | f::CLOEXEC, first_mode)
                    }
                    Err(e) => return self.fail(bytes!("cannot remove ", quoteaf(to), ": ", e)),
                },
                other => other,
            }
        } else {
            sys::open(to, f::WRITE | f::CREATE | f::EXCL | f::CLOEXEC, first_mode)
        };
        let output = match opened {
            Ok(fd) => fd,
            Err(e) => {
                let e = if e == Errno::ISDIR && to.ends_with(b"/") { Errno::NOTDIR } else { e };
                return self.fail(bytes!("cannot create regular file ", quoteaf(to), ": ", e));
            }
        };
        let copied = o.attributes_only || self.data(input, from, output, to);
        let closed = sys::close(output);
        if let Err(e) = closed {
            return self.fail(bytes!("failed to close ", quoteaf(to), ": ", e));
        }
        let kept = self.attributes(from, source, to, new);
        if new && !o.preserve_mode && o.preserve_owner {
            let _ = sys::chmod(to, base & !self.umask);
        }
        copied && kept
    }

    fn data(&self, input: Fd, from: &[u8], output: Fd, to: &[u8]) -> bool {
        let mut buffer = vec![0u8; 128 * 1024];
        loop {
            match sys::read(input, &mut buffer) {
                Ok(0) => return true,
                Ok(n) => {
                    if let Err(e) = sys::write_all(output, &buffer[..n]) {
                        return self.fail(bytes!("error writing ", quoteaf(to), ": ", e));
                    }
                }
                Err(Errno::INTR) => {}
                Err(e) => return self.fail(bytes!("error reading ", quoteaf(from), ": ", e)),
            }
        }
    }

    /// Times, owner and mode, as far as they are to be kept.
    fn attributes(&self, _from: &[u8], source: &Stat, to: &[u8], _new: bool) -> bool {
        let o = self.o;
        let mut ok = true;
        if o.preserve_times
            && let Err(e) = set_times(to, source, true)
        {
            ok = self.fail(bytes!("preserving times for ", quoteaf(to), ": ", e));
        }
        let mut special_bits = 0o7777;
        if o.preserve_owner {
            let present = sys::stat(to, true).map_or((u32::MAX, u32::MAX), |s| (s.uid, s.gid));
            if present != (source.uid, source.gid)
                && let Err(e) = sys::chown(to, Some(source.uid), Some(source.gid), true)
            {
                if sys::getids().0 == 0 {
                    ok = self.fail(bytes!("failed to preserve ownership for ", quoteaf(to), ": ", e));
                } else {
                    let _ = sys::chown(to, None, Some(source.gid), true);
                    special_bits = 0o777;
                }
            }
        }
        if o.preserve_mode
            && let Err(e) = sys::chmod(to, source.mode & special_bits)
        {
            ok = self.fail(bytes!("preserving permissions for ", quoteaf(to), ": ", e));
        }
        ok
    }

    fn directory(
        &mut self,
        from: &[u8],
        source: &Stat,
        to: &[u8],
        old: Option<Stat>,
        argument: bool,
        device: Option<u64>,
    ) -> bool {
        let o = self.o;
        let id = (source.dev, source.ino);
        if let Some((top, top_from, top_to)) = &self.top
            && *top == id
        {
            return self.fail(bytes!(
                "cannot copy a directory, ",
                quoteaf(top_from),
                ", into itself, ",
                quoteaf(top_to)
            ));
        }
        if o.one_file_system && device.is_some_and(|d| d != source.dev) {
            return true;
        }
        if let Some(old) = old
            && argument
            && self.several
            && self.created.contains(&(old.dev, old.ino))
        {
            warn!(o.name, "warning: source directory ", quoteaf(from), " specified more than once");
            return true;
        }
        let base = if o.default_mode { 0o777 } else { source.mode & 0o7777 };
        if old.is_none() {
            if let Err(e) = sys::mkdir(to, base & 0o777 | 0o700) {
                return self.fail(bytes!("cannot create directory ", quoteaf(to), ": ", e));
            }
            if o.verbose {
                if o.moving {
                    out::put(bytes!("created directory ", quoteaf(to), "\n"));
                } else {
                    self.tell(from, to, None);
                }
            }
            if let Ok(s) = sys::stat(to, false) {
                if s.mode & 0o700 != 0o700 {
                    let _ = sys::chmod(to, s.mode & 0o7777 | 0o700);
                }
                if self.top.is_none() {
                    self.top = Some(((s.dev, s.ino), from.to_vec(), to.to_vec()));
                }
                if argument {
                    self.created.insert((s.dev, s.ino));
                }
            }
        }
        let mut ok = true;
        match sys::read_dir(from) {
            Ok(entries) => {
                for e in entries {
                    ok &= self.copy(
                        &path::join(from, &e.name),
                        &path::join(to, &e.name),
                        false,
                        Some(device.unwrap_or(source.dev)),
                    );
                }
            }
            Err(e) => ok = self.fail(bytes!("cannot access ", quoteaf(from), ": ", e)),
        }
        if old.is_none() && !o.preserve_mode {
            let _ = sys::chmod(to, base & 0o777 & !self.umask);
        }
        self.attributes(from, source, to, old.is_none()) && ok
    }
}

enum Replace {
    /// Nothing more to do; whether that is a success.
    Done(bool),
    /// Write into what is there.
    Write,
    Removed,
    BackedUp(Vec<u8>),
}

/// Whether both paths are one directory entry.
pub(super) fn same_entry(a: &[u8], b: &[u8]) -> bool {
    path::base_name(a) == path::base_name(b)
        && match (sys::stat(path::dir_name(a), true), sys::stat(path::dir_name(b), true)) {
            (Ok(x), Ok(y)) => (x.dev, x.ino) == (y.dev, y.ino),
            _ => false,
        }
}

/// Whether `old` need not be updated from `source`.
pub(super) fn newer_or_same(old: &Stat, source: &Stat) -> bool {
    (old.mtime, old.mtime_nsec) >= (source.mtime, source.mtime_nsec)
}

/// Asks whether to overwrite.
pub(super) fn ask(o: &Options, to: &[u8], old: &Stat) -> bool {
    out::flush();
    let writable = old.is_symlink() || sys::access(to, 2).is_ok();
    let question = if writable {
        bytes!(o.name, ": overwrite ", quoteaf(to), "? ")
    } else {
        let text = mode::text(old.mode);
        let octal = format!("{:04o}", old.mode & 0o7777);
        if o.moving || o.remove_destination || o.force {
            bytes!(o.name, ": replace ", quoteaf(to), ", overriding mode ", octal, " (", &text[1..], ")? ")
        } else {
            bytes!(
                o.name,
                ": unwritable ",
                quoteaf(to),
                " (mode ",
                octal,
                ", ",
                &text[1..],
                "); try anyway? "
            )
        }
    };
    let _ = sys::write_all(2, &question);
    crate::apps::ask::yes()
}

/// Gives `to` the times of `source`.
pub(super) fn set_times(to: &[u8], source: &Stat, follow: bool) -> Result<(), Errno> {
    sys::utimens(
        to,
        SetTime::At(source.atime, source.atime_nsec),
        SetTime::At(source.mtime, source.mtime_nsec),
        follow,
    )
}
