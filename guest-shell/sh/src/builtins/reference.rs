//! Arguments of builtins that name a variable or an element of an array: `read 'a[i]'`.

use super::args;
use crate::field::Field;
use crate::options::Shopt;
use crate::shell::{Run, Shell};
use crate::variables::Name;
use sandshell_syntax::name::is_name;

/// Whether a value can be assigned to `word`: a name or an array element.
pub(super) fn is_reference(shell: &Shell, word: &[u8]) -> bool {
    match word.iter().position(|b| *b == b'[') {
        Some(open) => {
            is_name(word.get(..open).unwrap_or_default())
                && subscript_end(shell, word, open).is_some_and(|end| end > open + 1 && end + 1 == word.len())
        }
        None => is_name(word),
    }
}

/// Assigns to a name or an array element given as text. False after a message.
pub(crate) fn assign_reference(shell: &mut Shell, args: &[Field], word: &[u8], value: &[u8]) -> Run<bool> {
    if !is_reference(shell, word) {
        args::invalid_identifier(shell, args, word);
        return Ok(false);
    }
    let Some(open) = word.iter().position(|b| *b == b'[') else {
        return args::tolerate(shell.set(word, value));
    };
    let name = Name::new(word.get(..open).unwrap_or_default());
    let (name, _) = shell.resolve_nameref(name);
    let subscript = word.get(open + 1..word.len() - 1).unwrap_or_default();
    if matches!(subscript, b"@" | b"*") && !shell.is_assoc(name) {
        shell.error([word, b": bad array subscript"].concat());
        return Ok(false);
    }
    let key = shell.reference_key(name, word, subscript)?;
    args::tolerate(shell.assign_element(name, &key, value, false))
}

/// Where the subscript that begins at `open` ends. Quotes in it count, unless it has been expanded already.
pub(super) fn subscript_end(shell: &Shell, word: &[u8], open: usize) -> Option<usize> {
    if !shell.opts.shopt(Shopt::assoc_expand_once) {
        return closing_bracket(word, open);
    }
    if shell.references.iter().any(|r| r == word) {
        return word.iter().rposition(|b| *b == b']');
    }
    word.iter().skip(open).position(|b| *b == b']').map(|length| open + length)
}

/// The bracket that matches the one at `open`; quoted brackets do not count.
pub(super) fn closing_bracket(word: &[u8], open: usize) -> Option<usize> {
    let mut depth = 0usize;
    let mut quote = 0;
    let mut escaped = false;
    for (at, &byte) in word.iter().enumerate().skip(open) {
        match byte {
            _ if std::mem::take(&mut escaped) => {}
            b'\\' if quote != b'\'' => escaped = true,
            b'\'' | b'"' | b'`' if quote == 0 => quote = byte,
            _ if quote != 0 && byte == quote => quote = 0,
            _ if quote != 0 => {}
            b'[' => depth += 1,
            b']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}
