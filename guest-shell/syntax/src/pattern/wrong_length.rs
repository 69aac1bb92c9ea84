//! Patterns for which bash computes a wrong length in replacements.

/// Whether `${x/pattern/}` finds nothing for every `x`. When bash computes the length of a match, it takes `[^]` for a
/// complete bracket expression, but the actual match is shorter. Only patterns without `*` and groups have a fixed
/// length.
pub(super) fn has_wrong_length(text: &[u8], extglob: bool) -> bool {
    let mut found = false;
    let mut rest = text;
    loop {
        rest = match rest {
            [] => return found,
            [b'*', ..] => return false,
            [b'?' | b'+' | b'@' | b'!', b'(', ..] if extglob => return false,
            [b'\\', _, rest @ ..] => rest,
            [b'[', b'^' | b'!', b']', rest @ ..] => {
                found = true;
                rest
            }
            [b'[', rest @ ..] => after_bracket(rest).unwrap_or(rest),
            [_, rest @ ..] => rest,
        };
    }
}

// The text after a bracket expression. A `]` at its beginning does not end it.
fn after_bracket(text: &[u8]) -> Option<&[u8]> {
    let mut at = usize::from(text.first() == Some(&b']'));
    loop {
        at += match text.get(at..)? {
            [b']', rest @ ..] => return Some(rest),
            [b'\\', _, ..] => 2,
            [b'[', kind @ (b':' | b'.' | b'='), rest @ ..] => {
                let end = rest.windows(2).position(|pair| pair == [*kind, b']']);
                end.map_or(1, |end| end + 4)
            }
            [] => return None,
            _ => 1,
        };
    }
}
