//! Ctrl-R and Ctrl-S: the history is searched while a text is typed.

use super::{Editor, Next, Typed};
use sandshell_sys::Errno;
use sandshell_terminal::Key;

/// A search.
struct Search {
    newer: bool,
    pattern: Vec<u8>,
    failed: bool,
    /// Line of the history, and place in it.
    at: (usize, usize),
}

impl Editor<'_> {
    /// Searches until a key ends it, which is then acted on.
    pub(super) fn search(&mut self, newer: bool) -> Next {
        let before = self.keep_state();
        let prompt = self.prompt.clone();
        let mut search =
            Search { newer, pattern: Vec::new(), failed: false, at: (self.place, self.buffer.point()) };
        let next = loop {
            self.show_search(&search);
            let key = match self.keys.next_key() {
                Ok(key) => key,
                Err(Errno::INTR) => match self.signals() {
                    Some(typed) => break Next::Done(typed),
                    None => continue,
                },
                Err(_) => break Next::Done(Typed::End),
            };
            match key {
                Key::Text(text) => {
                    search.pattern.extend_from_slice(&text);
                    self.find(&mut search, false);
                }
                Key::Paste(text) => {
                    search.pattern.extend_from_slice(&text);
                    self.find(&mut search, false);
                }
                Key::Backspace => {
                    let length = search.pattern.len();
                    let last = sandshell_terminal::glyphs(&search.pattern).pop();
                    search.pattern.truncate(length - last.map_or(0, |glyph| glyph.bytes));
                    // From the start again, as the shorter text may be in a newer line.
                    search.at = (before.1, before.0.point);
                    self.find(&mut search, false);
                }
                Key::Control(letter @ (b'R' | b'S')) => {
                    search.newer = letter == b'S';
                    if search.pattern.is_empty() {
                        search.pattern.clone_from(&self.shell.editor.searched);
                        self.find(&mut search, false);
                    } else {
                        self.find(&mut search, true);
                    }
                }
                Key::Control(b'G') => {
                    self.show_history(before.1);
                    self.buffer.now = before.0;
                    self.screen.bell();
                    break Next::Edit;
                }
                Key::Escape => break Next::Edit,
                key => {
                    self.prompt.clone_from(&prompt);
                    self.remember_search(search);
                    return self.key(key);
                }
            }
        };
        self.prompt = prompt;
        self.remember_search(search);
        next
    }

    fn remember_search(&mut self, search: Search) {
        if !search.pattern.is_empty() {
            self.shell.editor.searched = search.pattern;
        }
    }

    fn show_search(&mut self, search: &Search) {
        let failed = if search.failed { "failed " } else { "" };
        let direction = if search.newer { "" } else { "reverse-" };
        self.prompt =
            [format!("({failed}{direction}i-search)`").as_bytes(), &search.pattern, b"': "].concat();
        self.draw();
    }

    /// Shows the next place with the pattern: the present one if it still fits, unless `further`.
    fn find(&mut self, search: &mut Search, further: bool) {
        let (place, column) = search.at;
        let line = |place: usize| self.shell.history.get(place).map_or(&b""[..], |entry| &entry.line);
        let here = match self.changed.get(&place) {
            Some(text) => text.clone(),
            None if place == self.place => self.buffer.text().to_vec(),
            None => line(place).to_vec(),
        };
        let fits =
            |text: &[u8], at: &usize| text.get(*at..).is_some_and(|rest| rest.starts_with(&search.pattern));
        let within = match (search.newer, further) {
            (true, false) => (column..=here.len()).find(|at| fits(&here, at)),
            (true, true) => (column + 1..=here.len()).find(|at| fits(&here, at)),
            (false, false) => (0..=column.min(here.len())).rev().find(|at| fits(&here, at)),
            (false, true) => (0..column.min(here.len())).rev().find(|at| fits(&here, at)),
        };
        let elsewhere = |place: usize| {
            let text = line(place);
            let mut places = 0..=text.len();
            let at = match search.newer {
                true => places.find(|at| fits(text, at)),
                false => places.rev().find(|at| fits(text, at)),
            };
            at.filter(|_| text != here).map(|at| (place, at))
        };
        let found = within.map(|at| (place, at)).or_else(|| match search.newer {
            true => (place + 1..self.shell.history.len()).find_map(elsewhere),
            false => (0..place).rev().find_map(elsewhere),
        });
        search.failed = found.is_none();
        match found {
            Some(at) => {
                search.at = at;
                if at.0 != self.place {
                    self.show_history(at.0);
                }
                self.buffer.move_to(at.1);
            }
            None => self.screen.bell(),
        }
    }
}
