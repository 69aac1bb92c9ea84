//! `cmp`: compares two files byte by byte.

mod input;
mod options;

use crate::say;
use input::Input;
use options::{Mode, Options};
use sandshell_cli::bytes;
use sandshell_cli::out;
use sandshell_sys as sys;

/// Runs `cmp` on its arguments (its own name first) and returns the exit status: 0 if the files are equal, 1 if they
/// differ, 2 on trouble.
pub fn cmp_main(args: Vec<Vec<u8>>) -> i32 {
    say::set_program(&args, "cmp");
    let status = match options::read(&args) {
        Ok(options) => run(&options),
        Err(status) => status,
    };
    out::flush();
    match out::failure() {
        Some(e) => {
            say::failed(b"standard output", e);
            2
        }
        None => status,
    }
}

fn run(options: &Options) -> i32 {
    let mut inputs = Vec::new();
    for f in [0, 1] {
        match Input::open(&options.names[f], options.skip[f]) {
            Ok(input) => inputs.push(input),
            Err(e) => {
                if options.mode != Mode::Silent {
                    say::failed(&options.names[f], e);
                }
                return 2;
            }
        }
    }
    let [Some(a), Some(b)] = [inputs.pop(), inputs.pop()] else { return 2 };
    // `pop` returns the last one first.
    let (mut first, mut second) = (b, a);
    if first.is_same(&second) {
        return 0;
    }
    if options.mode == Mode::Silent
        && let (Some(n), Some(m)) = (first.size(), second.size())
        && n != m
        && n.min(m) < options.limit
    {
        return 1;
    }
    let known = [first.size(), second.size()].into_iter().flatten();
    let most = known.chain([options.limit, i64::MAX as u64]).min().unwrap_or(0);
    let comparison = Comparison { options, width: most.to_string().len(), byte: 0, newlines: 0, last: 0 };
    comparison.run(&mut first, &mut second)
}

// The progress of a comparison: the bytes and newlines compared so far, and the last of these bytes.
struct Comparison<'a> {
    options: &'a Options,
    width: usize,
    byte: u64,
    newlines: u64,
    last: u8,
}

// Whether messages use the POSIX locale.
fn is_posix_locale() -> bool {
    let set = |name| std::env::var_os(name).filter(|v| !v.is_empty());
    let locale = set("LC_ALL").or_else(|| set("LC_MESSAGES")).or_else(|| set("LANG"));
    locale.is_none_or(|l| l == "C" || l == "POSIX")
}

impl Comparison<'_> {
    fn run(mut self, first: &mut Input, second: &mut Input) -> i32 {
        let mut status = 0;
        loop {
            let want =
                input::CHUNK.min(usize::try_from(self.options.limit - self.byte).unwrap_or(usize::MAX));
            let (a, b) = match (first.fill(want), second.fill(want)) {
                (Ok(a), Ok(b)) => (a, b),
                (a, b) => {
                    let failed = a.err().map(|e| (0, e)).or(b.err().map(|e| (1, e)));
                    if let Some((f, e)) = failed
                        && self.options.mode != Mode::Silent
                    {
                        say::failed(&self.options.names[f], e);
                    }
                    return 2;
                }
            };
            let common = a.len().min(b.len());
            let (x, y) = (&a[..common], &b[..common]);
            if x != y {
                match self.options.mode {
                    Mode::Silent => return 1,
                    Mode::First => {
                        self.first_difference(x, y);
                        return 1;
                    }
                    Mode::All => {
                        self.all_differences(x, y);
                        status = 1;
                    }
                }
            }
            self.newlines += memchr::memchr_iter(b'\n', x).count() as u64;
            self.byte += common as u64;
            self.last = x.last().copied().unwrap_or(self.last);
            if a.len() != b.len() {
                self.end_of(if a.len() < b.len() { 0 } else { 1 });
                return 1;
            }
            if common < want || self.byte == self.options.limit {
                return status;
            }
        }
    }

    fn first_difference(&self, x: &[u8], y: &[u8]) {
        let at = x.iter().zip(y).position(|(a, b)| a != b).unwrap_or(0);
        let byte = self.byte + at as u64 + 1;
        let line = self.newlines + memchr::memchr_iter(b'\n', &x[..at]).count() as u64 + 1;
        let [name0, name1] = &self.options.names;
        // POSIX specifies "char". GNU cmp prints it in the POSIX locale, but not with -b.
        let unit = if self.options.print_bytes || !is_posix_locale() { "byte " } else { "char " };
        out::put(bytes!(name0, " ", name1, " differ: ", unit, byte, ", line ", line));
        if self.options.print_bytes {
            let (a, b) = (x[at], y[at]);
            let (v, w) = (visible(a), visible(b));
            out::put(format!(" is {a:3o} {v} {b:3o} {w}"));
        }
        out::put("\n");
    }

    fn all_differences(&self, x: &[u8], y: &[u8]) {
        let width = self.width;
        for (i, (a, b)) in x.iter().zip(y).enumerate().filter(|(_, (a, b))| a != b) {
            let byte = self.byte + i as u64 + 1;
            if self.options.print_bytes {
                let (v, w) = (visible(*a), visible(*b));
                out::put(format!("{byte:width$} {a:3o} {v:4} {b:3o} {w}\n"));
            } else {
                out::put(format!("{byte:width$} {a:3o} {b:3o}\n"));
            }
        }
    }

    fn end_of(&self, f: usize) {
        let name = &self.options.names[f];
        let text = match self.options.mode {
            Mode::Silent => return,
            _ if self.byte == 0 => bytes!("cmp: EOF on ", name, " which is empty\n"),
            Mode::All => bytes!("cmp: EOF on ", name, " after byte ", self.byte, "\n"),
            Mode::First if self.last == b'\n' => {
                bytes!("cmp: EOF on ", name, " after byte ", self.byte, ", line ", self.newlines, "\n")
            }
            Mode::First => {
                let line = self.newlines + 1;
                bytes!("cmp: EOF on ", name, " after byte ", self.byte, ", in line ", line, "\n")
            }
        };
        say::raw(text);
    }
}

// A byte as `cat -v` shows it. Tabs and newlines are escaped too.
fn visible(byte: u8) -> String {
    let (meta, low) = if byte >= 128 { ("M-", byte - 128) } else { ("", byte) };
    match low {
        0..32 => format!("{meta}^{}", (low + 64) as char),
        127 => format!("{meta}^?"),
        _ => format!("{meta}{}", low as char),
    }
}

/// Identifies a file (device and inode), so that two names of the same file are recognised.
type Identity = (u64, u64, u64);

fn identity(stat: &sys::Stat, position: u64) -> Option<Identity> {
    (stat.ino != 0).then_some((stat.dev, stat.ino, position))
}
