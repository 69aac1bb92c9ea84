//! Operands with the directories (`-C`) that they are relative to.

use super::log::{self, Fatal};
use super::names::trim;
use super::options::{Item, Options};
use super::parse::read_list;
use sandshell_sys as sys;

/// A name, and the number of its directory.
pub(crate) struct Place {
    pub(crate) name: Vec<u8>,
    pub(crate) dir: usize,
}

/// The directories, absolute; number 0 is where the program was started.
pub(crate) struct Places {
    dirs: Vec<Vec<u8>>,
    now: usize,
    pub(crate) names: Vec<Place>,
    /// The directory of members that no operand names.
    pub(crate) last: usize,
}

impl Places {
    /// Reads the operands, and files of names among them.
    pub(crate) fn of(options: &Options) -> Result<Self, Fatal> {
        let start = sys::getcwd().unwrap_or_else(|_| b"/".to_vec());
        let mut places = Self { dirs: vec![start], now: 0, names: Vec::new(), last: 0 };
        for item in &options.items {
            match item {
                Item::Chdir(dir) => places.change(dir),
                Item::Name(name) => places.add(name),
                Item::From(file, null) => places.list(&read_list(file, b": Cannot stat: ")?, *null),
            }
        }
        Ok(places)
    }

    fn add(&mut self, name: &[u8]) {
        self.names.push(Place { name: trim(name).to_vec(), dir: self.last });
    }

    fn change(&mut self, dir: &[u8]) {
        let base = self.dirs.get(self.last).map(Vec::as_slice).unwrap_or_default();
        let dir = if dir.starts_with(b"/") { dir.to_vec() } else { [base, b"/", dir].concat() };
        self.dirs.push(dir);
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
            && let Some(path) = self.dirs.get(dir)
        {
            if let Err(e) = sys::chdir(path) {
                let start = self.dirs.first().map(|d| [d, &b"/"[..]].concat()).unwrap_or_default();
                let given = path.strip_prefix(start.as_slice()).unwrap_or(path);
                return Err(log::fatal(
                    [&log::colon(given)[..], b": Cannot open: ", e.to_string().as_bytes()].concat(),
                ));
            }
            self.now = dir;
        }
        Ok(())
    }
}
