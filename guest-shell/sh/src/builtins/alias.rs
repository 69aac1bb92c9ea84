//! `alias` and `unalias`

use super::args;
use crate::expand::transform::quote_plainly;
use crate::field::Field;
use crate::shell::{Run, Shell};
use std::rc::Rc;

/// The `alias` command that would define this alias.
pub(super) fn definition(shell: &Shell, name: &[u8], value: &[u8]) -> Vec<u8> {
    if shell.posix() {
        return [name, b"=", &*quote_plainly(value), b"\n"].concat();
    }
    let dashes: &[u8] = if name.starts_with(b"-") { b"-- " } else { b"" };
    [b"alias ", dashes, name, b"=", &*quote_plainly(value), b"\n"].concat()
}

pub(super) fn alias(shell: &mut Shell, args: &[Field]) -> Run<i32> {
    let (options, at) = match args::parse(shell, args, "p") {
        Ok(p) => p,
        Err(status) => return Ok(status),
    };
    let words = args.get(at..).unwrap_or_default();
    if words.is_empty() || !options.is_empty() {
        let lines: Vec<Vec<u8>> = shell.aliases.iter().map(|(n, v)| definition(shell, n, v)).collect();
        shell.put(&lines.concat());
        return Ok(0);
    }
    let mut status = 0;
    for word in words {
        if let Some(equals) = word.iter().position(|b| *b == b'=').filter(|i| *i > 0) {
            let (name, value) =
                (word.get(..equals).unwrap_or_default(), word.get(equals + 1..).unwrap_or_default());
            if !is_alias_name(name) {
                status = args::fail(shell, args, [b"`", name, b"': invalid alias name"].concat());
                continue;
            }
            shell.aliases.insert(name.into(), Rc::from(value));
            continue;
        }
        match shell.aliases.get(&**word) {
            Some(value) => {
                let line = definition(shell, word, value);
                shell.put(&line);
            }
            None => status = args::fail(shell, args, [word, b": not found".as_slice()].concat()),
        }
    }
    Ok(status)
}

/// Whether `name` is valid as the name of an alias.
pub(crate) fn is_alias_name(name: &[u8]) -> bool {
    !name.iter().any(|b| {
        matches!(
            b,
            b' ' | b'\t'
                | b'\n'
                | b'/'
                | b'$'
                | b'`'
                | b'"'
                | b'\''
                | b'\\'
                | b'&'
                | b';'
                | b'('
                | b')'
                | b'<'
                | b'>'
                | b'|'
        )
    })
}

pub(super) fn unalias(shell: &mut Shell, args: &[Field]) -> Run<i32> {
    let (options, at) = match args::parse(shell, args, "a") {
        Ok(p) => p,
        Err(status) => return Ok(status),
    };
    if !options.is_empty() {
        shell.aliases.clear();
        return Ok(0);
    }
    let words = args.get(at..).unwrap_or_default();
    if words.is_empty() {
        return Ok(args::usage(shell, args));
    }
    let mut status = 0;
    for word in words {
        if shell.aliases.remove(&**word).is_none() {
            status = args::fail(shell, args, [word, b": not found".as_slice()].concat());
        }
    }
    Ok(status)
}
