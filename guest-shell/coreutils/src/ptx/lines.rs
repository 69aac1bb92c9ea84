//! The output lines of `ptx`: which parts of a context are printed in which field.

use crate::ptx::{Occurrence, Options, Text, is_white};
use sandshell_cli::bytes;
use sandshell_cli::out;

/// The output format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Style {
    Dumb,
    Roff,
    Tex,
}

/// A part of a text, and whether it was truncated.
#[derive(Clone, Copy, Default)]
struct Part {
    start: usize,
    end: usize,
    cut: bool,
}

impl Part {
    /// The length. It is negative if blanks were skipped from both sides.
    fn len(self) -> i64 {
        self.end as i64 - self.start as i64
    }
}

/// The field widths, which are the same for all lines.
pub(crate) struct Lines<'a> {
    o: &'a Options,
    texts: &'a [Text],
    longest: usize,
    half: i64,
    before_max: i64,
    keyafter_max: i64,
    reference_max: i64,
}

impl<'a> Lines<'a> {
    pub(crate) fn new(o: &'a Options, texts: &'a [Text], longest: usize, reference_width: usize) -> Self {
        let mut reference_max = reference_width as i64;
        if o.auto {
            let widths = texts.iter().map(|t| (t.lines + 1).to_string().len() + t.name.len());
            // One more for the colon.
            reference_max = widths.max().unwrap_or(0) as i64 + 1;
        }
        let mut width = o.width;
        if (o.auto || o.input_reference) && !o.right {
            width = (width - reference_max - o.gap).max(0);
        }
        let half = width / 2;
        let mark = o.truncation.len() as i64;
        let (mut before_max, mut keyafter_max) = (half - o.gap, half);
        if o.gnu {
            before_max = (before_max - 2 * mark).max(0);
            keyafter_max -= 2 * mark;
        } else {
            keyafter_max -= 2 * mark + 1;
        }
        Self { o, texts, longest, half, before_max, keyafter_max, reference_max }
    }

    /// Skips a word, or a single byte.
    fn skip(&self, content: &[u8], at: usize, limit: usize) -> usize {
        let rest = content.get(at..limit).unwrap_or_default();
        if let Some(regex) = &self.o.word_regex {
            let length = regex.find_at(rest, 0, false).filter(|m| m.0 == 0 && m.1 > 0).map_or(1, |m| m.1);
            return at + length;
        }
        at + rest.iter().take_while(|b| self.o.is_word[usize::from(**b)]).count().max(1)
    }

    pub(crate) fn print(&self, occurrence: &Occurrence) {
        let text = &self.texts[occurrence.text];
        let content = text.content.as_slice();
        let (key, left, right) = (occurrence.start, occurrence.left, occurrence.right);
        let marks = !self.o.truncation.is_empty();
        let white_back = |mut end: usize, start: usize| {
            while end > start && is_white(content[end - 1]) {
                end -= 1;
            }
            end
        };
        let white = |mut at: usize, limit: usize| {
            while at < limit && is_white(content[at]) {
                at += 1;
            }
            at
        };
        let fits = |at: usize, most: i64| (at as i64) <= key as i64 + most;

        let mut keyafter = Part { start: key, end: occurrence.end, cut: false };
        let mut cursor = keyafter.end;
        while cursor < right && fits(cursor, self.keyafter_max) {
            keyafter.end = cursor;
            cursor = self.skip(content, cursor, right);
        }
        if fits(cursor, self.keyafter_max) {
            keyafter.end = cursor;
        }
        keyafter.cut = marks && keyafter.end < right;
        keyafter.end = white_back(keyafter.end, keyafter.start);

        // Text that is far from the keyword cannot be printed, so it is skipped.
        let far = usize::try_from(self.half).unwrap_or(0) + self.longest;
        let left_field =
            if key - left.min(key) > far { self.skip(content, key - far, key) } else { left.min(key) };
        let mut before = Part { start: left_field, end: white_back(key, left_field), cut: false };
        while before.start as i64 + self.before_max < before.end as i64 {
            before.start = self.skip(content, before.start, before.end);
        }
        before.cut = marks && white_back(before.start, 0) > left;
        before.start = white(before.start, content.len());

        let mut tail = Part::default();
        let tail_max = self.before_max - (before.end as i64 - before.start as i64) - self.o.gap;
        if tail_max > 0 {
            tail.start = white(keyafter.end, content.len());
            tail.end = tail.start;
            let mut cursor = tail.end;
            let fits = |at: usize| (at as i64) < tail.start as i64 + tail_max;
            while cursor < right && fits(cursor) {
                tail.end = cursor;
                cursor = self.skip(content, cursor, right);
            }
            if fits(cursor) {
                tail.end = cursor;
            }
            if tail.end > tail.start {
                keyafter.cut = false;
                tail.cut = marks && tail.end < right;
            }
            tail.end = white_back(tail.end, tail.start);
        }

        let mut head = Part::default();
        let head_max = self.keyafter_max - keyafter.len() - self.o.gap;
        if head_max > 0 {
            head.end = white_back(before.start, 0);
            head.start = left_field;
            while (head.start as i64) + head_max < head.end as i64 {
                head.start = self.skip(content, head.start, head.end);
            }
            if head.end > head.start {
                before.cut = false;
                head.cut = marks && head.start > left;
            }
            head.start = white(head.start, head.end);
        }

        let reference = self.reference(occurrence, text);
        match self.o.style {
            Style::Dumb => self.dumb(content, tail, before, keyafter, head, &reference),
            Style::Roff => self.roff(content, [tail, before, keyafter, head], &reference),
            Style::Tex => self.tex(content, [tail, before, keyafter, head], &reference),
        }
    }

    fn reference(&self, occurrence: &Occurrence, text: &Text) -> Vec<u8> {
        if self.o.auto {
            return bytes!(&text.name, ":", occurrence.reference + 1);
        }
        if !self.o.input_reference {
            return Vec::new();
        }
        let rest = text.content.get(occurrence.reference..occurrence.right).unwrap_or_default();
        rest.iter().copied().take_while(|b| !is_white(*b)).collect()
    }

    fn mark(&self, cut: bool) -> &[u8] {
        if cut { &self.o.truncation } else { b"" }
    }

    fn dumb(&self, content: &[u8], tail: Part, before: Part, keyafter: Part, head: Part, reference: &[u8]) {
        let has_reference = self.o.auto || self.o.input_reference;
        let mut line = Vec::new();
        let spaces = |line: &mut Vec<u8>, count: i64| {
            line.resize(line.len() + usize::try_from(count).unwrap_or(0), b' ')
        };
        let field = |line: &mut Vec<u8>, part: Part| line.extend_from_slice(&self.escaped(content, part));
        let taken = |part: Part| part.len() + if part.cut { self.o.truncation.len() as i64 } else { 0 };
        if !self.o.right {
            line.extend_from_slice(&self.escape(reference));
            let mut fill = self.reference_max + self.o.gap - reference.len() as i64;
            if self.o.auto {
                line.push(b':');
                fill -= 1;
            }
            spaces(&mut line, fill);
        }
        let mut fill = self.half - self.o.gap - taken(before);
        if tail.start < tail.end {
            field(&mut line, tail);
            line.extend_from_slice(self.mark(tail.cut));
            fill -= taken(tail);
        }
        spaces(&mut line, fill);
        line.extend_from_slice(self.mark(before.cut));
        field(&mut line, before);
        spaces(&mut line, self.o.gap);
        field(&mut line, keyafter);
        line.extend_from_slice(self.mark(keyafter.cut));
        if head.start < head.end {
            spaces(&mut line, self.half - taken(keyafter) - taken(head));
            line.extend_from_slice(self.mark(head.cut));
            field(&mut line, head);
        } else if has_reference && self.o.right {
            spaces(&mut line, self.half - taken(keyafter));
        }
        if has_reference && self.o.right {
            spaces(&mut line, self.o.gap);
            line.extend_from_slice(&self.escape(reference));
        }
        line.push(b'\n');
        out::put(line);
    }

    fn roff(&self, content: &[u8], [tail, before, keyafter, head]: [Part; 4], reference: &[u8]) {
        let text = |part: Part| self.escaped(content, part);
        let mut line = bytes!(".", &self.o.macro_name);
        line.extend_from_slice(&bytes!(" \"", text(tail), self.mark(tail.cut), "\""));
        line.extend_from_slice(&bytes!(" \"", self.mark(before.cut), text(before), "\""));
        line.extend_from_slice(&bytes!(" \"", text(keyafter), self.mark(keyafter.cut), "\""));
        line.extend_from_slice(&bytes!(" \"", self.mark(head.cut), text(head), "\""));
        if self.o.auto || self.o.input_reference {
            line.extend_from_slice(&bytes!(" \"", self.escape(reference), "\""));
        }
        line.push(b'\n');
        out::put(line);
    }

    fn tex(&self, content: &[u8], [tail, before, keyafter, head]: [Part; 4], reference: &[u8]) {
        let end = self.skip(content, keyafter.start, keyafter.end).min(keyafter.end);
        let (key, after) = (Part { end, ..keyafter }, Part { start: end, ..keyafter });
        let mut line = bytes!("\\", &self.o.macro_name, " ");
        for part in [tail, before, key, after, head] {
            line.extend_from_slice(&bytes!("{", self.escaped(content, part), "}"));
        }
        if self.o.auto || self.o.input_reference {
            line.extend_from_slice(&bytes!("{", self.escape(reference), "}"));
        }
        line.push(b'\n');
        out::put(line);
    }

    fn escaped(&self, content: &[u8], part: Part) -> Vec<u8> {
        self.escape(content.get(part.start..part.end).unwrap_or_default())
    }

    fn escape(&self, text: &[u8]) -> Vec<u8> {
        let mut escaped = Vec::with_capacity(text.len());
        for byte in text {
            match (self.o.style, byte) {
                (_, byte) if is_white(*byte) => escaped.push(b' '),
                (Style::Roff, b'"') => escaped.extend_from_slice(b"\"\""),
                (Style::Tex, b'$' | b'%' | b'&' | b'#' | b'_') => escaped.extend_from_slice(&[b'\\', *byte]),
                (Style::Tex, b'{' | b'}') => escaped.extend_from_slice(&[b'$', b'\\', *byte, b'$']),
                (Style::Tex, b'\\') => escaped.extend_from_slice(b"\\backslash{}"),
                (_, byte) => escaped.push(*byte),
            }
        }
        escaped
    }
}
