//! Variables.

use crate::say::{Result, bytes};
use crate::session::Make;
use crate::text::{Text, is_blank, strip, strip_end, strip_start};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// Where a variable's value came from, the weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Origin {
    Default,
    Environment,
    File,
    EnvironmentOverride,
    CommandLine,
    Override,
    Automatic,
}

/// A variable.
#[derive(Clone, Debug)]
pub(crate) struct Var {
    pub(crate) value: Text,
    /// Expanded when used, not when set.
    pub(crate) recursive: bool,
    pub(crate) origin: Origin,
    /// `export` or `unexport`, if said.
    pub(crate) export: Option<bool>,
    pub(crate) private: bool,
    /// A target's `+=`: the value is added to that of the scope outside.
    pub(crate) append: bool,
}

impl Var {
    /// A variable of which nothing special is said.
    pub(crate) fn new(value: Text, recursive: bool, origin: Origin) -> Self {
        Self { value, recursive, origin, export: None, private: false, append: false }
    }
}

pub(crate) type VarMap = HashMap<Text, Var>;
pub(crate) type Scope = Rc<RefCell<VarMap>>;

/// How a variable is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Assign {
    Recursive,
    Simple,
    Conditional,
    Append,
    Shell,
}

/// `NAME OP VALUE`, with the name not expanded yet.
#[derive(Clone, Debug)]
pub(crate) struct Assignment {
    pub(crate) name: Text,
    pub(crate) how: Assign,
    pub(crate) value: Text,
}

/// Splits a line at its assignment operator; none if it is no assignment.
pub(crate) fn parse_assignment(line: &[u8]) -> Option<Assignment> {
    let line = strip_start(line);
    let mut at = 0;
    let mut blank = None;
    loop {
        let b = *line.get(at)?;
        match b {
            b'#' => return None,
            b'$' => {
                if blank.is_some() {
                    return None;
                }
                at += reference_len(line.get(at..)?);
                continue;
            }
            _ if is_blank(b) => {
                blank.get_or_insert(at);
            }
            _ => {}
        }
        let rest = line.get(at..)?;
        let found = [
            (&b"::="[..], Assign::Simple),
            (b":=", Assign::Simple),
            (b"+=", Assign::Append),
            (b"?=", Assign::Conditional),
            (b"!=", Assign::Shell),
            (b"=", Assign::Recursive),
        ]
        .into_iter()
        .find(|(op, _)| rest.starts_with(op));
        if let Some((op, how)) = found {
            let name = strip_end(line.get(..at)?);
            if name.is_empty() && how != Assign::Recursive && how != Assign::Simple {
                return None;
            }
            let value = strip_start(rest.get(op.len()..)?);
            return Some(Assignment { name: name.to_vec(), how, value: value.to_vec() });
        }
        if b == b':' {
            return None;
        }
        // After a blank only an operator may follow.
        if blank.is_some() && !is_blank(b) {
            return None;
        }
        at += 1;
    }
}

/// The length of the reference at the start of `text`, which begins with `$`.
pub(crate) fn reference_len(text: &[u8]) -> usize {
    let (open, close) = match text.get(1) {
        Some(b'(') => (b'(', b')'),
        Some(b'{') => (b'{', b'}'),
        Some(_) => return 2,
        None => return 1,
    };
    let mut depth = 0;
    for (i, b) in text.iter().enumerate().skip(1) {
        if *b == open {
            depth += 1;
        } else if *b == close {
            depth -= 1;
            if depth == 0 {
                return i + 1;
            }
        }
    }
    text.len()
}

impl Make {
    /// The variable as the innermost scope has it, with the number of scopes outside of the one that has it.
    pub(crate) fn find_var(&self, name: &[u8]) -> Option<(Var, usize)> {
        self.find_var_below(name, self.scopes.len())
    }

    pub(crate) fn find_var_below(&self, name: &[u8], below: usize) -> Option<(Var, usize)> {
        for (i, scope) in self.scopes.iter().enumerate().take(below).rev() {
            if let Some(var) = scope.borrow().get(name) {
                return Some((var.clone(), i));
            }
        }
        self.global.get(name).map(|v| (v.clone(), 0))
    }

    /// Sets a variable of the program's own making.
    pub(crate) fn set_global(&mut self, name: &[u8], value: &[u8], origin: Origin, recursive: bool) {
        if self.global.get(name).is_some_and(|v| v.origin > origin) {
            return;
        }
        let mut var = Var::new(value.to_vec(), recursive, origin);
        var.export = self.global.get(name).and_then(|v| v.export);
        self.global.insert(name.to_vec(), var);
    }

    /// Carries out an assignment, in a target's scope or the global one.
    pub(crate) fn assign(
        &mut self,
        name: &[u8],
        how: Assign,
        value: &[u8],
        origin: Origin,
        scope: Option<&Scope>,
    ) -> Result<()> {
        let existing = match scope {
            Some(s) => s.borrow().get(name).cloned(),
            None => self.global.get(name).cloned(),
        };
        let mut append = false;
        let (value, recursive) = match how {
            Assign::Simple => (self.expand(value)?, false),
            Assign::Recursive => (value.to_vec(), true),
            Assign::Conditional => {
                if existing.is_some() || (scope.is_some() && self.global.contains_key(name)) {
                    return Ok(());
                }
                (value.to_vec(), true)
            }
            Assign::Shell => {
                let command = self.expand(value)?;
                (self.shell_output(&command)?, true)
            }
            Assign::Append => match &existing {
                Some(old) => {
                    let more = if old.recursive { value.to_vec() } else { self.expand(value)? };
                    append = old.append;
                    let joined = if old.value.is_empty() { more } else { bytes!(old.value, " ", more) };
                    (joined, old.recursive)
                }
                None if scope.is_some() => {
                    append = true;
                    let simple = self.global.get(name).is_some_and(|v| !v.recursive);
                    (if simple { self.expand(value)? } else { value.to_vec() }, !simple)
                }
                None => (value.to_vec(), true),
            },
        };
        let blocked = match &existing {
            Some(old) => old.origin > origin,
            // A variable of the command line also wins over a target's.
            None => {
                scope.is_some()
                    && self.global.get(name).is_some_and(|v| {
                        v.origin > origin
                            && matches!(v.origin, Origin::CommandLine | Origin::EnvironmentOverride)
                    })
            }
        };
        if blocked {
            return Ok(());
        }
        let export = existing.as_ref().and_then(|v| v.export);
        let private = existing.as_ref().is_some_and(|v| v.private);
        let var = Var { value, recursive, origin, export, private, append };
        match scope {
            Some(s) => drop(s.borrow_mut().insert(name.to_vec(), var)),
            None => {
                self.global.insert(name.to_vec(), var);
                if let Some(loc) = &self.loc {
                    self.var_locs.insert(name.to_vec(), loc.clone());
                }
                self.after_assign(name)?;
            }
        }
        Ok(())
    }

    // Some variables have an effect at once.
    fn after_assign(&mut self, name: &[u8]) -> Result<()> {
        if name == b".DEFAULT_GOAL" {
            self.default_goal_set = !self.global.get(name).is_none_or(|v| strip(&v.value).is_empty());
        } else if name == b"MAKEFLAGS" {
            let value = self.global.get(name).map(|v| v.value.clone()).unwrap_or_default();
            let value = self.expand(&value)?;
            self.o.read_flags(&value);
            let flags = self.o.makeflags();
            self.set_flags_variables(&flags);
        }
        Ok(())
    }

    pub(crate) fn set_flags_variables(&mut self, flags: &[u8]) {
        let overrides = self.global.contains_key(&b"MAKEOVERRIDES"[..]) && !self.o.variables.is_empty();
        let mut value = flags.to_vec();
        if overrides {
            value.extend_from_slice(b" -- $(MAKEOVERRIDES)");
        }
        let mut set = |name: &[u8], value: Text| {
            let mut var = Var::new(value, true, Origin::File);
            var.export = Some(true);
            self.global.insert(name.to_vec(), var);
        };
        let dashed = match flags.first() {
            None => Text::new(),
            Some(b' ') => flags.get(1..).unwrap_or_default().to_vec(),
            Some(_) => bytes!("-", flags),
        };
        set(b"MAKEFLAGS", value);
        set(b"MFLAGS", dashed);
    }

    /// The recipe prefix.
    pub(crate) fn recipe_prefix(&self) -> u8 {
        self.global.get(&b".RECIPEPREFIX"[..]).and_then(|v| v.value.first().copied()).unwrap_or(b'\t')
    }

    /// `undefine NAME`.
    pub(crate) fn undefine(&mut self, name: &[u8], origin: Origin) {
        if self.global.get(name).is_some_and(|v| v.origin <= origin) {
            self.global.remove(name);
        }
    }

    /// The environment of a recipe, with the variables of its scopes.
    pub(crate) fn environment(&mut self, with_level: bool) -> Result<Vec<Text>> {
        let mut names: Vec<Text> = self.global.keys().cloned().collect();
        for scope in self.scopes.clone() {
            names.extend(scope.borrow().keys().cloned());
        }
        names.sort();
        names.dedup();
        let mut out = Vec::new();
        for name in names {
            let Some((var, _)) = self.find_var(&name) else { continue };
            let exported = var.export.or_else(|| self.global.get(&name).and_then(|v| v.export));
            let wanted = match exported {
                Some(said) => said,
                None => match var.origin {
                    Origin::Automatic | Origin::Default => false,
                    Origin::Environment | Origin::EnvironmentOverride | Origin::CommandLine => {
                        is_shell_name(&name)
                    }
                    Origin::File | Origin::Override => {
                        is_shell_name(&name)
                            && (self.specials.export_everything || self.in_environment(&name))
                    }
                },
            };
            if !wanted || name == b"SHELL" && exported.is_none() || name == b"MAKELEVEL" {
                continue;
            }
            let value = if var.recursive || var.append { self.var_value(&name)? } else { var.value };
            out.push(bytes!(name, "=", value));
        }
        if self.global.get(&b"SHELL"[..]).is_none_or(|v| v.export.is_none())
            && let Some((_, value)) = self.env.iter().find(|(n, _)| n == b"SHELL")
        {
            out.push(bytes!("SHELL=", value));
        }
        // Names that are no variables' for make pass through.
        let level = self.level + usize::from(with_level);
        out.push(bytes!("MAKELEVEL=", level.to_string()));
        Ok(out)
    }

    fn in_environment(&self, name: &[u8]) -> bool {
        self.env.iter().any(|(n, _)| n == name)
    }
}

fn is_shell_name(name: &[u8]) -> bool {
    !name.first().is_none_or(u8::is_ascii_digit)
        && name.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_')
}
