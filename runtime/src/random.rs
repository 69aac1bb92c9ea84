//! Sources of random bytes.

/// Where a sandbox's random bytes come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Random {
    /// The operating system's generator.
    #[default]
    Os,
    /// A reproducible stream for each process, derived from this seed and the process id. Must not be used for secrets.
    Seeded(u64),
}

/// One process's stream of random bytes.
#[derive(Debug)]
pub(crate) enum RandomStream {
    Os,
    Seeded(Xoshiro),
}

impl RandomStream {
    pub(crate) fn new(random: Random, pid: u32) -> RandomStream {
        match random {
            Random::Os => RandomStream::Os,
            Random::Seeded(seed) => RandomStream::Seeded(Xoshiro::new(seed, u64::from(pid))),
        }
    }

    /// Fills `buf`. False if the operating system's generator fails.
    #[must_use]
    pub(crate) fn fill(&mut self, buf: &mut [u8]) -> bool {
        match self {
            RandomStream::Os => getrandom::fill(buf).is_ok(),
            RandomStream::Seeded(state) => {
                for chunk in buf.chunks_mut(8) {
                    let bytes = state.next().to_le_bytes();
                    chunk.copy_from_slice(&bytes[..chunk.len()]);
                }
                true
            }
        }
    }
}

/// xoshiro256++ 1.0 (Blackman and Vigna), seeded through splitmix64 as its authors advise.
#[derive(Debug)]
pub(crate) struct Xoshiro([u64; 4]);

impl Xoshiro {
    fn new(seed: u64, stream: u64) -> Xoshiro {
        let mut state = seed ^ stream.wrapping_mul(0xd1b5_4a32_d192_ed03);
        Xoshiro(std::array::from_fn(|_| splitmix(&mut state)))
    }

    fn next(&mut self) -> u64 {
        let [a, b, c, d] = &mut self.0;
        let result = a.wrapping_add(*d).rotate_left(23).wrapping_add(*a);
        let t = *b << 17;
        *c ^= *a;
        *d ^= *b;
        *b ^= *c;
        *a ^= *d;
        *c ^= t;
        *d = d.rotate_left(45);
        result
    }
}

fn splitmix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeded_streams_repeat_and_differ_by_process() {
        let take = |pid| {
            let mut bytes = [0; 20];
            assert!(RandomStream::new(Random::Seeded(7), pid).fill(&mut bytes));
            bytes
        };
        assert_eq!(take(2), take(2));
        assert_ne!(take(2), take(3));
    }
}
