//! A persistent map from dense integers. Clones are free and share everything; a change copies one path.

use std::sync::Arc;

const BITS: u32 = 5;
const FAN: usize = 1 << BITS;

/// A radix tree. `get` and `get_mut` take a few array lookups. After a change, a tree shares all but one path with its
/// clones.
pub(crate) struct Tree<T> {
    root: Option<Arc<Branch<T>>>,
    /// Number of levels. A tree of height `h` holds keys below 32^h.
    height: u32,
}

#[derive(Clone)]
#[allow(clippy::large_enum_variant, reason = "for the types held here both are arrays of pointers")]
enum Branch<T> {
    Inner([Option<Arc<Branch<T>>>; FAN]),
    Leaf([Option<T>; FAN]),
}

impl<T> Clone for Tree<T> {
    fn clone(&self) -> Self {
        Self { root: self.root.clone(), height: self.height }
    }
}

impl<T> Default for Tree<T> {
    fn default() -> Self {
        Self { root: None, height: 1 }
    }
}

impl<T: Clone> Tree<T> {
    pub(crate) fn get(&self, key: u64) -> Option<&T> {
        let mut level = self.height;
        if !fits(key, level) {
            return None;
        }
        let mut branch = self.root.as_deref()?;
        loop {
            level -= 1;
            match branch {
                Branch::Inner(slots) => branch = slots.get(slot(key, level))?.as_deref()?,
                Branch::Leaf(slots) => return slots.get(slot(key, level))?.as_ref(),
            }
        }
    }

    /// The first existing key from `from` on, with its value.
    pub(crate) fn first_from(&self, from: u64) -> Option<(u64, &T)> {
        let mut key = from;
        while fits(key, self.height) {
            let mut branch = self.root.as_deref()?;
            let mut level = self.height;
            let missing = loop {
                level -= 1;
                match branch {
                    Branch::Inner(slots) => match slots.get(slot(key, level))?.as_deref() {
                        Some(below) => branch = below,
                        None => break level,
                    },
                    Branch::Leaf(slots) => match slots.get(slot(key, level))? {
                        Some(value) => return Some((key, value)),
                        None => break level,
                    },
                }
            };
            // This subtree is empty: continue with the next one of its size.
            key = (key | ((1 << (missing * BITS)) - 1)).checked_add(1)?;
        }
        None
    }

    pub(crate) fn get_mut(&mut self, key: u64) -> Option<&mut T> {
        let mut level = self.height;
        if !fits(key, level) {
            return None;
        }
        // A missing key must not copy a shared path.
        self.get(key)?;
        let mut branch = Arc::make_mut(self.root.as_mut()?);
        loop {
            level -= 1;
            match branch {
                Branch::Inner(slots) => {
                    branch = Arc::make_mut(slots.get_mut(slot(key, level))?.as_mut()?);
                }
                Branch::Leaf(slots) => return slots.get_mut(slot(key, level))?.as_mut(),
            }
        }
    }

    pub(crate) fn insert(&mut self, key: u64, value: T) {
        while !fits(key, self.height) {
            if let Some(root) = self.root.take() {
                let mut slots = empty_slots();
                slots[0] = Some(root);
                self.root = Some(Arc::new(Branch::Inner(slots)));
            }
            self.height += 1;
        }
        let mut level = self.height;
        let mut place = &mut self.root;
        loop {
            level -= 1;
            let branch = Arc::make_mut(place.get_or_insert_with(|| {
                Arc::new(if level == 0 { Branch::Leaf(empty_slots()) } else { Branch::Inner(empty_slots()) })
            }));
            match branch {
                Branch::Inner(slots) => place = &mut slots[slot(key, level)],
                Branch::Leaf(slots) => {
                    slots[slot(key, level)] = Some(value);
                    return;
                }
            }
        }
    }

    pub(crate) fn remove(&mut self, key: u64) -> Option<T> {
        let old = self.get(key)?.clone();
        remove(&mut self.root, key, self.height);
        Some(old)
    }

    /// Removes every key from `from` on, and passes the values to `dropped`.
    pub(crate) fn cut(&mut self, from: u64, dropped: &mut dyn FnMut(T)) {
        if fits(from, self.height) {
            cut(&mut self.root, from, self.height, dropped);
        }
    }

    /// Whether it is not empty and shares nothing with a clone.
    pub(crate) fn is_unshared(&self) -> bool {
        self.root.as_ref().is_some_and(|root| Arc::strong_count(root) == 1)
    }

    /// Whether both share all nodes.
    #[cfg(test)]
    pub(crate) fn shares_root(&self, other: &Self) -> bool {
        match (&self.root, &other.root) {
            (Some(one), Some(two)) => Arc::ptr_eq(one, two),
            (None, None) => true,
            _ => false,
        }
    }
}

fn empty_slots<T>() -> [Option<T>; FAN] {
    std::array::from_fn(|_| None)
}

fn fits(key: u64, height: u32) -> bool {
    height * BITS >= u64::BITS || key >> (height * BITS) == 0
}

fn slot(key: u64, level: u32) -> usize {
    (key >> (level * BITS)) as usize & (FAN - 1)
}

fn remove<T: Clone>(place: &mut Option<Arc<Branch<T>>>, key: u64, height: u32) {
    let Some(branch) = place else { return };
    let emptied = match Arc::make_mut(branch) {
        Branch::Inner(slots) => {
            remove(&mut slots[slot(key, height - 1)], key, height - 1);
            slots.iter().all(Option::is_none)
        }
        Branch::Leaf(slots) => {
            slots[slot(key, 0)] = None;
            slots.iter().all(Option::is_none)
        }
    };
    if emptied {
        *place = None;
    }
}

fn cut<T: Clone>(place: &mut Option<Arc<Branch<T>>>, from: u64, height: u32, dropped: &mut dyn FnMut(T)) {
    let Some(branch) = place else { return };
    let first = slot(from, height - 1);
    let emptied = match Arc::make_mut(branch) {
        Branch::Inner(slots) => {
            for (index, child) in slots.iter_mut().enumerate().skip(first) {
                cut(child, if index == first { from } else { 0 }, height - 1, dropped);
            }
            slots.iter().all(Option::is_none)
        }
        Branch::Leaf(slots) => {
            for value in slots.iter_mut().skip(first).filter_map(Option::take) {
                dropped(value);
            }
            slots.iter().all(Option::is_none)
        }
    };
    if emptied {
        *place = None;
    }
}

#[cfg(test)]
mod tests {
    use super::Tree;
    use std::collections::BTreeMap;
    use std::sync::Arc;

    #[test]
    fn behaves_as_a_map() {
        let mut tree = Tree::default();
        let mut model = BTreeMap::new();
        let mut state = 1_u64;
        for step in 0..20_000_u64 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let key = (state >> 33) % 3000 * if step % 7 == 0 { 1 << 30 } else { 1 };
            match state >> 60 {
                0..8 => {
                    tree.insert(key, step);
                    model.insert(key, step);
                }
                8..14 => assert_eq!(tree.remove(key), model.remove(&key)),
                14 => assert_eq!(tree.get_mut(key).map(|value| *value), model.get(&key).copied()),
                _ if step % 64 == 0 => {
                    let mut dropped = Vec::new();
                    tree.cut(key, &mut |value| dropped.push(value));
                    assert_eq!(dropped, model.split_off(&key).into_values().collect::<Vec<_>>());
                }
                _ if step % 2 == 0 => {
                    let first = model.range(key..).next().map(|(key, value)| (*key, value));
                    assert_eq!(tree.first_from(key), first);
                }
                _ => assert_eq!(tree.get(key), model.get(&key)),
            }
        }
        assert!(model.iter().all(|(key, value)| tree.get(*key) == Some(value)));
    }

    #[test]
    fn a_clone_shares_and_a_change_copies_one_path() {
        let mut tree = Tree::default();
        let values: Vec<_> = (0..5000).map(Arc::new).collect();
        for (key, value) in values.iter().enumerate() {
            tree.insert(key as u64, Arc::clone(value));
        }
        let clone = tree.clone();
        assert!(clone.shares_root(&tree));
        assert!(values.iter().all(|value| Arc::strong_count(value) == 2), "cloning touches no value");
        tree.insert(77, Arc::new(0));
        let copied = values.iter().filter(|value| Arc::strong_count(value) == 3).count();
        assert_eq!(copied, 31, "only the changed leaf was copied");
        assert_eq!(clone.get(77).map(|value| **value), Some(77));
    }
}
