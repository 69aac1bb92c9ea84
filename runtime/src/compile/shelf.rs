//! Compiled programs in memory, so that executing one again costs nothing.

use std::collections::HashMap;

use crate::cache::Origin;
use crate::program::Program;

/// Bytes of code of guests' modules that are kept although nothing runs them. What runs keeps its code itself.
const ROOM: u64 = 128 << 20;
/// What a program takes besides its code, about.
const OVERHEAD: u64 = 64 << 10;

#[derive(Default)]
pub(crate) struct Shelf {
    programs: HashMap<[u8; 32], Kept>,
    /// Bytes of guests' programs.
    guests: u64,
    /// Counts what is put here or taken.
    now: u64,
}

struct Kept {
    program: Program,
    /// Zero for packs, which stay: there are as many as the host's user added.
    size: u64,
    used: u64,
}

impl Shelf {
    pub(crate) fn get(&mut self, hash: &[u8; 32]) -> Option<Program> {
        self.now += 1;
        let kept = self.programs.get_mut(hash)?;
        kept.used = self.now;
        Some(kept.program.clone())
    }

    /// Keeps a program; of those that guests brought the longest unused make room.
    pub(crate) fn put(&mut self, hash: [u8; 32], origin: Origin, program: Program, size: u64) {
        self.now += 1;
        let size = if origin == Origin::Guest { size.saturating_add(OVERHEAD) } else { 0 };
        self.guests = self.guests.saturating_add(size);
        if let Some(old) = self.programs.insert(hash, Kept { program, size, used: self.now }) {
            self.guests = self.guests.saturating_sub(old.size);
        }
        while self.guests > ROOM {
            let guests = self.programs.iter().filter(|(_, kept)| kept.size > 0);
            let Some(oldest) = guests.min_by_key(|(_, kept)| kept.used).map(|(hash, _)| *hash) else {
                return;
            };
            if let Some(old) = self.programs.remove(&oldest) {
                self.guests = self.guests.saturating_sub(old.size);
            }
        }
    }
}
