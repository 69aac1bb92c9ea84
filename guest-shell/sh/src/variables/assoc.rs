//! Associative arrays, in bash's order.
//!
//! bash walks its hash table bucket by bucket, in each bucket from the newest entry to the oldest. Scripts see this
//! order in `${a[@]}`. The table here has the same hash (FNV-1, multiply before xor), bucket count and growth, and so
//! the same order.

use super::hash::{ASSOC_BUCKETS, BucketTable, CONVERTED_BUCKETS};

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
    /// An array with the bucket count, and so the order, of another table of the shell.
    pub(crate) fn with_buckets(buckets: u32) -> Self {
        Self { table: BucketTable::new(buckets) }
    }

    /// An array made from another kind of variable, whose value becomes element `0`.
    pub(crate) fn converted(value: Option<Vec<u8>>) -> Self {
        let mut array = Self::with_buckets(CONVERTED_BUCKETS);
        if let Some(value) = value {
            array.set(b"0", value);
        }
        array
    }

    /// An empty array in which elements get the same order as in this one.
    pub(crate) fn emptied(&self) -> Self {
        Self { table: self.table.emptied() }
    }

    pub(crate) fn get(&self, key: &[u8]) -> Option<&[u8]> {
        self.table.get(key).map(Vec::as_slice)
    }

    /// The element, to be overwritten. A new one is empty.
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
