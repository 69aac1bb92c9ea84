//! Scopes: which names are visible at a place.

use crate::code::Slot;
use crate::lang::ast::Definition;
use crate::value::Val;
use std::cell::Cell;
use std::rc::Rc;

/// A program text, for messages.
pub(crate) struct Source {
    pub(crate) name: String,
    pub(crate) text: Vec<u8>,
}

/// The names that are visible at a place, and the text that contains it.
#[derive(Clone)]
pub(crate) struct Scope {
    names: Option<Rc<Entry>>,
    pub(crate) source: Rc<Source>,
}

struct Entry {
    binding: Rc<Binding>,
    /// `foo::` for names from an import `as foo`.
    prefix: String,
    before: Option<Rc<Entry>>,
}

/// The meaning of a name.
pub(crate) enum Binding {
    Variable {
        name: String,
        level: usize,
        slot: Slot,
    },
    /// A module that contains data.
    Data {
        name: String,
        value: Val,
    },
    Label {
        name: String,
        level: usize,
        slot: Slot,
    },
    Function(Callee),
    /// A filter that is passed at run time.
    Parameter {
        name: String,
        level: usize,
        index: u16,
    },
}

/// A function that can be called.
pub(crate) struct Callee {
    pub(crate) definition: Rc<Definition>,
    /// The scope of its definition, without the function itself.
    pub(crate) scope: Scope,
    pub(crate) level: usize,
    pub(crate) compiled: Cell<Option<u32>>,
}

impl Scope {
    pub(crate) fn new(source: Rc<Source>) -> Self {
        Self { names: None, source }
    }

    pub(crate) fn with(&self, binding: Binding) -> Self {
        self.with_shared(Rc::new(binding), String::new())
    }

    /// Adds a binding that is shared with other scopes.
    pub(crate) fn with_binding(&self, binding: &Rc<Binding>) -> Self {
        self.with_shared(Rc::clone(binding), String::new())
    }

    fn with_shared(&self, binding: Rc<Binding>, prefix: String) -> Self {
        let names = Some(Rc::new(Entry { binding, prefix, before: self.names.clone() }));
        Self { names, source: Rc::clone(&self.source) }
    }

    pub(crate) fn define(&self, definition: &Rc<Definition>, level: usize) -> Self {
        self.with(Binding::Function(Callee {
            definition: Rc::clone(definition),
            scope: self.clone(),
            level,
            compiled: Cell::new(None),
        }))
    }

    /// Adds the definitions of a module under a prefix.
    pub(crate) fn import(&self, module: &Self, prefix: &str) -> Self {
        let mut bindings = Vec::new();
        let mut next = module.names.as_ref();
        while let Some(entry) = next {
            if entry.prefix.is_empty() && matches!(*entry.binding, Binding::Function(_)) {
                bindings.push(Rc::clone(&entry.binding));
            }
            next = entry.before.as_ref();
        }
        bindings
            .into_iter()
            .rev()
            .fold(self.clone(), |scope, binding| scope.with_shared(binding, prefix.to_owned()))
    }

    fn find<T>(&self, mut f: impl FnMut(&Rc<Binding>, &str) -> Option<T>) -> Option<T> {
        let mut next = self.names.as_ref();
        while let Some(entry) = next {
            if let Some(found) = f(&entry.binding, &entry.prefix) {
                return Some(found);
            }
            next = entry.before.as_ref();
        }
        None
    }

    /// The level and slot of a variable.
    pub(crate) fn variable(&self, wanted: &str) -> Option<(usize, Slot)> {
        self.find(|b, _| match &**b {
            Binding::Variable { name, level, slot } if name == wanted => Some((*level, *slot)),
            _ => None,
        })
    }

    pub(crate) fn data(&self, wanted: &str) -> Option<Val> {
        self.find(|b, _| match &**b {
            Binding::Data { name, value } if name == wanted => Some(value.clone()),
            _ => None,
        })
    }

    pub(crate) fn label(&self, wanted: &str) -> Option<(usize, Slot)> {
        self.find(|b, _| match &**b {
            Binding::Label { name, level, slot } if name == wanted => Some((*level, *slot)),
            _ => None,
        })
    }

    /// The meaning of a call of `wanted` with this number of arguments.
    pub(crate) fn function(&self, wanted: &str, arity: usize) -> Option<Rc<Binding>> {
        self.find(|b, prefix| {
            let (name, parameters) = match &**b {
                Binding::Function(callee) => (&callee.definition.name, callee.definition.parameters.len()),
                Binding::Parameter { name, .. } => (name, 0),
                _ => return None,
            };
            let matches = parameters == arity
                && wanted.strip_prefix(prefix).is_some_and(|rest| {
                    let rest = if prefix.is_empty() { Some(rest) } else { rest.strip_prefix("::") };
                    rest == Some(name)
                });
            matches.then(|| Rc::clone(b))
        })
    }
}

impl Source {
    /// A message with its position: the line, and blanks up to the column.
    pub(crate) fn locate(&self, message: &str, at: usize) -> String {
        let at = at.min(self.text.len());
        let before = self.text.get(..at).unwrap_or_default();
        let start = before.iter().rposition(|b| *b == b'\n').map_or(0, |i| i + 1);
        let line =
            self.text.get(start..).unwrap_or_default().split(|b| *b == b'\n').next().unwrap_or_default();
        let number = before.iter().filter(|b| **b == b'\n').count() + 1;
        let shown = String::from_utf8_lossy(line);
        format!("{message} at {}, line {number}:\n{shown}{:2$}", self.name, "", at - start)
    }
}
