//! The command line of `zip`.

use sandshell_cli::options::{Opt, Spec, hidden, listed};
use sandshell_cli::out;
use sandshell_sys as sys;

#[derive(Default)]
pub(crate) struct Options {
    pub(crate) recursive: bool,
    pub(crate) junk: bool,
    pub(crate) quiet: bool,
    pub(crate) verbose: bool,
    pub(crate) update: bool,
    pub(crate) freshen: bool,
    pub(crate) delete: bool,
    pub(crate) remove: bool,
    pub(crate) no_dirs: bool,
    pub(crate) symlinks: bool,
    pub(crate) no_extra: bool,
    pub(crate) stdin_names: bool,
    pub(crate) level: u32,
    pub(crate) test: bool,
    /// Whether a comment for the archive is read from standard input.
    pub(crate) comment: bool,
    /// Only show what would be done.
    pub(crate) show: bool,
    pub(crate) only: Vec<Vec<u8>>,
    pub(crate) but: Vec<Vec<u8>>,
    pub(crate) archive: Vec<u8>,
    pub(crate) files: Vec<Vec<u8>>,
}

const USAGE: &str = "\
Zip 3.0 (July 5th 2008). Usage:
zip [-options] [zipfile list] [-xi list]
Puts the files of the list into the zipfile, in place of members with the same names. A list of `-` is standard input.

  -r, --recurse-paths     directories with all that is in them
  -j, --junk-paths        names without directories
  -D                      no members for directories
  -y, --symlinks          links as links
  -x, --exclude LIST      but not these names
  -i, --include LIST      but only these names
  -@                      names of the list come from standard input
  -u, --update            only files that are newer, or not yet there
  -f, --freshen           only files that are newer
  -m, --move              remove the files afterwards
  -d, --delete            remove members
  -T, --test              look for damage
  -z, --archive-comment   ask for a comment of the zipfile
  -sf, --show-files       only say which files it would be
  -X                      no owners, and times as simple as may be
  -0 ... -9               from no packing to small; usually -6
  -q, --quiet             say less
  -v, --verbose           say more
  -h, --help              this text

Accepted without effect: -g, -k, -o, -S.

Example: zip -r src.zip src -x '*.o'
";

/// The options. Letters stand in one word; long names are not abbreviated, and lists are the words after an option.
pub(super) const SPEC: Spec = Spec { name: "zip", options: OPTIONS, ..Spec::DEFAULT };

const OPTIONS: &[Opt] = &[
    // Two letters.
    hidden("sf", "-s, --show-files"),
    hidden("", "-0, -1, -2, -3, -4, -5, -6, -7, -8, -9"),
    listed(USAGE),
    hidden("ignored", "-g, -k, -o, -S"),
    // These are refused.
    hidden("encrypted", "-e, -P"),
];

/// Prints an error and returns the exit status.
pub(crate) fn error(text: impl AsRef<[u8]>, code: i32) -> i32 {
    out::put([b"\nzip error: ", text.as_ref(), b"\n"].concat());
    code
}

fn wrong(text: &str) -> i32 {
    error(format!("Invalid command arguments ({text})"), 16)
}

impl Options {
    pub(super) fn read(&mut self, args: &[Vec<u8>]) -> Result<(), i32> {
        let mut operands: Vec<Vec<u8>> = Vec::new();
        let mut rest = args.iter().peekable();
        let mut options = true;
        while let Some(arg) = rest.next() {
            if !options || arg.len() < 2 || !arg.starts_with(b"-") {
                operands.push(arg.clone());
                continue;
            }
            let list = match arg.strip_prefix(b"--") {
                Some(b"") => {
                    options = false;
                    None
                }
                Some(long) => {
                    let Some(option) = SPEC.long(long) else {
                        let name = String::from_utf8_lossy(long);
                        return Err(wrong(&format!("long option '{name}' not supported")));
                    };
                    self.set(option.id)?.then_some((option.id, Vec::new()))
                }
                None => self.letters(arg)?,
            };
            if let Some((kind, attached)) = list {
                let to = if kind == "x" { &mut self.but } else { &mut self.only };
                if !attached.is_empty() {
                    to.push(attached);
                    continue;
                }
                while let Some(next) = rest.next_if(|a| !a.starts_with(b"-")) {
                    if next == b"@" {
                        break;
                    }
                    to.push(next.clone());
                }
            }
        }
        let mut operands = operands.into_iter();
        let filter = operands.len() == 0 && !self.stdin_names && !sys::isatty(1);
        self.archive = operands.next().unwrap_or_else(|| b"-".to_vec());
        self.files = if filter { vec![b"-".to_vec()] } else { operands.collect() };
        let base = self.archive.rsplit(|b| *b == b'/').next().unwrap_or_default();
        if self.archive != b"-" && !base.contains(&b'.') {
            self.archive.extend_from_slice(b".zip");
        }
        Ok(())
    }

    /// Letters in one word. The last one may begin a list, whose first name may follow in the word.
    fn letters(&mut self, arg: &[u8]) -> Result<Option<(&'static str, Vec<u8>)>, i32> {
        let mut rest = arg.get(1..).unwrap_or_default();
        while let Some((letter, after)) = rest.split_first() {
            rest = after;
            let unknown = || wrong(&format!("short option '{}' not supported", char::from(*letter)));
            let option = SPEC.letter(*letter).ok_or_else(unknown)?;
            if option.id == "sf" {
                rest = rest.strip_prefix(b"f").ok_or_else(unknown)?;
            }
            if self.set(option.id)? {
                return Ok(Some((option.id, rest.to_vec())));
            }
        }
        Ok(None)
    }

    /// Returns whether a list begins.
    fn set(&mut self, id: &str) -> Result<bool, i32> {
        match id {
            "r" => self.recursive = true,
            "j" => self.junk = true,
            "q" => self.quiet = true,
            "v" => self.verbose = true,
            "u" => self.update = true,
            "sf" => self.show = true,
            "f" => self.freshen = true,
            "d" => self.delete = true,
            "m" => self.remove = true,
            "D" => self.no_dirs = true,
            "y" => self.symlinks = true,
            "X" => self.no_extra = true,
            "@" => self.stdin_names = true,
            "T" => self.test = true,
            "z" => self.comment = true,
            "h" => {
                out::put(SPEC.help());
                return Err(0);
            }
            "x" | "i" => return Ok(true),
            "encrypted" => return Err(wrong("encryption is not supported")),
            level => self.level = level.parse().unwrap_or(self.level),
        }
        Ok(false)
    }
}
