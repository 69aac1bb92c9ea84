//! `history` and `fc`: the list of past commands, as far as it goes without a line editor.

use super::args;
use crate::field::Field;
use crate::shell::{Run, Shell};
use crate::text;
use crate::variables::Name;
use sandshell_sys as sys;

fn history_file(shell: &mut Shell, given: Option<&Field>) -> Option<Vec<u8>> {
    match given {
        Some(file) => Some(file.to_vec()),
        None => shell.value(Name::new(b"HISTFILE")).map(|v| v.into_owned()),
    }
}

/// `history`
pub(super) fn history(shell: &mut Shell, args: &[Field]) -> Run<i32> {
    let (options, at) = match args::parse(shell, args, "acd:npsrw") {
        Ok(p) => p,
        Err(status) => return Ok(status),
    };
    let has = |l: u8| options.iter().any(|o| o.letter == l);
    let words = args.get(at..).unwrap_or_default();
    let files = [b'a', b'n', b'r', b'w'].iter().filter(|l| has(**l)).count();
    if files > 1 {
        return Ok(args::fail(shell, args, "cannot use more than one of -anrw"));
    }
    if has(b'c') {
        shell.history.clear();
        if files == 0 && !has(b's') && !has(b'p') && !has(b'd') {
            return Ok(0);
        }
    }
    if has(b's') {
        if !words.is_empty() {
            let line = words.iter().map(|w| &**w).collect::<Vec<_>>().join(&b' ');
            shell.history.push(line);
        }
        return Ok(0);
    }
    if has(b'p') {
        // History expansion belongs to the line editor: words without `!` stand for themselves.
        let mut status = 0;
        for word in words {
            if word.contains(&b'!') {
                status = args::fail(shell, args, [word, b": history expansion failed".as_slice()].concat());
            } else {
                shell.put(word);
                shell.put(b"\n");
            }
        }
        return Ok(status);
    }
    if let Some(o) = options.iter().find(|o| o.letter == b'd') {
        return Ok(delete(shell, args, o.value));
    }
    if files == 1
        && shell.opts.restricted
        && let Some(file) = words.first().filter(|w| w.contains(&b'/'))
    {
        return Ok(args::fail(shell, args, [file, b": restricted".as_slice()].concat()));
    }
    if files == 1 {
        return Ok(transfer(shell, args, words.first(), has(b'w'), has(b'a')));
    }
    if words.len() > 1 && words.first().is_some_and(|w| text::parse_integer(w).is_some()) {
        args::fail(shell, args, "too many arguments");
        return Err(shell.give_up());
    }
    let count = match words.first() {
        None => shell.history.len(),
        Some(word) => match text::parse_integer(word) {
            Some(n) => usize::try_from(n.unsigned_abs()).unwrap_or(usize::MAX),
            None => {
                return Ok(args::fail(
                    shell,
                    args,
                    [word, b": numeric argument required".as_slice()].concat(),
                ));
            }
        },
    };
    if words.len() > 1 {
        return Ok(args::fail(shell, args, "too many arguments"));
    }
    let skip = shell.history.len().saturating_sub(count);
    let lines: Vec<Vec<u8>> = shell
        .history
        .iter()
        .enumerate()
        .skip(skip)
        .map(|(i, l)| [format!("{:5}  ", i + 1).as_bytes(), l, b"\n"].concat())
        .collect();
    shell.put(&lines.concat());
    Ok(0)
}

// One entry (`N`, or `-N` from the end) or a range (`N-M`).
fn delete(shell: &mut Shell, args: &[Field], value: &[u8]) -> i32 {
    let len = shell.history.len();
    let place = |n: i64| -> Option<usize> {
        let n = if n < 0 { i64::try_from(len).ok()? + n } else { n - 1 };
        usize::try_from(n).ok().filter(|n| *n < len)
    };
    let dash = value.iter().skip(1).position(|b| *b == b'-').map(|i| i + 1);
    let range = match dash {
        Some(at) => {
            let parse = |t: Option<&[u8]>| t.and_then(text::parse_integer).and_then(place);
            parse(value.get(..at)).zip(parse(value.get(at + 1..)))
        }
        None => text::parse_integer(value).and_then(place).map(|n| (n, n)),
    };
    match range {
        Some((first, last)) if first <= last => {
            shell.history.drain(first..=last);
            0
        }
        _ => args::fail(shell, args, [value, b": history position out of range"].concat()),
    }
}

fn transfer(shell: &mut Shell, args: &[Field], file: Option<&Field>, write: bool, append: bool) -> i32 {
    let Some(path) = history_file(shell, file) else { return 0 };
    let fail = |shell: &mut Shell, e: sys::Errno| {
        args::fail(shell, args, [&*path, b": cannot access: ", e.to_string().as_bytes()].concat())
    };
    if write || append {
        let mode = if append { sys::open_flags::APPEND } else { sys::open_flags::TRUNC };
        let flags = sys::open_flags::WRITE | sys::open_flags::CREATE | sys::open_flags::CLOEXEC | mode;
        let fd = match sys::open(&path, flags, 0o600) {
            Ok(fd) => fd,
            Err(e) => return fail(shell, e),
        };
        let data: Vec<u8> = shell.history.iter().flat_map(|l| l.iter().copied().chain([b'\n'])).collect();
        let result = sys::write_all(fd, &data);
        let _ = sys::close(fd);
        return match result {
            Ok(()) => 0,
            Err(e) => fail(shell, e),
        };
    }
    let fd = match sys::open(&path, sys::open_flags::READ | sys::open_flags::CLOEXEC, 0) {
        Ok(fd) => fd,
        Err(_) => return 1,
    };
    let data = sys::read_to_end(fd);
    let _ = sys::close(fd);
    match data {
        Ok(data) => {
            let lines = data.split(|b| *b == b'\n').filter(|l| !l.is_empty()).map(<[u8]>::to_vec);
            shell.history.extend(lines);
            0
        }
        Err(_) => 1,
    }
}

/// `fc`
pub(super) fn fc(shell: &mut Shell, args: &[Field]) -> Run<i32> {
    // Operands may be negative numbers, which are no options.
    let is_offset = |a: &[u8]| a.strip_prefix(b"-").is_some_and(text::is_digits);
    let cut = args.iter().skip(1).position(|a| is_offset(a)).map_or(args.len(), |i| i + 1);
    let (options, at) = match args::parse(shell, args.get(..cut).unwrap_or(args), "e:lnrs") {
        Ok(p) => p,
        Err(status) => return Ok(status),
    };
    let has = |l: u8| options.iter().any(|o| o.letter == l);
    let words: Vec<Vec<u8>> =
        args.get(at.min(cut)..).unwrap_or_default().iter().map(|w| w.to_vec()).collect();
    let again = has(b's') || options.iter().any(|o| o.letter == b'e' && o.value == b"-");
    let len = shell.history.len();
    if again {
        return repeat(shell, args, &words);
    }
    if !has(b'l') {
        if len == 0 {
            return Ok(0);
        }
        return Ok(args::fail(shell, args, "editing history entries is not supported; use fc -l or fc -s"));
    }
    let last_default = len.saturating_sub(1);
    let find = |shell: &Shell, word: &[u8]| -> Option<usize> {
        match text::parse_integer(word) {
            Some(n) if n < 0 => {
                Some(len.saturating_sub(usize::try_from(n.unsigned_abs()).unwrap_or(usize::MAX)))
            }
            Some(n) => usize::try_from(n).ok().map(|n| n.saturating_sub(1)).filter(|n| *n < len),
            None => shell.history.iter().rposition(|l| l.starts_with(word)),
        }
    };
    if len == 0 {
        return Ok(0);
    }
    let mut range = [len.saturating_sub(16), last_default];
    for (slot, word) in range.iter_mut().zip(&words) {
        match find(shell, word) {
            Some(n) => *slot = n,
            None => return Ok(args::fail(shell, args, "history specification out of range")),
        }
    }
    let [first, last] = range;
    let reversed = has(b'r') != (first > last);
    let (low, high) = (first.min(last), first.max(last));
    let mut lines: Vec<Vec<u8>> = (low..=high)
        .filter_map(|i| {
            let line = shell.history.get(i)?;
            let number = if has(b'n') { String::new() } else { (i + 1).to_string() };
            Some([number.as_bytes(), b"\t ", line, b"\n"].concat())
        })
        .collect();
    if reversed {
        lines.reverse();
    }
    shell.put(&lines.concat());
    Ok(0)
}

// `fc -s [old=new]... [command]`
fn repeat(shell: &mut Shell, args: &[Field], words: &[Vec<u8>]) -> Run<i32> {
    let changes: Vec<(&[u8], &[u8])> = words
        .iter()
        .map_while(|w| {
            let equals = w.iter().position(|b| *b == b'=').filter(|i| *i > 0)?;
            Some((w.get(..equals)?, w.get(equals + 1..)?))
        })
        .collect();
    let line = match words.get(changes.len()) {
        None => shell.history.last().cloned(),
        Some(word) => match text::parse_integer(word) {
            Some(n) if n < 0 => {
                let back = usize::try_from(n.unsigned_abs()).unwrap_or(usize::MAX);
                shell.history.len().checked_sub(back).and_then(|i| shell.history.get(i)).cloned()
            }
            Some(n) => usize::try_from(n)
                .ok()
                .and_then(|n| n.checked_sub(1))
                .and_then(|i| shell.history.get(i))
                .cloned(),
            None => shell.history.iter().rev().find(|l| l.starts_with(word)).cloned(),
        },
    };
    let Some(mut line) = line else { return Ok(args::fail(shell, args, "no command found")) };
    for (old, new) in changes {
        let mut out = Vec::new();
        let mut rest: &[u8] = &line;
        while let Some(at) = rest.windows(old.len()).position(|w| w == old) {
            out.extend_from_slice(rest.get(..at).unwrap_or_default());
            out.extend_from_slice(new);
            rest = rest.get(at + old.len()..).unwrap_or_default();
        }
        out.extend_from_slice(rest);
        line = out;
    }
    shell.write_error(&[&*line, b"\n"].concat());
    shell.history.push(line.clone());
    let number = shell.line.max(1);
    shell.eval_text(&line, number, false)?;
    Ok(shell.status)
}
