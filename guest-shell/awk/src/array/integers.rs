//! A hash table of integers in chains of pairs.

use super::{Array, Key, next_size};
use crate::value::Value;

/// Texts are passed on. When a pair is full, a new one is added at the front of its chain. Only the pair at the front
/// may therefore have room.
#[derive(Default)]
pub(crate) struct Integers {
    /// Chains of pairs. The front pair is the last one in its vector.
    chains: Vec<Vec<Pair>>,
    count: usize,
    rest: Option<Box<Array>>,
}

type Pair = Vec<(i64, Value)>;

/// The final mixing step of SuperFastHash.
fn hash(n: i64, size: usize) -> usize {
    let mut k = n as u32;
    k ^= k << 3;
    k = k.wrapping_add(k >> 5);
    k ^= k << 4;
    k = k.wrapping_add(k >> 17);
    k ^= k << 25;
    k = k.wrapping_add(k >> 6);
    k as usize % size
}

impl Integers {
    pub(crate) fn len(&self) -> usize {
        self.count + self.rest.as_ref().map_or(0, |r| r.len())
    }

    pub(crate) fn own_len(&self) -> usize {
        self.count
    }

    pub(crate) fn take_rest(&mut self) -> Option<Box<Array>> {
        if self.count == 0 { self.rest.take() } else { None }
    }

    pub(crate) fn get(&self, key: Key<'_>) -> Option<&Value> {
        let Key::Int(n) = key else { return self.rest.as_ref()?.get(key) };
        let (chain, pair, i) = self.find(n)?;
        Some(&self.chains[chain][pair][i].1)
    }

    fn find(&self, n: i64) -> Option<(usize, usize, usize)> {
        if self.chains.is_empty() {
            return None;
        }
        let chain = hash(n, self.chains.len());
        for (p, pair) in self.chains[chain].iter().enumerate().rev() {
            if let Some(i) = pair.iter().position(|e| e.0 == n) {
                return Some((chain, p, i));
            }
        }
        None
    }

    pub(crate) fn slot(&mut self, key: Key<'_>) -> &mut Value {
        let Key::Int(n) = key else {
            return self.rest.get_or_insert_with(|| Box::new(Array::for_overflow(key))).slot(key);
        };
        let (chain, pair, i) = match self.find(n) {
            Some(found) => found,
            None => {
                self.count += 1;
                if self.chains.is_empty() || self.count / self.chains.len() > 2 {
                    self.grow();
                }
                self.insert(n, Value::Untyped)
            }
        };
        &mut self.chains[chain][pair][i].1
    }

    fn insert(&mut self, n: i64, value: Value) -> (usize, usize, usize) {
        let at = hash(n, self.chains.len());
        let chain = &mut self.chains[at];
        match chain.last_mut() {
            Some(front) if front.len() < 2 => front.push((n, value)),
            _ => chain.push(vec![(n, value)]),
        }
        let pair = chain.len() - 1;
        (at, pair, chain[pair].len() - 1)
    }

    fn grow(&mut self) {
        let Some(size) = next_size(self.chains.len()) else { return };
        let old = std::mem::take(&mut self.chains);
        self.chains.resize_with(size, Vec::new);
        for chain in old {
            for (n, value) in chain.into_iter().rev().flatten() {
                self.insert(n, value);
            }
        }
    }

    /// Removes an element. Returns whether it existed.
    pub(crate) fn remove(&mut self, key: Key<'_>) -> bool {
        let Key::Int(n) = key else {
            let Some(rest) = &mut self.rest else { return false };
            let before = rest.len();
            rest.remove(key);
            let removed = rest.len() < before;
            if rest.len() == 0 {
                self.rest = None;
            }
            return removed;
        };
        let Some((chain, pair, i)) = self.find(n) else { return false };
        let chain = &mut self.chains[chain];
        let front = chain.len() - 1;
        chain[pair].remove(i);
        if chain[pair].is_empty() {
            chain.remove(pair);
        } else if pair != front
            && let Some(moved) = chain[front].pop()
        {
            // All pairs except the front one stay full.
            chain[pair].push(moved);
            if chain[front].is_empty() {
                chain.pop();
            }
        }
        self.count -= 1;
        true
    }

    pub(crate) fn each(&self, f: &mut dyn FnMut(Key<'_>, &Value)) {
        if let Some(rest) = &self.rest {
            rest.each(f);
        }
        for (n, value) in self.chains.iter().flat_map(|c| c.iter().rev()).flatten() {
            f(Key::Int(*n), value);
        }
    }
}
