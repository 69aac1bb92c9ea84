//! The beginning and the end of an output.

use std::collections::VecDeque;

/// The most bytes of each of the two.
const MOST: usize = 16 << 10;

/// The first and the last 16 KiB of what was written; all of it, if that is not more.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Excerpt {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    written: u64,
}

impl Excerpt {
    /// An excerpt of this output.
    pub fn of(bytes: &[u8]) -> Self {
        let mut excerpt = Self::default();
        excerpt.push(bytes);
        excerpt
    }

    /// Adds what was written next.
    pub fn push(&mut self, bytes: &[u8]) {
        self.written = self.written.saturating_add(bytes.len() as u64);
        let (head, rest) = bytes.split_at(bytes.len().min(MOST - self.head.len()));
        self.head.extend_from_slice(head);
        let rest = rest.get(rest.len().saturating_sub(MOST)..).unwrap_or_default();
        let over = (self.tail.len() + rest.len()).saturating_sub(MOST);
        self.tail.drain(..over);
        self.tail.extend(rest);
    }

    /// The beginning.
    pub fn head(&self) -> &[u8] {
        &self.head
    }

    /// The end, without what is in the beginning.
    pub fn tail(&self) -> Vec<u8> {
        self.tail.iter().copied().collect()
    }

    /// How many bytes were written.
    pub fn written(&self) -> u64 {
        self.written
    }

    /// How many bytes between the beginning and the end are missing.
    pub fn missing(&self) -> u64 {
        self.written.saturating_sub((self.head.len() + self.tail.len()) as u64)
    }

    pub(crate) fn from_parts(head: Vec<u8>, tail: Vec<u8>, written: u64) -> Self {
        Self { head, tail: tail.into(), written }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_and_the_end_are_kept() {
        for (total, piece) in
            [(0, 1), (5, 2), (MOST, 1000), (MOST + 3, 7), (5 * MOST + 1, 1000), (3 * MOST, 2 * MOST)]
        {
            let bytes: Vec<u8> = (0..total).map(|number| (number % 251) as u8).collect();
            let mut excerpt = Excerpt::default();
            bytes.chunks(piece).for_each(|piece| excerpt.push(piece));
            let tail = excerpt.tail();
            assert_eq!(excerpt.head(), &bytes[..total.min(MOST)]);
            assert_eq!(tail.len(), total.saturating_sub(MOST).min(MOST));
            assert_eq!(tail, &bytes[total - tail.len()..]);
            assert_eq!(excerpt.missing(), total.saturating_sub(2 * MOST) as u64);
            assert_eq!(excerpt, Excerpt::from_parts(excerpt.head.clone(), tail, total as u64));
        }
    }
}
