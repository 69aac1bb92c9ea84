//! Runs components.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use wasmtime::Store;
use wasmtime_wasi::I32Exit;

use super::unwind::Unwind;
use super::{metering, preopen};
use crate::engine::Engine;
use crate::guest::component::State;
use crate::guest::image::Image;
use crate::kernel::KernelInner;
use crate::limits::Limit;
use crate::offload::{self, LARGE_MEMORY};
use crate::process::Process;
use crate::program::component::ComponentProgram;

/// Handles of a component with threads before it has asked for any: its first thread and what it opens through WASI.
const HANDLES: usize = 16;
/// The same in a sandbox that has the engine for itself.
const HANDLES_ALONE: usize = 4096;

/// Runs a component as the program of `process` to its end. Returns its result, where an exit is [`Unwind::Exit`], and
/// the image that replaces it after exec.
pub(crate) async fn run(
    program: &ComponentProgram,
    kernel: &Arc<KernelInner>,
    process: &Arc<Process>,
) -> (wasmtime::Result<()>, Option<Image>) {
    if !program.native {
        preopen::install(kernel, process);
    }
    let state = State::new(kernel.clone(), process.clone(), program.native);
    let mut store = Store::new(program.pre.engine(), state);
    store.limiter(|state| &mut state.budget);
    if program.threads {
        store.set_max_component_handles(handles(&kernel.engine));
    }
    metering::begin(&mut store, kernel.metering, process);
    let result = call(program, &mut store).await;
    if program.threads && result.as_ref().is_err_and(is_out_of_handles) {
        let limit = u32::try_from(store.max_component_handles()).unwrap_or(u32::MAX);
        process.job.record_limit(Limit::Descriptors(limit));
    }
    metering::settle_end(kernel, process, &store);
    let next = store.data_mut().exec.take();
    if process.memory.load(Ordering::Relaxed) > LARGE_MEMORY {
        offload::free(kernel, process, store).await;
    }
    let result = match result {
        Err(error) => match error.downcast_ref::<I32Exit>() {
            Some(I32Exit(code)) => Err(Unwind::Exit(code.cast_unsigned()).into()),
            None => Err(error),
        },
        Ok(Ok(())) => Ok(()),
        Ok(Err(())) => Err(Unwind::Exit(1).into()),
    };
    (result, next)
}

/// How many handles a component may hold that has not asked for any.
pub(crate) fn handles(engine: &Engine) -> usize {
    if engine.is_exclusive() { HANDLES_ALONE } else { HANDLES }
}

async fn call(program: &ComponentProgram, store: &mut Store<State>) -> wasmtime::Result<Result<(), ()>> {
    let command = program.pre.instantiate_async(&mut *store).await?;
    command.wasi_cli_run().call_run(&mut *store).await
}

/// Whether a component ended because it asked for more handles than it may hold. The engine has no type for this error.
fn is_out_of_handles(error: &wasmtime::Error) -> bool {
    error.root_cause().to_string().ends_with("store handle limit exceeded")
}
