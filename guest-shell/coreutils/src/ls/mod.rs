//! `ls`, `dir` and `vdir`.

mod color;
mod entry;
mod options;
mod print;

use crate::base::resolve::{Missing, resolve};
use entry::Entry;
use options::{Command, Dereference, Hidden, Indicator, Layout, Options, Sort};
use print::Printer;
use sandshell_cli::options::operands;
use sandshell_cli::out;
use sandshell_cli::quote::{quote_with, quoteaf};
use sandshell_cli::warn;
use sandshell_posix::path;
use sandshell_posix::pattern::Matching;
use sandshell_posix::place::Place;
use sandshell_sys::{self as sys, DirEntry, Errno, open_flags};
use std::collections::HashSet;
use std::ffi::OsString;

/// Runs `ls` and returns its exit status.
pub fn ls_main(args: Vec<OsString>) -> i32 {
    run(args, Command::Ls)
}

/// Runs `dir`, which is `ls -C -b`, and returns its exit status.
pub fn dir_main(args: Vec<OsString>) -> i32 {
    run(args, Command::Dir)
}

/// Runs `vdir`, which is `ls -l -b`, and returns its exit status.
pub fn vdir_main(args: Vec<OsString>) -> i32 {
    run(args, Command::Vdir)
}

fn run(args: Vec<OsString>, command: Command) -> i32 {
    let spec = options::spec(command);
    let parsed = match spec.parse(&operands(args)) {
        Ok(p) => p,
        Err(code) => return code,
    };
    let options = match options::read(&spec, &parsed, command) {
        Ok(o) => o,
        Err(code) => return code,
    };
    let now = sys::realtime();
    let mut lister = Lister {
        name: spec.name,
        options: &options,
        status: 0,
        first: true,
        visited: HashSet::new(),
        printer: Printer {
            options: &options,
            colors: options.color.then(color::Colors::from_environment).flatten(),
            names: Default::default(),
            dired: Default::default(),
            zone: None,
            host: if options.hyperlink { sys::hostname() } else { Vec::new() },
            some_quoted: false,
            now: ((now / 1_000_000_000) as i64, (now % 1_000_000_000) as u32),
        },
    };
    lister.arguments(parsed.operands);
    if options.dired {
        lister.printer.dired.report(options.quoting);
    }
    if let Some(colors) = &lister.printer.colors {
        out::put(colors.last());
    }
    let status = lister.status;
    out::finish(spec.name, status, 2)
}

/// The longest path that the kernel takes.
const MAX_PATH: usize = 4095;

/// What is still to be done for a directory with what is below it.
enum Pending {
    /// To list a directory, which is an argument or not.
    Directory(Place, bool),
    /// To forget one whose contents were listed.
    Leave((u64, u64)),
}

struct Lister<'a> {
    name: &'static str,
    options: &'a Options,
    status: i32,
    first: bool,
    visited: HashSet<(u64, u64)>,
    printer: Printer<'a>,
}

impl Lister<'_> {
    fn arguments(&mut self, operands: Vec<Vec<u8>>) {
        let count = operands.len();
        let operands = if operands.is_empty() { vec![b".".to_vec()] } else { operands };
        let mut entries: Vec<Entry> =
            operands.into_iter().filter_map(|name| self.entry((sys::AT_FDCWD, b""), name, None)).collect();
        entry::sort(&mut entries, self.options);
        let (dirs, mut files): (Vec<Entry>, Vec<Entry>) = entries.into_iter().partition(|e| e.argument_dir);
        if !files.is_empty() {
            self.printer.list(&mut files, &dirs);
            if !dirs.is_empty() {
                out::put("\n");
            }
        }
        let headed = !(files.is_empty() && count <= 1 && dirs.len() <= 1);
        for dir in dirs {
            self.directory(&dir.name, headed, true);
        }
    }

    /// Lists a directory and, with -R, those below it. An explicit stack avoids deep recursion.
    fn directory(&mut self, dir: &[u8], headed: bool, argument: bool) {
        let mut pending = vec![Pending::Directory(Place::start(dir.to_vec()), argument)];
        while let Some(next) = pending.pop() {
            let (place, argument) = match next {
                Pending::Directory(place, argument) => (place, argument),
                Pending::Leave(id) => {
                    self.visited.remove(&id);
                    continue;
                }
            };
            let dir = &place.path;
            let flags = open_flags::READ | open_flags::DIRECTORY | open_flags::CLOEXEC;
            // Like GNU ls, it does not list what no path leads to.
            let opened = if dir.len() > MAX_PATH { Err(Errno::NAMETOOLONG) } else { place.open(flags) };
            let fd = match opened {
                Ok(fd) => fd,
                Err(e) => {
                    self.failed("cannot open directory ", dir, e, argument);
                    continue;
                }
            };
            let id = if self.options.recursive { sys::fstat(fd).ok().map(|s| (s.dev, s.ino)) } else { None };
            if let Some(id) = id
                && !self.visited.insert(id)
            {
                warn!(
                    self.name,
                    quote_with(dir, sandshell_cli::quote::Style::ShellEscape, b":"),
                    ": not listing already-listed directory"
                );
                self.status = 2;
                let _ = sys::close(fd);
                continue;
            }
            if let Some(id) = id {
                pending.push(Pending::Leave(id));
            }
            let below = self.one_directory(fd, dir, headed, argument);
            let opened = place.opened(fd, dir.len() + usize::from(!dir.ends_with(b"/")));
            let below = below.into_iter().rev().map(|path| Pending::Directory(opened.place(path), false));
            pending.extend(below);
        }
    }

    /// Lists one open directory. If recursive, returns the names of its subdirectories.
    fn one_directory(&mut self, fd: sys::Fd, dir: &[u8], headed: bool, argument: bool) -> Vec<Vec<u8>> {
        let o = self.options;
        let found = match sys::read_dir_fd(fd) {
            Ok(found) => found,
            Err(e) => {
                self.failed("cannot open directory ", dir, e, argument);
                return Vec::new();
            }
        };
        if o.recursive || headed {
            if !self.first {
                out::put("\n");
            }
            self.first = false;
            self.printer.some_quoted = false;
            let name = self.printer.linked(&self.printer.shown(dir, b":"), self.absolute(dir).as_deref());
            if o.dired {
                out::put("  ");
                self.printer.dired.directory(|| out::put(name));
            } else {
                out::put(name);
            }
            out::put(":\n");
        }
        let mut names = Vec::with_capacity(found.len() + 2);
        if o.hidden == Hidden::All {
            for dots in [b".".to_vec(), b"..".to_vec()] {
                let ino = sys::stat(&path::join(dir, &dots), false).map_or(0, |s| s.ino);
                names.push(DirEntry { name: dots, ino, kind: sys::S_IFDIR });
            }
        }
        names.extend(found);
        names.retain(|e| !self.ignored(&e.name));
        let mut entries = Vec::with_capacity(names.len());
        for DirEntry { name, ino, kind } in names {
            entries.extend(self.entry((fd, dir), name, Some((kind, ino))));
        }
        entry::sort(&mut entries, o);
        let below = if o.recursive {
            entries
                .iter()
                .filter(|e| e.stat.is_dir() && e.name != b"." && e.name != b"..")
                .map(|e| path::join(dir, &e.name))
                .collect()
        } else {
            Vec::new()
        };
        if o.layout == Layout::Long || o.blocks {
            self.printer.total(&entries);
        }
        self.printer.list(&mut entries, &[]);
        below
    }

    /// The target of a name's hyperlink, if hyperlinks are printed.
    fn absolute(&self, name: &[u8]) -> Option<Vec<u8>> {
        self.options.hyperlink.then(|| resolve(name, Missing::Any, true).ok()).flatten()
    }

    fn ignored(&self, name: &[u8]) -> bool {
        let o = self.options;
        let matching = Matching { period: true, ..Matching::default() };
        let any = |patterns: &[Vec<u8>]| patterns.iter().any(|p| matching.matches(p, name));
        let hidden = o.hidden == Hidden::Skip && (name.starts_with(b".") || any(&o.hide));
        hidden || any(&o.ignore)
    }

    /// Stats a file, if the options need it. Returns `None`, after a message, if a command line argument (which was not
    /// `found` in a directory, with its type and inode) cannot be accessed.
    fn entry(
        &mut self,
        (fd, dir): (sys::Fd, &[u8]),
        name: Vec<u8>,
        found: Option<(u32, u64)>,
    ) -> Option<Entry> {
        let o = self.options;
        let argument = found.is_none();
        let full = |name: &[u8]| if argument || dir == b"." { name.to_vec() } else { path::join(dir, name) };
        let (kind, ino) = found.unwrap_or_default();
        let mut e = Entry { name, readable: true, ..Entry::default() };
        if o.hyperlink {
            e.absolute = self.absolute(&full(&e.name));
        }
        if o.sort == Sort::Width {
            e.shown = quote_with(&e.name, o.quoting, b"");
        }
        let needs_stat = argument
            || kind == 0
            || o.layout == Layout::Long
            || o.blocks
            || o.context
            || o.color
            || matches!(o.sort, Sort::Time | Sort::Size)
            || o.indicator == Indicator::Classify && kind == sys::S_IFREG
            || (o.inode || o.indicator != Indicator::None || o.recursive || o.directories_first)
                && kind == sys::S_IFLNK
                && (o.dereference == Dereference::Always || o.directories_first)
            || o.inode && ino == 0;
        if !needs_stat {
            e.stat.mode = kind;
            e.stat.ino = ino;
            return Some(e);
        }
        let status = |follow| sys::statat(fd, &e.name, follow);
        let stat = match (o.dereference, argument) {
            (Dereference::Always, _) | (Dereference::CommandLine, true) => status(true),
            (Dereference::CommandLineToDirectory, true) => match status(true) {
                Ok(s) if s.is_dir() => Ok(s),
                _ => status(false),
            },
            _ => status(false),
        };
        match stat {
            Ok(s) => {
                e.stat = s;
                e.has_stat = true;
            }
            Err(error) => {
                self.failed("cannot access ", &full(&e.name), error, argument);
                if argument {
                    return None;
                }
                e.readable = false;
                e.stat.mode = kind;
                return Some(e);
            }
        }
        if e.stat.is_symlink() {
            if o.layout == Layout::Long {
                let full = full(&e.name);
                match sys::readlink(&full) {
                    Ok(target) => e.link = Some(target),
                    Err(error) => self.failed("cannot read symbolic link ", &full, error, argument),
                }
            }
            let colors =
                self.printer.colors.as_ref().is_some_and(|c| c.needs_targets(o.layout == Layout::Long));
            if colors || o.layout == Layout::Long && o.indicator >= Indicator::FileType || o.directories_first
            {
                e.link_mode = sys::statat(fd, &e.name, true).ok().map(|s| s.mode);
                e.broken_link = colors && e.link_mode.is_none();
            }
        }
        e.argument_dir = argument && e.stat.is_dir() && !o.immediate_dirs;
        Some(e)
    }

    fn failed(&mut self, what: &str, path: &[u8], error: Errno, argument: bool) {
        warn!(self.name, what, quoteaf(path), ": ", error);
        self.status = self.status.max(if argument { 2 } else { 1 });
    }
}
