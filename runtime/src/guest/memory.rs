//! Access to an instance's memory.

use wasmtime::{Caller, Extern};

use super::Guest;
use crate::error::{Errno, Result};

/// The guest's memory and its data, borrowed together. `EFAULT` for an instance without memory.
pub(crate) fn split<'a>(caller: &'a mut Caller<'_, Guest>) -> Result<(Mem<'a>, &'a mut Guest)> {
    let memory = match caller.data().memory {
        Some(memory) => memory,
        None => {
            let Some(Extern::Memory(memory)) = caller.get_export("memory") else { return Err(Errno::FAULT) };
            caller.data_mut().memory = Some(memory);
            memory
        }
    };
    let (bytes, guest) = memory.data_and_store_mut(caller);
    Ok((Mem(bytes), guest))
}

/// A guest's linear memory. Every access is checked; a bad one is `EFAULT`.
pub(crate) struct Mem<'a>(&'a mut [u8]);

impl Mem<'_> {
    pub(crate) fn slice(&self, ptr: u32, len: u32) -> Result<&[u8]> {
        let start = ptr as usize;
        self.0.get(start..start.saturating_add(len as usize)).ok_or(Errno::FAULT)
    }

    pub(crate) fn slice_mut(&mut self, ptr: u32, len: u32) -> Result<&mut [u8]> {
        let start = ptr as usize;
        self.0.get_mut(start..start.saturating_add(len as usize)).ok_or(Errno::FAULT)
    }

    /// A path; `ENAMETOOLONG` if it is longer than PATH_MAX.
    pub(crate) fn path(&self, ptr: u32, len: u32) -> Result<&[u8]> {
        let path = self.slice(ptr, len)?;
        if len > MAX_PATH { Err(Errno::NAMETOOLONG) } else { Ok(path) }
    }

    pub(crate) fn array<const N: usize>(&self, ptr: u32) -> Result<[u8; N]> {
        let start = ptr as usize;
        let bytes = self.0.get(start..start.saturating_add(N)).ok_or(Errno::FAULT)?;
        bytes.try_into().map_err(|_| Errno::FAULT)
    }

    pub(crate) fn write(&mut self, ptr: u32, bytes: &[u8]) -> Result<()> {
        let start = ptr as usize;
        let target = self.0.get_mut(start..start.saturating_add(bytes.len())).ok_or(Errno::FAULT)?;
        target.copy_from_slice(bytes);
        Ok(())
    }

    pub(crate) fn write_u32(&mut self, ptr: u32, value: u32) -> Result<()> {
        self.write(ptr, &value.to_le_bytes())
    }

    pub(crate) fn write_u64(&mut self, ptr: u32, value: u64) -> Result<()> {
        self.write(ptr, &value.to_le_bytes())
    }

    /// A vector of at most `IOV_MAX` (pointer, length) pairs; `EINVAL` for more, `EFAULT` if any is out of bounds.
    pub(crate) fn vectors(&self, ptr: u32, count: u32) -> Result<Vec<(u32, u32)>> {
        if count > MAX_VECTORS {
            return Err(Errno::INVAL);
        }
        let table = self.slice(ptr, count * 8)?;
        let word = |bytes: &[u8]| bytes.try_into().map(u32::from_le_bytes).map_err(|_| Errno::FAULT);
        let mut vectors = Vec::with_capacity(count as usize);
        for entry in table.chunks_exact(8) {
            let (ptr, len) = (word(&entry[..4])?, word(&entry[4..])?);
            self.slice(ptr, len)?;
            vectors.push((ptr, len));
        }
        Ok(vectors)
    }

    /// Copies as much of `bytes` as fits to a guest's buffer, and stores the copied length at `out`. With `whole`,
    /// `ERANGE` if not everything fits.
    pub(crate) fn write_buffer(
        &mut self,
        ptr: u32,
        len: u32,
        out: u32,
        bytes: &[u8],
        whole: bool,
    ) -> Result<()> {
        if whole && bytes.len() > len as usize {
            return Err(Errno::RANGE);
        }
        let count = bytes.len().min(len as usize);
        self.slice_mut(ptr, len)?[..count].copy_from_slice(&bytes[..count]);
        self.write_u32(out, u32::try_from(count).map_err(|_| Errno::OVERFLOW)?)
    }
}

/// Linux's PATH_MAX without the final NUL.
const MAX_PATH: u32 = 4095;
/// Linux's IOV_MAX.
const MAX_VECTORS: u32 = 1024;
