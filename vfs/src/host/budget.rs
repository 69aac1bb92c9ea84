//! Limits on what one sandbox uses of its host through mounted directories: descriptors and written bytes.

use super::HostAccess;
use crate::{Errno, Result, StatFs};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// Limits on what a sandbox uses of the host through all its [`HostDir`](super::HostDir)s together. Clones share one
/// account.
///
/// # Descriptors
/// Open files of the host take descriptors of this program. A sandbox may have at most a quarter of the descriptors
/// that the program may open (`RLIMIT_NOFILE` when the first budget is created), and at most 4096; all sandboxes
/// together may have at most three quarters. The last third of that is reserved for sandboxes with at most 16, so that
/// none can take what others need to work. Beyond these limits opening a file is `ENFILE`.
///
/// # Bytes
/// Everything that is written, reserved or created in directories that are mounted read-write counts, even if it
/// replaces something or is removed later: the quota limits both how much work the host's disk gets and how full it
/// becomes. A file, directory or link counts as 4096 bytes besides its contents. Beyond the quota writing is `EDQUOT`.
#[derive(Clone)]
pub struct HostBudget(Arc<Account>);

struct Account {
    descriptors: AtomicU64,
    descriptor_limit: u64,
    written: AtomicU64,
    quota: Option<u64>,
}

/// Descriptors of all budgets together.
static DESCRIPTORS: AtomicU64 = AtomicU64::new(0);

/// A sandbox with at most this many may take from the reserved descriptors.
const FEW: u64 = 16;

/// Bytes that a file, directory or link counts besides its contents.
pub(super) const NODE: u64 = 4096;

/// What is reported of the filesystem; nothing of it comes from the host.
const BLOCK: u64 = 4096;
const FILES: u64 = 1 << 20;
const UNLIMITED_SIZE: u64 = 1 << 40;

impl HostBudget {
    /// A budget with this quota of bytes; `None`: no limit.
    pub fn new(quota: Option<u64>) -> Self {
        let descriptor_limit = (limit() / 4).clamp(FEW, 4096);
        let (descriptors, written) = (AtomicU64::new(0), AtomicU64::new(0));
        Self(Arc::new(Account { descriptors, descriptor_limit, written, quota }))
    }

    /// Descriptors of this program that it holds at this moment.
    pub fn descriptors(&self) -> u64 {
        self.0.descriptors.load(Ordering::Relaxed)
    }

    /// The most descriptors that it may hold.
    pub fn descriptor_limit(&self) -> u64 {
        self.0.descriptor_limit
    }

    /// What is reported of a filesystem whose writing counts here.
    pub(super) fn stat_fs(&self, access: HostAccess) -> StatFs {
        let quota = self.0.quota.unwrap_or(UNLIMITED_SIZE);
        let free = match access {
            HostAccess::ReadOnly => 0,
            HostAccess::ReadWrite => quota.saturating_sub(self.written()) / BLOCK,
        };
        StatFs {
            block_size: BLOCK,
            blocks: quota.div_ceil(BLOCK),
            blocks_free: free,
            blocks_available: free,
            files: FILES,
            files_free: if free == 0 { 0 } else { FILES },
            // TMPFS_MAGIC, as for all filesystems of a sandbox.
            kind: 0x0102_1994,
            name_length: 255,
        }
    }

    /// Bytes written so far.
    pub fn written(&self) -> u64 {
        self.0.written.load(Ordering::Relaxed)
    }

    /// Bytes that may be written in total; `None`: no limit.
    pub fn quota(&self) -> Option<u64> {
        self.0.quota
    }

    /// Takes one descriptor, until the result is dropped.
    pub(super) fn descriptor(&self) -> Result<DescriptorPermit> {
        let account = &self.0;
        let own = account.descriptors.fetch_add(1, Ordering::Relaxed) + 1;
        let all = DESCRIPTORS.fetch_add(1, Ordering::Relaxed) + 1;
        let held = DescriptorPermit(self.clone());
        let ceiling = limit() / 4 * if own <= FEW { 3 } else { 2 };
        if own > account.descriptor_limit || all > ceiling { Err(Errno::NFile) } else { Ok(held) }
    }

    /// Counts as many of `bytes` as may be written, and returns how many. `EDQUOT` if none.
    pub(super) fn write(&self, bytes: u64) -> Result<u64> {
        let Some(quota) = self.0.quota else { return Ok(bytes) };
        let mut allowed = 0;
        let _ = self.0.written.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |written| {
            allowed = quota.saturating_sub(written).min(bytes);
            Some(written + allowed)
        });
        if allowed == 0 && bytes > 0 { Err(Errno::DQuot) } else { Ok(allowed) }
    }

    /// Counts all of `bytes`. `EDQUOT`, counting nothing, if they do not all fit.
    pub(super) fn write_whole(&self, bytes: u64) -> Result<()> {
        let allowed = self.write(bytes)?;
        if allowed < bytes {
            self.refund(allowed);
            return Err(Errno::DQuot);
        }
        Ok(())
    }

    /// Uncounts bytes that were counted but not written.
    pub(super) fn refund(&self, bytes: u64) {
        if self.0.quota.is_some() {
            self.0.written.fetch_sub(bytes, Ordering::Relaxed);
        }
    }
}

impl Default for HostBudget {
    /// No quota of bytes.
    fn default() -> Self {
        Self::new(None)
    }
}

impl std::fmt::Debug for HostBudget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (descriptors, written) = (self.descriptors(), self.written());
        f.debug_struct("HostBudget")
            .field("descriptors", &descriptors)
            .field("written", &written)
            .finish_non_exhaustive()
    }
}

/// One counted descriptor of this program.
pub(super) struct DescriptorPermit(HostBudget);

impl Drop for DescriptorPermit {
    fn drop(&mut self) {
        self.0.0.descriptors.fetch_sub(1, Ordering::Relaxed);
        DESCRIPTORS.fetch_sub(1, Ordering::Relaxed);
    }
}

/// How many descriptors this program may open.
fn limit() -> u64 {
    static LIMIT: OnceLock<u64> = OnceLock::new();
    *LIMIT.get_or_init(system_limit)
}

#[cfg(unix)]
fn system_limit() -> u64 {
    rustix::process::getrlimit(rustix::process::Resource::Nofile).current.unwrap_or(1 << 20)
}

/// Handles have no limit there that a program could reach; this is a common limit of descriptors elsewhere.
#[cfg(not(unix))]
fn system_limit() -> u64 {
    1 << 14
}

#[cfg(test)]
mod tests {
    use super::HostBudget;
    use crate::Errno;

    #[test]
    fn descriptors_are_limited_and_some_are_reserved() {
        let (greedy, modest) = (HostBudget::default(), HostBudget::default());
        let held: Vec<_> = std::iter::from_fn(|| greedy.descriptor().ok()).collect();
        assert!(held.len() as u64 <= greedy.descriptor_limit());
        assert_eq!(greedy.descriptor().err(), Some(Errno::NFile));
        let others: Vec<_> = (0..16).map(|_| modest.descriptor().map(drop)).collect();
        assert_eq!(others, vec![Ok(()); 16]);
        drop(held);
        assert_eq!((greedy.descriptors(), modest.descriptors()), (0, 0));
    }

    #[test]
    fn bytes_are_limited() {
        let budget = HostBudget::new(Some(100));
        assert_eq!(budget.write(60), Ok(60));
        assert_eq!(budget.write_whole(60), Err(Errno::DQuot));
        assert_eq!(budget.write(60), Ok(40));
        assert_eq!(budget.write(1), Err(Errno::DQuot));
        budget.refund(10);
        assert_eq!((budget.write(1), budget.written()), (Ok(1), 91));
        assert_eq!(HostBudget::default().write(u64::MAX), Ok(u64::MAX));
    }
}
