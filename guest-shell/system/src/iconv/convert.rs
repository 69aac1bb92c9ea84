//! The conversion of a file, in the portions that glibc converts. They decide where it stops after an error that was
//! ignored.

use super::coder::{Char, Decode, Encode, Missing, State, Step};
use super::translit::Substitutes;
use sandshell_sys as sys;
use std::collections::VecDeque;

/// How many bytes are written at once.
const BYTES: usize = 32 * 1024;
const READ: usize = 64 * 1024;

/// Why a conversion did not come to the end of a file.
#[derive(Debug)]
pub(super) enum Failure {
    /// The input at this position is wrong, or the target does not have its character.
    Illegal(u64),
    /// The input ends within a character.
    Incomplete,
    Read(sys::Errno),
    /// The output could not be written.
    Write,
}

/// A character and where it came from.
struct Queued {
    c: Char,
    /// The position after it.
    end: u64,
    /// Whether wrong bytes before it were left out.
    skipped: bool,
}

/// How a portion ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    Done,
    Full,
    Illegal,
    Incomplete,
}

/// A conversion from one set to another.
pub(super) struct Conversion {
    pub(super) decoder: Box<dyn Decode>,
    pub(super) encoder: Box<dyn Encode>,
    pub(super) substitutes: Option<Substitutes>,
    /// Whether wrong input is left out.
    pub(super) ignore: bool,
    /// Whether that is no error.
    pub(super) omit: bool,
}

/// The state of a file's conversion.
struct Run<'a> {
    of: &'a mut Conversion,
    input: Source,
    queue: VecDeque<Queued>,
    /// Whether wrong bytes after the queue were left out.
    skipped: bool,
    /// The position after what was taken from the queue.
    done: u64,
    state: State,
    begun: bool,
    /// Whether this is the first portion.
    is_first: bool,
    /// Whether something similar was written for a character of this portion.
    substituted: bool,
}

impl Conversion {
    /// Converts a file. The result is whether a portion of it was left out and nothing was written since.
    pub(super) fn convert(
        &mut self,
        fd: sys::Fd,
        mut write: impl FnMut(&[u8]) -> Result<(), Failure>,
    ) -> Result<bool, Failure> {
        self.decoder.reset();
        let mut run = Run {
            input: Source { fd, buffer: Vec::new(), at: 0, before: 0, is_end: false },
            of: self,
            queue: VecDeque::new(),
            skipped: false,
            done: 0,
            state: 0,
            begun: false,
            is_first: true,
            substituted: false,
        };
        // As glibc does, nothing is written before the whole input could be read, if it is short.
        run.input.more().map_err(Failure::Read)?;
        let mut left_out = false;
        let mut out = Vec::new();
        loop {
            out.clear();
            let mut end = run.portion(&mut out).map_err(Failure::Read)?;
            if end == End::Illegal && run.of.omit {
                left_out = true;
                end = End::Full;
            }
            if !out.is_empty() {
                write(&out)?;
                left_out = false;
            }
            match end {
                End::Done => break,
                End::Full => {}
                End::Illegal => return Err(Failure::Illegal(run.done)),
                End::Incomplete => return Err(Failure::Incomplete),
            }
        }
        out.clear();
        let finished = run.finish(&mut out);
        if !out.is_empty() {
            write(&out)?;
        }
        match finished {
            Err(Missing) if run.of.omit => Ok(true),
            Err(Missing) => Err(Failure::Illegal(run.done)),
            Ok(()) => Ok(left_out && out.is_empty()),
        }
    }
}

impl Run<'_> {
    /// Converts until the output is full, the input ends, or there is an error.
    fn portion(&mut self, out: &mut Vec<u8>) -> sys::Result<End> {
        loop {
            let decoded = self.decode()?;
            if !self.queue.is_empty() {
                if !self.begun {
                    self.begun = true;
                    self.of.encoder.begin(out);
                }
                let encoded = self.encode(out);
                self.is_first = false;
                match encoded {
                    // A conversion of one step reports what it met last.
                    End::Illegal
                        if self.of.ignore
                            && decoded == End::Incomplete
                            && self.of.decoder.portion() > 1 << 16 => {}
                    End::Done => {}
                    end => return Ok(end),
                }
            }
            if decoded != End::Full {
                self.done = self.input.position();
                self.skipped = false;
                // glibc forgets what it left out where it also wrote something similar.
                let forgets = self.of.ignore && std::mem::take(&mut self.substituted);
                return Ok(if forgets && decoded == End::Illegal { End::Done } else { decoded });
            }
        }
    }

    /// Fills the queue. `Full` means that there is more input.
    fn decode(&mut self) -> sys::Result<End> {
        loop {
            if self.input.rest().is_empty() {
                self.input.more()?;
            }
            if self.input.rest().is_empty() {
                let skipped = self.skipped || self.queue.iter().any(|queued| queued.skipped);
                return Ok(if skipped { End::Illegal } else { End::Done });
            }
            if self.queue.len() >= self.of.decoder.portion() {
                return Ok(End::Full);
            }
            match self.of.decoder.step(self.input.rest()) {
                Step::Char(c, length) => {
                    self.input.take(length);
                    self.push(c);
                }
                Step::Two(first, second, length) => {
                    self.push(first);
                    self.input.take(length);
                    self.push(second);
                }
                Step::Nothing(length) => self.input.take(length),
                Step::Mark(length) => {
                    self.input.take(length);
                    self.done = self.input.position();
                }
                Step::Wrong(length) if self.of.ignore => {
                    self.input.take(length);
                    self.skipped = true;
                }
                Step::Unwanted(length) if self.of.ignore => self.input.take(length),
                Step::Wrong(_) | Step::Unwanted(_) => return Ok(End::Illegal),
                Step::Incomplete if self.input.is_end => return Ok(End::Incomplete),
                Step::Incomplete => self.input.more()?,
            }
        }
    }

    fn push(&mut self, c: Char) {
        let end = self.input.position();
        self.queue.push_back(Queued { c, end, skipped: std::mem::take(&mut self.skipped) });
    }

    /// Writes the characters of the queue.
    fn encode(&mut self, out: &mut Vec<u8>) -> End {
        let mut end = End::Done;
        self.substituted = false;
        while let Some(next) = self.queue.front() {
            let (state, length) = (self.state, out.len());
            if self.put(next.c, out).is_err() {
                if !self.of.ignore {
                    return End::Illegal;
                }
                end = End::Illegal;
            }
            if out.len() > BYTES {
                out.truncate(length);
                self.state = state;
                return End::Full;
            }
            if let Some(taken) = self.queue.pop_front() {
                self.done = taken.end;
            }
        }
        if end == End::Illegal {
            self.done = self.input.position();
        }
        end
    }

    /// Writes a character, or what stands for it.
    fn put(&mut self, c: Char, out: &mut Vec<u8>) -> Result<(), Missing> {
        let encoder = &self.of.encoder;
        let Err(missing) = encoder.put(&mut self.state, c, out) else { return Ok(()) };
        if encoder.drops_tags() && (0xe_0000..0xe_0080).contains(&c) {
            return Ok(());
        }
        let Some(substitutes) = &self.of.substitutes else { return Err(missing) };
        self.substituted = true;
        let (state, length) = (self.state, out.len());
        let unknown = [vec![Char::from(b'?')]];
        for text in substitutes.of(c).iter().chain(&unknown) {
            if self.is_first {
                // glibc writes the byte order mark again.
                encoder.begin(out);
            }
            if text.iter().all(|c| encoder.put(&mut self.state, *c, out).is_ok()) {
                return Ok(());
            }
            self.state = state;
            out.truncate(length);
        }
        Err(missing)
    }

    /// Writes what was held back until the end.
    fn finish(&mut self, out: &mut Vec<u8>) -> Result<(), Missing> {
        if let Some(c) = self.of.decoder.held() {
            if !self.begun {
                self.begun = true;
                self.of.encoder.begin(out);
            }
            self.put(c, out)?;
        }
        self.of.encoder.end(&mut self.state, out);
        Ok(())
    }
}

/// A file that is read in pieces.
struct Source {
    fd: sys::Fd,
    buffer: Vec<u8>,
    at: usize,
    /// How many bytes came before the buffer.
    before: u64,
    is_end: bool,
}

impl Source {
    fn rest(&self) -> &[u8] {
        self.buffer.get(self.at..).unwrap_or_default()
    }

    fn position(&self) -> u64 {
        self.before + self.at as u64
    }

    fn take(&mut self, length: usize) {
        self.at = (self.at + length).min(self.buffer.len());
    }

    /// Reads more, after what is left.
    fn more(&mut self) -> sys::Result<()> {
        if self.is_end {
            return Ok(());
        }
        self.buffer.drain(..self.at);
        self.before += self.at as u64;
        self.at = 0;
        let left = self.buffer.len();
        self.buffer.resize(left + READ, 0);
        let read = loop {
            match sys::read(self.fd, self.buffer.get_mut(left..).unwrap_or_default()) {
                Err(sys::Errno::INTR) => {}
                other => break other,
            }
        };
        self.buffer.truncate(left + *read.as_ref().unwrap_or(&0));
        self.is_end = read? == 0;
        Ok(())
    }
}
