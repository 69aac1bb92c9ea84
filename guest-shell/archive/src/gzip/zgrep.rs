//! `zgrep`, `zegrep` and `zfgrep`: run `grep` on the contents of compressed files, with `grep`'s options.

use super::member::GzipReader;
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
    match base {
        b"zegrep" => grep.push(b"-E".to_vec()),
        b"zfgrep" => grep.push(b"-F".to_vec()),
        _ => {}
    }
    let mut search = Search { grep, operands: Vec::new(), pattern: false, names: None, files: None };
    if let Err(code) = search.read(called, args.get(1..).unwrap_or_default()) {
        return out::finish("zgrep", code, 2);
    }
    search.run(called)
}

struct Search {
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
                b'd' | b'r' | b'R' | b'z' | b'Z' => return Err(unsupported(called, &option)),
                b'V' => return Err(version()),
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
            return Err(unsupported(called, arg));
        }
        if like(b"help", 1) {
            out::put(
                "\
Usage: zgrep [OPTION]... [-e] PATTERN [FILE]...
Unpacks each FILE on the way to `grep`, and takes its options, but for those about directories, -z and -Z.
",
            );
            return Err(0);
        }
        if like(b"version", 1) {
            return Err(version());
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
                let text = [b"missing pattern; try `", called, b" --help' for help"].concat();
                say(called, &text);
                return 1;
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
        let mut result = 1;
        for file in &operands {
            let status = self.file(file);
            let more_serious = if status <= 1 && result <= 1 { status < result } else { result < status };
            if more_serious {
                result = status;
            }
            if result >= 126 {
                break;
            }
        }
        out::finish("zgrep", result, 2)
    }

    fn file(&self, file: &[u8]) -> i32 {
        let from = match file {
            b"-" => FdReader(0),
            _ => match open(file) {
                Ok(from) => from,
                Err((path, e)) => {
                    message::say("gzip", &[&path[..], b": ", e.to_string().as_bytes()].concat());
                    // `grep` still runs, with empty input.
                    return self.grep(file, std::io::empty()).map_or(2, |(code, _)| code.max(2));
                }
            },
        };
        let is_dir = sys::fstat(from.0).is_ok_and(|s| s.is_dir());
        if is_dir {
            let (code, _) = self.grep(file, std::io::empty()).unwrap_or((2, None));
            return code;
        }
        match self.grep(file, Plain::new(from)) {
            Ok((code, None)) => code,
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
                message::say("zgrep", &[&b"grep: "[..], e.to_string().as_bytes()].concat());
                127
            }
        }
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
            if self.files == Some(false) {
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

/// The contents of a file, decompressed if necessary.
struct Plain(Box<dyn Read>);

impl Plain {
    fn new(mut from: FdReader) -> Self {
        let mut start = vec![0; 2];
        let n = read_full(&mut from, &mut start).unwrap_or(0);
        start.truncate(n);
        let packed = start == [0x1f, 0x8b];
        let whole = Cursor::new(start).chain(from);
        Self(if packed { Box::new(GzipReader::new(BufReader::new(whole))) } else { Box::new(whole) })
    }
}

impl Read for Plain {
    fn read(&mut self, buf: &mut [u8]) -> std::io::Result<usize> {
        self.0.read(buf)
    }
}

fn unsupported(called: &[u8], option: &[u8]) -> i32 {
    say(called, &[option, b": option not supported"].concat());
    2
}

fn version() -> i32 {
    out::put("zgrep (gzip) 1.12\n");
    0
}

/// In a script, the name includes the directory where it was found.
fn say(called: &[u8], text: &[u8]) -> i32 {
    let dir: &[u8] = if called.contains(&b'/') { b"" } else { b"/usr/bin/" };
    let called = [dir, called].concat();
    let _ = sys::write_all(2, &[&called[..], b": ", text, b"\n"].concat());
    1
}
