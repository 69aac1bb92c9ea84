//! Implicit rules: finding one for a file.

use crate::state::{Dep, FileId, Make, Rule};
use crate::text::{Pattern, Text, suffix_at};
use sandshell_sys as sys;
use std::rc::Rc;

/// A rule that applies to a file.
struct Found {
    rule: usize,
    /// Which of the rule's targets it is.
    target: usize,
    /// The directory that the pattern was not compared with.
    dir: Text,
    stem: Text,
    deps: Vec<(Text, Option<Found>)>,
    order_only: Vec<Text>,
}

/// Chains of intermediate files are not longer than this.
const LONGEST: usize = 10;

impl Make {
    /// Finds an implicit rule for a file and gives it its recipe and prerequisites.
    pub(crate) fn try_implicit_rule(&mut self, id: FileId) -> bool {
        let name = self.files[id].name.clone();
        match self.search(&name, 0) {
            Some(found) => {
                self.apply(id, found);
                true
            }
            None => false,
        }
    }

    fn search(&mut self, name: &[u8], depth: usize) -> Option<Found> {
        let slash = name.iter().rposition(|b| *b == b'/').map_or(0, |s| s + 1);
        let (dir, base) = name.split_at(slash);
        let mut candidates = Vec::new();
        let mut specific = suffix_at(name)
            .and_then(|at| name.get(at..))
            .is_some_and(|suffix| self.suffixes().iter().any(|s| s == suffix));
        for (index, rule) in self.rules.iter().enumerate() {
            if rule.in_use || (rule.deps.is_empty() && rule.recipe.is_none()) {
                continue;
            }
            for (t, pattern) in rule.targets.iter().enumerate() {
                let any = is_match_anything(pattern);
                if any && depth > 0 && !rule.terminal {
                    continue;
                }
                let with_slash = rule.target_texts.get(t).is_some_and(|t| t.contains(&b'/'));
                let (prefix, text) = if with_slash { (&b""[..], name) } else { (dir, base) };
                let Some(stem) = pattern.stem(text).filter(|s| !s.is_empty()) else { continue };
                specific |= !any;
                candidates.push((
                    stem.len(),
                    index,
                    t,
                    prefix.to_vec(),
                    stem.to_vec(),
                    any && !rule.terminal,
                ));
            }
        }
        candidates.retain(|c| !(specific && c.5));
        candidates.sort_by_key(|c| c.0);
        for chain in [false, true] {
            for (_, index, target, dir, stem, _) in &candidates {
                let rule = self.rules[*index].clone();
                if rule.recipe.is_none() || (chain && rule.terminal) {
                    continue;
                }
                if let Some(deps) = self.possible(*index, &rule, dir, stem, chain, depth, name) {
                    let order_only = rule.order_only.iter().map(|d| dep_name(d, dir, stem)).collect();
                    let (dir, stem) = (dir.clone(), stem.clone());
                    return Some(Found { rule: *index, target: *target, dir, stem, deps, order_only });
                }
            }
        }
        None
    }

    // The prerequisites of a rule, if all of them exist, are mentioned, or (in a chain) can be made.
    #[expect(clippy::too_many_arguments, reason = "what a candidate is made of")]
    fn possible(
        &mut self,
        index: usize,
        rule: &Rule,
        dir: &[u8],
        stem: &[u8],
        chain: bool,
        depth: usize,
        target: &[u8],
    ) -> Option<Vec<(Text, Option<Found>)>> {
        let mut deps = Vec::new();
        for text in rule.deps.iter().chain(&rule.order_only) {
            let name = dep_name(text, dir, stem);
            let expanded = if self.flags.second_expansion && name.contains(&b'$') {
                let scope = self.automatic_scope_for_name(target, stem);
                self.scopes.push(scope);
                let value = self.expand(&name).unwrap_or_default();
                self.scopes.pop();
                value
            } else {
                name
            };
            let order = rule.order_only.contains(text) && !rule.deps.contains(text);
            for word in crate::text::words(&expanded) {
                let word = crate::state::without_dot_slash(word).to_vec();
                if self.ought_to_exist(&word) {
                    if !order {
                        deps.push((word, None));
                    }
                    continue;
                }
                if !chain || depth >= LONGEST {
                    return None;
                }
                if let Some(r) = self.rules.get_mut(index) {
                    r.in_use = true;
                }
                let found = self.search(&word, depth + 1);
                if let Some(r) = self.rules.get_mut(index) {
                    r.in_use = false;
                }
                deps.push((word, Some(found?)));
            }
        }
        Some(deps)
    }

    fn automatic_scope_for_name(&self, target: &[u8], stem: &[u8]) -> crate::state::Scope {
        match self.lookup_file(target) {
            Some(id) => self.automatic_scope(id, Some(stem)),
            None => crate::state::Scope::default(),
        }
    }

    fn ought_to_exist(&self, name: &[u8]) -> bool {
        if let Some(id) = self.lookup_file(name) {
            let file = &self.files[id];
            if !file.intermediate || file.is_target {
                return true;
            }
        }
        sys::stat(name, true).is_ok() || self.vpath_search(name).is_some()
    }

    fn apply(&mut self, id: FileId, found: Found) {
        let Some(rule) = self.rules.get(found.rule).cloned() else { return };
        let mut list = Vec::new();
        for (name, chained) in found.deps {
            let known = self.lookup_file(&name).is_some();
            let file = self.enter(&name);
            if let Some(inner) = chained {
                if !known {
                    self.files[file].intermediate = true;
                }
                self.files[file].tried_implicit = true;
                self.apply(file, inner);
            }
            list.push(Dep { file, order_only: false, changed: false });
        }
        for name in found.order_only {
            let file = self.enter(&name);
            list.push(Dep { file, order_only: true, changed: false });
        }
        self.files[id].deps.splice(0..0, list);
        self.files[id].recipe.clone_from(&rule.recipe);
        self.files[id].stem = Some([found.dir.as_slice(), &found.stem].concat());
        for (t, pattern) in rule.targets.iter().enumerate() {
            if t == found.target {
                continue;
            }
            let name = [found.dir.as_slice(), &pattern.fill(&found.stem)].concat();
            let other = self.enter(&name);
            self.files[id].also_make.push(other);
            self.files[other].is_target = true;
        }
        let name = self.files[id].name.clone();
        if self
            .precious
            .iter()
            .any(|p| rule.target_texts.iter().any(|t| Pattern::new(t) == *p) || p.stem(&name).is_some())
        {
            self.files[id].precious = true;
        }
    }

    /// The file where `vpath` or `VPATH` has it.
    pub(crate) fn vpath_search(&self, name: &[u8]) -> Option<Text> {
        if name.starts_with(b"/") || name.is_empty() {
            return None;
        }
        let general = self.global.get(&b"VPATH"[..]).filter(|v| !v.value.is_empty());
        if self.vpaths.is_empty() && general.is_none() {
            return None;
        }
        let at = |dir: &[u8]| {
            let path = [dir, b"/", name].concat();
            let named = self.lookup_file(&path).is_some_and(|id| self.files[id].is_target);
            (named || sys::stat(&path, true).is_ok()).then_some(path)
        };
        for vpath in &self.vpaths {
            if vpath.pattern.stem(name).is_some()
                && let Some(path) = vpath.dirs.iter().find_map(|d| at(d))
            {
                return Some(path);
            }
        }
        let dirs = self.general_vpath.clone();
        dirs.iter().find_map(|d| at(d))
    }

    /// Adds a pattern rule; it replaces one with the same targets and prerequisites.
    pub(crate) fn add_pattern_rule(&mut self, rule: Rule) {
        if let Some(old) = self.rules.iter_mut().find(|r| {
            r.target_texts == rule.target_texts && r.deps == rule.deps && r.order_only == rule.order_only
        }) {
            *old = rule;
            return;
        }
        self.rules.push(rule);
    }

    /// Makes pattern rules of the suffix rules, and adds those that are built in.
    pub(crate) fn finish_rules(&mut self) {
        let suffixes = self.suffixes();
        for to in std::iter::once(&Text::new()).chain(&suffixes) {
            for from in &suffixes {
                let name = [from.as_slice(), to].concat();
                let Some(id) = self.lookup_file(&name) else { continue };
                let file = &self.files[id];
                if !file.deps.is_empty() {
                    continue;
                }
                let Some(recipe) = file.recipe.clone() else { continue };
                let target = [b"%", to.as_slice()].concat();
                let dep = [b"%", from.as_slice()].concat();
                let rule = Rule {
                    targets: vec![Pattern::new(&target)],
                    target_texts: vec![target],
                    deps: vec![dep],
                    order_only: Vec::new(),
                    terminal: false,
                    recipe: Some(recipe),
                    in_use: false,
                };
                if !self.has_rule(&rule) {
                    self.rules.push(rule);
                }
            }
        }
        if !self.o.no_rules {
            for (target, dep, lines) in crate::builtin::RULES {
                let target = format!("%{target}").into_bytes();
                let dep = format!("%{dep}").into_bytes();
                let known = |name: &[u8]| {
                    name.len() == 1 || suffixes.iter().any(|s| Some(s.as_slice()) == name.get(1..))
                };
                if !known(&target) || !known(&dep) {
                    continue;
                }
                let lines: Vec<Text> = lines.iter().map(|l| l.as_bytes().to_vec()).collect();
                let offsets = (0..lines.len()).collect();
                let rule = Rule {
                    targets: vec![Pattern::new(&target)],
                    target_texts: vec![target],
                    deps: vec![dep],
                    order_only: Vec::new(),
                    terminal: false,
                    recipe: Some(Rc::new(crate::state::Recipe { lines, loc: None, offsets })),
                    in_use: false,
                };
                if !self.has_rule(&rule) {
                    self.rules.push(rule);
                }
            }
        }
    }

    fn has_rule(&self, rule: &Rule) -> bool {
        self.rules.iter().any(|r| r.target_texts == rule.target_texts && r.deps == rule.deps)
    }

    /// The known suffixes.
    pub(crate) fn suffixes(&self) -> Vec<Text> {
        self.suffix_list.clone()
    }

    pub(crate) fn set_suffixes(&mut self, list: Vec<Text>) {
        self.set_global(b"SUFFIXES", &crate::text::join(&list), crate::state::Origin::Default, false);
        self.suffix_list = list;
    }

    /// Whether a name is that of a suffix rule.
    pub(crate) fn is_suffix_rule(&self, name: &[u8]) -> bool {
        name.starts_with(b".")
            && self.suffix_list.iter().any(|s| {
                name.strip_prefix(s.as_slice())
                    .is_some_and(|r| r.is_empty() || self.suffix_list.iter().any(|t| t == r))
            })
    }

    pub(crate) fn precious_patterns(&mut self) -> &mut Vec<Pattern> {
        &mut self.precious
    }
}

fn is_match_anything(pattern: &Pattern) -> bool {
    pattern.prefix.is_empty() && pattern.suffix.as_ref().is_some_and(Vec::is_empty)
}

fn dep_name(text: &[u8], dir: &[u8], stem: &[u8]) -> Text {
    let pattern = Pattern::new(text);
    if pattern.suffix.is_none() {
        return pattern.prefix;
    }
    [dir, &pattern.fill(stem)].concat()
}
