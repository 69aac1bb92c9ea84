//! Automatic variables.

use crate::state::{FileId, Make, Origin, Scope, Var};
use crate::text::{Text, join, suffix_at};
use std::cell::RefCell;
use std::collections::HashSet;
use std::rc::Rc;

impl Make {
    /// Enters the scopes in which a file's recipe is expanded: those of the targets that need it, its own, and the
    /// automatic variables.
    pub(crate) fn scopes_of(&mut self, id: FileId) -> Vec<Scope> {
        let mut chain = Vec::new();
        let mut at = Some(id);
        let mut seen = HashSet::new();
        while let Some(file) = at {
            if !seen.insert(file) {
                break;
            }
            chain.push(file);
            at = self.files[file].parent;
        }
        let mut scopes = Vec::new();
        for file in chain.iter().rev() {
            for scope in self.pattern_scopes(*file) {
                scopes.push(self.visible(&scope, *file == id));
            }
            if let Some(scope) = self.main_scope(*file) {
                scopes.push(self.visible(&scope, *file == id));
            }
        }
        // Private global variables are for expansion outside of recipes.
        if self.global.values().any(|v| v.private) {
            let hidden = self
                .global
                .iter()
                .filter(|(_, v)| v.private)
                .map(|(n, v)| (n.clone(), Var { value: Text::new(), ..v.clone() }))
                .collect();
            scopes.insert(0, Rc::new(RefCell::new(hidden)));
        }
        scopes
    }

    // The scope of all `::` rules of a name is that of the first.
    fn main_scope(&self, id: FileId) -> Option<Scope> {
        let first = self.by_name.get(&self.files[id].name).copied().unwrap_or(id);
        self.files[first].scope.clone()
    }

    // Variables for patterns that fit, the longest stems first: the most special one wins.
    fn pattern_scopes(&self, id: FileId) -> Vec<Scope> {
        let name = &self.files[id].name;
        let mut found: Vec<(usize, &Scope)> =
            self.pattern_vars.iter().filter_map(|(p, s)| p.stem(name).map(|stem| (stem.len(), s))).collect();
        found.sort_by_key(|(len, _)| std::cmp::Reverse(*len));
        found.into_iter().map(|(_, s)| Rc::clone(s)).collect()
    }

    fn visible(&self, scope: &Scope, own: bool) -> Scope {
        if own || !scope.borrow().values().any(|v| v.private) {
            return Rc::clone(scope);
        }
        let shown =
            scope.borrow().iter().filter(|(_, v)| !v.private).map(|(n, v)| (n.clone(), v.clone())).collect();
        Rc::new(RefCell::new(shown))
    }

    /// The automatic variables of a target.
    pub(crate) fn automatic_scope(&self, id: FileId, stem: Option<&[u8]>) -> Scope {
        let file = &self.files[id];
        let scope = Scope::default();
        let set = |name: &[u8], value: Text| {
            let var = Var {
                value,
                recursive: false,
                origin: Origin::Automatic,
                export: None,
                private: false,
                append: false,
            };
            scope.borrow_mut().insert(name.to_vec(), var);
        };
        let stem = stem.or(file.stem.as_deref()).map_or_else(|| self.suffix_stem(&file.name), <[u8]>::to_vec);
        let normal: Vec<&[u8]> =
            file.deps.iter().filter(|d| !d.order_only).map(|d| self.path(d.file)).collect();
        let newer = file.deps.iter().filter(|d| !d.order_only && d.changed).map(|d| self.path(d.file));
        let order = file.deps.iter().filter(|d| d.order_only).map(|d| self.path(d.file));
        let normal_set: HashSet<&[u8]> = normal.iter().copied().collect();
        set(b"@", self.path(id).to_vec());
        set(b"*", stem);
        set(b"<", normal.first().copied().unwrap_or_default().to_vec());
        set(b"^", join(unique(normal.iter().copied())));
        set(b"+", join(&normal));
        set(b"?", join(unique(newer)));
        set(b"|", join(unique(order.filter(|n| !normal_set.contains(n)))));
        set(b"%", Text::new());
        scope
    }

    // Without an implicit rule `$*` is the name without a known suffix.
    fn suffix_stem(&self, name: &[u8]) -> Text {
        let Some(at) = suffix_at(name) else { return Text::new() };
        let suffix = name.get(at..).unwrap_or_default();
        if self.suffixes().iter().any(|s| s == suffix) {
            return name.get(..at).unwrap_or_default().to_vec();
        }
        Text::new()
    }
}

fn unique<'a>(list: impl Iterator<Item = &'a [u8]>) -> Vec<&'a [u8]> {
    let mut seen = HashSet::new();
    list.filter(|n| seen.insert(*n)).collect()
}
