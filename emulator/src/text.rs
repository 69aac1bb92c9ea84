//! Output as text, for services that have no bytes.

use sandshell_providers::OutputStream;

use crate::process::{End, Process};

/// Decodes UTF-8 that arrives in pieces, which may end inside a character. Invalid bytes become U+FFFD.
#[derive(Default)]
pub(crate) struct Decoder {
    pending: Vec<u8>,
}

impl Decoder {
    /// Adds a piece; returns the characters that are complete.
    pub(crate) fn push(&mut self, data: &[u8]) -> String {
        self.pending.extend_from_slice(data);
        let begun = match std::str::from_utf8(&self.pending) {
            // The rest may be the beginning of a character.
            Err(error) if error.error_len().is_none() => self.pending.len() - error.valid_up_to(),
            Err(_) => unfinished(&self.pending),
            Ok(_) => 0,
        };
        let rest = self.pending.split_off(self.pending.len() - begun);
        let text = String::from_utf8_lossy(&self.pending).into_owned();
        self.pending = rest;
        text
    }

    /// Ends the input; returns U+FFFD for an incomplete character.
    pub(crate) fn finish(&mut self) -> String {
        String::from_utf8_lossy(&std::mem::take(&mut self.pending)).into_owned()
    }
}

/// How many bytes at the end belong to an incomplete character.
fn unfinished(bytes: &[u8]) -> usize {
    let longest = bytes.len().min(3);
    let ends = (1..=longest).filter_map(|length| Some((length, bytes.get(bytes.len() - length..)?)));
    let begins =
        |end: &[u8]| std::str::from_utf8(end).is_err_and(|e| e.valid_up_to() == 0 && e.error_len().is_none());
    ends.filter(|(_, end)| begins(end)).map(|(length, _)| length).max().unwrap_or(0)
}

/// All output so far of one stream.
pub(crate) fn output(process: &Process, stream: OutputStream) -> String {
    let mut bytes = Vec::new();
    for chunk in process.chunks().iter().filter(|chunk| chunk.stream == stream) {
        bytes.extend_from_slice(&chunk.data);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The exit code as a shell reports it.
pub(crate) fn exit_code(end: &End) -> i32 {
    match end {
        End::Exited(code) => *code,
        End::TimedOut => 124,
        End::Killed(signal) => 128 + i32::from(*signal),
        End::Failed(_) => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_not_torn() {
        let mut decoder = Decoder::default();
        assert_eq!(decoder.push(b"a\xc3"), "a");
        assert_eq!(decoder.push(b"\xbcb\xff\xe2\x82"), "\u{fc}b\u{fffd}");
        assert_eq!(decoder.push(b"\xac"), "\u{20ac}");
        assert_eq!(decoder.push(b"\xf0\x9f"), "");
        assert_eq!(decoder.finish(), "\u{fffd}");
        assert_eq!(decoder.finish(), "");
    }
}
