//! Colours of names, from `LS_COLORS`.

use super::entry::Entry;
use crate::base::glob;
use sandshell_sys as sys;

/// The colour table.
pub(super) struct Colors {
    kinds: Vec<(String, Vec<u8>)>,
    suffixes: Vec<(Vec<u8>, Vec<u8>)>,
    used: bool,
}

const DEFAULTS: &[(&str, &str)] = &[
    ("lc", "\x1b["),
    ("rc", "m"),
    ("rs", "0"),
    ("di", "01;34"),
    ("ln", "01;36"),
    ("pi", "33"),
    ("so", "01;35"),
    ("bd", "01;33"),
    ("cd", "01;33"),
    ("ex", "01;32"),
    ("su", "37;41"),
    ("sg", "30;43"),
    ("st", "37;44"),
    ("ow", "34;42"),
    ("tw", "30;42"),
];

impl Colors {
    /// The defaults, changed by `LS_COLORS`; without it, only for a terminal that is known to have colours.
    pub(super) fn from_environment() -> Option<Self> {
        let given = |name| std::env::var_os(name).is_some_and(|v| !v.is_empty());
        if !given("LS_COLORS") && !given("COLORTERM") && !known_terminal() {
            return None;
        }
        let mut colors = Self {
            kinds: DEFAULTS.iter().map(|(k, v)| ((*k).to_string(), v.as_bytes().to_vec())).collect(),
            suffixes: Vec::new(),
            used: false,
        };
        if let Some(text) = std::env::var_os("LS_COLORS") {
            for item in text.as_encoded_bytes().split(|b| *b == b':') {
                let Some(eq) = item.iter().position(|b| *b == b'=') else { continue };
                let (key, value) = (&item[..eq], unescape(&item[eq + 1..]));
                if let Some(suffix) = key.strip_prefix(b"*") {
                    // Later entries win.
                    colors.suffixes.insert(0, (suffix.to_vec(), value));
                } else if let Ok(key) = std::str::from_utf8(key) {
                    colors.kinds.retain(|k| k.0 != key);
                    colors.kinds.push((key.to_string(), value));
                }
            }
        }
        Some(colors)
    }

    fn get(&self, key: &str) -> Option<&[u8]> {
        self.kinds.iter().find(|k| k.0 == key).map(|k| k.1.as_slice())
    }

    /// The sequence of a kind, if it has a colour.
    fn colored(&self, key: &str) -> Option<&[u8]> {
        self.get(key).filter(|v| !v.is_empty() && *v != b"0" && *v != b"00")
    }

    /// Whether what links lead to matters.
    pub(super) fn needs_targets(&self, long: bool) -> bool {
        self.colored("or").is_some()
            || self.get("ln") == Some(b"target")
            || long && self.colored("mi").is_some()
    }

    /// The colour of an entry, or of a link's target (`target`: its mode, `None` if it does not exist).
    pub(super) fn of(&self, name: &[u8], entry: &Entry, target: Option<Option<u32>>) -> Option<&[u8]> {
        let mode = match target {
            Some(Some(mode)) => mode,
            Some(None) => return self.colored("mi").or_else(|| self.colored("or")),
            None if entry.broken_link && self.colored("or").is_some() => return self.colored("or"),
            None => entry.mode(),
        };
        if target.is_none() && !entry.readable {
            return self.colored("mi");
        }
        let first = |keys: &[&str]| keys.iter().find_map(|k| self.colored(k));
        match mode & sys::S_IFMT {
            sys::S_IFDIR => {
                let keys: &[&str] = match (mode & 0o1000 != 0, mode & 0o002 != 0) {
                    (true, true) => &["tw", "di"],
                    (false, true) => &["ow", "di"],
                    (true, false) => &["st", "di"],
                    (false, false) => &["di"],
                };
                first(keys)
            }
            sys::S_IFLNK => {
                if self.get("ln") == Some(b"target") {
                    return self.of(name, entry, Some(entry.link_mode));
                }
                self.colored("ln")
            }
            sys::S_IFIFO => self.colored("pi"),
            sys::S_IFSOCK => self.colored("so"),
            sys::S_IFBLK => self.colored("bd"),
            sys::S_IFCHR => self.colored("cd"),
            sys::S_IFREG => {
                let special = if mode & 0o4000 != 0 && self.colored("su").is_some() {
                    self.colored("su")
                } else if mode & 0o2000 != 0 && self.colored("sg").is_some() {
                    self.colored("sg")
                } else if mode & 0o111 != 0 && self.colored("ex").is_some() {
                    self.colored("ex")
                } else if entry.stat.nlink > 1 && target.is_none() {
                    self.colored("mh")
                } else {
                    None
                };
                special
                    .or_else(|| self.suffixes.iter().find(|s| ends_with(name, &s.0)).map(|s| s.1.as_slice()))
                    .or_else(|| self.colored("fi"))
            }
            _ => self.colored("or"),
        }
    }

    /// `name` between the colour and its reset.
    pub(super) fn paint(&mut self, color: &[u8], text: &[u8]) -> Vec<u8> {
        let left = self.get("lc").unwrap_or_default().to_vec();
        let right = self.get("rc").unwrap_or_default().to_vec();
        let end = match self.get("ec") {
            Some(end) => end.to_vec(),
            None => [&left, self.get("rs").unwrap_or_default(), &right].concat(),
        };
        let mut out = Vec::new();
        if !self.used {
            self.used = true;
            out.extend_from_slice(&end);
        }
        for part in [&left[..], color, &right, text, &end] {
            out.extend_from_slice(part);
        }
        out
    }
}

/// Whether a name has this end, whatever the case of its letters.
fn ends_with(name: &[u8], suffix: &[u8]) -> bool {
    let start = name.len().checked_sub(suffix.len());
    start.and_then(|s| name.get(s..)).is_some_and(|end| end.eq_ignore_ascii_case(suffix))
}

fn known_terminal() -> bool {
    const KNOWN: [&str; 25] = [
        "Eterm",
        "ansi",
        "*color*",
        "con[0-9]*x[0-9]*",
        "cons25",
        "console",
        "cygwin",
        "*direct*",
        "dtterm",
        "gnome",
        "hurd",
        "jfbterm",
        "konsole",
        "kterm",
        "linux",
        "linux-c",
        "mlterm",
        "putty",
        "rxvt*",
        "screen*",
        "st",
        "terminator",
        "tmux*",
        "vt100",
        "xterm*",
    ];
    let term = std::env::var_os("TERM").unwrap_or_default();
    KNOWN.iter().any(|k| glob::matches(k.as_bytes(), term.as_encoded_bytes(), false))
}

fn unescape(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.iter().copied().peekable();
    while let Some(b) = rest.next() {
        match b {
            b'\\' => match rest.next() {
                Some(b'e') => out.push(27),
                Some(b'a') => out.push(7),
                Some(b'n') => out.push(b'\n'),
                Some(b't') => out.push(b'\t'),
                Some(b'_') => out.push(b' '),
                Some(d @ b'0'..=b'7') => {
                    let mut n = d - b'0';
                    while let Some(d @ b'0'..=b'7') = rest.peek() {
                        n = n.wrapping_mul(8).wrapping_add(d - b'0');
                        rest.next();
                    }
                    out.push(n);
                }
                Some(other) => out.push(other),
                None => {}
            },
            b'^' => {
                if let Some(c) = rest.next() {
                    out.push(if c == b'?' { 127 } else { c & 0x1f });
                }
            }
            b => out.push(b),
        }
    }
    out
}
