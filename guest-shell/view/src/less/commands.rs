//! Keys.

use super::options::Start;
use super::search::Search;
use super::{Less, Place, open};
use crate::text::Text;
use sandshell_posix::process;
use sandshell_sys::{self as sys, Errno, open_flags, signal};
use sandshell_terminal::Key;
use std::time::Duration;

/// How often a file is looked at that may grow.
const GROWS: Duration = Duration::from_millis(500);

/// What is to be done after a key.
enum Next {
    Go,
    Quit,
}

impl Less {
    /// Goes where the command line says.
    pub(super) fn begin(&mut self, start: Option<Start>) {
        match start {
            None => {}
            Some(Start::Line(line)) => self.top = Place { line: line.saturating_sub(1), row: 0 },
            Some(Start::End) => self.top = self.last_top(),
            Some(Start::Follow) => {
                self.top = self.last_top();
                self.follow();
            }
            Some(Start::Pattern(pattern)) => match Search::new(&pattern, false, self.options.ignore_case) {
                Ok(search) => {
                    self.search = Some(search);
                    self.find(1, false, true);
                }
                Err(problem) => self.message = Some(problem),
            },
        }
    }

    /// Shows the text until the user has seen enough. Returns the exit status.
    pub(super) fn run(&mut self) -> i32 {
        let mut count: Option<usize> = None;
        loop {
            let shown = match count {
                Some(count) => format!(":{count}").into_bytes(),
                None => self.prompt(),
            };
            self.draw(&shown);
            let key = match self.keys.next_key() {
                Ok(key) => key,
                Err(Errno::INTR) => {
                    if !self.only_resized() {
                        count = None;
                    }
                    continue;
                }
                Err(_) => return 1,
            };
            if let Key::Text(text) = &key
                && let [digit @ b'0'..=b'9'] = text.as_slice()
            {
                let number = count.unwrap_or(0).saturating_mul(10).saturating_add(usize::from(digit - b'0'));
                count = Some(number.min(1 << 30));
                continue;
            }
            match self.key(&key, count.take()) {
                Next::Go => {}
                Next::Quit => return 0,
            }
        }
    }

    /// Takes signals. False if one of them was Ctrl-C.
    pub(super) fn only_resized(&mut self) -> bool {
        let mut only = true;
        while let Some(number) = sys::sigtake() {
            match number {
                signal::SIGWINCH => drop(self.canvas.refresh()),
                _ => only = false,
            }
        }
        only
    }

    fn key(&mut self, key: &Key, count: Option<usize>) -> Next {
        let page = self.page();
        let lines = count.unwrap_or(1);
        match key {
            Key::Text(text) => return self.letter(text, count),
            Key::Enter | Key::Down | Key::Control(b'N' | b'E' | b'J') => return self.forward(lines),
            Key::Up | Key::Control(b'P' | b'Y' | b'K') => self.back(lines),
            Key::PageDown | Key::Control(b'F' | b'V') => {
                return self.forward(count.or(self.window).unwrap_or(page));
            }
            Key::PageUp | Key::Control(b'B') | Key::Meta(b'v') => {
                self.back(count.or(self.window).unwrap_or(page))
            }
            Key::Control(b'D') => return self.half(count, true),
            Key::Control(b'U') => return self.half(count, false),
            Key::Home | Key::Meta(b'<') => self.go_to_line(count.unwrap_or(1)),
            Key::End | Key::Meta(b'>') => self.go_to_end(count),
            Key::Right => {
                self.options.chop = true;
                self.top.row = 0;
                self.left = self.left.saturating_add(count.unwrap_or(self.canvas.size().1 / 2)).min(1 << 30);
            }
            Key::Left => self.left = self.left.saturating_sub(count.unwrap_or(self.canvas.size().1 / 2)),
            Key::Control(b'L' | b'R') => drop(self.canvas.refresh()),
            Key::Control(b'G') => self.message = Some(self.position()),
            Key::Meta(b'u') => {
                self.options.highlight = !self.options.highlight;
                self.canvas.refresh();
            }
            _ => self.canvas.bell(),
        }
        Next::Go
    }

    fn letter(&mut self, text: &[u8], count: Option<usize>) -> Next {
        let page = self.page();
        let lines = count.unwrap_or(1);
        match text {
            b"q" | b"Q" => return Next::Quit,
            b" " | b"f" => return self.forward(count.or(self.window).unwrap_or(page)),
            b"z" => {
                self.window = count.or(self.window);
                return self.forward(self.window.unwrap_or(page));
            }
            b"w" => {
                self.window = count.or(self.window);
                self.back(self.window.unwrap_or(page));
            }
            b"b" => self.back(count.or(self.window).unwrap_or(page)),
            b"e" | b"j" => return self.forward(lines),
            b"J" => self.top = self.further(self.top, lines),
            b"y" | b"k" | b"K" | b"Y" => self.back(lines),
            b"d" => return self.half(count, true),
            b"u" => return self.half(count, false),
            b"g" | b"<" => self.go_to_line(count.unwrap_or(1)),
            b"G" | b">" => self.go_to_end(count),
            b"p" | b"%" => self.go_to_percent(count.unwrap_or(0)),
            b"/" => self.ask_for(false, count),
            b"?" => self.ask_for(true, count),
            b"n" => self.find(lines, false, false),
            b"N" => self.find(lines, true, false),
            b"r" | b"R" => drop(self.canvas.refresh()),
            b"F" => {
                self.top = self.last_top();
                self.follow();
            }
            b"=" => self.message = Some(self.position()),
            b"h" | b"H" => self.help(),
            b"m" => self.mark(),
            b"'" => self.go_to_mark(),
            b"-" => self.toggle(),
            b"v" => self.edit(),
            b":" => return self.colon(lines),
            b"V" => self.message = Some("less 590 (this is sandshell's own program)".to_owned()),
            b"Z" => {
                if matches!(self.keys.next_key(), Ok(Key::Text(text)) if text == b"Z") {
                    return Next::Quit;
                }
                self.canvas.bell();
            }
            b"!" | b"|" | b"#" | b"&" | b"s" => self.message = Some("Command not available".to_owned()),
            _ => self.canvas.bell(),
        }
        Next::Go
    }

    fn forward(&mut self, rows: usize) -> Next {
        if self.bottom().is_none() {
            // Once more at the end: the next file, or enough.
            if self.options.quit_at_end
                || std::mem::replace(&mut self.at_end, true) && self.options.quit_at_second_end
            {
                return if self.file + 1 < self.files.len() { self.other_file(1) } else { Next::Quit };
            }
            self.canvas.bell();
            return Next::Go;
        }
        self.at_end = false;
        for _ in 0..rows {
            if self.bottom().is_none() {
                break;
            }
            let Some(next) = self.next(self.top) else { break };
            self.top = next;
        }
        Next::Go
    }

    fn back(&mut self, rows: usize) {
        if self.top == Place::default() {
            self.canvas.bell();
        }
        self.top = self.earlier(self.top, rows);
    }

    fn half(&mut self, count: Option<usize>, forward: bool) -> Next {
        self.half = count.or(self.half);
        let rows = self.half.unwrap_or(self.page() / 2).max(1);
        if forward {
            return self.forward(rows);
        }
        self.back(rows);
        Next::Go
    }

    fn go_to_line(&mut self, number: usize) {
        let line = number.saturating_sub(1);
        if self.text.line(line).is_none() {
            self.message = Some(format!("Cannot seek to line number {number}"));
            return;
        }
        let place = Place { line, row: 0 };
        let last = if self.text.is_complete() { self.last_top() } else { place };
        self.jump(place.min(last));
    }

    fn go_to_end(&mut self, count: Option<usize>) {
        match count {
            Some(number) => self.go_to_line(number),
            None => {
                let place = self.last_top();
                self.jump(place);
                if let Some(problem) = self.text.problem {
                    self.message = Some(format!("read error: {problem}"));
                }
            }
        }
    }

    fn go_to_percent(&mut self, percent: usize) {
        self.text.count();
        let offset = self.text.bytes_read() as u64 * percent.min(100) as u64 / 100;
        let line = self.text.line_at(usize::try_from(offset).unwrap_or(usize::MAX));
        let last = self.last_top();
        self.jump(Place { line, row: 0 }.min(last));
    }

    fn ask_for(&mut self, backwards: bool, count: Option<usize>) {
        let label = if backwards { "?" } else { "/" };
        let Some(pattern) = self.ask(label) else { return };
        if pattern.is_empty() {
            match &mut self.search {
                Some(search) => search.backwards = backwards,
                None => {
                    self.message = Some("No previous regular expression".to_owned());
                    return;
                }
            }
        } else {
            match Search::new(&pattern, backwards, self.options.ignore_case) {
                Ok(search) => self.search = Some(search),
                Err(problem) => {
                    self.message = Some(problem);
                    return;
                }
            }
            self.canvas.refresh();
        }
        self.find(count.unwrap_or(1), false, false);
    }

    fn mark(&mut self) {
        self.draw(b"set mark: ");
        match self.keys.next_key() {
            Ok(Key::Text(text)) if text.len() == 1 && text.iter().all(u8::is_ascii_alphabetic) => {
                self.marks.extend(text.first().map(|letter| (*letter, self.top)));
            }
            _ => self.canvas.bell(),
        }
    }

    fn go_to_mark(&mut self) {
        self.draw(b"goto mark: ");
        let Ok(Key::Text(text)) = self.keys.next_key() else {
            self.canvas.bell();
            return;
        };
        match text.as_slice() {
            b"^" => self.jump(Place::default()),
            b"$" => self.go_to_end(None),
            [letter] => match self.marks.get(letter).copied() {
                Some(place) => self.jump(place),
                None => self.message = Some("Mark not set".to_owned()),
            },
            _ => self.canvas.bell(),
        }
    }

    fn toggle(&mut self) {
        self.draw(b"-");
        let Ok(Key::Text(text)) = self.keys.next_key() else { return };
        self.message = Some(self.options.toggle(&text));
        self.top.row = 0;
        self.canvas.refresh();
    }

    fn colon(&mut self, count: usize) -> Next {
        self.draw(b" :");
        match self.keys.next_key() {
            Ok(Key::Text(text)) => match text.as_slice() {
                b"n" => return self.other_file(count.cast_signed()),
                b"p" => return self.other_file(-count.cast_signed()),
                b"q" | b"Q" => return Next::Quit,
                b"x" => return self.other_file(-self.file.cast_signed()),
                b"f" => self.message = Some(self.position()),
                b"e" => {
                    if let Some(name) = self.ask("Examine: ").filter(|name| !name.is_empty()) {
                        self.files.insert(self.file + 1, name);
                        return self.other_file(1);
                    }
                }
                _ => self.canvas.bell(),
            },
            _ => self.canvas.bell(),
        }
        Next::Go
    }

    fn other_file(&mut self, by: isize) -> Next {
        let Some(file) = self.file.checked_add_signed(by).filter(|file| *file < self.files.len()) else {
            let which = if by > 0 { "next" } else { "previous" };
            self.message = Some(format!("No {which} file"));
            return Next::Go;
        };
        let name = self.files.get(file).cloned().unwrap_or_default();
        match open(&name) {
            Ok(fd) => {
                self.text = Text::of(fd);
                (self.file, self.top, self.left, self.is_new, self.at_end) =
                    (file, Place::default(), 0, true, false);
                self.marks.clear();
            }
            Err(problem) => self.message = Some(problem),
        }
        Next::Go
    }

    /// `F`: shows what is added to the file, until Ctrl-C.
    fn follow(&mut self) {
        let name = self.files.get(self.file).cloned().unwrap_or_default();
        loop {
            self.draw(b"\x1b[7mWaiting for data... (interrupt to abort)\x1b[27m");
            if name != b"-"
                && let Ok(fd) = sys::open(&name, open_flags::READ | open_flags::CLOEXEC, 0)
            {
                let read = i64::try_from(self.text.bytes_read()).unwrap_or(i64::MAX);
                let _ = sys::lseek(fd, read, 0);
                self.text.size = sys::fstat(fd).ok().map(|stat| stat.size);
                if self.text.follow(fd) {
                    self.top = self.last_top();
                    continue;
                }
            }
            match self.keys.next_within(GROWS) {
                Ok(None) => {}
                Err(Errno::INTR) if self.only_resized() => {}
                _ => return,
            }
        }
    }

    /// `v`: the file in an editor.
    fn edit(&mut self) {
        let name = self.files.get(self.file).cloned().unwrap_or_default();
        if name == b"-" {
            self.message = Some("Cannot edit standard input".to_owned());
            return;
        }
        let editor = ["VISUAL", "EDITOR"].into_iter().find_map(std::env::var_os);
        let editor = editor.map_or_else(|| b"vi".to_vec(), std::ffi::OsString::into_encoded_bytes);
        let line = format!("+{}", self.top.line + 1).into_bytes();
        self.canvas.suspend();
        let status = process::start(&[editor, line, name.clone()]).and_then(process::wait);
        if self.canvas.resume(self.keys.fd(), true).is_err() {
            return;
        }
        if let Err(error) = status {
            self.message = Some(format!("cannot start the editor: {error}"));
        }
        if let Ok(text) = Text::open(&name) {
            self.text = text;
        }
    }

    fn help(&mut self) {
        let help = Text::from_bytes(super::options::HELP.as_bytes().to_vec());
        let before = (std::mem::replace(&mut self.text, help), self.top, self.left);
        let (files, file) = (std::mem::replace(&mut self.files, vec![b"HELP".to_vec()]), self.file);
        (self.top, self.left, self.file) = (Place::default(), 0, 0);
        self.message = Some("HELP -- Press RETURN for more, or q when done".to_owned());
        self.run();
        (self.text, self.top, self.left) = before;
        (self.files, self.file) = (files, file);
    }
}
