//! `sandshell:kernel/digests`: hashing with the host's instructions.
//!
//! Defined without the generated bindings, which would copy the data out of the component's memory first.

use sha2::block_api::{compress256, compress512};
use wasmtime::StoreContextMut;
use wasmtime::component::{Linker, WasmList};

use super::State;
use crate::execution::metering;

/// The most bytes of one call. They take a millisecond on processors without SHA instructions, in which nobody else
/// gets the thread.
const MAX_BLOCKS: usize = 1 << 20;

/// The parameters: the state so far, and the blocks.
type Parameters = (WasmList<u8>, WasmList<u8>);

/// Defines the interface.
pub(super) fn add_to_linker(linker: &mut Linker<State>) -> wasmtime::Result<()> {
    let mut interface = linker.instance("sandshell:kernel/digests@0.1.0")?;
    interface.func_wrap("sha256", |store: StoreContextMut<'_, State>, (state, blocks): Parameters| {
        Ok((sha256(&store, &state, &blocks).unwrap_or_default(),))
    })?;
    interface.func_wrap("sha512", |store: StoreContextMut<'_, State>, (state, blocks): Parameters| {
        Ok((sha512(&store, &state, &blocks).unwrap_or_default(),))
    })
}

fn sha256(
    store: &StoreContextMut<'_, State>,
    state: &WasmList<u8>,
    blocks: &WasmList<u8>,
) -> Option<Vec<u8>> {
    let (words, []) = state.as_le_slice(store).as_chunks::<4>() else { return None };
    let mut words = <[[u8; 4]; 8]>::try_from(words).ok()?.map(u32::from_le_bytes);
    compress256(&mut words, counted::<64>(store, blocks)?);
    Some(words.iter().flat_map(|word| word.to_le_bytes()).collect())
}

fn sha512(
    store: &StoreContextMut<'_, State>,
    state: &WasmList<u8>,
    blocks: &WasmList<u8>,
) -> Option<Vec<u8>> {
    let (words, []) = state.as_le_slice(store).as_chunks::<8>() else { return None };
    let mut words = <[[u8; 8]; 8]>::try_from(words).ok()?.map(u64::from_le_bytes);
    compress512(&mut words, counted::<128>(store, blocks)?);
    Some(words.iter().flat_map(|word| word.to_le_bytes()).collect())
}

/// Splits bytes into blocks and charges an instruction for each byte, which is about what hashing takes. `None` if the
/// length is wrong.
fn counted<'a, const SIZE: usize>(
    store: &'a StoreContextMut<'_, State>,
    blocks: &WasmList<u8>,
) -> Option<&'a [[u8; SIZE]]> {
    let bytes = blocks.as_le_slice(store);
    let (blocks, []) = bytes.as_chunks::<SIZE>() else { return None };
    if bytes.len() > MAX_BLOCKS {
        return None;
    }
    let state = store.data();
    metering::count_work(&state.kernel, &state.process, bytes.len() as u64);
    Some(blocks)
}
