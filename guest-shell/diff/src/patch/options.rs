//! patch's command line.

use super::header::Form;
use super::say::Fatal;
use crate::say;
use crate::version;
use sandshell_cli::options::{Given, Spec, hidden, listed};
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

const SPEC: Spec = Spec {
    name: "patch",
    options: &[
        listed(TEXT),
        hidden("g", "-g N, --get=N"),
        hidden("x", "-x N, --debug=N"),
        hidden("merge", "--merge[=X]"),
        hidden("quoting-style", "--quoting-style=X"),
    ],
    ties: &[
        "backup",
        "prefix",
        "context",
        "directory",
        "ifdef",
        "ed",
        "remove-empty-files",
        "force",
        "fuzz",
        "get",
        "input",
        "ignore-whitespace",
        "merge",
        "normal",
        "forward",
        "output",
        "strip",
        "reject-file",
        "reverse",
        "quiet",
        "silent",
        "batch",
        "set-time",
        "unified",
        "version",
        "version-control",
        "debug",
        "basename-prefix",
        "suffix",
        "set-utc",
        "dry-run",
        "verbose",
        "binary",
        "help",
        "backup-if-mismatch",
        "no-backup-if-mismatch",
        "posix",
        "quoting-style",
        "reject-format",
        "read-only",
        "follow-symlinks",
    ],
    failure: 2,
    ..Spec::DEFAULT
};

/// Reads the arguments (the command's name first).
///
/// # Errors
/// The exit status, after a message or the help text was printed.
pub(super) fn read(args: &[Vec<u8>]) -> Result<Options, i32> {
    let parsed = SPEC.parse_all(args.get(1..).unwrap_or_default())?;
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
    for g in parsed.options {
        option(&mut o, g)?;
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

fn option(o: &mut Options, g: Given) -> Result<(), i32> {
    let text = g.text();
    match g.id {
        "b" => o.backup = true,
        "B" => o.prefix = Some(not_empty(g.value, "backup prefix is empty")?),
        "c" => o.form = Some(Form::Context),
        "d" => o.directory = g.value,
        "D" => o.define = g.value,
        "e" => o.form = Some(Form::Ed),
        "E" => o.remove_empty = true,
        "f" => o.force = true,
        "F" => o.fuzz = number(text, "fuzz factor")?,
        // Getting files from version control is not supported, so only the number is checked.
        "g" => drop(number(text.strip_prefix(b"-").unwrap_or(text), "get option value")?),
        "i" => o.input = g.value,
        "l" => o.ignore_space = true,
        "n" => o.form = Some(Form::Normal),
        "N" => o.forward = true,
        "o" => o.output = g.value,
        "p" => o.strip = Some(number(text, "strip count")?),
        "r" => o.reject = g.value,
        "R" => o.reverse = true,
        "s" => o.verbosity = Verbosity::Silent,
        "t" => o.batch = true,
        "Z" => o.set_time = true,
        "u" => o.form = Some(Form::Unified),
        "v" => {
            out::put(
                "GNU patch 2.7.6\nThis is sandshell's own program with the behaviour of that version.\n",
            );
            return Err(out::finish("patch", 0, 2));
        }
        "V" => o.naming = naming(text)?,
        "x" => drop(number(text, "debugging option")?),
        "Y" => o.base_prefix = Some(not_empty(g.value, "backup basename prefix is empty")?),
        "z" => {
            o.suffix = Some(not_empty(g.value, "backup suffix is empty")?);
            o.named_suffix = true;
        }
        "binary" => o.binary = true,
        "dry-run" => o.dry_run = true,
        "verbose" => o.verbosity = Verbosity::Verbose,
        "backup-if-mismatch" => o.backup_if_mismatch = true,
        "no-backup-if-mismatch" => o.backup_if_mismatch = false,
        "posix" => o.posix = true,
        "quoting-style" if text == b"shell" => {}
        "quoting-style" => return refuse("--quoting-style"),
        "reject-format" => {
            o.reject_unified = Some(match text {
                b"unified" => true,
                b"context" => false,
                _ => return Err(say::try_help(None)),
            });
        }
        "read-only" => {
            o.read_only = match text {
                b"ignore" => ReadOnly::Ignore,
                b"warn" => ReadOnly::Warn,
                b"fail" => ReadOnly::Fail,
                _ => return Err(say::try_help(None)),
            };
        }
        "merge" => return refuse("--merge"),
        "follow-symlinks" => o.follow_links = true,
        "?" => return Err(say::try_help(Some(text))),
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
  -u, --unified              the patch is a unified difference
  -c, --context              a context one
  -n, --normal               a normal one
  -e, --ed                   a script for ed
  -D, --ifdef=NAME           keep both versions, with #ifdef NAME
  -o, --output=FILE          write the patched files to FILE
  -r, --reject-file=FILE     write rejects to FILE
      --reject-format=FORMAT  context or unified
  -E, --remove-empty-files   a file that is left empty goes away
  -Z, --set-utc, -T, --set-time  set the files' times to those in the patch
  -b, --backup               keep the files as they were
      --backup-if-mismatch   only where a hunk did not fit exactly
      --no-backup-if-mismatch  not even then
  -V, --version-control=STYLE  name backups simple, numbered or existing
  -B, --prefix=P             simple backups have names that begin with P
  -Y, --basename-prefix=P    the same after the directory
  -z, --suffix=S             they end with S
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
