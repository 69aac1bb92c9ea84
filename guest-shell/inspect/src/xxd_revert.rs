//! `xxd -r`: bytes from a hex dump.

use sandshell_cli::input::Input;
use sandshell_cli::{bytes, warn};
use sandshell_sys::{self as sys, Fd};

/// Writes the bytes of a dump to `to`. A `plain` dump has no addresses; otherwise `base` is added to them.
pub(crate) fn revert(input: Input, to: Fd, plain: bool, columns: i64, base: i64) -> Result<i32, i32> {
    Revert { input, to, buffer: Vec::new(), have: 0 }.run(plain, columns, base)
}

struct Revert {
    input: Input,
    to: Fd,
    buffer: Vec<u8>,
    /// The current offset in the output.
    have: i64,
}

impl Revert {
    fn run(mut self, plain: bool, columns: i64, base: i64) -> Result<i32, i32> {
        // The values of the last hex digits, newest first; -1 for other characters.
        let (mut n1, mut n2): (i64, i64) = (-1, 0);
        let mut want: i64 = 0;
        let mut count = columns;
        let mut skipping = true;
        while let Some(byte) = self.next()? {
            let mut byte = Some(byte);
            if byte == Some(b'\r') || plain && matches!(byte, Some(b' ' | b'\n' | b'\t')) {
                continue;
            }
            let n3 = n2;
            n2 = n1;
            n1 = byte.and_then(|b| char::from(b).to_digit(16)).map_or(-1, i64::from);
            if n1 < 0 && skipping {
                continue;
            }
            skipping = false;
            if count >= columns {
                if !plain {
                    if n1 < 0 {
                        count = 0;
                    } else {
                        want = want.wrapping_shl(4) | n1;
                    }
                    continue;
                }
                count = 0;
            }
            if base.wrapping_add(want) != self.have {
                self.go_to(base.wrapping_add(want))?;
            }
            if n2 >= 0 && n1 >= 0 {
                self.put((n2 << 4 | n1) as u8)?;
                want = want.wrapping_add(1);
                n1 = -1;
                if !plain {
                    count += 1;
                    if count >= columns {
                        byte = self.rest_of_line()?;
                    }
                }
            } else if n1 < 0 && n2 < 0 && n3 < 0 && byte != Some(b'\n') {
                byte = self.rest_of_line()?;
            }
            if byte == Some(b'\n') {
                if !plain {
                    want = 0;
                }
                count = columns;
                skipping = true;
            }
        }
        self.flush()?;
        Ok(0)
    }

    fn next(&mut self) -> Result<Option<u8>, i32> {
        self.input.byte().map_err(|e| {
            warn!("xxd", bytes!(e));
            2
        })
    }

    /// Skips the rest of the line. Returns its newline, or `None` at the end of the input.
    fn rest_of_line(&mut self) -> Result<Option<u8>, i32> {
        loop {
            match self.next()? {
                Some(b'\n') => return Ok(Some(b'\n')),
                Some(_) => {}
                None => return Ok(None),
            }
        }
    }

    fn put(&mut self, byte: u8) -> Result<(), i32> {
        self.buffer.push(byte);
        self.have = self.have.wrapping_add(1);
        if self.buffer.len() >= 64 * 1024 { self.flush() } else { Ok(()) }
    }

    /// Moves to an offset of the output: seeks, or writes zeros if that fails.
    fn go_to(&mut self, offset: i64) -> Result<(), i32> {
        self.flush()?;
        if sys::lseek(self.to, offset.wrapping_sub(self.have), 1).is_ok() {
            self.have = offset;
        }
        if offset < self.have {
            warn!("xxd", "Sorry, cannot seek backwards.");
            return Err(5);
        }
        while self.have < offset {
            self.put(0)?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), i32> {
        let done = sys::write_all(self.to, &self.buffer);
        self.buffer.clear();
        done.map_err(|e| {
            warn!("xxd", bytes!(e));
            3
        })
    }
}
