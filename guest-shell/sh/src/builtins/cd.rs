//! `cd` and `pwd`, and the logical working directory.

use super::args;
use crate::field::Field;
use crate::options::{Shopt, flag};
use crate::shell::{Run, Shell};
use crate::text::{needs_ansi, quote_ansi};
use crate::variables::Name;
use sandshell_sys as sys;

impl Shell {
    /// The logical working directory, which keeps the symbolic links that the user followed: `$PWD`.
    pub(crate) fn logical_cwd(&self) -> Vec<u8> {
        if self.cwd.is_empty() { sys::getcwd().unwrap_or_else(|_| b".".to_vec()) } else { self.cwd.clone() }
    }
}

pub(super) fn cd(shell: &mut Shell, args: &[Field]) -> Run<i32> {
    if shell.opts.restricted {
        return Ok(args::fail(shell, args, "restricted"));
    }
    let (options, at) = match args::parse(shell, args, "eLP") {
        Ok(p) => p,
        Err(status) => return Ok(status),
    };
    let mut physical = shell.opts.has(flag::PHYSICAL);
    let mut exact = false;
    for o in &options {
        match o.letter {
            b'L' => physical = false,
            b'P' => physical = true,
            _ => exact = true,
        }
    }
    let operands = args.get(at..).unwrap_or_default();
    if operands.len() > 1 {
        return Ok(args::fail(shell, args, "too many arguments"));
    }
    let mut show = false;
    let dir: Vec<u8> = match operands.first() {
        None => {
            let home = shell.names.home;
            match shell.value(home).map(|v| v.into_owned()) {
                Some(home) => home,
                None => return Ok(args::fail(shell, args, "HOME not set")),
            }
        }
        Some(a) if &**a == b"-" => {
            let oldpwd = shell.names.oldpwd;
            match shell.value(oldpwd).map(|v| v.into_owned()) {
                Some(old) => {
                    show = true;
                    old
                }
                None => return Ok(args::fail(shell, args, "OLDPWD not set")),
            }
        }
        Some(a) => a.to_vec(),
    };
    if dir.is_empty() {
        if show {
            shell.put(b"\n");
        }
        return bind(shell);
    }
    if !operands.is_empty() && !show && !is_anchored(&dir) {
        let cdpath = shell.value(Name::new(b"CDPATH")).map(|v| v.into_owned());
        for path in cdpath.iter().flat_map(|c| c.split(|b| *b == b':')).filter(|_| cdpath.is_some()) {
            let base = if path.is_empty() { b"." } else { path };
            let base = match base.strip_prefix(b"~") {
                Some(rest) if rest.is_empty() || rest.starts_with(b"/") => {
                    let home = shell.names.home;
                    [shell.value(home).map(|v| v.to_vec()).unwrap_or_default(), rest.to_vec()].concat()
                }
                _ => base.to_vec(),
            };
            let joined = crate::path::join(&base, &dir);
            if change(shell, &joined, physical, exact).is_ok() {
                if !path.is_empty() {
                    let line = if physical { joined } else { shell.logical_cwd() };
                    shell.put(&line);
                    shell.put(b"\n");
                }
                return bind(shell);
            }
        }
        if cdpath.is_some_and(|c| c.is_empty()) {
            // An empty entry of CDPATH means the working directory, which is tried below.
        }
    }
    match change(shell, &dir, physical, exact) {
        Ok(found) => {
            if show {
                let line = shell.logical_cwd();
                shell.put(&line);
                shell.put(b"\n");
            }
            let status = bind(shell)?;
            Ok(if found { status } else { 1 })
        }
        Err(e) => {
            if shell.opts.shopt(Shopt::cdable_vars)
                && sandshell_syntax::name::is_name(&dir)
                && let Some(value) = shell.value(Name::new(&dir)).map(|v| v.into_owned())
                && change(shell, &value, physical, exact).is_ok()
            {
                shell.put(&value);
                shell.put(b"\n");
                return bind(shell);
            }
            let shown = shown_name(&dir);
            Ok(args::fail(shell, args, [&*shown, b": ", e.to_string().as_bytes()].concat()))
        }
    }
}

/// A file name as messages show it.
pub(crate) fn shown_name(name: &[u8]) -> Vec<u8> {
    if needs_ansi(name) { quote_ansi(name) } else { name.to_vec() }
}

// Whether CDPATH is ignored for this name.
fn is_anchored(dir: &[u8]) -> bool {
    dir.starts_with(b"/") || matches!(dir, b"." | b"..") || dir.starts_with(b"./") || dir.starts_with(b"../")
}

/// Changes the working directory. `Ok(false)`: it was changed, but its path could not be determined as `exact` demands.
pub(super) fn change(shell: &mut Shell, dir: &[u8], physical: bool, exact: bool) -> sys::Result<bool> {
    let full =
        if dir.starts_with(b"/") { dir.to_vec() } else { crate::path::join(&shell.logical_cwd(), dir) };
    if physical {
        let known = sys::stat(&full, true).is_ok();
        sys::chdir(dir)?;
        if known && let Ok(cwd) = sys::getcwd() {
            shell.cwd = cwd;
            return Ok(true);
        }
        return Ok(!ask_for_directory(shell, full) || !exact);
    }
    let logical = canonical_existing(&full).filter(|d| sys::stat(d, true).is_ok());
    if logical.is_none() && shell.posix() {
        return sys::stat(&full, true).and(Err(sys::Errno::NOENT));
    }
    match sys::chdir(logical.as_deref().unwrap_or(&full)) {
        Ok(()) => match logical {
            Some(logical) => shell.cwd = logical,
            None => {
                ask_for_directory(shell, full);
            }
        },
        Err(e) => {
            if shell.posix() || sys::chdir(dir).is_err() {
                return Err(e);
            }
            ask_for_directory(shell, full);
        }
    }
    Ok(true)
}

// Asks the kernel for the path of the new directory. Returns true if the kernel does not know it either.
fn ask_for_directory(shell: &mut Shell, guess: Vec<u8>) -> bool {
    match sys::getcwd() {
        Ok(cwd) => {
            shell.cwd = cwd;
            false
        }
        Err(e) => {
            no_directory(shell, b"cd", e);
            shell.cwd = guess;
            true
        }
    }
}

/// Reports that the path of the working directory cannot be determined.
pub(crate) fn no_directory(shell: &mut Shell, who: &[u8], e: sys::Errno) {
    let what = b": error retrieving current directory: getcwd: cannot access parent directories: ";
    shell.write_error(&[who, what, e.to_string().as_bytes(), b"\n"].concat());
}

/// Removes `.`, `..` and doubled slashes from a path, without looking at the filesystem.
pub(crate) fn canonical(path: &[u8]) -> Vec<u8> {
    let mut parts: Vec<&[u8]> = Vec::new();
    for part in path.split(|b| *b == b'/') {
        match part {
            b"" | b"." => {}
            b".." => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    let mut out = Vec::with_capacity(path.len());
    // Two leading slashes are kept, as POSIX allows.
    if path.starts_with(b"//") && !path.starts_with(b"///") {
        out.push(b'/');
    }
    for part in &parts {
        out.push(b'/');
        out.extend_from_slice(part);
    }
    if parts.is_empty() {
        out.push(b'/');
    }
    out
}

// As `canonical`, but the path before each `..` must be a directory.
fn canonical_existing(path: &[u8]) -> Option<Vec<u8>> {
    let mut parts: Vec<&[u8]> = Vec::new();
    for part in path.split(|b| *b == b'/') {
        match part {
            b"" | b"." => {}
            b".." => {
                let so_far = [b"/".as_slice(), &parts.join(&b'/')].concat();
                if !sys::stat(&so_far, true).is_ok_and(|s| s.is_dir()) {
                    return None;
                }
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    Some(canonical(path))
}

/// Sets `PWD` and `OLDPWD` after a change.
pub(super) fn bind(shell: &mut Shell) -> Run<i32> {
    let (pwd, oldpwd) = (shell.names.pwd, shell.names.oldpwd);
    let old = shell.value(pwd).map(|v| v.into_owned());
    let mut status = 0;
    if let Some(old) = old
        && !args::tolerate(shell.assign(oldpwd, &old, false))?
    {
        status = 1;
    }
    let cwd = shell.cwd.clone();
    if !args::tolerate(shell.assign(pwd, &cwd, false))? {
        status = 1;
    }
    Ok(status)
}

pub(super) fn pwd(shell: &mut Shell, args: &[Field]) -> Run<i32> {
    let (options, _) = match args::parse(shell, args, "LP") {
        Ok(p) => p,
        Err(status) => return Ok(status),
    };
    let mut physical = shell.opts.has(flag::PHYSICAL);
    for o in &options {
        physical = o.letter == b'P';
    }
    if !physical && !shell.cwd.is_empty() {
        let line = [&*shell.cwd, b"\n"].concat();
        shell.put(&line);
        return Ok(0);
    }
    match sys::getcwd() {
        Ok(cwd) => {
            shell.put(&cwd);
            shell.put(b"\n");
            Ok(0)
        }
        Err(e) => {
            no_directory(shell, b"pwd", e);
            Ok(1)
        }
    }
}
