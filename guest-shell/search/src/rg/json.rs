//! `--json`: a message a line.

use super::options::Options;
use super::pattern::Pattern;
use super::print::{Printer, Stats};
use super::search::{Block, Sink, matches};

/// Writes the messages of one file.
pub(crate) struct Json<'p, 'a> {
    pub(crate) p: &'p mut Printer<'a>,
    pub(crate) path: &'p [u8],
    pub(crate) selected: u64,
    pub(crate) matches: u64,
    pub(crate) begun: bool,
    /// Bytes printed before this file, and for it without the last message.
    pub(crate) before: u64,
    pub(crate) printed: u64,
}

impl Json<'_, '_> {
    fn begin(&mut self) {
        if !self.begun {
            self.begun = true;
            let line = format!("{{\"type\":\"begin\",\"data\":{{\"path\":{}}}}}\n", data(self.path));
            self.p.put(line.as_bytes());
        }
    }

    /// The last message of the file, if there was a first.
    pub(crate) fn end(&mut self, binary: Option<usize>, searched: usize, nanos: u64) {
        if !self.begun {
            return;
        }
        self.printed = self.p.stats.bytes_printed - self.before;
        let stats = Stats {
            matches: self.matches,
            matched_lines: self.selected,
            files: 1,
            files_matched: u64::from(self.selected > 0),
            bytes_printed: self.printed,
            bytes_searched: searched as u64,
            nanos,
        };
        let line = format!(
            "{{\"type\":\"end\",\"data\":{{\"path\":{},\"binary_offset\":{},\"stats\":{}}}}}\n",
            data(self.path),
            binary.map_or_else(|| "null".to_string(), |b| b.to_string()),
            numbers(&stats, false)
        );
        self.p.put(line.as_bytes());
    }

    fn lines(&mut self, kind: &str, text: &[u8], block: Block, found: &[(usize, usize)]) {
        self.begin();
        let lines = text.get(block.start..block.end).unwrap_or_default();
        let mut subs = String::new();
        for (i, (a, b)) in found.iter().enumerate() {
            if i > 0 {
                subs.push(',');
            }
            let replacement = self.p.o.replace.as_ref().map(|r| {
                let mut out = Vec::new();
                expand(self.p.pattern, self.p.o, text, block, *a, r, &mut out);
                format!("\"replacement\":{},", data(&out))
            });
            subs.push_str(&format!(
                "{{\"match\":{},{}\"start\":{},\"end\":{}}}",
                data(text.get(*a..*b).unwrap_or_default()),
                replacement.unwrap_or_default(),
                a - block.start,
                b - block.start
            ));
        }
        let line = format!(
            "{{\"type\":\"{kind}\",\"data\":{{\"path\":{},\"lines\":{},\"line_number\":{},\"absolute_offset\":{},\"submatches\":[{subs}]}}}}\n",
            data(self.path),
            data(lines),
            block.number,
            block.start
        );
        self.p.put(line.as_bytes());
        self.p.out.end_line();
    }
}

fn expand(p: &Pattern, o: &Options, text: &[u8], block: Block, at: usize, r: &[u8], out: &mut Vec<u8>) {
    if o.multiline {
        p.expand(text, at, text.len(), r, out);
    } else {
        let line = text.get(block.start..block.end).unwrap_or_default();
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        p.expand(line, at - block.start, line.len(), r, out);
    }
}

impl Sink for Json<'_, '_> {
    fn matched(&mut self, text: &[u8], block: Block) -> bool {
        self.selected += memchr::memchr_iter(b'\n', text.get(block.start..block.end).unwrap_or_default())
            .count()
            .max(1) as u64;
        let o = self.p.o;
        let found = if o.invert { Vec::new() } else { matches(text, block, self.p.pattern, o) };
        self.matches += found.len() as u64;
        if !o.quiet {
            self.lines("match", text, block, &found);
        }
        true
    }

    fn context(&mut self, text: &[u8], block: Block) {
        if !self.p.o.quiet {
            self.lines("context", text, block, &[]);
        }
    }

    fn gap(&mut self) {}
}

/// The last message of all.
pub(crate) fn summary(stats: &Stats, total: u64) -> String {
    format!(
        "{{\"data\":{{\"elapsed_total\":{},\"stats\":{}}},\"type\":\"summary\"}}\n",
        elapsed(total, true),
        numbers(stats, true)
    )
}

// The summary has its fields in alphabetical order.
fn numbers(s: &Stats, sorted: bool) -> String {
    if sorted {
        return format!(
            "{{\"bytes_printed\":{},\"bytes_searched\":{},\"elapsed\":{},\"matched_lines\":{},\"matches\":{},\"searches\":{},\"searches_with_match\":{}}}",
            s.bytes_printed,
            s.bytes_searched,
            elapsed(s.nanos, true),
            s.matched_lines,
            s.matches,
            s.files,
            s.files_matched
        );
    }
    format!(
        "{{\"elapsed\":{},\"searches\":{},\"searches_with_match\":{},\"bytes_searched\":{},\"bytes_printed\":{},\"matched_lines\":{},\"matches\":{}}}",
        elapsed(s.nanos, false),
        s.files,
        s.files_matched,
        s.bytes_searched,
        s.bytes_printed,
        s.matched_lines,
        s.matches
    )
}

fn elapsed(nanos: u64, sorted: bool) -> String {
    let (secs, rest) = (nanos / 1_000_000_000, nanos % 1_000_000_000);
    let human = format!("{}.{:06}s", secs, rest / 1000);
    if sorted {
        format!("{{\"human\":\"{human}\",\"nanos\":{rest},\"secs\":{secs}}}")
    } else {
        format!("{{\"secs\":{secs},\"nanos\":{rest},\"human\":\"{human}\"}}")
    }
}

// Text, or base64 of what is not valid UTF-8.
fn data(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => format!("{{\"text\":{}}}", quoted(text)),
        Err(_) => format!("{{\"bytes\":\"{}\"}}", base64(bytes)),
    }
}

fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            c if (c as u32) < 0x20 => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let n = chunk.iter().fold(0u32, |n, b| n << 8 | u32::from(*b)) << (8 * (3 - chunk.len()));
        for i in 0..4 {
            if i <= chunk.len() {
                let digit = (n >> (18 - 6 * i) & 63) as usize;
                out.push(char::from(DIGITS.get(digit).copied().unwrap_or(b'=')));
            } else {
                out.push('=');
            }
        }
    }
    out
}
