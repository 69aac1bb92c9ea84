//! The global commands: lists of commands for lines that match.

use super::Editor;
use super::address::Addresses;
use super::buffer::Line;
use super::error::{Error, Result, UNEXPECTED_END};
use super::print::Print;
use super::text::{Text, goes_on};
use sandshell_cli::out;
use std::rc::Rc;

impl Editor {
    /// `g` and `v`, or with `asks` `G` and `V`: for lines that match, or do not.
    pub(super) fn global(&mut self, given: Addresses, matching: bool, asks: bool) -> Result<Print> {
        if self.text.is_list {
            return Err("Cannot nest global commands".into());
        }
        let (first, last) = self.range(given, (1, self.buffer.last()))?;
        let delimiter = self.delimiter()?;
        let pattern = self.text.pattern(delimiter)?;
        self.text.take(delimiter);
        let icase = self.text.take(b'I');
        let regex = self.regex(&pattern, icase)?;
        let (print, list) =
            if asks { (self.suffixes()?, Vec::new()) } else { (Print::default(), self.rest_of_list()?) };
        let mut marked = self.buffer.lines(first, last);
        marked.retain(|line| regex.is_match(&line.text) == matching);
        self.buffer.forget();
        let mut hint = 1;
        for line in marked {
            let Some(number) = self.buffer.number_of(&line, hint) else { continue };
            hint = number;
            self.buffer.current = number;
            let list = if asks { self.asked(&line, print)? } else { list.clone() };
            let outer = std::mem::replace(&mut self.text, Text::new(list, true));
            let done = self.run_list();
            self.text = outer;
            done?;
            if self.buffer.was_undone() {
                break;
            }
        }
        Ok(print)
    }

    fn run_list(&mut self) -> Result<()> {
        while !self.text.is_over() {
            self.command()?;
        }
        Ok(())
    }

    /// What is left of a list of commands that begins on this line. The empty one prints.
    fn rest_of_list(&mut self) -> Result<Vec<u8>> {
        let mut list = self.text.rest();
        self.read_on(&mut list)?;
        if list == b"\n" {
            list.insert(0, b'p');
        }
        Ok(list)
    }

    fn read_on(&mut self, list: &mut Vec<u8>) -> Result<()> {
        let mut goes = goes_on(list);
        while goes {
            let line = self.lines.next()?.ok_or(UNEXPECTED_END)?;
            goes = goes_on(&line);
            list.extend_from_slice(&line);
        }
        Ok(())
    }

    /// Prints a line and reads the list of commands for it.
    fn asked(&mut self, line: &Rc<Line>, print: Print) -> Result<Vec<u8>> {
        let number = self.buffer.current;
        if print.is_wanted() {
            self.print((number, number), print);
        } else {
            out::put([&*line.text, b"\n"].concat());
        }
        let mut list = self.lines.next()?.ok_or(UNEXPECTED_END)?;
        self.read_on(&mut list)?;
        match &*list {
            b"\n" => Ok(Vec::new()),
            b"&\n" => self.list.clone().ok_or(Error::from("No previous command")),
            _ => {
                self.list = Some(list.clone());
                Ok(list)
            }
        }
    }
}
