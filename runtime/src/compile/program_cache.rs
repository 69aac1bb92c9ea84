//! Compiled programs in memory, so that executing one again costs nothing.

use std::collections::HashMap;

use crate::program::Program;

/// Bytes of guests' code that are kept in memory. A running process keeps its program alive independently.
const ROOM: u64 = 128 << 20;
#[derive(Default)]
pub(crate) struct ProgramCache {
    /// Programs of packs are never removed: there are as many as the host's user added.
    programs: HashMap<[u8; 32], Entry>,
    /// Bytes of guests' programs.
    guests: u64,
    /// Counts uses, for the order of removal.
    now: u64,
}

struct Entry {
    program: Program,
    used: u64,
}

impl ProgramCache {
    pub(crate) fn get(&mut self, hash: &[u8; 32]) -> Option<Program> {
        self.now += 1;
        let entry = self.programs.get_mut(hash)?;
        entry.used = self.now;
        Some(entry.program.clone())
    }

    /// Keeps a program. The least recently used programs of guests are removed to make room.
    pub(crate) fn put(&mut self, hash: [u8; 32], program: Program) {
        self.now += 1;
        self.guests = self.guests.saturating_add(program.code());
        if let Some(old) = self.programs.insert(hash, Entry { program, used: self.now }) {
            self.guests = self.guests.saturating_sub(old.program.code());
        }
        while self.guests > ROOM {
            let guests = self.programs.iter().filter(|(_, entry)| entry.program.code() > 0);
            let Some(oldest) = guests.min_by_key(|(_, entry)| entry.used).map(|(hash, _)| *hash) else {
                return;
            };
            if let Some(old) = self.programs.remove(&oldest) {
                self.guests = self.guests.saturating_sub(old.program.code());
            }
        }
    }
}
