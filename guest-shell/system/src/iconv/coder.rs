//! What a character set can do: take characters from bytes, and make bytes of characters.

/// A character, also beyond Unicode's last one: UTF-8 and UCS-4 have 31 bits here.
pub(super) type Char = u32;

/// What is at the beginning of the input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Step {
    /// A character and how many bytes it has. It may be one that was held back before.
    Char(Char, usize),
    /// Two characters.
    Two(Char, Char, usize),
    /// Bytes that are no character of their own.
    Nothing(usize),
    /// A byte order mark.
    Mark(usize),
    /// Bytes that are wrong, and how many are left out when errors are ignored.
    Wrong(usize),
    /// As `Wrong`, but leaving them out is no error.
    Unwanted(usize),
    /// The beginning of a character.
    Incomplete,
}

/// Takes characters from bytes.
pub(super) trait Decode {
    /// What `input` begins with. It has at least one byte.
    fn step(&mut self, input: &[u8]) -> Step;

    /// How many characters glibc takes at once.
    fn portion(&self) -> usize {
        8160
    }

    /// The character that was held back at the end of the input, if any.
    fn held(&mut self) -> Option<Char> {
        None
    }

    /// Forgets the state, for the next file.
    fn reset(&mut self) {}
}

/// A character that the set does not have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Missing;

/// The state of an encoder between characters: 0 at the beginning.
pub(super) type State = u32;

/// Makes bytes of characters.
pub(super) trait Encode {
    /// Appends the bytes of a character.
    fn put(&self, state: &mut State, c: Char, out: &mut Vec<u8>) -> Result<(), Missing>;

    /// Whether the characters that mark a language, U+E0000 to U+E007F, are left out.
    fn drops_tags(&self) -> bool {
        true
    }

    /// Appends what belongs to the end of a text.
    fn end(&self, _state: &mut State, _out: &mut Vec<u8>) {}

    /// Appends what belongs to the beginning of a text. It is called before the first character.
    fn begin(&self, _out: &mut Vec<u8>) {}
}
