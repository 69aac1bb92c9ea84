//! Colours of names, from `LS_COLORS`.

use super::entry::Entry;
use sandshell_cli::quote::quote;
use sandshell_cli::warn;
use sandshell_posix::{characters, pattern};
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
    ("cl", "\x1b[K"),
];

/// The codes of everything that can have a colour, and of the parts of colour sequences.
const KINDS: [&str; 24] = [
    "lc", "rc", "ec", "rs", "no", "fi", "di", "ln", "pi", "so", "bd", "cd", "mi", "or", "ex", "do", "su",
    "sg", "st", "ow", "tw", "ca", "mh", "cl",
];

impl Colors {
    /// The default colours, changed by `LS_COLORS`. Without that variable, colours need a terminal that is known to
    /// support them.
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
            let mut items = Items { rest: text.as_encoded_bytes() };
            loop {
                match items.next() {
                    Ok(None) => break,
                    Ok(Some((key, value))) => match key.strip_prefix(b"*") {
                        // Later entries take precedence.
                        Some(suffix) => colors.suffixes.insert(0, (suffix.to_vec(), value)),
                        None => {
                            colors.kinds.retain(|k| k.0.as_bytes() != key);
                            colors.kinds.push((String::from_utf8_lossy(&key).into_owned(), value));
                        }
                    },
                    Err(Unparsable) => {
                        warn!("ls", "unparsable value for LS_COLORS environment variable");
                        return None;
                    }
                }
            }
        }
        Some(colors)
    }

    fn get(&self, key: &str) -> Option<&[u8]> {
        self.kinds.iter().find(|k| k.0 == key).map(|k| k.1.as_slice())
    }

    /// The sequence for a code, if it has a colour.
    fn colored(&self, key: &str) -> Option<&[u8]> {
        self.get(key).filter(|v| !v.is_empty() && *v != b"0" && *v != b"00")
    }

    /// Whether the status of links' targets is needed.
    pub(super) fn needs_targets(&self, long: bool) -> bool {
        self.colored("or").is_some()
            || self.get("ln") == Some(b"target")
            || long && self.colored("mi").is_some()
    }

    /// The sequence for an entry, or for a link's target (`target` is its mode, `None` if it does not exist). It may be
    /// empty, and is printed even then.
    pub(super) fn of(&self, name: &[u8], entry: &Entry, target: Option<Option<u32>>) -> Option<&[u8]> {
        let as_target = self.get("ln") == Some(b"target");
        let mode = match target {
            Some(Some(mode)) => mode,
            Some(None) => return self.colored("mi").or_else(|| self.get("or")),
            None if !entry.readable => return self.colored("mi"),
            None if entry.broken_link && (as_target || self.colored("or").is_some()) => {
                return self.get("or");
            }
            None => entry.link_mode.filter(|_| as_target).unwrap_or(entry.mode()),
        };
        let first = |keys: &[&str]| keys.iter().find_map(|k| self.colored(k));
        match mode & sys::S_IFMT {
            sys::S_IFDIR => {
                let keys: &[&str] = match (mode & 0o1000 != 0, mode & 0o002 != 0) {
                    (true, true) => &["tw", "ow", "st"],
                    (false, true) => &["ow"],
                    (true, false) => &["st"],
                    (false, false) => &[],
                };
                first(keys).or_else(|| self.get("di"))
            }
            sys::S_IFLNK => self.get("ln"),
            sys::S_IFIFO => self.get("pi"),
            sys::S_IFSOCK => self.get("so"),
            sys::S_IFBLK => self.get("bd"),
            sys::S_IFCHR => self.get("cd"),
            sys::S_IFREG => {
                let kinds = [
                    ("su", mode & 0o4000 != 0),
                    ("sg", mode & 0o2000 != 0),
                    ("ex", mode & 0o111 != 0),
                    ("mh", entry.stat.nlink > 1 && target.is_none()),
                ];
                let special =
                    kinds.iter().filter(|(_, holds)| *holds).find_map(|(kind, _)| self.colored(kind));
                special
                    .or_else(|| self.suffixes.iter().find(|s| ends_with(name, &s.0)).map(|s| s.1.as_slice()))
                    .or_else(|| self.get("fi"))
            }
            _ => self.get("or"),
        }
    }

    /// What to print at the end of the output: if the sequences are not the usual ones, one more pair.
    pub(super) fn last(&self) -> Vec<u8> {
        let [left, right] = ["lc", "rc"].map(|key| self.get(key).unwrap_or_default());
        if self.used && (left, right) != (b"\x1b[", b"m") { [left, right].concat() } else { Vec::new() }
    }

    /// Ends a colour.
    fn end(&self) -> Vec<u8> {
        let part = |key| self.get(key).unwrap_or_default();
        match self.get("ec") {
            Some(end) => end.to_vec(),
            None => [part("lc"), part("rs"), part("rc")].concat(),
        }
    }

    /// A colour sequence. The first one is preceded by a reset.
    fn sequence(&mut self, color: &[u8]) -> Vec<u8> {
        let reset = if std::mem::replace(&mut self.used, true) { Vec::new() } else { self.end() };
        let part = |key| self.get(key).unwrap_or_default();
        [&reset[..], part("lc"), color, part("rc")].concat()
    }

    /// Begins text that is not a name.
    pub(super) fn normal(&mut self) -> Vec<u8> {
        match self.colored("no").map(<[u8]>::to_vec) {
            Some(color) => self.sequence(&color),
            None => Vec::new(),
        }
    }

    /// What to print before and after a name. If the name may be wrapped, the rest of the line is cleared.
    pub(super) fn around(&mut self, color: Option<&[u8]>, wraps: bool) -> (Vec<u8>, Vec<u8>) {
        let normal = self.colored("no").is_some();
        if color.is_none() && !normal {
            return (Vec::new(), Vec::new());
        }
        let mut before = Vec::new();
        if let Some(color) = color {
            // A reset, so that the colour is not mixed with the attributes of normal text.
            if normal {
                before = self.sequence(b"");
            }
            before.extend(self.sequence(color));
        }
        let mut behind = self.end();
        if wraps {
            behind.extend_from_slice(self.get("cl").unwrap_or_default());
        }
        (before, behind)
    }
}

/// Whether a name has this suffix, ignoring case.
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
    KNOWN.iter().any(|k| pattern::matches(k.as_bytes(), term.as_encoded_bytes()))
}

/// The entries of `LS_COLORS`, in order. Each is for a two-letter code or for `*` and a suffix.
struct Items<'a> {
    rest: &'a [u8],
}

/// An entry's code or suffix, and its sequence.
type Item = (Vec<u8>, Vec<u8>);

/// An entry cannot be parsed.
struct Unparsable;

impl Items<'_> {
    fn next(&mut self) -> Result<Option<Item>, Unparsable> {
        while let Some(rest) = self.rest.strip_prefix(b":") {
            self.rest = rest;
        }
        if let Some(rest) = self.rest.strip_prefix(b"*") {
            self.rest = rest;
            let suffix = self.value(true).ok_or(Unparsable)?;
            self.rest = self.rest.strip_prefix(b"=").ok_or(Unparsable)?;
            let value = self.value(false).ok_or(Unparsable)?;
            return Ok(Some(([b"*", &suffix[..]].concat(), value)));
        }
        match self.rest {
            [] => Ok(None),
            &[a, b, b'=', ref rest @ ..] => {
                let label = [a, b];
                self.rest = rest;
                let known = KINDS.iter().any(|k| k.as_bytes() == label);
                match self.value(false).filter(|_| known) {
                    Some(value) => Ok(Some((label.to_vec(), value))),
                    None => {
                        warn!("ls", "unrecognized prefix: ", quote(&label));
                        Err(Unparsable)
                    }
                }
            }
            _ => Err(Unparsable),
        }
    }

    /// Reads up to a colon (or, in a suffix, up to an equals sign). `None` if an escape is invalid.
    fn value(&mut self, of_suffix: bool) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        loop {
            let (first, rest) = match self.rest.split_first() {
                None | Some((b':', _)) => return Some(out),
                Some((b'=', _)) if of_suffix => return Some(out),
                Some((first, rest)) => (*first, rest),
            };
            self.rest = rest;
            match first {
                b'\\' => out.push(self.escape()?),
                b'^' => match *self.rest.first()? {
                    letter @ b'@'..=b'~' => {
                        out.push(letter & 0x1f);
                        self.rest = self.rest.get(1..)?;
                    }
                    // As in GNU ls, the question mark is not consumed.
                    b'?' => out.push(127),
                    _ => return None,
                },
                other => out.push(other),
            }
        }
    }

    /// Decodes what follows a backslash.
    fn escape(&mut self) -> Option<u8> {
        let digits = |rest: &mut &[u8], base: u32| {
            let mut number = 0u8;
            while let Some((first, more)) = rest.split_first()
                && let Some(digit) = char::from(*first).to_digit(base)
            {
                number = number.wrapping_mul(base as u8).wrapping_add(digit as u8);
                *rest = more;
            }
            number
        };
        let (first, rest) = self.rest.split_first()?;
        if first.is_ascii_digit() && *first < b'8' {
            return Some(digits(&mut self.rest, 8));
        }
        self.rest = rest;
        Some(match first {
            b'x' | b'X' => digits(&mut self.rest, 16),
            b'e' => 27,
            b'?' => 127,
            b'_' => b' ',
            other => characters::escape(*other),
        })
    }
}
