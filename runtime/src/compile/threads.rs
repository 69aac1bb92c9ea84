//! Threads for what takes long, which give way to everybody else while they compile.

use std::io;
use std::thread::Builder;

/// How much such a thread gives way (`nice`): beside a process at the usual priority it gets a tenth of a processor.
const NICE: i32 = 10;
/// Bytes. Compilers and parsers go deep into what they read; what is not used is not there.
const STACK: usize = 32 << 20;

/// Does work in a thread of its own that nobody waits for.
pub(super) fn spawn(work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let thread = Builder::new().name("sandshell-compile".to_owned()).stack_size(STACK);
    thread.spawn(work)?;
    Ok(())
}

/// Does work whose parallel parts take so many threads, and not those that others use.
pub(super) fn parallel<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> Option<T> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|_| "sandshell-compile".to_owned())
        .stack_size(STACK)
        .start_handler(|_| give_way())
        .build();
    Some(pool.ok()?.install(work))
}

pub(super) fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// Lowers the calling thread's priority for the rest of its life: Linux keeps one for each thread.
pub(super) fn give_way() {
    // Without it the work is done all the same.
    let _ = rustix::process::nice(NICE);
}
