//! The line discipline: what becomes of keys and of output. It knows neither processes nor the host.

use std::collections::VecDeque;

use super::termios::{Termios, input, local, output, special};

/// The signals of keys.
const SIGINT: u32 = 2;
const SIGQUIT: u32 = 3;
const SIGTSTP: u32 = 20;

/// The longest line that can be edited, without its end. What is typed beyond is dropped.
const LINE: usize = 4095;
/// How much may wait to be read before keys stay with the host.
const UNREAD: usize = 64 << 10;

/// The state of a terminal.
#[derive(Default)]
pub(super) struct Discipline {
    modes: Termios,
    /// What can be read. While lines are edited, each part is a line; an empty one is an end of file.
    unread: VecDeque<Vec<u8>>,
    /// Bytes in `unread`; an empty part counts as one.
    waiting: usize,
    /// The line that is being typed.
    line: Vec<u8>,
    /// The next key has no special meaning.
    literal: bool,
    /// What is to be shown.
    pub(super) shown: VecDeque<u8>,
    /// The screen's column, as far as it can be known.
    column: usize,
    /// Where the line began.
    margin: usize,
    /// Output waits for Ctrl-Q.
    pub(super) stopped: bool,
}

impl Discipline {
    pub(super) fn modes(&self) -> &Termios {
        &self.modes
    }

    /// Changes the settings. What was typed and not read is kept.
    pub(super) fn set_modes(&mut self, modes: Termios) {
        let edits = modes.local(local::ICANON);
        if self.modes.local(local::ICANON) != edits {
            if edits {
                self.make_lines(modes.input(input::ICRNL) && !modes.input(input::IGNCR));
            } else if !self.line.is_empty() {
                let line = std::mem::take(&mut self.line);
                self.push(line);
            }
            self.literal = false;
        }
        if !modes.input(input::IXON) {
            self.stopped = false;
        }
        self.modes = modes;
    }

    /// Whether there is room for more keys.
    pub(super) fn has_room(&self) -> bool {
        self.waiting < UNREAD
    }

    /// Takes keys. Returns the signals for the foreground.
    pub(super) fn receive(&mut self, keys: &[u8]) -> Vec<u32> {
        keys.iter().filter_map(|key| self.key(*key)).collect()
    }

    /// Forgets what was typed and not read.
    pub(super) fn flush_input(&mut self) {
        self.unread.clear();
        self.line.clear();
        self.waiting = 0;
        self.literal = false;
    }

    /// Forgets what was not shown yet.
    pub(super) fn flush_output(&mut self) {
        self.shown.clear();
    }

    /// How many bytes a read would get now; `None` if it would have to wait. Without line editing it waits for `least`
    /// bytes.
    pub(super) fn readable(&self, least: usize) -> Option<usize> {
        if self.modes.local(local::ICANON) {
            return self.unread.front().map(Vec::len);
        }
        (self.waiting >= least).then_some(self.waiting)
    }

    /// Reads what is there: of edited lines at most one.
    pub(super) fn read(&mut self, buf: &mut [u8]) -> usize {
        let one = self.modes.local(local::ICANON);
        let mut count = 0;
        while let Some(part) = self.unread.front_mut() {
            let room = buf.get_mut(count..).unwrap_or_default();
            let taken = part.len().min(room.len());
            for (to, from) in room.iter_mut().zip(part.iter()) {
                *to = *from;
            }
            count += taken;
            self.waiting = self.waiting.saturating_sub(taken.max(usize::from(part.is_empty())));
            if taken < part.len() {
                part.drain(..taken);
                break;
            }
            self.unread.pop_front();
            if one || count == buf.len() {
                break;
            }
        }
        count
    }

    /// Takes output of a program.
    pub(super) fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.show(*byte);
        }
    }

    fn key(&mut self, mut key: u8) -> Option<u32> {
        if std::mem::take(&mut self.literal) {
            self.echo(key);
            self.add(key);
            return None;
        }
        if self.modes.input(input::ISTRIP) {
            key &= 0x7f;
        }
        if self.modes.input(input::IXON) {
            if self.modes.is(key, special::START) {
                self.stopped = false;
                return None;
            }
            if self.modes.is(key, special::STOP) {
                self.stopped = true;
                return None;
            }
            if self.modes.input(input::IXANY) {
                self.stopped = false;
            }
        }
        if let Some(signal) = self.signal(key) {
            if !self.modes.local(local::NOFLSH) {
                self.flush_input();
                self.flush_output();
            }
            self.stopped = false;
            self.echo(key);
            return Some(signal);
        }
        match key {
            b'\r' if self.modes.input(input::IGNCR) => return None,
            b'\r' if self.modes.input(input::ICRNL) => key = b'\n',
            b'\n' if self.modes.input(input::INLCR) => key = b'\r',
            _ => {}
        }
        if self.modes.local(local::ICANON) {
            self.edit(key);
        } else {
            self.echo(key);
            self.add(key);
        }
        None
    }

    fn signal(&self, key: u8) -> Option<u32> {
        let signals = [(special::INTR, SIGINT), (special::QUIT, SIGQUIT), (special::SUSP, SIGTSTP)];
        let is = |(index, _): &(usize, u32)| self.modes.local(local::ISIG) && self.modes.is(key, *index);
        signals.into_iter().find(is).map(|(_, signal)| signal)
    }

    /// A key while lines are edited.
    fn edit(&mut self, key: u8) {
        let extended = self.modes.local(local::IEXTEN);
        let echo = self.modes.local(local::ECHO);
        if self.modes.is(key, special::ERASE) {
            if !self.line.is_empty() {
                self.erase(key);
            }
        } else if self.modes.is(key, special::KILL) {
            self.kill(key);
        } else if extended && self.modes.is(key, special::WERASE) {
            self.erase_word(key);
        } else if extended && self.modes.is(key, special::LNEXT) {
            self.literal = true;
            if echo && self.modes.local(local::ECHOCTL) {
                self.shown.extend(b"^\x08");
            }
        } else if extended && echo && self.modes.is(key, special::REPRINT) {
            self.echo(key);
            self.show(b'\n');
            self.margin = self.column;
            for byte in self.line.clone() {
                self.echo(byte);
            }
        } else if self.modes.is(key, special::EOF) {
            self.end_line();
        } else if key == b'\n' {
            if echo || self.modes.local(local::ECHONL) {
                self.show(b'\n');
            }
            self.line.push(b'\n');
            self.end_line();
        } else {
            let ends = self.modes.is(key, special::EOL) || extended && self.modes.is(key, special::EOL2);
            if self.line.len() >= LINE && !ends {
                if self.modes.input(input::IMAXBEL) {
                    self.shown.push_back(7);
                }
                return;
            }
            self.echo(key);
            self.line.push(key);
            if ends {
                self.end_line();
            }
        }
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        self.push(line);
    }

    /// Makes lines of what was typed before lines were edited. The last one may have no end. A carriage return from
    /// then ends a line too if it would now (`returns`). Linux keeps it, but who types ahead cannot know when the shell
    /// has given the terminal to its command.
    fn make_lines(&mut self, returns: bool) {
        let mut all: Vec<u8> = self.unread.drain(..).flatten().collect();
        self.waiting = 0;
        if returns {
            all.iter_mut().filter(|key| **key == b'\r').for_each(|key| *key = b'\n');
        }
        for line in all.split_inclusive(|key| *key == b'\n') {
            self.push(line.to_vec());
        }
    }

    /// Adds a byte to what is typed.
    fn add(&mut self, byte: u8) {
        if self.modes.local(local::ICANON) {
            if self.line.len() < LINE {
                self.line.push(byte);
            }
        } else if let Some(last) = self.unread.back_mut() {
            last.push(byte);
            self.waiting += 1;
        } else {
            self.push(vec![byte]);
        }
    }

    fn push(&mut self, part: Vec<u8>) {
        self.waiting += part.len().max(1);
        self.unread.push_back(part);
    }

    /// Removes the last character of the line, which is not empty.
    fn erase(&mut self, key: u8) {
        let before = self.width();
        while let Some(byte) = self.line.pop() {
            // The rest of a character of several bytes goes with it.
            if !(self.modes.input(input::IUTF8) && (0x80..0xc0).contains(&byte)) {
                break;
            }
        }
        if !self.modes.local(local::ECHO) {
            return;
        }
        if !self.modes.local(local::ECHOE) {
            self.echo(key);
            return;
        }
        let columns = before - self.width();
        for _ in 0..columns {
            self.shown.extend(b"\x08 \x08");
        }
        self.column = self.column.saturating_sub(columns);
    }

    fn kill(&mut self, key: u8) {
        let erases = [local::ECHO, local::ECHOK, local::ECHOE, local::ECHOKE];
        if erases.into_iter().all(|flag| self.modes.local(flag)) {
            while !self.line.is_empty() {
                self.erase(key);
            }
            return;
        }
        self.line.clear();
        self.echo(key);
        if self.modes.local(local::ECHO) && self.modes.local(local::ECHOK) {
            self.show(b'\n');
        }
    }

    fn erase_word(&mut self, key: u8) {
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80;
        while self.line.last().is_some_and(|byte| !is_word(byte)) {
            self.erase(key);
        }
        while self.line.last().is_some_and(is_word) {
            self.erase(key);
        }
    }

    /// How many columns the line takes.
    fn width(&self) -> usize {
        let mut column = self.margin;
        for byte in &self.line {
            column += match byte {
                b'\t' => 8 - column % 8,
                0..0x20 | 0x7f => 2 * usize::from(self.modes.local(local::ECHOCTL)),
                0x80..0xc0 if self.modes.input(input::IUTF8) => 0,
                _ => 1,
            };
        }
        column - self.margin
    }

    /// Shows a key.
    fn echo(&mut self, key: u8) {
        // Nobody sees what a screen that takes nothing would show.
        if !self.modes.local(local::ECHO) || self.shown.len() >= UNREAD {
            return;
        }
        if self.line.is_empty() {
            self.margin = self.column;
        }
        match key {
            0..0x20 | 0x7f if self.modes.local(local::ECHOCTL) && !matches!(key, b'\t' | b'\n') => {
                self.show(b'^');
                self.show(key ^ 0x40);
            }
            _ => self.show(key),
        }
    }

    /// Shows a byte of output.
    fn show(&mut self, byte: u8) {
        if !self.modes.output(output::OPOST) {
            self.shown.push_back(byte);
            return;
        }
        match byte {
            b'\n' => {
                if self.modes.output(output::ONLCR) {
                    self.shown.push_back(b'\r');
                }
                if self.modes.output(output::ONLCR | output::ONLRET) {
                    self.column = 0;
                }
                self.shown.push_back(b'\n');
            }
            b'\r' if self.modes.output(output::ONOCR) && self.column == 0 => {}
            b'\r' if self.modes.output(output::OCRNL) => {
                if self.modes.output(output::ONLRET) {
                    self.column = 0;
                }
                self.shown.push_back(b'\n');
            }
            b'\r' => {
                self.column = 0;
                self.shown.push_back(b'\r');
            }
            b'\t' => {
                let spaces = 8 - self.column % 8;
                self.column += spaces;
                if self.modes.oflag & output::TABDLY == output::XTABS {
                    self.shown.extend(std::iter::repeat_n(b' ', spaces));
                } else {
                    self.shown.push_back(b'\t');
                }
            }
            8 => {
                self.column = self.column.saturating_sub(1);
                self.shown.push_back(8);
            }
            _ => {
                let continues = self.modes.input(input::IUTF8) && (0x80..0xc0).contains(&byte);
                self.column += usize::from(byte >= 0x20 && byte != 0x7f && !continues);
                self.shown.push_back(byte);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(keys: &[u8]) -> (Discipline, Vec<u32>) {
        let mut discipline = Discipline::default();
        let signals = discipline.receive(keys);
        (discipline, signals)
    }

    fn shown(discipline: &mut Discipline) -> String {
        String::from_utf8(discipline.shown.drain(..).collect()).unwrap()
    }

    fn line(discipline: &mut Discipline) -> Option<String> {
        discipline.readable(1)?;
        let mut buf = [0; 8192];
        let count = discipline.read(&mut buf);
        Some(String::from_utf8(buf[..count].to_vec()).unwrap())
    }

    #[test]
    fn a_line_is_edited_and_shown() {
        let (mut tty, signals) = typed("aé\x7f\x7fx\ty\x7f\x7fz one two\x17\rrest".as_bytes());
        assert!(signals.is_empty());
        assert_eq!(line(&mut tty).unwrap(), "xz one \n");
        assert_eq!(line(&mut tty), None);
        let erased = |columns| "\x08 \x08".repeat(columns);
        let expected = format!(
            "aé{}{}x\ty{}{}z one two{}\r\nrest",
            erased(1),
            erased(1),
            erased(1),
            erased(7),
            erased(3)
        );
        assert_eq!(shown(&mut tty), expected);
    }

    #[test]
    fn signal_keys_drop_what_was_typed() {
        let (mut tty, signals) = typed(b"abc\x03d\x1c\x1ae\n");
        assert_eq!(signals, [SIGINT, SIGQUIT, SIGTSTP]);
        assert_eq!(line(&mut tty).unwrap(), "e\n");
        assert_eq!(shown(&mut tty), "^Ze\r\n");
    }

    #[test]
    fn what_was_typed_before_lines_were_edited_is_lines() {
        let edited = Termios::default();
        let mut raw = edited.clone();
        raw.iflag &= !input::ICRNL;
        raw.lflag &= !(local::ICANON | local::ECHO);
        let lines = |after: &Termios| {
            let mut tty = Discipline::default();
            tty.set_modes(raw.clone());
            tty.receive(b"one\rtwo\nthr");
            tty.set_modes(after.clone());
            tty.receive(b"ee\r");
            std::iter::from_fn(|| line(&mut tty)).collect::<Vec<String>>()
        };
        assert_eq!(lines(&edited), ["one\n", "two\n", "thr", "ee\n"]);
        let kept = Termios { iflag: raw.iflag, ..edited.clone() };
        assert_eq!(lines(&kept), ["one\rtwo\n", "thr"]);
    }

    #[test]
    fn the_end_key_ends_a_line_or_the_file() {
        let (mut tty, _) = typed(b"ab\x04\x04c\n");
        let lines: Vec<String> = std::iter::from_fn(|| line(&mut tty)).collect();
        assert_eq!(lines, ["ab", "", "c\n"]);
    }

    #[test]
    fn a_literal_key_has_no_meaning() {
        let (mut tty, signals) = typed(b"\x16\x03\x16\x7f\n");
        assert!(signals.is_empty());
        assert_eq!(line(&mut tty).unwrap(), "\x03\x7f\n");
        assert_eq!(shown(&mut tty), "^\x08^C^\x08^?\r\n");
    }

    #[test]
    fn raw_keys_pass_as_they_are() {
        let mut tty = Discipline::default();
        tty.receive(b"before");
        let raw = tty.modes().with_raw(true);
        tty.set_modes(raw);
        assert!(tty.receive(b"\x03\x7f").is_empty());
        assert_eq!(tty.readable(9), None);
        assert_eq!(line(&mut tty).unwrap(), "before\x03\x7f");
        // What was typed ahead is a line for the next program.
        tty.receive(b"ahead");
        tty.set_modes(Termios::default());
        assert_eq!(line(&mut tty).unwrap(), "ahead");
    }

    #[test]
    fn no_line_is_longer_than_its_limit() {
        let (mut tty, _) = typed(&[&[b'x'; 10_000][..], b"\n"].concat());
        assert_eq!(line(&mut tty).unwrap().len(), LINE + 1);
        let lines = vec![b'\n'; UNREAD];
        assert!(tty.has_room());
        tty.receive(&lines);
        assert!(!tty.has_room());
    }

    #[test]
    fn output_is_processed_as_it_was_asked_for() {
        let mut tty = Discipline::default();
        tty.write(b"a\tb\n");
        assert_eq!(shown(&mut tty), "a\tb\r\n");
        let mut modes = Termios::default();
        modes.oflag |= output::XTABS;
        tty.set_modes(modes.clone());
        tty.write(b"ab\tc\r");
        assert_eq!(shown(&mut tty), "ab      c\r");
        modes.oflag = 0;
        tty.set_modes(modes);
        tty.write(b"a\n");
        assert_eq!(shown(&mut tty), "a\n");
    }

    #[test]
    fn stopped_output_goes_on_after_its_key() {
        let (mut tty, _) = typed(b"\x13");
        assert!(tty.stopped);
        tty.receive(b"\x11");
        assert!(!tty.stopped);
    }
}
