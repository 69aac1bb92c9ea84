//! The list of past commands and its file: `HISTSIZE`, `HISTFILESIZE`, `HISTCONTROL`, `HISTIGNORE`.

mod entry;
mod several_lines;

pub(crate) use entry::Entry;

use crate::history_expansion::Memory;
use crate::options::{Shopt, flag};
use crate::shell::Shell;
use crate::text;
use crate::variables::Name;
use sandshell_syntax::pattern::{Pattern, PatternOptions};
use sandshell_sys as sys;

/// The state of the list besides its lines.
#[derive(Debug, Default)]
pub(crate) struct Record {
    /// How many lines were removed from the start of the list.
    pub(crate) dropped: usize,
    /// Lines of this session that are not in the file.
    pub(crate) unsaved: usize,
    /// Lines of the file that are in the list.
    pub(crate) in_file: usize,
    /// The last line of the list is the one being run.
    pub(crate) current: bool,
    /// The previous line contains a comment.
    comment: bool,
    /// The last line was added by `history -s`.
    pub(crate) pushed: bool,
    /// What the next history expansion may refer to.
    pub(crate) memory: Memory,
    /// Whether lines that are read are added.
    pub(crate) adding: bool,
    /// The depth of nested texts that are being read, including that of `-c`.
    pub(crate) texts: usize,
    /// Whether entries get times: in interactive shells, and after `HISTTIMEFORMAT` was first set.
    pub(crate) timed: bool,
    limit: Option<usize>,
}

impl Shell {
    /// Adds a line that was read, unless `HISTCONTROL` or `HISTIGNORE` exclude it.
    pub(crate) fn remember(&mut self, line: &[u8]) {
        self.record.current = false;
        self.record.pushed = false;
        self.record.comment = several_lines::has_comment(line);
        let control = self.value(Name::new(b"HISTCONTROL")).map(|v| v.into_owned()).unwrap_or_default();
        let wants = |word: &[u8]| control.split(|b| *b == b':').any(|w| w == word);
        let both = wants(b"ignoreboth");
        let ignored = (both || wants(b"ignorespace")) && matches!(line.first(), Some(b' ' | b'\t'))
            || (both || wants(b"ignoredups")) && self.history.last().is_some_and(|l| l.line == line)
            || self.history_ignores(line);
        if ignored {
            return;
        }
        if wants(b"erasedups") {
            self.history.retain(|l| l.line != line);
        }
        self.add_history(line.to_vec());
        self.record.unsaved += 1;
        self.record.current = true;
    }

    fn history_ignores(&mut self, line: &[u8]) -> bool {
        let patterns = self.value(Name::new(b"HISTIGNORE")).map(|v| v.into_owned()).unwrap_or_default();
        if patterns.is_empty() {
            return false;
        }
        let options = PatternOptions { extglob: self.opts.shopt(Shopt::extglob), nocase: false };
        let last = pattern_of(self.history.last().map_or(&b""[..], |l| l));
        patterns.split(|b| *b == b':').any(|p| {
            // `&` stands for the previous line.
            let mut text = Vec::new();
            let mut escaped = false;
            for &b in p {
                if b == b'&' && !escaped {
                    text.extend_from_slice(&last);
                } else {
                    text.push(b);
                }
                escaped = b == b'\\' && !escaped;
            }
            Pattern::new(&text, options).matches(line)
        })
    }

    /// Adds a line. The oldest lines are removed if there are too many.
    pub(crate) fn add_history(&mut self, line: Vec<u8>) {
        let timed = self.keeps_times();
        self.history.push(Entry::now(line, timed));
        self.limit_history();
    }

    fn keeps_times(&mut self) -> bool {
        self.record.timed = self.record.timed || self.time_format().is_some();
        self.record.timed
    }

    /// The format in which `history` shows times. Without it, times are neither shown nor written to files.
    pub(crate) fn time_format(&mut self) -> Option<Vec<u8>> {
        let format = self.value(Name::new(b"HISTTIMEFORMAT")).map(std::borrow::Cow::into_owned);
        format.filter(|format| !format.is_empty())
    }

    fn limit_history(&mut self) {
        let Some(limit) = self.record.limit else { return };
        let excess = self.history.len().saturating_sub(limit);
        self.history.drain(..excess);
        self.record.dropped += excess;
    }

    /// Removes the line being run. Builtins that change the list do not count it.
    pub(crate) fn forget_current(&mut self) {
        if std::mem::take(&mut self.record.current) {
            self.history.pop();
            self.record.unsaved = self.record.unsaved.saturating_sub(1);
        }
    }

    /// Applies a change of `HISTSIZE`.
    pub(crate) fn update_history_size(&mut self) {
        let value = self.value(Name::new(b"HISTSIZE")).map(|v| v.into_owned()).unwrap_or_default();
        match text::parse_integer(&value) {
            Some(n) => self.record.limit = usize::try_from(n).ok(),
            None if value.is_empty() => self.record.limit = None,
            None => return,
        }
        let excess = self.record.limit.map_or(0, |limit| self.history.len().saturating_sub(limit));
        if excess > 0 {
            self.history.drain(..excess);
            // bash then counts from the number of the last line that was removed.
            self.record.dropped = excess - 1;
        }
        self.record.unsaved = self.record.unsaved.min(self.history.len());
    }

    /// Applies a change of `HISTFILESIZE`: the file keeps only that many lines, its last.
    pub(crate) fn update_history_file_size(&mut self) {
        let value = self.value(Name::new(b"HISTFILESIZE")).map(|v| v.into_owned()).unwrap_or_default();
        let Some(limit) = text::parse_integer(&value).and_then(|n| usize::try_from(n).ok()) else { return };
        let Some(file) = self.history_file() else { return };
        let Ok(data) = read_file(&file) else { return };
        let count = data.iter().filter(|b| **b == b'\n').count();
        self.record.in_file = self.record.in_file.min(limit);
        let Some(skip) = count.checked_sub(limit).filter(|n| *n > 0) else { return };
        let rest = data.split_inclusive(|b| *b == b'\n').skip(skip).flatten().copied().collect::<Vec<u8>>();
        let _ = write_file(&file, &rest, sys::open_flags::TRUNC);
    }

    /// The path of the history file.
    pub(crate) fn history_file(&mut self) -> Option<Vec<u8>> {
        self.value(Name::new(b"HISTFILE")).map(|v| v.into_owned()).filter(|f| !f.is_empty())
    }

    /// Adds the lines of a file, except the first `skip`.
    pub(crate) fn read_history(&mut self, file: &[u8], skip: usize) -> sys::Result<()> {
        let data = read_file(file)?;
        let how = entry::Reading { timed: self.keeps_times(), formatted: self.time_format().is_some() };
        let (entries, count) = entry::read(&data, skip, &how);
        for entry in entries {
            self.history.push(entry);
            self.limit_history();
        }
        self.record.in_file = count;
        Ok(())
    }

    /// Writes the last `count` lines to a file, either appending or replacing its content.
    pub(crate) fn write_history(&mut self, file: &[u8], count: usize, append: bool) -> sys::Result<()> {
        let skip = self.history.len().saturating_sub(count);
        let timed = self.time_format().is_some();
        let mut data = Vec::new();
        for entry in self.history.iter().skip(skip) {
            entry.write(timed, &mut data);
        }
        write_file(file, &data, if append { sys::open_flags::APPEND } else { sys::open_flags::TRUNC })
    }

    /// Prepares the history of an interactive shell, before its first command.
    pub(crate) fn begin_history(&mut self) {
        let home = self.names.home;
        let home = self.value(home).map(|v| v.into_owned()).unwrap_or_default();
        self.set_unless_set(Name::new(b"HISTFILE"), &[&*home, b"/.bash_history"].concat());
        self.record.timed = true;
        self.record.adding = true;
        self.load_history();
    }

    /// Reads the history file, if there is one, when a shell begins to keep a list.
    pub(crate) fn load_history(&mut self) {
        let size = Name::new(b"HISTSIZE");
        self.set_unless_set(size, b"500");
        self.update_history_size();
        let size = self.value(size).map(|v| v.into_owned()).unwrap_or_default();
        self.set_unless_set(Name::new(b"HISTFILESIZE"), &size);
        self.update_history_file_size();
        if let Some(file) = self.history_file() {
            let _ = self.read_history(&file, 0);
        }
    }

    fn set_unless_set(&mut self, name: Name, value: &[u8]) {
        if self.vars.get(name).is_none() {
            let _ = self.assign(name, value, false);
        }
    }

    /// Saves the list when a shell that keeps one ends.
    pub(crate) fn end_history(&mut self) {
        if self.record.unsaved == 0 || !self.opts.has(flag::HISTORY) {
            return;
        }
        let Some(file) = self.history_file() else { return };
        let append = self.record.unsaved <= self.history.len() || self.opts.shopt(Shopt::histappend);
        let count = if append { self.record.unsaved } else { self.history.len() };
        let _ = self.write_history(&file, count, append);
        self.update_history_file_size();
    }
}

// The pattern that matches only this text.
fn pattern_of(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    sandshell_syntax::pattern::escape(text, &mut out);
    out
}

fn read_file(file: &[u8]) -> sys::Result<Vec<u8>> {
    let fd = sys::open(file, sys::open_flags::READ | sys::open_flags::CLOEXEC, 0)?;
    let data = sys::read_to_end(fd);
    let _ = sys::close(fd);
    data
}

fn write_file(file: &[u8], data: &[u8], mode: u32) -> sys::Result<()> {
    let flags = sys::open_flags::WRITE | sys::open_flags::CREATE | sys::open_flags::CLOEXEC | mode;
    let fd = sys::open(file, flags, 0o600)?;
    let result = sys::write_all(fd, data);
    let _ = sys::close(fd);
    result.map(|_| ())
}
