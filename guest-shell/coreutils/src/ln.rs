//! `ln`.

use crate::base::backup::{self, Backup};
use sandshell_cli::options::{self, Spec, named, option};
use sandshell_cli::out;
use sandshell_cli::quote::{quoteaf, quotef};
use sandshell_cli::{bytes, warn};
use sandshell_posix::path;
use sandshell_sys::{self as sys, Errno, Stat};
use std::ffi::OsString;

#[derive(Default)]
struct Options {
    symbolic: bool,
    relative: bool,
    force: bool,
    interactive: bool,
    logical: bool,
    verbose: bool,
    no_dereference: bool,
    directories: bool,
    backup: Backup,
    suffix: Vec<u8>,
}

const SPEC: Spec = Spec {
    name: "ln",
    usage: "\
Usage: ln [OPTION]... [-T] TARGET LINK_NAME
  or:  ln [OPTION]... TARGET
  or:  ln [OPTION]... TARGET... DIRECTORY
  or:  ln [OPTION]... -t DIRECTORY TARGET...
Makes links: other names for TARGETs, in DIRECTORY if there is one, else in the working directory.

",
    options: &[
        named(
            "b",
            "--backup[=CONTROL]",
            "keep what would be replaced; CONTROL is none, numbered, existing or simple",
        ),
        option("-b", "as --backup, with the default"),
        option("-d, -F, --directory", "try hard links to directories"),
        option("-f, --force", "replace what is there"),
        option("-i, --interactive", "ask before something is replaced"),
        option("-L, --logical", "a hard link to what a symbolic link leads to"),
        option("-n, --no-dereference", "LINK_NAME that leads to a directory is a name like others"),
        option("-P, --physical", "a hard link to a symbolic link itself"),
        option("-r, --relative", "with -s, TARGET as it is seen from the link"),
        option("-s, --symbolic", "symbolic links"),
        option("-S, --suffix=SUFFIX", "what backups end with"),
        option("-t, --target-directory=DIRECTORY", "the DIRECTORY for the links"),
        option("-T, --no-target-directory", "LINK_NAME is a name, never a directory"),
        option("-v, --verbose", "tell of each link"),
    ],
    ties: &["suffix", "symbolic"],
    ..Spec::DEFAULT
};

/// Runs `ln` and returns its exit status.
pub fn ln_main(args: Vec<OsString>) -> i32 {
    let parsed = match SPEC.parse(&options::operands(args)) {
        Ok(p) => p,
        Err(code) => return code,
    };
    let mut o = Options::default();
    let (mut target_dir, mut no_target_dir, mut suffix) = (None, false, None);
    for g in &parsed.options {
        match g.id {
            "b" => match backup::method(&SPEC, g.value.as_deref()) {
                Ok(m) => o.backup = m,
                Err(code) => return code,
            },
            "f" => (o.force, o.interactive) = (true, false),
            "i" => (o.force, o.interactive) = (false, true),
            "n" => o.no_dereference = true,
            "r" => o.relative = true,
            "s" => o.symbolic = true,
            "t" => target_dir = Some(g.text().to_vec()),
            "v" => o.verbose = true,
            "d" => o.directories = true,
            "L" => o.logical = true,
            "P" => o.logical = false,
            "S" => {
                suffix = Some(g.text().to_vec());
                if o.backup == Backup::Off {
                    o.backup = Backup::Existing;
                }
            }
            "T" => no_target_dir = true,
            _ => {}
        }
    }
    o.suffix = backup::suffix(suffix.as_deref());
    let mut operands = parsed.operands;
    if operands.is_empty() {
        return SPEC.usage("missing file operand");
    }
    if o.relative && !o.symbolic {
        warn!("ln", "cannot do --relative without --symbolic");
        return 1;
    }
    let is_dir = |p: &[u8], follow: bool| sys::stat(p, follow).is_ok_and(|s| s.is_dir());
    if no_target_dir {
        if target_dir.is_some() {
            warn!("ln", "cannot combine --target-directory and --no-target-directory");
            return 1;
        }
        match operands.len() {
            1 => return SPEC.usage(bytes!("missing destination file operand after ", quoteaf(&operands[0]))),
            2 => {}
            _ => return SPEC.usage(bytes!("extra operand ", quoteaf(&operands[2]))),
        }
    } else if let Some(dir) = &target_dir {
        match sys::stat(dir, true) {
            Ok(s) if s.is_dir() => {}
            Ok(_) => {
                warn!("ln", "target ", quoteaf(dir), " is not a directory");
                return 1;
            }
            Err(e) => {
                warn!("ln", "failed to access ", quoteaf(dir), ": ", e);
                return 1;
            }
        }
    } else if operands.len() == 1 {
        target_dir = Some(b".".to_vec());
    } else {
        let last = operands[operands.len() - 1].clone();
        if is_dir(&last, !o.no_dereference) {
            target_dir = Some(last);
            operands.pop();
        } else if operands.len() > 2 {
            let e = sys::stat(&last, true).err().unwrap_or(Errno::NOTDIR);
            warn!("ln", "target ", quoteaf(&last), ": ", e);
            return 1;
        }
    }
    let mut status = 0;
    match target_dir {
        Some(dir) => {
            for source in &operands {
                let to = path::join(&dir, path::base_name(source));
                status |= i32::from(!link(&o, source, &to));
            }
        }
        None => status = i32::from(!link(&o, &operands[0], &operands[1])),
    }
    out::finish("ln", status, 1)
}

fn link(o: &Options, source: &[u8], to: &[u8]) -> bool {
    let mut source_stat = None;
    if !o.symbolic {
        match sys::stat(source, o.logical) {
            Ok(s) => source_stat = Some(s),
            Err(e) => {
                warn!("ln", "failed to access ", quoteaf(source), ": ", e);
                return false;
            }
        }
        if !o.directories && source_stat.is_some_and(|s| s.is_dir()) {
            warn!("ln", quotef(source), ": hard link not allowed for directory");
            return false;
        }
    }
    let text = if o.relative { relative_to(source, path::dir_name(to)) } else { source.to_vec() };
    let make = || if o.symbolic { sys::symlink(&text, to) } else { sys::link(source, to, o.logical) };
    let mut backup = None;
    let result = match make() {
        Err(Errno::EXIST) if o.force || o.interactive || o.backup != Backup::Off => {
            let old = match sys::stat(to, false) {
                Ok(s) => s,
                Err(e) => {
                    warn!("ln", "failed to access ", quoteaf(to), ": ", e);
                    return false;
                }
            };
            if old.is_dir() {
                warn!("ln", quotef(to), ": cannot overwrite directory");
                return false;
            }
            // Removing the old file would remove the source. With a backup, a symbolic link may point to itself.
            let source_stat = if o.symbolic { sys::stat(source, true).ok() } else { source_stat };
            let one_name =
                |s: Stat| (s.dev, s.ino) == (old.dev, old.ino) && (s.nlink == 1 || same_name(source, to));
            let removes = o.force || !o.symbolic && o.backup != Backup::Off;
            if removes && (o.backup == Backup::Off || !o.symbolic) && source_stat.is_some_and(one_name) {
                warn!("ln", quoteaf(source), " and ", quoteaf(to), " are the same file");
                return false;
            }
            if o.interactive {
                out::flush();
                let _ = sys::write_all(2, &bytes!("ln: replace ", quoteaf(to), "? "));
                if !sandshell_cli::ask::yes() {
                    return true;
                }
            }
            if o.backup != Backup::Off {
                let kept = backup::backup_name(to, o.backup, &o.suffix);
                if let Err(e) = sys::rename(to, &kept) {
                    warn!("ln", "cannot backup ", quoteaf(to), ": ", e);
                    return false;
                }
                backup = Some(kept);
            } else if let Err(e) = sys::unlink(to) {
                warn!("ln", "cannot remove ", quoteaf(to), ": ", e);
                return false;
            }
            match make() {
                // The backup is a link to the same file, so the rename did nothing.
                Err(Errno::EXIST) if sys::unlink(to).is_ok() => make(),
                other => other,
            }
        }
        other => other,
    };
    match result {
        Ok(()) => {
            if o.verbose {
                if let Some(kept) = backup {
                    out::put(bytes!(quoteaf(&kept), " ~ "));
                }
                let arrow = if o.symbolic { " -> " } else { " => " };
                out::put(bytes!(quoteaf(to), arrow, quoteaf(&text), "\n"));
            }
            true
        }
        Err(e) => {
            if o.symbolic {
                let shown = quoteaf(to);
                if matches!(
                    e,
                    Errno::NAMETOOLONG
                        | Errno::EXIST
                        | Errno::NOENT
                        | Errno::ROFS
                        | Errno::NOSPC
                        | Errno::DQUOT
                ) && !text.is_empty()
                    || text.is_empty() && e != Errno::NOENT
                {
                    warn!("ln", "failed to create symbolic link ", shown, ": ", e);
                } else {
                    warn!("ln", "failed to create symbolic link ", shown, " -> ", quoteaf(&text), ": ", e);
                }
            } else if e == Errno::EXIST || e == Errno::NAMETOOLONG || e == Errno::NOSPC || e == Errno::ROFS {
                warn!("ln", "failed to create hard link ", quoteaf(to), ": ", e);
            } else {
                warn!("ln", "failed to create hard link ", quoteaf(to), " => ", quoteaf(source), ": ", e);
            }
            if let Some(kept) = backup
                && let Err(e) = sys::rename(&kept, to)
            {
                warn!("ln", "cannot un-backup ", quoteaf(to), ": ", e);
            }
            false
        }
    }
}

/// Whether both paths name the same directory entry.
fn same_name(a: &[u8], b: &[u8]) -> bool {
    path::base_name(a) == path::base_name(b)
        && match (sys::stat(path::dir_name(a), true), sys::stat(path::dir_name(b), true)) {
            (Ok(x), Ok(y)) => (x.dev, x.ino) == (y.dev, y.ino),
            _ => false,
        }
}

/// The path of `target` relative to the directory `from`. Both are made absolute first, and their links are resolved.
pub(crate) fn relative_to(target: &[u8], from: &[u8]) -> Vec<u8> {
    use crate::base::resolve::{Missing, resolve};
    let (Ok(target_full), Ok(from_full)) =
        (resolve(target, Missing::Any, true), resolve(from, Missing::Any, true))
    else {
        return target.to_vec();
    };
    relative_between(&target_full, &from_full)
}

/// The relative path from one absolute directory to another path.
pub(crate) fn relative_between(target: &[u8], from: &[u8]) -> Vec<u8> {
    let parts = |p: &[u8]| -> Vec<Vec<u8>> {
        p.split(|b| *b == b'/').filter(|c| !c.is_empty()).map(<[u8]>::to_vec).collect()
    };
    let (target, from) = (parts(target), parts(from));
    let common = target.iter().zip(&from).take_while(|(a, b)| a == b).count();
    let mut way: Vec<Vec<u8>> = vec![b"..".to_vec(); from.len() - common];
    way.extend_from_slice(&target[common..]);
    if way.is_empty() { b".".to_vec() } else { way.join(&b'/') }
}
