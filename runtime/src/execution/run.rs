//! Executes one process: its program, and the programs that replace it by exec.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use sandshell_codegen::WASM_STACK;
use wasmtime::{Store, Trap, TypedFunc};

use super::unwind::Unwind;
use super::{component, metering, preopen};
use crate::execution::store::ProcessStore;
use crate::guest::Guest;
use crate::guest::image::Image;
use crate::kernel::KernelInner;
use crate::kernel::code::ChargedCode;
use crate::kernel::resources::InstanceMemory;
use crate::limits::Limit;
use crate::offload::{self, LARGE_MEMORY};
use crate::process::signal::{SIGABRT, SIGFPE, SIGKILL, SIGSEGV};
use crate::process::{ExitStatus, Process};
use crate::program::Program;
use crate::program::module::CoreProgram;

/// What a new process executes first.
pub(crate) enum Start {
    Image(Image),
    Clone(Box<Cloned>),
}

/// A copy of a running program.
pub(crate) struct Cloned {
    pub(crate) store: ProcessStore,
    pub(crate) entry: TypedFunc<u32, u32>,
    pub(crate) argument: u32,
    /// The sandbox's memory for the copy's instance.
    pub(crate) memory_charge: InstanceMemory,
}

/// Executes until the process ends by itself.
pub(crate) async fn run(kernel: Arc<KernelInner>, process: Arc<Process>, mut start: Start) -> ExitStatus {
    loop {
        // Declared first, so that they are dropped after the store.
        let (_resources, code);
        let _memory_charge;
        let (mut store, result) = match start {
            Start::Image(image) => {
                process.memory.store(0, Ordering::Relaxed);
                (_resources, code) = (image.resources, image.code);
                let program = match image.program {
                    Program::Core(program) => program,
                    Program::Component(program) => match component::run(&program, &kernel, &process).await {
                        (_, Some(image)) => {
                            start = Start::Image(image);
                            continue;
                        }
                        (result, None) => return ended(&process, result),
                    },
                };
                let mut store = new_store(&kernel, &process, &program, code);
                if !program.native {
                    preopen::install(&kernel, &process);
                }
                let result = execute(&mut store, &program).await;
                (store, result)
            }
            Start::Clone(cloned) => {
                let Cloned { mut store, entry, argument, memory_charge } = *cloned;
                _memory_charge = memory_charge;
                let result = entry.call_async(&mut *store, argument).await;
                let result = result.and_then(|code| Err(Unwind::Exit(code).into()));
                (store, result)
            }
        };
        metering::settle_end(&kernel, &process, &store);
        let next = store.data_mut().exec.take();
        if process.memory.load(Ordering::Relaxed) > LARGE_MEMORY {
            offload::free(&kernel, &process, store).await;
        }
        match next {
            Some(image) => start = Start::Image(image),
            None => return ended(&process, result),
        }
    }
}

/// The exit status of a program that returned or was unwound.
fn ended(process: &Process, result: wasmtime::Result<()>) -> ExitStatus {
    let Err(error) = result else { return ExitStatus::Exited(0) };
    match error.downcast_ref::<Unwind>() {
        Some(Unwind::Exit(code)) => ExitStatus::Exited((*code & 0xff) as u8),
        // exec without an image: there is nothing to continue with.
        Some(Unwind::Exec) => signaled(SIGKILL),
        None => {
            if let Some(Trap::StackOverflow) = error.downcast_ref() {
                process.job.record_limit(Limit::Stack(WASM_STACK as u64));
            }
            if error.is::<wasmtime::PoolConcurrencyLimitError>() {
                process.job.record_limit(Limit::Pool);
            }
            signaled(trap_signal(&error))
        }
    }
}

/// A store for one program of one process.
pub(crate) fn new_store(
    kernel: &Arc<KernelInner>,
    process: &Arc<Process>,
    program: &Arc<CoreProgram>,
    code: Option<Arc<ChargedCode>>,
) -> ProcessStore {
    let guest = Guest::new(kernel.clone(), process.clone(), program.clone(), code);
    let mut store = Store::new(program.pre.module().engine(), guest);
    store.limiter(|guest| &mut guest.budget);
    metering::begin(&mut store, kernel.metering, process);
    ProcessStore::new(store)
}

async fn execute(store: &mut Store<Guest>, program: &CoreProgram) -> wasmtime::Result<()> {
    let instance = program.pre.instantiate_async(&mut *store).await?;
    store.data_mut().memory = instance.get_memory(&mut *store, "memory");
    let start: TypedFunc<(), ()> = instance.get_typed_func(&mut *store, "_start")?;
    start.call_async(&mut *store, ()).await
}

fn trap_signal(error: &wasmtime::Error) -> u32 {
    // An exception that nobody caught.
    if error.is::<wasmtime::ThrownException>() {
        return SIGABRT;
    }
    match error.downcast_ref::<Trap>() {
        Some(Trap::UnreachableCodeReached) => SIGABRT,
        Some(Trap::IntegerDivisionByZero | Trap::IntegerOverflow | Trap::BadConversionToInteger) => SIGFPE,
        Some(_) => SIGSEGV,
        // The program could not be instantiated: the memory limit or the engine's pool was exhausted.
        None => SIGKILL,
    }
}

fn signaled(signal: u32) -> ExitStatus {
    ExitStatus::Signaled(u8::try_from(signal).unwrap_or(0))
}
