//! `set -x`.

use crate::expand::Mode;
use crate::expand::transform::{needs_quotes, quote_if_needed, quote_single};
use crate::field::Field;
use crate::options::flag;
use crate::shell::{Run, Shell};
use sandshell_syntax::ast::{
    Arith, Assignment, AssignmentValue, CaseCommand, Command, CondExpr, CondOp, ForCommand,
};
use sandshell_sys as sys;
use std::rc::Rc;

impl Shell {
    // PS4 expanded, its first character repeated for the depth of indirection.
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
        for _ in 0..self.subshell_trace_depth() {
            out.extend_from_slice(&first);
        }
        out.extend_from_slice(&text);
        out
    }

    fn subshell_trace_depth(&self) -> u32 {
        self.trace_depth
    }

    pub(crate) fn write_trace(&mut self, text: &[u8]) {
        let mut line = self.trace_prefix();
        line.extend_from_slice(text);
        line.push(b'\n');
        let _ = self.flush();
        let _ = sys::write_all(self.xtrace_fd.unwrap_or(2), &line);
    }

    pub(crate) fn trace_words(&mut self, assignments: &[Assignment], fields: &[Field]) -> Run {
        for a in assignments {
            self.trace_assignment(a)?;
        }
        let words: Vec<Vec<u8>> = fields.iter().map(|f| quote_if_needed(f)).collect();
        let line = words.join(&b' ');
        self.write_trace(&line);
        Ok(())
    }

    pub(crate) fn trace_assignment(&mut self, a: &Assignment) -> Run {
        if !self.opts.has(flag::XTRACE) {
            return Ok(());
        }
        let mut out = a.name.bytes().to_vec();
        match &a.value {
            AssignmentValue::Scalar(word) => {
                let eq = a.source.iter().position(|b| *b == b'=').unwrap_or(0);
                if a.subscript.is_some() {
                    out = a.source.get(..eq).unwrap_or_default().to_vec();
                } else if a.append {
                    out.push(b'+');
                }
                out.push(b'=');
                if crate::expand::command::pure_word(word, 0) {
                    let value = self.expand_mode(word, Mode::Text)?;
                    if !value.is_empty() {
                        out.extend_from_slice(&quote_if_needed(&value));
                    }
                } else {
                    // Expanding twice would do its effects twice; the value is shown as it is written.
                    out.extend_from_slice(&word.source);
                }
            }
            AssignmentValue::Array(_) => out = a.source.to_vec(),
        }
        self.write_trace(&out);
        Ok(())
    }

    pub(crate) fn trace_command(&mut self, _command: &Rc<Command>) {}

    pub(crate) fn trace_arith(&mut self, a: &Arith) -> Run {
        let text = if a.word.literal.is_some() || !crate::expand::command::pure_word(&a.word, 0) {
            a.source.to_vec()
        } else {
            self.expand_quoted(&a.word.parts)?
        };
        let text: &[u8] = text.trim_ascii();
        self.write_trace(&[b"(( ", text, b" ))"].concat());
        Ok(())
    }

    pub(crate) fn trace_for(&mut self, c: &ForCommand) {
        if !self.opts.has(flag::XTRACE) {
            return;
        }
        let mut out = [b"for ", &*c.variable.bytes()].concat();
        out.extend_from_slice(b" in ");
        match &c.words {
            Some(words) => {
                let list: Vec<&[u8]> = words.iter().map(|w| &*w.source).collect();
                out.extend_from_slice(&list.join(&b' '));
            }
            None => out.extend_from_slice(b"\"$@\""),
        }
        self.write_trace(&out);
    }

    pub(crate) fn trace_case(&mut self, c: &CaseCommand) -> Run {
        if self.opts.has(flag::XTRACE) {
            let line = [b"case ", &*c.word.source, b" in"].concat();
            self.write_trace(&line);
        }
        Ok(())
    }

    pub(crate) fn trace_unary(&mut self, op: u8, arg: &[u8]) {
        if self.opts.has(flag::XTRACE) {
            let line = [b"[[ -", &[op][..], b" ", &*trace_operand(arg), b" ]]"].concat();
            self.write_trace(&line);
        }
    }

    pub(crate) fn trace_binary(&mut self, op: CondOp, left: &[u8], right: &[u8]) {
        if self.opts.has(flag::XTRACE) {
            let text: &[u8] = match op {
                CondOp::Equal => b"=",
                CondOp::EqualEqual => b"==",
                CondOp::NotEqual => b"!=",
                CondOp::Regex => b"=~",
                CondOp::Less => b"<",
                CondOp::Greater => b">",
                CondOp::NumEq => b"-eq",
                CondOp::NumNe => b"-ne",
                CondOp::NumLt => b"-lt",
                CondOp::NumLe => b"-le",
                CondOp::NumGt => b"-gt",
                CondOp::NumGe => b"-ge",
                CondOp::NewerThan => b"-nt",
                CondOp::OlderThan => b"-ot",
                CondOp::SameFile => b"-ef",
            };
            let line = [b"[[ ", &*trace_operand(left), b" ", text, b" ", right, b" ]]"].concat();
            self.write_trace(&line);
        }
    }

    pub(crate) fn tracing_condition(&self, _e: &CondExpr) -> bool {
        self.opts.has(flag::XTRACE)
    }
}

fn trace_operand(text: &[u8]) -> Vec<u8> {
    if text.is_empty() {
        b"''".to_vec()
    } else if needs_quotes(text) {
        quote_single(text)
    } else {
        text.to_vec()
    }
}
