//! diff's command line.

use super::file::File;
use super::formats::Formats;
use super::regexps::Regexps;
use super::screen::Palette;
use crate::engine::{Compare, Sameness, Space};
use crate::number;
use crate::say;
use crate::version;
use sandshell_cli::input;
use sandshell_cli::options::{Given, Parsed, Spec, hidden, listed};
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

impl Options {
    /// The name of a file in messages.
    pub(crate) fn label<'a>(&'a self, files: &'a [File; 2], f: usize) -> &'a [u8] {
        self.labels.get(f).map_or(&files[f].name, Vec::as_slice)
    }
}

/// The files to compare.
pub(crate) struct Job {
    pub(crate) options: Options,
    pub(crate) pairs: Vec<[Vec<u8>; 2]>,
}

const SPEC: Spec = Spec {
    name: "diff",
    options: &[
        listed(super::help::TEXT),
        hidden("", "-0, -1, -2, -3, -4, -5, -6, -7, -8, -9"),
        hidden("h", "-h, --binary"),
        hidden("l", "-l, --paginate"),
        hidden("no-ignore-file-name-case", "--no-ignore-file-name-case"),
    ],
    ties: &[
        "binary",
        "brief",
        "changed-group-format",
        "color",
        "context",
        "ed",
        "exclude",
        "exclude-from",
        "expand-tabs",
        "forward-ed",
        "from-file",
        "help",
        "horizon-lines",
        "ifdef",
        "ignore-all-space",
        "ignore-blank-lines",
        "ignore-case",
        "ignore-file-name-case",
        "ignore-matching-lines",
        "ignore-space-change",
        "ignore-tab-expansion",
        "ignore-trailing-space",
        "initial-tab",
        "label",
        "left-column",
        "line-format",
        "minimal",
        "new-file",
        "new-group-format",
        "new-line-format",
        "no-dereference",
        "no-ignore-file-name-case",
        "normal",
        "old-group-format",
        "old-line-format",
        "paginate",
        "palette",
        "rcs",
        "recursive",
        "report-identical-files",
        "show-c-function",
        "show-function-line",
        "side-by-side",
        "speed-large-files",
        "starting-file",
        "strip-trailing-cr",
        "suppress-blank-empty",
        "suppress-common-lines",
        "tabsize",
        "text",
        "to-file",
        "unchanged-group-format",
        "unchanged-line-format",
        "unidirectional-new-file",
        "unified",
        "version",
        "width",
    ],
    failure: 2,
    ..Spec::DEFAULT
};

/// Reads the arguments (the command's name first).
///
/// # Errors
/// The exit status, if there is nothing to compare: a message or the help text was printed.
pub(crate) fn read(args: &[Vec<u8>]) -> Result<Job, i32> {
    let given = args.get(1..).unwrap_or_default();
    let parsed = SPEC.parse_all(given)?;
    let mut reader = Reader::default();
    let mut previous = "";
    for g in &parsed.options {
        reader.option(g, previous)?;
        previous = g.id;
    }
    let switches = switches(given, &parsed);
    reader.finish(parsed.operands, switches, args)
}

/// The arguments that are options or values of options, as given, with `--`.
fn switches(args: &[Vec<u8>], parsed: &Parsed) -> Vec<Vec<u8>> {
    let mut switches = Vec::new();
    let mut done = 0;
    for g in &parsed.options {
        switches.extend_from_slice(args.get(done.max(g.word)..g.end).unwrap_or_default());
        done = g.end;
    }
    if switches.len() + parsed.operands.len() < args.len() {
        switches.push(b"--".to_vec());
    }
    switches
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
    fn option(&mut self, g: &Given, previous: &str) -> Result<(), i32> {
        let value = g.value.as_deref();
        let text = g.text();
        match g.id {
            digit if is_digit(digit) => {
                let before = if is_digit(previous) { self.old_context.unwrap_or(0) } else { 0 };
                let digit = digit.parse().unwrap_or(0);
                self.old_context = Some(before.saturating_mul(10).saturating_add(digit).min(CONTEXT_MAX));
            }
            "a" => self.text = true,
            "b" => self.at_least(Space::Change),
            "B" => self.ignore_blank_lines = true,
            "c" => self.context_style(Style::Context, value)?,
            "d" => self.compare.minimal = true,
            "D" => {
                self.set_style(Style::Groups)?;
                self.formats.set_ifdef(text).map_err(|e| conflicting("-D", &e))?;
            }
            "e" => self.set_style(Style::Ed)?,
            "E" => self.at_least(Space::TabExpansion),
            "f" => self.set_style(Style::ForwardEd)?,
            "F" => self.show_function.push(checked_regexp(text)?),
            "h" => {}
            "H" => self.compare.speed_large_files = true,
            "i" => self.compare.same.ignore_case = true,
            "I" => self.ignore_matching.push(checked_regexp(text)?),
            "l" => {
                say::error("pagination not supported on this host");
                return Err(2);
            }
            "L" => {
                if self.labels.len() == 2 {
                    say::error("too many file label options");
                    return Err(2);
                }
                self.labels.push(text.to_vec());
            }
            "n" => self.set_style(Style::Rcs)?,
            "N" => self.new_file = true,
            "p" => {
                self.show_c_function = true;
                self.show_function.push(b"^[[:alpha:]$_]".to_vec());
            }
            "P" => self.unidirectional_new_file = true,
            "q" => self.brief = true,
            "r" => self.recursive = true,
            "s" => self.report_identical = true,
            "S" => set_once(&mut self.starting_file, text, "-S")?,
            "t" => self.expand_tabs = true,
            "T" => self.initial_tab = true,
            "u" => self.context_style(Style::Unified, value)?,
            "v" => return Err(version::print("diff")),
            "w" => self.compare.same.space = Space::All,
            "W" => set_size(&mut self.width, text, "width")?,
            "x" => self.exclude.push(text.to_vec()),
            "X" => self.exclude.extend(patterns_of(text)?),
            "y" => self.set_style(Style::SideBySide)?,
            // If `-E` is given too, GNU diff 3.8 does not expand tabs.
            "Z" => self.at_least(Space::Trailing),
            "color" => self.color = Some(color(value)?),
            "from-file" => set_once(&mut self.from_file, text, "--from-file")?,
            "help" => return Err(version::help(super::help::TEXT)),
            "horizon-lines" => {
                let lines = number::whole(text).ok_or_else(|| wrong("invalid horizon length", text))?;
                self.compare.horizon = self.compare.horizon.max(lines);
            }
            "ignore-file-name-case" => self.ignore_name_case = true,
            "no-ignore-file-name-case" => self.ignore_name_case = false,
            "left-column" => self.left_column = true,
            "line-format" => {
                self.set_style(Style::Groups)?;
                for which in 0..3 {
                    self.formats.set_line(which, text).map_err(|e| conflicting("--line-format", &e))?;
                }
            }
            "unchanged-line-format" => self.set_line(0, g)?,
            "old-line-format" => self.set_line(1, g)?,
            "new-line-format" => self.set_line(2, g)?,
            "unchanged-group-format" => self.set_group(0, g)?,
            "old-group-format" => self.set_group(1, g)?,
            "new-group-format" => self.set_group(2, g)?,
            "changed-group-format" => self.set_group(3, g)?,
            "?" => return Err(say::try_help(Some(text))),
            "no-dereference" => self.no_dereference = true,
            "normal" => self.set_style(Style::Normal)?,
            "palette" => self.palette = Some(text.to_vec()),
            "strip-trailing-cr" => self.strip_cr = true,
            "suppress-blank-empty" => self.suppress_blank_empty = true,
            "suppress-common-lines" => self.suppress_common = true,
            "tabsize" => set_size(&mut self.tab_size, text, "tabsize")?,
            "to-file" => set_once(&mut self.to_file, text, "--to-file")?,
            _ => {}
        }
        Ok(())
    }

    fn set_line(&mut self, which: usize, g: &Given) -> Result<(), i32> {
        self.set_style(Style::Groups)?;
        self.formats.set_line(which, g.text()).map_err(|e| conflicting(&format!("--{}", g.id), &e))
    }

    fn set_group(&mut self, which: usize, g: &Given) -> Result<(), i32> {
        self.set_style(Style::Groups)?;
        self.formats.set_group(which, g.text()).map_err(|e| conflicting(&format!("--{}", g.id), &e))
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

/// Whether an option is one of the digits of `-NUM`.
fn is_digit(id: &str) -> bool {
    matches!(id.as_bytes(), [b'0'..=b'9'])
}

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
