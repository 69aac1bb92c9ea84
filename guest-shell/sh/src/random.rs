//! `RANDOM`: the same generator as bash's, so that a seed gives the same numbers.

use sandshell_sys as sys;

/// The Park and Miller generator of `RANDOM`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Random {
    seed: Option<u32>,
    last: u32,
    old: bool,
}

impl Random {
    pub(crate) fn seed(&mut self, seed: u32) {
        self.seed = Some(seed);
        self.last = 0;
    }

    /// Selects the numbers of bash 5.0 and before (`BASH_COMPAT`).
    pub(crate) fn set_old(&mut self, old: bool) {
        self.old = old;
    }

    /// Drops the seed, because a subshell has its own numbers.
    pub(crate) fn reseed(&mut self) {
        self.seed = None;
    }

    fn step(&mut self) -> u32 {
        let seed = *self.seed.get_or_insert_with(|| {
            let mut bytes = [0; 4];
            sys::random(&mut bytes);
            u32::from_le_bytes(bytes)
        });
        // x' = 16807 x mod 2^31-1, by Schrage's method; 0 would stay 0.
        let x = if seed == 0 { 123_459_876 } else { seed };
        let (high, low) = ((x / 127_773).cast_signed(), (x % 127_773).cast_signed());
        let t = low.wrapping_mul(16_807).wrapping_sub(high.wrapping_mul(2_836));
        let next = if t < 0 { t.wrapping_add(0x7fff_ffff) } else { t }.cast_unsigned();
        self.seed = Some(next);
        if self.old {
            return next;
        }
        // Both halves are mixed, as in bash since 5.1.
        (next >> 16) ^ (next & 0xffff)
    }

    /// The next number, 0 to 32767, never the same twice in a row.
    pub(crate) fn next(&mut self) -> u32 {
        loop {
            let n = self.step() & 0x7fff;
            if n != self.last {
                self.last = n;
                return n;
            }
        }
    }
}
