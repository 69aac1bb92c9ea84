//! The bytes that are typed: by the user, by macros, and by commands that are repeated.

use sandshell_sys::{Errno, Result};
use sandshell_terminal::Keys;
use std::rc::Rc;
use std::time::Duration;

/// How deeply macros may type other macros.
const NESTING: usize = 16;
/// How many macros may be typed for one key of the user.
const EXPANSIONS: usize = 10_000;
/// The longest text of a macro that is typed several times.
pub(super) const REPEATED: usize = 1 << 16;
/// The longest recording.
const LONGEST: usize = 1 << 16;
/// The longest text that is taken as pasted.
const LONGEST_PASTE: usize = 1 << 20;
/// The end of what is pasted.
const PASTE_END: &[u8] = b"\x1b[201~";

/// Where keys come from.
#[derive(Debug)]
pub(super) struct Input {
    keys: Keys,
    /// Bytes that were read too early, the next one last.
    unread: Vec<u8>,
    /// Macros that are being typed, with the place in each, the innermost last.
    macros: Vec<(Rc<[u8]>, usize)>,
    expansions: usize,
    /// Bytes that no user typed.
    untyped: usize,
    /// A keyboard macro that is being recorded.
    pub(super) recording: Option<Vec<u8>>,
    /// What was typed since the start of a command.
    pub(super) log: Vec<u8>,
}

impl Input {
    pub(super) fn new() -> Input {
        Input {
            keys: Keys::new(0),
            unread: Vec::new(),
            macros: Vec::new(),
            expansions: 0,
            untyped: 0,
            recording: None,
            log: Vec::new(),
        }
    }

    /// The next byte.
    ///
    /// # Errors
    /// As [`Keys::byte`].
    pub(super) fn byte(&mut self) -> Result<u8> {
        let byte = match self.unread.pop() {
            Some(byte) => byte,
            None => match self.typed_by_macro() {
                Some(byte) => byte,
                None => {
                    let byte = self.keys.byte()?;
                    self.expansions = 0;
                    if let Some(recording) = self.recording.as_mut().filter(|r| r.len() < LONGEST) {
                        recording.push(byte);
                    }
                    byte
                }
            },
        };
        if self.log.len() < LONGEST {
            self.log.push(byte);
        }
        Ok(byte)
    }

    fn typed_by_macro(&mut self) -> Option<u8> {
        while let Some((text, at)) = self.macros.last_mut() {
            if let Some(byte) = text.get(*at) {
                *at += 1;
                self.untyped += 1;
                return Some(*byte);
            }
            self.macros.pop();
        }
        None
    }

    /// These bytes come again.
    pub(super) fn unread(&mut self, bytes: &[u8]) {
        self.unread.extend(bytes.iter().rev());
        self.log.truncate(self.log.len().saturating_sub(bytes.len()));
    }

    /// Lets a macro type. False if there are too many, which are then all dropped.
    pub(super) fn type_macro(&mut self, text: Rc<[u8]>) -> bool {
        self.expansions += 1;
        if self.macros.len() > NESTING || self.expansions > EXPANSIONS {
            self.drop_macros();
            return false;
        }
        self.macros.push((text, 0));
        true
    }

    /// Whether it is time to look for signals, as macros type for long.
    pub(super) fn is_long(&mut self) -> bool {
        let long = self.untyped >= 1024;
        if long {
            self.untyped = 0;
        }
        long
    }

    /// How many macros still type.
    pub(super) fn depth(&mut self) -> usize {
        while self.macros.last().is_some_and(|(text, at)| *at >= text.len()) {
            self.macros.pop();
        }
        self.macros.len()
    }

    /// Nothing is typed any more but what the user types.
    pub(super) fn drop_macros(&mut self) {
        self.macros.clear();
    }

    /// Whether bytes are there already.
    pub(super) fn are_waiting(&mut self) -> bool {
        self.wait(Some(Duration::ZERO))
    }

    /// Waits for a byte. `None`: as long as it takes.
    pub(super) fn wait(&mut self, time: Option<Duration>) -> bool {
        let ready = self.macros.iter().any(|(text, at)| *at < text.len());
        ready || !self.unread.is_empty() || time.is_none_or(|time| self.keys.wait(time))
    }

    /// Pasted text, up to its end mark. Too long texts are cut.
    pub(super) fn pasted(&mut self) -> (Vec<u8>, bool) {
        let (mut text, mut cut) = (Vec::new(), false);
        loop {
            let byte = match self.byte() {
                Ok(byte) => byte,
                Err(Errno::INTR) => continue,
                Err(_) => break,
            };
            text.push(if byte == b'\r' { b'\n' } else { byte });
            if text.ends_with(PASTE_END) {
                text.truncate(text.len() - PASTE_END.len());
                break;
            }
            // All of it is taken, as the rest must not be read as keys.
            if text.len() >= 2 * LONGEST_PASTE {
                text.drain(LONGEST_PASTE..text.len() - PASTE_END.len());
                cut = true;
            }
        }
        cut |= text.len() > LONGEST_PASTE;
        text.truncate(LONGEST_PASTE);
        (text, cut)
    }
}

/// How many bytes a character has that begins so.
pub(super) fn character_length(first: u8) -> usize {
    match first {
        0xc2..0xe0 => 2,
        0xe0..0xf0 => 3,
        0xf0..0xf5 => 4,
        _ => 1,
    }
}
