//! The line that tells which function or section a hunk is in (`-p`, `-F`).

use super::hunk::Texts;
use crate::engine::is_space;
use sandshell_cli::out;

/// Finds these lines for one hunk after another.
pub(crate) struct Function<'a> {
    work: &'a Texts<'a>,
    searched: usize,
    found: Option<usize>,
}

const WIDTH: usize = 40;

impl<'a> Function<'a> {
    pub(crate) fn new(work: &'a Texts<'a>) -> Self {
        Self { work, searched: 0, found: None }
    }

    /// Prints a space and the last matching line before line `i` of the first file, if such lines are asked for.
    pub(crate) fn put_before(&mut self, i: usize) {
        let Some(re) = &self.work.options.show_function else { return };
        let text = &self.work.texts[0];
        // What precedes the previous hunk has already been searched.
        let matching = (self.searched..i).rev().find(|i| re.matches(text.body(*i)));
        self.searched = i;
        self.found = matching.or(self.found);
        if let Some(found) = self.found {
            let line = text.body(found);
            let from = line.iter().position(|b| !is_space(*b)).unwrap_or(line.len());
            let shown = &line[from..line.len().min(from + WIDTH)];
            let end = shown.iter().rposition(|b| !is_space(*b)).map_or(0, |e| e + 1);
            out::put([b" ", &shown[..end]].concat());
        }
    }
}
