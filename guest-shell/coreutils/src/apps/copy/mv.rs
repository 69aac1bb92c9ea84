//! `mv`.

use super::engine::{Engine, Existing, Follow, Options, ask, newer_or_same, same_entry};
use super::target::{inside, plan};
use crate::apps::rm;
use crate::base::copyname::{self, Backup};
use crate::base::getopt::{self, Long, Spec, Value::*};
use crate::base::quote::quoteaf;
use crate::base::{out, path};
use crate::{bytes, warn};
use sandshell_sys::{self as sys, Errno, Stat};
use std::collections::HashSet;
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
        help: "Usage: mv [OPTION]... [-T] SOURCE DEST\n  or:  mv [OPTION]... SOURCE... DIRECTORY\n  or:  mv [OPTION]... -t DIRECTORY SOURCE...\nRename SOURCE to DEST, or move SOURCE(s) to DIRECTORY.\n",
    };
    let parsed = match spec.parse(&getopt::operands(args)) {
        Ok(p) => p,
        Err(code) => return code,
    };
    let mut o = Options::plain("mv");
    o.moving = true;
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
        match copyname::method(&spec, want_backup.flatten().as_deref()) {
            Ok(m) => o.backup = m,
            Err(code) => return code,
        }
    }
    o.suffix = copyname::suffix(suffix.as_deref());
    let plan = match plan(&spec, parsed.operands, directory, no_directory) {
        Ok(p) => p,
        Err(code) => return code,
    };
    let mut mover = Mover { o: &o, several: plan.into && plan.sources.len() > 1, placed: HashSet::new() };
    let mut ok = true;
    for source in &plan.sources {
        let source = if strip { path::trim_slashes(source) } else { source };
        let to = if plan.into { inside(&plan.target, source) } else { plan.target.clone() };
        ok &= mover.rename(source, &to);
    }
    out::finish("mv", i32::from(!ok), 1)
}

struct Mover<'a> {
    o: &'a Options,
    several: bool,
    placed: HashSet<(u64, u64)>,
}

impl Mover<'_> {
    fn fail(&self, text: Vec<u8>) -> bool {
        warn!("mv", text);
        false
    }

    fn rename(&mut self, from: &[u8], to: &[u8]) -> bool {
        let o = self.o;
        let source = match sys::stat(from, false) {
            Ok(s) => s,
            Err(e) => return self.fail(bytes!("cannot stat ", quoteaf(from), ": ", e)),
        };
        let old = sys::stat(to, false).ok();
        let mut backup = None;
        if let Some(old) = old {
            match self.prepare(from, &source, to, &old) {
                Ok(kept) => backup = kept,
                Err(done) => return done,
            }
        }
        let done = match sys::rename(from, to) {
            Ok(()) => {
                if o.verbose {
                    let mut line = bytes!("renamed ", quoteaf(from), " -> ", quoteaf(to));
                    if let Some(kept) = &backup {
                        line.extend_from_slice(&bytes!(" (backup: ", quoteaf(kept), ")"));
                    }
                    line.push(b'\n');
                    out::put(line);
                }
                true
            }
            Err(Errno::XDEV) => self.across(from, &source, to),
            Err(Errno::INVAL) => self.fail(bytes!(
                "cannot move ",
                quoteaf(from),
                " to a subdirectory of itself, ",
                quoteaf(to)
            )),
            Err(e) => self.fail(bytes!("cannot move ", quoteaf(from), " to ", quoteaf(to), ": ", e)),
        };
        if !done && let Some(kept) = backup {
            let _ = sys::rename(&kept, to);
        }
        if done
            && self.several
            && let Ok(s) = sys::stat(to, false)
        {
            self.placed.insert((s.dev, s.ino));
        }
        done
    }

    /// Decides about a target that exists: the name of its backup, or `Err` with the outcome.
    fn prepare(
        &mut self,
        from: &[u8],
        source: &Stat,
        to: &[u8],
        old: &Stat,
    ) -> Result<Option<Vec<u8>>, bool> {
        let o = self.o;
        if (source.dev, source.ino) == (old.dev, old.ino) {
            if same_entry(from, to) || source.is_dir() {
                if source.is_dir() && !same_entry(from, to) {
                    return Ok(None);
                }
                return Err(self.fail(bytes!(quoteaf(from), " and ", quoteaf(to), " are the same file")));
            }
            if o.backup == Backup::Off {
                // Two names of one file: dropping the old name is the move.
                return Err(match sys::unlink(from) {
                    Ok(()) => {
                        if o.verbose {
                            out::put(bytes!("removed ", quoteaf(from), "\n"));
                        }
                        true
                    }
                    Err(e) => self.fail(bytes!("cannot remove ", quoteaf(from), ": ", e)),
                });
            }
        }
        if o.update && !source.is_dir() && newer_or_same(old, source) {
            return Err(true);
        }
        let protected = || sys::isatty(0) && !old.is_symlink() && sys::access(to, 2).is_err();
        match o.existing {
            Existing::Skip => return Err(true),
            Existing::Ask if !ask(o, to, old) => return Err(true),
            Existing::Default if protected() && !ask(o, to, old) => return Err(true),
            _ => {}
        }
        if self.several
            && !old.is_dir()
            && o.backup != Backup::Numbered
            && self.placed.contains(&(old.dev, old.ino))
        {
            return Err(self.fail(bytes!(
                "will not overwrite just-created ",
                quoteaf(to),
                " with ",
                quoteaf(from)
            )));
        }
        if o.backup == Backup::Off {
            if source.is_dir() && !old.is_dir() {
                return Err(self.fail(bytes!(
                    "cannot overwrite non-directory ",
                    quoteaf(to),
                    " with directory ",
                    quoteaf(from)
                )));
            }
            if !source.is_dir() && old.is_dir() {
                return Err(self.fail(bytes!(
                    "cannot overwrite directory ",
                    quoteaf(to),
                    " with non-directory"
                )));
            }
            return Ok(None);
        }
        if !source.is_dir() && old.is_dir() {
            return Err(self.fail(bytes!("cannot overwrite directory ", quoteaf(to), " with non-directory")));
        }
        let kept = copyname::backup_name(to, o.backup, &o.suffix);
        if sys::stat(&kept, false).is_ok_and(|s| (s.dev, s.ino) == (source.dev, source.ino)) {
            return Err(self.fail(bytes!(
                "backing up ",
                quoteaf(to),
                " might destroy source;  ",
                quoteaf(from),
                " not moved"
            )));
        }
        match sys::rename(to, &kept) {
            Ok(()) => Ok(Some(kept)),
            Err(e) => Err(self.fail(bytes!("cannot backup ", quoteaf(to), ": ", e))),
        }
    }

    /// To another filesystem: copy, then remove.
    fn across(&self, from: &[u8], source: &Stat, to: &[u8]) -> bool {
        let o = self.o;
        if let Ok(old) = sys::stat(to, false) {
            let removed = if old.is_dir() { sys::rmdir(to) } else { sys::unlink(to) };
            if let Err(e) = removed {
                return self.fail(bytes!(
                    "inter-device move failed: ",
                    quoteaf(from),
                    " to ",
                    quoteaf(to),
                    "; unable to remove target: ",
                    e
                ));
            }
        }
        if o.verbose && !source.is_dir() {
            out::put(bytes!("copied ", quoteaf(from), " -> ", quoteaf(to), "\n"));
        }
        let copied = Engine::new(o).copy_argument(from, to);
        copied && rm::remove_quietly("mv", from, o.verbose)
    }
}
