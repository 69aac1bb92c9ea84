//! The header block of a member in the old, ustar and GNU layouts (POSIX.1 `pax`, GNU tar's manual "Basic Tar Format").

/// The size of all blocks.
pub(crate) const BLOCK: usize = 512;

/// The header layout to write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Layout {
    V7,
    OldGnu,
    #[default]
    Gnu,
    Ustar,
    Pax,
}

/// An archive's metadata about a member.
#[derive(Clone, Debug, Default)]
pub(crate) struct Entry {
    pub(crate) name: Vec<u8>,
    pub(crate) link: Vec<u8>,
    pub(crate) mode: u32,
    pub(crate) uid: u64,
    pub(crate) gid: u64,
    /// The size of the data in the archive.
    pub(crate) stored: u64,
    /// The size of the file.
    pub(crate) size: u64,
    pub(crate) mtime: (i64, u32),
    pub(crate) atime: Option<(i64, u32)>,
    pub(crate) ctime: Option<(i64, u32)>,
    pub(crate) kind: u8,
    pub(crate) user: Vec<u8>,
    pub(crate) group: Vec<u8>,
    pub(crate) device: (u64, u64),
    /// The data of a sparse file: offset and length of each piece.
    pub(crate) sparse: Option<Vec<(u64, u64)>>,
}

impl Entry {
    pub(crate) fn is_dir(&self) -> bool {
        self.kind == b'5' || self.kind == b'D' || (self.is_file() && self.name.ends_with(b"/"))
    }

    pub(crate) fn is_file(&self) -> bool {
        matches!(self.kind, b'0' | 0 | b'7' | b'S')
    }
}

/// The text of a field up to its first NUL.
pub(crate) fn text(field: &[u8]) -> &[u8] {
    field.split(|b| *b == 0).next().unwrap_or_default()
}

/// Parses a number: octal digits, or base 256 if the first bit is set.
pub(crate) fn number(field: &[u8]) -> Option<i64> {
    let first = *field.first()?;
    if first & 0x80 != 0 {
        let negative = first & 0x40 != 0;
        let mut value: i128 = if negative { -1 } else { 0 };
        for (i, b) in field.iter().enumerate() {
            let b = if i == 0 && !negative { b & 0x7f } else { *b };
            value = value.checked_mul(256)? | i128::from(b);
            if i == 0 && negative {
                value = -1i128 << 8 | i128::from(b);
            }
        }
        return i64::try_from(value).ok();
    }
    let digits = field.iter().skip_while(|b| **b == b' ').take_while(|b| (b'0'..=b'7').contains(b));
    let mut value: i64 = 0;
    for d in digits {
        value = value.checked_mul(8)?.checked_add(i64::from(d - b'0'))?;
    }
    Some(value)
}

/// Whether the block's checksum is correct, computed with signed or unsigned bytes.
pub(crate) fn sum_is_right(block: &[u8; BLOCK]) -> bool {
    let Some(given) = block.get(148..156).and_then(number) else { return false };
    let (mut unsigned, mut signed) = (0i64, 0i64);
    for (i, b) in block.iter().enumerate() {
        let b = if (148..156).contains(&i) { b' ' } else { *b };
        unsigned += i64::from(b);
        signed += i64::from(b as i8);
    }
    given == unsigned || given == signed
}

/// Whether the block is a header with a magic number.
pub(crate) fn has_magic(block: &[u8; BLOCK]) -> bool {
    block.get(257..262) == Some(b"ustar") && sum_is_right(block)
}

/// Parses a block whose checksum is correct.
pub(crate) fn parse(block: &[u8; BLOCK]) -> Option<Entry> {
    let field = |from: usize, len: usize| block.get(from..from + len).unwrap_or_default();
    let ustar = field(257, 5) == b"ustar";
    let gnu = field(257, 8) == b"ustar  \0";
    let mut name = text(field(0, 100)).to_vec();
    if ustar && !gnu && !text(field(345, 155)).is_empty() {
        name = [text(field(345, 155)), b"/", &name].concat();
    }
    let natural = |n: i64| u64::try_from(n).ok();
    let mut entry = Entry {
        name,
        link: text(field(157, 100)).to_vec(),
        mode: (number(field(100, 8))? & 0o7777) as u32,
        uid: natural(number(field(108, 8))?)?,
        gid: natural(number(field(116, 8))?)?,
        stored: natural(number(field(124, 12))?)?,
        mtime: (number(field(136, 12))?, 0),
        kind: block.get(156).copied().unwrap_or_default(),
        ..Entry::default()
    };
    entry.size = entry.stored;
    if ustar {
        entry.user = text(field(265, 32)).to_vec();
        entry.group = text(field(297, 32)).to_vec();
        entry.device = (natural(number(field(329, 8))?)?, natural(number(field(337, 8))?)?);
    }
    if gnu && entry.kind == b'S' {
        entry.size = natural(number(field(483, 12))?)?;
    }
    Some(entry)
}

/// How many bytes of a name fit in a header block. In the oldest layout a NUL must follow the name.
pub(crate) fn room(layout: Layout) -> usize {
    if layout == Layout::OldGnu { 99 } else { 100 }
}

/// Builds a header block. What does not fit is cut, except that the GNU layouts write large numbers in base 256.
pub(crate) fn build(e: &Entry, name: &[u8], prefix: &[u8], layout: Layout) -> [u8; BLOCK] {
    let mut block = [0; BLOCK];
    let mut put = |at: usize, len: usize, bytes: &[u8]| {
        for (to, from) in block.iter_mut().skip(at).take(len).zip(bytes) {
            *to = *from;
        }
    };
    let room = room(layout);
    put(0, room, name);
    put(100, 8, &digits(i64::from(e.mode), 8, layout));
    put(108, 8, &digits(e.uid as i64, 8, layout));
    put(116, 8, &digits(e.gid as i64, 8, layout));
    put(124, 12, &digits(e.stored as i64, 12, layout));
    put(136, 12, &digits(e.mtime.0, 12, layout));
    put(148, 8, b"        ");
    put(156, 1, &[if layout == Layout::V7 && matches!(e.kind, b'0' | b'5') { 0 } else { e.kind }]);
    put(157, room, &e.link);
    match layout {
        Layout::V7 => {}
        Layout::Gnu | Layout::OldGnu => put(257, 8, b"ustar  \0"),
        Layout::Ustar | Layout::Pax => put(257, 8, b"ustar\x0000"),
    }
    if layout != Layout::V7 {
        put(265, 31, &e.user);
        put(297, 31, &e.group);
        put(345, 155, prefix);
    }
    let gnu = matches!(layout, Layout::Gnu | Layout::OldGnu);
    if matches!(e.kind, b'3' | b'4') || !(gnu || e.kind == b'x') {
        let mut put = |at: usize, bytes: &[u8]| {
            for (to, from) in block.iter_mut().skip(at).zip(bytes) {
                *to = *from;
            }
        };
        put(329, &digits(e.device.0 as i64, 8, layout));
        put(337, &digits(e.device.1 as i64, 8, layout));
    }
    let sum: u32 = block.iter().map(|b| u32::from(*b)).sum();
    let text = format!("{sum:06o}\0 ");
    for (to, from) in block.iter_mut().skip(148).zip(text.bytes()) {
        *to = from;
    }
    block
}

/// Builds the header of a volume label, which contains only the label and the time.
pub(crate) fn label(e: &Entry) -> [u8; BLOCK] {
    let mut block = [0; BLOCK];
    let mut put = |at: usize, bytes: &[u8]| {
        for (to, from) in block.iter_mut().skip(at).zip(bytes) {
            *to = *from;
        }
    };
    put(0, &e.name);
    put(136, &digits(e.mtime.0, 12, Layout::Gnu));
    put(148, b"        ");
    put(156, &[e.kind]);
    let sum: u32 = block.iter().map(|b| u32::from(*b)).sum();
    for (to, from) in block.iter_mut().skip(148).zip(format!("{sum:06o}\0 ").bytes()) {
        *to = from;
    }
    block
}

/// Whether a number fits in a field of `len` bytes in octal.
pub(crate) fn fits(value: i64, len: usize) -> bool {
    value >= 0 && (value as u64) >> (3 * (len as u32 - 1)) == 0
}

fn digits(value: i64, len: usize, layout: Layout) -> Vec<u8> {
    if fits(value, len) {
        return format!("{value:0width$o}\0", width = len - 1).into_bytes();
    }
    if matches!(layout, Layout::Gnu | Layout::OldGnu) {
        let wide = i128::from(value).to_be_bytes();
        let mut field = wide.get(16 - len..).unwrap_or_default().to_vec();
        if let Some(first) = field.first_mut() {
            *first = if value < 0 { 0xff } else { 0x80 };
        }
        return field;
    }
    format!("{:0width$o}\0", 0, width = len - 1).into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        assert_eq!(number(b"0000644\0"), Some(0o644));
        assert_eq!(number(&[0x80, 0, 0, 0, 0, 0, 1, 0]), Some(256));
        assert_eq!(number(&[0xff; 12]), Some(-1));
        assert_eq!(number(&[0xff, 0x80, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9]), None);
        assert_eq!(number(&digits(-5, 12, Layout::Gnu)), Some(-5));
        assert_eq!(number(&digits(1 << 40, 12, Layout::Gnu)), Some(1 << 40));
    }
}
