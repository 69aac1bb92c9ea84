//! Indexed arrays: sparse, ordered by index.

/// An indexed array. Elements are sorted by index; in a dense array the index is the position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct IndexedArray {
    items: Vec<(u64, Vec<u8>)>,
}

impl IndexedArray {
    pub(crate) fn from_values(values: Vec<Vec<u8>>) -> Self {
        Self { items: values.into_iter().enumerate().map(|(i, v)| (i as u64, v)).collect() }
    }

    // The position of `index`, or where to insert it.
    fn find(&self, index: u64) -> Result<usize, usize> {
        if let Some(position) = usize::try_from(index).ok()
            && self.items.get(position).is_some_and(|e| e.0 == index)
        {
            return Ok(position);
        }
        match self.items.last() {
            None => Err(0),
            Some(last) if last.0 < index => Err(self.items.len()),
            _ => self.items.binary_search_by(|e| e.0.cmp(&index)),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }

    pub(crate) fn get(&self, index: u64) -> Option<&[u8]> {
        self.find(index).ok().and_then(|p| self.items.get(p)).map(|e| e.1.as_slice())
    }

    /// The element, to be overwritten. A new one is empty.
    pub(crate) fn entry(&mut self, index: u64) -> &mut Vec<u8> {
        let position = match self.find(index) {
            Ok(p) => p,
            Err(p) => {
                self.items.insert(p, (index, Vec::new()));
                p
            }
        };
        &mut self.items[position].1
    }

    pub(crate) fn set(&mut self, index: u64, value: Vec<u8>) {
        *self.entry(index) = value;
    }

    pub(crate) fn remove(&mut self, index: u64) -> bool {
        match self.find(index) {
            Ok(p) => {
                self.items.remove(p);
                true
            }
            Err(_) => false,
        }
    }

    pub(crate) fn clear(&mut self) {
        self.items.clear();
    }

    /// The highest index in use.
    pub(crate) fn last_index(&self) -> Option<u64> {
        self.items.last().map(|e| e.0)
    }

    /// The index that the next element without a subscript gets.
    pub(crate) fn next_index(&self) -> u64 {
        self.last_index().map_or(0, |i| i.saturating_add(1))
    }

    /// Resolves a subscript. A negative one counts back from the end. `None` if it is out of range.
    pub(crate) fn resolve(&self, index: i64) -> Option<u64> {
        if index >= 0 {
            return Some(index.unsigned_abs());
        }
        self.next_index().checked_sub(index.unsigned_abs())
    }

    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = (u64, &[u8])> {
        self.items.iter().map(|(i, v)| (*i, v.as_slice()))
    }

    pub(crate) fn values(&self) -> impl DoubleEndedIterator<Item = &[u8]> {
        self.items.iter().map(|e| e.1.as_slice())
    }
}
