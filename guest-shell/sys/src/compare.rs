//! `memcmp` and `bcmp` for 16 bytes at a time. The C library compares byte by byte, and sorting, searching and hashing
//! spend most of their time in these functions.

use std::arch::wasm32::{i8x16_bitmask, i8x16_eq, v128, v128_load};

/// Compares `n` bytes as unsigned numbers. As for `memcmp(3)`, the result is negative, zero or positive.
///
/// # Safety
/// `n` bytes can be read at both addresses.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn memcmp(a: *const u8, b: *const u8, n: usize) -> i32 {
    // SAFETY: the caller's promise; every range below lies in the first `n` bytes.
    unsafe {
        let mut at = 0;
        while n - at >= 16 {
            if let Some(order) = block(a.add(at), b.add(at)) {
                return order;
            }
            at += 16;
        }
        match n - at {
            0 => 0,
            // The last 16 bytes. Some of them have already been compared and are equal.
            _ if n >= 16 => block(a.add(n - 16), b.add(n - 16)).unwrap_or(0),
            8.. => match order(word(a), word(b)) {
                0 => order(word(a.add(n - 8)), word(b.add(n - 8))),
                order => order,
            },
            4.. => match order(half(a), half(b)) {
                0 => order(half(a.add(n - 4)), half(b.add(n - 4))),
                order => order,
            },
            few => order(bytes(a, few), bytes(b, few)),
        }
    }
}

/// As [`memcmp`]. As for `bcmp(3)`, the sign of the result has no meaning.
///
/// # Safety
/// As [`memcmp`].
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn bcmp(a: *const u8, b: *const u8, n: usize) -> i32 {
    // SAFETY: the caller's promise.
    unsafe { memcmp(a, b, n) }
}

/// The order of two blocks of 16 bytes; `None` if they are equal.
///
/// # Safety
/// 16 bytes can be read at both addresses.
unsafe fn block(a: *const u8, b: *const u8) -> Option<i32> {
    // SAFETY: the caller's promise; the instruction accepts any alignment, and the bit's number is below 16.
    unsafe {
        let same = i8x16_bitmask(i8x16_eq(v128_load(a.cast::<v128>()), v128_load(b.cast::<v128>())));
        let first = (!same).trailing_zeros() as usize;
        (first < 16).then(|| i32::from(*a.add(first)) - i32::from(*b.add(first)))
    }
}

/// # Safety
/// 8 bytes can be read.
unsafe fn word(at: *const u8) -> u64 {
    // SAFETY: the caller's promise.
    u64::from_be(unsafe { at.cast::<u64>().read_unaligned() })
}

/// # Safety
/// 4 bytes can be read.
unsafe fn half(at: *const u8) -> u64 {
    // SAFETY: the caller's promise.
    u64::from(u32::from_be(unsafe { at.cast::<u32>().read_unaligned() }))
}

/// # Safety
/// `n` bytes can be read; `n` is 1, 2 or 3.
unsafe fn bytes(at: *const u8, n: usize) -> u64 {
    // SAFETY: the caller's promise. The index of the middle byte is 0 for one byte, and else 1.
    let byte = |i: usize| u64::from(unsafe { *at.add(i) });
    byte(0) << 16 | byte(n / 2) << 8 | byte(n - 1)
}

fn order(a: u64, b: u64) -> i32 {
    i32::from(a > b) - i32::from(a < b)
}
