//! The variables of `set` in `inputrc`.

use super::sequence;

/// Variables that are on or off, with what they are at first.
const SWITCHES: &[(&str, bool)] = &[
    ("bind-tty-special-chars", true),
    ("blink-matching-paren", false),
    ("byte-oriented", false),
    ("colored-completion-prefix", false),
    ("colored-stats", false),
    ("completion-ignore-case", false),
    ("completion-map-case", false),
    ("convert-meta", false),
    ("disable-completion", false),
    ("echo-control-characters", true),
    ("enable-active-region", true),
    ("enable-bracketed-paste", true),
    ("enable-keypad", false),
    ("enable-meta-key", true),
    ("expand-tilde", false),
    ("history-preserve-point", false),
    ("horizontal-scroll-mode", false),
    ("input-meta", true),
    ("mark-directories", true),
    ("mark-modified-lines", false),
    ("mark-symlinked-directories", false),
    ("match-hidden-files", true),
    ("menu-complete-display-prefix", false),
    ("meta-flag", true),
    ("output-meta", true),
    ("page-completions", true),
    ("prefer-visible-bell", true),
    ("print-completions-horizontally", false),
    ("revert-all-at-newline", false),
    ("show-all-if-ambiguous", false),
    ("show-all-if-unmodified", false),
    ("show-mode-in-prompt", false),
    ("skip-completed-text", false),
    ("visible-stats", false),
];

/// What the value of another variable is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// A number from this one on.
    Number(i32),
    Text,
    /// A text with escapes like those of keys, which may be empty.
    Escaped,
    /// Keys: not shown before they are set.
    Keys,
    /// Never shown.
    Hidden,
    /// Kept elsewhere.
    EditingMode,
    Keymap,
}

const VALUES: &[(&str, Kind, &str)] = &[
    ("active-region-end-color", Kind::Hidden, ""),
    ("active-region-start-color", Kind::Hidden, ""),
    ("bell-style", Kind::OneOf(&["none", "audible", "visible"]), "audible"),
    ("comment-begin", Kind::Text, "#"),
    ("completion-display-width", Kind::Number(i32::MIN), "-1"),
    ("completion-prefix-display-length", Kind::Number(0), "0"),
    ("completion-query-items", Kind::Number(0), "100"),
    ("editing-mode", Kind::EditingMode, ""),
    ("emacs-mode-string", Kind::Escaped, "@"),
    ("history-size", Kind::Number(0), "0"),
    ("isearch-terminators", Kind::Keys, ""),
    ("keymap", Kind::Keymap, ""),
    ("keyseq-timeout", Kind::Number(0), "500"),
    ("vi-cmd-mode-string", Kind::Escaped, "(cmd)"),
    ("vi-ins-mode-string", Kind::Escaped, "(ins)"),
];

/// The values of all variables.
#[derive(Debug)]
pub(crate) struct Settings {
    on: Vec<bool>,
    values: Vec<Vec<u8>>,
    /// `isearch-terminators` was set.
    has_keys: bool,
}

/// What a new value asks for.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Change {
    Done,
    UnknownVariable,
    BadValue,
    EditingMode,
    Keymap,
}

impl Settings {
    /// `can_paste`: the terminal tells which text is pasted.
    pub(super) fn new(can_paste: bool) -> Settings {
        let mut settings = Settings {
            on: SWITCHES.iter().map(|(_, on)| *on).collect(),
            values: VALUES.iter().map(|(_, _, value)| value.as_bytes().to_vec()).collect(),
            has_keys: false,
        };
        if !can_paste {
            for name in ["enable-active-region", "enable-bracketed-paste"] {
                settings.switch(name.as_bytes(), false);
            }
        }
        settings
    }

    pub(crate) fn is_on(&self, name: &str) -> bool {
        let at = SWITCHES.iter().position(|(known, _)| *known == name);
        at.and_then(|at| self.on.get(at)).copied().unwrap_or_default()
    }

    pub(crate) fn value(&self, name: &str) -> &[u8] {
        let at = VALUES.iter().position(|(known, ..)| *known == name);
        at.and_then(|at| self.values.get(at)).map_or(b"", |value| value)
    }

    pub(crate) fn number(&self, name: &str) -> Option<usize> {
        std::str::from_utf8(self.value(name)).ok()?.parse().ok()
    }

    fn switch(&mut self, name: &[u8], on: bool) -> bool {
        // Two names of one variable.
        let same = |known: &str| match name {
            name if name.eq_ignore_ascii_case(b"meta-flag") || name.eq_ignore_ascii_case(b"input-meta") => {
                matches!(known, "meta-flag" | "input-meta")
            }
            _ => known.as_bytes().eq_ignore_ascii_case(name),
        };
        let mut found = false;
        for (_, value) in SWITCHES.iter().zip(&mut self.on).filter(|((known, _), _)| same(known)) {
            (*value, found) = (on, true);
        }
        found
    }

    /// Sets a variable to what stands after its name in a line.
    pub(super) fn set(&mut self, name: &[u8], rest: &[u8]) -> Change {
        let trimmed = rest.trim_ascii();
        let word = trimmed.split(u8::is_ascii_whitespace).next().unwrap_or_default();
        let on = word.is_empty() || word.eq_ignore_ascii_case(b"on") || word == b"1";
        if self.switch(name, on) {
            return Change::Done;
        }
        let found =
            VALUES.iter().zip(&mut self.values).find(|((k, ..), _)| k.as_bytes().eq_ignore_ascii_case(name));
        let Some(((_, kind, standard), value)) = found else { return Change::UnknownVariable };
        match kind {
            Kind::OneOf(words) if word.is_empty() || word.eq_ignore_ascii_case(b"on") => {
                *value = words.get(1).map_or("", |w| w).as_bytes().to_vec()
            }
            Kind::OneOf(words) => match words.iter().find(|w| w.as_bytes().eq_ignore_ascii_case(word)) {
                Some(known) => *value = known.as_bytes().to_vec(),
                None => return Change::BadValue,
            },
            Kind::Number(_) if word.is_empty() => *value = standard.as_bytes().to_vec(),
            Kind::Number(least) => {
                // Larger numbers lose their upper half, as they do in readline.
                let number = leading_number(word) as i32;
                *value = number.max(*least).to_string().into_bytes();
            }
            Kind::Text if trimmed.is_empty() => return Change::BadValue,
            Kind::Text => *value = unquoted(trimmed).unwrap_or(trimmed).to_vec(),
            Kind::Escaped | Kind::Hidden => *value = sequence::parse(unquoted(trimmed).unwrap_or(trimmed)),
            Kind::Keys => {
                *value = sequence::parse(unquoted(trimmed).unwrap_or(word));
                self.has_keys = true;
            }
            Kind::EditingMode => return Change::EditingMode,
            Kind::Keymap => return Change::Keymap,
        }
        Change::Done
    }

    /// Names and values in their order: `None` for those that are kept elsewhere.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&'static str, Option<Vec<u8>>)> {
        let switches = SWITCHES.iter().zip(&self.on);
        let switches =
            switches.map(|((name, _), on)| (*name, Some(if *on { b"on".to_vec() } else { b"off".to_vec() })));
        let values = VALUES.iter().zip(&self.values).filter_map(|((name, kind, _), value)| match kind {
            Kind::EditingMode | Kind::Keymap => Some((*name, None)),
            Kind::Keys => self.has_keys.then(|| (*name, Some(sequence::shown(value)))),
            Kind::Hidden => None,
            _ => Some((*name, Some(value.clone()))),
        });
        switches.chain(values)
    }
}

/// What stands between quotes.
fn unquoted(text: &[u8]) -> Option<&[u8]> {
    text.strip_prefix(b"\"").map(|text| text.strip_suffix(b"\"").unwrap_or(text))
}

/// The number at the start of a word, 0 without one.
fn leading_number(word: &[u8]) -> i64 {
    let digits = usize::from(matches!(word.first(), Some(b'-' | b'+')));
    let end = word.iter().skip(digits).position(|b| !b.is_ascii_digit()).map_or(word.len(), |at| at + digits);
    crate::text::parse_integer(word.get(..end).unwrap_or_default()).unwrap_or(0)
}
