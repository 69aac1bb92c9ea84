//! Threads for compilation, with a low priority.

use std::io;
use std::thread::Builder;

/// Added to a thread's niceness. Beside a process of usual priority it then gets a tenth of a processor.
const NICE: i32 = 10;
/// Stack size in bytes. Compilers and parsers recurse deeply; unused stack takes no memory.
const STACK: usize = 32 << 20;

/// Does work in a thread of its own.
pub(super) fn spawn(work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let thread = Builder::new().name("sandshell-compile".to_owned()).stack_size(STACK);
    thread.spawn(work)?;
    Ok(())
}

/// Does work whose parallel parts use a pool of this many threads, not rayon's global one. `None` if the pool cannot be
/// created.
pub(super) fn parallel<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> Option<T> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|_| "sandshell-compile".to_owned())
        .stack_size(STACK)
        .start_handler(|_| lower_priority())
        .build();
    Some(pool.ok()?.install(work))
}

pub(super) fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// Lowers the calling thread's priority for the rest of its life.
pub(super) fn lower_priority() {
    crate::priority::lower(NICE);
}
