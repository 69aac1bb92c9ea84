//! `ptx`: a permuted index of words in their contexts.

mod lines;

use crate::ptx::lines::{Lines, Style};
use sandshell_cli::input::Input;
use sandshell_cli::number;
use sandshell_cli::options::{self, Parsed, Spec, choose, hidden, option};
use sandshell_cli::out;
use sandshell_cli::quote::{quote, quotef};
use sandshell_cli::{bytes, warn};
use sandshell_posix::characters;
use sandshell_regex::{Flags, Regex, Syntax};
use std::collections::HashSet;
use std::ffi::OsString;

const SPEC: Spec = Spec {
    name: "ptx",
    usage: "\
Usage: ptx [OPTION]... [INPUT]...   (without -G)
  or:  ptx -G [OPTION]... [INPUT [OUTPUT]]
Prints a permuted index: for each word of the input a line with what stands around it, sorted by the words.

",
    options: &[
        option("-A, --auto-reference", "refer to file and line"),
        option("-G, --traditional", "behave as System V's ptx"),
        option("-F, --flag-truncation=STRING", "STRING marks what was cut off, not /"),
        option("-M, --macro-name=STRING", "the name of the roff macro, not xx"),
        option("-O", "lines for roff; also --format=roff"),
        option("-R, --right-side-refs", "references at the right, not counted in -w"),
        option("-S, --sentence-regexp=REGEXP", "where lines or sentences end"),
        option("-T", "lines for TeX; also --format=tex"),
        option("-W, --word-regexp=REGEXP", "what a word is"),
        option("-b, --break-file=FILE", "the characters in FILE end words"),
        option("-f, --ignore-case", "lower case sorts as upper case"),
        option("-g, --gap-size=NUMBER", "columns between fields"),
        option("-i, --ignore-file=FILE", "leave out the words in FILE"),
        option("-o, --only-file=FILE", "only the words in FILE"),
        option("-r, --references", "each line begins with its reference"),
        option("-t, --typeset-mode", "nothing"),
        option("-w, --width=NUMBER", "columns of the output, without references"),
        hidden("", "--format=X"),
    ],
    ..Spec::DEFAULT
};

pub(crate) struct Options {
    pub(crate) auto: bool,
    pub(crate) input_reference: bool,
    pub(crate) gnu: bool,
    pub(crate) right: bool,
    pub(crate) fold: bool,
    pub(crate) truncation: Vec<u8>,
    pub(crate) macro_name: Vec<u8>,
    pub(crate) style: Style,
    pub(crate) gap: i64,
    pub(crate) width: i64,
    pub(crate) word_regex: Option<Regex>,
    /// The bytes that form words, if no regular expression is given.
    pub(crate) is_word: [bool; 256],
}

/// A keyword and its context, as positions in a text.
pub(crate) struct Occurrence {
    pub(crate) text: usize,
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) left: usize,
    pub(crate) right: usize,
    /// The line number, or the position of the reference.
    pub(crate) reference: usize,
}

/// A file that was read.
pub(crate) struct Text {
    pub(crate) name: Vec<u8>,
    pub(crate) content: Vec<u8>,
    /// The number of lines.
    pub(crate) lines: usize,
}

/// Runs `ptx` and returns its exit status.
pub fn ptx_main(args: Vec<OsString>) -> i32 {
    run(args).unwrap_or_else(|code| code)
}

fn run(args: Vec<OsString>) -> Result<i32, i32> {
    let Parsed { options, operands } = SPEC.parse(&options::operands(args))?;
    let mut o = Options {
        auto: false,
        input_reference: false,
        gnu: true,
        right: false,
        fold: false,
        truncation: b"/".to_vec(),
        macro_name: b"xx".to_vec(),
        style: Style::Dumb,
        gap: 3,
        width: 72,
        word_regex: None,
        is_word: [false; 256],
    };
    let (mut style, mut sentence, mut word) = (None, None, None);
    let (mut breaks, mut ignore, mut only) = (None, None, None);
    for g in &options {
        let text = g.text().to_vec();
        let size = |what: &str| match number::signed(&text, "") {
            Ok(n @ 1..=0x7fff_ffff) => Ok(n),
            _ => {
                warn!("ptx", what, ": ", quote(&text));
                Err(1)
            }
        };
        match g.id {
            "A" => o.auto = true,
            "F" => o.truncation = unescape(&text),
            "G" => o.gnu = false,
            "M" => o.macro_name = text,
            "O" => style = Some(Style::Roff),
            "T" => style = Some(Style::Tex),
            "format" => {
                style =
                    Some(choose(&SPEC, "--format", &text, &[("roff", Style::Roff), ("tex", Style::Tex)])?);
            }
            "R" => o.right = true,
            "S" => sentence = Some(unescape(&text)),
            "W" => word = Some(unescape(&text)).filter(|w| !w.is_empty()),
            "b" => breaks = Some(text),
            "f" => o.fold = true,
            "g" => o.gap = size("invalid gap width")?,
            "i" => ignore = Some(text),
            "o" => only = Some(text),
            "r" => o.input_reference = true,
            "w" => o.width = size("invalid line width")?,
            // Typeset mode has no effect in GNU ptx either.
            _ => {}
        }
    }
    let mut operands = operands;
    if !o.gnu {
        if let Some(extra) = operands.get(2) {
            return Err(SPEC.extra_operand(extra));
        }
        if operands.len() == 2 {
            redirect(&operands[1])?;
            operands.truncate(1);
        }
    }
    o.style = style.unwrap_or(if o.gnu { Style::Dumb } else { Style::Roff });
    let sentence = sentence.unwrap_or_else(|| {
        if o.gnu && !o.input_reference {
            b"[.?!][]\"')}]*\\($\\|\t\\|  \\)[ \t\n]*".to_vec()
        } else {
            b"\n".to_vec()
        }
    });
    let sentence =
        if sentence.is_empty() { None } else { Some((compile(&sentence, o.fold, true)?, sentence)) };
    o.word_regex = word.map(|w| compile(&w, o.fold, false)).transpose()?;
    set_word_bytes(&mut o, breaks)?;
    let fold = o.fold;
    let table = |name: Option<Vec<u8>>| name.map(|name| words(&name, fold)).transpose();
    let (ignore, only) = (table(ignore)?, table(only)?);
    let texts = read_all(&operands)?;
    let mut found = Vec::new();
    let mut finder = Finder { o: &o, sentence, ignore, only, longest: 0, reference_width: 0 };
    for (i, text) in texts.iter().enumerate() {
        finder.find(i, text, &mut found)?;
    }
    let (longest, reference_width) = (finder.longest, finder.reference_width);
    let key = |occurrence: &Occurrence| {
        let key = &texts[occurrence.text].content[occurrence.start..occurrence.end];
        if o.fold { key.to_ascii_uppercase() } else { key.to_vec() }
    };
    found.sort_by_cached_key(key);
    let lines = Lines::new(&o, &texts, longest, reference_width);
    for occurrence in &found {
        lines.print(occurrence);
        if out::failure().is_some() {
            break;
        }
    }
    Ok(out::finish("ptx", 0, 1))
}

fn redirect(name: &[u8]) -> Result<(), i32> {
    use sandshell_sys::open_flags::{CREATE, TRUNC, WRITE};
    let moved = sandshell_sys::open(name, WRITE | CREATE | TRUNC, 0o666)
        .and_then(|fd| sandshell_sys::dup2(fd, 1, false).and_then(|_| sandshell_sys::close(fd)));
    moved.map_err(|e| {
        warn!("ptx", quotef(name), ": ", e);
        1
    })
}

/// Replaces backslash escapes in an option's value.
fn unescape(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        if *byte != b'\\' {
            out.push(*byte);
            continue;
        }
        let Some((letter, after)) = rest.split_first() else { break };
        rest = after;
        let digits = |base: u32, most: usize, text: &[u8]| {
            let count = text.iter().take(most).take_while(|b| char::from(**b).is_digit(base)).count();
            let value =
                text[..count].iter().fold(0u32, |v, b| v * base + char::from(*b).to_digit(base).unwrap_or(0));
            (count, value as u8)
        };
        match letter {
            b'a' | b'b' | b'f' | b'n' | b'r' | b't' | b'v' => out.push(characters::escape(*letter)),
            b'c' => return out,
            b'x' => match digits(16, 3, rest) {
                (0, _) => out.extend_from_slice(b"\\x"),
                (count, value) => {
                    out.push(value);
                    rest = &rest[count..];
                }
            },
            b'0' => {
                let (count, value) = digits(8, 3, rest);
                out.push(value);
                rest = &rest[count..];
            }
            other => out.extend_from_slice(&[b'\\', *other]),
        }
    }
    out
}

fn compile(pattern: &[u8], fold: bool, lines: bool) -> Result<Regex, i32> {
    let flags = Flags { icase: fold, newline: lines, ..Flags::default() };
    Regex::new(pattern, Syntax::EMACS, flags).map_err(|e| {
        warn!("ptx", e.to_string(), " (for regexp ", quote(pattern), ")");
        1
    })
}

fn read(name: &[u8]) -> Result<Vec<u8>, i32> {
    Input::open(name).and_then(|mut input| input.rest()).map_err(|e| {
        warn!("ptx", quotef(name), ": ", e);
        1
    })
}

fn set_word_bytes(o: &mut Options, breaks: Option<Vec<u8>>) -> Result<(), i32> {
    match breaks {
        Some(name) => {
            o.is_word = [true; 256];
            for byte in read(&name)? {
                o.is_word[usize::from(byte)] = false;
            }
            if !o.gnu {
                // Blanks always separate words, even if the file does not contain them.
                b" \t\n".iter().for_each(|b| o.is_word[usize::from(*b)] = false);
            }
        }
        None if o.gnu => {
            for (i, is_word) in o.is_word.iter_mut().enumerate() {
                *is_word = (i as u8).is_ascii_alphabetic();
            }
        }
        None => {
            o.is_word = [true; 256];
            b" \t\n".iter().for_each(|b| o.is_word[usize::from(*b)] = false);
        }
    }
    Ok(())
}

/// Reads a file with one word per line.
fn words(name: &[u8], fold: bool) -> Result<HashSet<Vec<u8>>, i32> {
    let lines = read(name)?;
    let fold = |line: &[u8]| if fold { line.to_ascii_uppercase() } else { line.to_vec() };
    Ok(lines.split(|b| *b == b'\n').filter(|l| !l.is_empty()).map(fold).collect())
}

fn read_all(operands: &[Vec<u8>]) -> Result<Vec<Text>, i32> {
    let stdin = [Vec::new()];
    let mut texts = Vec::new();
    for name in if operands.is_empty() { &stdin[..] } else { operands } {
        let name = if name == b"-" { Vec::new() } else { name.clone() };
        let content = read(if name.is_empty() { b"-" } else { &name })?;
        texts.push(Text { lines: content.iter().filter(|b| **b == b'\n').count(), name, content });
    }
    Ok(texts)
}

pub(crate) fn is_white(byte: u8) -> bool {
    matches!(byte, b' ' | 9..=13)
}

struct Finder<'a> {
    o: &'a Options,
    /// The expression that ends a context, and its source text.
    sentence: Option<(Regex, Vec<u8>)>,
    ignore: Option<HashSet<Vec<u8>>>,
    only: Option<HashSet<Vec<u8>>>,
    longest: usize,
    reference_width: usize,
}

impl Finder<'_> {
    fn find(&mut self, index: usize, text: &Text, found: &mut Vec<Occurrence>) -> Result<(), i32> {
        let content = &text.content;
        let reference_end = |from: usize| {
            content[from..].iter().position(|b| is_white(*b)).map_or(content.len(), |n| from + n)
        };
        let (mut line_start, mut line_number, mut scan) = (0, 0, 0);
        let mut reference_length = 0;
        if self.o.input_reference {
            scan = reference_end(0);
            reference_length = scan;
        }
        let mut cursor = 0;
        while cursor < content.len() {
            let mut context_start = cursor;
            let next = self.context_end(content, cursor)?;
            let mut context_end = next;
            while context_end > context_start && is_white(content[context_end - 1]) {
                context_end -= 1;
            }
            while let Some((start, end)) = self.word(&content[..context_end], cursor) {
                if start == end {
                    cursor = start + 1;
                    continue;
                }
                cursor = end;
                self.longest = self.longest.max(end - start);
                if self.o.input_reference || self.o.auto {
                    while scan < start {
                        scan += 1;
                        if content[scan - 1] == b'\n' {
                            line_number += 1;
                            line_start = scan;
                            scan = reference_end(scan);
                            reference_length = scan - line_start;
                        }
                    }
                    if self.o.input_reference && scan > start {
                        continue;
                    }
                }
                let key = &content[start..end];
                let key = if self.o.fold { key.to_ascii_uppercase() } else { key.to_vec() };
                if self.ignore.as_ref().is_some_and(|t| t.contains(&key))
                    || self.only.as_ref().is_some_and(|t| !t.contains(&key))
                {
                    continue;
                }
                let mut reference = line_number;
                if self.o.input_reference {
                    if !self.o.auto {
                        reference = line_start;
                        self.reference_width = self.reference_width.max(reference_length);
                    }
                    if line_start == context_start {
                        let blank = |b: &u8| is_white(*b);
                        let part = &content[context_start..context_end];
                        let word = part.iter().position(blank).unwrap_or(part.len());
                        let after = part[word..].iter().take_while(|b| blank(b)).count();
                        context_start += word + after;
                    }
                }
                found.push(Occurrence {
                    text: index,
                    start,
                    end,
                    left: context_start,
                    right: context_end,
                    reference,
                });
            }
            cursor = next;
        }
        Ok(())
    }

    fn context_end(&self, content: &[u8], from: usize) -> Result<usize, i32> {
        let Some((regex, source)) = &self.sentence else { return Ok(content.len()) };
        match regex.find_at(&content[from..], 0, false) {
            None => Ok(content.len()),
            // A match at the very start counts as empty, even if it matched an empty line.
            Some((0, _)) => {
                warn!("ptx", bytes!("error: regular expression has a match of length zero: ", quote(source)));
                Err(1)
            }
            Some((_, end)) => Ok(from + end),
        }
    }

    fn word(&self, content: &[u8], from: usize) -> Option<(usize, usize)> {
        let rest = content.get(from..)?;
        match &self.o.word_regex {
            Some(regex) => {
                regex.find_at(rest, 0, false).filter(|_| !rest.is_empty()).map(|(a, b)| (from + a, from + b))
            }
            None => {
                let is_word = |b: &u8| self.o.is_word[usize::from(*b)];
                let start = rest.iter().position(is_word)?;
                let length = rest[start..].iter().take_while(|b| is_word(b)).count();
                Some((from + start, from + start + length))
            }
        }
    }
}
