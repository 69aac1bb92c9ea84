//! What make knows: files, rules, variables.

use crate::options::Options;
use crate::text::{Pattern, Text};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// An end of the run; the message is written.
#[derive(Debug)]
pub(crate) struct Fatal(pub(crate) i32);

pub(crate) type Result<T> = std::result::Result<T, Fatal>;

/// A line of a makefile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Loc {
    pub(crate) file: Rc<[u8]>,
    pub(crate) line: usize,
}

impl Loc {
    pub(crate) fn text(&self) -> Text {
        [&self.file, format!(":{}", self.line).as_bytes()].concat()
    }
}

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

pub(crate) type VarMap = HashMap<Text, Var>;
pub(crate) type Scope = Rc<RefCell<VarMap>>;

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
    pub(crate) fn is_empty(&self) -> bool {
        self.lines.iter().all(|l| crate::text::strip(l).is_empty())
    }
}

pub(crate) type FileId = usize;

/// A prerequisite.
#[derive(Clone, Debug)]
pub(crate) struct Dep {
    pub(crate) file: FileId,
    pub(crate) order_only: bool,
    pub(crate) changed: bool,
}

/// Prerequisites to be expanded a second time.
#[derive(Clone, Debug)]
pub(crate) struct Later {
    pub(crate) text: Text,
    pub(crate) stem: Option<Text>,
    pub(crate) loc: Option<Loc>,
    pub(crate) first: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) enum State {
    #[default]
    NotStarted,
    DepsRunning,
    Running,
    Finished,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) enum Status {
    #[default]
    Success,
    /// With `-q`: it is not up to date.
    Question,
    Failed,
}

/// Nanoseconds since the epoch; a file that does not exist is older than everything.
pub(crate) type Time = i128;
pub(crate) const MISSING: Time = -1;
pub(crate) const OLD: Time = 0;
pub(crate) const NEW: Time = Time::MAX;

#[derive(Debug, Default)]
pub(crate) struct File {
    pub(crate) name: Text,
    /// Where `VPATH` found it.
    pub(crate) found: Option<Text>,
    pub(crate) deps: Vec<Dep>,
    pub(crate) later: Vec<Later>,
    pub(crate) recipe: Option<Rc<Recipe>>,
    pub(crate) stem: Option<Text>,
    pub(crate) also_make: Vec<FileId>,
    pub(crate) double_colon: bool,
    /// The other `::` rules of the name.
    pub(crate) siblings: Vec<FileId>,
    /// The first cause of its being made.
    pub(crate) parent: Option<FileId>,
    pub(crate) scope: Option<Scope>,
    pub(crate) is_target: bool,
    pub(crate) phony: bool,
    pub(crate) precious: bool,
    pub(crate) intermediate: bool,
    pub(crate) secondary: bool,
    pub(crate) tried_implicit: bool,
    pub(crate) updating: bool,
    pub(crate) updated: bool,
    /// Missing or failing is nothing to tell of.
    pub(crate) dont_care: bool,
    pub(crate) state: State,
    pub(crate) status: Status,
    pub(crate) mtime: Option<Time>,
    /// The time before its recipe ran.
    pub(crate) before: Option<Time>,
}

/// A pattern rule.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    pub(crate) targets: Vec<Pattern>,
    pub(crate) target_texts: Vec<Text>,
    pub(crate) deps: Vec<Text>,
    pub(crate) order_only: Vec<Text>,
    pub(crate) terminal: bool,
    pub(crate) recipe: Option<Rc<Recipe>>,
    /// Being used: a rule does not apply to its own prerequisites.
    pub(crate) in_use: bool,
}

/// `vpath PATTERN DIRECTORIES`.
#[derive(Debug)]
pub(crate) struct VPath {
    pub(crate) pattern: Pattern,
    pub(crate) text: Text,
    pub(crate) dirs: Vec<Text>,
}

/// Special targets without prerequisites: they say something of all.
#[derive(Debug, Default)]
pub(crate) struct Flags {
    pub(crate) silent: bool,
    pub(crate) ignore: bool,
    pub(crate) export_all: bool,
    pub(crate) all_secondary: bool,
    pub(crate) delete_on_error: bool,
    pub(crate) one_shell: bool,
    pub(crate) not_parallel: bool,
    pub(crate) posix: bool,
    pub(crate) second_expansion: bool,
}

pub(crate) struct Make {
    pub(crate) program: Text,
    pub(crate) level: usize,
    pub(crate) o: Options,
    pub(crate) files: Vec<File>,
    pub(crate) by_name: HashMap<Text, FileId>,
    pub(crate) rules: Vec<Rule>,
    pub(crate) vpaths: Vec<VPath>,
    /// The directories of `VPATH`.
    pub(crate) general_vpath: Vec<Text>,
    pub(crate) suffix_list: Vec<Text>,
    /// Of `.PRECIOUS`.
    pub(crate) precious: Vec<Pattern>,
    pub(crate) global: VarMap,
    /// Where global variables were set.
    pub(crate) var_locs: HashMap<Text, Loc>,
    /// Scopes in use, the innermost last.
    pub(crate) scopes: Vec<Scope>,
    pub(crate) pattern_vars: Vec<(Pattern, Scope)>,
    /// Recursive variables being expanded.
    pub(crate) expanding: Vec<Text>,
    pub(crate) loc: Option<Loc>,
    pub(crate) makefiles: Vec<(Text, bool)>,
    /// Messages about included files that could not be read; told if they cannot be made either.
    pub(crate) missing_includes: Vec<(FileId, Text)>,
    /// The makefile being remade.
    pub(crate) makefile_goal: Option<FileId>,
    pub(crate) default_goal_set: bool,
    pub(crate) flags: Flags,
    pub(crate) silent_targets: HashSet<Text>,
    pub(crate) ignored_targets: HashSet<Text>,
    pub(crate) jobs: Vec<crate::job::Job>,
    pub(crate) commands_started: usize,
    pub(crate) shell_status: Option<i32>,
    pub(crate) remaking_makefiles: bool,
    pub(crate) failed_already: bool,
    /// A file from the future was told of.
    pub(crate) clock_skew: bool,
    pub(crate) env: Vec<(Text, Text)>,
    pub(crate) depth: usize,
}

impl Make {
    /// The file of a name, entered if it is new.
    pub(crate) fn enter(&mut self, name: &[u8]) -> FileId {
        let name = without_dot_slash(name);
        if let Some(id) = self.by_name.get(name) {
            return *id;
        }
        let id = self.new_file(name);
        self.by_name.insert(name.to_vec(), id);
        id
    }

    pub(crate) fn new_file(&mut self, name: &[u8]) -> FileId {
        self.files.push(File { name: name.to_vec(), ..File::default() });
        self.files.len() - 1
    }

    pub(crate) fn lookup_file(&self, name: &[u8]) -> Option<FileId> {
        self.by_name.get(without_dot_slash(name)).copied()
    }

    /// The name as the recipe sees it.
    pub(crate) fn path(&self, id: FileId) -> &[u8] {
        let file = &self.files[id];
        file.found.as_deref().unwrap_or(&file.name)
    }
}

/// `./x` and `x` are one file.
pub(crate) fn without_dot_slash(mut name: &[u8]) -> &[u8] {
    while let Some(rest) = name.strip_prefix(b"./") {
        let slashes = rest.iter().take_while(|b| **b == b'/').count();
        let rest = rest.get(slashes..).unwrap_or_default();
        if rest.is_empty() {
            return b"./";
        }
        name = rest;
    }
    name
}
