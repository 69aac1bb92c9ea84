//! The line before a hunk that says what it is in (`-p`, `-F`).

use super::hunk::Texts;
use crate::engine::is_space;
use sandshell_cli::out;

/// Finds such lines, from hunk to hunk.
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

    /// Puts a space and the last matching line above line `i` of the first file, if lines are looked for.
    pub(crate) fn put_before(&mut self, i: usize) {
        let Some(re) = &self.work.options.show_function else { return };
        let text = &self.work.texts[0];
        // What is above the last hunk has been searched already.
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
