//! patch's command line.

use super::header::Form;
use super::say::Fatal;
use crate::args::{self, Long, Value};
use crate::say;
use crate::version;
use sandshell_cli::out;

/// How backups are named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Naming {
    Simple,
    Existing,
    Numbered,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Verbosity {
    Silent,
    Normal,
    Verbose,
}

pub(super) struct Options {
    pub(super) backup: bool,
    pub(super) backup_if_mismatch: bool,
    pub(super) naming: Naming,
    pub(super) prefix: Option<Vec<u8>>,
    pub(super) base_prefix: Option<Vec<u8>>,
    pub(super) suffix: Option<Vec<u8>>,
    /// Whether the suffix was given by an option, not by the environment.
    pub(super) named_suffix: bool,
    pub(super) form: Option<Form>,
    pub(super) directory: Option<Vec<u8>>,
    /// Changes are put between preprocessor directives that test this macro.
    pub(super) define: Option<Vec<u8>>,
    pub(super) remove_empty: bool,
    pub(super) fuzz: usize,
    pub(super) force: bool,
    pub(super) batch: bool,
    pub(super) forward: bool,
    pub(super) input: Option<Vec<u8>>,
    pub(super) ignore_space: bool,
    pub(super) output: Option<Vec<u8>>,
    pub(super) strip: Option<usize>,
    pub(super) reject: Option<Vec<u8>>,
    pub(super) reject_unified: Option<bool>,
    pub(super) reverse: bool,
    pub(super) verbosity: Verbosity,
    pub(super) dry_run: bool,
    pub(super) posix: bool,
    pub(super) binary: bool,
    pub(super) read_only: ReadOnly,
    pub(super) set_time: bool,
    pub(super) follow_links: bool,
    pub(super) file: Option<Vec<u8>>,
}

/// What to do with read-only files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReadOnly {
    Ignore,
    Warn,
    Fail,
}

const SHORT: &str = "bB:cd:D:eEfF:g:i:lnNo:p:r:RstTuvV:x:Y:z:Z";

const BINARY: u32 = 256;
const DRY_RUN: u32 = 257;
const HELP: u32 = 258;
const VERBOSE: u32 = 259;
const MISMATCH: u32 = 260;
const NO_MISMATCH: u32 = 261;
const POSIX: u32 = 262;
const QUOTING: u32 = 263;
const REJECT_FORMAT: u32 = 264;
const READ_ONLY: u32 = 265;
const MERGE: u32 = 266;
const FOLLOW: u32 = 267;

const LONG: &[Long] = &[
    ("backup", Value::None, b'b' as u32),
    ("prefix", Value::Required, b'B' as u32),
    ("context", Value::None, b'c' as u32),
    ("directory", Value::Required, b'd' as u32),
    ("ifdef", Value::Required, b'D' as u32),
    ("ed", Value::None, b'e' as u32),
    ("remove-empty-files", Value::None, b'E' as u32),
    ("force", Value::None, b'f' as u32),
    ("fuzz", Value::Required, b'F' as u32),
    ("get", Value::Required, b'g' as u32),
    ("input", Value::Required, b'i' as u32),
    ("ignore-whitespace", Value::None, b'l' as u32),
    ("merge", Value::Optional, MERGE),
    ("normal", Value::None, b'n' as u32),
    ("forward", Value::None, b'N' as u32),
    ("output", Value::Required, b'o' as u32),
    ("strip", Value::Required, b'p' as u32),
    ("reject-file", Value::Required, b'r' as u32),
    ("reverse", Value::None, b'R' as u32),
    ("quiet", Value::None, b's' as u32),
    ("silent", Value::None, b's' as u32),
    ("batch", Value::None, b't' as u32),
    ("set-time", Value::None, b'T' as u32),
    ("unified", Value::None, b'u' as u32),
    ("version", Value::None, b'v' as u32),
    ("version-control", Value::Required, b'V' as u32),
    ("debug", Value::Required, b'x' as u32),
    ("basename-prefix", Value::Required, b'Y' as u32),
    ("suffix", Value::Required, b'z' as u32),
    ("set-utc", Value::None, b'Z' as u32),
    ("dry-run", Value::None, DRY_RUN),
    ("verbose", Value::None, VERBOSE),
    ("binary", Value::None, BINARY),
    ("help", Value::None, HELP),
    ("backup-if-mismatch", Value::None, MISMATCH),
    ("no-backup-if-mismatch", Value::None, NO_MISMATCH),
    ("posix", Value::None, POSIX),
    ("quoting-style", Value::Required, QUOTING),
    ("reject-format", Value::Required, REJECT_FORMAT),
    ("read-only", Value::Required, READ_ONLY),
    ("follow-symlinks", Value::None, FOLLOW),
];

/// Reads the arguments (the command's name first).
///
/// # Errors
/// The exit status, after a message or the help text was printed.
pub(super) fn read(args: &[Vec<u8>]) -> Result<Options, i32> {
    let parsed = args::parse(args.get(1..).unwrap_or_default(), SHORT, LONG);
    let posix = std::env::var_os("POSIXLY_CORRECT").is_some();
    let mut o = Options {
        backup: false,
        backup_if_mismatch: !posix,
        naming: naming_of_environment()?,
        prefix: None,
        base_prefix: None,
        suffix: environment("SIMPLE_BACKUP_SUFFIX"),
        named_suffix: false,
        form: None,
        directory: None,
        define: None,
        remove_empty: false,
        fuzz: 2,
        force: false,
        batch: false,
        forward: false,
        input: None,
        ignore_space: false,
        output: None,
        strip: None,
        reject: None,
        reject_unified: None,
        reverse: false,
        verbosity: Verbosity::Normal,
        dry_run: false,
        posix,
        binary: false,
        read_only: ReadOnly::Warn,
        set_time: false,
        follow_links: false,
        file: None,
    };
    for (id, value) in parsed.options {
        option(&mut o, id, value)?;
    }
    if let Some(e) = parsed.error {
        say::error(e);
        return Err(say::try_help(None));
    }
    let mut operands = parsed.operands.into_iter();
    o.file = operands.next();
    if let Some(patch) = operands.next() {
        o.input = Some(patch);
    }
    if let Some(extra) = operands.next() {
        say::error([extra.as_slice(), b": extra operand"].concat());
        return Err(say::try_help(None));
    }
    Ok(o)
}

fn option(o: &mut Options, id: u32, value: Option<Vec<u8>>) -> Result<(), i32> {
    let text = value.as_deref().unwrap_or_default();
    match u8::try_from(id).unwrap_or(0) {
        b'b' => o.backup = true,
        b'B' => o.prefix = Some(not_empty(value, "backup prefix is empty")?),
        b'c' => o.form = Some(Form::Context),
        b'd' => o.directory = value,
        b'D' => o.define = value,
        b'e' => o.form = Some(Form::Ed),
        b'E' => o.remove_empty = true,
        b'f' => o.force = true,
        b'F' => o.fuzz = number(text, "fuzz factor")?,
        // Getting files from version control is not supported, so only the number is checked.
        b'g' => drop(number(text.strip_prefix(b"-").unwrap_or(text), "get option value")?),
        b'i' => o.input = value,
        b'l' => o.ignore_space = true,
        b'n' => o.form = Some(Form::Normal),
        b'N' => o.forward = true,
        b'o' => o.output = value,
        b'p' => o.strip = Some(number(text, "strip count")?),
        b'r' => o.reject = value,
        b'R' => o.reverse = true,
        b's' => o.verbosity = Verbosity::Silent,
        b't' => o.batch = true,
        b'T' | b'Z' => o.set_time = true,
        b'u' => o.form = Some(Form::Unified),
        b'v' => {
            out::put(
                "GNU patch 2.7.6\nThis is sandshell's own program with the behaviour of that version.\n",
            );
            return Err(out::finish("patch", 0, 2));
        }
        b'V' => o.naming = naming(text)?,
        b'x' => drop(number(text, "debugging option")?),
        b'Y' => o.base_prefix = Some(not_empty(value, "backup basename prefix is empty")?),
        b'z' => {
            o.suffix = Some(not_empty(value, "backup suffix is empty")?);
            o.named_suffix = true;
        }
        _ => return long_option(o, id, text),
    }
    Ok(())
}

fn long_option(o: &mut Options, id: u32, text: &[u8]) -> Result<(), i32> {
    match id {
        BINARY => o.binary = true,
        DRY_RUN => o.dry_run = true,
        VERBOSE => o.verbosity = Verbosity::Verbose,
        MISMATCH => o.backup_if_mismatch = true,
        NO_MISMATCH => o.backup_if_mismatch = false,
        POSIX => o.posix = true,
        QUOTING if text == b"shell" => {}
        QUOTING => return refuse("--quoting-style"),
        REJECT_FORMAT => {
            o.reject_unified = Some(match text {
                b"unified" => true,
                b"context" => false,
                _ => return Err(say::try_help(None)),
            });
        }
        READ_ONLY => {
            o.read_only = match text {
                b"ignore" => ReadOnly::Ignore,
                b"warn" => ReadOnly::Warn,
                b"fail" => ReadOnly::Fail,
                _ => return Err(say::try_help(None)),
            };
        }
        MERGE => return refuse("--merge"),
        FOLLOW => o.follow_links = true,
        _ => return Err(version::help(TEXT)),
    }
    Ok(())
}

fn refuse(option: &str) -> Result<(), i32> {
    Err(Fatal::text(format!("option {option} is not supported")).report())
}

fn not_empty(value: Option<Vec<u8>>, otherwise: &str) -> Result<Vec<u8>, i32> {
    value.filter(|v| !v.is_empty()).ok_or_else(|| Fatal::text(otherwise).report())
}

fn number(text: &[u8], what: &str) -> Result<usize, i32> {
    if let Some(n) = crate::number::whole(text) {
        return Ok(n);
    }
    let negative = text.strip_prefix(b"-").is_some_and(|t| crate::number::whole(t).is_some());
    let problem: &[u8] = if negative { b" is negative" } else { b" is not a number" };
    Err(Fatal::text([what.as_bytes(), b" ", text, problem].concat()).report())
}

fn naming(text: &[u8]) -> Result<Naming, i32> {
    const WORDS: [(&str, Naming); 6] = [
        ("simple", Naming::Simple),
        ("never", Naming::Simple),
        ("existing", Naming::Existing),
        ("nil", Naming::Existing),
        ("numbered", Naming::Numbered),
        ("t", Naming::Numbered),
    ];
    if let Some(w) = WORDS.iter().find(|w| w.0.as_bytes() == text) {
        return Ok(w.1);
    }
    let like: Vec<_> = WORDS.iter().filter(|w| w.0.as_bytes().starts_with(text)).collect();
    if let [first, rest @ ..] = like.as_slice()
        && rest.iter().all(|w| w.1 == first.1)
    {
        return Ok(first.1);
    }
    let kind: &[u8] = if like.is_empty() { b"invalid" } else { b"ambiguous" };
    say::error([kind, b" argument '", text, b"' for '--version-control or -V option'"].concat());
    say::raw(
        "Valid arguments are:\n  - 'none', 'off'\n  - 'simple', 'never'\n  - 'existing', 'nil'\n  - 'numbered', 't'\n",
    );
    Err(2)
}

fn naming_of_environment() -> Result<Naming, i32> {
    match environment("PATCH_VERSION_CONTROL").or_else(|| environment("VERSION_CONTROL")) {
        Some(word) => naming(&word),
        None => Ok(Naming::Existing),
    }
}

fn environment(name: &str) -> Option<Vec<u8>> {
    std::env::var_os(name).map(|v| v.into_encoded_bytes()).filter(|v| !v.is_empty())
}

const TEXT: &str = "\
Usage: patch [OPTION]... [ORIGFILE [PATCHFILE]]
Makes the changes that a unified, context or normal difference describes.

  -p, --strip=N              names without their first N parts
  -i, --input=PATCHFILE      read the patch from a file, not from standard input
  -d, --directory=DIR        change to DIR first
  -R, --reverse              undo the changes
  -N, --forward              ignore patches that are applied already
  -F, --fuzz=N               let up to N (2) lines of context differ
  -l, --ignore-whitespace    any white space is as good as any other
  -c, --context, -n, --normal, -u, --unified, -e, --ed   what kind of difference the patch is
  -D, --ifdef=NAME           keep both versions, with #ifdef NAME
  -o, --output=FILE          write the patched files to FILE
  -r, --reject-file=FILE     write rejects to FILE
      --reject-format=FORMAT context or unified
  -E, --remove-empty-files   a file that is left empty goes away
  -Z, --set-utc, -T, --set-time  set the files' times to those in the patch
  -b, --backup               keep the files as they were
      --backup-if-mismatch, --no-backup-if-mismatch
  -V, --version-control=STYLE  name backups simple, numbered or existing
  -B, --prefix=P, -Y, --basename-prefix=P, -z, --suffix=S  parts of the names of simple backups
  -t, --batch                ask nothing, assume that patches are to be undone if that fits
  -f, --force                ask nothing, assume that they are not
  -s, --quiet, --silent      say nothing but errors
      --verbose              say more
      --dry-run              only say what would happen
      --binary               carriage returns are kept
      --read-only=WHAT       ignore, warn or fail
      --follow-symlinks      change what symbolic links stand for
      --posix                follow POSIX where GNU does not
      --help                 this text
  -v, --version              the version

Accepted without effect: -g, --get=N, -x, --debug=N, --quoting-style=shell.
The status is 0 if every hunk found its place, 1 if one did not, 2 if something went wrong.
";
