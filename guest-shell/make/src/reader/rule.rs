//! Rules.

use super::{
    Modifiers, Pending, Reader, find_outside, modifiers, new_recipe, scope_of, split_recipe, unquote_name,
};
use crate::graph::plain_name;
use crate::node::{Deferred, Link, NodeId, Recipe};
use crate::rule_book::PatternRule;
use crate::say::{Fatal, Loc, Result, bytes};
use crate::session::Make;
use crate::text::{Pattern, Text, reference_words, strip, strip_start, words};
use crate::vars::{Assign, Origin, parse_assignment};
use std::rc::Rc;

impl Reader<'_> {
    pub(super) fn rule_line(
        &mut self,
        make: &mut Make,
        raw: &[u8],
        line: &[u8],
        number: usize,
    ) -> Result<()> {
        // Targets and prerequisites are expanded apart: what follows the colon may be a variable of the targets.
        let (left, right): (Text, Text) = match find_outside(line, b":;#") {
            Some(colon) if line.get(colon) == Some(&b':') => {
                let left = make.expand(line.get(..colon).unwrap_or_default())?;
                if colon_at(&left).is_some() {
                    // The expansion has a colon of its own.
                    let at = colon_at(&left).unwrap_or(0);
                    let rest =
                        bytes!(left.get(at + 1..).unwrap_or_default(), line.get(colon..).unwrap_or_default());
                    (left.get(..at).unwrap_or_default().to_vec(), rest)
                } else {
                    (left, line.get(colon + 1..).unwrap_or_default().to_vec())
                }
            }
            _ => {
                let (before, after) = split_recipe(line);
                let expanded = make.expand(before)?;
                if strip(&expanded).is_empty() && after.is_none() {
                    return Ok(());
                }
                let Some(colon) = colon_at(&expanded) else {
                    return Err(self.missing_separator(make, raw));
                };
                let mut right = expanded.get(colon + 1..).unwrap_or_default().to_vec();
                if let Some(recipe) = after {
                    right.push(b';');
                    right.extend_from_slice(recipe);
                }
                // What is expanded already is not expanded again.
                let left = expanded.get(..colon).unwrap_or_default().to_vec();
                return self.rule(make, &left, &right, true, number);
            }
        };
        self.rule(make, &left, &right, false, number)
    }

    fn missing_separator(&self, make: &Make, raw: &[u8]) -> Fatal {
        if raw.starts_with(b"        ") {
            let text = b"missing separator (did you mean TAB instead of 8 spaces?)";
            return make.fatal(make.loc.as_ref(), text);
        }
        make.fatal(make.loc.as_ref(), b"missing separator")
    }

    fn rule(
        &mut self,
        make: &mut Make,
        left: &[u8],
        right: &[u8],
        expanded: bool,
        number: usize,
    ) -> Result<()> {
        let (left, grouped) = match left.strip_suffix(b"&") {
            Some(rest) if rest.last().is_none_or(|b| *b != b'\\') => (rest, true),
            _ => (left, false),
        };
        let (right, double_colon) = match right.strip_prefix(b":") {
            Some(rest) => (rest, true),
            None => (right, false),
        };
        let targets: Vec<Text> = words(left).flat_map(|w| crate::glob::or_name(&unquote_name(w))).collect();
        if targets.is_empty() {
            // A line with only a recipe belongs to nothing.
            if strip(right).is_empty() || strip(left).is_empty() {
                self.no_targets = true;
                return Ok(());
            }
            return Err(make.fatal(make.loc.as_ref(), b"missing target"));
        }
        self.no_targets = false;
        let clean = super::without_comment(right);
        let (said, rest) = modifiers(&clean);
        let has_recipe = find_outside(rest, b";=").is_some_and(|at| rest.get(at) == Some(&b';'));
        if !has_recipe && let Some(a) = parse_assignment(rest) {
            return target_variable(make, &targets, &a.name, a.how, &a.value, said);
        }
        let (deps, recipe) = split_recipe(right);
        let mut deps = deps.to_vec();
        if !expanded {
            deps = make.expand(&deps)?;
            if recipe.is_none()
                && let Some(at) = find_outside(&deps, b";")
            {
                // A recipe out of a variable.
                let text = deps.get(at + 1..).unwrap_or_default().to_vec();
                deps.truncate(at);
                return self.start(make, targets, grouped, double_colon, &deps, Some(&text), number);
            }
        }
        let recipe = recipe.map(<[u8]>::to_vec);
        self.start(make, targets, grouped, double_colon, &deps, recipe.as_deref(), number)
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of a rule's line")]
    fn start(
        &mut self,
        make: &mut Make,
        targets: Vec<Text>,
        grouped: bool,
        double_colon: bool,
        deps: &[u8],
        recipe: Option<&[u8]>,
        number: usize,
    ) -> Result<()> {
        let mut deps = deps.to_vec();
        let mut pattern = None;
        if let Some(colon) = colon_at(&deps) {
            let text = deps.get(..colon).unwrap_or_default().to_vec();
            let mut patterns = words(&text);
            let Some(first) = patterns.next() else {
                return Err(make.fatal(make.loc.as_ref(), b"missing target pattern"));
            };
            if patterns.next().is_some() {
                return Err(make.fatal(make.loc.as_ref(), b"multiple target patterns"));
            }
            let parsed = Pattern::new(plain_name(first));
            if parsed.suffix.is_none() {
                return Err(make.fatal(make.loc.as_ref(), b"target pattern contains no '%'"));
            }
            pattern = Some(parsed);
            deps.drain(..=colon);
        }
        let loc = Loc { file: Rc::clone(&self.file), line: number };
        self.pending = Some(Pending {
            targets,
            grouped,
            double_colon,
            pattern,
            deps,
            loc: Some(loc),
            ..Pending::default()
        });
        if let Some(text) = recipe {
            let prefix = make.recipe_prefix();
            self.recipe_line(strip_start(text), number, prefix);
        }
        Ok(())
    }

    /// Enters the rule that has been read.
    pub(super) fn flush(&mut self, make: &mut Make) -> Result<()> {
        self.no_targets = false;
        let Some(pending) = self.pending.take() else { return Ok(()) };
        let recipe = new_recipe(&pending);
        if pending.targets.iter().any(|t| Pattern::new(t).suffix.is_some()) && pending.pattern.is_none() {
            return enter_pattern_rule(make, &pending, recipe);
        }
        let mut ids = Vec::new();
        for target in &pending.targets {
            if let Some(pattern) = &pending.pattern
                && pattern.stem(plain_name(target)).is_none()
            {
                let text = bytes!("target '", target, "' doesn't match the target pattern");
                make.warn(pending.loc.as_ref(), &text);
            }
            ids.push(enter_rule(make, target, &pending, recipe.as_ref())?);
        }
        if pending.grouped {
            if recipe.is_none() {
                return Err(make.fatal(pending.loc.as_ref(), b"grouped targets must provide a recipe"));
            }
            for id in &ids {
                make.graph[*id].partners = ids.iter().copied().filter(|o| o != id).collect();
            }
        }
        Ok(())
    }
}

// A colon that begins prerequisites, not one of a quoted name.
fn colon_at(text: &[u8]) -> Option<usize> {
    let mut at = 0;
    while let Some(b) = text.get(at) {
        match b {
            b'\\' if text.get(at + 1) == Some(&b':') => at += 2,
            b':' => return Some(at),
            _ => at += 1,
        }
    }
    None
}

fn target_variable(
    make: &mut Make,
    targets: &[Text],
    name: &[u8],
    how: Assign,
    value: &[u8],
    said: Modifiers,
) -> Result<()> {
    let name = make.expand(name)?;
    let name = strip(&name).to_vec();
    let origin = if said.overrides { Origin::Override } else { Origin::File };
    for target in targets {
        let scope = scope_of(make, target);
        make.assign(&name, how, value, origin, Some(&scope))?;
        if let Some(var) = scope.borrow_mut().get_mut(&name) {
            if said.export.is_some() {
                var.export = said.export;
            }
            var.private |= said.private;
        }
    }
    Ok(())
}

// Splits at a `|` that stands alone.
fn split_order_only(deps: &[u8]) -> (Vec<&[u8]>, Vec<&[u8]>) {
    let mut normal = Vec::new();
    let mut order = Vec::new();
    let mut bar = false;
    for word in reference_words(deps) {
        match word {
            b"|" => bar = true,
            _ if bar => order.push(word),
            _ if word.contains(&b'|') && !word.contains(&b'$') && !bar => {
                let at = word.iter().position(|b| *b == b'|').unwrap_or(0);
                normal.extend(word.get(..at).filter(|w| !w.is_empty()));
                order.extend(word.get(at + 1..).filter(|w| !w.is_empty()));
                bar = true;
            }
            _ => normal.push(word),
        }
    }
    (normal, order)
}

fn enter_pattern_rule(make: &mut Make, pending: &Pending, recipe: Option<Rc<Recipe>>) -> Result<()> {
    if pending.targets.iter().any(|t| Pattern::new(t).suffix.is_none()) {
        return Err(make.fatal(pending.loc.as_ref(), b"mixed implicit and normal rules"));
    }
    let (deps, order_only) = split_order_only(&pending.deps);
    let own = |list: Vec<&[u8]>| list.into_iter().map(<[u8]>::to_vec).collect::<Vec<Text>>();
    let rule = PatternRule {
        targets: pending.targets.iter().map(|t| Pattern::new(t)).collect(),
        target_texts: pending.targets.clone(),
        needs: own(deps),
        order_only: own(order_only),
        terminal: pending.double_colon,
        recipe,
    };
    make.add_pattern_rule(rule);
    Ok(())
}

fn enter_rule(
    make: &mut Make,
    target: &[u8],
    pending: &Pending,
    recipe: Option<&Rc<Recipe>>,
) -> Result<NodeId> {
    if special_target(make, target, pending) {
        return Ok(make.graph.intern(target));
    }
    let first = make.graph.intern(target);
    let mut id = first;
    if make.graph[first].has_rule && target != b".DEFAULT" {
        if make.graph[first].double_colon != pending.double_colon
            && (make.graph[first].double_colon || pending.double_colon)
        {
            let text = bytes!("target file '", make.graph[first].name.clone(), "' has both : and :: entries");
            return Err(make.fatal(pending.loc.as_ref(), &text));
        }
        if pending.double_colon {
            id = make.graph.add_double_colon(first);
        }
    }
    make.graph[id].double_colon = pending.double_colon;
    make.graph[id].has_rule = true;
    let stem = pending.pattern.as_ref().and_then(|p| p.stem(&make.graph[id].name)).map(<[u8]>::to_vec);
    if let Some(recipe) = recipe {
        if let Some(old) = make.graph[id].recipe.clone().filter(|r| r.loc.is_some())
            && !Rc::ptr_eq(&old, recipe)
        {
            let name = make.graph[id].name.clone();
            make.warn(recipe.loc.as_ref(), &bytes!("warning: overriding recipe for target '", name, "'"));
            make.warn(old.loc.as_ref(), &bytes!("warning: ignoring old recipe for target '", name, "'"));
        }
        make.graph[id].recipe = Some(Rc::clone(recipe));
    }
    if stem.is_some() {
        make.graph[id].stem.clone_from(&stem);
    }
    if stem.is_some() || pending.pattern.is_none() {
        add_links(make, id, pending, stem, recipe.is_some());
    }
    // The first target is the goal, unless it begins with a dot.
    if !make.default_goal_set && can_be_goal(make, target) {
        let name = make.graph[id].name.clone();
        make.set_global(b".DEFAULT_GOAL", &name, Origin::File, false);
        make.default_goal_set = true;
    }
    Ok(id)
}

fn can_be_goal(make: &Make, target: &[u8]) -> bool {
    if target.starts_with(b".") && !target.contains(&b'/') {
        return false;
    }
    !make.is_suffix_rule(target)
}

fn add_links(make: &mut Make, id: NodeId, pending: &Pending, stem: Option<Text>, first: bool) {
    let deps = &pending.deps;
    if make.specials.expand_twice && deps.contains(&b'$') {
        let deferred = Deferred { text: deps.clone(), stem, loc: pending.loc.clone(), first };
        make.graph[id].deferred.push(deferred);
        return;
    }
    let list = make.parse_links(deps, stem.as_deref());
    make.merge_links(id, list, first);
}

// Targets whose names say something of make itself.
fn special_target(make: &mut Make, target: &[u8], pending: &Pending) -> bool {
    let (deps, _) = split_order_only(&pending.deps);
    let deps: Vec<Text> = deps.into_iter().map(|d| plain_name(d).to_vec()).collect();
    match target {
        b".SUFFIXES" => {
            if deps.is_empty() {
                make.set_suffixes(Vec::new());
            } else {
                let mut all = make.suffixes.clone();
                all.extend(deps);
                make.set_suffixes(all);
            }
        }
        b".PHONY" => {
            for dep in deps {
                let id = make.graph.intern(&dep);
                let group: Vec<NodeId> = make.graph.group(id).collect();
                group.into_iter().for_each(|node| make.graph[node].phony = true);
            }
        }
        b".PRECIOUS" => {
            for dep in deps {
                if dep.contains(&b'%') {
                    make.precious_patterns.push(Pattern::new(&dep));
                } else {
                    let id = make.graph.intern(&dep);
                    make.graph[id].precious = true;
                }
            }
        }
        b".INTERMEDIATE" => {
            for dep in deps {
                let id = make.graph.intern(&dep);
                make.graph[id].intermediate = true;
            }
        }
        b".SECONDARY" => {
            make.specials.all_between |= deps.is_empty();
            for dep in deps {
                let id = make.graph.intern(&dep);
                make.graph[id].intermediate = true;
                make.graph[id].secondary = true;
            }
        }
        b".SILENT" => {
            make.specials.silent |= deps.is_empty();
            make.silent_targets.extend(deps);
        }
        b".IGNORE" => {
            make.specials.ignore |= deps.is_empty();
            make.ignored_targets.extend(deps);
        }
        b".DELETE_ON_ERROR" => make.specials.delete_failed = true,
        b".ONESHELL" => make.specials.one_script = true,
        b".NOTPARALLEL" => make.specials.serial = true,
        b".EXPORT_ALL_VARIABLES" => make.specials.export_everything = true,
        b".SECONDEXPANSION" => make.specials.expand_twice = true,
        b".POSIX" => {
            make.set_global(b".SHELLFLAGS", b"-ec", Origin::Default, false);
        }
        b".LOW_RESOLUTION_TIME" => {}
        _ => return false,
    }
    true
}

impl Make {
    /// The prerequisites of a text, with a stem put in for `%`.
    pub(crate) fn parse_links(&mut self, deps: &[u8], stem: Option<&[u8]>) -> Vec<Link> {
        let (normal, order) = split_order_only(deps);
        let mut list = Vec::new();
        for (words, order_only) in [(normal, false), (order, true)] {
            for word in words {
                let name = match stem {
                    Some(stem) => Pattern::new(word).fill(stem),
                    None => word.to_vec(),
                };
                for name in crate::glob::or_name(&unquote_name(&name)) {
                    let to = self.graph.intern(&name);
                    list.push(Link { to, order_only, newer: false });
                }
            }
        }
        list
    }

    /// Adds prerequisites; those of the rule with the recipe come first.
    pub(crate) fn merge_links(&mut self, id: NodeId, list: Vec<Link>, first: bool) {
        let links = &mut self.graph[id].links;
        let at = if first { 0 } else { links.len() };
        links.splice(at..at, list);
    }
}
