//! Variables: values, attributes and dynamic scope.
//!
//! One table holds the visible variables. A scope remembers the variables that its declarations hid, and restores them
//! when it ends. A look-up therefore never walks the scopes.

pub(crate) mod access;
mod array;
mod assoc;
pub(crate) mod dynamic;
pub(crate) mod hash;

pub(crate) use array::IndexedArray;
pub(crate) use assoc::AssocArray;

pub(crate) use sandshell_syntax::name::Name;
use std::rc::Rc;

/// Attributes of a variable, as bit flags.
pub(crate) mod attr {
    /// Exported to programs.
    pub(crate) const EXPORT: u16 = 1;
    /// Cannot be changed.
    pub(crate) const READONLY: u16 = 2;
    /// Assigned values are evaluated as arithmetic.
    pub(crate) const INTEGER: u16 = 4;
    /// Assigned values become lower case.
    pub(crate) const LOWER: u16 = 8;
    /// Assigned values become upper case.
    pub(crate) const UPPER: u16 = 16;
    /// Assigned values get a capital first letter (`declare -c`).
    pub(crate) const CAPITAL: u16 = 32;
    /// The value is the name of another variable.
    pub(crate) const NAMEREF: u16 = 64;
    /// The trace attribute, which has no effect on variables.
    pub(crate) const TRACE: u16 = 128;
    /// Declared, but without a value.
    pub(crate) const INVISIBLE: u16 = 256;
    /// Assignments have side effects (`PATH`, `IFS`…).
    pub(crate) const HOOKED: u16 = 512;
    /// Declared by `local` in the scope whose number is in the variable.
    pub(crate) const LOCAL: u16 = 1024;
    /// Set by an assignment before a command.
    pub(crate) const TEMPORARY: u16 = 2048;
    /// Cannot be unset (`BASHOPTS`…).
    pub(crate) const NO_UNSET: u16 = 4096;
    /// A local variable whose value was assigned before the call. `unset` leaves it exported.
    pub(crate) const FROM_CALL: u16 = 8192;
}

/// What a variable holds.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Str(Vec<u8>),
    Indexed(IndexedArray),
    Assoc(Box<AssocArray>),
}

/// A variable.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub(crate) value: Value,
    pub(crate) attrs: u16,
    /// Number of the scope that declared it; 0 is global.
    pub(crate) scope: u32,
}

impl Variable {
    pub(crate) fn scalar(value: Vec<u8>) -> Self {
        Self { value: Value::Str(value), attrs: 0, scope: 0 }
    }

    pub(crate) fn invisible(scope: u32) -> Self {
        Self { value: Value::Str(Vec::new()), attrs: attr::INVISIBLE, scope }
    }

    pub(crate) fn has(&self, attr: u16) -> bool {
        self.attrs & attr != 0
    }

    pub(crate) fn has_elements(&self) -> bool {
        match &self.value {
            Value::Str(_) => false,
            Value::Indexed(a) => a.len() > 0,
            Value::Assoc(a) => a.len() > 0,
        }
    }

    pub(crate) fn is_array(&self) -> bool {
        !matches!(self.value, Value::Str(_))
    }

    pub(crate) fn is_assoc(&self) -> bool {
        matches!(self.value, Value::Assoc(_))
    }

    /// The value of `$name`: for an array, element 0.
    pub(crate) fn get(&self) -> Option<&[u8]> {
        if self.attrs & attr::INVISIBLE != 0 {
            return None;
        }
        match &self.value {
            Value::Str(s) => Some(s),
            Value::Indexed(a) => a.get(0),
            Value::Assoc(a) => a.get(b"0"),
        }
    }

    /// The buffer that `name=value` overwrites. The variable becomes visible.
    pub(crate) fn scalar_mut(&mut self) -> &mut Vec<u8> {
        self.attrs &= !attr::INVISIBLE;
        match &mut self.value {
            Value::Str(s) => s,
            Value::Indexed(a) => a.entry(0),
            Value::Assoc(a) => a.entry(b"0"),
        }
    }

    /// The letters of the attributes as `declare -p` shows them, or `--`.
    pub(crate) fn flags(&self) -> String {
        let mut s = String::from("-");
        match self.value {
            Value::Indexed(_) => s.push('a'),
            Value::Assoc(_) => s.push('A'),
            Value::Str(_) => {}
        }
        for (bit, letter) in [
            (attr::INTEGER, 'i'),
            (attr::NAMEREF, 'n'),
            (attr::READONLY, 'r'),
            (attr::TRACE, 't'),
            (attr::EXPORT, 'x'),
            (attr::CAPITAL, 'c'),
            (attr::LOWER, 'l'),
            (attr::UPPER, 'u'),
        ] {
            if self.has(bit) {
                s.push(letter);
            }
        }
        if s.len() == 1 {
            s.push('-');
        }
        s
    }
}

/// Why a scope was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScopeKind {
    /// A function call.
    Function,
    /// Assignments before a builtin or a compound.
    Temporary,
}

#[derive(Clone, Debug)]
struct Scope {
    kind: ScopeKind,
    saved: Vec<(Name, Option<Variable>)>,
}

/// All variables of the shell.
#[derive(Debug, Default)]
pub(crate) struct Variables {
    // Indexed by the number of the interned name.
    slots: Vec<Option<Variable>>,
    scopes: Vec<Scope>,
    /// Entries of the environment that are not variables, because their names are not valid.
    passed_on: Vec<Vec<u8>>,
    env: Option<Rc<Vec<Vec<u8>>>>,
}

/// Whether an assignment to `name` has side effects in the shell, or its value is computed.
pub(crate) fn is_hooked(name: &[u8]) -> bool {
    matches!(
        name,
        b"PATH"
            | b"IFS"
            | b"IGNOREEOF"
            | b"OPTIND"
            | b"RANDOM"
            | b"SECONDS"
            | b"LINENO"
            | b"BASH_ARGV0"
            | b"FUNCNAME"
            | b"BASH_SOURCE"
            | b"BASH_LINENO"
            | b"DIRSTACK"
            | b"GROUPS"
            | b"GLOBIGNORE"
            | b"POSIXLY_CORRECT"
            | b"FUNCNEST"
            | b"HISTSIZE"
            | b"HISTFILESIZE"
            | b"BASH_XTRACEFD"
            | b"BASH_ALIASES"
            | b"BASH_CMDS"
            | b"TZ"
            | b"LC_ALL"
            | b"LC_CTYPE"
            | b"LC_COLLATE"
            | b"LC_NUMERIC"
            | b"LC_TIME"
            | b"LC_MESSAGES"
            | b"LANG"
            | b"BASH_COMPAT"
    )
}

impl Variables {
    #[inline]
    pub(crate) fn get(&self, name: Name) -> Option<&Variable> {
        self.slots.get(name.index()).and_then(Option::as_ref)
    }

    /// The variable, if it exists. Call [`touch`](Self::touch) after changing an exported one.
    #[inline]
    pub(crate) fn get_mut(&mut self, name: Name) -> Option<&mut Variable> {
        self.slots.get_mut(name.index()).and_then(Option::as_mut)
    }

    fn slot(&mut self, name: Name) -> &mut Option<Variable> {
        let index = name.index();
        if index >= self.slots.len() {
            self.slots.resize_with(index + 1, || None);
        }
        &mut self.slots[index]
    }

    fn fresh(name: Name, scope: u32) -> Variable {
        let mut new = Variable::invisible(scope);
        if is_hooked(&name.bytes()) {
            new.attrs |= attr::HOOKED;
        }
        new
    }

    /// The variable, which is created without a value if necessary.
    pub(crate) fn entry(&mut self, name: Name) -> &mut Variable {
        self.slot(name).get_or_insert_with(|| Self::fresh(name, 0))
    }

    /// Stores a variable as it is.
    pub(crate) fn insert(&mut self, name: Name, mut variable: Variable) {
        if is_hooked(&name.bytes()) {
            variable.attrs |= attr::HOOKED;
        }
        if variable.has(attr::EXPORT) {
            self.env = None;
        }
        *self.slot(name) = Some(variable);
    }

    /// Removes the variable from the table, whatever its scope.
    pub(crate) fn take(&mut self, name: Name) -> Option<Variable> {
        let old = self.slot(name).take();
        if old.as_ref().is_some_and(|v| v.has(attr::EXPORT)) {
            self.env = None;
        }
        old
    }

    /// Drops the cached environment.
    pub(crate) fn touch(&mut self) {
        self.env = None;
    }

    /// All variables, including those without a value, in byte order of their names.
    pub(crate) fn sorted(&self) -> Vec<(Rc<[u8]>, Name)> {
        let mut names: Vec<(Rc<[u8]>, Name)> = self
            .slots
            .iter()
            .enumerate()
            .filter(|e| e.1.is_some())
            .filter_map(|(i, _)| Name::from_index(i))
            .map(|n| (n.bytes(), n))
            .collect();
        names.sort_unstable();
        names
    }

    pub(crate) fn open_scope(&mut self, kind: ScopeKind) {
        self.scopes.push(Scope { kind, saved: Vec::new() });
    }

    /// Closes the innermost scope. Returns the names with side effects whose older value was restored.
    pub(crate) fn close_scope(&mut self) -> Vec<Name> {
        let mut hooked = Vec::new();
        let Some(scope) = self.scopes.pop() else { return hooked };
        for (name, old) in scope.saved.into_iter().rev() {
            let slot = self.slot(name);
            let exported = |v: &Option<Variable>| v.as_ref().is_some_and(|v| v.has(attr::EXPORT));
            let touch = exported(slot) || exported(&old);
            let is_hooked = slot.as_ref().is_some_and(|v| v.has(attr::HOOKED));
            *slot = old;
            if touch {
                self.env = None;
            }
            if is_hooked {
                hooked.push(name);
            }
        }
        hooked
    }

    /// Exchanges the variables of the innermost scope with those that they hide. Returns the names that have side
    /// effects.
    pub(crate) fn swap_innermost(&mut self) -> Vec<Name> {
        let mut hooked = Vec::new();
        let Some(mut scope) = self.scopes.pop() else { return hooked };
        for (name, other) in &mut scope.saved {
            let slot = self.slot(*name);
            if [slot.as_ref(), other.as_ref()].into_iter().flatten().any(|v| v.has(attr::HOOKED)) {
                hooked.push(*name);
            }
            std::mem::swap(slot, other);
        }
        self.scopes.push(scope);
        self.env = None;
        hooked
    }

    /// The value of `name` without the assignments before the running command.
    pub(crate) fn lasting_value(&self, name: Name) -> Option<&[u8]> {
        let innermost = self.scopes.last().filter(|scope| scope.kind == ScopeKind::Temporary);
        match innermost.and_then(|scope| scope.saved.iter().find(|(saved, _)| *saved == name)) {
            Some((_, lasting)) => lasting.as_ref().and_then(Variable::get),
            None => self.get(name).and_then(Variable::get),
        }
    }

    // The number (from 1) of the innermost function scope.
    fn function_scope(&self) -> Option<usize> {
        self.scopes.iter().rposition(|s| s.kind == ScopeKind::Function).map(|i| i + 1)
    }

    pub(crate) fn in_function(&self) -> bool {
        self.function_scope().is_some()
    }

    /// Whether the visible variable was declared in the innermost function.
    pub(crate) fn is_local_here(&self, name: Name) -> bool {
        match (self.get(name), self.function_scope()) {
            (Some(v), Some(scope)) => v.scope as usize == scope,
            _ => false,
        }
    }

    /// Makes `name` a variable of the innermost function, or with `temporary` of the innermost scope, hiding the
    /// visible one. Returns the new variable, or the existing one if this scope already has it. `None` outside of any
    /// scope.
    pub(crate) fn declare_local(&mut self, name: Name, temporary: bool) -> Option<&mut Variable> {
        let number = if temporary { self.scopes.len() } else { self.function_scope()? };
        if number == 0 {
            return None;
        }
        let here = self.get(name).is_some_and(|v| v.scope as usize == number);
        if !here {
            let new = Self::fresh(name, u32::try_from(number).unwrap_or(u32::MAX));
            let mut old = self.slot(name).replace(new);
            // Inner scopes hold assignments before the declaration, and have nothing to restore any more.
            for scope in self.scopes.iter_mut().skip(number).rev() {
                while let Some(at) = scope.saved.iter().rposition(|e| e.0 == name) {
                    old = scope.saved.remove(at).1;
                    self.env = None;
                }
            }
            if old.as_ref().is_some_and(|v| v.has(attr::EXPORT)) {
                self.env = None;
            }
            if let Some(scope) = self.scopes.get_mut(number - 1) {
                scope.saved.push((name, old));
            }
        }
        self.get_mut(name)
    }

    fn global_place(&self, name: Name) -> Option<(usize, usize)> {
        self.scopes
            .iter()
            .enumerate()
            .find_map(|(i, s)| s.saved.iter().position(|e| e.0 == name).map(|j| (i, j)))
    }

    /// Makes the global variable of that name visible in place of all local ones. Undo this with
    /// [`end_global`](Self::end_global).
    pub(crate) fn begin_global(&mut self, name: Name) -> Option<Variable> {
        let (i, j) = self.global_place(name)?;
        let local = self.slot(name).take();
        let global = self.scopes.get_mut(i).and_then(|s| s.saved.get_mut(j)).and_then(|e| e.1.take());
        *self.slot(name) = global;
        local
    }

    /// Undoes [`begin_global`](Self::begin_global), which returned `local`.
    pub(crate) fn end_global(&mut self, name: Name, local: Option<Variable>) {
        let (Some(local), Some((i, j))) = (local, self.global_place(name)) else { return };
        let global = self.slot(name).replace(local);
        if let Some(e) = self.scopes.get_mut(i).and_then(|s| s.saved.get_mut(j)) {
            e.1 = global;
        }
        self.env = None;
    }

    /// Removes the visible variable as `unset` does. In its own function, a local variable stays local without a value.
    /// In a called function, the next outer variable becomes visible, unless `hide_outer` is true (`shopt -s
    /// localvar_unset`).
    pub(crate) fn unset(&mut self, name: Name, hide_outer: bool) {
        let innermost = self.function_scope();
        let Some(v) = self.get_mut(name) else { return };
        let exported = v.has(attr::EXPORT);
        let number = v.scope as usize;
        if number == 0 {
            *self.slot(name) = None;
        } else if (Some(number) == innermost || hide_outer) && !v.has(attr::TEMPORARY) {
            let kept = if v.has(attr::FROM_CALL) { attr::FROM_CALL | attr::EXPORT } else { 0 };
            let kept = v.attrs & (attr::HOOKED | kept);
            let scope = v.scope;
            *v = Variable::invisible(scope);
            v.attrs |= attr::LOCAL | kept;
        } else {
            let saved = self.scopes.get_mut(number - 1).and_then(|s| {
                let position = s.saved.iter().rposition(|e| e.0 == name)?;
                Some(s.saved.remove(position).1)
            });
            *self.slot(name) = saved.flatten();
        }
        if exported || self.get(name).is_some_and(|v| v.has(attr::EXPORT)) {
            self.env = None;
        }
    }

    /// The names of the innermost function's local variables, sorted.
    pub(crate) fn local_names(&self) -> Vec<(Rc<[u8]>, Name)> {
        let number = self.function_scope();
        let mut names = self.sorted();
        names.retain(|e| self.get(e.1).is_some_and(|v| Some(v.scope as usize) == number));
        names
    }

    // The variable if it has a value, or else the innermost hidden one that has one.
    fn valued<'v>(&'v self, name: Name, v: &'v Variable) -> Option<&'v Variable> {
        if !v.has(attr::INVISIBLE) {
            return Some(v);
        }
        let hidden =
            |scope: &'v Scope| scope.saved.iter().rev().filter(|e| e.0 == name).find_map(|e| e.1.as_ref());
        self.scopes.iter().rev().filter_map(hidden).find(|v| !v.has(attr::INVISIBLE))
    }

    /// Passes an entry of the environment to programs unchanged.
    pub(crate) fn pass_on(&mut self, entry: Vec<u8>) {
        self.passed_on.push(entry);
        self.env = None;
    }

    /// The environment of programs as `NAME=VALUE`. `functions` returns the exported functions in this form.
    pub(crate) fn environment(&mut self, functions: impl FnOnce() -> Vec<Vec<u8>>) -> Rc<Vec<Vec<u8>>> {
        if let Some(env) = &self.env {
            return Rc::clone(env);
        }
        let mut list: Vec<(u32, Vec<u8>)> = Vec::new();
        for (i, v) in self.slots.iter().enumerate() {
            let (Some(v), Some(name)) = (v, Name::from_index(i)) else { continue };
            // If a local variable has no value, programs get the outer one.
            let Some(v) = self.valued(name, v).filter(|v| v.has(attr::EXPORT)) else { continue };
            if let Value::Str(s) = &v.value {
                let name = name.bytes();
                let mut line = Vec::with_capacity(name.len() + s.len() + 1);
                line.extend_from_slice(&name);
                line.push(b'=');
                line.extend_from_slice(s);
                list.push((hash::bucket(&name, hash::VARIABLES_BUCKETS), line));
            }
        }
        list.sort_unstable();
        let entries = list.into_iter().map(|e| e.1).chain(self.passed_on.iter().cloned()).chain(functions());
        let env: Rc<Vec<Vec<u8>>> = Rc::new(entries.collect());
        self.env = Some(Rc::clone(&env));
        env
    }
}
