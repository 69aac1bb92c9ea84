//! `wc`.

use sandshell_cli::input::Input;
use sandshell_cli::message;
use sandshell_cli::options::{self, Spec, named, option};
use sandshell_cli::out;
use sandshell_cli::quote::{quoteaf, quotef};
use sandshell_cli::{bytes, warn};
use sandshell_posix::{characters, locale};
use sandshell_sys as sys;
use std::ffi::OsString;

const SPEC: Spec = Spec {
    name: "wc",
    usage: "\
Usage: wc [OPTION]... [FILE]...
  or:  wc [OPTION]... --files0-from=F
Counts lines, words and bytes, and adds up the counts of several files.
Without FILE, or where it is -, standard input is counted.

",
    options: &[
        option("-c, --bytes", "bytes"),
        option("-m, --chars", "characters"),
        option("-l, --lines", "newlines"),
        named("F", "--files0-from=F", "read names of files from F, each ended with NUL"),
        option("-L, --max-line-length", "columns of the longest line"),
        option("-w, --words", "words: what stands between white space"),
    ],
    ..Spec::DEFAULT
};

#[derive(Clone, Copy, Default)]
struct Counts {
    lines: u64,
    words: u64,
    chars: u64,
    bytes: u64,
    longest: u64,
}

/// Which counts are printed.
#[derive(Default)]
struct Wanted {
    lines: bool,
    words: bool,
    chars: bool,
    bytes: bool,
    longest: bool,
}

/// Runs `wc` and returns its exit status.
pub fn wc_main(args: Vec<OsString>) -> i32 {
    run(args).unwrap_or_else(|code| code)
}

fn run(args: Vec<OsString>) -> Result<i32, i32> {
    let parsed = SPEC.parse(&options::operands(args))?;
    let mut wanted = Wanted::default();
    let mut from = None;
    for g in &parsed.options {
        match g.id {
            "c" => wanted.bytes = true,
            "m" => wanted.chars = true,
            "l" => wanted.lines = true,
            "w" => wanted.words = true,
            "L" => wanted.longest = true,
            _ => from = Some(g.text()),
        }
    }
    if !(wanted.bytes || wanted.chars || wanted.lines || wanted.words || wanted.longest) {
        (wanted.lines, wanted.words, wanted.bytes) = (true, true, true);
    }
    let mut code = 0;
    let (names, known) = match from {
        None => (parsed.operands.iter().map(|o| Some(o.clone())).collect(), true),
        Some(from) => named_in(from, &parsed.operands)?,
    };
    let names: Vec<Option<Vec<u8>>> = if names.is_empty() && from.is_none() { vec![None] } else { names };
    let columns = if known { number_width(&names, &wanted) } else { 1 };
    let mut total = Counts::default();
    for (i, name) in names.iter().enumerate() {
        if let Some(from) = from
            && let Some(problem) = not_allowed(from, i + 1, name.as_deref().unwrap_or_default())
        {
            warn!("wc", problem);
            code = 1;
            continue;
        }
        match count_file(name.as_deref(), &wanted, &mut code) {
            Some(counts) => {
                print(&counts, &wanted, columns, name.as_deref());
                total.lines = total.lines.wrapping_add(counts.lines);
                total.words = total.words.wrapping_add(counts.words);
                total.chars = total.chars.wrapping_add(counts.chars);
                total.bytes = total.bytes.wrapping_add(counts.bytes);
                total.longest = total.longest.max(counts.longest);
            }
            None => code = 1,
        }
    }
    if names.len() > 1 {
        print(&total, &wanted, columns, Some(b"total"));
    }
    Ok(out::finish("wc", code, 1))
}

/// The message about an invalid name in a file of names.
fn not_allowed(from: &[u8], number: usize, name: &[u8]) -> Option<Vec<u8>> {
    if from == b"-" && name == b"-" {
        let text = "when reading file names from stdin, no file name of ";
        return Some(bytes!(text, quoteaf(name), " allowed"));
    }
    name.is_empty().then(|| bytes!(quotef(from), ":", number, ": invalid zero-length file name"))
}

/// The files to count; `None` is standard input without a name.
type Names = Vec<Option<Vec<u8>>>;

/// The names in the file `from`, and whether all of them are known before counting.
fn named_in(from: &[u8], operands: &[Vec<u8>]) -> Result<(Names, bool), i32> {
    if let Some(first) = operands.first() {
        warn!("wc", "extra operand ", quoteaf(first));
        let _ = sys::write_all(2, b"file operands cannot be combined with --files0-from\n");
        message::try_help("wc");
        return Err(1);
    }
    let mut input = Input::open(from).map_err(|e| {
        warn!("wc", "cannot open ", quoteaf(from), " for reading: ", e);
        1
    })?;
    let regular = sys::fstat(input.fd()).is_ok_and(|s| s.is_file() && s.size <= 10 << 20);
    let mut names = Vec::new();
    let all = input.rest().map_err(|e| {
        warn!("wc", quotef(from), ": read error: ", e);
        1
    })?;
    if !all.is_empty() {
        let all = all.strip_suffix(b"\0").unwrap_or(&all);
        names.extend(all.split(|b| *b == 0).map(|name| Some(name.to_vec())));
    }
    Ok((names, regular))
}

fn number_width(names: &[Option<Vec<u8>>], wanted: &Wanted) -> usize {
    let Wanted { lines, words, chars, bytes, longest } = wanted;
    let one = [lines, words, chars, bytes, longest].into_iter().filter(|w| **w).count() == 1;
    if names.is_empty() || names.len() == 1 && one {
        return 1;
    }
    let (mut least, mut total) = (1, 0u64);
    for name in names {
        let stat = match name.as_deref() {
            None | Some(b"-") => sys::fstat(0),
            Some(path) => sys::stat(path, true),
        };
        match stat {
            Ok(s) if s.is_file() => total = total.saturating_add(s.size),
            Ok(_) => least = 7,
            Err(_) => {}
        }
    }
    total.to_string().len().max(least)
}

fn count_file(name: Option<&[u8]>, wanted: &Wanted, code: &mut i32) -> Option<Counts> {
    if name == Some(b"") {
        warn!("wc", "invalid zero-length file name");
        return None;
    }
    let shown = name.unwrap_or(b"standard input");
    let mut input = match Input::open(name.unwrap_or(b"-")) {
        Ok(input) => input,
        Err(e) => {
            warn!("wc", quotef(shown), ": ", e);
            return None;
        }
    };
    let mut counts = Counts::default();
    let done = if wanted.words || wanted.chars || wanted.longest {
        count_characters(&mut input, &mut counts)
    } else {
        count_lines(&mut input, wanted.lines, &mut counts)
    };
    if let Err(e) = done {
        warn!("wc", quotef(shown), ": ", e);
        *code = 1;
    }
    Some(counts)
}

fn count_lines(input: &mut Input, lines: bool, counts: &mut Counts) -> sys::Result<()> {
    loop {
        let there = input.fill()?;
        if there.is_empty() {
            return Ok(());
        }
        if lines {
            counts.lines += memchr::memchr_iter(b'\n', there).count() as u64;
        }
        let n = there.len();
        counts.bytes += n as u64;
        input.consume(n);
    }
}

/// The state between two pieces of a file.
#[derive(Default)]
struct Position {
    in_word: bool,
    column: u64,
}

fn count_characters(input: &mut Input, counts: &mut Counts) -> sys::Result<()> {
    let mut position = Position::default();
    // The first bytes of a character that was cut at the end of the last piece.
    let mut cut: Vec<u8> = Vec::new();
    loop {
        let there = input.fill()?;
        let end = there.is_empty();
        let n = there.len();
        counts.bytes += n as u64;
        let joined;
        let text = if cut.is_empty() {
            there
        } else {
            joined = [cut.as_slice(), there].concat();
            &joined
        };
        let left = if end { 0 } else { incomplete(text) };
        let (whole, rest) = text.split_at(text.len() - left);
        count_piece(whole, counts, &mut position);
        let rest = rest.to_vec();
        cut = rest;
        input.consume(n);
        if end {
            break;
        }
    }
    counts.words += u64::from(position.in_word);
    counts.longest = counts.longest.max(position.column);
    Ok(())
}

/// The number of bytes at the end that are an incomplete character.
fn incomplete(text: &[u8]) -> usize {
    for back in 1..=text.len().min(3) {
        let b = text[text.len() - back];
        if b < 0x80 {
            return 0;
        }
        if b >= 0xc0 {
            let needs = match b {
                0xc2..=0xdf => 2,
                0xe0..=0xef => 3,
                0xf0..=0xf4 => 4,
                _ => 1,
            };
            return if back < needs { back } else { 0 };
        }
    }
    0
}

fn count_piece(text: &[u8], counts: &mut Counts, at: &mut Position) {
    let mut rest = text;
    while let Some(&b) = rest.first() {
        if b < 0x80 {
            rest = &rest[1..];
            counts.chars += 1;
            match b {
                b'\n' | b'\r' | 12 => {
                    counts.lines += u64::from(b == b'\n');
                    counts.longest = counts.longest.max(at.column);
                    at.column = 0;
                    counts.words += u64::from(std::mem::take(&mut at.in_word));
                }
                b'\t' => {
                    at.column += 8 - at.column % 8;
                    counts.words += u64::from(std::mem::take(&mut at.in_word));
                }
                b' ' | 11 => {
                    at.column += u64::from(b == b' ');
                    counts.words += u64::from(std::mem::take(&mut at.in_word));
                }
                0x21..0x7f => {
                    at.column += 1;
                    at.in_word = true;
                }
                _ => {}
            }
            continue;
        }
        let Some((bytes, c)) = characters::characters(rest).next() else { break };
        rest = &rest[bytes.len()..];
        // Invalid bytes are not characters. In the locale `C` every such byte is an unprintable character.
        let Some(c) = c else {
            counts.chars += u64::from(locale::is_bytes());
            continue;
        };
        counts.chars += 1;
        if characters::is_printable(c) {
            at.column += characters::char_width(c).unwrap_or(0) as u64;
            if is_space(c) {
                counts.words += u64::from(std::mem::take(&mut at.in_word));
            } else {
                at.in_word = true;
            }
        }
    }
}

/// The non-ASCII space characters, including non-breaking ones.
fn is_space(c: char) -> bool {
    matches!(
        c,
        '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{2060}' | '\u{3000}'
    )
}

fn print(counts: &Counts, wanted: &Wanted, columns: usize, name: Option<&[u8]>) {
    let all = [
        (wanted.lines, counts.lines),
        (wanted.words, counts.words),
        (wanted.chars, counts.chars),
        (wanted.bytes, counts.bytes),
        (wanted.longest, counts.longest),
    ];
    let numbers: Vec<String> = all.iter().filter(|a| a.0).map(|(_, n)| format!("{n:columns$}")).collect();
    out::put(numbers.join(" "));
    if let Some(name) = name {
        let name = if name.contains(&b'\n') { quotef(name) } else { name.to_vec() };
        out::put(bytes!(" ", name));
    }
    out::put("\n");
}
