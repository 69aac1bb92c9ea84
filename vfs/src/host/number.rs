//! Inode numbers that reveal nothing about the host's.

/// Bits of an inode number. An overlay uses larger numbers for its own files.
const BITS: u32 = 48;
const HALF: u64 = (1 << (BITS / 2)) - 1;

/// Gives every file below a directory a unique number, which is the same each time the directory is opened, even by
/// another program, as long as the directory exists. The host's numbers, which reveal details of the disk, its age and
/// its other contents, cannot be computed from them without knowing the directory's creation time to the nanosecond.
#[derive(Clone, Copy)]
pub(super) struct Numbers {
    keys: [u64; 4],
    dev: u64,
}

impl Numbers {
    /// The numbers of files below a directory, by its inode, its device and the time when it was created, in seconds
    /// and nanoseconds (zero if the host does not tell).
    pub(super) fn new(ino: u64, dev: u64, born: (i64, u32)) -> Self {
        let mut state = ino ^ dev.rotate_left(32);
        state = mix(state ^ born.0.cast_unsigned());
        state = mix(state ^ u64::from(born.1));
        let keys = std::array::from_fn(|_| {
            state = mix(state);
            state
        });
        Self { keys, dev }
    }

    /// The number for the host's inode `ino` on its device `dev`. Unique on the directory's own device; inodes of other
    /// devices that are mounted below are very likely to differ. Never 0, which programs take for no file.
    pub(super) fn of(&self, ino: u64, dev: u64) -> u64 {
        let moved = if dev == self.dev { 0 } else { mix(dev ^ self.dev) };
        let mut number = (ino ^ ino >> BITS ^ moved) & ((1 << BITS) - 1);
        loop {
            let (mut left, mut right) = (number >> (BITS / 2), number & HALF);
            // Four rounds of a Feistel network, which is a permutation for any round function.
            for key in self.keys {
                (left, right) = (right, left ^ (mix(right ^ key) & HALF));
            }
            number = left << (BITS / 2) | right;
            if number != 0 {
                return number;
            }
        }
    }
}

/// The finaliser of SplitMix64.
fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ value >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ value >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ value >> 31
}

#[cfg(test)]
mod tests {
    use super::Numbers;
    use std::collections::HashSet;

    #[test]
    fn numbers_are_stable_distinct_and_not_the_hosts() {
        let dev = 5;
        let (first, again) = (Numbers::new(7, dev, (1, 2)), Numbers::new(7, dev, (1, 2)));
        let others =
            [Numbers::new(8, dev, (1, 2)), Numbers::new(7, dev, (1, 3)), Numbers::new(7, dev + 1, (1, 2))];
        let all: HashSet<u64> = (0..100_000).map(|ino| first.of(ino, dev)).collect();
        assert_eq!(all.len(), 100_000, "no two files have one number");
        assert!(all.iter().all(|number| *number != 0 && *number < 1 << 48));
        assert!((0..1000).all(|ino| first.of(ino, dev) == again.of(ino, dev)));
        assert!((1..1000).all(|ino| first.of(ino, dev) != ino));
        for other in others {
            assert!(
                (0..1000).any(|ino| first.of(ino, dev) != other.of(ino, dev)),
                "each directory has its own"
            );
        }
        assert_ne!(first.of(7, dev), first.of(7, dev + 1));
    }
}
