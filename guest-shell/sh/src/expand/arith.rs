//! Arithmetic over the shell's variables.

use crate::options::{Shopt, flag};
use crate::shell::{Flow, Run, Shell};
use crate::text;
use crate::variables::access::Key as ShellKey;
use crate::variables::{Name, Value, attr};
use sandshell_syntax::arith::{self, ArithError, Fetched, Key, plain_integer};
use sandshell_syntax::ast::{Arith, ArithPlan, Subscript, Word, WordPart};
use sandshell_syntax::name::is_name_byte;
use std::borrow::Cow;

/// How deeply evaluations may be nested when variables contain expressions.
const MAX_DEPTH: u32 = 1024;

/// The depth that the expansion of a subscript counts for.
const KEY_DEPTH: u32 = 8;

struct Vars<'s> {
    shell: &'s mut Shell,
    flow: Option<Flow>,
    /// The command that error messages name.
    command: Option<&'s [u8]>,
}

impl<'s> Vars<'s> {
    fn new(shell: &'s mut Shell, command: Option<&'s [u8]>) -> Self {
        Self { shell, flow: None, command }
    }

    fn reported(&mut self, flow: Flow) -> ArithError {
        self.flow = Some(flow);
        ArithError::Reported
    }

    fn unbound(&mut self, name: Name) -> ArithError {
        let flow = self.shell.refuse_unset(&name.bytes());
        self.reported(flow)
    }

    // Assigns a number to a nameref without a target. No number is a valid name: that is reported, and the evaluation
    // continues.
    fn set_reference(&mut self, name: Name, value: i64) -> Result<(), ArithError> {
        let (builtin, status) = (self.shell.builtin, self.shell.status);
        if self.command == Some(b"((") {
            self.shell.builtin = Some("((");
        }
        let assigned = self.shell.assign(name, &text::number(value), false);
        self.shell.builtin = builtin;
        match assigned {
            Ok(()) | Err(Flow::Discard) => {
                self.shell.status = status;
                Ok(())
            }
            Err(flow) => Err(self.reported(flow)),
        }
    }

    // After the message, the element counts as unset. Under `set -e` the shell ends.
    fn bad_subscript(&mut self, shown: &[u8]) -> Result<(), ArithError> {
        let status = self.shell.status;
        match self.shell.expansion_error([shown, b": bad array subscript"].concat()) {
            Flow::Discard => {
                self.shell.status = status;
                Ok(())
            }
            flow => Err(self.reported(flow)),
        }
    }
}

fn fetched(value: &[u8]) -> Fetched {
    match plain_integer(value) {
        Some(n) => Fetched::Int(n),
        None if value.is_empty() => Fetched::Unset,
        None => Fetched::Text(value.into()),
    }
}

fn key(key: Key<'_>) -> ShellKey {
    match key {
        Key::Index(n) => ShellKey::Index(n),
        Key::Text(t) => ShellKey::Text(t.to_vec()),
    }
}

impl arith::Variables for Vars<'_> {
    fn get(&mut self, name: Name) -> Result<Fetched, ArithError> {
        if let Some(v) = self.shell.vars.get(name)
            && v.attrs & (attr::NAMEREF | attr::INVISIBLE) == 0
            && let Value::Str(s) = &v.value
        {
            return Ok(fetched(s));
        }
        if let Some(v) = self.shell.value(name) {
            return Ok(fetched(&v));
        }
        if self.shell.opts.has(flag::NOUNSET) {
            return Err(self.unbound(name));
        }
        Ok(Fetched::Unset)
    }

    fn set(&mut self, name: Name, value: i64) -> Result<(), ArithError> {
        if let Some(v) = self.shell.vars.get_mut(name)
            && v.attrs & !(attr::INVISIBLE | attr::INTEGER | attr::TEMPORARY | attr::LOCAL) == 0
            && let Value::Str(s) = &mut v.value
            && !self.shell.opts.has(flag::ALLEXPORT)
        {
            s.clear();
            text::push_number(s, value);
            v.attrs &= !attr::INVISIBLE;
            return Ok(());
        }
        if self.shell.is_unbound_nameref(name) {
            return self.set_reference(name, value);
        }
        self.shell.assign(name, &text::number(value), false).map_err(|f| self.reported(f))
    }

    fn is_associative(&mut self, name: Name) -> bool {
        let (name, _) = self.shell.resolve_nameref(name);
        self.shell.is_assoc(name)
    }

    fn expand_key(&mut self, text: &[u8]) -> Result<Option<Vec<u8>>, ArithError> {
        // The expansion may evaluate this same expression again, and needs more stack than an evaluation.
        if self.shell.arith_depth + KEY_DEPTH > MAX_DEPTH {
            return Ok(None);
        }
        self.shell.arith_depth += KEY_DEPTH;
        let key = self.shell.expand_key_text(text);
        self.shell.arith_depth -= KEY_DEPTH;
        key.map(Some).map_err(|f| self.reported(f))
    }

    fn get_element(&mut self, name: Name, k: Key<'_>) -> Result<Fetched, ArithError> {
        let (target, _) = self.shell.resolve_nameref(name);
        let k = key(k);
        if let ShellKey::Index(i) = k
            && i < 0
            && !self.shell.is_element_in_range(target, i)
        {
            return self.bad_subscript(&name.bytes()).map(|()| Fetched::Unset);
        }
        if let Some(v) = self.shell.element(target, &k) {
            return Ok(fetched(&v));
        }
        // In an existing array, a missing element is not an error.
        if self.shell.opts.has(flag::NOUNSET)
            && self.shell.variable(target).is_none_or(|v| v.has(attr::INVISIBLE))
        {
            return Err(self.unbound(name));
        }
        Ok(Fetched::Unset)
    }

    fn failed_subscript(&mut self, message: Vec<u8>) -> ArithError {
        self.shell.error(message);
        let flow = self.shell.give_up();
        self.reported(flow)
    }

    fn empty_subscript(&mut self, name: Name) -> Result<(), ArithError> {
        let shown = [&*name.bytes(), b"[]"].concat();
        self.bad_subscript(&shown)?;
        self.bad_subscript(&shown)
    }

    // Reports `name[]`. The evaluation continues as if the assignment had been made.
    fn set_nothing(&mut self, name: Name) -> Result<(), ArithError> {
        let command = self.command.map_or_else(Vec::new, |c| [c, b": "].concat());
        let message = [&*command, b"`", &*name.bytes(), b"[]': not a valid identifier"].concat();
        let status = self.shell.status;
        match self.shell.expansion_error(message) {
            Flow::Discard => {
                self.shell.status = status;
                Ok(())
            }
            flow => Err(self.reported(flow)),
        }
    }

    fn set_element(&mut self, name: Name, k: Key<'_>, value: i64) -> Result<(), ArithError> {
        self.shell.assign_element(name, &key(k), &text::number(value), false).map_err(|f| self.reported(f))
    }
}

impl Shell {
    fn finish_arith(
        &mut self,
        result: Result<i64, ArithError>,
        flow: Option<Flow>,
        command: Option<&[u8]>,
    ) -> Run<i64> {
        match result {
            Ok(n) => Ok(n),
            Err(ArithError::Reported) => {
                if self.status == 0 {
                    self.status = 1;
                }
                Err(flow.unwrap_or(Flow::Discard))
            }
            Err(ArithError::Message(m)) => {
                match command {
                    Some(c) => self.error([c, b": ", &m].concat()),
                    None => self.error(m),
                }
                self.status = 1;
                Err(Flow::Discard)
            }
        }
    }

    /// Evaluates parsed arithmetic.
    ///
    /// # Errors
    /// `Discard`, after a message.
    pub(crate) fn arith(&mut self, a: &Arith) -> Run<i64> {
        self.arith_in(a, None)
    }

    /// As [`arith`](Self::arith), with a command (`((`, `let`) that error messages name.
    pub(crate) fn arith_in(&mut self, a: &Arith, command: Option<&[u8]>) -> Run<i64> {
        match &a.plan {
            ArithPlan::Tree(expr) => {
                let mut vars = Vars::new(self, command);
                let result = arith::evaluate_tree(expr, &[], &mut vars);
                let flow = vars.flow;
                self.finish_arith(result, flow, command)
            }
            ArithPlan::Slots { parts, expr, pieces } => {
                let mut slots = Vec::with_capacity(parts.len());
                let mut texts: Option<Vec<Vec<u8>>> = None;
                for (i, part) in parts.iter().enumerate() {
                    let value = self.expand_quoted(std::slice::from_ref(part))?;
                    match (&mut texts, plain_integer(&value)) {
                        (None, Some(n)) => slots.push(n),
                        (None, None) => {
                            let mut list: Vec<Vec<u8>> = slots.iter().map(|n| text::number(*n)).collect();
                            list.push(value);
                            texts = Some(list);
                        }
                        (Some(list), _) => list.push(value),
                    }
                    debug_assert!(i < parts.len());
                }
                if let Some(texts) = texts {
                    let mut whole = ArithText::default();
                    for (i, piece) in pieces.iter().enumerate() {
                        whole.literal(piece);
                        if let (Some(t), Some(part)) = (texts.get(i), parts.get(i)) {
                            whole.expansion(t, part);
                        }
                    }
                    return self.arith_evaluate(&whole.text, command);
                }
                let mut vars = Vars::new(self, command);
                let result = arith::evaluate_tree(expr, &slots, &mut vars);
                let flow = vars.flow;
                self.finish_arith(result, flow, command)
            }
            ArithPlan::Text => {
                let text = self.arith_source(a)?;
                self.arith_evaluate(&text, command)
            }
        }
    }

    // The text to evaluate, after its expansions.
    fn arith_source(&mut self, a: &Arith) -> Run<Vec<u8>> {
        let mut whole = ArithText::default();
        for part in &a.word.parts {
            let value = self.expand_quoted(std::slice::from_ref(part))?;
            match part {
                WordPart::Literal(_) | WordPart::Quoted(_) | WordPart::DoubleQuoted(_) => {
                    whole.literal(&value)
                }
                _ => whole.expansion(&value, part),
            }
        }
        Ok(whole.text)
    }

    /// Expands arithmetic that is evaluated later. `None` if it contains no expansions.
    pub(crate) fn expand_arith(&mut self, a: &Arith) -> Run<Option<Vec<u8>>> {
        if matches!(a.plan, ArithPlan::Tree(_)) { Ok(None) } else { self.arith_source(a).map(Some) }
    }

    /// Expands an arithmetic operand of `[[ ]]`. Keys that result from expansions are not expanded again.
    pub(crate) fn arith_operand(&mut self, word: &Word) -> Run<Vec<u8>> {
        if !word.source.contains(&b'[') {
            return Ok(self.expand_text(word)?.into_vec());
        }
        let mut whole = ArithText::default();
        self.add_operand(&word.parts, &mut whole)?;
        Ok(whole.text)
    }

    fn add_operand(&mut self, parts: &[WordPart], whole: &mut ArithText) -> Run {
        for part in parts {
            match part {
                WordPart::DoubleQuoted(inner) => self.add_operand(inner, whole)?,
                WordPart::Literal(text) | WordPart::Quoted(text) => whole.literal(text),
                _ => {
                    let value = self.expand_quoted(std::slice::from_ref(part))?;
                    whole.expansion(&value, part);
                }
            }
        }
        Ok(())
    }

    /// Evaluates text that has been expanded.
    pub(crate) fn arith_evaluate(&mut self, source: &[u8], command: Option<&[u8]>) -> Run<i64> {
        if let Some(n) = plain_integer(source) {
            return Ok(n);
        }
        if self.arith_depth >= MAX_DEPTH {
            self.error([source.trim_ascii_start(), b": expression recursion level exceeded"].concat());
            self.status = 1;
            return Err(Flow::Discard);
        }
        self.arith_depth += 1;
        let mut vars = Vars::new(self, command);
        let result = arith::evaluate(source, &mut vars);
        let flow = vars.flow;
        self.arith_depth -= 1;
        self.finish_arith(result, flow, command)
    }

    /// Evaluates the text of a variable or a builtin's argument.
    pub(crate) fn arith_text(&mut self, source: &[u8]) -> Run<i64> {
        self.arith_evaluate(source, None)
    }

    /// Prepares an argument of `let`. With `assoc_expand_once`, keys up to the first bracket are not expanded again.
    pub(crate) fn let_argument<'t>(&mut self, source: &'t [u8]) -> Cow<'t, [u8]> {
        if !self.opts.shopt(Shopt::assoc_expand_once) || !source.contains(&b'[') {
            return Cow::Borrowed(source);
        }
        let mut text = Vec::with_capacity(source.len());
        let mut rest = source;
        while let Some(open) = rest.iter().position(|b| *b == b'[') {
            let (before, after) = rest.split_at(open + 1);
            text.extend_from_slice(before);
            let word = before.get(..open).unwrap_or_default();
            let start = word.iter().rposition(|b| !is_name_byte(*b)).map_or(0, |at| at + 1);
            let name = word.get(start..).and_then(Name::existing);
            let length = match name.map(|name| self.resolve_nameref(name).0) {
                Some(name) if self.is_assoc(name) => after.iter().position(|b| *b == b']').unwrap_or(0),
                _ => 0,
            };
            let (key, after) = after.split_at(length);
            push_quoted(key, &mut text);
            rest = after;
        }
        text.extend_from_slice(rest);
        Cow::Owned(text)
    }

    /// Expands the text of an associative array's key, as in double quotes.
    pub(crate) fn expand_key_text(&mut self, source: &[u8]) -> Run<Vec<u8>> {
        if !source.iter().any(|b| matches!(b, b'$' | b'`' | b'\\' | b'"' | b'\'')) {
            return Ok(source.to_vec());
        }
        let line = self.line;
        let word = {
            let mut host = crate::exec::input::TextHost { shell: self };
            sandshell_syntax::parser::parse_word_text(source, line, &mut host)
        };
        match word {
            Ok(word) => self.expand_mode(&word, super::Mode::Text),
            Err(_) => Ok(source.to_vec()),
        }
    }

    /// Evaluates a subscript for an array.
    pub(crate) fn subscript_key(&mut self, name: Name, a: &Arith) -> Run<ShellKey> {
        let (target, _) = self.resolve_nameref(name);
        if self.is_assoc(target) {
            if let Some(text) = &a.word.literal {
                return Ok(ShellKey::Text(text.to_vec()));
            }
            return Ok(ShellKey::Text(self.expand_mode(&a.word, super::Mode::Text)?));
        }
        if a.word.parts.iter().any(|p| matches!(p, WordPart::Quoted(_))) {
            // In arithmetic, only double quotes are special.
            let index = self.arith_expanded(&a.source);
            return self.index(index);
        }
        let index = self.arith(a);
        self.index(index)
    }

    /// The key for an evaluated index. An error in it abandons more than the command.
    pub(crate) fn index(&mut self, evaluated: Run<i64>) -> Run<ShellKey> {
        match evaluated {
            Ok(index) => Ok(ShellKey::Index(index)),
            Err(Flow::Discard) => Err(self.give_up()),
            Err(flow) => Err(flow),
        }
    }

    /// Expands text as in double quotes, removes those, and evaluates it.
    pub(crate) fn arith_expanded(&mut self, source: &[u8]) -> Run<i64> {
        let line = self.line;
        let mut host = crate::exec::input::TextHost { shell: self };
        match sandshell_syntax::parser::parse_arith(source, line, &mut host) {
            Ok(a) => self.arith(&a),
            Err(_) => self.arith_evaluate(source, None),
        }
    }

    /// The key of a subscript that is not `@` or `*`.
    pub(crate) fn plain_subscript(&mut self, name: Name, s: &Subscript) -> Run<Option<ShellKey>> {
        match s {
            Subscript::Index(a) => self.subscript_key(name, a).map(Some),
            Subscript::At | Subscript::Star => Ok(None),
        }
    }
}

// Appends text so that it stays literal in a key.
fn push_quoted(text: &[u8], out: &mut Vec<u8>) {
    for byte in text {
        if matches!(byte, b'$' | b'`' | b'"' | b'\'' | b'\\' | b'[' | b']') {
            out.push(b'\\');
        }
        out.push(*byte);
    }
}

/// Expanded arithmetic text. Keys of associative arrays are expanded once more on use, so text inside brackets is
/// escaped.
#[derive(Default)]
struct ArithText {
    text: Vec<u8>,
    brackets: u32,
    quote: Option<u8>,
}

impl ArithText {
    fn literal(&mut self, text: &[u8]) {
        for byte in text {
            match (byte, self.quote) {
                (b'[', None) => self.brackets += 1,
                (b']', None) => self.brackets = self.brackets.saturating_sub(1),
                (b'\'', None) if self.brackets > 0 => self.quote = Some(b'\''),
                (b'\'', Some(_)) => self.quote = None,
                _ => {}
            }
        }
        self.text.extend_from_slice(text);
    }

    fn expansion(&mut self, value: &[u8], part: &WordPart) {
        match part {
            _ if self.brackets == 0 => self.text.extend_from_slice(value),
            WordPart::Param(p) if self.quote.is_some() => self.text.extend_from_slice(&p.source),
            _ => push_quoted(value, &mut self.text),
        }
    }
}
