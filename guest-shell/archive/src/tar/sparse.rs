//! Files with holes.

use super::header::number;

/// A file with more pieces is refused.
pub(crate) const MAP_MAX: usize = 1 << 18;

/// Reads pairs of 12-byte numbers until an empty one.
pub(crate) fn pairs(bytes: &[u8], map: &mut Vec<(u64, u64)>) {
    for pair in bytes.chunks_exact(24) {
        let (offset, length) = pair.split_at(12);
        if offset.first() == Some(&0) {
            break;
        }
        let natural = |f| number(f).and_then(|n| u64::try_from(n).ok());
        if let (Some(o), Some(l)) = (natural(offset), natural(length)) {
            map.push((o, l));
        }
    }
}

/// Whether the pieces are in order and inside the file, and their data is stored.
pub(crate) fn fits(map: &[(u64, u64)], stored: u64, size: u64) -> bool {
    let (mut end, mut total) = (0u64, 0u64);
    for (offset, length) in map {
        let (Some(next), Some(sum)) = (offset.checked_add(*length), total.checked_add(*length)) else {
            return false;
        };
        if *offset < end || next > size {
            return false;
        }
        (end, total) = (next, sum);
    }
    total <= stored
}
