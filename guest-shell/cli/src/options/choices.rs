//! Values of options that are words from a list.

use super::Spec;
use crate::abbreviation::find;
use crate::quote::quote;
use crate::{message, warn};
use sandshell_sys as sys;

/// Finds the choice for `word` or an unambiguous abbreviation. Otherwise prints the valid choices, in the form of GNU's
/// `argmatch`.
pub fn choose<T: Copy + PartialEq>(
    spec: &Spec,
    option: &str,
    word: &[u8],
    choices: &[(&str, T)],
) -> Result<T, i32> {
    find(word, choices).map_err(|kind| complain(spec, kind, option, word, choices))
}

/// As [`choose`], but without abbreviations.
pub fn choose_exactly<T: Copy + PartialEq>(
    spec: &Spec,
    option: &str,
    word: &[u8],
    choices: &[(&str, T)],
) -> Result<T, i32> {
    match choices.iter().find(|c| c.0.as_bytes() == word) {
        Some(c) => Ok(c.1),
        None => Err(complain(spec, "invalid", option, word, choices)),
    }
}

fn complain<T: PartialEq>(spec: &Spec, kind: &str, option: &str, word: &[u8], choices: &[(&str, T)]) -> i32 {
    warn!(spec.name, kind, " argument ", quote(word), " for ", quote(option.as_bytes()));
    let mut text = b"Valid arguments are:".to_vec();
    let mut last = None;
    for c in choices {
        if last == Some(&c.1) {
            text.extend_from_slice(b", ");
        } else {
            text.extend_from_slice(b"\n  - ");
        }
        text.extend_from_slice(&quote(c.0.as_bytes()));
        last = Some(&c.1);
    }
    text.push(b'\n');
    let _ = sys::write_all(2, &text);
    message::try_help(spec.name);
    // This error has the status 1 in every command, even where a usage error has another one.
    1
}
