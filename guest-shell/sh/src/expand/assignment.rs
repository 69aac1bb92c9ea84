//! Assignments: scalars, elements and `name=( ... )`.

use super::Mode;
use super::transform::quote_single;
use crate::field::Field;
use crate::shell::{Flow, Run, Shell};
use crate::text;
use crate::variables::access::Key;
use crate::variables::{AssocArray, IndexedArray, Name, Value, attr};
use sandshell_syntax::arith::plain_integer;
use sandshell_syntax::ast::{ArrayElement, Assignment, AssignmentValue, Subscript, Word, WordPart};

/// The context of `name=( elements )`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ListOf {
    /// An assignment of its own.
    Assigned,
    /// An argument of `declare` and others. `assoc`: `-A` is given, which makes a new variable an associative array.
    Declared { assoc: bool },
}

impl Shell {
    /// Makes an assignment that stands alone or before a command.
    pub(crate) fn perform_assignment(&mut self, a: &Assignment) -> Run {
        match (&a.value, &a.subscript) {
            (AssignmentValue::Scalar(word), None) => {
                if let Some(text) = &word.literal {
                    self.trace_value(a, text);
                    return self.assign(a.name, text, a.append);
                }
                let value = self.expand_mode(word, Mode::Text)?;
                self.trace_value(a, &value);
                self.assign(a.name, &value, a.append)
            }
            (AssignmentValue::Scalar(word), Some(subscript)) => {
                // The value is expanded before the subscript.
                let value = self.expand_mode(word, Mode::Text)?;
                let key = match &**subscript {
                    Subscript::Index(arith) => {
                        if arith.source.is_empty() {
                            return Err(self.bad_subscript(a));
                        }
                        let key = self.subscript_key(a.name, arith)?;
                        if matches!(&key, Key::Text(t) if t.is_empty()) {
                            return Err(self.bad_subscript(a));
                        }
                        key
                    }
                    Subscript::At | Subscript::Star => {
                        let (base, _) = self.resolve_nameref(a.name);
                        if self.is_assoc(base) {
                            Key::Text(if matches!(**subscript, Subscript::At) {
                                b"@".to_vec()
                            } else {
                                b"*".to_vec()
                            })
                        } else {
                            return Err(self.bad_subscript(a));
                        }
                    }
                };
                self.trace_value(a, &value);
                self.assign_element(a.name, &key, &value, a.append)
            }
            (AssignmentValue::Array(elements), None) => {
                self.trace_list(a);
                self.assign_array(a.name, elements, a.append, ListOf::Assigned)
            }
            (AssignmentValue::Array(_), Some(_)) => {
                let label = a.source.split(|b| *b == b'=').next().unwrap_or_default().to_vec();
                let label = label.strip_suffix(b"+").unwrap_or(&label).to_vec();
                Err(self.expansion_error([&*label, b": cannot assign list to array member"].concat()))
            }
        }
    }

    fn bad_subscript(&mut self, a: &Assignment) -> Flow {
        let label = a.source.split(|b| *b == b'=').next().unwrap_or_default();
        let label = label.strip_suffix(b"+").unwrap_or(label).to_vec();
        self.expansion_error([&*label, b": bad array subscript"].concat())
    }

    /// `name=( elements )`
    pub(crate) fn assign_array(
        &mut self,
        name: Name,
        elements: &[ArrayElement],
        append: bool,
        list: ListOf,
    ) -> Run {
        let name = self.list_target(name)?;
        let result = self.assign_array_of(name, elements, append, list);
        if result.is_err() && self.vars.get(name).is_none() && !self.keeps_own_elements(name) {
            // As in bash, the array exists even if its elements failed.
            self.make_array(name, list == ListOf::Declared { assoc: true })?;
            self.vars.entry(name).attrs &= !attr::INVISIBLE;
        }
        result
    }

    fn assign_array_of(&mut self, name: Name, elements: &[ArrayElement], append: bool, list: ListOf) -> Run {
        self.check_writable(name)?;
        self.end_unbound_nameref(name);
        if self.keeps_own_elements(name) {
            if &*name.bytes() == b"PIPESTATUS" {
                return Ok(());
            }
            // There is no message, but the rest of the line is not run.
            self.status = 1;
            return Err(Flow::Discard);
        }
        if self.vars.get(name).is_none()
            && matches!(&*name.bytes(), b"BASH_ALIASES" | b"BASH_CMDS" | b"DIRSTACK")
        {
            return self.assign_dynamic_array(name, elements);
        }
        let assoc = self.is_assoc(name) || list == ListOf::Declared { assoc: true };
        let attrs = self.vars.get(name).map_or(0, |v| v.attrs);
        if assoc {
            if matches!(self.vars.get(name).map(|v| &v.value), Some(Value::Indexed(_))) {
                let message = [&*name.bytes(), b": cannot convert indexed to associative array"].concat();
                return Err(self.expansion_error(message));
            }
            return self.assign_assoc(
                name,
                elements,
                append,
                attrs,
                list != ListOf::Declared { assoc: false },
            );
        }
        let in_place = append
            && elements.iter().all(|e| matches!(e, ArrayElement::Word(_)))
            && self.vars.get(name).is_some_and(|v| {
                matches!(v.value, Value::Indexed(_)) && v.attrs & (attr::INVISIBLE | attr::HOOKED) == 0
            });
        if in_place {
            return self.add_elements(name, elements, attrs);
        }
        // The elements are expanded before the old value is dropped.
        let mut array = IndexedArray::default();
        if append {
            match self.variable(name).as_deref() {
                Some(v) if v.has(attr::INVISIBLE) => {}
                Some(v) => match &v.value {
                    Value::Indexed(a) => array = a.clone(),
                    Value::Str(s) => array.set(0, s.clone()),
                    Value::Assoc(_) => {}
                },
                None => {}
            }
        }
        // All expansions, also those in subscripts, precede the evaluation of the first subscript.
        let (mut fields, mut ends) = (Vec::new(), Vec::with_capacity(elements.len()));
        let mut sources = Vec::new();
        for element in elements {
            match element {
                ArrayElement::Word(word) => self.expand_word_into(word, &mut fields)?,
                ArrayElement::Keyed { subscript, value, .. } => {
                    if let Subscript::Index(a) = subscript {
                        sources.push(self.expand_arith(a)?);
                    }
                    fields.push(Field::Owned(self.expand_mode(value, Mode::Text)?));
                }
            }
            ends.push(fields.len());
        }
        let result = self.fill_array(name, elements, (fields, ends, sources), &mut array, attrs);
        // The elements before an error stay assigned.
        self.store_array(name, Value::Indexed(array))?;
        result
    }

    // Sets the elements from their expansions in `made`: the fields, where those of each element end, and the
    // subscripts.
    fn fill_array(
        &mut self,
        name: Name,
        elements: &[ArrayElement],
        made: (Vec<Field>, Vec<usize>, Vec<Option<Vec<u8>>>),
        array: &mut IndexedArray,
        attrs: u16,
    ) -> Run {
        let (fields, ends, sources) = made;
        let mut sources = sources.into_iter();
        let converts = attrs & (attr::INTEGER | attr::LOWER | attr::UPPER | attr::CAPITAL) != 0;
        let mut next = array.next_index();
        let (mut fields, mut taken) = (fields.into_iter(), 0);
        for (element, end) in elements.iter().zip(ends) {
            let mut fields = fields.by_ref().take(end - std::mem::replace(&mut taken, end));
            let ArrayElement::Keyed { subscript, append, word, .. } = element else {
                for f in fields {
                    let value = if converts {
                        self.with_elements(name, array, |shell| {
                            Ok(shell.convert(attrs, &f, None)?.into_owned())
                        })?
                    } else {
                        f.into_vec()
                    };
                    array.set(next, value);
                    next = next.saturating_add(1);
                }
                continue;
            };
            let value = fields.next().map(Field::into_vec).unwrap_or_default();
            let Subscript::Index(a) = subscript else {
                let message = [&*word.source, b": cannot assign to non-numeric index"].concat();
                self.element_error(message)?;
                continue;
            };
            let source = sources.next().flatten();
            if a.source.is_empty() {
                self.element_error([&*word.source, b": bad array subscript"].concat())?;
                continue;
            }
            let constant = source.as_deref().unwrap_or(&a.source);
            let evaluated = match plain_integer(constant) {
                Some(n) => Ok(n),
                None => self.with_elements(name, array, |shell| match &source {
                    Some(text) => shell.arith_text(text),
                    None => shell.arith(a),
                }),
            };
            let Key::Index(index) = self.index(evaluated)? else { continue };
            let Some(at) = array.resolve(index) else {
                self.element_error([&*word.source, b": bad array subscript"].concat())?;
                continue;
            };
            let mut value = if converts {
                self.with_elements(name, array, |shell| Ok(shell.convert(attrs, &value, None)?.into_owned()))?
            } else {
                value
            };
            if *append {
                let old = array.get(at).unwrap_or_default();
                value = if attrs & attr::INTEGER != 0 {
                    let old = text::parse_integer(old).unwrap_or(0);
                    text::number(old.wrapping_add(text::parse_integer(&value).unwrap_or(0)))
                } else {
                    [old, &value].concat()
                };
            }
            array.set(at, value);
            next = at.saturating_add(1);
        }
        Ok(())
    }

    // Calls a function while the variable holds the elements so far, which the function may change.
    fn with_elements<T>(
        &mut self,
        name: Name,
        array: &mut IndexedArray,
        evaluate: impl FnOnce(&mut Self) -> Run<T>,
    ) -> Run<T> {
        let v = self.vars.entry(name);
        v.value = Value::Indexed(std::mem::take(array));
        v.attrs &= !attr::INVISIBLE;
        let result = evaluate(self);
        if let Some(v) = self.vars.get_mut(name)
            && let Value::Indexed(elements) = &mut v.value
        {
            *array = std::mem::take(elements);
        }
        result
    }

    // `name+=( words )` of an existing array, without copying it.
    fn add_elements(&mut self, name: Name, elements: &[ArrayElement], attrs: u16) -> Run {
        let mut fields = Vec::new();
        for element in elements {
            if let ArrayElement::Word(word) = element {
                self.expand_word_into(word, &mut fields)?;
            }
        }
        let mut values = Vec::with_capacity(fields.len());
        for field in fields {
            values.push(match attrs & (attr::INTEGER | attr::LOWER | attr::UPPER | attr::CAPITAL) {
                0 => field.into_vec(),
                _ => self.convert(attrs, &field, None)?.into_owned(),
            });
        }
        if let Some(v) = self.vars.get_mut(name)
            && let Value::Indexed(array) = &mut v.value
        {
            let mut next = array.next_index();
            for value in values {
                array.set(next, value);
                next = next.saturating_add(1);
            }
        }
        Ok(())
    }

    // Reports an element that cannot be set. It is skipped.
    fn element_error(&mut self, message: Vec<u8>) -> Run {
        match self.expansion_error(message) {
            Flow::Discard => Ok(()),
            flow => Err(flow),
        }
    }

    // Appends to a computed array element by element. Keyed elements work if its subscripts are keys.
    fn assign_dynamic_array(&mut self, name: Name, elements: &[ArrayElement]) -> Run {
        let assoc = self.is_assoc(name);
        let mut next = 0;
        let mut items = elements.iter();
        while let Some(element) = items.next() {
            match element {
                ArrayElement::Keyed { subscript, append, value, .. } => {
                    let Some(key) = self.plain_subscript(name, subscript)? else { continue };
                    let value = self.expand_mode(value, Mode::Text)?;
                    self.assign_dynamic_element(name, &key, &value, *append);
                }
                ArrayElement::Word(word) if assoc => {
                    let key = Key::Text(self.list_item(word)?);
                    let value = match items.next() {
                        Some(ArrayElement::Word(word) | ArrayElement::Keyed { word, .. }) => {
                            self.list_item(word)?
                        }
                        None => Vec::new(),
                    };
                    self.assign_dynamic_element(name, &key, &value, false);
                }
                ArrayElement::Word(word) => {
                    let mut fields = Vec::new();
                    self.expand_word_into(word, &mut fields)?;
                    for value in fields {
                        self.assign_dynamic_element(name, &Key::Index(next), &value, false);
                        next += 1;
                    }
                }
            }
        }
        Ok(())
    }

    fn store_array(&mut self, name: Name, value: Value) -> Run {
        // `set -a` does not mark arrays.
        let v = self.vars.entry(name);
        v.value = value;
        v.attrs &= !attr::INVISIBLE;
        let exported = v.has(attr::EXPORT);
        let hooked = v.has(attr::HOOKED);
        if exported {
            self.vars.touch();
        }
        if hooked {
            self.after_assignment(name);
        }
        Ok(())
    }

    // `plain`: `~` is not expanded in values. It is expanded in an argument of `declare` without `-A`.
    fn assign_assoc(
        &mut self,
        name: Name,
        elements: &[ArrayElement],
        append: bool,
        attrs: u16,
        plain: bool,
    ) -> Run {
        let mut array = match self.vars.get(name) {
            Some(v) => {
                let keeps = append && !v.has(attr::INVISIBLE);
                match &v.value {
                    Value::Assoc(a) if keeps => (**a).clone(),
                    Value::Assoc(a) => a.emptied(),
                    Value::Str(s) => AssocArray::converted(keeps.then(|| s.clone())),
                    Value::Indexed(_) => AssocArray::default(),
                }
            }
            None => AssocArray::default(),
        };
        // The first element decides whether the list has subscripts.
        let keyed = matches!(elements.first(), Some(ArrayElement::Keyed { .. }));
        if keyed || elements.is_empty() {
            for element in elements {
                match element {
                    ArrayElement::Keyed { subscript, append, value, word } => {
                        let key = self.assoc_key(subscript)?;
                        let value =
                            if plain { self.list_item(value)? } else { self.expand_mode(value, Mode::Text)? };
                        if key.is_empty() {
                            let label = if self.declared_arrays.is_empty() {
                                word.source.to_vec()
                            } else {
                                [b"['']=", &*quote_single(&value)].concat()
                            };
                            self.element_error([&*label, b": bad array subscript"].concat())?;
                            continue;
                        }
                        let value = self.convert(attrs, &value, None)?.into_owned();
                        let value = if *append {
                            [array.get(&key).unwrap_or_default(), &value].concat()
                        } else {
                            value
                        };
                        array.set(&key, value);
                    }
                    ArrayElement::Word(word) => {
                        let mut shown = self.expand_mode(word, Mode::Text)?;
                        if !self.declared_arrays.is_empty() {
                            shown = quote_single(&shown);
                        }
                        let label = name.bytes();
                        self.element_error(
                            [
                                &*label,
                                b": ",
                                &shown,
                                b": must use subscript when assigning associative array",
                            ]
                            .concat(),
                        )?;
                    }
                }
            }
        } else {
            // Keys and values alternate.
            let mut items = elements.iter().map(|e| match e {
                ArrayElement::Word(word) | ArrayElement::Keyed { word, .. } => word,
            });
            while let Some(key_word) = items.next() {
                let key = self.list_item(key_word)?;
                let value = match items.next() {
                    Some(word) => self.list_item(word)?,
                    None => Vec::new(),
                };
                if key.is_empty() {
                    let label = if self.declared_arrays.is_empty() {
                        key_word.source.to_vec()
                    } else {
                        quote_single(&key)
                    };
                    self.element_error([&*label, b": bad array subscript"].concat())?;
                    continue;
                }
                let value = self.convert(attrs, &value, None)?.into_owned();
                array.set(&key, value);
            }
        }
        self.store_array(name, Value::Assoc(Box::new(array)))
    }

    // Expands a key or a value of a list without subscripts: not split, not a pattern, and `~` is literal.
    fn list_item(&mut self, word: &Word) -> Run<Vec<u8>> {
        if !word.flags.tilde {
            return self.expand_mode(word, Mode::Text);
        }
        self.expand_mode(&without_tildes(word), Mode::Text)
    }

    fn assoc_key(&mut self, subscript: &Subscript) -> Run<Vec<u8>> {
        match subscript {
            Subscript::At => Ok(b"@".to_vec()),
            Subscript::Star => Ok(b"*".to_vec()),
            Subscript::Index(a) => match &a.word.literal {
                Some(l) => Ok(l.to_vec()),
                None => self.expand_mode(&a.word, Mode::Text),
            },
        }
    }
}

/// The word with each `~` as a literal.
pub(crate) fn without_tildes(word: &Word) -> Word {
    let mut plain = word.clone();
    for part in &mut plain.parts {
        if let WordPart::Tilde(user) = part {
            *part = WordPart::Literal([b"~", &**user].concat().into());
        }
    }
    plain
}
