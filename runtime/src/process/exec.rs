//! Finding out what a file is and making it a program: system commands, wasm modules, `#!` scripts.

use sandshell_engine::Metering;
use sandshell_vfs::{Context, Location, OpenOptions, Opened};
use sha2::{Digest, Sha256};
use wasmtime::Module;
use wasmtime::component::Component;

use std::sync::Arc;

use crate::cache::Compiled;
use crate::engine::{Engine, MeteredEngine};
use crate::error::{Errno, Error, Result};
use crate::kernel::KernelInner;
use crate::pack::{PackProgram, pack_name};
use crate::process::Identity;
use crate::program::{CoreProgram, Format, Program, format, system_reference};
use crate::share::Slot;
use crate::wasi_p2::ComponentProgram;

/// A program with what it is started with.
pub(crate) struct Image {
    pub(crate) program: Program,
    pub(crate) identity: Arc<Identity>,
    /// What the program takes beside its process's own place.
    pub(crate) room: Option<Slot>,
}

impl Image {
    /// Takes the places that a program needs beside its process's own.
    pub(crate) fn reserve(&mut self, kernel: &KernelInner) -> std::result::Result<(), Error> {
        if let more @ 1.. = self.program.places().saturating_sub(1) {
            self.room = Some(kernel.slot(more)?);
        }
        Ok(())
    }
}

/// What is to be executed.
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
/// Larger files are not looked through for a system program's name.
const MAX_REFERENCE: u64 = 4096;

/// Resolves a request to an image, following `#!`.
///
/// `ENOENT`, `EACCES` (no x bit, or a directory), `ENOEXEC`, `E2BIG`.
pub(crate) async fn load(
    kernel: &Arc<KernelInner>,
    cx: &Context,
    cwd: &Location,
    request: Request,
) -> Result<Image> {
    let Request { mut path, mut argv, env } = request;
    let size: usize = argv.iter().chain(&env).map(|text| text.len() + 9).sum();
    if size > MAX_ARGUMENTS {
        return Err(Errno::TOO_BIG);
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
                let (program, applet) = binary(kernel, &file).await?;
                let exe = kernel.namespace.absolute_path(&file.location).unwrap_or(path);
                let identity = Arc::new(Identity { exe, applet, argv, env });
                return Ok(Image { program, identity, room: None });
            }
            Format::Unknown => return Err(Errno::NOEXEC),
        }
    }
    Err(Errno::LOOP)
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
    // A program that may be executed but not read runs all the same: the kernel reads it, not its user.
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

/// The program of a wasm file: one of the system's, or compiled from the file.
async fn binary(kernel: &Arc<KernelInner>, file: &Executable) -> Result<(Program, Vec<u8>)> {
    if file.size <= MAX_REFERENCE {
        let bytes = read_all(&*file.file, file.size)?;
        if let Some((module, applet)) = system_reference(&bytes) {
            if let Some(name) = pack_name(module) {
                return pack(kernel, name, applet).await;
            }
            let program = kernel.engine.system_program(kernel.metering, module).map_err(|_| Errno::IO)?;
            let program = program.ok_or(Errno::NOEXEC)?;
            return Ok((Program::Core(program), applet.as_bytes().to_vec()));
        }
    }
    if file.size > kernel.engine.max_module_size() {
        return Err(Errno::NOEXEC);
    }
    let metadata = file.location.metadata()?;
    let stamp = (metadata.key(), metadata.mtime, metadata.ctime, metadata.size);
    if let Some(program) = kernel.executables.lock().get(&stamp) {
        return Ok((program.clone(), Vec::new()));
    }
    let wasm = read_all(&*file.file, file.size)?;
    let program = compile(kernel, wasm).await?;
    let mut executables = kernel.executables.lock();
    if executables.len() >= MAX_EXECUTABLES {
        executables.clear();
    }
    executables.insert(stamp, program.clone());
    Ok((program, Vec::new()))
}

/// How many files a sandbox remembers the programs of.
const MAX_EXECUTABLES: usize = 256;

/// The system program that says how to get a pack that is not installed; the pack's name follows its applet's.
const MISSING_PACK: (&str, &str) = ("util", "missing-pack");

/// The program of a pack; without the pack, the one that says so.
async fn pack(kernel: &Arc<KernelInner>, name: &str, applet: &str) -> Result<(Program, Vec<u8>)> {
    let Some(program) = kernel.engine.pack(name) else {
        let (module, applet) = MISSING_PACK;
        let program = kernel.engine.system_program(kernel.metering, module).map_err(|_| Errno::IO)?;
        return Ok((Program::Core(program.ok_or(Errno::NOENT)?), format!("{applet} {name}").into_bytes()));
    };
    let applet = applet.as_bytes().to_vec();
    if let Some(program) = kernel.engine.foreign(kernel.metering, &program.hash) {
        return Ok((program, applet));
    }
    let (program, owned) = (program.clone(), kernel.clone());
    let program = in_turn(kernel, move || pack_program(&owned.engine, owned.metering, &program)).await?;
    Ok((program, applet))
}

/// The program of a pack, loaded or compiled. `EINVAL` if its file has another hash.
pub(crate) fn pack_program(engine: &Engine, metering: Metering, pack: &PackProgram) -> Result<Program> {
    let read = || {
        let wasm = std::fs::read(&pack.wasm).map_err(|_| Errno::IO)?;
        let hash: [u8; 32] = Sha256::digest(&wasm).into();
        if hash == pack.hash { Ok(wasm) } else { Err(Errno::INVAL) }
    };
    let metered = engine.metered(metering).map_err(|_| Errno::IO)?;
    let program = match cached(engine, metering, metered, &pack.hash) {
        Some(program) => program?,
        None => fresh(engine, metering, metered, &pack.hash, &read()?)?,
    };
    engine.remember(metering, pack.hash, &program);
    Ok(program)
}

/// The program of these bytes, from memory, from the cache on disk, or compiled now. `ENOEXEC` if it is no valid command.
pub(crate) async fn compile(kernel: &Arc<KernelInner>, wasm: Vec<u8>) -> Result<Program> {
    let hash: [u8; 32] = Sha256::digest(&wasm).into();
    if let Some(program) = kernel.engine.foreign(kernel.metering, &hash) {
        return Ok(program);
    }
    let owned = kernel.clone();
    let work = move || {
        let (engine, metering) = (&owned.engine, owned.metering);
        let metered = engine.metered(metering).map_err(|_| Errno::IO)?;
        let program = match cached_as(format(&wasm), engine, metering, metered, &hash) {
            Some(program) => program?,
            None => fresh(engine, metering, metered, &hash, &wasm)?,
        };
        engine.remember(metering, hash, &program);
        Ok(program)
    };
    in_turn(kernel, work).await
}

/// Does what takes long aside, one such thing of a sandbox at a time: it goes on to its end, also when the process that asked
/// for it is killed.
async fn in_turn(
    kernel: &Arc<KernelInner>,
    work: impl FnOnce() -> Result<Program> + Send + 'static,
) -> Result<Program> {
    if kernel.scheduler.is_some() {
        // Waiting for another thread would make the order of turns depend on the host.
        return work();
    }
    let turn = kernel.compiling.clone().acquire_owned().await.map_err(|_| Errno::IO)?;
    let compiled = tokio::task::spawn_blocking(move || {
        let compiled = work();
        drop(turn);
        compiled
    });
    compiled.await.map_err(|_| Errno::IO)?
}

/// Code from the cache on disk, whichever kind it is.
fn cached(
    engine: &Engine,
    metering: Metering,
    metered: &MeteredEngine,
    hash: &[u8; 32],
) -> Option<Result<Program>> {
    let kind = |format| cached_as(format, engine, metering, metered, hash);
    kind(Format::Component).or_else(|| kind(Format::Core))
}

fn cached_as(
    format: Format,
    engine: &Engine,
    metering: Metering,
    metered: &MeteredEngine,
    hash: &[u8; 32],
) -> Option<Result<Program>> {
    let cache = engine.cache()?;
    if format == Format::Component {
        Some(link_component(metered, &cache.load(&metered.engine, metering, hash)?))
    } else {
        Some(link_module(metered, cache.load(&metered.engine, metering, hash)?))
    }
}

/// Compiles, and keeps the code in the cache on disk.
fn fresh(
    engine: &Engine,
    metering: Metering,
    metered: &MeteredEngine,
    hash: &[u8; 32],
    wasm: &[u8],
) -> Result<Program> {
    if format(wasm) == Format::Component {
        link_component(metered, &compiled::<Component>(engine, metering, metered, hash, wasm)?)
    } else {
        link_module(metered, compiled::<Module>(engine, metering, metered, hash, wasm)?)
    }
}

fn compiled<C: Compiled>(
    engine: &Engine,
    metering: Metering,
    metered: &MeteredEngine,
    hash: &[u8; 32],
    wasm: &[u8],
) -> Result<C> {
    let code = C::compile(&metered.engine, wasm).map_err(|_| Errno::NOEXEC)?;
    if let Some(cache) = engine.cache() {
        cache.store(&metered.engine, metering, hash, &code);
    }
    Ok(code)
}

fn link_component(metered: &MeteredEngine, component: &Component) -> Result<Program> {
    let program = ComponentProgram::link(&metered.component_linker, component);
    Ok(Program::Component(Arc::new(program.map_err(|_| Errno::NOEXEC)?)))
}

fn link_module(metered: &MeteredEngine, module: Module) -> Result<Program> {
    let program = CoreProgram::link(&metered.linker, module).map_err(|_| Errno::NOEXEC)?;
    Ok(Program::Core(Arc::new(program)))
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
