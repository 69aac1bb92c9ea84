//! Quotes words for a shell.

/// Quotes `text` as one word of a POSIX shell. It may contain anything except NUL.
pub fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::quote;

    #[test]
    fn nothing_is_special_inside() {
        assert_eq!(quote("a b$(c)`d`\n\"\\"), "'a b$(c)`d`\n\"\\'");
        assert_eq!(quote("it's"), r"'it'\''s'");
        assert_eq!(quote(""), "''");
    }
}
