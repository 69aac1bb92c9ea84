//! What all processes of a sandbox together have locked of a file, as a lock of the host.
//!
//! The sandbox's own table says who has what. The host sees one owner for the whole sandbox: for each byte the
//! strongest kind that a process has there. `n` locks of processes are at most `2n - 1` ranges at the host.

use std::collections::BTreeMap;

use sandshell_vfs::HostLocks;

use super::Range;
use crate::error::Result;

/// What is locked of a byte: nothing, for reading, or exclusively.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Nothing,
    Shared,
    Exclusive,
}

/// Bytes that get the same kind in place of weaker ones, or of stronger ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Step {
    start: u64,
    end: u64,
    kind: Kind,
}

/// The locks of one file at the host. They go when this is dropped.
pub(super) struct AtHost(Box<dyn HostLocks>);

impl AtHost {
    pub(super) fn new(locks: Box<dyn HostLocks>) -> AtHost {
        AtHost(locks)
    }

    /// Changes what the host has from the ranges `before` to those `after`. Where an error says that it could not,
    /// nothing has changed: `EAGAIN` if others have what is to be locked.
    pub(super) fn change(&self, before: &[Range], after: &[Range]) -> Result<()> {
        let (stronger, weaker) = steps(before, after);
        for (done, step) in stronger.iter().enumerate() {
            if let Err(errno) = self.set(step) {
                for step in stronger.iter().take(done) {
                    self.restore(before, step);
                }
                return Err(errno);
            }
        }
        for step in &weaker {
            // Should the host lack the memory for it, more than needed stays locked until the file has no lock.
            let _ = self.set(step);
        }
        Ok(())
    }

    /// As [`change`](Self::change) for locks of the whole file.
    pub(super) fn change_whole(&self, before: &[(u64, bool)], after: &[(u64, bool)]) -> Result<()> {
        let (before, after) = (strongest(before), strongest(after));
        if before == after {
            return Ok(());
        }
        let changed = self.set_whole(after);
        if changed.is_err() {
            let _ = self.set_whole(before);
        }
        changed
    }

    /// A lock that others at the host have, and that excludes this one. Its owner is nobody whom a sandbox knows.
    pub(super) fn conflict(&self, wanted: Range) -> Result<Option<Range>> {
        conflict(&*self.0, wanted)
    }

    fn set(&self, step: &Step) -> Result<()> {
        let bytes = step.start..step.end;
        match step.kind {
            Kind::Nothing => self.0.unlock(bytes)?,
            kind => self.0.lock(bytes, kind == Kind::Exclusive)?,
        }
        Ok(())
    }

    fn set_whole(&self, kind: Kind) -> Result<()> {
        match kind {
            Kind::Nothing => self.0.unlock_whole()?,
            kind => self.0.lock_whole(kind == Kind::Exclusive)?,
        }
        Ok(())
    }

    /// Takes back a step that made locks stronger.
    fn restore(&self, before: &[Range], step: &Step) {
        let new =
            Range { owner: 0, exclusive: step.kind == Kind::Exclusive, start: step.start, end: step.end };
        let (_, weaker) = steps(&[new], &clipped(before, step));
        for step in &weaker {
            let _ = self.set(step);
        }
    }
}

/// As [`AtHost::conflict`], for a file of which nothing is locked.
pub(super) fn conflict(locks: &dyn HostLocks, wanted: Range) -> Result<Option<Range>> {
    let found = locks.conflict(wanted.start..wanted.end, wanted.exclusive)?;
    Ok(found.map(|lock| Range {
        owner: 0,
        exclusive: lock.exclusive,
        start: lock.bytes.start,
        end: lock.bytes.end,
    }))
}

fn strongest(whole: &[(u64, bool)]) -> Kind {
    let kinds = whole.iter().map(|(_, exclusive)| kind(*exclusive));
    kinds.max().unwrap_or(Kind::Nothing)
}

fn kind(exclusive: bool) -> Kind {
    if exclusive { Kind::Exclusive } else { Kind::Shared }
}

/// What of the ranges lies in a step's bytes.
fn clipped(ranges: &[Range], step: &Step) -> Vec<Range> {
    let clip =
        |range: &Range| Range { start: range.start.max(step.start), end: range.end.min(step.end), ..*range };
    ranges.iter().map(clip).filter(|range| range.start < range.end).collect()
}

/// The steps from what is locked to what is to be locked: those that make locks stronger, and those that make them
/// weaker. The first can be refused, and can be taken back.
fn steps(before: &[Range], after: &[Range]) -> (Vec<Step>, Vec<Step>) {
    // At each place where something begins or ends: how many locks of each kind there are more, first of those before.
    let mut places: BTreeMap<u64, [[isize; 2]; 2]> = BTreeMap::new();
    for (side, ranges) in [before, after].into_iter().enumerate() {
        for range in ranges {
            let mut add = |at: u64, count: isize| {
                places.entry(at).or_default()[side][usize::from(range.exclusive)] += count;
            };
            add(range.start, 1);
            add(range.end, -1);
        }
    }
    let mut counts = [[0; 2]; 2];
    let (mut stronger, mut weaker) = (Vec::new(), Vec::new());
    // The step that the bytes before belong to, if it goes on.
    let mut open: Option<(Step, bool)> = None;
    let ends: Vec<u64> = places.keys().copied().skip(1).collect();
    let mut finish = |open: &mut Option<(Step, bool)>| match open.take() {
        Some((step, true)) => stronger.push(step),
        Some((step, false)) => weaker.push(step),
        None => {}
    };
    for ((start, changes), end) in places.into_iter().zip(ends) {
        for (count, change) in counts.iter_mut().flatten().zip(changes.into_iter().flatten()) {
            *count += change;
        }
        let [old, new] = counts.map(|[shared, exclusive]| match (shared, exclusive) {
            (0, 0) => Kind::Nothing,
            (_, 0) => Kind::Shared,
            _ => Kind::Exclusive,
        });
        if old == new {
            // To set it once more does no harm, and saves a call if the step goes on behind these bytes.
            if open.is_some_and(|(step, _)| step.kind != new) {
                finish(&mut open);
            }
            continue;
        }
        match &mut open {
            Some((step, up)) if step.kind == new && *up == (new > old) => step.end = end,
            _ => {
                finish(&mut open);
                open = Some((Step { start, end, kind: new }, new > old));
            }
        }
    }
    finish(&mut open);
    (stronger, weaker)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Errno;
    use crate::fd::lock::{cut, join};
    use parking_lot::Mutex;
    use sandshell_vfs::HostLock;
    use std::sync::Arc;

    const BYTES: u64 = 24;

    /// A file of this many bytes: what the sandbox has at the host, and what others have there.
    struct Host {
        own: Mutex<Vec<Kind>>,
        others: Mutex<Vec<Kind>>,
        calls: Mutex<usize>,
    }

    impl Host {
        fn new() -> Arc<Host> {
            let nothing = || Mutex::new(vec![Kind::Nothing; BYTES as usize]);
            Arc::new(Host { own: nothing(), others: nothing(), calls: Mutex::default() })
        }

        fn at(&self, bytes: std::ops::Range<u64>) -> std::ops::Range<usize> {
            *self.calls.lock() += 1;
            bytes.start as usize..bytes.end.min(BYTES) as usize
        }
    }

    /// What the test keeps the other half of.
    struct Seen(Arc<Host>);

    impl HostLocks for Seen {
        fn lock(&self, bytes: std::ops::Range<u64>, exclusive: bool) -> sandshell_vfs::Result<()> {
            let (at, new) = (self.0.at(bytes), kind(exclusive));
            let excluded = |other: &Kind| *other == Kind::Exclusive || exclusive && *other != Kind::Nothing;
            if self.0.others.lock()[at.clone()].iter().any(excluded) {
                return Err(sandshell_vfs::Errno::Again);
            }
            self.0.own.lock()[at].fill(new);
            Ok(())
        }

        fn unlock(&self, bytes: std::ops::Range<u64>) -> sandshell_vfs::Result<()> {
            let at = self.0.at(bytes);
            self.0.own.lock()[at].fill(Kind::Nothing);
            Ok(())
        }

        fn conflict(
            &self,
            _bytes: std::ops::Range<u64>,
            _exclusive: bool,
        ) -> sandshell_vfs::Result<Option<HostLock>> {
            Ok(None)
        }

        fn lock_whole(&self, _exclusive: bool) -> sandshell_vfs::Result<()> {
            Ok(())
        }

        fn unlock_whole(&self) -> sandshell_vfs::Result<()> {
            Ok(())
        }
    }

    /// What the ranges are together, byte by byte.
    fn together(ranges: &[Range]) -> Vec<Kind> {
        let strongest = |byte| {
            let there = ranges.iter().filter(|range| range.start <= byte && byte < range.end);
            there.map(|range| kind(range.exclusive)).max().unwrap_or(Kind::Nothing)
        };
        (0..BYTES).map(strongest).collect()
    }

    /// Small numbers that follow each other without a pattern.
    fn numbers(mut state: u64) -> impl FnMut(u64) -> u64 {
        move |below| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        }
    }

    #[test]
    fn the_host_has_what_all_processes_have_together() {
        let mut refused = 0;
        for seed in 0..500 {
            let mut next = numbers(seed);
            let host = Host::new();
            let at_host = AtHost::new(Box::new(Seen(host.clone())));
            let mut ranges: Vec<Range> = Vec::new();
            for _ in 0..40 {
                if next(4) == 0 {
                    let (byte, new) = (next(BYTES) as usize, [Kind::Nothing, Kind::Shared, Kind::Exclusive]);
                    let own = host.own.lock()[byte];
                    let new = new[next(3) as usize];
                    let fits =
                        own == Kind::Nothing || new == Kind::Nothing || own == new && own == Kind::Shared;
                    if fits {
                        host.others.lock()[byte] = new;
                    }
                }
                let (start, owner) = (next(BYTES), next(3) as u32 + 1);
                let end = (start + 1 + next(BYTES)).min(BYTES);
                let end = if end == BYTES { u64::MAX } else { end };
                let new = Range { owner, exclusive: next(2) == 0, start, end };
                let mut after = ranges.clone();
                cut(&mut after, &new);
                if next(3) > 0 {
                    if ranges.iter().any(|range| range.excludes(&new)) {
                        continue;
                    }
                    join(&mut after, new);
                }
                match at_host.change(&ranges, &after) {
                    Ok(()) => ranges = after,
                    Err(errno) => {
                        assert_eq!(errno, Errno::AGAIN);
                        refused += 1;
                    }
                }
                assert_eq!(*host.own.lock(), together(&ranges), "seed {seed}: {ranges:?}");
            }
        }
        assert!(refused > 1000, "{refused}");
    }

    #[test]
    fn what_others_here_have_too_costs_no_call() {
        let host = Host::new();
        let at_host = AtHost::new(Box::new(Seen(host.clone())));
        let range = |owner, exclusive, start, end| Range { owner, exclusive, start, end };
        let one = [range(1, false, 0, 10)];
        let two = [range(1, false, 0, 10), range(2, false, 2, 8)];
        at_host.change(&[], &one).unwrap();
        assert_eq!(*host.calls.lock(), 1);
        at_host.change(&one, &two).unwrap();
        at_host.change(&two, &one).unwrap();
        assert_eq!(*host.calls.lock(), 1);
        // Many pieces go in one call.
        let many: Vec<Range> = (0..10).map(|n| range(1, n % 2 == 0, 2 * n, 2 * n + 1)).collect();
        at_host.change(&one, &many).unwrap();
        *host.calls.lock() = 0;
        at_host.change(&many, &[]).unwrap();
        assert_eq!(*host.calls.lock(), 1);
        at_host.change(&[], &[range(1, true, 0, u64::MAX)]).unwrap();
        assert_eq!(*host.calls.lock(), 2);
    }
}
