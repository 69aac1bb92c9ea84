//! Abbreviated words.

/// The choice for `word` or an unambiguous abbreviation. `Err` is `ambiguous` or `invalid`.
pub fn find<T: Copy + PartialEq>(word: &[u8], choices: &[(&str, T)]) -> Result<T, &'static str> {
    if let Some(c) = choices.iter().find(|c| c.0.as_bytes() == word) {
        return Ok(c.1);
    }
    let mut near = choices.iter().filter(|c| c.0.as_bytes().starts_with(word));
    let first = near.next().ok_or("invalid")?;
    if near.any(|c| c.1 != first.1) { Err("ambiguous") } else { Ok(first.1) }
}
