//! `sandshell:kernel` (`runtime/wit/kernel.wit`): the kernel's own imports for components, as `crate::abi` is for core
//! modules.

mod descriptors;
mod digests;
mod files;
mod poll;
mod processes;
mod sockets;
mod status;
mod threads;

use std::sync::Arc;

use wasmtime::component::Linker;

use super::{State, Whole};
use crate::error::{Errno, Result};
use crate::process::Process;

mod bindings {
    wasmtime::component::bindgen!({
        path: "wit",
        world: "imports",
        imports: {
            "sandshell:kernel/files.open": async,
            "sandshell:kernel/files.read": async,
            "sandshell:kernel/files.write": async,
            "sandshell:kernel/files.poll": async,
            "sandshell:kernel/files.pread": async,
            "sandshell:kernel/files.pwrite": async,
            "sandshell:kernel/files.ftruncate": async,
            "sandshell:kernel/files.fsync": async,
            "sandshell:kernel/files.chmod": async,
            "sandshell:kernel/files.fchmod": async,
            "sandshell:kernel/files.chown": async,
            "sandshell:kernel/files.fchown": async,
            "sandshell:kernel/files.utime": async,
            "sandshell:kernel/files.futime": async,
            "sandshell:kernel/files.unlink": async,
            "sandshell:kernel/files.rmdir": async,
            "sandshell:kernel/files.rename": async,
            "sandshell:kernel/files.link": async,
            "sandshell:kernel/files.names": async,
            "sandshell:kernel/files.flock": async,
            "sandshell:kernel/files.lock": async,
            "sandshell:kernel/files.open-file": async,
            "sandshell:kernel/files.read-file": async,
            "sandshell:kernel/files.entries": async,
            "sandshell:kernel/sockets.accept": async,
            "sandshell:kernel/sockets.connect": async,
            "sandshell:kernel/sockets.send": async,
            "sandshell:kernel/sockets.receive": async,
            "sandshell:kernel/processes.spawn": async,
            "sandshell:kernel/processes.exec": async | trappable,
            "sandshell:kernel/processes.wait": async,
            "sandshell:kernel/processes.kill": async,
            "sandshell:kernel/processes.exit": trappable,
        },
    });
}

use bindings::sandshell::kernel::{
    files as files_interface, processes as processes_interface, sockets as sockets_interface, types,
};

/// The result of an interface's function: a value or Linux's error number.
type KernelResult<T> = std::result::Result<T, u32>;

fn answer<T>(result: Result<T>) -> KernelResult<T> {
    result.map_err(number)
}

fn number(errno: Errno) -> u32 {
    signed(errno).unsigned_abs()
}

fn signed(errno: Errno) -> i32 {
    sandshell_vfs::Errno::from(errno).raw()
}

/// Awaits `work` as a call that may wait: the process counts as waiting, and a process that was stopped or killed
/// meanwhile does not return from the call.
async fn as_waiting_call<T>(process: &Arc<Process>, work: impl Future<Output = T>) -> T {
    process.gate.set_in_host(true);
    let done = work.await;
    process.checkpoint().await;
    process.gate.set_in_host(false);
    done
}

/// Defines the interfaces.
pub(super) fn add_to_linker(linker: &mut Linker<State>) -> wasmtime::Result<()> {
    fn whole(state: &mut State) -> &mut State {
        state
    }
    files_interface::add_to_linker::<_, Whole>(linker, whole)?;
    processes_interface::add_to_linker::<_, Whole>(linker, whole)?;
    sockets_interface::add_to_linker::<_, Whole>(linker, whole)?;
    digests::add_to_linker(linker)?;
    threads::add_to_linker(linker)?;
    types::add_to_linker::<_, Whole>(linker, whole)
}

impl types::Host for &mut State {}
