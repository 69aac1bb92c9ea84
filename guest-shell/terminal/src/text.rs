//! Text as the screen shows it.

use sandshell_posix::characters::{char_width, characters};

/// A character as it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glyph {
    /// What is written.
    pub text: Vec<u8>,
    /// How many columns it takes.
    pub columns: usize,
    /// How many bytes of the text it stands for.
    pub bytes: usize,
}

/// The glyphs of a text: control characters as `^X`, invalid bytes as `\xxx`. Marks without a width of their own belong
/// to the glyph before them. A tab is a single glyph of no column, as its width depends on its place.
pub fn glyphs(text: &[u8]) -> Vec<Glyph> {
    let mut all: Vec<Glyph> = Vec::with_capacity(text.len());
    for (bytes, character) in characters(text) {
        let width = character.and_then(char_width);
        match (character, width) {
            (Some('\t'), _) => all.push(Glyph { text: b"\t".to_vec(), columns: 0, bytes: 1 }),
            (Some(_), Some(0)) if !all.is_empty() => {
                if let Some(last) = all.last_mut() {
                    last.text.extend_from_slice(bytes);
                    last.bytes += bytes.len();
                }
            }
            (Some(_), Some(columns)) => {
                all.push(Glyph { text: bytes.to_vec(), columns, bytes: bytes.len() });
            }
            _ => {
                let text = shown(bytes);
                all.push(Glyph { columns: text.len(), text, bytes: bytes.len() });
            }
        }
    }
    all
}

/// Bytes that cannot be shown as they are: `^X` for control characters, `\xxx` for others.
pub fn shown(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for byte in bytes {
        match byte {
            0..0x20 | 0x7f => out.extend([b'^', byte ^ 0x40]),
            0x20..0x7f => out.push(*byte),
            _ => out.extend(format!("\\{byte:03o}").bytes()),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_have_the_width_that_they_take() {
        let all = glyphs("aé漢e\u{301}\x01\u{7f}".as_bytes());
        let widths: Vec<usize> = all.iter().map(|g| g.columns).collect();
        assert_eq!(widths, [1, 1, 2, 1, 2, 2]);
        assert_eq!(all.iter().map(|g| g.bytes).sum::<usize>(), 11);
        assert_eq!(glyphs(b"\xff")[0].text, b"\\377");
    }
}
