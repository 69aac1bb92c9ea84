//! File attributes and names in compact encodings, which an interpreter can decode fast.

use sandshell_vfs::{DirEntry, Metadata, Time};

const NANOS: i64 = 1_000_000_000;
/// The block size of most filesystems on Linux.
const BLOCK_SIZE: u64 = 4096;
/// How many numbers of 64 bits the attributes are.
const LENGTH: usize = 19;

/// Encodes a file's attributes for `status`.
pub(super) fn encode(metadata: &Metadata) -> Vec<u8> {
    let times = [metadata.atime, metadata.mtime, metadata.ctime].map(nanoseconds);
    let mut bytes = Vec::with_capacity(LENGTH * 8);
    let mut add = |number: u64| bytes.extend(number.to_le_bytes());
    add(u64::from(metadata.kind.format_bits() | metadata.mode));
    add(metadata.ino);
    add(metadata.dev);
    add(metadata.nlink);
    add(metadata.uid.into());
    add(metadata.gid.into());
    add(metadata.size);
    times.iter().for_each(|time| add(time.div_euclid(NANOS).cast_unsigned()));
    #[allow(clippy::cast_precision_loss, reason = "the precise time follows")]
    times.iter().for_each(|time| add((*time as f64 / 1e9).to_bits()));
    times.iter().for_each(|time| add(time.cast_unsigned()));
    add(BLOCK_SIZE);
    add(metadata.blocks);
    add(metadata.rdev);
    bytes
}

/// A time as one number.
pub(super) fn nanoseconds(time: Time) -> i64 {
    time.secs.saturating_mul(NANOS).saturating_add(i64::from(time.nanos))
}

/// Encodes names, types and inodes for `entries`.
pub(super) fn encode_names(found: &[DirEntry]) -> (Vec<u8>, Vec<u8>, Vec<u8>) {
    let mut names = Vec::with_capacity(found.iter().map(|entry| entry.name.len() + 1).sum());
    for entry in found {
        names.extend_from_slice(&entry.name);
        names.push(0);
    }
    let kinds = found.iter().map(|entry| u8::try_from(entry.kind.format_bits() >> 12).unwrap_or(0)).collect();
    let inodes = found.iter().flat_map(|entry| entry.ino.to_le_bytes()).collect();
    (names, kinds, inodes)
}
