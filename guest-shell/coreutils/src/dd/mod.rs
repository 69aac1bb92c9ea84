//! `dd`: copies and converts data in blocks.

mod charsets;

use sandshell_cli::number::{self, Fault};
use sandshell_cli::options::{self, Spec};
use sandshell_cli::quote::{quote, quoteaf, quotef};
use sandshell_cli::{bytes, warn};
use sandshell_sys::{self as sys, Errno, open_flags};
use std::ffi::OsString;
use std::time::Duration;

const SPEC: Spec = Spec {
    name: "dd",
    usage: "\
Usage: dd [OPERAND]...
Copies a file in blocks, and changes it on the way.

  if=FILE                   read FILE, not standard input
  of=FILE                   write FILE, not standard output
  bs=BYTES                  ibs and obs in one
  ibs=BYTES                 read so many bytes at a time
  obs=BYTES                 write so many bytes at a time
  cbs=BYTES                 the length of records for conv=block and conv=unblock
  count=N                   copy N blocks of the input
  skip=N, iseek=N           leave out N blocks of the input
  seek=N, oseek=N           leave out N blocks of the output
  conv=CONVS                changes: ascii ebcdic ibm block unblock lcase ucase sparse swab sync excl nocreat
                            notrunc noerror fdatasync fsync
  iflag=FLAGS, oflag=FLAGS  how files are opened and counted: append direct directory dsync sync fullblock
                            nonblock noatime nocache noctty nofollow count_bytes skip_bytes seek_bytes
  status=LEVEL              none, noxfer (no speed) or progress

N and BYTES may have a unit: b (512), w (2), c (1), K, kB, M, MB and so on; N that ends in B counts bytes.
",
    ..Spec::DEFAULT
};

#[derive(Default)]
struct Job {
    input: Option<Vec<u8>>,
    output: Option<Vec<u8>>,
    // With `bs=`, every read leads to exactly one write.
    direct: bool,
    ibs: usize,
    obs: usize,
    cbs: usize,
    count: Option<Amount>,
    skip: Amount,
    seek: Amount,
    conv: Vec<&'static str>,
    iflag: Vec<&'static str>,
    oflag: Vec<&'static str>,
    status: Status,
    // The result for each byte, and the converted newline and blank, which separate and fill records.
    table: Option<[u8; 256]>,
    newline: u8,
    blank: u8,
}

/// A number of blocks or of bytes.
#[derive(Clone, Copy, Default)]
struct Amount {
    number: u64,
    bytes: bool,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Status {
    #[default]
    All,
    NoTransfer,
    None,
}

const CONVERSIONS: &[&str] = &[
    "ascii",
    "ebcdic",
    "ibm",
    "block",
    "unblock",
    "lcase",
    "ucase",
    "sparse",
    "swab",
    "sync",
    "excl",
    "nocreat",
    "notrunc",
    "noerror",
    "fdatasync",
    "fsync",
];
const FLAGS: &[&str] = &[
    "append",
    "directory",
    "dsync",
    "sync",
    "fullblock",
    "nonblock",
    "noatime",
    "nocache",
    "noctty",
    "nofollow",
    "count_bytes",
    "skip_bytes",
    "seek_bytes",
    "direct",
];

/// Runs `dd` and returns its exit status.
pub fn dd_main(args: Vec<OsString>) -> i32 {
    let parsed = match SPEC.parse(&options::operands(args)) {
        Ok(parsed) => parsed,
        Err(code) => return code,
    };
    let job = match read_operands(&parsed.operands) {
        Ok(job) => job,
        Err(code) => return code,
    };
    let began = sys::monotonic();
    if job.oflag.contains(&"append") && !job.conv.contains(&"notrunc") {
        warn!("dd", "you probably want conv=notrunc with oflag=append");
    }
    let (mut copy, seek) = match Copy::open(&job) {
        Ok(opened) => opened,
        Err(code) => return code,
    };
    let positioned = copy.skip_input().and_then(|()| copy.skip_output(seek));
    let code = positioned.map_or_else(|code| code, |()| copy.run());
    if job.status != Status::None {
        copy.totals(Duration::from_nanos(sys::monotonic().saturating_sub(began)));
    }
    code
}

fn read_operands(operands: &[Vec<u8>]) -> Result<Job, i32> {
    let mut job = Job { ibs: 512, obs: 512, newline: b'\n', blank: b' ', ..Job::default() };
    for operand in operands {
        let unknown = || SPEC.usage(bytes!("unrecognized operand ", quote(operand)));
        let Some(at) = operand.iter().position(|b| *b == b'=') else { return Err(unknown()) };
        let (name, value) = (&operand[..at], &operand[at + 1..]);
        match name {
            b"if" => job.input = Some(value.to_vec()),
            b"of" => job.output = Some(value.to_vec()),
            b"bs" => {
                job.ibs = size(value, "input")?;
                job.obs = job.ibs;
                job.direct = true;
            }
            b"ibs" => job.ibs = size(value, "input")?,
            b"obs" => job.obs = size(value, "output")?,
            b"cbs" => job.cbs = size(value, "input")?,
            b"count" => job.count = Some(amount(value)?),
            b"skip" | b"iseek" => job.skip = amount(value)?,
            b"seek" | b"oseek" => job.seek = amount(value)?,
            b"conv" => choose(value, CONVERSIONS, "invalid conversion", &mut job.conv)?,
            b"iflag" => choose(value, FLAGS, "invalid input flag", &mut job.iflag)?,
            b"oflag" => choose(value, FLAGS, "invalid output flag", &mut job.oflag)?,
            b"status" => {
                job.status = match value {
                    b"none" => Status::None,
                    b"noxfer" => Status::NoTransfer,
                    b"progress" => Status::All,
                    _ => return Err(SPEC.usage(bytes!("invalid status level: ", quote(value)))),
                }
            }
            _ => return Err(unknown()),
        }
    }
    // Conversion to EBCDIC makes records of lines, and conversion from EBCDIC makes lines of records.
    for (conversion, implied) in [("ascii", "unblock"), ("ebcdic", "block"), ("ibm", "block")] {
        if job.conv.contains(&conversion) {
            job.conv.push(implied);
        }
    }
    let charsets = |c: &&&str| matches!(**c, "ascii" | "ebcdic" | "ibm");
    if job.conv.iter().filter(charsets).collect::<std::collections::BTreeSet<_>>().len() > 1 {
        warn!("dd", "cannot combine any two of {ascii,ebcdic,ibm}");
        return Err(1);
    }
    for (one, other) in [("lcase", "ucase"), ("block", "unblock"), ("excl", "nocreat")] {
        if job.conv.contains(&one) && job.conv.contains(&other) {
            warn!("dd", "cannot combine ", one, " and ", other);
            return Err(1);
        }
    }
    if job.cbs == 0 {
        job.conv.retain(|c| !matches!(*c, "block" | "unblock"));
    }
    job.direct &= !job.conv.iter().any(|c| matches!(*c, "block" | "unblock"));
    job.table = job.conv.iter().find_map(|c| charsets::table(c));
    if let (Some(table), true) = (&job.table, job.conv.contains(&"block")) {
        (job.newline, job.blank) = (table[usize::from(b'\n')], table[usize::from(b' ')]);
    }
    for (flag, amount) in [("count_bytes", job.count.as_mut()), ("skip_bytes", Some(&mut job.skip))] {
        if let Some(amount) = amount {
            amount.bytes |= job.iflag.contains(&flag);
        }
    }
    job.seek.bytes |= job.oflag.contains(&"seek_bytes");
    Ok(job)
}

fn choose(
    value: &[u8],
    known: &[&'static str],
    wrong: &str,
    chosen: &mut Vec<&'static str>,
) -> Result<(), i32> {
    for word in value.split(|b| *b == b',') {
        match known.iter().find(|k| k.as_bytes() == word) {
            Some(k) => chosen.push(k),
            None => return Err(SPEC.usage(bytes!(wrong, ": ", quote(word)))),
        }
    }
    Ok(())
}

fn size(text: &[u8], buffer: &str) -> Result<usize, i32> {
    let amount = amount(text)?;
    match usize::try_from(amount.number) {
        // Two blocks of this size must fit in the address space.
        Ok(n @ 1..=0x1fff_ffff) => Ok(n),
        Ok(0) => Err(invalid(text, "")),
        _ if amount.number < i64::MAX as u64 - 0x8000 => {
            let shown = scaled(amount.number as f64, 1024.0);
            let number = amount.number;
            warn!("dd", "memory exhausted by ", buffer, " buffer of size ", number, " bytes (", shown, ")");
            Err(1)
        }
        _ => Err(invalid(text, ": Value too large for defined data type")),
    }
}

const UNITS: &str = "bcEGkKMPTwYZ0";

fn amount(text: &[u8]) -> Result<Amount, i32> {
    let bytes = text.contains(&b'B');
    let text_ = text.trim_ascii_start();
    let text_ = text_.strip_prefix(b"+").unwrap_or(text_);
    let mut number = Some(1u64);
    if text_.split(|b| *b == b'x').count() > 2 {
        return Err(invalid(text, ""));
    }
    for (i, factor) in text_.split(|b| *b == b'x').enumerate() {
        // `2B` is two bytes, like `2`, but not after an `x`. The `B` of `2kB` belongs to the unit.
        let bare = factor.strip_suffix(b"B").filter(|bare| i == 0 && !bare.ends_with(b"B"));
        let own = !matches!(number::unsigned(factor, UNITS), Err(Fault::Invalid | Fault::Suffix));
        let factor = bare.filter(|_| !own).unwrap_or(factor);
        let value = match number::unsigned(factor, UNITS) {
            _ if factor.first().is_none_or(|b| !b.is_ascii_digit()) => return Err(invalid(text, "")),
            Ok(value) => Some(value),
            Err(Fault::Invalid | Fault::Suffix) => return Err(invalid(text, "")),
            Err(Fault::Overflow) => None,
        };
        // Zero times a number that is too large is still zero.
        number = match (number, value) {
            (Some(0), _) | (_, Some(0)) => Some(0),
            (Some(a), Some(b)) => a.checked_mul(b),
            _ => None,
        };
    }
    if text_.starts_with(b"0x") {
        warn!(
            "dd",
            "warning: ",
            quote(b"0x"),
            " is a zero multiplier; use ",
            quote(b"00x"),
            " if that is intended"
        );
    }
    let number = number.filter(|n| i64::try_from(*n).is_ok());
    let number = number.ok_or_else(|| invalid(text, ": Value too large for defined data type"))?;
    Ok(Amount { number, bytes })
}

fn invalid(text: &[u8], why: &str) -> i32 {
    warn!("dd", "invalid number: ", quote(text), why);
    1
}

/// A copy in progress.
struct Copy<'a> {
    job: &'a Job,
    from: sys::Fd,
    to: sys::Fd,
    pending: Vec<u8>,
    reads: (u64, u64),
    writes: (u64, u64),
    truncated: u64,
    bytes: u64,
    // The current record of `block` and `unblock`: its column, and the blanks that are held back.
    column: usize,
    blanks: usize,
    swab: Option<u8>,
    // Whether the last block was skipped, so that the file's size must be set at the end.
    hole: bool,
}

impl<'a> Copy<'a> {
    /// Opens both files. Returns the offset in the output where the copy begins.
    fn open(job: &'a Job) -> Result<(Self, u64), i32> {
        let failed = |name: &[u8], e: Errno| {
            warn!("dd", "failed to open ", quoteaf(name), ": ", e);
            1
        };
        let has = |flags: &[&str], flag: &str| flags.contains(&flag);
        let streams = [(0, &job.input, &job.iflag, "input"), (1, &job.output, &job.oflag, "output")];
        for (fd, name, flags, stream) in streams {
            let directory = || sys::fstat(fd).is_ok_and(|s| s.is_dir());
            if name.is_none() && has(flags, "directory") && !directory() {
                let shown = bytes!("standard ", stream);
                warn!("dd", "setting flags for ", quoteaf(&shown), ": ", Errno::NOTDIR);
                return Err(1);
            }
        }
        let from = match &job.input {
            None => 0,
            Some(name) => {
                let mut flags = open_flags::READ | open_flags::CLOEXEC;
                flags |= if has(&job.iflag, "directory") { open_flags::DIRECTORY } else { 0 };
                flags |= if has(&job.iflag, "nofollow") { open_flags::NOFOLLOW } else { 0 };
                sys::open(name, flags, 0).map_err(|e| failed(name, e))?
            }
        };
        let seek = job.seek.number.saturating_mul(if job.seek.bytes { 1 } else { job.obs as u64 });
        let to = match &job.output {
            None => 1,
            Some(name) => {
                let keep = has(&job.conv, "notrunc") || seek > 0;
                let mut flags = open_flags::WRITE | open_flags::CLOEXEC;
                flags |= if has(&job.conv, "nocreat") { 0 } else { open_flags::CREATE };
                flags |= if has(&job.conv, "excl") { open_flags::EXCL } else { 0 };
                flags |= if keep { 0 } else { open_flags::TRUNC };
                for (flag, bit) in [
                    ("append", open_flags::APPEND),
                    ("directory", open_flags::DIRECTORY),
                    ("nofollow", open_flags::NOFOLLOW),
                ] {
                    flags |= if has(&job.oflag, flag) { bit } else { 0 };
                }
                // If the output cannot seek, it is read up to the offset, so it must be readable.
                let readable =
                    if seek > 0 { sys::open(name, flags | open_flags::READ, 0o666).ok() } else { None };
                let fd = match readable {
                    Some(fd) => fd,
                    None => sys::open(name, flags, 0o666).map_err(|e| failed(name, e))?,
                };
                if seek > 0 && !has(&job.conv, "notrunc") {
                    // This fails for devices, for which seeking is enough.
                    let _ = sys::ftruncate(fd, seek);
                }
                fd
            }
        };
        let copy = Self {
            job,
            from,
            to,
            pending: Vec::new(),
            reads: (0, 0),
            writes: (0, 0),
            truncated: 0,
            bytes: 0,
            column: 0,
            blanks: 0,
            swab: None,
            hole: false,
        };
        Ok((copy, seek))
    }

    fn skip_input(&mut self) -> Result<(), i32> {
        let skip = self.job.skip;
        let mut bytes = skip.number.saturating_mul(if skip.bytes { 1 } else { self.job.ibs as u64 });
        if bytes == 0 {
            return Ok(());
        }
        let mut reached = true;
        let start = sys::lseek(self.from, 0, 1);
        if let Ok(at) = start
            && let Ok(offset) = i64::try_from(bytes)
            && sys::lseek(self.from, offset, 1).is_ok()
        {
            reached = match sys::fstat(self.from) {
                Ok(stat) if stat.mode & 0o170_000 == 0o100_000 => at.saturating_add(bytes) <= stat.size,
                _ => true,
            };
        } else if start.is_ok() && i64::try_from(bytes).is_err() {
            warn!("dd", quotef(self.input_name()), ": cannot skip: ", Errno::OVERFLOW);
            return Err(1);
        } else {
            let mut buffer = vec![0; self.job.ibs];
            while bytes > 0 {
                let want = usize::try_from(bytes).unwrap_or(usize::MAX).min(buffer.len());
                match self.read(&mut buffer[..want]) {
                    Ok(0) => {
                        reached = false;
                        break;
                    }
                    Ok(n) => bytes -= n as u64,
                    Err(e) => {
                        warn!("dd", "error reading ", quoteaf(self.input_name()), ": ", e);
                        return Err(1);
                    }
                }
            }
        }
        if !reached && self.job.status != Status::None {
            warn!("dd", quotef(self.input_name()), ": cannot skip to specified offset");
        }
        Ok(())
    }

    fn skip_output(&mut self, seek: u64) -> Result<(), i32> {
        if seek == 0 || i64::try_from(seek).is_ok_and(|offset| sys::lseek(self.to, offset, 1).is_ok()) {
            return Ok(());
        }
        if i64::try_from(seek).is_err() && sys::lseek(self.to, 0, 1).is_ok() {
            warn!("dd", quotef(self.output_name()), ": cannot seek: ", Errno::OVERFLOW);
            return Err(1);
        }
        // If the output cannot seek, it is read up to the offset. This works for terminals and tapes.
        let mut buffer = vec![0; self.job.obs];
        let mut left = seek;
        while left > 0 {
            let n = usize::try_from(left).unwrap_or(usize::MAX).min(buffer.len());
            match sys::read(self.to, &mut buffer[..n]) {
                Ok(0) => break,
                Ok(n) => left -= n as u64,
                Err(_) => {
                    warn!("dd", quotef(self.output_name()), ": cannot seek: Illegal seek");
                    return Err(1);
                }
            }
        }
        buffer.fill(0);
        while left > 0 {
            let n = usize::try_from(left).unwrap_or(usize::MAX).min(buffer.len());
            if let Err(e) = sys::write_all(self.to, &buffer[..n]) {
                warn!("dd", "writing to ", quoteaf(self.output_name()), ": ", e);
                return Err(1);
            }
            left -= n as u64;
        }
        Ok(())
    }

    fn run(&mut self) -> i32 {
        let mut code = 0;
        let mut buffer = vec![0; self.job.ibs];
        let noerror = self.job.conv.contains(&"noerror");
        let mut left = self.job.count;
        loop {
            let want = match left {
                Some(Amount { number: 0, .. }) => break,
                Some(Amount { number, bytes: true }) => {
                    usize::try_from(number).unwrap_or(usize::MAX).min(buffer.len())
                }
                _ => buffer.len(),
            };
            let n = match self.read(&mut buffer[..want]) {
                Ok(0) => break,
                Ok(n) => n,
                Err(e) => {
                    warn!("dd", "error reading ", quoteaf(self.input_name()), ": ", e);
                    code = 1;
                    if !noerror || self.bytes == 0 {
                        break;
                    }
                    continue;
                }
            };
            if n == buffer.len() {
                self.reads.0 += 1
            } else {
                self.reads.1 += 1
            }
            if let Some(amount) = &mut left {
                amount.number = amount.number.saturating_sub(if amount.bytes { n as u64 } else { 1 });
            }
            let mut length = n;
            if n < buffer.len() && self.job.conv.contains(&"sync") {
                let records = self.job.conv.iter().any(|c| matches!(*c, "block" | "unblock"));
                buffer[n..].fill(if records { b' ' } else { 0 });
                length = buffer.len();
            }
            if self.convert(&mut buffer[..length]).is_err() {
                return 1;
            }
        }
        if self.finish().is_err() { 1 } else { code }
    }

    fn read(&self, buffer: &mut [u8]) -> sys::Result<usize> {
        let mut filled = 0;
        loop {
            match sys::read(self.from, &mut buffer[filled..]) {
                Err(Errno::INTR) => {}
                Err(e) => return if filled > 0 { Ok(filled) } else { Err(e) },
                Ok(n) => {
                    filled += n;
                    if n == 0 || filled == buffer.len() || !self.job.iflag.contains(&"fullblock") {
                        return Ok(filled);
                    }
                }
            }
        }
    }

    // Converts and writes one input block.
    fn convert(&mut self, block: &mut [u8]) -> Result<(), ()> {
        let has = |c: &str| self.job.conv.contains(&c);
        let from_ebcdic = self.job.table.as_ref().filter(|_| has("ascii"));
        let to_ebcdic = self.job.table.as_ref().filter(|_| !has("ascii"));
        let translate = |block: &mut [u8], table: Option<&[u8; 256]>| {
            if let Some(table) = table {
                block.iter_mut().for_each(|b| *b = table[usize::from(*b)]);
            }
        };
        translate(block, from_ebcdic);
        if has("lcase") {
            block.make_ascii_lowercase();
        } else if has("ucase") {
            block.make_ascii_uppercase();
        }
        translate(block, to_ebcdic);
        let (records, unrecords) = (has("block"), has("unblock"));
        if self.job.direct && !has("swab") {
            return self.write(block);
        }
        let swapped;
        let data: &[u8] = if has("swab") {
            swapped = self.swap(block);
            &swapped
        } else {
            block
        };
        if records {
            self.pad(data);
        } else if unrecords {
            self.unpad(data);
        } else {
            self.pending.extend_from_slice(data);
        }
        while self.pending.len() >= self.job.obs {
            let rest = self.pending.split_off(self.job.obs);
            let block = std::mem::replace(&mut self.pending, rest);
            self.write(&block)?;
        }
        Ok(())
    }

    // Swaps each pair of bytes, also across blocks.
    fn swap(&mut self, block: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(block.len() + 1);
        for &b in block {
            match self.swab.take() {
                None => self.swab = Some(b),
                Some(first) => out.extend([b, first]),
            }
        }
        out
    }

    // Turns lines into records of `cbs` bytes, padded with blanks.
    fn pad(&mut self, data: &[u8]) {
        for &b in data {
            if b == self.job.newline {
                let missing = self.job.cbs.saturating_sub(self.column);
                self.pending.resize(self.pending.len() + missing, self.job.blank);
                self.column = 0;
            } else {
                if self.column < self.job.cbs {
                    self.pending.push(b);
                } else if self.column == self.job.cbs {
                    self.truncated += 1;
                }
                self.column += 1;
            }
        }
    }

    // Turns records of `cbs` bytes into lines, without trailing blanks.
    fn unpad(&mut self, data: &[u8]) {
        for &b in data {
            if self.column == self.job.cbs {
                self.column = 0;
                self.blanks = 0;
                self.pending.push(b'\n');
            }
            self.column += 1;
            if b == b' ' {
                self.blanks += 1;
            } else {
                self.pending.resize(self.pending.len() + std::mem::take(&mut self.blanks), b' ');
                self.pending.push(b);
            }
        }
    }

    fn finish(&mut self) -> Result<(), ()> {
        if let Some(last) = self.swab.take() {
            if self.job.direct {
                self.pending.push(last);
            } else {
                self.convert(&mut [last, last])?;
                self.pending.pop();
            }
        }
        if self.job.conv.contains(&"block") && self.column > 0 {
            let missing = self.job.cbs.saturating_sub(self.column);
            self.pending.resize(self.pending.len() + missing, self.job.blank);
        }
        if self.job.conv.contains(&"unblock") && self.column > 0 {
            self.pending.push(b'\n');
        }
        let pending = std::mem::take(&mut self.pending);
        for block in pending.chunks(self.job.obs) {
            self.write(block)?;
        }
        if self.hole
            && let Ok(at) = sys::lseek(self.to, 0, 1)
        {
            let _ = sys::ftruncate(self.to, at);
        }
        Ok(())
    }

    fn write(&mut self, block: &[u8]) -> Result<(), ()> {
        if block.is_empty() {
            return Ok(());
        }
        let skip = self.job.conv.contains(&"sparse") && block.iter().all(|b| *b == 0);
        self.hole = skip && i64::try_from(block.len()).is_ok_and(|n| sys::lseek(self.to, n, 1).is_ok());
        if !self.hole
            && let Err(e) = sys::write_all(self.to, block)
        {
            warn!("dd", "error writing ", quoteaf(self.output_name()), ": ", e);
            return Err(());
        }
        if block.len() == self.job.obs {
            self.writes.0 += 1
        } else {
            self.writes.1 += 1
        }
        self.bytes += block.len() as u64;
        Ok(())
    }

    fn input_name(&self) -> &[u8] {
        self.job.input.as_deref().unwrap_or(b"standard input")
    }

    fn output_name(&self) -> &[u8] {
        self.job.output.as_deref().unwrap_or(b"standard output")
    }

    fn totals(&self, time: Duration) {
        let mut text = format!(
            "{}+{} records in\n{}+{} records out\n",
            self.reads.0, self.reads.1, self.writes.0, self.writes.1
        );
        match self.truncated {
            0 => {}
            1 => text += "1 truncated record\n",
            n => text += &format!("{n} truncated records\n"),
        }
        if self.job.status == Status::All {
            let bytes = self.bytes;
            text += &match bytes {
                1 => "1 byte copied".to_owned(),
                n if n < 1000 => format!("{n} bytes copied"),
                n if n < 1024 => format!("{n} bytes ({}) copied", scaled(n as f64, 1000.0)),
                n => {
                    let [decimal, binary] = [1000.0, 1024.0].map(|base| scaled(n as f64, base));
                    format!("{n} bytes ({decimal}, {binary}) copied")
                }
            };
            let seconds = time.as_secs_f64();
            let rate = if seconds > 0.0 { rate(bytes as f64 / seconds) } else { "Infinity B".to_owned() };
            text += &format!(", {} s, {rate}/s\n", significant(seconds));
        }
        let _ = sys::write_all(2, text.as_bytes());
    }
}

// Formats a number of bytes with a unit. Values below ten have one decimal.
fn scaled(mut value: f64, base: f64) -> String {
    let units = if base == 1000.0 {
        ["B", "kB", "MB", "GB", "TB", "PB", "EB"]
    } else {
        ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]
    };
    let mut unit = 0;
    while unit + 1 < units.len() && value >= base - 0.5 {
        value /= base;
        unit += 1;
    }
    let tenths = (value * 10.0).round_ties_even() / 10.0;
    let name = units.get(unit).copied().unwrap_or_default();
    if unit > 0 && tenths < 10.0 {
        format!("{tenths:.1} {name}")
    } else {
        format!("{:.0} {name}", value.round_ties_even())
    }
}

// Formats a rate: like [`scaled`], but the smallest unit is kB, and there is one decimal if the number then has at most
// four columns.
fn rate(value: f64) -> String {
    const UNITS: [&str; 6] = ["kB", "MB", "GB", "TB", "PB", "EB"];
    let (mut value, mut unit) = (value / 1000.0, 0);
    while value >= 1000.0 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    let name = UNITS.get(unit).copied().unwrap_or_default();
    let text = format!("{value:.1}");
    if text.len() <= 4 { format!("{text} {name}") } else { format!("{value:.0} {name}") }
}

// Formats a number like `%g`, with six significant digits.
fn significant(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let exponent = format!("{value:.5e}").rsplit('e').next().and_then(|e| e.parse::<i32>().ok()).unwrap_or(0);
    let trimmed = |text: &str| {
        if text.contains('.') {
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        } else {
            text.to_owned()
        }
    };
    if (-4..6).contains(&exponent) {
        let decimals = usize::try_from(5 - exponent).unwrap_or(0);
        return trimmed(&format!("{value:.decimals$}"));
    }
    let text = format!("{value:.5e}");
    let mantissa = text.split('e').next().unwrap_or_default();
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", trimmed(mantissa), exponent.abs())
}
