//! `rm`.

use sandshell_cli::message;
use sandshell_cli::options::{self, Spec, Stop, choose, hidden, named, option};
use sandshell_cli::out;
use sandshell_cli::quote::{quoteaf, quotef};
use sandshell_cli::{bytes, warn};
use sandshell_posix::path;
use sandshell_sys::{self as sys, Errno, Fd, Stat};
use std::ffi::OsString;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Ask {
    Never,
    Sometimes,
    Always,
}

struct Remover {
    name: &'static str,
    ask: Ask,
    ignore_missing: bool,
    recursive: bool,
    empty_dirs: bool,
    verbose: bool,
    one_file_system: bool,
    tty: bool,
}

/// Suggests how to name the first existing file that was taken for an option.
fn tell_how_to_name(args: &[Vec<u8>]) {
    let taken = |a: &&Vec<u8>| a.len() > 1 && a.starts_with(b"-") && sys::stat(a, false).is_ok();
    if let Some(file) = args.iter().find(taken) {
        let text = bytes!("Try 'rm ./", quotef(file), "' to remove the file ", quoteaf(file), ".\n");
        let _ = sys::write_all(2, &text);
    }
}

const SPEC: Spec = Spec {
    name: "rm",
    usage: "\
Usage: rm [OPTION]... [FILE]...
Removes files. Directories need -d or -r.

",
    options: &[
        option("-f, --force", "no questions; files that are not there are no errors"),
        option("-i", "ask before each"),
        option("-I", "one question for more than three FILEs, or for -r"),
        option("--interactive[=WHEN]", "never, once (-I) or always (-i)"),
        option("--one-file-system", "with -r, stay in the file system of the argument"),
        named("no-preserve", "--no-preserve-root", "treat / as any other directory"),
        named("preserve", "--preserve-root[=all]", "do not remove /; with 'all' no mount points either"),
        option("-r, -R, --recursive", "directories with all that is in them"),
        option("-d, --dir", "empty directories"),
        option("-v, --verbose", "tell of each removal"),
        hidden("tty", "---presume-input-tty"),
    ],
    notes: "\n\
A name that begins with - goes after -- or has ./ in front.
",
    ..Spec::DEFAULT
};

/// Runs `rm` and returns its exit status.
pub fn rm_main(args: Vec<OsString>) -> i32 {
    let args = options::operands(args);
    let parsed = match SPEC.read(&args) {
        Ok(parsed) => parsed,
        Err(Stop::Wrong(text)) => {
            warn!("rm", text);
            tell_how_to_name(&args);
            message::try_help("rm");
            return 1;
        }
        // The parser has printed what was asked for.
        Err(_) => return SPEC.parse(&args).err().unwrap_or(0),
    };
    let mut r = Remover {
        name: "rm",
        ask: Ask::Sometimes,
        ignore_missing: false,
        recursive: false,
        empty_dirs: false,
        verbose: false,
        one_file_system: false,
        tty: sys::isatty(0),
    };
    let (mut once, mut preserve_root) = (false, true);
    for g in &parsed.options {
        match g.id {
            "d" => r.empty_dirs = true,
            "f" => {
                r.ask = Ask::Never;
                r.ignore_missing = true;
                once = false;
            }
            "i" => {
                r.ask = Ask::Always;
                r.ignore_missing = false;
                once = false;
            }
            "I" => {
                r.ask = Ask::Sometimes;
                r.ignore_missing = false;
                once = true;
            }
            "interactive" => {
                let words = [("never", 0), ("no", 0), ("none", 0), ("once", 1), ("always", 2), ("yes", 2)];
                let when = g.value.as_deref().map_or(Ok(2), |w| choose(&SPEC, "--interactive", w, &words));
                match when {
                    Ok(0) => (r.ask, once) = (Ask::Never, false),
                    Ok(1) => (r.ask, r.ignore_missing, once) = (Ask::Sometimes, false, true),
                    Ok(_) => (r.ask, r.ignore_missing, once) = (Ask::Always, false, false),
                    Err(code) => return code,
                }
            }
            "r" => r.recursive = true,
            "v" => r.verbose = true,
            "one-file-system" => r.one_file_system = true,
            // Undocumented, as in GNU rm: for testing the questions.
            "tty" => r.tty = true,
            "no-preserve" => {
                if args.get(g.word).is_some_and(|a| a != b"--no-preserve-root") {
                    warn!("rm", "you may not abbreviate the --no-preserve-root option");
                    return 1;
                }
                preserve_root = false;
            }
            "preserve" => preserve_root = true,
            _ => {}
        }
    }
    if parsed.operands.is_empty() {
        return if r.ignore_missing { 0 } else { SPEC.missing_operand() };
    }
    let count = parsed.operands.len();
    if once && (r.recursive || count > 3) {
        let noun = if count == 1 { "argument" } else { "arguments" };
        let how = if r.recursive { " recursively" } else { "" };
        let _ = sys::write_all(2, format!("rm: remove {count} {noun}{how}? ").as_bytes());
        if !sandshell_cli::ask::yes() {
            return 0;
        }
    }
    let root = if preserve_root && r.recursive { sys::stat(b"/", true).ok() } else { None };
    let mut ok = true;
    for file in &parsed.operands {
        let last = path::base_name(file);
        if r.recursive && (last == b"." || last == b"..") {
            warn!("rm", "refusing to remove '.' or '..' directory: skipping ", quoteaf(file));
            ok = false;
            continue;
        }
        if let (Some(root), Ok(s)) = (root, sys::stat(file, false))
            && (root.dev, root.ino) == (s.dev, s.ino)
        {
            if file == b"/" {
                warn!("rm", "it is dangerous to operate recursively on '/'");
            } else {
                warn!("rm", "it is dangerous to operate recursively on ", quoteaf(file), " (same as '/')");
            }
            warn!("rm", "use --no-preserve-root to override this failsafe");
            ok = false;
            continue;
        }
        ok &= r.remove(path::trim_repeated_slashes(file)) != Removed::Failed;
    }
    out::finish("rm", i32::from(!ok), 1)
}

/// Removes a tree without asking, for `mv`.
pub(crate) fn remove_quietly(name: &'static str, file: &[u8], verbose: bool) -> bool {
    let r = Remover {
        name,
        ask: Ask::Never,
        ignore_missing: false,
        recursive: true,
        empty_dirs: false,
        verbose,
        one_file_system: false,
        tty: false,
    };
    r.remove(file) == Removed::Gone
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Removed {
    Gone,
    /// The user answered no.
    Kept,
    Failed,
    /// The user answered no to entering it, so its parent directories are kept without asking.
    Left,
    /// A directory that could not be removed, so its parent directories are kept without asking.
    Stuck,
}

/// A directory whose entries are being removed.
struct Level {
    /// The length of its path.
    length: usize,
    base: Base,
    stat: Stat,
    entries: std::vec::IntoIter<sys::DirEntry>,
    empty: bool,
    worst: Removed,
    /// Whether it must be kept, because something below it was kept.
    stays: bool,
}

impl Level {
    fn count(&mut self, removed: Removed) {
        self.stays |= matches!(removed, Removed::Left | Removed::Stuck);
        match removed {
            Removed::Failed | Removed::Stuck => self.worst = Removed::Failed,
            Removed::Kept | Removed::Left if self.worst == Removed::Gone => self.worst = Removed::Kept,
            _ => {}
        }
    }
}

/// What paths are relative to: a descriptor, and the length of the path prefix that it stands for. So trees may be
/// deeper than the longest possible path.
#[derive(Clone, Copy)]
struct Base {
    fd: Fd,
    length: usize,
}

const START: Base = Base { fd: sys::AT_FDCWD, length: 0 };

/// A path that is longer than this, relative to its base, gets a new base.
const LONG_PATH: usize = 1024;

impl Remover {
    fn fail(&self, file: &[u8], e: impl sandshell_cli::message::Piece) -> Removed {
        warn!(self.name, "cannot remove ", quoteaf(file), ": ", e);
        Removed::Failed
    }

    fn remove(&self, file: &[u8]) -> Removed {
        let mut path = file.to_vec();
        let mut levels: Vec<Level> = Vec::new();
        let mut done = self.begin(&path, START, None, &mut levels);
        loop {
            let Some(level) = levels.last_mut() else {
                return match done {
                    None | Some(Removed::Gone) => Removed::Gone,
                    Some(Removed::Kept | Removed::Left) => Removed::Kept,
                    Some(Removed::Failed | Removed::Stuck) => Removed::Failed,
                };
            };
            if let Some(removed) = done.take() {
                level.count(removed);
            }
            path.truncate(level.length);
            let base = level.base;
            done = match level.entries.next() {
                Some(entry) => {
                    let device = Some(level.stat.dev);
                    path = path::join(&path, &entry.name);
                    self.begin(&path, base, device, &mut levels)
                }
                None => {
                    let level = levels.pop();
                    let outer = levels.last().map_or(START, |outer| outer.base);
                    level.map(|level| self.finish(&path, &level, outer))
                }
            };
        }
    }

    /// Removes a file. For a directory with entries, adds a level instead.
    fn begin(
        &self,
        file: &[u8],
        base: Base,
        device: Option<u64>,
        levels: &mut Vec<Level>,
    ) -> Option<Removed> {
        let here = &file[base.length..];
        let stat = match sys::statat(base.fd, here, false) {
            Ok(s) => s,
            Err(Errno::NOENT | Errno::NOTDIR) if self.ignore_missing => return Some(Removed::Gone),
            Err(e) => return Some(self.fail(file, e)),
        };
        if stat.is_dir() {
            return self.enter(file, base, stat, device, levels);
        }
        if !self.confirm(file, base, &stat, false) {
            return Some(Removed::Kept);
        }
        Some(match sys::unlinkat(base.fd, here, false) {
            Ok(()) => {
                if self.verbose {
                    out::put(bytes!("removed ", quoteaf(file), "\n"));
                }
                Removed::Gone
            }
            Err(Errno::NOENT) if self.ignore_missing => Removed::Gone,
            Err(e) => self.fail(file, e),
        })
    }

    fn enter(
        &self,
        file: &[u8],
        base: Base,
        stat: Stat,
        device: Option<u64>,
        levels: &mut Vec<Level>,
    ) -> Option<Removed> {
        let here = &file[base.length..];
        if !self.recursive {
            if !self.empty_dirs {
                return Some(self.fail(file, Errno::ISDIR));
            }
            let empty = read_dir(base.fd, here).map_or(true, |(e, _)| e.is_empty());
            if !empty {
                return Some(self.fail(file, Errno::NOTEMPTY));
            }
            if !self.confirm(file, base, &stat, true) {
                return Some(Removed::Kept);
            }
            return Some(self.rmdir(file, base));
        }
        if self.one_file_system && device.is_some_and(|d| d != stat.dev) {
            warn!(self.name, "skipping ", quoteaf(file), ", since it's on a different device");
            return Some(Removed::Failed);
        }
        let (entries, fd) = match read_dir(base.fd, here) {
            Ok(found) => found,
            Err(e) => {
                // An empty directory can be removed even if it cannot be read.
                return Some(match sys::unlinkat(base.fd, here, true) {
                    Ok(()) => Removed::Gone,
                    Err(_) => self.fail(file, e),
                });
            }
        };
        if !entries.is_empty() && !self.confirm_descent(file, base, &stat) {
            fd.map(sys::close);
            return Some(Removed::Left);
        }
        let base = match fd {
            Some(fd) => Base { fd, length: file.len() + usize::from(!file.ends_with(b"/")) },
            None => base,
        };
        let (empty, entries) = (entries.is_empty(), entries.into_iter());
        let (length, worst) = (file.len(), Removed::Gone);
        levels.push(Level { length, base, stat, entries, empty, worst, stays: false });
        None
    }

    /// Removes a directory after its entries were processed. `outer` is the base of the parent level.
    fn finish(&self, file: &[u8], level: &Level, outer: Base) -> Removed {
        if level.base.fd != outer.fd {
            let _ = sys::close(level.base.fd);
        }
        if level.stays {
            return if level.worst == Removed::Failed { Removed::Stuck } else { Removed::Left };
        }
        if level.worst != Removed::Gone && self.ask != Ask::Always {
            return level.worst;
        }
        if !self.confirm(file, outer, &level.stat, true) {
            return if level.empty { Removed::Left } else { Removed::Kept };
        }
        match self.rmdir(file, outer) {
            Removed::Gone => level.worst,
            _ => Removed::Stuck,
        }
    }

    fn rmdir(&self, file: &[u8], base: Base) -> Removed {
        match sys::unlinkat(base.fd, &file[base.length..], true) {
            Ok(()) => {
                if self.verbose {
                    out::put(bytes!("removed directory ", quoteaf(file), "\n"));
                }
                Removed::Gone
            }
            Err(e) => self.fail(file, e),
        }
    }

    fn protected(&self, file: &[u8], base: Base, stat: &Stat) -> bool {
        !stat.is_symlink() && sys::accessat(base.fd, &file[base.length..], 2).is_err()
    }

    fn confirm_descent(&self, file: &[u8], base: Base, stat: &Stat) -> bool {
        let protected = self.ask != Ask::Never && self.protected(file, base, stat);
        if !(self.ask == Ask::Always || self.ask == Ask::Sometimes && self.tty && protected) {
            return true;
        }
        let kind =
            if protected { "descend into write-protected directory " } else { "descend into directory " };
        self.question(bytes!(kind, quoteaf(file)))
    }

    fn confirm(&self, file: &[u8], base: Base, stat: &Stat, dir: bool) -> bool {
        let protected = self.ask != Ask::Never && self.protected(file, base, stat);
        if !(self.ask == Ask::Always || self.ask == Ask::Sometimes && self.tty && protected) {
            return true;
        }
        let kind = match stat.mode & sys::S_IFMT {
            _ if dir => "directory",
            sys::S_IFREG if stat.size == 0 => "regular empty file",
            sys::S_IFREG => "regular file",
            sys::S_IFLNK => "symbolic link",
            sys::S_IFIFO => "fifo",
            sys::S_IFSOCK => "socket",
            sys::S_IFCHR => "character special file",
            sys::S_IFBLK => "block special file",
            _ => "weird file",
        };
        let shield = if protected { "write-protected " } else { "" };
        self.question(bytes!("remove ", shield, kind, " ", quoteaf(file)))
    }

    fn question(&self, text: Vec<u8>) -> bool {
        out::flush();
        let _ = sys::write_all(2, &bytes!(self.name, ": ", text, "? "));
        sandshell_cli::ask::yes()
    }
}

/// Reads a directory. If its path is long, returns a descriptor of it too.
fn read_dir(base: Fd, path: &[u8]) -> sys::Result<(Vec<sys::DirEntry>, Option<Fd>)> {
    use sys::open_flags::{CLOEXEC, DIRECTORY, READ};
    let fd = sys::openat(base, path, READ | DIRECTORY | CLOEXEC, 0)?;
    let entries = sys::read_dir_fd(fd);
    if path.len() > LONG_PATH && entries.is_ok() {
        return entries.map(|entries| (entries, Some(fd)));
    }
    let _ = sys::close(fd);
    entries.map(|entries| (entries, None))
}
