//! Parameter expansion.

use super::{Builder, Mode};
use crate::options::{Shopt, flag};
use crate::shell::{Flow, Run, Shell};
use crate::text;
use crate::variables::access::Key;
use crate::variables::{Name, Value, Variable, attr};
use sandshell_syntax::ast::{
    CaseMode, Param, ParamExpansion, ParamOp, ParamTest, PatternWord, ReplaceMode, Subscript, WordPart,
};
use sandshell_syntax::name::is_name;
use sandshell_syntax::parser::{SyntaxError, SyntaxErrorKind};
use sandshell_syntax::pattern::{Pattern, PatternOptions};
use std::rc::Rc;

/// A parameter with its subscript evaluated.
#[derive(Clone, Debug)]
pub(crate) enum Target {
    Variable(Name),
    Element(Name, Key),
    /// `a[@]` or `a[*]` (`star`).
    Array(Name, bool),
    /// The same, joined to one text: what `${ref}` gives for a nameref to it.
    Joined(Name, bool),
    Positional(usize),
    Special(u8),
}

// What `${ref}` stands for if the nameref has a subscript.
enum ElementReference {
    To(Target),
    Nothing(Fetch),
}

/// A parameter whose value is tested.
struct Tested<'a> {
    target: &'a Target,
    label: &'a [u8],
    fetch: Fetch,
}

/// The value of a parameter.
#[derive(Clone, Debug)]
pub(crate) enum Fetch {
    Unset,
    One(Vec<u8>),
    Many(Vec<Vec<u8>>, bool),
}

impl Fetch {
    fn is_unset(&self) -> bool {
        match self {
            Self::Unset => true,
            Self::One(_) => false,
            Self::Many(list, _) => list.is_empty(),
        }
    }

    fn is_null(&self) -> bool {
        match self {
            Self::Unset => true,
            Self::One(v) => v.is_empty(),
            Self::Many(list, _) => match list.as_slice() {
                [] => true,
                [one] => one.is_empty(),
                _ => false,
            },
        }
    }

    // Whether it is unset, an empty text or an empty list.
    fn is_nothing(&self) -> bool {
        matches!(self, Self::One(v) if v.is_empty()) || self.is_unset()
    }

    fn joined_with_blanks(self, blanks: bool) -> Self {
        match self {
            Self::Many(list, _) if blanks => Self::Many(list, false),
            other => other,
        }
    }

    fn one_text(self) -> Self {
        match self {
            Self::Many(list, _) => Self::One(list.join(&b' ')),
            other => other,
        }
    }

    fn map(self, mut f: impl FnMut(&[u8]) -> Vec<u8>) -> Self {
        match self {
            Self::Unset => Self::Unset,
            Self::One(v) => Self::One(f(&v)),
            Self::Many(list, star) => Self::Many(list.iter().map(|v| f(v)).collect(), star),
        }
    }
}

impl Shell {
    /// Handles an expansion error that ends the shell, unless it is interactive.
    pub(crate) fn fatal_expansion(&mut self) -> Flow {
        if self.opts.interactive {
            self.status = 1;
            return Flow::Discard;
        }
        let errexit = self.opts.has(flag::ERREXIT);
        self.status = if self.ends_command_string() && !errexit { 127 } else { 1 };
        Flow::Exit
    }

    /// Whether a fatal error gives status 127, as in a `-c` text outside of subshells.
    pub(crate) fn ends_command_string(&self) -> bool {
        self.opts.command_string && (!self.in_child || self.plain_child)
    }

    pub(crate) fn refuse_unset(&mut self, name: &[u8]) -> Flow {
        self.error([name, b": unbound variable"].concat());
        self.fatal_expansion()
    }

    /// Expands one parameter expansion into a builder.
    pub(crate) fn expand_param(&mut self, p: &ParamExpansion, quoted: bool, b: &mut Builder<'_>) -> Run {
        if matches!(p.op, ParamOp::Value) && !p.indirect {
            match &p.param {
                Param::Variable(name) => {
                    if let Some(v) = self.vars.get(*name)
                        && !v.has(attr::NAMEREF)
                        && let Some(v) = v.get()
                    {
                        if quoted {
                            b.quoted(v);
                        } else {
                            b.split(v, &self.ifs);
                        }
                        return Ok(());
                    }
                }
                Param::Positional(n) => {
                    if let Some(v) = self.args.get(*n as usize - 1) {
                        if quoted {
                            b.quoted(v);
                        } else {
                            b.split(v, &self.ifs);
                        }
                        return Ok(());
                    }
                }
                _ => {}
            }
        }
        self.expand_param_slow(p, quoted, b)
    }

    fn expand_param_slow(&mut self, p: &ParamExpansion, quoted: bool, b: &mut Builder<'_>) -> Run {
        if self.expand_without_value(p, quoted, b)? {
            return Ok(());
        }
        let mut label = source_name(&p.param);
        let mut target = self.target(&p.param)?;
        if !p.indirect
            && p.source.starts_with(b"${")
            && let Some(reference) = self.element_reference(&p.param, &p.op)
        {
            match reference {
                ElementReference::To(referred) => target = referred,
                ElementReference::Nothing(fetch) => {
                    self.emit(fetch, quoted, b);
                    return Ok(());
                }
            }
        }
        let referred = if p.indirect { self.follow(&mut target, &mut label)? } else { None };
        if matches!(p.op, ParamOp::Length)
            && referred.is_none()
            && let Some(length) = self.length(&target, &label)?
        {
            self.emit(Fetch::One(text::number(i64::try_from(length).unwrap_or(i64::MAX))), quoted, b);
            return Ok(());
        }
        self.draw_ahead(&target, &p.op);
        let fetch = if let ParamOp::Slice { offset, length } = &p.op {
            self.slice(&target, &label, offset, length.as_ref())?
        } else {
            let fetch = match referred {
                Some(name) => Fetch::One(name),
                None => self.fetch(&target)?,
            };
            match &p.op {
                ParamOp::Test { test, colon, word } => {
                    let tested = Tested { target: &target, label: &label, fetch };
                    match self.test(tested, *test, *colon, word, quoted, b)? {
                        Some(fetch) => fetch,
                        None => return Ok(()),
                    }
                }
                op => {
                    self.check_set(p, &target, label, &fetch)?;
                    self.apply(op, &target, fetch, p)?
                }
            }
        };
        self.emit_result(p, &target, fetch, quoted, b);
        Ok(())
    }

    /// Expands what does not depend on a value, and reports what bash reports only now. Returns whether it is done.
    fn expand_without_value(&mut self, p: &ParamExpansion, quoted: bool, b: &mut Builder<'_>) -> Run<bool> {
        match &p.op {
            ParamOp::Bad => {
                let flow = self.expansion_error([&*p.source, b": bad substitution"].concat());
                return Err(if flow == Flow::Discard && self.posix() {
                    self.end_posix_shell()
                } else {
                    flow
                });
            }
            ParamOp::Unclosed(close) => {
                let close: &[u8] = if *close == b'`' { b"\"`\"" } else { &[b'`', *close, b'\''] };
                let message = [b"bad substitution: no closing ", close, b" in ", &p.source].concat();
                return Err(self.expansion_error(message));
            }
            ParamOp::BadCommands(lines) => {
                let kind = SyntaxErrorKind::Substitution;
                let error = SyntaxError { lines: lines.to_vec(), incomplete: false, kind };
                self.report_syntax_error(&error, b"command substitution: ")?;
                self.status = 1;
                return Err(Flow::Discard);
            }
            ParamOp::NamesWithPrefix { prefix, star } => {
                let names = self.names_with_prefix(prefix);
                let fetch = match (*star, self.ifs.empty) {
                    // Without separators, the names are joined to one word even where elements would stay separate.
                    (true, true) if !quoted => Fetch::One(names.concat()),
                    (star, _) => Fetch::Many(names, star && !b.here_document),
                };
                self.emit(fetch, quoted, b);
                return Ok(true);
            }
            ParamOp::Keys => {
                let fetch = match self.keys(&p.param)?.joined_with_blanks(b.here_document) {
                    // Without separators, the keys are joined to one word. Where fields are built, they have blanks
                    // between them.
                    Fetch::Many(keys, true) if !quoted && self.ifs.empty && b.mode == Mode::Fields => {
                        Fetch::One(keys.join(&b' '))
                    }
                    fetch => fetch,
                };
                self.emit(fetch, quoted, b);
                return Ok(true);
            }
            _ => {}
        }
        if let (ParamOp::Length, Param::Element(name, subscript)) = (&p.op, &p.param)
            && matches!(**subscript, Subscript::Index(_))
            && !p.indirect
            && !self.opts.has(flag::NOUNSET)
        {
            // The subscript of a missing variable is not evaluated.
            let (base, _) = self.resolve_nameref(*name);
            if self.variable(base).is_none() {
                self.emit(Fetch::One(b"0".to_vec()), quoted, b);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Replaces the target of `${!x}` by the one that it names. Returns the name that a nameref refers to: `${!ref}` is
    /// that.
    fn follow(&mut self, target: &mut Target, label: &mut Vec<u8>) -> Run<Option<Vec<u8>>> {
        if let Some((t, l)) = self.indirect(target, label)? {
            (*target, *label) = (t, l);
            return Ok(None);
        }
        let Target::Variable(name) = *target else { return Ok(None) };
        if !self.vars.get(name).is_some_and(|v| v.has(attr::NAMEREF)) {
            return Ok(None);
        }
        let (last, subscript) = self.resolve_nameref(name);
        if last == name && subscript.is_none() {
            return Err(self.invalid_indirect(label));
        }
        let subscript = subscript.map_or_else(Vec::new, |s| [b"[", &*s, b"]"].concat());
        Ok(Some([&*last.bytes(), &*subscript].concat()))
    }

    /// The length of elements that are not there, and of arrays. `None`: it is that of a value.
    fn length(&mut self, target: &Target, label: &[u8]) -> Run<Option<usize>> {
        if let Target::Element(name, Key::Index(i)) = target
            && *i < 0
            && !self.is_element_in_range(*name, *i)
        {
            let (base, _) = self.resolve_nameref(*name);
            let visible = self.variable(base).is_some_and(|v| !v.has(attr::INVISIBLE));
            if !visible && !self.opts.has(flag::NOUNSET) {
                return Ok(Some(0));
            }
            let shown = label.iter().position(|b| *b == b'[').and_then(|open| label.get(open + 1..));
            let message = [shown.unwrap_or_default(), b": bad array subscript"].concat();
            return Err(self.expansion_error(message));
        }
        if let Target::Element(_, Key::Text(key)) = target
            && key.is_empty()
        {
            // In this case there is no message.
            return Ok(Some(0));
        }
        if let Target::Array(name, _) = target {
            let (base, _) = self.resolve_nameref(*name);
            let is_set = self.variable(base).is_some_and(|v| !v.has(attr::INVISIBLE) && v.is_array());
            if self.opts.has(flag::NOUNSET) && !is_set {
                let flow = self.refuse_unset(&name.bytes());
                self.status = 1;
                return Err(flow);
            }
            return Ok(Some(self.count_elements(*name)));
        }
        Ok(None)
    }

    /// `${x:-word}` and similar operations. Returns `None` if the result has been added.
    fn test(
        &mut self,
        tested: Tested<'_>,
        test: ParamTest,
        colon: bool,
        word: &sandshell_syntax::ast::Word,
        quoted: bool,
        b: &mut Builder<'_>,
    ) -> Run<Option<Fetch>> {
        let Tested { target, label, fetch } = tested;
        let missing = match &fetch {
            // In quotes, the list is one text, which can be empty.
            Fetch::Many(list, true) if colon && quoted && self.ifs.join.is_empty() => {
                list.iter().all(Vec::is_empty)
            }
            _ if colon => fetch.is_null(),
            _ => fetch.is_unset(),
        };
        match (test, missing) {
            (ParamTest::Alternate, false) | (ParamTest::Default, true) => {
                self.expand_default(word, quoted, b)?;
                Ok(None)
            }
            (ParamTest::Alternate, true) => {
                // As for `"$@"` without parameters, the quotes do not make a field.
                if quoted && matches!(&fetch, Fetch::Many(list, false) if list.is_empty()) {
                    b.empty_list = true;
                }
                Ok(None)
            }
            (_, false) => Ok(Some(fetch)),
            (ParamTest::Assign, true) => {
                let value = self.expand_default_text(word, quoted)?;
                self.assign_default(target, label, &value)
                    .map_err(|flow| self.failed_default(flow, target))?;
                self.fetch(target).map(Some)
            }
            (ParamTest::Error, true) => Err(self.missing_parameter(label, colon, word)?),
        }
    }

    /// Reports an unset parameter, if that is an error.
    fn check_set(&mut self, p: &ParamExpansion, target: &Target, label: Vec<u8>, fetch: &Fetch) -> Run {
        // An array with elements has attributes, even without element 0.
        let described = matches!(p.op, ParamOp::Transform(b'a'))
            && matches!(&target, Target::Variable(name)
                if self.vars.get(*name).is_some_and(Variable::has_elements));
        if self.opts.has(flag::NOUNSET)
            && matches!(fetch, Fetch::Unset)
            && !described
            && (p.source.starts_with(b"${") || !self.refers_to_element(target))
        {
            let name = match p.param {
                _ if p.indirect => [b"!", &*source_name(&p.param)].concat(),
                Param::Positional(_) | Param::Special(b'!') if !p.source.starts_with(b"${") => {
                    [b"$", &*label].concat()
                }
                Param::Element(name, _) if matches!(p.op, ParamOp::Length) => name.bytes().to_vec(),
                _ => label,
            };
            return Err(self.refuse_unset(&name));
        }
        Ok(())
    }

    /// Adds the result of an operation.
    fn emit_result(
        &mut self,
        p: &ParamExpansion,
        target: &Target,
        fetch: Fetch,
        quoted: bool,
        b: &mut Builder<'_>,
    ) {
        self.draw_after(target, &p.op);
        let plain_array =
            matches!((&p.op, &target), (ParamOp::Value | ParamOp::Test { .. }, Target::Array(..)));
        let mut fetch = fetch.joined_with_blanks(b.here_document && !plain_array);
        if let Fetch::Many(_, star) = &mut fetch
            && !quoted
            && matches!(b.mode, Mode::Text)
            && matches!(
                p.op,
                ParamOp::RemovePrefix { .. } | ParamOp::RemoveSuffix { .. } | ParamOp::Transform(_)
            )
        {
            // In an assignment, bash joins the elements of `${a[@]#x}` like those of `${a[*]#x}`.
            *star = true;
        }
        if matches!((&p.op, &fetch), (ParamOp::Transform(b'A'), Fetch::Many(_, true))) {
            // The words of `declare -a a=(...)`.
            self.emit(fetch.one_text(), quoted, b);
            return;
        }
        self.emit(fetch, quoted, b);
    }

    // Draws additional numbers from RANDOM. bash computes its elements twice, and its length and changed values up to
    // three times. With the same seed, this gives the same numbers.
    fn draw_ahead(&mut self, target: &Target, op: &ParamOp) {
        if let Target::Element(name, _) | Target::Array(name, _) = target
            && !matches!(op, ParamOp::Length)
            && &*name.bytes() == b"RANDOM"
        {
            let _ = self.value(*name);
        }
    }

    fn draw_after(&mut self, target: &Target, op: &ParamOp) {
        let Target::Variable(name) = target else { return };
        if &*name.bytes() != b"RANDOM" {
            return;
        }
        let more = match op {
            ParamOp::Value | ParamOp::Test { .. } => 0,
            ParamOp::Length => 1,
            _ => 2,
        };
        for _ in 0..more {
            let _ = self.value(*name);
        }
    }

    // Whether the target is a nameref to an array element.
    fn refers_to_element(&mut self, target: &Target) -> bool {
        matches!(target, Target::Variable(name) if self.resolve_nameref(*name).1.is_some())
    }

    fn expand_default_text(&mut self, word: &sandshell_syntax::ast::Word, quoted: bool) -> Run<Vec<u8>> {
        let mut b = Builder::single(Mode::Text);
        self.expand_parts(&word.parts, quoted, &mut b)?;
        Ok(b.into_text())
    }

    fn missing_parameter(
        &mut self,
        label: &[u8],
        colon: bool,
        word: &sandshell_syntax::ast::Word,
    ) -> Run<Flow> {
        let text = self.expand_default_text(word, false)?;
        if !word.source.is_empty() {
            self.error([label, b": ", &text].concat());
        } else if colon {
            self.error([label, b": parameter null or not set"].concat());
        } else {
            self.error([label, b": parameter not set"].concat());
        }
        Ok(self.fatal_expansion())
    }

    // A failed assignment of a default has status 2, unless the context makes it 1.
    fn failed_default(&mut self, flow: Flow, target: &Target) -> Flow {
        if flow == Flow::Discard && !matches!(target, Target::Positional(_) | Target::Special(_)) {
            self.status = 2;
        }
        flow
    }

    fn assign_default(&mut self, target: &Target, label: &[u8], value: &[u8]) -> Run {
        match target {
            Target::Variable(name) => self.assign(*name, value, false),
            Target::Element(_, Key::Text(key)) if key.is_empty() => {
                Err(self.expansion_error([label, b": bad array subscript"].concat()))
            }
            Target::Element(name, key) => self.assign_element(*name, key, value, false),
            Target::Array(name, star) | Target::Joined(name, star) => {
                let (base, _) = self.resolve_nameref(*name);
                if self.is_assoc(base) {
                    let key = if *star { b"*" } else { b"@" };
                    return self.assign_element(base, &Key::Text(key.to_vec()), value, false);
                }
                let s: &[u8] = if *star { b"[*]" } else { b"[@]" };
                Err(self.expansion_error([&*name.bytes(), s, b": bad array subscript"].concat()))
            }
            Target::Positional(_) | Target::Special(_) => {
                Err(self.expansion_error([b"$", label, b": cannot assign in this way"].concat()))
            }
        }
    }

    // Evaluates a parameter's subscript.
    fn target(&mut self, param: &Param) -> Run<Target> {
        Ok(match param {
            Param::Variable(name) => Target::Variable(*name),
            Param::Positional(n) => Target::Positional(*n as usize),
            Param::Special(c) => Target::Special(*c),
            Param::Element(name, subscript) => match &**subscript {
                Subscript::At => Target::Array(*name, false),
                Subscript::Star => Target::Array(*name, true),
                Subscript::Index(a) => {
                    let key = self.subscript_key(*name, a)?;
                    Target::Element(*name, key)
                }
            },
        })
    }

    fn invalid_indirect(&mut self, label: &[u8]) -> Flow {
        self.expansion_error([label, b": invalid indirect expansion"].concat())
    }

    // The parameter that the value of another one names (`${!x}`). `None` for a nameref.
    fn indirect(&mut self, target: &Target, label: &[u8]) -> Run<Option<(Target, Vec<u8>)>> {
        if let Target::Variable(name) = target
            && self.vars.get(*name).is_some_and(|v| v.has(attr::NAMEREF))
        {
            return Ok(None);
        }
        let value = match self.fetch(target)? {
            // These are not an error: they give the same as an empty list.
            Fetch::Unset if matches!(target, Target::Positional(_)) => return Ok(None),
            Fetch::Unset
                if matches!(target, Target::Element(name, _) if {
                    let (base, _) = self.resolve_nameref(*name);
                    self.variable(base).is_some()
                }) =>
            {
                return Ok(None);
            }
            // An array without element 0 is not unset either.
            Fetch::Unset
                if matches!(target, Target::Variable(name)
                    if self.vars.get(*name).is_some_and(|v| v.is_array() && !v.has(attr::INVISIBLE))) =>
            {
                return Ok(None);
            }
            Fetch::Unset => return Err(self.invalid_indirect(label)),
            Fetch::One(v) => v,
            Fetch::Many(list, _) if list.is_empty() => return Ok(None),
            Fetch::Many(list, _) => list.join(&b' '),
        };
        match self.parse_parameter(&value)? {
            Some(t) => Ok(Some((t, value))),
            None => Err(self.expansion_error([&*value, b": invalid variable name"].concat())),
        }
    }

    /// Parses a parameter: a name, an element, a number or a special character.
    pub(crate) fn parse_parameter(&mut self, value: &[u8]) -> Run<Option<Target>> {
        if is_name(value) {
            return Ok(Some(Target::Variable(Name::new(value))));
        }
        if text::is_digits(value) {
            return Ok(Some(match text::parse_integer(value) {
                Some(0) => Target::Special(b'0'),
                Some(n) => Target::Positional(usize::try_from(n).unwrap_or(usize::MAX)),
                None => Target::Positional(usize::MAX),
            }));
        }
        if let [c] = value
            && b"@*#?-$!".contains(c)
        {
            return Ok(Some(Target::Special(*c)));
        }
        if let Some(open) = value.iter().position(|b| *b == b'[')
            && value.ends_with(b"]")
        {
            let base = value.get(..open).unwrap_or_default();
            let subscript = value.get(open + 1..value.len() - 1).unwrap_or_default();
            if is_name(base) {
                let name = Name::new(base);
                return Ok(Some(match subscript {
                    b"@" => Target::Array(name, false),
                    b"*" => Target::Array(name, true),
                    _ => {
                        let (resolved, _) = self.resolve_nameref(name);
                        let key = self.key_from_text(resolved, subscript)?;
                        Target::Element(name, key)
                    }
                }));
            }
        }
        Ok(None)
    }

    // Whether a negative index counts back to a valid position.
    pub(crate) fn is_element_in_range(&mut self, name: Name, index: i64) -> bool {
        let (base, _) = self.resolve_nameref(name);
        match self.variable(base).as_deref().map(|v| &v.value) {
            Some(Value::Indexed(a)) => a.resolve(index).is_some(),
            Some(Value::Assoc(_)) => true,
            Some(Value::Str(_)) | None => false,
        }
    }

    // Handles `${ref…}` where `ref` refers to an element or to all elements. As in bash, it is one text, without
    // length, elements or attributes.
    fn element_reference(&mut self, param: &Param, op: &ParamOp) -> Option<ElementReference> {
        let (Param::Variable(name) | Param::Element(name, _)) = param else { return None };
        // Circular references have been warned of already.
        let last = self.vars.get(self.last_nameref(*name)).filter(|v| v.has(attr::NAMEREF));
        if !last.and_then(|v| v.get()).is_some_and(|target| target.ends_with(b"]")) {
            return None;
        }
        let (base, subscript) = self.resolve_nameref(*name);
        let subscript = subscript?;
        let nothing = |fetch| Some(ElementReference::Nothing(fetch));
        match (param, op) {
            (Param::Variable(_), ParamOp::Length) if self.opts.has(flag::NOUNSET) => {
                Some(ElementReference::To(Target::Joined(base, &*subscript == b"*")))
            }
            (_, ParamOp::Length) => nothing(Fetch::One(b"0".to_vec())),
            (Param::Element(_, subscript), ParamOp::Value) => match **subscript {
                Subscript::At => nothing(Fetch::Many(Vec::new(), false)),
                Subscript::Star | Subscript::Index(_) => nothing(Fetch::One(Vec::new())),
            },
            (Param::Variable(_), ParamOp::Transform(b'A' | b'a')) => nothing(Fetch::One(Vec::new())),
            (Param::Variable(_), _) if matches!(&*subscript, b"@" | b"*") => {
                Some(ElementReference::To(Target::Joined(base, &*subscript == b"*")))
            }
            _ => None,
        }
    }

    /// The value of a parameter.
    pub(crate) fn fetch(&mut self, target: &Target) -> Run<Fetch> {
        Ok(match target {
            Target::Variable(name) => {
                let (base, subscript) = self.resolve_nameref(*name);
                match subscript.as_deref() {
                    Some(b"@" | b"*") => {
                        let star = subscript.as_deref() == Some(b"*");
                        return self.fetch(&Target::Array(base, star));
                    }
                    Some(s) => {
                        let key = self.key_from_text(base, s)?;
                        return self.fetch(&Target::Element(base, key));
                    }
                    None => {}
                }
                self.resolved_value(base).map_or(Fetch::Unset, |v| Fetch::One(v.into_owned()))
            }
            Target::Element(name, key) => {
                let (base, _) = self.resolve_nameref(*name);
                let bad = match key {
                    Key::Index(i) => *i < 0 && !self.is_element_in_range(base, *i),
                    Key::Text(text) => text.is_empty(),
                };
                if bad {
                    let status = self.status;
                    match self.expansion_error([&*name.bytes(), b": bad array subscript"].concat()) {
                        Flow::Discard => self.status = status,
                        flow => return Err(flow),
                    }
                    return Ok(Fetch::Unset);
                }
                self.element(base, key).map_or(Fetch::Unset, |v| Fetch::One(v.into_owned()))
            }
            Target::Array(name, star) => {
                let (base, _) = self.resolve_nameref(*name);
                let list = match self.variable(base).as_deref() {
                    Some(v) if !v.has(attr::INVISIBLE) => match &v.value {
                        Value::Str(s) => vec![s.clone()],
                        Value::Indexed(a) => a.values().map(<[u8]>::to_vec).collect(),
                        Value::Assoc(a) => a.values().map(<[u8]>::to_vec).collect(),
                    },
                    _ => Vec::new(),
                };
                Fetch::Many(list, *star)
            }
            Target::Joined(name, star) => match self.fetch(&Target::Array(*name, *star))? {
                Fetch::Many(list, _) if !list.is_empty() => Fetch::One(list.join(&*self.ifs.join)),
                _ => Fetch::Unset,
            },
            Target::Positional(n) => n
                .checked_sub(1)
                .and_then(|i| self.args.get(i))
                .map_or(Fetch::Unset, |v| Fetch::One(v.to_vec())),
            Target::Special(c) => match c {
                b'@' | b'*' => Fetch::Many(self.args.iter().map(|a| a.to_vec()).collect(), *c == b'*'),
                b'#' => Fetch::One(text::number(i64::try_from(self.args.len()).unwrap_or(0))),
                b'?' => Fetch::One(text::number(self.status.into())),
                b'-' => Fetch::One(self.opts.dash()),
                b'$' => Fetch::One(text::number(self.pid.into())),
                b'!' => self.last_background.map_or(Fetch::Unset, |p| Fetch::One(text::number(p.into()))),
                _ => Fetch::One(self.arg0.clone()),
            },
        })
    }

    fn keys(&mut self, param: &Param) -> Run<Fetch> {
        let Target::Array(name, star) = self.target(param)? else { return Ok(Fetch::Unset) };
        let (base, subscript) = self.resolve_nameref(name);
        if subscript.is_some() {
            // A nameref to elements has no keys.
            return Ok(Fetch::Many(Vec::new(), star));
        }
        let list = match self.variable(base).as_deref() {
            Some(v) if !v.has(attr::INVISIBLE) => match &v.value {
                Value::Str(_) => vec![b"0".to_vec()],
                Value::Indexed(a) => a.iter().map(|(i, _)| i.to_string().into_bytes()).collect(),
                Value::Assoc(a) => a.iter().map(|(k, _)| k.to_vec()).collect(),
            },
            _ => Vec::new(),
        };
        Ok(Fetch::Many(list, star))
    }

    fn names_with_prefix(&self, prefix: &[u8]) -> Vec<Vec<u8>> {
        let mut names: Vec<Vec<u8>> = self
            .vars
            .sorted()
            .into_iter()
            .filter(|(text, name)| {
                text.starts_with(prefix) && self.vars.get(*name).is_some_and(|v| !v.has(attr::INVISIBLE))
            })
            .map(|(text, _)| text.to_vec())
            .collect();
        for d in crate::variables::dynamic::DYNAMIC {
            if d.starts_with(prefix)
                && !matches!(*d, b"FUNCNAME" | b"BASH_LOADABLES_PATH" | b"COMP_WORDBREAKS")
                && !self.dead.contains(&Name::new(d))
            {
                names.push(d.to_vec());
            }
        }
        names.sort_unstable();
        names.dedup();
        names
    }

    // Adds a value to the builder by the rules of `$@` and `$*`.
    pub(crate) fn emit(&mut self, fetch: Fetch, quoted: bool, b: &mut Builder<'_>) {
        match fetch {
            Fetch::Unset => {}
            Fetch::One(v) => {
                if quoted {
                    b.quoted(&v);
                } else {
                    b.split(&v, &self.ifs);
                }
            }
            Fetch::Many(list, star) => {
                if b.mode != Mode::Fields {
                    let join: &[u8] = if star { &self.ifs.join } else { b" " };
                    let all = list.join(join);
                    if quoted {
                        b.quoted(&all);
                    } else {
                        b.split(&all, &self.ifs);
                    }
                    return;
                }
                match (quoted, star) {
                    (true, true) => b.quoted(&list.join(&*self.ifs.join)),
                    (true, false) => {
                        if list.is_empty() {
                            b.empty_list = true;
                        }
                        for (i, v) in list.iter().enumerate() {
                            if i > 0 {
                                b.break_quoted();
                            }
                            b.quoted(v);
                            b.mark_quoted();
                        }
                    }
                    (false, false) if b.flat_lists && !self.ifs.empty => {
                        b.split(&list.join(&b' '), &self.ifs);
                    }
                    (false, _) => {
                        for (i, v) in list.iter().enumerate() {
                            if i > 0 {
                                if self.ifs.empty {
                                    b.end_field();
                                } else {
                                    let join = self.ifs.join.clone();
                                    b.split(&join, &self.ifs);
                                }
                            }
                            b.split(v, &self.ifs);
                        }
                    }
                }
            }
        }
    }

    // Applies operators that transform the value.
    fn apply(&mut self, op: &ParamOp, target: &Target, fetch: Fetch, p: &ParamExpansion) -> Run<Fetch> {
        // For an empty value the pattern is not expanded.
        let nothing = match op {
            ParamOp::RemovePrefix { .. } | ParamOp::RemoveSuffix { .. } => fetch.is_nothing(),
            ParamOp::Replace { .. } | ParamOp::Case { .. } => fetch.is_unset(),
            _ => false,
        };
        if nothing {
            return Ok(fetch);
        }
        Ok(match op {
            ParamOp::Value => fetch,
            ParamOp::Length => {
                let n = match &fetch {
                    Fetch::Unset => 0,
                    Fetch::One(v) => text::char_count(v),
                    Fetch::Many(list, _) => list.len(),
                };
                Fetch::One(text::number(i64::try_from(n).unwrap_or(i64::MAX)))
            }
            ParamOp::RemovePrefix { longest, pattern } => {
                let pattern = self.pattern(pattern, false)?;
                fetch.map(|v| match pattern.match_prefix(v, *longest) {
                    Some(n) => v.get(n..).unwrap_or_default().to_vec(),
                    None => v.to_vec(),
                })
            }
            ParamOp::RemoveSuffix { longest, pattern } => {
                let pattern = self.pattern(pattern, false)?;
                fetch.map(|v| match pattern.match_suffix(v, *longest) {
                    Some(n) => v.get(..n).unwrap_or_default().to_vec(),
                    None => v.to_vec(),
                })
            }
            ParamOp::Replace { mode, pattern, replacement } => {
                let nocase = self.opts.shopt(Shopt::nocasematch);
                let (compiled, mode) = self.anchored_pattern(pattern, *mode, nocase)?;
                let empty = compiled.literal().is_some_and(<[u8]>::is_empty);
                let replacement = self.replacement(replacement)?;
                if compiled.replaces_nothing() {
                    return Ok(fetch);
                }
                fetch.map(|v| replace(v, &compiled, empty, mode, &replacement))
            }
            ParamOp::Case { mode, all, pattern } => {
                // Extended patterns are always enabled here. A pattern that expands to nothing counts as missing.
                let options = PatternOptions { extglob: true, nocase: false };
                let compiled = match pattern {
                    Some(p) => Some(self.pattern_with(p, options)?),
                    None => None,
                };
                let bare = pattern.as_ref().is_some_and(|p| !p.word.parts.iter().any(WordPart::is_quoted));
                let compiled = compiled.as_deref().filter(|p| !bare || p.literal() != Some(b""));
                fetch.map(|v| change_case(v, *mode, *all, compiled))
            }
            ParamOp::Transform(c) => self.transform(*c, target, fetch, p)?,
            _ => fetch,
        })
    }

    /// Compiles the pattern of a word.
    pub(crate) fn pattern(&mut self, p: &PatternWord, nocase: bool) -> Run<Rc<Pattern>> {
        // Inside these words, extended patterns depend on the option, unlike in `[[`.
        let options = PatternOptions { extglob: self.opts.shopt(Shopt::extglob), nocase };
        self.pattern_with(p, options)
    }

    // The pattern of `${x/p/r}`. A leading `#` or `%` anchors it, even if it results from an expansion.
    fn anchored_pattern(
        &mut self,
        p: &PatternWord,
        mode: ReplaceMode,
        nocase: bool,
    ) -> Run<(Rc<Pattern>, ReplaceMode)> {
        if mode != ReplaceMode::First || !p.word.flags.expands {
            return Ok((self.pattern(p, nocase)?, mode));
        }
        let text = self.expand_mode(&p.word, Mode::Pattern)?;
        let (mode, text) = match text.split_first() {
            Some((b'#', rest)) => (ReplaceMode::Prefix, rest),
            Some((b'%', rest)) => (ReplaceMode::Suffix, rest),
            _ => (mode, &*text),
        };
        let options = PatternOptions { extglob: self.opts.shopt(Shopt::extglob), nocase };
        Ok((Rc::new(Pattern::new(text, options)), mode))
    }

    pub(crate) fn pattern_with(&mut self, p: &PatternWord, options: PatternOptions) -> Run<Rc<Pattern>> {
        if p.word.flags.expands || p.word.flags.tilde {
            let text = self.expand_mode(&p.word, Mode::Pattern)?;
            return Ok(Rc::new(Pattern::new(&text, options)));
        }
        let mut b = Builder::single(Mode::Pattern);
        let mut failed = None;
        let pattern = p.cache.get(options.bits(), || {
            if let Err(flow) = self.expand_parts(&p.word.parts, false, &mut b) {
                failed = Some(flow);
            }
            Pattern::new(b.text_mut(), options)
        });
        match failed {
            Some(flow) => Err(flow),
            None => Ok(pattern),
        }
    }

    fn replacement(&mut self, word: &sandshell_syntax::ast::Word) -> Run<Replacement> {
        let marked = self.expand_mode(word, Mode::Replacement)?;
        let amp = self.opts.shopt(Shopt::patsub_replacement);
        let mut pieces = vec![Vec::new()];
        let mut bytes = marked.iter().copied();
        while let Some(c) = bytes.next() {
            let push = match c {
                0 => bytes.next(),
                b'&' if amp => {
                    pieces.push(Vec::new());
                    continue;
                }
                b'\\' if amp => match bytes.clone().next() {
                    Some(n @ (b'&' | b'\\')) => {
                        bytes.next();
                        Some(n)
                    }
                    _ => Some(c),
                },
                _ => Some(c),
            };
            if let Some(last) = pieces.last_mut() {
                last.extend(push);
            }
        }
        Ok(Replacement(pieces))
    }

    // The number of elements of `name[@]`.
    fn count_elements(&mut self, name: Name) -> usize {
        let (base, _) = self.resolve_nameref(name);
        match self.variable(base).as_deref() {
            Some(v) if !v.has(attr::INVISIBLE) => match &v.value {
                Value::Str(_) => 1,
                Value::Indexed(a) => a.len(),
                Value::Assoc(a) => a.len(),
            },
            _ => 0,
        }
    }
}

/// The text of a replacement, split at the places where the match is inserted.
struct Replacement(Vec<Vec<u8>>);

impl Replacement {
    fn put(&self, matched: &[u8], out: &mut Vec<u8>) {
        for (i, piece) in self.0.iter().enumerate() {
            if i > 0 {
                out.extend_from_slice(matched);
            }
            out.extend_from_slice(piece);
        }
    }
}

fn replace(v: &[u8], pattern: &Pattern, empty: bool, mode: ReplaceMode, r: &Replacement) -> Vec<u8> {
    let mut out = Vec::with_capacity(v.len());
    match mode {
        ReplaceMode::Prefix => match if empty { Some(0) } else { pattern.match_prefix(v, true) } {
            Some(n) => {
                r.put(v.get(..n).unwrap_or_default(), &mut out);
                out.extend_from_slice(v.get(n..).unwrap_or_default());
                out
            }
            None => v.to_vec(),
        },
        ReplaceMode::Suffix => match if empty { Some(v.len()) } else { pattern.match_suffix(v, true) } {
            Some(n) => {
                out.extend_from_slice(v.get(..n).unwrap_or_default());
                r.put(v.get(n..).unwrap_or_default(), &mut out);
                out
            }
            None => v.to_vec(),
        },
        ReplaceMode::First | ReplaceMode::All => {
            if empty {
                return v.to_vec();
            }
            let mut at = 0;
            while let Some((start, end)) = pattern.find(v, at) {
                out.extend_from_slice(v.get(at..start).unwrap_or_default());
                r.put(v.get(start..end).unwrap_or_default(), &mut out);
                at = end;
                if start == end {
                    // After an empty match, one character is copied, so that the search advances.
                    let n = text::char_len(v.get(at..).unwrap_or_default());
                    out.extend_from_slice(v.get(at..at + n).unwrap_or_default());
                    at += n;
                }
                if mode == ReplaceMode::First || at >= v.len() {
                    break;
                }
            }
            out.extend_from_slice(v.get(at..).unwrap_or_default());
            out
        }
    }
}

fn change_case(v: &[u8], mode: CaseMode, all: bool, pattern: Option<&Pattern>) -> Vec<u8> {
    let mut out = Vec::with_capacity(v.len());
    for (i, c) in text::chars(v).enumerate() {
        let changes = (all || i == 0) && pattern.is_none_or(|p| p.matches(c));
        if !changes {
            out.extend_from_slice(c);
            continue;
        }
        let upper = match mode {
            CaseMode::Upper => true,
            CaseMode::Lower => false,
            CaseMode::Toggle => text::to_case(c, true) != c,
        };
        out.extend_from_slice(&text::to_case(c, upper));
    }
    out
}

// How messages name a parameter.
fn source_name(param: &Param) -> Vec<u8> {
    match param {
        Param::Variable(name) => name.bytes().to_vec(),
        Param::Positional(n) => text::number((*n).into()),
        Param::Special(c) => vec![*c],
        Param::Element(name, s) => {
            let inner: &[u8] = match &**s {
                Subscript::At => b"@",
                Subscript::Star => b"*",
                Subscript::Index(a) => &a.source,
            };
            [&*name.bytes(), b"[", inner, b"]"].concat()
        }
    }
}
