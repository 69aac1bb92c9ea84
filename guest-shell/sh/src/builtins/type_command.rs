//! `type`, `command -v` and `command -V`.

use super::{alias, args};
use crate::field::Field;
use crate::options::Shopt;
use crate::path::{self, STANDARD_PATH};
use crate::shell::{Run, Shell};

/// The reserved words.
pub(super) const KEYWORDS: &[&str] = &[
    "if", "then", "else", "elif", "fi", "case", "esac", "for", "select", "while", "until", "do", "done",
    "in", "function", "time", "{", "}", "!", "[[", "]]", "coproc",
];

/// How to describe a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    /// `ls is /usr/bin/ls`
    Sentence,
    /// `file`
    Kind,
    /// Only the path of a program.
    Path,
    /// Text that the shell can read back (`command -v`).
    Reusable,
}

#[derive(Clone, Copy, Debug)]
struct How {
    style: Style,
    all: bool,
    no_functions: bool,
    /// Only `PATH` is searched.
    force_path: bool,
    standard: bool,
}

pub(super) fn type_command(shell: &mut Shell, args: &[Field]) -> Run<i32> {
    // Old forms: `-type`, `-path`, `-all`.
    let converted: Vec<Field> = args
        .iter()
        .enumerate()
        .map(|(i, a)| match &**a {
            b"-type" | b"--type" if i > 0 => Field::from(&b"-t"[..]),
            b"-path" | b"--path" if i > 0 => Field::from(&b"-p"[..]),
            b"-all" | b"--all" if i > 0 => Field::from(&b"-a"[..]),
            _ => a.clone(),
        })
        .collect();
    let (options, at) = match args::parse(shell, &converted, "afptP") {
        Ok(p) => p,
        Err(status) => return Ok(status),
    };
    let mut how =
        How { style: Style::Sentence, all: false, no_functions: false, force_path: false, standard: false };
    for o in &options {
        match o.letter {
            b'a' => how.all = true,
            b'f' => how.no_functions = true,
            b'p' => how.style = Style::Path,
            b't' => how.style = Style::Kind,
            _ => {
                how.style = Style::Path;
                how.force_path = true;
            }
        }
    }
    let mut status = 0;
    for word in converted.get(at..).unwrap_or_default() {
        if !one(shell, word, how) {
            status = 1;
            if how.style == Style::Sentence {
                args::fail(shell, args, [word, b": not found".as_slice()].concat());
            }
        }
    }
    Ok(status)
}

/// `command -v` (or `-V` with `verbose`) for one name. Returns false if there is no such command.
pub(super) fn describe(shell: &mut Shell, name: &[u8], verbose: bool, standard: bool) -> bool {
    let style = if verbose { Style::Sentence } else { Style::Reusable };
    one(shell, name, How { style, all: false, no_functions: false, force_path: false, standard })
}

fn say(shell: &mut Shell, parts: &[&[u8]]) {
    let line = parts.concat();
    shell.put(&line);
    shell.put(b"\n");
}

fn one(shell: &mut Shell, name: &[u8], how: How) -> bool {
    let mut found = false;
    if !how.force_path {
        let aliases = shell.opts.shopt(Shopt::expand_aliases);
        if let Some(value) = shell.aliases.get(name).filter(|_| aliases).cloned() {
            found = true;
            match how.style {
                Style::Sentence => say(shell, &[name, b" is aliased to `", &value, b"'"]),
                Style::Kind => say(shell, &[b"alias"]),
                Style::Reusable => {
                    let line = alias::definition(shell, name, &value);
                    shell.put(&line);
                }
                Style::Path => {}
            }
            if !how.all {
                return true;
            }
        }
        if KEYWORDS.iter().any(|k| k.as_bytes() == name) {
            found = true;
            match how.style {
                Style::Sentence => say(shell, &[name, b" is a shell keyword"]),
                Style::Kind => say(shell, &[b"keyword"]),
                Style::Reusable => say(shell, &[name]),
                Style::Path => {}
            }
            if !how.all {
                return true;
            }
        }
        let special_first =
            shell.posix() && super::find(name).is_some_and(|b| b.kind == super::Kind::Special);
        if special_first && builtin(shell, name, how) {
            found = true;
            if !how.all {
                return true;
            }
        }
        if !how.no_functions
            && let Some(f) = shell.function_named(name).cloned()
        {
            found = true;
            match how.style {
                Style::Sentence => {
                    say(shell, &[name, b" is a function"]);
                    super::declare::function_only(shell, &f);
                }
                Style::Kind => say(shell, &[b"function"]),
                Style::Reusable => say(shell, &[name]),
                Style::Path => {}
            }
            if !how.all {
                return true;
            }
        }
        if !special_first && builtin(shell, name, how) {
            found = true;
            if !how.all {
                return true;
            }
        }
    }
    program(shell, name, how) || found
}

fn builtin(shell: &mut Shell, name: &[u8], how: How) -> bool {
    let Some(b) = super::find(name).filter(|_| !shell.builtin_disabled(name)) else { return false };
    match how.style {
        Style::Sentence if shell.posix() && b.kind == super::Kind::Special => {
            say(shell, &[name, b" is a special shell builtin"]);
        }
        Style::Sentence => say(shell, &[name, b" is a shell builtin"]),
        Style::Kind => say(shell, &[b"builtin"]),
        Style::Reusable => say(shell, &[name]),
        Style::Path => {}
    }
    true
}

fn program(shell: &mut Shell, name: &[u8], how: How) -> bool {
    if name.contains(&b'/') {
        if !path::is_executable(name) {
            return false;
        }
        show_program(shell, name, name, how);
        return true;
    }
    if name.is_empty() {
        return false;
    }
    // `-P` stops at the table even with `-a`.
    if (!how.all || how.force_path)
        && let Some(path) = looked_up(shell, name)
    {
        match how.style {
            Style::Sentence => say(shell, &[name, b" is hashed (", &path, b")"]),
            _ => show_program(shell, name, &path, how),
        }
        return true;
    }
    let search = if how.standard { STANDARD_PATH.to_vec() } else { shell.search_path() };
    let found = shell.search(name, &search, how.all);
    let mut any = false;
    for file in found {
        any = true;
        show_program(shell, name, &file, how);
    }
    any
}

fn show_program(shell: &mut Shell, name: &[u8], file: &[u8], how: How) {
    match how.style {
        Style::Sentence => say(shell, &[name, b" is ", file]),
        Style::Kind => say(shell, &[b"file"]),
        Style::Path => say(shell, &[file]),
        Style::Reusable => say(shell, &[file]),
    }
}

// A look-up counts as a hit in the table.
fn looked_up(shell: &mut Shell, name: &[u8]) -> Option<Vec<u8>> {
    shell.hash.table.get(name)?;
    let entry = shell.hash.table.entry(name);
    entry.hits += 1;
    Some(entry.path.clone())
}
