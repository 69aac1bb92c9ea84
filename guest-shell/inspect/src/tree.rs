//! `tree`, as version 2.1.0: lists directories and their contents.

use crate::tree_entry::{Entry, OPEN_ERROR};
use crate::tree_ignore::Ignored;
use crate::tree_options::{self, Options, Sort};
use crate::{tree_file, tree_print};
use sandshell_cli::out;
use sandshell_cli::warn;
use sandshell_posix::pattern::Matching;
use sandshell_posix::version_order;
use sandshell_sys as sys;
use std::cmp::Ordering;
use std::collections::HashSet;

/// Runs `tree` and returns its exit status.
pub fn tree_main(args: Vec<Vec<u8>>) -> i32 {
    run(&args).unwrap_or_else(|code| code)
}

fn run(args: &[Vec<u8>]) -> Result<i32, i32> {
    let o = tree_options::parse(args.get(1..).unwrap_or_default())?;
    if let Some(name) = &o.output {
        use sys::open_flags::{CREATE, TRUNC, WRITE};
        let opened = sys::open(name, WRITE | CREATE | TRUNC, 0o666);
        let moved = opened.and_then(|fd| sys::dup2(fd, 1, false).and_then(|_| sys::close(fd)));
        if moved.is_err() {
            warn!("tree", "invalid filename '", name, "'");
            return Err(1);
        }
    }
    let mut walk = Walk { o: &o, seen: HashSet::new(), device: 0, ignored: Ignored::default() };
    let mut code = 0;
    let mut printer = tree_print::Printer::new(&o);
    for root in &o.roots {
        let mut entry = look(root.clone(), root.clone(), true);
        if o.from_file {
            match tree_file::entries(root, root) {
                Some(entries) => entry.entries = walk.chosen(entries),
                None => {
                    entry.note = Some(OPEN_ERROR.to_owned());
                    code = 2;
                }
            }
        } else if entry.stat.is_none() {
            entry.note = Some(OPEN_ERROR.to_owned());
            code = 2;
        } else if !entry.is_dir() {
            entry.note = Some(OPEN_ERROR.to_owned());
        } else {
            walk.device = entry.stat.map_or(0, |s| s.dev);
            let pushed = o.git_file.as_ref().is_some_and(|file| walk.ignored.push(file, root));
            walk.descend(&mut entry, 0, false);
            if pushed {
                walk.ignored.pop();
            }
        }
        printer.root(&entry);
    }
    printer.finish();
    Ok(out::finish("tree", code, 1))
}

/// Stats a file. If it is a root, symbolic links are followed.
fn look(name: Vec<u8>, path: Vec<u8>, root: bool) -> Entry {
    let stat = sys::stat(&path, root).ok();
    let (mut target, mut target_stat) = (None, None);
    if stat.is_some_and(|s| s.is_symlink()) {
        target = Some(sys::readlink(&path).unwrap_or_default());
        target_stat = sys::stat(&path, true).ok();
    }
    Entry { name, path, stat, target, target_stat, entries: Vec::new(), note: None }
}

struct Walk<'a> {
    o: &'a Options,
    /// The directories already read, for detecting loops through links.
    seen: HashSet<(u64, u64)>,
    device: u64,
    ignored: Ignored,
}

impl Walk<'_> {
    /// Reads the directory `dir` at this depth. `matched` tells whether its name matched a pattern of `-P`.
    fn descend(&mut self, dir: &mut Entry, depth: usize, matched: bool) {
        let file = || [&dir.path, b"/.gitignore".as_slice()].concat();
        let pushed = self.o.git_ignore && self.ignored.push(&file(), &dir.path);
        self.read(dir, depth, matched);
        if pushed {
            self.ignored.pop();
        }
    }

    /// Filters and sorts entries that do not come from the filesystem (`--fromfile`).
    fn chosen(&self, entries: Vec<Entry>) -> Vec<Entry> {
        self.chosen_below(entries, 1)
    }

    fn chosen_below(&self, mut entries: Vec<Entry>, depth: usize) -> Vec<Entry> {
        entries.retain(|e| match e.is_dir() {
            true => true,
            false => !self.o.only_dirs && (self.o.include.is_empty() || self.matches(&self.o.include, e)),
        });
        for entry in &mut entries {
            let below = std::mem::take(&mut entry.entries);
            if self.o.depth.is_none_or(|most| depth < most) {
                entry.entries = self.chosen_below(below, depth + 1);
            }
        }
        if self.o.sort != Sort::Unsorted || self.o.dirs_first || self.o.files_first {
            entries.sort_by(|a, b| self.order(a, b));
        }
        entries
    }

    fn read(&mut self, dir: &mut Entry, depth: usize, matched: bool) {
        if let Some(stat) = dir.target_stat.or(dir.stat) {
            self.seen.insert((stat.dev, stat.ino));
        }
        let Ok(names) = sys::read_dir(&dir.path) else {
            dir.note = Some(OPEN_ERROR.to_owned());
            return;
        };
        let mut entries: Vec<Entry> = names
            .into_iter()
            .filter(|e| e.name != b"." && e.name != b".." && (self.o.all || !e.name.starts_with(b".")))
            .map(|e| {
                let slash: &[u8] = if dir.path == b"/" { b"" } else { b"/" };
                let path = [&dir.path, slash, &e.name].concat();
                look(e.name, path, false)
            })
            .filter(|e| self.is_wanted(e, matched))
            .collect();
        if self.o.file_limit > 0 && entries.len() > self.o.file_limit {
            dir.note = Some(format!("{} entries exceeds filelimit, not opening dir", entries.len()));
            return;
        }
        if self.o.sort != Sort::Unsorted || self.o.dirs_first || self.o.files_first {
            entries.sort_by(|a, b| self.order(a, b));
        }
        for entry in &mut entries {
            if !entry.is_dir() || entry.is_link() && !self.o.follow {
                continue;
            }
            let stat = entry.target_stat.or(entry.stat).unwrap_or_default();
            if entry.is_link() && self.seen.contains(&(stat.dev, stat.ino)) {
                entry.note = Some("recursive, not followed".to_owned());
                continue;
            }
            let deeper = self.o.depth.is_none_or(|most| depth + 1 < most);
            if deeper && (!self.o.one_device || stat.dev == self.device) {
                let matched = self.o.match_dirs && self.matches(&self.o.include, entry);
                self.descend(entry, depth + 1, matched);
            }
        }
        if self.o.prune {
            entries.retain(|e| !e.is_dir() || !e.entries.is_empty() || e.note.is_some());
        }
        if self.o.du {
            let inside: u64 = entries.iter().filter_map(|e| e.stat).map(|s| s.size).sum();
            if let Some(stat) = &mut dir.stat {
                stat.size = stat.size.saturating_add(inside);
            }
            if self.o.sort == Sort::Size {
                entries.sort_by(|a, b| self.order(a, b));
            }
        }
        dir.entries = entries;
    }

    fn is_wanted(&self, entry: &Entry, matched: bool) -> bool {
        let stays = entry.stat.is_some_and(|s| s.is_dir()) || self.o.follow && entry.is_dir();
        if !self.o.include.is_empty() && !stays && !matched && !self.matches(&self.o.include, entry) {
            return false;
        }
        if self.matches(&self.o.exclude, entry) {
            return false;
        }
        if self.o.git_ignore && self.ignored.hides(&entry.path, entry.is_dir()) {
            return false;
        }
        !self.o.only_dirs || entry.is_dir()
    }

    fn matches(&self, patterns: &[Vec<u8>], entry: &Entry) -> bool {
        let matching = Matching { ignore_case: self.o.ignore_case, ..Matching::default() };
        patterns.iter().flat_map(|p| p.split(|b| *b == b'|')).any(|pattern| {
            match pattern.strip_suffix(b"/") {
                Some(pattern) => entry.is_dir() && matching.matches(pattern, &entry.name),
                None => matching.matches(pattern, &entry.name),
            }
        })
    }

    fn order(&self, a: &Entry, b: &Entry) -> Ordering {
        let groups = match (self.o.dirs_first, self.o.files_first) {
            (true, _) => b.is_dir().cmp(&a.is_dir()),
            (_, true) => a.is_dir().cmp(&b.is_dir()),
            _ => Ordering::Equal,
        };
        let key = |e: &Entry| e.stat.unwrap_or_default();
        let by = match self.o.sort {
            Sort::Name => Ordering::Equal,
            Sort::Version => version_order::compare(&a.name, &b.name),
            Sort::Size => key(b).size.cmp(&key(a).size),
            Sort::Modified => key(a).mtime.cmp(&key(b).mtime),
            Sort::Changed => key(a).ctime.cmp(&key(b).ctime),
            Sort::Unsorted => return groups,
        };
        let by = by.then_with(|| a.name.cmp(&b.name));
        groups.then(if self.o.reverse { by.reverse() } else { by })
    }
}
