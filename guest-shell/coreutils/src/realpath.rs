//! `realpath`.

use crate::base::resolve::{Missing, resolve};
use crate::ln::relative_between;
use sandshell_cli::options::{self, Spec, named, option};
use sandshell_cli::out;
use sandshell_cli::quote::quotef;
use sandshell_cli::warn;
use sandshell_sys::{self as sys, Errno};
use std::ffi::OsString;

const SPEC: Spec = Spec {
    name: "realpath",
    usage: "\
Usage: realpath [OPTION]... FILE...
Prints the full names of files, without symbolic links, '.' and '..'.

",
    options: &[
        option("-e, --canonicalize-existing", "all parts must be there"),
        option("-m, --canonicalize-missing", "no part need be there"),
        option("-L, --logical", "'..' counts before symbolic links"),
        option("-P, --physical", "symbolic links as they come; so it is by default"),
        option("-q, --quiet", "few messages"),
        named("to", "--relative-to=DIR", "as seen from DIR"),
        named("base", "--relative-base=DIR", "as seen from DIR if they are in it"),
        option("-s, --strip, --no-symlinks", "leave symbolic links as they are"),
        option("-z, --zero", "lines end with NUL"),
    ],
    ..Spec::DEFAULT
};

/// Runs `realpath` and returns its exit status.
pub fn realpath_main(args: Vec<OsString>) -> i32 {
    let parsed = match SPEC.parse(&options::operands(args)) {
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
        return SPEC.missing_operand();
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
