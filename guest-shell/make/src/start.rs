//! From arguments to goals.

use crate::builtin::SUFFIXES;
use crate::node::Outcome;
use crate::options::{Options, escaped};
use crate::say::{Result, bytes};
use crate::schedule::Goal;
use crate::session::Make;
use crate::text::{Text, join, strip, words};
use crate::usage;
use crate::vars::{Origin, Var, parse_assignment};
use sandshell_sys as sys;

/// Makefiles may be remade this often.
const MOST_RESTARTS: usize = 100;

/// Runs `make`. Returns 0, 1 with `-q` if something is not up to date, 2 on errors.
pub fn make_main(args: Vec<Vec<u8>>) -> i32 {
    let program = args.first().cloned().unwrap_or_else(|| b"make".to_vec());
    let base = program.rsplit(|b| *b == b'/').next().unwrap_or_default().to_vec();
    let mut options = match read_options(args.get(1..).unwrap_or_default()) {
        Ok(options) => options,
        Err(text) => {
            let _ = sys::write_all(2, &bytes!(base, ": ", text, "\n", usage::OPTIONS));
            return 2;
        }
    };
    if options.help || options.version {
        let text = if options.help { usage::OPTIONS } else { usage::VERSION };
        let _ = sys::write_all(1, text.as_bytes());
        return 0;
    }
    let level = std::env::var("MAKELEVEL").ok().and_then(|l| l.parse().ok()).unwrap_or(0);
    for dir in &options.directories {
        if let Err(error) = sys::chdir(dir) {
            let make = Make { program: base, level, ..Make::default() };
            return make.fatal(None, &bytes!(dir, ": ", error.to_string())).0;
        }
    }
    if options.print_directory.is_none() && !options.silent && (level > 0 || !options.directories.is_empty())
    {
        options.print_directory = Some(true);
    }
    let tells = options.print_directory == Some(true) && (!options.silent || level == 0);
    for restarts in 0..=MOST_RESTARTS {
        let mut make = Make { program: base.clone(), level, o: options.clone(), ..Make::default() };
        if tells && restarts == 0 {
            make.tell_directory("Entering");
        }
        let status = match make.run(&program, restarts) {
            Ok(Some(status)) => status,
            Ok(None) if restarts < MOST_RESTARTS => continue,
            Ok(None) => 2,
            Err(fatal) => {
                let _ = make.wait_for_jobs();
                fatal.0
            }
        };
        make.remove_leftovers();
        if make.o.print_data {
            make.print_data();
        }
        if tells {
            make.tell_directory("Leaving");
        }
        return status;
    }
    2
}

// Those of the environment come first; their variables last.
fn read_options(args: &[Text]) -> std::result::Result<Options, Text> {
    let mut options = Options::new();
    if let Some(flags) = std::env::var_os("MAKEFLAGS") {
        options.read_flags(&flags.into_encoded_bytes());
    }
    let inherited = std::mem::take(&mut options.variables);
    options.read(args)?;
    options.variables.extend(inherited);
    Ok(options)
}

impl Make {
    // The exit status; none if make is to start again with makefiles that have changed.
    fn run(&mut self, program: &[u8], restarts: usize) -> Result<Option<i32>> {
        self.define_builtin();
        self.define_from_outside(program);
        self.define_command_line()?;
        if restarts > 0 {
            self.set_global(b"MAKE_RESTARTS", restarts.to_string().as_bytes(), Origin::Environment, false);
        }
        for text in self.o.evals.clone() {
            self.eval(&text)?;
        }
        self.read_makefiles()?;
        self.loc = None;
        self.complete_rules();
        self.read_vpath_variable()?;
        // Names of the command line count as mentioned.
        for name in self.o.assume_new.iter().chain(&self.o.assume_old) {
            self.graph.intern(name);
        }
        let Some(complete) = self.refresh_makefiles(restarts)? else { return Ok(None) };
        let goals = self.find_goals()?;
        let outcome = self.build(goals)?;
        if self.told_future {
            self.warn(None, b"warning:  Clock skew detected.  Your build may be incomplete.");
        }
        Ok(Some(match outcome {
            Outcome::Fine if complete => 0,
            Outcome::Stale => 1,
            Outcome::Fine | Outcome::Failed => 2,
        }))
    }

    fn define_from_outside(&mut self, program: &[u8]) {
        self.env =
            std::env::vars_os().map(|(n, v)| (n.into_encoded_bytes(), v.into_encoded_bytes())).collect();
        let origin = if self.o.env_wins { Origin::EnvironmentOverride } else { Origin::Environment };
        for (name, value) in &self.env {
            // The shell of recipes is not the user's.
            if ![&b"SHELL"[..], b"MAKEFLAGS", b"MAKELEVEL"].contains(&name.as_slice()) {
                self.global.insert(name.clone(), Var::new(value.clone(), true, origin));
            }
        }
        self.set_global(b"MAKE_COMMAND", program, Origin::Default, false);
        self.set_global(b"MAKE", b"$(MAKE_COMMAND)", Origin::Default, true);
        self.set_global(b"MAKELEVEL", self.level.to_string().as_bytes(), Origin::Environment, false);
        self.set_global(b"CURDIR", &sys::getcwd().unwrap_or_default(), Origin::File, false);
        self.set_global(b"MAKEFILE_LIST", b"", Origin::File, false);
        self.set_global(b"MAKECMDGOALS", &join(&self.o.goals), Origin::Default, false);
        let suffixes = if self.o.no_rules { "" } else { SUFFIXES };
        self.set_suffixes(words(suffixes.as_bytes()).map(<[u8]>::to_vec).collect());
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
            let mut var = Var::new(join(list.iter().map(|w| escaped(w))), true, Origin::Environment);
            var.export = Some(false);
            self.global.insert(b"MAKEOVERRIDES".to_vec(), var);
        }
        self.set_flags_variables(&self.o.makeflags());
        Ok(())
    }

    fn tell_directory(&self, what: &str) {
        self.message(&bytes!(what, " directory '", sys::getcwd().unwrap_or_default(), "'"));
    }

    fn find_goals(&mut self) -> Result<Vec<Goal>> {
        let mut names = self.o.goals.clone();
        if names.is_empty() {
            let goal = self.var_value(b".DEFAULT_GOAL")?;
            names = words(&goal).map(<[u8]>::to_vec).collect();
            let wrong = match names.len() {
                1 => None,
                0 if self.o.makefiles.is_empty() && self.makefiles.iter().all(|m| m.optional) => {
                    Some(&b"No targets specified and no makefile found"[..])
                }
                0 => Some(&b"No targets"[..]),
                _ => Some(&b".DEFAULT_GOAL contains more than one target"[..]),
            };
            if let Some(text) = wrong {
                return Err(self.fatal(None, text));
            }
        }
        Ok(names.iter().map(|name| Goal::new(self.graph.intern(name), false)).collect())
    }
}
