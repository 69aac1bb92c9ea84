//! Finds a closing parenthesis by counting, as bash does while it does not know whether `$((` begins arithmetic or a
//! command.

use super::{Reader, Result};

impl Reader<'_> {
    /// Skips `(...)` at the position. Returns the text between the parentheses.
    pub(super) fn matched_parentheses(&mut self) -> Result<Vec<u8>> {
        let line = self.p.input.line();
        let mut text = Vec::new();
        self.bump();
        self.pass_to(b')', line, &mut text)?;
        text.pop();
        Ok(text)
    }

    /// Skips text up to and including `close`.
    fn pass_to(&mut self, close: u8, line: u32, text: &mut Vec<u8>) -> Result<()> {
        self.enter()?;
        let mut dollar = false;
        loop {
            let Some(byte) = self.peek_raw() else { return self.unmatched(line, close) };
            self.bump();
            text.push(byte);
            let after_dollar = std::mem::replace(&mut dollar, byte == b'$');
            if byte == close {
                break;
            }
            let line = self.p.input.line();
            match byte {
                b'\\' if close != b'\'' => {
                    if let Some(next) = self.peek_raw() {
                        self.bump();
                        text.push(next);
                    }
                }
                _ if close == b'\'' || close == b'`' => {}
                b'`' => self.pass_to(b'`', line, text)?,
                b'(' if after_dollar || close == b')' => self.pass_to(b')', line, text)?,
                b'{' if after_dollar => self.pass_to(b'}', line, text)?,
                b'\'' | b'"' if close != b'"' => self.pass_to(byte, line, text)?,
                _ => {}
            }
        }
        self.leave();
        Ok(())
    }
}
