//! Collects the parts of a word into fields.

use crate::field::Field;
use crate::shell::Ifs;
use sandshell_syntax::pattern;

/// The result that a word is expanded to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Fields: split, and prepared for pathname expansion.
    Fields,
    /// One string.
    Text,
    /// One pattern, with quoted characters escaped.
    Pattern,
    /// One regular expression, with quoted characters escaped. Inside brackets they are literal already.
    Regex,
    /// The replacement of `${x/p/r}`, with a NUL before each quoted byte.
    Replacement,
}

/// A field that is not finished, with the positions of its quoted parts.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    text: Vec<u8>,
    // The ends of alternating unquoted and quoted runs; the first run is unquoted.
    runs: Vec<usize>,
    globs: bool,
}

/// Collects fields or one string.
#[derive(Debug)]
pub(crate) struct Builder<'o> {
    pub(crate) mode: Mode,
    pub(crate) out: Option<&'o mut Vec<Made>>,
    cur: Pending,
    has_field: bool,
    after_space: bool,
    glob: bool,
    /// `"$@"` had no elements, so its quotes alone do not make a field.
    pub(crate) empty_list: bool,
    /// In the word of `${x-word}`, an unquoted list is joined with blanks and then split.
    pub(crate) flat_lists: bool,
    /// In a here-document, only `${a[*]}` is joined with the first character of `IFS`.
    pub(crate) here_document: bool,
    /// Expansions are not split.
    pub(crate) unsplit: bool,
}

/// A finished field: the text, and a pattern for pathname expansion if it has an unquoted operator.
#[derive(Debug)]
pub(crate) struct Made {
    pub(crate) field: Field,
    pub(crate) pattern: Option<Vec<u8>>,
}

fn has_glob(text: &[u8]) -> bool {
    text.iter().any(|b| matches!(b, b'*' | b'?' | b'[' | b'\\' | b'('))
}

impl<'o> Builder<'o> {
    pub(crate) fn fields(out: &'o mut Vec<Made>, glob: bool) -> Self {
        Self {
            mode: Mode::Fields,
            out: Some(out),
            cur: Pending::default(),
            has_field: false,
            after_space: false,
            glob,
            empty_list: false,
            flat_lists: false,
            here_document: false,
            unsplit: false,
        }
    }

    pub(crate) fn single(mode: Mode) -> Self {
        Self {
            mode,
            out: None,
            cur: Pending::default(),
            has_field: false,
            after_space: false,
            glob: false,
            empty_list: false,
            flat_lists: false,
            here_document: false,
            unsplit: false,
        }
    }

    // Adds bytes whose quoting is known.
    fn add(&mut self, text: &[u8], quoted: bool) {
        if self.mode == Mode::Fields && self.glob {
            let last_quoted = self.cur.runs.len().is_multiple_of(2) && !self.cur.runs.is_empty();
            if self.cur.runs.is_empty() {
                if quoted {
                    self.cur.runs.extend([0, 0]);
                } else {
                    self.cur.runs.push(0);
                }
            } else if last_quoted != quoted {
                self.cur.runs.push(0);
            }
            self.cur.text.extend_from_slice(text);
            let end = self.cur.text.len();
            if let Some(last) = self.cur.runs.last_mut() {
                *last = end;
            }
            if !quoted && !self.cur.globs && has_glob(text) {
                self.cur.globs = true;
            }
        } else {
            self.cur.text.extend_from_slice(text);
        }
    }

    /// Text that is quoted.
    pub(crate) fn quoted(&mut self, text: &[u8]) {
        if text.is_empty() {
            return;
        }
        self.has_field = true;
        self.after_space = false;
        match self.mode {
            Mode::Pattern => pattern::escape(text, &mut self.cur.text),
            Mode::Fields | Mode::Text => self.add(text, true),
            Mode::Regex | Mode::Replacement => {
                for &b in text {
                    self.cur.text.extend_from_slice(&[0, b]);
                }
            }
        }
    }

    /// Adds unquoted text from the script, which is never split.
    pub(crate) fn literal(&mut self, text: &[u8]) {
        if text.is_empty() {
            return;
        }
        self.has_field = true;
        self.after_space = false;
        self.add(text, false);
    }

    /// Adds the result of an unquoted expansion, which is split in `Fields` mode.
    pub(crate) fn split(&mut self, text: &[u8], ifs: &Ifs) {
        if self.mode != Mode::Fields {
            self.cur.text.extend_from_slice(text);
            return;
        }
        if self.unsplit {
            self.literal(text);
            return;
        }
        let mut start = 0;
        for (i, &b) in text.iter().enumerate() {
            if !ifs.may_split(b) || i < start {
                continue;
            }
            let length = ifs.separator(text.get(i..).unwrap_or_default());
            if length == 0 {
                continue;
            }
            if start < i {
                self.literal(text.get(start..i).unwrap_or_default());
            }
            start = i + length;
            if ifs.is_space(b) {
                if self.has_field {
                    self.end_field();
                    self.after_space = true;
                }
            } else if self.after_space {
                self.after_space = false;
            } else {
                self.has_field = true;
                self.end_field();
            }
        }
        self.literal(text.get(start..).unwrap_or_default());
    }

    /// Notes that the word has quotes, which make a field even if it is empty.
    pub(crate) fn mark_quoted(&mut self) {
        self.has_field = true;
        self.after_space = false;
    }

    /// Ends the current field, if there is one.
    pub(crate) fn end_field(&mut self) {
        if !self.has_field {
            return;
        }
        self.has_field = false;
        self.after_space = false;
        let cur = std::mem::take(&mut self.cur);
        if let Some(out) = &mut self.out {
            let pattern = cur.globs.then(|| cur.pattern());
            out.push(Made { field: Field::Owned(cur.text), pattern });
        }
    }

    /// Ends the current field even if it is empty, as between the elements of `"$@"`.
    pub(crate) fn break_quoted(&mut self) {
        self.has_field = true;
        self.end_field();
    }

    /// The one string or pattern that was built.
    pub(crate) fn into_text(self) -> Vec<u8> {
        match self.mode {
            Mode::Regex => regex(&self.cur.text),
            _ => self.cur.text,
        }
    }

    /// The current text, in modes that build one string.
    pub(crate) fn text_mut(&mut self) -> &mut Vec<u8> {
        &mut self.cur.text
    }
}

impl Pending {
    // The field as a pattern, with quoted runs escaped.
    fn pattern(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.text.len() + 8);
        let mut start = 0;
        for (i, &end) in self.runs.iter().enumerate() {
            let run = self.text.get(start..end).unwrap_or_default();
            if i % 2 == 0 {
                out.extend_from_slice(run);
            } else {
                pattern::escape(run, &mut out);
            }
            start = end;
        }
        out
    }
}

// Builds a regular expression from text with a NUL before each quoted byte.
fn regex(marked: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(marked.len());
    // If one bracket is never closed, later ones are not either.
    let mut brackets = true;
    let mut rest = marked;
    while let Some((&b, tail)) = rest.split_first() {
        rest = tail;
        match b {
            0 => {
                let Some((&quoted, tail)) = rest.split_first() else { break };
                rest = tail;
                if b".[\\()*+?{|^$".contains(&quoted) {
                    out.push(b'\\');
                }
                out.push(quoted);
            }
            b'[' if brackets => match bracket(tail) {
                Some((text, tail)) => {
                    out.push(b'[');
                    out.extend_from_slice(&text);
                    rest = tail;
                }
                None => {
                    brackets = false;
                    out.push(b'[');
                }
            },
            _ => out.push(b),
        }
    }
    out
}

// Takes the text after an open bracket, up to the matching one, without the marks. Also returns the rest.
fn bracket(mut rest: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let mut out = Vec::new();
    // The delimiter (`:`, `=` or `.`) of the inner bracket expression that is open.
    let mut inner = None;
    for first in *b"^]" {
        if rest.first() == Some(&first) {
            out.push(first);
            rest = rest.get(1..)?;
        }
    }
    loop {
        let (&b, tail) = rest.split_first()?;
        rest = tail;
        match (b, tail.first()) {
            (b']', _) => {
                out.push(b);
                return Some((out, rest));
            }
            (0, Some(&quoted)) => {
                out.push(quoted);
                rest = rest.get(1..)?;
            }
            (b'[', Some(&kind @ (b':' | b'=' | b'.'))) => {
                out.extend_from_slice(&[b, kind]);
                rest = rest.get(1..)?;
                inner = Some(kind);
                if kind != b':' && rest.first() == Some(&b']') {
                    out.push(b']');
                    rest = rest.get(1..)?;
                }
            }
            (_, Some(b']')) if inner == Some(b) => {
                out.extend_from_slice(&[b, b']']);
                rest = rest.get(1..)?;
                inner = None;
            }
            _ => out.push(b),
        }
    }
}
