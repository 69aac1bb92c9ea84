//! Extended headers: `LENGTH KEY=VALUE` records (POSIX.1 `pax`).

use super::header::Entry;

/// Splits a header's data into records, up to the first malformed one.
pub(crate) fn records(mut data: &[u8]) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut found = Vec::new();
    while let Some((record, rest)) = first(data) {
        found.push(record);
        data = rest;
    }
    found
}

type Record = (Vec<u8>, Vec<u8>);

fn first(data: &[u8]) -> Option<(Record, &[u8])> {
    let space = data.iter().take(20).position(|b| *b == b' ')?;
    let length: usize = std::str::from_utf8(data.get(..space)?).ok()?.parse().ok()?;
    let body = data.get(space + 1..length)?.strip_suffix(b"\n")?;
    let equals = body.iter().position(|b| *b == b'=')?;
    let record = (body.get(..equals)?.to_vec(), body.get(equals + 1..)?.to_vec());
    Some((record, data.get(length..)?))
}

/// Formats a record. Its length includes the length field.
pub(crate) fn record(key: &str, value: &[u8]) -> Vec<u8> {
    let body = 1 + key.len() + 1 + value.len() + 1;
    let mut length = body;
    while length != body + length.to_string().len() {
        length = body + length.to_string().len();
    }
    [length.to_string().as_bytes(), b" ", key.as_bytes(), b"=", value, b"\n"].concat()
}

/// A time with a fraction, without trailing zeros.
pub(crate) fn time_text((seconds, nanos): (i64, u32)) -> String {
    if nanos == 0 {
        return seconds.to_string();
    }
    let (sign, whole, nanos) = match seconds {
        ..0 => ("-", seconds.wrapping_add(1).unsigned_abs(), 1_000_000_000 - nanos.min(1_000_000_000)),
        _ => ("", seconds.unsigned_abs(), nanos),
    };
    format!("{sign}{whole}.{}", format!("{nanos:09}").trim_end_matches('0'))
}

fn time(text: &[u8]) -> Option<(i64, u32)> {
    let text = std::str::from_utf8(text).ok()?;
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let seconds: i64 = whole.parse().ok()?;
    let digits: String = fraction.chars().chain("000000000".chars()).take(9).collect();
    let nanos: u32 = digits.parse().ok()?;
    match whole.starts_with('-') && nanos > 0 {
        true => Some((seconds.checked_sub(1)?, 1_000_000_000 - nanos)),
        false => Some((seconds, nanos)),
    }
}

/// What the records say about holes.
#[derive(Default)]
pub(crate) struct Holes {
    /// The map, if it is in the records (formats 0.0 and 0.1).
    pub(crate) sparse: Option<Vec<(u64, u64)>>,
    /// Whether the map is in the data (format 1.0).
    pub(crate) version_1: bool,
}

/// Applies the records to the entry.
pub(crate) fn apply(entry: &mut Entry, records: &[(Vec<u8>, Vec<u8>)]) -> Holes {
    let natural = |v: &[u8]| std::str::from_utf8(v).ok().and_then(|t| t.parse::<u64>().ok());
    let mut holes = Holes::default();
    let mut offset = None;
    let mut real_name = None;
    let mut real_size = None;
    for (key, value) in records {
        match key.as_slice() {
            b"path" => entry.name.clone_from(value),
            b"linkpath" => entry.link.clone_from(value),
            b"uname" => entry.user.clone_from(value),
            b"gname" => entry.group.clone_from(value),
            b"uid" => entry.uid = natural(value).unwrap_or(entry.uid),
            b"gid" => entry.gid = natural(value).unwrap_or(entry.gid),
            b"size" => {
                entry.stored = natural(value).filter(|n| *n <= i64::MAX as u64).unwrap_or(entry.stored);
                entry.size = entry.stored;
            }
            b"mtime" => entry.mtime = time(value).unwrap_or(entry.mtime),
            b"atime" => entry.atime = time(value),
            b"ctime" => entry.ctime = time(value),
            b"GNU.sparse.name" => real_name = Some(value.clone()),
            b"GNU.sparse.size" | b"GNU.sparse.realsize" => real_size = natural(value),
            b"GNU.sparse.major" => holes.version_1 = value == b"1",
            b"GNU.sparse.offset" => offset = natural(value),
            b"GNU.sparse.numbytes" => {
                if let (Some(o), Some(n)) = (offset.take(), natural(value)) {
                    holes.sparse.get_or_insert_default().push((o, n));
                }
            }
            b"GNU.sparse.map" => {
                let numbers: Vec<u64> = value.split(|b| *b == b',').filter_map(natural).collect();
                let pairs = numbers.chunks_exact(2).filter_map(|p| Some((*p.first()?, *p.get(1)?)));
                holes.sparse = Some(pairs.collect());
            }
            _ => {}
        }
    }
    if let Some(name) = real_name {
        entry.name = name;
    }
    if let Some(size) = real_size {
        entry.size = size.min(i64::MAX as u64);
    }
    holes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_count_themselves() {
        assert_eq!(record("path", b"a"), b"9 path=a\n".to_vec());
        assert_eq!(record("path", &[b'x'; 91]).len(), 100 + 1);
        assert_eq!(records(&record("mtime", b"1.5")), vec![(b"mtime".to_vec(), b"1.5".to_vec())]);
        assert!(records(b"99999999999999999999 a=b\n").is_empty());
    }
}
