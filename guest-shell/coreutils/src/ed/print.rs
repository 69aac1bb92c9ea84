//! Printing lines.

use super::Editor;
use super::error::{INVALID_SUFFIX, Result};
use sandshell_cli::out;

/// The width at which `l` folds lines.
const WIDTH: usize = 72;

/// How lines are printed: the suffixes of a command.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Print {
    pub(super) plainly: bool,
    pub(super) listed: bool,
    pub(super) numbered: bool,
}

impl Print {
    pub(super) fn is_wanted(self) -> bool {
        self.plainly || self.listed || self.numbered
    }

    /// Adds a suffix. `false` if it is none, or is there already.
    pub(super) fn add(&mut self, suffix: u8) -> bool {
        let flag = match suffix {
            b'p' => &mut self.plainly,
            b'l' => &mut self.listed,
            b'n' => &mut self.numbered,
            _ => return false,
        };
        !std::mem::replace(flag, true)
    }
}

impl Editor {
    /// Reads the suffixes of a command and the end of its line.
    pub(super) fn suffixes(&mut self) -> Result<Print> {
        self.suffixes_after(Print::default())
    }

    /// As [`suffixes`](Self::suffixes), after these.
    pub(super) fn suffixes_after(&mut self, mut print: Print) -> Result<Print> {
        while !self.text.take_end() {
            let suffix = self.text.peek().unwrap_or_default();
            if !print.add(suffix) {
                return Err(INVALID_SUFFIX);
            }
            self.text.advance();
        }
        Ok(print)
    }

    /// Prints lines, the last of which becomes the current one.
    pub(super) fn print(&mut self, (first, last): (usize, usize), how: Print) {
        for number in first..=last {
            let Some(line) = self.buffer.line(number) else { break };
            out::build(|out| {
                if how.numbered {
                    out.extend_from_slice(format!("{number}\t").as_bytes());
                }
                if how.listed {
                    list(&line.text, if how.numbered { 8 } else { 0 }, out);
                } else {
                    out.extend_from_slice(&line.text);
                    out.push(b'\n');
                }
            });
        }
        self.buffer.current = last;
    }
}

/// Appends a line so that every byte can be seen.
fn list(text: &[u8], mut column: usize, out: &mut Vec<u8>) {
    for byte in text {
        let shown: Vec<u8> = match byte {
            b'\\' => b"\\\\".to_vec(),
            b'$' => b"\\$".to_vec(),
            7 => b"\\a".to_vec(),
            8 => b"\\b".to_vec(),
            b'\t' => b"\\t".to_vec(),
            b'\n' => b"\\n".to_vec(),
            11 => b"\\v".to_vec(),
            12 => b"\\f".to_vec(),
            b'\r' => b"\\r".to_vec(),
            b' '..=b'~' => vec![*byte],
            _ => format!("\\{byte:03o}").into_bytes(),
        };
        if column + shown.len() > WIDTH {
            out.extend_from_slice(b"\\\n");
            column = 0;
        }
        column += shown.len();
        out.extend_from_slice(&shown);
    }
    out.extend_from_slice(b"$\n");
}
