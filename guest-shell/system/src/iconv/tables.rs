//! Character sets of several bytes. Their tables are made from those of the Encoding Standard when a set is used.

use super::coder::{Char, Decode, Encode, Missing, State, Step};
use encoding_rs::{DecoderResult, Encoding};

/// How a set differs from one of the Encoding Standard. A code is one byte or two; of three bytes, the first is left
/// out and the last is without its highest bit.
pub(super) struct Differences {
    pub(super) base: &'static Encoding,
    /// The least first and second byte.
    pub(super) from: (u16, u16),
    /// Ranges of codes that this set does not have.
    pub(super) absent: &'static [(u16, u16)],
    /// Codes, what they stand for, and how many follow in the same way.
    pub(super) codes: &'static [(u16, Char, u16)],
    /// Whether a character that has several codes gets the last one.
    pub(super) last: bool,
    /// Characters, their codes, and how many follow in the same way. The code 0 means that there is none.
    pub(super) characters: &'static [(Char, u16, u16)],
    /// For the test: how many codes and characters there are, and a hash of them.
    #[cfg_attr(not(test), expect(dead_code, reason = "the test compares it"))]
    pub(super) check: (usize, usize, u64),
}

/// What sets do in ways of their own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Sjis,
    Cp932,
    /// Three bytes after 8F.
    EucJp,
    EucKr,
    Uhc,
    Gb2312,
    Gbk,
    /// Four bytes for everything else.
    Gb18030,
    Big5,
    /// Two letters with marks that are characters of their own elsewhere.
    Hkscs,
}

const NONE: Char = Char::MAX;
/// The first code of four bytes for a character after the BMP.
const AFTER_BMP: usize = 189_000;

/// A set of several bytes.
pub(super) struct Table {
    kind: Kind,
    /// The character of each code.
    codes: Vec<Char>,
    /// Whether a byte begins a code of two.
    leads: [bool; 256],
    /// The code of each character of the BMP; 0 if it has none.
    characters: Vec<u16>,
    /// The codes of other characters, sorted.
    others: Vec<(Char, u16)>,
    /// GB18030's characters of four bytes below U+10000, in the order of their codes, and the same sorted by character.
    four: Vec<Char>,
    four_sorted: Vec<(Char, u16)>,
}

impl Table {
    /// Makes the tables of a set.
    pub(super) fn new(kind: Kind, differences: &Differences) -> Self {
        let mut table = Self {
            kind,
            codes: vec![NONE; 1 << 16],
            leads: [false; 256],
            characters: vec![0; 1 << 16],
            others: Vec::new(),
            four: Vec::new(),
            four_sorted: Vec::new(),
        };
        table.read(differences);
        for &(first, last) in differences.absent {
            table.codes.iter_mut().take(usize::from(last) + 1).skip(first.into()).for_each(|c| *c = NONE);
        }
        for &(first, c, count) in differences.codes {
            for (c, place) in (c..).zip(table.codes.iter_mut().skip(first.into()).take(count.into())) {
                *place = c;
            }
        }
        for (c, code) in table.codes.iter().zip(0u16..=u16::MAX) {
            let Some(lead) = table.leads.get_mut(usize::from(code >> 8)) else { continue };
            *lead |= code > 0xff && *c != NONE;
        }
        table.invert(differences);
        if kind == Kind::Gb18030 {
            table.read_four(differences.base);
        }
        table
    }

    /// Takes all codes from the base.
    fn read(&mut self, differences: &Differences) {
        let mut reader = Reader::new(differences.base);
        for byte in 0..=u8::MAX {
            if let Some(c) = reader.read(&[byte]) {
                self.set(byte.into(), c);
            }
        }
        for first in 0x80..=u8::MAX {
            if u16::from(first) < differences.from.0 || self.code(first.into()).is_some() {
                continue;
            }
            for second in 0..=u8::MAX {
                let code = u16::from_be_bytes([first, second]);
                if u16::from(second) >= differences.from.1
                    && let Some(c) = reader.read(&[first, second])
                {
                    self.set(code, c);
                } else if self.kind == Kind::EucJp
                    && second < 0x80
                    && let Some(c) = reader.read(&[0x8f, first, second | 0x80])
                {
                    self.set(code, c);
                }
            }
        }
    }

    fn set(&mut self, code: u16, c: Char) {
        if let Some(place) = self.codes.get_mut(usize::from(code)) {
            *place = c;
        }
    }

    /// Finds the code of each character.
    fn invert(&mut self, differences: &Differences) {
        let mut others = Vec::new();
        for (&c, code) in self.codes.iter().zip(0u16..=u16::MAX) {
            match self.characters.get_mut(c as usize) {
                Some(place) if differences.last || *place == 0 && !(c == 0 && code == 0) => *place = code,
                Some(_) => {}
                None if c != NONE => others.push((c, code)),
                None => {}
            }
        }
        others.sort_unstable();
        if differences.last {
            others.reverse();
        }
        others.dedup_by_key(|other| other.0);
        others.sort_unstable();
        self.others = others;
        for &(first, code, count) in differences.characters {
            for at in 0..count {
                if let Some(place) = self.characters.get_mut(first as usize + usize::from(at)) {
                    *place = if code == 0 { 0 } else { code + at };
                }
            }
        }
    }

    fn read_four(&mut self, base: &'static Encoding) {
        let mut reader = Reader::new(base);
        for at in 0..39_420 {
            self.four.push(reader.read(&four_bytes(at)).unwrap_or(NONE));
        }
        let sorted = self.four.iter().zip(0u16..).filter(|(c, _)| **c != NONE);
        self.four_sorted = sorted.map(|(c, at)| (*c, at)).collect();
        self.four_sorted.sort_unstable();
    }

    /// The character of a code.
    pub(super) fn code(&self, code: u16) -> Option<Char> {
        self.codes.get(usize::from(code)).copied().filter(|c| *c != NONE)
    }

    /// The code of a character.
    pub(super) fn character(&self, c: Char) -> Option<u16> {
        match self.characters.get(c as usize) {
            Some(0) => (c == 0).then_some(0),
            Some(code) => Some(*code),
            None => {
                let at = self.others.binary_search_by_key(&c, |other| other.0).ok()?;
                self.others.get(at).map(|other| other.1)
            }
        }
    }

    fn four(&self, at: usize) -> Option<Char> {
        let after = at.checked_sub(AFTER_BMP).and_then(|after| Char::try_from(after).ok());
        match after {
            Some(after) => Some(0x1_0000 + after).filter(|c| *c < 0x11_0000),
            None => self.four.get(at).copied().filter(|c| *c != NONE),
        }
    }

    /// Whether a byte begins a code of several, also if no such code stands for anything.
    fn is_lead(&self, first: u8) -> bool {
        match self.kind {
            Kind::Sjis => matches!(first, 0x81..=0x9f | 0xe0..=0xea),
            Kind::EucKr => first >= 0xa1,
            Kind::Cp932 => matches!(first, 0x81..=0x9f | 0xe0..=0xfc),
            Kind::Gb2312 => matches!(first, 0x8e | 0x8f | 0xa1..=0xfe),
            Kind::Gbk | Kind::Gb18030 | Kind::Hkscs => matches!(first, 0x81..=0xfe),
            Kind::EucJp => matches!(first, 0x8e | 0x8f | 0xa0..=0xfe),
            _ => self.leads.get(usize::from(first)).is_some_and(|lead| *lead),
        }
    }

    /// How many bytes are left out if a code is wrong.
    fn wrong(&self, first: u8, second: u8) -> usize {
        let both = match self.kind {
            Kind::Sjis => second >= 0x40,
            Kind::Cp932 => {
                let rows = [
                    (0x8140, 0x84be),
                    (0x8740, 0x879c),
                    (0x889f, 0xeaa4),
                    (0xed40, 0xeefc),
                    (0xf040, 0xfc4b),
                ];
                let code = u16::from_be_bytes([first, second]);
                (0x40..0xfd).contains(&second)
                    && second != 0x7f
                    && rows.iter().any(|(from, to)| (*from..=*to).contains(&code))
            }
            Kind::EucKr => true,
            Kind::Uhc => first >= 0xa1 && second >= 0xa1,
            Kind::Gb2312 => second >= 0xa1,
            Kind::Gbk => second >= 0x40 && (first != 0xfe || second < 0xa1),
            Kind::Gb18030 => !matches!(second, 0x80),
            Kind::Big5 => matches!(second, 0x40..=0x7e | 0xa1..=0xfe),
            Kind::EucJp | Kind::Hkscs => false,
        };
        if both { 2 } else { 1 }
    }
}

/// The bytes of GB18030's code of four bytes with this number.
fn four_bytes(at: usize) -> [u8; 4] {
    let digit =
        |value: usize, count: usize, first: u8| first + u8::try_from(value % count).unwrap_or_default();
    [
        digit(at / 12_600, 126, 0x81),
        digit(at / 1260, 10, 0x30),
        digit(at / 10, 126, 0x81),
        digit(at, 10, 0x30),
    ]
}

/// Reads single codes.
struct Reader {
    base: &'static Encoding,
    decoder: encoding_rs::Decoder,
}

impl Reader {
    fn new(base: &'static Encoding) -> Self {
        Self { base, decoder: base.new_decoder_without_bom_handling() }
    }

    /// The character, if the bytes are exactly one.
    fn read(&mut self, bytes: &[u8]) -> Option<Char> {
        let mut units = [0; 8];
        let (result, read, written) =
            self.decoder.decode_to_utf16_without_replacement(bytes, &mut units, false);
        let mut characters = char::decode_utf16(units.get(..written)?.iter().copied());
        let complete = result == DecoderResult::InputEmpty && read == bytes.len();
        let first = characters.next();
        // A decoder that may hold something back is not used again.
        if !complete || first.is_none() {
            self.decoder = self.base.new_decoder_without_bom_handling();
            return None;
        }
        let c = first?.ok()?;
        characters.next().is_none().then_some(c.into())
    }
}

impl Decode for Table {
    fn portion(&self) -> usize {
        // There is room for two characters of each code.
        if self.kind == Kind::Hkscs { 2 * 8160 } else { 8160 }
    }

    fn step(&mut self, input: &[u8]) -> Step {
        let Some(&first) = input.first() else { return Step::Incomplete };
        if let Some(c) = self.code(first.into()) {
            return Step::Char(c, 1);
        }
        let three = self.kind == Kind::EucJp && first == 0x8f;
        let wrong = |length| match self.kind {
            Kind::Cp932 => Step::Unwanted(length),
            _ => Step::Wrong(length),
        };
        if !self.is_lead(first) {
            return wrong(1);
        }
        let Some(&second) = input.get(1) else { return Step::Incomplete };
        let code = u16::from_be_bytes([first, second]);
        if three {
            let is_row = || (0x21..0x7f).any(|last| self.code(u16::from_be_bytes([second, last])).is_some());
            if second < 0xa1 || input.len() == 2 && !is_row() {
                return Step::Wrong(1);
            }
            let Some(&third) = input.get(2) else { return Step::Incomplete };
            return match self.code(u16::from_be_bytes([second, third & 0x7f])) {
                Some(c) if third >= 0xa1 => Step::Char(c, 3),
                _ if third >= 0xa1 => Step::Unwanted(1),
                _ => Step::Wrong(1),
            };
        }
        if self.kind == Kind::EucJp && second < 0x80 {
            return Step::Wrong(1);
        }
        if self.kind == Kind::Gb18030 && second.is_ascii_digit() {
            let (Some(&third), Some(&last)) = (input.get(2), input.get(3)) else { return Step::Incomplete };
            if !(0x81..=0xfe).contains(&third) {
                return Step::Wrong(3);
            }
            if !last.is_ascii_digit() {
                return Step::Unwanted(4);
            }
            let high = usize::from(first - 0x81) * 10 + usize::from(second - 0x30);
            let low = usize::from(third - 0x81) * 10 + usize::from(last - 0x30);
            return match self.four(high * 1260 + low) {
                Some(c) => Step::Char(c, 4),
                None => Step::Unwanted(4),
            };
        }
        if self.kind == Kind::Hkscs
            && let Some(&(.., letter, mark)) = LETTERS.iter().find(|(known, ..)| *known == code)
        {
            return Step::Two(letter, mark, 2);
        }
        match self.code(code) {
            Some(c) => Step::Char(c, 2),
            None => wrong(self.wrong(first, second)),
        }
    }
}

/// HKSCS's codes of a letter and a mark.
const LETTERS: [(u16, Char, Char); 4] =
    [(0x8862, 0xca, 0x304), (0x8864, 0xca, 0x30c), (0x88a3, 0xea, 0x304), (0x88a5, 0xea, 0x30c)];

impl Encode for Table {
    fn put(&self, state: &mut State, c: Char, out: &mut Vec<u8>) -> Result<(), Missing> {
        if self.kind == Kind::Hkscs {
            // The state is a letter for which a mark could follow.
            if *state != 0 {
                let letter = std::mem::take(state);
                if let Some((code, ..)) = LETTERS.iter().find(|known| known.1 == letter && known.2 == c) {
                    out.extend(code.to_be_bytes());
                    return Ok(());
                }
                self.write(letter, out)?;
            }
            if LETTERS.iter().any(|known| known.1 == c) {
                *state = c;
                return Ok(());
            }
        }
        self.write(c, out)
    }

    fn end(&self, state: &mut State, out: &mut Vec<u8>) {
        if *state != 0 {
            let _ = self.write(std::mem::take(state), out);
        }
    }
}

impl Table {
    fn write(&self, c: Char, out: &mut Vec<u8>) -> Result<(), Missing> {
        let Some(code) = self.character(c) else { return self.write_four(c, out) };
        match code.to_be_bytes() {
            [0, byte] => out.push(byte),
            [first, second] if self.kind == Kind::EucJp && second < 0x80 => {
                out.extend([0x8f, first, second | 0x80]);
            }
            bytes => out.extend(bytes),
        }
        Ok(())
    }

    fn write_four(&self, c: Char, out: &mut Vec<u8>) -> Result<(), Missing> {
        let at = if self.kind != Kind::Gb18030 || c >= 0x11_0000 {
            None
        } else if c >= 0x1_0000 {
            Some(AFTER_BMP + c as usize - 0x1_0000)
        } else {
            let found = self.four_sorted.binary_search_by_key(&c, |known| known.0).ok();
            found.and_then(|at| self.four_sorted.get(at)).map(|known| usize::from(known.1))
        };
        out.extend(four_bytes(at.ok_or(Missing)?));
        Ok(())
    }
}
