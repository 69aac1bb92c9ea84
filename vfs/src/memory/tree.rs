//! A persistent map from dense integers. Clones are free and share everything; a change copies one path.
//!
//! Parts of a tree may be stored: they are read when they are first needed, and stay.

use super::stored::{Persist, Reader, Stored, Value, bad};
use crate::{BlobId, BlobSource, Result};
use std::sync::{Arc, OnceLock};

const BITS: u32 = 5;
const FAN: usize = 1 << BITS;

/// A radix tree. `get` and `get_mut` take a few array lookups. After a change, a tree shares all but one path with its
/// clones.
pub(crate) struct Tree<T> {
    root: Option<Arc<Node<T>>>,
    /// Number of levels. A tree of height `h` holds keys below 32^h.
    height: u32,
}

struct Node<T> {
    /// Filled before it is used; from the start unless the node is stored.
    branch: OnceLock<Branch<T>>,
    /// Where an unchanged node is stored.
    stored: Option<Box<Stored>>,
}

#[derive(Clone)]
#[allow(clippy::large_enum_variant, reason = "for the types held here both are arrays of small values")]
enum Branch<T> {
    Inner([Option<Arc<Node<T>>>; FAN]),
    Leaf([Option<T>; FAN]),
}

/// The number of levels that cover all keys.
const MAX_HEIGHT: u32 = u64::BITS.div_ceil(BITS);

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

impl<T: Clone> Clone for Node<T> {
    fn clone(&self) -> Self {
        Self { branch: self.branch.clone(), stored: self.stored.clone() }
    }
}

impl<T: Value> Node<T> {
    fn new(branch: Branch<T>) -> Arc<Self> {
        Arc::new(Self { branch: OnceLock::from(branch), stored: None })
    }

    /// The node's branch; `level` 0 is a leaf.
    fn branch(&self, level: u32) -> Result<&Branch<T>> {
        if let Some(branch) = self.branch.get() {
            return Ok(branch);
        }
        let stored = self.stored.as_deref().ok_or_else(bad)?;
        let bytes = stored.load()?;
        let branch = Branch::decode(&mut Reader::new(&bytes), level, &stored.source)?;
        // Another thread may have been faster; both read the same.
        let _ = self.branch.set(branch);
        self.branch.get().ok_or_else(bad)
    }

    /// The branch of a node that is changed now.
    fn change(node: &mut Arc<Self>, level: u32) -> Result<&mut Branch<T>> {
        node.branch(level)?;
        let node = Arc::make_mut(node);
        node.stored = None;
        node.branch.get_mut().ok_or_else(bad)
    }

    /// The same node, whose keys begin with `first`, stored with everything below it.
    fn persist(self: &Arc<Self>, first: u64, level: u32, persist: &mut Persist<'_>) -> Result<Arc<Self>> {
        if self.stored.is_some() {
            return Ok(Arc::clone(self));
        }
        // The calls are nested as deeply as the tree is high, which is at most 13.
        let branch = match self.branch(level)? {
            Branch::Inner(slots) => Branch::Inner(convert(slots, |index, node| {
                node.persist(first | index << (level * BITS), level - 1, persist)
            })?),
            Branch::Leaf(slots) => {
                Branch::Leaf(convert(slots, |index, value| value.persist(first | index, persist))?)
            }
        };
        let mut bytes = Vec::new();
        branch.encode(&mut bytes)?;
        let stored = Some(Box::new(persist.store(bytes)?));
        Ok(Arc::new(Self { branch: OnceLock::from(branch), stored }))
    }
}

impl<T: Value> Branch<T> {
    fn empty(level: u32) -> Self {
        if level == 0 { Self::Leaf(empty_slots()) } else { Self::Inner(empty_slots()) }
    }

    /// The occupied slots as bits, then for each its child's name or the value.
    fn encode(&self, to: &mut Vec<u8>) -> Result<()> {
        let bits = |occupied: [bool; FAN]| {
            occupied.iter().rev().fold(0_u32, |bits, occupied| bits << 1 | u32::from(*occupied))
        };
        match self {
            Self::Inner(slots) => {
                to.extend(bits(std::array::from_fn(|index| slots[index].is_some())).to_le_bytes());
                for node in slots.iter().flatten() {
                    to.extend(node.stored.as_ref().ok_or_else(bad)?.id.0);
                }
            }
            Self::Leaf(slots) => {
                to.extend(bits(std::array::from_fn(|index| slots[index].is_some())).to_le_bytes());
                for value in slots.iter().flatten() {
                    value.encode(to)?;
                }
            }
        }
        Ok(())
    }

    fn decode(from: &mut Reader<'_>, level: u32, source: &Arc<dyn BlobSource>) -> Result<Self> {
        let occupied = from.u32()?;
        let mut branch = Self::empty(level);
        for index in (0..FAN).filter(|index| occupied >> index & 1 == 1) {
            match &mut branch {
                Self::Inner(slots) => slots[index] = Some(Node::stored(from.id()?, source)),
                Self::Leaf(slots) => slots[index] = Some(T::decode(from, source)?),
            }
        }
        from.end()?;
        Ok(branch)
    }
}

impl<T> Node<T> {
    fn stored(id: BlobId, source: &Arc<dyn BlobSource>) -> Arc<Self> {
        let stored = Stored { id, source: Arc::clone(source) };
        Arc::new(Self { branch: OnceLock::new(), stored: Some(Box::new(stored)) })
    }
}

impl<T: Value> Tree<T> {
    pub(crate) fn get(&self, key: u64) -> Result<Option<&T>> {
        let mut level = self.height;
        let Some(mut node) = self.root.as_deref().filter(|_| fits(key, level)) else {
            return Ok(None);
        };
        loop {
            level -= 1;
            match node.branch(level)? {
                Branch::Inner(slots) => match &slots[slot(key, level)] {
                    Some(below) => node = below,
                    None => return Ok(None),
                },
                Branch::Leaf(slots) => return Ok(slots[slot(key, level)].as_ref()),
            }
        }
    }

    /// Whether something stored has to be read to get the value, or the value itself is not here.
    pub(super) fn is_away(&self, key: u64, is_here: impl Fn(&T) -> bool) -> bool {
        let mut level = self.height;
        let Some(mut node) = self.root.as_deref().filter(|_| fits(key, level)) else { return false };
        loop {
            level -= 1;
            match node.branch.get() {
                None => return true,
                Some(Branch::Inner(slots)) => match &slots[slot(key, level)] {
                    Some(below) => node = below,
                    None => return false,
                },
                Some(Branch::Leaf(slots)) => {
                    return slots[slot(key, level)].as_ref().is_some_and(|value| !is_here(value));
                }
            }
        }
    }

    /// The first existing key from `from` on, with its value.
    pub(crate) fn first_from(&self, from: u64) -> Result<Option<(u64, &T)>> {
        let mut key = from;
        while fits(key, self.height) {
            let Some(mut node) = self.root.as_deref() else { return Ok(None) };
            let mut level = self.height;
            let missing = loop {
                level -= 1;
                match node.branch(level)? {
                    Branch::Inner(slots) => match &slots[slot(key, level)] {
                        Some(below) => node = below,
                        None => break level,
                    },
                    Branch::Leaf(slots) => match &slots[slot(key, level)] {
                        Some(value) => return Ok(Some((key, value))),
                        None => break level,
                    },
                }
            };
            // This subtree is empty: continue with the next one of its size.
            match (key | ((1 << (missing * BITS)) - 1)).checked_add(1) {
                Some(next) => key = next,
                None => break,
            }
        }
        Ok(None)
    }

    pub(crate) fn get_mut(&mut self, key: u64) -> Result<Option<&mut T>> {
        // A missing key must not copy a shared path.
        if self.get(key)?.is_none() {
            return Ok(None);
        }
        let mut level = self.height;
        let Some(mut node) = self.root.as_mut() else { return Ok(None) };
        loop {
            level -= 1;
            match Node::change(node, level)? {
                Branch::Inner(slots) => match &mut slots[slot(key, level)] {
                    Some(below) => node = below,
                    None => return Ok(None),
                },
                Branch::Leaf(slots) => return Ok(slots[slot(key, level)].as_mut()),
            }
        }
    }

    pub(crate) fn insert(&mut self, key: u64, value: T) -> Result<()> {
        while !fits(key, self.height) {
            if let Some(root) = self.root.take() {
                let mut slots = empty_slots();
                slots[0] = Some(root);
                self.root = Some(Node::new(Branch::Inner(slots)));
            }
            self.height += 1;
        }
        // Nothing changes if a part of the path cannot be read.
        self.get(key)?;
        let mut level = self.height;
        let mut place = &mut self.root;
        loop {
            level -= 1;
            let node = place.get_or_insert_with(|| Node::new(Branch::empty(level)));
            match Node::change(node, level)? {
                Branch::Inner(slots) => place = &mut slots[slot(key, level)],
                Branch::Leaf(slots) => {
                    slots[slot(key, level)] = Some(value);
                    return Ok(());
                }
            }
        }
    }

    pub(crate) fn remove(&mut self, key: u64) -> Result<Option<T>> {
        let Some(old) = self.get(key)?.cloned() else { return Ok(None) };
        remove(&mut self.root, key, self.height)?;
        Ok(Some(old))
    }

    /// Removes every key from `from` on, and passes the values to `dropped`. If something cannot be read, what was
    /// passed is removed, and the rest is as before.
    pub(crate) fn cut(&mut self, from: u64, dropped: &mut dyn FnMut(T)) -> Result<()> {
        if fits(from, self.height) { cut(&mut self.root, from, self.height, dropped) } else { Ok(()) }
    }

    /// Stores what is not stored yet. Returns the same tree, which refers to what is stored.
    pub(super) fn persist(&self, persist: &mut Persist<'_>) -> Result<Self> {
        let root = match &self.root {
            Some(root) => Some(root.persist(0, self.height - 1, persist)?),
            None => None,
        };
        Ok(Self { root, height: self.height })
    }

    /// Appends the height and the name of the root, which is stored.
    pub(super) fn encode(&self, to: &mut Vec<u8>) -> Result<()> {
        to.push(u8::try_from(self.height).unwrap_or(u8::MAX));
        to.push(u8::from(self.root.is_some()));
        if let Some(root) = &self.root {
            to.extend(root.stored.as_ref().ok_or_else(bad)?.id.0);
        }
        Ok(())
    }

    pub(super) fn decode(from: &mut Reader<'_>, source: &Arc<dyn BlobSource>) -> Result<Self> {
        let (height, root) = decode_root(from)?;
        Ok(Self { root: root.map(|id| Node::stored(id, source)), height })
    }

    /// Whether nothing has changed since everything was stored.
    pub(super) fn is_stored(&self) -> bool {
        self.root.as_ref().is_none_or(|root| root.stored.is_some())
    }

    /// Whether it is not empty and shares nothing with a clone.
    pub(crate) fn is_unshared(&self) -> bool {
        self.root.as_ref().is_some_and(|root| Arc::strong_count(root) == 1)
    }

    /// Whether both share all nodes.
    pub(crate) fn shares_root(&self, other: &Self) -> bool {
        match (&self.root, &other.root) {
            (Some(one), Some(two)) => Arc::ptr_eq(one, two),
            (None, None) => true,
            _ => false,
        }
    }
}

/// The height of a tree and its root, as [`Tree::encode`] wrote them.
pub(super) fn decode_root(from: &mut Reader<'_>) -> Result<(u32, Option<BlobId>)> {
    let height = u32::from(from.u8()?);
    if !(1..=MAX_HEIGHT).contains(&height) {
        return Err(bad());
    }
    let root = if from.u8()? == 0 { None } else { Some(from.id()?) };
    Ok((height, root))
}

/// The children of a stored inner node.
pub(super) fn children(from: &mut Reader<'_>) -> Result<Vec<BlobId>> {
    let occupied = from.u32()?;
    let children = (0..occupied.count_ones()).map(|_| from.id()).collect::<Result<_>>()?;
    from.end()?;
    Ok(children)
}

/// The values of a stored leaf.
pub(super) fn values<T: Value>(from: &mut Reader<'_>, source: &Arc<dyn BlobSource>) -> Result<Vec<T>> {
    let occupied = from.u32()?;
    let values = (0..occupied.count_ones()).map(|_| T::decode(from, source)).collect::<Result<_>>()?;
    from.end()?;
    Ok(values)
}

fn empty_slots<T>() -> [Option<T>; FAN] {
    std::array::from_fn(|_| None)
}

fn convert<T>(
    slots: &[Option<T>; FAN],
    mut convert: impl FnMut(u64, &T) -> Result<T>,
) -> Result<[Option<T>; FAN]> {
    let mut converted = empty_slots();
    for ((index, to), from) in (0..).zip(&mut converted).zip(slots) {
        if let Some(from) = from {
            *to = Some(convert(index, from)?);
        }
    }
    Ok(converted)
}

fn fits(key: u64, height: u32) -> bool {
    height * BITS >= u64::BITS || key >> (height * BITS) == 0
}

fn slot(key: u64, level: u32) -> usize {
    (key >> (level * BITS)) as usize & (FAN - 1)
}

fn remove<T: Value>(place: &mut Option<Arc<Node<T>>>, key: u64, height: u32) -> Result<()> {
    let Some(node) = place else { return Ok(()) };
    let emptied = match Node::change(node, height - 1)? {
        Branch::Inner(slots) => {
            remove(&mut slots[slot(key, height - 1)], key, height - 1)?;
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
    Ok(())
}

fn cut<T: Value>(
    place: &mut Option<Arc<Node<T>>>,
    from: u64,
    height: u32,
    dropped: &mut dyn FnMut(T),
) -> Result<()> {
    let Some(node) = place else { return Ok(()) };
    let first = slot(from, height - 1);
    let emptied = match Node::change(node, height - 1)? {
        Branch::Inner(slots) => {
            for (index, child) in slots.iter_mut().enumerate().skip(first) {
                cut(child, if index == first { from } else { 0 }, height - 1, dropped)?;
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
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Persist, Reader, Tree, Value};
    use crate::{BlobSource, Result};
    use std::collections::BTreeMap;
    use std::sync::Arc;

    #[derive(Clone)]
    struct Shared(Arc<u64>);

    impl Value for Shared {
        fn encode(&self, to: &mut Vec<u8>) -> Result<()> {
            self.0.encode(to)
        }

        fn decode(from: &mut Reader<'_>, source: &Arc<dyn BlobSource>) -> Result<Self> {
            Ok(Self(Arc::new(u64::decode(from, source)?)))
        }

        fn persist(&self, _key: u64, _persist: &mut Persist<'_>) -> Result<Self> {
            Ok(self.clone())
        }
    }

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
                    tree.insert(key, step).unwrap();
                    model.insert(key, step);
                }
                8..14 => assert_eq!(tree.remove(key).unwrap(), model.remove(&key)),
                14 => assert_eq!(tree.get_mut(key).unwrap().map(|value| *value), model.get(&key).copied()),
                _ if step % 64 == 0 => {
                    let mut dropped = Vec::new();
                    tree.cut(key, &mut |value| dropped.push(value)).unwrap();
                    assert_eq!(dropped, model.split_off(&key).into_values().collect::<Vec<_>>());
                }
                _ if step % 2 == 0 => {
                    let first = model.range(key..).next().map(|(key, value)| (*key, value));
                    assert_eq!(tree.first_from(key).unwrap(), first);
                }
                _ => assert_eq!(tree.get(key).unwrap(), model.get(&key)),
            }
        }
        assert!(model.iter().all(|(key, value)| tree.get(*key).unwrap() == Some(value)));
    }

    #[test]
    fn a_clone_shares_and_a_change_copies_one_path() {
        let mut tree = Tree::default();
        let values: Vec<_> = (0..5000).map(|number| Shared(Arc::new(number))).collect();
        for (key, value) in values.iter().enumerate() {
            tree.insert(key as u64, value.clone()).unwrap();
        }
        let clone = tree.clone();
        assert!(clone.shares_root(&tree));
        assert!(values.iter().all(|value| Arc::strong_count(&value.0) == 2), "cloning touches no value");
        tree.insert(77, Shared(Arc::new(0))).unwrap();
        let copied = values.iter().filter(|value| Arc::strong_count(&value.0) == 3).count();
        assert_eq!(copied, 31, "only the changed leaf was copied");
        assert_eq!(clone.get(77).unwrap().map(|value| *value.0), Some(77));
    }
}
