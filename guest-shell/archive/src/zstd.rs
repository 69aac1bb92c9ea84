//! `zstd` 1.5, `unzstd` and `zstdcat`.

use crate::codec::{self, Format};
use crate::io::{Counted, Failure, FdReader, FdWriter, Nowhere, copy, errno, read_full};
use crate::single;
use sandshell_cli::options::{Opt, Spec, hidden, listed};
use sandshell_sys::{self as sys, Errno};
use std::io::{Cursor, Error, ErrorKind, Read, Write};

#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Compress,
    Decompress,
    Test,
}

struct Zstd {
    name: Vec<u8>,
    mode: Mode,
    stdout: bool,
    output: Option<Vec<u8>>,
    remove: bool,
    force: bool,
    quiet: u32,
    recursive: bool,
    status: i32,
    several: bool,
}

const SUFFIXES: [(&[u8], &[u8]); 8] = [
    (b".tzst", b".tar"),
    (b".zst", b""),
    (b".tgz", b".tar"),
    (b".gz", b""),
    (b".txz", b".tar"),
    (b".xz", b""),
    (b".lzma", b""),
    (b".tlz", b".tar"),
];
const USAGE: &str = "\
Usage: zstd [OPTIONS...] [INPUT... | -] [-o OUTPUT]
Packs each INPUT into one with .zst at its end; `unzstd` unpacks, `zstdcat` unpacks to standard output. Standard input,
which is meant by `-` or without INPUT, goes to standard output.

  -z, --compress             pack, whatever the program's name says
  -d, --decompress, --uncompress  unpack; gzip, xz and lzma are known too
  -t, --test                 only look for damage
  -o OUTPUT                  into this file
  -c, --stdout               to standard output
  -k, --keep                 the INPUT stays; so it does without this option
      --rm                   remove the INPUT
  -f, --force                replace what is there
  -r                         all files in directories
  -q, --quiet                say less
  -h, -H, --help             this text
  -V, --version              the version

Accepted, although there is but one method: -1 ... -19, --fast, --long, --ultra, -T, --threads, -C, --check, --no-check,
-v, --verbose, --progress, --no-progress.
";

/// The options. Letters stand in one word; long names are not abbreviated, and have no values but for those that are
/// without effect.
const SPEC: Spec = Spec { name: "zstd", options: OPTIONS, ..Spec::DEFAULT };

const OPTIONS: &[Opt] = &[
    listed(USAGE),
    hidden("ignored", "-0, -1, -2, -3, -4, -5, -6, -7, -8, -9"),
    hidden("ignored", "-C, --check, --no-check, -v, --verbose, --ultra, --progress, --no-progress"),
    hidden("T", "-T"),
    // This is refused.
    hidden("l", "-l, --list"),
];

/// Runs `zstd`, or the program that the first argument names, and returns the exit status.
pub fn zstd_main(args: Vec<Vec<u8>>) -> i32 {
    let called = args.first().map(Vec::as_slice).unwrap_or_default();
    let name = called.rsplit(|b| *b == b'/').next().unwrap_or_default().to_vec();
    let mut tool = Zstd {
        mode: if name == b"zstd" { Mode::Compress } else { Mode::Decompress },
        stdout: name == b"zstdcat",
        force: name == b"zstdcat",
        quiet: u32::from(name == b"zstdcat"),
        name,
        output: None,
        remove: false,
        recursive: false,
        status: 0,
        several: false,
    };
    let mut files = Vec::new();
    if let Err(code) = tool.options(args.get(1..).unwrap_or_default(), &mut files) {
        return code;
    }
    if files.is_empty() {
        files.push(b"-".to_vec());
    }
    tool.several = files.len() > 1;
    for file in files {
        tool.file(&file);
    }
    tool.status
}

impl Zstd {
    fn options(&mut self, args: &[Vec<u8>], files: &mut Vec<Vec<u8>>) -> Result<(), i32> {
        let mut rest = args.iter();
        while let Some(arg) = rest.next() {
            match arg.as_slice() {
                b"--" => files.extend(rest.by_ref().cloned()),
                long if long.starts_with(b"--fast")
                    || long.starts_with(b"--long")
                    || long.starts_with(b"--threads=") => {}
                [b'-', b'-', long @ ..] => match SPEC.long(long) {
                    Some(option) => self.set(option.id, arg)?,
                    None => return Err(self.wrong()),
                },
                short if short.len() > 1 && short.starts_with(b"-") => self.letters(short, &mut rest)?,
                _ => files.push(arg.clone()),
            }
        }
        Ok(())
    }

    fn letters<'a>(&mut self, arg: &[u8], rest: &mut impl Iterator<Item = &'a Vec<u8>>) -> Result<(), i32> {
        let mut letters = arg.iter().skip(1).peekable();
        while let Some(letter) = letters.next() {
            match SPEC.letter(*letter).map_or("", |option| option.id) {
                "" => return Err(self.wrong()),
                "T" => while letters.next_if(|b| b.is_ascii_digit()).is_some() {},
                "o" => {
                    let attached: Vec<u8> = letters.copied().collect();
                    let value = if attached.is_empty() { rest.next().cloned() } else { Some(attached) };
                    let Some(value) = value else {
                        self.say(b"error: missing command argument ");
                        return Err(1);
                    };
                    self.output = Some(value);
                    return Ok(());
                }
                id => self.set(id, &[b'-', *letter])?,
            }
        }
        Ok(())
    }

    /// An option without a value, which was written like this.
    fn set(&mut self, id: &str, written: &[u8]) -> Result<(), i32> {
        match id {
            "z" => self.mode = Mode::Compress,
            "d" => self.mode = Mode::Decompress,
            "t" => self.mode = Mode::Test,
            "c" => self.write_to_stdout(),
            "f" => self.force = true,
            "k" => self.remove = false,
            "rm" => self.remove = true,
            "q" => self.quiet += 1,
            "r" => self.recursive = true,
            "l" => {
                self.say(&[written, b" is not supported"].concat());
                return Err(1);
            }
            "V" => return Err(version()),
            "h" => return Err(usage(1, 0)),
            _ => {}
        }
        Ok(())
    }

    fn write_to_stdout(&mut self) {
        self.stdout = true;
        if self.quiet == 0 {
            self.quiet = 1;
        }
    }

    fn wrong(&self) -> i32 {
        let _ = sys::write_all(2, b"Incorrect parameters \n");
        usage(2, 1)
    }

    fn say(&self, text: &[u8]) {
        let _ = sys::write_all(2, &[&self.name[..], b": ", text, b"\n"].concat());
    }

    fn fail(&mut self, text: &[u8]) {
        if self.quiet < 2 {
            self.say(text);
        }
        self.status = 1;
    }

    fn file(&mut self, file: &[u8]) {
        if file == b"-" && self.output.is_none() {
            if self.mode == Mode::Compress && sys::isatty(1) && !self.force {
                return self.fail(b"stdout is a console, aborting");
            }
            let to: Box<dyn Write> =
                if self.mode == Mode::Test { Box::new(Nowhere) } else { Box::new(FdWriter(1)) };
            self.through(b"/*stdin*\\", FdReader(0), to, None);
            return;
        }
        let stdin = file == b"-";
        let stat = match if stdin { sys::fstat(0) } else { sys::stat(file, true) } {
            Ok(stat) => stat,
            Err(e) => {
                return self.fail(
                    &[b"can't stat ", file, b" : ", e.to_string().as_bytes(), b" -- ignored "].concat(),
                );
            }
        };
        if stat.is_dir() {
            if self.recursive
                && let Ok(files) = single::entries(file)
            {
                self.several = true;
                return files.iter().for_each(|f| self.file(f));
            }
            return self.fail(&[file, b" is a directory -- ignored "].concat());
        }
        let from = match if stdin { Ok(FdReader(0)) } else { FdReader::open(file) } {
            Ok(from) => from,
            Err(e) => return self.fail(&[file, b": ", e.to_string().as_bytes()].concat()),
        };
        if self.mode == Mode::Test {
            self.through(file, from, Box::new(Nowhere), None);
            return;
        }
        if self.stdout {
            self.through(file, from, Box::new(FdWriter(1)), None);
            return;
        }
        let Some(target) = self.output.clone().or_else(|| self.target(file)) else { return };
        let to = match single::create(&target, self.force) {
            Ok(to) => to,
            Err(Errno::EXIST) => {
                let text: &[u8] = match self.quiet {
                    0 => b" already exists; overwrite (y/n) ? Not overwritten  \n",
                    _ => b" already exists; not overwritten  ",
                };
                return self.fail(&[&target[..], text].concat());
            }
            Err(e) => return self.fail(&[&target[..], b": ", e.to_string().as_bytes()].concat()),
        };
        if self.through(file, from, Box::new(to), Some(&target)) {
            if !stdin {
                single::keep_attributes(&target, &stat, None);
            }
            if self.remove && !stdin {
                let _ = sys::unlink(file);
            }
        } else {
            let _ = sys::unlink(&target);
        }
    }

    fn target(&mut self, file: &[u8]) -> Option<Vec<u8>> {
        if self.mode == Mode::Compress {
            return Some([file, b".zst"].concat());
        }
        for (suffix, instead) in SUFFIXES {
            if let Some(stem) = file.strip_suffix(suffix).filter(|s| !s.is_empty()) {
                return Some([stem, instead].concat());
            }
        }
        let text = b": unknown suffix (.zst/.tzst/.gz/.tgz/.lzma/.xz/.txz/.lz4/.tlz4 expected). Can't derive the output file name. Specify it with -o dstFileName. Ignoring.";
        self.fail(&[file, text].concat());
        None
    }

    fn through(&mut self, file: &[u8], from: FdReader, to: Box<dyn Write>, target: Option<&[u8]>) -> bool {
        let mut from = Counted::new(from);
        let mut to = Counted::new(to);
        let result = match self.mode {
            Mode::Compress => {
                codec::writer(Format::Zstd, None, &mut to).map_err(Failure::Writing).and_then(|mut sink| {
                    copy(&mut from, &mut *sink)?;
                    sink.finish().map_err(Failure::Writing)
                })
            }
            _ => self.unpack(&mut from, &mut to),
        };
        let (read, written) = (from.bytes, to.bytes);
        match result {
            Ok(()) => {
                if self.quiet == 0 && !self.several && file != b"/*stdin*\\" {
                    self.summary(file, read, written, target);
                }
                true
            }
            Err(Failure::Writing(e)) => {
                if errno(&e) != Errno::PIPE {
                    let target = target.unwrap_or(b"/*stdout*\\");
                    self.fail(&[target, b": ", errno(&e).to_string().as_bytes(), b" "].concat());
                }
                self.status = 1;
                false
            }
            Err(Failure::Reading(e)) => {
                let text = match e.kind() {
                    _ if e.raw_os_error().is_some() => format!("Read error : {}", errno(&e)),
                    ErrorKind::InvalidInput => format!("{e} "),
                    kind => {
                        // In `zstd`, the decoder prints these, without the program's name.
                        let text: &[u8] = match kind {
                            ErrorKind::UnexpectedEof => b" : Read error (39) : premature end \n",
                            _ => b" : Decoding error (36) : Data corruption detected \n",
                        };
                        if self.quiet < 2 {
                            let _ = sys::write_all(2, &[file, text].concat());
                        }
                        self.status = 1;
                        return false;
                    }
                };
                self.fail(&[file, b": ", text.as_bytes()].concat());
                false
            }
        }
    }

    fn summary(&self, file: &[u8], read: u64, written: u64, target: Option<&[u8]>) {
        let base = file.rsplit(|b| *b == b'/').next().unwrap_or_default();
        let shown = String::from_utf8_lossy(base);
        let text = match self.mode {
            Mode::Compress => {
                let to = target.map_or("/*stdout*\\".into(), String::from_utf8_lossy);
                let percent = 100.0 * written as f64 / read.max(1) as f64;
                format!("{shown:<20} :{percent:5.2}%   ({read:>6} B => {written:>6} B, {to}) \n")
            }
            _ => format!("{shown:<20}: {written} bytes \n"),
        };
        let _ = sys::write_all(2, text.as_bytes());
    }

    fn unpack(&self, from: &mut dyn Read, to: &mut dyn Write) -> Result<(), Failure> {
        let mut start = [0; 6];
        let n = read_full(from, &mut start).map_err(Failure::Reading)?;
        let start = start.get(..n).unwrap_or_default().to_vec();
        let format = match start.as_slice() {
            [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Some(Format::Zstd),
            _ => Format::detect(&start),
        };
        let mut whole = Cursor::new(start).chain(from);
        let Some(format) = format else {
            if self.force && self.stdout && self.mode == Mode::Decompress {
                return copy(&mut whole, to).map(|_| ());
            }
            let text = match n {
                0 => "unexpected end of file",
                1..=3 => "unknown header",
                _ => "unsupported format",
            };
            return Err(Failure::Reading(Error::new(ErrorKind::InvalidInput, text)));
        };
        let mut reader = codec::reader(format, whole).map_err(Failure::Reading)?;
        copy(&mut *reader, to).map(|_| ())
    }
}

fn version() -> i32 {
    let _ = sys::write_all(1, b"*** Zstandard CLI (64-bit) v1.5.4 ***\nThis is sandshell's own program with the behaviour of that version.\n");
    0
}

fn usage(fd: sys::Fd, code: i32) -> i32 {
    let _ = sys::write_all(fd, SPEC.help().as_bytes());
    code
}
