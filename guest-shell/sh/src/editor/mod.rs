//! Lines that a user types on a terminal: editing, history, search and completion, with the keys of Emacs as bash has
//! them.

mod buffer;
mod complete;
mod context;
mod listing;
mod screen;
mod search;

pub(crate) use buffer::Kills;
pub(crate) use complete::Completing;

use crate::options::flag;
use crate::shell::Shell;
use crate::variables::Name;
use buffer::{Buffer, State};
use sandshell_sys as sys;
use sandshell_terminal::{Key, Keys, Raw};
use screen::Screen;
use std::collections::HashMap;
use sys::{Errno, signal};

/// The largest repetition that can be typed.
const REPEATS: usize = 10_000;

/// What the editor keeps between lines.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    kills: Kills,
    /// Ctrl-O: the line of the history that comes next.
    next: Option<usize>,
    /// What was last searched for.
    searched: Vec<u8>,
}

/// The end of a line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Typed {
    /// This text, which may have several lines, without the last end of line.
    Line(Vec<u8>),
    /// The end of input.
    End,
    /// A signal that the shell has to answer.
    Interrupted,
}

/// What a key asks for.
#[derive(Debug, PartialEq, Eq)]
enum Next {
    Edit,
    Done(Typed),
}

/// A line that is being edited.
struct Editor<'s> {
    shell: &'s mut Shell,
    keys: Keys,
    screen: Screen,
    buffer: Buffer,
    prompt: Vec<u8>,
    /// The line of the history that is shown; its length for the new line.
    place: usize,
    /// Lines of the history that were changed, and the new line.
    changed: HashMap<usize, Vec<u8>>,
    /// The last key, for keys that mean more when repeated.
    last: Option<Key>,
    /// How often the next key counts.
    count: Option<usize>,
    /// Meta-. : from which line the last argument came, and where it is in the text.
    argument: Option<(usize, usize, usize)>,
}

impl Shell {
    /// Whether lines are edited: on a terminal that can move its cursor.
    pub(crate) fn edits_lines(&mut self) -> bool {
        let on = self.opts.has(flag::EMACS) || self.opts.has(flag::VI);
        if !on || !sys::isatty(0) || !sys::isatty(2) {
            return false;
        }
        let kind = self.value(Name::new(b"TERM")).map(|v| v.into_owned()).unwrap_or_default();
        !matches!(&*kind, b"" | b"dumb")
    }

    /// Lets the user type a line after `prompt`.
    pub(crate) fn edit_line(&mut self, prompt: Vec<u8>) -> Typed {
        let Ok(raw) = Raw::enter(0, true) else { return Typed::End };
        let place = self.history.len();
        let mut editor = Editor {
            keys: Keys::new(0),
            screen: Screen::new(),
            buffer: Buffer::default(),
            prompt,
            place,
            changed: HashMap::new(),
            last: None,
            count: None,
            argument: None,
            shell: self,
        };
        if let Some(next) = editor.shell.editor.next.take().filter(|next| *next < place) {
            editor.show_history(next);
        }
        // Terminals tell which text is pasted.
        editor.screen.put(b"\x1b[?2004h");
        let typed = editor.run();
        editor.screen.put(b"\x1b[?2004l\r");
        drop(raw);
        typed
    }
}

impl Editor<'_> {
    fn run(&mut self) -> Typed {
        loop {
            // While more keys wait, as after pasting, drawing can wait too.
            if !self.keys.are_waiting() {
                self.draw();
            }
            let key = match self.keys.next_key() {
                Ok(key) => key,
                Err(Errno::INTR) => match self.signals() {
                    Some(typed) => return typed,
                    None => continue,
                },
                Err(_) => return self.leave(Typed::End),
            };
            if let Next::Done(typed) = self.key(key) {
                return typed;
            }
        }
    }

    fn draw(&mut self) {
        self.screen.draw(&self.prompt, self.buffer.text(), self.buffer.point());
    }

    /// Leaves the screen for what follows.
    fn leave(&mut self, typed: Typed) -> Typed {
        self.draw();
        if typed == Typed::End {
            self.screen.put(b"\r");
            return typed;
        }
        self.screen.leave();
        typed
    }

    /// Answers signals. `Some` if editing ends.
    fn signals(&mut self) -> Option<Typed> {
        let mut interrupted = false;
        while let Some(number) = sys::sigtake() {
            match number {
                signal::SIGWINCH => {
                    self.screen.resize();
                    self.shell.note_window_size();
                }
                signal::SIGCHLD if self.shell.opts.has(flag::NOTIFY) => {
                    self.screen.leave();
                    self.shell.notify_jobs();
                }
                signal::SIGCHLD => {}
                signal::SIGINT => {
                    interrupted = true;
                    self.shell.note_signal(number);
                }
                number => self.shell.note_signal(number),
            }
        }
        if interrupted {
            let end = self.buffer.text().len();
            self.buffer.move_to(end);
            self.draw();
            self.screen.put(b"^C");
            return Some(Typed::Interrupted);
        }
        let status = self.shell.status;
        let answered = self.shell.answer_signals();
        self.shell.status = status;
        if answered.is_err() {
            return Some(Typed::Interrupted);
        }
        None
    }

    fn key(&mut self, key: Key) -> Next {
        let digit = match key {
            Key::Meta(digit @ b'0'..=b'9') => Some(digit),
            Key::Text(ref text) if self.count.is_some() => match text.as_slice() {
                [digit @ b'0'..=b'9'] => Some(*digit),
                _ => None,
            },
            _ => None,
        };
        if let Some(digit) = digit {
            let count = self.count.unwrap_or(0) * 10 + usize::from(digit - b'0');
            self.count = Some(count.min(REPEATS));
            return Next::Edit;
        }
        let count = self.count.take().unwrap_or(1);
        let killed = std::mem::take(&mut self.shell.editor.kills.joins);
        let argument = self.argument.take();
        let next = self.act(&key, count, killed, argument);
        self.last = Some(key);
        next
    }

    fn act(
        &mut self,
        key: &Key,
        count: usize,
        killed: bool,
        argument: Option<(usize, usize, usize)>,
    ) -> Next {
        let (text_end, point) = (self.buffer.text().len(), self.buffer.point());
        match key {
            Key::Text(text) => self.buffer.type_text(&text.repeat(count)),
            Key::Paste(text) => self.buffer.insert(text),
            Key::Enter => return self.accept(),
            Key::Tab => self.complete(),
            Key::Meta(b'?' | b'=') => self.list_completions(),
            Key::Meta(b'*') => self.insert_completions(),
            Key::Control(b'D') if text_end == 0 => return Next::Done(self.leave(Typed::End)),
            Key::Control(b'D') | Key::Delete => self.repeat(count, |editor| {
                let point = editor.buffer.point();
                let to = editor.buffer.right(point);
                editor.delete(point, to)
            }),
            Key::Backspace => self.repeat(count, |editor| {
                let point = editor.buffer.point();
                let from = editor.buffer.left(point);
                editor.delete(from, point)
            }),
            Key::Left | Key::Control(b'B') => {
                self.repeat(count, |editor| editor.go(|buffer, at| buffer.left(at)));
            }
            Key::Right | Key::Control(b'F') => {
                self.repeat(count, |editor| editor.go(|buffer, at| buffer.right(at)));
            }
            Key::WordLeft | Key::Meta(b'b') => {
                self.repeat(count, |editor| editor.go(|buffer, at| buffer.word_left(at)));
            }
            Key::WordRight | Key::Meta(b'f') => {
                self.repeat(count, |editor| editor.go(|buffer, at| buffer.word_right(at)));
            }
            Key::Home | Key::Control(b'A') => self.buffer.move_to(0),
            Key::End | Key::Control(b'E') => self.buffer.move_to(text_end),
            Key::Control(b'K') => self.kill(point, text_end),
            Key::Control(b'U') => self.joined(killed, |editor| editor.kill(0, point)),
            Key::Control(b'W') => self.joined(killed, |editor| {
                let from = editor.buffer.blank_left(point);
                editor.kill(from, point);
            }),
            Key::Meta(b'd') => self.joined(killed, |editor| {
                let to = editor.buffer.word_right(point);
                editor.kill(point, to);
            }),
            Key::Meta(0x7f | 8) => self.joined(killed, |editor| {
                let from = editor.buffer.word_left(point);
                editor.kill(from, point);
            }),
            Key::Control(b'Y') => {
                let text = self.shell.editor.kills.newest();
                self.buffer.insert(&text);
            }
            Key::Meta(b'y') if matches!(self.last, Some(Key::Control(b'Y') | Key::Meta(b'y'))) => {
                self.buffer.undo();
                self.shell.editor.kills.rotate();
                let text = self.shell.editor.kills.newest();
                self.buffer.insert(&text);
            }
            Key::Control(b'T') => self.transpose(),
            Key::Meta(b't') => self.transpose_words(),
            Key::Meta(letter @ (b'u' | b'l' | b'c')) => self.change_case(*letter),
            Key::Control(b'_') => self.undo_or_ring(),
            Key::Control(b'X') => self.second_key(),
            Key::Meta(b'r') => self.buffer.undo_all(),
            Key::Control(b'L') => self.screen.clear(),
            Key::Up | Key::Control(b'P') => self.repeat(count, |editor| editor.history_by(false)),
            Key::Down | Key::Control(b'N') => self.repeat(count, |editor| editor.history_by(true)),
            Key::Meta(b'<') => self.show_history(0),
            Key::Meta(b'>') => self.show_history(self.shell.history.len()),
            Key::Control(b'R') => return self.search(false),
            Key::Control(b'S') => return self.search(true),
            Key::Meta(b'p') | Key::PageUp => self.search_start(false),
            Key::Meta(b'n') | Key::PageDown => self.search_start(true),
            Key::Meta(b'.' | b'_') => self.last_argument(argument),
            Key::Control(b'O') => {
                self.shell.editor.next = Some(self.place + 1).filter(|next| *next < self.shell.history.len());
                // The line that is run is added to the history, which may drop its first one.
                return self.accept();
            }
            Key::Control(b'V' | b'Q') => {
                if let Ok(byte) = self.keys.byte() {
                    self.buffer.insert(&[byte]);
                }
            }
            Key::Meta(b'#') => {
                self.buffer.move_to(0);
                self.buffer.insert(b"#");
                return self.accept();
            }
            Key::Meta(b'\\') => {
                let blank = |byte: Option<&u8>| matches!(byte, Some(b' ' | b'\t'));
                let text = self.buffer.text();
                let (mut from, mut to) = (point, point);
                while from > 0 && blank(text.get(from - 1)) {
                    from -= 1;
                }
                while blank(text.get(to)) {
                    to += 1;
                }
                self.buffer.change(from, to, b"");
            }
            Key::Control(b'G') => self.screen.bell(),
            _ => self.screen.bell(),
        }
        Next::Edit
    }

    /// Does something several times, until it fails.
    fn repeat(&mut self, count: usize, mut step: impl FnMut(&mut Self) -> bool) {
        for _ in 0..count {
            if !step(self) {
                self.screen.bell();
                break;
            }
        }
    }

    fn go(&mut self, to: impl Fn(&Buffer, usize) -> usize) -> bool {
        let point = self.buffer.point();
        let new = to(&self.buffer, point);
        self.buffer.move_to(new);
        new != point
    }

    fn delete(&mut self, from: usize, to: usize) -> bool {
        if from < to {
            self.buffer.change(from, to, b"");
        }
        from < to
    }

    /// Removes text and keeps it.
    fn kill(&mut self, from: usize, to: usize) {
        self.buffer.kill(from, to, &mut self.shell.editor.kills);
        self.shell.editor.kills.joins = true;
    }

    /// Removes text that belongs to what the last key removed.
    fn joined(&mut self, killed: bool, remove: impl FnOnce(&mut Self)) {
        self.shell.editor.kills.joins = killed;
        remove(self);
    }

    fn accept(&mut self) -> Next {
        let end = self.buffer.text().len();
        self.buffer.move_to(end);
        self.draw();
        self.screen.leave();
        Next::Done(Typed::Line(std::mem::take(&mut self.buffer.now.text)))
    }

    fn undo_or_ring(&mut self) {
        if !self.buffer.undo() {
            self.screen.bell();
        }
    }

    /// The key after Ctrl-X.
    fn second_key(&mut self) {
        match self.keys.next_key() {
            Ok(Key::Control(b'U')) => self.undo_or_ring(),
            Ok(Key::Backspace) => {
                let point = self.buffer.point();
                self.kill(0, point);
            }
            _ => self.screen.bell(),
        }
    }

    fn transpose(&mut self) {
        let end = self.buffer.text().len();
        let mut point = self.buffer.point();
        if point == end {
            point = self.buffer.left(point);
        }
        let (from, to) = (self.buffer.left(point), self.buffer.right(point));
        if from == point {
            self.screen.bell();
            return;
        }
        let text = self.buffer.text();
        let swapped = [text.get(point..to), text.get(from..point)].map(Option::unwrap_or_default).concat();
        self.buffer.change(from, to, &swapped);
    }

    fn transpose_words(&mut self) {
        let point = self.buffer.point();
        let second_end = self.buffer.word_right(point);
        let second = self.buffer.word_left(second_end);
        let first = self.buffer.word_left(second);
        let first_end = self.buffer.word_right(first);
        if first_end > second || first == second {
            self.screen.bell();
            return;
        }
        let part = |from: usize, to: usize| self.buffer.text().get(from..to).unwrap_or_default();
        let swapped = [part(second, second_end), part(first_end, second), part(first, first_end)].concat();
        self.buffer.change(first, second_end, &swapped);
    }

    fn change_case(&mut self, how: u8) {
        let point = self.buffer.point();
        let to = self.buffer.word_right(point);
        let word = self.buffer.text().get(point..to).unwrap_or_default();
        let changed = match how {
            b'u' => crate::text::to_case(word, true),
            b'l' => crate::text::to_case(word, false),
            _ => {
                let start = word.iter().position(|byte| byte.is_ascii_alphanumeric()).unwrap_or(0);
                let (before, rest) = word.split_at(start.min(word.len()));
                let first = crate::text::char_len(rest).min(rest.len());
                let (first, others) = rest.split_at(first);
                [before, &crate::text::to_case(first, true), &crate::text::to_case(others, false)].concat()
            }
        };
        self.buffer.change(point, to, &changed);
    }

    /// Shows a line of the history, or the new line.
    fn show_history(&mut self, place: usize) {
        let place = place.min(self.shell.history.len());
        let text = std::mem::take(&mut self.buffer.now).text;
        let stored = self.shell.history.get(self.place).map(|entry| &entry.line);
        if stored != Some(&text) {
            self.changed.insert(self.place, text);
        } else {
            self.changed.remove(&self.place);
        }
        self.place = place;
        let stored = || self.shell.history.get(place).map(|entry| entry.line.clone());
        let shown = self.changed.get(&place).cloned().or_else(stored);
        self.buffer.replace(shown.unwrap_or_default());
    }

    fn history_by(&mut self, newer: bool) -> bool {
        let place = match newer {
            true => Some(self.place + 1).filter(|place| *place <= self.shell.history.len()),
            false => self.place.checked_sub(1),
        };
        if let Some(place) = place {
            self.show_history(place);
        }
        place.is_some()
    }

    /// Shows the next line of the history that begins with what is before the point.
    fn search_start(&mut self, newer: bool) {
        let start = self.buffer.before().to_vec();
        let begins = |place: &usize| {
            self.shell.history.get(*place).is_some_and(|entry| {
                entry.line.starts_with(&start) && entry.line.as_slice() != self.buffer.text()
            })
        };
        let found = match newer {
            true => (self.place + 1..self.shell.history.len()).find(begins),
            false => (0..self.place).rev().find(begins),
        };
        match found {
            Some(place) => {
                self.show_history(place);
                self.buffer.move_to(start.len());
            }
            None => self.screen.bell(),
        }
    }

    /// Inserts the last word of the line before; repeated, that of the line before that.
    fn last_argument(&mut self, before: Option<(usize, usize, usize)>) {
        let (place, from, to) = match before {
            Some((place, from, to)) => (place, from, to),
            None => (self.shell.history.len(), self.buffer.point(), self.buffer.point()),
        };
        let Some(place) = place.checked_sub(1) else {
            self.screen.bell();
            self.argument = before;
            return;
        };
        let line = self.shell.history.get(place).map(|entry| entry.line.clone()).unwrap_or_default();
        let word = context::last_word(&line);
        self.buffer.change(from, to, &word);
        self.argument = Some((place, from, from + word.len()));
    }

    fn keep_state(&self) -> (State, usize) {
        (self.buffer.now.clone(), self.place)
    }
}
