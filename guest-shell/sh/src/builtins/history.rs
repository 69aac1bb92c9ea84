//! `history`: shows and changes the list of past commands. There is no line editor.

use super::args;
use crate::field::Field;
use crate::history::Entry;
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
            match shell.expand_history(word, 0, false) {
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
    let format = shell.time_format();
    let entries = shell.history.get(skip..).unwrap_or_default().to_vec();
    let mut lines = Vec::new();
    for (i, entry) in (dropped + skip + 1..).zip(&entries) {
        lines.extend(format!("{i:5}  ").as_bytes());
        if let Some(format) = &format {
            lines.extend(shown_time(shell, entry, format));
        }
        lines.extend([&*entry.line, b"\n"].concat());
    }
    shell.put(&lines);
    Ok(0)
}

fn shown_time(shell: &mut Shell, entry: &Entry, format: &[u8]) -> Vec<u8> {
    let Some(time) = &entry.time else { return b"??".to_vec() };
    let digits = time.iter().take_while(|b| b.is_ascii_digit()).count();
    // A number that is too large stands for the last second that can be counted.
    let seconds = text::parse_integer(time.get(..digits).unwrap_or_default()).unwrap_or(i64::MAX);
    super::time_zone::format(shell, format, seconds)
}

// Deletes one entry (`N`, or `-N` from the end) or a range (`N-M`).
fn delete(shell: &mut Shell, args: &[Field], value: &[u8]) -> i32 {
    let len = shell.history.len();
    let base = i64::try_from(shell.record.dropped).unwrap_or(i64::MAX).saturating_add(1);
    let place = |n: i64| -> Option<usize> {
        let n = if n < 0 { i64::try_from(len).ok()? + n } else { n.saturating_sub(base) };
        usize::try_from(n).ok().filter(|n| *n < len)
    };
    let dash = value.iter().skip(1).position(|b| *b == b'-').map(|i| i + 1);
    let bad = |shell: &mut Shell, text: &[u8]| {
        args::fail(shell, args, [text, b": history position out of range"].concat())
    };
    let (first, last) = match dash {
        Some(at) => (value.get(..at).unwrap_or_default(), value.get(at + 1..).unwrap_or_default()),
        None => (value, value),
    };
    let (Some(from), Some(to)) = (text::parse_integer(first), text::parse_integer(last)) else {
        return bad(shell, value);
    };
    let Some(from) = place(from) else { return bad(shell, first) };
    let Some(to) = place(to) else { return bad(shell, last) };
    if from > to {
        return 1;
    }
    shell.history.drain(from..=to);
    shell.record.unsaved = shell.record.unsaved.saturating_sub(to - from + 1);
    0
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
