//! `cp`.

use super::attributes::set_times;
use super::engine::{Engine, Outcome};
use super::options::{Existing, Follow, Options};
use super::target::{inside, plan};
use crate::base::backup::{self, Backup};
use sandshell_cli::options::{self, Spec, choose, hidden, named, option};
use sandshell_cli::out;
use sandshell_cli::quote::quoteaf;
use sandshell_cli::{bytes, warn};
use sandshell_posix::path;
use sandshell_sys::{self as sys, Errno};
use std::ffi::OsString;

const SPEC: Spec = Spec {
    name: "cp",
    usage: "\
Usage: cp [OPTION]... [-T] SOURCE DEST
  or:  cp [OPTION]... SOURCE... DIRECTORY
  or:  cp [OPTION]... -t DIRECTORY SOURCE...
Copies files: SOURCE to DEST, or several into DIRECTORY.

",
    options: &[
        option("-a, --archive", "as -dR --preserve=all"),
        option("--attributes-only", "only attributes, no data"),
        named(
            "b",
            "--backup[=CONTROL]",
            "keep what would be replaced; CONTROL is none, numbered, existing or simple",
        ),
        option("-b", "as --backup, with the default"),
        option("--copy-contents", "with -R, read special files"),
        option("-d", "as -P --preserve=links"),
        option("-f, --force", "remove DEST and try again if it cannot be opened"),
        option("-i, --interactive", "ask before something is replaced"),
        option("-H", "follow symbolic links among the arguments"),
        option("-l, --link", "hard links, not copies"),
        option("-L, --dereference", "follow symbolic links"),
        option("-n, --no-clobber", "replace nothing"),
        option("-P, --no-dereference", "copy symbolic links as links"),
        option("-p", "as --preserve=timestamps,mode,ownership"),
        option("--preserve[=LIST]", "keep these: mode, ownership, timestamps, links, context, xattr, all"),
        option("--no-preserve=LIST", "do not keep these"),
        option("--parents", "the whole name of SOURCE below DIRECTORY"),
        option("-R, -r, --recursive", "directories with all that is in them"),
        option("--reflink[=WHEN]", "share data: always, auto or never"),
        option("--remove-destination", "remove DEST before it is opened"),
        option("--sparse=WHEN", "holes: auto, always or never"),
        named("strip", "--strip-trailing-slashes", "take slashes off the ends of SOURCEs"),
        option("-s, --symbolic-link", "symbolic links, not copies"),
        option("-S, --suffix=SUFFIX", "what backups end with"),
        option("-t, --target-directory=DIRECTORY", "the DIRECTORY for the copies"),
        option("-T, --no-target-directory", "DEST is a name, never a directory"),
        option("-u, --update", "only what is newer than DEST or not there"),
        option("-v, --verbose", "tell of each copy"),
        option("-x, --one-file-system", "stay in the file system"),
        option("-Z, --context[=CTX]", "the security context; there are none here"),
        hidden("parents", "--path"),
    ],
    ties: &[
        "parents",
        "path",
        "preserve",
        "recursive",
        "remove-destination",
        "sparse",
        "reflink",
        "strip-trailing-slashes",
        "suffix",
        "symbolic-link",
    ],
    ..Spec::DEFAULT
};

/// Runs `cp` and returns its exit status.
pub fn cp_main(args: Vec<OsString>) -> i32 {
    let parsed = match SPEC.parse(&options::operands(args)) {
        Ok(p) => p,
        Err(code) => return code,
    };
    let mut o = Options::plain("cp");
    let mut follow = None;
    let (mut directory, mut no_directory, mut parents, mut strip) = (None, false, false, false);
    let mut context = false;
    let (mut suffix, mut want_backup) = (None, None);
    // `--copy-contents` only matters with -R: otherwise FIFOs are always read.
    let (mut contents, mut sparse) = (false, 1);
    for g in &parsed.options {
        match g.id {
            "a" => {
                follow = Some(Follow::Never);
                o.preserve_all();
                o.recursive = true;
            }
            "attributes-only" => o.attributes_only = true,
            "b" => want_backup = Some(g.value.clone()),
            "copy-contents" => contents = true,
            "d" => {
                o.preserve_links = true;
                follow = Some(Follow::Never);
            }
            "f" => o.force = true,
            "H" => follow = Some(Follow::CommandLine),
            "i" => o.existing = Existing::Ask,
            "l" => o.hard_link = true,
            "L" => follow = Some(Follow::Always),
            "n" => o.existing = Existing::Skip,
            "P" => follow = Some(Follow::Never),
            "p" => {
                o.preserve_mode = true;
                o.preserve_owner = true;
                o.preserve_times = true;
            }
            "preserve" | "no-preserve" => {
                let on = g.id == "preserve";
                let list = g.value.clone().unwrap_or_else(|| b"mode,ownership,timestamps".to_vec());
                for word in list.split(|b| *b == b',') {
                    let words = [
                        ("mode", 0),
                        ("timestamps", 1),
                        ("ownership", 2),
                        ("links", 3),
                        ("context", 4),
                        ("xattr", 5),
                        ("all", 6),
                    ];
                    let option = if on { "--preserve" } else { "--no-preserve" };
                    let which = match choose(&SPEC, option, word, &words) {
                        Ok(w) => w,
                        Err(code) => return code,
                    };
                    match which {
                        0 => {
                            o.preserve_mode = on;
                            o.default_mode = !on;
                        }
                        1 => o.preserve_times = on,
                        2 => o.preserve_owner = on,
                        3 => o.preserve_links = on,
                        4 => context = on,
                        6 => {
                            o.preserve_mode = on;
                            o.preserve_times = on;
                            o.preserve_owner = on;
                            o.preserve_links = on;
                            o.default_mode = !on;
                        }
                        _ => {}
                    }
                }
            }
            "parents" => parents = true,
            "R" => o.recursive = true,
            "reflink" => {
                let words = [("auto", 0), ("always", 1), ("never", 2)];
                match g.value.as_deref().map_or(Ok(1), |w| choose(&SPEC, "--reflink", w, &words)) {
                    Ok(w) => o.reflink_only = w == 1,
                    Err(code) => return code,
                }
            }
            "sparse" => {
                let words = [("never", 0), ("auto", 1), ("always", 2)];
                match choose(&SPEC, "--sparse", g.text(), &words) {
                    Ok(w) => sparse = w,
                    Err(code) => return code,
                }
            }
            "remove-destination" => o.remove_destination = true,
            "s" => o.symbolic_link = true,
            "strip" => strip = true,
            "S" => suffix = Some(g.text().to_vec()),
            "t" => {
                if directory.is_some() {
                    warn!("cp", "multiple target directories specified");
                    return 1;
                }
                directory = Some(g.text().to_vec());
            }
            "T" => no_directory = true,
            "Z" if g.value.is_some() => {
                warn!("cp", "warning: ignoring --context; it requires an SELinux-enabled kernel");
            }
            "u" => o.update = true,
            "v" => o.verbose = true,
            "x" => o.one_file_system = true,
            _ => {}
        }
    }
    if o.hard_link && o.symbolic_link {
        return SPEC.usage("cannot make both hard and symbolic links");
    }
    if o.reflink_only && sparse != 1 {
        return SPEC.usage("--reflink can be used only with --sparse=auto");
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
    o.make_holes = sparse == 2;
    o.follow = follow.unwrap_or(if o.recursive && !o.hard_link { Follow::Never } else { Follow::Always });
    if o.recursive {
        o.copy_contents = contents;
    }
    if context {
        warn!("cp", "cannot preserve security context without an SELinux-enabled kernel");
        return 1;
    }
    // With these options the target is not opened, so a file in the way must be removed first.
    if o.force && (o.hard_link || o.symbolic_link) && !o.remove_destination {
        o.remove_destination = true;
        o.implied_removal = true;
    }
    let mut plan = match plan(&SPEC, parsed.operands, directory, no_directory) {
        Ok(p) => p,
        Err(code) => return code,
    };
    if parents && !plan.into {
        return SPEC.usage("with --parents, the destination must be a directory");
    }
    // `cp --force --backup FILE FILE` makes a backup of the file itself.
    if !plan.into && o.backup != Backup::Off && o.force && plan.sources.first() == Some(&plan.target) {
        plan.target = backup::backup_name(&plan.target, o.backup, &o.suffix);
        o.backup = Backup::Off;
    }
    let mut engine = Engine::new(&o);
    engine.several = plan.into && plan.sources.len() > 1;
    let mut ok = true;
    for source in &plan.sources {
        let source = if strip || parents { path::trim_slashes(source) } else { source };
        if parents {
            match make_parent_dirs(&o, source, &plan.target) {
                Some(chain) => {
                    ok &= copy(&mut engine, source, &path::join(&plan.target, source));
                    keep_parents(&o, &chain);
                }
                None => ok = false,
            }
        } else if plan.into {
            ok &= copy(&mut engine, source, &inside(&plan.target, source));
        } else {
            ok &= copy(&mut engine, source, &plan.target);
        }
    }
    out::finish("cp", i32::from(!ok), 1)
}

fn copy(engine: &mut Engine<'_>, from: &[u8], to: &[u8]) -> bool {
    engine.argument(from, to) != Outcome::Failed
}

/// A parent directory of a file that is copied with `--parents`.
struct Parent {
    from: Vec<u8>,
    to: Vec<u8>,
    /// The mode to set at the end.
    mode: Option<u32>,
}

/// Makes the directories of `source` below `target`. Returns those whose attributes must be set afterwards.
fn make_parent_dirs(o: &Options, source: &[u8], target: &[u8]) -> Option<Vec<Parent>> {
    let mut parents = Vec::new();
    let dir = path::dir_name(source);
    if dir == b"." || dir == b"/" {
        return Some(parents);
    }
    let ends = (1..=dir.len()).filter(|i| dir.get(*i).is_none_or(|b| *b == b'/'));
    for end in ends {
        let from = &dir[..end];
        if from.ends_with(b"/") {
            continue;
        }
        let to = path::join(target, from);
        let stat = match sys::stat(from, true) {
            Ok(s) if s.is_dir() => s,
            Ok(_) => {
                warn!("cp", "failed to get attributes of ", quoteaf(from), ": ", Errno::NOTDIR);
                return None;
            }
            Err(e) => {
                warn!("cp", "failed to get attributes of ", quoteaf(from), ": ", e);
                return None;
            }
        };
        let mode = match sys::stat(&to, true) {
            Ok(s) if s.is_dir() => None,
            Ok(_) => {
                warn!("cp", quoteaf(&to), " exists but is not a directory");
                return None;
            }
            Err(_) => Some(make_parent(o, from, stat.mode & 0o7777, &to)?),
        };
        let mode = if o.preserve_mode { Some(stat.mode & 0o7777) } else { mode };
        parents.push(Parent { from: from.to_vec(), to, mode });
    }
    Some(parents)
}

/// Makes one directory, with access for its owner. Returns the mode that it must get later.
fn make_parent(o: &Options, from: &[u8], mode: u32, to: &[u8]) -> Option<u32> {
    let omitted = match (o.preserve_owner, o.preserve_mode) {
        (true, _) => mode & 0o077,
        (false, true) => mode & 0o022,
        _ => 0,
    };
    let first = if o.default_mode { 0o777 } else { mode };
    if let Err(e) = sys::mkdir(to, first & 0o1777 & !omitted) {
        warn!("cp", "cannot make directory ", quoteaf(to), ": ", e);
        return None;
    }
    if o.verbose {
        out::put(bytes!(from, " -> ", to, "\n"));
    }
    let made = sys::stat(to, false).map_or(first, |s| s.mode & 0o7777);
    if made & 0o700 != 0o700 {
        let _ = sys::chmod(to, made | 0o700);
    }
    Some(made | omitted & !crate::base::directories::umask())
}

fn keep_parents(o: &Options, parents: &[Parent]) {
    for parent in parents.iter().rev() {
        let Ok(s) = sys::stat(&parent.from, true) else { continue };
        if o.preserve_times {
            let _ = set_times(&parent.to, &s, true);
        }
        if o.preserve_owner {
            let _ = sys::chown(&parent.to, Some(s.uid), Some(s.gid), true);
        }
        if let Some(mode) = parent.mode {
            let _ = sys::chmod(&parent.to, mode);
        }
    }
}
