//! `shasum`, as in Perl 5.36 (Digest::SHA 6.02).

use super::digest::{Algorithm, State};
use super::hex;
use sandshell_cli::input::Input;
use sandshell_cli::options::{self, Spec, Stop, hidden, listed, text};
use sandshell_cli::{bytes, out, warn};
use sandshell_sys as sys;
use std::ffi::OsString;

const USAGE: &str = "\
Usage: shasum [OPTION]... [FILE]...
Prints or checks SHA sums of files, or of standard input.

  -a, --algorithm=N      1, 224, 256, 384, 512, 512224 or 512256; usually 1
  -b, --binary           mark files as read in binary mode
  -t, --text             mark files as read in text mode; so it is by default
  -U, --UNIVERSAL        read every kind of line end as a newline
  -0, --01               read the characters 0 and 1 as bits, and nothing else
      --tag              write sums in BSD's form, with the algorithm's name
  -c, --check            compare the files with the sums that FILE lists
";

const OF_CHECK: &str = "
These belong to --check:
      --ignore-missing   pass over files that are not there
  -q, --quiet            say nothing of files that agree
  -s, --status           say nothing at all; the exit status tells
      --strict           lines in a wrong form are failures
  -w, --warn             tell of each line in a wrong form
";

const SPEC: Spec = Spec {
    name: "shasum",
    options: &[
        listed(USAGE),
        listed(OF_CHECK),
        text("\n  -h, --help             this text\n  -v, --version          the version\n"),
        hidden("h", "-h, --help"),
        hidden("v", "-v, --version"),
    ],
    ..Spec::DEFAULT
};

/// Runs `shasum` and returns its exit status.
pub fn shasum_main(args: Vec<OsString>) -> i32 {
    let status = run(&options::operands(args)).unwrap_or_else(|status| status);
    out::finish("shasum", status, 1)
}

/// How a file is read, and the character that says so in its line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Text,
    Binary,
    Universal,
    Bits,
}

impl Mode {
    const ALL: [(u8, Self); 4] =
        [(b' ', Self::Text), (b'*', Self::Binary), (b'U', Self::Universal), (b'^', Self::Bits)];

    fn of(mark: u8) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == mark).map(|(_, mode)| *mode)
    }

    fn mark(self) -> u8 {
        Self::ALL.iter().find(|(_, mode)| *mode == self).map_or(b' ', |(mark, _)| *mark)
    }
}

#[derive(Default)]
struct Check {
    ignore_missing: bool,
    quiet: bool,
    status: bool,
    strict: bool,
    warn: bool,
}

fn run(args: &[Vec<u8>]) -> Result<i32, i32> {
    let parsed = SPEC.read(args).map_err(|stop| match stop {
        Stop::Wrong(text) => wrong(&perls(&text)),
        Stop::Help | Stop::Version => 0,
    })?;
    let (mut algorithm, mut modes, mut tag, mut checks) = (Algorithm::Sha1, Vec::new(), false, false);
    let (mut check, mut only_check) = (Check::default(), None);
    for given in &parsed.options {
        let belongs = match given.id {
            "a" => {
                algorithm = chosen(given.text())?;
                None
            }
            "h" => {
                out::put(SPEC.help().replace("\n  --help      this text\n  --version   the version\n", ""));
                return Err(0);
            }
            "v" => {
                out::put("6.02\n");
                return Err(0);
            }
            "c" => {
                checks = true;
                None
            }
            "tag" => {
                tag = true;
                None
            }
            "ignore-missing" => {
                check.ignore_missing = true;
                Some("ignore-missing")
            }
            "q" => {
                check.quiet = true;
                Some("quiet")
            }
            "s" => {
                check.status = true;
                Some("status")
            }
            "strict" => {
                check.strict = true;
                Some("strict")
            }
            "w" => {
                check.warn = true;
                Some("warn")
            }
            mode => {
                let mode = match mode {
                    "b" => Mode::Binary,
                    "U" => Mode::Universal,
                    "0" => Mode::Bits,
                    _ => Mode::Text,
                };
                if !modes.contains(&mode) {
                    modes.push(mode);
                }
                None
            }
        };
        only_check = only_check.or(belongs);
    }
    if modes.len() > 1 {
        return Err(wrong(b"shasum: Ambiguous file mode"));
    }
    if let Some(name) = only_check.filter(|_| !checks) {
        return Err(wrong(&bytes!("shasum: --", name, " option used only when verifying checksums")));
    }
    let mode = modes.first().copied().unwrap_or(Mode::Text);
    if tag && mode == Mode::Universal {
        return Err(wrong(b"shasum: --tag does not support Universal Newlines mode"));
    }
    let stdin = [b"-".to_vec()];
    let files = if parsed.operands.is_empty() { &stdin[..] } else { &parsed.operands[..] };
    let mut status = 0;
    for file in files {
        status = status.max(match checks {
            true => check.list(file, algorithm),
            false => print(file, algorithm, mode, tag),
        });
    }
    Ok(status)
}

/// The algorithms by their numbers.
const ALGORITHMS: [(&[u8], Algorithm); 7] = [
    (b"1", Algorithm::Sha1),
    (b"224", Algorithm::Sha224),
    (b"256", Algorithm::Sha256),
    (b"384", Algorithm::Sha384),
    (b"512", Algorithm::Sha512),
    (b"512224", Algorithm::Sha512Of224),
    (b"512256", Algorithm::Sha512Of256),
];

fn numbered(number: &[u8]) -> Option<Algorithm> {
    ALGORITHMS.iter().find(|(known, _)| *known == number).map(|(_, algorithm)| *algorithm)
}

/// The algorithm of this number, as Perl reads numbers.
fn chosen(number: &[u8]) -> Result<Algorithm, i32> {
    let digits = number.strip_prefix(b"-").unwrap_or(number);
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        let text = bytes!("Value \"", number, "\" invalid for option a (number expected)");
        return Err(wrong(&text));
    }
    let plain = number.iter().position(|digit| *digit != b'0').map_or(&b""[..], |at| &number[at..]);
    numbered(plain).ok_or_else(|| wrong(b"shasum: Unrecognized algorithm"))
}

fn print(file: &[u8], algorithm: Algorithm, mode: Mode, tag: bool) -> i32 {
    let sum = match digest(file, algorithm, mode) {
        Ok(sum) => hex(&sum),
        Err(status) => return status,
    };
    let escaped = escape(file);
    let shown = escaped.as_deref().unwrap_or(file);
    let begin = if escaped.is_some() { "\\" } else { "" };
    out::put(match tag {
        true => bytes!(begin, algorithm.tag(), " (", shown, ") = ", sum, "\n"),
        false => bytes!(begin, sum, " ", [mode.mark()], shown, "\n"),
    });
    0
}

/// The sum of a file. Reports errors; `Err` is the exit status.
fn digest(file: &[u8], algorithm: Algorithm, mode: Mode) -> Result<Vec<u8>, i32> {
    let mut bytes = Converter { state: State::new(algorithm, 0), mode, after_return: false, bits: (0, 0) };
    let read = Input::open(file).and_then(|mut input| {
        loop {
            let piece = input.fill()?;
            if piece.is_empty() {
                return Ok(());
            }
            bytes.update(piece);
            let length = piece.len();
            input.consume(length);
        }
    });
    if let Err(e) = read {
        warn!("shasum", file, ": ", e);
        return Err(1);
    }
    if bytes.bits.1 != 0 {
        warn!("shasum", file, ": a number of bits that is not a multiple of 8 is not supported");
        return Err(1);
    }
    Ok(bytes.state.finish())
}

/// Hashes a file as its mode says.
struct Converter {
    state: State,
    mode: Mode,
    /// Whether the last byte was a carriage return, so that a newline belongs to it.
    after_return: bool,
    /// Bits that are no whole byte yet, and how many.
    bits: (u8, u32),
}

impl Converter {
    fn update(&mut self, piece: &[u8]) {
        match self.mode {
            Mode::Text | Mode::Binary => self.state.update(piece),
            Mode::Universal => {
                let mut plain = Vec::with_capacity(piece.len());
                for byte in piece {
                    let belongs = std::mem::replace(&mut self.after_return, *byte == b'\r') && *byte == b'\n';
                    if !belongs {
                        plain.push(if *byte == b'\r' { b'\n' } else { *byte });
                    }
                }
                self.state.update(&plain);
            }
            Mode::Bits => {
                let mut plain = Vec::with_capacity(piece.len() / 8 + 1);
                for digit in piece.iter().filter(|byte| matches!(byte, b'0' | b'1')) {
                    let (value, count) = self.bits;
                    self.bits = (value << 1 | (digit - b'0'), count + 1);
                    if self.bits.1 == 8 {
                        plain.push(self.bits.0);
                        self.bits = (0, 0);
                    }
                }
                self.state.update(&plain);
            }
        }
    }
}

/// A line of a list.
struct Entry {
    sum: Vec<u8>,
    algorithm: Algorithm,
    mode: Mode,
    path: Vec<u8>,
}

impl Check {
    /// Checks the files in a list. Returns the exit status.
    fn list(&self, list: &[u8], algorithm: Algorithm) -> i32 {
        let text = match Input::open(list).and_then(|mut input| input.rest()) {
            Ok(text) => text,
            // What can be opened but not read has no lines for Perl.
            Err(sys::Errno::ISDIR) => Vec::new(),
            Err(e) => {
                warn!("shasum", list, ": ", e);
                return 2;
            }
        };
        let (mut formatted, mut malformed, mut failed, mut unread, mut verified) = (0, 0, 0, 0, false);
        let text = text.strip_suffix(b"\n").unwrap_or(&text);
        let lines = text.split(|byte| *byte == b'\n').enumerate();
        for (number, line) in lines.filter(|(_, line)| !line.starts_with(b"#")) {
            if text.is_empty() {
                break;
            }
            let Some(entry) = parse(line, algorithm) else {
                malformed += 1;
                if self.warn {
                    warn!("shasum", list, ": ", number + 1, ": improperly formatted SHA checksum line");
                }
                continue;
            };
            formatted += 1;
            if self.ignore_missing && sys::stat(&entry.path, true).is_err() {
                continue;
            }
            let verdict = match digest(&entry.path, entry.algorithm, entry.mode) {
                Err(_) => {
                    unread += 1;
                    "FAILED open or read"
                }
                Ok(sum) if hex(&sum).eq_ignore_ascii_case(&entry.sum) => {
                    verified = true;
                    "OK"
                }
                Ok(_) => {
                    verified = true;
                    failed += 1;
                    "FAILED"
                }
            };
            if !(self.status || self.quiet && verdict == "OK") {
                out::put(bytes!(entry.path, ": ", verdict, "\n"));
            }
        }
        out::flush();
        if formatted == 0 {
            warn!("shasum", list, ": no properly formatted SHA checksum lines found");
            return 1;
        }
        if !self.status {
            let tell = |count: u64, one: &str, several: &str| {
                if count > 0 {
                    warn!("shasum", "WARNING: ", count, if count == 1 { one } else { several });
                }
            };
            tell(malformed, " line is improperly formatted", " lines are improperly formatted");
            tell(unread, " listed file could not be read", " listed files could not be read");
            tell(failed, " computed checksum did NOT match", " computed checksums did NOT match");
            if self.ignore_missing && !verified {
                warn!("shasum", list, ": no file was verified");
            }
        }
        let fails = failed + unread > 0 || self.strict && malformed > 0 || self.ignore_missing && !verified;
        i32::from(fails)
    }
}

/// Reads a line: `SUM MARKname` or `NAME (name) = SUM`, with a backslash before it if the name is escaped.
fn parse(line: &[u8], wanted: Algorithm) -> Option<Entry> {
    let escaped = line.strip_prefix(b"\\");
    let line = escaped.unwrap_or(line);
    // A sum of 56 or 64 digits is one of SHA-512 only if that was asked for.
    let of_length = |length: usize| {
        let fits = |algorithm: &Algorithm| algorithm.length() * 2 == length;
        let wanted = Some(wanted).filter(fits);
        wanted.or_else(|| ALGORITHMS.iter().map(|(_, algorithm)| *algorithm).find(fits))
    };
    let tagged = line.strip_prefix(b"SHA").and_then(|rest| {
        let at = rest.windows(2).position(|pair| pair == b" (")?;
        let number: Vec<u8> = rest[..at].iter().copied().filter(|byte| *byte != b'/').collect();
        let algorithm = numbered(&number)?;
        let end = rest.windows(4).rposition(|part| part == b") = ")?;
        let (path, sum) = (rest.get(at + 2..end)?, rest.get(end + 4..)?);
        let is_sum = sum.len() == algorithm.length() * 2 && sum.iter().all(u8::is_ascii_hexdigit);
        is_sum.then(|| (sum.to_vec(), algorithm, Mode::Binary, path.to_vec()))
    });
    let (sum, algorithm, mode, path) = tagged.or_else(|| {
        let at = line.iter().position(|byte| !byte.is_ascii_hexdigit())?;
        let algorithm = of_length(at)?;
        let rest = line.get(at..)?.strip_prefix(b" ")?;
        let (mark, path) = rest.split_first()?;
        Some((line[..at].to_vec(), algorithm, Mode::of(*mark)?, path.to_vec()))
    })?;
    if path.is_empty() {
        return None;
    }
    let path = if escaped.is_some() { unescape(&path) } else { path };
    Some(Entry { sum, algorithm, mode, path })
}

/// A name with escapes for newlines and backslashes; `None` if there are none.
fn escape(path: &[u8]) -> Option<Vec<u8>> {
    let escaped = |byte: &u8| match byte {
        b'\n' => b"\\n".to_vec(),
        b'\\' => b"\\\\".to_vec(),
        other => vec![*other],
    };
    path.iter().any(|byte| matches!(byte, b'\n' | b'\\')).then(|| path.iter().flat_map(escaped).collect())
}

fn unescape(path: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(path.len());
    let mut rest = path.iter();
    while let Some(byte) = rest.next() {
        plain.push(match (byte, rest.as_slice().first()) {
            (b'\\', Some(b'n')) => {
                rest.next();
                b'\n'
            }
            (b'\\', Some(b'\\')) => {
                rest.next();
                b'\\'
            }
            _ => *byte,
        });
    }
    plain
}

/// A message about options in the words of Perl.
fn perls(text: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(text);
    let named = |begin: &str| text.strip_prefix(begin)?.strip_suffix('\'').map(str::to_owned);
    let needs = |begin: &str| text.strip_prefix(begin)?.strip_suffix("' requires an argument");
    if let Some(name) = named("invalid option -- '").or_else(|| named("unrecognized option '--")) {
        return format!("Unknown option: {name}").into_bytes();
    }
    let letter = named("option requires an argument -- '");
    if let Some(name) = letter.or_else(|| needs("option '--").map(str::to_owned)) {
        return format!("Option {name} requires an argument").into_bytes();
    }
    text.into_owned().into_bytes()
}

/// Reports a usage error. Returns the exit status.
fn wrong(text: &[u8]) -> i32 {
    out::flush();
    let _ = sys::write_all(2, &bytes!(text, "\nType shasum -h for help\n"));
    1
}
