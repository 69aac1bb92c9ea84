//! `sandshell:kernel/digests`: hashing, and deriving keys from passwords, with the host's instructions.
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
/// The most bytes that `scrypt-mix` makes in one call. They take some milliseconds.
const MAX_MIXED: usize = 1 << 20;

/// The parameters: the state so far, and the blocks.
type Parameters = (WasmList<u8>, WasmList<u8>);
/// Those of `stretch256` and `stretch512`: the states after the padded keys, the last digest, the sum, the rounds.
type Stretching = (WasmList<u8>, WasmList<u8>, WasmList<u8>, WasmList<u8>, u32);

/// Defines the interface.
pub(super) fn add_to_linker(linker: &mut Linker<State>) -> wasmtime::Result<()> {
    let mut interface = linker.instance("sandshell:kernel/digests@0.1.0")?;
    interface.func_wrap("sha256", |store: StoreContextMut<'_, State>, (state, blocks): Parameters| {
        Ok((sha256(&store, &state, &blocks).unwrap_or_default(),))
    })?;
    interface.func_wrap("sha512", |store: StoreContextMut<'_, State>, (state, blocks): Parameters| {
        Ok((sha512(&store, &state, &blocks).unwrap_or_default(),))
    })?;
    interface.func_wrap("stretch256", |store: StoreContextMut<'_, State>, parameters: Stretching| {
        Ok((stretch256(&store, &parameters).unwrap_or_default(),))
    })?;
    interface.func_wrap("stretch512", |store: StoreContextMut<'_, State>, parameters: Stretching| {
        Ok((stretch512(&store, &parameters).unwrap_or_default(),))
    })?;
    interface.func_wrap(
        "scrypt-mix",
        |store: StoreContextMut<'_, State>, (block, other, times): (WasmList<u8>, WasmList<u8>, u32)| {
            Ok((scrypt_mix(&store, &block, &other, times).unwrap_or_default(),))
        },
    )
}

fn sha256(
    store: &StoreContextMut<'_, State>,
    state: &WasmList<u8>,
    blocks: &WasmList<u8>,
) -> Option<Vec<u8>> {
    let mut words = words256(store, state)?;
    compress256(&mut words, counted::<64>(store, blocks)?);
    Some(words.iter().flat_map(|word| word.to_le_bytes()).collect())
}

fn sha512(
    store: &StoreContextMut<'_, State>,
    state: &WasmList<u8>,
    blocks: &WasmList<u8>,
) -> Option<Vec<u8>> {
    let mut words = words512(store, state)?;
    compress512(&mut words, counted::<128>(store, blocks)?);
    Some(words.iter().flat_map(|word| word.to_le_bytes()).collect())
}

fn stretch256(store: &StoreContextMut<'_, State>, parameters: &Stretching) -> Option<Vec<u8>> {
    let (inner, outer) = (words256(store, &parameters.0)?, words256(store, &parameters.1)?);
    stretched::<32>(store, parameters, |digest| {
        [inner, outer].iter().fold(digest, |digest, &state| {
            let (mut words, mut block) = (state, [0; 64]);
            block[..32].copy_from_slice(&digest);
            end(&mut block, 32);
            compress256(&mut words, &[block]);
            let mut made = [0; 32];
            for (bytes, word) in made.as_chunks_mut::<4>().0.iter_mut().zip(words) {
                *bytes = word.to_be_bytes();
            }
            made
        })
    })
}

fn stretch512(store: &StoreContextMut<'_, State>, parameters: &Stretching) -> Option<Vec<u8>> {
    let (inner, outer) = (words512(store, &parameters.0)?, words512(store, &parameters.1)?);
    stretched::<64>(store, parameters, |digest| {
        [inner, outer].iter().fold(digest, |digest, &state| {
            let (mut words, mut block) = (state, [0; 128]);
            block[..64].copy_from_slice(&digest);
            end(&mut block, 64);
            compress512(&mut words, &[block]);
            let mut made = [0; 64];
            for (bytes, word) in made.as_chunks_mut::<8>().0.iter_mut().zip(words) {
                *bytes = word.to_be_bytes();
            }
            made
        })
    })
}

/// PBKDF2's rounds; `mac` is the HMAC of a digest, which takes two blocks of twice its size.
fn stretched<const SIZE: usize>(
    store: &StoreContextMut<'_, State>,
    (_, _, last, sum, rounds): &Stretching,
    mac: impl Fn([u8; SIZE]) -> [u8; SIZE],
) -> Option<Vec<u8>> {
    let mut last = <[u8; SIZE]>::try_from(last.as_le_slice(store)).ok()?;
    let mut sum = <[u8; SIZE]>::try_from(sum.as_le_slice(store)).ok()?;
    let bytes = 4 * SIZE * usize::try_from(*rounds).ok()?;
    if bytes > MAX_BLOCKS {
        return None;
    }
    charge(store, bytes);
    for _ in 0..*rounds {
        last = mac(last);
        sum.iter_mut().zip(last).for_each(|(sum, byte)| *sum ^= byte);
    }
    Some([last, sum].concat())
}

/// Ends the last block of a message, of which `used` bytes are in it after one block that was full.
fn end(block: &mut [u8], used: usize) {
    block[used] = 0x80;
    let bits = 8 * (block.len() + used) as u64;
    let at = block.len() - 8;
    block[at..].copy_from_slice(&bits.to_be_bytes());
}

fn scrypt_mix(
    store: &StoreContextMut<'_, State>,
    block: &WasmList<u8>,
    other: &WasmList<u8>,
    times: u32,
) -> Option<Vec<u8>> {
    let (block, other) = (block.as_le_slice(store), other.as_le_slice(store));
    let size = block.len();
    let all = size.checked_mul(usize::try_from(times).ok()?).filter(|all| *all <= MAX_MIXED)?;
    if size == 0 || size % 128 != 0 || !(other.is_empty() || other.len() == size) {
        return None;
    }
    // Salsa20/8 takes some four instructions for each byte.
    charge(store, 4 * all);
    let mut words = salsa_words(block);
    for (word, other) in words.iter_mut().zip(salsa_words(other)) {
        *word ^= other;
    }
    let mut results = Vec::with_capacity(all);
    for _ in 0..times {
        words = block_mix(&words);
        results.extend(words.iter().flat_map(|word| word.to_le_bytes()));
    }
    Some(results)
}

fn salsa_words(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect()
}

/// RFC 7914, section 4: each part of 16 words is added to the result before it and hashed; the results at even places
/// come before those at odd ones.
fn block_mix(words: &[u32]) -> Vec<u32> {
    let parts = words.as_chunks::<16>().0;
    let mut last = parts.last().copied().unwrap_or_default();
    let mut mixed = vec![[0; 16]; parts.len()];
    for (at, part) in parts.iter().enumerate() {
        last.iter_mut().zip(part).for_each(|(word, other)| *word ^= other);
        salsa20_8(&mut last);
        mixed[at / 2 + (at % 2) * parts.len() / 2] = last;
    }
    mixed.into_flattened()
}

/// Salsa20/8 (RFC 7914, section 3): four times the columns, then the rows, of a square of 16 words.
fn salsa20_8(words: &mut [u32; 16]) {
    const QUARTERS: [[usize; 4]; 8] = [
        [0, 4, 8, 12],
        [5, 9, 13, 1],
        [10, 14, 2, 6],
        [15, 3, 7, 11],
        [0, 1, 2, 3],
        [5, 6, 7, 4],
        [10, 11, 8, 9],
        [15, 12, 13, 14],
    ];
    let mut x = *words;
    for _ in 0..4 {
        for [a, b, c, d] in QUARTERS {
            x[b] ^= x[a].wrapping_add(x[d]).rotate_left(7);
            x[c] ^= x[b].wrapping_add(x[a]).rotate_left(9);
            x[d] ^= x[c].wrapping_add(x[b]).rotate_left(13);
            x[a] ^= x[d].wrapping_add(x[c]).rotate_left(18);
        }
    }
    words.iter_mut().zip(x).for_each(|(word, added)| *word = word.wrapping_add(added));
}

fn words256(store: &StoreContextMut<'_, State>, state: &WasmList<u8>) -> Option<[u32; 8]> {
    let (words, []) = state.as_le_slice(store).as_chunks::<4>() else { return None };
    Some(<[[u8; 4]; 8]>::try_from(words).ok()?.map(u32::from_le_bytes))
}

fn words512(store: &StoreContextMut<'_, State>, state: &WasmList<u8>) -> Option<[u64; 8]> {
    let (words, []) = state.as_le_slice(store).as_chunks::<8>() else { return None };
    Some(<[[u8; 8]; 8]>::try_from(words).ok()?.map(u64::from_le_bytes))
}

/// Splits bytes into blocks, and charges them. `None` if the length is wrong.
fn counted<'a, const SIZE: usize>(
    store: &'a StoreContextMut<'_, State>,
    blocks: &WasmList<u8>,
) -> Option<&'a [[u8; SIZE]]> {
    let bytes = blocks.as_le_slice(store);
    let (blocks, []) = bytes.as_chunks::<SIZE>() else { return None };
    if bytes.len() > MAX_BLOCKS {
        return None;
    }
    charge(store, bytes.len());
    Some(blocks)
}

/// Charges an instruction for each byte, which is about what hashing takes.
fn charge(store: &StoreContextMut<'_, State>, bytes: usize) {
    let state = store.data();
    metering::count_work(&state.kernel, &state.process, bytes as u64);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn salsa_is_that_of_the_standard() {
        // RFC 7914, section 8.
        let bytes = |text: &str| -> Vec<u8> {
            text.split_whitespace().map(|byte| u8::from_str_radix(byte, 16).unwrap()).collect()
        };
        let input = bytes(
            "7e 87 9a 21 4f 3e c9 86 7c a9 40 e6 41 71 8f 26 ba ee 55 5b 8c 61 c1 b5 0d f8 46 11 6d cd 3b 1d
             ee 24 f3 19 df 9b 3d 85 14 12 1e 4b 5a c5 aa 32 76 02 1d 29 09 c7 48 29 ed eb c6 8d b8 b8 c2 5e",
        );
        let expected = bytes(
            "a4 1f 85 9c 66 08 cc 99 3b 81 ca cb 02 0c ef 05 04 4b 21 81 a2 fd 33 7d fd 7b 1c 63 96 68 2f 29
             b4 39 31 68 e3 c9 e6 bc fe 6b c5 b7 a0 6d 96 ba e4 24 cc 10 2c 91 74 5c 24 ad 67 3d c7 61 8f 81",
        );
        let mut words = <[u32; 16]>::try_from(salsa_words(&input)).unwrap();
        salsa20_8(&mut words);
        assert_eq!(words.to_vec(), salsa_words(&expected));
    }
}
