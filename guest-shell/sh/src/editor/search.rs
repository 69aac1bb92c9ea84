//! Ctrl-R and Ctrl-S: the history is searched while a text is typed.

use super::functions::Function;
use super::keymap::Bound;
use super::{Editor, LONGEST_SEARCH, Step};
use sandshell_terminal::glyphs;
use std::time::Duration;

/// A search.
struct Search {
    newer: bool,
    pattern: Vec<u8>,
    failed: bool,
    /// Line of the history, and place in it.
    at: (usize, usize),
}

/// What a key does to a search.
enum Key {
    Text(Vec<u8>),
    Again(bool),
    Shorter,
    GiveUp,
    End,
}

impl Editor<'_> {
    /// Searches until a key ends it, which is then acted on.
    pub(super) fn search(&mut self, newer: bool) -> Step {
        let prompt = self.prompt.clone();
        let done = self.search_until(newer);
        self.prompt = prompt;
        done
    }

    fn search_until(&mut self, newer: bool) -> Step {
        let before = (self.place, self.buffer.clone());
        let start = (self.place, self.buffer.point());
        let mut search = Search { newer, pattern: Vec::new(), failed: false, at: start };
        loop {
            self.show_search(&search);
            match self.search_key(&search)? {
                Key::Text(text) => {
                    if search.pattern.len() + text.len() > LONGEST_SEARCH {
                        self.bell();
                        continue;
                    }
                    search.pattern.extend_from_slice(&text);
                    self.find_text(&mut search, false);
                }
                Key::Shorter if search.pattern.is_empty() => self.bell(),
                Key::Shorter => {
                    let last = glyphs(&search.pattern).pop().map_or(0, |glyph| glyph.bytes);
                    search.pattern.truncate(search.pattern.len() - last);
                    self.find_text(&mut search, false);
                }
                Key::Again(newer) => {
                    search.newer = newer;
                    if search.pattern.is_empty() {
                        search.pattern.clone_from(&self.shell.editor.searched);
                        self.find_text(&mut search, false);
                    } else {
                        self.find_text(&mut search, true);
                    }
                }
                Key::GiveUp => {
                    self.show_history(before.0);
                    self.buffer = before.1;
                    self.bell();
                    break;
                }
                Key::End => break,
            }
        }
        self.remember_search(search);
        Ok(())
    }

    fn search_key(&mut self, search: &Search) -> Step<Key> {
        let byte = self.byte()?;
        let terminators = self.shell.editor_config().settings.value("isearch-terminators");
        let ends =
            if terminators.is_empty() { matches!(byte, 0x1b | b'\n') } else { terminators.contains(&byte) };
        if byte == 0x1b {
            return self.search_escape(ends);
        }
        if ends {
            return Ok(Key::End);
        }
        let found = self.find(&[byte]);
        Ok(match (byte, found.bound) {
            (0x16, _) => Key::Text(vec![self.byte()?]),
            (_, Some(Bound::Function(Function::ReverseSearchHistory))) => Key::Again(false),
            (_, Some(Bound::Function(Function::ForwardSearchHistory))) => Key::Again(true),
            (0x07, _) => Key::GiveUp,
            (0x7f | 8, _) => Key::Shorter,
            // The next word of what was found, or all of it.
            (0x17 | 0x19, _) => {
                let from = self.buffer.point() + search.pattern.len();
                let to = if byte == 0x17 { self.buffer.word_right(from) } else { self.buffer.end() };
                Key::Text(self.buffer.part(from, to).to_vec())
            }
            (_, Some(Bound::Function(Function::SelfInsert))) => Key::Text(self.character(byte)?),
            (0x20.., None) => Key::Text(self.character(byte)?),
            _ => {
                self.input.unread(&[byte]);
                Key::End
            }
        })
    }

    /// Escape ends a search; a key whose sequence begins with it, too; pasted text is searched for.
    fn search_escape(&mut self, ends: bool) -> Step<Key> {
        const PASTE: &[u8] = b"[200~";
        let mut more = Vec::new();
        while more.len() < PASTE.len() && self.input.wait(Some(Duration::from_millis(50))) {
            more.push(self.byte()?);
        }
        if more == PASTE {
            return Ok(Key::Text(self.input.pasted().0));
        }
        self.input.unread(&more);
        if !more.is_empty() || !ends {
            self.input.unread(&[0x1b]);
        }
        Ok(Key::End)
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
    fn find_text(&mut self, search: &mut Search, further: bool) {
        let (place, column) = search.at;
        let line = |place: usize| self.shell.history.get(place).map_or(&b""[..], |entry| &entry.line);
        let here = match self.changed.get(&place) {
            Some(buffer) => buffer.text().to_vec(),
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
            None => {
                // A shorter text is looked for in all of the line.
                search.at = (place, if search.newer { here.len() } else { 0 });
                self.bell();
            }
        }
    }
}
