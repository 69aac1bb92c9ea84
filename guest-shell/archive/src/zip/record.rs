//! The records of a zip file (PKWARE's APPNOTE).

use sandshell_time::Zone;

/// A member's entry in the central directory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Member {
    pub(crate) name: Vec<u8>,
    /// Who made the entry: the version, and the system in the upper byte.
    pub(crate) made_by: u16,
    pub(crate) needed: u16,
    pub(crate) flags: u16,
    pub(crate) method: u16,
    /// Time and date in DOS format.
    pub(crate) stamp: (u16, u16),
    pub(crate) crc: u32,
    pub(crate) packed: u64,
    pub(crate) size: u64,
    /// Whether the data looked like text.
    pub(crate) text: bool,
    pub(crate) attributes: u32,
    pub(crate) offset: u64,
    /// The modification time, if an extra field has it.
    pub(crate) mtime: Option<i64>,
    pub(crate) extra: Vec<u8>,
    pub(crate) comment: Vec<u8>,
}

impl Member {
    /// The Unix mode; 0 if it is not known.
    pub(crate) fn mode(&self) -> u32 {
        if self.made_by >> 8 == 3 { self.attributes >> 16 } else { 0 }
    }

    pub(crate) fn is_dir(&self) -> bool {
        self.name.ends_with(b"/")
    }

    pub(crate) fn is_symlink(&self) -> bool {
        self.mode() & 0o170_000 == 0o120_000
    }

    /// The modification time in seconds.
    pub(crate) fn seconds(&self, zone: &Zone) -> i64 {
        let (time, date) = (i64::from(self.stamp.0), i64::from(self.stamp.1));
        self.mtime.unwrap_or_else(|| {
            zone.seconds(
                1980 + (date >> 9),
                (date >> 5) & 15,
                date & 31,
                time >> 11,
                (time >> 5) & 63,
                (time & 31) * 2,
            )
        })
    }
}

/// A time as DOS time and date.
pub(crate) fn stamp(seconds: i64, zone: &Zone) -> (u16, u16) {
    // DOS counts in units of two seconds; zip rounds up.
    let t = zone.local(seconds.saturating_add(1) & !1);
    if t.year < 1980 {
        return (0, 0x21);
    }
    let time = (t.hour << 11) | (t.minute << 5) | (t.second / 2);
    let date = ((t.year - 1980).min(127) << 9) | (t.month << 5) | t.day;
    (time as u16, date as u16)
}

/// Little-endian numbers at an offset; `None` after the end.
pub(crate) fn u16_at(data: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(data.get(at..at.checked_add(2)?)?.try_into().ok()?))
}

pub(crate) fn u32_at(data: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(data.get(at..at.checked_add(4)?)?.try_into().ok()?))
}

pub(crate) fn u64_at(data: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(data.get(at..at.checked_add(8)?)?.try_into().ok()?))
}

/// Parses a central directory record. Returns the member and the length of the record.
pub(crate) fn parse(data: &[u8]) -> Option<(Member, usize)> {
    if data.get(..4)? != b"PK\x01\x02" {
        return None;
    }
    let (name, extra, comment) = (u16_at(data, 28)?, u16_at(data, 30)?, u16_at(data, 32)?);
    let (name, extra, comment) = (usize::from(name), usize::from(extra), usize::from(comment));
    let mut member = Member {
        name: data.get(46..46 + name)?.to_vec(),
        made_by: u16_at(data, 4)?,
        needed: u16_at(data, 6)?,
        flags: u16_at(data, 8)?,
        method: u16_at(data, 10)?,
        stamp: (u16_at(data, 12)?, u16_at(data, 14)?),
        crc: u32_at(data, 16)?,
        packed: u32_at(data, 20)?.into(),
        size: u32_at(data, 24)?.into(),
        text: u16_at(data, 36)? & 1 != 0,
        attributes: u32_at(data, 38)?,
        offset: u32_at(data, 42)?.into(),
        mtime: None,
        extra: data.get(46 + name..46 + name + extra)?.to_vec(),
        comment: data.get(46 + name + extra..46 + name + extra + comment)?.to_vec(),
    };
    extras(&mut member);
    Some((member, 46 + name + extra + comment))
}

fn extras(member: &mut Member) {
    let extra = member.extra.clone();
    let mut rest = extra.as_slice();
    while let (Some(id), Some(size)) = (u16_at(rest, 0), u16_at(rest, 2)) {
        let Some(body) = rest.get(4..4 + usize::from(size)) else { return };
        match id {
            1 => {
                let mut at = 0;
                for field in [&mut member.size, &mut member.packed, &mut member.offset] {
                    if *field == u64::from(u32::MAX) {
                        let Some(value) = u64_at(body, at) else { break };
                        *field = value;
                        at += 8;
                    }
                }
            }
            0x5455 if body.first().is_some_and(|f| f & 1 != 0) => {
                member.mtime = u32_at(body, 1).map(|t| i64::from(t as i32));
            }
            _ => {}
        }
        rest = rest.get(4 + usize::from(size)..).unwrap_or_default();
    }
}

/// Builds a local header.
pub(crate) fn local(m: &Member, extra: &[u8]) -> Vec<u8> {
    let mut out = b"PK\x03\x04".to_vec();
    for n in [m.needed, m.flags, m.method, m.stamp.0, m.stamp.1] {
        out.extend_from_slice(&n.to_le_bytes());
    }
    for n in [m.crc, m.packed as u32, m.size as u32] {
        out.extend_from_slice(&n.to_le_bytes());
    }
    out.extend_from_slice(&(m.name.len() as u16).to_le_bytes());
    out.extend_from_slice(&(extra.len() as u16).to_le_bytes());
    [&out, &m.name[..], extra].concat()
}

/// Builds a record of the central directory.
pub(crate) fn central(m: &Member) -> Vec<u8> {
    let mut out = b"PK\x01\x02".to_vec();
    for n in [m.made_by, m.needed, m.flags, m.method, m.stamp.0, m.stamp.1] {
        out.extend_from_slice(&n.to_le_bytes());
    }
    for n in [m.crc, m.packed as u32, m.size as u32] {
        out.extend_from_slice(&n.to_le_bytes());
    }
    for n in [m.name.len() as u16, m.extra.len() as u16, m.comment.len() as u16, 0, u16::from(m.text)] {
        out.extend_from_slice(&n.to_le_bytes());
    }
    out.extend_from_slice(&m.attributes.to_le_bytes());
    out.extend_from_slice(&(m.offset as u32).to_le_bytes());
    [&out, &m.name[..], &m.extra, &m.comment].concat()
}

/// Builds the end record.
pub(crate) fn end(count: usize, size: u64, offset: u64, comment: &[u8]) -> Vec<u8> {
    let mut out = b"PK\x05\x06\0\0\0\0".to_vec();
    out.extend_from_slice(&(count as u16).to_le_bytes());
    out.extend_from_slice(&(count as u16).to_le_bytes());
    out.extend_from_slice(&(size as u32).to_le_bytes());
    out.extend_from_slice(&(offset as u32).to_le_bytes());
    out.extend_from_slice(&(comment.len() as u16).to_le_bytes());
    [&out, comment].concat()
}

/// The extra fields of a Unix file: times and owner. Only the local one has the access time.
pub(crate) fn unix_extra(mtime: i64, atime: Option<i64>, uid: u32, gid: u32) -> Vec<u8> {
    let mut out = b"UT".to_vec();
    out.extend_from_slice(&(if atime.is_some() { 9u16 } else { 5 }).to_le_bytes());
    out.push(3);
    out.extend_from_slice(&(mtime as u32).to_le_bytes());
    if let Some(t) = atime {
        out.extend_from_slice(&(t as u32).to_le_bytes());
    }
    out.extend_from_slice(b"ux\x0b\0\x01\x04");
    out.extend_from_slice(&uid.to_le_bytes());
    out.push(4);
    out.extend_from_slice(&gid.to_le_bytes());
    out
}

/// How much smaller the data became, in percent, rounded as `zip` does it.
pub(crate) fn percent(size: u64, packed: u64) -> i64 {
    if size == 0 {
        return 0;
    }
    let (n, m) = (size as i128, packed as i128);
    let twice = 200 * (n - m) / n;
    ((twice + 1) / 2) as i64
}

/// The same in tenths of a percent, rounded as `unzip` does it.
pub(crate) fn permille(size: u64, packed: u64) -> i64 {
    if size == 0 {
        return 0;
    }
    let (n, m) = (size as i128, packed as i128);
    let value = if n >= m { (1000 * (n - m) + n / 2) / n } else { -((1000 * (m - n) + n / 2) / n) };
    value as i64
}

#[cfg(test)]
mod tests {
    use super::*;
    use sandshell_time::calendar::utc_seconds;

    #[test]
    fn stamps_and_shares() {
        let member = Member { stamp: stamp(1_577_934_245, &Zone::utc()), ..Member::default() };
        assert_eq!(member.seconds(&Zone::utc()), utc_seconds(2020, 1, 2, 3, 4, 6));
        assert_eq!((percent(10, 9), permille(10, 9)), (10, 100));
        assert_eq!(percent(127_890, 7730), 94);
    }
}
