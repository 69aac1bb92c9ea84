//! What an engine's compilations share.

use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::Semaphore;

use super::in_progress::Compilations;
use super::threads;

/// What an engine's compilations share.
pub(crate) struct Compiler {
    pub(super) compilations: Arc<Compilations>,
    /// Permits for modules of guests that are read or compiled at once.
    pub(super) guests: Arc<Semaphore>,
    /// Packs are compiled one after the other, because each takes much memory.
    pub(super) packs: Mutex<()>,
}

impl Compiler {
    pub(crate) fn new() -> Compiler {
        let workers = (threads::processors() / 2).max(1);
        Compiler {
            compilations: Arc::default(),
            guests: Arc::new(Semaphore::new(workers)),
            packs: Mutex::default(),
        }
    }
}
