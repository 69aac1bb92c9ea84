//! The order of bash's hash tables.

use rustc_hash::FxBuildHasher;
use std::collections::HashMap;

/// Buckets of a new associative array.
pub(crate) const ASSOC_BUCKETS: u32 = 1024;
/// Buckets of an associative array that was converted from another variable.
pub(crate) const CONVERTED_BUCKETS: u32 = 128;
/// Buckets of the table of aliases.
pub(crate) const ALIAS_BUCKETS: u32 = 64;
/// Buckets of the table of remembered programs.
pub(crate) const COMMAND_BUCKETS: u32 = 256;
/// Buckets of the table of completions.
pub(crate) const COMPLETION_BUCKETS: u32 = 512;
/// Buckets of the tables of variables.
pub(crate) const VARIABLES_BUCKETS: u32 = 1024;

/// A hash map that is walked in the order of bash's tables: by bucket, and in each bucket the newest entry first.
#[derive(Clone, Debug)]
pub(crate) struct BucketTable<V> {
    map: HashMap<Box<[u8]>, (u64, V), FxBuildHasher>,
    buckets: u32,
    // Rank in a bucket: higher ones come first.
    next: u64,
}

impl<V: Default> BucketTable<V> {
    pub(crate) fn new(buckets: u32) -> Self {
        Self { map: HashMap::default(), buckets, next: 0 }
    }

    /// An empty table with the same number of buckets.
    pub(crate) fn emptied(&self) -> Self {
        Self::new(self.buckets)
    }

    pub(crate) fn len(&self) -> usize {
        self.map.len()
    }

    pub(crate) fn get(&self, key: &[u8]) -> Option<&V> {
        self.map.get(key).map(|e| &e.1)
    }

    pub(crate) fn entry(&mut self, key: &[u8]) -> &mut V {
        if !self.map.contains_key(key) {
            self.grow();
            self.next += 1;
        }
        let rank = self.next;
        &mut self.map.entry(key.into()).or_insert_with(|| (rank, V::default())).1
    }

    pub(crate) fn remove(&mut self, key: &[u8]) -> Option<V> {
        self.map.remove(key).map(|e| e.1)
    }

    // bash quadruples a table that has twice as many entries as buckets. It moves the entries in walk order to the
    // heads of their new buckets, which reverses their order.
    fn grow(&mut self) {
        if self.map.len() < self.buckets as usize * 2 {
            return;
        }
        let order: Vec<Box<[u8]>> = self.ordered().into_iter().map(|e| e.0.into()).collect();
        self.buckets *= 4;
        for key in order {
            self.next += 1;
            if let Some(e) = self.map.get_mut(&key) {
                e.0 = self.next;
            }
        }
    }

    pub(crate) fn ordered(&self) -> Vec<(&[u8], &V)> {
        let mut list: Vec<_> =
            self.map.iter().map(|(k, (rank, v))| (bucket(k, self.buckets), *rank, &**k, v)).collect();
        list.sort_unstable_by(|a, b| (a.0, b.1).cmp(&(b.0, a.1)));
        list.into_iter().map(|(_, _, k, v)| (k, v)).collect()
    }
}

/// The bucket of a key in a table of `buckets`, a power of two.
pub(crate) fn bucket(key: &[u8], buckets: u32) -> u32 {
    let hash = key.iter().fold(2_166_136_261_u32, |h, b| {
        h.wrapping_mul(16_777_619) ^ i32::from(b.cast_signed()).cast_unsigned()
    });
    hash & (buckets - 1)
}
