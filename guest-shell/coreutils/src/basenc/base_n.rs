//! Encodings of bytes as text: base 64, 32, 16, 2 and Z85.

/// An encoding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Base {
    Base64,
    Base64Url,
    Base32,
    Base32Hex,
    Base16,
    HighBitFirst,
    LowBitFirst,
    Z85,
}

const PLAIN64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const URL64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const PLAIN32: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const HEX32: &[u8; 32] = b"0123456789ABCDEFGHIJKLMNOPQRSTUV";
const HEX: &[u8; 16] = b"0123456789ABCDEF";
const Z85: &[u8; 85] =
    b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";

impl Base {
    fn alphabet(self) -> &'static [u8] {
        match self {
            Self::Base64 => PLAIN64,
            Self::Base64Url => URL64,
            Self::Base32 => PLAIN32,
            Self::Base32Hex => HEX32,
            Self::Base16 => HEX,
            Self::HighBitFirst | Self::LowBitFirst => b"01",
            Self::Z85 => Z85,
        }
    }

    /// The number of bytes and the number of characters in a group.
    pub(crate) fn group(self) -> (usize, usize) {
        match self {
            Self::Base64 | Self::Base64Url => (3, 4),
            Self::Base32 | Self::Base32Hex => (5, 8),
            Self::Base16 => (1, 2),
            Self::HighBitFirst | Self::LowBitFirst => (1, 8),
            Self::Z85 => (4, 5),
        }
    }

    fn is_padded(self) -> bool {
        matches!(self, Self::Base64 | Self::Base64Url | Self::Base32 | Self::Base32Hex)
    }

    /// Whether the character belongs to the encoding. Padding does.
    pub(crate) fn knows(self, c: u8) -> bool {
        self.alphabet().contains(&c) || c == b'=' && self.is_padded()
    }

    /// Encodes data. Only the last piece may end inside a group; `None` if the encoding does not allow that.
    pub(crate) fn encode(self, data: &[u8]) -> Option<Vec<u8>> {
        let (bytes, characters) = self.group();
        let mut out = Vec::with_capacity(data.len() / bytes * characters + characters);
        let alphabet = self.alphabet();
        for group in data.chunks(bytes) {
            match self {
                Self::Base16 => out
                    .extend(group.iter().flat_map(|b| [HEX[usize::from(b >> 4)], HEX[usize::from(b & 15)]])),
                Self::HighBitFirst => {
                    out.extend(group.iter().flat_map(|b| (0..8).rev().map(move |i| b'0' + (b >> i & 1))))
                }
                Self::LowBitFirst => {
                    out.extend(group.iter().flat_map(|b| (0..8).map(move |i| b'0' + (b >> i & 1))))
                }
                Self::Z85 => {
                    let four: [u8; 4] = group.try_into().ok()?;
                    let n = u32::from_be_bytes(four);
                    out.extend((0..5).rev().map(|i| Z85[(n / 85u32.pow(i) % 85) as usize]));
                }
                _ => {
                    let bits = if characters == 4 { 6 } else { 5 };
                    let mut value = 0u64;
                    for i in 0..bytes {
                        value = value << 8 | u64::from(group.get(i).copied().unwrap_or(0));
                    }
                    let used = (group.len() * 8).div_ceil(bits);
                    for i in 0..characters {
                        let index = (value >> (bits * (characters - 1 - i))) as usize & ((1 << bits) - 1);
                        out.push(if i < used { alphabet[index] } else { b'=' });
                    }
                }
            }
        }
        Some(out)
    }

    /// Decodes one group (the last one may be short) into `out`. Returns false if it is invalid; the bytes before the
    /// error are kept.
    pub(crate) fn decode(self, group: &[u8], out: &mut Vec<u8>) -> bool {
        let value = |c: u8| self.alphabet().iter().position(|a| *a == c).map(|i| i as u64);
        match self {
            Self::Base64 | Self::Base64Url => {
                let at = |i: usize| group.get(i).copied().and_then(value);
                let (Some(a), Some(b)) = (at(0), at(1)) else { return false };
                out.push((a << 2 | b >> 4) as u8);
                match group.get(2..) {
                    Some([b'=', b'=']) => return true,
                    Some([]) | Some([b'=', ..]) | None => return false,
                    _ => {}
                }
                let Some(c) = at(2) else { return false };
                out.push((b << 4 | c >> 2) as u8);
                match group.get(3) {
                    Some(b'=') => true,
                    None => false,
                    Some(_) => at(3).is_some_and(|d| {
                        out.push((c << 6 | d) as u8);
                        true
                    }),
                }
            }
            Self::Base32 | Self::Base32Hex => decode32(group, value, out),
            Self::Base16 => match group {
                [a, b] => match (value(*a), value(*b)) {
                    (Some(a), Some(b)) => {
                        out.push((a << 4 | b) as u8);
                        true
                    }
                    _ => false,
                },
                _ => false,
            },
            Self::HighBitFirst | Self::LowBitFirst => {
                let mut byte = 0u8;
                for (i, c) in group.iter().enumerate() {
                    let Some(bit) = value(*c) else { return false };
                    let shift = if self == Self::HighBitFirst { 7 - i } else { i };
                    byte |= (bit as u8) << shift;
                }
                if group.len() == 8 {
                    out.push(byte);
                }
                group.len() == 8
            }
            Self::Z85 => {
                let mut n = 0u64;
                for c in group {
                    let Some(digit) = value(*c) else { return false };
                    n = n * 85 + digit;
                }
                let fits = group.len() == 5 && n <= u64::from(u32::MAX);
                if fits {
                    out.extend_from_slice(&(n as u32).to_be_bytes());
                }
                fits
            }
        }
    }
}

fn decode32(group: &[u8], value: impl Fn(u8) -> Option<u64>, out: &mut Vec<u8>) -> bool {
    if group.len() < 8 {
        return false;
    }
    // The number of bytes that can be decoded after a number of characters.
    const STEPS: [(usize, usize); 5] = [(2, 1), (4, 2), (5, 3), (7, 4), (8, 5)];
    let mut bits = 0u64;
    let mut read = 0;
    for (characters, bytes) in STEPS {
        if read > 0 && group[read] == b'=' {
            return group[read..].iter().all(|c| *c == b'=');
        }
        while read < characters {
            let Some(v) = value(group[read]) else { return false };
            bits = bits << 5 | v;
            read += 1;
        }
        out.push((bits >> (characters * 5 - bytes * 8)) as u8);
    }
    true
}
