//! Characters for a console that takes nothing else, as that of Windows does.

use super::host_file::takes_characters_only;
use std::borrow::Cow;
use std::io::IsTerminal;
use std::mem;

/// What is written to one stream.
pub(crate) struct Characters {
    /// Whether it takes characters only.
    only: bool,
    /// The beginning of a character whose rest has not come yet.
    begun: Vec<u8>,
}

impl Characters {
    pub(crate) fn of(stream: &impl IsTerminal) -> Self {
        Self { only: takes_characters_only(stream), begun: Vec::new() }
    }

    /// The bytes themselves, or for such a console its characters, with U+FFFD for what is none. A character that is
    /// not complete comes with the next bytes.
    pub(crate) fn show<'a>(&mut self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        if !self.only {
            return Cow::Borrowed(bytes);
        }
        let mut all = mem::take(&mut self.begun);
        all.extend_from_slice(bytes);
        let mut shown = String::with_capacity(all.len());
        let mut chunks = all.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            shown.push_str(chunk.valid());
            if chunks.peek().is_none() && is_beginning(chunk.invalid()) {
                self.begun = chunk.invalid().to_vec();
            } else if !chunk.invalid().is_empty() {
                shown.push(char::REPLACEMENT_CHARACTER);
            }
        }
        Cow::Owned(shown.into_bytes())
    }
}

/// Whether more bytes could make a character of these.
fn is_beginning(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_become_characters() {
        let mut console = Characters { only: true, begun: Vec::new() };
        let mut show =
            |bytes: &[u8]| String::from_utf8(console.show(bytes).into_owned()).expect("characters");
        assert_eq!(show(b"a\xffb"), "a\u{fffd}b");
        assert_eq!(show(b"\xc3"), "");
        assert_eq!(show(b"\xa9."), "é.");
        assert_eq!(show(b"x\xe2\x82"), "x");
        assert_eq!(show(b"y"), "\u{fffd}y", "what has begun does not go on");
        assert_eq!(show(b"\xf0\x9f"), "");
        assert_eq!(show(b"\x98\x80\xc3\xc3"), "😀\u{fffd}");
        assert_eq!(show(b"\xa9"), "é");
        let mut file = Characters { only: false, begun: Vec::new() };
        assert_eq!(*file.show(b"a\xffb\xc3"), *b"a\xffb\xc3");
    }
}
