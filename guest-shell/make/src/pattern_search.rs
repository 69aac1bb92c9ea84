//! Finding a pattern rule for a file, or several that lead to it one after the other.

use crate::graph::plain_name;
use crate::node::{Link, NodeId};
use crate::session::Make;
use crate::text::{Pattern, Text, suffix_at, words};
use sandshell_sys as sys;
use std::collections::HashSet;

/// A rule whose target has the form of a name.
#[derive(Clone)]
struct Fit {
    rule: usize,
    /// Which of the rule's targets it is.
    target: usize,
    /// The directory that the pattern was not compared with.
    dir: Text,
    stem: Text,
}

/// A rule that can be used, as all that it needs is there or can be made.
struct Plan {
    fit: Fit,
    needs: Vec<Need>,
}

struct Need {
    name: Text,
    order_only: bool,
    /// How to make it, if it is not there.
    plan: Option<Plan>,
}

/// The search for a plan for one name.
struct Attempt {
    name: Text,
    fits: Vec<Fit>,
    /// The fit being tried.
    at: usize,
    /// What it needs may be made by pattern rules, too.
    chained: bool,
    /// What it needs and has not been looked at, the next one last; none if it is not begun.
    open: Option<Vec<(Text, bool)>>,
    needs: Vec<Need>,
}

impl Attempt {
    fn next_fit(&mut self) {
        self.at += 1;
        self.open = None;
        self.needs.clear();
    }
}

/// A part of a plan that is to be written into the graph.
enum Part {
    /// A prerequisite of a node, with its place among them.
    Need(NodeId, usize, Need),
    /// The other targets of the rule that a node got.
    Partners(NodeId, Fit),
}

impl Make {
    /// Finds a pattern rule for a node, which gives it its recipe and more prerequisites.
    pub(crate) fn search_pattern_rule(&mut self, id: NodeId) {
        let name = self.graph[id].name.clone();
        let Some(plan) = self.find_plan(&name) else { return };
        let mut parts = Vec::new();
        self.adopt(id, plan, &mut parts);
        while let Some(part) = parts.pop() {
            match part {
                Part::Need(parent, place, need) => {
                    let known = self.graph.find(&need.name).is_some();
                    let to = self.graph.intern(&need.name);
                    let link = Link { to, order_only: need.order_only, newer: false };
                    self.graph[parent].links.insert(place, link);
                    if let Some(plan) = need.plan {
                        let node = &mut self.graph[to];
                        if !known {
                            (node.guessed, node.intermediate) = (true, true);
                        }
                        // Another target may have led to it before.
                        if node.recipe.is_none() {
                            node.searched = true;
                            self.adopt(to, plan, &mut parts);
                        }
                    }
                }
                Part::Partners(id, fit) => self.add_partners(id, &fit),
            }
        }
    }

    // The first plan that works out. What a plan needs is looked for on an explicit stack.
    fn find_plan(&mut self, name: &[u8]) -> Option<Plan> {
        let mut stack = vec![self.attempt(name, &[])];
        let mut hopeless: HashSet<Text> = HashSet::new();
        loop {
            let attempt = stack.last_mut()?;
            let Some(fit) = attempt.fits.get(attempt.at).cloned() else {
                if !attempt.chained {
                    (attempt.chained, attempt.at) = (true, 0);
                    continue;
                }
                hopeless.extend(stack.pop().map(|a| a.name));
                stack.last_mut()?.next_fit();
                continue;
            };
            let rule = &self.rules[fit.rule];
            if rule.recipe.is_none() || attempt.chained && rule.terminal {
                attempt.next_fit();
                continue;
            }
            if attempt.open.is_none() {
                attempt.open = Some(self.needs_of(&fit, &attempt.name));
            }
            match attempt.open.as_mut().and_then(Vec::pop) {
                None => {
                    let plan = Plan { fit, needs: std::mem::take(&mut attempt.needs) };
                    let made = stack.pop().map(|a| a.name).unwrap_or_default();
                    let Some(outer) = stack.last_mut() else { return Some(plan) };
                    // `outer` has noted it as its last need.
                    if let Some(need) = outer.needs.last_mut().filter(|n| n.name == made) {
                        need.plan = Some(plan);
                    }
                }
                Some((name, order_only)) => {
                    let there = self.is_to_be_had(&name);
                    if !there && (!attempt.chained || hopeless.contains(&name)) {
                        attempt.next_fit();
                        continue;
                    }
                    attempt.needs.push(Need { name: name.clone(), order_only, plan: None });
                    if !there {
                        // A rule does not make what it needs itself.
                        let used: Vec<usize> =
                            stack.iter().filter_map(|a| a.fits.get(a.at)).map(|f| f.rule).collect();
                        stack.push(self.attempt(&name, &used));
                    }
                }
            }
        }
    }

    // The rules that may make a name: first those whose pattern leaves least to the stem.
    fn attempt(&self, name: &[u8], used: &[usize]) -> Attempt {
        let base = name.iter().rposition(|b| *b == b'/').map_or(0, |slash| slash + 1);
        let suffix = suffix_at(name).and_then(|at| name.get(at..));
        let mut fits = Vec::new();
        // A rule for any name is only for names of which nothing better is known.
        let mut special = !used.is_empty() || suffix.is_some_and(|s| self.suffixes.iter().any(|k| k == s));
        for (index, rule) in self.rules.iter().enumerate() {
            // A rule with nothing but a target only takes one away.
            if used.contains(&index) || rule.recipe.is_none() && rule.needs.is_empty() {
                continue;
            }
            for (target, pattern) in rule.targets.iter().enumerate() {
                let whole = rule.target_texts.get(target).is_some_and(|t| t.contains(&b'/'));
                let (dir, rest) = name.split_at(if whole { 0 } else { base });
                if let Some(stem) = pattern.stem(rest).filter(|s| !s.is_empty()) {
                    special |= !is_for_any(pattern);
                    fits.push(Fit { rule: index, target, dir: dir.to_vec(), stem: stem.to_vec() });
                }
            }
        }
        if special {
            fits.retain(|f| {
                let rule = &self.rules[f.rule];
                rule.terminal || !rule.targets.get(f.target).is_some_and(is_for_any)
            });
        }
        fits.sort_by_key(|f| f.stem.len());
        Attempt { name: name.to_vec(), fits, at: 0, chained: false, open: None, needs: Vec::new() }
    }

    // What a rule needs to make a name, the last one first, and whether only the order counts.
    fn needs_of(&mut self, fit: &Fit, name: &[u8]) -> Vec<(Text, bool)> {
        let rule = &self.rules[fit.rule];
        let texts: Vec<(Text, bool)> = rule
            .needs
            .iter()
            .map(|t| (fit.fill(t), false))
            .chain(rule.order_only.iter().map(|t| (fit.fill(t), true)))
            .collect();
        let mut list = Vec::new();
        for (mut text, order_only) in texts {
            if self.specials.expand_twice && text.contains(&b'$') {
                let scope = self.scope_of_name(name, &fit.stem);
                self.scopes.push(scope);
                text = self.expand(&text).unwrap_or_default();
                self.scopes.pop();
            }
            list.extend(words(&text).map(|w| (plain_name(w).to_vec(), order_only)));
        }
        list.reverse();
        list
    }

    // Whether a file is there, or is mentioned in a makefile and so ought to be.
    fn is_to_be_had(&self, name: &[u8]) -> bool {
        self.graph.find(name).is_some_and(|id| !self.graph[id].guessed || self.graph[id].has_rule)
            || sys::stat(name, true).is_ok()
            || self.locate(name).is_some()
    }

    // Gives a node the recipe of a rule; the rest of the plan is left to do.
    fn adopt(&mut self, id: NodeId, plan: Plan, parts: &mut Vec<Part>) {
        let rule = &self.rules[plan.fit.rule];
        let node = &mut self.graph[id];
        node.recipe.clone_from(&rule.recipe);
        node.stem = Some([plan.fit.dir.as_slice(), &plan.fit.stem].concat());
        node.precious |=
            self.precious_patterns.iter().any(|p| rule.targets.contains(p) || p.stem(&node.name).is_some());
        parts.push(Part::Partners(id, plan.fit));
        let needs = plan.needs.into_iter().enumerate().rev();
        parts.extend(needs.map(|(place, need)| Part::Need(id, place, need)));
    }

    fn add_partners(&mut self, id: NodeId, fit: &Fit) {
        for (target, pattern) in self.rules[fit.rule].targets.iter().enumerate() {
            if target != fit.target {
                let partner = self.graph.intern(&[fit.dir.as_slice(), &pattern.fill(&fit.stem)].concat());
                self.graph[partner].has_rule = true;
                self.graph[id].partners.push(partner);
            }
        }
    }
}

impl Fit {
    // A prerequisite with the stem put in, in the directory of the target.
    fn fill(&self, text: &[u8]) -> Text {
        let pattern = Pattern::new(text);
        match pattern.suffix {
            None => pattern.prefix,
            Some(_) => [self.dir.as_slice(), &pattern.fill(&self.stem)].concat(),
        }
    }
}

fn is_for_any(pattern: &Pattern) -> bool {
    pattern.prefix.is_empty() && pattern.suffix.as_ref().is_some_and(Vec::is_empty)
}
