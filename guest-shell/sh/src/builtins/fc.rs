//! `fc`: lists, edits or repeats past commands.

use super::args;
use crate::field::Field;
use crate::options::flag;
use crate::shell::{Run, Shell};
use crate::text;
use sandshell_sys as sys;
use sys::open_flags as o;

pub(super) fn fc(shell: &mut Shell, args: &[Field]) -> Run<i32> {
    // Operands may be negative numbers, which must not be read as options.
    let is_offset = |a: &[u8]| a.strip_prefix(b"-").is_some_and(text::is_digits);
    let cut = args.iter().skip(1).position(|a| is_offset(a)).map_or(args.len(), |i| i + 1);
    let (options, at) = match args::parse(shell, args.get(..cut).unwrap_or(args), "e:lnrs") {
        Ok(p) => p,
        Err(status) => return Ok(status),
    };
    let has = |l: u8| options.iter().any(|o| o.letter == l);
    let words = args.get(at.min(cut)..).unwrap_or_default();
    let editor = options.iter().rev().find(|o| o.letter == b'e').map(|o| o.value);
    if has(b's') || editor == Some(b"-") {
        return repeat(shell, args, words);
    }
    if shell.history.is_empty() {
        return Ok(0);
    }
    let listing = has(b'l');
    let range = match range(shell, words, listing) {
        Ok(range) => range,
        Err(why) => return Ok(args::fail(shell, args, why)),
    };
    let (first, last) = range;
    let reversed = has(b'r') != (first > last);
    let (low, high) = (first.min(last), first.max(last));
    let numbers = listing && !has(b'n');
    let mut lines = Vec::new();
    for (i, line) in shell.history.iter().enumerate().skip(low).take(high - low + 1) {
        let number = if numbers { (shell.record.dropped + i + 1).to_string() } else { String::new() };
        let gap: &[u8] = match (listing, shell.posix()) {
            (false, _) => b"",
            (true, true) => b"\t",
            (true, false) => b"\t ",
        };
        lines.push([number.as_bytes(), gap, line, b"\n"].concat());
    }
    if reversed {
        lines.reverse();
    }
    let text = lines.concat();
    if listing {
        shell.put(&text);
        return Ok(0);
    }
    // The `fc` command itself is not kept in the history.
    shell.forget_current();
    edit(shell, args, editor, &text)
}

// The range of entries that the operands select.
fn range(shell: &Shell, words: &[Field], listing: bool) -> Result<(usize, usize), &'static str> {
    let end = shell.history.len() - 1;
    let last = match last_before(shell) {
        Some(last) => last,
        // A listing shows the line of this command if there is nothing else.
        None if listing => return Ok((end, end)),
        None => return Err("history specification out of range"),
    };
    let find = |word: &Field, begins: bool| match entry(shell, word, listing, begins) {
        HistoryEntry::At(i) => Ok(i),
        HistoryEntry::OutOfRange => Err("history specification out of range"),
        HistoryEntry::None => Err("no command found"),
    };
    let first = match words.first() {
        Some(word) => find(word, true)?,
        None if listing => (last + 1).saturating_sub(16),
        None => last,
    };
    let last = match (words.first(), words.get(1)) {
        (_, Some(word)) => find(word, false)?,
        (Some(_), None) if !listing || first == end => first,
        _ => last,
    };
    Ok((first, last))
}

// The last entry before the line of this command.
fn last_before(shell: &Shell) -> Option<usize> {
    let own = usize::from(shell.record.current && shell.opts.has(flag::HISTORY));
    // An entry added by `history -s` may be the only one.
    shell.history.len().checked_sub(1 + own).or(shell.record.pushed.then_some(0))
}

enum HistoryEntry {
    At(usize),
    OutOfRange,
    None,
}

// Finds the entry for a number, an offset or the beginning of a command.
fn entry(shell: &Shell, word: &[u8], listing: bool, begins: bool) -> HistoryEntry {
    let Some(last) = last_before(shell) else { return HistoryEntry::None };
    match text::parse_integer(word) {
        Some(n) if n < 0 => {
            let back = usize::try_from(n.unsigned_abs()).unwrap_or(usize::MAX);
            HistoryEntry::At((last + 1).saturating_sub(back))
        }
        Some(0) if !word.starts_with(b"-") => HistoryEntry::At(last),
        Some(0) if listing => HistoryEntry::At(shell.history.len() - 1),
        Some(0) => HistoryEntry::OutOfRange,
        // A number out of range stands for the first entry at the beginning of a range, and else for the last one.
        Some(n) => match usize::try_from(n).ok().and_then(|n| n.checked_sub(shell.record.dropped + 1)) {
            Some(n) if n <= last => HistoryEntry::At(n),
            _ if begins => HistoryEntry::At(0),
            _ => HistoryEntry::At(last),
        },
        None => shell
            .history
            .iter()
            .take(last + 1)
            .rposition(|l| l.starts_with(word))
            .map_or(HistoryEntry::None, HistoryEntry::At),
    }
}

// `fc -s [old=new]... [command]`
fn repeat(shell: &mut Shell, args: &[Field], words: &[Field]) -> Run<i32> {
    let changes: Vec<(&[u8], &[u8])> = words
        .iter()
        .map_while(|w| {
            let equals = w.iter().position(|b| *b == b'=').filter(|i| *i > 0)?;
            Some((w.get(..equals)?, w.get(equals + 1..)?))
        })
        .collect();
    let found = match words.get(changes.len()) {
        None => last_before(shell).map_or(HistoryEntry::None, HistoryEntry::At),
        Some(word) => entry(shell, word, false, false),
    };
    let line = match found {
        HistoryEntry::At(i) => shell.history.get(i).map(|entry| entry.line.clone()),
        _ => None,
    };
    let Some(mut line) = line else { return Ok(args::fail(shell, args, "no command found")) };
    for (old, new) in changes {
        line = replaced(&line, old, new);
    }
    shell.write_error(&[&*line, b"\n"].concat());
    // In the history, the repeated command replaces the `fc` command.
    shell.forget_current();
    shell.remember(&line);
    let number = shell.line.max(1);
    shell.eval_text(&line, number, false)?;
    Ok(shell.status)
}

fn replaced(line: &[u8], old: &[u8], new: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = line;
    while let Some(at) = rest.windows(old.len()).position(|w| w == old) {
        out.extend_from_slice(rest.get(..at).unwrap_or_default());
        out.extend_from_slice(new);
        rest = rest.get(at + old.len()..).unwrap_or_default();
    }
    out.extend_from_slice(rest);
    out
}

// Lets an editor change the text, then shows and runs the result.
fn edit(shell: &mut Shell, args: &[Field], editor: Option<&[u8]>, text: &[u8]) -> Run<i32> {
    let file = match temporary_file(shell, text) {
        Ok(file) => file,
        Err((file, e)) => {
            let why = [&*file, b": cannot open temp file: ", e.to_string().as_bytes()].concat();
            return Ok(args::fail(shell, args, why));
        }
    };
    let editor = match editor {
        Some(editor) => editor,
        None if shell.posix() => b"${FCEDIT:-ed}",
        None => b"${FCEDIT:-${EDITOR:-vi}}",
    };
    let line = shell.line.max(1);
    let done = shell.eval_text(&[editor, b" ", &file].concat(), line, false).and_then(|()| {
        if shell.status != 0 {
            return Ok(1);
        }
        let Ok(fd) = sys::open(&file, o::READ | o::CLOEXEC, 0) else { return Ok(1) };
        // As with `set -v`, the commands are shown as they are read.
        let was_shown = shell.opts.has(flag::VERBOSE);
        shell.opts.set(flag::VERBOSE, true);
        let done = shell.run_edited(fd);
        shell.opts.set(flag::VERBOSE, was_shown);
        let _ = sys::close(fd);
        shell.line = line;
        done.map(|()| shell.status)
    });
    let _ = sys::unlink(&file);
    done
}

fn temporary_file(shell: &mut Shell, text: &[u8]) -> Result<Vec<u8>, (Vec<u8>, sys::Errno)> {
    let file = shell.temporary_name(b"bash-fc.");
    let written = sys::open(&file, o::WRITE | o::CREATE | o::EXCL | o::CLOEXEC, 0o600).and_then(|fd| {
        let written = sys::write_all(fd, text);
        let _ = sys::close(fd);
        written
    });
    match written {
        Ok(_) => Ok(file),
        Err(e) => Err((file, e)),
    }
}
