//! `wasi:random`: the process's stream of random bytes.

use wasmtime_wasi::p2::bindings::random::{insecure, insecure_seed, random};

use super::State;

/// The most bytes that one call returns. A component that asks for more is ended.
const MAX_BYTES: u64 = 64 << 20;

impl State {
    fn bytes(&mut self, len: u64) -> wasmtime::Result<Vec<u8>> {
        let len = usize::try_from(len.min(MAX_BYTES + 1))?;
        if len as u64 > MAX_BYTES {
            wasmtime::bail!("more than {MAX_BYTES} random bytes at once");
        }
        let mut bytes = vec![0; len];
        if !self.random.fill(&mut bytes) {
            wasmtime::bail!("the operating system has no random bytes");
        }
        Ok(bytes)
    }

    fn number(&mut self) -> wasmtime::Result<u64> {
        let mut bytes = [0; 8];
        if !self.random.fill(&mut bytes) {
            wasmtime::bail!("the operating system has no random bytes");
        }
        Ok(u64::from_le_bytes(bytes))
    }
}

impl random::Host for &mut State {
    fn get_random_bytes(&mut self, len: u64) -> wasmtime::Result<Vec<u8>> {
        self.bytes(len)
    }

    fn get_random_u64(&mut self) -> wasmtime::Result<u64> {
        self.number()
    }
}

impl insecure::Host for &mut State {
    fn get_insecure_random_bytes(&mut self, len: u64) -> wasmtime::Result<Vec<u8>> {
        self.bytes(len)
    }

    fn get_insecure_random_u64(&mut self) -> wasmtime::Result<u64> {
        self.number()
    }
}

impl insecure_seed::Host for &mut State {
    fn insecure_seed(&mut self) -> wasmtime::Result<(u64, u64)> {
        Ok((self.number()?, self.number()?))
    }
}
