//! `cp`.

use super::attributes::set_times;
use super::engine::{Engine, Outcome};
use super::options::{Existing, Follow, Options};
use super::target::{inside, plan};
use crate::base::backup::{self, Backup};
use sandshell_cli::options::{self, Given, Spec, choose, hidden, named, option};
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
    run(args).unwrap_or_else(|code| code)
}

/// What concerns the command as a whole, not each file.
struct Request {
    follow: Option<Follow>,
    directory: Option<Vec<u8>>,
    no_directory: bool,
    parents: bool,
    strip: bool,
    /// The security context is to be kept.
    context: bool,
    suffix: Option<Vec<u8>>,
    backup: Option<Option<Vec<u8>>>,
    /// Only matters with `-R`: otherwise FIFOs are always read.
    contents: bool,
    sparse: Sparse,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sparse {
    Never,
    Auto,
    Always,
}

/// What `--preserve` can name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Attribute {
    Mode,
    Times,
    Owner,
    Links,
    Context,
    Xattr,
    All,
}

fn run(args: Vec<OsString>) -> Result<i32, i32> {
    let parsed = SPEC.parse(&options::operands(args))?;
    let mut o = Options::plain("cp");
    let mut request = Request {
        follow: None,
        directory: None,
        no_directory: false,
        parents: false,
        strip: false,
        context: false,
        suffix: None,
        backup: None,
        contents: false,
        sparse: Sparse::Auto,
    };
    for g in &parsed.options {
        request.option(g, &mut o)?;
    }
    request.settle(&mut o)?;
    let Request { parents, strip, .. } = request;
    let mut plan = plan(&SPEC, parsed.operands, request.directory, request.no_directory)?;
    if parents && !plan.into {
        return Err(SPEC.usage("with --parents, the destination must be a directory"));
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
    Ok(out::finish("cp", i32::from(!ok), 1))
}

impl Request {
    fn option(&mut self, g: &Given, o: &mut Options) -> Result<(), i32> {
        match g.id {
            "a" => {
                self.follow = Some(Follow::Never);
                o.preserve_all();
                o.recursive = true;
            }
            "attributes-only" => o.attributes_only = true,
            "b" => self.backup = Some(g.value.clone()),
            "copy-contents" => self.contents = true,
            "d" => {
                o.preserve_links = true;
                self.follow = Some(Follow::Never);
            }
            "f" => o.force = true,
            "H" => self.follow = Some(Follow::CommandLine),
            "i" => o.existing = Existing::Ask,
            "l" => o.hard_link = true,
            "L" => self.follow = Some(Follow::Always),
            "n" => o.existing = Existing::Skip,
            "P" => self.follow = Some(Follow::Never),
            "p" => {
                o.preserve_mode = true;
                o.preserve_owner = true;
                o.preserve_times = true;
            }
            "preserve" | "no-preserve" => self.preserve(g, o)?,
            "parents" => self.parents = true,
            "R" => o.recursive = true,
            "reflink" => {
                let words = [("auto", 0), ("always", 1), ("never", 2)];
                let when = g.value.as_deref().map_or(Ok(1), |w| choose(&SPEC, "--reflink", w, &words))?;
                o.reflink_only = when == 1;
            }
            "sparse" => {
                let words = [("never", Sparse::Never), ("auto", Sparse::Auto), ("always", Sparse::Always)];
                self.sparse = choose(&SPEC, "--sparse", g.text(), &words)?;
            }
            "remove-destination" => o.remove_destination = true,
            "s" => o.symbolic_link = true,
            "strip" => self.strip = true,
            "S" => self.suffix = Some(g.text().to_vec()),
            "t" if self.directory.is_some() => {
                warn!("cp", "multiple target directories specified");
                return Err(1);
            }
            "t" => self.directory = Some(g.text().to_vec()),
            "T" => self.no_directory = true,
            "Z" if g.value.is_some() => {
                warn!("cp", "warning: ignoring --context; it requires an SELinux-enabled kernel");
            }
            "u" => o.update = true,
            "v" => o.verbose = true,
            "x" => o.one_file_system = true,
            _ => {}
        }
        Ok(())
    }

    /// `--preserve` and `--no-preserve`.
    fn preserve(&mut self, g: &Given, o: &mut Options) -> Result<(), i32> {
        const WORDS: [(&str, Attribute); 7] = [
            ("mode", Attribute::Mode),
            ("timestamps", Attribute::Times),
            ("ownership", Attribute::Owner),
            ("links", Attribute::Links),
            ("context", Attribute::Context),
            ("xattr", Attribute::Xattr),
            ("all", Attribute::All),
        ];
        let on = g.id == "preserve";
        let option = if on { "--preserve" } else { "--no-preserve" };
        let list = g.value.as_deref().unwrap_or(b"mode,ownership,timestamps");
        for word in list.split(|b| *b == b',') {
            let which = choose(&SPEC, option, word, &WORDS)?;
            let all = which == Attribute::All;
            if all || which == Attribute::Mode {
                o.preserve_mode = on;
                o.default_mode = !on;
            }
            if all || which == Attribute::Times {
                o.preserve_times = on;
            }
            if all || which == Attribute::Owner {
                o.preserve_owner = on;
            }
            if all || which == Attribute::Links {
                o.preserve_links = on;
            }
            if which == Attribute::Context {
                self.context = on;
            }
        }
        Ok(())
    }

    /// Compares the options with each other and derives what follows from several of them.
    fn settle(&mut self, o: &mut Options) -> Result<(), i32> {
        if o.hard_link && o.symbolic_link {
            return Err(SPEC.usage("cannot make both hard and symbolic links"));
        }
        if o.reflink_only && self.sparse != Sparse::Auto {
            return Err(SPEC.usage("--reflink can be used only with --sparse=auto"));
        }
        if o.existing == Existing::Skip && self.backup.is_some() {
            return Err(SPEC.usage("options --backup and --no-clobber are mutually exclusive"));
        }
        if self.backup.is_some() || self.suffix.is_some() {
            o.backup = backup::method(&SPEC, self.backup.take().flatten().as_deref())?;
        }
        o.suffix = backup::suffix(self.suffix.as_deref());
        o.make_holes = self.sparse == Sparse::Always;
        let usual = if o.recursive && !o.hard_link { Follow::Never } else { Follow::Always };
        o.follow = self.follow.unwrap_or(usual);
        if o.recursive {
            o.copy_contents = self.contents;
        }
        if self.context {
            warn!("cp", "cannot preserve security context without an SELinux-enabled kernel");
            return Err(1);
        }
        // With these options the target is not opened, so a file in the way must be removed first.
        if o.force && (o.hard_link || o.symbolic_link) && !o.remove_destination {
            o.remove_destination = true;
            o.implied_removal = true;
        }
        Ok(())
    }
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
