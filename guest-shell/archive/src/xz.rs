//! `xz` 5.4, `unxz`, `xzcat`, `lzma` and `unlzma`.

use crate::codec::{self, Format};
use crate::io::{Counted, Failure, FdReader, FdWriter, Nowhere, copy, errno, read_full};
use crate::single;
use crate::xz_list::Lister;
use sandshell_cli::message;
use sandshell_cli::options::{Opt, Spec, Stop, hidden};
use sandshell_cli::out;
use sandshell_sys::{self as sys, Errno};
use std::io::{Cursor, Error, ErrorKind, Read, Write};

#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Compress,
    Decompress,
    Test,
    List,
}

struct Xz {
    name: &'static str,
    mode: Mode,
    format: Format,
    stdout: bool,
    keep: bool,
    force: bool,
    quiet: u32,
    verbose: u32,
    robot: bool,
    /// Whether `--format` names a format that `--list` cannot read.
    not_listed: bool,
    level: u32,
    status: i32,
}

const OPTIONS: &[Opt] = &[
    hidden("9", "-9, --best"),
    hidden("ignored", "--block-size=X"),
    hidden("ignored", "--check=X"),
    hidden("z", "-z, --compress"),
    hidden("d", "-d, --decompress"),
    hidden("e", "-e, --extreme"),
    hidden("0", "-0, --fast"),
    hidden("f", "-f, --force"),
    hidden("F", "-F, --format=X"),
    hidden("k", "-k, --keep"),
    hidden("l", "-l, --list"),
    hidden("ignored", "--memlimit=X"),
    hidden("ignored", "--memlimit-decompress=X"),
    hidden("ignored", "--no-sparse"),
    hidden("Q", "-Q, --no-warn"),
    hidden("q", "-q, --quiet"),
    hidden("", "--robot"),
    hidden("c", "-c, --stdout"),
    hidden("t", "-t, --test"),
    hidden("T", "-T, --threads=X"),
    hidden("c", "--to-stdout"),
    hidden("d", "--uncompress"),
    hidden("v", "-v, --verbose"),
    hidden("", "-C X, -h, -H, -M X, -r, -S X, -V, -1, -2, -3, -4, -5, -6, -7, -8"),
];
const HELP: &str = "\
Usage: xz [OPTION]... [FILE]...
Packs each FILE into FILE.xz, which takes its place; `unxz` unpacks, `xzcat` unpacks to standard output, and `lzma`,
`unlzma` and `lzcat` do so with .lzma. Standard input, which is meant by `-` or without FILE, goes to standard output.

  -z, --compress                  pack, whatever the program's name says
  -d, --decompress, --uncompress  unpack
  -t, --test                      only look for damage
  -l, --list                      show sizes, with -v each block
      --robot                     with -l: for programs to read
  -k, --keep                      the FILE stays
  -f, --force                     replace what is there; also links
  -c, --stdout, --to-stdout       to standard output; the FILE stays
  -0 ... -9, --fast, --best       from quick to small; usually -6
  -F, --format=FMT                auto, xz, or lzma, which is also called alone
  -q, --quiet                     no warnings; twice: no errors either
  -v, --verbose                   say what becomes of each FILE
  -h, -H, --help                  this text
  -V, --version                   the version

Accepted without effect: -C, --check, -e, --extreme, -M, --memlimit, --memlimit-decompress, -Q, --no-warn, -r,
-T, --threads, --block-size, --no-sparse.
";
const SUFFIXES: [(&[u8], &[u8]); 4] =
    [(b".xz", b""), (b".txz", b".tar"), (b".lzma", b""), (b".tlz", b".tar")];

/// Runs `xz`, or the program that the first argument names, and returns the exit status.
pub fn xz_main(args: Vec<Vec<u8>>) -> i32 {
    let called = args.first().map(Vec::as_slice).unwrap_or_default();
    let called = called.rsplit(|b| *b == b'/').next().unwrap_or_default();
    let names = ["xz", "unxz", "xzcat", "lzma", "unlzma", "lzcat"];
    let name = names.into_iter().find(|n| n.as_bytes() == called).unwrap_or("xz");
    let mut xz = Xz {
        name,
        mode: if matches!(name, "xz" | "lzma") { Mode::Compress } else { Mode::Decompress },
        format: if matches!(name, "lzma" | "unlzma" | "lzcat") { Format::Lzma } else { Format::Xz },
        stdout: matches!(name, "xzcat" | "lzcat"),
        keep: false,
        force: false,
        quiet: 0,
        verbose: 0,
        robot: false,
        not_listed: false,
        level: 6,
        status: 0,
    };
    match xz.options(args.get(1..).unwrap_or_default()) {
        Err(code) => out::finish("xz", code, 1),
        Ok(files) if xz.mode == Mode::List => xz.list(&files),
        Ok(mut files) => {
            if files.is_empty() {
                files.push(b"-".to_vec());
            }
            files.iter().for_each(|f| xz.file(f));
            xz.status
        }
    }
}

impl Xz {
    fn options(&mut self, args: &[Vec<u8>]) -> Result<Vec<Vec<u8>>, i32> {
        let spec = Spec { name: self.name, usage: HELP, options: OPTIONS, ..Spec::DEFAULT };
        let parsed = spec.read(args).map_err(|stop| match stop {
            Stop::Wrong(text) => {
                self.say(&text);
                self.say(format!("Try `{} --help' for more information.", self.name).as_bytes());
                1
            }
            Stop::Help => {
                out::put(HELP);
                0
            }
            Stop::Version => version(),
        })?;
        for given in &parsed.options {
            match given.id {
                "c" => self.stdout = true,
                "d" => self.mode = Mode::Decompress,
                "z" => self.mode = Mode::Compress,
                "t" => self.mode = Mode::Test,
                "f" => self.force = true,
                "k" => self.keep = true,
                "q" => self.quiet += 1,
                "v" => self.verbose += 1,
                "robot" => self.robot = true,
                "h" | "H" => {
                    out::put(HELP);
                    return Err(0);
                }
                "V" => return Err(version()),
                "F" => match given.text() {
                    b"xz" | b"auto" => (self.format, self.not_listed) = (Format::Xz, false),
                    b"lzma" | b"alone" => (self.format, self.not_listed) = (Format::Lzma, true),
                    other => {
                        self.say(&[other, b": Unknown file format type"].concat());
                        return Err(1);
                    }
                },
                "l" => self.mode = Mode::List,
                "S" => {
                    self.say(b"--suffix is not supported");
                    return Err(1);
                }
                digit => {
                    if let Ok(level) = digit.parse() {
                        self.level = level;
                    }
                }
            }
        }
        Ok(parsed.operands)
    }

    fn list(&mut self, files: &[Vec<u8>]) -> i32 {
        if self.not_listed {
            self.say(b"--list works only on .xz files (--format=xz or --format=auto)");
            return 1;
        }
        if self.verbose > 1 {
            self.say(b"--list with -vv is not supported");
            return 1;
        }
        let standard = vec![b"-".to_vec()];
        let files = if files.is_empty() { &standard } else { files };
        let mut lister = Lister::new(self.verbose > 0, self.robot);
        for (i, file) in files.iter().enumerate() {
            if file != b"-" {
                lister.begin(file, i + 1, files.len());
            }
            if file == b"-" {
                self.say(b"--list does not support reading from standard input");
                self.status = 1;
            } else if sys::stat(file, true).is_ok_and(|st| st.is_dir()) {
                self.warn(file, "Is a directory, skipping");
            } else if let Err(text) = lister.file(file) {
                out::flush();
                self.error(file, &text);
            }
        }
        lister.finish();
        out::finish(self.name, self.status, 1)
    }

    fn say(&self, text: &[u8]) {
        message::say(self.name, text);
    }

    fn warn(&mut self, file: &[u8], text: &str) {
        if self.quiet < 1 {
            self.say(&[file, b": ", text.as_bytes()].concat());
        }
        if self.status == 0 {
            self.status = 2;
        }
    }

    fn error(&mut self, file: &[u8], text: &str) {
        if self.quiet < 2 {
            self.say(&[file, b": ", text.as_bytes()].concat());
        }
        self.status = 1;
    }

    fn file(&mut self, file: &[u8]) {
        let sink = |mode| -> Box<dyn Write> {
            if mode == Mode::Test { Box::new(Nowhere) } else { Box::new(FdWriter(1)) }
        };
        if file == b"-" {
            if self.mode == Mode::Compress && sys::isatty(1) {
                self.status = 1;
                return self.say(b"Compressed data cannot be written to a terminal");
            }
            self.through(b"(stdin)", FdReader(0), sink(self.mode));
            return;
        }
        if file.is_empty() {
            self.status = 1;
            return self.say(b"Empty filename, skipping");
        }
        let to_stdout = self.stdout || self.mode == Mode::Test;
        let stat = match sys::stat(file, to_stdout || self.force) {
            Ok(stat) => stat,
            Err(e) => return self.error(file, &e.to_string()),
        };
        if stat.is_symlink() {
            return self.warn(file, "Is a symbolic link, skipping");
        }
        if stat.is_dir() {
            return self.warn(file, "Is a directory, skipping");
        }
        if !to_stdout {
            if !stat.is_file() {
                return self.warn(file, "Not a regular file, skipping");
            }
            if !self.force && stat.mode & 0o6000 != 0 {
                return self.warn(file, "File has setuid or setgid bit set, skipping");
            }
            if !self.force && stat.mode & 0o1000 != 0 {
                return self.warn(file, "File has sticky bit set, skipping");
            }
            if !self.force && !self.keep && stat.nlink > 1 {
                return self.warn(file, "Input file has more than one hard link, skipping");
            }
        }
        let from = match FdReader::open(file) {
            Ok(from) => from,
            Err(e) => return self.error(file, &e.to_string()),
        };
        if to_stdout {
            self.through(file, from, sink(self.mode));
            return;
        }
        let unsuitable = self.mode == Mode::Decompress && {
            let mut start = [0; LZMA_HEADER];
            let mut from = Borrowed(from.0);
            let n = read_full(&mut from, &mut start).unwrap_or(0);
            let _ = sys::lseek(from.0, 0, 0);
            known(start.get(..n).unwrap_or_default()).is_none()
        };
        if unsuitable && !SUFFIXES.iter().any(|(s, _)| file.ends_with(s)) {
            return self.error(file, "File format not recognized");
        }
        let Some(target) = self.target(file) else { return };
        let to = match single::create(&target, self.force) {
            Ok(to) => to,
            Err(e) => return self.error(&target, &e.to_string()),
        };
        if self.through(file, from, Box::new(to)) {
            single::keep_attributes(&target, &stat, None);
            if !self.keep {
                let _ = sys::unlink(file);
            }
        } else {
            let _ = sys::unlink(&target);
        }
    }

    fn target(&mut self, file: &[u8]) -> Option<Vec<u8>> {
        if self.mode == Mode::Compress {
            let (own, other): (&[u8], &[u8]) = match self.format {
                Format::Lzma => (b".lzma", b".tlz"),
                _ => (b".xz", b".txz"),
            };
            if let Some(suffix) = [own, other].iter().find(|s| file.ends_with(s)) {
                let text = format!("File already has `{}' suffix, skipping", String::from_utf8_lossy(suffix));
                self.warn(file, &text);
                return None;
            }
            return Some([file, own].concat());
        }
        for (suffix, instead) in SUFFIXES {
            if let Some(stem) = file.strip_suffix(suffix).filter(|s| !s.is_empty() && !s.ends_with(b"/")) {
                return Some([stem, instead].concat());
            }
        }
        self.warn(file, "Filename has an unknown suffix, skipping");
        None
    }

    fn through(&mut self, file: &[u8], from: FdReader, to: Box<dyn Write>) -> bool {
        let mut from = Counted::new(from);
        let mut to = Counted::new(to);
        let result = match self.mode {
            Mode::Compress => codec::writer(self.format, Some(self.level), &mut to)
                .map_err(Failure::Writing)
                .and_then(|mut sink| {
                    copy(&mut from, &mut *sink)?;
                    sink.finish().map_err(Failure::Writing)
                }),
            _ => self.unpack(&mut from, &mut to),
        };
        let (read, written) = (from.bytes, to.bytes);
        match result {
            Ok(()) => {
                if self.verbose > 0 {
                    let (packed, plain) =
                        if self.mode == Mode::Compress { (written, read) } else { (read, written) };
                    let text =
                        format!(": {packed} B / {plain} B = {:.3}\n", packed as f64 / plain.max(1) as f64);
                    let _ = sys::write_all(2, &[file, text.as_bytes()].concat());
                }
                true
            }
            Err(Failure::Writing(e)) => {
                if errno(&e) != Errno::PIPE {
                    let target = if self.stdout || file == b"(stdin)" { b"(stdout)" } else { file };
                    self.error(target, &format!("Write error: {}", errno(&e)));
                }
                self.status = 1;
                false
            }
            Err(Failure::Reading(e)) => {
                let text = match e.kind() {
                    _ if e.raw_os_error().is_some() => format!("Read error: {}", errno(&e)),
                    ErrorKind::UnexpectedEof => "Unexpected end of input".into(),
                    ErrorKind::InvalidInput if e.to_string() == "format" => {
                        "File format not recognized".into()
                    }
                    ErrorKind::OutOfMemory => "Memory usage limit reached".into(),
                    _ => "Compressed data is corrupt".into(),
                };
                self.error(file, &text);
                false
            }
        }
    }

    fn unpack(&self, from: &mut dyn Read, to: &mut dyn Write) -> Result<(), Failure> {
        let mut start = [0; LZMA_HEADER];
        let n = read_full(from, &mut start).map_err(Failure::Reading)?;
        let start = start.get(..n).unwrap_or_default().to_vec();
        let format = known(&start);
        let mut whole = Cursor::new(start).chain(from);
        let Some(format) = format else {
            if self.force && self.stdout && self.mode == Mode::Decompress {
                return copy(&mut whole, to).map(|_| ());
            }
            return Err(Failure::Reading(Error::new(ErrorKind::InvalidInput, "format")));
        };
        let mut reader = codec::reader(format, whole).map_err(Failure::Reading)?;
        copy(&mut *reader, to).map(|_| ())
    }
}

const LZMA_HEADER: usize = 13;

/// Detects which of the two formats a file has. The older one has no magic number, so its header must be plausible:
/// small properties, a dictionary of 2^n or 2^n + 2^(n-1) bytes, and less than 256 GiB of data if the size is known.
fn known(start: &[u8]) -> Option<Format> {
    if Format::detect(start) == Some(Format::Xz) {
        return Some(Format::Xz);
    }
    let [properties, rest @ ..] = *<&[u8; LZMA_HEADER]>::try_from(start).ok()?;
    let [d0, d1, d2, d3, size @ ..] = rest;
    let (dictionary, size) = (u32::from_le_bytes([d0, d1, d2, d3]), u64::from_le_bytes(size));
    let bits = dictionary.count_ones();
    let halves = bits == 2 && dictionary >> dictionary.trailing_zeros() == 3;
    (properties < 225
        && properties % 9 + properties / 9 % 5 <= 4
        && (dictionary == u32::MAX || bits == 1 || halves)
        && (size == u64::MAX || size < 1 << 38))
        .then_some(Format::Lzma)
}

/// A descriptor that is not closed here.
struct Borrowed(sys::Fd);

impl Read for Borrowed {
    fn read(&mut self, buf: &mut [u8]) -> std::io::Result<usize> {
        Ok(sys::read(self.0, buf)?)
    }
}

fn version() -> i32 {
    out::put("xz (XZ Utils) 5.4.1\nThis is sandshell's own program with the behaviour of that version.\n");
    0
}
