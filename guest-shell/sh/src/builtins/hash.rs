//! `hash`

use super::args;
use crate::field::Field;
use crate::options::flag;
use crate::path::Hashed;
use crate::shell::{Run, Shell};
use sandshell_sys as sys;

pub(super) fn hash(shell: &mut Shell, args: &[Field]) -> Run<i32> {
    let (options, at) = match args::parse(shell, args, "dlp:rt") {
        Ok(p) => p,
        Err(status) => return Ok(status),
    };
    if !shell.opts.has(flag::HASHALL) {
        return Ok(args::fail(shell, args, "hashing disabled"));
    }
    let has = |l: u8| options.iter().any(|o| o.letter == l);
    let words = args.get(at..).unwrap_or_default();
    let (delete, long, find) = (has(b'd'), has(b'l'), has(b't'));
    if find && words.is_empty() {
        let message = "-t: option requires an argument";
        args::fail(shell, args, message);
        return Ok(1);
    }
    if has(b'r') {
        shell.hash.clear();
    }
    if words.is_empty() {
        if !has(b'r') {
            list(shell, long);
        }
        return Ok(0);
    }
    if let Some(path) = options.iter().find(|o| o.letter == b'p').map(|o| o.value.to_vec()) {
        if let Some(why) = shell.refuses_path(&path) {
            return Ok(args::fail(shell, args, why));
        }
        if sys::stat(&path, true).is_ok_and(|s| s.is_dir()) {
            return Ok(args::fail(shell, args, [&*path, b": Is a directory"].concat()));
        }
        for word in words {
            *shell.hash.table.entry(word) = Hashed { path: path.clone(), hits: 0 };
            shell.hash.used = true;
        }
        return Ok(0);
    }
    let mut status = 0;
    for word in words {
        if find {
            let found = shell.hash.table.get(word).map(|h| h.path.clone());
            let Some(path) = found else {
                status = args::fail(shell, args, [word, b": not found".as_slice()].concat());
                continue;
            };
            let line = if long {
                [b"builtin hash -p ", &*path, b" ", word, b"\n"].concat()
            } else if words.len() > 1 {
                [word, b"\t".as_slice(), &path, b"\n"].concat()
            } else {
                [&*path, b"\n"].concat()
            };
            shell.put(&line);
            continue;
        }
        if delete {
            if shell.hash.used && shell.hash.table.remove(word).is_none() {
                status = args::fail(shell, args, [word, b": not found".as_slice()].concat());
            }
            continue;
        }
        if word.contains(&b'/') || shell.function_named(word).is_some() || super::find(word).is_some() {
            continue;
        }
        shell.hash.table.remove(word);
        let search = shell.search_path();
        match shell.search(word, &search, false).pop().filter(|f| sys::access(f, 1).is_ok()) {
            Some(path) => {
                *shell.hash.table.entry(word) = Hashed { path, hits: 0 };
                shell.hash.used = true;
            }
            None => status = args::fail(shell, args, [word, b": not found".as_slice()].concat()),
        }
    }
    Ok(status)
}

fn list(shell: &mut Shell, long: bool) {
    let entries: Vec<(Vec<u8>, Hashed)> =
        shell.hash.table.ordered().into_iter().map(|(k, v)| (k.to_vec(), v.clone())).collect();
    if entries.is_empty() {
        if !shell.posix() {
            shell.put(b"hash: hash table empty\n");
        }
        return;
    }
    if !long {
        shell.put(b"hits\tcommand\n");
    }
    for (name, h) in entries {
        let line = if long {
            [b"builtin hash -p ", &*h.path, b" ", &*name, b"\n"].concat()
        } else {
            [format!("{:4}\t", h.hits).as_bytes(), &h.path, b"\n"].concat()
        };
        shell.put(&line);
    }
}
