//! Options as data: their names as `--help` shows them, and what it says of them.

use crate::arguments::Value;

/// An option, or text between options in `--help`.
#[derive(Clone, Copy)]
pub struct Opt {
    /// Its names, as `--help` shows them: `-n, --lines=NUM`. A value is written behind a name, in brackets if it may be left out.
    flags: &'static str,
    id: Option<&'static str>,
    /// What `--help` says of it.
    about: Option<&'static str>,
}

/// An option that the caller gets by its first letter, or its name if it has no letter. The lines of `about` go below
/// each other.
pub const fn option(flags: &'static str, about: &'static str) -> Opt {
    Opt { flags, id: None, about: Some(about) }
}

/// An option that the caller gets as `id`; if that is empty, by the name that was used.
pub const fn named(id: &'static str, flags: &'static str, about: &'static str) -> Opt {
    Opt { flags, id: Some(id), about: Some(about) }
}

/// As [`named`], for an option that `--help` does not list.
pub const fn hidden(id: &'static str, flags: &'static str) -> Opt {
    Opt { flags, id: Some(id), about: None }
}

/// Text between options in `--help`.
pub const fn text(text: &'static str) -> Opt {
    Opt { flags: "", id: None, about: Some(text) }
}

/// A name of an option.
#[derive(Clone, Copy)]
pub(super) struct Name {
    /// Without hyphens.
    pub(super) text: &'static str,
    pub(super) is_long: bool,
    pub(super) value: Value,
    /// What the caller gets.
    pub(super) id: &'static str,
}

impl Opt {
    /// Its names in the order of the table.
    pub(super) fn names(self) -> impl Iterator<Item = Name> {
        let parts = || self.flags.split(", ").filter(|part| !part.is_empty());
        let mut value_of_all = Value::None;
        if parts().any(|part| part.starts_with("--") && part.contains('=') && !part.contains("[=")) {
            value_of_all = Value::Required;
        }
        let first = parts().map(bare).min_by_key(|(_, is_long, _)| *is_long).map(|(name, ..)| name);
        parts().map(bare).map(move |(text, is_long, rest)| {
            let value = match rest.as_bytes() {
                [] if is_long => Value::None,
                [] => value_of_all,
                [b'[', ..] => Value::Optional,
                _ => Value::Required,
            };
            let id = match self.id {
                Some("") => text,
                Some(id) => id,
                None => first.unwrap_or_default(),
            };
            Name { text, is_long, value, id }
        })
    }

    /// The columns that its names take in `--help`.
    fn width(self) -> usize {
        self.indent() + self.flags.len()
    }

    /// Long names stand below each other.
    fn indent(self) -> usize {
        if self.flags.starts_with("--") { 6 } else { 2 }
    }
}

/// The lines of `--help` about the options: a column of names, and one of what is said of them, as wide as each block needs.
pub(super) fn lines(options: &[Opt]) -> String {
    /// Names that are longer have a line for themselves.
    const WIDEST: usize = 32;
    let mut help = String::new();
    for block in options.split_inclusive(|option| option.flags.is_empty()) {
        let shown = || block.iter().filter(|option| option.about.is_some() && !option.flags.is_empty());
        let widths = shown().map(|option| option.width()).filter(|width| *width <= WIDEST);
        let column = widths.max().unwrap_or(WIDEST) + 2;
        for option in shown() {
            let mut line = format!("{:indent$}{}", "", option.flags, indent = option.indent());
            for about in option.about.unwrap_or_default().lines() {
                if line.len() + 2 > column {
                    help.push_str(&line);
                    help.push('\n');
                    line.clear();
                }
                line = format!("{line:column$}{about}");
            }
            help.push_str(&line);
            help.push('\n');
        }
        if let Some(text) = block.last().filter(|option| option.flags.is_empty()) {
            help.push_str(text.about.unwrap_or_default());
        }
    }
    help
}

/// A name in `flags` without its hyphens, whether it is a long one, and what stands behind it.
fn bare(part: &'static str) -> (&'static str, bool, &'static str) {
    match part.strip_prefix("--") {
        Some(long) => {
            let (name, rest) = long.split_at(long.find(['=', '[', ' ']).unwrap_or(long.len()));
            (name, true, rest)
        }
        None => {
            let (name, rest) = part.get(1..).unwrap_or_default().split_at(1);
            (name, false, rest)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(option: Opt) -> Vec<(&'static str, Value, &'static str)> {
        option.names().map(|name| (name.text, name.value, name.id)).collect()
    }

    #[test]
    fn values_stand_behind_names() {
        use Value::{None, Optional, Required};
        assert_eq!(names(option("-n, --lines=[+]NUM", "")), [("n", Required, "n"), ("lines", Required, "n")]);
        assert_eq!(names(option("-b, --backup[=HOW]", "")), [("b", None, "b"), ("backup", Optional, "b")]);
        assert_eq!(
            names(option("--quiet, --silent", "")),
            [("quiet", None, "quiet"), ("silent", None, "quiet")]
        );
        assert_eq!(names(named("x", "--size=N", "")), [("size", Required, "x")]);
        assert_eq!(
            names(hidden("", "-1, -k KEY, -w[N]")),
            [("1", None, "1"), ("k", Required, "k"), ("w", Optional, "w")]
        );
        assert!(names(text("More:\n")).is_empty());
    }

    #[test]
    fn each_block_has_its_own_columns() {
        let options = [
            option("-a, --all", "everything"),
            option("--as-many-columns-as-one-line-has", "too long\nfor one line"),
            hidden("z", "-z"),
            text("\nMore:\n"),
            option("-b", "little"),
        ];
        let expected = "  -a, --all  everything\n      --as-many-columns-as-one-line-has\n             too long\n             for one line
\nMore:\n  -b  little\n";
        assert_eq!(lines(&options), expected);
    }
}
