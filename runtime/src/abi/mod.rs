//! The kernel's own imports, for what WASI preview 1 lacks: processes, signals, pipes, modes and owners, the terminal.

mod fd;
mod fs;
pub(crate) mod lock;
pub(crate) mod process;
mod session;
pub(crate) mod signal;
mod socket;
mod tty;

use wasmtime::Linker;

use crate::guest::Guest;
use crate::program::module::KERNEL_MODULE as MODULE;

/// Defines a host function that never waits: `fn(&mut Caller<Guest>, ...) -> Result<()>`.
macro_rules! host_fn {
    ($linker:ident, $module:expr, $name:literal, $function:path, ($($arg:ident: $ty:ty),*)) => {
        $linker.func_wrap(
            $module,
            $name,
            |mut caller: wasmtime::Caller<'_, crate::guest::Guest>, $($arg: $ty),*| -> i32 {
                crate::execution::metering::settle_call(&caller);
                crate::handoff::offer();
                crate::error::code($function(&mut caller, $($arg),*))
            },
        )?;
    };
}

/// Defines a host function that may wait: `async fn(&mut Caller<Guest>, ...) -> Result<()>`. Meanwhile the process
/// counts as waiting. A process that was stopped or killed meanwhile does not return from the call.
macro_rules! async_host_fn {
    ($linker:ident, $module:expr, $name:literal, $function:path, ($($arg:ident: $ty:ty),*)) => {
        $linker.func_wrap_async(
            $module,
            $name,
            |mut caller: wasmtime::Caller<'_, crate::guest::Guest>, ($($arg,)*): ($($ty,)*)| {
                Box::new(async move {
                    crate::execution::metering::settle_call(&caller);
                    crate::handoff::offer();
                    caller.data().process.gate.set_in_host(true);
                    let code = crate::error::code($function(&mut caller, $($arg),*).await);
                    let process = &caller.data().process;
                    process.checkpoint().await;
                    process.gate.set_in_host(false);
                    code
                })
            },
        )?;
    };
}

pub(crate) use fd::{note_descriptor_limit, note_limit};
pub(crate) use {async_host_fn, host_fn};

/// Defines all functions of the module.
pub(crate) fn add_to_linker(linker: &mut Linker<Guest>) -> wasmtime::Result<()> {
    process::add_to_linker(linker)?;
    signal::add_to_linker(linker)?;
    fd::add_to_linker(linker)?;
    fs::add_to_linker(linker)?;
    lock::add_to_linker(linker)?;
    tty::add_to_linker(linker)?;
    session::add_to_linker(linker)?;
    socket::add_to_linker(linker)
}
