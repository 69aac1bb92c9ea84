//! Keys, made of the bytes that a terminal sends for them.

use sandshell_sys::{self as sys, Errno, Fd, PollFd, Result};
use std::collections::VecDeque;
use std::time::Duration;

/// A key, or several at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Key {
    /// A character; invalid bytes are kept as they are.
    Text(Vec<u8>),
    /// A letter or sign with the control key: `Control(b'A')`, also `@`, `[`, `\`, `]`, `^`, `_`.
    Control(u8),
    /// A character with the meta (alt) key, or after Escape.
    Meta(u8),
    Enter,
    Tab,
    BackTab,
    Backspace,
    Escape,
    Up,
    Down,
    Left,
    Right,
    Home,
    End,
    Insert,
    Delete,
    PageUp,
    PageDown,
    WordLeft,
    WordRight,
    /// Text that was pasted, where the terminal tells.
    Paste(Vec<u8>),
    /// A key that has no name here.
    Unknown,
}

/// How long the rest of a key may take. A terminal sends it at once; after a lone Escape there is none.
const REST: Duration = Duration::from_millis(50);
/// The longest text that is taken as pasted.
const PASTE: usize = 1 << 20;

/// The keys of a terminal.
#[derive(Debug)]
pub struct Keys {
    fd: Fd,
    bytes: VecDeque<u8>,
}

impl Keys {
    /// The keys of this terminal, which should be [`Raw`](crate::Raw).
    pub fn new(fd: Fd) -> Keys {
        Keys { fd, bytes: VecDeque::new() }
    }

    /// The terminal.
    pub fn fd(&self) -> Fd {
        self.fd
    }

    /// The next byte, whatever it means.
    ///
    /// # Errors
    /// `EINTR` when a signal was caught, `EIO` at the end of input.
    pub fn byte(&mut self) -> Result<u8> {
        loop {
            if let Some(byte) = self.bytes.pop_front() {
                return Ok(byte);
            }
            self.fill()?;
        }
    }

    /// Whether keys are there already.
    pub fn are_waiting(&mut self) -> bool {
        self.more(Duration::ZERO)
    }

    /// Waits for a byte. False if none comes in time, or a signal comes first.
    pub fn wait(&mut self, time: Duration) -> bool {
        self.more(time)
    }

    /// The next key; `None` when none comes in time.
    ///
    /// # Errors
    /// As [`byte`](Self::byte).
    pub fn next_within(&mut self, time: Duration) -> Result<Option<Key>> {
        if self.bytes.is_empty() {
            let mut fds = [PollFd { fd: self.fd, read: true, write: false, ready: false }];
            if sys::poll(&mut fds, Some(time))? == 0 {
                return Ok(None);
            }
        }
        self.next_key().map(Some)
    }

    /// The next key.
    ///
    /// # Errors
    /// As [`byte`](Self::byte).
    pub fn next_key(&mut self) -> Result<Key> {
        let first = self.byte()?;
        Ok(match first {
            b'\r' | b'\n' => Key::Enter,
            b'\t' => Key::Tab,
            0x7f | 8 => Key::Backspace,
            0x1b => self.escaped(),
            0..0x20 => Key::Control(first | 0x40),
            0x20..0x80 => Key::Text(vec![first]),
            _ => Key::Text(self.character(first)),
        })
    }

    fn fill(&mut self) -> Result<()> {
        // One at a time: what is typed ahead may be for another program.
        let mut byte = [0];
        match sys::read(self.fd, &mut byte)? {
            0 => Err(Errno::IO),
            _ => {
                self.bytes.extend(byte);
                Ok(())
            }
        }
    }

    /// Whether there is a further byte within `time`.
    fn more(&mut self, time: Duration) -> bool {
        let mut fds = [PollFd { fd: self.fd, read: true, write: false, ready: false }];
        !self.bytes.is_empty()
            || sys::poll(&mut fds, Some(time)).is_ok_and(|ready| ready > 0) && self.fill().is_ok()
    }

    /// The next byte if it comes at once.
    fn rest(&mut self) -> Option<u8> {
        if self.more(REST) { self.bytes.pop_front() } else { None }
    }

    /// A character of several bytes.
    fn character(&mut self, first: u8) -> Vec<u8> {
        let mut all = vec![first];
        let length = match first {
            0xc2..0xe0 => 2,
            0xe0..0xf0 => 3,
            0xf0..0xf5 => 4,
            _ => 1,
        };
        while all.len() < length && self.more(REST) {
            match self.bytes.front() {
                Some(byte @ 0x80..0xc0) => all.push(*byte),
                _ => break,
            }
            self.bytes.pop_front();
        }
        all
    }

    fn escaped(&mut self) -> Key {
        match self.rest() {
            None => Key::Escape,
            Some(b'[') => self.sequence(),
            Some(b'O') => match self.rest() {
                None => Key::Meta(b'O'),
                Some(last) => named(last, 1),
            },
            // Escape and an arrow, as some terminals send it for the meta key.
            Some(0x1b) => match self.escaped() {
                Key::Left => Key::WordLeft,
                Key::Right => Key::WordRight,
                other => other,
            },
            Some(byte) => Key::Meta(byte),
        }
    }

    /// What follows `ESC [`: numbers and a letter.
    fn sequence(&mut self) -> Key {
        let mut numbers = vec![0_u32];
        loop {
            match self.rest() {
                Some(digit @ b'0'..=b'9') => {
                    if let Some(last) = numbers.last_mut() {
                        *last = (*last * 10 + u32::from(digit - b'0')).min(9999);
                    }
                }
                Some(b';') if numbers.len() < 8 => numbers.push(0),
                Some(0x20..0x40) => {}
                Some(b'~') => break,
                Some(last) => return named(last, numbers.get(1).copied().unwrap_or(1)),
                None => return Key::Unknown,
            }
        }
        match numbers.first() {
            Some(1 | 7) => Key::Home,
            Some(4 | 8) => Key::End,
            Some(2) => Key::Insert,
            Some(3) => Key::Delete,
            Some(5) => Key::PageUp,
            Some(6) => Key::PageDown,
            Some(200) => self.pasted(),
            _ => Key::Unknown,
        }
    }

    /// Pasted text, up to its end mark.
    fn pasted(&mut self) -> Key {
        const END: &[u8] = b"\x1b[201~";
        let mut text = Vec::new();
        loop {
            let byte = match self.byte() {
                Ok(byte) => byte,
                Err(Errno::INTR) => continue,
                Err(_) => break,
            };
            text.push(if byte == b'\r' { b'\n' } else { byte });
            if text.ends_with(END) {
                text.truncate((text.len() - END.len()).min(PASTE));
                break;
            }
            // All of it is taken, as the rest must not be read as keys.
            if text.len() >= 2 * PASTE {
                text.drain(PASTE..text.len() - END.len());
            }
        }
        Key::Paste(text)
    }
}

/// The key of a sequence that ends with a letter. `modifier` is 1 without further keys.
fn named(last: u8, modifier: u32) -> Key {
    match last {
        b'A' => Key::Up,
        b'B' => Key::Down,
        b'C' if modifier > 1 => Key::WordRight,
        b'C' => Key::Right,
        b'D' if modifier > 1 => Key::WordLeft,
        b'D' => Key::Left,
        b'H' => Key::Home,
        b'F' => Key::End,
        b'Z' => Key::BackTab,
        b'M' => Key::Enter,
        _ => Key::Unknown,
    }
}
