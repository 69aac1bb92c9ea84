//! `/proc/meminfo`.

use super::read;

/// Amounts of memory in KiB.
#[derive(Default)]
pub(super) struct Memory {
    pub(super) total: u64,
    pub(super) free: u64,
    pub(super) available: u64,
    pub(super) shared: u64,
    pub(super) buffers: u64,
    pub(super) cache: u64,
    pub(super) swap_total: u64,
    pub(super) swap_free: u64,
    pub(super) commit_limit: u64,
    pub(super) committed: u64,
}

impl Memory {
    pub(super) fn read() -> Memory {
        let mut m = Memory::default();
        let text = read("/proc/meminfo");
        for line in String::from_utf8_lossy(&text).lines() {
            let Some((name, value)) = line.split_once(':') else { continue };
            let value = value.split_ascii_whitespace().next().and_then(|v| v.parse().ok()).unwrap_or(0);
            match name {
                "MemTotal" => m.total = value,
                "MemFree" => m.free = value,
                "MemAvailable" => m.available = value,
                "Shmem" => m.shared = value,
                "Buffers" => m.buffers = value,
                "Cached" | "SReclaimable" => m.cache += value,
                "SwapTotal" => m.swap_total = value,
                "SwapFree" => m.swap_free = value,
                "CommitLimit" => m.commit_limit = value,
                "Committed_AS" => m.committed = value,
                _ => {}
            }
        }
        m
    }

    pub(super) fn used(&self) -> u64 {
        self.total.saturating_sub(self.available)
    }

    pub(super) fn swap_used(&self) -> u64 {
        self.swap_total.saturating_sub(self.swap_free)
    }
}
