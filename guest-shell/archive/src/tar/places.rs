//! Operands with the directories (`-C`) that they are relative to.

use super::log::{self, Fatal};
use super::names::trim;
use super::options::{Item, Options};
use super::parse::read_list;
use sandshell_sys as sys;

/// A name, the number of its directory, and whether what is below it is meant too.
pub(crate) struct Place {
    pub(crate) name: Vec<u8>,
    pub(crate) dir: usize,
    pub(crate) recursive: bool,
}

/// A directory: absolute, and as it was given.
struct Directory {
    path: Vec<u8>,
    given: Vec<u8>,
}

/// The directories; number 0 is where the program was started.
pub(crate) struct Places {
    dirs: Vec<Directory>,
    now: usize,
    pub(crate) names: Vec<Place>,
    /// The directory of members that no operand names.
    pub(crate) last: usize,
    recursive: bool,
}

impl Places {
    /// Reads the operands, and files of names among them.
    pub(crate) fn of(options: &Options) -> Result<Self, Fatal> {
        let start = sys::getcwd().unwrap_or_else(|_| b"/".to_vec());
        let start = Directory { given: start.clone(), path: start };
        let mut places = Self { dirs: vec![start], now: 0, names: Vec::new(), last: 0, recursive: true };
        for item in &options.items {
            match item {
                Item::Chdir(dir) => places.change(dir),
                Item::Recursion(on) => places.recursive = *on,
                Item::Name(name) => places.add(name),
                Item::From(file, null) => places.list(&read_list(file, b": Cannot stat: ")?, *null),
            }
        }
        Ok(places)
    }

    fn add(&mut self, name: &[u8]) {
        self.names.push(Place { name: trim(name).to_vec(), dir: self.last, recursive: self.recursive });
    }

    fn change(&mut self, dir: &[u8]) {
        let base = self.dirs.get(self.last).map(|d| d.path.as_slice()).unwrap_or_default();
        let path = if dir.starts_with(b"/") { dir.to_vec() } else { [base, b"/", dir].concat() };
        self.dirs.push(Directory { path, given: dir.to_vec() });
        self.last = self.dirs.len() - 1;
    }

    fn list(&mut self, text: &[u8], null: bool) {
        let end = if null { 0 } else { b'\n' };
        let mut change = false;
        for line in text.split(|b| *b == end).filter(|l| !l.is_empty()) {
            if std::mem::take(&mut change) {
                self.change(line);
            } else if null {
                self.add(line);
            } else if line == b"-C" {
                change = true;
            } else if let Some(dir) = line.strip_prefix(b"-C") {
                self.change(dir.trim_ascii_start());
            } else {
                self.add(line);
            }
        }
    }

    /// Makes a directory the working directory.
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
