//! The command line of `zip`.

use super::pack;
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

/// Runs `zip` and returns its exit status.
pub fn zip_main(args: Vec<Vec<u8>>) -> i32 {
    if args.len() <= 1 && sys::isatty(1) {
        out::put(USAGE);
        return out::finish("zip", 0, 14);
    }
    let mut options = Options { level: 6, ..Options::default() };
    let code = match options.read(args.get(1..).unwrap_or_default()) {
        Ok(()) => pack::run(&mut options),
        Err(code) => code,
    };
    out::finish("zip", code, 14)
}

/// Prints an error and returns the exit status.
pub(crate) fn error(text: impl AsRef<[u8]>, code: i32) -> i32 {
    out::put([b"\nzip error: ", text.as_ref(), b"\n"].concat());
    code
}

fn wrong(text: &str) -> i32 {
    error(format!("Invalid command arguments ({text})"), 16)
}

impl Options {
    fn read(&mut self, args: &[Vec<u8>]) -> Result<(), i32> {
        let mut operands: Vec<Vec<u8>> = Vec::new();
        let mut rest = args.iter().peekable();
        let mut options = true;
        while let Some(arg) = rest.next() {
            if !options || arg.len() < 2 || !arg.starts_with(b"-") {
                operands.push(arg.clone());
                continue;
            }
            let mut list = None;
            match arg.as_slice() {
                b"--" => options = false,
                b"--help" => {
                    out::put(USAGE);
                    return Err(0);
                }
                b"--recurse-paths" => self.recursive = true,
                b"--junk-paths" => self.junk = true,
                b"--quiet" => self.quiet = true,
                b"--verbose" => self.verbose = true,
                b"--update" => self.update = true,
                b"--freshen" => self.freshen = true,
                b"--delete" => self.delete = true,
                b"--move" => self.remove = true,
                b"--symlinks" => self.symlinks = true,
                b"--test" => self.test = true,
                b"--archive-comment" => self.comment = true,
                b"--show-files" => self.show = true,
                b"--exclude" => list = Some((b'x', Vec::new())),
                b"--include" => list = Some((b'i', Vec::new())),
                long if long.starts_with(b"--") => {
                    let name = String::from_utf8_lossy(long.get(2..).unwrap_or_default()).into_owned();
                    return Err(wrong(&format!("long option '{name}' not supported")));
                }
                short => list = self.letters(short)?,
            }
            if let Some((kind, attached)) = list {
                let to = if kind == b'x' { &mut self.but } else { &mut self.only };
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

    fn letters(&mut self, arg: &[u8]) -> Result<Option<(u8, Vec<u8>)>, i32> {
        for (i, letter) in arg.iter().enumerate().skip(1) {
            match letter {
                b'r' => self.recursive = true,
                b'j' => self.junk = true,
                b'q' => self.quiet = true,
                b'v' => self.verbose = true,
                b'u' => self.update = true,
                b's' if arg.get(i + 1) == Some(&b'f') => self.show = true,
                b'f' if arg.get(i - 1) == Some(&b's') => {}
                b'f' => self.freshen = true,
                b'd' => self.delete = true,
                b'm' => self.remove = true,
                b'D' => self.no_dirs = true,
                b'y' => self.symlinks = true,
                b'X' => self.no_extra = true,
                b'@' => self.stdin_names = true,
                b'T' => self.test = true,
                b'z' => self.comment = true,
                b'o' | b'k' | b'S' | b'g' => {}
                b'0'..=b'9' => self.level = u32::from(letter - b'0'),
                b'h' => {
                    out::put(USAGE);
                    return Err(0);
                }
                b'x' | b'i' => return Ok(Some((*letter, arg.get(i + 1..).unwrap_or_default().to_vec()))),
                b'e' | b'P' => return Err(wrong("encryption is not supported")),
                other => {
                    return Err(wrong(&format!("short option '{}' not supported", char::from(*other))));
                }
            }
        }
        Ok(None)
    }
}
