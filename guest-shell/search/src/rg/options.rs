//! The command line.

use grep_matcher::LineTerminator;
use sandshell_cli::input;
use sandshell_cli::options::{Given, Order, Spec, hidden, listed};
use sandshell_sys as sys;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mode {
    Lines,
    Count,
    CountMatches,
    Names,
    NamesWithout,
    Json,
    Files,
    Types,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Case {
    Sensitive,
    Insensitive,
    Smart,
}

/// A timestamp of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ByTime {
    Modified,
    Accessed,
}

pub(crate) struct Options {
    pub(crate) mode: Mode,
    pub(crate) patterns: Vec<Vec<u8>>,
    pub(crate) paths: Vec<Vec<u8>>,
    /// Whether no path was given.
    pub(crate) implicit_path: bool,
    pub(crate) case: Case,
    pub(crate) fixed: bool,
    pub(crate) perl: bool,
    pub(crate) word: bool,
    pub(crate) line: bool,
    pub(crate) invert: bool,
    pub(crate) multiline: bool,
    pub(crate) dotall: bool,
    pub(crate) unicode: bool,
    pub(crate) crlf: bool,
    pub(crate) null_data: bool,
    pub(crate) text: bool,
    pub(crate) binary: bool,
    pub(crate) before: usize,
    pub(crate) after: usize,
    pub(crate) passthru: bool,
    pub(crate) max_count: Option<u64>,
    pub(crate) stop_on_nonmatch: bool,
    pub(crate) only: bool,
    pub(crate) replace: Option<Vec<u8>>,
    pub(crate) numbers: bool,
    pub(crate) names: Option<bool>,
    pub(crate) heading: bool,
    pub(crate) column: bool,
    pub(crate) offset: bool,
    pub(crate) vimgrep: bool,
    pub(crate) trim: bool,
    pub(crate) null: bool,
    pub(crate) color: bool,
    pub(crate) max_columns: Option<usize>,
    pub(crate) preview: bool,
    pub(crate) match_separator: Vec<u8>,
    pub(crate) context_field_separator: Vec<u8>,
    pub(crate) context_separator: Option<Vec<u8>>,
    pub(crate) path_separator: Option<u8>,
    pub(crate) include_zero: bool,
    pub(crate) quiet: bool,
    pub(crate) stats: bool,
    pub(crate) messages: bool,
    pub(crate) line_buffered: bool,
    // The following fields select what to search.
    pub(crate) globs: Vec<(String, bool)>,
    pub(crate) glob_icase: bool,
    pub(crate) types: Vec<TypeChange>,
    pub(crate) hidden: bool,
    pub(crate) follow: bool,
    pub(crate) max_depth: Option<usize>,
    pub(crate) max_size: Option<u64>,
    pub(crate) one_device: bool,
    pub(crate) reverse: bool,
    /// Sort files by one of their timestamps.
    pub(crate) by_time: Option<ByTime>,
    /// How many times -u was given.
    pub(crate) unrestricted: u32,
    pub(crate) no_ignore: bool,
    pub(crate) no_ignore_dot: bool,
    pub(crate) no_ignore_vcs: bool,
    pub(crate) no_ignore_exclude: bool,
    pub(crate) no_ignore_global: bool,
    pub(crate) no_ignore_parent: bool,
    pub(crate) no_ignore_files: bool,
    pub(crate) require_git: bool,
    pub(crate) ignore_icase: bool,
    pub(crate) ignore_files: Vec<Vec<u8>>,
}

pub(crate) enum TypeChange {
    Select(String),
    Negate(String),
    Clear(String),
    Add(String),
}

pub(crate) enum Parsed {
    Run(Box<Options>),
    Text(&'static str),
}

const SPEC: Spec = Spec {
    name: "rg",
    options: &[
        listed(HELP),
        // What undoes others.
        hidden("", "--no-binary, --no-byte-offset, --no-column, --no-context-separator, --no-crlf"),
        hidden("", "--no-fixed-strings, --no-follow, --no-glob-case-insensitive, --no-heading, --no-hidden"),
        hidden("", "--no-ignore-file-case-insensitive, --no-include-zero, --no-invert-match, --no-json"),
        hidden(
            "",
            "--no-line-buffered, --no-max-columns-preview, --no-multiline, --no-multiline-dotall, --ignore",
        ),
        hidden(
            "",
            "--ignore-dot, --ignore-exclude, --ignore-files, --ignore-global, --ignore-parent, --ignore-vcs",
        ),
        hidden("", "--messages, --require-git, --unicode, --pcre2-unicode, --no-one-file-system, --no-pcre2"),
        hidden("", "--no-stats, --no-text, --no-trim"),
        // What has no effect here: threads, memory maps, buffers, limits, debugging.
        hidden(
            "none",
            "--auto-hybrid-regex, --no-auto-hybrid-regex, --block-buffered, --no-block-buffered, --debug",
        ),
        hidden("none", "--trace, --no-encoding, --mmap, --no-mmap, --no-config, --no-ignore-messages"),
        hidden("none", "--ignore-messages, --no-pre, --no-search-zip, --sort-files, --no-sort-files"),
        hidden(
            "none",
            "--colors=X, --dfa-size-limit=X, --hostname-bin=X, --hyperlink-format=X, --pre-glob=X",
        ),
        hidden("none", "--regex-size-limit=X"),
        hidden("none", "-j N, --threads=N"),
        hidden("E", "-E X, --encoding=X"),
        hidden("z", "-z, --search-zip"),
        hidden("refused", "--pcre2-version"),
        hidden("", "--pre=X, --generate=X"),
    ],
    // POSIXLY_CORRECT has no effect here.
    order: Order::InPlace,
    ..Spec::DEFAULT
};

fn defaults() -> Options {
    Options {
        mode: Mode::Lines,
        patterns: Vec::new(),
        paths: Vec::new(),
        implicit_path: false,
        case: Case::Sensitive,
        fixed: false,
        perl: false,
        word: false,
        line: false,
        invert: false,
        multiline: false,
        dotall: false,
        unicode: true,
        crlf: false,
        null_data: false,
        text: false,
        binary: false,
        before: 0,
        after: 0,
        passthru: false,
        max_count: None,
        stop_on_nonmatch: false,
        only: false,
        replace: None,
        numbers: false,
        names: None,
        heading: false,
        column: false,
        offset: false,
        vimgrep: false,
        trim: false,
        null: false,
        color: false,
        max_columns: None,
        preview: false,
        match_separator: b":".to_vec(),
        context_field_separator: b"-".to_vec(),
        context_separator: Some(b"--".to_vec()),
        path_separator: None,
        include_zero: false,
        quiet: false,
        stats: false,
        messages: true,
        line_buffered: false,
        globs: Vec::new(),
        glob_icase: false,
        types: Vec::new(),
        hidden: false,
        follow: false,
        max_depth: None,
        max_size: None,
        one_device: false,
        reverse: false,
        by_time: None,
        unrestricted: 0,
        no_ignore: false,
        no_ignore_dot: false,
        no_ignore_vcs: false,
        no_ignore_exclude: false,
        no_ignore_global: false,
        no_ignore_parent: false,
        no_ignore_files: false,
        require_git: true,
        ignore_icase: false,
        ignore_files: Vec::new(),
    }
}

/// Parses the command line.
///
/// # Errors
/// The text of the message, without `rg: `.
pub(crate) fn parse(argv: &[Vec<u8>]) -> Result<Parsed, String> {
    let parsed = SPEC.parse_all(argv).map_err(|_| String::new())?;
    if let Some(problem) = parsed.options.iter().find(|g| g.id == "?") {
        return Err(rephrase(&String::from_utf8_lossy(problem.text())));
    }
    let mut s = State { o: defaults(), keys: None, context: None, number: None, heading: None, column: None };
    let mut operands = Vec::new();
    for g in &parsed.options {
        if g.id.is_empty() {
            operands.push(g.text().to_vec());
        } else if let Some(text) = s.option(g)? {
            return Ok(Parsed::Text(text));
        }
    }
    operands.extend(parsed.operands);
    s.finish(operands).map(|o| Parsed::Run(Box::new(o)))
}

// Turns getopt's message into ripgrep's.
fn rephrase(text: &str) -> String {
    if let Some(name) = text.strip_prefix("unrecognized option '") {
        let name = name.trim_end_matches('\'');
        return format!("unrecognized flag {}", name.split('=').next().unwrap_or(name));
    }
    if let Some(name) = text.strip_prefix("invalid option -- '") {
        return format!("unrecognized flag -{}", name.trim_end_matches('\''));
    }
    if let Some(name) = text.strip_prefix("option requires an argument -- '") {
        return format!(
            "missing value for flag -{}: missing argument for option '-{0}'",
            name.trim_end_matches('\'')
        );
    }
    if let Some(name) = text.strip_prefix("option '").and_then(|t| t.strip_suffix("' requires an argument")) {
        return format!("missing value for flag {name}: missing argument for option '{name}'");
    }
    text.to_string()
}

struct State {
    o: Options,
    keys: Option<Vec<Vec<u8>>>,
    context: Option<usize>,
    number: Option<bool>,
    heading: Option<bool>,
    column: Option<bool>,
}

impl State {
    fn option(&mut self, g: &Given) -> Result<Option<&'static str>, String> {
        let value = g.text();
        let text = || String::from_utf8_lossy(value).into_owned();
        let o = &mut self.o;
        match g.id {
            "none" => {}
            // If both one of these and `--passthru` are given, the last one counts.
            "A" => (o.after, o.passthru) = (count("-A", value)?, false),
            "B" => (o.before, o.passthru) = (count("-B", value)?, false),
            "C" => (self.context, o.passthru) = (Some(count("-C", value)?), false),
            "E" => encoding(&text())?,
            "F" => o.fixed = true,
            "H" => o.names = Some(true),
            "I" => o.names = Some(false),
            "L" => o.follow = true,
            "M" => o.max_columns = Some(count("-M", value)?).filter(|n| *n > 0),
            "N" => self.number = Some(false),
            "P" => o.perl = true,
            "S" => o.case = Case::Smart,
            "T" => o.types.push(TypeChange::Negate(text())),
            "U" => o.multiline = true,
            "V" => return Ok(Some(VERSION)),
            "a" => o.text = true,
            "b" => o.offset = true,
            "c" => o.mode = Mode::Count,
            "d" => o.max_depth = Some(count("-d", value)?),
            "e" => self.keys.get_or_insert_default().push(value.to_vec()),
            "f" => {
                let lines = pattern_file(value)?;
                self.keys.get_or_insert_default().extend(lines);
            }
            "g" => o.globs.push((text(), false)),
            "h" => return Ok(Some(HELP)),
            "i" => o.case = Case::Insensitive,
            "l" => o.mode = Mode::Names,
            "m" => o.max_count = Some(count("-m", value)? as u64),
            "n" => self.number = Some(true),
            "o" => o.only = true,
            "p" => {
                o.color = true;
                self.heading = Some(true);
                self.number = Some(true);
            }
            "q" => o.quiet = true,
            "r" => o.replace = Some(value.to_vec()),
            "s" => o.case = Case::Sensitive,
            "t" => o.types.push(TypeChange::Select(text())),
            "u" => o.unrestricted += 1,
            "v" => o.invert = true,
            "w" => {
                o.word = true;
                o.line = false;
            }
            "x" => {
                o.line = true;
                o.word = false;
            }
            "z" => return Err("searching compressed files (-z) is not supported".into()),
            "0" => o.null = true,
            "." => o.hidden = true,
            "binary" => o.binary = true,
            "no-binary" => o.binary = false,
            "no-byte-offset" => o.offset = false,
            "color" => o.color = color(&text())?,
            "column" => self.column = Some(true),
            "no-column" => self.column = Some(false),
            "context-separator" => o.context_separator = Some(unescape(value)),
            "no-context-separator" => o.context_separator = None,
            "count-matches" => o.mode = Mode::CountMatches,
            "crlf" => o.crlf = true,
            "no-crlf" => o.crlf = false,
            "engine" => o.perl = engine(&text())?,
            "field-context-separator" => o.context_field_separator = unescape(value),
            "field-match-separator" => o.match_separator = unescape(value),
            "files" => o.mode = Mode::Files,
            "files-without-match" => o.mode = Mode::NamesWithout,
            "no-fixed-strings" => o.fixed = false,
            "no-follow" => o.follow = false,
            "glob-case-insensitive" => o.glob_icase = true,
            "no-glob-case-insensitive" => o.glob_icase = false,
            "heading" => self.heading = Some(true),
            "no-heading" => self.heading = Some(false),
            "no-hidden" => o.hidden = false,
            "iglob" => o.globs.push((text(), true)),
            "ignore-file" => o.ignore_files.push(value.to_vec()),
            "ignore-file-case-insensitive" => o.ignore_icase = true,
            "no-ignore-file-case-insensitive" => o.ignore_icase = false,
            "include-zero" => o.include_zero = true,
            "no-include-zero" => o.include_zero = false,
            "no-invert-match" => o.invert = false,
            "json" => o.mode = Mode::Json,
            "no-json" => o.mode = Mode::Lines,
            "line-buffered" => o.line_buffered = true,
            "no-line-buffered" => o.line_buffered = false,
            "max-columns-preview" => o.preview = true,
            "no-max-columns-preview" => o.preview = false,
            "max-filesize" => o.max_size = Some(size(&text())?),
            "no-multiline" => o.multiline = false,
            "multiline-dotall" => o.dotall = true,
            "no-multiline-dotall" => o.dotall = false,
            "no-ignore" => o.no_ignore = true,
            "ignore" => o.no_ignore = false,
            "no-ignore-dot" | "ignore-dot" => o.no_ignore_dot = g.id.starts_with("no-"),
            "no-ignore-exclude" | "ignore-exclude" => o.no_ignore_exclude = g.id.starts_with("no-"),
            "no-ignore-files" | "ignore-files" => o.no_ignore_files = g.id.starts_with("no-"),
            "no-ignore-global" | "ignore-global" => o.no_ignore_global = g.id.starts_with("no-"),
            "no-ignore-parent" | "ignore-parent" => o.no_ignore_parent = g.id.starts_with("no-"),
            "no-ignore-vcs" | "ignore-vcs" => o.no_ignore_vcs = g.id.starts_with("no-"),
            "no-messages" => o.messages = false,
            "messages" => o.messages = true,
            "no-require-git" => o.require_git = false,
            "require-git" => o.require_git = true,
            "no-unicode" => o.unicode = false,
            "unicode" | "pcre2-unicode" => o.unicode = true,
            "null-data" => o.null_data = true,
            "one-file-system" => o.one_device = true,
            "no-one-file-system" => o.one_device = false,
            "path-separator" => o.path_separator = value.first().copied(),
            "passthru" => o.passthru = true,
            "no-pcre2" => o.perl = false,
            "refused" => {
                return Err("PCRE2 itself is not available; -P uses an engine with most of its syntax".into());
            }
            "pre" => return Err("--pre is not supported".into()),
            "sort" | "sortr" => {
                o.by_time = sort_key(&text())?;
                o.reverse = g.id == "sortr";
            }
            "stats" => o.stats = true,
            "no-stats" => o.stats = false,
            "stop-on-nonmatch" => o.stop_on_nonmatch = true,
            "no-text" => o.text = false,
            "trim" => o.trim = true,
            "no-trim" => o.trim = false,
            "type-add" => o.types.push(TypeChange::Add(text())),
            "type-clear" => o.types.push(TypeChange::Clear(text())),
            "type-list" => o.mode = Mode::Types,
            "vimgrep" => o.vimgrep = true,
            "generate" => return Err("--generate is not supported".into()),
            _ => return Err("unrecognized flag".into()),
        }
        Ok(None)
    }

    fn finish(mut self, mut operands: Vec<Vec<u8>>) -> Result<Options, String> {
        let o = &mut self.o;
        if !matches!(o.mode, Mode::Files | Mode::Types) {
            o.patterns = match self.keys {
                Some(k) => k,
                None if operands.is_empty() => {
                    return Err("ripgrep requires at least one pattern to execute a search".into());
                }
                None => vec![operands.remove(0)],
            };
        }
        if let Some(c) = self.context {
            o.before = if o.before == 0 { c } else { o.before };
            o.after = if o.after == 0 { c } else { o.after };
        }
        if o.mode == Mode::Count && o.only && !o.invert {
            o.mode = Mode::CountMatches;
        }
        if o.mode == Mode::CountMatches && o.invert {
            o.mode = Mode::Count;
        }
        o.no_ignore |= o.unrestricted >= 1;
        o.hidden |= o.unrestricted >= 2;
        o.binary |= o.unrestricted >= 3;
        let tty = sys::isatty(1);
        o.column = self.column.unwrap_or(o.vimgrep);
        o.numbers = self.number.unwrap_or((tty && !o.only_stdin(&operands)) || o.column || o.vimgrep);
        o.heading = self.heading.unwrap_or(tty) && !o.vimgrep;
        o.paths = operands;
        Ok(self.o)
    }
}

impl Options {
    fn only_stdin(&self, operands: &[Vec<u8>]) -> bool {
        operands.iter().all(|p| p == b"-") && !operands.is_empty()
    }

    /// The byte that ends lines.
    pub(crate) fn terminator(&self) -> u8 {
        if self.null_data { 0 } else { b'\n' }
    }

    pub(crate) fn line_terminator(&self) -> LineTerminator {
        if self.crlf { LineTerminator::crlf() } else { LineTerminator::byte(self.terminator()) }
    }
}

fn color(when: &str) -> Result<bool, String> {
    match when {
        "always" | "ansi" => Ok(true),
        "never" => Ok(false),
        "auto" => Ok(sys::isatty(1) && std::env::var_os("TERM").is_some_and(|t| t != "dumb")),
        other => Err(format!("error parsing flag --color: choice '{other}' is unrecognized")),
    }
}

/// Whether the engine is that of `-P`.
fn engine(name: &str) -> Result<bool, String> {
    match name {
        "default" | "auto" => Ok(false),
        "pcre2" => Ok(true),
        other => Err(format!("error parsing flag --engine: unrecognized regex engine '{other}'")),
    }
}

fn encoding(name: &str) -> Result<(), String> {
    match name {
        "auto" | "none" | "utf-8" | "utf8" | "UTF-8" => Ok(()),
        other => Err(format!("encodings other than UTF-8 are not supported: {other}")),
    }
}

fn sort_key(key: &str) -> Result<Option<ByTime>, String> {
    match key {
        "none" | "path" => Ok(None),
        "modified" => Ok(Some(ByTime::Modified)),
        "accessed" => Ok(Some(ByTime::Accessed)),
        "created" => Err("sorting by creation time is not supported".into()),
        other => Err(format!("error parsing flag --sort: choice '{other}' is unrecognized")),
    }
}

fn count(flag: &str, value: &[u8]) -> Result<usize, String> {
    let text = String::from_utf8_lossy(value);
    text.parse().map_err(|_| {
        format!("error parsing flag {flag}: value is not a valid number: invalid digit found in string")
    })
}

fn size(text: &str) -> Result<u64, String> {
    let (digits, unit) = match text.chars().last() {
        Some('K' | 'k') => (text.get(..text.len() - 1).unwrap_or_default(), 1 << 10),
        Some('M' | 'm') => (text.get(..text.len() - 1).unwrap_or_default(), 1 << 20),
        Some('G' | 'g') => (text.get(..text.len() - 1).unwrap_or_default(), 1 << 30),
        _ => (text, 1),
    };
    let n: u64 = digits.parse().map_err(|_| {
        format!("error parsing flag --max-filesize: invalid size: invalid format for size '{text}', which should be a non-empty sequence of digits followed by an optional 'K', 'M' or 'G' suffix")
    })?;
    n.checked_mul(unit)
        .ok_or_else(|| format!("error parsing flag --max-filesize: invalid size: size too big in '{text}'"))
}

fn unescape(value: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(&b) = value.get(at) {
        at += 1;
        if b != b'\\' {
            out.push(b);
            continue;
        }
        match value.get(at) {
            Some(b'n') => out.push(b'\n'),
            Some(b't') => out.push(b'\t'),
            Some(b'r') => out.push(b'\r'),
            Some(b'0') => out.push(0),
            Some(b'\\') => out.push(b'\\'),
            Some(b'x') => {
                let hex = value.get(at + 1..at + 3).and_then(|h| std::str::from_utf8(h).ok());
                if let Some(n) = hex.and_then(|h| u8::from_str_radix(h, 16).ok()) {
                    out.push(n);
                    at += 2;
                }
            }
            Some(c) => out.extend_from_slice(&[b'\\', *c]),
            None => out.push(b'\\'),
        }
        at += 1;
    }
    out
}

fn pattern_file(name: &[u8]) -> Result<Vec<Vec<u8>>, String> {
    let text = input::contents(name);
    let text = text.map_err(|e| format!("{}: {}", String::from_utf8_lossy(name), super::os_error(e)))?;
    let mut lines: Vec<Vec<u8>> = text.split(|b| *b == b'\n').map(<[u8]>::to_vec).collect();
    if lines.last().is_some_and(Vec::is_empty) {
        lines.pop();
    }
    Ok(lines)
}

const VERSION: &str = "ripgrep 15.2.0\n\nThis is sandshell's own rg, which behaves as that version does.\n";

const HELP: &str = "\
ripgrep 15.2.0 (sandshell's own rg)

Looks for a regular expression in all files below the paths, or below the working directory; not in hidden ones, not in
binary ones, and not in those that .gitignore files name. Files come in the order of their paths.

USAGE:
  rg [OPTIONS] PATTERN [PATH ...]
  rg [OPTIONS] -e PATTERN ... [PATH ...]
  rg [OPTIONS] -f PATTERNFILE ... [PATH ...]
  rg [OPTIONS] --files [PATH ...]
  rg [OPTIONS] --type-list

PATTERNS:
  -e, --regexp PATTERN          one of several patterns
  -f, --file FILE               patterns are the lines of FILE
  -F, --fixed-strings           patterns are texts
  -P, --pcre2                   patterns as Perl's
      --engine NAME             pcre2 for these, or default or auto
  -i, --ignore-case             in any case
  -s, --case-sensitive          in this case
  -S, --smart-case              in any case unless a pattern has capitals
  -w, --word-regexp             whole words
  -x, --line-regexp             whole lines
  -v, --invert-match            all other lines
  -U, --multiline               matches may span lines
      --multiline-dotall        `.` is also a newline
  -m, --max-count NUM           so many lines of a file
      --stop-on-nonmatch        until one does not match after one that did
      --crlf                    lines end in CR LF
      --null-data               lines end in a zero byte
      --no-unicode, --no-pcre2-unicode  only ASCII for classes and cases

FILES:
  -g, --glob GLOB               only these, with `!` not these
      --iglob GLOB              the same in any case
      --glob-case-insensitive   all of them in any case
  -t, --type TYPE               only of this kind
  -T, --type-not TYPE           not of this kind
      --type-add SPEC           change the kinds; SPEC is NAME:GLOB or NAME:include:OTHER
      --type-clear TYPE         nothing is of this kind
  -., --hidden                  hidden ones too
  -L, --follow                  what symbolic links lead to as well
  -d, --max-depth, --maxdepth NUM  no deeper
      --max-filesize SIZE       no larger; SIZE may end in K, M or G
      --one-file-system         stay on it
  -a, --text                    binary ones as text
      --binary                  binary ones until the first match
  -u, --unrestricted            also what .gitignore names; -uu: also hidden; -uuu: also binary
      --no-ignore               no list of names counts
      --no-ignore-dot           those in .ignore and .rgignore do not
      --no-ignore-exclude       nor .git/info/exclude
      --no-ignore-files         nor those of --ignore-file
      --no-ignore-global        nor the user's own
      --no-ignore-parent        nor those in directories above
      --no-ignore-vcs           nor .gitignore
      --ignore-file FILE        one more such list
      --ignore-file-case-insensitive  lists in any case
      --no-require-git          .gitignore counts outside of repositories
      --sort KEY                in the order of path, modified or accessed
      --sortr KEY               the other way round

OUTPUT:
  -n, --line-number             numbers of lines
  -N, --no-line-number          none
  -H, --with-filename           names of files
  -I, --no-filename             none
      --heading                 names above lines, not in front
      --column                  where in the line the first match is
  -b, --byte-offset             where in the file
      --vimgrep                 each match with its place
  -o, --only-matching           just what matched
  -r, --replace TEXT            TEXT in its place; $1 is a group
  -A, --after-context NUM       and NUM lines after
  -B, --before-context NUM      and NUM lines before
  -C, --context NUM             both
      --passthru, --passthrough  all lines
      --trim                    without blanks at the start
  -M, --max-columns NUM         not lines that are longer
      --max-columns-preview     but their start
  -0, --null                    a zero byte after names
  -p, --pretty                  as on a terminal
      --color WHEN              always, ansi, never or auto
      --context-separator SEP   between lines that are not neighbours
      --field-match-separator SEP  after what precedes a line
      --field-context-separator SEP  the same for context
      --path-separator CHAR     instead of `/`
      --line-buffered           each line at once
      --no-messages             no errors about files

INSTEAD OF LINES:
  -c, --count                   how many lines
      --count-matches           how many matches
      --include-zero            with these: also files without any
  -l, --files-with-matches      files with such lines
      --files-without-match     files without any
  -q, --quiet                   nothing
      --files                   files that would be read
      --type-list               the kinds of files
      --json                    one object for each event
      --stats                   numbers at the end

  -h, --help                    this text
  -V, --version                 the version

What switches something on has an opposite with `no-` that undoes it, and the reverse: --no-heading, --ignore-vcs.
Accepted without effect: -j, --threads, --mmap, --block-buffered, --colors, --debug, --trace, --dfa-size-limit,
--regex-size-limit, --auto-hybrid-regex, --hostname-bin, --hyperlink-format, --pre-glob, --sort-files, --no-config,
--no-ignore-messages, and -E, --encoding with UTF-8, auto or none.

The status is 0 if something was found, 1 if not, 2 after an error.
";
