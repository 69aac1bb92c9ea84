//! Copies or moves one file or tree, for `cp`, `mv` and `install`. It makes the same decisions as GNU's programs, in
//! the same order.

use super::attributes::{self, MODE_BITS, set_times};
use super::options::{Existing, Follow, Options};
use super::overwrite::{ask, newer_or_same};
use super::regular;
use super::same_file::{self, Verdict};
use crate::base::backup::{self, Backup};
use sandshell_cli::out;
use sandshell_cli::quote::{quoteaf, quotef};
use sandshell_cli::{bytes, warn};
use sandshell_posix::path;
use sandshell_sys::{self as sys, Errno, Stat};
use std::collections::{HashMap, HashSet};

type Id = (u64, u64);

/// The result for an argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Outcome {
    /// The source still exists: it was copied, and `mv` must remove it.
    Copied,
    /// The source was renamed, or nothing had to be done.
    Moved,
    /// There was an error, which was reported.
    Failed,
}

/// The state of a whole run.
pub(super) struct Engine<'a> {
    pub(super) o: &'a Options,
    /// Where directories and files with several links were copied to.
    copied: HashMap<Id, Vec<u8>>,
    /// The sources named on the command line.
    sources: HashSet<(Vec<u8>, Id)>,
    /// The files created for arguments of the command line.
    made: HashSet<(Vec<u8>, Id)>,
    /// The source and target of the current argument.
    top: (Vec<u8>, Vec<u8>),
    /// Whether a directory was created for the current argument.
    made_directory: bool,
    /// Whether a directory was to be copied into itself.
    into_itself: bool,
    /// Whether several sources share a target directory.
    pub(super) several: bool,
}

/// What exists at the target.
struct Target {
    old: Option<Stat>,
    backup: Option<Vec<u8>>,
}

/// The file is finished without being copied.
struct Done(Outcome);

/// A file being copied or moved.
#[derive(Clone, Copy)]
struct Job<'a> {
    from: &'a [u8],
    to: &'a [u8],
    source: Stat,
    /// Whether it was named on the command line.
    argument: bool,
}

impl<'a> Engine<'a> {
    pub(super) fn new(o: &'a Options) -> Self {
        Self {
            o,
            copied: HashMap::new(),
            sources: HashSet::new(),
            made: HashSet::new(),
            top: Default::default(),
            made_directory: false,
            into_itself: false,
            several: false,
        }
    }

    /// Copies or moves a command line argument to `to`.
    pub(super) fn argument(&mut self, from: &[u8], to: &[u8]) -> Outcome {
        self.top = (from.to_vec(), to.to_vec());
        self.made_directory = false;
        self.into_itself = false;
        let outcome = self.copy(from, to, true, None, &mut Vec::new());
        if self.into_itself { Outcome::Failed } else { outcome }
    }

    fn fail(&self, text: Vec<u8>) -> Done {
        warn!(self.o.name, text);
        Done(Outcome::Failed)
    }

    fn copy(
        &mut self,
        from: &[u8],
        to: &[u8],
        argument: bool,
        device: Option<u64>,
        ancestors: &mut Vec<Id>,
    ) -> Outcome {
        let follow = match self.o.follow {
            Follow::Always => true,
            Follow::CommandLine => argument,
            Follow::Never => false,
        };
        let source = match sys::stat(from, follow) {
            Ok(s) => s,
            Err(e) => return self.fail(bytes!("cannot stat ", quoteaf(from), ": ", e)).0,
        };
        let job = Job { from, to, source, argument };
        let target = match self.target(&job) {
            Ok(t) => t,
            Err(Done(outcome)) => return outcome,
        };
        let backup = target.backup.clone();
        match self.proceed(&job, target, device, ancestors) {
            Ok(outcome) => outcome,
            Err(Done(outcome)) => {
                if outcome == Outcome::Failed
                    && let Some(kept) = backup
                {
                    self.take_back(&kept, to);
                }
                outcome
            }
        }
    }

    /// Examines the target and makes room for the source.
    fn target(&mut self, job: &Job<'_>) -> Result<Target, Done> {
        let o = self.o;
        let (source, id) = (&job.source, (job.source.dev, job.source.ino));
        if source.is_dir() && !o.recursive {
            let why = if o.name == "install" { "" } else { "-r not specified; " };
            return Err(self.fail(bytes!(why, "omitting directory ", quoteaf(job.from))));
        }
        if job.argument && self.several && !o.moving {
            let new = self.sources.insert((path::base_name(job.from).to_vec(), id));
            if !new && !source.is_dir() && o.backup == Backup::Off {
                warn!(o.name, "warning: source file ", quoteaf(job.from), " specified more than once");
                return Err(Done(Outcome::Copied));
            }
        }
        // A link at the target is only followed if the contents of its file will be overwritten.
        let as_data = source.is_file() || o.copy_contents && !source.is_dir() && !source.is_symlink();
        let through = as_data
            && !(o.moving
                || o.symbolic_link
                || o.hard_link
                || o.backup != Backup::Off
                || o.remove_destination);
        let mut target = Target { old: None, backup: None };
        match sys::stat(job.to, through) {
            Ok(old) => self.make_way(job, old, &mut target)?,
            Err(Errno::LOOP) if o.force => target.old = sys::stat(job.to, false).ok(),
            Err(Errno::NOENT) => {}
            Err(e) => return Err(self.fail(bytes!("cannot stat ", quoteaf(job.to), ": ", e))),
        }
        // Never write through a link that an earlier argument created.
        if job.argument
            && !o.moving
            && o.backup == Backup::Off
            && sys::stat(job.to, false).is_ok_and(|s| s.is_symlink() && self.was_made(job.to, &s))
        {
            let text = bytes!(
                "will not copy ",
                quoteaf(job.from),
                " through just-created symlink ",
                quoteaf(job.to)
            );
            return Err(self.fail(text));
        }
        Ok(target)
    }

    /// Decides what to do with an existing target.
    fn make_way(&mut self, job: &Job<'_>, old: Stat, target: &mut Target) -> Result<(), Done> {
        let o = self.o;
        let (from, to, source) = (job.from, job.to, &job.source);
        if o.existing != Existing::Skip {
            match same_file::judge(o, from, source, to, &old) {
                Verdict::Proceed => {}
                Verdict::Nothing => return Err(Done(Outcome::Moved)),
                Verdict::Same => {
                    return Err(self.fail(bytes!(quoteaf(from), " and ", quoteaf(to), " are the same file")));
                }
            }
        }
        if o.update && !source.is_dir() && newer_or_same(&old, source) {
            // Hard links are preserved even if the file is not updated.
            if o.preserve_links
                && !o.moving
                && source.nlink > 1
                && let Some(earlier) = self.remember(source, to)
            {
                self.link_to(&earlier, to, true)?;
            }
            return Err(Done(Outcome::Moved));
        }
        if o.moving || !source.is_dir() {
            let protected = || o.moving && sys::isatty(0) && !old.is_symlink() && sys::access(to, 2).is_err();
            let abandon = match o.existing {
                Existing::Skip => true,
                Existing::Ask => !ask(o, to, &old),
                Existing::Default => protected() && !ask(o, to, &old),
                Existing::Overwrite => false,
            };
            if abandon {
                return Err(Done(Outcome::Moved));
            }
        }
        let over_backup = o.moving && o.backup != Backup::Off;
        if source.is_dir() && !old.is_dir() && !over_backup {
            return Err(self.fail(bytes!(
                "cannot overwrite non-directory ",
                quoteaf(to),
                " with directory ",
                quoteaf(from)
            )));
        }
        if !old.is_dir() && job.argument && o.backup != Backup::Numbered && self.was_made(to, &old) {
            return Err(self.fail(bytes!(
                "will not overwrite just-created ",
                quoteaf(to),
                " with ",
                quoteaf(from)
            )));
        }
        if !source.is_dir() && old.is_dir() && !over_backup {
            return Err(self.fail(bytes!("cannot overwrite directory ", quoteaf(to), " with non-directory")));
        }
        let base = path::base_name(from);
        if o.backup != Backup::Off && base != b"." && base != b".." && (o.moving || !old.is_dir()) {
            target.backup = self.back_up(job)?;
        } else if !old.is_dir()
            && !o.moving
            && (o.remove_destination
                || !o.attributes_only
                    && (o.preserve_links && old.nlink > 1 || o.follow == Follow::Never && !source.is_file()))
        {
            match sys::unlink(to) {
                Ok(()) | Err(Errno::NOENT) => {}
                Err(e) => return Err(self.fail(bytes!("cannot remove ", quoteaf(to), ": ", e))),
            }
            if o.verbose {
                out::put(bytes!("removed ", quoteaf(to), "\n"));
            }
        } else {
            target.old = Some(old);
        }
        Ok(())
    }

    /// Renames the target to its backup name and returns that.
    fn back_up(&self, job: &Job<'_>) -> Result<Option<Vec<u8>>, Done> {
        let o = self.o;
        let simple = [path::trim_slashes(job.to), &*o.suffix].concat();
        if o.backup != Backup::Numbered
            && sys::stat(&simple, true).is_ok_and(|s| (s.dev, s.ino) == (job.source.dev, job.source.ino))
            && path::base_name(&simple) == path::base_name(job.from)
        {
            let verb = if o.moving { "moved" } else { "copied" };
            return Err(self.fail(bytes!(
                "backing up ",
                quoteaf(job.to),
                " might destroy source;  ",
                quoteaf(job.from),
                " not ",
                verb
            )));
        }
        let kept = backup::backup_name(job.to, o.backup, &o.suffix);
        match sys::rename(job.to, &kept) {
            Ok(()) => Ok(Some(kept)),
            Err(Errno::NOENT) => Ok(None),
            Err(e) => Err(self.fail(bytes!("cannot backup ", quoteaf(job.to), ": ", e))),
        }
    }

    fn take_back(&self, kept: &[u8], to: &[u8]) {
        match sys::rename(kept, to) {
            Ok(()) if self.o.verbose => {
                out::put(bytes!(quoteaf(kept), " -> ", quoteaf(to), " (unbackup)\n"));
            }
            Ok(()) => {}
            Err(e) => warn!(self.o.name, "cannot un-backup ", quoteaf(to), ": ", e),
        }
    }

    /// Copies or moves the file, after the target was prepared.
    fn proceed(
        &mut self,
        job: &Job<'_>,
        mut target: Target,
        device: Option<u64>,
        ancestors: &mut Vec<Id>,
    ) -> Result<Outcome, Done> {
        let o = self.o;
        let (from, to, source) = (job.from, job.to, &job.source);
        if o.moving {
            // If the target is on another filesystem, only the rename fails.
            match sys::rename(from, to) {
                Ok(()) => {
                    if o.verbose {
                        out::put("renamed ");
                        tell(from, to, target.backup.as_deref());
                    }
                    if job.argument && self.several {
                        self.made.insert((path::trim_slashes(to).to_vec(), (source.dev, source.ino)));
                    }
                    return Ok(Outcome::Moved);
                }
                Err(Errno::XDEV) => {}
                Err(e) => return self.rename_failed(job, e),
            }
        }
        if o.verbose && !o.moving && !source.is_dir() {
            tell(from, to, target.backup.as_deref());
        }
        if let Some(earlier) = self.earlier(job) {
            if !source.is_dir() {
                self.link_to(&earlier, to, true)?;
                return Ok(Outcome::Copied);
            }
            if same_file::is_same_name(from, &earlier) {
                let (top_from, top_to) = &self.top;
                let text = bytes!(
                    "cannot copy a directory, ",
                    quoteaf(top_from),
                    ", into itself, ",
                    quoteaf(top_to)
                );
                self.into_itself = true;
                return Err(self.fail(text));
            }
            if same_file::is_same_name(to, &earlier) {
                warn!(
                    o.name,
                    "warning: source directory ",
                    quoteaf(&self.top.0),
                    " specified more than once"
                );
                return Ok(Outcome::Moved);
            }
            if o.follow != Follow::Always && !(job.argument && o.follow == Follow::CommandLine) {
                let text =
                    bytes!("will not create hard link ", quoteaf(to), " to directory ", quoteaf(&earlier));
                return Err(self.fail(text));
            }
        }
        if o.moving {
            self.remove_for_move(job)?;
            target.old = None;
            if o.verbose && !source.is_dir() {
                out::put("copied ");
                tell(from, to, target.backup.as_deref());
            }
        }
        if source.is_dir() {
            return self.directory(job, &target, device, ancestors);
        }
        let made = if o.symbolic_link {
            self.symbolic(job)
        } else if o.hard_link {
            self.link_to(from, to, o.force || o.existing == Existing::Ask)
        } else if source.is_file() || o.copy_contents && !source.is_symlink() {
            if regular::copy(o, from, source, to, target.old.is_none()) {
                Ok(())
            } else {
                Err(Done(Outcome::Failed))
            }
        } else if source.is_symlink() {
            self.link_itself(job, &target)
        } else {
            self.special(job)
        };
        if made.is_err() {
            self.copied.remove(&(source.dev, source.ino));
        }
        made?;
        self.note_made(job);
        Ok(Outcome::Copied)
    }

    fn rename_failed(&mut self, job: &Job<'_>, e: Errno) -> Result<Outcome, Done> {
        if e == Errno::INVAL {
            // This records the directory. If it was recorded before, it was named twice.
            if job.source.is_dir() && self.remember(&job.source, job.to).is_some() {
                let text =
                    bytes!("warning: source directory ", quoteaf(job.from), " specified more than once");
                warn!(self.o.name, text);
                return Ok(Outcome::Moved);
            }
            self.into_itself = true;
            let text =
                bytes!("cannot move ", quoteaf(job.from), " to a subdirectory of itself, ", quoteaf(job.to));
            return Err(self.fail(text));
        }
        Err(self.fail(bytes!("cannot move ", quoteaf(job.from), " to ", quoteaf(job.to), ": ", e)))
    }

    /// The earlier copy of this file, if this copy must be a link to it.
    fn earlier(&mut self, job: &Job<'_>) -> Option<Vec<u8>> {
        let (o, source) = (self.o, &job.source);
        let id = (source.dev, source.ino);
        if source.is_dir() {
            return if job.argument { self.remember(source, job.to) } else { self.copied.get(&id).cloned() };
        }
        if o.moving && source.nlink == 1 {
            return self.copied.get(&id).cloned();
        }
        let several_names =
            source.nlink > 1 || o.follow == Follow::Always || o.follow == Follow::CommandLine && job.argument;
        if o.preserve_links && !o.hard_link && several_names { self.remember(source, job.to) } else { None }
    }

    /// Remembers where a file is copied to. Returns where it was copied to before, if it was.
    fn remember(&mut self, source: &Stat, to: &[u8]) -> Option<Vec<u8>> {
        let known = self.copied.entry((source.dev, source.ino));
        match known {
            std::collections::hash_map::Entry::Occupied(there) => Some(there.get().clone()),
            std::collections::hash_map::Entry::Vacant(place) => {
                place.insert(to.to_vec());
                None
            }
        }
    }

    fn was_made(&self, to: &[u8], stat: &Stat) -> bool {
        self.several && self.made.contains(&(path::trim_slashes(to).to_vec(), (stat.dev, stat.ino)))
    }

    fn note_made(&mut self, job: &Job<'_>) {
        if job.argument
            && self.several
            && let Ok(s) = sys::stat(job.to, false)
        {
            self.made.insert((path::trim_slashes(job.to).to_vec(), (s.dev, s.ino)));
        }
    }

    fn remove_for_move(&self, job: &Job<'_>) -> Result<(), Done> {
        let removed = if job.source.is_dir() { sys::rmdir(job.to) } else { sys::unlink(job.to) };
        match removed {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(e) => Err(self.fail(bytes!(
                "inter-device move failed: ",
                quoteaf(job.from),
                " to ",
                quoteaf(job.to),
                "; unable to remove target: ",
                e
            ))),
        }
    }

    fn symbolic(&self, job: &Job<'_>) -> Result<(), Done> {
        let (from, to) = (job.from, job.to);
        let here = || match (sys::stat(b".", true), sys::stat(path::dir_name(to), true)) {
            (Ok(a), Ok(b)) => (a.dev, a.ino) == (b.dev, b.ino),
            _ => true,
        };
        if !from.starts_with(b"/") && path::dir_name(to) != b"." && !here() {
            let text = bytes!(quotef(to), ": can make relative symbolic links only in current directory");
            return Err(self.fail(text));
        }
        self.make_link(from, to).map_err(|e| {
            self.fail(bytes!("cannot create symbolic link ", quoteaf(to), " to ", quoteaf(from), ": ", e))
        })
    }

    /// Makes a symbolic link. With `force` it may replace another file.
    fn make_link(&self, text: &[u8], to: &[u8]) -> Result<(), Errno> {
        match sys::symlink(text, to) {
            Err(Errno::EXIST) if self.o.force && sys::unlink(to).is_ok() => sys::symlink(text, to),
            other => other,
        }
    }

    fn link_to(&self, earlier: &[u8], to: &[u8], replace: bool) -> Result<(), Done> {
        let follow = self.o.follow != Follow::Never;
        let linked = match sys::link(earlier, to, follow) {
            Err(Errno::EXIST) if replace && sys::unlink(to).is_ok() => {
                if self.o.verbose && !self.o.hard_link {
                    out::put(bytes!("removed ", quoteaf(to), "\n"));
                }
                sys::link(earlier, to, follow)
            }
            other => other,
        };
        linked.map_err(|e| {
            self.fail(bytes!("cannot create hard link ", quoteaf(to), " to ", quoteaf(earlier), ": ", e))
        })
    }

    fn link_itself(&self, job: &Job<'_>, target: &Target) -> Result<(), Done> {
        let (o, to) = (self.o, job.to);
        let text = match sys::readlink(job.from) {
            Ok(t) => t,
            Err(e) => {
                return Err(self.fail(bytes!("cannot read symbolic link ", quoteaf(job.from), ": ", e)));
            }
        };
        if let Err(e) = self.make_link(&text, to) {
            let already = o.update && target.old.is_some() && sys::readlink(to).is_ok_and(|t| t == text);
            if !already {
                return Err(self.fail(bytes!("cannot create symbolic link ", quoteaf(to), ": ", e)));
            }
        }
        if o.preserve_owner {
            let _ = sys::chown(to, Some(job.source.uid), Some(job.source.gid), false);
        }
        if o.preserve_times {
            let _ = set_times(to, &job.source, false);
        }
        Ok(())
    }

    fn special(&self, job: &Job<'_>) -> Result<(), Done> {
        let (to, mode) = (job.to, job.source.mode);
        let omitted = if self.o.preserve_owner { mode & 0o077 } else { 0 };
        let allowed = mode & 0o777 & !omitted;
        let (what, made) = match mode & sys::S_IFMT {
            sys::S_IFIFO => ("fifo", sys::mkfifo(to, allowed)),
            sys::S_IFSOCK => ("special file", sys::make_socket(to, allowed)),
            _ => ("special file", Err(Errno::PERM)),
        };
        if let Err(e) = made {
            return Err(self.fail(bytes!("cannot create ", what, " ", quoteaf(to), ": ", e)));
        }
        let kept = attributes::keep(self.o, &job.source, to, true, omitted);
        if kept { Ok(()) } else { Err(Done(Outcome::Failed)) }
    }

    fn directory(
        &mut self,
        job: &Job<'_>,
        target: &Target,
        device: Option<u64>,
        ancestors: &mut Vec<Id>,
    ) -> Result<Outcome, Done> {
        let o = self.o;
        let (from, to, source) = (job.from, job.to, &job.source);
        let id = (source.dev, source.ino);
        if ancestors.contains(&id) {
            return Err(self.fail(bytes!("cannot copy cyclic symbolic link ", quoteaf(from))));
        }
        let new = target.old.is_none_or(|old| !old.is_dir());
        let mode = source.mode & MODE_BITS;
        // Otherwise others could put files into it before its owner and mode are set.
        let mut omitted = if o.preserve_owner { mode & 0o077 } else { mode & 0o022 };
        // The mode to restore after the contents are copied.
        let mut restore = None;
        if new {
            if let Err(e) = sys::mkdir(to, mode & 0o1777 & !omitted) {
                return Err(self.fail(bytes!("cannot create directory ", quoteaf(to), ": ", e)));
            }
            let made =
                sys::stat(to, false).map_err(|e| self.fail(bytes!("cannot stat ", quoteaf(to), ": ", e)))?;
            if made.mode & 0o700 != 0o700 {
                restore = Some(made.mode & MODE_BITS);
                if let Err(e) = sys::chmod(to, made.mode & MODE_BITS | 0o700) {
                    return Err(self.fail(bytes!("setting permissions for ", quoteaf(to), ": ", e)));
                }
            }
            if !self.made_directory {
                self.made_directory = true;
                self.remember(&made, to);
            }
            if o.verbose && o.moving {
                out::put(bytes!("created directory ", quoteaf(to), "\n"));
            } else if o.verbose {
                tell(from, to, None);
            }
        } else {
            omitted = 0;
        }
        let mut ok = true;
        // With `-x`, filesystems mounted in the tree are not copied.
        if !(o.one_file_system && device.is_some_and(|d| d != source.dev)) {
            ancestors.push(id);
            ok = self.contents(job, device.unwrap_or(source.dev), ancestors);
            ancestors.pop();
        }
        self.note_made(job);
        ok &= attributes::keep(o, source, to, new, omitted);
        if let Some(mode) = restore
            && !(o.preserve_mode || o.moving || o.default_mode)
        {
            let umask = crate::base::directories::umask();
            let _ = sys::chmod(to, mode | omitted & !umask);
        }
        Ok(if ok { Outcome::Copied } else { Outcome::Failed })
    }

    /// Copies the entries of a directory.
    fn contents(&mut self, job: &Job<'_>, device: u64, ancestors: &mut Vec<Id>) -> bool {
        let entries = match sys::read_dir(job.from) {
            Ok(entries) => entries,
            Err(e) => {
                self.fail(bytes!("cannot access ", quoteaf(job.from), ": ", e));
                return false;
            }
        };
        // If the copy itself is in this directory, it comes last, so that everything that existed before is copied.
        let top = path::base_name(&self.top.1).to_vec();
        let is_copy =
            |name: &[u8]| name == top && same_file::is_same_name(&path::join(job.from, name), &self.top.1);
        let (copy, mut entries): (Vec<_>, Vec<_>) = entries.into_iter().partition(|e| is_copy(&e.name));
        entries.extend(copy);
        let mut ok = true;
        for e in entries {
            let (from, to) = (path::join(job.from, &e.name), path::join(job.to, &e.name));
            ok &= self.copy(&from, &to, false, Some(device), ancestors) != Outcome::Failed;
            // After a directory has met its own copy, the rest of it is skipped.
            if self.into_itself {
                break;
            }
        }
        ok
    }
}

fn tell(from: &[u8], to: &[u8], backup: Option<&[u8]>) {
    let mut line = bytes!(quoteaf(from), " -> ", quoteaf(to));
    if let Some(b) = backup {
        line.extend_from_slice(&bytes!(" (backup: ", quoteaf(b), ")"));
    }
    line.push(b'\n');
    out::put(line);
}
