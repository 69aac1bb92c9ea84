//! `sandshell run`: runs one module, which gets only what the options give it.

use super::args::Run;
use super::exec::PATIENCE;
use super::failure::{Failure, note, reason};
use super::interrupt::{self, Signals};
use super::output::HostOutput;
use super::progress::Progress;
use super::status::{TIMED_OUT, status};
use super::stdin::stdin;
use super::{places, variables};
use sandshell::runtime::{
    Command, CommandProgram, EngineOptions, ExitStatus, Kernel, Output, Preopens, SystemImage,
};
use sandshell::vfs::{
    HostAccess, HostBudget, HostDir, MemoryFs, MountOptions, Namespace, OpenError, host_names,
};
use sandshell::{Engine, Limits, LocalOptions};
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

/// The status after a trap, the same as that of `wasmtime run`: that of an aborted program.
const TRAPPED: u8 = 134;

pub(crate) async fn run(args: Run) -> Result<u8, Failure> {
    let name = args.module.display().to_string();
    let wasm = std::fs::read(&args.module).map_err(|error| Failure::about(&name, reason(&error)))?;
    if !wasm.starts_with(b"\0asm") {
        return Err(Failure::about(&name, "not a WebAssembly module or component"));
    }
    let memory = MemoryFs::new();
    memory.set_limits(LocalOptions::default().disk);
    let files = Namespace::new(Arc::new(memory), MountOptions::default());
    let engine = engine()?;
    let preopens = mount(&engine, &files, &args.dirs)?;

    let mut argv = vec![args.module.file_name().unwrap_or_default().as_encoded_bytes().to_vec()];
    argv.extend(args.args.into_iter().map(OsString::into_encoded_bytes));
    let mut command = Command::new(Vec::new(), argv);
    command.program = CommandProgram::Module(wasm);
    variables::set(&mut command.env, variables::variables(&args.env)?);
    command.stdin = stdin();
    let host = HostOutput::new();
    command.output = Output { limit: u64::MAX, capture: false, stream: Some(Box::new(host.clone())) };
    command.timeout = args.timeout;
    command.preopens = Preopens::Exact(preopens);

    let mut limits = Limits { process_memory: 4 << 30, ..Limits::default() };
    if let Some(memory) = args.memory {
        limits.process_memory = memory;
        limits.sandbox_memory = memory;
    }
    // The module runs as user 0, so that only the host's permissions decide, as for the user's other programs.
    let kernel = Kernel::builder(&engine, files).limits(limits).owner(0, 0).build()?;
    let signals = Signals::catch()?;
    let progress = Progress::new(format!("compiling {name}"));
    let job = kernel.spawn(command).await.map_err(|error| Failure::about(&name, explain(&error)))?;
    drop(progress);
    let (outcome, after) = interrupt::wait(job, signals).await;
    let written = host.finish((outcome.timed_out || after.interrupted).then_some(PATIENCE));
    kernel.shutdown().await;

    if let Some(limit) = &outcome.limit {
        note(&limit.to_string());
    }
    let status = match outcome.status {
        _ if outcome.timed_out => TIMED_OUT,
        ExitStatus::Signaled(signal) if trap(signal).is_some() => {
            note(&format!("{name}: trapped: {}", trap(signal).unwrap_or_default()));
            TRAPPED
        }
        _ => status(&outcome),
    };
    written.map_err(|error| Failure::about("cannot write output", reason(&error)))?;
    Ok(status)
}

/// Describes the trap that the kernel turned into this signal.
fn trap(signal: u8) -> Option<&'static str> {
    match signal {
        6 => Some("unreachable code was reached"),
        8 => Some("integer overflow or division by zero"),
        11 => Some("access out of bounds, or stack overflow"),
        _ => None,
    }
}

/// An engine without guest programs: nothing but the module runs.
fn engine() -> Result<Engine, Failure> {
    let options = |cache_dir| EngineOptions {
        cache_dir,
        // A component with many memories takes the places of 16 processes, and some places are reserved.
        max_processes: 24,
        max_module_size: 1 << 30,
        ..EngineOptions::new(SystemImage { reserved: places::reserved(), ..SystemImage::default() })
    };
    // If the cache cannot be used, the module is compiled again.
    Ok(Engine::new(options(places::cache())).or_else(|_| Engine::new(options(None)))?)
}

fn explain(error: &sandshell::runtime::Error) -> String {
    match error {
        sandshell::runtime::Error::Start { .. } => {
            "cannot be run: it is malformed, needs features that are off, or imports what a WASI program does not have"
                .to_owned()
        }
        other => other.to_string(),
    }
}

/// The name that the module sees, and the directory of the sandbox.
type Preopen = (Vec<u8>, Vec<u8>);

/// Mounts each `HOST[::GUEST]`. Returns the names that the module sees and their directories in the sandbox.
fn mount(engine: &Engine, files: &Namespace, dirs: &[OsString]) -> Result<Vec<Preopen>, Failure> {
    let mut preopens = Vec::new();
    for (number, dir) in dirs.iter().enumerate() {
        let (host, guest) = split(dir.as_encoded_bytes());
        let host =
            Path::new(host_names::as_os_str(host).map_err(|errno| Failure::about(dir.display(), errno))?);
        let opened =
            HostDir::open_withholding(host, HostAccess::ReadWrite, engine.withheld(), HostBudget::default());
        let opened = opened.map_err(|error| match error {
            OpenError::Host(error) => Failure::about(host.display(), reason(&error)),
            other => Failure::about(host.display(), other),
        })?;
        let at = format!("/{number}").into_bytes();
        files
            .mount(&at, Arc::new(opened), MountOptions::default())
            .map_err(|errno| Failure::about(host.display(), errno))?;
        preopens.push((guest.to_vec(), at));
    }
    Ok(preopens)
}

/// The parts of `HOST[::GUEST]`.
fn split(dir: &[u8]) -> (&[u8], &[u8]) {
    match dir.windows(2).position(|pair| pair == b"::") {
        Some(at) => (&dir[..at], &dir[at + 2..]),
        None => (dir, dir),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_has_its_own_name_or_another() {
        assert_eq!(split(b"a::/b"), (&b"a"[..], &b"/b"[..]));
        assert_eq!(split(b"a:b"), (&b"a:b"[..], &b"a:b"[..]));
    }
}
