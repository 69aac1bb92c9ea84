//! Secrets without names, which clients make for one sandbox or command.

use std::collections::{HashMap, VecDeque};

/// How many bytes of them are kept. Clients make new ones for each sandbox and never delete them, so the oldest are
/// forgotten.
const MOST: usize = 64 << 20;

/// What a secret and each of its variables count beside their bytes.
const ENTRY: usize = 128;

/// Secrets by id.
#[derive(Default)]
pub(super) struct Secrets {
    known: HashMap<String, HashMap<String, String>>,
    /// Their ids, the oldest first.
    order: VecDeque<String>,
    bytes: usize,
}

impl Secrets {
    pub(super) fn get(&self, id: &str) -> Option<&HashMap<String, String>> {
        self.known.get(id)
    }

    pub(super) fn insert(&mut self, id: String, secret: HashMap<String, String>) {
        self.bytes += size(&secret);
        self.order.push_back(id.clone());
        self.known.insert(id, secret);
        while self.bytes > MOST {
            let Some(oldest) = self.order.pop_front() else { return };
            self.bytes -= self.known.remove(&oldest).map_or(0, |secret| size(&secret));
        }
    }
}

fn size(secret: &HashMap<String, String>) -> usize {
    ENTRY + secret.iter().map(|(name, value)| name.len() + value.len() + ENTRY).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_are_kept() {
        let mut secrets = Secrets::default();
        let large = HashMap::from([("NAME".to_owned(), "x".repeat(1 << 20))]);
        for id in 0..100 {
            secrets.insert(id.to_string(), large.clone());
        }
        assert!(secrets.get("99").is_some() && secrets.get("40").is_some());
        assert!(secrets.get("10").is_none() && secrets.known.len() < 64);
        assert!(secrets.bytes <= MOST && secrets.order.len() == secrets.known.len());
    }
}
