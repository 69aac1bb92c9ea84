//! Compiled code in this process's own memory, from where wasmtime copies it.

use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

use wasmtime::component::Component;
use wasmtime::{Engine, Module};

use super::Compiled;

/// Bytes of this process that no other one can change.
pub(crate) struct Sealed(Vec<u8>);

/// The bytes while they are written.
pub(crate) struct Unsealed(Mutex<Vec<u8>>);

impl Compiled for Module {
    #[allow(unsafe_code, reason = "passes wasmtime's own contract on")]
    unsafe fn load(engine: &Engine, code: Sealed) -> wasmtime::Result<Module> {
        // SAFETY: the caller's promise, and the bytes are this process's own.
        unsafe { Module::deserialize(engine, code.0) }
    }
}

impl Compiled for Component {
    #[allow(unsafe_code, reason = "passes wasmtime's own contract on")]
    unsafe fn load(engine: &Engine, code: Sealed) -> wasmtime::Result<Component> {
        // SAFETY: as above.
        unsafe { Component::deserialize(engine, code.0) }
    }
}

impl Unsealed {
    pub(crate) fn set_len(&self, size: u64) -> io::Result<()> {
        let size = usize::try_from(size).map_err(io::Error::other)?;
        let mut bytes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let missing = size.saturating_sub(bytes.len());
        bytes.try_reserve_exact(missing).map_err(io::Error::other)?;
        bytes.resize(size, 0);
        Ok(())
    }

    /// Writes within the length that was set.
    pub(crate) fn write_all_at(&self, from: &[u8], offset: u64) -> io::Result<()> {
        let mut bytes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let start = usize::try_from(offset).map_err(io::Error::other)?;
        let end = start.checked_add(from.len()).ok_or(io::ErrorKind::InvalidInput)?;
        bytes.get_mut(start..end).ok_or(io::ErrorKind::InvalidInput)?.copy_from_slice(from);
        Ok(())
    }
}

impl Write for Unsealed {
    fn write(&mut self, from: &[u8]) -> io::Result<usize> {
        let bytes = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        bytes.try_reserve(from.len()).map_err(io::Error::other)?;
        bytes.extend_from_slice(from);
        Ok(from.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Sealed {
    /// The bytes that `write` writes.
    pub(crate) fn copy(write: impl FnOnce(&mut Unsealed) -> io::Result<()>) -> io::Result<Sealed> {
        let mut unsealed = Unsealed(Mutex::default());
        write(&mut unsealed)?;
        Ok(Sealed(unsealed.0.into_inner().unwrap_or_else(PoisonError::into_inner)))
    }

    /// Whether this is the code of a component, not of a module.
    pub(crate) fn is_component(&self) -> bool {
        matches!(Engine::detect_precompiled(&self.0), Some(wasmtime::Precompiled::Component))
    }

    /// These bytes.
    pub(crate) fn of(code: &[u8]) -> io::Result<Sealed> {
        Self::copy(|to| to.write_all(code))
    }

    #[cfg(test)]
    pub(crate) fn bytes(&self) -> io::Result<Vec<u8>> {
        Ok(self.0.clone())
    }
}
