//! `realpath` and `readlink`.

use crate::apps::ln::relative_between;
use crate::base::getopt::{self, Long, Spec, Value::*};
use crate::base::quote::quotef;
use crate::base::{out, path};
use crate::warn;
use sandshell_sys::{self as sys, Errno};
use std::ffi::OsString;

/// Which components may be missing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Missing {
    None,
    Last,
    Any,
}

/// The absolute name of `file` without `.`, `..` and (with `links`) symbolic links.
pub(crate) fn resolve(file: &[u8], missing: Missing, links: bool) -> Result<Vec<u8>, Errno> {
    if file.is_empty() {
        return Err(Errno::NOENT);
    }
    let mut done = if file.starts_with(b"/") { b"/".to_vec() } else { sys::getcwd()? };
    let mut rest: Vec<Vec<u8>> = file.split(|b| *b == b'/').rev().map(<[u8]>::to_vec).collect();
    let mut hops = 0;
    while let Some(part) = rest.pop() {
        if part.is_empty() || part == b"." {
            continue;
        }
        if part == b".." {
            done = path::dir_name(&done).to_vec();
            continue;
        }
        let next = path::join(&done, &part);
        let more = rest.iter().any(|p| !p.is_empty());
        if !links && missing == Missing::Any {
            done = next;
            continue;
        }
        match sys::stat(&next, false) {
            Ok(s) if s.is_symlink() && links => {
                hops += 1;
                if hops > 40 {
                    if missing == Missing::Any {
                        done = next;
                        continue;
                    }
                    return Err(Errno::LOOP);
                }
                let target = sys::readlink(&next)?;
                if target.starts_with(b"/") {
                    done = b"/".to_vec();
                }
                rest.extend(target.split(|b| *b == b'/').rev().map(<[u8]>::to_vec));
            }
            Ok(s) => {
                if missing == Missing::None && s.is_symlink() {
                    sys::stat(&next, true)?;
                }
                let slash = rest.iter().any(Vec::is_empty) || more;
                let dir = s.is_dir() || s.is_symlink() && sys::stat(&next, true).is_ok_and(|s| s.is_dir());
                if slash && !dir && missing != Missing::Any {
                    return Err(Errno::NOTDIR);
                }
                done = next;
            }
            Err(e) => match missing {
                Missing::Any => done = next,
                Missing::Last if !more && e == Errno::NOENT => done = next,
                _ => return Err(e),
            },
        }
    }
    Ok(done)
}

/// `realpath`.
pub fn realpath_main(args: Vec<OsString>) -> i32 {
    const LONG: &[Long] = &[
        ("canonicalize-existing", No, "e"),
        ("canonicalize-missing", No, "m"),
        ("relative-to", Yes, "to"),
        ("relative-base", Yes, "base"),
        ("quiet", No, "q"),
        ("strip", No, "s"),
        ("no-symlinks", No, "s"),
        ("zero", No, "z"),
        ("logical", No, "L"),
        ("physical", No, "P"),
    ];
    let spec = Spec {
        name: "realpath",
        short: "eLmPqsz",
        long: LONG,
        failure: 1,
        help: "\
Usage: realpath [OPTION]... FILE...
Prints the full names of files, without symbolic links, '.' and '..'.

  -e, --canonicalize-existing  all parts must be there
  -m, --canonicalize-missing   no part need be there
  -L, --logical                '..' counts before symbolic links
  -P, --physical               symbolic links as they come; so it is by default
  -q, --quiet                  few messages
      --relative-to=DIR        as seen from DIR
      --relative-base=DIR      as seen from DIR if they are in it
  -s, --strip, --no-symlinks   leave symbolic links as they are
  -z, --zero                   lines end with NUL
",
    };
    let parsed = match spec.parse(&getopt::operands(args)) {
        Ok(p) => p,
        Err(code) => return code,
    };
    let (mut missing, mut links, mut logical, mut quiet, mut end) =
        (Missing::Last, true, false, false, b'\n');
    let (mut to, mut base) = (None, None);
    for g in &parsed.options {
        match g.id {
            "e" => missing = Missing::None,
            "m" => missing = Missing::Any,
            "s" => links = false,
            "L" => (links, logical) = (true, true),
            "P" => (links, logical) = (true, false),
            "q" => quiet = true,
            "z" => end = 0,
            "to" => to = Some(g.text().to_vec()),
            "base" => base = Some(g.text().to_vec()),
            _ => {}
        }
    }
    if parsed.operands.is_empty() {
        return spec.missing_operand();
    }
    let absolute = |file: &[u8]| -> Result<Vec<u8>, Errno> {
        let shortened = if logical { resolve(file, Missing::Any, false)? } else { file.to_vec() };
        resolve(&shortened, missing, links)
    };
    let mut dirs = [None, None];
    for (slot, dir) in dirs.iter_mut().zip([&to, &base]) {
        if let Some(d) = dir {
            match absolute(d) {
                Ok(d) if missing == Missing::None && !sys::stat(&d, true).is_ok_and(|s| s.is_dir()) => {
                    warn!("realpath", quotef(dir.as_deref().unwrap_or_default()), ": ", Errno::NOTDIR);
                    return 1;
                }
                Ok(d) => *slot = Some(d),
                Err(e) => {
                    warn!("realpath", quotef(d), ": ", e);
                    return 1;
                }
            }
        }
    }
    let [mut to, base] = dirs;
    let below = |p: &[u8], dir: &[u8]| {
        dir == b"/" || p == dir || p.starts_with(dir) && p.get(dir.len()) == Some(&b'/')
    };
    let mut relative = to.is_some() || base.is_some();
    match (&to, &base) {
        (None, Some(b)) => to = Some(b.clone()),
        (Some(t), Some(b)) if !below(t, b) => relative = false,
        _ => {}
    }
    let mut status = 0;
    for file in &parsed.operands {
        match absolute(file) {
            Ok(full) => {
                let inside = base.as_ref().is_none_or(|b| below(&full, b));
                match (&to, relative && inside) {
                    (Some(t), true) => out::put(relative_between(&full, t)),
                    _ => out::put(full),
                }
                out::put([end]);
            }
            Err(e) => {
                if !quiet {
                    warn!("realpath", quotef(file), ": ", e);
                }
                status = 1;
            }
        }
    }
    out::finish("realpath", status, 1)
}

/// `readlink`.
pub fn readlink_main(args: Vec<OsString>) -> i32 {
    const LONG: &[Long] = &[
        ("canonicalize", No, "f"),
        ("canonicalize-existing", No, "e"),
        ("canonicalize-missing", No, "m"),
        ("no-newline", No, "n"),
        ("quiet", No, "q"),
        ("silent", No, "q"),
        ("verbose", No, "v"),
        ("zero", No, "z"),
    ];
    let spec = Spec {
        name: "readlink",
        short: "efmnqsvz",
        long: LONG,
        failure: 1,
        help: "\
Usage: readlink [OPTION]... FILE...
Prints where symbolic links lead.

  -f, --canonicalize           full names without symbolic links; the last part need not be there
  -e, --canonicalize-existing  the same; all parts must be there
  -m, --canonicalize-missing   the same; no part need be there
  -n, --no-newline             no newline at the end
  -q, -s, --quiet, --silent    no messages; so it is by default
  -v, --verbose                messages
  -z, --zero                   lines end with NUL
",
    };
    let parsed = match spec.parse(&getopt::operands(args)) {
        Ok(p) => p,
        Err(code) => return code,
    };
    let (mut how, mut newline, mut verbose, mut end) =
        (None, true, std::env::var_os("POSIXLY_CORRECT").is_some(), b'\n');
    for g in &parsed.options {
        match g.id {
            "e" => how = Some(Missing::None),
            "f" => how = Some(Missing::Last),
            "m" => how = Some(Missing::Any),
            "n" => newline = false,
            "q" | "s" => verbose = false,
            "v" => verbose = true,
            "z" => end = 0,
            _ => {}
        }
    }
    if parsed.operands.is_empty() {
        return spec.missing_operand();
    }
    if !newline && parsed.operands.len() > 1 {
        warn!("readlink", "ignoring --no-newline with multiple arguments");
        newline = true;
    }
    let mut status = 0;
    for file in &parsed.operands {
        let result = match how {
            Some(missing) => resolve(file, missing, true),
            None => sys::readlink(file),
        };
        match result {
            Ok(target) => {
                out::put(target);
                if newline {
                    out::put([end]);
                }
            }
            Err(e) => {
                if verbose {
                    warn!("readlink", quotef(file), ": ", e);
                }
                status = 1;
            }
        }
    }
    out::finish("readlink", status, 1)
}
