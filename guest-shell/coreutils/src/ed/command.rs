//! The commands.

use super::Editor;
use super::address::Addresses;
use super::buffer::Line;
use super::error::{Error, INVALID_SUFFIX, NO_FILE_NAME, NO_SUCH_LINE, Result};
use super::print::Print;
use super::transfer::Name;
use sandshell_cli::out;
use std::rc::Rc;

impl Editor {
    /// Executes the next command of the text.
    pub(super) fn command(&mut self) -> Result<()> {
        self.text.pass_blanks();
        let given = self.addresses()?;
        let print = if self.text.take_end() { self.null(given)? } else { self.named(given)? };
        if print.is_wanted() {
            let current = self.buffer.current;
            if current == 0 {
                return Err(NO_SUCH_LINE);
            }
            self.print((current, current), print);
        }
        Ok(())
    }

    /// An address alone prints its line. Without one it is the next, or in a list the current one.
    fn null(&mut self, given: Addresses) -> Result<Print> {
        let next = self.buffer.current + usize::from(!self.text.is_list);
        let number = given.one_or(next);
        if number == 0 || number > self.buffer.last() {
            return Err(NO_SUCH_LINE);
        }
        self.print((number, number), Print::default());
        Ok(Print::default())
    }

    fn named(&mut self, given: Addresses) -> Result<Print> {
        let letter = self.text.peek().unwrap_or_default();
        self.text.advance();
        let current = self.buffer.current;
        let here = (current, current);
        if b"efhquEHPQ!".contains(&letter) && given.range.is_some() {
            return Err("Unexpected address".into());
        }
        match letter {
            b'a' => return self.append(given),
            b'c' => return self.change(given),
            b'd' => {
                let range = self.range(given, here)?;
                let print = self.suffixes()?;
                self.delete(range);
                return Ok(print);
            }
            b'e' | b'E' => {
                let name = self.name()?;
                if letter == b'e' {
                    self.warn()?;
                }
                self.edit(name)?;
            }
            b'f' => self.name_file()?,
            b'g' | b'v' => return self.global(given, letter == b'g', false),
            b'G' | b'V' => return self.global(given, letter == b'G', true),
            b'h' | b'H' => return self.explain(letter == b'H'),
            b'i' => return self.insert_before(given),
            b'j' => return self.join(given),
            b'k' => return self.set_mark(given),
            b'l' | b'n' | b'p' => {
                let range = self.range(given, here)?;
                let mut print = Print::default();
                print.add(letter);
                let print = self.suffixes_after(print)?;
                self.print(range, print);
            }
            b'm' => return self.carry(given),
            b'P' => {
                let print = self.suffixes()?;
                self.is_prompting = !self.is_prompting;
                return Ok(print);
            }
            b'q' | b'Q' => {
                self.suffixes()?;
                if letter == b'q' {
                    self.warn()?;
                }
                return Err(Error::Quit);
            }
            b'r' => {
                let at = given.one_or(self.buffer.last());
                let name = self.name()?;
                self.read_in(at, name)?;
            }
            b's' => return self.substitute(given),
            b't' => return self.duplicate(given),
            b'u' => {
                let print = self.suffixes()?;
                if !self.buffer.undo() {
                    return Err("Nothing to undo".into());
                }
                return Ok(print);
            }
            b'w' | b'W' => {
                let quits = self.text.take(b'q');
                let name = self.name()?;
                self.write(given, letter == b'W', name)?;
                if quits {
                    self.warn()?;
                    return Err(Error::Quit);
                }
            }
            b'x' => return self.put(given),
            b'y' => {
                let (first, last) = self.range(given, here)?;
                let print = self.suffixes()?;
                self.cut = self.buffer.lines(first, last);
                return Ok(print);
            }
            b'z' => self.scroll(given)?,
            b'=' => {
                let number = given.one_or(self.buffer.last());
                let print = self.suffixes()?;
                out::put(format!("{number}\n"));
                return Ok(print);
            }
            b'!' => self.run_shell()?,
            b'#' => drop(self.text.rest_of_line()),
            _ => return Err("Unknown command".into()),
        }
        Ok(Print::default())
    }

    /// Fails if there are changes in no file, for the first time.
    pub(super) fn warn(&self) -> Result<()> {
        if self.buffer.is_modified && !self.was_warned { Err(Error::Unsaved) } else { Ok(()) }
    }

    fn append(&mut self, given: Addresses) -> Result<Print> {
        let at = given.one_or(self.buffer.current);
        let print = self.suffixes()?;
        let lines = self.input()?;
        self.insert_lines(at, lines, at);
        Ok(print)
    }

    fn insert_before(&mut self, given: Addresses) -> Result<Print> {
        let at = given.one_or(self.buffer.current);
        let print = self.suffixes()?;
        let lines = self.input()?;
        self.insert_lines(at.saturating_sub(1), lines, at);
        Ok(print)
    }

    fn change(&mut self, given: Addresses) -> Result<Print> {
        let current = self.buffer.current;
        let range = self.range(given, (current, current))?;
        let print = self.suffixes()?;
        let lines = self.input()?;
        self.delete(range);
        let now = self.buffer.current;
        self.insert_lines(range.0 - 1, lines, now);
        Ok(print)
    }

    /// Reads lines up to a dot, the end of the list or that of standard input.
    fn input(&mut self) -> Result<Vec<Rc<Line>>> {
        let mut lines = Vec::new();
        loop {
            let line = if self.text.is_list {
                (!self.text.is_over()).then(|| self.text.rest_of_line())
            } else {
                self.lines.next()?.map(|mut line| {
                    line.pop();
                    line
                })
            };
            match line {
                Some(line) if line != b"." => lines.push(Line::new(&line)),
                _ => return Ok(lines),
            }
        }
    }

    /// Inserts lines behind line `at`; the last becomes the current one. If there are none, `otherwise` does.
    fn insert_lines(&mut self, at: usize, lines: Vec<Rc<Line>>, otherwise: usize) {
        self.buffer.current = if lines.is_empty() { otherwise } else { at + lines.len() };
        if !lines.is_empty() {
            self.buffer.replace(at, 0, lines);
        }
    }

    fn delete(&mut self, (first, last): (usize, usize)) {
        self.cut = self.buffer.replace(first - 1, last - first + 1, Vec::new());
        self.buffer.current = first.min(self.buffer.last());
    }

    fn join(&mut self, given: Addresses) -> Result<Print> {
        let current = self.buffer.current;
        let (first, last) = self.range(given, (current, current + 1))?;
        let print = self.suffixes()?;
        if first < last {
            let texts: Vec<_> = self.buffer.lines(first, last);
            let joined: Vec<u8> = texts.iter().flat_map(|line| line.text.iter().copied()).collect();
            self.cut = self.buffer.replace(first - 1, last - first + 1, vec![Line::new(&joined)]);
            self.buffer.current = first;
        }
        Ok(print)
    }

    fn set_mark(&mut self, given: Addresses) -> Result<Print> {
        let current = self.buffer.current;
        let (_, number) = self.range(given, (current, current))?;
        if !self.text.peek().is_some_and(|b| b.is_ascii_alphanumeric()) {
            return Err(INVALID_SUFFIX);
        }
        let mark = self.mark()?;
        let print = self.suffixes()?;
        let line = self.buffer.line(number).cloned();
        if let Some(marked) = self.marks.get_mut(mark) {
            *marked = line;
        }
        Ok(print)
    }

    /// The line behind which lines go.
    fn destination(&mut self) -> Result<(usize, Print)> {
        let to = self.addresses()?.one_or(self.buffer.current);
        Ok((to, self.suffixes()?))
    }

    fn carry(&mut self, given: Addresses) -> Result<Print> {
        let current = self.buffer.current;
        let (first, last) = self.range(given, (current, current))?;
        let (to, print) = self.destination()?;
        if (first..last).contains(&to) {
            return Err("Invalid destination".into());
        }
        let count = last - first + 1;
        let lines = self.buffer.replace(first - 1, count, Vec::new());
        let at = if to >= last { to - count } else { to };
        self.buffer.replace(at, 0, lines);
        self.buffer.current = at + count;
        Ok(print)
    }

    fn duplicate(&mut self, given: Addresses) -> Result<Print> {
        let current = self.buffer.current;
        let (first, last) = self.range(given, (current, current))?;
        let (to, print) = self.destination()?;
        let lines = self.buffer.lines(first, last).iter().map(|line| line.copy()).collect();
        self.insert_lines(to, lines, to);
        Ok(print)
    }

    fn put(&mut self, given: Addresses) -> Result<Print> {
        let at = given.one_or(self.buffer.current);
        let print = self.suffixes()?;
        if self.cut.is_empty() {
            return Err("Nothing to put".into());
        }
        let lines = self.cut.iter().map(|line| line.copy()).collect();
        self.insert_lines(at, lines, at);
        Ok(print)
    }

    fn scroll(&mut self, given: Addresses) -> Result<()> {
        let first = given.one_or(self.buffer.current + 1);
        if first == 0 || first > self.buffer.last() {
            return Err(NO_SUCH_LINE);
        }
        if let Some(b'1'..=b'9') = self.text.peek() {
            let count = self.text.number(i32::MAX as u64).ok_or(Error::from("Number out of range"))?;
            self.window = usize::try_from(count).unwrap_or(usize::MAX);
        }
        let print = self.suffixes()?;
        let last = first.saturating_add(self.window - 1).min(self.buffer.last());
        self.print((first, last), print);
        Ok(())
    }

    fn name_file(&mut self) -> Result<()> {
        match self.name()? {
            Some(Name::Shell(_)) => return Err("Invalid redirection".into()),
            Some(Name::File(name)) => self.file = Some(name),
            None => {}
        }
        let name = self.file.clone().ok_or(NO_FILE_NAME)?;
        out::put([&*name, b"\n"].concat());
        Ok(())
    }

    /// `h`, and `H` that does it from now on, too.
    fn explain(&mut self, toggles: bool) -> Result<Print> {
        let print = self.suffixes()?;
        if toggles {
            self.is_verbose = !self.is_verbose;
        }
        if (!toggles || self.is_verbose) && !self.explanation.is_empty() {
            out::put([self.explanation.as_bytes(), b"\n"].concat());
        }
        Ok(print)
    }
}
