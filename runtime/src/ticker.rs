//! The thread that advances the engines' epochs, so that running wasm yields about once a millisecond.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::thread::{self, Thread};
use std::time::Duration;

use parking_lot::Mutex;
use wasmtime::EngineWeak;

use crate::fork::{ForkDelay, delay_forks};

/// The time between two epochs.
const TICK: Duration = Duration::from_millis(1);
/// After this many ticks without execution the thread sleeps until something runs.
const IDLE_TICKS: u32 = 50;

/// Advances epochs while something runs. The thread starts at first use and ends when the ticker is dropped.
pub(crate) struct Ticker {
    running: AtomicUsize,
    asleep: AtomicBool,
    engines: Mutex<Vec<EngineWeak>>,
    thread: OnceLock<Option<Thread>>,
}

/// While it lives, epochs advance, and forks of the host process wait.
pub(crate) struct Running<'a>(&'a Ticker, ForkDelay);

impl Ticker {
    pub(crate) fn new() -> Arc<Ticker> {
        Arc::new(Ticker {
            running: AtomicUsize::new(0),
            asleep: AtomicBool::new(false),
            engines: Mutex::new(Vec::new()),
            thread: OnceLock::new(),
        })
    }

    pub(crate) fn add(self: &Arc<Self>, engine: EngineWeak) {
        self.engines.lock().push(engine);
        self.thread.get_or_init(|| {
            let weak = Arc::downgrade(self);
            let spawned = thread::Builder::new().name("sandshell-epoch".into()).spawn(move || tick(&weak));
            spawned.ok().map(|handle| handle.thread().clone())
        });
    }

    /// Marks the start of guest execution, until the result is dropped.
    pub(crate) fn run(&self) -> Running<'_> {
        let delay = delay_forks();
        self.running.fetch_add(1, Ordering::SeqCst);
        if self.asleep.swap(false, Ordering::SeqCst) {
            self.unpark();
        }
        Running(self, delay)
    }

    fn unpark(&self) {
        if let Some(Some(thread)) = self.thread.get() {
            thread.unpark();
        }
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        self.unpark();
    }
}

fn tick(ticker: &Weak<Ticker>) {
    let mut idle = 0;
    loop {
        thread::sleep(TICK);
        let Some(ticker) = ticker.upgrade() else { return };
        if ticker.running.load(Ordering::SeqCst) > 0 {
            idle = 0;
            let engines = ticker.engines.lock();
            for engine in engines.iter().filter_map(EngineWeak::upgrade) {
                engine.increment_epoch();
            }
            continue;
        }
        idle += 1;
        if idle < IDLE_TICKS {
            continue;
        }
        ticker.asleep.store(true, Ordering::SeqCst);
        // A process may have started between the check and the store: look again before sleeping.
        if ticker.running.load(Ordering::SeqCst) == 0 {
            drop(ticker);
            thread::park();
        }
        idle = 0;
    }
}
