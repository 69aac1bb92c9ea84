//! Associative arrays, in bash's order.
//!
//! bash walks its hash table bucket by bucket, the newest entry of a bucket first; scripts see that order in
//! `${a[@]}`. The table here has the same hash (FNV-1, multiply before xor), bucket count and growth, so the order is
//! the same.

use super::hash::{ASSOC_BUCKETS, BucketTable};

/// An associative array.
#[derive(Clone, Debug)]
pub(crate) struct AssocArray {
    table: BucketTable<Vec<u8>>,
}

impl Default for AssocArray {
    fn default() -> Self {
        Self { table: BucketTable::new(ASSOC_BUCKETS) }
    }
}

impl AssocArray {
    /// A copy of another table of the shell's, which has the order of so many buckets.
    pub(crate) fn with_buckets(buckets: u32) -> Self {
        Self { table: BucketTable::new(buckets) }
    }

    pub(crate) fn get(&self, key: &[u8]) -> Option<&[u8]> {
        self.table.get(key).map(Vec::as_slice)
    }

    /// The element to overwrite; a new one starts empty.
    pub(crate) fn entry(&mut self, key: &[u8]) -> &mut Vec<u8> {
        self.table.entry(key)
    }

    pub(crate) fn set(&mut self, key: &[u8], value: Vec<u8>) {
        *self.entry(key) = value;
    }

    pub(crate) fn remove(&mut self, key: &[u8]) -> bool {
        self.table.remove(key).is_some()
    }

    pub(crate) fn len(&self) -> usize {
        self.table.len()
    }

    /// Keys and values in bash's order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.table.ordered().into_iter().map(|(k, v)| (k, v.as_slice()))
    }

    pub(crate) fn values(&self) -> impl Iterator<Item = &[u8]> {
        self.iter().map(|e| e.1)
    }
}
