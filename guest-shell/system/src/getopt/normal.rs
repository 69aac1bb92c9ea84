//! Quoting for `eval`.

/// A family of shells.
#[derive(Clone, Copy)]
pub(super) enum Shell {
    Bourne,
    C,
}

impl Shell {
    pub(super) fn named(name: &[u8]) -> Option<Shell> {
        match name {
            b"sh" | b"bash" => Some(Shell::Bourne),
            b"csh" | b"tcsh" => Some(Shell::C),
            _ => None,
        }
    }

    /// Puts `text` in single quotes, so that the shell reads it back unchanged.
    pub(super) fn quote(self, text: &[u8]) -> Vec<u8> {
        let mut quoted = vec![b'\''];
        for byte in text {
            match (byte, self) {
                (b'\'', _) => quoted.extend_from_slice(b"'\\''"),
                (b'\\', Shell::C) => quoted.extend_from_slice(b"\\\\"),
                (b'!', Shell::C) => quoted.extend_from_slice(b"'\\!'"),
                (b'\n', Shell::C) => quoted.extend_from_slice(b"\\n"),
                (b' ' | b'\t' | 0x0b | 0x0c | b'\r', Shell::C) => {
                    quoted.extend_from_slice(&[b'\'', b'\\', *byte, b'\'']);
                }
                _ => quoted.push(*byte),
            }
        }
        quoted.push(b'\'');
        quoted
    }
}
