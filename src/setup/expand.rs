//! `$NAME` and `${NAME}`.

use super::Allowed;

/// The text with the values of allowed names; other names as they are written; `$$` as one dollar.
pub fn expand(text: &str, allowed: &Allowed) -> String {
    let mut expanded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        let (before, from) = rest.split_at(at);
        expanded.push_str(before);
        let after = from.get(1..).unwrap_or_default();
        let (length, value) = if after.starts_with('$') {
            (2, Some("$"))
        } else if let Some(name) = braced(after) {
            (name.len() + 3, allowed.get(name))
        } else {
            let name = plain(after);
            (name.len() + 1, allowed.get(name))
        };
        let (written, further) = from.split_at(length);
        expanded.push_str(value.unwrap_or(written));
        rest = further;
    }
    expanded.push_str(rest);
    expanded
}

/// The name in `{NAME}`, if that is all that is in the braces.
fn braced(text: &str) -> Option<&str> {
    let inside = text.strip_prefix('{')?;
    let name = plain(inside);
    (!name.is_empty() && inside.get(name.len()..)?.starts_with('}')).then_some(name)
}

/// The name that the text begins with; nothing if it begins with none.
fn plain(text: &str) -> &str {
    let part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    if text.starts_with(|first: char| first.is_ascii_digit()) {
        return "";
    }
    let length = text.bytes().take_while(|byte| part(byte)).count();
    text.get(..length).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_allowed() {
        let allowed = Allowed::new().with("A", "1").with("LONG_NAME", "$A").with("EMPTY", "");
        for (text, expected) in [
            ("$A ${A} $A.", "1 1 1."),
            ("$AB ${AB} ${A:-x} ${A", "$AB ${AB} ${A:-x} ${A"),
            ("$LONG_NAME|$EMPTY|", "$A||"),
            ("$$A $$$A $$$$", "$A $1 $$"),
            ("$1 $? $(x) $", "$1 $? $(x) $"),
            ("ü$Aü", "ü1ü"),
        ] {
            assert_eq!(expand(text, &allowed), expected, "{text}");
        }
    }

    #[test]
    fn values_do_not_show() {
        assert_eq!(format!("{:?}", Allowed::new().with("A", "secret")), "{\"A\"}");
    }
}
