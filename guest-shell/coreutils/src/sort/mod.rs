//! `sort`: sorts in memory, in byte order. The sort is stable.

mod debug;
pub(crate) mod key;
mod order;

use crate::sort::key::{Key, Kind};
use sandshell_cli::input::{Input, chomp};
use sandshell_cli::message;
use sandshell_cli::number;
use sandshell_cli::options::{self, Given, Spec, choose, hidden, named, option, text};
use sandshell_cli::out;
use sandshell_cli::quote::{quote, quoteaf, quotef};
use sandshell_cli::{bytes, warn};
use sandshell_sys::{self as sys, Errno, open_flags};
use std::cmp::Ordering;
use std::ffi::OsString;

const SPEC: Spec = Spec {
    name: "sort",
    usage: "\
Usage: sort [OPTION]... [FILE]...
  or:  sort [OPTION]... --files0-from=F
Sorts the lines of all files together and prints them.
Without FILE, or where it is -, lines come from standard input.

How lines compare:
",
    options: &[
        option("-b, --ignore-leading-blanks", "blanks in front do not count"),
        option("-d, --dictionary-order", "only blanks, letters and digits count"),
        option("-f, --ignore-case", "lower case counts as upper case"),
        option("-g, --general-numeric-sort", "by numbers, in any notation that strtold reads"),
        option("-h, --human-numeric-sort", "by numbers with units such as 2K and 1G"),
        option("-i, --ignore-nonprinting", "only printable characters count"),
        option("-M, --month-sort", "by names of months"),
        option("-n, --numeric-sort", "by decimal numbers"),
        option("-R, --random-sort", "by a random hash; equal keys stay together"),
        option("-V, --version-sort", "as versions: numbers in the text compare as numbers"),
        named("source", "--random-source=FILE", "the random bytes come from FILE"),
        option("-r, --reverse", "the other way round"),
        option("--sort=WORD", "by general-numeric, human-numeric, month, numeric, random or version"),
        text("\nThe rest:\n"),
        option("-k, --key=KEYDEF", "sort by a part of the lines; several keys decide one after the other"),
        option("-t, --field-separator=SEP", "fields stand between SEPs, not at blanks"),
        option("-s, --stable", "lines with equal keys keep their order"),
        option("-u, --unique", "of lines with equal keys only the first"),
        named("", "-c, --check[=diagnose-first]", "only look whether the input is sorted; tell the first line that is not"),
        option("-C", "as -c, without a message; also --check=quiet"),
        option("-m, --merge", "the files are sorted already: merge them"),
        option("-o, --output=FILE", "write to FILE, which may be one of the inputs"),
        named("files0", "--files0-from=F", "read names of files from F, each ended with NUL"),
        named("batch", "--batch-size=NMERGE", "merge at most so many files at a time"),
        named("compress", "--compress-program=PROG", "compress temporary files with PROG"),
        named("", "-S, --buffer-size=SIZE", "how much memory the lines may take"),
        option("-T, --temporary-directory=DIR", "where temporary files go"),
        option("--parallel=N", "accepted; one thread sorts"),
        option("--debug", "mark what each key compares, and warn of odd uses"),
        option("-z, --zero-terminated", "lines end with NUL"),
        hidden("", "-y[X], -0, -1, -2, -3, -4, -5, -6, -7, -8, -9"),
    ],
    ties: &["debug", "dictionary-order", "files0-from", "merge", "month-sort", "field-separator"],
    notes: "\n\
KEYDEF is FIELD[.CHAR][OPTIONS][,FIELD[.CHAR][OPTIONS]]: where the key begins and ends, counted from 1, and letters of
the first list that hold for it alone. SIZE may end in %, b, K, M, G and so on.
",
    failure: 2,
    unwritten: 2,
    ..Spec::DEFAULT
};

/// The number of the resource limit for open files.
const OPEN_FILES: u32 = 7;

#[derive(Default)]
struct Sort {
    keys: Vec<Key>,
    tab: Option<u8>,
    end: u8,
    reverse: bool,
    stable: bool,
    unique: bool,
    merge: bool,
    debug: bool,
    /// Whether the only key consists of the options given outside of keys.
    only_global: bool,
    salt: [u8; 16],
}

/// Runs `sort` and returns its exit status.
pub fn sort_main(args: Vec<OsString>) -> i32 {
    run(args).unwrap_or_else(|code| code)
}

/// The options except those about ordering.
#[derive(Default)]
struct Task {
    check: Option<char>,
    output: Option<Vec<u8>>,
    names_from: Option<Vec<u8>>,
    source: Option<Vec<u8>>,
}

fn run(args: Vec<OsString>) -> Result<i32, i32> {
    let args = obsolete_keys(options::operands(args));
    let parsed = SPEC.parse(&args)?;
    let (mut sort, mut task, mut global) =
        (Sort { end: b'\n', ..Sort::default() }, Task::default(), Key::default());
    for g in &parsed.options {
        apply(g, &mut sort, &mut task, &mut global)?;
    }
    let mut operands = parsed.operands;
    if let Some(from) = &task.names_from {
        operands = names_in(from, &operands)?;
    }
    for key in &mut sort.keys {
        if key.is_plain() {
            (key.kinds, key.reverse) = (global.kinds.clone(), global.reverse);
            (key.fold, key.dictionary, key.printable) = (global.fold, global.dictionary, global.printable);
            key.from.skip_blanks = global.from.skip_blanks;
            if let Some(to) = &mut key.to {
                to.skip_blanks = global.from.skip_blanks;
            }
        }
    }
    // Without keys, the whole line is a key if there are global ordering options.
    if sort.keys.is_empty() && !global.is_plain() {
        let trivial = global.kinds.is_empty()
            && !(global.fold || global.dictionary || global.printable || global.from.skip_blanks);
        if !trivial {
            sort.keys.push(global.clone());
            sort.only_global = true;
        }
    }
    sort.reverse = global.reverse;
    for key in &sort.keys {
        if let Some(letters) = key.incompatible() {
            warn!("sort", "options '-", letters, "' are incompatible");
            return Err(2);
        }
    }
    if sort.debug {
        if let Some(letter) = task.check.or(task.output.as_ref().map(|_| 'o')) {
            warn!("sort", "options '-", letter, " --debug' are incompatible");
            return Err(2);
        }
        let last_resort = !(sort.stable || sort.unique);
        debug::warn_of_keys(&sort.keys, &global, sort.only_global, sort.tab, last_resort);
    }
    if sort.keys.iter().any(|k| k.kind() == Kind::Random) {
        sort.salt = salt(task.source.as_deref())?;
    }
    if operands.is_empty() {
        operands.push(b"-".to_vec());
    }
    if let Some(letter) = task.check {
        if let Some(extra) = operands.get(1) {
            warn!("sort", "extra operand ", quoteaf(extra), " not allowed with -", letter);
            return Err(2);
        }
        if task.output.is_some() {
            warn!("sort", "options '-", letter, "o' are incompatible");
            return Err(2);
        }
        return sort.check(&operands[0], letter == 'c');
    }
    sort.files(&operands, task.output.as_deref())
}

fn apply(g: &Given, sort: &mut Sort, task: &mut Task, global: &mut Key) -> Result<(), i32> {
    match g.id {
        "b" => global.from.skip_blanks = true,
        "c" | "C" => check(task, g.id.chars().next().unwrap_or('c'))?,
        "check" => {
            const WORDS: [(&str, char); 3] = [("quiet", 'C'), ("silent", 'C'), ("diagnose-first", 'c')];
            let letter = match &g.value {
                Some(word) => choose(&SPEC, "--check", word, &WORDS)?,
                None => 'c',
            };
            check(task, letter)?;
        }
        "sort" => {
            const WORDS: [(&str, u8); 6] = [
                ("general-numeric", b'g'),
                ("human-numeric", b'h'),
                ("month", b'M'),
                ("numeric", b'n'),
                ("random", b'R'),
                ("version", b'V'),
            ];
            global.order(choose(&SPEC, "--sort", g.text(), &WORDS)?);
        }
        "k" => sort.keys.push(match g.text().strip_prefix(OBSOLETE) {
            Some(text) => Key { obsolete: true, ..Key::parse(text)? },
            None => Key::parse(g.text())?,
        }),
        "m" => sort.merge = true,
        "T" | "compress" | "y" => {}
        "debug" => sort.debug = true,
        "o" => {
            if task.output.as_deref().is_some_and(|o| o != g.text()) {
                warn!("sort", "multiple output files specified");
                return Err(2);
            }
            task.output = Some(g.text().to_vec());
        }
        "s" => sort.stable = true,
        "S" => size(g.text(), "-S")?,
        "buffer-size" => size(g.text(), "--buffer-size")?,
        "parallel" => {
            match Number::read(g.text(), "") {
                Number::Good(0) => {
                    warn!("sort", "number in parallel must be nonzero");
                    return Err(2);
                }
                // A number that is too large means no limit.
                Number::Large => {}
                number => number.check("--parallel", g.text())?,
            }
        }
        "batch" => match Number::read(g.text(), "") {
            Number::Good(0 | 1) => {
                warn!("sort", "invalid --batch-size argument ", quote(g.text()));
                warn!("sort", "minimum --batch-size argument is ", quote(b"2"));
                return Err(2);
            }
            number => {
                // Some descriptors are in use already.
                let most = sys::getrlimit(OPEN_FILES).map_or(u64::MAX, |l| l.0.saturating_sub(3));
                if number == Number::Large || matches!(number, Number::Good(n) if n > most) {
                    warn!("sort", "--batch-size argument ", quote(g.text()), " too large");
                    warn!("sort", "maximum --batch-size argument with current rlimit is ", most);
                    return Err(2);
                }
                number.check("--batch-size", g.text())?;
            }
        },
        "source" => {
            if task.source.as_deref().is_some_and(|s| s != g.text()) {
                warn!("sort", "multiple random sources specified");
                return Err(2);
            }
            task.source = Some(g.text().to_vec());
        }
        "t" => {
            let tab = match g.text() {
                [] => {
                    warn!("sort", "empty tab");
                    return Err(2);
                }
                [one] => *one,
                b"\\0" => 0,
                more => {
                    warn!("sort", "multi-character tab ", quote(more));
                    return Err(2);
                }
            };
            if sort.tab.is_some_and(|t| t != tab) {
                warn!("sort", "incompatible tabs");
                return Err(2);
            }
            sort.tab = Some(tab);
        }
        "u" => sort.unique = true,
        "z" => sort.end = 0,
        "files0" => task.names_from = Some(g.text().to_vec()),
        letter => {
            if !global.order(letter.as_bytes().first().copied().unwrap_or(0)) {
                return Err(SPEC.usage(bytes!("invalid option -- '", letter, "'")));
            }
        }
    }
    Ok(())
}

fn check(task: &mut Task, letter: char) -> Result<(), i32> {
    if task.check.is_some_and(|c| c != letter) {
        warn!("sort", "options '-cC' are incompatible");
        return Err(2);
    }
    task.check = Some(letter);
    Ok(())
}

/// The number in an option's value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Number {
    Good(u64),
    Large,
    BadSuffix,
    Invalid,
}

impl Number {
    fn read(text: &[u8], suffixes: &str) -> Self {
        let digits = text.trim_ascii_start();
        let digits = digits.strip_prefix(b"+").unwrap_or(digits);
        match number::unsigned(text, suffixes) {
            _ if !digits.first().is_some_and(u8::is_ascii_digit) => Self::Invalid,
            Ok(n) => Self::Good(n),
            Err(number::Fault::Overflow) => Self::Large,
            Err(number::Fault::Invalid | number::Fault::Suffix) => Self::BadSuffix,
        }
    }

    fn check(self, option: &str, text: &[u8]) -> Result<(), i32> {
        match self {
            Self::Good(_) => return Ok(()),
            Self::Large => warn!("sort", option, " argument '", text, "' too large"),
            Self::BadSuffix => warn!("sort", "invalid suffix in ", option, " argument '", text, "'"),
            Self::Invalid => warn!("sort", "invalid ", option, " argument '", text, "'"),
        }
        Err(2)
    }
}

/// Checks the argument of `-S`. It has no effect, as all available memory is used.
fn size(text: &[u8], option: &str) -> Result<(), i32> {
    let number = match text.strip_suffix(b"%").map(|share| Number::read(share, "")) {
        None => Number::read(text, "bkKmMgGtTPEZY"),
        Some(share @ Number::Good(_)) => share,
        // There is no valid number before the percent sign, or it is too large.
        Some(Number::Invalid) => Number::Invalid,
        Some(_) => Number::BadSuffix,
    };
    number.check(option, text)
}

/// Marks a key that was given as `+POS1 [-POS2]`. No real argument can contain it.
const OBSOLETE: &[u8] = b"\0";

/// Converts `+POS1 [-POS2]`, a form from before POSIX, to `-k`.
fn obsolete_keys(args: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    let mut out = Vec::with_capacity(args.len());
    let mut i = 0;
    let mut operands = false;
    while let Some(arg) = args.get(i) {
        i += 1;
        let is_old = arg.first() == Some(&b'+') && arg.get(1).is_some_and(u8::is_ascii_digit);
        operands |= arg == b"--";
        let second =
            args.get(i).filter(|n| n.first() == Some(&b'-') && n.get(1).is_some_and(u8::is_ascii_digit));
        let from = if is_old && !operands { place(&arg[1..], 1) } else { None };
        let Some((field, chars, letters)) = from else {
            out.push(arg.clone());
            continue;
        };
        let mut key = [OBSOLETE, format!("{field}.{}", chars.saturating_add(1)).as_bytes()].concat();
        key.extend_from_slice(letters);
        if let Some((field, chars, letters)) = second.and_then(|s| place(&s[1..], 0)) {
            let end = if chars == 0 {
                format!(",{field}")
            } else {
                format!(",{}.{chars}", field.saturating_add(1))
            };
            key.extend_from_slice(end.as_bytes());
            key.extend_from_slice(letters);
            i += 1;
        }
        out.push(b"-k".to_vec());
        out.push(key);
    }
    out
}

fn place(text: &[u8], add: usize) -> Option<(usize, usize, &[u8])> {
    let digits = |t: &[u8]| t.iter().take_while(|b| b.is_ascii_digit()).count();
    let parse = |t: &[u8]| std::str::from_utf8(t).ok()?.parse::<usize>().ok();
    let n = digits(text);
    let field = parse(&text[..n])?.checked_add(add)?;
    match text[n..].strip_prefix(b".") {
        Some(rest) => {
            let m = digits(rest);
            Some((field, parse(&rest[..m])?, &rest[m..]))
        }
        None => Some((field, 0, &text[n..])),
    }
}

fn names_in(from: &[u8], operands: &[Vec<u8>]) -> Result<Vec<Vec<u8>>, i32> {
    if let Some(first) = operands.first() {
        warn!("sort", "extra operand ", quoteaf(first));
        let _ = sys::write_all(2, b"file operands cannot be combined with --files0-from\n");
        message::try_help("sort");
        return Err(2);
    }
    let all = Input::open(from).and_then(|mut i| i.rest()).map_err(|e| {
        warn!("sort", "open failed: ", quotef(from), ": ", e);
        2
    })?;
    if all.is_empty() {
        warn!("sort", "no input from ", quoteaf(from));
        return Err(2);
    }
    let all = all.strip_suffix(b"\0").unwrap_or(&all);
    let mut names = Vec::new();
    for (i, name) in all.split(|b| *b == 0).enumerate() {
        if from == b"-" && name == b"-" {
            warn!("sort", "when reading file names from stdin, no file name of ", quoteaf(name), " allowed");
            return Err(2);
        }
        if name.is_empty() {
            warn!("sort", quotef(from), ":", i + 1, ": invalid zero-length file name");
            return Err(2);
        }
        names.push(name.to_vec());
    }
    Ok(names)
}

fn salt(source: Option<&[u8]>) -> Result<[u8; 16], i32> {
    let mut salt = [0; 16];
    let Some(path) = source else {
        sys::random(&mut salt);
        return Ok(salt);
    };
    let mut input = Input::open(path).map_err(|e| {
        warn!("sort", "open failed: ", quotef(path), ": ", e);
        2
    })?;
    for b in &mut salt {
        match input.byte() {
            Ok(Some(byte)) => *b = byte,
            Ok(None) => {
                warn!("sort", quote(path), ": end of file");
                return Err(2);
            }
            Err(e) => {
                warn!("sort", quotef(path), ": read error: ", e);
                return Err(2);
            }
        }
    }
    Ok(salt)
}

impl Sort {
    /// Compares whole lines, without their line ends.
    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        for key in &self.keys {
            let order = key.compare(key.slice(a, self.tab), key.slice(b, self.tab), &self.salt);
            if order != Ordering::Equal {
                return if key.reverse { order.reverse() } else { order };
            }
        }
        if !self.keys.is_empty() && (self.unique || self.stable) {
            return Ordering::Equal;
        }
        let order = a.cmp(b);
        if self.reverse { order.reverse() } else { order }
    }

    /// Reads all files into one text, in which each file ends with a line end. Sets where each file starts.
    fn read(&self, operands: &[Vec<u8>], starts: &mut Vec<usize>) -> Result<Vec<u8>, i32> {
        // Files that cannot be opened are reported before anything is sorted.
        for path in operands.iter().filter(|o| *o != b"-") {
            if let Err(e) = sys::access(path, 4) {
                warn!("sort", "cannot read: ", quotef(path), ": ", e);
                return Err(2);
            }
        }
        let mut all = Vec::new();
        for path in operands {
            let start = all.len();
            starts.push(start);
            let text = Input::open(path).map_err(|e| {
                warn!("sort", "open failed: ", quotef(path), ": ", e);
                2
            });
            let mut input = text?;
            loop {
                let there = input.fill().map_err(|e: Errno| {
                    warn!("sort", "read failed: ", quotef(path), ": ", e);
                    2
                })?;
                if there.is_empty() {
                    break;
                }
                all.extend_from_slice(there);
                let n = there.len();
                input.consume(n);
            }
            if all.len() > start && all.last() != Some(&self.end) {
                all.push(self.end);
            }
        }
        Ok(all)
    }

    fn files(&self, operands: &[Vec<u8>], output: Option<&[u8]>) -> Result<i32, i32> {
        let mut starts = Vec::new();
        let all = self.read(operands, &mut starts)?;
        let mut lines: Vec<&[u8]> = Vec::new();
        if self.merge {
            let ends = starts.iter().skip(1).copied().chain([all.len()]);
            let parts = starts.iter().zip(ends).map(|(from, to)| self.lines(&all[*from..to])).collect();
            self.merged(parts, &mut lines);
        } else {
            lines = self.lines(&all);
            self.order(&mut lines);
        }
        if self.unique {
            lines.dedup_by(|later, kept| self.compare(kept, later) == Ordering::Equal);
        }
        if let Some(path) = output {
            let flags = open_flags::WRITE | open_flags::CREATE | open_flags::TRUNC;
            if let Err(e) = sys::open(path, flags, 0o666).and_then(|fd| sys::dup2(fd, 1, false)) {
                warn!("sort", "open failed: ", quotef(path), ": ", e);
                return Err(2);
            }
        }
        for line in lines {
            if self.debug {
                let last_resort = !(self.stable || self.unique);
                debug::show(line, &self.keys, self.only_global, self.tab, last_resort);
            } else {
                out::put(line);
                out::put([self.end]);
            }
            if out::failure().is_some() {
                break;
            }
        }
        out::flush();
        if let Some(e) = out::failure() {
            let shown = output.map_or_else(|| b"'standard output'".to_vec(), quotef);
            // Output that fits in C's buffer only fails when it is flushed at the end.
            let what = if all.len() < 4096 { "fflush failed: " } else { "write failed: " };
            warn!("sort", what, shown, ": ", e);
            warn!("sort", "write error");
            return Err(2);
        }
        Ok(0)
    }

    fn lines<'a>(&self, text: &'a [u8]) -> Vec<&'a [u8]> {
        let mut start = 0;
        memchr::memchr_iter(self.end, text)
            .map(|end| &text[std::mem::replace(&mut start, end + 1)..end])
            .collect()
    }

    /// Merges: repeatedly takes the smallest of the first lines. Among equal lines, that of the first file comes first.
    fn merged<'a>(&self, parts: Vec<Vec<&'a [u8]>>, lines: &mut Vec<&'a [u8]>) {
        let mut parts: Vec<_> = parts.into_iter().map(|p| p.into_iter().peekable()).collect();
        loop {
            let mut least: Option<(usize, &[u8])> = None;
            for (i, part) in parts.iter_mut().enumerate() {
                if let Some(line) = part.peek()
                    && least.is_none_or(|(_, l)| self.compare(line, l) == Ordering::Less)
                {
                    least = Some((i, line));
                }
            }
            let Some((i, line)) = least else { return };
            lines.push(line);
            parts[i].next();
        }
    }

    fn order(&self, lines: &mut [&[u8]]) {
        let Some(key) = self.keys.first() else {
            // Equal lines have the same bytes, so stability makes no difference.
            order::by_bytes(lines);
            if self.reverse {
                lines.reverse();
            }
            return;
        };
        let stable = self.stable || self.unique;
        order::by_key(lines, key, self.tab, &self.salt, stable, |a, b| self.compare_rest(a, b));
    }

    /// Compares lines whose first keys are equal.
    fn compare_rest(&self, a: &[u8], b: &[u8]) -> Ordering {
        for key in &self.keys[1..] {
            let order = key.compare(key.slice(a, self.tab), key.slice(b, self.tab), &self.salt);
            if order != Ordering::Equal {
                return if key.reverse { order.reverse() } else { order };
            }
        }
        if self.unique || self.stable {
            return Ordering::Equal;
        }
        let order = a.cmp(b);
        if self.reverse { order.reverse() } else { order }
    }

    fn check(&self, path: &[u8], loud: bool) -> Result<i32, i32> {
        let mut input = Input::open(path).map_err(|e| {
            warn!("sort", "open failed: ", quotef(path), ": ", e);
            2
        })?;
        let read_failed = |e: Errno| {
            warn!("sort", "read failed: ", quotef(path), ": ", e);
            2
        };
        let (mut previous, mut line) = (Vec::new(), Vec::new());
        let mut number = 1u64;
        if !input.record(self.end, &mut previous).map_err(read_failed)? {
            return Ok(0);
        }
        while input.record(self.end, &mut line).map_err(read_failed)? {
            number += 1;
            let text = chomp(&line, self.end).0;
            let order = self.compare(chomp(&previous, self.end).0, text);
            if order == Ordering::Greater || self.unique && order == Ordering::Equal {
                if loud {
                    let text =
                        bytes!("sort: ", path, ":", number, ": disorder: ", text, [self.end].as_slice());
                    let _ = sys::write_all(2, &text);
                }
                return Ok(1);
            }
            std::mem::swap(&mut previous, &mut line);
        }
        Ok(0)
    }
}
