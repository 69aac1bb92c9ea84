//! A table of natural numbers in blocks, listed in ascending order.

use super::{Array, Key};
use crate::value::Value;
use std::collections::BTreeMap;

/// All numbers below this power of two form one group. Above it, each power of two has a group of its own.
const LOW: u32 = 10;
/// How much space may be unused before numbers are passed on.
const WASTE: usize = 1 << (LOW + 1);
/// Groups up to this power index their blocks by a vector, larger ones by a tree.
const DENSE: u32 = 20;

/// Texts, negative numbers and numbers that are too far apart are passed on.
#[derive(Default)]
pub(crate) struct Naturals {
    dense: Vec<Vec<Option<Box<Block>>>>,
    sparse: BTreeMap<u32, Box<Block>>,
    count: usize,
    capacity: usize,
    rest: Option<Box<Array>>,
}

struct Block {
    values: Box<[Option<Value>]>,
    count: usize,
}

// The power of two of the group that contains a number.
fn power(k: u32) -> u32 {
    k.max(1).ilog2().max(LOW - 1)
}

// The power of two of the block size in a group.
fn block_power(m: u32) -> u32 {
    let mut n = if m < LOW { LOW } else { m };
    loop {
        n = n.div_ceil(2);
        if n <= LOW {
            return n;
        }
    }
}

// How much a new block adds to the estimated capacity. This is not always its size.
fn estimate(m: u32) -> usize {
    let mut n = m.max(LOW);
    while n >= LOW {
        n = n.div_ceil(2);
    }
    1 << n
}

impl Naturals {
    pub(crate) fn len(&self) -> usize {
        self.count + self.rest.as_ref().map_or(0, |r| r.len())
    }

    pub(crate) fn own_len(&self) -> usize {
        self.count
    }

    pub(crate) fn take_rest(&mut self) -> Option<Box<Array>> {
        if self.count == 0 { self.rest.take() } else { None }
    }

    fn natural(key: Key<'_>) -> Option<u32> {
        match key {
            Key::Int(n) => u32::try_from(n).ok(),
            Key::Text(_) => None,
        }
    }

    // The group of a number, the block in the group, and the position in the block.
    fn place(k: u32) -> (u32, u32, usize) {
        let m = power(k);
        let bits = block_power(m);
        (m, k >> bits, (k & ((1 << bits) - 1)) as usize)
    }

    // The position of a block in its group's index.
    fn index(m: u32, block: u32) -> usize {
        let first = if m < LOW { 0 } else { (1u32 << m) >> block_power(m) };
        block.saturating_sub(first) as usize
    }

    fn block(&self, m: u32, block: u32) -> Option<&Block> {
        if m < DENSE {
            self.dense.get((m + 1 - LOW) as usize)?.get(Self::index(m, block))?.as_deref()
        } else {
            self.sparse.get(&(block << block_power(m))).map(|b| &**b)
        }
    }

    fn block_mut(&mut self, m: u32, block: u32) -> Option<&mut Block> {
        if m < DENSE {
            self.dense.get_mut((m + 1 - LOW) as usize)?.get_mut(Self::index(m, block))?.as_deref_mut()
        } else {
            self.sparse.get_mut(&(block << block_power(m))).map(|b| &mut **b)
        }
    }

    pub(crate) fn get(&self, key: Key<'_>) -> Option<&Value> {
        if let Some(k) = Self::natural(key) {
            let (m, block, at) = Self::place(k);
            if let Some(found) = self.block(m, block).and_then(|b| b.values.get(at)?.as_ref()) {
                return Some(found);
            }
        }
        self.rest.as_ref()?.get(key)
    }

    pub(crate) fn slot(&mut self, key: Key<'_>) -> &mut Value {
        let Some(k) = Self::natural(key) else { return self.pass_on(key) };
        let (m, block, at) = Self::place(k);
        let there = self.block(m, block).is_some_and(|b| b.values.get(at).is_some_and(Option::is_some));
        if !there {
            if self.rest.as_ref().is_some_and(|r| r.get(key).is_some()) {
                return self.pass_on(key);
            }
            if (self.capacity + estimate(m)).saturating_sub(self.count) > WASTE {
                return self.pass_on(key);
            }
            self.count += 1;
            let size = 1usize << block_power(m);
            let mut added = false;
            let b = self.make_block(m, block, size, &mut added);
            b.count += 1;
            b.values[at] = Some(Value::Untyped);
            if added {
                self.capacity += size;
            }
        }
        match self.block_mut(m, block).and_then(|b| b.values.get_mut(at)?.as_mut()) {
            Some(v) => v,
            None => unreachable!("made above"),
        }
    }

    fn make_block(&mut self, m: u32, block: u32, size: usize, added: &mut bool) -> &mut Block {
        let mut make = || {
            *added = true;
            Box::new(Block { values: (0..size).map(|_| None).collect(), count: 0 })
        };
        if m < DENSE {
            let group = (m + 1 - LOW) as usize;
            if self.dense.len() <= group {
                self.dense.resize_with(group + 1, Vec::new);
            }
            let index = Self::index(m, block);
            let group = &mut self.dense[group];
            if group.len() <= index {
                group.resize_with(index + 1, || None);
            }
            group[index].get_or_insert_with(make)
        } else {
            self.sparse.entry(block << block_power(m)).or_insert_with(&mut make)
        }
    }

    fn pass_on(&mut self, key: Key<'_>) -> &mut Value {
        self.rest.get_or_insert_with(|| Box::new(Array::for_overflow(key))).slot(key)
    }

    /// Removes an element. Returns whether it existed.
    pub(crate) fn remove(&mut self, key: Key<'_>) -> bool {
        if let Some(k) = Self::natural(key) {
            let (m, block, at) = Self::place(k);
            let size = 1usize << block_power(m);
            if let Some(b) = self.block_mut(m, block)
                && b.values.get_mut(at).is_some_and(|v| v.take().is_some())
            {
                b.count -= 1;
                if b.count == 0 {
                    self.capacity = self.capacity.saturating_sub(size);
                    if m < DENSE {
                        let group = (m + 1 - LOW) as usize;
                        let index = Self::index(m, block);
                        if let Some(b) = self.dense.get_mut(group).and_then(|g| g.get_mut(index)) {
                            *b = None;
                        }
                    } else {
                        self.sparse.remove(&(block << block_power(m)));
                    }
                }
                self.count -= 1;
                return true;
            }
        }
        let Some(rest) = &mut self.rest else { return false };
        let before = rest.len();
        rest.remove(key);
        let removed = rest.len() < before;
        if rest.len() == 0 {
            self.rest = None;
        }
        removed
    }

    pub(crate) fn each(&self, f: &mut dyn FnMut(Key<'_>, &Value)) {
        if let Some(rest) = &self.rest {
            rest.each(f);
        }
        for (m, group) in (LOW - 1..).zip(&self.dense) {
            let first = if m < LOW { 0 } else { 1i64 << m };
            for (i, b) in group.iter().enumerate() {
                if let Some(b) = b {
                    b.each(first + ((i as i64) << block_power(m)), f);
                }
            }
        }
        for (base, b) in &self.sparse {
            b.each(i64::from(*base), f);
        }
    }
}

impl Block {
    fn each(&self, base: i64, f: &mut dyn FnMut(Key<'_>, &Value)) {
        for (n, value) in (base..).zip(&self.values) {
            if let Some(v) = value {
                f(Key::Int(n), v);
            }
        }
    }
}
