//! The command line of `gzip`.

use sandshell_cli::message;
use sandshell_cli::options::{Given, Opt, Spec, Stop, hidden};
use sandshell_cli::out;
use sandshell_sys as sys;

pub(crate) struct Options {
    pub(crate) name: String,
    pub(crate) decompress: bool,
    pub(crate) stdout: bool,
    pub(crate) keep: bool,
    pub(crate) force: bool,
    pub(crate) list: bool,
    pub(crate) test: bool,
    pub(crate) recursive: bool,
    pub(crate) quiet: bool,
    pub(crate) verbose: u32,
    /// Whether name and time are stored or restored; `None` means only stored.
    pub(crate) names: Option<bool>,
    pub(crate) level: u32,
    pub(crate) suffix: Vec<u8>,
}

const SUFFIX_MAX: usize = 30;

const OPTIONS: &[Opt] = &[
    hidden("ignored", "---presume-input-tty"),
    hidden("a", "-a, --ascii"),
    hidden("9", "-9, --best"),
    hidden("d", "-d, --decompress"),
    hidden("1", "-1, --fast"),
    hidden("f", "-f, --force"),
    hidden("k", "-k, --keep"),
    hidden("L", "-L, --license"),
    hidden("l", "-l, --list"),
    hidden("N", "-N, --name"),
    hidden("n", "-n, --no-name"),
    hidden("q", "-q, --quiet"),
    hidden("r", "-r, --recursive"),
    hidden("ignored", "--rsyncable"),
    hidden("q", "--silent"),
    hidden("c", "-c, --stdout"),
    hidden("S", "-S, --suffix=X"),
    hidden("ignored", "--synchronous"),
    hidden("t", "-t, --test"),
    hidden("c", "--to-stdout"),
    hidden("d", "--uncompress"),
    hidden("v", "-v, --verbose"),
    hidden("", "-b X, -h, -H, -?, -m, -M, -V, -Z, -2, -3, -4, -5, -6, -7, -8"),
];

const HELP: &str = "\
Usage: gzip [OPTION]... [FILE]...
Packs each FILE into FILE.gz, which takes its place; `gunzip` and `zcat` unpack. Standard input, which is meant by `-`
or without FILE, is packed to standard output.

  -c, --stdout, --to-stdout       to standard output; the FILE stays
  -d, --decompress, --uncompress  unpack
  -f, --force                     replace what is there; also links, and output to a terminal
  -k, --keep                      the FILE stays
  -l, --list                      show sizes and names, with -v also checksums and times
  -n, --no-name                   leave the FILE's name and time aside
  -N, --name                      put them into the archive, or take them from it
  -q, --quiet, --silent           no warnings
  -r, --recursive                 all files in directories
  -S, --suffix=SUF                SUF instead of .gz
  -t, --test                      only look for damage
  -v, --verbose                   say what becomes of each FILE
  -1 ... -9, --fast, --best       from quick to small; usually -6
  -h, -H, -?, --help              this text
  -V, -L, --version, --license    the version

Accepted without effect: -a, --ascii, -b BITS, -m, -M, -Z, --rsyncable, --synchronous, ---presume-input-tty.

Example: gzip -9k notes.txt; zcat notes.txt.gz
";

/// Parses the command line; `Err` is the exit status.
pub(crate) fn parse(args: &[Vec<u8>]) -> Result<(Options, Vec<Vec<u8>>), i32> {
    let called = args.first().map(Vec::as_slice).unwrap_or_default();
    let called = called.rsplit(|b| *b == b'/').next().unwrap_or_default();
    let mut o = Options {
        name: "gzip".into(),
        decompress: called != b"gzip",
        stdout: called == b"zcat",
        keep: false,
        force: false,
        list: false,
        test: false,
        recursive: false,
        quiet: false,
        verbose: 0,
        names: None,
        level: 6,
        suffix: b".gz".to_vec(),
    };
    let spec = Spec { name: "gzip", usage: HELP, options: OPTIONS, ..Spec::DEFAULT };
    let stopped = |stop: Stop| match stop {
        Stop::Wrong(text) => wrong(&text),
        Stop::Help => help(),
        Stop::Version => version(),
    };
    let defaults = of_environment(&spec)?;
    let parsed = spec.read(args.get(1..).unwrap_or_default()).map_err(stopped)?;
    for given in defaults.iter().chain(&parsed.options) {
        match given.id {
            "c" => o.stdout = true,
            "d" => o.decompress = true,
            "f" => o.force = true,
            "h" | "H" | "?" => return Err(help()),
            "k" => o.keep = true,
            "l" => {
                o.list = true;
                o.decompress = true;
            }
            "L" | "V" => return Err(version()),
            "n" => o.names = Some(false),
            "N" => o.names = Some(true),
            "q" => {
                o.quiet = true;
                o.verbose = 0;
            }
            "r" => o.recursive = true,
            "S" if given.text().is_empty() || given.text().len() > SUFFIX_MAX => {
                message::say("gzip", &[b"invalid suffix '", given.text(), b"'"].concat());
                return Err(1);
            }
            "S" => o.suffix = given.text().to_vec(),
            "t" => {
                o.test = true;
                o.decompress = true;
            }
            "v" => {
                o.verbose += 1;
                o.quiet = false;
            }
            digit => {
                if let Ok(level) = digit.parse() {
                    o.level = level;
                }
            }
        }
    }
    Ok((o, parsed.operands))
}

/// Reads options from the variable `GZIP`. Only those about levels, names and messages are allowed there.
fn of_environment(spec: &Spec) -> Result<Vec<Given>, i32> {
    let Some(text) = std::env::var_os("GZIP") else { return Ok(Vec::new()) };
    let text = text.as_encoded_bytes();
    let words: Vec<Vec<u8>> =
        text.split(|b| matches!(b, b' ' | b'\t')).filter(|w| !w.is_empty()).map(<[u8]>::to_vec).collect();
    if words.is_empty() {
        return Ok(Vec::new());
    }
    let mut options = Vec::new();
    for word in words {
        let invalid = |option: &[u8], what: &str| wrong(&[option, what.as_bytes()].concat());
        if !word.starts_with(b"-") || word == b"-" {
            return Err(invalid(&word, ": non-option in GZIP environment variable"));
        }
        let not_valid = ": option not valid in GZIP environment variable";
        if word == b"--" {
            return Err(invalid(&word, not_valid));
        }
        let parsed = match spec.read(std::slice::from_ref(&word)) {
            Ok(parsed) => parsed,
            Err(Stop::Wrong(text)) if !text.windows(9).any(|w| w == b"requires ") => {
                return Err(wrong(&text));
            }
            Err(_) => return Err(invalid(&word, not_valid)),
        };
        for given in parsed.options {
            let known =
                matches!(given.id, "n" | "N" | "q" | "v" | "ignored") || given.id.parse::<u32>().is_ok();
            if !known {
                let option = match word.starts_with(b"--") {
                    true => word,
                    false => [b"-", given.id.as_bytes()].concat(),
                };
                return Err(invalid(&option, not_valid));
            }
            options.push(given);
        }
    }
    let quiet = options.iter().rev().find(|g| matches!(g.id, "q" | "v")).is_some_and(|g| g.id == "q");
    if !quiet {
        message::say(
            "gzip",
            b"warning: GZIP environment variable is deprecated; use an alias or script".as_slice(),
        );
    }
    Ok(options)
}

fn wrong(text: &[u8]) -> i32 {
    message::say("gzip", text);
    let _ = sys::write_all(2, b"Try `gzip --help' for more information.\n");
    1
}

fn help() -> i32 {
    out::put(HELP);
    out::finish("gzip", 0, 1)
}

fn version() -> i32 {
    out::put("gzip 1.12\nThis is sandshell's own program with the behaviour of that version.\n");
    out::finish("gzip", 0, 1)
}
