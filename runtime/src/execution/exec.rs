//! Finding out what a file is and making it a program: system commands, wasm modules, `#!` scripts.

use std::borrow::Cow;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use sandshell_vfs::{Context, Location, OpenOptions, Opened};

use crate::compile;
use crate::compile::failure::Failure;
use crate::error::{Errno, Result};
use crate::guest::image::Image;
use crate::kernel::KernelInner;
use crate::limits::Limit;
use crate::pack::pack_name;
use crate::pausable_timer::Pause;
use crate::process::Identity;
use crate::process::job::JobState;
use crate::program::Program;
use crate::program::file::{Format, format, system_reference};

/// A request to execute a file.
pub(crate) struct Request {
    pub(crate) path: Vec<u8>,
    pub(crate) argv: Vec<Vec<u8>>,
    pub(crate) env: Vec<Vec<u8>>,
}

/// Arguments and environment together, in bytes, as Linux's ARG_MAX with its usual stack.
const MAX_ARGUMENTS: usize = 2 << 20;
/// Linux's limit on interpreters that are themselves scripts.
const MAX_INTERPRETERS: usize = 5;
/// How much of a script's first line Linux looks at.
const MAX_SHEBANG: usize = 256;
/// Larger files are not searched for the name of a system program.
const MAX_REFERENCE: u64 = 4096;

/// Resolves a request to an image, following `#!`.
///
/// `ENOENT`, `EACCES` (no x bit, or a directory), `ENOEXEC`, `E2BIG`, or a limit on what is compiled.
pub(crate) async fn load(
    kernel: &Arc<KernelInner>,
    cx: &Context,
    cwd: &Location,
    request: Request,
    waiter: &Waiter<'_>,
) -> compile::failure::Result<Image> {
    let Request { mut path, mut argv, env } = request;
    let size: usize = argv.iter().chain(&env).map(|text| text.len() + 9).sum();
    if size > MAX_ARGUMENTS {
        return Err(Errno::TOO_BIG.into());
    }
    for _ in 0..MAX_INTERPRETERS {
        let file = open(kernel, cx, cwd, &path)?;
        let mut head = [0; MAX_SHEBANG];
        let length = read_full(&*file.file, &mut head)?;
        let head = &head[..length];
        match format(head) {
            Format::Script => {
                let (interpreter, argument) = shebang(head).ok_or(Errno::NOEXEC)?;
                let mut new_argv = vec![interpreter.to_vec()];
                new_argv.extend(argument.map(<[u8]>::to_vec));
                new_argv.push(path);
                new_argv.extend(argv.into_iter().skip(1));
                argv = new_argv;
                path = interpreter.to_vec();
            }
            Format::Core | Format::Component => {
                let (program, applet) = binary(kernel, &file, head, waiter).await?;
                let exe = kernel.namespace.absolute_path(&file.location).unwrap_or(path);
                let identity = Arc::new(Identity { exe, applet, argv, env });
                return Image::new(kernel, program, identity);
            }
            Format::Unknown => return Err(Errno::NOEXEC.into()),
        }
    }
    Err(Errno::LOOP.into())
}

struct Executable {
    file: Arc<dyn sandshell_vfs::File>,
    location: Location,
    size: u64,
}

fn open(kernel: &KernelInner, cx: &Context, cwd: &Location, path: &[u8]) -> Result<Executable> {
    let location = kernel.namespace.resolve(cx, cwd, path, sandshell_vfs::Follow::Yes)?;
    let metadata = location.metadata()?;
    if metadata.kind != sandshell_vfs::FileKind::Regular {
        return Err(Errno::ACCES);
    }
    // Even the superuser executes only what has an x bit.
    let bit = match cx {
        Context { uid: 0, .. } => 0o111,
        cx if cx.uid == metadata.uid => 0o100,
        cx if cx.gid == metadata.gid => 0o010,
        _ => 0o001,
    };
    if metadata.mode & bit == 0 {
        return Err(Errno::ACCES);
    }
    // An executable file need not be readable by the user: the kernel reads it.
    let reader = Context { uid: 0, gid: 0, pid: cx.pid };
    match kernel.namespace.open_location(&reader, &location, &OpenOptions::READ)? {
        Opened::File { file, location } => Ok(Executable { file, location, size: metadata.size }),
        _ => Err(Errno::ACCES),
    }
}

/// The interpreter and its one optional argument, by the rules of Linux's binfmt_script.
fn shebang(head: &[u8]) -> Option<(&[u8], Option<&[u8]>)> {
    let line = head.strip_prefix(b"#!")?;
    let end = line.iter().position(|byte| *byte == b'\n').unwrap_or(line.len());
    let line = line.get(..end)?.trim_ascii();
    let split = line.iter().position(|byte| matches!(byte, b' ' | b'\t'));
    let (interpreter, rest) = line.split_at(split.unwrap_or(line.len()));
    if interpreter.is_empty() {
        return None;
    }
    let argument = rest.trim_ascii();
    Some((interpreter, (!argument.is_empty()).then_some(argument)))
}

/// The program of a wasm file that begins with `head`, and its applet: one of the system's, a pack's, or compiled from
/// the file.
async fn binary(
    kernel: &Arc<KernelInner>,
    file: &Executable,
    head: &[u8],
    waiter: &Waiter<'_>,
) -> compile::failure::Result<(Program, Vec<u8>)> {
    if file.size <= MAX_REFERENCE {
        let bytes = if head.len() as u64 == file.size {
            Cow::Borrowed(head)
        } else {
            Cow::Owned(read_all(&*file.file, file.size)?)
        };
        if let Some((module, applet)) = system_reference(&bytes) {
            if let Some(name) = pack_name(module) {
                return pack(kernel, name, applet, waiter).await;
            }
            let program = kernel.engine.system_program(kernel.metering, module).map_err(|_| Errno::IO)?;
            let program = program.ok_or(Errno::NOEXEC)?;
            return Ok((Program::Core(program), applet.as_bytes().to_vec()));
        }
    }
    if file.size > kernel.engine.max_module_size() {
        return Err(Errno::NOEXEC.into());
    }
    let metadata = file.location.metadata()?;
    let stamp = (metadata.key(), metadata.mtime, metadata.ctime, metadata.size);
    let known = kernel.executables.lock().get(&stamp).copied();
    if let Some(program) = known.and_then(|hash| kernel.engine.cached_program(kernel.metering, &hash)) {
        return Ok((program, Vec::new()));
    }
    let (source, size) = (file.file.clone(), file.size);
    let (program, hash) =
        waiter.wait_for(kernel, compile::guest(kernel, move || read_all(&*source, size))).await?;
    let mut executables = kernel.executables.lock();
    if executables.len() >= MAX_EXECUTABLES {
        executables.clear();
    }
    executables.insert(stamp, hash);
    Ok((program, Vec::new()))
}

/// For how many executed files a sandbox remembers the hash of the module.
const MAX_EXECUTABLES: usize = 256;

/// The system program and applet that explain how to get a pack that is not installed; the applet gets the pack's name.
const MISSING_PACK: (&str, &str) = ("util", "missing-pack");

/// The program of a pack, or [`MISSING_PACK`] if it is not installed.
async fn pack(
    kernel: &Arc<KernelInner>,
    name: &str,
    applet: &str,
    waiter: &Waiter<'_>,
) -> compile::failure::Result<(Program, Vec<u8>)> {
    let Some(program) = kernel.engine.pack(name) else {
        let (module, applet) = MISSING_PACK;
        let program = kernel.engine.system_program(kernel.metering, module).map_err(|_| Errno::IO)?;
        return Ok((Program::Core(program.ok_or(Errno::NOENT)?), format!("{applet} {name}").into_bytes()));
    };
    if let Some(program) = kernel.engine.cached_program(kernel.metering, &program.hash) {
        return Ok((program, applet.as_bytes().to_vec()));
    }
    let _pause = waiter.pause_time_limit();
    let waiter = if let Waiter::Host(_) = waiter { &Waiter::Host(None) } else { waiter };
    let program = waiter.wait_for(kernel, compile::pack(kernel, program)).await?;
    Ok((program, applet.as_bytes().to_vec()))
}

/// Compiles the program in these bytes.
pub(crate) async fn module(
    kernel: &Arc<KernelInner>,
    wasm: Vec<u8>,
    waiter: &Waiter<'_>,
) -> compile::failure::Result<Program> {
    let (program, _) = waiter.wait_for(kernel, compile::guest(kernel, move || Ok(wasm))).await?;
    Ok(program)
}

/// Who waits for a program that has to be compiled.
pub(crate) enum Waiter<'a> {
    /// The host, for a command that it starts with this time limit.
    Host(Option<Duration>),
    /// A process of a command whose time limit is already running.
    Process(&'a Arc<JobState>),
}

impl Waiter<'_> {
    /// Waits for work on another thread. A command that has not started yet waits no longer than its time limit allows.
    /// Under the deterministic scheduler no other process gets a turn meanwhile, so that their order does not depend on
    /// the host.
    async fn wait_for<T>(
        &self,
        kernel: &KernelInner,
        work: impl Future<Output = compile::failure::Result<T>>,
    ) -> compile::failure::Result<T> {
        match self {
            Waiter::Host(None) => work.await,
            Waiter::Host(Some(limit)) => match tokio::time::timeout(*limit, work).await {
                Ok(done) => done,
                Err(_) => Err(Failure::Limit(Limit::WallTime(*limit))),
            },
            Waiter::Process(_) => {
                let mut work = pin!(work);
                let done = poll_fn(|cx| {
                    let polled = work.as_mut().poll(cx);
                    kernel.set_waits_for_host(polled.is_pending());
                    polled
                });
                done.await
            }
        }
    }

    /// Pauses a command's time limit while a pack is compiled, which happens once and is not the command's fault.
    fn pause_time_limit(&self) -> Option<Pause> {
        match self {
            Waiter::Host(_) => None,
            Waiter::Process(job) => Some(job.pause_time_limit()),
        }
    }

    /// The error number for a process. A limit is recorded in the command's outcome.
    pub(crate) fn record(&self, failure: Failure) -> Errno {
        match failure {
            Failure::Errno(errno) => errno,
            Failure::Invalid(_) => Errno::NOEXEC,
            Failure::Limit(limit) => {
                if let Waiter::Process(job) = self {
                    job.record_limit(limit);
                }
                Errno::NOMEM
            }
        }
    }
}

fn read_all(file: &dyn sandshell_vfs::File, size: u64) -> Result<Vec<u8>> {
    let size = usize::try_from(size).map_err(|_| Errno::NOEXEC)?;
    let mut bytes = vec![0; size];
    let length = read_full(file, &mut bytes)?;
    bytes.truncate(length);
    Ok(bytes)
}

fn read_full(file: &dyn sandshell_vfs::File, buf: &mut [u8]) -> Result<usize> {
    let mut filled = 0;
    while filled < buf.len() {
        match file.read_at(&mut buf[filled..], filled as u64)? {
            0 => break,
            count => filled += count,
        }
    }
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shebang_lines_are_read_as_linux_does() {
        assert_eq!(shebang(b"#!/bin/sh\necho"), Some((&b"/bin/sh"[..], None)));
        assert_eq!(
            shebang(b"#! /usr/bin/env  bash -x \n"),
            Some((&b"/usr/bin/env"[..], Some(&b"bash -x"[..])))
        );
        assert_eq!(shebang(b"#!\n"), None);
        assert_eq!(shebang(b"#!/bin/sh"), Some((&b"/bin/sh"[..], None)));
    }
}
