//! `zgrep`, `bzgrep`, `xzgrep` and the like: run `grep` on the contents of compressed files, with `grep`'s options.
//!
//! The options are `grep`'s: they are passed on, and only those with values or another meaning here are known.

use crate::codec::{Bzip2Streams, Format, reader};
use crate::gzip::member::GzipReader;
use crate::io::{FdReader, errno, read_full};
use sandshell_cli::message;
use sandshell_cli::out;
use sandshell_posix::process;
use sandshell_sys::{self as sys, Errno, Program, signal};
use std::io::{BufReader, Cursor, Read};

const VALUED: &[u8] = b"ABCDXdefm";

/// Searches each file and returns the exit status.
pub fn zgrep_main(args: Vec<Vec<u8>>) -> i32 {
    let called = args.first().map(Vec::as_slice).unwrap_or_default();
    let base = called.rsplit(|b| *b == b'/').next().unwrap_or_default();
    let mut grep: Vec<Vec<u8>> = vec![b"grep".to_vec()];
    match base.strip_suffix(b"grep") {
        Some([.., b'e']) => grep.push(b"-E".to_vec()),
        Some([.., b'f']) => grep.push(b"-F".to_vec()),
        _ => {}
    }
    let tool = match base.first() {
        Some(b'b') => &BZGREP,
        Some(b'x') => &XZGREP,
        _ => &ZGREP,
    };
    let mut search = Search { tool, grep, operands: Vec::new(), pattern: false, names: None, files: None };
    // zegrep and zfgrep call zgrep, which names itself.
    let directory = called.strip_suffix(base).unwrap_or_default();
    let zgrep = [directory, b"zgrep"].concat();
    let called = if tool.name == "zgrep" { &zgrep } else { called };
    if let Err(code) = search.read(called, args.get(1..).unwrap_or_default()) {
        return out::finish(tool.name, code, 2);
    }
    search.run(called)
}

/// What differs between the commands.
struct Tool {
    name: &'static str,
    version: &'static str,
    /// The letters of options that are refused.
    refused: &'static [u8],
    /// The status of a file that cannot be read.
    unreadable: i32,
}

const ZGREP: Tool = Tool { name: "zgrep", version: "zgrep (gzip) 1.12\n", refused: b"drRzZ", unreadable: 2 };
const XZGREP: Tool =
    Tool { name: "xzgrep", version: "xzgrep (XZ Utils) 5.4.1\n", refused: b"drRzZ", unreadable: 2 };
const BZGREP: Tool =
    Tool { name: "bzgrep", version: "bzgrep (bzip2) 1.0.8\n", refused: b"drR", unreadable: 1 };

struct Search {
    tool: &'static Tool,
    grep: Vec<Vec<u8>>,
    operands: Vec<Vec<u8>>,
    pattern: bool,
    /// `-H` or `-h`.
    names: Option<bool>,
    /// `-l` or `-L`.
    files: Option<bool>,
}

impl Search {
    fn read(&mut self, called: &[u8], args: &[Vec<u8>]) -> Result<(), i32> {
        let mut rest = args.iter();
        while let Some(arg) = rest.next() {
            if arg == b"--" {
                self.operands.extend(rest.cloned());
                break;
            }
            if let Some(long) = arg.strip_prefix(b"--") {
                self.long(called, arg, long, &mut rest)?;
            } else if arg.len() > 1 && arg.starts_with(b"-") {
                self.letters(called, arg.get(1..).unwrap_or_default(), &mut rest)?;
            } else {
                self.operands.push(arg.clone());
            }
        }
        Ok(())
    }

    fn letters<'a>(
        &mut self,
        called: &[u8],
        letters: &[u8],
        rest: &mut impl Iterator<Item = &'a Vec<u8>>,
    ) -> Result<(), i32> {
        let mut digits: Vec<u8> = Vec::new();
        for (i, letter) in letters.iter().enumerate() {
            // The digits of an option like `-15` are one value.
            if letter.is_ascii_digit() {
                digits.push(*letter);
                if !letters.get(i + 1).is_some_and(u8::is_ascii_digit) {
                    self.grep.push([b"-", digits.as_slice()].concat());
                    digits.clear();
                }
                continue;
            }
            let option = vec![b'-', *letter];
            match letter {
                _ if self.tool.refused.contains(letter) => return Err(self.unsupported(called, &option)),
                b'V' => return Err(self.version()),
                b'H' => {
                    self.names = Some(true);
                    continue;
                }
                b'h' => self.names = Some(false),
                b'l' => self.files = Some(true),
                b'L' => self.files = Some(false),
                b'e' | b'f' => self.pattern = true,
                _ => {}
            }
            if VALUED.contains(letter) {
                let attached = letters.get(i + 1..).unwrap_or_default();
                let value = match attached {
                    [] => rest.next().cloned().ok_or_else(|| {
                        let letter = char::from(*letter);
                        say(called, format!("-{letter} option requires an argument").as_bytes())
                    })?,
                    value => value.to_vec(),
                };
                if *letter == b'f'
                    && let Some(patterns) = patterns(&value)
                {
                    self.grep.extend([b"-e".to_vec(), patterns]);
                } else {
                    self.grep.extend([option, value]);
                }
                return Ok(());
            }
            self.grep.push(option);
        }
        Ok(())
    }

    fn long<'a>(
        &mut self,
        called: &[u8],
        arg: &[u8],
        long: &[u8],
        rest: &mut impl Iterator<Item = &'a Vec<u8>>,
    ) -> Result<(), i32> {
        let name = long.split(|b| *b == b'=').next().unwrap_or_default();
        let like = |full: &[u8], least: usize| name.len() >= least && full.starts_with(name);
        if [&b"di"[..], b"exc", b"inc", b"rec", b"nu"].iter().any(|p| name.starts_with(p)) {
            return Err(self.unsupported(called, arg));
        }
        if like(b"help", 1) {
            out::put(format!(
                "\
Usage: {} [OPTION]... [-e] PATTERN [FILE]...
Unpacks each FILE on the way to `grep`, and takes its options, but for those about directories, -z and -Z.
",
                self.tool.name
            ));
            return Err(0);
        }
        if like(b"version", 1) {
            return Err(self.version());
        }
        if like(b"with-filename", 2) {
            self.names = Some(true);
            return Ok(());
        }
        if like(b"no-filename", 4) {
            self.names = Some(false);
        } else if like(b"files-with-matches", 11) {
            self.files = Some(true);
        } else if like(b"files-without-match", 11) {
            self.files = Some(false);
        } else if like(b"regexp", 3) || like(b"file", 4) {
            self.pattern = true;
        }
        self.grep.push(arg.to_vec());
        let valued = like(b"regexp", 3) || name == b"file" || like(b"label", 2) || like(b"max-count", 2);
        if valued
            && !arg.contains(&b'=')
            && let Some(value) = rest.next()
        {
            self.grep.push(value.clone());
        }
        Ok(())
    }

    fn run(mut self, called: &[u8]) -> i32 {
        let mut operands = std::mem::take(&mut self.operands);
        if !self.pattern {
            if operands.is_empty() {
                let missing: &[u8] =
                    if self.tool.name == "xzgrep" { b"Missing pattern" } else { b"missing pattern" };
                say(called, &[missing, b"; try `", called, b" --help' for help"].concat());
                return 2;
            }
            self.grep.push(b"-e".to_vec());
            self.grep.push(operands.remove(0));
        }
        if operands.is_empty() {
            operands.push(b"-".to_vec());
        }
        if (operands.len() > 1 && self.names != Some(false)) || self.names == Some(true) {
            self.grep.push(b"-H".to_vec());
        }
        let _ = sys::sigaction(signal::SIGPIPE, sys::Disposition::Ignore);
        let mut result = i32::from(self.tool.name != "bzgrep");
        for file in &operands {
            let status = self.file(file);
            let more_serious = match self.tool.name {
                "bzgrep" => status > 0,
                _ if status <= 1 && result <= 1 => status < result,
                _ => result < status,
            };
            if more_serious {
                result = status;
            }
            if result >= 126 {
                break;
            }
        }
        out::finish(self.tool.name, result, 2)
    }

    fn file(&self, file: &[u8]) -> i32 {
        let from = match file {
            b"-" => FdReader(0),
            _ => match self.open(file) {
                Ok(from) => from,
                Err(status) => return status,
            },
        };
        let is_dir = sys::fstat(from.0).is_ok_and(|s| s.is_dir());
        if is_dir {
            let (code, _) = self.grep(file, std::io::empty()).unwrap_or((2, None));
            return code;
        }
        match self.grep(file, self.plain(file, from)) {
            Ok((code, None)) => code,
            Ok((code, Some(_))) if self.tool.name == "bzgrep" => code,
            Ok((code, Some(e))) if self.tool.name == "xzgrep" => {
                let text = match e.kind() {
                    std::io::ErrorKind::UnexpectedEof => "Unexpected end of input".into(),
                    _ if e.raw_os_error().is_some() => errno(&e).to_string(),
                    _ => "Compressed data is corrupt".to_owned(),
                };
                let shown = if file == b"-" { b"(stdin)" } else { file };
                message::say("xz", &[shown, b": ", text.as_bytes()].concat());
                code.max(2)
            }
            Ok((code, Some(e))) => {
                let text = match e.kind() {
                    std::io::ErrorKind::UnexpectedEof => "unexpected end of file".into(),
                    _ if e.raw_os_error().is_some() => errno(&e).to_string(),
                    _ => e.to_string(),
                };
                let shown = if file == b"-" { b"stdin" } else { file };
                let _ = sys::write_all(2, &[b"\ngzip: ", shown, b": ", text.as_bytes(), b"\n"].concat());
                code.max(2)
            }
            Err(e) => {
                message::say(self.tool.name, &[&b"grep: "[..], e.to_string().as_bytes()].concat());
                127
            }
        }
    }

    /// Opens a file. `Err` is the status after the message.
    fn open(&self, file: &[u8]) -> Result<FdReader, i32> {
        if self.tool.name == "zgrep" {
            return open(file).map_err(|(path, e)| {
                message::say("gzip", &[&path[..], b": ", e.to_string().as_bytes()].concat());
                // `grep` still runs, with empty input.
                self.grep(file, std::io::empty()).map_or(2, |(code, _)| code.max(2))
            });
        }
        FdReader::open(file).map_err(|e| {
            let reason = e.to_string();
            let (name, text) = match self.tool.name {
                "xzgrep" => ("xz", [file, b": ", reason.as_bytes()].concat()),
                _ => ("bzip2", [b"Can't open input file ", file, b": ", reason.as_bytes(), b"."].concat()),
            };
            message::say(name, &text);
            self.tool.unreadable
        })
    }

    /// The contents of a file, decompressed if necessary.
    fn plain(&self, file: &[u8], mut from: FdReader) -> Box<dyn Read> {
        let mut start = vec![0; 6];
        let n = read_full(&mut from, &mut start).unwrap_or(0);
        start.truncate(n);
        let detected = Format::detect(&start);
        let whole = Cursor::new(start).chain(from);
        // `xzgrep` starts other programs for other suffixes.
        let of_suffix = Format::of_suffix(file);
        match (self.tool.name, detected) {
            ("zgrep", Some(Format::Gzip)) => Box::new(GzipReader::new(BufReader::new(whole))),
            ("bzgrep", Some(Format::Bzip2)) => Box::new(Bzip2Streams::new(BufReader::new(whole))),
            ("xzgrep", Some(format))
                if matches!(format, Format::Xz | Format::Lzma) || of_suffix == Some(format) =>
            {
                reader(format, whole).unwrap_or_else(|_| Box::new(std::io::empty()))
            }
            _ => Box::new(whole),
        }
    }

    fn unsupported(&self, called: &[u8], option: &[u8]) -> i32 {
        let text: &[u8] = match self.tool.name {
            "xzgrep" => b": Option not supported",
            _ => b": option not supported",
        };
        say(called, &[option, text].concat());
        2
    }

    fn version(&self) -> i32 {
        out::put(self.tool.version);
        0
    }

    /// Runs `grep` on the data. Returns its exit status, and the error if reading the data failed.
    fn grep(&self, file: &[u8], mut from: impl Read) -> sys::Result<(i32, Option<std::io::Error>)> {
        let mut argv = self.grep.clone();
        if self.files.is_none() && file != b"-" {
            argv.insert(1, [b"--label=", file].concat());
        }
        let (read, write) = sys::pipe(true)?;
        let null = match self.files {
            Some(_) => Some(sys::open(b"/dev/null", sys::open_flags::WRITE | sys::open_flags::CLOEXEC, 0)?),
            None => None,
        };
        let mut fds = vec![(0, Some(read))];
        if let Some(null) = null {
            fds.push((1, Some(null)));
        }
        out::flush();
        let pid = spawn(&argv, &fds);
        let _ = sys::close(read);
        if let Some(null) = null {
            let _ = sys::close(null);
        }
        let pid = match pid {
            Ok(pid) => pid,
            Err(e) => {
                let _ = sys::close(write);
                return Err(e);
            }
        };
        let mut buf = vec![0; 64 * 1024];
        let mut failure = None;
        loop {
            match from.read(&mut buf) {
                Ok(0) => break,
                Ok(n) => {
                    if sys::write_all(write, buf.get(..n).unwrap_or_default()).is_err() {
                        break;
                    }
                }
                Err(e) => {
                    failure = Some(e);
                    break;
                }
            }
        }
        let _ = sys::close(write);
        let mut code = process::wait(pid).map_or(2, |status| status.code());
        // `-L` only inverts which names are printed, not `grep`'s exit status.
        let listed = match self.files {
            Some(true) => code == 0,
            Some(false) => code == 1,
            None => false,
        };
        if listed {
            out::put([file, b"\n"].concat());
            if self.files == Some(false) && self.tool.name != "xzgrep" {
                code = 0;
            }
        }
        Ok((code, failure))
    }
}

fn spawn(argv: &[Vec<u8>], fds: &[(sys::Fd, Option<sys::Fd>)]) -> sys::Result<sys::Pid> {
    let env = process::environment();
    let mut error = Errno::NOENT;
    for dir in process::search_path().split(|b| *b == b':') {
        let path = [if dir.is_empty() { b"." } else { dir }, b"/grep"].concat();
        let program =
            Program { path: &path, argv, env: &env, fds, reset_signals: true, ..Program::default() };
        match sys::spawn(&program) {
            Ok(pid) => return Ok(pid),
            Err(e @ (Errno::NOENT | Errno::NOTDIR)) => error = e,
            Err(e) => return Err(e),
        }
    }
    Err(error)
}

/// The patterns of a file that can be read only once, as `grep` may run several times. `None` for other files, and if
/// there are no patterns.
fn patterns(file: &[u8]) -> Option<Vec<u8>> {
    let from = if file == b"-" { FdReader(0) } else { FdReader::open(file).ok()? };
    if file != b"-" && sys::fstat(from.0).is_ok_and(|s| s.is_file()) {
        return None;
    }
    let mut text = sys::read_to_end(from.0).ok()?;
    if text.ends_with(b"\n") {
        text.pop();
    } else if text.is_empty() {
        return None;
    }
    Some(text)
}

/// As `gzip` opens a file: if there is none, the one with the suffix.
fn open(file: &[u8]) -> Result<FdReader, (Vec<u8>, Errno)> {
    let error = match FdReader::open(file) {
        Ok(from) => return Ok(from),
        Err(e) => e,
    };
    let packed = [file, b".gz"].concat();
    match error {
        Errno::NOENT if !file.ends_with(b".gz") => FdReader::open(&packed).map_err(|e| (packed, e)),
        e => Err((file.to_vec(), e)),
    }
}

/// In a script, the name includes the directory where it was found.
fn say(called: &[u8], text: &[u8]) -> i32 {
    let dir: &[u8] = if called.contains(&b'/') { b"" } else { b"/usr/bin/" };
    let called = [dir, called].concat();
    let _ = sys::write_all(2, &[&called[..], b": ", text, b"\n"].concat());
    1
}
