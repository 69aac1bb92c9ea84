//! Automatic variables.

use crate::node::{Link, NodeId};
use crate::session::Make;
use crate::text::{Text, join, suffix_at};
use crate::vars::{Origin, Scope, Var};
use std::cell::RefCell;
use std::collections::HashSet;
use std::rc::Rc;

impl Make {
    /// Does something in the scopes of a node: those of the targets that need it, its own, and `automatic`.
    pub(crate) fn with_scopes_of<T>(
        &mut self,
        id: NodeId,
        automatic: Scope,
        action: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let mut scopes = self.scopes_of(id);
        scopes.push(automatic);
        let saved = std::mem::replace(&mut self.scopes, scopes);
        let result = action(self);
        self.scopes = saved;
        result
    }

    fn scopes_of(&self, id: NodeId) -> Vec<Scope> {
        // From the inside to the outside.
        let mut scopes = Vec::new();
        let mut at = Some(id);
        for _ in 0..self.graph.len() {
            let Some(node) = at else { break };
            // The scope of all `::` rules of a name is that of the first.
            if let Some(scope) = &self.graph[self.graph[node].head].scope {
                scopes.push(visible(scope, node == id));
            }
            if !self.patterned_scopes.is_empty() {
                scopes.extend(self.pattern_scopes(node).iter().map(|s| visible(s, node == id)));
            }
            at = self.graph[node].wanted_by;
        }
        // Private global variables are for expansion outside of recipes.
        if self.global.values().any(|v| v.private) {
            let private = self.global.iter().filter(|(_, v)| v.private);
            let hidden = private.map(|(n, v)| (n.clone(), Var { value: Text::new(), ..v.clone() })).collect();
            scopes.push(Rc::new(RefCell::new(hidden)));
        }
        scopes.reverse();
        scopes
    }

    // Variables for patterns that fit, the shortest stems first: the most special one wins.
    fn pattern_scopes(&self, id: NodeId) -> Vec<&Scope> {
        let name = &self.graph[id].name;
        let fitting = self.patterned_scopes.iter().rev();
        let mut found: Vec<(usize, &Scope)> =
            fitting.filter_map(|(p, s)| p.stem(name).map(|stem| (stem.len(), s))).collect();
        found.sort_by_key(|(len, _)| *len);
        found.into_iter().map(|(_, s)| s).collect()
    }

    /// The automatic variables of a name that is no node yet.
    pub(crate) fn scope_of_name(&self, name: &[u8], stem: &[u8]) -> Scope {
        match self.graph.find(name) {
            Some(id) => self.automatic_scope(id, Some(stem)),
            None => {
                let values = [(&b"@"[..], name), (b"*", stem)];
                let var = |text: &[u8]| Var::new(text.to_vec(), false, Origin::Automatic);
                Rc::new(RefCell::new(values.map(|(n, v)| (n.to_vec(), var(v))).into()))
            }
        }
    }

    /// The automatic variables of a target.
    pub(crate) fn automatic_scope(&self, id: NodeId, stem: Option<&[u8]>) -> Scope {
        let node = &self.graph[id];
        let stem = stem.or(node.stem.as_deref()).map_or_else(|| self.suffix_stem(&node.name), <[u8]>::to_vec);
        let path = |link: &Link| self.graph.path(link.to);
        let (order_only, normal): (Vec<&Link>, Vec<&Link>) = node.links.iter().partition(|l| l.order_only);
        let newer = normal.iter().filter(|l| l.newer).map(|l| path(l));
        let all: Vec<&[u8]> = normal.iter().map(|l| path(l)).collect();
        let known: HashSet<&[u8]> = all.iter().copied().collect();
        let order_only = order_only.iter().map(|l| path(l)).filter(|n| !known.contains(n));
        let values = [
            ("@", self.graph.path(id).to_vec()),
            ("*", stem),
            ("<", all.first().copied().unwrap_or_default().to_vec()),
            ("^", join(unique(all.iter().copied()))),
            ("+", join(&all)),
            ("?", join(unique(newer))),
            ("|", join(unique(order_only))),
            ("%", Text::new()),
        ];
        let values = values.map(|(n, v)| (n.as_bytes().to_vec(), Var::new(v, false, Origin::Automatic)));
        Rc::new(RefCell::new(values.into()))
    }

    // Without an implicit rule `$*` is the name without a known suffix.
    fn suffix_stem(&self, name: &[u8]) -> Text {
        let Some(at) = suffix_at(name) else { return Text::new() };
        let suffix = name.get(at..).unwrap_or_default();
        if self.suffixes.iter().any(|s| s == suffix) {
            return name.get(..at).unwrap_or_default().to_vec();
        }
        Text::new()
    }
}

// The scope without what is only for its own target.
fn visible(scope: &Scope, own: bool) -> Scope {
    if own || !scope.borrow().values().any(|v| v.private) {
        return Rc::clone(scope);
    }
    let shown =
        scope.borrow().iter().filter(|(_, v)| !v.private).map(|(n, v)| (n.clone(), v.clone())).collect();
    Rc::new(RefCell::new(shown))
}

fn unique<'a>(list: impl Iterator<Item = &'a [u8]>) -> Vec<&'a [u8]> {
    let mut seen = HashSet::new();
    list.filter(|n| seen.insert(*n)).collect()
}
