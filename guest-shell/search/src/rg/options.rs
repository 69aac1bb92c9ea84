//! The command line.

use crate::args::{self, Arg, Long, Value};
use grep_matcher::LineTerminator;
use sandshell_cli::input;
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
    Text(String),
}

const N: Value = Value::None;
const R: Value = Value::Required;

// The flags that only have a long form, and those that switch others off.
const LONG: &[Long] = &[
    ("after-context", R, b'A' as u32),
    ("auto-hybrid-regex", N, 0),
    ("no-auto-hybrid-regex", N, 0),
    ("before-context", R, b'B' as u32),
    ("binary", N, 256),
    ("no-binary", N, 257),
    ("block-buffered", N, 0),
    ("no-block-buffered", N, 0),
    ("byte-offset", N, b'b' as u32),
    ("no-byte-offset", N, 258),
    ("case-sensitive", N, b's' as u32),
    ("color", R, 259),
    ("colors", R, 1),
    ("column", N, 260),
    ("no-column", N, 261),
    ("context", R, b'C' as u32),
    ("context-separator", R, 262),
    ("no-context-separator", N, 263),
    ("count", N, b'c' as u32),
    ("count-matches", N, 264),
    ("crlf", N, 265),
    ("no-crlf", N, 266),
    ("debug", N, 0),
    ("trace", N, 0),
    ("dfa-size-limit", R, 1),
    ("encoding", R, b'E' as u32),
    ("no-encoding", N, 0),
    ("engine", R, 267),
    ("field-context-separator", R, 268),
    ("field-match-separator", R, 269),
    ("file", R, b'f' as u32),
    ("files", N, 270),
    ("files-with-matches", N, b'l' as u32),
    ("files-without-match", N, 271),
    ("fixed-strings", N, b'F' as u32),
    ("no-fixed-strings", N, 272),
    ("follow", N, b'L' as u32),
    ("no-follow", N, 273),
    ("glob", R, b'g' as u32),
    ("glob-case-insensitive", N, 274),
    ("no-glob-case-insensitive", N, 275),
    ("heading", N, 276),
    ("no-heading", N, 277),
    ("help", N, b'h' as u32),
    ("hidden", N, b'.' as u32),
    ("no-hidden", N, 278),
    ("hostname-bin", R, 1),
    ("hyperlink-format", R, 1),
    ("iglob", R, 279),
    ("ignore-case", N, b'i' as u32),
    ("ignore-file", R, 280),
    ("ignore-file-case-insensitive", N, 281),
    ("no-ignore-file-case-insensitive", N, 282),
    ("include-zero", N, 283),
    ("no-include-zero", N, 284),
    ("invert-match", N, b'v' as u32),
    ("no-invert-match", N, 285),
    ("json", N, 286),
    ("no-json", N, 287),
    ("line-buffered", N, 288),
    ("no-line-buffered", N, 289),
    ("line-number", N, b'n' as u32),
    ("no-line-number", N, b'N' as u32),
    ("line-regexp", N, b'x' as u32),
    ("max-columns", R, b'M' as u32),
    ("max-columns-preview", N, 290),
    ("no-max-columns-preview", N, 291),
    ("max-count", R, b'm' as u32),
    ("max-depth", R, b'd' as u32),
    ("maxdepth", R, b'd' as u32),
    ("max-filesize", R, 292),
    ("mmap", N, 0),
    ("no-mmap", N, 0),
    ("multiline", N, b'U' as u32),
    ("no-multiline", N, 293),
    ("multiline-dotall", N, 294),
    ("no-multiline-dotall", N, 295),
    ("no-config", N, 0),
    ("no-ignore", N, 296),
    ("ignore", N, 297),
    ("no-ignore-dot", N, 298),
    ("ignore-dot", N, 299),
    ("no-ignore-exclude", N, 300),
    ("ignore-exclude", N, 301),
    ("no-ignore-files", N, 302),
    ("ignore-files", N, 303),
    ("no-ignore-global", N, 304),
    ("ignore-global", N, 305),
    ("no-ignore-messages", N, 0),
    ("ignore-messages", N, 0),
    ("no-ignore-parent", N, 306),
    ("ignore-parent", N, 307),
    ("no-ignore-vcs", N, 308),
    ("ignore-vcs", N, 309),
    ("no-messages", N, 310),
    ("messages", N, 311),
    ("no-require-git", N, 312),
    ("require-git", N, 313),
    ("no-unicode", N, 314),
    ("unicode", N, 315),
    ("pcre2-unicode", N, 315),
    ("no-pcre2-unicode", N, 314),
    ("null", N, b'0' as u32),
    ("null-data", N, 316),
    ("one-file-system", N, 317),
    ("no-one-file-system", N, 318),
    ("only-matching", N, b'o' as u32),
    ("path-separator", R, 319),
    ("passthru", N, 320),
    ("passthrough", N, 320),
    ("pcre2", N, b'P' as u32),
    ("no-pcre2", N, 321),
    ("pcre2-version", N, 322),
    ("pre", R, 323),
    ("no-pre", N, 0),
    ("pre-glob", R, 1),
    ("pretty", N, b'p' as u32),
    ("quiet", N, b'q' as u32),
    ("regex-size-limit", R, 1),
    ("regexp", R, b'e' as u32),
    ("replace", R, b'r' as u32),
    ("search-zip", N, b'z' as u32),
    ("no-search-zip", N, 0),
    ("smart-case", N, b'S' as u32),
    ("sort", R, 324),
    ("sortr", R, 325),
    ("sort-files", N, 0),
    ("no-sort-files", N, 0),
    ("stats", N, 326),
    ("no-stats", N, 327),
    ("stop-on-nonmatch", N, 328),
    ("text", N, b'a' as u32),
    ("no-text", N, 329),
    ("threads", R, b'j' as u32),
    ("trim", N, 330),
    ("no-trim", N, 331),
    ("type", R, b't' as u32),
    ("type-add", R, 332),
    ("type-clear", R, 333),
    ("type-list", N, 334),
    ("type-not", R, b'T' as u32),
    ("unrestricted", N, b'u' as u32),
    ("version", N, b'V' as u32),
    ("vimgrep", N, 335),
    ("with-filename", N, b'H' as u32),
    ("no-filename", N, b'I' as u32),
    ("word-regexp", N, b'w' as u32),
    ("generate", R, 336),
];

const SHORT: &str = "A:B:C:E:FHILM:NPST:UVabcd:e:f:g:hij:lm:nopqr:st:uvwxz0.";

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
    let (items, problem) = args::parse(argv, SHORT, LONG, true);
    if let Some(text) = problem {
        return Err(rephrase(&String::from_utf8_lossy(&text)));
    }
    let mut s = State { o: defaults(), keys: None, context: None, number: None, heading: None, column: None };
    let mut operands = Vec::new();
    for item in items {
        match item {
            Arg::Operand(a) => operands.push(a),
            Arg::Option(id, value, _) => {
                if let Some(text) = s.option(id, value.unwrap_or_default())? {
                    return Ok(Parsed::Text(text));
                }
            }
        }
    }
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
    fn option(&mut self, id: u32, value: Vec<u8>) -> Result<Option<String>, String> {
        let text = || String::from_utf8_lossy(&value).into_owned();
        let o = &mut self.o;
        match id {
            // Flags without effect here: threads, memory maps, buffers, limits, debugging.
            0 | 1 | 0x6a => {}
            // If both one of these and `--passthru` are given, the last one counts.
            0x41 => (o.after, o.passthru) = (count("-A", &value)?, false),
            0x42 => (o.before, o.passthru) = (count("-B", &value)?, false),
            0x43 => (self.context, o.passthru) = (Some(count("-C", &value)?), false),
            0x45 => match text().as_str() {
                "auto" | "none" | "utf-8" | "utf8" | "UTF-8" => {}
                other => return Err(format!("encodings other than UTF-8 are not supported: {other}")),
            },
            0x46 => o.fixed = true,
            0x48 => o.names = Some(true),
            0x49 => o.names = Some(false),
            0x4c => o.follow = true,
            0x4d => o.max_columns = Some(count("-M", &value)?).filter(|n| *n > 0),
            0x4e => self.number = Some(false),
            0x50 => o.perl = true,
            0x53 => o.case = Case::Smart,
            0x54 => o.types.push(TypeChange::Negate(text())),
            0x55 => o.multiline = true,
            0x56 => return Ok(Some(VERSION.into())),
            0x61 => o.text = true,
            0x62 => o.offset = true,
            0x63 => o.mode = Mode::Count,
            0x64 => o.max_depth = Some(count("-d", &value)?),
            0x65 => self.keys.get_or_insert_default().push(value),
            0x66 => {
                let lines = pattern_file(&value)?;
                self.keys.get_or_insert_default().extend(lines);
            }
            0x67 => o.globs.push((text(), false)),
            0x68 => return Ok(Some(HELP.into())),
            0x69 => o.case = Case::Insensitive,
            0x6c => o.mode = Mode::Names,
            0x6d => o.max_count = Some(count("-m", &value)? as u64),
            0x6e => self.number = Some(true),
            0x6f => o.only = true,
            0x70 => {
                o.color = true;
                self.heading = Some(true);
                self.number = Some(true);
            }
            0x71 => o.quiet = true,
            0x72 => o.replace = Some(value),
            0x73 => o.case = Case::Sensitive,
            0x74 => o.types.push(TypeChange::Select(text())),
            0x75 => o.unrestricted += 1,
            0x76 => o.invert = true,
            0x77 => {
                o.word = true;
                o.line = false;
            }
            0x78 => {
                o.line = true;
                o.word = false;
            }
            0x7a => return Err("searching compressed files (-z) is not supported".into()),
            0x30 => o.null = true,
            0x2e => o.hidden = true,
            256 => o.binary = true,
            257 => o.binary = false,
            258 => o.offset = false,
            259 => {
                o.color = match text().as_str() {
                    "always" | "ansi" => true,
                    "never" => false,
                    "auto" => sys::isatty(1) && std::env::var_os("TERM").is_some_and(|t| t != "dumb"),
                    other => {
                        return Err(format!("error parsing flag --color: choice '{other}' is unrecognized"));
                    }
                }
            }
            260 => self.column = Some(true),
            261 => self.column = Some(false),
            262 => o.context_separator = Some(unescape(&value)),
            263 => o.context_separator = None,
            264 => o.mode = Mode::CountMatches,
            265 => o.crlf = true,
            266 => o.crlf = false,
            267 => match text().as_str() {
                "default" | "auto" => o.perl = false,
                "pcre2" => o.perl = true,
                other => {
                    return Err(format!("error parsing flag --engine: unrecognized regex engine '{other}'"));
                }
            },
            268 => o.context_field_separator = unescape(&value),
            269 => o.match_separator = unescape(&value),
            270 => o.mode = Mode::Files,
            271 => o.mode = Mode::NamesWithout,
            272 => o.fixed = false,
            273 => o.follow = false,
            274 => o.glob_icase = true,
            275 => o.glob_icase = false,
            276 => self.heading = Some(true),
            277 => self.heading = Some(false),
            278 => o.hidden = false,
            279 => o.globs.push((text(), true)),
            280 => o.ignore_files.push(value),
            281 => o.ignore_icase = true,
            282 => o.ignore_icase = false,
            283 => o.include_zero = true,
            284 => o.include_zero = false,
            285 => o.invert = false,
            286 => o.mode = Mode::Json,
            287 => o.mode = Mode::Lines,
            288 => o.line_buffered = true,
            289 => o.line_buffered = false,
            290 => o.preview = true,
            291 => o.preview = false,
            292 => o.max_size = Some(size(&text())?),
            293 => o.multiline = false,
            294 => o.dotall = true,
            295 => o.dotall = false,
            296 => o.no_ignore = true,
            297 => o.no_ignore = false,
            298 | 299 => o.no_ignore_dot = id == 298,
            300 | 301 => o.no_ignore_exclude = id == 300,
            302 | 303 => o.no_ignore_files = id == 302,
            304 | 305 => o.no_ignore_global = id == 304,
            306 | 307 => o.no_ignore_parent = id == 306,
            308 | 309 => o.no_ignore_vcs = id == 308,
            310 => o.messages = false,
            311 => o.messages = true,
            312 => o.require_git = false,
            313 => o.require_git = true,
            314 => o.unicode = false,
            315 => o.unicode = true,
            316 => o.null_data = true,
            317 => o.one_device = true,
            318 => o.one_device = false,
            319 => o.path_separator = value.first().copied(),
            320 => o.passthru = true,
            321 => o.perl = false,
            322 => {
                return Err("PCRE2 itself is not available; -P uses an engine with most of its syntax".into());
            }
            323 => return Err("--pre is not supported".into()),
            324 | 325 => match text().as_str() {
                key @ ("none" | "path" | "modified" | "accessed") => {
                    o.reverse = id == 325;
                    o.by_time = match key {
                        "modified" => Some(ByTime::Modified),
                        "accessed" => Some(ByTime::Accessed),
                        _ => None,
                    };
                }
                "created" => return Err("sorting by creation time is not supported".into()),
                other => return Err(format!("error parsing flag --sort: choice '{other}' is unrecognized")),
            },
            326 => o.stats = true,
            327 => o.stats = false,
            328 => o.stop_on_nonmatch = true,
            329 => o.text = false,
            330 => o.trim = true,
            331 => o.trim = false,
            332 => o.types.push(TypeChange::Add(text())),
            333 => o.types.push(TypeChange::Clear(text())),
            334 => o.mode = Mode::Types,
            335 => o.vimgrep = true,
            336 => return Err("--generate is not supported".into()),
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
  -P, --pcre2, --engine NAME    patterns as Perl's; --engine pcre2, or default or auto
  -i, --ignore-case  -s, --case-sensitive  -S, --smart-case   -S: any case unless a pattern has capitals
  -w, --word-regexp  -x, --line-regexp   whole words; whole lines
  -v, --invert-match            all other lines
  -U, --multiline               matches may span lines; --multiline-dotall: `.` is also a newline
  -m, --max-count NUM           so many lines of a file
      --stop-on-nonmatch        until one does not match after one that did
      --crlf  --null-data       lines end in CR LF; in a zero byte
      --no-unicode, --no-pcre2-unicode   only ASCII for classes and cases

FILES:
  -g, --glob GLOB  --iglob GLOB   only these, with `!` not these; --glob-case-insensitive
  -t, --type TYPE  -T, --type-not TYPE   only of this kind; not of it
      --type-add SPEC  --type-clear TYPE   change the kinds; SPEC is NAME:GLOB or NAME:include:OTHER
  -., --hidden                  hidden ones too
  -L, --follow                  behind symbolic links too
  -d, --max-depth, --maxdepth NUM   no deeper
      --max-filesize SIZE       no larger; SIZE may end in K, M or G
      --one-file-system         stay on it
  -a, --text  --binary          binary ones as text; until the first match
  -u, --unrestricted            also what .gitignore names; -uu: also hidden; -uuu: also binary
      --no-ignore, --no-ignore-dot, --no-ignore-exclude, --no-ignore-files, --no-ignore-global,
      --no-ignore-parent, --no-ignore-vcs   which lists of names do not count
      --ignore-file FILE  --ignore-file-case-insensitive   one more such list
      --no-require-git          .gitignore counts outside of repositories
      --sort KEY  --sortr KEY   in the order of path, modified or accessed; the other way round

OUTPUT:
  -n, --line-number  -N, --no-line-number
  -H, --with-filename  -I, --no-filename
      --heading                 names above lines, not in front
      --column  -b, --byte-offset  --vimgrep   where matches are
  -o, --only-matching           just what matched
  -r, --replace TEXT            TEXT in its place; $1 is a group
  -A, --after-context NUM  -B, --before-context NUM  -C, --context NUM
      --passthru, --passthrough all lines
      --trim                    without blanks at the start
  -M, --max-columns NUM         not lines that are longer; --max-columns-preview: their start
  -0, --null                    a zero byte behind names
  -p, --pretty                  as on a terminal
      --color WHEN              always, ansi, never or auto
      --context-separator, --field-match-separator, --field-context-separator SEP   --no-context-separator
      --path-separator CHAR     instead of `/`
      --line-buffered           each line at once
      --no-messages             no errors about files

INSTEAD OF LINES:
  -c, --count  --count-matches  how many lines, how many matches; --include-zero
  -l, --files-with-matches  --files-without-match
  -q, --quiet                   nothing
      --files                   files that would be read
      --type-list               the kinds of files
      --json                    one object for each event
      --stats                   numbers at the end

  -h, --help  -V, --version

What switches something on has an opposite with `no-` that undoes it, and the reverse: --no-heading, --ignore-vcs.
Accepted without effect: -j, --threads, --mmap, --block-buffered, --colors, --debug, --trace, --dfa-size-limit,
--regex-size-limit, --auto-hybrid-regex, --hostname-bin, --hyperlink-format, --pre-glob, --sort-files, --no-config,
--no-ignore-messages, and -E, --encoding with UTF-8, auto or none.

The status is 0 if something was found, 1 if not, 2 after an error.
";
