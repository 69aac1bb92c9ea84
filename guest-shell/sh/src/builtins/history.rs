//! `history` and `fc`: the list of past commands, as far as it goes without a line editor.

use super::args;
use crate::field::Field;
use crate::history_expansion::Expanded;
use crate::options::flag;
use crate::shell::{Run, Shell};
use crate::text;

fn history_file(shell: &mut Shell, given: Option<&Field>) -> Option<Vec<u8>> {
    match given {
        Some(file) => Some(file.to_vec()),
        None => shell.history_file(),
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
        shell.record.dropped = 0;
        shell.record.unsaved = 0;
        shell.record.current = false;
        if files == 0 && !has(b's') && !has(b'p') && !has(b'd') {
            return Ok(0);
        }
    }
    if has(b's') {
        if !words.is_empty() {
            let line = words.iter().map(|w| &**w).collect::<Vec<_>>().join(&b' ');
            if !shell.record.pushed && shell.opts.has(flag::HISTORY) {
                shell.forget_current();
            }
            shell.remember(&line);
            shell.record.pushed = true;
        }
        return Ok(0);
    }
    if has(b'p') {
        if !shell.record.pushed {
            shell.forget_current();
        }
        let mut status = 0;
        for word in words {
            match shell.expand_history(word) {
                Ok(Expanded::Same) => shell.put(word),
                Ok(Expanded::Changed(line) | Expanded::Shown(line)) => shell.put(&line),
                Err(_) => {
                    let why = [word, b": history expansion failed".as_slice()].concat();
                    status = args::fail(shell, args, why);
                    continue;
                }
            }
            shell.put(b"\n");
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
        let letter = [b'a', b'n', b'r', b'w'].into_iter().find(|l| has(*l)).unwrap_or(b'r');
        return Ok(transfer(shell, args, words.first(), letter));
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
    let dropped = shell.record.dropped;
    let lines: Vec<Vec<u8>> = shell
        .history
        .iter()
        .enumerate()
        .skip(skip)
        .map(|(i, l)| [format!("{:5}  ", dropped + i + 1).as_bytes(), l, b"\n"].concat())
        .collect();
    shell.put(&lines.concat());
    Ok(0)
}

// One entry (`N`, or `-N` from the end) or a range (`N-M`).
fn delete(shell: &mut Shell, args: &[Field], value: &[u8]) -> i32 {
    let len = shell.history.len();
    let base = i64::try_from(shell.record.dropped).unwrap_or(i64::MAX).saturating_add(1);
    let place = |n: i64| -> Option<usize> {
        let n = if n < 0 { i64::try_from(len).ok()? + n } else { n.saturating_sub(base) };
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

fn transfer(shell: &mut Shell, args: &[Field], file: Option<&Field>, letter: u8) -> i32 {
    let Some(path) = history_file(shell, file) else { return 0 };
    let result = match letter {
        b'w' => shell.write_history(&path, shell.history.len(), false),
        b'a' => {
            let count = shell.record.unsaved.min(shell.history.len());
            let written = if count > 0 { shell.write_history(&path, count, true) } else { Ok(()) };
            shell.record.in_file += count;
            shell.record.unsaved = 0;
            written
        }
        b'n' => {
            let read = shell.record.in_file;
            let result = shell.read_history(&path, read);
            shell.record.unsaved += shell.record.in_file.saturating_sub(read);
            return i32::from(result.is_err());
        }
        _ => return i32::from(shell.read_history(&path, 0).is_err()),
    };
    match result {
        Ok(()) => 0,
        Err(e) => args::fail(shell, args, [&*path, b": cannot access: ", e.to_string().as_bytes()].concat()),
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
    // The line of this command does not count.
    let own = usize::from(shell.record.current && shell.opts.has(flag::HISTORY));
    let all = shell.history.len();
    let len = all.saturating_sub(own);
    let dropped = shell.record.dropped;
    if again {
        return repeat(shell, args, &words);
    }
    if !has(b'l') {
        if all == 0 {
            return Ok(0);
        }
        return Ok(args::fail(shell, args, "editing history entries is not supported; use fc -l or fc -s"));
    }
    let last_default = len.saturating_sub(1);
    let listing_end = |word: &[u8]| word.starts_with(b"-");
    let find = |shell: &Shell, word: &[u8], first: bool| -> Option<usize> {
        match text::parse_integer(word) {
            Some(n) if n < 0 => {
                Some(len.saturating_sub(usize::try_from(n.unsigned_abs()).unwrap_or(usize::MAX)))
            }
            Some(0) if listing_end(word) => Some(all.saturating_sub(1)),
            Some(0) => Some(len.saturating_sub(1)),
            // Out of range, the last line stands for it, or the first where a range begins.
            Some(n) => match usize::try_from(n).ok().and_then(|n| n.checked_sub(dropped + 1)) {
                Some(n) if n < len => Some(n),
                _ if first => Some(0),
                _ => Some(len.saturating_sub(1)),
            },
            None => shell.history.iter().take(len).rposition(|l| l.starts_with(word)),
        }
    };
    if all == 0 {
        return Ok(0);
    }
    let mut range = [len.saturating_sub(16), last_default];
    for (i, (slot, word)) in range.iter_mut().zip(&words).enumerate() {
        match find(shell, word, i == 0) {
            Some(n) => *slot = n,
            None => return Ok(args::fail(shell, args, "no command found")),
        }
    }
    if words.len() == 1 && range.first() == Some(&all.saturating_sub(1)) {
        range[1] = all.saturating_sub(1);
    }
    let [first, last] = range;
    let reversed = has(b'r') != (first > last);
    let (low, high) = (first.min(last), first.max(last));
    let mut lines: Vec<Vec<u8>> = (low..=high)
        .filter_map(|i| {
            let line = shell.history.get(i)?;
            let number = if has(b'n') { String::new() } else { (dropped + i + 1).to_string() };
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
    let dropped = shell.record.dropped;
    // The line of this command does not count, and is replaced by the one it repeats.
    shell.forget_current();
    let line = match words.get(changes.len()) {
        None => shell.history.last().cloned(),
        Some(word) => match text::parse_integer(word) {
            Some(n) if n < 0 => {
                let back = usize::try_from(n.unsigned_abs()).unwrap_or(usize::MAX);
                shell.history.len().checked_sub(back).and_then(|i| shell.history.get(i)).cloned()
            }
            Some(n) => usize::try_from(n)
                .ok()
                .and_then(|n| n.checked_sub(dropped + 1))
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
    shell.remember(&line);
    let number = shell.line.max(1);
    shell.eval_text(&line, number, false)?;
    Ok(shell.status)
}
