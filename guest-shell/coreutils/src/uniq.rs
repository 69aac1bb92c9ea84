//! `uniq`.

use sandshell_cli::input::{Input, chomp};
use sandshell_cli::number::{self, Fault};
use sandshell_cli::options::{self, Spec, choose, hidden, named, option};
use sandshell_cli::out;
use sandshell_cli::quote::{quoteaf, quotef};
use sandshell_cli::warn;
use sandshell_sys::{self as sys, open_flags};
use std::ffi::OsString;

const SPEC: Spec = Spec {
    name: "uniq",
    usage: "\
Usage: uniq [OPTION]... [INPUT [OUTPUT]]
Prints lines that repeat the one before only once. Only neighbours count: sort first.

",
    options: &[
        option("-c, --count", "how often each line came, in front of it"),
        option("-d, --repeated", "only lines that repeat, once each"),
        option("-D", "all lines of those that repeat"),
        named(
            "D",
            "--all-repeated[=METHOD]",
            "as -D, with empty lines between groups: none, prepend or separate",
        ),
        option("-f, --skip-fields=N", "do not compare the first N fields"),
        option(
            "--group[=METHOD]",
            "all lines, with empty lines between groups: separate, prepend, append or both",
        ),
        option("-i, --ignore-case", "upper and lower case are equal"),
        option("-s, --skip-chars=N", "do not compare the first N characters"),
        option("-u, --unique", "only lines that do not repeat"),
        option("-w, --check-chars=N", "what follows N characters does not count"),
        option("-z, --zero-terminated", "lines end with NUL"),
        hidden("", "-0, -1, -2, -3, -4, -5, -6, -7, -8, -9"),
    ],
    ..Spec::DEFAULT
};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Blank {
    None,
    Prepend,
    Append,
    Separate,
    Both,
}

struct Uniq {
    count: bool,
    first_repeated: bool,
    later_repeated: bool,
    unique: bool,
    delimit: Blank,
    group: Option<Blank>,
    skip_fields: usize,
    skip_chars: usize,
    check: usize,
    ignore_case: bool,
    end: u8,
}

/// Runs `uniq` and returns its exit status.
pub fn uniq_main(args: Vec<OsString>) -> i32 {
    run(args).unwrap_or_else(|code| code)
}

fn run(args: Vec<OsString>) -> Result<i32, i32> {
    let parsed = SPEC.parse(&options::operands(args))?;
    let mut u = Uniq {
        count: false,
        first_repeated: true,
        later_repeated: false,
        unique: true,
        delimit: Blank::None,
        group: None,
        skip_fields: 0,
        skip_chars: 0,
        check: usize::MAX,
        ignore_case: false,
        end: b'\n',
    };
    let mut option_used = false;
    let mut digits = false;
    for g in &parsed.options {
        match g.id {
            "c" => (u.count, option_used) = (true, true),
            "d" => (u.unique, option_used) = (false, true),
            "D" => {
                (u.unique, u.later_repeated, option_used) = (false, true, true);
                const WORDS: [(&str, Blank); 3] =
                    [("none", Blank::None), ("prepend", Blank::Prepend), ("separate", Blank::Separate)];
                u.delimit = match &g.value {
                    Some(w) => choose(&SPEC, "--all-repeated", w, &WORDS)?,
                    None => Blank::None,
                };
            }
            "group" => {
                const WORDS: [(&str, Blank); 4] = [
                    ("prepend", Blank::Prepend),
                    ("append", Blank::Append),
                    ("separate", Blank::Separate),
                    ("both", Blank::Both),
                ];
                u.group = Some(match &g.value {
                    Some(w) => choose(&SPEC, "--group", w, &WORDS)?,
                    None => Blank::Separate,
                });
            }
            "f" => (u.skip_fields, digits) = (size(g.text(), "invalid number of fields to skip")?, false),
            "s" => u.skip_chars = size(g.text(), "invalid number of bytes to skip")?,
            "w" => u.check = size(g.text(), "invalid number of bytes to compare")?,
            "i" => u.ignore_case = true,
            "u" => (u.first_repeated, option_used) = (false, true),
            "z" => u.end = 0,
            digit => {
                // `-N`, a form from before POSIX, skips N fields.
                let value = usize::from(digit.as_bytes().first().map_or(0, |d| d - b'0'));
                let before = if std::mem::replace(&mut digits, true) { u.skip_fields } else { 0 };
                u.skip_fields = before.saturating_mul(10).saturating_add(value);
            }
        }
    }
    // `+N`, a form from before POSIX, skips N bytes.
    let mut parsed = parsed;
    parsed.operands.retain(|operand| {
        let Some(count) = operand.strip_prefix(b"+") else { return true };
        match number::unsigned(count, "") {
            Ok(n) => u.skip_chars = usize::try_from(n).unwrap_or(usize::MAX),
            Err(Fault::Overflow) => u.skip_chars = usize::MAX,
            Err(Fault::Invalid | Fault::Suffix) => return true,
        }
        false
    });
    if let Some(extra) = parsed.operands.get(2) {
        return Err(SPEC.extra_operand(extra));
    }
    if u.group.is_some() && option_used {
        return Err(SPEC.usage("--group is mutually exclusive with -c/-d/-D/-u"));
    }
    if u.count && u.later_repeated {
        return Err(SPEC.usage("printing all duplicated lines and repeat counts is meaningless"));
    }
    let path = parsed.operands.first().map_or(&b"-"[..], Vec::as_slice);
    let mut input = Input::open(path).map_err(|e| {
        warn!("uniq", quotef(path), ": ", e);
        1
    })?;
    if let Some(output) = parsed.operands.get(1).filter(|o| *o != b"-") {
        let flags = open_flags::WRITE | open_flags::CREATE | open_flags::TRUNC;
        let opened = sys::open(output, flags, 0o666).and_then(|fd| sys::dup2(fd, 1, false));
        if let Err(e) = opened {
            warn!("uniq", quotef(output), ": ", e);
            return Err(1);
        }
    }
    if u.filter(&mut input).is_err() {
        warn!("uniq", "error reading ", quoteaf(path));
        return Err(1);
    }
    Ok(out::finish("uniq", 0, 1))
}

fn size(text: &[u8], what: &str) -> Result<usize, i32> {
    match number::unsigned(text, "") {
        Ok(n) => Ok(usize::try_from(n).unwrap_or(usize::MAX)),
        Err(Fault::Overflow) => Ok(usize::MAX),
        Err(Fault::Invalid | Fault::Suffix) => {
            warn!("uniq", text, ": ", what);
            Err(1)
        }
    }
}

impl Uniq {
    fn filter(&self, input: &mut Input) -> sys::Result<()> {
        let Some(first) = input.next_record(self.end)? else { return Ok(()) };
        let mut previous = first.to_vec();
        let mut first_group = true;
        let mut repeats = 0u64;
        self.begin(&previous, &mut first_group);
        while let Some(line) = input.next_record(self.end)? {
            let same = self.same(&previous, line);
            if self.group.is_some() {
                if !same {
                    self.begin(line, &mut first_group);
                } else {
                    self.put(line);
                }
                line.clone_into(&mut previous);
                continue;
            }
            repeats += u64::from(same);
            if same && repeats == 1 {
                self.delimit(&mut first_group);
            }
            if !same || self.later_repeated {
                self.print(&previous, same, repeats);
                line.clone_into(&mut previous);
            }
            if !same {
                repeats = 0;
            }
            if out::failure().is_some() {
                break;
            }
        }
        match self.group {
            Some(Blank::Append | Blank::Both) => out::put([self.end]),
            Some(_) => {}
            None => self.print(&previous, false, repeats),
        }
        Ok(())
    }

    /// Prints a group's separator before its first line, for `--group`.
    fn begin(&self, line: &[u8], first: &mut bool) {
        let Some(how) = self.group else { return };
        let blank = match how {
            Blank::Prepend | Blank::Both => true,
            Blank::Append | Blank::Separate => !*first,
            Blank::None => false,
        };
        *first = false;
        if blank {
            out::put([self.end]);
        }
        self.put(line);
    }

    /// Prints the separator between groups of repeated lines, for `-D`.
    fn delimit(&self, first: &mut bool) {
        if self.delimit == Blank::Prepend || self.delimit == Blank::Separate && !*first {
            out::put([self.end]);
        }
        *first = false;
    }

    /// Prints a line. `repeated` tells whether the next line is equal.
    fn print(&self, line: &[u8], repeated: bool, repeats: u64) {
        let wanted = match (repeats, repeated) {
            (0, _) => self.unique,
            (_, false) => self.first_repeated,
            (_, true) => self.later_repeated,
        };
        if wanted {
            if self.count {
                out::put(format!("{:7} ", repeats + 1));
            }
            self.put(line);
        }
    }

    fn put(&self, line: &[u8]) {
        out::put(chomp(line, self.end).0);
        out::put([self.end]);
    }

    fn key<'a>(&self, line: &'a [u8]) -> &'a [u8] {
        let mut rest = chomp(line, self.end).0;
        let blank = |b: &u8| matches!(b, b' ' | b'\t' | b'\n');
        for _ in 0..self.skip_fields {
            if rest.is_empty() {
                break;
            }
            let blanks = rest.iter().take_while(|b| blank(b)).count();
            rest = &rest[blanks..];
            let word = rest.iter().take_while(|b| !blank(b)).count();
            rest = &rest[word..];
        }
        let rest = &rest[self.skip_chars.min(rest.len())..];
        &rest[..self.check.min(rest.len())]
    }

    fn same(&self, a: &[u8], b: &[u8]) -> bool {
        let (a, b) = (self.key(a), self.key(b));
        if self.ignore_case { a.eq_ignore_ascii_case(b) } else { a == b }
    }
}
