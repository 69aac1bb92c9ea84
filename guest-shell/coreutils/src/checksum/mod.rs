//! `md5sum` and the similar commands, `cksum`, `sum`.

mod digest;
mod shasum;

pub use shasum::shasum_main;

use crate::checksum::digest::{Algorithm, State};
use sandshell_cli::input::Input;
use sandshell_cli::message;
use sandshell_cli::options::{self, Opt, Spec, choose_exactly, named, option, text};
use sandshell_cli::out;
use sandshell_cli::quote::{quote, quotef};
use sandshell_cli::{bytes, warn};
use sandshell_sys as sys;
use std::cell::Cell;
use std::ffi::OsString;

macro_rules! mains {
    ($($main:ident $name:literal $algorithm:ident $bits:literal;)*) => { $(
        #[doc = concat!("`", $name, "`.")]
        pub fn $main(args: Vec<OsString>) -> i32 {
            const USAGE: &str = concat!("Usage: ", $name, " [OPTION]... [FILE]...
Prints ", $bits, " sums of files, or checks them.

");
            run($name, USAGE, Some(Algorithm::$algorithm), args).unwrap_or_else(|code| code)
        }
    )* };
}
mains! {
    md5sum_main "md5sum" Md5 "MD5 (128-bit)";
    sha1sum_main "sha1sum" Sha1 "SHA1 (160-bit)";
    sha224sum_main "sha224sum" Sha224 "SHA224 (224-bit)";
    sha256sum_main "sha256sum" Sha256 "SHA256 (256-bit)";
    sha384sum_main "sha384sum" Sha384 "SHA384 (384-bit)";
    sha512sum_main "sha512sum" Sha512 "SHA512 (512-bit)";
    b2sum_main "b2sum" Blake2b "BLAKE2b (512-bit)";
}

/// Runs `cksum` and returns its exit status.
pub fn cksum_main(args: Vec<OsString>) -> i32 {
    let usage = "\
Usage: cksum [OPTION]... [FILE]...
Prints checksums of files, or checks them. The default is POSIX's CRC.

";
    run("cksum", usage, None, args).unwrap_or_else(|code| code)
}

/// Runs `sum` and returns its exit status.
pub fn sum_main(args: Vec<OsString>) -> i32 {
    const SPEC: Spec = Spec {
        name: "sum",
        usage: "\
Usage: sum [OPTION]... [FILE]...
Prints checksums of 16 bits and how many blocks the files take.

",
        options: &[
            option("-r", "BSD's sum, blocks of 1024 bytes; so it is by default"),
            option("-s, --sysv", "System V's sum, blocks of 512 bytes"),
        ],
        ..Spec::DEFAULT
    };
    let parsed = match SPEC.parse(&options::operands(args)) {
        Ok(p) => p,
        Err(code) => return code,
    };
    let sysv = parsed.options.last().is_some_and(|g| g.id == "s");
    let algorithm = if sysv { Algorithm::Sysv } else { Algorithm::Bsd };
    Sum::new("sum", algorithm).print_all(&parsed.operands)
}

struct Sum {
    name: &'static str,
    algorithm: Algorithm,
    /// The length of a BLAKE2b checksum in bytes.
    length: usize,
    binary: bool,
    tag: bool,
    end: u8,
    ignore_missing: bool,
    quiet: bool,
    status: bool,
    strict: bool,
    warn: bool,
    /// Whether a line may name any algorithm (`cksum --check`).
    any: bool,
    /// Whether the list is in BSD's reversed format; `None` until a line has decided.
    reversed: Cell<Option<bool>>,
    /// The algorithm that the last line was checked with, for messages.
    last: Cell<Algorithm>,
}

const BINARY: Opt = option("-b, --binary", "mark files as read in binary mode");
const CHECK: Opt = option("-c, --check", "compare the files with the sums that FILE lists");
const TAG: Opt = option("--tag", "write sums in BSD's form, with the algorithm's name");
const TEXT: Opt = option("-t, --text", "mark files as read in text mode; so it is by default");
const ZERO: Opt = option("-z, --zero", "lines end with NUL and names are not escaped");
const OF_CHECK: Opt = text("\nThese belong to --check:\n");
const IGNORE_MISSING: Opt = named("ignore", "--ignore-missing", "pass over files that are not there");
const QUIET: Opt = option("--quiet", "say nothing of files that agree");
const STATUS: Opt = option("--status", "say nothing at all; the exit status tells");
const STRICT: Opt = option("--strict", "lines in a wrong form are failures");
const WARN: Opt = option("-w, --warn", "tell of each line in a wrong form");

const OPTIONS: &[Opt] =
    &[BINARY, CHECK, TAG, TEXT, ZERO, OF_CHECK, IGNORE_MISSING, QUIET, STATUS, STRICT, WARN];

const OPTIONS_OF_BLAKE2: &[Opt] = &[
    BINARY,
    CHECK,
    option("-l, --length=BITS", "how long a sum is; a multiple of 8"),
    TAG,
    TEXT,
    ZERO,
    OF_CHECK,
    IGNORE_MISSING,
    QUIET,
    STATUS,
    STRICT,
    WARN,
];

const OPTIONS_OF_CKSUM: &[Opt] = &[
    option(
        "-a, --algorithm=TYPE",
        "sysv, bsd, crc, md5, sha1, sha224, sha256, sha384, sha512, blake2b or sm3",
    ),
    option("-b", "nothing: for old scripts"),
    CHECK,
    option("-l, --length=BITS", "how long a blake2b sum is; a multiple of 8"),
    option("--tag", "write the algorithm's name with the sum; so it is by default"),
    option("-t", "nothing: for old scripts"),
    option("--untagged", "write sums without the algorithm's name"),
    option("--debug", "tell which implementation is used"),
    ZERO,
    OF_CHECK,
    IGNORE_MISSING,
    QUIET,
    STATUS,
    STRICT,
    WARN,
];

fn run(
    name: &'static str,
    usage: &'static str,
    fixed: Option<Algorithm>,
    args: Vec<OsString>,
) -> Result<i32, i32> {
    let options = match fixed {
        None => OPTIONS_OF_CKSUM,
        Some(Algorithm::Blake2b) => OPTIONS_OF_BLAKE2,
        Some(_) => OPTIONS,
    };
    let spec = Spec { name, usage, options, ..Spec::DEFAULT };
    let parsed = spec.parse(&options::operands(args))?;
    let mut sum = Sum::new(name, fixed.unwrap_or(Algorithm::Crc));
    let (mut check, mut length, mut chosen) = (false, None, false);
    let (mut binary, mut tag) = (None, fixed.is_none());
    for g in &parsed.options {
        match g.id {
            "a" => {
                use Algorithm::*;
                let words = [
                    ("bsd", Bsd),
                    ("sysv", Sysv),
                    ("crc", Crc),
                    ("md5", Md5),
                    ("sha1", Sha1),
                    ("sha224", Sha224),
                    ("sha256", Sha256),
                    ("sha384", Sha384),
                    ("sha512", Sha512),
                    ("blake2b", Blake2b),
                    ("sm3", Sm3),
                ];
                sum.algorithm = choose_exactly(&spec, "--algorithm", g.text(), &words)?;
                chosen = true;
            }
            "b" | "t" if fixed.is_none() => {
                message::try_help(name);
                return Err(1);
            }
            "b" => binary = Some(true),
            "t" => binary = Some(false),
            "c" => check = true,
            "ignore" => sum.ignore_missing = true,
            "quiet" => (sum.quiet, sum.status, sum.warn) = (true, false, false),
            "status" => (sum.quiet, sum.status, sum.warn) = (false, true, false),
            "w" => (sum.quiet, sum.status, sum.warn) = (false, false, true),
            "strict" => sum.strict = true,
            "tag" if fixed.is_none() => tag = true,
            "tag" => (tag, binary) = (true, Some(true)),
            "untagged" => tag = false,
            "z" => sum.end = 0,
            "l" => {
                whole_bytes(name, g.text())?;
                length = Some(g.text().to_vec());
            }
            _ => {}
        }
    }
    if let Some(text) = length {
        sum.length = blake_length(name, &text, sum.algorithm)?;
    }
    let old = matches!(sum.algorithm, Algorithm::Bsd | Algorithm::Sysv | Algorithm::Crc);
    if fixed.is_none() && check && chosen && old {
        warn!(name, "--check is not supported with --algorithm={bsd,sysv,crc}");
        return Err(1);
    }
    if fixed.is_some() && tag && binary == Some(false) {
        return Err(spec.usage("--tag does not support --text mode"));
    }
    if sum.end == 0 && check {
        return Err(spec.usage("the --zero option is not supported when verifying checksums"));
    }
    if fixed.is_some() && tag && check {
        return Err(spec.usage("the --tag option is meaningless when verifying checksums"));
    }
    if fixed.is_some() && binary.is_some() && check {
        return Err(spec.usage("the --binary and --text options are meaningless when verifying checksums"));
    }
    let only = [
        (sum.ignore_missing, "ignore-missing"),
        (sum.status, "status"),
        (sum.warn, "warn"),
        (sum.quiet, "quiet"),
        (sum.strict, "strict"),
    ];
    if let Some((_, option)) = only.iter().find(|o| o.0 && !check) {
        let text = format!("the --{option} option is meaningful only when verifying checksums");
        return Err(spec.usage(text));
    }
    (sum.tag, sum.binary) = (tag, binary == Some(true));
    if !check {
        return Ok(sum.print_all(&parsed.operands));
    }
    sum.any = fixed.is_none() && !chosen;
    sum.last.set(sum.algorithm);
    let stdin = [b"-".to_vec()];
    let operands = if parsed.operands.is_empty() { &stdin[..] } else { &parsed.operands };
    let mut good = true;
    for path in operands {
        good &= sum.check(path);
    }
    Ok(out::finish(name, i32::from(!good), 1))
}

/// Parses a number of bits, which must make whole bytes.
fn whole_bytes(name: &str, text: &[u8]) -> Result<u64, i32> {
    let bits = match sandshell_cli::number::unsigned(text, "") {
        Ok(bits) => bits,
        Err(bad) => {
            let large = bad == sandshell_cli::number::Fault::Overflow;
            let why = if large { ": Value too large for defined data type" } else { "" };
            warn!(name, "invalid length: ", quote(text), why);
            return Err(1);
        }
    };
    if bits % 8 != 0 {
        warn!(name, "invalid length: ", quote(text));
        warn!(name, "length is not a multiple of 8");
        return Err(1);
    }
    Ok(bits)
}

fn blake_length(name: &str, text: &[u8], algorithm: Algorithm) -> Result<usize, i32> {
    let bits = whole_bytes(name, text)?;
    if algorithm == Algorithm::Blake2b && bits > 512 {
        warn!(name, "invalid length: ", quote(text));
        warn!(name, "maximum digest length for ", quote(b"BLAKE2b"), " is 512 bits");
        return Err(1);
    }
    if algorithm != Algorithm::Blake2b && bits > 0 {
        warn!(name, "--length is only supported with --algorithm=blake2b");
        return Err(1);
    }
    Ok(if bits == 0 { 64 } else { (bits / 8) as usize })
}

/// The mark for text or binary. It has no effect, but is printed.
fn mark(binary: bool) -> &'static str {
    if binary { " *" } else { "  " }
}

impl Sum {
    fn new(name: &'static str, algorithm: Algorithm) -> Self {
        Self {
            name,
            algorithm,
            length: 64,
            binary: false,
            tag: false,
            end: b'\n',
            ignore_missing: false,
            quiet: false,
            status: false,
            strict: false,
            warn: false,
            any: false,
            reversed: Cell::new(None),
            last: Cell::new(algorithm),
        }
    }

    fn print_all(&self, operands: &[Vec<u8>]) -> i32 {
        let stdin = [b"-".to_vec()];
        let mut code = 0;
        for path in if operands.is_empty() { &stdin[..] } else { operands } {
            match digest(path, self.algorithm, self.length) {
                Ok((sum, size)) => self.print(path, &sum, size, !operands.is_empty()),
                Err(e) => {
                    warn!(self.name, quotef(path), ": ", e);
                    code = 1;
                }
            }
        }
        out::finish(self.name, code, 1)
    }

    fn print(&self, path: &[u8], sum: &[u8], size: u64, named: bool) {
        let end = [self.end];
        let number = sum.iter().take(4).fold(0u32, |n, b| n << 8 | u32::from(*b));
        let old = match self.algorithm {
            Algorithm::Bsd => Some(format!("{number:05} {:5}", size.div_ceil(1024))),
            Algorithm::Sysv => Some(format!("{number} {}", size.div_ceil(512))),
            Algorithm::Crc => Some(format!("{number} {size}")),
            _ => None,
        };
        if let Some(text) = old {
            out::put(text);
            if named {
                out::put(bytes!(" ", path));
            }
            out::put(end);
            return;
        }
        let escaped = escape(path).filter(|_| self.end == b'\n');
        let shown = escaped.as_deref().unwrap_or(path);
        if escaped.is_some() {
            out::put("\\");
        }
        let sum = hex(sum);
        if self.tag {
            let bits = if self.algorithm == Algorithm::Blake2b && self.length < 64 {
                format!("-{}", self.length * 8)
            } else {
                String::new()
            };
            out::put(bytes!(self.algorithm.tag(), bits, " (", shown, ") = ", sum, end.as_slice()));
        } else {
            out::put(bytes!(sum, mark(self.binary), shown, end.as_slice()));
        }
    }

    /// Checks the files in a list. Returns whether all of them are correct.
    fn check(&self, list: &[u8]) -> bool {
        let shown = if list == b"-" { b"'standard input'".to_vec() } else { quotef(list) };
        let text = match Input::open(list).map(|mut i| i.rest()) {
            Ok(Ok(text)) => text,
            Ok(Err(_)) => {
                warn!(self.name, shown, ": read error");
                return false;
            }
            Err(e) => {
                warn!(self.name, quotef(list), ": ", e);
                return false;
            }
        };
        let (mut formatted, mut misformatted, mut failed, mut unread, mut matched) =
            (0u64, 0u64, 0u64, 0u64, false);
        for (i, line) in text.split(|b| *b == b'\n').enumerate() {
            if line.is_empty() || line.starts_with(b"#") {
                continue;
            }
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            let parsed = self.parse(line).filter(|p| !(list == b"-" && p.path == b"-"));
            let Some(entry) = parsed else {
                misformatted += 1;
                if self.warn {
                    let what = self.last.get().tag();
                    warn!(self.name, &shown, ": ", i + 1, ": improperly formatted ", what, " checksum line");
                }
                continue;
            };
            formatted += 1;
            let breaks = entry.path.iter().any(|b| matches!(b, b'\n' | b'\r'));
            let escaped = escape(&entry.path).filter(|_| breaks);
            let name = escaped.map_or_else(|| entry.path.clone(), |e| bytes!("\\", e));
            match digest(&entry.path, entry.algorithm, entry.sum.len() / 2) {
                Err(sys::Errno::NOENT) if self.ignore_missing => {}
                Err(e) => {
                    unread += 1;
                    warn!(self.name, quotef(&entry.path), ": ", e);
                    if !self.status {
                        out::put(bytes!(name, ": FAILED open or read\n"));
                    }
                }
                Ok((sum, _)) => {
                    let same = hex(&sum).eq_ignore_ascii_case(&entry.sum);
                    matched |= same;
                    failed += u64::from(!same);
                    if !(self.status || same && self.quiet) {
                        out::put(bytes!(name, if same { ": OK\n" } else { ": FAILED\n" }));
                    }
                }
            }
        }
        out::flush();
        if formatted == 0 {
            warn!(self.name, shown, ": no properly formatted checksum lines found");
            return false;
        }
        if !self.status {
            let tell = |n: u64, one: &str, many: &str| {
                if n > 0 {
                    warn!(self.name, "WARNING: ", n, if n == 1 { one } else { many });
                }
            };
            tell(misformatted, " line is improperly formatted", " lines are improperly formatted");
            tell(unread, " listed file could not be read", " listed files could not be read");
            tell(failed, " computed checksum did NOT match", " computed checksums did NOT match");
            if self.ignore_missing && !matched {
                warn!(self.name, shown, ": no file was verified");
            }
        }
        let verified = !self.ignore_missing || matched;
        failed == 0 && unread == 0 && verified && !(self.strict && misformatted > 0)
    }

    fn parse(&self, line: &[u8]) -> Option<Entry> {
        let line = &line[line.iter().take_while(|b| matches!(b, b' ' | b'\t')).count()..];
        let (escaped, line) = match line.strip_prefix(b"\\") {
            Some(rest) => (true, rest),
            None => (false, line),
        };
        let name = |text: &[u8]| if escaped { unescape(text) } else { Some(text.to_vec()) };
        if let Some(entry) = self.tagged(line) {
            return Some(Entry { path: name(&entry.path)?, ..entry });
        }
        if self.any {
            return None;
        }
        let digits = line.iter().take_while(|b| b.is_ascii_hexdigit()).count();
        let fits = match self.algorithm {
            Algorithm::Blake2b => digits > 0 && digits % 2 == 0 && digits <= 128,
            other => digits == other.length() * 2,
        };
        let (sum, rest) = line.split_at(digits);
        let rest = rest.strip_prefix(b" ").or(rest.strip_prefix(b"\t")).filter(|_| fits)?;
        // After the blank comes `*`, or another blank, or directly the name, as BSD's programs print it with `-r`. The
        // first line decides for all lines.
        let (reversed, rest) = match (self.reversed.get(), rest) {
            (Some(true), name) => (true, name),
            (_, [b' ' | b'*', name @ ..]) if !name.is_empty() => (false, name),
            (Some(false), _) => return None,
            (None, name) => (true, name),
        };
        self.reversed.set(Some(reversed));
        (!rest.is_empty()).then_some(())?;
        Some(Entry { algorithm: self.algorithm, sum: sum.to_vec(), path: name(rest)? })
    }

    /// Parses `TAG (name) = sum`.
    fn tagged(&self, line: &[u8]) -> Option<Entry> {
        use Algorithm::*;
        let all = [Md5, Sha1, Sha224, Sha256, Sha384, Sha512, Blake2b, Sm3];
        let known = all.into_iter().filter(|a| self.any || *a == self.algorithm);
        let (algorithm, rest) = known
            .filter_map(|a| Some((a, line.strip_prefix(a.tag().as_bytes())?)))
            .max_by_key(|a| a.0.tag().len())?;
        self.last.set(algorithm);
        let mut length = algorithm.length();
        let rest = match rest.strip_prefix(b"-").filter(|_| algorithm == Blake2b) {
            Some(bits) => {
                let digits = bits.iter().take_while(|b| b.is_ascii_digit()).count();
                let n: usize = std::str::from_utf8(&bits[..digits]).ok()?.parse().ok()?;
                if n == 0 || !n.is_multiple_of(8) || n > length * 8 {
                    return None;
                }
                length = n / 8;
                &bits[digits..]
            }
            None => rest,
        };
        let rest = rest.strip_prefix(b" ").unwrap_or(rest).strip_prefix(b"(")?;
        let close = rest.iter().rposition(|b| *b == b')')?;
        let after = rest[close + 1..].trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
        let good = after.len() == length * 2 && after.iter().all(u8::is_ascii_hexdigit);
        good.then(|| Entry { algorithm, sum: after.to_vec(), path: rest[..close].to_vec() })
    }
}

struct Entry {
    algorithm: Algorithm,
    sum: Vec<u8>,
    path: Vec<u8>,
}

fn digest(path: &[u8], algorithm: Algorithm, length: usize) -> sys::Result<(Vec<u8>, u64)> {
    let mut input = Input::open(path)?;
    let mut state = State::new(algorithm, length);
    let mut size = 0;
    loop {
        let there = input.fill()?;
        if there.is_empty() {
            return Ok((state.finish(), size));
        }
        state.update(there);
        let n = there.len();
        size += n as u64;
        input.consume(n);
    }
}

fn hex(sum: &[u8]) -> Vec<u8> {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    sum.iter().flat_map(|b| [DIGITS[usize::from(b >> 4)], DIGITS[usize::from(b & 15)]]).collect()
}

/// Escapes newlines and backslashes in the name; `None` if there are none.
fn escape(name: &[u8]) -> Option<Vec<u8>> {
    if !name.iter().any(|b| matches!(b, b'\n' | b'\r' | b'\\')) {
        return None;
    }
    let mut out = Vec::new();
    for b in name {
        match b {
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\\' => out.extend_from_slice(b"\\\\"),
            other => out.push(*other),
        }
    }
    Some(out)
}

fn unescape(name: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let mut bytes = name.iter();
    while let Some(b) = bytes.next() {
        out.push(match b {
            b'\\' => match bytes.next()? {
                b'n' => b'\n',
                b'r' => b'\r',
                b'\\' => b'\\',
                _ => return None,
            },
            other => *other,
        });
    }
    Some(out)
}
