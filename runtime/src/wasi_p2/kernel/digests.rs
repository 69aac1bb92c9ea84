//! `sandshell:kernel/digests`: hashing with the host's instructions.

use sha2::block_api::{compress256, compress512};

use super::State;
use super::digests_interface::Host;
use crate::execution::metering;

/// The most bytes of one call. They take a millisecond on processors without SHA instructions, in which nobody else
/// gets the thread.
const MAX_BLOCKS: usize = 1 << 20;

impl Host for &mut State {
    fn sha256(&mut self, state: Vec<u8>, blocks: Vec<u8>) -> Vec<u8> {
        let (words, []) = state.as_chunks::<4>() else { return Vec::new() };
        let Ok(mut words) =
            <[u32; 8]>::try_from(words.iter().map(|w| u32::from_le_bytes(*w)).collect::<Vec<_>>())
        else {
            return Vec::new();
        };
        let Some(blocks) = self.blocks::<64>(&blocks) else { return Vec::new() };
        compress256(&mut words, blocks);
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    fn sha512(&mut self, state: Vec<u8>, blocks: Vec<u8>) -> Vec<u8> {
        let (words, []) = state.as_chunks::<8>() else { return Vec::new() };
        let Ok(mut words) =
            <[u64; 8]>::try_from(words.iter().map(|w| u64::from_le_bytes(*w)).collect::<Vec<_>>())
        else {
            return Vec::new();
        };
        let Some(blocks) = self.blocks::<128>(&blocks) else { return Vec::new() };
        compress512(&mut words, blocks);
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }
}

impl State {
    /// Splits `bytes` into blocks and charges an instruction for each byte, which is about what hashing takes. `None`
    /// if the length is wrong.
    fn blocks<'a, const SIZE: usize>(&self, bytes: &'a [u8]) -> Option<&'a [[u8; SIZE]]> {
        let (blocks, []) = bytes.as_chunks::<SIZE>() else { return None };
        if bytes.len() > MAX_BLOCKS {
            return None;
        }
        metering::count_work(&self.kernel, &self.process, bytes.len() as u64);
        Some(blocks)
    }
}
