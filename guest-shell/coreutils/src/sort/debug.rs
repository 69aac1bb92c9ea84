//! `sort --debug`: shows which part of each line is compared, and warns about questionable keys.

use crate::sort::key::{Key, Kind};
use sandshell_cli::out;
use sandshell_cli::quote::quote;
use sandshell_cli::warn;
use sandshell_posix::{characters, locale};

/// Warns about questionable keys. `global` has the options given outside of keys.
pub(crate) fn warn_of_keys(
    keys: &[Key],
    global: &Key,
    only_global: bool,
    tab: Option<u8>,
    last_resort: bool,
) {
    let locale = if locale::is_bytes() {
        b"simple byte comparison".to_vec()
    } else {
        sandshell_cli::bytes!(quote(b"C.UTF-8"), " sorting rules")
    };
    warn!("sort", "text ordering performed using ", locale);
    let (mut numbers, mut basic_span, mut general_span) = (false, false, false);
    for (i, key) in keys.iter().enumerate() {
        let number = i + 1;
        let numeric = matches!(key.kind(), Kind::Numeric | Kind::General | Kind::Human);
        numbers |= numeric;
        if key.obsolete {
            warn_of_form(key);
        }
        let zero_width = key.to.is_some_and(|to| to.field < key.from.field);
        if zero_width {
            warn!("sort", "key ", number, " has zero width and will be ignored");
        }
        let skips = numeric || key.kind() == Kind::Month;
        let within_line = key.to.is_some_and(|to| to.field == 0 && to.chars != 0);
        let from_blanks = !key.from.skip_blanks && (!skips || key.from.chars != 0);
        let to_blanks = key.to.is_some_and(|to| !to.skip_blanks && to.chars != 0);
        if !zero_width && !only_global && tab.is_none() && !within_line && (from_blanks || to_blanks) {
            warn!("sort", "leading blanks are significant in key ", number, "; consider also specifying 'b'");
        }
        if !only_global && numeric && key.to.is_none_or(|to| key.from.field < to.field) {
            warn!("sort", "key ", number, " is numeric and spans multiple fields");
            if key.kind() == Kind::General { general_span = true } else { basic_span = true }
        }
    }
    let mut told = false;
    if (basic_span || general_span)
        && let Some(tab) = tab
    {
        let meaning = match tab {
            b'.' => Some("decimal point"),
            b'-' => Some("minus sign"),
            b'+' if general_span => Some("plus sign"),
            _ => None,
        };
        if let Some(meaning) = meaning {
            warn!("sort", "field separator ", quote(&[tab]), " is treated as a ", meaning, " in numbers");
            told = tab == b'.';
        }
    }
    if numbers && !told {
        let note = if tab == Some(b'.') { "" } else { "note " };
        warn!("sort", note, "numbers use ", quote(b"."), " as a decimal point in this locale");
    }
    let (ignored, reverse) = unused(keys, global);
    if !ignored.is_empty() || reverse && !last_resort && !keys.is_empty() {
        let letters = ignored + if reverse && !last_resort { "r" } else { "" };
        if letters.len() == 1 {
            warn!("sort", "option '-", letters, "' is ignored");
        } else {
            warn!("sort", "options '-", letters, "' are ignored");
        }
    }
    if reverse && last_resort && !keys.is_empty() {
        warn!("sort", "option '-r' only applies to last-resort comparison");
    }
}

fn warn_of_form(key: &Key) {
    let from = key.from.field;
    let (mut old, mut new) = (format!("+{from}"), format!("-k {}", from.saturating_add(1)));
    if let Some(to) = key.to {
        let to = to.field.saturating_add(1);
        old += &format!(" -{to}");
        new += &format!(",{to}");
    }
    let (old, new) = (quote(old.as_bytes()), quote(new.as_bytes()));
    warn!("sort", "obsolescent key ", old, " used; consider ", new, " instead");
}

/// Whether a key has a certain option.
type Has<'a> = &'a dyn Fn(&Key) -> bool;

// The letters of global options that no key uses, and whether `-r` is one of them.
fn unused(keys: &[Key], global: &Key) -> (String, bool) {
    let unused = |has: &dyn Fn(&Key) -> bool| has(global) && !keys.iter().any(has);
    let kind = |kind: Kind| move |k: &Key| k.kinds.contains(&kind);
    let flags: [(Has<'_>, char); 10] = [
        (&|k| k.from.skip_blanks, 'b'),
        (&|k| k.dictionary, 'd'),
        (&|k| k.fold, 'f'),
        (&kind(Kind::General), 'g'),
        (&kind(Kind::Human), 'h'),
        (&|k| k.printable && !k.dictionary, 'i'),
        (&kind(Kind::Month), 'M'),
        (&kind(Kind::Numeric), 'n'),
        (&kind(Kind::Random), 'R'),
        (&kind(Kind::Version), 'V'),
    ];
    let letters = flags.iter().filter(|(has, _)| unused(has)).map(|(_, letter)| *letter).collect();
    (letters, unused(&|k| k.reverse))
}

/// Prints a line, and below it marks the part that each key compares. The last-resort comparison uses the whole line.
pub(crate) fn show(line: &[u8], keys: &[Key], only_global: bool, tab: Option<u8>, last_resort: bool) {
    let shown: Vec<u8> = line.iter().map(|b| if *b == b'\t' { b'>' } else { *b }).collect();
    out::put(shown);
    out::put("\n");
    for key in keys {
        let (from, to) = key.compared(line, tab, only_global);
        mark(line, from, to);
    }
    if keys.is_empty() || last_resort {
        mark(line, 0, line.len());
    }
}

fn mark(line: &[u8], from: usize, to: usize) {
    let columns = |part: &[u8]| characters::columns(part) + memchr::memchr_iter(b'\t', part).count();
    let from = from.min(line.len());
    out::put(vec![b' '; columns(&line[..from])]);
    match columns(&line[from..to.clamp(from, line.len())]) {
        0 => out::put("^ no match for key\n"),
        n => {
            out::put(vec![b'_'; n]);
            out::put("\n");
        }
    }
}
