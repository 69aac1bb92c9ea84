//! Checks patterns for mistakes, and says what listings leave out.

/// Refuses patterns that cannot be meant as written. The searches themselves would take an unclosed bracket
/// literally, as a shell does, and find nothing; an error helps a model more.
pub(super) fn check(pattern: &str) -> Result<(), String> {
    let wrong = |why: &str| Err(format!("the pattern {pattern:?} {why}"));
    if pattern.is_empty() {
        return wrong("is empty");
    }
    if pattern.starts_with('/') {
        return wrong("is absolute: give the directory as `path` and a pattern below it");
    }
    if pattern.split('/').any(|name| name == "..") {
        return wrong("has a `..`: give the directory as `path`");
    }
    let mut braces = 0_usize;
    let mut chars = pattern.char_indices();
    while let Some((at, char)) = chars.next() {
        match char {
            '\\' if chars.next().is_none() => return wrong("ends in a backslash"),
            '{' => braces += 1,
            '}' if braces == 0 => return wrong("has a } without a {; write \\\\} for the character"),
            '}' => braces -= 1,
            '[' => match class_length(pattern.get(at + 1..).unwrap_or_default()) {
                Some(length) => drop(chars.by_ref().take_while(|(next, _)| *next < at + length).count()),
                None => return wrong("has a [ without a ]; write \\\\[ for the character"),
            },
            _ => {}
        }
    }
    if braces > 0 { wrong("has a { without a }; write \\\\{ for the character") } else { Ok(()) }
}

/// Whether a path below `directory` is one of a repository's internal files (`.git`) that were not asked for.
pub(super) fn is_internal(path: &str, directory: &str, pattern: &str) -> bool {
    let asked = |text: &str| text.split(['/', '{', ',', '}']).any(|name| name == ".git");
    let below = path.strip_prefix(directory).unwrap_or(path);
    !asked(directory) && !asked(pattern) && below.split('/').any(|name| name == ".git")
}

/// The length of a bracket expression after its `[`, including the closing `]`. A `]` in first place is one of the
/// characters.
fn class_length(rest: &str) -> Option<usize> {
    let first = rest.strip_prefix(['!', '^']).unwrap_or(rest);
    let literal = first.strip_prefix(']').unwrap_or(first);
    let end = literal.find(']')?;
    Some(rest.len() - literal.len() + end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_meant_is_refused() {
        for good in
            ["*.rs", "src/**/*.{rs,toml}", "[ab]*", "[]a]", "[!]]x", "a\\[b", "{a,{b,c}}", "[{]", "ü[ä-ö]{x}"]
        {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        for bad in ["", "[a", "a[]", "a[!]", "{a,b", "a}", "../x", "a/../b", "/etc/*", "a\\"] {
            assert!(check(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_repositorys_own_files_are_left_out_unless_asked_for() {
        assert!(is_internal("/w/.git/HEAD", "/w", "*"));
        assert!(is_internal("/w/sub/.git", "/w", "**"));
        assert!(!is_internal("/w/.gitignore", "/w", "*"));
        assert!(!is_internal("/w/.git/HEAD", "/w/.git", "*"));
        assert!(!is_internal("/w/.git/HEAD", "/w", ".git/*"));
    }
}
