//! What the passes of `shred` write, and where its randomness is from.

use crate::base::random::Random;

/// What one pass writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Pass {
    Random,
    /// Twelve bits, again and again; the thirteenth turns the first bit of each 512 bytes over.
    Pattern(u16),
}

/// Patterns in the order in which more and more passes take them, in groups of which all or a choice is taken.
const GROUPS: [&[u16]; 6] = [
    &[0x000, 0xfff],
    &[0x555, 0xaaa],
    &[0x249, 0x492, 0x6db, 0x924, 0xb6d, 0xdb6],
    &[0x111, 0x222, 0x333, 0x444, 0x666, 0x777, 0x888, 0x999, 0xbbb, 0xccc, 0xddd, 0xeee],
    &[0x1000, 0x1249, 0x1492, 0x16db, 0x1924, 0x1b6d, 0x1db6, 0x1fff],
    &[
        0x1111, 0x1222, 0x1333, 0x1444, 0x1555, 0x1666, 0x1777, 0x1888, 0x1999, 0x1aaa, 0x1bbb, 0x1ccc,
        0x1ddd, 0x1eee,
    ],
];
/// Random passes before each group, and after the last.
const BEFORE: [u64; 7] = [2, 0, 1, 0, 1, 0, 1];

/// The passes: `count`, random ones spread among patterns in random order, and one of zeros. The draws are those of
/// GNU's, so a known source of randomness gives the same order.
pub(crate) fn plan(count: u64, zero: bool, random: &mut Random) -> Result<Vec<Pass>, i32> {
    let (mut patterns, mut randoms, mut left) = (Vec::new(), 0, count);
    'all: while left > 0 {
        for (i, before) in BEFORE.iter().enumerate() {
            let n = left.min(*before);
            randoms += n;
            left -= n;
            let Some(group) = GROUPS.get(i) else { break };
            let size = group.len() as u64;
            if left >= size {
                patterns.extend_from_slice(group);
                left -= size;
            } else if left < 2 || 3 * left < size {
                randoms += left;
                break 'all;
            } else {
                // Each in turn, as likely as there are more to choose than to choose from.
                for (remaining, pattern) in (1..=size).rev().zip(group.iter()) {
                    if left == remaining || left > 0 && random.below(remaining)? < left {
                        patterns.push(*pattern);
                        left -= 1;
                    }
                }
                break 'all;
            }
        }
    }
    let total = patterns.len() as u64 + randoms;
    let mut plan: Vec<Pass> = patterns.into_iter().map(Pass::Pattern).collect();
    // Random passes first and last, the others at even distances between; the pattern whose place one takes goes to the
    // end.
    let step = randoms.saturating_sub(1);
    let mut due = step;
    for n in 0..total as usize {
        if due <= step {
            due += total - 1;
            match plan.get(n) {
                Some(pattern) => {
                    plan.push(*pattern);
                    plan[n] = Pass::Random;
                }
                None => plan.push(Pass::Random),
            }
        } else {
            let other = n + random.below((plan.len() - n) as u64)? as usize;
            plan.swap(n, other);
        }
        due -= step;
    }
    if zero {
        plan.push(Pass::Pattern(0));
    }
    Ok(plan)
}

impl Pass {
    /// The name in messages.
    pub(crate) fn name(self) -> String {
        match self {
            Self::Random => "random".to_owned(),
            Self::Pattern(_) => self.bytes().iter().map(|b| format!("{b:02x}")).collect(),
        }
    }

    /// Fills a buffer with the pattern.
    pub(crate) fn fill(self, buffer: &mut [u8]) {
        let Self::Pattern(bits) = self else { return };
        let bytes = self.bytes();
        for (to, from) in buffer.iter_mut().zip(bytes.iter().cycle()) {
            *to = *from;
        }
        if bits & 0x1000 != 0 {
            buffer.iter_mut().step_by(512).for_each(|b| *b ^= 0x80);
        }
    }

    fn bytes(self) -> [u8; 3] {
        let Self::Pattern(bits) = self else { return [0; 3] };
        let twice = u32::from(bits & 0xfff) * 0x1001;
        [(twice >> 4) as u8, (twice >> 8) as u8, twice as u8]
    }
}
