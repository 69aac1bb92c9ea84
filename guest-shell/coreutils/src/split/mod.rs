//! `split`.

mod output;

use crate::split::output::{Output, Suffixes};
use sandshell_cli::input::Input;
use sandshell_cli::message;
use sandshell_cli::number::{self, SIZES};
use sandshell_cli::options::{self, Given, Spec, hidden, named, option};
use sandshell_cli::out;
use sandshell_cli::quote::{quote, quoteaf, quotef};
use sandshell_cli::{bytes, warn};
use sandshell_sys as sys;
use std::ffi::OsString;

const SPEC: Spec = Spec {
    name: "split",
    usage: "\
Usage: split [OPTION]... [FILE [PREFIX]]
Cuts a file into pieces of 1000 lines, PREFIXaa, PREFIXab and so on. PREFIX is x by default.
Without FILE, or if it is -, standard input is cut.

",
    options: &[
        option("-a, --suffix-length=N", "suffixes of N letters"),
        named("suffix", "--additional-suffix=SUFFIX", "SUFFIX at the end of names"),
        option("-b, --bytes=SIZE", "pieces of SIZE bytes"),
        option("-C, --line-bytes=SIZE", "whole lines, as many as SIZE bytes can hold"),
        option("-d", "suffixes are numbers from 0"),
        named("d", "--numeric-suffixes[=FROM]", "suffixes are numbers from FROM"),
        option("-x", "suffixes are hexadecimal numbers from 0"),
        named("x", "--hex-suffixes[=FROM]", "suffixes are hexadecimal numbers from FROM"),
        option("-e, --elide-empty-files", "with -n, no empty pieces"),
        option("--filter=COMMAND", "each piece goes to a shell command, which knows its name as $FILE"),
        option("-l, --lines=NUMBER", "pieces of NUMBER lines"),
        option("-n, --number=CHUNKS", "so many pieces, see below"),
        option("-t, --separator=SEP", "lines end with SEP; '\\0' is NUL"),
        option("-u, --unbuffered", "with -n r/..., write at once"),
        option("--verbose", "tell of each piece before it is opened"),
        hidden("", "-0, -1, -2, -3, -4, -5, -6, -7, -8, -9"),
        hidden("blksize", "---io-blksize=X"),
    ],
    ties: &["lines", "line-bytes", "number", "numeric-suffixes"],
    notes: "\n\
CHUNKS: N of equal sizes; K/N the Kth of them to standard output; l/N and l/K/N without cutting lines; r/N and r/K/N
lines in turn.
",
    ..Spec::DEFAULT
};

/// How the input is split.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum How {
    Lines(u64),
    Bytes(u64),
    LineBytes(u64),
    /// By size: the number of the chunk (0 for all), and the number of chunks.
    Chunks(u64, u64),
    LineChunks(u64, u64),
    RoundRobin(u64, u64),
}

/// Runs `split` and returns its exit status.
pub fn split_main(args: Vec<OsString>) -> i32 {
    run(args).unwrap_or_else(|code| code)
}

/// What the options say.
#[derive(Default)]
struct Request {
    how: Option<How>,
    /// For options such as `-10`: the digits, and the index of the last argument that has some.
    digits: Option<(usize, Vec<u8>)>,
    suffixes: Suffixes,
    length: Option<usize>,
    elide: bool,
    filter: Option<Vec<u8>>,
    verbose: bool,
    separator: Option<u8>,
}

fn run(args: Vec<OsString>) -> Result<i32, i32> {
    let parsed = SPEC.parse(&options::operands(args))?;
    let mut request = Request::default();
    for g in &parsed.options {
        request.option(g)?;
    }
    request.count_lines()?;
    if let Some(extra) = parsed.operands.get(2) {
        return Err(SPEC.extra_operand(extra));
    }
    let how = request.how.unwrap_or(How::Lines(1000));
    request.settle(how)?;
    let path = parsed.operands.first().map_or(&b"-"[..], Vec::as_slice);
    let prefix = parsed.operands.get(1).map_or(&b"x"[..], Vec::as_slice);
    let mut input = Input::open(path).map_err(|e| {
        warn!("split", "cannot open ", quoteaf(path), " for reading: ", e);
        1
    })?;
    let stat = sys::fstat(input.fd()).unwrap_or_default();
    let Request { suffixes, filter, verbose, .. } = request;
    let mut output = Output::new(prefix, suffixes, filter, verbose, (stat.dev, stat.ino));
    let split = Split { end: request.separator.unwrap_or(b'\n'), elide: request.elide };
    let size = if matches!(how, How::Chunks(..) | How::LineChunks(..)) {
        match size_of(&stat, input.fd()) {
            Ok(size) => size,
            Err(why) => {
                let why = why.map_or_else(Vec::new, |e| bytes!(": ", e));
                warn!("split", quotef(path), ": cannot determine file size", why);
                return Err(1);
            }
        }
    } else {
        0
    };
    let done = match how {
        How::Lines(n) => split.lines(&mut input, &mut output, n),
        How::Bytes(n) => split.bytes(&mut input, &mut output, n),
        How::LineBytes(n) => split.line_bytes(&mut input, &mut output, n),
        How::Chunks(k, n) => split.chunks(&mut input, &mut output, k, n, size),
        How::LineChunks(k, n) => split.line_chunks(&mut input, &mut output, k, n, size),
        How::RoundRobin(k, n) => split.round_robin(&mut input, &mut output, k, n),
    };
    match done {
        Ok(()) => {}
        Err(Stop::Read(e)) => {
            warn!("split", quotef(path), ": ", e);
            return Err(1);
        }
        Err(Stop::Told(code)) => return Err(code),
    }
    output.close()?;
    Ok(out::finish("split", 0, 1))
}

impl Request {
    fn option(&mut self, g: &Given) -> Result<(), i32> {
        let text = g.text();
        let new = match g.id {
            "l" => {
                Some(How::Lines(number::in_range("split", "invalid number of lines", text, "", 1, u64::MAX)?))
            }
            "b" | "C" => {
                let n = number::in_range("split", "invalid number of bytes", text, SIZES, 1, u64::MAX)?;
                Some(if g.id == "b" { How::Bytes(n) } else { How::LineBytes(n) })
            }
            "n" => Some(chunks(text)?),
            _ => None,
        };
        if new.is_some() {
            if self.how.is_some() || self.digits.is_some() {
                return Err(twice());
            }
            self.how = new;
            return Ok(());
        }
        match g.id {
            "a" => {
                self.length =
                    Some(number::in_range("split", "invalid suffix length", text, "", 0, u32::MAX.into())?
                        as usize);
            }
            "suffix" if text.contains(&b'/') => {
                let text = bytes!("invalid suffix ", quote(text), ", contains directory separator");
                return Err(SPEC.usage(text));
            }
            "suffix" => self.suffixes.more = text.to_vec(),
            "d" | "x" => self.number_suffixes(g.id == "x", g.value.as_deref())?,
            "e" => self.elide = true,
            "filter" => self.filter = Some(text.to_vec()),
            "verbose" => self.verbose = true,
            "t" => self.separate(text)?,
            "u" | "blksize" => {}
            digit => self.add_digits(digit, g.word)?,
        }
        Ok(())
    }

    fn number_suffixes(&mut self, hex: bool, from: Option<&[u8]>) -> Result<(), i32> {
        self.suffixes.alphabet = if hex { b"0123456789abcdef" } else { b"0123456789" };
        if let Some(from) = from {
            if from.is_empty() || !from.iter().all(|b| self.suffixes.alphabet.contains(b)) {
                let kind = if hex { "hexadecimal" } else { "numerical" };
                let text = bytes!(quote(from), ": invalid start value for ", kind, " suffix");
                return Err(SPEC.usage(text));
            }
            let text = std::str::from_utf8(from).unwrap_or_default();
            // A number that does not fit is longer than any suffix, and is refused for that.
            self.suffixes.start =
                Some(u64::from_str_radix(text, if hex { 16 } else { 10 }).unwrap_or(u64::MAX));
        }
        Ok(())
    }

    fn separate(&mut self, text: &[u8]) -> Result<(), i32> {
        let byte = match text {
            [] => return fail("empty record separator"),
            [one] => *one,
            b"\\0" => 0,
            _ => return fail(bytes!("multi-character separator ", quote(text))),
        };
        if self.separator.is_some_and(|s| s != byte) {
            return fail("multiple separator characters specified");
        }
        self.separator = Some(byte);
        Ok(())
    }

    fn add_digits(&mut self, digit: &str, word: usize) -> Result<(), i32> {
        if self.how.is_some() {
            return Err(twice());
        }
        let digits = self.digits.get_or_insert_default();
        if digits.0 != word {
            *digits = (word, Vec::new());
        }
        digits.1.extend_from_slice(digit.as_bytes());
        Ok(())
    }

    /// Turns the digits of options such as `-10` into a number of lines.
    fn count_lines(&mut self) -> Result<(), i32> {
        if let Some((_, digits)) = self.digits.take() {
            let count = match number::unsigned(&digits, "") {
                Ok(0) | Err(number::Fault::Invalid | number::Fault::Suffix) => {
                    return Err(SPEC.usage(bytes!("invalid number of lines: ", quote(&digits))));
                }
                Ok(count) => count,
                Err(number::Fault::Overflow) => {
                    // The message shows the digits up to the one that made the number too large.
                    let fits = |n: &usize| number::unsigned(&digits[..*n], "").is_ok();
                    let read = (1..digits.len()).find(|n| !fits(n)).unwrap_or(digits.len());
                    return fail(bytes!("line count option -", &digits[..read], "... is too large"));
                }
            };
            self.how = Some(How::Lines(count));
        }
        Ok(())
    }

    /// Chooses the length of the suffixes, and compares the options with each other.
    fn settle(&mut self, how: How) -> Result<(), i32> {
        let pieces = match how {
            How::Chunks(_, n) | How::LineChunks(_, n) | How::RoundRobin(_, n) => Some(n),
            _ => None,
        };
        let needed = self.suffixes.fix_length(self.length.filter(|l| *l > 0), pieces);
        if let Some(needed) = needed {
            warn!("split", format!("the suffix length needs to be at least {needed}"));
            return Err(1);
        }
        if self.suffixes.starts_too_long() {
            return Err(SPEC.usage("numerical suffix start value is too large for the suffix length"));
        }
        if self.filter.is_some()
            && matches!(how, How::Chunks(1.., _) | How::LineChunks(1.., _) | How::RoundRobin(1.., _))
        {
            return Err(SPEC.usage("--filter does not process a chunk extracted to stdout"));
        }
        Ok(())
    }
}

fn twice() -> i32 {
    SPEC.usage("cannot split in more than one way")
}

fn fail<T>(text: impl AsRef<[u8]>) -> Result<T, i32> {
    message::say("split", text.as_ref());
    Err(1)
}

fn chunks(text: &[u8]) -> Result<How, i32> {
    let (kind, rest) = match text {
        [k @ (b'l' | b'r'), b'/', rest @ ..] => (*k, rest),
        _ => (b'b', text),
    };
    let slash = rest.iter().position(|b| *b == b'/');
    let count = |text: &[u8]| number::in_range("split", "invalid number of chunks", text, "", 1, u64::MAX);
    let (k, n) = match slash {
        Some(i) => {
            let n = count(&rest[i + 1..])?;
            (number::in_range("split", "invalid chunk number", &rest[..i], "", 1, n)?, n)
        }
        None => (0, count(rest)?),
    };
    Ok(match kind {
        b'l' => How::LineChunks(k, n),
        b'r' => How::RoundRobin(k, n),
        _ => How::Chunks(k, n),
    })
}

/// How much can be read from a file. `Err(None)` means that it cannot seek.
fn size_of(stat: &sys::Stat, fd: sys::Fd) -> Result<u64, Option<sys::Errno>> {
    /// How much is read from a file without a size.
    const MOST: usize = 128 * 1024;
    let at = sys::lseek(fd, 0, 1).map_err(|e| Some(e).filter(|e| *e != sys::Errno::SPIPE))?;
    if stat.size > 0 {
        return Ok(stat.size.saturating_sub(at));
    }
    let mut buffer = vec![0; MOST];
    let mut size = 0;
    while size < MOST {
        match sys::read(fd, buffer.get_mut(size..).unwrap_or_default()) {
            Ok(0) => {
                sys::lseek(fd, at as i64, 0).map_err(Some)?;
                return Ok(size as u64);
            }
            Ok(n) => size += n,
            Err(sys::Errno::INTR) => {}
            Err(e) => return Err(Some(e)),
        }
    }
    Err(Some(sys::Errno::OVERFLOW))
}

/// Why splitting ended early.
enum Stop {
    Read(sys::Errno),
    Told(i32),
}

impl From<sys::Errno> for Stop {
    fn from(e: sys::Errno) -> Self {
        Self::Read(e)
    }
}

impl From<i32> for Stop {
    fn from(code: i32) -> Self {
        Self::Told(code)
    }
}

struct Split {
    end: u8,
    elide: bool,
}

impl Split {
    fn lines(&self, input: &mut Input, output: &mut Output, most: u64) -> Result<(), Stop> {
        let mut left = 0;
        loop {
            let there = input.fill()?;
            if there.is_empty() {
                return Ok(());
            }
            if left == 0 {
                output.next()?;
                left = most;
            }
            let mut n = 0;
            while left > 0 && n < there.len() {
                match memchr::memchr(self.end, &there[n..]) {
                    Some(i) => {
                        n += i + 1;
                        left -= 1;
                    }
                    None => n = there.len(),
                }
            }
            output.write(&there[..n])?;
            input.consume(n);
        }
    }

    fn bytes(&self, input: &mut Input, output: &mut Output, most: u64) -> Result<(), Stop> {
        let mut left = 0;
        loop {
            let there = input.fill()?;
            if there.is_empty() {
                return Ok(());
            }
            if left == 0 {
                output.next()?;
                left = most;
            }
            let n = there.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            output.write(&there[..n])?;
            left -= n as u64;
            input.consume(n);
        }
    }

    fn line_bytes(&self, input: &mut Input, output: &mut Output, most: u64) -> Result<(), Stop> {
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let mut record = Vec::new();
        let mut room = 0;
        while input.record(self.end, &mut record)? {
            let mut text = record.as_slice();
            // An incomplete record that would exactly fill the file goes into a new one.
            let cut_off = text.last() != Some(&self.end) && text.len() == room && room < most;
            if text.len() > room || cut_off {
                // A record is only cut if it does not fit in any file.
                output.next()?;
                room = most;
            }
            while text.len() > room {
                output.write(&text[..room])?;
                text = &text[room..];
                output.next()?;
                room = most;
            }
            output.write(text)?;
            room -= text.len();
        }
        Ok(())
    }

    fn chunks(&self, input: &mut Input, output: &mut Output, k: u64, n: u64, size: u64) -> Result<(), Stop> {
        let each = (size / n).max(1);
        let mut rest = size;
        for i in 1..=n {
            let mut left = if i == n { rest } else { each.min(rest) };
            rest -= left;
            if k == 0 && !(self.elide && left == 0) {
                output.next()?;
            }
            while left > 0 {
                let there = input.fill()?;
                if there.is_empty() {
                    break;
                }
                let take = there.len().min(usize::try_from(left).unwrap_or(usize::MAX));
                match k {
                    0 => output.write(&there[..take])?,
                    k if k == i => out::put(&there[..take]),
                    _ => {}
                }
                left -= take as u64;
                input.consume(take);
            }
            if k == i {
                break;
            }
        }
        Ok(())
    }

    /// Splits into chunks of lines. A line belongs to the chunk in which it starts.
    fn line_chunks(
        &self,
        input: &mut Input,
        output: &mut Output,
        k: u64,
        n: u64,
        size: u64,
    ) -> Result<(), Stop> {
        let each = (size / n).max(1);
        let (mut at, mut chunk) = (0u64, 0u64);
        let mut record = Vec::new();
        while input.record(self.end, &mut record)? {
            let own = (at / each + 1).min(n);
            while chunk < own {
                chunk += 1;
                if k == 0 && (!self.elide || chunk == own) {
                    output.next()?;
                }
            }
            match k {
                0 => output.write(&record)?,
                k if k == own => out::put(&record),
                _ => {}
            }
            at += record.len() as u64;
        }
        while chunk < n && k == 0 && !self.elide {
            chunk += 1;
            output.next()?;
        }
        Ok(())
    }

    fn round_robin(&self, input: &mut Input, output: &mut Output, k: u64, n: u64) -> Result<(), Stop> {
        let mut record = Vec::new();
        let mut line = 0u64;
        if k > 0 {
            while input.record(self.end, &mut record)? {
                line += 1;
                if (line - 1) % n == k - 1 {
                    out::put(&record);
                }
            }
            return Ok(());
        }
        // Each file gets all of its lines at once, so that few files are open.
        let mut parts: Vec<Vec<u8>> = Vec::new();
        let n = usize::try_from(n).unwrap_or(usize::MAX);
        let mut at = 0;
        while input.record(self.end, &mut record)? {
            if at == parts.len() {
                parts.push(Vec::new());
            }
            parts[at].extend_from_slice(&record);
            at = (at + 1) % n;
        }
        for i in 0..n {
            let part = parts.get(i).map_or(&b""[..], Vec::as_slice);
            if self.elide && part.is_empty() {
                break;
            }
            output.next()?;
            output.write(part)?;
        }
        Ok(())
    }
}
