//! `join`.

use sandshell_cli::input::Input;
use sandshell_cli::number::{self, Fault};
use sandshell_cli::options::{self, Spec, named, option};
use sandshell_cli::out;
use sandshell_cli::quote::{quote, quoteaf, quotef};
use sandshell_cli::{bytes, warn};
use sandshell_sys as sys;
use std::cmp::Ordering;
use std::ffi::OsString;
use std::ops::Range;

const SPEC: Spec = Spec {
    name: "join",
    usage: "\
Usage: join [OPTION]... FILE1 FILE2
Joins two sorted files: prints a line for each pair of lines whose join fields are equal.
Fields stand between blanks; the first one is the join field. One of the files may be -, standard input.

",
    options: &[
        option("-a FILENUM", "print the lines of file 1 or 2 that have no partner as well"),
        option("-e STRING", "print STRING where a field is missing"),
        option("-i, --ignore-case", "upper and lower case are equal"),
        option("-j FIELD", "the join field of both files"),
        option("-o FORMAT", "which fields are printed: 0, FILENUM.FIELD, or 'auto'"),
        option("-t CHAR", "fields stand between CHARs"),
        option("-v FILENUM", "print only the lines of that file that have no partner"),
        option("-1 FIELD", "the join field of file 1"),
        option("-2 FIELD", "the join field of file 2"),
        named("check", "--check-order", "fail if a file is not sorted, even if all lines find partners"),
        named("nocheck", "--nocheck-order", "do not look whether the files are sorted"),
        option("--header", "the first lines are names of columns: join them as they are"),
        option("-z, --zero-terminated", "lines end with NUL"),
    ],
    ..Spec::DEFAULT
};

/// How fields are separated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Tab {
    Blanks,
    Byte(u8),
    /// The whole line is a single field.
    None,
}

#[derive(Clone)]
struct Line {
    text: Vec<u8>,
    fields: Vec<Range<usize>>,
}

impl Line {
    fn field(&self, i: usize) -> Option<&[u8]> {
        self.fields.get(i).map(|f| &self.text[f.clone()])
    }
}

/// One of the two files.
struct Side {
    input: Input,
    path: Vec<u8>,
    key: usize,
    number: u64,
    previous: Option<Line>,
    warned: bool,
    unpairables: bool,
}

struct Join {
    tab: Tab,
    end: u8,
    ignore_case: bool,
    empty: Option<Vec<u8>>,
    /// For each output column, its file (0 for the join field) and its field.
    format: Option<Vec<(usize, usize)>>,
    check: Option<bool>,
    pairables: bool,
    unpairable_seen: bool,
}

/// Runs `join` and returns its exit status.
pub fn join_main(args: Vec<OsString>) -> i32 {
    run(args).unwrap_or_else(|code| code)
}

fn run(args: Vec<OsString>) -> Result<i32, i32> {
    let mut args = options::operands(args);
    let mut parsed = SPEC.parse(&args)?;
    if parsed.operands.len() == 3 {
        // `-j1 FIELD` is a form from before POSIX.
        for arg in args.iter_mut().filter(|a| *a == b"-j1" || *a == b"-j2") {
            arg.remove(1);
        }
        parsed = SPEC.parse(&args)?;
    }
    let mut join = Join {
        tab: Tab::Blanks,
        end: b'\n',
        ignore_case: false,
        empty: None,
        format: None,
        check: None,
        pairables: true,
        unpairable_seen: false,
    };
    let (mut keys, mut unpairables, mut auto, mut header) = ([None, None], [false; 2], false, false);
    for g in &parsed.options {
        let text = g.text();
        match g.id {
            "a" | "v" => {
                match text {
                    b"1" => unpairables[0] = true,
                    b"2" => unpairables[1] = true,
                    _ => {
                        warn!("join", "invalid field number: ", quote(text));
                        return Err(1);
                    }
                }
                join.pairables &= g.id == "a";
            }
            "e" => {
                if join.empty.as_deref().is_some_and(|e| e != text) {
                    warn!("join", "conflicting empty-field replacement strings");
                    return Err(1);
                }
                join.empty = Some(text.to_vec());
            }
            "i" => join.ignore_case = true,
            "1" => set_key(&mut keys[0], field(text)?)?,
            "2" => set_key(&mut keys[1], field(text)?)?,
            "j" => {
                let n = field(text)?;
                set_key(&mut keys[0], n)?;
                set_key(&mut keys[1], n)?;
            }
            "o" if text == b"auto" => auto = true,
            "o" => {
                let format = join.format.get_or_insert_default();
                for word in text.split(|b| matches!(b, b',' | b' ' | b'\t')) {
                    format.push(column(word)?);
                }
            }
            "t" => {
                let tab = match text {
                    [] => Tab::None,
                    [one] => Tab::Byte(*one),
                    b"\\0" => Tab::Byte(0),
                    _ => {
                        warn!("join", "multi-character tab ", quote(text));
                        return Err(1);
                    }
                };
                if join.tab != Tab::Blanks && join.tab != tab {
                    warn!("join", "incompatible tabs");
                    return Err(1);
                }
                join.tab = tab;
            }
            "z" => join.end = 0,
            "check" => join.check = Some(true),
            "nocheck" => join.check = Some(false),
            _ => header = true,
        }
    }
    match parsed.operands.as_slice() {
        [] => return Err(SPEC.missing_operand()),
        [one] => return Err(SPEC.usage(bytes!("missing operand after ", quote(one)))),
        [_, _, extra, ..] => return Err(SPEC.usage(bytes!("extra operand ", quoteaf(extra)))),
        [a, b] if a == b"-" && b == b"-" => {
            warn!("join", "both files cannot be standard input: ", sys::Errno::NOENT);
            return Err(1);
        }
        _ => {}
    }
    let mut sides = Vec::new();
    for (i, path) in parsed.operands.iter().enumerate() {
        let input = Input::open(path).map_err(|e| {
            warn!("join", quotef(path), ": ", e);
            1
        })?;
        let key = keys[i].unwrap_or(0);
        let unpairables = unpairables[i];
        let path = path.clone();
        sides.push(Side { input, path, key, number: 0, previous: None, warned: false, unpairables });
    }
    let Ok([mut a, mut b]) = <[Side; 2]>::try_from(sides) else { return Err(1) };
    // An explicit output format takes precedence over `-o auto`.
    join.files(&mut a, &mut b, auto && join.format.is_none(), header)?;
    let mut code = 0;
    if a.warned || b.warned {
        warn!("join", "input is not in sorted order");
        code = 1;
    }
    Ok(out::finish("join", code, 1))
}

fn set_key(key: &mut Option<usize>, n: usize) -> Result<(), i32> {
    match *key {
        Some(old) if old != n => {
            warn!("join", "incompatible join fields ", old + 1, ", ", n + 1);
            Err(1)
        }
        _ => {
            *key = Some(n);
            Ok(())
        }
    }
}

/// Parses a field number. The result counts from 0.
fn field(text: &[u8]) -> Result<usize, i32> {
    match number::unsigned(text, "") {
        Ok(n) if n > 0 => Ok(usize::try_from(n).unwrap_or(usize::MAX) - 1),
        Err(Fault::Overflow) => Ok(usize::MAX - 1),
        _ => {
            warn!("join", "invalid field number: ", quote(text));
            Err(1)
        }
    }
}

fn column(word: &[u8]) -> Result<(usize, usize), i32> {
    match word {
        b"0" => Ok((0, 0)),
        [b'0', ..] | [_] | [] | [b'1' | b'2', ..] if word.get(1) != Some(&b'.') || word[0] == b'0' => {
            let what = if matches!(word.first(), Some(b'0'..=b'2')) {
                "invalid field specifier: "
            } else {
                "invalid file number in field spec: "
            };
            warn!("join", what, quote(word));
            Err(1)
        }
        [file @ (b'1' | b'2'), b'.', number @ ..] => Ok((usize::from(file - b'0'), field(number)?)),
        _ => {
            warn!("join", "invalid file number in field spec: ", quote(word));
            Err(1)
        }
    }
}

impl Join {
    fn split(&self, text: Vec<u8>) -> Line {
        let mut fields = Vec::new();
        let mut at = 0;
        match self.tab {
            _ if text.is_empty() => {}
            Tab::None => fields.push(0..text.len()),
            Tab::Byte(tab) => {
                for i in memchr::memchr_iter(tab, &text) {
                    fields.push(at..i);
                    at = i + 1;
                }
                fields.push(at..text.len());
            }
            Tab::Blanks => {
                let blank = |b: &u8| matches!(b, b' ' | b'\t' | b'\n');
                loop {
                    at += text[at..].iter().take_while(|b| blank(b)).count();
                    if at >= text.len() {
                        break;
                    }
                    let end = at + text[at..].iter().take_while(|b| !blank(b)).count();
                    fields.push(at..end);
                    at = end;
                    if at < text.len() && text[at..].iter().all(blank) {
                        // Trailing blanks are followed by an empty field.
                        fields.push(text.len()..text.len());
                        break;
                    }
                }
            }
        }
        Line { text, fields }
    }

    fn compare(&self, a: &Line, ka: usize, b: &Line, kb: usize) -> Ordering {
        let (a, b) = (a.field(ka).unwrap_or_default(), b.field(kb).unwrap_or_default());
        if self.ignore_case {
            let fold = |t: &[u8]| t.to_ascii_uppercase();
            fold(a).cmp(&fold(b))
        } else {
            a.cmp(b)
        }
    }

    fn next(&self, side: &mut Side) -> Result<Option<Line>, i32> {
        let mut record = Vec::new();
        let more = side.input.record(self.end, &mut record).map_err(|_| {
            warn!("join", "read error: ", sys::Errno::ISDIR);
            1
        })?;
        if !more {
            return Ok(None);
        }
        side.number += 1;
        if record.last() == Some(&self.end) {
            record.pop();
        }
        let line = self.split(record);
        let checks = self.check.unwrap_or(self.unpairable_seen);
        if checks
            && !side.warned
            && let Some(previous) = &side.previous
            && self.compare(previous, side.key, &line, side.key) == Ordering::Greater
        {
            let text = bytes!(&side.path, ":", side.number, ": is not sorted: ", &line.text);
            warn!("join", text);
            if self.check == Some(true) {
                return Err(1);
            }
            side.warned = true;
        }
        side.previous = Some(line.clone());
        Ok(Some(line))
    }

    fn files(&mut self, a: &mut Side, b: &mut Side, auto: bool, header: bool) -> Result<(), i32> {
        let (mut left, mut right) = (self.next(a)?, self.next(b)?);
        if auto {
            let count = |l: &Option<Line>| l.as_ref().map_or(0, |l| l.fields.len());
            let mut format = vec![(0, 0)];
            format.extend((0..count(&left)).filter(|i| *i != a.key).map(|i| (1, i)));
            format.extend((0..count(&right)).filter(|i| *i != b.key).map(|i| (2, i)));
            self.format = Some(format);
        }
        let keys = (a.key, b.key);
        if header && (left.is_some() || right.is_some()) {
            self.print(left.as_ref(), right.as_ref(), keys);
            (a.previous, b.previous) = (None, None);
            if left.is_some() {
                left = self.next(a)?;
            }
            if right.is_some() {
                right = self.next(b)?;
            }
        }
        while let (Some(l), Some(r)) = (&left, &right) {
            match self.compare(l, a.key, r, b.key) {
                Ordering::Less => {
                    if a.unpairables {
                        self.print(Some(l), None, keys);
                    }
                    left = self.next(a)?;
                    self.unpairable_seen = true;
                }
                Ordering::Greater => {
                    if b.unpairables {
                        self.print(None, Some(r), keys);
                    }
                    right = self.next(b)?;
                    self.unpairable_seen = true;
                }
                Ordering::Equal => {
                    let (mut ls, mut rs) = (vec![l.clone()], vec![r.clone()]);
                    loop {
                        left = self.next(a)?;
                        match &left {
                            Some(l) if self.compare(l, a.key, &rs[0], b.key).is_eq() => ls.push(l.clone()),
                            _ => break,
                        }
                    }
                    loop {
                        right = self.next(b)?;
                        match &right {
                            Some(r) if self.compare(&ls[0], a.key, r, b.key).is_eq() => rs.push(r.clone()),
                            _ => break,
                        }
                    }
                    if self.pairables {
                        for l in &ls {
                            rs.iter().for_each(|r| self.print(Some(l), Some(r), keys));
                        }
                    }
                }
            }
            if out::failure().is_some() {
                return Ok(());
            }
        }
        // The rest is read even if it is not printed, to check its order.
        let tail = self.check != Some(false) && !(a.warned && b.warned);
        let (left_open, right_open) = (left.is_some(), right.is_some());
        if (a.unpairables || tail) && left_open {
            self.unpairable_seen |= right_open;
            while let Some(l) = left {
                if a.unpairables {
                    self.print(Some(&l), None, keys);
                }
                left = self.next(a)?;
                if a.warned && !a.unpairables {
                    break;
                }
            }
        }
        if (b.unpairables || tail) && right_open {
            self.unpairable_seen |= left_open;
            while let Some(r) = right {
                if b.unpairables {
                    self.print(None, Some(&r), keys);
                }
                right = self.next(b)?;
                if b.warned && !b.unpairables {
                    break;
                }
            }
        }
        Ok(())
    }

    fn print(&self, left: Option<&Line>, right: Option<&Line>, keys: (usize, usize)) {
        let separator = match self.tab {
            Tab::Byte(tab) => tab,
            Tab::Blanks => b' ',
            Tab::None => b'\n',
        };
        let mut columns: Vec<Option<&[u8]>> = Vec::new();
        let key = match left {
            Some(l) => l.field(keys.0),
            None => right.and_then(|r| r.field(keys.1)),
        };
        match &self.format {
            Some(format) => columns.extend(format.iter().map(|(file, i)| match file {
                0 => key,
                1 => left.and_then(|l| l.field(*i)),
                _ => right.and_then(|r| r.field(*i)),
            })),
            None => {
                columns.push(key);
                for (line, key) in [(left, keys.0), (right, keys.1)] {
                    let Some(line) = line else { continue };
                    columns.extend((0..line.fields.len()).filter(|i| *i != key).map(|i| line.field(i)));
                }
            }
        }
        let mut text = Vec::new();
        for (i, column) in columns.into_iter().enumerate() {
            if i > 0 {
                text.push(separator);
            }
            match column.filter(|c| !c.is_empty()) {
                Some(column) => text.extend_from_slice(column),
                None => text.extend_from_slice(self.empty.as_deref().unwrap_or_default()),
            }
        }
        text.push(self.end);
        out::put(text);
    }
}
