//! The operands, with the directories (`-C`) that they are relative to.

use super::log::{self, Fatal};
use super::names::{Pattern, trim};
use super::options::{Item, List, Options};
use super::parse::{exclusion, read_list};
use sandshell_sys as sys;

/// A name, the index of its directory, and whether it includes what is below it.
pub(crate) struct Place {
    pub(crate) name: Vec<u8>,
    pub(crate) dir: usize,
    pub(crate) recursive: bool,
    /// How many of the exclusions in files of names apply to it: those before it.
    pub(crate) excludes: usize,
}

/// How deeply files of names may be nested.
const NESTED_MAX: usize = 16;

/// A directory: its absolute path, and the path as given.
struct Directory {
    path: Vec<u8>,
    given: Vec<u8>,
}

/// The operands and their directories. Directory 0 is the initial working directory.
pub(crate) struct Places<'o> {
    options: &'o Options,
    dirs: Vec<Directory>,
    now: usize,
    pub(crate) names: Vec<Place>,
    /// The directory for members that no operand names.
    pub(crate) last: usize,
    /// Whether there is more than one name.
    pub(crate) many: bool,
    /// Whether backslashes in names are literal.
    plain: bool,
    recursive: bool,
    /// The exclusions in files of names. Each applies to the names after it.
    pub(crate) excludes: Vec<Pattern>,
    /// The files of names being read; each one names the next.
    open: Vec<Vec<u8>>,
    /// All files of names so far, and the files that named them. None is read twice.
    lists: Vec<(Vec<u8>, Option<Vec<u8>>)>,
}

impl<'o> Places<'o> {
    /// Reads the operands, including files of names.
    pub(crate) fn of(options: &'o Options) -> Result<Self, Fatal> {
        let start = sys::getcwd().unwrap_or_else(|_| b"/".to_vec());
        let start = Directory { given: start.clone(), path: start };
        let mut places = Self {
            options,
            dirs: vec![start],
            now: 0,
            names: Vec::new(),
            last: 0,
            many: false,
            plain: options.no_unquote,
            recursive: true,
            excludes: Vec::new(),
            open: Vec::new(),
            lists: Vec::new(),
        };
        for item in &options.items {
            match item {
                Item::Chdir(dir) => places.change(dir),
                Item::Recursion(on) => places.recursive = *on,
                Item::Name(name) => places.add(name, options.no_unquote),
                Item::From(file, list) => places.file(file, *list)?,
            }
        }
        places.many |= places.names.len() > 1;
        Ok(places)
    }

    fn add(&mut self, name: &[u8], plain: bool) {
        let name = if plain { name.to_vec() } else { unquoted(name) };
        self.names.push(Place {
            name: trim(&name).to_vec(),
            dir: self.last,
            recursive: self.recursive,
            excludes: self.excludes.len(),
        });
    }

    /// Reads a file of names.
    fn file(&mut self, file: &[u8], how: List) -> Result<(), Fatal> {
        let told = |from: Option<&Vec<u8>>| from.map_or(b"command line".to_vec(), |f| log::colon(f));
        let old = self.lists.iter().find(|(f, _)| f == file && file != b"-");
        if old.is_some() || self.open.len() >= NESTED_MAX {
            let now = told(self.open.last());
            let old = told(old.and_then(|(_, from)| from.as_ref()));
            let file = log::colon(file);
            log::error(
                [&file[..], b": file list requested from ", &now, b" already read from ", &old].concat(),
            );
            return Ok(());
        }
        self.lists.push((file.to_vec(), self.open.last().cloned()));
        self.many = true;
        let text = read_list(file, b": Cannot stat: ")?;
        self.open.push(file.to_vec());
        let read = self.list(file, &text, how);
        self.open.pop();
        read
    }

    fn change(&mut self, dir: &[u8]) {
        let base = self.dirs.get(self.last).map(|d| d.path.as_slice()).unwrap_or_default();
        let path = if dir.starts_with(b"/") { dir.to_vec() } else { [base, b"/", dir].concat() };
        self.dirs.push(Directory { path, given: dir.to_vec() });
        self.last = self.dirs.len() - 1;
    }

    fn list(&mut self, file: &[u8], text: &[u8], how: List) -> Result<(), Fatal> {
        let (mut rest, mut null) = (text, how.null);
        let mut number = 0;
        while !rest.is_empty() {
            let end = |b: &u8| *b == 0 || (!null && *b == b'\n');
            let at = rest.iter().position(end).unwrap_or(rest.len());
            let (line, more) = (rest.get(..at).unwrap_or_default(), rest.get(at + 1..).unwrap_or_default());
            if !null && rest.get(at) == Some(&0) {
                log::warn([&log::colon(file)[..], b": file name read contains nul character"].concat());
                null = true;
            }
            rest = more;
            number += 1;
            if line.starts_with(b"-") && !how.verbatim {
                self.option(line, &[&log::colon(file)[..], format!(":{number}").as_bytes()].concat(), how)?;
            } else if !line.is_empty() {
                self.add(line, self.plain || how.verbatim);
            }
        }
        Ok(())
    }

    /// Parses a line with options in a file of names.
    fn option(&mut self, line: &[u8], place: &[u8], how: List) -> Result<(), Fatal> {
        let words = words(line);
        let mut words = words.iter().map(Vec::as_slice);
        while let Some(word) = words.next() {
            let (name, value) = match word.iter().position(|b| *b == b'=') {
                Some(at) if word.starts_with(b"--") => {
                    let (name, value) = word.split_at(at);
                    (name, value.get(1..))
                }
                _ if [&b"-C"[..], b"-X", b"-T"].iter().any(|o| word.starts_with(o)) && word.len() > 2 => {
                    (word.get(..2).unwrap_or_default(), word.get(2..))
                }
                _ => (word, None),
            };
            match (name, value) {
                (b"-C" | b"--directory" | b"--add-file", _) => match value.or_else(|| words.next()) {
                    Some(name) if word.starts_with(b"--a") => self.add(name, true),
                    Some(dir) => self.change(dir),
                    None => log::error([place, b": unrecognized option"].concat()),
                },
                (b"--recursion" | b"--no-recursion", None) => self.recursive = name == b"--recursion",
                (b"--", None) => {}
                (b"--exclude" | b"--exclude-from" | b"-X" | b"--files-from" | b"-T", _) => {
                    match (name, value.or_else(|| words.next())) {
                        (b"--exclude", Some(text)) => self.excludes.push(exclusion(self.options, text)),
                        (b"--exclude-from" | b"-X", Some(file)) => {
                            let text = read_list(file, b": ")?;
                            let lines = text.split(|b| *b == b'\n').filter(|l| !l.is_empty());
                            self.excludes.extend(lines.map(|l| exclusion(self.options, l)));
                        }
                        (_, Some(file)) => self.file(file, how)?,
                        (_, None) => log::error([place, b": unrecognized option"].concat()),
                    }
                }
                _ if name.starts_with(b"-") && name != b"-" => {
                    log::error([place, b": unrecognized option"].concat());
                    return Ok(());
                }
                _ => return Err(log::fatal("unhandled positional option 0")),
            }
        }
        Ok(())
    }

    /// Changes the working directory.
    pub(crate) fn enter(&mut self, dir: usize) -> Result<(), Fatal> {
        if dir != self.now
            && let Some(Directory { path, given }) = self.dirs.get(dir)
        {
            if let Err(e) = sys::chdir(path) {
                return Err(log::fatal(
                    [&log::colon(given)[..], b": Cannot open: ", e.to_string().as_bytes()].concat(),
                ));
            }
            self.now = dir;
        }
        Ok(())
    }
}

/// Splits a line into words and removes their quotes.
fn words(line: &[u8]) -> Vec<Vec<u8>> {
    let mut words = Vec::new();
    let mut word = None;
    let mut quote = None;
    let mut bytes = line.iter();
    while let Some(b) = bytes.next() {
        match (quote, b) {
            (Some(q), b) if q == *b => quote = None,
            (None, b'"' | b'\'') => {
                quote = Some(*b);
                word.get_or_insert_with(Vec::new);
            }
            (None, b' ' | b'\t') => words.extend(word.take()),
            (None | Some(b'"'), b'\\') => word.get_or_insert_with(Vec::new).extend(bytes.next()),
            (_, b) => word.get_or_insert_with(Vec::new).push(*b),
        }
    }
    words.extend(word);
    words
}

/// Replaces escapes in a name.
fn unquoted(name: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(name.len());
    let mut rest = name;
    while let Some((first, more)) = rest.split_first() {
        rest = more;
        let escaped = more.first().filter(|_| *first == b'\\');
        let one = match escaped {
            Some(b'\\') => b'\\',
            Some(b'a') => 7,
            Some(b'b') => 8,
            Some(b'f') => 12,
            Some(b'n') => b'\n',
            Some(b'r') => b'\r',
            Some(b't') => b'\t',
            Some(b'v') => 11,
            Some(b'?') => 127,
            Some(b'0'..=b'7') => {
                let digits = more.iter().take(3).take_while(|b| matches!(b, b'0'..=b'7'));
                let value = digits.clone().fold(0u32, |value, digit| value * 8 + u32::from(digit - b'0'));
                rest = more.get(digits.count()..).unwrap_or_default();
                out.push(value as u8);
                continue;
            }
            _ => {
                out.push(*first);
                continue;
            }
        };
        out.push(one);
        rest = more.get(1..).unwrap_or_default();
    }
    out
}
