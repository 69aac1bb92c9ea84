//! `bzip2` 1.0.8, `bunzip2` and `bzcat`.

use crate::codec::{self, Format};
use crate::io::{Counted, Failure, FdReader, FdWriter, Nowhere, copy, errno, read_full};
use crate::single;
use sandshell_cli::options::{Opt, Spec, hidden, listed};
use sandshell_sys::{self as sys, Errno};
use std::io::{BufReader, Cursor, ErrorKind, Read, Write};

#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Compress,
    Decompress,
    Test,
}

struct Bzip2 {
    name: Vec<u8>,
    mode: Mode,
    stdout: bool,
    keep: bool,
    force: bool,
    verbose: bool,
    quiet: bool,
    level: u32,
    status: i32,
    /// The length of the longest file name, for aligning the output of `-v`.
    longest: usize,
}

const SUFFIXES: [(&[u8], &[u8]); 4] =
    [(b".bz2", b""), (b".bz", b""), (b".tbz2", b".tar"), (b".tbz", b".tar")];
const USAGE: &str = "\
bzip2, a block-sorting file compressor.  Version 1.0.8, 13-Jul-2019.

   usage: bzip2 [flags and input files in any order]

Packs each file into one with .bz2 at its end, which takes its place. `bunzip2` unpacks, `bzcat` unpacks to standard
output. Standard input, which is meant by `-` or without files, goes to standard output.

   -z --compress       pack, whatever the program's name says
   -d --decompress     unpack
   -t --test           only look for damage
   -c --stdout         to standard output; the file stays
   -k --keep           the file stays
   -f --force          replace what is there
   -q --quiet          say less
   -v --verbose        say how well each file was packed
   -1 ... -9           blocks of 100 to 900 kB; usually -9
   --fast, --best      the same as -1 and -9
   -s --small          no effect
   -h --help           this text
   -V --version, -L --license  the version
";

/// The options. Letters stand in one word; long names are not abbreviated.
const SPEC: Spec = Spec { name: "bzip2", options: OPTIONS, ..Spec::DEFAULT };

const OPTIONS: &[Opt] = &[
    hidden("", "-1, -2, -3, -4, -5, -6, -7, -8, -9"),
    hidden("1", "--fast"),
    hidden("9", "--best"),
    listed(USAGE),
];

/// Runs `bzip2`, or the program that the first argument names, and returns the exit status.
pub fn bzip2_main(args: Vec<Vec<u8>>) -> i32 {
    let called = args.first().map(Vec::as_slice).unwrap_or_default();
    let name = called.rsplit(|b| *b == b'/').next().unwrap_or_default().to_vec();
    let mut tool = Bzip2 {
        mode: if name == b"bzip2" { Mode::Compress } else { Mode::Decompress },
        stdout: name == b"bzcat",
        name,
        keep: false,
        force: false,
        verbose: false,
        quiet: false,
        level: 9,
        status: 0,
        longest: 7,
    };
    let mut files = Vec::new();
    let mut options = true;
    for arg in args.iter().skip(1) {
        if !options || !arg.starts_with(b"-") || arg == b"-" {
            files.push(arg.clone());
        } else if arg == b"--" {
            options = false;
        } else if let Err(code) = tool.option(arg) {
            return code;
        }
    }
    if files.is_empty() {
        files.push(b"-".to_vec());
    }
    let length = |f: &Vec<u8>| if f == b"-" { 7 } else { f.len() };
    tool.longest = files.iter().map(length).max().unwrap_or(7).max(7);
    for file in files {
        tool.file(&file);
    }
    tool.status
}

impl Bzip2 {
    fn say(&self, text: &[u8]) {
        let _ = sys::write_all(2, &[&self.name[..], b": ", text, b"\n"].concat());
    }

    fn option(&mut self, arg: &[u8]) -> Result<(), i32> {
        if let Some(long) = arg.strip_prefix(b"--") {
            return self.set(SPEC.long(long).map_or("", |option| option.id), arg);
        }
        arg.iter()
            .skip(1)
            .try_for_each(|letter| self.set(SPEC.letter(*letter).map_or("", |option| option.id), arg))
    }

    /// An option that is part of `arg`.
    fn set(&mut self, id: &str, arg: &[u8]) -> Result<(), i32> {
        match id {
            "c" => self.stdout = true,
            "d" => self.mode = Mode::Decompress,
            "z" => self.mode = Mode::Compress,
            "f" => self.force = true,
            "t" => self.mode = Mode::Test,
            "k" => self.keep = true,
            "s" => {}
            "q" => self.quiet = true,
            "v" => self.verbose = true,
            "V" | "L" => {
                let text = "bzip2, a block-sorting file compressor.  Version 1.0.8, 13-Jul-2019.\n";
                let _ = sys::write_all(2, text.as_bytes());
                return Err(0);
            }
            "h" => {
                let _ = sys::write_all(2, SPEC.help().as_bytes());
                return Err(0);
            }
            level => match level.parse() {
                Ok(level) => self.level = level,
                Err(_) => {
                    self.say(&[b"Bad flag `", arg, b"'"].concat());
                    let _ = sys::write_all(2, SPEC.help().as_bytes());
                    return Err(1);
                }
            },
        }
        Ok(())
    }

    fn fail(&mut self, text: &[u8]) {
        self.say(text);
        self.status = self.status.max(1);
    }

    fn file(&mut self, file: &[u8]) {
        if file == b"-" {
            if self.mode == Mode::Compress && sys::isatty(1) {
                self.fail(b"I won't write compressed data to a terminal.");
                return;
            }
            let sink: Box<dyn Write> =
                if self.mode == Mode::Test { Box::new(Nowhere) } else { Box::new(FdWriter(1)) };
            self.through(b"(stdin)", b"(stdout)", FdReader(0), sink);
            return;
        }
        let to_stdout = self.stdout || self.mode == Mode::Test;
        let stat = match sys::stat(file, to_stdout || self.force) {
            Ok(stat) => stat,
            Err(e) => {
                let text = match self.mode {
                    Mode::Test => "Can't open input ",
                    _ => "Can't open input file ",
                };
                return self.fail(&[text.as_bytes(), file, b": ", e.to_string().as_bytes(), b"."].concat());
            }
        };
        if self.mode == Mode::Compress
            && let Some((suffix, _)) = SUFFIXES.iter().find(|(s, _)| file.ends_with(s))
        {
            return self.fail(&[b"Input file ", file, b" already has ", *suffix, b" suffix."].concat());
        }
        if stat.is_dir() {
            return self.fail(&[b"Input file ", file, b" is a directory."].concat());
        }
        if !self.force && !to_stdout && !stat.is_file() {
            return self.fail(&[b"Input file ", file, b" is not a normal file."].concat());
        }
        let from = match FdReader::open(file) {
            Ok(from) => from,
            Err(e) => {
                return self.fail(
                    &[b"Can't open input file ", file, b": ", e.to_string().as_bytes(), b"."].concat(),
                );
            }
        };
        if to_stdout {
            let sink: Box<dyn Write> =
                if self.mode == Mode::Test { Box::new(Nowhere) } else { Box::new(FdWriter(1)) };
            self.through(file, b"(stdout)", from, sink);
            return;
        }
        let target = self.target(file);
        if !self.force && sys::stat(&target, false).is_ok() {
            return self.fail(&[b"Output file ", &target[..], b" already exists."].concat());
        }
        if !self.force && stat.nlink > 1 {
            let n = stat.nlink - 1;
            let s = if n > 1 { "s" } else { "" };
            return self
                .fail(&[b"Input file ", file, format!(" has {n} other link{s}.").as_bytes()].concat());
        }
        let to = match single::create(&target, self.force) {
            Ok(to) => to,
            Err(e) => {
                let text = [b"Can't create output file ", &target[..], b": ", e.to_string().as_bytes(), b"."]
                    .concat();
                return self.fail(&text);
            }
        };
        if self.through(file, &target, from, Box::new(to)) {
            single::keep_attributes(&target, &stat, None);
            if !self.keep {
                let _ = sys::unlink(file);
            }
        } else {
            let _ = sys::unlink(&target);
        }
    }

    fn target(&self, file: &[u8]) -> Vec<u8> {
        if self.mode == Mode::Compress {
            return [file, b".bz2"].concat();
        }
        for (suffix, instead) in SUFFIXES {
            if let Some(stem) = file.strip_suffix(suffix).filter(|s| !s.is_empty()) {
                return [stem, instead].concat();
            }
        }
        let target = [file, b".out"].concat();
        if !self.quiet {
            self.say(&[b"Can't guess original name for ", file, b" -- using ", &target[..]].concat());
        }
        target
    }

    /// Compresses or decompresses the file. Returns whether that succeeded.
    fn through(&mut self, file: &[u8], target: &[u8], from: FdReader, to: Box<dyn Write>) -> bool {
        if self.verbose {
            let pad = vec![b' '; self.longest.saturating_sub(file.len())];
            let _ = sys::write_all(2, &[b"  ", file, b": ", &pad[..]].concat());
        }
        let mut from = Counted::new(from);
        let mut to = Counted::new(to);
        let result = match self.mode {
            Mode::Compress => codec::writer(Format::Bzip2, Some(self.level), &mut to)
                .map_err(Failure::Writing)
                .and_then(|mut sink| {
                    copy(&mut from, &mut *sink)?;
                    sink.finish().map_err(Failure::Writing)
                }),
            _ => self.unpack(file, &mut from, &mut to),
        };
        match result {
            Ok(()) => {
                if self.verbose {
                    let text = match self.mode {
                        Mode::Compress if from.bytes == 0 => " no data compressed.\n".into(),
                        Mode::Compress => numbers(from.bytes, to.bytes),
                        Mode::Decompress => "done\n".into(),
                        Mode::Test => "ok\n".to_owned(),
                    };
                    let _ = sys::write_all(2, text.as_bytes());
                }
                true
            }
            Err(Failure::Writing(e)) => {
                if errno(&e) != Errno::PIPE {
                    let reason = errno(&e).to_string();
                    let text = [
                        &b"\nbzip2: I/O or other error, bailing out.  Possible reason follows.\nbzip2: "[..],
                        reason.as_bytes(),
                        b"\n\tInput file = ",
                        file,
                        b", output file = ",
                        target,
                        b"\n",
                    ];
                    let _ = sys::write_all(2, &text.concat());
                }
                self.status = self.status.max(1);
                false
            }
            Err(Failure::Reading(e)) => {
                self.broken(file, target, &e);
                false
            }
        }
    }

    fn unpack(&self, file: &[u8], from: &mut dyn Read, to: &mut dyn Write) -> Result<(), Failure> {
        let mut start = [0; 3];
        let n = read_full(from, &mut start).map_err(Failure::Reading)?;
        let given = start.get(..n).unwrap_or_default().to_vec();
        let whole = Cursor::new(given.clone()).chain(from);
        if n > 0 && given != b"BZh" {
            if self.force && self.mode == Mode::Decompress {
                let mut whole = whole;
                return copy(&mut whole, to).map(|_| ());
            }
            return Err(Failure::Reading(ErrorKind::InvalidInput.into()));
        }
        let mut reader = codec::Bzip2Streams::new(BufReader::new(whole));
        if n == 0 {
            return Err(Failure::Reading(ErrorKind::UnexpectedEof.into()));
        }
        copy(&mut reader, to)?;
        if reader.garbage && !self.quiet {
            let name: &[u8] = &self.name;
            let _ = sys::write_all(
                2,
                &[b"\n", name, b": ", file, b": trailing garbage after EOF ignored\n"].concat(),
            );
        }
        Ok(())
    }

    fn broken(&mut self, file: &[u8], target: &[u8], e: &std::io::Error) {
        self.status = 2;
        if e.raw_os_error().is_some() {
            self.status = 1;
            let text =
                format!("I/O or other error, bailing out.  Possible reason follows.\nbzip2: {}", errno(e));
            return self.say(text.as_bytes());
        }
        if self.mode == Mode::Test {
            let text: &[u8] = match e.kind() {
                ErrorKind::UnexpectedEof => b"file ends unexpectedly\n",
                ErrorKind::InvalidInput => b"bad magic number (file not created by bzip2)\n",
                _ => b"data integrity (CRC) error in data\n",
            };
            if !self.verbose {
                let _ = sys::write_all(2, &[&self.name[..], b": ", file, b": "].concat());
            }
            let _ = sys::write_all(2, text);
            let recover = b"\nYou can use the `bzip2recover' program to attempt to recover\ndata from undamaged sections of corrupted files.\n\n";
            let _ = sys::write_all(2, recover);
            return;
        }
        let first: &[u8] = match e.kind() {
            ErrorKind::InvalidInput => {
                return self.say(&[file, b" is not a bzip2 file."].concat());
            }
            ErrorKind::UnexpectedEof => {
                b"Compressed file ends unexpectedly;\n\tperhaps it is corrupted?  *Possible* reason follows.\n"
            }
            _ => b"Data integrity error when decompressing.\n",
        };
        let mut text = [b"\n", &self.name[..], b": ", first].concat();
        if e.kind() == ErrorKind::UnexpectedEof {
            text.extend_from_slice(&[&self.name[..], b": Success\n"].concat());
        }
        text.extend_from_slice(&[b"\tInput file = ", file, b", output file = ", target, b"\n"].concat());
        text.extend_from_slice(
            b"\nIt is possible that the compressed file(s) have become corrupted.\nYou can use the -tvv option to test integrity of such files.\n\nYou can use the `bzip2recover' program to attempt to recover\ndata from undamaged sections of corrupted files.\n\n",
        );
        if target != b"(stdout)" {
            text.extend_from_slice(
                &[&self.name[..], b": Deleting output file ", target, b", if it exists.\n"].concat(),
            );
        }
        let _ = sys::write_all(2, &text);
    }
}

fn numbers(read: u64, written: u64) -> String {
    let (plain, packed) = (read as f64, written as f64);
    format!(
        "{:6.3}:1, {:6.3} bits/byte, {:5.2}% saved, {read} in, {written} out.\n",
        plain / packed,
        8.0 * packed / plain,
        100.0 * (1.0 - packed / plain)
    )
}
