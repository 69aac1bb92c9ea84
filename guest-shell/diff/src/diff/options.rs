//! diff's command line.

use super::format::Formats;
use super::regexps::Regexps;
use super::screen::Palette;
use crate::args::{self, Long, Value};
use crate::engine::{Compare, Sameness, Space};
use crate::number;
use crate::say;
use crate::version;
use sandshell_cli::input;
use sandshell_sys as sys;

/// How differences are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Normal,
    Context,
    Unified,
    Ed,
    ForwardEd,
    Rcs,
    Groups,
    SideBySide,
}

/// What the command line asks for.
pub(crate) struct Options {
    pub(crate) style: Style,
    pub(crate) compare: Compare,
    pub(crate) context: usize,
    pub(crate) ignore_blank_lines: bool,
    pub(crate) ignore_matching: Option<Regexps>,
    pub(crate) show_function: Option<Regexps>,
    pub(crate) text: bool,
    pub(crate) strip_cr: bool,
    pub(crate) brief: bool,
    pub(crate) report_identical: bool,
    pub(crate) recursive: bool,
    pub(crate) new_file: bool,
    pub(crate) unidirectional_new_file: bool,
    pub(crate) follow: bool,
    pub(crate) ignore_name_case: bool,
    pub(crate) exclude: Vec<Vec<u8>>,
    pub(crate) starting_file: Option<Vec<u8>>,
    pub(crate) labels: Vec<Vec<u8>>,
    pub(crate) expand_tabs: bool,
    pub(crate) initial_tab: bool,
    pub(crate) suppress_blank_empty: bool,
    pub(crate) width: usize,
    pub(crate) left_column: bool,
    pub(crate) suppress_common: bool,
    pub(crate) formats: Formats,
    pub(crate) palette: Option<Palette>,
    /// The options as given, quoted for a shell, each preceded by a space.
    pub(crate) switches: Vec<u8>,
}

/// The files to compare.
pub(crate) struct Job {
    pub(crate) options: Options,
    pub(crate) pairs: Vec<[Vec<u8>; 2]>,
}

const SHORT: &str = "0123456789abBcC:dD:eEfF:hHiI:lL:nNpPqrsS:tTuU:vwW:x:X:yZ";

const BINARY: u32 = 256;
const COLOR: u32 = 257;
const FROM_FILE: u32 = 258;
const HELP: u32 = 259;
const HORIZON: u32 = 260;
const NAME_CASE_IGNORED: u32 = 261;
const LEFT_COLUMN: u32 = 262;
const LINE_FORMAT: u32 = 263;
const NAME_CASE_COUNTS: u32 = 264;
const NO_DEREFERENCE: u32 = 265;
const NORMAL: u32 = 266;
const PALETTE: u32 = 267;
const STRIP_CR: u32 = 269;
const SUPPRESS_BLANK_EMPTY: u32 = 270;
const SUPPRESS_COMMON: u32 = 271;
const TABSIZE: u32 = 272;
const TO_FILE: u32 = 273;
const LINE_FORMATS: u32 = 280;
const GROUP_FORMATS: u32 = 290;

const LONG: &[Long] = &[
    ("binary", Value::None, BINARY),
    ("brief", Value::None, b'q' as u32),
    ("changed-group-format", Value::Required, GROUP_FORMATS + 3),
    ("color", Value::Optional, COLOR),
    ("context", Value::Optional, b'C' as u32),
    ("ed", Value::None, b'e' as u32),
    ("exclude", Value::Required, b'x' as u32),
    ("exclude-from", Value::Required, b'X' as u32),
    ("expand-tabs", Value::None, b't' as u32),
    ("forward-ed", Value::None, b'f' as u32),
    ("from-file", Value::Required, FROM_FILE),
    ("help", Value::None, HELP),
    ("horizon-lines", Value::Required, HORIZON),
    ("ifdef", Value::Required, b'D' as u32),
    ("ignore-all-space", Value::None, b'w' as u32),
    ("ignore-blank-lines", Value::None, b'B' as u32),
    ("ignore-case", Value::None, b'i' as u32),
    ("ignore-file-name-case", Value::None, NAME_CASE_IGNORED),
    ("ignore-matching-lines", Value::Required, b'I' as u32),
    ("ignore-space-change", Value::None, b'b' as u32),
    ("ignore-tab-expansion", Value::None, b'E' as u32),
    ("ignore-trailing-space", Value::None, b'Z' as u32),
    ("initial-tab", Value::None, b'T' as u32),
    ("label", Value::Required, b'L' as u32),
    ("left-column", Value::None, LEFT_COLUMN),
    ("line-format", Value::Required, LINE_FORMAT),
    ("minimal", Value::None, b'd' as u32),
    ("new-file", Value::None, b'N' as u32),
    ("new-group-format", Value::Required, GROUP_FORMATS + 2),
    ("new-line-format", Value::Required, LINE_FORMATS + 2),
    ("no-dereference", Value::None, NO_DEREFERENCE),
    ("no-ignore-file-name-case", Value::None, NAME_CASE_COUNTS),
    ("normal", Value::None, NORMAL),
    ("old-group-format", Value::Required, GROUP_FORMATS + 1),
    ("old-line-format", Value::Required, LINE_FORMATS + 1),
    ("paginate", Value::None, b'l' as u32),
    ("palette", Value::Required, PALETTE),
    ("rcs", Value::None, b'n' as u32),
    ("recursive", Value::None, b'r' as u32),
    ("report-identical-files", Value::None, b's' as u32),
    ("show-c-function", Value::None, b'p' as u32),
    ("show-function-line", Value::Required, b'F' as u32),
    ("side-by-side", Value::None, b'y' as u32),
    ("speed-large-files", Value::None, b'H' as u32),
    ("starting-file", Value::Required, b'S' as u32),
    ("strip-trailing-cr", Value::None, STRIP_CR),
    ("suppress-blank-empty", Value::None, SUPPRESS_BLANK_EMPTY),
    ("suppress-common-lines", Value::None, SUPPRESS_COMMON),
    ("tabsize", Value::Required, TABSIZE),
    ("text", Value::None, b'a' as u32),
    ("to-file", Value::Required, TO_FILE),
    ("unchanged-group-format", Value::Required, GROUP_FORMATS),
    ("unchanged-line-format", Value::Required, LINE_FORMATS),
    ("unidirectional-new-file", Value::None, b'P' as u32),
    ("unified", Value::Optional, b'U' as u32),
    ("version", Value::None, b'v' as u32),
    ("width", Value::Required, b'W' as u32),
];

/// Reads the arguments (the command's name first).
///
/// # Errors
/// The exit status, if there is nothing to compare: a message or the help text was printed.
pub(crate) fn read(args: &[Vec<u8>]) -> Result<Job, i32> {
    let parsed = args::parse(args.get(1..).unwrap_or_default(), SHORT, LONG);
    let mut reader = Reader::default();
    let mut previous = 0;
    for (id, value) in parsed.options {
        reader.option(id, value.as_deref(), previous)?;
        previous = id;
    }
    if let Some(e) = parsed.error {
        say::error(e);
        return Err(say::try_help(None));
    }
    reader.finish(parsed.operands, parsed.switches, args)
}

// The state while options are read: what a later option may change or contradict.
#[derive(Default)]
struct Reader {
    style: Option<Style>,
    context: Option<usize>,
    explicit_context: bool,
    old_context: Option<usize>,
    show_c_function: bool,
    compare: Compare,
    ignore_blank_lines: bool,
    ignore_matching: Vec<Vec<u8>>,
    show_function: Vec<Vec<u8>>,
    text: bool,
    strip_cr: bool,
    brief: bool,
    report_identical: bool,
    recursive: bool,
    new_file: bool,
    unidirectional_new_file: bool,
    no_dereference: bool,
    ignore_name_case: bool,
    exclude: Vec<Vec<u8>>,
    starting_file: Option<Vec<u8>>,
    from_file: Option<Vec<u8>>,
    to_file: Option<Vec<u8>>,
    labels: Vec<Vec<u8>>,
    expand_tabs: bool,
    initial_tab: bool,
    suppress_blank_empty: bool,
    width: Option<usize>,
    tab_size: Option<usize>,
    left_column: bool,
    suppress_common: bool,
    formats: Formats,
    color: Option<bool>,
    palette: Option<Vec<u8>>,
}

impl Reader {
    fn option(&mut self, id: u32, value: Option<&[u8]>, previous: u32) -> Result<(), i32> {
        let text = value.unwrap_or_default();
        match u8::try_from(id).unwrap_or(0) {
            c @ b'0'..=b'9' => {
                let digit = usize::from(c - b'0');
                let before = if (u32::from(b'0')..=u32::from(b'9')).contains(&previous) {
                    self.old_context.unwrap_or(0)
                } else {
                    0
                };
                self.old_context = Some(before.saturating_mul(10).saturating_add(digit).min(CONTEXT_MAX));
            }
            b'a' => self.text = true,
            b'b' => self.at_least(Space::Change),
            b'B' => self.ignore_blank_lines = true,
            b'c' => self.context_style(Style::Context, None)?,
            b'C' => self.context_style(Style::Context, value)?,
            b'd' => self.compare.minimal = true,
            b'D' => {
                self.set_style(Style::Groups)?;
                self.formats.set_ifdef(text).map_err(|e| conflicting("-D", &e))?;
            }
            b'e' => self.set_style(Style::Ed)?,
            b'E' => self.at_least(Space::TabExpansion),
            b'f' => self.set_style(Style::ForwardEd)?,
            b'F' => self.show_function.push(checked_regexp(text)?),
            b'h' => {}
            b'H' => self.compare.speed_large_files = true,
            b'i' => self.compare.same.ignore_case = true,
            b'I' => self.ignore_matching.push(checked_regexp(text)?),
            b'l' => {
                say::error("pagination not supported on this host");
                return Err(2);
            }
            b'L' => {
                if self.labels.len() == 2 {
                    say::error("too many file label options");
                    return Err(2);
                }
                self.labels.push(text.to_vec());
            }
            b'n' => self.set_style(Style::Rcs)?,
            b'N' => self.new_file = true,
            b'p' => {
                self.show_c_function = true;
                self.show_function.push(b"^[[:alpha:]$_]".to_vec());
            }
            b'P' => self.unidirectional_new_file = true,
            b'q' => self.brief = true,
            b'r' => self.recursive = true,
            b's' => self.report_identical = true,
            b'S' => set_once(&mut self.starting_file, text, "-S")?,
            b't' => self.expand_tabs = true,
            b'T' => self.initial_tab = true,
            b'u' => self.context_style(Style::Unified, None)?,
            b'U' => self.context_style(Style::Unified, value)?,
            b'v' => return Err(version::print("diff")),
            b'w' => self.compare.same.space = Space::All,
            b'W' => set_size(&mut self.width, text, "width")?,
            b'x' => self.exclude.push(text.to_vec()),
            b'X' => self.exclude.extend(patterns_of(text)?),
            b'y' => self.set_style(Style::SideBySide)?,
            // If `-E` is given too, GNU diff 3.8 does not expand tabs.
            b'Z' => self.at_least(Space::Trailing),
            _ => return self.long_option(id, value),
        }
        Ok(())
    }

    fn long_option(&mut self, id: u32, value: Option<&[u8]>) -> Result<(), i32> {
        let text = value.unwrap_or_default();
        match id {
            COLOR => self.color = Some(color(value)?),
            FROM_FILE => set_once(&mut self.from_file, text, "--from-file")?,
            HELP => return Err(version::help(super::help::TEXT)),
            HORIZON => {
                let Some(n) = number::whole(text) else {
                    return Err(wrong("invalid horizon length", text));
                };
                self.compare.horizon = self.compare.horizon.max(n);
            }
            NAME_CASE_IGNORED => self.ignore_name_case = true,
            NAME_CASE_COUNTS => self.ignore_name_case = false,
            LEFT_COLUMN => self.left_column = true,
            LINE_FORMAT => {
                self.set_style(Style::Groups)?;
                for which in 0..3 {
                    self.formats.set_line(which, text).map_err(|e| conflicting("--line-format", &e))?;
                }
            }
            LINE_FORMATS..=282 => {
                self.set_style(Style::Groups)?;
                let name = LONG.iter().find(|l| l.2 == id).map_or("", |l| l.0);
                let which = (id - LINE_FORMATS) as usize;
                self.formats.set_line(which, text).map_err(|e| conflicting(&format!("--{name}"), &e))?;
            }
            GROUP_FORMATS..=293 => {
                self.set_style(Style::Groups)?;
                let name = LONG.iter().find(|l| l.2 == id).map_or("", |l| l.0);
                let which = (id - GROUP_FORMATS) as usize;
                self.formats.set_group(which, text).map_err(|e| conflicting(&format!("--{name}"), &e))?;
            }
            NO_DEREFERENCE => self.no_dereference = true,
            NORMAL => self.set_style(Style::Normal)?,
            PALETTE => self.palette = Some(text.to_vec()),
            STRIP_CR => self.strip_cr = true,
            SUPPRESS_BLANK_EMPTY => self.suppress_blank_empty = true,
            SUPPRESS_COMMON => self.suppress_common = true,
            TABSIZE => set_size(&mut self.tab_size, text, "tabsize")?,
            TO_FILE => set_once(&mut self.to_file, text, "--to-file")?,
            _ => {}
        }
        Ok(())
    }

    fn set_style(&mut self, style: Style) -> Result<(), i32> {
        if self.style.is_some_and(|s| s != style) {
            return Err(say::try_help(Some(b"conflicting output style options")));
        }
        self.style = Some(style);
        Ok(())
    }

    fn context_style(&mut self, style: Style, lines: Option<&[u8]>) -> Result<(), i32> {
        let lines = match lines {
            None => 3,
            Some(text) => {
                self.explicit_context = true;
                number::whole(text).ok_or_else(|| wrong("invalid context length", text))?.min(CONTEXT_MAX)
            }
        };
        self.set_style(style)?;
        self.context = self.context.max(Some(lines));
        Ok(())
    }

    fn at_least(&mut self, space: Space) {
        self.compare.same.space = self.compare.same.space.max(space);
    }

    fn finish(
        mut self,
        operands: Vec<Vec<u8>>,
        switches: Vec<Vec<u8>>,
        args: &[Vec<u8>],
    ) -> Result<Job, i32> {
        let palette = match (self.color, &self.palette) {
            (Some(true), text) => Some(Palette::new(text.as_deref())),
            _ => None,
        };
        if self.style.is_none() && self.show_c_function {
            self.style = Some(Style::Context);
            self.context = self.context.or(Some(3));
        }
        let style = self.style.unwrap_or(Style::Normal);
        let mut context = 0;
        if matches!(style, Style::Context | Style::Unified) {
            context = self.context.unwrap_or(0);
            if let Some(old) = self.old_context
                && (context < old || !self.explicit_context)
            {
                context = old;
            }
        }
        let mut compare = self.compare;
        compare.horizon = compare.horizon.max(context);
        compare.newline_counts = !matches!(style, Style::Ed | Style::ForwardEd);
        compare.same = Sameness { tab_size: self.tab_size.unwrap_or(8), ..compare.same };
        let pairs = pairs(operands, self.from_file, self.to_file, args)?;
        let shell = |s: &Vec<u8>| {
            use sandshell_cli::quote;
            [b" ".as_slice(), &quote::quote_with(s, quote::Style::Shell, b"")].concat()
        };
        let options = Options {
            style,
            compare,
            context,
            ignore_blank_lines: self.ignore_blank_lines,
            ignore_matching: Regexps::new(self.ignore_matching),
            show_function: Regexps::new(self.show_function),
            text: self.text,
            strip_cr: self.strip_cr,
            brief: self.brief,
            report_identical: self.report_identical,
            recursive: self.recursive,
            new_file: self.new_file,
            unidirectional_new_file: self.unidirectional_new_file,
            follow: !self.no_dereference,
            ignore_name_case: self.ignore_name_case,
            exclude: self.exclude,
            starting_file: self.starting_file,
            labels: self.labels,
            expand_tabs: self.expand_tabs,
            initial_tab: self.initial_tab,
            suppress_blank_empty: self.suppress_blank_empty,
            width: self.width.unwrap_or(130),
            left_column: self.left_column,
            suppress_common: self.suppress_common,
            formats: self.formats,
            palette,
            switches: switches.iter().flat_map(shell).collect(),
        };
        Ok(Job { options, pairs })
    }
}

// The largest width and tab size. More would only use up memory.
const SIZE_MAX: usize = 1 << 24;

const CONTEXT_MAX: usize = i32::MAX as usize / 4;

fn pairs(
    operands: Vec<Vec<u8>>,
    from: Option<Vec<u8>>,
    to: Option<Vec<u8>>,
    args: &[Vec<u8>],
) -> Result<Vec<[Vec<u8>; 2]>, i32> {
    match (from, to) {
        (Some(_), Some(_)) => {
            say::error("--from-file and --to-file both specified");
            Err(2)
        }
        (Some(f), None) => Ok(operands.into_iter().map(|o| [f.clone(), o]).collect()),
        (None, Some(t)) => Ok(operands.into_iter().map(|o| [o, t.clone()]).collect()),
        (None, None) => match <[Vec<u8>; 2]>::try_from(operands) {
            Ok(pair) => Ok(vec![pair]),
            Err(operands) => Err(match operands.get(2) {
                Some(extra) => wrong("extra operand", extra),
                // With fewer than two operands, the message names the last argument after permutation, which is the
                // last operand if there is one.
                None => {
                    let last = operands.last().or(args.last());
                    wrong("missing operand after", last.map_or(b"", Vec::as_slice))
                }
            }),
        },
    }
}

fn wrong(what: &str, text: &[u8]) -> i32 {
    say::try_help(Some(&[what.as_bytes(), b" '", text, b"'"].concat()))
}

fn conflicting(option: &str, text: &[u8]) -> i32 {
    wrong(&format!("conflicting {option} option value"), text)
}

fn set_once(place: &mut Option<Vec<u8>>, text: &[u8], option: &str) -> Result<(), i32> {
    if place.as_deref().is_some_and(|old| old != text) {
        say::error([b"conflicting ", option.as_bytes(), b" option value '", text, b"'"].concat());
        return Err(say::try_help(None));
    }
    *place = Some(text.to_vec());
    Ok(())
}

fn set_size(place: &mut Option<usize>, text: &[u8], what: &str) -> Result<(), i32> {
    let n = number::whole(text)
        .filter(|n| (1..=SIZE_MAX).contains(n))
        .ok_or_else(|| wrong(&format!("invalid {what}"), text))?;
    if place.is_some_and(|old| old != n) {
        say::error(format!("conflicting {what} options"));
        return Err(2);
    }
    *place = Some(n);
    Ok(())
}

fn color(value: Option<&[u8]>) -> Result<bool, i32> {
    match value {
        None | Some(b"auto") => Ok(sys::isatty(1) && std::env::var_os("TERM").is_none_or(|t| t != "dumb")),
        Some(b"always") => Ok(true),
        Some(b"never") => Ok(false),
        Some(other) => Err(wrong("invalid color", other)),
    }
}

fn checked_regexp(text: &[u8]) -> Result<Vec<u8>, i32> {
    match Regexps::check(text) {
        Ok(()) => Ok(text.to_vec()),
        Err(e) => {
            say::error([text, b": ", e.as_slice()].concat());
            Err(2)
        }
    }
}

// Reads patterns from a file, one per line; `-` is standard input.
fn patterns_of(name: &[u8]) -> Result<Vec<Vec<u8>>, i32> {
    match input::contents(name) {
        Ok(data) => Ok(data.split(|b| *b == b'\n').filter(|l| !l.is_empty()).map(<[u8]>::to_vec).collect()),
        Err(e) => {
            say::failed(name, e);
            Err(2)
        }
    }
}
