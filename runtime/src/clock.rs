//! A sandbox's clock, and how its processes sleep.

use std::collections::BTreeMap;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Poll, Waker};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use sandshell_vfs::{Time, TimeSource};

/// What a sandbox's clocks show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Clock {
    /// The host's time. Sleeping takes real time.
    #[default]
    Real,
    /// Always this time; the monotonic clock shows 0. Sleeping still takes real time.
    Fixed(Time),
    /// Starts at this time and advances with the instructions that processes execute: one nanosecond for each
    /// (wasmtime's unit of fuel), as on one processor of 1 GHz. What the host does for processes takes no time, except
    /// that hashing for components takes a nanosecond a byte. When every process waits, the clock advances at once to
    /// the moment when the first of them stops waiting, so that sleeping costs nothing. Between two commands the clock
    /// and the processes in the background are paused. Selects the deterministic scheduler.
    Virtual(Time),
}

/// A running clock. Give clones of it to the kernel ([`KernelBuilder::clock`](crate::KernelBuilder::clock)) and, as
/// their [`TimeSource`], to filesystems, so that timestamps agree.
#[derive(Clone, Debug)]
pub struct ClockSource(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    clock: Clock,
    start: Instant,
    virtual_time: Mutex<VirtualTime>,
}

#[derive(Debug, Default)]
struct VirtualTime {
    now: u64,
    sequence: u64,
    timers: BTreeMap<(u64, u64), Waker>,
}

impl ClockSource {
    /// Starts a clock.
    pub fn new(clock: Clock) -> ClockSource {
        ClockSource(Arc::new(Inner { clock, start: Instant::now(), virtual_time: Mutex::default() }))
    }

    pub(crate) fn kind(&self) -> Clock {
        self.0.clock
    }

    /// Nanoseconds since the clock started.
    pub(crate) fn monotonic(&self) -> u64 {
        match self.0.clock {
            Clock::Real => nanos(self.0.start.elapsed()),
            Clock::Fixed(_) => 0,
            Clock::Virtual(_) => self.0.virtual_time.lock().now,
        }
    }

    /// Whether it is virtual.
    pub(crate) fn is_virtual(&self) -> bool {
        matches!(self.0.clock, Clock::Virtual(_))
    }

    /// Waits for `duration`, in the clock's own time.
    pub(crate) async fn sleep(&self, duration: Duration) {
        if !self.is_virtual() {
            tokio::time::sleep(duration).await;
            return;
        }
        let mut timer = VirtualTimer { clock: &self.0, key: None };
        let deadline = self.monotonic().saturating_add(nanos(duration));
        poll_fn(|cx| {
            let mut time = self.0.virtual_time.lock();
            if time.now >= deadline {
                return Poll::Ready(());
            }
            let key = *timer.key.get_or_insert_with(|| {
                time.sequence += 1;
                (deadline, time.sequence)
            });
            time.timers.insert(key, cx.waker().clone());
            Poll::Pending
        })
        .await;
    }

    /// Advances virtual time to the next timer and wakes it; false if nothing waits for time.
    pub(crate) fn advance(&self) -> bool {
        let mut time = self.0.virtual_time.lock();
        let Some((&(deadline, _), _)) = time.timers.first_key_value() else { return false };
        time.now = time.now.max(deadline);
        let due = time.due();
        drop(time);
        due.into_iter().for_each(Waker::wake);
        true
    }

    /// Advances virtual time while a process computes, and wakes the timers that are due.
    pub(crate) fn elapse(&self, nanos: u64) {
        if nanos == 0 || !self.is_virtual() {
            return;
        }
        let mut time = self.0.virtual_time.lock();
        time.now = time.now.saturating_add(nanos);
        let due = time.due();
        drop(time);
        due.into_iter().for_each(Waker::wake);
    }
}

impl VirtualTime {
    /// Removes the timers that are due and returns them in order.
    fn due(&mut self) -> Vec<Waker> {
        let mut due = Vec::new();
        while let Some(entry) = self.timers.first_entry() {
            if entry.key().0 > self.now {
                break;
            }
            due.push(entry.remove());
        }
        due
    }
}

/// The virtual time of `fuel` instructions, in nanoseconds.
pub(crate) fn of_fuel(fuel: u64) -> u64 {
    fuel.saturating_mul(FUEL_NANOS)
}

impl From<Clock> for ClockSource {
    fn from(clock: Clock) -> ClockSource {
        ClockSource::new(clock)
    }
}

impl TimeSource for ClockSource {
    fn now(&self) -> Time {
        match self.0.clock {
            Clock::Real => sandshell_vfs::HostClock.now(),
            Clock::Fixed(time) => time,
            Clock::Virtual(start) => {
                let elapsed = self.monotonic();
                let nanos = u64::from(start.nanos) + elapsed % NANOS;
                let secs = elapsed / NANOS + nanos / NANOS;
                Time {
                    secs: start.secs.saturating_add(i64::try_from(secs).unwrap_or(i64::MAX)),
                    nanos: u32::try_from(nanos % NANOS).unwrap_or(0),
                }
            }
        }
    }
}

const NANOS: u64 = 1_000_000_000;
/// Virtual nanoseconds for one instruction.
const FUEL_NANOS: u64 = 1;

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// Removes its timer when the sleep is cancelled.
struct VirtualTimer<'a> {
    clock: &'a Inner,
    key: Option<(u64, u64)>,
}

impl Drop for VirtualTimer<'_> {
    fn drop(&mut self) {
        if let Some(key) = self.key {
            self.clock.virtual_time.lock().timers.remove(&key);
        }
    }
}
