//! Finds the history line of an event.

use super::Expansion;
use super::words::tokens;
use crate::text;

impl Expansion<'_> {
    /// Finds the event that begins at `at`: `!!`, `!3`, `!-2`, `!text`, `!?text?`. Moves `at` to its end, even if no
    /// line matches.
    pub(super) fn find(&mut self, line: &[u8], at: &mut usize, double: bool) -> Option<Vec<u8>> {
        let rest = line.get(*at + 1..).unwrap_or_default();
        if rest.first() == Some(&self.characters.event) {
            *at += 2;
            return self.history.last().map(|event| event.line.clone());
        }
        let back = usize::from(rest.first() == Some(&b'-'));
        let digits = rest.iter().skip(back).take_while(|b| b.is_ascii_digit()).count();
        if digits > 0 {
            *at += 1 + back + digits;
            let number = text::parse_integer(rest.get(back..back + digits)?)?;
            let number = usize::try_from(number).ok()?;
            let index = if back > 0 {
                self.history.len().checked_sub(number)
            } else {
                number.checked_sub(self.dropped + 1)
            };
            return index.and_then(|index| self.history.get(index)).map(|event| event.line.clone());
        }
        if let Some(rest) = rest.strip_prefix(b"?") {
            let length = rest.iter().position(|b| matches!(b, b'?' | b'\n')).unwrap_or(rest.len());
            *at += 2 + length + usize::from(rest.get(length) == Some(&b'?'));
            let wanted = match rest.get(..length).unwrap_or_default() {
                b"" => self.memory.search.clone()?,
                text => text.to_vec(),
            };
            return self.containing(wanted);
        }
        let length = rest.iter().enumerate().position(|(i, b)| ends(*b, i) || (double && *b == b'"'));
        let length = length.unwrap_or(rest.len());
        *at += 1 + length;
        let wanted = rest.get(..length).filter(|wanted| !wanted.is_empty())?;
        self.history.iter().rev().find(|event| event.starts_with(wanted)).map(|event| event.line.clone())
    }

    fn containing(&mut self, wanted: Vec<u8>) -> Option<Vec<u8>> {
        let place = |event: &[u8]| event.windows(wanted.len()).rposition(|window| *window == *wanted);
        let (event, at) = self.history.iter().rev().find_map(|event| Some((event, place(event)?)))?;
        let word = tokens(event).into_iter().find(|word| word.contains(&at));
        self.memory.found = word.and_then(|word| event.get(word)).unwrap_or_default().to_vec();
        self.memory.search = Some(wanted);
        Some(event.line.clone())
    }
}

/// Whether a byte ends the text of an event.
fn ends(byte: u8, at: usize) -> bool {
    match byte {
        b' ' | b'\t' | b'\n' | b':' | b'^' | b'$' | b'*' | b'%' => true,
        b';' | b'&' | b'(' | b')' | b'|' | b'<' | b'>' => true,
        b'-' => at > 0,
        _ => false,
    }
}
