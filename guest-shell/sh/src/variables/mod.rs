//! Variables: values, attributes and dynamic scope.
//!
//! One table holds what is visible now. A scope remembers what its declarations hid and puts it back when it ends, so
//! a look-up never walks the scopes.

mod array;
mod assoc;
pub(crate) mod hash;

pub(crate) use array::IndexedArray;
pub(crate) use assoc::AssocArray;

use rustc_hash::FxBuildHasher;
use std::collections::HashMap;
use std::rc::Rc;

/// A variable's name.
pub(crate) type Name = Box<[u8]>;

/// Attributes of a variable, or-ed.
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
    /// The trace attribute; it means nothing for variables.
    pub(crate) const TRACE: u16 = 128;
    /// Declared but without a value.
    pub(crate) const INVISIBLE: u16 = 256;
    /// Assignments have side effects (`PATH`, `IFS`…).
    pub(crate) const HOOKED: u16 = 512;
    /// Declared by `local` in the scope numbered in the variable.
    pub(crate) const LOCAL: u16 = 1024;
    /// Came with an assignment before a command.
    pub(crate) const TEMPORARY: u16 = 2048;
    /// Cannot be unset (`BASHOPTS`…).
    pub(crate) const NO_UNSET: u16 = 4096;
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

    pub(crate) fn is_array(&self) -> bool {
        !matches!(self.value, Value::Str(_))
    }

    pub(crate) fn is_assoc(&self) -> bool {
        matches!(self.value, Value::Assoc(_))
    }

    /// The value of `$name`: for arrays element 0.
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

    /// The buffer that `name=value` overwrites. Makes the variable visible.
    pub(crate) fn scalar_mut(&mut self) -> &mut Vec<u8> {
        self.attrs &= !attr::INVISIBLE;
        match &mut self.value {
            Value::Str(s) => s,
            Value::Indexed(a) => a.entry(0),
            Value::Assoc(a) => a.entry(b"0"),
        }
    }

    /// Letters of the attributes as `declare -p` shows them, `--` if there are none.
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
    table: HashMap<Name, Variable, FxBuildHasher>,
    scopes: Vec<Scope>,
    env: Option<Rc<Vec<Vec<u8>>>>,
}

/// Names whose assignment has side effects in the shell.
pub(crate) fn is_hooked(name: &[u8]) -> bool {
    matches!(
        name,
        b"PATH"
            | b"IFS"
            | b"OPTIND"
            | b"OPTERR"
            | b"RANDOM"
            | b"SRANDOM"
            | b"SECONDS"
            | b"LINENO"
            | b"BASHPID"
            | b"EPOCHSECONDS"
            | b"EPOCHREALTIME"
            | b"BASH_COMMAND"
            | b"BASH_SUBSHELL"
            | b"BASH_ARGV0"
            | b"FUNCNAME"
            | b"BASH_SOURCE"
            | b"BASH_LINENO"
            | b"DIRSTACK"
            | b"GROUPS"
            | b"HISTCMD"
            | b"GLOBIGNORE"
            | b"POSIXLY_CORRECT"
            | b"FUNCNEST"
            | b"BASH_XTRACEFD"
            | b"IGNOREEOF"
            | b"BASH_COMPAT"
            | b"BASH_ALIASES"
            | b"BASH_CMDS"
    )
}

impl Variables {
    pub(crate) fn get(&self, name: &[u8]) -> Option<&Variable> {
        self.table.get(name)
    }

    /// The variable, if it is there. Call [`touch`](Self::touch) after changing an exported one.
    pub(crate) fn get_mut(&mut self, name: &[u8]) -> Option<&mut Variable> {
        self.table.get_mut(name)
    }

    /// The variable; a new one has no value yet.
    pub(crate) fn entry(&mut self, name: &[u8]) -> &mut Variable {
        // Two look-ups, because `entry` of the standard map needs an owned key even if it is there.
        if !self.table.contains_key(name) {
            let mut new = Variable::invisible(0);
            if is_hooked(name) {
                new.attrs |= attr::HOOKED;
            }
            self.table.insert(name.into(), new);
        }
        self.table.entry(name.into()).or_insert_with(|| Variable::invisible(0))
    }

    /// Puts a variable as is.
    pub(crate) fn insert(&mut self, name: &[u8], mut variable: Variable) {
        if is_hooked(name) {
            variable.attrs |= attr::HOOKED;
        }
        if variable.has(attr::EXPORT) {
            self.env = None;
        }
        self.table.insert(name.into(), variable);
    }

    /// Takes the variable out of the table, whatever its scope.
    pub(crate) fn take(&mut self, name: &[u8]) -> Option<Variable> {
        let old = self.table.remove(name);
        if old.as_ref().is_some_and(|v| v.has(attr::EXPORT)) {
            self.env = None;
        }
        old
    }

    /// Forgets the cached environment.
    pub(crate) fn touch(&mut self) {
        self.env = None;
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&[u8], &Variable)> {
        self.table.iter().map(|(k, v)| (&**k, v))
    }

    /// All names in byte order.
    pub(crate) fn sorted_names(&self) -> Vec<Name> {
        let mut names: Vec<Name> = self.table.keys().cloned().collect();
        names.sort_unstable();
        names
    }

    pub(crate) fn push_scope(&mut self, kind: ScopeKind) {
        self.scopes.push(Scope { kind, saved: Vec::new() });
    }

    /// Ends the innermost scope. Returns the names that got an older value back and have side effects.
    pub(crate) fn pop_scope(&mut self) -> Vec<Name> {
        let mut hooked = Vec::new();
        let Some(scope) = self.scopes.pop() else { return hooked };
        for (name, old) in scope.saved.into_iter().rev() {
            let exported = |v: &Variable| v.has(attr::EXPORT);
            let now = self.table.get(&name);
            if now.is_some_and(exported) || old.as_ref().is_some_and(exported) {
                self.env = None;
            }
            if now.is_some_and(|v| v.has(attr::HOOKED)) {
                hooked.push(name.clone());
            }
            match old {
                Some(old) => {
                    self.table.insert(name, old);
                }
                None => {
                    self.table.remove(&name);
                }
            }
        }
        hooked
    }

    pub(crate) fn depth(&self) -> usize {
        self.scopes.len()
    }

    pub(crate) fn in_function(&self) -> bool {
        self.scopes.iter().any(|s| s.kind == ScopeKind::Function)
    }

    // Number (1-based) of the innermost function scope.
    fn function_scope(&self) -> Option<usize> {
        self.scopes.iter().rposition(|s| s.kind == ScopeKind::Function).map(|i| i + 1)
    }

    /// Whether the visible variable was declared in the innermost function.
    pub(crate) fn is_local_here(&self, name: &[u8]) -> bool {
        match (self.table.get(name), self.function_scope()) {
            (Some(v), Some(scope)) => v.scope as usize == scope,
            _ => false,
        }
    }

    /// Makes `name` a variable of the innermost function (or of the innermost scope with `temporary`), hiding what
    /// is visible. Returns the new variable, or the present one if this scope has it already; `None` outside of any
    /// scope.
    pub(crate) fn declare_local(&mut self, name: &[u8], temporary: bool) -> Option<&mut Variable> {
        let number = if temporary { self.scopes.len() } else { self.function_scope()? };
        let scope = number.checked_sub(1).and_then(|i| self.scopes.get_mut(i))?;
        let here = self.table.get(name).is_some_and(|v| v.scope as usize == number);
        if !here {
            let number = u32::try_from(number).unwrap_or(u32::MAX);
            let mut new = Variable::invisible(number);
            if is_hooked(name) {
                new.attrs |= attr::HOOKED;
            }
            let old = match self.table.get_mut(name) {
                Some(slot) => Some(std::mem::replace(slot, new)),
                None => self.table.insert(name.into(), new),
            };
            if old.as_ref().is_some_and(|v| v.has(attr::EXPORT)) {
                self.env = None;
            }
            scope.saved.push((name.into(), old));
        }
        self.table.get_mut(name)
    }

    /// The variable that [`declare_local`](Self::declare_local) hid in the innermost function.
    pub(crate) fn hidden(&self, name: &[u8]) -> Option<&Variable> {
        self.scopes.iter().rev().find_map(|s| s.saved.iter().find(|e| *e.0 == *name)).and_then(|e| e.1.as_ref())
    }

    /// Runs `f` on the global variable of that name, past all local ones.
    pub(crate) fn with_global<R>(&mut self, name: &[u8], f: impl FnOnce(&mut Self) -> R) -> R {
        let position = self
            .scopes
            .iter()
            .enumerate()
            .find_map(|(i, s)| s.saved.iter().position(|e| *e.0 == *name).map(|j| (i, j)));
        let Some((i, j)) = position else { return f(self) };
        // Swap the global variable into the table, run, and swap back.
        let local = self.table.remove(name);
        let global = self.scopes.get_mut(i).and_then(|s| s.saved.get_mut(j)).and_then(|e| e.1.take());
        if let Some(global) = global {
            self.table.insert(name.into(), global);
        }
        let scopes = std::mem::take(&mut self.scopes);
        let result = f(self);
        self.scopes = scopes;
        let global = self.table.remove(name);
        if let Some(e) = self.scopes.get_mut(i).and_then(|s| s.saved.get_mut(j)) {
            e.1 = global;
        }
        if let Some(local) = local {
            self.table.insert(name.into(), local);
        }
        self.env = None;
        result
    }

    /// Removes the visible variable as `unset` does: in its own function a local one stays local, without value; in
    /// a called function the next outer one becomes visible.
    pub(crate) fn unset(&mut self, name: &[u8], reveal_always: bool) {
        self.env = None;
        let Some(v) = self.table.get_mut(name) else { return };
        let number = v.scope as usize;
        if number == 0 {
            self.table.remove(name);
            return;
        }
        let innermost = self.scopes.iter().rposition(|s| s.kind == ScopeKind::Function).map(|i| i + 1);
        if Some(number) == innermost && !v.has(attr::TEMPORARY) && !reveal_always {
            *v = Variable { attrs: attr::INVISIBLE | attr::LOCAL | (v.attrs & attr::HOOKED), ..Variable::invisible(v.scope) };
            return;
        }
        let saved = self.scopes.get_mut(number - 1).and_then(|s| {
            let position = s.saved.iter().rposition(|e| *e.0 == *name)?;
            Some(s.saved.remove(position).1)
        });
        match saved.flatten() {
            Some(old) => {
                self.table.insert(name.into(), old);
            }
            None => {
                self.table.remove(name);
            }
        }
    }

    /// Names of the locals of the innermost function, sorted.
    pub(crate) fn local_names(&self) -> Vec<Name> {
        let Some(number) = self.function_scope() else { return Vec::new() };
        let mut names: Vec<Name> =
            self.table.iter().filter(|(_, v)| v.scope as usize == number).map(|(k, _)| k.clone()).collect();
        names.sort_unstable();
        names
    }

    /// The environment of programs as `NAME=VALUE`; `functions` are the exported ones, ready to use.
    pub(crate) fn environment(&mut self, functions: impl FnOnce() -> Vec<Vec<u8>>) -> Rc<Vec<Vec<u8>>> {
        if let Some(env) = &self.env {
            return Rc::clone(env);
        }
        let mut list: Vec<(u32, &[u8], &[u8])> = self
            .table
            .iter()
            .filter(|(_, v)| v.has(attr::EXPORT))
            .filter_map(|(k, v)| match &v.value {
                Value::Str(s) if !v.has(attr::INVISIBLE) => {
                    Some((hash::bucket(k, hash::VARIABLES_BUCKETS), &**k, s.as_slice()))
                }
                _ => None,
            })
            .collect();
        list.sort_unstable();
        let mut env: Vec<Vec<u8>> = list
            .into_iter()
            .map(|(_, k, v)| {
                let mut s = Vec::with_capacity(k.len() + v.len() + 1);
                s.extend_from_slice(k);
                s.push(b'=');
                s.extend_from_slice(v);
                s
            })
            .collect();
        env.extend(functions());
        let env = Rc::new(env);
        self.env = Some(Rc::clone(&env));
        env
    }
}
