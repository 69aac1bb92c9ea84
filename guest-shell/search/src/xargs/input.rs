//! Reads items.

use super::options::Options;
use crate::out::message;
use sandshell_sys as sys;

pub(crate) enum Item {
    Arg(Vec<u8>),
    /// The end of an input line that counts for -L.
    LineEnd,
    End,
}

pub(crate) struct Input {
    fd: sys::Fd,
    buf: Vec<u8>,
    at: usize,
    len: usize,
    delimiter: Option<u8>,
    eof: Option<Vec<u8>>,
    /// Whether items are whole lines.
    lines: bool,
    /// The length of the longest item allowed.
    limit: usize,
    previous: Option<u8>,
    /// Whether a newline ended the item returned last.
    line_end: bool,
    done: bool,
    warned: bool,
}

impl Input {
    pub(crate) fn new(fd: sys::Fd, o: &Options) -> Self {
        // With -I, the command's own arguments do not count here.
        let fixed: usize = if o.replace.is_some() { 0 } else { o.command.iter().map(|a| a.len() + 1).sum() };
        Self {
            fd,
            buf: vec![0; 64 * 1024],
            at: 0,
            len: 0,
            delimiter: o.delimiter,
            eof: o.eof.clone(),
            lines: o.replace.is_some(),
            limit: o.max_chars.saturating_sub(fixed + 1),
            previous: None,
            line_end: false,
            done: false,
            warned: false,
        }
    }

    fn byte(&mut self) -> Option<u8> {
        while self.at == self.len {
            match sys::read(self.fd, &mut self.buf) {
                Ok(0) => return None,
                Ok(n) => (self.at, self.len) = (0, n),
                Err(sys::Errno::INTR) => {}
                Err(_) => return None,
            }
        }
        let b = self.buf.get(self.at).copied();
        self.at += 1;
        b
    }

    /// The next item.
    ///
    /// # Errors
    /// The text of a message.
    pub(crate) fn next(&mut self) -> Result<Item, String> {
        if self.line_end {
            self.line_end = false;
            return Ok(Item::LineEnd);
        }
        if self.done {
            return Ok(Item::End);
        }
        match self.delimiter {
            Some(d) => self.delimited(d),
            None => self.word(),
        }
    }

    fn delimited(&mut self, delimiter: u8) -> Result<Item, String> {
        let mut item = Vec::new();
        loop {
            match self.byte() {
                None => {
                    self.done = true;
                    if item.is_empty() {
                        return Ok(Item::End);
                    }
                    break;
                }
                Some(b) if b == delimiter => break,
                Some(b) => self.push(&mut item, b)?,
            }
        }
        self.line_end = true;
        Ok(self.item(item))
    }

    fn push(&mut self, item: &mut Vec<u8>, b: u8) -> Result<(), String> {
        if item.len() >= self.limit {
            return Err("argument line too long".into());
        }
        if b == 0 && !self.warned {
            self.warned = true;
            message(
                "xargs",
                b"WARNING: a NUL character occurred in the input.  It cannot be passed through in the argument list.  Did you mean to use the --null option?",
            );
        }
        item.push(b);
        Ok(())
    }

    // An argument cannot contain a NUL, so the item is cut there.
    fn item(&self, mut item: Vec<u8>) -> Item {
        if let Some(nul) = item.iter().position(|b| *b == 0) {
            item.truncate(nul);
        }
        Item::Arg(item)
    }

    // Reads an item that may be quoted.
    fn word(&mut self) -> Result<Item, String> {
        let mut item = Vec::new();
        let mut seen = false;
        let mut quote = None;
        let mut escaped = false;
        // True while blanks and empty lines before the item are skipped.
        let mut skipping = true;
        loop {
            let previous = self.previous;
            let Some(b) = self.byte() else {
                self.done = true;
                if let Some(q) = quote {
                    return Err(unmatched(q));
                }
                // A quoted empty word is an item only if a newline or a blank follows.
                if item.is_empty() || self.is_eof(&item) {
                    return Ok(Item::End);
                }
                return Ok(self.item(item));
            };
            self.previous = Some(b);
            if escaped {
                escaped = false;
                seen = true;
                self.push(&mut item, b)?;
                continue;
            }
            if let Some(q) = quote {
                if b == b'\n' {
                    return Err(unmatched(q));
                }
                if b == q {
                    quote = None;
                } else {
                    self.push(&mut item, b)?;
                }
                continue;
            }
            let space = matches!(b, b' ' | b'\t' | b'\n' | 11 | 12 | b'\r');
            if skipping && space {
                continue;
            }
            skipping = false;
            match b {
                b'\n' => {
                    if !seen {
                        skipping = true;
                        continue;
                    }
                    if self.is_eof(&item) {
                        self.done = true;
                        return Ok(Item::End);
                    }
                    self.line_end = !matches!(previous, Some(b' ' | b'\t'));
                    return Ok(self.item(item));
                }
                b' ' | b'\t' if !self.lines => {
                    if self.is_eof(&item) {
                        self.done = true;
                        return Ok(Item::End);
                    }
                    return Ok(self.item(item));
                }
                b'\\' => {
                    escaped = true;
                    continue;
                }
                b'\'' | b'"' => {
                    quote = Some(b);
                    seen = true;
                    continue;
                }
                _ => {}
            }
            seen = true;
            self.push(&mut item, b)?;
        }
    }

    fn is_eof(&self, item: &[u8]) -> bool {
        self.eof.as_deref() == Some(item)
    }
}

fn unmatched(quote: u8) -> String {
    let kind = if quote == b'"' { "double" } else { "single" };
    format!("unmatched {kind} quote; by default quotes are special to xargs unless you use the -0 option")
}
