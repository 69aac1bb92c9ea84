//! A file that make knows of.

use crate::freshness::Time;
use crate::say::Loc;
use crate::text::{Text, strip};
use crate::vars::Scope;
use std::rc::Rc;

/// A node's place in the graph.
pub(crate) type NodeId = usize;

/// The recipe of a rule.
#[derive(Debug)]
pub(crate) struct Recipe {
    pub(crate) lines: Vec<Text>,
    /// Of the first line; of a built-in rule there is none.
    pub(crate) loc: Option<Loc>,
    /// Line numbers of the lines relative to the first.
    pub(crate) offsets: Vec<usize>,
}

impl Recipe {
    /// Whether it does nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.lines.iter().all(|l| strip(l).is_empty())
    }
}

/// From a target to one of its prerequisites.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    pub(crate) to: NodeId,
    pub(crate) order_only: bool,
    /// It belongs to `$?`.
    pub(crate) newer: bool,
}

/// Prerequisites to be expanded a second time.
#[derive(Debug)]
pub(crate) struct Deferred {
    pub(crate) text: Text,
    pub(crate) stem: Option<Text>,
    pub(crate) loc: Option<Loc>,
    /// They come in front of the others.
    pub(crate) first: bool,
}

/// How far the walk has come with a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Stage {
    #[default]
    Untouched,
    /// Its prerequisites are being looked at, or waited for.
    Open,
    /// Its recipe runs.
    Busy,
    Done,
}

/// What came of a node, the better first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Outcome {
    #[default]
    Fine,
    /// With `-q`: something has to be done.
    Stale,
    Failed,
}

/// A target, a prerequisite, or both.
#[derive(Debug, Default)]
pub(crate) struct Node {
    pub(crate) name: Text,
    /// Where `vpath` or `VPATH` found it.
    pub(crate) located: Option<Text>,
    pub(crate) links: Vec<Link>,
    pub(crate) deferred: Vec<Deferred>,
    pub(crate) recipe: Option<Rc<Recipe>>,
    pub(crate) stem: Option<Text>,
    /// Other targets that its recipe makes, too.
    pub(crate) partners: Vec<NodeId>,
    pub(crate) double_colon: bool,
    /// The node of the name's first `::` rule; itself without such rules.
    pub(crate) head: NodeId,
    /// Of such a first one: the others.
    pub(crate) others: Vec<NodeId>,
    /// The first cause of its being made.
    pub(crate) wanted_by: Option<NodeId>,
    /// The goal on whose behalf it was looked at first.
    pub(crate) goal: usize,
    pub(crate) scope: Option<Scope>,
    /// It is a target in a makefile.
    pub(crate) has_rule: bool,
    pub(crate) phony: bool,
    pub(crate) precious: bool,
    pub(crate) intermediate: bool,
    pub(crate) secondary: bool,
    /// Only a pattern rule speaks of it.
    pub(crate) guessed: bool,
    /// A pattern rule was looked for.
    pub(crate) searched: bool,
    /// It lies on the way from the goal to what the walk looks at now.
    pub(crate) on_path: bool,
    pub(crate) stage: Stage,
    pub(crate) outcome: Outcome,
    pub(crate) time: Option<Time>,
    /// The time before its recipe ran.
    pub(crate) time_before: Option<Time>,
}
