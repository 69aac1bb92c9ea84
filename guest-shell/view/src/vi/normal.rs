//! Commands of single keys.

use super::motion;
use super::{At, Kind, Mode, Register, Vi};
use sandshell_regex::{Flags, Regex, Syntax};
use sandshell_terminal::Key;

/// The largest repetition.
const COUNT: usize = 1_000_000;

/// What an operator does with text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Delete,
    Change,
    Copy,
    Right,
    Left,
    Upper,
    Lower,
    Swap,
}

/// The start of a command.
#[derive(Clone, Copy, Debug, Default)]
struct Prefix {
    count: Option<usize>,
    register: u8,
}

impl Prefix {
    fn count(self) -> usize {
        self.count.unwrap_or(1)
    }
}

impl Vi {
    /// Reads a number and a register, and the key after them.
    fn prefix(&mut self, first: Key) -> Option<(Prefix, Key)> {
        let mut prefix = Prefix::default();
        let mut key = first;
        loop {
            match letter(&key) {
                Some(digit @ b'0'..=b'9') if digit != b'0' || prefix.count.is_some() => {
                    let count = prefix.count.unwrap_or(0) * 10 + usize::from(digit - b'0');
                    prefix.count = Some(count.min(COUNT));
                }
                Some(b'"') => prefix.register = letter(&self.next_key()?)?,
                _ => return Some((prefix, key)),
            }
            key = self.next_key()?;
        }
    }

    /// Acts on a command that begins with `first`.
    pub(super) fn normal(&mut self, first: Key) {
        self.message.clear();
        let Some((prefix, key)) = self.prefix(first) else { return };
        if let Mode::Visual { lines } = self.mode {
            self.visual(prefix, &key, lines);
            return;
        }
        let changes = self.act(prefix, &key);
        if changes {
            self.last_change = std::mem::take(&mut self.recorded);
        }
    }

    /// Returns whether `.` repeats the command.
    fn act(&mut self, prefix: Prefix, key: &Key) -> bool {
        let count = prefix.count();
        if let Some(operator) = self.operator(key) {
            return self.operate(prefix, operator, key);
        }
        match key {
            Key::Control(b'R') => self.take_back(false, count),
            Key::Control(b'L') => drop(self.canvas.refresh()),
            Key::Control(b'G') => self.report(),
            Key::Control(b'E') => self.scroll(count.cast_signed()),
            Key::Control(b'Y') => self.scroll(-count.cast_signed()),
            Key::Control(b'Z') => self.message = "Use :q to leave".to_owned(),
            Key::Control(b'C') | Key::Escape => {}
            Key::Delete => return self.shortcut(prefix, Operator::Delete, b"l"),
            Key::Insert => {
                self.insert(Mode::Insert, count);
                return true;
            }
            _ => match letter(key) {
                Some(letter) => return self.letter(prefix, letter, key),
                None => self.move_by(prefix, key),
            },
        }
        false
    }

    fn letter(&mut self, prefix: Prefix, letter: u8, key: &Key) -> bool {
        let count = prefix.count();
        match letter {
            b'i' => self.insert(Mode::Insert, count),
            b'I' => {
                let text = self.buffer.line(self.cursor.line);
                let byte = text.iter().position(|b| !matches!(b, b' ' | b'\t')).unwrap_or(text.len());
                self.cursor.byte = byte;
                self.insert(Mode::Insert, count);
            }
            b'a' => {
                self.cursor = self.buffer.right(self.cursor).unwrap_or(self.cursor);
                self.insert(Mode::Insert, count);
            }
            b'A' => {
                self.cursor.byte = self.buffer.line(self.cursor.line).len();
                self.insert(Mode::Insert, count);
            }
            b'o' | b'O' => self.open_line(letter == b'o'),
            b'R' => self.insert(Mode::Replace, 1),
            b'x' => return self.shortcut(prefix, Operator::Delete, b"l"),
            b'X' => return self.shortcut(prefix, Operator::Delete, b"h"),
            b's' => return self.shortcut(prefix, Operator::Change, b"l"),
            b'D' => return self.shortcut(prefix, Operator::Delete, b"$"),
            b'C' => return self.shortcut(prefix, Operator::Change, b"$"),
            b'S' => return self.shortcut(prefix, Operator::Change, b"c"),
            b'Y' => {
                self.shortcut(prefix, Operator::Copy, b"y");
                return false;
            }
            b'r' => return self.replace_character(count),
            b'~' => {
                let from = self.cursor;
                let mut to = from;
                for _ in 0..count {
                    to = self.buffer.right(to).unwrap_or(to);
                }
                self.apply(Operator::Swap, from, to);
                self.go(to);
            }
            b'J' => {
                let last = (self.cursor.line + count.max(2) - 1).min(self.buffer.last());
                self.join(self.cursor.line, last);
            }
            b'p' | b'P' => self.put(prefix, letter == b'p'),
            b'.' => {
                let keys = self.last_change.clone();
                for _ in 0..count.min(1000) {
                    self.fed.extend(keys.iter().rev().cloned());
                    if let Some(first) = self.fed.pop() {
                        self.recorded.clear();
                        self.recorded.push(first.clone());
                        self.normal(first);
                        self.settle();
                    }
                }
                return false;
            }
            b'u' => {
                self.take_back(true, count);
                return false;
            }
            b'v' | b'V' => {
                self.mode = Mode::Visual { lines: letter == b'V' };
                self.anchor = self.cursor;
                return false;
            }
            b':' => {
                if let Some(text) = self.ask(b":") {
                    self.command(&String::from_utf8_lossy(&text));
                }
                return false;
            }
            b'Z' => {
                match self.next_key().as_ref().and_then(self::letter) {
                    Some(b'Z') => self.command("x"),
                    Some(b'Q') => self.command("q!"),
                    _ => self.canvas.bell(),
                }
                return false;
            }
            b'm' => {
                if let Some(name) = self.next_key().as_ref().and_then(self::letter) {
                    self.marks.insert(name, self.cursor);
                }
                return false;
            }
            b'z' => {
                let page = self.page();
                match self.next_key() {
                    Some(Key::Enter) => self.top = self.cursor.line,
                    Some(Key::Text(text)) if text == b"t" => self.top = self.cursor.line,
                    Some(Key::Text(text)) if text == b"." || text == b"z" => {
                        self.top = self.cursor.line.saturating_sub(page / 2);
                    }
                    Some(Key::Text(text)) if text == b"-" || text == b"b" => {
                        self.top = (self.cursor.line + 1).saturating_sub(page);
                    }
                    _ => self.canvas.bell(),
                }
                return false;
            }
            b'&' => {
                self.command("s");
                return true;
            }
            _ => {
                self.move_by(prefix, key);
                return false;
            }
        }
        true
    }

    fn move_by(&mut self, prefix: Prefix, key: &Key) {
        let vertical = is_vertical(key);
        match self.motion(prefix, key, false) {
            Some((at, _)) if vertical => {
                let column = self.column;
                self.cursor = self.buffer.at_column(at.line, column, self.tab);
                self.settle();
            }
            Some((at, _)) => {
                self.go(at);
                if matches!(letter(key), Some(b'$')) || *key == Key::End {
                    self.column = usize::MAX / 2;
                }
            }
            None => self.canvas.bell(),
        }
    }

    /// Where a key leads. `None` if it is no motion, or cannot be made.
    fn motion(&mut self, prefix: Prefix, key: &Key, operating: bool) -> Option<(At, Kind)> {
        let count = prefix.count();
        let at = self.cursor;
        let buffer = &self.buffer;
        let repeat = |step: &dyn Fn(At) -> Option<At>| {
            let mut place = at;
            for number in 0..count {
                match step(place) {
                    Some(next) => place = next,
                    None if number > 0 => break,
                    None => return None,
                }
            }
            Some((place, Kind::Exclusive))
        };
        let rows = |down: bool, count: usize| {
            let line = match down {
                true => at.line.checked_add(count).filter(|line| *line <= buffer.last())?,
                false => at.line.checked_sub(count)?,
            };
            Some((At { line, byte: at.byte.min(buffer.line(line).len()) }, Kind::Lines))
        };
        let page = self.page();
        match key {
            Key::Left | Key::Backspace | Key::Control(b'H') => return repeat(&|at| buffer.left(at)),
            Key::Right => return repeat(&|at| buffer.right(at)),
            Key::Up | Key::Control(b'P') => return rows(false, count),
            Key::Down | Key::Control(b'N' | b'J') => return rows(true, count),
            Key::Enter => {
                let (place, kind) = rows(true, count)?;
                return Some((buffer.indent(place.line), kind));
            }
            Key::Home => return Some((At { byte: 0, ..at }, Kind::Exclusive)),
            Key::End => return self.motion(prefix, &Key::Text(b"$".to_vec()), operating),
            Key::WordRight => return repeat(&|at| motion::word(buffer, at, false)),
            Key::WordLeft => return repeat(&|at| motion::word_back(buffer, at, false)),
            Key::PageDown | Key::Control(b'F') => {
                let line = (self.top + page.saturating_sub(2).max(1) * count).min(buffer.last());
                self.top = line;
                return Some((At { line, byte: 0 }, Kind::Lines));
            }
            Key::PageUp | Key::Control(b'B') => {
                self.top = self.top.saturating_sub(page.saturating_sub(2).max(1) * count);
                let line = (self.top + page - 1).min(at.line);
                return Some((At { line, byte: 0 }, Kind::Lines));
            }
            Key::Control(letter @ (b'D' | b'U')) => {
                let half = prefix.count.unwrap_or(page / 2).max(1);
                let line = match letter {
                    b'D' => (at.line + half).min(buffer.last()),
                    _ => at.line.saturating_sub(half),
                };
                let moved = line.abs_diff(at.line);
                self.top = match letter {
                    b'D' => (self.top + moved).min(buffer.last()),
                    _ => self.top.saturating_sub(moved),
                };
                return Some((self.buffer.indent(line), Kind::Lines));
            }
            _ => {}
        }
        let letter = letter(key)?;
        match letter {
            b'h' => repeat(&|at| buffer.left(at)),
            b'l' | b' ' => {
                // For an operator, the end of the line is a place too.
                repeat(&|at| buffer.right(at).filter(|to| operating || to.byte < buffer.line(to.line).len()))
            }
            b'k' => rows(false, count),
            b'j' => rows(true, count),
            b'-' => rows(false, count).map(|(place, kind)| (buffer.indent(place.line), kind)),
            b'+' => rows(true, count).map(|(place, kind)| (buffer.indent(place.line), kind)),
            b'_' => rows(true, count - 1).map(|(place, kind)| (buffer.indent(place.line), kind)),
            b'0' => Some((At { byte: 0, ..at }, Kind::Exclusive)),
            b'^' => Some((buffer.indent(at.line), Kind::Exclusive)),
            b'|' => Some((buffer.at_column(at.line, count - 1, self.tab), Kind::Exclusive)),
            b'$' => {
                let line = (at.line + count - 1).min(buffer.last());
                let end = At { line, byte: buffer.line(line).len() };
                Some(if operating {
                    (end, Kind::Exclusive)
                } else {
                    (buffer.line_end(line), Kind::Inclusive)
                })
            }
            b'w' | b'W' => {
                let end = At { line: buffer.last(), byte: buffer.line(buffer.last()).len() };
                let found = repeat(&|at| motion::word(buffer, at, letter == b'W'));
                found.or((at < end).then_some((end, Kind::Exclusive)))
            }
            b'b' | b'B' => repeat(&|at| motion::word_back(buffer, at, letter == b'B')),
            b'e' | b'E' => repeat(&|at| motion::word_end(buffer, at, letter == b'E'))
                .map(|(at, _)| (at, Kind::Inclusive)),
            b'}' | b'{' => repeat(&|at| Some(motion::paragraph(buffer, at, letter == b'}'))),
            b'G' => {
                let line = prefix.count.map_or(buffer.last(), |count| count.saturating_sub(1));
                let line = line.min(buffer.last());
                self.marks.insert(b'\'', at);
                Some((self.buffer.indent(line), Kind::Lines))
            }
            b'g' => match self.next_key().as_ref().and_then(self::letter)? {
                b'g' => {
                    let line = (count - 1).min(self.buffer.last());
                    self.marks.insert(b'\'', at);
                    Some((self.buffer.indent(line), Kind::Lines))
                }
                _ => None,
            },
            b'H' => Some((buffer.indent((self.top + count - 1).min(buffer.last())), Kind::Lines)),
            b'M' => Some((buffer.indent((self.top + page / 2).min(buffer.last())), Kind::Lines)),
            b'L' => {
                let bottom = (self.top + page).min(buffer.count());
                Some((buffer.indent(bottom.saturating_sub(count)), Kind::Lines))
            }
            b'%' => motion::bracket(buffer, at).map(|at| (at, Kind::Inclusive)),
            b'f' | b't' | b'F' | b'T' => {
                let Key::Text(wanted) = self.next_key()? else { return None };
                self.found = Some((letter, wanted));
                self.find_again(count, false)
            }
            b';' => self.find_again(count, false),
            b',' => self.find_again(count, true),
            b'\'' | b'`' => {
                let name = self.next_key().as_ref().and_then(self::letter)?;
                let name = if name == b'`' { b'\'' } else { name };
                let place = self.marks.get(&name).copied()?;
                self.marks.insert(b'\'', at);
                let line = place.line.min(self.buffer.last());
                match letter {
                    b'\'' => Some((self.buffer.indent(line), Kind::Lines)),
                    _ => Some((At { line, ..place }, Kind::Exclusive)),
                }
            }
            b'/' | b'?' => {
                let pattern = self.ask(&[letter])?;
                if !pattern.is_empty() {
                    self.set_pattern(&pattern, letter == b'/')?;
                } else if let Some(pattern) = &mut self.pattern {
                    pattern.1 = letter == b'/';
                }
                self.search(count, false).map(|at| (at, Kind::Exclusive))
            }
            b'n' | b'N' => self.search(count, letter == b'N').map(|at| (at, Kind::Exclusive)),
            b'*' | b'#' => {
                let word = self.word_at_cursor()?;
                let pattern = [b"\\<", &*word, b"\\>"].concat();
                self.set_pattern(&pattern, letter == b'*')?;
                self.search(count, false).map(|at| (at, Kind::Exclusive))
            }
            _ => None,
        }
    }

    fn find_again(&mut self, count: usize, against: bool) -> Option<(At, Kind)> {
        let (mut letter, wanted) = self.found.clone()?;
        if against {
            letter ^= 0x20;
        }
        let place = motion::find(&self.buffer, self.cursor, letter, &wanted, count)?;
        Some((place, if letter.is_ascii_lowercase() { Kind::Inclusive } else { Kind::Exclusive }))
    }

    fn word_at_cursor(&self) -> Option<Vec<u8>> {
        let text = self.buffer.line(self.cursor.line);
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80;
        let start = (self.cursor.byte..text.len()).find(|at| text.get(*at).is_some_and(is_word))?;
        let from = text.get(..start)?.iter().rposition(|b| !is_word(b)).map_or(0, |at| at + 1);
        let rest = text.get(start..)?;
        let to = rest.iter().position(|b| !is_word(b)).map_or(text.len(), |at| start + at);
        text.get(from..to).map(<[u8]>::to_vec)
    }

    /// Compiles a pattern; `None` with a message if it is wrong.
    pub(super) fn set_pattern(&mut self, pattern: &[u8], forward: bool) -> Option<()> {
        let flags = Flags { icase: self.ignore_case, ..Flags::default() };
        match Regex::new(pattern, Syntax::POSIX_BASIC, flags) {
            Ok(regex) => {
                self.pattern = Some((regex, forward));
                Some(())
            }
            Err(error) => {
                self.message = error.to_string();
                None
            }
        }
    }

    pub(super) fn search_for(&mut self, pattern: &[u8], forward: bool, count: usize) {
        if self.set_pattern(pattern, forward).is_some()
            && let Some(at) = self.search(count, false)
        {
            self.jump(at);
        }
    }

    /// The next place of the pattern, around the ends of the text.
    fn search(&mut self, count: usize, against: bool) -> Option<At> {
        let Some((regex, forward)) = &self.pattern else {
            "No previous regular expression".clone_into(&mut self.message);
            return None;
        };
        let forward = *forward != against;
        let mut at = self.cursor;
        let mut wrapped = false;
        for _ in 0..count {
            let found =
                if forward { after(&self.buffer, regex, at) } else { before(&self.buffer, regex, at) };
            let Some((place, around)) = found else {
                "Pattern not found".clone_into(&mut self.message);
                return None;
            };
            wrapped |= around;
            at = place;
        }
        if wrapped {
            let end = if forward { "BOTTOM, continuing at TOP" } else { "TOP, continuing at BOTTOM" };
            self.message = format!("search hit {end}");
        }
        self.marks.insert(b'\'', self.cursor);
        Some(at)
    }

    fn operator(&mut self, key: &Key) -> Option<Operator> {
        Some(match letter(key)? {
            b'd' => Operator::Delete,
            b'c' => Operator::Change,
            b'y' => Operator::Copy,
            b'>' => Operator::Right,
            b'<' => Operator::Left,
            _ => return None,
        })
    }

    /// An operator and a motion; doubled, it takes whole lines.
    fn operate(&mut self, prefix: Prefix, operator: Operator, key: &Key) -> bool {
        let Some((second, next)) = self.next_key().and_then(|key| self.prefix(key)) else { return false };
        let count = match (prefix.count, second.count) {
            (None, None) => None,
            (first, second) => Some(first.unwrap_or(1).saturating_mul(second.unwrap_or(1)).min(COUNT)),
        };
        let prefix = Prefix { count, ..prefix };
        if next == *key {
            let last = (self.cursor.line + prefix.count() - 1).min(self.buffer.last());
            self.operate_on(prefix, operator, self.cursor, At { line: last, byte: 0 }, Kind::Lines);
            return operator != Operator::Copy;
        }
        self.over(prefix, operator, &next)
    }

    /// An operator over what a motion passes.
    fn over(&mut self, prefix: Prefix, operator: Operator, key: &Key) -> bool {
        // `cw` changes the word, not the blanks after it.
        let on_word = self.buffer.line(self.cursor.line).get(self.cursor.byte).is_some_and(|b| *b != b' ');
        let key = match (operator, letter(key)) {
            (Operator::Change, Some(b'w')) if on_word => Key::Text(b"e".to_vec()),
            (Operator::Change, Some(b'W')) if on_word => Key::Text(b"E".to_vec()),
            _ => key.clone(),
        };
        let Some((to, kind)) = self.motion(prefix, &key, true) else {
            self.canvas.bell();
            return false;
        };
        let mut to = to;
        // The last word of a line ends with it.
        if matches!(letter(&key), Some(b'w' | b'W')) && to.line > self.cursor.line && kind == Kind::Exclusive
        {
            let line = to.line - 1;
            let blank = self
                .buffer
                .line(to.line)
                .get(..to.byte)
                .is_some_and(|b| b.iter().all(u8::is_ascii_whitespace));
            if blank {
                to = At { line, byte: self.buffer.line(line).len() };
            }
        }
        self.operate_on(prefix, operator, self.cursor, to, kind);
        operator != Operator::Copy
    }

    fn shortcut(&mut self, prefix: Prefix, operator: Operator, motion: &[u8]) -> bool {
        if matches!(motion, b"c" | b"y") {
            let last = (self.cursor.line + prefix.count() - 1).min(self.buffer.last());
            self.operate_on(prefix, operator, self.cursor, At { line: last, byte: 0 }, Kind::Lines);
            return true;
        }
        self.over(prefix, operator, &Key::Text(motion.to_vec()))
    }

    fn operate_on(&mut self, prefix: Prefix, operator: Operator, one: At, other: At, kind: Kind) {
        let (from, mut to) = (one.min(other), one.max(other));
        if kind == Kind::Lines || matches!(operator, Operator::Right | Operator::Left) {
            self.operate_on_lines(prefix, operator, from.line, to.line);
            return;
        }
        if kind == Kind::Inclusive {
            to = self.buffer.right(to).unwrap_or(to);
        }
        self.keep(prefix.register, self.buffer.between(from, to), false, operator == Operator::Copy);
        match operator {
            Operator::Copy => self.go(from),
            Operator::Delete => {
                self.buffer.splice(from, to, b"");
                self.go(from);
            }
            Operator::Change => {
                self.buffer.splice(from, to, b"");
                self.cursor = from;
                self.insert(Mode::Insert, 1);
            }
            _ => {
                self.apply(operator, from, to);
                self.go(from);
            }
        }
    }

    fn operate_on_lines(&mut self, prefix: Prefix, operator: Operator, first: usize, last: usize) {
        let text = self.buffer.lines(first, last + 1).join(&b'\n');
        match operator {
            Operator::Copy => {
                self.keep(prefix.register, text, true, true);
                self.say_lines(last + 1 - first, "yanked");
                self.cursor.line = first;
            }
            Operator::Delete => {
                self.keep(prefix.register, text, true, false);
                self.buffer.replace(first, last + 1, Vec::new());
                self.say_lines(last + 1 - first, "fewer");
                let line = first.min(self.buffer.last());
                let place = self.buffer.indent(line);
                self.go(place);
            }
            Operator::Change => {
                self.keep(prefix.register, text, true, false);
                let indent = if self.indents { self.indent_of(first) } else { Vec::new() };
                self.cursor = At { line: first, byte: indent.len() };
                self.buffer.replace(first, last + 1, vec![indent]);
                self.insert(Mode::Insert, 1);
            }
            Operator::Right | Operator::Left => {
                self.shift_lines(first, last, operator == Operator::Right, 1);
                let place = self.buffer.indent(first);
                self.go(place);
            }
            _ => {
                let end = At { line: last, byte: self.buffer.line(last).len() };
                self.apply(operator, At { line: first, byte: 0 }, end);
                self.go(At { line: first, byte: 0 });
            }
        }
    }

    pub(super) fn shift_lines(&mut self, first: usize, last: usize, right: bool, times: usize) {
        let by = self.shift * times;
        let lines = self.buffer.lines(first, last + 1).into_iter().map(|line| {
            let start = line.iter().position(|b| !matches!(b, b' ' | b'\t')).unwrap_or(line.len());
            let (blank, text) = line.split_at(start);
            if text.is_empty() {
                return Vec::new();
            }
            let mut width = 0;
            for byte in blank {
                width += if *byte == b'\t' { self.tab - width % self.tab } else { 1 };
            }
            let width = if right { width + by } else { width.saturating_sub(by) };
            let (tabs, spaces) = (width / self.tab, width % self.tab);
            [b"\t".repeat(tabs), b" ".repeat(spaces), text.to_vec()].concat()
        });
        let lines = lines.collect();
        self.buffer.replace(first, last + 1, lines);
    }

    pub(super) fn say_lines(&mut self, count: usize, what: &str) {
        if count > 2 {
            self.message = match what {
                "fewer" | "more" => format!("{count} {what} lines"),
                _ => format!("{count} lines {what}"),
            };
        }
    }

    /// Keeps text in a register: the unnamed one, and the named one. A capital letter appends.
    pub(super) fn keep(&mut self, name: u8, text: Vec<u8>, lines: bool, copied: bool) {
        let made = Register { text, lines };
        if name == b'_' {
            return;
        }
        if name.is_ascii_uppercase() {
            let kept = self.registers.entry(name.to_ascii_lowercase()).or_default();
            if kept.lines || lines {
                kept.text.push(b'\n');
            }
            kept.text.extend_from_slice(&made.text);
            kept.lines |= lines;
        } else if name != 0 {
            self.registers.insert(name, made.clone());
        }
        if copied {
            self.registers.insert(b'0', made.clone());
        }
        self.registers.insert(0, made);
    }

    fn put(&mut self, prefix: Prefix, after: bool) {
        let name = if prefix.register == b'"' { 0 } else { prefix.register.to_ascii_lowercase() };
        let Some(register) = self.registers.get(&name).cloned() else {
            "Nothing in the register".clone_into(&mut self.message);
            return;
        };
        let count = prefix.count().min(10_000);
        if register.lines {
            let line = self.cursor.line + usize::from(after);
            let one: Vec<Vec<u8>> = register.text.split(|b| *b == b'\n').map(<[u8]>::to_vec).collect();
            let all: Vec<Vec<u8>> = std::iter::repeat_n(one, count).flatten().collect();
            let added = all.len();
            self.buffer.replace(line, line, all);
            self.say_lines(added, "more");
            let place = self.buffer.indent(line);
            self.go(place);
            return;
        }
        let at = match self.buffer.right(self.cursor) {
            Some(right) if after => right,
            _ => self.cursor,
        };
        let end = self.buffer.splice(at, at, &register.text.repeat(count));
        let place = if register.text.contains(&b'\n') { at } else { self.buffer.left(end).unwrap_or(end) };
        self.go(place);
    }

    fn open_line(&mut self, below: bool) {
        let indent = if self.indents { self.indent_of(self.cursor.line) } else { Vec::new() };
        let line = self.cursor.line + usize::from(below);
        self.cursor = At { line, byte: indent.len() };
        self.buffer.replace(line, line, vec![indent]);
        self.insert(Mode::Insert, 1);
    }

    fn replace_character(&mut self, count: usize) -> bool {
        let text = match self.next_key() {
            Some(Key::Text(text)) => text,
            Some(Key::Enter) => b"\n".to_vec(),
            Some(Key::Tab) => b"\t".to_vec(),
            _ => return false,
        };
        let mut to = self.cursor;
        for _ in 0..count {
            match self.buffer.right(to) {
                Some(next) => to = next,
                None => {
                    self.canvas.bell();
                    return false;
                }
            }
        }
        let with = if text == b"\n" { text } else { text.repeat(count) };
        let end = self.buffer.splice(self.cursor, to, &with);
        let place = self.buffer.left(end).unwrap_or(end);
        self.go(place);
        true
    }

    pub(super) fn join(&mut self, first: usize, last: usize) {
        if first >= last {
            self.canvas.bell();
            return;
        }
        let mut joined: Vec<u8> = Vec::new();
        let mut place = 0;
        for (number, line) in self.buffer.lines(first, last + 1).iter().enumerate() {
            if number == 0 {
                joined.extend_from_slice(line);
                continue;
            }
            let start = line.iter().position(|b| !matches!(b, b' ' | b'\t')).unwrap_or(line.len());
            let text = line.get(start..).unwrap_or_default();
            place = joined.len();
            if !joined.is_empty() && !joined.ends_with(b" ") && !text.is_empty() && !text.starts_with(b")") {
                joined.push(b' ');
            }
            joined.extend_from_slice(text);
        }
        self.buffer.replace(first, last + 1, vec![joined]);
        self.go(At { line: first, byte: place });
    }

    /// Changes the case of text.
    fn apply(&mut self, operator: Operator, from: At, to: At) {
        let text = self.buffer.between(from, to);
        let changed: String = String::from_utf8_lossy(&text)
            .chars()
            .flat_map(|c| -> Vec<char> {
                let upper = match operator {
                    Operator::Upper => true,
                    Operator::Lower => false,
                    _ => !c.is_uppercase(),
                };
                if upper { c.to_uppercase().collect() } else { c.to_lowercase().collect() }
            })
            .collect();
        // Bytes that are no text are not changed.
        if std::str::from_utf8(&text).is_ok() {
            self.buffer.splice(from, to, changed.as_bytes());
        }
    }

    fn take_back(&mut self, back: bool, count: usize) {
        for _ in 0..count {
            let cursor = if back { self.buffer.undo() } else { self.buffer.redo() };
            match cursor {
                Some(cursor) => self.go(cursor),
                None => {
                    let end = if back { "oldest" } else { "newest" };
                    self.message = format!("Already at {end} change");
                    break;
                }
            }
        }
    }

    fn scroll(&mut self, by: isize) {
        self.top = self.top.saturating_add_signed(by).min(self.buffer.last());
        let page = self.page();
        let line = self.cursor.line.clamp(self.top, self.top + page - 1);
        if line != self.cursor.line {
            let place = self.buffer.at_column(line.min(self.buffer.last()), self.column, self.tab);
            self.cursor = place;
        }
    }

    fn visual(&mut self, prefix: Prefix, key: &Key, lines: bool) {
        let operator = match letter(key) {
            Some(b'd' | b'x' | b'X' | b'D') => Some(Operator::Delete),
            Some(b'c' | b's') => Some(Operator::Change),
            Some(b'y' | b'Y') => Some(Operator::Copy),
            Some(b'>') => Some(Operator::Right),
            Some(b'<') => Some(Operator::Left),
            Some(b'~') => Some(Operator::Swap),
            Some(b'U') => Some(Operator::Upper),
            Some(b'u') => Some(Operator::Lower),
            _ => None,
        };
        let (from, to) = (self.anchor.min(self.cursor), self.anchor.max(self.cursor));
        if let Some(operator) = operator {
            self.mode = Mode::Normal;
            let kind = if lines { Kind::Lines } else { Kind::Inclusive };
            self.operate_on(prefix, operator, from, to, kind);
            return;
        }
        match letter(key) {
            Some(b'v' | b'V') => {
                let wanted = Mode::Visual { lines: letter(key) == Some(b'V') };
                self.mode = if self.mode == wanted { Mode::Normal } else { wanted };
            }
            Some(b'o') => std::mem::swap(&mut self.anchor, &mut self.cursor),
            Some(b'J') => {
                self.mode = Mode::Normal;
                self.join(from.line, to.line.max(from.line + 1).min(self.buffer.last()));
            }
            Some(b':') => {
                self.mode = Mode::Normal;
                let range = format!("{},{}", from.line + 1, to.line + 1);
                if let Some(text) = self.ask(format!(":{range}").as_bytes()) {
                    self.command(&format!("{range}{}", String::from_utf8_lossy(&text)));
                }
            }
            _ if matches!(key, Key::Escape | Key::Control(b'C')) => self.mode = Mode::Normal,
            _ => self.move_by(prefix, key),
        }
    }
}

/// The byte of a key that is an ASCII character.
pub(super) fn letter(key: &Key) -> Option<u8> {
    match key {
        Key::Text(text) => match text.as_slice() {
            [byte] if byte.is_ascii() => Some(*byte),
            _ => None,
        },
        _ => None,
    }
}

fn is_vertical(key: &Key) -> bool {
    matches!(key, Key::Up | Key::Down | Key::Control(b'P' | b'N' | b'J'))
        || matches!(letter(key), Some(b'j' | b'k'))
}

/// The first match after a place, and whether that is around the end.
fn after(buffer: &super::Buffer, regex: &Regex, at: At) -> Option<(At, bool)> {
    let count = buffer.count();
    let next = buffer.right(at).map_or(at.byte + 1, |right| right.byte);
    for number in 0..=count {
        let line = (at.line + number) % count;
        let text = buffer.line(line);
        let start = if number == 0 { next } else { 0 };
        if start <= text.len()
            && let Some((from, _)) = regex.find_at(text, start, start > 0)
            && (number < count || from <= at.byte)
        {
            return Some((At { line, byte: from }, line < at.line || number == count));
        }
    }
    None
}

/// The last match before a place, and whether that is around the start.
fn before(buffer: &super::Buffer, regex: &Regex, at: At) -> Option<(At, bool)> {
    let count = buffer.count();
    for number in 0..=count {
        let line = (at.line + count - number % count) % count;
        let text = buffer.line(line);
        let (mut start, mut last) = (0, None);
        while start <= text.len()
            && let Some((from, to)) = regex.find_at(text, start, start > 0)
        {
            if number == 0 && from >= at.byte {
                break;
            }
            last = Some(from);
            start = to.max(from + 1);
        }
        if let Some(byte) = last {
            return Some((At { line, byte }, line > at.line || number == count));
        }
    }
    None
}
