//! What is in an object: a header, and blobs that are not objects of their own yet, under a checksum.

use super::objects::Objects;
use crate::error::{Result, StoreError};
use crate::names::name;
use bytes::Bytes;
use sandshell_vfs::BlobId;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::sync::Arc;

/// The newest format of objects that this program writes and reads; `docs/store-format.md` describes it.
pub(crate) const FORMAT: u32 = 1;

const MAGIC: &[u8; 8] = b"sandobj\0";

/// Bytes before what the checksum covers: the magic, the format, the checksum.
const HEAD: usize = 8 + 4 + 32;

/// The most parts of an object: one without bytes takes four in it, and a hundred in memory. What is written has fewer,
/// as its blobs have some bytes, and those of a record less than 100 KB together.
const MOST_PARTS: usize = 1 << 18;

/// A blob with its name.
pub(crate) type Blob = (BlobId, Arc<Vec<u8>>);

/// The bytes of an object.
pub(crate) fn seal(header: &impl Serialize, blobs: &[Blob]) -> Result<Bytes> {
    let header = serde_json::to_vec(header)
        .map_err(|error| StoreError::Io { at: "an object".into(), source: std::io::Error::other(error) })?;
    let mut body = Vec::new();
    for part in std::iter::once(&header).chain(blobs.iter().map(|(_, bytes)| &**bytes)) {
        // A blob has at most some megabytes, a header less.
        body.extend(u32::try_from(part.len()).unwrap_or(u32::MAX).to_le_bytes());
        body.extend_from_slice(part);
    }
    let mut bytes = Vec::with_capacity(HEAD + body.len());
    bytes.extend_from_slice(MAGIC);
    bytes.extend(FORMAT.to_le_bytes());
    bytes.extend_from_slice(&name(&body).0);
    bytes.append(&mut body);
    Ok(bytes.into())
}

/// What [`seal`] was given. The bytes are not trusted.
pub(crate) fn open<T: DeserializeOwned>(
    objects: &Objects,
    object: &str,
    bytes: &[u8],
) -> Result<(T, Vec<Blob>)> {
    let damaged = || objects.damaged(&format!("the object {object} is damaged"));
    let head = bytes.first_chunk::<HEAD>().ok_or_else(damaged)?;
    let (magic, format, sum) = (&head[..8], &head[8..12], &head[12..]);
    if magic != MAGIC {
        return Err(damaged());
    }
    let format = format.iter().rev().fold(0, |number, byte| number << 8 | u32::from(*byte));
    if format > FORMAT {
        let (found, known) = (i64::from(format), i64::from(FORMAT));
        return Err(StoreError::Newer { at: objects.at(), found, known });
    }
    let body = bytes.get(HEAD..).unwrap_or_default();
    if name(body).0 != sum {
        return Err(damaged());
    }
    let parts = parts(body).ok_or_else(damaged)?;
    let (header, blobs) = parts.split_first().ok_or_else(damaged)?;
    let header = serde_json::from_slice(header).map_err(|_| damaged())?;
    Ok((header, blobs.iter().map(|bytes| (name(bytes), Arc::new(bytes.to_vec()))).collect()))
}

/// What has a length before it; `None` if something else is there, or too many.
fn parts(mut rest: &[u8]) -> Option<Vec<&[u8]>> {
    let mut parts = Vec::new();
    while !rest.is_empty() {
        let (length, more) = rest.split_first_chunk()?;
        let (part, more) = more.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        if parts.len() == MOST_PARTS {
            return None;
        }
        parts.push(part);
        rest = more;
    }
    Some(parts)
}

/// Hashes as text.
pub(crate) mod hex {
    use sandshell_vfs::BlobId;
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    pub(crate) fn serialize<S: Serializer>(id: &BlobId, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(id)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<BlobId, D::Error> {
        let text = String::deserialize(from)?;
        parse(&text).ok_or_else(|| D::Error::custom("not a hash"))
    }

    /// The hash that a text says.
    pub(crate) fn parse(text: &str) -> Option<BlobId> {
        let mut id = [0; 32];
        let digits = text.as_bytes();
        if digits.len() != 64 {
            return None;
        }
        for (byte, pair) in id.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
        }
        Some(BlobId(id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_has_a_limited_number_of_parts() {
        let count = |bytes: &[u8]| parts(bytes).map(|parts| parts.len());
        assert_eq!(count(&[1, 0, 0, 0, b'a', 0, 0, 0, 0]), Some(2));
        assert_eq!(count(&vec![0; 4 * MOST_PARTS]), Some(MOST_PARTS));
        for bad in [&vec![0; 4 * MOST_PARTS + 4][..], &[1, 0, 0, 0], &[1, 0, 0], &[0xff; 8]] {
            assert_eq!(count(bad), None);
        }
    }
}
