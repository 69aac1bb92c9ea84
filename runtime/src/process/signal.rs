//! Signals: numbers, default actions, and what is pending.

use parking_lot::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Linux's signal numbers.
pub(crate) const SIGHUP: u32 = 1;
pub(crate) const SIGABRT: u32 = 6;
pub(crate) const SIGFPE: u32 = 8;
pub(crate) const SIGKILL: u32 = 9;
pub(crate) const SIGSEGV: u32 = 11;
pub(crate) const SIGPIPE: u32 = 13;
pub(crate) const SIGALRM: u32 = 14;
pub(crate) const SIGCHLD: u32 = 17;
pub(crate) const SIGCONT: u32 = 18;
pub(crate) const SIGSTOP: u32 = 19;
const SIGTSTP: u32 = 20;
pub(crate) const SIGTTIN: u32 = 21;
pub(crate) const SIGTTOU: u32 = 22;
const SIGURG: u32 = 23;
const SIGXCPU: u32 = 24;
pub(crate) const SIGXFSZ: u32 = 25;
pub(crate) const SIGWINCH: u32 = 28;
/// The largest signal number.
pub(crate) const MAX: u32 = 64;

/// How a process handles a signal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Disposition {
    #[default]
    Default,
    Ignore,
    Catch,
    /// Ignore in this process, but default in its clones and after exec or spawn.
    IgnoreHere,
    /// Catch while the process waits in a host function, but default while it computes.
    CatchWaiting,
}

impl Disposition {
    pub(crate) fn from_number(number: u32) -> Option<Disposition> {
        let all = [Disposition::Default, Disposition::Ignore, Disposition::Catch, Disposition::IgnoreHere];
        all.get(number as usize).copied()
    }
}

/// The effect of a signal that was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Nothing,
    /// It is pending until the process takes it; blocking calls are interrupted.
    Pend,
    Terminate,
    Stop,
}

/// Dispositions and pending signals of a process.
#[derive(Default)]
pub(crate) struct Signals {
    dispositions: Mutex<Dispositions>,
    /// Caught signals that are pending, bit n-1 for signal n.
    caught: AtomicU64,
    /// Signals with default action that were sent to a stopped process, and take effect when it continues.
    deferred: AtomicU64,
}

#[derive(Clone, Default)]
struct Dispositions {
    ignored: u64,
    /// The ignored signals with [`Disposition::IgnoreHere`].
    here: u64,
    caught: u64,
    /// The caught signals with [`Disposition::CatchWaiting`].
    waiting: u64,
}

impl Dispositions {
    /// Signals that are also ignored in clones of the process and after exec.
    fn inherited(&self) -> u64 {
        self.ignored & !self.here
    }
}

impl Signals {
    pub(crate) fn disposition(&self, signal: u32) -> Disposition {
        let dispositions = self.dispositions.lock();
        match bit(signal) {
            bit if dispositions.ignored & dispositions.here & bit != 0 => Disposition::IgnoreHere,
            bit if dispositions.ignored & bit != 0 => Disposition::Ignore,
            bit if dispositions.caught & dispositions.waiting & bit != 0 => Disposition::CatchWaiting,
            bit if dispositions.caught & bit != 0 => Disposition::Catch,
            _ => Disposition::Default,
        }
    }

    /// Sets the disposition of `signal` and returns the previous one. The caller has excluded SIGKILL and SIGSTOP.
    pub(crate) fn set_disposition(&self, signal: u32, disposition: Disposition) -> Disposition {
        let old = self.disposition(signal);
        let mut dispositions = self.dispositions.lock();
        let bit = bit(signal);
        dispositions.ignored &= !bit;
        dispositions.here &= !bit;
        dispositions.caught &= !bit;
        dispositions.waiting &= !bit;
        match disposition {
            Disposition::Default => {}
            Disposition::Ignore => dispositions.ignored |= bit,
            Disposition::IgnoreHere => {
                dispositions.ignored |= bit;
                dispositions.here |= bit;
            }
            Disposition::Catch => dispositions.caught |= bit,
            Disposition::CatchWaiting => {
                dispositions.caught |= bit;
                dispositions.waiting |= bit;
            }
        }
        if !matches!(disposition, Disposition::Catch | Disposition::CatchWaiting) {
            self.caught.fetch_and(!bit, Ordering::SeqCst);
        }
        old
    }

    /// The effect of sending `signal` now. Records the signal if it becomes pending. `waits`: whether the process waits
    /// in a host function.
    pub(crate) fn send(&self, signal: u32, stopped: bool, waits: bool) -> Action {
        let disposition = match self.disposition(signal) {
            Disposition::CatchWaiting if waits => Disposition::Catch,
            Disposition::CatchWaiting => Disposition::Default,
            disposition => disposition,
        };
        match disposition {
            Disposition::Ignore | Disposition::IgnoreHere => Action::Nothing,
            Disposition::Catch | Disposition::CatchWaiting => {
                self.caught.fetch_or(bit(signal), Ordering::SeqCst);
                Action::Pend
            }
            Disposition::Default => match default_action(signal) {
                Action::Terminate if stopped && signal != SIGKILL => {
                    self.deferred.fetch_or(bit(signal), Ordering::SeqCst);
                    Action::Nothing
                }
                action => action,
            },
        }
    }

    /// Takes a signal that was deferred while the process was stopped.
    pub(crate) fn take_deferred(&self) -> Option<u32> {
        take_lowest(&self.deferred)
    }

    /// Whether a caught signal is pending.
    pub(crate) fn is_pending(&self) -> bool {
        self.caught.load(Ordering::SeqCst) != 0
    }

    /// Takes the lowest pending caught signal.
    pub(crate) fn take(&self) -> Option<u32> {
        take_lowest(&self.caught)
    }

    pub(crate) fn caught_mask(&self) -> u64 {
        self.dispositions.lock().caught
    }

    pub(crate) fn ignored_mask(&self) -> u64 {
        self.dispositions.lock().ignored
    }

    pub(crate) fn pending_mask(&self) -> u64 {
        self.caught.load(Ordering::SeqCst) | self.deferred.load(Ordering::SeqCst)
    }

    /// The dispositions of a clone of the process.
    pub(crate) fn for_clone(&self) -> Signals {
        let mut dispositions = self.dispositions.lock().clone();
        (dispositions.ignored, dispositions.here) = (dispositions.inherited(), 0);
        Signals { dispositions: Mutex::new(dispositions), ..Signals::default() }
    }

    /// The dispositions of a new program: caught signals return to the default, and ignored ones stay ignored unless
    /// `reset`.
    pub(crate) fn for_exec(&self, reset: bool) -> Signals {
        let ignored = if reset { 0 } else { self.dispositions.lock().inherited() };
        Signals {
            dispositions: Mutex::new(Dispositions { ignored, ..Dispositions::default() }),
            ..Signals::default()
        }
    }

    /// As [`for_exec`](Self::for_exec), in place.
    pub(crate) fn exec(&self, reset: bool) {
        let mut dispositions = self.dispositions.lock();
        (dispositions.caught, dispositions.waiting) = (0, 0);
        let ignored = if reset { 0 } else { dispositions.inherited() };
        (dispositions.ignored, dispositions.here) = (ignored, 0);
        self.caught.store(0, Ordering::SeqCst);
    }
}

fn bit(signal: u32) -> u64 {
    1u64.checked_shl(signal.wrapping_sub(1)).unwrap_or(0)
}

fn take_lowest(set: &AtomicU64) -> Option<u32> {
    let mut current = set.load(Ordering::SeqCst);
    while current != 0 {
        let lowest = current & current.wrapping_neg();
        match set.compare_exchange(current, current & !lowest, Ordering::SeqCst, Ordering::SeqCst) {
            Ok(_) => return Some(lowest.trailing_zeros() + 1),
            Err(now) => current = now,
        }
    }
    None
}

/// POSIX's default actions (`signal(7)`).
fn default_action(signal: u32) -> Action {
    match signal {
        SIGCHLD | SIGCONT | SIGURG | SIGWINCH => Action::Nothing,
        SIGSTOP | SIGTSTP | SIGTTIN | SIGTTOU => Action::Stop,
        _ => Action::Terminate,
    }
}

/// The signal that ends a process when its RLIMIT_CPU is used up.
pub(crate) const CPU_EXHAUSTED: u32 = SIGXCPU;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dispositions_determine_the_action() {
        let signals = Signals::default();
        assert_eq!(signals.send(15, false, true), Action::Terminate);
        assert_eq!(signals.send(SIGCHLD, false, true), Action::Nothing);
        assert_eq!(signals.send(SIGTSTP, false, true), Action::Stop);
        assert_eq!(signals.set_disposition(15, Disposition::Catch), Disposition::Default);
        assert_eq!(signals.send(15, false, true), Action::Pend);
        assert!(signals.is_pending());
        assert_eq!(signals.take(), Some(15));
        assert_eq!(signals.take(), None);
        assert_eq!(signals.set_disposition(15, Disposition::Ignore), Disposition::Catch);
        assert_eq!(signals.send(15, false, true), Action::Nothing);
        assert_eq!(signals.for_exec(false).disposition(15), Disposition::Ignore);
        assert_eq!(signals.for_exec(true).disposition(15), Disposition::Default);
    }

    #[test]
    fn ignore_here_is_not_inherited() {
        let signals = Signals::default();
        signals.set_disposition(3, Disposition::IgnoreHere);
        signals.set_disposition(15, Disposition::Ignore);
        assert_eq!(signals.send(3, false, true), Action::Nothing);
        assert_eq!(signals.disposition(3), Disposition::IgnoreHere);
        assert_eq!(signals.ignored_mask(), 1 << 2 | 1 << 14);
        for child in [signals.for_clone(), signals.for_exec(false)] {
            assert_eq!(child.disposition(3), Disposition::Default);
            assert_eq!(child.disposition(15), Disposition::Ignore);
        }
        signals.exec(false);
        assert_eq!(signals.send(3, false, true), Action::Terminate);
        assert_eq!(signals.disposition(15), Disposition::Ignore);
    }

    #[test]
    fn a_stopped_process_is_terminated_when_it_continues() {
        let signals = Signals::default();
        assert_eq!(signals.send(15, true, true), Action::Nothing);
        assert_eq!(signals.take_deferred(), Some(15));
        assert_eq!(signals.send(SIGKILL, true, true), Action::Terminate);
    }
}
