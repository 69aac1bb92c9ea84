//! The options of `ls`.

use sandshell_cli::message;
use sandshell_cli::number;
use sandshell_cli::options::{self, Given, Opt, Parsed, Spec, choose, named, option};
use sandshell_cli::quote::{self, STYLES, Style, quote};
use sandshell_cli::size::Unit;
use sandshell_cli::warn;
use sandshell_posix::locale;
use sandshell_sys as sys;

/// The layout of the output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Layout {
    Long,
    OnePerLine,
    Columns,
    Across,
    Commas,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sort {
    None,
    Name,
    Extension,
    Width,
    Size,
    Version,
    Time,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Time {
    Modified,
    Changed,
    Accessed,
    Born,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Debug)]
pub(super) enum Indicator {
    None,
    Slash,
    FileType,
    Classify,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Dereference {
    Never,
    CommandLineToDirectory,
    CommandLine,
    Always,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Hidden {
    Skip,
    Almost,
    All,
}

/// All options about the listing.
pub(super) struct Options {
    pub(super) layout: Layout,
    pub(super) sort: Sort,
    pub(super) reverse: bool,
    pub(super) time: Time,
    pub(super) indicator: Indicator,
    pub(super) dereference: Dereference,
    pub(super) hidden: Hidden,
    pub(super) ignore: Vec<Vec<u8>>,
    pub(super) hide: Vec<Vec<u8>>,
    pub(super) directories_first: bool,
    pub(super) immediate_dirs: bool,
    pub(super) recursive: bool,
    pub(super) inode: bool,
    pub(super) blocks: bool,
    pub(super) numeric: bool,
    pub(super) owner: bool,
    pub(super) group: bool,
    pub(super) author: bool,
    pub(super) context: bool,
    pub(super) block_unit: Unit,
    pub(super) size_unit: Unit,
    pub(super) quoting: Style,
    pub(super) question_marks: bool,
    pub(super) color: bool,
    /// Print names as hyperlinks.
    pub(super) hyperlink: bool,
    pub(super) width: usize,
    pub(super) tab: usize,
    pub(super) eol: u8,
    /// Print the positions of the names in the output at the end.
    pub(super) dired: bool,
    /// The formats of old and of recent times.
    pub(super) time_formats: [Vec<u8>; 2],
}

const OPTIONS: &[Opt] = &[
    option("-a, --all", "also names that begin with a dot"),
    option("-A, --almost-all", "as -a, without . and .."),
    option("--author", "with -l, authors"),
    option("-b, --escape", "C's escapes for what is not printable"),
    option("--block-size=SIZE", "sizes in units of SIZE"),
    option("-B, --ignore-backups", "no names that end with ~"),
    option("-c", "by time of status; with -l show it"),
    option("-C", "in columns"),
    option("--color[=WHEN]", "colours: always, auto or never"),
    option("-d, --directory", "directories themselves, not what is in them"),
    option("-D, --dired", "where names stand, for Emacs"),
    option("-f", "all, in the directory's own order"),
    option("-F, --classify[=WHEN]", "a character after names that tells the kind: */=>@|"),
    option("--file-type", "the same without *"),
    option("--format=WORD", "across, commas, horizontal, long, single-column, verbose or vertical"),
    option("--full-time", "as -l --time-style=full-iso"),
    option("-g", "as -l, without owners"),
    named("dirs-first", "--group-directories-first", "directories before files"),
    option("-G, --no-group", "with -l, no groups"),
    option("-h, --human-readable", "with -l and -s, sizes as 1.5K"),
    option("--si", "the same by 1000"),
    option("-H, --dereference-command-line", "follow symbolic links among the arguments"),
    named("deref-dir", "--dereference-command-line-symlink-to-dir", "only those that lead to directories"),
    option("--hide=PATTERN", "no names that match, but for -a and -A"),
    option("--hyperlink[=WHEN]", "names as links: always, auto or never"),
    named("indicator", "--indicator-style=WORD", "none, slash (-p), file-type or classify (-F)"),
    option("-i, --inode", "inode numbers"),
    option("-I, --ignore=PATTERN", "no names that match"),
    option("-k, --kibibytes", "blocks of 1024 bytes with -s and totals"),
    option("-l", "all that is known of each file"),
    option("-L, --dereference", "what symbolic links lead to"),
    option("-m", "in lines, with commas"),
    option("-n, --numeric-uid-gid", "as -l, with numbers of owners and groups"),
    option("-N, --literal", "names as they are"),
    option("-o", "as -l, without groups"),
    option("-p", "/ after directories"),
    option("-q, --hide-control-chars", "? for what is not printable"),
    named("show-control", "--show-control-chars", "what is not printable as it is"),
    option("-Q, --quote-name", "names in double quotes"),
    named(
        "quoting",
        "--quoting-style=WORD",
        "literal, locale, shell, shell-always, shell-escape, shell-escape-always, c\nor escape",
    ),
    option("-r, --reverse", "the other way round"),
    option("-R, --recursive", "directories in directories as well"),
    option("-s, --size", "how many blocks each file takes"),
    option("-S", "by size, the largest first"),
    option("--sort=WORD", "by size, time, version, extension, width or none"),
    option("--time=WORD", "which time: atime, access, use; ctime, status; mtime; birth, creation"),
    option("--time-style=STYLE", "locale, iso, long-iso, full-iso or +FORMAT"),
    option("-t", "by time, the newest first"),
    option("-T, --tabsize=COLS", "tab stops every COLS columns"),
    option("-u", "by time of access; with -l show it"),
    option("-U", "not sorted"),
    option("-v", "as versions: numbers in names compare as numbers"),
    option("-w, --width=COLS", "lines of COLS columns; 0 is no limit"),
    option("-x", "in lines across"),
    option("-X", "by extension"),
    option("-Z, --context", "security contexts; there are none here"),
    option("--zero", "lines end with NUL"),
    option("-1", "one file in a line"),
];

/// Which of the three commands it is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Command {
    Ls,
    Dir,
    Vdir,
}

macro_rules! usage {
    ($name:literal) => {
        concat!(
            "Usage: ",
            $name,
            " [OPTION]... [FILE]...
Lists files and what is in directories; without FILE, the working directory.

"
        )
    };
}

pub(super) fn spec(command: Command) -> Spec {
    let (name, usage) = match command {
        Command::Ls => ("ls", usage!("ls")),
        Command::Dir => ("dir", usage!("dir")),
        Command::Vdir => ("vdir", usage!("vdir")),
    };
    Spec {
        name,
        usage,
        options: OPTIONS,
        notes: "\n\
Exit status: 0; 1 after small troubles, a file in a directory for example; 2 after others, such as an argument.
",
        ties: &["full-time", "human-readable", "inode", "numeric-uid-gid", "no-group", "hide-control-chars", "size", "ignore-backups", "classify", "file-type", "si", "hide", "ignore", "indicator-style", "format", "show-control-chars", "sort", "tabsize", "time", "time-style", "color", "context", "hyperlink"],
        failure: 2,
        unwritten: 2,
        ..Spec::DEFAULT
    }
}

const WHEN: &[(&str, u8)] = &[
    ("always", 2),
    ("yes", 2),
    ("force", 2),
    ("never", 0),
    ("no", 0),
    ("none", 0),
    ("auto", 1),
    ("tty", 1),
    ("if-tty", 1),
];
const INDICATORS: &[(&str, Indicator)] = &[
    ("none", Indicator::None),
    ("slash", Indicator::Slash),
    ("file-type", Indicator::FileType),
    ("classify", Indicator::Classify),
];
const FORMATS: &[(&str, Layout)] = &[
    ("verbose", Layout::Long),
    ("long", Layout::Long),
    ("commas", Layout::Commas),
    ("horizontal", Layout::Across),
    ("across", Layout::Across),
    ("vertical", Layout::Columns),
    ("single-column", Layout::OnePerLine),
];
const SORTS: &[(&str, Sort)] = &[
    ("none", Sort::None),
    ("time", Sort::Time),
    ("size", Sort::Size),
    ("extension", Sort::Extension),
    ("version", Sort::Version),
    ("width", Sort::Width),
];
const TIMES: &[(&str, Time)] = &[
    ("atime", Time::Accessed),
    ("access", Time::Accessed),
    ("use", Time::Accessed),
    ("ctime", Time::Changed),
    ("status", Time::Changed),
    ("birth", Time::Born),
    ("creation", Time::Born),
];

/// Reads the options of a command.
pub(super) fn read(spec: &Spec, parsed: &Parsed, command: Command) -> Result<Options, i32> {
    let mut o = Options::usual();
    let mut choice = Choice::default();
    for g in &parsed.options {
        choice.option(spec, g, &mut o)?;
    }
    choice.settle(spec, command, &mut o)?;
    Ok(o)
}

/// What has a default that depends on the command or on other options.
#[derive(Default)]
struct Choice {
    layout: Option<Layout>,
    sort: Option<Sort>,
    time: Option<Time>,
    dereference: Option<Dereference>,
    quoting: Option<Style>,
    question_marks: Option<bool>,
    width: Option<usize>,
    tab: Option<usize>,
    style: Option<Vec<u8>>,
    kibibytes: bool,
    /// The unit of sizes was given.
    block_size: bool,
}

impl Options {
    fn usual() -> Self {
        Self {
            layout: Layout::OnePerLine,
            sort: Sort::Name,
            reverse: false,
            time: Time::Modified,
            indicator: Indicator::None,
            dereference: Dereference::Never,
            hidden: Hidden::Skip,
            ignore: Vec::new(),
            hide: Vec::new(),
            directories_first: false,
            immediate_dirs: false,
            recursive: false,
            inode: false,
            blocks: false,
            numeric: false,
            owner: true,
            group: true,
            author: false,
            context: false,
            block_unit: Unit::from_environment("LS_BLOCK_SIZE").unwrap_or(Unit::blocks(
                if std::env::var_os("POSIXLY_CORRECT").is_some() { 512 } else { 1024 },
            )),
            size_unit: std::env::var_os("LS_BLOCK_SIZE")
                .or(std::env::var_os("BLOCK_SIZE"))
                .map_or(Unit::blocks(1), |v| Unit::parse(v.as_encoded_bytes()).unwrap_or(Unit::blocks(1024))),
            quoting: Style::Literal,
            question_marks: false,
            color: false,
            hyperlink: false,
            width: 0,
            tab: 8,
            eol: b'\n',
            dired: false,
            time_formats: Default::default(),
        }
    }
}

impl Choice {
    fn option(&mut self, spec: &Spec, g: &Given, o: &mut Options) -> Result<(), i32> {
        match g.id {
            "a" => o.hidden = Hidden::All,
            "b" => self.quoting = Some(Style::Escape),
            "c" => self.time = Some(Time::Changed),
            "d" => o.immediate_dirs = true,
            "f" => {
                o.hidden = Hidden::All;
                self.sort = Some(Sort::None);
                if self.layout == Some(Layout::Long) {
                    self.layout = None;
                }
                o.blocks = false;
                o.color = false;
            }
            "file-type" => o.indicator = Indicator::FileType,
            "g" => {
                self.layout = Some(Layout::Long);
                o.owner = false;
            }
            "h" | "si" => {
                self.sizes_in(o, Unit::Human { base: if g.id == "h" { 1024 } else { 1000 } });
            }
            "i" => o.inode = true,
            "k" => self.kibibytes = true,
            "l" => self.layout = Some(Layout::Long),
            "m" => self.layout = Some(Layout::Commas),
            "n" => {
                o.numeric = true;
                self.layout = Some(Layout::Long);
            }
            "o" => {
                self.layout = Some(Layout::Long);
                o.group = false;
            }
            "p" => o.indicator = Indicator::Slash,
            "q" => self.question_marks = Some(true),
            "r" => o.reverse = true,
            "s" => o.blocks = true,
            "t" => self.sort = Some(Sort::Time),
            "u" => self.time = Some(Time::Accessed),
            "v" => self.sort = Some(Sort::Version),
            "w" => self.width = Some(line_width(spec, g.text())?),
            "x" => self.layout = Some(Layout::Across),
            "A" => o.hidden = Hidden::Almost,
            "B" => o.ignore.extend([b"*~".to_vec(), b".*~".to_vec()]),
            "C" => self.layout = Some(Layout::Columns),
            "F" if when(spec, "--classify", g)? => o.indicator = Indicator::Classify,
            "G" => o.group = false,
            "H" => self.dereference = Some(Dereference::CommandLine),
            "deref-dir" => self.dereference = Some(Dereference::CommandLineToDirectory),
            "I" => o.ignore.push(g.text().to_vec()),
            "hide" => o.hide.push(g.text().to_vec()),
            "L" => self.dereference = Some(Dereference::Always),
            "N" => self.quoting = Some(Style::Literal),
            "Q" => self.quoting = Some(Style::C),
            "R" => o.recursive = true,
            "S" => self.sort = Some(Sort::Size),
            "T" => {
                let size = number(g.text()).ok_or_else(|| {
                    warn!(spec.name, "invalid tab size: ", quote(g.text()));
                    2
                })?;
                self.tab = Some(size as usize);
            }
            "U" => self.sort = Some(Sort::None),
            "X" => self.sort = Some(Sort::Extension),
            "Z" => o.context = true,
            // -1 does not undo -l.
            "1" if self.layout != Some(Layout::Long) => self.layout = Some(Layout::OnePerLine),
            "author" => o.author = true,
            "dirs-first" => o.directories_first = true,
            "D" => o.dired = true,
            "hyperlink" => o.hyperlink = when(spec, "--hyperlink", g)?,
            "full-time" => {
                self.layout = Some(Layout::Long);
                self.style = Some(b"full-iso".to_vec());
            }
            "time-style" => self.style = Some(g.text().to_vec()),
            "show-control" => self.question_marks = Some(false),
            "zero" => {
                o.eol = 0;
                self.question_marks = Some(false);
                o.color = false;
                o.hyperlink = false;
                self.quoting = Some(Style::Literal);
                if self.layout != Some(Layout::Long) {
                    self.layout = Some(Layout::OnePerLine);
                }
            }
            "indicator" => o.indicator = choose(spec, "--indicator-style", g.text(), INDICATORS)?,
            "quoting" => self.quoting = Some(choose(spec, "--quoting-style", g.text(), STYLES)?),
            "format" => self.layout = Some(choose(spec, "--format", g.text(), FORMATS)?),
            "sort" => self.sort = Some(choose(spec, "--sort", g.text(), SORTS)?),
            "time" => self.time = Some(choose(spec, "--time", g.text(), TIMES)?),
            "color" => o.color = when(spec, "--color", g)?,
            "block-size" => {
                self.sizes_in(o, Unit::given(spec.name, "--block-size", g.text()).ok_or(2)?);
            }
            _ => {}
        }
        Ok(())
    }

    fn sizes_in(&mut self, o: &mut Options, unit: Unit) {
        self.block_size = true;
        (o.block_unit, o.size_unit) = (unit.clone(), unit);
    }

    fn settle(self, spec: &Spec, command: Command, o: &mut Options) -> Result<(), i32> {
        let tty = sys::isatty(1);
        if self.kibibytes && !self.block_size {
            o.block_unit = Unit::blocks(1024);
        }
        o.layout = self.layout.unwrap_or(match command {
            Command::Ls if tty => Layout::Columns,
            Command::Ls => Layout::OnePerLine,
            Command::Dir => Layout::Columns,
            Command::Vdir => Layout::Long,
        });
        if o.dired && o.eol == 0 {
            warn!(spec.name, "--dired and --zero are incompatible");
            return Err(2);
        }
        o.dired &= o.layout == Layout::Long;
        o.time = self.time.unwrap_or(Time::Modified);
        o.sort = self.sort.unwrap_or(if o.layout != Layout::Long && self.time.is_some() {
            Sort::Time
        } else {
            Sort::Name
        });
        let in_columns = matches!(o.layout, Layout::Columns | Layout::Across | Layout::Commas);
        o.width = match self.width {
            Some(width) => width,
            None if in_columns || o.color => width_from_environment(spec.name)
                .or_else(|| sys::tty_size(1).ok().map(|s| s.1 as usize).filter(|c| tty && *c > 0))
                .unwrap_or(80),
            None => 80,
        };
        o.tab = match self.tab {
            Some(tab) => tab,
            None if in_columns => tab_from_environment(spec.name),
            None => 8,
        };
        o.quoting =
            self.quoting.or_else(|| quote::style_from_environment(spec.name)).unwrap_or(match command {
                Command::Ls if tty => Style::ShellEscape,
                Command::Ls => Style::Literal,
                _ => Style::Escape,
            });
        o.question_marks = self.question_marks.unwrap_or(command == Command::Ls && tty);
        o.dereference = self.dereference.unwrap_or(
            if o.immediate_dirs || o.indicator == Indicator::Classify || o.layout == Layout::Long {
                Dereference::Never
            } else {
                Dereference::CommandLineToDirectory
            },
        );
        o.time_formats = time_formats(spec, o.layout, self.style)?;
        Ok(())
    }
}

/// Whether a value that depends on the terminal is on.
fn when(spec: &Spec, option: &str, given: &Given) -> Result<bool, i32> {
    let when = given.value.as_deref().map_or(Ok(2), |word| choose(spec, option, word, WHEN))?;
    Ok(when == 2 || when == 1 && sys::isatty(1))
}

/// Parses a number in C's notation.
fn number(text: &[u8]) -> Option<u32> {
    match number::in_base(text, 0, "") {
        Ok(number) => Some(u32::try_from(number).unwrap_or(u32::MAX)),
        Err(number::Fault::Overflow) => Some(u32::MAX),
        Err(_) => None,
    }
}

/// The value of `COLUMNS`. An invalid one is reported and ignored.
fn width_from_environment(command: &str) -> Option<usize> {
    let columns = std::env::var_os("COLUMNS").filter(|c| !c.is_empty())?;
    let width = number(columns.as_encoded_bytes());
    if width.is_none() {
        let shown = quote(columns.as_encoded_bytes());
        warn!(command, "ignoring invalid width in environment variable COLUMNS: ", shown);
    }
    width.map(|w| w as usize).filter(|w| *w > 0)
}

/// The value of `TABSIZE`, read like `COLUMNS`.
fn tab_from_environment(command: &str) -> usize {
    let Some(size) = std::env::var_os("TABSIZE") else { return 8 };
    let tab = number(size.as_encoded_bytes());
    if tab.is_none() {
        let shown = quote(size.as_encoded_bytes());
        warn!(command, "ignoring invalid tab size in environment variable TABSIZE: ", shown);
    }
    tab.map_or(8, |t| t as usize)
}

fn line_width(spec: &Spec, text: &[u8]) -> Result<usize, i32> {
    // A width that is too large means no limit.
    if number::in_base(text, 0, "") == Err(number::Fault::Overflow) {
        return Ok(0);
    }
    number(text).map(|n| n as usize).ok_or_else(|| {
        warn!(spec.name, "invalid line width: ", quote(text));
        2
    })
}

fn time_formats(spec: &Spec, layout: Layout, style: Option<Vec<u8>>) -> Result<[Vec<u8>; 2], i32> {
    let both = |s: &str| [s.as_bytes().to_vec(), s.as_bytes().to_vec()];
    let usual = || [b"%b %e  %Y".to_vec(), b"%b %e %H:%M".to_vec()];
    if layout != Layout::Long {
        return Ok(usual());
    }
    let style = style
        .or_else(|| std::env::var_os("TIME_STYLE").map(std::ffi::OsString::into_encoded_bytes))
        .unwrap_or_else(|| b"locale".to_vec());
    let mut style = style.as_slice();
    if let Some(format) = style.strip_prefix(b"+") {
        let lines: Vec<&[u8]> = format.split(|b| *b == b'\n').collect();
        return match *lines.as_slice() {
            [all] => Ok([all.to_vec(), all.to_vec()]),
            [old, recent] => Ok([old.to_vec(), recent.to_vec()]),
            _ => {
                warn!(spec.name, "invalid time style format ", quote(format));
                Err(2)
            }
        };
    }
    // This prefix selects the default style in the C locale, and has no effect in others.
    while let Some(rest) = style.strip_prefix(b"posix-") {
        if locale::is_bytes() {
            return Ok(usual());
        }
        style = rest;
    }
    const NAMES: [(&str, u8); 4] = [("full-iso", 0), ("long-iso", 1), ("iso", 2), ("locale", 3)];
    Ok(match options::find(style, &NAMES) {
        Ok(0) => both("%Y-%m-%d %H:%M:%S.%N %z"),
        Ok(1) => both("%Y-%m-%d %H:%M"),
        Ok(2) => [b"%Y-%m-%d ".to_vec(), b"%m-%d %H:%M".to_vec()],
        Ok(_) => usual(),
        Err(kind) => {
            warn!(spec.name, kind, " argument ", quote(style), " for ", quote(b"time style"));
            let _ = sys::write_all(2, "Valid arguments are:\n  - [posix-]full-iso\n  - [posix-]long-iso\n  - [posix-]iso\n  - [posix-]locale\n  - +FORMAT (e.g., +%H:%M) for a 'date'-style format\n".as_bytes());
            message::try_help(spec.name);
            return Err(2);
        }
    })
}
