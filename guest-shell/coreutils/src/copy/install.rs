//! `install`.

use super::engine::{Engine, Outcome};
use super::options::Options;
use super::target::{inside, plan};
use crate::base::backup;
use crate::base::directories::make_parents;
use sandshell_cli::options::{self, Spec, named, option};
use sandshell_cli::out;
use sandshell_cli::quote::{quote, quoteaf};
use sandshell_cli::{bytes, warn};
use sandshell_posix::mode::ModeExpression;
use sandshell_posix::{path, process, users};
use sandshell_sys::{self as sys, Errno};
use std::ffi::OsString;

struct Attributes {
    mode: ModeExpression,
    uid: Option<u32>,
    gid: Option<u32>,
}

const SPEC: Spec = Spec {
    name: "install",
    usage: "\
Usage: install [OPTION]... [-T] SOURCE DEST
  or:  install [OPTION]... SOURCE... DIRECTORY
  or:  install [OPTION]... -t DIRECTORY SOURCE...
  or:  install [OPTION]... -d DIRECTORY...
Copies files and sets their modes and owners, or makes directories with -d.

",
    options: &[
        named(
            "b",
            "--backup[=CONTROL]",
            "keep what would be replaced; CONTROL is none, numbered, existing or simple",
        ),
        option("-b", "as --backup, with the default"),
        option("-c", "nothing: for old scripts"),
        option("-C, --compare", "leave files alone that are the same already"),
        option("-d, --directory", "the arguments are directories to make"),
        option("-D", "make the directories above DEST"),
        option("-g, --group=GROUP", "the group"),
        option("-m, --mode=MODE", "the mode, as in chmod; rwxr-xr-x by default"),
        option("-o, --owner=OWNER", "the owner"),
        option("-p, --preserve-timestamps", "the times of SOURCE"),
        option("-s, --strip", "leave symbols out of programs"),
        option("--strip-program=PROGRAM", "what strips them"),
        option("-S, --suffix=SUFFIX", "what backups end with"),
        option("-t, --target-directory=DIRECTORY", "the DIRECTORY for the files"),
        option("-T, --no-target-directory", "DEST is a name, never a directory"),
        option("-v, --verbose", "tell of each directory and copy"),
        option("-Z, --context[=CTX]", "the security context; there are none here"),
    ],
    ..Spec::DEFAULT
};

/// Runs `install` and returns its exit status.
pub fn install_main(args: Vec<OsString>) -> i32 {
    run(args).unwrap_or_else(|code| code)
}

/// What the options say, besides those about copying.
#[derive(Default)]
struct Request {
    directories: bool,
    leading: bool,
    compare: bool,
    strip: bool,
    strip_program: Option<Vec<u8>>,
    target: Option<Vec<u8>>,
    no_directory: bool,
    suffix: Option<Vec<u8>>,
    backup: Option<Option<Vec<u8>>>,
    mode: Option<Vec<u8>>,
    owner: Option<Vec<u8>>,
    group: Option<Vec<u8>>,
}

fn run(args: Vec<OsString>) -> Result<i32, i32> {
    let parsed = SPEC.parse(&options::operands(args))?;
    let mut o = Options::plain("install");
    o.remove_destination = true;
    let mut request = Request::default();
    for g in &parsed.options {
        match g.id {
            "b" => request.backup = Some(g.value.clone()),
            "C" => request.compare = true,
            "d" => request.directories = true,
            "D" => request.leading = true,
            "g" => request.group = Some(g.text().to_vec()),
            "m" => request.mode = Some(g.text().to_vec()),
            "o" => request.owner = Some(g.text().to_vec()),
            "p" => o.preserve_times = true,
            "s" => request.strip = true,
            "strip-program" => request.strip_program = Some(g.text().to_vec()),
            "t" => request.target = Some(g.text().to_vec()),
            "T" => request.no_directory = true,
            "v" => o.verbose = true,
            "S" => request.suffix = Some(g.text().to_vec()),
            _ => {}
        }
    }
    let attributes = request.settle(&mut o)?;
    let ok = if request.directories {
        if parsed.operands.is_empty() {
            return Err(SPEC.usage("missing file operand"));
        }
        parsed.operands.iter().filter(|dir| !directory(dir, &attributes, o.verbose)).count() == 0
    } else {
        request.install(parsed.operands, &o, &attributes)?
    };
    Ok(out::finish("install", i32::from(!ok), 1))
}

impl Request {
    /// Compares the options with each other, and reads mode, owner and group.
    fn settle(&mut self, o: &mut Options) -> Result<Attributes, i32> {
        if self.directories && self.strip {
            warn!("install", "the strip option may not be used when installing a directory");
            return Err(1);
        }
        if self.backup.is_some() || self.suffix.is_some() {
            o.backup = backup::method(&SPEC, self.backup.take().flatten().as_deref())?;
        }
        o.suffix = backup::suffix(self.suffix.as_deref());
        let mode = self.mode.as_deref().unwrap_or(b"755");
        let mode = ModeExpression::parse(mode).map_err(|_| {
            warn!("install", "invalid mode ", quote(mode));
            1
        })?;
        for (excluded, option) in [(o.preserve_times, "--preserve-timestamps"), (self.strip, "--strip")] {
            if self.compare && excluded {
                let text = format!("options --compare (-C) and {option} are mutually exclusive");
                return Err(SPEC.usage(text));
            }
        }
        if self.compare && extra(mode.apply(0, false, 0)) {
            let what =
                "the --compare (-C) option is ignored when you specify a mode with non-permission bits";
            warn!("install", what);
        }
        if self.strip_program.is_some() && !self.strip {
            warn!("install", "WARNING: ignoring --strip-program option as -s option was not specified");
        }
        let invalid = |what: &str, name: &[u8]| {
            warn!("install", "invalid ", what, " ", quote(name));
            1
        };
        let mut a = Attributes { mode, uid: None, gid: None };
        if let Some(name) = &self.owner {
            let uid = users::user_named(name).map(|u| u.uid).or_else(|| users::number(name));
            a.uid = Some(uid.ok_or_else(|| invalid("user", name))?);
        }
        if let Some(name) = &self.group {
            a.gid = Some(users::parse_group(name).ok_or_else(|| invalid("group", name))?);
        }
        Ok(a)
    }

    /// Installs files. Returns whether all were.
    fn install(self, operands: Vec<Vec<u8>>, o: &Options, a: &Attributes) -> Result<bool, i32> {
        let mut no_directory = self.no_directory;
        if self.leading {
            match &self.target {
                Some(dir) => make_target(dir, o.verbose)?,
                None => no_directory |= operands.len() == 2,
            }
        }
        let plan = plan(&SPEC, operands, self.target, no_directory)?;
        let strip = self.strip.then(|| self.strip_program.unwrap_or_else(|| b"strip".to_vec()));
        let mut engine = Engine::new(o);
        engine.several = plan.into && plan.sources.len() > 1;
        let mut ok = true;
        for source in &plan.sources {
            let to = if plan.into { inside(&plan.target, source) } else { plan.target.clone() };
            if self.leading && !plan.into && !make_leading(path::dir_name(&to), o.verbose) {
                ok = false;
                continue;
            }
            if sys::stat(source, true).is_ok_and(|s| s.is_dir()) {
                warn!("install", "omitting directory ", quoteaf(source));
                ok = false;
                continue;
            }
            let wanted = a.mode.apply(0, false, 0);
            if self.compare && unchanged(source, &to, a, wanted) {
                continue;
            }
            ok &= engine.argument(source, &to) != Outcome::Failed
                && strip.as_deref().is_none_or(|program| run_strip(program, &to))
                && apply(&to, a, wanted);
        }
        Ok(ok)
    }
}

/// Makes the target directory, unless it is there.
fn make_target(dir: &[u8], verbose: bool) -> Result<(), i32> {
    let wrong = match sys::stat(dir, true) {
        Ok(s) if s.is_dir() => None,
        Ok(_) => Some(Errno::NOTDIR),
        Err(Errno::NOENT) => None,
        Err(e) => Some(e),
    };
    if let Some(e) = wrong {
        warn!("install", "failed to access ", quoteaf(dir), ": ", e);
        return Err(1);
    }
    if make_leading(dir, verbose) { Ok(()) } else { Err(1) }
}

fn make_leading(dir: &[u8], verbose: bool) -> bool {
    let mut say = |made: &[u8]| {
        if verbose {
            out::put(bytes!("install: creating directory ", quoteaf(made), "\n"));
        }
    };
    match make_parents(dir, 0o755, &mut say) {
        Ok(()) => true,
        Err((at, e)) => {
            warn!("install", "cannot create directory ", quoteaf(&at), ": ", e);
            false
        }
    }
}

fn directory(dir: &[u8], a: &Attributes, verbose: bool) -> bool {
    make_leading(dir, verbose) && {
        let inherited = sys::stat(dir, true).map_or(0, |s| s.mode & 0o6000);
        apply(dir, a, a.mode.apply(inherited, true, 0))
    }
}

fn apply(to: &[u8], a: &Attributes, mode: u32) -> bool {
    if (a.uid.is_some() || a.gid.is_some())
        && let Err(e) = sys::chown(to, a.uid, a.gid, true)
    {
        warn!("install", "cannot change ownership of ", quoteaf(to), ": ", e);
        return false;
    }
    match sys::chmod(to, mode) {
        Ok(()) => true,
        Err(e) => {
            warn!("install", "cannot change permissions of ", quoteaf(to), ": ", e);
            false
        }
    }
}

/// Strips a file. If that fails, the file is removed.
fn run_strip(program: &[u8], file: &[u8]) -> bool {
    out::flush();
    let named = if file.starts_with(b"-") { path::join(b".", file) } else { file.to_vec() };
    let argv = [program.to_vec(), named];
    let done = match process::start(&argv) {
        Ok(pid) => process::wait(pid).is_ok_and(|status| status.code() == 0),
        Err(e) => {
            warn!("install", "cannot run ", quoteaf(program), ": ", e);
            false
        }
    };
    if !done {
        warn!("install", "strip process terminated abnormally");
        if let Err(e) = sys::unlink(file) {
            warn!("install", "cannot unlink ", quoteaf(file), ": ", e);
        }
    }
    done
}

/// Whether a mode has bits other than permissions.
fn extra(mode: u32) -> bool {
    mode & 0o7000 != 0
}

fn unchanged(source: &[u8], to: &[u8], a: &Attributes, mode: u32) -> bool {
    let (Ok(s), Ok(t)) = (sys::stat(source, true), sys::stat(to, false)) else { return false };
    s.is_file()
        && t.is_file()
        && !extra(mode)
        && !extra(s.mode)
        && s.size == t.size
        && t.mode & 0o7777 == mode
        && a.uid.is_none_or(|u| u == t.uid)
        && a.gid.is_none_or(|g| g == t.gid)
        && read(source).is_some_and(|x| Some(x) == read(to))
}

fn read(file: &[u8]) -> Option<Vec<u8>> {
    sys::read_file(file).ok()
}
