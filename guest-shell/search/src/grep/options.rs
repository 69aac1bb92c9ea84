//! The command line.

use super::colors::Colors;
use super::exclude::Exclude;
use crate::args::{self, Arg, Long, Value};
use crate::out::message;
use sandshell_cli::bytes;
use sandshell_cli::input;
use sandshell_cli::quote::quote;
use sandshell_posix::locale;
use sandshell_sys as sys;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Basic,
    Extended,
    Fixed,
    Perl,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Binary {
    Message,
    Text,
    WithoutMatch,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Directories {
    Read,
    Recurse,
    Skip,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum List {
    No,
    Matching,
    NotMatching,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Devices {
    /// Read devices named on the command line, skip those found while recursing.
    Default,
    Read,
    Skip,
}

pub(crate) struct Options {
    pub(crate) kind: Kind,
    pub(crate) patterns: Vec<Vec<u8>>,
    pub(crate) files: Vec<Vec<u8>>,
    pub(crate) icase: bool,
    pub(crate) invert: bool,
    pub(crate) word: bool,
    pub(crate) line: bool,
    pub(crate) count: bool,
    pub(crate) list: List,
    pub(crate) max: Option<u64>,
    pub(crate) only: bool,
    pub(crate) quiet: bool,
    pub(crate) silent: bool,
    pub(crate) offset: bool,
    pub(crate) numbers: bool,
    /// `-H` or `-h`.
    pub(crate) names: Option<bool>,
    pub(crate) label: Option<Vec<u8>>,
    pub(crate) tab: bool,
    pub(crate) null_names: bool,
    pub(crate) terminator: u8,
    pub(crate) after: Option<u64>,
    pub(crate) before: Option<u64>,
    pub(crate) separator: Option<Vec<u8>>,
    pub(crate) binary: Binary,
    pub(crate) devices: Devices,
    pub(crate) directories: Directories,
    pub(crate) follow: bool,
    pub(crate) line_buffered: bool,
    pub(crate) colors: Option<Colors>,
    /// The exclusions for names on the command line, and those for names found in directories.
    pub(crate) exclude: [Exclude; 2],
    pub(crate) exclude_dir: [Exclude; 2],
    /// Whether to recurse without operands. Names are then printed without `./`.
    pub(crate) implied_dot: bool,
    pub(crate) bytes: bool,
}

impl Options {
    /// Whether no line can be selected, so that no file must be read.
    pub(crate) fn selects_nothing(&self) -> bool {
        let all_match = !self.line && !self.word && self.patterns.iter().any(Vec::is_empty);
        let none_selected = if self.patterns.is_empty() { !self.invert } else { self.invert && all_match };
        none_selected && self.list != List::NotMatching
    }

    /// Whether no lines are printed.
    pub(crate) fn no_lines(&self) -> bool {
        self.count || self.quiet || self.list != List::No
    }

    /// Whether the first selected line decides about a file.
    pub(crate) fn first_only(&self) -> bool {
        self.quiet || self.list != List::No
    }
}

pub(crate) enum Parsed {
    Run(Box<Options>),
    Text(String),
}

const LONG: &[Long] = &[
    ("basic-regexp", Value::None, b'G' as u32),
    ("extended-regexp", Value::None, b'E' as u32),
    ("fixed-regexp", Value::None, b'F' as u32),
    ("fixed-strings", Value::None, b'F' as u32),
    ("perl-regexp", Value::None, b'P' as u32),
    ("after-context", Value::Required, b'A' as u32),
    ("before-context", Value::Required, b'B' as u32),
    ("binary-files", Value::Required, 256),
    ("binary", Value::None, b'U' as u32),
    ("byte-offset", Value::None, b'b' as u32),
    ("context", Value::Required, b'C' as u32),
    ("color", Value::Optional, 257),
    ("colour", Value::Optional, 257),
    ("count", Value::None, b'c' as u32),
    ("devices", Value::Required, b'D' as u32),
    ("directories", Value::Required, b'd' as u32),
    ("exclude", Value::Required, 258),
    ("exclude-from", Value::Required, 259),
    ("exclude-dir", Value::Required, 260),
    ("file", Value::Required, b'f' as u32),
    ("files-with-matches", Value::None, b'l' as u32),
    ("files-without-match", Value::None, b'L' as u32),
    ("group-separator", Value::Required, 261),
    ("help", Value::None, 262),
    ("include", Value::Required, 263),
    ("ignore-case", Value::None, b'i' as u32),
    ("no-ignore-case", Value::None, 264),
    ("initial-tab", Value::None, b'T' as u32),
    ("label", Value::Required, 265),
    ("line-buffered", Value::None, 266),
    ("line-number", Value::None, b'n' as u32),
    ("line-regexp", Value::None, b'x' as u32),
    ("max-count", Value::Required, b'm' as u32),
    ("no-filename", Value::None, b'h' as u32),
    ("no-group-separator", Value::None, 267),
    ("no-messages", Value::None, b's' as u32),
    ("null", Value::None, b'Z' as u32),
    ("null-data", Value::None, b'z' as u32),
    ("only-matching", Value::None, b'o' as u32),
    ("quiet", Value::None, b'q' as u32),
    ("recursive", Value::None, b'r' as u32),
    ("dereference-recursive", Value::None, b'R' as u32),
    ("regexp", Value::Required, b'e' as u32),
    ("invert-match", Value::None, b'v' as u32),
    ("silent", Value::None, b'q' as u32),
    ("text", Value::None, b'a' as u32),
    ("unix-byte-offsets", Value::None, b'u' as u32),
    ("version", Value::None, b'V' as u32),
    ("with-filename", Value::None, b'H' as u32),
    ("word-regexp", Value::None, b'w' as u32),
];

const SHORT: &str = "0123456789A:B:C:D:EFGHILPTUVX:abcd:e:f:hiLlm:noqRrsuvwxyZz";

const USAGE: &str = "Usage: grep [OPTION]... PATTERNS [FILE]...\n";

fn usage(problem: Option<&[u8]>) -> i32 {
    if let Some(text) = problem {
        message("grep", text);
    }
    let _ = sys::write_all(2, USAGE.as_bytes());
    let _ = sys::write_all(2, b"Try 'grep --help' for more information.\n");
    2
}

fn fail(text: &[u8]) -> i32 {
    message("grep", text);
    2
}

/// Parses the command line. On errors the message is printed, and the error is the exit status.
pub(crate) fn parse(args: &[Vec<u8>]) -> Result<Parsed, i32> {
    let name = args.first().map(Vec::as_slice).unwrap_or_default();
    let name = name.rsplit(|b| *b == b'/').next().unwrap_or_default();
    let permute = std::env::var_os("POSIXLY_CORRECT").is_none();
    let (items, problem) = args::parse(args.get(1..).unwrap_or_default(), SHORT, LONG, permute);
    let mut s = State::new(match name {
        b"egrep" => Some(Kind::Extended),
        b"fgrep" => Some(Kind::Fixed),
        _ => None,
    });
    for item in items {
        match item {
            Arg::Operand(f) => s.o.files.push(f),
            Arg::Option(id, value, index) => {
                if let Some(text) = s.option(id, &value.unwrap_or_default(), index)? {
                    return Ok(Parsed::Text(text));
                }
            }
        }
    }
    if let Some(text) = problem {
        return Err(usage(Some(&text)));
    }
    s.finish()
}

struct State {
    o: Options,
    keys: Option<Vec<u8>>,
    kind: Option<Kind>,
    context: Option<u64>,
    digits: (usize, Vec<u8>),
    color: bool,
}

impl State {
    fn new(kind: Option<Kind>) -> Self {
        let o = Options {
            kind: Kind::Basic,
            patterns: Vec::new(),
            files: Vec::new(),
            icase: false,
            invert: false,
            word: false,
            line: false,
            count: false,
            list: List::No,
            max: None,
            only: false,
            quiet: false,
            silent: false,
            offset: false,
            numbers: false,
            names: None,
            label: None,
            tab: false,
            null_names: false,
            terminator: b'\n',
            after: None,
            before: None,
            separator: Some(b"--".to_vec()),
            binary: Binary::Message,
            devices: Devices::Default,
            directories: Directories::Read,
            follow: false,
            line_buffered: false,
            colors: None,
            exclude: Default::default(),
            exclude_dir: Default::default(),
            implied_dot: false,
            bytes: locale::is_bytes(),
        };
        Self { o, keys: None, kind, context: None, digits: (0, Vec::new()), color: false }
    }

    fn option(&mut self, id: u32, value: &[u8], index: usize) -> Result<Option<String>, i32> {
        let o = &mut self.o;
        match id {
            0x30..=0x39 => {
                if self.digits.0 != index {
                    self.digits = (index, Vec::new());
                }
                self.digits.1.push(id as u8);
                self.context = Some(context(&self.digits.1)?);
            }
            0x41 => o.after = Some(context(value)?),
            0x42 => o.before = Some(context(value)?),
            0x43 => self.context = Some(context(value)?),
            0x44 => {
                o.devices = match value {
                    b"read" => Devices::Read,
                    b"skip" => Devices::Skip,
                    _ => return Err(fail(b"unknown devices method")),
                }
            }
            0x45 => self.set_kind(Kind::Extended)?,
            0x46 => self.set_kind(Kind::Fixed)?,
            0x47 => self.set_kind(Kind::Basic)?,
            0x50 => self.set_kind(Kind::Perl)?,
            0x58 => match value {
                b"egrep" | b"awk" | b"gawk" | b"posixawk" => self.set_kind(Kind::Extended)?,
                b"fgrep" => self.set_kind(Kind::Fixed)?,
                b"grep" => self.set_kind(Kind::Basic)?,
                b"perl" => self.set_kind(Kind::Perl)?,
                _ => return Err(fail(&bytes!("invalid matcher ", value))),
            },
            0x48 => o.names = Some(true),
            0x49 => o.binary = Binary::WithoutMatch,
            0x54 => o.tab = true,
            // No effect: text and binary files are read the same way here.
            0x55 => {}
            0x75 => message("grep", b"warning: --unix-byte-offsets (-u) is obsolete"),
            0x56 => return Ok(Some(VERSION.into())),
            0x61 => o.binary = Binary::Text,
            0x62 => o.offset = true,
            0x63 => o.count = true,
            0x64 => {
                o.directories = directories(value)?;
                o.follow = false;
            }
            0x65 => self.add_key(value),
            0x66 => {
                let text = read_file(value)?;
                if !text.is_empty() {
                    self.add_key(text.strip_suffix(b"\n").unwrap_or(&text));
                } else if self.keys.is_none() {
                    self.keys = Some(Vec::new());
                    self.o.patterns.clear();
                }
            }
            0x68 => o.names = Some(false),
            0x69 | 0x79 => o.icase = true,
            264 => o.icase = false,
            0x4c => o.list = List::NotMatching,
            0x6c => o.list = List::Matching,
            0x6d => o.max = Some(max_count(value)?).filter(|m| *m < u64::MAX),
            0x6e => o.numbers = true,
            0x6f => o.only = true,
            0x71 => o.quiet = true,
            0x52 | 0x72 => {
                o.directories = Directories::Recurse;
                o.follow = id == 0x52;
                // When it follows links, GNU grep reads devices too.
                if o.follow && o.devices == Devices::Default {
                    o.devices = Devices::Read;
                }
            }
            0x73 => o.silent = true,
            0x76 => o.invert = true,
            0x77 => o.word = true,
            0x78 => o.line = true,
            0x5a => o.null_names = true,
            0x7a => o.terminator = 0,
            256 => {
                o.binary = match value {
                    b"binary" => Binary::Message,
                    b"text" => Binary::Text,
                    b"without-match" => Binary::WithoutMatch,
                    _ => return Err(fail(b"unknown binary-files type")),
                }
            }
            257 => {
                self.color = match value {
                    b"always" | b"yes" | b"force" => true,
                    b"never" | b"no" | b"none" => false,
                    b"" | b"auto" | b"tty" | b"if-tty" => {
                        let term = std::env::var_os("TERM");
                        sys::isatty(1) && term.is_some_and(|t| t != "dumb")
                    }
                    _ => return Ok(Some(HELP.into())),
                }
            }
            258 | 263 => {
                for e in &mut o.exclude {
                    e.add(value, id == 263);
                }
            }
            259 => {
                for line in read_file(value)?.split(|b| *b == b'\n').filter(|l| !l.is_empty()) {
                    for e in &mut self.o.exclude {
                        e.add(line, false);
                    }
                }
            }
            260 => {
                let mut v = value;
                while v.len() > 1
                    && let Some(shorter) = v.strip_suffix(b"/")
                {
                    v = shorter;
                }
                for e in &mut o.exclude_dir {
                    e.add(v, false);
                }
            }
            261 => o.separator = Some(value.to_vec()),
            267 => o.separator = None,
            262 => return Ok(Some(HELP.into())),
            265 => o.label = Some(value.to_vec()),
            266 => o.line_buffered = true,
            _ => return Err(usage(None)),
        }
        Ok(None)
    }

    fn set_kind(&mut self, kind: Kind) -> Result<(), i32> {
        if self.kind.is_some_and(|k| k != kind) {
            return Err(fail(b"conflicting matchers specified"));
        }
        self.kind = Some(kind);
        Ok(())
    }

    fn add_key(&mut self, key: &[u8]) {
        let keys = self.keys.get_or_insert_default();
        keys.extend_from_slice(key);
        keys.push(b'\n');
    }

    fn finish(mut self) -> Result<Parsed, i32> {
        let keys = match self.keys {
            Some(k) => k,
            None if self.o.files.is_empty() => return Err(usage(None)),
            None => {
                let mut k = self.o.files.remove(0);
                k.push(b'\n');
                k
            }
        };
        self.o.patterns = match keys.strip_suffix(b"\n") {
            Some(k) => k.split(|b| *b == b'\n').map(<[u8]>::to_vec).collect(),
            None => Vec::new(),
        };
        let o = &mut self.o;
        o.kind = self.kind.unwrap_or(Kind::Basic);
        o.after = o.after.or(self.context);
        o.before = o.before.or(self.context);
        if self.color {
            o.colors = Some(Colors::from_env());
        }
        if o.files.is_empty() {
            o.implied_dot = o.directories == Directories::Recurse;
            o.files.push(if o.implied_dot { b".".to_vec() } else { b"-".to_vec() });
        }
        if o.quiet {
            o.list = List::No;
        }
        Ok(Parsed::Run(Box::new(self.o)))
    }
}

fn context(value: &[u8]) -> Result<u64, i32> {
    let text = String::from_utf8_lossy(value);
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
        return Err(fail(&bytes!(value, ": invalid context length argument")));
    }
    Ok(text.parse().unwrap_or(u64::MAX))
}

fn max_count(value: &[u8]) -> Result<u64, i32> {
    let text = String::from_utf8_lossy(value);
    let (negative, digits) = match text.strip_prefix('-') {
        Some(d) => (true, d),
        None => (false, text.as_ref()),
    };
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(fail(b"invalid max count"));
    }
    Ok(if negative { u64::MAX } else { digits.parse().unwrap_or(u64::MAX) })
}

fn directories(value: &[u8]) -> Result<Directories, i32> {
    let all = [("read", Directories::Read), ("recurse", Directories::Recurse), ("skip", Directories::Skip)];
    let mut like = all.iter().filter(|(n, _)| n.as_bytes().starts_with(value));
    let problem = match (like.next(), like.next()) {
        (Some((_, d)), None) => return Ok(*d),
        (Some(_), Some(_)) => "ambiguous",
        _ => "invalid",
    };
    let quoted = quote(value);
    let option = quote(b"--directories");
    message("grep", &bytes!(problem, " argument ", quoted, " for ", option));
    let mut text = b"Valid arguments are:\n".to_vec();
    for (n, _) in all {
        text.extend(bytes!("  - ", quote(n.as_bytes()), "\n"));
    }
    let _ = sys::write_all(2, &text);
    usage(None);
    Err(1)
}

fn read_file(name: &[u8]) -> Result<Vec<u8>, i32> {
    input::contents(name).map_err(|e| fail(&bytes!(name, ": ", e.to_string())))
}

const VERSION: &str =
    "grep (GNU grep) 3.8\nThis is sandshell's own grep, which behaves as that version does.\n";

const HELP: &str = "\
Usage: grep [OPTION]... PATTERNS [FILE]...
Shows the lines that a pattern matches. PATTERNS are separated by newlines; the first argument is that if neither -e nor
-f gives any. `-` is standard input, and so is no FILE, or with -r the working directory.

What patterns are:
  -G, --basic-regexp             basic regular expressions, as usual
  -E, --extended-regexp          extended ones
  -P, --perl-regexp              Perl's
  -F, --fixed-strings, --fixed-regexp   texts
  -X MATCHER                     grep, egrep, fgrep, perl, awk, gawk or posixawk
  -e, --regexp=PATTERNS          these; several are possible
  -f, --file=FILE                the lines of FILE
  -i, -y, --ignore-case          upper and lower case are the same; --no-ignore-case: they are not, as usual
  -w, --word-regexp              only whole words match
  -x, --line-regexp              only whole lines match

Which lines:
  -v, --invert-match             those that do not match
  -m, --max-count=NUM            no more than NUM in a file
  -A, --after-context=NUM        and NUM lines after each
  -B, --before-context=NUM       and NUM lines before each
  -C, -NUM, --context=NUM        both
      --group-separator=SEP      SEP instead of `--` between them; --no-group-separator: nothing
  -z, --null-data                lines end in a zero byte

What is shown:
  -o, --only-matching            just the parts that match
  -c, --count                    how many lines
  -l, --files-with-matches       which files have such lines
  -L, --files-without-match      which have none
  -q, --quiet, --silent          nothing: the first line ends it
  -s, --no-messages              no errors about files that cannot be read
  -n, --line-number              each line's number
  -b, --byte-offset              where it begins
  -H, --with-filename            the file's name, as with several files; -h, --no-filename: never
      --label=LABEL              LABEL for standard input
  -T, --initial-tab              a tab before the line
  -Z, --null                     a zero byte behind names
      --color, --colour[=WHEN]   colours: always, never or auto
      --line-buffered            each line at once

Which files:
  -r, --recursive                all in directories
  -R, --dereference-recursive    the same behind symbolic links
  -d, --directories=ACTION       read, recurse or skip
  -D, --devices=ACTION           read or skip
      --include=GLOB             only with such names
      --exclude=GLOB             not with such names; --exclude-from=FILE has many
      --exclude-dir=GLOB         no directories with such names
  -a, --text                     binary files are text
  -I                             they match nothing
      --binary-files=TYPE        text, without-match, or binary: only say that they match

      --help                     this text
  -V, --version                  the version

Accepted without effect: -u, --unix-byte-offsets, -U, --binary.
Exit status: 0 with a line found, 1 without, 2 after an error.
";
