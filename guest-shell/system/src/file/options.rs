//! The command line of `file`.

use crate::base::options::{Given, Spec, hidden, listed};
use crate::base::say;
use sandshell_cli::out;

/// What to print about each file.
#[derive(Clone, Copy)]
pub(super) enum What {
    Description,
    Mime,
    MimeType,
    Charset,
}

/// The tests to leave out.
#[derive(Default)]
pub(super) struct Excluded {
    pub(super) tar: bool,
    pub(super) json: bool,
    pub(super) csv: bool,
    pub(super) soft: bool,
    pub(super) text: bool,
}

/// What to do.
pub(super) struct Options {
    pub(super) what: What,
    pub(super) brief: bool,
    pub(super) raw: bool,
    pub(super) pad: bool,
    pub(super) follow: bool,
    pub(super) special: bool,
    pub(super) keep_going: bool,
    pub(super) missing_is_error: bool,
    pub(super) nuls: usize,
    pub(super) separator: Vec<u8>,
    pub(super) excluded: Excluded,
    /// Files that list names.
    pub(super) lists: Vec<Vec<u8>>,
    pub(super) names: Vec<Vec<u8>>,
}

const SPEC: Spec = Spec {
    name: "file",
    options: &[
        listed(HELP),
        hidden("mime-type", "--mime-type"),
        hidden("mime-encoding", "--mime-encoding"),
        hidden("none", "-n, --no-buffer, -p, --preserve-date, -S, --no-sandbox"),
        hidden("none", "-P X, --parameter=X"),
        hidden("-m", "-m X, --magic-file=X"),
        hidden("-z", "-z, --uncompress"),
        hidden("-Z", "-Z, --uncompress-noreport"),
        hidden("-c", "-c, --checking-printout"),
        hidden("-l", "-l, --list"),
        hidden("-C", "-C, --compile"),
        hidden("-d", "-d, --debug"),
        hidden("--extension", "--extension"),
        hidden("--apple", "--apple"),
    ],
    ..Spec::DEFAULT
};

/// Parses the arguments. `Err` is the exit status, after a usage error or after printing help or the version.
pub(super) fn read(args: &[Vec<u8>]) -> Result<Options, i32> {
    let parsed = SPEC.parse_all(args.get(1..).unwrap_or_default())?;
    let mut read = Options {
        what: What::Description,
        brief: false,
        raw: false,
        pad: true,
        follow: std::env::var_os("POSIXLY_CORRECT").is_some(),
        special: false,
        keep_going: false,
        missing_is_error: false,
        nuls: 0,
        separator: b":".to_vec(),
        excluded: Excluded::default(),
        lists: Vec::new(),
        names: parsed.operands,
    };
    for g in &parsed.options {
        option(&mut read, args, g)?;
    }
    if read.names.is_empty() && read.lists.is_empty() {
        return Err(usage());
    }
    Ok(read)
}

fn option(read: &mut Options, args: &[Vec<u8>], g: &Given) -> Result<(), i32> {
    match g.id {
        "mime-type" => read.what = What::MimeType,
        "mime-encoding" => read.what = What::Charset,
        "b" => read.brief = true,
        "i" => read.what = What::Mime,
        "k" => read.keep_going = true,
        "L" => read.follow = true,
        "h" => read.follow = false,
        "N" => read.pad = false,
        "0" => read.nuls += 1,
        "r" => read.raw = true,
        "s" => read.special = true,
        "E" => read.missing_is_error = true,
        "F" => read.separator = g.text().to_vec(),
        "f" => read.lists.push(g.text().to_vec()),
        "e" if exclude(&mut read.excluded, g.text()) => {}
        "e" => return Err(usage()),
        "exclude-quiet" => drop(exclude(&mut read.excluded, g.text())),
        "none" => {}
        "help" => {
            out::put(HELP);
            return Err(0);
        }
        "v" => {
            out::put("file-5.44\nThis is sandshell's own program with the behaviour of that version.\n");
            return Err(0);
        }
        "?" => {
            say::raw([say::full_name(args), b": ", g.text(), b"\n"].concat());
            return Err(usage());
        }
        option => return Err(unsupported(args, option)),
    }
    Ok(())
}

fn exclude(excluded: &mut Excluded, test: &[u8]) -> bool {
    match test {
        b"tar" => excluded.tar = true,
        b"json" => excluded.json = true,
        b"csv" => excluded.csv = true,
        b"soft" => excluded.soft = true,
        b"text" => excluded.text = true,
        b"apptype" | b"ascii" | b"cdf" | b"compress" | b"elf" | b"encoding" | b"tokens" => {}
        _ => return false,
    }
    true
}

fn unsupported(args: &[Vec<u8>], option: &str) -> i32 {
    say::error(args, format!("option {option} is not supported"));
    1
}

fn usage() -> i32 {
    say::raw(USAGE);
    1
}

const USAGE: &str = "Usage: file [-bcCdEhikLlNnprsSvzZ0] [--apple] [--extension] [--mime-encoding]
            [--mime-type] [-e <testname>] [-F <separator>]  [-f <namefile>]
            [-m <magicfiles>] [-P <parameter=value>] [--exclude-quiet]
            <file> ...
       file -C [-m <magicfiles>]
       file [--help]
";

const HELP: &str = "\
Usage: file [OPTION...] [FILE...]
Looks into files, and says what kind of data is in them.

  -b, --brief                without the names
  -i, --mime                 as MIME type and character set; --mime-type, --mime-encoding: only one of these
  -k, --keep-going           all that fits, not just the first
  -L, --dereference          what symbolic links stand for
  -h, --no-dereference       the links; so it does unless POSIXLY_CORRECT is set
  -s, --special-files        also what is in devices
  -e, --exclude TEST         without a test: tar, json, csv, soft or text
      --exclude-quiet TEST   the same, and TEST may be any word
  -f, --files-from FILE      names are the lines of FILE
  -F, --separator STRING     STRING after names instead of `:'
  -N, --no-pad               no blanks to line up what is said
  -0, --print0               a zero byte after names; twice: after what is said, too
  -r, --raw                  strange characters as they are
  -E                         a file that cannot be read is an error
      --help                 this text
  -v, --version              the version

Accepted without effect: -n, --no-buffer, -p, --preserve-date, -P, --parameter NAME=VALUE, -S, --no-sandbox.
";
