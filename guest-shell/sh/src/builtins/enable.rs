//! `enable`

use super::args;
use crate::field::Field;
use crate::shell::{Run, Shell};

pub(super) fn enable(shell: &mut Shell, args: &[Field]) -> Run<i32> {
    let (options, at) = match args::parse(shell, args, "adnpsf:") {
        Ok(p) => p,
        Err(status) => return Ok(status),
    };
    let has = |l: u8| options.iter().any(|o| o.letter == l);
    let words = args.get(at..).unwrap_or_default();
    if shell.opts.restricted && (has(b'f') || has(b'd')) {
        return Ok(args::fail(shell, args, "restricted"));
    }
    if let Some(file) = options.iter().find(|o| o.letter == b'f').map(|o| o.value) {
        let why: &[u8] = b": cannot open shared object file: No such file or directory";
        return Ok(args::fail(shell, args, [b"cannot open shared object ", file, b": ", file, why].concat()));
    }
    if has(b'd') {
        for word in words {
            args::fail(shell, args, [word, b": not dynamically loaded".as_slice()].concat());
        }
        return Ok(i32::from(!words.is_empty()));
    }
    let (all, off, special) = (has(b'a'), has(b'n'), has(b's'));
    if words.is_empty() || has(b'p') {
        for b in super::all() {
            if special && b.kind != super::Kind::Special {
                continue;
            }
            let disabled = shell.disabled_builtins.contains(&b.name);
            if !all && disabled != off {
                continue;
            }
            let line = format!("enable {}{}\n", if disabled { "-n " } else { "" }, b.name);
            shell.put(line.as_bytes());
        }
        return Ok(0);
    }
    let mut status = 0;
    for word in words {
        match super::find(word) {
            Some(b) if shell.opts.restricted && !off && shell.disabled_builtins.contains(&b.name) => {
                status = args::fail(shell, args, "restricted");
            }
            Some(b) => {
                shell.disabled_builtins.retain(|d| *d != b.name);
                if off {
                    shell.disabled_builtins.push(b.name);
                }
            }
            None => status = args::fail(shell, args, [word, b": not a shell builtin".as_slice()].concat()),
        }
    }
    Ok(status)
}
