//! Compiled code in a sealed anonymous file, which is executed where it is.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::time::Duration;

use rustix::fs::{MemfdFlags, SealFlags};
use rustix::io::Errno;
use wasmtime::component::Component;
use wasmtime::{Engine, Module};

use super::Compiled;

/// A sealed anonymous file in memory. No process can write to it, change its size or remove the seals, even with a
/// descriptor or mapping of it.
pub(crate) struct Sealed(File);

/// The file before it is sealed.
pub(crate) struct Unsealed(File);

impl Unsealed {
    pub(crate) fn set_len(&self, size: u64) -> io::Result<()> {
        self.0.set_len(size)
    }

    pub(crate) fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.0.write_all_at(bytes, offset)
    }
}

impl Write for Unsealed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Compiled for Module {
    #[allow(unsafe_code, reason = "passes wasmtime's own contract on")]
    unsafe fn load(engine: &Engine, code: Sealed) -> wasmtime::Result<Module> {
        // SAFETY: the caller's promise, and the file cannot change.
        unsafe { Module::deserialize_open_file(engine, code.0) }
    }
}

impl Compiled for Component {
    #[allow(unsafe_code, reason = "passes wasmtime's own contract on")]
    unsafe fn load(engine: &Engine, code: Sealed) -> wasmtime::Result<Component> {
        // wasmtime opens components by name only, and this is the only name of the anonymous file.
        let path = format!("/proc/self/fd/{}", code.0.as_raw_fd());
        // SAFETY: as above.
        unsafe { Component::deserialize_file(engine, path) }
    }
}

impl Sealed {
    /// A sealed file with what `write` writes.
    pub(crate) fn copy(write: impl FnOnce(&mut Unsealed) -> io::Result<()>) -> io::Result<Sealed> {
        let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
        let made = rustix::fs::memfd_create("sandshell-code", flags);
        // Some systems require the flag that forbids starting the file as a program. It is only mapped.
        let made =
            made.or_else(|_| rustix::fs::memfd_create("sandshell-code", flags | MemfdFlags::NOEXEC_SEAL));
        let mut unsealed = Unsealed(File::from(made?));
        write(&mut unsealed)?;
        let Unsealed(file) = unsealed;
        seal(&file)?;
        Ok(Sealed(file))
    }

    /// Whether this is the code of a component, not of a module.
    pub(crate) fn is_component(&self) -> bool {
        let path = format!("/proc/self/fd/{}", self.0.as_raw_fd());
        matches!(Engine::detect_precompiled_file(path), Ok(Some(wasmtime::Precompiled::Component)))
    }

    /// A sealed file with these bytes.
    pub(crate) fn of(code: &[u8]) -> io::Result<Sealed> {
        Self::copy(|file| file.write_all(code))
    }

    #[cfg(test)]
    pub(crate) fn bytes(&self) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; usize::try_from(self.0.metadata()?.len()).map_err(io::Error::other)?];
        self.0.read_exact_at(&mut bytes, 0)?;
        Ok(bytes)
    }
}

/// How often sealing is tried, with a pause that gets longer: a second at least.
const ATTEMPTS: u64 = 20;

/// Seals the file. The kernel says `EBUSY` as long as anything else holds one of its pages, as it does itself while it
/// moves or reclaims memory: on a busy machine that is not rare.
fn seal(file: &File) -> io::Result<()> {
    let seals = SealFlags::WRITE | SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL;
    for attempt in 1..ATTEMPTS {
        match rustix::fs::fcntl_add_seals(file, seals) {
            Err(Errno::BUSY) => std::thread::sleep(Duration::from_millis(5 * attempt)),
            done => return Ok(done?),
        }
    }
    Ok(rustix::fs::fcntl_add_seals(file, seals)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(unsafe_code, reason = "maps the file, and nobody looks at the mapping")]
    fn what_holds_it_for_a_moment_only_delays_sealing() {
        use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};
        let sealed = Sealed::copy(|file| {
            file.write_all(b"code")?;
            let access = ProtFlags::READ | ProtFlags::WRITE;
            // SAFETY: a new mapping, which nothing refers to.
            let mapping = unsafe { mmap(std::ptr::null_mut(), 4096, access, MapFlags::SHARED, &file.0, 0)? };
            let address = mapping.expose_provenance();
            std::thread::spawn(move || {
                std::thread::sleep(Duration::from_millis(50));
                // SAFETY: the mapping above, once.
                unsafe { munmap(std::ptr::with_exposed_provenance_mut(address), 4096) }
            });
            Ok(())
        });
        assert_eq!(sealed.unwrap().bytes().unwrap(), b"code");
    }

    #[test]
    fn nobody_can_change_it() {
        let sealed = Sealed::of(b"code").unwrap();
        assert!(sealed.0.write_at(b"x", 0).is_err());
        assert!(sealed.0.set_len(1).is_err());
        assert!(sealed.0.set_len(9).is_err());
        let again =
            std::fs::OpenOptions::new().write(true).open(format!("/proc/self/fd/{}", sealed.0.as_raw_fd()));
        assert!(again.is_ok_and(|again| again.write_at(b"x", 0).is_err()));
        assert_eq!(sealed.bytes().unwrap(), b"code");
    }
}
