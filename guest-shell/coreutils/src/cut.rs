//! `cut`.

use crate::base::ranges::{self, Counted};
use sandshell_cli::input::{self, Input, chomp};
use sandshell_cli::options::{self, Spec, named, option};
use sandshell_cli::out;
use sandshell_sys as sys;
use std::ffi::OsString;

const SPEC: Spec = Spec {
    name: "cut",
    usage: "\
Usage: cut OPTION... [FILE]...
Prints parts of each line.

",
    options: &[
        option("-b, --bytes=LIST", "these bytes"),
        option("-c, --characters=LIST", "these characters"),
        option("-f, --fields=LIST", "these fields; lines without a delimiter are printed whole"),
        option("-d, --delimiter=DELIM", "fields stand between DELIMs, not tabs"),
        option("-n", "nothing: for old scripts"),
        named("C", "--complement", "all but what LIST names"),
        option("-s, --only-delimited", "with -f, no lines without a delimiter"),
        named("O", "--output-delimiter=STRING", "STRING stands between parts of the output"),
        option("-z, --zero-terminated", "lines end with NUL"),
    ],
    notes: "\n\
LIST is numbers from 1 and ranges with commas between them: N, N-M, N- to the end, -M from the beginning.
",
    ..Spec::DEFAULT
};

struct Cut {
    ranges: Vec<(u64, u64)>,
    delimiter: u8,
    between: Option<Vec<u8>>,
    only_delimited: bool,
    end: u8,
}

/// Runs `cut` and returns its exit status.
pub fn cut_main(args: Vec<OsString>) -> i32 {
    run(args).unwrap_or_else(|code| code)
}

fn run(args: Vec<OsString>) -> Result<i32, i32> {
    let parsed = SPEC.parse(&options::operands(args))?;
    let mut cut =
        Cut { ranges: Vec::new(), delimiter: b'\t', between: None, only_delimited: false, end: b'\n' };
    let (mut list, mut fields, mut delimiter, mut complement) = (None, false, false, false);
    for g in &parsed.options {
        match g.id {
            "b" | "c" | "f" => {
                if list.is_some() {
                    return Err(SPEC.usage("only one list may be specified"));
                }
                fields = g.id == "f";
                list = Some(g.text());
            }
            "d" => {
                cut.delimiter = match g.text() {
                    [] => 0,
                    [one] => *one,
                    _ => return Err(SPEC.usage("the delimiter must be a single character")),
                };
                delimiter = true;
            }
            "O" => cut.between = Some(if g.text().is_empty() { vec![0] } else { g.text().to_vec() }),
            "s" => cut.only_delimited = true,
            "C" => complement = true,
            "z" => cut.end = 0,
            _ => {}
        }
    }
    let Some(list) = list else {
        return Err(SPEC.usage("you must specify a list of bytes, characters, or fields"));
    };
    if !fields && delimiter {
        return Err(SPEC.usage("an input delimiter may be specified only when operating on fields"));
    }
    if !fields && cut.only_delimited {
        let text = "suppressing non-delimited lines makes sense\n\tonly when operating on fields";
        return Err(SPEC.usage(text));
    }
    cut.ranges = ranges::parse(&SPEC, list, if fields { Counted::Fields } else { Counted::Positions })?;
    if complement {
        cut.ranges = ranges::complement(&cut.ranges);
    }
    let code = input::each("cut", &parsed.operands, |_, input| cut.file(input, fields));
    Ok(out::finish("cut", code, 1))
}

impl Cut {
    fn file(&self, input: &mut Input, fields: bool) -> sys::Result<()> {
        if fields && self.delimiter == self.end {
            return self.lines_as_fields(input);
        }
        while let Some(record) = input.next_record(self.end)? {
            let text = chomp(record, self.end).0;
            out::build(|line| {
                if if fields { self.fields(text, line) } else { self.positions(text, line) } {
                    line.push(self.end);
                }
            });
            if out::failure().is_some() {
                break;
            }
        }
        Ok(())
    }

    fn positions(&self, text: &[u8], line: &mut Vec<u8>) -> bool {
        let mut first = true;
        for (from, to) in &self.ranges {
            let from = usize::try_from(from - 1).unwrap_or(usize::MAX);
            if from >= text.len() {
                break;
            }
            let to = usize::try_from(*to).unwrap_or(usize::MAX).min(text.len());
            if let (Some(between), false) = (&self.between, first) {
                line.extend_from_slice(between);
            }
            line.extend_from_slice(&text[from..to]);
            first = false;
        }
        true
    }

    /// Selects fields of a line. Returns whether the line is printed.
    fn fields(&self, text: &[u8], line: &mut Vec<u8>) -> bool {
        let mut end = memchr::memchr(self.delimiter, text);
        if end.is_none() {
            if self.only_delimited {
                return false;
            }
            line.extend_from_slice(text);
            return true;
        }
        let own = [self.delimiter];
        let between = self.between.as_deref().unwrap_or(&own);
        let mut ranges = self.ranges.iter();
        let mut range = ranges.next();
        let mut first = true;
        let mut rest = Some(text);
        let mut number = 0u64;
        while let (Some(text), Some((from, to))) = (rest, range) {
            let field = &text[..end.unwrap_or(text.len())];
            rest = end.map(|i| &text[i + 1..]);
            number += 1;
            if number >= *from {
                if !std::mem::take(&mut first) {
                    line.extend_from_slice(between);
                }
                line.extend_from_slice(field);
            }
            if number >= *to {
                range = ranges.next();
            }
            if let (Some(text), Some(_)) = (rest, range) {
                end = memchr::memchr(self.delimiter, text);
            }
        }
        true
    }

    /// If the delimiter is the line end, the whole file is one record.
    fn lines_as_fields(&self, input: &mut Input) -> sys::Result<()> {
        let text = input.rest()?;
        if text.is_empty() {
            return Ok(());
        }
        let (record, ended) = chomp(&text, self.end);
        let several = memchr::memchr(self.end, record).is_some();
        // A single complete line counts as delimited, with nothing after the delimiter.
        if !several && ended {
            let selected = self.ranges.first().is_some_and(|r| r.0 <= 1);
            if selected {
                out::put(record);
            }
            if selected || !self.only_delimited {
                out::put([self.end]);
            }
            return Ok(());
        }
        let mut line = Vec::new();
        if self.fields(record, &mut line) {
            line.push(self.end);
            out::put(&line);
        }
        Ok(())
    }
}
