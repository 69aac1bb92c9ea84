//! Options as data: their names and descriptions as `--help` shows them.

use crate::arguments::Value;

/// An option, or a piece of text between options in `--help`.
#[derive(Clone, Copy)]
pub struct Opt {
    /// The names as `--help` shows them: `-n, --lines=NUM`. A value follows a name; brackets around it mean that it is
    /// optional.
    flags: &'static str,
    id: Option<&'static str>,
    /// The description in `--help`.
    about: Option<&'static str>,
    /// Whether the lines of `about` describe options.
    listed: bool,
}

const NONE: Opt = Opt { flags: "", id: None, about: None, listed: false };

/// An option whose name for the caller is its letter, or its long name if it has no letter. Each line of `about` is a
/// line of `--help`.
pub const fn option(flags: &'static str, about: &'static str) -> Opt {
    Opt { flags, about: Some(about), ..NONE }
}

/// An option whose name for the caller is `id`. If `id` is empty, it is the name that was used.
pub const fn named(id: &'static str, flags: &'static str, about: &'static str) -> Opt {
    Opt { flags, id: Some(id), about: Some(about), ..NONE }
}

/// As [`named`], for an option that `--help` does not list.
pub const fn hidden(id: &'static str, flags: &'static str) -> Opt {
    Opt { flags, id: Some(id), ..NONE }
}

/// Text between options in `--help`.
pub const fn text(text: &'static str) -> Opt {
    Opt { about: Some(text), ..NONE }
}

/// Text of `--help` that defines options: each line that begins with blanks and a dash has the names of one up to two
/// blanks, as [`option`] has them. A value may follow a name after a blank. `-<x>` is not a name. If a dash follows
/// just those two blanks, the names of one more option begin there. Blanks after a comma end nothing; a blank and a
/// dash also separate names.
pub const fn listed(text: &'static str) -> Opt {
    Opt { about: Some(text), listed: true, ..NONE }
}

/// One name of an option.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Name {
    /// The name without hyphens.
    pub text: &'static str,
    /// Whether it begins with two dashes.
    pub is_long: bool,
    /// Whether a value follows it.
    pub value: Value,
    /// The name for the caller.
    pub id: &'static str,
}

impl Opt {
    /// The names in the order of the table.
    pub(super) fn names(self) -> impl Iterator<Item = Name> {
        let text = if self.listed { self.about.unwrap_or_default() } else { self.flags };
        let lines = text.lines().filter(move |line| !self.listed || line.starts_with(' '));
        let lines = lines.map(str::trim_start).filter(|line| line.starts_with('-'));
        lines.flat_map(fields).flat_map(move |flags| names(flags, self.id))
    }

    /// The width of the names in `--help`.
    fn width(self) -> usize {
        self.indent() + self.flags.len()
    }

    /// Long names are aligned below each other.
    fn indent(self) -> usize {
        if self.flags.starts_with("--") { 6 } else { 2 }
    }
}

/// The lines of `--help` for the options. Each block has a column of names and one of descriptions, as wide as the
/// block needs.
pub(super) fn lines(options: &[Opt]) -> String {
    /// Longer names get a line of their own.
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

/// The parts of a line of `--help` that have the names of one option each.
fn fields(line: &'static str) -> impl Iterator<Item = &'static str> {
    let mut rest = Some(line);
    std::iter::from_fn(move || {
        let line = rest.take()?;
        let mut ends = line.match_indices("  ").map(|(at, _)| line.split_at(at));
        let Some((field, after)) = ends.find(|(field, _)| !field.ends_with(',')) else { return Some(line) };
        rest = after.strip_prefix("  ").filter(|after| after.starts_with('-') && !after.starts_with("- "));
        Some(field)
    })
}

/// The names in `flags`.
fn names(flags: &'static str, id: Option<&'static str>) -> impl Iterator<Item = Name> {
    let separate = |part: &'static str| part.split(" -").enumerate().map(|(at, name)| bare(name, at > 0));
    let parts = move || {
        flags
            .split(", ")
            .flat_map(move |part| separate(part.trim_start()))
            .filter(|(name, ..)| !name.is_empty() && !name.starts_with('<'))
    };
    let is_required = |rest: &str| rest.starts_with(['=', ' ']);
    let value_of_all = if parts().any(|(_, is_long, rest)| is_long && is_required(rest)) {
        Value::Required
    } else {
        Value::None
    };
    let first = parts().min_by_key(|(_, is_long, _)| *is_long).map(|(name, ..)| name);
    parts().map(move |(text, is_long, rest)| {
        let value = match rest.as_bytes() {
            [] => value_of_all,
            [b'[', ..] => Value::Optional,
            _ => Value::Required,
        };
        let id = match id {
            Some("") => text,
            Some(id) => id,
            None => first.unwrap_or_default(),
        };
        Name { text, is_long, value, id }
    })
}

/// A name in `flags` without its hyphens, whether it is a long one, and the text after it. Its first hyphen may be
/// gone.
fn bare(part: &'static str, is_cut: bool) -> (&'static str, bool, &'static str) {
    let part = if is_cut { Some(part) } else { part.strip_prefix('-') }.unwrap_or_default();
    match part.strip_prefix('-') {
        Some(long) => {
            let (name, rest) = long.split_at(long.find(['=', '[', ' ']).unwrap_or(long.len()));
            (name, true, rest)
        }
        None => {
            let (name, rest) = part.split_at_checked(1).unwrap_or_default();
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
    fn help_can_define_options() {
        use Value::{Optional, Required};
        let help = "Usage: x\n\n -w, --wait, --timeout <secs>  so long\n--wait: as well\n     --color[=WHEN]   - when\n  -\n -k FILE\n";
        let expected = [
            ("w", Required, "w"),
            ("wait", Required, "w"),
            ("timeout", Required, "w"),
            ("color", Optional, "color"),
        ];
        assert_eq!(names(listed(help))[..4], expected);
        assert_eq!(names(listed(help))[4..], [("k", Required, "k")]);
        assert_eq!(lines(&[listed(help)]), help);
    }

    #[test]
    fn a_line_of_help_can_define_several_options() {
        use Value::{None, Required};
        let help = " -s  -h  --si        sizes\n -o,  --output=FILE  - a file\n  -x --exact    -y\n";
        let expected = [
            ("s", None, "s"),
            ("h", None, "h"),
            ("si", None, "si"),
            ("o", Required, "o"),
            ("output", Required, "o"),
            ("x", None, "x"),
            ("exact", None, "x"),
        ];
        assert_eq!(names(listed(help)), expected);
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
