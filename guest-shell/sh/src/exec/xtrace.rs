//! `set -x`.

use crate::expand::Mode;
use crate::expand::transform::{needs_quotes, quote_if_needed};
use crate::field::Field;
use crate::options::flag;
use crate::shell::{Run, Shell};
use sandshell_syntax::ast::{
    ArrayElement, Assignment, AssignmentValue, Command, CommandKind, Comparison, PatternWord, SimpleCommand,
    Subscript, Word, WordPart,
};
use sandshell_syntax::print::single_quoted;
use sandshell_sys as sys;

impl Shell {
    /// Whether commands are shown before they run.
    #[inline]
    pub(crate) fn tracing(&self) -> bool {
        self.opts.has(flag::XTRACE)
    }

    // PS4, expanded. Its first character is repeated for each level of nesting.
    fn trace_prefix(&mut self) -> Vec<u8> {
        let name = self.names.ps4;
        let Some(ps4) = self.value(name).map(|v| v.into_owned()) else { return Vec::new() };
        let saved = (self.status, self.opts.flags, self.substitution_status);
        self.opts.set(flag::XTRACE, false);
        let text = if ps4.iter().any(|b| matches!(b, b'$' | b'`' | b'\\')) {
            self.prompt(&ps4).unwrap_or_default()
        } else {
            ps4
        };
        (self.status, self.opts.flags, self.substitution_status) = saved;
        let first = text.get(..crate::text::char_len(&text)).unwrap_or_default().to_vec();
        let mut out = Vec::new();
        for _ in 0..self.trace_depth.min(99) {
            out.extend_from_slice(&first);
        }
        out.extend_from_slice(&text);
        out
    }

    pub(crate) fn write_trace(&mut self, text: &[u8]) {
        let mut line = self.trace_prefix();
        line.extend_from_slice(text);
        line.push(b'\n');
        let _ = self.flush();
        let _ = sys::write_all(self.trace_to.unwrap_or(2), &line);
    }

    /// Shows the words of a simple command. Each `name=( ... )` argument of a declaration gets a line of its own.
    pub(crate) fn trace_words(&mut self, fields: &[Field]) -> Run {
        let mut words: Vec<Vec<u8>> = fields.iter().map(|f| trace_word(f)).collect();
        for (position, elements) in self.declared_arrays.clone() {
            let Some(word) = words.get_mut(position) else { continue };
            let source = fields.get(position).map(|f| f.to_vec()).unwrap_or_default();
            let name = source.split(|b| *b == b'=').next().unwrap_or_default().to_vec();
            let list = self.trace_elements(&elements, &source)?;
            self.write_trace(&[&*name, b"=", &list].concat());
            *word = name.strip_suffix(b"+").unwrap_or(&name).to_vec();
        }
        self.write_trace(&words.join(&b' '));
        Ok(())
    }

    // The elements with their values, each in quotes. If expanding them has side effects, they are shown as written.
    fn trace_elements(&mut self, elements: &[ArrayElement], source: &[u8]) -> Run<Vec<u8>> {
        let plain = |w: &Word| crate::expand::command::pure_word(w, 0);
        let mut list = Vec::new();
        for e in elements {
            match e {
                ArrayElement::Word(w) if plain(w) => {
                    let mut fields = Vec::new();
                    self.expand_word_into(w, &mut fields)?;
                    list.extend(fields.iter().map(|f| single_quoted(f)));
                }
                ArrayElement::Keyed { subscript: Subscript::Index(key), append, value, .. }
                    if plain(value) && plain(&key.word) =>
                {
                    let key = self.expand_quoted(&key.word.parts)?;
                    let value = self.expand_mode(value, Mode::Text)?;
                    let equals: &[u8] = if *append { b"]+=" } else { b"]=" };
                    list.push([b"[", &*single_quoted(&key), equals, &single_quoted(&value)].concat());
                }
                _ => {
                    let at = source.iter().position(|b| *b == b'=').map_or(0, |i| i + 1);
                    return Ok(source.get(at..).unwrap_or_default().to_vec());
                }
            }
        }
        Ok([b"(", &*list.join(&b' '), b")"].concat())
    }

    /// Shows an assignment with its expanded value.
    pub(crate) fn trace_value(&mut self, a: &Assignment, value: &[u8]) {
        if !self.tracing() {
            return;
        }
        let mut out = match &a.subscript {
            Some(_) => {
                let eq = a.source.windows(2).position(|w| w == b"]=" || w == b"]+").unwrap_or(0);
                a.source.get(..=eq).unwrap_or_default().to_vec()
            }
            None => a.name.bytes().to_vec(),
        };
        out.extend_from_slice(if a.append { b"+=" } else { b"=" });
        if !value.is_empty() {
            out.extend_from_slice(&traced_value(value));
        }
        self.write_trace(&out);
    }

    /// Shows `name=( ... )` as it is written.
    pub(crate) fn trace_list(&mut self, a: &Assignment) {
        if self.tracing() {
            self.write_trace(&a.source);
        }
    }

    /// Expands the assignments before a command in a temporary scope, and shows them under `set -x`. The returned
    /// command contains the values, so that nothing is expanded twice.
    pub(crate) fn expand_assignments(&mut self, s: &SimpleCommand) -> Run<SimpleCommand> {
        let mut done = s.clone();
        self.vars.open_scope(crate::variables::ScopeKind::Temporary);
        let mut result = Ok(());
        for a in &mut done.assignments {
            if let (AssignmentValue::Scalar(word), None) = (&a.value, &a.subscript) {
                match self.expand_text(word).map(|v| v.to_vec()) {
                    Ok(value) => {
                        self.trace_value(a, &value);
                        a.value = AssignmentValue::Scalar(Word {
                            literal: Some(value.into()),
                            source: word.source.clone(),
                            ..Word::default()
                        });
                    }
                    Err(flow) => {
                        result = Err(flow);
                        break;
                    }
                }
                let readonly = self.vars.get(a.name).is_some_and(|v| v.has(crate::variables::attr::READONLY));
                if !readonly {
                    result = self.temporary_assignment(a, true);
                }
            } else {
                self.trace_list(a);
            }
            if result.is_err() {
                break;
            }
        }
        self.close_scope();
        result.map(|()| done)
    }

    /// Shows `(( text ))` after expansion.
    pub(crate) fn trace_arith(&mut self, text: &[u8]) {
        self.write_trace(&[b"(( ", text, b" ))"].concat());
    }

    /// Shows `for`, `select` and `case` as they are written.
    pub(crate) fn trace_heading(&mut self, command: &Command) {
        if self.tracing() {
            let mut text = sandshell_syntax::print::heading(command);
            if matches!(command.kind, CommandKind::Case(_)) {
                text.truncate(text.trim_ascii_end().len());
            }
            self.write_trace(&text);
        }
    }

    /// Shows a test of `[[ ]]` with one operand.
    pub(crate) fn trace_unary(&mut self, inverted: bool, op: u8, arg: &[u8]) {
        if self.tracing() {
            let not: &[u8] = if inverted { b"! " } else { b"" };
            let line = [b"[[ ", not, b"-", &[op][..], b" ", operand(arg), b" ]]"].concat();
            self.write_trace(&line);
        }
    }

    /// Shows a test of `[[ ]]` with two operands.
    pub(crate) fn trace_binary(&mut self, inverted: bool, op: Comparison, left: &[u8], right: &[u8]) {
        if self.tracing() {
            let not: &[u8] = if inverted { b"! " } else { b"" };
            let line = [b"[[ ", not, operand(left), b" ", op.sign(), b" ", operand(right), b" ]]"].concat();
            self.write_trace(&line);
        }
    }

    /// The pattern of a word with a backslash before each quoted character. It is shown, and also used for matching.
    pub(crate) fn traced_pattern(&mut self, word: &PatternWord) -> Run<Vec<u8>> {
        let mut out = Vec::new();
        for part in &word.word.parts {
            match part {
                WordPart::Literal(text) => out.extend_from_slice(text),
                WordPart::Quoted(text) => push_escaped(&mut out, text),
                WordPart::DoubleQuoted(parts) => {
                    let text = self.expand_quoted(parts)?;
                    push_escaped(&mut out, &text);
                }
                part => {
                    let alone = Word { parts: vec![part.clone()], flags: word.word.flags, ..Word::default() };
                    out.extend_from_slice(&self.expand_mode(&alone, Mode::Pattern)?);
                }
            }
        }
        Ok(out)
    }
}

fn push_escaped(out: &mut Vec<u8>, text: &[u8]) {
    for c in crate::text::chars(text) {
        out.push(b'\\');
        out.extend_from_slice(c);
    }
}

/// How the value of an assignment is shown.
pub(crate) fn traced_value(value: &[u8]) -> Vec<u8> {
    if value.contains(&b'\n') { single_quoted(value) } else { trace_word(value) }
}

// Text with characters that are special to the shell is put in single quotes; other text with unprintable characters in
// `$'...'`.
fn trace_word(text: &[u8]) -> Vec<u8> {
    match text {
        b"'" => b"\\'".to_vec(),
        t if needs_quotes(t) => single_quoted(t),
        t => quote_if_needed(t),
    }
}

fn operand(text: &[u8]) -> &[u8] {
    if text.is_empty() { b"''" } else { text }
}
