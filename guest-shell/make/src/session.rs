//! What one run of make knows.

use crate::directories::SearchPath;
use crate::graph::Graph;
use crate::job::Job;
use crate::makefiles::Makefile;
use crate::node::NodeId;
use crate::options::Options;
use crate::rule_book::PatternRule;
use crate::say::Loc;
use crate::schedule::Goal;
use crate::text::{Pattern, Text};
use crate::vars::{Scope, VarMap};
use std::collections::{HashMap, HashSet};

/// Special targets without prerequisites: they say something of all.
#[derive(Debug, Default)]
pub(crate) struct Specials {
    pub(crate) silent: bool,
    pub(crate) ignore: bool,
    pub(crate) export_everything: bool,
    /// `.SECONDARY`: each missing file is like one between two rules.
    pub(crate) all_between: bool,
    pub(crate) delete_failed: bool,
    pub(crate) one_script: bool,
    pub(crate) serial: bool,
    pub(crate) expand_twice: bool,
}

/// A run of make: what it was told, what it read, and how far it is.
#[derive(Default)]
pub(crate) struct Make {
    pub(crate) program: Text,
    /// How many makes are around this one.
    pub(crate) level: usize,
    pub(crate) o: Options,
    pub(crate) env: Vec<(Text, Text)>,

    pub(crate) global: VarMap,
    /// Where global variables were set.
    pub(crate) var_locs: HashMap<Text, Loc>,
    /// Scopes in use, the innermost last.
    pub(crate) scopes: Vec<Scope>,
    pub(crate) patterned_scopes: Vec<(Pattern, Scope)>,
    /// Recursive variables being expanded.
    pub(crate) expanding: Vec<Text>,
    /// How many references are open.
    pub(crate) nesting: usize,
    pub(crate) shell_status: Option<i32>,

    pub(crate) loc: Option<Loc>,
    pub(crate) makefiles: Vec<Makefile>,
    /// Messages about included files that could not be read; told if they cannot be made either.
    pub(crate) unread: Vec<(NodeId, Text)>,
    pub(crate) default_goal_set: bool,
    pub(crate) specials: Specials,
    pub(crate) silent_targets: HashSet<Text>,
    pub(crate) ignored_targets: HashSet<Text>,
    pub(crate) precious_patterns: Vec<Pattern>,
    pub(crate) suffixes: Vec<Text>,
    pub(crate) rules: Vec<PatternRule>,
    pub(crate) search_paths: Vec<SearchPath>,
    pub(crate) graph: Graph,

    /// The goals of the walk.
    pub(crate) goals: Vec<Goal>,
    /// The goals are makefiles.
    pub(crate) refreshing: bool,
    pub(crate) jobs: Vec<Job>,
    /// Nodes that are done, for whoever waits for them.
    pub(crate) ended: Vec<NodeId>,
    /// Something failed, and nothing more is to be started.
    pub(crate) halted: bool,
    /// A file from the future was told of.
    pub(crate) told_future: bool,
}
