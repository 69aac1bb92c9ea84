//! `rg`: ripgrep's options, rules and output formats.
//!
//! Files come in the order of their paths (as with `--sort path`), where ripgrep's own order is that of its threads. A
//! file is read whole before it is searched.

mod filter;
mod json;
mod options;
mod pattern;
mod print;
mod search;

use crate::out::{Out, message};
use filter::Filter;
use json::Json;
use options::{ByTime, Mode, Options, Parsed};
use pattern::Pattern;
use print::{Lines, Printer, Stats};
use sandshell_cli::bytes;
use sandshell_sys as sys;
use std::path::{Path, PathBuf};
use sys::open_flags as f;

/// Runs `rg`. Returns 0 if there was a match, 1 if there was none, 2 on errors.
pub fn rg_main(args: Vec<Vec<u8>>) -> i32 {
    match run(args.get(1..).unwrap_or_default()) {
        Ok(status) => status,
        Err(text) => {
            message("rg", text.as_bytes());
            2
        }
    }
}

/// An error as Rust's standard library prints it, with the number of Linux.
pub(crate) fn os_error(e: sys::Errno) -> String {
    let number = match e {
        sys::Errno::NOENT => 2,
        sys::Errno::ACCES => 13,
        sys::Errno::NOTDIR => 20,
        sys::Errno::ISDIR => 21,
        sys::Errno::LOOP => 40,
        _ => return e.to_string(),
    };
    format!("{e} (os error {number})")
}

fn run(args: &[Vec<u8>]) -> Result<i32, String> {
    let mut o = match options::parse(args)? {
        Parsed::Run(o) => o,
        Parsed::Text(text) => {
            let mut out = Out::stdout();
            out.put(text.as_bytes());
            let _ = out.finish();
            return Ok(0);
        }
    };
    let started = sys::monotonic();
    if o.mode == Mode::Types {
        return type_list(&o);
    }
    if o.paths.is_empty() {
        o.implicit_path = true;
        let piped = o.mode != Mode::Files && stdin_has_text();
        o.paths = vec![if piped { b"-".to_vec() } else { b"./".to_vec() }];
        o.implicit_path = !piped;
    }
    let o = *o;
    let pattern = if o.mode == Mode::Files {
        None
    } else if o.patterns.is_empty() {
        return Ok(1);
    } else {
        Some(Pattern::new(&o)?)
    };
    let mut failed = false;
    let filter = Filter::new(&o, &mut |text| {
        failed = true;
        if o.messages {
            message("rg", text.as_bytes());
        }
    })?;
    let mut out = Out::stdout();
    if o.line_buffered {
        out.set_line_buffered();
    }
    let mut rg = Rg { o: &o, filter, pattern: pattern.as_ref(), files: Vec::new(), failed, root_device: 0 };
    for path in &o.paths {
        rg.operand(path);
    }
    let mut files = std::mem::take(&mut rg.files);
    let failed = rg.failed;
    match o.by_time {
        Some(which) => sort_by_time(&mut files, which, o.reverse),
        None if o.reverse => files.reverse(),
        None => {}
    }
    let Some(pattern) = pattern.as_ref() else {
        return list_files(&o, &files, out, failed);
    };
    let names = o.names.unwrap_or_else(|| {
        o.vimgrep
            || o.paths.len() > 1
            || o.paths.first().is_some_and(|p| p != b"-" && sys::stat(p, true).is_ok_and(|s| s.is_dir()))
    });
    let p = Printer { o: &o, pattern, out, names, used: false, stats: Stats::default() };
    let mut job = Job { p, found: false, failed };
    if files.is_empty() && o.implicit_path && o.messages && !failed {
        message(
            "rg",
            b"No files were searched, which means ripgrep probably applied a filter you didn't expect.\nRunning with --debug will show why files are being skipped.",
        );
    }
    for file in &files {
        job.file(file);
        if o.quiet && job.found && !o.stats {
            break;
        }
    }
    job.finish(started)
}

// The oldest first, or the newest; those of the same time stay in order, those of none are last (first in reverse).
fn sort_by_time(files: &mut [SearchPath], which: ByTime, reverse: bool) {
    files.sort_by_cached_key(|file| {
        let time = sys::stat(&file.path, true).ok().map(|st| match which {
            ByTime::Modified => (st.mtime, st.mtime_nsec),
            ByTime::Accessed => (st.atime, st.atime_nsec),
        });
        let key = (time.is_none(), time);
        if reverse { Err(std::cmp::Reverse(key)) } else { Ok(key) }
    });
}

struct SearchPath {
    path: Vec<u8>,
    /// Named on the command line.
    explicit: bool,
}

struct Rg<'a> {
    o: &'a Options,
    filter: Filter<'a>,
    pattern: Option<&'a Pattern>,
    files: Vec<SearchPath>,
    failed: bool,
    root_device: u64,
}

impl Rg<'_> {
    fn operand(&mut self, path: &[u8]) {
        if path == b"-" {
            self.files.push(SearchPath { path: path.to_vec(), explicit: true });
            return;
        }
        let st = match sys::stat(path, true) {
            Ok(st) => st,
            Err(e) => {
                // ripgrep says so where it needs no second thread.
                let more = if self.o.paths.len() == 1 {
                    bytes!("IO error for operation on ", path, ": ")
                } else {
                    Vec::new()
                };
                return self.complain(&bytes!(path, ": ", more, os_error(e)));
            }
        };
        if !st.is_dir() {
            self.files.push(SearchPath { path: path.to_vec(), explicit: true });
            return;
        }
        self.root_device = st.dev;
        let cwd = filter::cwd();
        let full = normal(&cwd.join(filter::os(path)));
        self.filter.start(&full);
        // The working directory that nobody named is not shown.
        let shown = if self.o.implicit_path { Vec::new() } else { path.to_vec() };
        self.directory(&shown, &full, 0, &mut Vec::new());
    }

    fn directory(&mut self, shown: &[u8], full: &Path, depth: usize, above: &mut Vec<(u64, u64)>) {
        if self.o.max_depth.is_some_and(|m| depth >= m) {
            return;
        }
        let real = full.as_os_str().as_encoded_bytes();
        let entries = match sys::read_dir(real) {
            Ok(e) => e,
            Err(e) => return self.complain(&bytes!(shown, ": ", os_error(e))),
        };
        let entered = self.filter.enter(full, Some(&entries));
        for entry in &entries {
            let path = if shown.is_empty() {
                entry.name.clone()
            } else if shown.ends_with(b"/") {
                bytes!(shown, entry.name)
            } else {
                bytes!(shown, "/", entry.name)
            };
            self.entry(&path, &full.join(filter::os(&entry.name)), entry, depth + 1, above);
        }
        if entered {
            self.filter.leave();
        }
    }

    fn entry(
        &mut self,
        path: &[u8],
        full: &Path,
        entry: &sys::DirEntry,
        depth: usize,
        above: &mut Vec<(u64, u64)>,
    ) {
        let real = full.as_os_str().as_encoded_bytes();
        let mut kind = entry.kind;
        let mut status = None;
        if kind == 0 || (kind == sys::S_IFLNK && self.o.follow) {
            match sys::stat(real, self.o.follow) {
                Ok(st) => {
                    kind = st.mode & sys::S_IFMT;
                    status = Some(st);
                }
                Err(e) => {
                    return self.complain(&bytes!(path, ": ", os_error(e)));
                }
            }
        }
        let is_dir = kind == sys::S_IFDIR;
        if self.filter.skips(path, full, &entry.name, is_dir) {
            return;
        }
        if is_dir {
            if self.o.follow || self.o.one_device {
                let Ok(st) = status.map_or_else(|| sys::stat(real, true), Ok) else { return };
                if self.o.one_device && st.dev != self.root_device {
                    return;
                }
                if above.contains(&(st.dev, st.ino)) {
                    return self.complain(&bytes!(
                        "File system loop found: ",
                        path,
                        " points to an ancestor"
                    ));
                }
                above.push((st.dev, st.ino));
                self.directory(path, full, depth, above);
                above.pop();
                return;
            }
            return self.directory(path, full, depth, above);
        }
        if kind != sys::S_IFREG {
            return;
        }
        if let Some(max) = self.o.max_size
            && sys::stat(real, true).is_ok_and(|s| s.size > max)
        {
            return;
        }
        let _ = self.pattern;
        self.files.push(SearchPath { path: path.to_vec(), explicit: false });
    }

    fn complain(&mut self, text: &[u8]) {
        self.failed = true;
        if self.o.messages {
            message("rg", text);
        }
    }
}

struct Job<'a> {
    p: Printer<'a>,
    found: bool,
    failed: bool,
}

/// What a binary file must have of its beginning without NUL to be searched at all.
const BLOCK: usize = 64 * 1024;

impl Job<'_> {
    fn file(&mut self, file: &SearchPath) {
        let o = self.p.o;
        let text = match read(&file.path) {
            Ok(t) => t,
            Err(e) => {
                self.failed = true;
                if o.messages {
                    self.p.out.flush();
                    message("rg", &bytes!(file.path, ": ", os_error(e)));
                }
                return;
            }
        };
        let name: &[u8] = if file.path == b"-" { b"<stdin>" } else { &file.path };
        let started = sys::monotonic();
        let nul = if o.text || o.null_data { None } else { memchr::memchr(0, &text) };
        let converts = file.explicit || o.binary;
        let mut view = text.as_slice();
        let mut quit = None;
        let changed: Vec<u8>;
        let mut binary = None;
        if let Some(at) = nul {
            if converts {
                // A file named on the command line is searched as it is, a stream with its NULs as ends of lines.
                let stream = file.path == b"-" || !file.explicit;
                changed = text.iter().map(|b| if *b == 0 && stream { b'\n' } else { *b }).collect();
                view = &changed;
                binary = Some(at);
            } else {
                // Only what was read before the block with the NUL is searched.
                let whole = at / BLOCK * BLOCK;
                let end = text.get(..whole).and_then(|t| memchr::memrchr(b'\n', t)).map_or(0, |i| i + 1);
                view = text.get(..end).unwrap_or_default();
                quit = Some(at);
            }
        }
        if view.starts_with(b"\xef\xbb\xbf") {
            view = view.get(3..).unwrap_or_default();
        }
        if o.mode == Mode::Json {
            return self.json(name, view, binary.or(quit), started);
        }
        let pattern = self.p.pattern;
        let mut lines = Lines {
            p: &mut self.p,
            path: name,
            selected: 0,
            matches: 0,
            binary,
            binary_hit: false,
            begun: false,
        };
        search::search(view, pattern, o, &mut lines);
        let (selected, matches, hit) = (lines.selected, lines.matches, lines.binary_hit);
        self.p.stats.files += 1;
        self.p.stats.bytes_searched += view.len() as u64;
        self.p.stats.matched_lines += selected;
        self.p.stats.matches += matches;
        self.p.stats.files_matched += u64::from(selected > 0);
        self.p.stats.nanos += sys::monotonic() - started;
        let counted = if o.mode == Mode::CountMatches { matches } else { selected };
        self.result(name, selected, counted, (hit, binary, quit));
    }

    fn result(
        &mut self,
        name: &[u8],
        selected: u64,
        counted: u64,
        binary: (bool, Option<usize>, Option<usize>),
    ) {
        let o = self.p.o;
        match o.mode {
            Mode::NamesWithout => {
                if selected == 0 {
                    self.found = true;
                    self.name(name);
                }
                return;
            }
            Mode::Names if selected > 0 && !o.quiet => self.name(name),
            Mode::Count | Mode::CountMatches if !o.quiet && (counted > 0 || o.include_zero) => {
                if self.p.names {
                    self.p.path(name);
                    self.p.put(if o.null { b"\0" } else { b":" });
                }
                self.p.put(counted.to_string().as_bytes());
                self.p.end_line();
            }
            Mode::Lines if selected > 0 && !o.quiet => {
                let (hit, at, quit) = binary;
                let text = match (hit, at, quit) {
                    (true, Some(at), _) => {
                        format!("binary file matches (found \"\\0\" byte around offset {at})\n")
                    }
                    (_, _, Some(at)) => format!(
                        "WARNING: stopped searching binary file after match (found \"\\0\" byte around offset {at})\n"
                    ),
                    _ => String::new(),
                };
                if !text.is_empty() {
                    if self.p.names {
                        self.p.path(name);
                        self.p.put(b": ");
                    }
                    self.p.put(text.as_bytes());
                }
            }
            _ => {}
        }
        self.found |= selected > 0;
    }

    fn name(&mut self, name: &[u8]) {
        if self.p.o.quiet {
            return;
        }
        self.p.path(name);
        let end: &[u8] = if self.p.o.null { b"\0" } else { b"\n" };
        self.p.put(end);
        self.p.out.end_line();
    }

    fn json(&mut self, name: &[u8], text: &[u8], binary: Option<usize>, started: u64) {
        let o = self.p.o;
        let pattern = self.p.pattern;
        let before = self.p.stats.bytes_printed;
        let mut json =
            Json { p: &mut self.p, path: name, selected: 0, matches: 0, begun: false, before, printed: 0 };
        search::search(text, pattern, o, &mut json);
        let nanos = sys::monotonic() - started;
        json.end(binary, text.len(), nanos);
        let (selected, matches) = (json.selected, json.matches);
        let printed = json.printed;
        let s = &mut self.p.stats;
        s.bytes_printed = before + printed;
        s.files += 1;
        s.bytes_searched += text.len() as u64;
        s.matched_lines += selected;
        s.matches += matches;
        s.files_matched += u64::from(selected > 0);
        s.nanos += nanos;
        self.found |= selected > 0;
    }

    fn finish(mut self, started: u64) -> Result<i32, String> {
        let total = sys::monotonic() - started;
        let s = self.p.stats;
        if self.p.o.mode == Mode::Json {
            let line = json::summary(&s, total);
            self.p.out.put(line.as_bytes());
        } else if self.p.o.stats {
            let text = format!(
                "\n{} matches\n{} matched lines\n{} files contained matches\n{} files searched\n{} bytes printed\n{} bytes searched\n{:.6} seconds spent searching\n{:.6} seconds total\n",
                s.matches,
                s.matched_lines,
                s.files_matched,
                s.files,
                s.bytes_printed,
                s.bytes_searched,
                s.nanos as f64 / 1e9,
                total as f64 / 1e9
            );
            self.p.out.put(text.as_bytes());
        }
        self.p.out.finish().map_err(os_error)?;
        Ok(match (self.found, self.failed) {
            (true, _) if self.p.o.quiet => 0,
            (_, true) => 2,
            (true, false) => 0,
            (false, false) => 1,
        })
    }
}

fn read(path: &[u8]) -> sys::Result<Vec<u8>> {
    if path == b"-" {
        return sys::read_to_end(0);
    }
    let fd = sys::open(path, f::READ | f::CLOEXEC, 0)?;
    let text = read_all(fd);
    let _ = sys::close(fd);
    text
}

// In blocks that grow with what there was, straight into the result.
fn read_all(fd: sys::Fd) -> sys::Result<Vec<u8>> {
    let mut text = vec![0; BLOCK];
    let mut len = 0;
    loop {
        if text.len() - len < BLOCK / 2 {
            text.resize(text.len() * 2, 0);
        }
        match sys::read(fd, text.get_mut(len..).unwrap_or_default()) {
            Ok(0) => {
                text.truncate(len);
                return Ok(text);
            }
            Ok(n) => len += n,
            Err(sys::Errno::INTR) => {}
            Err(e) => return Err(e),
        }
    }
}

// Standard input is a file, a pipe or a socket: then it is what is searched.
fn stdin_has_text() -> bool {
    sys::fstat(0).is_ok_and(|s| matches!(s.mode & sys::S_IFMT, sys::S_IFREG | sys::S_IFIFO | sys::S_IFSOCK))
}

// Without `.` and `..`.
fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::from("/");
    for part in path.components() {
        match part {
            std::path::Component::ParentDir => drop(out.pop()),
            std::path::Component::Normal(name) => out.push(name),
            _ => {}
        }
    }
    out
}

fn list_files(o: &Options, files: &[SearchPath], mut out: Out, failed: bool) -> Result<i32, String> {
    if !o.quiet {
        for file in files {
            let path: Vec<u8> = match o.path_separator {
                Some(s) => file.path.iter().map(|b| if *b == b'/' { s } else { *b }).collect(),
                None => file.path.clone(),
            };
            out.put(&path);
            out.put(if o.null { b"\0" } else { b"\n" });
        }
    }
    out.finish().map_err(os_error)?;
    Ok(match (files.is_empty(), failed) {
        (_, true) => 2,
        (true, false) => 1,
        (false, false) => 0,
    })
}

fn type_list(o: &Options) -> Result<i32, String> {
    let mut out = Out::stdout();
    for def in filter::types(o)?.definitions() {
        out.put(def.name().as_bytes());
        out.put(b": ");
        out.put(def.globs().join(", ").as_bytes());
        out.put(b"\n");
    }
    out.finish().map_err(os_error)?;
    Ok(0)
}
