//! The data of a running instance's store, and access to the instance's memory.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use sandshell_vfs::Context;
use wasmtime::{Caller, Extern, Memory, ResourceLimiter};

use crate::error::{Errno, Result};
use crate::execution::exec::Image;
use crate::kernel::KernelInner;
use crate::kernel::code::ChargedCode;
use crate::limits::Limit;
use crate::process::Process;
use crate::program::CoreProgram;
use crate::random::RandomStream;

/// The data of a process's store.
pub(crate) struct Guest {
    pub(crate) kernel: Arc<KernelInner>,
    pub(crate) process: Arc<Process>,
    pub(crate) program: Arc<CoreProgram>,
    /// Counts the program's code as the sandbox's memory.
    pub(crate) code: Option<Arc<ChargedCode>>,
    pub(crate) memory: Option<Memory>,
    pub(crate) random: RandomStream,
    /// The image that replaces this program after exec.
    pub(crate) exec: Option<Image>,
    pub(crate) budget: MemoryBudget,
}

impl Guest {
    pub(crate) fn new(
        kernel: Arc<KernelInner>,
        process: Arc<Process>,
        program: Arc<CoreProgram>,
        code: Option<Arc<ChargedCode>>,
    ) -> Guest {
        let random = RandomStream::new(kernel.random, process.pid);
        let budget = MemoryBudget::new(kernel.clone(), process.clone());
        Guest { kernel, process, program, code, memory: None, random, exec: None, budget }
    }

    /// The process's identity, for the filesystem.
    pub(crate) fn context(&self) -> Context {
        self.process.context()
    }
}

/// Charges a process's linear memories and tables to its own limit and to the sandbox's, and refuses growth beyond
/// them.
pub(crate) struct MemoryBudget {
    kernel: Arc<KernelInner>,
    process: Arc<Process>,
    charged: u64,
}

impl MemoryBudget {
    pub(crate) fn new(kernel: Arc<KernelInner>, process: Arc<Process>) -> MemoryBudget {
        MemoryBudget { kernel, process, charged: 0 }
    }
}

impl Drop for MemoryBudget {
    fn drop(&mut self) {
        self.kernel.memory.fetch_sub(self.charged, Ordering::Relaxed);
    }
}

impl ResourceLimiter for MemoryBudget {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        if maximum.is_some_and(|maximum| desired > maximum) {
            return Ok(false);
        }
        Ok(self.charge(desired.saturating_sub(current) as u64))
    }

    fn table_growing(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        if desired > MAX_TABLE || maximum.is_some_and(|maximum| desired > maximum) {
            return Ok(false);
        }
        Ok(self.charge((desired.saturating_sub(current) as u64).saturating_mul(TABLE_ELEMENT)))
    }
}

impl MemoryBudget {
    /// Charges `growth` bytes. Returns whether the limits allow it.
    fn charge(&mut self, growth: u64) -> bool {
        let limits = &self.kernel.limits;
        let own = self.process.address_space().min(limits.process_memory);
        // A component can have several memories.
        if self.charged.saturating_add(growth) > own {
            // A lower limit that the process has set itself is not reported to the host.
            if own == limits.process_memory {
                self.process.job.record_limit(Limit::ProcessMemory(own));
            }
            return false;
        }
        if let Err(limit) = self.kernel.take_memory(growth) {
            self.process.job.record_limit(limit);
            return false;
        }
        self.charged += growth;
        self.process.memory.store(self.charged, Ordering::Relaxed);
        true
    }
}

/// The most elements of one table.
const MAX_TABLE: usize = 100_000;
/// Table elements are host memory too: eight bytes each.
const TABLE_ELEMENT: u64 = 8;

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
