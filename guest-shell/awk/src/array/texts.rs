//! A chained hash table of texts.

use super::{Key, next_size};
use crate::number;
use crate::text::Text;
use crate::value::Value;

const NONE: u32 = u32::MAX;

/// New elements are added at the front of their chain. A listing walks the chains in order.
#[derive(Default)]
pub(crate) struct Texts {
    heads: Vec<u32>,
    nodes: Vec<Node>,
    free: Vec<u32>,
}

struct Node {
    next: u32,
    hash: u32,
    key: Text,
    value: Value,
}

// Passes the text of a key to `f`. Integer keys arrive as numbers, but are stored as texts here.
fn with_text<T>(key: Key<'_>, f: impl FnOnce(&[u8]) -> T) -> T {
    match key {
        Key::Text(t) => f(t),
        Key::Int(n) => {
            let mut buf = [0; 20];
            f(number::format_int(&mut buf, n))
        }
    }
}

/// The hash function of the sdbm library, applied to signed bytes.
fn hash(text: &[u8]) -> u32 {
    text.iter().fold(0u32, |h, b| h.wrapping_mul(65599).wrapping_add(b.cast_signed() as u32))
}

impl Texts {
    pub(crate) fn len(&self) -> usize {
        self.nodes.len() - self.free.len()
    }

    pub(crate) fn get(&self, key: Key<'_>) -> Option<&Value> {
        let at = with_text(key, |t| self.find(t, hash(t)))?;
        self.nodes.get(at as usize).map(|n| &n.value)
    }

    fn find(&self, text: &[u8], hash: u32) -> Option<u32> {
        if self.heads.is_empty() {
            return None;
        }
        let mut at = self.heads[hash as usize % self.heads.len()];
        while let Some(node) = self.nodes.get(at as usize) {
            if node.hash == hash && node.key.as_bytes() == text {
                return Some(at);
            }
            at = node.next;
        }
        None
    }

    pub(crate) fn slot(&mut self, key: Key<'_>) -> &mut Value {
        let at = with_text(key, |t| {
            let hash = hash(t);
            self.find(t, hash).unwrap_or_else(|| self.insert(t, hash))
        });
        &mut self.nodes[at as usize].value
    }

    fn insert(&mut self, text: &[u8], hash: u32) -> u32 {
        if self.heads.is_empty() || (self.len() + 1) / self.heads.len() > 2 {
            self.grow();
        }
        let bucket = hash as usize % self.heads.len();
        let node = Node { next: self.heads[bucket], hash, key: Text::new(text), value: Value::Untyped };
        let at = match self.free.pop() {
            Some(at) => {
                self.nodes[at as usize] = node;
                at
            }
            None => {
                self.nodes.push(node);
                (self.nodes.len() - 1) as u32
            }
        };
        self.heads[bucket] = at;
        at
    }

    fn grow(&mut self) {
        let Some(size) = next_size(self.heads.len()) else { return };
        let old = std::mem::replace(&mut self.heads, vec![NONE; size]);
        for head in old {
            let mut at = head;
            while let Some(node) = self.nodes.get_mut(at as usize) {
                let next = node.next;
                let bucket = node.hash as usize % size;
                node.next = self.heads[bucket];
                self.heads[bucket] = at;
                at = next;
            }
        }
    }

    /// Removes an element. Returns whether it existed.
    pub(crate) fn remove(&mut self, key: Key<'_>) -> bool {
        if self.heads.is_empty() {
            return false;
        }
        let Some((hash, found)) = with_text(key, |t| {
            let h = hash(t);
            self.find(t, h).map(|at| (h, at))
        }) else {
            return false;
        };
        let bucket = hash as usize % self.heads.len();
        let after = self.nodes[found as usize].next;
        if self.heads[bucket] == found {
            self.heads[bucket] = after;
        } else {
            let mut at = self.heads[bucket];
            while let Some(node) = self.nodes.get_mut(at as usize) {
                if node.next == found {
                    node.next = after;
                    break;
                }
                at = node.next;
            }
        }
        let node = &mut self.nodes[found as usize];
        node.key = Text::EMPTY;
        node.value = Value::Untyped;
        self.free.push(found);
        true
    }

    pub(crate) fn each(&self, f: &mut dyn FnMut(Key<'_>, &Value)) {
        for head in &self.heads {
            let mut at = *head;
            while let Some(node) = self.nodes.get(at as usize) {
                f(Key::Text(node.key.as_bytes()), &node.value);
                at = node.next;
            }
        }
    }
}
