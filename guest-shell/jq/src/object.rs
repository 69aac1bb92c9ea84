//! Objects: entries in insertion order, with an index if there are many.

use crate::text::Text;
use crate::value::{Val, drop_values};

/// An object.
#[derive(Clone, Default)]
pub(crate) struct Object {
    entries: Vec<(Text, Val)>,
    /// A hash table with open addressing. It contains positions in `entries` plus one. It is empty while there are few
    /// entries.
    table: Vec<u32>,
}

/// Up to this number of entries, the search is linear.
const FEW: usize = 12;

impl Object {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(crate) fn entries(&self) -> &[(Text, Val)] {
        &self.entries
    }

    pub(crate) fn get(&self, key: &Text) -> Option<&Val> {
        self.find(key).and_then(|i| self.entries.get(i)).map(|e| &e.1)
    }

    pub(crate) fn get_mut(&mut self, key: &Text) -> Option<&mut Val> {
        self.find(key).and_then(|i| self.entries.get_mut(i)).map(|e| &mut e.1)
    }

    /// Sets the value of a key. An existing key keeps its position.
    pub(crate) fn insert(&mut self, key: Text, value: Val) {
        if let Some(old) = self.get_mut(&key) {
            *old = value;
            return;
        }
        self.entries.push((key, value));
        if self.entries.len() > FEW {
            if self.entries.len() * 2 > self.table.len() {
                self.rebuild();
            } else {
                self.place(self.entries.len() - 1);
            }
        }
    }

    /// The value of a key. A missing key is inserted with null.
    pub(crate) fn entry(&mut self, key: &Text) -> &mut Val {
        let at = match self.find(key) {
            Some(i) => i,
            None => {
                self.insert(key.clone(), Val::Null);
                self.entries.len() - 1
            }
        };
        &mut self.entries[at].1
    }

    pub(crate) fn remove(&mut self, key: &Text) {
        if let Some(i) = self.find(key) {
            self.entries.remove(i);
            if !self.table.is_empty() {
                self.rebuild();
            }
        }
    }

    /// Removes several keys at once.
    pub(crate) fn remove_all(&mut self, keys: &[Text]) {
        if let [key] = keys {
            self.remove(key);
            return;
        }
        let mut sorted: Vec<&Text> = keys.iter().collect();
        sorted.sort_unstable();
        self.entries.retain(|(k, _)| sorted.binary_search(&k).is_err());
        if !self.table.is_empty() {
            self.rebuild();
        }
    }

    /// The entries, sorted by key in code point order.
    pub(crate) fn sorted(&self) -> Vec<&(Text, Val)> {
        let mut all: Vec<&(Text, Val)> = self.entries.iter().collect();
        all.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        all
    }

    fn find(&self, key: &Text) -> Option<usize> {
        if self.table.is_empty() {
            return self.entries.iter().position(|(k, _)| k == key);
        }
        let mask = self.table.len() - 1;
        let mut at = hash(key.bytes()) & mask;
        while let Some(&slot) = self.table.get(at)
            && slot != 0
        {
            let i = slot as usize - 1;
            if self.entries.get(i).is_some_and(|(k, _)| k == key) {
                return Some(i);
            }
            at = (at + 1) & mask;
        }
        None
    }

    fn rebuild(&mut self) {
        self.table.clear();
        if self.entries.len() > FEW {
            self.table.resize((self.entries.len() * 4).next_power_of_two(), 0);
            for i in 0..self.entries.len() {
                self.place(i);
            }
        }
    }

    fn place(&mut self, entry: usize) {
        let mask = self.table.len() - 1;
        let mut at = self.entries.get(entry).map_or(0, |(k, _)| hash(k.bytes())) & mask;
        while self.table.get(at).is_some_and(|s| *s != 0) {
            at = (at + 1) & mask;
        }
        if let Some(slot) = self.table.get_mut(at) {
            *slot = entry as u32 + 1;
        }
    }
}

impl Drop for Object {
    fn drop(&mut self) {
        if !self.entries.is_empty() {
            drop_values(self.entries.drain(..).map(|e| e.1));
        }
    }
}

fn hash(bytes: &[u8]) -> usize {
    let mut h = 0xcbf2_9ce4_8422_2325_u64;
    for chunk in bytes.chunks(8) {
        let mut word = [0u8; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        h = (h.rotate_left(5) ^ u64::from_le_bytes(word)).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
    (h ^ (h >> 29)) as usize
}
