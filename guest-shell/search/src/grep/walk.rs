//! Walks the operands and their directories.

use super::helpers::Helpers;
use super::options::{Devices, Directories, List, Options};
use super::scan::{Outcome, Scan};
use sandshell_cli::bytes;
use sandshell_posix::place::Place;
use sandshell_sys as sys;
use sys::open_flags as f;

pub(crate) struct Grep<'a> {
    pub(crate) o: &'a Options,
    pub(crate) scan: Scan<'a>,
    pub(crate) found: bool,
    pub(crate) failed: bool,
    pub(crate) names: bool,
    /// The device and inode of standard output, if it is a regular file.
    pub(crate) output: Option<(u64, u64)>,
    /// The directories being visited, for detecting loops with -R.
    pub(crate) links: Vec<(u64, u64)>,
    /// The processes that help to search.
    pub(crate) helpers: Helpers,
}

/// A file that the walk has found.
pub(super) struct FoundFile {
    pub(super) place: Place,
    /// Whether its directory says that it is a regular file.
    pub(super) regular: bool,
}

impl Grep<'_> {
    pub(crate) fn run(&mut self) {
        for file in &self.o.files {
            if self.finished() {
                break;
            }
            if file == b"-" {
                let name = self.o.label.clone().unwrap_or_else(|| b"(standard input)".to_vec());
                self.search(0, &name, false);
            } else {
                self.operand(file);
            }
        }
    }

    // With -q, the first selected line ends the search.
    fn finished(&self) -> bool {
        self.o.quiet && self.found
    }

    fn operand(&mut self, name: &[u8]) {
        if self.o.exclude.first().is_some_and(|e| !e.is_empty()) && self.o.directories == Directories::Recurse
        {
            // These options do not apply to directories.
            if !sys::stat(name, true).is_ok_and(|s| s.is_dir()) && self.skips_operand(name) {
                return;
            }
        } else if self.skips_operand(name) {
            return;
        }
        if self.o.devices == Devices::Skip && sys::stat(name, true).is_ok_and(|s| !s.is_file() && !s.is_dir())
        {
            return;
        }
        let fd = match sys::open(name, f::READ | f::CLOEXEC, 0) {
            Ok(fd) => fd,
            Err(e) => return self.complain(name, e),
        };
        let directory = self.search(fd, name, false);
        let _ = sys::close(fd);
        if !directory {
            return;
        }
        match self.o.directories {
            Directories::Skip | Directories::Read => {}
            Directories::Recurse => {
                let stripped = trim_slashes(name);
                if !self.o.implied_dot && self.o.exclude_dir.first().is_some_and(|e| e.skips(stripped, true))
                {
                    return;
                }
                if self.o.names.is_none() {
                    self.names = true;
                }
                let id = if self.o.follow { sys::stat(name, true).ok() } else { None };
                self.links.extend(id.map(|s| (s.dev, s.ino)));
                self.directory(&Place::start(name.to_vec()), self.o.implied_dot);
                self.await_helpers();
                self.links.clear();
            }
        }
    }

    fn skips_operand(&self, name: &[u8]) -> bool {
        self.o.exclude.first().is_some_and(|e| e.skips(name, true))
    }

    fn directory(&mut self, place: &Place, bare: bool) {
        let path = &place.path;
        let fd = match place.open(f::READ | f::DIRECTORY | f::CLOEXEC) {
            Ok(fd) => fd,
            Err(e) => return self.complain(path, e),
        };
        let entries = sys::read_dir_fd(fd);
        let prefix = if bare { 0 } else { path.len() + usize::from(!path.ends_with(b"/")) };
        let directory = place.opened(fd, prefix);
        let entries = match entries {
            Ok(entries) => entries,
            Err(e) => return self.complain(path, e),
        };
        for entry in entries {
            if self.finished() {
                return;
            }
            let path = if bare {
                entry.name.clone()
            } else if path.ends_with(b"/") {
                bytes!(path, entry.name)
            } else {
                bytes!(path, "/", entry.name)
            };
            self.entry(directory.place(path), &entry.name, entry.kind);
        }
    }

    fn entry(&mut self, place: Place, name: &[u8], mut kind: u32) {
        if kind == 0 || (kind == sys::S_IFLNK && self.o.follow) {
            match place.stat(self.o.follow) {
                Ok(s) => kind = s.mode & sys::S_IFMT,
                Err(e) => return self.complain(&place.path, e),
            }
        }
        match kind {
            sys::S_IFDIR => {
                if self.o.exclude_dir.get(1).is_some_and(|e| e.skips(name, false)) {
                    return;
                }
                if !self.o.follow {
                    return self.directory(&place, false);
                }
                let Ok(id) = place.stat(true).map(|s| (s.dev, s.ino)) else { return };
                if self.links.contains(&id) {
                    if !self.o.silent {
                        self.await_helpers();
                        let loops = bytes!(place.path, ": warning: recursive directory loop");
                        self.scan.p.out.message("grep", &loops);
                    }
                    return;
                }
                self.links.push(id);
                self.directory(&place, false);
                self.links.pop();
            }
            sys::S_IFREG => self.open_entry(place, name, kind),
            sys::S_IFLNK => {}
            _ if self.o.devices == Devices::Read => self.open_entry(place, name, kind),
            _ => {}
        }
    }

    fn open_entry(&mut self, place: Place, name: &[u8], kind: u32) {
        if self.o.exclude.get(1).is_some_and(|e| e.skips(name, false)) {
            return;
        }
        self.search_in_tree(FoundFile { place, regular: kind == sys::S_IFREG });
    }

    /// Searches a file of a tree.
    pub(super) fn read(&mut self, place: &Place) {
        self.read_opened(place.open(f::READ | f::CLOEXEC), &place.path);
    }

    /// Searches a file of a tree and closes it.
    pub(super) fn read_opened(&mut self, opened: sys::Result<sys::Fd>, path: &[u8]) {
        match opened {
            Ok(fd) => {
                self.search(fd, path, self.o.devices != Devices::Read);
                self.scan.ahead = None;
                let _ = sys::close(fd);
            }
            Err(e) => self.complain(path, e),
        }
    }

    // `regular`: it was found as a regular file. Returns true if it is a directory, which is then skipped or walked.
    fn search(&mut self, fd: sys::Fd, name: &[u8], regular: bool) -> bool {
        if self.output.is_some()
            && !self.o.quiet
            && self.o.list == List::No
            && !self.o.count
            && self.o.max != Some(1)
            && sys::fstat(fd).is_ok_and(|s| self.output == Some((s.dev, s.ino)))
            && !(fd == 0 && same_place())
        {
            if !self.o.silent {
                self.scan.p.out.message("grep", &bytes!(name, ": input file is also the output"));
            }
            self.failed = true;
            return false;
        }
        self.scan.p.name = self.names.then(|| name.to_vec());
        let selected = match self.scan.file(fd, name, regular) {
            Outcome::Selected(n) => n,
            Outcome::Directory if self.o.directories != Directories::Read => return true,
            // A file that cannot be read has no lines, and is counted and listed as such.
            Outcome::Directory => {
                self.complain(name, sys::Errno::ISDIR);
                0
            }
            Outcome::Error(e) => {
                self.complain(name, e);
                0
            }
        };
        self.found |= selected > 0;
        if self.o.quiet {
            return false;
        }
        let p = &mut self.scan.p;
        if self.o.count && self.o.list == List::No {
            if self.names {
                p.file_name();
                if self.o.null_names { p.out.put(b"\0") } else { p.separator(b':') }
            }
            p.out.number(selected, 0);
            p.out.put(b"\n");
            p.out.end_line();
        }
        if self.scan.lists(selected) {
            let p = &mut self.scan.p;
            p.name = Some(name.to_vec());
            p.file_name();
            p.out.put(if self.o.null_names { b"\0" } else { b"\n" });
            p.out.end_line();
        }
        if self.scan.p.matcher.gave_up() {
            self.scan.p.out.message("grep", &bytes!(name, ": exceeded PCRE's backtracking limit"));
            self.failed = true;
        }
        false
    }

    fn complain(&mut self, name: &[u8], e: sys::Errno) {
        self.failed = true;
        self.await_helpers();
        if !self.o.silent {
            self.scan.p.out.message("grep", &bytes!(name, ": ", e.to_string()));
        }
    }
}

// Whether standard input and output are the same file at the same position, as in `grep x <> file 1>&0`.
fn same_place() -> bool {
    match (sys::lseek(0, 0, 1), sys::lseek(1, 0, 1)) {
        (Ok(a), Ok(b)) => a == b && a > 0,
        _ => false,
    }
}

fn trim_slashes(mut name: &[u8]) -> &[u8] {
    while name.len() > 1
        && let Some(shorter) = name.strip_suffix(b"/")
    {
        name = shorter;
    }
    name
}
