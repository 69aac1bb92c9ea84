//! What the passes of `shred` write, and in which order.
//!
//! The patterns are those of Peter Gutmann's paper of 1996 about deleting data from disks with MFM and RLL encoding:
//! bits that repeat after one to four places. Twelve bits contain each of them a whole number of times. Which passes
//! are used, and in which order, was observed with `shred -v -n` and a known `--random-source`.

use crate::base::random::Random;
use std::collections::VecDeque;

/// What one pass writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Pass {
    Random,
    Pattern(Pattern),
}

/// Twelve bits that are repeated.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Pattern {
    bits: u16,
    /// Whether the first bit of each sector is inverted.
    turned: bool,
}

const WIDTH: u32 = 12;
const SECTOR: usize = 512;

/// Plans `count` passes, with random passes spread among patterns in random order, and a final pass of zeros if `zero`.
/// The same source of randomness gives the same plan.
pub(crate) fn plan(count: u64, zero: bool, random: &mut Random) -> Result<Vec<Pass>, i32> {
    let patterns = choose(count, random)?;
    let mut passes = arrange(patterns.into(), count, random)?;
    if zero {
        passes.push(Pass::Pattern(Pattern { bits: 0, turned: false }));
    }
    Ok(passes)
}

/// Chooses the patterns for `count` passes. The other passes are random. Each round has a random pass, then three times
/// a random pass and two sets of patterns, then another random pass. If a set no longer fits, some of its patterns are
/// used, provided that at least two and at least a third of them fit.
fn choose(count: u64, random: &mut Random) -> Result<Vec<Pattern>, i32> {
    let pairs = [
        [set(&[1], false), set(&[2], false)],
        [set(&[3], false), set(&[4], false)],
        [set(&[1, 3], true), set(&[2, 4], true)],
    ];
    let mut chosen = Vec::new();
    let mut open = count;
    while open > 0 {
        open -= 1;
        for pair in &pairs {
            open = open.saturating_sub(1);
            for set in pair {
                let size = set.len() as u64;
                if open < size {
                    if open >= 2 && open >= size.div_ceil(3) {
                        some_of(set, open as usize, &mut chosen, random)?;
                    }
                    return Ok(chosen);
                }
                chosen.extend_from_slice(set);
                open -= size;
            }
        }
        open = open.saturating_sub(1);
    }
    Ok(chosen)
}

/// All patterns that repeat after one of these numbers of bits, and not after fewer, in ascending order.
fn set(periods: &[u32], turned: bool) -> Vec<Pattern> {
    let mut set: Vec<Pattern> = (0..1 << WIDTH)
        .filter(|bits| periods.contains(&period(*bits)))
        .map(|bits| Pattern { bits, turned })
        .collect();
    set.sort_unstable();
    set
}

/// The number of bits after which the twelve bits repeat.
fn period(bits: u16) -> u32 {
    let repeats = |length: &u32| (*length..WIDTH).all(|at| bits >> at & 1 == bits >> (at - length) & 1);
    (1..WIDTH).filter(|length| WIDTH.is_multiple_of(*length)).find(repeats).unwrap_or(WIDTH)
}

/// Adds `wanted` patterns of the set, where all selections are equally likely (Knuth's selection sampling).
fn some_of(
    set: &[Pattern],
    mut wanted: usize,
    to: &mut Vec<Pattern>,
    random: &mut Random,
) -> Result<(), i32> {
    let mut rest = set;
    while 0 < wanted
        && wanted < rest.len()
        && let Some((first, others)) = rest.split_first()
    {
        if random.below(rest.len() as u64)? < wanted as u64 {
            to.push(*first);
            wanted -= 1;
        }
        rest = others;
    }
    to.extend_from_slice(&rest[..wanted]);
    Ok(())
}

/// Puts random passes first and last, and others at even distances between them. The patterns fill the other places in
/// random order.
fn arrange(mut waiting: VecDeque<Pattern>, count: u64, random: &mut Random) -> Result<Vec<Pass>, i32> {
    let randoms = u128::from(count) - waiting.len() as u128;
    let mut placed = 0;
    let mut passes = Vec::new();
    for place in 0..u128::from(count) {
        if placed * u128::from(count - 1) <= place * (randoms - 1) {
            // The next pattern moves to the end of the queue. This keeps the order that GNU shred has.
            placed += 1;
            waiting.rotate_left(waiting.len().min(1));
            passes.push(Pass::Random);
        } else {
            let which = random.below(waiting.len() as u64)? as usize;
            waiting.swap(0, which);
            passes.extend(waiting.pop_front().map(Pass::Pattern));
        }
    }
    Ok(passes)
}

impl Pass {
    /// The name in messages. For a pattern it is the first three bytes of a sector.
    pub(crate) fn name(self) -> String {
        if self == Self::Random {
            return "random".to_owned();
        }
        let mut start = [0; 3];
        self.fill(&mut start);
        start.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Fills a buffer that starts at the start of a sector. A random pass does not change it.
    pub(crate) fn fill(self, buffer: &mut [u8]) {
        let Self::Pattern(pattern) = self else { return };
        for (to, from) in buffer.iter_mut().zip(pattern.bytes().into_iter().cycle()) {
            *to = from;
        }
        if pattern.turned {
            buffer.iter_mut().step_by(SECTOR).for_each(|byte| *byte ^= 0x80);
        }
    }
}

impl Pattern {
    /// The twelve bits twice, which makes three whole bytes.
    fn bytes(self) -> [u8; 3] {
        let [_, bytes @ ..] = (u32::from(self.bits) << WIDTH | u32::from(self.bits)).to_be_bytes();
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(periods: &[u32]) -> Vec<String> {
        set(periods, false).iter().map(|pattern| format!("{:03x}", pattern.bits)).collect()
    }

    #[test]
    fn sets_are_gutmanns_patterns() {
        assert_eq!(hex(&[1]), ["000", "fff"]);
        assert_eq!(hex(&[2]), ["555", "aaa"]);
        // The patterns for (2,7) RLL and their complements.
        assert_eq!(hex(&[3]), ["249", "492", "6db", "924", "b6d", "db6"]);
        // The patterns for (1,7) RLL: one digit, three times.
        let digits: Vec<String> = (0..16).map(|digit| format!("{digit:x}").repeat(3)).collect();
        assert_eq!(hex(&[1, 2, 4]), digits);
        assert_eq!((1..1 << WIDTH).filter(|bits| period(*bits) == WIDTH).count(), 4096 - 64 - 16 + 4);
    }

    #[test]
    fn passes_are_as_many_as_wanted() -> Result<(), i32> {
        let mut random = Random::new("shred", None)?;
        for count in 0..200 {
            let passes = plan(count, false, &mut random)?;
            assert_eq!(passes.len() as u64, count);
            assert!(
                [passes.first(), passes.last()].iter().all(|end| end.is_none_or(|end| *end == Pass::Random))
            );
        }
        assert_eq!(plan(0, true, &mut random)?.len(), 1);
        Ok(())
    }

    #[test]
    fn first_bit_of_each_sector_is_turned() {
        let mut buffer = [0; 1200];
        Pass::Pattern(Pattern { bits: 0x249, turned: true }).fill(&mut buffer);
        let turned = |at: usize| at.is_multiple_of(SECTOR);
        let plain = [0x24, 0x92, 0x49];
        assert!(buffer.iter().enumerate().all(|(at, byte)| (*byte != plain[at % 3]) == turned(at)));
    }
}
