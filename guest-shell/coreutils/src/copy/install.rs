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
    let parsed = match SPEC.parse(&options::operands(args)) {
        Ok(p) => p,
        Err(code) => return code,
    };
    let mut o = Options::plain("install");
    o.remove_destination = true;
    let (mut directories, mut leading, mut compare, mut strip) = (false, false, false, false);
    let (mut target, mut no_directory, mut suffix, mut want_backup) = (None, false, None, None);
    let mut strip_program = None;
    let (mut wanted_mode, mut owner, mut group) = (b"755".to_vec(), None, None);
    for g in &parsed.options {
        match g.id {
            "b" => want_backup = Some(g.value.clone()),
            "C" => compare = true,
            "d" => directories = true,
            "D" => leading = true,
            "g" => group = Some(g.text().to_vec()),
            "m" => wanted_mode = g.text().to_vec(),
            "o" => owner = Some(g.text().to_vec()),
            "p" => o.preserve_times = true,
            "s" => strip = true,
            "strip-program" => strip_program = Some(g.text().to_vec()),
            "t" => target = Some(g.text().to_vec()),
            "T" => no_directory = true,
            "v" => o.verbose = true,
            "S" => suffix = Some(g.text().to_vec()),
            _ => {}
        }
    }
    if directories && strip {
        warn!("install", "the strip option may not be used when installing a directory");
        return 1;
    }
    if want_backup.is_some() || suffix.is_some() {
        match backup::method(&SPEC, want_backup.flatten().as_deref()) {
            Ok(m) => o.backup = m,
            Err(code) => return code,
        }
    }
    o.suffix = backup::suffix(suffix.as_deref());
    let Ok(mode) = ModeExpression::parse(&wanted_mode) else {
        warn!("install", "invalid mode ", quote(&wanted_mode));
        return 1;
    };
    for (excluded, option) in [(o.preserve_times, "--preserve-timestamps"), (strip, "--strip")] {
        if compare && excluded {
            return SPEC.usage(format!("options --compare (-C) and {option} are mutually exclusive"));
        }
    }
    if compare && extra(mode.apply(0, false, 0)) {
        let what = "the --compare (-C) option is ignored when you specify a mode with non-permission bits";
        warn!("install", what);
    }
    if strip_program.is_some() && !strip {
        warn!("install", "WARNING: ignoring --strip-program option as -s option was not specified");
    }
    let strip = strip.then(|| strip_program.unwrap_or_else(|| b"strip".to_vec()));
    let mut a = Attributes { mode, uid: None, gid: None };
    if let Some(name) = &owner {
        a.uid = users::user_named(name).map(|u| u.uid).or_else(|| users::number(name));
        if a.uid.is_none() {
            warn!("install", "invalid user ", quote(name));
            return 1;
        }
    }
    if let Some(name) = &group {
        a.gid = users::parse_group(name);
        if a.gid.is_none() {
            warn!("install", "invalid group ", quote(name));
            return 1;
        }
    }
    if directories {
        if parsed.operands.is_empty() {
            return SPEC.usage("missing file operand");
        }
        let mut ok = true;
        for dir in &parsed.operands {
            ok &= directory(dir, &a, o.verbose);
        }
        return out::finish("install", i32::from(!ok), 1);
    }
    if leading && let Some(dir) = &target {
        let wrong = match sys::stat(dir, true) {
            Ok(s) if s.is_dir() => None,
            Ok(_) => Some(Errno::NOTDIR),
            Err(Errno::NOENT) => None,
            Err(e) => Some(e),
        };
        if let Some(e) = wrong {
            warn!("install", "failed to access ", quoteaf(dir), ": ", e);
            return 1;
        }
        if !make_leading(dir, o.verbose) {
            return 1;
        }
    }
    if leading && target.is_none() && parsed.operands.len() == 2 {
        no_directory = true;
    }
    let plan = match plan(&SPEC, parsed.operands, target, no_directory) {
        Ok(p) => p,
        Err(code) => return code,
    };
    let mut engine = Engine::new(&o);
    engine.several = plan.into && plan.sources.len() > 1;
    let mut ok = true;
    for source in &plan.sources {
        let to = if plan.into { inside(&plan.target, source) } else { plan.target.clone() };
        if leading && !plan.into && !make_leading(path::dir_name(&to), o.verbose) {
            ok = false;
            continue;
        }
        if sys::stat(source, true).is_ok_and(|s| s.is_dir()) {
            warn!("install", "omitting directory ", quoteaf(source));
            ok = false;
            continue;
        }
        let wanted = a.mode.apply(0, false, 0);
        if compare && unchanged(source, &to, &a, wanted) {
            continue;
        }
        ok &= engine.argument(source, &to) != Outcome::Failed
            && strip.as_deref().is_none_or(|program| run_strip(program, &to))
            && apply(&to, &a, wanted);
    }
    out::finish("install", i32::from(!ok), 1)
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
