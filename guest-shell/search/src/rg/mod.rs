//! `rg`: ripgrep's options, rules and output formats.
//!
//! Ripgrep's own crates search and print. Files are sorted by path (as with `--sort path`), while ripgrep's order
//! depends on its threads.

mod filter;
mod options;
mod pattern;
mod print;

use crate::out::{Out, message};
use filter::Filter;
use grep_printer::Stats;
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};
use options::{ByTime, Mode, Options, Parsed};
use pattern::Pattern;
use print::{Printer, Text};
use sandshell_cli::bytes;
use sandshell_sys as sys;
use std::cell::RefCell;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;
use sys::open_flags as f;

/// Runs `rg`. Returns 0 if there was a match, 1 if there was none, 2 on errors.
pub fn rg_main(args: Vec<Vec<u8>>) -> i32 {
    sandshell_sys::init_std_fs();
    match run(args.get(1..).unwrap_or_default()) {
        Ok(status) => status,
        Err(text) => {
            message("rg", text.as_bytes());
            2
        }
    }
}

/// Formats an error like Rust's standard library, with Linux's error number.
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
    let mut job = Job::new(&o, pattern, names, out, failed);
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

// Sorts from the oldest to the newest, or in reverse. Files with the same time keep their order. Files without a time
// are last, or first in reverse.
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
    /// Whether it was named on the command line.
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
                // Ripgrep prints this if it needs no second thread.
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
        // The working directory is not shown if it is only implied.
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
    o: &'a Options,
    pattern: &'a Pattern,
    searcher: Searcher,
    printer: Printer,
    out: Rc<RefCell<Out>>,
    stats: Stats,
    found: bool,
    failed: bool,
}

impl<'a> Job<'a> {
    fn new(o: &'a Options, pattern: &'a Pattern, names: bool, out: Out, failed: bool) -> Self {
        let searcher = SearcherBuilder::new()
            .line_terminator(o.line_terminator())
            .invert_match(o.invert)
            .line_number(o.numbers || o.mode == Mode::Json)
            .multi_line(o.multiline)
            .before_context(o.before)
            .after_context(o.after)
            .passthru(o.passthru)
            .stop_on_nonmatch(o.stop_on_nonmatch)
            .max_matches(o.max_count)
            .build();
        let out = Rc::new(RefCell::new(out));
        let printer = Printer::new(o, names, &out);
        Self { o, pattern, searcher, printer, out, stats: Stats::new(), found: false, failed }
    }

    fn file(&mut self, file: &SearchPath) {
        match self.search(file) {
            Ok((found, stats)) => {
                self.found |= found;
                self.stats += stats.unwrap_or_default();
            }
            Err(e) => {
                self.failed = true;
                if self.o.messages {
                    self.out.borrow_mut().message("rg", &bytes!(file.path, ": ", e));
                }
            }
        }
    }

    fn search(&mut self, file: &SearchPath) -> io::Result<(bool, Option<Stats>)> {
        let o = self.o;
        self.searcher.set_binary_detection(match file.explicit || o.binary {
            _ if o.text || o.null_data => BinaryDetection::none(),
            true => BinaryDetection::convert(0),
            false => BinaryDetection::quit(0),
        });
        let stdin = file.path == b"-";
        let name = filter::os(if stdin { b"<stdin>" } else { &file.path });
        let mut reader = if stdin { Reader(0) } else { Reader::open(&file.path)? };
        let mut whole = Vec::new();
        // A file named on the command line is searched as it is. In all others, NULs count as line ends.
        let text = if file.explicit && !stdin {
            reader.read_to_end(&mut whole)?;
            Text::Whole(&whole)
        } else {
            Text::Stream(&mut reader)
        };
        self.printer.search(Path::new(name), self.pattern, &mut self.searcher, text)
    }

    fn finish(self, started: u64) -> Result<i32, String> {
        let total = Duration::from_nanos(sys::monotonic() - started);
        let mut out = self.out.borrow_mut();
        if self.o.stats || self.o.mode == Mode::Json {
            out.put(print::summary(self.o, &self.stats, total).as_bytes());
        }
        out.finish().map_err(os_error)?;
        Ok(match (self.found, self.failed) {
            (true, _) if self.o.quiet => 0,
            (_, true) => 2,
            (true, false) => 0,
            (false, false) => 1,
        })
    }
}

/// A file, which is closed at the end unless it is standard input.
struct Reader(sys::Fd);

impl Reader {
    fn open(path: &[u8]) -> io::Result<Self> {
        sys::open(path, f::READ | f::CLOEXEC, 0).map(Self).map_err(|e| io::Error::other(os_error(e)))
    }
}

impl Read for Reader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match sys::read(self.0, buffer) {
                Err(sys::Errno::INTR) => {}
                other => return other.map_err(|e| io::Error::other(os_error(e))),
            }
        }
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        if self.0 > 2 {
            let _ = sys::close(self.0);
        }
    }
}

// Whether standard input is a file, a pipe or a socket. If so, it is searched by default.
fn stdin_has_text() -> bool {
    sys::fstat(0).is_ok_and(|s| matches!(s.mode & sys::S_IFMT, sys::S_IFREG | sys::S_IFIFO | sys::S_IFSOCK))
}

// The path without `.` and `..`.
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
