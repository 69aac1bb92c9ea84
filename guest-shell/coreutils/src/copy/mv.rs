//! `mv`.

use super::engine::{Engine, Outcome};
use super::options::{Existing, Follow, Options};
use super::target::{inside, plan};
use crate::base::backup;
use crate::rm;
use sandshell_cli::options::{self, Long, Spec, Value::*};
use sandshell_cli::out;
use sandshell_posix::path;
use std::ffi::OsString;

const LONG: &[Long] = &[
    ("backup", Maybe, "b"),
    ("context", No, "Z"),
    ("force", No, "f"),
    ("interactive", No, "i"),
    ("no-clobber", No, "n"),
    ("no-target-directory", No, "T"),
    ("strip-trailing-slashes", No, "strip"),
    ("suffix", Yes, "S"),
    ("target-directory", Yes, "t"),
    ("update", No, "u"),
    ("verbose", No, "v"),
];

/// `mv`.
pub fn mv_main(args: Vec<OsString>) -> i32 {
    let spec = Spec {
        name: "mv",
        short: "bfint:uvS:TZ",
        long: LONG,
        failure: 1,
        help: "\
Usage: mv [OPTION]... [-T] SOURCE DEST
  or:  mv [OPTION]... SOURCE... DIRECTORY
  or:  mv [OPTION]... -t DIRECTORY SOURCE...
Moves or renames files: SOURCE to DEST, or several into DIRECTORY.

      --backup[=CONTROL]        keep what would be replaced; CONTROL is none, numbered, existing or simple
  -b                            as --backup, with the default
  -f, --force                   ask nothing
  -i, --interactive             ask before something is replaced
  -n, --no-clobber              replace nothing
      --strip-trailing-slashes  take slashes off the ends of SOURCEs
  -S, --suffix=SUFFIX           what backups end with
  -t, --target-directory=DIRECTORY
                                the DIRECTORY for the files
  -T, --no-target-directory     DEST is a name, never a directory
  -u, --update                  only what is newer than DEST or not there
  -v, --verbose                 tell of each move
  -Z, --context                 the security context; there are none here

Of -i, -f and -n the last one counts.
",
    };
    let parsed = match spec.parse(&options::operands(args)) {
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
        return spec.usage("options --backup and --no-clobber are mutually exclusive");
    }
    if want_backup.is_some() || suffix.is_some() {
        match backup::method(&spec, want_backup.flatten().as_deref()) {
            Ok(m) => o.backup = m,
            Err(code) => return code,
        }
    }
    o.suffix = backup::suffix(suffix.as_deref());
    let plan = match plan(&spec, parsed.operands, directory, no_directory) {
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
            // To another filesystem: what was copied is removed.
            Outcome::Copied => rm::remove_quietly("mv", source, o.verbose),
            Outcome::Failed => false,
        };
    }
    out::finish("mv", i32::from(!ok), 1)
}
