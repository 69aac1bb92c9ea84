//! Reading and assigning variables, including the effects of attributes, namerefs and special names.

use super::{AssocArray, IndexedArray, Name, Value, Variable, attr};
use crate::options::{Shopt, flag};
use crate::shell::{Flow, Ifs, Origin, Run, Shell};
use crate::text;
use sandshell_syntax::name::is_name;
use std::borrow::Cow;

/// A subscript after evaluation.
#[derive(Clone, Debug)]
pub(crate) enum Key {
    Index(i64),
    Text(Vec<u8>),
}

/// The longest chain of namerefs that is followed.
const MAX_NAMEREFS: usize = 64;

impl Shell {
    /// The value of `$name`; `None` if unset. Follows namerefs and computes dynamic variables.
    #[inline]
    pub(crate) fn value(&mut self, name: Name) -> Option<Cow<'_, [u8]>> {
        let simple = match self.vars.get(name) {
            Some(v) => v.attrs & attr::NAMEREF == 0,
            None => false,
        };
        if simple {
            self.vars.get(name).and_then(Variable::get).map(Cow::Borrowed)
        } else {
            self.value_slow(name)
        }
    }

    fn value_slow(&mut self, name: Name) -> Option<Cow<'_, [u8]>> {
        let (name, subscript) = self.resolve_nameref(name);
        if let Some(subscript) = subscript {
            return self.element_by_text(name, &subscript).map(Cow::Owned);
        }
        self.resolved_value(name)
    }

    /// The value of a name that [`resolve_nameref`](Self::resolve_nameref) returned.
    pub(crate) fn resolved_value(&mut self, name: Name) -> Option<Cow<'_, [u8]>> {
        if self.is_circular(name) {
            // A local nameref to its own name means the global variable.
            let local = self.vars.begin_global(name);
            let value = self.vars.get(name).and_then(Variable::get).map(<[u8]>::to_vec);
            self.vars.end_global(name, local.clone());
            return value.filter(|_| local.is_some()).map(Cow::Owned);
        }
        if self.vars.get(name).is_some() {
            return self.vars.get(name).and_then(Variable::get).map(Cow::Borrowed);
        }
        self.dynamic(name).and_then(|v| v.get().map(<[u8]>::to_vec)).map(Cow::Owned)
    }

    /// The variable, which may be a computed one. Namerefs are not followed.
    pub(crate) fn variable(&mut self, name: Name) -> Option<Cow<'_, Variable>> {
        if self.vars.get(name).is_some() {
            return self.vars.get(name).map(Cow::Borrowed);
        }
        self.dynamic(name).map(Cow::Owned)
    }

    /// Follows namerefs. Returns the final name, and the subscript if the last nameref has one.
    pub(crate) fn resolve_nameref(&mut self, name: Name) -> (Name, Option<Vec<u8>>) {
        let mut at = name;
        for _ in 0..MAX_NAMEREFS {
            let Some(v) = self.vars.get(at) else { return (at, None) };
            if !v.has(attr::NAMEREF) {
                return (at, None);
            }
            let Some(target) = v.get().filter(|t| !t.is_empty()) else { return (at, None) };
            if let Some(open) = target.iter().position(|b| *b == b'[')
                && target.ends_with(b"]")
            {
                let base = target.get(..open).unwrap_or_default();
                let subscript = target.get(open + 1..target.len() - 1).unwrap_or_default().to_vec();
                return (Name::new(base), Some(subscript));
            }
            let next = Name::new(target);
            if next == at {
                self.warn_of_circle(name);
                return (at, None);
            }
            at = next;
        }
        self.warn_of_circle(name);
        (name, None)
    }

    /// The last nameref of a chain, which `declare +n` changes.
    pub(crate) fn last_nameref(&self, name: Name) -> Name {
        let mut at = name;
        for _ in 0..MAX_NAMEREFS {
            let target = self.vars.get(at).filter(|v| v.has(attr::NAMEREF)).and_then(|v| v.get());
            match target.and_then(Name::existing) {
                Some(next) if self.vars.get(next).is_some_and(|v| v.has(attr::NAMEREF)) => at = next,
                _ => return at,
            }
        }
        name
    }

    /// Whether a name that [`resolve_nameref`](Self::resolve_nameref) returned is still a nameref, in a circular chain.
    fn is_circular(&self, name: Name) -> bool {
        self.vars
            .get(name)
            .is_some_and(|v| v.has(attr::NAMEREF) && v.get().is_some_and(|target| !target.is_empty()))
    }

    fn warn_of_circle(&mut self, name: Name) {
        self.warn(&[&*name.bytes(), b": circular name reference"].concat());
    }

    fn warn(&mut self, message: &[u8]) {
        let mut out = self.prefix();
        out.extend_from_slice(&[b"warning: ", message, b"\n"].concat());
        self.write_error(&out);
    }

    /// Removes the nameref attribute, because an element of the variable itself is assigned and makes it an array.
    pub(crate) fn end_nameref(&mut self, name: Name) {
        if self.vars.get(name).is_some_and(|v| v.has(attr::NAMEREF)) {
            self.warn(&[&*name.bytes(), b": removing nameref attribute"].concat());
            let v = self.vars.entry(name);
            v.attrs = (v.attrs & !attr::NAMEREF) | attr::INVISIBLE;
        }
    }

    /// Removes the nameref attribute of a nameref without a target, which becomes an array.
    pub(crate) fn end_unbound_nameref(&mut self, name: Name) {
        if self.is_unbound_nameref(name) {
            self.end_nameref(name);
        }
    }

    /// Whether the variable is a nameref without a target.
    pub(crate) fn is_unbound_nameref(&self, name: Name) -> bool {
        self.vars.get(name).is_some_and(|v| v.has(attr::NAMEREF)) && !self.is_circular(name)
    }

    /// The value of an element whose subscript is given as text.
    pub(crate) fn element_by_text(&mut self, name: Name, subscript: &[u8]) -> Option<Vec<u8>> {
        if matches!(subscript, b"@" | b"*") && !self.is_assoc(name) {
            return None;
        }
        let key = self.key_from_text(name, subscript).ok()?;
        self.element(name, &key).map(|v| v.to_vec())
    }

    /// The value of an element.
    pub(crate) fn element(&mut self, name: Name, key: &Key) -> Option<Cow<'_, [u8]>> {
        let pick = |v: &Variable| -> Option<Vec<u8>> {
            if v.has(attr::INVISIBLE) {
                return None;
            }
            match (&v.value, key) {
                (Value::Indexed(a), Key::Index(i)) => {
                    a.resolve(*i).and_then(|i| a.get(i)).map(<[u8]>::to_vec)
                }
                (Value::Assoc(a), Key::Text(k)) => a.get(k).map(<[u8]>::to_vec),
                (Value::Assoc(a), Key::Index(i)) => a.get(&text::number(*i)).map(<[u8]>::to_vec),
                (Value::Str(s), Key::Index(0 | -1)) => Some(s.clone()),
                _ => None,
            }
        };
        if let Some(v) = self.vars.get(name) {
            return pick(v).map(Cow::Owned);
        }
        self.dynamic(name).and_then(|v| pick(&v)).map(Cow::Owned)
    }

    /// Whether `name` is an associative array.
    pub(crate) fn is_assoc(&self, name: Name) -> bool {
        match self.vars.get(name) {
            Some(v) => v.is_assoc(),
            None => matches!(&*name.bytes(), b"BASH_ALIASES" | b"BASH_CMDS"),
        }
    }

    /// Evaluates a subscript given as text: as arithmetic, or as a key of an associative array.
    pub(crate) fn key_from_text(&mut self, name: Name, subscript: &[u8]) -> Run<Key> {
        if self.is_assoc(name) {
            return Ok(Key::Text(self.expand_key_text(subscript)?));
        }
        let index = self.arith_expanded(subscript);
        self.index(index)
    }

    /// The key for an argument `name[subscript]` of a builtin. It is expanded, unless it was expanded as part of the
    /// word.
    pub(crate) fn reference_key(&mut self, name: Name, word: &[u8], subscript: &[u8]) -> Run<Key> {
        let expanded = self.opts.shopt(Shopt::assoc_expand_once) || self.references.iter().any(|r| r == word);
        if expanded && self.is_assoc(name) {
            return Ok(Key::Text(subscript.to_vec()));
        }
        self.key_from_text(name, subscript)
    }

    fn readonly_error(&mut self, name: Name) -> Flow {
        self.expansion_error([&*name.bytes(), b": readonly variable"].concat())
    }

    /// Assigns a scalar value (`name=value`, or `name+=value` with `append`).
    ///
    /// # Errors
    /// `Discard` after a message if the variable cannot be changed or its arithmetic fails.
    pub(crate) fn assign(&mut self, name: Name, value: &[u8], append: bool) -> Run {
        // The fast path: an ordinary variable that exists.
        const SLOW: u16 = attr::READONLY
            | attr::INTEGER
            | attr::LOWER
            | attr::UPPER
            | attr::CAPITAL
            | attr::NAMEREF
            | attr::HOOKED
            | attr::EXPORT;
        if !self.opts.has(flag::ALLEXPORT)
            && let Some(v) = self.vars.get_mut(name)
            && v.attrs & SLOW == 0
        {
            let slot = v.scalar_mut();
            if !append {
                slot.clear();
            }
            slot.extend_from_slice(value);
            return Ok(());
        }
        self.assign_slow(name, value, append)
    }

    fn assign_slow(&mut self, name: Name, value: &[u8], append: bool) -> Run {
        let name = match self.assignment_target(name, value, append)? {
            None => return Ok(()),
            Some((name, None)) => name,
            Some((name, Some(subscript))) => {
                if matches!(&*subscript, b"@" | b"*") {
                    let label = [&*name.bytes(), b"[", &*subscript, b"]"].concat();
                    return Err(self.expansion_error([&*label, b": bad array subscript"].concat()));
                }
                // A nameref to an element of its own name stays a nameref.
                let target = self.vars.get(name).and_then(Variable::get).unwrap_or_default();
                if !target.contains(&b'[') {
                    self.end_nameref(name);
                }
                let key = self.key_from_text(name, &subscript)?;
                return self.assign_element(name, &key, value, append);
            }
        };
        self.check_writable(name)?;
        let bytes = name.bytes();
        if self.vars.get(name).is_none() && self.assign_dynamic(name, &bytes, value)? {
            return Ok(());
        }
        let attrs = match self.vars.get(name) {
            Some(v) => v.attrs,
            None if name == self.names.optind => attr::INTEGER,
            None => 0,
        };
        let whole;
        let (value, append) = if append && attrs & (attr::LOWER | attr::UPPER | attr::CAPITAL) != 0 {
            // The case attribute applies to the whole value, including the part from before the attribute was set.
            whole = [&*self.value(name).unwrap_or_default(), value].concat();
            (&*whole, false)
        } else {
            (value, append)
        };
        let converted = self.convert(attrs, value, append.then_some((name, None)))?;
        let export = self.opts.has(flag::ALLEXPORT);
        let v = self.vars.entry(name);
        v.attrs |= attrs;
        if export {
            v.attrs |= attr::EXPORT;
        }
        let exported = v.has(attr::EXPORT);
        let hooked = v.has(attr::HOOKED);
        let slot = v.scalar_mut();
        if !append || attrs & attr::INTEGER != 0 {
            slot.clear();
        }
        slot.extend_from_slice(&converted);
        if exported {
            self.vars.touch();
        }
        if hooked {
            self.after_assignment(name);
        }
        Ok(())
    }

    // Follows namerefs for an assignment. `None`: the value became the target of a nameref that had none.
    fn assignment_target(
        &mut self,
        name: Name,
        value: &[u8],
        append: bool,
    ) -> Run<Option<(Name, Option<Vec<u8>>)>> {
        let Some(v) = self.vars.get(name) else { return Ok(Some((name, None))) };
        if !v.has(attr::NAMEREF) {
            return Ok(Some((name, None)));
        }
        let (target, subscript) = self.resolve_nameref(name);
        let unbound = self.vars.get(target).is_some_and(|v| v.has(attr::NAMEREF));
        if unbound && subscript.is_none() {
            if self.is_circular(target) {
                let Some(local) = self.vars.begin_global(target) else {
                    self.status = 1;
                    return Err(Flow::Discard);
                };
                let done = self.assign(target, value, append);
                self.vars.end_global(target, Some(local));
                return done.map(|()| None);
            }
            if !valid_nameref_target(value) {
                let prefix = match self.builtin {
                    Some(name) => [name.as_bytes(), b": "].concat(),
                    None => self.origin_prefix(),
                };
                self.error([&*prefix, b"`", value, b"': not a valid identifier"].concat());
                self.status = 1;
                return Err(Flow::Discard);
            }
            self.check_writable(target)?;
            *self.vars.entry(target).scalar_mut() = value.to_vec();
            return Ok(None);
        }
        Ok(Some((target, subscript)))
    }

    pub(crate) fn check_writable(&mut self, name: Name) -> Run {
        if self.check_readonly(name) { Err(self.readonly_error(name)) } else { Ok(()) }
    }

    /// Whether a variable cannot be changed, which is reported.
    pub(crate) fn check_readonly(&mut self, name: Name) -> bool {
        match self.vars.get(name) {
            Some(v) => v.has(attr::READONLY),
            None => self.is_readonly_dynamic(name),
        }
    }

    /// Evaluates the value for an integer variable. Errors name `command` and abandon the script's command; its status
    /// is then that of an earlier failure, if there was one.
    pub(crate) fn integer_value(&mut self, text: &[u8], command: Option<&[u8]>) -> Run<i64> {
        let before = self.status;
        match self.arith_evaluate(text, command) {
            Err(Flow::Discard) => {
                let flow = self.give_up();
                if flow == Flow::GiveUp && before != 0 {
                    self.status = before;
                }
                Err(flow)
            }
            n => n,
        }
    }

    /// Applies the integer and case attributes to a value. `append_to` is the variable or element that an integer is
    /// added to.
    pub(crate) fn convert<'v>(
        &mut self,
        attrs: u16,
        value: &'v [u8],
        append_to: Option<(Name, Option<&Key>)>,
    ) -> Run<Cow<'v, [u8]>> {
        if attrs & attr::INTEGER != 0 {
            let old = match append_to {
                Some((name, key)) => {
                    let old = match key {
                        Some(key) => self.element(name, key).map(Cow::into_owned),
                        None => self.value(name).map(Cow::into_owned),
                    };
                    match old {
                        Some(old) => self.arith_text(&old)?,
                        None => 0,
                    }
                }
                None => 0,
            };
            let n = self.integer_value(value, self.builtin.map(str::as_bytes))?;
            return Ok(Cow::Owned(text::number(old.wrapping_add(n))));
        }
        if attrs & attr::LOWER != 0 {
            return Ok(Cow::Owned(text::to_case(value, false)));
        }
        if attrs & attr::UPPER != 0 {
            return Ok(Cow::Owned(text::to_case(value, true)));
        }
        if attrs & attr::CAPITAL != 0 {
            let mut out = Vec::with_capacity(value.len());
            for (i, c) in text::chars(value).enumerate() {
                out.extend_from_slice(&text::to_case(c, i == 0));
            }
            return Ok(Cow::Owned(out));
        }
        Ok(Cow::Borrowed(value))
    }

    /// Assigns to an array element. A scalar becomes an indexed array.
    pub(crate) fn assign_element(&mut self, name: Name, key: &Key, value: &[u8], append: bool) -> Run {
        let (name, subscript) = self.resolve_nameref(name);
        if let Some(subscript) = subscript {
            self.error([b"`", &*name.bytes(), b"[", &*subscript, b"]': not a valid identifier"].concat());
            self.status = 1;
            return Err(Flow::Discard);
        }
        if self.is_unbound_nameref(name) {
            self.error("`': not a valid identifier");
            self.status = 1;
            return Err(Flow::Discard);
        }
        let before_start = match (key, self.vars.get(name).map(|v| &v.value)) {
            (Key::Index(i), Some(Value::Indexed(a))) => a.resolve(*i).is_none(),
            _ => false,
        };
        if !before_start {
            self.check_writable(name)?;
        }
        if self.assign_dynamic_element(name, key, value, append) {
            return Ok(());
        }
        self.materialize(name);
        let attrs = self.vars.get(name).map_or(0, |v| v.attrs);
        let whole;
        let (value, append) = if append && attrs & (attr::LOWER | attr::UPPER | attr::CAPITAL) != 0 {
            whole = [&*self.element(name, key).unwrap_or_default(), value].concat();
            (&*whole, false)
        } else {
            (value, append)
        };
        let value = self.convert(attrs, value, append.then_some((name, Some(key))))?;
        let append = append && attrs & attr::INTEGER == 0;
        let v = self.vars.entry(name);
        let was_invisible = v.has(attr::INVISIBLE);
        if let Value::Str(s) = &mut v.value {
            let old = std::mem::take(s);
            let mut array = IndexedArray::default();
            if !was_invisible {
                array.set(0, old);
            }
            v.value = Value::Indexed(array);
        }
        let slot = match (&mut v.value, key) {
            (Value::Assoc(a), Key::Text(k)) => Some(a.entry(k)),
            (Value::Assoc(a), Key::Index(i)) => Some(a.entry(&text::number(*i))),
            (Value::Indexed(a), Key::Index(i)) => a.resolve(*i).map(|i| a.entry(i)),
            _ => None,
        };
        let Some(slot) = slot else {
            let shown = match key {
                Key::Index(i) => text::number(*i),
                Key::Text(t) => t.clone(),
            };
            let message = [&*name.bytes(), b"[", &shown, b"]: bad array subscript"].concat();
            return Err(self.expansion_error(message));
        };
        if !append {
            slot.clear();
        }
        slot.extend_from_slice(&value);
        v.attrs &= !attr::INVISIBLE;
        if v.has(attr::HOOKED) {
            self.after_assignment(name);
        }
        Ok(())
    }

    /// Makes a variable an array of the requested kind. A scalar becomes element 0.
    ///
    /// # Errors
    /// `Discard`, after a message, if it is an array of the other kind.
    pub(crate) fn make_array(&mut self, name: Name, assoc: bool) -> Run {
        self.materialize(name);
        let v = self.vars.entry(name);
        v.attrs &= !attr::NAMEREF;
        let invisible = v.has(attr::INVISIBLE);
        match (&mut v.value, assoc) {
            (Value::Indexed(_), false) | (Value::Assoc(_), true) => Ok(()),
            (Value::Str(s), false) => {
                let old = std::mem::take(s);
                let mut array = IndexedArray::default();
                if !invisible {
                    array.set(0, old);
                }
                v.value = Value::Indexed(array);
                self.vars.touch();
                Ok(())
            }
            (Value::Str(s), true) => {
                let old = std::mem::take(s);
                v.value = Value::Assoc(Box::new(AssocArray::converted((!invisible).then_some(old))));
                self.vars.touch();
                Ok(())
            }
            (Value::Indexed(_), true) => {
                self.error([&*name.bytes(), b": cannot convert indexed to associative array"].concat());
                self.status = 1;
                Err(Flow::Discard)
            }
            (Value::Assoc(_), false) => {
                self.error([&*name.bytes(), b": cannot convert associative to indexed array"].concat());
                self.status = 1;
                Err(Flow::Discard)
            }
        }
    }

    // Stores a computed variable in the table, before a part of it is changed.
    fn materialize(&mut self, name: Name) {
        if self.vars.get(name).is_none()
            && let Some(v) = self.dynamic(name)
        {
            self.vars.insert(name, v);
        }
    }

    /// The name of the function or builtin with which messages of its first command begin.
    pub(crate) fn origin_prefix(&self) -> Vec<u8> {
        match self.first_of {
            Some(Origin::Function) => {
                self.frames.last().map(|f| [&*f.name, b": "].concat()).unwrap_or_default()
            }
            Some(Origin::Builtin(name)) => [name.as_bytes(), b": "].concat(),
            None => Vec::new(),
        }
    }

    /// The variable to which a list is assigned. A nameref must refer to a whole variable.
    pub(crate) fn list_target(&mut self, name: Name) -> Run<Name> {
        let (name, subscript) = self.resolve_nameref(name);
        let Some(subscript) = subscript else { return Ok(name) };
        let builtin = self.builtin.map_or_else(String::new, |name| format!("{name}: "));
        let target = [&*name.bytes(), b"[", &*subscript, b"]"].concat();
        self.error([builtin.as_bytes(), b"`", &*target, b"': not a valid identifier"].concat());
        self.status = 1;
        Err(Flow::Discard)
    }

    /// Replaces a whole array by a list.
    pub(crate) fn assign_list(&mut self, name: Name, values: Vec<Vec<u8>>) -> Run {
        let name = self.list_target(name)?;
        self.check_writable(name)?;
        self.end_unbound_nameref(name);
        if self.keeps_own_elements(name) {
            return Ok(());
        }
        let attrs = self.vars.get(name).map_or(0, |v| v.attrs);
        let mut converted = Vec::with_capacity(values.len());
        for v in values {
            converted.push(match self.convert(attrs, &v, None)? {
                Cow::Owned(o) => o,
                Cow::Borrowed(_) => v,
            });
        }
        if self.vars.get(name).is_some_and(Variable::is_assoc) {
            self.error([&*name.bytes(), b": cannot convert associative to indexed array"].concat());
            self.status = 1;
            return Err(Flow::Discard);
        }
        let v = self.vars.entry(name);
        v.value = Value::Indexed(IndexedArray::from_values(converted));
        v.attrs &= !attr::INVISIBLE;
        if v.has(attr::EXPORT) {
            self.vars.touch();
        }
        Ok(())
    }

    /// Assigns a value that the shell itself produces (`REPLY`, `OPTARG`…). A readonly variable is an error as usual.
    pub(crate) fn set(&mut self, name: &[u8], value: &[u8]) -> Run {
        self.assign(Name::new(name), value, false)
    }

    /// Updates the shell's state after a special variable has changed.
    pub(crate) fn after_assignment(&mut self, name: Name) {
        let bytes = name.bytes();
        match &*bytes {
            b"IFS" => {
                let value = match self.vars.get(name) {
                    Some(v) => v.get().map(<[u8]>::to_vec),
                    None => None,
                };
                self.ifs = Ifs::new(value.as_deref());
            }
            b"PATH" => self.hash.clear(),
            b"IGNOREEOF" => {
                let on = self.vars.get(name).is_some();
                self.opts.set(flag::IGNOREEOF, on);
            }
            b"OPTIND" => {
                let scope = self.vars.get(name).map_or(0, |v| v.scope);
                self.getopts.reset(scope);
            }
            b"GLOBIGNORE" => self.update_globignore(name),
            b"HISTSIZE" => self.update_history_size(),
            b"HISTFILESIZE" => self.update_history_file_size(),
            b"POSIXLY_CORRECT" => {
                let on = self.vars.get(name).is_some();
                self.opts.set(flag::POSIX, on);
            }
            b"FUNCNEST" => {
                let n =
                    self.vars.get(name).and_then(Variable::get).and_then(text::parse_integer).unwrap_or(0);
                self.funcnest = u32::try_from(n).unwrap_or(0);
            }
            b"BASH_XTRACEFD" => {
                let value = self.vars.get(name).and_then(Variable::get).unwrap_or_default().to_vec();
                let fd = text::parse_integer(&value).and_then(|n| i32::try_from(n).ok());
                self.trace_to = fd.filter(|fd| sandshell_sys::cloexec(*fd).is_ok());
                if !value.is_empty() && self.trace_to.is_none() {
                    self.error(
                        [b"BASH_XTRACEFD: ", &*value, b": invalid value for trace file descriptor"].concat(),
                    );
                }
            }
            b"LC_ALL" | b"LC_CTYPE" | b"LANG" | b"LC_COLLATE" | b"LC_NUMERIC" | b"LC_TIME"
            | b"LC_MESSAGES" => {
                self.update_locale(name);
            }
            b"BASH_COMPAT" => self.update_compatibility(name),
            b"TZ" => self.time_zone = crate::builtins::TimeZone::default(),
            _ => {}
        }
    }

    // If none of these variables is set, text is UTF-8.
    fn update_locale(&mut self, name: Name) {
        if self.foreign_locale {
            return;
        }
        let text = |shell: &Self, name: &[u8]| {
            shell.vars.get(Name::new(name)).and_then(Variable::get).unwrap_or_default().to_vec()
        };
        let bytes = name.bytes();
        let asked = text(self, &bytes);
        let counts = &*bytes == b"LC_ALL" || &*bytes != b"LANG" && text(self, b"LC_ALL").is_empty();
        if counts && !is_locale(&asked) {
            let mut line = self.prefix();
            line.extend_from_slice(
                &[b"warning: setlocale: ", &*bytes, b": cannot change locale (", &asked, b")"].concat(),
            );
            if !self.unknown_locales.contains(&asked) {
                line.extend_from_slice(b": No such file or directory");
                self.unknown_locales.push(asked);
            }
            line.push(b'\n');
            self.write_error(&line);
            return;
        }
        let chosen = [b"LC_ALL".as_slice(), b"LC_CTYPE", b"LANG"].into_iter().find_map(|name| {
            let value = self.vars.get(Name::new(name)).and_then(Variable::get)?;
            (!value.is_empty()).then(|| value.to_vec())
        });
        sandshell_syntax::locale::set_bytes(matches!(chosen.as_deref(), Some(b"C" | b"POSIX")));
    }

    /// Applies a locale variable of the environment. Without any, the shell begins in `C`.
    pub(crate) fn begin_locale(&mut self, name: Name) {
        let asked = self.vars.get(name).and_then(Variable::get).unwrap_or_default().to_vec();
        let all = &*name.bytes() == b"LC_ALL";
        if all && !is_locale(&asked) {
            self.unknown_locales.push(asked);
            sandshell_syntax::locale::set_bytes(true);
        }
        let unknown =
            self.vars.get(Name::new(b"LC_ALL")).and_then(Variable::get).is_some_and(|v| !is_locale(v));
        if all || !unknown {
            self.after_assignment(name);
        }
    }

    // `BASH_COMPAT`: `4.2` or `42`.
    fn update_compatibility(&mut self, name: Name) {
        let value = self.vars.get(name).and_then(Variable::get).unwrap_or_default().to_vec();
        let level = match value.as_slice() {
            [] => Some(52),
            [a, b'.', b] | [a, b] if a.is_ascii_digit() && b.is_ascii_digit() => {
                Some((a - b'0') * 10 + (b - b'0')).filter(|n| matches!(n, 31 | 32 | 40..=44 | 50..=52))
            }
            _ => None,
        };
        if level.is_none() {
            self.error([b"BASH_COMPAT: ", &*value, b": compatibility value out of range"].concat());
        }
        let level = level.unwrap_or(52);
        self.compatibility = level;
        self.opts.set_compatibility(level);
        self.random.set_old(level <= 50);
    }

    fn update_globignore(&mut self, name: Name) {
        let value = self.vars.get(name).and_then(Variable::get).unwrap_or_default().to_vec();
        self.globignore = split_globignore(&value);
        // An empty value does not change the option.
        let on = !self.globignore.is_empty();
        if on || self.vars.get(name).is_none() {
            self.opts.set_shopt(Shopt::dotglob, on);
        }
    }

    /// Removes a variable and undoes the effects of its special meaning.
    pub(crate) fn unset_variable(&mut self, name: Name) {
        // The next command sets `$_` again.
        let lasting = &*name.bytes() == b"_";
        let hooked = super::is_hooked(&name.bytes());
        let hide_outer = self.opts.shopt(Shopt::localvar_unset);
        if self.vars.get(name).is_some() {
            self.vars.unset(name, hide_outer);
            if !lasting && !self.dead.contains(&name) && super::dynamic::is_dynamic(&name.bytes()) {
                self.dead.push(name);
            }
        } else if !lasting && super::dynamic::is_dynamic(&name.bytes()) && !self.dead.contains(&name) {
            self.dead.push(name);
        }
        if hooked {
            if &*name.bytes() == b"IFS" && self.vars.get(name).is_none() {
                self.ifs = Ifs::new(None);
            } else {
                self.after_assignment(name);
            }
        }
    }

    // Whether a locale variable's value does not change the locale.
    fn keeps_locale(&self, name: Name) -> bool {
        self.vars.get(name).and_then(Variable::get).is_some_and(|v| !is_locale(v))
    }

    /// Ends the innermost scope of variables.
    pub(crate) fn close_scope(&mut self) {
        for name in self.vars.close_scope() {
            // For OPTIND, `getopts` continues where the outer scope stopped.
            if name != self.names.optind {
                let foreign = self.foreign_locale;
                self.foreign_locale = self.keeps_locale(name);
                self.after_assignment(name);
                self.foreign_locale = foreign;
            }
        }
    }
}

// Colons inside brackets do not separate.
fn split_globignore(value: &[u8]) -> Vec<Vec<u8>> {
    let mut list = Vec::new();
    let mut at = Vec::new();
    let mut in_bracket = false;
    let mut bytes = value.iter().copied();
    while let Some(b) = bytes.next() {
        match b {
            b':' if !in_bracket => list.push(std::mem::take(&mut at)),
            b'\\' => {
                at.push(b);
                at.extend(bytes.next());
            }
            _ => {
                in_bracket = match b {
                    b'[' => true,
                    b']' => false,
                    _ => in_bracket,
                };
                at.push(b);
            }
        }
    }
    list.push(at);
    list.retain(|p| !p.is_empty());
    list
}

/// Whether a nameref can refer to the text: a name, or a name with a subscript.
pub(crate) fn valid_nameref_target(text: &[u8]) -> bool {
    match text.iter().position(|b| *b == b'[') {
        Some(open) => {
            is_name(text.get(..open).unwrap_or_default()) && text.ends_with(b"]") && text.len() > open + 2
        }
        None => is_name(text),
    }
}

// Whether a locale of this name exists.
fn is_locale(name: &[u8]) -> bool {
    let mut parts = name.splitn(2, |b| *b == b'.');
    let (language, codeset) = (parts.next().unwrap_or_default(), parts.next());
    let plain: Option<Vec<u8>> =
        codeset.map(|c| c.iter().filter(|b| b.is_ascii_alphanumeric()).map(u8::to_ascii_lowercase).collect());
    match plain.as_deref() {
        None => matches!(language, b"" | b"C" | b"POSIX"),
        Some(codeset) => language == b"C" && codeset == b"utf8",
    }
}
