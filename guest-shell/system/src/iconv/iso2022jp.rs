//! ISO-2022-JP of RFC 1468: escape sequences choose what bytes stand for.

use super::coder::{Char, Decode, Encode, Missing, State, Step};
use super::tables::Table;

const ASCII: State = 0;
const ROMAN: State = 1;
const OLD: State = 2;
const JIS: State = 3;
const ESCAPES: [(&[u8; 3], State); 4] =
    [(b"\x1b(B", ASCII), (b"\x1b(J", ROMAN), (b"\x1b$@", OLD), (b"\x1b$B", JIS)];

/// The set, over the tables of EUC-JP.
pub(super) struct Iso2022Jp {
    table: Table,
    set: State,
}

impl Iso2022Jp {
    pub(super) fn new(table: Table) -> Self {
        Self { table, set: ASCII }
    }

    /// The two bytes of a character of JIS X 0208.
    fn pair(&self, c: Char) -> Option<[u8; 2]> {
        let [first, second] = self.table.character(c)?.to_be_bytes();
        (first >= 0xa1 && second >= 0xa1).then_some([first & 0x7f, second & 0x7f])
    }
}

impl Decode for Iso2022Jp {
    fn step(&mut self, input: &[u8]) -> Step {
        let Some(&first) = input.first() else { return Step::Incomplete };
        if first == 0x1b {
            if let Some((escape, set)) = ESCAPES.iter().find(|(escape, _)| input.starts_with(*escape)) {
                self.set = *set;
                return Step::Nothing(escape.len());
            }
            if ESCAPES.iter().any(|(escape, _)| escape.starts_with(input)) {
                return Step::Incomplete;
            }
        }
        if first >= 0x80 {
            return Step::Wrong(1);
        }
        if self.set < OLD || first <= 0x20 || first == 0x7f {
            return Step::Char(if self.set == ROMAN { roman(first) } else { first.into() }, 1);
        }
        let Some(&second) = input.get(1) else { return Step::Incomplete };
        let code = u16::from_be_bytes([first | 0x80, second | 0x80]);
        match self.table.code(code) {
            Some(c) if (0x21..0x7f).contains(&second) => Step::Char(c, 2),
            _ => Step::Wrong(1),
        }
    }

    fn reset(&mut self) {
        self.set = ASCII;
    }
}

/// What a byte of JIS X 0201's Roman set stands for.
fn roman(byte: u8) -> Char {
    match byte {
        0x5c => 0xa5,
        0x7e => 0x203e,
        byte => byte.into(),
    }
}

impl Encode for Iso2022Jp {
    fn put(&self, state: &mut State, c: Char, out: &mut Vec<u8>) -> Result<(), Missing> {
        let roman = match c {
            0xa5 => Some(0x5c),
            0x203e => Some(0x7e),
            0x21..0x7e if c != 0x5c => u8::try_from(c).ok(),
            _ => None,
        };
        let ascii = u8::try_from(c).ok().filter(u8::is_ascii);
        let (set, byte) = match (*state, ascii, roman) {
            (ROMAN, _, Some(byte)) => (ROMAN, byte),
            (_, Some(byte), _) => (ASCII, byte),
            (_, None, Some(byte)) => (ROMAN, byte),
            _ => {
                let pair = self.pair(c).ok_or(Missing)?;
                choose(state, JIS, out);
                out.extend(pair);
                return Ok(());
            }
        };
        choose(state, set, out);
        out.push(byte);
        Ok(())
    }

    fn drops_tags(&self) -> bool {
        false
    }

    fn end(&self, state: &mut State, out: &mut Vec<u8>) {
        choose(state, ASCII, out);
    }
}

fn choose(state: &mut State, set: State, out: &mut Vec<u8>) {
    if *state != set {
        *state = set;
        out.extend(ESCAPES.iter().filter(|escape| escape.1 == set).flat_map(|escape| escape.0));
    }
}
