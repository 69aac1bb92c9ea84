//! `du`.

use sandshell_cli::input::Input;
use sandshell_cli::message;
use sandshell_cli::options::{self, Given, Spec, named, option};
use sandshell_cli::quote::{quote, quoteaf, quotef};
use sandshell_cli::size::Unit;
use sandshell_cli::{bytes, warn};
use sandshell_cli::{number, out};
use sandshell_posix::{path, pattern};
use sandshell_sys::{self as sys, Stat};
use sandshell_time::{
    Zone,
    strftime::{self, Moment},
};
use std::collections::HashSet;
use std::ffi::OsString;

const SPEC: Spec = Spec {
    name: "du",
    usage: "\
Usage: du [OPTION]... [FILE]...
  or:  du [OPTION]... --files0-from=F
Shows how much space files and directories take.

",
    options: &[
        option("-0, --null", "lines end with NUL"),
        option("-a, --all", "files as well, not directories only"),
        named("apparent", "--apparent-size", "lengths of files, not the blocks that they take"),
        option("-B, --block-size=SIZE", "sizes in units of SIZE"),
        option("-b, --bytes", "as --apparent-size --block-size=1"),
        option("-c, --total", "a total at the end"),
        option("-D, -H, --dereference-args", "follow symbolic links among the arguments"),
        option("-d, --max-depth=N", "only directories at most N levels below the arguments"),
        named("files0", "--files0-from=F", "read names of files from F, each ended with NUL"),
        option("-h, --human-readable", "sizes as 1.5M"),
        option("--inodes", "how many inodes, not how much space"),
        option("-k", "as --block-size=1K"),
        option("-L, --dereference", "follow all symbolic links"),
        option("-l, --count-links", "count a file for each of its names"),
        option("-m", "as --block-size=1M"),
        option("-P, --no-dereference", "follow no symbolic links; so it is by default"),
        option("-S, --separate-dirs", "directories without those in them"),
        option("--si", "sizes as 1.6M, by 1000"),
        option("-s, --summarize", "just a sum for each FILE"),
        named(
            "",
            "-t, --threshold=SIZE",
            "leave out what is smaller than SIZE, or larger if SIZE is negative",
        ),
        option("--time[=WORD]", "times of change; or of access (atime) or of status (ctime)"),
        named("style", "--time-style=STYLE", "how times look: full-iso, long-iso, iso or +FORMAT"),
        option("-X, --exclude-from=FILE", "leave out what matches a pattern in FILE"),
        option("--exclude=PATTERN", "leave out what matches"),
        option("-x, --one-file-system", "stay in the file system"),
    ],
    ties: &["dereference", "dereference-args", "exclude", "exclude-from", "si", "separate-dirs", "summarize"],
    ..Spec::DEFAULT
};

/// Which timestamp is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Time {
    Modification,
    Access,
    Status,
}

impl Time {
    fn of(self, stat: &Stat) -> (i64, u32) {
        match self {
            Self::Modification => (stat.mtime, stat.mtime_nsec),
            Self::Access => (stat.atime, stat.atime_nsec),
            Self::Status => (stat.ctime, stat.ctime_nsec),
        }
    }
}

/// The total size of some files, and their latest time.
#[derive(Clone, Copy, Default)]
struct Sum {
    size: u64,
    time: Option<(i64, u32)>,
}

impl Sum {
    fn add(&mut self, other: Self) {
        self.size = self.size.saturating_add(other.size);
        self.time = self.time.max(other.time);
    }
}

/// The format of `--time-style` or `$TIME_STYLE`.
fn time_format(style: Option<Vec<u8>>) -> Result<Vec<u8>, i32> {
    const FULL: &str = "%Y-%m-%d %H:%M:%S.%N %z";
    const LONG: &str = "%Y-%m-%d %H:%M";
    let style = style.or_else(|| {
        let value = std::env::var_os("TIME_STYLE")?.into_encoded_bytes();
        // These are styles that only `ls` has.
        if value == b"locale" {
            return None;
        }
        let first = value.split(|b| *b == b'\n').next().unwrap_or_default();
        let first = if value.starts_with(b"+") { first } else { &value[..] };
        Some(first.strip_prefix(b"posix-").unwrap_or(first).to_vec())
    });
    let Some(style) = style else { return Ok(LONG.into()) };
    if let Some(format) = style.strip_prefix(b"+") {
        return Ok(format.to_vec());
    }
    let words = [("full-iso", FULL), ("long-iso", LONG), ("iso", "%Y-%m-%d")];
    options::choose(&SPEC, "time style", &style, &words).map(Into::into)
}

struct Du {
    all: bool,
    apparent: bool,
    inodes: bool,
    count_links: bool,
    follow: bool,
    follow_arguments: bool,
    one_filesystem: bool,
    separate: bool,
    depth: usize,
    threshold: Option<i64>,
    time: Option<Time>,
    format: Vec<u8>,
    unit: Unit,
    end: u8,
    exclude: Vec<Vec<u8>>,
    seen: HashSet<(u64, u64)>,
    // The directories from the root of the walk to the current one.
    above: Vec<(u64, u64)>,
    code: i32,
}

/// Runs `du` and returns its exit status.
pub fn du_main(args: Vec<OsString>) -> i32 {
    run(args).unwrap_or_else(|code| code)
}

/// What concerns the command as a whole.
#[derive(Default)]
struct Request {
    summarize: bool,
    depth: Option<usize>,
    total: bool,
    /// The file that contains the operands.
    names: Option<Vec<u8>>,
    style: Option<Vec<u8>>,
    /// Something was reported, so nothing is measured.
    wrong: bool,
}

fn run(args: Vec<OsString>) -> Result<i32, i32> {
    let args = options::operands(args);
    let parsed = SPEC.parse_all(&args)?;
    let mut du = Du::new();
    let mut request = Request::default();
    for g in &parsed.options {
        du.option(g, &args, &mut request)?;
    }
    du.settle(&mut request)?;
    let operands = du.operands(parsed.operands, request.names)?;
    let sum = du.sum(&operands);
    if request.total {
        du.print(sum, b"total");
    }
    Ok(out::finish("du", du.code, 1))
}

/// The timestamp that `--time` names.
fn which_time(given: &Given) -> Result<Time, i32> {
    let words = [
        ("atime", Time::Access),
        ("access", Time::Access),
        ("use", Time::Access),
        ("ctime", Time::Status),
        ("status", Time::Status),
    ];
    given.value.as_deref().map_or(Ok(Time::Modification), |w| options::choose(&SPEC, "--time", w, &words))
}

fn threshold(option: &str, text: &[u8]) -> Result<i64, i32> {
    let (minus, size) = match text.strip_prefix(b"-") {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let value = number::unsigned(size, "kKmMGTPEZY0")
        .and_then(|n| i64::try_from(n).map_err(|_| number::Fault::Overflow));
    match value {
        Ok(0) if minus => {
            warn!("du", "invalid --threshold argument '-0'");
            Err(1)
        }
        Ok(n) => Ok(if minus { -n } else { n }),
        Err(fault) => {
            number::complain("du", option, text, fault);
            Err(1)
        }
    }
}

impl Du {
    fn new() -> Self {
        Self {
            all: false,
            apparent: false,
            inodes: false,
            count_links: false,
            follow: false,
            follow_arguments: false,
            one_filesystem: false,
            separate: false,
            depth: usize::MAX,
            threshold: None,
            time: None,
            format: Vec::new(),
            unit: Unit::from_environment("DU_BLOCK_SIZE").unwrap_or_else(|| {
                Unit::blocks(if std::env::var_os("POSIXLY_CORRECT").is_some() { 512 } else { 1024 })
            }),
            end: b'\n',
            exclude: Vec::new(),
            seen: HashSet::new(),
            above: Vec::new(),
            code: 0,
        }
    }

    fn option(&mut self, g: &Given, args: &[Vec<u8>], request: &mut Request) -> Result<(), i32> {
        match g.id {
            "?" => {
                warn!("du", g.text());
                request.wrong = true;
            }
            "0" => self.end = 0,
            "a" => self.all = true,
            "apparent" => self.apparent = true,
            "b" => (self.apparent, self.unit) = (true, Unit::blocks(1)),
            "B" => {
                self.unit = Unit::given("du", g.written("-B", "--block-size", args), g.text()).ok_or(1)?;
            }
            "c" => request.total = true,
            "d" => match number::unsigned(g.text(), "") {
                Ok(n) => request.depth = Some(usize::try_from(n).unwrap_or(usize::MAX)),
                Err(_) => {
                    warn!("du", "invalid maximum depth ", quote(g.text()));
                    request.wrong = true;
                }
            },
            // The last one of these options wins.
            "D" => (self.follow, self.follow_arguments) = (false, true),
            "h" => self.unit = Unit::Human { base: 1024 },
            "si" => self.unit = Unit::Human { base: 1000 },
            "k" => self.unit = Unit::blocks(1024),
            "m" => self.unit = Unit::blocks(1 << 20),
            "l" => self.count_links = true,
            "L" => (self.follow, self.follow_arguments) = (true, false),
            "P" => (self.follow, self.follow_arguments) = (false, false),
            "inodes" => self.inodes = true,
            "s" => request.summarize = true,
            "S" => self.separate = true,
            "t" | "threshold" => {
                let option = if g.id == "t" { "-t" } else { "--threshold" };
                self.threshold = Some(threshold(option, g.text())?);
            }
            "time" => self.time = Some(which_time(g)?),
            "style" => request.style = Some(g.text().to_vec()),
            "x" => self.one_filesystem = true,
            "exclude" => self.exclude.push(g.text().to_vec()),
            "X" => request.wrong |= !self.exclude_from(g.text()),
            _ => request.names = Some(g.text().to_vec()),
        }
        Ok(())
    }

    /// Reads patterns from a file. Returns whether it could be read.
    fn exclude_from(&mut self, file: &[u8]) -> bool {
        match Input::open(file).and_then(|mut i| i.rest()) {
            Ok(all) => {
                let lines = all.split(|b| *b == b'\n').filter(|l| !l.is_empty());
                self.exclude.extend(lines.map(<[u8]>::to_vec));
                true
            }
            Err(e) => {
                warn!("du", quotef(file), ": ", e);
                false
            }
        }
    }

    /// Compares the options with each other.
    fn settle(&mut self, request: &mut Request) -> Result<(), i32> {
        if self.time.is_some() {
            self.format = time_format(request.style.take())?;
        }
        if request.wrong {
            message::try_help("du");
            return Err(1);
        }
        if self.all && request.summarize {
            return Err(SPEC.usage("cannot both summarize and show all entries"));
        }
        match request.depth {
            Some(0) if request.summarize => {
                warn!("du", "warning: summarizing is the same as using --max-depth=0")
            }
            Some(n) if request.summarize => {
                return Err(SPEC.usage(format!("warning: summarizing conflicts with --max-depth={n}")));
            }
            _ => {}
        }
        self.depth = if request.summarize { 0 } else { request.depth.unwrap_or(usize::MAX) };
        if self.inodes {
            if self.apparent {
                warn!("du", "warning: options --apparent-size and -b are ineffective with --inodes");
            }
            // Inodes are counted, so sizes in bytes do not matter.
            self.apparent = false;
            if !matches!(self.unit, Unit::Human { .. }) {
                self.unit = Unit::blocks(1);
            }
        }
        Ok(())
    }

    /// The files to measure.
    fn operands(&mut self, mut operands: Vec<Vec<u8>>, names: Option<Vec<u8>>) -> Result<Vec<Vec<u8>>, i32> {
        if let Some(from) = names {
            if let Some(first) = operands.first() {
                warn!("du", "extra operand ", quote(first));
                let _ = sys::write_all(2, b"file operands cannot be combined with --files0-from\n");
                message::try_help("du");
                return Err(1);
            }
            let mut input = Input::open(&from).map_err(|e| {
                warn!("du", "cannot open ", quoteaf(&from), " for reading: ", e);
                1
            })?;
            let all = input.rest().map_err(|e| {
                warn!("du", quotef(&from), ": read error: ", e);
                1
            })?;
            operands = self.names(&from, &all);
        } else if operands.is_empty() {
            operands.push(b".".to_vec());
        }
        Ok(operands)
    }

    /// Measures files and prints them. Returns what they take together.
    fn sum(&mut self, operands: &[Vec<u8>]) -> Sum {
        let mut sum = Sum::default();
        for operand in operands {
            if operand.is_empty() {
                warn!("du", "invalid zero-length file name");
                self.code = 1;
                continue;
            }
            let stat = match sys::stat(operand, self.follow || self.follow_arguments) {
                Ok(stat) => stat,
                Err(e) => {
                    self.missing(operand, e);
                    continue;
                }
            };
            if let Some((own, below)) = self.walk(path::trim_repeated_slashes(operand), &stat, 0, stat.dev) {
                sum.add(own);
                sum.add(below);
            }
        }
        sum
    }

    fn size(&self, stat: &Stat) -> u64 {
        match (self.inodes, self.apparent) {
            (true, _) => 1,
            (_, true) => stat.size,
            _ => stat.blocks.saturating_mul(512),
        }
    }

    /// Reports that a file cannot be examined. For a broken link, the reason is left out, as in GNU du.
    fn missing(&mut self, name: &[u8], reason: sys::Errno) {
        let dangling = reason == sys::Errno::NOENT && sys::stat(name, false).is_ok_and(|s| s.is_symlink());
        let why = if dangling { Vec::new() } else { bytes!(": ", reason) };
        warn!("du", "cannot access ", quoteaf(name), why);
        self.code = 1;
    }

    fn excluded(&self, name: &[u8]) -> bool {
        let hit = |pattern: &[u8]| pattern::tails(name).any(|n| pattern == n || pattern::matches(pattern, n));
        self.exclude.iter().any(|pattern| hit(pattern))
    }

    /// The size of a file itself, and that of what is below it; `None` if it is not counted. A directory is printed
    /// after its entries.
    fn walk(&mut self, name: &[u8], stat: &Stat, level: usize, device: u64) -> Option<(Sum, Sum)> {
        if self.excluded(name) {
            return None;
        }
        if self.one_filesystem && stat.dev != device {
            return None;
        }
        let shared = stat.is_dir() || stat.nlink > 1 || self.follow || level == 0;
        if !self.count_links && shared && !self.seen.insert((stat.dev, stat.ino)) {
            return None;
        }
        // With -l, a link to an ancestor directory would cause an endless loop.
        if stat.is_dir() && self.above.contains(&(stat.dev, stat.ino)) {
            return None;
        }
        let own = Sum { size: self.size(stat), time: self.time.map(|t| t.of(stat)) };
        if !stat.is_dir() {
            if self.all && level <= self.depth || level == 0 {
                self.print(own, name);
            }
            return Some((own, Sum::default()));
        }
        let (mut below, mut shown) = (Sum::default(), own);
        self.above.push((stat.dev, stat.ino));
        match self.look(name) {
            Ok(entries) => {
                for (entry, status) in entries {
                    let child = path::join(name, &entry);
                    match status {
                        Ok(s) => {
                            if let Some((own, deeper)) = self.walk(&child, &s, level + 1, device) {
                                below.add(own);
                                below.add(deeper);
                                if !(self.separate && s.is_dir()) {
                                    shown.add(own);
                                    shown.add(deeper);
                                }
                            }
                        }
                        Err(e) => {
                            self.missing(&child, e);
                        }
                    }
                }
            }
            Err(e) => {
                warn!("du", "cannot read directory ", quoteaf(name), ": ", e);
                self.code = 1;
            }
        }
        self.above.pop();
        if level <= self.depth {
            self.print(shown, name);
        }
        Some((own, below))
    }

    /// Stats the entries of a directory relative to its descriptor, so that paths are not resolved for each name.
    fn look(&self, directory: &[u8]) -> sys::Result<Vec<(Vec<u8>, sys::Result<Stat>)>> {
        let flags = sys::open_flags::READ | sys::open_flags::DIRECTORY | sys::open_flags::CLOEXEC;
        let fd = sys::open(directory, flags, 0)?;
        let entries = sys::read_dir_fd(fd).map(|entries| {
            let look = |name: Vec<u8>| {
                let status = sys::statat(fd, &name, self.follow);
                (name, status)
            };
            entries.into_iter().map(|entry| look(entry.name)).collect()
        });
        let _ = sys::close(fd);
        entries
    }

    /// Reads the NUL-terminated names in the file `from`.
    fn names(&mut self, from: &[u8], all: &[u8]) -> Vec<Vec<u8>> {
        if all.is_empty() {
            return Vec::new();
        }
        let all = all.strip_suffix(b"\0").unwrap_or(all);
        let mut names = Vec::new();
        for (i, name) in all.split(|b| *b == 0).enumerate() {
            if name.is_empty() {
                warn!("du", quotef(from), ":", i + 1, ": invalid zero-length file name");
                self.code = 1;
            } else if from == b"-" && name == b"-" {
                let dash = quoteaf(name);
                warn!("du", "when reading file names from stdin, no file name of ", dash, " allowed");
                self.code = 1;
            } else {
                names.push(name.to_vec());
            }
        }
        names
    }

    fn print(&self, sum: Sum, name: &[u8]) {
        let size = sum.size;
        let listed = match self.threshold {
            None => true,
            Some(t) if t < 0 => size <= t.unsigned_abs(),
            Some(t) => size >= t.unsigned_abs(),
        };
        if listed {
            let mut line = bytes!(self.unit.format(size), "\t");
            if self.time.is_some() {
                let (seconds, nanos) = sum.time.unwrap_or_default();
                line.extend(strftime::format(
                    &self.format,
                    &Moment { local: &Zone::system().local(seconds), seconds, nanos },
                ));
                line.push(b'\t');
            }
            out::put(bytes!(line, name, [self.end].as_slice()));
        }
    }
}
