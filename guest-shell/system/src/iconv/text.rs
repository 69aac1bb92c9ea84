//! Reads the tables of this folder, which are text.

/// The characters of a field. `{HEX}` is the character with this number.
pub(super) fn characters(field: &str) -> impl Iterator<Item = u32> + '_ {
    let mut rest = field;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        if let Some((number, after)) = rest.strip_prefix('{').and_then(|escaped| escaped.split_once('}')) {
            rest = after;
            return Some(hexadecimal(number));
        }
        rest = rest.get(first.len_utf8()..).unwrap_or_default();
        Some(u32::from(first))
    })
}

/// A number in hexadecimal; 0 if it is none.
pub(super) fn hexadecimal(digits: &str) -> u32 {
    u32::from_str_radix(digits, 16).unwrap_or_default()
}

/// The lines that are no comments.
pub(super) fn lines(table: &'static str) -> impl Iterator<Item = &'static str> {
    table.lines().filter(|line| !line.starts_with('#'))
}
