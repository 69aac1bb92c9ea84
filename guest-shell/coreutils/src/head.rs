//! `head`.

use sandshell_cli::input::Input;
use sandshell_cli::message;
use sandshell_cli::number::{self, SIZES};
use sandshell_cli::options::{self, Given, Spec, hidden, option};
use sandshell_cli::out;
use sandshell_cli::quote::quoteaf;
use sandshell_cli::{bytes, warn};
use sandshell_sys as sys;
use std::cell::Cell;
use std::collections::VecDeque;
use std::ffi::OsString;

const SPEC: Spec = Spec {
    name: "head",
    usage: "\
Usage: head [OPTION]... [FILE]...
Prints how files begin: 10 lines of each, below its name if there are several.
Without FILE, or where it is -, standard input is read.

",
    options: &[
        option("-c, --bytes=[-]NUM", "NUM bytes; with - all that are not among the last NUM"),
        option("-n, --lines=[-]NUM", "NUM lines; with - the same"),
        option("-q, --quiet, --silent", "no names in front"),
        option("-v, --verbose", "names in front, always"),
        option("-z, --zero-terminated", "lines end with NUL"),
        hidden("", "-0, -1, -2, -3, -4, -5, -6, -7, -8, -9"),
        hidden("P", "---presume-input-pipe"),
    ],
    notes: "\n\
NUM may end in b (512), kB, K, MB, M and so on.
",
    ..Spec::DEFAULT
};

struct Head {
    bytes: bool,
    /// Print all but the last `count` units.
    from_end: bool,
    count: u64,
    end: u8,
    /// How many bytes of the current file were printed.
    printed: Cell<u64>,
}

/// The size of the C library's output buffer.
const BUFSIZ: u64 = 4096;

/// Runs `head` and returns its exit status.
pub fn head_main(args: Vec<OsString>) -> i32 {
    run(args).unwrap_or_else(|code| code)
}

fn run(args: Vec<OsString>) -> Result<i32, i32> {
    let args = options::operands(args);
    let mut head = Head { bytes: false, from_end: false, count: 10, end: b'\n', printed: Cell::new(0) };
    let (old, rest) = obsolete(&args)?;
    let mut headers = None;
    let parsed = SPEC.parse(rest)?;
    for g in old.iter().chain(&parsed.options) {
        match g.id {
            "c" | "n" => {
                head.bytes = g.id == "c";
                let what = if head.bytes { "invalid number of bytes" } else { "invalid number of lines" };
                let minus = g.text().strip_prefix(b"-");
                head.from_end = minus.is_some();
                head.count = number::in_range("head", what, minus.unwrap_or(g.text()), SIZES, 0, u64::MAX)?;
            }
            "q" => headers = Some(false),
            "v" => headers = Some(true),
            "z" => head.end = 0,
            "P" => {}
            digit => {
                warn!("head", "invalid trailing option -- ", digit);
                message::try_help("head");
                return Err(1);
            }
        }
    }
    let stdin = [b"-".to_vec()];
    let operands = if parsed.operands.is_empty() { &stdin[..] } else { &parsed.operands };
    let headers = headers.unwrap_or(operands.len() > 1);
    let mut code = 0;
    let mut first = true;
    for path in operands {
        let shown: &[u8] = if path == b"-" { b"standard input" } else { path };
        let mut input = match Input::open(path) {
            Ok(input) => input,
            Err(e) => {
                warn!("head", "cannot open ", quoteaf(path), " for reading: ", e);
                code = 1;
                continue;
            }
        };
        if headers {
            out::put(bytes!(if first { "" } else { "\n" }, "==> ", shown, " <==\n"));
            first = false;
        }
        let start = if input.fd() == 0 && head.from_end { sys::lseek(0, 0, 1).ok() } else { None };
        if let Err(e) = head.file(&mut input) {
            warn!("head", "error reading ", quoteaf(shown), ": ", e);
            code = 1;
        }
        match start {
            // Continue after the last printed line.
            Some(start) => {
                let _ = sys::lseek(0, (start + head.printed.get()) as i64, 0);
            }
            None => give_back(&input),
        }
    }
    // The C library only writes at the end what fits in its buffer, and so fails only then.
    out::flush();
    if head.printed.get() > BUFSIZ
        && let Some(e) = out::failure()
    {
        warn!("head", "error writing ", quoteaf(b"standard output"), ": ", e);
        return Ok(1);
    }
    Ok(out::finish("head", code, 1))
}

/// Seeks back over what was read but not used, for the next reader of the file (`(head -1; cat) < file`).
fn give_back(input: &Input) {
    if input.fd() == 0 && input.pending() > 0 {
        let _ = sys::lseek(0, -(input.pending() as i64), 1);
    }
}

/// Parses `-NUM[bkm][cqvz]` as the first argument, a form from before POSIX.
fn obsolete(args: &[Vec<u8>]) -> Result<(Vec<Given>, &[Vec<u8>]), i32> {
    let Some((first, rest)) = args.split_first() else { return Ok((Vec::new(), args)) };
    let Some(text) = first.strip_prefix(b"-").filter(|t| t.first().is_some_and(u8::is_ascii_digit)) else {
        return Ok((Vec::new(), args));
    };
    let digits = text.iter().take_while(|b| b.is_ascii_digit()).count();
    let mut value = text[..digits].to_vec();
    let mut id = "n";
    let mut scale = None;
    let mut given = Vec::new();
    for letter in &text[digits..] {
        match letter {
            b'c' => (id, scale) = ("c", None),
            b'b' | b'k' | b'm' => (id, scale) = ("c", Some(*letter)),
            b'l' => id = "n",
            b'q' => given.push(Given { id: "q", value: None, word: 0, end: 0 }),
            b'v' => given.push(Given { id: "v", value: None, word: 0, end: 0 }),
            b'z' => given.push(Given { id: "z", value: None, word: 0, end: 0 }),
            other => {
                warn!("head", "invalid trailing option -- ", [*other].as_slice());
                message::try_help("head");
                return Err(1);
            }
        }
    }
    value.extend(scale);
    given.push(Given { id, value: Some(value), word: 0, end: 0 });
    Ok((given, rest))
}

impl Head {
    fn put(&self, text: &[u8]) {
        self.printed.set(self.printed.get() + text.len() as u64);
        out::put(text);
    }

    fn file(&self, input: &mut Input) -> sys::Result<()> {
        self.printed.set(0);
        match (self.from_end, self.bytes) {
            (false, true) => self.first_bytes(input),
            (false, false) => self.first_lines(input),
            (true, true) => self.all_but_bytes(input),
            (true, false) => self.all_but_lines(input),
        }
    }

    fn first_bytes(&self, input: &mut Input) -> sys::Result<()> {
        let mut left = self.count;
        while left > 0 {
            let there = input.fill()?;
            if there.is_empty() || out::failure().is_some() {
                break;
            }
            let n = there.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            self.put(&there[..n]);
            input.consume(n);
            left -= n as u64;
        }
        Ok(())
    }

    fn first_lines(&self, input: &mut Input) -> sys::Result<()> {
        let mut left = self.count;
        while left > 0 {
            let there = input.fill()?;
            if there.is_empty() || out::failure().is_some() {
                break;
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
            self.put(&there[..n]);
            input.consume(n);
        }
        Ok(())
    }

    fn all_but_bytes(&self, input: &mut Input) -> sys::Result<()> {
        let keep = usize::try_from(self.count).unwrap_or(usize::MAX);
        let mut kept: VecDeque<u8> = VecDeque::new();
        loop {
            let there = input.fill()?;
            if there.is_empty() || out::failure().is_some() {
                return Ok(());
            }
            kept.extend(there);
            let n = there.len();
            input.consume(n);
            let ready = kept.len().saturating_sub(keep);
            if ready > 0 {
                let ready: Vec<u8> = kept.drain(..ready).collect();
                self.put(&ready);
            }
        }
    }

    fn all_but_lines(&self, input: &mut Input) -> sys::Result<()> {
        let keep = usize::try_from(self.count).unwrap_or(usize::MAX);
        let mut kept: VecDeque<Vec<u8>> = VecDeque::new();
        let mut record = Vec::new();
        while input.record(self.end, &mut record)? && out::failure().is_none() {
            kept.push_back(record.clone());
            if kept.len() > keep
                && let Some(line) = kept.pop_front()
            {
                self.put(&line);
            }
        }
        Ok(())
    }
}
