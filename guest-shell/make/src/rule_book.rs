//! Pattern rules, also those that are written as suffix rules.

use crate::builtin;
use crate::node::Recipe;
use crate::session::Make;
use crate::text::{Pattern, Text, join};
use crate::vars::Origin;
use std::rc::Rc;

/// A rule for names of a form.
#[derive(Clone, Debug)]
pub(crate) struct PatternRule {
    pub(crate) targets: Vec<Pattern>,
    /// The targets as written.
    pub(crate) target_texts: Vec<Text>,
    pub(crate) needs: Vec<Text>,
    pub(crate) order_only: Vec<Text>,
    /// With `::`: what it needs has to be there already.
    pub(crate) terminal: bool,
    pub(crate) recipe: Option<Rc<Recipe>>,
}

impl PatternRule {
    // From one suffix to another.
    fn from_suffixes(from: &[u8], to: &[u8], recipe: Rc<Recipe>) -> Self {
        let target = [b"%", to].concat();
        Self {
            targets: vec![Pattern::new(&target)],
            target_texts: vec![target],
            needs: vec![[b"%", from].concat()],
            order_only: Vec::new(),
            terminal: false,
            recipe: Some(recipe),
        }
    }

    fn is_like(&self, other: &Self) -> bool {
        self.target_texts == other.target_texts
            && self.needs == other.needs
            && self.order_only == other.order_only
    }
}

impl Make {
    /// Adds a rule of a makefile; it replaces one with the same targets and prerequisites.
    pub(crate) fn add_pattern_rule(&mut self, rule: PatternRule) {
        match self.rules.iter_mut().find(|r| r.is_like(&rule)) {
            Some(old) => *old = rule,
            None => self.rules.push(rule),
        }
    }

    /// Adds, when all makefiles are read, what suffix rules mean, and what is built in.
    pub(crate) fn complete_rules(&mut self) {
        let suffixes = self.suffixes.clone();
        let mut more = Vec::new();
        for to in std::iter::once(&Text::new()).chain(&suffixes) {
            for from in &suffixes {
                let written = self.graph.find(&[from.as_slice(), to].concat());
                if let Some(node) = written.map(|id| &self.graph[id]).filter(|n| n.links.is_empty())
                    && let Some(recipe) = &node.recipe
                {
                    more.push(PatternRule::from_suffixes(from, to, Rc::clone(recipe)));
                }
            }
        }
        let known = |suffix: &str| suffix.is_empty() || suffixes.iter().any(|s| s == suffix.as_bytes());
        for (to, from, lines) in builtin::RULES.iter().filter(|_| !self.o.no_rules) {
            if known(to) && known(from) {
                let lines: Vec<Text> = lines.iter().map(|l| l.as_bytes().to_vec()).collect();
                let offsets = (0..lines.len()).collect();
                let recipe = Rc::new(Recipe { lines, loc: None, offsets });
                more.push(PatternRule::from_suffixes(from.as_bytes(), to.as_bytes(), recipe));
            }
        }
        for rule in more {
            if !self.rules.iter().any(|r| r.is_like(&rule)) {
                self.rules.push(rule);
            }
        }
    }

    /// Sets the known suffixes.
    pub(crate) fn set_suffixes(&mut self, list: Vec<Text>) {
        self.set_global(b"SUFFIXES", &join(&list), Origin::Default, false);
        self.suffixes = list;
    }

    /// Whether a name is that of a suffix rule.
    pub(crate) fn is_suffix_rule(&self, name: &[u8]) -> bool {
        let known = |text: &[u8]| self.suffixes.iter().any(|s| s == text);
        self.suffixes
            .iter()
            .filter_map(|s| name.strip_prefix(s.as_slice()))
            .any(|rest| rest.is_empty() || known(rest))
    }
}
