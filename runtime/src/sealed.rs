//! Compiled code in sealed memory, and loading it.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsRawFd;

use rustix::fs::{MemfdFlags, SealFlags};
use wasmtime::component::Component;
use wasmtime::{Engine, Module};

/// A sealed anonymous file in memory. No process can write to it, change its size or remove the seals, even with a
/// descriptor or mapping of it.
pub(crate) struct Sealed(File);

/// A kind of compiled code: a module or a component.
pub(crate) trait Compiled: Sized {
    /// Maps the code and executes it in place.
    ///
    /// # Safety
    /// The code must have been made by wasmtime's compiler in this build, as [`Module::deserialize_open_file`]
    /// requires. [`Sealed`] guarantees that it does not change.
    #[allow(unsafe_code, reason = "names wasmtime's own contract")]
    unsafe fn load(engine: &Engine, code: Sealed) -> wasmtime::Result<Self>;
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
    pub(crate) fn copy(write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<Sealed> {
        let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
        let made = rustix::fs::memfd_create("sandshell-code", flags);
        // Some systems require the flag that forbids starting the file as a program. It is only mapped.
        let made =
            made.or_else(|_| rustix::fs::memfd_create("sandshell-code", flags | MemfdFlags::NOEXEC_SEAL));
        let mut file = File::from(made?);
        write(&mut file)?;
        let seals = SealFlags::WRITE | SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL;
        rustix::fs::fcntl_add_seals(&file, seals)?;
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
        use std::os::unix::fs::FileExt;
        let mut bytes = vec![0; usize::try_from(self.0.metadata()?.len()).map_err(io::Error::other)?];
        self.0.read_exact_at(&mut bytes, 0)?;
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::FileExt;

    use super::*;

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
