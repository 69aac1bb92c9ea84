//! Randomness, from the system or a file.

use sandshell_cli::input::Input;
use sandshell_cli::quote::{quote, quotef};
use sandshell_cli::warn;
use sandshell_sys as sys;

/// A source of random numbers, from the system or a file. They are computed in the same way as in gnulib's `randint`.
pub(crate) struct Random {
    /// The command, for messages.
    name: &'static str,
    source: Option<(Input, Vec<u8>)>,
    /// Random bytes from the system, and how many of them have been used.
    drawn: ([u8; 256], usize),
    number: u64,
    most: u64,
}

impl Random {
    /// Opens the source.
    pub(crate) fn new(name: &'static str, source: Option<&[u8]>) -> Result<Self, i32> {
        let source = match source {
            None => None,
            Some(path) => Some((
                Input::open(path).map_err(|e| {
                    warn!(name, quotef(path), ": ", e);
                    1
                })?,
                path.to_vec(),
            )),
        };
        Ok(Self { name, source, drawn: ([0; 256], 256), number: 0, most: 0 })
    }

    fn byte(&mut self) -> Result<u8, i32> {
        let name = self.name;
        let Some((input, path)) = &mut self.source else {
            let (bytes, used) = &mut self.drawn;
            if *used == bytes.len() {
                sys::random(bytes);
                *used = 0;
            }
            *used += 1;
            return Ok(bytes[*used - 1]);
        };
        match input.byte() {
            Ok(Some(b)) => Ok(b),
            Ok(None) => {
                warn!(name, quote(path), ": end of file");
                Err(1)
            }
            Err(e) => {
                warn!(name, quote(path), ": read error: ", e);
                Err(1)
            }
        }
    }

    /// A random number below `limit` (at least 1). Leftover randomness is kept for the next number.
    pub(crate) fn below(&mut self, limit: u64) -> Result<u64, i32> {
        let most_wanted = limit - 1;
        loop {
            while self.most < most_wanted {
                self.number = self.number << 8 | u64::from(self.byte()?);
                self.most = self.most << 8 | 0xff;
            }
            if self.most == most_wanted {
                let n = self.number;
                (self.number, self.most) = (0, 0);
                return Ok(n);
            }
            let excess = self.most - most_wanted;
            let unusable = excess % limit;
            let last = self.most - unusable;
            let n = self.number % limit;
            if self.number <= last {
                self.number /= limit;
                self.most = excess / limit;
                return Ok(n);
            }
            self.number = n;
            self.most = unusable.wrapping_sub(1);
        }
    }

    /// Fills a buffer with random bytes.
    pub(crate) fn fill(&mut self, buffer: &mut [u8]) -> Result<(), i32> {
        if self.source.is_none() {
            sys::random(buffer);
            return Ok(());
        }
        for byte in buffer {
            *byte = self.byte()?;
        }
        Ok(())
    }
}
