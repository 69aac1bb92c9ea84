//! Collects the pieces of a word into fields.

use crate::field::Field;
use crate::shell::Ifs;
use sandshell_syntax::pattern;

/// What a word becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Fields: split, and ready for pathname expansion.
    Fields,
    /// One string.
    Text,
    /// One pattern: quoted characters are escaped.
    Pattern,
    /// One regular expression: quoted characters are escaped, except in brackets, where they stand as they are.
    Regex,
    /// The replacement of `${x/p/r}`: a NUL stands before each quoted byte.
    Replacement,
}

/// A field with what is quoted in it.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    text: Vec<u8>,
    // Where runs of quoted and unquoted text end; the first is unquoted.
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
    /// `"$@"` gave no element: the quotes around it make no field.
    pub(crate) empty_list: bool,
    /// Unquoted lists are one text with blanks that is then split: in the word of `${x-word}`.
    pub(crate) flat_lists: bool,
    /// A here-document: of the lists only `${a[*]}` is joined with what `IFS` begins with.
    pub(crate) here_document: bool,
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
        }
    }

    // Adds bytes of which we know whether they are quoted.
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

    /// Text from the script, outside quotes: never split.
    pub(crate) fn literal(&mut self, text: &[u8]) {
        if text.is_empty() {
            return;
        }
        self.has_field = true;
        self.after_space = false;
        self.add(text, false);
    }

    /// The result of an unquoted expansion: split in `Fields` mode.
    pub(crate) fn split(&mut self, text: &[u8], ifs: &Ifs) {
        if self.mode != Mode::Fields {
            self.cur.text.extend_from_slice(text);
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

    /// Marks that the word has quotes: it is a field even if empty.
    pub(crate) fn mark_quoted(&mut self) {
        self.has_field = true;
        self.after_space = false;
    }

    /// Ends the present field, if there is one.
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

    /// Ends the present field even if nothing was added: between elements of `"$@"`.
    pub(crate) fn break_quoted(&mut self) {
        self.has_field = true;
        self.end_field();
    }

    /// The one string or pattern.
    pub(crate) fn into_text(self) -> Vec<u8> {
        match self.mode {
            Mode::Regex => regex(&self.cur.text),
            _ => self.cur.text,
        }
    }

    /// The present text, in the modes of one string.
    pub(crate) fn text_mut(&mut self) -> &mut Vec<u8> {
        &mut self.cur.text
    }
}

impl Pending {
    // The pattern of the field: quoted runs escaped.
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

// The regular expression of text in which a NUL stands before each quoted byte.
fn regex(marked: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(marked.len());
    // After an open bracket without end, there is no need to look for one.
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

// What follows an open bracket, up to the one that closes it, without the marks; and the rest.
fn bracket(mut rest: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let mut out = Vec::new();
    // The inner bracket expression that is open: `:`, `=` or `.`.
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
