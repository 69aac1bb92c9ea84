//! `tail`.

mod follow;

use crate::tail::follow::{Follow, Followed};
use sandshell_cli::input::Input;
use sandshell_cli::number::{self, SIZES};
use sandshell_cli::options::{self, Given, Spec, choose, hidden, named, option};
use sandshell_cli::out;
use sandshell_cli::quote::{quote, quoteaf};
use sandshell_cli::{bytes, warn};
use sandshell_sys as sys;
use std::collections::VecDeque;
use std::ffi::OsString;
use std::time::Duration;

const SPEC: Spec = Spec {
    name: "tail",
    usage: "\
Usage: tail [OPTION]... [FILE]...
Prints how files end: 10 lines of each, below its name if there are several.
Without FILE, or where it is -, standard input is read.

",
    options: &[
        option("-c, --bytes=[+]NUM", "the last NUM bytes; with + from byte NUM on"),
        named(
            "",
            "-f, --follow[={name|descriptor}]",
            "go on with what is added; look at the name or stay with the file",
        ),
        option("-F", "as --follow=name --retry"),
        option("-n, --lines=[+]NUM", "the last NUM lines; with + from line NUM on"),
        named(
            "max",
            "--max-unchanged-stats=N",
            "with --follow=name, how often a file stays the same before its name is looked\nup",
        ),
        option("--pid=PID", "with -f, end when process PID has ended"),
        option("-q, --quiet, --silent", "no names in front"),
        option("--retry", "try again to open files that are not there"),
        option("-s, --sleep-interval=N", "with -f, look about each N seconds"),
        option("-v, --verbose", "names in front, always"),
        option("-z, --zero-terminated", "lines end with NUL"),
        hidden("", "-0, -1, -2, -3, -4, -5, -6, -7, -8, -9"),
        hidden("poll", "---disable-inotify"),
        hidden("pipe", "---presume-input-pipe"),
    ],
    notes: "\n\
NUM may end in b (512), kB, K, MB, M and so on.
",
    ..Spec::DEFAULT
};

struct Tail {
    bytes: bool,
    from_start: bool,
    count: u64,
    end: u8,
}

/// Runs `tail` and returns its exit status.
pub fn tail_main(args: Vec<OsString>) -> i32 {
    run(args).unwrap_or_else(|code| code)
}

fn run(args: Vec<OsString>) -> Result<i32, i32> {
    let args = options::operands(args);
    let mut tail = Tail { bytes: false, from_start: false, count: 10, end: b'\n' };
    let mut follow = Follow::default();
    let (old, rest) = obsolete(&args)?;
    let parsed = SPEC.parse(rest)?;
    let mut headers = None;
    for g in old.iter().chain(&parsed.options) {
        match g.id {
            "c" | "n" => {
                tail.bytes = g.id == "c";
                let what = if tail.bytes { "invalid number of bytes" } else { "invalid number of lines" };
                let text = g.text();
                tail.from_start = text.starts_with(b"+");
                let number = text.strip_prefix(b"-").unwrap_or(text);
                tail.count = number::in_range("tail", what, number, SIZES, 0, u64::MAX)?;
            }
            "f" => follow.on = true,
            "F" => (follow.on, follow.by_name, follow.retry) = (true, true, true),
            "follow" => {
                follow.on = true;
                if let Some(word) = &g.value {
                    follow.by_name =
                        choose(&SPEC, "--follow", word, &[("descriptor", false), ("name", true)])?;
                }
            }
            "retry" => follow.retry = true,
            "q" => headers = Some(false),
            "v" => headers = Some(true),
            "z" => tail.end = 0,
            "pid" => {
                let pid = number::in_range("tail", "invalid PID", g.text(), "", 0, i32::MAX as u64)?;
                follow.pid = sys::Pid::try_from(pid).ok();
            }
            "s" => {
                let seconds = std::str::from_utf8(g.text()).ok().and_then(|t| t.parse::<f64>().ok());
                let time = seconds.filter(|s| *s >= 0.0).map(Duration::try_from_secs_f64);
                let Some(time) = time else {
                    warn!("tail", "invalid number of seconds: ", quote(g.text()));
                    return Err(1);
                };
                follow.every = time.unwrap_or(Duration::MAX);
            }
            "max" => {
                let what = "invalid maximum number of unchanged stats between opens";
                number::in_range("tail", what, g.text(), "", 0, u64::MAX)?;
            }
            "poll" => follow.polls = true,
            "pipe" => {}
            digit => {
                warn!("tail", "option used in invalid context -- ", digit);
                return Err(1);
            }
        }
    }
    if follow.retry && !follow.on {
        warn!("tail", "warning: --retry ignored; --retry is useful only when following");
    } else if follow.retry && !follow.by_name {
        warn!("tail", "warning: --retry only effective for the initial open");
    }
    if follow.pid.is_some() && !follow.on {
        warn!("tail", "warning: PID ignored; --pid=PID is useful only when following");
    }
    let stdin = [b"-".to_vec()];
    let operands = if parsed.operands.is_empty() { &stdin[..] } else { &parsed.operands };
    if follow.on && follow.by_name && operands.iter().any(|o| o == b"-") {
        warn!("tail", "cannot follow ", quoteaf(b"-"), " by name");
        return Err(1);
    }
    if tail.count == 0 && !tail.from_start && !follow.on {
        return Ok(0);
    }
    tail.files(operands, headers.unwrap_or(operands.len() > 1), &follow)
}

/// Parses `-NUM[bcl][f]` and `+NUM…` as the only option, a form from before POSIX.
fn obsolete(args: &[Vec<u8>]) -> Result<(Vec<Given>, &[Vec<u8>]), i32> {
    let none = Ok((Vec::new(), args));
    let alone = match args {
        [_] => true,
        [_, second] => second == b"--" || second == b"-" || !second.starts_with(b"-"),
        [_, second, _] => second == b"--",
        _ => false,
    };
    let Some(first) = args.first().filter(|_| alone) else { return none };
    let text = match first.split_first() {
        Some((b'+', text)) => text,
        Some((b'-', text)) if !text.is_empty() && text != b"c" => text,
        _ => return none,
    };
    let digits = text.iter().take_while(|b| b.is_ascii_digit()).count();
    let (number, letters) = text.split_at(digits);
    let (unit, letters) = match letters.split_first() {
        Some((unit @ (b'b' | b'c' | b'l'), rest)) => (*unit, rest),
        _ => (b'l', letters),
    };
    let follow = match letters {
        b"" => false,
        b"f" => true,
        _ => return none,
    };
    // `-f` without a number is the usual option.
    if number.is_empty() && first.starts_with(b"-") && text.iter().all(|b| *b == b'f') {
        return none;
    }
    let mut value = if first.starts_with(b"+") { b"+".to_vec() } else { Vec::new() };
    value.extend_from_slice(if number.is_empty() { b"10" } else { number });
    if unit == b'b' {
        value.push(b'b');
    }
    let mut given =
        vec![Given { id: if unit == b'l' { "n" } else { "c" }, value: Some(value), word: 0, end: 0 }];
    if follow {
        given.push(Given { id: "f", value: None, word: 0, end: 0 });
    }
    Ok((given, &args[1..]))
}

impl Tail {
    fn files(&self, operands: &[Vec<u8>], headers: bool, follow: &Follow) -> Result<i32, i32> {
        let mut code = 0;
        let mut first = true;
        let mut followed = Vec::new();
        for path in operands {
            let shown: &[u8] = if path == b"-" { b"standard input" } else { path };
            let mut input = match Input::open(path) {
                Ok(input) => input,
                Err(e) => {
                    warn!("tail", "cannot open ", quoteaf(shown), " for reading: ", e);
                    code = 1;
                    followed.push(Followed::missing(path, shown));
                    continue;
                }
            };
            if headers {
                out::put(bytes!(if first { "" } else { "\n" }, "==> ", shown, " <==\n"));
                first = false;
            }
            if let Err(e) = self.file(&mut input) {
                warn!("tail", "error reading ", quoteaf(shown), ": ", e);
                code = 1;
                if follow.on {
                    let end = if follow.retry { "" } else { "; giving up on this name" };
                    warn!("tail", shown, ": cannot follow end of this type of file", end);
                    if follow.retry && follow.by_name {
                        followed.push(Followed::missing(path, shown));
                    }
                }
                continue;
            }
            followed.push(Followed::open(path, shown, input));
        }
        if follow.on && out::failure().is_none() {
            out::flush();
            code = follow.run(followed, headers, code);
        }
        Ok(out::finish("tail", code, 1))
    }

    fn file(&self, input: &mut Input) -> sys::Result<()> {
        if self.from_start {
            return self.skip(input);
        }
        // Only regular files can be read from the end. Some files in /proc and /sys have a wrong size of at most one
        // block.
        let plain = sys::fstat(input.fd()).is_ok_and(|s| s.is_file() && s.size > 4096);
        match sys::lseek(input.fd(), 0, 1) {
            Ok(start) if plain => self.seek(input, start)?,
            _ if self.bytes => return self.last_bytes(input),
            _ => return self.last_lines(input),
        }
        copy(input)
    }

    /// Prints everything from the count-th unit on.
    fn skip(&self, input: &mut Input) -> sys::Result<()> {
        let mut left = self.count.saturating_sub(1);
        while left > 0 {
            let there = input.fill()?;
            if there.is_empty() {
                return Ok(());
            }
            let n = if self.bytes {
                let n = there.len().min(usize::try_from(left).unwrap_or(usize::MAX));
                left -= n as u64;
                n
            } else {
                match memchr::memchr(self.end, there) {
                    Some(i) => {
                        left -= 1;
                        i + 1
                    }
                    None => there.len(),
                }
            };
            input.consume(n);
        }
        copy(input)
    }

    /// Seeks in a regular file to the start of its last part, but not before `start`.
    fn seek(&self, input: &Input, start: u64) -> sys::Result<()> {
        let fd = input.fd();
        let size = sys::lseek(fd, 0, 2)?.max(start);
        if self.bytes {
            sys::lseek(fd, size.saturating_sub(self.count).max(start) as i64, 0)?;
            return Ok(());
        }
        const CHUNK: u64 = 64 * 1024;
        let mut at = size;
        let mut left = self.count;
        let mut buffer = vec![0; CHUNK as usize];
        let mut last = true;
        while at > start {
            let from = at.saturating_sub(CHUNK).max(start);
            sys::lseek(fd, from as i64, 0)?;
            let mut n = 0;
            let length = (at - from) as usize;
            while n < length {
                match sys::read(fd, &mut buffer[n..length])? {
                    0 => break,
                    more => n += more,
                }
            }
            let mut text = &buffer[..n];
            if std::mem::take(&mut last) && text.last() == Some(&self.end) && left > 0 {
                // No line begins after the end of the last line.
                text = &text[..n - 1];
            }
            for i in memchr::memrchr_iter(self.end, text) {
                if left <= 1 {
                    let begin = if self.count == 0 { size } else { from + i as u64 + 1 };
                    sys::lseek(fd, begin as i64, 0)?;
                    return Ok(());
                }
                left -= 1;
            }
            at = from;
        }
        sys::lseek(fd, if self.count == 0 { size } else { start } as i64, 0)?;
        Ok(())
    }

    fn last_bytes(&self, input: &mut Input) -> sys::Result<()> {
        let keep = usize::try_from(self.count).unwrap_or(usize::MAX);
        let mut kept: VecDeque<u8> = VecDeque::new();
        loop {
            let there = input.fill()?;
            if there.is_empty() {
                break;
            }
            kept.extend(there);
            let n = there.len();
            input.consume(n);
            let over = kept.len().saturating_sub(keep);
            kept.drain(..over);
        }
        let (a, b) = kept.as_slices();
        out::put(a);
        out::put(b);
        Ok(())
    }

    fn last_lines(&self, input: &mut Input) -> sys::Result<()> {
        // The pieces as read, each with its number of line ends.
        let mut kept: VecDeque<(Vec<u8>, u64)> = VecDeque::new();
        let mut total = 0u64;
        loop {
            let there = input.fill()?;
            if there.is_empty() {
                break;
            }
            let ends = memchr::memchr_iter(self.end, there).count() as u64;
            total += ends;
            let n = there.len();
            match kept.back_mut() {
                Some(last) if last.0.len() + n <= 64 * 1024 => {
                    last.0.extend_from_slice(there);
                    last.1 += ends;
                }
                _ => kept.push_back((there.to_vec(), ends)),
            }
            input.consume(n);
            while kept.front().is_some_and(|f| total - f.1 > self.count) {
                total -= kept.pop_front().map_or(0, |f| f.1);
            }
        }
        if self.count == 0 {
            return Ok(());
        }
        let partial = kept.back().is_some_and(|(text, _)| text.last() != Some(&self.end));
        let mut skip = (total + u64::from(partial)).saturating_sub(self.count);
        for (text, _) in &kept {
            let mut text = text.as_slice();
            while skip > 0 {
                match memchr::memchr(self.end, text) {
                    Some(i) => {
                        text = &text[i + 1..];
                        skip -= 1;
                    }
                    None => {
                        text = b"";
                        break;
                    }
                }
            }
            out::put(text);
        }
        Ok(())
    }
}

fn copy(input: &mut Input) -> sys::Result<()> {
    loop {
        let there = input.fill()?;
        if there.is_empty() || out::failure().is_some() {
            return Ok(());
        }
        out::put(there);
        let n = there.len();
        input.consume(n);
    }
}
