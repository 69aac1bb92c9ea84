//! The command line.

use super::colors::Colors;
use super::exclude::Exclude;
use crate::out::message;
use sandshell_cli::bytes;
use sandshell_cli::input;
use sandshell_cli::options::{Given, Spec, hidden, listed};
use sandshell_cli::quote::quote;
use sandshell_posix::{locale, path};
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
    Text(&'static str),
}

const SPEC: Spec = Spec {
    name: "grep",
    options: &[
        listed(HELP),
        hidden("", "-0, -1, -2, -3, -4, -5, -6, -7, -8, -9"),
        hidden("no-ignore-case", "--no-ignore-case"),
        hidden("h", "-h, --no-filename"),
        hidden("no-group-separator", "--no-group-separator"),
        hidden("exclude-from", "--exclude-from=FILE"),
        hidden("u", "-u, --unix-byte-offsets"),
        hidden("U", "-U, --binary"),
    ],
    ties: &[
        "basic-regexp",
        "extended-regexp",
        "fixed-regexp",
        "fixed-strings",
        "perl-regexp",
        "after-context",
        "before-context",
        "binary-files",
        "binary",
        "byte-offset",
        "context",
        "color",
        "colour",
        "count",
        "devices",
        "directories",
        "exclude",
        "exclude-from",
        "exclude-dir",
        "file",
        "files-with-matches",
        "files-without-match",
        "group-separator",
        "help",
        "include",
        "ignore-case",
        "no-ignore-case",
        "initial-tab",
        "label",
        "line-buffered",
        "line-number",
        "line-regexp",
        "max-count",
        "no-filename",
        "no-group-separator",
        "no-messages",
        "null",
        "null-data",
        "only-matching",
        "quiet",
        "recursive",
        "dereference-recursive",
        "regexp",
        "invert-match",
        "silent",
        "text",
        "unix-byte-offsets",
        "version",
        "with-filename",
        "word-regexp",
    ],
    ..Spec::DEFAULT
};

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
    let parsed = SPEC.parse_all(args.get(1..).unwrap_or_default())?;
    let mut s = State::new(match name {
        b"egrep" => Some(Kind::Extended),
        b"fgrep" => Some(Kind::Fixed),
        _ => None,
    });
    s.o.files = parsed.operands;
    for g in &parsed.options {
        if let Some(text) = s.option(g)? {
            return Ok(Parsed::Text(text));
        }
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

    fn option(&mut self, g: &Given) -> Result<Option<&'static str>, i32> {
        let value = g.text();
        let o = &mut self.o;
        match g.id {
            digit if digit.bytes().all(|b| b.is_ascii_digit()) => {
                if self.digits.0 != g.word {
                    self.digits = (g.word, Vec::new());
                }
                self.digits.1.extend_from_slice(digit.as_bytes());
                self.context = Some(context(&self.digits.1)?);
            }
            "A" => o.after = Some(context(value)?),
            "B" => o.before = Some(context(value)?),
            "C" => self.context = Some(context(value)?),
            "D" => o.devices = devices(value)?,
            "E" => self.set_kind(Kind::Extended)?,
            "F" => self.set_kind(Kind::Fixed)?,
            "G" => self.set_kind(Kind::Basic)?,
            "P" => self.set_kind(Kind::Perl)?,
            "X" => self.set_kind(matcher(value)?)?,
            "H" => o.names = Some(true),
            "I" => o.binary = Binary::WithoutMatch,
            "T" => o.tab = true,
            // No effect: text and binary files are read the same way here.
            "U" => {}
            "u" => message("grep", b"warning: --unix-byte-offsets (-u) is obsolete"),
            "V" => return Ok(Some(VERSION)),
            "a" => o.binary = Binary::Text,
            "b" => o.offset = true,
            "c" => o.count = true,
            "d" => {
                o.directories = directories(value)?;
                o.follow = false;
            }
            "e" => self.add_key(value),
            "f" => self.keys_from(value)?,
            "h" => o.names = Some(false),
            "i" => o.icase = true,
            "no-ignore-case" => o.icase = false,
            "L" => o.list = List::NotMatching,
            "l" => o.list = List::Matching,
            "m" => o.max = Some(max_count(value)?).filter(|m| *m < u64::MAX),
            "n" => o.numbers = true,
            "o" => o.only = true,
            "q" => o.quiet = true,
            "r" => (o.directories, o.follow) = (Directories::Recurse, false),
            "R" => {
                (o.directories, o.follow) = (Directories::Recurse, true);
                // When it follows links, GNU grep reads devices too.
                if o.devices == Devices::Default {
                    o.devices = Devices::Read;
                }
            }
            "s" => o.silent = true,
            "v" => o.invert = true,
            "w" => o.word = true,
            "x" => o.line = true,
            "Z" => o.null_names = true,
            "z" => o.terminator = 0,
            "binary-files" => o.binary = binary_files(value)?,
            "color" => match value {
                b"always" | b"yes" | b"force" => self.color = true,
                b"never" | b"no" | b"none" => self.color = false,
                b"" | b"auto" | b"tty" | b"if-tty" => {
                    let term = std::env::var_os("TERM");
                    self.color = sys::isatty(1) && term.is_some_and(|t| t != "dumb");
                }
                _ => return Ok(Some(HELP)),
            },
            "exclude" | "include" => o.exclude.iter_mut().for_each(|e| e.add(value, g.id == "include")),
            "exclude-from" => {
                for line in read_file(value)?.split(|b| *b == b'\n').filter(|l| !l.is_empty()) {
                    o.exclude.iter_mut().for_each(|e| e.add(line, false));
                }
            }
            "exclude-dir" => {
                let name = path::trim_slashes(value);
                o.exclude_dir.iter_mut().for_each(|e| e.add(name, false));
            }
            "group-separator" => o.separator = Some(value.to_vec()),
            "no-group-separator" => o.separator = None,
            "help" => return Ok(Some(HELP)),
            "label" => o.label = Some(value.to_vec()),
            "line-buffered" => o.line_buffered = true,
            _ => return Err(usage(Some(value))),
        }
        Ok(None)
    }

    /// Patterns from the lines of a file.
    fn keys_from(&mut self, file: &[u8]) -> Result<(), i32> {
        let text = read_file(file)?;
        if !text.is_empty() {
            self.add_key(text.strip_suffix(b"\n").unwrap_or(&text));
        } else if self.keys.is_none() {
            self.keys = Some(Vec::new());
            self.o.patterns.clear();
        }
        Ok(())
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

fn devices(value: &[u8]) -> Result<Devices, i32> {
    match value {
        b"read" => Ok(Devices::Read),
        b"skip" => Ok(Devices::Skip),
        _ => Err(fail(b"unknown devices method")),
    }
}

fn matcher(value: &[u8]) -> Result<Kind, i32> {
    match value {
        b"egrep" | b"awk" | b"gawk" | b"posixawk" => Ok(Kind::Extended),
        b"fgrep" => Ok(Kind::Fixed),
        b"grep" => Ok(Kind::Basic),
        b"perl" => Ok(Kind::Perl),
        _ => Err(fail(&bytes!("invalid matcher ", value))),
    }
}

fn binary_files(value: &[u8]) -> Result<Binary, i32> {
    match value {
        b"binary" => Ok(Binary::Message),
        b"text" => Ok(Binary::Text),
        b"without-match" => Ok(Binary::WithoutMatch),
        _ => Err(fail(b"unknown binary-files type")),
    }
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
  -C, --context=NUM              both; as a short form -NUM
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
      --color[=WHEN], --colour[=WHEN]  colours: always, never or auto
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
