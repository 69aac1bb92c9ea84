//! A persistent sorted map from names. Clones share everything; a change copies one small chunk and the list of chunks.

use std::sync::Arc;

/// The most names in a chunk. A chunk with more is split.
const CHUNK: usize = 64;

pub(super) type Chunk<V> = Arc<Vec<(Arc<[u8]>, V)>>;

/// Names in the order of their bytes, each with a value.
pub(crate) struct Names<V> {
    /// Chunks in order, none empty.
    chunks: Arc<Vec<Chunk<V>>>,
    len: usize,
}

impl<V> Clone for Names<V> {
    fn clone(&self) -> Self {
        Self { chunks: Arc::clone(&self.chunks), len: self.len }
    }
}

impl<V> Default for Names<V> {
    fn default() -> Self {
        Self { chunks: Arc::new(Vec::new()), len: 0 }
    }
}

impl<V: Clone> Names<V> {
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn get(&self, name: &[u8]) -> Option<&V> {
        let (chunk, index) = self.find(name).ok()?;
        self.chunks.get(chunk)?.get(index).map(|(_, value)| value)
    }

    /// Sets the value of a name and returns the former one.
    pub(crate) fn insert(&mut self, name: Arc<[u8]>, value: V) -> Option<V> {
        match self.find(&name) {
            Ok((chunk, index)) => {
                let slot = Arc::make_mut(Arc::make_mut(&mut self.chunks).get_mut(chunk)?).get_mut(index)?;
                Some(std::mem::replace(&mut slot.1, value))
            }
            Err((chunk, index)) => {
                self.len += 1;
                let chunks = Arc::make_mut(&mut self.chunks);
                match chunks.get_mut(chunk) {
                    None => chunks.push(Arc::new(vec![(name, value)])),
                    Some(place) => {
                        let place = Arc::make_mut(place);
                        place.insert(index, (name, value));
                        if place.len() > CHUNK {
                            // Names are often inserted in order; then the left part stays full.
                            let middle = if index + 1 == place.len() { CHUNK } else { CHUNK / 2 };
                            let right = place.split_off(middle);
                            chunks.insert(chunk + 1, Arc::new(right));
                        }
                    }
                }
                None
            }
        }
    }

    pub(crate) fn remove(&mut self, name: &[u8]) -> Option<V> {
        let (chunk, index) = self.find(name).ok()?;
        let chunks = Arc::make_mut(&mut self.chunks);
        let place = Arc::make_mut(chunks.get_mut(chunk)?);
        let (_, value) = place.remove(index);
        if place.is_empty() {
            chunks.remove(chunk);
        }
        self.len -= 1;
        Some(value)
    }

    /// The names in pieces, none empty. A piece that did not change is the same as before.
    pub(super) fn chunks(&self) -> &[Chunk<V>] {
        &self.chunks
    }

    /// The names of these pieces, which are in order.
    pub(super) fn from_chunks(chunks: Vec<Chunk<V>>) -> Self {
        let len = chunks.iter().map(|chunk| chunk.len()).sum();
        Self { chunks: Arc::new(chunks), len }
    }

    /// All names and values in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Arc<[u8]>, &V)> {
        self.chunks.iter().flat_map(|chunk| chunk.iter().map(|(name, value)| (name, value)))
    }

    /// At most one chunk of names from a cursor on (0 at the start), each with the cursor after it. A cursor is only
    /// valid for the same map without changes.
    pub(crate) fn batch(&self, cursor: u64) -> impl Iterator<Item = (u64, &Arc<[u8]>, &V)> {
        let (mut chunk, mut index) = ((cursor >> 16) as usize, (cursor & 0xffff) as usize);
        if self.chunks.get(chunk).is_some_and(|place| index >= place.len()) {
            (chunk, index) = (chunk + 1, 0);
        }
        let rest = self.chunks.get(chunk).and_then(|place| place.get(index..)).unwrap_or_default();
        let after = move |offset: usize| (chunk as u64) << 16 | (index + offset + 1) as u64;
        rest.iter().enumerate().map(move |(offset, (name, value))| (after(offset), name, value))
    }

    /// The chunk and index of a name, or where it would be inserted.
    fn find(&self, name: &[u8]) -> Result<(usize, usize), (usize, usize)> {
        let after =
            self.chunks.partition_point(|chunk| chunk.first().is_some_and(|(first, _)| **first <= *name));
        let chunk = after.saturating_sub(1);
        let Some(place) = self.chunks.get(chunk) else {
            return Err((0, 0));
        };
        match place.binary_search_by(|(other, _)| (**other).cmp(name)) {
            Ok(index) => Ok((chunk, index)),
            Err(index) => Err((chunk, index)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Names;
    use std::collections::BTreeMap;
    use std::sync::Arc;

    #[test]
    fn behaves_as_a_sorted_map() {
        let mut names = Names::default();
        let mut model: BTreeMap<Vec<u8>, u64> = BTreeMap::new();
        let mut state = 7_u64;
        for step in 0..20_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let name = format!("{}", (state >> 33) % 2000).into_bytes();
            if state >> 62 < 3 {
                assert_eq!(names.insert(Arc::from(name.as_slice()), step), model.insert(name, step));
            } else {
                assert_eq!(names.remove(&name), model.remove(&name));
            }
            assert_eq!(names.len(), model.len());
        }
        let listed: Vec<_> = names.iter().map(|(name, value)| (name.to_vec(), *value)).collect();
        assert_eq!(listed, model.clone().into_iter().collect::<Vec<_>>());
        let mut cursor = 0;
        let mut scanned = Vec::new();
        loop {
            let before = scanned.len();
            for (next, name, value) in names.batch(cursor).take(10) {
                scanned.push((name.to_vec(), *value));
                cursor = next;
            }
            if scanned.len() == before {
                break;
            }
        }
        assert_eq!(scanned, listed);
    }
}
