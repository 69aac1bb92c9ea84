//! `mv`.

use super::engine::{Engine, Outcome};
use super::options::{Existing, Follow, Options};
use super::target::{inside, plan};
use crate::base::backup;
use crate::rm;
use sandshell_cli::options::{self, Spec, named, option};
use sandshell_cli::out;
use sandshell_posix::path;
use std::ffi::OsString;

const SPEC: Spec = Spec {
    name: "mv",
    usage: "\
Usage: mv [OPTION]... [-T] SOURCE DEST
  or:  mv [OPTION]... SOURCE... DIRECTORY
  or:  mv [OPTION]... -t DIRECTORY SOURCE...
Moves or renames files: SOURCE to DEST, or several into DIRECTORY.

",
    options: &[
        named(
            "b",
            "--backup[=CONTROL]",
            "keep what would be replaced; CONTROL is none, numbered, existing or simple",
        ),
        option("-b", "as --backup, with the default"),
        option("-f, --force", "ask nothing"),
        option("-i, --interactive", "ask before something is replaced"),
        option("-n, --no-clobber", "replace nothing"),
        named("strip", "--strip-trailing-slashes", "take slashes off the ends of SOURCEs"),
        option("-S, --suffix=SUFFIX", "what backups end with"),
        option("-t, --target-directory=DIRECTORY", "the DIRECTORY for the files"),
        option("-T, --no-target-directory", "DEST is a name, never a directory"),
        option("-u, --update", "only what is newer than DEST or not there"),
        option("-v, --verbose", "tell of each move"),
        option("-Z, --context", "the security context; there are none here"),
    ],
    notes: "\n\
Of -i, -f and -n the last one counts.
",
    ..Spec::DEFAULT
};

/// Runs `mv` and returns its exit status.
pub fn mv_main(args: Vec<OsString>) -> i32 {
    let parsed = match SPEC.parse(&options::operands(args)) {
        Ok(p) => p,
        Err(code) => return code,
    };
    let mut o = Options::plain("mv");
    o.moving = true;
    o.copy_contents = false;
    o.recursive = true;
    o.follow = Follow::Never;
    o.preserve_all();
    let (mut directory, mut no_directory, mut strip) = (None, false, false);
    let (mut suffix, mut want_backup) = (None, None);
    for g in &parsed.options {
        match g.id {
            "b" => want_backup = Some(g.value.clone()),
            "f" => o.existing = Existing::Overwrite,
            "i" => o.existing = Existing::Ask,
            "n" => o.existing = Existing::Skip,
            "t" => directory = Some(g.text().to_vec()),
            "T" => no_directory = true,
            "strip" => strip = true,
            "S" => suffix = Some(g.text().to_vec()),
            "u" => o.update = true,
            "v" => o.verbose = true,
            _ => {}
        }
    }
    if o.existing == Existing::Skip && want_backup.is_some() {
        return SPEC.usage("options --backup and --no-clobber are mutually exclusive");
    }
    if want_backup.is_some() || suffix.is_some() {
        match backup::method(&SPEC, want_backup.flatten().as_deref()) {
            Ok(m) => o.backup = m,
            Err(code) => return code,
        }
    }
    o.suffix = backup::suffix(suffix.as_deref());
    let plan = match plan(&SPEC, parsed.operands, directory, no_directory) {
        Ok(p) => p,
        Err(code) => return code,
    };
    let mut engine = Engine::new(&o);
    engine.several = plan.into && plan.sources.len() > 1;
    let mut ok = true;
    for source in &plan.sources {
        let source = if strip { path::trim_slashes(source) } else { source };
        let to = if plan.into { inside(&plan.target, source) } else { plan.target.clone() };
        ok &= match engine.argument(source, &to) {
            Outcome::Moved => true,
            // It was copied to another filesystem, so the source must be removed.
            Outcome::Copied => rm::remove_quietly("mv", source, o.verbose),
            Outcome::Failed => false,
        };
    }
    out::finish("mv", i32::from(!ok), 1)
}
