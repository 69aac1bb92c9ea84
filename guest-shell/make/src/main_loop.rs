//! From arguments to goals.

use crate::options::{Options, escaped};
use crate::say::bytes;
use crate::state::{Dep, FileId, Flags, Make, Origin, Result, Status, Var};
use crate::text::{Text, join, strip};
use crate::usage;
use crate::vars::parse_assignment;
use sandshell_sys as sys;
use std::collections::{HashMap, HashSet};

/// Makefiles may be remade this often.
const MOST_RESTARTS: usize = 100;

/// Runs `make`. Returns 0, 1 with `-q` if something is not up to date, 2 on errors.
pub fn make_main(args: Vec<Vec<u8>>) -> i32 {
    let mut options = Options::new();
    let program = args.first().cloned().unwrap_or_else(|| b"make".to_vec());
    let base = program.rsplit(|b| *b == b'/').next().unwrap_or_default().to_vec();
    if let Some(flags) = std::env::var_os("MAKEFLAGS") {
        options.read_flags(&flags.into_encoded_bytes());
    }
    let inherited = std::mem::take(&mut options.variables);
    let result = options.read(args.get(1..).unwrap_or_default());
    options.variables.extend(inherited);
    if let Err(text) = result {
        let _ = sys::write_all(2, &bytes!(base, ": ", text, "\n", usage::OPTIONS));
        return 2;
    }
    if options.help || options.version {
        let text = if options.help { usage::OPTIONS } else { usage::VERSION };
        let _ = sys::write_all(1, text.as_bytes());
        return 0;
    }
    let level = std::env::var("MAKELEVEL").ok().and_then(|l| l.parse().ok()).unwrap_or(0);
    for dir in &options.directories {
        if let Err(error) = sys::chdir(dir) {
            let name = if level == 0 { base.clone() } else { bytes!(base, "[", level.to_string(), "]") };
            let text = bytes!(name, ": *** ", dir, ": ", error.to_string(), ".  Stop.\n");
            let _ = sys::write_all(2, &text);
            return 2;
        }
    }
    let quiet = options.silent || options.print_directory == Some(false);
    if options.print_directory.is_none() && !quiet && (level > 0 || !options.directories.is_empty()) {
        options.print_directory = Some(true);
    }
    let show = options.print_directory == Some(true) && !options.silent
        || options.print_directory == Some(true) && level == 0;
    let mut restarts = 0;
    loop {
        let mut make = Make::start(base.clone(), program.clone(), level, options.clone());
        if show && restarts == 0 {
            make.tell_directory("Entering");
        }
        let status = match make.run(restarts) {
            Ok(Some(status)) => status,
            Ok(None) if restarts < MOST_RESTARTS => {
                restarts += 1;
                continue;
            }
            Ok(None) => 2,
            Err(fatal) => {
                let _ = make.wait_for_unfinished();
                fatal.0
            }
        };
        make.remove_intermediates();
        if make.o.print_data {
            make.print_data();
        }
        if show {
            make.tell_directory("Leaving");
        }
        return status;
    }
}

impl Make {
    fn start(base: Text, program: Text, level: usize, o: Options) -> Self {
        let env =
            std::env::vars_os().map(|(n, v)| (n.into_encoded_bytes(), v.into_encoded_bytes())).collect();
        let mut make = Self {
            program: base,
            level,
            o,
            files: Vec::new(),
            by_name: HashMap::new(),
            rules: Vec::new(),
            vpaths: Vec::new(),
            general_vpath: Vec::new(),
            global: HashMap::new(),
            var_locs: HashMap::new(),
            scopes: Vec::new(),
            pattern_vars: Vec::new(),
            expanding: Vec::new(),
            loc: None,
            makefiles: Vec::new(),
            missing_includes: Vec::new(),
            makefile_goal: None,
            default_goal_set: false,
            flags: Flags::default(),
            silent_targets: HashSet::new(),
            ignored_targets: HashSet::new(),
            suffix_list: Vec::new(),
            precious: Vec::new(),
            jobs: Vec::new(),
            commands_started: 0,
            shell_status: None,
            remaking_makefiles: false,
            failed_already: false,
            clock_skew: false,
            env,
            depth: 0,
        };
        make.define_builtin();
        make.define_from_outside(&program);
        make
    }

    fn define_from_outside(&mut self, program: &[u8]) {
        let origin = if self.o.env_overrides { Origin::EnvironmentOverride } else { Origin::Environment };
        for (name, value) in self.env.clone() {
            // The shell of recipes is not the user's.
            if name == b"SHELL" || name == b"MAKEFLAGS" || name == b"MAKELEVEL" {
                continue;
            }
            let var = Var { value, recursive: true, origin, export: None, private: false, append: false };
            self.global.insert(name, var);
        }
        self.set_global(b"MAKE_COMMAND", program, Origin::Default, false);
        self.set_global(b"MAKE", b"$(MAKE_COMMAND)", Origin::Default, true);
        self.set_global(b"MAKELEVEL", self.level.to_string().as_bytes(), Origin::Environment, false);
        self.set_global(b"CURDIR", &sys::getcwd().unwrap_or_default(), Origin::File, false);
        self.set_global(b"MAKEFILE_LIST", b"", Origin::File, false);
        let goals = join(&self.o.goals);
        self.set_global(b"MAKECMDGOALS", &goals, Origin::Default, false);
        let suffixes = if self.o.no_rules {
            Vec::new()
        } else {
            crate::text::words(crate::builtin::SUFFIXES.as_bytes()).map(<[u8]>::to_vec).collect()
        };
        self.set_suffixes(suffixes);
    }

    // Variables of the command line, the first given first.
    fn define_command_line(&mut self) -> Result<()> {
        let list = self.o.variables.clone();
        for word in list.iter().rev() {
            let Some(a) = parse_assignment(word) else { continue };
            let name = self.expand(&a.name)?;
            self.assign(strip(&name), a.how, &a.value, Origin::CommandLine, None)?;
        }
        if !list.is_empty() {
            let overrides = join(list.iter().map(|w| escaped(w)));
            let var = Var {
                value: overrides,
                recursive: true,
                origin: Origin::Environment,
                export: Some(false),
                private: false,
                append: false,
            };
            self.global.insert(b"MAKEOVERRIDES".to_vec(), var);
        }
        let flags = self.o.makeflags();
        self.set_flags_variables(&flags);
        Ok(())
    }

    pub(crate) fn tell_directory(&self, what: &str) {
        let dir = sys::getcwd().unwrap_or_default();
        self.message(&bytes!(what, " directory '", dir, "'"));
    }

    // The exit status; none if make is to start again with makefiles that have changed.
    fn run(&mut self, restarts: usize) -> Result<Option<i32>> {
        self.define_command_line()?;
        if restarts > 0 {
            self.set_global(b"MAKE_RESTARTS", restarts.to_string().as_bytes(), Origin::Environment, false);
        }
        for text in self.o.evals.clone() {
            self.eval(&text)?;
        }
        self.read_makefiles()?;
        self.loc = None;
        self.finish_rules();
        let dirs = match self.global.contains_key(&b"VPATH"[..]) {
            true => self.var_value(b"VPATH")?,
            false => Text::new(),
        };
        self.general_vpath = dirs
            .split(|b| *b == b':' || crate::text::is_space(*b))
            .filter(|d| !d.is_empty())
            .map(<[u8]>::to_vec)
            .collect();
        if self.remake_makefiles()? {
            return Ok(None);
        }
        let goals = self.goals()?;
        let status = self.update_goals(&goals)?;
        if self.clock_skew {
            self.warn(None, b"warning:  Clock skew detected.  Your build may be incomplete.");
        }
        Ok(Some(match status {
            Status::Success => 0,
            Status::Question => 1,
            Status::Failed => 2,
        }))
    }

    fn read_makefiles(&mut self) -> Result<()> {
        if let Some(names) = std::env::var_os("MAKEFILES") {
            for name in crate::text::words(&names.into_encoded_bytes()) {
                let _ = self.read_makefile(name)?;
            }
        }
        let given = self.o.makefiles.clone();
        for name in &given {
            let read = if name == b"-" {
                let text = sys::read_to_end(0).unwrap_or_default();
                let name = b"<stdin>";
                self.eval_named(&text, name)?;
                continue;
            } else {
                self.read_makefile(name)?
            };
            if let Err(e) = read {
                self.warn(None, &bytes!(name, ": ", e.to_string()));
            }
            self.makefiles.push((name.clone(), false));
        }
        if given.is_empty() {
            for name in [&b"GNUmakefile"[..], b"makefile", b"Makefile"] {
                if self.read_makefile(name)?.is_ok() {
                    self.makefiles.push((name.to_vec(), false));
                    return Ok(());
                }
            }
            // They may be made.
            for name in [&b"GNUmakefile"[..], b"makefile", b"Makefile"] {
                self.makefiles.push((name.to_vec(), true));
            }
        }
        Ok(())
    }

    // Whether a makefile was remade.
    fn remake_makefiles(&mut self) -> Result<bool> {
        self.remaking_makefiles = true;
        let mut before = Vec::new();
        let mut goals = Vec::new();
        for (name, quiet) in self.makefiles.clone() {
            let id = self.enter(&name);
            // A file that is always made would be made for ever.
            let file = &self.files[id];
            if file.phony || (file.double_colon && file.deps.is_empty() && file.recipe.is_some()) {
                continue;
            }
            self.files[id].dont_care |= quiet;
            let time = self.mtime(id);
            before.push((id, time, name, quiet));
            goals.push(id);
        }
        let saved = self.o.clone();
        self.o.just_print = false;
        self.o.question = false;
        self.o.touch = false;
        self.o.always = false;
        let mut failed = false;
        for goal in goals {
            self.makefile_goal = Some(goal);
            let status = self.update_goals(&[goal])?;
            failed |= status == Status::Failed && !self.files[goal].dont_care;
        }
        self.o = saved;
        self.remaking_makefiles = false;
        self.makefile_goal = None;
        let mut changed = false;
        let mut missing = None;
        for (id, time, name, quiet) in before {
            self.files[id].mtime = None;
            let now = self.mtime(id);
            changed |= now != time && now != crate::state::MISSING;
            if now == crate::state::MISSING && !quiet && missing.is_none() {
                missing = Some(name);
            }
        }
        if changed && !failed {
            return Ok(true);
        }
        if failed || missing.is_some() {
            for (_, text) in std::mem::take(&mut self.missing_includes) {
                let _ = sys::write_all(2, &text);
            }
            return Err(crate::state::Fatal(2));
        }
        // Everything else is looked at again.
        for file in &mut self.files {
            if file.status == Status::Failed || file.recipe.is_none() {
                file.updated = false;
                file.state = crate::state::State::NotStarted;
                file.status = Status::Success;
                file.parent = None;
            }
        }
        self.failed_already = false;
        Ok(false)
    }

    /// Tells that the makefile being remade could not be read.
    pub(crate) fn tell_missing_include(&mut self) {
        if let Some(goal) = self.makefile_goal
            && let Some(at) = self.missing_includes.iter().position(|(id, _)| *id == goal)
        {
            let (_, text) = self.missing_includes.remove(at);
            let _ = sys::write_all(2, &text);
        }
    }

    fn goals(&mut self) -> Result<Vec<FileId>> {
        if !self.o.goals.is_empty() {
            let names = self.o.goals.clone();
            return Ok(names.iter().map(|n| self.enter(n)).collect());
        }
        let goal = self.var_value(b".DEFAULT_GOAL")?;
        let mut words = crate::text::words(&goal);
        let Some(first) = words.next() else {
            let text = if self.makefiles.iter().all(|(_, quiet)| *quiet) && self.o.makefiles.is_empty() {
                &b"No targets specified and no makefile found"[..]
            } else {
                b"No targets"
            };
            return Err(self.fatal(None, text));
        };
        if words.next().is_some() {
            return Err(self.fatal(None, b".DEFAULT_GOAL contains more than one target"));
        }
        Ok(vec![self.enter(first)])
    }

    // `-p`: the variables and rules, in make's own language.
    fn print_data(&self) {
        let mut out = b"# GNU Make 4.3\n\n# Variables\n\n".to_vec();
        let mut names: Vec<&Text> = self.global.keys().collect();
        names.sort();
        for name in names {
            let Some(var) = self.global.get(name) else { continue };
            let kind = match var.origin {
                Origin::Default => "default",
                Origin::Environment => "environment",
                Origin::File => "makefile",
                Origin::EnvironmentOverride => "environment under -e",
                Origin::CommandLine => "command line",
                Origin::Override => "'override' directive",
                Origin::Automatic => "automatic",
            };
            let op = if var.recursive { " = " } else { " := " };
            out.extend_from_slice(&if var.value.contains(&b'\n') {
                bytes!("# ", kind, "\ndefine ", name, "\n", var.value, "\nendef\n")
            } else {
                bytes!("# ", kind, "\n", name, op, var.value, "\n")
            });
        }
        out.extend_from_slice(b"\n# Implicit Rules\n");
        for rule in &self.rules {
            let deps = join(&rule.deps);
            out.extend_from_slice(&bytes!("\n", join(&rule.target_texts), ": ", deps, "\n"));
            for line in rule.recipe.iter().flat_map(|r| &r.lines) {
                out.extend_from_slice(&bytes!("\t", line, "\n"));
            }
        }
        out.extend_from_slice(b"\n# Files\n");
        for file in &self.files {
            let of = |order: bool| {
                let list: Vec<&Dep> = file.deps.iter().filter(|d| d.order_only == order).collect();
                join(list.iter().map(|d| &self.files[d.file].name))
            };
            let (normal, order) = (of(false), of(true));
            let bar = if order.is_empty() { "" } else { " | " };
            let colon = if file.double_colon { "::" } else { ":" };
            out.extend_from_slice(&bytes!("\n", file.name, colon, " ", normal, bar, order, "\n"));
            for line in file.recipe.iter().flat_map(|r| &r.lines) {
                out.extend_from_slice(&bytes!("\t", line, "\n"));
            }
        }
        let _ = sys::write_all(1, &out);
    }
}
