//! `fmt`: paragraphs filled so that the lines' costs, summed up, are least.

use crate::base::getopt::{self, Parsed, Spec, Value::*};
use crate::base::input::Input;
use crate::base::quote::quoteaf;
use crate::base::{number, out};
use crate::text::fmt_paragraph::{Indents, Paragraph};
use crate::warn;
use std::ffi::OsString;

const SPEC: Spec = Spec {
    name: "fmt",
    short: "0123456789cstuw:p:g:",
    long: &[
        ("crown-margin", No, "c"),
        ("prefix", Yes, "p"),
        ("split-only", No, "s"),
        ("tagged-paragraph", No, "t"),
        ("uniform-spacing", No, "u"),
        ("width", Yes, "w"),
        ("goal", Yes, "g"),
    ],
    failure: 1,
    help: "\
Usage: fmt [-WIDTH] [OPTION]... [FILE]...
Fills the lines of each paragraph anew, so that they are about equally long.

  -c, --crown-margin      the first two lines of a paragraph keep their indentations
  -p, --prefix=STRING     only lines that begin with STRING; it comes back in front of each
  -s, --split-only        break long lines, do not fill short ones
  -t, --tagged-paragraph  as -c, where the second line's indentation must differ
  -u, --uniform-spacing   one space between words, two between sentences
  -w, --width=WIDTH       no line is longer than WIDTH; 75 by default
  -g, --goal=WIDTH        lines should be about WIDTH long; 93% of the width by default
",
};

/// The columns that a paragraph of any form indents its further lines by, when nothing else says so.
const INDENT: usize = 3;

/// How lines make paragraphs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    Plain,
    Crown,
    Tagged,
    Split,
}

/// What every line of a paragraph begins with.
struct Prefix {
    text: Vec<u8>,
    /// Spaces before it.
    lead: usize,
    /// With the spaces behind it.
    full: usize,
}

struct Fmt {
    form: Form,
    prefix: Prefix,
    max_width: usize,
    goal_width: usize,
    uniform: bool,
}

/// The reading of one file.
struct Reader<'a> {
    fmt: &'a Fmt,
    input: Input,
    failed: bool,
    tabs: bool,
    /// The column of what is read next.
    column: usize,
    /// The indentation of the line's prefix.
    prefix_indent: usize,
    indents: Indents,
    paragraph: Paragraph,
}

/// `fmt`.
pub fn fmt_main(args: Vec<OsString>) -> i32 {
    run(args).unwrap_or_else(|code| code)
}

fn run(args: Vec<OsString>) -> Result<i32, i32> {
    let mut args = getopt::operands(args);
    let mut width = None;
    if args.first().is_some_and(|a| a.len() > 1 && a[0] == b'-' && a[1].is_ascii_digit()) {
        width = Some(args.remove(0)[1..].to_vec());
    }
    let Parsed { options, operands } = SPEC.parse(&args)?;
    let (mut crown, mut tagged, mut split, mut uniform, mut goal) = (false, false, false, false, None);
    let mut prefix = prefix(b"");
    for g in &options {
        match g.id {
            "c" => crown = true,
            "s" => split = true,
            "t" => tagged = true,
            "u" => uniform = true,
            "w" => width = Some(g.text().to_vec()),
            "g" => goal = Some(g.text().to_vec()),
            "p" => prefix = self::prefix(g.text()),
            digit => {
                let text = format!(
                    "invalid option -- {digit}; -WIDTH is recognized only when it is the first\noption; use -w N instead"
                );
                return Err(SPEC.usage(text));
            }
        }
    }
    let form = match (split, crown, tagged) {
        (true, ..) => Form::Split,
        (_, true, _) => Form::Crown,
        (.., true) => Form::Tagged,
        _ => Form::Plain,
    };
    let wide = |text: &[u8], most: usize| {
        number::in_range("fmt", "invalid width", text, "", 0, most as u64).map(|n| n as usize)
    };
    let mut max_width = match &width {
        Some(text) => wide(text, 2500)?,
        None => 75,
    };
    let goal_width = match goal {
        Some(text) => {
            let goal = wide(&text, max_width)?;
            if width.is_none() {
                max_width = goal + 10;
            }
            goal
        }
        None => max_width * 187 / 200,
    };
    let fmt = Fmt { form, prefix, max_width, goal_width, uniform };
    let mut code = 0;
    let stdin = [b"-".to_vec()];
    for name in if operands.is_empty() { &stdin[..] } else { &operands[..] } {
        match Input::open(name) {
            Ok(input) => {
                let mut reader = Reader::new(&fmt, input);
                reader.run();
                if reader.failed {
                    warn!("fmt", "read error");
                    code = 1;
                }
            }
            Err(e) => {
                warn!("fmt", "cannot open ", quoteaf(name), " for reading: ", e);
                code = 1;
            }
        }
    }
    Ok(out::finish("fmt", code, 1))
}

fn prefix(text: &[u8]) -> Prefix {
    let lead = text.iter().take_while(|b| **b == b' ').count();
    let text = &text[lead..];
    let behind = text.iter().rev().take_while(|b| **b == b' ').count();
    Prefix { text: text[..text.len() - behind].to_vec(), lead, full: text.len() }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | 9..=13)
}

impl<'a> Reader<'a> {
    fn new(fmt: &'a Fmt, input: Input) -> Self {
        let paragraph = Paragraph::new(fmt.max_width, fmt.goal_width, fmt.prefix.text.clone());
        Self {
            fmt,
            input,
            failed: false,
            tabs: false,
            column: 0,
            prefix_indent: 0,
            indents: Indents::default(),
            paragraph,
        }
    }

    fn run(&mut self) {
        let mut c = self.prefix();
        while out::failure().is_none() {
            // Blank lines and lines without the prefix stay.
            self.paragraph.begin();
            while c.is_none_or(|c| c == b'\n') || !self.has_prefix() {
                if self.copy_rest(c).is_none() {
                    return;
                }
                out::put("\n");
                c = self.prefix();
            }
            c = self.paragraph(c);
            self.paragraph.finish(self.indents, self.tabs);
        }
    }

    fn byte(&mut self) -> Option<u8> {
        self.input.byte().unwrap_or_else(|_| {
            self.failed = true;
            None
        })
    }

    fn has_prefix(&self) -> bool {
        self.prefix_indent >= self.fmt.prefix.lead && self.column >= self.prefix_indent + self.fmt.prefix.full
    }

    /// Whether the line that `c` begins continues the paragraph.
    fn continues(&self, c: Option<u8>) -> bool {
        self.prefix_indent == self.indents.prefix
            && self.column >= self.prefix_indent + self.fmt.prefix.full
            && c.is_some_and(|c| c != b'\n')
    }

    /// Reads a paragraph whose first line begins with `c`; what comes after it.
    fn paragraph(&mut self, c: Option<u8>) -> Option<u8> {
        self.indents.prefix = self.prefix_indent;
        self.indents.first = self.column;
        let mut c = self.line(c);
        self.set_other_indent(self.continues(c));
        let goes_on = match self.fmt.form {
            Form::Split => false,
            Form::Crown => self.continues(c),
            Form::Tagged => self.continues(c) && self.column != self.indents.first,
            Form::Plain => self.continues(c) && self.column == self.indents.other,
        };
        if goes_on {
            loop {
                c = self.line(c);
                if !self.continues(c) || self.column != self.indents.other {
                    break;
                }
            }
        }
        c
    }

    fn set_other_indent(&mut self, continues: bool) {
        let Indents { first, other, .. } = self.indents;
        self.indents.other = match self.fmt.form {
            Form::Crown if continues => self.column,
            Form::Tagged if continues && self.column != first => self.column,
            Form::Tagged if other != first => other,
            Form::Tagged if first == 0 => INDENT,
            Form::Tagged => 0,
            _ => first,
        };
    }

    /// Copies a line that is no part of a paragraph.
    fn copy_rest(&mut self, c: Option<u8>) -> Option<u8> {
        let ends = c.is_none_or(|c| c == b'\n');
        let prefix = &self.fmt.prefix.text;
        if self.column > self.prefix_indent || !ends {
            let mut text = Vec::new();
            pad(&mut text, 0, self.prefix_indent, self.tabs);
            let shown = (self.column - self.prefix_indent).min(prefix.len());
            text.extend_from_slice(&prefix[..shown]);
            if !ends {
                let at = self.prefix_indent + shown;
                pad(&mut text, at, self.column - at, self.tabs);
            }
            if c.is_none() && self.column >= self.prefix_indent + prefix.len() {
                text.push(b'\n');
            }
            out::put(text);
        }
        let mut c = c;
        while let Some(byte) = c.filter(|c| *c != b'\n') {
            out::put([byte]);
            c = self.byte();
        }
        c
    }

    /// Reads the words of a line and what comes before those of the next.
    fn line(&mut self, c: Option<u8>) -> Option<u8> {
        let mut c = c;
        while let Some(mut byte) = c.filter(|c| *c != b'\n') {
            self.paragraph.begin_word();
            let mut length = 0;
            loop {
                if self.paragraph.text_is_full() {
                    self.set_other_indent(true);
                    if self.paragraph.flush(self.indents, self.tabs) {
                        length = 0;
                    }
                }
                self.paragraph.push(byte);
                length += 1;
                c = self.byte();
                match c {
                    Some(next) if !is_space(next) => byte = next,
                    _ => break,
                }
            }
            self.column += length;
            let start = self.column;
            c = self.space(c);
            let ends = c.is_none_or(|c| c == b'\n');
            self.paragraph.end_word(self.column - start, c.is_none(), ends, self.fmt.uniform);
            if self.paragraph.words_are_full() {
                self.set_other_indent(true);
                self.paragraph.flush(self.indents, self.tabs);
            }
            self.paragraph.keep_word();
        }
        self.prefix()
    }

    /// Passes over indentation and prefix of a line; what follows.
    fn prefix(&mut self) -> Option<u8> {
        self.column = 0;
        let c = self.byte();
        let mut c = self.space(c);
        let fmt = self.fmt;
        if fmt.prefix.text.is_empty() {
            self.prefix_indent = fmt.prefix.lead.min(self.column);
            return c;
        }
        self.prefix_indent = self.column;
        for expected in &fmt.prefix.text {
            if c != Some(*expected) {
                return c;
            }
            self.column += 1;
            c = self.byte();
        }
        self.space(c)
    }

    /// Passes over blanks from `c` on; what follows.
    fn space(&mut self, c: Option<u8>) -> Option<u8> {
        let mut c = c;
        loop {
            match c {
                Some(b' ') => self.column += 1,
                Some(b'\t') => {
                    self.tabs = true;
                    self.column = (self.column / 8 + 1) * 8;
                }
                other => return other,
            }
            c = self.byte();
        }
    }
}

/// Appends `space` columns of blanks at column `at`: tabs where the input has some.
pub(crate) fn pad(text: &mut Vec<u8>, at: usize, space: usize, tabs: bool) {
    let target = at + space;
    let mut at = at;
    let stop = target / 8 * 8;
    if tabs && at + 1 < stop {
        while at < stop {
            text.push(b'\t');
            at = (at / 8 + 1) * 8;
        }
    }
    text.resize(text.len() + (target - at), b' ');
}
