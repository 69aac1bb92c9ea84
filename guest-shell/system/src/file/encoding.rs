//! Detects the characters of a text, and how its lines end.

/// The encoding of some data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Encoding {
    Ascii,
    Utf7,
    Utf8Bom,
    Utf8,
    Utf16 { big: bool },
    Latin1,
    Extended,
    Ebcdic { international: bool },
    Binary,
}

impl Encoding {
    /// The name used in descriptions.
    pub(super) fn name(self) -> &'static str {
        match self {
            Encoding::Ascii => "ASCII",
            Encoding::Utf7 => "Unicode text, UTF-7",
            Encoding::Utf8Bom => "Unicode text, UTF-8 (with BOM)",
            Encoding::Utf8 => "Unicode text, UTF-8",
            Encoding::Utf16 { big: false } => "Unicode text, UTF-16, little-endian",
            Encoding::Utf16 { big: true } => "Unicode text, UTF-16, big-endian",
            Encoding::Latin1 => "ISO-8859",
            Encoding::Extended => "Non-ISO extended-ASCII",
            Encoding::Ebcdic { international: false } => "EBCDIC",
            Encoding::Ebcdic { international: true } => "International EBCDIC",
            Encoding::Binary => "unknown",
        }
    }

    /// The name of the character set.
    pub(super) fn charset(self) -> &'static str {
        match self {
            Encoding::Ascii => "us-ascii",
            Encoding::Utf7 => "utf-7",
            Encoding::Utf8Bom | Encoding::Utf8 => "utf-8",
            Encoding::Utf16 { big: false } => "utf-16le",
            Encoding::Utf16 { big: true } => "utf-16be",
            Encoding::Latin1 => "iso-8859-1",
            Encoding::Extended => "unknown-8bit",
            Encoding::Ebcdic { .. } => "ebcdic",
            Encoding::Binary => "binary",
        }
    }
}

/// Detects the encoding of `data` and decodes it into character numbers (none if it is not a text).
pub(super) fn detect(data: &[u8]) -> (Encoding, Vec<u32>) {
    let plain = || data.iter().map(|b| u32::from(*b)).collect::<Vec<u32>>();
    if data.iter().all(|b| class(*b) == Class::Ascii) {
        let utf7 = data.len() > 4
            && data.starts_with(b"+/v")
            && matches!(data.get(3), Some(b'8' | b'9' | b'+' | b'/'));
        return (if utf7 { Encoding::Utf7 } else { Encoding::Ascii }, plain());
    }
    if let Some(rest) = data.strip_prefix(b"\xef\xbb\xbf").filter(|r| !r.is_empty())
        && let Some(found) = utf8(rest)
        && !found.odd
    {
        return (Encoding::Utf8Bom, found.characters);
    }
    if let Some(found) = utf8(data).filter(|f| !f.odd && f.beyond_ascii) {
        return (Encoding::Utf8, found.characters);
    }
    if let Some((big, characters)) = utf16(data) {
        return (Encoding::Utf16 { big }, characters);
    }
    if data.iter().all(|b| matches!(class(*b), Class::Ascii | Class::Latin)) {
        return (Encoding::Latin1, plain());
    }
    if data.iter().all(|b| class(*b) != Class::Never) {
        return (Encoding::Extended, plain());
    }
    let converted: Vec<u8> =
        data.iter().map(|b| EBCDIC.get(usize::from(*b)).copied().unwrap_or_default()).collect();
    let characters = || converted.iter().map(|b| u32::from(*b)).collect::<Vec<u32>>();
    if converted.iter().all(|b| class(*b) == Class::Ascii) {
        return (Encoding::Ebcdic { international: false }, characters());
    }
    if converted.iter().all(|b| matches!(class(*b), Class::Ascii | Class::Latin)) {
        return (Encoding::Ebcdic { international: true }, characters());
    }
    (Encoding::Binary, Vec::new())
}

/// Encodes the characters as UTF-8, for the rules about texts.
pub(super) fn to_utf8(characters: &[u32]) -> Vec<u8> {
    let mut text = Vec::with_capacity(characters.len());
    for c in characters {
        match u8::try_from(*c) {
            Ok(byte) if byte < 0x80 => text.push(byte),
            _ => {
                let mut bytes = [0; 4];
                let c = char::from_u32(*c).unwrap_or(char::REPLACEMENT_CHARACTER);
                text.extend_from_slice(c.encode_utf8(&mut bytes).as_bytes());
            }
        }
    }
    text
}

/// The part of a description about line ends and special characters. `characters` must not be `Binary`.
pub(super) fn details(characters: &[u32], whole: bool) -> String {
    const LONG: usize = 300;
    let [mut crlf, mut cr, mut lf, mut nel] = [0usize; 4];
    let (mut seen_cr, mut escapes, mut backspaces) = (false, false, false);
    let (mut begin, mut longest) = (0, 0);
    for (i, c) in characters.iter().enumerate() {
        let mut ends = false;
        if *c == 10 {
            *if seen_cr { &mut crlf } else { &mut lf } += 1;
            ends = true;
        } else if seen_cr {
            cr += 1;
        }
        seen_cr = *c == 13;
        if *c == 0x85 {
            nel += 1;
        }
        if ends || seen_cr || *c == 0x85 {
            begin = i + 1;
        }
        let length = (i + 1).saturating_sub(begin);
        if length > LONG {
            longest = longest.max(length);
        }
        escapes |= *c == 27;
        backspaces |= *c == 8;
    }
    if seen_cr && whole {
        cr += 1;
    }
    let mut text = String::new();
    if longest > 0 {
        text += &format!(", with very long lines ({longest})");
    }
    if crlf + cr + lf + nel == 0 {
        text += ", with no line terminators";
    } else if crlf + cr + nel > 0 {
        let kinds = [(crlf, "CRLF"), (cr, "CR"), (lf, "LF"), (nel, "NEL")];
        let names: Vec<&str> = kinds.iter().filter(|k| k.0 > 0).map(|k| k.1).collect();
        text += &format!(", with {} line terminators", names.join(", "));
    }
    if escapes {
        text += ", with escape sequences";
    }
    if backspaces {
        text += ", with overstriking";
    }
    text
}

/// Removes zeros from the end. If the length would be odd, one of them stays, so that UTF-16 characters stay complete.
pub(super) fn without_nuls(data: &[u8]) -> &[u8] {
    let mut len = data.len();
    while len > 1 && data.get(len - 1) == Some(&0) {
        len -= 1;
    }
    if len % 2 == 1 {
        len += 1;
    }
    data.get(..len).unwrap_or(data)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    /// Never in texts.
    Never,
    /// In ASCII texts, and with them the control character NEL.
    Ascii,
    /// In ISO 8859 texts.
    Latin,
    /// In texts of other 8-bit character sets.
    Other,
}

fn class(byte: u8) -> Class {
    match byte {
        7..=13 | 27 | 32..=126 | 0x85 => Class::Ascii,
        0xa0.. => Class::Latin,
        0x80.. => Class::Other,
        _ => Class::Never,
    }
}

struct Decoded {
    characters: Vec<u32>,
    beyond_ascii: bool,
    /// Whether there are control characters that do not occur in texts.
    odd: bool,
}

/// Decodes UTF-8. An incomplete character at the end is ignored.
fn utf8(data: &[u8]) -> Option<Decoded> {
    let mut found = Decoded { characters: Vec::with_capacity(data.len()), beyond_ascii: false, odd: false };
    let mut rest = data;
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        if *first < 0x80 {
            found.odd |= class(*first) != Class::Ascii;
            found.characters.push(u32::from(*first));
            continue;
        }
        let (following, low, high) = match first {
            0xc2..=0xdf => (1, 0x80, 0xbf),
            0xe0 => (2, 0xa0, 0xbf),
            0xed => (2, 0x80, 0x9f),
            0xe1..=0xef => (2, 0x80, 0xbf),
            0xf0 => (3, 0x90, 0xbf),
            0xf1..=0xf3 => (3, 0x80, 0xbf),
            0xf4 => (3, 0x80, 0x8f),
            _ => return None,
        };
        let mut c = u32::from(*first) & (0x7f >> (following + 1));
        for i in 0..following {
            let Some((byte, after)) = rest.split_first() else { return Some(found) };
            let valid = if i == 0 { (low..=high).contains(byte) } else { (0x80..=0xbf).contains(byte) };
            if !valid {
                return None;
            }
            c = c << 6 | u32::from(byte & 0x3f);
            rest = after;
        }
        found.characters.push(c);
        found.beyond_ascii = true;
    }
    Some(found)
}

fn utf16(data: &[u8]) -> Option<(bool, Vec<u32>)> {
    let big = match data.get(..2)? {
        [0xff, 0xfe] => false,
        [0xfe, 0xff] => true,
        _ => return None,
    };
    let mut characters: Vec<u32> = Vec::new();
    let mut high: Option<u32> = None;
    for pair in data.get(2..)?.chunks_exact(2) {
        let pair = [*pair.first()?, *pair.get(1)?];
        let unit = u32::from(if big { u16::from_be_bytes(pair) } else { u16::from_le_bytes(pair) });
        if unit == 0xfffe || unit < 128 && class(u8::try_from(unit).unwrap_or(0)) != Class::Ascii {
            return None;
        }
        match (high.take(), unit) {
            (None, 0xd800..=0xdbff) => high = Some(unit - 0xd800),
            (Some(h), 0xdc00..=0xdfff) => characters.push(0x10000 + (h << 10) + unit - 0xdc00),
            (None, 0xdc00..=0xdfff) | (Some(_), _) => return None,
            (None, unit) => characters.push(unit),
        }
    }
    Some((big, characters))
}

/// The table of POSIX for `dd conv=ascii`.
#[rustfmt::skip]
const EBCDIC: [u8; 256] = [
    0, 1, 2, 3, 156, 9, 134, 127, 151, 141, 142, 11, 12, 13, 14, 15,
    16, 17, 18, 19, 157, 133, 8, 135, 24, 25, 146, 143, 28, 29, 30, 31,
    128, 129, 130, 131, 132, 10, 23, 27, 136, 137, 138, 139, 140, 5, 6, 7,
    144, 145, 22, 147, 148, 149, 150, 4, 152, 153, 154, 155, 20, 21, 158, 26,
    b' ', 160, 161, 162, 163, 164, 165, 166, 167, 168, 213, b'.', b'<', b'(', b'+', b'|',
    b'&', 169, 170, 171, 172, 173, 174, 175, 176, 177, b'!', b'$', b'*', b')', b';', b'~',
    b'-', b'/', 178, 179, 180, 181, 182, 183, 184, 185, 203, b',', b'%', b'_', b'>', b'?',
    186, 187, 188, 189, 190, 191, 192, 193, 194, b'`', b':', b'#', b'@', b'\'', b'=', b'"',
    195, b'a', b'b', b'c', b'd', b'e', b'f', b'g', b'h', b'i', 196, 197, 198, 199, 200, 201,
    202, b'j', b'k', b'l', b'm', b'n', b'o', b'p', b'q', b'r', b'^', 204, 205, 206, 207, 208,
    209, 229, b's', b't', b'u', b'v', b'w', b'x', b'y', b'z', 210, 211, 212, b'[', 214, 215,
    216, 217, 218, 219, 220, 221, 222, 223, 224, 225, 226, 227, 228, b']', 230, 231,
    b'{', b'A', b'B', b'C', b'D', b'E', b'F', b'G', b'H', b'I', 232, 233, 234, 235, 236, 237,
    b'}', b'J', b'K', b'L', b'M', b'N', b'O', b'P', b'Q', b'R', 238, 239, 240, 241, 242, 243,
    b'\\', 159, b'S', b'T', b'U', b'V', b'W', b'X', b'Y', b'Z', 244, 245, 246, 247, 248, 249,
    b'0', b'1', b'2', b'3', b'4', b'5', b'6', b'7', b'8', b'9', 250, 251, 252, 253, 254, 255,
];
