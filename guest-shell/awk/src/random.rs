//! gawk's random numbers: BSD's `random(3)` with 63 words of state, and a shuffle table.

const DEGREE: usize = 63;
const SEPARATION: usize = 1;
const SHUFFLED: usize = 512;

/// A generator.
pub(crate) struct Random {
    state: [i32; DEGREE],
    front: usize,
    rear: usize,
    shuffled: Vec<u32>,
    last: u32,
}

impl Random {
    pub(crate) fn new(seed: u32) -> Self {
        let mut r = Self { state: [0; DEGREE], front: SEPARATION, rear: 0, shuffled: Vec::new(), last: 0 };
        let mut word = seed.cast_signed();
        for slot in &mut r.state {
            *slot = word;
            word = step(word);
        }
        r.shuffled = (0..SHUFFLED).map(|_| r.plain()).collect();
        r.last = r.plain();
        for _ in 0..10 * DEGREE {
            r.next();
        }
        r
    }

    // 31 bits of the additive generator.
    fn plain(&mut self) -> u32 {
        let sum = self.state[self.front].wrapping_add(self.state[self.rear]);
        self.state[self.front] = sum;
        self.front = (self.front + 1) % DEGREE;
        self.rear = (self.rear + 1) % DEGREE;
        sum.cast_unsigned() >> 1
    }

    // 31 bits from the shuffle table, at a position that the previous result selects.
    fn next(&mut self) -> u32 {
        let fresh = self.plain();
        self.last = std::mem::replace(&mut self.shuffled[self.last as usize % SHUFFLED], fresh);
        self.last
    }

    /// A number from 0 to 1, excluding 1.
    pub(crate) fn number(&mut self) -> f64 {
        const DIVISOR: f64 = 2_147_483_648.0;
        loop {
            let (a, b) = (f64::from(self.next()), f64::from(self.next()));
            let n = 0.5 + (a / DIVISOR + b) / DIVISOR - 0.5;
            if n != 1.0 {
                return n;
            }
        }
    }
}

// The minimal standard generator of Park and Miller, which initialises the state.
fn step(x: i32) -> i32 {
    let x = if x == 0 { 123_459_876 } else { x };
    let (hi, lo) = (x / 127_773, x % 127_773);
    let x = 16807 * lo - 2836 * hi;
    if x < 0 { x.wrapping_add(0x7fff_ffff) } else { x }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_numbers_are_gawks() {
        let mut r = Random::new(1);
        let first: Vec<String> = (0..3).map(|_| format!("{:.6}", r.number())).collect();
        assert_eq!(first, ["0.924046", "0.593909", "0.306394"]);
    }
}
