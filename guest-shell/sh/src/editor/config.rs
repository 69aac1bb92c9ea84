//! What the editor can be told: keys and variables, by `bind` and `inputrc`.

use super::functions::Function;
use super::keymap::{self, Bound, Keymap, Part};
use super::sequence;
use super::settings::{Change, Settings};
use crate::options::flag;
use crate::shell::Shell;
use crate::variables::Name;
use sandshell_sys as sys;
use sys::open_flags as o;

/// How many files may be included, and how deeply they may include each other.
const INCLUDED: usize = 100;
const DEPTH: usize = 16;
/// As much of a file is read.
const LONGEST_FILE: usize = 1 << 20;

/// The keys and variables of a shell.
#[derive(Debug)]
pub(crate) struct Config {
    pub(crate) maps: [Keymap; 3],
    pub(crate) settings: Settings,
    /// Where keys are bound.
    pub(crate) part: Part,
    /// Lines are edited as in vi.
    pub(crate) vi: bool,
    /// Those of `bind`.
    conditions: Conditions,
}

/// Where a line stands, for messages.
#[derive(Clone, Copy, Debug, Default)]
struct Place<'f> {
    file: &'f [u8],
    line: usize,
}

/// Parts of a file that depend on something: whether the present one counts.
#[derive(Debug, Default)]
pub(crate) struct Conditions(Vec<bool>);

impl Conditions {
    fn hold(&self) -> bool {
        self.0.iter().all(|holds| *holds)
    }
}

impl Config {
    pub(crate) fn map(&self) -> &Keymap {
        &self.maps[self.part.map.min(2)]
    }

    pub(crate) fn map_mut(&mut self) -> &mut Keymap {
        &mut self.maps[self.part.map.min(2)]
    }

    /// Binds keys that follow those of the part.
    pub(crate) fn bind(&mut self, keys: &[u8], bound: Option<Bound>) {
        let keys = [self.part.after, keys].concat();
        self.map_mut().bind(keys, bound);
    }

    pub(crate) fn set_mode(&mut self, vi: bool) {
        self.vi = vi;
        self.part = Part::of_mode(vi);
    }

    /// A variable as `bind -v` shows it.
    pub(crate) fn shown(&self, name: &str, value: Option<Vec<u8>>) -> Vec<u8> {
        match (value, name) {
            (Some(value), _) => value,
            (None, "keymap") => self.part.name().into(),
            (None, _) => if self.vi { "vi" } else { "emacs" }.into(),
        }
    }
}

impl Shell {
    /// The editor's configuration. It is made, and `inputrc` read, when it is first asked for.
    pub(crate) fn editor_config(&mut self) -> &mut Config {
        if self.editor.config.is_none() {
            let config = self.new_config();
            self.editor.config = Some(Box::new(config));
            self.read_init_file();
        }
        self.editor.config.get_or_insert_with(|| Box::new(new_config(b"", false)))
    }

    fn new_config(&mut self) -> Config {
        let kind = self.value(Name::new(b"TERM")).map(|v| v.into_owned()).unwrap_or_default();
        new_config(&kind, self.editor.prefers_vi)
    }

    /// Reads `$INPUTRC`, or the first of `~/.inputrc` and `/etc/inputrc`.
    pub(crate) fn read_init_file(&mut self) {
        let named = self.value(Name::new(b"INPUTRC")).map(|v| v.into_owned());
        if let Some(file) = named.filter(|file| !file.is_empty()) {
            let file = self.with_home(&file);
            let _ = self.read_inputrc(&file);
            return;
        }
        let own = self.with_home(b"~/.inputrc");
        if self.read_inputrc(&own).is_err() {
            let _ = self.read_inputrc(b"/etc/inputrc");
        }
    }

    /// A path, where `~` is the home directory.
    fn with_home(&mut self, path: &[u8]) -> Vec<u8> {
        let home = self.names.home;
        let home = self.value(home).map(|v| v.into_owned()).unwrap_or_default();
        match path.strip_prefix(b"~") {
            Some(rest) if rest.is_empty() || rest.starts_with(b"/") => [&*home, rest].concat(),
            _ => path.to_vec(),
        }
    }

    /// Reads a file of settings, and those that it includes.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(crate) fn read_inputrc(&mut self, file: &[u8]) -> sys::Result<()> {
        // Files that are being read, the innermost last: name, text, what is left of it, line.
        let mut files = vec![(file.to_vec(), file_text(file)?, 0, 0)];
        let mut conditions = Conditions::default();
        // As in readline, no lines are named after an included file.
        let mut included = 0;
        while let Some((name, text, at, number)) = files.last_mut() {
            let rest = text.get(*at..).unwrap_or_default();
            if rest.is_empty() {
                files.pop();
                continue;
            }
            let end = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
            let line = rest.get(..end).unwrap_or_default().to_vec();
            *at += end + 1;
            *number += 1;
            let line = line.strip_suffix(b"\r").unwrap_or(&line);
            let (name, number) = (name.clone(), *number);
            let place = if included > 0 { Place::default() } else { Place { file: &name, line: number } };
            if let Some(include) = self.editor_line(line, &mut conditions, place) {
                included += 1;
                let include = self.with_home(&include);
                if files.len() < DEPTH
                    && included <= INCLUDED
                    && let Ok(text) = file_text(&include)
                {
                    files.push((include, text, 0, 0));
                }
            }
        }
        Ok(())
    }

    /// Obeys a line of `bind`.
    pub(crate) fn bind_line(&mut self, line: &[u8]) {
        // A condition holds until a later line ends it.
        let mut conditions = std::mem::take(&mut self.editor_config().conditions);
        let included = self.editor_line(line, &mut conditions, Place::default());
        self.editor_config().conditions = conditions;
        if let Some(file) = included {
            let file = self.with_home(&file);
            let _ = self.read_inputrc(&file);
        }
    }

    /// Obeys a line. Returns the file that it includes.
    fn editor_line(&mut self, line: &[u8], conditions: &mut Conditions, place: Place<'_>) -> Option<Vec<u8>> {
        let line = line.trim_ascii_start();
        if let Some(directive) = line.strip_prefix(b"$") {
            return self.directive(directive, conditions, place);
        }
        if line.is_empty() || line.starts_with(b"#") || !conditions.hold() {
            return None;
        }
        let (word, rest) = first_word(line);
        if word.eq_ignore_ascii_case(b"set") && !rest.is_empty() || line == b"set" {
            self.set_line(rest, place);
        } else {
            self.keys_line(line, place);
        }
        None
    }

    fn readline_error(&mut self, place: Place<'_>, message: &[&[u8]]) {
        let mut out = b"readline: ".to_vec();
        if !place.file.is_empty() {
            out.extend([place.file, format!(": line {}: ", place.line).as_bytes()].concat());
        }
        out.extend(message.concat());
        out.push(b'\n');
        self.write_error(&out);
    }

    fn directive(&mut self, text: &[u8], conditions: &mut Conditions, place: Place<'_>) -> Option<Vec<u8>> {
        let (word, rest) = first_word(text);
        let rest = rest.trim_ascii_end();
        if word.eq_ignore_ascii_case(b"if") {
            let holds = conditions.hold() && self.editor_condition(rest);
            conditions.0.push(holds);
        } else if word.eq_ignore_ascii_case(b"else") {
            match conditions.0.last_mut() {
                Some(last) => *last = !*last,
                None => self.readline_error(place, &[b"$else found without matching $if"]),
            }
        } else if word.eq_ignore_ascii_case(b"endif") {
            if conditions.0.pop().is_none() {
                self.readline_error(place, &[b"$endif without matching $if"]);
            }
        } else if word.eq_ignore_ascii_case(b"include") {
            return conditions.hold().then(|| rest.to_vec());
        } else {
            self.readline_error(place, &[word, b": unknown parser directive"]);
        }
        None
    }

    /// Whether what stands after `$if` is so.
    fn editor_condition(&mut self, text: &[u8]) -> bool {
        if let Some(kind) = text.strip_prefix(b"term=") {
            let term = self.value(Name::new(b"TERM")).map(|v| v.into_owned()).unwrap_or_default();
            let family = term.split(|b| *b == b'-').next().unwrap_or_default();
            return kind == term || kind == family;
        }
        let config = self.editor_config();
        if let Some(mode) = text.strip_prefix(b"mode=") {
            return mode.eq_ignore_ascii_case(if config.vi { b"vi" } else { b"emacs" });
        }
        if let Some(rest) = text.strip_prefix(b"version") {
            return version(rest.trim_ascii_start());
        }
        let Some(at) = text.iter().position(|byte| matches!(byte, b'=' | b'!')) else {
            return text.eq_ignore_ascii_case(b"bash");
        };
        let (name, rest) = text.split_at(at);
        let (is_same, value) = match rest {
            [b'!', b'=', value @ ..] => (false, value),
            [b'=', b'=', value @ ..] | [b'=', value @ ..] => (true, value),
            _ => return false,
        };
        let (name, value) = (name.trim_ascii(), value.trim_ascii());
        let found = config.settings.all().find(|(known, _)| known.as_bytes().eq_ignore_ascii_case(name));
        let known = found.map(|(known, shown)| config.shown(known, shown));
        known.is_some_and(|known| known.eq_ignore_ascii_case(value) == is_same)
    }

    fn set_line(&mut self, text: &[u8], place: Place<'_>) {
        let (name, value) = first_word(text);
        let word = first_word(value).0;
        let bad = |name: &[u8], value: &[u8]| [name, b": could not set value to `", value, b"'"].concat();
        match self.editor_config().settings.set(name, value) {
            Change::Done => {}
            Change::UnknownVariable => self.readline_error(place, &[name, b": unknown variable name"]),
            Change::EditingMode if word.eq_ignore_ascii_case(b"vi") => self.set_editing_mode(true),
            Change::EditingMode if word.eq_ignore_ascii_case(b"emacs") => self.set_editing_mode(false),
            Change::Keymap if Part::named(word).is_some() => {
                if let Some(part) = Part::named(word) {
                    self.editor_config().part = part;
                }
            }
            Change::EditingMode | Change::Keymap | Change::BadValue => {
                let message = bad(name, word);
                self.readline_error(place, &[&message]);
            }
        }
    }

    /// Lines are edited as in vi, or as in Emacs; `set -o` shows it too.
    pub(crate) fn set_editing_mode(&mut self, vi: bool) {
        self.editor_config().set_mode(vi);
        if self.opts.has(flag::EMACS) || self.opts.has(flag::VI) {
            self.opts.set(if vi { flag::VI } else { flag::EMACS }, true);
        }
    }

    /// `"KEYS": what` or `NAME: what`.
    fn keys_line(&mut self, line: &[u8], place: Place<'_>) {
        let (keys, rest) = if let Some(quoted) = line.strip_prefix(b"\"") {
            let Some(end) = closing(quoted, b'"') else {
                self.readline_error(place, &[line, b": no closing `\"' in key binding"]);
                return;
            };
            let (keys, rest) = quoted.split_at(end);
            (Some(keys), rest.get(1..).unwrap_or_default())
        } else {
            let end = line.iter().position(|b| matches!(b, b':' | b' ' | b'\t')).unwrap_or(line.len());
            (None, line.get(end..).unwrap_or_default())
        };
        let blank = |rest: &[u8]| rest.first().is_some_and(u8::is_ascii_whitespace);
        let Some(what) = rest.strip_prefix(b":").or(Some(rest).filter(|rest| blank(rest))) else {
            self.readline_error(place, &[line, b": no key sequence terminator"]);
            return;
        };
        let keys = match keys {
            Some(keys) => sequence::parse(keys),
            None if line.starts_with(b":") => {
                self.readline_error(place, &[b"`", line, b"': invalid key binding: missing key sequence"]);
                return;
            }
            None => {
                let name = line.get(..line.len() - rest.len()).unwrap_or_default();
                sequence::named(name).into_iter().collect()
            }
        };
        let what = what.trim_ascii_start();
        let bound = if let Some((&quote @ (b'"' | b'\''), text)) = what.split_first() {
            let Some(end) = closing(text, quote) else {
                self.readline_error(place, &[b"`", what, b"': missing closing quote for macro"]);
                return;
            };
            let text = sequence::parse(text.get(..end).unwrap_or_default());
            Some(Bound::Macro(text.into()))
        } else {
            Function::named(first_word(what).0).map(Bound::Function)
        };
        self.editor_config().bind(&keys, bound);
    }
}

fn new_config(kind: &[u8], vi: bool) -> Config {
    let can_paste = !matches!(kind, b"" | b"dumb");
    Config {
        maps: keymap::standard(kind),
        settings: Settings::new(can_paste),
        part: Part::of_mode(vi),
        vi,
        conditions: Conditions::default(),
    }
}

/// A word, and what follows it after blanks.
fn first_word(text: &[u8]) -> (&[u8], &[u8]) {
    let text = text.trim_ascii_start();
    let end = text.iter().position(u8::is_ascii_whitespace).unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    (word, rest.trim_ascii_start())
}

/// Where the quote stands that ends a text.
fn closing(text: &[u8], quote: u8) -> Option<usize> {
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        match *byte {
            b'\\' => at += 1,
            byte if byte == quote => return Some(at),
            _ => {}
        }
        at += 1;
    }
    None
}

/// Whether a comparison with readline's version is true.
fn version(text: &[u8]) -> bool {
    let end = text.iter().position(|b| !matches!(b, b'<' | b'>' | b'=' | b'!')).unwrap_or(text.len());
    let (sign, number) = text.split_at(end);
    let mut parts =
        number.trim_ascii().split(|b| *b == b'.').map(|part| crate::text::parse_integer(part).unwrap_or(0));
    let wanted = (parts.next().unwrap_or(0), parts.next().unwrap_or(0));
    let order = (8, 2).cmp(&wanted);
    match sign {
        b"=" | b"==" => order.is_eq(),
        b"!=" => order.is_ne(),
        b">" => order.is_gt(),
        b"<" => order.is_lt(),
        b">=" => order.is_ge(),
        b"<=" => order.is_le(),
        _ => false,
    }
}

/// The start of a regular file.
fn file_text(path: &[u8]) -> sys::Result<Vec<u8>> {
    let fd = sys::open(path, o::READ | o::CLOEXEC | o::NONBLOCK, 0)?;
    let mut text = Vec::new();
    let mut chunk = vec![0; 4096];
    let read = loop {
        match sys::fstat(fd) {
            Ok(stat) if stat.is_dir() => break Err(sys::Errno::ISDIR),
            Ok(stat) if stat.is_file() && text.len() < LONGEST_FILE => {}
            _ => break Ok(()),
        }
        match sys::read(fd, &mut chunk) {
            Ok(0) => break Ok(()),
            Ok(count) => text.extend_from_slice(chunk.get(..count).unwrap_or_default()),
            Err(e) => break Err(e),
        }
    };
    let _ = sys::close(fd);
    read.map(|()| text)
}
